// MJCF geoms as contact shapes. Those that can touch nothing (contype and conaffinity 0) are for pictures and left out.
//
// MuJoCo lets two geoms touch when one's contype meets the other's conaffinity, which is what category and mask are here.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"

static const mjcf_known geom_known[] = {
    {"name", MJCF_USED, 0},
    {"class", MJCF_USED, 0},
    {"type", MJCF_USED, 0},
    {"size", MJCF_USED, 0},
    {"fromto", MJCF_USED, 0},
    {"pos", MJCF_USED, 0},
    {"quat", MJCF_USED, 0},
    {"axisangle", MJCF_USED, 0},
    {"euler", MJCF_USED, 0},
    {"xyaxes", MJCF_USED, 0},
    {"zaxis", MJCF_USED, 0},
    {"mass", MJCF_USED, 0},
    {"density", MJCF_USED, 0},
    {"group", MJCF_USED, 0},
    {"mesh", MJCF_USED, 0},
    {"friction", MJCF_USED, 0},
    {"contype", MJCF_USED, 0},
    {"conaffinity", MJCF_USED, 0},
    {"condim", MJCF_USED, 0},
    {"priority", MJCF_USED, 0},
    {"solmix", BR_IMPORT_NUMERICS, "goes with solref and solimp"},
    {"solref", BR_IMPORT_NUMERICS, "contacts are rigid here; give the pair of materials a compliance"},
    {"solimp", BR_IMPORT_NUMERICS, "contacts are rigid here; give the pair of materials a compliance"},
    {"margin", MJCF_USED, 0},
    {"gap", MJCF_USED, 0},
    {"hfield", MJCF_USED, 0},
    {"fitscale", MJCF_USED, 0},
    {"material", BR_IMPORT_LOOKS, "for pictures only"}, // for pictures
    {"rgba", BR_IMPORT_LOOKS, "for pictures only"},
    {"user", BR_IMPORT_LOOKS, "user data is not read"},
    {"shellinertia", MJCF_USED, 0},
    {"fluidshape", BR_IMPORT_MOTION, "there is no medium around the bodies"},
    {"fluidcoef", BR_IMPORT_NUMERICS, "goes with fluidshape"},
    {NULL, 0, NULL},
};

static br_status read_bits(const mjcf *m, mjcf_element e, const char *name, unsigned *out) {
    double value = 1.0; // MuJoCo's default
    const br_status status = br_mjcf_number(m, e, name, &value);
    if (status != BR_OK) return status;
    if (!(value >= 0.0 && value <= INT_MAX && value == floor(value)))
        return br_mjcf_fail(m, e.node, "mjcf-range", "<geom> %s is %g, expected a whole number from 0 to %d",
                            name, value, INT_MAX);
    *out = (unsigned)value;
    return BR_OK;
}

// A given name as it is called here; NULL when there is none: the model makes one of the body's.
static br_status name_shape(mjcf *m, const io_xml_node *node, const char **out) {
    const char *given = br_io_xml_get(node, "name");
    if (!given || !given[0]) return BR_OK;
    br_status status = br_mjcf_once(m, "geom", given, node);
    if (status == BR_OK) status = br_mjcf_free_name(m, &m->shape_names, given, out);
    if (status == BR_OK && strcmp(*out, given) != 0)
        status = br_mjcf_note(m, node, "name", BR_IMPORT_LOOKS, "'%.60s' is called '%s' here", given, *out);
    return status;
}

static br_status remember_name(mjcf *m, const io_xml_node *node, int body, const mjcf_geom *g) {
    const char *given = br_io_xml_get(node, "name");
    if (!given || !given[0] || br_names_find(&m->given_geoms, given) >= 0) return BR_OK;
    if (!BR_GROW(&m->arena, m->named_geom, m->named_geoms, m->named_geom_capacity) ||
        br_names_add(&m->given_geoms, &m->arena, given) != BR_OK)
        return br_mjcf_no_memory(m);
    m->named_geom[m->named_geoms++] = (mjcf_named_geom){body, *g};
    return BR_OK;
}

// *found 0: there is no such shape here, and a note says so.
static br_status read_kind(mjcf *m, int body, mjcf_element e, const mjcf_geom *g, br_shape_def *def,
                           int *found) {
    const double *size = g->size;
    *found = 1;
    if (g->type != MJCF_GEOM_MESH && g->type != MJCF_GEOM_SDF && br_mjcf_get(m, e, "mesh", NULL)) {
        *found = 0;
        return br_mjcf_note(m, e.node, "mesh", BR_IMPORT_MOTION,
                            "a shape fitted to a mesh is not represented; give its size, or type=\"mesh\"");
    }
    switch (g->type) {
    case MJCF_GEOM_PLANE:
        if (body >= 0 && m->body[body].moves)
            return br_mjcf_fail(m, e.node, "mjcf-structure",
                                "a plane belongs to a body that moves; it must stay fixed");
        def->type = BR_SHAPE_PLANE;
        return BR_OK;
    case MJCF_GEOM_SPHERE:
        def->type = BR_SHAPE_SPHERE;
        def->size.x = size[0];
        return BR_OK;
    case MJCF_GEOM_CAPSULE:
    case MJCF_GEOM_CYLINDER:
        def->type = g->type == MJCF_GEOM_CAPSULE ? BR_SHAPE_CAPSULE : BR_SHAPE_CYLINDER;
        def->size.x = size[0];
        def->length = 2.0 * size[1];
        return BR_OK;
    case MJCF_GEOM_ELLIPSOID:
        def->type = BR_SHAPE_ELLIPSOID;
        def->size = br_vec3_of(size[0], size[1], size[2]);
        return BR_OK;
    case MJCF_GEOM_BOX:
        def->type = BR_SHAPE_BOX;
        def->size = br_vec3_of(2.0 * size[0], 2.0 * size[1], 2.0 * size[2]);
        return BR_OK;
    case MJCF_GEOM_MESH:
        return br_mjcf_read_mesh(m, e, def, found);
    case MJCF_GEOM_HFIELD:
        return br_mjcf_read_field(m, e, def, found);
    default:
        *found = 0;
        return br_mjcf_note(m, e.node, "type", BR_IMPORT_MOTION,
                            "shapes by a distance function are not represented");
    }
}

// MuJoCo's contacts push from margin - gap on: bodies rest that far apart.
static br_status note_margin(mjcf *m, mjcf_element e) {
    double margin = 0.0, gap = 0.0;
    br_status status = br_mjcf_number(m, e, "margin", &margin);
    if (status == BR_OK) status = br_mjcf_number(m, e, "gap", &gap);
    if (status != BR_OK || margin == 0.0) return status;
    if (!(margin > gap))
        return br_mjcf_note(m, e.node, "margin", BR_IMPORT_NUMERICS, "contacts act when the surfaces meet");
    return br_mjcf_note(m, e.node, "margin", BR_IMPORT_MOTION,
                        "contacts act when the surfaces meet; MuJoCo's rest %g m apart", margin - gap);
}

static br_status keep_shape(mjcf *m, const mjcf_shape *shape) {
    if (!BR_GROW(&m->arena, m->shape, m->shapes, m->shape_capacity)) return br_mjcf_no_memory(m);
    m->shape[m->shapes] = *shape;
    if (shape->body >= 0) {
        mjcf_body *b = &m->body[shape->body];
        if (b->shapes++ == 0) b->first_shape = m->shapes;
    }
    m->shapes++;
    if (shape->paired) m->paired_shape[shape->paired - 1] = m->shapes;
    return BR_OK;
}

br_status br_mjcf_read_shape(mjcf *m, int body, mjcf_element e, const mjcf_geom *g) {
    mjcf_shape shape = {.node = e.node, .body = body, .def = {.pose = g->pose, .axis = br_vec3_unit(2)}};
    br_shape_def *def = &shape.def;
    int found = 0;
    int shell = 0;
    br_status status = br_mjcf_check(m, e, geom_known);
    if (status == BR_OK) status = br_mjcf_flag(m, e, "shellinertia", 0, &shell);
    if (status == BR_OK && shell && g->type != MJCF_GEOM_MESH && g->mass > 0.0)
        status = br_mjcf_note(m, e.node, "shellinertia", BR_IMPORT_MOTION,
                              "masses count as solid, but for those of meshes");
    if (status == BR_OK) status = note_margin(m, e);
    if (status == BR_OK) status = read_bits(m, e, "contype", &def->category);
    if (status == BR_OK) status = read_bits(m, e, "conaffinity", &def->mask);
    if (status == BR_OK) status = remember_name(m, e.node, body, g);
    if (status != BR_OK || m->contact_off) return status;
    shape.paired = br_mjcf_paired(m, e.node);
    if (def->category == 0 && def->mask == 0 && !shape.paired) {
        status = br_mjcf_keep_visual(m, body, e, g);
        return status == BR_OK ? br_mjcf_note(m, e.node, NULL, BR_IMPORT_LOOKS,
                                              "shapes for pictures are drawn and touch nothing")
                               : status;
    }
    if (def->category == 1 && def->mask == 1 && !shape.paired)
        def->category = def->mask = 0; // as bristle has it unsaid
    status = read_kind(m, body, e, g, def, &found);
    if (status != BR_OK || !found) return status;
    status = name_shape(m, e.node, &def->name);
    if (status == BR_OK) status = br_mjcf_surface_of(m, e, shape.paired, &shape.surface);
    return status == BR_OK ? keep_shape(m, &shape) : status;
}
