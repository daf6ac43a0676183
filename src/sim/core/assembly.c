// A user who wrote where a joint starts wants to know where it does start: what assembly moved, from what to what.
#include "sim/core/assembly.h"

#include <string.h>

#include "base/error.h"

#define BR_EPS_MOVED 1e-9 // rad, or of the model's length: less is how loops are closed in any step

br_status br_assembly_keep(br_sim *sim, br_error *error) {
    const int nq = sim->model->tree.nq;
    if (!sim->assembly.moved) return BR_OK;
    sim->q_assembled = BR_TAKE(&sim->arena, double, nq);
    if (!sim->q_assembled) return br_no_memory(error, "no memory for what the assembly moved");
    memcpy(sim->q_assembled, sim->state.q, (size_t)nq * sizeof(double));
    return BR_OK;
}

// Of one link: number k of what moved, counting down. -1: found.
static int of_link(const br_sim *sim, int i, int k, br_assembly_change *out) {
    const br_model *m = sim->model;
    const br_link *link = &m->tree.link[i];
    const br_model_joint *joint = &m->joint[m->link_joint[i]];
    const double *from = m->q_start + link->q_at, *to = sim->q_assembled + link->q_at;
    const int plain = br_joint_type_plain(joint->type);
    for (int c = 0; c < plain; c++) {
        const int is_angle = (int)(link->kind->angles >> c & 1u);
        if (!(fabs(to[c] - from[c]) > BR_EPS_MOVED * (is_angle ? 1.0 : sim->length_scale)) || k-- > 0)
            continue;
        *out = (br_assembly_change){joint->name, c, from[c], to[c], is_angle, joint->position_given};
        return -1;
    }
    if (link->kind->nq - plain != 4) return k;
    const br_quat a = {from[plain], from[plain + 1], from[plain + 2], from[plain + 3]};
    const br_quat b = {to[plain], to[plain + 1], to[plain + 2], to[plain + 3]};
    const double turned = br_quat_angle(a, b);
    if (!(turned > BR_EPS_MOVED) || k-- > 0) return k;
    *out = (br_assembly_change){joint->name, -1, 0.0, turned, 1, joint->position_given};
    return -1;
}

int br_sim_assembly_change(const br_sim *sim, int k, br_assembly_change *out) {
    if (!sim->q_assembled || k < 0) return 0;
    for (int i = 0; i < sim->model->tree.links; i++) {
        k = of_link(sim, i, k, out);
        if (k < 0) return 1;
    }
    return 0;
}
