// Branch and bound over linear programs, see feasible_search.h.
#include "trust/feasible_search.h"

#include <math.h>
#include <string.h>

#define TOL_PRUNE 1e-10
#define ROUNDING 1e-4  // in BR_EPS_LAW: far out, differences of large terms are no better
#define GOOD_ENOUGH 1e-7 // of a law that nothing mends any more: rounding of the linear program
#define MIN_PATCH 1e-8 // narrower patches are not halved

enum { REST = 0, SLIDE = 1, APART = 2, OPEN = -1 };

// --- values ---------------------------------------------------------------------------------------------------

double br_form_value(const br_region *region, const br_affine *form, const double *alpha) {
    double sum = form->p;
    for (int j = 0; j < region->unknowns; j++) sum += form->q[j] * alpha[j];
    return sum;
}

static double length_of(int n, const double *v) {
    double square = 0.0;
    for (int k = 0; k < n; k++) square += v[k] * v[k];
    return sqrt(square);
}

static void values_of(const br_region *region, int n, const br_affine *forms, const double *alpha, double *out) {
    for (int k = 0; k < n; k++) out[k] = br_form_value(region, &forms[k], alpha);
}

double br_region_load(const br_region *region, int pad, const double *alpha) {
    const br_region_pad *p = &region->pad[pad];
    double load = br_form_value(region, &p->linear, alpha), v[BR_REGION_FORMS];
    for (int k = 0; k < p->norms; k++) {
        values_of(region, p->norm[k].forms, p->norm[k].form, alpha, v);
        load += length_of(p->norm[k].forms, v);
    }
    return load;
}

double br_region_force(const br_region *region, int pad, const double *alpha) {
    double f[BR_REGION_FORMS];
    values_of(region, region->pad[pad].directions, region->pad[pad].f, alpha, f);
    return length_of(region->pad[pad].directions, f);
}

// --- memory ---------------------------------------------------------------------------------------------------

static void first_cuts(br_region *r, int i) {
    const int n = r->pad[i].directions;
    double *cut = r->cut + (size_t)i * BR_REGION_CUTS * BR_REGION_FORMS;
    int count = 0;
    for (int k = 0; k < n; k++)
        for (int sign = -1; sign <= 1; sign += 2) cut[BR_REGION_FORMS * count++ + k] = sign;
    r->cuts[i] = count;
}

int br_region_create(br_region *r, br_arena *arena) {
    const size_t pads = (size_t)r->pads, stack = BR_REGION_STACK + 1;
    int rows = r->rows_max;
    r->first = BR_TAKE(arena, int, pads);
    if (!r->first) return 0;
    r->patches = 0;
    for (int i = 0; i < r->pads; i++) {
        const br_region_pad *p = &r->pad[i];
        r->first[i] = r->patches;
        r->patches += p->norms + 1;
        rows += (p->directions > 1 ? 2 * BR_REGION_CUTS : 2) + 5 * (p->norms + 1) + 4 * p->directions + 8;
    }
    r->row = BR_TAKE(arena, br_affine, r->rows_max);
    r->weight = BR_TAKE(arena, double, pads);
    r->cuts = BR_TAKE(arena, int, pads);
    r->oldest = BR_TAKE(arena, int, pads);
    r->cut = BR_TAKE(arena, double, pads * BR_REGION_CUTS * BR_REGION_FORMS);
    r->patch = BR_TAKE(arena, br_region_patch, stack * (size_t)r->patches);
    r->mode = BR_TAKE(arena, signed char, stack *pads);
    r->bound = BR_TAKE(arena, double, stack);
    r->line = BR_TAKE(arena, double, r->unknowns + 1);
    r->point = BR_TAKE(arena, double, r->unknowns);
    if (!r->row || !r->weight || !r->cuts || !r->oldest || !r->cut || !r->patch || !r->mode || !r->bound || !r->line ||
        !r->point)
        return 0;
    for (int i = 0; i < r->pads; i++) first_cuts(r, i);
    return br_lp_create(&r->lp, arena, r->unknowns + 1, rows);
}

// --- patches --------------------------------------------------------------------------------------------------

static int axis_of(const br_region_patch *patch) {
    return patch->face / 2;
}

static double sign_of(const br_region_patch *patch) {
    return patch->face % 2 ? -1.0 : 1.0;
}

// Corner `which` (bits choose low or high) of a patch in n dimensions, or its middle (-1).
static void corner_of(const br_region_patch *patch, int n, int which, double *out) {
    int o = 0;
    for (int k = 0; k < n; k++) {
        if (k == axis_of(patch)) {
            out[k] = sign_of(patch);
            continue;
        }
        out[k] = which < 0 ? 0.5 * (patch->low[o] + patch->high[o])
                           : (which >> o & 1 ? patch->high[o] : patch->low[o]);
        o++;
    }
}

// m (unit) and kappa with m . v <= |v| <= kappa m . v for every v in the patch. The cone |v| <= kappa m . v is convex, so that the
// corners decide.
static double middle_of(const br_region_patch *patch, int n, double *m) {
    corner_of(patch, n, -1, m);
    const double length = length_of(n, m);
    for (int k = 0; k < n; k++) m[k] /= length;
    double kappa = 1.0, corner[BR_REGION_FORMS];
    if (n == 1) return kappa;
    for (int which = 0; which < 1 << (n - 1); which++) {
        corner_of(patch, n, which, corner);
        double along = 0.0;
        for (int k = 0; k < n; k++) along += m[k] * corner[k];
        kappa = fmax(kappa, length_of(n, corner) / along);
    }
    return kappa;
}

// --- rows of a node -------------------------------------------------------------------------------------------

// g . z <= h is built up as sum of factor times form <= 0.
typedef struct line {
    double *g, p;
    int n;
} line;

static line line_begin(br_region *r) {
    memset(r->line, 0, ((size_t)r->unknowns + 1) * sizeof *r->line);
    return (line){r->line, 0.0, r->unknowns};
}

static void line_add(line *l, double factor, const br_affine *form) {
    l->p += factor * form->p;
    for (int j = 0; j < l->n; j++) l->g[j] += factor * form->q[j];
}

static void line_end(br_region *r, const line *l) {
    br_lp_row(&r->lp, l->g, -l->p);
}

static void add_bound(br_region *r, double factor, const br_affine *form) { // factor form <= 0
    line l = line_begin(r);
    line_add(&l, factor, form);
    line_end(r, &l);
}

static void add_zero(br_region *r, const br_affine *form) {
    add_bound(r, 1.0, form);
    add_bound(r, -1.0, form);
}

// The forms, times `sign`, lie in the patch.
static void add_patch(br_region *r, const br_region_patch *patch, int n, const br_affine *forms, double sign) {
    const int axis = axis_of(patch);
    const double s = sign * sign_of(patch);
    add_bound(r, -s, &forms[axis]);
    for (int k = 0, o = 0; k < n; k++) {
        if (k == axis) continue;
        line l = line_begin(r); // sign v_k <= high s v_axis
        line_add(&l, sign, &forms[k]);
        line_add(&l, -patch->high[o] * s, &forms[axis]);
        line_end(r, &l);
        l = line_begin(r);
        line_add(&l, -sign, &forms[k]);
        line_add(&l, patch->low[o] * s, &forms[axis]);
        line_end(r, &l);
        o++;
    }
}

// factor times the linear bound of the load: from above or from below. Only where every norm has a patch.
static void line_add_load(line *l, double factor, const br_region_pad *p, const br_region_patch *patch,
                          int above) {
    line_add(l, factor, &p->linear);
    for (int k = 0; k < p->norms; k++) {
        double m[BR_REGION_FORMS];
        const double kappa = middle_of(&patch[k], p->norm[k].forms, m);
        for (int j = 0; j < p->norm[k].forms; j++)
            line_add(l, factor * m[j] * (above ? kappa : 1.0), &p->norm[k].form[j]);
    }
}

static int load_is_bounded(const br_region_pad *p, const br_region_patch *patch) {
    for (int k = 0; k < p->norms; k++)
        if (patch[k].face < 0) return 0;
    return 1;
}

static void add_cut(br_region *r, const br_search *s, int i, const br_region_patch *patch, int mode,
                    const double *e) {
    const br_region_pad *p = &r->pad[i];
    line l = line_begin(r);
    for (int k = 0; k < p->directions; k++) line_add(&l, e[k], &p->f[k]);
    if (mode == SLIDE)
        line_add_load(&l, -p->mu_slip, p, patch, 1);
    else
        line_add_load(&l, -s->factor * p->mu_rest, p, patch, 1);
    if (s->level) l.g[r->unknowns] = -r->weight[i];
    line_end(r, &l);
}

static void add_cuts(br_region *r, const br_search *s, int i, const br_region_patch *patch, int mode) {
    for (int k = 0; k < r->cuts[i]; k++)
        add_cut(r, s, i, patch, mode,
                r->cut + ((size_t)i * BR_REGION_CUTS + (size_t)k) * BR_REGION_FORMS);
}

// -f = mu N slip / |slip|: force and slip in the same patch, and f at least what the load from below gives. A pad that moves already
// has its direction.
static void add_slide(br_region *r, int i, const br_region_patch *patch) {
    const br_region_pad *p = &r->pad[i];
    const br_region_patch *slip = &patch[p->norms];
    for (int k = p->slides; k < p->directions; k++) add_zero(r, &p->f[k]);
    double m[BR_REGION_FORMS] = {0.0};
    double kappa = 1.0;
    if (p->moving) {
        memcpy(m, p->along, sizeof m);
    } else if (slip->face >= 0) {
        kappa = middle_of(slip, p->slides, m);
        add_patch(r, slip, p->slides, p->slip, 1.0);
        add_patch(r, slip, p->slides, p->f, -1.0);
    } else
        return;
    if (!load_is_bounded(p, patch)) return;
    line l = line_begin(r); // kappa m . f + mu N <= 0
    for (int k = 0; k < p->slides; k++) line_add(&l, kappa * m[k], &p->f[k]);
    line_add_load(&l, p->mu_slip, p, patch, 0);
    line_end(r, &l);
}

static void add_pad(br_region *r, const br_search *s, int i, const br_region_patch *patch, int mode) {
    const br_region_pad *p = &r->pad[i];
    if (p->contact) add_bound(r, -1.0, &p->linear);
    if (p->contact && p->motion) add_bound(r, -1.0, &p->lift);
    if (mode == APART) {
        for (int k = 0; k < p->directions; k++) add_zero(r, &p->f[k]);
        add_bound(r, 1.0, &p->linear);
        return;
    }
    for (int k = 0; k < p->norms; k++)
        if (patch[k].face >= 0) add_patch(r, &patch[k], p->norm[k].forms, p->norm[k].form, 1.0);
    if (load_is_bounded(p, patch)) add_cuts(r, s, i, patch, mode);
    if (mode == SLIDE) add_slide(r, i, patch);
    if (p->motion && mode != OPEN && p->contact) add_bound(r, 1.0, &p->lift);
    if (p->motion && mode == REST)
        for (int k = 0; k < p->slides; k++) add_zero(r, &p->slip[k]);
}

static void build(br_region *r, const br_search *s, const br_region_patch *patch, const signed char *mode) {
    br_lp *lp = &r->lp;
    br_lp_begin(lp, r->unknowns + (s->level ? 1 : 0));
    if (s->level) {
        lp->c[r->unknowns] = 1.0;
    } else
        for (int j = 0; j < r->unknowns; j++) lp->c[j] = s->objective.q[j];
    for (int k = 0; k < r->rows; k++) add_bound(r, 1.0, &r->row[k]);
    for (int i = 0; i < r->pads; i++) add_pad(r, s, i, patch + r->first[i], mode[i]);
}

// --- does a point keep the law --------------------------------------------------------------------------------

typedef struct pad_values {
    double f[BR_REGION_FORMS], slip[BR_REGION_FORMS], lift, load, t;
    double size; // what errors are compared with
} pad_values;

static pad_values values_at(const br_region *r, const br_search *s, int i, const double *z) {
    const br_region_pad *p = &r->pad[i];
    pad_values v = {.load = br_region_load(r, i, z), .t = s->level ? z[r->unknowns] * r->weight[i] : 0.0};
    values_of(r, p->directions, p->f, z, v.f);
    if (p->motion) values_of(r, p->slides, p->slip, z, v.slip);
    if (p->motion && p->contact) v.lift = br_form_value(r, &p->lift, z);
    v.size = 1.0 + length_of(p->directions, v.f) + fabs(v.load) + length_of(p->slides, v.slip);
    for (int j = 0; j < r->unknowns; j++) v.size += ROUNDING * fabs(z[j]);
    return v;
}

static double broken_rest(const br_region_pad *p, const br_search *s, const pad_values *v) {
    double by = length_of(p->directions, v->f) - s->factor * p->mu_rest * v->load - v->t;
    if (p->motion) by = fmax(by, fmax(length_of(p->slides, v->slip), fabs(v->lift)));
    return by;
}

static double broken_slide(const br_region_pad *p, const br_search *s, const pad_values *v) {
    const double slip = length_of(p->slides, v->slip), limit = p->mu_slip * v->load;
    if (!p->moving && slip <= BR_EPS_LAW * v->size) { // about to move: any direction will do
        const double at_rest = broken_rest(p, s, v);
        return fmin(at_rest, fmax(fabs(length_of(p->directions, v->f) - limit), fabs(v->lift)));
    }
    double off[BR_REGION_FORMS];
    for (int k = 0; k < p->directions; k++) {
        const double unit = p->moving ? p->along[k] : k < p->slides ? v->slip[k] / slip : 0.0;
        off[k] = v->f[k] + limit * unit;
    }
    return fmax(length_of(p->directions, off), p->moving ? 0.0 : fabs(v->lift));
}

static double broken_apart(const br_region_pad *p, const pad_values *v) {
    return fmax(length_of(p->directions, v->f), fabs(v->load));
}

// How far the law of a pad is broken, relative; of an open mode the one that fits best.
static double broken(const br_region *r, const br_search *s, int i, int mode, const double *z) {
    const br_region_pad *p = &r->pad[i];
    const pad_values v = values_at(r, s, i, z);
    double by = INFINITY;
    const int may_slide = p->may & BR_MAY_SLIDE && !(s->rests && s->rests[i]);
    if (mode == REST || (mode == OPEN && p->may & BR_MAY_REST)) by = broken_rest(p, s, &v);
    if (mode == SLIDE || (mode == OPEN && may_slide)) by = fmin(by, broken_slide(p, s, &v));
    if (mode == APART || (mode == OPEN && p->may & BR_MAY_PART)) by = fmin(by, broken_apart(p, &v));
    if (p->contact) by = fmax(by, fmax(-v.load, -v.lift));
    return by / v.size;
}

// --- branching ------------------------------------------------------------------------------------------------

typedef struct search_state {
    br_region *r;
    br_search *s;
    int depth; // nodes on the stack
    br_region_patch *patch; // of the node at work
    signed char *mode;
    double node_bound;
} search_state;

static int push(search_state *w) {
    br_region *r = w->r;
    if (w->depth >= BR_REGION_STACK) {
        w->s->complete = 0;
        w->s->bound = fmin(w->s->bound, w->node_bound);
        return 0;
    }
    memcpy(r->patch + (size_t)w->depth * (size_t)r->patches, w->patch,
           (size_t)r->patches * sizeof *r->patch);
    memcpy(r->mode + (size_t)w->depth * (size_t)r->pads, w->mode, (size_t)r->pads);
    r->bound[w->depth++] = w->node_bound;
    return 1;
}

// The node with the smallest bound, the newest of equals: depth first would creep along a curved limit from its far end.
static void pop(search_state *w) {
    const br_region *r = w->r;
    const size_t patches = (size_t)r->patches, pads = (size_t)r->pads;
    int best = w->depth - 1;
    for (int k = w->depth - 2; k >= 0; k--)
        if (r->bound[k] < r->bound[best]) best = k;
    const size_t from = (size_t)best, last = (size_t)--w->depth;
    memcpy(w->patch, r->patch + from * patches, patches * sizeof *r->patch);
    memcpy(w->mode, r->mode + from * pads, pads);
    w->node_bound = r->bound[from];
    if (from == last) return;
    memcpy(r->patch + from * patches, r->patch + last * patches, patches * sizeof *r->patch);
    memcpy(r->mode + from * pads, r->mode + last * pads, pads);
    r->bound[from] = r->bound[last];
}

static void whole_face(br_region_patch *patch, int face) {
    *patch = (br_region_patch){face, {-1.0, -1.0}, {1.0, 1.0}};
}

// One child per face; the one where v points comes last, that is on top.
static void branch_faces(search_state *w, br_region_patch *patch, int n, const double *v) {
    int best = 0;
    for (int face = 1; face < 2 * n; face++) {
        const double now = face % 2 ? -v[face / 2] : v[face / 2];
        const double then = best % 2 ? -v[best / 2] : v[best / 2];
        if (now > then) best = face;
    }
    const br_region_patch before = *patch;
    for (int face = 0; face < 2 * n; face++) {
        if (face == best) continue;
        whole_face(patch, face);
        push(w);
    }
    whole_face(patch, best);
    push(w);
    *patch = before;
}

// Halves at the middle of the wider range. 0: too narrow.
static int branch_halves(search_state *w, br_region_patch *patch, int n) {
    int o = 0;
    if (n == 1) return 0;
    if (n == 3 && patch->high[1] - patch->low[1] > patch->high[0] - patch->low[0]) o = 1;
    if (patch->high[o] - patch->low[o] < MIN_PATCH) return 0;
    const br_region_patch before = *patch;
    const double middle = 0.5 * (patch->low[o] + patch->high[o]);
    patch->low[o] = middle;
    push(w);
    *patch = before;
    patch->high[o] = middle;
    push(w);
    *patch = before;
    return 1;
}

static void branch_modes(search_state *w, int i) {
    const br_region_pad *p = &w->r->pad[i];
    const int may_slide = p->may & BR_MAY_SLIDE && !(w->s->rests && w->s->rests[i]);
    static const signed char order[] = {APART, SLIDE, REST};
    for (int k = 0; k < 3; k++) {
        const int mode = order[k];
        if (mode == APART && !(p->may & BR_MAY_PART)) continue;
        if (mode == SLIDE && !may_slide) continue;
        if (mode == REST && !(p->may & BR_MAY_REST)) continue;
        w->mode[i] = (signed char)mode;
        push(w);
    }
    w->mode[i] = OPEN;
}

// The norm that is still open and varies most, -1: none.
static int open_norm(const br_region *r, int i, const br_region_patch *patch) {
    const br_region_pad *p = &r->pad[i];
    int found = -1;
    double most = -1.0;
    for (int k = 0; k < p->norms; k++) {
        if (patch[k].face >= 0) continue;
        double size = 0.0;
        for (int j = 0; j < p->norm[k].forms; j++)
            for (int a = 0; a < r->unknowns; a++) size += fabs(p->norm[k].form[j].q[a]);
        if (size > most) most = size, found = k;
    }
    return found;
}

// How much the linear bounds of the norm are apart from each other at z.
static double gap_of(const br_region *r, const br_region_norm *norm, const br_region_patch *patch,
                     const double *z) {
    double m[BR_REGION_FORMS], v[BR_REGION_FORMS], along = 0.0;
    const double kappa = middle_of(patch, norm->forms, m);
    values_of(r, norm->forms, norm->form, z, v);
    for (int k = 0; k < norm->forms; k++) along += m[k] * v[k];
    return (kappa - 1.0) * fabs(along);
}

static int widest_norm(const br_region *r, int i, const br_region_patch *patch, const double *z, double *gap) {
    const br_region_pad *p = &r->pad[i];
    int found = -1;
    *gap = 0.0;
    for (int k = 0; k < p->norms; k++) {
        const double now = p->norm[k].forms > 1 ? gap_of(r, &p->norm[k], &patch[k], z) : 0.0;
        if (now > *gap) *gap = now, found = k;
    }
    return found;
}

// The load's bound from above at z.
static double load_above(const br_region *r, int i, const br_region_patch *patch, const double *z) {
    const br_region_pad *p = &r->pad[i];
    double load = br_form_value(r, &p->linear, z);
    for (int k = 0; k < p->norms; k++) {
        double m[BR_REGION_FORMS], v[BR_REGION_FORMS];
        const double kappa = middle_of(&patch[k], p->norm[k].forms, m);
        values_of(r, p->norm[k].forms, p->norm[k].form, z, v);
        for (int j = 0; j < p->norm[k].forms; j++) load += kappa * m[j] * v[j];
    }
    return load;
}

typedef enum mend { MENDED_BY_CUT, MENDED_BY_BRANCH, MENDED_NOT } mend;

static mend cut_off(search_state *w, int i, const pad_values *v) {
    br_region *r = w->r;
    const br_region_pad *p = &r->pad[i];
    if (p->directions < 2 || r->lp.rows >= r->lp.rows_max) return MENDED_NOT;
    if (r->cuts[i] == BR_REGION_CUTS) { // the oldest makes room; those of the first kind stay
        r->oldest[i] = r->oldest[i] + 1 < BR_REGION_CUTS ? r->oldest[i] + 1 : 2 * p->directions;
    } else
        r->oldest[i] = r->cuts[i]++;
    double *e = r->cut + ((size_t)i * BR_REGION_CUTS + (size_t)r->oldest[i]) * BR_REGION_FORMS;
    const double length = length_of(p->directions, v->f);
    for (int k = 0; k < p->directions; k++) e[k] = v->f[k] / length;
    add_cut(r, w->s, i, w->patch + r->first[i], w->mode[i], e);
    return MENDED_BY_CUT;
}

// Something that takes z, which breaks the law of pad i, out of the node.
static mend mend_pad(search_state *w, int i, const double *z) {
    br_region *r = w->r;
    const br_region_pad *p = &r->pad[i];
    br_region_patch *patch = w->patch + r->first[i], *slip = &patch[p->norms];
    const pad_values v = values_at(r, w->s, i, z);
    const int mode = w->mode[i];
    if (mode == OPEN) return branch_modes(w, i), MENDED_BY_BRANCH;
    if (mode == APART) return MENDED_NOT;
    const int sliding = mode == SLIDE;
    if (sliding && !p->moving && slip->face < 0)
        return branch_faces(w, slip, p->slides, v.slip), MENDED_BY_BRANCH;
    const int norm = open_norm(r, i, patch);
    if (norm >= 0) {
        double n[BR_REGION_FORMS];
        values_of(r, p->norm[norm].forms, p->norm[norm].form, z, n);
        return branch_faces(w, &patch[norm], p->norm[norm].forms, n), MENDED_BY_BRANCH;
    }
    const double mu = sliding ? p->mu_slip : w->s->factor * p->mu_rest;
    const double above = mu * load_above(r, i, patch, z) + v.t;
    if (length_of(p->directions, v.f) > above + 0.3 * BR_EPS_LAW * v.size) {
        const mend how = cut_off(w, i, &v);
        if (how != MENDED_NOT) return how;
    }
    double gap;
    const int widest = widest_norm(r, i, patch, z, &gap);
    if (sliding && !p->moving && p->slides > 1) {
        double m[BR_REGION_FORMS];
        const double kappa = middle_of(slip, p->slides, m);
        const double angle = sqrt(fmax(0.0, 2.0 * (kappa - 1.0)));
        if ((widest < 0 || angle * mu * v.load > mu * gap) && branch_halves(w, slip, p->slides))
            return MENDED_BY_BRANCH;
    }
    if (widest >= 0 && branch_halves(w, &patch[widest], p->norm[widest].forms)) return MENDED_BY_BRANCH;
    return MENDED_NOT;
}

// --- the search -----------------------------------------------------------------------------------------------

br_search br_search_default(double *alpha) {
    br_search s = {.factor = 1.0, .stop_below = -INFINITY, .first_pad = -1, .known = INFINITY};
    s.alpha = alpha;
    return s;
}

static void root(search_state *w) {
    br_region *r = w->r;
    const br_search *s = w->s;
    for (int k = 0; k < r->patches; k++) w->patch[k].face = -1;
    for (int i = 0; i < r->pads; i++) {
        const int may = s->rests && s->rests[i] ? r->pad[i].may & ~BR_MAY_SLIDE : r->pad[i].may;
        w->mode[i] = may == BR_MAY_REST ? REST : may == BR_MAY_SLIDE ? SLIDE : OPEN;
    }
    if (s->first_pad >= 0) {
        w->mode[s->first_pad] = SLIDE;
        whole_face(&w->patch[r->first[s->first_pad] + r->pad[s->first_pad].norms], s->first_face);
    }
    w->node_bound = -INFINITY;
    push(w);
}

static double best_known(const br_search *s) {
    return s->found ? fmin(s->value, s->known) : s->known;
}

static double prune_at(const br_search *s) {
    const double best = best_known(s);
    return isinf(best) ? best : best - TOL_PRUNE * (1.0 + fabs(best));
}

// The pad that breaks its law most, -1: none.
static int worst_pad(const search_state *w, const double *z) {
    int worst = -1;
    double most = BR_EPS_LAW;
    for (int i = 0; i < w->r->pads; i++) {
        const double by = broken(w->r, w->s, i, w->mode[i], z);
        if (by > most) most = by, worst = i;
    }
    return worst;
}

static void keep(search_state *w, double value, const double *alpha, int endless) {
    br_search *s = w->s;
    if (s->found && value >= s->value) return;
    s->found = 1;
    s->value = value;
    s->endless = endless;
    if (alpha != s->alpha) memcpy(s->alpha, alpha, (size_t)w->r->unknowns * sizeof *s->alpha);
}

// Any point will do for a level, if contacts do not pull: t is what its worst pad needs.
static void keep_level(search_state *w, const double *z) {
    const br_region *r = w->r;
    double t = -INFINITY;
    for (int i = 0; i < r->pads; i++) {
        const double load = br_region_load(r, i, z), f = br_region_force(r, i, z);
        t = fmax(t, (f - w->s->factor * r->pad[i].mu_rest * load) / r->weight[i]);
    }
    if (r->pads) keep(w, t, z, 0);
}

static int keeps_law(const search_state *w, const double *z) {
    for (int i = 0; i < w->r->pads; i++)
        if (broken(w->r, w->s, i, REST, z) > BR_EPS_LAW) return 0;
    return 1;
}

// From the point that is known to be allowed towards z, as far as it goes: without it nothing could be dropped before the patches
// have become narrow.
static void keep_between(search_state *w, const double *z) {
    br_search *s = w->s;
    const int n = w->r->unknowns;
    const double *from = s->found ? s->alpha : s->inside;
    double low = 0.0, high = 1.0, *at = w->r->point;
    for (int k = 0; k < 40; k++) {
        const double share = k == 0 ? 1.0 : 0.5 * (low + high);
        for (int j = 0; j < n; j++) at[j] = from[j] + share * (z[j] - from[j]);
        if (keeps_law(w, at)) {
            low = share;
            if (share == 1.0) break;
        } else
            high = share;
    }
    if (low == 0.0) return;
    for (int j = 0; j < n; j++) at[j] = from[j] + low * (z[j] - from[j]);
    keep(w, br_form_value(w->r, &s->objective, at), at, 0);
}

// One node: solve, cut and solve again, until it is kept, dropped or branched.
static void treat(search_state *w) {
    br_region *r = w->r;
    br_search *s = w->s;
    const double base = s->level ? 0.0 : s->objective.p;
    build(r, s, w->patch, w->mode);
    for (;;) {
        r->lp.cutoff = prune_at(s) - base;
        r->nodes++;
        const br_lp_answer answer = br_lp_solve(&r->lp);
        if (answer == BR_LP_INFEASIBLE || answer == BR_LP_CUTOFF) return;
        if (answer == BR_LP_GAVE_UP) break;
        const double value = r->lp.value + base;
        w->node_bound = fmax(w->node_bound, value);
        const int worst = worst_pad(w, r->lp.z);
        if (worst < 0) return keep(w, value, r->lp.z, answer == BR_LP_UNBOUNDED);
        if (s->level)
            keep_level(w, r->lp.z);
        else if (s->inside && answer == BR_LP_OPTIMUM)
            keep_between(w, r->lp.z);
        const mend how = mend_pad(w, worst, r->lp.z);
        if (how == MENDED_BY_BRANCH) return;
        if (how == MENDED_NOT && broken(r, s, worst, w->mode[worst], r->lp.z) < GOOD_ENOUGH) {
            if (!s->level) keep(w, value, r->lp.z, answer == BR_LP_UNBOUNDED);
            return;
        }
        if (how == MENDED_NOT) break;
    }
    s->complete = 0; // what this node holds is not known better than its bound
    s->bound = fmin(s->bound, w->node_bound);
}

void br_region_search(br_region *r, br_search *s) {
    search_state w = {r, s, 0, r->patch + (size_t)BR_REGION_STACK * (size_t)r->patches,
                      r->mode + (size_t)BR_REGION_STACK * (size_t)r->pads, -INFINITY};
    s->found = s->endless = 0;
    s->complete = 1;
    s->value = s->bound = INFINITY;
    const long end = r->nodes + BR_MAX_REGION_NODES;
    for (int i = 0; i < r->pads; i++) // cuts of earlier searches hold, but many make every program slow
        if (r->cuts[i] > BR_REGION_CUTS / 2) first_cuts(r, i);
    root(&w);
    while (w.depth > 0) {
        pop(&w);
        if (w.node_bound >= prune_at(s)) continue;
        if (r->nodes >= end || (r->nodes_max > 0 && r->nodes >= r->nodes_max)) {
            s->complete = 0;
            s->bound = fmin(s->bound, w.node_bound);
            continue;
        }
        treat(&w);
        if (s->found && s->value < s->stop_below) break;
    }
    s->bound = fmin(s->bound, s->found ? s->value : INFINITY);
}
