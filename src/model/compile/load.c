// Loads, drives, constraints, couplings: references resolved, frames taken to the links, functions compiled.
#include <stdio.h>
#include <string.h>

#include "model/compile/compile.h"

// --- functions ---------------------------------------------------------------------------------------------

typedef struct reader {
    br_compile *c;
    br_reads reads;
    const br_place *place;
    const char *field;
    br_status status; // of the reference that was refused
} reader;

static br_status load_refuse(reader *r, const char *joint, int k, const char *why) {
    return br_fail_place(r->place, "function-joint", r->field, "%s reads coordinate %d of joint %.80s, %s",
                         r->place->name, k, joint, why);
}

// See model.h for the numbering of variables.
static int resolve(void *context, const char *name, const char *member, int coordinate) {
    reader *r = (reader *)context;
    const br_model *m = r->c->model;
    const int index = br_names_find(&m->joint_names, name), k = coordinate < 0 ? 0 : coordinate;
    const int velocity = strcmp(member, "velocity") == 0;
    if (index < 0) {
        r->status = br_fail_unknown(r->place, "unknown-joint", r->field, "joint", name, &m->joint_names);
        return -1;
    }
    const br_model_joint *joint = &m->joint[index];
    const char *why = NULL;
    if (k >= br_joint_type_velocities(joint->type))
        why = "which it does not have";
    else if (!velocity && k >= br_joint_type_plain(joint->type))
        why = "which is part of a quaternion and has no position of its own";
    else if (r->reads == BR_READS_TIME)
        why = "but may depend on time alone";
    else if (r->reads == BR_READS_POSITIONS && velocity)
        why = "but may depend on time and positions, not on velocities";
    if (why) {
        r->status = load_refuse(r, name, k, why);
        return -1;
    }
    return 2 * ((joint->link < 0 ? m->tree.nv : 0) + joint->v_at + k) + velocity;
}

br_status br_compile_function(br_compile *c, const br_place *place, const char *field,
                              const br_function_def *def, br_reads reads, br_function **out) {
    br_error own; // the reference's error, when there is one, says more than the parser's
    memset(&own, 0, sizeof own);
    br_error refused = own;
    const br_place kept = {place->group, place->name, &refused};
    reader r = {c, reads, &kept, field, BR_OK};
    const br_status status = br_function_create(def, resolve, &r, &c->model->arena, out, &own);
    if (status == BR_OK && br_function_uses_state(*out)) c->model->reads_state = 1;
    if (status == BR_OK) return BR_OK;
    if (r.status != BR_OK) {
        if (c->error) *c->error = refused;
        return r.status;
    }
    char path[BR_MAX_ERROR_PATH];
    snprintf(path, sizeof path, "%.40s/%.100s/%.70s", place->group, place->name, field);
    return br_fail_path(c->error, status, own.code ? own.code : "expression-syntax", path, "%s", own.message);
}

br_status br_compile_find_joint(br_compile *c, const br_place *place, const char *field, const char *name,
                                int *out) {
    const int index = br_names_find(&c->model->joint_names, name);
    if (index < 0)
        return br_fail_unknown(place, "unknown-joint", field, "joint", name, &c->model->joint_names);
    *out = index;
    return BR_OK;
}

// --- couplings ---------------------------------------------------------------------------------------------

static int suitable(const br_compile *c, int j, int slides) {
    const br_joint_type type = c->def[j]->type;
    return slides ? br_joint_type_translation(type) : br_joint_type_rotation(type);
}

// The joint that a body names: the only one with a suitable coordinate of which it is the second body, else
// the only one of which it is the first. Found from the file alone, so that it does not depend on the
// spanning tree.
static br_status joint_of_body(br_compile *c, const br_place *place, const char *kind, const char *name,
                               int body, int slides, int *out) {
    for (int side = 0; side < 2; side++) {
        int found = -1, count = 0;
        for (int j = 0; j < c->builder->joint_names.count; j++)
            if ((side ? c->first[j] : c->second[j]) == body && suitable(c, j, slides) >= 0) {
                if (count++ == 1)
                    return br_fail_place(
                        place, "gear-joint", kind,
                        "%s %s names body %s, which has more than one joint that %s (%s and %s); name "
                        "the joint",
                        kind, place->name, name, slides ? "slides" : "turns", c->def[found]->name,
                        c->def[j]->name);
                found = j;
            }
        if (count == 1) {
            *out = found;
            return BR_OK;
        }
    }
    return br_fail_place(place, "gear-joint", kind, "%s %s names body %s, which has no joint that %s", kind,
                         place->name, name, slides ? "slides" : "turns");
}

static br_status coupled_joint(br_compile *c, const br_place *place, const char *kind, const char *name,
                               int slides, int *joint, int *coordinate) {
    int j = br_names_find(&c->model->joint_names, name);
    const int body = br_names_find(&c->model->body_names, name);
    if (j < 0 && body < 0)
        return br_fail_unknown(place, "unknown-joint", kind, "joint", name, &c->model->joint_names);
    if (j < 0) {
        const br_status status = joint_of_body(c, place, kind, name, body, slides, &j);
        if (status != BR_OK) return status;
    }
    int at = suitable(c, j, slides);
    // A gear that names its joints may couple slides too, as two fingers of a gripper.
    if (at < 0 && !slides && strcmp(kind, br_joint_type_name(BR_JOINT_GEAR)) == 0)
        at = br_joint_type_translation(c->def[j]->type);
    if (at < 0)
        return br_fail_place(place, "gear-joint", kind,
                             "%s %s names joint %s (%s), expected one with a single %s", kind, place->name,
                             name, br_joint_type_name(c->def[j]->type),
                             slides ? "translation: prismatic or cylindrical"
                                    : "rotation: revolute, screw, cylindrical or planar");
    *joint = j;
    *coordinate = at;
    return BR_OK;
}

br_status br_compile_couplings(br_compile *c) {
    br_model *m = c->model;
    m->coupling = BR_TAKE(&m->arena, br_model_coupling, c->joints);
    if (!m->coupling) return br_compile_no_memory(c);
    for (int j = 0; j < c->joints; j++) {
        const br_joint_def *def = c->def[j];
        const int rack = def->type == BR_JOINT_RACK_PINION;
        if (def->type != BR_JOINT_GEAR && !rack) continue;
        const br_place place = {"joints", def->name, c->error};
        const char *kind = br_joint_type_name(def->type);
        br_model_coupling *x = &m->coupling[m->couplings++];
        // Of a rack and pinion the definition has the pinion first; the row is in m/s, so the rack comes
        // first here.
        br_status status = coupled_joint(c, &place, kind, rack ? def->second : def->first, rack, &x->joint_1,
                                         &x->coordinate_1);
        if (status == BR_OK)
            status = coupled_joint(c, &place, kind, rack ? def->first : def->second, 0, &x->joint_2,
                                   &x->coordinate_2);
        if (status != BR_OK) return status;
        if (x->joint_1 == x->joint_2 && x->coordinate_1 == x->coordinate_2)
            return br_fail_place(&place, "gear-joint", kind, "%s %s couples joint %s to itself", kind,
                                 def->name, c->def[x->joint_1]->name);
        x->joint = j;
        x->ratio = rack ? -def->radius : def->ratio;
    }
    return BR_OK;
}

// --- loads -------------------------------------------------------------------------------------------------

// A pose of a body in its link's frame.
static br_pose in_link(const br_model *m, int body, br_pose X_BF) {
    return body < 0 ? X_BF : br_pose_mul(m->body[body].X_LB, X_BF);
}

static int link_of(const br_model *m, int body) {
    return body < 0 ? -1 : m->body[body].link;
}

static br_vec3 world_point(const br_compile *c, int link, br_pose X_L) {
    return link < 0 ? X_L.position : br_pose_point(c->X_WL[link], X_L.position);
}

// A planar model has no way to go along its normal: what a load does across the plane changes nothing, and is said.
static br_status note_across(br_compile *c, const br_model_load *load) {
    const int link = load->first, turns = load->type == BR_LOAD_TORQUE;
    if (!br_compile_is_planar(c)) return BR_OK;
    br_vec3 n = c->model->normal;
    if (load->in_body_axes && link >= 0) n = br_pose_vector_inverse(br_pose_mul(c->X_WL[link], load->X_A), n);
    const double along[] = {n.x, n.y, n.z};
    for (int k = 0; k < 3; k++) {
        const double lost = turns ? 1.0 - along[k] * along[k] : fabs(along[k]);
        const br_function *f = load->component[k];
        if (lost < 1e-9 || (br_function_is_constant(f) && br_function_value(f, 0.0, NULL) == 0.0)) continue;
        return br_compile_note(
            c, "the %s of load %s is partly across the plane of the model; that part does nothing",
            turns ? "torque" : "force", load->name);
    }
    return BR_OK;
}

static br_status compile_load(br_compile *c, const br_load_def *def, br_model_load *load) {
    static const char *const key[BR_LOAD_TYPES] = {"force", "torque", "spring", "bushing"};
    br_model *m = c->model;
    const br_place place = {"loads", def->name, c->error};
    const int pair = def->type == BR_LOAD_SPRING || def->type == BR_LOAD_BUSHING;
    int first = -1, second = -1;
    br_status status = br_compile_find_body(c, &place, pair ? key[def->type] : "body", def->first, &first);
    if (status == BR_OK && pair)
        status = br_compile_find_body(c, &place, key[def->type], def->second, &second);
    if (status != BR_OK) return status;
    if (!(load->name = br_copy_text(&m->arena, def->name))) return br_compile_no_memory(c);
    load->type = def->type;
    load->first = link_of(m, first);
    load->second = link_of(m, second);
    // A force's components are in the body's axes or the world's, never in those of X_A.
    const br_pose X_A = pair ? def->X_A : br_pose_of(br_quat_identity(), def->X_A.position);
    load->X_A = in_link(m, first, X_A);
    load->X_B = in_link(m, second, def->X_B);
    load->R_A = br_quat_to_mat3(load->X_A.rotation), load->R_B = br_quat_to_mat3(load->X_B.rotation);
    load->in_body_axes = def->in_body_axes;
    memcpy(load->stiffness, def->stiffness, sizeof load->stiffness);
    memcpy(load->damping, def->damping, sizeof load->damping);
    load->length = def->length;
    if (def->type == BR_LOAD_SPRING && def->length < 0.0)
        load->length =
            br_vec3_distance(world_point(c, load->first, load->X_A), world_point(c, load->second, load->X_B));
    for (int k = 0; status == BR_OK && !pair && k < 3; k++) {
        status = br_compile_function(c, &place, key[def->type], &def->component[k], BR_READS_STATE,
                                     &load->component[k]);
        if (status == BR_OK) load->varies |= !br_function_is_constant(load->component[k]);
    }
    return status == BR_OK && !pair ? note_across(c, load) : status;
}

br_status br_compile_loads(br_compile *c) {
    br_model *m = c->model;
    const int count = c->builder->load_names.count;
    m->load = BR_TAKE(&m->arena, br_model_load, count);
    if (!m->load) return br_compile_no_memory(c);
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < count; k++)
        status = compile_load(c, &c->builder->load[k], &m->load[k]);
    m->loads = count;
    return status;
}
