// An instant of a simulation as dense equations in absolute coordinates, see friction/balance.h: six per link, of planar models
// the three in the plane. Columns: rows of tree joints (their complement T) and of the exact groups, then limits that are held,
// then friction along each direction of every rub, then contacts (normal, tangents): of a state those that touch, within the reference
// stepper those that it holds.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "linalg/symmetric.h"
#include "sim/contact/contact.h"
#include "sim/contact/play.h"
#include "sim/friction/balance_springs.h"
#include "sim/friction/dense.h"
#include "sim/rows/group.h"
#include "sim/stepper/reference/contact.h"
#include "tree/spatial.h"

#define BR_EPS_MASSLESS 1e-9    // of a body's largest entry of M: what it gets where it has none, that is,
#define BR_EPS_NO_MASS 1e-15    // at most this part of it,
#define BR_EPS_NO_INERTIA 1e-12 // and of an inertia, which is a difference of what is about another point
#define BR_EPS_TOUCHING 1e-9    // of the smaller shape: a gap that counts as closed

void br_dense_destroy(br_sim *sim) {
    if (!sim->dense) return;
    br_arena arena = sim->dense->arena;
    br_arena_free(&arena);
    sim->dense = NULL;
}

static int rub_count(const br_sim *sim) {
    return sim->frictions ? sim->frictions->count : 0;
}

// Six for every joint, of which its rows may carry some.
static int count_readings(const br_sim *sim) {
    return 6 * sim->model->joints;
}

static int count_forms(const br_sim *sim) {
    int forms = count_readings(sim);
    for (int i = 0; i < rub_count(sim); i++)
        for (int k = 0; k < sim->frictions->rub[i].pad.norms; k++)
            forms += sim->frictions->rub[i].pad.norm[k].forms;
    return forms;
}

// Room for so many rows, touches and limits; anew when there is not enough.
static br_status make_room(br_sim *sim, int rows, int touches, int limits, br_error *error) {
    const int links = sim->model->tree.links, directions = sim->frictions ? sim->frictions->directions : 0;
    struct br_dense *d = sim->dense;
    if (d && d->rows >= rows && d->touches >= touches && d->limits >= limits) return BR_OK;
    if (d) touches = touches + touches / 2 + 8;
    br_dense_destroy(sim);
    br_arena arena;
    br_arena_init(&arena, &sim->allocator);
    d = BR_TAKE(&arena, struct br_dense, 1);
    if (!d) return br_no_memory(error, "no memory for the balance of forces");
    d->rows = rows, d->touches = touches, d->limits = limits;
    d->per_link = sim->model->settings.planar == BR_SPATIAL ? 6 : 3;
    if (d->per_link == 3) {
        const br_mat3 basis = br_tangent_basis(sim->model->normal);
        d->e1 = br_vec3_of(basis.m[0][0], basis.m[1][0], basis.m[2][0]);
        if (fabs(br_vec3_dot(d->e1, sim->model->normal)) > 0.5)
            d->e1 = br_vec3_of(basis.m[0][1], basis.m[1][1], basis.m[2][1]);
        d->e2 = br_vec3_cross(sim->model->normal, d->e1);
    }
    const int n = d->per_link * links, columns = rows + 2 * limits + directions + 3 * touches,
              pads = rub_count(sim) + touches + limits, forms = count_forms(sim);
    br_balance *b = &d->balance;
    b->A = BR_TAKE(&arena, double, (size_t)n *(size_t)columns);
    b->M = BR_TAKE(&arena, double, (size_t)n *(size_t)n);
    b->Q = BR_TAKE(&arena, double, n);
    b->a = BR_TAKE(&arena, double, n);
    b->gamma = BR_TAKE(&arena, double, columns);
    b->weight = BR_TAKE(&arena, double, columns);
    b->x = BR_TAKE(&arena, double, columns);
    b->pad = BR_TAKE(&arena, br_balance_pad, pads);
    b->reading = BR_TAKE(&arena, br_balance_reading, count_readings(sim));
    b->name = br_arena_take(&arena, (size_t)columns, sizeof *b->name);
    b->parameter = br_arena_take(&arena, (size_t)columns, sizeof *b->parameter);
    b->power = BR_TAKE(&arena, double, columns);
    d->transposed = BR_TAKE(&arena, double, (size_t)(6 * links) * (size_t)rows);
    d->row = BR_TAKE(&arena, br_absolute_row, rows);
    d->F = BR_TAKE(&arena, br_wrench, links);
    d->form = BR_TAKE(&arena, double, (size_t)forms *(size_t)columns);
    d->aim = BR_TAKE(&arena, double, 4 * (size_t)columns);
    d->pad_name = br_arena_take(&arena, (size_t)pads, sizeof *d->pad_name);
    d->work = br_balance_work_create(&arena, n, columns, pads);
    const int complete = b->A && b->M && b->Q && b->a && b->gamma && b->weight && b->x && b->pad &&
                         b->reading && b->name && b->parameter && b->power && d->transposed && d->row &&
                         d->F && d->form && d->aim && d->pad_name && d->work;
    d->arena = arena;
    if (!complete) {
        br_arena_free(&arena);
        return br_no_memory(error, "no memory for the balance of forces");
    }
    b->n = n;
    sim->dense = d;
    return BR_OK;
}

// --- vectors over the links --------------------------------------------------------------------------------

static br_twist axis_of(const br_sim *sim, const struct br_dense *d, int c) {
    const br_vec3 unit = br_vec3_of(c % 3 == 0, c % 3 == 1, c % 3 == 2), none = br_vec3_zero();
    if (d->per_link == 6) return c < 3 ? br_twist_of(unit, none) : br_twist_of(none, unit);
    return c == 0 ? br_twist_of(sim->model->normal, none) : br_twist_of(none, c == 1 ? d->e1 : d->e2);
}

// A body without inertia about some axis (a slender rod about its own) gets a little about it, by its largest: the axes are those of its
// inertia about the centre of mass, whichever way it points. One without mass gets a little by the lightest of the others.
static void support_massless(const br_sim *sim, struct br_dense *d) {
    const br_tree *tree = &sim->model->tree;
    br_balance *b = &d->balance;
    double least = INFINITY;
    for (int r = 0; r < b->n; r++)
        if (b->M[r * (b->n + 1)] > 0.0) least = fmin(least, b->M[r * (b->n + 1)]);
    if (!isfinite(least)) least = 1.0;
    for (int i = 0; i < tree->links; i++) {
        double *block = b->M + d->per_link * i * (b->n + 1), own = 0.0;
        const int turns = d->per_link == 6 ? 3 : 1;
        for (int r = 0; r < d->per_link; r++) own = fmax(own, block[r * (b->n + 1)]);
        for (int r = turns; r < d->per_link; r++)
            if (block[r * (b->n + 1)] <= BR_EPS_NO_MASS * own)
                block[r * (b->n + 1)] += BR_EPS_MASSLESS * (own > 0.0 ? own : least);
        double I[9], turn[9], value[3], largest = 0.0;
        const double mass = block[turns * (b->n + 1)];
        for (int r = 0; r < turns; r++)
            for (int c = 0; c < turns;
                 c++) { // about the centre of mass: I - H H^T/m, H the block that couples
                I[r * turns + c] = block[r * b->n + c];
                for (int k = turns; k < d->per_link; k++)
                    I[r * turns + c] -= block[r * b->n + k] * block[c * b->n + k] / mass;
            }
        for (int r = 0; r < turns; r++) largest = fmax(largest, block[r * (b->n + 1)]);
        const double little = BR_EPS_MASSLESS * (largest > 0.0 ? largest : least);
        br_symmetric_eigen(turns, I, turn, value);
        for (int k = 0; k < turns; k++)
            for (int r = 0; r < turns && value[k] <= BR_EPS_NO_INERTIA * largest; r++)
                for (int c = 0; c < turns; c++)
                    block[r * b->n + c] += little * turn[k * turns + r] * turn[k * turns + c];
    }
}

static void fill_masses(br_sim *sim, struct br_dense *d) {
    const br_tree *tree = &sim->model->tree;
    br_balance *b = &d->balance;
    memset(b->M, 0, (size_t)b->n * (size_t)b->n * sizeof *b->M);
    for (int i = 0; i < tree->links; i++)
        for (int c = 0; c < d->per_link; c++) {
            const br_wrench F = br_rigid_momentum(tree->link[i].mass, sim->work.moment[i],
                                                  &sim->work.inertia[i], axis_of(sim, d, c));
            br_dense_put(sim, d, i, F, 1.0, b->M + d->per_link * i + c, b->n);
        }
    for (int k = 0; k < tree->nv; k++) {
        if (!(tree->armature[k] > 0.0)) continue;
        double *reader = b->a; // scratch
        memset(reader, 0, (size_t)b->n * sizeof *reader);
        memset(d->F, 0, (size_t)tree->links * sizeof *d->F);
        br_absolute_reader(sim, k, 1.0, d->F);
        for (int i = 0; i < tree->links; i++) br_dense_put(sim, d, i, d->F[i], 1.0, reader, 1);
        for (int r = 0; r < b->n; r++)
            for (int c = 0; c < b->n; c++) b->M[r * b->n + c] += tree->armature[k] * reader[r] * reader[c];
    }
    support_massless(sim, d);
}

static void fill_loads(br_sim *sim, struct br_dense *d) {
    memset(d->balance.Q, 0, (size_t)d->balance.n * sizeof *d->balance.Q);
    br_absolute_loads(sim, d->F);
    for (int i = 0; i < sim->model->tree.links; i++) br_dense_put(sim, d, i, d->F[i], 1.0, d->balance.Q, 1);
}

// --- bilateral rows ----------------------------------------------------------------------------------------

static int t_of_row(const br_sim *sim, const br_absolute_row *row) {
    return row->link >= 0 ? row->row : sim->model->loop[row->group->element].row[row->group_row];
}

// The complement T of a joint at its present pose, F axes at M.
static void complement_of(const br_sim *sim, int joint, br_joint_motion *motion) {
    const br_model_joint *j = &sim->model->joint[joint];
    const br_relative x = br_sim_relative(sim, j, 0);
    double q[BR_MAX_JOINT_Q];
    j->kind->measure(j->parameter, x.R_FM, x.p_FM, q);
    j->kind->pose(j->parameter, q, motion);
    j->kind->complement(j->parameter, q, motion);
}

static int part_of(br_wrench T) {
    const double v[] = {T.force.x, T.force.y, T.force.z, T.torque.x, T.torque.y, T.torque.z};
    int best = 0;
    for (int k = 1; k < 6; k++)
        if (fabs(v[k]) > fabs(v[best]) + 1e-9) best = k;
    return best;
}

// t: which of the joint's T; -1: friction.
static void weigh(const br_sim *sim, br_balance *b, int c, int joint, int part, int t) {
    const br_redundancy *rule = &sim->model->redundancy;
    const br_model_joint *j = &sim->model->joint[joint];
    if (rule->kind == BR_REDUNDANCY_COMPLIANCE && part < 6) {
        b->weight[c] = part < 3 ? j->compliance_translation : j->compliance_rotation;
        b->power[c] = b->weight[c] > 0.0;
        if (b->weight[c] > 0.0)
            snprintf(b->parameter[c], sizeof b->parameter[c], "%.48s.compliance%s", j->name,
                     part < 3 ? "" : ".rotation");
    }
    for (int k = 0; rule->kind == BR_REDUNDANCY_ELIMINATE && k < rule->count; k++)
        if (rule->row[k].joint == joint && (t >= 0 ? rule->row[k].row == t : rule->row[k].part == part))
            b->weight[c] = 1.0;
}

static const char *const row_parts[] = {".force.x",  ".force.y",  ".force.z",
                                        ".torque.x", ".torque.y", ".torque.z"};
static const char *const friction_parts[] = {".friction.0", ".friction.1", ".friction.2"};

// As "%.{most}s%s" would, at a fiftieth of its price: every evaluation of a stepper names its columns.
static void name_column(char (*to)[72], const char *first, size_t most, const char *second) {
    size_t used = 0;
    for (; used < most && first[used]; used++) (*to)[used] = first[used];
    for (; *second && used < sizeof *to - 1; second++) (*to)[used++] = *second;
    (*to)[used] = '\0';
}

static void fill_rows(br_sim *sim, struct br_dense *d, int rows) {
    br_balance *b = &d->balance;
    br_joint_motion motion;
    int last = -1; // rows of a joint come one after the other
    br_absolute_rows(sim, d->transposed, d->row);
    for (int c = 0; c < rows; c++) {
        br_dense_clear(b, c);
        for (int i = 0; i < sim->model->tree.links; i++) {
            const double *from = d->transposed + (size_t)(6 * i) * (size_t)rows + (size_t)c;
            const br_wrench F = br_wrench_of(br_vec3_of(from[0], from[rows], from[2 * rows]),
                                             br_vec3_of(from[3 * rows], from[4 * rows], from[5 * rows]));
            br_dense_put(sim, d, i, F, 1.0, b->A + c, b->columns);
        }
        const int joint = br_absolute_row_joint(sim, &d->row[c]);
        if (joint < 0) {
            name_column(&b->name[c], br_group_name(sim, d->row[c].group), 71, "");
            b->driven |= (d->row[c].group->kind->is & BR_GROUP_PRESCRIBED) != 0;
            continue;
        }
        if (joint != last) complement_of(sim, joint, &motion);
        last = joint;
        const int t = t_of_row(sim, &d->row[c]), part = part_of(motion.T[t]);
        name_column(&b->name[c], sim->model->joint[joint].name, 60, row_parts[part]);
        weigh(sim, b, c, joint, part, t);
    }
    br_absolute_wanted(sim, b->gamma);
}

// One row of a group that is not among the exact ones.
static void fill_group_row(br_sim *sim, struct br_dense *d, const br_group *g, int row, double factor,
                           int c) {
    const br_tree *tree = &sim->model->tree;
    br_balance *b = &d->balance;
    memset(d->F, 0, (size_t)tree->links * sizeof *d->F);
    for (int e = 0; e < g->entries; e++) {
        const int link = g->link[e];
        br_wrench_add_scaled(&d->F[link], factor, &g->F[row * g->entries + e]);
    }
    for (int k = 0; k < g->dofs; k++) {
        br_absolute_reader(sim, g->dof[k], factor * g->coefficient[row * g->dofs + k], d->F);
    }
    br_dense_clear(b, c);
    for (int i = 0; i < tree->links; i++) br_dense_put(sim, d, i, d->F[i], 1.0, b->A + c, b->columns);
    name_column(&b->name[c], br_group_name(sim, g), 64, ".limit");
}

// --- pads --------------------------------------------------------------------------------------------------

// Parts of `form` along the rows of the pad's joint.
static void fill_form(br_sim *sim, struct br_dense *d, int rows, int joint, br_wrench form, double *to) {
    br_joint_motion motion;
    complement_of(sim, joint, &motion);
    memset(to, 0, (size_t)d->balance.columns * sizeof *to);
    for (int c = 0; c < rows; c++) {
        if (br_absolute_row_joint(sim, &d->row[c]) != joint) continue;
        const br_wrench T = motion.T[t_of_row(sim, &d->row[c])];
        to[c] = br_vec3_dot(form.force, T.force) + br_vec3_dot(form.torque, T.torque);
    }
}

static double wrench_part(br_wrench F, int k) {
    return br_vec3_get(k < 3 ? F.force : F.torque, k % 3);
}

// Components of the reactions of all joints as their channels have them: on the second body, in the joint's frame there (M). A
// component that no row carries is left out.
static void fill_readings(br_sim *sim, struct br_dense *d, int rows) {
    br_balance *b = &d->balance;
    b->readings = 0;
    for (int j = 0; j < sim->model->joints; j++) {
        if (!sim->model->joint[j].kind || sim->model->joint[j].tendon >= 0) continue;
        const br_relative x = br_sim_relative(sim, &sim->model->joint[j], 0);
        br_joint_motion motion;
        complement_of(sim, j, &motion);
        for (int k = 0; k < 6; k++) {
            double *form = d->form + (size_t)d->forms * (size_t)b->columns, most = 0.0, all = 0.0;
            memset(form, 0, (size_t)b->columns * sizeof *form);
            for (int c = 0; c < rows; c++) {
                if (br_absolute_row_joint(sim, &d->row[c]) != j) continue;
                const br_wrench T = motion.T[t_of_row(sim, &d->row[c])];
                const br_wrench T_M =
                    br_wrench_of(br_mat3_tmul_vec(x.R_FM, T.torque), br_mat3_tmul_vec(x.R_FM, T.force));
                form[c] = wrench_part(T_M, k);
                most = fmax(most, fabs(form[c]));
                all = fmax(all, fmax(br_vec3_max_abs(T.force), br_vec3_max_abs(T.torque)));
            }
            if (!(most > 1e-9 * all)) continue;
            br_balance_reading *to = &b->reading[b->readings++];
            name_column(&to->name, sim->model->joint[j].name, 60, row_parts[k]);
            to->form = form;
            d->forms++;
        }
    }
}

// What A_c^T a must be so that the slip's rate is zero: of tree joints what velocity products alone make of it.
static double rub_gamma(br_sim *sim, const br_rub *rub, int k) {
    const br_relative x = br_sim_relative(sim, &sim->model->joint[rub->joint], 1);
    return br_relative_gamma(&x, rub->pad.D[k], 0.0);
}

static void fill_rub(br_sim *sim, struct br_dense *d, int rows, int i, int *column) {
    br_balance *b = &d->balance;
    br_rub *rub = &sim->frictions->rub[i];
    const br_rub_state *s = &sim->frictions->now[i];
    const br_model_joint *joint = &sim->model->joint[rub->joint];
    const br_redundancy *rule = &sim->model->redundancy;
    br_balance_pad *p = &b->pad[b->pads++];
    *p = (br_balance_pad){.name = rub->name,
                          .joint = rub->joint,
                          .directions = rub->pad.directions,
                          .column = *column,
                          .normal = -1,
                          .norms = rub->pad.norms,
                          .preload = rub->pad.preload,
                          .mu_static = br_friction_limit(&rub->law),
                          .mu_kinetic = rub->law.mu_kinetic};
    for (int k = 0; k < rub->pad.directions; k++, ++*column) {
        br_wrench second, first;
        br_dense_clear(b, *column);
        br_rub_wrench(sim, rub, k, &second, &first);
        if (joint->second >= 0) br_dense_put(sim, d, joint->second, second, 1.0, b->A + *column, b->columns);
        if (joint->first >= 0) br_dense_put(sim, d, joint->first, first, 1.0, b->A + *column, b->columns);
        b->gamma[*column] = rub_gamma(sim, rub, k);
        b->x[*column] = s->force[k];
        weigh(sim, b, *column, rub->joint, BR_ROW_FRICTION + rub->first + k, -1);
        if (rule->kind == BR_REDUNDANCY_COMPLIANCE && rub->compliance > 0.0) {
            b->weight[*column] = rub->compliance, b->power[*column] = 1.0;
            snprintf(b->parameter[*column], sizeof b->parameter[*column], "%.44s.friction.compliance",
                     joint->name);
        }
        p->velocity[k] = rub->velocity[k];
        if (rub->pad.directions > 1)
            name_column(&b->name[*column], rub->name, 58, friction_parts[k]);
        else
            name_column(&b->name[*column], rub->name, 60, ".friction");
    }
    br_rub_motion(sim, i, p);
    for (int n = 0; n < rub->pad.norms; n++) {
        const br_pad_norm *norm = &rub->pad.norm[n];
        p->norm[n].forms = norm->forms;
        for (int c = 0; c < norm->forms; c++) {
            double *to = d->form + (size_t)(d->forms++) * (size_t)b->columns;
            fill_form(sim, d, rows, rub->joint, norm->form[c], to);
            p->norm[n].form[c] = to;
        }
    }
}

static void fill_touch_column(br_sim *sim, struct br_dense *d, const br_touch *t, br_vec3 direction, int c) {
    br_dense_clear(&d->balance, c);
    for (int side = 0; side < 2; side++) {
        const int link = side ? t->link_b : t->link_a;
        if (link >= 0)
            br_dense_put(sim, d, link, br_touch_wrench(sim, t, direction, side), 1.0, d->balance.A + c,
                         d->balance.columns);
    }
}

static br_vec3 spin_of(const br_sim *sim, int link) {
    return link < 0 ? br_vec3_zero() : sim->work.motion[link].V.angular;
}

// Joints with play are no pads of their own normal force.
static int is_pad(const br_sim *sim, const br_touch *t) {
    if (br_touch_play(sim, t)) return 0;
    const double size = br_shapes_size(sim->model, t->shape_a, t->shape_b);
    return t->f_n > 0.0 || t->gap <= BR_EPS_TOUCHING * size;
}

// What A_c^T a must be along `direction` so that the velocities of the two points in contact stay together.
static double touch_gamma(const br_sim *sim, const br_touch *t, br_vec3 direction) {
    br_vec3 inward[2];
    for (int side = 0; side < 2; side++) {
        const int link = side ? t->link_b : t->link_a;
        const br_vec3 w = spin_of(sim, link);
        const br_vec3 arm = link < 0 ? br_vec3_zero() : br_vec3_sub(t->point, sim->work.pose[link].p_WL);
        inward[side] = br_vec3_cross(w, br_vec3_cross(w, arm));
    }
    return -br_vec3_dot(direction, br_vec3_sub(inward[0], inward[1]));
}

static void fill_touch(br_sim *sim, struct br_dense *d, const br_touch *t, int *column) {
    br_balance *b = &d->balance;
    const br_pair_def *pair = &sim->model->contact->pair[t->pair];
    const int planar = sim->model->settings.planar != BR_SPATIAL;
    br_balance_pad *p = &b->pad[b->pads];
    char *name = d->pad_name[b->pads++];
    br_touch_name(sim, t, name, BR_MAX_EVENT_NAME);
    *p = (br_balance_pad){.name = name,
                          .joint = -1,
                          .directions = pair->mu_static > 0.0 ? (planar ? 1 : 2) : 0,
                          .normal = *column,
                          .column = *column + 1,
                          .mu_static = pair->mu_static,
                          .mu_kinetic = pair->mu_kinetic};
    const br_vec3 u = br_touch_velocity(sim, t, NULL);
    fill_touch_column(sim, d, t, t->normal, *column);
    b->gamma[*column] = touch_gamma(sim, t, t->normal);
    b->x[*column] = t->f_n;
    name_column(&b->name[*column], name, 62, ".normal");
    for (int k = 0; k < p->directions; k++) {
        const int c = *column + 1 + k;
        fill_touch_column(sim, d, t, t->tangent[k], c);
        b->gamma[c] = touch_gamma(sim, t, t->tangent[k]);
        b->x[c] = br_vec3_dot(t->f_t, t->tangent[k]);
        p->velocity[k] = br_vec3_dot(u, t->tangent[k]);
        name_column(&b->name[c], name, 58, friction_parts[k]);
    }
    for (int k = 0; k < p->directions && isfinite(pair->bristle_stiffness); k++) {
        const int c = *column + 1 + k;
        b->weight[c] = 1.0 / (pair->bristle_stiffness * fmax(t->share, 1e-3)), b->power[c] = -1.0;
        snprintf(b->parameter[c], sizeof b->parameter[c], "%.30s/%.30s.k_T", pair->first, pair->second);
    }
    if (pair->compliance && pair->compliance_stiffness > 0.0) {
        b->weight[*column] = 1.0 / pair->compliance_stiffness, b->power[*column] = -1.0;
        snprintf(b->parameter[*column], sizeof b->parameter[*column], "%.28s/%.28s.compliance", pair->first,
                 pair->second);
    }
    br_touch_motion(sim, t, b, p);
    *column += 1 + p->directions;
}

// --- contacts that the reference stepper holds

// While it moves: between its calls they may be of another state.
static int count_holds(const br_sim *sim) {
    const br_reference *r = sim->reference;
    return r && r->contact && r->moving ? r->contact->count : 0;
}

// What A_c^T a must be so that the contact's velocity along `direction` keeps its rate of zero.
static double hold_gamma(const br_sim *sim, const br_hold *h, br_vec3 direction, double own_rate) {
    return br_vec3_dot(direction, br_touch_velocity(sim, &h->touch, sim->A_products)) - own_rate;
}

static void fill_hold(br_sim *sim, struct br_dense *d, const br_hold *h, int *column) {
    br_balance *b = &d->balance;
    br_vec3 tangent[2];
    br_balance_pad *p = &b->pad[b->pads];
    char *name = d->pad_name[b->pads];
    br_touch_name(sim, &h->touch, name, BR_MAX_EVENT_NAME);
    const int tangents = br_hold_tangents(sim, h->touch.normal, tangent), bent = br_hold_is_bent(h);
    *p = (br_balance_pad){.name = name,
                          .joint = -1,
                          .directions = bent ? 0 : tangents,
                          .normal = h->rigid ? *column : -1,
                          .may_pull = 1,
                          .mu_static = h->pair->mu_static,
                          .mu_kinetic = h->pair->mu_kinetic};
    if (sim->frictions) sim->frictions->g[b->pads] = h->drag * h->f_n;
    b->pads++;
    if (h->rigid) {
        fill_touch_column(sim, d, &h->touch, h->touch.normal, *column);
        name_column(&b->name[*column], name, 62, ".normal");
        b->gamma[(*column)++] = hold_gamma(sim, h, h->touch.normal, h->u_n_rate);
    }
    p->column = *column;
    for (int k = 0; k < p->directions; k++, ++*column) {
        fill_touch_column(sim, d, &h->touch, tangent[k], *column);
        name_column(&b->name[*column], name, 58, friction_parts[k]);
        b->gamma[*column] = hold_gamma(sim, h, tangent[k], br_vec3_dot(tangent[k], br_hold_slip_rate(h)));
    }
}

void br_balance_take_holds(const br_sim *sim, br_pad_state *state) {
    int pad = rub_count(sim);
    for (int i = 0; i < count_holds(sim); i++) {
        const br_hold *h = &sim->reference->contact->hold[i];
        br_vec3 tangent[2];
        if (br_hold_is_known(h)) continue;
        br_pad_state *s = &state[pad++];
        *s = (br_pad_state){.mode = BR_PAD_STUCK};
        if (h->state == BR_CONTACT_STICKS) continue;
        s->mode = BR_PAD_LIMIT, s->factor = h->drag;
        const int n = br_hold_tangents(sim, h->touch.normal, tangent);
        for (int k = 0; k < n; k++) s->direction[k] = br_vec3_dot(h->direction, tangent[k]);
    }
}

// A joint with play presses with the force that its spring has: that is a load, and bounds its friction as a preload does.
static void fill_play(br_sim *sim, struct br_dense *d, const br_touch *t, int *column) {
    br_balance *b = &d->balance;
    const br_model_clearance *play = br_touch_play(sim, t);
    br_balance_pad *p = &b->pad[b->pads++];
    *p = (br_balance_pad){.name = play->name,
                          .joint = -1,
                          .directions = sim->model->settings.planar != BR_SPATIAL ? 1 : 2,
                          .normal = -1,
                          .column = *column,
                          .preload = t->f_n,
                          .mu_static = br_friction_limit(&play->friction),
                          .mu_kinetic = play->friction.mu_kinetic};
    const br_vec3 u = br_touch_velocity(sim, t, NULL);
    for (int k = 0; k < p->directions; k++, ++*column) {
        fill_touch_column(sim, d, t, t->tangent[k], *column);
        b->gamma[*column] = touch_gamma(sim, t, t->tangent[k]);
        b->x[*column] = br_vec3_dot(t->f_t, t->tangent[k]);
        p->velocity[k] = br_vec3_dot(u, t->tangent[k]);
        if (p->directions > 1)
            name_column(&b->name[*column], play->name, 58, friction_parts[k]);
        else
            name_column(&b->name[*column], play->name, 60, ".friction");
    }
    br_play_motion(sim, t, p);
}

static int play_rubs(br_sim *sim, int k, br_touch *t) {
    return sim->model->clearance[k].friction.law != BR_FRICTION_NONE && br_play_look(sim, k, t);
}

// A stop that carries force, or on which the joint stands: a contact without friction.
static int is_on_stop(br_sim *sim, br_group *g) {
    if (g->bound != BR_BOUND_LOWER) return 0;
    if (g->force[0] > 0.0) return 1;
    if (g->kind != &br_group_limit || g->entries > 0) return 0;
    const br_model_joint *joint = &sim->model->joint[g->element];
    const int k = g->coordinates[0].k;
    const double end = g->side > 0.0 ? joint->lower[k] : joint->upper[k];
    g->kind->fill(sim, g);
    return isfinite(end) && g->phi[0] <= BR_EPS_TOUCHING * fmax(fabs(end), sim->length_scale) &&
           fabs(br_group_velocity(g, 0, NULL, sim->v_eval)) <= BR_RUB_REST_SPEED;
}

static void fill_stop(br_sim *sim, struct br_dense *d, const br_group *g, int *column) {
    br_balance *b = &d->balance;
    br_balance_pad *p = &b->pad[b->pads];
    char *name = d->pad_name[b->pads++];
    snprintf(name, BR_MAX_EVENT_NAME, "%s", br_group_name(sim, g));
    fill_group_row(sim, d, g, 0, 1.0, *column);
    *p = (br_balance_pad){.name = name, .joint = -1, .normal = *column, .column = *column + 1};
    b->x[(*column)++] = g->force[0];
}

// --- the whole ---------------------------------------------------------------------------------------------

static br_status balance_begin(br_sim *sim, int touches, int limits, int springs, int *rows,
                               br_error *error) {
    if (!sim->absolute) {
        const br_status status = br_absolute_create(sim, error);
        if (status != BR_OK) return status;
    }
    *rows = br_absolute_rows(sim, NULL, NULL);
    return make_room(sim, *rows + springs, touches, limits, error);
}

br_status br_friction_balance(br_sim *sim, unsigned what, br_balance **out, br_balance_work **work,
                              br_error *error) {
    const br_reference *r = sim->reference;
    const int contacts = (what & BR_BALANCE_CONTACTS) != 0,
              springs = what & BR_BALANCE_SPRINGS ? br_balance_springs(sim) : 0;
    int touches = 0, rubbing = 0, plays = 0, stops = 0, held = 0, rows = 0, holds = 0, normals = 0, bent = 0;
    br_touch play;
    for (int k = 0; contacts && sim->contacts && k < sim->contacts->count; k++)
        if (is_pad(sim, &sim->contacts->touch[k])) {
            touches++;
            rubbing += sim->model->contact->pair[sim->contacts->touch[k].pair].mu_static > 0.0;
        }
    for (int k = 0; contacts && k < sim->model->clearances; k++) plays += play_rubs(sim, k, &play);
    for (int g = 0; contacts && g < sim->groups; g++) stops += is_on_stop(sim, &sim->group[g]);
    for (int i = 0; !contacts && r && i < r->limits; i++) held += r->on[i];
    for (int i = 0; !contacts && i < count_holds(sim); i++) {
        holds += !br_hold_is_known(&r->contact->hold[i]);
        normals += r->contact->hold[i].rigid;
        bent += r->contact->hold[i].rigid && br_hold_is_bent(&r->contact->hold[i]);
    }
    br_status status =
        balance_begin(sim, touches + plays + holds, stops + (r ? r->limits : 0), springs, &rows, error);
    if (status != BR_OK) return status;
    struct br_dense *d = sim->dense;
    br_balance *b = &d->balance;
    const int directions = sim->frictions ? sim->frictions->directions : 0,
              tangents = sim->model->settings.planar == BR_SPATIAL ? 2 : 1;
    b->bilateral = rows + held + springs,
    b->columns =
        b->bilateral + directions + touches + (rubbing + plays + holds - bent) * tangents + stops + normals;
    b->pads = 0, d->forms = 0, b->driven = 0, b->readings = 0;
    if (sim->frictions) br_frictions_look(sim);
    for (int g = 0; g < sim->exact.groups; g++)
        if (sim->exact.group[g]->kind->rate) sim->exact.group[g]->kind->rate(sim, sim->exact.group[g]);
    fill_masses(sim, d);
    fill_loads(sim, d);
    fill_rows(sim, d, rows);
    if (contacts) fill_readings(sim, d, rows);
    int column = rows;
    for (int i = 0; !contacts && r && i < r->limits; i++) {
        if (!r->on[i]) continue;
        fill_group_row(sim, d, r->limit[i], 0, 1.0, column);
        b->gamma[column++] = r->limit[i]->gamma[0];
    }
    if (springs > 0) br_balance_fill_springs(sim, d, &column);
    for (int i = 0; i < rub_count(sim); i++) fill_rub(sim, d, rows, i, &column);
    if (holds > 0) br_sim_find_products(sim);
    for (int i = 0; holds > 0 && i < count_holds(sim); i++)
        if (!br_hold_is_known(&r->contact->hold[i])) fill_hold(sim, d, &r->contact->hold[i], &column);
    for (int k = 0; contacts && sim->contacts && k < sim->contacts->count; k++)
        if (is_pad(sim, &sim->contacts->touch[k])) fill_touch(sim, d, &sim->contacts->touch[k], &column);
    for (int k = 0; contacts && k < sim->model->clearances; k++)
        if (play_rubs(sim, k, &play)) fill_play(sim, d, &play, &column);
    for (int g = 0; contacts && g < sim->groups; g++)
        if (is_on_stop(sim, &sim->group[g])) fill_stop(sim, d, &sim->group[g], &column);
    *out = b, *work = d->work;
    return BR_OK;
}

// --- of the state ------------------------------------------------------------------------------------------

static void take_accelerations(br_sim *sim, struct br_dense *d) {
    br_balance *b = &d->balance;
    memset(b->a, 0, (size_t)b->n * sizeof *b->a);
    for (int i = 0; i < sim->model->tree.links; i++) {
        const br_twist A = sim->work.A[i];
        const br_wrench as_wrench =
            br_wrench_of(A.angular, br_vec3_add(A.linear, sim->model->settings.gravity));
        br_dense_put(sim, d, i, as_wrench, 1.0, b->a, 1);
    }
}

br_status br_friction_balance_of_state(br_sim *sim, unsigned what, br_balance **out, br_balance_work **work,
                                       br_error *error) {
    br_status status;
    if (sim->frictions) br_frictions_apply(sim, -1.0);
    status = br_friction_balance(sim, what | BR_BALANCE_CONTACTS, out, work, error);
    if (sim->frictions) br_frictions_apply(sim, 1.0);
    if (status != BR_OK) return status;
    br_balance *b = *out;
    take_accelerations(sim, sim->dense);
    br_balance_roll_on(b);
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        if (p->joint >= 0) continue; // joint friction was left out above
        for (int c = p->normal < 0 ? p->column : p->normal; c < p->column + p->directions; c++)
            for (int r = 0; r < b->n; r++) b->Q[r] -= b->A[r * b->columns + c] * b->x[c];
    }
    br_pad_state *state = br_sim_take(sim, (size_t)b->pads * sizeof *state + 1);
    if (!state) return br_no_memory(error, "no memory for the balance of forces");
    br_held held;
    for (int i = 0; i < b->pads; i++) state[i] = (br_pad_state){.mode = BR_PAD_GIVEN};
    if (br_balance_hold(b, state, *work, &held) == BR_OK)
        memcpy(b->x, held.x0, (size_t)b->bilateral * sizeof *b->x);
    br_sim_give(sim, state);
    return BR_OK;
}

void br_balance_known(br_sim *sim, double *Q) {
    const br_tree *tree = &sim->model->tree;
    const struct br_dense *d = sim->dense;
    memset(Q, 0, (size_t)d->balance.n * sizeof *Q);
    for (int i = 0; i < tree->links; i++) d->F[i] = sim->wrench[i];
    for (int k = 0; k < tree->nv; k++)
        if (sim->tau[k] != 0.0) br_absolute_reader(sim, k, sim->tau[k], d->F);
    for (int i = 0; i < tree->links; i++) br_dense_put(sim, d, i, d->F[i], 1.0, Q, 1);
}

int br_balance_rows(br_sim *sim, const br_absolute_row **rows) {
    *rows = sim->dense->row;
    return br_absolute_rows(sim, NULL, NULL);
}

void br_balance_twists(const br_sim *sim, const double *a, br_twist *V) {
    const struct br_dense *d = sim->dense;
    for (int i = 0; i < sim->model->tree.links; i++, a += d->per_link) {
        if (d->per_link == 6)
            V[i] = br_twist_of(br_vec3_of(a[0], a[1], a[2]), br_vec3_of(a[3], a[4], a[5]));
        else
            V[i] = br_twist_of(br_vec3_scale(a[0], sim->model->normal),
                               br_vec3_add_scaled(br_vec3_scale(a[1], d->e1), a[2], d->e2));
    }
}

double *br_dense_lines(const br_sim *sim) {
    return sim->dense->aim;
}
