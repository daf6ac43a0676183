// Lemke's method, see lemke.h.
#include "lcp/pivot/lemke.h"

#include "lcp/pivot/bimatrix.h"
#include "lcp/pivot/dictionary.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

// Tolerances, for data of order one. Pivots below TOL_PIVOT times their column's largest entry are rounding; ratios
// and lexicographic entries closer than TOL_TIE are equal.
#define TOL_PIVOT 1e-10
#define TOL_TIE 1e-12
#define TOL_DRIFT 1e-10 // of the values against M x + q + d t - y: above it the dictionary is built anew
#define CHECK_EVERY 25  // pivots between looks at the drift

struct br_lemke {
    br_rows_reduced reduced;
    const br_rows *rows;
    int m;
    double *d;         // covering vector
    double *T;         // basic = value + T (nonbasic - its present value): m x (m + 1)
    double *value;     // of the basic variables
    int *basic;        // variable of each row: x_i is i, y_i is m + i, t is 2 m
    int *nonbasic;     // variable of each column
    int *place;        // of each variable: its row, or -1 - column
    int *start;        // the variables that were basic when t entered: their values carry the perturbation
    int *player;       // of a bimatrix game
    double game_shift; // and the constant added to its costs, 0 when it is not solved as one
    br_side *side;     // of each x
    int entering;      // variable
    double direction;  // +1 it grows, -1 it falls
    int pivots, max_pivots, fresh; // fresh: pivots since T was last built
    br_outcome outcome;
    br_progress progress;
    double *LU, *right;
    int *lu_pivot;
    double *x;
};

br_lemke *br_lemke_create(br_arena *arena, int n_max, int free_max) {
    const size_t m = (size_t)n_max + (size_t)free_max;
    br_lemke *k = BR_TAKE(arena, br_lemke, 1);
    if (!k) return NULL;
    br_rows_reduced_create(&k->reduced, arena, n_max, free_max);
    k->d = BR_TAKE(arena, double, m);
    k->T = br_arena_take(arena, m * (m + 1), sizeof(double));
    k->value = BR_TAKE(arena, double, m);
    k->basic = BR_TAKE(arena, int, m);
    k->nonbasic = BR_TAKE(arena, int, m + 1);
    k->place = BR_TAKE(arena, int, 2 * m + 1);
    k->start = BR_TAKE(arena, int, m);
    k->player = BR_TAKE(arena, int, m);
    k->side = BR_TAKE(arena, br_side, m);
    k->LU = br_arena_take(arena, m * m, sizeof(double));
    k->right = BR_TAKE(arena, double, m);
    k->lu_pivot = BR_TAKE(arena, int, m);
    k->x = BR_TAKE(arena, double, m);
    return br_arena_ok(arena) ? k : NULL;
}

static double *lemke_row_of(const br_lemke *k, int r) {
    return k->T + (size_t)r * (size_t)(k->m + 1);
}

static int is_basic(const br_lemke *k, int variable) {
    return k->place[variable] >= 0;
}

static double uniform(uint64_t *state) { // splitmix64
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void lemke_finish(br_lemke *k, br_outcome outcome) {
    k->outcome = outcome;
    k->progress = BR_FINISHED;
}

// ---------------------------------------------------------------------------------------------- the dictionary

static double present_value(const br_lemke *k, int variable) { // of a nonbasic variable
    if (variable >= k->m) return 0;
    return k->side[variable] == BR_SIDE_UPPER ? k->reduced.u[variable] : 0;
}

// Entry i of the variable's column in I y - M x - d t = q.
static double column_entry(const br_lemke *k, int variable, int i) {
    const int m = k->m;
    if (variable == 2 * m) return -k->d[i];
    if (variable >= m) return variable - m == i;
    return -k->reduced.M[(size_t)i * (size_t)m + (size_t)variable];
}

// T = -B^-1 N and the basic values from the data and the list of basic variables; 0 when B is singular.
static int rebuild(br_lemke *k) {
    const int m = k->m;
    for (int i = 0; i < m; i++) {
        for (int r = 0; r < m; r++)
            k->LU[(size_t)i * (size_t)m + (size_t)r] = column_entry(k, k->basic[r], i);
    }
    if (br_lu_factor(m, k->LU, m, k->lu_pivot, 1e-15)) return 0;
    double *x = k->right;
    for (int c = 0; c <= m; c++) {
        for (int i = 0; i < m; i++) x[i] = -column_entry(k, k->nonbasic[c], i);
        br_lu_solve(m, k->LU, m, k->lu_pivot, x);
        for (int r = 0; r < m; r++) lemke_row_of(k, r)[c] = x[r];
    }
    for (int i = 0; i < m; i++) {
        x[i] = k->reduced.q[i];
        for (int c = 0; c <= m; c++) {
            const double v = present_value(k, k->nonbasic[c]);
            if (v != 0) x[i] -= v * column_entry(k, k->nonbasic[c], i);
        }
    }
    br_lu_solve(m, k->LU, m, k->lu_pivot, x);
    memcpy(k->value, x, (size_t)m * sizeof(double));
    k->fresh = 0;
    return 1;
}

static double value_of(const br_lemke *k, int variable) {
    return is_basic(k, variable) ? k->value[k->place[variable]] : present_value(k, variable);
}

static double drift(br_lemke *k) {
    const int m = k->m;
    double worst = 0, size = 1;
    const double t = value_of(k, 2 * m);
    for (int i = 0; i < m; i++) {
        k->x[i] = value_of(k, i);
        size = fmax(size, fabs(k->x[i]));
    }
    for (int i = 0; i < m; i++) {
        const double *row = k->reduced.M + (size_t)i * (size_t)m;
        double sum = k->reduced.q[i] + k->d[i] * t - value_of(k, m + i);
        for (int j = 0; j < m; j++) sum += row[j] * k->x[j];
        worst = fmax(worst, fabs(sum));
    }
    return worst / size;
}

static void lemke_exchange(br_lemke *k, int r, int c) {
    br_dictionary_exchange(k->T, k->m, k->m + 1, k->m + 1, r, c);
    const int leaving = k->basic[r], entering = k->nonbasic[c];
    k->basic[r] = entering;
    k->nonbasic[c] = leaving;
    k->place[entering] = r;
    k->place[leaving] = -1 - c;
}

// ---------------------------------------------------------------------------------------------- the ratio test

// Room of basic row r in direction of growth s = +1 or -1 before a bound; INFINITY when there is none.
static double room(const br_lemke *k, int r, double s) {
    const int m = k->m, variable = k->basic[r];
    double low = 0, high = INFINITY;
    if (variable < m)
        high = k->reduced.u[variable];
    else if (variable < 2 * m && k->side[variable - m] == BR_SIDE_UPPER)
        low = -INFINITY, high = 0;
    return s > 0 ? high - k->value[r] : k->value[r] - low;
}

// Entry i of the lexicographic row r: what the value of r gains when variable i of the start is perturbed by eps^i.
static double lexicographic(const br_lemke *k, int r, int i) {
    const int place = k->place[k->start[i]];
    if (place >= 0) return place == r;
    return -lemke_row_of(k, r)[-1 - place];
}

// Whether row a blocks before row b once ratios tie. speed is d(value)/d(step).
static int blocks_first(const br_lemke *k, int a, double speed_a, int b, double speed_b) {
    for (int i = 0; i < k->m; i++) {
        // Going down the room is value + eps, going up it is bound - value - eps.
        const double ea = lexicographic(k, a, i) / -speed_a, eb = lexicographic(k, b, i) / -speed_b;
        if (fabs(ea - eb) > TOL_TIE * fmax(1, fmax(fabs(ea), fabs(eb)))) return ea < eb;
    }
    return 0;
}

static int perturbed_inwards(const br_lemke *k, int r, double speed) {
    for (int i = 0; i < k->m; i++) {
        const double e = lexicographic(k, r, i) / -speed;
        if (fabs(e) > TOL_TIE) return e < 0;
    }
    return 0;
}

typedef struct block {
    int row; // -1: the entering variable itself reaches its other bound; -2: nothing blocks
    double step, speed;
} block;

static block ratio_test(const br_lemke *k, int c, double tol_pivot) {
    const int m = k->m;
    double largest = 0, shortest = INFINITY;
    block best = {.row = -2, .step = INFINITY};
    for (int r = 0; r < m; r++) largest = fmax(largest, fabs(lemke_row_of(k, r)[c]));
    for (int r = 0; r < m; r++) {
        const double speed = k->direction * lemke_row_of(k, r)[c];
        if (fabs(speed) <= tol_pivot * largest) continue;
        const double step = fmax(room(k, r, speed), 0) / fabs(speed);
        shortest = fmin(shortest, step);
    }
    const double span = k->entering < m ? k->reduced.u[k->entering] : INFINITY;
    const double limit = shortest + TOL_TIE * fmax(1, shortest);
    const block flip = {.row = -1, .step = span};
    if (isinf(shortest)) return isinf(span) ? best : flip;
    if (span < shortest) return flip;
    for (int r = 0; r < m; r++) {
        const double speed = k->direction * lemke_row_of(k, r)[c];
        if (fabs(speed) <= tol_pivot * largest) continue;
        const double step = fmax(room(k, r, speed), 0) / fabs(speed);
        if (step > limit) continue;
        const block candidate = {.row = r, .step = step, .speed = speed};
        if (k->basic[r] == 2 * m && speed < 0) return candidate; // t may leave: solved
        if (best.row < 0 || blocks_first(k, r, speed, best.row, best.speed)) best = candidate;
    }
    // The entering variable's own range is not perturbed: in a tie it wins over rows that are perturbed outwards.
    return span <= limit && !perturbed_inwards(k, best.row, best.speed) ? flip : best;
}

// ---------------------------------------------------------------------------------------------- the steps

static void lemke_advance(br_lemke *k, int c, double step) {
    for (int r = 0; r < k->m; r++) k->value[r] += k->direction * step * lemke_row_of(k, r)[c];
}

// The complement of what left at a bound comes in, away from that bound.
static void choose_entering(br_lemke *k, int left) {
    const int m = k->m, i = left < m ? left : left - m;
    k->entering = left < m ? left + m : i;
    k->direction = k->side[i] == BR_SIDE_UPPER ? -1 : 1;
}

static void step_to(br_lemke *k, int c, const block *b) {
    const int entering = k->entering, m = k->m;
    const double start = present_value(k, entering);
    lemke_advance(k, c, b->step);
    if (b->row == -1) { // from one bound to the other: no exchange, and y takes the other sign
        k->side[entering] = k->side[entering] == BR_SIDE_UPPER ? BR_SIDE_LOWER : BR_SIDE_UPPER;
        choose_entering(k, entering);
        return;
    }
    const int leaving = k->basic[b->row];
    lemke_exchange(k, b->row, c);
    k->value[b->row] = start + k->direction * b->step;
    if (entering < m) k->side[entering] = BR_SIDE_BASIC;
    if (leaving == 2 * m) {
        lemke_finish(k, BR_CONVERGED);
        return;
    }
    if (leaving < m) k->side[leaving] = b->speed > 0 ? BR_SIDE_UPPER : BR_SIDE_LOWER;
    choose_entering(k, leaving);
}

// t enters and just covers the worst row. Among ties the last: its perturbation is the smallest.
static void first_pivot(br_lemke *k) {
    const int m = k->m;
    int worst = -1;
    double t = 0;
    for (int r = 0; r < m; r++) {
        k->start[r] = k->basic[r];
        const double cover = lemke_row_of(k, r)[m], need = -k->value[r] / cover;
        if (k->value[r] < 0 && cover > 0 && need >= t) t = need, worst = r;
        if (k->value[r] < 0 && !(cover > 0)) lemke_finish(k, BR_RAY); // only with a label
    }
    if (worst < 0) lemke_finish(k, BR_CONVERGED);
    if (k->progress == BR_FINISHED) return;
    k->entering = 2 * m;
    k->direction = 1;
    const block b = {.row = worst, .step = t, .speed = -1};
    step_to(k, m, &b);
}

static void enter_at_start(br_lemke *k, int r, int c) {
    const double step = -k->value[r] / lemke_row_of(k, r)[c];
    for (int i = 0; i < k->m; i++) k->value[i] += step * lemke_row_of(k, i)[c];
    k->side[k->nonbasic[c]] = BR_SIDE_BASIC;
    lemke_exchange(k, r, c);
    k->value[r] = step;
}

// Lemke-Howson's start on row i of a bimatrix game: x_i for y_j, x_j for y_i, with j the last row to become feasible as
// x_i grows. y_i then has the column of t.
static void howson_start(br_lemke *k, int i) {
    const int m = k->m;
    int j = -1;
    double most = 0;
    for (int r = 0; r < m; r++) {
        const double a = lemke_row_of(k, r)[i];
        if (a > 0 && -k->value[r] / a > most) most = -k->value[r] / a, j = r;
    }
    if (j < 0) { // the other player has no strategy
        lemke_finish(k, BR_RAY);
        return;
    }
    enter_at_start(k, j, i);
    enter_at_start(k, i, j);
    for (int r = 0; r < m; r++) {
        k->d[r] = r == i ? -1 : 0;
        lemke_row_of(k, r)[m] = lemke_row_of(k, r)[j];
    }
    first_pivot(k);
}

static void begin_dictionary(br_lemke *k) {
    const int m = k->m;
    for (int i = 0; i < m; i++) {
        double *row = lemke_row_of(k, i);
        memcpy(row, k->reduced.M + (size_t)i * (size_t)m, (size_t)m * sizeof(double));
        row[m] = k->d[i];
        k->value[i] = k->reduced.q[i];
        k->basic[i] = m + i;
        k->nonbasic[i] = i;
        k->place[m + i] = i;
        k->place[i] = -1 - i;
        k->side[i] = BR_SIDE_LOWER;
    }
    k->nonbasic[m] = 2 * m;
    k->place[2 * m] = -1 - m;
    k->pivots = k->fresh = 0;
    k->progress = BR_RUNNING;
    k->outcome = BR_MAX_ITERATIONS;
}

static int is_game(br_lemke *k, int label) {
    for (int i = 0; i < k->m; i++) {
        if (!isinf(k->reduced.u[i])) return 0;
    }
    return label <= k->m && br_bimatrix_recognize(k->m, k->reduced.M, k->reduced.q, k->player);
}

void br_lemke_init(br_lemke *k, const br_rows *rows, const br_lemke_options *options) {
    k->rows = rows;
    br_rows_reduce(&k->reduced, rows);
    const int m = k->m = k->reduced.m, game = options->label > 0 && is_game(k, options->label);
    double *M = k->reduced.M;
    uint64_t state = options->seed;
    for (int i = 0; i < m; i++) {
        double *diagonal = &M[(size_t)i * (size_t)m + (size_t)i];
        *diagonal += options->shift * *diagonal + options->lift;
        k->d[i] = options->seed ? 0.25 + uniform(&state) : 1;
    }
    k->game_shift = game ? br_bimatrix_make_positive(m, M, k->reduced.q, k->player) : 0;
    k->max_pivots = options->max_pivots > 0 ? options->max_pivots : BR_MAX_LEMKE_PIVOTS(m);
    begin_dictionary(k);
    if (game)
        howson_start(k, options->label - 1);
    else if (options->label > 0)
        lemke_finish(k, BR_RAY);
    else
        first_pivot(k);
}

br_progress br_lemke_iterate(br_lemke *k) {
    if (k->progress == BR_FINISHED) return BR_FINISHED;
    if (k->pivots >= k->max_pivots) {
        lemke_finish(k, BR_MAX_ITERATIONS);
        return BR_FINISHED;
    }
    if (k->fresh >= CHECK_EVERY && k->fresh % CHECK_EVERY == 0 && drift(k) > TOL_DRIFT && !rebuild(k)) {
        lemke_finish(k, BR_SINGULAR);
        return BR_FINISHED;
    }
    const int c = -1 - k->place[k->entering];
    block b = ratio_test(k, c, TOL_PIVOT);
    // A ray may be rounding: look again at a fresh dictionary, and at smaller pivots.
    if (b.row == -2 && k->fresh > 0 && rebuild(k)) b = ratio_test(k, c, TOL_PIVOT);
    if (b.row == -2) b = ratio_test(k, c, 1e-3 * TOL_PIVOT);
    if (b.row == -2) {
        lemke_finish(k, BR_RAY);
        return BR_FINISHED;
    }
    step_to(k, c, &b);
    k->pivots++;
    k->fresh++;
    return k->progress;
}

br_outcome br_lemke_test(const br_lemke *k, double *z, br_side *side) {
    for (int i = 0; i < k->m; i++) k->x[i] = fmin(fmax(value_of(k, i), 0), k->reduced.u[i]);
    const int finite = k->game_shift == 0 || br_bimatrix_restore(k->m, k->game_shift, k->player, k->x);
    br_rows_restore(&k->reduced, k->rows, k->x, k->side, z, side);
    return finite ? k->outcome : BR_RAY;
}

int br_lemke_pivots(const br_lemke *k) {
    return k->pivots;
}

int br_lemke_size(const br_lemke *k) {
    return k->m;
}

int br_lemke_is_game(const br_lemke *k) {
    return k->game_shift > 0;
}
