// A recording's motion as the model predicts it, open loop from its first row.
#include "fit/predict.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "fit/flight.h"
#include "fit/shake.h"

// ----------------------------------------------------------------------------------------------------------- state

static int group_find(const br_measured *m, const char *element, const char *what, const char *more) {
    char name[2 * BR_MAX_NAME + 32];
    snprintf(name, sizeof name, "%.*s.%s%s", BR_MAX_NAME, element, what, more);
    for (int k = 0; k < m->groups; k++)
        if (strcmp(m->group[k].name, name) == 0) return k;
    return -1;
}

// What the sensor stands for: of its number the bias and the gain are taken off.
static double sensed_at(const br_measured *m, const fit_recording *r, int row, const fit_case *one,
                        int column) {
    const double x = r->value[(size_t)row * (size_t)m->columns + (size_t)column];
    return one->gain ? (x - one->bias[column]) / one->gain[column] : x;
}

typedef struct start_row {
    const br_measured *m;
    const fit_recording *r;
    int row;
    const fit_case *one;
} start_row;

static double value_at(const start_row *s, int group, int i) {
    return sensed_at(s->m, s->r, s->row, s->one, s->m->group[group].column[i]);
}

// Components of a vector of a body that are measured, all or some of them, in place of the model's own. Returns how many.
static int measured_vector(const start_row *s, const char *body, const char *what, double *x) {
    static const char *const parts[] = {".x", ".y", ".z"};
    const fit_group *group = s->m->group;
    const int all = group_find(s->m, body, what, "");
    int found = 0;
    for (int i = 0; i < 3; i++) {
        const int part = group_find(s->m, body, what, parts[i]);
        if (all >= 0 && group[all].kind == FIT_VECTOR)
            x[i] = value_at(s, all, i), found++;
        else if (part >= 0)
            x[i] = value_at(s, part, 0), found++;
    }
    return found;
}

// A body that moves freely: its own coordinates are those of CONTRACTS, position, quaternion, velocity, angular velocity.
static void free_state(const start_row *s, const char *body, double *q, double *v) {
    const fit_group *group = s->m->group;
    const int a = group_find(s->m, body, "rotation", "");
    const br_quat q_WB0 = br_quat_of(q[3], q[4], q[5], q[6]);
    const br_vec3 w_W0 = br_quat_rotate(q_WB0, br_vec3_of(v[3], v[4], v[5]));
    double w_W[3] = {w_W0.x, w_W0.y, w_W0.z};
    measured_vector(s, body, "position", q);
    measured_vector(s, body, "velocity", v);
    const int turns = measured_vector(s, body, "angular_velocity", w_W);
    if (a >= 0 && group[a].kind == FIT_ROTATION)
        for (int i = 0; i < 4; i++) q[3 + i] = value_at(s, a, i);
    if (turns == 0) return;
    const br_quat q_WB = br_quat_normalize(br_quat_of(q[3], q[4], q[5], q[6]));
    const br_vec3 w_B = br_quat_rotate_inverse(q_WB, br_vec3_of(w_W[0], w_W[1], w_W[2]));
    v[3] = w_B.x, v[4] = w_B.y, v[5] = w_B.z;
}

// The body whose own joint it is; NULL: not a free one.
static const char *free_body(const br_model *model, int joint) {
    if (br_model_joint_type(model, joint) != BR_JOINT_FREE) return NULL;
    const char *name = br_model_joint_name(model, joint);
    const size_t n = strlen(name);
    for (int k = 0; k < br_model_body_count(model); k++) {
        const char *body = br_model_body_name(model, k);
        if (strlen(body) + 5 == n && strncmp(name, body, n - 5) == 0 && strcmp(name + n - 5, ".free") == 0)
            return body;
    }
    return NULL;
}

br_status br_fit_state_of_row(const br_measured *m, const fit_recording *r, int row, const fit_case *one,
                              br_sim *sim, br_error *error) {
    const start_row from = {m, r, row, one}, *s = &from;
    const br_model *model = br_sim_model(sim);
    const int nq = br_model_nq(model), nv = br_model_nv(model);
    br_arena arena;
    br_arena_init(&arena, m->allocator);
    double *q = BR_COPY(&arena, br_sim_q(sim), nq), *v = BR_COPY(&arena, br_sim_v(sim), nv);
    br_status status = q && v ? BR_OK : br_no_memory(error, "no memory for a start");
    for (int j = 0; status == BR_OK && j < br_model_joint_count(model); j++) {
        const int qa = br_model_joint_q(model, j), va = br_model_joint_v(model, j);
        const char *body = free_body(model, j), *name = br_model_joint_name(model, j);
        if (qa < 0 || va < 0) continue;
        if (body) {
            free_state(s, body, q + qa, v + va);
        } else if (br_joint_type_positions(br_model_joint_type(model, j)) == 1) {
            const int p = group_find(m, name, "position", ""), u = group_find(m, name, "velocity", "");
            if (p >= 0) q[qa] = value_at(s, p, 0);
            if (u >= 0) v[va] = value_at(s, u, 0);
        }
    }
    if (status == BR_OK) status = br_sim_set_state(sim, br_sim_time(sim), q, v, error);
    br_arena_free(&arena);
    return status;
}

// ELEMENT.position, or one component of it.
static int is_position(const char *name) {
    const char *last = strrchr(name, '.');
    if (!last) return 0;
    if (strcmp(last, ".position") == 0) return 1;
    return last - name >= 9 && strncmp(last - 9, ".position", 9) == 0;
}

// What is measured of positions has to be where the model is put: else the start is of something that no coordinate reaches.
static br_status check_start(const br_measured *m, int recording, const fit_case *one, br_sim *sim,
                             br_error *error) {
    const fit_recording *r = &m->recording[recording];
    for (int g = 0; g < m->groups; g++) {
        if (!is_position(m->group[g].name)) continue;
        for (int i = 0; i < m->group[g].count; i++) {
            br_channel channel;
            double x = 0;
            const int c = m->group[g].column[i];
            br_status status = br_sim_channel_find(sim, m->column[c].channel, &channel, error);
            if (status == BR_OK) status = br_sim_channel_read(sim, &channel, &x, error);
            if (status != BR_OK) return status;
            const double measured = sensed_at(m, r, 0, one, c);
            if (fabs(x - measured) > 1e-6 * (1.0 + fabs(measured)))
                return br_fail_at(
                    error, BR_INVALID, "data-start", r->path, 0, 0,
                    "the model cannot start from the first row: %.80s is %.6g there, and the model "
                    "stays at %.6g; only free bodies and joints of one coordinate are put, so write "
                    "start: model, or measure those",
                    m->column[c].channel, measured, x);
        }
    }
    return BR_OK;
}

// A shift of start(CHANNEL): a joint's position or velocity, or a component of a free body.
static br_status shift_start(const fit_shift *s, br_sim *sim, double *q, double *v, br_error *error) {
    const br_model *model = br_sim_model(sim);
    for (int j = 0; j < br_model_joint_count(model); j++) {
        const char *name = br_model_joint_name(model, j), *body = free_body(model, j);
        const char *element = body ? body : name;
        const size_t n = strlen(element);
        const int qa = br_model_joint_q(model, j), va = br_model_joint_v(model, j);
        if (qa < 0 || strncmp(s->channel, element, n) != 0 || s->channel[n] != '.') continue;
        const char *what = s->channel + n + 1;
        const int one = br_joint_type_positions(br_model_joint_type(model, j)) == 1;
        if (one && strcmp(what, "position") == 0) return q[qa] = s->value, BR_OK;
        if (one && strcmp(what, "velocity") == 0) return v[va] = s->value, BR_OK;
        for (int i = 0; body && i < 3; i++) {
            char position[16], velocity[16];
            snprintf(position, sizeof position, "position.%c", "xyz"[i]);
            snprintf(velocity, sizeof velocity, "velocity.%c", "xyz"[i]);
            if (strcmp(what, position) == 0) return q[qa + i] = s->value, BR_OK;
            if (strcmp(what, velocity) == 0) return v[va + i] = s->value, BR_OK;
        }
    }
    return br_fail(error, BR_INVALID, "fit-name",
                   "start(%.80s): expected JOINT.position or .velocity of a joint with one coordinate, or "
                   "BODY.position.x or .velocity.x of a body that moves freely",
                   s->channel);
}

static br_status shift_all(const fit_case *one, br_sim *sim, br_error *error) {
    const br_model *model = br_sim_model(sim);
    br_status status = BR_OK;
    br_arena arena;
    if (one->shifts == 0) return BR_OK;
    br_arena_init(&arena, NULL);
    double *q = BR_COPY(&arena, br_sim_q(sim), br_model_nq(model)),
           *v = BR_COPY(&arena, br_sim_v(sim), br_model_nv(model));
    if (!q || !v) status = br_no_memory(error, "no memory for a start");
    for (int k = 0; k < one->shifts && status == BR_OK; k++)
        status = shift_start(&one->shift[k], sim, q, v, error);
    if (status == BR_OK) status = br_sim_set_state(sim, br_sim_time(sim), q, v, error);
    br_arena_free(&arena);
    return status;
}

br_status br_fit_controls(const br_measured *m, const fit_recording *r, int row, br_sim *sim,
                          br_error *error) {
    br_status status = BR_OK;
    for (int c = 0; c < m->columns && status == BR_OK; c++)
        if (m->column[c].control)
            status = br_sim_set_control(sim, m->column[c].channel,
                                        r->value[(size_t)row * (size_t)m->columns + (size_t)c], error);
    return status;
}

// ------------------------------------------------------------------------------------------------------------ model

static br_status open_model(const br_measured *m, const fit_recording *r, const fit_case *one,
                            br_model **model, br_error *error) {
    br_override all[FIT_MAX_OVERRIDES];
    int n = 0;
    if (r->constants + m->overrides + one->overrides > FIT_MAX_OVERRIDES)
        return br_fail(error, BR_TOO_LARGE, "fit-spec", "more than %d settings of the model",
                       FIT_MAX_OVERRIDES);
    for (int k = 0; k < r->constants; k++) all[n++] = r->constant[k];
    for (int k = 0; k < m->overrides; k++) all[n++] = m->override[k];
    for (int k = 0; k < one->overrides; k++) all[n++] = one->override[k];
    br_status status =
        br_model_read_text(m->model_text.data, (size_t)(m->model_text.end - m->model_text.data),
                           m->model_path, all, n, m->allocator, model, NULL, error);
    if (status == BR_OK) status = br_model_runnable(*model, error);
    return status;
}

br_status br_fit_open(const br_measured *m, int recording, const fit_case *one, br_model **model,
                      br_sim **sim, br_error *error) {
    const fit_recording *r = &m->recording[recording];
    br_status status = open_model(m, r, one, model, error);
    if (status == BR_OK) status = br_sim_create(*model, m->allocator, sim, error);
    if (status == BR_OK && m->start != FIT_START_MODEL) {
        status = br_fit_state_of_row(m, r, 0, one, *sim, error);
        if (status == BR_OK) status = check_start(m, recording, one, *sim, error);
    }
    if (status == BR_OK && m->start == FIT_START_FREE_FLIGHT)
        status = br_fit_flight(m, recording, *sim, error);
    if (status == BR_OK) status = shift_all(one, *sim, error);
    if (status == BR_OK && one->shake) status = br_fit_shake_start(m, recording, one->shake, *sim, error);
    return status == BR_OK ? br_fit_controls(m, r, 0, *sim, error) : status;
}

// ------------------------------------------------------------------------------------------------------------ motion

typedef struct predict_row {
    br_channels *channels;
    double *value;
    int first; // t comes before them
} predict_row;

static br_status read_predicted(const br_measured *m, const fit_recording *r, int row, predict_row *p,
                                br_sim *sim, double *out, br_error *error) {
    const br_status status = br_channels_read(p->channels, sim, p->value, error);
    int n = p->first;
    for (int c = 0; c < m->columns && status == BR_OK; c++)
        out[c] =
            m->column[c].control ? r->value[(size_t)row * (size_t)m->columns + (size_t)c] : p->value[n++];
    return status;
}

static br_status predict_move(const br_measured *m, int recording, predict_row *p, br_sim *sim,
                              double *predicted, br_error *error) {
    const fit_recording *r = &m->recording[recording];
    br_status status = read_predicted(m, r, 0, p, sim, predicted, error);
    for (int k = 1; k < r->rows && status == BR_OK; k++) {
        status = br_sim_advance(sim, r->t[k], error);
        if (status == BR_OK)
            status = read_predicted(m, r, k, p, sim, predicted + (size_t)k * (size_t)m->columns, error);
        if (status == BR_OK) status = br_fit_controls(m, r, k, sim, error);
    }
    return status;
}

br_status br_fit_predict(const br_measured *m, int recording, const fit_case *one, double *predicted,
                         br_error *error) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_arena arena;
    predict_row p = {NULL, NULL, 0};
    br_arena_init(&arena, m->allocator);
    const char **name = BR_TAKE(&arena, const char *, m->columns);
    p.value = BR_TAKE(&arena, double, m->columns + 1);
    int names = 0;
    for (int c = 0; name && c < m->columns; c++)
        if (!m->column[c].control) name[names++] = m->column[c].channel;
    br_status status = br_arena_ok(&arena) ? BR_OK : br_no_memory(error, "no memory for a prediction");
    if (status == BR_OK) status = br_fit_open(m, recording, one, &model, &sim, error);
    if (status == BR_OK) status = br_channels_named(sim, name, names, m->allocator, &p.channels, error);
    if (status == BR_OK) p.first = br_channels_count(p.channels) - names;
    if (status == BR_OK) status = predict_move(m, recording, &p, sim, predicted, error);
    br_channels_destroy(p.channels);
    br_sim_destroy(sim);
    br_model_destroy(model);
    br_arena_free(&arena);
    return status;
}

// ----------------------------------------------------------------------------------------------------------- threads

typedef struct predict_call {
    const br_measured *m;
    fit_job *job;
    int jobs;
    atomic_int next;
} predict_call;

static void predict_jobs(void *context) {
    predict_call *call = *(predict_call **)context;
    for (int k; (k = atomic_fetch_add(&call->next, 1)) < call->jobs;) {
        fit_job *job = &call->job[k];
        const size_t numbers = (size_t)call->m->recording[job->recording].rows * (size_t)call->m->columns;
        memset(&job->error, 0, sizeof job->error);
        if (br_fit_predict(call->m, job->recording, &job->one, job->predicted, &job->error) != BR_OK)
            for (size_t i = 0; i < numbers; i++) job->predicted[i] = NAN;
    }
}

void br_fit_predict_all(const br_measured *m, fit_job *job, int jobs, int threads) {
    predict_call call = {.m = m, .job = job, .jobs = jobs};
    predict_call *of[BR_MAX_THREADS];
    const int most = threads < BR_MAX_THREADS ? threads : BR_MAX_THREADS, used = most < jobs ? most : jobs;
    atomic_init(&call.next, 0);
    for (int k = 0; k < used; k++) of[k] = &call;
    if (used > 0) br_run_jobs(used, of, sizeof of[0], predict_jobs);
}
