// The next command after an error: the one that was typed, mended where it can be, or one that shows more.
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "bristle/io.h"
#include "cli.h"

enum { MAX_ENTRIES = 2000, MAX_PATH = 4096 }; // files of a folder that a name is looked for in

// ---------------------------------------------------------------------------------------------- what was typed

static char **typed; // a copy: verbs cut up the words they were given
static int typed_count;

void cli_typed(int argc, char **argv) {
    typed = calloc((size_t)argc + 1, sizeof *typed);
    for (int k = 0; typed && k < argc; k++) {
        typed[k] = strdup(argv[k]);
        if (!typed[k]) break;
        typed_count = k + 1;
    }
}

void cli_typed_free(void) {
    for (int k = 0; k < typed_count; k++) free(typed[k]);
    free(typed);
    typed = NULL;
    typed_count = 0;
}

static int is_typed(const char *word) {
    for (int k = 1; k < typed_count; k++)
        if (strcmp(typed[k], word) == 0) return 1;
    return 0;
}

// As a shell reads it back: quoted where it must be, and never taken for an option.
size_t cli_put_word(char *out, size_t size, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./=,:@%";
    const int quoted = strspn(word, plain) != strlen(word) || !*word;
    size_t n = (size_t)snprintf(out, size, quoted ? " '" : " ");
    for (const char *p = word; *p && n + 6 < size; p++)
        n += (size_t)snprintf(out + n, size - n, *p == '\'' ? "'\\''" : "%c", *p);
    if (quoted && n + 1 < size) n += (size_t)snprintf(out + n, size - n, "'");
    return n < size ? n : size - 1;
}

size_t cli_put_path(char *out, size_t size, const char *path) {
    char word[MAX_PATH + 4];
    snprintf(word, sizeof word, "%s%s", path[0] == '-' && path[1] ? "./" : "", path);
    return cli_put_word(out, size, word);
}

// What was changed by --set is changed in the next command too.
static void put_sets(char *out, size_t size) {
    size_t n = strlen(out);
    for (int k = 2; k < typed_count && n + 1 < size; k++) {
        const int apart = strcmp(typed[k], "--set") == 0 && k + 1 < typed_count;
        if (!apart && strncmp(typed[k], "--set=", 6) != 0) continue;
        n += cli_put_word(out + n, size - n, typed[k]);
        if (apart && n + 1 < size) n += cli_put_word(out + n, size - n, typed[++k]);
    }
}

void cli_print_next(FILE *out, const char *label, const char *verb, const char *path, const char *more) {
    char line[2 * MAX_PATH] = "";
    cli_put_path(line, sizeof line, path);
    fprintf(out, "%sbristle %s%s%s\n", label, verb, line, more);
}

void cli_print_next_set(FILE *out, const char *label, const char *verb, const char *path, const char *more) {
    char line[2 * MAX_PATH] = "";
    cli_put_path(line, sizeof line, path);
    put_sets(line, sizeof line);
    fprintf(out, "%sbristle %s%s%s\n", label, verb, line, more);
}

int cli_typed_with(const char *from, const char *to, char *out, size_t size) {
    if (!is_typed(from)) return 0;
    size_t n = (size_t)snprintf(out, size, "bristle");
    int replaced = 0;
    for (int k = 1; k < typed_count && n + 1 < size; k++) {
        if (strchr(typed[k], '\n')) return 0; // would need more quoting than it is worth
        const int here = !replaced && strcmp(typed[k], from) == 0;
        replaced |= here;
        n += cli_put_word(out + n, size - n, here ? to : typed[k]);
    }
    return n + 1 < size;
}

// ------------------------------------------------------------------------------------------- files nearly right

static int is_model_name(const char *name) {
    static const char *const endings[] = {".yaml", ".yml", ".xml", ".mjcf", ".urdf", ".json"};
    const char *dot = strrchr(name, '.');
    for (size_t k = 0; dot && k < sizeof endings / sizeof *endings; k++)
        if (strcasecmp(dot, endings[k]) == 0) return 1;
    return 0;
}

static int is_result_name(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ".result") == 0;
}

static int wants_result(void) {
    static const char *const takers[] = {"report", "plot", "export"};
    for (size_t k = 0; typed_count > 1 && k < sizeof takers / sizeof *takers; k++)
        if (strcmp(typed[1], takers[k]) == 0) return 1;
    return 0;
}

// door, door.yml for door.yaml: the stem is right, the ending is not.
static int same_stem(const char *a, const char *b) {
    const size_t n = strcspn(a, "."), m = strcspn(b, ".");
    return n > 0 && n == m && strncasecmp(a, b, n) == 0;
}

static int harmless(const char *name) { // to print, and to be read back by a shell
    for (const char *p = name; *p; p++)
        if (iscntrl((unsigned char)*p) || *p == '\'') return 0;
    return name[0] != '\0' && name[0] != '.' && name[0] != '-';
}

typedef struct looking {
    const char *wanted; // NULL: any model
    char best[256];
    int models, by_stem;
} looking;

static void next_look_at(looking *l, const char *name) {
    if (!harmless(name) || strlen(name) >= sizeof l->best) return;
    if (!l->wanted) {
        if (is_model_name(name)) l->models++, snprintf(l->best, sizeof l->best, "%s", name);
        return;
    }
    if (same_stem(name, l->wanted) && (wants_result() ? is_result_name(name) : is_model_name(name))) {
        l->by_stem = 1;
        snprintf(l->best, sizeof l->best, "%s", name);
    }
    if (l->by_stem) return;
    const char *const words[] = {l->best, name};
    if (br_nearest_word(l->wanted, words, 2) == name) snprintf(l->best, sizeof l->best, "%s", name);
}

static void look_into(const char *folder, looking *l) {
    DIR *dir = opendir(folder);
    struct dirent *entry;
    for (int k = 0; dir && k < MAX_ENTRIES && (entry = readdir(dir)) != NULL; k++)
        next_look_at(l, entry->d_name);
    if (dir) closedir(dir);
}

// The file that was meant: in the same folder, with nearly the same name.
static int near_file(const char *path, char *out, size_t size) {
    const char *slash = strrchr(path, '/');
    char folder[MAX_PATH] = ".";
    if (slash) snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    looking l = {.wanted = slash ? slash + 1 : path};
    look_into(folder, &l);
    if (!l.best[0]) return 0;
    snprintf(out, size, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, l.best);
    return 1;
}

// The only model in a folder.
static int only_model(const char *folder, char *out, size_t size) {
    looking l = {.wanted = NULL};
    look_into(folder, &l);
    const size_t n = strlen(folder);
    if (l.models != 1) return 0;
    snprintf(out, size, "%s%s%s", folder, n > 0 && folder[n - 1] == '/' ? "" : "/", l.best);
    return 1;
}

// --------------------------------------------------------------------------------------------------- by the code

// door.result, where there is a door.yaml that was not run yet.
static int of_missing_result(br_error *e, char *next, size_t size) {
    char model[MAX_PATH];
    struct stat s;
    const char *dot = strrchr(e->file, '.');
    if (!wants_result() || !is_result_name(e->file) || !harmless(e->file)) return 0;
    snprintf(model, sizeof model, "%.*s.yaml", (int)(dot - e->file), e->file);
    if (stat(model, &s) != 0) return 0;
    snprintf(e->message, sizeof e->message, "there is no such file; bristle run writes it");
    snprintf(next, size, "bristle run");
    cli_put_word(next + strlen(next), size - strlen(next), model);
    return 1;
}

static int of_missing_file(br_error *e, char *next, size_t size) {
    char near[MAX_PATH];
    if (of_missing_result(e, next, size)) return 1;
    if (!near_file(e->file, near, sizeof near) || !cli_typed_with(e->file, near, next, size)) return 0;
    snprintf(e->message, sizeof e->message, "there is no such file; did you mean %.400s?", near);
    return 1;
}

static int of_folder(br_error *e, char *next, size_t size) {
    char near[MAX_PATH];
    if (!only_model(e->file, near, sizeof near) || !cli_typed_with(e->file, near, next, size)) return 0;
    const size_t n = strlen(e->message);
    snprintf(e->message + n, sizeof e->message - n, "; did you mean %.300s?", near);
    return 1;
}

static int of_unwritable(br_error *e, char *next, size_t size) {
    char folder[MAX_PATH];
    struct stat s;
    const char *slash = strrchr(e->file, '/');
    if (!slash || slash == e->file) return 0;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - e->file), e->file);
    if (stat(folder, &s) == 0 || !harmless(folder)) return 0;
    snprintf(e->message, sizeof e->message, "cannot be written: there is no folder %.300s", folder);
    snprintf(next, size, "mkdir -p");
    cli_put_word(next + strlen(next), size - strlen(next), folder);
    return 1;
}

static int of_file(const char *command, const br_error *e, char *next, size_t size) {
    if (!is_typed(e->file) || !harmless(e->file)) return 0;
    snprintf(next, size, "bristle %s", command);
    cli_put_word(next + strlen(next), size - strlen(next), e->file);
    return 1;
}

static int of_ending(const char *ending, const br_error *e, char *next, size_t size) {
    char path[MAX_PATH];
    const char *dot = strrchr(e->file, '.');
    if (!is_typed(e->file) || !harmless(e->file) || !dot || strchr(dot, '/')) return 0;
    snprintf(path, sizeof path, "%.*s%s", (int)(dot - e->file), e->file, ending);
    snprintf(next, size, "mv");
    cli_put_word(next + strlen(next), size - strlen(next), e->file);
    cli_put_word(next + strlen(next), size - strlen(next), path);
    return 1;
}

// The model that the command was about, and all of its channels.
static int of_channel(char *next, size_t size) {
    if (typed_count > 1 && strcmp(typed[1], "sweep") == 0) return 0; // what was typed is the spec of one
    for (int k = 2; k < typed_count; k++) {
        if (!is_model_name(typed[k]) || !harmless(typed[k])) continue;
        snprintf(next, size, "bristle check");
        cli_put_word(next + strlen(next), size - strlen(next), typed[k]);
        snprintf(next + strlen(next), size - strlen(next), " --channels");
        return 1;
    }
    return 0;
}

void cli_suggest(br_error *e, char *next, size_t size) {
    next[0] = '\0';
    if (!e->code) return;
    int found = 0;
    if (strcmp(e->code, "file-missing") == 0) found = of_missing_file(e, next, size);
    if (strcmp(e->code, "file-is-folder") == 0) found = of_folder(e, next, size);
    if (strcmp(e->code, "file-unwritable") == 0) found = of_unwritable(e, next, size);
    if (strcmp(e->code, "channel-unknown") == 0) // plot without channels lists those of the result
        found = wants_result() ? of_file("plot", e, next, size) : of_channel(next, size);
    if (strcmp(e->code, "result-not-one") == 0 && is_model_name(e->file))
        found = of_file("run", e, next, size);
    if (strcmp(e->code, "model-is-problem") == 0) found = of_file("solve", e, next, size);
    if (strcmp(e->code, "model-is-urdf") == 0) found = of_ending(".urdf", e, next, size);
    if (strcmp(e->code, "model-is-mjcf") == 0) found = of_ending(".xml", e, next, size);
    if (strcmp(e->code, "model-is-result") == 0) found = of_file("report", e, next, size);
    if (!found && br_explain(e->code)) snprintf(next, size, "bristle explain %s", e->code);
}
