// Random closed-loop mechanisms whose freedom and redundancy are known by the way they are put together.
//
// Everything is laid out in the world at one pose, so that loops close by construction: a joint is a point,
// an axis and a second axis.
// Mechanisms of a plane have (x, y) along e1 and e2 and their pins along n. In space the same ones are turned
// any way, and every loop
// of parallel pins and guides adds three redundant rows: displacement along n, turns about e1 and e2.
//
//     freedom     degrees of freedom with friction released
//     redundant   rows of joints beyond their rank
#ifndef TEST_RANDOM_MECHANISMS_MAKE_H
#define TEST_RANDOM_MECHANISMS_MAKE_H

#include "near.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

#include "bristle/bristle.h"
#include "bristle/io.h"
#include "bristle/trust.h"

enum { MAX_BODIES = 14, MAX_JOINTS = 26, MAX_DIRECTIONS = 7, WORLD = -1 };

typedef struct mech_body {
    br_pose X;   // X_WB
    br_vec3 com; // world
    br_vec3 com_B;
    double mass;
    br_sym3 inertia;       // about the centre of mass, body axes
    br_vec3 force, torque; // load, world axes, at the centre of mass
} mech_body;

typedef struct mech_joint {
    br_joint_type type;
    int first, second;
    br_vec3 point, z, x; // world; z and x of both frames
    br_vec3 far;         // distance: the point on the second body
    double pitch;
    br_friction_def friction;
} mech_joint;

typedef enum mech_kind {
    FOUR_BAR = 0,
    SLIDER_CRANK,
    TWO_SLIDERS,
    LINKAGE,
    PARALLELOGRAM,
    REDUNDANT_BARS,
    GUIDES,
    HINGES,
    SCREW_PRESS,
    PLATFORM,
    FLOOR,
    SPATIAL_LOOP,
    MECH_KINDS
} mech_kind;

static const char *const kind_name[MECH_KINDS] = {
    "four-bar",      "slider-crank",     "two sliders",     "linkage of several loops",
    "parallelogram", "redundant bars",   "several guides",  "hinges",
    "screw press",   "platform on legs", "plate on floors", "loop of any joints",
};

typedef struct mechanism {
    mech_kind kind;
    br_planar planar;
    br_vec3 e1, e2, n, origin;
    double size;  // m
    double force; // N
    br_vec3 gravity;
    int bodies, joints;
    mech_body body[MAX_BODIES];
    mech_joint joint[MAX_JOINTS];
    int freedom, redundant;
    int rests; // loads were made from forces within their limits
} mechanism;

// --- pieces
// ---------------------------------------------------------------------------------------------------

static double log_uniform(rng *r, double low, double high) {
    return exp(rng_uniform(r, log(low), log(high)));
}

static int flip(rng *r, int one_in) {
    return rng_below(r, one_in) == 0;
}

static br_vec3 at(const mechanism *m, double x, double y) {
    return br_vec3_add_scaled(br_vec3_add_scaled(m->origin, x * m->size, m->e1), y * m->size, m->e2);
}

static br_vec3 along(const mechanism *m, double angle) {
    return br_vec3_add_scaled(br_vec3_scale(cos(angle), m->e1), sin(angle), m->e2);
}

static br_vec3 somewhere(const mechanism *m, rng *r) {
    const double x = rng_uniform(r, -1, 1), y = rng_uniform(r, -1, 1);
    const br_vec3 p = at(m, x, y);
    return m->planar != BR_SPATIAL ? p : br_vec3_add_scaled(p, rng_uniform(r, -0.5, 0.5) * m->size, m->n);
}

static int add_body(mechanism *m, rng *r) {
    mech_body *b = &m->body[m->bodies];
    assert_true(m->bodies < MAX_BODIES);
    b->com = somewhere(m, r);
    if (m->planar == BR_SPATIAL) {
        b->X.rotation = rng_rotation(r);
        b->com_B = rng_vec3(r, 0.3 * m->size);
    } else {
        b->X.rotation = br_quat_from_axis_angle(m->n, rng_uniform(r, -BR_PI, BR_PI));
        b->com_B = rng_vec3(r, 0.3 * m->size);
        b->com_B = br_vec3_add_scaled(b->com_B, -br_vec3_dot(b->com_B, m->n), m->n);
    }
    b->X.position = br_vec3_sub(b->com, br_quat_rotate(b->X.rotation, b->com_B));
    b->mass = log_uniform(r, 0.02, 200);
    const double about = b->mass * pow(m->size * rng_uniform(r, 0.2, 0.7), 2);
    const double a = rng_uniform(r, 0.5, 1), c = rng_uniform(r, 0.5, 1), d = rng_uniform(r, 0.6, 1);
    b->inertia = br_sym3_of(a * about, c * about, d * about, 0, 0, 0);
    b->force = b->torque = br_vec3_zero();
    return m->bodies++;
}

static mech_joint *add_joint(mechanism *m, br_joint_type type, int first, int second, br_vec3 point,
                             br_vec3 z, br_vec3 x) {
    mech_joint *j = &m->joint[m->joints++];
    assert_true(m->joints <= MAX_JOINTS);
    memset(j, 0, sizeof *j);
    j->type = type, j->first = first, j->second = second, j->point = point;
    j->z = br_vec3_normalize(z);
    j->x = br_vec3_normalize(br_vec3_add_scaled(x, -br_vec3_dot(x, j->z), j->z));
    return j;
}

// Which body is the first must not matter.
static void link_pair(rng *r, int *a, int *b) {
    if (flip(r, 2)) {
        const int c = *a;
        *a = *b, *b = c;
    }
}

static void add_pin(mechanism *m, rng *r, int a, int b, br_vec3 point) {
    const double s = flip(r, 2) ? 1 : -1;
    link_pair(r, &a, &b);
    if (m->planar == BR_SPATIAL) point = br_vec3_add_scaled(point, rng_uniform(r, -0.3, 0.3) * m->size, m->n);
    add_joint(m, BR_JOINT_REVOLUTE, a, b, point, br_vec3_scale(s, m->n), along(m, rng_uniform(r, 0, 6)));
}

static void add_guide(mechanism *m, rng *r, int a, int b, br_vec3 point, double angle) {
    link_pair(r, &a, &b);
    // Of planar models too the second axis may be any across the first.
    const br_vec3 x = m->planar == BR_SPATIAL ? rng_direction(r) : m->n;
    add_joint(m, BR_JOINT_PRISMATIC, a, b, point, along(m, angle), x);
}

// --- linkages of the plane
// ------------------------------------------------------------------------------------

static void begin_driver(mechanism *m, rng *r, int slider) {
    const int b = add_body(m, r);
    m->freedom = 1;
    if (slider)
        add_guide(m, r, WORLD, b, somewhere(m, r), rng_uniform(r, 0, 2 * BR_PI));
    else
        add_pin(m, r, WORLD, b, somewhere(m, r));
}

// Two bodies and three joints between a and b: neither freedom nor redundancy changes, unless the three meet
// badly.
enum { PIN_PIN_PIN = 0, PIN_PIN_GUIDE, PIN_GUIDE_PIN, GUIDE_PIN_GUIDE, DYADS };

static void add_dyad(mechanism *m, rng *r, int kind, int a, int b) {
    const int c = add_body(m, r), d = add_body(m, r);
    const double angle = rng_uniform(r, 0, 2 * BR_PI);
    if (kind == GUIDE_PIN_GUIDE)
        add_guide(m, r, a, c, somewhere(m, r), angle + rng_uniform(r, 0.5, 2.5));
    else
        add_pin(m, r, a, c, somewhere(m, r));
    if (kind == PIN_GUIDE_PIN)
        add_guide(m, r, c, d, somewhere(m, r), angle);
    else
        add_pin(m, r, c, d, somewhere(m, r));
    if (kind == PIN_PIN_GUIDE || kind == GUIDE_PIN_GUIDE)
        add_guide(m, r, d, b, somewhere(m, r), angle);
    else
        add_pin(m, r, d, b, somewhere(m, r));
    if (m->planar == BR_SPATIAL) m->redundant += 3;
}

static void make_linkage(mechanism *m, rng *r) {
    begin_driver(m, r, flip(r, 2));
    const int dyads = m->planar == BR_SPATIAL ? 2 : 2 + rng_below(r, 2);
    for (int k = 0; k < dyads; k++) {
        const int a = rng_below(r, m->bodies);
        int b = rng_below(r, m->bodies + 1) - 1;
        if (b == a) b = WORLD;
        add_dyad(m, r, rng_below(r, DYADS), a, b);
    }
    if (flip(r, 3)) { // what hangs on it
        const int a = rng_below(r, m->bodies), b = add_body(m, r);
        if (flip(r, 2))
            add_pin(m, r, a, b, somewhere(m, r));
        else
            add_guide(m, r, a, b, somewhere(m, r), rng_uniform(r, 0, 6));
        m->freedom++;
    }
}

// A simple mechanism and what holds nothing that was not held: a bar between two points of one body, a second
// pin or guide where one is.
static void make_redundant_bars(mechanism *m, rng *r) {
    begin_driver(m, r, flip(r, 2));
    add_dyad(m, r, rng_below(r, DYADS), 0, WORLD);
    const int extra = 1 + rng_below(r, m->planar == BR_SPATIAL ? 1 : 2);
    for (int k = 0; k < extra; k++) {
        if (flip(r, 2)) {
            const int a = rng_below(r, m->bodies), b = add_body(m, r);
            add_pin(m, r, a, b, somewhere(m, r));
            add_pin(m, r, a, b, somewhere(m, r));
            m->redundant += 1;
        } else {
            const mech_joint twin = m->joint[rng_below(r, m->joints)];
            const br_vec3 shift =
                twin.type == BR_JOINT_PRISMATIC ? br_vec3_sub(somewhere(m, r), m->origin) : br_vec3_zero();
            add_joint(m, twin.type, twin.first, twin.second, br_vec3_add(twin.point, shift), twin.z, twin.x);
            m->redundant += 2;
        }
        if (m->planar == BR_SPATIAL) m->redundant += 3;
    }
}

// A coupler on equal and parallel cranks: all but two are redundant.
static void make_parallelogram(mechanism *m, rng *r) {
    const int cranks = 2 + rng_below(r, m->planar == BR_SPATIAL ? 2 : 3), coupler = add_body(m, r);
    const br_vec3 crank = br_vec3_scale(m->size, along(m, rng_uniform(r, 0, 6)));
    for (int k = 0; k < cranks; k++) {
        const int b = add_body(m, r);
        const br_vec3 foot = somewhere(m, r);
        add_pin(m, r, WORLD, b, foot);
        add_pin(m, r, b, coupler, br_vec3_add(foot, crank));
    }
    m->freedom = 1;
    m->redundant = cranks - 2 + (m->planar == BR_SPATIAL ? 3 * (cranks - 1) : 0);
}

// --- one body, held often
// -------------------------------------------------------------------------------------

static void make_guides(mechanism *m, rng *r) {
    const int b = add_body(m, r), planar = m->planar != BR_SPATIAL, guides = 2 + rng_below(r, planar ? 3 : 2);
    const int sleeves = !planar && flip(r, 2);
    const double angle = rng_uniform(r, 0, 6);
    for (int k = 0; k < guides; k++)
        if (sleeves)
            add_joint(m, BR_JOINT_CYLINDRICAL, WORLD, b, somewhere(m, r), along(m, angle), rng_direction(r));
        else
            add_guide(m, r, WORLD, b, somewhere(m, r), angle);
    m->freedom = 1;
    m->redundant = planar ? 2 * (guides - 1) : sleeves ? 4 * guides - 5 : 5 * (guides - 1);
}

static int rows_of(br_joint_type type) {
    return type == BR_JOINT_DISTANCE ? 1 : 6 - br_joint_type_velocities(type);
}

// On one axis: pins, sleeves, balls. With sleeves alone it can slide too.
static void make_hinges(mechanism *m, rng *r) {
    static const br_joint_type types[] = {BR_JOINT_REVOLUTE, BR_JOINT_CYLINDRICAL, BR_JOINT_SPHERICAL};
    const int b = add_body(m, r), hinges = 2 + rng_below(r, 2);
    const br_vec3 axis = rng_direction(r), foot = somewhere(m, r);
    int rows = 0, sleeves = 0;
    for (int k = 0; k < hinges; k++) {
        const br_joint_type type = types[rng_below(r, 3)];
        const br_vec3 point = br_vec3_add_scaled(foot, m->size * (k + rng_uniform(r, 0, 0.5)), axis);
        add_joint(m, type, WORLD, b, point, axis, rng_direction(r));
        rows += rows_of(type), sleeves += type == BR_JOINT_CYLINDRICAL;
    }
    m->freedom = sleeves == hinges ? 2 : 1;
    m->redundant = rows - (6 - m->freedom);
}

// A ram in a guide, a spindle through a nut of the frame that turns in the ram: fifteen rows for eleven.
static void make_screw_press(mechanism *m, rng *r) {
    const int ram = add_body(m, r), spindle = add_body(m, r);
    const br_vec3 axis = rng_direction(r), foot = somewhere(m, r);
    add_joint(m, BR_JOINT_PRISMATIC, WORLD, ram, somewhere(m, r), axis, rng_direction(r));
    mech_joint *nut = add_joint(m, BR_JOINT_SCREW, WORLD, spindle, foot, axis, rng_direction(r));
    nut->pitch = (flip(r, 2) ? 1 : -1) * log_uniform(r, 0.005, 0.3) * m->size;
    add_joint(m, BR_JOINT_REVOLUTE, spindle, ram, br_vec3_add_scaled(foot, m->size, axis), axis,
              rng_direction(r));
    m->freedom = 1;
    m->redundant = 4;
}

static void make_floor(mechanism *m, rng *r) {
    const int b = add_body(m, r), floors = 2;
    const br_vec3 up = rng_direction(r);
    for (int k = 0; k < floors; k++)
        add_joint(m, BR_JOINT_PLANAR, WORLD, b, somewhere(m, r), up, rng_direction(r));
    m->freedom = 3;
    m->redundant = 3 * (floors - 1);
}

// --- mechanisms of space
// --------------------------------------------------------------------------------------

// Legs of universal, prismatic and ball joint hold nothing but by friction; rods hold one row each, of which
// only six count.
static void make_platform(mechanism *m, rng *r) {
    const int plate = add_body(m, r), legs = 1 + rng_below(r, 2), rods = 4 + rng_below(r, 4);
    for (int k = 0; k < legs; k++) {
        const int low = add_body(m, r), high = add_body(m, r);
        const br_vec3 foot = somewhere(m, r), head = br_vec3_add_scaled(somewhere(m, r), m->size, m->n);
        add_joint(m, BR_JOINT_UNIVERSAL, WORLD, low, foot, rng_direction(r), rng_direction(r));
        add_joint(m, BR_JOINT_PRISMATIC, low, high, foot, br_vec3_sub(head, foot), rng_direction(r));
        add_joint(m, BR_JOINT_SPHERICAL, high, plate, head, rng_direction(r), rng_direction(r));
    }
    for (int k = 0; k < rods; k++) {
        mech_joint *rod = add_joint(m, BR_JOINT_DISTANCE, WORLD, plate, somewhere(m, r), rng_direction(r),
                                    rng_direction(r));
        rod->far = br_vec3_add_scaled(somewhere(m, r), m->size, m->n);
    }
    m->freedom = rods < 6 ? 6 - rods : 0;
    m->redundant = rods > 6 ? rods - 6 : 0;
}

// Joints with axes any way along one loop: six of their freedoms close it.
static void make_spatial_loop(mechanism *m, rng *r) {
    static const br_joint_type types[] = {BR_JOINT_REVOLUTE,  BR_JOINT_PRISMATIC, BR_JOINT_CYLINDRICAL,
                                          BR_JOINT_UNIVERSAL, BR_JOINT_SPHERICAL, BR_JOINT_SCREW};
    const int joints = 3 + rng_below(r, 3);
    int freedoms = 0, sliders = 0, balls = 0, before = WORLD;
    for (int k = 0; k < joints; k++) {
        const int b = k < joints - 1 ? add_body(m, r) : WORLD;
        br_joint_type type = types[rng_below(r, 6)];
        if ((type == BR_JOINT_PRISMATIC && ++sliders > 2) || (type == BR_JOINT_SPHERICAL && ++balls > 1))
            type = BR_JOINT_REVOLUTE;
        int first = before, second = b;
        link_pair(r, &first, &second);
        mech_joint *j =
            add_joint(m, type, first, second, somewhere(m, r), rng_direction(r), rng_direction(r));
        if (type == BR_JOINT_SCREW) j->pitch = log_uniform(r, 0.01, 0.5) * m->size;
        freedoms += br_joint_type_velocities(type);
        before = b;
    }
    m->freedom = freedoms > 6 ? freedoms - 6 : 0;
    m->redundant = freedoms < 6 ? 6 - freedoms : 0;
}

// --- friction
// -------------------------------------------------------------------------------------------------

static int directions_of(const mechanism *m, const mech_joint *j) {
    if (j->type == BR_JOINT_CYLINDRICAL) return j->friction.pin_radius > 0 ? 2 : 1;
    if (j->type == BR_JOINT_PLANAR) return j->friction.friction_arm > 0 ? 3 : 2;
    return m->planar != BR_SPATIAL ? 1 : br_joint_type_velocities(j->type);
}

static int can_rub(br_joint_type type) {
    return type != BR_JOINT_DISTANCE;
}

static br_friction_def random_friction(const mechanism *m, rng *r, br_joint_type type) {
    const int turns = type != BR_JOINT_PRISMATIC && type != BR_JOINT_PLANAR;
    br_friction_def f = {.law = BR_FRICTION_COULOMB};
    f.mu_static = rng_uniform(r, 0.05, 0.8);
    f.mu_kinetic = flip(r, 4) ? f.mu_static : f.mu_static * rng_uniform(r, 0.4, 1);
    if (turns) f.pin_radius = m->size * rng_uniform(r, 0.02, 0.2);
    if (type == BR_JOINT_CYLINDRICAL && flip(r, 3)) f.pin_radius = 0;
    if (type == BR_JOINT_PLANAR && flip(r, 2)) f.friction_arm = m->size * rng_uniform(r, 0.05, 0.5);
    if (flip(r, 8)) {
        f.load_constant = 1;
        f.load = m->force * log_uniform(r, 0.1, 3);
        if (turns && type != BR_JOINT_CYLINDRICAL && flip(r, 2)) f.pin_radius = 0, f.load *= 0.05 * m->size;
        return f;
    }
    if (flip(r, 4)) f.preload = m->force * log_uniform(r, 0.05, 2);
    if (type != BR_JOINT_PLANAR && type != BR_JOINT_SPHERICAL && type != BR_JOINT_SCREW && flip(r, 3))
        f.guide_length = m->size * rng_uniform(r, 0.1, 0.6);
    if ((type == BR_JOINT_PRISMATIC || type == BR_JOINT_REVOLUTE || type == BR_JOINT_UNIVERSAL) && flip(r, 4))
        f.friction_arm = m->size * rng_uniform(r, 0.05, 0.3);
    return f;
}

// Enough to hold it, and up to two directions more than that in half of the cases: each is one force that
// nothing determines.
static void add_friction(mechanism *m, rng *r) {
    const int start = rng_below(r, m->joints),
              wanted = (m->freedom > 0 ? m->freedom : 1) + rng_below(r, 4) - flip(r, 4);
    int directions = 0;
    for (int k = 0; k < m->joints && (directions == 0 || directions < wanted); k++) {
        mech_joint *j = &m->joint[(start + k) % m->joints];
        if (!can_rub(j->type)) continue;
        j->friction = random_friction(m, r, j->type);
        directions += directions_of(m, j);
        if (directions <= MAX_DIRECTIONS) continue;
        directions -= directions_of(m, j);
        j->friction.law = BR_FRICTION_NONE;
    }
}

// --- the whole
// ------------------------------------------------------------------------------------------------

static int only_in_space(mech_kind kind) {
    return kind >= HINGES;
}

static void choose_frame(mechanism *m, rng *r) {
    if (m->planar == BR_SPATIAL) {
        const br_mat3 R = br_quat_to_mat3(rng_rotation(r));
        m->e1 = br_mat3_column(R, 0), m->e2 = br_mat3_column(R, 1), m->n = br_mat3_column(R, 2);
        m->origin = rng_vec3(r, m->size);
        return;
    }
    const int axis = m->planar == BR_PLANAR_XY ? 2 : m->planar == BR_PLANAR_XZ ? 1 : 0;
    m->n = br_vec3_unit(axis), m->e1 = br_vec3_unit((axis + 1) % 3), m->e2 = br_vec3_unit((axis + 2) % 3);
    m->origin = br_vec3_add_scaled(br_vec3_scale(rng_uniform(r, -1, 1) * m->size, m->e1),
                                   rng_uniform(r, -1, 1) * m->size, m->e2);
}

static mechanism make_mechanism(rng *r, mech_kind kind) {
    static const br_planar planes[] = {BR_PLANAR_XY, BR_PLANAR_XZ, BR_PLANAR_YZ};
    mechanism m = {.kind = kind};
    m.planar = only_in_space(kind) || flip(r, 3) ? BR_SPATIAL : planes[rng_below(r, 3)];
    m.size = log_uniform(r, 0.05, 3);
    m.force = log_uniform(r, 0.3, 3000);
    choose_frame(&m, r);
    switch (kind) {
    case FOUR_BAR:
    case SLIDER_CRANK:
    case TWO_SLIDERS:
        begin_driver(&m, r, kind == TWO_SLIDERS);
        add_dyad(&m, r, kind == FOUR_BAR ? PIN_PIN_PIN : PIN_PIN_GUIDE, 0, WORLD);
        break;
    case LINKAGE:
        make_linkage(&m, r);
        break;
    case PARALLELOGRAM:
        make_parallelogram(&m, r);
        break;
    case REDUNDANT_BARS:
        make_redundant_bars(&m, r);
        break;
    case GUIDES:
        make_guides(&m, r);
        break;
    case HINGES:
        make_hinges(&m, r);
        break;
    case SCREW_PRESS:
        make_screw_press(&m, r);
        break;
    case PLATFORM:
        make_platform(&m, r);
        break;
    case FLOOR:
        make_floor(&m, r);
        break;
    default:
        make_spatial_loop(&m, r);
    }
    add_friction(&m, r);
    return m;
}

// --- into the builder
// -----------------------------------------------------------------------------------------

static br_pose joint_frame(const mech_joint *j) {
    return br_pose_of(br_quat_from_mat3(br_mat3_of_columns(j->x, br_vec3_cross(j->z, j->x), j->z)), j->point);
}

static void body_name(int body, char *name) {
    if (body == WORLD)
        snprintf(name, 16, "%s", BR_WORLD);
    else
        snprintf(name, 16, "b%d", body);
}

static br_pose body_pose(const mechanism *m, int body) {
    return body == WORLD ? br_pose_identity() : m->body[body].X;
}

static void build_body(const mechanism *m, int k, br_builder *builder) {
    const mech_body *b = &m->body[k];
    char name[16], load_name[16];
    br_error error = {0};
    br_body_def def = br_default_body_def();
    body_name(k, name);
    def.name = name, def.mass = b->mass, def.com = b->com_B, def.inertia = b->inertia, def.pose = b->X;
    if (br_builder_body(builder, &def, &error) != BR_OK) fail_msg("body: %s", error.message);
    for (int kind = 0; kind < 2; kind++) {
        const br_vec3 value = kind ? b->torque : b->force;
        br_load_def load = br_default_load_def();
        snprintf(load_name, sizeof load_name, "%s%d", kind ? "t" : "f", k);
        load.name = load_name, load.first = name, load.type = kind ? BR_LOAD_TORQUE : BR_LOAD_FORCE;
        load.X_A.position = b->com_B;
        for (int c = 0; c < 3; c++) load.component[c] = br_function_constant(br_vec3_get(value, c));
        if (br_builder_load(builder, &load, &error) != BR_OK) fail_msg("load: %s", error.message);
    }
}

static void build_joint(const mechanism *m, int k, br_builder *builder) {
    const mech_joint *j = &m->joint[k];
    char name[16], first[16], second[16];
    br_error error = {0};
    br_joint_def def = br_default_joint_def();
    snprintf(name, sizeof name, "j%d", k);
    body_name(j->first, first), body_name(j->second, second);
    def.name = name, def.type = j->type, def.first = first, def.second = second;
    const br_pose X_WF = joint_frame(j);
    br_pose X_WM = X_WF;
    if (j->type == BR_JOINT_DISTANCE) X_WM.position = j->far;
    def.X_AF = br_pose_between(body_pose(m, j->first), X_WF);
    def.X_BM = br_pose_between(body_pose(m, j->second), X_WM);
    def.pitch = j->pitch;
    def.friction = j->friction;
    if (br_builder_joint(builder, &def, &error) != BR_OK) fail_msg("joint: %s", error.message);
}

typedef struct mech_options {
    br_stepper stepper;
    br_coordinates coordinates;
    double step;
} mech_options;

static br_builder *build(const mechanism *m, mech_options options) {
    br_error error = {0};
    br_builder *builder;
    br_settings settings = br_default_settings();
    settings.name = "random";
    settings.gravity = m->gravity;
    settings.planar = m->planar;
    settings.coordinates = options.coordinates;
    settings.solver.stepper = options.stepper;
    if (options.step > 0) settings.solver.step = options.step;
    assert_int_equal(br_builder_create(NULL, &builder, &error), BR_OK);
    if (br_builder_settings(builder, &settings, &error) != BR_OK) fail_msg("settings: %s", error.message);
    for (int k = 0; k < m->bodies; k++) build_body(m, k, builder);
    for (int k = 0; k < m->joints; k++) build_joint(m, k, builder);
    return builder;
}

#endif
