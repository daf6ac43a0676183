// Intervals of a run and why they are credible or not, see trust.h.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bristle/contact.h"
#include "math/elementary.h"
#include "trust/trust.h"

#define BR_EPS_INSTANT 3.0     // times to what ends are bisected: a verdict that lasts no longer
#define BR_FEW_CONTACTS 8      // forces at contacts up to which an interval ends where one comes or goes
#define BR_CREDIBLE_FACTOR 2.0 // a parameter that is off by this much must not change the verdict
#define BR_HELD_BEFORE                                                                                       \
    0.98 // c_star of it at rest under the loads with which it slid: below, other forces would have held it

// The weakest verdict of contacts that do not slide: they come and go, and are not told apart.
static br_verdict weakest_contact(const br_trust_interval *x) {
    br_verdict weakest = BR_MOVES;
    for (int k = 0; k < x->forces; k++)
        if (x->force[k].is_contact && x->force[k].verdict > weakest) weakest = x->force[k].verdict;
    return weakest;
}

static int first_joint(const br_trust_interval *x, int from) {
    while (from < x->forces && x->force[from].is_contact) from++;
    return from;
}

static int count_contacts(const br_trust_interval *x) {
    int count = 0;
    for (int k = 0; k < x->forces; k++) count += x->force[k].is_contact;
    return count;
}

// Whether every contact of x is one of y, in the same state. Where there are many they come and go all the time, and are not told apart.
static int has_contacts(const br_trust_interval *x, const br_trust_interval *y) {
    if (count_contacts(x) > BR_FEW_CONTACTS || count_contacts(y) > BR_FEW_CONTACTS) return 1;
    for (int i = 0; i < x->forces; i++) {
        int found = !x->force[i].is_contact;
        for (int j = 0; j < y->forces && !found; j++)
            found = strcmp(x->force[i].name, y->force[j].name) == 0 &&
                    x->force[i].state == y->force[j].state && x->force[i].verdict == y->force[j].verdict;
        if (!found) return 0;
    }
    return 1;
}

// The same verdict of the model, the same state and verdict of every joint; of few contacts the same ones.
int br_trust_same(const br_look *a, const br_look *b) {
    const br_trust_interval *x = &a->judged, *y = &b->judged;
    if (x->verdict != y->verdict || weakest_contact(x) != weakest_contact(y)) return 0;
    if (!has_contacts(x, y) || !has_contacts(y, x)) return 0;
    int i = first_joint(x, 0), j = first_joint(y, 0);
    for (; i < x->forces && j < y->forces; i = first_joint(x, i + 1), j = first_joint(y, j + 1))
        if (x->force[i].state != y->force[j].state || x->force[i].verdict != y->force[j].verdict) return 0;
    return i >= x->forces && j >= y->forces;
}

// Of an interval of looks: the one nearest to sliding; later ones where they are alike.
static br_look *representative(br_look *looks, int first, int last) {
    br_look *best = &looks[first];
    for (int k = first; k <= last; k++)
        if (looks[k].judged.c_star >= best->judged.c_star * (1.0 - 1e-12) ||
            !isfinite(looks[k].judged.c_star))
            best = &looks[k];
    return best;
}

// --- reasons -----------------------------------------------------------------------------------------------

typedef struct reasons {
    const br_trust_state *run;
    br_trust_report *report;
    int room;
} reasons;

static void span_text(const br_trust_interval *x, char *out, size_t size) {
    if (x->to > x->from)
        snprintf(out, size, "%.4g to %.4g s", x->from, x->to);
    else
        snprintf(out, size, "at %.4g s", x->from);
}

// "slide_1 and slide_2: WHY, 1.847 to 2.575 s"
static void give_reason(reasons *r, const char *what, int interval, double value, double limit,
                        const char *why) {
    if (r->report->reasons == r->room) return;
    br_trust_reason *out = &r->report->reason[r->report->reasons++];
    const br_trust_interval *x = &r->report->interval[interval];
    char span[64];
    *out = (br_trust_reason){.t = x->from, .to = x->to, .value = value, .limit = limit, .interval = interval};
    span_text(x, span, sizeof span);
    snprintf(out->what, sizeof out->what, "%s", what);
    snprintf(out->element, sizeof out->element, "%.170s", x->of);
    snprintf(out->text, sizeof out->text, "%.150s%s%.170s, %s", x->of, x->of[0] ? ": " : "", why, span);
}

static int has_undetermined(const br_trust_interval *x) {
    for (int k = 0; k < x->forces; k++)
        if (x->force[k].verdict == BR_UNDETERMINED) return 1;
    return 0;
}

static int sticks(br_verdict verdict) {
    return verdict == BR_STICKS_ROBUST || verdict == BR_STICKS_METASTABLE;
}

static void find_reasons(reasons *r, int interval, const br_look *last) {
    const br_trust_interval *x = &r->report->interval[interval];
    char why[200];
    if (x->verdict == BR_UNDETERMINED)
        give_reason(r, "undetermined", interval, x->c_star, NAN,
                    "rest and sliding both obey the law of friction");
    else if (has_undetermined(x))
        give_reason(r, "undetermined", interval, x->c_star, NAN,
                    "of what is stuck, rest and sliding both obey the law of friction");
    if (x->verdict == BR_SLIDES_NOT_UNIQUE)
        give_reason(r, "slides_not_unique", interval, NAN, NAN,
                    "it slides, and more than one motion obeys the law of friction");
    // It began to slide where other forces, no worse than those chosen, would have held it under the loads that it then had.
    if (interval + 1 < r->report->intervals && x[1].verdict == BR_MOVES && sticks(x->verdict) &&
        last->edge_nullity > 0 && last->edge_star < BR_HELD_BEFORE)
        give_reason(r, "slid_where_held", interval, last->edge_star, 1.0,
                    "it slid where other forces would have held it");
    for (int k = 0; k < x->sensitivities; k++) {
        const br_trust_sensitivity *s = &x->sensitivity[k];
        if (!(fabs(br_log(s->flips_at)) < br_log(BR_CREDIBLE_FACTOR))) continue;
        snprintf(why, sizeof why, "sticking and sliding change places at %.4g times %.120s", s->flips_at,
                 s->parameter);
        give_reason(r, "sensitive", interval, s->flips_at, BR_CREDIBLE_FACTOR, why);
        return; // the same of every force
    }
}

static void not_judged(reasons *r, int interval, const char *element, double value, double limit,
                       const char *text) {
    if (r->report->reasons == r->room) return;
    br_trust_reason *out = &r->report->reason[r->report->reasons++];
    const br_trust_interval *x = interval >= 0 ? &r->report->interval[interval] : NULL;
    *out = (br_trust_reason){.t = x ? x->from : r->run->from,
                             .to = x ? x->to : r->run->until,
                             .value = value,
                             .limit = limit,
                             .interval = interval};
    snprintf(out->what, sizeof out->what, "not_judged");
    snprintf(out->element, sizeof out->element, "%.170s", element);
    snprintf(out->text, sizeof out->text, "%s", text);
}

// --- what nobody judged ------------------------------------------------------------------------------------

// The box and the polygon hold more or less than mu N in some directions: verdicts are about the cone.
int br_trust_cannot(const br_model *model, char *element, size_t size, char *text, size_t room) {
    if (!model->contact || model->settings.planar != BR_SPATIAL) return 0;
    const char *corners = model->contact->traits->corners;
    if (!corners) return 0;
    snprintf(element, size, "contact.law");
    snprintf(
        text, room,
        "contact.law is %s, whose limit has corners, and verdicts are about the cone, |f| <= mu N in every "
        "direction. Judge the model with `--set contact.law=cone`",
        corners);
    return 1;
}

// What rubs, by name: joints, else contacts.
static void name_rubs(const br_trust_state *run, char *out, size_t size) {
    enum { SHOWN = 3 };
    const br_model *m = run->sim->model;
    int count = 0, contacts = run->sim->contacts ? br_sim_contact_count(run->sim) : 0;
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; k < br_model_joint_count(m); k++) {
        if (!br_model_joint_friction(m, k)) continue;
        if (count++ < SHOWN)
            used += (size_t)snprintf(out + used, size - used, "%s%.60s", used ? ", " : "",
                                     br_model_joint_name(m, k));
    }
    if (count > SHOWN)
        used += (size_t)snprintf(out + used, size - used, " and %d more joints", count - SHOWN);
    if (contacts > 0)
        snprintf(out + used, size - used, "%s%d contact%s", used ? ", " : "", contacts,
                 contacts == 1 ? "" : "s");
}

static void tell_budget(reasons *r, int interval) {
    const br_trust_state *run = r->run;
    char rubs[260], span[64], text[400];
    name_rubs(run, rubs, sizeof rubs);
    span_text(&r->report->interval[interval], span, sizeof span);
    snprintf(text, sizeof text, "%s%s%s: the search ended at its budget of %.4g million counted operations",
             rubs, rubs[0] ? ", " : "", span, 1e-6 * run->work.most);
    not_judged(r, interval, rubs, run->work.used, run->work.most, text);
}

// An interval in which something is said to stick robustly, and not all ways to slide were searched.
static int is_open(const br_trust_interval *x) {
    if (x->exhaustive) return 0;
    for (int k = 0; k < x->forces; k++)
        if (x->force[k].verdict == BR_STICKS_ROBUST || x->force[k].verdict == BR_STICKS_METASTABLE) return 1;
    return 0;
}

static void tell_open(reasons *r, int interval) {
    char span[64], text[400];
    const br_trust_interval *x = &r->report->interval[interval];
    span_text(x, span, sizeof span);
    snprintf(
        text, sizeof text,
        "%.150s, %s: there are more ways to stick, slide and part than were searched; no other was found",
        x->of, span);
    not_judged(r, interval, x->of, NAN, NAN, text);
}

static void tell_coarse(reasons *r) {
    const br_trust_state *run = r->run;
    char text[400];
    snprintf(
        text, sizeof text,
        "what happens between %d looks, where a full search takes %d: its budget was %.4g million counted "
        "operations",
        run->taken, run->wanted, 1e-6 * run->work.most);
    not_judged(r, -1, "", run->taken, run->wanted, text);
}

static void tell_sensitivities(reasons *r) {
    char text[400];
    snprintf(text, sizeof text,
             "whether a parameter of secondary importance decides: the search ended before, at its budget of "
             "%.4g million counted operations",
             1e-6 * r->run->work.most);
    not_judged(r, -1, "", r->run->work.used, r->run->work.most, text);
}

// --- the report --------------------------------------------------------------------------------------------

// Whether sharing could decide at all: where everything sticks robustly all the time no way to share the forces lets it slide, however
// near its limit one of several pads comes. Springs are another matter: they change the loads.
static int sharing_decides(const br_look *looks, int count) {
    for (int k = 0; k < count; k++) {
        const br_trust_interval *x = &looks[k].judged;
        if (looks[k].share.sprung) return 1;
        if (x->verdict != BR_STICKS_ROBUST && x->verdict != BR_MOVES) return 1;
        for (int f = 0; f < x->forces; f++)
            if (x->force[f].verdict != BR_STICKS_ROBUST && x->force[f].verdict != BR_MOVES) return 1;
    }
    return 0;
}

static br_status make_intervals(br_trust_state *run, br_look *looks, int count, br_trust_report *report,
                                const br_look **last_look, br_error *error) {
    br_trust_parameters p;
    br_balance_work *work = run->options.sensitivities ? br_trust_survey(run, looks, count, &p) : NULL;
    const int decides = sharing_decides(looks, count);
    run->no_sensitivities = run->options.sensitivities && !br_work_left(&run->work);
    for (int first = 0; first < count;) {
        int last = first;
        while (last + 1 < count && br_trust_same(&looks[first], &looks[last + 1])) last++;
        br_look *at = representative(looks, first, last);
        br_trust_interval *out = &report->interval[report->intervals];
        last_look[report->intervals++] = &looks[last];
        *out = at->judged;
        out->at = at->t;
        out->from = first == 0 ? looks[0].t : looks[first - 1].edge;
        out->to = last + 1 == count ? looks[count - 1].t : looks[last].edge;
        if (work && at->share.sharing != BR_SHARED_BY_NOTHING && !at->supposed) {
            const br_status status = br_trust_differentiate(run, at, &p, work, out, error);
            if (status != BR_OK) return status;
            for (int k = 0; !decides && k < out->sensitivities; k++)
                out->sensitivity[k].flips_at = NAN, out->sensitivity[k].flips_undecided = 0;
        }
        first = last + 1;
    }
    return BR_OK;
}

// A verdict between two others that lasts no longer than its ends are located is an instant on the way from one to the other.
static void drop_instants(const br_trust_state *run, br_trust_report *report, const br_look **last_look) {
    int kept = 0;
    for (int k = 0; k < report->intervals; k++) {
        const br_trust_interval *x = &report->interval[k];
        if (k > 0 && k + 1 < report->intervals && x->to - x->from <= BR_EPS_INSTANT * br_trust_located(run)) {
            report->interval[k + 1].from = x->from;
            continue;
        }
        report->interval[kept] = *x;
        last_look[kept++] = last_look[k];
    }
    report->intervals = kept;
}

static void add_rest(br_trust_state *run, br_trust_report *report) { // what the budget did not reach
    const double from = report->intervals ? report->interval[report->intervals - 1].to : run->from;
    br_trust_interval *last = report->intervals ? &report->interval[report->intervals - 1] : NULL;
    if (last && !(run->until > from)) return;
    br_trust_interval *out = &report->interval[report->intervals++];
    *out = (br_trust_interval){.from = from, .to = run->until, .at = from, .verdict = BR_NOT_JUDGED};
    out->c_star = out->c_star_coherent = NAN;
}

// Intervals of looks that were judged, the last `count`; with reasons.
br_status br_trust_make_report(br_trust_state *run, br_look *looks, int count, br_trust_report *report,
                               br_error *error) {
    const br_look **last = BR_TAKE(run->arena, const br_look *, count + 1);
    reasons r = {run, report, 3 * count + 4};
    report->interval = BR_TAKE(run->arena, br_trust_interval, count + 1);
    report->reason = BR_TAKE(run->arena, br_trust_reason, r.room);
    if (!last || !report->interval || !report->reason) return br_trust_no_memory(error);
    const br_status status = make_intervals(run, looks, count, report, last, error);
    if (status != BR_OK) return status;
    drop_instants(run, report, last);
    const int judged = report->intervals;
    if (count == 0 || looks[count - 1].t < run->until) add_rest(run, report);
    for (int k = 0; k < judged; k++) find_reasons(&r, k, last[k]);
    const int against = report->reasons;
    for (int k = 0; k < judged; k++)
        if (is_open(&report->interval[k])) tell_open(&r, k);
    if (report->intervals > judged) tell_budget(&r, judged);
    if (run->taken < run->wanted && report->intervals == judged) tell_coarse(&r);
    if (run->no_sensitivities && report->intervals == judged) tell_sensitivities(&r);
    report->credible = report->reasons == 0;
    report->not_judged = against == 0 && report->reasons > 0;
    report->work = run->work.used;
    return BR_OK;
}
