// The whole model: format, parameters, then the sections in the order in which they refer to each other.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/import/import.h"
#include "io/yaml/fields.h"
#include "io/yaml/import.h"
#include "io/yaml/model.h"
#include "io/yaml/override.h"
#include "io/yaml/spread.h"
#include "model/build/builder.h"

static void read_format(yaml_reader *r) {
    const yaml_node *format = br_yaml_find(r->root, "format");
    char shown[YAML_SHOWN];
    if (!format)
        br_yaml_fault(r, r->root, "yaml-format",
                      "the model does not say its format; write format: 1 as its first line");
    else if (format->kind != YAML_SCALAR || strcmp(format->text, "1") != 0)
        br_yaml_fault(r, format, "yaml-format",
                      "format is '%s', expected 1: the only one that this version reads",
                      format->kind == YAML_SCALAR ? br_yaml_show(format->text, (size_t)format->count, shown)
                                                  : "a list or map");
}

static void read_units(yaml_reader *r) {
    static const char *const keys[] = {"angle", NULL};
    static const char *const angles[] = {"rad", "deg", NULL};
    const yaml_node *units = br_yaml_find(r->root, "units");
    if (!units) return;
    int degrees = 0;
    br_yaml_expect_keys(r, units, "units", keys);
    br_yaml_word(r, br_yaml_find(units, "angle"), angles, &degrees);
    r->degrees = degrees ? BR_QUANTITY_DEGREES : 0;
}

static const yaml_node *param_at(const yaml_node *params, int index) {
    const yaml_node *value = params->first;
    while (value && index-- > 0) value = value->next;
    return value;
}

static void read_params(yaml_reader *r) {
    const yaml_node *params = br_yaml_find(r->root, "params");
    r->params = br_params_begin(r->arena);
    if (r->status != BR_OK || !params || yaml_is_empty(params)) return;
    br_yaml_expect_map(r, params, "params");
    br_yaml_expect_whole(r, params);
    for (const yaml_node *p = params->first; p && r->status == BR_OK; p = p->next) {
        char shown[YAML_SHOWN];
        if (params->flow && yaml_is_empty(p) && !p->key->quoted && p != params->first) {
            br_yaml_fault(
                r, p->key, "yaml-comma",
                "'%s' has no value; decimals are written with a point, and a value with a comma inside "
                "braces must be quoted",
                br_yaml_show(p->key->text, (size_t)p->key->count, shown));
            return;
        }
        if (p->kind == YAML_LIST || yaml_is_empty(p)) {
            br_yaml_fault(r, p, "yaml-type", "param '%s' is %s, expected a number",
                          br_yaml_show(p->key->text, (size_t)p->key->count, shown),
                          yaml_is_empty(p) ? "empty" : "a list");
            return;
        }
        const char *text = p->kind == YAML_MAP ? br_yaml_nominal(r, p) : p->text;
        if (r->status != BR_OK) return;
        const br_status status = br_params_add(&r->params, p->key->text, text, r->error);
        if (status == BR_OK) continue;
        r->status = status;
        br_yaml_locate(p->key, r->error);
    }
    int at = 0;
    if (r->status == BR_OK && br_params_resolve(&r->params, &at, r->error) != BR_OK) {
        const yaml_node *node = param_at(params, at);
        const int column = r->error->column;
        r->status = r->error->status;
        br_yaml_locate(node, r->error);
        if (column > 1 && r->error->line > 0) r->error->column += column - 1 + (node->quoted ? 1 : 0);
    }
}

void br_yaml_read_model(yaml_reader *r, const char *name) {
    if (r->root->kind != YAML_MAP) {
        br_yaml_fault(r, r->root, "yaml-type",
                      "the file is a %s, expected a model: format: 1, bodies: ..., joints: ...",
                      r->root->kind == YAML_LIST ? "list" : "single value");
        return;
    }
    read_format(r);
    br_yaml_expect_def(r, r->root, "the model", &br_def_settings);
    read_units(r);
    read_params(r);
    r->bodies = br_yaml_index_map(r, br_yaml_find(r->root, "bodies"));
    r->joints = br_yaml_index_map(r, br_yaml_find(r->root, "joints"));
    if (r->status != BR_OK) return;
    br_yaml_read_settings(r, name);
    br_yaml_read_materials(r);
    br_yaml_read_bodies(r);
    br_yaml_read_beams(r);
    br_yaml_read_joints(r);
    br_yaml_read_clearances(r);
    br_yaml_read_loads(r);
    br_yaml_read_drives(r);
    br_yaml_read_controls(r);
    br_yaml_read_constraints(r);
    br_yaml_read_sensors(r);
}

// ---------------------------------------------------------------------------------------------------- the reader

static void start(yaml_reader *r, const io_model_source *source, yaml_node *root) {
    r->arena = source->arena;
    r->error = source->error;
    r->path = source->path;
    r->root = root;
    r->params = br_params_begin(r->arena);
}

static void count_imported(yaml_reader *r) {
    r->imported_bodies = r->builder->body_names.count;
    r->imported_joints = r->builder->joint_names.count;
    r->imported_loads = r->builder->load_names.count;
    r->imported_drives = r->builder->drive_names.count;
    r->imported_pairs = r->builder->pairs;
}

br_status br_yaml_model_read(io_model_source *source, const void **places) {
    yaml_node *root = NULL;
    br_status status =
        br_yaml_parse(source->text, source->size, source->path, source->arena, &root, source->error);
    if (status != BR_OK) return status;
    if (!root)
        return br_fail_at(source->error, BR_PARSE, "yaml-empty", source->path, 1, 1,
                          "there is nothing in the file; a model begins with format: 1");
    status = br_yaml_import_as_map(source->arena, root, source->error);
    const char *keys[BR_MAX_FIELDS];
    br_def_keys(&br_def_settings, 0, keys);
    source->amends = br_yaml_find(root, "import") != NULL;
    if (status == BR_OK) status = br_yaml_apply_overrides(source, root, keys);
    if (status != BR_OK) return status;
    yaml_reader r = {0};
    start(&r, source, root);
    br_yaml_read_import(&r, source);
    if (r.status == BR_OK && !source->builder)
        r.status = br_builder_create(source->allocator, &source->builder, source->error);
    if (r.status != BR_OK) return r.status;
    r.builder = source->builder;
    count_imported(&r);
    br_yaml_read_model(&r, source->name);
    *places = root;
    return r.status;
}

// An element of the file itself, else one of the imported file, else what is above it.
void br_yaml_model_place(const io_model_source *source, const void *places) {
    const yaml_node *root = (const yaml_node *)places;
    const char *rest = NULL;
    const yaml_node *found = root ? br_yaml_resolve(root, source->error->path, '/', &rest) : NULL;
    const int own = found && found->parent && found->parent->parent;
    if (source->report && !own) br_import_report_place(source->report, source->error);
    br_yaml_locate_path(root, source->error);
}

void br_yaml_model_locate(const io_model_source *source, br_error *error) {
    const char *keys[BR_MAX_FIELDS];
    yaml_node *root = NULL;
    br_status status =
        br_yaml_parse(source->text, source->size, source->path, source->arena, &root, source->error);
    br_def_keys(&br_def_settings, 0, keys);
    if (status == BR_OK && root) status = br_yaml_import_as_map(source->arena, root, source->error);
    if (status == BR_OK && root) status = br_yaml_apply_overrides(source, root, keys);
    if (status == BR_OK && root) br_yaml_locate_path(root, error);
}

br_status br_yaml_model_import(io_model_source *source) {
    static const char *const settings[] = {"name",   "units",  "gravity", "coordinates", "contact", "solver",
                                           "run",    "start",  "check",   "outputs",     "import",  "pairs",
                                           "bodies", "joints", "loads",   "drives",      NULL};
    yaml_node *root = br_yaml_new_map(source->arena, source->path);
    if (!root) return br_no_memory(source->error, "not enough memory to read it");
    source->amends = 1;
    br_status status = br_yaml_apply_overrides(source, root, settings);
    if (status != BR_OK) return status;
    yaml_reader r = {0};
    br_import_options options = {0};
    start(&r, source, root);
    br_yaml_expect_keys(&r, root, "an imported model", settings);
    br_yaml_read_import_options(&r, br_yaml_find(root, "import"), 1, NULL, &options);
    if (r.status == BR_OK)
        r.status = br_io_import(source->path, &options, source->allocator, &source->builder, &source->report,
                                source->error);
    source->lift = options.lift;
    if (r.status != BR_OK || source->override_count == 0) return r.status;
    r.builder = source->builder;
    count_imported(&r);
    read_units(&r);
    r.bodies = br_yaml_index_map(&r, br_yaml_find(root, "bodies"));
    r.joints = br_yaml_index_map(&r, br_yaml_find(root, "joints"));
    br_yaml_read_settings(&r, NULL);
    br_yaml_read_materials(&r);
    br_yaml_read_bodies(&r);
    br_yaml_read_joints(&r);
    br_yaml_read_loads(&r);
    br_yaml_read_drives(&r);
    return r.status;
}
