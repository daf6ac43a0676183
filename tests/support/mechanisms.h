// Small models for tests of what the engine promises, put together with the builder's own calls: between them
// they hold trees, loops, springs of every form, limits, bounded motors, servos, gears and constraints.
//
//     mechanism m = mechanism_make(MECHANISM_FOUR_BAR, 0.5, BR_ABSOLUTE, 1e-3);
//     mechanism_steps(&m, 100);
//     mechanism_free(&m);
#ifndef MECHANISMS_H
#define MECHANISMS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/sim.h"
#include "near.h"

typedef struct mechanism {
    br_model *model;
    br_sim *sim;
} mechanism;

static inline void mech_check(br_status status, const br_error *error) {
    if (status != BR_OK)
        fail_msg("%s: %s (%s)", error->path, error->message, error->code ? error->code : "no code");
}

// --- putting a model together ------------------------------------------------------------------------------

static inline br_builder *mech_builder(const br_settings *settings) {
    br_error error = {0};
    br_builder *b = NULL;
    mech_check(br_builder_create(NULL, &b, &error), &error);
    mech_check(br_builder_settings(b, settings, &error), &error);
    return b;
}

static inline br_settings mech_settings(double theta, br_coordinates coordinates, double h) {
    br_settings s = br_default_settings();
    s.solver.theta = theta;
    s.solver.step = h;
    s.coordinates = coordinates;
    return s;
}

// A body of that mass whose size is 0.3 m or so, its axes along the world's.
static inline br_body_def mech_body(const char *name, double mass, double x, double y, double z) {
    br_body_def def = br_default_body_def();
    def.name = name;
    def.mass = mass;
    def.inertia = br_sym3_of(0.010 * mass, 0.012 * mass, 0.014 * mass, 0, 0, 0);
    def.pose.position = br_vec3_of(x, y, z);
    return def;
}

static inline void mech_add_body(br_builder *b, br_body_def def) {
    br_error error = {0};
    mech_check(br_builder_body(b, &def, &error), &error);
}

// A joint placed at a point of the world, z along the axis; not added yet.
static inline br_joint_def mech_joint(const br_builder *b, const char *name, br_joint_type type,
                                      const char *first, const char *second, br_vec3 point, br_vec3 axis) {
    br_error error = {0};
    br_joint_def def = br_default_joint_def();
    def.name = name;
    def.type = type;
    def.first = first;
    def.second = second;
    mech_check(br_builder_place_joint(b, &def, point, &axis, NULL, &error), &error);
    return def;
}

static inline void mech_add_joint(br_builder *b, br_joint_def def) {
    br_error error = {0};
    mech_check(br_builder_joint(b, &def, &error), &error);
}

static inline void mech_add_load(br_builder *b, br_load_def def) {
    br_error error = {0};
    mech_check(br_builder_load(b, &def, &error), &error);
}

static inline void mech_add_drive(br_builder *b, br_drive_def def) {
    br_error error = {0};
    mech_check(br_builder_drive(b, &def, &error), &error);
}

static inline br_function_def mech_expression(const char *text) {
    br_function_def f = {BR_FUNCTION_EXPRESSION, 0, text, 1, NULL, NULL, 0};
    return f;
}

static inline br_drive_def mech_drive(const char *name, br_drive_type type, const char *joint,
                                      br_function_def target) {
    br_drive_def def = br_default_drive_def();
    def.name = name;
    def.type = type;
    def.joint = joint;
    def.target = target;
    return def;
}

static inline br_load_def mech_load(const char *name, br_load_type type, const char *first,
                                    const char *second) {
    br_load_def def = br_default_load_def();
    def.name = name;
    def.type = type;
    def.first = first;
    def.second = second;
    return def;
}

// Destroys the builder.
static inline br_model *mech_model(br_builder *b) {
    br_error error = {0};
    br_model *model = NULL;
    mech_check(br_model_create(b, &model, &error), &error);
    br_builder_destroy(b);
    return model;
}

static inline br_sim *mech_sim(const br_model *model) {
    br_error error = {0};
    br_sim *sim = NULL;
    mech_check(br_sim_create(model, NULL, &sim, &error), &error);
    return sim;
}

static inline mechanism mech_finish(br_builder *b) {
    mechanism m;
    m.model = mech_model(b);
    m.sim = mech_sim(m.model);
    return m;
}

static inline void mechanism_free(mechanism *m) {
    br_sim_destroy(m->sim);
    br_model_destroy(m->model);
}

static inline void mech_steps(br_sim *sim, int count) {
    br_error error = {0};
    for (int k = 0; k < count; k++) mech_check(br_sim_step(sim, &error), &error);
}

static inline void mechanism_steps(mechanism *m, int count) {
    mech_steps(m->sim, count);
}

// --- reading -----------------------------------------------------------------------------------------------

static inline double mech_position(const mechanism *m, const char *joint) {
    double q[BR_MAX_JOINT_Q];
    br_sim_joint_position(m->sim, br_model_joint_find(m->model, joint), q);
    return q[0];
}

static inline double mech_velocity(const mechanism *m, const char *joint) {
    double v[BR_MAX_JOINT_V];
    br_sim_joint_velocity(m->sim, br_model_joint_find(m->model, joint), v);
    return v[0];
}

static inline double mech_read(const mechanism *m, const char *name) {
    br_error error = {0};
    br_channel channel;
    double value = NAN;
    mech_check(br_sim_channel_find(m->sim, name, &channel, &error), &error);
    mech_check(br_sim_channel_read(m->sim, &channel, &value, &error), &error);
    return value;
}

// The energies that moved so far: what an error of the ledger is to be measured by.
static inline double mech_energy_scale(const br_sim *sim) {
    const br_ledger l = br_sim_ledger(sim);
    return 1e-12 + fabs(l.start.kinetic) + fabs(l.now.kinetic) + fabs(l.now.potential - l.start.potential) +
           fabs(l.start.elastic) + fabs(l.now.elastic) + fabs(l.input) + fabs(l.damping) + fabs(l.scheme);
}

// --- the models --------------------------------------------------------------------------------------------

typedef enum mechanism_kind {
    MECHANISM_CHAIN = 0, // a tree of many joint kinds with joint springs, dampers, armature and a load
    MECHANISM_FOUR_BAR,  // planar loop, an effort that reads the state, a spring in the loop joint
    MECHANISM_SPATIAL,   // the same bars in space: three dependent rows
    MECHANISM_SPRINGS,   // two free bodies with a point spring and a bushing
    MECHANISM_LIMITS,    // a double pendulum that falls onto its stops
    MECHANISM_MOTOR,     // a four-bar whose motor has a largest torque, which it needs
    MECHANISM_SERVO,     // a servo within its largest effort, one without, a limit, a gear
    MECHANISM_DRIVEN,    // a slider-crank with prescribed angle, a skate beside it
    MECHANISMS
} mechanism_kind;

static const char *const mechanism_name[] = {"chain",  "four_bar", "spatial", "springs",
                                             "limits", "motor",    "servo",   "driven"};

static inline void mech_chain(br_builder *b) {
    static const br_joint_type kinds[] = {BR_JOINT_REVOLUTE,  BR_JOINT_UNIVERSAL, BR_JOINT_SPHERICAL,
                                          BR_JOINT_PRISMATIC, BR_JOINT_SCREW,     BR_JOINT_CYLINDRICAL};
    static const char *const body[] = {"b0", "b1", "b2", "b3", "b4", "b5"};
    static const char *const joint[] = {"j0", "j1", "j2", "j3", "j4", "j5"};
    for (int k = 0; k < 6; k++) {
        mech_add_body(b, mech_body(body[k], 1 + 0.3 * k, 0.2 + 0.4 * k, 0.03 * k, -0.02 * k));
        br_joint_def j = mech_joint(b, joint[k], kinds[k], k ? body[k - 1] : BR_WORLD, body[k],
                                    br_vec3_of(0.4 * k, 0.01, 0.02 * k), br_vec3_of(0.3, 1, 0.2 * k - 0.4));
        j.pitch = 0.2;
        j.damping[0] = 0.2;
        j.armature[0] = 0.01 * k;
        if (kinds[k] != BR_JOINT_SPHERICAL) j.stiffness[0] = 5 + 20 * k, j.rest[0] = 0.1;
        j.has_velocity = 1;
        j.velocity[0] = 0.5 - 0.2 * k;
        mech_add_joint(b, j);
    }
    br_load_def push = mech_load("push", BR_LOAD_FORCE, "b5", NULL);
    push.component[0] = mech_expression("2*sin(5*t)");
    push.component[2] = mech_expression("1 - 0.5*j0.velocity");
    mech_add_load(b, push);
}

// The joint C closes the loop.
static inline void mech_four_bar(br_builder *b) {
    const br_vec3 z = br_vec3_unit(2);
    mech_add_body(b, mech_body("crank", 1, 0.0, 0.15, 0));
    mech_add_body(b, mech_body("coupler", 2, 0.4, 0.4, 0));
    mech_add_body(b, mech_body("rocker", 1.5, 0.8, 0.25, 0));
    mech_add_joint(b, mech_joint(b, "A", BR_JOINT_REVOLUTE, BR_WORLD, "crank", br_vec3_of(0, 0, 0), z));
    mech_add_joint(b, mech_joint(b, "B", BR_JOINT_REVOLUTE, "crank", "coupler", br_vec3_of(0, 0.3, 0), z));
    mech_add_joint(b, mech_joint(b, "D", BR_JOINT_REVOLUTE, BR_WORLD, "rocker", br_vec3_of(0.8, 0, 0), z));
    br_joint_def c = mech_joint(b, "C", BR_JOINT_REVOLUTE, "coupler", "rocker", br_vec3_of(0.8, 0.5, 0), z);
    c.closes_loop = 1;
    c.stiffness[0] = 4;
    c.damping[0] = 0.1;
    mech_add_joint(b, c);
}

static inline void mech_springs(br_builder *b) {
    br_body_def left = mech_body("left", 1, 0, 0, 0);
    left.has_velocity = 1;
    left.velocity = br_vec3_of(0.1, 0.5, 0);
    left.angular_velocity = br_vec3_of(1, -2, 0.5);
    mech_add_body(b, left);
    mech_add_body(b, mech_body("right", 3, 0.6, 0, 0.1));
    br_load_def line = mech_load("line", BR_LOAD_SPRING, "left", "right");
    line.X_A.position = br_vec3_of(0.1, 0.05, 0);
    line.stiffness[0] = 200;
    line.damping[0] = 1;
    line.length = 0.3;
    mech_add_load(b, line);
    br_load_def bushing = mech_load("bushing", BR_LOAD_BUSHING, BR_WORLD, "right");
    bushing.X_A.position = br_vec3_of(0.6, 0, 0.1);
    for (int k = 0; k < 6; k++) bushing.stiffness[k] = 100 + 30 * k, bushing.damping[k] = 0.3;
    bushing.stiffness[5] = 0;
    bushing.damping[5] = 0; // a row without anything
    mech_add_load(b, bushing);
}

static inline void mech_limits(br_builder *b) {
    mech_add_body(b, mech_body("upper", 1, 0.25, 0, 0));
    mech_add_body(b, mech_body("lower", 0.7, 0.75, 0, 0));
    br_joint_def j = mech_joint(b, "shoulder", BR_JOINT_REVOLUTE, BR_WORLD, "upper", br_vec3_of(0, 0, 0),
                                br_vec3_of(0, 1, 0));
    j.lower[0] = -0.3;
    j.upper[0] = 0.7;
    mech_add_joint(b, j);
    j = mech_joint(b, "elbow", BR_JOINT_REVOLUTE, "upper", "lower", br_vec3_of(0.5, 0, 0),
                   br_vec3_of(0, 1, 0));
    j.lower[0] = -0.2;
    j.upper[0] = 0.4;
    mech_add_joint(b, j);
}

static inline void mech_motor(br_builder *b) {
    mech_four_bar(b);
    br_drive_def motor = mech_drive("motor", BR_DRIVE_VELOCITY, "A", br_function_constant(4));
    motor.max_effort = 6;
    mech_add_drive(b, motor);
}

static inline void mech_servo(br_builder *b) {
    const br_vec3 y = br_vec3_of(0, 1, 0);
    mech_limits(b);
    mech_add_body(b, mech_body("wheel", 0.5, 0, 1, 0));
    mech_add_joint(b, mech_joint(b, "axle", BR_JOINT_REVOLUTE, BR_WORLD, "wheel", br_vec3_of(0, 1, 0), y));
    br_joint_def gear = br_default_joint_def();
    gear.name = "gear";
    gear.type = BR_JOINT_GEAR;
    gear.first = "shoulder";
    gear.second = "axle";
    gear.ratio = -0.5;
    mech_add_joint(b, gear);
    br_drive_def servo = mech_drive("weak", BR_DRIVE_SERVO, "shoulder", mech_expression("0.5*sin(6*t)"));
    servo.stiffness = 300;
    servo.damping = 20;
    servo.max_effort = 9;
    mech_add_drive(b, servo);
    servo.name = "strong";
    servo.joint = "elbow";
    servo.max_effort = INFINITY;
    mech_add_drive(b, servo);
}

static inline void mech_driven(br_builder *b) {
    const br_vec3 z = br_vec3_unit(2);
    mech_add_body(b, mech_body("crank", 1, 0.1, 0, 0));
    mech_add_body(b, mech_body("rod", 1, 0.5, 0, 0));
    mech_add_body(b, mech_body("piston", 1, 0.8, 0, 0));
    br_body_def sleigh = mech_body("sleigh", 2, 0, 2, 0);
    sleigh.com = br_vec3_of(0.2, 0, 0);
    sleigh.has_velocity = 1;
    sleigh.velocity = br_vec3_of(0.5, 0.6, 0);
    sleigh.angular_velocity = br_vec3_of(0, 0, 3);
    mech_add_body(b, sleigh);
    mech_add_joint(b, mech_joint(b, "main", BR_JOINT_REVOLUTE, BR_WORLD, "crank", br_vec3_of(0, 0, 0), z));
    mech_add_joint(b, mech_joint(b, "big_end", BR_JOINT_REVOLUTE, "crank", "rod", br_vec3_of(0.2, 0, 0), z));
    mech_add_joint(b,
                   mech_joint(b, "small_end", BR_JOINT_REVOLUTE, "rod", "piston", br_vec3_of(0.8, 0, 0), z));
    mech_add_joint(b, mech_joint(b, "cylinder", BR_JOINT_PRISMATIC, BR_WORLD, "piston", br_vec3_of(0.8, 0, 0),
                                 br_vec3_unit(0)));
    mech_add_drive(b, mech_drive("motor", BR_DRIVE_POSITION, "main", mech_expression("7*t + 0.3*sin(9*t)")));
    br_error error = {0};
    const br_term_def blade = {
        .body = "sleigh", .direction = br_vec3_unit(1), .coefficient = br_function_constant(1)};
    const br_constraint_def skate = {"blade", &blade, 1, br_function_constant(0)};
    mech_check(br_builder_constraint(b, &skate, &error), &error);
}

static inline br_model *mechanism_model(mechanism_kind kind, double theta, br_coordinates coordinates,
                                        double h) {
    br_settings s = mech_settings(theta, coordinates, h);
    const int flat = kind == MECHANISM_FOUR_BAR || kind == MECHANISM_MOTOR || kind == MECHANISM_DRIVEN;
    s.name = mechanism_name[kind];
    if (flat) s.planar = BR_PLANAR_XY;
    if (flat || kind == MECHANISM_SPATIAL) s.gravity = br_vec3_of(0, -9.81, 0);
    br_builder *b = mech_builder(&s);
    switch (kind) {
    case MECHANISM_CHAIN:
        mech_chain(b);
        break;
    case MECHANISM_FOUR_BAR:
        mech_four_bar(b);
        mech_add_drive(b, mech_drive("turn", BR_DRIVE_EFFORT, "A", mech_expression("6 - 0.4*C.velocity")));
        break;
    case MECHANISM_SPATIAL:
        mech_four_bar(b);
        break;
    case MECHANISM_SPRINGS:
        mech_springs(b);
        break;
    case MECHANISM_LIMITS:
        mech_limits(b);
        break;
    case MECHANISM_MOTOR:
        mech_motor(b);
        break;
    case MECHANISM_SERVO:
        mech_servo(b);
        break;
    default:
        mech_driven(b);
        break;
    }
    return mech_model(b);
}

static inline mechanism mechanism_make(mechanism_kind kind, double theta, br_coordinates coordinates,
                                       double h) {
    mechanism m;
    m.model = mechanism_model(kind, theta, coordinates, h);
    m.sim = mech_sim(m.model);
    return m;
}

#endif
