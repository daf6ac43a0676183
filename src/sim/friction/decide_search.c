// Every way in which the rubs at rest can begin to move, tried in turn.
//
// Changing one mode after the other (friction/decide.c) passes through combinations that the mechanism cannot have: where one freedom moves
// four rubs, three that stick and one that is let go rub against the motion of nobody, and their forces need not exist. So where that way
// ends in a contradiction, the rates that the rubs can have together are found first: r = r_0 + R f with R = A^T P A, P what the held rows
// leave of M^-1. The range of R says how many freedoms move them, its faces (friction/faces.h) in which combinations: three for one
// freedom. In each the friction of what moves has a known direction, all roots of g_i = mu_i N_i(x_0 + X g) are found, and the accelerations
// are checked against the signs afterwards.
//
// Less motion goes first: what can stay at rest stays, as with mu_kinetic below mu_static both are solutions from rest. Among those of
// the same number of freedoms in motion nothing is chosen.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "friction/faces.h"
#include "linalg/symmetric.h"
#include "sim/friction/decide.h"

#define BR_EPS_FREEDOM 1e-9 // eigenvalues of the scaled R, of the largest, that count as zero
#define BR_EPS_NORMAL 1e-7  // of a unit: a rub that none of the freedoms moves
#define BR_EPS_AGREES 1e-9  // of the accelerations that the forces could give: a rate against its sign
#define BR_EPS_STAYS 1e-6   // the same: a rate of what is held, where no force can hold it
#define BR_EPS_SAME 1e-7    // of the forces: two solutions that are one

typedef struct rub_search {
    br_rub_instant *at;
    int rows, row[BR_MAX_FACE_ROWS]; // rubs at rest with one direction
    int vectors;                     // at rest with several: they stay stuck
    br_faces faces;
    br_rub_state *saved; // [count] of the solution, and
    double *g, *x;       // [pads], [columns] its forces
    double *other;       // [columns] of the second
    int found;
} rub_search;

static int is_at_rest(const br_sim *sim, int i) {
    const br_rub *rub = &sim->frictions->rub[i];
    double square = 0.0;
    for (int d = 0; d < rub->pad.directions; d++) square += rub->velocity[d] * rub->velocity[d];
    return br_friction_is_set_valued(&rub->law) && sqrt(square) <= br_instant_rest_speed(sim);
}

// What alone a unit of force along a pad would do to its slip, were all bodies free: the size of its rates.
static double alone(const br_balance *b, int pad) {
    const br_balance_pad *p = &b->pad[pad];
    double sum = 0.0;
    for (int r = 0; r < b->n; r++) {
        const double A = b->A[r * b->columns + p->column];
        sum += A * A / b->M[r * (b->n + 1)];
    }
    return sum;
}

// r_0 and R of the rubs at rest, scaled to units of sqrt(alone), at any forces of the others.
static int rates_of(rub_search *s, double *r0, double *R) {
    br_rub_instant *at = s->at;
    const br_balance *b = at->b;
    br_frictions *f = at->sim->frictions;
    for (int k = 0; k < s->rows; k++)
        f->now[s->row[k]].mode = BR_RUB_SLIDES, f->now[s->row[k]].ahead[0] = 1.0;
    br_instant_take_states(at);
    if (br_balance_hold(b, at->state, at->work, &at->held) != BR_OK) return 0;
    for (int i = 0; i < s->rows; i++) {
        const int c = b->pad[s->row[i]].column;
        const double size = sqrt(alone(b, s->row[i]));
        if (!(size > 0.0)) return 0;
        r0[i] = -b->gamma[c];
        for (int r = 0; r < b->n; r++) r0[i] += b->A[r * b->columns + c] * at->held.a0[r];
        r0[i] /= size;
        for (int j = 0; j < s->rows; j++) {
            int l = 0;
            while (at->held.limit[l] != s->row[j]) l++;
            double sum = 0.0;
            for (int r = 0; r < b->n; r++) sum -= b->A[r * b->columns + c] * at->held.B[l * b->n + r];
            R[i * s->rows + j] = sum / (size * sqrt(alone(b, s->row[j])));
        }
    }
    return 1;
}

// The faces of the rubs at rest. 0: the balance could not be solved.
static int find_faces(rub_search *s) {
    double r0[BR_MAX_FACE_ROWS], R[BR_MAX_FACE_ROWS * BR_MAX_FACE_ROWS],
        turn[BR_MAX_FACE_ROWS * BR_MAX_FACE_ROWS], value[BR_MAX_FACE_ROWS],
        normal[BR_MAX_FACE_ROWS * BR_MAX_FACE_ROWS], offset[BR_MAX_FACE_ROWS];
    const int n = s->rows;
    double largest = 0.0, size = 0.0;
    int d = 0;
    if (!rates_of(s, r0, R)) return 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) R[i * n + j] = R[j * n + i] = 0.5 * (R[i * n + j] + R[j * n + i]);
    br_symmetric_eigen(n, R, turn, value);
    for (int k = 0; k < n; k++) largest = fmax(largest, value[k]);
    for (int i = 0; i < n; i++) offset[i] = r0[i], size = fmax(size, fabs(r0[i]));
    for (int k = 0; k < n; k++) {
        if (!(value[k] > BR_EPS_FREEDOM * largest) || !(value[k] > BR_EPS_FREEDOM)) continue;
        double part = 0.0;
        for (int i = 0; i < n; i++) part += turn[k * n + i] * r0[i];
        for (int i = 0; i < n; i++)
            offset[i] -= part * turn[k * n + i], normal[i * BR_MAX_FACE_ROWS + d] = turn[k * n + i];
        d++;
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < d; k++) normal[i * d + k] = normal[i * BR_MAX_FACE_ROWS + k];
    for (int i = 0; i < n; i++)
        if (!(fabs(offset[i]) > BR_EPS_STAYS * size)) offset[i] = 0.0;
    for (int i = 0; i < n; i++) offset[i] /= size > 0.0 ? size : 1.0;
    br_faces_find(n, d, normal, offset, BR_EPS_NORMAL, &s->faces);
    return 1;
}

int br_instant_agrees(const br_rub_instant *at, int *worst) {
    const br_frictions *f = at->sim->frictions;
    const br_balance *b = at->b;
    const double scale = br_instant_force_scale(at);
    double most = 0.0;
    int good = !br_instant_runs_away(at);
    *worst = -1;
    for (int i = 0; i < f->count; i++) {
        const int mode = (int)f->now[i].mode;
        if (mode == BR_RUB_STICKS) {
            const double over = br_instant_beyond(b, i, f->rub[i].law.mu_static, scale);
            if (over > most) most = over, *worst = i;
            continue;
        }
        if (mode == BR_RUB_FOLLOWS || !is_at_rest(at->sim, i)) continue;
        double rate[BR_MAX_SLIDING], along = 0.0;
        const double tol = BR_EPS_AGREES * br_instant_rate_scale(at, i);
        br_instant_slip_rate(b, i, rate);
        for (int d = 0; d < b->pad[i].directions; d++) along += rate[d] * f->now[i].ahead[d];
        if (mode == BR_RUB_SLIDES ? along < -tol : fabs(along) > tol) good = 0;
    }
    return good && *worst < 0;
}

static void keep_solution(rub_search *s, const double *g) {
    const br_frictions *f = s->at->sim->frictions;
    const br_balance *b = s->at->b;
    const double scale = br_instant_force_scale(s->at);
    if (s->found > 0) { // of two faces with a common boundary, the same?
        double apart = 0.0;
        for (int c = 0; c < b->columns; c++) apart = fmax(apart, fabs(b->x[c] - s->x[c]));
        if (apart <= BR_EPS_SAME * scale) return;
    }
    if (s->found++ > 0) {
        if (s->found == 2) memcpy(s->other, b->x, (size_t)b->columns * sizeof *s->other);
        return;
    }
    memcpy(s->saved, f->now, (size_t)f->count * sizeof *s->saved);
    memcpy(s->x, b->x, (size_t)b->columns * sizeof *s->x);
    for (int l = 0; l < s->at->held.limits; l++) s->g[s->at->held.limit[l]] = g[l];
}

// All solutions with the signs of a face. What rests in it sticks, or is at its limit where it would have to give more.
static void try_face(rub_search *s, const br_face *face) {
    br_rub_instant *at = s->at;
    br_frictions *f = at->sim->frictions;
    br_balance *b = at->b;
    for (int k = 0; k < s->rows; k++) {
        br_rub_state *now = &f->now[s->row[k]];
        now->mode = face->sign[k] ? BR_RUB_SLIDES : BR_RUB_STICKS;
        now->ahead[0] = face->sign[k];
    }
    for (int round = 0; round <= f->count; round++) {
        br_balance_roots roots;
        int worst = -1, any = 0;
        br_instant_take_states(at);
        if (br_balance_hold(b, at->state, at->work, &at->held) != BR_OK) return;
        br_balance_roots_find(b, at->state, &at->held, at->work, &roots);
        for (int k = 0; k < roots.count; k++) {
            int over;
            const double *g = roots.g + k * at->held.limits;
            br_balance_forces(&at->held, b->columns, b->n, g, b->x, b->a);
            if (br_instant_agrees(at, &over)) keep_solution(s, g), any = 1;
            if (over >= 0) worst = over;
        }
        if (any || worst < 0) return;
        br_instant_set_limit(f, b, worst);
    }
}

static void take_solution(rub_search *s) {
    br_rub_instant *at = s->at;
    br_frictions *f = at->sim->frictions;
    memcpy(f->now, s->saved, (size_t)f->count * sizeof *f->now);
    br_instant_take_states(at);
    if (br_balance_hold(at->b, at->state, at->work, &at->held) != BR_OK) return;
    for (int l = 0; l < at->held.limits; l++) at->g[l] = f->g[at->held.limit[l]] = s->g[at->held.limit[l]];
    br_balance_forces(&at->held, at->b->columns, at->b->n, at->g, at->b->x, at->b->a);
}

static void list_resting(rub_search *s) {
    br_frictions *f = s->at->sim->frictions;
    for (int i = 0; i < f->count; i++) {
        if (!is_at_rest(s->at->sim, i)) continue;
        if (f->rub[i].pad.directions > 1 || s->rows == BR_MAX_FACE_ROWS)
            s->vectors++, f->now[i].mode = BR_RUB_STICKS;
        else
            s->row[s->rows++] = i;
    }
}

// Which joint's friction differs most between the first two solutions.
static br_status several(const rub_search *s, br_error *error) {
    const br_sim *sim = s->at->sim;
    const br_balance *b = s->at->b;
    double most = -1.0;
    int worst = 0;
    for (int i = 0; i < sim->frictions->count; i++) {
        const br_balance_pad *p = &b->pad[i];
        for (int c = p->column; c < p->column + p->directions; c++)
            if (fabs(s->x[c] - s->other[c]) > most) most = fabs(s->x[c] - s->other[c]), worst = c;
    }
    int pad = 0;
    while (worst >= b->pad[pad].column + b->pad[pad].directions) pad++;
    return br_fail(
        error, BR_NUMERICAL, "friction-several",
        "t = %.9g s: joint '%s' slides with so much friction (mu_kinetic %g) that the equations of "
        "motion have %d "
        "solutions, with friction of %.6g and of %.6g N: the rigid model does not say which. A "
        "smaller coefficient, a "
        "compliant part, or the contact stepper, goes on",
        sim->t_eval, b->pad[pad].name, sim->frictions->rub[pad].law.mu_kinetic, s->found, s->x[worst],
        s->other[worst]);
}

br_status br_instant_search(br_rub_instant *at, int *solutions, br_error *error) {
    br_frictions *f = at->sim->frictions;
    const size_t states = (size_t)f->count * sizeof(br_rub_state),
                 numbers = (size_t)(at->b->pads + 2 * at->b->columns) * sizeof(double);
    rub_search *s = br_sim_take(at->sim, sizeof *s + states + numbers);
    if (!s) return br_no_memory(error, "no memory for the search for modes");
    memset(s, 0, sizeof *s);
    s->at = at, s->saved = (br_rub_state *)(s + 1), s->g = (double *)(s->saved + f->count),
    s->x = s->g + at->b->pads, s->other = s->x + at->b->columns;
    list_resting(s);
    if (find_faces(s))
        for (int k = 0, moving = 0; k < s->faces.count; k++) {
            if (s->faces.face[k].moving > moving && s->found > 0) break;
            moving = s->faces.face[k].moving;
            try_face(s, &s->faces.face[k]);
        }
    *solutions = s->found;
    for (int k = 0; k < s->rows; k++) { // one sign in every face: the rest of the mechanism moves it on
        int same = s->faces.count > 0 && s->faces.face[0].sign[k] != 0;
        for (int i = 1; i < s->faces.count; i++) same &= s->faces.face[i].sign[k] == s->faces.face[0].sign[k];
        f->waiting[s->row[k]] = same ? BR_RUB_SWEPT_ON : 0;
    }
    br_status status = BR_OK;
    if (s->found > 1) status = several(s, error);
    if (s->found == 1) take_solution(s);
    br_sim_give(at->sim, s);
    return status;
}
