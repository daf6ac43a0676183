// Freedoms that move nothing else: a body, or several that are welded together, held by ball joints and rods on one line alone, turns
// about that line. Diagnostics, from the geometry of the joints in the present position; it stays so wherever the bodies go.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/rows/branch.h"
#include "sim/rows/group.h"
#include "sim/rows/idle.h"

#define BR_EPS_ON_LINE 1e-9 // of the length scale: further is beside the line, or another point

typedef struct idle_line {
    int balls, others; // joints that leave the body free to turn; joints that may not
    br_vec3 from, along;
    const char *first, *second; // joints whose points are apart
} idle_line;

static int idle_root(const int *of, int link) {
    while (link >= 0 && of[link] != link) link = of[link];
    return link;
}

// Links that welds make one body: of[] leads to the first of them, -1 is the world.
static void idle_join_welds(const br_sim *sim, int *of) {
    const br_model *m = sim->model;
    for (int i = 0; i < m->tree.links; i++) of[i] = i;
    for (int j = 0; j < m->joints; j++) {
        if (m->joint[j].type != BR_JOINT_WELD) continue;
        const int a = idle_root(of, m->joint[j].first), b = idle_root(of, m->joint[j].second);
        if (a < b) of[b] = a;
        if (b < a) of[a] = b;
    }
}

// Whether a drive or a constraint holds a coordinate of the joint.
static int idle_is_driven(const br_sim *sim, const br_model_joint *joint) {
    for (int g = 0; g < sim->exact.groups; g++) {
        const br_group *group = sim->exact.group[g];
        if (!(group->kind->is & BR_GROUP_PRESCRIBED)) continue;
        if (joint->link < 0 && group->entries > 0) return 1;
        for (int d = 0; d < group->dofs && joint->link >= 0 && joint->kind; d++)
            if (group->dof[d] >= joint->v_at && group->dof[d] < joint->v_at + joint->kind->nv) return 1;
    }
    return 0;
}

static void idle_take(const br_sim *sim, const br_model_joint *joint, int at_second, idle_line *line) {
    const double near = BR_EPS_ON_LINE * sim->length_scale;
    const int ball = joint->type == BR_JOINT_SPHERICAL && !idle_is_driven(sim, joint);
    if (!ball && joint->type != BR_JOINT_DISTANCE) {
        line->others++;
        return;
    }
    const br_relative x = br_sim_relative(sim, joint, 0);
    const br_vec3 p = at_second ? x.p_WM : br_vec3_sub(x.p_WM, br_mat3_mul_vec(x.R_WF, x.p_FM));
    const br_vec3 way = br_vec3_sub(p, line->from);
    if (line->balls++ == 0) {
        line->from = p, line->first = joint->name;
    } else if (!line->second && br_vec3_norm(way) > near) {
        line->along = br_vec3_scale(1.0 / br_vec3_norm(way), way), line->second = joint->name;
    } else if (br_vec3_norm(br_vec3_cross(line->along, way)) > near) {
        line->others++;
    }
}

static const char *idle_name(const br_sim *sim, const int *of, int root) {
    for (int k = 0; k < sim->model->bodies; k++)
        if (idle_root(of, sim->model->body[k].link) == root) return sim->model->body[k].name;
    return "";
}

// What the joint does to the bodies on both of its sides, each by its first link.
static void idle_take_joint(const br_sim *sim, const int *of, const br_model_joint *joint, idle_line *line) {
    if (!joint->kind && joint->loop < 0) return; // couples joints; those that it couples count themselves
    const int a = idle_root(of, joint->first), b = idle_root(of, joint->second);
    if (a == b) return;
    if (a >= 0) idle_take(sim, joint, 0, &line[a]);
    if (b >= 0) idle_take(sim, joint, 1, &line[b]);
}

br_status br_sim_idle_freedoms(br_sim *sim, int *count, char *names, size_t size, br_error *error) {
    const br_model *m = sim->model;
    const size_t links = (size_t)m->tree.links;
    size_t used = 0;
    int *of = br_sim_take(sim, links * sizeof *of + 1);
    idle_line *line = br_sim_take(sim, links * sizeof *line + 1);
    if (!of || !line) {
        br_sim_give(sim, of);
        br_sim_give(sim, line);
        return br_no_memory(error, "no memory for %d links", m->tree.links);
    }
    idle_join_welds(sim, of);
    memset(line, 0, links * sizeof *line);
    *count = 0, names[0] = '\0';
    for (int j = 0; j < m->joints; j++) idle_take_joint(sim, of, &m->joint[j], line);
    for (int i = 0; i < m->tree.links; i++) {
        if (!line[i].second || line[i].others > 0) continue;
        ++*count;
        const int n = snprintf(names + used, size - used, "%s%s (%s, %s)", used ? "\n" : "",
                               idle_name(sim, of, i), line[i].first, line[i].second);
        if (n > 0 && (size_t)n < size - used)
            used += (size_t)n;
        else
            names[used] = '\0';
    }
    br_sim_give(sim, line);
    br_sim_give(sim, of);
    return BR_OK;
}
