// Which contacts slip by one motion, and how, see feasible_group.h.
#include "trust/feasible_group.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"
#include "trust/feasible_search_node.h"

#define EPS_DEPENDENT 1e-9 // of a slip: what the motions of the group leave of it is rounding
#define LEAST_COSINE                                                                                         \
    0.17 // of the angle from a sector's middle to its ends: 80 degrees, beyond which it bounds nothing

static double dot_of(const br_region *r, const br_affine *a, const br_affine *b) {
    double sum = a->p * b->p;
    for (int j = 0; j < r->unknowns; j++) sum += a->q[j] * b->q[j];
    return sum;
}

// form - its parts along the group's own; returns what is left of its length.
static double reduce(const br_region *r, const br_region_group *group, const br_affine *form, double *left) {
    double square = 0.0;
    left[0] = form->p;
    memcpy(left + 1, form->q, (size_t)r->unknowns * sizeof *left);
    for (int turn = 0; turn < 2; turn++) // twice is enough
        for (int k = 0; k < group->forms; k++) {
            const br_affine rest = {left[0], left + 1};
            const double along = dot_of(r, &rest, &group->form[k]);
            left[0] -= along * group->form[k].p;
            for (int j = 0; j < r->unknowns; j++) left[1 + j] -= along * group->form[k].q[j];
        }
    for (int j = 0; j <= r->unknowns; j++) square += left[j] * left[j];
    return sqrt(square);
}

// Takes the pad's slips into the group, with new motions where it has room for them; 0: it does not fit, -1: no memory.
static int join(br_region *r, br_arena *arena, br_region_group *group, int i, double *left) {
    br_region_pad *p = &r->pad[i];
    br_region_group wider = *group;
    for (int m = 0; m < p->slides; m++) {
        const double whole = sqrt(dot_of(r, &p->slip[m], &p->slip[m]));
        const double rest = reduce(r, &wider, &p->slip[m], left);
        if (rest <= EPS_DEPENDENT * whole) continue;
        if (wider.forms == BR_REGION_FORMS) return 0;
        double *q = BR_TAKE(arena, double, r->unknowns);
        if (!q) return -1;
        for (int j = 0; j < r->unknowns; j++) q[j] = left[1 + j] / rest;
        wider.form[wider.forms++] = (br_affine){left[0] / rest, q};
    }
    *group = wider;
    return 1;
}

static int can_join(const br_region_pad *p) {
    return p->contact && !p->moving && p->directions == 2 && p->slides == 2 && p->motion;
}

int br_group_find(br_region *r, br_arena *arena) {
    double *left = BR_TAKE(arena, double, r->unknowns + 1);
    r->group = BR_TAKE(arena, br_region_group, r->pads);
    if (!left || !r->group) return 0;
    r->groups = 0;
    for (int i = 0; i < r->pads; i++) r->pad[i].group = -1;
    for (int i = 0; i < r->pads; i++) {
        if (r->pad[i].group >= 0 || !can_join(&r->pad[i])) continue;
        br_region_group group = {.forms = 0};
        if (join(r, arena, &group, i, left) < 0) return 0;
        int members = 0;
        for (int j = i + 1; j < r->pads; j++) {
            if (r->pad[j].group >= 0 || !can_join(&r->pad[j])) continue;
            const int fits = join(r, arena, &group, j, left);
            if (fits < 0) return 0;
            if (fits) r->pad[j].group = r->groups, members++;
        }
        if (members == 0) continue;
        r->pad[i].group = r->groups;
        r->group[r->groups++] = group;
    }
    for (int i = 0; i < r->pads; i++)
        for (int m = 0; m < 2 && r->pad[i].group >= 0; m++)
            for (int k = 0; k < BR_REGION_FORMS; k++) {
                const br_region_group *g = &r->group[r->pad[i].group];
                r->pad[i].share[m][k] = k < g->forms ? dot_of(r, &r->pad[i].slip[m], &g->form[k]) : 0.0;
            }
    return 1;
}

static void image(const br_region_pad *p, int n, const double *motion, double *out) {
    for (int m = 0; m < 2; m++) {
        out[m] = 0.0;
        for (int k = 0; k < n; k++) out[m] += p->share[m][k] * motion[k];
    }
}

br_sector br_group_sector(const br_region *r, int i, const br_region_patch *patch) {
    const br_region_pad *p = &r->pad[i];
    const int n = r->group[p->group].forms;
    br_sector out = {.known = 0, .kappa = 1.0};
    double corner[BR_REGION_FORMS], v[2], least = INFINITY, most = -INFINITY;
    if (patch->face < 0) return out;
    br_node_corner(patch, n, -1, corner);
    image(p, n, corner, v);
    const double size = br_hypot(v[0], v[1]);
    if (!(size > 0.0)) return out;
    const double m[2] = {v[0] / size, v[1] / size};
    for (int which = 0; which < 1 << (n - 1); which++) {
        br_node_corner(patch, n, which, corner);
        image(p, n, corner, v);
        const double along = m[0] * v[0] + m[1] * v[1], across = m[0] * v[1] - m[1] * v[0];
        if (!(along > LEAST_COSINE * br_hypot(v[0], v[1]))) return out;
        least = fmin(least, across / along), most = fmax(most, across / along);
    }
    const double low = br_atan(least), high = br_atan(most), middle = 0.5 * (low + high);
    const double angle = br_atan2(m[1], m[0]);
    out.known = 1;
    out.kappa = 1.0 / br_cos(0.5 * (high - low));
    out.middle[0] = br_cos(angle + middle), out.middle[1] = br_sin(angle + middle);
    out.low[0] = br_cos(angle + low), out.low[1] = br_sin(angle + low);
    out.high[0] = br_cos(angle + high), out.high[1] = br_sin(angle + high);
    return out;
}
