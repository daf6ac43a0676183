// Proving that an island has no solution. Rows can only conflict where their law asks something of w:
// equalities, unilateral rows and the normals of contacts. A direction r that
//
//     moves nothing          J^T r = 0,  C r = 0
//     asks what laws ask     r >= 0 where w >= 0 is asked, free where w = 0, 0 on all other rows
//     and is contradicted    b^T r < 0
//
// is a certificate: along it w^T r = b^T r < 0 whatever v and p are, while the laws ask for w^T r >= 0. In matrix form only
// single rows are looked at: A need not be symmetric there.
#include "lcp/newton/newton.h"

#include <math.h>
#include <string.h>

#define CERTIFICATE_STILL 1e-10 // |J^T r| in the energy norm, relative to |r|
#define CERTIFICATE_GAIN                                                                                     \
    1e-6 // -b^T r, relative to |r| times load: together they exclude answers below 1e4 loads
#define CERTIFICATE_STEPS 3 // proximal steps that leave in w only what no impulse can change

// What the law asks of w in row r: 0: nothing, 1: w >= 0, 2: w = 0. A friction row's w may be anything.
typedef enum demand { NOTHING, NOT_NEGATIVE, ZERO } demand;

static demand demand_of(const br_lcp_law *law, int r) {
    if (br_lcp_law_is_rows(law->kind)) {
        double lower, upper;
        br_lcp_law_bounds(law, &lower, &upper);
        return isfinite(upper) ? NOTHING : isfinite(lower) ? NOT_NEGATIVE : ZERO;
    }
    if (law->kind == BR_LAW_JOINT_FRICTION) return r < law->normal_rows ? ZERO : NOTHING;
    return r == 0 ? NOT_NEGATIVE : NOTHING; // the normal of a contact
}

static double infeasible_norm(int n, const double *x) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

// Keeps of r what the laws allow.
static void restrict_to_laws(const br_lcp_island *s, double *r) {
    for (int i = 0; i < s->laws; i++)
        for (int k = 0; k < s->law[i].rows; k++) {
            double *x = &r[s->law[i].row + k];
            const demand asked = demand_of(&s->law[i], k);
            if (asked == NOTHING || (asked == NOT_NEGATIVE && *x < 0.0)) *x = 0.0;
        }
}

static int is_certificate(br_lcp_island *s, const double *r) {
    const double size = infeasible_norm(s->rows, r);
    if (!(size > 0.0) || !isfinite(size)) return 0;
    double gain = 0.0, give = 0.0, kinetic = 0.0;
    for (int i = 0; i < s->rows; i++) {
        gain += s->offset[i] * r[i];
        give += s->compliance[i] * r[i] * r[i];
    }
    memset(s->step_v, 0, (size_t)s->scalars * sizeof *s->step_v);
    br_lcp_island_add_jt(s, r, s->step_v);
    memcpy(s->v, s->step_v, (size_t)s->scalars * sizeof *s->v);
    br_lcp_island_solve_mass(s, s->v);
    for (int i = 0; i < s->scalars; i++) kinetic += s->v[i] * s->step_v[i];
    return sqrt(fabs(kinetic) + give) <= CERTIFICATE_STILL * size &&
           -gain > CERTIFICATE_GAIN * size * fmax(infeasible_norm(s->rows, s->offset), s->free_norm);
}

// Matrix form: a row of A that is all zero, whose w is b whatever p is.
static int is_zero_row(const br_lcp_island *s, int law, int row) {
    for (int e = s->block_start[law]; e < s->block_start[law + 1]; e++) {
        const int n = s->law[s->block_law[e]].rows;
        const double *entries = s->block + s->block_offset[e] + row * n;
        for (int k = 0; k < n; k++)
            if (entries[k] != 0.0) return 0;
    }
    return s->compliance[s->law[law].row + row] == 0.0;
}

static int contradicted_row(const br_lcp_island *s, double *certificate) {
    const double least = CERTIFICATE_GAIN * fmax(infeasible_norm(s->rows, s->offset), s->free_norm);
    memset(certificate, 0, (size_t)s->rows * sizeof *certificate);
    for (int i = 0; i < s->laws; i++)
        for (int k = 0; k < s->law[i].rows; k++) {
            const demand asked = demand_of(&s->law[i], k);
            const double b = s->offset[s->law[i].row + k];
            if (asked == NOTHING || !(asked == ZERO ? fabs(b) > least : -b > least) || !is_zero_row(s, i, k))
                continue;
            certificate[s->law[i].row + k] = (b < 0.0 ? 1.0 : -1.0) / s->law[i].scale;
            return 1;
        }
    return 0;
}

int br_lcp_island_infeasible(br_lcp_island *s, double *certificate) {
    if (s->form != BR_FORM_VELOCITY) return contradicted_row(s, certificate);
    const int iterations = s->iterations, factorizations = s->factorizations;

    memcpy(certificate, s->p,
           (size_t)s->rows * sizeof *certificate); // an impulse that ran away is a direction itself
    restrict_to_laws(s, certificate);
    int found = is_certificate(s, certificate);
    if (!found) {
        br_lcp_newton newton;
        const br_lcp_options options = {.tol = 0.0, .max_iterations = CERTIFICATE_STEPS};
        br_lcp_island_evaluate(s);
        const double best = s->best_residual; // nor are its iterates answers
        s->best_residual = 0.0;
        br_lcp_newton_init(&newton, s, &options);
        while (br_lcp_newton_iterate(&newton) == BR_RUNNING) {}
        for (int i = 0; i < s->rows; i++) certificate[i] = -s->w[i];
        restrict_to_laws(s, certificate);
        found = is_certificate(s, certificate);
        s->iterations = iterations; // looking for a proof is no step of the method
        s->factorizations = factorizations;
        s->best_residual = best;
    }
    if (!found) return 0;
    const double size = infeasible_norm(s->rows, certificate);
    for (int i = 0; i < s->laws; i++) // unscaled, of length 1 before that
        for (int k = 0; k < s->law[i].rows; k++) certificate[s->law[i].row + k] /= size * s->law[i].scale;
    return 1;
}
