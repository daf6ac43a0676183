// bristle convert FILE -o FILE: a problem from one format to another.
#include "bristle/io.h"
#include "cli.h"

static int run(int argc, char **argv) {
    int json = 0, count = 0;
    const char *from = NULL, *to = NULL;
    const cli_option options[] = {{"--output|-o", &to, NULL}, {"--json", NULL, &json}};
    if (!cli_parse(argc, argv, options, 2, &from, 1, &count)) return EXIT_USAGE;
    if (count < 1 || !to) {
        cli_usage_error("convert", "expected a problem file and -o FILE");
        return EXIT_USAGE;
    }
    if (cli_same_file(from, to)) {
        cli_usage_error("convert", "-o names the problem file itself; choose another name");
        return EXIT_USAGE;
    }
    br_error error = {BR_OK, NULL, "", "", 0, 0};
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
        cli_json object = cli_json_begin(stdout);
        cli_json_string(&object, "status", "written");
        cli_json_string(&object, "file", to);
        cli_json_string(&object, "type", br_problem_type_name(info.type));
        cli_json_whole(&object, "rows", info.rows);
        cli_json_end(&object);
    } else {
        printf("%s: %s, %d row%s, %zu matrix entr%s\n  next: bristle solve %s\n", to,
               br_problem_type_name(info.type), info.rows, info.rows == 1 ? "" : "s", info.entries,
               info.entries == 1 ? "y" : "ies", to);
    }
    br_problem_file_free(file);
    return EXIT_FINE;
}

const cli_verb cli_verb_convert = {
    .name = "convert",
    .summary = "write a problem file in another format: .cp, .hdf5 (FCLIB)",
    .help = "bristle convert FILE -o OTHER [--json]\n\n"
            "Reads a complementarity problem (.cp text, or an FCLIB HDF5 file) and writes it in the format "
            "that the\n"
            "ending of the second name asks for: .cp, or .hdf5 and .h5 for FCLIB, which Siconos reads. FCLIB "
            "holds\n"
            "frictional contact problems with the Coulomb cone; everything else stays .cp. OTHER must not be "
            "FILE itself.\n",
    .run = run,
};
