// Rows of prescribed motion [Peiret2016 eq. 2], bounded motors and servos, and linear constraints on velocities.
#include "sim/core/control.h"
#include "sim/rows/group.h"
#include "sim/rows/springs.h"
#include "tree/spatial.h"

static br_jet target_jet(br_sim *sim, int drive, double t) {
    return br_function_jet(br_drive_target(sim, drive), t, sim->jets);
}

// --- velocity and position, exact or within a largest effort -----------------------------------------------

static void fill_motion(br_sim *sim, br_group *g) {
    const br_model_drive *drive = &sim->model->drive[g->element];
    br_group_clear(g);
    br_coordinate_row(sim, g->coordinates[0], 1.0, g, 0);
    g->phi[0] = 0.0;
    if (g->has_position)
        g->phi[0] = br_coordinate_position(sim, drive->joint, drive->coordinate) -
                    br_function_value(br_drive_target(sim, g->element), sim->t_eval, sim->values);
}

// J A that leads to the velocity u at the step's end, theta h after the positions of the evaluation, until when J turns on by
// theta h (J A_products - bias). A velocity that is prescribed may jump: the rows' forces then have the impulse in them, and with
// it what it does to everything else, and its work.
static double end_velocity_gamma(const br_sim *sim, const br_group *g, double u, double now, double bias) {
    return (u - now) / sim->h + (1.0 - sim->theta) * br_group_products(sim, g, 0) + sim->theta * bias;
}

// To the last bit: a jump at a step's edge belongs to one step.
static double end_time(const br_sim *sim) {
    return sim->theta < 1.0 ? sim->t_next : sim->t_eval;
}

static double target_at_end(br_sim *sim, int drive) {
    const int position = sim->model->drive[drive].type == BR_DRIVE_POSITION;
    const br_jet end = target_jet(sim, drive, end_time(sim));
    if (!br_function_uses_state(br_drive_target(sim, drive))) return position ? end.rate : end.value;
    const br_jet here = target_jet(sim, drive, sim->t_eval); // joints are known here only
    const double ahead = (1.0 - sim->theta) * sim->h;
    return position ? here.rate + ahead * here.second : here.value + ahead * here.rate;
}

static void rate_motion(br_sim *sim, br_group *g) {
    const br_model_drive *drive = &sim->model->drive[g->element];
    const br_jet target = target_jet(sim, g->element, sim->t_eval);
    const double bias = br_coordinate_gamma(sim, g->coordinates[0]);
    const int position = drive->type == BR_DRIVE_POSITION;
    g->gamma[0] = (position ? target.second : target.rate) + bias;
    const double now = br_group_velocity(g, 0, sim->V_start, sim->v_start);
    if (g->keeping == BR_HELD_BACK)
        g->gamma[0] = 0.0;
    else if (sim->h > 0.0) // a motor that is held back by its largest effort catches up as fast as it can
        g->gamma[0] = end_velocity_gamma(sim, g, target_at_end(sim, g->element), now, bias);
    else if (g->bound == BR_BOUND_BOX && !position && g->keeping != BR_KEEPS)
        g->gamma[0] =
            (target.value - now) / sim->model->settings.solver.step + target.rate + bias; // as a step would
}

static void target_motion(br_sim *sim, br_group *g) {
    const br_model_drive *drive = &sim->model->drive[g->element];
    const br_jet target = target_jet(sim, g->element, sim->t_eval);
    g->u[0] = drive->type == BR_DRIVE_POSITION ? target.rate : target.value;
}

const br_group_kind br_group_motion = {"drive",
                                       fill_motion,
                                       rate_motion,
                                       target_motion,
                                       BR_BOOK_INPUT,
                                       BR_GROUP_PRESCRIBED | BR_GROUP_DRIVEN,
                                       br_group_label_drive,
                                       NULL};

// --- servo within max_effort -------------------------------------------------------------------------------

// force = k (target - q_pred) - d v - (theta^2 h^2 k + theta h d) a, as a compliant row whose force is bounded.
static void rate_servo(br_sim *sim, br_group *g) {
    const br_model_drive *drive = &sim->model->drive[g->element];
    const double h = sim->h, k = drive->stiffness, d = drive->damping;
    const br_softening soft = br_soften_row(sim, g, 0, k, d);
    const double v = br_group_velocity(g, 0, sim->V_start, sim->v_start);
    const double q = br_coordinate_position(sim, drive->joint, drive->coordinate), stiff = soft.K;
    const double target = br_step_mean(sim, br_drive_target(sim, g->element));
    g->compliance[0] = stiff > 0.0 ? 1.0 / stiff : 1.0;
    g->gamma[0] = stiff > 0.0 ? br_softened_force(&soft, h, k, d, q - target, v, v) / stiff : 0.0;
    const double bias = br_coordinate_gamma(sim, g->coordinates[0]);
    g->gamma[0] += stiff > 0.0 ? br_implicit_bias(sim, g, 0, k, d, bias) : bias;
}

static void fill_servo(br_sim *sim, br_group *g) {
    br_group_clear(g);
    br_coordinate_row(sim, g->coordinates[0], 1.0, g, 0);
    g->phi[0] = 0.0;
}

const br_group_kind br_group_servo = {"servo",       fill_servo,    rate_servo,           NULL,
                                      BR_BOOK_INPUT, BR_GROUP_SOFT, br_group_label_drive, NULL};

// --- linear constraints on velocities ----------------------------------------------------------------------

typedef struct point_term {
    br_vec3 arm, direction; // world axes
    br_vec3 w;              // of the link
} point_term;

static point_term term_of(const br_sim *sim, const br_model_term *term) {
    point_term x = {br_vec3_zero(), term->direction, br_vec3_zero()};
    if (term->link < 0) return x;
    const br_mat3 *R = &sim->work.pose[term->link].R_WL;
    x.arm = br_mat3_mul_vec(*R, term->point_L);
    if (!term->in_world_axes) x.direction = br_mat3_mul_vec(*R, term->direction);
    x.w = sim->work.motion[term->link].V.angular;
    return x;
}

static void fill_constraint(br_sim *sim, br_group *g) {
    const br_model_constraint *c = &sim->model->constraint[g->element];
    br_group_clear(g);
    g->phi[0] = 0.0;
    for (int i = 0; i < c->terms; i++) {
        const double factor = br_function_value(c->term[i].coefficient, sim->t_eval, sim->values);
        if (c->term[i].joint >= 0) {
            br_coordinate_row(sim, g->coordinates[i], factor, g, 0);
        } else if (c->term[i].link >= 0) {
            const point_term x = term_of(sim, &c->term[i]);
            br_wrench *F = &g->F[g->coordinates[i].entry];
            *F = br_wrench_add(*F, br_wrench_of_force(br_vec3_scale(factor, x.direction), x.arm));
        }
    }
}

// d/dt of c d.(v + w x r): c d.(w x (w x r)) + c (w x d).(v + w x r) + dc/dt d.(v + w x r)
static void rate_constraint(br_sim *sim, br_group *g) {
    const br_model_constraint *c = &sim->model->constraint[g->element];
    const br_jet value = br_function_jet(c->value, sim->t_eval, sim->jets);
    double gamma = value.rate;
    for (int i = 0; i < c->terms; i++) {
        const br_jet factor = br_function_jet(c->term[i].coefficient, sim->t_eval, sim->jets);
        if (c->term[i].joint >= 0) {
            gamma += factor.value * br_coordinate_gamma(sim, g->coordinates[i]) -
                     factor.rate * br_coordinate_velocity(sim, c->term[i].joint, c->term[i].coordinate);
        } else if (c->term[i].link >= 0) {
            const point_term x = term_of(sim, &c->term[i]);
            const br_vec3 v = br_twist_at_point(sim->work.motion[c->term[i].link].V, x.arm);
            const br_vec3 turned =
                c->term[i].in_world_axes ? br_vec3_zero() : br_vec3_cross(x.w, x.direction);
            gamma -= factor.value * (br_vec3_dot(x.direction, br_vec3_cross(x.w, br_vec3_cross(x.w, x.arm))) +
                                     br_vec3_dot(turned, v)) +
                     factor.rate * br_vec3_dot(x.direction, v);
        }
    }
    g->gamma[0] = gamma;
    if (!(sim->h > 0.0)) return;
    const br_function *f = c->value;
    const double ahead = (1.0 - sim->theta) * sim->h;
    const double end = br_function_uses_state(f) ? value.value + ahead * value.rate
                                                 : br_function_value(f, end_time(sim), sim->values);
    g->gamma[0] = end_velocity_gamma(sim, g, end, br_group_velocity(g, 0, sim->V_start, sim->v_start),
                                     gamma - value.rate);
}

static void target_constraint(br_sim *sim, br_group *g) {
    g->u[0] = br_function_value(sim->model->constraint[g->element].value, sim->t_eval, sim->values);
}

const br_group_kind br_group_constraint = {
    "constraint",  fill_constraint,     rate_constraint,           target_constraint,
    BR_BOOK_INPUT, BR_GROUP_PRESCRIBED, br_group_label_constraint, NULL};
