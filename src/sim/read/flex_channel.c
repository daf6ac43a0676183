// Channels of beams and clearance joints, see flex_channel.h.
#include "sim/read/flex_channel.h"

#include <stdlib.h>
#include <string.h>

#include "sim/contact/play.h"
#include "sim/rows/springs.h"
#include "sim/stepper/implicit/element_beam.h"
#include "sim/stepper/implicit/element_clearance.h"
#include "sim/stepper/stepper.h"
#include "tree/spatial.h"

enum { FORCE = 0, MOMENT = 1, POSITION = 2, QUANTITIES = 16, FRACTIONS = 100000000 }; // X to eight digits

static int is_implicit(const br_sim *sim) {
    return sim->stepper == &br_stepper_implicit;
}

// Accelerations of the nodes are those of body 0's: all are found at once.
static br_status ready(br_sim *sim, br_error *error) {
    br_twist ignored;
    if (is_implicit(sim)) return sim->stepper->ready(sim, error);
    return br_sim_body_acceleration(sim, 0, &ignored, error);
}

// The element of the beam that holds the station, and where in it.
static int locate(const br_model_beam *beam, double station, double *at) {
    int k = 0;
    while (k + 2 < beam->nodes && station > beam->station[k + 1]) k++;
    *at = (station - beam->station[k]) / (beam->station[k + 1] - beam->station[k]);
    return k;
}

static int element_of(const br_model *m, int beam, int k) {
    for (int i = 0; i < beam; i++) k += m->beam[i].nodes - 1;
    return k;
}

// Of the contact stepper forces of its last step, of the reference stepper those of the strains.
static void element_stress(br_sim *sim, int beam, int k, double at, double stress[6]) {
    const int element = element_of(sim->model, beam, k);
    const br_model_beam *def = &sim->model->beam[beam];
    if (is_implicit(sim)) {
        const br_implicit *f = sim->implicit;
        br_beam_stress(f, &f->element[f->first_beam_element + element], at, stress);
        return;
    }
    br_spring_rows rows;
    br_beam_ends ends;
    double force[6];
    br_wrench push[2] = {br_wrench_of(br_vec3_zero(), br_vec3_zero())};
    push[1] = push[0];
    br_sim_refresh(sim, 2);
    br_spring_of_beam(sim, element, 1, &rows);
    br_beam_forces(sim, element, &rows, force);
    for (int r = 0; r < rows.rows; r++)
        push[1] = br_wrench_add(push[1], br_wrench_scale(force[r], rows.T[r]));
    push[0] = br_wrench_scale(-1.0, br_wrench_shift(push[1], rows.x.rho_A));
    for (int i = 0; i < 2; i++) {
        const br_link_pose *X = &sim->work.pose[def->link[k + i]];
        ends.x[i] = X->p_WL, ends.R[i] = X->R_WL;
    }
    br_beam_section_stress(&def->element[k], &ends, push, at, stress);
}

// Inertia less weight of a node, about the centre of mass of the implicit stepper, about the link's origin of the other.
static br_wrench node_load(br_sim *sim, int link, int end, const br_beam_element *e, br_vec3 *arm,
                           br_mat3 *R) {
    if (!is_implicit(sim)) {
        const br_twist A = sim->acceleration[link];
        const br_vec3 w = sim->work.motion[link].V.angular;
        const br_twist less = br_twist_of(A.angular, br_vec3_sub(A.linear, sim->model->settings.gravity));
        *R = sim->work.pose[link].R_WL;
        *arm = br_mat3_mul_vec(*R, br_vec3_neg(e->p[end]));
        return br_wrench_add(br_rigid_momentum(sim->model->tree.link[link].mass, sim->work.moment[link],
                                               &sim->work.inertia[link], less),
                             br_rigid_bias(sim->work.moment[link], &sim->work.inertia[link], w));
    }
    const br_implicit *f = sim->implicit;
    const int still = f->still || f->at_rest;
    const br_node *n = &f->node[link];
    const br_wrench weight = still ? f->book[BR_BOOK_GRAVITY][link] : br_book_last(f, BR_BOOK_GRAVITY)[link];
    const br_wrench own = br_wrench_scale(-1.0, weight);
    *R = n->R1;
    *arm = br_mat3_mul_vec(n->R1, br_vec3_sub(n->com, e->p[end]));
    return still ? own : br_wrench_add(own, f->inertia_last[link]);
}

// At its ends a beam hands on what its last half element needs for itself too: inertia less weight of the end's node.
static void add_end(br_sim *sim, const br_model_beam *beam, int node, double sign, double stress[6]) {
    const br_beam_element *e = &beam->element[node == 0 ? 0 : node - 1];
    const int end = node == 0 ? 0 : 1;
    br_vec3 arm;
    br_mat3 R;
    const br_wrench own = node_load(sim, beam->link[node], end, e, &arm, &R);
    // To the line, and into section axes.
    const br_mat3 A = br_mat3_mul(R, e->Q[end]);
    const br_vec3 force = br_mat3_tmul_vec(A, own.force);
    const br_vec3 moment = br_mat3_tmul_vec(A, br_vec3_add(own.torque, br_vec3_cross(arm, own.force)));
    for (int i = 0; i < 3; i++) {
        stress[i] += sign * br_vec3_get(force, i);
        stress[3 + i] += sign * br_vec3_get(moment, i);
    }
}

static void stress_at(br_sim *sim, int index, double station, double stress[6]) {
    const br_model_beam *beam = &sim->model->beam[index];
    double at, other[6];
    const int k = locate(beam, station, &at);
    element_stress(sim, index, k, at, stress);
    if (k == 0 && at < 1e-9) add_end(sim, beam, 0, -1.0, stress);
    if (k + 2 == beam->nodes && at > 1.0 - 1e-9) add_end(sim, beam, beam->nodes - 1, 1.0, stress);
    if (at < 1.0 - 1e-9 || k + 2 >= beam->nodes) return;
    element_stress(sim, index, k + 1, 0.0, other); // at a node: both sides
    for (int i = 0; i < 6; i++) stress[i] = 0.5 * (stress[i] + other[i]);
}

br_status br_read_beam_node(br_sim *sim, const br_reading_place *place, double *out, br_error *error) {
    const br_model *m = sim->model;
    const int link = m->body[place->index].link;
    const br_status status = ready(sim, error);
    if (status != BR_OK) return status;
    memset(out, 0, 6 * sizeof *out);
    for (int i = 0; i < m->beams; i++)
        for (int k = 0; k < m->beam[i].nodes; k++) {
            if (m->beam[i].link[k] != link) continue;
            stress_at(sim, i, m->beam[i].station[k], out);
            return BR_OK;
        }
    return BR_OK;
}

// Of the contact stepper: the gap of the state, forces and slip of the last step.
static void read_play(br_sim *sim, int k, double *out) {
    const br_touch *t = br_play_touch(sim, k);
    br_race_contact race;
    br_vec3 centre;
    br_sim_refresh(sim, 1);
    br_play_race(sim, k, t ? br_vec3_neg(t->normal) : br_vec3_zero(), &race, &centre);
    memset(out, 0, 7 * sizeof *out);
    out[0] = race.gap;
    if (sim->ledger->steps == 0) // before any step: the spring of the state
        out[1] = br_normal_elastic(&sim->model->clearance[k].law, -race.gap);
    if (!t || sim->ledger->steps == 0) return;
    out[1] = t->f_n, out[2] = br_vec3_norm(t->f_t);
    out[3] = t->f_t.x, out[4] = t->f_t.y, out[5] = t->f_t.z, out[6] = br_vec3_norm(t->slip);
}

br_status br_read_clearance(br_sim *sim, const br_reading_place *place, double *out, br_error *error) {
    if (br_sim_plays(sim) > 0) {
        read_play(sim, place->index, out);
        return BR_OK;
    }
    const br_status status = ready(sim, error);
    if (status != BR_OK) return status;
    const br_clearance_reading r =
        br_clearance_read(&sim->implicit->element[sim->implicit->first_clearance + place->index]);
    out[0] = r.gap, out[1] = r.normal, out[2] = br_vec3_norm(r.friction);
    out[3] = r.friction.x, out[4] = r.friction.y, out[5] = r.friction.z, out[6] = r.slip;
    return BR_OK;
}

// --- anywhere along a beam ---------------------------------------------------------------------------------

int br_station_channel_find(const br_model *model, const char *name, int *index, int *component) {
    static const char *const quantity[] = {".force.", ".moment.", ".position."};
    for (int i = 0; i < model->beams; i++) {
        const size_t length = strlen(model->beam[i].name);
        if (strncmp(name, model->beam[i].name, length) != 0 || strncmp(name + length, ".s", 2) != 0) continue;
        char *end = NULL;
        const double station = strtod(name + length + 2, &end);
        if (end == name + length + 2 || !(station >= 0.0 && station <= 1.0)) continue;
        for (int k = 0; k < 3; k++) {
            const size_t n = strlen(quantity[k]);
            if (strncmp(end, quantity[k], n) != 0 || end[n] < 'x' || end[n] > 'z' || end[n + 1] != '\0')
                continue;
            *index = i;
            *component = (int)lround(station * FRACTIONS) * QUANTITIES + 3 * k + (end[n] - 'x');
            return 1;
        }
    }
    return 0;
}

const char *br_station_channel_unit(int component) {
    static const char *const unit[] = {"N", "N m", "m"};
    return unit[component % QUANTITIES / 3];
}

// Between nodes: the cubic through both with their tangents.
static br_vec3 position_at(br_sim *sim, const br_model_beam *beam, double station) {
    double s;
    const int k = locate(beam, station, &s);
    const br_beam_element *e = &beam->element[k];
    br_vec3 p[2], t[2];
    br_sim_refresh(sim, 1);
    for (int i = 0; i < 2; i++) {
        const br_link_pose *X = &sim->work.pose[beam->link[k + i]];
        p[i] = br_vec3_add(X->p_WL, br_mat3_mul_vec(X->R_WL, e->p[i]));
        t[i] = br_vec3_scale(e->length, br_mat3_mul_vec(X->R_WL, br_mat3_column(e->Q[i], 0)));
    }
    const double a = s * s * (3.0 - 2.0 * s);
    br_vec3 r = br_vec3_add(br_vec3_scale(1.0 - a, p[0]), br_vec3_scale(a, p[1]));
    r = br_vec3_add_scaled(r, s * (1.0 - s) * (1.0 - s), t[0]);
    return br_vec3_add_scaled(r, -s * s * (1.0 - s), t[1]);
}

br_status br_read_station(br_sim *sim, const br_reading_place *place, double *out, br_error *error) {
    const double station = (double)(place->part / QUANTITIES) / FRACTIONS;
    const int quantity = place->part % QUANTITIES / 3, k = place->part % QUANTITIES % 3;
    if (quantity == POSITION) {
        *out = br_vec3_get(position_at(sim, &sim->model->beam[place->index], station), k);
        return BR_OK;
    }
    const br_status status = ready(sim, error);
    double stress[6];
    if (status != BR_OK) return status;
    stress_at(sim, place->index, station, stress);
    *out = stress[3 * quantity + k];
    return BR_OK;
}
