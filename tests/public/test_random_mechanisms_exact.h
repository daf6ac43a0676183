// The balance of a mechanism at rest, written down from points and axes alone: absolute coordinates, long
// double, elimination with
// complete pivoting. Shares nothing with the library but its definitions of loads and directions (model.h).
//
//     A x = M a - Q,   x = x_0 + Z alpha,   |f_i| <= mu_i N_i(x)
//
// A rank counts only with a gap: pivots of columns of length 1 above CLEAR, or below NOTHING. What lies
// between is nobody's to decide,
// and the mechanism is made anew.
#ifndef TEST_RANDOM_MECHANISMS_EXACT_H
#define TEST_RANDOM_MECHANISMS_EXACT_H

#include "test_random_mechanisms_make.h"

enum { EX_ROWS = 6 * MAX_BODIES, EX_COLUMNS = 5 * MAX_JOINTS + MAX_DIRECTIONS, EX_NULL = 40, EX_FORMS = 6 };

#define CLEAR 2e-4L    // steppers damp what is within about 3e-5 of a singular pose
#define NOTHING 1e-11L // poses are doubles: dependent columns cancel to about 1e-15

typedef struct ex_norm {
    int forms;
    br_wrench form[3]; // on the joint's reaction, F axes at the joint's point
} ex_norm;

typedef struct ex_pad {
    int joint, directions, column;
    char name[24];
    br_wrench D[3];
    double arm[3]; // from the force to what is shown: the torque of pins, balls and threads
    int norms;
    ex_norm norm[4];
    double preload, mu_static, mu_kinetic;
} ex_pad;

typedef struct exact {
    const mechanism *m;
    int per_body, n, columns, bilateral;
    long double A[EX_ROWS][EX_COLUMNS]; // torques over the size of the mechanism
    br_wrench basis[EX_COLUMNS];        // of bilateral columns: F axes
    int joint[EX_COLUMNS];
    int pads;
    ex_pad pad[MAX_JOINTS];
    double Q[EX_ROWS], M[EX_ROWS][EX_ROWS];
    // found
    int unclear;
    int rank, nullity, permanent_rank, permanent_nullity, freedom,
        loose;                     // loose: motions that friction does not hold
    double Z[EX_NULL][EX_COLUMNS]; // orthonormal over columns of length 1
    double length[EX_COLUMNS];
    double x0[EX_COLUMNS], residual;
    double u[EX_ROWS];          // the motion, freedom 1
    double a[EX_ROWS];          // with all friction holding
    double free_slip;           // m/s^2, the largest without any friction
    double hardness;            // the smallest of those that are not held
    double softness;            // 1/kg, slip that a unit of friction makes
    double planted[EX_COLUMNS]; // forces that the loads were made from
} exact;

// --- columns
// --------------------------------------------------------------------------------------------------

static br_wrench push(int axis) {
    return br_wrench_of(br_vec3_zero(), br_vec3_unit(axis));
}

static br_wrench twirl(int axis) {
    return br_wrench_of(br_vec3_unit(axis), br_vec3_zero());
}

// What a wrench (F axes, at the joint's point) does to the coordinates of one body.
static void put_on_body(exact *e, int column, int body, br_wrench w_F, const br_mat3 *R, br_vec3 point,
                        double sign) {
    if (body == WORLD) return;
    const mechanism *m = e->m;
    const br_vec3 force = br_mat3_mul_vec(*R, w_F.force);
    const br_vec3 arm = br_vec3_sub(point, m->body[body].com);
    const br_vec3 torque = br_vec3_add(br_mat3_mul_vec(*R, w_F.torque), br_vec3_cross(arm, force));
    const int at_row = e->per_body * body;
    if (e->per_body == 3) {
        e->A[at_row][column] += sign * br_vec3_dot(torque, m->n) / m->size;
        e->A[at_row + 1][column] += sign * br_vec3_dot(force, m->e1);
        e->A[at_row + 2][column] += sign * br_vec3_dot(force, m->e2);
        return;
    }
    for (int c = 0; c < 3; c++) {
        e->A[at_row + c][column] += sign * br_vec3_get(torque, c) / m->size;
        e->A[at_row + 3 + c][column] += sign * br_vec3_get(force, c);
    }
}

static br_mat3 axes_of(const mech_joint *j) {
    return br_mat3_of_columns(j->x, br_vec3_cross(j->z, j->x), j->z);
}

static br_wrench in_plane(const mechanism *m, const mech_joint *j, br_wrench w) {
    const br_vec3 n = br_mat3_tmul_vec(axes_of(j), m->n);
    return br_wrench_of(br_vec3_scale(br_vec3_dot(w.torque, n), n),
                        br_vec3_add_scaled(w.force, -br_vec3_dot(w.force, n), n));
}

static int wrench_is_nothing(br_wrench w) {
    return br_vec3_norm(w.force) + br_vec3_norm(w.torque) < 1e-9;
}

static void add_column(exact *e, int joint, br_wrench w) {
    const mech_joint *j = &e->m->joint[joint];
    const br_mat3 R = axes_of(j);
    if (e->per_body == 3) {
        w = in_plane(e->m, j, w);
        if (wrench_is_nothing(w)) return;
    }
    const int c = e->columns++;
    assert_true(e->columns <= EX_COLUMNS);
    e->basis[c] = w, e->joint[c] = joint;
    put_on_body(e, c, j->second, w, &R, j->point, 1);
    put_on_body(e, c, j->first, w, &R, j->point, -1);
}

static void add_rows(exact *e, int joint) {
    const mech_joint *j = &e->m->joint[joint];
    const double lead = j->pitch / (2 * BR_PI);
    if (j->type == BR_JOINT_DISTANCE) { // a line from point to far: its force acts at either
        const br_vec3 line = br_vec3_normalize(br_vec3_sub(j->far, j->point));
        add_column(e, joint, br_wrench_of(br_vec3_zero(), br_mat3_tmul_vec(axes_of(j), line)));
        return;
    }
    static const char *const rows[BR_JOINT_TYPES] = {
        // X, Y, Z: forces; x, y, z: torques
        [BR_JOINT_REVOLUTE] = "XYZxy", [BR_JOINT_PRISMATIC] = "XYxyz", [BR_JOINT_CYLINDRICAL] = "XYxy",
        [BR_JOINT_UNIVERSAL] = "XYZy", [BR_JOINT_SPHERICAL] = "XYZ",   [BR_JOINT_PLANAR] = "Zxy",
        [BR_JOINT_SCREW] = "XYxy",
    };
    for (const char *c = rows[j->type]; *c; c++)
        add_column(e, joint, *c < 'a' ? push(*c - 'X') : twirl(*c - 'x'));
    // A thread does no work: F_z lead omega + M_z omega = 0.
    if (j->type == BR_JOINT_SCREW)
        add_column(e, joint, br_wrench_of(br_vec3_of(0, 0, -lead), br_vec3_of(0, 0, 1)));
}

// --- pads, as model.h has them
// --------------------------------------------------------------------------------

static void add_norm(const exact *e, ex_pad *p, int forms, const br_wrench *form) {
    ex_norm *norm = &p->norm[p->norms];
    norm->forms = 0;
    for (int k = 0; k < forms; k++) {
        const br_wrench w = e->per_body == 3 ? in_plane(e->m, &e->m->joint[p->joint], form[k]) : form[k];
        if (!wrench_is_nothing(w)) norm->form[norm->forms++] = w;
    }
    p->norms += norm->forms > 0;
}

// The load of a pin or guide along a: |F| across it, or the two ends of its length, n = F/2 -+ (a x M)/L.
static void add_load_across(const exact *e, ex_pad *p, int a, double L) {
    const int b = (a + 1) % 3, c = (a + 2) % 3, planar = e->per_body == 3;
    const int pin_of_the_plane = planar && e->m->joint[p->joint].type == BR_JOINT_REVOLUTE;
    if (L == 0 || pin_of_the_plane) {
        const br_wrench form[2] = {push(b), push(c)};
        add_norm(e, p, 2, form);
        return;
    }
    for (int s = -1; s <= 1; s += 2) { // a x M = (-M_c) b + M_b c
        br_wrench form[2] = {br_wrench_scale(0.5, push(b)), br_wrench_scale(0.5, push(c))};
        form[0] = br_wrench_add(form[0], br_wrench_scale(-s / L, twirl(c)));
        form[1] = br_wrench_add(form[1], br_wrench_scale(s / L, twirl(b)));
        add_norm(e, p, 2, form);
    }
}

static void add_direction(ex_pad *p, br_wrench D, double arm) {
    p->D[p->directions] = D, p->arm[p->directions++] = arm;
}

static ex_pad *begin_pad(exact *e, int joint) {
    const br_friction_def *f = &e->m->joint[joint].friction;
    ex_pad *p = &e->pad[e->pads++];
    *p = (ex_pad){.joint = joint, .mu_static = f->mu_static, .mu_kinetic = f->mu_kinetic};
    p->preload = f->load_constant ? f->load : f->preload;
    snprintf(p->name, sizeof p->name, "j%d", joint);
    return p;
}

static void add_pin_pad(exact *e, int joint, int axis) {
    const br_friction_def *f = &e->m->joint[joint].friction;
    ex_pad *p = begin_pad(e, joint);
    const double radius = f->pin_radius > 0 ? f->pin_radius : 1;
    add_direction(p, br_wrench_scale(radius, twirl(axis)), radius);
    if (f->load_constant) return;
    add_load_across(e, p, axis, f->guide_length);
    const br_wrench axial = br_wrench_scale(f->friction_arm / radius, push(axis));
    if (f->friction_arm > 0) add_norm(e, p, 1, &axial);
}

static void add_pads(exact *e, int joint) {
    const mech_joint *j = &e->m->joint[joint];
    const br_friction_def *f = &j->friction;
    const br_wrench force[3] = {push(0), push(1), push(2)};
    const double radius = f->pin_radius > 0 ? f->pin_radius : 1;
    if (f->law == BR_FRICTION_NONE) return;
    if (j->type == BR_JOINT_REVOLUTE || j->type == BR_JOINT_UNIVERSAL) {
        add_pin_pad(e, joint, 2);
        if (j->type == BR_JOINT_REVOLUTE) return;
        strcat(e->pad[e->pads - 1].name, ".0");
        add_pin_pad(e, joint, 0);
        strcat(e->pad[e->pads - 1].name, ".1");
        return;
    }
    ex_pad *p = begin_pad(e, joint);
    const int follows = !f->load_constant;
    if (j->type == BR_JOINT_PRISMATIC || j->type == BR_JOINT_CYLINDRICAL) {
        add_direction(p, push(2), 1);
        if (j->type == BR_JOINT_CYLINDRICAL && f->pin_radius > 0)
            add_direction(p, br_wrench_scale(radius, twirl(2)), radius);
        if (follows) add_load_across(e, p, 2, f->guide_length);
        const br_wrench keys = br_wrench_scale(1 / f->friction_arm, twirl(2));
        if (follows && f->friction_arm > 0) add_norm(e, p, 1, &keys);
    } else if (j->type == BR_JOINT_SPHERICAL) {
        for (int k = 0; k < 3; k++) add_direction(p, br_wrench_scale(radius, twirl(k)), radius);
        if (follows) add_norm(e, p, 3, force);
    } else if (j->type == BR_JOINT_PLANAR) {
        add_direction(p, push(0), 1), add_direction(p, push(1), 1);
        if (f->friction_arm > 0)
            add_direction(p, br_wrench_scale(f->friction_arm, twirl(2)), f->friction_arm);
        if (follows) add_norm(e, p, 1, &force[2]);
    } else { // screw: sliding along the helix, its flank's normal across it
        const double lead = j->pitch / (2 * BR_PI), angle = atan2(lead, radius);
        if (f->pin_radius > 0)
            add_direction(p,
                          br_wrench_of(br_vec3_of(0, 0, radius * cos(angle)), br_vec3_of(0, 0, sin(angle))),
                          hypot(radius, lead));
        else
            add_direction(p, twirl(2), 1);
        const br_wrench flank = br_wrench_scale(1 / cos(angle), push(2));
        if (follows) add_norm(e, p, 1, &flank), add_norm(e, p, 2, force);
    }
}

// --- elimination
// ----------------------------------------------------------------------------------------------

typedef struct elimination {
    int rows, columns, rank;
    long double a[EX_ROWS + EX_COLUMNS][EX_ROWS + EX_COLUMNS + 1]; // the last column: right-hand side
    int of[EX_ROWS + EX_COLUMNS];                                  // which column is at place k
    int unclear;
    long double smallest; // pivot that counted
} elimination;

// Gauss and Jordan with complete pivoting: the first `rank` places become the identity.
static void eliminate(elimination *g) {
    const int last = g->columns;
    for (int c = 0; c < g->columns; c++) g->of[c] = c;
    g->rank = 0, g->unclear = 0, g->smallest = INFINITY;
    for (int k = 0; k < g->rows && k < g->columns; k++) {
        int row = k, column = k;
        for (int i = k; i < g->rows; i++)
            for (int c = k; c < g->columns; c++)
                if (fabsl(g->a[i][c]) > fabsl(g->a[row][column])) row = i, column = c;
        const long double pivot = g->a[row][column];
        if (fabsl(pivot) < CLEAR) {
            g->unclear = fabsl(pivot) > NOTHING;
            return;
        }
        for (int c = 0; c <= last; c++) {
            const long double t = g->a[row][c];
            g->a[row][c] = g->a[k][c], g->a[k][c] = t;
        }
        for (int i = 0; i < g->rows; i++) {
            const long double t = g->a[i][column];
            g->a[i][column] = g->a[i][k], g->a[i][k] = t;
        }
        const int t = g->of[column];
        g->of[column] = g->of[k], g->of[k] = t;
        for (int c = k; c <= last; c++) g->a[k][c] /= pivot;
        for (int i = 0; i < g->rows; i++) {
            const long double f = g->a[i][k];
            if (i == k || f == 0) continue;
            for (int c = k; c <= last; c++) g->a[i][c] -= f * g->a[k][c];
        }
        g->smallest = fminl(g->smallest, fabsl(pivot));
        g->rank++;
    }
}

// Null vector number q of the eliminated columns.
static void null_vector(const elimination *g, int q, long double *z) {
    for (int c = 0; c < g->columns; c++) z[c] = 0;
    z[g->of[g->rank + q]] = 1;
    for (int k = 0; k < g->rank; k++) z[g->of[k]] = -g->a[k][g->rank + q];
}

static void orthonormalize(int n, int count, long double (*z)[EX_ROWS + EX_COLUMNS]) {
    for (int k = 0; k < count; k++) {
        for (int turn = 0; turn < 2; turn++)
            for (int l = 0; l < k; l++) {
                long double dot = 0;
                for (int c = 0; c < n; c++) dot += z[k][c] * z[l][c];
                for (int c = 0; c < n; c++) z[k][c] -= dot * z[l][c];
            }
        long double square = 0;
        for (int c = 0; c < n; c++) square += z[k][c] * z[k][c];
        for (int c = 0; c < n; c++) z[k][c] /= sqrtl(square);
    }
}

// One of a kind: large, and used by one mechanism after the other.
typedef struct ex_work {
    elimination g;
    long double z[EX_NULL][EX_ROWS + EX_COLUMNS];
} ex_work;

// --- the whole
// ------------------------------------------------------------------------------------------------

static void fill_masses(exact *e) {
    const mechanism *m = e->m;
    for (int k = 0; k < m->bodies; k++) {
        const mech_body *b = &m->body[k];
        const int row = e->per_body * k;
        const double s = m->size;
        const br_mat3 I = br_sym3_to_mat3(br_sym3_rotate(br_quat_to_mat3(b->X.rotation), b->inertia));
        if (e->per_body == 3) {
            e->M[row][row] = br_vec3_dot(m->n, br_mat3_mul_vec(I, m->n)) / (s * s);
            e->M[row + 1][row + 1] = e->M[row + 2][row + 2] = b->mass;
            continue;
        }
        for (int c = 0; c < 3; c++) {
            for (int d = 0; d < 3; d++)
                e->M[row + c][row + d] = I.m[c][d] / (s * s); // acceleration: angular times s
            e->M[row + 3 + c][row + 3 + c] = b->mass;
        }
    }
}

static void fill_loads(exact *e) {
    const mechanism *m = e->m;
    for (int k = 0; k < m->bodies; k++) {
        const mech_body *b = &m->body[k];
        const br_vec3 force = br_vec3_add_scaled(b->force, b->mass, m->gravity);
        double *Q = e->Q + e->per_body * k;
        if (e->per_body == 3) {
            Q[0] = br_vec3_dot(b->torque, m->n) / m->size;
            Q[1] = br_vec3_dot(force, m->e1), Q[2] = br_vec3_dot(force, m->e2);
            continue;
        }
        for (int c = 0; c < 3; c++)
            Q[c] = br_vec3_get(b->torque, c) / m->size, Q[3 + c] = br_vec3_get(force, c);
    }
}

static double load_of(const exact *e, int pad, const double *x) {
    const ex_pad *p = &e->pad[pad];
    double load = p->preload;
    for (int k = 0; k < p->norms; k++) {
        double square = 0;
        for (int j = 0; j < p->norm[k].forms; j++) {
            double part = 0;
            for (int c = 0; c < e->bilateral; c++)
                if (e->joint[c] == p->joint)
                    part += x[c] * (br_vec3_dot(p->norm[k].form[j].force, e->basis[c].force) +
                                    br_vec3_dot(p->norm[k].form[j].torque, e->basis[c].torque));
            square += part * part;
        }
        load += sqrt(square);
    }
    return load;
}

// Rank and null space of the first `columns` columns; the null space is kept in z.
static void span_of(exact *e, ex_work *w, int columns) {
    elimination *g = &w->g;
    g->rows = e->n, g->columns = columns;
    for (int i = 0; i < e->n; i++) {
        for (int c = 0; c < columns; c++) g->a[i][c] = e->A[i][c] / e->length[c];
        g->a[i][columns] = 0;
    }
    eliminate(g);
    e->unclear |= g->unclear;
}

// Motions that the first `columns` rows allow, into z. Returns how many.
static int motions_of(exact *e, ex_work *w, int columns) {
    elimination *g = &w->g;
    g->rows = columns, g->columns = e->n;
    for (int c = 0; c < columns; c++) {
        for (int i = 0; i < e->n; i++) g->a[c][i] = e->A[i][c] / e->length[c];
        g->a[c][e->n] = 0;
    }
    eliminate(g);
    e->unclear |= g->unclear;
    const int motions = e->n - g->rank;
    assert_true(motions <= EX_NULL);
    for (int q = 0; q < motions; q++) null_vector(g, q, w->z[q]);
    orthonormalize(e->n, motions, w->z);
    return motions;
}

static void exact_begin(exact *e, const mechanism *m, ex_work *w) {
    memset(e, 0, sizeof *e);
    e->m = m;
    e->per_body = m->planar == BR_SPATIAL ? 6 : 3;
    e->n = e->per_body * m->bodies;
    for (int k = 0; k < m->joints; k++) add_rows(e, k);
    e->bilateral = e->columns;
    for (int k = 0; k < m->joints; k++) add_pads(e, k);
    for (int i = 0; i < e->pads; i++) {
        ex_pad *p = &e->pad[i];
        p->column = e->columns;
        for (int d = 0; d < p->directions; d++) add_column(e, p->joint, p->D[d]);
        assert_int_equal(e->columns, p->column + p->directions);
    }
    for (int c = 0; c < e->columns; c++) {
        long double square = 0;
        for (int i = 0; i < e->n; i++) square += e->A[i][c] * e->A[i][c];
        e->length[c] = (double)sqrtl(square);
        // A row that moves nothing (twin joints of one body with the world are fine, world to world is not)
        // must not be.
        assert_true(e->length[c] > 0);
    }
    fill_masses(e);
    e->freedom = motions_of(e, w, e->bilateral);
    for (int i = 0; i < e->n; i++) e->u[i] = e->freedom > 0 ? (double)w->z[0][i] : 0;
    span_of(e, w, e->bilateral);
    e->permanent_rank = w->g.rank, e->permanent_nullity = e->bilateral - w->g.rank;
    span_of(e, w, e->columns);
    e->rank = w->g.rank, e->nullity = e->columns - w->g.rank;
    if (e->nullity > EX_NULL) e->unclear = 1;
    if (e->unclear) return;
    for (int q = 0; q < e->nullity; q++) null_vector(&w->g, q, w->z[q]);
    orthonormalize(e->columns, e->nullity, w->z);
    for (int q = 0; q < e->nullity; q++)
        for (int c = 0; c < e->columns; c++) e->Z[q][c] = (double)(w->z[q][c] / e->length[c]);
}

// Size of a form along the null space, its columns at length 1: 0 to about 1. Sets `unclear` between what is
// and what is not.
static int is_unique(exact *e, const double *form) {
    double all = 0, size = 0;
    for (int c = 0; c < e->columns; c++) size += pow(form[c] / e->length[c], 2);
    for (int q = 0; q < e->nullity; q++) {
        double part = 0;
        for (int c = 0; c < e->columns; c++) part += form[c] * e->Z[q][c];
        all += part * part;
    }
    const double ratio = size > 0 ? sqrt(all / size) : 0;
    if (ratio > 1e-10 && ratio < 1e-5) e->unclear = 1;
    return ratio < 1e-7;
}

static int friction_is_unique(exact *e, int column) {
    double form[EX_COLUMNS] = {0};
    form[column] = 1;
    return is_unique(e, form);
}

static int load_is_unique(exact *e, int pad) {
    const ex_pad *p = &e->pad[pad];
    int unique = 1;
    for (int k = 0; k < p->norms; k++)
        for (int j = 0; j < p->norm[k].forms; j++) {
            double form[EX_COLUMNS] = {0};
            for (int c = 0; c < e->bilateral; c++)
                if (e->joint[c] == p->joint)
                    form[c] = br_vec3_dot(p->norm[k].form[j].force, e->basis[c].force) +
                              br_vec3_dot(p->norm[k].form[j].torque, e->basis[c].torque);
            unique &= is_unique(e, form);
        }
    return unique;
}

// The acceleration that a load Q gives to the motions in z: U^T M U s = U^T Q, a = U s.
static void respond(exact *e, ex_work *w, int motions, const double *Q, double *a) {
    elimination *g = &w->g;
    long double most = 0;
    memset(a, 0, EX_ROWS * sizeof *a);
    if (motions == 0) return;
    g->rows = g->columns = motions;
    for (int k = 0; k < motions; k++) {
        g->a[k][motions] = 0;
        for (int l = 0; l < motions; l++) g->a[k][l] = 0;
        for (int i = 0; i < e->n; i++) {
            g->a[k][motions] += w->z[k][i] * Q[i];
            for (int j = e->per_body * (i / e->per_body); j < e->per_body * (i / e->per_body + 1); j++)
                for (int l = 0; l < motions && e->M[i][j] != 0; l++)
                    g->a[k][l] += w->z[k][i] * e->M[i][j] * w->z[l][j];
        }
        most = fmaxl(most, g->a[k][k]);
    }
    for (int k = 0; k < motions; k++)
        for (int l = 0; l <= motions; l++) g->a[k][l] /= most;
    eliminate(g);
    e->unclear |= g->rank < motions; // masses too far apart
    for (int k = 0; k < g->rank; k++)
        for (int i = 0; i < e->n; i++) a[i] += (double)(g->a[k][motions] * w->z[g->of[k]][i]);
}

static double slip_of(const exact *e, int column, const double *a) {
    double slip = 0;
    for (int i = 0; i < e->n; i++) slip += (double)e->A[i][column] * a[i];
    return fabs(slip);
}

// Slip that loads and a unit of friction make when nothing rubs.
static void find_slips(exact *e, ex_work *w) {
    double column[EX_ROWS];
    const int motions = motions_of(e, w, e->bilateral);
    e->hardness = INFINITY;
    respond(e, w, motions, e->Q, e->a);
    for (int c = e->bilateral; c < e->columns; c++) e->free_slip = fmax(e->free_slip, slip_of(e, c, e->a));
    for (int c = e->bilateral; c < e->columns; c++) {
        for (int i = 0; i < e->n; i++) column[i] = (double)e->A[i][c];
        respond(e, w, motions, column, e->a);
        const double slip = slip_of(e, c, e->a);
        e->softness = fmax(e->softness, slip);
        if (slip > 1e-12 * e->softness) e->hardness = fmin(e->hardness, slip);
    }
}

// Loads of the mechanism are set: accelerations with all friction holding, forces that go with them.
static void exact_solve(exact *e, ex_work *w) {
    elimination *g = &w->g;
    double residual = 0, size = 0;
    fill_loads(e);
    find_slips(e, w);
    e->loose = motions_of(e, w, e->columns);
    respond(e, w, e->loose, e->Q, e->a);
    g->rows = e->n, g->columns = e->columns;
    for (int i = 0; i < e->n; i++) {
        long double force = -(long double)e->Q[i];
        for (int j = 0; j < e->n; j++) force += (long double)e->M[i][j] * e->a[j];
        for (int c = 0; c < e->columns; c++) g->a[i][c] = e->A[i][c] / e->length[c];
        g->a[i][e->columns] = force;
        size = fmax(size, fabs((double)force));
    }
    eliminate(g);
    memset(e->x0, 0, sizeof e->x0);
    for (int k = 0; k < g->rank; k++) e->x0[g->of[k]] = (double)g->a[k][e->columns] / e->length[g->of[k]];
    for (int i = g->rank; i < e->n; i++) residual = fmax(residual, fabs((double)g->a[i][e->columns]));
    e->residual = residual / (size > 0 ? size : 1);
}

// --- loads
// ----------------------------------------------------------------------------------------------------

static br_vec3 random_vector(const mechanism *m, rng *r, double size) {
    const br_vec3 v = rng_vec3(r, size);
    return m->planar == BR_SPATIAL ? v : br_vec3_add_scaled(v, -br_vec3_dot(v, m->n), m->n);
}

static void random_loads(mechanism *m, rng *r) {
    for (int k = 0; k < m->bodies; k++) {
        mech_body *b = &m->body[k];
        if (flip(r, 3)) continue;
        b->force = random_vector(m, r, m->force);
        if (flip(r, 3)) continue;
        b->torque = m->planar == BR_SPATIAL ? rng_vec3(r, m->force * m->size)
                                            : br_vec3_scale(rng_uniform(r, -1, 1) * m->force * m->size, m->n);
    }
}

// Forces first, friction within its limits, then the loads that they balance.
static void planted_loads(mechanism *m, rng *r, exact *e) {
    double *x = e->planted;
    for (int c = 0; c < e->bilateral; c++) x[c] = rng_uniform(r, -1, 1) * m->force / e->length[c];
    for (int i = 0; i < e->pads; i++) {
        const ex_pad *p = &e->pad[i];
        double direction[3] = {0}, square = 0;
        for (int d = 0; d < p->directions; d++)
            direction[d] = rng_uniform(r, -1, 1), square += direction[d] * direction[d];
        const double size = rng_uniform(r, 0, 0.95) * p->mu_static * load_of(e, i, x) / sqrt(square);
        for (int d = 0; d < p->directions; d++) x[p->column + d] = size * direction[d];
    }
    for (int k = 0; k < m->bodies; k++) {
        mech_body *b = &m->body[k];
        double Q[6] = {0};
        for (int i = 0; i < e->per_body; i++)
            for (int c = 0; c < e->columns; c++) Q[i] -= (double)e->A[e->per_body * k + i][c] * x[c];
        if (e->per_body == 3) {
            b->torque = br_vec3_scale(Q[0] * m->size, m->n);
            b->force = br_vec3_add_scaled(br_vec3_scale(Q[1], m->e1), Q[2], m->e2);
        } else {
            b->torque = br_vec3_scale(m->size, br_vec3_of(Q[0], Q[1], Q[2]));
            b->force = br_vec3_of(Q[3], Q[4], Q[5]);
        }
        b->force = br_vec3_add_scaled(b->force, -b->mass, m->gravity);
    }
    m->rests = 1;
}

#endif
