// Motions of bodies on contacts alone, cut into cones, see cells.h.
#include "trust/cells/cells.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "math/elementary.h"

#define EPS_GONE 1e-9     // of a motion: what others leave of it is rounding
#define EPS_LIFTS 1e-9    // of a lift
#define EPS_MOVES 1e-9    // of what the loads could give: an acceleration below is none
#define LEAST_COSINE 0.2  // of a slip's angle to the middle of its cell: beyond, the cell does not bound it
#define NARROW_REST 1e-8  // radians: a cell that narrow, in which something accelerates, is a motion,
#define LEAST_MOTION 1e-4 // if it accelerates by this much of what the loads could give
#define NARROW_END 1e-10  // and where the end is sought
#define EPS_TOUCH 1e-10   // of a disc
#define EPS_SECTOR 1e-10  // radians by which a sector is wider, so that rounding leaves something in it
#define REACH_OF_END 1e4  // of the loads: motions under forces beyond are not looked for
#define EPS_BEST 1e-9     // of a factor
#define MAX_COMBINATIONS 20000
#define MAX_RAYS 256
#define MOST_ROUNDS 60 // of lines around discs

// --- what is in it ------------------------------------------------------------------------------------------------

static int is_fit(const br_case *c) {
    const br_balance *b = c->b;
    int contacts = 0;
    if (!c->stays || c->motions == 0 || c->motions > BR_CELL_ROWS || b->pads > BR_CELL_CONTACTS) return 0;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        if (p->sliding || p->normal < 0 || p->may_pull || p->directions > 2) return 0;
        contacts += p->directions > 0;
    }
    return contacts > 0;
}

static void times_mass(const br_balance *b, const double *v, double *out) {
    for (int i = 0; i < b->n; i++) out[i] = br_dot(b->n, b->M + (size_t)i * (size_t)b->n, v);
}

// v without its parts along the first `count` of the motions, by M, to length 1. 0: nothing is left.
static int orthonormal(const br_balance *b, int count, const double *motion, double *v, double *force) {
    double before = 0.0;
    for (int round = 0; round < 3; round++) {
        times_mass(b, v, force);
        if (round == 0) before = br_dot(b->n, v, force);
        for (int k = 0; k < count && round < 2; k++) {
            const double *other = motion + (size_t)k * (size_t)b->n, along = br_dot(b->n, other, force);
            for (int i = 0; i < b->n; i++) v[i] -= along * other[i];
        }
    }
    const double square = br_dot(b->n, v, force);
    if (!(square > EPS_GONE * EPS_GONE * before)) return 0;
    for (int i = 0; i < b->n; i++) v[i] /= sqrt(square);
    return 1;
}

// Motions that the joints allow, by M orthogonal to those that nothing resists. 0: no memory.
static int make_motions(br_cells *w, br_arena *arena) {
    const br_case *c = w->c;
    const br_balance *b = c->b;
    const size_t n = (size_t)b->n;
    double *all = BR_TAKE(arena, double, (size_t)(c->motions + c->loose) * n),
           *force = BR_TAKE(arena, double, n);
    int kept = 0, loose = 0;
    if (!all || !force) return 0;
    for (int k = 0; k < c->loose + c->motions; k++) {
        const double *from = k < c->loose ? c->L + (size_t)k * n : c->V + (size_t)(k - c->loose) * n;
        memcpy(all + (size_t)kept * n, from, n * sizeof *all);
        if (orthonormal(b, kept, all, all + (size_t)kept * n, force)) kept++, loose += k < c->loose;
    }
    w->motion = all + (size_t)loose * n;
    w->rows = kept - loose;
    return 1;
}

static double *project(const br_cells *w, br_arena *arena, const double *force, size_t stride) {
    double *out = BR_TAKE(arena, double, w->rows);
    for (int m = 0; out && m < w->rows; m++)
        for (int i = 0; i < w->c->b->n; i++)
            out[m] += w->motion[(size_t)m * (size_t)w->c->b->n + (size_t)i] * force[(size_t)i * stride];
    return out;
}

// What has to be balanced: Q - M a_held along the motions.
static int make_loads(br_cells *w, br_arena *arena) {
    const br_balance *b = w->c->b;
    double *force = BR_TAKE(arena, double, b->n);
    if (!force) return 0;
    times_mass(b, w->c->a_held, force);
    for (int i = 0; i < b->n; i++) force[i] = b->Q[i] - force[i];
    w->load = project(w, arena, force, 1);
    if (b->loads > 0) w->grow = project(w, arena, b->A + b->columns - 1, (size_t)b->columns);
    if (!w->load || (b->loads > 0 && !w->grow)) return 0;
    w->size = br_norm(w->rows, w->load);
    if (!(w->size > 0.0) && w->grow) w->size = br_norm(w->rows, w->grow);
    for (int m = 0; m < w->rows && w->size > 0.0; m++) {
        w->load[m] /= w->size;
        if (w->grow) w->grow[m] /= w->size;
    }
    return 1;
}

static void first_tangents(br_cell_contact *k) {
    k->tangents = 4;
    for (int t = 0; t < 4; t++) k->angle[t] = 0.5 * BR_PI * t;
}

static int make_contacts(br_cells *w, br_arena *arena, int kinetic) {
    const br_balance *b = w->c->b;
    w->contacts = b->pads;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        br_cell_contact *k = &w->contact[i];
        *k = (br_cell_contact){.pad = i, .directions = p->directions, .mu_rest = p->mu_static};
        k->mu_slip = kinetic ? p->mu_kinetic : p->mu_static;
        double *normal = project(w, arena, b->A + p->normal, (size_t)b->columns);
        if (!normal) return 0;
        const double length = br_norm(w->rows, normal);
        if (!(length > 0.0)) return w->rows = 0, 1;
        k->normal = normal, k->unit = w->size / length;
        for (int m = 0; m < w->rows; m++) normal[m] /= length;
        for (int d = 0; d < p->directions; d++) {
            double *along = project(w, arena, b->A + p->column + d, (size_t)b->columns);
            if (!along) return 0;
            for (int m = 0; m < w->rows; m++) along[m] /= length;
            k->friction[d] = along;
        }
        first_tangents(k);
    }
    return 1;
}

// --- faces --------------------------------------------------------------------------------------------------------

// Lifts of the contacts in as many coordinates as they span. Returns how many.
static int lift_coordinates(const br_cells *w, double *coordinate, double *axis) {
    int rank = 0;
    double *left = axis + (size_t)w->rows * (size_t)w->rows;
    for (int i = 0; i < w->contacts && rank < w->rows; i++) {
        memcpy(left, w->contact[i].normal, (size_t)w->rows * sizeof *left);
        for (int turn = 0; turn < 2; turn++)
            for (int k = 0; k < rank; k++) {
                const double along = br_dot(w->rows, left, axis + k * w->rows);
                for (int m = 0; m < w->rows; m++) left[m] -= along * axis[k * w->rows + m];
            }
        const double length = br_norm(w->rows, left);
        if (!(length > EPS_LIFTS)) continue;
        for (int m = 0; m < w->rows; m++) axis[rank * w->rows + m] = left[m] / length;
        rank++;
    }
    for (int i = 0; i < w->contacts; i++)
        for (int k = 0; k < rank; k++)
            coordinate[i * rank + k] = br_dot(w->rows, w->contact[i].normal, axis + k * w->rows);
    return rank;
}

// A vector orthogonal to rank - 1 others, by elimination; 0: they are dependent.
static int normal_to(int rank, const double *coordinate, const int *which, double *out) {
    double N[BR_CELL_ROWS][BR_CELL_ROWS];
    int column[BR_CELL_ROWS];
    for (int k = 0; k < rank; k++) column[k] = k;
    for (int r = 0; r < rank - 1; r++)
        memcpy(N[r], coordinate + which[r] * rank, (size_t)rank * sizeof N[r][0]);
    for (int r = 0; r < rank - 1; r++) {
        int row = r, best = r;
        for (int i = r; i < rank - 1; i++)
            for (int k = r; k < rank; k++)
                if (fabs(N[i][column[k]]) > fabs(N[row][column[best]])) row = i, best = k;
        if (!(fabs(N[row][column[best]]) > 1e-8)) return 0;
        for (int k = 0; k < rank && row != r; k++) {
            const double kept = N[r][k];
            N[r][k] = N[row][k], N[row][k] = kept;
        }
        const int swap = column[r];
        column[r] = column[best], column[best] = swap;
        for (int i = 0; i < rank - 1; i++) {
            const double l = N[i][column[r]] / N[r][column[r]];
            for (int k = 0; k < rank && i != r; k++) N[i][k] -= l * N[r][k];
        }
    }
    out[column[rank - 1]] = 1.0;
    for (int r = 0; r < rank - 1; r++) out[column[r]] = -N[r][column[rank - 1]] / N[r][column[r]];
    return 1;
}

// The contacts that touch along the ray, or along its opposite; 0: it is no ray.
static int touch_along(const br_cells *w, int rank, const double *coordinate, const double *ray,
                       unsigned long long *touching) {
    int up = 0, down = 0;
    const double length = br_norm(rank, ray);
    *touching = 0;
    for (int i = 0; i < w->contacts; i++) {
        const double lift = br_dot(rank, coordinate + i * rank, ray) / length;
        if (fabs(lift) <= EPS_LIFTS) *touching |= 1ULL << i;
        up |= lift > EPS_LIFTS, down |= lift < -EPS_LIFTS;
    }
    return up != down;
}

static int add_face(br_cells *w, unsigned long long touching) {
    for (int k = 0; k < w->faces; k++)
        if (w->face[k] == touching) return 1;
    if (w->faces == BR_MAX_FACES) return 0;
    w->face[w->faces++] = touching;
    return 1;
}

static double combinations(int n, int k) {
    double count = 1.0;
    for (int j = 0; j < k; j++) count *= (double)(n - j) / (j + 1);
    return count;
}

// Every set of contacts that can keep touching while all others part: rays of the cone of lifts, and what several of them share. 0: too many.
static int find_faces(br_cells *w, br_arena *arena) {
    const size_t rows = (size_t)w->rows;
    double *coordinate = BR_TAKE(arena, double, (size_t)w->contacts *rows);
    double *axis = BR_TAKE(arena, double, (rows + 1) * rows), *ray = BR_TAKE(arena, double, rows);
    unsigned long long *of_ray = br_arena_take(arena, MAX_RAYS, sizeof *of_ray);
    int which[BR_CELL_ROWS], rays = 0;
    if (!coordinate || !axis || !ray || !of_ray) return 0;
    const int rank = lift_coordinates(w, coordinate, axis), count = rank - 1;
    const double all = combinations(w->contacts, count);
    if (all > MAX_COMBINATIONS ||
        !br_work_spend(w->c->work, all * (rank * rank * rank + 2.0 * w->contacts * rank)))
        return 0;
    w->faces = 0;
    add_face(w, w->contacts == 64 ? ~0ULL : (1ULL << w->contacts) - 1);
    for (int k = 0; k < count; k++) which[k] = k;
    for (int more = 1; more;) {
        unsigned long long touching;
        memset(ray, 0, rows * sizeof *ray);
        if (normal_to(rank, coordinate, which, ray) && touch_along(w, rank, coordinate, ray, &touching)) {
            int known = 0;
            for (int k = 0; k < rays; k++) known |= of_ray[k] == touching;
            if (!known && rays == MAX_RAYS) return 0;
            if (!known) of_ray[rays++] = touching;
        }
        int at = count - 1;
        while (at >= 0 && which[at] == w->contacts - count + at) at--;
        more = at >= 0;
        if (more) which[at]++;
        for (int k = at + 1; more && k < count; k++) which[k] = which[k - 1] + 1;
    }
    for (int k = 0; k < w->faces; k++)
        for (int r = 0; r < rays; r++)
            if (!add_face(w, w->face[k] & of_ray[r])) return 0;
    return 1;
}

br_status br_cells_make(const br_case *c, br_arena *arena, int kinetic, br_cells *w) {
    memset(w, 0, sizeof *w);
    w->c = c;
    if (!is_fit(c) || !br_work_spend(c->work, (double)c->motions * c->b->n * (c->b->n + c->b->columns)))
        return BR_OK;
    if (!make_motions(w, arena) || !make_loads(w, arena)) return BR_NO_MEMORY;
    if (!(w->size > 0.0) || w->rows == 0) return BR_OK;
    if (!make_contacts(w, arena, kinetic)) return BR_NO_MEMORY;
    if (w->rows == 0) return BR_OK;
    w->basis = BR_TAKE(arena, double, BR_CELL_FREEDOM *(size_t)w->rows);
    w->corner = BR_TAKE(arena, double, BR_CELL_CORNERS *(size_t)w->rows);
    w->cell = br_arena_take(arena, BR_MAX_CELLS + 2, sizeof *w->cell);
    const int columns = w->contacts * BR_CELL_TANGENTS + BR_CELL_CORNERS + w->contacts + 2;
    if (!w->basis || !w->corner || !w->cell) return BR_NO_MEMORY;
    if (!br_tableau_create(&w->program, arena, w->rows + w->contacts + 1, columns)) return BR_NO_MEMORY;
    w->program.work = c->work;
    w->made = find_faces(w, arena);
    return BR_OK;
}

// --- one face -----------------------------------------------------------------------------------------------------

static int touches(const br_cells *w, int i) {
    return (int)(w->touching >> i & 1);
}

// Orthonormal motions in which the contacts of the face keep touching. 0: there are too many.
static int enter_face(br_cells *w, unsigned long long touching) {
    double row[BR_CELL_ROWS][BR_CELL_ROWS];
    int count = 0;
    w->touching = touching, w->freedom = 0;
    for (int i = 0; i < w->contacts + w->rows; i++) { // lifts first, then what they leave of the coordinates
        if (count == w->rows) break;
        if (i < w->contacts && !touches(w, i)) continue;
        if (i < w->contacts) memcpy(row[count], w->contact[i].normal, (size_t)w->rows * sizeof row[0][0]);
        for (int m = 0; m < w->rows && i >= w->contacts; m++) row[count][m] = m == i - w->contacts;
        for (int turn = 0; turn < 2; turn++)
            for (int k = 0; k < count; k++) {
                const double along = br_dot(w->rows, row[count], row[k]);
                for (int m = 0; m < w->rows; m++) row[count][m] -= along * row[k][m];
            }
        const double length = br_norm(w->rows, row[count]);
        if (!(length > (i < w->contacts ? EPS_LIFTS : 1e-3))) continue;
        for (int m = 0; m < w->rows; m++) row[count][m] /= length;
        if (i >= w->contacts && w->freedom == BR_CELL_FREEDOM) return 0;
        if (i >= w->contacts)
            memcpy(w->basis + w->freedom++ * w->rows, row[count], (size_t)w->rows * sizeof row[0][0]);
        count++;
    }
    return count == w->rows;
}

static void whole_cell(const br_cells *w, int face, br_cell *cell) {
    *cell = (br_cell){.axis = face / 2, .sign = face % 2 ? -1 : 1};
    for (int k = 0; k < w->freedom; k++) cell->low[k] = -1.0, cell->high[k] = 1.0;
}

static void find_corners(br_cells *w, const br_cell *cell) {
    w->corners = 1 << (w->freedom - 1);
    for (int c = 0; c < w->corners; c++) {
        double *y = w->corner + c * w->rows;
        memset(y, 0, (size_t)w->rows * sizeof *y);
        for (int k = 0, bit = 0; k < w->freedom; k++) {
            const double t = k == cell->axis ? cell->sign : c >> bit & 1 ? cell->high[k] : cell->low[k];
            bit += k != cell->axis;
            for (int m = 0; m < w->rows; m++) y[m] += t * w->basis[k * w->rows + m];
        }
    }
}

static void slip_at(const br_cells *w, int i, const double *y, double *slip) {
    for (int d = 0; d < 2; d++)
        slip[d] = d < w->contact[i].directions ? br_dot(w->rows, w->contact[i].friction[d], y) : 0.0;
}

// The angles of the slips of contact i over the cell's corners; 0: they do not keep to any.
static int find_sector(br_cells *w, int i) {
    double mean[2] = {0.0, 0.0}, slip[2], *sector = w->sector[i];
    for (int c = 0; c < w->corners; c++) {
        slip_at(w, i, w->corner + c * w->rows, slip);
        mean[0] += slip[0], mean[1] += slip[1];
    }
    const double size = br_hypot(mean[0], mean[1]);
    if (!(size > 0.0)) return 0;
    double least = INFINITY, most = -INFINITY;
    for (int c = 0; c < w->corners; c++) {
        slip_at(w, i, w->corner + c * w->rows, slip);
        const double along = (mean[0] * slip[0] + mean[1] * slip[1]) / size;
        const double across = (mean[0] * slip[1] - mean[1] * slip[0]) / size;
        if (!(along > LEAST_COSINE * br_hypot(slip[0], slip[1]))) return 0;
        least = fmin(least, across / along), most = fmax(most, across / along);
    }
    const double angle = br_atan2(mean[1], mean[0]);
    sector[0] = angle + br_atan(least) - EPS_SECTOR, sector[1] = angle + br_atan(most) + EPS_SECTOR;
    return 1;
}

// --- programs -----------------------------------------------------------------------------------------------------

static void add_force(br_cells *w, int i, double x, double y) {
    const br_cell_contact *k = &w->contact[i];
    double *column = br_tableau_column(&w->program, 0.0);
    for (int m = 0; m < w->rows; m++) {
        column[m] = k->normal[m];
        if (k->directions > 0) column[m] += x * k->friction[0][m];
        if (k->directions > 1) column[m] += y * k->friction[1][m];
    }
}

// Where two lines around the disc meet.
static void disc_corner(const br_cell_contact *k, int t, double *x, double *y) {
    const double a = k->angle[t], b = t + 1 < k->tangents ? k->angle[t + 1] : k->angle[0] + 2.0 * BR_PI;
    const double reach = 1.0 / br_cos(0.5 * (b - a));
    *x = reach * br_cos(0.5 * (a + b)), *y = reach * br_sin(0.5 * (a + b));
}

// Columns of contact i: corners of what its friction can be.
static void add_contact(br_cells *w, int i) {
    const br_cell_contact *k = &w->contact[i];
    const double rest = k->mu_rest, slip = k->mu_slip;
    w->first[i] = w->program.columns;
    if (k->directions == 0)
        add_force(w, i, 0.0, 0.0);
    else if (k->directions == 1 && !w->known[i])
        add_force(w, i, rest, 0.0), add_force(w, i, -rest, 0.0);
    else if (k->directions == 1)
        add_force(w, i, br_cos(w->sector[i][0]) > 0.0 ? -slip : slip, 0.0);
    else if (!w->known[i])
        for (int t = 0; t < k->tangents; t++) {
            double x, y;
            disc_corner(k, t, &x, &y);
            add_force(w, i, rest * x, rest * y);
        }
    else {
        const double a = w->sector[i][0], b = w->sector[i][1], middle = 0.5 * (a + b), half = 0.5 * (b - a);
        const double wide = slip / br_cos(half);
        add_force(w, i, -slip * br_cos(a), -slip * br_sin(a));
        add_force(w, i, -slip * br_cos(b), -slip * br_sin(b));
        add_force(w, i, -wide * br_cos(middle), -wide * br_sin(middle));
    }
}

// Another line around the disc where the answer's friction is outside. 0: it is inside.
static int touch_disc(br_cells *w, int i) {
    br_cell_contact *k = &w->contact[i];
    double load = 0.0, f[2] = {0.0, 0.0};
    if (w->known[i] || k->directions < 2) return 0;
    for (int t = 0; t < k->tangents; t++) {
        double x, y;
        const double z = w->program.z[w->first[i] + t];
        disc_corner(k, t, &x, &y);
        load += z, f[0] += z * x, f[1] += z * y;
    }
    if (!(br_hypot(f[0], f[1]) > load * (1.0 + EPS_TOUCH) + 1e-13)) return 0;
    if (k->tangents == BR_CELL_TANGENTS) return 1; // no room: the answer is a bound, and no more
    double at = br_atan2(f[1], f[0]);
    if (at < 0.0) at += 2.0 * BR_PI;
    int t = k->tangents;
    while (t > 0 && k->angle[t - 1] > at) t--;
    if ((t > 0 && at - k->angle[t - 1] < 1e-9) || (t < k->tangents && k->angle[t] - at < 1e-9)) return 0;
    for (int j = k->tangents++; j > t; j--) k->angle[j] = k->angle[j - 1];
    k->angle[t] = at;
    return 1;
}

// A row in which the cell's motions have to give something: lifts of contacts that part, the power of the loads.
static int add_motion_row(br_cells *w, const double *form, int corners) {
    br_tableau *p = &w->program;
    const int row = p->rows;
    double least = INFINITY, most = -INFINITY;
    for (int c = 0; c < w->corners; c++) {
        const double value = br_dot(w->rows, form, w->corner + c * w->rows);
        least = fmin(least, value), most = fmax(most, value);
    }
    if (most < 0.0) return 0;
    if (least >= 0.0) return 1;
    p->rows++;
    p->b[row] = 0.0;
    for (int j = 0; j < p->columns; j++) p->A[(size_t)j * (size_t)p->rows_max + (size_t)row] = 0.0;
    for (int c = 0; c < w->corners; c++)
        p->A[(size_t)(corners + c) * (size_t)p->rows_max + (size_t)row] =
            br_dot(w->rows, form, w->corner + c * w->rows);
    br_tableau_column(p, 0.0)[row] = -1.0;
    return 1;
}

// The program of a cell. going: its motions accelerate, as much as they can; else the load is as small as can be. 0: there is nothing in it.
static int build_program(br_cells *w, const br_cell *cell, int going, double sign, double from) {
    br_tableau *p = &w->program;
    br_tableau_begin(p, w->rows);
    for (int i = 0; i < w->contacts; i++) w->known[i] = touches(w, i) && cell && find_sector(w, i);
    for (int m = 0; m < w->rows; m++) p->b[m] = -w->load[m] - (w->grow ? from * w->grow[m] : 0.0);
    if (!going) {
        double *column = br_tableau_column(p, 1.0);
        for (int m = 0; m < w->rows; m++) column[m] = sign * w->grow[m];
    }
    for (int i = 0; i < w->contacts; i++)
        if (touches(w, i)) add_contact(w, i);
    if (!cell) return 1;
    const int corners = w->first_corner = p->columns;
    for (int c = 0; c < w->corners; c++) {
        double *column = br_tableau_column(p, going ? -1.0 : 0.0);
        for (int m = 0; m < w->rows && going; m++) column[m] = -w->corner[c * w->rows + m];
    }
    for (int i = 0; i < w->contacts; i++)
        if (!touches(w, i) && !add_motion_row(w, w->contact[i].normal, corners)) return 0;
    if (going && !add_motion_row(w, w->load, corners)) return 0;
    if (going || p->rows == w->rows) return 1;
    const int row = p->rows; // a motion that begins has any size: 1
    p->rows++, p->b[row] = 1.0;
    for (int j = 0; j < p->columns; j++)
        p->A[(size_t)j * (size_t)p->rows_max + (size_t)row] = j >= corners && j < corners + w->corners;
    return 1;
}

// Solves, with lines around discs where the answer is outside of them, as long as that changes anything.
static br_tableau_answer solve_cell(br_cells *w, const br_cell *cell, int going, double sign, double from) {
    br_tableau_answer answer = BR_TABLEAU_GAVE_UP;
    int touched = 0;
    if (cell) find_corners(w, cell);
    for (int i = 0; i < w->contacts; i++) // lines of earlier cells hold, but leave no room
        if (w->contact[i].tangents > BR_CELL_TANGENTS / 3) first_tangents(&w->contact[i]);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        if (!build_program(w, cell, going, sign, from)) return BR_TABLEAU_INFEASIBLE;
        w->programs++;
        br_work_spend(w->c->work, 300.0 + 60.0 * w->contacts * (cell ? w->corners : 1) +
                                      2.0 * w->rows * w->program.columns);
        answer = br_tableau_solve(&w->program);
        if (answer != BR_TABLEAU_OPTIMUM || (going && w->program.value > -EPS_MOVES)) return answer;
        touched = 0;
        for (int i = 0; i < w->contacts; i++) touched |= touches(w, i) && touch_disc(w, i);
        if (!touched) break;
    }
    w->round = !touched;
    return answer;
}

// The widest coordinate; -1: none is wider than that.
static int widest(const br_cells *w, const br_cell *cell, double least) {
    int found = -1;
    for (int k = 0; k < w->freedom; k++) {
        const double wide = cell->high[k] - cell->low[k];
        if (k == cell->axis || !(wide > least)) continue;
        if (found < 0 || wide > cell->high[found] - cell->low[found]) found = k;
    }
    return found;
}

static br_cell half_of(const br_cell *cell, int k, int side) {
    br_cell half = *cell;
    *(side ? &half.high[k] : &half.low[k]) = 0.5 * (cell->low[k] + cell->high[k]);
    return half;
}

// The motion that the program at hand has in its cell, or the cell's middle where it does not ask for one.
static void keep_motion(const br_cells *w, double *y) {
    const br_balance *b = w->c->b;
    const double *share = w->program.z + w->first_corner;
    double sum = 0.0;
    memset(y, 0, (size_t)b->n * sizeof *y);
    for (int c = 0; c < w->corners; c++) sum += share[c];
    for (int c = 0; c < w->corners; c++)
        for (int m = 0; m < w->rows; m++)
            for (int i = 0; i < b->n; i++)
                y[i] += (sum > 0.0 ? share[c] / sum : 1.0 / w->corners) * w->corner[c * w->rows + m] *
                        w->motion[(size_t)m * (size_t)b->n + (size_t)i];
}

// --- rest ---------------------------------------------------------------------------------------------------------

// Cells in which something may accelerate are halved; of a narrow one its halves come first, down to a motion. 1: there is none in the face.
static int face_rests(br_cells *w, int *moves) {
    int cells = 0;
    for (int face = 0; face < 2 * w->freedom; face++) whole_cell(w, face, &w->cell[cells++]);
    while (cells > 0) {
        const br_cell cell = w->cell[--cells];
        if (w->programs >= BR_MAX_CELL_PROGRAMS || !br_work_left(w->c->work)) return 0;
        const br_tableau_answer answer = solve_cell(w, &cell, 1, 0.0, 0.0);
        if (answer == BR_TABLEAU_INFEASIBLE ||
            (answer == BR_TABLEAU_OPTIMUM && w->program.value > -EPS_MOVES))
            continue;
        const int k = widest(w, &cell, NARROW_REST);
        if (k < 0) *moves = w->round && answer == BR_TABLEAU_OPTIMUM && w->program.value < -LEAST_MOTION;
        if (k < 0 || cells + 2 > BR_MAX_CELLS) return 0;
        for (int side = 0; side < 2; side++) w->cell[cells++] = half_of(&cell, k, side);
    }
    return 1;
}

br_cells_answer br_cells_judge(br_cells *w, double *y) {
    if (!w->made || w->grow) return BR_CELLS_UNKNOWN;
    w->programs = 0, w->program.reach = BR_TABLEAU_REACH, w->program.bounded = 0;
    for (int k = 0; k < w->faces; k++) {
        int moves = 0;
        if (!enter_face(w, w->face[k])) return BR_CELLS_UNKNOWN;
        if (w->freedom == 0 || face_rests(w, &moves)) continue;
        if (moves) keep_motion(w, y);
        return moves ? BR_CELLS_MOVE : BR_CELLS_UNKNOWN;
    }
    return br_work_left(w->c->work) ? BR_CELLS_REST : BR_CELLS_UNKNOWN;
}

// --- the end of rest ----------------------------------------------------------------------------------------------

static double cell_bound(br_cells *w, br_cell *cell, double sign, double from) {
    const br_tableau_answer answer = solve_cell(w, cell, 0, sign, from);
    return answer == BR_TABLEAU_OPTIMUM      ? fmax(w->program.value, cell->bound)
           : answer == BR_TABLEAU_INFEASIBLE ? INFINITY
                                             : cell->bound;
}

typedef struct cell_hunt {
    double sign, from;
    double best;  // distance of the nearest motion that was found, or of the limit
    double floor; // of the nearest cell that was left
    double *y;
    int found;
} cell_hunt;

static void keep_cell(br_cells *w, const cell_hunt *h, br_cell *cell, int *cells) {
    cell->bound = cell_bound(w, cell, h->sign, h->from);
    if (cell->bound < h->best) w->cell[(*cells)++] = *cell;
}

// The cell whose bound is least goes next, and is halved until it is narrow: then it is a motion that begins there.
static void hunt_face(br_cells *w, cell_hunt *h) {
    int cells = 0;
    for (int face = 0; face < 2 * w->freedom; face++) {
        br_cell c;
        whole_cell(w, face, &c);
        keep_cell(w, h, &c, &cells);
    }
    while (cells > 0) {
        int at = cells - 1;
        for (int k = cells - 2; k >= 0; k--)
            if (w->cell[k].bound < w->cell[at].bound) at = k;
        const br_cell c = w->cell[at];
        w->cell[at] = w->cell[--cells];
        if (c.bound >= h->best - EPS_BEST * (1.0 + fabs(h->best))) return;
        const int k = widest(w, &c, NARROW_END),
                  full = cells + 2 > BR_MAX_CELLS || w->programs >= BR_MAX_CELL_PROGRAMS;
        if (k >= 0 && (full || !br_work_left(w->c->work))) {
            h->floor = fmin(h->floor, c.bound);
            return;
        }
        for (int side = 0; side < 2 && k >= 0; side++) {
            br_cell half = half_of(&c, k, side);
            keep_cell(w, h, &half, &cells);
        }
        if (k >= 0) continue;
        if (solve_cell(w, &c, 0, h->sign, h->from) != BR_TABLEAU_OPTIMUM || !w->round) {
            h->floor = fmin(h->floor, c.bound); // rounding: nothing is known of so narrow a cell
            continue;
        }
        h->best = c.bound, h->found = 1;
        keep_motion(w, h->y);
        return;
    }
}

double br_cells_begin(br_cells *w, double sign, double from, double limit, double *y, int *found,
                      double *floor) {
    cell_hunt h = {.sign = sign, .from = from, .best = sign * (limit - from), .floor = INFINITY, .y = y};
    w->programs = 0, w->program.reach = REACH_OF_END, w->program.bounded = 1;
    for (int k = 0; k < w->faces && h.best > EPS_BEST; k++) {
        if (!enter_face(w, w->face[k])) {
            h.floor = 0.0;
            break;
        }
        if (w->freedom == 0) continue;
        const br_tableau_answer answer = solve_cell(w, NULL, 0, sign, from);
        if (answer == BR_TABLEAU_INFEASIBLE || (answer == BR_TABLEAU_OPTIMUM && w->program.value >= h.best))
            continue;
        hunt_face(w, &h);
    }
    *found = h.found;
    *floor = isinf(h.floor) ? sign * INFINITY : from + sign * h.floor;
    return from + sign * h.best;
}
