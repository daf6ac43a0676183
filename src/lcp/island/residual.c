// The one residual, by which every solver's answer is judged.
//
//     sqrt(sum_c d_c |p_c - P_c(p_c - w_c/d_c)|^2) / max(min(|p|, G natural), |w_free|, E |f|)
//
//     |p|      = sqrt(sum_c d_c |p_c|^2), counted up to G = BR_LCP_MAX_GROWTH times the natural size, that of |w_free| and of
//                the bounds that exclude zero: impulses that run away must not make any velocity small beside them
//     |w_free| = sqrt(sum_c |w_free,c|^2 / d_c), the load
//     |f|      = sqrt(f^T M^-1 f), the momentum of the motion without impulses; E = BR_EPS_MOMENTUM. w is a difference of the
//                bodies' velocities, and bodies that move together have a load that is rounding of these. Velocity form only.
//
// In an island's scaled variables d_c = 1. For matrix problems whose laws are all rows (LCP, boxed, mixed) it is
//
//     max_i |z_i - clip(z_i - w_i, lower_i, upper_i)| / max(1, max|q|)       with |w_i| where z_i is free
//
// A problem at rest without load has residual 0; one whose rows cannot move and are violated has residual 1.
#include "lcp/island/island.h"

#include <float.h>
#include <math.h>

// BR_EPS_MOMENTUM: with the 1e-10 of time steps a defect of 1e-14 of the velocities passes, some fifty roundings of them.
#define BR_EPS_MOMENTUM 1e-4
#define BR_MAX_DEFECT 1e-5                   // of the natural size, by a tolerance of 1e-6 and less
#define REST_GROWTH 1e5                      // of an answer that is already as good as its rounding
#define LEAST_GROWTH 10.0                    // |p| over the natural size that looser tolerances count
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
    br_lcp_judgement sum = {.free2 = s->free_norm * s->free_norm,
                            .natural2 = s->natural * s->natural,
                            .momentum2 = s->momentum2,
                            .row_scale = s->max_q};
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
    a.natural2 += b.natural2;
    a.momentum2 += b.momentum2;
    if (b.row_max > a.row_max) a.row_max = b.row_max;
    if (b.row_scale > a.row_scale) a.row_scale = b.row_scale;
    return a;
}

static double judged_residual(br_lcp_judgement total, int rows_in_matrix_form, double growth) {
    if (rows_in_matrix_form) return total.row_max / fmax(1.0, total.row_scale);
    if (total.defect2 == 0.0) return 0.0;
    const double moved2 = BR_EPS_MOMENTUM * BR_EPS_MOMENTUM * total.momentum2;
    const double most2 = total.natural2 > 0.0 ? growth * growth * total.natural2 : INFINITY;
    double scale2 = total.impulse2 < most2 ? total.impulse2 : most2; // by hand: every step comes here
    if (!(scale2 > total.free2)) scale2 = total.free2;
    if (!(scale2 > moved2)) scale2 = moved2;
    if (!(total.defect2 < INFINITY)) return INFINITY;         // NaN too
    return scale2 > 0.0 ? sqrt(total.defect2 / scale2) : 1.0; // nothing can move: the load is all defect
}

double br_lcp_judgement_residual(br_lcp_judgement total, int rows_in_matrix_form) {
    return judged_residual(total, rows_in_matrix_form, BR_LCP_MAX_GROWTH);
}

double br_lcp_judgement_of_load(br_lcp_judgement total, int rows_in_matrix_form) {
    return judged_residual(total, rows_in_matrix_form, 1.0);
}

void br_lcp_island_cap_scale(br_lcp_island *s, double tol) {
    s->growth = fmax(LEAST_GROWTH, fmin(BR_LCP_MAX_GROWTH, BR_MAX_DEFECT / tol));
}

br_lcp_judgement br_lcp_island_judgement(br_lcp_island *s) {
    if (s->is_judged) return s->judged;
    s->judged = br_lcp_island_judge(s);
    double largest = 0.0;
    for (int i = 0; i < s->rows; i++) largest = fabs(s->p[i]) > largest ? fabs(s->p[i]) : largest;
    s->largest = largest;
    s->is_judged = 1;
    return s->judged;
}

// A spring's own b = C h f is the larger the softer it is, and moves nothing by itself: beside it contacts that stick would be
// left with velocities that are none of theirs. Its load here is the velocity that its impulse w_free/(d + C) makes,
// or what its rounding leaves, if that is more.
static double own_residual(br_lcp_island *s, double growth) {
    br_lcp_judgement own = br_lcp_island_judgement(s);
    if (s->compliant) {
        const double moved2 = fmax(s->moved2, BR_EPS_MOMENTUM * BR_EPS_MOMENTUM * own.free2);
        own.natural2 = fmax(own.natural2 - own.free2, 0.0) + moved2;
        own.free2 = moved2;
    }
    own.defect2 += DBL_EPSILON * s->largest * DBL_EPSILON * s->largest; // what rounding of p hides of w
    return judged_residual(own, s->judged_by_rows, growth);
}

double br_lcp_island_residual(br_lcp_island *s) {
    return own_residual(s, s->growth);
}

// Rows in matrix form, beside the rows that carry a force or should: q of a stop that is far away grows with 1/h^2, and beside that
// a joint would be at rest while it swings about the stop it leans on.
static double row_unrest(const br_lcp_island *s) {
    double worst = 0.0, scale = 0.0;
    for (int i = 0; i < s->laws; i++) {
        const br_lcp_law *law = &s->law[i];
        double lower, upper;
        br_lcp_law_bounds(law, &lower, &upper);
        for (int k = law->row; k < law->row + law->rows; k++) {
            const double d = row_defect(s->p[k] / law->scale, s->w[k] * law->scale, lower / law->scale,
                                        upper / law->scale);
            if (d == 0.0 && s->p[k] == 0.0) continue;
            worst = fmax(worst, d);
            scale = fmax(scale, law->scale * fmax(fabs(s->offset[k]), fabs(s->p[k])));
        }
    }
    return worst == 0.0 ? 0.0 : worst / scale;
}

double br_lcp_island_unrest(br_lcp_island *s) {
    if (s->judged_by_rows) return row_unrest(s);
    return own_residual(s, fmax(s->growth, REST_GROWTH));
}
