#include "page.h"

#include <string.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------------------------- arguments

static int is_page_name(const char *text) {
    return cli_has_ending(text, ".html") || cli_has_ending(text, ".htm");
}

int cli_take_report(const char *verb, int *argc, char **argv, int *wanted, const char **file) {
    static const char option[] = "--report";
    int kept = 1;
    *wanted = 0;
    *file = NULL;
    for (int k = 1; k < *argc; k++) {
        const int plain = strcmp(argv[k], option) == 0;
        if (strcmp(argv[k], "--") == 0) { // what follows is no option
            while (k < *argc) argv[kept++] = argv[k++];
            break;
        }
        if (!plain && strncmp(argv[k], "--report=", sizeof "--report=" - 1) != 0) {
            argv[kept++] = argv[k];
            continue;
        }
        if (*wanted) {
            cli_usage_error(verb, "--report is given twice");
            return 0;
        }
        *wanted = 1;
        if (!plain)
            *file = argv[k] + sizeof "--report=" - 1;
        else if (k + 1 < *argc && is_page_name(argv[k + 1]))
            *file = argv[++k];
        if (*file && !**file) {
            cli_usage_error(verb, "--report= names no file");
            return 0;
        }
    }
    *argc = kept;
    return 1;
}

int cli_page_path(const char *result, char out[CLI_MAX_PATH]) {
    static const char *const endings[] = {".result", ".h5", ".hdf5", ".csv"};
    size_t n = strlen(result);
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (cli_has_ending(result, endings[k])) {
            n -= strlen(endings[k]);
            break;
        }
    return snprintf(out, CLI_MAX_PATH, "%.*s.html", (int)n, result) < CLI_MAX_PATH;
}

// -------------------------------------------------------------------------------------------------------- template

// In the build tree the program stands beside share/, installed it stands in bin/ beside it.
static br_status find_template(const char *given, char path[CLI_MAX_PATH], br_error *error) {
    static const char *const places[] = {"/share/bristle/report.html", "/../share/bristle/report.html"};
    char folder[CLI_MAX_PATH];
    if (given) {
        snprintf(path, CLI_MAX_PATH, "%s", given);
        return BR_OK; // the reader says what is wrong with it
    }
    const ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    for (size_t k = 0; slash && k < sizeof places / sizeof *places; k++) {
        const int length = snprintf(path, CLI_MAX_PATH, "%s%s", folder, places[k]);
        if (length < CLI_MAX_PATH && access(path, R_OK) == 0) return BR_OK;
    }
    return cli_error(
        error, BR_INVALID, "report-template", NULL, 0,
        "the page that reports are made of, report.html, is neither in %.200s/share/bristle nor in "
        "../share/bristle; build it with `make viewer`",
        slash ? folder : ".");
}

br_status cli_page_check(const char *given, br_error *error) {
    char path[CLI_MAX_PATH];
    return find_template(given, path, error);
}

br_status cli_page_write(const char *given, const br_report_result *results, int count,
                         const br_report_options *options, const char *path, br_error *error) {
    char template_path[CLI_MAX_PATH];
    const br_status status = find_template(given, template_path, error);
    return status == BR_OK ? br_report_write(template_path, results, count, options, NULL, path, error)
                           : status;
}
