// How a model looks, as JSON: what a picture of it needs and nothing else. viewer/README.md describes the fields.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "bristle/report.h"
#include "io/text/json_write.h"
#include "io/text/text.h"
#include "io/text/write.h"
#include "io/report/scene_read.h"
#include "io/report/scene_visual.h"
#include "model/def/field.h"
#include "model/model.h"

enum {
    DIGITS = 9,            // of lengths: a picture needs six
    MAX_FIELD_POINTS = 96, // along each side of a height field; finer ones are thinned
};

// ------------------------------------------------------------------------------------------------------- pieces

static void put_vector(FILE *f, const char *key, br_vec3 v) {
    const double x[3] = {v.x, v.y, v.z};
    br_io_json_key(f, key, 0);
    br_io_json_numbers(f, x, 3, DIGITS);
}

static void put_quat(FILE *f, const char *key, br_quat q) {
    const double x[4] = {q.w, q.x, q.y, q.z};
    br_io_json_key(f, key, 0);
    br_io_json_numbers(f, x, 4, DIGITS);
}

static void put_number(FILE *f, const char *key, double x) {
    br_io_json_key(f, key, 0);
    br_io_json_number(f, x, DIGITS);
}

static void put_pose(FILE *f, br_pose X) {
    put_vector(f, "position", X.position);
    put_quat(f, "rotation", X.rotation);
}

static void put_begin(FILE *f, int first, const char *name) {
    fputs(first ? "\n{" : ",\n{", f);
    br_io_json_key(f, "name", 1);
    br_io_json_text(f, name);
}

static int body_of(const br_model *m, int link) {
    return link < 0 ? -1 : m->link_body[link];
}

// A frame of a link as a frame of its body; links that are the world stay as they are.
static br_pose in_body(const br_model *m, int link, br_pose X_LF) {
    return link < 0 ? X_LF : br_pose_mul(br_pose_inverse(m->body[m->link_body[link]].X_LB), X_LF);
}

// ------------------------------------------------------------------------------------------------------- bodies

// The box with the body's mass and inertia: edges from I_x = m (b^2 + c^2)/12 and so on. 0: it has none.
static int inertia_box(const br_model *m, const br_model_body *b, br_vec3 *size, br_quat *rotation) {
    const br_link *link = &m->tree.link[b->link];
    br_vec3 I;
    br_mat3 axes;
    if (!(b->mass > 0.0)) return 0;
    const br_vec3 com_L = br_vec3_scale(1.0 / link->mass, link->moment_L);
    const br_sym3 central = br_sym3_add(link->inertia_L, br_sym3_scale(-link->mass, br_sym3_of_point(com_L)));
    br_sym3_eigen(central, &I, &axes);
    const double trace = I.x + I.y + I.z, s = 6.0 / link->mass;
    *size = br_vec3_of(sqrt(fmax(0.0, s * (trace - 2.0 * I.x))), sqrt(fmax(0.0, s * (trace - 2.0 * I.y))),
                       sqrt(fmax(0.0, s * (trace - 2.0 * I.z))));
    *rotation = br_quat_mul(br_quat_conjugate(b->X_LB.rotation), br_quat_from_mat3(axes));
    return trace > 0.0;
}

static void put_bodies(FILE *f, const br_model *m) {
    fputs("\"bodies\": [", f);
    for (int k = 0; k < m->bodies; k++) {
        const br_model_body *b = &m->body[k];
        br_vec3 size;
        br_quat rotation;
        put_begin(f, k == 0, b->name);
        put_number(f, "mass", b->mass);
        put_vector(f, "com", b->com_B);
        br_io_json_key(f, "beam", 0);
        fprintf(f, "%d", br_model_body_beam(m, k));
        br_io_json_key(f, "box", 0);
        if (inertia_box(m, b, &size, &rotation)) {
            const double x[3] = {size.x, size.y, size.z};
            fputs("{\"size\": ", f);
            br_io_json_numbers(f, x, 3, DIGITS);
            put_quat(f, "rotation", rotation);
            putc('}', f);
        } else {
            fputs("null", f);
        }
        putc('}', f);
    }
    fputs("],\n", f);
}

// ------------------------------------------------------------------------------------------------------- shapes

static void put_hull(FILE *f, const br_hull *h) {
    br_io_json_key(f, "vertices", 0);
    putc('[', f);
    for (int k = 0; k < h->vertices; k++) {
        const double x[3] = {h->vertex[k].x, h->vertex[k].y, h->vertex[k].z};
        for (int i = 0; i < 3; i++) {
            fputs(k + i > 0 ? "," : "", f);
            br_io_json_number(f, x[i], 7);
        }
    }
    putc(']', f);
    br_io_json_key(f, "triangles", 0);
    putc('[', f);
    for (int face = 0, first = 1; face < h->faces; face++) {
        const int *v = h->face_vertex + h->face_start[face];
        const int n = h->face_start[face + 1] - h->face_start[face];
        for (int k = 2; k < n; k++, first = 0)
            fprintf(f, "%s%d,%d,%d", first ? "" : ",", v[0], v[k - 1], v[k]);
    }
    putc(']', f);
}

// Every stride-th row and column, and the last ones.
static int thinned(int count, int k) {
    const int steps = count - 1 < MAX_FIELD_POINTS - 1 ? count - 1 : MAX_FIELD_POINTS - 1;
    return (int)((long long)k * (count - 1) / steps);
}

static void put_field(FILE *f, const br_field *g) {
    const int columns = g->columns < MAX_FIELD_POINTS ? g->columns : MAX_FIELD_POINTS;
    const int rows = g->rows < MAX_FIELD_POINTS ? g->rows : MAX_FIELD_POINTS;
    br_io_json_key(f, "vertices", 0);
    putc('[', f);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) {
            const int row = thinned(g->rows, r), column = thinned(g->columns, c);
            fprintf(f, "%s%.7g,%.7g,%.7g", r + c > 0 ? "," : "", column * g->spacing_x, row * g->spacing_y,
                    g->height[(size_t)row * (size_t)g->columns + (size_t)column]);
        }
    putc(']', f);
    br_io_json_key(f, "triangles", 0);
    putc('[', f);
    for (int r = 0; r + 1 < rows; r++)
        for (int c = 0; c + 1 < columns; c++) {
            const int a = r * columns + c, b = a + 1, d = a + columns, e = d + 1;
            fprintf(f, "%s%d,%d,%d,%d,%d,%d", r + c > 0 ? "," : "", a, b, e, a, e, d);
        }
    putc(']', f);
}

// The lengths that its definition needs, or what its surface is made of.
static void put_geometry(FILE *f, const br_model_shape *s) {
    const br_geometry *g = &s->geometry;
    const br_def *kind = &br_def_shapes[g->type];
    const int is_mesh = g->hull || g->field;
    br_io_json_key(f, "kind", 0);
    br_io_json_text(f, is_mesh ? IO_SCENE_MESH : kind->name);
    if (g->hull) put_hull(f, g->hull);
    if (g->field) put_field(f, g->field);
    for (const br_def_field *row = kind->field; !is_mesh && row < kind->field + kind->fields; row++) {
        const void *at = (const char *)&s->def + row->offset;
        const int numbers = br_field_lengths(row);
        if (numbers == 1) put_number(f, row->key, *(const double *)at);
        if (numbers == 3) put_vector(f, row->key, *(const br_vec3 *)at);
    }
}

static void put_shapes(FILE *f, const br_model *m) {
    fputs("\"shapes\": [", f);
    for (int k = 0; k < m->contact->shapes; k++) {
        const br_model_shape *s = &m->contact->shape[k];
        put_begin(f, k == 0, br_model_shape_name(m, k));
        br_io_json_key(f, "body", 0);
        fprintf(f, "%d", s->body);
        br_io_json_key(f, "material", 0);
        br_io_json_text(f, s->material < 0 ? NULL : m->contact->materials.name[s->material]);
        put_pose(f, s->geometry.X_shape);
        put_geometry(f, s);
        putc('}', f);
    }
    fputs("],\n", f);
}

// ------------------------------------------------------------------------------------------------- what connects

static int has_frame(const br_model_joint *j) {
    return j->type != BR_JOINT_GEAR && j->type != BR_JOINT_RACK_PINION && j->type != BR_JOINT_TENDON;
}

static void put_ends(FILE *f, const br_model *m, int first, int second) {
    br_io_json_key(f, "first", 0);
    fprintf(f, "%d", body_of(m, first));
    br_io_json_key(f, "second", 0);
    fprintf(f, "%d", body_of(m, second));
}

static void put_joints(FILE *f, const br_model *m) {
    int count = 0;
    fputs("\"joints\": [", f);
    for (int k = 0; k < m->joints; k++) {
        const br_model_joint *j = &m->joint[k];
        if (!has_frame(j)) continue;
        put_begin(f, count++ == 0, j->name);
        br_io_json_key(f, "kind", 0);
        br_io_json_text(f, br_joint_type_name(j->type));
        put_ends(f, m, j->first, j->second);
        put_pose(f, in_body(m, j->second, j->X_BM));
        fprintf(f, ", \"loop\": %s, \"friction\": %s}", j->loop >= 0 ? "true" : "false",
                j->friction ? "true" : "false");
    }
    fputs("],\n", f);
}

// A section with these stiffnesses: a circle where both bendings agree, else a rectangle.
static void section_size(const br_section *s, double size[2], int *is_round) {
    const double EA = s->C[0], EI_y = s->C[4], EI_z = s->C[5];
    *is_round = fabs(EI_y - EI_z) <= 1e-6 * fmax(EI_y, EI_z);
    const double factor = *is_round ? 16.0 : 12.0; // of the radius of gyration squared: diameter, edge
    size[0] = sqrt(factor * EI_z / EA);
    size[1] = sqrt(factor * EI_y / EA);
}

static void put_beams(FILE *f, const br_sim *sim, const br_model *m) {
    fputs("\"beams\": [", f);
    for (int k = 0; k < m->beams; k++) {
        const br_model_beam *b = &m->beam[k];
        double size[2];
        int is_round;
        section_size(&b->section, size, &is_round);
        put_begin(f, k == 0, b->name);
        br_io_json_key(f, "nodes", 0);
        for (int i = 0; i < b->nodes; i++) fprintf(f, "%s%d", i == 0 ? "[" : ", ", b->first_body + i);
        fputs("]", f);
        br_io_json_key(f, "size", 0);
        br_io_json_numbers(f, size, 2, DIGITS);
        fprintf(f, ", \"round\": %s, \"rest\": [", is_round ? "true" : "false");
        for (int i = 0; i < b->nodes; i++) {
            const br_pose X = br_sim_body_pose(sim, b->first_body + i);
            fprintf(f, "%s%.9g, %.9g, %.9g, %.9g, %.9g, %.9g, %.9g", i == 0 ? "" : ", ", X.position.x,
                    X.position.y, X.position.z, X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z);
        }
        fputs("]}", f);
    }
    fputs("],\n", f);
}

static void put_clearances(FILE *f, const br_model *m) {
    fputs("\"clearances\": [", f);
    for (int k = 0; k < m->clearances; k++) {
        const br_model_clearance *c = &m->clearance[k];
        put_begin(f, k == 0, c->name);
        br_io_json_key(f, "kind", 0);
        br_io_json_text(f, br_clearance_type_name(c->type));
        put_ends(f, m, c->first, c->second);
        put_pose(f, in_body(m, c->first, c->X_AF));
        put_number(f, "outer", c->outer_radius);
        put_number(f, "inner", c->inner_radius);
        putc('}', f);
    }
    fputs("],\n", f);
}

static void put_springs(FILE *f, const br_model *m) {
    int count = 0;
    fputs("\"springs\": [", f);
    for (int k = 0; k < m->loads; k++) {
        const br_model_load *l = &m->load[k];
        if (l->type != BR_LOAD_SPRING) continue;
        put_begin(f, count++ == 0, l->name);
        put_ends(f, m, l->first, l->second);
        put_vector(f, "a", in_body(m, l->first, l->X_A).position);
        put_vector(f, "b", in_body(m, l->second, l->X_B).position);
        putc('}', f);
    }
    fputs("]", f);
}

// --------------------------------------------------------------------------------------------------------- whole

br_status br_scene_text(const br_sim *sim, char **out, br_error *error) {
    static const char *const planes[] = {NULL, "xy", "xz", "yz"};
    const br_model *m = br_sim_model(sim);
    io_memory memory;
    const br_status status = br_io_memory_open(&memory, error);
    if (status != BR_OK) return status;
    const io_locale locale = br_io_locale_enter();
    FILE *f = memory.file;
    fputs("{\"format\": 1", f);
    put_vector(f, "gravity", m->settings.gravity);
    br_io_json_key(f, "planar", 0);
    br_io_json_text(f, planes[m->settings.planar]);
    fputs(",\n", f);
    put_bodies(f, m);
    put_shapes(f, m);
    put_joints(f, m);
    put_beams(f, sim, m);
    put_clearances(f, m);
    put_springs(f, m);
    const br_status drawn = br_io_scene_visuals(f, m)
                                ? BR_OK
                                : br_no_memory(error, "not enough memory for the meshes of a picture");
    fputs("}", f);
    br_io_locale_leave(locale);
    return br_io_memory_close(&memory, drawn, out, error);
}
