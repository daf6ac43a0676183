// Verdict on one instant, see verdict.h.
#include "trust/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const names[BR_VERDICTS] = {
    [BR_MOVES] = "moves",
    [BR_STICKS_ROBUST] = "sticks_robust",
    [BR_STICKS_METASTABLE] = "sticks_metastable",
    [BR_UNDETERMINED] = "undetermined",
    [BR_SLIDES_CERTAIN] = "slides_certain",
    [BR_SLIDES_NOT_UNIQUE] = "slides_not_unique",
    [BR_NOT_JUDGED] = "not_judged",
};

const char *br_verdict_name(br_verdict verdict) {
    return (int)verdict >= 0 && verdict < BR_VERDICTS ? names[verdict] : "unknown";
}

// --- forces ---------------------------------------------------------------------------------------------------

static void name_force(const br_balance_pad *p, int direction, br_trust_force *force) {
    if (p->directions == 1)
        snprintf(force->name, sizeof force->name, "%s", p->name);
    else
        snprintf(force->name, sizeof force->name, "%s.%d", p->name, direction);
}

static int fill_forces(const br_case *c, br_arena *arena, br_trust_interval *out) {
    const br_balance *b = c->b;
    out->forces = 0;
    for (int i = 0; i < b->pads; i++) out->forces += b->pad[i].directions;
    out->force = BR_TAKE(arena, br_trust_force, out->forces);
    if (!out->force) return 0;
    for (int i = 0, at = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        for (int k = 0; k < p->directions; k++, at++) {
            br_trust_force *f = &out->force[at];
            name_force(p, k, f);
            f->is_contact = p->normal >= 0;
            f->normal_unique = br_case_load_unique(c, i);
            f->unique = p->sliding ? f->normal_unique : br_case_column_unique(c, p->column + k);
            f->force = b->x[p->column + k];
            f->normal = br_balance_load(b, i, b->x);
            f->friction_min = f->friction_max = f->coherent_min = f->coherent_max = f->force;
            f->velocity_ratio = NAN;
            f->slope = INFINITY;
        }
    }
    return 1;
}

// w of [Wojtyra2017 eq. 24]: with one freedom every slip is a fixed multiple of the fastest.
static void fill_ratios(const br_case *c, br_trust_interval *out) {
    const br_balance *b = c->b;
    if (c->freedom != 1) return;
    double fastest = 0.0;
    for (int turn = 0; turn < 2; turn++)
        for (int i = 0, at = 0; i < b->pads; i++)
            for (int k = 0; k < b->pad[i].directions; k++, at++) {
                double v = 0.0;
                for (int n = 0; n < b->n; n++) v += b->A[n * b->columns + b->pad[i].column + k] * c->U[n];
                if (turn == 0 && fabs(v) > fabs(fastest) * (1.0 + 1e-9)) fastest = v;
                if (turn == 1 && fastest != 0.0) out->force[at].velocity_ratio = v / fastest;
            }
}

static void fill_intervals(const br_case *c, const br_bounds *all, const br_bounds *coherent,
                           br_trust_interval *out) {
    const br_balance *b = c->b;
    for (int i = 0, at = 0, rest = 0; i < b->pads; i++) {
        for (int k = 0; k < b->pad[i].directions; k++, at++) {
            if (b->pad[i].sliding) continue;
            br_trust_force *f = &out->force[at];
            f->friction_min = all->low[rest * BR_BALANCE_DIRECTIONS + k];
            f->friction_max = all->high[rest * BR_BALANCE_DIRECTIONS + k];
            f->coherent_min = coherent->low[rest * BR_BALANCE_DIRECTIONS + k];
            f->coherent_max = coherent->high[rest * BR_BALANCE_DIRECTIONS + k];
        }
        rest += !b->pad[i].sliding;
    }
    out->c_star = all->c_star;
    out->c_star_coherent = fmax(coherent->c_star, all->c_star); // a part of the whole, found to 1e-9
}

// --- is the motion unique -------------------------------------------------------------------------------------

// The direction in which a pad slides, or starts to by the simulation's own acceleration; 0: it does neither.
static int slip_direction(const br_case *c, int pad, double *out) {
    const br_balance *b = c->b;
    const br_balance_pad *p = &b->pad[pad];
    double square = 0.0, size = 0.0;
    for (int k = 0; k < p->directions; k++) {
        double a = -b->gamma[p->column + k], terms = fabs(a);
        for (int i = 0; i < b->n; i++) {
            const double term = b->A[i * b->columns + p->column + k] * b->a[i];
            a += term;
            terms += fabs(term);
        }
        out[k] = p->sliding ? p->velocity[k] : a;
        square += out[k] * out[k];
        size = fmax(size, p->sliding ? 0.0 : terms);
    }
    const double length = sqrt(square);
    if (!(length > 1e-9 * size)) return 0;
    for (int k = 0; k < p->directions; k++) out[k] /= length;
    return 1;
}

static double form_along(const br_balance *b, const double *form, const double *z) {
    double sum = 0.0, terms = 0.0;
    for (int k = 0; k < b->columns; k++) {
        sum += form[k] * z[k];
        terms += fabs(form[k] * z[k]);
    }
    return fabs(sum) > BR_EPS_UNIQUE * terms ? sum : 0.0;
}

// Forces z do nothing by themselves. They reach the motion through the load of pads that slide: a joint's
// load is a sum of norms and grows without bound along z, so that the friction in all cannot stay the same. A
// contact's load is linear: what counts is whether the friction that comes with z pushes where nothing holds.
static int reaches_motion(const br_case *c, const double *z, const int *slides, const double (*direction)[3],
                          double *push) {
    const br_balance *b = c->b;
    int contacts = 0;
    memset(push, 0, (size_t)b->n * sizeof *push);
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        if (!slides[i] || !(p->mu_kinetic > 0.0)) continue;
        if (p->normal < 0) {
            for (int k = 0; k < p->norms; k++)
                for (int j = 0; j < p->norm[k].forms; j++)
                    if (form_along(b, p->norm[k].form[j], z) != 0.0) return 1;
            continue;
        }
        contacts |= fabs(z[p->normal] * c->family.length[p->normal]) > BR_EPS_UNIQUE;
        for (int k = 0; k < p->directions; k++)
            for (int n = 0; n < b->n; n++)
                push[n] -=
                    p->mu_kinetic * z[p->normal] * direction[i][k] * b->A[n * b->columns + p->column + k];
    }
    if (!contacts) return 0;
    double size = 0.0;
    for (int n = 0; n < b->n; n++) size = fmax(size, fabs(push[n]));
    for (int k = 0; k < c->freedom; k++) {
        double power = 0.0;
        for (int n = 0; n < b->n; n++) power += push[n] * c->U[k * b->n + n];
        if (fabs(power) > 1e-7 * size && size > BR_EPS_UNIQUE) return 1;
    }
    return 0;
}

// With `must_start`, pads at rest cannot stay and their friction rows are let go; else only what slides
// already is asked about.
static br_status motion_not_unique(const br_case *c, br_arena *arena, int must_start, int *answer,
                                   br_error *error) {
    const br_balance *b = c->b;
    int *slides = BR_TAKE(arena, int, b->pads), count = 0;
    double(*direction)[3] = br_arena_take(arena, (size_t)b->pads, sizeof *direction);
    double *A = BR_TAKE(arena, double, (size_t)b->n *(size_t)b->columns),
           *z = BR_TAKE(arena, double, b->columns);
    int *from = BR_TAKE(arena, int, b->columns);
    double *push = BR_TAKE(arena, double, b->n);
    *answer = 0;
    if (!slides || !direction || !A || !z || !from || !push) return BR_NO_MEMORY;
    int any = 0;
    for (int i = 0; i < b->pads; i++) {
        slides[i] = (b->pad[i].sliding || must_start) && slip_direction(c, i, direction[i]);
        any |= slides[i];
    }
    if (!any || !br_work_spend(c->work, br_work_of_span(b->n, b->columns))) return BR_OK;
    for (int k = 0; k < b->columns; k++) {
        int keep = c->held[k];
        for (int i = 0; i < b->pads; i++) {
            const br_balance_pad *p = &b->pad[i];
            if (slides[i] && k >= p->column && k < p->column + p->directions) keep = 0;
        }
        if (keep) from[count++] = k;
    }
    for (int i = 0; i < b->n; i++)
        for (int k = 0; k < count; k++) A[i * count + k] = b->A[i * b->columns + from[k]];
    br_span span;
    const br_status status = br_span_make(&span, arena, b->n, count, A, error);
    if (status) return status;
    for (int j = 0; j < span.nullity && !*answer; j++) {
        memset(z, 0, (size_t)b->columns * sizeof *z);
        for (int k = 0; k < count; k++) {
            const double value = span.Z[j * count + k];
            z[from[k]] = fabs(value * span.length[k]) > BR_EPS_UNIQUE ? value : 0.0;
        }
        *answer = reaches_motion(c, z, slides, (const double(*)[3])direction, push);
    }
    return BR_OK;
}

// --- the judge ------------------------------------------------------------------------------------------------

// Where sliding was not searched to the end: whether kinetic friction could not hold it even at rest, so that robust would be too much.
static int beyond_kinetic(const br_case *c, const br_trust_interval *t) {
    double ratio = 0.0;
    for (int k = 0; k < c->rest; k++) {
        const br_balance_pad *p = &c->b->pad[c->pad[k]];
        if (p->mu_static > 0.0) ratio = fmax(ratio, p->mu_kinetic / p->mu_static);
    }
    return !t->exhaustive && ratio < 1.0 && t->c_star > ratio;
}

static br_verdict decide(const br_case *c, const br_trust_interval *t, int not_unique) {
    if (not_unique) return BR_SLIDES_NOT_UNIQUE;
    if (c->rest == 0) return BR_MOVES;
    if (t->c_star > 1.0 + BR_EPS_LAW) return BR_SLIDES_CERTAIN;
    if (t->onset_static) return BR_UNDETERMINED;
    return t->onset_kinetic || beyond_kinetic(c, t) ? BR_STICKS_METASTABLE : BR_STICKS_ROBUST;
}

br_status br_trust_judge(const br_balance *b, br_arena *arena, br_work *work, br_trust_interval *out,
                         br_error *error) {
    br_case c;
    br_trust_interval t = {.exhaustive = 1};
    *out = (br_trust_interval){.verdict = BR_NOT_JUDGED};
    if (!br_work_spend(work, br_case_work(b))) return BR_OK;
    br_status status = br_case_make(b, arena, work, &c, error);
    if (status) return status;
    t.nullity = c.family.unknowns;
    t.permanent_nullity = c.permanent_nullity;
    t.freedom = c.freedom;
    if (!fill_forces(&c, arena, &t)) return BR_NO_MEMORY;
    fill_ratios(&c, &t);
    br_onset onset = {0}, kinetic = {0};
    if (c.rest > 0) {
        br_bounds all, coherent;
        status = br_feasible_all(&c, arena, &all, &t.exhaustive, error);
        if (!status) status = br_feasible_coherent(&c, arena, &all, &coherent, &t.exhaustive, error);
        if (!status) status = br_onset_find(&c, arena, 0, &onset, &t.exhaustive, error);
        if (!status) status = br_onset_find(&c, arena, 1, &kinetic, &t.exhaustive, error);
        if (status) return status;
        fill_intervals(&c, &all, &coherent, &t);
        t.onset_static = onset.consistent;
        t.onset_kinetic = kinetic.consistent;
    }
    int not_unique;
    status = motion_not_unique(&c, arena, t.c_star > 1.0 + BR_EPS_LAW, &not_unique, error);
    if (status || !br_work_left(work)) return status;
    t.verdict = decide(&c, &t, not_unique);
    br_trust_name_pads(&c, &t);
    br_trust_name_not_unique(&c, &t);
    br_trust_settle(&c, &kinetic, &t);
    *out = t;
    return BR_OK;
}
