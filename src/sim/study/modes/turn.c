// Critical speeds and Campbell's table, see modes/modes.h.
//
//     critical    (K + spin^2 (N + LIFT)) x = 0: seen from the shaft, a shape that needs no force at this speed
//
// Below the first critical speed that matrix is positive definite. Each one that is passed changes the sign of its
// determinant, and where that is negative one motion runs away: so they bound zones in pairs, first and second, third and
// fourth. Of a round shaft both of a pair are the same.
#include "math/elementary.h"
#include "sim/study/modes/modes.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#include <lapacke.h> // last: it brings complex.h

#define BR_EPS_REAL 1e-7  // imaginary part of a squared speed that is rounding
#define BR_EPS_STILL 1e-9 // of the largest: a rigid motion that the spin does not act on

static const char no_memory[] = "no memory for the modes";

// Rigid motions along and about the axis feel neither K nor N: they are taken out, or every speed would be critical. Within
// the rigid ones, which come first, N is made diagonal; those without it leave. Returns how many stay in
// all; -1: no memory.
static int drop_still(const br_linear *l, int rigid, double *N, double *X) {
    const size_t m = (size_t)l->basis, n = (size_t)l->n;
    double R[36], w[6], largest = 0.0;
    if (rigid == 0 || rigid > 6) return l->basis;
    for (int r = 0; r < rigid; r++)
        for (int c = 0; c < rigid; c++)
            R[c * rigid + r] = 0.5 * (N[(size_t)c * m + (size_t)r] + N[(size_t)r * m + (size_t)c]);
    for (size_t k = 0; k < m; k++) largest = fmax(largest, fabs(N[k * m + k]));
    const lapack_int info = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'U', rigid, R, rigid, w);
    if (info != 0) return info == LAPACK_WORK_MEMORY_ERROR ? -1 : l->basis;
    double *turned = BR_TAKE(l->scratch, double, 6 * n + 1);
    if (!turned) return -1;
    int kept = 0;
    for (int k = 0; k < rigid; k++) {
        if (fabs(w[k]) <= BR_EPS_STILL * largest) continue;
        for (int j = 0; j < rigid; j++)
            for (size_t i = 0; i < n; i++)
                turned[(size_t)kept * n + i] += R[k * rigid + j] * X[(size_t)j * n + i];
        kept++;
    }
    memcpy(X, turned, (size_t)kept * n * sizeof *X);
    memmove(X + (size_t)kept * n, X + (size_t)rigid * n, (m - (size_t)rigid) * n * sizeof *X);
    return kept + l->basis - rigid;
}

static int rising(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int count_rigid(const br_linear *l) {
    int rigid = 0;
    for (int k = 0; k < l->basis; k++) {
        const double *x = l->X + (size_t)k * (size_t)l->n;
        const double square = 1.0 / l->mu[k] - l->sigma;
        if (l->mu[k] > 0.0 && fabs(square) <= br_linear_noise(l, x, NULL) + 1e-9 * l->sigma)
            rigid++;
        else
            break;
    }
    return rigid;
}

static br_status critical_speeds(br_linear *l, double **out, int *count, br_error *error) {
    const size_t m = (size_t)l->basis;
    double *K = BR_TAKE(l->scratch, double, m *m + 1), *N = BR_TAKE(l->scratch, double, m *m + 1),
           *a = BR_TAKE(l->scratch, double, 3 * m + 1);
    *count = 0, *out = a;
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, no_memory);
    if (m == 0) return BR_OK;
    br_linear_project(l, BR_MODE_N, -1.0, N), br_linear_project(l, BR_MODE_LIFT, -1.0, N);
    const int stay = drop_still(l, count_rigid(l), N, l->X);
    if (stay < 0) return br_no_memory(error, no_memory);
    l->basis = stay;
    const size_t kept = (size_t)stay;
    if (kept == 0) return BR_OK;
    memset(N, 0, m * m * sizeof *N);
    br_linear_project(l, BR_MODE_K, 1.0, K);
    br_linear_project(l, BR_MODE_N, -1.0, N), br_linear_project(l, BR_MODE_LIFT, -1.0, N);
    double *re = BR_TAKE(l->scratch, double, 3 * kept);
    if (!re) return br_no_memory(error, no_memory);
    const lapack_int order = (lapack_int)kept;
    if (LAPACKE_dggev(LAPACK_COL_MAJOR, 'N', 'N', order, K, order, N, order, re, re + kept, re + 2 * kept,
                      NULL, order, NULL, order) != 0)
        return br_fail(error, BR_NUMERICAL, "mode-failed", "the critical speeds were not found");
    for (size_t k = 0; k < kept; k++) {
        const double beta = re[2 * kept + k], square = re[k] / beta;
        if (!(fabs(beta) > 1e-13 * fabs(re[k])) || !(square > 1e-12 * l->sigma)) continue;
        if (fabs(re[kept + k]) <= BR_EPS_REAL * fabs(re[k])) a[(*count)++] = sqrt(square);
    }
    qsort(a, (size_t)*count, sizeof *a, rising);
    return BR_OK;
}

br_status br_modes_critical(br_sim *sim, const br_modes_def *def, br_criticals *out, br_error *error) {
    br_mode_session s;
    br_criticals r = {0};
    double *speed = NULL;
    int count = 0;
    br_status status = br_mode_open(&s, sim, def, 1, r.notes, sizeof r.notes, error);
    if (status == BR_OK) status = critical_speeds(&s.l, &speed, &count, error);
    if (status == BR_OK) {
        const int zones = (count + 1) / 2;
        r.memory = br_mode_memory(def);
        r.axis = s.l.axis, r.about = s.l.about;
        r.count = zones < def->count ? zones : def->count;
        r.zone = r.memory ? BR_TAKE((br_arena *)r.memory, br_critical_zone, r.count + 1) : NULL;
        if (!r.zone) status = br_no_memory(error, no_memory);
    }
    for (int k = 0; status == BR_OK && k < r.count; k++)
        r.zone[k] = (br_critical_zone){speed[2 * k], 2 * k + 1 < count ? speed[2 * k + 1] : INFINITY};
    br_mode_close(&s, sim);
    if (status == BR_OK)
        *out = r;
    else
        br_criticals_free(&r);
    return status;
}

void br_criticals_free(br_criticals *criticals) {
    br_mode_memory_free(criticals->memory);
    memset(criticals, 0, sizeof *criticals);
}

// --- Campbell ----------------------------------------------------------------------------------------------

#define BR_OTHER_WHIRL                                                                                       \
    0.2 // of the frequency: how much nearer a mode of the other sense must be to be followed

static int by_fixed(const void *a, const void *b) {
    const br_mode *x = a, *y = b;
    const double p = br_hypot(x->real, x->fixed), q = br_hypot(y->real, y->fixed);
    return (p > q) - (p < q);
}

// How far a mode is from where the last two speeds let it be expected.
static double distance(const br_mode *before, const br_mode *last, const br_mode *now) {
    const double expected = before ? 2.0 * last->fixed - before->fixed : last->fixed;
    const int turned = last->whirl != BR_WHIRL_NONE && now->whirl != last->whirl;
    return fabs(now->fixed - fabs(expected)) + (turned ? BR_OTHER_WHIRL * last->fixed : 0.0);
}

// Modes in the order of those of the speed before, nearest pairs first.
static void turn_follow(const br_mode *before, const br_mode *last, const br_mode *found, int count,
                        int wanted, br_mode *out, unsigned char *used) {
    for (int k = 0; k < wanted; k++) out[k].rigid = -1; // not yet
    for (int n = 0; n < wanted; n++) {
        int line = -1, mode = -1;
        double best = INFINITY;
        for (int k = 0; k < wanted; k++)
            for (int j = 0; out[k].rigid < 0 && isfinite(last[k].fixed) && j < count; j++) {
                const double d =
                    used[j] ? INFINITY : distance(before ? &before[k] : NULL, &last[k], &found[j]);
                if (d < best) best = d, line = k, mode = j;
            }
        if (line < 0) break;
        out[line] = found[mode], used[mode] = 1;
    }
    for (int k = 0; k < wanted; k++)
        if (out[k].rigid < 0)
            out[k] = (br_mode){.real = NAN, .imaginary = NAN, .frequency = NAN, .damping = NAN, .fixed = NAN};
}

// Rigid motions are left out, and what decays without turning back.
static br_status one_speed(br_mode_session *s, double spin, br_mode **out, int *kept, br_error *error) {
    br_found *found = NULL;
    int count = 0;
    br_status status = br_mode_spin(s, spin, error);
    if (status == BR_OK) status = br_linear_eigen(&s->l, &found, &count, error);
    if (status != BR_OK) return status;
    *out = BR_TAKE(&s->scratch, br_mode, count + 1), *kept = 0;
    if (!*out) return br_no_memory(error, no_memory);
    for (int k = 0; k < count; k++)
        if (!found[k].rigid && (found[k].imaginary > 0.0 || found[k].real > 0.0))
            br_mode_tell(&s->l, &found[k], &(*out)[(*kept)++]);
    qsort(*out, (size_t)*kept, sizeof **out, by_fixed);
    return BR_OK;
}

static br_status fill_table(br_mode_session *s, br_campbell *r, br_error *error) {
    const size_t count = (size_t)r->count;
    for (int k = 0; k < r->speeds; k++) {
        br_mode *found, *out = r->mode + (size_t)k * count;
        int kept;
        const br_status status = one_speed(s, r->spin[k], &found, &kept, error);
        if (status != BR_OK) return status;
        unsigned char *used = BR_TAKE(&s->scratch, unsigned char, kept + 1);
        if (!used) return br_no_memory(error, no_memory);
        // The first speed is its own predecessor: lines are in the order of frequencies there.
        if (k == 0)
            for (int c = 0; c < r->count; c++) out[c] = (br_mode){.fixed = c < kept ? found[c].fixed : NAN};
        const br_mode *last = k == 0 ? BR_TAKE(&s->scratch, br_mode, count) : out - count;
        if (!last) return br_no_memory(error, no_memory);
        if (k == 0) memcpy((void *)last, out, count * sizeof *out);
        turn_follow(k > 1 ? out - 2 * count : NULL, last, found, kept, r->count, out, used);
    }
    return BR_OK;
}

br_status br_modes_campbell(br_sim *sim, const br_modes_def *def, double from, double to, int speeds,
                            br_campbell *out, br_error *error) {
    br_mode_session s;
    br_campbell r = {.speeds = speeds, .count = def->count};
    if (!(speeds >= 1 && speeds <= 100000) || !isfinite(from) || !isfinite(to))
        return br_fail(error, BR_INVALID, "mode-speeds",
                       "%d speeds from %g to %g rad/s, expected 1 or more between finite ones", speeds, from,
                       to);
    br_status status = br_mode_open(&s, sim, def, 1, r.notes, sizeof r.notes, error);
    if (status == BR_OK) {
        r.memory = br_mode_memory(def);
        r.spin = r.memory ? BR_TAKE((br_arena *)r.memory, double, speeds) : NULL;
        r.mode =
            r.memory ? BR_TAKE((br_arena *)r.memory, br_mode, (size_t)speeds * (size_t)def->count) : NULL;
        if (!r.spin || !r.mode) status = br_no_memory(error, no_memory);
    }
    for (int k = 0; status == BR_OK && k < speeds; k++)
        r.spin[k] = k + 1 == speeds && k > 0 ? to : from + (to - from) * k / (speeds > 1 ? speeds - 1 : 1);
    if (status == BR_OK) status = fill_table(&s, &r, error);
    br_mode_close(&s, sim);
    if (status == BR_OK)
        *out = r;
    else
        br_campbell_free(&r);
    return status;
}

void br_campbell_free(br_campbell *campbell) {
    br_mode_memory_free(campbell->memory);
    memset(campbell, 0, sizeof *campbell);
}
