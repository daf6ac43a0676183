#include "io/report/credibility.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "io/text/json_write.h"
#include "io/text/text.h"

enum { ROOM = 1200, MOST_NAMED = 6 };

typedef struct credibility {
    FILE *f;
    const report_result *r;
    const yaml_node *model, *judgement, *trust; // NULL: there is none that can be read
    int rows;
} credibility;

static void put_factor(credibility *c, const char *factor, const char *level, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void put_factor(credibility *c, const char *factor, const char *level, const char *format, ...) {
    char text[ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs(c->rows++ > 0 ? ", {" : "{", c->f);
    br_io_json_key(c->f, "factor", 1);
    br_io_json_text(c->f, factor);
    br_io_json_key(c->f, "level", 0);
    br_io_json_text(c->f, level);
    br_io_json_key(c->f, "text", 0);
    br_io_json_text(c->f, text);
    putc('}', c->f);
}

// The n-th reason that fails, or that says what was not judged; NULL: there is none.
static const char *reason_text(const credibility *c, int failing, int n) {
    const yaml_node *reasons = br_yaml_find(c->judgement, "reasons");
    for (const yaml_node *k = reasons && reasons->kind == YAML_LIST ? reasons->first : NULL; k; k = k->next) {
        const yaml_node *fails = br_yaml_find(k, "fails"), *what = br_yaml_find(k, "what"),
                        *text = br_yaml_find(k, "text");
        const int is_failing = fails && strcmp(fails->text, "true") == 0;
        const int is_open = what && strcmp(what->text, "not_judged") == 0;
        if ((failing ? is_failing && !is_open : is_open) && text && n-- == 0) return text->text;
    }
    return NULL;
}

static void put_numerical(credibility *c) {
    const report_result *r = c->r;
    const char *fails = reason_text(c, 1, 0), *notes = r->header->notes;
    if (notes && strstr(notes, "as measured: "))
        put_factor(c, "Numerical error", "open", "There is none: nothing was simulated.");
    else if (!r->has_end || !c->judgement)
        put_factor(c, "Numerical error", "open", "Not judged: the result has no end with a ledger that was.");
    else if (fails)
        put_factor(c, "Numerical error", "bad", "%.600s", fails);
    else
        put_factor(c, "Numerical error", "warn",
                   "The books of energy, impulses and constraints were judged, and none failed; largest "
                   "residual %.2g. How far the "
                   "answer is from that of smaller steps is not in this result: bristle run MODEL --error.",
                   r->end.ledger.residual);
}

// --- pedigree ----------------------------------------------------------------------------------------------

typedef struct pedigree {
    int sourced, assumed, drawn, silent; // parameters
    int numbers;                         // of the file beside them
    char named[ROOM / 2];
} pedigree;

static int is_number(const yaml_node *n) {
    double x;
    const char *end = n->text;
    while (*end && *end != ' ') end++;
    return n->kind == YAML_SCALAR && !n->quoted && end > n->text &&
           br_io_parse_double((io_token){n->text, end}, &x) == IO_NUMBER_FINITE;
}

static int count_numbers(const yaml_node *n) {
    int count = n->kind == YAML_SCALAR ? is_number(n) : 0;
    for (const yaml_node *k = n->kind == YAML_SCALAR ? NULL : n->first; k; k = k->next)
        count += count_numbers(k);
    return count;
}

static pedigree find_pedigree(const yaml_node *model) {
    pedigree p = {0, 0, 0, 0, 0, ""};
    const yaml_node *params = br_yaml_find(model, "params");
    size_t used = 0;
    int named = 0;
    for (const yaml_node *k = params && params->kind == YAML_MAP ? params->first : NULL; k; k = k->next) {
        const yaml_node *source = br_yaml_find(k, "source"), *value = br_yaml_find(k, "value");
        const int assumed = source && strncmp(source->text, "assumed", 7) == 0;
        if (k->kind == YAML_MAP && !value)
            p.drawn++;
        else if (!source)
            p.silent++;
        else if (assumed)
            p.assumed++;
        else
            p.sourced++;
        if (source && !assumed && named++ < MOST_NAMED && used < sizeof p.named - 200)
            used += (size_t)snprintf(p.named + used, sizeof p.named - used, "%s%.40s: %.100s",
                                     used > 0 ? "; " : "", k->key->text, source->text);
    }
    for (const yaml_node *k = model && model->kind == YAML_MAP ? model->first : NULL; k; k = k->next)
        if (k != params && strcmp(k->key->text, "format") != 0) p.numbers += count_numbers(k);
    return p;
}

static void put_inputs(credibility *c) {
    if (!c->model) {
        put_factor(c, "Input pedigree", "open", "Not known: the result has no model file in YAML.");
        put_factor(c, "Uncertainty of inputs", "open", "Not known, for the same reason.");
        return;
    }
    const pedigree p = find_pedigree(c->model);
    const int all = p.sourced + p.assumed + p.drawn + p.silent;
    put_factor(c, "Input pedigree", p.silent + p.assumed == 0 && all > 0 && p.numbers == 0 ? "good" : "warn",
               "%d parameter%s: %d with a source%s%s%s, %d assumed, %d with a distribution, %d without a "
               "word of where %s from. "
               "%d number%s elsewhere in the file, none with a source. What the file does not say is at its "
               "default; %d "
               "setting%s from the command line.",
               all, all == 1 ? "" : "s", p.sourced, *p.named ? " (" : "", p.named, *p.named ? ")" : "",
               p.assumed, p.drawn, p.silent, p.silent == 1 ? "it comes" : "they come", p.numbers,
               p.numbers == 1 ? "" : "s", c->r->header->override_count,
               c->r->header->override_count == 1 ? "" : "s");
    if (p.drawn > 0)
        put_factor(c, "Uncertainty of inputs", "warn",
                   "%d parameter%s a distribution; this run is one set of them. What they do to the answer: "
                   "bristle run MODEL "
                   "--samples N.",
                   p.drawn, p.drawn == 1 ? " has" : "s have");
    else
        put_factor(c, "Uncertainty of inputs", "open",
                   "None is stated: one run with one set of numbers. Write mu: {normal: [0.3, 0.02]} and "
                   "take bristle run MODEL "
                   "--samples N.");
}

// --- the rest ----------------------------------------------------------------------------------------------

static void put_robustness(credibility *c) {
    static const char *const firm[] = {"sticks_robust", "slides_certain", "moves"};
    int all = 0, good = 0;
    for (const yaml_node *k = c->trust && c->trust->kind == YAML_LIST ? c->trust->first : NULL; k;
         k = k->next) {
        const yaml_node *verdict = br_yaml_find(k, "verdict");
        all++;
        for (int i = 0; i < 3 && verdict; i++) good += strcmp(verdict->text, firm[i]) == 0;
    }
    if (all == 0)
        put_factor(c, "Robustness of stiction", "open",
                   "No verdict is with this result: bristle trust MODEL.");
    else
        put_factor(c, "Robustness of stiction", good == all ? "good" : "warn",
                   "%d of %d intervals stick robustly, slide for certain or move; the others hang on a "
                   "disturbance or on what no "
                   "rigid model knows.",
                   good, all);
}

static void put_validation(credibility *c) {
    const char *notes = c->r->header->notes ? c->r->header->notes : "";
    if (strstr(notes, "as measured: "))
        put_factor(c, "Validation", "good", "This is the recording itself.");
    else if (strstr(notes, "as predicted: "))
        put_factor(c, "Validation", "good",
                   "It stands beside a recording. How large the error is, bristle validate prints; whether "
                   "it is small enough is not a "
                   "program's to say.");
    else
        put_factor(c, "Validation", "open",
                   "This result was not held against measurements: bristle validate MODEL DATA.csv.");
}

static void put_open(credibility *c) {
    const char *first = reason_text(c, 0, 0), *second = first ? reason_text(c, 0, 1) : NULL;
    put_factor(c, "Not judged", first ? "warn" : "open",
               "%.400s%s%.400s%sWhether the model is fit for its purpose, its history of use, its management "
               "and the people behind it: a "
               "program cannot judge these.",
               first ? first : "", second ? " " : "", second ? second : "", first ? " " : "");
}

static const yaml_node *parse_part(const char *text, size_t size, br_arena *arena) {
    yaml_node *root = NULL;
    br_error ignored;
    memset(&ignored, 0, sizeof ignored);
    return text && br_yaml_parse(text, size, "part of a result", arena, &root, &ignored) == BR_OK ? root
                                                                                                  : NULL;
}

void br_report_credibility(FILE *f, const report_result *r) {
    br_arena arena;
    credibility c = {.f = f, .r = r};
    br_arena_init(&arena, NULL);
    c.model = parse_part(r->header->model_text, r->header->model_text ? r->header->model_size : 0, &arena);
    if (c.model && c.model->kind != YAML_MAP) c.model = NULL;
    c.judgement = parse_part(r->judgement, r->judgement ? strlen(r->judgement) : 0, &arena);
    c.trust = parse_part(r->trust, r->trust ? strlen(r->trust) : 0, &arena);
    putc('[', f);
    put_numerical(&c);
    if (!r->header->notes || !strstr(r->header->notes, "as measured: ")) { // what is measured has no inputs
        put_inputs(&c);
        put_robustness(&c);
    }
    put_validation(&c);
    put_open(&c);
    putc(']', f);
    br_arena_free(&arena);
}
