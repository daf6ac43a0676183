// Beams of the model: their nodes' links and their elements, in the frames of the links.
//
// A link's frame is its joint's (compile/link.c), so the element's axes and line are X_LB of the node's own frame. The
// unstressed shape is the one given, whatever the start is.
#include <stdlib.h>
#include <string.h>

#include "flex/line.h"
#include "model/compile/compile.h"

#define BR_BEAM_ROTARY 1e-3 // of m l^2 of half an element

static br_pose unstressed_link(const br_compile *c, int body) {
    return br_pose_mul(c->builder->body[body].pose, br_pose_inverse(c->model->body[body].X_LB));
}

static int rising(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int is_corner(const br_beam_line *line, double station) {
    return line->corners > 0 &&
           bsearch(&station, line->corner, (size_t)line->corners, sizeof station, rising) != NULL;
}

// Element k of the beam: from its node k, where a corner's far side begins, to node k + 1.
static void make_element(const br_compile *c, int beam, int k, br_model_beam *out) {
    const br_beam_def *def = &c->builder->beam[beam];
    br_beam_element *e = &out->element[k];
    br_beam_ends ends;
    for (int i = 0; i < 2; i++) {
        const int body = out->first_body + k + i;
        const br_pose X_LB = c->model->body[body].X_LB, X_WL = unstressed_link(c, body);
        br_quat q_BS = br_quat_identity(); // the section at this end in the node's own axes
        if (i == 0 && is_corner(&c->builder->beam_line[beam], out->station[k])) {
            const br_pose after = br_line_section(def, out->station[k], 1);
            q_BS = br_quat_normalize(br_pose_between(c->builder->body[body].pose, after).rotation);
        }
        e->Q[i] = br_quat_to_mat3(br_quat_normalize(br_quat_mul(X_LB.rotation, q_BS)));
        e->p[i] = X_LB.position;
        ends.x[i] = X_WL.position;
        ends.R[i] = br_quat_to_mat3(br_quat_normalize(X_WL.rotation));
    }
    e->length = (out->station[k + 1] - out->station[k]) * out->length;
    br_beam_prepare(e, &out->section, &ends);
}

// Lengths near the ends of the range of a double leave no stiffness behind.
static br_status check_element(const br_compile *c, const br_model_beam *beam, int k) {
    const br_place place = {"beams", beam->name, c->error};
    const br_beam_element *e = &beam->element[k];
    int good = isfinite(e->length) && e->length > 0.0;
    for (int i = 0; i < 6; i++) good &= e->C[i] > 0.0 && isfinite(e->C[i]) && isfinite(e->strain_0[i]);
    if (good) return BR_OK;
    return br_fail_place(
        &place, "model-not-finite", NULL,
        "an element of beam %s, %g m long at station %g, has stiffnesses too large or too small "
        "to be computed with",
        beam->name, e->length, beam->station[k]);
}

static br_status make_beam(br_compile *c, int beam) {
    br_model *m = c->model;
    const br_beam_mesh *mesh = &c->mesh[beam];
    br_model_beam *out = &m->beam[beam];
    out->name = br_copy_text(&m->arena, c->builder->beam[beam].name);
    out->nodes = mesh->nodes;
    out->first_body = mesh->first_body;
    out->section = mesh->section;
    out->length = c->builder->beam_line[beam].length;
    out->damping = c->builder->beam[beam].damping;
    out->link = BR_TAKE(&m->arena, int, out->nodes);
    out->station = BR_TAKE(&m->arena, double, out->nodes);
    out->element = BR_TAKE(&m->arena, br_beam_element, out->nodes - 1);
    if (!out->name || !out->link || !out->station || !out->element) return br_compile_no_memory(c);
    memcpy(out->station, mesh->station, (size_t)out->nodes * sizeof *out->station);
    for (int k = 0; k < out->nodes; k++) {
        out->link[k] = m->body[out->first_body + k].link;
        m->beam_node[out->link[k]] = 1;
    }
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k + 1 < out->nodes; k++) {
        make_element(c, beam, k, out);
        status = check_element(c, out, k);
    }
    return status;
}

// Of the tree: steps of the contact stepper, balances of an instant. Half of an element's mass is at each end, a sixth of its length inside it: the
// trapezoidal rule with its end correction. Between nodes of equal distance nothing is left of that; at the ends of a beam
// inertia and weight are those of the distributed mass.
// Across the line they get a little of the inertia that their parts of the line have about them, BR_BEAM_ROTARY of m l^2: a thin
// section has next to none, and rounding in steps grows with what acts over what turns. Modes k l long feel k^2 l^2
// BR_BEAM_ROTARY of it.
static void shift_masses(br_model *m, const br_model_beam *beam) {
    for (int k = 0; k + 1 < beam->nodes; k++) {
        const br_beam_element *e = &beam->element[k];
        const double half = 0.5 * beam->section.mass * e->length;
        for (int end = 0; end < 2; end++) {
            br_link *link = &m->tree.link[beam->link[k + end]];
            if (!(link->mass > 0.0)) continue;
            const br_vec3 inside =
                br_mat3_mul_vec(e->Q[end], br_vec3_of((end == 0 ? half : -half) * e->length / 6.0, 0.0, 0.0));
            const br_vec3 com = br_vec3_scale(1.0 / link->mass, link->moment_L);
            const br_vec3 line = br_vec3_scale(e->length, br_mat3_column(e->Q[end], 0));
            const br_sym3 own =
                br_sym3_add(br_sym3_add(link->inertia_L, br_sym3_scale(-link->mass, br_sym3_of_point(com))),
                            br_sym3_scale(BR_BEAM_ROTARY * half, br_sym3_of_point(line)));
            const br_inertia shifted =
                br_inertia_of(link->mass, br_vec3_add_scaled(com, 1.0 / link->mass, inside), own);
            link->moment_L = shifted.moment, link->inertia_L = shifted.rotational;
        }
    }
}

br_status br_compile_beams(br_compile *c) {
    br_model *m = c->model;
    m->beams = c->builder->beam_names.count;
    m->beam = BR_TAKE(&m->arena, br_model_beam, m->beams);
    m->beam_node = BR_TAKE(&m->arena, unsigned char, m->tree.links);
    if (!br_arena_ok(&m->arena)) return br_compile_no_memory(c);
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < m->beams; k++) status = make_beam(c, k);
    for (int k = 0; status == BR_OK && k < m->beams; k++) {
        m->beam_elements += m->beam[k].nodes - 1;
        shift_masses(m, &m->beam[k]);
    }
    return status;
}
