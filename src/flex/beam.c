// The two-node beam element, see beam.h for what it is.
//
// Everything is a function of seven products of the nodes' vectors, l the length, X the line, A the section axes:
//
//     a = (A_1 + A_2)^T (X_2 - X_1)/(2 l)      u = unskew(A_1^T A_2)      t = trace(A_1^T A_2)
//     c = sqrt(1 + t)/2 = cos(theta/2)         theta = |phi|,  u = sin(theta) phi/theta
//     gamma = F a - k u (u . a)                F = theta/sin(theta)
//     phi   = F u                              k = (F - 1)/sin(theta)^2
//
// which is gamma = J(phi)^-1 A_1^T (X_2 - X_1)/l written so that neither node comes first, and without a singularity
// at theta = 0. At theta = pi both F and k are infinite, and phi has two values.
//
// Discrete form. With means of start and end for the vectors, the products' differences are linear in the moves and
// turns. With divided differences for F and k, and d(f g) = mean(f) dg + mean(g) df for every product, the strain's
// difference is linear in those of a, u and t: no correction along the step is needed, and nothing is divided by the
// step. Both forms are the same formulas: the instant one has its start at its end.
#include "flex/beam.h"

#include <string.h>

// --- functions of one variable, at two places --------------------------------------------------------------

// f at places 0 and 1, and its divided differences f[0,1], f[1,1] = f'(1) and f[0,1,1].
typedef struct divided {
    double f0, f1, f01, f11, f011;
} divided;

static divided divided_product(divided f, divided g) {
    const divided r = {f.f0 * g.f0, f.f1 * g.f1, f.f0 * g.f01 + f.f01 * g.f1, f.f1 * g.f11 + f.f11 * g.f1,
                       f.f0 * g.f011 + f.f01 * g.f11 + f.f011 * g.f1};
    return r;
}

static divided divided_inverse_of(double x0, double x1) {
    const double z0 = 1.0 / x0, z1 = 1.0 / x1;
    const divided r = {z0, z1, -z0 * z1, -z1 * z1, z0 * z1 * z1};
    return r;
}

// f(x(y)) by y.
static divided divided_chain(divided f, divided x) {
    const divided r = {f.f0, f.f1, f.f01 * x.f01, f.f11 * x.f11, f.f011 * x.f01 * x.f11 + f.f01 * x.f011};
    return r;
}

static divided divided_plus(divided f, double constant) {
    f.f0 += constant;
    f.f1 += constant;
    return f;
}

// acos(c)/sqrt(1 - c^2) = 1 + w g(w), w = 1 - c: g(w) = sum of (n+1)!/(2n+3)!! w^n. Terms fall as (w/2)^n.
enum { SERIES_TERMS = 56 };
static const double series[SERIES_TERMS] = {
    0.3333333333333333,     0.13333333333333333,    0.05714285714285714,    0.025396825396825397,
    0.011544011544011544,   0.005328005328005328,   0.0024864024864024864,  0.0011700717583070525,
    0.0005542445170928143,  0.00026392596052038776, 0.00012622545937931588, 6.058822050207163e-05,
    2.9172106167664115e-05, 1.4083085736113711e-05, 6.814396323925989e-06,  3.303949732812601e-06,
    1.6047755845089777e-06, 7.807016357070702e-07,  3.8034182252395724e-07, 1.855325963531499e-07,
    9.060894240502669e-08,  4.429770517579083e-08,  2.1677600405174232e-08, 1.0617600198452685e-08,
    5.204705979633669e-09,  2.55325199000897e-09,   1.2534146132771307e-09, 6.157124416098186e-10,
    3.0263831875736846e-10, 1.4883851742165663e-10, 7.323800063605326e-11,  3.605563108236468e-11,
    1.775874366743335e-11,  8.750685285401941e-12,  4.313718098437576e-12,  2.127313034845928e-12,
    1.0494744305239912e-12, 5.17922446232619e-13,   2.556832329502803e-13,  1.2626332491371865e-13,
    6.237104001762005e-14,  3.081863153811815e-14,  1.5232197197000922e-14, 7.530524456944277e-15,
    3.72388572046695e-15,   1.8419219692632227e-15, 9.112666584775942e-16,  4.509360784219023e-16,
    2.2319058426942643e-16, 1.104903882521913e-16,  5.47088330180753e-17,   2.7093898256570626e-17,
    1.3420342127086384e-17, 6.648609861125365e-18,  3.2943562374945503e-18, 1.6326013212362371e-18,
};

static int series_terms(double w) {
    return w < 0.004 ? 7 : w < 0.1 ? 13 : SERIES_TERMS; // below 1e-17 of the sum; theta < 0.18, < 0.9, <= pi
}

// g, by c. All terms of the three sums are positive, so the divided differences keep every digit, however near the
// two places are.
static divided series_sum(double c0, double c1) {
    const double w0 = 1.0 - c0, w1 = 1.0 - c1;
    double p = 0.0, q = 0.0, r = 0.0; // g(w0), g[w0,w1], g[w0,w1,w1]
    for (int n = series_terms(fmax(w0, w1)) - 1; n >= 0; --n) {
        r = r * w1 + q;
        q = q * w1 + p;
        p = p * w0 + series[n];
    }
    const double d = w1 - w0;
    const divided g = {p, p + d * q, -q, -(q + d * r), r};
    return g;
}

// Keeps numbers finite where the nodes are turned by pi from each other; theta = pi - 2e-8.
#define SMALLEST_COSINE 1e-8

static double half_cosine(double trace) {
    return fmax(0.5 * sqrt(fmax(1.0 + trace, 0.0)), SMALLEST_COSINE);
}

// F and k as functions of the trace.
static void turn_functions(double trace_0, double trace_1, divided *F, divided *k) {
    const double c0 = half_cosine(trace_0), c1 = half_cosine(trace_1), sum = c0 + c1;
    const divided c_by_trace = {c0, c1, 0.25 / sum, 0.125 / c1, -1.0 / (32.0 * c1 * sum * sum)};
    const divided w = {1.0 - c0, 1.0 - c1, -1.0, -1.0, 0.0};
    const divided z = divided_inverse_of(c0, c1);
    const divided zz = divided_product(z, z);
    divided quarter = divided_inverse_of(4.0 * (1.0 + c0), 4.0 * (1.0 + c1)); // 1/(4 (1 + c))
    quarter.f01 *= 4.0;
    quarter.f11 *= 4.0;
    quarter.f011 *= 16.0;
    const divided g = series_sum(c0, c1);
    const divided F_c = divided_product(z, divided_plus(divided_product(w, g), 1.0));
    const divided k_c =
        divided_product(divided_product(z, zz), divided_product(quarter, divided_plus(g, 1.0)));
    *F = divided_chain(F_c, c_by_trace);
    *k = divided_chain(k_c, c_by_trace);
}

// --- products of the nodes' vectors ------------------------------------------------------------------------

typedef struct vectors {
    br_mat3 A[2];  // section axes, world
    br_vec3 r[2];  // the line from the nodes' origins, world
    br_vec3 delta; // X_2 - X_1
} vectors;

typedef struct products {
    br_vec3 a, u;
    double t;
} products;

static vectors vectors_of(const br_beam_element *e, const br_beam_ends *at) {
    vectors v;
    for (int k = 0; k < 2; ++k) {
        v.A[k] = br_mat3_mul(at->R[k], e->Q[k]);
        v.r[k] = br_mat3_mul_vec(at->R[k], e->p[k]);
    }
    v.delta = br_vec3_add(br_vec3_sub(at->x[1], at->x[0]), br_vec3_sub(v.r[1], v.r[0]));
    return v;
}

static br_vec3 mean_vec3(br_vec3 a, br_vec3 b) {
    return br_vec3_scale(0.5, br_vec3_add(a, b));
}

static vectors vectors_mean(const vectors *p, const vectors *q) {
    vectors v;
    for (int k = 0; k < 2; ++k) {
        v.A[k] = br_mat3_scale(0.5, br_mat3_add(p->A[k], q->A[k]));
        v.r[k] = mean_vec3(p->r[k], q->r[k]);
    }
    v.delta = mean_vec3(p->delta, q->delta);
    return v;
}

static products products_of(const vectors *v, double length) {
    const br_mat3 B = br_mat3_tmul(v->A[0], v->A[1]);
    products y;
    y.a = br_vec3_scale(0.5 / length, br_mat3_tmul_vec(br_mat3_add(v->A[0], v->A[1]), v->delta));
    y.u = br_mat3_unskew(B);
    y.t = br_mat3_trace(B);
    return y;
}

// How the products change: da = S (dx_2 - dx_1) + P_1 turn_1 + P_2 turn_2, du = U (turn_2 - turn_1),
// dt = T . (turn_2 - turn_1).
typedef struct slopes {
    br_mat3 S, P[2], U;
    br_vec3 T;
} slopes;

static slopes slopes_of(const vectors *v, double length) {
    const double half = 0.5 / length;
    const br_vec3 delta = br_vec3_scale(half, v->delta);
    br_vec3 s[3], p1[3], p2[3], e[3], f[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = br_mat3_column(v->A[0], i);
        f[i] = br_mat3_column(v->A[1], i);
        s[i] = br_vec3_scale(half, br_vec3_add(e[i], f[i]));
        p1[i] = br_vec3_sub(br_vec3_cross(e[i], delta), br_vec3_cross(v->r[0], s[i]));
        p2[i] = br_vec3_add(br_vec3_cross(f[i], delta), br_vec3_cross(v->r[1], s[i]));
    }
    br_vec3 T = br_vec3_zero(), u[3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        u[i] = br_vec3_scale(0.5, br_vec3_sub(br_vec3_cross(e[j], f[k]), br_vec3_cross(e[k], f[j])));
        T = br_vec3_add(T, br_vec3_cross(f[i], e[i]));
    }
    const slopes y = {br_mat3_of_rows(s[0], s[1], s[2]),
                      {br_mat3_of_rows(p1[0], p1[1], p1[2]), br_mat3_of_rows(p2[0], p2[1], p2[2])},
                      br_mat3_of_rows(u[0], u[1], u[2]),
                      T};
    return y;
}

// --- strain ------------------------------------------------------------------------------------------------

// Start, end and what lies between them; for the instant form all three are one.
typedef struct span {
    int instant;
    double length;
    vectors end, mean;
    products y; // means
    products y_end;
    divided F, k;
    double F_mean, k_mean;
    double h;           // mean of u . a
    double h_end, beta; // u . a at the end; mean of k u . a
} span;

static span span_between(const br_beam_element *e, const br_beam_ends *start, const br_beam_ends *end) {
    span s;
    const vectors first = vectors_of(e, start);
    const products y_start = products_of(&first, e->length);
    s.instant = 0;
    s.length = e->length;
    s.end = vectors_of(e, end);
    s.mean = vectors_mean(&first, &s.end);
    s.y_end = products_of(&s.end, e->length);
    s.y.a = mean_vec3(y_start.a, s.y_end.a);
    s.y.u = mean_vec3(y_start.u, s.y_end.u);
    s.y.t = 0.5 * (y_start.t + s.y_end.t);
    turn_functions(y_start.t, s.y_end.t, &s.F, &s.k);
    const double h_start = br_vec3_dot(y_start.u, y_start.a);
    s.h_end = br_vec3_dot(s.y_end.u, s.y_end.a);
    s.F_mean = 0.5 * (s.F.f0 + s.F.f1);
    s.k_mean = 0.5 * (s.k.f0 + s.k.f1);
    s.h = 0.5 * (h_start + s.h_end);
    s.beta = 0.5 * (s.k.f0 * h_start + s.k.f1 * s.h_end);
    return s;
}

static span span_at(const br_beam_element *e, const br_beam_ends *at) {
    span s;
    s.instant = 1;
    s.length = e->length;
    s.end = vectors_of(e, at);
    s.mean = s.end;
    s.y = s.y_end = products_of(&s.end, e->length);
    turn_functions(s.y.t, s.y.t, &s.F, &s.k);
    s.F_mean = s.F.f1;
    s.k_mean = s.k.f1;
    s.h = s.h_end = br_vec3_dot(s.y.u, s.y.a);
    s.beta = s.k.f1 * s.h;
    return s;
}

static void strain_at_end(const span *s, const double strain_0[6], double strain[6]) {
    const br_vec3 gamma =
        br_vec3_add_scaled(br_vec3_scale(s->F.f1, s->y_end.a), -s->k.f1 * s->h_end, s->y_end.u);
    const br_vec3 kappa = br_vec3_scale(s->F.f1 / s->length, s->y_end.u);
    strain[0] = gamma.x - strain_0[0];
    strain[1] = gamma.y - strain_0[1];
    strain[2] = gamma.z - strain_0[2];
    strain[3] = kappa.x - strain_0[3];
    strain[4] = kappa.y - strain_0[4];
    strain[5] = kappa.z - strain_0[5];
}

// N would act on a section that shears as -N g^2/2. The part of g that is bending lengthens the line by half its square.
static void lengthen(const br_beam_element *e, double strain[6]) {
    strain[0] += 0.5 * (e->bend[0] * strain[1] * strain[1] + e->bend[1] * strain[2] * strain[2]);
}

// The same of derivatives, with g of the configuration, or its mean over two: g_1^2/2 - g_0^2/2 = g_mean (g_1 - g_0).
static void lengthen_D(const br_beam_element *e, const double g[2], double D[6][12]) {
    for (int c = 0; c < 12; ++c) D[0][c] += e->bend[0] * g[0] * D[1][c] + e->bend[1] * g[1] * D[2][c];
}

void br_beam_strain(const br_beam_element *e, const br_beam_ends *at, double strain[6]) {
    const span s = span_at(e, at);
    strain_at_end(&s, e->strain_0, strain);
    lengthen(e, strain);
}

void br_beam_prepare(br_beam_element *e, const br_section *section, const br_beam_ends *unstressed) {
    const double bend = e->length * e->length / 12.0;
    memcpy(e->C, section->C, sizeof e->C);
    // Shear along y goes with bending about z, and the other way round.
    e->C[1] = 1.0 / (1.0 / section->C[1] + bend / section->C[5]);
    e->C[2] = 1.0 / (1.0 / section->C[2] + bend / section->C[4]);
    e->bend[0] = 1.0 - e->C[1] / section->C[1], e->bend[1] = 1.0 - e->C[2] / section->C[2];
    memset(e->strain_0, 0, sizeof e->strain_0);
    const span s = span_at(e, unstressed);
    strain_at_end(&s, e->strain_0, e->strain_0);
}

// --- first derivatives -------------------------------------------------------------------------------------

// A += s b c^T
static inline void add_outer(br_mat3 *A, double s, br_vec3 b, br_vec3 c) {
    const double x = s * b.x, y = s * b.y, z = s * b.z;
    A->m[0][0] += x * c.x;
    A->m[0][1] += x * c.y;
    A->m[0][2] += x * c.z;
    A->m[1][0] += y * c.x;
    A->m[1][1] += y * c.y;
    A->m[1][2] += y * c.z;
    A->m[2][0] += z * c.x;
    A->m[2][1] += z * c.y;
    A->m[2][2] += z * c.z;
}

// A += s B
static inline void add_scaled(br_mat3 *A, double s, const br_mat3 *B) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) A->m[i][j] += s * B->m[i][j];
}

static void put_D(double D[6][12], int row, int column, double s, const br_mat3 *A) {
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) D[row + i][column + j] = s * A->m[i][j];
}

// (F 1 - k u u^T) A
static br_mat3 by_a(const span *s, const br_mat3 *A) {
    br_mat3 B = br_mat3_scale(s->F_mean, *A);
    add_outer(&B, -s->k_mean, s->y.u, br_mat3_tmul_vec(*A, s->y.u));
    return B;
}

static void gradient(const span *s, double D[6][12]) {
    const slopes y = slopes_of(&s->mean, s->length);
    const br_mat3 GS = by_a(s, &y.S), GP1 = by_a(s, &y.P[0]), GP2 = by_a(s, &y.P[1]);
    // d gamma = ... + (-beta 1 - k u a^T) du + (F_t a - k_t h u) dt
    br_mat3 W = br_mat3_scale(-s->beta, y.U);
    add_outer(&W, -s->k_mean, s->y.u, br_mat3_tmul_vec(y.U, s->y.a));
    add_outer(&W, 1.0, br_vec3_add_scaled(br_vec3_scale(s->F.f01, s->y.a), -s->k.f01 * s->h, s->y.u), y.T);
    const br_mat3 turn_1 = br_mat3_sub(GP1, W), turn_2 = br_mat3_add(GP2, W);
    const br_mat3 zero = br_mat3_zero();
    put_D(D, 0, 0, -1.0, &GS);
    put_D(D, 0, 3, 1.0, &turn_1);
    put_D(D, 0, 6, 1.0, &GS);
    put_D(D, 0, 9, 1.0, &turn_2);
    // d phi = F du + F_t u dt
    br_mat3 K = br_mat3_scale(s->F_mean, y.U);
    add_outer(&K, s->F.f01, s->y.u, y.T);
    put_D(D, 3, 0, 1.0, &zero);
    put_D(D, 3, 3, -1.0 / s->length, &K);
    put_D(D, 3, 6, 1.0, &zero);
    put_D(D, 3, 9, 1.0 / s->length, &K);
}

void br_beam_instant(const br_beam_element *e, const br_beam_ends *at, double strain[6], double D[6][12]) {
    const span s = span_at(e, at);
    strain_at_end(&s, e->strain_0, strain);
    gradient(&s, D);
    lengthen_D(e, strain + 1, D);
    lengthen(e, strain);
}

static void mean_shear(const br_beam_element *e, const br_beam_ends *start, const br_beam_ends *end,
                       double g[2]) {
    double a[6], b[6];
    br_beam_strain(e, start, a);
    br_beam_strain(e, end, b);
    g[0] = 0.5 * (a[1] + b[1]), g[1] = 0.5 * (a[2] + b[2]);
}

void br_beam_discrete(const br_beam_element *e, const br_beam_ends *start, const br_beam_ends *end,
                      double D[6][12]) {
    const span s = span_between(e, start, end);
    double g[2];
    gradient(&s, D);
    mean_shear(e, start, end, g);
    lengthen_D(e, g, D);
}

// --- second derivatives ------------------------------------------------------------------------------------

typedef struct blocks {
    br_mat3 b[4][4]; // rows and columns: x_1, turn_1, x_2, turn_2
} blocks;

// [a]x [b]x = b a^T - (a . b) 1, added to A with the factor s.
static inline void add_skew_skew(br_mat3 *A, double s, br_vec3 a, br_vec3 b) {
    const double d = -s * br_vec3_dot(a, b);
    add_outer(A, s, b, a);
    for (int i = 0; i < 3; ++i) A->m[i][i] += d;
}

static inline void add_skew(br_mat3 *A, double s, br_vec3 a) {
    A->m[0][1] -= s * a.z;
    A->m[0][2] += s * a.y;
    A->m[1][0] += s * a.z;
    A->m[1][2] -= s * a.x;
    A->m[2][0] -= s * a.y;
    A->m[2][1] += s * a.x;
}

static inline void add_identity(br_mat3 *A, double s) {
    for (int i = 0; i < 3; ++i) A->m[i][i] += s;
}

// Rows turn_1 and turn_2 get -A and A.
static inline void add_turn_rows(blocks *K, int column, double s, const br_mat3 *A) {
    add_scaled(&K->b[1][column], -s, A);
    add_scaled(&K->b[3][column], s, A);
}

static inline void add_turn_columns(blocks *K, int row, double s, const br_mat3 *A) {
    add_scaled(&K->b[row][1], -s, A);
    add_scaled(&K->b[row][3], s, A);
}

// The forces' change with their factors f_a, f_u, f_t of the products kept. Forces: N on x_2, -N on x_1, moments
// r_2 x N + b_2 x delta + M on 2 and -r_1 x N + b_1 x delta - M on 1, where b_k = A_k f_a/(2 l), N = b_1 + b_2 and
// M = sum Z_jk e_j x f_k with Z = [f_u]x/2 - f_t 1, up to its sign. A mean's half is left to the caller.
static void vectors_part(const span *s, br_vec3 f_a, br_vec3 f_u, double f_t, blocks *K) {
    const vectors *mean = &s->mean, *end = &s->end;
    const br_vec3 p = br_vec3_scale(0.5 / s->length, f_a);
    br_vec3 b[2], b_mean[2];
    for (int k = 0; k < 2; ++k) {
        b[k] = br_mat3_mul_vec(end->A[k], p);
        b_mean[k] = br_mat3_mul_vec(mean->A[k], p);
    }
    const br_vec3 N = br_vec3_add(b_mean[0], b_mean[1]);
    // dN = -[b_1]x turn_1 - [b_2]x turn_2
    for (int k = 0; k < 2; ++k) {
        const int column = 1 + 2 * k;
        add_skew(&K->b[0][column], 1.0, b[k]);
        add_skew(&K->b[2][column], -1.0, b[k]);
        add_skew_skew(&K->b[1][column], 1.0, mean->r[0], b[k]);
        add_skew_skew(&K->b[3][column], -1.0, mean->r[1], b[k]);
    }
    for (int k = 0; k < 2; ++k) {
        const int row = 1 + 2 * k;
        const double sign = k == 0 ? -1.0 : 1.0;
        add_skew_skew(&K->b[row][row], sign, N, end->r[k]);     // +- (turn x r) x N
        add_skew_skew(&K->b[row][row], 1.0, mean->delta, b[k]); // (turn x b) x delta
        add_skew(&K->b[row][0], -1.0, b_mean[k]);               // b x d delta
        add_skew(&K->b[row][2], 1.0, b_mean[k]);
        add_skew_skew(&K->b[row][1], 1.0, b_mean[k], end->r[0]);
        add_skew_skew(&K->b[row][3], -1.0, b_mean[k], end->r[1]);
    }
    br_mat3 Z = br_mat3_zero(); // Z_jk = sum_i f_u,i e_ijk/2 - f_t d_jk
    add_skew(&Z, -0.5, f_u);
    add_identity(&Z, -f_t);
    const br_mat3 M1 = br_mat3_mul_t(br_mat3_mul(end->A[0], Z), mean->A[1]);
    const br_mat3 M2 = br_mat3_mul(end->A[1], br_mat3_transpose(br_mat3_mul(mean->A[0], Z)));
    br_mat3 by_1 = M1, by_2 = br_mat3_scale(-1.0, M2); // dM = (M1 - tr M1) turn_1 + (tr M2 - M2^T) turn_2
    add_identity(&by_1, -br_mat3_trace(M1));
    add_identity(&by_2, br_mat3_trace(M2));
    add_turn_rows(K, 1, 1.0, &by_1);
    add_turn_rows(K, 3, 1.0, &by_2);
}

// The forces' change with f_a, f_u, f_t, which are
//     f_a = F n - k (n . u) u
//     f_u = -beta n - k (n . u) a + F m
//     f_t = F_t (n . a + m . u) - k_t h (n . u)
// Means and differences are at the middle, what changes is at the end; a mean's half is left to the caller.
static void factors_part(const span *s, br_vec3 n, br_vec3 m, blocks *K) {
    const slopes z = slopes_of(&s->end, s->length), y = s->instant ? z : slopes_of(&s->mean, s->length);
    const br_vec3 a = s->y.a, u = s->y.u, a_end = s->y_end.a, u_end = s->y_end.u;
    const double nu = br_vec3_dot(n, u), F_t = s->F.f01, k_t = s->k.f01;
    const double F_end = s->F.f11, k_end = s->k.f11; // slopes by t at the end

    // f_a by (turn_2 - turn_1)
    br_mat3 A = br_mat3_scale(-s->k_mean * nu, z.U);
    add_outer(&A, -s->k_mean, u, br_mat3_tmul_vec(z.U, n));
    add_outer(&A, 1.0, br_vec3_add_scaled(br_vec3_scale(F_end, n), -k_end * nu, u), z.T);
    const br_mat3 SA = br_mat3_tmul(y.S, A), PA1 = br_mat3_tmul(y.P[0], A), PA2 = br_mat3_tmul(y.P[1], A);
    add_turn_columns(K, 0, -1.0, &SA);
    add_turn_columns(K, 1, 1.0, &PA1);
    add_turn_columns(K, 2, 1.0, &SA);
    add_turn_columns(K, 3, 1.0, &PA2);

    // U^T f_u + T f_t by a
    const br_vec3 Un = br_mat3_tmul_vec(y.U, n);
    br_mat3 B = br_mat3_scale(-s->k_mean * nu, br_mat3_transpose(y.U));
    add_outer(&B, -s->k.f1, Un, u_end);
    add_outer(&B, 1.0, y.T, br_vec3_add_scaled(br_vec3_scale(F_t, n), -k_t * nu, u_end));
    const br_mat3 BS = br_mat3_mul(B, z.S), BP1 = br_mat3_mul(B, z.P[0]), BP2 = br_mat3_mul(B, z.P[1]);
    add_turn_rows(K, 0, -1.0, &BS);
    add_turn_rows(K, 1, 1.0, &BP1);
    add_turn_rows(K, 2, 1.0, &BS);
    add_turn_rows(K, 3, 1.0, &BP2);

    // U^T f_u + T f_t by (turn_2 - turn_1)
    const br_vec3 u_by_t =
        br_vec3_add_scaled(br_vec3_add_scaled(br_vec3_scale(F_end, m), -k_end * s->h_end, n), -k_end * nu, a);
    const br_vec3 t_by_u =
        br_vec3_add_scaled(br_vec3_add_scaled(br_vec3_scale(F_t, m), -k_t * s->h, n), -k_t * nu, a_end);
    const double t_by_t = 2.0 * (s->F.f011 * (br_vec3_dot(n, a) + br_vec3_dot(m, u)) - s->k.f011 * s->h * nu);
    br_mat3 C = br_mat3_outer(br_vec3_scale(-s->k.f1, Un), br_mat3_tmul_vec(z.U, a_end));
    add_outer(&C, -s->k_mean, br_mat3_tmul_vec(y.U, a), br_mat3_tmul_vec(z.U, n));
    add_outer(&C, 1.0, br_mat3_tmul_vec(y.U, u_by_t), z.T);
    add_outer(&C, 1.0, y.T, br_vec3_add_scaled(br_mat3_tmul_vec(z.U, t_by_u), t_by_t, z.T));
    add_turn_rows(K, 1, -1.0, &C);
    add_turn_rows(K, 3, 1.0, &C);
}

static void stiffness(const span *s, const double stress[6], double weight, double K[12][12]) {
    const br_vec3 n = br_vec3_of(stress[0], stress[1], stress[2]);
    const br_vec3 m = br_vec3_scale(1.0 / s->length, br_vec3_of(stress[3], stress[4], stress[5]));
    const br_vec3 a = s->y.a, u = s->y.u;
    const double nu = br_vec3_dot(n, u);
    const br_vec3 f_a = br_vec3_add_scaled(br_vec3_scale(s->F_mean, n), -s->k_mean * nu, u);
    const br_vec3 f_u =
        br_vec3_add_scaled(br_vec3_add_scaled(br_vec3_scale(s->F_mean, m), -s->beta, n), -s->k_mean * nu, a);
    const double f_t = s->F.f01 * (br_vec3_dot(n, a) + br_vec3_dot(m, u)) - s->k.f01 * s->h * nu;
    blocks B;
    memset(&B, 0, sizeof B);
    vectors_part(s, f_a, f_u, f_t, &B);
    factors_part(s, n, m, &B);
    for (int r = 0; r < 4; ++r)
        for (int i = 0; i < 3; ++i)
            for (int c = 0; c < 4; ++c)
                for (int j = 0; j < 3; ++j) K[3 * r + i][3 * c + j] = weight * B.b[r][c].m[i][j];
}

// K of the shear strains' part in the axial one: N bend (g d2g + dg dg), the first of which goes with the shear stress.
static void shear_of(const br_beam_element *e, const double stress[6], const double g[2], double out[6]) {
    memcpy(out, stress, 6 * sizeof *out);
    for (int k = 0; k < 2; ++k) out[1 + k] += stress[0] * e->bend[k] * g[k];
}

static void add_lengthened(const br_beam_element *e, double N, double D[6][12], double D_end[6][12],
                           double K[12][12]) {
    for (int k = 0; k < 2; ++k)
        for (int r = 0; r < 12; ++r)
            for (int c = 0; c < 12; ++c) K[r][c] += N * e->bend[k] * D[1 + k][r] * D_end[1 + k][c];
}

void br_beam_instant_stiffness(const br_beam_element *e, const br_beam_ends *at, const double stress[6],
                               double K[12][12]) {
    const span s = span_at(e, at);
    double strain[6], D[6][12], shear[6];
    strain_at_end(&s, e->strain_0, strain);
    shear_of(e, stress, strain + 1, shear);
    stiffness(&s, shear, 1.0, K);
    gradient(&s, D);
    add_lengthened(e, stress[0], D, D, K);
}

void br_beam_discrete_stiffness(const br_beam_element *e, const br_beam_ends *start, const br_beam_ends *end,
                                const double stress[6], double K[12][12]) {
    const span s = span_between(e, start, end), at_end = span_at(e, end);
    double g[2], shear[6], D[6][12], D_end[6][12];
    mean_shear(e, start, end, g);
    shear_of(e, stress, g, shear);
    stiffness(&s, shear, 0.5, K);
    gradient(&s, D);
    gradient(&at_end, D_end);
    add_lengthened(e, 0.5 * stress[0], D, D_end, K); // a mean's half
}

// --- between the nodes -------------------------------------------------------------------------------------

// Nothing acts between the nodes: the force is the same all along, and the moment is what its arm leaves of those at both ends.
// Axes and line go along the circle or helix of constant strain.
void br_beam_section_stress(const br_beam_element *e, const br_beam_ends *at, const br_wrench push[2],
                            double where, double stress[6]) {
    br_mat3 A[2];
    br_vec3 X[2], F[2], M[2]; // on the part before the section, by the part beyond it, about the line
    for (int k = 0; k < 2; k++) {
        const br_vec3 arm = br_mat3_mul_vec(at->R[k], e->p[k]);
        const double sign = k == 0 ? 1.0 : -1.0;
        A[k] = br_mat3_mul(at->R[k], e->Q[k]);
        X[k] = br_vec3_add(at->x[k], arm);
        F[k] = br_vec3_scale(sign, push[k].force);
        M[k] = br_vec3_sub(br_vec3_scale(sign, push[k].torque), br_vec3_cross(arm, F[k]));
    }
    const br_vec3 phi = br_quat_log(br_quat_from_mat3(br_mat3_tmul(A[0], A[1])));
    const br_vec3 along =
        br_mat3_mul_vec(br_rotation_jacobian_inverse(phi), br_mat3_tmul_vec(A[0], br_vec3_sub(X[1], X[0])));
    const br_vec3 turn = br_vec3_scale(where, phi);
    const br_mat3 A_s = br_mat3_mul(A[0], br_quat_to_mat3(br_quat_exp(turn)));
    const br_vec3 X_s = br_vec3_add(
        X[0],
        br_mat3_mul_vec(A[0], br_mat3_mul_vec(br_rotation_jacobian(turn), br_vec3_scale(where, along))));
    br_vec3 force = br_vec3_zero(), moment = br_vec3_zero();
    for (int k = 0; k < 2; k++) {
        const double share = k == 0 ? 1.0 - where : where;
        force = br_vec3_add_scaled(force, share, F[k]);
        moment =
            br_vec3_add_scaled(moment, share, br_vec3_add(M[k], br_vec3_cross(br_vec3_sub(X[k], X_s), F[k])));
    }
    force = br_mat3_tmul_vec(A_s, force), moment = br_mat3_tmul_vec(A_s, moment);
    for (int i = 0; i < 3; i++) stress[i] = br_vec3_get(force, i), stress[3 + i] = br_vec3_get(moment, i);
}
