// Joint friction in the implicit stepper: laws that are functions of velocity and state. Pads and loads as everywhere
// (tree/pad.h, friction.h); the load follows the joint's own rows, and the tangent with it.
//
//     force along D_k: -N mu_k(v, z),  v_k = D_k . V,  N = sum of |forms . R| + preload,  R = sum of lambda_r unit_r
#include "sim/stepper/implicit/element_friction.h"

#include <string.h>

#include "friction/lugre.h"
#include "math/elementary.h"
#include "sim/stepper/implicit/element_bounded.h"

enum { BRISTLE = 0, SLIDING = 3, STATES = 6 };

typedef struct rubbing {
    int rub;
    br_ends ends;
    double z_next[BR_MAX_SLIDING], v[BR_MAX_SLIDING], force[BR_MAX_SLIDING], normal;
    br_turning turning;
} rubbing;

static double form_of(br_wrench form, br_wrench R) {
    return br_vec3_dot(form.force, R.force) + br_vec3_dot(form.torque, R.torque);
}

// N and its derivative by each row's force.
double br_rub_load_by(const br_pad *pad, br_wrench R, const br_joint_rows *rows, double *by) {
    double N = pad->preload;
    for (int r = 0; rows && r < rows->rows; r++) by[r] = 0.0;
    for (int k = 0; k < pad->norms; k++) {
        const br_pad_norm *norm = &pad->norm[k];
        double value[3], size = 0.0;
        for (int i = 0; i < norm->forms; i++)
            value[i] = form_of(norm->form[i], R), size = br_hypot(size, value[i]);
        N += size;
        for (int r = 0; rows && size > 0.0 && r < rows->rows; r++)
            for (int i = 0; i < norm->forms; i++)
                by[r] += value[i] / size * form_of(norm->form[i], rows->unit_F[r]);
    }
    return N;
}

br_pad br_rub_pad(br_implicit *f, const br_rub *rub, const br_span *s) {
    const br_model_joint *joint = &f->sim->model->joint[rub->joint];
    if (joint->type != BR_JOINT_UNIVERSAL) return rub->pad;
    br_pad pads[BR_MAX_PADS];
    br_joint_pads(joint->type, joint->parameter, joint->friction, br_mat3_tmul(s->E1, s->N1), NULL, pads);
    return pads[rub->which];
}

// What a unit along D does to the two nodes.
void br_rub_wrenches(const br_span *s, br_wrench D, br_wrench *on_a, br_wrench *on_b) {
    const br_wrench T = br_wrench_of(br_mat3_mul_vec(s->E, D.torque), br_mat3_mul_vec(s->E, D.force));
    *on_b = br_wrench_of(br_vec3_add(T.torque, br_vec3_cross(s->r_b, T.force)), T.force);
    *on_a =
        br_wrench_of(br_vec3_neg(br_vec3_add(T.torque, br_vec3_cross(br_vec3_add(s->r_a, s->d), T.force))),
                     br_vec3_neg(T.force));
}

// The step of what is at rest at its end.
static void at_rest(const br_implicit *f, const br_element *e, const br_friction_params *law, int n,
                    br_lugre_step *step) {
    const double none[BR_MAX_SLIDING] = {0.0};
    double mean[BR_MAX_SLIDING];
    for (int d = 0; d < n; d++) mean[d] = f->half == 1.0 ? 0.5 * e->state[SLIDING + d] : 0.0;
    br_lugre_advance(law, n, mean, none, e->state + BRISTLE, f->h, step);
}

static void friction_evaluate(br_implicit *f, br_element *e) {
    rubbing *p = e->data;
    const br_rub *rub = &f->sim->frictions->rub[p->rub];
    const br_span s = br_span_of(f, &p->ends);
    const br_pad pad = br_rub_pad(f, rub, &s);
    const int n = pad.directions, joint = f->joint_element[rub->joint];
    const br_joint_rows *rows = joint >= 0 ? f->element[joint].data : NULL;
    br_wrench G[BR_MAX_SLIDING][2];
    br_lugre_step step;
    int stands = 0;
    double mean[BR_MAX_SLIDING], by_row[6] = {0.0}, slope[BR_MAX_SLIDING * BR_MAX_SLIDING];
    for (int d = 0; d < n; d++) {
        br_rub_wrenches(&s, pad.D[d], &G[d][0], &G[d][1]);
        p->v[d] = br_twist_dot(br_node_at(f, p->ends.a)->rate, G[d][0]) +
                  br_twist_dot(br_node_at(f, p->ends.b)->rate, G[d][1]);
        mean[d] = f->half == 1.0 ? 0.5 * (e->state[SLIDING + d] + p->v[d]) : p->v[d];
    }
    p->normal = br_rub_load_by(&pad, br_joint_reaction_F(f, rub->joint), rows, by_row);
    if (f->still) { // equilibrium is without friction
        memset(p->force, 0, sizeof p->force);
        return;
    }
    if (f->instant) { // of the start: bristles as they are
        double mu[BR_MAX_SLIDING], rate[BR_MAX_SLIDING];
        br_friction_at(&rub->law, n, p->v, e->state + BRISTLE, mu, rate);
        memcpy(step.mu, mu, sizeof mu), memcpy(step.mu_end, mu, sizeof mu);
        memcpy(p->z_next, e->state + BRISTLE, sizeof p->z_next);
        memset(slope, 0, sizeof slope);
        if (!f->projecting)
            memcpy(e->state + SLIDING, p->v, sizeof p->v); // what the first step's mean begins with
    } else {
        br_lugre_advance(&rub->law, n, mean, p->v, e->state + BRISTLE, f->h, &step);
        memcpy(p->z_next, step.z_f, sizeof p->z_next);
        stands = br_implicit_turns(f, &p->turning, n, p->v);
        if (stands) at_rest(f, e, &rub->law, n, &step);
        for (int k = 0; k < n * n; k++)
            slope[k] = f->half == 1.0 ? 0.5 * step.mu_end_v[k] + step.mu_end_v_end[k] : step.mu_v[k];
    }
    const double *mu = f->half == 1.0 ? step.mu_end : step.mu;
    for (int d = 0; d < n; d++) {
        double along = mu[d]; // of what slides to and fro, its tangent at rest
        for (int c = 0; stands && c < n; c++) along += slope[d * n + c] * p->v[c];
        p->force[d] = -p->normal * along;
        br_push(f, p->ends.a, br_wrench_scale(p->force[d], G[d][0]), BR_BOOK_FRICTION);
        br_push(f, p->ends.b, br_wrench_scale(p->force[d], G[d][1]), BR_BOOK_FRICTION);
        if (!f->tangent) continue;
        for (int c = 0; c < n; c++) {
            const br_wrench by[2] = {br_rate_by(f, br_node_at(f, p->ends.a), G[c][0]),
                                     br_rate_by(f, br_node_at(f, p->ends.b), G[c][1])};
            br_tangent_outer(f, e, G[d], -p->normal * slope[d * n + c], by);
        }
        for (int r = 0; e->slots > 2 && rows && r < rows->rows; r++)
            for (int a = 0; a < 2; a++)
                if (by_row[r] != 0.0)
                    br_tangent_by_row(f, e, a, 2, r, br_wrench_scale(-mu[d] * by_row[r], G[d][a]));
    }
}

// What channels read. Also of the start, which is no step.
static void friction_tell(br_implicit *f, const br_element *e) {
    const rubbing *p = e->data;
    br_rub_state *now = &f->sim->frictions->now[p->rub];
    memcpy(now->z, p->z_next, sizeof p->z_next);
    memcpy(now->force, p->force, sizeof p->force);
    now->normal = p->normal, now->known = BR_RUB_OF_INSTANT, now->mode = BR_RUB_FOLLOWS;
}

static void accept(br_implicit *f, br_element *e) {
    const rubbing *p = e->data;
    memcpy(e->state + BRISTLE, p->z_next, sizeof p->z_next);
    memcpy(e->state + SLIDING, p->v, sizeof p->v);
    friction_tell(f, e);
}

static double wish(br_implicit *f, br_element *e, int *why) { // [BauchauJu2006 eq. 33]
    const rubbing *p = e->data;
    const br_friction_params *law = &f->sim->frictions->rub[p->rub].law;
    const br_adaptive_settings *s = &f->sim->model->settings.solver.adaptive;
    const double rate = br_lugre_rate(law);
    if (!s->friction || !(rate > 0.0) || p->normal == 0.0) return INFINITY;
    double speed = 0.0;
    for (int d = 0; d < f->sim->frictions->rub[p->rub].pad.directions; d++) speed = br_hypot(speed, p->v[d]);
    const double nu = speed / law->v_stribeck / s->v_min;
    const double h = s->dtau_min / rate * (nu > 1.0 ? br_pow(nu, s->friction_alpha) : 1.0);
    *why = BR_LIMIT_FRICTION;
    f->control->h_friction = fmin(f->control->h_friction, h);
    return h;
}

const br_element_kind br_element_friction = {
    .name = "friction",
    .evaluate = friction_evaluate,
    .accept = accept,
    .wish = wish,
    .tell = friction_tell,
    .is = BR_ELEMENT_OF_NODES | BR_ELEMENT_UNSWAYED,
};

br_status br_elements_frictions(br_implicit *f, br_error *error) {
    const br_frictions *frictions = f->sim->frictions;
    (void)error;
    for (int i = 0; frictions && i < frictions->count; i++) {
        const int joint = frictions->rub[i].joint;
        const br_model_joint *j = &f->sim->model->joint[joint];
        if (br_bounds_count(f) && br_friction_is_set_valued(&frictions->rub[i].law))
            continue; // element_stick.c
        rubbing *p = BR_TAKE(f->arena, rubbing, 1);
        if (!p) return BR_NO_MEMORY;
        p->rub = i;
        p->ends = br_ends_of(f, j->first, j->second, j->X_AF, j->X_BM);
        const int nodes[2] = {p->ends.a, p->ends.b};
        br_element *e = br_element_add(f, &br_element_friction, joint, nodes, 2, -1, 0, STATES);
        if (!e) return BR_NO_MEMORY;
        e->data = p;
        if (f->joint_element[joint] >= 0 &&
            br_element_share(f, e, &f->element[f->joint_element[joint]]) != BR_OK)
            return BR_NO_MEMORY;
    }
    return BR_OK;
}
