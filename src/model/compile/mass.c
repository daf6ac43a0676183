// That every joint moves something: a link that no force can hold back has no acceleration to speak of.
//
// What is certain before a run: a link with everything that is welded to it, and nothing else below, has a
// constant inertia against its own joint, and it must be positive definite. With moving parts below it is a
// matter of the position, and the step that meets a singular one says so; here only that there is any mass or
// inertia at all.
#include <string.h>

#include "model/compile/compile.h"

typedef struct below {
    br_inertia rigid; // of the link and what is welded to it, in its frame
    int moving;       // something moves further below
    int some;         // any mass or inertia, moving parts included
} below;

// The joint's S in the link's axes at its reference point.
static void link_motion(const br_compile *c, int i, br_twist *S) {
    const br_link *link = &c->model->tree.link[i];
    br_joint_motion motion;
    memset(&motion, 0, sizeof motion);
    link->kind->pose(link->parameter, c->model->q_start + link->q_at, &motion);
    if (link->reversed) br_joint_reverse(link->kind->nv, &motion);
    for (int k = 0; k < link->kind->nv; k++)
        S[k] = br_twist_of(br_mat3_tmul_vec(motion.R_FM, motion.S[k].angular),
                           br_mat3_tmul_vec(motion.R_FM, motion.S[k].linear));
}

// After scaling to unit diagonal, so that kg and kg m^2 can be compared, a pivot below this is rounding.
#define BR_EPS_PIVOT 1e-12

// The coordinate along which A (n x n, lower triangle, overwritten) has no inertia left; -1: positive
// definite.
static int first_without_inertia(int n, double A[6][6]) {
    double scale[6];
    for (int i = 0; i < n; i++) {
        if (!(A[i][i] > 0.0)) return i;
        scale[i] = 1.0 / sqrt(A[i][i]);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) A[i][j] *= scale[i] * scale[j];
    for (int k = 0; k < n; k++) {
        if (!(A[k][k] > BR_EPS_PIVOT)) return k;
        for (int i = k + 1; i < n; i++)
            for (int j = k + 1; j <= i; j++) A[i][j] -= A[i][k] * A[j][k] / A[k][k];
    }
    return -1;
}

static br_status check_link(const br_compile *c, int i, const below *b) {
    const br_model *m = c->model;
    const br_link *link = &m->tree.link[i];
    const char *name = m->body[m->link_body[i]].name, *joint = m->joint[m->link_joint[i]].name;
    const br_place place = {"bodies", name, c->error};
    const int nv = link->kind->nv;
    const double *armature = m->tree.armature + link->v_at;
    int driven = nv > 0;
    for (int k = 0; k < nv; k++) driven &= armature[k] > 0.0;
    if (nv == 0 || driven || (b->moving && b->some)) return BR_OK;
    if (!b->some)
        return br_fail_place(&place, "body-no-mass", "mass",
                             "body %s has no mass and carries none, but joint %s lets it move", name, joint);
    br_twist S[6];
    double A[6][6];
    link_motion(c, i, S);
    for (int k = 0; k < nv; k++) {
        const br_wrench momentum = br_inertia_mul(b->rigid, S[k]);
        for (int r = k; r < nv; r++) A[r][k] = br_twist_dot(S[r], momentum);
        A[k][k] += armature[k];
        if (!isfinite(A[k][k]))
            return br_fail_place(&place, "model-not-finite", NULL,
                                 "the inertia of body %s against joint %s is too large to be computed with",
                                 name, joint);
    }
    const int bad = first_without_inertia(nv, A);
    if (bad < 0) return BR_OK;
    if (br_vec3_norm(S[bad].linear) > br_vec3_norm(S[bad].angular))
        return br_fail_place(&place, "body-no-mass", "mass",
                             "body %s has no mass, but joint %s lets it slide", name, joint);
    return br_fail_place(
        &place, "body-no-rotational-inertia", "inertia",
        "body %s has no inertia about an axis that joint %s lets it turn about; give it one, as "
        "inertia: {box: {size: [x, y, z]}} or [Ixx, Iyy, Izz]",
        name, joint);
}

br_status br_compile_mass(br_compile *c) {
    const br_tree *tree = &c->model->tree;
    below *all = BR_TAKE(&c->scratch, below, tree->links);
    if (!all) return br_compile_no_memory(c);
    for (int i = 0; i < tree->links; i++) {
        const br_link *link = &tree->link[i];
        const br_inertia own = {link->mass, link->moment_L, link->inertia_L};
        const br_sym3 I = link->inertia_L;
        all[i].rigid = own;
        all[i].some = link->mass > 0.0 || I.xx + I.yy + I.zz > 0.0;
    }
    for (int i = tree->links - 1; i >= 0; i--) {
        const br_link *link = &tree->link[i];
        const br_status status = check_link(c, i, &all[i]);
        if (status != BR_OK) return status;
        if (link->parent < 0) continue;
        below *up = &all[link->parent];
        up->some |= all[i].some;
        up->moving |= all[i].moving || link->kind->nv > 0;
        if (link->kind->nv == 0) {
            const br_pose X_PL = br_pose_between(c->X_WL[link->parent], c->X_WL[i]);
            up->rigid = br_inertia_add(up->rigid, br_inertia_transform(X_PL, all[i].rigid));
        }
    }
    return BR_OK;
}
