// From definitions to a model, in stages that each fill in more of it. Scratch memory is given back at the
// end.
#ifndef BR_MODEL_COMPILE_COMPILE_H
#define BR_MODEL_COMPILE_COMPILE_H

#include "model/build/builder.h"
#include "model/build/expand.h"
#include "model/def/validate.h"
#include "model/model.h"

enum { BR_MAX_NOTES = 100 };      // lines; what is beyond is counted
enum { BR_MAX_MATERIALS = 4096 }; // their pairs are a square table

typedef struct br_compile {
    const br_builder *builder; // expanded
    br_beam_mesh *mesh;        // [beams]
    br_model *model;
    br_error *error;
    br_arena scratch;
    int bodies; // of the builder and the model alike
    int joints; // with the implicit ones

    // [bodies] the spanning tree
    int *parent;   // body; -1: the world
    int *carrier;  // joint
    int *reversed; // the joint carries its first body

    // [joints]; frames in the bodies' own frames
    const br_joint_def **def;
    int *first, *second; // bodies; -1: the world, and where the joint names joints
    br_pose *X_AF, *X_BM;

    // [links] at the start
    br_pose *X_WL;
    br_twist *V;

    char *note[BR_MAX_NOTES];
    int notes;
} br_compile;

// One line for model->notes.
br_status br_compile_note(br_compile *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
br_status br_compile_no_memory(const br_compile *c);

// The pose of a body as given; the world for -1.
static inline br_pose br_compile_given(const br_compile *c, int body) {
    return body < 0 ? br_pose_identity() : c->builder->body[body].pose;
}

static inline int br_compile_is_planar(const br_compile *c) {
    return c->builder->settings.planar != BR_SPATIAL;
}

// The stages, in order.
br_status br_compile_ends(br_compile *c);        // which bodies each joint connects
br_status br_compile_tree(br_compile *c);        // spanning tree, implicit joints
br_status br_compile_turn_frames(br_compile *c); // planar: joint frames with an axis along the normal
br_status br_compile_links(br_compile *c);       // links, joints, coordinates
br_status br_compile_start(br_compile *c);       // q_start, v_start
br_status br_compile_planar(br_compile *c);      // planar: that every motion is in the plane
br_status br_compile_loops(br_compile *c);       // rows of loops
br_status br_compile_mass(br_compile *c);        // that every joint moves something
br_status br_compile_couplings(br_compile *c);
br_status br_compile_tendons(br_compile *c);
br_status br_compile_beams(br_compile *c);
br_status br_compile_clearances(br_compile *c);
br_status br_compile_friction(br_compile *c);   // that loads of friction are among what the model computes
br_status br_compile_redundancy(br_compile *c); // what solver: redundancy names
br_status br_compile_loads(br_compile *c);
br_status br_compile_drives(br_compile *c);
br_status br_compile_constraints(br_compile *c);
br_status br_compile_sensors(br_compile *c);
br_status br_compile_contact(br_compile *c);
br_status br_compile_visuals(br_compile *c);
br_status br_compile_doubts(br_compile *c);      // notes on what is allowed and probably not meant
br_status br_compile_groups(br_compile *c);      // contact: bodies welded together, and to the world
br_status br_compile_touch(br_compile *c);       // contact: who never collides
br_status br_compile_touch_notes(br_compile *c); // contact: pairs of materials that are not listed
uint64_t br_builder_hash(const br_builder *builder);

// The frames F and M of the implicit joint of a body in a planar model.
void br_compile_planar_frames(const br_compile *c, int body, br_pose *X_AF, br_pose *X_BM);

// World poses of a joint's frames at the start.
void br_compile_joint_frames(const br_compile *c, int joint, br_pose *X_WF, br_pose *X_WM);

// The rows of a joint's reaction at the start: which of its kind's T (motion->T) the model keeps, all of them or those in the
// plane. Returns how many. Not for distance, gear, rack_pinion.
int br_compile_rows(const br_compile *c, int joint, br_joint_motion *motion, int *row);

// What a function may read: everything; everything but velocities, so that a row stays linear in them; time
// only.
typedef enum br_reads { BR_READS_STATE = 0, BR_READS_POSITIONS, BR_READS_TIME } br_reads;

br_status br_compile_function(br_compile *c, const br_place *place, const char *field,
                              const br_function_def *def, br_reads reads, br_function **out);

// A joint by name, or the error.
br_status br_compile_find_joint(br_compile *c, const br_place *place, const char *field, const char *name,
                                int *out);
br_status br_compile_find_body(br_compile *c, const br_place *place, const char *field, const char *name,
                               int *out);

#endif
