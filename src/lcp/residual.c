// The one residual, by which every solver's answer is judged.
//
//     sqrt(sum_c d_c |p_c - P_c(p_c - w_c/d_c)|^2) / max(sqrt(sum_c d_c |p_c|^2), sqrt(sum_c |w_free,c|^2 / d_c))
//
// In an island's scaled variables d_c = 1. For matrix problems whose laws are all rows (LCP, boxed, mixed) it is
//
//     max_i |z_i - clip(z_i - w_i, lower_i, upper_i)| / max(1, max|q|)       with |w_i| where z_i is free
//
// A problem at rest without load has residual 0.
#include "lcp/island.h"

#include <float.h>
#include <math.h>

#define COMPLIANT_ROUNDING (8 * DBL_EPSILON) // of C p, in w: one of p itself, and of the sum

// Where the bounds are not met the defect is w itself: z - (z - w) would lose w behind a huge z.
static double row_defect(double z, double w, double lower, double upper) {
    if (!isfinite(z) || !isfinite(w)) return INFINITY;
    if (z - w <= lower) return fabs(z - lower);
    if (z - w >= upper) return fabs(z - upper);
    return fabs(w);
}

// A soft row's w = J v + C p + b is a difference of large numbers: p has no digits for less than this.
static const double *what_rounding_shows(const br_lcp_law *law, const double *C, const double *p,
                                         const double *w, double *seen) {
    for (int r = 0; r < law->rows; r++)
        seen[r] = fabs(w[r]) <= COMPLIANT_ROUNDING * C[r] * fabs(p[r]) ? 0.0 : w[r];
    return seen;
}

br_lcp_judgement br_lcp_island_judge(const br_lcp_island *s) {
    br_lcp_judgement sum = {.free2 = s->free_norm * s->free_norm, .row_scale = s->max_q};
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        const double *p = s->p + law->row, *w = s->w + law->row;
        double defect[BR_MAX_LAW_ROWS], seen[BR_MAX_LAW_ROWS];
        if (s->compliant) w = what_rounding_shows(law, s->compliance + law->row, p, w, seen);
        if (law->kind == BR_LAW_CONE && law->rows == 3)
            br_lcp_cone_defect(law->mu, p, w, defect);
        else
            br_lcp_law_defect(law, p, w, defect);
        for (int r = 0; r < law->rows; r++) {
            sum.defect2 += defect[r] * defect[r];
            if (!law->immovable) sum.impulse2 += p[r] * p[r];
        }
        if (!s->judged_by_rows) continue;
        double lower, upper;
        br_lcp_law_bounds(law, &lower, &upper);
        for (int r = 0; r < law->rows; r++) {
            const double d =
                row_defect(p[r] / law->scale, w[r] * law->scale, lower / law->scale, upper / law->scale);
            if (d > sum.row_max) sum.row_max = d;
        }
    }
    return sum;
}

br_lcp_judgement br_lcp_judgement_add(br_lcp_judgement a, br_lcp_judgement b) {
    a.defect2 += b.defect2;
    a.impulse2 += b.impulse2;
    a.free2 += b.free2;
    if (b.row_max > a.row_max) a.row_max = b.row_max;
    if (b.row_scale > a.row_scale) a.row_scale = b.row_scale;
    return a;
}

double br_lcp_judgement_residual(br_lcp_judgement total, int rows_in_matrix_form) {
    if (rows_in_matrix_form) return total.row_max / fmax(1.0, total.row_scale);
    const double scale2 = fmax(total.impulse2, total.free2);
    if (total.defect2 == 0.0) return 0.0;
    return scale2 > 0.0 ? sqrt(total.defect2 / scale2) : INFINITY;
}

// BR_MAX_GROWTH: |p| over the natural size up to which the residual may be relative to |p|.
#define BR_MAX_GROWTH 1e6
#define BR_MAX_DEFECT 1e-3 // of the natural size

void br_lcp_island_cap_scale(br_lcp_island *s, double tol) {
    const double growth = fmax(10.0, fmin(BR_MAX_GROWTH, BR_MAX_DEFECT / tol));
    s->scale_cap = s->natural > 0.0 ? growth * s->natural : INFINITY;
}

br_lcp_judgement br_lcp_island_judgement(br_lcp_island *s) {
    if (!s->is_judged) s->judged = br_lcp_island_judge(s);
    s->is_judged = 1;
    return s->judged;
}

double br_lcp_island_residual(br_lcp_island *s) {
    br_lcp_judgement own = br_lcp_island_judgement(s);
    double largest = 0.0; // what rounding of p hides of w counts as defect
    for (int i = 0; i < s->rows; i++) largest = fabs(s->p[i]) > largest ? fabs(s->p[i]) : largest;
    own.defect2 += DBL_EPSILON * largest * DBL_EPSILON * largest;
    own.impulse2 = fmin(own.impulse2, s->scale_cap * s->scale_cap);
    return br_lcp_judgement_residual(own, s->judged_by_rows);
}
