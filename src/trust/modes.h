// What the pads of an instant may do next. Is there an acceleration that Coulomb's law allows, with
//
//     M a = Q + A x;   each pad at rest stays (|f| <= mu_static N, no slip), or starts to slide (f = -mu N against its slip), or,
//     a contact, parts (no force); each pad that slides has f = -N drag by its law, or, a contact, parts
//
// [Wojtyra2017 eq. 6 at rest], in which a given pad moves, or stays? All modes and, where redundant rows leave them open, all forces
// are searched by branch and bound (feasible_search.h). What slides from rest has mu_static or mu_kinetic.
#ifndef BR_TRUST_MODES_H
#define BR_TRUST_MODES_H

#include "trust/onset.h"

#define BR_MAX_MODES 20000       // nodes of all questions together
#define BR_MAX_MODES_VECTOR 3000 // the same where slips have several directions: more would rarely prove more
#define BR_MAX_SEVERAL_VECTOR                                                                                \
    300                     // the same of whether there are several motions: found or proved quickly, or left
#define BR_EPS_SEVERAL 1e-6 // of accelerations: two motions, not one
#define BR_EPS_SEVERAL_VECTOR 1e-4 // the same with patches, which stop at a law broken by 1e-7
#define BR_EPS_ONSET 1e-9          // slip acceleration that counts, relative
#define BR_EPS_FAR_OUT                                                                                       \
    1e-12 // of the sum of unknowns: slip that counts where forces are huge, ten times what the law is kept to
#define BR_MAX_FAR_OUT 4         // searches with a larger slip asked for
#define BR_EPS_STAYS 1e-8        // of accelerations: rows at rest that are kept
#define BR_EPS_ONSET_VECTOR 1e-6 // the same with loads or slips of several directions

typedef enum br_modes_kind {
    BR_MODES_REST,   // all pads at rest stay: forces in the pads' own axes, for bounds
    BR_MODES_STATIC, // what starts to slide has mu_static
    BR_MODES_KINETIC,
    BR_MODES_ONSET, // the same, of a motion that is about to begin: accelerations from rest are directions alone and take no force
    BR_MODES_ONSET_KINETIC
} br_modes_kind;

typedef struct br_modes {
    const br_case *c;
    br_family family; // columns of the balance, then s
    br_region region; // its pads are those of c->pad, in that order
    int rest_only;
    int onset;
    int made;                          // 0: the work was used up before
    double *factor;                    // [pads] of forces in the region
    double *slip_factor, *lift_factor; // [pads]
    double (*turn)[9];                 // [pads] axes of the region's directions in the pad's
    double *coefficient;               // [family.columns]
    double least_slip, least_apart;    // of a slip; between two motions
    int *group_rests;                  // [groups] it cannot move
    double *alpha, *q;                 // [unknowns]
} br_modes;

#define BR_MODES_ROWS 4 // of a region with a load of unknown size: what its searches may ask for besides

br_status br_modes_make(const br_case *c, br_arena *arena, br_modes_kind kind, br_modes *w, br_error *error);
void br_modes_keep(const br_modes *w, const double *alpha,
                   br_onset *out); // who moves in an answer, and the forces
// Whether pad i of the case can begin to slide, or to part; out->moves tells which others do then. Pads that cannot move may be
// fixed as resting in region.fixed before.
int br_modes_move(br_modes *w, int i, br_onset *out, int *exhaustive);
int br_modes_rest(br_modes *w, int i, int *exhaustive); // whether pad i can stay, whatever the others do
// Whether more than one motion obeys the law. Where pads slip in several directions only where that is proved cheaply or found.
int br_modes_several(br_modes *w, br_arena *arena, int *exhaustive);

#endif
