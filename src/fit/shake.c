#include "fit/shake.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "fit/difference.h"
#include "sweep/normal.h"
#include "sweep/philox.h"

enum { EARLY_ROWS = 8 };
// Nine tenths of a normal distribution are nearer to its middle than this, in standard deviations.
static const double NINE_TENTHS = 1.6448536269514722;

static int ends_in(const char *name, const char *end) {
    const size_t n = strlen(name), e = strlen(end);
    return n > e && strcmp(name + n - e, end) == 0;
}

static int has_start(const fit_group *g) {
    return ends_in(g->name, ".position") || ends_in(g->name, ".rotation");
}

// ------------------------------------------------------------------------------------------------------------- moved

// Number i of the draw for a group of a recording: of the place 0 to 2, of the rate 3 to 5.
static double shake_normal(const fit_shake *s, int recording, int group, int i) {
    const uint64_t of = (s->draw << 20) + (uint64_t)recording;
    return br_normal_quantile(br_philox_uniform(BR_HASH_START, of, (uint32_t)(6 * group + i)));
}

static br_vec3 shake_vector(const fit_shake *s, int recording, int group, int rate) {
    const double size = rate ? s->rate[group] : s->place[group];
    double x[3];
    for (int i = 0; i < 3; i++) x[i] = size * shake_normal(s, recording, group, i + (rate ? 3 : 0));
    return br_vec3_of(x[0], x[1], x[2]);
}

static void shake_free(const fit_shake *s, int recording, int group, fit_kind kind, double *q, double *v) {
    const br_vec3 place = shake_vector(s, recording, group, 0), rate = shake_vector(s, recording, group, 1);
    if (kind == FIT_ROTATION) {
        const br_quat before = br_quat_of(q[3], q[4], q[5], q[6]);
        const br_quat turned = br_quat_normalize(br_quat_mul(br_quat_exp(place), before));
        const br_vec3 rate_B = br_quat_rotate_inverse(turned, rate);
        q[3] = turned.w, q[4] = turned.x, q[5] = turned.y, q[6] = turned.z;
        v[3] += rate_B.x, v[4] += rate_B.y, v[5] += rate_B.z;
        return;
    }
    q[0] += place.x, q[1] += place.y, q[2] += place.z;
    v[0] += rate.x, v[1] += rate.y, v[2] += rate.z;
}

static int names_element(const char *group, const char *element, size_t length) {
    return strncmp(group, element, length) == 0 && group[length] == '.' && !strchr(group + length + 1, '.');
}

br_status br_fit_shake_start(const br_measured *m, int recording, const fit_shake *s, br_sim *sim,
                             br_error *error) {
    const br_model *model = br_sim_model(sim);
    br_arena arena;
    br_arena_init(&arena, m->allocator);
    double *q = BR_COPY(&arena, br_sim_q(sim), br_model_nq(model)),
           *v = BR_COPY(&arena, br_sim_v(sim), br_model_nv(model));
    br_status status = q && v ? BR_OK : br_no_memory(error, "no memory for a start");
    for (int j = 0; status == BR_OK && j < br_model_joint_count(model); j++) {
        const char *name = br_model_joint_name(model, j);
        const int qa = br_model_joint_q(model, j), va = br_model_joint_v(model, j);
        const int is_free = br_model_joint_type(model, j) == BR_JOINT_FREE && ends_in(name, ".free");
        const size_t n = strlen(name) - (is_free ? strlen(".free") : 0);
        if (qa < 0 || va < 0) continue;
        for (int g = 0; g < m->groups; g++) {
            const fit_group *group = &m->group[g];
            if (!has_start(group) || !names_element(group->name, name, n)) continue;
            if (is_free && group->kind != FIT_SCALAR)
                shake_free(s, recording, g, group->kind, q + qa, v + va);
            if (!is_free && br_joint_type_positions(br_model_joint_type(model, j)) == 1) {
                q[qa] += s->place[g] * shake_normal(s, recording, g, 0);
                v[va] += s->rate[g] * shake_normal(s, recording, g, 3);
            }
        }
    }
    if (status == BR_OK) status = br_sim_set_state(sim, br_sim_time(sim), q, v, error);
    br_arena_free(&arena);
    return status;
}

// ------------------------------------------------------------------------------------------------------------- noise

static int shake_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The line through component c of the first rows' differences: where it begins, how steep it is, and the variance of the slope by what
// rows scatter about the line. 0: fewer than three rows.
static int early_line(const br_measured *m, int recording, int g, int c, const double *predicted,
                      double *at_zero, double *slope, double *by_scatter) {
    const fit_recording *r = &m->recording[recording];
    const int last = r->rows - 1 < EARLY_ROWS ? r->rows - 1 : EARLY_ROWS;
    double st = 0, se = 0, stt = 0, ste = 0, see = 0;
    for (int i = 1; i <= last; i++) {
        const size_t at = (size_t)i * (size_t)m->columns;
        double e[4];
        br_fit_difference(&m->group[g], r->value + at, predicted + at, e);
        if (!isfinite(e[c])) return 0;
        st += r->t[i], se += e[c], stt += r->t[i] * r->t[i], ste += r->t[i] * e[c], see += e[c] * e[c];
    }
    const double n = last, spread = stt - st * st / n;
    if (last < 3 || !(spread > 0)) return 0;
    *slope = (ste - st * se / n) / spread;
    *at_zero = (se - *slope * st) / n;
    *by_scatter = fmax(0, see - se * se / n - *slope * *slope * spread) / ((n - 2) * spread);
    return 1;
}

// The noise that the spec gives for the velocity that goes with a position or rotation; NAN: none.
static double given_rate(const br_measured *m, const fit_group *group) {
    const size_t n = strlen(group->name) - strlen(group->kind == FIT_ROTATION ? "rotation" : "position");
    for (int g = 0; g < m->groups; g++) {
        const char *name = m->group[g].name;
        if (strncmp(name, group->name, n) == 0 &&
            strcmp(name + n, group->kind == FIT_ROTATION ? "angular_velocity" : "velocity") == 0)
            return m->group[g].noise;
    }
    return NAN;
}

size_t br_fit_start_noise_room(const br_measured *m) {
    return (size_t)m->recordings * 3 * 3;
}

void br_fit_start_noise(const br_measured *m, const double *const *predicted, double *sorted, double *place,
                        double *rate) {
    double *slope = sorted + (size_t)m->recordings * 3, *scatter = slope + (size_t)m->recordings * 3;
    for (int g = 0; g < m->groups; g++) {
        const fit_group *group = &m->group[g];
        const int components = group->kind == FIT_ROTATION ? 3 : group->count;
        size_t n = 0;
        place[g] = rate[g] = 0;
        if (!has_start(group)) continue;
        const double given = given_rate(m, group);
        for (int k = 0; k < m->recordings; k++)
            for (int c = 0; c < components; c++) {
                double at_zero = 0, steep = 0, by_scatter = 0;
                if (!early_line(m, k, g, c, predicted[k], &at_zero, &steep, &by_scatter)) continue;
                sorted[n] = fabs(at_zero), slope[n] = fabs(steep), scatter[n] = by_scatter, n++;
            }
        if (n == 0) continue;
        qsort(sorted, n, sizeof *sorted, shake_order);
        qsort(slope, n, sizeof *slope, shake_order);
        qsort(scatter, n, sizeof *scatter, shake_order);
        // By a quantile, not by squares: a recording that touches something within its first rows says nothing of its start.
        const size_t at = (9 * n) / 10;
        place[g] = isfinite(group->noise) ? group->noise : sorted[at] / NINE_TENTHS;
        // What rows scatter by tilts a line too, without any noise of the start; in the median, for the same reason.
        const double steep = slope[at] / NINE_TENTHS, own = steep * steep - scatter[n / 2];
        rate[g] = isfinite(given) ? given : sqrt(fmax(0, own));
    }
}
