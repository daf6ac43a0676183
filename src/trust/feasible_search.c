// Branch and bound over linear programs, see feasible_search.h.
#include "trust/feasible_cone.h"
#include "trust/feasible_group.h"
#include "trust/feasible_search_node.h"

#include <math.h>
#include <string.h>

#define TOL_PRUNE 1e-10
#define GOOD_ENOUGH 1e-7 // of a law that nothing mends any more: rounding of the linear program
#define MIN_PATCH 1e-8   // narrower patches are not halved
#define WIDE_PATCH 0.3   // of a group: beyond, halving tells more than a contact's mode

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
        rows += (p->directions > 1 ? 2 * BR_REGION_CUTS : 2) + 5 * (p->norms + 1) + 6 * p->directions + 8;
    }
    if (!br_group_find(r, arena)) return 0;
    r->first_group = r->patches;
    r->patches += r->groups;
    rows += 6 * r->groups + 8 * r->pads;
    r->row = BR_TAKE(arena, br_affine, r->rows_max);
    r->weight = BR_TAKE(arena, double, pads);
    r->fixed = BR_TAKE(arena, signed char, pads);
    r->cuts = BR_TAKE(arena, int, pads);
    r->oldest = BR_TAKE(arena, int, pads);
    r->cut = BR_TAKE(arena, double, pads *BR_REGION_CUTS *BR_REGION_FORMS);
    r->patch = BR_TAKE(arena, br_region_patch, stack * (size_t)r->patches);
    r->mode = BR_TAKE(arena, signed char, stack *pads);
    r->bound = BR_TAKE(arena, double, stack);
    r->line = BR_TAKE(arena, double, r->unknowns + 1);
    r->point = BR_TAKE(arena, double, r->unknowns);
    if (!r->row || !r->fixed || !r->weight || !r->cuts || !r->oldest || !r->cut || !r->patch || !r->mode ||
        !r->bound || !r->line || !r->point)
        return 0;
    for (int i = 0; i < r->pads; i++) first_cuts(r, i), r->fixed[i] = BR_NODE_OPEN;
    const int made = br_lp_create(&r->lp, arena, r->unknowns + 1, rows) && br_cone_create(r, arena);
    r->lp.work = r->work;
    return made;
}

// --- branching ------------------------------------------------------------------------------------------------

typedef struct search_state {
    br_region *r;
    br_search *s;
    int depth;              // nodes on the stack
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
    memcpy(r->patch + (size_t)w->depth * (size_t)r->patches, w->patch, (size_t)r->patches * sizeof *r->patch);
    memcpy(r->mode + (size_t)w->depth * (size_t)r->pads, w->mode, (size_t)r->pads);
    r->bound[w->depth++] = w->node_bound;
    return 1;
}

// The node with the smallest bound, the newest of equals: depth first would creep along a curved limit from
// its far end.
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
    static const signed char order[] = {BR_NODE_APART, BR_NODE_SLIDES, BR_NODE_RESTS};
    for (int k = 0; k < 3; k++) {
        const int mode = order[k];
        if (mode == BR_NODE_APART && !(p->may & BR_MAY_PART)) continue;
        if (mode == BR_NODE_SLIDES && !(p->may & BR_MAY_SLIDE)) continue;
        if (mode == BR_NODE_RESTS && !(p->may & BR_MAY_REST)) continue;
        w->mode[i] = (signed char)mode;
        push(w);
    }
    w->mode[i] = BR_NODE_OPEN;
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
    const double kappa = br_node_middle(patch, norm->forms, m);
    br_node_values(r, norm->forms, norm->form, z, v);
    for (int k = 0; k < norm->forms; k++) along += m[k] * v[k];
    return (kappa - 1.0) * fabs(along);
}

static int widest_norm(const br_region *r, int i, const br_region_patch *patch, const double *z,
                       double *gap) {
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
        const double kappa = br_node_middle(&patch[k], p->norm[k].forms, m);
        br_node_values(r, p->norm[k].forms, p->norm[k].form, z, v);
        for (int j = 0; j < p->norm[k].forms; j++) load += kappa * m[j] * v[j];
    }
    return load;
}

typedef enum mend { MENDED_BY_CUT, MENDED_BY_BRANCH, MENDED_NOT } mend;

static mend cut_off(search_state *w, int i, const br_pad_values *v, int mode) {
    br_region *r = w->r;
    const br_region_pad *p = &r->pad[i];
    if (p->directions < 2 || r->lp.rows >= r->lp.rows_max) return MENDED_NOT;
    if (r->cuts[i] == BR_REGION_CUTS) { // the oldest makes room; those of the first kind stay
        r->oldest[i] = r->oldest[i] + 1 < BR_REGION_CUTS ? r->oldest[i] + 1 : 2 * p->directions;
    } else
        r->oldest[i] = r->cuts[i]++;
    double *e = r->cut + ((size_t)i * BR_REGION_CUTS + (size_t)r->oldest[i]) * BR_REGION_FORMS;
    const double length = br_node_length(p->directions, v->f);
    for (int k = 0; k < p->directions; k++) e[k] = v->f[k] / length;
    br_node_add_cut(r, w->s, i, w->patch + r->first[i], mode, e);
    return MENDED_BY_CUT;
}

// A group stands still, or moves on one of the faces.
static void branch_group(search_state *w, int g, const double *z) {
    const br_region_group *group = &w->r->group[g];
    br_region_patch *patch = &w->patch[w->r->first_group + g];
    double v[BR_REGION_FORMS];
    br_node_values(w->r, group->forms, group->form, z, v);
    patch->face = BR_PATCH_STILL;
    push(w);
    patch->face = BR_PATCH_OPEN;
    branch_faces(w, patch, group->forms, v);
}

static void branch_member(search_state *w, int i, int rests, int slides) {
    static const signed char order[] = {BR_NODE_APART, BR_NODE_SLIDES, BR_NODE_RESTS};
    for (int k = 0; k < 3; k++) {
        if (order[k] == BR_NODE_APART && !(w->r->pad[i].may & BR_MAY_PART)) continue;
        if ((order[k] == BR_NODE_SLIDES && !slides) || (order[k] == BR_NODE_RESTS && !rests)) continue;
        w->mode[i] = order[k];
        push(w);
    }
    w->mode[i] = BR_NODE_OPEN;
}

// The same of a contact in a group: the group's motion is patched and halved, not the contact's slip.
static mend mend_member(search_state *w, int i, const double *z) {
    br_region *r = w->r;
    const br_region_pad *p = &r->pad[i];
    br_region_patch *patch = &w->patch[r->first_group + p->group];
    const br_pad_values v = br_node_pad_values(r, w->s, i, z);
    const int mode = w->mode[i], forms = r->group[p->group].forms;
    if (mode == BR_NODE_APART) return MENDED_NOT;
    if (mode != BR_NODE_RESTS && patch->face == BR_PATCH_OPEN)
        return branch_group(w, p->group, z), MENDED_BY_BRANCH;
    if (mode == BR_NODE_OPEN && patch->face == BR_PATCH_STILL)
        return branch_member(w, i, 1, 0), MENDED_BY_BRANCH;
    const int known = patch->face >= 0 && br_group_sector(r, i, patch).known;
    const int slides = mode == BR_NODE_SLIDES || (mode == BR_NODE_OPEN && known);
    const double limit = (slides ? p->mu_slip : w->s->factor * p->mu_rest) * v.load + v.t;
    if (mode == BR_NODE_OPEN && fmin(v.load, v.lift) > BR_EPS_LAW * v.size)
        return branch_member(w, i, !known, 1), MENDED_BY_BRANCH;
    if (br_node_length(p->directions, v.f) > limit + 0.3 * BR_EPS_LAW * v.size) {
        const mend how = cut_off(w, i, &v, slides ? BR_NODE_SLIDES : mode);
        if (how != MENDED_NOT) return how;
    }
    if (mode == BR_NODE_RESTS) return MENDED_NOT;
    const double width = fmax(patch->high[0] - patch->low[0], patch->high[1] - patch->low[1]);
    if (mode == BR_NODE_OPEN && !known && width < WIDE_PATCH)
        return branch_member(w, i, 1, 1), MENDED_BY_BRANCH;
    return branch_halves(w, patch, forms) ? MENDED_BY_BRANCH : MENDED_NOT;
}

// Something that takes z, which breaks the law of pad i, out of the node.
static mend mend_pad(search_state *w, int i, const double *z) {
    br_region *r = w->r;
    if (r->pad[i].group >= 0) return mend_member(w, i, z);
    const br_region_pad *p = &r->pad[i];
    br_region_patch *patch = w->patch + r->first[i], *slip = &patch[p->norms];
    const br_pad_values v = br_node_pad_values(r, w->s, i, z);
    const int mode = w->mode[i];
    if (mode == BR_NODE_OPEN) return branch_modes(w, i), MENDED_BY_BRANCH;
    if (mode == BR_NODE_APART) return MENDED_NOT;
    const int sliding = mode == BR_NODE_SLIDES;
    if (sliding && !p->moving && slip->face < 0)
        return branch_faces(w, slip, p->slides, v.slip), MENDED_BY_BRANCH;
    const int norm = open_norm(r, i, patch);
    if (norm >= 0) {
        double n[BR_REGION_FORMS];
        br_node_values(r, p->norm[norm].forms, p->norm[norm].form, z, n);
        return branch_faces(w, &patch[norm], p->norm[norm].forms, n), MENDED_BY_BRANCH;
    }
    const double mu = sliding ? p->mu_slip : w->s->factor * p->mu_rest;
    const double above = mu * load_above(r, i, patch, z) + v.t;
    if (br_node_length(p->directions, v.f) > above + 0.3 * BR_EPS_LAW * v.size) {
        const mend how = cut_off(w, i, &v, mode);
        if (how != MENDED_NOT) return how;
    }
    double gap;
    const int widest = widest_norm(r, i, patch, z, &gap);
    if (sliding && !p->moving && p->slides > 1) {
        double m[BR_REGION_FORMS];
        const double kappa = br_node_middle(slip, p->slides, m);
        const double angle = sqrt(fmax(0.0, 2.0 * (kappa - 1.0)));
        if ((widest < 0 || angle * mu * v.load > mu * gap) && branch_halves(w, slip, p->slides))
            return MENDED_BY_BRANCH;
    }
    if (widest >= 0 && branch_halves(w, &patch[widest], p->norm[widest].forms)) return MENDED_BY_BRANCH;
    return MENDED_NOT;
}

// --- the search -----------------------------------------------------------------------------------------------

br_search br_search_default(double *alpha) {
    br_search s = {
        .factor = 1.0, .stop_below = -INFINITY, .first_pad = -1, .first_group = -1, .known = INFINITY};
    s.alpha = alpha;
    return s;
}

static void root(search_state *w) {
    br_region *r = w->r;
    const br_search *s = w->s;
    for (int k = 0; k < r->patches; k++) w->patch[k].face = BR_PATCH_OPEN;
    for (int i = 0; i < r->pads; i++) {
        const int may = r->pad[i].may;
        w->mode[i] = may == BR_MAY_REST ? BR_NODE_RESTS : may == BR_MAY_SLIDE ? BR_NODE_SLIDES : BR_NODE_OPEN;
        if (r->fixed[i] != BR_NODE_OPEN) w->mode[i] = r->fixed[i];
    }
    if (s->first_group >= 0) whole_face(&w->patch[r->first_group + s->first_group], s->first_face);
    if (s->first_pad >= 0 && r->pad[s->first_pad].group >= 0)
        w->mode[s->first_pad] = BR_NODE_SLIDES;
    else if (s->first_pad >= 0) {
        w->mode[s->first_pad] = BR_NODE_SLIDES;
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
        const double by = br_node_broken(w->r, w->s, i, w->mode[i], z);
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

// Any point will do for a level, if contacts do not pull and what slides keeps its law: t is what its worst pad at rest needs.
static void keep_level(search_state *w, const double *z) {
    const br_region *r = w->r;
    double t = -INFINITY;
    for (int i = 0; i < r->pads; i++) {
        const double load = br_region_load(r, i, z), f = br_region_force(r, i, z);
        // A stop that pushes while it parts keeps no law at any level, nor does a slide that is none.
        if ((r->pad[i].moving || r->pad[i].directions == 0) &&
            br_node_broken(r, w->s, i, w->mode[i], z) > BR_EPS_LAW)
            return;
        if (r->pad[i].directions == 0 || r->pad[i].moving) continue;
        t = fmax(t, (f - w->s->factor * r->pad[i].mu_rest * load) / r->weight[i]);
    }
    if (r->pads) keep(w, t, z, 0);
}

static int keeps_law(const search_state *w, const double *z) {
    for (int i = 0; i < w->r->pads; i++)
        if (br_node_broken(w->r, w->s, i, w->mode[i], z) > BR_EPS_LAW) return 0;
    return 1;
}

// From the point that is known to be allowed towards z, as far as it goes: without it nothing could be
// dropped before the patches have become narrow.
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
    br_node_build(r, s, w->patch, w->mode);
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
        if (how == MENDED_NOT && br_node_broken(r, s, worst, w->mode[worst], r->lp.z) < GOOD_ENOUGH) {
            if (!s->level) keep(w, value, r->lp.z, answer == BR_LP_UNBOUNDED);
            return;
        }
        if (how == MENDED_NOT) break;
    }
    s->complete = 0; // what this node holds is not known better than its bound
    s->bound = fmin(s->bound, w->node_bound);
}

// A node is copied to and from the stack, its program is built, and its answer tried on every pad.
static double node_work(const br_region *r) {
    return 700.0 + 20.0 * (r->patches + r->pads) + 4.0 * (double)r->unknowns * (r->lp.rows + 8 * r->pads);
}

void br_region_search(br_region *r, br_search *s) {
    search_state w = {r,
                      s,
                      0,
                      r->patch + (size_t)BR_REGION_STACK * (size_t)r->patches,
                      r->mode + (size_t)BR_REGION_STACK * (size_t)r->pads,
                      -INFINITY};
    s->found = s->endless = 0;
    s->complete = 1;
    s->value = s->bound = INFINITY;
    br_work_tell(r->work);
    if (br_cone_search(r, s)) return;
    s->found = s->endless = 0;
    s->value = s->bound = INFINITY;
    const long end = r->nodes + BR_MAX_REGION_NODES;
    for (int i = 0; i < r->pads; i++) // cuts of earlier searches hold, but many make every program slow
        if (r->cuts[i] > BR_REGION_CUTS / 2) first_cuts(r, i);
    root(&w);
    while (w.depth > 0) {
        pop(&w);
        if (w.node_bound >= prune_at(s)) continue;
        if (r->nodes >= end || (r->nodes_max > 0 && r->nodes >= r->nodes_max) ||
            !br_work_spend(r->work, node_work(r))) {
            s->complete = 0;
            s->bound = fmin(s->bound, w.node_bound);
            continue;
        }
        treat(&w);
        br_work_tell(r->work);
        if (s->found && s->value < s->stop_below) break;
    }
    s->bound = fmin(s->bound, s->found ? s->value : INFINITY);
}
