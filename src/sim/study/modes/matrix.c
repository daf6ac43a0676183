// M, C, K over the nodes and the rows B, from the elements of the implicit stepper at rest, see modes/modes.h.
//
//     M     masses and inertias of the nodes, what beams couple between two of them, armatures along joints
//     K     the tangent of the elements at rest: stiffness, and forces whose directions turn with the nodes
//     C     what the tangent has beside K where rates follow moves at a chosen rate, per that rate
//
// Forces of rows are those that balance the elements best: at an equilibrium, exactly. Functions of joint coordinates and
// forces of a callback have no tangent: models with them get C and K by differences of the forces.
#include "sim/study/modes/modes.h"

#include <string.h>

#include "base/error.h"
#include "sim/stepper/implicit/element_beam.h"

#include <lapacke.h> // last: it brings complex.h

#define BR_DIFFERENCE_MOVE 1e-5 // of the length, or rad: central differences, error of its square
#define BR_NO_MASS 1e-200       // mass_move of a tangent without inertia; zero would be divided by
#define BR_EPS_DAMPING 1e-12    // of K: damping below this is rounding

static const char no_memory[] = "no memory for the modes";

double *br_linear_block(br_linear *l, br_mode_matrix which, int k, int j) {
    int *at = &l->pair_of[(size_t)k * (size_t)l->f->nodes + (size_t)j];
    if (*at == 0) {
        if (!BR_GROW(l->arena, l->pair, l->pairs, l->pair_capacity)) return NULL;
        l->pair[l->pairs] = (br_mode_pair){.k = k, .j = j};
        *at = ++l->pairs;
    }
    return l->pair[*at - 1].a[which];
}

void br_linear_apply(const br_linear *l, br_mode_matrix which, const double *x, double *y) {
    memset(y, 0, (size_t)l->n * sizeof *y);
    for (int p = 0; p < l->pairs; p++) {
        const br_mode_pair *pair = &l->pair[p];
        const double *from = x + 6 * (size_t)pair->j, *a = pair->a[which];
        double *to = y + 6 * (size_t)pair->k;
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++) to[r] += a[6 * r + c] * from[c];
    }
}

static void add3(double *block, int row, int column, double factor, br_mat3 M) {
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) block[6 * (row + r) + column + c] += factor * M.m[r][c];
}

// --- evaluation --------------------------------------------------------------------------------------------

void br_linear_stage(br_linear *l, br_stage stage) {
    br_implicit *f = l->f;
    f->instant = stage == BR_STAGE_ROWS;
    br_implicit_scheme(f, f->h);
    f->half = 1.0, f->scale = 1.0, f->mass_move = f->instant ? 1.0 : BR_NO_MASS;
    f->rate_move = stage == BR_STAGE_DAMPING ? BR_STAGE_RATE : 0.0;
    f->tangent = 1;
    f->still = 0; // rates follow moves
    br_implicit_look(f);
    f->still = 1; // elements leave friction and inertia out
    for (int b = 0; b < BR_BOOKS; b++) memset(f->book[b], 0, (size_t)f->nodes * sizeof *f->book[b]);
    memset(f->inertia, 0, (size_t)f->nodes * sizeof *f->inertia);
    memset(f->residual, 0, (size_t)f->unknowns * sizeof *f->residual);
    for (int i = 0; i < f->nodes; i++) f->node[i].pushed = 0.0;
    br_block_clear(f->matrix);
    if (!f->reads_state && !f->sim->callback) return;
    br_implicit_give_state(f);
    br_sim_variables(f->sim);
}

static void evaluate_elements(br_linear *l) {
    for (int k = 0; k < l->f->elements; k++) {
        br_element *e = &l->f->element[k];
        if (!l->skip[k]) e->kind->evaluate(l->f, e);
    }
}

// Rows of pins have no place in the stepper's matrix: only what their forces do when directions turn.
static void pin_tangents(br_linear *l) {
    for (int p = 0; p < l->pins; p++) {
        const br_mode_pin *pin = &l->pin[p];
        br_element *e = &l->f->element[pin->element];
        const br_span s = br_span_of(l->f, &pin->ends);
        br_measure_tangent(l->f, e, 0, 1, &s, &pin->what, pin->force);
    }
}

static void read_tangent(br_linear *l, br_mode_matrix which, int k, int j, const br_block_ref *ref) {
    double *out = br_linear_block(l, which, k, j);
    for (int r = 0; out && r < 6; r++)
        for (int c = 0; c < 6; c++) out[6 * r + c] = ref->value[r * ref->row_stride + c * ref->col_stride];
}

static void read_tangents(br_linear *l, br_mode_matrix which) {
    br_implicit *f = l->f;
    for (int i = 0; i < f->nodes; i++) read_tangent(l, which, i, i, &f->diagonal[i]);
    for (int q = 0; q < f->elements; q++) {
        const br_element *e = &f->element[q];
        for (int a = 0; a < e->slots; a++)
            for (int b = 0; b < e->slots; b++)
                if (e->slot[a].node >= 0 && e->slot[b].node >= 0 && e->slot[a].node != e->slot[b].node)
                    read_tangent(l, which, e->slot[a].node, e->slot[b].node, &e->ref[a * e->slots + b]);
    }
}

// Forces of all elements on the nodes, rows' included as far as they have any.
static void sum_forces(const br_linear *l, double *out) {
    const br_implicit *f = l->f;
    const br_vec3 g = br_vec3_scale(f->load_factor, f->sim->model->settings.gravity);
    for (int i = 0; i < f->nodes; i++) {
        br_wrench F = br_wrench_of(br_vec3_zero(), br_vec3_zero());
        for (int b = 0; b < BR_BOOKS; b++)
            if (b != BR_BOOK_GRAVITY) F = br_wrench_add(F, f->book[b][i]);
        if (!l->gravity_off) {
            F = br_wrench_add(F, f->book[BR_BOOK_GRAVITY][i]);
            F.force = br_vec3_add_scaled(F.force, f->node[i].mass, g);
        }
        const double part[6] = {F.force.x, F.force.y, F.force.z, F.torque.x, F.torque.y, F.torque.z};
        memcpy(out + 6 * (size_t)i, part, sizeof part);
    }
}

// --- mass --------------------------------------------------------------------------------------------------

// Node k has the linear momentum m u_j and the angular momentum J omega_j of node j, world axes. With e the axis,
//     force   m (x'' + 2 e x x' + e x (e x x))
//     torque  H' + e x H,  H = (1 + phi_k~) J (1 - phi_j~) (e + phi_j')
static void add_pair(br_linear *l, int k, int j, double m, br_mat3 J) {
    const br_mat3 E = br_mat3_skew(l->axis), one = br_mat3_identity();
    const br_mat3 JE = br_mat3_mul(J, E), EJ = br_mat3_mul(E, J),
                  H = br_mat3_skew(br_mat3_mul_vec(J, l->axis));
    double *M = br_linear_block(l, BR_MODE_M, k, j), *own = br_linear_block(l, BR_MODE_M, k, k);
    if (!M || !own) return;
    add3(br_linear_block(l, BR_MODE_M, k, j), 0, 0, m, one);
    add3(br_linear_block(l, BR_MODE_M, k, j), 3, 3, 1.0, J);
    add3(br_linear_block(l, BR_MODE_G, k, j), 0, 0, 2.0 * m, E);
    add3(br_linear_block(l, BR_MODE_G, k, j), 3, 3, 1.0, br_mat3_add(JE, EJ));
    add3(br_linear_block(l, BR_MODE_G, k, k), 3, 3, -1.0, H);
    add3(br_linear_block(l, BR_MODE_N, k, j), 0, 0, m, br_mat3_mul(E, E));
    add3(br_linear_block(l, BR_MODE_N, k, j), 3, 3, 1.0, br_mat3_mul(E, JE));
    add3(br_linear_block(l, BR_MODE_N, k, k), 3, 3, -1.0, br_mat3_mul(E, H));
}

static void add_outer(double *block, br_wrench a, br_wrench b, double factor) {
    const double x[6] = {a.force.x, a.force.y, a.force.z, a.torque.x, a.torque.y, a.torque.z};
    const double y[6] = {b.force.x, b.force.y, b.force.z, b.torque.x, b.torque.y, b.torque.z};
    for (int r = 0; r < 6; r++)
        for (int c = 0; c < 6; c++) block[6 * r + c] += factor * x[r] * y[c];
}

static void add_armature(br_linear *l, const br_model_joint *joint, int k) {
    br_measured what;
    if (!br_measured_coordinate(joint, k, &what)) return;
    const br_ends ends = br_ends_of(l->f, joint->first, joint->second, joint->X_AF, joint->X_BM);
    const br_span s = br_span_of(l->f, &ends);
    const br_measure m = br_measure_of(l->f, &s, &what, 0.0);
    const int node[2] = {ends.a, ends.b};
    const br_wrench G[2] = {m.G_a1, m.G_b1};
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            double *M = node[a] < 0 || node[b] < 0 ? NULL : br_linear_block(l, BR_MODE_M, node[a], node[b]);
            if (M) add_outer(M, G[a], G[b], joint->armature[k]);
        }
}

static void clear(br_linear *l, br_mode_matrix which) {
    for (int p = 0; p < l->pairs; p++) memset(l->pair[p].a[which], 0, sizeof l->pair[p].a[which]);
}

void br_linear_mass(br_linear *l) {
    br_implicit *f = l->f;
    clear(l, BR_MODE_M), clear(l, BR_MODE_G), clear(l, BR_MODE_N);
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        add_pair(l, i, i, n->mass, br_sym3_to_mat3(br_sym3_rotate(n->R1, n->inertia)));
    }
    for (int q = 0; q < f->elements; q++) {
        const br_element *e = &f->element[q];
        for (int k = 0; e->kind == &br_element_beam && k < 2; k++) {
            const int own = e->slot[k].node, other = e->slot[1 - k].node;
            const br_mat3 J =
                br_mat3_mul_t(br_mat3_mul(f->node[own].R1, br_beam_coupling(e, k)), f->node[other].R1);
            add_pair(l, own, other, 0.0, J); // translation is lumped
        }
    }
    const br_model *m = f->sim->model;
    for (int j = 0; j < m->joints; j++)
        for (int k = 0; m->joint[j].kind && k < m->joint[j].kind->nv; k++)
            if (m->joint[j].armature[k] > 0.0) add_armature(l, &m->joint[j], k);
}

// --- rows --------------------------------------------------------------------------------------------------

static void put_row(double *row, int node, br_wrench G) {
    const double part[6] = {G.force.x, G.force.y, G.force.z, G.torque.x, G.torque.y, G.torque.z};
    for (int c = 0; node >= 0 && c < 6; c++) row[6 * node + c] += part[c];
}

static void read_rows(br_linear *l) {
    int row = 0;
    for (int q = 0; q < l->f->elements; q++) {
        const br_element *e = &l->f->element[q];
        for (int r = 0; r < e->rows; r++, row++)
            for (int a = 0; a + 1 < e->slots; a++) {
                const br_block_ref *ref = &e->ref[(e->slots - 1) * e->slots + a];
                double *out = l->B + (size_t)row * (size_t)l->n +
                              6 * (size_t)(e->slot[a].node < 0 ? 0 : e->slot[a].node);
                for (int c = 0; e->slot[a].node >= 0 && c < 6; c++)
                    out[c] = ref->value[r * ref->row_stride + c * ref->col_stride];
            }
    }
    for (int p = 0; p < l->pins; p++, row++) {
        const br_mode_pin *pin = &l->pin[p];
        const br_span s = br_span_of(l->f, &pin->ends);
        const br_measure m = br_measure_of(l->f, &s, &pin->what, 0.0);
        put_row(l->B + (size_t)row * (size_t)l->n, pin->ends.a, m.G_a1);
        put_row(l->B + (size_t)row * (size_t)l->n, pin->ends.b, m.G_b1);
    }
}

// At the joint whose axis it is, as a drive would; else without angular momentum about the axis.
static void hold_turning(br_linear *l, double *row) {
    if (l->axis_joint >= 0) {
        const br_model_joint *joint = &l->f->sim->model->joint[l->axis_joint];
        put_row(row, joint->second, br_wrench_of(l->axis, br_vec3_zero()));
        put_row(row, joint->first, br_wrench_of(br_vec3_neg(l->axis), br_vec3_zero()));
        return;
    }
    br_linear_turning(l, l->work);
    br_linear_apply(l, BR_MODE_M, l->work, row);
}

// Turns in units of 1/length, each row of length 1.
static void scale_rows(br_linear *l) {
    for (int r = 0; r < l->rows; r++) {
        double *row = l->B + (size_t)r * (size_t)l->n, sum = 0.0;
        for (int k = 0; k < l->n; k++) {
            if (k % 6 >= 3) row[k] /= l->length;
            sum += row[k] * row[k];
        }
        l->row_size[r] = sum > 0.0 ? sqrt(sum) : 1.0;
        for (int k = 0; k < l->n; k++) row[k] /= l->row_size[r];
    }
}

br_status br_linear_rows(br_linear *l, br_error *error) {
    l->rows = l->f->row_count + l->pins + l->held;
    if (!l->B) {
        const size_t most = (size_t)l->rows + 1;
        l->B = BR_TAKE(l->arena, double, most *(size_t)l->n + 1);
        l->row_size = BR_TAKE(l->arena, double, most);
        if (!br_arena_ok(l->arena)) return br_no_memory(error, no_memory);
    }
    memset(l->B, 0, (size_t)l->rows * (size_t)l->n * sizeof *l->B);
    memset(l->f->lambda, 0, (size_t)l->f->row_count * sizeof *l->f->lambda);
    br_linear_stage(l, BR_STAGE_ROWS);
    evaluate_elements(l);
    read_rows(l);
    if (l->held) hold_turning(l, l->B + (size_t)(l->rows - 1) * (size_t)l->n);
    scale_rows(l);
    sum_forces(l, l->force);
    return BR_OK;
}

// The forces of rows that balance these best, the smallest of them where rows are redundant; what is left.
static br_status balance(br_linear *l, const double *force, double *left, br_error *error) {
    const size_t n = (size_t)l->n, rows = (size_t)l->rows, longest = n > rows ? n : rows;
    memcpy(left, force, n * sizeof *left);
    if (l->rows == 0 || l->n == 0) return BR_OK;
    double *A = BR_TAKE(l->scratch, double, n *rows), *x = BR_TAKE(l->scratch, double, longest);
    lapack_int *pivot = BR_TAKE(l->scratch, lapack_int, rows), rank = 0;
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    memcpy(A, l->B, n * rows * sizeof *A); // row-major B is B^T by columns
    for (int k = 0; k < l->n; k++) x[k] = -force[k] / (k % 6 >= 3 ? l->length : 1.0);
    if (LAPACKE_dgelsy(LAPACK_COL_MAJOR, l->n, l->rows, 1, A, l->n, x, (lapack_int)longest, pivot, 1e-9,
                       &rank) != 0)
        return br_fail(error, BR_NUMERICAL, "mode-failed", "the forces of %d rows were not found", l->rows);
    for (int r = 0; r < l->rows; r++) {
        for (int k = 0; k < l->n; k++)
            left[k] += l->B[(size_t)r * n + (size_t)k] * x[r] * (k % 6 >= 3 ? l->length : 1.0);
        const double lambda = x[r] / l->row_size[r];
        if (r < l->f->row_count)
            l->f->lambda[r] = lambda;
        else if (r < l->f->row_count + l->pins)
            l->pin[r - l->f->row_count].force = lambda;
    }
    return BR_OK;
}

// --- C and K -----------------------------------------------------------------------------------------------

static void forces_beside(br_linear *l, double *out) {
    br_linear_stage(l, BR_STAGE_ROWS);
    l->f->tangent = 0;
    evaluate_elements(l);
    sum_forces(l, out);
}

// Node j moved (or, of_rate, given a velocity) by d along coordinate c.
static void disturb(br_linear *l, int j, int c, double d, int of_rate) {
    br_node *n = &l->f->node[j];
    const br_vec3 by = br_vec3_scale(d, br_vec3_unit(c % 3));
    if (of_rate && c < 3)
        n->u1 = by;
    else if (of_rate)
        n->w1 = br_mat3_tmul_vec(n->R1, by);
    else if (c < 3)
        n->x1 = br_vec3_add(n->start->x, by);
    else
        n->q1 = br_quat_normalize(br_quat_mul(br_quat_exp(by), n->start->q));
}

static br_status by_differences(br_linear *l, br_error *error) {
    double *side[2] = {BR_TAKE(l->scratch, double, l->n), BR_TAKE(l->scratch, double, l->n)};
    if (!side[0] || !side[1]) return br_no_memory(error, no_memory);
    for (int column = 0; column < 2 * l->n; column++) {
        const int of_rate = column >= l->n, j = column % l->n / 6, c = column % 6;
        const double d = BR_DIFFERENCE_MOVE * (c < 3 ? l->length : 1.0);
        const br_node kept = l->f->node[j];
        for (int s = 0; s < 2; s++) {
            disturb(l, j, c, s == 0 ? d : -d, of_rate);
            forces_beside(l, side[s]);
            l->f->node[j] = kept;
        }
        for (int r = 0; r < l->n; r++) {
            const double slope = -(side[0][r] - side[1][r]) / (2.0 * d);
            if (slope == 0.0) continue;
            double *block = br_linear_block(l, of_rate ? BR_MODE_C : BR_MODE_K, r / 6, j);
            if (!block) return br_no_memory(error, no_memory);
            block[6 * (r % 6) + c] = slope;
            if (of_rate) l->damped = 1;
        }
    }
    return BR_OK;
}

// C from K + BR_STAGE_RATE C.
static void separate_damping(br_linear *l) {
    l->damped = 0;
    for (int p = 0; p < l->pairs; p++) {
        double *C = l->pair[p].a[BR_MODE_C], largest = 0.0;
        const double *K = l->pair[p].a[BR_MODE_K];
        for (int k = 0; k < 36; k++) largest = fmax(largest, fabs(K[k]));
        for (int k = 0; k < 36; k++) {
            const double c = C[k] - K[k];
            C[k] = fabs(c) > BR_EPS_DAMPING * largest ? c / BR_STAGE_RATE : 0.0;
            if (C[k] != 0.0) l->damped = 1;
        }
    }
}

br_status br_linear_stiffness(br_linear *l, br_error *error) {
    const br_status status = balance(l, l->force, l->unbalanced, error);
    if (status != BR_OK) return status;
    if (l->f->reads_state || l->f->sim->callback) return by_differences(l, error);
    br_linear_stage(l, BR_STAGE_STIFFNESS);
    evaluate_elements(l), pin_tangents(l);
    read_tangents(l, BR_MODE_K);
    br_linear_stage(l, BR_STAGE_DAMPING);
    evaluate_elements(l), pin_tangents(l);
    read_tangents(l, BR_MODE_C);
    separate_damping(l);
    return BR_OK;
}

static void begin_elements(br_implicit *f) {
    for (int q = 0; q < f->elements; q++)
        if (f->element[q].kind->begin) f->element[q].kind->begin(f, &f->element[q]);
}

// K where the nodes have moved by `factor` y from `from` and rows hold `factor` times the centrifugal forces of 1 rad/s.
static br_status stiffness_beside(br_linear *l, const br_node *from, const double *y,
                                  const double *centrifugal, double factor, br_mode_matrix which,
                                  br_error *error) {
    br_implicit *f = l->f;
    for (int i = 0; i < f->nodes; i++) {
        const double *d = y + 6 * (size_t)i;
        f->node[i].x1 = br_vec3_add_scaled(from[i].x1, factor, br_vec3_of(d[0], d[1], d[2]));
        f->node[i].q1 =
            br_quat_mul(br_quat_exp(br_vec3_scale(factor, br_vec3_of(d[3], d[4], d[5]))), from[i].q1);
    }
    br_linear_stage(l, BR_STAGE_ROWS);
    br_implicit_shift(f);
    begin_elements(f);
    br_status status = br_linear_rows(l, error);
    for (int k = 0; k < l->n; k++) l->force[k] += factor * centrifugal[k];
    if (status == BR_OK) status = balance(l, l->force, l->work, error);
    if (status != BR_OK) return status;
    br_linear_stage(l, BR_STAGE_STIFFNESS);
    evaluate_elements(l), pin_tangents(l);
    read_tangents(l, which);
    for (int i = 0; i < f->nodes; i++) {
        const double *u = l->work + 6 * (size_t)i;
        double *block = br_linear_block(l, which, i, i);
        add3(block, 0, 3, -1.0, br_mat3_skew(br_vec3_of(u[0], u[1], u[2])));
        add3(block, 3, 3, -1.0, br_mat3_skew(br_vec3_of(u[3], u[4], u[5])));
    }
    return BR_OK;
}

// What centrifugal forces do to the stiffness, to first order in the square of the spin: joints hold masses off the axis,
// tension stiffens blades. The shape changes by y per unit of spin^2, and K is differenced along it. Forces that neither
// rows nor y hold are taken to be held by something that turns with their node, so that turning as a whole stays free.
br_status br_linear_lift(br_linear *l, const double *y, double step, br_error *error) {
    br_implicit *f = l->f;
    br_node *kept = br_nodes_copy(f, l->scratch);
    double *centrifugal = BR_TAKE(l->scratch, double, l->n + 1);
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    br_linear_centrifugal(l, centrifugal);
    br_status status = stiffness_beside(l, kept, y, centrifugal, step, BR_MODE_LIFT, error);
    if (status == BR_OK) status = stiffness_beside(l, kept, y, centrifugal, -step, BR_MODE_SIDE, error);
    for (int p = 0; p < l->pairs; p++)
        for (int k = 0; k < 36; k++) {
            double *a = l->pair[p].a[BR_MODE_LIFT];
            a[k] = (a[k] - l->pair[p].a[BR_MODE_SIDE][k]) / (2.0 * step);
        }
    br_nodes_restore(f, kept);
    begin_elements(f);
    return status == BR_OK ? br_linear_rows(l, error) : status;
}

// --- preparing ---------------------------------------------------------------------------------------------

static void put_at_rest(br_implicit *f) {
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->u1 = n->w1 = n->a1 = n->b1 = n->alpha1 = n->beta1 = br_vec3_zero();
    }
    br_implicit_shift(f);
}

static br_status find_clearance(const br_linear *l, const char *name, int *first, int *last,
                                br_error *error) {
    const br_model *m = l->f->sim->model;
    const size_t length = strlen(name);
    *first = -1;
    for (int i = 0; i < m->clearances; i++) {
        const char *own = m->clearance[i].name;
        // A journal is two spatial ones, NAME.a and NAME.b.
        const int half = strncmp(own, name, length) == 0 &&
                         (strcmp(own + length, ".a") == 0 || strcmp(own + length, ".b") == 0);
        if (strcmp(own, name) != 0 && !half) continue;
        if (*first < 0) *first = i;
        *last = i;
    }
    if (*first >= 0) return BR_OK;
    return br_fail(error, BR_INVALID, "mode-pin", "there is no clearance '%s' to pin; the model has %d: %s",
                   name, m->clearances, m->clearances > 0 ? m->clearance[0].name : "none");
}

static br_status add_pins(br_linear *l, const br_modes_def *def, br_error *error) {
    const br_model *m = l->f->sim->model;
    l->pin = BR_TAKE(l->arena, br_mode_pin, 3 * m->clearances + 1);
    if (!l->pin) return br_no_memory(error, no_memory);
    for (int p = 0; p < def->pinned_count; p++) {
        int first = -1, last = -1;
        const br_status status = find_clearance(l, def->pinned[p], &first, &last, error);
        if (status != BR_OK) return status;
        for (int i = first; i <= last; i++) {
            const br_model_clearance *c = &m->clearance[i];
            const int element = l->f->first_clearance + i;
            if (l->skip[element]) continue; // named twice
            l->skip[element] = 1;
            for (int k = 0; k < (c->type == BR_CLEARANCE_SPHERICAL ? 3 : 2); k++)
                l->pin[l->pins++] = (br_mode_pin){element,
                                                  br_ends_of(l->f, c->first, c->second, c->X_AF, c->X_BM),
                                                  {BR_MEASURE_POINT, k, 0, 0.0},
                                                  0.0};
        }
    }
    return BR_OK;
}

br_status br_linear_allocate(br_linear *l, br_error *error) {
    br_implicit *f = l->f;
    const size_t nodes = (size_t)f->nodes;
    l->n = 6 * f->nodes;
    l->length = f->length;
    l->pair_of = BR_TAKE(l->arena, int, nodes *nodes + 1);
    l->skip = BR_TAKE(l->arena, unsigned char, f->elements + 1);
    l->force = BR_TAKE(l->arena, double, l->n + 1), l->unbalanced = BR_TAKE(l->arena, double, l->n + 1);
    l->work = BR_TAKE(l->arena, double, l->n + 1);
    if (!br_arena_ok(l->arena)) return br_no_memory(error, no_memory);
    for (int i = 0; i < f->nodes; i++)
        if (!br_linear_block(l, BR_MODE_M, i, i)) return br_no_memory(error, no_memory);
    for (int q = 0; q < f->elements; q++) {
        const br_element *e = &f->element[q];
        for (int a = 0; a < e->slots; a++)
            for (int b = 0; b < e->slots; b++)
                if (e->slot[a].node >= 0 && e->slot[b].node >= 0 &&
                    !br_linear_block(l, BR_MODE_M, e->slot[a].node, e->slot[b].node))
                    return br_no_memory(error, no_memory);
        l->skip[q] =
            (e->kind->is & BR_ELEMENT_UNSWAYED) || (e->kind == &br_element_user && !f->sim->callback);
    }
    return BR_OK;
}

br_status br_linear_prepare(br_linear *l, const br_modes_def *def, br_error *error) {
    br_implicit *f = l->f;
    const br_status status = br_linear_allocate(l, error);
    if (status != BR_OK) return status;
    br_implicit_take_state(f);
    put_at_rest(f);
    f->decaying = f->still = f->projecting = 0, f->load_factor = 1.0;
    f->t = f->t_end = f->sim->state.at->t;
    br_linear_stage(l, BR_STAGE_ROWS);
    begin_elements(f);
    return add_pins(l, def, error);
}
