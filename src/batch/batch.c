// Many runs: cases, threads. One run is run.c's.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "batch/run.h"
#include "io/text/number.h"

br_batch_def br_default_batch_def(void) {
    br_batch_def def;
    memset(&def, 0, sizeof def);
    def.until = NAN;
    return def;
}

// ------------------------------------------------------------------------------------------------------ creation

static br_status check_def(const br_batch_def *def, br_error *error) {
    const int sources = (def->model != NULL) + (def->path != NULL) + (def->text != NULL);
    if (sources != 1)
        return br_fail(error, BR_INVALID, "batch-model", "%d of model, path and text are given, expected one",
                       sources);
    if (!isnan(def->until) && !(def->until >= 0.0 && isfinite(def->until)))
        return br_fail(error, BR_INVALID, "batch-time", "until is %g s, expected 0 or more", def->until);
    if (!(def->after >= 0.0 && isfinite(def->after)))
        return br_fail(error, BR_INVALID, "batch-time", "after is %g s, expected 0 or more", def->after);
    return BR_OK;
}

static br_status copy_source(br_batch *b, const br_batch_def *def, br_error *error) {
    b->given = def->model;
    if (def->path) b->path = br_arena_copy(&b->arena, def->path, strlen(def->path) + 1, 1);
    if (def->text) {
        const char *name = def->text_name ? def->text_name : "model";
        b->text = br_arena_copy(&b->arena, def->text, def->size, 1);
        b->text_name = br_arena_copy(&b->arena, name, strlen(name) + 1, 1);
        b->size = def->size;
    }
    return br_arena_ok(&b->arena) ? BR_OK : br_no_memory(error, "no memory for a batch");
}

static br_status check_probe(br_batch *b, const br_batch_case *probe, br_error *error) {
    br_sim *sim = NULL;
    br_status status = b->given ? BR_OK
                                : br_batch_read_model(b, probe ? probe->overrides : NULL,
                                                      probe ? probe->override_count : 0, &b->own, error);
    b->model = b->given ? b->given : b->own;
    b->changed = probe && probe->override_count > 0;
    if (status == BR_OK) status = br_model_runnable(b->model, error);
    if (status == BR_OK) status = br_sim_create(b->model, b->allocator_or_null, &sim, error);
    if (status == BR_OK) status = br_columns_expand(&b->columns, sim, &b->arena, error);
    if (status == BR_OK) status = br_columns_check(&b->columns, sim, error);
    const double until = status == BR_OK ? br_batch_until(b, b->model) : 0.0;
    if (status == BR_OK && b->after > until)
        status =
            br_fail(error, BR_INVALID, "batch-time",
                    "after is %g s, later than the end of the run at %g s: no row is left", b->after, until);
    for (int k = 0; status == BR_OK && k < b->columns.count; k++)
        if (b->columns.column[k].kind == BATCH_AT && b->columns.column[k].at > until * (1 + 1e-12))
            status = br_fail(error, BR_INVALID, "batch-time",
                             "the column '%.120s' is of a time later than the end of the run at %g s",
                             b->columns.column[k].text, until);
    br_sim_destroy(sim);
    return status;
}

br_status br_batch_create(const br_batch_def *def, const br_batch_case *probe, const br_allocator *allocator,
                          br_batch **out, br_error *error) {
    br_status status = check_def(def, error);
    if (status != BR_OK) return status;
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_batch *b = BR_TAKE(&arena, br_batch, 1);
    if (!b) {
        br_arena_free(&arena);
        return br_no_memory(error, "no memory for a batch");
    }
    b->arena = arena; // it holds itself: nothing else may use `arena` any more
    b->allocator = b->arena.allocator;
    b->allocator_or_null = allocator ? &b->allocator : NULL;
    b->until = def->until, b->after = def->after;
    status = copy_source(b, def, error);
    if (status == BR_OK)
        status = br_columns_read(def->columns, def->column_count, &b->arena, &b->columns, error);
    if (status == BR_OK) status = check_probe(b, probe, error);
    if (status != BR_OK) {
        br_batch_destroy(b);
        return status;
    }
    *out = b;
    return BR_OK;
}

void br_batch_destroy(br_batch *batch) {
    if (!batch) return;
    br_model_destroy(batch->own);
    br_arena arena = batch->arena;
    br_arena_free(&arena);
}

// ------------------------------------------------------------------------------------------------------- reading

const br_model *br_batch_model(const br_batch *batch) {
    return batch->model;
}

int br_batch_column_count(const br_batch *batch) {
    return batch->columns.count;
}

const char *br_batch_column_name(const br_batch *batch, int column) {
    return batch->columns.column[column].text;
}

void br_batch_column_text(const br_batch *batch, int column, double value, char text[BR_MAX_COLUMN_TEXT]) {
    static const char *const credible[] = {
        [BR_NOT_CREDIBLE] = "no", [BR_CREDIBLE] = "yes", [BR_CREDIBLE_OPEN] = "open"};
    const batch_column_kind kind = batch->columns.column[column].kind;
    const char *word = NULL;
    text[0] = '\0';
    if (isnan(value)) return;
    if (kind == BATCH_VERDICT || kind == BATCH_VERDICT_START) word = br_verdict_name((br_verdict)value);
    if (kind == BATCH_CREDIBLE) word = credible[(int)value];
    if (word)
        memcpy(text, word, strlen(word) + 1);
    else
        br_io_format_number(text, value, 17);
}

// ------------------------------------------------------------------------------------------------------- threads

// What the threads of a call share. Each takes the next case that nobody has: which thread computes a case does not matter to it.
typedef struct batch_call {
    const br_batch *batch;
    const br_batch_case *cases;
    int count;
    atomic_int next;
    double *values;
    uint64_t *hashes;
    br_error *errors;
} batch_call;

typedef struct batch_thread {
    batch_call *call;
    br_error error; // of the lowest case that failed in this thread
    int failed;     // which; -1: none
} batch_thread;

static void run_case(batch_thread *thread, int k) {
    const batch_call *call = thread->call;
    const int columns = call->batch->columns.count;
    double *values = call->values + (size_t)k * (size_t)columns;
    br_error error;
    uint64_t hash = 0;
    memset(&error, 0, sizeof error);
    if (br_batch_run_one(call->batch, &call->cases[k], values, &hash, &error) != BR_OK) {
        for (int i = 0; i < columns; i++) values[i] = NAN;
        if (thread->failed < 0) thread->error = error, thread->failed = k; // a thread's cases come in order
        hash = 0;
    }
    if (call->hashes) call->hashes[k] = hash;
    if (call->errors) call->errors[k] = error;
}

static void run_cases(void *job) {
    batch_thread *thread = job;
    for (int k; (k = atomic_fetch_add(&thread->call->next, 1)) < thread->call->count;) run_case(thread, k);
}

br_status br_batch_run(const br_batch *batch, const br_batch_case *cases, int count, int threads,
                       double *values, uint64_t *hashes, br_error *errors, br_error *error) {
    batch_call call = {.batch = batch, .cases = cases, .count = count};
    batch_thread thread[BR_MAX_THREADS];
    const batch_thread *worst = NULL;
    if (count < 0 || threads < 1 || threads > BR_MAX_THREADS)
        return br_fail(error, BR_INVALID, "batch-count",
                       "%d cases on %d threads, expected 0 or more on 1 to %d", count, threads,
                       BR_MAX_THREADS);
    call.values = values, call.hashes = hashes, call.errors = errors;
    atomic_init(&call.next, 0);
    const int used = threads < count ? threads : count;
    for (int k = 0; k < used; k++) thread[k] = (batch_thread){.call = &call, .failed = -1};
    if (used > 0) br_run_jobs(used, thread, sizeof thread[0], run_cases);
    for (int k = 0; k < used; k++)
        if (thread[k].failed >= 0 && (!worst || thread[k].failed < worst->failed)) worst = &thread[k];
    if (!worst || errors) return BR_OK;
    if (error) *error = worst->error;
    return worst->error.status;
}
