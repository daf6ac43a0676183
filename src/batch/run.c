// One run of a batch: made, moved and read as `bristle run` does it.
#include "batch/run.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "batch/gather.h"
#include "batch/hold.h"
#include "batch/judge.h"
#include "bristle/record.h"

br_status br_batch_read_model(const br_batch *b, const br_override *overrides, int count, br_model **out,
                              br_error *error) {
    if (b->path) return br_model_read(b->path, overrides, count, b->allocator_or_null, out, NULL, error);
    return br_model_read_text(b->text, b->size, b->text_name, overrides, count, b->allocator_or_null, out,
                              NULL, error);
}

double br_batch_until(const br_batch *b, const br_model *model) {
    return isnan(b->until) ? br_model_settings(model)->until : b->until;
}

typedef struct batch_run {
    const br_batch *batch;
    const br_batch_case *one;
    const br_model *model;
    br_model *own; // where the case has one of its own
    br_sim *sim;
    br_arena arena;
    batch_gather gather;
    int rubbed;
} batch_run;

static br_status find_model(batch_run *r, br_error *error) {
    const br_batch *b = r->batch;
    const br_batch_case *c = r->one;
    br_status status = BR_OK;
    if (b->given && c->override_count > 0)
        return br_fail(
            error, BR_INVALID, "batch-overrides",
            "a case has overrides, but the batch was given a model that is built already; give it the "
            "file or its text");
    if (c->override_count > 0 || b->changed)
        status = br_batch_read_model(b, c->overrides, c->override_count, &r->own, error);
    r->model = r->own ? r->own : b->model;
    return status == BR_OK && r->own ? br_model_runnable(r->model, error) : status;
}

// The simulation at the state that the case starts from.
static br_status start_sim(const batch_run *r, br_sim **out, br_error *error) {
    const br_batch_case *c = r->one;
    br_sim *sim = NULL;
    br_status status = br_sim_create(r->model, r->batch->allocator_or_null, &sim, error);
    if (status == BR_OK && (c->q || c->v))
        status = br_sim_set_state(sim, br_sim_time(sim), c->q ? c->q : br_sim_q(sim),
                                  c->v ? c->v : br_sim_v(sim), error);
    if (status == BR_OK)
        *out = sim;
    else
        br_sim_destroy(sim);
    return status;
}

static br_status read_row(batch_run *r, br_error *error) {
    if (r->batch->columns.judged && !r->rubbed) r->rubbed = br_judge_rubs(r->sim);
    return br_gather_row(&r->gather, r->sim, error);
}

static br_status move_run(batch_run *r, br_error *error) {
    const br_settings *s = br_model_settings(r->model);
    const double until = br_batch_until(r->batch, r->model),
                 interval = s->output > 0 ? s->output : s->solver.step;
    double t = br_sim_time(r->sim);
    br_status status = read_row(r, error);
    for (double k = 1; status == BR_OK && t < until; k++) {
        t = br_row_time(k, interval, until);
        status = br_sim_advance(r->sim, t, error);
        if (status == BR_OK) status = read_row(r, error);
    }
    return status;
}

static br_status judge_values(batch_run *r, double *values, br_error *error) {
    const batch_columns *columns = &r->batch->columns;
    batch_judged judged;
    br_sim *fresh = NULL;
    if (!columns->judged) return BR_OK;
    br_status status = start_sim(r, &fresh, error);
    if (status == BR_OK)
        status = br_judge_run(r->sim, fresh, br_batch_until(r->batch, r->model), columns->verdicts, r->rubbed,
                              r->batch->allocator_or_null, &judged, error);
    br_sim_destroy(fresh);
    for (int k = 0; status == BR_OK && k < columns->count; k++) {
        if (columns->column[k].kind == BATCH_VERDICT) values[k] = judged.end;
        if (columns->column[k].kind == BATCH_VERDICT_START) values[k] = judged.start;
        if (columns->column[k].kind == BATCH_CREDIBLE) values[k] = judged.credible;
    }
    return status;
}

// At the state that the run starts from.
static br_status read_holds(const batch_run *r, double *values, br_error *error) {
    br_sim *fresh = NULL;
    if (!r->batch->columns.holds) return BR_OK;
    br_status status = start_sim(r, &fresh, error);
    if (status == BR_OK)
        status = br_hold_values(&r->batch->columns, fresh, r->batch->allocator_or_null, values, error);
    br_sim_destroy(fresh);
    return status;
}

static br_status perform(batch_run *r, double *values, br_error *error) {
    br_status status = find_model(r, error);
    if (status == BR_OK) status = start_sim(r, &r->sim, error);
    if (status == BR_OK)
        status = br_gather_begin(&r->gather, &r->batch->columns, r->sim, r->batch->after, &r->arena,
                                 r->batch->allocator_or_null, error);
    if (status != BR_OK) return status;
    br_sim_set_event(r->sim, br_gather_event, &r->gather);
    status = move_run(r, error);
    if (status == BR_OK) br_gather_values(&r->gather, values);
    if (status == BR_OK) status = judge_values(r, values, error);
    if (status == BR_OK) status = read_holds(r, values, error);
    br_gather_end(&r->gather);
    return status;
}

br_status br_batch_run_one(const br_batch *batch, const br_batch_case *one, double *values, uint64_t *hash,
                           br_error *error) {
    const size_t count = (size_t)batch->columns.count;
    batch_run r = {.batch = batch, .one = one};
    br_error own;
    memset(&own, 0, sizeof own);
    br_arena_init(&r.arena, batch->allocator_or_null);
    double *found = BR_TAKE(&r.arena, double, count);
    br_status status = found ? perform(&r, found, &own) : br_no_memory(&own, "no memory for a run");
    if (status == BR_OK) {
        memcpy(values, found, count * sizeof *values);
        if (hash) *hash = br_sim_hash(r.sim);
    } else if (error) {
        *error = own;
    }
    br_sim_destroy(r.sim);
    br_model_destroy(r.own);
    br_arena_free(&r.arena);
    return status;
}
