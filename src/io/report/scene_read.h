// A scene, as br_scene_text writes it and viewer/README.md describes it, read back: what a picture needs of it.
#ifndef BR_IO_REPORT_SCENE_READ_H
#define BR_IO_REPORT_SCENE_READ_H

#include "base/arena.h"
#include "bristle/shape.h"

#define IO_SCENE_MESH "mesh" // what a scene calls hulls and height fields

typedef struct io_scene_body {
    const char *name;
    br_vec3 com;
    int has_box;
    br_vec3 box;
    br_quat box_rotation;
    int shapes; // that it has
} io_scene_body;

typedef struct io_scene_shape {
    const char *name;
    int body;           // -1: the world
    br_shape_type kind; // BR_SHAPE_CONVEX: a mesh
    br_pose pose;
    double radius, length;
    br_vec3 size;     // of a box; radii of an ellipsoid
    double *vertices; // [3 * vertex_count]
    int *triangles;   // [3 * triangle_count], each below vertex_count
    int vertex_count, triangle_count;
} io_scene_shape;

typedef struct io_scene_beam {
    const char *name;
    int *node; // [count] bodies
    int count;
    double size[2]; // of the section, along its y and z
    int is_round;
    br_pose *rest; // [count]
} io_scene_beam;

typedef struct io_scene {
    br_vec3 gravity;
    io_scene_body *body;
    io_scene_shape *shape;
    io_scene_beam *beam;
    int bodies, shapes, beams;
} io_scene;

// Everything lives in the arena. The text may come from anywhere: indices are within what they index, sizes are finite and
// not negative.
br_status br_io_scene_read(const char *text, br_arena *arena, io_scene *out, br_error *error);

#endif
