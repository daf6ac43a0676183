// Creating the integrator of the reference stepper: methods, tolerances, memory.
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "base/error.h"
#include "friction/law.h"
#include "sim/stepper/reference/contact.h"

#define BR_SAFETY 0.1               // tolerance of one step, of solver.tol: errors of many steps add up
#define BR_DIFFERENCE_POSITION 1e-7 // of the size, or rad: increments of the matrix
#define BR_DIFFERENCE_SPEED 1e-4    // of the slowest slip
#define BR_DIFFERENCE_STATE                                                                                  \
    1e-3 // of the absolute over the relative tolerance of a state: 1e-5 of its size, of those of joints 1e-3
#define BR_MIN_DIFFERENCE 100.0 // roundings of the largest speed
#define BR_EPS_REFERENCE 1e-14  // the tightest relative tolerance that rounding leaves room for
#define BR_EPS_SMALL 1e-2 // absolute tolerances, of the relative one and the scale: small numbers matter less

br_status br_reference_no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the reference stepper");
}

// What CVODE says is in its return value; it must not print.
// NOLINTNEXTLINE(readability-non-const-parameter) the type is CVODE's
static void quiet(int code, const char *module, const char *function, char *message, void *context) {
    (void)code, (void)module, (void)function, (void)message, (void)context;
}

static int does_work(const br_sim *sim) {
    const br_model *m = sim->model;
    if (m->loads > 0 || m->drives > 0 || m->constraints > 0 || sim->springs > 0 || m->beams > 0) return 1;
    for (int i = 0; i < m->loops; i++)
        if (m->joint[m->loop[i].joint].sprung) return 1;
    return 0;
}

// Relative, of one step.
static double tolerance_of(const br_reference *r) {
    return fmax(BR_SAFETY * r->sim->model->settings.solver.tol, BR_EPS_REFERENCE) * r->relaxation;
}

// Absolute tolerances: of lengths, of angles in rad, of a quaternion in full, of their rates per second, of energies.
int br_reference_tolerances(br_reference *r, void *memory) {
    const double rtol = tolerance_of(r);
    const br_tree *tree = &r->sim->model->tree;
    double *a = N_VGetArrayPointer(r->absolute);
    const double length = r->sim->length_scale;
    double mass = 0.0;
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const int turning = link->kind->nq != link->kind->nv;
        mass += link->mass;
        for (int k = 0; k < link->kind->nq; k++) {
            const int quaternion = turning && k >= link->kind->nq - 4;
            const int angle = link->kind->angles >> k & 1u;
            a[link->q_at + k] = quaternion ? rtol : rtol * BR_EPS_SMALL * (angle ? 1.0 : length);
        }
        for (int k = 0; k < link->kind->nv; k++) {
            const int turns = turning ? k >= link->kind->nv - 3 : (int)(link->kind->angles >> k & 1u);
            a[r->nq + link->v_at + k] = rtol * BR_EPS_SMALL * (turns ? 1.0 : length);
        }
    }
    const double energy = fmax(mass * length * length, fabs(r->sim->energy->kinetic));
    for (int k = r->nq + r->nv; k < r->n; k++) a[k] = rtol * energy;
    br_reference_friction_tolerances(r, rtol, a);
    br_bristles_tolerances(r, rtol, a);
    return CVodeSVtolerances(memory, rtol, r->absolute) != CV_SUCCESS;
}

static int configure(br_reference *r, void *memory) {
    if (CVodeSetErrHandlerFn(memory, quiet, NULL) != CV_SUCCESS) return 1;
    if (CVodeInit(memory, br_reference_rate, r->t, r->y) != CV_SUCCESS) return 1;
    if (br_reference_tolerances(r, memory)) return 1;
    if (CVodeSetUserData(memory, r) != CV_SUCCESS || CVodeSetMaxHnilWarns(memory, -1) != CV_SUCCESS) return 1;
    if (r->limits == 0) return 0;
    for (int i = 0; i < r->limits; i++) r->on[i] = -1; // falling only
    const int failed = CVodeRootInit(memory, r->limits, br_reference_roots) != CV_SUCCESS ||
                       CVodeSetRootDirection(memory, r->on) != CV_SUCCESS ||
                       CVodeSetNoInactiveRootWarn(memory) != CV_SUCCESS;
    for (int i = 0; i < r->limits; i++) r->on[i] = 0;
    r->active = 0;
    return failed;
}

static br_status create_adams(br_reference *r, br_error *error) {
    r->adams = CVodeCreate(CV_ADAMS, r->context);
    r->fixed_point = SUNNonlinSol_FixedPoint(r->y, 0, r->context);
    if (!r->adams || !r->fixed_point || configure(r, r->adams) ||
        CVodeSetNonlinearSolver(r->adams, r->fixed_point) != CV_SUCCESS)
        return br_reference_no_memory(error);
    return BR_OK;
}

// With respect to velocities friction changes on the scale of the slowest slip, which no general rule for differences knows:
// increments far below it leave nothing but rounding. And the matrix is made anew at every step: it falls with 1/slip, and one
// that is far too large makes Newton's method stop at once, at a wrong place.
static double increment(const br_reference *r, int j) {
    const br_reference_contact *c = r->contact;
    double slowest = c->speed;
    const int states = r->nq + r->nv + r->books;
    if (j >= states) // bent as absolute tolerances are: those of no contact change nothing
        return j < r->n - r->unused
                   ? BR_DIFFERENCE_STATE * N_VGetArrayPointer(r->absolute)[j] / tolerance_of(r)
                   : 0.0;
    if (j >= r->nq + r->nv) return 0.0;
    if (j < r->nq) return BR_DIFFERENCE_POSITION * fmin(1.0, c->size);
    for (int i = 0; i < c->count; i++)
        if (c->hold[i].state == BR_CONTACT_SLIPS)
            slowest = fmin(slowest, fmax(c->hold[i].speed, c->hold[i].v0));
    for (int i = 0; i < c->count; i++)
        if (c->hold[i].follows)
            slowest = fmin(slowest, fmax(c->hold[i].speed, br_friction_rest_speed(c->hold[i].follows)));
    const double by = BR_DIFFERENCE_SPEED * slowest / fmax(1.0, c->size);
    return fmax(by, BR_MIN_DIFFERENCE * DBL_EPSILON * c->speed);
}

static int jacobian(realtype t, N_Vector y, N_Vector f, SUNMatrix J, void *reference, N_Vector moved,
                    N_Vector changed, N_Vector unused) {
    br_reference *r = reference;
    const double *f0 = N_VGetArrayPointer(f), *f1 = N_VGetArrayPointer(changed);
    double *x = N_VGetArrayPointer(moved);
    (void)unused;
    N_VScale(1.0, y, moved);
    for (int j = 0; j < r->n; j++) {
        const double kept = x[j], by = increment(r, j);
        for (int i = 0; i < r->n && !(by > 0.0); i++) SM_ELEMENT_D(J, i, j) = 0.0;
        if (!(by > 0.0)) continue;
        x[j] = kept + by;
        const double step = x[j] - kept;
        const int failed = br_reference_rate(t, moved, changed, r);
        x[j] = kept;
        if (failed) return failed;
        for (int i = 0; i < r->n; i++) SM_ELEMENT_D(J, i, j) = (f1[i] - f0[i]) / step;
    }
    return 0;
}

// Only when it is needed: its matrix is as large as the square of the state.
br_status br_reference_create_bdf(br_reference *r, br_error *error) {
    const sunindextype n = r->n;
    r->bdf = CVodeCreate(CV_BDF, r->context);
    r->matrix = SUNDenseMatrix(n, n, r->context);
    r->linear = r->matrix ? SUNLinSol_Dense(r->y, r->matrix, r->context) : NULL;
    if (!r->bdf || !r->linear || configure(r, r->bdf) ||
        CVodeSetLinearSolver(r->bdf, r->linear, r->matrix) != CV_SUCCESS ||
        (r->contact && (CVodeSetJacFn(r->bdf, jacobian) != CV_SUCCESS ||
                        CVodeSetJacEvalFrequency(r->bdf, 1) != CV_SUCCESS ||
                        CVodeSetLSetupFrequency(r->bdf, 1) != CV_SUCCESS)))
        return br_reference_no_memory(error);
    return BR_OK;
}

br_status br_reference_create(br_sim *sim, br_error *error) {
    const br_model *m = sim->model;
    br_reference *r = BR_TAKE(&sim->arena, br_reference, 1);
    if (!r) return br_reference_no_memory(error);
    r->sim = sim;
    r->nq = m->tree.nq, r->nv = m->tree.nv;
    r->outside = sim->outside - 1;
    r->books = sim->contacts || sim->frictions ? BR_INTEGRALS : BR_INTEGRAL_FRICTION;
    r->states = br_reference_friction_states(sim) + br_play_states(sim);
    r->bristles = r->unused = br_bristle_states(sim);
    r->n = r->nq + r->nv + r->books + r->states + r->bristles;
    r->has_power = does_work(sim);
    sim->exact.sharp = r->held.sharp = 1; // nearly singular positions are avoided, see reference/rate.c
    br_status status = br_reference_limits_create(r, error);
    if (status != BR_OK) return status;
    const int rows = sim->exact.rows + r->limits;
    r->q = BR_TAKE(&sim->arena, double, r->nq);
    r->v = BR_TAKE(&sim->arena, double, r->nv);
    r->weak = BR_TAKE(&sim->arena, double, sim->exact.rows);
    r->row_size = BR_TAKE(&sim->arena, double, sim->exact.rows);
    r->resisted = BR_TAKE(&sim->arena, double, sim->model->tree.links);
    r->error = BR_TAKE(&sim->arena, double, r->nv);
    r->q_before = BR_TAKE(&sim->arena, double, r->nq);
    r->loop_q = BR_TAKE(&sim->arena, double, m->loop_nq);
    r->loop_q_safe = BR_TAKE(&sim->arena, double, m->loop_nq);
    r->relaxation = 1.0;
    r->dv = BR_TAKE(&sim->arena, double, r->nv);
    r->force = BR_TAKE(&sim->arena, double, rows);
    if (!r->q || !r->v || !r->weak || !r->row_size || !r->resisted || !r->error || !r->q_before ||
        !r->loop_q || !r->loop_q_safe || !r->dv || !r->force)
        return br_reference_no_memory(error);
    status = br_reference_contact_create(r, error);
    if (status != BR_OK) {
        br_reference_contact_destroy(r);
        return status;
    }
    sim->reference = r; // from here on br_sim_destroy gives back what was taken
    if (SUNContext_Create(NULL, &r->context) != 0) return br_reference_no_memory(error);
    r->y = br_reference_vector(r);
    r->absolute = br_reference_vector(r);
    r->scratch = br_reference_vector(r);
    r->safe = br_reference_vector(r);
    if (!r->y || !r->absolute || !r->scratch || !r->safe) return br_reference_no_memory(error);
    N_VConst(0.0, r->y);
    r->t = sim->state.at->t;
    status = create_adams(r, error);
    return status;
}

void br_reference_destroy(br_reference *r) {
    if (!r) return;
    br_reference_contact_destroy(r);
    if (r->adams) CVodeFree(&r->adams);
    if (r->bdf) CVodeFree(&r->bdf);
    if (r->fixed_point) SUNNonlinSolFree(r->fixed_point);
    if (r->linear) SUNLinSolFree(r->linear);
    if (r->matrix) SUNMatDestroy(r->matrix);
    if (r->y) N_VDestroy(r->y);
    if (r->absolute) N_VDestroy(r->absolute);
    if (r->scratch) N_VDestroy(r->scratch);
    if (r->safe) N_VDestroy(r->safe);
    if (r->context) SUNContext_Free(&r->context);
}
