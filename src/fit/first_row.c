// Noise of the first row. With r = J du + S z + e, where z is the first row's noise in standard deviations and S what it does to the
// residuals, least squares give du with the variance of e and, beside it, |(J'J)^-1 J'S|^2. What e is, is told once S z is taken off.
#include "fit/first_row.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fit/difference.h"
#include "linalg/dense.h"

enum { FIRST_LEAST_ROWS = 5, FIRST_ROUNDS = 5 };
// The noise of the first row is told of where intervals without it would be narrower than this part.
static const double FIRST_SAID = 0.9;

typedef struct first_row {
    fit_work *w;
    br_measured other; // the set with another first row
    int n, p, starts, room;
    double *S;         // [starts][n]
    double *AS, *JS;   // [starts][p] (J'J)^-1 J'S and J'S
    double *K, *z, *g; // [starts * starts], [starts], [starts]
    double *L;         // [p * p]
    double *plus, *minus;
    unsigned char *active;
    double rest[FIT_MAX_GROUPS]; // what is left of each quantity
} first_row;

static size_t value_index(const br_measured *m, int row, int column) {
    return (size_t)row * (size_t)m->columns + (size_t)column;
}

// ------------------------------------------------------------------------------------------------------------- noise

// Root of the mean square of what is left, of every quantity, compared or not.
static br_status first_rest(first_row *f, br_error *error) {
    fit_work *w = f->w;
    const br_measured *m = w->m;
    const double **predicted = BR_TAKE(w->scratch, const double *, m->recordings);
    if (!predicted) return br_no_memory(error, "no memory for intervals");
    const br_status status = br_problem_predict(&w->problem, w->u, predicted, error);
    if (status != BR_OK) return status;
    for (int g = 0; g < m->groups; g++) {
        double sum = 0, count = 0;
        for (int k = 0; k < m->recordings; k++)
            for (int i = 1; i < m->recording[k].rows; i++) {
                double e[4];
                const size_t at = value_index(m, i, 0);
                const int n =
                    br_fit_difference(&m->group[g], m->recording[k].value + at, predicted[k] + at, e);
                for (int c = 0; c < n; c++) sum += e[c] * e[c], count += 1;
            }
        f->rest[g] = count > 0 ? sqrt(sum / count) : 0;
    }
    return BR_OK;
}

// Of one number of the first row: as given; else what is left over, but no more than rows differ from a line through their neighbours,
// since what the model cannot do is no noise of a sensor.
static double first_noise_of(const first_row *f, int g, int recording, int column) {
    const fit_group *group = &f->w->m->group[g];
    const fit_recording *r = &f->w->m->recording[recording];
    const double part = group->kind == FIT_ROTATION ? 0.5 : 1; // a quaternion turns by half the angle
    double sum = 0;
    if (isfinite(group->noise)) return part * group->noise;
    for (int i = 1; i + 1 < r->rows; i++) {
        const double bend = r->value[value_index(f->w->m, i - 1, column)] -
                            2 * r->value[value_index(f->w->m, i, column)] +
                            r->value[value_index(f->w->m, i + 1, column)];
        sum += bend * bend / 6;
    }
    const double rough = r->rows >= FIRST_LEAST_ROWS ? sqrt(sum / (r->rows - 2)) : INFINITY;
    return fmin(part * f->rest[g], rough);
}

// ------------------------------------------------------------------------------------------------------------- slopes

// What one standard deviation of a number of the first row does to the residuals; left out where it does nothing, or a run fails.
static void first_slope(first_row *f, int recording, int column, double size) {
    fit_problem *problem = &f->w->problem;
    double *x = f->other.recording[recording].value + column, *S = f->S + (size_t)f->starts * (size_t)f->n;
    const double before = *x;
    double cost[2], square = 0;
    *x = before + size;
    br_problem_evaluate(problem, 1, f->w->u, f->plus, &cost[0], NULL);
    *x = before - size;
    br_problem_evaluate(problem, 1, f->w->u, f->minus, &cost[1], NULL);
    *x = before;
    if (!isfinite(cost[0]) || !isfinite(cost[1])) return;
    for (int i = 0; i < f->n; i++) S[i] = 0.5 * (f->plus[i] - f->minus[i]), square += S[i] * S[i];
    if (square > 0) f->starts++;
}

static br_status first_slopes(first_row *f, br_error *error) {
    fit_work *w = f->w;
    const br_measured *m = w->m;
    f->other = *m;
    f->other.recording = BR_COPY(w->scratch, m->recording, m->recordings);
    if (!f->other.recording) return br_no_memory(error, "no memory for intervals");
    w->problem.m = &f->other, w->problem.active = f->active;
    for (int k = 0; k < m->recordings; k++) {
        const size_t numbers = (size_t)m->recording[k].rows * (size_t)m->columns;
        double *value = BR_COPY(w->scratch, m->recording[k].value, numbers);
        if (!value) break;
        memset(f->active, 0, (size_t)m->recordings);
        f->active[k] = 1;
        f->other.recording[k].value = value;
        for (int g = 0; g < m->groups; g++)
            for (int i = 0; i < m->group[g].count; i++) {
                const double size = first_noise_of(f, g, k, m->group[g].column[i]);
                if (size > 0) first_slope(f, k, m->group[g].column[i], size);
            }
    }
    w->problem.m = m, w->problem.active = NULL;
    return br_arena_ok(w->scratch) ? BR_OK : br_no_memory(error, "no memory for intervals");
}

// J'S, (J'J)^-1 J'S, S'r and K = S'(1 - J (J'J)^-1 J')S. 0: the slopes tell nothing.
static int first_products(first_row *f, const double *r) {
    const fit_work *w = f->w;
    const int p = f->p;
    memcpy(f->L, w->A, (size_t)(p * p) * sizeof *f->L);
    if (br_cholesky_factor(p, f->L, p) != 0) return 0;
    for (int s = 0; s < f->starts; s++) {
        const double *S = f->S + (size_t)s * (size_t)f->n;
        double *JS = f->JS + s * p, *AS = f->AS + s * p;
        memset(JS, 0, (size_t)p * sizeof *JS);
        for (int i = 0; i < f->n; i++)
            for (int k = 0; k < p; k++) JS[k] += w->least.J[(size_t)i * (size_t)p + (size_t)k] * S[i];
        memcpy(AS, JS, (size_t)p * sizeof *AS);
        br_cholesky_solve(p, f->L, p, AS);
        f->g[s] = br_dot(f->n, S, r);
    }
    for (int a = 0; a < f->starts; a++)
        for (int b = 0; b < f->starts; b++)
            f->K[a * f->starts + b] =
                br_dot(f->n, f->S + (size_t)a * (size_t)f->n, f->S + (size_t)b * (size_t)f->n) -
                br_dot(p, f->JS + a * p, f->AS + b * p);
    return 1;
}

// ------------------------------------------------------------------------------------------------------------- told

// The likeliest z where e has the variance f2: (f2 + K) z = S'r. 0: none.
static int first_solve(first_row *f, double f2) {
    const int n = f->starts;
    double *M = f->K + n * n;
    for (int k = 0; k < n * n; k++) M[k] = f->K[k] + (k % (n + 1) == 0 ? f2 : 0);
    memcpy(f->z, f->g, (size_t)n * sizeof *f->z);
    if (br_cholesky_factor(n, M, n) != 0) return 0;
    br_cholesky_solve(n, M, n, f->z);
    return 1;
}

// What e has of the variance of r, with z the likeliest there. 1, and z zero: so few rows that the start could explain them all.
static double first_part(first_row *f, const double *r) {
    const fit_work *w = f->w;
    const int free = f->n - f->p - f->starts;
    const double all = br_dot(f->n, r, r);
    double part = 1;
    memset(f->z, 0, (size_t)f->starts * sizeof *f->z);
    if (free < f->p + f->starts) return 1;
    for (int k = 0; k < FIRST_ROUNDS; k++) {
        if (!first_solve(f, w->known ? 1 : part * all / f->n)) return 1;
        const double rest = (all - br_dot(f->starts, f->g, f->z)) / all;
        if (!w->known) part = fmin(1, fmax(1e-6, rest * (f->n - f->p) / free));
    }
    return part;
}

static void first_weigh(first_row *f, double *r) {
    fit_work *w = f->w;
    const int n = f->n, p = f->p;
    const double reduced = first_part(f, r);
    double narrowest = 1;
    for (int s = 0; s < f->starts; s++)
        for (int i = 0; i < n; i++)
            r[i] -= f->z[s] * (f->S[(size_t)s * (size_t)n + (size_t)i] -
                               br_dot(p, w->least.J + (size_t)i * (size_t)p, f->AS + s * p));
    w->rest_share = br_noise_share(&w->problem, r);
    const double share = w->profile_share = w->rest_share / reduced;
    for (int k = 0; k < p; k++) {
        double e[BR_MAX_FIT_PARAMETERS] = {0}, of_start = 0;
        e[k] = 1;
        br_cholesky_solve(p, f->L, p, e);
        for (int s = 0; s < f->starts; s++) of_start += f->AS[s * p + k] * f->AS[s * p + k];
        const double of_rows = e[k] / share, part = of_rows / (of_rows + of_start);
        w->part_of[k] = part;
        narrowest = fmin(narrowest, sqrt(part));
    }
    w->first_row = narrowest < FIRST_SAID;
}

br_status br_fit_first_row(fit_work *w, double *r, br_error *error) {
    const br_measured *m = w->m;
    first_row f = {.w = w, .n = w->problem.residuals, .p = w->p};
    for (int k = 0; k < w->p; k++) w->part_of[k] = 1;
    w->rest_share = w->profile_share = w->share;
    const int whole = m->recordings >= FIT_LEAST_RECORDINGS && w->o->resamples > 0;
    if (m->start != FIT_START_FIRST_ROW || whole || w->exact || w->o->quick || w->p == 0 ||
        w->out->outcome == BR_FIT_FLAT || !w->slopes)
        return BR_OK;
    f.room = m->recordings * m->columns;
    f.S = BR_TAKE(w->scratch, double, (size_t)f.room *(size_t)f.n);
    f.AS = BR_TAKE(w->scratch, double, f.room *f.p), f.JS = BR_TAKE(w->scratch, double, f.room *f.p);
    f.K = BR_TAKE(w->scratch, double, 2 * f.room * f.room);
    f.z = BR_TAKE(w->scratch, double, f.room), f.g = BR_TAKE(w->scratch, double, f.room);
    f.L = BR_TAKE(w->scratch, double, f.p *f.p);
    f.plus = BR_TAKE(w->scratch, double, f.n), f.minus = BR_TAKE(w->scratch, double, f.n);
    f.active = BR_TAKE(w->scratch, unsigned char, m->recordings);
    if (!br_arena_ok(w->scratch)) return br_no_memory(error, "no memory for intervals");
    br_status status = first_rest(&f, error);
    if (status == BR_OK) status = first_slopes(&f, error);
    if (status == BR_OK && f.starts > 0 && first_products(&f, r)) first_weigh(&f, r);
    return status;
}
