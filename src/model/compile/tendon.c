// Tendons: what they run over, found and taken into the frames of links.
#include <string.h>

#include "model/compile/compile.h"

// What one tendon may load: a group of rows has places for as many.
enum { BR_MAX_TENDON_LINKS = 60 };

static int tendon_entry(br_model_tendon *t, int link) {
    if (link < 0) return -1;
    for (int k = 0; k < t->links; k++)
        if (t->link[k] == link) return k;
    t->link[t->links] = link;
    return t->links++;
}

static int tendon_link(const br_model *m, int body) {
    return body < 0 ? -1 : m->body[body].link;
}

static br_status compile_point(br_compile *c, const br_place *place, const br_tendon_part_def *def,
                               br_model_tendon *t, br_model_tendon_part *p) {
    const br_model *m = c->model;
    int body = -1, side = -1;
    br_status status = br_compile_find_body(c, place, "tendon", def->of, &body);
    if (status == BR_OK && def->side_of)
        status = br_compile_find_body(c, place, "tendon", def->side_of, &side);
    if (status != BR_OK) return status;
    p->link = tendon_link(m, body);
    p->X_L = body < 0 ? def->pose : br_pose_mul(m->body[body].X_LB, def->pose);
    p->entry = tendon_entry(t, p->link);
    if (!def->side_of || def->kind == BR_TENDON_POINT) return BR_OK;
    p->has_side = 1;
    p->side_link = tendon_link(m, side);
    p->side_L = side < 0 ? def->side : br_pose_point(m->body[side].X_LB, def->side);
    return BR_OK;
}

static br_status compile_joint(br_compile *c, const br_place *place, const br_tendon_part_def *def,
                               br_model_tendon *t, br_model_tendon_part *p) {
    const br_model *m = c->model;
    const br_status status = br_compile_find_joint(c, place, "tendon", def->of, &p->joint);
    if (status != BR_OK) return status;
    const br_model_joint *joint = &m->joint[p->joint];
    if (joint->type == BR_JOINT_TENDON)
        return br_fail_place(place, "tendon-path", "tendon",
                             "tendon %s is made of %.80s, which is a tendon itself", place->name, def->of);
    if (def->coordinate < 0 || def->coordinate >= br_joint_type_plain(joint->type))
        return br_fail_place(
            place, "tendon-path", "tendon",
            "tendon %s takes coordinate %d of joint %.80s (%s), which has %d with a position of their own",
            place->name, def->coordinate, def->of, br_joint_type_name(joint->type),
            br_joint_type_plain(joint->type));
    p->coordinate = def->coordinate;
    p->dof_at = t->dofs, p->link_at = t->links;
    if (joint->link >= 0) {
        t->dof[t->dofs++] = joint->v_at + def->coordinate;
        return BR_OK;
    }
    if (joint->first >= 0) t->link[t->links++] = joint->first;
    if (joint->second >= 0) t->link[t->links++] = joint->second;
    return BR_OK;
}

static br_vec3 part_place(const br_compile *c, const br_model_tendon_part *p) {
    return p->link < 0 ? p->X_L.position : br_pose_point(c->X_WL[p->link], p->X_L.position);
}

// The lengths that a difference of rates is taken over; and what is probably not meant, said once.
static br_status look_at_start(br_compile *c, const br_place *place, br_model_tendon *t) {
    double length = 0.0, radius = INFINITY;
    int moves = 0;
    for (int k = 0; k < t->parts; k++) {
        const br_model_tendon_part *p = &t->part[k];
        if (p->kind == BR_TENDON_PULLEY) continue;
        if (k > 0 && t->part[k - 1].kind != BR_TENDON_PULLEY) {
            length += br_vec3_distance(part_place(c, p), part_place(c, p - 1));
            moves |= p->link != t->part[k - 1].link;
        }
        if (p->radius > 0.0) radius = fmin(radius, p->radius), t->wraps = 1;
    }
    t->scale = isfinite(radius) ? radius : length;
    if (!moves)
        return br_fail_place(
            place, "tendon-path", "tendon",
            "every stretch of tendon %s is between points of one body: its length cannot change",
            place->name);
    if (!(length > 0.0) && !t->wraps)
        return br_fail_place(
            place, "tendon-path", "tendon",
            "all points of tendon %s are one point at the start, so that it has no direction", place->name);
    for (int k = 0; k < t->parts; k++) {
        const br_model_tendon_part *p = &t->part[k];
        for (int side = -1; p->radius > 0.0 && side <= 1; side += 2) {
            const br_pose X = p->link < 0 ? p->X_L : br_pose_mul(c->X_WL[p->link], p->X_L);
            br_vec3 d = br_pose_point_inverse(X, part_place(c, p + side));
            if (p->kind == BR_TENDON_CYLINDER) d.z = 0.0;
            if (br_vec3_norm(d) >= p->radius) continue;
            return br_compile_note(
                c, "tendon %s goes straight past part %d of its path: the point %s it is inside", place->name,
                k + 1, side < 0 ? "before" : "after");
        }
    }
    return BR_OK;
}

static br_status compile_tendon(br_compile *c, int joint, br_model_tendon *t) {
    br_model *m = c->model;
    const br_joint_def *def = c->def[joint];
    const br_place place = {"joints", def->name, c->error};
    t->joint = joint, t->slack = def->slack;
    t->part = BR_TAKE(&m->arena, br_model_tendon_part, def->path_count);
    t->link = BR_TAKE(&m->arena, int, 2 * (size_t)def->path_count);
    t->dof = BR_TAKE(&m->arena, int, def->path_count);
    if (!br_arena_ok(&m->arena)) return br_compile_no_memory(c);
    br_status status = BR_OK;
    for (; t->parts < def->path_count && status == BR_OK; t->parts++) {
        const br_tendon_part_def *from = &def->path[t->parts];
        br_model_tendon_part *p = &t->part[t->parts];
        *p =
            (br_model_tendon_part){.kind = from->kind, .link = -1, .side_link = -1, .entry = -1, .joint = -1};
        p->radius = from->kind == BR_TENDON_SPHERE || from->kind == BR_TENDON_CYLINDER ? from->radius : 0.0;
        p->factor = from->factor;
        t->sum |= from->kind == BR_TENDON_JOINT;
        if (from->kind == BR_TENDON_JOINT)
            status = compile_joint(c, &place, from, t, p);
        else if (from->kind != BR_TENDON_PULLEY)
            status = compile_point(c, &place, from, t, p);
    }
    if (status == BR_OK && (t->links > BR_MAX_TENDON_LINKS || t->dofs > BR_MAX_TENDON_LINKS))
        return br_fail_place(&place, "tendon-path", "tendon",
                             "tendon %s runs over %d bodies and joints; at most %d can be taken", def->name,
                             t->links > t->dofs ? t->links : t->dofs, BR_MAX_TENDON_LINKS);
    return status == BR_OK && !t->sum ? look_at_start(c, &place, t) : status;
}

br_status br_compile_tendons(br_compile *c) {
    br_model *m = c->model;
    int count = 0;
    for (int j = 0; j < c->joints; j++) count += c->def[j]->type == BR_JOINT_TENDON;
    m->tendon = BR_TAKE(&m->arena, br_model_tendon, count);
    if (!m->tendon) return br_compile_no_memory(c);
    br_status status = BR_OK;
    for (int j = 0; j < c->joints && status == BR_OK; j++) {
        if (c->def[j]->type != BR_JOINT_TENDON) continue;
        m->joint[j].tendon = m->tendons;
        status = compile_tendon(c, j, &m->tendon[m->tendons++]);
    }
    return status;
}
