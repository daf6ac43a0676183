// Mass, centre of mass and inertia of MJCF bodies: as written in <inertial>, or from the geoms, by MuJoCo's
// rules.
#include <math.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"
#include "io/text/text.h"

// -------------------------------------------------------------------------------------------- principal axes

#define MJCF_EPS_PRINCIPAL                                                                                   \
    1e-12 // MuJoCo's: of the cosine of the last turn, and of what is left beside the diagonal

// The tensor as MuJoCo's compiler sees it: it finds principal axes by Jacobi turns and stops when one is
// smaller than about 1.4e-6 rad, which leaves up to that fraction of the tensor out. An arm of a Panda has
// 1e-8 of its mass matrix from it, so a model that is to agree with MuJoCo repeats the same turns.
static br_sym3 as_compiled(br_sym3 inertia) {
    const br_mat3 I = br_sym3_to_mat3(inertia);
    br_quat q = br_quat_identity();
    br_mat3 R = br_mat3_identity(), D = I;
    for (int turn = 0; turn < 500; turn++) {
        R = br_quat_to_mat3(q);
        D = br_mat3_mul(br_mat3_tmul(R, I), R);
        const double xy = fabs(D.m[0][1]), xz = fabs(D.m[0][2]), yz = fabs(D.m[1][2]);
        const int row = xy > xz && xy > yz ? 0 : xz > yz ? 0 : 1;
        const int column = xy > xz && xy > yz ? 1 : 2, axis = 3 - row - column;
        const double off = D.m[row][column];
        if (fabs(off) < MJCF_EPS_PRINCIPAL) break;
        const double tau = (D.m[column][column] - D.m[row][row]) / (2.0 * off);
        const double t =
            tau >= 0.0 ? 1.0 / (tau + sqrt(1.0 + tau * tau)) : -1.0 / (-tau + sqrt(1.0 + tau * tau));
        const double c = 1.0 / sqrt(1.0 + t * t);
        if (c > 1.0 - MJCF_EPS_PRINCIPAL) break;
        const double half = sqrt(0.5 - 0.5 * c), sign = (tau >= 0.0) == (axis == 1) ? 1.0 : -1.0;
        const br_vec3 s = br_vec3_scale(sign * half, br_vec3_unit(axis));
        q = br_quat_normalize(br_quat_mul(q, br_quat_of(sqrt(1.0 - half * half), s.x, s.y, s.z)));
    }
    return br_sym3_rotate(R, br_sym3_of(D.m[0][0], D.m[1][1], D.m[2][2], 0.0, 0.0, 0.0));
}

// ------------------------------------------------------------------------------------------------ from geoms

// First mass and first moment, then, with com known, the inertia about it: digits are kept when com is far
// out.
typedef struct sum {
    int body; // -1: the world
    int second;
    int meshes; // those of meshes, too
    double mass;
    br_vec3 moment, com;
    br_sym3 inertia;
    const io_xml_node *unreadable; // the first geom whose mass is not known
} sum;

static void add_geom(sum *s, const mjcf_geom *g) {
    const br_vec3 com = br_pose_point(g->pose, g->com);
    if (!s->second) {
        s->mass += g->mass;
        s->moment = br_vec3_add_scaled(s->moment, g->mass, com);
        return;
    }
    s->inertia = br_sym3_add(s->inertia, br_sym3_rotate(br_quat_to_mat3(g->pose.rotation), g->inertia));
    s->inertia = br_sym3_add(s->inertia, br_sym3_scale(g->mass, br_sym3_of_point(br_vec3_sub(com, s->com))));
}

// The geoms of a body, those in its frames too.
static br_status sum_geoms(mjcf *m, const io_xml_node *node, int class, const br_pose *X_BF, sum *s) {
    br_status status = BR_OK;
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next) {
        if (strcmp(c->name, "frame") == 0) {
            br_pose X_FG;
            const char *name = br_io_xml_get(c, "childclass");
            int inner = class;
            if (name) status = br_mjcf_class_find(m, c, name, &inner);
            if (status == BR_OK) status = br_mjcf_pose(m, (mjcf_element){c, -1}, &X_FG);
            if (status != BR_OK) return status;
            const br_pose X_BG = X_BF ? br_pose_mul(*X_BF, X_FG) : X_FG;
            status = sum_geoms(m, c, inner, &X_BG, s);
        } else if (strcmp(c->name, "geom") == 0) {
            mjcf_geom g;
            mjcf_element e;
            status = br_mjcf_read_geom(m, c, class, &g, &e);
            if (status != BR_OK) return status;
            if (X_BF) g.pose = br_pose_mul(*X_BF, g.pose);
            int found = 0;
            if (!s->second && !s->meshes) status = br_mjcf_read_shape(m, s->body, e, &g);
            if (status == BR_OK && g.from_mesh && s->meshes) status = br_mjcf_mesh_mass(m, e, &g, &found);
            if (g.from_mesh && !found && !s->unreadable) s->unreadable = c;
            if (!g.from_mesh || found) add_geom(s, &g);
        }
    }
    return status;
}

// A body that hangs on another without a joint can do without its own mass, which is said; one that moves by itself cannot.
static br_status without_mesh(mjcf *m, const mjcf_body *b, const io_xml_node *geom) {
    const char *mesh = br_io_xml_get(geom, "mesh"), *file = NULL;
    const io_xml_node *asset = NULL;
    br_error none = {0};
    mjcf quiet = *m; // a mesh that is not even declared has been told before
    quiet.error = &none;
    char shown[IO_SHOWN];
    if (mesh && br_mjcf_find_asset(&quiet, (mjcf_element){geom, -1}, "mesh", &asset, NULL) == BR_OK)
        file = br_io_xml_get(asset, "file");
    const char *what = file ? file : mesh ? mesh : "a mesh";
    br_io_show((io_token){what, what + strlen(what)}, shown);
    if (!b->moves)
        return br_mjcf_note(m, geom, "mesh", BR_IMPORT_LOOKS,
                            "the mass of a body that cannot move is left out");
    if (b->joints == 0)
        return br_mjcf_note(
            m, geom, "mesh", BR_IMPORT_MOTION,
            "the mass of this body comes from %s, which is not there or not read, and is left out", shown);
    return br_mjcf_fail(m, geom, "mjcf-mesh-mass",
                        "the mass of this body comes from a mesh that is not there or not read (%s): give "
                        "the body an <inertial>, or put "
                        "the file where the model names it",
                        shown);
}

static br_status from_geoms(mjcf *m, mjcf_body *b, int class, const io_xml_node *node, sum *s) {
    if (s->unreadable && b->moves) { // once more, with masses of meshes
        *s = (sum){.body = s->body, .meshes = 1};
        const br_status status = sum_geoms(m, node, class, NULL, s);
        if (status != BR_OK) return status;
    }
    if (s->unreadable) {
        const br_status status = without_mesh(m, b, s->unreadable);
        if (status != BR_OK) return status;
    }
    if (!(s->mass > 0.0)) return BR_OK;
    s->second = 1;
    s->com = br_vec3_scale(1.0 / s->mass, s->moment);
    const br_status status = sum_geoms(m, node, class, NULL, s);
    b->mass = s->mass;
    b->com = s->com;
    b->inertia = as_compiled(s->inertia);
    return status;
}

// --------------------------------------------------------------------------------------------- from inertial

static const mjcf_known inertial_known[] = {
    {"pos", MJCF_USED, 0},   {"quat", MJCF_USED, 0},        {"axisangle", MJCF_USED, 0},
    {"euler", MJCF_USED, 0}, {"xyaxes", MJCF_USED, 0},      {"zaxis", MJCF_USED, 0},
    {"mass", MJCF_USED, 0},  {"diaginertia", MJCF_USED, 0}, {"fullinertia", MJCF_USED, 0},
    {NULL, 0, NULL},
};

static br_status from_inertial(mjcf *m, mjcf_body *b, const io_xml_node *node) {
    const mjcf_element e = {node, -1};
    double diagonal[3] = {0.0, 0.0, 0.0}, full[6];
    br_quat q;
    int turned, entries, has_full;
    char hint[IO_XML_HINT];
    br_status status = br_mjcf_check(m, e, inertial_known);
    if (status == BR_OK && !br_io_xml_get(node, "mass"))
        status = br_mjcf_fail(m, node, "mjcf-missing", "<inertial> has no mass%s",
                              br_io_xml_hint(node, "mass", hint));
    if (status == BR_OK) status = br_mjcf_number(m, e, "mass", &b->mass);
    if (status == BR_OK) status = br_mjcf_vector(m, e, "pos", &b->com);
    if (status == BR_OK) status = br_mjcf_orientation(m, e, &q, &turned);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "diaginertia", 3, 3, diagonal, &entries);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "fullinertia", 6, 6, full, &has_full);
    if (status != BR_OK) return status;
    if (!(b->mass >= 0.0))
        return br_mjcf_fail(m, node, "mjcf-range", "<inertial> mass is %g, expected >= 0", b->mass);
    if (b->mass == 0.0 && b->moves && (entries || has_full))
        return br_mjcf_fail(m, node, "mjcf-range", "<inertial> mass is 0 on a body that moves, expected > 0");
    if (has_full && (turned || entries))
        return br_mjcf_fail(m, node, "mjcf-structure",
                            "<inertial> has fullinertia, which goes with neither diaginertia nor an "
                            "orientation");
    if (has_full)
        b->inertia = as_compiled(br_sym3_of(full[0], full[1], full[2], full[3], full[4], full[5]));
    else
        b->inertia = br_sym3_rotate(br_quat_to_mat3(q),
                                    br_sym3_of(diagonal[0], diagonal[1], diagonal[2], 0.0, 0.0, 0.0));
    return BR_OK;
}

// <compiler> boundmass, boundinertia, balanceinertia.
static void adjust(const mjcf_scope *m, mjcf_body *b) {
    b->mass = fmax(b->mass, m->bound_mass);
    if (m->bound_inertia <= 0.0 && !m->balance_inertia) return;
    br_vec3 I;
    br_mat3 axes;
    br_sym3_eigen(b->inertia, &I, &axes);
    I = br_vec3_of(fmax(I.x, m->bound_inertia), fmax(I.y, m->bound_inertia), fmax(I.z, m->bound_inertia));
    const double mean = (I.x + I.y + I.z) / 3.0;
    if (m->balance_inertia && I.x + I.y < I.z)
        I = br_vec3_of(mean, mean, mean); // rising order: the only way to fail
    b->inertia = br_sym3_rotate(axes, br_sym3_of(I.x, I.y, I.z, 0.0, 0.0, 0.0));
}

br_status br_mjcf_read_inertia(mjcf *m, int body, int class, const io_xml_node *node) {
    const io_xml_node *inertial = NULL;
    for (const io_xml_node *c = node->first; c; c = c->next) {
        if (strcmp(c->name, "inertial") != 0) continue;
        if (inertial || body < 0)
            return br_mjcf_fail(m, c, "mjcf-structure",
                                body < 0 ? "<inertial> in <worldbody>: the world has no mass"
                                         : "a second <inertial> in the same body");
        inertial = c;
    }
    sum s = {.body = body};
    br_status status = sum_geoms(m, node, class, NULL, &s);
    if (status != BR_OK || body < 0) return status;
    mjcf_body *b = &m->body[body];
    const int from_geom = br_mjcf_scope(m, node)->inertia_from_geom;
    const int use_geoms = from_geom == 2 || (from_geom == 1 && !inertial);
    if (use_geoms)
        status = from_geoms(m, b, class, node, &s);
    else if (inertial)
        status = from_inertial(m, b, inertial);
    adjust(br_mjcf_scope(m, node), b);
    return status;
}

br_status br_mjcf_scale_masses(mjcf *m) {
    double total = 0.0;
    for (int k = 0; k < m->bodies; k++) total += m->body[k].mass;
    if (!(m->total_mass > 0.0) || !(total > 0.0)) return BR_OK;
    const double scale = m->total_mass / total;
    for (int k = 0; k < m->bodies; k++) {
        m->body[k].mass *= scale;
        m->body[k].inertia = br_sym3_scale(scale, m->body[k].inertia);
    }
    return BR_OK;
}
