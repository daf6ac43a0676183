// The examples of [BauchauJu2006]: their runs, each made once and kept. papers/bauchau_run.c makes them, papers/bauchau2006.c holds
// the rows, papers/bauchau_plot.c draws the figures, papers/bauchau_reference.c has an independent program's tables.
#ifndef BR_CLI_PAPERS_BAUCHAU_H
#define BR_CLI_PAPERS_BAUCHAU_H

#include "papers/papers.h"

typedef enum bauchau_case {
    BAUCHAU_CONSTANT = 0, // LuGre at a constant velocity
    BAUCHAU_RAMP,
    BAUCHAU_BELT, // Canudas de Wit's numbers, and with half the step
    BAUCHAU_BELT_HALF,
    BAUCHAU_BELT_PAPER, // friction of section 6, and with half the step
    BAUCHAU_BELT_PAPER_HALF,
    BAUCHAU_DROP_TOUCH, // a disc dropped in a hole: its first contact
    BAUCHAU_DROP,
    BAUCHAU_DROP_LOSS,
    BAUCHAU_DROP_HERTZ,
    BAUCHAU_STEP_CONTACT,  // the disc falling, with steps by Eqs. 19 and 20 alone
    BAUCHAU_STEP_FRICTION, // LuGre at a rising velocity, with steps by Eq. 33 alone
    BAUCHAU_SPIN,          // the disc spinning in its hole
    BAUCHAU_BAR,
    BAUCHAU_ROTOR_FREE,    // before the first contact, at the scene's own step
    BAUCHAU_ROTOR,         // at twice its step, as are the next two
    BAUCHAU_ROTOR_IMPACTS, // at its own step, each of which is a row: blows last for a few of them
    BAUCHAU_ROTOR_SMOOTH,  // Eq. 21 in place of LuGre's law
    BAUCHAU_ROTOR_PINNED,
    BAUCHAU_MECHANISM,           // case 1, the fifth revolution
    BAUCHAU_MECHANISM_CLEARANCE, // case 2
    BAUCHAU_CASES
} bauchau_case;

// Columns of a run, whose meaning is the case's.
enum { BAUCHAU_COLUMNS = 11, BAUCHAU_LOSSES = 16 };

// Of the rotor; pinned, without the last three.
enum { ROTOR_SPEED = 0, ROTOR_Y, ROTOR_Z, ROTOR_FORCE, ROTOR_MOMENT_Y, ROTOR_MOMENT_Z };
// Of the mechanism's case 1, forces in N.
enum {
    LINK_Q = 0,      // of joint Q on the slider along x, y, z
    LINK_ROOT = 3,   // at the root of the beam along y, z
    LINK_MIDDLE = 5, // in the middle of the link along its axis and across it
    LINK_X = 8,      // of the slider, m
};
// Of its case 2.
enum {
    PLAY_NORMAL = 0,
    PLAY_FRICTION,
    PLAY_SLIP,
    PLAY_ROOT,                   // along y, z
    PLAY_MIDDLE = PLAY_ROOT + 2, // along the link's axis and across it
    PLAY_X = PLAY_MIDDLE + 3,
    PLAY_BY_CONTACT, // step that Eq. 20 allows, s; at most the largest
    PLAY_BY_FRICTION // the same of Eq. 33
};

typedef struct bauchau_run {
    int count;                      // rows
    double *t;                      // [count] s
    double *value[BAUCHAU_COLUMNS]; // [count] each
    double touch;                   // first contact, s; NAN: none
    double lost[BAUCHAU_LOSSES][2]; // contact was lost, and came back, s; NAN: not before the end
    int losses;
    br_ledger ledger;
} bauchau_run;

br_status bauchau_get(papers_run *run, bauchau_case which, const bauchau_run **out, br_error *error);
double bauchau_radius(const bauchau_run *r, int row); // of the rotor's mid-span point, m
int bauchau_row(const bauchau_run *r, double t);      // nearest
double bauchau_crank(const bauchau_run *r, int row);  // angle within the fifth revolution, deg

enum { BAUCHAU_FIGURES = 9 };
extern const papers_figure bauchau_figures[BAUCHAU_FIGURES]; // Figs. 6 to 10 and 12 to 15

// The printed zone of unstable speeds, rad/s.
#define BAUCHAU_ZONE_FROM 44.069
#define BAUCHAU_ZONE_TO 44.453

// --- tables of an independent program --------------------------------------------------------------------------

typedef struct bauchau_rotor_sample {
    double t, speed, radius, force; // s, rad/s, m, N
} bauchau_rotor_sample;

typedef struct bauchau_link_sample {
    double crank;    // deg
    double force[5]; // of Q on the slider along x, y, z; at the root of the beam along y, z, N
} bauchau_link_sample;

extern const bauchau_rotor_sample bauchau_pinned[], bauchau_clearance[];
extern const int bauchau_pinned_count, bauchau_clearance_count;
extern const bauchau_link_sample bauchau_case_1[];
extern const int bauchau_case_1_count;

#endif
