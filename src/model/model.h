// A compiled model: what the definitions became. Immutable; everything is in its arena.
//
// Spanning tree: breadth first from the world over the joints that can carry a body, in the order of the file, so that
// trees are as shallow as they can be; a body that is not reached gets a free (planar: planar) joint and the search
// goes on from it. What is left over closes loops. Links are the bodies in file order, parents first.
#ifndef BR_MODEL_MODEL_H
#define BR_MODEL_MODEL_H

#include "collide/collide.h"
#include "flex/beam.h"
#include "friction/law.h"
#include "friction/normal.h"
#include "model/def/names.h"
#include "model/function/function.h"
#include "tree/tree.h"

typedef struct br_model_frame {
    const char *name;
    br_pose X_BF;
} br_model_frame;

typedef struct br_model_body {
    const char *name;
    int link;      // never -1: the world is not a body
    br_pose X_LB;  // body frame in the link frame
    br_vec3 com_B; // body frame
    double mass;
    br_model_frame *frame;
    int frames;
} br_model_body;

typedef struct br_model_joint {
    const char *name;
    br_joint_type type;
    const br_joint_kind *kind; // NULL: distance, gear, rack_pinion
    int first, second;         // links of its bodies; -1: the world. gear, rack_pinion: -1
    int link;                  // that it carries; -1: it closes a loop
    int loop;                  // index of its loop; -1 for tree joints, gear and rack_pinion
    int reversed;              // of a tree joint: carries its first body
    int q_at, v_at;            // tree joints: in q and v. loop joints: in the loops' own coordinates
    double parameter;          // pitch / 2 pi
    br_pose X_AF, X_BM;        // frames in the LINK frames of first and second (world for -1)
    br_mat3 R_AF, R_BM;        // their rotations, as the loops of a step want them
    double lower[6], upper[6], stiffness[6], rest[6], damping[6], armature[6];
    int limited, sprung;                                // any finite limit; any stiffness or damping
    int position_given;                                 // the model says where it starts
    double compliance_translation, compliance_rotation; // m/N, rad/(N m), of its reaction
    const br_friction_def *friction;                    // NULL: none
    int tendon;                                         // its path; -1: it is none
} br_model_joint;

// What a tendon runs over, see br_tendon_part_def. Points and shapes are in the LINK frames.
typedef struct br_model_tendon_part {
    br_tendon_part kind;
    int link; // -1: the world
    br_pose X_L;
    double radius;
    int has_side, side_link;
    br_vec3 side_L;
    int joint, coordinate;
    double factor;
    int entry;           // of its link among those of the tendon; -1: the world
    int dof_at, link_at; // of a joint: where its parts are among those of the tendon
} br_model_tendon_part;

typedef struct br_model_tendon {
    int joint; // its own
    int parts;
    br_model_tendon_part *part;
    int links, *link; // that it loads, each once (of loop joints: once for each)
    int dofs, *dof;   // velocities that it loads directly, of tree joints
    int sum;          // of joints
    int wraps;        // it has a sphere or a cylinder
    double scale;     // m: its smallest radius, else its length at the start
    double slack;
} br_model_tendon;

// A joint outside the tree. Its coordinates are measured from the pose and count turns.
typedef struct br_model_loop {
    int joint;
    int rows;       // constraint rows kept
    int row[6];     // which of the kind's T (planar models keep those in the plane). distance: one row
    double length;  // distance
    int q_at, v_at; // in the loops' own coordinates
} br_model_loop;

// gear, rack_pinion: velocity_1 + ratio velocity_2 = 0, and so for positions up to `offset`, fixed at the start. Of a
// rack_pinion, 1 is the rack and 2 the pinion: ratio = -radius.
typedef struct br_model_coupling {
    int joint;            // its own index
    int joint_1, joint_2; // the joints it couples, 1 velocity coordinate each (coordinate_k of them)
    int coordinate_1, coordinate_2; // which velocity coordinate
    double ratio;
} br_model_coupling;

typedef struct br_model_load {
    const char *name;
    br_load_type type;
    int first, second; // links, -1: the world
    br_pose X_A, X_B;  // in the link frames
    br_mat3 R_A, R_B;  // their rotations
    int in_body_axes;  // components in the axes of X_A (which are then the body's)
    br_function *component[3];
    double stiffness[6], damping[6], length; // spring: length >= 0, at q_start where the definition has none
    int varies;                              // any component is not constant
} br_model_load;

typedef struct br_model_drive {
    const char *name;
    br_drive_type type;
    int joint, coordinate;
    br_function *target;
    double stiffness, damping, max_effort;
} br_model_drive;

typedef struct br_model_term {
    int joint, coordinate;      // joint -1: a body's point
    int link;                   // -1: the world (its velocity is zero)
    br_vec3 point_L, direction; // in the link frame; direction in the world's axes when in_world_axes
    int in_world_axes;
    br_function *coefficient;
} br_model_term;

typedef struct br_model_constraint {
    const char *name;
    br_model_term *term;
    int terms;
    br_function *value;
} br_model_constraint;

// --- beams and clearances ----------------------------------------------------------------------------------

// A beam's nodes are links of the tree; their masses there are lumped. The implicit stepper takes the elements' own, which
// couple the turning of neighbours.
typedef struct br_model_beam {
    const char *name;
    int nodes;
    int first_body;           // its nodes are bodies first_body .. first_body + nodes - 1
    int *link;                // [nodes] from start to end
    double *station;          // [nodes] 0 .. 1
    br_beam_element *element; // [nodes - 1]; positions in the LINK frames of its nodes
    br_section section;
    double length, damping;
} br_model_beam;

typedef struct br_model_clearance {
    const char *name;
    br_clearance_type type; // never journal: that is two spatial ones, named NAME.a and NAME.b
    int first, second;      // links, -1: the world
    br_pose X_AF, X_BM;     // in the LINK frames (world for -1)
    double outer_radius, inner_radius;
    br_normal_law law;
    br_friction_params friction; // law BR_FRICTION_NONE: none
} br_model_clearance;

// --- redundancy --------------------------------------------------------------------------------------------

// How forces are chosen that the rows leave open.
typedef enum br_redundancy_kind {
    BR_REDUNDANCY_PSEUDOINVERSE = 0, // the shortest, of the absolute form
    BR_REDUNDANCY_COMPLIANCE,        // the least elastic energy in the joints' compliances
    BR_REDUNDANCY_ELIMINATE,         // without the rows that are named
} br_redundancy_kind;

#define BR_ROW_FRICTION 6

typedef struct br_eliminated_row {
    int joint;
    int part; // 0 .. 5: force.x|y|z, torque.x|y|z, the largest part of the row in F's axes at the start
              // BR_ROW_FRICTION + k: stiction along direction k, counted over the joint's pads
    int row;  // which of the kind's T, for parts below BR_ROW_FRICTION; else -1
} br_eliminated_row;

typedef struct br_redundancy {
    br_redundancy_kind kind;
    int count;
    br_eliminated_row *row; // [count] in the order of the text
} br_redundancy;

// --- contact -----------------------------------------------------------------------------------------------

// In the order of br_calls_contact_law.
typedef enum br_contact_law {
    BR_CONTACT_BRISTLE = 0,
    BR_CONTACT_CONE,
    BR_CONTACT_BOX,
    BR_CONTACT_POLYGON,
    BR_CONTACT_VISCOUS,
} br_contact_law;

typedef enum br_contact_bounds {
    BR_BOUNDS_IMPLICIT = 0,
    BR_BOUNDS_LAGGED,
    BR_BOUNDS_ITERATED
} br_contact_bounds;

typedef struct br_model_shape {
    int body;     // -1: the ground
    int link;     // -1: fixed to the world
    int material; // -1: none
    br_geometry geometry;
    br_placement X_L; // of the geometry's frame in the link frame (the world for link -1)
    int at_link;      // these are the same frame
    br_shape_def def; // strings and points in the arena
} br_model_shape;

typedef struct br_model_contact {
    int shapes;            // of bodies in their order, then of the ground
    br_model_shape *shape; // then one of each clearance: its inner race
    int plays;             // clearances; the contact stepper takes them for contacts
    br_names materials;
    int pairs;
    br_pair_def *pair; // then one of each clearance
    int *pair_of;      // [materials * materials] index of the pair of two materials; -1: none
    br_contact_law law;
    const br_contact_law_traits *traits; // of it
    double argument;                     // of it: sides of a polygon, m/s of what creeps
    br_contact_bounds bounds;
    int passes; // iterated
    int paper;
    int excludes;
    int (*exclude)[2];    // [excludes] bodies, -1: the ground; smaller first, sorted
    int *group;           // [bodies] those welded together share the smallest of them
    unsigned char *fixed; // [bodies] welded to the world, by way of other bodies or not
    int joineds;
    int (*joined)[2]; // [joineds] groups that a joint holds together; smaller first, sorted
    br_names shape_names;
} br_model_contact;

// See br_sensor_def.
typedef struct br_model_sensor {
    const char *name;
    br_sensor_type type;
    int body, joint, drive; // body -1: the world
    br_pose X_BS;
    int has_from, from; // a body; -1: the world
    br_pose X_FR;
    int coordinate;
    double factor;
    br_shape_type zone;
    double size[3];
} br_model_sensor;

struct br_model {
    br_arena arena;
    br_settings settings; // strings in the arena
    uint64_t hash;
    br_vec3 normal; // of the plane of a planar model; zero otherwise
    br_tree tree;
    int bodies;
    br_model_body *body;
    int *link_body;  // [links] the body of each link
    int *link_joint; // [links] the joint of each link
    int joints;
    br_model_joint *joint;
    int loops, loop_nq, loop_nv;
    br_model_loop *loop;
    int couplings;
    br_model_coupling *coupling;
    int tendons;
    br_model_tendon *tendon;
    int beams;
    br_model_beam *beam;
    int beam_elements;        // of all of them
    unsigned char *beam_node; // [links] nonzero: the link is a node of a beam
    int clearances;
    br_model_clearance *clearance;
    int loads;
    br_model_load *load;
    int drives;
    br_model_drive *drive;
    int constraints;
    br_model_constraint *constraint;
    int sensors;
    br_model_sensor *sensor;
    // Variables of functions: 2 * k is a position, 2 * k + 1 the velocity of coordinate k, of which there are nv +
    // loop_nv: tree velocities first. variable_joint says where each comes from.
    int variables;
    int reads_state;           // any function reads a joint
    double *q_start, *v_start; // [nq], [nv]: poses, positions and velocities as given, loops not yet closed
    double *q_bodies;          // [nq] as the bodies stand, also where a position is given
    // What creating the model had to say, for `check` and the result: bodies moved to fit their joint and the like.
    // One line each, separated by newlines; empty when there is nothing.
    char *notes;
    int contacts_possible;      // some pair of shapes may touch
    const char *friction_joint; // first joint with friction; NULL
    br_redundancy redundancy;
    br_model_contact *contact;
    struct br_visual *visual; // what is drawn and touches nothing, see build/visual.h
    int visuals;
    br_names body_names, joint_names; // of body and joint, in their order
};

#endif
