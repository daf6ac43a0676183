// Private to the box pair: two boxes in the frame of one, and the contacts between two of their faces.
#ifndef BR_COLLIDE_PAIR_BOX_H
#define BR_COLLIDE_PAIR_BOX_H

#include "collide/pair.h"

// A reference box at the origin with its axes along x, y, z, and another one beside it.
typedef struct br_box_pair {
    double C[3][3];        // C[i][j] = reference axis i . other axis j
    double d[3];           // the other's centre
    double h[3], g[3];     // half lengths: reference, other
    const br_placement *X; // of the reference box
    double size;
    int flipped; // the reference box is B
} br_box_pair;

// Features: a corner of A against a face of B, a corner of B against a face of A, an edge of each crossing. They do not
// say which face was the reference, so the same contact keeps its number when that choice changes. A corner's bit k:
// on the upper side along axis k. An edge: its axis times 4 plus the sides along the two axes after it.
#define BR_BOX_CORNER_A 0x100u
#define BR_BOX_CORNER_B 0x200u
#define BR_BOX_CROSSING 0x400u
#define BR_BOX_NEAREST 0x800u // nearest points, of no face and no crossing: corner to corner, corner to edge

static inline uint32_t br_box_crossing(unsigned edge_a, unsigned edge_b) {
    return BR_BOX_CROSSING | edge_a << 4 | edge_b;
}

static inline unsigned br_box_edge(int axis, int up_1, int up_2) {
    return (unsigned)(axis * 4 + (up_1 ? 1 : 0) + (up_2 ? 2 : 0));
}

// The face of the reference box along axis k on the side `sign` against the face of the other that looks at it most:
// the corners of their overlap with gap <= margin along the reference face's normal. *least: the smallest gap.
int br_box_faces(const br_box_pair *pair, int k, double sign, double margin, br_contact_point *out,
                 double *least);

#endif
