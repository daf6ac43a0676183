// Reading MuJoCo models (MJCF), the parts that the mjcf_*.c files share.
//
//     mjcf/read.c       the file: settings, the order of things
//     mjcf/include.c    the file and what it includes
//     mjcf/attach.c     parts of other files that it attaches
//     mjcf/attribute.c  values: default classes, numbers, orientations
//     mjcf/note.c       what attributes mean, notes about those that are not represented
//     mjcf/body.c       bodies and joints as written
//     mjcf/site.c       sites, as frames of bodies
//     mjcf/geom.c       geoms as written
//     mjcf/inertia.c    masses, from <inertial> or from geoms
//     mjcf/solid.c      masses of meshes
//     mjcf/shape.c      contact shapes, from geoms
//     mjcf/asset.c      the meshes and height fields that geoms name
//     mjcf/contact.c    frictions as materials and pairs, what is excluded
//     mjcf/build.c      definitions for the builder
//     mjcf/link.c       equality constraints
//     mjcf/tendon.c     tendons, as tendon joints
//     mjcf/tendon_rest.c   how long a tendon is where its joints are at springref
//     mjcf/actuator.c   actuators, at the controls of the start
//     mjcf/sensor.c     sensors, as channels
//     mjcf/keyframe.c   the state to start from
//
// MuJoCo gives poses at qpos = ref; a bristle model gives them where the joints are at zero. So each body has
// two poses here: X_WB at zero and X_WB_ref as the file has it.
#ifndef BR_IO_IMPORT_MJCF_MJCF_H
#define BR_IO_IMPORT_MJCF_MJCF_H

#include "bristle/io.h"
#include "io/import/import_report.h"
#include "io/import/xml_tree.h"
#include "io/text/beside.h"
#include "model/build/visual.h"
#include "model/def/names.h"

enum {
    MJCF_MAX_CLASSES = 1000, // default classes
    MJCF_MAX_FILES = 64,     // included
    MJCF_MAX_DEFAULTS = 64,  // <default> elements of one class that actuators take
};

// A default class: its <default> elements, of which the last one speaks first, then its parent's.
typedef struct mjcf_default {
    const io_xml_node *node;
    const struct mjcf_default *next;
} mjcf_default;

typedef struct mjcf_class {
    const char *name;
    int parent; // -1: the main class
    const mjcf_default *newest;
} mjcf_class;

// An element and the class that fills in what it does not say itself; -1: none.
typedef struct mjcf_element {
    const io_xml_node *node;
    int class;
} mjcf_element;

typedef enum mjcf_joint_type { MJCF_FREE = 0, MJCF_BALL, MJCF_SLIDE, MJCF_HINGE } mjcf_joint_type;

typedef struct mjcf_joint {
    const io_xml_node *node;
    mjcf_joint_type type;
    const char *given, *name; // as written (NULL: not at all), and as it is called here
    int body;
    br_vec3 point, axis; // body frame; axis is a unit vector
    double ref, lower, upper;
    double damping, stiffness, rest, armature, friction_loss;
    double effort_low, effort_high; // of all its actuators together; -+INFINITY: no limit
    int actuators;                  // that act on it
    double q[7], v[6];              // at the start, where a keyframe gives it
} mjcf_joint;

typedef struct mjcf_site {
    const char *name; // as it is called here: a frame of the body
    int body;         // -1: the world
    br_pose pose;     // body frame
    mjcf_element element;
    int next; // of the same body: 1 + its index; 0: none
} mjcf_site;

// One joint of a fixed tendon, whose length is the sum of coefficient times position.
typedef struct mjcf_term {
    int joint;
    double coefficient;
} mjcf_term;

typedef struct mjcf_tendon {
    const io_xml_node *node;
    const mjcf_term *term;
    int terms;                // of a fixed one
    br_tendon_part_def *part; // its path
    int parts;                // 0: of a kind that is not represented
    const char *name;         // of the tendon joint that it becomes
} mjcf_tendon;

typedef enum mjcf_geom_type {
    MJCF_GEOM_PLANE = 0,
    MJCF_GEOM_HFIELD,
    MJCF_GEOM_SPHERE,
    MJCF_GEOM_CAPSULE,
    MJCF_GEOM_ELLIPSOID,
    MJCF_GEOM_CYLINDER,
    MJCF_GEOM_BOX,
    MJCF_GEOM_MESH,
    MJCF_GEOM_SDF,
    MJCF_GEOM_TYPES
} mjcf_geom_type;

typedef struct mjcf_geom {
    mjcf_geom_type type;
    br_pose pose;   // body frame
    double size[3]; // MuJoCo's: radius and half length, or half sizes
    double mass;
    br_vec3 com;     // in the geom's frame
    br_sym3 inertia; // about com, along the geom's axes
    int from_mesh;   // its mass comes from a mesh, and mass and inertia above are not set yet
    double density;  // of such a mesh; < 0: mass is given
} mjcf_geom;

// A geom by its name, for tendons that go around it.
typedef struct mjcf_named_geom {
    int body; // -1: the world
    mjcf_geom geom;
} mjcf_named_geom;

// A mesh as a solid, or as a shell, of density 1.
typedef struct mjcf_solid {
    int known;     // 0: not read yet, 1 read, 2 there is none
    double volume; // m^3; of a shell its area, m^2
    br_vec3 com;
    br_sym3 inertia; // about com
} mjcf_solid;

// What decides the friction of a contact in MuJoCo. Each different one becomes a material.
typedef struct mjcf_surface {
    int condim, priority;
    double friction[3]; // sliding; torsional, rolling: m
    int own;            // of one geom alone, which a <pair> names: 1 + its place among those
    const char *name;
} mjcf_surface;

typedef struct mjcf_shape {
    const io_xml_node *node;
    int body; // -1: the world
    int surface;
    int paired;       // 1 + the place of its name among those of <pair>; 0: it has none
    br_shape_def def; // but for the material's name
} mjcf_shape;

// Mass of a body and of all that hangs on it, at qpos0, about the world's origin.
typedef struct mjcf_composite {
    double mass;
    br_vec3 moment;
    br_sym3 inertia;
} mjcf_composite;

typedef struct mjcf_body {
    const io_xml_node *node;
    const char *given, *name;
    int parent;              // -1: the world
    int first_joint, joints; // several joints: bodies without mass between them
    int moves;               // itself or an ancestor has a joint
    int first_shape, shapes;
    int first_site, last_site, sites; // 1 + index
    br_pose X_PB;                     // in the parent, as written
    br_pose X_PB_start;               // the same at the start: a keyframe may place bodies of mocap
    int mocap;                        // 1 + its number among those; 0: it is none
    br_pose X_WB, X_WB_ref;           // see the head of the file
    double mass;
    br_vec3 com;
    br_sym3 inertia;             // about com
    double gravity_compensation; // part of its weight that is carried
    const io_xml_node *no_mass;  // a geom whose mass could not be read; NULL: none
} mjcf_body;

// What <compiler> says. Each file that is attached has its own.
typedef struct mjcf_scope {
    const io_xml_node *root;
    const char *path; // of the file, links resolved
    int open;         // it is being read: a file that attaches it now would have no end
    double angle;     // radians per unit of angle
    char euler[4];
    int auto_limits, inertia_from_geom /* 0 no, 1 when there is no inertial, 2 always */;
    int group_low, group_high; // geoms that count for inertia
    int balance_inertia;
    double bound_mass, bound_inertia;
    const char *mesh_folder; // within the model's; NULL: the model's own
    int strip_path;          // only the last part of a file's name counts
    int exact_mesh;          // exactmeshinertia: volumes with signs where a mesh does not say
    int main_class;          // its default class; -1: none
} mjcf_scope;

typedef struct mjcf {
    br_arena arena; // what is needed only while reading
    br_error *error;
    br_import_options options;
    br_import_report *report;
    br_builder *builder;
    const io_xml_node *root;
    const char *folder; // of the model, links resolved, without a final slash
    const char **included;
    int files;

    mjcf_scope *scope; // of the file itself, then of the models that it attaches
    int scopes, scope_capacity;
    double total_mass;
    // <flag ...="disable">; equality and actuation act on whole sections, the others where the numbers are read
    int contact_off, spring_off, damper_off, limit_off, friction_off, equality_off, actuation_off, clamp_off;
    br_joined_bodies joined; // where there are shapes that may touch
    unsigned groups_off;     // actuatorgroupdisable, one bit each
    double
        mesh_rule; // largest part by which MuJoCo's older rule for masses of meshes adds to what their faces enclose
    const char *mesh_most; // of which mesh
    br_settings settings;

    mjcf_class *class;
    int classes, class_capacity;
    mjcf_body *body;
    int bodies, body_capacity, mocaps;
    mjcf_joint *joint;
    int joints, joint_capacity;
    mjcf_shape *shape; // body by body
    int shapes, shape_capacity;
    br_visual *visual; // index: the body
    int visuals, visual_capacity;
    mjcf_surface *surface;
    int surfaces, surface_capacity;
    br_names given_geoms;        // of all, also of those for pictures
    mjcf_named_geom *named_geom; // index is that of given_geoms
    int named_geoms, named_geom_capacity;
    br_names paired;       // names of geoms that a <pair> names
    int *paired_shape;     // [paired] 1 + the shape's index; 0: there is none
    br_pair_def *own_pair; // of the <pair>s whose geoms are there
    int own_pairs, own_pair_capacity;
    br_names shape_names, surface_names;
    br_names asset_names; // "mesh/x", "hfield/y"
    const io_xml_node **asset;
    int asset_capacity;
    mjcf_solid (*solid)[2]; // [assets] of meshes, solid and shell; NULL: none was asked for
    mjcf_site *site;
    int closures; // joints that close loops, of <equality>
    int sites, site_capacity;
    br_names given_sites; // index is that of the array
    mjcf_tendon *tendon;
    int tendons, tendon_capacity;
    br_names given_tendons;    // index is that of the array
    mjcf_composite *composite; // [bodies]; NULL: not worked out yet
    int keyed;                 // the joints' q and v are set by a keyframe
    const double *control;     // [controls] of the actuators; NULL: zero
    int controls;
    const double *activation; // [activations] states of those actuators that have one; NULL: zero
    int activations;
    br_names given_bodies, given_joints; // index in these tables is not that of the arrays: see *_of
    int *body_of, *joint_of;             // [given names] index in the arrays
    br_names body_names, joint_names, drive_names, load_names, constraint_names,
        sensor_names; // as they are called here
} mjcf;

// --- mjcf/attribute.c
// ----------------------------------------------------------------------------------------------

br_status br_mjcf_fail(const mjcf *m, const io_xml_node *node, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
br_status br_mjcf_no_memory(const mjcf *m);

// The settings that an element is read by.
static inline const mjcf_scope *br_mjcf_scope(const mjcf *m, const io_xml_node *node) {
    return &m->scope[node->scope];
}

br_status br_mjcf_read_defaults(mjcf *m, const io_xml_node *section);
br_status br_mjcf_class_find(const mjcf *m, const io_xml_node *node, const char *name, int *out);

// The element with its class: its own `class`, else the given one (of childclass).
br_status br_mjcf_element_of(const mjcf *m, const io_xml_node *node, int class, mjcf_element *out);

// An attribute's value, from the element or its defaults, and the node it is written on (from may be NULL).
const char *br_mjcf_get(const mjcf *m, mjcf_element e, const char *name, const io_xml_node **from);

// Numbers: out keeps its contents when the attribute is not given. count (may be NULL) is 0 then.
br_status br_mjcf_numbers(const mjcf *m, mjcf_element e, const char *name, int least, int most, double *out,
                          int *count);
br_status br_mjcf_number(const mjcf *m, mjcf_element e, const char *name, double *out);
// As many as there are, in the arena.
br_status br_mjcf_list(mjcf *m, mjcf_element e, const char *name, double **out, int *count);
br_status br_mjcf_vector(const mjcf *m, mjcf_element e, const char *name, br_vec3 *out);
// One of words; *out is untouched when the attribute is not given.
br_status br_mjcf_word(const mjcf *m, mjcf_element e, const char *name, const char *const *words,
                       int words_count, int *out);
// false 0, true 1, auto 2 (where allowed)
br_status br_mjcf_flag(const mjcf *m, mjcf_element e, const char *name, int allow_auto, int *out);
// quat, axisangle, euler, xyaxes, zaxis; the identity when there is none. *given (may be NULL): whether there
// is one.
br_status br_mjcf_orientation(const mjcf *m, mjcf_element e, br_quat *out, int *given);
br_quat br_mjcf_euler(const mjcf *m, const io_xml_node *node,
                      const double *angle); // as <compiler> has angles and their order
br_status br_mjcf_pose(const mjcf *m, mjcf_element e, br_pose *out); // pos and orientation
br_status br_mjcf_unit(const mjcf *m, const io_xml_node *node, const char *what,
                       br_vec3 *axis); // makes it a unit vector

// --- mjcf/note.c
// ---------------------------------------------------------------------------------------------------

// What an element's attributes mean to this reader.
typedef struct mjcf_known {
    const char *name;
    int effect;      // MJCF_USED, or a br_import_effect
    const char *why; // not represented because; its value is of no interest when it is zero, false or auto
} mjcf_known;

#define MJCF_USED (-1)

br_status br_mjcf_note(mjcf *m, const io_xml_node *node, const char *attribute, br_import_effect effect,
                       const char *format, ...) __attribute__((format(printf, 5, 6)));
// Notes the attributes of an element, its defaults included, that are not represented, and those nobody
// knows.
br_status br_mjcf_check(mjcf *m, mjcf_element e, const mjcf_known *known);
// Notes text between the tags.
br_status br_mjcf_check_text(mjcf *m, const io_xml_node *node);
// Remembers where an element of the model stands: group "bodies", "joints", "drives".
br_status br_mjcf_place(mjcf *m, const char *group, const char *name, const io_xml_node *node);
// Adds the element's place to an error of the builder.
br_status br_mjcf_placed(const mjcf *m, const io_xml_node *node, br_status status);

// --- the parts
// -----------------------------------------------------------------------------------------------------

br_status br_mjcf_load(mjcf *m, const char *path); // the file and what it includes
br_status br_mjcf_begin_scope(mjcf *m, const io_xml_node *root,
                              const char *path); // with MuJoCo's own settings
br_status br_mjcf_load_other(mjcf *m, const char *path,
                             io_xml_node **root); // a file of its own, with what it includes
br_status br_mjcf_attach(mjcf *m);                // <attach>, as copies of what it names; after br_mjcf_load
br_status br_mjcf_settings(mjcf *m);              // compiler, option, size
br_status br_mjcf_replicate(mjcf *m);             // <replicate>, as <frame>s with copies; after the settings
br_status br_mjcf_read_bodies(mjcf *m);           // every worldbody
br_status br_mjcf_read_geom(const mjcf *m, const io_xml_node *node, int class, mjcf_geom *g, mjcf_element *e);
// Takes a geom for contact: of body -1, the world. g's pose is in the body frame.
br_status br_mjcf_read_shape(mjcf *m, int body, mjcf_element e, const mjcf_geom *g);
br_status br_mjcf_read_assets(mjcf *m); // which there are; none is opened
br_status br_mjcf_once(mjcf *m, const char *kind, const char *name,
                       const io_xml_node *node); // that a name is new
// Where a file that the model names is, heeding import.outside.
io_beside br_mjcf_locate(const mjcf *m, const char *name, char out[PATH_MAX]);
// The same of a file that an element names: beside the model first, as MuJoCo does, then beside the file that the element is in.
io_beside br_mjcf_locate_from(const mjcf *m, const io_xml_node *node, const char *name, char out[PATH_MAX]);
// The same for meshes and fields. *found 0: it is not there; a note says so unless lost (what is missing then) is NULL.
br_status br_mjcf_find_asset_file(mjcf *m, const io_xml_node *node, const char *file, const char *lost,
                                  char path[PATH_MAX], int *found);
// The <mesh> or <hfield> that a geom names; *index may be NULL.
br_status br_mjcf_find_asset(const mjcf *m, mjcf_element e, const char *kind, const io_xml_node **out,
                             int *index);
typedef struct mjcf_placing {
    br_vec3 origin, scale;
    br_quat turn;
} mjcf_placing;
br_status br_mjcf_mesh_placing(const mjcf *m, mjcf_element e, mjcf_placing *out); // refpos, refquat, scale
br_vec3 br_mjcf_place_point(const mjcf_placing *p, br_vec3 x);
br_status br_mjcf_mesh_points(mjcf *m, mjcf_element e, br_vec3 **points, int *count); // of `vertex`
// Fills in mass, com and inertia of a geom that has them from its mesh. *found 0: the mesh is not there.
br_status br_mjcf_mesh_mass(mjcf *m, mjcf_element geom, mjcf_geom *g, int *found);
br_status br_mjcf_tell_mesh_rule(mjcf *m); // where MuJoCo's older rule makes masses of meshes larger
// Points or heights into def. *found 0: left out, with a note.
br_status br_mjcf_read_mesh(mjcf *m, mjcf_element e, br_shape_def *def, int *found);
br_status br_mjcf_read_field(mjcf *m, mjcf_element e, br_shape_def *def, int *found);
// The index of its kind of friction; paired: as mjcf_shape has it.
br_status br_mjcf_surface_of(mjcf *m, mjcf_element e, int paired, int *out);
br_status br_mjcf_list_pairs(mjcf *m); // which geoms a <pair> names; before the bodies are read
int br_mjcf_paired(const mjcf *m, const io_xml_node *geom); // as mjcf_shape has it
// <pair>: friction of two geoms, into own_pair, and that they touch whatever contype and conaffinity say.
br_status br_mjcf_read_pairs(mjcf *m);
br_status br_mjcf_read_contact(mjcf *m); // materials, pairs, exclude; after the names are known
br_status br_mjcf_read_inertia(mjcf *m, int body, int class, const io_xml_node *node); // body -1: the world
br_status br_mjcf_scale_masses(mjcf *m);                                               // settotalmass
br_status br_mjcf_name_all(mjcf *m);   // names for the model, then poses
br_status br_mjcf_build(mjcf *m);      // into the builder
br_status br_mjcf_read_links(mjcf *m); // equality
br_status br_mjcf_read_site(mjcf *m, const io_xml_node *node, int body, int class, const br_pose *X_BF);
br_status
br_mjcf_read_keyframes(mjcf *m); // the one that is asked for, into the joints; after the names are known
br_status br_mjcf_read_tendons(mjcf *m);
br_status br_mjcf_add_tendons(mjcf *m); // as tendon joints; after br_mjcf_build
br_status br_mjcf_read_actuators(mjcf *m);
br_status br_mjcf_read_sensors(mjcf *m);             // after the actuators
br_status br_mjcf_count_states(mjcf *m, int *count); // of actuators
br_status br_mjcf_unknown_name(const mjcf *m, const io_xml_node *node, const char *attribute,
                               const char *name,
                               const br_names *names); // mjcf-unknown-name, with the nearest one
double br_mjcf_start(const mjcf *m, int joint);        // of a hinge or slide joint
br_status br_mjcf_free_name(mjcf *m, br_names *taken, const char *wish,
                            const char **out); // wish, made right and unique

int br_mjcf_find_body(const mjcf *m, const char *given);  // -1: none
int br_mjcf_find_joint(const mjcf *m, const char *given); // -1: none

// --- mjcf/visual.c

br_status br_mjcf_keep_visual(mjcf *m, int body, mjcf_element e, const mjcf_geom *g); // a geom for pictures
br_status br_mjcf_build_visuals(mjcf *m); // once bodies have names

#endif
