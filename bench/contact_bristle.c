// bristle itself, through its public headers: the contact stepper at its defaults, with exact Coulomb friction (law cone) and
// with the bristle law.
#include "contact.h"
#include "contact_bench.h"

#include <bristle/contact.h>
#include <bristle/io.h>
#include <bristle/sim.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct world {
    br_model *model;
    br_sim *sim;
    int bodies;
} world;

static void destroy(void *opaque) {
    world *w = opaque;
    br_sim_destroy(w->sim);
    br_model_destroy(w->model);
    free(w);
}

static br_vec3 vector(const double *v) {
    return br_vec3_of(v[0], v[1], v[2]);
}

static br_shape_def shape_of(const contact_body *b) {
    static const br_shape_type types[] = {
        [CONTACT_BOX] = BR_SHAPE_BOX, [CONTACT_SPHERE] = BR_SHAPE_SPHERE, [CONTACT_DISK] = BR_SHAPE_DISK};
    return (br_shape_def){.type = types[b->shape],
                          .material = "body",
                          .pose = br_pose_identity(),
                          .size = vector(b->size),
                          .axis = br_vec3_unit(1)};
}

static int add_body(br_builder *builder, const contact_body *b, int number, br_error *error) {
    char name[16];
    br_body_def body = br_default_body_def();
    const br_shape_def shape = shape_of(b);
    snprintf(name, sizeof name, "b%d", number);
    body.name = name;
    body.mass = b->mass;
    body.inertia = br_sym3_of(b->inertia[0], b->inertia[1], b->inertia[2], 0, 0, 0);
    body.pose = br_pose_of(br_quat_of(b->rotation[0], b->rotation[1], b->rotation[2], b->rotation[3]),
                           vector(b->position));
    body.has_velocity = 1;
    body.velocity = vector(b->velocity);
    body.angular_velocity = vector(b->angular);
    body.shapes = &shape;
    body.shape_count = 1;
    return br_builder_body(builder, &body, error) == BR_OK;
}

static int add_wall(br_builder *builder, const contact_wall *wall, br_error *error) {
    const br_vec3 normal = vector(wall->normal);
    const br_shape_def plane = {.type = BR_SHAPE_PLANE,
                                .material = "wall",
                                .pose = br_pose_of(br_quat_identity(), br_vec3_scale(wall->offset, normal)),
                                .axis = normal};
    return br_builder_ground(builder, &plane, error) == BR_OK;
}

static int add_pair(br_builder *builder, const char *first, const char *second, double mu, double restitution,
                    br_error *error) {
    br_pair_def pair = br_default_pair_def();
    pair.first = first;
    pair.second = second;
    pair.mu_static = pair.mu_kinetic = mu;
    pair.restitution = restitution;
    return br_builder_pair(builder, &pair, error) == BR_OK;
}

static int build(br_builder *builder, const contact_scene *scene, const char *law, br_error *error) {
    br_settings settings = br_default_settings();
    settings.name = "contact_bench";
    settings.gravity = vector(scene->gravity);
    settings.solver.step = scene->step;
    settings.contact_law = law;
    const double e = scene->tuning ? scene->tuning->restitution : 0;
    int fine = br_builder_settings(builder, &settings, error) == BR_OK &&
               br_builder_material(builder, "body", error) == BR_OK &&
               br_builder_material(builder, "wall", error) == BR_OK &&
               add_pair(builder, "body", "wall", scene->mu, e, error) &&
               add_pair(builder, "body", "body", scene->mu, e, error);
    for (int k = 0; fine && k < scene->walls; k++) fine = add_wall(builder, &scene->wall[k], error);
    for (int k = 0; fine && k < scene->bodies; k++) fine = add_body(builder, &scene->body[k], k, error);
    return fine;
}

static int build_model(world *w, const contact_scene *scene, const char *law, br_error *error) {
    br_builder *builder = NULL;
    const int fine = br_builder_create(NULL, &builder, error) == BR_OK && build(builder, scene, law, error) &&
                     br_model_create(builder, &w->model, error) == BR_OK;
    br_builder_destroy(builder);
    return fine;
}

static int read_model(world *w, const char *path, const char *law, br_error *error) {
    const br_override override = {"contact.law", law}; // which MJCF has no word for
    return br_model_read(path, &override, 1, NULL, &w->model, NULL, error) == BR_OK;
}

static void *make(const contact_scene *scene, const char *law) {
    world *w = bench_alloc(1, sizeof *w);
    br_error error = {0};
    w->bodies = scene->bodies;
    const int built =
        scene->file ? read_model(w, scene->file, law, &error) : build_model(w, scene, law, &error);
    if (built && br_sim_create(w->model, NULL, &w->sim, &error) == BR_OK) return w;
    fprintf(stderr, "bristle: %s: %s\n", error.path, error.message);
    destroy(w);
    return NULL;
}

static void *make_cone(const contact_scene *scene) {
    return make(scene, "cone");
}

static void *make_bristle(const contact_scene *scene) {
    return make(scene, "bristle");
}

static void step(void *opaque) {
    br_error error = {0};
    if (br_sim_step(((world *)opaque)->sim, &error) == BR_OK) return;
    fprintf(stderr, "bristle: %s\n", error.message);
    abort(); // the child process loses its cell
}

static void read_state(void *opaque, contact_state *state) {
    const world *w = opaque;
    for (int k = 0; k < w->bodies; k++) {
        const br_pose X = br_sim_body_pose(w->sim, k);
        const br_twist V = br_sim_body_twist(w->sim, k);
        state[k] = (contact_state){{X.position.x, X.position.y, X.position.z},
                                   {X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z},
                                   {V.linear.x, V.linear.y, V.linear.z}};
    }
}

static int contacts(void *opaque) {
    const world *w = opaque;
    int count = 0;
    for (int k = 0; k < br_sim_contact_count(w->sim); k++) {
        br_contact c;
        br_sim_contact(w->sim, k, &c);
        count += c.state != BR_CONTACT_OPEN;
    }
    return count;
}

const contact_engine contact_bristle_cone = {
    .name = "bristle cone",
    .note = "br_sim_step, exact Coulomb friction, second order, default tolerance",
    .make = make_cone,
    .step = step,
    .read = read_state,
    .contacts = contacts,
    .destroy = destroy,
};

const contact_engine contact_bristle_bristle = {
    .name = "bristle bristle",
    .note = "the same with the bristle law, infinite stiffness",
    .make = make_bristle,
    .step = step,
    .read = read_state,
    .contacts = contacts,
    .destroy = destroy,
};
