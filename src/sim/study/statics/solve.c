// One point of equilibrium by Newton's method. See statics/statics.h.
//
//     at a factor    K d = -R
//     at a length    d = a + dfactor b,   K a = -R,  K b = P,   where <D, D> + (w Dfactor)^2 = length^2 holds of the
//                    whole step D, linearized: <D, d> + w^2 Dfactor dfactor = (length^2 - <D, D> - (w Dfactor)^2)/2
//
// <,> is the mean over the nodes of moves and of turns times an arm. A turn is an eigenvector of the derivative
// of the rotation vector, so that the linearization is exact for finite turns too. [Crisfield 1981, with Riks'
// linear form]
#include "sim/study/statics/statics.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"

#define BR_MAX_STATIC_ITERATIONS 40
#define BR_STATIC_NEAR                                                                                       \
    1e-7 // of the mechanism's size: corrections this small that do not shrink any more are rounding
#define BR_STATIC_BALANCED 1e-13 // of the largest forces: what is left on a body is rounding
#define BR_STATIC_BESIDE 1e-5    // of the mechanism's size: the same, where forces are balanced
#define BR_STATIC_PATIENCE 12    // iterations before that is considered
#define BR_STATIC_SHRINKS 0.3    // a correction that is smaller than this times the last one shrinks
#define BR_STATIC_FAR 100.0      // of the mechanism's size
#define BR_STATIC_TURN 3.0       // rad: a correction beyond means nothing
#define BR_STATIC_LOOSE 1e-9     // of the stiffness, see br_static_factor
#define BR_STATIC_PIVOT 1e-14    // of a block's largest entry: a pivot that is rounding
#define BR_STATIC_SYMMETRIC                                                                                  \
    1e-6 // of a block's largest entry: asymmetry of rounding, and of the last residual
#define BR_EPS_STATIC_LOOP                                                                                   \
    1e-8                  // diagonal of loop rows: redundant rows share the force, up to rounding over this
#define BR_STATIC_ARM 0.1 // of the mechanism's size

double br_static_dot(const br_static *s, const double *a, const double *b) {
    const br_implicit *f = s->f;
    const double turn = s->arm * s->arm;
    double sum = 0.0;
    for (int i = 0, at = 0; i < f->nodes; i++) {
        for (int k = 0; k < 3; k++) sum += a[at + k] * b[at + k] + turn * a[at + 3 + k] * b[at + 3 + k];
        at += 6 + f->node[i].rows;
    }
    return sum / f->nodes;
}

void br_static_step_taken(const br_static *s, double *out) {
    const br_implicit *f = s->f;
    for (int i = 0, at = 0; i < f->nodes; i++) {
        const br_node *n = &f->node[i];
        const br_vec3 turn = br_quat_log(br_quat_mul(n->q1, br_quat_conjugate(n->start->q)));
        const br_vec3 move = br_vec3_sub(n->x1, n->start->x);
        const double part[6] = {move.x, move.y, move.z, turn.x, turn.y, turn.z};
        memset(out + at, 0, (size_t)(6 + n->rows) * sizeof *out);
        memcpy(out + at, part, sizeof part);
        at += 6 + n->rows;
    }
}

void br_static_begin(br_static *s) {
    br_implicit *f = s->f;
    br_implicit_shift(f);
    memcpy(f->lambda_aside, f->lambda, (size_t)f->row_count * sizeof *f->lambda);
    for (int k = 0; k < f->elements; k++)
        if (f->element[k].kind->begin) f->element[k].kind->begin(f, &f->element[k]);
}

void br_static_go_back(br_static *s) {
    br_implicit *f = s->f;
    memcpy(f->lambda, f->lambda_aside, (size_t)f->row_count * sizeof *f->lambda);
    for (int i = 0; i < f->nodes; i++) {
        br_node *n = &f->node[i];
        n->x1 = n->start->x, n->q1 = n->start->q, n->R1 = n->R0;
    }
}

static void statics_evaluate(br_static *s, int tangent) {
    s->f->tangent = tangent;
    br_implicit_look(s->f);
    br_implicit_evaluate(s->f);
}

// --- the tangent -------------------------------------------------------------------------------------------

// Rigid bodies may have no stiffness of their own, only what their neighbours give them: a pivot is zero then,
// though the mechanism is not free. A little on their diagonals lets the elimination pass; Newton's method sees
// the true forces and takes it away again.
static void loosen(br_static *s) {
    br_implicit *f = s->f;
    for (int i = 0; s->loosened > 0.0 && i < f->nodes; i++) {
        const br_block_ref *d = &f->diagonal[i];
        if (!s->loosen_beams && f->sim->model->beam_node && f->sim->model->beam_node[i]) continue;
        for (int k = 0; k < 6; k++)
            d->value[k * (d->row_stride + d->col_stride)] += s->loosened * (k < 3 ? 1.0 : s->arm * s->arm);
    }
    for (int i = 0; i < f->loose; i++) {
        const br_block_ref *d = &f->diagonal[f->nodes + i];
        for (int r = 0; r < f->loose_rows[i]; r++)
            d->value[r * (d->row_stride + d->col_stride)] += BR_EPS_STATIC_LOOP;
    }
}

static br_status factor_once(br_static *s) {
    statics_evaluate(s, 1);
    if (!br_all_finite(s->f->unknowns, s->f->residual)) return BR_NUMERICAL;
    loosen(s);
    const br_status status = br_block_factor(s->f->matrix, BR_BLOCK_GENERAL, BR_STATIC_PIVOT, NULL);
    if (status == BR_OK) s->determinant = br_block_determinant_sign(s->f->matrix);
    return status;
}

br_status br_static_factor(br_static *s) {
    const br_status status = factor_once(s);
    if (status == BR_OK || s->loosened > 0.0) return status;
    s->loosened = BR_STATIC_LOOSE;
    return factor_once(s);
}

// Rows come with one negative eigenvalue each. Torques that keep their axes, and followers, have no potential: the
// tangent is not symmetric then, even in equilibrium.
void br_static_count(br_static *s) {
    double asymmetry = 0.0;
    const int negative = br_block_negative(s->f->matrix, s->sign, s->block, &asymmetry);
    s->unstable = asymmetry <= BR_STATIC_SYMMETRIC ? negative - s->f->row_count : -1;
}

// --- Newton's method ---------------------------------------------------------------------------------------

double br_static_residual(const br_static *s) {
    const br_implicit *f = s->f;
    double worst = 0.0, largest = s->force;
    for (int i = 0, at = 0; i < f->nodes; i++) {
        const double *r = f->residual + at;
        for (int k = 0; k < 3; k++) worst = fmax(worst, fmax(fabs(r[k]), fabs(r[3 + k]) / s->arm));
        largest = fmax(largest, f->node[i].pushed);
        at += 6 + f->node[i].rows;
    }
    return largest > 0.0 ? worst / f->scale / largest : 0.0;
}

void br_static_by_load(br_static *s) {
    br_implicit *f = s->f;
    memcpy(s->by_load, f->residual, (size_t)f->unknowns * sizeof *s->by_load);
    f->load_factor += 1.0; // loads are linear in the factor
    statics_evaluate(s, 0);
    f->load_factor -= 1.0;
    for (int k = 0; k < f->unknowns; k++) s->by_load[k] -= f->residual[k];
    br_block_solve(f->matrix, s->by_load);
}

// Adds to the solution what the change of the factor brings; 0: there is none that keeps the length.
static int add_load_part(br_static *s, double length, double factor_0, int first) {
    br_implicit *f = s->f;
    const double w = s->weight * s->weight;
    double change;
    br_static_by_load(s);
    if (first) {
        const double sense = br_static_dot(s, s->along, s->by_load) + w * s->along_factor;
        change = copysign(length / sqrt(br_static_dot(s, s->by_load, s->by_load) + w), sense);
    } else {
        double *taken = f->residual; // free here
        br_static_step_taken(s, taken);
        const double D = f->load_factor - factor_0;
        const double lacks = 0.5 * (length * length - br_static_dot(s, taken, taken) - w * D * D);
        change =
            (lacks - br_static_dot(s, taken, f->solution)) / (br_static_dot(s, taken, s->by_load) + w * D);
    }
    if (!isfinite(change)) return 0;
    f->load_factor += change;
    for (int k = 0; k < f->unknowns; k++) f->solution[k] += change * s->by_load[k];
    return 1;
}

static double largest_turn(const br_implicit *f) {
    double turn = 0.0;
    for (int i = 0, at = 0; i < f->nodes; i++) {
        for (int k = 3; k < 6; k++) turn = fmax(turn, fabs(f->solution[at + k]));
        at += 6 + f->node[i].rows;
    }
    return turn;
}

// length 0: at the factor that is set.
static br_static_solution iterate(br_static *s, double length) {
    br_implicit *f = s->f;
    const double factor_0 = f->load_factor, rounding = 4.0 * DBL_EPSILON * f->sim->extent;
    br_static_solution r = {BR_STATIC_DIVERGES, 0, 0.0};
    double size = INFINITY;
    for (int k = 0; k < BR_MAX_STATIC_ITERATIONS; k++) {
        r.iterations = k + 1;
        const br_status status = br_static_factor(s);
        if (!br_all_finite(f->unknowns, f->residual)) return r;
        if (status != BR_OK) {
            r.outcome = BR_STATIC_SINGULAR;
            return r;
        }
        const double left = br_static_residual(s);
        br_implicit_correct(f);
        if (length > 0.0 && !add_load_part(s, length, factor_0, k == 0)) return r;
        if (!br_all_finite(f->unknowns, f->solution) || largest_turn(f) > BR_STATIC_TURN) return r;
        const double before = size;
        size = br_implicit_move(f);
        br_implicit_add_forces(f);
        if (size > BR_STATIC_FAR * s->span) return r;
        // Near a singular place corrections are rounding over a small stiffness, and forces tell.
        const int balanced =
            k >= BR_STATIC_PATIENCE && left <= BR_STATIC_BALANCED && size <= BR_STATIC_BESIDE * s->span;
        if (size <= rounding ||
            ((balanced || size <= BR_STATIC_NEAR * s->span) && size >= BR_STATIC_SHRINKS * before)) {
            statics_evaluate(s, 0);
            r.residual = br_static_residual(s);
            r.outcome = BR_STATIC_FOUND;
            return r;
        }
    }
    return r;
}

br_static_solution br_static_at_factor(br_static *s, double factor) {
    s->f->load_factor = factor;
    return iterate(s, 0.0);
}

br_static_solution br_static_at_length(br_static *s, double length) {
    return iterate(s, length);
}

// --- what the mechanism is ---------------------------------------------------------------------------------

static void choose_span(br_static *s) {
    const br_implicit *f = s->f;
    br_vec3 low = br_vec3_of(INFINITY, INFINITY, INFINITY), high = br_vec3_neg(low);
    for (int i = 0; i < f->nodes; i++) {
        const br_vec3 x = f->node[i].x1;
        low = br_vec3_of(fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z));
        high = br_vec3_of(fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z));
    }
    s->span = fmax(f->nodes > 0 ? br_vec3_distance(low, high) : 0.0, f->length);
    s->arm = BR_STATIC_ARM * s->span;
}

// The mean of the diagonal's forces per move, where there are any.
static void choose_stiffness(br_static *s) {
    br_implicit *f = s->f;
    double sum = 0.0;
    int count = 0;
    f->scale = 1.0;
    statics_evaluate(s, 1);
    for (int i = 0; i < f->nodes; i++) {
        const br_block_ref *d = &f->diagonal[i];
        double own = 0.0;
        for (int k = 0; k < 3; k++) own += fabs(d->value[k * (d->row_stride + d->col_stride)]) / 3.0;
        if (own > 0.0) sum += own, count++;
    }
    // What only loads hold is as stiff as their forces over the size.
    const double by_force = s->force > 0.0 && isfinite(s->force) ? s->force / s->span : 1.0;
    s->stiffness = count > 0 && isfinite(sum) ? sum / count : by_force;
    f->scale = 1.0 / s->stiffness;
}

static double tidy(double x) {
    return fabs(x) < 1e-6 ? 0.0 : x;
}

void br_static_describe(const br_static *s, const double *x, char *out, size_t size) {
    const br_implicit *f = s->f;
    const br_model *m = f->sim->model;
    const double *part = x;
    double largest = -1.0, sign = 1.0;
    int node = 0, turns = 0;
    for (int i = 0; i < f->nodes; i++) {
        const double *own = x + 6 * (size_t)i;
        const double move = br_vec3_norm(br_vec3_of(own[0], own[1], own[2]));
        const double turn = s->arm * br_vec3_norm(br_vec3_of(own[3], own[4], own[5]));
        // The first of equals is taken, whatever rounding says.
        if (move > 1.000001 * largest) largest = move, node = i, turns = 0, part = own;
        if (turn > 1.000001 * largest) largest = turn, node = i, turns = 1, part = own + 3;
    }
    br_vec3 d = br_vec3_normalize(br_vec3_of(part[0], part[1], part[2]));
    d = br_vec3_of(tidy(d.x), tidy(d.y), tidy(d.z));
    if (d.x < 0.0 || (d.x == 0.0 && (d.y < 0.0 || (d.y == 0.0 && d.z < 0.0)))) sign = -1.0;
    snprintf(out, size, "'%.60s' %s [%.3g, %.3g, %.3g]", m->body[m->link_body[node]].name,
             turns ? "turns about" : "moves along", tidy(sign * d.x), tidy(sign * d.y), tidy(sign * d.z));
}

static double largest_force(br_static *s) {
    double largest = 0.0;
    statics_evaluate(s, 0);
    for (int i = 0; i < s->f->nodes; i++) largest = fmax(largest, s->f->node[i].pushed);
    return largest;
}

const char *br_static_most_pushed(br_static *s, double *force) {
    const br_implicit *f = s->f;
    int most = 0;
    *force = 0.0;
    statics_evaluate(s, 0);
    for (int i = 0, at = 0; i < f->nodes; i++) {
        const double *r = f->residual + at, here = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]) / f->scale;
        if (here > *force || !isfinite(here)) *force = here, most = i;
        if (!isfinite(here)) break;
        at += 6 + f->node[i].rows;
    }
    return f->nodes > 0 ? f->sim->model->body[f->sim->model->link_body[most]].name : "nothing";
}

static br_status fail_start(br_static *s, br_error *error) {
    double force;
    const char *body = br_static_most_pushed(s, &force);
    if (!isfinite(force))
        return br_fail(
            error, BR_NUMERICAL, "static-start",
            "the force on '%s' is not finite where the mechanism starts, at t = %.9g s; look at what "
            "acts on it: loads, springs, stiffnesses and their units",
            body, s->f->sim->state.at->t);
    return br_fail(error, BR_NUMERICAL, "static-start",
                   "the stiffness where the mechanism starts cannot be factored: joints contradict each "
                   "other, or stiffnesses are too far apart; `bristle check` lists redundant joints");
}

br_status br_static_prepare(br_static *s, double until, br_error *error) {
    br_implicit *f = s->f;
    choose_span(s);
    f->load_factor = until;
    s->force = largest_force(s);
    f->load_factor = 0.0;
    choose_stiffness(s);
    for (int tries = 0; factor_once(s) != BR_OK; tries++) {
        if (tries == 2) return fail_start(s, error);
        s->loosened = BR_STATIC_LOOSE, s->loosen_beams = tries;
    }
    return BR_OK;
}
