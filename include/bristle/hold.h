// How much more of a load until it slips: the factors on a load between which friction holds the present state of a simulation.
//
//     br_hold_options options = br_default_hold_options();
//     const char *name[] = {"push"};
//     options.load = name, options.loads = 1;
//     br_hold(sim, &options, &report, &error);          // report.sure[1], report.possible[1]
//
// Friction is not associated, so that one number would be wrong: up to sure[1] it sticks for certain, beyond possible[1] it slides for
// certain. Between them both obey the law, or a disturbance decides. See docs/theory/hold.md.
#ifndef BRISTLE_HOLD_H
#define BRISTLE_HOLD_H

#include "bristle/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

// One thing that rubs: a joint ("slide_1") or a contact.
typedef struct br_hold_element {
    char name[BR_MAX_EVENT_NAME];
    int is_contact;
    // it slides already: what holds is asked of the others
    int sliding;
    double mu_static, mu_kinetic;
    // the least mu_static that holds the loads as they are, all falling together; INFINITY: none does; NAN: it slides, or no load reaches it
    double mu_critical;
    // the least mu_static of this one alone, the others as they are; the same
    double mu_alone;
    // it moves in the motion that begins at the lower, at the upper end of `sure`
    int goes[2];
} br_hold_element;

typedef struct br_hold_report {
    // s
    double t;
    // of the load as it is, N, N m, or m/s^2 of gravity; NAN: several loads
    double size;
    const char *unit;
    // something at rest feels the load; 0: nothing else is said
    int felt;
    // some factor holds it; 0: none does, `possible` and `sure` are NAN
    int held;
    // factors, least and most; INFINITY: no load of this kind moves it. Beyond it slides for certain
    double possible[2];
    // there is a factor at which nothing can begin to move: `sure` and `undisturbed` are about it, else NAN
    int certain;
    // between them no motion can begin or go on
    double sure[2];
    // the same while nothing disturbs it: from here to `sure` it stays unless something sets it in motion, mu_kinetic being smaller
    double undisturbed[2];
    // a factor inside `sure`: 1 where that is
    double from;
    // 0: a search ended at its caps: motions may begin within `sure` that were not found
    int exhaustive;
    // which goes first at the lower, at the upper end of `sure`; "": there is no end, or nobody knows
    char first[2][BR_MAX_EVENT_NAME];
    // smallest factor on every mu_static with which the loads as they are still hold; INFINITY: none
    double c_star;
    int elements;
    br_hold_element *element;
    // counted, what it took
    double work;
    // private
    void *memory;
} br_hold_report;

typedef struct br_hold_options {
    // loads, drives that give an effort, or "gravity", by name; together they have one factor. 0: every force and torque of the model
    const char *const *load;
    int loads;
    // nonzero: one force, or gravity, of its present size along `direction` instead (world axes, any length)
    int turned;
    br_vec3 direction;
    // nonzero: mu_alone of each element too, which takes a search each
    int alone;
    // counted work, about 1e9 to a second; 0: BR_HOLD_BUDGET
    double budget;
    // NULL: malloc
    const br_allocator *allocator;
} br_hold_options;

#define BR_HOLD_BUDGET 2e10

br_hold_options br_default_hold_options(void);

// The state is put back. BR_INVALID: a load that is not there, or has no size at this instant, or a model with beams or clearances, of
// which no balance of forces is known.
br_status br_hold(br_sim *sim, const br_hold_options *options, br_hold_report *report, br_error *error);
void br_hold_report_free(br_hold_report *report); // accepts a zeroed one

#ifdef __cplusplus
}
#endif

#endif
