// Models computed by hand: tests/data/hand_models. Each file begins with its calculation in one line and the right sentences:
//
//     # hand: the calculation
//     # at T: VERDICT|VERDICT c*=NUMBER PAD=VERDICT/STATE PAD.friction=LEAST..MOST
//     # run: VERDICT FROM..TO VERDICT FROM..TO
//     # credible: true
//
// At T: the state that a run has there. Run: intervals of br_trust_run, their ends to two steps; `slides_certain` for less than two
// steps, where what is about to slide has not moved yet, is passed over. All of them, and all deviations of each, are told.
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/bristle.h"
#include "bristle/io.h"
#include "bristle/trust.h"
#include "near.h"

enum { MODELS = 200, LINE = 1000, INTERVALS = 32 };

#define FOLDER BRISTLE_SOURCE_DIR "/tests/data/hand_models/"
#define C_STAR 1e-6 // relative
#define EDGE                                                                                                 \
    0.0021 // s: two steps, what the default stepper takes to arrive at a limit, and rounding of what is written
#define FRICTION 1e-6 // relative

typedef struct told {
    const char *file;
    int wrong, checked, undecided;
} told;

static void wrong(told *t, const char *line, const char *format, ...) {
    va_list list;
    va_start(list, format);
    printf("%s: %s\n    said: ", t->file, line);
    vprintf(format, list);
    printf("\n");
    va_end(list);
    t->wrong++;
}

static br_sim *open_model(const char *path, br_model **model, br_error *error) {
    br_sim *sim = NULL;
    *model = NULL;
    if (br_model_read(path, NULL, 0, NULL, model, NULL, error) != BR_OK ||
        br_sim_create(*model, NULL, &sim, error) != BR_OK)
        return NULL;
    return sim;
}

// name is one of "a|b".
static int among(const char *names, size_t length, const char *name) {
    while (length > 0) {
        const char *bar = memchr(names, '|', length);
        const size_t part = bar ? (size_t)(bar - names) : length;
        if (strlen(name) == part && strncmp(names, name, part) == 0) return 1;
        if (!bar) return 0;
        length -= part + 1, names = bar + 1;
    }
    return 0;
}

// PAD names a joint, or the contacts of two shapes in either order.
static int is_pad(const br_trust_force *f, const char *pad, size_t length) {
    const char *tilde = memchr(pad, '~', length);
    const size_t end = strcspn(f->name, "#");
    if (end == length && strncmp(f->name, pad, length) == 0) return 1;
    if (!tilde || end != length) return 0;
    const size_t first = (size_t)(tilde - pad), second = length - first - 1;
    return strncmp(f->name, tilde + 1, second) == 0 && f->name[second] == '~' &&
           strncmp(f->name + second + 1, pad, first) == 0;
}

// A..B; what follows it.
static const char *read_range(const char *text, double *from, double *to) {
    char first[64];
    const char *dots = strstr(text, "..");
    assert_non_null(dots);
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    *from = strtod(first, NULL);
    char *next;
    *to = strtod(dots + 2, &next);
    return next;
}

static void check_c_star(told *t, const char *line, const br_trust_interval *i, double right) {
    const double c = i->c_star;
    if (isinf(right) ? !isinf(c) : !(fabs(c - right) <= C_STAR * fmax(1, right)))
        wrong(t, line, "c* %.9g", c);
}

static void check_friction(told *t, const char *line, const br_trust_interval *i, const char *pad,
                           size_t length, const char *value) {
    double least, most;
    read_range(value, &least, &most);
    const double scale = fmax(fabs(least), fabs(most));
    int found = 0;
    for (int k = 0; k < i->forces; k++) {
        if (!is_pad(&i->force[k], pad, length)) continue;
        found = 1;
        if (fabs(i->force[k].friction_min - least) > FRICTION * scale ||
            fabs(i->force[k].friction_max - most) > FRICTION * scale)
            wrong(t, line, "%s.friction %.9g .. %.9g", i->force[k].name, i->force[k].friction_min,
                  i->force[k].friction_max);
    }
    if (!found) wrong(t, line, "no %.*s", (int)length, pad);
}

static void check_pad(told *t, const char *line, const br_trust_interval *i, const char *pad, size_t length,
                      const char *value) {
    int found = 0;
    const size_t verdict = strcspn(value, "/");
    for (int k = 0; k < i->forces; k++) {
        const br_trust_force *f = &i->force[k];
        if (!is_pad(f, pad, length)) continue;
        found = 1;
        const char *state = br_element_state_name(f->state);
        if (!among(value, verdict, br_verdict_name(f->verdict)) ||
            !among(value + verdict + 1, strcspn(value + verdict + 1, " "), state))
            wrong(t, line, "%s=%s/%s", f->name, br_verdict_name(f->verdict), state);
    }
    if (!found) wrong(t, line, "no %.*s", (int)length, pad);
}

static void check_at(told *t, const char *path, const char *line) {
    char *next;
    const double time = strtod(line + 3, &next);
    br_error error = {0};
    br_model *model;
    br_sim *sim = open_model(path, &model, &error);
    br_trust_report report = {0};
    br_trust_options options = br_default_trust_options();
    options.sensitivities = 0;
    t->checked++;
    if (!sim || br_sim_advance(sim, time, &error) != BR_OK ||
        br_trust_instant(sim, &options, &report, &error) != BR_OK) {
        wrong(t, line, "%s: %s", error.code, error.message);
    } else if (report.interval[0].verdict == BR_NOT_JUDGED) {
        t->undecided++; // nothing is said, and that is said
    } else {
        const br_trust_interval *i = &report.interval[0];
        const char *word = next + 1 + strspn(next + 1, " ");
        size_t length = strcspn(word, " ");
        if (!among(word, length, br_verdict_name(i->verdict)))
            wrong(t, line, "%s (c* %.9g)", br_verdict_name(i->verdict), i->c_star);
        t->undecided += !i->exhaustive;
        for (word += length; *(word += strspn(word, " ")); word += length) {
            length = strcspn(word, " ");
            const char *equal = memchr(word, '=', length);
            const size_t name = equal ? (size_t)(equal - word) : 0;
            if (strncmp(word, "c*=", 3) == 0)
                check_c_star(t, line, i, strtod(word + 3, NULL));
            else if (name > 9 && strncmp(equal - 9, ".friction", 9) == 0)
                check_friction(t, line, i, word, name - 9, equal + 1);
            else
                check_pad(t, line, i, word, name, equal + 1);
        }
    }
    br_trust_report_free(&report);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void print_intervals(const br_trust_report *r, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (int k = 0; k < r->intervals && used + 60 < size; k++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s %.6g..%.6g ",
                             br_verdict_name(r->interval[k].verdict), r->interval[k].from, r->interval[k].to);
}

static int is_moment(const br_trust_interval *i) {
    return i->verdict == BR_SLIDES_CERTAIN && i->to - i->from < EDGE;
}

static void check_run(told *t, const br_trust_report *r, const char *line) {
    char said[LINE * 2];
    int k = 0;
    const char *word = line + 4;
    print_intervals(r, said, sizeof said);
    t->checked++;
    for (int j = 0; j < r->intervals; j++)
        if (r->interval[j].verdict == BR_NOT_JUDGED) {
            t->undecided++;
            return;
        }
    while (*(word += strspn(word, " "))) {
        const size_t length = strcspn(word, " ");
        double from, to;
        const char *next = read_range(word + length, &from, &to);
        while (k < r->intervals && is_moment(&r->interval[k]) && !among(word, length, "slides_certain")) k++;
        if (k == r->intervals || !among(word, length, br_verdict_name(r->interval[k].verdict)) ||
            fabs(r->interval[k].from - from) > EDGE) {
            wrong(t, line, "%s", said);
            return;
        }
        const br_verdict verdict = r->interval[k].verdict; // intervals may end where a pad's verdict changes
        for (int j = k + 1; j < r->intervals && fabs(r->interval[k].to - to) > EDGE &&
                            (r->interval[j].verdict == verdict || is_moment(&r->interval[j]));
             j++)
            if (r->interval[j].verdict == verdict) k = j;
        if (fabs(r->interval[k].to - to) > EDGE) {
            wrong(t, line, "%s", said);
            return;
        }
        k++;
        word = next;
    }
    if (k < r->intervals) wrong(t, line, "%s", said);
}

static void check_credible(told *t, const br_trust_report *r, const char *line) {
    const char *said = r->credible ? "true" : r->not_judged ? "null" : "false";
    t->checked++;
    if (strcmp(line + 10, said) != 0)
        wrong(t, line, "%s (%s)", said, r->reasons ? r->reason[0].text : "no reason");
    if (!r->credible && r->reasons == 0) wrong(t, line, "not credible without a reason");
}

static void check_file(told *t) {
    char path[512], line[LINE];
    br_error error = {0};
    br_trust_report report = {0};
    const br_trust_options options = br_default_trust_options();
    snprintf(path, sizeof path, "%s%.200s", FOLDER, t->file);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    int hand = 0, judged = 0;
    while (fgets(line, sizeof line, f) && line[0] == '#') {
        line[strcspn(line, "\n")] = 0;
        const char *text = line + 2;
        hand |= strncmp(text, "hand: ", 6) == 0;
        if (strncmp(text, "at ", 3) == 0) check_at(t, path, text);
        if ((strncmp(text, "run:", 4) == 0 || strncmp(text, "credible:", 9) == 0) && !judged) {
            br_model *model;
            br_sim *sim = open_model(path, &model, &error);
            judged = 1;
            if (!sim ||
                br_trust_run(sim, br_model_settings(model)->until, &options, &report, &error) != BR_OK)
                wrong(t, text, "%s: %s", error.code, error.message);
            br_sim_destroy(sim);
            br_model_destroy(model);
        }
        if (strncmp(text, "run:", 4) == 0 && report.intervals) check_run(t, &report, text);
        if (strncmp(text, "credible:", 9) == 0 && report.intervals) check_credible(t, &report, text);
    }
    assert_true(hand);
    fclose(f);
    br_trust_report_free(&report);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void verdicts_are_those_computed_by_hand(void **state) {
    char *name[MODELS];
    int count = 0, models_wrong = 0, sentences = 0, deviations = 0, undecided = 0;
    DIR *folder = opendir(FOLDER);
    const char *only = getenv("HAND_MODEL");
    (void)state;
    assert_non_null(folder);
    for (struct dirent *e = readdir(folder); e; e = readdir(folder))
        if (strstr(e->d_name, ".yaml") && (!only || strstr(e->d_name, only)) && count < MODELS)
            name[count++] = strdup(e->d_name);
    closedir(folder);
    qsort(name, (size_t)count, sizeof name[0], by_name);
    for (int k = 0; k < count; k++) {
        told t = {name[k], 0, 0, 0};
        check_file(&t);
        models_wrong += t.wrong > 0, sentences += t.checked, deviations += t.wrong,
            undecided += t.undecided > 0;
        if (t.undecided) printf("%s: not decided\n", name[k]);
        free(name[k]);
    }
    printf("%d models, %d sentences: %d false, in %d models; not decided in %d\n", count, sentences,
           deviations, models_wrong, undecided);
    assert_true(only || count >= 60);
    assert_int_equal(deviations, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(verdicts_are_those_computed_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
