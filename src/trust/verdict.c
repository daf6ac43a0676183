// Verdict on one instant, see verdict.h and docs/theory/trust.md.
#include "trust/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "trust/cells/cells.h"
#include "trust/feasible_search_node.h"
#include "trust/islands.h"
#include "trust/modes.h"
#include "trust/proof.h"

#define BR_EPS_PARTS 1e-7 // of the terms of lift and slip: more is a lift; of the largest load: less is none

static const char *const state_names[BR_ELEMENT_STATES] = {
    [BR_ELEMENT_STUCK] = "stuck", [BR_ELEMENT_SLIDING] = "sliding", [BR_ELEMENT_ROLLING] = "rolling",
    [BR_ELEMENT_OPEN] = "open",   [BR_ELEMENT_MOVING] = "moving",
};

const char *br_element_state_name(br_element_state state) {
    return (int)state >= 0 && state < BR_ELEMENT_STATES ? state_names[state] : "unknown";
}

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

// Whether a contact parts in the simulation's own motion: it carries nothing, and is lifted.
static int parts_now(const br_case *c, int pad) {
    const br_balance *b = c->b;
    const int normal = b->pad[pad].normal;
    if (normal < 0) return 0;
    double a = -b->gamma[normal], terms = fabs(a), most = 0.0;
    for (int i = 0; i < b->pads; i++)
        if (b->pad[i].normal >= 0) most = fmax(most, fabs(b->x[b->pad[i].normal]));
    if (fabs(b->x[normal]) > BR_EPS_PARTS * most) return 0;
    for (int i = 0; i < b->n; i++) {
        const double term = b->A[i * b->columns + normal] * b->a[i];
        a += term, terms += fabs(term);
        // Of what slides along the surface the lift may be nothing but rounding.
        for (int k = 0; k < b->pad[pad].directions; k++)
            terms += fabs(b->A[i * b->columns + b->pad[pad].column + k] * b->a[i]);
    }
    return a > BR_EPS_PARTS * terms;
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
            f->state = parts_now(c, i)      ? BR_ELEMENT_OPEN
                       : p->rolling         ? BR_ELEMENT_ROLLING
                       : !p->sliding        ? BR_ELEMENT_STUCK
                       : p->mu_static > 0.0 ? BR_ELEMENT_SLIDING
                                            : BR_ELEMENT_MOVING;
            f->verdict = BR_MOVES;
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
    int *slides = BR_TAKE(arena, int, b->pads), *parts = BR_TAKE(arena, int, b->pads), count = 0;
    double(*direction)[3] = br_arena_take(arena, (size_t)b->pads, sizeof *direction);
    double *A = BR_TAKE(arena, double, (size_t)b->n *(size_t)b->columns),
           *z = BR_TAKE(arena, double, b->columns);
    int *from = BR_TAKE(arena, int, b->columns);
    double *push = BR_TAKE(arena, double, b->n);
    *answer = 0;
    if (!slides || !parts || !direction || !A || !z || !from || !push) return BR_NO_MEMORY;
    int any = 0;
    for (int i = 0; i < b->pads; i++) {
        parts[i] = parts_now(c, i);
        slides[i] = (b->pad[i].sliding || must_start) && (parts[i] || slip_direction(c, i, direction[i]));
        any |= slides[i];
    }
    if (!any || !br_work_spend(c->work, br_work_of_span(b->n, b->columns))) return BR_OK;
    for (int k = 0; k < b->columns; k++) {
        int keep = c->held[k];
        for (int i = 0; i < b->pads; i++) {
            const br_balance_pad *p = &b->pad[i];
            if (slides[i] && k >= p->column && k < p->column + p->directions) keep = 0;
            if (k == p->normal && parts[i]) keep = 0;
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

// --- pad by pad -----------------------------------------------------------------------------------------------

// What is found of the pads of one island, all [pads] of its balance.
typedef struct island {
    br_balance b;
    int *column; // [its columns] of the whole
    br_case c;
    br_trust_interval t;
    br_onset kinetic;
    int *moves_static, *moves_kinetic; // it can begin to move
    int *certain;                      // [pads of the case] it cannot stay
    br_verdict *verdict;
    int several; // motions obey the law, without forces that rows leave open
} island;

static int rubs(const br_balance_pad *p) {
    return p->directions > 0;
}

static br_onset no_onset(const br_case *c, br_arena *arena) {
    return (br_onset){.x = BR_TAKE(arena, double, c->b->columns), .moves = BR_TAKE(arena, int, c->b->pads)};
}

static void add_onset(const br_case *c, const br_onset *found, int *moves, br_onset *onset) {
    for (int k = 0; k < c->b->pads; k++) moves[k] |= found->moves[k];
    if (!onset->consistent) *onset = *found;
}

// Slides that are easy to find.
static br_status try_easy(const br_case *c, br_arena *arena, int kinetic, int *moves, br_onset *onset) {
    br_onset next = no_onset(c, arena);
    if (!next.x || !next.moves) return BR_NO_MEMORY;
    if (br_onset_slide(c, arena, kinetic, &next) || br_onset_grid(c, arena, kinetic, &next))
        add_onset(c, &next, moves, onset);
    return BR_OK;
}

// Asks about every pad at rest that is not known to move. Returns with *open those of which nothing is known.
static br_status try_all(const br_case *c, br_arena *arena, br_modes *modes, const int *skip, int *moves,
                         int *open, br_onset *onset) {
    for (int i = 0; i < c->rest; i++) {
        const int pad = c->pad[i];
        int exhaustive = 1;
        if (c->twin[i] >= 0) moves[pad] |= moves[c->pad[c->twin[i]]];
        if (!rubs(&c->b->pad[pad]) || moves[pad] || (skip && skip[pad]) || c->twin[i] >= 0) continue;
        br_onset next = no_onset(c, arena);
        if (!next.moves || !next.x) return BR_NO_MEMORY;
        if (br_modes_move(modes, i, &next, &exhaustive)) {
            add_onset(c, &next, moves, onset);
            moves[pad] = 1;
        } else if (exhaustive)
            modes->region.fixed[i] = BR_NODE_RESTS; // there is no such motion: nothing is lost
        else
            open[pad] = 1;
    }
    return BR_OK;
}

// Of contacts alone cells of their motions prove rest, or have a motion (cells/cells.h). *known: nothing is left to be asked.
static br_status try_cells(const br_case *c, br_arena *arena, int kinetic, int *moves, br_onset *onset,
                           int *known) {
    const br_balance *b = c->b;
    br_cells *cells = BR_TAKE(arena, br_cells, 1);
    br_onset next = no_onset(c, arena);
    double *y = BR_TAKE(arena, double, b->n), *rate = BR_TAKE(arena, double, b->pads), fastest = 0.0;
    if (!cells || !y || !rate || !next.x || !next.moves) return BR_NO_MEMORY;
    const br_status status = br_cells_make(c, arena, kinetic, cells);
    const br_cells_answer answer = status ? BR_CELLS_UNKNOWN : br_cells_judge(cells, y);
    *known = answer == BR_CELLS_REST;
    if (status || answer != BR_CELLS_MOVE) return status;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        double square = 0.0;
        for (int d = -1; d < p->directions; d++) {
            double along = 0.0;
            for (int r = 0; r < b->n; r++)
                along += b->A[r * b->columns + (d < 0 ? p->normal : p->column + d)] * y[r];
            square += along * along;
        }
        rate[i] = sqrt(square);
        if (rubs(p) && rate[i] > fastest) fastest = rate[i], next.pad = i;
    }
    *known = next.consistent = 1;
    for (int i = 0; i < b->pads; i++) {
        next.moves[i] = rate[i] > BR_EPS_ONSET_VECTOR * fastest;
        if (rubs(&b->pad[i]) && !next.moves[i]) *known = 0;
    }
    add_onset(c, &next, moves, onset);
    return BR_OK;
}

// Which pads can begin to move, where not asked about before (`skip`). The first that is found goes into *onset. Of contacts in groups
// the search is quick, and what is easy comes only where it did not end; of all else it comes first.
static br_status find_movers(island *w, br_arena *arena, br_modes_kind kind, const int *skip, int *moves,
                             br_onset *onset, br_error *error) {
    br_case *c = &w->c;
    br_modes modes;
    const int kinetic = kind == BR_MODES_KINETIC;
    int *open = BR_TAKE(arena, int, c->b->pads), left = 0;
    *onset = no_onset(c, arena);
    if (!onset->x || !onset->moves || !open) return BR_NO_MEMORY;
    if (w->t.c_star <= 1.0 && br_proof_rests(c, arena, kinetic)) return BR_OK;
    int known = 0;
    br_status status = w->t.c_star <= 1.0 ? try_cells(c, arena, kinetic, moves, onset, &known) : BR_OK;
    if (status || known) return status;
    status = br_modes_make(c, arena, kind, &modes, error);
    if (status || !modes.made) return w->t.exhaustive = 0, status;
    if (modes.region.groups == 0) status = try_easy(c, arena, kinetic, moves, onset);
    if (!status) status = try_all(c, arena, &modes, skip, moves, open, onset);
    for (int i = 0; i < c->b->pads; i++) left |= open[i] && !moves[i];
    if (!status && left && modes.region.groups > 0) status = try_easy(c, arena, kinetic, moves, onset);
    for (int i = 0; i < c->b->pads; i++)
        if (open[i] && !moves[i]) w->t.exhaustive = 0;
    return status;
}

// Nothing holds all of them: those that cannot stay, whatever the others begin to do, slide for certain.
static br_status find_certain(island *w, br_arena *arena, br_error *error) {
    const br_case *c = &w->c;
    int count = 0;
    for (int i = 0; i < c->rest; i++) count += rubs(&c->b->pad[c->pad[i]]);
    for (int i = 0; i < c->rest && count == 1; i++) w->certain[i] = rubs(&c->b->pad[c->pad[i]]);
    if (count == 1) return BR_OK;
    br_modes modes;
    const br_status status = br_modes_make(c, arena, BR_MODES_STATIC, &modes, error);
    if (status || !modes.made) return w->t.exhaustive = 0, status;
    for (int i = 0; i < c->rest; i++) {
        int exhaustive = 1;
        if (c->twin[i] >= 0) w->certain[i] = w->certain[c->twin[i]];
        if (!rubs(&c->b->pad[c->pad[i]]) || c->twin[i] >= 0 || br_modes_rest(&modes, i, &exhaustive))
            continue;
        if (exhaustive)
            w->certain[i] = 1;
        else
            w->t.exhaustive = 0;
    }
    return BR_OK;
}

// Where sliding was not searched to the end: whether kinetic friction could not hold it even at rest, so that robust would be too much.
static int beyond_kinetic(const island *w) {
    double ratio = 0.0;
    for (int k = 0; k < w->c.rest; k++) {
        const br_balance_pad *p = &w->b.pad[w->c.pad[k]];
        if (p->mu_static > 0.0) ratio = fmax(ratio, p->mu_kinetic / p->mu_static);
    }
    return !w->t.exhaustive && ratio < 1.0 && w->t.c_star > ratio;
}

static int has_two_coefficients(const island *w) {
    for (int k = 0; k < w->c.rest; k++) {
        const br_balance_pad *p = &w->b.pad[w->c.pad[k]];
        if (p->mu_kinetic < p->mu_static) return 1;
    }
    return 0;
}

static br_status judge_pads(island *w, br_arena *arena, br_error *error) {
    const br_case *c = &w->c;
    const int holds = w->t.c_star <= 1.0 + BR_EPS_LAW;
    br_onset first;
    br_status status = holds ? BR_OK : find_certain(w, arena, error);
    if (!status) status = find_movers(w, arena, BR_MODES_STATIC, NULL, w->moves_static, &first, error);
    if (!status && has_two_coefficients(w))
        status =
            find_movers(w, arena, BR_MODES_KINETIC, w->moves_static, w->moves_kinetic, &w->kinetic, error);
    else
        w->kinetic = first; // the same question
    if (status) return status;
    if (!w->kinetic.consistent) w->kinetic.pad = first.pad;
    for (int i = 0; i < c->rest; i++) {
        const int pad = c->pad[i];
        if (!rubs(&c->b->pad[pad])) continue;
        w->t.onset_static |= w->moves_static[pad];
        w->t.onset_kinetic |= w->moves_kinetic[pad];
        w->verdict[pad] = w->certain[i]                                ? BR_SLIDES_CERTAIN
                          : w->moves_static[pad]                       ? BR_UNDETERMINED
                          : w->moves_kinetic[pad] || beyond_kinetic(w) ? BR_STICKS_METASTABLE
                                                                       : BR_STICKS_ROBUST;
    }
    w->t.onset_kinetic |= w->t.onset_static && first.consistent;
    return BR_OK;
}

// --- one island -----------------------------------------------------------------------------------------------

static br_status take_island(const br_balance *b, const br_islands *all, int which, br_arena *arena,
                             br_work *work, island *w, br_error *error) {
    *w = (island){.t = {.exhaustive = 1}};
    br_status status = br_islands_take(b, all, which, arena, &w->b, &w->column);
    if (status) return status;
    w->moves_static = BR_TAKE(arena, int, w->b.pads);
    w->moves_kinetic = BR_TAKE(arena, int, w->b.pads);
    w->certain = BR_TAKE(arena, int, w->b.pads);
    w->verdict = BR_TAKE(arena, br_verdict, w->b.pads); // BR_MOVES
    if (!w->moves_static || !w->moves_kinetic || !w->certain || !w->verdict) return BR_NO_MEMORY;
    if (!br_work_spend(work, br_case_work(&w->b))) return BR_OK;
    status = br_case_make(&w->b, arena, work, &w->c, error);
    w->t.nullity = w->c.family.unknowns;
    w->t.permanent_nullity = w->c.permanent_nullity;
    w->t.freedom = w->c.freedom;
    return status;
}

static int has_rest(const island *w) {
    int count = 0;
    for (int i = 0; i < w->c.rest; i++) count += rubs(&w->b.pad[w->c.pad[i]]);
    return count > 0;
}

// Whether the law leaves several motions to what cannot stay, or to what slides already, without any force being open.
static br_status moves_in_several_ways(island *w, br_arena *arena, int *answer, br_error *error) {
    br_modes modes;
    for (int i = 0; i < w->b.pads; i++)
        if (has_rest(w) && w->b.pad[i].sliding) return BR_OK; // its others are told apart one by one
    if (br_proof_one_motion(&w->c, arena)) return BR_OK;
    const br_status status = br_modes_make(&w->c, arena, BR_MODES_STATIC, &modes, error);
    if (status || !modes.made) return w->t.exhaustive = 0, status;
    *answer = br_modes_several(&modes, arena, &w->t.exhaustive);
    return BR_OK;
}

static br_status judge_island(island *w, br_arena *arena, br_error *error) {
    br_bounds all, coherent;
    int not_unique = 0, bounded = 1;
    if (!fill_forces(&w->c, arena, &w->t)) return BR_NO_MEMORY;
    fill_ratios(&w->c, &w->t);
    br_status status = BR_OK;
    if (has_rest(w)) {
        status = br_feasible_all(&w->c, arena, &all, &bounded, error);
        coherent = all;
        if (!status && !w->c.brief)
            status = br_feasible_coherent(&w->c, arena, &all, &coherent, &bounded, error);
        if (status) return status;
        fill_intervals(&w->c, &all, &coherent, &w->t);
        status = judge_pads(w, arena, error);
    }
    const int slides = !has_rest(w) || w->t.c_star > 1.0 + BR_EPS_LAW;
    if (!status) status = motion_not_unique(&w->c, arena, w->t.c_star > 1.0 + BR_EPS_LAW, &not_unique, error);
    if (!status && slides && !not_unique) status = moves_in_several_ways(w, arena, &w->several, error);
    not_unique |= w->several;
    w->t.exhaustive &= bounded;
    if (status) return status;
    int resting = 0, weakest = BR_STICKS_ROBUST, going = 0;
    for (int i = 0; i < w->b.pads; i++) {
        const br_balance_pad *p = &w->b.pad[i];
        if (!rubs(p)) continue;
        if (not_unique && (p->sliding || w->verdict[i] == BR_SLIDES_CERTAIN))
            w->verdict[i] = BR_SLIDES_NOT_UNIQUE;
        resting |= !p->sliding;
        going |= p->sliding || p->rolling;
        if (!p->sliding && w->verdict[i] > (br_verdict)weakest) weakest = (int)w->verdict[i];
    }
    if (w->t.c_star > 1.0 + BR_EPS_LAW) weakest = BR_SLIDES_CERTAIN;
    w->t.verdict = not_unique ? BR_SLIDES_NOT_UNIQUE : going || !resting ? BR_MOVES : (br_verdict)weakest;
    return BR_OK;
}

// --- the judge ------------------------------------------------------------------------------------------------

static int can_stay(br_verdict verdict) {
    return verdict == BR_STICKS_ROBUST || verdict == BR_STICKS_METASTABLE || verdict == BR_UNDETERMINED;
}

// Forces of an island to their places in the whole.
static void put_forces(const br_balance *b, const br_islands *all, int which, const island *w,
                       br_trust_interval *out) {
    int from = 0, to = 0;
    for (int i = 0, own = 0; i < b->pads; i++) {
        const int mine = all->of_pad[i] == which;
        for (int k = 0; k < b->pad[i].directions; k++, to++) {
            if (!mine) continue;
            out->force[to] = w->t.force[from++];
            out->force[to].verdict = w->verdict[own];
            if (out->force[to].state == BR_ELEMENT_OPEN && can_stay(w->verdict[own]))
                out->force[to].state = BR_ELEMENT_STUCK; // the simulation's is one motion of several
        }
        own += mine;
    }
}

// The verdict of the whole: of islands that rest the weakest; moves where some rest and others go.
static void add_island(const island *w, int rests, int goes, br_trust_interval *out) {
    const br_trust_interval *t = &w->t;
    out->nullity += t->nullity;
    out->permanent_nullity += t->permanent_nullity;
    out->freedom += t->freedom;
    out->exhaustive &= t->exhaustive;
    out->onset_static |= t->onset_static;
    out->onset_kinetic |= t->onset_kinetic;
    if (!rests && !goes) return;
    if (rests) {
        out->c_star = fmax(out->c_star, t->c_star);
        out->c_star_coherent = fmax(out->c_star_coherent, t->c_star_coherent);
    }
    if (t->verdict == BR_SLIDES_NOT_UNIQUE || out->verdict == BR_SLIDES_NOT_UNIQUE)
        out->verdict = BR_SLIDES_NOT_UNIQUE;
    else if (out->verdict != BR_MOVES && t->verdict != BR_MOVES)
        out->verdict = out->verdict > t->verdict ? out->verdict : t->verdict;
    else
        out->verdict = BR_MOVES;
}

static br_status take_forces(const br_balance *b, br_arena *arena, br_trust_interval *out) {
    for (int i = 0; i < b->pads; i++) out->forces += b->pad[i].directions;
    out->force = BR_TAKE(arena, br_trust_force, out->forces);
    return out->force ? BR_OK : BR_NO_MEMORY;
}

static br_status judge_all(const br_balance *b, br_arena *arena, br_work *work, int brief,
                           br_trust_interval *out, br_error *error) {
    br_islands all;
    br_trust_interval t = {.exhaustive = 1, .verdict = BR_MOVES};
    const island *worst = NULL;
    int any = 0;
    *out = (br_trust_interval){.verdict = BR_NOT_JUDGED};
    br_status status = br_islands_find(b, arena, &all);
    if (!status) status = take_forces(b, arena, &t);
    island *w = BR_TAKE(arena, island, all.count);
    if (status || !w) return status ? status : BR_NO_MEMORY;
    for (int k = 0; k < all.count; k++) {
        status = take_island(b, &all, k, arena, work, &w[k], error);
        w[k].c.brief = brief;
        if (!status && br_work_left(work) && w[k].b.pads > 0) status = judge_island(&w[k], arena, error);
        if (status || !br_work_left(work)) return status;
        int rests = 0, goes = 0;
        for (int i = 0; i < w[k].b.pads; i++) {
            rests |= rubs(&w[k].b.pad[i]) && !w[k].b.pad[i].sliding;
            goes |= rubs(&w[k].b.pad[i]) && w[k].b.pad[i].sliding;
        }
        if (!any && (rests || goes)) t.verdict = w[k].t.verdict;
        any |= rests || goes;
        add_island(&w[k], rests, goes, &t);
        if (w[k].b.pads > 0) put_forces(b, &all, k, &w[k], &t);
        if ((rests || goes) && (!worst || w[k].t.verdict > worst->t.verdict)) worst = &w[k];
        br_trust_name_not_unique(b, &w[k].c, w[k].column, &t);
    }
    for (int k = 0; k < t.forces && t.freedom != 1; k++) t.force[k].velocity_ratio = NAN;
    br_trust_name_pads(b, &t);
    if (worst) br_trust_settle(&worst->c, &worst->kinetic, worst->several, &worst->t, &t);
    *out = t;
    return BR_OK;
}

br_status br_trust_judge(const br_balance *b, br_arena *arena, br_work *work, br_trust_interval *out,
                         br_error *error) {
    return judge_all(b, arena, work, 0, out, error);
}

br_status br_trust_judge_briefly(const br_balance *b, br_arena *arena, br_work *work, br_trust_interval *out,
                                 br_error *error) {
    return judge_all(b, arena, work, 1, out, error);
}
