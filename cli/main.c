// bristle VERB ...: finds the verb and runs it.
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "bristle/io.h"
#include "cli.h"

// In the order of `bristle --help`. The table of a verb is cli_verb_NAME, in verb_NAME.c.
#define VERB_LIST(ROW)                                                                                       \
    ROW(new)                                                                                                 \
    ROW(check)                                                                                               \
    ROW(run)                                                                                                 \
    ROW(resume)                                                                                              \
    ROW(sweep)                                                                                               \
    ROW(static)                                                                                              \
    ROW(modes)                                                                                               \
    ROW(trust)                                                                                               \
    ROW(hold)                                                                                                \
    ROW(validate)                                                                                            \
    ROW(fit)                                                                                                 \
    ROW(report)                                                                                              \
    ROW(plot)                                                                                                \
    ROW(export)                                                                                              \
    ROW(compare)                                                                                             \
    ROW(papers)                                                                                              \
    ROW(dynamics)                                                                                            \
    ROW(solve)                                                                                               \
    ROW(convert)                                                                                             \
    ROW(schema)                                                                                              \
    ROW(explain)

#define DECLARE_ROW(name) extern const cli_verb cli_verb_##name;
VERB_LIST(DECLARE_ROW)

static const cli_verb *const verbs[] = {
#define TABLE_ROW(name) &cli_verb_##name,
    VERB_LIST(TABLE_ROW)};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

static void print_help(void) {
    printf("bristle %s: mechanisms and robots whose behaviour is decided by friction\n\n"
           "  bristle VERB [arguments]\n\n",
           br_version());
    for (int k = 0; k < VERBS; k++) printf("  %-10s %s\n", verbs[k]->name, verbs[k]->summary);
    printf("\n  bristle VERB --help   what a verb takes\n"
           "  bristle --version\n\n"
           "Exit codes: 0 fine, 1 usage or bad file, 2 numerical failure, 3 ran but is not credible "
           "(--strict).\n");
}

// Found before anything is parsed, since parsing is what may fail.
static int wants_json(int argc, char **argv) {
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++)
        if (strcmp(argv[k], "--json") == 0) return 1;
    return 0;
}

static int wants_help(int argc, char **argv) {
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++)
        if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) return 1;
    return 0;
}

static const cli_verb *find_verb(const char *word) {
    for (int k = 0; k < VERBS; k++)
        if (strcmp(word, verbs[k]->name) == 0) return verbs[k];
    return NULL;
}

// What other programs call it, and what newcomers try first.
static const char *other_word(const char *word) {
    static const char *const words[][2] = {
        {"simulate", "run"}, {"sim", "run"},        {"start", "run"},     {"exec", "run"},
        {"execute", "run"},  {"validate", "check"}, {"verify", "check"},  {"lint", "check"},
        {"test", "check"},   {"info", "check"},     {"init", "new"},      {"create", "new"},
        {"template", "new"}, {"templates", "new"},  {"example", "new"},   {"statics", "static"},
        {"modal", "modes"},  {"eigen", "modes"},    {"error", "explain"}, {"why", "explain"},
        {"diff", "compare"}, {"view", "report"},    {"show", "report"},   {"open", "report"},
        {"html", "report"},  {"study", "sweep"},    {"batch", "sweep"},
    };
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strcmp(word, words[k][0]) == 0) return words[k][1];
    return NULL;
}

// `bristle door.yaml`, `bristle door.yaml run`: the verb comes first.
static int verb_is_missing(int argc, char **argv) {
    char next[4096];
    struct stat file;
    const char *dot = strrchr(argv[1], '.');
    const int named =
        dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".xml") == 0);
    if (!named && (stat(argv[1], &file) != 0 || !S_ISREG(file.st_mode))) return 0;
    const cli_verb *verb = argc > 2 ? find_verb(argv[2]) : NULL;
    snprintf(next, sizeof next, "bristle %s", verb ? verb->name : "check");
    cli_put_word(next + strlen(next), sizeof next - strlen(next), argv[1]);
    cli_usage_error_next(NULL, NULL, next, "'%s' is a file, expected a verb before it", argv[1]);
    return 1;
}

// Nothing has to be imported before it is used.
static int import_is_no_verb(int argc, char **argv) {
    char next[4096] = "bristle check";
    if (strcmp(argv[1], "import") != 0) return 0;
    if (argc > 2)
        cli_put_word(next + strlen(next), sizeof next - strlen(next), argv[2]);
    else
        snprintf(next, sizeof next, "bristle convert --help");
    cli_usage_error_next(
        NULL, NULL, next,
        "there is no verb 'import': all verbs read MJCF and URDF files as they are, and bristle "
        "convert FILE -o NAME.yaml writes one as a model file");
    return 1;
}

static int unknown_verb(int argc, char **argv) {
    const char *words[VERBS], *word = argv[1];
    if (verb_is_missing(argc, argv) || import_is_no_verb(argc, argv)) return EXIT_USAGE;
    for (int k = 0; k < VERBS; k++) words[k] = verbs[k]->name;
    const char *near = other_word(word); // a word that is known is no misspelling
    if (!near) near = br_nearest_word(word, words, VERBS);
    if (near)
        cli_usage_error_next(NULL, word, near, "there is no verb '%s'; did you mean '%s'?", word, near);
    else
        cli_usage_error(NULL, "there is no verb '%s'", word);
    return EXIT_USAGE;
}

static int run_verb(int argc, char **argv) {
    const cli_verb *verb = find_verb(argv[1]);
    if (!verb) return unknown_verb(argc, argv);
    if (!wants_help(argc - 1, argv + 1)) return verb->run(argc - 1, argv + 1);
    fputs(verb->help, stdout);
    return EXIT_FINE;
}

// A full disk or a closed pipe must not look like success.
static int checked(int code) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    fputs("bristle: standard output could not be written\n", stderr);
    return code == EXIT_FINE ? EXIT_USAGE : code;
}

int main(int argc, char **argv) {
    signal(SIGXFSZ, SIG_IGN); // a file at its size limit: the write says so
    if (argc < 2) {
        print_help();
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help();
        return checked(EXIT_FINE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("bristle %s\n", br_version());
        return checked(EXIT_FINE);
    }
    if (wants_json(argc, argv)) cli_errors_as_json();
    cli_typed(argc, argv);
    const int code = checked(run_verb(argc, argv));
    cli_typed_free();
    return code;
}
