// Stability of a point of equilibrium, from the motion linearized about that very point. See statics/statics.h.
//
//     M q'' + C q' + K q = B^T lambda,   B q = 0
//
// K has the forces of rows that balance the loads here, times the second derivatives of the rows; followers and torques about
// fixed axes are in it as they are. On what the rows leave free,
//
//     K symmetric    as many motions run away as K has negative eigenvalues, whatever masses and dampers are
//     K not          eigenvalues of (M, C, K): a real one above 0 runs away, a complex one with real part above 0 flutters
//
// Friction, contacts of shapes and limits of joints are not in it.
#include "math/elementary.h"
#include "sim/study/statics/statics.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define BR_STATIC_GROWS_DAMPED                                                                               \
    2e-9                     // the same, where there are dampers: they move eigenvalues across, not together
#define BR_STATIC_GROWS 1e-7 // of |s|: a real part below this is rounding
#define BR_STATIC_IDLE 1e-7  // cosine between loads and a neutral motion: they do not push it
#define BR_STATIC_QUICK 150  // coordinates of nodes beyond which pivots have to do between the ends of a path
#define BR_MAX_STATIC_DENSE 600 // coordinates of nodes up to which the motion is linearized

// --- the stepper is borrowed -------------------------------------------------------------------------------

void br_static_forget(br_implicit *f) {
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind == &br_element_beam) br_element_beam.begin(f, &f->element[k]);
}

br_status br_static_look_open(br_static_look *k, br_static *s, br_error *error) {
    br_implicit *f = s->f;
    br_sim *sim = f->sim;
    memset(k, 0, sizeof *k);
    br_arena_init(&k->arena, &sim->allocator), br_arena_init(&k->scratch, &sim->allocator);
    if (!br_borrow(&k->borrowed, &k->arena, sim)) return br_no_memory(error, "no memory for the equilibrium");
    br_linear *l = &k->l;
    l->f = f, l->arena = &k->arena, l->scratch = &k->scratch;
    br_status status = br_linear_allocate(l, error);
    if (status != BR_OK) return status;
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->u1 = n->w1 = n->a1 = n->b1 = n->alpha1 = n->beta1 = br_vec3_zero();
    }
    br_implicit_shift(f);
    br_linear_stage(l, BR_STAGE_ROWS);
    br_static_forget(f);
    br_linear_mass(l);
    status = br_linear_rows(l, error);
    if (status == BR_OK) status = br_linear_factor_rows(l, error);
    return status == BR_OK ? br_linear_stiffness(l, error) : status;
}

void br_static_look_close(br_static_look *k, br_static *s) {
    br_implicit *f = s->f;
    if (k->borrowed.node) {
        br_borrow_end(&k->borrowed, f->sim);
        br_borrow_state(&k->borrowed, f->sim);
        br_static_forget(f);
        br_implicit_look(f);
        br_implicit_evaluate(f);
    }
    br_arena_free(&k->scratch);
    br_arena_free(&k->arena);
}

// --- counts ------------------------------------------------------------------------------------------------

static void count_found(const br_linear *l, const br_found *found, int count, br_static_verdict *v) {
    const double rounding = l->damped ? BR_STATIC_GROWS_DAMPED : BR_STATIC_GROWS;
    v->unstable = v->flutter = v->neutral = 0, v->growth = 0.0;
    for (int k = 0; k < count; k++) {
        const br_found *e = &found[k];
        const double size = br_hypot(e->real, e->imaginary), least = fmax(rounding, 10.0 * e->rounding);
        if (e->rigid)
            v->neutral++;
        else if (e->real > least * size && e->imaginary > least * size)
            v->flutter++;
        else if (e->real > least * size)
            v->unstable++;
        else
            continue;
        if (!e->rigid) v->growth = fmax(v->growth, e->real);
    }
}

// Whether the loads at `until` push along a neutral motion. Forces of rows do no work on it.
static br_status find_pushed(br_static *s, br_static_look *k, const br_found *found, int count, double until,
                             br_static_verdict *v, br_error *error) {
    br_linear *l = &k->l;
    const double *first = NULL;
    l->f->load_factor = until;
    const br_status status = br_linear_rows(l, error);
    l->f->load_factor = k->borrowed.kept.load_factor;
    if (status != BR_OK) return status;
    v->pushed = 0;
    for (int e = 0; e < count; e++) {
        double work = 0.0, force = 0.0, move = 0.0;
        if (!found[e].rigid) continue;
        for (int i = 0; i < l->n; i++) {
            const double arm = i % 6 < 3 ? 1.0 : s->arm, F = l->force[i] / arm, x = found[e].x[i] * arm;
            work += F * x, force += F * F, move += x * x;
        }
        const int pushed = fabs(work) > BR_STATIC_IDLE * sqrt(force * move);
        if (!first || (pushed && !v->pushed)) first = found[e].x;
        v->pushed |= pushed;
    }
    if (first) br_static_describe(s, first, v->free, sizeof v->free);
    return BR_OK;
}

static br_status judge(br_static *s, br_static_look *k, double until, br_static_verdict *v, br_error *error) {
    br_linear *l = &k->l;
    br_found *found = NULL;
    int count = 0;
    br_status status = br_linear_basis(l, 0, error);
    if (status == BR_OK) status = br_linear_decisive(l, &found, &count, error);
    if (status != BR_OK) return status;
    v->potential = !l->unsymmetric;
    count_found(l, found, count, v);
    v->known = 1;
    if (v->unstable > 0 && v->potential && l->damped) { // dampers do not change how many, but how fast
        br_found *all = NULL;
        int many = 0;
        v->growth = 0.0;
        status = br_linear_eigen(l, &all, &many, error);
        if (status != BR_OK) return status;
        for (int e = 0; e < many; e++) v->growth = fmax(v->growth, all[e].real);
    }
    return v->neutral > 0 ? find_pushed(s, k, found, count, until, v, error) : BR_OK;
}

// By the pivots of the stepper's own factors, where there are too many coordinates to linearize, or no masses.
static void judge_by_pivots(br_static *s, br_static_verdict *v) {
    if (br_static_factor(s) != BR_OK) return;
    br_static_count(s);
    v->by_pivots = 1;
    v->potential = s->unstable >= 0;
    v->known = s->unstable >= 0;
    v->unstable = s->unstable >= 0 ? s->unstable : 0;
}

int br_static_is_large(const br_static *s) {
    return 6 * s->f->nodes > BR_MAX_STATIC_DENSE;
}

// Loads that may have no potential: pivots do not see flutter, and hardly see a small load beside a large stiffness.
static int may_flutter(const br_implicit *f) {
    const br_model *m = f->sim->model;
    if (f->reads_state || f->sim->callback) return 1;
    for (int i = 0; i < m->loads; i++)
        if ((m->load[i].type == BR_LOAD_FORCE && m->load[i].in_body_axes) ||
            m->load[i].type == BR_LOAD_TORQUE)
            return 1;
    return 0;
}

int br_static_is_quick(const br_static *s) {
    return 6 * s->f->nodes > BR_STATIC_QUICK && !may_flutter(s->f);
}

br_status br_static_judge(br_static *s, double until, int quick, br_static_verdict *out, br_error *error) {
    br_static_look k;
    br_static_verdict v = {0};
    br_status status = BR_OK;
    if (s->f->nodes == 0) {
        *out = (br_static_verdict){.known = 1, .potential = 1};
        return BR_OK;
    }
    if (!quick && !br_static_is_large(s)) {
        br_error own = {0};
        status = br_static_look_open(&k, s, &own);
        if (status == BR_OK) status = judge(s, &k, until, &v, &own);
        br_static_look_close(&k, s);
        if (status != BR_OK && status != BR_NUMERICAL) {
            if (error) *error = own;
            return status;
        }
    }
    if (!v.known) {
        br_static_forget(s->f);
        judge_by_pivots(s, &v);
        br_static_forget(s->f);
    }
    *out = v;
    return BR_OK;
}
