// Sliding from rest, see onset.h. The unknowns are forces and the accelerations s along the motions V that
// the joints allow: A x - M V^T s = M a_held - Q, an affine family like that of rest.
#include "trust/onset.h"

#include <math.h>
#include <string.h>

#define SMALL_SLIP 1e-9

typedef struct onset_work {
    const br_case *c;
    br_family family; // columns of the balance, then s
    br_region region;
    double *factor;      // [pads] of forces in the region
    double *slip_factor; // [pads]
    double (*turn)[9];   // [pads] axes of the region's directions in the pad's
    double *coefficient; // [family.columns]
    double least_slip;
} onset_work;

static br_status make_family(onset_work *w, br_arena *arena, br_error *error) {
    const br_case *c = w->c;
    const br_balance *b = c->b;
    const int n = b->n, columns = b->columns + c->motions;
    double *A = BR_TAKE(arena, double, (size_t)n *(size_t)columns), *r = BR_TAKE(arena, double, 2 * n);
    w->family = (br_family){columns, 0, BR_TAKE(arena, double, columns), NULL, NULL, c->family.scale};
    w->coefficient = BR_TAKE(arena, double, columns);
    if (!A || !r || !w->family.x0 || !w->coefficient) return BR_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        r[i] = -b->Q[i];
        for (int j = 0; j < n; j++) r[i] += b->M[i * n + j] * c->a_held[j];
        for (int k = 0; k < b->columns; k++) A[i * columns + k] = b->A[i * b->columns + k];
        for (int k = 0; k < c->motions; k++)
            for (int j = 0; j < n; j++) A[i * columns + b->columns + k] -= b->M[i * n + j] * c->V[k * n + j];
    }
    br_span span;
    const br_status status = br_span_make(&span, arena, n, columns, A, error);
    if (status) return status;
    br_span_solve(&span, r, w->family.x0, r + n);
    w->family.unknowns = span.nullity;
    w->family.Z = span.Z;
    w->family.length = span.length;
    return BR_OK;
}

// Slip along column k by each s, scaled to forces: what s of the size of the forces does.
static void slip_of(onset_work *w, int column, double *out) {
    const br_balance *b = w->c->b;
    for (int k = 0; k < w->c->motions; k++) {
        double v = 0.0;
        for (int i = 0; i < b->n; i++) v += b->A[i * b->columns + column] * w->c->V[k * b->n + i];
        out[k] = v;
    }
}

static br_affine slip_form(onset_work *w, br_arena *arena, double factor, const double *slip) {
    memset(w->coefficient, 0, (size_t)w->family.columns * sizeof *w->coefficient);
    memcpy(w->coefficient + w->c->b->columns, slip, (size_t)w->c->motions * sizeof *slip);
    return br_family_form(&w->family, arena, factor, w->coefficient);
}

static double slip_size(const onset_work *w, const double *slip) {
    double most = 0.0;
    for (int k = 0; k < w->c->motions; k++)
        most = fmax(most, fabs(slip[k]) / w->family.length[w->c->b->columns + k]);
    return most * w->family.scale;
}

// Axes e_1, e_2, .. with e_1 along `along`.
static void axes_along(int n, const double *along, double *turn) {
    double length = 0.0;
    for (int k = 0; k < n; k++) length += along[k] * along[k];
    length = sqrt(length);
    for (int k = 0; k < n; k++) turn[k] = along[k] / length;
    for (int made = 1, axis = 0; made < n && axis < n; axis++) { // Gram-Schmidt on the coordinate axes
        double e[3] = {0.0}, square = 0.0;
        e[axis] = 1.0;
        for (int m = 0; m < made; m++) {
            const double dot = turn[3 * m + axis];
            for (int k = 0; k < n; k++) e[k] -= dot * turn[3 * m + k];
        }
        for (int k = 0; k < n; k++) square += e[k] * e[k];
        if (square < 1e-2) continue;
        for (int k = 0; k < n; k++) turn[3 * made + k] = e[k] / sqrt(square);
        made++;
    }
}

// Whether every slip of the pad is along one line, and which.
static int on_a_line(int directions, int motions, const double *slip, double *along) {
    int best = 0;
    double most = -1.0;
    for (int j = 0; j < motions; j++) {
        double square = 0.0;
        for (int k = 0; k < directions; k++) square += pow(slip[k * motions + j], 2);
        if (square > most) most = square, best = j;
    }
    for (int k = 0; k < directions; k++) along[k] = slip[k * motions + best];
    for (int j = 0; j < motions; j++) {
        double dot = 0.0, square = 0.0;
        for (int k = 0; k < directions; k++) {
            dot += slip[k * motions + j] * along[k];
            square += pow(slip[k * motions + j], 2);
        }
        if (square * most - dot * dot > 1e-16 * most * most) return 0;
    }
    return 1;
}

static br_affine combine(const br_region *r, br_arena *arena, int n, const double *e,
                         const br_affine *forms) {
    double *q = BR_TAKE(arena, double, r->unknowns);
    br_affine out = {0.0, q};
    for (int k = 0; q && k < n; k++) {
        out.p += e[k] * forms[k].p;
        for (int j = 0; j < r->unknowns; j++) q[j] += e[k] * forms[k].q[j];
    }
    return out;
}

static int turn_force(onset_work *w, br_arena *arena, br_region_pad *p, const double *turn) {
    br_affine f[BR_REGION_FORMS];
    memcpy(f, p->f, sizeof f);
    for (int m = 0; m < p->directions; m++) {
        p->f[m] = combine(&w->region, arena, p->directions, turn + 3 * m, f);
        if (!p->f[m].q) return 0;
    }
    return 1;
}

static int make_moving(const br_balance_pad *from, br_region_pad *p) {
    double speed = 0.0;
    for (int k = 0; k < p->directions; k++) speed += from->velocity[k] * from->velocity[k];
    p->moving = 1;
    p->slides = p->directions;
    p->may = BR_MAY_SLIDE;
    for (int k = 0; k < p->directions; k++)
        p->along[k] = speed > 0.0 ? from->velocity[k] / sqrt(speed) : k == 0;
    return 1;
}

static int make_pad(onset_work *w, br_arena *arena, int i, int kinetic) {
    const br_balance_pad *from = &w->c->b->pad[i];
    br_region_pad *p = &w->region.pad[i];
    const int motions = w->c->motions;
    if (!br_family_pad(&w->family, arena, w->c->b, i, p, &w->factor[i])) return 0;
    if (from->sliding) return make_moving(from, p);
    p->mu_slip = kinetic ? from->mu_kinetic : from->mu_static;
    double *slip = BR_TAKE(arena, double, (size_t)motions *BR_REGION_FORMS), size = 0.0, length = 0.0;
    double *turned = BR_TAKE(arena, double, motions);
    if (!slip || !turned) return 0;
    for (int k = 0; k < from->directions; k++) {
        slip_of(w, from->column + k, slip + k * motions);
        size = fmax(size, slip_size(w, slip + k * motions));
        length = fmax(length, w->family.length[from->column + k]);
        for (int j = 0; j < 3; j++) w->turn[i][3 * k + j] = j == k;
    }
    double most = 0.0;
    for (int k = 0; k < from->directions * motions; k++) most = fmax(most, fabs(slip[k]));
    if (most > SMALL_SLIP * length) {
        double along[BR_REGION_FORMS];
        p->may |= BR_MAY_SLIDE;
        p->slides = p->directions;
        if (p->directions > 1 && on_a_line(p->directions, motions, slip, along)) {
            axes_along(p->directions, along, w->turn[i]);
            p->slides = 1;
            if (!turn_force(w, arena, p, w->turn[i])) return 0;
        }
        w->slip_factor[i] = 1.0 / size;
        for (int m = 0; m < p->slides; m++) {
            for (int j = 0; j < motions; j++) {
                turned[j] = 0.0;
                for (int k = 0; k < p->directions; k++)
                    turned[j] += w->turn[i][3 * m + k] * slip[k * motions + j];
            }
            p->slip[m] = slip_form(w, arena, w->slip_factor[i], turned);
            if (!p->slip[m].q) return 0;
        }
    }
    p->motion = p->slides > 0 || p->contact;
    if (!p->contact) return 1;
    slip_of(w, from->normal, turned);
    const double lift = slip_size(w, turned);
    p->lift = slip_form(w, arena, lift > 0.0 ? 1.0 / lift : 1.0, turned);
    if (lift > 0.0) p->may |= BR_MAY_PART;
    return p->lift.q != NULL;
}

// Friction takes power and joints and contacts give none, so that the loads must: (Q - M a_held) . V s =
// |s|^2 + sum |f| |slip|. Pads that move already could give some back, and are an exception.
static br_status add_power(onset_work *w, br_arena *arena) {
    const br_case *c = w->c;
    const br_balance *b = c->b;
    double *power = BR_TAKE(arena, double, c->motions);
    if (!power) return BR_NO_MEMORY;
    for (int i = 0; i < b->pads; i++)
        if (b->pad[i].sliding) return BR_OK;
    for (int i = 0; i < b->n; i++) {
        double load = b->Q[i];
        for (int j = 0; j < b->n; j++) load -= b->M[i * b->n + j] * c->a_held[j];
        for (int k = 0; k < c->motions; k++) power[k] -= load * c->V[k * b->n + i];
    }
    const double size = slip_size(w, power);
    if (size == 0.0) return BR_OK;
    const br_affine form = slip_form(w, arena, 1.0 / size, power);
    if (!form.q) return BR_NO_MEMORY;
    w->region.row[w->region.rows++] = form;
    return BR_OK;
}

static br_status make_region(onset_work *w, br_arena *arena, int kinetic) {
    const int pads = w->c->b->pads;
    br_region *r = &w->region;
    *r = (br_region){.unknowns = w->family.unknowns,
                     .pads = pads,
                     .pad = BR_TAKE(arena, br_region_pad, pads),
                     .work = w->c->work};
    w->factor = BR_TAKE(arena, double, pads);
    w->slip_factor = BR_TAKE(arena, double, pads);
    w->turn = br_arena_take(arena, (size_t)pads, sizeof *w->turn);
    if (!r->pad || !w->factor || !w->slip_factor || !w->turn) return BR_NO_MEMORY;
    for (int i = 0; i < pads; i++)
        if (!make_pad(w, arena, i, kinetic)) return BR_NO_MEMORY;
    // What is linear is exact. Where patches bound a direction the law is kept to 1e-10 only, and a slip has
    // to stand out from that.
    w->least_slip = BR_EPS_ONSET;
    r->nodes_max = BR_MAX_ONSET_NODES;
    for (int i = 0; i < pads; i++) {
        int vector = r->pad[i].slides > 1;
        for (int k = 0; k < r->pad[i].norms; k++) vector |= r->pad[i].norm[k].forms > 1;
        if (vector) w->least_slip = BR_EPS_ONSET_VECTOR;
        if (r->pad[i].slides > 1) r->nodes_max = BR_MAX_ONSET_NODES_VECTOR;
    }
    r->rows_max = 1;
    if (!br_region_create(r, arena)) return BR_NO_MEMORY;
    return add_power(w, arena);
}

static void keep_onset(const onset_work *w, int pad, const double *alpha, br_onset *out) {
    const br_region_pad *p = &w->region.pad[pad];
    out->consistent = 1;
    out->pad = pad;
    for (int m = 0; m < p->slides; m++) {
        const double v = br_form_value(&w->region, &p->slip[m], alpha) / w->slip_factor[pad];
        for (int k = 0; k < p->directions; k++) out->slip[k] += w->turn[pad][3 * m + k] * v;
    }
    for (int c = 0; c < w->c->b->columns; c++) {
        out->x[c] = w->family.x0[c];
        for (int k = 0; k < w->family.unknowns; k++)
            out->x[c] += w->family.scale * alpha[k] * w->family.Z[k * w->family.columns + c];
    }
}

// Largest slip of one pad on one face; pads tried before rest, because with them sliding it would have been
// found.
static int try_face(onset_work *w, int pad, int face, const signed char *rests, double *alpha, double *q,
                    int *exhaustive) {
    br_region *r = &w->region;
    const br_affine *slip = &r->pad[pad].slip[face / 2];
    const double sign = face % 2 ? 1.0 : -1.0;
    for (int j = 0; j < r->unknowns; j++) q[j] = sign * slip->q[j];
    br_search s = br_search_default(alpha);
    s.objective = (br_affine){sign * slip->p, q};
    s.first_pad = pad;
    s.first_face = face;
    s.rests = rests;
    s.stop_below = s.known = -w->least_slip;
    br_region_search(r, &s);
    const int found = s.found && s.value < -w->least_slip;
    if (!found && !s.complete && s.bound < -w->least_slip) *exhaustive = 0;
    return found;
}

br_status br_onset_find(const br_case *c, br_arena *arena, int kinetic, br_onset *out, int *exhaustive,
                        br_error *error) {
    *out = (br_onset){.x = BR_TAKE(arena, double, c->b->columns)};
    if (!out->x) return BR_NO_MEMORY;
    if (c->motions == 0 || c->rest == 0) return BR_OK;
    if (br_onset_slide(c, arena, kinetic, out) || br_onset_grid(c, arena, kinetic, out)) return BR_OK;
    onset_work w = {.c = c};
    if (!br_work_spend(c->work, br_work_of_span(c->b->n, c->b->columns + c->motions))) {
        *exhaustive = 0;
        return BR_OK;
    }
    br_status status = make_family(&w, arena, error);
    if (!status) status = make_region(&w, arena, kinetic);
    if (status) return status;
    const int pads = w.region.pads;
    signed char *rests = BR_TAKE(arena, signed char, pads);
    double *alpha = BR_TAKE(arena, double, w.family.unknowns), *q = BR_TAKE(arena, double, w.family.unknowns);
    if (!rests || !alpha || !q) return BR_NO_MEMORY;
    for (int i = 0; i < pads; i++) {
        const br_region_pad *p = &w.region.pad[i];
        if (p->moving || !(p->may & BR_MAY_SLIDE)) continue;
        for (int face = 0; face < 2 * p->slides; face++)
            if (try_face(&w, i, face, rests, alpha, q, exhaustive))
                return keep_onset(&w, i, alpha, out), BR_OK;
        rests[i] = 1;
    }
    return BR_OK;
}
