// Static equilibrium with the elements of the implicit stepper. Private to src/sim/implicit_static*.c.
//
//     statics/statics.c          the call: where the path starts, its points, what is told
//     statics/load.c     steps of the load; where stability changes between two of them
//     statics/arc.c      steps of arc length, limit points
//     statics/solve.c    one point by Newton's method
//     statics/judge.c    stability of a point
//     statics/settle.c   an equilibrium by descent, for what only loads hold
//
// R(u, factor) = 0, K = dR/du, P = -dR/dfactor. R is scaled by 1/stiffness, so that K is of size 1.
#ifndef BR_SIM_STUDY_STATICS_STATICS_H
#define BR_SIM_STUDY_STATICS_STATICS_H

#include "bristle/statics.h"
#include "sim/stepper/implicit/implicit.h"
#include "sim/study/modes/modes.h"

typedef struct br_static {
    br_implicit *f;
    int decaying;     // of the stepper, put back at the end
    double stiffness; // typical, N/m
    double
        force; // on a body, largest at the last factor and the first place: what residuals are relative to, N
    double span, arm; // size of the mechanism, m; length that turns are measured with
    double loosened;  // added to rigid bodies' diagonals, of stiffness; 0: not needed
    int loosen_beams; // and to those of beams' nodes
    int determinant;  // sign, of the last factors
    int unstable;     // by pivots of the last factors; -1: not known, the tangent is not symmetric
    double *sign;     // [unknowns] 1 for motions, -1 for rows: makes the tangent symmetric
    double *block;    // scratch of br_block_negative
    br_vec3 *x_start; // [nodes] where the call began
    double *by_load;  // [unknowns] K^-1 P
    double *slope;    // [unknowns] by_load at the start of the step
    // arc length
    double weight; // of the factor, m
    double *along; // [unknowns] the last step
    double along_factor;
} br_static;

typedef enum br_static_outcome {
    BR_STATIC_FOUND = 0,
    BR_STATIC_DIVERGES,
    BR_STATIC_SINGULAR
} br_static_outcome;

typedef struct br_static_solution {
    br_static_outcome outcome;
    int iterations;
    double residual;
} br_static_solution;

// The mean over nodes of what two sets of unknowns have in common, m^2. Forces of rows have no part in it.
double br_static_dot(const br_static *s, const double *a, const double *b);
void br_static_step_taken(const br_static *s, double *out); // moves and turns from the step's start
br_status br_static_factor(br_static *s);                   // tangent at the nodes' ends, factored
void br_static_count(br_static *s);                         // unstable, of these factors
void br_static_by_load(br_static *s);                       // by_load, with these factors and their residual
// At a given factor, from where the nodes are.
br_static_solution br_static_at_factor(br_static *s, double factor);
// At the distance `length` along the path, in the sense of s->along; the factor moves with it.
br_static_solution br_static_at_length(br_static *s, double length);
void br_static_begin(br_static *s);   // a step starts here
void br_static_go_back(br_static *s); // to its start
double br_static_residual(const br_static *s);
const char *br_static_most_pushed(br_static *s,
                                  double *force); // name of the body; N, at the factor that is set
// What moves most in the motion x, [6 nodes], in words: "bob turns about [0, 1, 0]".
void br_static_describe(const br_static *s, const double *x, char *out, size_t size);
br_status br_static_prepare(br_static *s, double until, br_error *error); // scales of the mechanism

// --- stability ---------------------------------------------------------------------------------------------

typedef struct br_static_verdict {
    int known;                     // 0: not judged
    int unstable;                  // motions that run away
    int flutter;                   // motions that swing with a growing size
    int neutral;                   // motions without any stiffness
    int pushed;                    // the loads at the end of the path push along one of these
    int potential;                 // the tangent is symmetric
    int by_pivots;                 // neutral motions and flutter were not looked for
    double growth;                 // of the fastest, 1/s
    char free[BR_MAX_STATIC_TEXT]; // a neutral motion in words; one that is pushed, if any is
} br_static_verdict;

// At the point where the nodes are and the factor that is set; both stay.
// quick: by pivots, which see neither neutral motions nor flutter.
br_status br_static_judge(br_static *s, double until, int quick, br_static_verdict *out, br_error *error);
int br_static_is_quick(const br_static *s); // pivots have to do between the ends of the path
int br_static_is_large(const br_static *s); // stability is judged by pivots alone
void br_static_forget(br_implicit *f);      // what beams remember of the last iteration

// The motion linearized where the nodes are; the stepper is as it was after it is closed, which is always due.
typedef struct br_static_look {
    br_linear l;
    br_arena arena, scratch;
    br_borrowed borrowed;
} br_static_look;
br_status br_static_look_open(br_static_look *k, br_static *s, br_error *error);
void br_static_look_close(br_static_look *k, br_static *s);

// Downhill from where the nodes are to an equilibrium at the factor that is set. 0: none was found.
int br_static_settle(br_static *s);

// --- the path ----------------------------------------------------------------------------------------------

typedef struct br_static_path {
    br_static s;
    const br_static_settings *settings;
    br_static_callback each;
    void *context;
    br_static_report report;
    br_static_verdict look; // of the last place that was looked at
    double first;           // step of the factor, or length
    double slope;           // dfactor/dlength at the last point; 0: not known
    double begun;           // factor of the path's first point
    int ended;              // by the callback
    int iterations;         // since the last point that was told
    br_node *told;          // [nodes] of the last point that was told, and
    br_node_state *told_start;
    double *told_forces; // [row_count]
} br_static_path;

// Channels can be read at this point; joints count their turns.
void br_static_commit(br_static_path *p);
br_status br_static_take_point(br_static_path *p, const br_static_solution *found, br_error *error);
void br_static_return(br_static_path *p); // to the last point that was told
br_status br_static_look_at(br_static_path *p, br_static_verdict *out, br_error *error);
int br_static_differ(const br_static_verdict *a, const br_static_verdict *b); // in what runs away or flutters
void br_static_add_event(br_static_path *p, br_static_event_kind kind, double from, double factor,
                         const br_static_verdict *before, const br_static_verdict *after);
br_status br_static_fail_limit(const br_static_path *p, br_static_outcome outcome, double factor, int limit,
                               br_error *error);
double br_static_width(const br_static_path *p, double factor); // to which changes are located
br_status br_static_raise(br_static_path *p, br_error *error);
br_status br_static_follow(br_static_path *p, br_error *error);

#endif
