// The spec of measured data: its keys. See docs/guide/fit.md.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fit/spec.h"

static const char *const SPEC_KEYS[] = {"model", "recordings", "time",    "columns",     "constants",
                                        "set",   "start",      "compare", "size",        "noise",
                                        "gaps",  "fit",        "laws",    "experiments", NULL};

static const char *spec_beside(br_measured *m, const char *name) {
    const char *slash = strrchr(m->path, '/');
    const size_t folder = slash && name[0] != '/' ? (size_t)(slash - m->path) + 1 : 0, n = strlen(name) + 1;
    char *path = BR_TAKE(&m->arena, char, folder + n);
    if (!path) return NULL;
    memcpy(path, m->path, folder);
    memcpy(path + folder, name, n);
    return path;
}

// A list of texts, or one.
static void read_texts(yaml_reader *r, const yaml_node *node, const char ***out, int *count) {
    if (!node || r->status != BR_OK) return;
    const int n = node->kind == YAML_LIST ? node->count : 1;
    const char **text = BR_TAKE(r->arena, const char *, n);
    if (!text) br_yaml_no_memory(r);
    if (node->kind == YAML_SCALAR) br_yaml_text(r, node, &text[0]);
    if (node->kind != YAML_SCALAR) br_yaml_expect_list(r, node, -1, node->key ? node->key->text : "names");
    int k = 0;
    for (const yaml_node *item = node->kind == YAML_LIST ? node->first : NULL; item && r->status == BR_OK;
         item = item->next)
        br_yaml_text(r, item, &text[k++]);
    *out = text, *count = n;
}

static void read_set(yaml_reader *r, const yaml_node *set, br_override **out, int *count) {
    if (!set || r->status != BR_OK) return;
    br_yaml_expect_map(r, set, "set");
    if (r->status != BR_OK) return;
    br_override *o = BR_TAKE(r->arena, br_override, set->count + *count);
    if (!o) br_yaml_no_memory(r);
    int n = 0;
    for (const yaml_node *node = set->first; node && r->status == BR_OK; node = node->next) {
        const char *value = NULL;
        br_yaml_text(r, node, &value);
        o[n++] = (br_override){node->key->text, value};
    }
    for (int k = 0; k < *count && r->status == BR_OK; k++)
        o[n++] = (*out)[k]; // what was typed comes last, and wins
    if (r->status == BR_OK) *out = o, *count = n;
}

static void read_columns(yaml_reader *r, br_measured *m) {
    static const char *const keys[] = {"channel", "control", "unit", NULL};
    const yaml_node *map = br_yaml_find(r->root, "columns");
    if (!map || r->status != BR_OK) return;
    br_yaml_expect_map(r, map, "columns");
    if (r->status != BR_OK) return;
    m->column = BR_TAKE(r->arena, fit_column, map->count);
    if (!m->column) br_yaml_no_memory(r);
    for (const yaml_node *node = map->first; node && r->status == BR_OK; node = node->next) {
        fit_column *c = &m->column[m->columns++];
        *c = (fit_column){.name = node->key->text, .node = node, .scale = 1.0};
        if (node->kind == YAML_SCALAR) {
            br_yaml_text(r, node, &c->channel);
            continue;
        }
        char what[YAML_WHAT];
        br_yaml_expect_keys(r, node, br_yaml_what("column", node, what), keys);
        const yaml_node *channel = br_yaml_find(node, "channel"), *control = br_yaml_find(node, "control");
        if (r->status == BR_OK && !channel == !control)
            br_yaml_fault(r, node, "fit-spec", "%s needs one of channel and control", what);
        br_yaml_text(r, channel ? channel : control, &c->channel);
        c->control = control != NULL;
        br_yaml_text(r, br_yaml_find(node, "unit"), &c->unit);
    }
}

static void read_constants(yaml_reader *r, br_measured *m) {
    const yaml_node *map = br_yaml_find(r->root, "constants");
    if (!map || r->status != BR_OK) return;
    br_yaml_expect_map(r, map, "constants");
    if (r->status != BR_OK) return;
    m->constant_param = BR_TAKE(r->arena, const char *, map->count);
    m->constant_name = BR_TAKE(r->arena, const char *, map->count);
    if (!br_arena_ok(r->arena)) br_yaml_no_memory(r);
    for (const yaml_node *node = map->first; node && r->status == BR_OK; node = node->next) {
        m->constant_name[m->constants] = node->key->text;
        br_yaml_text(r, node, &m->constant_param[m->constants++]);
    }
}

static void read_start(yaml_reader *r, br_measured *m) {
    static const char *const words[] = {"first_row", "model", "free_flight", NULL};
    static const char *const gaps[] = {"refuse", "allow", NULL};
    int start = FIT_START_FIRST_ROW;
    br_yaml_word(r, br_yaml_find(r->root, "start"), words, &start);
    br_yaml_word(r, br_yaml_find(r->root, "gaps"), gaps, &m->allow_gaps);
    br_yaml_text(r, br_yaml_find(r->root, "time"), &m->time);
    m->start = (fit_start)start;
}

// laws and experiments: {NAME: {set: {...}, for: [...]}}.
static void read_cases(yaml_reader *r, const char *key, fit_law **out, int *count) {
    static const char *const keys[] = {"set", "for", NULL};
    const yaml_node *map = br_yaml_find(r->root, key);
    if (!map || r->status != BR_OK) return;
    br_yaml_expect_map(r, map, key);
    if (r->status == BR_OK && map->count > BR_MAX_FIT_LAWS)
        br_yaml_fault(r, map, "fit-spec", "%s has %d entries, expected %d at most", key, map->count,
                      BR_MAX_FIT_LAWS);
    if (r->status != BR_OK) return;
    fit_law *law = BR_TAKE(r->arena, fit_law, map->count);
    if (!law) br_yaml_no_memory(r);
    for (const yaml_node *node = map->first; node && r->status == BR_OK; node = node->next) {
        fit_law *l = &law[(*count)++];
        l->name = node->key->text;
        br_yaml_expect_keys(r, node, l->name, keys);
        read_set(r, br_yaml_find(node, "set"), &l->set, &l->sets);
        read_texts(r, br_yaml_find(node, "for"), &l->wished, &l->wished_count);
    }
    *out = law;
}

static void read_fit(yaml_reader *r, br_measured *m) {
    static const char *const keys[] = {"for", "on", "loss", NULL};
    static const char *const losses[] = {"squares", "distance", NULL};
    const yaml_node *fit = br_yaml_find(r->root, "fit");
    if (!fit || r->status != BR_OK) return;
    br_yaml_expect_keys(r, fit, "fit", keys);
    read_texts(r, br_yaml_find(fit, "for"), &m->wished, &m->wished_count);
    br_yaml_word(r, br_yaml_find(fit, "loss"), losses, &m->robust);
}

static br_status load_tree(br_measured *m, const char *path, io_text *text, yaml_node **root,
                           br_error *error) {
    br_status status =
        br_io_text_load_up_to(text, path, "a model file or a spec", BR_MAX_MODEL_BYTES, &m->arena, error);
    if (status == BR_OK)
        status = br_yaml_parse(text->data, (size_t)(text->end - text->data), path, &m->arena, root, error);
    return status;
}

static const char *fit_stem(br_measured *m, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char *out = BR_TAKE(&m->arena, char, n + 1);
    return out ? memcpy(out, name, n) : "";
}

br_status br_fit_spec_read(br_measured *m, br_error *error) {
    yaml_node *root = NULL;
    io_text text = {0};
    br_status status = load_tree(m, m->path, &text, &root, error);
    if (status != BR_OK) return status;
    m->set = fit_stem(m, m->path);
    m->time_scale = 1.0;
    if (!root || root->kind != YAML_MAP || !br_yaml_find(root, "model")) {
        m->model_path = m->path, m->model = root, m->model_text = text;
        return BR_OK;
    }
    yaml_reader r = {.arena = &m->arena, .error = error, .path = m->path, .root = root};
    const char *name = NULL;
    int at = 0;
    r.params = br_params_begin(r.arena);
    r.status = br_params_resolve(&r.params, &at, error);
    m->spec = root;
    br_yaml_expect_keys(&r, root, "the spec", SPEC_KEYS);
    br_yaml_text(&r, br_yaml_find(root, "model"), &name);
    if (r.status == BR_OK) m->model_path = spec_beside(m, name);
    read_texts(&r, br_yaml_find(root, "recordings"), &m->file, &m->files);
    for (int k = 0; k < m->files && r.status == BR_OK; k++) m->file[k] = spec_beside(m, m->file[k]);
    read_columns(&r, m);
    read_constants(&r, m);
    read_start(&r, m);
    read_set(&r, br_yaml_find(root, "set"), &m->override, &m->overrides);
    read_fit(&r, m);
    read_cases(&r, "laws", &m->law, &m->laws);
    read_cases(&r, "experiments", &m->experiment, &m->experiments);
    if (r.status != BR_OK) return r.status;
    if (!br_arena_ok(&m->arena)) return br_no_memory(error, "no memory for a spec");
    return load_tree(m, m->model_path, &m->model_text, &m->model, error);
}
