// Motions of bodies on contacts alone, cut into cones, each a small linear program: whether any motion can begin.
//
// The motions in which some contacts keep touching and the others part are a cone, whose faces are few. In a face motions y have at most
// BR_CELL_FREEDOM coordinates; a cell is the cone over a patch of a cube's surface in them. Over a cell the slip of a contact keeps to an
// angle, or may vanish: then its friction is anything within its disc. So a cell's program contains every motion of the cell with its forces,
//
//     A x + lambda load = y - Q     (coordinates in which M is the identity, without motions that nothing resists)
//
// and cells are halved until none is left, or until the caps. Nothing of a cell is lost: what is found is a bound that holds.
// Only where every pad is a contact at rest; else nothing is made, and modes.h searches.
#ifndef BR_TRUST_CELLS_CELLS_H
#define BR_TRUST_CELLS_CELLS_H

#include "trust/onset.h"
#include "trust/cells/tableau.h"

#define BR_CELL_FREEDOM 6
#define BR_CELL_CORNERS 32 // of the largest
#define BR_CELL_CONTACTS 64
#define BR_CELL_ROWS 24     // motions in all
#define BR_CELL_TANGENTS 96 // lines around a disc
#define BR_MAX_CELLS 6000   // open at once
#define BR_MAX_CELL_PROGRAMS 30000
#define BR_MAX_FACES 512

typedef struct br_cell {
    int axis, sign;
    double low[BR_CELL_FREEDOM], high[BR_CELL_FREEDOM], bound;
} br_cell;

typedef struct br_cell_contact {
    int pad, directions;
    double mu_rest, mu_slip;
    const double *normal;      // [rows] what a unit of force does, and the lift of each motion
    const double *friction[2]; // the same, and the slips
    double unit;               // a force of 1 of the program is this much
    int tangents;
    double angle[BR_CELL_TANGENTS];
} br_cell_contact;

typedef struct br_cells {
    int made;
    const br_case *c;
    int rows, contacts;
    double *motion; // [rows * n] by M orthonormal
    double *load,
        *grow;   // [rows] what has to be balanced, and the load of unknown size (NULL: none), of order one
    double size; // of the loads: what 1 of the program is
    br_cell_contact contact[BR_CELL_CONTACTS];
    int faces;
    unsigned long long face[BR_MAX_FACES]; // bits of contacts that touch
    long programs;
    // Private: the face at work, its motions, the cell at work.
    unsigned long long touching;
    int freedom, corners;
    double *basis;  // [BR_CELL_FREEDOM * rows]
    double *corner; // [BR_CELL_CORNERS * rows]
    int round;      // the last program's friction is within its discs, and not only within lines around them
    int first_corner;
    int first[BR_CELL_CONTACTS], known[BR_CELL_CONTACTS]; // columns of each contact
    double sector[BR_CELL_CONTACTS][2];
    br_cell *cell;
    br_tableau program;
} br_cells;

br_status br_cells_make(const br_case *c, br_arena *arena, int kinetic, br_cells *w);
typedef enum br_cells_answer {
    BR_CELLS_UNKNOWN = 0, // a cap or rounding ended it
    BR_CELLS_REST,        // proved: nothing can move, from rest or going on
    BR_CELLS_MOVE         // a motion that keeps the law to 1e-8
} br_cells_answer;
// *y [n of the balance]: the motion of BR_CELLS_MOVE.
br_cells_answer br_cells_judge(br_cells *w, double *y);
// The nearest factor of the load beyond `from` (times sign) at which a motion begins, *y [n] that motion; `limit` where none does before.
// *floor: caps and rounding left cells from there on; beyond it motions may begin that were not found.
double br_cells_begin(br_cells *w, double sign, double from, double limit, double *y, int *found,
                      double *floor);

#endif
