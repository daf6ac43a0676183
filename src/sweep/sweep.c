// A sweep: which parameters a run has, and the model behind all of them.
#include "sweep/sweep.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "io/text/text.h"
#include "sweep/philox.h"

enum { MAX_FIXED = 256 };
static const long MAX_SPEC_BYTES = 16L << 20;

// ------------------------------------------------------------------------------------------------- which run is what

// The last parameter of a grid varies fastest, as nested loops do.
static int grid_level(const br_sweep *s, long long run, int parameter) {
    for (int k = s->vary_count - 1; k > parameter; k--) run /= br_vary_levels(&s->vary[k]);
    return (int)(run % br_vary_levels(&s->vary[parameter]));
}

// A sample of two independent points A and B is D + 2 runs: A, B, and for each of the D parameters A with that one from B
// [Saltelli2010].
static double sobol_uniform(const br_sweep *s, long long run, int parameter) {
    const long long runs = s->vary_count + 2, which = run % runs;
    const int from_b = which == 1 || which == parameter + 2;
    return br_philox_uniform(s->key, (uint64_t)(run / runs),
                             (uint32_t)(parameter + (from_b ? BR_MAX_SWEEP_PARAMETERS : 0)));
}

void br_sweep_value(const br_sweep *s, long long run, int parameter, char text[BR_MAX_SWEEP_VALUE]) {
    const sweep_vary *v = &s->vary[parameter];
    const uint64_t i = (uint64_t)run;
    const uint32_t d = (uint32_t)parameter;
    const io_locale locale = br_io_locale_enter();
    if (s->design == SWEEP_GRID) {
        br_vary_level(v, grid_level(s, run, parameter), text);
    } else if (s->design == SWEEP_LIST) {
        br_vary_level(v, (int)run, text);
    } else {
        double u =
            s->design == SWEEP_SOBOL ? sobol_uniform(s, run, parameter) : br_philox_uniform(s->key, i, d);
        if (s->design == SWEEP_LATIN) {
            const uint64_t n = (uint64_t)s->count;
            u = ((double)br_philox_permute(s->key, i, n, d) + u) / (double)n;
        }
        br_vary_sample(v, u, text);
    }
    br_io_locale_leave(locale);
}

void br_sweep_case(const br_sweep *s, long long run, sweep_case *out) {
    out->count = 0;
    for (int k = 0; k < s->fixed_count; k++) out->override[out->count++] = s->fixed[k];
    for (int k = 0; k < s->vary_count; k++) {
        br_sweep_value(s, run, k, out->text[k]);
        out->override[out->count++] = (br_override){s->vary[k].name, out->text[k]};
    }
}

// ------------------------------------------------------------------------------------------------------- creation

// A fault of a name or value that the spec gave: its place is there, not in the words that stand for --set.
static void place_in_spec(const br_sweep *s, br_error *error) {
    for (int k = 0; k < s->column_count && error->file[0] == '\0'; k++) {
        const char *name = s->column[k];
        char quoted[BR_MAX_ERROR_TEXT];
        const char *dot = strrchr(name, '.');
        snprintf(quoted, sizeof quoted, "'%.*s'", (int)(dot ? dot - name : 0), name);
        if (!strstr(error->message, name) && !(dot && strstr(error->message, quoted))) continue;
        snprintf(error->file, sizeof error->file, "%.*s", (int)sizeof error->file - 1, s->path);
        error->line = s->column_place[k]->line, error->column = s->column_place[k]->column;
    }
    if (strncmp(error->file, "--set ", 6) != 0) return;
    for (int k = 0; k < s->vary_count; k++) {
        if (strcmp(error->file + 6, s->vary[k].name) != 0) continue;
        const yaml_node *key = s->vary[k].node->key; // of the spec, or of the model
        error->line = key->line, error->column = key->column;
        snprintf(error->file, sizeof error->file, "%.*s", (int)sizeof error->file - 1, key->source);
        return;
    }
    snprintf(error->file, sizeof error->file, "%.*s", (int)sizeof error->file - 1, s->path);
}

// A pattern among the columns is as many as it names in the model.
static br_status name_columns(br_sweep *s, br_error *error) {
    const int count = br_batch_column_count(s->batch);
    const char **name = BR_TAKE(&s->arena, const char *, count);
    if (!name) return br_no_memory(error, "no memory for the columns of a sweep");
    for (int k = 0; k < count; k++) name[k] = br_batch_column_name(s->batch, k);
    s->column = name, s->column_count = count;
    return BR_OK;
}

// A range may begin where the model cannot be: the sweep is refused only where neither its first, middle nor last run can be
// read, as of a name that is misspelt.
static br_status probe_model(br_sweep *s, br_error *error) {
    const long long tried[] = {0, s->count / 2, s->count - 1};
    br_batch_def def = br_default_batch_def();
    br_status status = BR_OK, first = BR_OK;
    def.path = s->model_path, def.columns = s->column, def.column_count = s->column_count;
    def.until = s->until, def.after = s->after;
    for (int k = 0; k < 3; k++) {
        sweep_case c;
        br_error why;
        memset(&why, 0, sizeof why);
        br_sweep_case(s, tried[k], &c);
        const br_batch_case probe = {.overrides = c.override, .override_count = c.count};
        status = br_batch_create(&def, &probe, s->allocator, &s->batch, &why);
        if (status == BR_OK) return name_columns(s, error);
        if (k == 0) *error = why, first = status;
    }
    place_in_spec(s, error);
    return first;
}

static br_status hash_sweep(br_sweep *s, br_error *error) {
    io_text model = {0};
    br_arena scratch;
    br_arena_init(&scratch, s->allocator);
    const br_status status =
        br_io_text_load_up_to(&model, s->model_path, "a model file", BR_MAX_MODEL_BYTES, &scratch, error);
    if (status == BR_OK) {
        const double times[] = {s->until, s->after};
        const long long count = s->count;
        s->model_hash = br_hash_bytes(BR_HASH_START, model.data, (size_t)(model.end - model.data));
        uint64_t hash = br_hash_bytes(s->key, br_version(), strlen(br_version()));
        hash = br_hash_u64(hash, s->model_hash);
        hash = br_hash_u64(hash, br_model_hash(br_batch_model(s->batch))); // what it imports too
        hash = br_hash_u64(hash, (uint64_t)count);
        hash = br_hash_doubles(hash, times, 2);
        for (int k = 0; k < s->fixed_count; k++) {
            hash = br_hash_bytes(hash, s->fixed[k].name, strlen(s->fixed[k].name) + 1);
            hash = br_hash_bytes(hash, s->fixed[k].value, strlen(s->fixed[k].value) + 1);
        }
        for (int k = 0; k < s->column_count; k++)
            hash = br_hash_bytes(hash, s->column[k], strlen(s->column[k]) + 1);
        s->hash = hash;
    }
    br_arena_free(&scratch);
    return status;
}

static br_status fill_sweep(br_sweep *s, const char *path, br_error *error) {
    io_text text = {0};
    s->path = br_arena_copy(&s->arena, path, strlen(path) + 1, 1);
    if (!s->path) return br_no_memory(error, "no memory for a sweep");
    br_status status =
        br_io_text_load_up_to(&text, s->path, "a spec of a sweep", MAX_SPEC_BYTES, &s->arena, error);
    if (status != BR_OK) return status;
    s->text = text.data, s->size = (size_t)(text.end - text.data);
    const io_locale locale = br_io_locale_enter();
    status = br_spec_read(s, error);
    br_io_locale_leave(locale);
    if (status == BR_OK && s->fixed_count > MAX_FIXED)
        status = br_fail_at(error, BR_INVALID, "sweep-vary", s->path, 0, 0,
                            "`set` has %d names, expected at most %d", s->fixed_count, MAX_FIXED);
    if (status == BR_OK) status = probe_model(s, error);
    return status == BR_OK ? hash_sweep(s, error) : status;
}

br_status br_sweep_read(const char *path, const br_allocator *allocator, br_sweep **out, br_error *error) {
    br_error own;
    br_arena arena;
    memset(&own, 0, sizeof own);
    br_arena_init(&arena, allocator);
    br_sweep *s = BR_TAKE(&arena, br_sweep, 1);
    if (!s) {
        br_arena_free(&arena);
        return br_no_memory(error, "no memory for a sweep");
    }
    s->arena = arena; // it holds itself: nothing else may use `arena` any more
    s->own = s->arena.allocator;
    s->allocator = allocator ? &s->own : NULL;
    const br_status status = fill_sweep(s, path, &own);
    if (status == BR_OK) {
        *out = s;
        return BR_OK;
    }
    if (error) *error = own;
    br_sweep_destroy(s);
    return status;
}

void br_sweep_destroy(br_sweep *s) {
    if (!s) return;
    br_batch_destroy(s->batch);
    br_arena arena = s->arena;
    br_arena_free(&arena);
}

// -------------------------------------------------------------------------------------------------------- reading

long long br_sweep_count(const br_sweep *s) {
    return s->count;
}

uint64_t br_sweep_hash(const br_sweep *s) {
    return s->hash;
}

int br_sweep_parameter_count(const br_sweep *s) {
    return s->vary_count;
}

const char *br_sweep_parameter_name(const br_sweep *s, int parameter) {
    return s->vary[parameter].name;
}

const char *br_sweep_parameter_unit(const br_sweep *s, int parameter) {
    return s->vary[parameter].shown_unit;
}

const char *br_sweep_model_path(const br_sweep *s) {
    return s->model_path;
}

double br_sweep_until(const br_sweep *s) {
    return s->until;
}

int br_sweep_draws(const br_sweep *s) {
    return s->design == SWEEP_SOBOL ? s->vary_count + 2 : s->design >= SWEEP_LATIN;
}

int br_sweep_fixed_count(const br_sweep *s) {
    return s->fixed_count;
}

br_override br_sweep_fixed(const br_sweep *s, int k) {
    return s->fixed[k];
}
