// Random tumbles: one to three boxes, cylinders, capsules and hulls of random points thrown with a spin at a floor, with every
// kind of pair that keeps rigid normals. And the judgement of friction that both the scenes and the tumbles need: how far a
// force is outside of its disk, from the contacts themselves.
//
//     double cone;
//     if (tumble_run(k, "bristle", &cone)) ... it ended early, and said why
#ifndef TUMBLE_H
#define TUMBLE_H

#include "bristle/contact.h"
#include "random.h"
#include "scene.h"

#define TUMBLE_SECONDS 0.5
#define TUMBLE_CONE 1e-9 // of the bound: rounding of a projection, and nothing of the solver's tolerance

enum { TUMBLE_BODIES = 3, TUMBLE_POINTS = 14 };

// How far the friction of any contact of the last step is outside of its disk, of the bound. Friction without a normal force
// is as far out as can be.
static inline double cone_excess(const br_sim *sim) {
    double excess = 0;
    for (int k = 0; k < br_sim_contact_count(sim); k++) {
        br_contact c;
        br_sim_contact(sim, k, &c);
        const double friction = br_vec3_norm(c.friction), bound = c.friction_coefficient * c.normal_force;
        if (friction > 0) excess = fmax(excess, bound > 0 ? friction / bound - 1 : INFINITY);
    }
    return excess;
}

// Runs step by step; cone: the largest excess, by the contacts and by the ledger, which also knows joints that rub. BR_OK, or
// why it ended early.
static inline br_status cone_run(br_sim *sim, double until, double *cone, br_error *error) {
    const double step = br_model_settings(br_sim_model(sim))->solver.step;
    *cone = 0;
    while (br_sim_time(sim) < until - 0.5 * step) {
        const br_status status = br_sim_step(sim, error);
        if (status != BR_OK) return status;
        *cone = fmax(*cone, cone_excess(sim));
    }
    *cone = fmax(*cone, br_sim_ledger(sim).cone_violation);
    return BR_OK;
}

// --- what is thrown ----------------------------------------------------------------------------------------

static inline br_pair_def tumble_pair(rng *r) {
    br_pair_def pair = br_default_pair_def();
    const int kinds = rng_below(r, 12); // four of mu, three of stiffness
    pair.mu_kinetic = rng_uniform(r, 0.1, 1.2);
    pair.mu_static = pair.mu_kinetic * (kinds % 4 == 0 ? rng_uniform(r, 1.05, 1.6) : 1);
    pair.restitution = kinds % 4 == 1 ? 0 : rng_uniform(r, 0, 0.8);
    pair.restitution_poisson = rng_below(r, 4) == 0;
    if (kinds % 3 == 1) pair.bristle_stiffness = pow(10, rng_uniform(r, 2, 7));
    if (kinds % 3 == 2) {
        pair.bristle_stiffness = pow(10, rng_uniform(r, 3, 5));
        pair.bristle_damping = pow(10, rng_uniform(r, -1, 2));
    }
    return pair;
}

static inline br_shape_def tumble_shape(rng *r, br_vec3 *points) {
    static const br_shape_type types[] = {BR_SHAPE_BOX, BR_SHAPE_CYLINDER, BR_SHAPE_CAPSULE, BR_SHAPE_CONVEX};
    br_shape_def shape = {.type = types[rng_below(r, 4)],
                          .material = "body",
                          .pose = br_pose_identity(),
                          .axis = br_vec3_unit(2)};
    const double x = rng_uniform(r, 0.05, 0.3), y = rng_uniform(r, 0.05, 0.3), z = rng_uniform(r, 0.05, 0.3);
    shape.size = shape.type == BR_SHAPE_BOX ? br_vec3_of(x, y, z) : br_vec3_of(0.5 * x, 0, 0);
    shape.length = z;
    if (shape.type != BR_SHAPE_CONVEX) return shape;
    shape.points = points;
    shape.point_count = 8 + rng_below(r, TUMBLE_POINTS - 7);
    for (int k = 0; k < shape.point_count; k++) {
        const br_vec3 d = rng_direction(r); // on an ellipsoid: every point is a corner
        points[k] = br_vec3_of(0.5 * x * d.x, 0.5 * y * d.y, 0.5 * z * d.z);
    }
    return shape;
}

static inline br_status tumble_body(br_builder *builder, rng *r, int number, br_error *error) {
    br_vec3 points[TUMBLE_POINTS];
    char name[16];
    const br_shape_def shape = tumble_shape(r, points);
    br_body_def body = br_default_body_def();
    snprintf(name, sizeof name, "body%d", number);
    body.name = name;
    body.mass = pow(10, rng_uniform(r, -1, 1));
    // Of a solid box of random sides about the shape's own size: any real body has such moments.
    const double a = rng_uniform(r, 0.05, 0.3), b = rng_uniform(r, 0.05, 0.3), c = rng_uniform(r, 0.05, 0.3),
                 m = body.mass / 12;
    body.inertia = br_sym3_of(m * (b * b + c * c), m * (a * a + c * c), m * (a * a + b * b), 0, 0, 0);
    const br_quat turned = rng_rotation(r);
    body.pose = br_pose_of(
        turned, br_vec3_of(rng_uniform(r, -0.1, 0.1), rng_uniform(r, -0.1, 0.1), 0.3 + 0.5 * number));
    body.has_velocity = 1;
    body.velocity = br_vec3_of(rng_uniform(r, -2, 2), rng_uniform(r, -2, 2), rng_uniform(r, -4, 0));
    body.angular_velocity = rng_vec3(r, 15);
    body.shapes = &shape;
    body.shape_count = 1;
    return br_builder_body(builder, &body, error);
}

static inline br_status tumble_build(br_builder *builder, int number, const char *law, br_error *error) {
    rng r = {.state = (uint64_t)number};
    const br_shape_def floor = {
        .type = BR_SHAPE_PLANE, .material = "floor", .pose = br_pose_identity(), .axis = br_vec3_unit(2)};
    br_settings settings = br_default_settings();
    br_pair_def pair = tumble_pair(&r);
    settings.contact_law = law;
    pair.first = "body";
    pair.second = "floor";
    br_status status = br_builder_settings(builder, &settings, error);
    if (status == BR_OK) status = br_builder_material(builder, "body", error);
    if (status == BR_OK) status = br_builder_material(builder, "floor", error);
    if (status == BR_OK) status = br_builder_pair(builder, &pair, error);
    pair = tumble_pair(&r);
    pair.first = pair.second = "body";
    if (status == BR_OK) status = br_builder_pair(builder, &pair, error);
    if (status == BR_OK) status = br_builder_ground(builder, &floor, error);
    const int bodies = 1 + rng_below(&r, TUMBLE_BODIES);
    for (int k = 0; status == BR_OK && k < bodies; k++) status = tumble_body(builder, &r, k, error);
    return status;
}

// --- running -----------------------------------------------------------------------------------------------

static inline br_status tumble_run(int number, const char *law, double *cone, br_error *error) {
    br_builder *builder = NULL;
    scene s = {0};
    br_status status = br_builder_create(NULL, &builder, error);
    *cone = 0;
    if (status == BR_OK) status = tumble_build(builder, number, law, error);
    if (status == BR_OK) status = br_model_create(builder, &s.model, error);
    if (status == BR_OK) status = br_sim_create(s.model, NULL, &s.sim, error);
    if (status == BR_OK) status = cone_run(s.sim, TUMBLE_SECONDS, cone, error);
    br_builder_destroy(builder);
    scene_close(&s);
    return status;
}

// Tumbles first, first + 1, ... under a law: how many left the cone or did not end; prints those that did.
static inline int tumble_check(int first, int count, const char *law) {
    int outside = 0, ended = 0;
    double worst = 0;
    for (int k = first; k < first + count; k++) {
        br_error error = {0};
        double cone;
        if (tumble_run(k, law, &cone, &error) != BR_OK) {
            print_error("tumble %d, %s: %s\n", k, law, error.message);
            ended++;
        } else if (!(cone < TUMBLE_CONE)) {
            if (outside < 10) print_error("tumble %d, %s: friction exceeds its cone by %.2e\n", k, law, cone);
            outside++;
        }
        worst = fmax(worst, cone);
    }
    print_message("%s: %d of %d tumbles leave the cone, at most by %.1e; %d end early\n", law, outside, count,
                  worst, ended);
    return outside + ended;
}

#endif
