// import.lift: what moves freely is raised, against gravity, until none of its shapes is inside anything that is fixed.
#include <math.h>
#include <string.h>

#include "bristle/contact.h"
#include "bristle/sim.h"
#include "io/import/lift.h"
#include "model/build/builder.h"
#include "model/build/builder_free.h"

enum { MAX_PASSES = 30 };    // of a flat floor one is enough
#define LIFT_EPS_STEEP 0.05  // of the normal that points up: a wall is nothing to be raised over
#define LIFT_EPS_DEPTH 1e-12 // m

// The body at the root of a chain of joints; -1: it is held by the world.
static int lift_root(const br_builder *b, int body) {
    for (int steps = 0; body >= 0 && steps <= b->body_names.count; steps++) {
        int next = body;
        for (int j = 0; j < b->joint_names.count; j++) {
            const br_joint_def *def = &b->joint[j];
            if (def->type == BR_JOINT_GEAR || def->type == BR_JOINT_RACK_PINION || def->closes_loop) continue;
            if (strcmp(def->second, b->body[body].name) != 0) continue;
            if (def->type == BR_JOINT_FREE && strcmp(def->first, BR_WORLD) == 0) return body;
            next = br_names_find(&b->body_names, def->first);
        }
        if (next == body) return body;
        body = next;
    }
    return -1;
}

static br_vec3 upward(const br_builder *b) {
    const br_vec3 g = b->settings.gravity;
    return br_vec3_norm(g) > 0.0 ? br_vec3_scale(-1.0 / br_vec3_norm(g), g) : br_vec3_unit(2);
}

// How far each root must rise from here; at most what its deepest point asks for.
static br_status look(const br_builder *b, const br_allocator *allocator, double *rise, br_error *error) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    const br_vec3 up = upward(b);
    br_status status = br_model_create(b, &model, error);
    if (status == BR_OK) status = br_sim_create(model, allocator, &sim, error);
    for (int k = 0; status == BR_OK && k < br_sim_contact_count(sim); k++) {
        br_contact c;
        br_sim_contact(sim, k, &c);
        const int a = c.body_a < 0 ? -1 : lift_root(b, c.body_a),
                  o = c.body_b < 0 ? -1 : lift_root(b, c.body_b);
        const double along = (a >= 0 ? 1.0 : -1.0) * br_vec3_dot(c.normal, up), depth = c.start_depth - c.gap;
        if ((a >= 0) == (o >= 0) || !(along > LIFT_EPS_STEEP) || !(depth > LIFT_EPS_DEPTH)) continue;
        const int root = a >= 0 ? a : o;
        rise[root] = fmax(rise[root], depth / along);
    }
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status;
}

br_status br_io_lift(br_builder *b, const br_allocator *allocator, br_error *error) {
    const int bodies = b->body_names.count;
    double *rise = BR_TAKE(&b->arena, double, bodies);
    if (!rise) return br_builder_no_memory(error);
    for (int pass = 0; pass < MAX_PASSES; pass++) {
        memset(rise, 0, (size_t)bodies * sizeof *rise);
        br_status status = look(b, allocator, rise, error);
        int any = 0;
        for (int k = 0; k < bodies && status == BR_OK; k++) {
            br_pose X;
            if (rise[k] == 0.0 || !br_builder_start_pose(b, b->body[k].name, &X)) continue;
            X.position = br_vec3_add_scaled(X.position, rise[k], upward(b));
            status = br_builder_place_free(b, b->body[k].name, &X, NULL, error);
            any = 1;
        }
        if (status != BR_OK || !any) return status;
    }
    return BR_OK;
}
