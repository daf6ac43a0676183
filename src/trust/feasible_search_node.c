// The linear program of a node, and whether a point keeps the law, see feasible_search_node.h.
#include "trust/feasible_search_node.h"

#include <math.h>
#include <string.h>

#include "trust/feasible_group.h"

#define ROUNDING 1e-4 // in BR_EPS_LAW: far out, differences of large terms are no better

// --- values ---------------------------------------------------------------------------------------------------

double br_form_value(const br_region *region, const br_affine *form, const double *alpha) {
    double sum = form->p;
    for (int j = 0; j < region->unknowns; j++) sum += form->q[j] * alpha[j];
    return sum;
}

double br_node_length(int n, const double *v) {
    double square = 0.0;
    for (int k = 0; k < n; k++) square += v[k] * v[k];
    return sqrt(square);
}

void br_node_values(const br_region *region, int n, const br_affine *forms, const double *alpha,
                    double *out) {
    for (int k = 0; k < n; k++) out[k] = br_form_value(region, &forms[k], alpha);
}

double br_region_load(const br_region *region, int pad, const double *alpha) {
    const br_region_pad *p = &region->pad[pad];
    double load = br_form_value(region, &p->linear, alpha), v[BR_REGION_FORMS];
    for (int k = 0; k < p->norms; k++) {
        br_node_values(region, p->norm[k].forms, p->norm[k].form, alpha, v);
        load += br_node_length(p->norm[k].forms, v);
    }
    return load;
}

double br_region_force(const br_region *region, int pad, const double *alpha) {
    double f[BR_REGION_FORMS];
    br_node_values(region, region->pad[pad].directions, region->pad[pad].f, alpha, f);
    return br_node_length(region->pad[pad].directions, f);
}

// --- patches --------------------------------------------------------------------------------------------------

static int axis_of(const br_region_patch *patch) {
    return patch->face / 2;
}

static double sign_of(const br_region_patch *patch) {
    return patch->face % 2 ? -1.0 : 1.0;
}

// Corner `which` (bits choose low or high) of a patch in n dimensions, or its middle (-1).
void br_node_corner(const br_region_patch *patch, int n, int which, double *out) {
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

// m (unit) and kappa with m . v <= |v| <= kappa m . v for every v in the patch. The cone |v| <= kappa m . v
// is convex, so that the corners decide.
double br_node_middle(const br_region_patch *patch, int n, double *m) {
    br_node_corner(patch, n, -1, m);
    const double length = br_node_length(n, m);
    for (int k = 0; k < n; k++) m[k] /= length;
    double kappa = 1.0, corner[BR_REGION_FORMS];
    if (n == 1) return kappa;
    for (int which = 0; which < 1 << (n - 1); which++) {
        br_node_corner(patch, n, which, corner);
        double along = 0.0;
        for (int k = 0; k < n; k++) along += m[k] * corner[k];
        kappa = fmax(kappa, br_node_length(n, corner) / along);
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
static void add_patch(br_region *r, const br_region_patch *patch, int n, const br_affine *forms,
                      double sign) {
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
        const double kappa = br_node_middle(&patch[k], p->norm[k].forms, m);
        for (int j = 0; j < p->norm[k].forms; j++)
            line_add(l, factor * m[j] * (above ? kappa : 1.0), &p->norm[k].form[j]);
    }
}

static int load_is_bounded(const br_region_pad *p, const br_region_patch *patch) {
    for (int k = 0; k < p->norms; k++)
        if (patch[k].face < 0) return 0;
    return 1;
}

void br_node_add_cut(br_region *r, const br_search *s, int i, const br_region_patch *patch, int mode,
                     const double *e) {
    const br_region_pad *p = &r->pad[i];
    line l = line_begin(r);
    for (int k = 0; k < p->directions; k++) line_add(&l, e[k], &p->f[k]);
    if (mode == BR_NODE_SLIDES)
        line_add_load(&l, -p->mu_slip, p, patch, 1);
    else
        line_add_load(&l, -s->factor * p->mu_rest, p, patch, 1);
    if (s->level && mode != BR_NODE_SLIDES) l.g[r->unknowns] = -r->weight[i];
    line_end(r, &l);
}

static void add_cuts(br_region *r, const br_search *s, int i, const br_region_patch *patch, int mode) {
    for (int k = 0; k < r->cuts[i]; k++)
        br_node_add_cut(r, s, i, patch, mode,
                        r->cut + ((size_t)i * BR_REGION_CUTS + (size_t)k) * BR_REGION_FORMS);
}

// No force across the direction of a pad that moves already: component k of f - along (along . f).
static void add_across(br_region *r, const br_region_pad *p, int k) {
    for (int sign = -1; sign <= 1; sign += 2) {
        line l = line_begin(r);
        for (int j = 0; j < p->directions; j++)
            line_add(&l, sign * ((j == k) - p->along[k] * p->along[j]), &p->f[j]);
        line_end(r, &l);
    }
}

// -f = mu N slip / |slip|: force and slip in the same patch, and f at least what the load from below gives. A
// pad that moves already has its direction.
static void add_slide(br_region *r, const br_search *s, int i, const br_region_patch *patch) {
    const br_region_pad *p = &r->pad[i];
    const br_region_patch *slip = &patch[p->norms];
    for (int k = p->slides; k < p->directions; k++) add_zero(r, &p->f[k]);
    double m[BR_REGION_FORMS] = {0.0};
    double kappa = 1.0;
    if (p->moving) {
        memcpy(m, p->along, sizeof m);
        for (int k = 0; k < p->directions && p->directions > 1; k++) add_across(r, p, k);
    } else if (slip->face >= 0) {
        kappa = br_node_middle(slip, p->slides, m);
        add_patch(r, slip, p->slides, p->slip, 1.0);
        add_patch(r, slip, p->slides, p->f, -1.0);
    } else
        return;
    if (!load_is_bounded(p, patch)) return;
    line l = line_begin(r); // kappa m . f + mu N <= 0
    for (int k = 0; k < p->slides; k++) line_add(&l, kappa * m[k], &p->f[k]);
    line_add_load(&l, p->mu_slip, p, patch, 0);
    line_end(r, &l);
    if (!p->moving) return;
    for (int k = 0; k < p->slides; k++) m[k] = -m[k];
    br_node_add_cut(r, s, i, patch, BR_NODE_SLIDES, m);
}

// -f = mu N slip / |slip| with the slip in a sector: the force in it as well, at most mu N and at least what the middle of the chord is.
// Of one that has parted nothing is left of either.
static void add_sector(br_region *r, const br_search *s, int i, const br_region_patch *patch,
                       const br_sector *sector) {
    const br_region_pad *p = &r->pad[i];
    const double *ends[] = {sector->low, sector->high, sector->middle};
    for (int side = 0; side < 2; side++) { // low x (-f) >= 0, (-f) x high >= 0
        line l = line_begin(r);
        const double sign = side ? -1.0 : 1.0;
        line_add(&l, sign * ends[side][0], &p->f[1]);
        line_add(&l, -sign * ends[side][1], &p->f[0]);
        line_end(r, &l);
    }
    line l = line_begin(r); // kappa m . f + mu N <= 0
    for (int k = 0; k < 2; k++) line_add(&l, sector->kappa * sector->middle[k], &p->f[k]);
    line_add_load(&l, p->mu_slip, p, patch, 0);
    line_end(r, &l);
    for (int k = 0; k < 3; k++) {
        const double e[2] = {-ends[k][0], -ends[k][1]};
        br_node_add_cut(r, s, i, patch, BR_NODE_SLIDES, e);
    }
    for (int k = 0; k < r->cuts[i]; k++) { // of the others those that touch the sector
        const double *e = r->cut + ((size_t)i * BR_REGION_CUTS + (size_t)k) * BR_REGION_FORMS;
        if (-sector->kappa * (e[0] * sector->middle[0] + e[1] * sector->middle[1]) > 1.0)
            br_node_add_cut(r, s, i, patch, BR_NODE_SLIDES, e);
    }
}

// A contact of a group: its sector is the group's patch; with a sector it cannot rest while the group moves.
static void add_member(br_region *r, const br_search *s, int i, const br_region_patch *patch,
                       const br_region_patch *of_group, int mode) {
    const br_region_pad *p = &r->pad[i];
    const br_sector sector = br_group_sector(r, i, of_group);
    add_bound(r, -1.0, &p->lift);
    add_bound(r, -1.0, &p->linear);
    if (mode == BR_NODE_APART) {
        for (int k = 0; k < p->directions; k++) add_zero(r, &p->f[k]);
        add_bound(r, 1.0, &p->linear);
        return;
    }
    if (!sector.known || mode == BR_NODE_RESTS) add_cuts(r, s, i, patch, mode);
    if (mode != BR_NODE_OPEN) add_bound(r, 1.0, &p->lift);
    if (mode == BR_NODE_RESTS)
        for (int k = 0; k < p->slides; k++) add_zero(r, &p->slip[k]);
    else if (sector.known)
        add_sector(r, s, i, patch, &sector);
}

static void add_group(br_region *r, int g, const br_region_patch *patch) {
    const br_region_group *group = &r->group[g];
    if (patch->face == BR_PATCH_STILL)
        for (int k = 0; k < group->forms; k++) add_zero(r, &group->form[k]);
    else if (patch->face >= 0)
        add_patch(r, patch, group->forms, group->form, 1.0);
}

static void add_pad(br_region *r, const br_search *s, int i, const br_region_patch *patch, int mode) {
    const br_region_pad *p = &r->pad[i];
    if (p->contact) add_bound(r, -1.0, &p->linear);
    if (p->contact && p->motion) add_bound(r, -1.0, &p->lift);
    if (mode == BR_NODE_APART) {
        for (int k = 0; k < p->directions; k++) add_zero(r, &p->f[k]);
        add_bound(r, 1.0, &p->linear);
        return;
    }
    for (int k = 0; k < p->norms; k++)
        if (patch[k].face >= 0) add_patch(r, &patch[k], p->norm[k].forms, p->norm[k].form, 1.0);
    if (load_is_bounded(p, patch)) add_cuts(r, s, i, patch, mode);
    if (mode == BR_NODE_SLIDES) add_slide(r, s, i, patch);
    if (p->motion && mode != BR_NODE_OPEN && p->contact) add_bound(r, 1.0, &p->lift);
    if (p->motion && mode == BR_NODE_RESTS)
        for (int k = 0; k < p->slides; k++) add_zero(r, &p->slip[k]);
}

void br_node_build(br_region *r, const br_search *s, const br_region_patch *patch, const signed char *mode) {
    br_lp *lp = &r->lp;
    br_lp_begin(lp, r->unknowns + (s->level ? 1 : 0));
    if (s->level) {
        lp->c[r->unknowns] = 1.0;
    } else
        for (int j = 0; j < r->unknowns; j++) lp->c[j] = s->objective.q[j];
    for (int k = 0; k < r->rows; k++) add_bound(r, 1.0, &r->row[k]);
    for (int g = 0; g < r->groups; g++) add_group(r, g, patch + r->first_group + g);
    for (int i = 0; i < r->pads; i++) {
        const br_region_patch *own = patch + r->first[i];
        if (r->pad[i].group >= 0)
            add_member(r, s, i, own, patch + r->first_group + r->pad[i].group, mode[i]);
        else
            add_pad(r, s, i, own, mode[i]);
    }
}

// --- does a point keep the law --------------------------------------------------------------------------------

br_pad_values br_node_pad_values(const br_region *r, const br_search *s, int i, const double *z) {
    const br_region_pad *p = &r->pad[i];
    br_pad_values v = {.load = br_region_load(r, i, z), .t = s->level ? z[r->unknowns] * r->weight[i] : 0.0};
    br_node_values(r, p->directions, p->f, z, v.f);
    if (p->motion && !p->moving) br_node_values(r, p->slides, p->slip, z, v.slip);
    if (p->motion && p->contact) v.lift = br_form_value(r, &p->lift, z);
    v.size = 1.0 + br_node_length(p->directions, v.f) + fabs(v.load) + br_node_length(p->slides, v.slip);
    for (int j = 0; j < r->unknowns; j++) v.size += ROUNDING * fabs(z[j]);
    return v;
}

static double broken_rest(const br_region_pad *p, const br_search *s, const br_pad_values *v) {
    double by = 0.0; // of a stop: nothing rubs
    if (p->directions > 0) by = br_node_length(p->directions, v->f) - s->factor * p->mu_rest * v->load - v->t;
    if (p->motion) by = fmax(by, fmax(br_node_length(p->slides, v->slip), fabs(v->lift)));
    return by;
}

static double broken_slide(const br_region_pad *p, const br_search *s, const br_pad_values *v) {
    const double slip = br_node_length(p->slides, v->slip), limit = p->mu_slip * v->load;
    if (!p->moving && slip <= BR_EPS_LAW * v->size) { // about to move: any direction will do
        const double at_rest = broken_rest(p, s, v);
        return fmin(at_rest, fmax(fabs(br_node_length(p->directions, v->f) - limit), fabs(v->lift)));
    }
    double off[BR_REGION_FORMS];
    for (int k = 0; k < p->directions; k++) {
        const double unit = p->moving ? p->along[k] : k < p->slides ? v->slip[k] / slip : 0.0;
        off[k] = v->f[k] + limit * unit;
    }
    return fmax(br_node_length(p->directions, off), fabs(v->lift));
}

static double broken_apart(const br_region_pad *p, const br_pad_values *v) {
    return fmax(br_node_length(p->directions, v->f), fabs(v->load));
}

// How far the law of a pad is broken, relative; of an open mode the one that fits best.
double br_node_broken(const br_region *r, const br_search *s, int i, int mode, const double *z) {
    const br_region_pad *p = &r->pad[i];
    const br_pad_values v = br_node_pad_values(r, s, i, z);
    double by = INFINITY;
    const int may_slide = p->may & BR_MAY_SLIDE;
    if (mode == BR_NODE_RESTS || (mode == BR_NODE_OPEN && p->may & BR_MAY_REST)) by = broken_rest(p, s, &v);
    if (mode == BR_NODE_SLIDES || (mode == BR_NODE_OPEN && may_slide)) by = fmin(by, broken_slide(p, s, &v));
    if (mode == BR_NODE_APART || (mode == BR_NODE_OPEN && p->may & BR_MAY_PART))
        by = fmin(by, broken_apart(p, &v));
    if (p->contact) by = fmax(by, fmax(-v.load, -v.lift));
    return by / v.size;
}
