// Compact contacts, see compact.h.
#include "lcp/sweep/compact.h"

#include "lcp/sweep/local.h"

#include <math.h>
#include <string.h>

#define COMPACT_ROUNDING 1e-13 // of J's entries: rows that differ by more are not those of a point

typedef struct compact_contact {
    double frame[9];  // R: rows n, t1, t2, scaled
    double arm[2][3]; // r_a, r_b
    double W[9];      // W_cc + C
    int node[2];      // the second is -1 against the ground
    int same_sign;    // R of both nodes has the same sign: -1 is usual
} compact_contact;

struct br_lcp_compact {
    br_lcp_island *island;
    compact_contact *contact; // [laws]
    double *inverse;          // [nodes][10]: 1 / m and I^-1, row-major
};

enum { COMPACT_INVERSE = 10 };

br_lcp_compact *br_lcp_compact_create(br_arena *arena, br_lcp_island *s) {
    if (s->form != BR_FORM_VELOCITY || s->coupled) return NULL;
    for (int i = 0; i < s->laws; i++) {
        const int entries = s->entry_start[i + 1] - s->entry_start[i];
        if (!s->law[i].is_body_contact || entries < 1 || entries > 2) return NULL;
    }
    br_lcp_compact *c = BR_TAKE(arena, br_lcp_compact, 1);
    if (!c) return NULL;
    c->island = s;
    c->contact = BR_TAKE(arena, compact_contact, s->laws);
    c->inverse = BR_TAKE(arena, double, COMPACT_INVERSE *(size_t)s->nodes);
    return c->contact && c->inverse ? c : NULL;
}

static inline void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// ------------------------------------------------------------------------------------------------------- preparing

// 0: M is not (m 1, I).
static int prepare_node(br_lcp_compact *c, int i) {
    const br_lcp_island *s = c->island;
    const double *M = s->mass + s->mass_offset[s->diagonal[i]];
    double *out = c->inverse + COMPACT_INVERSE * (size_t)i;
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 6; k++)
            if (k != r && M[6 * r + k] != 0.0) return 0;
    if (M[0] != M[7] || M[0] != M[14]) return 0;
    out[0] = 1.0 / M[0];
    for (int k = 0; k < 3; k++) {
        double x[6] = {0.0};
        x[3 + k] = 1.0;
        br_lcp_island_solve_node(s, i, x);
        for (int r = 0; r < 3; r++) out[1 + 3 * r + k] = x[3 + r];
    }
    return 1;
}

// The arm of rows (R_r, r x R_r) from sum_r R_r x (r x R_r) = 2 k^2 r for three orthogonal rows of length k. 0: not such rows.
static int find_arm(const double *J, double *arm) {
    double sum[3] = {0.0, 0.0, 0.0}, k2 = 0.0, size2 = 0.0;
    for (int r = 0; r < 3; r++) {
        double m[3];
        cross(J + 6 * r, J + 6 * r + 3, m);
        for (int k = 0; k < 3; k++) {
            sum[k] += m[k];
            k2 += J[6 * r + k] * J[6 * r + k] / 3.0;
            size2 += J[6 * r + 3 + k] * J[6 * r + 3 + k];
        }
    }
    if (!(k2 > 0.0)) return 0;
    for (int k = 0; k < 3; k++) arm[k] = sum[k] / (2.0 * k2);
    double off2 = 0.0;
    for (int r = 0; r < 3; r++) {
        double m[3];
        cross(arm, J + 6 * r, m);
        for (int k = 0; k < 3; k++) off2 += (m[k] - J[6 * r + 3 + k]) * (m[k] - J[6 * r + 3 + k]);
    }
    return off2 <= COMPACT_ROUNDING * COMPACT_ROUNDING * size2;
}

static void add_local(const br_lcp_compact *c, const double *J, int node, double *W) {
    const double *inverse = c->inverse + COMPACT_INVERSE * (size_t)node;
    for (int a = 0; a < 3; a++) {
        double x[6];
        for (int k = 0; k < 3; k++) {
            x[k] = inverse[0] * J[6 * a + k];
            x[3 + k] = inverse[1 + 3 * k] * J[6 * a + 3] + inverse[2 + 3 * k] * J[6 * a + 4] +
                       inverse[3 + 3 * k] * J[6 * a + 5];
        }
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 6; k++) W[3 * r + a] += J[6 * r + k] * x[k];
    }
}

static int prepare_contact(br_lcp_compact *c, int i) {
    const br_lcp_island *s = c->island;
    compact_contact *to = &c->contact[i];
    const int first = s->entry_start[i], entries = s->entry_start[i + 1] - first;
    memset(to->W, 0, sizeof to->W);
    to->node[1] = -1;
    for (int e = 0; e < entries; e++) {
        const double *J = s->jacobian + s->entry_offset[first + e];
        to->node[e] = s->entry_node[first + e];
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) {
                double *R = &to->frame[3 * r + k];
                if (e == 0) {
                    *R = J[6 * r + k];
                    continue;
                }
                if (r == 0 && k == 0) to->same_sign = J[0] == *R && J[1] == R[1] && J[2] == R[2];
                if (J[6 * r + k] != (to->same_sign ? *R : -*R)) return 0;
            }
        if (!find_arm(J, to->arm[e])) return 0;
        add_local(c, J, to->node[e], to->W);
    }
    for (int r = 0; r < 3; r++) to->W[4 * r] += s->compliance[s->law[i].row + r];
    return 1;
}

int br_lcp_compact_prepare(br_lcp_compact *c) {
    for (int i = 0; i < c->island->nodes; i++)
        if (!prepare_node(c, i)) return 0;
    for (int i = 0; i < c->island->laws; i++)
        if (!prepare_contact(c, i)) return 0;
    return 1;
}

// --------------------------------------------------------------------------------------------------------- a sweep

// u += sign (v + omega x r)
static inline void add_point(const double *v, const double *r, double sign, double *u) {
    double m[3];
    cross(v + 3, r, m);
    for (int k = 0; k < 3; k++) u[k] += sign * (v[k] + m[k]);
}

static inline void push_point(const double *inverse, const double *r, double sign, const double *q,
                              double *v) {
    double m[3];
    cross(r, q, m);
    for (int k = 0; k < 3; k++) {
        v[k] += sign * inverse[0] * q[k];
        v[3 + k] +=
            sign * (inverse[1 + 3 * k] * m[0] + inverse[2 + 3 * k] * m[1] + inverse[3 + 3 * k] * m[2]);
    }
}

void br_lcp_compact_velocities(br_lcp_compact *c) {
    br_lcp_island *s = c->island;
    memset(s->v, 0, (size_t)s->scalars * sizeof *s->v);
    for (int i = 0; i < s->laws; i++) { // forces and moments first
        const compact_contact *x = &c->contact[i];
        const double *R = x->frame, *p = s->p + s->law[i].row;
        double q[3], m[3];
        for (int k = 0; k < 3; k++) q[k] = R[k] * p[0] + R[3 + k] * p[1] + R[6 + k] * p[2];
        for (int e = 0; e < 2 && x->node[e] >= 0; e++) {
            double *v = s->v + s->node_start[x->node[e]];
            const double sign = e == 0 || x->same_sign ? 1.0 : -1.0;
            cross(x->arm[e], q, m);
            for (int k = 0; k < 3; k++) {
                v[k] += sign * q[k];
                v[3 + k] += sign * m[k];
            }
        }
    }
    for (int i = 0; i < s->nodes; i++) {
        const double *inverse = c->inverse + COMPACT_INVERSE * (size_t)i, *f = s->momentum + s->node_start[i];
        double *v = s->v + s->node_start[i];
        for (int k = 0; k < 3; k++) v[k] = inverse[0] * (v[k] + f[k]);
        const double m[3] = {v[3] + f[3], v[4] + f[4], v[5] + f[5]};
        for (int k = 0; k < 3; k++)
            v[3 + k] = inverse[1 + 3 * k] * m[0] + inverse[2 + 3 * k] * m[1] + inverse[3 + 3 * k] * m[2];
    }
}

static void visit_point(br_lcp_compact *c, int i) {
    br_lcp_island *s = c->island;
    const br_lcp_law *law = &s->law[i];
    const compact_contact *x = &c->contact[i];
    const double *R = x->frame, *W = x->W, *b = s->offset + law->row, *C = s->compliance + law->row;
    const double other = x->same_sign ? 1.0 : -1.0;
    double *a = s->v + s->node_start[x->node[0]], *old = s->p + law->row, u[3] = {0.0, 0.0, 0.0}, w[3], p[3],
           q[3];
    double *second = x->node[1] < 0 ? NULL : s->v + s->node_start[x->node[1]];
    add_point(a, x->arm[0], 1.0, u);
    if (second) add_point(second, x->arm[1], other, u);
    for (int r = 0; r < 3; r++) {
        w[r] = (R[3 * r] * u[0] + R[3 * r + 1] * u[1] + R[3 * r + 2] * u[2]) + b[r] + C[r] * old[r] -
               (W[3 * r] * old[0] + W[3 * r + 1] * old[1] + W[3 * r + 2] * old[2]);
        p[r] = old[r];
    }
    if (law->kind == BR_LAW_CONE)
        br_lcp_local_cone(law, W, w, p);
    else
        br_lcp_local_solve(law, W, w, p);
    const double d[3] = {p[0] - old[0], p[1] - old[1], p[2] - old[2]};
    if (d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0) return; // apart, most of all
    memcpy(old, p, sizeof p);
    for (int k = 0; k < 3; k++) q[k] = R[k] * d[0] + R[3 + k] * d[1] + R[6 + k] * d[2];
    push_point(c->inverse + COMPACT_INVERSE * (size_t)x->node[0], x->arm[0], 1.0, q, a);
    if (second) push_point(c->inverse + COMPACT_INVERSE * (size_t)x->node[1], x->arm[1], other, q, second);
}

void br_lcp_compact_sweep(br_lcp_compact *c, int backwards) {
    const int laws = c->island->laws;
    for (int k = 0; k < laws; k++) {
        const int i = backwards ? laws - 1 - k : k;
        if (!c->island->law[i].immovable) visit_point(c, i);
    }
}
