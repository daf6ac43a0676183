#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bristle/io.h"
#include "cli.h"

enum { MAX_OPTIONS = 32, MAX_NAME = 32 };

static int names(const char *spelled, size_t length, const char *text) {
    return strlen(text) == length && memcmp(spelled, text, length) == 0;
}

static const cli_option *option_find(const cli_option *options, int count, const char *text) {
    for (int k = 0; k < count; k++) {
        const char *name = options[k].name, *bar = strchr(name, '|');
        if (names(name, bar ? (size_t)(bar - name) : strlen(name), text)) return &options[k];
        if (bar && strcmp(bar + 1, text) == 0) return &options[k];
    }
    return NULL;
}

static void unknown_option(const char *verb, const char *text, const cli_option *options, int count) {
    char spelled[MAX_OPTIONS][MAX_NAME];
    const char *words[MAX_OPTIONS];
    for (int k = 0; k < count; k++) {
        const char *bar = strchr(options[k].name, '|');
        snprintf(spelled[k], MAX_NAME, "%.*s",
                 (int)(bar ? bar - options[k].name : (long)strlen(options[k].name)), options[k].name);
        words[k] = spelled[k];
    }
    const char *near = br_nearest_word(text, words, (size_t)count);
    if (near)
        cli_usage_error_next(verb, text, near, "there is no option %s; did you mean %s?", text, near);
    else
        cli_usage_error(verb, "there is no option %s", text);
}

// --name VALUE and --name=VALUE. Returns how many arguments were used, 0 after printing what is wrong.
static int take_option(int argc, char **argv, int at, const cli_option *options, int count) {
    char name[MAX_NAME];
    const char *equals = strncmp(argv[at], "--", 2) == 0 ? strchr(argv[at], '=') : NULL;
    snprintf(name, sizeof name, "%.*s",
             (int)(equals && equals - argv[at] < MAX_NAME ? equals - argv[at] : MAX_NAME - 1), argv[at]);
    const cli_option *option = option_find(options, count, name);
    if (!option) {
        unknown_option(argv[0], name, options, count);
        return 0;
    }
    if (option->present) *option->present = 1;
    if (!option->value) {
        if (!equals) return 1;
        cli_usage_error(argv[0], "%s takes no value", name);
        return 0;
    }
    *option->value = equals ? equals + 1 : at + 1 < argc ? argv[at + 1] : NULL;
    if (*option->value && (*option->value)[0] != '\0') return equals ? 1 : 2;
    cli_usage_error(argv[0], "%s needs a value", name);
    return 0;
}

int cli_parse(int argc, char **argv, const cli_option *options, int option_count, const char **plain,
              int most, int *count) {
    int only_plain = 0;
    *count = 0;
    for (int k = 1; k < argc;) {
        if (!only_plain && strcmp(argv[k], "--") == 0) {
            only_plain = 1;
            k++;
        } else if (!only_plain && argv[k][0] == '-' && argv[k][1] != '\0') {
            const int used = take_option(argc, argv, k, options, option_count);
            if (used == 0) return 0;
            k += used;
        } else if (*count < most) {
            plain[(*count)++] = argv[k++];
        } else {
            const size_t n = strlen(argv[k - 1]);
            const int after_comma = k > 1 && n > 0 && argv[k - 1][n - 1] == ',';
            cli_usage_error(argv[0], "'%s' is one argument too many%s", argv[k],
                            after_comma ? "; a list with commas has no blanks in it" : "");
            return 0;
        }
    }
    return 1;
}

static int read_real(const char *text, double *out) {
    char *end;
    *out = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*out);
}

// "2s", "5 ms": a number and a unit, which options do not take.
static const char *unit_hint(const char *text) {
    char *end;
    const double x = strtod(text, &end);
    return end != text && isfinite(x) && *end && strspn(end, " abcdefghijklmnopqrstuvwxyz/") == strlen(end)
               ? ", in SI and without a unit"
               : "";
}

int cli_parse_not_negative(const char *verb, const char *name, const char *text, double *out) {
    double x;
    if (read_real(text, &x) && x >= 0) {
        *out = x;
        return 1;
    }
    cli_usage_error(verb, "%s is '%s', expected a number >= 0%s", name, text, unit_hint(text));
    return 0;
}

int cli_parse_positive(const char *verb, const char *name, const char *text, double *out) {
    double x;
    if (read_real(text, &x) && x > 0) {
        *out = x;
        return 1;
    }
    cli_usage_error(verb, "%s is '%s', expected a number > 0%s", name, text, unit_hint(text));
    return 0;
}

int cli_parse_whole(const char *verb, const char *name, const char *text, int least, int most, int *out) {
    char *end;
    errno = 0;
    const long x = strtol(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && x >= least && x <= most) {
        *out = (int)x;
        return 1;
    }
    cli_usage_error(verb, "%s is '%s', expected a whole number from %d to %d", name, text, least, most);
    return 0;
}

int cli_split_channels(const char *verb, const char *text, char **copy, const char **pattern, int most) {
    *copy = strdup(text);
    int count = 0;
    for (char *p = *copy; p;) {
        char *comma = strchr(p, ',');
        if (comma) *comma = '\0';
        if (*p == '\0' || count == most) {
            cli_usage_error(verb, "--channels is '%s', expected 1 to %d names with single commas between",
                            text, most);
            return 0;
        }
        pattern[count++] = p;
        p = comma ? comma + 1 : NULL;
    }
    return count;
}

int cli_check_csv(const char *verb, const char *csv, const char *model, int json) {
    if (!csv) return 1;
    const int to_stdout = strcmp(csv, "-") == 0;
    if (to_stdout && json)
        cli_usage_error(verb, "--json and --csv - both write to standard output; give the table a file");
    else if (!to_stdout && cli_same_target(csv, model))
        cli_usage_error(verb, "an output is the model file itself: '%s'; give each a file of its own", csv);
    else
        return 1;
    return 0;
}

int cli_has_ending(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

int cli_same_file(const char *a, const char *b) {
    struct stat x, y;
    if (stat(a, &x) != 0 || stat(b, &y) != 0 || !S_ISREG(x.st_mode)) return 0;
    return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// The folder that a path is in, and the name in it.
static const char *split_path(const char *path, char *folder, size_t size) {
    const char *slash = strrchr(path, '/');
    if (!slash)
        snprintf(folder, size, ".");
    else
        snprintf(folder, size, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return slash ? slash + 1 : path;
}

int cli_same_target(const char *a, const char *b) {
    char folder_a[4096], folder_b[4096];
    struct stat x, y;
    if (cli_same_file(a, b) || strcmp(a, b) == 0) return 1;
    const char *name_a = split_path(a, folder_a, sizeof folder_a);
    const char *name_b = split_path(b, folder_b, sizeof folder_b);
    if (strcmp(name_a, name_b) != 0 || stat(folder_a, &x) != 0 || stat(folder_b, &y) != 0) return 0;
    return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// ---------------------------------------------------------------------------------------------------- messages

static int errors_as_json;

void cli_errors_as_json(void) {
    errors_as_json = 1;
}

static void print_json_error(const char *kind, const char *code, const char *message, const char *file,
                             int line, int column) {
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", "error");
    br_json_string(&json, "error", kind);
    br_json_string(&json, "code", code);
    br_json_string(&json, "message", message);
    br_json_string(&json, "file", file && file[0] ? file : NULL);
    line > 0 ? br_json_whole(&json, "line", line) : br_json_null(&json, "line");
    column > 0 ? br_json_whole(&json, "column", column) : br_json_null(&json, "column");
    br_json_end(&json);
}

static void usage_error(const char *verb, const char *next, const char *message) {
    fprintf(stderr, "bristle%s%s: %s\n", verb ? " " : "", verb ? verb : "", message);
    if (next)
        fprintf(stderr, "  next: %s\n", next);
    else
        fprintf(stderr, "  next: bristle%s%s --help\n", verb ? " " : "", verb ? verb : "");
    if (errors_as_json) print_json_error("usage", NULL, message, NULL, 0, 0);
}

void cli_usage_error(const char *verb, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    usage_error(verb, NULL, message);
}

void cli_usage_error_next(const char *verb, const char *from, const char *to, const char *format, ...) {
    char message[1024], next[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    if (!from) snprintf(next, sizeof next, "%s", to);
    const int good = !from || cli_typed_with(from, to, next, sizeof next);
    usage_error(verb, good ? next : NULL, message);
}

br_status cli_error(br_error *error, br_status status, const char *code, const char *file, int line,
                    const char *format, ...) {
    *error = (br_error){.status = status, .code = code, .line = line};
    if (file) snprintf(error->file, sizeof error->file, "%s", file);
    va_list args;
    va_start(args, format);
    vsnprintf(error->message, sizeof error->message, format, args);
    va_end(args);
    return status;
}

br_status cli_no_memory(br_error *error, const char *message) {
    return cli_error(error, BR_NO_MEMORY, "out-of-memory", NULL, 0, "%s", message);
}

br_status cli_unwritable(br_error *error, const char *path) {
    return cli_error(error, BR_IO, "file-unwritable", path, 0, "cannot be written: %s",
                     strerror(errno ? errno : EIO));
}

static void error_print_text(const br_error *e, const char *next) {
    fputs("bristle: ", stderr);
    if (e->file[0]) fputs(e->file, stderr);
    if (e->file[0] && e->line > 0) fprintf(stderr, ":%d", e->line);
    if (e->file[0] && e->line > 0 && e->column > 0) fprintf(stderr, ":%d", e->column);
    fprintf(stderr, "%s%s\n", e->file[0] ? ": " : "", e->message);
    if (next[0]) fprintf(stderr, "  next: %s\n", next);
}

void cli_print_error_text(const br_error *error) {
    br_error e = *error;
    char next[4096];
    cli_suggest(&e, next, sizeof next);
    error_print_text(&e, next);
}

void cli_print_error(const br_error *error) {
    br_error e = *error;
    char next[4096];
    cli_suggest(&e, next, sizeof next);
    error_print_text(&e, next);
    if (errors_as_json)
        print_json_error(br_status_name(e.status), e.code, e.message, e.file, e.line, e.column);
}
