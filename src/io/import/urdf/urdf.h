// Reading URDF, the parts that the urdf_*.c files share.
//
//     urdf/read.c    the file: what is in it, the order of things
//     urdf/value.c   attributes: numbers, poses, notes about those that are not represented
//     urdf/link.c    links: mass, centre of mass, inertia
//     urdf/shape.c   contact shapes, the mesh files that they name
//     urdf/joint.c   joints as written
//     urdf/tree.c    which link hangs on which, mimicked joints
//     urdf/gazebo.c  <gazebo>, of which only friction of contact is read
//     urdf/build.c   definitions for the builder
//
// A joint's frame is the frame of its child link where the joint is at zero. So a body's pose at zero is the product of
// the origins of the joints above it.
#ifndef BR_IO_IMPORT_URDF_URDF_H
#define BR_IO_IMPORT_URDF_URDF_H

#include "bristle/io.h"
#include "io/import/import_report.h"
#include "io/import/xml_tree.h"
#include "model/def/names.h"

enum { URDF_MAX_SURFACES = 200 }; // different frictions: their pairs are listed one by one

typedef enum urdf_type {
    URDF_REVOLUTE = 0,
    URDF_CONTINUOUS,
    URDF_PRISMATIC,
    URDF_FIXED,
    URDF_FLOATING,
    URDF_PLANAR,
    URDF_SPHERICAL, // not of URDF itself, but Bullet's and others'
    URDF_TYPES
} urdf_type;

typedef struct urdf_link {
    const io_xml_node *node;
    const char *given, *name; // as written, and as it is called here
    int joint;                // that carries it; -1: the root
    int children;             // joint of its last child in the file; others by urdf_joint.sibling; -1: none
    double mass;
    br_vec3 com;
    br_sym3 inertia; // about com, link axes
    br_pose X_WB;    // where all joints are at zero
    int first_shape, shapes;
    double mu[2]; // of <gazebo>: mu1, mu2; < 0: not given
} urdf_link;

typedef struct urdf_joint {
    const io_xml_node *node;
    const char *given, *name;
    urdf_type type;
    int parent, child; // links
    int sibling;       // the joint before it in the file that has the same parent; -1: none
    br_pose X_PJ;
    br_vec3 axis; // unit
    double lower, upper;
    double damping, friction;
    const io_xml_node *mimic; // NULL: none
    int leader;               // the joint that it mimics
    double multiplier, offset;
    double start;                 // position at the start
    double reach_low, reach_high; // where its limits and those of the joints it follows let it go
    int state;                    // of the walk along mimicked joints: 0 new, 1 on the way, 2 known
} urdf_joint;

typedef struct urdf_shape {
    const io_xml_node *node;
    br_shape_def def; // but for the material's name
} urdf_shape;

typedef struct urdf_surface {
    double mu;
    const char *name;
} urdf_surface;

typedef struct urdf {
    br_arena arena; // what is needed only while reading
    br_error *error;
    br_import_options options;
    br_import_report *report;
    br_builder *builder;
    const io_xml_node *root;
    const char *folder; // of the model, links resolved, without a final slash
    urdf_link *link;
    urdf_joint *joint;
    urdf_shape *shape;
    urdf_surface *surface;
    int links, joints, shapes, surfaces;
    int link_capacity, joint_capacity, shape_capacity, surface_capacity;
    int *order;                         // [links] parents first, the root at 0
    int base_world;                     // the root link is the world
    int strangers;                      // references of <gazebo> to what there is not
    br_names given_links, given_joints; // in the order of link and joint
    br_names link_names, joint_names, shape_names, surface_names;
    br_names mesh_names; // files with their scale, and the shapes that have their points
    int *mesh_shape, mesh_capacity;
} urdf;

// --- urdf/value.c ----------------------------------------------------------------------------------------------------

br_status br_urdf_fail(const urdf *u, const io_xml_node *node, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
br_status br_urdf_no_memory(const urdf *u);
br_status br_urdf_note(urdf *u, const io_xml_node *node, const char *attribute, br_import_effect effect,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));

// What an element's attributes, or its children, mean to this reader. Lists end with a name of NULL.
typedef struct urdf_known {
    const char *name;
    int effect;      // URDF_USED, or a br_import_effect
    const char *why; // not represented because
} urdf_known;

#define URDF_USED (-1)

// Notes attributes and children that are not represented, and those nobody knows; text between the tags, too.
br_status br_urdf_check(urdf *u, const io_xml_node *node, const urdf_known *attributes,
                        const urdf_known *children);
// The only child of that name; NULL: none. Two are an error.
br_status br_urdf_child(const urdf *u, const io_xml_node *node, const char *name, const io_xml_node **out);
br_status br_urdf_need(const urdf *u, const io_xml_node *node, const char *attribute, const char **out);

// Numbers: out keeps its contents when the attribute is not given. node NULL: nothing is given.
br_status br_urdf_numbers(const urdf *u, const io_xml_node *node, const char *name, int least, int most,
                          double *out, int *count);
br_status br_urdf_number(const urdf *u, const io_xml_node *node, const char *name, double *out);
br_status br_urdf_bound(const urdf *u, const io_xml_node *node, const char *name,
                        double *out); // may be infinite
br_status br_urdf_vector(const urdf *u, const io_xml_node *node, const char *name, br_vec3 *out);
br_status br_urdf_text_number(const urdf *u, const io_xml_node *node,
                              double *out);                               // <mu1>0.5</mu1>, or its value
br_status br_urdf_origin(urdf *u, const io_xml_node *node, br_pose *out); // of the node's <origin>

// A name as it may be here, with a note where it had to change.
br_status br_urdf_name(urdf *u, br_names *taken, const io_xml_node *node, const char *given,
                       const char **out);
// <child> link: there is no 'arn'; did you mean 'arm'?
br_status br_urdf_unknown(const urdf *u, const io_xml_node *node, const char *attribute, const char *name,
                          const br_names *names);

// --- the parts -------------------------------------------------------------------------------------------------------

br_status br_urdf_read_link(urdf *u, const io_xml_node *node);
br_status br_urdf_read_shape(urdf *u, int link, const io_xml_node *node); // of a <collision>
br_status br_urdf_read_joint(urdf *u, const io_xml_node *node);           // after all links
br_status br_urdf_read_gazebo(urdf *u, const io_xml_node *node);          // after all links and joints
br_status br_urdf_make_tree(urdf *u); // root, order; refuses what is no tree
br_status br_urdf_follow(urdf *u);    // mimicked joints, positions at the start
br_status br_urdf_build(urdf *u);     // into the builder

br_status br_urdf_build_visuals(urdf *u); // once links have names
// A mesh's file: beside the model, in a folder of its package there, or, where that is allowed, further up. path: PATH_MAX bytes.
int br_urdf_find_file(const urdf *u, const char *file, char *path);

int br_urdf_is_single(urdf_type type); // one coordinate

#endif
