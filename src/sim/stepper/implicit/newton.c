// The unknowns of a step by Newton's method, see implicit.h.
//
// Equations of motion are divided by mass_move times a typical mass, and so are the forces of rows: the matrix then does
// not depend on the size of the step [Bottasso, Bauchau, Cardona: scaling of index 3]. Factors serve the iterations of a step
// as long as they converge fast.
#include "sim/stepper/implicit/implicit.h"

#include <string.h>

#include "base/finite.h"
#include "sim/stepper/implicit/touching_solve.h"

#define BR_MAX_IMPLICIT_ITERATIONS 25
#define BR_NEWTON_SLOW 0.1  // a correction that shrinks less than this asks for new factors
#define BR_NEWTON_STUCK 0.9 // with new factors: the iteration does not converge
#define BR_NEWTON_AGREES                                                                                     \
    100.0                 // of the last correction and the tolerances: what the next one may be where it ends
#define BR_NEWTON_TURNS 2 // iterations after which what slides to and fro is taken at rest
#define BR_NEWTON_STANDS 0.1 // of the velocity, squared: while it changes by more, iterations at rest go on
#define BR_MAX_STANDING 8    // iterations at rest
#define BR_WHOLE_MOVE 1e-4   // of a node's whole move counts as motion
#define BR_EPS_LOOSE 1e-11   // diagonal of loop rows in the scaled matrix

// Rows that depend on each other leave forces open. With a diagonal on all rows the smallest are found, which is the
// pseudoinverse of the absolute form; Newton's iteration closes them all the same. Elsewhere only loops get one, and so little
// that nothing is seen of it, for positions where they pass through dependence.
static void hold_rows(br_implicit *f) {
    const double eps = f->sim->redundant ? f->eps_rows : BR_EPS_LOOSE;
    for (int i = f->sim->redundant ? 0 : f->nodes; i < f->nodes + f->loose; i++) {
        const br_block_ref *d = &f->diagonal[i];
        const int first = i < f->nodes ? 6 : 0,
                  end = i < f->nodes ? 6 + f->node[i].rows : f->loose_rows[i - f->nodes];
        for (int r = first; r < end; r++) d->value[r * (d->row_stride + d->col_stride)] += eps;
    }
}

br_status br_implicit_factor(br_implicit *f) {
    hold_rows(f);
    const br_status status = br_block_factor(f->matrix, BR_BLOCK_GENERAL, 1e-300, NULL);
    return status;
}

// The solution of matrix x = -residual, in solution.
void br_implicit_correct(br_implicit *f) {
    for (int k = 0; k < f->unknowns; k++) f->solution[k] = -f->residual[k];
    br_block_solve(f->matrix, f->solution);
}

// How far the solution at hand would move the nodes.
static double correction_of(const br_implicit *f) {
    double size = 0.0;
    for (int i = 0, at = 0; i < f->nodes; at += 6 + f->node[i].rows, i++)
        for (int c = 0; c < 6; c++) size = fmax(size, (c < 3 ? 1.0 : f->length) * fabs(f->solution[at + c]));
    return size;
}

double br_implicit_move(br_implicit *f) {
    double size = 0.0;
    int at = 0;
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        const double *d = f->solution + at;
        const br_vec3 move = br_vec3_of(d[0], d[1], d[2]), turn = br_vec3_of(d[3], d[4], d[5]);
        n->x1 = br_vec3_add(n->x1, move);
        n->q1 = br_quat_normalize(br_quat_mul(br_quat_exp(turn), n->q1));
        size = fmax(size, fmax(br_vec3_max_abs(move), f->length * br_vec3_max_abs(turn)));
        at += 6 + n->rows;
    }
    return size;
}

void br_implicit_add_forces(br_implicit *f) {
    for (int k = 0; k < f->elements; k++) {
        br_element *e = &f->element[k];
        for (int r = 0; r < e->rows; r++) e->force[r] += f->solution[e->slot[e->slots - 1].at + r] / f->scale;
    }
}

// How far accelerations moved the nodes: errors are relative to that, and to a small part of the whole move.
static double motion_of(const br_implicit *f) {
    double size = 0.0;
    for (int i = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_vec3 turn = br_vec3_scale(f->h, br_mat3_mul_vec(n->R0, n->w0));
        size = fmax(size, br_vec3_max_abs(br_vec3_add_scaled(n->dx, -f->h, n->u0)));
        size = fmax(size, f->length * br_vec3_max_abs(br_vec3_sub(n->turn, turn)));
        size = fmax(size, BR_WHOLE_MOVE * fmax(br_vec3_max_abs(n->dx), f->length * br_vec3_max_abs(n->turn)));
    }
    return size;
}

// How far from the origin nodes are: what rounding of their places is relative to.
static double reach_of(const br_implicit *f) {
    double reach = 0.0;
    for (int i = 0; i < f->nodes; i++) reach = fmax(reach, br_vec3_max_abs(f->node[i].start->x));
    return fmax(reach, 1e-3 * f->length);
}

// At rest iterations go on until its velocity is about what it will be: elsewhere the law is flat again and leads away.
int br_implicit_turns(br_implicit *f, br_turning *t, int n, const double *v) {
    double along = 0.0, change = 0.0, size = 0.0;
    if (f->iteration != t->iteration || f->iteration == 0) {
        memcpy(t->v_last, t->v, sizeof t->v);
        t->held = f->iteration > 0 && t->stands ? t->held + 1 : 0, t->iteration = f->iteration;
    }
    for (int i = 0; i < n; i++) {
        along += t->v_last[i] * v[i], size += v[i] * v[i];
        change += (v[i] - t->v_last[i]) * (v[i] - t->v_last[i]);
        t->v[i] = v[i];
    }
    t->stands = f->iteration >= BR_NEWTON_TURNS && t->held < BR_MAX_STANDING &&
                (t->held > 0 ? change > BR_NEWTON_STANDS * size : along < 0.0);
    f->turned |= t->stands || t->held > 0;
    return t->stands && f->tangent;
}

// Rows that are switched on or off change the matrix: then the evaluation is made once more, with its tangent.
static int evaluate_bounds(br_implicit *f, int done) {
    f->deciding = f->bounded > 0, f->switched = f->cycles = f->turned = 0;
    br_implicit_evaluate(f);
    f->deciding = 0;
    if (f->switched || (f->turned && !f->tangent && !done)) {
        f->tangent = 1;
        br_implicit_evaluate(f);
    }
    return f->switched || (f->turned && !done);
}

static br_newton iterate(br_implicit *f, int *iterations) {
    const double tol = fmin(f->sim->model->settings.solver.tol, 1e-4);
    const double rounding = 8.0 * DBL_EPSILON * reach_of(f), coarse = 64.0 * DBL_EPSILON * f->sim->extent;
    double before = INFINITY, size = INFINITY;
    f->eps_rows = f->lenient ? BR_EPS_LOOSE : BR_EPS_REDUNDANT;
    int fresh =
        1; // factors of its own: a step depends on the state alone, so that a run goes on from a snapshot bit by bit
    for (int k = 0; k <= BR_MAX_IMPLICIT_ITERATIONS; k++) {
        // Nothing is known of how corrections shrink until there were two since rows last switched.
        const double ratio = isfinite(before) ? size / before : 1.0,
                     left = ratio < 1.0 ? size * ratio / (1.0 - ratio) : size;
        // Rounding of arms and rotations may be larger than that of places: then corrections stop shrinking.
        const int stands = k >= 4 && ratio > 0.3 && size <= coarse;
        const int done = k >= 2 && (left <= tol * motion_of(f) + rounding || size <= rounding || stands);
        f->tangent = fresh && !done;
        br_implicit_look(f);
        f->iteration = k;
        const int switched = evaluate_bounds(f, done);
        f->sim->ledger->evaluations++;
        if ((done && f->cycles) || !br_all_finite(f->unknowns, f->residual)) break;
        if (f->tangent && br_implicit_factor(f) != BR_OK) return BR_NEWTON_SINGULAR;
        br_implicit_correct(f);
        if (f->touching && br_touching_correct(f, f->tangent) != BR_OK) break;
        // Where a force jumps at the very place that was found, as a damper does at the touch, the last evaluation is on the other
        // side of the jump: nothing is solved there.
        if (done && !switched &&
            correction_of(f) <= BR_NEWTON_AGREES * (tol * motion_of(f) + fmax(size, rounding))) {
            *iterations += k;
            return BR_NEWTON_DONE;
        }
        if (!br_all_finite(f->unknowns, f->solution)) break;
        before = size, size = br_implicit_move(f);
        br_implicit_add_forces(f);
        if (f->touching) br_touching_take(f);
        if (size > 100.0 * f->sim->extent) break;
        const int was_fresh = fresh;
        fresh = f->bounded > 0 || f->turned || (k > 0 && size > BR_NEWTON_SLOW * before);
        if (switched) before = size = INFINITY;
        if (k > 3 && was_fresh && size > BR_NEWTON_STUCK * before && size > 1e6 * rounding) break;
    }
    *iterations += BR_MAX_IMPLICIT_ITERATIONS;
    return BR_NEWTON_DIVERGES;
}

br_newton br_implicit_solve(br_implicit *f, int *iterations) {
    const br_newton outcome = iterate(f, iterations);
    f->iteration = 0;
    return outcome;
}
