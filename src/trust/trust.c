// The verdict of a simulation's state and of every interval of a run, see bristle/trust.h.
//
// A run is looked at in even intervals and at the knots of tables. Between two looks with different verdicts the boundary is
// bisected, from a snapshot. An interval tells the forces of the look at which it was nearest to sliding (the largest c_star).
#include "bristle/trust.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/contact.h"
#include "sim/friction.h"
#include "trust/sensitivity.h"
#include "trust/verdict.h"

#define BR_LOOKS 200
#define BR_FEW_RUBS 8.0  // joints that rub, up to which a look is cheap
#define BR_LEAST_LOOKS 8 // of a run with contacts, where a look takes long
#define BR_MAX_LOOKS 100000
#define BR_EPS_WITNESS 1e-7   // of the loads: forces that balance them
#define BR_EPS_UNCHANGED 1e-9 // of the largest: a balance that is the same
#define BR_EPS_QUICK 1e-4     // of the run
#define BR_EPS_BOUNDARY 1e-7  // s
#define BR_MAX_PARAMETERS 64
#define BR_FLIP_RANGE 20.0
#define BR_FLIP_STEPS 10       // per direction, before bisection
#define BR_EPS_FLIP 1e-6       // of the factor's logarithm
#define BR_MAX_EXTRA_LOOKS 4   // between two looks, where the verdict changes more than once
#define BR_PATH_LOOKS 40       // of a run, in which a change of verdict is sought
#define BR_CREDIBLE_FACTOR 2.0 // a parameter that is off by this much must not change the verdict

typedef struct look {
    double t;
    br_trust_interval judged;
    br_share share; // sharing 0: none
    int knot;       // of a table of the loads
    int supposed;   // the share is of a mechanism that stayed at rest, which this one did not
} look;

typedef struct trust_run {
    br_sim *sim;
    br_trust_options options;
    br_arena *arena;  // of the report
    br_arena scratch; // of one look
    br_friction_params *law;
    int laws;
    double length; // of the run, s
    double *last;  // numbers of the last look's balance, and what was said of it
    size_t last_count, last_capacity;
    br_trust_interval judged;
    char *bytes; // snapshot, and
    size_t size;
    char *rest; // of the last look at which something was at rest
    size_t rest_size;
} trust_run;

br_trust_options br_default_trust_options(void) {
    br_trust_options options = {.sensitivities = 1};
    return options;
}

static br_status no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the report on trust");
}

// --- one look ----------------------------------------------------------------------------------------------

static int at_knot(const br_function *f, double t) {
    return f && br_function_next_knot(f, nextafter(t, -INFINITY)) == t;
}

static int is_knot(const br_model *m, double t) {
    for (int i = 0; i < m->loads; i++)
        for (int k = 0; k < 3; k++)
            if (at_knot(m->load[i].component[k], t)) return 1;
    for (int i = 0; i < m->drives; i++)
        if (at_knot(m->drive[i].target, t)) return 1;
    return 0;
}

// Forces of rubs in what their joint's channels show (torques for pins), and the slopes of their laws.
static void finish_forces(const br_sim *sim, br_trust_interval *out) {
    const br_frictions *f = sim->frictions;
    for (int i = 0, at = 0; f && i < f->count; i++)
        for (int d = 0; d < f->rub[i].pad.directions && at < out->forces; d++, at++) {
            br_trust_force *force = &out->force[at];
            const double arm = f->rub[i].pad.arm[d];
            force->force *= arm, force->friction_min *= arm, force->friction_max *= arm;
            force->coherent_min *= arm, force->coherent_max *= arm;
            force->slope = br_friction_slope(&f->rub[i].law);
        }
}

static int keep_judged(br_arena *arena, const br_trust_interval *from, br_trust_interval *to) {
    *to = *from;
    to->force = BR_TAKE(arena, br_trust_force, from->forces);
    if (!to->force) return 0;
    if (from->forces > 0) memcpy(to->force, from->force, (size_t)from->forces * sizeof *to->force);
    return 1;
}

// What shares the forces of the state: of rows that leave them open the laws or the compliances, else the model's springs.
static br_status take_share(trust_run *run, look *out, br_error *error) {
    br_balance *b;
    br_balance_work *work;
    const int sprung = out->judged.nullity == 0;
    if (out->judged.verdict == BR_MOVES) return BR_OK;
    const br_status status = br_sim_balance(run->sim, sprung ? BR_BALANCE_SPRINGS : 0, &b, &work, error);
    if (status != BR_OK) return status;
    return br_share_make(b, sprung, run->laws, run->law, out->t, run->arena, &out->share, error);
}

// Whether a balance is the one of the last look, to rounding: what rests unchanged is judged once.
static int is_unchanged(trust_run *run, const br_balance *b) {
    const size_t n = (size_t)b->n, columns = (size_t)b->columns, count = n * columns + 2 * n + columns + 3;
    if (count > run->last_capacity) {
        double *more = realloc(run->last, count * sizeof *more);
        if (!more) return 0;
        run->last = more, run->last_capacity = count, run->last_count = 0;
    }
    const double head[] = {(double)b->n, (double)b->columns, (double)b->pads};
    const struct {
        const double *from;
        size_t count;
    } part[] = {{head, 3}, {b->A, n * columns}, {b->Q, n}, {b->a, n}, {b->x, columns}};
    int same = run->last_count == count;
    double *at = run->last;
    for (size_t p = 0; p < sizeof part / sizeof part[0]; p++) {
        double size = 0.0;
        for (size_t k = 0; k < part[p].count; k++) size = fmax(size, fabs(part[p].from[k]));
        for (size_t k = 0; k < part[p].count; k++, at++) {
            same = same && fabs(*at - part[p].from[k]) <= BR_EPS_UNCHANGED * size;
            *at = part[p].from[k];
        }
    }
    run->last_count = count;
    return same;
}

// The simulation's own forces, where they balance the loads at rest within the limits, prove that it need not slide, whatever a search
// of many dimensions found; what it said of intervals is then not worth anything. Returns how much of the limits they take; INFINITY:
// they prove nothing.
static double witness(const br_balance *b) {
    double left = 0.0, size = 0.0, ratio = 0.0;
    for (int i = 0; i < b->n; i++) {
        double force = -b->Q[i];
        for (int k = 0; k < b->columns; k++) {
            force -= b->A[i * b->columns + k] * b->x[k];
            size = fmax(size, fabs(b->A[i * b->columns + k] * b->x[k]));
        }
        left = fmax(left, fabs(force)), size = fmax(size, fabs(b->Q[i]));
    }
    if (!(left <= BR_EPS_WITNESS * size)) return INFINITY;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        const double limit = p->mu_static * br_balance_load(b, i, b->x);
        double square = 0.0;
        if (p->sliding || (p->normal >= 0 && b->x[p->normal] < 0.0)) return INFINITY;
        for (int d = 0; d < p->directions; d++) square += b->x[p->column + d] * b->x[p->column + d];
        if (square > 0.0) ratio = fmax(ratio, limit > 0.0 ? sqrt(square) / limit : INFINITY);
    }
    return ratio;
}

static void take_witness(const br_balance *b, br_trust_interval *t) {
    const double ratio = t->verdict == BR_SLIDES_CERTAIN ? witness(b) : INFINITY;
    if (!(ratio <= 1.0)) return;
    t->c_star = ratio, t->c_star_coherent = fmax(t->c_star_coherent, ratio), t->exhaustive = 0;
    t->verdict = t->onset_static    ? BR_UNDETERMINED
                 : t->onset_kinetic ? BR_STICKS_METASTABLE
                                    : BR_STICKS_ROBUST;
    for (int k = 0; k < t->forces; k++) {
        br_trust_force *f = &t->force[k];
        f->friction_min = f->coherent_min = f->unique ? f->force : -INFINITY;
        f->friction_max = f->coherent_max = f->unique ? f->force : INFINITY;
    }
    snprintf(t->settle, sizeof t->settle,
             "the forces of this run hold it; how far others could was not found out");
}

static br_status judge(trust_run *run, const br_balance *b, double t, br_trust_interval *out,
                       br_error *error) {
    if (is_unchanged(run, b)) {
        *out = run->judged;
        out->from = out->to = t;
        return BR_OK;
    }
    br_trust_interval judged;
    br_arena_reset(&run->scratch);
    memset(&judged, 0, sizeof judged);
    const br_status status = br_trust_judge(b, &run->scratch, &judged, error);
    run->last_count = status == BR_OK ? run->last_count : 0;
    if (status != BR_OK) return status;
    judged.from = judged.to = t;
    take_witness(b, &judged);
    finish_forces(run->sim, &judged);
    if (!keep_judged(run->arena, &judged, out)) return no_memory(error);
    run->judged = *out;
    return BR_OK;
}

static br_status take_look(trust_run *run, int with_share, look *out, br_error *error) {
    br_balance *b;
    br_balance_work *work;
    memset(out, 0, sizeof *out);
    out->t = br_sim_time(run->sim);
    out->knot = is_knot(run->sim->model, out->t);
    br_status status = br_sim_balance(run->sim, 0, &b, &work, error);
    if (status == BR_OK) status = judge(run, b, out->t, &out->judged, error);
    if (status != BR_OK) return status;
    return with_share ? take_share(run, out, error) : BR_OK;
}

// --- moving ------------------------------------------------------------------------------------------------

static br_status save_to(const br_sim *sim, char **bytes, size_t *size, br_error *error) {
    const size_t needed = br_sim_snapshot_size(sim);
    if (needed > *size) {
        char *more = realloc(*bytes, needed);
        if (!more) return no_memory(error);
        *bytes = more, *size = needed;
    }
    br_sim_save(sim, *bytes);
    return BR_OK;
}

static br_status save(trust_run *run, br_error *error) {
    return save_to(run->sim, &run->bytes, &run->size, error);
}

static br_status go_to(trust_run *run, double t, br_error *error) {
    br_sim *sim = run->sim;
    if (!run->options.at_rest) return t > sim->state.t ? br_sim_advance(sim, t, error) : BR_OK;
    sim->state.t = t, sim->reactions_valid = 0, sim->outside++;
    for (int i = 0; sim->frictions && i < sim->frictions->count; i++) sim->frictions->now[i].known = 0.0;
    return BR_OK;
}

static int same(const look *a, const look *b) {
    return a->judged.verdict == b->judged.verdict && a->judged.nullity == b->judged.nullity;
}

// The time between `a`, whose snapshot is at hand, and `b` at which the verdict changes.
static br_status bisect(trust_run *run, const look *a, const look *b, double *boundary, br_error *error) {
    double low = a->t, high = b->t;
    br_status status = BR_OK;
    const double enough =
        run->options.quick ? fmax(BR_EPS_BOUNDARY, BR_EPS_QUICK * run->length) : BR_EPS_BOUNDARY;
    while (high - low > enough && status == BR_OK) {
        const double middle = low + 0.5 * (high - low);
        look at;
        status = br_sim_load(run->sim, run->bytes, error);
        if (status == BR_OK) status = go_to(run, middle, error);
        if (status == BR_OK) status = take_look(run, 0, &at, error);
        if (status != BR_OK) break;
        if (same(a, &at)) {
            low = middle;
            if (!run->options.at_rest) status = save(run, error);
        } else {
            high = middle;
        }
    }
    *boundary = 0.5 * (low + high);
    return status;
}

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
static double default_sample(const trust_run *run, double length) {
    const br_sim *sim = run->sim;
    const double touching = sim->contacts ? fmax(sim->contacts->count, sim->contacts->before_count) : 0.0;
    const double many = fmax(1.0, run->laws / BR_FEW_RUBS);
    const double looks =
        BR_LOOKS / ((1.0 + touching) * (1.0 + touching) * many * many) / (run->options.quick ? 4.0 : 1.0);
    return length / fmax(run->options.quick ? BR_LEAST_LOOKS / 4 : BR_LEAST_LOOKS, looks);
}

// Times of looks after the first, rising.
static int list_times(const trust_run *run, double from, double until, int most, double *times) {
    const br_model *m = run->sim->model;
    const double sample = run->options.sample > 0.0 ? run->options.sample : default_sample(run, until - from);
    const double even = fmin(ceil((until - from) / sample - 1e-9), (double)(most / 2));
    int count = 0, kept = 0;
    for (double k = 1.0; k < even; k++) times[count++] = from + (until - from) * k / even;
    for (int i = 0; i < m->loads; i++)
        for (int k = 0; k < 3; k++)
            count = add_knots(m->load[i].component[k], from, until, count, most - 1, times);
    for (int i = 0; i < m->drives; i++)
        count = add_knots(m->drive[i].target, from, until, count, most - 1, times);
    times[count++] = until;
    qsort(times, (size_t)count, sizeof *times, compare_times);
    for (int k = 0; k < count; k++)
        if (times[k] > (kept > 0 ? times[kept - 1] : from) + 1e-9 * fmax(1.0, until - from))
            times[kept++] = times[k];
    if (kept > 0) times[kept - 1] = until;
    return kept;
}

// --- sensitivities -----------------------------------------------------------------------------------------

typedef struct path {
    br_share **share; // [count] in the order of time
    int count;
    br_share scratch;
    br_balance_work *work;
} path;

static br_share_path follow(path *p, const br_share_parameter *parameter, double factor) {
    return br_share_follow(p->share, p->count, parameter, factor, p->work, &p->scratch);
}

// The factor nearest to 1 at which sticking to the end turns into sliding, or back; NAN: none.
static double find_flip(path *p, const br_share_parameter *parameter, int sticks) {
    double best = NAN;
    for (int side = 0; side < 2; side++) {
        double inner = 0.0;
        for (int k = 1; k <= BR_FLIP_STEPS; k++) {
            const double outer = (side ? -1.0 : 1.0) * log(BR_FLIP_RANGE) * k / BR_FLIP_STEPS;
            if (isnan(follow(p, parameter, exp(outer)).break_away) == sticks) {
                inner = outer;
                continue;
            }
            double a = inner, b = outer;
            while (fabs(b - a) > BR_EPS_FLIP) {
                const double middle = 0.5 * (a + b);
                *(isnan(follow(p, parameter, exp(middle)).break_away) == sticks ? &a : &b) = middle;
            }
            if (isnan(best) || fabs(a) < fabs(log(best))) best = exp(0.5 * (a + b));
            break;
        }
    }
    return best;
}

static int rest_columns(const br_balance *b) {
    int count = 0;
    for (int i = 0; i < b->pads; i++)
        if (!b->pad[i].sliding) count += b->pad[i].directions;
    return count;
}

typedef struct parameters {
    int count;
    br_share_parameter parameter[BR_MAX_PARAMETERS];
    double flips_at[BR_MAX_PARAMETERS];
    double break_away[BR_MAX_PARAMETERS]; // d t / d ln parameter; NAN: it never breaks away
} parameters;

// d force/d ln parameter at one look, by central differences.
static br_status differentiate(trust_run *run, look *at, const parameters *p, br_balance_work *work,
                               br_trust_interval *out, br_error *error) {
    const int forces = rest_columns(&at->share.b);
    double *up = BR_TAKE(run->arena, double, forces), *down = BR_TAKE(run->arena, double, forces);
    out->sensitivity = BR_TAKE(run->arena, br_trust_sensitivity, p->count * (forces + 1));
    if (!up || !down || !out->sensitivity) return no_memory(error);
    for (int k = 0; k < p->count; k++) {
        const double step = 1e-4;
        if (!isfinite(br_share_margin(&at->share, &p->parameter[k], exp(step), work, up)) ||
            !isfinite(br_share_margin(&at->share, &p->parameter[k], exp(-step), work, down)))
            continue;
        for (int i = 0, c = 0; i < at->share.b.pads; i++) {
            const br_balance_pad *pad = &at->share.b.pad[i];
            for (int d = 0; !pad->sliding && d < pad->directions; d++, c++) {
                br_trust_sensitivity *s = &out->sensitivity[out->sensitivities++];
                const double arm = i < run->laws ? run->sim->frictions->rub[i].pad.arm[d] : 1.0;
                snprintf(s->parameter, sizeof s->parameter, "%s", p->parameter[k].name);
                if (pad->directions > 1)
                    snprintf(s->quantity, sizeof s->quantity, "%.150s.%d.friction", pad->name, d);
                else
                    snprintf(s->quantity, sizeof s->quantity, "%.150s.friction", pad->name);
                s->value = arm * (up[c] - down[c]) / (2.0 * step);
                s->flips_at = p->flips_at[k];
            }
        }
        if (!isfinite(p->break_away[k])) continue;
        br_trust_sensitivity *s = &out->sensitivity[out->sensitivities++];
        snprintf(s->parameter, sizeof s->parameter, "%s", p->parameter[k].name);
        snprintf(s->quantity, sizeof s->quantity, "break_away");
        s->value = p->break_away[k], s->flips_at = p->flips_at[k];
    }
    return BR_OK;
}

// Which looks a path goes through: an even choice, and those at the knots of tables, between which loads are straight.
static int on_path(const look *looks, int k, int count) {
    const int stride = count / BR_PATH_LOOKS + 1;
    return k % stride == 0 || k == count - 1 || looks[k].knot;
}

// Parameters, where they flip the run, and a work large enough for every share. NULL: nothing is shared.
static br_balance_work *survey(trust_run *run, look *looks, int count, parameters *p) {
    int n = 0, columns = 0, pads = 0;
    path way = {.share = BR_TAKE(run->arena, br_share *, count)};
    p->count = 0;
    for (int k = 0; way.share && k < count; k++) {
        br_share *s = &looks[k].share;
        if (s->sharing == BR_SHARED_BY_NOTHING) continue;
        if (on_path(looks, k, count) || way.count == 0) way.share[way.count++] = s;
        if (s->b.n > n) n = s->b.n;
        if (s->b.columns > columns) columns = s->b.columns;
        if (s->b.pads > pads) pads = s->b.pads;
        if (p->count == 0) p->count = br_share_parameters(s, BR_MAX_PARAMETERS, p->parameter);
    }
    if (way.count == 0 || p->count == 0) return NULL;
    br_error ignored;
    way.work = br_balance_work_create(run->arena, n, columns, pads);
    if (!way.work || br_share_copy(way.share[0], run->arena, &way.scratch, &ignored) != BR_OK) return NULL;
    // First through all looks, which leaves in each where the motion at rest is; then on the way only.
    path all = way;
    all.share = BR_TAKE(run->arena, br_share *, count);
    if (!all.share) return NULL;
    all.count = 0;
    for (int k = 0; k < count; k++)
        if (looks[k].share.sharing != BR_SHARED_BY_NOTHING) all.share[all.count++] = &looks[k].share;
    const br_share_path usual = follow(&all, NULL, 1.0);
    for (int k = 0; k < p->count; k++) {
        const br_share_parameter *parameter = &p->parameter[k];
        const int matters =
            parameter->pad < 0 || parameter->which < 2; // sigma_1 and v_stribeck drop out at rest
        p->flips_at[k] = matters ? find_flip(&way, parameter, isnan(usual.break_away)) : NAN;
        p->break_away[k] = NAN;
        if (isnan(usual.break_away)) continue;
        const double up = follow(&way, parameter, exp(0.01)).break_away,
                     down = follow(&way, parameter, exp(-0.01)).break_away;
        p->break_away[k] = (up - down) / 0.02;
    }
    return way.work;
}

// --- intervals ---------------------------------------------------------------------------------------------

// Of an interval of looks: the one nearest to sliding; later ones where they are alike.
static look *representative(look *looks, int first, int last) {
    look *best = &looks[first];
    for (int k = first; k <= last; k++)
        if (looks[k].judged.c_star >= best->judged.c_star * (1.0 - 1e-12) ||
            !isfinite(looks[k].judged.c_star))
            best = &looks[k];
    return best;
}

static int is_credible(const br_trust_report *report) {
    for (int i = 0; i < report->intervals; i++) {
        const br_trust_interval *x = &report->interval[i];
        if (x->verdict == BR_UNDETERMINED || x->verdict == BR_SLIDES_NOT_UNIQUE) return 0;
        // It began to slide where other forces, no worse than those chosen, would have held it.
        if (i + 1 < report->intervals && x[1].verdict == BR_MOVES && x->nullity > 0 && x->c_star < 1.0 &&
            x->verdict != BR_MOVES)
            return 0;
        for (int k = 0; k < x->sensitivities; k++)
            if (fabs(log(x->sensitivity[k].flips_at)) < log(BR_CREDIBLE_FACTOR)) return 0;
    }
    return 1;
}

static br_status make_report(trust_run *run, look *looks, int count, const double *boundary,
                             br_trust_report *report, br_error *error) {
    parameters p;
    br_balance_work *work = run->options.sensitivities ? survey(run, looks, count, &p) : NULL;
    report->interval = BR_TAKE(run->arena, br_trust_interval, count);
    if (!report->interval) return no_memory(error);
    for (int first = 0; first < count;) {
        int last = first;
        while (last + 1 < count && same(&looks[first], &looks[last + 1])) last++;
        look *at = representative(looks, first, last);
        br_trust_interval *out = &report->interval[report->intervals++];
        *out = at->judged;
        out->at = at->t;
        out->from = first == 0 ? looks[0].t : boundary[first - 1];
        out->to = last + 1 == count ? looks[count - 1].t : boundary[last];
        if (work && at->share.sharing != BR_SHARED_BY_NOTHING && !at->supposed) {
            const br_status status = differentiate(run, at, &p, work, out, error);
            if (status != BR_OK) return status;
        }
        first = last + 1;
    }
    report->credible = is_credible(report);
    return BR_OK;
}

static br_status open_run(trust_run *run, br_sim *sim, const br_trust_options *options,
                          br_trust_report *report, br_error *error) {
    memset(report, 0, sizeof *report);
    memset(run, 0, sizeof *run);
    run->sim = sim;
    run->options = options ? *options : br_default_trust_options();
    br_arena first;
    br_arena_init(&first, run->options.allocator);
    run->arena = BR_TAKE(&first, br_arena, 1);
    if (!run->arena) {
        br_arena_free(&first);
        return no_memory(error);
    }
    *run->arena = first; // it holds itself: nothing else may use `first` any more
    report->memory = run->arena;
    br_arena_init(&run->scratch, run->options.allocator);
    run->laws = sim->frictions ? sim->frictions->count : 0;
    run->law = BR_TAKE(run->arena, br_friction_params, run->laws);
    if (!run->law) return no_memory(error);
    for (int i = 0; i < run->laws; i++) run->law[i] = sim->frictions->rub[i].law;
    return BR_OK;
}

static br_status close_run(trust_run *run, br_status status, br_trust_report *report) {
    br_arena_free(&run->scratch);
    free(run->bytes);
    free(run->rest);
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

br_status br_trust_instant(br_sim *sim, const br_trust_options *options, br_trust_report *report,
                           br_error *error) {
    trust_run run;
    look at;
    br_status status = open_run(&run, sim, options, report, error);
    if (status == BR_OK) status = take_look(&run, run.options.sensitivities, &at, error);
    if (status == BR_OK) status = make_report(&run, &at, 1, NULL, report, error);
    return close_run(&run, status, report);
}

// What the loads after it began to slide would have done, had it stayed: whether a parameter would have kept it at rest is asked about
// the whole run.
static br_status stay_at_rest(trust_run *run, int count, look *looks, br_error *error) {
    int first = count;
    while (first > 0 && looks[first - 1].share.sharing == BR_SHARED_BY_NOTHING) first--;
    if (first == 0 || first == count || !run->rest) return BR_OK;
    br_status status = save(run, error);
    if (status == BR_OK) status = br_sim_load(run->sim, run->rest, error);
    const br_trust_options kept = run->options;
    run->options.at_rest = 1;
    for (int k = first; k < count && status == BR_OK; k++) {
        look at;
        status = go_to(run, looks[k].t, error);
        if (status == BR_OK) status = take_look(run, 1, &at, error);
        if (status == BR_OK) looks[k].share = at.share, looks[k].supposed = 1;
    }
    run->options = kept;
    return status == BR_OK ? br_sim_load(run->sim, run->bytes, error) : status;
}

// Verdicts that last less are not looked for: between slip and the end of its step the contact stepper has not moved yet.
static double shortest(const trust_run *run) {
    const br_solver_settings *s = &run->sim->model->settings.solver;
    return s->stepper == BR_STEPPER_CONTACT ? 1.5 * s->step : 1e3 * BR_EPS_BOUNDARY;
}

// From look k to `until`: the look there, and between the two as many as it takes to find every verdict on the way, within
// reason: a verdict that flickers is told as it is at the looks. *k: the last look.
static br_status look_on(trust_run *run, double until, look *looks, int *k, double *boundary,
                         br_error *error) {
    const int with_share = run->options.sensitivities;
    br_status status = BR_OK;
    for (int extra = 0; status == BR_OK; extra++) {
        const look *now = &looks[*k];
        look next, after;
        status = save(run, error);
        if (status == BR_OK && now->share.sharing != BR_SHARED_BY_NOTHING)
            status = save_to(run->sim, &run->rest, &run->rest_size, error);
        if (status == BR_OK) status = go_to(run, until, error);
        if (status == BR_OK) status = take_look(run, with_share, &next, error);
        if (status != BR_OK) break;
        boundary[*k] = next.t;
        int done = same(now, &next);
        if (!done) {
            status = bisect(run, now, &next, &boundary[*k], error);
            const double soon = fmin(until, boundary[*k] + shortest(run));
            if (status == BR_OK) status = br_sim_load(run->sim, run->bytes, error);
            if (status == BR_OK) status = go_to(run, soon, error);
            if (status == BR_OK) status = take_look(run, with_share, &after, error);
            if (status != BR_OK) break;
            done = same(&after, &next) || same(&after, now) || soon >= until || extra == BR_MAX_EXTRA_LOOKS;
            if (done) status = go_to(run, until, error);
        }
        looks[++*k] = done ? next : after;
        if (done) break;
    }
    return status;
}

// Looks at every time, and between them; boundary[k] is between looks k and k + 1. *found: how many.
static br_status look_through(trust_run *run, int count, const double *times, look *looks, double *boundary,
                              int *found, br_error *error) {
    int last = 0;
    br_status status = take_look(run, run->options.sensitivities, &looks[0], error);
    for (int k = 0; k < count && status == BR_OK; k++)
        status = look_on(run, times[k], looks, &last, boundary, error);
    *found = last + 1;
    return status == BR_OK ? stay_at_rest(run, *found, looks, error) : status;
}

br_status br_trust_run(br_sim *sim, double until, const br_trust_options *options, br_trust_report *report,
                       br_error *error) {
    trust_run run;
    const double from = br_sim_time(sim);
    memset(report, 0, sizeof *report);
    if (!(until > from)) return br_trust_instant(sim, options, report, error);
    if (options && options->at_rest && br_balance_springs(sim) > 0)
        return br_fail(error, BR_INVALID, "trust-at-rest",
                       "model '%s' has springs, which give way as the loads change: at rest they would stay "
                       "as they are. Leave "
                       "--at-rest out: the run finds where they come to",
                       br_model_name(sim->model));
    br_status status = open_run(&run, sim, options, report, error);
    if (status != BR_OK) return close_run(&run, status, report);
    const double sample = run.options.sample > 0.0 ? run.options.sample : default_sample(&run, until - from);
    const int most = (int)fmin(2.0 * ceil((until - from) / sample) + 4096.0, (double)BR_MAX_LOOKS);
    run.length = until - from;
    double *times = BR_TAKE(run.arena, double, most);
    const int count = times ? list_times(&run, from, until, most, times) : 0;
    const size_t room = (size_t)count * (BR_MAX_EXTRA_LOOKS + 1) + 1;
    double *boundary = BR_TAKE(run.arena, double, room);
    look *looks = BR_TAKE(run.arena, look, room);
    int found = 0;
    if (!times || !boundary || !looks) status = no_memory(error);
    if (status == BR_OK) status = look_through(&run, count, times, looks, boundary, &found, error);
    if (status == BR_OK) status = make_report(&run, looks, found, boundary, report, error);
    return close_run(&run, status, report);
}
