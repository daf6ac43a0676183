// bristle explain CODE: what an error code means, an example, what to do.
#include <string.h>

#include "bristle/io.h"
#include "cli.h"

static int list_all(int json) {
    size_t count;
    const br_explanation *all = br_explanation_list(&count);
    if (json) {
        br_json object = br_json_begin(stdout);
        for (size_t k = 0; k < count; k++) br_json_string(&object, all[k].code, all[k].meaning);
        br_json_end(&object);
        return EXIT_FINE;
    }
    for (size_t k = 0; k < count; k++) printf("%-24s %s\n", all[k].code, all[k].meaning);
    return EXIT_FINE;
}

static int unknown_code(const char *code) {
    enum { MAX_CODES = 1024 };
    const char *words[MAX_CODES];
    size_t count;
    const br_explanation *all = br_explanation_list(&count);
    if (count > MAX_CODES) count = MAX_CODES;
    for (size_t k = 0; k < count; k++) words[k] = all[k].code;
    const char *near = NULL;
    for (size_t k = 0; k < count && !near && code[0]; k++) // the beginning of one comes before the nearest
        if (strncmp(words[k], code, strlen(code)) == 0) near = words[k];
    if (!near) near = br_nearest_word(code, words, count);
    if (near)
        cli_usage_error_next("explain", code, near, "there is no code '%s'; did you mean '%s'?", code, near);
    else
        cli_usage_error_next("explain", NULL, "bristle explain",
                             "there is no code '%s'; `bristle explain` alone lists them", code);
    return EXIT_USAGE;
}

static int verb_explain(int argc, char **argv) {
    int json = 0, count = 0;
    const char *code = NULL;
    const cli_option options[] = {{"--json", NULL, &json}};
    if (!cli_parse(argc, argv, options, 1, &code, 1, &count)) return EXIT_USAGE;
    if (count == 0) return list_all(json);
    const br_explanation *e = br_explain(code);
    if (!e) return unknown_code(code);
    if (json) {
        br_json object = br_json_begin(stdout);
        br_json_string(&object, "code", e->code);
        br_json_string(&object, "meaning", e->meaning);
        br_json_string(&object, "example", e->example);
        br_json_string(&object, "remedy", e->remedy);
        br_json_end(&object);
    } else {
        printf("%s\n  %s\n\nFor example:\n  %s\n\nWhat to do:\n  %s\n", e->code, e->meaning, e->example,
               e->remedy);
    }
    return EXIT_FINE;
}

const cli_verb cli_verb_explain = {
    .name = "explain",
    .summary = "what an error code means and what to do about it",
    .help = "bristle explain [CODE] [options]\n\n"
            "Prints what CODE means, an example that causes it, and what to do. Without CODE, lists all of "
            "them.\n\n"
            "  --json               one JSON object on stdout; without CODE a list of them\n\n"
            "Exit codes: 0 fine, 1 usage or no such code.\n",
    .run = verb_explain,
};
