// Nodes as bodies, attachments as welds, clearances completed: see expand.h.
//
// A node has the mass and rotary inertia of half the elements beside it, with its centre of mass at the section's
// offset. Only the starting velocities, `check` and what must not be singular use them: the implicit stepper takes the
// elements' consistent mass.
#include "model/build/expand.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "model/build/station.h"
#include "model/def/validate.h"

// Of mass times element length squared: the rotary inertia that a node has at least.
#define BR_EPS_ROTARY 1e-6
// Directions typed with the digits of a double agree to this.
#define BR_EPS_PARALLEL 1e-9

// --- room --------------------------------------------------------------------------------------------------

// The arrays that grow, with copies of what is there and names that can be added to.
static int copy_names(const br_names *from, br_arena *arena, br_names *to) {
    memset(to, 0, sizeof *to);
    for (int k = 0; k < from->count; k++)
        if (br_names_add(to, arena, from->name[k]) != BR_OK) return 0;
    return 1;
}

static br_status take_room(const br_builder *b, br_arena *arena, const br_beam_mesh *mesh, br_builder *out,
                           br_error *error) {
    size_t bodies = (size_t)b->body_names.count, joints = (size_t)b->joint_names.count;
    const size_t clearances = (size_t)b->clearance_names.count;
    for (int k = 0; k < b->beam_names.count; k++)
        bodies += (size_t)mesh[k].nodes, joints += (size_t)b->beam[k].attach_count;
    out->body = BR_TAKE(arena, br_body_def, bodies);
    out->joint = BR_TAKE(arena, br_joint_def, joints + clearances);
    out->clearance = BR_TAKE(arena, br_clearance_def, 2 * clearances);
    memset(&out->clearance_names, 0, sizeof out->clearance_names);
    if (!out->body || !out->joint || !out->clearance ||
        !copy_names(&b->body_names, arena, &out->body_names) ||
        !copy_names(&b->joint_names, arena, &out->joint_names))
        return br_builder_no_memory(error);
    if (b->body_names.count > 0) memcpy(out->body, b->body, (size_t)b->body_names.count * sizeof *b->body);
    if (b->joint_names.count > 0)
        memcpy(out->joint, b->joint, (size_t)b->joint_names.count * sizeof *b->joint);
    return BR_OK;
}

static br_status add_body(br_builder *out, br_arena *arena, const char *name, br_body_def def,
                          br_error *error) {
    const int n = out->body_names.count;
    def.name = br_copy_text(arena, name);
    if (!def.name || br_names_add(&out->body_names, arena, def.name) != BR_OK)
        return br_builder_no_memory(error);
    out->body[n] = def;
    return BR_OK;
}

static br_status add_joint(br_builder *out, br_arena *arena, const char *name, br_joint_def def,
                           br_error *error) {
    const int n = out->joint_names.count;
    def.name = br_copy_text(arena, name);
    if (!def.name || br_names_add(&out->joint_names, arena, def.name) != BR_OK)
        return br_builder_no_memory(error);
    out->joint[n] = def;
    return BR_OK;
}

// --- nodes -------------------------------------------------------------------------------------------------

// Length of the half elements beside a node.
static double share(const br_beam_mesh *mesh, double length, int node) {
    const int last = mesh->nodes - 1;
    const double from = mesh->station[node > 0 ? node - 1 : 0],
                 to = mesh->station[node < last ? node + 1 : last];
    return 0.5 * (to - from) * length;
}

static br_body_def node_body(const br_builder *b, int beam, const br_beam_mesh *mesh, int node) {
    const double l = share(mesh, b->beam_line[beam].length, node);
    const br_section *s = &mesh->section;
    br_body_def def = br_default_body_def();
    def.pose = br_station_pose(b, beam, mesh->station[node]);
    def.mass = s->mass * l;
    def.com = s->offset;
    const double least = BR_EPS_ROTARY * def.mass * l * l;
    def.inertia = br_sym3_of(fmax(s->inertia[0] * l, least), fmax(s->inertia[1] * l, least),
                             fmax(s->inertia[2] * l, least), 0.0, 0.0, 0.0);
    return def;
}

// The beam's rigid motion, about its centre of mass.
static void set_velocities(const br_beam_def *beam, br_body_def *node, int nodes) {
    if (!beam->has_velocity) return;
    double mass = 0.0;
    br_vec3 moment = br_vec3_zero();
    for (int k = 0; k < nodes; k++) {
        mass += node[k].mass;
        moment = br_vec3_add_scaled(moment, node[k].mass, br_pose_point(node[k].pose, node[k].com));
    }
    const br_vec3 centre = br_vec3_scale(1.0 / mass, moment);
    for (int k = 0; k < nodes; k++) {
        const br_vec3 arm = br_vec3_sub(br_pose_point(node[k].pose, node[k].com), centre);
        node[k].has_velocity = 1;
        node[k].angular_velocity = beam->angular_velocity;
        node[k].velocity = br_vec3_add(beam->velocity, br_vec3_cross(beam->angular_velocity, arm));
    }
}

// In a planar model a beam lies in the plane, and bending in it must not bend it out of it.
static br_status check_planar(const br_builder *b, int beam, const br_beam_mesh *mesh,
                              const br_body_def *node, br_error *error) {
    const br_beam_def *def = &b->beam[beam];
    const br_place place = {"beams", def->name, error};
    const br_vec3 n = br_planar_normal(b->settings.planar);
    const double *C = mesh->section.C;
    const int round = C[1] == C[2] && C[4] == C[5];
    const double length = b->beam_line[beam].length, height = br_vec3_dot(n, node[0].pose.position);
    for (int k = 0; k < mesh->nodes; k++) {
        const double off = br_vec3_dot(n, node[k].pose.position) - height;
        if (fabs(off) > BR_EPS_PARALLEL * length)
            return br_fail_place(
                &place, "beam-planar", NULL,
                "beam %s leaves the plane of the model by %g m at station %g; bring its points "
                "into one plane, or leave out planar",
                def->name, off, mesh->station[k]);
        const br_vec3 n_S = br_pose_vector_inverse(node[k].pose, n);
        if (!round && fabs(n_S.y) > BR_EPS_PARALLEL && fabs(n_S.z) > BR_EPS_PARALLEL)
            return br_fail_place(
                &place, "beam-planar", "up",
                "the section of beam %s at station %g is %.3g deg off the plane of the model, "
                "so that it would bend out of it; turn it with up, or leave out planar",
                def->name, mesh->station[k],
                br_asin(fmin(1.0, fmin(fabs(n_S.y), fabs(n_S.z)))) * 180.0 / BR_PI);
    }
    const double out = fabs(br_vec3_dot(n, def->velocity)),
                 tilting = br_vec3_norm(br_vec3_cross(n, def->angular_velocity));
    if (def->has_velocity && (out > BR_EPS_PARALLEL * br_vec3_norm(def->velocity) ||
                              tilting > BR_EPS_PARALLEL * br_vec3_norm(def->angular_velocity)))
        return br_fail_place(
            &place, "planar-velocity", "velocity",
            "beam %s leaves the plane of the model with %g m/s and tilts with %g rad/s; both "
            "must be 0",
            def->name, out, tilting);
    return BR_OK;
}

static br_status add_nodes(const br_builder *b, br_arena *arena, int beam, br_beam_mesh *mesh,
                           br_builder *out, br_error *error) {
    char name[BR_MAX_NAME];
    br_status status = BR_OK;
    mesh->first_body = out->body_names.count;
    for (int k = 0; status == BR_OK && k < mesh->nodes; k++) {
        br_station_name(b->beam[beam].name, mesh->station[k], name);
        status = add_body(out, arena, name, node_body(b, beam, mesh, k), error);
    }
    if (status != BR_OK) return status;
    br_body_def *node = out->body + mesh->first_body;
    set_velocities(&b->beam[beam], node, mesh->nodes);
    return b->settings.planar == BR_SPATIAL ? BR_OK : check_planar(b, beam, mesh, node, error);
}

// --- attachments -------------------------------------------------------------------------------------------

// What fixes the node of attachment k already: a weld of the file, an attachment before it, or one of the other beam's
// that says the same. Several beams may meet at a node otherwise. NULL: nothing.
static const char *fixed_before(const br_builder *b, const br_builder *out, int beam, int k, int node,
                                int body) {
    const br_attach_def *attach = b->beam[beam].attach;
    const double station = br_station_snap(b, beam, attach[k].station);
    for (int i = 0; i < k; i++)
        if (br_station_snap(b, beam, attach[i].station) == station) return attach[i].body;
    for (int j = 0; j < out->joint_names.count; j++) {
        const br_joint_def *def = &out->joint[j];
        if (def->type != BR_JOINT_WELD) continue;
        const int first = br_builder_find_body(out, def->first),
                  second = br_builder_find_body(out, def->second);
        const int here = j < b->joint_names.count ? first == node || second == node
                                                  : first == node && second == body && body >= 0;
        if (here) return def->name;
    }
    return NULL;
}

static br_status add_attach(const br_builder *b, br_arena *arena, int beam, int k, br_builder *out,
                            br_error *error) {
    const br_beam_def *def = &b->beam[beam];
    const br_place place = {"beams", def->name, error};
    const double station = br_station_snap(b, beam, def->attach[k].station);
    const char *to = def->attach[k].body;
    char name[BR_MAX_NAME], text[BR_MAX_STATION_TEXT], field[40];
    br_station_text(station, text);
    br_station_name(def->name, station, name);
    snprintf(field, sizeof field, "attach/%s", text);
    const int node = br_names_find(&out->body_names, name), body = br_builder_find_body(out, to);
    if (body < 0 && strcmp(to, BR_WORLD) != 0) return br_fail_unknown_body(&place, field, to, b);
    if (body == node)
        return br_fail_place(&place, "beam-attach", field, "beam %s is attached to itself at station %s",
                             def->name, text);
    const char *before = fixed_before(b, out, beam, k, node, body);
    if (before)
        return br_fail_place(&place, "beam-attach", field,
                             "beam %s is attached to %.63s at station %s, but it is fixed there already, by "
                             "%.63s; leave one of the two out",
                             def->name, to, text, before);
    br_joint_def joint = br_default_joint_def();
    joint.type = BR_JOINT_WELD;
    joint.first = to;
    joint.second = out->body_names.name[node];
    joint.X_AF = br_pose_between(body < 0 ? br_pose_identity() : out->body[body].pose, out->body[node].pose);
    joint.X_AF.rotation = br_quat_normalize(joint.X_AF.rotation);
    snprintf(name, sizeof name, "%.40s.attach_%s", def->name, text);
    return add_joint(out, arena, name, joint, error);
}

// --- clearances --------------------------------------------------------------------------------------------

static br_status add_clearance(br_builder *out, br_arena *arena, br_clearance_def def, const char *suffix,
                               double along, br_error *error) {
    char name[BR_MAX_NAME];
    snprintf(name, sizeof name, "%.40s%s", def.name, suffix);
    const int n = out->clearance_names.count;
    const br_vec3 shift = br_vec3_of(0.0, 0.0, along);
    if (*suffix) {
        def.name = br_copy_text(arena, name);
        def.type = BR_CLEARANCE_SPATIAL;
        def.X_AF.position = br_pose_point(def.X_AF, shift);
        def.X_BM.position = br_pose_point(def.X_BM, shift);
    }
    if (!def.name || br_names_add(&out->clearance_names, arena, def.name) != BR_OK)
        return br_builder_no_memory(error);
    out->clearance[n] = def;
    return BR_OK;
}

static br_status expand_clearance(const br_builder *b, br_arena *arena, const br_clearance_def *def,
                                  br_builder *out, br_error *error) {
    const br_place place = {"clearances", def->name, error};
    const char *kind = br_clearance_type_name(def->type);
    for (int side = 0; side < 2; side++) {
        const char *body = side ? def->second : def->first;
        if (strcmp(body, BR_WORLD) != 0 && br_builder_find_body(out, body) < 0)
            return br_fail_unknown_body(&place, kind, body, b);
    }
    const int planar = b->settings.planar != BR_SPATIAL;
    if (planar && (def->type == BR_CLEARANCE_SPATIAL || def->type == BR_CLEARANCE_JOURNAL))
        return br_fail_place(&place, "planar-joint-kind", kind,
                             "clearance %s is %s, which leaves the plane of a planar model: use planar",
                             def->name, kind);
    if (def->type == BR_CLEARANCE_JOURNAL) {
        const br_status status = add_clearance(out, arena, *def, ".a", -0.5 * def->length, error);
        return status == BR_OK ? add_clearance(out, arena, *def, ".b", 0.5 * def->length, error) : status;
    }
    const br_status status = add_clearance(out, arena, *def, "", 0.0, error);
    if (status != BR_OK || planar || def->type != BR_CLEARANCE_PLANAR) return status;
    char name[BR_MAX_NAME];
    snprintf(name, sizeof name, "%.40s.plane", def->name);
    br_joint_def joint = br_default_joint_def();
    joint.type = BR_JOINT_PLANAR;
    joint.first = def->first;
    joint.second = def->second;
    joint.X_AF = def->X_AF;
    joint.X_BM = def->X_BM;
    return add_joint(out, arena, name, joint, error);
}

// --- the whole ---------------------------------------------------------------------------------------------

br_status br_expand(const br_builder *b, br_arena *arena, br_builder *out, br_beam_mesh **mesh,
                    br_error *error) {
    const int beams = b->beam_names.count;
    *out = *b;
    *mesh = NULL;
    if (beams == 0 && b->clearance_names.count == 0) return BR_OK;
    br_beam_mesh *all = BR_TAKE(arena, br_beam_mesh, beams);
    if (!all) return br_builder_no_memory(error);
    br_status status = br_expand_meshes(b, arena, all, error);
    if (status == BR_OK) status = take_room(b, arena, all, out, error);
    for (int k = 0; status == BR_OK && k < beams; k++) status = add_nodes(b, arena, k, &all[k], out, error);
    for (int k = 0; k < beams; k++)
        for (int i = 0; status == BR_OK && i < b->beam[k].attach_count; i++)
            status = add_attach(b, arena, k, i, out, error);
    for (int k = 0; status == BR_OK && k < b->clearance_names.count; k++)
        status = expand_clearance(b, arena, &b->clearance[k], out, error);
    *mesh = all;
    return status;
}
