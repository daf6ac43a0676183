// MJCF geoms as written: kind, place, size and mass. mjcf/inertia.c makes masses of them, mjcf/shape.c contact shapes.
#include <math.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"

static const char *const geom_name[MJCF_GEOM_TYPES] = {"plane",    "hfield", "sphere", "capsule", "ellipsoid",
                                                       "cylinder", "box",    "mesh",   "sdf"};

static br_status check_geom(const mjcf *m, mjcf_element e) {
    double friction[3] = {0.0, 0.0, 0.0};
    const br_status status = br_mjcf_numbers(m, e, "friction", 1, 3, friction, NULL);
    if (status != BR_OK) return status;
    for (int k = 0; k < 3; k++)
        if (friction[k] < 0.0)
            return br_mjcf_fail(m, e.node, "mjcf-range", "<geom> friction is %g, expected >= 0", friction[k]);
    return BR_OK;
}

// The sizes a type needs. With fromto the length is that of the line, and the pose follows it.
static br_status read_size(const mjcf *m, mjcf_element e, mjcf_geom *g) {
    static const int needed[MJCF_GEOM_TYPES] = {[MJCF_GEOM_SPHERE] = 1,
                                                [MJCF_GEOM_CAPSULE] = 2,
                                                [MJCF_GEOM_ELLIPSOID] = 3,
                                                [MJCF_GEOM_CYLINDER] = 2,
                                                [MJCF_GEOM_BOX] = 3};
    double line[6];
    int sizes, points;
    char hint[IO_XML_HINT] = "";
    br_status status = br_mjcf_numbers(m, e, "size", 1, 3, g->size, &sizes);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "fromto", 6, 6, line, &points);
    if (status != BR_OK) return status;
    const int along = g->type != MJCF_GEOM_SPHERE && points > 0 && needed[g->type] > 0;
    if (sizes < (along ? 1 : needed[g->type]))
        return br_mjcf_fail(m, e.node, "mjcf-count", "<geom> size has %d number%s, expected %d for a %s%s",
                            sizes, sizes == 1 ? "" : "s", along ? 1 : needed[g->type], geom_name[g->type],
                            sizes == 0 ? br_io_xml_hint(e.node, "size", hint) : "");
    if (along) {
        const br_vec3 a = br_vec3_of(line[0], line[1], line[2]), b = br_vec3_of(line[3], line[4], line[5]);
        br_vec3 z = br_vec3_sub(a, b);
        const double half = 0.5 * br_vec3_norm(z);
        status = br_mjcf_unit(m, e.node, "fromto", &z);
        if (status != BR_OK) return status;
        g->pose = br_pose_of(br_quat_from_mat3(br_tangent_basis(z)), br_vec3_scale(0.5, br_vec3_add(a, b)));
        if (needed[g->type] == 3) g->size[1] = g->size[0];
        g->size[needed[g->type] - 1] = half;
    }
    for (int k = 0; k < needed[g->type]; k++)
        if (!(g->size[k] > 0.0))
            return br_mjcf_fail(m, e.node, "mjcf-range", "<geom> size is %g, expected > 0", g->size[k]);
    return BR_OK;
}

static double volume_of(const mjcf_geom *g) {
    const double a = g->size[0], b = g->size[1], c = g->size[2];
    switch (g->type) {
    case MJCF_GEOM_SPHERE:
        return 4.0 / 3.0 * BR_PI * a * a * a;
    case MJCF_GEOM_CAPSULE:
        return BR_PI * a * a * (2.0 * b + 4.0 / 3.0 * a);
    case MJCF_GEOM_CYLINDER:
        return BR_PI * a * a * 2.0 * b;
    case MJCF_GEOM_ELLIPSOID:
        return 4.0 / 3.0 * BR_PI * a * b * c;
    case MJCF_GEOM_BOX:
        return 8.0 * a * b * c;
    default:
        return 0.0;
    }
}

static br_vec3 principal_of(const mjcf_geom *g) {
    const double m = g->mass, a = g->size[0], b = g->size[1], c = g->size[2];
    switch (g->type) {
    case MJCF_GEOM_SPHERE:
        return br_vec3_of(0.4 * m * a * a, 0.4 * m * a * a, 0.4 * m * a * a);
    case MJCF_GEOM_CYLINDER: {
        const double across = m * (3.0 * a * a + 4.0 * b * b) / 12.0;
        return br_vec3_of(across, across, 0.5 * m * a * a);
    }
    case MJCF_GEOM_CAPSULE: { // a cylinder of length 2 b and two half spheres, balanced 3 a / 8 beyond its ends
        const double caps = m * 2.0 * a / (2.0 * a + 3.0 * b), tube = m - caps;
        const double across =
            tube * (3.0 * a * a + 4.0 * b * b) / 12.0 + caps * (0.4 * a * a + 0.75 * a * b + b * b);
        return br_vec3_of(across, across, 0.5 * tube * a * a + 0.4 * caps * a * a);
    }
    case MJCF_GEOM_ELLIPSOID:
        return br_vec3_of(m * (b * b + c * c) / 5.0, m * (a * a + c * c) / 5.0, m * (a * a + b * b) / 5.0);
    case MJCF_GEOM_BOX:
        return br_vec3_of(m * (b * b + c * c) / 3.0, m * (a * a + c * c) / 3.0, m * (a * a + b * b) / 3.0);
    default:
        return br_vec3_zero();
    }
}

static br_status read_mass(const mjcf *m, mjcf_element e, mjcf_geom *g) {
    double density = 1000.0, mass = -1.0, group = 0.0; // MuJoCo's: water
    br_status status = br_mjcf_number(m, e, "density", &density);
    if (status == BR_OK) status = br_mjcf_number(m, e, "mass", &mass);
    if (status == BR_OK) status = br_mjcf_number(m, e, "group", &group);
    if (status != BR_OK) return status;
    const int has_mass = br_mjcf_get(m, e, "mass", NULL) != NULL;
    if (density < 0.0 || (has_mass && mass < 0.0))
        return br_mjcf_fail(m, e.node, "mjcf-range", "<geom> %s is %g, expected >= 0",
                            has_mass ? "mass" : "density", has_mass ? mass : density);
    const int counts =
        group >= br_mjcf_scope(m, e.node)->group_low && group <= br_mjcf_scope(m, e.node)->group_high;
    const int from_file =
        g->type == MJCF_GEOM_MESH || g->type == MJCF_GEOM_SDF || br_mjcf_get(m, e, "mesh", NULL);
    if (!counts || g->type == MJCF_GEOM_PLANE || g->type == MJCF_GEOM_HFIELD) return BR_OK;
    g->mass = has_mass ? mass : density * volume_of(g);
    if (from_file) {
        g->from_mesh = has_mass ? mass > 0.0 : density > 0.0;
        g->density = has_mass ? -1.0 : density;
        return BR_OK;
    }
    const br_vec3 principal = principal_of(g);
    g->inertia = br_sym3_of(principal.x, principal.y, principal.z, 0.0, 0.0, 0.0);
    return BR_OK;
}

br_status br_mjcf_read_geom(const mjcf *m, const io_xml_node *node, int class, mjcf_geom *g,
                            mjcf_element *e) {
    int type = MJCF_GEOM_SPHERE;
    *g = (mjcf_geom){.type = MJCF_GEOM_SPHERE};
    br_status status = br_mjcf_element_of(m, node, class, e);
    if (status != BR_OK) return status;
    if (br_mjcf_get(m, *e, "mesh", NULL) && !br_mjcf_get(m, *e, "type", NULL)) type = MJCF_GEOM_MESH;
    status = br_mjcf_word(m, *e, "type", geom_name, MJCF_GEOM_TYPES, &type);
    g->type = (mjcf_geom_type)type;
    if (status == BR_OK) status = check_geom(m, *e);
    if (status == BR_OK) status = br_mjcf_pose(m, *e, &g->pose);
    const int fitted =
        br_mjcf_get(m, *e, "mesh", NULL) != NULL; // a primitive around a mesh has no size of its own
    if (status == BR_OK && !fitted && volume_of(&(mjcf_geom){.type = g->type, .size = {1.0, 1.0, 1.0}}) > 0.0)
        status = read_size(m, *e, g);
    if (status == BR_OK) status = read_mass(m, *e, g);
    return status;
}
