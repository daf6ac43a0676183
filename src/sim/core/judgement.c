// What is said of a run's books: see bristle/judgement.h and ledger_judge.c, which found it.
#include "bristle/judgement.h"
#include "sim/core/judgement.h"
#include "sim/core/ledger_share.h"
#include "sim/stepper/stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/contact/contact.h"

const char *br_reason_name(br_reason_kind what) {
    static const char *const names[BR_REASON_KINDS] = {"energy",      "impact",   "damping", "friction",
                                                       "penetration", "stiction", "error",   "not_judged"};
    return (unsigned)what < BR_REASON_KINDS ? names[what] : "";
}

void br_judgement_add(br_judgement *out, const br_reason *reason) {
    if (reason->fails)
        out->credible = BR_NOT_CREDIBLE;
    else if (reason->what == BR_REASON_NOT_JUDGED && out->credible == BR_CREDIBLE)
        out->credible = BR_CREDIBLE_OPEN;
    if (out->reasons == BR_MAX_REASONS) return;
    int at = out->reasons++;
    for (; reason->fails && at > 0 && !out->reason[at - 1].fails; at--) out->reason[at] = out->reason[at - 1];
    out->reason[at] = *reason;
}

// --- sentences ---------------------------------------------------------------------------------------------

static void append(br_reason *reason, const char *text) {
    const size_t used = strlen(reason->text);
    snprintf(reason->text + used, sizeof reason->text - used, "%s", text);
}

static void append_where(br_reason *reason) {
    char text[BR_MAX_EVENT_NAME + 32];
    if (!reason->element[0]) return;
    snprintf(text, sizeof text, ", most of it in %s", reason->element);
    append(reason, text);
}

const char *br_judge_remedy(const br_sim *sim, int loss) {
    return sim->stepper->remedy(sim->model, loss);
}

// --- energy ------------------------------------------------------------------------------------------------

static double size_of(const br_judge *j, const br_extreme *e) {
    return j->stored + e->through;
}

// What a term may be wrong by, J.
static double limit_of(const br_judge *j, const br_extreme *e) {
    return fmax(j->floor, BR_JUDGE_LIMIT * size_of(j, e));
}

static int exceeds(const br_judge *j, br_judged term) {
    const br_extreme *e = &j->extreme[term];
    return e->change > limit_of(j, e);
}

// Energy from nothing is told before it fails.
static int is_told(const br_judge *j, br_judged term) {
    const br_extreme *e = &j->extreme[term];
    return e->change > fmax(j->floor, BR_JUDGE_TOLD * size_of(j, e));
}

static br_reason begin(const br_judge *j, br_judged term, br_reason_kind what) {
    const br_extreme *e = &j->extreme[term];
    br_reason r;
    memset(&r, 0, sizeof r);
    r.what = what, r.fails = 1, r.t = e->to;
    r.value = e->change, r.limit = limit_of(j, e);
    return r;
}

// "%s 3.1 J between 0.1 and 0.5 s, 31 % of the 10 J at play (limit 2 %)"
static void say(const br_judge *j, br_judged term, const char *what, br_reason *r) {
    const br_extreme *e = &j->extreme[term];
    const double size = size_of(j, e);
    snprintf(r->text, sizeof r->text,
             "%s %.3g J between %.6g and %.6g s, %.3g %% of the %.3g J at play (limit %g %%)", what,
             e->change, e->from, e->to, 100.0 * e->change / size, size, 100.0 * BR_JUDGE_LIMIT);
}

static void judge_scheme(const br_sim *sim, br_judgement *out) {
    const br_judge *j = sim->judge;
    for (int loss = 0; loss < 2; loss++) {
        const br_judged term = loss ? BR_JUDGED_LOSS : BR_JUDGED_GAIN;
        const char *meant = loss ? sim->stepper->takes_energy(sim->model) : "";
        const int fails = exceeds(j, term);
        if (!fails && (loss || !is_told(j, term))) continue;
        br_reason r = begin(j, term, BR_REASON_ENERGY);
        br_shares_largest(sim, loss, r.element);
        say(j, term, loss ? "the time stepping took" : "the time stepping made", &r);
        append_where(&r);
        append(&r, ": ");
        append(&r, meant[0] ? meant : br_judge_remedy(sim, loss));
        if (!meant[0]) append(&r, " may help");
        r.fails = fails && !meant[0];
        br_judgement_add(out, &r);
    }
}

static void judge_remainder(const br_sim *sim, br_judgement *out) {
    const br_judge *j = sim->judge;
    for (int k = 0; k < 2; k++) {
        const br_judged term = k ? BR_JUDGED_VANISHED : BR_JUDGED_APPEARED;
        if (!exceeds(j, term)) continue;
        br_reason r = begin(j, term, BR_REASON_ENERGY);
        say(j, term,
            k ? "equations that were not solved exactly lost" : "equations that were not solved exactly made",
            &r);
        append(&r, br_sim_traits(sim)->impulses ? ": a smaller solver.tol, " : ": ");
        append(&r, br_judge_remedy(sim, k));
        append(&r, " may help");
        br_judgement_add(out, &r);
    }
}

// --- signs -------------------------------------------------------------------------------------------------

// With restitution and friction the two parts of an impulse can give and take from each other, and by Newton's law together they
// can give [Kane]: that is the law's doing. Poisson's second phase has friction of its own, which may push on where the first one
// ended. Under the reference stepper the step is not known, so the model's pairs decide.
static const char *rebound_gives(const br_sim *sim, const br_giver *giver) {
    const br_model_contact *contact = sim->model->contact;
    int newton = giver->newton, poisson = giver->poisson;
    for (int k = 0; !br_sim_traits(sim)->impulses && contact && k < contact->pairs; k++)
        if (contact->pair[k].restitution > 0.0)
            *(contact->pair[k].restitution_poisson ? &poisson : &newton) = 1;
    return newton ? "Newton's" : poisson ? "Poisson's" : NULL;
}

static void blame_rebound(const br_sim *sim, const char *whose, br_reason *r) {
    r->fails = exceeds(sim->judge, BR_JUDGED_CONTACT);
    append(r, ": ");
    append(r, whose);
    append(r, " restitution with friction can do that by itself; ");
    append(r, !r->fails         ? "impacts and friction together took energy"
              : whose[0] == 'N' ? "restitution_law: poisson may help"
                                : "less restitution, or less friction, may help");
}

// In a blow the normal impulse pushes what is struck along the surface too, and friction holds against that push: its work on the
// velocity before and after may then be a gift, paid for by the normal impulse. Together they only take. So does the friction of a joint
// that a blow turns round: it holds against where the joint goes afterwards, half of which is where it came from.
static int blow_gives(const br_sim *sim, const br_giver *giver) {
    const int known = sim->model->settings.solver.stepper == BR_STEPPER_CONTACT;
    if (giver->who.known && giver->who.row >= 0 && !known) return 0; // a joint, and no step to look at
    return (known ? giver->blow : sim->model->contact != NULL) && !exceeds(sim->judge, BR_JUDGED_CONTACT);
}

static void judge_signs(const br_sim *sim, br_judgement *out) {
    static const br_reason_kind kind[BR_JUDGED_SIGNS] = {BR_REASON_IMPACT, BR_REASON_DAMPING,
                                                         BR_REASON_FRICTION};
    static const char *const gave[2][BR_JUDGED_SIGNS] = {{"contacts, which can only take energy, gave",
                                                          "dampers, which can only take energy, gave",
                                                          "friction, which can only take energy, gave"},
                                                         {"impulses of contacts gave", "", "friction gave"}};
    const br_judge *j = sim->judge;
    for (int k = 0; k < BR_JUDGED_SIGNS; k++) {
        const br_giver *giver = &j->giver[k];
        if (!exceeds(j, (br_judged)k)) continue;
        br_reason r = begin(j, (br_judged)k, kind[k]);
        const char *whose = kind[k] != BR_REASON_DAMPING ? rebound_gives(sim, giver) : NULL;
        const int blow = kind[k] != BR_REASON_DAMPING && !whose && blow_gives(sim, giver);
        br_culprit_name(sim, &giver->who, r.element);
        say(j, (br_judged)k, gave[whose != NULL || blow][k], &r);
        append_where(&r);
        if (whose) {
            blame_rebound(sim, whose, &r);
        } else if (blow) {
            r.fails = 0;
            append(
                &r,
                ": in a blow friction and the normal impulses can pass energy to each other; together they "
                "took energy");
        } else {
            append(&r, ": ");
            append(&r, br_judge_remedy(sim, 0));
            append(&r, " may help");
        }
        br_judgement_add(out, &r);
    }
}

static void judge_penetration(const br_sim *sim, br_judgement *out) {
    const br_judge *j = sim->judge;
    br_reason r;
    if (!(j->depth > j->depth_limit)) return;
    memset(&r, 0, sizeof r);
    r.what = BR_REASON_PENETRATION, r.fails = 1, r.t = j->depth_t, r.value = j->depth,
    r.limit = j->depth_limit;
    br_culprit_name(sim, &j->deepest, r.element);
    snprintf(r.text, sizeof r.text,
             "rigid shapes are %.3g m inside each other at t = %.6g s (%s), %.3g %% of the thinner one "
             "(limit %g %%): a "
             "smaller solver.step or less force may help",
             j->depth, j->depth_t, r.element, 100.0 * BR_JUDGE_PENETRATION * j->depth / j->depth_limit,
             100.0 * BR_JUDGE_PENETRATION);
    br_judgement_add(out, &r);
}

static void judge_cut(const br_sim *sim, br_judgement *out) {
    const br_judge *j = sim->judge;
    br_reason r;
    if (j->cut_steps == 0) return;
    memset(&r, 0, sizeof r);
    r.what = BR_REASON_ERROR, r.fails = j->cut > BR_JUDGE_CUT, r.t = j->cut_t, r.value = j->cut,
    r.limit = BR_JUDGE_CUT;
    snprintf(r.text, sizeof r.text,
             "solver.max_work: %d ended the contact problem of %lld of %ld steps at the best found; its "
             "residual is at most %.2g of "
             "the load (t = %.6g s, limit %g)%s",
             sim->model->settings.solver.max_work, (long long)j->cut_steps, sim->ledger->steps, j->cut,
             j->cut_t, BR_JUDGE_CUT,
             r.fails ? ": a larger one, a smaller solver.step or a run without it may help" : "");
    br_judgement_add(out, &r);
}

// Rigid bodies that touch do not say how a blow with restitution goes through them: a row of balls that is struck may send off the
// last one (as steel does) or all of them together, and both keep energy and momentum. The law takes one answer.
static void judge_shared_blow(const br_sim *sim, br_judgement *out) {
    const br_judge *j = sim->judge;
    char other[BR_MAX_EVENT_NAME];
    br_reason r;
    if (!j->shared[0].known) return;
    memset(&r, 0, sizeof r);
    r.what = BR_REASON_IMPACT, r.t = j->shared_t, r.value = r.limit = NAN;
    br_culprit_name(sim, &j->shared[0], r.element);
    br_culprit_name(sim, &j->shared[1], other);
    snprintf(
        r.text, sizeof r.text,
        "the blow at t = %.6g s went through %.100s and %.100s at once, and restitution does not say how "
        "bodies that touch share it: the law takes one answer of several. Small gaps between them, or pairs "
        "with compliance, decide it",
        r.t, r.element, other);
    br_judgement_add(out, &r);
    if (out->credible == BR_CREDIBLE) out->credible = BR_CREDIBLE_OPEN;
}

// --- all of it ---------------------------------------------------------------------------------------------

void br_sim_judge(const br_sim *sim, br_judgement *out) {
    const br_judge *j = sim->judge;
    const br_extreme *gain = &j->extreme[BR_JUDGED_GAIN], *loss = &j->extreme[BR_JUDGED_LOSS];
    memset(out, 0, sizeof *out);
    out->credible = BR_CREDIBLE;
    out->limit = BR_JUDGE_LIMIT, out->least = j->floor;
    out->gain = gain->change, out->size = size_of(j, gain);
    out->loss = loss->change, out->loss_size = size_of(j, loss);
    judge_scheme(sim, out);
    judge_remainder(sim, out);
    judge_signs(sim, out);
    judge_penetration(sim, out);
    judge_cut(sim, out);
    judge_shared_blow(sim, out);
    out->order = sim->stepper->order(&sim->model->settings.solver);
    out->steps = sim->ledger->steps;
    out->lower_orders = j->lower_orders;
    for (int k = 0; k < j->lower_orders; k++) {
        const br_order_note *note = &j->lower_order[k];
        br_lower_order *lower = &out->lower_order[k];
        lower->order = note->order, lower->steps = (long)note->steps;
        lower->first = note->first, lower->last = note->last;
        memcpy(lower->why, note->why, sizeof lower->why);
    }
}
