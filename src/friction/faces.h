// In which combinations of ways can things begin to move that are tied to each other? The faces of an arrangement of hyperplanes.
//
//     r_i = offset_i + n_i . y,     y in R^d: d freedoms, i = 0 .. rows - 1 things that they move
//
// A face is a vector of signs (-1, 0, +1) of r that some y has. One freedom has three faces however many things it moves (all forward, all
// at rest, all back), two freedoms at most 2 rows * 2 + 1, where all combinations would be 3^rows. A row whose normal is zero has the sign of
// its offset in every face.
#ifndef BR_FRICTION_FACES_H
#define BR_FRICTION_FACES_H

#define BR_MAX_FACE_ROWS 16
#define BR_MAX_FACE_FREEDOMS 4
#define BR_MAX_FACES 512

typedef struct br_face {
    signed char sign[BR_MAX_FACE_ROWS];
    int moving; // dimension of the set of y: how many freedoms are in motion
} br_face;

typedef struct br_faces {
    int count;
    int complete; // 0: there are more freedoms or faces than there is room for
    br_face face[BR_MAX_FACES];
} br_faces;

// normal: [rows * d]. tol: |r| at most this, and normals at most this long, count as zero. Faces by rising `moving`, in a fixed order.
void br_faces_find(int rows, int d, const double *normal, const double *offset, double tol, br_faces *out);

#endif
