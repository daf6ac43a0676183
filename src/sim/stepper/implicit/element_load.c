// Loads: forces and torques as functions of time and state, springs between points, bushings, the user's own forces.
#include <string.h>

#include "sim/stepper/implicit/implicit.h"
#include "tree/spatial.h"

// --- forces, torques ---------------------------------------------------------------------------------------

typedef struct load {
    const br_model_load *def;
    br_ends ends; // force: of the body that it acts on, as b
    int index;
    double defect; // bushing: work of its turning springs beyond the change of their energy, J
} load;

static br_vec3 components(br_implicit *f, const br_model_load *def) {
    double c[3];
    for (int k = 0; k < 3; k++) c[k] = f->load_factor * br_implicit_value(f, def->component[k]);
    return br_vec3_of(c[0], c[1], c[2]);
}

static void evaluate_force(br_implicit *f, br_element *e) {
    const load *p = e->data;
    const br_model_load *def = p->def;
    const br_span s = br_span_of(f, &p->ends);
    const br_vec3 c = components(f, def);
    const int follows = def->in_body_axes;
    const br_vec3 F = follows ? br_mat3_mul_vec(s.N, c) : c, F1 = follows ? br_mat3_mul_vec(s.N1, c) : c;
    const int torque = def->type == BR_LOAD_TORQUE;
    br_push(f, p->ends.b, torque ? br_wrench_of(F, br_vec3_zero()) : br_wrench_of_force(F, s.r_b),
            BR_BOOK_INPUT);
    if (!f->tangent) return;
    const br_mat3 turned = br_mat3_scale(-f->half, br_mat3_skew(F1));
    if (torque) {
        if (follows) br_tangent(f, e, 0, 3, 0, 3, turned);
        return;
    }
    if (follows) {
        br_tangent(f, e, 0, 0, 0, 3, turned);
        br_tangent(f, e, 0, 3, 0, 3, br_mat3_mul(br_mat3_skew(s.r_b), turned));
    }
    br_tangent(f, e, 0, 3, 0, 3, br_mat3_scale(f->half, br_mat3_mul(br_mat3_skew(F), br_mat3_skew(s.r_b1))));
}

static const char *load_label(const br_model *model, int index) {
    return model->load[index].name;
}

const br_element_kind br_element_force = {
    .name = "force",
    .evaluate = evaluate_force,
    .is = BR_ELEMENT_OF_WORLD,
    .what = "load",
    .label = load_label,
};

// --- a spring along the line between two points ------------------------------------------------------------

// |d| at the step's start and end; over the step it changes by exactly d_mean/mean(|d|) . d(d).
static void evaluate_point_spring(br_implicit *f, br_element *e) {
    const load *p = e->data;
    const br_span s = br_span_of(f, &p->ends);
    const br_vec3 d0 = f->half == 1.0 ? s.d1 : br_vec3_sub(br_vec3_scale(2.0, s.d), s.d1);
    const double l0 = br_vec3_norm(d0), l1 = br_vec3_norm(s.d1), l = 0.5 * (l0 + l1);
    const br_measured what = {BR_MEASURE_DISTANCE, 0, 0, fmax(l, 1e-300)};
    br_measure m = br_measure_of(f, &s, &what, 0.0);
    const double rate = br_measure_rate(f, &p->ends, &m);
    const double elastic = -p->def->stiffness[0] * (l - f->sim->spring_length[p->index]);
    const double damper = -p->def->damping[0] * rate;
    br_push(f, p->ends.a, br_wrench_scale(elastic, m.G_a), BR_BOOK_ELASTIC);
    br_push(f, p->ends.b, br_wrench_scale(elastic, m.G_b), BR_BOOK_ELASTIC);
    br_push(f, p->ends.a, br_wrench_scale(damper, m.G_a), BR_BOOK_DAMPING);
    br_push(f, p->ends.b, br_wrench_scale(damper, m.G_b), BR_BOOK_DAMPING);
    if (!f->tangent) return;
    br_wrench rate_by[2], by[2];
    const br_wrench G[2] = {m.G_a, m.G_b}, end[2] = {m.G_a1, m.G_b1};
    const double force = elastic + damper, stretch = l1 > 0.0 ? l / l1 : 0.0;
    br_measure_rate_by(f, &p->ends, &m, &rate_by[0], &rate_by[1]);
    for (int k = 0; k < 2; k++) // the length of the direction changes too: - force/l dl
        by[k] = br_wrench_add(
            br_wrench_scale((-p->def->stiffness[0] - (l > 0.0 ? force / l : 0.0)) * f->half * stretch,
                            end[k]),
            br_wrench_scale(-p->def->damping[0], rate_by[k]));
    br_measure_tangent(f, e, 0, 1, &s, &what, force);
    br_tangent_outer(f, e, G, 1.0, by);
}

static double energy_point_spring(br_implicit *f, br_element *e) {
    const load *p = e->data;
    const br_span s = br_span_of(f, &p->ends);
    const double l = br_vec3_norm(s.d1) - f->sim->spring_length[p->index];
    return 0.5 * p->def->stiffness[0] * l * l;
}

const br_element_kind br_element_point_spring = {
    .name = "spring",
    .evaluate = evaluate_point_spring,
    .energy = energy_point_spring,
    .what = "spring",
    .label = load_label,
};

// --- bushings ----------------------------------------------------------------------------------------------

// Rotation vector of M in F and its gradients in world axes: g_k . (psi_b - psi_a) is the change of component k.
static br_vec3 rotation(br_mat3 E, br_mat3 N, br_vec3 g[3]) {
    const br_vec3 r = br_quat_log(br_quat_from_mat3(br_mat3_tmul(E, N)));
    const br_mat3 J = br_mat3_transpose(br_rotation_jacobian_inverse(r));
    for (int k = 0; k < 3; k++) g[k] = br_mat3_mul_vec(E, br_mat3_column(J, k));
    return r;
}

static br_mat3 start_of(const br_implicit *f, br_mat3 mean, br_mat3 end) {
    return f->half == 1.0 ? end : br_mat3_sub(br_mat3_scale(2.0, mean), end);
}

static void bushing_row(br_implicit *f, br_element *e, load *p, int k, const br_measure *m, double y) {
    const double rate = br_measure_rate(f, &p->ends, m);
    const double elastic = -p->def->stiffness[k] * y, damper = -p->def->damping[k] * rate;
    const br_wrench G[2] = {m->G_a, m->G_b}, end[2] = {m->G_a1, m->G_b1};
    br_wrench rate_by[2], by[2];
    br_push(f, p->ends.a, br_wrench_scale(elastic, G[0]), BR_BOOK_ELASTIC);
    br_push(f, p->ends.b, br_wrench_scale(elastic, G[1]), BR_BOOK_ELASTIC);
    br_push(f, p->ends.a, br_wrench_scale(damper, G[0]), BR_BOOK_DAMPING);
    br_push(f, p->ends.b, br_wrench_scale(damper, G[1]), BR_BOOK_DAMPING);
    if (!f->tangent) return;
    br_measure_rate_by(f, &p->ends, m, &rate_by[0], &rate_by[1]);
    for (int c = 0; c < 2; c++)
        by[c] = br_wrench_add(br_wrench_scale(-p->def->stiffness[k] * f->half, end[c]),
                              br_wrench_scale(-p->def->damping[k], rate_by[c]));
    br_tangent_outer(f, e, G, 1.0, by);
}

// What a moment along gradient k, held by the spring, changes by when the ends turn. Steps leave it out, as it is small beside
// the spring; stability has it. By differences of the gradient alone, exact to 1e-10 of the moment.
static void turning_gradient(br_implicit *f, br_element *e, const br_span *s, int k, double moment) {
    const double h = 1e-5;
    for (int end = 0; end < 2; end++) {
        br_mat3 by = br_mat3_zero();
        for (int c = 0; c < 3; c++) {
            br_vec3 g[2][3];
            for (int side = 0; side < 2; side++) {
                const br_mat3 turn =
                    br_quat_to_mat3(br_quat_exp(br_vec3_scale(side ? -h : h, br_vec3_unit(c))));
                rotation(end == 0 ? br_mat3_mul(turn, s->E1) : s->E1,
                         end == 1 ? br_mat3_mul(turn, s->N1) : s->N1, g[side]);
            }
            const br_vec3 d = br_vec3_scale(moment / (2.0 * h), br_vec3_sub(g[0][k], g[1][k]));
            by.m[0][c] = d.x, by.m[1][c] = d.y, by.m[2][c] = d.z;
        }
        br_tangent(f, e, 1, 3, end, 3, by);
        br_tangent(f, e, 0, 3, end, 3, br_mat3_scale(-1.0, by));
    }
}

static void evaluate_bushing(br_implicit *f, br_element *e) {
    load *p = e->data;
    p->defect = 0.0;
    const br_span s = br_span_of(f, &p->ends);
    br_vec3 g0[3], g1[3];
    const br_vec3 r1 = rotation(s.E1, s.N1, g1);
    const br_vec3 r0 = f->half == 1.0 ? r1 : rotation(start_of(f, s.E, s.E1), start_of(f, s.N, s.N1), g0);
    for (int k = 0; k < 6; k++) {
        if (p->def->stiffness[k] == 0.0 && p->def->damping[k] == 0.0) continue;
        br_measure m = {0};
        double y;
        if (k < 3) {
            const br_measured what = {BR_MEASURE_POINT, k, 0, 0.0};
            m = br_measure_of(f, &s, &what, 0.0);
            y = 0.5 * (m.y0 + m.y1);
            if (f->tangent) br_measure_tangent(f, e, 0, 1, &s, &what, -p->def->stiffness[k] * y);
        } else { // the mean of both gradients: its work differs from the potential's in third order, booked as scheme
            const br_vec3 g =
                f->half == 1.0 ? g1[k - 3] : br_vec3_scale(0.5, br_vec3_add(g0[k - 3], g1[k - 3]));
            m.G_b = br_wrench_of(g, br_vec3_zero()), m.G_a = br_wrench_of(br_vec3_neg(g), br_vec3_zero());
            m.G_b1 = br_wrench_of(g1[k - 3], br_vec3_zero());
            m.G_a1 = br_wrench_of(br_vec3_neg(g1[k - 3]), br_vec3_zero());
            y = 0.5 * (br_vec3_get(r0, k - 3) + br_vec3_get(r1, k - 3));
        }
        bushing_row(f, e, p, k, &m, y);
        if (k >= 3 && f->tangent && f->still && y != 0.0)
            turning_gradient(f, e, &s, k - 3, -p->def->stiffness[k] * y);
        if (k < 3 || f->half == 1.0) continue;
        const double change = br_vec3_get(r1, k - 3) - br_vec3_get(r0, k - 3);
        p->defect += p->def->stiffness[k] * y * (f->h * br_measure_rate(f, &p->ends, &m) - change);
    }
}

static void accept_bushing(br_implicit *f, br_element *e) {
    f->defect += ((const load *)e->data)->defect;
}

static double energy_bushing(br_implicit *f, br_element *e) {
    const load *p = e->data;
    const br_span s = br_span_of(f, &p->ends);
    const br_vec3 d = br_mat3_tmul_vec(s.E1, s.d1),
                  r = br_quat_log(br_quat_from_mat3(br_mat3_tmul(s.E1, s.N1)));
    double twice = 0.0;
    for (int k = 0; k < 3; k++)
        twice += p->def->stiffness[k] * br_vec3_get(d, k) * br_vec3_get(d, k) +
                 p->def->stiffness[3 + k] * br_vec3_get(r, k) * br_vec3_get(r, k);
    return 0.5 * twice;
}

const br_element_kind br_element_bushing = {
    .name = "bushing",
    .evaluate = evaluate_bushing,
    .accept = accept_bushing,
    .energy = energy_bushing,
    .what = "bushing",
    .label = load_label,
};

// --- the user's own ----------------------------------------------------------------------------------------

static void push_effort(br_implicit *f, int joint, int k, double effort) {
    const br_model_joint *j = &f->sim->model->joint[joint];
    br_measured what;
    if (effort == 0.0 || !br_measured_coordinate(j, k, &what)) return;
    const br_ends ends = br_ends_of(f, j->first, j->second, j->X_AF, j->X_BM);
    const br_span s = br_span_of(f, &ends);
    const br_measure m = br_measure_of(f, &s, &what, 0.0);
    br_push(f, ends.a, br_wrench_scale(effort, m.G_a), BR_BOOK_INPUT);
    br_push(f, ends.b, br_wrench_scale(effort, m.G_b), BR_BOOK_INPUT);
}

static void evaluate_user(br_implicit *f, br_element *e) {
    br_sim *sim = f->sim;
    const br_model *m = sim->model;
    (void)e;
    if (!sim->callback) return;
    br_sim_refresh(sim, 2);
    memset(sim->user_wrench, 0, (size_t)m->bodies * sizeof *sim->user_wrench);
    memset(sim->user_effort, 0, (size_t)m->tree.nv * sizeof *sim->user_effort);
    for (int b = 0; b < m->bodies; b++)
        sim->body_pose[b] = br_sim_body_pose(sim, b), sim->body_twist[b] = br_sim_body_twist(sim, b);
    const br_force_view view = {f->t, sim->state.q, sim->state.v, sim->body_pose, sim->body_twist};
    sim->callback(sim->callback_context, &view, sim->user_wrench, sim->user_effort);
    for (int b = 0; b < m->bodies; b++) {
        const int node = m->body[b].link;
        const br_vec3 arm = br_vec3_sub(sim->body_pose[b].position, f->node[node].x1);
        br_push(f, node, br_wrench_shift(sim->user_wrench[b], arm), BR_BOOK_INPUT);
    }
    for (int j = 0; j < m->joints; j++)
        for (int k = 0; m->joint[j].link >= 0 && k < m->joint[j].kind->nv; k++)
            push_effort(f, j, k, sim->user_effort[m->joint[j].v_at + k]);
}

const br_element_kind br_element_user = {
    .name = "user", .evaluate = evaluate_user, .is = BR_ELEMENT_OF_NODES};

br_status br_elements_loads(br_implicit *f, br_error *error) {
    const br_model *m = f->sim->model;
    (void)error;
    for (int i = 0; i < m->loads; i++) {
        const br_model_load *def = &m->load[i];
        load *p = BR_TAKE(f->arena, load, 1);
        if (!p) return BR_NO_MEMORY;
        p->def = def, p->index = i;
        const int single = def->type == BR_LOAD_FORCE || def->type == BR_LOAD_TORQUE;
        if (single && def->first < 0) continue; // on the world
        p->ends = single ? br_ends_of(f, -1, def->first, br_pose_identity(), def->X_A)
                         : br_ends_of(f, def->first, def->second, def->X_A, def->X_B);
        const int nodes[2] = {p->ends.a, p->ends.b};
        const br_element_kind *kind = single                        ? &br_element_force
                                      : def->type == BR_LOAD_SPRING ? &br_element_point_spring
                                                                    : &br_element_bushing;
        br_element *e = single ? br_element_add(f, kind, i, &p->ends.b, 1, -1, 0, 0)
                               : br_element_add(f, kind, i, nodes, 2, -1, 0, 0);
        if (!e) return BR_NO_MEMORY;
        e->data = p;
    }
    return br_element_add(f, &br_element_user, 0, NULL, 0, -1, 0, 0) ? BR_OK : BR_NO_MEMORY;
}
