// Projections of the laws and their generalized Jacobians.
//
//     symbol      here             symbol          here
//     mu p_n      bound            y = p - w/rho   y (rho = 1 after scaling)
//     P_K         project          dP              G
//
// Contact laws have rows (n, t1[, t2]). Their Alart-Curnier map clips the normal first and then the tangent into a
// section of size mu p_n: a disk (cone), a polygon or a box. With one tangent row the three are the same interval.
#include "lcp/problem/law.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"

static double clip(double x, double lower, double upper) {
    return x < lower ? lower : x > upper ? upper : x;
}

static void zero_matrix(int n, double *G) {
    if (G) memset(G, 0, (size_t)(n * n) * sizeof *G);
}

static void project_equality(const br_lcp_law *law, const double *y, double *p, double *G) {
    zero_matrix(law->rows, G);
    for (int i = 0; i < law->rows; i++) {
        p[i] = y[i];
        if (G) G[i * law->rows + i] = 1.0;
    }
}

static void project_box(const br_lcp_law *law, const double *y, double *p, double *G) {
    double lower, upper;
    br_lcp_law_bounds(law, &lower, &upper);
    zero_matrix(law->rows, G);
    for (int i = 0; i < law->rows; i++) {
        p[i] = clip(y[i], lower, upper);
        if (G && p[i] == y[i] && lower < upper) G[i * law->rows + i] = 1.0;
    }
}

static void project_box_friction(const br_lcp_law *law, const double *y, double *p, double *G) {
    const int n = law->rows;
    zero_matrix(n, G);
    p[0] = y[0] > 0.0 ? y[0] : 0.0;
    if (G && y[0] > 0.0) G[0] = 1.0;
    const double bound = law->mu * p[0];
    for (int i = 1; i < n; i++) {
        p[i] = clip(y[i], -bound, bound);
        if (!G || y[0] <= 0.0) continue;
        if (p[i] == y[i] && bound > 0.0)
            G[i * n + i] = 1.0;
        else
            G[i * n] = y[i] > 0.0 ? law->mu : -law->mu;
    }
}

static void project_cone(const br_lcp_law *law, const double *y, double *p, double *G) {
    double unused[9];
    if (law->rows == 3)
        br_lcp_cone_project(law->mu, y, p, G ? G : unused);
    else
        project_box_friction(law, y, p, G);
}

// The nearest point of a regular polygon lies on the edge whose sector holds y, at its foot or at a corner.
static void project_polygon(const br_lcp_law *law, const double *y, double *p, double *G) {
    if (law->rows < 3) {
        project_box_friction(law, y, p, G);
        return;
    }
    zero_matrix(3, G);
    if (y[0] <= 0.0) {
        p[0] = p[1] = p[2] = 0.0;
        return;
    }
    const double half = law->half_angle, bound = law->mu * y[0]; // bound is the corners' radius
    const double sector = floor(br_atan2(y[2], y[1]) / (2.0 * half));
    const double n1 = br_cos((2.0 * sector + 1.0) * half), n2 = br_sin((2.0 * sector + 1.0) * half);
    const double outward = n1 * y[1] + n2 * y[2], along = n1 * y[2] - n2 * y[1];
    p[0] = y[0];
    if (bound > 0.0 && outward <= bound * br_cos(half)) { // sticks
        p[1] = y[1];
        p[2] = y[2];
        if (G) G[0] = G[4] = G[8] = 1.0;
        return;
    }
    const double reach = bound * br_sin(half);
    const double t = clip(along, -reach, reach), r = bound * br_cos(half);
    p[1] = r * n1 - t * n2;
    p[2] = r * n2 + t * n1;
    if (!G) return;
    G[0] = 1.0;
    if (t == along) { // on an edge: free along it
        G[3] = law->mu * br_cos(half) * n1;
        G[6] = law->mu * br_cos(half) * n2;
        G[4] = n2 * n2;
        G[5] = G[7] = -n1 * n2;
        G[8] = n1 * n1;
    } else if (bound > 0.0) { // at a corner
        G[3] = law->mu * p[1] / bound;
        G[6] = law->mu * p[2] / bound;
    }
}

double br_lcp_joint_bound(const br_lcp_law *law, int k, const double *p, double *gradient) {
    const br_joint_bound *b = &law->bounds[k];
    double bound = law->share * b->preload * law->preload_scale;
    if (gradient) memset(gradient, 0, (size_t)law->normal_rows * sizeof *gradient);
    for (int t = 0; t < b->terms; t++) {
        double square = 0.0;
        for (int i = 0; i < law->normal_rows; i++)
            if (b->rows[t] >> i & 1u) square += p[i] * p[i];
        const double norm = sqrt(square);
        const double coefficient = law->share * b->coefficient[t];
        bound += coefficient * norm;
        if (!gradient || norm == 0.0) continue;
        for (int i = 0; i < law->normal_rows; i++)
            if (b->rows[t] >> i & 1u) gradient[i] += coefficient * p[i] / norm;
    }
    return bound;
}

static void project_joint_friction(const br_lcp_law *law, const double *y, double *p, double *G) {
    const int n = law->rows, m = law->normal_rows;
    zero_matrix(n, G);
    for (int i = 0; i < m; i++) {
        p[i] = y[i];
        if (G) G[i * n + i] = 1.0;
    }
    for (int k = 0; k < n - m; k++) {
        double gradient[BR_MAX_LAW_ROWS];
        const double bound = br_lcp_joint_bound(law, k, y, gradient);
        const int i = m + k;
        p[i] = clip(y[i], -bound, bound);
        if (!G) continue;
        if (p[i] == y[i]) {
            G[i * n + i] = 1.0;
        } else {
            const double sign = y[i] > 0.0 ? 1.0 : -1.0;
            for (int j = 0; j < m; j++) G[i * n + j] = sign * gradient[j];
        }
    }
}

typedef struct law_ops {
    void (*project)(const br_lcp_law *law, const double *y, double *p, double *G);
    int is_friction, is_rows;
} law_ops;

static const law_ops ops[BR_LAW_KINDS] = {
    [BR_LAW_EQUALITY] = {project_equality, 0, 1},
    [BR_LAW_UNILATERAL] = {project_box, 0, 1},
    [BR_LAW_BOX] = {project_box, 0, 1},
    [BR_LAW_BOX_FRICTION] = {project_box_friction, 1, 0},
    [BR_LAW_CONE] = {project_cone, 1, 0},
    [BR_LAW_POLYGON] = {project_polygon, 1, 0},
    [BR_LAW_JOINT_FRICTION] = {project_joint_friction, 1, 0},
};

void br_lcp_law_project(const br_lcp_law *law, const double *y, double *p, double *G) {
    ops[law->kind].project(law, y, p, G);
}

int br_lcp_law_is_friction(br_law_kind kind) {
    return ops[kind].is_friction;
}
int br_lcp_law_is_rows(br_law_kind kind) {
    return ops[kind].is_rows;
}

void br_lcp_law_bounds(const br_lcp_law *law, double *lower, double *upper) {
    *lower = law->kind == BR_LAW_UNILATERAL ? 0.0 : law->kind == BR_LAW_BOX ? law->lower : -INFINITY;
    *upper = law->kind == BR_LAW_BOX ? law->upper : INFINITY;
}

// The cone's with one tangent: p - P_K(p - w - mu |w_t| n) in the plane.
static void defect_planar_cone(double mu, const double *p, const double *w, double *defect) {
    const double p3[3] = {p[0], p[1], 0.0}, w3[3] = {w[0], w[1], 0.0};
    double d3[3];
    br_lcp_cone_defect(mu, p3, w3, d3);
    defect[0] = d3[0];
    defect[1] = d3[1];
}

void br_lcp_law_defect(const br_lcp_law *law, const double *p, const double *w, double *defect) {
    if (law->kind == BR_LAW_CONE) {
        if (law->rows == 3)
            br_lcp_cone_defect(law->mu, p, w, defect);
        else
            defect_planar_cone(law->mu, p, w, defect);
        return;
    }
    const int n = law->rows;
    double y[BR_MAX_LAW_ROWS] = {0.0}, projected[BR_MAX_LAW_ROWS];
    for (int i = 0; i < n; i++) y[i] = p[i] - w[i];
    // bounds that follow other rows are judged at those rows' own p, not at p - w
    const int leaders = law->kind == BR_LAW_JOINT_FRICTION ? law->normal_rows : ops[law->kind].is_friction;
    for (int i = 0; i < leaders; i++) y[i] = p[i];
    br_lcp_law_project(law, y, projected, NULL);
    if (leaders > 0 && law->kind != BR_LAW_JOINT_FRICTION) { // the normal row itself is unilateral
        const double normal = p[0] - w[0];
        projected[0] = normal > 0.0 ? normal : 0.0;
    } else {
        for (int i = 0; i < leaders; i++) projected[i] = p[i] - w[i];
    }
    // where the projection leaves y alone the defect is w: p - (p - w) would lose w behind a huge p
    for (int i = 0; i < n; i++) defect[i] = projected[i] == p[i] - w[i] ? w[i] : p[i] - projected[i];
}
