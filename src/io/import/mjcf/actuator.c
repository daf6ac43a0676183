// MJCF actuators. Each makes a force of its control u, its length L and its speed,
//
//     f = (gain_0 + gain_1 L + gain_2 L') u + bias_0 + bias_1 L + bias_2 L',      L = gear q, or gear times a tendon's length
//
// within forcerange, and effort = gear f. Controls are constant here: those of the keyframe, else zero, within ctrlrange. So f
// is a constant, a spring and a damper: an effort or a servo, to which a model that imports the file can give other targets.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mjcf/muscle.h"
#include "io/import/mjcf/tendon.h"

static const char crank[] = "goes with slider-cranks", state[] = "states are functions of time here";
static const mjcf_known actuator_known[] = {
    {"name", MJCF_USED, 0},
    {"class", MJCF_USED, 0},
    {"group", MJCF_USED, 0},
    {"user", BR_IMPORT_LOOKS, "user data is not read"},
    {"joint", MJCF_USED, 0},
    {"jointinparent", MJCF_USED, 0},
    {"tendon", MJCF_USED, 0},
    {"gear", MJCF_USED, 0},
    {"kp", MJCF_USED, 0},
    {"kv", MJCF_USED, 0},
    {"dampratio", MJCF_USED, 0},
    {"inheritrange", MJCF_USED, 0},
    {"gainprm", MJCF_USED, 0},
    {"biasprm", MJCF_USED, 0},
    {"gaintype", MJCF_USED, 0},
    {"biastype", MJCF_USED, 0},
    {"dyntype", MJCF_USED, 0},
    {"dynprm", MJCF_USED, 0},
    {"forcerange", MJCF_USED, 0},
    {"forcelimited", MJCF_USED, 0},
    {"ctrlrange", MJCF_USED, 0},
    {"ctrllimited", MJCF_USED, 0},
    {"lengthrange", MJCF_USED, 0},
    {"range", MJCF_USED, 0}, // of muscles
    {"force", MJCF_USED, 0},
    {"scale", MJCF_USED, 0},
    {"lmin", MJCF_USED, 0},
    {"lmax", MJCF_USED, 0},
    {"vmax", MJCF_USED, 0},
    {"fpmax", MJCF_USED, 0},
    {"fvmax", MJCF_USED, 0},
    {"tausmooth", MJCF_USED, 0},
    {"cranklength", BR_IMPORT_NUMERICS, crank},
    {"timeconst", MJCF_USED, 0},
    {"area", MJCF_USED, 0},
    {"diameter", MJCF_USED, 0},
    {"bias", MJCF_USED, 0},
    {"actdim", BR_IMPORT_NUMERICS, state},
    {"actlimited", MJCF_USED, 0},
    {"actrange", MJCF_USED, 0},
    {"actearly", BR_IMPORT_NUMERICS, state},
    {"nsample", BR_IMPORT_NUMERICS, state},
    {"interp", BR_IMPORT_NUMERICS, state},
    {"delay", BR_IMPORT_MOTION, "actuators act without delay"},
    {"damping", BR_IMPORT_MOTION, "give the joint a damping, or kv"},
    {"armature", BR_IMPORT_MOTION, "give the joint an armature"},
    {"site", MJCF_USED, 0},
    {"refsite", MJCF_USED, 0}, // from here on noted as a whole
    {"body", MJCF_USED, 0},
    {"cranksite", MJCF_USED, 0},
    {"slidersite", MJCF_USED, 0},
    {NULL, 0, NULL},
};

typedef struct law {
    double gain[3], bias[3];
    double ratio;                      // of damping to the critical one; 0: bias says it
    int dynamic, gain_type, bias_type; // as in the lists of read_general
    double delay;                      // s, of filters
    int represented;                   // 0: a kind that is not
    mjcf_muscle muscle;                // its numbers, where it is one
} law;

enum {
    DYNAMICS_NONE = 0,
    DYNAMICS_FILTER,
    DYNAMICS_FILTEREXACT,
    DYNAMICS_INTEGRATOR,
    DYNAMICS_MUSCLE
};                       // as in the list of read_general
enum { LAW_MUSCLE = 2 }; // of gains and biases there

static br_status read_range(const mjcf *m, mjcf_element e, const char *flag, const char *name,
                            double range[2], int *limited);

// ----------------------------------------------------------------------------------------------------------- laws

// Actuators of every kind are one to MuJoCo: a kind sets some of its numbers, the others stay what the defaults made of them, whatever
// their kinds. Each of these takes what stands at one node alone.
// Up to ten numbers, as MuJoCo takes them, of which the first `used` mean something; those that are not given stay.
static br_status read_long(mjcf *m, mjcf_element own, const char *name, int used, double *out) {
    double all[10] = {0.0};
    memcpy(all, out, (size_t)used * sizeof *all);
    const br_status status = br_mjcf_numbers(m, own, name, 1, 10, all, NULL);
    if (status == BR_OK) memcpy(out, all, (size_t)used * sizeof *all);
    return status;
}

static br_status read_general(mjcf *m, mjcf_element own, law *l) {
    static const char *const dynamics[] = {"none",   "filter", "filterexact", "integrator",
                                           "muscle", "user",   "dcmotor"};
    static const char *const gains[] = {"fixed", "affine", "muscle", "user", "dcmotor"};
    static const char *const biases[] = {"none", "affine", "muscle", "user", "dcmotor"};
    double gain[10] = {l->gain[0], l->gain[1], l->gain[2]}, bias[10] = {l->bias[0], l->bias[1], l->bias[2]};
    int biased = 0;
    br_status status = br_mjcf_word(m, own, "dyntype", dynamics, 7, &l->dynamic);
    if (status == BR_OK) status = br_mjcf_word(m, own, "gaintype", gains, 5, &l->gain_type);
    if (status == BR_OK) status = br_mjcf_word(m, own, "biastype", biases, 5, &l->bias_type);
    if (status == BR_OK) status = br_mjcf_numbers(m, own, "gainprm", 1, 10, gain, NULL);
    if (status == BR_OK) status = br_mjcf_numbers(m, own, "biasprm", 1, 10, bias, &biased);
    double dynamic[10] = {l->delay};
    if (status == BR_OK) status = br_mjcf_numbers(m, own, "dynprm", 1, 10, dynamic, NULL);
    l->delay = dynamic[0];
    memcpy(l->gain, gain, sizeof l->gain);
    memcpy(l->bias, bias, sizeof l->bias);
    if (biased > 2) l->ratio = 0.0;
    if (status == BR_OK) status = read_long(m, own, "gainprm", 9, l->muscle.gain);
    if (status == BR_OK) status = read_long(m, own, "biasprm", 9, l->muscle.bias);
    if (status == BR_OK) status = read_long(m, own, "dynprm", 3, l->muscle.tau);
    return status;
}

static br_status check_position(const mjcf *m, const io_xml_node *node, double kp, double kv, double ratio,
                                int both) {
    if (kp < 0.0 || kv < 0.0 || ratio < 0.0)
        return br_mjcf_fail(m, node, "mjcf-range", "<%.40s> %s is negative, expected >= 0", node->name,
                            kp < 0.0   ? "kp"
                            : kv < 0.0 ? "kv"
                                       : "dampratio");
    if (both && kv > 0.0 && ratio > 0.0)
        return br_mjcf_fail(m, node, "mjcf-structure", "<%.40s> has both kv and dampratio, expected one",
                            node->name);
    return BR_OK;
}

// kp where it is not given is the gain of the defaults; kv and dampratio are one number.
static br_status read_position(mjcf *m, mjcf_element own, law *l) {
    double kp = l->gain[0], kv = 0.0, ratio = 0.0;
    int has_kv = 0, has_ratio = 0;
    br_status status = br_mjcf_number(m, own, "kp", &kp);
    if (status == BR_OK) status = br_mjcf_numbers(m, own, "kv", 1, 1, &kv, &has_kv);
    if (status == BR_OK) status = br_mjcf_numbers(m, own, "dampratio", 1, 1, &ratio, &has_ratio);
    if (status == BR_OK) status = check_position(m, own.node, kp, kv, ratio, has_kv && has_ratio);
    l->gain[0] = kp, l->bias[1] = -kp;
    if (has_kv) l->bias[2] = -kv, l->ratio = 0.0;
    if (has_ratio && !(has_kv && kv > 0.0)) l->bias[2] = 0.0, l->ratio = ratio;
    l->gain_type = 0, l->bias_type = 1;
    double delay = 0.0;
    if (status == BR_OK) status = br_mjcf_number(m, own, "timeconst", &delay);
    if (delay > 0.0) l->dynamic = DYNAMICS_FILTEREXACT, l->delay = delay;
    return status;
}

// A position servo whose control is a speed.
static br_status read_integrated(mjcf *m, mjcf_element own, law *l) {
    const br_status status = read_position(m, own, l);
    l->dynamic = DYNAMICS_INTEGRATOR;
    return status;
}

static br_status read_cylinder(mjcf *m, mjcf_element own, law *l) {
    double diameter = 0.0;
    int has_diameter = 0;
    l->dynamic = DYNAMICS_FILTER, l->gain_type = 0, l->bias_type = 1, l->ratio = 0.0;
    br_status status = br_mjcf_number(m, own, "timeconst", &l->delay);
    if (status == BR_OK) status = br_mjcf_number(m, own, "area", &l->gain[0]);
    if (status == BR_OK) status = br_mjcf_numbers(m, own, "diameter", 1, 1, &diameter, &has_diameter);
    if (status == BR_OK) status = br_mjcf_numbers(m, own, "bias", 3, 3, l->bias, NULL);
    if (has_diameter) l->gain[0] = 0.25 * BR_PI * diameter * diameter;
    return status;
}

static br_status read_speed(mjcf *m, mjcf_element own, int damper, law *l) {
    double kv = damper ? 0.0 : l->gain[0];
    br_status status = br_mjcf_number(m, own, "kv", &kv);
    if (status == BR_OK) status = check_position(m, own.node, 0.0, kv, 0.0, 0);
    const double none[3] = {0.0, 0.0, 0.0};
    memcpy(l->bias, none, sizeof none);
    if (damper) memcpy(l->gain, none, sizeof none);
    l->ratio = 0.0;
    if (damper)
        l->gain[2] = -kv;
    else
        l->gain[0] = kv, l->bias[2] = -kv;
    l->gain_type = damper, l->bias_type = !damper;
    return status;
}

static br_status read_kind(mjcf *m, const io_xml_node *node, law *l) {
    const mjcf_element own = {node, -1};
    if (strcmp(node->name, "muscle") == 0) {
        l->dynamic = DYNAMICS_MUSCLE, l->gain_type = l->bias_type = LAW_MUSCLE, l->ratio = 0.0;
        return br_mjcf_read_muscle(m, own, &l->muscle);
    }
    if (strcmp(node->name, "general") == 0) return read_general(m, own, l);
    if (strcmp(node->name, "position") == 0) return read_position(m, own, l);
    if (strcmp(node->name, "velocity") == 0) return read_speed(m, own, 0, l);
    if (strcmp(node->name, "damper") == 0) return read_speed(m, own, 1, l);
    if (strcmp(node->name, "intvelocity") == 0) return read_integrated(m, own, l);
    if (strcmp(node->name, "cylinder") == 0) return read_cylinder(m, own, l);
    if (strcmp(node->name, "motor") == 0)
        *l = (law){.gain = {1.0, 0.0, 0.0}, .delay = 1.0, .muscle = br_mjcf_muscle_usual()};
    return BR_OK;
}

static int has_law(const char *kind) {
    static const char *const kinds[] = {"general", "position", "velocity",    "damper",
                                        "motor",   "cylinder", "intvelocity", "muscle"};
    int known = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) known |= strcmp(kind, kinds[k]) == 0;
    return known;
}

// The defaults of a class: its parents' first, its own in the order in which they stand.
static br_status read_defaults(mjcf *m, int class, law *l) {
    const mjcf_default *order[MJCF_MAX_DEFAULTS];
    int count = 0;
    br_status status = class >= 0 ? read_defaults(m, m->class[class].parent, l) : BR_OK;
    for (const mjcf_default *d = class >= 0 ? m->class[class].newest : NULL; d && count < MJCF_MAX_DEFAULTS;
         d = d->next)
        order[count++] = d;
    while (status == BR_OK && count-- > 0)
        for (const io_xml_node *c = order[count]->node->first; status == BR_OK && c; c = c->next)
            status = read_kind(m, c, l);
    return status;
}

static br_status read_law(mjcf *m, mjcf_element e, law *l) {
    *l = (law){.gain = {1.0, 0.0, 0.0}, .delay = 1.0, .muscle = br_mjcf_muscle_usual()};
    br_status status = read_defaults(m, e.class, l);
    if (status == BR_OK) status = read_kind(m, e.node, l);
    if (status != BR_OK) return status;
    l->represented =
        has_law(e.node->name) && l->dynamic <= DYNAMICS_INTEGRATOR && l->gain_type <= 1 && l->bias_type <= 1;
    if (l->gain_type == 0) l->gain[1] = l->gain[2] = 0.0;
    if (l->bias_type == 0) l->bias[0] = l->bias[1] = l->bias[2] = l->ratio = 0.0;
    return BR_OK;
}

// The state as a function of time, which it is while the control stays as it is:
//
//     filter          a' = (u - a)/delay          a = u + (a_0 - u) e^(-t/delay)
//     integrator      a' = u, within actrange     a = a_0 + u t
static br_status state_of(mjcf *m, mjcf_element e, const law *l, double u, double start, const char **out) {
    double range[2] = {0.0, 0.0};
    int limited;
    char text[256];
    br_status status = read_range(m, e, "actlimited", "actrange", range, &limited);
    if (status != BR_OK) return status;
    if (l->dynamic == DYNAMICS_INTEGRATOR && limited)
        snprintf(text, sizeof text, "max(%.17g, min(%.17g, %.17g + (%.17g)*t))", range[0], range[1], start,
                 u);
    else if (l->dynamic == DYNAMICS_INTEGRATOR)
        snprintf(text, sizeof text, "(%.17g + (%.17g)*t)", start, u);
    else if (l->delay > 0.0)
        snprintf(text, sizeof text, "(%.17g + (%.17g)*exp(-t/%.17g))", u, start - u, l->delay);
    else
        snprintf(text, sizeof text, "%.17g", u);
    char whole[400];
    snprintf(whole, sizeof whole, "(%.17g + (%.17g)*%s)", l->bias[0], l->gain[0], text);
    *out = br_copy_text(&m->arena, whole);
    if (!*out) return br_mjcf_no_memory(m);
    return br_mjcf_note(m, e.node, NULL, BR_IMPORT_NUMERICS,
                        "its state is a function of time, that of its control here; a control that is set "
                        "later acts without delay");
}

static br_status make_composites(mjcf *m) {
    m->composite = BR_TAKE(&m->arena, mjcf_composite, m->bodies);
    if (!m->composite) return br_mjcf_no_memory(m);
    for (int k = m->bodies - 1; k >= 0; k--) { // children come after their parents
        const mjcf_body *b = &m->body[k];
        mjcf_composite *c = &m->composite[k];
        const br_vec3 com = br_pose_point(b->X_WB_ref, b->com);
        c->mass += b->mass;
        c->moment = br_vec3_add_scaled(c->moment, b->mass, com);
        c->inertia =
            br_sym3_add(c->inertia, br_sym3_rotate(br_quat_to_mat3(b->X_WB_ref.rotation), b->inertia));
        c->inertia = br_sym3_add(c->inertia, br_sym3_scale(b->mass, br_sym3_of_point(com)));
        if (b->parent < 0) continue;
        mjcf_composite *p = &m->composite[b->parent];
        p->mass += c->mass;
        p->moment = br_vec3_add(p->moment, c->moment);
        p->inertia = br_sym3_add(p->inertia, c->inertia);
    }
    return BR_OK;
}

// The mass that a joint moves when all others rest, as the model is written: a diagonal entry of the mass matrix at qpos0.
// About an axis through p it is n.I n - 2 (n x p).(n x moment) + mass |n x p|^2.
static double moved_by(const mjcf *m, int joint) {
    const mjcf_joint *j = &m->joint[joint];
    const mjcf_composite *c = &m->composite[j->body];
    const br_pose X_WJ = m->body[j->body].X_WB_ref;
    const br_vec3 n = br_quat_rotate(X_WJ.rotation, j->axis), p = br_pose_point(X_WJ, j->point);
    if (j->type == MJCF_SLIDE) return j->armature + c->mass;
    const br_vec3 np = br_vec3_cross(n, p);
    return j->armature + br_vec3_dot(n, br_mat3_mul_vec(br_sym3_to_mat3(c->inertia), n)) -
           2.0 * br_vec3_dot(np, br_vec3_cross(n, c->moment)) + c->mass * br_vec3_dot(np, np);
}

static br_status set_ratio(mjcf *m, const mjcf_term *term, int terms, law *l) {
    double mass = 0.0;
    if (!(l->ratio > 0.0)) return BR_OK;
    const br_status status = m->composite ? BR_OK : make_composites(m);
    for (int k = 0; k < terms && status == BR_OK; k++) {
        const double square = term[k].coefficient * term[k].coefficient;
        if (square > 1e-15) mass += moved_by(m, term[k].joint) / square; // MuJoCo's smallest number
    }
    l->bias[2] = -l->ratio * 2.0 * sqrt(-l->bias[1] * mass);
    return status;
}

// -------------------------------------------------------------------------------------------------------- controls

// A range that counts, by its own flag or because it is given.
static br_status read_range(const mjcf *m, mjcf_element e, const char *flag, const char *name,
                            double range[2], int *limited) {
    int asked = 2, count;
    br_status status = br_mjcf_flag(m, e, flag, 1, &asked);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, name, 2, 2, range, &count);
    if (status != BR_OK) return status;
    *limited = asked == 1 ||
               (asked == 2 && br_mjcf_scope(m, e.node)->auto_limits && count > 0 && range[0] != range[1]);
    if (*limited && !(range[0] <= range[1]))
        return br_mjcf_fail(m, e.node, "mjcf-range",
                            "<%.40s> %s is %g to %g, expected the smaller number first", e.node->name, name,
                            range[0], range[1]);
    return BR_OK;
}

static br_status read_control(const mjcf *m, mjcf_element e, int index, int joint, double *u) {
    double range[2] = {0.0, 0.0}, inherit = 0.0;
    int limited;
    br_status status = read_range(m, e, "ctrllimited", "ctrlrange", range, &limited);
    if (status == BR_OK) status = br_mjcf_number(m, e, "inheritrange", &inherit);
    if (status != BR_OK) return status;
    if (inherit > 0.0 && joint >= 0 && isfinite(m->joint[joint].lower)) {
        const mjcf_joint *j = &m->joint[joint];
        const double middle = 0.5 * (j->lower + j->upper), half = 0.5 * (j->upper - j->lower);
        range[0] = middle - inherit * half, range[1] = middle + inherit * half;
        limited = 1;
    }
    *u = index < m->controls ? m->control[index] : 0.0;
    if (limited && !m->clamp_off) *u = fmax(range[0], fmin(range[1], *u));
    return BR_OK;
}

// ----------------------------------------------------------------------------------------------------------- drives

static br_status add_drive(mjcf *m, const io_xml_node *node, br_drive_def *def, const char *wish) {
    br_status status = br_mjcf_free_name(m, &m->drive_names, wish, &def->name);
    if (status == BR_OK) status = br_mjcf_placed(m, node, br_builder_drive(m->builder, def, m->error));
    return status == BR_OK ? br_mjcf_place(m, "drives", def->name, node) : status;
}

// What an actuator acts on: a joint of one coordinate, or a tendon.
typedef struct acted_on {
    const char *joint;        // by its name here
    const mjcf_joint *limits; // whose actuators together have a limit; NULL: of none
    double gear;
} acted_on;

// What a servo's effort stays within: forcerange, and, where it is the joint's only actuator, actuatorfrcrange.
static br_status limit_of(mjcf *m, const io_xml_node *node, const mjcf_force *f, const acted_on *on,
                          double *out) {
    const mjcf_joint *j = on->limits;
    const double g = fabs(on->gear), own = g * fmax(fabs(f->low), fabs(f->high));
    double all = INFINITY;
    br_status status = BR_OK;
    *out = own;
    if (isfinite(f->low) && f->low != -f->high)
        status =
            br_mjcf_note(m, node, "forcerange", BR_IMPORT_MOTION, "the limit is the same in both directions");
    if (status != BR_OK || !j || j->actuators > 1 || !isfinite(j->effort_low)) return status;
    all = fmax(fabs(j->effort_low), fabs(j->effort_high));
    *out = fmin(own, all);
    if (j->effort_low != -j->effort_high && all < own)
        status = br_mjcf_note(m, j->node, "actuatorfrcrange", BR_IMPORT_MOTION,
                              "the limit is the same in both directions");
    return status;
}

// factor times the constant, or the function of time that stands for it, within low and high; own: within the force's own limits first.
static br_function_def target_of(const mjcf_force *f, double factor, int own, double low, double high,
                                 double constant, char room[MJCF_EXPRESSION]) {
    br_function_def out = br_function_constant(fmax(low, fmin(high, factor * constant)));
    const int inner = own && isfinite(f->low), outer = isfinite(low);
    char begin[80] = "", end[80] = "", first[80] = "", last[80] = "";
    if (!f->text) return out;
    if (inner)
        snprintf(begin, sizeof begin, "max(%.17g, min(%.17g, ", f->low, f->high),
            snprintf(end, sizeof end, "))");
    if (outer)
        snprintf(first, sizeof first, "max(%.17g, min(%.17g, ", low, high), snprintf(last, sizeof last, "))");
    snprintf(room, MJCF_EXPRESSION, "%s%.17g*%s%s%s%s", first, factor, begin, f->text, end, last);
    out.kind = BR_FUNCTION_EXPRESSION;
    out.expression = room;
    return out;
}

// A force without spring and damper.
static br_status drive_effort(mjcf *m, const io_xml_node *node, const acted_on *on, const mjcf_force *f,
                              const char *wish) {
    const mjcf_joint *j = on->limits && on->limits->actuators <= 1 ? on->limits : NULL;
    const double low = j ? j->effort_low : -INFINITY, high = j ? j->effort_high : INFINITY;
    const double constant = fmax(f->low, fmin(f->high, f->constant));
    const double own = fabs(on->gear) * fmax(fabs(f->low), fabs(f->high)),
                 most = fmin(own, fmax(fabs(low), fabs(high)));
    char room[MJCF_EXPRESSION];
    br_drive_def def = br_default_drive_def();
    def.joint = on->joint;
    def.type = BR_DRIVE_EFFORT;
    def.target = target_of(f, on->gear, 1, low, high, constant, room);
    if (most > 0.0) def.max_effort = most; // for another target
    return add_drive(m, node, &def, wish);
}

// A servo of a tendon that may pull and not push, or the other way, with other limits for the two: as one expression.
static br_status drive_one_way(mjcf *m, const io_xml_node *node, const acted_on *on, const mjcf_force *f,
                               const char *wish) {
    char force[MJCF_EXPRESSION], constant[80];
    br_drive_def def = br_default_drive_def();
    snprintf(constant, sizeof constant, "%.17g", f->constant);
    snprintf(force, sizeof force,
             "%.17g*max(%.17g, min(%.17g, %s - %.17g*'%s'.position - %.17g*'%s'.velocity))", on->gear, f->low,
             f->high, f->text ? f->text : constant, f->stiffness * on->gear, on->joint, f->damping * on->gear,
             on->joint);
    def.joint = on->joint;
    def.type = BR_DRIVE_EFFORT;
    def.target = br_function_constant(0.0);
    def.target.kind = BR_FUNCTION_EXPRESSION;
    def.target.expression = force;
    const br_status status = add_drive(m, node, &def, wish);
    return status == BR_OK ? br_mjcf_note(m, node, "forcerange", BR_IMPORT_NUMERICS,
                                          "its limits differ, so that it is an expression; a control that is "
                                          "set later is the force")
                           : status;
}

static br_status drive_joint(mjcf *m, const io_xml_node *node, const acted_on *on, const mjcf_force *f,
                             const char *wish) {
    const double g = on->gear, constant = fmax(f->low, fmin(f->high, f->constant));
    br_drive_def def = br_default_drive_def();
    br_status status = BR_OK;
    def.joint = on->joint;
    char room[MJCF_EXPRESSION];
    def.stiffness = f->stiffness * g * g;
    def.damping = f->damping * g * g;
    if (def.stiffness == 0.0 && def.damping == 0.0) return drive_effort(m, node, on, f, wish);
    if (!on->limits && isfinite(f->low) && f->low != -f->high) return drive_one_way(m, node, on, f, wish);
    status = limit_of(m, node, f, on, &def.max_effort);
    if (status != BR_OK) return status;
    def.type = BR_DRIVE_SERVO;
    def.target = br_function_constant(0.0);
    if (def.stiffness > 0.0)
        def.target = target_of(f, g / def.stiffness, 0, -INFINITY, INFINITY, f->constant, room);
    if (def.max_effort == 0.0)
        return br_mjcf_note(m, node, NULL, BR_IMPORT_NUMERICS, "its force is always zero");
    status = add_drive(m, node, &def, wish);
    if (status != BR_OK || def.stiffness > 0.0 || (constant == 0.0 && !f->text)) return status;
    // A speed that is asked for: a damper, and the push that it gives way to.
    char push[BR_MAX_NAME + 8];
    br_drive_def second = br_default_drive_def();
    second.joint = def.joint;
    second.type = BR_DRIVE_EFFORT;
    second.target = target_of(f, g, 1, -INFINITY, INFINITY, constant, room);
    snprintf(push, sizeof push, "%.50s_push", wish);
    status = add_drive(m, node, &second, push);
    if (status != BR_OK || !isfinite(f->low)) return status;
    return br_mjcf_note(m, node, "forcerange", BR_IMPORT_MOTION,
                        "it limits damper and push each, not their sum");
}

// jointinparent: the torque of a ball or free joint is along axes that do not turn with it, those of the parent.
static br_status turn_in_parent(mjcf *m, mjcf_element e, int joint, br_vec3 torque, const char *wish) {
    const mjcf_joint *j = &m->joint[joint];
    const mjcf_body *b = &m->body[j->body];
    const int free_joint = j->type == MJCF_FREE;
    if (br_vec3_max_abs(torque) == 0.0) return BR_OK;
    if (!free_joint && (b->joints > 1 || (b->parent >= 0 && m->body[b->parent].moves)))
        return br_mjcf_note(m, e.node, "jointinparent", BR_IMPORT_MOTION,
                            "torques along the axes of a parent that moves are not represented");
    br_load_def def = br_default_load_def();
    char name[BR_MAX_NAME + 16];
    snprintf(name, sizeof name, "%.50s_torque", wish);
    br_status status = br_mjcf_free_name(m, &m->load_names, name, &def.name);
    if (!free_joint) torque = br_quat_rotate(b->X_WB_ref.rotation, torque);
    def.type = BR_LOAD_TORQUE;
    def.first = b->name;
    for (int i = 0; i < 3; i++) def.component[i] = br_function_constant(br_vec3_get(torque, i) + 0.0);
    if (status == BR_OK) status = br_mjcf_placed(m, e.node, br_builder_load(m->builder, &def, m->error));
    return status == BR_OK ? br_mjcf_place(m, "loads", def.name, e.node) : status;
}

// Ball and free joints: gear is a force and torque along their coordinates.
static br_status drive_coordinates(mjcf *m, mjcf_element e, int joint, double force, const char *wish) {
    const mjcf_joint *j = &m->joint[joint];
    const int free_joint = j->type == MJCF_FREE, in_parent = !br_mjcf_get(m, e, "joint", NULL);
    const int linear = free_joint ? 3 : 0;
    double gear[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    br_status status = br_mjcf_numbers(m, e, "gear", 1, 6, gear, NULL);
    char own[BR_MAX_NAME + 8];
    snprintf(own, sizeof own, "%.60s.free", m->body[j->body].name);
    if (status == BR_OK && in_parent) {
        const br_vec3 turn = br_vec3_of(gear[linear], gear[linear + 1], gear[linear + 2]);
        status = turn_in_parent(m, e, joint, br_vec3_scale(force, turn), wish);
    }
    for (int k = 0; k < (in_parent ? linear : linear + 3) && status == BR_OK; k++) {
        br_drive_def def = br_default_drive_def();
        char name[BR_MAX_NAME + 16];
        if (gear[k] == 0.0) continue;
        def.joint = j->name ? j->name : own;
        def.coordinate = k;
        def.type = BR_DRIVE_EFFORT;
        def.target = br_function_constant(gear[k] * force);
        snprintf(name, sizeof name, "%.50s_%d", wish, k);
        status = add_drive(m, e.node, &def, name);
    }
    return status;
}

// A site: gear is a force and torque along its axes, on its body.
static br_status push_site(mjcf *m, mjcf_element e, const mjcf_site *site, double force, const char *wish) {
    double gear[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    br_status status = br_mjcf_numbers(m, e, "gear", 1, 6, gear, NULL);
    for (int k = 0; k < 2 && status == BR_OK && site->body >= 0; k++) {
        const br_vec3 along = br_vec3_of(gear[3 * k], gear[3 * k + 1], gear[3 * k + 2]);
        const br_vec3 F = br_vec3_scale(force, br_quat_rotate(site->pose.rotation, along));
        br_load_def def = br_default_load_def();
        char name[BR_MAX_NAME + 16];
        if (br_vec3_max_abs(along) == 0.0) continue;
        snprintf(name, sizeof name, "%.50s%s", wish, k ? "_torque" : "");
        status = br_mjcf_free_name(m, &m->load_names, name, &def.name);
        def.type = k ? BR_LOAD_TORQUE : BR_LOAD_FORCE;
        def.first = m->body[site->body].name;
        def.in_body_axes = 1;
        if (k == 0) def.X_A.position = site->pose.position;
        for (int i = 0; i < 3; i++) def.component[i] = br_function_constant(br_vec3_get(F, i) + 0.0);
        if (status == BR_OK) status = br_mjcf_placed(m, e.node, br_builder_load(m->builder, &def, m->error));
        if (status == BR_OK) status = br_mjcf_place(m, "loads", def.name, e.node);
    }
    return status;
}

static br_status drive_muscle(mjcf *m, mjcf_element e, const law *l, mjcf_muscle_at at, const char *wish) {
    char force[MJCF_EXPRESSION];
    int made;
    br_drive_def def = br_default_drive_def();
    const br_status status = br_mjcf_muscle_force(m, e, &l->muscle, &at, force, &made);
    if (status != BR_OK || !made) return status;
    def.joint = at.joint;
    def.type = BR_DRIVE_EFFORT;
    def.target = br_function_constant(0.0);
    def.target.kind = BR_FUNCTION_EXPRESSION;
    def.target.expression = force;
    return add_drive(m, e.node, &def, wish);
}

// -------------------------------------------------------------------------------------------------------- one of them

static br_status joint_of(const mjcf *m, mjcf_element e, int *out) {
    const char *attribute = br_mjcf_get(m, e, "joint", NULL) ? "joint" : "jointinparent";
    const char *name = br_mjcf_get(m, e, attribute, NULL);
    *out = name ? br_mjcf_find_joint(m, name) : -1;
    return !name || *out >= 0 ? BR_OK : br_mjcf_unknown_name(m, e.node, attribute, name, &m->given_joints);
}

static br_status tendon_of(const mjcf *m, mjcf_element e, const mjcf_tendon **out) {
    const char *name = br_mjcf_get(m, e, "tendon", NULL);
    *out = NULL;
    if (!name) return BR_OK;
    const int k = br_names_find(&m->given_tendons, name);
    if (k < 0) return br_mjcf_unknown_name(m, e.node, "tendon", name, &m->given_tendons);
    *out = &m->tendon[k];
    return BR_OK;
}

static int is_simple(const char *kind) {
    static const char *const kinds[] = {"motor",   "position", "velocity",    "damper",
                                        "general", "cylinder", "intvelocity", "muscle"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kind, kinds[k]) == 0) return 1;
    return 0;
}

// The joints that it acts on, with what its force is multiplied by there. *terms 0: of another kind. *first: its first gear.
static br_status transmission(mjcf *m, mjcf_element e, int joint, const mjcf_tendon *tendon, mjcf_term **out,
                              int *terms, double *first) {
    double gear[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const br_status status = br_mjcf_numbers(m, e, "gear", 1, 6, gear, NULL);
    *first = gear[0];
    *terms = joint >= 0 ? 1 : tendon ? tendon->terms : 0;
    mjcf_term *term = BR_TAKE(&m->arena, mjcf_term, *terms);
    if (!term) return br_mjcf_no_memory(m);
    for (int k = 0; k < *terms; k++)
        term[k] = joint >= 0 ? (mjcf_term){joint, gear[0]}
                             : (mjcf_term){tendon->term[k].joint, gear[0] * tendon->term[k].coefficient};
    *out = term;
    return status;
}

static br_status site_of(const mjcf *m, mjcf_element e, const mjcf_site **out) {
    const char *name = br_mjcf_get(m, e, "site", NULL);
    *out = NULL;
    if (!name || br_mjcf_get(m, e, "refsite", NULL)) return BR_OK;
    const int k = br_names_find(&m->given_sites, name);
    if (k < 0) return br_mjcf_unknown_name(m, e.node, "site", name, &m->given_sites);
    *out = &m->site[k];
    return BR_OK;
}

static br_status act(mjcf *m, mjcf_element e, int index, int number, int joint, const mjcf_tendon *tendon,
                     const mjcf_site *site) {
    const char *given = br_io_xml_get(e.node, "name"), *target = joint >= 0 ? m->joint[joint].given : NULL;
    const char *wish = given && given[0] ? given : target ? target : "actuator";
    mjcf_term *term = NULL;
    int terms, limited;
    double u, gear, range[2] = {0.0, 0.0};
    law l;
    mjcf_force f = mjcf_no_force();
    br_status status = transmission(m, e, joint, tendon, &term, &terms, &gear);
    if (status == BR_OK) status = read_law(m, e, &l);
    if (status == BR_OK) status = read_control(m, e, index, joint, &u);
    if (status == BR_OK) status = read_range(m, e, "forcelimited", "forcerange", range, &limited);
    if (status != BR_OK) return status;
    if (limited) f.low = range[0], f.high = range[1];
    const int whole =
        site || (joint >= 0 && m->joint[joint].type != MJCF_HINGE && m->joint[joint].type != MJCF_SLIDE);
    if (l.dynamic == DYNAMICS_MUSCLE && l.gain_type == LAW_MUSCLE &&
        (l.bias_type == 0 || l.bias_type == LAW_MUSCLE) && !whole) {
        const mjcf_muscle_at at = {.joint = tendon ? tendon->name : m->joint[joint].name,
                                   .gear = gear,
                                   .control = u,
                                   .activation = number < m->activations ? m->activation[number] : 0.0,
                                   .low = f.low,
                                   .high = f.high,
                                   .passive = l.bias_type == LAW_MUSCLE};
        return drive_muscle(m, e, &l, at, wish);
    }
    if (l.ratio > 0.0 && tendon && terms == 0)
        return br_mjcf_note(m, e.node, "dampratio", BR_IMPORT_MOTION,
                            "give it kv: the mass that a tendon moves is not worked out");
    if (!whole) status = set_ratio(m, term, terms, &l);
    if (status != BR_OK) return status;
    f.constant = l.gain[0] * u + l.bias[0];
    f.stiffness = -(l.gain[1] * u + l.bias[1]);
    f.damping = -(l.gain[2] * u + l.bias[2]);
    const int varies = l.dynamic > DYNAMICS_NONE && l.represented;
    if (varies) // a gain that the state multiplies is not a spring of its own
        status = state_of(m, e, &l, u, number < m->activations ? m->activation[number] : 0.0, &f.text);
    if (status != BR_OK) return status;
    if (!l.represented || f.stiffness < 0.0 || f.damping < 0.0 ||
        (varies && (whole || l.gain[1] != 0.0 || l.gain[2] != 0.0)))
        return br_mjcf_note(m, e.node, NULL, BR_IMPORT_MOTION, "an actuator of this kind is not represented");
    if (site && f.stiffness == 0.0 && f.damping == 0.0)
        return push_site(m, e, site, fmax(f.low, fmin(f.high, f.constant)), wish);
    if (whole && (f.stiffness > 0.0 || f.damping > 0.0))
        return br_mjcf_note(m, e.node, NULL, BR_IMPORT_MOTION,
                            "servos of ball joints, free joints and sites are not represented");
    if (whole) return drive_coordinates(m, e, joint, fmax(f.low, fmin(f.high, f.constant)), wish);
    const acted_on on = {tendon ? tendon->name : m->joint[joint].name, tendon ? NULL : &m->joint[joint],
                         gear};
    return drive_joint(m, e.node, &on, &f, wish);
}

static br_status read_actuator(mjcf *m, const io_xml_node *node, int index, int number, int counting) {
    mjcf_element e;
    int joint;
    const mjcf_tendon *tendon;
    const mjcf_site *site;
    double group = 0.0;
    br_status status = br_mjcf_element_of(m, node, -1, &e);
    if (!is_simple(node->name))
        return counting ? BR_OK
                        : br_mjcf_note(m, node, NULL, BR_IMPORT_MOTION,
                                       "an actuator of this kind is not represented");
    if (status == BR_OK && !counting) status = br_mjcf_check(m, e, actuator_known);
    if (status == BR_OK) status = br_mjcf_number(m, e, "group", &group);
    if (status == BR_OK) status = joint_of(m, e, &joint);
    if (status == BR_OK) status = tendon_of(m, e, &tendon);
    if (status == BR_OK) status = site_of(m, e, &site);
    if (status != BR_OK) return status;
    const int off =
        m->actuation_off || (group >= 0.0 && group <= 30.0 && m->groups_off >> (unsigned)group & 1U);
    if (off)
        return counting ? BR_OK
                        : br_mjcf_note(m, node, NULL, BR_IMPORT_LOOKS, "a flag or its group turns it off");
    if (joint >= 0 && counting) m->joint[joint].actuators++;
    for (int k = 0; counting && tendon && k < tendon->terms; k++) m->joint[tendon->term[k].joint].actuators++;
    if (counting) return BR_OK;
    if (joint < 0 && !site && (!tendon || tendon->parts == 0))
        return br_mjcf_note(m, node, NULL, BR_IMPORT_MOTION,
                            "only actuators of joints, tendons and sites are represented");
    return act(m, e, index, number, joint, tendon, site);
}

// MuJoCo's number of its states: one where it has dynamics, unless actdim says more.
static br_status count_state(mjcf *m, const io_xml_node *node, int *count) {
    mjcf_element e;
    law l;
    double dimension = 1.0;
    *count = 0;
    br_status status = br_mjcf_element_of(m, node, -1, &e);
    if (status != BR_OK || !is_simple(node->name)) return status;
    status = read_law(m, e, &l);
    if (status == BR_OK) status = br_mjcf_number(m, e, "actdim", &dimension);
    *count = l.dynamic > DYNAMICS_NONE ? (dimension >= 1.0 && dimension <= 1000.0 ? (int)dimension : 1) : 0;
    return status;
}

br_status br_mjcf_count_states(mjcf *m, int *count) {
    br_status status = BR_OK;
    *count = 0;
    for (const io_xml_node *s = m->root->first; s && status == BR_OK; s = s->next)
        for (const io_xml_node *c = strcmp(s->name, "actuator") == 0 ? s->first : NULL; c && status == BR_OK;
             c = c->next) {
            int states = 0;
            status = count_state(m, c, &states);
            *count += states;
        }
    return status;
}

static br_status read_sections(mjcf *m, int counting) {
    br_status status = BR_OK;
    int index = 0, number = 0;
    for (const io_xml_node *s = m->root->first; s && status == BR_OK; s = s->next) {
        if (strcmp(s->name, "actuator") != 0) continue;
        for (const io_xml_node *c = s->first; c && status == BR_OK; c = c->next) {
            int states = 0;
            status = count_state(m, c, &states);
            if (status == BR_OK) status = read_actuator(m, c, index++, number, counting);
            number += states;
        }
    }
    return status;
}

br_status br_mjcf_read_actuators(mjcf *m) {
    br_status status = read_sections(m, 1);
    if (status == BR_OK) status = read_sections(m, 0);
    for (int k = 0; k < m->joints && status == BR_OK; k++)
        if (m->joint[k].actuators > 1 && isfinite(m->joint[k].effort_low))
            status = br_mjcf_note(m, m->joint[k].node, "actuatorfrcrange", BR_IMPORT_MOTION,
                                  "the sum of a joint's actuators has no limit; give each a forcerange");
    return status;
}
