// What the last step solved, as printed in [Peiret2016 eq. 30]:
//
//     [ M  -A^T -N^T -D^T ] [ v+  ]   [ -(M v + h f) ]   [ 0      ]      free
//     [ A   C             ] [ h l ] + [ b            ] = [ 0      ]      free
//     [ N        C        ] [ h n ]   [ b            ]   [ Phi'+  ]      n >= 0
//     [ D             C   ] [ h t ]   [ b            ]   [ sigma+ ]      -mu h n_old <= t <= mu h n_old
//
// C on D is that of eqs. 26, 27 and 29, b = -C p~ there. Rows A also have a compliance where a spring stands behind them, and
// limits, bounded motors, rolling and torsional friction come after D.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/contact/problem.h"
#include "sim/study/lcp/standard.h"

#define BR_MAX_UNKNOWN_NAME (BR_MAX_CONTACT_NAME + 16)

typedef struct mixed {
    br_mixed_lcp lcp; // first: it is what callers hold
    br_arena arena;
    double *A, *q, *lower, *upper, *z;
    char **name;
} mixed;

typedef enum row_class { ROW_BILATERAL = 0, ROW_NORMAL, ROW_FRICTION, ROW_REST, ROW_CLASSES } row_class;

static row_class mixed_class(const struct br_contact_problem *P, int l) {
    switch (P->block[l].of) {
    case BR_BLOCK_CONTACT:
        return ROW_NORMAL;
    case BR_BLOCK_TANGENTS:
        return ROW_FRICTION;
    case BR_BLOCK_GROUP:
        return P->law[l].kind == BR_LAW_EQUALITY ? ROW_BILATERAL : ROW_REST;
    default:
        return ROW_REST;
    }
}

static void name_row(const br_sim *sim, const struct br_contact_problem *P, int l, int r, char *out) {
    static const char *const what[] = {"normal", "friction", "rolling", "torsion"};
    char touch[BR_MAX_CONTACT_NAME];
    if (br_block_is_group(P->block[l])) {
        snprintf(out, BR_MAX_UNKNOWN_NAME, "%s.%d", br_group_name(sim, &sim->group[P->block[l].index]), r);
        return;
    }
    if (P->block[l].index < sim->contacts->kept->count) // the step has put them there
        br_touch_name(sim, &sim->contacts->before[P->block[l].index], touch, sizeof touch);
    else
        snprintf(touch, sizeof touch, "contact %d", P->block[l].index);
    const int several = P->law[l].rows > 1;
    snprintf(out, BR_MAX_UNKNOWN_NAME, several ? "%s %s.%d" : "%s %s", touch, what[P->block[l].of], r);
}

static void mixed_fill_masses(const struct br_contact_problem *P, mixed *s) {
    const size_t n = (size_t)s->lcp.n;
    for (int k = 0; k < P->locals; k++) {
        const int nv = P->node_dim[k], at = P->velocity_at[k];
        for (int a = 0; a < nv; a++)
            for (int b = 0; b < nv; b++)
                s->A[(size_t)(at + a) * n + (size_t)(at + b)] = P->mass_of[k][a * nv + b];
    }
    for (int k = 0; k < P->velocities; k++) {
        s->q[k] = -P->momentum[k], s->z[k] = P->v[k];
        s->lower[k] = -INFINITY, s->upper[k] = INFINITY;
        snprintf(s->name[k], BR_MAX_UNKNOWN_NAME, "velocity %d", k);
    }
}

static void mixed_fill_law(const br_sim *sim, const struct br_contact_problem *P, int l, int at, mixed *s) {
    const br_law *law = &P->law[l];
    const size_t n = (size_t)s->lcp.n;
    for (int r = 0; r < law->rows; r++) {
        const size_t row = (size_t)(at + r);
        const int from = law->first_row + r;
        for (int b = P->jacobian_start[l]; b < P->jacobian_start[l + 1]; b++) {
            const int local = P->jacobian_node[b], nv = P->node_dim[local];
            for (int c = 0; c < nv; c++) {
                const size_t column = (size_t)(P->velocity_at[local] + c);
                const double J = P->jacobian[P->jacobian_at[b] + r * nv + c];
                s->A[row * n + column] = J, s->A[column * n + row] = -J;
            }
        }
        s->A[row * n + row] = P->compliance[from];
        s->q[row] = P->offset[from], s->z[row] = P->p[from];
        s->lower[row] = law->kind == BR_LAW_EQUALITY ? -INFINITY : law->kind == BR_LAW_BOX ? law->lower : 0.0;
        s->upper[row] = law->kind == BR_LAW_BOX ? law->upper : INFINITY;
        name_row(sim, P, l, r, s->name[row]);
    }
}

static br_status mixed_take(mixed *s) {
    const size_t n = (size_t)s->lcp.n;
    br_arena *a = &s->arena;
    char *names = BR_TAKE(a, char, n *BR_MAX_UNKNOWN_NAME);
    s->A = BR_TAKE(a, double, n *n), s->q = BR_TAKE(a, double, n), s->z = BR_TAKE(a, double, n);
    s->lower = BR_TAKE(a, double, n), s->upper = BR_TAKE(a, double, n);
    s->name = BR_TAKE(a, char *, n);
    if (!br_arena_ok(a)) return BR_NO_MEMORY;
    for (size_t k = 0; k < n; k++) s->name[k] = names + k * BR_MAX_UNKNOWN_NAME;
    br_mixed_lcp *l = &s->lcp;
    l->A = s->A, l->q = s->q, l->z = s->z, l->lower = s->lower, l->upper = s->upper;
    l->name = (const char *const *)s->name;
    return BR_OK;
}

static void mixed_fill(const br_sim *sim, const struct br_contact_problem *P, mixed *s) {
    int at = P->velocities;
    mixed_fill_masses(P, s);
    for (int c = 0; c < ROW_CLASSES; c++)
        for (int l = 0; l < P->laws; l++) {
            if ((int)mixed_class(P, l) != c) continue;
            mixed_fill_law(sim, P, l, at, s);
            at += P->law[l].rows;
        }
}

static br_status mixed_check(const br_sim *sim, const struct br_contact_problem *P, br_error *error) {
    for (int l = 0; l < P->laws; l++) {
        const br_law_kind kind = P->law[l].kind;
        if (kind == BR_LAW_EQUALITY || kind == BR_LAW_UNILATERAL || kind == BR_LAW_BOX) continue;
        const char *law = sim->model->settings.contact_law;
        return br_fail_path(
            error, BR_INVALID, "lcp-form", "contact/law",
            "t = %.9g s: eq. 30 has bounds that are known before the step, and contact.law: %s finds them in "
            "the step: use law bristle or box with contact.bounds: lagged or iterated(k)",
            P->t, law ? law : "bristle");
    }
    if (P->velocities + P->rows <= BR_MAX_STANDARD_SIZE) return BR_OK;
    return br_fail(error, BR_TOO_LARGE, "lcp-size",
                   "%d velocities and %d rows; the mixed problem is dense and takes at most %d of both",
                   P->velocities, P->rows, BR_MAX_STANDARD_SIZE);
}

br_status br_sim_mixed_lcp(br_sim *sim, br_mixed_lcp **out, br_error *error) {
    const struct br_contact_problem *P = sim->contacts ? sim->contacts->problem : NULL;
    const long steps = sim->ledger->steps;
    const int touched = P && P->solved + 1 == steps;
    br_status status = br_model_runnable(sim->model, error);
    if (status != BR_OK) return status;
    if (steps == 0 || (P && P->solved == steps))
        return br_fail(
            error, BR_INVALID, "lcp-step",
            "t = %.9g s: eq. 30 is what the last step solved, and none was taken since the state was set or "
            "read",
            sim->state.at->t);
    if (touched) status = mixed_check(sim, P, error);
    if (status != BR_OK) return status;
    br_arena arena;
    br_arena_init(&arena, &sim->allocator);
    mixed *s = BR_TAKE(&arena, mixed, 1);
    if (s) {
        s->lcp = (br_mixed_lcp){.t = sim->state.at->t - sim->h, .dt = sim->h, .theta = sim->theta};
        if (touched) s->lcp.m = P->velocities, s->lcp.n = P->velocities + P->rows, s->lcp.t = P->t;
        s->arena = arena;
    }
    if (!s || mixed_take(s) != BR_OK) {
        br_arena_free(s ? &s->arena : &arena);
        return br_no_memory(error, "no memory for the mixed problem");
    }
    if (touched) mixed_fill(sim, P, s);
    *out = &s->lcp;
    return BR_OK;
}

void br_mixed_lcp_free(br_mixed_lcp *lcp) {
    if (!lcp) return;
    br_arena arena = ((mixed *)(void *)lcp)->arena; // the object itself lives in it
    br_arena_free(&arena);
}
