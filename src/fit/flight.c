// Free flight: the rows before the first touch say where a body starts and how fast better than the first row alone.
#include "fit/flight.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "fit/difference.h"
#include "linalg/dense.h"

enum { FLIGHT_ROUNDS = 3, FLIGHT_LEAST_ROWS = 4, FLIGHT_COORDINATES = 12, FLIGHT_MOST = 10 };

typedef struct flight {
    const br_measured *m;
    const fit_recording *r;
    br_sim *sim;
    br_channels *channels;
    int first;              // channels before those of the columns
    int body[FLIGHT_MOST];  // q_at of the bodies that fly
    int speed[FLIGHT_MOST]; // v_at
    int bodies;
    int rows;                // before the first touch
    int errors;              // numbers of a row
    double *q0, *v0, *q, *v; // the start so far; the one that is tried
    double *e, *shifted, *J, *A, *b;
    double *row;
    int touched;
} flight;

static void flight_touch(void *context, const br_event *event) {
    if (event->kind == BR_EVENT_CONTACT_ON) ((flight *)context)->touched = 1;
}

static int is_pose(const fit_group *g) {
    const char *dot = strrchr(g->name, '.');
    return dot && ((g->kind == FIT_VECTOR && strcmp(dot, ".position") == 0) || g->kind == FIT_ROTATION);
}

// Runs from the state in q, v. e [rows * errors], of the rows up to f->rows; looking for the touch it sets that.
static br_status flight_run(flight *f, double *e, int look, br_error *error) {
    const fit_recording *r = f->r;
    const br_measured *m = f->m;
    double *predicted = f->row + br_channels_count(f->channels);
    int k = 0;
    f->touched = 0;
    br_status status = br_sim_set_state(f->sim, 0.0, f->q, f->v, error);
    for (; k < (look ? r->rows : f->rows) && status == BR_OK; k++) {
        if (k > 0) status = br_sim_advance(f->sim, r->t[k], error);
        if (status != BR_OK || (look && f->touched)) break;
        status = br_channels_read(f->channels, f->sim, f->row, error);
        int n = f->first, at = 0;
        for (int c = 0; c < m->columns; c++) predicted[c] = m->column[c].control ? 0.0 : f->row[n++];
        for (int g = 0; g < m->groups && e; g++)
            if (is_pose(&m->group[g]))
                at += br_fit_difference(&m->group[g], r->value + (size_t)k * (size_t)m->columns, predicted,
                                        e + (size_t)k * (size_t)f->errors + at);
    }
    if (look) f->rows = k;
    return status;
}

static void flight_shift(flight *f, const double *d) {
    const br_model *model = br_sim_model(f->sim);
    memcpy(f->q, f->q0, (size_t)br_model_nq(model) * sizeof *f->q);
    memcpy(f->v, f->v0, (size_t)br_model_nv(model) * sizeof *f->v);
    for (int b = 0; b < f->bodies; b++, d += FLIGHT_COORDINATES) {
        double *q = f->q + f->body[b], *v = f->v + f->speed[b];
        for (int i = 0; i < 3; i++) q[i] += d[i];
        const br_quat turned = br_quat_normalize(
            br_quat_mul(br_quat_of(q[3], q[4], q[5], q[6]), br_quat_exp(br_vec3_of(d[3], d[4], d[5]))));
        q[3] = turned.w, q[4] = turned.x, q[5] = turned.y, q[6] = turned.z;
        for (int i = 0; i < 6; i++) v[i] += d[6 + i];
    }
}

// One step of Gauss and Newton by differences; the motion is smooth before the first touch.
static br_status flight_round(flight *f, br_error *error) {
    const int n = FLIGHT_COORDINATES * f->bodies, rows = f->rows * f->errors;
    const double h = 1e-5;
    double *d = f->b + n;
    memset(d, 0, (size_t)n * sizeof *d);
    flight_shift(f, d);
    br_status status = flight_run(f, f->e, 0, error);
    for (int k = 0; k < n && status == BR_OK; k++) {
        d[k] = h;
        flight_shift(f, d);
        status = flight_run(f, f->shifted, 0, error);
        d[k] = 0;
        for (int i = 0; i < rows; i++)
            f->J[(size_t)i * (size_t)n + (size_t)k] = (f->shifted[i] - f->e[i]) / h;
    }
    if (status != BR_OK) return status;
    for (int a = 0; a < n; a++) {
        f->b[a] = 0;
        for (int i = 0; i < rows; i++) f->b[a] -= f->J[(size_t)i * (size_t)n + (size_t)a] * f->e[i];
        for (int c = 0; c < n; c++) {
            double sum = 0;
            for (int i = 0; i < rows; i++)
                sum += f->J[(size_t)i * (size_t)n + (size_t)a] * f->J[(size_t)i * (size_t)n + (size_t)c];
            f->A[(size_t)a * (size_t)n + (size_t)c] = sum;
        }
    }
    if (br_cholesky_factor(n, f->A, n) != 0)
        return BR_OK; // what cannot be told stays as the first row has it
    br_cholesky_solve(n, f->A, n, f->b);
    flight_shift(f, f->b);
    memcpy(f->q0, f->q, (size_t)br_model_nq(br_sim_model(f->sim)) * sizeof *f->q);
    memcpy(f->v0, f->v, (size_t)br_model_nv(br_sim_model(f->sim)) * sizeof *f->v);
    return BR_OK;
}

static int flight_bodies(flight *f) {
    const br_model *model = br_sim_model(f->sim);
    for (int j = 0; j < br_model_joint_count(model) && f->bodies < FLIGHT_MOST; j++)
        if (br_model_joint_type(model, j) == BR_JOINT_FREE && br_model_joint_q(model, j) >= 0) {
            f->body[f->bodies] = br_model_joint_q(model, j);
            f->speed[f->bodies++] = br_model_joint_v(model, j);
        }
    for (int g = 0; g < f->m->groups; g++)
        if (is_pose(&f->m->group[g])) f->errors += 3;
    return f->bodies > 0 && f->errors >= 6 * f->bodies;
}

static br_status flight_prepare(flight *f, br_arena *arena, br_error *error) {
    const br_measured *m = f->m;
    const br_model *model = br_sim_model(f->sim);
    const int nq = br_model_nq(model), nv = br_model_nv(model), n = FLIGHT_COORDINATES * f->bodies;
    const size_t numbers = (size_t)f->r->rows * (size_t)f->errors;
    const char **name = BR_TAKE(arena, const char *, m->columns);
    int names = 0;
    f->q0 = BR_COPY(arena, br_sim_q(f->sim), nq), f->v0 = BR_COPY(arena, br_sim_v(f->sim), nv);
    f->q = BR_COPY(arena, br_sim_q(f->sim), nq), f->v = BR_COPY(arena, br_sim_v(f->sim), nv);
    f->e = BR_TAKE(arena, double, numbers), f->shifted = BR_TAKE(arena, double, numbers);
    f->J = BR_TAKE(arena, double, numbers *(size_t)n);
    f->A = BR_TAKE(arena, double, n *n), f->b = BR_TAKE(arena, double, 2 * n);
    f->row = BR_TAKE(arena, double, 2 * m->columns + 2);
    if (!br_arena_ok(arena)) return br_no_memory(error, "no memory for a start");
    for (int c = 0; c < m->columns; c++)
        if (!m->column[c].control) name[names++] = m->column[c].channel;
    const br_status status = br_channels_named(f->sim, name, names, m->allocator, &f->channels, error);
    if (status == BR_OK) f->first = br_channels_count(f->channels) - names;
    return status;
}

br_status br_fit_flight(const br_measured *m, int recording, br_sim *sim, br_error *error) {
    br_arena arena;
    flight f = {.m = m, .r = &m->recording[recording], .sim = sim};
    if (!flight_bodies(&f)) return BR_OK; // nothing flies, or its pose is not measured whole
    br_arena_init(&arena, m->allocator);
    br_status status = flight_prepare(&f, &arena, error);
    br_sim_set_event(sim, flight_touch, &f);
    if (status == BR_OK) status = flight_run(&f, NULL, 1, error);
    for (int k = 0; k < FLIGHT_ROUNDS && status == BR_OK && f.rows >= FLIGHT_LEAST_ROWS; k++)
        status = flight_round(&f, error);
    br_sim_set_event(sim, NULL, NULL);
    if (status == BR_OK) status = br_sim_set_state(sim, 0.0, f.q0, f.v0, error);
    br_channels_destroy(f.channels);
    br_arena_free(&arena);
    return status;
}
