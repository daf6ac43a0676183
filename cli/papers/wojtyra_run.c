// Runs of the two-slider mechanism. Times are found by looking again at a single row's millisecond from a snapshot, not by
// interpolating rows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "papers/wojtyra.h"

enum { EVERY = 50, SNAPSHOTS = (WOJTYRA_ROWS - 1) / EVERY + 1, DENSE = 200 };
static const double ROW = 1e-3;       // s
static const double BISECTED = 1e-10; // s

#define SMOOTH                                                                                               \
    {"joints.slide_1.friction.law", "smooth"}, {                                                             \
        "joints.slide_2.friction.law", "smooth"                                                              \
    }
#define LUGRE                                                                                                \
    {"joints.slide_1.friction.law", "lugre"}, {                                                              \
        "joints.slide_2.friction.law", "lugre"                                                               \
    }
#define STIFF                                                                                                \
    { "k1", "3e5" }

static const struct {
    const char *scene;
    br_override change[4];
    int count;
} cases[WOJTYRA_CASES] = {
    [W2_PIN_1] = {"wojtyra_example_2", {{"solver.redundancy", "eliminate(pin_1.force.x)"}}, 1},
    [W2_PIN_2] = {"wojtyra_example_2", {{"solver.redundancy", "eliminate(pin_2.force.x)"}}, 1},
    [W2_PSEUDO] = {"wojtyra_example_2", {{"solver.redundancy", "pseudoinverse"}}, 1},
    [W3_EQUAL] = {"wojtyra_example_3", {{NULL, NULL}}, 0},
    [W3_DOUBLE] = {"wojtyra_example_3", {{"gamma_1", "2e-5"}}, 1},
    [W4_EQUAL] = {"wojtyra_example_4", {{NULL, NULL}}, 0},
    [W4_DOUBLE] = {"wojtyra_example_4", {{"sigma_1", "2e5"}}, 1},
    [W5_COULOMB] = {"wojtyra_example_5", {{NULL, NULL}}, 0},
    [W5_SMOOTH] = {"wojtyra_example_5", {SMOOTH}, 2},
    [W5_SMOOTH_DOUBLE] = {"wojtyra_example_5", {SMOOTH, {"gamma_1", "2e-5"}}, 3},
    [W5_LUGRE] = {"wojtyra_example_5", {LUGRE}, 2},
    [W5_LUGRE_DOUBLE] = {"wojtyra_example_5", {LUGRE, {"sigma_1", "2e5"}}, 3},
    [W5_STIFF] = {"wojtyra_example_5", {STIFF}, 1},
    [W5_STIFF_SMOOTH] = {"wojtyra_example_5", {SMOOTH, STIFF}, 3},
    [W5_STIFF_SMOOTH_DOUBLE] = {"wojtyra_example_5", {SMOOTH, STIFF, {"gamma_1", "2e-5"}}, 4},
    [W5_STIFF_LUGRE] = {"wojtyra_example_5", {LUGRE, STIFF}, 3},
    [W5_STIFF_LUGRE_DOUBLE] = {"wojtyra_example_5", {LUGRE, STIFF, {"sigma_1", "2e5"}}, 4},
};

static const char *const channels[8] = {"slide_1.position",
                                        "slide_1.velocity",
                                        "slide_2.velocity",
                                        "slide_1.friction.force",
                                        "slide_1.reaction.force_world.x",
                                        "slide_2.friction.force",
                                        "slide_2.reaction.force_world.y",
                                        "t"};

typedef struct wojtyra_kept {
    wojtyra_run *run[WOJTYRA_CASES];
    br_trust_report report[WOJTYRA_REPORTS];
    int reported[WOJTYRA_REPORTS];
} wojtyra_kept;

static const char no_memory[] = "not enough memory";

static void run_free(wojtyra_run *w) {
    if (!w) return;
    for (int k = 0; w->snapshot && k < SNAPSHOTS; k++) free(w->snapshot[k]);
    free(w->snapshot);
    free(w->here);
    papers_sim_close(&w->world);
    free(w);
}

static void wojtyra_release(void *memory) {
    wojtyra_kept *kept = memory;
    for (int k = 0; k < WOJTYRA_CASES; k++) run_free(kept->run[k]);
    for (int k = 0; k < WOJTYRA_REPORTS; k++) br_trust_report_free(&kept->report[k]);
    free(kept);
}

static br_status get_kept(papers_run *run, wojtyra_kept **out, br_error *error) {
    *out = papers_kept(run, wojtyra_release);
    if (*out) return BR_OK;
    wojtyra_kept *made = calloc(1, sizeof *made);
    if (!made || !papers_keep(run, made, wojtyra_release)) {
        free(made);
        return cli_no_memory(error, no_memory);
    }
    *out = made;
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------- one run

static void wojtyra_on_event(void *context, const br_event *event) {
    wojtyra_run *w = context;
    double *first = event->kind == BR_EVENT_SLIP ? w->slip : event->kind == BR_EVENT_LIMIT ? w->limit : NULL;
    if (!first || strncmp(event->name, "slide_", 6) != 0) return;
    const int joint = event->name[6] == '2';
    if (isnan(first[joint])) first[joint] = event->t;
    w->slips += event->kind == BR_EVENT_SLIP;
}

static br_status read_row(wojtyra_run *w, wojtyra_row *row, br_error *error) {
    double value[8] = {0};
    for (int k = 0; k < 8; k++) {
        const br_status status = br_sim_channel_read(w->world.sim, &w->channel[k], &value[k], error);
        if (status != BR_OK) return status;
    }
    *row = (wojtyra_row){.t = value[7],
                         .y1 = value[0],
                         .v1 = value[1],
                         .v2 = value[2],
                         .F1 = value[3],
                         .N1 = value[4],
                         .F2 = value[5],
                         .N2 = value[6]};
    return BR_OK;
}

static br_status save(wojtyra_run *w, char **bytes, br_error *error) {
    if (!*bytes) *bytes = malloc(br_sim_snapshot_size(w->world.sim)); // without contacts the size stays
    if (!*bytes) return cli_no_memory(error, no_memory);
    br_sim_save(w->world.sim, *bytes);
    return BR_OK;
}

static br_status load(wojtyra_run *w, const char *bytes, br_error *error) {
    return br_sim_load(w->world.sim, bytes, br_sim_snapshot_size(w->world.sim), error);
}

static br_status record(wojtyra_run *w, br_error *error) {
    br_status status = BR_OK;
    w->limit[0] = w->limit[1] = w->slip[0] = w->slip[1] = NAN;
    w->snapshot = calloc(SNAPSHOTS, sizeof *w->snapshot);
    if (!w->snapshot) return cli_no_memory(error, no_memory);
    for (int k = 0; k < 8 && status == BR_OK; k++)
        status = br_sim_channel_find(w->world.sim, channels[k], &w->channel[k], error);
    br_sim_set_event(w->world.sim, wojtyra_on_event, w);
    for (int k = 0; k < WOJTYRA_ROWS && status == BR_OK; k++) {
        if (k > 0) status = br_sim_advance(w->world.sim, k * ROW, error);
        if (status == BR_OK) status = read_row(w, &w->row[k], error);
        if (status == BR_OK && k % EVERY == 0) status = save(w, &w->snapshot[k / EVERY], error);
    }
    br_sim_set_event(w->world.sim, NULL, NULL);
    return status;
}

br_status wojtyra_get(papers_run *run, wojtyra_case which, wojtyra_run **out, br_error *error) {
    wojtyra_kept *kept;
    br_status status = get_kept(run, &kept, error);
    if (status != BR_OK) return status;
    if (!kept->run[which]) {
        wojtyra_run *w = calloc(1, sizeof *w);
        if (!w) return cli_no_memory(error, no_memory);
        status = papers_sim(cases[which].scene, cases[which].change, cases[which].count, 0, &w->world, error);
        if (status == BR_OK) status = record(w, error);
        if (status != BR_OK) {
            run_free(w);
            return status;
        }
        kept->run[which] = w;
    }
    *out = kept->run[which];
    return BR_OK;
}

// --------------------------------------------------------------------------------------------------- looking again

br_status wojtyra_at(wojtyra_run *w, double t, wojtyra_row *row, br_sim **sim, br_error *error) {
    const int k = (int)fmin(floor(t / (EVERY * ROW)), SNAPSHOTS - 1);
    br_status status = load(w, w->snapshot[k], error);
    if (status == BR_OK && t > br_sim_time(w->world.sim)) status = br_sim_advance(w->world.sim, t, error);
    if (status == BR_OK) status = read_row(w, row, error);
    if (sim) *sim = w->world.sim;
    return status;
}

static br_status bisect(wojtyra_run *w, double low, double high, wojtyra_measure measure, double argument,
                        double *t, br_error *error) {
    wojtyra_row row;
    br_status status = wojtyra_at(w, low, &row, NULL, error);
    if (status == BR_OK) status = save(w, &w->here, error);
    while (status == BR_OK && high - low > BISECTED) {
        const double middle = low + 0.5 * (high - low);
        status = load(w, w->here, error);
        if (status == BR_OK) status = br_sim_advance(w->world.sim, middle, error);
        if (status == BR_OK) status = read_row(w, &row, error);
        if (status == BR_OK) *(measure(&row, argument) >= 0 ? &high : &low) = middle;
    }
    *t = high;
    return status;
}

br_status wojtyra_first(wojtyra_run *w, double from, wojtyra_measure measure, double argument, double *t,
                        br_error *error) {
    *t = NAN;
    for (int k = 1; k < WOJTYRA_ROWS; k++)
        if (w->row[k].t > from && measure(&w->row[k], argument) >= 0)
            return bisect(w, w->row[k - 1].t, w->row[k].t, measure, argument, t, error);
    return BR_OK;
}

// Of the row with the largest value two rows' milliseconds, finely, and a parabola through the largest of them.
br_status wojtyra_peak(wojtyra_run *w, double from, double to, wojtyra_measure measure, double *t,
                       br_error *error) {
    double value[DENSE + 1];
    wojtyra_row row;
    int best = -1, top = 0;
    for (int k = 1; k + 1 < WOJTYRA_ROWS; k++) {
        if (w->row[k].t < from || w->row[k].t > to) continue;
        if (best < 0 || measure(&w->row[k], 0) > measure(&w->row[best], 0)) best = k;
    }
    const double start = w->row[best - 1].t, step = 2 * ROW / DENSE;
    br_status status = wojtyra_at(w, start, &row, NULL, error);
    for (int k = 0; k <= DENSE && status == BR_OK; k++) {
        if (k > 0) status = br_sim_advance(w->world.sim, start + k * step, error);
        if (status == BR_OK) status = read_row(w, &row, error);
        value[k] = measure(&row, 0);
        if (value[k] > value[top]) top = k;
    }
    if (status != BR_OK) return status;
    top = top == 0 ? 1 : top == DENSE ? DENSE - 1 : top;
    const double left = value[top - 1], middle = value[top], right = value[top + 1];
    const double bend = left - 2 * middle + right;
    *t = start + (top + (bend < 0 ? 0.5 * (left - right) / bend : 0)) * step;
    return BR_OK;
}

// -------------------------------------------------------------------------------------------------------- reports

static br_status make_report(wojtyra_report which, br_trust_report *out, br_error *error) {
    static const br_override doubled = {"sigma_1", "2e5"}, stiff = STIFF;
    static const struct {
        const char *scene;
        const br_override *change;
        double until;
        int at_rest, sensitivities;
    } about[WOJTYRA_REPORTS] = {
        [WT_EXAMPLE_1] = {"wojtyra_example_1", NULL, 0, 0, 0},
        [WT_TIMELINE] = {"wojtyra_example_2", NULL, 4, 1, 0},
        [WT_GAMMA] = {"wojtyra_example_3", NULL, 4, 0, 1},
        [WT_SIGMA] = {"wojtyra_example_4", &doubled, 4, 0, 1},
        [WT_STIFFNESS] = {"wojtyra_example_5", &stiff, 4, 0, 1},
    };
    br_trust_options options = br_default_trust_options();
    papers_world world;
    options.at_rest = about[which].at_rest;
    options.sensitivities = about[which].sensitivities;
    br_status status =
        papers_sim(about[which].scene, about[which].change, about[which].change != NULL, 0, &world, error);
    if (status != BR_OK) return status;
    status = about[which].until > 0 ? br_trust_run(world.sim, about[which].until, &options, out, error)
                                    : br_trust_instant(world.sim, &options, out, error);
    papers_sim_close(&world);
    return status;
}

br_status wojtyra_trust(papers_run *run, wojtyra_report which, const br_trust_report **out, br_error *error) {
    wojtyra_kept *kept;
    br_status status = get_kept(run, &kept, error);
    if (status == BR_OK && !kept->reported[which]) {
        status = make_report(which, &kept->report[which], error);
        kept->reported[which] = status == BR_OK;
    }
    if (status == BR_OK) *out = &kept->report[which];
    return status;
}
