// The smallest factor on mu_static that holds, and the interval of every friction force, see feasible.h.
//
// c_star = min over alpha of max_i |f_i| / (mu_i N_i): Dinkelbach's method for several ratios. At a factor c,
// t is minimized with |f_i| <= c mu_i N_i + t D_i; the point found has a smaller largest ratio as long as t <
// 0.
#include "trust/feasible_bounds.h"

#include <math.h>
#include <string.h>

#define TOL_FACTOR 1e-11
#define MAX_ROUNDS 60
#define MAX_FACTOR 1e6         // more than this is called none
#define SMALL_FACTOR 1e-5      // less than this is none: friction that falls as 1 / alpha up to the reach
#define BR_BEYOND_REACH 1024.0 // 2^10: more would drown the loads in rounding
#define EPS_WIDE 1e-9          // of forces of order one: as wide as it can be
#define SMALL_FORCE 1e-11      // of forces of order one: rounding

static double ratio_at(const br_region *r, const double *alpha) {
    double largest = 0.0;
    for (int i = 0; i < r->pads; i++) {
        if (r->pad[i].moving) continue;
        const double f = br_region_force(r, i, alpha);
        double size = 1.0;
        // Rounding grows with alpha; but without friction nothing that is left of a force is carried, however large others are.
        for (int k = 0; k < r->pad[i].directions && r->pad[i].mu_rest > 0.0; k++)
            for (int j = 0; j < r->unknowns; j++) size += fabs(r->pad[i].f[k].q[j] * alpha[j]);
        const double limit = r->pad[i].mu_rest * br_region_load(r, i, alpha);
        if (f <= SMALL_FORCE * size) continue;
        largest = fmax(largest, limit > 0.0 ? f / limit : INFINITY);
    }
    return largest <= MAX_FACTOR ? largest : INFINITY; // a load that is rounding
}

static int far_out(const br_region *r, const double *alpha) {
    for (int j = 0; j < r->unknowns; j++)
        if (fabs(alpha[j]) > 0.1 * BR_LP_REACH) return 1;
    return 0;
}

static void set_weights(br_region *r, const double *alpha, int known) {
    double most = 0.0;
    for (int i = 0; i < r->pads; i++) {
        r->weight[i] = known && !r->pad[i].moving ? r->pad[i].mu_rest * br_region_load(r, i, alpha) : 1.0;
        most = fmax(most, r->weight[i]);
    }
    for (int i = 0; i < r->pads; i++) r->weight[i] = most > 0.0 ? fmax(r->weight[i] / most, 1e-3) : 1.0;
}

// Whether the region is not empty at a factor; `scratch` is then a point of it.
static int holds_at(br_region *r, double factor, double *scratch, int *exhaustive) {
    br_search s = br_search_default(scratch);
    s.level = 1;
    s.factor = factor;
    s.stop_below = s.known = 0.0;
    br_region_search(r, &s);
    if (!s.complete && !(s.found && s.value < 0.0)) *exhaustive = 0;
    return s.found && s.value < 0.0;
}

static double smallest_within_reach(br_region *r, double below, double *alpha, double *scratch,
                                    int *exhaustive) {
    double best = below, low = 0.0, c = isinf(below) ? 1.0 : below;
    int known = 0;
    for (int round = 0; round < MAX_ROUNDS && br_work_left(r->work); round++) {
        br_search s = br_search_default(scratch);
        s.level = 1;
        s.factor = c;
        set_weights(r, alpha, known);
        br_region_search(r, &s);
        if (!s.complete) *exhaustive = 0;
        if (!s.found) return best; // contacts that would have to pull
        double ratio = ratio_at(r, scratch);
        if (s.bound > 0.0) low = fmax(low, c);
        if (!(ratio < best)) {
            if (!isinf(best)) return best;
            c *= 10.0; // no load on some pad at this factor: try with more friction
            if (c > MAX_FACTOR) return INFINITY;
            continue;
        }
        const double before = best;
        for (int halved = 0; halved < 2; halved++) {
            best = ratio;
            memcpy(alpha, scratch, (size_t)r->unknowns * sizeof *alpha);
            known = 1;
            if (best < SMALL_FACTOR) return 0.0;
            if (before - best <= TOL_FACTOR * best || best - low <= TOL_FACTOR * best) return best;
            // Far from the optimum a look at the middle helps more.
            if (halved || isinf(before) || before - best > 0.25 * (before - low)) break;
            const double middle = 0.5 * (low + best);
            if (!holds_at(r, middle, scratch, exhaustive)) {
                low = middle;
                break;
            }
            ratio = ratio_at(r, scratch);
            if (!(ratio < best)) break;
        }
        c = best;
    }
    *exhaustive = 0;
    return best;
}

static void scale_constants(br_region *r, double factor) {
    for (int k = 0; k < r->rows; k++) r->row[k].p *= factor;
    for (int i = 0; i < r->pads; i++) {
        br_region_pad *p = &r->pad[i];
        p->linear.p *= factor, p->lift.p *= factor;
        for (int k = 0; k < BR_REGION_FORMS; k++) p->f[k].p *= factor, p->slip[k].p *= factor;
        for (int k = 0; k < p->norms; k++)
            for (int j = 0; j < p->norm[k].forms; j++) p->norm[k].form[j].p *= factor;
    }
}

// A point at the reach stands for all beyond it: with the loads a thousandth of what they are, forces that are as much larger are
// within reach, a thousand million times the loads.
double br_smallest_factor(br_region *r, double below, double *alpha, double *scratch, int *exhaustive) {
    const double near = smallest_within_reach(r, below, alpha, scratch, exhaustive);
    if (!isfinite(near) || near == 0.0 || !far_out(r, alpha)) return near;
    scale_constants(r, 1.0 / BR_BEYOND_REACH);
    const double far = smallest_within_reach(r, near, alpha, scratch, exhaustive);
    scale_constants(r, BR_BEYOND_REACH);
    if (!(far < near)) return near;
    for (int j = 0; j < r->unknowns; j++) alpha[j] *= BR_BEYOND_REACH;
    return far;
}

static double *force_vector(const br_region *r, int pad, int direction, double sign, double *q) {
    for (int j = 0; j < r->unknowns; j++) q[j] = sign * r->pad[pad].f[direction].q[j];
    return q;
}

// One end of an interval, in the region's scale: the largest of sign f, at least `known`.
static double farthest(br_region *r, const double *inside, int pad, int direction, double sign, double known,
                       double *scratch, double *q, int *exhaustive) {
    const br_affine *f = &r->pad[pad].f[direction];
    br_search s = br_search_default(scratch);
    s.objective = (br_affine){-sign * f->p, force_vector(r, pad, direction, -sign, q)};
    s.known = -known;
    s.inside = inside;
    br_region_search(r, &s);
    if (s.found && s.endless) return INFINITY;
    double far = known;
    if (s.found) far = fmax(far, -s.value);
    if (!s.complete) {
        *exhaustive = 0;
        far = fmax(far, -s.bound);
        if (far > 0.5 * BR_LP_REACH) far = INFINITY;
    }
    return far;
}

static int is_wide(double value, double widest) {
    return value == widest || (isfinite(widest) && fabs(widest - value) <= EPS_WIDE * (1.0 + fabs(widest)));
}

void br_widen_intervals(br_region *r, const double *alpha, double *low, double *high, const br_bounds *widest,
                        double *scratch, double *q, int *exhaustive) {
    // A point at the reach is no start: its forces are only as large as the reach allows.
    if (far_out(r, alpha)) alpha = NULL;
    for (int i = 0; i < r->pads && alpha; i++)
        for (int k = 0; !r->pad[i].moving && k < r->pad[i].directions; k++) {
            double *lo = &low[i * BR_REGION_FORMS + k], *hi = &high[i * BR_REGION_FORMS + k];
            const double here = br_form_value(r, &r->pad[i].f[k], alpha);
            *lo = fmin(*lo, here);
            *hi = fmax(*hi, here);
        }
    for (int i = 0; i < r->pads && br_work_left(r->work); i++)
        for (int k = 0; !r->pad[i].moving && k < r->pad[i].directions; k++) {
            double *lo = &low[i * BR_REGION_FORMS + k], *hi = &high[i * BR_REGION_FORMS + k];
            const int at = i * BR_REGION_FORMS + k;
            if (*hi < INFINITY && !(widest && is_wide(*hi, widest->high[at])))
                *hi = farthest(r, alpha, i, k, 1.0, *hi, scratch, q, exhaustive);
            if (*lo > -INFINITY && !(widest && is_wide(*lo, widest->low[at])))
                *lo = -farthest(r, alpha, i, k, -1.0, -*lo, scratch, q, exhaustive);
        }
}

void br_scale_intervals(const br_case *c, double *low, double *high) {
    for (int i = 0; i < c->rest; i++)
        for (int k = 0; k < BR_REGION_FORMS; k++) {
            low[i * BR_REGION_FORMS + k] /= c->factor[i];
            high[i * BR_REGION_FORMS + k] /= c->factor[i];
        }
}

int br_bounds_take(br_bounds *out, br_arena *arena, int rest) {
    const size_t count = (size_t)rest * BR_REGION_FORMS;
    out->c_star = INFINITY;
    out->low = BR_TAKE(arena, double, count);
    out->high = BR_TAKE(arena, double, count);
    if (!out->low || !out->high) return 0;
    for (size_t k = 0; k < count; k++) out->low[k] = INFINITY, out->high[k] = -INFINITY;
    return 1;
}

br_status br_feasible_all(br_case *c, br_arena *arena, br_bounds *out, int *exhaustive, br_error *error) {
    (void)error;
    br_region *r = &c->region;
    if (r->pads == 0) *exhaustive = 0; // the work was used up before the region was made
    double *alpha = BR_TAKE(arena, double, r->unknowns), *scratch = BR_TAKE(arena, double, r->unknowns);
    double *q = BR_TAKE(arena, double, r->unknowns);
    if (!br_bounds_take(out, arena, c->rest) || !alpha || !scratch || !q) return BR_NO_MEMORY;
    if (!c->stays || r->pads == 0)
        return BR_OK; // no forces: rest is against the accelerations that are prescribed
    out->c_star = br_smallest_factor(r, INFINITY, alpha, scratch, exhaustive);
    if (c->brief || out->c_star > 1.0 + BR_EPS_LAW) return BR_OK;
    br_widen_intervals(r, alpha, out->low, out->high, NULL, scratch, q, exhaustive);
    br_scale_intervals(c, out->low, out->high);
    return BR_OK;
}
