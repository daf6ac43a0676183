// Rows of joint friction [Wojtyra2017 eqs. 7-15], as J A + C f = gamma with |f| <= limit. With w the slip at the step's end,
// w = h (J A - wanted), of each sort of law:
//
//     set-valued, elastic   w + c/h (f - f_last) = 0, |f| <= mu N        C = c/h^2
//     a vector that slides  row 0 along the slip e as above; across it f = -(mu N/|u|) u_r, which turns e in a few passes,
//                           u being the slip at theta of the step where it goes on sliding
//     functions             f = -N (mu* + k (w - w*)), linearized about w*         C = 1/(N k h)
//
// c is friction.compliance, or next to nothing: the force of the last step is remembered, so bristles do not creep under a
// constant load, and where stuck rows are dependent they share a load as bristles of equal stiffness would. Slip is that of the
// step's end whatever theta is: the midpoint rule would let what is this stiff ring for ever. What slides steadily is of second
// order all the same, since loads and directions are those of the middle; functions of velocity are of first.
#include <string.h>

#include "linalg/dense.h"
#include "sim/friction/step.h"
#include "sim/rows/group.h"

#define BR_MAX_SOFTNESS 1e6  // of W: compliance of a law whose slope is next to nothing, or has no load
#define BR_EPS_AT_REST 1e-9  // m/s, per metre of a typical link: slower is at rest, where no step has told
#define BR_EPS_INSIDE 1e-9   // of mu N: a force this far inside its bound sticks
#define BR_EPS_NO_SLIP 1e-6  // of what mu N would give it in a step: and so much slip at most
#define BR_MAX_STICK_TRIES 2 // of a vector in one evaluation
#define BR_MAX_FALLING 0.5   // slope times h N W of a falling branch up to which it is taken as level

// --- rows --------------------------------------------------------------------------------------------------

static void write_rows(const br_sim *sim, br_group *g, const double *basis) {
    const br_rub *rub = &sim->frictions->rub[g->element];
    const br_model_joint *joint = &sim->model->joint[rub->joint];
    const int n = g->rows;
    br_group_clear(g);
    if (joint->link >= 0) {
        for (int d = 0; d < n; d++) {
            double effort[BR_MAX_JOINT_V];
            br_rub_effort(sim, rub, d, effort);
            for (int r = 0; r < n; r++)
                for (int k = 0; k < g->dofs; k++)
                    g->coefficient[r * g->dofs + k] += basis[r * n + d] * effort[k];
        }
        return;
    }
    const br_relative x = br_sim_relative(sim, joint, 0);
    const int a = joint->first >= 0 ? 0 : -1, b = joint->second >= 0 ? joint->first >= 0 : -1;
    for (int r = 0; r < n; r++)
        for (int d = 0; d < n; d++) br_relative_row(&x, rub->pad.D[d], basis[r * n + d], g, r, a, b);
}

static void own_axes(int n, double *basis) {
    for (int r = 0; r < n; r++)
        for (int d = 0; d < n; d++) basis[r * n + d] = r == d;
}

// Row 0 along the unit vector e, the others across it.
static void axes_along(int n, const double *e, double *basis) {
    if (n == 1) return;
    memcpy(basis, e, (size_t)n * sizeof *e);
    if (n == 2) {
        basis[2] = -e[1], basis[3] = e[0];
        return;
    }
    const br_vec3 x = br_vec3_of(e[0], e[1], e[2]);
    const br_vec3 least = fabs(e[0]) <= fabs(e[1]) && fabs(e[0]) <= fabs(e[2]) ? br_vec3_unit(0)
                          : fabs(e[1]) <= fabs(e[2])                           ? br_vec3_unit(1)
                                                                               : br_vec3_unit(2);
    const br_vec3 y = br_vec3_normalize(br_vec3_cross(x, least)), z = br_vec3_cross(x, y);
    for (int d = 0; d < 3; d++) basis[3 + d] = br_vec3_get(y, d), basis[6 + d] = br_vec3_get(z, d);
}

static void fill_rub(br_sim *sim, br_group *g) {
    double basis[BR_MAX_SLIDING * BR_MAX_SLIDING];
    own_axes(g->rows, basis);
    write_rows(sim, g, basis);
    memset(g->phi, 0, (size_t)g->rows * sizeof *g->phi);
}

static const char *label_rub(const br_sim *sim, const br_group *g) {
    return sim->frictions->rub[g->element].name;
}

const br_group_kind br_group_rub = {"friction", fill_rub, NULL, NULL, BR_BOOK_FRICTION, 0, label_rub, NULL};

// --- the beginning -----------------------------------------------------------------------------------------

// J A - wanted is the slip at the step's end over h, see rate_motion in group_drive.c.
static void find_wanted(br_sim *sim, br_rubbing *r, const br_rub *rub) {
    const br_model_joint *joint = &sim->model->joint[rub->joint];
    br_relative x = {0};
    if (joint->link < 0) x = br_sim_relative(sim, joint, 1);
    for (int d = 0; d < r->n; d++) {
        const double bias = joint->link < 0 ? br_relative_gamma(&x, rub->pad.D[d], 0.0) : 0.0;
        r->start[d] = br_group_velocity(r->group, d, sim->V_start, sim->v_start);
        r->wanted[d] = -r->start[d] / sim->h + (1.0 - sim->theta) * br_group_products(sim, r->group, d) +
                       sim->theta * bias;
    }
}

static double softness_of(br_sim *sim, br_group *g) {
    double sum = 0.0;
    br_group_sweep(sim, g);
    for (int k = 0; k < g->rows * g->path_nv; k++) sum += g->y[k] * g->z[k];
    return sum > 0.0 ? sum / g->rows : 1.0;
}

void br_rubbing_begin(br_sim *sim, int i) {
    const br_rub *rub = &sim->frictions->rub[i];
    const br_rub_state *now = &sim->frictions->now[i];
    br_rubbing *r = &sim->frictions->step->rubbing[i];
    const int stepped = now->known == BR_RUB_STEPPED;
    r->softness = 1.0;
    if (r->n == 0) return; // a pin across the plane of a planar model
    fill_rub(sim, r->group);
    own_axes(r->n, r->basis);
    find_wanted(sim, r, rub);
    r->softness = softness_of(sim, r->group);
    const double speed = br_norm(r->n, r->start);
    r->sliding = r->set_valued && (stepped ? now->mode == BR_RUB_SLIDES
                                           : speed > BR_EPS_AT_REST * fmax(1.0, sim->length_scale));
    r->held = r->set_valued && !r->sliding && !(stepped && now->mode == BR_RUB_AT_LIMIT);
    r->mu = r->sliding ? rub->law.mu_kinetic : rub->law.mu_static;
    r->normal = stepped ? now->normal : 0.0;
    r->turned = r->sliding && r->n > 1 && speed > 0.0;
    r->tries = 0;
    r->speed = speed;
    r->share = sim->theta;
    for (int d = 0; d < r->n; d++) {
        r->ahead[d] = speed > 0.0 ? r->start[d] / speed : 0.0;
        r->point[d] = r->start[d];
    }
}

// --- what a law makes of its rows --------------------------------------------------------------------------

static double remembered(const br_sim *sim, int i, int d) {
    const br_rub_state *now = &sim->frictions->now[i];
    return now->known == BR_RUB_STEPPED ? now->force[d] : 0.0;
}

double br_rubbing_bound(const br_rubbing *r) {
    return r->held ? INFINITY : r->mu * r->normal;
}

static void set_valued_rows(const br_sim *sim, int i, br_rubbing *r, double *C, double *gamma) {
    const double bound = r->mu * r->normal;
    if (r->turned)
        axes_along(r->n, r->ahead, r->basis);
    else
        own_axes(r->n, r->basis);
    for (int k = 0; k < r->n; k++) {
        double last = 0.0;
        for (int d = 0; d < r->n; d++) last += r->basis[k * r->n + d] * remembered(sim, i, d);
        gamma[k] = br_dot(r->n, r->basis + k * r->n, r->wanted);
        C[k] = r->rigid;
        if (!r->turned || k == 0) {
            gamma[k] += C[k] * last;
            continue;
        }
        const double per = r->share * sim->h, start = br_dot(r->n, r->basis + k * r->n, r->start);
        C[k] = fmax(r->rigid, fmin(BR_MAX_SOFTNESS * r->softness, r->speed / (bound * per)));
        gamma[k] -= (1.0 - r->share) / per * start;
    }
    r->group->limit = br_rubbing_bound(r);
}

// Slope of a row. On a falling branch, which no row can have, the law is taken as level where the step is short enough for
// that to converge; else by the line through rest.
static double usable_slope(const br_rubbing *r, double h, double slope, double mu, double v) {
    if (slope > 0.0) return slope;
    const double secant = v != 0.0 && mu / v > 0.0 ? mu / v : 0.0;
    return -slope * h * r->normal * r->softness <= BR_MAX_FALLING ? 0.0 : secant;
}

static void function_rows(const br_sim *sim, int i, br_rubbing *r, double *C, double *gamma) {
    const br_rub *rub = &sim->frictions->rub[i];
    const int n = r->n;
    double mu[BR_MAX_SLIDING], mu_v[BR_MAX_SLIDING * BR_MAX_SLIDING];
    br_friction_step(&rub->law, n, r->point, sim->frictions->now[i].z, sim->h, r->z, mu, mu_v);
    const double speed = br_norm(n, r->point);
    if (n > 1 && speed > 0.0) {
        double e[BR_MAX_SLIDING];
        for (int d = 0; d < n; d++) e[d] = r->point[d] / speed;
        axes_along(n, e, r->basis);
    }
    for (int k = 0; k < n; k++) {
        const double *b = r->basis + k * n;
        const double m = br_dot(n, b, mu), v = br_dot(n, b, r->point);
        double slope = 0.0;
        for (int c = 0; c < n; c++) slope += b[c] * br_dot(n, mu_v + c * n, b);
        slope = usable_slope(r, sim->h, slope, m, v);
        C[k] = fmin(BR_MAX_SOFTNESS * r->softness, 1.0 / (r->normal * slope * sim->h));
        // v* - mu*/k with the slope in use, k = 1/(N C h)
        gamma[k] = br_dot(n, b, r->wanted) + v / sim->h - m * r->normal * C[k];
    }
    r->group->limit = INFINITY;
}

int br_rubbing_set(br_sim *sim, int i) {
    br_rubbing *r = &sim->frictions->step->rubbing[i];
    br_group *g = r->group;
    if (r->n == 0) return 0;
    double C[BR_MAX_SLIDING], gamma[BR_MAX_SLIDING], basis[BR_MAX_SLIDING * BR_MAX_SLIDING];
    const size_t axes = (size_t)(r->n * r->n) * sizeof *basis, rows = (size_t)r->n * sizeof *C;
    memcpy(basis, r->basis, axes);
    if (r->set_valued)
        set_valued_rows(sim, i, r, C, gamma);
    else
        function_rows(sim, i, r, C, gamma);
    const int turned = memcmp(basis, r->basis, axes) != 0;
    if (turned) {
        write_rows(sim, g, r->basis);
        br_group_sweep(sim, g);
    }
    const int same = !turned && memcmp(C, g->compliance, rows) == 0 && memcmp(gamma, g->gamma, rows) == 0;
    memcpy(g->compliance, C, rows);
    memcpy(g->gamma, gamma, rows);
    return !same;
}

// --- what an answer says -----------------------------------------------------------------------------------

static void read_answer(const br_sim *sim, br_rubbing *r) {
    const br_group *g = r->group;
    for (int d = 0; d < r->n; d++) r->force[d] = 0.0, r->velocity[d] = -sim->h * r->wanted[d];
    for (int k = 0; k < r->n; k++) {
        const double a = br_group_acceleration(sim, g, k, sim->work.A, sim->vdot);
        for (int d = 0; d < r->n; d++) {
            r->force[d] += r->basis[k * r->n + d] * g->force[k];
            r->velocity[d] += sim->h * r->basis[k * r->n + d] * a;
        }
    }
}

// Where a vector slides, or would: the slip, and at rest against the force.
static void turn_ahead(const br_sim *sim, br_rubbing *r) {
    double u[BR_MAX_SLIDING], e[BR_MAX_SLIDING];
    r->share = r->sliding && br_dot(r->n, r->start, r->velocity) > 0.0 ? sim->theta : 1.0;
    for (int d = 0; d < r->n; d++) {
        u[d] = (1.0 - r->share) * r->start[d] + r->share * r->velocity[d];
        e[d] = u[d] / (sim->h * r->softness) - r->force[d];
    }
    const double length = br_norm(r->n, e);
    if (length > 0.0)
        for (int d = 0; d < r->n; d++) r->ahead[d] = e[d] / length;
    r->speed = br_norm(r->n, u);
}

// One direction needs nothing: its bound is the law.
static double read_set_valued(const br_sim *sim, int i, br_rubbing *r) {
    const double bound = r->mu * r->normal;
    if (r->n == 1 || r->held || !(bound > 0.0)) return 0.0;
    const double force = br_norm(r->n, r->force);
    if (!r->turned) {
        if (force <= (1.0 + BR_EPS_RUBBING) * bound && fabs(r->group->force[0]) < bound) return 0.0;
        r->turned = 1;
        turn_ahead(sim, r);
        return 1.0;
    }
    // What its bristles give is no slip: those of what slides are soft, and a load that a body's landing brings bends them far.
    double slip = br_dot(r->n, r->basis, r->velocity) + sim->h * r->rigid * r->group->force[0];
    for (int d = 0; d < r->n; d++) slip -= sim->h * r->rigid * r->basis[d] * remembered(sim, i, d);
    const int inside = fabs(r->group->force[0]) < (1.0 - BR_EPS_INSIDE) * bound &&
                       fabs(slip) <= BR_EPS_NO_SLIP * sim->h * r->softness * bound;
    if (inside && r->tries < BR_MAX_STICK_TRIES) {
        r->turned = 0, r->tries++; // it stops in this step, or never moved: all rows hold
        return 1.0;
    }
    turn_ahead(sim, r);
    double off = 0.0;
    for (int d = 0; d < r->n; d++) {
        const double miss = (r->force[d] + bound * r->ahead[d]) / bound;
        off += miss * miss;
    }
    return sqrt(off);
}

// Newton's method on a sigmoid jumps from one side to the other: a root that is enclosed is not left again, and rest, where
// laws are steep, is tried first.
static void next_point(br_rubbing *r) {
    double to[BR_MAX_SLIDING];
    memcpy(to, r->velocity, sizeof to);
    if (r->n == 1) {
        const double v = r->point[0];
        if (to[0] >= v) r->low = v;
        if (to[0] <= v) r->high = v;
        if (!(to[0] > r->low && to[0] < r->high) && r->high > r->low)
            to[0] = r->low < 0.0 && r->high > 0.0 ? 0.0 : 0.5 * (r->low + r->high);
    } else if (br_dot(r->n, to, r->point) < 0.0) {
        memset(to, 0, sizeof to);
    }
    memcpy(r->point, to, sizeof to);
}

static double read_function(const br_sim *sim, int i, br_rubbing *r) {
    const br_rub *rub = &sim->frictions->rub[i];
    double mu[BR_MAX_SLIDING], off = 0.0;
    br_friction_step(&rub->law, r->n, r->velocity, sim->frictions->now[i].z, sim->h, r->z, mu, NULL);
    const double scale = r->normal * fmax(br_friction_limit(&rub->law), br_norm(r->n, mu));
    for (int d = 0; scale > 0.0 && d < r->n; d++)
        off = fmax(off, fabs(r->force[d] + r->normal * mu[d]) / scale);
    next_point(r);
    return off;
}

double br_rubbing_read(br_sim *sim, int i) {
    br_rubbing *r = &sim->frictions->step->rubbing[i];
    if (r->n == 0) return 0.0;
    read_answer(sim, r);
    return r->set_valued ? read_set_valued(sim, i, r) : read_function(sim, i, r);
}
