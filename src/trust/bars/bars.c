// Error bars from three runs, see bristle/bars.h and docs/theory/error_bars.md.
#include "bristle/bars.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "bristle/result.h"
#include "math/elementary.h"

#define RUNS 3
#define SAMPLES 200
#define AGREE 0.3       // of an order: what is observed is what should be
#define LEAST_ORDER 0.5 // below it nothing converges
#define SAFE 1.25       // on what the order promises, where it is seen
#define UNSEEN 3.0      // on the last difference, where it is not
#define NO_MOTION 1e-9  // m, rad: coordinates that go no farther rest, to what contact problems are solved to
#define SMALL_SIZE 1e-3
#define GUESS 10.0        // on the larger difference, where nothing converges
#define EPS_EXACT 1e-13   // of a value and what it went through: rounding
#define PARTED 1e-2       // of how far a coordinate goes: two motions, not one
#define MAX_EVENTS 100000 // kept of a run

typedef struct bars_run {
    br_sim *sim;
    double *row;  // [samples * motions]
    double *last; // [channels]
    br_event *event;
    int events, room;
    int failed; // no memory for an event
} bars_run;

typedef struct bars_state {
    const br_bars_options *options;
    br_arena *arena;
    int samples;
    br_channels *channels, *motion;
    int count, motions;
    double *most, *least; // [channels] of the fine run
    double until;
    bars_run run[RUNS];
    br_bars_report *report;
} bars_state;

static const char *const state_names[BR_BAR_STATES] = {
    [BR_BAR_CONVERGES] = "converges",
    [BR_BAR_EXACT] = "exact",
    [BR_BAR_NOT_CONVERGED] = "not_converged",
    [BR_BAR_UNMATCHED] = "unmatched",
};

const char *br_bar_state_name(br_bar_state state) {
    return (int)state >= 0 && state < BR_BAR_STATES ? state_names[state] : "unknown";
}

br_bars_options br_default_bars_options(void) {
    return (br_bars_options){.ratio = 2.0, .formal = 2.0, .samples = SAMPLES};
}

static br_status bars_no_memory(br_error *error) {
    return br_no_memory(error, "no memory for error bars");
}

// --- settings -----------------------------------------------------------------------------------------------------

// A stepper that chooses its steps is made finer by its tolerance; its error is about in proportion to it.
static int by_tolerance(const br_settings *s) {
    const br_stepper_traits *traits = br_stepper_traits_of(s->solver.stepper);
    return traits->chooses_steps ||
           (traits->adapts && s->solver.adaptive.on && s->solver.adaptive.tolerance > 0.0);
}

void br_bars_settings(const br_model *model, br_bars_options *options) {
    const br_settings *s = br_model_settings(model);
    const int tolerance = by_tolerance(s);
    options->by_tolerance = tolerance;
    options->ratio = tolerance ? 10.0 : 2.0;
    options->formal =
        tolerance || (br_stepper_traits_of(s->solver.stepper)->impulses && s->solver.theta != 0.5) ? 1.0
                                                                                                   : 2.0;
    options->grid = options->sharp = 0.0;
    if (br_stepper_traits_of(s->solver.stepper)->chooses_steps) return;
    options->grid = s->solver.step;
    options->sharp = 0.25 * s->solver.step;
}

br_settings br_bars_finer(const br_model *model, int k) {
    br_settings s = *br_model_settings(model);
    double factor = 1.0;
    for (int i = 0; i < k; i++) factor *= by_tolerance(&s) ? 0.1 : 0.5;
    if (!(s.output > 0.0)) s.output = s.solver.step; // rows stay where they are
    if (!by_tolerance(&s))
        s.solver.step *= factor;
    else if (br_stepper_traits_of(s.solver.stepper)->chooses_steps)
        s.solver.tol *= factor;
    else
        s.solver.adaptive.tolerance *= factor;
    return s;
}

// --- runs ---------------------------------------------------------------------------------------------------------

static void keep_event(void *context, const br_event *event) {
    bars_run *run = context;
    if (event->kind == BR_EVENT_LOAD_KNOT || run->events == MAX_EVENTS) return;
    if (run->events == run->room) {
        const int room = run->room ? 2 * run->room : 64;
        br_event *more = realloc(run->event, (size_t)room * sizeof *more);
        if (!more) {
            run->failed = 1;
            return;
        }
        run->event = more, run->room = room;
    }
    run->event[run->events++] = *event;
}

static br_status choose_channels(bars_state *w, br_error *error) {
    static const char *const books[] = {
        "energy.kinetic",  "energy.potential", "energy.elastic", "energy.total",  "ledger.input",
        "ledger.friction", "ledger.damping",   "ledger.impact",  "ledger.scheme", "ledger.unaccounted"};
    enum { BOOKS = sizeof books / sizeof *books };
    const br_bars_options *o = w->options;
    const br_sim *sim = w->run[0].sim;
    br_channels *asked = NULL;
    br_status status = o->channels > 0
                           ? br_channels_named(sim, o->channel, o->channels, o->allocator, &asked, error)
                           : br_channels_choose(sim, BR_CHANNELS_OUTPUTS, o->allocator, &asked, error);
    if (status != BR_OK) return status;
    const int count = br_channels_count(asked);
    const char **names = BR_TAKE(w->arena, const char *, count + BOOKS);
    int at = 0;
    for (int k = 1; names && k < count; k++) names[at++] = br_channels_names(asked)[k]; // without t
    for (int k = 0; names && k < BOOKS; k++) {
        br_channel channel;
        int there = 0;
        for (int i = 0; i < at; i++) there |= strcmp(names[i], books[k]) == 0;
        if (!there && br_sim_channel_find(sim, books[k], &channel, NULL) == BR_OK) names[at++] = books[k];
    }
    status =
        names ? br_channels_named(sim, names, at, o->allocator, &w->channels, error) : bars_no_memory(error);
    if (status == BR_OK)
        status = br_channels_choose(sim, BR_CHANNELS_MOTION, o->allocator, &w->motion, error);
    br_channels_destroy(asked);
    if (status != BR_OK) return status;
    w->count = br_channels_count(w->channels), w->motions = br_channels_count(w->motion);
    w->most = BR_TAKE(w->arena, double, w->count), w->least = BR_TAKE(w->arena, double, w->count);
    return w->most && w->least ? BR_OK : bars_no_memory(error);
}

static br_status run_one(bars_state *w, int k, br_error *error) {
    bars_run *run = &w->run[k];
    run->row = BR_TAKE(w->arena, double, (size_t)(w->samples + 1) * (size_t)w->motions);
    run->last = BR_TAKE(w->arena, double, w->count);
    if (!run->row || !run->last) return bars_no_memory(error);
    br_sim_set_event(run->sim, keep_event, run);
    for (int i = 0; i < w->count; i++) w->most[i] = -INFINITY, w->least[i] = INFINITY;
    for (int i = 0; i <= w->samples; i++) {
        double t = w->until * i / w->samples;
        if (w->options->grid > 0.0) t = w->options->grid * floor(t / w->options->grid + 0.5);
        if (i == w->samples || t > w->until) t = w->until;
        br_status status = i > 0 ? br_sim_advance(run->sim, t, error) : BR_OK;
        if (status == BR_OK) status = br_channels_read(w->channels, run->sim, run->last, error);
        if (status == BR_OK)
            status = br_channels_read(w->motion, run->sim, run->row + (size_t)i * (size_t)w->motions, error);
        if (status != BR_OK) return status;
        for (int c = 0; c < w->count; c++)
            w->most[c] = fmax(w->most[c], run->last[c]), w->least[c] = fmin(w->least[c], run->last[c]);
        if (w->options->progress) w->options->progress(w->options->progress_context, k, t);
    }
    w->report->steps[k] = br_sim_ledger(run->sim).steps;
    return run->failed ? bars_no_memory(error) : BR_OK;
}

// --- bars ---------------------------------------------------------------------------------------------------------

// The bar of b->at; size: what rounding is compared with; sharp: what no run tells better; breaks: events came within steps, where
// they fell alike in all runs: the order that is seen is then that of the motion between them.
static void find_bar(const br_bars_options *o, double size, double sharp, int breaks, br_bar *b) {
    const double first = fabs(b->at[1] - b->at[0]), second = fabs(b->at[2] - b->at[1]), q = o->formal;
    const double grows = br_pow(o->ratio, q), rounding = EPS_EXACT * size;
    b->value = b->at[2], b->order = NAN, b->bar = fmax(rounding, sharp);
    if (fmax(first, second) <= rounding) {
        b->state = sharp > 0.0 ? BR_BAR_CONVERGES : BR_BAR_EXACT;
        return;
    }
    if (first > 0.0 && second > 0.0) b->order = br_log(first / second) / br_log(o->ratio);
    const double seen = second > 0.0 ? b->order : INFINITY;
    b->state = first > 0.0 && seen >= LEAST_ORDER ? BR_BAR_CONVERGES : BR_BAR_NOT_CONVERGED;
    if (second <= sharp) b->state = BR_BAR_CONVERGES; // as near as times are told
    double bar;
    if (o->by_tolerance) // errors follow a tolerance by leaps: what the first step down changed may be left
        bar = b->state == BR_BAR_CONVERGES ? fmax(UNSEEN * second, first) : GUESS * fmax(first, second);
    else if (fabs(seen - q) <= AGREE)
        bar = SAFE * second / (br_pow(o->ratio, fmin(seen, q)) - 1.0);
    else if (seen > q) // the last difference is small by accident: what the one before promises
        bar = fmax(UNSEEN * second, SAFE * first / (grows * (grows - 1.0)));
    else if (b->state == BR_BAR_CONVERGES)
        bar = UNSEEN * second;
    else
        bar = GUESS * fmax(first, second);
    if (breaks && !o->by_tolerance && b->state == BR_BAR_CONVERGES)
        bar = fmax(bar, fmax(UNSEEN * second, SAFE * first));
    b->bar = fmax(fmax(bar, b->bar), rounding);
}

// Whether a joint with friction turns round without an event, for it neither stops nor sticks: between two samples.
static int turns_round(const bars_state *w, int joint) {
    const br_model *model = br_sim_model(w->run[0].sim);
    const bars_run *fine = &w->run[RUNS - 1];
    char name[BR_MAX_EVENT_NAME];
    snprintf(name, sizeof name, "%s.velocity", br_model_joint_name(model, joint));
    for (int c = 0; c < w->motions; c++) {
        if (strcmp(br_channels_names(w->motion)[c], name) != 0) continue;
        for (int i = 0; i < w->samples; i++) {
            const double *row = fine->row + (size_t)i * (size_t)w->motions + c;
            if (row[0] * row[w->motions] < 0.0) return 1;
        }
    }
    return 0;
}

// Whether anything began or ended to touch, stick or slip after the first coarse step, or slid back: fixed steps put that at their ends.
static int has_breaks(const bars_state *w) {
    const br_model *model = br_sim_model(w->run[0].sim);
    const bars_run *fine = &w->run[RUNS - 1];
    for (int k = 0; k < fine->events; k++)
        if (fine->event[k].t > w->options->grid) return 1;
    for (int j = 0; j < br_model_joint_count(model); j++)
        if (br_model_joint_friction(model, j) && turns_round(w, j)) return 1;
    return 0;
}

static int is_of_books(const char *name) {
    return strncmp(name, "energy.", 7) == 0 || strncmp(name, "ledger.", 7) == 0;
}

// The components of a vector have one size, and nothing is smaller than a thousandth of the largest with its unit: what is next to
// nothing of that is rounding.
static double size_of_vector(const br_bars_report *r, const double *own, int k) {
    const char *name = r->bar[k].name, *dot = strrchr(name, '.');
    const size_t stem = dot ? (size_t)(dot - name) + 1 : 0;
    double size = own[k];
    for (int i = 0; i < r->bars; i++) {
        if (strcmp(r->bar[i].unit, r->bar[k].unit) != 0 || is_of_books(r->bar[i].name)) continue;
        const int beside = stem > 0 && strncmp(r->bar[i].name, name, stem) == 0;
        size = fmax(size, beside ? own[i] : SMALL_SIZE * own[i]);
    }
    return size;
}

// What rests has no size of its own. Its model has lengths, masses and a time, of which a thousandth is the least that rounding is compared with.
static double size_of_unit(const bars_state *w, double length, const char *unit) {
    const br_model *model = br_sim_model(w->run[0].sim);
    const double rate = 1.0 / w->until, weight = br_vec3_norm(br_model_settings(model)->gravity);
    double mass = 0.0, size = 0.0;
    for (int k = 0; k < br_model_body_count(model); k++) mass += br_model_body_mass(model, k);
    const double acceleration = length * rate * rate + weight;
    if (strcmp(unit, "rad") == 0) size = 1.0;
    if (strcmp(unit, "rad/s") == 0) size = rate;
    if (strcmp(unit, "rad/s^2") == 0) size = rate * rate;
    if (strcmp(unit, "m") == 0) size = length;
    if (strcmp(unit, "m/s") == 0) size = length * rate;
    if (strcmp(unit, "m/s^2") == 0) size = acceleration;
    if (strcmp(unit, "N") == 0) size = mass * acceleration;
    if (strcmp(unit, "N m") == 0 || strcmp(unit, "J") == 0) size = mass * acceleration * length;
    return isfinite(size) ? SMALL_SIZE * size : 0.0;
}

static br_status find_bars(bars_state *w, br_error *error) {
    br_bars_report *r = w->report;
    const int breaks = has_breaks(w);
    double books = 0.0, length = 0.0, *own = BR_TAKE(w->arena, double, w->count);
    r->bar = BR_TAKE(w->arena, br_bar, w->count);
    if (!r->bar || !own) return bars_no_memory(error);
    for (int k = 1; k < w->count; k++) { // 0 is t
        br_bar *b = &r->bar[r->bars++];
        snprintf(b->name, sizeof b->name, "%s", br_channels_names(w->channels)[k]);
        snprintf(b->unit, sizeof b->unit, "%s", br_channels_unit(w->channels, k));
        for (int i = 0; i < RUNS; i++) b->at[i] = w->run[i].last[k];
        own[r->bars - 1] = fmax(fabs(w->most[k]), fabs(w->least[k]));
        if (is_of_books(b->name)) books = fmax(books, own[r->bars - 1]);
        if (strcmp(b->unit, "m") == 0) length = fmax(length, own[r->bars - 1]);
    }
    for (int k = 0; k < r->bars; k++) {
        br_bar *b = &r->bar[k];
        b->size = is_of_books(b->name) ? books : size_of_vector(r, own, k);
        find_bar(w->options, fmax(b->size, size_of_unit(w, length > 0.0 ? length : 1.0, b->unit)), 0.0,
                 breaks, b);
    }
    return BR_OK;
}

// Which of its kind and name an event is, from 1.
static int index_of(const bars_run *run, int k) {
    int index = 1;
    for (int i = 0; i < k; i++)
        index +=
            run->event[i].kind == run->event[k].kind && strcmp(run->event[i].name, run->event[k].name) == 0;
    return index;
}

// The event of another run with this kind, name and index; NAN: it has none.
static double time_of(const bars_run *run, const br_event *event, int index) {
    for (int i = 0; i < run->events; i++)
        if (run->event[i].kind == event->kind && strcmp(run->event[i].name, event->name) == 0 && --index == 0)
            return run->event[i].t;
    return NAN;
}

static int is_listed(const br_bars_report *r, const char *name) {
    for (int k = 0; k < r->events; k++)
        if (strcmp(r->event[k].name, name) == 0) return 1;
    return 0;
}

// Events of all runs, the fine one first; few enough to be compared with each other.
static br_status find_events(bars_state *w, br_error *error) {
    enum { MOST = 2000 };
    br_bars_report *r = w->report;
    r->event = BR_TAKE(w->arena, br_bar, MOST);
    if (!r->event) return bars_no_memory(error);
    for (int from = RUNS - 1; from >= 0; from--)
        for (int k = 0; k < w->run[from].events && k < MOST && r->events < MOST; k++) {
            const br_event *e = &w->run[from].event[k];
            const int index = index_of(&w->run[from], k);
            br_bar b = {.unit = "s"};
            snprintf(b.name, sizeof b.name, "%s %s #%d", br_event_kind_name(e->kind), e->name, index);
            if (from < RUNS - 1 && is_listed(r, b.name)) continue;
            int missing = 0;
            for (int i = 0; i < RUNS; i++) b.at[i] = time_of(&w->run[i], e, index), missing |= isnan(b.at[i]);
            if (missing)
                b.value = b.at[2], b.bar = b.order = NAN, b.state = BR_BAR_UNMATCHED;
            else
                find_bar(w->options, b.size = w->until, w->options->sharp, 0, &b);
            r->event[r->events++] = b;
        }
    return BR_OK;
}

// Positions alone tell motions apart: velocities of what rests are what its contact problems leave.
static int is_rate(const char *unit) {
    return strchr(unit, '/') != NULL;
}

// How far run `fine` is apart from the one before at a sample, of how far coordinates go.
static double apart_at(const bars_state *w, const double *range, int i, int fine) {
    const double *a = w->run[fine].row + (size_t)i * (size_t)w->motions,
                 *b = w->run[fine - 1].row + (size_t)i * (size_t)w->motions;
    double most = 0.0;
    for (int c = 1; c < w->motions; c++)
        if (range[c] > NO_MOTION && !is_rate(br_channels_unit(w->motion, c)))
            most = fmax(most, fabs(a[c] - b[c]) / range[c]);
    return most;
}

static br_status find_divergence(bars_state *w, br_error *error) {
    double *own = BR_TAKE(w->arena, double, w->motions), *range = BR_TAKE(w->arena, double, w->motions);
    if (!own || !range) return bars_no_memory(error);
    for (int c = 0; c < w->motions; c++) {
        double most = -INFINITY, least = INFINITY;
        for (int i = 0; i <= w->samples; i++) {
            const double x = w->run[2].row[(size_t)i * (size_t)w->motions + (size_t)c];
            most = fmax(most, x), least = fmin(least, x);
        }
        own[c] = most - least;
    }
    for (int c = 0; c < w->motions;
         c++) // how far anything goes that is measured alike: what rests has no range of its own
        for (int k = 0; k < w->motions; k++)
            if (strcmp(br_channels_unit(w->motion, c), br_channels_unit(w->motion, k)) == 0)
                range[c] = fmax(range[c], own[k]);
    w->report->diverges_after = INFINITY;
    const double fine = apart_at(w, range, w->samples, 2), coarse = apart_at(w, range, w->samples, 1);
    if (!(fine > PARTED) || fine < 0.5 * coarse)
        return BR_OK; // a large error that smaller steps make smaller
    int last = 0;
    while (last < w->samples && apart_at(w, range, last + 1, 2) <= PARTED) last++;
    w->report->diverges_after = w->until * last / w->samples;
    return BR_OK;
}

// --- the whole ----------------------------------------------------------------------------------------------------

static br_status bars_find(bars_state *w, const br_model *const model[RUNS], br_error *error) {
    br_status status = BR_OK;
    for (int k = 0; k < RUNS && status == BR_OK; k++)
        status = br_sim_create(model[k], w->options->allocator, &w->run[k].sim, error);
    if (status == BR_OK) status = choose_channels(w, error);
    for (int k = 0; k < RUNS && status == BR_OK; k++) status = run_one(w, k, error);
    if (status == BR_OK) status = find_bars(w, error);
    if (status == BR_OK) status = find_events(w, error);
    return status == BR_OK ? find_divergence(w, error) : status;
}

br_status br_bars(const br_model *const model[3], double until, const br_bars_options *options,
                  br_bars_report *report, br_error *error) {
    const br_bars_options usual = br_default_bars_options();
    bars_state w = {.options = options ? options : &usual, .until = until, .report = report};
    br_arena first;
    memset(report, 0, sizeof *report);
    w.samples = w.options->samples > 0 ? w.options->samples : SAMPLES;
    report->formal = w.options->formal;
    br_arena_init(&first, w.options->allocator);
    w.arena = BR_TAKE(&first, br_arena, 1);
    if (!w.arena) {
        br_arena_free(&first);
        return bars_no_memory(error);
    }
    *w.arena = first; // it holds itself: nothing else may use `first` any more
    report->memory = w.arena;
    const br_status status = bars_find(&w, model, error);
    br_channels_destroy(w.channels);
    br_channels_destroy(w.motion);
    for (int k = 0; k < RUNS; k++) br_sim_destroy(w.run[k].sim), free(w.run[k].event);
    if (status != BR_OK) br_bars_report_free(report);
    return status;
}

void br_bars_report_free(br_bars_report *report) {
    if (report->memory) {
        br_arena arena = *(br_arena *)report->memory;
        br_arena_free(&arena);
    }
    memset(report, 0, sizeof *report);
}
