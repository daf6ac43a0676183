// The range of a load that an island holds, see range.h.
#include "trust/hold/range.h"

#include <math.h>
#include <string.h>

#include "trust/cells/cells.h"
#include "trust/feasible_bounds.h"
#include "trust/feasible_search_node.h"
#include "trust/verdict.h"

#define EPS_END 1e-7      // of a factor: a motion that begins this near to where one stands begins there
#define EPS_SAME 1e-8     // the same: where rest ends and motion begins is one end, found twice
#define EPS_OPEN 1e-5     // the same: what is left open nearer to the end is rounding of narrow patches
#define LAST_PART 1e-2    // of the range: where motions with a finite acceleration are looked for,
#define FAR_AWAY 1e4      // and of a factor, where it has no end
#define EPS_GOING 1e-5    // the same: how much sooner such a motion must be admissible to count
#define EPS_FAR_OUT 1e-9  // of the sum of unknowns: the same where forces are huge
#define LEAST_MOTION 1e-6 // of accelerations of order one: one that counts
#define BEYOND 1e-3       // of a factor: how far past the end of rest the motion there is looked for
#define ANCHORS 8
#define FEW_CONTACTS 6
#define EPS_MU 1e-10 // of a coefficient
#define MAX_MU 1e6   // more than this is called none

enum { LOW = 0, HIGH = 1 };

static const double sign_of[] = {[LOW] = -1.0, [HIGH] = 1.0};

// --- the balance with its load as a column ------------------------------------------------------------------------

static const double *widen_form(br_arena *arena, const double *form, int columns) {
    double *out = BR_TAKE(arena, double, columns + 1);
    if (out) memcpy(out, form, (size_t)columns * sizeof *out);
    return out;
}

static int add_load_column(const br_balance *b, const double *load, br_arena *arena, br_balance *out) {
    const int n = b->n, columns = b->columns + 1;
    *out = *b;
    out->columns = columns, out->loads = 1, out->readings = 0;
    out->A = BR_TAKE(arena, double, (size_t)n *(size_t)columns);
    out->Q = BR_TAKE(arena, double, n);
    out->gamma = BR_TAKE(arena, double, columns);
    out->x = BR_TAKE(arena, double, columns);
    out->pad = BR_TAKE(arena, br_balance_pad, b->pads);
    if (!out->A || !out->Q || !out->gamma || !out->x || !out->pad) return 0;
    for (int i = 0; i < n; i++) {
        memcpy(out->A + i * columns, b->A + i * b->columns, (size_t)b->columns * sizeof *out->A);
        out->A[i * columns + b->columns] = load[i];
        out->Q[i] = b->Q[i] - load[i];
    }
    memcpy(out->gamma, b->gamma, (size_t)b->columns * sizeof *out->gamma);
    memcpy(out->x, b->x, (size_t)b->columns * sizeof *out->x);
    out->x[b->columns] = 1.0;
    out->weight = out->power = NULL, out->name = NULL, out->parameter = NULL;
    for (int i = 0; i < b->pads; i++) {
        br_balance_pad *p = &out->pad[i];
        *p = b->pad[i];
        for (int k = 0; k < p->norms; k++)
            for (int f = 0; f < p->norm[k].forms; f++)
                if (!(p->norm[k].form[f] = widen_form(arena, p->norm[k].form[f], b->columns))) return 0;
    }
    return 1;
}

// The factor on the load as a form of order one; *unit: what the form is of a factor 1.
static br_affine load_form(const br_family *family, int column, br_arena *arena, double *unit) {
    double *coefficient = BR_TAKE(arena, double, family->columns);
    if (!coefficient) return (br_affine){0.0, NULL};
    coefficient[column] = 1.0;
    *unit = family->length[column] / family->scale;
    return br_family_form(family, arena, *unit, coefficient);
}

// --- where rest ends ----------------------------------------------------------------------------------------------

// The farthest factor on one side that the region has. 0: it has none at all.
static int farthest_rest(br_region *r, const br_affine *load, double unit, int side, double *alpha, double *q,
                         double *end, int *exhaustive) {
    br_search s = br_search_default(alpha);
    for (int j = 0; j < r->unknowns; j++) q[j] = -sign_of[side] * load->q[j];
    s.objective = (br_affine){-sign_of[side] * load->p, q};
    br_region_search(r, &s);
    if (!s.complete) *exhaustive = 0;
    if (!s.found && s.complete) return 0;
    const double value = s.complete ? s.value : s.bound; // beyond the bound there is nothing
    *end = s.endless || value < -0.5 * BR_LP_REACH ? sign_of[side] * INFINITY : -sign_of[side] * value / unit;
    return 1;
}

static br_status find_possible(br_case *c, br_arena *arena, br_hold_range *out, br_error *error) {
    br_modes modes;
    br_region *r = &c->region;
    const br_family *family = &c->family;
    if (!br_case_is_plain(c)) {
        const br_status status = br_modes_make(c, arena, BR_MODES_REST, &modes, error);
        if (status || !modes.made) return out->exhaustive = 0, status;
        for (int i = 0; i < c->rest; i++)
            if (modes.region.pad[i].directions > 0) modes.region.fixed[i] = BR_NODE_RESTS;
        r = &modes.region, family = &modes.family;
    }
    double unit, *alpha = BR_TAKE(arena, double, r->unknowns), *q = BR_TAKE(arena, double, r->unknowns);
    const br_affine load = load_form(family, c->b->columns - 1, arena, &unit);
    if (!load.q || !alpha || !q) return BR_NO_MEMORY;
    out->held = 1;
    for (int side = LOW; side <= HIGH && out->held; side++)
        out->held = farthest_rest(r, &load, unit, side, alpha, q, &out->possible[side], &out->exhaustive);
    return BR_OK;
}

// --- where motion begins ------------------------------------------------------------------------------------------

typedef struct hunt {
    br_modes w;
    br_affine load;
    double unit, sign; // 1: the least factor above `from`, -1: the largest below
    double best;       // sign factor unit
    double floor;      // the same: what searches that did not end leave open lies beyond
    double least;      // of a slip or a lift; 1 of an onset, where only directions count
    int found, exhaustive;
    double *q, *from_q, *least_q, *most_q; // [unknowns]
    br_onset next, first;
    br_cells *cells; // of contacts alone: where motions begin is found by them
    double *motion;  // [n] of the balance
} hunt;

static br_onset hold_onset(const br_balance *b, br_arena *arena) {
    return (br_onset){.x = BR_TAKE(arena, double, b->columns), .moves = BR_TAKE(arena, int, b->pads)};
}

static br_status hunt_make(const br_case *c, br_modes_kind kind, br_arena *arena, hunt *h, br_error *error) {
    memset(h, 0, sizeof *h);
    h->exhaustive = 1;
    h->least = kind >= BR_MODES_ONSET ? 1.0 : LEAST_MOTION;
    const br_status status = br_modes_make(c, arena, kind, &h->w, error);
    if (status || !h->w.made) return h->exhaustive = 0, status;
    const int n = h->w.region.unknowns;
    h->load = load_form(&h->w.family, c->b->columns - 1, arena, &h->unit);
    h->q = BR_TAKE(arena, double, n), h->from_q = BR_TAKE(arena, double, n);
    h->least_q = BR_TAKE(arena, double, n), h->most_q = BR_TAKE(arena, double, n);
    h->next = hold_onset(c->b, arena), h->first = hold_onset(c->b, arena);
    h->w.region.nodes_max = 0;
    h->cells = BR_TAKE(arena, br_cells, 1), h->motion = BR_TAKE(arena, double, c->b->n);
    if (!h->cells || !h->motion) return BR_NO_MEMORY;
    if (h->w.onset && br_cells_make(c, arena, kind == BR_MODES_ONSET_KINETIC, h->cells) != BR_OK)
        return BR_NO_MEMORY;
    return h->load.q && h->q && h->from_q && h->least_q && h->most_q && h->next.x && h->next.moves &&
                   h->first.x && h->first.moves
               ? BR_OK
               : BR_NO_MEMORY;
}

// Far out, differences of huge forces keep the law only so well: a motion that does not stand out from that is none.
static double motion_that_counts(const hunt *h) {
    double size = 0.0;
    for (int j = 0; j < h->w.region.unknowns; j++) size += fabs(h->w.alpha[j]);
    return fmax(h->least, EPS_FAR_OUT * size);
}

// A motion in which the form, times `side`, is 1, or, where accelerations take force, at least `least`, at a better factor than
// is known.
static br_search hunt_search(hunt *h, const br_affine *form, double side, double least, int pad, int group,
                             int face) {
    br_region *r = &h->w.region;
    for (int j = 0; j < r->unknowns; j++) {
        h->q[j] = h->sign * h->load.q[j];
        h->least_q[j] = -side * form->q[j], h->most_q[j] = side * form->q[j];
    }
    r->row[1] = (br_affine){least - side * form->p, h->least_q};
    r->row[2] = (br_affine){side * form->p - least, h->most_q};
    r->rows = h->w.onset ? 3 : 2;
    br_search s = br_search_default(h->w.alpha);
    s.objective = (br_affine){h->sign * h->load.p, h->q};
    s.known = h->best;
    s.first_pad = pad, s.first_group = group, s.first_face = face;
    br_region_search(r, &s);
    if (!s.complete) h->floor = fmin(h->floor, s.bound);
    return s;
}

static void hunt_one(hunt *h, const br_affine *form, double side, int pad, int group, int face) {
    const br_balance *b = h->w.c->b;
    double least = h->least;
    for (int k = 0; k < BR_MAX_FAR_OUT; k++) {
        const br_search s = hunt_search(h, form, side, least, pad, group, face);
        if (!s.found || !(s.value < h->best)) return;
        const double counts = h->w.onset ? least : motion_that_counts(h);
        if (counts > least) {
            least = counts;
            continue;
        }
        h->best = s.value, h->found = 1;
        memset(h->next.moves, 0, (size_t)b->pads * sizeof *h->next.moves);
        br_modes_keep(&h->w, h->w.alpha, &h->next);
        const br_onset swap = h->first;
        h->first = h->next, h->next = swap;
        return;
    }
    h->exhaustive = 0; // so far out that nothing is known of it
}

static void hunt_pad(hunt *h, int i) {
    const br_region_pad *p = &h->w.region.pad[i];
    if (p->moving || h->w.c->twin[i] >= 0) return;
    for (int face = 0; p->group < 0 && (p->may & BR_MAY_SLIDE) && face < 2 * p->slides; face++)
        hunt_one(h, &p->slip[face / 2], face % 2 ? -1.0 : 1.0, i, -1, face);
    if (!(p->may & BR_MAY_PART)) return;
    signed char *fixed = &h->w.region.fixed[i];
    const signed char before = *fixed;
    *fixed = BR_NODE_APART;
    // Motions of its group were looked through, whatever lifts in them.
    hunt_one(h, &p->lift, 1.0, -1, p->group, p->group >= 0 ? BR_PATCH_STILL : 0);
    *fixed = before;
}

// Who moves in the motion that was found: as fast as its own size says, see br_modes_keep.
static void hunt_keep_motion(hunt *h) {
    const br_case *c = h->w.c;
    const br_balance *b = c->b;
    double speed[BR_CELL_CONTACTS] = {0.0}, fastest = 0.0;
    for (int i = 0; i < c->rest; i++) {
        const br_balance_pad *p = &b->pad[c->pad[i]];
        double square = 0.0, lift = 0.0;
        for (int d = -1; d < p->directions; d++) {
            double rate = 0.0;
            for (int r = 0; r < b->n; r++)
                rate += b->A[r * b->columns + (d < 0 ? p->normal : p->column + d)] * h->motion[r];
            *(d < 0 ? &lift : &square) += d < 0 ? rate : rate * rate;
        }
        speed[i] = fmax(h->w.slip_factor[i] * sqrt(square), h->w.lift_factor[i] * lift);
        fastest = fmax(fastest, speed[i]);
    }
    h->first.consistent = 1;
    for (int i = 0; i < c->rest; i++) {
        h->first.moves[c->pad[i]] = speed[i] > BR_EPS_ONSET_VECTOR * fastest;
        if (b->pad[c->pad[i]].directions > 0 && speed[i] >= (1.0 - BR_EPS_ONSET) * fastest)
            h->first.pad = c->pad[i];
    }
}

// Of contacts alone by cells of their motions. 0: they were not made, or left something open that the search of few contacts may settle.
static int hunt_cells(hunt *h, double from, double best) {
    int found;
    double floor;
    if (!h->cells->made) return 0;
    const double limit = isinf(best) ? h->sign * INFINITY : h->sign * best / h->unit;
    const double end = br_cells_begin(h->cells, h->sign, from, limit, h->motion, &found, &floor);
    if (isfinite(floor) && h->cells->contacts <= FEW_CONTACTS) return 0;
    h->floor = h->sign * floor * h->unit;
    if (found) h->best = h->sign * end * h->unit, h->found = 1, hunt_keep_motion(h);
    return 1;
}

static void hunt_all(hunt *h, int side, double from, double best) {
    br_region *r = &h->w.region;
    h->sign = sign_of[side], h->found = 0, h->floor = INFINITY, h->best = best;
    for (int j = 0; j < r->unknowns; j++) h->from_q[j] = -h->sign * h->load.q[j];
    if (hunt_cells(h, from, best)) return;
    r->row[0] = (br_affine){h->sign * (h->unit * from - h->load.p), h->from_q};
    for (int g = 0; g < r->groups; g++)
        for (int face = 0; face < 2 * r->group[g].forms; face++)
            hunt_one(h, &r->group[g].form[face / 2], face % 2 ? -1.0 : 1.0, -1, g, face);
    for (int i = 0; i < r->pads; i++) hunt_pad(h, i);
}

// What the searches of a hunt left open lies within the end that was found.
static void hunt_judge(hunt *h, double end) {
    if (h->sign * end * h->unit - h->floor > EPS_OPEN * (h->unit + fabs(h->unit * end))) h->exhaustive = 0;
    if (isinf(end) && isfinite(h->floor)) h->exhaustive = 0;
}

// From `from` on, no farther than `limit`: where a motion begins; the limit where none does. 0: at once.
static int hunt_side(hunt *h, int side, double from, double limit, double *end) {
    const double whole = h->unit * (1.0 + fabs(limit));
    hunt_all(h, side, from, isinf(limit) ? INFINITY : sign_of[side] * h->unit * limit + BEYOND * whole);
    const double found = h->found ? h->sign * h->best / h->unit : limit;
    const int apart = isinf(limit) || h->sign * (limit - found) > EPS_SAME * (1.0 + fabs(limit));
    *end = h->found && apart ? found : limit;
    hunt_judge(h, *end);
    return h->sign * (*end - from) > EPS_END * (1.0 + fabs(from));
}

// --- from where to look -------------------------------------------------------------------------------------------

// Factors from which to look, the model's own first: nothing may move there.
static int list_anchors(const double *possible, double *out) {
    const double low = possible[LOW], high = possible[HIGH], size = 1.0 + (isfinite(low) ? fabs(low) : 0.0);
    int count = 0;
    double wish[ANCHORS] = {1.0, 0.0};
    int wishes = 2;
    if (isfinite(low) && isfinite(high)) {
        wish[wishes++] = 0.5 * (low + high);
        wish[wishes++] = low + 0.1 * (high - low), wish[wishes++] = high - 0.1 * (high - low);
    } else if (isfinite(low)) {
        wish[wishes++] = low + 0.1 * size, wish[wishes++] = low + size, wish[wishes++] = low + 100.0 * size;
    } else if (isfinite(high)) {
        const double down = 1.0 + fabs(high);
        wish[wishes++] = high - 0.1 * down, wish[wishes++] = high - down,
        wish[wishes++] = high - 100.0 * down;
    }
    for (int k = 0; k < wishes; k++)
        if (wish[k] > low && wish[k] < high) out[count++] = wish[k];
    return count;
}

static int is_kinetic(const br_balance *b) {
    for (int i = 0; i < b->pads; i++)
        if (!b->pad[i].sliding && b->pad[i].mu_kinetic < b->pad[i].mu_static) return 1;
    return 0;
}

// The two ends around `from`; 0: something can move there.
static int hunt_both(hunt *h, double from, const double *limit, double *ends, br_onset *first,
                     br_arena *arena) {
    for (int side = HIGH; side >= LOW; side--) {
        if (!hunt_side(h, side, from, limit[side], &ends[side])) return 0;
        if (!first || !h->found) continue;
        first[side] = h->first;
        h->first = hold_onset(h->w.c->b, arena);
        if (!h->first.x || !h->first.moves) return 0;
    }
    return 1;
}

// --- motions that only a finite acceleration sustains -------------------------------------------------------------

// The verdict at one factor, by the search of all modes with their accelerations (verdict.h).
static br_status verdict_at(const br_case *c, double factor, br_arena *arena, br_trust_interval *t,
                            br_error *error) {
    br_balance b = *c->b;
    b.loads = 0, b.columns--; // the columns before the load's, in rows as wide as they are without it
    b.A = BR_TAKE(arena, double, (size_t)b.n *(size_t)b.columns);
    b.Q = BR_TAKE(arena, double, b.n);
    if (!b.A || !b.Q) return BR_NO_MEMORY;
    for (int i = 0; i < b.n; i++) {
        memcpy(b.A + i * b.columns, c->b->A + i * (b.columns + 1), (size_t)b.columns * sizeof *b.A);
        b.Q[i] = c->b->Q[i] + factor * c->b->A[i * (b.columns + 1) + b.columns];
    }
    return br_trust_judge_briefly(&b, arena, c->work, t, error);
}

// The nearest of them, with one friction, before *end.
static br_status hunt_going(const br_case *c, br_modes_kind kind, int side, br_arena *arena, double *end,
                            br_hold_range *out, br_error *error) {
    hunt h;
    const br_status status = hunt_make(c, kind, arena, &h, error);
    if (status || !h.w.made) return out->exhaustive = 0, status;
    const double sooner = sign_of[side] * *end - EPS_GOING * (1.0 + fabs(*end));
    hunt_all(&h, side, out->from, isinf(*end) ? INFINITY : h.unit * sooner);
    if (h.found) *end = h.sign * h.best / h.unit;
    hunt_judge(&h, h.found || isinf(*end) ? *end : sign_of[side] * sooner);
    out->exhaustive &= h.exhaustive;
    if (h.found && sign_of[side] * (out->sure[side] - *end) > 0.0) {
        out->sure[side] = *end;
        out->first[side] = h.first;
    }
    return BR_OK;
}

// Whether to search for them: always where slips are along lines, which is quick. Else where the verdict in the last part before the
// end, or far away where there is no end, is not that it sticks.
static br_status ask_going(const br_case *c, int vector, int side, br_arena *arena, br_hold_range *out,
                           int *wanted, int *from_rest, br_error *error) {
    const double end = out->sure[side], size = 1.0 + fabs(out->from);
    br_trust_interval t;
    *wanted = *from_rest = 1;
    if (!vector) return BR_OK;
    const br_status status = verdict_at(
        c, isinf(end) ? out->from + sign_of[side] * FAR_AWAY * size : end - LAST_PART * (end - out->from),
        arena, &t, error);
    if (status) return status;
    if (t.verdict == BR_NOT_JUDGED || !t.exhaustive) out->exhaustive = 0;
    *wanted = t.verdict != BR_STICKS_ROBUST && t.verdict != BR_MOVES && t.verdict != BR_NOT_JUDGED;
    *from_rest = t.verdict != BR_STICKS_METASTABLE;
    return BR_OK;
}

// Friction can be so large that the inertia of a motion loads it, or unloads it [Painleve]: such a motion may be admissible before one
// can begin from nothing. All factors are searched, with accelerations as unknowns of their own.
static br_status find_going(const br_case *c, int kinetic, int vector, br_arena *arena, br_hold_range *out,
                            br_error *error) {
    for (int side = LOW; side <= HIGH; side++) {
        int wanted, from_rest;
        double end = out->sure[side];
        br_status status = ask_going(c, vector, side, arena, out, &wanted, &from_rest, error);
        if (!status && wanted && kinetic)
            status = hunt_going(c, BR_MODES_KINETIC, side, arena, &end, out, error);
        if (!status && wanted && from_rest)
            status = hunt_going(c, BR_MODES_STATIC, side, arena, &out->undisturbed[side], out, error);
        if (status) return status;
        if (!(sign_of[side] * (out->sure[side] - out->from) > EPS_GOING * (1.0 + fabs(out->from))))
            out->certain = 0; // something can go on there already
    }
    return BR_OK;
}

static int has_vectors(const br_region *r) {
    for (int i = 0; i < r->pads; i++)
        if (r->pad[i].slides > 1 && !r->pad[i].moving) return 1;
    return 0;
}

static br_status find_sure(const br_case *c, br_arena *arena, br_hold_range *out, br_error *error) {
    hunt *h = BR_TAKE(arena, hunt, 2);
    double anchor[ANCHORS];
    const int kinetic = is_kinetic(c->b);
    if (!h) return BR_NO_MEMORY;
    br_status status = hunt_make(c, kinetic ? BR_MODES_ONSET_KINETIC : BR_MODES_ONSET, arena, &h[0], error);
    if (!status && kinetic) status = hunt_make(c, BR_MODES_ONSET, arena, &h[1], error);
    if (status) return status;
    if (!h[0].w.made || (kinetic && !h[1].w.made)) return out->exhaustive = 0, BR_OK;
    const int count = list_anchors(out->possible, anchor);
    const int vector = has_vectors(&h[0].w.region), before = out->exhaustive;
    for (int k = 0; k < count && !out->certain && !status; k++) {
        h[0].exhaustive = h[1].exhaustive = 1;
        out->from = anchor[k], out->exhaustive = before;
        out->certain = hunt_both(&h[0], anchor[k], out->possible, out->sure, out->first, arena);
        memcpy(out->undisturbed, out->sure, sizeof out->sure);
        if (out->certain && kinetic)
            out->certain = hunt_both(&h[1], anchor[k], out->possible, out->undisturbed, NULL, arena);
        // Friction that falls when it slides lets everything begin that begins with more of it.
        for (int side = LOW; side <= HIGH && out->certain; side++)
            if (sign_of[side] * (out->sure[side] - out->undisturbed[side]) > 0.0)
                out->sure[side] = out->undisturbed[side];
        out->exhaustive &= h[0].exhaustive && (!kinetic || h[1].exhaustive);
        if (out->certain) status = find_going(c, kinetic, vector, arena, out, error);
    }
    return status || br_arena_ok(arena) ? status : BR_NO_MEMORY;
}

// --- how much friction it takes -----------------------------------------------------------------------------------

// Whether pads at rest can stay, those of the region having the coefficients that it says.
static int region_holds(br_region *r, double *alpha, double *zero, int *exhaustive) {
    br_search s = br_search_default(alpha);
    s.objective = (br_affine){0.0, zero};
    s.stop_below = 1.0;
    br_region_search(r, &s);
    if (!s.found && !s.complete) *exhaustive = 0;
    return s.found;
}

// The least coefficient of one pad with which the others, as they are, hold: bisected.
static double least_alone(br_region *r, int i, double *alpha, double *zero, int *exhaustive) {
    br_region_pad *p = &r->pad[i];
    const double own = p->mu_rest;
    double low = 0.0, high = own > 0.0 ? own : 1.0;
    p->mu_rest = 0.0;
    if (region_holds(r, alpha, zero, exhaustive)) high = 0.0;
    for (p->mu_rest = high; high > 0.0 && !region_holds(r, alpha, zero, exhaustive); p->mu_rest = high) {
        low = high, high *= 2.0;
        if (high > MAX_MU) high = INFINITY;
        if (isinf(high)) break;
    }
    while (isfinite(high) && high - low > EPS_MU * high && br_work_left(r->work)) {
        p->mu_rest = 0.5 * (low + high);
        if (region_holds(r, alpha, zero, exhaustive))
            high = p->mu_rest;
        else
            low = p->mu_rest;
    }
    p->mu_rest = own;
    return high;
}

static br_status find_alone(br_case *c, br_arena *arena, br_hold_range *out) {
    br_region *r = &c->region;
    double *alpha = BR_TAKE(arena, double, r->unknowns), *zero = BR_TAKE(arena, double, r->unknowns);
    out->alone = BR_TAKE(arena, double, c->b->pads);
    if (!alpha || !zero || !out->alone) return BR_NO_MEMORY;
    for (int i = 0; i < c->b->pads; i++) out->alone[i] = NAN;
    for (int i = 0; i < c->rest && r->pads > 0 && c->stays; i++)
        if (c->b->pad[c->pad[i]].directions > 0)
            out->alone[c->pad[i]] = least_alone(r, i, alpha, zero, &out->exhaustive);
    return BR_OK;
}

static br_status find_factor(const br_balance *b, int alone, br_arena *arena, br_work *work,
                             br_hold_range *out, br_error *error) {
    br_case c;
    br_bounds bounds;
    if (!br_work_spend(work, br_case_work(b))) return out->exhaustive = 0, BR_OK;
    br_status status = br_case_make(b, arena, work, &c, error);
    c.brief = 1;
    if (!status) status = br_feasible_all(&c, arena, &bounds, &out->exhaustive, error);
    if (!status) out->c_star = bounds.c_star;
    return status || !alone ? status : find_alone(&c, arena, out);
}

br_status br_hold_range_find(const br_balance *b, const double *load, int alone, br_arena *arena,
                             br_work *work, br_hold_range *out, br_error *error) {
    br_balance *wide = BR_TAKE(arena, br_balance, 1);
    br_case *c = BR_TAKE(arena, br_case, 1);
    *out = (br_hold_range){.exhaustive = 1, .c_star = INFINITY, .possible = {NAN, NAN}};
    if (!wide || !c || !add_load_column(b, load, arena, wide)) return BR_NO_MEMORY;
    for (int i = 0; i < b->pads; i++) out->rests |= !b->pad[i].sliding && b->pad[i].directions > 0;
    if (!out->rests) return BR_OK;
    br_status status = find_factor(b, alone, arena, work, out, error);
    if (status || !br_work_spend(work, br_case_work(wide))) return out->exhaustive = 0, status;
    status = br_case_make(wide, arena, work, c, error);
    if (status || !c->stays) return status;
    status = find_possible(c, arena, out, error);
    if (!status && out->held) status = find_sure(c, arena, out, error);
    if (!br_work_left(work)) out->exhaustive = 0;
    return status;
}
