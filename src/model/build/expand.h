// Beams and clearances in terms of what the rest of a model is made of.
//
// Every node of a beam becomes a body, every attachment a weld, a planar clearance of a spatial model brings a planar
// joint (the plane of [BauchauJu2006 eq. 1]), a journal is two spatial clearances [BauchauJu2006 fig. 4]. Stations that
// anybody names are nodes: between them, corners and ends the mesh is even.
#ifndef BR_MODEL_BUILD_EXPAND_H
#define BR_MODEL_BUILD_EXPAND_H

#include "flex/section.h"
#include "model/build/builder.h"

// What became of a beam.
typedef struct br_beam_mesh {
    br_section section;
    int nodes;
    double *station; // [nodes]
    int first_body;  // of the expanded builder
} br_beam_mesh;

// out: a copy of the builder whose bodies, joints and clearances are complete; it shares the rest with it. Both outputs
// live in the arena. With neither beams nor clearances out is the builder itself.
br_status br_expand(const br_builder *builder, br_arena *arena, br_builder *out, br_beam_mesh **mesh,
                    br_error *error);

// The mesh alone.
br_status br_expand_meshes(const br_builder *builder, br_arena *arena, br_beam_mesh *mesh, br_error *error);

#endif
