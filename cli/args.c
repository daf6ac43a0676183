#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/io.h"
#include "cli.h"

enum { MAX_OPTIONS = 32, MAX_NAME = 32 };

void cli_usage_error(const char *verb, const char *format, ...) {
    va_list args;
    fprintf(stderr, "bristle%s%s: ", verb ? " " : "", verb ? verb : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n  next: bristle%s%s --help\n", verb ? " " : "", verb ? verb : "");
}

static int names(const char *spelled, size_t length, const char *text) {
    return strlen(text) == length && memcmp(spelled, text, length) == 0;
}

static const cli_option *find(const cli_option *options, int count, const char *text) {
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
        cli_usage_error(verb, "there is no option %s; did you mean %s?", text, near);
    else
        cli_usage_error(verb, "there is no option %s", text);
}

// --name VALUE and --name=VALUE. Returns how many arguments were used, 0 after printing what is wrong.
static int take_option(int argc, char **argv, int at, const cli_option *options, int count) {
    char name[MAX_NAME];
    const char *equals = strncmp(argv[at], "--", 2) == 0 ? strchr(argv[at], '=') : NULL;
    snprintf(name, sizeof name, "%.*s",
             (int)(equals && equals - argv[at] < MAX_NAME ? equals - argv[at] : MAX_NAME - 1), argv[at]);
    const cli_option *option = find(options, count, name);
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
    if (*option->value) return equals ? 1 : 2;
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
            cli_usage_error(argv[0], "'%s' is one argument too many", argv[k]);
            return 0;
        }
    }
    return 1;
}

int cli_parse_real(const char *name, const char *text, double least, double *out) {
    char *end;
    const double x = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(x) && x >= least) {
        *out = x;
        return 1;
    }
    cli_usage_error(NULL, "%s is '%s', expected a number >= %g", name, text, least);
    return 0;
}

int cli_parse_whole(const char *name, const char *text, int least, int most, int *out) {
    char *end;
    errno = 0;
    const long x = strtol(text, &end, 10);
    if (end != text && *end == '\0' && errno == 0 && x >= least && x <= most) {
        *out = (int)x;
        return 1;
    }
    cli_usage_error(NULL, "%s is '%s', expected a whole number from %d to %d", name, text, least, most);
    return 0;
}

// ---------------------------------------------------------------------------------------------------- messages

static void print_json_error(const br_error *e) {
    cli_json json = cli_json_begin(stdout);
    cli_json_string(&json, "status", "error");
    cli_json_string(&json, "error", br_status_name(e->status));
    cli_json_string(&json, "code", e->code);
    cli_json_string(&json, "message", e->message);
    cli_json_string(&json, "file", e->file[0] ? e->file : NULL);
    cli_json_whole(&json, "line", e->line);
    cli_json_whole(&json, "column", e->column);
    cli_json_end(&json);
}

void cli_print_error(const br_error *e, int json) {
    fputs("bristle: ", stderr);
    if (e->file[0]) fputs(e->file, stderr);
    if (e->file[0] && e->line > 0) fprintf(stderr, ":%d", e->line);
    if (e->file[0] && e->line > 0 && e->column > 0) fprintf(stderr, ":%d", e->column);
    fprintf(stderr, "%s%s\n", e->file[0] ? ": " : "", e->message);
    if (e->code && br_explain(e->code)) fprintf(stderr, "  next: bristle explain %s\n", e->code);
    if (json) print_json_error(e);
}
