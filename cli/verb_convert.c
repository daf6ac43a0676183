// bristle convert FILE -o FILE: a problem, or a model, from one format to another.
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "cli.h"
#include "model.h"

// ---------------------------------------------------------------------------------------------------- models

static int is_imported(const char *path) {
    return cli_has_ending(path, ".xml") || cli_has_ending(path, ".mjcf") || cli_has_ending(path, ".urdf");
}

static int is_model(const char *path) {
    return is_imported(path) || cli_has_ending(path, ".yaml") || cli_has_ending(path, ".yml");
}

// A model to any other ending.
static int refuse_model(const char *from, const char *to) {
    char yaml[4096];
    const char *dot = strrchr(to, '.');
    const int stem = dot && !strchr(dot, '/') ? (int)(dot - to) : (int)strlen(to);
    snprintf(yaml, sizeof yaml, "%.*s.yaml", stem, to);
    static const char message[] = "'%s' is a model, and a model is written as .yaml only";
    if (cli_same_target(yaml, from))
        cli_usage_error("convert", message, from);
    else
        cli_usage_error_next("convert", to, yaml, message, from);
    return EXIT_USAGE;
}

// What moves the model and is not in it comes first, in full; the rest is counted.
static void print_report(const br_import_report *report) {
    int others = 0;
    for (int k = 0; report && k < br_import_report_count(report); k++) {
        const br_import_note *n = br_import_report_note(report, k);
        if (n->effect != BR_IMPORT_MOTION) {
            others++;
            continue;
        }
        printf("  not imported: <%s>%s%s, line %d", n->element, n->attribute[0] ? " " : "", n->attribute,
               n->line);
        if (n->count > 1) printf(" and %d more", n->count - 1);
        printf(": %s\n", n->why);
    }
    if (others > 0)
        printf("  %d more kind%s of elements, without influence on the motion (--json lists them)\n", others,
               others == 1 ? "" : "s");
}

// Nodes of beams are no bodies to a reader.
static int own_bodies(const br_model *model) {
    int count = 0;
    for (int k = 0; k < br_model_body_count(model); k++) count += br_model_body_beam(model, k) < 0;
    return count;
}

static void print_size(const char *to, const br_model *model) {
    const int bodies = own_bodies(model), beams = br_model_beam_count(model);
    printf("%s: %d bod%s, ", to, bodies, bodies == 1 ? "y" : "ies");
    if (beams > 0) printf("%d beam%s, ", beams, beams == 1 ? "" : "s");
    printf("%d velocit%s\n", br_model_nv(model), br_model_nv(model) == 1 ? "y" : "ies");
}

static void print_report_json(const br_import_report *report, const char *to, const br_model *model) {
    static const char *const effect[] = {"looks", "numerics", "motion"};
    br_json object = br_json_begin(stdout);
    br_json_string(&object, "status", "written");
    br_json_string(&object, "file", to);
    br_json_whole(&object, "bodies", own_bodies(model));
    br_json_whole(&object, "beams", br_model_beam_count(model));
    br_json_whole(&object, "velocities", br_model_nv(model));
    char lines[1 << 16] = "";
    size_t used = 0;
    for (int k = 0; report && k < br_import_report_count(report) && used + 1024 < sizeof lines; k++) {
        const br_import_note *n = br_import_report_note(report, k);
        used += (size_t)snprintf(lines + used, sizeof lines - used, "%s%s: line %d: <%s> %s: %s (%d)",
                                 used ? "\n" : "", effect[n->effect], n->line, n->element, n->attribute,
                                 n->why, n->count);
    }
    br_json_lines(&object, "not_imported", lines);
    br_json_end(&object);
}

static int convert_model(const char *from, const char *to, const cli_overrides *set, int json) {
    br_error error = {0};
    br_builder *builder = NULL;
    br_import_report *report = NULL;
    br_model *model = NULL;
    char comment[512];
    const char *slash = strrchr(from, '/');
    snprintf(comment, sizeof comment, "Converted from %.300s by bristle %s.", slash ? slash + 1 : from,
             br_version());
    br_status status =
        br_model_read_import(from, set->item, set->count, NULL, &model, &builder, &report, &error);
    if (status == BR_OK) status = br_model_write_yaml(builder, comment, to, &error);
    if (status != BR_OK)
        cli_print_error(&error);
    else if (json)
        print_report_json(report, to, model);
    else {
        print_size(to, model);
        print_report(report);
        cli_print_next(stdout, "  next: ", "check", to, "");
    }
    br_model_destroy(model);
    br_builder_destroy(builder);
    br_import_report_free(report);
    return status == BR_OK ? EXIT_FINE : EXIT_USAGE;
}

// -------------------------------------------------------------------------------------------------- problems

static int verb_convert(int argc, char **argv) {
    int json = 0, count = 0, strict = 0;
    cli_overrides set;
    const char *from = NULL, *to = NULL;
    const cli_option options[] = {
        {"--output|-o", &to, NULL}, {"--json", NULL, &json}, {"--strict", NULL, &strict}};
    if (!cli_take_overrides("convert", &argc, argv, &set)) return EXIT_USAGE;
    if (!cli_parse(argc, argv, options, 3, &from, 1, &count)) return EXIT_USAGE;
    if (count < 1 || !to) {
        cli_usage_error("convert", "expected a problem or model file and -o FILE");
        return EXIT_USAGE;
    }
    if (cli_same_file(from, to)) {
        cli_usage_error("convert", "-o names the problem file itself; choose another name");
        return EXIT_USAGE;
    }
    if (strict && is_imported(from) && set.count < CLI_MAX_OVERRIDES)
        set.item[set.count++] = (br_override){"import.strict", "true"};
    if (cli_has_ending(to, ".yaml") || cli_has_ending(to, ".yml")) return convert_model(from, to, &set, json);
    if (is_model(from)) return refuse_model(from, to);
    br_error error = {0};
    br_problem_file *file = NULL;
    br_status status = br_problem_file_read(from, NULL, &file, &error);
    if (status == BR_OK) status = br_problem_file_write(file, to, &error);
    if (status != BR_OK) {
        cli_print_error(&error);
        br_problem_file_free(file);
        return EXIT_USAGE;
    }
    const br_problem_info info = br_problem_file_info(file);
    if (json) {
        br_json object = br_json_begin(stdout);
        br_json_string(&object, "status", "written");
        br_json_string(&object, "file", to);
        br_json_string(&object, "type", br_problem_type_name(info.type));
        br_json_whole(&object, "rows", info.rows);
        br_json_end(&object);
    } else {
        printf("%s: %s, %d row%s, %zu matrix entr%s\n", to, br_problem_type_name(info.type), info.rows,
               info.rows == 1 ? "" : "s", info.entries, info.entries == 1 ? "y" : "ies");
        cli_print_next(stdout, "  next: ", "solve", to, "");
    }
    br_problem_file_free(file);
    return EXIT_FINE;
}

const cli_verb cli_verb_convert = {
    .name = "convert",
    .summary = "write a problem file as .cp or .hdf5 (FCLIB), a robot as .yaml",
    .help =
        "bristle convert FILE -o OTHER [options]\n\n"
        "Reads a complementarity problem (.cp text, or an FCLIB HDF5 file) and writes it in the format "
        "that the\n"
        "ending of the second name asks for: .cp, or .hdf5 and .h5 for FCLIB, which Siconos reads. FCLIB "
        "holds\n"
        "frictional contact problems with the Coulomb cone; everything else stays .cp. OTHER must not be "
        "FILE itself.\n\n"
        "With OTHER ending in .yaml, FILE is a model: MuJoCo's MJCF (.xml), URDF, or a model file that "
        "imports "
        "one. All of\n"
        "it becomes one model file. What bristle does not represent is listed. --set import.keyframe=NAME "
        "starts from a\n"
        "keyframe, --set import.outside=true reads files outside the model's folder, --set "
        "import.free_base=true lets a\n"
        "URDF robot move freely.\n\n"
        "  -o OTHER             what to write\n"
        "  --set NAME=VALUE     changes a parameter (mu=0.5) or a key of a model; repeatable\n"
        "  --strict             what is not represented and would change the motion is an error\n"
        "  --json               one JSON object on stdout\n\n"
        "Exit codes: 0 fine, 1 usage or file.\n",
    .run = verb_convert,
};
