// The verdict of a simulation's state and of every interval of a run, see bristle/trust.h.
//
// A run is looked at in even intervals, at ends of steps, at the knots of tables, and where the motion itself shows that something changes
// (trust_watch.c). Between two looks with different verdicts the
// boundary is bisected, from a snapshot; the motion itself goes on from where it was, so that what is judged is the run as it is
// without any looks. An interval tells the forces of the look at which it was nearest to sliding (the largest c_star).
#include "bristle/trust.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/contact/contact.h"
#include "sim/core/instant.h"
#include "sim/friction/friction.h"
#include "trust/trust.h"
#include "trust/verdict.h"

#define BR_LOOKS 200
#define BR_FEW_RUBS 8.0  // joints that rub, up to which a look is cheap
#define BR_LEAST_LOOKS 8 // of a run with contacts, where a look takes long
#define BR_MAX_LOOKS 100000
#define BR_EPS_QUICK 1e-4    // of the run
#define BR_MAX_EXTRA_LOOKS 4 // between two looks, where the verdict changes more than once

br_trust_options br_default_trust_options(void) {
    br_trust_options options = {.sensitivities = 1};
    return options;
}

br_status br_trust_no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the report on trust");
}

// --- what a motion costs -----------------------------------------------------------------------------------

// Counted as the verdicts are, from the ledger and the sizes of the model; rather too little than too much.
static double motion_work(const br_sim *sim, const br_ledger *l) {
    const br_model *m = sim->model;
    const double nv = m->tree.nv, rubs = sim->frictions ? sim->frictions->count : 0;
    const double n = (m->settings.planar == BR_SPATIAL ? 6.0 : 3.0) * m->tree.links;
    double work = (double)l->steps * (500.0 + 500.0 * nv);
    if (br_sim_traits(sim)->chooses_steps && rubs > 0)
        work += (double)l->evaluations * (4000.0 * n + 5.0 * n * n * n);
    else
        work += (double)l->iterations * (200.0 * nv + nv * rubs * rubs);
    return work;
}

double br_trust_budget(const br_sim *sim) {
    const br_ledger l = br_sim_ledger(sim);
    return 0.7 * BR_TRUST_INSTANT + 1.5 * motion_work(sim, &l); // one to move it once more, half for verdicts
}

// --- moving ------------------------------------------------------------------------------------------------

static br_status save_to(const br_sim *sim, br_snapshot *to, br_error *error) {
    const size_t needed = br_sim_snapshot_size(sim);
    if (needed > to->capacity) {
        char *more = realloc(to->bytes, needed);
        if (!more) return br_trust_no_memory(error);
        to->bytes = more, to->capacity = needed;
    }
    br_sim_save(sim, to->bytes);
    to->size = needed;
    return BR_OK;
}

static br_look_kind look_kind(const br_trust_state *run) {
    return run->options.sensitivities ? BR_LOOK_SHARE : BR_LOOK_PLAIN;
}

br_status br_trust_go_to(br_trust_state *run, double t, br_error *error) {
    br_sim *sim = run->sim;
    if (!run->options.at_rest) {
        const br_ledger before = br_sim_ledger(sim);
        const br_status status = t > sim->state.at->t ? br_sim_advance(sim, t, error) : BR_OK;
        const br_ledger after = br_sim_ledger(sim);
        const double work = motion_work(sim, &after) - motion_work(sim, &before);
        br_work_spend(&run->work, work);
        run->motion_work += work;
        br_work_tell(&run->work);
        return status;
    }
    sim->state.at->t = t, sim->reactions_valid = 0, sim->outside++;
    for (int i = 0; sim->frictions && i < sim->frictions->count; i++)
        sim->frictions->now[i].known = BR_RUB_UNKNOWN;
    return BR_OK;
}

double br_trust_located(const br_trust_state *run) {
    const double step = run->sim->model->settings.solver.step;
    return BR_EPS_BOUNDARY * (step > 0.0 ? step : run->until - run->from);
}

// --- times of looks ----------------------------------------------------------------------------------------

static int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int add_knots(const br_function *f, double from, double until, int count, int most, double *times) {
    for (double t = from; f && count < most;) {
        t = br_function_next_knot(f, t);
        if (!(t < until)) break;
        times[count++] = t;
    }
    return count;
}

// How often a run is looked at: judging takes the longer the more contacts and joints there are.
static double default_sample(const br_trust_state *run, double length) {
    const br_sim *sim = run->sim;
    const double touching = sim->contacts ? fmax(sim->contacts->count, sim->contacts->kept->count) : 0.0;
    const double many = fmax(1.0, run->laws / BR_FEW_RUBS);
    const double looks =
        BR_LOOKS / ((1.0 + touching) * (1.0 + touching) * many * many) / (run->options.quick ? 4.0 : 1.0);
    return length / fmax(run->options.quick ? BR_LEAST_LOOKS / 4 : BR_LEAST_LOOKS, looks);
}

static int has_fixed_steps(const br_trust_state *run) {
    const br_solver_settings *s = &run->sim->model->settings.solver;
    const br_stepper_traits *traits = br_sim_traits(run->sim);
    return s->step > 0.0 && !traits->chooses_steps && !(traits->adapts && s->adaptive.on);
}

// Ends of steps, or, of steppers that choose their own, rows of the result: where a run comes by without any looks. 0: nothing moves.
static double grid_of(const br_trust_state *run) {
    const br_settings *s = &run->sim->model->settings;
    if (run->options.at_rest) return 0.0;
    return has_fixed_steps(run) || !(s->output > 0.0) ? s->solver.step : s->output;
}

static double nearest_stop(const br_trust_state *run, double t) {
    const double h = grid_of(run);
    return h > 0.0 ? run->from + h * round((t - run->from) / h) : t;
}

static int is_on_the_way(const br_trust_state *run, double t) {
    return t >= run->until || fabs(t - nearest_stop(run, t)) <= 1e-9 * grid_of(run);
}

// Between two times: an end of a step, as long as there is one.
static double middle_of(const br_trust_state *run, double low, double high) {
    const double middle = low + 0.5 * (high - low), stop = nearest_stop(run, middle), grid = grid_of(run);
    return has_fixed_steps(run) && stop > low + 1e-6 * grid && stop < high - 1e-6 * grid ? stop : middle;
}

// The time between `a`, whose state is `here`, and `b` at which the verdict changes, into a->edge with what is known of the instant
// before. `here` moves up to it; with steps of a fixed length to the last end of a step before it, from which every try is whole steps and
// one part of a step: parts of parts would be steps so short that rounding of gaps moves contacts.
static br_status bisect(br_trust_state *run, br_look *a, const br_look *b, double *before, br_error *error) {
    double low = a->t, high = b->t;
    br_status status = BR_OK;
    const double located = br_trust_located(run);
    const double enough =
        run->options.quick ? fmax(located, BR_EPS_QUICK * (run->until - run->from)) : located;
    while (high - low > enough && status == BR_OK) {
        const double middle = middle_of(run, low, high);
        br_look at;
        status = br_sim_load(run->sim, run->here.bytes, run->here.size, error);
        if (status == BR_OK) status = br_trust_go_to(run, middle, error);
        if (status == BR_OK) status = br_trust_look(run, BR_LOOK_BRIEF, &at, error);
        if (status != BR_OK || at.judged.verdict == BR_NOT_JUDGED) break;
        if (br_trust_same(a, &at)) {
            low = middle;
            if (!run->options.at_rest && (!has_fixed_steps(run) || is_on_the_way(run, middle)))
                status = save_to(run->sim, &run->here, error);
        } else {
            high = middle;
        }
    }
    a->edge = low > a->t ? 0.5 * (low + high) : a->t; // it was so at that instant only
    *before = low;
    return status;
}

// Times of looks after the first, rising.
static int list_times(const br_trust_state *run, double sample, int most, double *times) {
    const br_model *m = run->sim->model;
    const double from = run->from, until = run->until;
    const double even = fmin(ceil((until - from) / sample - 1e-9), (double)(most / 2));
    int count = 0, kept = 0;
    for (double k = 1.0; k < even; k++) times[count++] = nearest_stop(run, from + (until - from) * k / even);
    for (int i = 0; i < m->loads; i++)
        for (int k = 0; k < 3; k++)
            count = add_knots(m->load[i].component[k], from, until, count, most - 1, times);
    for (int i = 0; i < m->drives; i++)
        count = add_knots(m->drive[i].target, from, until, count, most - 1, times);
    times[count++] = until;
    qsort(times, (size_t)count, sizeof *times, compare_times);
    for (int k = 0; k < count; k++)
        if (times[k] > (kept > 0 ? times[kept - 1] : from) + 1e-9 * (until - from)) times[kept++] = times[k];
    if (kept > 0) times[kept - 1] = until;
    return kept;
}

// --- a run -------------------------------------------------------------------------------------------------

static void tell(void *context) {
    const br_trust_state *run = context;
    run->options.progress(run->options.progress_context, br_sim_time(run->sim),
                          run->work.used / run->work.most);
}

// `run` stays where it is: the work tells through it.
static br_status open_run(br_trust_state *run, br_sim *sim, double until, const br_trust_options *options,
                          br_trust_report *report, br_error *error) {
    memset(report, 0, sizeof *report);
    memset(run, 0, sizeof *run);
    run->sim = sim;
    run->from = br_sim_time(sim);
    run->until = fmax(until, run->from);
    run->options = options ? *options : br_default_trust_options();
    run->work.most = run->options.budget > 0.0 ? run->options.budget : BR_TRUST_BUDGET;
    if (run->options.progress) run->work.tell = tell, run->work.context = run;
    br_arena first;
    br_arena_init(&first, run->options.allocator);
    run->arena = BR_TAKE(&first, br_arena, 1);
    if (!run->arena) {
        br_arena_free(&first);
        return br_trust_no_memory(error);
    }
    *run->arena = first; // it holds itself: nothing else may use `first` any more
    report->memory = run->arena;
    br_arena_init(&run->scratch, run->options.allocator);
    run->laws = sim->frictions ? sim->frictions->count : 0;
    run->law = BR_TAKE(run->arena, br_friction_params, run->laws);
    if (!run->law) return br_trust_no_memory(error);
    for (int i = 0; i < run->laws; i++) run->law[i] = sim->frictions->rub[i].law;
    return BR_OK;
}

static br_status close_run(br_trust_state *run, br_status status, br_trust_report *report) {
    br_arena_free(&run->scratch);
    free(run->here.bytes);
    free(run->main.bytes);
    free(run->rest.bytes);
    free(run->last);
    if (status != BR_OK) br_trust_report_free(report);
    return status;
}

void br_trust_report_free(br_trust_report *report) {
    if (report->memory) {
        br_arena arena = *(br_arena *)report->memory;
        br_arena_free(&arena);
    }
    memset(report, 0, sizeof *report);
}

// What the loads after it began to slide would have done, had it stayed: whether a parameter would have kept it at rest is asked about
// the whole run.
static br_status stay_at_rest(br_trust_state *run, int count, br_look *looks, br_error *error) {
    int first = count;
    while (first > 0 && looks[first - 1].share.sharing == BR_SHARED_BY_NOTHING) first--;
    if (first == 0 || first == count || !run->rest.bytes) return BR_OK;
    br_status status = save_to(run->sim, &run->here, error);
    if (status == BR_OK) status = br_sim_load(run->sim, run->rest.bytes, run->rest.size, error);
    const br_trust_options kept = run->options;
    run->options.at_rest = 1;
    for (int k = first; k < count && status == BR_OK && br_work_left(&run->work); k++) {
        br_look at;
        status = br_trust_go_to(run, looks[k].t, error);
        if (status == BR_OK) status = br_trust_look(run, BR_LOOK_SHARE, &at, error);
        if (status == BR_OK) looks[k].share = at.share, looks[k].supposed = 1;
    }
    run->options = kept;
    return status == BR_OK ? br_sim_load(run->sim, run->here.bytes, run->here.size, error) : status;
}

// Verdicts that last less are not looked for: between slip and the end of its step the contact stepper has not moved yet.
static double shortest(const br_trust_state *run) {
    const br_solver_settings *s = &run->sim->model->settings.solver;
    return br_sim_traits(run->sim)->impulses ? 1.5 * s->step : 1e3 * br_trust_located(run);
}

// Whether everything that is stuck in x is stuck in y too.
static int sticks_as(const br_trust_interval *x, const br_trust_interval *y) {
    for (int i = 0; i < x->forces; i++) {
        int found = x->force[i].state != BR_ELEMENT_STUCK;
        for (int j = 0; j < y->forces && !found; j++)
            found = y->force[j].state == BR_ELEMENT_STUCK && strcmp(x->force[i].name, y->force[j].name) == 0;
        if (!found) return 0;
    }
    return 1;
}

static int is_stuck(const br_trust_interval *x, const char *name) {
    for (int i = 0; i < x->forces; i++)
        if (x->force[i].state == BR_ELEMENT_STUCK && strcmp(x->force[i].name, name) == 0) return 1;
    return 0;
}

// Whether all that is stuck in x and no longer in y follows prescribed motions, of the state and the loads that the simulation has.
static br_status was_driven(br_trust_state *run, const br_trust_interval *x, const br_trust_interval *y,
                            int *driven, br_error *error) {
    br_balance *b;
    br_balance_work *work;
    br_status status = br_sim_balance(run->sim, 0, &b, &work, error);
    br_arena_reset(&run->scratch);
    *driven = 1;
    for (int i = 0; i < x->forces && status == BR_OK && *driven; i++)
        if (x->force[i].state == BR_ELEMENT_STUCK && !is_stuck(y, x->force[i].name))
            status = br_trust_is_driven(b, &run->scratch, x->force[i].name, driven, error);
    return status;
}

// What would hold it at rest, as it stood at the edge of `now`, under the loads that come next: whether it had to slide is asked of these,
// not of those before, so that a load that jumps is no matter. The state at the edge is `here`. What follows a prescribed motion is not
// free to be held.
static br_status look_beyond(br_trust_state *run, br_look *now, const br_look *next, br_error *error) {
    br_look at;
    const br_trust_options kept = run->options;
    now->edge_star = INFINITY, now->edge_nullity = 0;
    if (now->judged.verdict != BR_STICKS_ROBUST && now->judged.verdict != BR_STICKS_METASTABLE) return BR_OK;
    br_status status = br_sim_load(run->sim, run->here.bytes, run->here.size, error);
    run->options.at_rest = 1;
    if (status == BR_OK) status = br_trust_go_to(run, now->edge + shortest(run), error);
    if (status == BR_OK) status = br_trust_look(run, BR_LOOK_BRIEF, &at, error);
    run->options = kept;
    if (status != BR_OK || at.judged.verdict == BR_NOT_JUDGED) return status;
    if (!sticks_as(&now->judged, &at.judged)) return BR_OK; // what is left of it alone says nothing
    int driven = 0;
    status = was_driven(run, &now->judged, &next->judged, &driven, error);
    if (!driven) now->edge_star = at.judged.c_star, now->edge_nullity = at.judged.nullity;
    return status;
}

// The last instant of the verdict of look *k, where it is nearer to sliding than at the look: a look of its own. The state before it is
// `here`.
static br_status look_before(br_trust_state *run, double before, br_look *looks, int *k, br_error *error) {
    br_look *now = &looks[*k], at;
    if (!(before > now->t)) return BR_OK;
    br_status status = br_sim_load(run->sim, run->here.bytes, run->here.size, error);
    if (status == BR_OK) status = br_trust_go_to(run, before, error);
    if (status == BR_OK) status = br_trust_look(run, look_kind(run), &at, error);
    if (status != BR_OK || !br_trust_same(now, &at) || !(at.judged.c_star > now->judged.c_star))
        return status;
    at.edge = now->edge, at.edge_star = now->edge_star, at.edge_nullity = now->edge_nullity;
    now->edge = before;
    looks[++*k] = at;
    return status;
}

// Between look *k, whose state is `here`, and `next`, whose verdict is another: as many looks as it takes to find every verdict on the
// way, within reason: a verdict that flickers is told as it is at the looks. *k: the last look before `next`.
static br_status find_changes(br_trust_state *run, const br_look *next, br_look *looks, int *k,
                              br_error *error) {
    br_status status = BR_OK;
    for (int extra = 0; extra <= BR_MAX_EXTRA_LOOKS; extra++) {
        br_look *now = &looks[*k], after;
        double before;
        status = bisect(run, now, next, &before, error);
        if (status == BR_OK) status = look_beyond(run, now, next, error);
        if (status == BR_OK) status = look_before(run, before, looks, k, error);
        now = &looks[*k];
        const double soon = fmin(next->t, now->edge + shortest(run));
        if (status != BR_OK || soon >= next->t || extra == BR_MAX_EXTRA_LOOKS) break;
        status = br_sim_load(run->sim, run->here.bytes, run->here.size, error);
        if (status == BR_OK) status = br_trust_go_to(run, soon, error);
        if (status == BR_OK) status = br_trust_look(run, look_kind(run), &after, error);
        if (status == BR_OK) status = save_to(run->sim, &run->here, error);
        if (status != BR_OK || after.judged.verdict == BR_NOT_JUDGED) break;
        if (br_trust_same(&after, next) || br_trust_same(&after, now)) break;
        looks[++*k] = after;
    }
    return status;
}

// From look *k to the look at t, or to one that the motion asks for before, and what lies between. 0 in *judged: the budget does not reach that far.
static br_status look_on(br_trust_state *run, double t, br_look *looks, int *k, int *judged,
                         br_error *error) {
    br_look *now = &looks[*k], next;
    // The simulation is at the look `now`, and the motion itself in `main`.
    br_status status = save_to(run->sim, &run->here, error);
    if (status == BR_OK && now->share.sharing != BR_SHARED_BY_NOTHING)
        status = save_to(run->sim, &run->rest, error);
    if (status == BR_OK && !run->options.at_rest)
        status = br_sim_load(run->sim, run->main.bytes, run->main.size, error);
    run->watch.doubtful = now->judged.verdict != BR_STICKS_ROBUST;
    if (status == BR_OK) status = br_trust_go_on(run, now->t, t, grid_of(run), error);
    if (status == BR_OK && is_on_the_way(run, br_sim_time(run->sim)))
        status = save_to(run->sim, &run->main, error);
    if (status == BR_OK) status = br_trust_look(run, look_kind(run), &next, error);
    *judged = status == BR_OK && next.judged.verdict != BR_NOT_JUDGED;
    if (!*judged) return status;
    now->edge = next.t;
    if (!br_trust_same(now, &next)) {
        br_snapshot ahead = {NULL, 0, 0};
        status = save_to(run->sim, &ahead, error);
        if (status == BR_OK) status = find_changes(run, &next, looks, k, error);
        if (status == BR_OK) status = br_sim_load(run->sim, ahead.bytes, ahead.size, error);
        free(ahead.bytes);
    }
    looks[++*k] = next;
    return status;
}

// How many looks to go on, so that what is left of the budget reaches to the end by the cost of the last look: a power of two, so that
// fewer looks are some of the more.
static int stride(const br_trust_state *run, int at) {
    const double t = br_sim_time(run->sim), past = t - run->from;
    const double moving = past > 0.0 ? run->motion_work * (run->until - t) / past : 0.0;
    const double reach = fmax(run->work.most - run->work.used - moving, 0.0) / fmax(run->look_work, 1.0);
    int step = 1;
    while (step < run->wanted / BR_LEAST_LOOKS && (run->wanted - at) / step > reach) step *= 2;
    return step;
}

// Looks at every time, and between them. *found: how many.
static br_status look_through(br_trust_state *run, int count, const double *times, br_look *looks, int *found,
                              br_error *error) {
    int last = 0, judged = 1;
    run->wanted = count + 1;
    br_status status = save_to(run->sim, &run->main, error);
    if (status == BR_OK) status = br_trust_look(run, look_kind(run), &looks[0], error);
    if (status != BR_OK || looks[0].judged.verdict == BR_NOT_JUDGED) return status;
    run->taken = 1;
    for (int at = 0; at < count && status == BR_OK && judged;) {
        const int step = stride(run, at);
        at = (int)fmin((at / step + 1) * (double)step, count);
        do status = look_on(run, times[at - 1], looks, &last, &judged, error);
        while (status == BR_OK && judged && looks[last].t < times[at - 1]);
        run->taken += judged;
    }
    *found = last + 1;
    return status == BR_OK && run->options.sensitivities ? stay_at_rest(run, *found, looks, error) : status;
}

// Whether anything of the model could ever rub.
static int can_rub(const br_sim *sim) {
    for (int k = 0; k < sim->model->clearances; k++)
        if (sim->model->clearance[k].friction.law != BR_FRICTION_NONE) return 1;
    return (sim->frictions && sim->frictions->count > 0) || sim->contacts != NULL;
}

// Moves without a question: one look tells all of it.
static br_status look_once(br_trust_state *run, br_trust_report *report, br_error *error) {
    br_look at;
    br_status status = br_trust_look(run, look_kind(run), &at, error);
    const int judged = status == BR_OK && at.judged.verdict != BR_NOT_JUDGED;
    if (judged && run->until > run->from) {
        status = br_trust_go_to(run, run->until, error);
        at.t = run->until;
    }
    if (status == BR_OK) status = br_trust_make_report(run, &at, judged, report, error);
    if (status == BR_OK && judged) report->interval[0].from = run->from, report->interval[0].at = run->from;
    return status;
}

// The whole of it, not judged for what the model has; 0: it can be judged.
static int refuse(br_trust_state *run, br_trust_report *report, br_status *status, br_error *error) {
    char element[BR_MAX_EVENT_NAME], text[400];
    if (!br_trust_cannot(run->sim->model, element, sizeof element, text, sizeof text)) return 0;
    report->interval = BR_TAKE(run->arena, br_trust_interval, 1);
    report->reason = BR_TAKE(run->arena, br_trust_reason, 1);
    if (!report->interval || !report->reason) {
        *status = br_trust_no_memory(error);
        return 1;
    }
    report->intervals = report->reasons = report->not_judged = 1;
    report->interval[0] = (br_trust_interval){.from = run->from,
                                              .to = run->until,
                                              .at = run->from,
                                              .verdict = BR_NOT_JUDGED,
                                              .c_star = NAN,
                                              .c_star_coherent = NAN};
    report->reason[0] =
        (br_trust_reason){.what = "not_judged", .t = run->from, .to = run->until, .value = NAN, .limit = NAN};
    snprintf(report->reason[0].element, sizeof report->reason[0].element, "%s", element);
    snprintf(report->reason[0].text, sizeof report->reason[0].text, "%s", text);
    *status = BR_OK;
    return 1;
}

br_status br_trust_instant(br_sim *sim, const br_trust_options *options, br_trust_report *report,
                           br_error *error) {
    br_trust_state run;
    br_status status = open_run(&run, sim, br_sim_time(sim), options, report, error);
    if (status == BR_OK && !refuse(&run, report, &status, error)) status = look_once(&run, report, error);
    return close_run(&run, status, report);
}

static br_status judge_run(br_trust_state *run, br_trust_report *report, br_error *error) {
    const double length = run->until - run->from;
    const double sample = run->options.sample > 0.0 ? run->options.sample : default_sample(run, length);
    const int most = (int)fmin(2.0 * ceil(length / sample) + 4096.0, (double)BR_MAX_LOOKS);
    double *times = BR_TAKE(run->arena, double, most);
    const int count = times ? list_times(run, sample, most, times) : 0;
    const size_t room = ((size_t)count + BR_MAX_WATCH_LOOKS) * 2 * (BR_MAX_EXTRA_LOOKS + 1) + 1;
    br_look *looks = BR_TAKE(run->arena, br_look, room);
    int found = 0;
    if (!times || !looks) return br_trust_no_memory(error);
    const br_status status = look_through(run, count, times, looks, &found, error);
    return status == BR_OK ? br_trust_make_report(run, looks, found, report, error) : status;
}

br_status br_trust_run(br_sim *sim, double until, const br_trust_options *options, br_trust_report *report,
                       br_error *error) {
    br_trust_state run;
    memset(report, 0, sizeof *report);
    if (!(until > br_sim_time(sim))) return br_trust_instant(sim, options, report, error);
    if (options && options->at_rest &&
        (br_balance_springs(sim) > 0 || sim->model->beams > 0 || sim->model->clearances > 0))
        return br_fail(error, BR_INVALID, "trust-at-rest",
                       "model '%s' has springs, beams or play, which give way as the loads change: at rest "
                       "they would stay "
                       "as they are. Leave "
                       "--at-rest out: the run finds where they come to",
                       br_model_name(sim->model));
    br_status status = open_run(&run, sim, until, options, report, error);
    if (status == BR_OK && !refuse(&run, report, &status, error))
        status = can_rub(sim) ? judge_run(&run, report, error) : look_once(&run, report, error);
    return close_run(&run, status, report);
}
