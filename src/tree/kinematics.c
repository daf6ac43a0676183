// Poses and velocities of a tree, see tree.h.
#include "math/elementary.h"
#include "tree/joint_parts.h"
#include "tree/spatial.h"
#include "tree/tree.h"

// Free, with velocities along the world's axes.
static int is_afloat(const br_link *link) {
    if (link->kind->type != BR_JOINT_FREE || link->parent >= 0 || link->reversed) return 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            if (link->R_PJ.m[a][b] != (a == b)) return 0;
    return 1;
}

br_status br_tree_work_create(const br_tree *tree, br_arena *arena, br_tree_work *out) {
    const int n = tree->links, nv = tree->nv;
    int factor = 0;
    br_tree_work w = {
        .pose = BR_TAKE(arena, br_link_pose, n),
        .S = BR_TAKE(arena, br_twist, nv),
        .motion = BR_TAKE(arena, br_link_motion, n),
        .moment = BR_TAKE(arena, br_vec3, n),
        .inertia = BR_TAKE(arena, br_sym3, n),
        .articulated = BR_TAKE(arena, br_spatial, n),
        .U = BR_TAKE(arena, br_wrench, nv),
        .D_at = BR_TAKE(arena, int, n),
        .lone = BR_TAKE(arena, unsigned char, n),
        .afloat = BR_TAKE(arena, unsigned char, n),
        .force = BR_TAKE(arena, br_wrench, n),
        .p = BR_TAKE(arena, br_wrench, n),
        .u = BR_TAKE(arena, double, nv),
        .A = BR_TAKE(arena, br_twist, n),
    };
    if (!w.pose || !w.S || !w.motion || !w.moment || !w.inertia || !w.articulated || !w.U || !w.D_at ||
        !w.lone || !w.afloat || !w.force || !w.p || !w.u || !w.A)
        return BR_NO_MEMORY;
    for (int i = 0; i < n; i++) w.lone[i] = (unsigned char)br_tree_is_lone(tree, i);
    for (int i = 0; i < n; i++) // a child makes its parent carry something
        if (tree->link[i].parent >= 0) w.lone[tree->link[i].parent] = 0;
    for (int i = 0; i < n; i++) w.afloat[i] = (unsigned char)is_afloat(&tree->link[i]);
    for (int i = 0; i < n; i++) // what never changes of them
        for (int k = 0; w.afloat[i] && k < 3; k++)
            w.S[tree->link[i].v_at + k] = br_twist_of(br_vec3_zero(), br_vec3_unit(k));
    for (int i = 0; i < n; i++) {
        w.D_at[i] = factor;
        factor += tree->link[i].kind->nv * tree->link[i].kind->nv;
    }
    w.D = BR_TAKE(arena, double, factor);
    if (!w.D) return BR_NO_MEMORY;
    *out = w;
    return BR_OK;
}

static inline br_vec3 principal_mul(const br_sym3 *I, br_vec3 r) {
    return br_vec3_of(I->xx * r.x, I->yy * r.y, I->zz * r.z);
}

// R I R^T: both halves of the product, so that only six entries are formed. Most bodies have their axes along the principal ones.
static br_sym3 rotate_tensor(const br_mat3 *R, const br_sym3 *I) {
    const br_vec3 x = br_mat3_row(*R, 0), y = br_mat3_row(*R, 1), z = br_mat3_row(*R, 2);
    const int principal = I->xy == 0.0 && I->xz == 0.0 && I->yz == 0.0;
    const br_vec3 a = principal ? principal_mul(I, x) : br_sym3_mul_vec(*I, x),
                  b = principal ? principal_mul(I, y) : br_sym3_mul_vec(*I, y),
                  c = principal ? principal_mul(I, z) : br_sym3_mul_vec(*I, z);
    return br_sym3_of(br_vec3_dot(a, x), br_vec3_dot(b, y), br_vec3_dot(c, z), br_vec3_dot(a, y),
                      br_vec3_dot(a, z), br_vec3_dot(b, z));
}

// The joint's pose on the parent is R_WJ, and the joint turns by Rz: the commonest joint, without function calls.
static void place_revolute(const br_mat3 *R_WJ, double angle, br_link_pose *pose, br_twist *S) {
    double s, c;
    br_sincos(angle, &s, &c);
    for (int i = 0; i < 3; i++) {
        const double x = R_WJ->m[i][0], y = R_WJ->m[i][1];
        pose->R_WL.m[i][0] = c * x + s * y;
        pose->R_WL.m[i][1] = c * y - s * x;
        pose->R_WL.m[i][2] = R_WJ->m[i][2];
    }
    S->angular = br_mat3_column(*R_WJ, 2);
    S->linear = br_vec3_zero();
}

static void place_any(const br_link *link, const br_mat3 *R_WJ, const double *q, br_link_pose *pose,
                      br_twist *S) {
    br_joint_motion m;
    link->kind->pose(link->parameter, q, &m);
    if (link->reversed) br_joint_reverse(link->kind->nv, &m);
    pose->R_WL = br_mat3_mul(*R_WJ, m.R_FM);
    pose->r = br_vec3_add(pose->r, br_mat3_mul_vec(*R_WJ, m.p_FM));
    for (int k = 0; k < link->kind->nv; k++)
        S[k] = br_twist_of(br_mat3_mul_vec(*R_WJ, m.S[k].angular), br_mat3_mul_vec(*R_WJ, m.S[k].linear));
}

static void place_afloat(const br_link *link, const double *q, br_link_pose *pose, br_twist *S) {
    const br_mat3 R = br_quat_to_mat3_scaled(br_quat_load(q + 3));
    pose->R_WL = R;
    pose->r = pose->p_WL = br_vec3_add(link->p_PJ, br_vec3_of(q[0], q[1], q[2]));
    for (int k = 0; k < 3; k++) S[3 + k].angular = br_mat3_column(R, k);
}

// The twist of a body afloat whose S is this.
static inline br_twist twist_afloat(const br_twist *S, const double *v) {
    return br_twist_of(
        br_vec3_add_scaled(br_vec3_add_scaled(br_vec3_scale(v[3], S[3].angular), v[4], S[4].angular), v[5],
                           S[5].angular),
        br_vec3_of(v[0], v[1], v[2]));
}

void br_tree_position(const br_tree *tree, const double *q, br_tree_work *work) {
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        br_link_pose *pose = &work->pose[i];
        if (work->afloat[i]) {
            place_afloat(link, q + link->q_at, pose, work->S + link->v_at);
            work->moment[i] = work->lone[i] ? br_vec3_zero() : br_mat3_mul_vec(pose->R_WL, link->moment_L);
            work->inertia[i] = rotate_tensor(&pose->R_WL, &link->inertia_L);
            continue;
        }
        br_mat3 R_WJ = link->R_PJ;
        br_vec3 base = br_vec3_zero();
        pose->r = link->p_PJ;
        if (link->parent >= 0) {
            const br_link_pose *parent = &work->pose[link->parent];
            R_WJ = br_mat3_mul(parent->R_WL, link->R_PJ);
            pose->r = br_mat3_mul_vec(parent->R_WL, link->p_PJ);
            base = parent->p_WL;
        }
        if (link->kind->type == BR_JOINT_REVOLUTE && !link->reversed)
            place_revolute(&R_WJ, q[link->q_at], pose, &work->S[link->v_at]);
        else
            place_any(link, &R_WJ, q + link->q_at, pose, work->S + link->v_at);
        pose->p_WL = br_vec3_add(base, pose->r);
        work->moment[i] = br_mat3_mul_vec(pose->R_WL, link->moment_L);
        work->inertia[i] = rotate_tensor(&pose->R_WL, &link->inertia_L);
    }
}

// The kind's own velocity product, to world axes. Only kinds that have one, and reversed joints, come here.
static br_twist joint_product(const br_tree *tree, const br_tree_work *work, int i, const double *q,
                              const double *v) {
    const br_link *link = &tree->link[i];
    const br_joint_kind *kind = link->kind;
    br_joint_motion m;
    kind->pose(link->parameter, q, &m);
    m.zeta = br_twist_of(br_vec3_zero(), br_vec3_zero());
    if (kind->product) kind->product(link->parameter, q, v, &m);
    br_twist zeta = m.zeta;
    br_mat3 R_JL = m.R_FM;
    if (link->reversed) {
        br_twist V = br_twist_of(br_vec3_zero(), br_vec3_zero());
        for (int k = 0; k < kind->nv; k++) br_twist_add_scaled(&V, v[k], &m.S[k]);
        zeta = br_joint_reverse_product(m.R_FM, m.p_FM, V, m.zeta);
        R_JL = br_mat3_transpose(m.R_FM);
    }
    const br_mat3 R_WJ = br_mat3_mul_t(work->pose[i].R_WL, R_JL);
    return br_twist_of(br_mat3_mul_vec(R_WJ, zeta.angular), br_mat3_mul_vec(R_WJ, zeta.linear));
}

// zeta.angular = w_p x (S v) + own, zeta.linear = w_p x (w_p x r) + 2 w_p x (S v) + own
void br_tree_velocity(const br_tree *tree, const double *q, const double *v, br_tree_work *work) {
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const br_joint_kind *kind = link->kind;
        br_link_motion *motion = &work->motion[i];
        if (work->afloat[i]) {
            motion->V = twist_afloat(work->S + link->v_at, v + link->v_at);
            motion->zeta = br_twist_of(br_vec3_zero(), br_vec3_zero());
            continue;
        }
        br_twist joint = br_twist_of(br_vec3_zero(), br_vec3_zero());
        for (int k = 0; k < kind->nv; k++)
            br_twist_add_scaled(&joint, v[link->v_at + k], &work->S[link->v_at + k]);
        motion->V = joint;
        motion->zeta = br_twist_of(br_vec3_zero(), br_vec3_zero());
        if (link->parent >= 0) {
            const br_twist *P = &work->motion[link->parent].V;
            const br_vec3 w = P->angular, w_r = br_vec3_cross(w, work->pose[i].r);
            motion->V.angular = br_vec3_add(joint.angular, w);
            motion->V.linear = br_vec3_add(joint.linear, br_vec3_add(P->linear, w_r));
            motion->zeta.angular = br_vec3_cross(w, joint.angular);
            motion->zeta.linear = br_vec3_cross(w, br_vec3_add_scaled(w_r, 2.0, joint.linear));
        }
        if (kind->product || link->reversed) {
            const br_twist own = joint_product(tree, work, i, q + link->q_at, v + link->v_at);
            motion->zeta = br_twist_add(motion->zeta, own);
        }
    }
}

void br_tree_twists(const br_tree *tree, const br_tree_work *work, const double *v, br_twist *V) {
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        if (work->afloat[i]) {
            V[i] = twist_afloat(work->S + link->v_at, v + link->v_at);
            continue;
        }
        br_twist t = br_twist_of(br_vec3_zero(), br_vec3_zero());
        if (link->parent >= 0) t = br_twist_shift(V[link->parent], work->pose[i].r);
        for (int k = 0; k < link->kind->nv; k++)
            br_twist_add_scaled(&t, v[link->v_at + k], &work->S[link->v_at + k]);
        V[i] = t;
    }
}

void br_tree_twists_in_place(const br_tree *tree, br_tree_work *work, const double *v) {
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        if (work->afloat[i]) {
            work->motion[i].V = twist_afloat(work->S + link->v_at, v + link->v_at);
            continue;
        }
        br_twist t = br_twist_of(br_vec3_zero(), br_vec3_zero());
        if (link->parent >= 0) t = br_twist_shift(work->motion[link->parent].V, work->pose[i].r);
        for (int k = 0; k < link->kind->nv; k++)
            br_twist_add_scaled(&t, v[link->v_at + k], &work->S[link->v_at + k]);
        work->motion[i].V = t;
    }
}

void br_tree_jacobian(const br_tree *tree, const br_tree_work *work, int link, br_vec3 p_W, double *linear,
                      double *angular) {
    const int nv = tree->nv;
    for (int k = 0; k < 3 * nv; k++) linear[k] = angular[k] = 0.0;
    for (int i = link; i >= 0; i = tree->link[i].parent) {
        const br_vec3 arm = br_vec3_sub(p_W, work->pose[i].p_WL);
        for (int k = 0; k < tree->link[i].kind->nv; k++) {
            const int c = tree->link[i].v_at + k;
            const br_twist S = br_twist_shift(work->S[c], arm);
            for (int r = 0; r < 3; r++) {
                linear[r * nv + c] = br_vec3_get(S.linear, r);
                angular[r * nv + c] = br_vec3_get(S.angular, r);
            }
        }
    }
}

int br_tree_owner(const br_tree *tree, int dof) {
    int low = 0, high = tree->links - 1; // the last link whose velocities begin at dof or before
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (tree->link[middle].v_at <= dof)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

double br_tree_kinetic_energy(const br_tree *tree, const br_tree_work *work, const double *v) {
    double twice = 0.0;
    for (int i = 0; i < tree->links; i++) {
        const br_twist V = work->motion[i].V;
        twice +=
            br_twist_dot(V, br_rigid_momentum(tree->link[i].mass, work->moment[i], &work->inertia[i], V));
    }
    for (int k = 0; k < tree->nv; k++) twice += tree->armature[k] * v[k] * v[k];
    return 0.5 * twice;
}

void br_tree_advance(const br_tree *tree, const double *q, const double *v, double h, double *q_next) {
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const double *a = q + link->q_at, *w = v + link->v_at;
        double *b = q_next + link->q_at;
        if (link->kind->advance)
            link->kind->advance(a, w, h, b);
        else
            for (int k = 0; k < link->kind->nq; k++) b[k] = a[k] + h * w[k];
    }
}

void br_tree_rate(const br_tree *tree, const double *q, const double *v, double *qdot) {
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        if (link->kind->rate)
            link->kind->rate(q + link->q_at, v + link->v_at, qdot + link->q_at);
        else
            for (int k = 0; k < link->kind->nq; k++) qdot[link->q_at + k] = v[link->v_at + k];
    }
}

void br_tree_normalize(const br_tree *tree, double *q) {
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        if (link->kind->nq == link->kind->nv) continue;
        double *r = q + link->q_at + link->kind->nq - 4; // a quaternion is always the last four
        const br_quat unit = br_quat_normalize(br_quat_of(r[0], r[1], r[2], r[3]));
        r[0] = unit.w, r[1] = unit.x, r[2] = unit.y, r[3] = unit.z;
    }
}
