// A barrier method for cones and half-spaces, see feasible_cone.h.
//
//     minimize tau (objective) - sum log(s^2 - |f|^2) - sum log(linear),   tau growing until the gap theta / tau is rounding
//
// A start inside is found by the same method: first the slack that contacts need to push, then the level t of the cones.
#include "trust/feasible_cone.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"
#include "trust/feasible_search_node.h"

#define TAU_GROWTH 30.0
#define MAX_TAU_STEPS 40
#define MAX_NEWTON 60
#define MAX_HALVES 50
#define EPS_CENTRED 1e-5   // Newton decrement, squared: near enough to the path
#define EPS_GAP 1e-11      // of forces of order one
#define EPS_GAP_KNOWN 1e-8 // a gap with which an answer is still one, where rounding ends the path
#define EPS_INSIDE 1e-9    // a slack below which there is no inside to speak of
#define EPS_CONSTANT 1e-13 // of order one: a force that is not there
#define FAR_OUT 1e3        // unknowns beyond are for linear programs, which reach farther

typedef enum phase { PHASE_PUSH, PHASE_LEVEL, PHASE_OBJECTIVE } phase;

struct br_cone_room {
    double *R;                // [rows * (unknowns + 1)]
    double *g, *d, *z, *next; // [unknowns + 1] each
    int *column;              // the same
};

typedef struct program {
    br_region *r;
    const br_search *s;
    phase at;
    int n, rows; // unknowns, and the slack; rows of R
    double *R, *g, *d, *z, *next;
    int *column;
    double theta; // of the barrier
    double tau;
} program;

int br_cone_create(br_region *r, br_arena *arena) {
    const size_t n = (size_t)r->unknowns + 1;
    r->room = BR_TAKE(arena, struct br_cone_room, 1);
    if (!r->room) return 0;
    // of a pad: what it pushes, two along its force and one across each direction
    const size_t rows = (size_t)r->pads * (3 + BR_REGION_FORMS) + (size_t)r->rows_max + 2 * n;
    r->room->R = BR_TAKE(arena, double, rows *n);
    r->room->column = BR_TAKE(arena, int, n);
    r->room->g = BR_TAKE(arena, double, n);
    r->room->d = BR_TAKE(arena, double, n);
    r->room->z = BR_TAKE(arena, double, n);
    r->room->next = BR_TAKE(arena, double, n);
    return r->room->R && r->room->column && r->room->g && r->room->d && r->room->z && r->room->next;
}

// --- what is in it --------------------------------------------------------------------------------------------

static int is_nothing(const br_region *r, const br_affine *form) {
    double most = fabs(form->p);
    for (int j = 0; j < r->unknowns; j++) most = fmax(most, fabs(form->q[j]));
    return most <= EPS_CONSTANT;
}

static int is_empty(const br_region *r, const br_region_pad *p) { // neither load nor force, ever
    int empty = is_nothing(r, &p->linear);
    for (int k = 0; k < p->directions; k++) empty = empty && is_nothing(r, &p->f[k]);
    return empty;
}

static int is_convex(const br_region *r, const br_search *s) {
    int curved = 0;
    if (r->unknowns == 0 || s->first_pad >= 0) return 0;
    for (int i = 0; i < r->pads; i++) {
        const br_region_pad *p = &r->pad[i];
        curved |= p->directions > 1;
        if (p->norms > 0 || p->motion || p->moving || !p->contact) return 0;
        if (p->may != BR_MAY_REST && r->fixed[i] != BR_NODE_RESTS) return 0;
        if (r->fixed[i] != BR_NODE_RESTS && r->fixed[i] != BR_NODE_OPEN) return 0;
    }
    return curved;
}

static double limit_of(const program *w, int i, const double *z) {
    const br_region_pad *p = &w->r->pad[i];
    const double s = w->s->factor * p->mu_rest * br_form_value(w->r, &p->linear, z);
    return w->at == PHASE_LEVEL ? s + z[w->n - 1] * w->r->weight[i] : s;
}

static double slack_of(const program *w, const double *z) {
    return w->at == PHASE_PUSH ? z[w->n - 1] : 0.0;
}

static int has_cone(const program *w, int i) {
    return w->at != PHASE_PUSH && w->r->pad[i].directions > 0 && !is_empty(w->r, &w->r->pad[i]);
}

static int has_push(const program *w, int i) {
    return !is_nothing(w->r, &w->r->pad[i].linear);
}

static double objective_at(const program *w, const double *z) {
    return w->at == PHASE_OBJECTIVE ? br_form_value(w->r, &w->s->objective, z) : z[w->n - 1];
}

// The barrier with tau times the objective; INFINITY: outside.
static double merit(const program *w, const double *z) {
    const br_region *r = w->r;
    double sum = w->tau * objective_at(w, z);
    for (int i = 0; i < r->pads; i++) {
        const br_region_pad *p = &r->pad[i];
        if (has_push(w, i)) {
            const double push = br_form_value(r, &p->linear, z) + slack_of(w, z);
            if (!(push > 0.0)) return INFINITY;
            sum -= br_log(push);
        }
        if (!has_cone(w, i)) continue;
        const double s = limit_of(w, i, z), f = br_region_force(r, i, z);
        if (!(s > f)) return INFINITY;
        sum -= br_log(s - f) + br_log(s + f);
    }
    for (int k = 0; k < r->rows; k++) {
        const double left = slack_of(w, z) - br_form_value(r, &r->row[k], z);
        if (!(left > 0.0)) return INFINITY;
        sum -= br_log(left);
    }
    for (int j = 0; j < r->unknowns; j++) {
        if (!(fabs(z[j]) < BR_LP_REACH)) return INFINITY;
        sum -= br_log(BR_LP_REACH - z[j]) + br_log(BR_LP_REACH + z[j]);
    }
    return sum;
}

// --- derivatives ----------------------------------------------------------------------------------------------

// The second derivative is R^T R. Rows of R differ by what the distances from the limits do, ten digits and more: R itself is factored,
// its largest rows first, which keeps what R^T R would drown.
static double *new_row(program *w) {
    double *row = w->R + (size_t)w->rows++ * (size_t)w->n;
    memset(row, 0, (size_t)w->n * sizeof *row);
    return row;
}

static void add_to(program *w, double *row, const br_affine *form, double factor) {
    for (int j = 0; j < w->r->unknowns; j++) row[j] += factor * form->q[j];
}

// -log(value) of a linear value, whose derivative is in the row: the row is divided by it.
static void end_linear(program *w, double *row, double value) {
    for (int j = 0; j < w->n; j++) row[j] /= value, w->g[j] -= row[j];
    w->theta += 1.0;
}

static void add_linear(program *w, const br_affine *form, double sign, double value) {
    double *row = new_row(w);
    add_to(w, row, form, sign);
    if (w->at == PHASE_PUSH) row[w->n - 1] = 1.0;
    end_linear(w, row, value);
}

// -log(s - |f|) - log(s + |f|): two linear values along u = f / |f|, and the turning of u across it.
static void add_cone(program *w, int i, const double *z) {
    const br_region_pad *p = &w->r->pad[i];
    const double s = limit_of(w, i, z), length = br_region_force(w->r, i, z);
    const double across = sqrt(2.0 / ((s - length) * (s + length)));
    double u[BR_REGION_FORMS];
    br_node_values(w->r, p->directions, p->f, z, u);
    for (int k = 0; k < p->directions; k++) u[k] = length > 0.0 ? u[k] / length : k == 0;
    for (int sign = -1; sign <= 1; sign += 2) {
        double *row = new_row(w);
        add_to(w, row, &p->linear, w->s->factor * p->mu_rest);
        for (int k = 0; k < p->directions; k++) add_to(w, row, &p->f[k], sign * u[k]);
        if (w->at == PHASE_LEVEL) row[w->n - 1] = w->r->weight[i];
        end_linear(w, row, s + sign * length);
    }
    for (int k = 0; k < p->directions && p->directions > 1; k++) {
        double *row = new_row(w);
        for (int j = 0; j < p->directions; j++) add_to(w, row, &p->f[j], across * ((j == k) - u[k] * u[j]));
    }
}

static void derive(program *w) {
    const br_region *r = w->r;
    const int n = w->n;
    const double *z = w->z;
    memset(w->g, 0, (size_t)n * sizeof *w->g);
    w->theta = 0.0;
    w->rows = 0;
    if (w->at == PHASE_OBJECTIVE)
        for (int j = 0; j < r->unknowns; j++) w->g[j] = w->tau * w->s->objective.q[j];
    else
        w->g[n - 1] = w->tau;
    for (int i = 0; i < r->pads; i++) {
        if (has_push(w, i))
            add_linear(w, &r->pad[i].linear, 1.0, br_form_value(r, &r->pad[i].linear, z) + slack_of(w, z));
        if (has_cone(w, i)) add_cone(w, i, z);
    }
    for (int k = 0; k < r->rows; k++)
        add_linear(w, &r->row[k], -1.0, slack_of(w, z) - br_form_value(r, &r->row[k], z));
    for (int j = 0; j < r->unknowns; j++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double *row = new_row(w);
            row[j] = sign;
            end_linear(w, row, BR_LP_REACH + sign * z[j]);
        }
}

// --- R, triangular --------------------------------------------------------------------------------------------

static double row_size(const double *row, int from, int n) {
    double most = 0.0;
    for (int j = from; j < n; j++) {
        const double size = fabs(row[j]);
        most = size > most ? size : most;
    }
    return most;
}

static void exchange(double *a, double *b, int n) {
    for (int j = 0; j < n; j++) {
        const double kept = a[j];
        a[j] = b[j], b[j] = kept;
    }
}

// The row with the largest entry left comes first, then its largest column: what is small never meets what is large.
static void pivot(program *w, int k) {
    const int n = w->n;
    int row = k, column = k;
    double largest = row_size(w->R + (size_t)k * (size_t)n, k, n);
    for (int i = k + 1; i < w->rows; i++) {
        const double size = row_size(w->R + (size_t)i * (size_t)n, k, n);
        if (size > largest) largest = size, row = i;
    }
    exchange(w->R + (size_t)k * (size_t)n, w->R + (size_t)row * (size_t)n, n);
    const double *first = w->R + (size_t)k * (size_t)n;
    for (int j = k + 1; j < n; j++)
        if (fabs(first[j]) > fabs(first[column])) column = j;
    w->column[k] = column;
    for (int i = 0; i < w->rows && column != k; i++) exchange(w->R + i * n + k, w->R + i * n + column, 1);
}

// Householder reflections; R is upper triangular then, columns exchanged as `column` says. 0: a column is nothing.
static int make_triangular(program *w) {
    const int n = w->n;
    for (int k = 0; k < n; k++) {
        pivot(w, k);
        double square = 0.0;
        for (int i = k; i < w->rows; i++) square += w->R[i * n + k] * w->R[i * n + k];
        if (!(square > 0.0)) return 0;
        const double head = w->R[k * n + k], length = head > 0.0 ? -sqrt(square) : sqrt(square);
        const double v0 = head - length, scale = -1.0 / (length * v0); // 2 / |v|^2
        for (int j = k + 1; j < n; j++) {
            double dot = v0 * w->R[k * n + j];
            for (int i = k + 1; i < w->rows; i++) dot += w->R[i * n + k] * w->R[i * n + j];
            dot *= scale;
            w->R[k * n + j] -= dot * v0;
            for (int i = k + 1; i < w->rows; i++) w->R[i * n + j] -= dot * w->R[i * n + k];
        }
        w->R[k * n + k] = length;
    }
    return 1;
}

// d := (R^T R)^-1 g; returns g . d.
static double cone_solve(program *w) {
    const int n = w->n;
    double *d = w->d, decrement = 0.0;
    memcpy(d, w->g, (size_t)n * sizeof *d);
    for (int k = 0; k < n; k++) exchange(d + k, d + w->column[k], w->column[k] != k);
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < k; j++) d[k] -= w->R[j * n + k] * d[j];
        d[k] /= w->R[k * n + k];
        decrement += d[k] * d[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) d[k] -= w->R[k * n + j] * d[j];
        d[k] /= w->R[k * n + k];
    }
    for (int k = n - 1; k >= 0; k--) exchange(d + k, d + w->column[k], w->column[k] != k);
    return decrement;
}

// --- the path -------------------------------------------------------------------------------------------------

static double iteration_work(const program *w) {
    const double n = w->n, rows = 6.0 * w->r->pads + w->r->rows + 2.0 * n;
    return 50.0 + 3.0 * n * n * rows;
}

// Along -d. Near the path the whole step is right, whatever the merit's rounding says; farther away the merit must fall.
static int step(program *w, double decrement) {
    const double here = decrement > 0.1 ? merit(w, w->z) : INFINITY;
    double length = 1.0;
    for (int half = 0; half < MAX_HALVES; half++, length *= 0.5) {
        for (int j = 0; j < w->n; j++) w->next[j] = w->z[j] - length * w->d[j];
        const double there = merit(w, w->next);
        if (there < INFINITY && there <= here - 0.1 * length * decrement) return 1;
    }
    return 0;
}

// Newton's method to the path at tau. 0: rounding, or the work, ended it before.
static int centre(program *w) {
    for (int k = 0; k < MAX_NEWTON; k++) {
        if (!br_work_spend(w->r->work, iteration_work(w))) return 0;
        derive(w);
        if (!make_triangular(w)) return 0;
        const double decrement = cone_solve(w);
        if (!(decrement >= 0.0)) return 0;
        if (decrement <= EPS_CENTRED) return 1;
        if (!step(w, decrement)) return decrement < 1e-2;
        memcpy(w->z, w->next, (size_t)w->n * sizeof *w->z);
    }
    return 0;
}

typedef enum ending { PATH_LOST, PATH_END, PATH_BELOW, PATH_ABOVE } ending;

static int is_far_out(const program *w) {
    for (int j = 0; j < w->r->unknowns; j++)
        if (fabs(w->z[j]) > FAR_OUT) return 1;
    return 0;
}

// Until the gap is rounding, the value falls below `below`, or nothing can be below `above`.
static ending cone_follow(program *w, double below, double above, double *value, double *bound) {
    double gap = INFINITY;
    w->tau = 1.0;
    for (int k = 0; k < MAX_TAU_STEPS; k++, w->tau *= TAU_GROWTH) {
        const int centred = centre(w);
        *value = objective_at(w, w->z);
        if (centred) gap = 2.0 * w->theta / w->tau, *bound = *value - gap;
        if (*value < below) return PATH_BELOW;
        if (!centred) return gap <= EPS_GAP_KNOWN * (1.0 + fabs(*value)) ? PATH_END : PATH_LOST;
        if (*bound > above) return PATH_ABOVE;
        if (gap <= EPS_GAP * (1.0 + fabs(*value))) return PATH_END;
    }
    return PATH_LOST;
}

static void enter(program *w, phase at) {
    w->at = at;
    w->n = w->r->unknowns + (at != PHASE_OBJECTIVE);
}

// 1: z is a point where contacts push and rows hold; 0: there is none; -1: that is not clear.
static int find_push(program *w) {
    const br_region *r = w->r;
    double value, bound, most = -INFINITY;
    enter(w, PHASE_PUSH);
    for (int i = 0; i < r->pads; i++)
        if (has_push(w, i)) most = fmax(most, -br_form_value(r, &r->pad[i].linear, w->z));
    for (int k = 0; k < r->rows; k++) most = fmax(most, br_form_value(r, &r->row[k], w->z));
    if (most < -EPS_INSIDE) return 1;
    w->z[w->n - 1] = most + 1.0;
    const ending end = cone_follow(w, -EPS_INSIDE, EPS_INSIDE, &value, &bound);
    return end == PATH_BELOW ? 1 : end == PATH_ABOVE ? 0 : -1;
}

static void start_level(program *w) {
    double most = -INFINITY;
    enter(w, PHASE_LEVEL);
    w->z[w->n - 1] = 0.0;
    for (int i = 0; i < w->r->pads; i++)
        if (has_cone(w, i))
            most = fmax(most, (br_region_force(w->r, i, w->z) - limit_of(w, i, w->z)) / w->r->weight[i]);
    w->z[w->n - 1] = isfinite(most) ? most + 1.0 : 1.0;
}

static int nothing_there(br_search *s) {
    s->found = 0, s->bound = s->value = INFINITY, s->complete = 1;
    return 1;
}

static int answer(program *w, br_search *s, ending end, double value, double bound) {
    if (end == PATH_LOST || is_far_out(w)) return 0;
    s->complete = 1;
    s->endless = 0;
    s->bound = bound;
    s->value = INFINITY;
    s->found = end != PATH_ABOVE && value < s->known;
    if (!s->found) return 1;
    s->value = value;
    memcpy(s->alpha, w->z, (size_t)w->r->unknowns * sizeof *s->alpha);
    return 1;
}

int br_cone_search(br_region *r, br_search *s) {
    if (!is_convex(r, s)) return 0;
    program w = {.r = r, .s = s, .R = r->room->R, .g = r->room->g, .d = r->room->d, .z = r->room->z};
    double value = 0.0, bound = -INFINITY;
    w.next = r->room->next, w.column = r->room->column;
    memset(w.z, 0, ((size_t)r->unknowns + 1) * sizeof *w.z);
    if (s->inside) memcpy(w.z, s->inside, (size_t)r->unknowns * sizeof *w.z);
    enter(&w, PHASE_OBJECTIVE);
    w.tau = 0.0;
    if (s->level || !isfinite(merit(&w, w.z))) {
        const int push = find_push(&w);
        if (push < 0) return 0;
        if (push == 0) return nothing_there(s);
        start_level(&w);
        if (s->level) {
            const ending end = cone_follow(&w, s->stop_below, s->known, &value, &bound);
            return answer(&w, s, end, value, bound);
        }
        const ending end = cone_follow(&w, -EPS_INSIDE, EPS_INSIDE, &value, &bound);
        if (end == PATH_ABOVE) return nothing_there(s);
        if (end != PATH_BELOW) return 0;
        enter(&w, PHASE_OBJECTIVE);
    }
    const ending end = cone_follow(&w, s->stop_below, s->known, &value, &bound);
    return answer(&w, s, end, value, bound);
}
