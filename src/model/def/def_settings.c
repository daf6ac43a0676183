// What is not an element: br_settings with the solver's, and the keys of the top of a model file.
#include "model/def/field.h"

static const br_def_field contact_fields[] = {
    {"law", "Friction: bristle, cone, box, polygon(n) with n even from 4 to 64, viscous(v0) with v0 in m/s",
     offsetof(br_settings, contact_law), BR_FIELD_CALL, .calls = br_calls_contact_law, .assumed = "bristle",
     .hash = 3},
    {"bounds",
     "Where the friction bounds of bristle and box come from: implicit, lagged (the step before), "
     "iterated(k) with k from 1 to 1000",
     offsetof(br_settings, contact_bounds), BR_FIELD_CALL, .calls = br_calls_bounds, .assumed = "implicit",
     .hash = 4},
    {"paper",
     "The scheme as printed: lagged bounds, positions moved with the old velocity, rotation by Euler angles",
     offsetof(br_settings, contact_paper), BR_FIELD_BOOL, .flags = BR_FIELD_TRUTH, .hash = 6},
    {"exclude", "Bodies that never collide; world is the ground", .type = BR_FIELD_KEY,
     .form = "pairs_of_names"},
    {"joined",
     "Bodies that a joint connects: apart (they never touch; default), moving (only those that both move, of "
     "joints "
     "that close no loop, are kept apart: MuJoCo's rule), touch (as all others)",
     offsetof(br_settings, contact_joined), BR_FIELD_CHOICE, .words = br_words_joined,
     .flags = BR_FIELD_ADDED, .hash = 27},
};

const br_def br_def_contact = {"contact", NULL, sizeof(br_settings), contact_fields,
                               sizeof contact_fields / sizeof *contact_fields};

// Steps that vary. Each rule is a map, or off. low is the least that makes sense: below it no step is found, or a run of them has
// no end; every one is far below what rounding lets a step obey.
static const br_def_field near_fields[] = {
    {"epsilon_p", "Characteristic penetration, m; default 3e-6", offsetof(br_adaptive_settings, epsilon_p),
     BR_FIELD_NUMBER, BR_DIM_LENGTH, .usual = 3e-6, .low = 1e-12, .flags = BR_FIELD_ALWAYS_WRITTEN,
     .hash = 5},
    {"q_min", "Default 5", offsetof(br_adaptive_settings, q_min), BR_FIELD_NUMBER, BR_DIM_NONE, .usual = 5.0,
     .flags = BR_FIELD_ALWAYS_WRITTEN, .hash = 6},
    {"alpha", "Default 1.2", offsetof(br_adaptive_settings, alpha), BR_FIELD_NUMBER, BR_DIM_NONE,
     .usual = 1.2, .flags = BR_FIELD_ALWAYS_WRITTEN, .hash = 7},
};

static const br_def_field rub_fields[] = {
    {"dtau_min", "Default 0.02", offsetof(br_adaptive_settings, dtau_min), BR_FIELD_NUMBER, BR_DIM_NONE,
     .usual = 0.02, .low = 1e-9, .flags = BR_FIELD_ALWAYS_WRITTEN, .hash = 8},
    {"v_min", "Default 5", offsetof(br_adaptive_settings, v_min), BR_FIELD_NUMBER, BR_DIM_NONE, .usual = 5.0,
     .flags = BR_FIELD_ALWAYS_WRITTEN, .hash = 9},
    {"alpha", "Default 1.2", offsetof(br_adaptive_settings, friction_alpha), BR_FIELD_NUMBER, BR_DIM_NONE,
     .usual = 1.2, .flags = BR_FIELD_ALWAYS_WRITTEN, .hash = 10},
};

const br_def br_def_adaptive_contact = {"contact of adaptive", NULL, sizeof(br_adaptive_settings),
                                        near_fields, sizeof near_fields / sizeof *near_fields};
const br_def br_def_adaptive_friction = {"friction of adaptive", NULL, sizeof(br_adaptive_settings),
                                         rub_fields, sizeof rub_fields / sizeof *rub_fields};

static const br_def_field adaptive_fields[] = {
    {"smallest", "s; default: a millionth of step", offsetof(br_adaptive_settings, smallest), BR_FIELD_NUMBER,
     BR_DIM_TIME, .flags = BR_FIELD_ALWAYS_WRITTEN, .hash = 3},
    {"tolerance", "Relative local error of a step; default 0: no such rule",
     offsetof(br_adaptive_settings, tolerance), BR_FIELD_NUMBER, BR_DIM_NONE,
     .flags = BR_FIELD_ALWAYS_WRITTEN, .hash = 4},
    {NULL, NULL, offsetof(br_adaptive_settings, contact), BR_FIELD_BOOL, .usual = 1.0,
     .flags = BR_FIELD_TRUTH, .hash = 1},
    {"contact", "By nearness of contact in clearances [Bauchau and Ju 2006, eqs. 19-20]",
     .type = BR_FIELD_GROUP, .def = &br_def_adaptive_contact,
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_WRITTEN_BY_CODE, .form = "switch"},
    {NULL, NULL, offsetof(br_adaptive_settings, friction), BR_FIELD_BOOL, .usual = 1.0,
     .flags = BR_FIELD_TRUTH, .hash = 2},
    {"friction", "By the time constant of friction laws with a state [Bauchau and Ju 2006, eq. 33]",
     .type = BR_FIELD_GROUP, .def = &br_def_adaptive_friction,
     .flags = BR_FIELD_READ_BY_CODE | BR_FIELD_WRITTEN_BY_CODE, .form = "switch"},
};

const br_def br_def_adaptive = {"adaptive", NULL, sizeof(br_adaptive_settings), adaptive_fields,
                                sizeof adaptive_fields / sizeof *adaptive_fields};

static const br_def_field solver_fields[] = {
    {"stepper",
     "contact: fixed steps; implicit: beams and clearances; reference: error controlled; kinematic: motion "
     "from the drives alone",
     offsetof(br_solver_settings, stepper), BR_FIELD_CHOICE, .words = br_words_stepper,
     .flags = BR_FIELD_ALWAYS_WRITTEN, .hash = 9},
    {"step", "s; default 1 ms", offsetof(br_solver_settings, step), BR_FIELD_NUMBER, BR_DIM_TIME,
     .usual = 1e-3, .flags = BR_FIELD_ABOVE | BR_FIELD_ALWAYS_WRITTEN,
     .fault = "the step is {x} s, expected more than 0", .hash = 14},
    {"theta",
     "contact: 0.5 (second order) .. 1; default 0.5, and 1 with position_update: old or rotation: euler_zxy",
     offsetof(br_solver_settings, theta), BR_FIELD_NUMBER, BR_DIM_NONE, .usual = 0.5, .low = 0.5, .high = 1.0,
     .fault = "theta is {x}, expected 0.5 (second order) to 1", .hash = 15},
    {"position_update", "Velocity that moves the positions", offsetof(br_solver_settings, position_old),
     BR_FIELD_CHOICE, .words = br_words_position_update, .flags = BR_FIELD_WRITTEN_BY_CODE, .hash = 10},
    {"rotation", NULL, offsetof(br_solver_settings, rotation_euler), BR_FIELD_CHOICE,
     .words = br_words_rotation, .flags = BR_FIELD_WRITTEN_BY_CODE, .hash = 11},
    {"tol", "Residual of contact problems; reference: relative tolerance", offsetof(br_solver_settings, tol),
     BR_FIELD_NUMBER, BR_DIM_NONE, .usual = 1e-10, .high = 1.0, .flags = BR_FIELD_ABOVE | BR_FIELD_BELOW,
     .fault = "tol is {x}, expected between 0 and 1", .hash = 16},
    {"max_iterations", "0: the method's own", offsetof(br_solver_settings, max_iterations), BR_FIELD_WHOLE,
     .fault = "max_iterations is {x}, expected 0 or more", .hash = 12},
    {"max_work",
     "contact: Newton steps that the contact problems of a step may take (each solve of it one at least), "
     "for loops in real time; then "
     "the best found is taken and the run says so. Default 0: as many as it takes",
     offsetof(br_solver_settings, max_work), BR_FIELD_WHOLE, .flags = BR_FIELD_ADDED,
     .fault = "max_work is {x}, expected 0 or more", .hash = 29},
    {"events",
     "contact: split takes a step in parts where rigid shapes meet or a joint its limit, so that runs with "
     "blows are of second order; theta must be 0.5, and contact.bounds implicit",
     offsetof(br_solver_settings, split_events), BR_FIELD_CHOICE, .words = br_words_events,
     .flags = BR_FIELD_ADDED, .hash = 30},
    {"method",
     "contact: what solves its contact problems; auto falls back, the others stand alone. accelerated: "
     "sweeps, for large piles. pivoting [Judice and Pires] needs law bristle or box with bounds lagged or "
     "iterated(k); lemke those, law polygon(n) or box, or the "
     "plane",
     offsetof(br_solver_settings, method), BR_FIELD_CHOICE, .words = br_words_method, .flags = BR_FIELD_ADDED,
     .hash = 21},
    {"lcp_epsilon",
     "contact: diagonal of its contact problems times 1 + this [Tan, Siu, Liu, sec. 5]; forces change in "
     "proportion, contacts in stick creep; default 0",
     offsetof(br_solver_settings, lcp_epsilon), BR_FIELD_NUMBER, BR_DIM_NONE, .high = 1.0,
     .flags = BR_FIELD_ADDED, .fault = "lcp_epsilon is {x}, expected 0 to 1", .hash = 22},
    {"lcp_scale",
     "contact with method lemke: E and mu of friction polygons times step [Tan, Siu, Liu, sec. 5]; forces "
     "stay",
     offsetof(br_solver_settings, lcp_scale), BR_FIELD_BOOL, .flags = BR_FIELD_ADDED, .hash = 23},
    {"friction_loads",
     "contact: how joint friction and the reactions that it follows are found. fixed_point [Wojtyra 2017, "
     "sec. "
     "2.1] diverges where a reaction grows with friction faster than friction with it, and says so",
     offsetof(br_solver_settings, friction_fixed_point), BR_FIELD_CHOICE, .words = br_words_friction_loads,
     .flags = BR_FIELD_ADDED, .hash = 24},
    {"restart",
     "reference: the integrator begins anew at every multiple of it, s, and bristle resume repeats no more "
     "than that; 0: never",
     offsetof(br_solver_settings, restart), BR_FIELD_NUMBER, BR_DIM_TIME, .flags = BR_FIELD_ADDED,
     .fault = "restart is {x} s, expected 0 or more", .hash = 20},
    {"rho_infinity", "implicit: 0 .. 1, how much of the highest frequencies a step keeps; default 0.8",
     offsetof(br_solver_settings, rho_infinity), BR_FIELD_NUMBER, BR_DIM_NONE, .usual = 0.8, .high = 1.0,
     .fault = "rho_infinity is {x}, expected 0 to 1", .hash = 17},
    {"scheme", "implicit", offsetof(br_solver_settings, energy_decaying), BR_FIELD_CHOICE,
     .words = br_words_scheme, .usual = 1, .flags = BR_FIELD_WRITTEN_BY_CODE, .hash = 13},
    {"redundancy",
     "How forces are chosen that redundant rows leave open. eliminate(JOINT.ROW, ...): ROW is force.x|y|z, "
     "torque.x|y|z, friction or friction.K. Default: compliance where a joint has one, else pseudoinverse",
     offsetof(br_solver_settings, redundancy), BR_FIELD_CALL, .calls = br_calls_redundancy,
     .flags = BR_FIELD_WRITTEN_BY_CODE, .hash = 5},
    {"adaptive",
     "implicit: steps vary between smallest and step. off, on, or the rules, of which each may be off",
     offsetof(br_solver_settings, adaptive), BR_FIELD_STRUCT, .def = &br_def_adaptive,
     .flags = BR_FIELD_READ_BY_CODE, .form = "switch"},
};

const br_def br_def_solver = {"solver", "solver-setting", sizeof(br_solver_settings), solver_fields,
                              sizeof solver_fields / sizeof *solver_fields};

static const br_def_field run_fields[] = {
    {"until", "s; default 1", offsetof(br_settings, until), BR_FIELD_NUMBER, BR_DIM_TIME, .usual = 1.0,
     .flags = BR_FIELD_ALWAYS_WRITTEN, .fault = "the run ends at {x} s, expected 0 or more", .hash = 18},
    {"output", "Output interval, s; default: solver.step", offsetof(br_settings, output), BR_FIELD_NUMBER,
     BR_DIM_TIME, .fault = "the output interval is {x} s, expected 0 or more", .hash = 19},
};

const br_def br_def_run = {"run", "run-setting", sizeof(br_settings), run_fields,
                           sizeof run_fields / sizeof *run_fields};

static const br_def_field start_fields[] = {
    {"penetration",
     "Rigid shapes that start inside each other: settle (each contact keeps its depth, nothing moves; "
     "default), push (they come out at 10 "
     "mm/s or a hundredth of their size in a second), refuse",
     offsetof(br_settings, start_penetration), BR_FIELD_CHOICE, .words = br_words_start_penetration,
     .flags = BR_FIELD_ADDED, .hash = 25},
    {"speed",
     "push: how fast they come out, m/s (joints that turn: rad/s); default: 10 mm/s, or a hundredth of the "
     "size in a second",
     offsetof(br_settings, start_speed), BR_FIELD_NUMBER, BR_DIM_VELOCITY, .flags = BR_FIELD_ADDED,
     .fault = "the speed is {x} m/s, expected 0 or more", .hash = 28},
};

const br_def br_def_start = {"start", "start-setting", sizeof(br_settings), start_fields,
                             sizeof start_fields / sizeof *start_fields};

static const br_def_field check_fields[] = {
    {"error", "Largest credible error bar of run --error, part of a channel's size: 0.01, 1 %; default: none",
     offsetof(br_settings, check_error), BR_FIELD_NUMBER, BR_DIM_NONE, .flags = BR_FIELD_ADDED,
     .fault = "the largest credible error is {x}, expected 0 or more", .hash = 26},
};

const br_def br_def_checks = {"check", "check-setting", sizeof(br_settings), check_fields,
                              sizeof check_fields / sizeof *check_fields};

// The sections with elements are keys here; each has its own table.
static const br_def_field settings_fields[] = {
    {"format", "The version of the format: 1", .type = BR_FIELD_KEY, .form = "format",
     .flags = BR_FIELD_NEEDED},
    {"name", "Of the model; default: of the file", offsetof(br_settings, name), BR_FIELD_TEXT, .hash = 2},
    {"units", NULL, .type = BR_FIELD_KEY, .form = "units"},
    {"params",
     "Numbers to be used as $name anywhere, and changed with --set name=value. Each may use the others, or "
     "be a "
     "distribution, {normal: [0.15, 0.02]}, that bristle sweep draws from, or a number with bounds for "
     "bristle fit, "
     "{value: 0.3, from: 0.1, to: 1, source: measured}",
     .type = BR_FIELD_KEY, .form = "params"},
    {"gravity", "m/s^2; default [0, 0, -9.81]", offsetof(br_settings, gravity), BR_FIELD_VECTOR,
     BR_DIM_ACCELERATION, .hash = 1},
    {"planar", "All motion is in this plane", offsetof(br_settings, planar), BR_FIELD_CHOICE,
     .words = br_words_plane, .base = BR_PLANAR_XY, .hash = 7},
    {"coordinates", "How the equations are set up; the results are the same",
     offsetof(br_settings, coordinates), BR_FIELD_CHOICE, .words = br_words_coordinates, .hash = 8},
    {"materials", "Names of materials", .type = BR_FIELD_KEY, .form = "materials"},
    {"pairs", "Friction and contact of two materials, A/B in any order", .type = BR_FIELD_KEY,
     .form = "pairs"},
    {"bodies", "Bodies by name", .type = BR_FIELD_KEY, .form = "bodies"},
    {"ground", "Shapes fixed to the world", .type = BR_FIELD_KEY, .form = "ground"},
    {"joints",
     "Joints by name: KIND: [first body, second body]. One that was imported is changed without its kind",
     .type = BR_FIELD_KEY, .form = "joints"},
    {"loads", "Forces, torques, springs and bushings by name", .type = BR_FIELD_KEY, .form = "loads"},
    {"drives", "Motors, servos and prescribed motion by name", .type = BR_FIELD_KEY, .form = "drives"},
    {"controls",
     "A table beside the model, FILE.csv with the columns t,DRIVE,...: targets of drives over time, straight "
     "between rows",
     .type = BR_FIELD_KEY, .form = "control_file"},
    {"constraints", "Linear constraints on velocities by name", .type = BR_FIELD_KEY, .form = "constraints"},
    {"contact", NULL, .type = BR_FIELD_GROUP, .def = &br_def_contact, .flags = BR_FIELD_READ_BY_CODE},
    {"solver", NULL, offsetof(br_settings, solver), BR_FIELD_GROUP, .def = &br_def_solver,
     .flags = BR_FIELD_READ_BY_CODE},
    {"run", NULL, .type = BR_FIELD_GROUP, .def = &br_def_run, .flags = BR_FIELD_READ_BY_CODE},
    {"start", NULL, .type = BR_FIELD_GROUP, .def = &br_def_start, .flags = BR_FIELD_READ_BY_CODE},
    {"check", NULL, .type = BR_FIELD_GROUP, .def = &br_def_checks, .flags = BR_FIELD_READ_BY_CODE},
    {"outputs", "Channels for --csv, as hinge.position, wheel.velocity.x, energy.total", .type = BR_FIELD_KEY,
     .form = "names"},
    {"beams",
     "Flexible beams by name. BEAM.sX, X a fraction of the length, is a body wherever bodies are named",
     .type = BR_FIELD_KEY, .form = "beams"},
    {"sensors", "What instruments read, as channels of their own name: {KIND: BODY.FRAME}",
     .type = BR_FIELD_KEY, .form = "sensors"},
    {"clearances", "Joints with play by name: KIND: [body of the outer race, body of the inner race]",
     .type = BR_FIELD_KEY, .form = "clearances"},
    {"import",
     "A model of another program, MJCF (.xml) or URDF, whose definitions come before those of this file",
     .type = BR_FIELD_KEY, .form = "imports"},
};

const br_def br_def_settings = {"the model", NULL, sizeof(br_settings), settings_fields,
                                sizeof settings_fields / sizeof *settings_fields};
