// The residual of an answer, computed from the problem alone and by other means than the library's: v by a dense or a
// node-wise Cholesky factorization of M, then the natural maps written out. Laws: equality, unilateral, box, cone.
#ifndef JUDGE_H
#define JUDGE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/solver.h"

#define JUDGE_FLOOR 1e-12 // of d_c, relative to the largest

// ------------------------------------------------------------------------------------------- M in dense blocks

typedef struct judge_mass {
    int n, size; // M is block diagonal with blocks of `size` (n when it is coupled)
    double *L;   // Cholesky factors, one after the other
    int *first;  // first velocity of each node
} judge_mass;

static inline void judge_cholesky(double *A, int n) {
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double s = A[i * n + j];
            for (int k = 0; k < j; k++) s -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = i == j ? sqrt(s) : s / A[j * n + j];
        }
}

static inline judge_mass judge_factor(const br_velocity_form *f) {
    judge_mass m = {0, 0, NULL, (int *)calloc((size_t)f->nodes + 1, sizeof(int))};
    int coupled = 0, equal = 1;
    for (int k = 0; k < f->nodes; k++) {
        m.first[k + 1] = m.first[k] + f->node_dim[k];
        coupled |= f->mass_start[k + 1] - f->mass_start[k] > 1;
        equal &= f->node_dim[k] == f->node_dim[0];
    }
    m.n = m.first[f->nodes];
    m.size = coupled || !equal || f->nodes == 0 ? m.n : f->node_dim[0];
    m.L = (double *)calloc((size_t)m.n * (size_t)m.size + 1, sizeof(double));
    const double *x = f->mass;
    for (int I = 0; I < f->nodes; I++)
        for (int e = f->mass_start[I]; e < f->mass_start[I + 1]; e++)
            for (int r = 0; r < f->node_dim[I]; r++)
                for (int c = 0; c < f->node_dim[f->mass_node[e]]; c++, x++) {
                    const int i = m.first[I] + r, j = m.first[f->mass_node[e]] + c, b = i / m.size * m.size;
                    m.L[(size_t)i * (size_t)m.size + (size_t)(j - b)] = *x; // lower triangle of its block
                }
    for (int b = 0; m.size > 0 && b < m.n; b += m.size)
        judge_cholesky(m.L + (size_t)b * (size_t)m.size, m.size);
    return m;
}

static inline void judge_solve(const judge_mass *m, double *x) { // M x = x
    const int s = m->size;
    for (int b = 0; s > 0 && b < m->n; b += s) {
        const double *L = m->L + (size_t)b * (size_t)s;
        double *y = x + b;
        for (int i = 0; i < s; i++) {
            for (int k = 0; k < i; k++) y[i] -= L[i * s + k] * y[k];
            y[i] /= L[i * s + i];
        }
        for (int i = s - 1; i >= 0; i--) {
            for (int k = i + 1; k < s; k++) y[i] -= L[k * s + i] * y[k];
            y[i] /= L[i * s + i];
        }
    }
}

// ------------------------------------------------------------------------------------------------- velocities

// out += J^T p (transpose) or out = J v + b.
static inline void judge_jacobian(const br_problem *p, const int *first, const double *x, double *out,
                                  int transpose) {
    const br_velocity_form *f = &p->velocity;
    const double *J = f->jacobian;
    if (!transpose) memcpy(out, p->offset, (size_t)p->rows * sizeof *out);
    for (int l = 0; l < p->laws; l++)
        for (int e = f->jacobian_start[l]; e < f->jacobian_start[l + 1]; e++)
            for (int r = 0; r < p->law[l].rows; r++)
                for (int c = 0; c < f->node_dim[f->jacobian_node[e]]; c++, J++) {
                    const int row = p->law[l].first_row + r, col = first[f->jacobian_node[e]] + c;
                    if (transpose)
                        out[col] += *J * x[row];
                    else
                        out[row] += *J * x[col];
                }
}

static inline void judge_w(const br_problem *p, const judge_mass *m, const double *impulse, double *w) {
    if (p->form == BR_FORM_MATRIX) {
        for (int i = 0; i < p->rows; i++) {
            w[i] = p->offset[i];
            for (int k = p->matrix.row_start[i]; k < p->matrix.row_start[i + 1]; k++)
                w[i] += p->matrix.value[k] * impulse[p->matrix.column[k]];
        }
    } else {
        double *v = (double *)calloc((size_t)m->n + 1, sizeof(double));
        memcpy(v, p->velocity.momentum, (size_t)m->n * sizeof *v);
        judge_jacobian(p, m->first, impulse, v, 1);
        judge_solve(m, v);
        judge_jacobian(p, m->first, v, w, 0);
        free(v);
    }
    for (int i = 0; p->compliance && i < p->rows; i++) w[i] += p->compliance[i] * impulse[i];
}

// tr(W_cc)/rows of each law, written out for every row e: J_e M^-1 J_e^T.
static inline void judge_scales(const br_problem *p, const judge_mass *m, double *d) {
    double largest = 0;
    double *x = (double *)calloc((size_t)m->n + 1, sizeof(double));
    const br_velocity_form *f = &p->velocity;
    const double *J = f->jacobian;
    for (int l = 0; l < p->laws; l++) {
        const br_law *law = &p->law[l];
        double trace = 0;
        for (int r = 0; r < law->rows && p->form == BR_FORM_MATRIX; r++)
            for (int k = p->matrix.row_start[law->first_row + r];
                 k < p->matrix.row_start[law->first_row + r + 1]; k++)
                if (p->matrix.column[k] == law->first_row + r) trace += p->matrix.value[k];
        if (p->form == BR_FORM_VELOCITY) {
            const double *next = J;
            for (int r = 0; r < law->rows; r++) {
                memset(x, 0, (size_t)m->n * sizeof *x);
                const double *block = J;
                for (int e = f->jacobian_start[l]; e < f->jacobian_start[l + 1]; e++) {
                    const int dim = f->node_dim[f->jacobian_node[e]];
                    memcpy(x + m->first[f->jacobian_node[e]], block + r * dim, (size_t)dim * sizeof *x);
                    block += law->rows * dim;
                }
                next = block;
                // |L^-1 x|^2, only in the blocks that x touches
                for (int b = 0; m->size > 0 && b < m->n; b += m->size) {
                    const double *L = m->L + (size_t)b * (size_t)m->size;
                    double *y = x + b;
                    int touched = 0;
                    for (int i = 0; i < m->size; i++) touched |= y[i] != 0;
                    for (int i = 0; touched && i < m->size; i++) {
                        for (int k = 0; k < i; k++) y[i] -= L[i * m->size + k] * y[k];
                        y[i] /= L[i * m->size + i];
                        trace += y[i] * y[i];
                    }
                }
            }
            J = next;
        }
        d[l] = fabs(trace) / law->rows;
        if (d[l] > largest) largest = d[l];
    }
    for (int l = 0; l < p->laws; l++) d[l] = fmax(d[l], largest > 0 ? JUDGE_FLOOR * largest : 1.0);
    free(x);
}

// -------------------------------------------------------------------------------------------------- natural maps

static inline double judge_row(const br_law *law, double z, double w) {
    if (law->kind == BR_LAW_EQUALITY) return fabs(w);
    const double lower = law->kind == BR_LAW_UNILATERAL ? 0 : law->lower,
                 upper = law->kind == BR_LAW_UNILATERAL ? INFINITY : law->upper;
    if (z - w <= lower) return fabs(z - lower);
    return z - w >= upper ? fabs(z - upper) : fabs(w);
}

static inline double judge_cone_squared(const br_law *law, const double *p, const double *w, double d) {
    const double mu = law->friction_coefficient;
    const double slip = law->rows == 3 ? hypot(w[1], w[2]) : fabs(w[1]);
    double y[3] = {p[0] - (w[0] + mu * slip) / d, p[1] - w[1] / d, law->rows == 3 ? p[2] - w[2] / d : 0};
    const double t = hypot(y[1], y[2]);
    if (mu * t <= -y[0]) { // in the polar cone
        y[0] = y[1] = y[2] = 0;
    } else if (t > mu * y[0]) {
        const double n = (y[0] + mu * t) / (1 + mu * mu);
        y[1] *= mu * n / t;
        y[2] *= mu * n / t;
        y[0] = n;
    }
    double sum = 0;
    for (int r = 0; r < law->rows; r++) sum += (p[r] - y[r]) * (p[r] - y[r]);
    return sum;
}

// The residual of p; w (rows) receives the velocities.
static inline double judge(const br_problem *problem, const double *p, double *w) {
    judge_mass m = {0, 0, NULL, NULL};
    int friction = problem->form == BR_FORM_VELOCITY;
    if (problem->form == BR_FORM_VELOCITY) m = judge_factor(&problem->velocity);
    for (int l = 0; l < problem->laws; l++) friction |= problem->law[l].rows > 1;
    double *d = (double *)calloc((size_t)problem->laws + 1, sizeof(double));
    double *none = (double *)calloc((size_t)problem->rows + 1, sizeof(double));
    double *w_free = (double *)calloc((size_t)problem->rows + 1, sizeof(double));
    judge_w(problem, &m, p, w);
    double residual = 0;
    if (friction) {
        double defect = 0, impulse = 0, load = 0;
        judge_scales(problem, &m, d);
        judge_w(problem, &m, none, w_free);
        for (int l = 0; l < problem->laws; l++) {
            const br_law *law = &problem->law[l];
            const double *pl = p + law->first_row, *wl = w + law->first_row;
            if (law->rows > 1) {
                defect += d[l] * judge_cone_squared(law, pl, wl, d[l]);
            } else {
                const double e = judge_row(law, *pl, *wl / d[l]);
                defect += d[l] * e * e;
            }
            for (int r = 0; r < law->rows; r++) {
                impulse += d[l] * pl[r] * pl[r];
                load += w_free[law->first_row + r] * w_free[law->first_row + r] / d[l];
            }
        }
        residual = defect == 0 ? 0 : sqrt(defect / fmax(impulse, load));
    } else {
        double scale = 1;
        for (int i = 0; i < problem->rows; i++) scale = fmax(scale, fabs(problem->offset[i]));
        for (int i = 0; i < problem->rows; i++)
            residual = fmax(residual, judge_row(&problem->law[i], p[i], w[i]) / scale);
        for (int i = 0; i < problem->rows; i++)
            if (!isfinite(p[i]) || !isfinite(w[i])) residual = INFINITY;
    }
    free(d);
    free(none);
    free(w_free);
    free(m.L);
    free(m.first);
    return residual;
}

#endif
