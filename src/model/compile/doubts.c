// What is allowed and probably not meant: degrees without their unit, millimetres for metres, a step for the run. A note
// and no error, and only where a model that means it is hard to imagine: a wrong alarm teaches people to skip notes.
#include <math.h>

#include "model/compile/compile.h"

#define BR_DOUBT_GYRATION 100.0    // m: of a body of 350 m or more; in mm a body of 0.35 m
#define BR_DOUBT_TURNS 25.0        // rad: four turns
#define BR_DOUBT_DEGREES 720.0     // beyond, a limit is written to mean none
#define BR_DOUBT_GRAVITY_LOW 9.7e3 // m/s^2: gravity in mm/s^2
#define BR_DOUBT_GRAVITY_HIGH 9.9e3
#define BR_DOUBT_STEPS 10.0 // of a whole run
#define BR_DOUBT_SPREAD                                                                                      \
    100.0 // radius of gyration over the farthest point of the shapes: 1000 where mm are taken for m
#define BR_DOUBT_MASS 1e4       // kg
#define BR_DOUBT_DENSITY 3e4    // kg/m^3: osmium has 22600
#define BR_DOUBT_PIN_RADIUS 1.0 // m

static br_status gravity(br_compile *c) {
    const double g = br_vec3_norm(c->model->settings.gravity);
    if (g < BR_DOUBT_GRAVITY_LOW || g > BR_DOUBT_GRAVITY_HIGH) return BR_OK;
    return br_compile_note(
        c,
        "gravity is %.6g m/s^2, a thousand times that of the Earth; if it is in mm/s^2, say so: "
        "%.6g mm/s^2",
        g, g);
}

static br_status steps(br_compile *c) {
    const br_settings *s = &c->model->settings;
    const br_stepper_traits *traits = br_stepper_traits_of(s->solver.stepper);
    const int fixed = !traits->chooses_steps && !(traits->adapts && s->solver.adaptive.on);
    br_status status = BR_OK;
    if (fixed && s->until > 0.0 && s->until < BR_DOUBT_STEPS * s->solver.step) {
        if (s->output > 0.0 && s->output < s->solver.step) // rows end steps
            status = br_compile_note(
                c,
                "solver.step is %.6g s, and steps end at every row: they are those of run: "
                "output, %.6g s; plain numbers are seconds, write step: 1 ms for a thousandth",
                s->solver.step, s->output);
        else
            status = br_compile_note(c,
                                     "the whole run of %.6g s is %.3g step%s of %.6g s; plain numbers are "
                                     "seconds, write step: 1 ms for a "
                                     "thousandth",
                                     s->until, ceil(s->until / s->solver.step - 1e-9),
                                     s->until > s->solver.step ? "s" : "", s->solver.step);
    }
    if (status == BR_OK && s->until > 0.0 && s->output > s->until)
        status = br_compile_note(
            c,
            "run: output is %.6g s, longer than the run of %.6g s: only the start and the end "
            "are kept",
            s->output, s->until);
    return status;
}

static br_status bodies(br_compile *c) {
    const br_model *m = c->model;
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < c->builder->body_names.count; k++) {
        const br_body_def *body = &c->builder->body[k];
        const br_sym3 I = body->inertia;
        const double largest = fmax(I.xx, fmax(I.yy, I.zz));
        if (!(body->mass > 0.0) || !(largest > BR_DOUBT_GYRATION * BR_DOUBT_GYRATION * body->mass)) continue;
        status = br_compile_note(c,
                                 "body %s has an inertia of %.4g kg m^2 and %.4g kg, that of something %.3g "
                                 "m across; are lengths in mm, "
                                 "or the inertia in g mm^2? Write the unit",
                                 m->body[k].name, largest, body->mass, sqrt(12.0 * largest / body->mass));
    }
    return status;
}

// The farthest that a shape of the box reaches from the centre of mass.
static double doubts_reach(br_aabb box, br_vec3 com) {
    const br_vec3 low = br_vec3_sub(box.low, com), high = br_vec3_sub(box.high, com);
    return br_vec3_norm(br_vec3_of(fmax(fabs(low.x), fabs(high.x)), fmax(fabs(low.y), fabs(high.y)),
                                   fmax(fabs(low.z), fabs(high.z))));
}

// Mass lies where the shapes are, or about there; small shapes that are only feet are why the bounds are wide.
static br_status shape_and_mass(br_compile *c, int k, br_aabb box) {
    const br_model_body *body = &c->model->body[k];
    const br_sym3 I = c->builder->body[k].inertia;
    const double largest = fmax(I.xx, fmax(I.yy, I.zz)), mass = body->mass;
    const br_vec3 edge = br_vec3_sub(box.high, box.low);
    const double volume = edge.x * edge.y * edge.z,
                 far = doubts_reach(box, br_pose_point(body->X_LB, body->com_B));
    if (!(mass > 0.0) || !isfinite(volume)) return BR_OK;
    const double gyration = sqrt(largest / mass);
    if (gyration > BR_DOUBT_SPREAD * far && !(gyration > BR_DOUBT_GYRATION)) // beyond, it is said already
        return br_compile_note(c,
                               "body %s has an inertia of %.4g kg m^2 and %.4g kg, that of something %.3g m "
                               "across, and shapes that "
                               "reach %.3g m from its centre of mass; are lengths in mm? Write the unit",
                               body->name, largest, mass, sqrt(12.0) * gyration, far);
    if (mass > BR_DOUBT_MASS && volume < 1.0 && volume > 0.0 && mass > BR_DOUBT_DENSITY * volume)
        return br_compile_note(c,
                               "body %s has %.6g kg within %.3g m^3, heavier than any metal; plain masses "
                               "are kg, write %.6g g for grams",
                               body->name, mass, volume, mass);
    return BR_OK;
}

static br_aabb joined(br_aabb a, br_aabb b) {
    return (br_aabb){
        br_vec3_of(fmin(a.low.x, b.low.x), fmin(a.low.y, b.low.y), fmin(a.low.z, b.low.z)),
        br_vec3_of(fmax(a.high.x, b.high.x), fmax(a.high.y, b.high.y), fmax(a.high.z, b.high.z))};
}

// Shapes come in the order of their bodies.
static br_status shapes(br_compile *c) {
    const br_model_contact *contact = c->model->contact;
    br_status status = BR_OK;
    for (int i = 0, next = 0; status == BR_OK && contact && i < contact->shapes; i = next) {
        const br_model_shape *first = &contact->shape[i];
        br_aabb box = br_geometry_bounds(&first->geometry, &first->X_L);
        for (next = i + 1; next < contact->shapes && contact->shape[next].body == first->body; next++)
            box = joined(box, br_geometry_bounds(&contact->shape[next].geometry, &contact->shape[next].X_L));
        if (first->body >= 0 && first->link >= 0) status = shape_and_mass(c, first->body, box);
    }
    return status;
}

static br_status pins(br_compile *c) {
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < c->builder->joint_names.count; k++) {
        const br_joint_def *def = &c->builder->joint[k];
        const double radius = def->friction.law == BR_FRICTION_NONE ? 0.0 : def->friction.pin_radius;
        if (radius > BR_DOUBT_PIN_RADIUS && isfinite(radius))
            status = br_compile_note(c,
                                     "the pin of joint %s has a radius of %.6g m; plain lengths are metres, "
                                     "write pin_radius: %.6g mm for millimetres",
                                     def->name, radius, radius);
    }
    return status;
}

static int is_degrees(double x) {
    return isfinite(x) && fabs(x) > BR_DOUBT_TURNS && fabs(x) <= BR_DOUBT_DEGREES;
}

static br_status angle(br_compile *c, const char *what, const char *joint, double x) {
    return br_compile_note(
        c,
        "%s of joint %s is %.6g rad, %.3g turns; plain angles are radians, write %.6g deg for "
        "degrees",
        what, joint, x, fabs(x) / (2.0 * BR_PI), x);
}

static br_status angles(br_compile *c) {
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < c->builder->joint_names.count; k++) {
        const br_joint_def *def = &c->builder->joint[k];
        if (def->type != BR_JOINT_REVOLUTE) continue;
        if (is_degrees(def->lower[0]) || is_degrees(def->upper[0]))
            status =
                angle(c, "a limit", def->name, is_degrees(def->upper[0]) ? def->upper[0] : def->lower[0]);
        if (status == BR_OK && def->stiffness[0] > 0.0 && is_degrees(def->rest[0]))
            status = angle(c, "the rest of the spring", def->name, def->rest[0]);
        if (status == BR_OK && def->has_position && is_degrees(def->position[0]))
            status = angle(c, "the position", def->name, def->position[0]);
    }
    return status;
}

br_status br_compile_doubts(br_compile *c) {
    br_status status = gravity(c);
    if (status == BR_OK) status = steps(c);
    if (status == BR_OK) status = bodies(c);
    if (status == BR_OK) status = shapes(c);
    if (status == BR_OK) status = pins(c);
    return status == BR_OK ? angles(c) : status;
}
