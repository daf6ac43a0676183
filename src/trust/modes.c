// Every way in which the pads of an instant may stay, slide and part, as one region, see modes.h. The unknowns are forces and the
// accelerations s along the motions V that the joints allow: A x - M V^T s = M a_held - Q, an affine family like that of rest.
#include "trust/modes.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"
#include "trust/feasible_search_node.h"

#define SMALL_SLIP 1e-9

static br_status make_family(br_modes *w, br_arena *arena, br_error *error) {
    const br_case *c = w->c;
    const br_balance *b = c->b;
    // A motion that begins needs no force; what nothing resists goes on all the same.
    const int n = b->n, loose = w->onset ? c->loose : 0, columns = b->columns + c->motions + loose;
    double *A = BR_TAKE(arena, double, (size_t)n *(size_t)columns), *r = BR_TAKE(arena, double, 2 * n);
    w->family = (br_family){columns, 0, BR_TAKE(arena, double, columns), NULL, NULL, c->family.scale};
    w->coefficient = BR_TAKE(arena, double, columns);
    if (!A || !r || !w->family.x0 || !w->coefficient) return BR_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        r[i] = -b->Q[i];
        for (int j = 0; j < n; j++) r[i] += b->M[i * n + j] * c->a_held[j];
        for (int k = 0; k < b->columns; k++) A[i * columns + k] = b->A[i * b->columns + k];
        const double *motion = w->onset ? c->L : c->V;
        const int first = b->columns + (w->onset ? c->motions : 0), count = w->onset ? loose : c->motions;
        for (int k = 0; k < count; k++)
            for (int j = 0; j < n; j++) A[i * columns + first + k] -= b->M[i * n + j] * motion[k * n + j];
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
static void slip_of(br_modes *w, int column, double *out) {
    const br_balance *b = w->c->b;
    for (int k = 0; k < w->c->motions; k++) {
        double v = 0.0;
        for (int i = 0; i < b->n; i++) v += b->A[i * b->columns + column] * w->c->V[k * b->n + i];
        out[k] = v;
    }
}

static br_affine slip_form(br_modes *w, br_arena *arena, double factor, const double *slip) {
    memset(w->coefficient, 0, (size_t)w->family.columns * sizeof *w->coefficient);
    memcpy(w->coefficient + w->c->b->columns, slip, (size_t)w->c->motions * sizeof *slip);
    return br_family_form(&w->family, arena, factor, w->coefficient);
}

// What A_c^T a_held lacks to what the row asks for; 0 but where the pads at rest cannot all stay.
static double offset_of(const br_modes *w, int column) {
    const br_balance *b = w->c->b;
    double sum = -b->gamma[column], size = br_balance_rate_scale(b, column);
    if (w->c->stays) return 0.0;
    for (int i = 0; i < b->n; i++) {
        const double term = b->A[i * b->columns + column] * w->c->a_held[i];
        sum += term, size += fabs(term);
    }
    return fabs(sum) > BR_EPS_STAYS * size ? sum : 0.0;
}

static double slip_size(const br_modes *w, const double *slip) {
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
        for (int k = 0; k < directions; k++) square += br_square(slip[k * motions + j]);
        if (square > most) most = square, best = j;
    }
    for (int k = 0; k < directions; k++) along[k] = slip[k * motions + best];
    for (int j = 0; j < motions; j++) {
        double dot = 0.0, square = 0.0;
        for (int k = 0; k < directions; k++) {
            dot += slip[k * motions + j] * along[k];
            square += br_square(slip[k * motions + j]);
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

static int turn_force(br_modes *w, br_arena *arena, br_region_pad *p, const double *turn) {
    br_affine f[BR_REGION_FORMS];
    memcpy(f, p->f, sizeof f);
    for (int m = 0; m < p->directions; m++) {
        p->f[m] = combine(&w->region, arena, p->directions, turn + 3 * m, f);
        if (!p->f[m].q) return 0;
    }
    return 1;
}

// A pad that slides: its force is -N drag, whatever the accelerations are.
static void make_moving(const br_balance_pad *from, br_region_pad *p) {
    double square = 0.0;
    for (int k = 0; k < p->directions; k++) square += from->drag[k] * from->drag[k];
    p->moving = 1;
    p->slides = p->directions;
    p->may = BR_MAY_SLIDE;
    p->mu_slip = sqrt(square);
    for (int k = 0; k < p->directions; k++)
        p->along[k] = square > 0.0 ? from->drag[k] / sqrt(square) : k == 0;
}

// The slip's acceleration along each direction in which it can slide; where that is one line, turned into it (unless only rest is
// asked about, in the pad's own axes).
static int make_slips(br_modes *w, br_arena *arena, int i, const br_balance_pad *from, br_region_pad *p) {
    const int motions = w->c->motions, n = from->directions;
    double *slip = BR_TAKE(arena, double, (size_t)motions *BR_REGION_FORMS), size = 0.0, length = 0.0;
    double *turned = BR_TAKE(arena, double, motions), offset[BR_REGION_FORMS] = {0.0};
    if (!slip || !turned) return 0;
    for (int k = 0; k < n; k++) {
        slip_of(w, from->column + k, slip + k * motions);
        size = fmax(size, slip_size(w, slip + k * motions));
        length = fmax(length, w->family.length[from->column + k]);
        offset[k] = offset_of(w, from->column + k);
        for (int j = 0; j < 3; j++) w->turn[i][3 * k + j] = j == k;
    }
    double most = 0.0, swept = 0.0;
    for (int k = 0; k < n * motions; k++) most = fmax(most, fabs(slip[k]));
    for (int k = 0; k < n; k++) swept = fmax(swept, fabs(offset[k]));
    if (!(most > SMALL_SLIP * length) && !(swept > 0.0)) return 1;
    double along[BR_REGION_FORMS];
    p->may |= BR_MAY_SLIDE;
    p->slides = n;
    if (n > 1 && !w->rest_only && !(swept > 0.0) && on_a_line(n, motions, slip, along)) {
        axes_along(n, along, w->turn[i]);
        p->slides = 1;
        if (!turn_force(w, arena, p, w->turn[i])) return 0;
    }
    w->slip_factor[i] = 1.0 / fmax(size, swept);
    for (int m = 0; m < p->slides; m++) {
        double constant = 0.0;
        for (int k = 0; k < n; k++) constant += w->turn[i][3 * m + k] * offset[k];
        for (int j = 0; j < motions; j++) {
            turned[j] = 0.0;
            for (int k = 0; k < n; k++) turned[j] += w->turn[i][3 * m + k] * slip[k * motions + j];
        }
        p->slip[m] = slip_form(w, arena, w->slip_factor[i], turned);
        if (!p->slip[m].q) return 0;
        p->slip[m].p += w->slip_factor[i] * constant;
    }
    return 1;
}

static int make_lift(br_modes *w, br_arena *arena, int i, const br_balance_pad *from, br_region_pad *p) {
    double *along = BR_TAKE(arena, double, w->c->motions);
    if (!along) return 0;
    slip_of(w, from->normal, along);
    const double offset = offset_of(w, from->normal), size = fmax(slip_size(w, along), fabs(offset));
    w->lift_factor[i] = size > 0.0 ? 1.0 / size : 1.0;
    p->lift = slip_form(w, arena, w->lift_factor[i], along);
    p->lift.p += w->lift_factor[i] * offset;
    if (size > 0.0) p->may |= BR_MAY_PART;
    return p->lift.q != NULL;
}

static int make_pad(br_modes *w, br_arena *arena, int i, int kinetic) {
    const br_balance_pad *from = &w->c->b->pad[w->c->pad[i]];
    br_region_pad *p = &w->region.pad[i];
    if (!br_family_pad(&w->family, arena, w->c->b, w->c->pad[i], p, &w->factor[i])) return 0;
    if (from->sliding)
        make_moving(from, p);
    else {
        p->mu_slip = kinetic ? from->mu_kinetic : from->mu_static;
        if (!make_slips(w, arena, i, from, p)) return 0;
    }
    p->motion = (p->slides > 0 && !p->moving) || p->contact;
    return !p->contact || make_lift(w, arena, i, from, p);
}

// Friction takes power and joints and contacts give none, so that the loads must: (Q - M a_held) . V s =
// |s|^2 + sum |f| |slip|. Pads that move already could give some back, and are an exception.
static br_status add_power(br_modes *w, br_arena *arena) {
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

static br_status make_region(br_modes *w, br_arena *arena, int kinetic) {
    const int pads = w->c->b->pads;
    br_region *r = &w->region;
    *r = (br_region){.unknowns = w->family.unknowns,
                     .pads = pads,
                     .pad = BR_TAKE(arena, br_region_pad, pads),
                     .work = w->c->work};
    w->factor = BR_TAKE(arena, double, pads);
    w->slip_factor = BR_TAKE(arena, double, pads);
    w->lift_factor = BR_TAKE(arena, double, pads);
    w->turn = br_arena_take(arena, (size_t)pads, sizeof *w->turn);
    if (!r->pad || !w->factor || !w->slip_factor || !w->lift_factor || !w->turn) return BR_NO_MEMORY;
    for (int i = 0; i < pads; i++)
        if (!make_pad(w, arena, i, kinetic)) return BR_NO_MEMORY;
    // What is linear is exact. Where patches bound a direction the law is kept to 1e-10 only, and a slip has
    // to stand out from that.
    w->least_slip = BR_EPS_ONSET;
    w->least_apart = BR_EPS_SEVERAL;
    r->nodes_max = BR_MAX_MODES;
    for (int i = 0; i < pads; i++) {
        int vector = r->pad[i].slides > 1;
        for (int k = 0; k < r->pad[i].norms; k++) vector |= r->pad[i].norm[k].forms > 1;
        if (vector) w->least_slip = BR_EPS_ONSET_VECTOR, w->least_apart = BR_EPS_SEVERAL_VECTOR;
        if (r->pad[i].slides > 1) r->nodes_max = BR_MAX_MODES_VECTOR;
    }
    r->rows_max = (w->rest_only ? 1 + pads : 1) + (w->c->b->loads > 0 ? BR_MODES_ROWS : 0);
    if (!br_region_create(r, arena)) return BR_NO_MEMORY;
    for (int i = 0; i < pads && !w->rest_only; i++)
        if (w->c->twin[i] >= 0) r->fixed[i] = BR_NODE_APART; // its twin carries for both
    // Of a load of unknown size the power is not known.
    return w->rest_only || w->c->b->loads > 0 ? BR_OK : add_power(w, arena);
}

br_status br_modes_make(const br_case *c, br_arena *arena, br_modes_kind kind, br_modes *w, br_error *error) {
    *w = (br_modes){.c = c, .rest_only = kind == BR_MODES_REST, .onset = kind >= BR_MODES_ONSET};
    if (!br_work_spend(c->work, br_work_of_span(c->b->n, c->b->columns + c->motions))) return BR_OK;
    br_status status = make_family(w, arena, error);
    if (!status) status = make_region(w, arena, kind == BR_MODES_KINETIC || kind == BR_MODES_ONSET_KINETIC);
    if (status) return status;
    w->group_rests = BR_TAKE(arena, int, w->region.pads);
    w->alpha = BR_TAKE(arena, double, w->family.unknowns);
    w->q = BR_TAKE(arena, double, w->family.unknowns);
    w->made = w->alpha && w->q && w->group_rests;
    return w->made ? BR_OK : BR_NO_MEMORY;
}

// --- questions ------------------------------------------------------------------------------------------------

// Slides of the answer, by pad: forces, and which pads move in it.
void br_modes_keep(const br_modes *w, const double *alpha, br_onset *out) {
    const br_case *c = w->c;
    double fastest = 0.0;
    out->consistent = 1;
    for (int i = 0; i < c->rest; i++) {
        const br_region_pad *p = &w->region.pad[i];
        double slip[BR_REGION_FORMS], rate = 0.0;
        if (p->motion) br_node_values(&w->region, p->slides, p->slip, alpha, slip);
        if (p->motion) rate = br_node_length(p->slides, slip);
        const double lift = p->contact ? br_form_value(&w->region, &p->lift, alpha) : 0.0;
        if (fmax(rate, lift) > w->least_slip) out->moves[c->pad[i]] = 1;
        // Of those that are as fast as each other, the last: rounding has no say.
        const double speed = fmax(rate, lift);
        if (!(speed > 0.0) || speed < (1.0 - BR_EPS_ONSET) * fastest || c->b->pad[c->pad[i]].directions == 0)
            continue;
        fastest = fmax(fastest, speed);
        out->pad = c->pad[i];
    }
    for (int k = 0; k < c->b->columns; k++) {
        out->x[k] = w->family.x0[k];
        for (int j = 0; j < w->family.unknowns; j++)
            out->x[k] += w->family.scale * alpha[j] * w->family.Z[j * w->family.columns + k];
    }
}

// Far out, differences of huge forces keep the law only so well: a slip that does not stand out from that is none.
static double slip_that_counts(const br_modes *w) {
    double size = 0.0;
    for (int j = 0; j < w->region.unknowns; j++) size += fabs(w->alpha[j]);
    return fmax(w->least_slip, BR_EPS_FAR_OUT * size);
}

// Whether the form can fall below -least_slip with the modes that are fixed.
static int try_form(br_modes *w, const br_affine *form, double sign, int pad, int group, int face,
                    int *exhaustive) {
    br_region *r = &w->region;
    for (int j = 0; j < r->unknowns; j++) w->q[j] = sign * form->q[j];
    br_search s = br_search_default(w->alpha);
    s.objective = (br_affine){sign * form->p, w->q};
    s.first_pad = pad;
    s.first_group = group;
    s.first_face = face;
    double least = w->least_slip;
    for (int k = 0; k < BR_MAX_FAR_OUT; k++) {
        s.stop_below = s.known = -least;
        br_region_search(r, &s);
        if (!s.found || !(s.value < -least)) break;
        least = slip_that_counts(w);
        if (s.value < -least) return 1;
    }
    if ((s.found && s.value < -w->least_slip) || (!s.complete && s.bound < -least)) *exhaustive = 0;
    return 0;
}

// Whether a group can begin to move: then out says who does. Asked once, of all its contacts together.
static int move_group(br_modes *w, int g, br_onset *out, int *exhaustive) {
    const br_region_group *group = &w->region.group[g];
    int searched = 1;
    if (w->group_rests[g]) return 0;
    for (int face = 0; face < 2 * group->forms; face++)
        if (try_form(w, &group->form[face / 2], face % 2 ? 1.0 : -1.0, -1, g, face, &searched))
            return br_modes_keep(w, w->alpha, out), 1;
    w->group_rests[g] = searched;
    if (!searched) *exhaustive = 0;
    return 0;
}

static int slides(br_modes *w, int i, br_onset *out, int *exhaustive) {
    const br_region_pad *p = &w->region.pad[i];
    if (p->group >= 0) {
        if (!move_group(w, p->group, out, exhaustive)) return 0;
        if (out->moves[w->c->pad[i]]) return 1; // else it turned about this one
    }
    for (int face = 0; p->may & BR_MAY_SLIDE && face < 2 * p->slides; face++)
        if (try_form(w, &p->slip[face / 2], face % 2 ? 1.0 : -1.0, i, -1, face, exhaustive))
            return br_modes_keep(w, w->alpha, out), 1;
    return 0;
}

int br_modes_move(br_modes *w, int i, br_onset *out, int *exhaustive) {
    const br_region_pad *p = &w->region.pad[i];
    signed char *fixed = w->region.fixed;
    if (p->moving) return 0;
    if (slides(w, i, out, exhaustive)) return 1;
    if (!(p->may & BR_MAY_PART)) return 0;
    const signed char before = fixed[i];
    fixed[i] = BR_NODE_APART;
    const int parts = try_form(w, &p->lift, -1.0, -1, -1, 0, exhaustive);
    fixed[i] = before;
    if (parts) br_modes_keep(w, w->alpha, out);
    return parts;
}

int br_modes_rest(br_modes *w, int i, int *exhaustive) {
    br_region *r = &w->region;
    const signed char before = r->fixed[i];
    memset(w->q, 0, (size_t)r->unknowns * sizeof *w->q);
    br_search s = br_search_default(w->alpha);
    s.objective = (br_affine){0.0, w->q};
    s.stop_below = 1.0;
    r->fixed[i] = BR_NODE_RESTS;
    br_region_search(r, &s);
    r->fixed[i] = before;
    if (!s.found && !s.complete) *exhaustive = 0;
    return s.found;
}

// Friction under loads that nothing changes is the gradient of a convex power: one motion, whatever the directions.
static int loads_are_fixed(const br_region *r) {
    for (int i = 0; i < r->pads; i++) {
        const br_region_pad *p = &r->pad[i];
        for (int j = 0; j < r->unknowns; j++) {
            if (p->linear.q[j] != 0.0) return 0;
            for (int k = 0; k < p->norms; k++)
                for (int m = 0; m < p->norm[k].forms; m++)
                    if (p->norm[k].form[m].q[j] != 0.0) return 0;
        }
    }
    return 1;
}

// One number of the accelerations that two motions do not share but by accident.
static br_affine generic_form(br_modes *w, br_arena *arena) {
    double *mix = BR_TAKE(arena, double, w->c->motions), most = 0.0;
    if (!mix) return (br_affine){0.0, NULL};
    for (int k = 0; k < w->c->motions; k++) {
        const double length = w->family.length[w->c->b->columns + k];
        mix[k] = length * br_sin(k + 1.0);
        most = fmax(most, fabs(br_sin(k + 1.0)));
    }
    return slip_form(w, arena, 1.0 / (most * w->family.scale), mix);
}

// Whether sign * form can be less than it is at the motion found first.
static int another(br_modes *w, const br_affine *form, double sign, double first, int *exhaustive) {
    br_region *r = &w->region;
    for (int j = 0; j < r->unknowns; j++) w->q[j] = sign * form->q[j];
    const double less = sign * first - w->least_apart * (1.0 + fabs(first));
    br_search s = br_search_default(w->alpha);
    s.objective = (br_affine){sign * form->p, w->q};
    s.stop_below = s.known = less;
    br_region_search(r, &s);
    const int found = s.found && s.value < less;
    if (!found && !s.complete && s.bound < less) *exhaustive = 0;
    return found;
}

int br_modes_several(br_modes *w, br_arena *arena, int *exhaustive) {
    br_region *r = &w->region;
    int searched = 1, vector = 0;
    if (w->c->motions == 0 || loads_are_fixed(r)) return 0;
    const br_affine form = generic_form(w, arena);
    if (!form.q) return 0;
    for (int i = 0; i < r->pads; i++) vector |= r->pad[i].slides > 1 && !r->pad[i].moving;
    br_search s = br_search_default(w->alpha);
    memset(w->q, 0, (size_t)r->unknowns * sizeof *w->q);
    s.objective = (br_affine){0.0, w->q};
    s.stop_below = 1.0;
    r->nodes_max = r->nodes + (vector ? BR_MAX_SEVERAL_VECTOR : BR_MAX_MODES);
    br_region_search(r, &s);
    const double first = s.found ? br_form_value(r, &form, w->alpha) : 0.0;
    const int several =
        s.found && (another(w, &form, 1.0, first, &searched) || another(w, &form, -1.0, first, &searched));
    if (!several && !vector && (!searched || (!s.found && !s.complete))) *exhaustive = 0;
    return several;
}
