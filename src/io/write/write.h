// Writing a builder as a model file: the parts that model_write*.c share.
#ifndef BR_IO_WRITE_WRITE_H
#define BR_IO_WRITE_WRITE_H

#include <stdio.h>

#include "model/build/builder.h"
#include "model/def/field.h"

typedef struct model_writer {
    FILE *file;
    const br_builder *builder;
    const char *path;
    br_error *error;
    // Frames on bodies that joints need, by body: entries are 2 * joint + side, -1 ends a list.
    int *frame_first, *frame_next;
    signed char *place; // [joints] how a joint's place is written: see write/joint.c
} model_writer;

void br_model_put_number(FILE *file, double x); // the shortest text that reads back as the same number
void br_model_put_numbers(FILE *file, const double *x, int count); // [a, b, c]
void br_model_put_vector(FILE *file, br_vec3 v);
void br_model_put_name(FILE *file, const char *name); // in quotes where YAML asks for them
void br_model_put_pose(FILE *file, br_pose X);        // position: ..., quaternion: ...; without braces
// Numbers that came out of products of poses: without the last bits, which are the products' own rounding.
br_vec3 br_model_tidy(br_vec3 v);
br_pose br_model_tidy_pose(br_pose X);
void br_model_put_function(FILE *file, const br_function_def *f);

// What stands before the first field, before the others, and after each.
typedef struct model_style {
    const char *first, *between, *after;
} model_style;

static const model_style model_in_line = {"", ", ", ""};          // of a map in braces
static const model_style model_in_lines = {"    ", "    ", "\n"}; // of an element

// The fields of a definition that are not as usual, in the order of its table.
int br_model_is_usual(const br_def *def, const void *object); // a map of them would be empty
void br_model_put_fields(FILE *file, const model_style *style, const br_def *def, const void *object);
br_status br_model_cannot(const model_writer *w, const char *group, const char *name, const char *what);

void br_model_write_contact(const model_writer *w); // settings
void br_model_write_materials(const model_writer *w);
void br_model_write_shapes(const model_writer *w, const br_body_def *body);
void br_model_write_ground(const model_writer *w);
br_status br_model_plan_joints(model_writer *w, br_arena *arena); // fills place and the lists of frames
br_status br_model_write_joints(model_writer *w);
int br_model_frame_is_used(const model_writer *w, int body);
void br_model_write_frames(const model_writer *w, int body);
void br_model_put_friction(FILE *file, const br_friction_def *f); // as a line, unless there is none
void br_model_write_beams(const model_writer *w);
void br_model_write_clearances(const model_writer *w);
br_status br_model_write_loads(model_writer *w);
br_status br_model_write_drives(model_writer *w);
br_status br_model_write_constraints(model_writer *w);

br_status br_model_write_sensors(model_writer *w);
void br_model_put_tendon(FILE *file, const br_joint_def *def); // its path

#endif
