// The spec of a sweep: its keys. See docs/guide/sweep.md.
#include "sweep/spec.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "io/text/text.h"

static const char *const SPEC_KEYS[] = {"model", "vary",  "set",     "design", "seed",
                                        "until", "after", "columns", NULL};

// "latin(200)": the word and the number in it; 0: it is not of that form.
static int design_number(const char *text, const char *word, long long *n) {
    const size_t length = strlen(word);
    io_token number = {text + length + 1, text + strlen(text) - 1};
    return strncmp(text, word, length) == 0 && text[length] == '(' && number.end > number.begin &&
           *number.end == ')' && br_io_parse_integer(number, n);
}

static void read_design(yaml_reader *r, br_sweep *s) {
    const yaml_node *node = br_yaml_find(r->root, "design");
    const char *text = "grid";
    long long n = 0;
    br_yaml_text(r, node, &text);
    if (r->status != BR_OK) return;
    if (strcmp(text, "grid") == 0) {
        s->design = SWEEP_GRID;
    } else if (strcmp(text, "list") == 0) {
        s->design = SWEEP_LIST;
    } else if (design_number(text, "latin", &n)) {
        s->design = SWEEP_LATIN;
    } else if (design_number(text, "random", &n)) {
        s->design = SWEEP_RANDOM;
    } else if (design_number(text, "sobol", &n)) {
        s->design = SWEEP_SOBOL;
    } else {
        br_yaml_fault(
            r, node, "sweep-design",
            "design is '%.40s', expected grid, list, latin(N), random(N) or sobol(N) with a number N", text);
    }
    s->count = n;
    if (s->design >= SWEEP_LATIN && r->status == BR_OK && n < 1)
        br_yaml_fault(r, node, "sweep-design", "design %.40s has no runs, expected 1 or more", text);
    if (s->design == SWEEP_SOBOL && r->status == BR_OK && n < SWEEP_LEAST_SAMPLES)
        br_yaml_fault(r, node, "sweep-design",
                      "design %.40s has too few samples to state the errors of indices, expected %d or more",
                      text, SWEEP_LEAST_SAMPLES);
}

static void too_many(yaml_reader *r, const yaml_node *node, double runs) {
    br_yaml_fault(
        r, node, "sweep-too-many",
        "the sweep has %.6g runs, more than %lld; take fewer steps, or design: latin(N) over the same ranges",
        runs, BR_MAX_SWEEP_RUNS);
}

// Values that are gone through one by one: their number is that of the runs.
static void count_runs(yaml_reader *r, const yaml_node *vary, br_sweep *s) {
    double runs = 1;
    for (int k = 0; k < s->vary_count && r->status == BR_OK; k++) {
        const sweep_vary *v = &s->vary[k];
        const int levels = br_vary_levels(v);
        if (levels == 0)
            br_yaml_fault(
                r, br_yaml_place(v->node), "sweep-levels",
                "'%.60s' is a distribution, and design: %s goes through values; give it a list or steps, or "
                "take design: latin(N) or random(N)",
                v->name, s->design == SWEEP_GRID ? "grid" : "list");
        else if (s->design == SWEEP_LIST && k > 0 && levels != br_vary_levels(&s->vary[0]))
            br_yaml_fault(
                r, br_yaml_place(v->node), "sweep-levels",
                "'%.60s' has %d values and '%.60s' has %d; design: list takes one of each for a run", v->name,
                levels, s->vary[0].name, br_vary_levels(&s->vary[0]));
        runs = s->design == SWEEP_LIST ? levels : runs * levels;
    }
    if (r->status != BR_OK) return;
    if (runs > (double)BR_MAX_SWEEP_RUNS) too_many(r, vary, runs);
    s->count = (long long)fmin(runs, (double)BR_MAX_SWEEP_RUNS);
}

// `vary: params`: every parameter of the model that has a distribution, but for those that `set` fixes.
static void read_params_of_model(yaml_reader *r, const yaml_node *vary, br_sweep *s) {
    io_text text = {0};
    yaml_node *root = NULL;
    const yaml_node *set = br_yaml_find(r->root, "set");
    if (r->status != BR_OK) return;
    r->status =
        br_io_text_load_up_to(&text, s->model_path, "a model file", BR_MAX_MODEL_BYTES, r->arena, r->error);
    if (r->status == BR_OK)
        r->status = br_yaml_parse(text.data, (size_t)(text.end - text.data), s->model_path, r->arena, &root,
                                  r->error);
    const yaml_node *params = r->status == BR_OK ? br_yaml_find(root, "params") : NULL;
    s->vary = BR_TAKE(r->arena, sweep_vary, BR_MAX_SWEEP_PARAMETERS);
    if (!s->vary) br_yaml_no_memory(r);
    yaml_reader model = {
        .status = r->status, .error = r->error, .arena = r->arena, .path = s->model_path, .root = root};
    for (const yaml_node *p = params ? params->first : NULL; p && model.status == BR_OK; p = p->next) {
        if (p->kind != YAML_MAP || br_yaml_find(p, "value") || br_yaml_find(set, p->key->text)) continue;
        if (s->vary_count == BR_MAX_SWEEP_PARAMETERS)
            br_yaml_fault(&model, p->key, "sweep-vary", "more than %d parameters have a distribution",
                          BR_MAX_SWEEP_PARAMETERS);
        else
            br_vary_read(&model, p, &s->vary[s->vary_count++]);
    }
    r->status = model.status;
    if (s->vary_count == 0)
        br_yaml_fault(r, vary, "sweep-vary",
                      "vary: params, and no parameter of the model has a distribution, such as mu: {normal: "
                      "[0.15, 0.02]}");
}

static void check_count(yaml_reader *r, const yaml_node *vary, br_sweep *s) {
    if (r->status != BR_OK) return;
    if (s->design == SWEEP_SOBOL)
        s->count = s->count > BR_MAX_SWEEP_RUNS ? s->count : s->count * (s->vary_count + 2);
    if (s->design < SWEEP_LATIN)
        count_runs(r, br_yaml_place(vary), s);
    else if (s->count > BR_MAX_SWEEP_RUNS)
        too_many(r, br_yaml_find(r->root, "design"), (double)s->count);
}

static void read_vary(yaml_reader *r, br_sweep *s) {
    const yaml_node *vary = br_yaml_need(r, r->root, "the spec", "vary", "{mu: [0.1, 0.2, 0.3]}");
    if (r->status == BR_OK && vary->kind == YAML_SCALAR && strcmp(vary->text, "params") == 0) {
        read_params_of_model(r, vary, s);
        check_count(r, vary, s);
        return;
    }
    br_yaml_expect_map(r, vary, "vary");
    if (r->status != BR_OK) return;
    s->vary_count = vary->count;
    if (vary->count < 1 || vary->count > BR_MAX_SWEEP_PARAMETERS)
        br_yaml_fault(r, br_yaml_place(vary), "sweep-vary", "vary names %d parameters, expected 1 to %d",
                      vary->count, BR_MAX_SWEEP_PARAMETERS);
    s->vary = BR_TAKE(r->arena, sweep_vary, vary->count);
    if (!s->vary) br_yaml_no_memory(r);
    for (const yaml_node *node = vary->first; node && r->status == BR_OK; node = node->next)
        br_vary_read(r, node, &s->vary[node->index]);
    check_count(r, vary, s);
}

static void read_set(yaml_reader *r, br_sweep *s) {
    const yaml_node *set = br_yaml_find(r->root, "set");
    if (!set) return;
    br_yaml_expect_map(r, set, "set");
    if (r->status != BR_OK) return;
    s->fixed = BR_TAKE(r->arena, br_override, set->count);
    if (!s->fixed) br_yaml_no_memory(r);
    for (const yaml_node *node = set->first; node && r->status == BR_OK; node = node->next) {
        const char *value = NULL;
        br_yaml_text(r, node, &value);
        for (int k = 0; k < s->vary_count; k++)
            if (strcmp(s->vary[k].name, node->key->text) == 0)
                br_yaml_fault(r, node->key, "sweep-vary",
                              "'%.60s' is in `set` and in `vary`, expected one of them", node->key->text);
        s->fixed[s->fixed_count++] = (br_override){node->key->text, value};
    }
}

static void read_columns(yaml_reader *r, br_sweep *s) {
    const yaml_node *columns =
        br_yaml_need(r, r->root, "the spec", "columns", "[door.position.end, verdict]");
    if (r->status == BR_OK) br_yaml_expect_list(r, columns, -1, "columns");
    if (r->status != BR_OK) return;
    s->column = BR_TAKE(r->arena, const char *, columns->count);
    s->column_place = BR_TAKE(r->arena, const yaml_node *, columns->count);
    if (!s->column || !s->column_place) br_yaml_no_memory(r);
    for (const yaml_node *node = columns->first; node && r->status == BR_OK; node = node->next) {
        if (node->kind == YAML_SCALAR && strncmp(node->text, "event(", 6) == 0 && !strchr(node->text, ')'))
            br_yaml_fault(r, node, "column-form",
                          "a column with commas is quoted within brackets: \"event(stick, hinge, 1).t\"");
        s->column_place[s->column_count] = node;
        br_yaml_text(r, node, &s->column[s->column_count++]);
    }
}

// The random numbers of a run do not depend on the columns, nor does random(1000) begin otherwise than random(100).
static uint64_t key_of(const br_sweep *s) {
    uint64_t hash = br_hash_u64(BR_HASH_START, (uint64_t)s->seed);
    hash = br_hash_u64(hash, (uint64_t)s->design);
    if (s->design == SWEEP_LATIN) hash = br_hash_u64(hash, (uint64_t)s->count);
    for (int k = 0; k < s->vary_count; k++) hash = br_vary_hash(&s->vary[k], hash);
    return hash;
}

// `model` is beside the spec.
static void find_path(yaml_reader *r, br_sweep *s) {
    const char *name = NULL, *slash = strrchr(s->path, '/');
    br_yaml_text(r, br_yaml_need(r, r->root, "the spec", "model", "door.yaml"), &name);
    if (r->status != BR_OK) return;
    const size_t folder = slash && name[0] != '/' ? (size_t)(slash - s->path) + 1 : 0, n = strlen(name) + 1;
    char *path = BR_TAKE(r->arena, char, folder + n);
    if (!path) {
        br_yaml_no_memory(r);
        return;
    }
    memcpy(path, s->path, folder);
    memcpy(path + folder, name, n);
    s->model_path = path;
}

br_status br_spec_read(br_sweep *s, br_error *error) {
    yaml_node *root = NULL;
    br_status status = br_yaml_parse(s->text, s->size, s->path, &s->arena, &root, error);
    if (status != BR_OK) return status;
    if (!root)
        return br_fail_at(error, BR_PARSE, "yaml-empty", s->path, 1, 1,
                          "there is nothing in the file; a spec has the keys model, vary and columns");
    yaml_reader r = {.arena = &s->arena, .error = error, .path = s->path, .root = root};
    int at = 0;
    r.params = br_params_begin(r.arena);
    r.status = br_params_resolve(&r.params, &at, error);
    if (r.status == BR_OK && root->kind == YAML_MAP && br_yaml_find(root, "format") &&
        !br_yaml_find(root, "vary"))
        br_yaml_fault(&r, root, "sweep-spec",
                      "this is a model; a spec names it: model: FILE.yaml, vary: {...}, columns: [...]");
    br_yaml_expect_keys(&r, root, "the spec", SPEC_KEYS);
    s->until = NAN;
    find_path(&r, s);
    read_design(&r, s);
    read_vary(&r, s);
    read_set(&r, s);
    br_yaml_whole(&r, br_yaml_find(root, "seed"), 0, 2147483647, &s->seed);
    br_yaml_number(&r, br_yaml_find(root, "until"), BR_DIM_TIME, 0, &s->until);
    br_yaml_number(&r, br_yaml_find(root, "after"), BR_DIM_TIME, 0, &s->after);
    read_columns(&r, s);
    if (r.status == BR_OK) s->key = key_of(s);
    return r.status;
}
