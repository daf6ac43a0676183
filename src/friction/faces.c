// Faces of an arrangement by going down: the cells of a flat (an intersection of hyperplanes) lie on both sides of the cells of the flats one
// dimension below it, each of which has a point inside that is known. Offsets become the normal's part along one more coordinate, y_0,
// of which only y_0 > 0 counts. Flats are known by the set of rows that vanish on them, so that each is visited once.
#include "friction/faces.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"

#define BR_DIMENSIONS (BR_MAX_FACE_FREEDOMS + 1) // with y_0
#define BR_ROWS (BR_MAX_FACE_ROWS + 1)           // with the row y_0 itself

typedef struct faces_point {
    double y[BR_DIMENSIONS]; // of length 1, inside its face
    unsigned zero;           // rows that vanish on its flat
    int moving;
} faces_point;

typedef struct faces_search {
    int rows, d;
    double tol;
    double normal[BR_ROWS][BR_DIMENSIONS];
    int count, flats, complete;
    faces_point point[2 * BR_MAX_FACES];
    unsigned flat[2 * BR_MAX_FACES]; // visited
} faces_search;

typedef struct faces_flat {
    int m;                                      // dimension
    double basis[BR_DIMENSIONS][BR_DIMENSIONS]; // m orthonormal rows
} faces_flat;

// The part of a row's normal along a flat; its length.
static double faces_along(const faces_search *s, const faces_flat *f, int row, double *along) {
    memset(along, 0, (size_t)s->d * sizeof *along);
    for (int k = 0; k < f->m; k++) {
        const double part = br_dot(s->d, s->normal[row], f->basis[k]);
        for (int c = 0; c < s->d; c++) along[c] += part * f->basis[k][c];
    }
    return sqrt(br_dot(s->d, along, along));
}

// A flat without what is along the unit vector `gone`: orthogonalized, the weakest vector dropped.
static faces_flat faces_cut(const faces_search *s, const faces_flat *f, const double *gone) {
    faces_flat out = {.m = f->m - 1};
    double left[BR_DIMENSIONS][BR_DIMENSIONS];
    int used[BR_DIMENSIONS] = {0};
    for (int k = 0; k < f->m; k++) {
        const double part = br_dot(s->d, f->basis[k], gone);
        for (int c = 0; c < s->d; c++) left[k][c] = f->basis[k][c] - part * gone[c];
    }
    for (int taken = 0; taken < out.m; taken++) {
        int best = -1;
        double most = 0.0;
        for (int k = 0; k < f->m; k++) {
            const double size = used[k] ? 0.0 : br_dot(s->d, left[k], left[k]);
            if (size > most) most = size, best = k;
        }
        if (best < 0) break;
        used[best] = 1;
        for (int c = 0; c < s->d; c++) out.basis[taken][c] = left[best][c] / sqrt(most);
        for (int k = 0; k < f->m; k++) {
            const double part = br_dot(s->d, left[k], out.basis[taken]);
            for (int c = 0; c < s->d; c++) left[k][c] -= part * out.basis[taken][c];
        }
    }
    return out;
}

static void faces_signs(const faces_search *s, const faces_point *p, signed char *sign) {
    for (int i = 0; i < s->rows; i++)
        sign[i] = (signed char)((p->zero >> i & 1u) ? 0 : br_dot(s->d, s->normal[i], p->y) > 0.0 ? 1 : -1);
}

static void faces_add(faces_search *s, const double *y, unsigned zero, int moving) {
    faces_point *p = &s->point[s->count];
    signed char sign[BR_ROWS], other[BR_ROWS];
    if (s->count == 2 * BR_MAX_FACES) {
        s->complete = 0;
        return;
    }
    const double size = sqrt(br_dot(s->d, y, y));
    for (int c = 0; c < s->d; c++) p->y[c] = size > 0.0 ? y[c] / size : 0.0;
    p->zero = zero, p->moving = moving;
    faces_signs(s, p, sign);
    for (int k = 0; k < s->count; k++) {
        if (s->point[k].zero != zero) continue;
        faces_signs(s, &s->point[k], other);
        if (memcmp(sign, other, (size_t)s->rows) == 0) return;
    }
    s->count++;
}

static unsigned faces_visit(faces_search *s, const faces_flat *flat);

// Cells on both sides of those of the flat in which `row` vanishes, too.
static void faces_beside(faces_search *s, const faces_flat *flat, const double *along, double size,
                         unsigned zero) {
    double unit[BR_DIMENSIONS];
    for (int c = 0; c < s->d; c++) unit[c] = along[c] / size;
    const faces_flat below = faces_cut(s, flat, unit);
    const unsigned on = faces_visit(s, &below);
    for (int k = 0, last = s->count; k < last; k++) {
        if (s->point[k].zero != on) continue;
        double step = 1.0, y[BR_DIMENSIONS];
        for (int i = 0; i < s->rows; i++) {
            const double length = sqrt(br_dot(s->d, s->normal[i], s->normal[i]));
            if (!(on >> i & 1u))
                step = fmin(step, 0.5 * fabs(br_dot(s->d, s->normal[i], s->point[k].y)) / length);
        }
        for (int side = -1; side <= 1; side += 2) {
            for (int c = 0; c < s->d; c++) y[c] = s->point[k].y[c] + side * step * unit[c];
            faces_add(s, y, zero, flat->m);
        }
    }
}

// All faces in a flat; the set of rows that vanish on it.
static unsigned faces_visit(faces_search *s, const faces_flat *flat) {
    double along[BR_DIMENSIONS];
    unsigned zero = 0;
    for (int i = 0; i < s->rows; i++)
        if (!(faces_along(s, flat, i, along) > s->tol)) zero |= 1u << i;
    for (int k = 0; k < s->flats; k++)
        if (s->flat[k] == zero) return zero;
    if (s->flats == 2 * BR_MAX_FACES) {
        s->complete = 0;
        return zero;
    }
    s->flat[s->flats++] = zero;
    if (flat->m == 0) {
        const double none[BR_DIMENSIONS] = {0.0};
        faces_add(s, none, zero, 0);
        return zero;
    }
    for (int i = 0; i < s->rows; i++) {
        const double size = faces_along(s, flat, i, along);
        if (size > s->tol) faces_beside(s, flat, along, size, zero);
    }
    return zero;
}

void br_faces_find(int rows, int d, const double *normal, const double *offset, double tol, br_faces *out) {
    faces_search s = {.rows = rows, .d = d, .tol = tol, .complete = 1};
    int affine = 0;
    out->count = 0, out->complete = 0;
    if (rows > BR_MAX_FACE_ROWS || d > BR_MAX_FACE_FREEDOMS) return;
    for (int i = 0; i < rows; i++) affine |= fabs(offset[i]) > tol;
    for (int i = 0; i < rows; i++) {
        memcpy(s.normal[i], normal + i * d, (size_t)d * sizeof *normal);
        if (affine) s.normal[i][d] = offset[i];
    }
    if (affine) s.normal[s.rows++][s.d++] = 1.0;
    faces_flat all = {.m = s.d};
    for (int k = 0; k < s.d; k++) all.basis[k][k] = 1.0;
    faces_visit(&s, &all);
    out->complete = s.complete;
    for (int moving = 0; moving <= s.d; moving++)
        for (int k = 0; k < s.count; k++) {
            signed char sign[BR_ROWS];
            faces_signs(&s, &s.point[k], sign);
            if (s.point[k].moving != moving || (affine && sign[rows] <= 0)) continue;
            if (out->count == BR_MAX_FACES) {
                out->complete = 0;
                return;
            }
            br_face *face = &out->face[out->count++];
            memcpy(face->sign, sign, (size_t)rows);
            face->moving = moving - affine;
        }
}
