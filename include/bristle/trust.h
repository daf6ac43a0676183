// How far a stiction result can be trusted: is it unique, how far could its forces be others, what would make it slide.
//
//     br_trust_instant   of the present state of a simulation
//     br_trust_run       moves the simulation to a time and tells the verdict of every interval on the way
//
// Friction that holds a mechanism still is a set of inequalities: forces x = x_0 + Z alpha that balance the loads, |f_i| <= mu_i N_i.
// Everything below is about that set [Wojtyra2017 sec. 3; docs/theory/trust.md]. The verdicts are quasi-static: rate effects and
// transients can defeat "metastable".
#ifndef BRISTLE_TRUST_H
#define BRISTLE_TRUST_H

#include "bristle/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum br_verdict {
    BR_MOVES = 0,     // something that rubs slides or rolls, or nothing rubs; what is stuck is judged by name
    BR_STICKS_ROBUST, // balanced at rest, and no slip could sustain itself
    BR_STICKS_METASTABLE, // balanced at rest, but once sliding, kinetic friction would not stop it
    BR_UNDETERMINED,      // both rest and sliding satisfy Coulomb's law: the rigid model cannot tell
    BR_SLIDES_CERTAIN,    // no friction forces within their limits balance the loads
    BR_SLIDES_NOT_UNIQUE, // slides, and more than one motion obeys the law: redundant constraints leave its loads open, or friction is large
    BR_NOT_JUDGED, // nothing is said: the model has parts that no verdict knows, or the budget ended before
    BR_VERDICTS
} br_verdict;

const char *br_verdict_name(br_verdict verdict); // "sticks_robust", ...

// What an element that rubs does at an instant: what its law makes of the state, see docs/theory/trust.md.
typedef enum br_element_state {
    BR_ELEMENT_STUCK = 0,
    BR_ELEMENT_SLIDING,
    BR_ELEMENT_ROLLING, // a contact whose point does not slide, between bodies that turn against each other
    BR_ELEMENT_OPEN,    // a contact that carries nothing
    BR_ELEMENT_MOVING,  // slides without friction
    BR_ELEMENT_STATES
} br_element_state;

const char *br_element_state_name(br_element_state state); // "stuck", ...

// One friction force: of a joint ("slide_1"; "ball.0", ".1" for several directions) or of a contact.
typedef struct br_trust_force {
    char name[BR_MAX_EVENT_NAME];
    int is_contact;
    br_element_state state;
    // of this element; BR_MOVES: it slides
    br_verdict verdict;
    // the force itself is determined by the loads
    int unique;
    // its load is
    int normal_unique;
    // N (or N m), what the simulation computed
    double force;
    // N
    double normal;
    // over all balanced forces within the limits; min > max: there are none
    double friction_min, friction_max;
    // over those that oppose one common upcoming motion
    double coherent_min, coherent_max;
    // w_i of [Wojtyra2017 eq. 24]: sliding velocity per unit of the fastest; NAN above 1 freedom
    double velocity_ratio;
    // c_i of eq. 22, s/m; INFINITY for set-valued laws
    double slope;
} br_trust_force;

typedef struct br_trust_sensitivity {
    // "slide_1.v_slope", "pin.compliance"
    char parameter[BR_MAX_EVENT_NAME];
    // "slide_2.friction", "break_away"
    char quantity[BR_MAX_EVENT_NAME];
    // d quantity/d ln parameter, N or s
    double value;
    // factor on the parameter at which sticking turns into sliding or back; NAN: none found in 1/20 .. 20
    double flips_at;
    // flips_at is NAN because the way from rest could not be followed
    int flips_undecided;
} br_trust_sensitivity;

typedef struct br_trust_interval {
    // s
    double from, to;
    // s: the instant of it that is told, the one nearest to sliding
    double at;
    br_verdict verdict;
    // dimension of the forces that do nothing
    int nullity;
    // of them, without friction: redundant constraints
    int permanent_nullity;
    // degrees of freedom with friction released
    int freedom;
    // 0: more stick and slip modes than were searched
    int exhaustive;
    // sliding from rest is consistent at mu_static, at mu_kinetic
    int onset_static, onset_kinetic;
    // smallest factor on mu_static that still balances; INFINITY: none does
    double c_star, c_star_coherent;
    int forces;
    br_trust_force *force;
    int sensitivities;
    br_trust_sensitivity *sensitivity;
    // one sentence: what would settle it
    char settle[400];
    // names of reactions that are not unique, ", " between
    char not_unique[400];
    // what the verdict is about, "slide_1 and slide_2": what rubs and is at rest; of `moves` what slides or rolls
    char of[200];
    // where they differ: what is stuck, verdict by verdict, "lower sticks_robust"
    char by_name[200];
} br_trust_interval;

// Why a report is not credible, or why that is not known.
typedef struct br_trust_reason {
    // "undetermined", "slides_not_unique", "slid_where_held", "sensitive", "not_judged"
    char what[24];
    // s, the time it is about
    double t, to;
    // by name; "": the model
    char element[BR_MAX_EVENT_NAME];
    // what was found, and what would do; NAN: no number stands for it
    double value, limit;
    // a sentence, with names and times
    char text[400];
    // which; -1: the whole
    int interval;
} br_trust_reason;

typedef struct br_trust_report {
    int intervals;
    br_trust_interval *interval;
    // all of it was judged, no interval is undetermined or not unique, nor sensitive where it matters
    int credible;
    // nothing speaks against it, but not all of it was judged: neither credible nor not
    int not_judged;
    // 0 where it is credible
    int reasons;
    // those against it first, then what was not judged
    br_trust_reason *reason;
    // counted, what it took
    double work;
    // private
    void *memory;
} br_trust_report;

typedef struct br_trust_options {
    // nonzero: only the loads move on in time, the mechanism stays as it is
    int at_rest;
    // s, how often a run is looked at; 0: 200 looks
    double sample;
    // nonzero: a quarter of the looks where `sample` is 0
    int quick;
    // nonzero: find them
    int sensitivities;
    // counted work (pivots and nodes by their size, steps), about 1e9 to a second; 0: BR_TRUST_BUDGET
    double budget;
    // from time to time: the instant, part of the budget; NULL
    void (*progress)(void *context, double t, double part);
    void *progress_context;
    // NULL: malloc
    const br_allocator *allocator;
} br_trust_options;

#define BR_TRUST_BUDGET 1e11 // of a verdict that was asked for
#define BR_TRUST_INSTANT 2e8 // of an instant that nobody asked about: a tenth of a second's worth

br_trust_options br_default_trust_options(void);
// The budget of a verdict that nobody asked for, of the run that `sim` has made: about the work of that run once more, from the
// counts of its ledger.
double br_trust_budget(const br_sim *sim);

// Beams, springs and clearances are in the balance with the forces of their deflections. A spatial model whose contact law has corners is
// BR_NOT_JUDGED, and so is what the budget does not reach. That is no failure; report->reason tells it.
//
// The state is put back. report->interval[0] has from = to = the present time.
br_status br_trust_instant(br_sim *sim, const br_trust_options *options, br_trust_report *report,
                           br_error *error);
// From the present time to `until`; boundaries between verdicts are bisected to 1e-4 of a step. Where the budget ends the simulation stays;
// a model that cannot be judged is not moved.
br_status br_trust_run(br_sim *sim, double until, const br_trust_options *options, br_trust_report *report,
                       br_error *error);
void br_trust_report_free(br_trust_report *report); // accepts a zeroed one

#ifdef __cplusplus
}
#endif

#endif
