// [TanLiu]: the standard-form complementarity problem of its Eqs. 12-15 on a scene like its Fig. 1b, three systems and four
// contacts with eight directions each, and what its section 5 says about stabilization.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/papers.h"

static const char SCENE[] = "tan_liu_systems";
enum { DIRECTIONS = 8 };
// Steps before the problem is looked at: all four contacts carry force and slide, the plate has begun to sink.
enum { STEPS_BEFORE = 20 };

// One problem with its answer, and another answer to hold against it.
typedef struct lcp_work {
    papers_world world;
    br_standard_lcp *lcp;
    double *z, *w, *v, *z_other, *v_other;
} lcp_work;

static void end(lcp_work *k) {
    papers_sim_close(&k->world);
    br_standard_lcp_free(k->lcp);
    free(k->z);
    memset(k, 0, sizeof *k);
}

static br_status tan_liu_solve(const lcp_work *k, double epsilon, int scale, double *z, double *v,
                               br_error *error) {
    const br_standard_options options = {epsilon, scale};
    br_solve_report report;
    br_status status = br_standard_lcp_solve(k->lcp, &options, z, k->w, v, &report, error);
    if (status == BR_OK && report.outcome != BR_CONVERGED) {
        status = cli_error(error, BR_NUMERICAL, "papers-lcp", NULL, 0, "Lemke ended with %s, residual %.3g",
                           br_outcome_name(report.outcome), report.residual);
    }
    return status;
}

static br_status tan_liu_begin(lcp_work *k, br_error *error) {
    memset(k, 0, sizeof *k);
    br_status status = papers_sim(SCENE, NULL, 0, STEPS_BEFORE, &k->world, error);
    if (status == BR_OK) status = br_sim_standard_lcp(k->world.sim, DIRECTIONS, &k->lcp, error);
    if (status == BR_OK) {
        const size_t n = (size_t)k->lcp->n, m = (size_t)k->lcp->m;
        k->z = calloc(3 * n + 2 * m + 1, sizeof *k->z);
        k->w = k->z + n;
        k->z_other = k->w + n;
        k->v = k->z_other + n;
        k->v_other = k->v + m;
        if (!k->z) status = cli_no_memory(error, "not enough memory");
    }
    if (status == BR_OK) status = tan_liu_solve(k, 0, 0, k->z, k->v, error);
    if (status != BR_OK) end(k);
    return status;
}

static double largest(const double *a, const double *b, int n) { // of |a - b|; b NULL: of |a|
    double r = 0;
    for (int k = 0; k < n; k++) r = fmax(r, fabs(a[k] - (b ? b[k] : 0)));
    return r;
}

// ---------------------------------------------------------------------------------------------------------- sizes

// Which of m, p, d, p d, n; in the order of the rows below.
static br_status size_of(papers_run *run, const papers_row *row, double *value, br_error *error) {
    lcp_work k;
    (void)run;
    const br_status status = tan_liu_begin(&k, error);
    if (status != BR_OK) return status;
    const int sizes[] = {k.lcp->m, k.lcp->p, k.lcp->p * k.lcp->d, k.lcp->n};
    *value = sizes[(int)row->argument];
    end(&k);
    return BR_OK;
}

// Ones of E outside their place, and places without a one.
static br_status structure_of_e(papers_run *run, const papers_row *row, double *value, br_error *error) {
    lcp_work k;
    (void)run, (void)row;
    const br_status status = tan_liu_begin(&k, error);
    if (status != BR_OK) return status;
    const int p = k.lcp->p, d = k.lcp->d;
    *value = 0;
    for (int i = 0; i < p * d; i++)
        for (int j = 0; j < p; j++) *value += k.lcp->E[i * p + j] != (i / d == j ? 1.0 : 0.0);
    end(&k);
    return BR_OK;
}

// --------------------------------------------------------------------------------------------------- stabilization

// N f_n + B f_d: multipliers of opposite directions are not unique in stick, their sum is.
static void generalized_force(const br_standard_lcp *l, const double *z, double *out) {
    for (int r = 0; r < l->m; r++) {
        out[r] = 0;
        for (int j = 0; j < l->p; j++) out[r] += l->N[r * l->p + j] * z[j];
        for (int i = 0; i < l->p * l->d; i++) out[r] += l->B[r * l->p * l->d + i] * z[l->p + i];
    }
}

static br_status change_of_forces(double epsilon, int scale, double *value, br_error *error) {
    lcp_work k;
    br_status status = tan_liu_begin(&k, error);
    if (status != BR_OK) return status;
    status = tan_liu_solve(&k, epsilon, scale, k.z_other, k.v_other, error);
    if (status == BR_OK) {
        generalized_force(k.lcp, k.z, k.v);
        generalized_force(k.lcp, k.z_other, k.v_other);
        *value = largest(k.v, k.v_other, k.lcp->m) / largest(k.v, NULL, k.lcp->m);
    }
    end(&k);
    return status;
}

static br_status scaling(papers_run *run, const papers_row *row, double *value, br_error *error) {
    (void)run, (void)row;
    return change_of_forces(0, 1, value, error);
}

static br_status shift(papers_run *run, const papers_row *row, double *value, br_error *error) {
    (void)run;
    return change_of_forces(row->argument, 0, value, error);
}

// ----------------------------------------------------------------------------------------------- friction directions

// B^T q' of contact j along direction i.
static double tan_liu_along(const lcp_work *k, int j, int i) {
    const br_standard_lcp *l = k->lcp;
    double sum = 0;
    for (int r = 0; r < l->m; r++) sum += l->B[r * l->p * l->d + j * l->d + i] * k->v[r];
    return sum;
}

static int most_opposed(const lcp_work *k, int j) {
    int best = 0;
    for (int i = 1; i < k->lcp->d; i++)
        if (tan_liu_along(k, j, i) < tan_liu_along(k, j, best)) best = i;
    return best;
}

static int slides(const lcp_work *k, int j) {
    return k->z[j] > 0 && -tan_liu_along(k, j, most_opposed(k, j)) > COMPARE_SLIDES;
}

static const double *directional(const lcp_work *k, int j) { // f_d of contact j
    return k->z + k->lcp->p + j * k->lcp->d;
}

static br_status sliding_contacts(papers_run *run, const papers_row *row, double *value, br_error *error) {
    lcp_work k;
    (void)run, (void)row;
    const br_status status = tan_liu_begin(&k, error);
    if (status != BR_OK) return status;
    *value = 0;
    for (int j = 0; j < k.lcp->p; j++) *value += slides(&k, j);
    end(&k);
    return BR_OK;
}

static br_status lambda_is_speed(papers_run *run, const papers_row *row, double *value, br_error *error) {
    lcp_work k;
    (void)run, (void)row;
    const br_status status = tan_liu_begin(&k, error);
    if (status != BR_OK) return status;
    const double *lambda = k.z + k.lcp->p * (1 + k.lcp->d);
    *value = 0;
    for (int j = 0; j < k.lcp->p; j++)
        if (slides(&k, j)) *value = fmax(*value, fabs(lambda[j] + tan_liu_along(&k, j, most_opposed(&k, j))));
    end(&k);
    return BR_OK;
}

// The part of friction in sliding that is not on the most opposed direction.
static br_status off_direction(papers_run *run, const papers_row *row, double *value, br_error *error) {
    lcp_work k;
    (void)run, (void)row;
    const br_status status = tan_liu_begin(&k, error);
    if (status != BR_OK) return status;
    *value = 0;
    for (int j = 0; j < k.lcp->p; j++) {
        const int best = most_opposed(&k, j);
        for (int i = 0; slides(&k, j) && i < k.lcp->d; i++)
            if (i != best) *value = fmax(*value, fabs(directional(&k, j)[i]) / (k.lcp->mu[j] * k.z[j]));
    }
    end(&k);
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------ the stepper

static br_status against_stepper(int forces, double *value, br_error *error) {
    lcp_work k;
    br_status status = tan_liu_begin(&k, error);
    if (status != BR_OK) return status;
    br_sim *sim = k.world.sim;
    status = br_sim_step(sim, error);
    if (status == BR_OK && !forces)
        *value = largest(br_sim_v(sim), k.v, k.lcp->m) / largest(k.v, NULL, k.lcp->m);
    for (int i = 0; status == BR_OK && forces && i < br_sim_contact_count(sim); i++) {
        char name[BR_MAX_CONTACT_NAME];
        br_contact c;
        br_sim_contact(sim, i, &c);
        br_sim_contact_name(sim, i, name, sizeof name);
        if (i == 0) *value = 0;
        for (int j = 0; j < k.lcp->p; j++)
            if (strcmp(name, k.lcp->name[j]) == 0)
                *value = fmax(*value, fabs(c.normal_force - k.z[j]) / largest(k.z, NULL, k.lcp->p));
    }
    end(&k);
    return status;
}

static br_status stepper_velocity(papers_run *run, const papers_row *row, double *value, br_error *error) {
    (void)run, (void)row;
    return against_stepper(0, value, error);
}

static br_status stepper_force(papers_run *run, const papers_row *row, double *value, br_error *error) {
    (void)run, (void)row;
    return against_stepper(1, value, error);
}

// --------------------------------------------------------------------------------------------------------- the rows

#define ROW(what, unit_, printed_, reference_, tolerance_, compute_, argument_, note_)                       \
    {                                                                                                        \
        .example = "three systems", .quantity = what, .unit = unit_, .printed = printed_,                    \
        .reference = reference_, .tolerance = tolerance_, .scene = SCENE, .compute = compute_,               \
        .argument = argument_, .note = note_                                                                 \
    }

static const papers_row rows[] = {
    ROW("rows of N and B: m", "1", NAN, 9, 0, size_of, 0, "2 of the arm, 6 of the dumbbell, 1 of the plate"),
    ROW("columns of N: p", "1", 4, NAN, 0, size_of, 1, NULL),
    ROW("columns of B, rows of E: p d", "1", 32, NAN, 0, size_of, 2, NULL),
    ROW("rows of A and q: p + p d + p", "1", 40, NAN, 0, size_of, 3, NULL),
    ROW("entries of E that differ from Eq. 10", "1", NAN, 0, 0, structure_of_e, 0, NULL),
    ROW("contacts that slide in the step", "1", NAN, 4, 0, sliding_contacts, 0, NULL),
    ROW("sliding: lambda + min(B^T q'), largest", "m/s", NAN, 0, 1e-9, lambda_is_speed, 0, NULL),
    ROW("sliding: friction off the most opposed direction, largest part", "1", NAN, 0, 1e-9, off_direction, 0,
        NULL),
    ROW("E and mu scaled by dt: change of forces", "1", NAN, 0, 1e-9, scaling, 0, NULL),
    ROW("A_ii (1 + 1e-6): change of forces", "1", NAN, 0, 1e-5, shift, 1e-6,
        "this one changes the answer, as the paper says: by about epsilon"),
    ROW("A_ii (1 + 1e-3): change of forces", "1", NAN, 0, 1e-2, shift, 1e-3,
        "this one changes the answer, as the paper says: by about epsilon"),
    ROW("velocities of the stepper with law polygon(8): difference", "1", NAN, 0, 1e-9, stepper_velocity, 0,
        NULL),
    ROW("normal forces of the stepper with law polygon(8): difference", "1", NAN, 0, 1e-9, stepper_force, 0,
        NULL),
};

const papers_paper papers_tan_liu = {
    .key = "tan_liu",
    .title = "Tan, Siu, Liu: contact handling for articulated rigid bodies using LCP",
    .rows = rows,
    .count = (int)(sizeof rows / sizeof *rows),
};
