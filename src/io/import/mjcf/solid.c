// Masses of MJCF meshes: volume, centre and inertia of what the triangles enclose, each as a tetrahedron with a sign from
// one point; or of the triangles themselves, where they are a shell. MuJoCo's older rule, which a mesh has unless it says
// otherwise, takes the volumes without signs, from the middle of the surface for the centre, then from that centre: the same for
// a mesh that is convex, more for all others.
//
//     V = sum of d/6, d = det(a, b, c);   int x x^T = sum of d/120 (s s^T + a a^T + b b^T + c c^T), s = a + b + c
//     A = sum of e, an area each;         int x x^T = sum of e/12 (s s^T + a a^T + b b^T + c c^T)
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collide/collide.h"
#include "io/import/mesh.h"
#include "io/import/mjcf/mjcf.h"

#define MJCF_EPS_VOLUME 1e-15 // m^3, as MuJoCo's smallest

// Symmetric products x x^T as xx, yy, zz, xy, xz, yz.
static void add_square(double out[6], double factor, br_vec3 x) {
    const double square[6] = {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z};
    for (int k = 0; k < 6; k++) out[k] += factor * square[k];
}

static mjcf_solid sum_faces(const br_vec3 *corner, int count, int shell) {
    mjcf_solid solid = {.known = 1};
    double square[6] = {0.0};
    br_vec3 moment = br_vec3_zero();
    const br_vec3 from = corner[0]; // near the mesh: digits are kept when it is far out
    for (int k = 0; k + 2 < count; k += 3) {
        const br_vec3 a = br_vec3_sub(corner[k], from), b = br_vec3_sub(corner[k + 1], from),
                      c = br_vec3_sub(corner[k + 2], from), s = br_vec3_add(a, br_vec3_add(b, c));
        const double d = shell ? 0.5 * br_vec3_norm(br_vec3_cross(br_vec3_sub(b, a), br_vec3_sub(c, a)))
                               : br_vec3_dot(a, br_vec3_cross(b, c)) / 6.0;
        const double weight = d / (shell ? 12.0 : 20.0);
        solid.volume += d;
        moment = br_vec3_add_scaled(moment, d / (shell ? 3.0 : 4.0), s);
        add_square(square, weight, s);
        add_square(square, weight, a);
        add_square(square, weight, b);
        add_square(square, weight, c);
    }
    if (!(fabs(solid.volume) > 0.0)) return solid;
    const br_vec3 com = br_vec3_scale(1.0 / solid.volume, moment);
    add_square(square, -solid.volume, com);
    solid.com = br_vec3_add(from, com);
    solid.inertia = br_sym3_of(square[1] + square[2], square[0] + square[2], square[0] + square[1],
                               -square[3], -square[4], -square[5]);
    return solid;
}

static mjcf_solid without_signs(const br_vec3 *corner, int count) {
    mjcf_solid solid = {.known = 1};
    double square[6] = {0.0}, area = 0.0;
    br_vec3 from = br_vec3_zero(), moment = br_vec3_zero();
    for (int pass = 0; pass < 3; pass++) { // the surface's middle, the centre of mass, inertia about that
        solid.volume = 0.0;
        for (int k = 0; k + 2 < count; k += 3) {
            const br_vec3 a = br_vec3_sub(corner[k], from), b = br_vec3_sub(corner[k + 1], from),
                          c = br_vec3_sub(corner[k + 2], from), s = br_vec3_add(a, br_vec3_add(b, c));
            const double e = 0.5 * br_vec3_norm(br_vec3_cross(br_vec3_sub(b, a), br_vec3_sub(c, a)));
            const double d = fabs(br_vec3_dot(a, br_vec3_cross(b, c))) / 6.0;
            solid.volume += d;
            if (pass == 0) area += e, moment = br_vec3_add_scaled(moment, e / 3.0, s);
            if (pass == 1) moment = br_vec3_add_scaled(moment, d / 4.0, s);
            if (pass < 2) continue;
            add_square(square, d / 20.0, s);
            add_square(square, d / 20.0, a);
            add_square(square, d / 20.0, b);
            add_square(square, d / 20.0, c);
        }
        const double whole = pass == 0 ? area : solid.volume;
        if (!(whole > 0.0)) return (mjcf_solid){.known = 1};
        if (pass < 2) from = br_vec3_add_scaled(from, 1.0 / whole, moment), moment = br_vec3_zero();
    }
    solid.com = from;
    solid.inertia = br_sym3_of(square[1] + square[2], square[0] + square[2], square[0] + square[1],
                               -square[3], -square[4], -square[5]);
    return solid;
}

// Corners of the faces of the hull, each face a fan.
static br_status hull_corners(mjcf *m, const io_xml_node *node, const br_vec3 *point, int points,
                              br_vec3 **out, int *count) {
    const br_shape_def def = {
        .type = BR_SHAPE_CONVEX, .pose = br_pose_identity(), .points = point, .point_count = points};
    br_geometry geometry;
    br_error fault = {0};
    const br_status status = br_geometry_make(&def, &m->arena, &geometry, &fault);
    if (status == BR_NO_MEMORY) return br_mjcf_no_memory(m);
    if (status != BR_OK)
        return br_mjcf_fail(m, node, "mjcf-mesh-mass", "<mesh> has no hull: %.200s", fault.message);
    const br_hull *h = geometry.hull;
    int n = 0;
    for (int f = 0; f < h->faces; f++) n += 3 * (h->face_start[f + 1] - h->face_start[f] - 2);
    *out = BR_TAKE(&m->arena, br_vec3, n);
    if (!*out) return br_mjcf_no_memory(m);
    *count = 0;
    for (int f = 0; f < h->faces; f++) {
        const int *v = h->face_vertex + h->face_start[f];
        for (int k = 2; k < h->face_start[f + 1] - h->face_start[f]; k++) {
            br_vec3 t[3] = {h->vertex[v[0]], h->vertex[v[k - 1]], h->vertex[v[k]]};
            const br_vec3 normal = br_vec3_cross(br_vec3_sub(t[1], t[0]), br_vec3_sub(t[2], t[0]));
            if (br_vec3_dot(normal, h->face_normal[f]) <
                0.0) { // outward, whatever the order of its corners is
                const br_vec3 swap = t[1];
                t[1] = t[2], t[2] = swap;
            }
            memcpy(*out + *count, t, sizeof t);
            *count += 3;
        }
    }
    return BR_OK;
}

// `vertex`, with `face` or as a hull.
static br_status written_corners(mjcf *m, mjcf_element e, br_vec3 **out, int *count, int *hull) {
    br_vec3 *point;
    double *face;
    int points, corners;
    br_status status = br_mjcf_mesh_points(m, e, &point, &points);
    if (status == BR_OK) status = br_mjcf_list(m, e, "face", &face, &corners);
    if (status != BR_OK) return status;
    *hull = corners == 0;
    if (corners == 0) return hull_corners(m, e.node, point, points, out, count);
    if (corners % 3 != 0)
        return br_mjcf_fail(m, e.node, "mjcf-count", "<mesh> face has %d numbers, expected three for each",
                            corners);
    *out = BR_TAKE(&m->arena, br_vec3, corners);
    if (!*out) return br_mjcf_no_memory(m);
    for (int k = 0; k < corners; k++) {
        if (!(face[k] >= 0.0 && face[k] < points) || face[k] != floor(face[k]))
            return br_mjcf_fail(m, e.node, "mjcf-range", "<mesh> face names vertex %g, expected 0 to %d",
                                face[k], points - 1);
        (*out)[k] = point[(int)face[k]];
    }
    *count = corners;
    return BR_OK;
}

static br_status read_corners(mjcf *m, mjcf_element e, int convex, br_vec3 **out, int *count, int *found) {
    const char *file = br_mjcf_get(m, e, "file", NULL);
    char path[PATH_MAX];
    int hull = 0;
    br_status status = BR_OK;
    *found = 1;
    *count = 0;
    if (!file) {
        if (br_mjcf_get(m, e, "vertex", NULL))
            status = written_corners(m, e, out, count, &hull);
        else
            *found = 0;
    } else {
        status = br_mjcf_find_asset_file(m, e.node, file, NULL, path, found);
        if (status == BR_OK && *found) status = br_io_mesh_load_faces(path, &m->arena, out, count, m->error);
    }
    if (status != BR_OK || !*found || hull || !convex || *count == 0) return status;
    return hull_corners(m, e.node, *out, *count, out, count);
}

// MuJoCo 2's mass is that of the box with the same moments, of the same mass: the mass goes with its volume.
static void fit_box(mjcf_solid *s) {
    br_vec3 I, size;
    br_mat3 axes;
    br_sym3_eigen(s->inertia, &I, &axes);
    size = br_vec3_of(I.y + I.z - I.x, I.x + I.z - I.y, I.x + I.y - I.z);
    const double product = fmax(size.x, 0.0) * fmax(size.y, 0.0) * fmax(size.z, 0.0);
    const double box = sqrt(product * 216.0 / (s->volume * s->volume * s->volume));
    s->inertia = br_sym3_scale(box / s->volume, s->inertia);
    s->volume = box;
}

enum { LEGACY = 0, EXACT, CONVEX, SHELL };

// Remembers the mesh for which the older rule makes most of a difference.
static void compare_rules(mjcf *m, mjcf_element e, const mjcf_solid *older, const mjcf_solid *exact) {
    const double more = older->volume / fabs(exact->volume) - 1.0;
    const char *name = br_io_xml_get(e.node, "name"), *file = br_io_xml_get(e.node, "file");
    if (!(fabs(more) > fabs(m->mesh_rule))) return;
    m->mesh_rule = more;
    m->mesh_most = name ? name : file ? file : "mesh";
}

static br_status read_solid(mjcf *m, mjcf_element e, int kind, mjcf_solid *out) {
    const int shell = kind == SHELL, convex = kind == CONVEX;
    mjcf_placing placing;
    br_vec3 *corner = NULL;
    int count, found;
    br_status status = br_mjcf_mesh_placing(m, e, &placing);
    if (status == BR_OK) status = read_corners(m, e, convex, &corner, &count, &found);
    if (status != BR_OK) return status;
    *out = (mjcf_solid){.known = 2};
    if (!found) return BR_OK;
    for (int k = 0; k < count; k++) corner[k] = br_mjcf_place_point(&placing, corner[k]);
    const br_vec3 s = placing.scale;
    if (count > 0) *out = sum_faces(corner, count, shell);
    if (!shell && s.x * s.y * s.z < 0.0) { // a mirror turns every face inside out
        out->volume = -out->volume;
        out->inertia = br_sym3_scale(-1.0, out->inertia);
    }
    if (kind == LEGACY && count > 0) {
        const mjcf_solid exact = *out;
        *out = without_signs(corner, count);
        if (out->volume > MJCF_EPS_VOLUME) fit_box(out);
        if (out->volume > MJCF_EPS_VOLUME) compare_rules(m, e, out, &exact);
    }
    if (!(out->volume > MJCF_EPS_VOLUME))
        return br_mjcf_fail(
            m, e.node, "mjcf-mesh-mass",
            "<mesh>: its %d faces enclose %g %s, expected more than 0: are they turned inside "
            "out? An <inertial> of the body does without",
            count / 3, out->volume, shell ? "m^2" : "m^3");
    return BR_OK;
}

// Where it makes a difference that can be felt: a hundredth of a mesh's mass.
br_status br_mjcf_tell_mesh_rule(mjcf *m) {
    char line[300];
    if (!(fabs(m->mesh_rule) > 0.01)) return BR_OK;
    snprintf(line, sizeof line,
             "imported: meshes without inertia=\"exact\" have their mass by MuJoCo's older rule, volumes "
             "without signs and the box of "
             "the same moments: '%.60s' %.3g times what its faces enclose, the most",
             m->mesh_most, 1.0 + m->mesh_rule);
    return br_builder_note(m->builder, line, m->error);
}

br_status br_mjcf_mesh_mass(mjcf *m, mjcf_element geom, mjcf_geom *g, int *found) {
    static const char *const kinds[] = {"legacy", "exact", "convex", "shell"};
    const io_xml_node *node;
    mjcf_element e;
    int k, kind, shell = 0;
    *found = 0;
    if (g->type != MJCF_GEOM_MESH) return BR_OK; // a shape fitted to a mesh: not represented
    br_status status = br_mjcf_find_asset(m, geom, "mesh", &node, &k);
    if (status == BR_OK) status = br_mjcf_element_of(m, node, -1, &e);
    if (status != BR_OK) return status;
    kind = br_mjcf_scope(m, node)->exact_mesh ? EXACT : LEGACY;
    status = br_mjcf_word(m, e, "inertia", kinds, 4, &kind);
    if (status == BR_OK) status = br_mjcf_flag(m, geom, "shellinertia", 0, &shell);
    if (status != BR_OK) return status;
    if (shell) kind = SHELL;
    shell = kind == SHELL;
    if (!m->solid) m->solid = br_arena_take(&m->arena, (size_t)m->asset_names.count, sizeof *m->solid);
    if (!m->solid) return br_mjcf_no_memory(m);
    mjcf_solid *s = &m->solid[k][shell];
    if (s->known == 0) status = read_solid(m, e, kind, s);
    if (status != BR_OK || s->known == 2) return status;
    *found = 1;
    if (g->density >= 0.0) g->mass = g->density * s->volume;
    g->com = s->com;
    g->inertia = br_sym3_scale(g->mass / s->volume, s->inertia);
    return BR_OK;
}
