// bristle papers: the numbers that papers print, beside ours, computed now.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "papers/papers.h"

typedef struct papers_request {
    const char *only, *plots;
    int json, markdown, printed;
} papers_request;

// Against one of the two numbers beside ours.
typedef enum papers_verdict { PAPERS_NOTHING = 0, PAPERS_DIFFERS, PAPERS_AGREES } papers_verdict;

typedef struct papers_answer {
    double value; // NAN: could not be computed
    int holds;
    papers_verdict printed, reference;
    br_error error;
} papers_answer;

// Half of the last digit that is printed: 0.19 stands for 0.185 to 0.195. Zeros at the end of whole numbers count as printed.
static double printed_rounding(double printed) {
    char text[40];
    snprintf(text, sizeof text, "%.12g", printed);
    const char *dot = strchr(text, '.'), *e = strchr(text, 'e');
    const int digits = dot ? (int)((e ? e : text + strlen(text)) - dot) - 1 : 0;
    return 0.5 * pow(10, (e ? atoi(e + 1) : 0) - digits);
}

static papers_verdict verdict(double value, double target, double tolerance) {
    if (isnan(target)) return PAPERS_NOTHING;
    return fabs(value - target) <= tolerance ? PAPERS_AGREES : PAPERS_DIFFERS;
}

static papers_answer answer(papers_run *run, const papers_row *row) {
    papers_answer a;
    memset(&a, 0, sizeof a);
    a.value = NAN;
    if (row->compute(run, row, &a.value, &a.error) != BR_OK) a.value = NAN;
    const double target = isnan(row->reference) ? row->printed : row->reference;
    a.holds = fabs(a.value - target) <= row->tolerance;
    // As printed: to the digits that are there, or to the tolerance where that is all that stands for it.
    const double digits = printed_rounding(row->printed) * (1 + 1e-9);
    a.printed = verdict(a.value, row->printed, isnan(row->reference) ? fmax(digits, row->tolerance) : digits);
    a.reference = verdict(a.value, row->reference, row->tolerance);
    return a;
}

// ------------------------------------------------------------------------------------------------------ the outputs

static void json_verdict(br_json *o, const char *key, papers_verdict verdict) {
    if (verdict == PAPERS_NOTHING)
        br_json_null(o, key);
    else
        br_json_bool(o, key, verdict == PAPERS_AGREES);
}

static const char *verdict_word(papers_verdict verdict) {
    return verdict == PAPERS_NOTHING ? "" : verdict == PAPERS_AGREES ? "yes" : "no";
}

static void json_row(br_json *list, const papers_paper *paper, const papers_row *row,
                     const papers_answer *a) {
    br_json o = br_json_object(list, NULL);
    br_json_string(&o, "paper", paper->key);
    br_json_string(&o, "example", row->example);
    br_json_string(&o, "quantity", row->quantity);
    br_json_string(&o, "unit", row->unit);
    br_json_number(&o, "printed", row->printed);
    br_json_number(&o, "reference", row->reference);
    br_json_number(&o, "value", a->value);
    br_json_number(&o, "tolerance", row->tolerance);
    br_json_bool(&o, "holds", a->holds);
    json_verdict(&o, "holds_printed", a->printed);
    json_verdict(&o, "holds_reference", a->reference);
    br_json_string(&o, "note", isnan(a->value) ? a->error.message : row->note);
    br_json_string(&o, "scene", row->scene);
    br_json_close_object(&o);
}

enum { MAX_CELL = 40 };
static const double COARSE = 1e4;

static const char *number(char *text, double value, int digits) {
    if (isfinite(value))
        snprintf(text, MAX_CELL, "%.*g", digits, value);
    else
        text[0] = '\0';
    return text;
}

// Ours, to the digits that its tolerance is about: a value near zero that is within it has no digits of meaning.
static const char *ours(char *text, const papers_row *row, double value) {
    const double target = isnan(row->reference) ? row->printed : row->reference;
    const int is_small =
        fabs(value) <= row->tolerance && target == 0 && row->tolerance > 0 && row->tolerance < 1e-6;
    int digits = 3;
    if (is_small) {
        snprintf(text, MAX_CELL, "< %.0e", row->tolerance);
        return text;
    }
    if (target != 0 && row->tolerance > 0) {
        const double parts = fabs(target) / row->tolerance;
        digits = (int)ceil(log10(parts)) + (parts < COARSE); // of a coarse tolerance the digit below it too
    }
    if (row->tolerance == 0) digits = 12; // counts
    return number(text, value, digits < 3 ? 3 : digits);
}

static void text_row(const papers_row *row, const papers_answer *a) {
    char printed[MAX_CELL], reference[MAX_CELL], value[MAX_CELL];
    printf("  %-18s %-62s %-5s %9s %15s %15s %8.3g %8s %4s  %s\n", row->example, row->quantity, row->unit,
           number(printed, row->printed, 4), number(reference, row->reference, 12),
           ours(value, row, a->value), row->tolerance, verdict_word(a->printed), verdict_word(a->reference),
           a->holds          ? "holds"
           : isnan(a->value) ? "FAILED"
                             : "DOES NOT HOLD");
    if (isnan(a->value)) printf("  %-18s   %s\n", "", a->error.message);
}

static void markdown_row(const papers_paper *paper, const papers_row *row, const papers_answer *a) {
    char printed[MAX_CELL], reference[MAX_CELL], value[MAX_CELL];
    printf("| %s | %s | %s | %s | %s | %s | %s | %.3g | %s | %s | %s |\n", paper->key, row->example,
           row->quantity, row->unit, number(printed, row->printed, 4), number(reference, row->reference, 12),
           ours(value, row, a->value), row->tolerance, verdict_word(a->printed), verdict_word(a->reference),
           a->holds ? "yes" : "**no**");
}

// Notes once each, in the order of the rows.
static void print_notes(const papers_request *r, const papers_paper *paper, const char *mark) {
    for (int k = 0; k < paper->count; k++) {
        const char *note = r->printed && isnan(paper->rows[k].printed) ? NULL : paper->rows[k].note;
        int told = note == NULL;
        for (int i = 0; i < k && !told; i++)
            told = paper->rows[i].note && strcmp(paper->rows[i].note, note) == 0;
        if (!told) printf("%s%s: %s\n", mark, paper->rows[k].quantity, note);
    }
}

// -------------------------------------------------------------------------------------------------------- the verb

static int find_paper(const char *only) {
    const char *words[8] = {NULL};
    for (int p = 0; p < papers_count && p < 8; p++) {
        words[p] = papers_list[p]->key;
        if (only && strcmp(words[p], only) == 0) return 1;
    }
    if (!only) return 1;
    const char *near = br_nearest_word(only, words, (size_t)papers_count);
    char list[256] = "";
    for (int p = 0; p < papers_count; p++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", p ? ", " : "", words[p]);
    cli_usage_error("papers", "there is no paper '%s'%s%s%s (papers: %s)", only,
                    near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", list);
    return 0;
}

static void head(const papers_request *r, const papers_paper *paper) {
    if (r->json || r->markdown) return;
    printf("%s   %s\n", paper->key, paper->title);
    printf("  %-18s %-62s %-5s %9s %15s %15s %8s %8s %4s\n", "example", "quantity", "unit", "printed",
           "reference", "ours", "tol.", "printed?", "ref?");
}

static void one_paper(const papers_request *r, const papers_paper *paper, papers_run *run, br_json *list,
                      int *total, int *held) {
    head(r, paper);
    for (int k = 0; k < paper->count; k++) {
        if (r->printed && isnan(paper->rows[k].printed)) continue;
        const papers_answer a = answer(run, &paper->rows[k]);
        ++*total;
        *held += a.holds;
        if (r->json)
            json_row(list, paper, &paper->rows[k], &a);
        else if (r->markdown)
            markdown_row(paper, &paper->rows[k], &a);
        else
            text_row(&paper->rows[k], &a);
        if (!r->json) fflush(stdout);
    }
    if (r->json || r->markdown) return;
    print_notes(r, paper, "  note: ");
    br_error error = {0};
    if (paper->shown && !r->printed && paper->shown(run, stdout, "  shown: ", &error) != BR_OK)
        printf("  shown: nothing, %s\n", error.message);
}

// ------------------------------------------------------------------------------------------------------ the figures

static int write_figure(papers_run *run, const papers_paper *paper, int k, const char *path) {
    br_error error;
    memset(&error, 0, sizeof error);
    FILE *out = fopen(path, "w");
    const br_status status = out ? paper->figures[k].write(run, k, out, &error) : BR_IO;
    int done = out && status == BR_OK && !ferror(out);
    if (out && fclose(out) != 0) done = 0;
    if (!done && status != BR_OK && status != BR_IO)
        cli_usage_error("papers", "%s: %s", path, error.message);
    else if (!done)
        cli_usage_error("papers", "%s cannot be written: %s", path, strerror(errno));
    return done;
}

// Before anything is computed. 0 after printing what is wrong.
static int make_folder(const char *folder) {
    struct stat s;
    if (mkdir(folder, 0777) == 0 || (errno == EEXIST && stat(folder, &s) == 0 && S_ISDIR(s.st_mode)))
        return 1;
    cli_usage_error("papers", "the folder %s cannot be made: %s", folder, strerror(errno));
    return 0;
}

// FOLDER/NAME.svg for each figure of the papers that are shown. 0 after printing what is wrong.
static int write_figures(const papers_request *r, papers_run *run) {
    char path[4096];
    int told = 0;
    for (int p = 0; p < papers_count; p++) {
        const papers_paper *paper = papers_list[p];
        if (r->only && strcmp(r->only, paper->key) != 0) continue;
        for (int k = 0; k < paper->figure_count; k++) {
            snprintf(path, sizeof path, "%.4000s/%s.svg", r->plots, paper->figures[k].name);
            if (!write_figure(run, paper, k, path)) return 0;
            if (!r->json && !r->markdown) printf("%-11s %s\n", told++ ? "" : "plots", path);
        }
    }
    return 1;
}

static int run_papers(const papers_request *r) {
    papers_run *run = papers_begin();
    br_json list = {stdout, 0};
    int total = 0, held = 0;
    if (!run) {
        cli_usage_error("papers", "not enough memory");
        return EXIT_USAGE;
    }
    if (r->json) fputc('[', stdout);
    if (r->markdown)
        printf("| paper | example | quantity | unit | printed | reference | ours | tolerance | as printed | "
               "as reference | holds |\n"
               "|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int p = 0; p < papers_count; p++) {
        if (r->only && strcmp(r->only, papers_list[p]->key) != 0) continue;
        if (total > 0 && !r->json && !r->markdown) putchar('\n');
        one_paper(r, papers_list[p], run, &list, &total, &held);
    }
    if (r->json) fputs("]\n", stdout);
    if (r->markdown) {
        putchar('\n');
        for (int p = 0; p < papers_count; p++)
            if (!r->only || strcmp(r->only, papers_list[p]->key) == 0) print_notes(r, papers_list[p], "- ");
    }
    if (!r->json && !r->markdown) printf("\n%d of %d hold\n", held, total);
    const int drawn = !r->plots || write_figures(r, run);
    papers_end(run);
    return !drawn ? EXIT_USAGE : held == total ? EXIT_FINE : EXIT_NUMERICAL;
}

static int verb_papers(int argc, char **argv) {
    papers_request r;
    int count = 0;
    memset(&r, 0, sizeof r);
    const cli_option options[] = {
        {"--only", &r.only, NULL},       {"--json", NULL, &r.json},   {"--markdown", NULL, &r.markdown},
        {"--printed", NULL, &r.printed}, {"--plots", &r.plots, NULL},
    };
    if (!cli_parse(argc, argv, options, 5, NULL, 0, &count) || !find_paper(r.only)) return EXIT_USAGE;
    if (r.json && r.markdown) {
        cli_usage_error("papers", "--json and --markdown both write to standard output; give one of them");
        return EXIT_USAGE;
    }
    if (r.plots && !make_folder(r.plots)) return EXIT_USAGE;
    return run_papers(&r);
}

const cli_verb cli_verb_papers = {
    .name = "papers",
    .summary = "the numbers that papers print, beside ours",
    .help =
        "bristle papers [--only PAPER] [--printed] [--json | --markdown] [--plots FOLDER]\n\n"
        "Runs the scenes of the papers that bristle implements and lists, number by number, what the "
        "paper prints,\n"
        "what an independent program or a closed form gives, what bristle computes now, the tolerance, "
        "and whether\n"
        "it holds: against the reference where there is one, else against the printed value. A printed "
        "value that\n"
        "is contradicted stays, with a note.\n\n"
        "  --only PAPER   peiret2016, tan_liu, wojtyra2017 or bauchau2006\n"
        "  --printed      only numbers that a paper prints, not those that follow from what it says\n"
        "  --json         a JSON list on stdout, one object for each number\n"
        "  --markdown     a table, as in the README\n"
        "  --plots FOLDER their figures as SVG files: wojtyra_fig_4, _5, _6, _8, _9, bauchau_fig_6 to _10\n"
        "                 and _12 to _15\n\n"
        "Exit codes: 0 every number holds, 1 usage, 2 one does not hold or could not be computed.\n",
    .run = verb_papers,
};
