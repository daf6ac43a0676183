// The key `import`: a model of another program, whose definitions come before those of the file.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/import/import.h"
#include "io/import/import_report.h"
#include "io/text/beside.h"
#include "io/yaml/import.h"
#include "model/build/builder.h"

br_status br_yaml_import_as_map(br_arena *arena, yaml_node *root, br_error *error) {
    yaml_node *node = (yaml_node *)br_yaml_find(root, "import");
    if (!node || node->kind != YAML_SCALAR || yaml_is_empty(node)) return BR_OK;
    yaml_node *map = br_yaml_new_map(arena, node->source), *file = br_yaml_new_map(arena, node->source);
    yaml_node *key = br_yaml_new_scalar(arena, node->source, "file", 4);
    if (!map || !file || !key) return br_no_memory(error, "not enough memory to read it");
    *file = *node;
    file->next = NULL;
    file->index = 0;
    key->line = map->line = node->line;
    key->column = map->column = node->column;
    br_yaml_append(map, key, file);
    br_yaml_replace(node, map);
    return BR_OK;
}

// A model from anywhere must not lift its own protection: only who runs it may.
static void check_allowed(yaml_reader *r, const yaml_node *node, int outside) {
    if (!node || !outside || r->status != BR_OK || strncmp(node->source, "--set", 5) == 0) return;
    br_yaml_fault(r, node, "import-outside",
                  "a model cannot allow itself to read files outside its folder; give --set "
                  "import.outside=true on the command line");
}

void br_yaml_read_import_options(yaml_reader *r, const yaml_node *node, int itself, const char **file,
                                 br_import_options *out) {
    static const char *const keys[] = {"file", "strict", "outside", "keyframe", "free_base", "lift", NULL};
    if (!node || yaml_is_empty(node)) return;
    br_yaml_expect_keys(r, node, itself ? "import, of a model that is imported itself" : "import",
                        keys + (itself ? 1 : 0));
    br_yaml_bool(r, br_yaml_find(node, "strict"), &out->strict);
    br_yaml_bool(r, br_yaml_find(node, "outside"), &out->outside);
    check_allowed(r, br_yaml_find(node, "outside"), out->outside);
    br_yaml_bool(r, br_yaml_find(node, "free_base"), &out->free_base);
    br_yaml_bool(r, br_yaml_find(node, "lift"), &out->lift);
    br_yaml_text(r, br_yaml_find(node, "keyframe"), &out->keyframe);
    if (itself) return;
    const yaml_node *name = br_yaml_need(r, node, "import", "file", "robot.xml");
    if (r->status == BR_OK) br_yaml_text(r, name, file);
}

// Where the file is, as a person would write it from here.
static void find_file(yaml_reader *r, const yaml_node *place, const char *name, int outside,
                      char out[PATH_MAX]) {
    char folder[PATH_MAX], real[PATH_MAX], shown[YAML_SHOWN];
    const char *slash = strrchr(r->path, '/');
    const int beside = name[0] != '/' && slash ? (int)(slash - r->path) + 1 : 0;
    br_yaml_show(name, strlen(name), shown);
    const int length = snprintf(out, PATH_MAX, "%.*s%s", beside, r->path, name);
    if (length >= PATH_MAX || name[0] == '\0')
        br_yaml_fault(r, place, "import-missing", "import has no usable file name");
    struct stat s;
    if (r->status == BR_OK && stat(out, &s) == 0 && !S_ISREG(s.st_mode)) // a pipe would be waited for
        br_yaml_fault(r, place, "import-missing", "'%s' is a pipe, device or folder, expected a file", shown);
    if (r->status != BR_OK || outside) return; // the reader says what is not there
    switch (br_io_folder_of(r->path, folder) ? br_io_find_beside(folder, name, real) : IO_BESIDE_MISSING) {
    case IO_BESIDE_FOUND:
        return;
    case IO_BESIDE_MISSING:
    case IO_BESIDE_UNUSABLE:
        br_yaml_fault(r, place, "import-missing", "there is no file '%s' beside the model", shown);
        return;
    default:
        br_yaml_fault(r, place, "import-outside",
                      "'%s' is outside the model's folder; --set import.outside=true allows it", shown);
    }
}

void br_yaml_read_import(yaml_reader *r, io_model_source *source) {
    const yaml_node *node = br_yaml_find(r->root, "import");
    const char *name = NULL;
    char path[PATH_MAX];
    br_import_options options = {0};
    if (!node || yaml_is_empty(node) || r->status != BR_OK) return;
    br_yaml_read_import_options(r, node, 0, &name, &options);
    if (r->status != BR_OK) return;
    const yaml_node *place = br_yaml_find(node, "file");
    if (!br_io_import_takes(name)) {
        char shown[YAML_SHOWN];
        br_yaml_fault(r, place, "import-format",
                      "'%s' cannot be imported, expected an .xml, .mjcf or .urdf file",
                      br_yaml_show(name, strlen(name), shown));
        return;
    }
    source->lift = options.lift;
    find_file(r, place, name, options.outside, path);
    if (r->status != BR_OK) return;
    r->status =
        br_io_import(path, &options, source->allocator, &source->builder, &source->report, source->error);
    if (r->status != BR_OK) return;
    source->builder->notes = 0; // once more, with the name of the file
    r->status = br_io_import_report_tell(source->report, source->builder, 1, source->error);
}
