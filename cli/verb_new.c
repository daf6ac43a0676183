// bristle new TEMPLATE [-o FILE]: a model to begin with.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "bristle/io.h"
#include "cli.h"

enum { MAX_TEMPLATES = 64, MAX_PATH = 4096, MAX_TEMPLATE_NAME = 64 };

// Names as words of their own.
static int list_names(char names[MAX_TEMPLATES][MAX_TEMPLATE_NAME], const char *words[MAX_TEMPLATES]) {
    const int count = br_template_count() < MAX_TEMPLATES ? br_template_count() : MAX_TEMPLATES;
    for (int k = 0; k < count; k++) {
        const br_template t = br_template_at(k);
        snprintf(names[k], MAX_TEMPLATE_NAME, "%.*s", (int)t.name_length, t.name);
        words[k] = names[k];
    }
    return count;
}

static int list_all(int json) {
    char names[MAX_TEMPLATES][MAX_TEMPLATE_NAME], summary[256];
    const char *words[MAX_TEMPLATES];
    const int count = list_names(names, words);
    br_json object = {stdout, 0};
    if (json) object = br_json_begin(stdout);
    for (int k = 0; k < count; k++) {
        const br_template t = br_template_at(k);
        snprintf(summary, sizeof summary, "%.*s", (int)t.summary_length, t.summary);
        if (json)
            br_json_string(&object, words[k], summary);
        else
            printf("%-14s %s\n", words[k], summary);
    }
    if (json)
        br_json_end(&object);
    else
        printf("\n  next: bristle new %s\n", count > 0 ? words[0] : "TEMPLATE");
    return EXIT_FINE;
}

static int new_find(const char *name) {
    char names[MAX_TEMPLATES][MAX_TEMPLATE_NAME];
    const char *words[MAX_TEMPLATES];
    const int count = list_names(names, words);
    for (int k = 0; k < count; k++)
        if (strcmp(words[k], name) == 0) return k;
    const char *near = br_nearest_word(name, words, (size_t)count);
    if (near)
        cli_usage_error_next("new", name, near, "there is no template '%s'; did you mean '%s'?", name, near);
    else
        cli_usage_error_next("new", NULL, "bristle new",
                             "there is no template '%s'; `bristle new` alone lists them", name);
    return -1;
}

// A file that exists is never touched, whatever happens in between: the system decides, not a look beforehand.
static int write_new(const char *path, const br_template *t) {
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0) {
        if (errno == EEXIST) {
            char next[MAX_PATH + 16];
            snprintf(next, sizeof next, "bristle check %s", path);
            cli_usage_error_next("new", NULL, next,
                                 "%s exists already and is left as it is; name another with -o FILE", path);
        } else
            cli_usage_error("new", "%s cannot be written: %s", path, strerror(errno));
        return 0;
    }
    size_t done = 0;
    while (done < t->size) {
        const ssize_t n = write(file, t->text + done, t->size - done);
        if (n <= 0) break;
        done += (size_t)n;
    }
    const int closed = close(file) == 0;
    if (done == t->size && closed) return 1;
    cli_usage_error("new", "%s cannot be written: %s", path, strerror(errno));
    unlink(path);
    return 0;
}

static int verb_new(int argc, char **argv) {
    int json = 0, count = 0;
    const char *name = NULL, *output = NULL;
    const cli_option options[] = {{"--json", NULL, &json}, {"--output|-o", &output, NULL}};
    if (!cli_parse(argc, argv, options, 2, &name, 1, &count)) return EXIT_USAGE;
    if (count == 0 && output) {
        cli_usage_error("new", "-o %s needs a template to write there; `bristle new` alone lists them",
                        output);
        return EXIT_USAGE;
    }
    if (count == 0) return list_all(json);
    const int k = new_find(name);
    if (k < 0) return EXIT_USAGE;
    const br_template t = br_template_at(k);
    char path[MAX_PATH];
    snprintf(path, sizeof path, "%s.yaml", name);
    if (!output) output = path;
    if (strcmp(output, "-") == 0) {
        fwrite(t.text, 1, t.size, stdout);
        return EXIT_FINE;
    }
    if (!write_new(output, &t)) return EXIT_USAGE;
    if (json) {
        br_json object = br_json_begin(stdout);
        br_json_string(&object, "status", "written");
        br_json_string(&object, "template", name);
        br_json_string(&object, "file", output);
        br_json_end(&object);
    } else {
        printf("%s written: %.*s\n", output, (int)t.summary_length, t.summary);
        cli_print_next(stdout, "  next: ", "check", output, "");
    }
    return EXIT_FINE;
}

const cli_verb cli_verb_new = {
    .name = "new",
    .summary = "a model to begin with",
    .help =
        "bristle new [TEMPLATE] [options]\n\n"
        "Writes a model with comments. A file that exists is left as it is. Without TEMPLATE, lists them.\n\n"
        "  -o FILE              the model; default TEMPLATE.yaml; - prints it\n"
        "  --json               one JSON object on stdout\n\n"
        "Exit codes: 0 fine, 1 usage, or a file that exists or cannot be written.\n",
    .run = verb_new,
};
