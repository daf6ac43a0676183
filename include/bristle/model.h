// A model: bodies, joints, loads and drives, validated once and never changed afterwards.
//
//     br_builder_create -> br_builder_body, _joint, _load, ... -> br_model_create -> br_sim (sim.h)
//
// The YAML reader (io.h) makes exactly these calls, so a model built in C is validated by the same rules and
// with the same messages. Definitions are plain structs: start from br_default_xxx_def(), set what differs.
// Every string and array of a definition is copied. SI units, angles in radians.
//
// Frames: W is the world, B a body's own frame. A joint connects a frame F, fixed on its first body, to a
// frame M, fixed on its second; its coordinates describe the pose X_FM. Its axis is the z axis of both.
#ifndef BRISTLE_MODEL_H
#define BRISTLE_MODEL_H

#include "bristle/shape.h"
#include "bristle/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BR_MAX_JOINT_Q 7 // position coordinates of one joint (free: 3 + a quaternion)
#define BR_MAX_JOINT_V 6 // velocity coordinates of one joint
#define BR_WORLD "world" // the name of the fixed body

// --- functions of time and state ---------------------------------------------------------------------------

typedef enum br_function_kind {
    BR_FUNCTION_CONSTANT = 0,
    BR_FUNCTION_EXPRESSION, // arithmetic in t, pi, JOINT.position and JOINT.velocity (.0, .1 for several)
    BR_FUNCTION_TABLE,      // piecewise linear between points, constant outside
    BR_FUNCTION_SMOOTH,     // cubic through the points without overshoot (monotone), constant outside
} br_function_kind;

typedef struct br_function_def {
    br_function_kind kind;
    double constant;
    const char *expression;
    // factor on the expression's value, a unit such as mm; 0 counts as 1
    double scale;
    // [count], strictly rising, s
    const double *times;
    // [count]
    const double *values;
    int count;
} br_function_def;

static inline br_function_def br_function_constant(double value) {
    br_function_def r = {BR_FUNCTION_CONSTANT, value, NULL, 1.0, NULL, NULL, 0};
    return r;
}

// --- bodies ------------------------------------------------------------------------------------------------

typedef struct br_frame_def {
    const char *name;
    // in the body frame
    br_pose pose;
} br_frame_def;

typedef struct br_body_def {
    const char *name;
    // kg, > 0 unless the body cannot move or carries bodies that have mass
    double mass;
    // centre of mass, body frame, m
    br_vec3 com;
    // about the centre of mass, body axes, kg m^2
    br_sym3 inertia;
    // of the body frame in the world, where the joints are at zero
    br_pose pose;
    int has_velocity;
    // of the centre of mass, world axes, m/s
    br_vec3 velocity;
    // world axes, rad/s
    br_vec3 angular_velocity;
    const br_frame_def *frames;
    int frame_count;
    const br_shape_def *shapes;
    int shape_count;
} br_body_def;

br_body_def br_default_body_def(void); // at the origin, at rest, without mass

// --- joints ------------------------------------------------------------------------------------------------

// Coordinates, translations before rotations:
//     tendon       its length; carries and holds nothing by itself
//     weld         none                          spherical    a quaternion; v: angular, axes of M
//     revolute     angle about z                 planar       x, y in F, angle about z
//     prismatic    displacement along z          free         x, y, z in F, quaternion; v: linear in F, angular in M
//     screw        angle; z = pitch angle/2 pi   distance     none; keeps |p_FM| = length
//     cylindrical  displacement, angle           gear         none; q1 + ratio q2 constant
//     universal    angle about z of F, about x of M   rack_pinion  none; x_rack - radius angle_pinion constant
typedef enum br_joint_type {
    BR_JOINT_WELD = 0,
    BR_JOINT_REVOLUTE,
    BR_JOINT_PRISMATIC,
    BR_JOINT_SCREW,
    BR_JOINT_CYLINDRICAL,
    BR_JOINT_UNIVERSAL,
    BR_JOINT_SPHERICAL,
    BR_JOINT_PLANAR,
    BR_JOINT_FREE,
    BR_JOINT_DISTANCE,
    BR_JOINT_GEAR,
    BR_JOINT_RACK_PINION,
    BR_JOINT_TENDON,
    BR_JOINT_TYPES
} br_joint_type;

const char *br_joint_type_name(br_joint_type type);      // "revolute", ...
br_joint_type br_joint_type_from_name(const char *name); // BR_JOINT_TYPES when there is none of that name
int br_joint_type_velocities(br_joint_type type);        // v coordinates: 1 for revolute, 0 for gear
int br_joint_type_positions(br_joint_type type);         // q coordinates
int br_joint_type_turns(br_joint_type type);             // every coordinate is an angle or a rotation

typedef enum br_friction_law {
    BR_FRICTION_NONE = 0,
    BR_FRICTION_COULOMB,
    BR_FRICTION_SMOOTH,
    BR_FRICTION_DAHL,
    BR_FRICTION_LUGRE,
    BR_FRICTION_BRISTLE,
} br_friction_law;

const char *br_friction_law_name(br_friction_law law); // "none", "coulomb", ...

// How a joint rubs. The load N follows the joint's own reaction (force F and torque M in its frame, z its axis), or is given:
//
//     revolute     v = r omega    N = |F_xy| (or the ends of a bearing of length L) + (arm/r) |F_z|
//     prismatic    v along z      N = |F_xy| (or the ends of a guide of length L) + |M_z|/arm
//     cylindrical  (v, r omega)   N as a pin's; without a radius it turns freely
//     screw        along the thread, of radius r   N = |F_z|/cos(lead angle) + |F_xy|
//     universal    a pin about each axis, as revolute
//     spherical    v = r omega    N = |F|
//     planar       (v_x, v_y, arm omega)   N = |F_z|
//
// and the preload on top. r = pin_radius, L = guide_length, arm = friction_arm. Ends of a length L: n = F_xy/2 -+ (z x M)/L.
typedef struct br_friction_def {
    br_friction_law law;
    // smooth: piecewise (NULL), tanh, arctan, saturation, exponential, stribeck_smooth
    const char *shape;
    // mu_kinetic <= mu_static; 0 for one of them: as the other
    double mu_static, mu_kinetic;
    // smooth: m/s, 0: 1e-3
    double v_slope;
    // dahl, lugre, bristle: stiffness, 1/m; 0: 1e5 (bristle: rigid), INFINITY: rigid
    double sigma_0;
    // lugre: s/m, of the bristles, viscous
    double sigma_1, sigma_2;
    // lugre, exponential: m/s, 0: 1e-3
    double v_stribeck;
    // 0: 2
    double stribeck_exponent;
    // nonzero: the load is `load`, else it follows the joint's reaction
    int load_constant;
    // N; of a pin, ball or screw without pin_radius a torque, N m, and velocities above are in rad/s
    double load;
    // m
    double pin_radius, friction_arm, guide_length;
    // N
    double preload;
    // m/N, of the sliding direction while it sticks
    double compliance;
} br_friction_def;

// What a tendon runs over, in its order. Its length is the sum of the straight stretches between points and of the arcs around
// spheres and cylinders between two of them; of joints it is the sum of factor times coordinate.
typedef enum br_tendon_part {
    BR_TENDON_POINT = 0, // a point of a body that it passes, or ends at
    BR_TENDON_PULLEY,    // what follows, up to the next pulley, counts 1/factor of its length
    BR_TENDON_SPHERE,    // it goes around it where it would go through it, on the shorter way
    BR_TENDON_CYLINDER,  // z is its axis; as long as the tendon needs it
    BR_TENDON_JOINT,     // of tendons that are made of joints alone
} br_tendon_part;

typedef struct br_tendon_part_def {
    br_tendon_part kind;
    // a body, BR_WORLD, or a joint; pulley: NULL
    const char *of;
    // in the body's frame: the point; centre and axes of sphere and cylinder
    br_pose pose;
    // sphere, cylinder: m
    double radius;
    // sphere, cylinder: a body or BR_WORLD with the point `side`, on whose side it goes round; NULL: none. A point nearer to the
    // centre than the radius: it passes inside and is held there where it would leave
    const char *side_of;
    br_vec3 side;
    // joint: which of its velocity coordinates
    int coordinate;
    // joint: any number; pulley: > 0
    double factor;
} br_tendon_part_def;

typedef struct br_joint_def {
    const char *name;
    br_joint_type type;
    // bodies, or BR_WORLD. gear, rack_pinion: joints, or bodies that one joint carries. tendon: NULL
    const char *first, *second;
    // frame F in the first body's frame
    br_pose X_AF;
    // frame M in the second body's frame
    br_pose X_BM;
    // screw: m per turn
    double pitch;
    // distance: m, > 0; 0: the distance of the poses as given
    double length;
    // gear: q1 + ratio q2 = constant
    double ratio;
    // rack_pinion: m; first is the pinion, second the rack
    double radius;
    int has_position, has_velocity;
    // at the start; without it, what the bodies' poses give
    double position[BR_MAX_JOINT_Q];
    // at the start; without it, what the bodies' velocities give
    double velocity[BR_MAX_JOINT_V];
    // limits, -+INFINITY: none. Not for quaternions
    double lower[BR_MAX_JOINT_V], upper[BR_MAX_JOINT_V];
    // spring about `rest`. Not for quaternions
    double stiffness[BR_MAX_JOINT_V], rest[BR_MAX_JOINT_V];
    double damping[BR_MAX_JOINT_V];
    // inertia of what turns with the joint alone, a rotor: kg m^2 or kg
    double armature[BR_MAX_JOINT_V];
    // How much the joint gives under its own reaction: m/N along its forces, rad/(N m) about its torques. Decides how forces are
    // shared that rows leave open (redundancy: compliance); 0: rigid.
    double compliance_translation, compliance_rotation;
    br_friction_def friction;
    // [path_count] tendon: what it runs over
    const br_tendon_part_def *path;
    int path_count;
    // tendon: its spring has no force from rest to rest + slack, m
    double slack;
    // nonzero: never part of the spanning tree, so that imported models keep their coordinates
    int closes_loop;
} br_joint_def;

br_joint_def br_default_joint_def(void); // identity frames, no limits, no spring

// --- beams -------------------------------------------------------------------------------------------------

typedef enum br_section_shape {
    BR_SECTION_GIVEN = 0, // stiffnesses and masses as they are
    BR_SECTION_CIRCLE,    // size: radius
    BR_SECTION_TUBE,      // size: outer radius, inner radius
    BR_SECTION_RECTANGLE, // size: height along y, height along z
    BR_SECTION_I,         // size: height along y, width along z, web thickness, flange thickness
} br_section_shape;

// What a beam is made of. Section axes: x along the line, y and z across. EI_y resists bending about y, GA_z shear along z.
typedef struct br_section_def {
    br_section_shape shape;
    // m, see the shapes
    double size[4];
    // of the shapes: Pa, 1, kg/m^3
    double E, nu, density;
    // N; GA with the shear correction in it
    double EA, GA_y, GA_z;
    // N m^2
    double GJ, EI_y, EI_z;
    // kg/m
    double mass;
    // about the centre of mass, per length: kg m; x is the polar one; 0: mass EI/EA
    double inertia[3];
    // centre of mass from the line, m
    double offset_y, offset_z;
} br_section_def;

typedef enum br_line_kind {
    BR_LINE_POLYGON = 0, // straight from point to point, corners stay corners
    BR_LINE_ARC,         // the circular arc through three points
    BR_LINE_SPLINE,      // smooth through all points
} br_line_kind;

typedef struct br_attach_def {
    // 0 .. 1, fraction of the length
    double station;
    // body, BEAM.sX or BR_WORLD that the section is fixed to, as the poses are given
    const char *body;
} br_attach_def;

// A flexible beam, unstressed in its given shape. Each of its nodes is a body of the model, named BEAM.sX with X the
// station as a fraction (%g): joints, loads, clearances and other beams refer to it like to any body. A station that
// somebody names becomes a node. The node's frame is the section's: x along the line, origin on the line.
typedef struct br_beam_def {
    const char *name;
    br_line_kind line;
    // [point_count] world, m
    const br_vec3 *points;
    int point_count;
    // the section's z axis tends to it (its part across the line); zero: world z, or x for lines along z
    br_vec3 up;
    // rad, of the section about the line, growing evenly from start to end
    double twist;
    // at least 1; stations that are no nodes of the even mesh add some
    int elements;
    br_section_def section;
    // s: stress = C (strain + damping * rate)
    double damping;
    const br_attach_def *attach;
    int attach_count;
    // a rigid motion at the start
    int has_velocity;
    // of the beam's centre of mass, world axes, m/s
    br_vec3 velocity;
    br_vec3 angular_velocity;
} br_beam_def;

br_beam_def br_default_beam_def(void); // 10 elements, no damping

// --- clearance joints --------------------------------------------------------------------------------------

typedef enum br_clearance_type {
    BR_CLEARANCE_PLANAR = 0, // a pin in a hole, kept in its plane [BauchauJu2006 eqs. 1-7]
    BR_CLEARANCE_SPHERICAL,  // a ball in a socket
    BR_CLEARANCE_SPATIAL,    // a thin disk in a cylinder [BauchauJu2006 eqs. 8-18]
    BR_CLEARANCE_JOURNAL,    // two such disks, `length` apart [BauchauJu2006 fig. 4]
    BR_CLEARANCE_TYPES
} br_clearance_type;

const char *br_clearance_type_name(br_clearance_type type); // "planar", ...

typedef struct br_clearance_def {
    const char *name;
    br_clearance_type type;
    // outer race, inner race: bodies or BR_WORLD
    const char *first, *second;
    // frames of the races in their bodies; z is the axis
    br_pose X_AF, X_BM;
    // m, outer > inner > 0
    double outer_radius, inner_radius;
    // journal: m
    double length;
    // Contact: force of the depth d and its rate d'.
    // linear, hertz, hunt_crossley, lankarani_nikravesh, table
    const char *law;
    // N/m, N/m^exponent
    double stiffness;
    // linear, hertz: N s/m; hunt_crossley: s/m
    double damping;
    // 0: 1 for linear, 3/2 for the others
    double exponent;
    // lankarani_nikravesh: 0 .. 1
    double restitution;
    // [table_count] rising from (0, 0)
    const double *table_depth, *table_force;
    int table_count;
    // load and radii are the joint's own: not given here
    br_friction_def friction;
} br_clearance_def;

br_clearance_def br_default_clearance_def(void); // linear

// --- loads -------------------------------------------------------------------------------------------------

typedef enum br_load_type {
    BR_LOAD_FORCE = 0, // on `first`, at the point X_A.position
    BR_LOAD_TORQUE,    // on `first`
    BR_LOAD_SPRING,    // along the line between the points X_A.position and X_B.position
    BR_LOAD_BUSHING,   // six springs and dampers between the frames X_A and X_B
    BR_LOAD_TYPES
} br_load_type;

typedef struct br_load_def {
    const char *name;
    br_load_type type;
    // bodies or BR_WORLD; second for spring and bushing
    const char *first, *second;
    // in the frames of first and second
    br_pose X_A, X_B;
    // force, torque: components in the body's axes; else the world's
    int in_body_axes;
    // force (N) or torque (N m)
    br_function_def component[3];
    // spring: [0], N/m. bushing: translations x y z (N/m), rotations (N m/rad), axes of X_A
    double stiffness[6];
    // same order, N s/m and N m s/rad
    double damping[6];
    // spring: free length, m; < 0: the distance at the start
    double length;
} br_load_def;

br_load_def br_default_load_def(void);

// --- drives ------------------------------------------------------------------------------------------------

typedef enum br_drive_type {
    BR_DRIVE_EFFORT = 0, // torque or force `target`
    BR_DRIVE_VELOCITY, // joint velocity = target(q, t) [Peiret2016 eq. 2]; exact unless max_effort is finite
    BR_DRIVE_POSITION, // joint position = target(t), exact
    BR_DRIVE_SERVO,    // effort = stiffness (target - position) - damping velocity, within max_effort
    BR_DRIVE_TYPES
} br_drive_type;

typedef struct br_drive_def {
    const char *name;
    br_drive_type type;
    const char *joint;
    // which velocity coordinate of the joint, 0 for most
    int coordinate;
    // N or N m; m/s or rad/s; m or rad
    br_function_def target;
    double stiffness, damping;
    // > 0, INFINITY: none
    double max_effort;
} br_drive_def;

br_drive_def br_default_drive_def(void);

// --- linear constraints on velocities ----------------------------------------------------------------------

// One term of a constraint: coefficient times a joint's velocity, or times the velocity of a body's point along
// a direction.
typedef struct br_term_def {
    // either this ...
    const char *joint;
    int coordinate;
    // ... or this
    const char *body;
    // body frame
    br_vec3 point;
    // unit
    br_vec3 direction;
    // direction in world axes; else in the body's, as a blade or a wheel has it
    int in_world_axes;
    br_function_def coefficient;
} br_term_def;

// sum of terms = value: nonholonomic when it cannot be integrated; no position correction is made.
typedef struct br_constraint_def {
    const char *name;
    const br_term_def *terms;
    int term_count;
    // m/s or rad/s
    br_function_def value;
} br_constraint_def;

// --- sensors -----------------------------------------------------------------------------------------------

// What an instrument reads, as a channel of its own name: NAME, NAME.x .y .z or NAME.w .x .y .z. Of a frame on a body, in the axes of
// that frame unless said otherwise.
typedef enum br_sensor_type {
    BR_SENSOR_ACCELEROMETER = 0,    // of the point, less gravity
    BR_SENSOR_VELOCIMETER,          // linear velocity of the point
    BR_SENSOR_GYRO,                 // angular velocity
    BR_SENSOR_FORCE,                // that the body's joint transmits to it, with drives and springs
    BR_SENSOR_TORQUE,               // the same about the frame's origin
    BR_SENSOR_TOUCH,                // N: normal forces of contacts of the body in a zone about the frame
    BR_SENSOR_POSITION,             // of the origin, in world axes or in the other frame
    BR_SENSOR_ROTATION,             // quaternion, in the world or in the other frame
    BR_SENSOR_LINEAR_VELOCITY,      // world axes
    BR_SENSOR_ANGULAR_VELOCITY,     // world axes
    BR_SENSOR_LINEAR_ACCELERATION,  // world axes
    BR_SENSOR_ANGULAR_ACCELERATION, // world axes
    BR_SENSOR_JOINT_POSITION,       // factor times a joint's coordinate; of a tendon its length
    BR_SENSOR_JOINT_VELOCITY,
    BR_SENSOR_DRIVE_EFFORT, // factor times a drive's torque or force
    BR_SENSOR_TYPES
} br_sensor_type;

typedef struct br_sensor_def {
    const char *name;
    br_sensor_type type;
    // a body or BR_WORLD; of the others a joint or a drive
    const char *of;
    // the frame, in the body's
    br_pose pose;
    // position, rotation: seen from this frame of a body; NULL: from the world
    const char *from;
    br_pose from_pose;
    int coordinate;
    double factor;
    // touch: sphere, box, capsule, cylinder or ellipsoid about the frame
    br_shape_type zone;
    // its radius, half lengths, or radius and half length along z, m
    double size[3];
} br_sensor_def;

br_sensor_def br_default_sensor_def(void);

// --- materials ---------------------------------------------------------------------------------------------

// How two materials touch. The order of names is free.
typedef struct br_pair_def {
    const char *first, *second;
    // where the sliding speed at the step's start is at most v_threshold
    double mu_static;
    // elsewhere; <= mu_static
    double mu_kinetic;
    // 0 .. 1
    double restitution;
    // nonzero: of impulses (Poisson); else of velocities (Newton)
    int restitution_poisson;
    // k_T of two shapes in contact, shared by its points, N/m, INFINITY: rigid. Law bristle
    double bristle_stiffness;
    // N s/m, on the static phase of the bristles. Law bristle
    double bristle_damping;
    // m/s: static phase at or below it
    double v_threshold;
    // normal law; NULL: rigid; linear, hertz, hunt_crossley
    const char *compliance;
    // k: N/m (linear), N/m^exponent
    double compliance_stiffness;
    // linear: N s/m; hertz: N s/m; hunt_crossley: s/m, force k d^n (1 + damping d')
    double compliance_damping;
    // n of d^n, >= 1; 0: 1 for linear, 3/2 for the others
    double compliance_exponent;
    // m: resisting moment about tangents, of the normal force
    double rolling;
    // m: resisting moment about the normal, of the normal force
    double torsion;
} br_pair_def;

br_pair_def br_default_pair_def(void);

// --- settings ----------------------------------------------------------------------------------------------

typedef enum br_planar { BR_SPATIAL = 0, BR_PLANAR_XY, BR_PLANAR_XZ, BR_PLANAR_YZ } br_planar;

// The world axis that is not in the plane's name: z, y, x; zero for BR_SPATIAL. Angles of planar models count about it.
br_vec3 br_planar_normal(br_planar planar);

// How accelerations and reactions are solved for. Both give the same motion.
typedef enum br_coordinates {
    BR_REDUCED = 0, // joint coordinates along a spanning tree; rows only where loops close
    BR_ABSOLUTE,    // six velocities per body; every joint is rows
} br_coordinates;

typedef enum br_stepper {
    BR_STEPPER_CONTACT = 0, // fixed step, first order (theta 1) or second (theta 0.5)
    BR_STEPPER_IMPLICIT,    // generalized-alpha or energy-decaying, Newton's method; beams, clearances
    BR_STEPPER_REFERENCE,   // SUNDIALS, error controlled
    BR_STEPPER_KINEMATIC,   // positions from the drives alone, forces from the motion
    BR_STEPPERS
} br_stepper;

const char *br_stepper_name(br_stepper stepper);

// What a stepper does, for whoever would else have to know each by its name.
typedef struct br_stepper_traits {
    // By its own error control: solver.step is no more than the default distance of rows.
    int chooses_steps;
    // It takes solver.adaptive.
    int adapts;
    // A step is one problem of velocities and impulses: friction, contacts and limits are rows of it.
    int impulses;
    // Friction in joints is a function of velocity and bristles: nothing rests that could also slide.
    int smooth_friction;
    // Positions come from the drives alone.
    int prescribed;
    // What it does next depends on steps before the present state, so that a saved state is a new beginning.
    int remembers;
} br_stepper_traits;

// Of an unknown one: nothing.
const br_stepper_traits *br_stepper_traits_of(br_stepper stepper);

// What a law of contact friction does, for whoever would else have to know each by its name.
typedef struct br_contact_law_traits {
    // Coulomb's law: it holds up to mu N in every direction, and what slides is pushed against its slip.
    int coulomb;
    // What it holds deflects bristles, which have a stiffness and a phase of sliding.
    int bristles;
    // Its force is that of a speed: what it holds moves on. Its argument is the speed from which it is mu N.
    int creeps;
    // Its argument is the number of sides of a polygon.
    int sides;
    // Where its limit has corners, so that it prefers directions: what it is called, and how it does so. NULL: it has none.
    const char *corners, *bias;
} br_contact_law_traits;

// law: as br_settings.contact_law has it; what follows the word is not looked at. Of an unknown one: nothing.
const br_contact_law_traits *br_contact_law_traits_of(const char *law);

// How the implicit stepper chooses its steps, between `smallest` and solver.step. Each rule can be switched off.
typedef struct br_adaptive_settings {
    // nonzero: steps vary; zero: solver.step, halved only where Newton's method fails
    int on;
    // s; 0: 1e-6 of solver.step
    double smallest;
    // relative local error; 0: no rule
    double tolerance;
    // by nearness of contact [BauchauJu2006 eqs. 19-20]
    int contact;
    // m, characteristic penetration
    double epsilon_p;
    // of eq. 19
    double q_min, alpha;
    // by the time constant of LuGre [BauchauJu2006 eq. 33]
    int friction;
    double dtau_min, v_min, friction_alpha;
} br_adaptive_settings;

br_adaptive_settings
br_default_adaptive_settings(void); // off; every rule but `tolerance` on once it is switched on

typedef struct br_solver_settings {
    br_stepper stepper;
    // s
    double step;
    // 0.5 (second order) .. 1
    double theta;
    // position update with the old velocity [Peiret2016 eq. 7]
    int position_old;
    // rotation by Euler angles zxy (a setting of contact's `paper` preset)
    int rotation_euler;
    // residual of complementarity problems; reference: relative tolerance
    double tol;
    // 0: the method's own
    int max_iterations;
    // contact: what solves its contact problems; auto .. block_pivot ("pivoting" in a model file)
    br_solver_kind method;
    // contact with method auto: steps of Newton's method that the contact problems of one step may take; then the best found is taken,
    // and the judgement says so. 0: as many as it takes
    int max_work;
    // contact: a step in which rigid shapes meet, or a joint its limit, is taken in parts, so that blows leave the order of the step
    int split_events;
    // contact: diagonal of its contact problems times 1 + lcp_epsilon, which changes the forces [TanLiu sec. 5]. 0: none
    double lcp_epsilon;
    // contact with method lemke: multipliers of friction polygons, E and mu times step; forces stay [TanLiu sec. 5]
    int lcp_scale;
    // contact: how joint friction and the reactions it follows are brought together. 0: Newton's method; 1: fixed-point
    // iteration, which may diverge
    int friction_fixed_point;
    // s, reference: its integrator begins anew at every multiple of it; 0: never
    double restart;
    // implicit: 0 .. 1, how much of the highest frequencies a step keeps
    double rho_infinity;
    // implicit: the scheme whose energy cannot grow (default), 0: generalized-alpha
    int energy_decaying;
    // implicit
    br_adaptive_settings adaptive;
    // How forces are chosen that the rows leave open: compliance, pseudoinverse, eliminate(JOINT.ROW, ...). NULL: compliance
    // where a joint has one, else pseudoinverse
    const char *redundancy;
} br_solver_settings;

// What becomes of rigid shapes that start inside each other.
// Bodies that a joint connects: their shapes overlap around it more often than not.
typedef enum br_joined_bodies {
    BR_JOINED_APART = 0, // never touch
    BR_JOINED_MOVING,    // those of joints that close no loop never touch where both move, as MuJoCo has it
    BR_JOINED_TOUCH,     // touch as all others
} br_joined_bodies;

typedef enum br_start_penetration {
    BR_START_SETTLE = 0, // each contact keeps its depth as an offset of its gap, which shrinks as it opens
    BR_START_PUSH,       // they come out at up to 10 mm/s, or a hundredth of their size
    BR_START_REFUSE,     // deeper than a fiftieth of the smaller shape: an error
} br_start_penetration;

typedef struct br_settings {
    // of the model
    const char *name;
    // m/s^2
    br_vec3 gravity;
    br_planar planar;
    br_coordinates coordinates;
    br_solver_settings solver;
    // a word of docs/guide/laws.md, some with an argument: cone, polygon(8); NULL: bristle
    const char *contact_law;
    // implicit, lagged, iterated(k); NULL: implicit. Of laws bristle and box
    const char *contact_bounds;
    // the preset of [Peiret2016 eqs. 7, 21-31] as printed
    int contact_paper;
    // [contact_exclude_count] bodies (BR_WORLD: the ground) that never collide
    const char *const (*contact_exclude)[2];
    // bodies joined by a joint never do
    int contact_exclude_count;
    // [output_count] channel names, the default columns of a CSV file
    const char *const *outputs;
    int output_count;
    // s
    double until;
    // output interval, s; 0: solver.step
    double output;
    br_start_penetration start_penetration;
    // push: the speed at which shapes and joints come out, m/s (joints that turn: rad/s); 0: 10 mm/s, or a hundredth of the size in
    // a second, whichever is more
    double start_speed;
    br_joined_bodies contact_joined;
    // the largest error bar that is credible, of the size of what it is about; 0: none is asked for
    double check_error;
} br_settings;

br_settings br_default_settings(void); // gravity (0, 0, -9.81), reduced, contact, 1 ms, theta 0.5, until 1 s

// --- building ----------------------------------------------------------------------------------------------

typedef struct br_builder br_builder;
typedef struct br_model br_model;

br_status br_builder_create(const br_allocator *allocator, br_builder **out, br_error *error);
void br_builder_destroy(br_builder *builder); // accepts NULL

// Each checks its own fields at once (names, finite numbers, signs, inertias) and copies the definition.
// References between elements are checked by br_model_create, so that the order is free. error->path names the
// field, as "bodies/wheel/mass".
br_status br_builder_settings(br_builder *builder, const br_settings *settings, br_error *error);
br_status br_builder_body(br_builder *builder, const br_body_def *def, br_error *error);
br_status br_builder_ground(br_builder *builder, const br_shape_def *def, br_error *error);
br_status br_builder_joint(br_builder *builder, const br_joint_def *def, br_error *error);
br_status br_builder_beam(br_builder *builder, const br_beam_def *def, br_error *error);
br_status br_builder_clearance(br_builder *builder, const br_clearance_def *def, br_error *error);
br_status br_builder_load(br_builder *builder, const br_load_def *def, br_error *error);
br_status br_builder_drive(br_builder *builder, const br_drive_def *def, br_error *error);
br_status br_builder_constraint(br_builder *builder, const br_constraint_def *def, br_error *error);
br_status br_builder_sensor(br_builder *builder, const br_sensor_def *def, br_error *error);
br_status br_builder_material(br_builder *builder, const char *name, br_error *error);
br_status br_builder_pair(br_builder *builder, const br_pair_def *def, br_error *error);

// A line for br_model_notes: what a reader had to leave out.
br_status br_builder_note(br_builder *builder, const char *line, br_error *error);

// Sets def's X_AF and X_BM so that both frames coincide, at the bodies' poses as given, at a point of the world
// with z along axis_W and x along x_W (both may be NULL: z along the world's, for revolute and planar joints of planar
// models along the normal; x as br_tangent_basis, in planar models along the plane's normal where it can be). Settings
// come first where the model is planar. A joint without an axis (weld, spherical, free) takes the
// axes of its second body, which with_axis = NULL and x_W = NULL mean for those kinds.
br_status br_builder_place_joint(const br_builder *builder, br_joint_def *def, br_vec3 point_W,
                                 const br_vec3 *axis_W, const br_vec3 *x_W, br_error *error);

// The pose of a body as defined so far; BR_WORLD is the identity. 0 when there is none of that name.
int br_builder_pose(const br_builder *builder, const char *body, br_pose *X_WB);

// Validates the whole and compiles it. The builder is not changed and can be destroyed afterwards.
br_status br_model_create(const br_builder *builder, br_model **out, br_error *error);
void br_model_destroy(br_model *model); // accepts NULL

// --- looking at a model ------------------------------------------------------------------------------------

const char *br_model_name(const br_model *model);
const br_settings *br_model_settings(const br_model *model);
uint64_t br_model_hash(const br_model *model); // of everything that decides a result

int br_model_body_count(const br_model *model);
const char *br_model_body_name(const br_model *model, int body);
int br_model_body_find(const br_model *model, const char *name); // -1: none
double br_model_body_mass(const br_model *model, int body);

// Joints as written, in their order; a weld BEAM.attach_X per attachment of a beam and a joint NAME.plane per planar
// clearance of a spatial model; then one free (or planar) joint per body that no joint carries, named "BODY.free".
int br_model_joint_count(const br_model *model);
const char *br_model_joint_name(const br_model *model, int joint);
int br_model_joint_find(const br_model *model, const char *name);
br_joint_type br_model_joint_type(const br_model *model, int joint);
const br_friction_def *br_model_joint_friction(const br_model *model, int joint); // NULL: none
int br_model_joint_closes_loop(const br_model *model, int joint); // nonzero: not part of the spanning tree
int br_model_joint_q(const br_model *model, int joint); // first coordinate in q; -1 for a loop joint
int br_model_joint_v(const br_model *model, int joint); // first coordinate in v; -1 for a loop joint

// Beams as written. Their nodes are bodies, after those of the file, from start to end.
int br_model_beam_count(const br_model *model);
const char *br_model_beam_name(const br_model *model, int beam);
int br_model_beam_elements(const br_model *model, int beam);
double br_model_beam_length(const br_model *model, int beam); // m
int br_model_body_beam(const br_model *model, int body);      // the beam whose node it is; -1: none

// Clearances as written, but a journal is two, NAME.a and NAME.b.
int br_model_clearance_count(const br_model *model);
const char *br_model_clearance_name(const br_model *model, int clearance);
br_clearance_type br_model_clearance_type(const br_model *model, int clearance);

// Shapes of bodies in their order, then of the ground.
int br_model_shape_count(const br_model *model);
const char *br_model_shape_name(const br_model *model, int shape);
int br_model_shape_body(const br_model *model, int shape); // -1: the ground

// What creating the model had to say (bodies moved to fit their joint, materials that could touch and have no pair), one
// line each; "" when there is nothing.
const char *br_model_notes(const br_model *model);

// BR_INVALID, naming the element, for a model that holds what its stepper does not simulate: beams and clearances under
// any but the implicit one; shapes that may touch, and friction that jumps at rest in clearances or in several directions, under
// that; joint friction or shapes that may touch under the kinematic stepper, both together under the reference stepper; bounded
// motors under these two. `bristle check --matrix` prints all of it.
// Looking at such a model (check, dynamics) is possible, running it is not.
br_status br_model_runnable(const br_model *model, br_error *error);

#define BR_MAX_DROPPED_ELEMENT (2 * BR_MAX_NAME + 8)

// Something that a model says and its stepper does not follow.
typedef struct br_dropped {
    // "pair rubber/floor", "joint arm", "solver", "contact": the first that says it
    char element[BR_MAX_DROPPED_ELEMENT];
    // as the file has it: "bristle.stiffness"
    char key[BR_MAX_NAME];
    // of the model
    br_stepper stepper;
    // bit s: stepper s follows it
    unsigned followed;
    // nonzero: it is followed in part
    int in_part;
    // of the key, as br_error has it
    char path[BR_MAX_ERROR_PATH];
    // element, key, stepper, what happens instead and who follows it, in one line
    char text[BR_MAX_ERROR_TEXT];
} br_dropped;

// The k-th of them, from 0, of a model that runs; 0: there are no more. out may be NULL. A key at its default says nothing.
int br_model_dropped(const br_model *model, int index, br_dropped *out);

int br_model_nq(const br_model *model);
int br_model_nv(const br_model *model);

#ifdef __cplusplus
}
#endif

#endif
