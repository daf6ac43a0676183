// Friction forces within their limits, found by looking everywhere: of one unknown on a dense grid with
// bisected ends, of several by
// walking about in the set. Slow, plain, and independent of the search in the library.
#ifndef TEST_RANDOM_MECHANISMS_SCAN_H
#define TEST_RANDOM_MECHANISMS_SCAN_H

#include <stdlib.h>

#include "test_random_mechanisms_exact.h"

typedef struct sc_form { // p + q . alpha
    double p, q[EX_NULL];
} sc_form;

typedef struct sc_pad {
    int directions, norms, forms[4];
    sc_form f[3], norm[4][3];
    double preload, mu;
    double slip[3]; // along the motion u, freedom 1
} sc_pad;

typedef struct region {
    int unknowns, pads;
    double scale; // N, of forces at pads
    sc_pad pad[MAX_JOINTS];
} region;

typedef struct interval {
    double low, high;
} interval;

typedef struct bounds {
    double c_star, c_star_coherent;
    interval all[MAX_JOINTS][3], coherent[MAX_JOINTS][3];
} bounds;

static sc_form form_along(const exact *e, const double *coefficient) {
    sc_form out = {0};
    double size = 0;
    for (int c = 0; c < e->columns; c++)
        out.p += coefficient[c] * e->x0[c], size += pow(coefficient[c] / e->length[c], 2);
    for (int q = 0; q < e->nullity; q++) {
        for (int c = 0; c < e->columns; c++) out.q[q] += coefficient[c] * e->Z[q][c];
        if (fabs(out.q[q]) < 1e-10 * sqrt(size)) out.q[q] = 0;
    }
    return out;
}

static region region_of(const exact *e) {
    region r = {.unknowns = e->nullity, .pads = e->pads};
    for (int i = 0; i < e->pads; i++) {
        const ex_pad *p = &e->pad[i];
        sc_pad *s = &r.pad[i];
        s->directions = p->directions, s->norms = p->norms, s->preload = p->preload, s->mu = p->mu_static;
        for (int d = 0; d < p->directions; d++) {
            double form[EX_COLUMNS] = {0};
            form[p->column + d] = 1;
            s->f[d] = form_along(e, form);
            for (int n = 0; n < e->n; n++) s->slip[d] += (double)e->A[n][p->column + d] * e->u[n];
            r.scale = fmax(r.scale, fabs(s->f[d].p));
        }
        for (int k = 0; k < p->norms; k++) {
            s->forms[k] = p->norm[k].forms;
            for (int j = 0; j < p->norm[k].forms; j++) {
                double form[EX_COLUMNS] = {0};
                for (int c = 0; c < e->bilateral; c++)
                    if (e->joint[c] == p->joint)
                        form[c] = br_vec3_dot(p->norm[k].form[j].force, e->basis[c].force) +
                                  br_vec3_dot(p->norm[k].form[j].torque, e->basis[c].torque);
                s->norm[k][j] = form_along(e, form);
                r.scale = fmax(r.scale, s->mu * fabs(s->norm[k][j].p));
            }
        }
        r.scale = fmax(r.scale, s->mu * s->preload);
    }
    return r;
}

static double form_at(const region *r, const sc_form *f, const double *alpha) {
    double v = f->p;
    for (int q = 0; q < r->unknowns; q++) v += f->q[q] * alpha[q];
    return v;
}

// Friction, its load, and what friction does along u.
static void pad_at(const region *r, int i, const double *alpha, double *friction, double *load,
                   double *power) {
    const sc_pad *s = &r->pad[i];
    double square = 0;
    *power = 0, *load = s->preload;
    for (int d = 0; d < s->directions; d++) {
        const double f = form_at(r, &s->f[d], alpha);
        square += f * f, *power += f * s->slip[d];
    }
    *friction = sqrt(square);
    for (int k = 0; k < s->norms; k++) {
        square = 0;
        for (int j = 0; j < s->forms[k]; j++) square += pow(form_at(r, &s->norm[k][j], alpha), 2);
        *load += sqrt(square);
    }
}

// The largest ratio of friction to its limit. coherent: +-1, friction must oppose that motion along u; 0: it
// need not.
static double ratio_at(const region *r, const double *alpha, int coherent) {
    double worst = 0;
    for (int i = 0; i < r->pads; i++) {
        double friction, load, power;
        pad_at(r, i, alpha, &friction, &load, &power);
        double size = r->scale;
        for (int q = 0; q < r->unknowns; q++) size = fmax(size, fabs(r->pad[i].f[0].q[q] * alpha[q]));
        if (friction <= 1e-12 * size) continue;
        const double speed =
            sqrt(pow(r->pad[i].slip[0], 2) + pow(r->pad[i].slip[1], 2) + pow(r->pad[i].slip[2], 2));
        if (coherent && coherent * power > 1e-10 * friction * speed) return INFINITY;
        worst = fmax(worst, load > 0 ? friction / (r->pad[i].mu * load) : INFINITY);
    }
    return worst;
}

// --- one unknown
// ----------------------------------------------------------------------------------------------

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { SCAN_DECADES = 14, SCAN_PER_DECADE = 12, SCAN_ROOTS = 90 };

// Where forms vanish something may happen: points at every distance from each of these.
static int scan_points(const region *r, double *points) {
    double root[SCAN_ROOTS], low = INFINITY, high = -INFINITY;
    int roots = 0, count = 0;
    for (int i = 0; i < r->pads; i++) {
        const sc_pad *s = &r->pad[i];
        for (int k = -1; k < s->norms; k++)
            for (int j = 0; j < (k < 0 ? s->directions : s->forms[k]); j++) {
                const sc_form *f = k < 0 ? &s->f[j] : &s->norm[k][j];
                if (f->q[0] != 0 && roots < SCAN_ROOTS) root[roots++] = -f->p / f->q[0];
            }
    }
    for (int k = 0; k < roots; k++) low = fmin(low, root[k]), high = fmax(high, root[k]);
    const double spread = high > low ? high - low : fmax(r->scale, 1e-300);
    for (int k = 0; k < roots; k++) {
        points[count++] = root[k];
        for (int d = 0; d < SCAN_DECADES * SCAN_PER_DECADE; d++)
            for (int s = -1; s <= 1; s += 2)
                points[count++] = root[k] + s * spread * pow(10, 6 - (double)d / SCAN_PER_DECADE);
    }
    for (int k = 0; k < 400 && roots > 0; k++) points[count++] = low - spread + 3 * spread * k / 399;
    qsort(points, (size_t)count, sizeof *points, by_value);
    return count;
}

// The point between a and b with the smallest ratio.
static double golden(const region *r, double a, double b, int coherent) {
    const double g = 0.6180339887498949;
    double x = b - g * (b - a), y = a + g * (b - a);
    double fx = ratio_at(r, &x, coherent), fy = ratio_at(r, &y, coherent);
    for (int k = 0; k < 70; k++) {
        if (fx < fy)
            b = y, y = x, fy = fx, x = b - g * (b - a), fx = ratio_at(r, &x, coherent);
        else
            a = x, x = y, fx = fy, y = a + g * (b - a), fy = ratio_at(r, &y, coherent);
    }
    return fx < fy ? x : y;
}

static double edge(const region *r, double inside, double outside, int coherent) {
    for (int k = 0; k < 80; k++) {
        const double middle = 0.5 * (inside + outside);
        *(ratio_at(r, &middle, coherent) <= 1 ? &inside : &outside) = middle;
    }
    return inside;
}

static void widen(const region *r, const double *alpha, interval (*to)[3]) {
    for (int i = 0; i < r->pads; i++)
        for (int d = 0; d < r->pad[i].directions; d++) {
            const double f = form_at(r, &r->pad[i].f[d], alpha);
            to[i][d].low = fmin(to[i][d].low, f), to[i][d].high = fmax(to[i][d].high, f);
        }
}

static double scan(const region *r, int coherent, interval (*to)[3]) {
    static double points[SCAN_ROOTS * (2 * SCAN_DECADES * SCAN_PER_DECADE + 1) + 400];
    const double zero = 0;
    double best = ratio_at(r, &zero, coherent), ratio[3] = {INFINITY, INFINITY, INFINITY};
    const int count = r->unknowns ? scan_points(r, points) : 0;
    if (best <= 1) widen(r, &zero, to);
    for (int k = 0; k < count; k++) {
        ratio[0] = ratio[1], ratio[1] = ratio[2], ratio[2] = ratio_at(r, &points[k], coherent);
        best = fmin(best, ratio[2]);
        if (ratio[2] <= 1) widen(r, &points[k], to);
        if (k > 0 && (ratio[1] <= 1) != (ratio[2] <= 1)) {
            const int now = ratio[2] <= 1;
            const double end = edge(r, points[now ? k : k - 1], points[now ? k - 1 : k], coherent);
            widen(r, &end, to);
        }
        if (k < 2 || !(ratio[1] <= ratio[0] && ratio[1] <= ratio[2]) || isinf(ratio[1])) continue;
        if (ratio[1] > 4 * best && ratio[1] > 4) continue;
        const double low = golden(r, points[k - 2], points[k], coherent),
                     at_low = ratio_at(r, &low, coherent);
        best = fmin(best, at_low);
        if (at_low > 1 || ratio[1] <= 1) continue;
        for (int s = 0; s < 2; s++) { // an island between two points of the grid
            const double end = edge(r, low, points[s ? k : k - 2], coherent);
            widen(r, &end, to);
        }
    }
    return best;
}

static void empty(interval (*to)[3]) {
    for (int i = 0; i < MAX_JOINTS; i++)
        for (int d = 0; d < 3; d++) to[i][d] = (interval){INFINITY, -INFINITY};
}

// For at most one unknown. Coherent ones for one degree of freedom.
static void scan_bounds(const region *r, int freedom, bounds *out) {
    empty(out->all), empty(out->coherent);
    out->c_star = scan(r, 0, out->all);
    if (freedom != 1) return;
    out->c_star_coherent = fmin(scan(r, 1, out->coherent), scan(r, -1, out->coherent));
}

// --- several unknowns
// -----------------------------------------------------------------------------------------

// alpha of the forces that the loads were made from.
static void planted_point(const exact *e, double *alpha) {
    for (int q = 0; q < e->nullity; q++) {
        alpha[q] = 0;
        for (int c = 0; c < e->columns; c++)
            alpha[q] += e->Z[q][c] * e->length[c] * e->length[c] * (e->planted[c] - e->x0[c]);
    }
}

// Points of the set, one after the other along random lines, from a point in it. Returns the smallest ratio
// on the way.
static double walk(const region *r, rng *random, double *alpha, int steps, interval (*to)[3]) {
    double direction[EX_NULL], next[EX_NULL], best = ratio_at(r, alpha, 0);
    widen(r, alpha, to);
    for (int k = 0; k < steps; k++) {
        double length = r->scale * pow(10, rng_uniform(random, -2, 2));
        for (int q = 0; q < r->unknowns; q++) direction[q] = rng_uniform(random, -1, 1);
        for (int half = 0; half < 12; half++, length *= 0.5) {
            for (int q = 0; q < r->unknowns; q++) next[q] = alpha[q] + length * direction[q];
            const double ratio = ratio_at(r, next, 0);
            if (ratio > 1) continue;
            best = fmin(best, ratio);
            memcpy(alpha, next, (size_t)r->unknowns * sizeof *alpha);
            widen(r, alpha, to);
            break;
        }
    }
    return best;
}

#endif
