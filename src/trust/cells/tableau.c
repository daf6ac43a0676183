// Linear programs of few rows and many columns, see tableau.h.
#include "trust/cells/tableau.h"

#include <math.h>
#include <string.h>

#define TOL_ENTERS 1e-12 // of reduced costs
#define TOL_PIVOT 1e-10
#define TOL_ENDLESS 1e-9 // of a reduced cost without an end: less is rounding
#define TOL_TIE 1e-13
#define TOL_LEFT 1e-9   // what phase one may leave of the rows
#define BLAND_AFTER 300 // pivots
#define MOST_PIVOTS 3000

int br_tableau_create(br_tableau *t, br_arena *arena, int rows_max, int columns_max) {
    const size_t rows = (size_t)rows_max, columns = (size_t)columns_max;
    *t = (br_tableau){.rows_max = rows_max, .columns_max = columns_max, .reach = BR_TABLEAU_REACH};
    t->A = BR_TAKE(arena, double, rows *columns);
    t->b = BR_TAKE(arena, double, rows);
    t->c = BR_TAKE(arena, double, columns);
    t->z = BR_TAKE(arena, double, columns);
    t->T = BR_TAKE(arena, double, (rows + 1) * (columns + rows + 1));
    t->multiplier = BR_TAKE(arena, double, rows);
    t->basis = BR_TAKE(arena, int, rows);
    return t->A && t->b && t->c && t->z && t->T && t->multiplier && t->basis;
}

void br_tableau_begin(br_tableau *t, int rows) {
    t->rows = rows, t->columns = 0;
    memset(t->b, 0, (size_t)rows * sizeof *t->b);
}

double *br_tableau_column(br_tableau *t, double cost) {
    if (t->columns == t->columns_max) return NULL;
    double *column = t->A + (size_t)t->columns * (size_t)t->rows_max;
    memset(column, 0, (size_t)t->rows_max * sizeof *column);
    t->c[t->columns++] = cost;
    return column;
}

static double *tableau_row(const br_tableau *t, int i) {
    return t->T + (size_t)i * (size_t)(t->columns + t->rows + 1);
}

static void tableau_pivot(br_tableau *t, int leaving, int entering) {
    const int all = t->columns + t->rows;
    double *along = tableau_row(t, leaving);
    const double pivot = 1.0 / along[entering];
    for (int j = 0; j <= all; j++) along[j] *= pivot;
    along[entering] = 1.0;
    for (int i = 0; i <= t->rows; i++) {
        double *row = tableau_row(t, i);
        const double l = row[entering];
        if (i == leaving || l == 0.0) continue;
        for (int j = 0; j <= all; j++) row[j] -= l * along[j];
        row[entering] = 0.0;
    }
    t->basis[leaving] = entering;
}

static int tableau_entering(const br_tableau *t, int first) {
    const double *cost = tableau_row(t, t->rows);
    int found = -1;
    double least = -TOL_ENTERS;
    for (int j = 0; j < t->columns; j++)
        if (cost[j] < least) {
            least = cost[j], found = j;
            if (first) break;
        }
    return found;
}

static int tableau_leaving(const br_tableau *t, int entering, int first) {
    const int all = t->columns + t->rows;
    double least = INFINITY;
    int found = -1;
    for (int i = 0; i < t->rows; i++) {
        const double *row = tableau_row(t, i);
        if (row[entering] > TOL_PIVOT) least = fmin(least, row[all] / row[entering]);
    }
    for (int i = 0; i < t->rows; i++) {
        const double *row = tableau_row(t, i);
        if (!(row[entering] > TOL_PIVOT) || row[all] > (least + TOL_TIE) * row[entering]) continue;
        if (found < 0 ||
            (first ? t->basis[i] < t->basis[found] : row[entering] > tableau_row(t, found)[entering]))
            found = i;
    }
    return found;
}

// bounded: the value has a bound, so that a column without an end is rounding, and left out.
static br_tableau_answer tableau_run(br_tableau *t, int bounded) {
    const double work = 2.0 * (t->rows + 1.0) * (t->columns + t->rows + 1.0);
    for (int turn = 0; turn < MOST_PIVOTS; turn++) {
        const int first = turn > BLAND_AFTER, entering = tableau_entering(t, first);
        if (entering < 0) return BR_TABLEAU_OPTIMUM;
        const int leaving = tableau_leaving(t, entering, first);
        if (leaving < 0 && !bounded && tableau_row(t, t->rows)[entering] < -TOL_ENDLESS)
            return BR_TABLEAU_UNBOUNDED;
        if (leaving < 0) {
            tableau_row(t, t->rows)[entering] = 0.0;
            continue;
        }
        tableau_pivot(t, leaving, entering);
        if (!br_work_spend(t->work, work)) break;
    }
    return BR_TABLEAU_GAVE_UP;
}

// The tableau of phase one: artificial columns with signs that make them feasible.
static void tableau_start(br_tableau *t) {
    const int rows = t->rows, all = t->columns + rows;
    double *cost = tableau_row(t, rows);
    memset(t->T, 0, (size_t)(rows + 1) * (size_t)(all + 1) * sizeof *t->T);
    for (int i = 0; i < rows; i++) {
        double *row = tableau_row(t, i);
        const double sign = t->b[i] < 0.0 ? -1.0 : 1.0;
        for (int j = 0; j < t->columns; j++) {
            row[j] = sign * t->A[(size_t)j * (size_t)t->rows_max + (size_t)i];
            cost[j] -= row[j];
        }
        row[t->columns + i] = 1.0;
        row[all] = sign * t->b[i];
        cost[all] -= row[all];
        t->basis[i] = t->columns + i;
    }
}

// cost of a column less what the multipliers make of it.
static double reduced_cost(const br_tableau *t, int j, double cost) {
    const double *column = t->A + (size_t)j * (size_t)t->rows_max;
    long double sum = cost;
    for (int i = 0; i < t->rows; i++) sum -= (long double)t->multiplier[i] * column[i];
    return (double)sum;
}

// Whether multipliers of phase one show that no z within reach satisfies the rows. They are mended first by what basic columns are off.
static int is_refuted(br_tableau *t) {
    const double *cost = tableau_row(t, t->rows);
    double margin = 0.0;
    for (int i = 0; i < t->rows; i++)
        t->multiplier[i] = (t->b[i] < 0.0 ? -1.0 : 1.0) * (1.0 - cost[t->columns + i]);
    for (int k = 0; k < t->rows; k++) {
        if (t->basis[k] >= t->columns) continue;
        const double off = reduced_cost(t, t->basis[k], 0.0);
        for (int i = 0; i < t->rows; i++)
            t->multiplier[i] += off * (t->b[i] < 0.0 ? -1.0 : 1.0) * tableau_row(t, k)[t->columns + i];
    }
    for (int i = 0; i < t->rows; i++) margin += t->multiplier[i] * t->b[i];
    for (int j = 0; j < t->columns; j++) margin -= t->reach * fmax(-reduced_cost(t, j, 0.0), 0.0);
    return margin > 0.0;
}

// Artificial columns that are left go out, or their rows say nothing; then the costs of the second phase.
static void tableau_second(br_tableau *t) {
    const int rows = t->rows, all = t->columns + rows;
    for (int i = 0; i < rows; i++) {
        double *row = tableau_row(t, i), most = 1e-9;
        int entering = -1;
        if (t->basis[i] < t->columns) continue;
        for (int j = 0; j < t->columns; j++)
            if (fabs(row[j]) > most) most = fabs(row[j]), entering = j;
        if (entering >= 0)
            tableau_pivot(t, i, entering);
        else
            memset(row, 0, (size_t)(all + 1) * sizeof *row);
    }
    double *cost = tableau_row(t, rows);
    memset(cost, 0, (size_t)(all + 1) * sizeof *cost);
    memcpy(cost, t->c, (size_t)t->columns * sizeof *cost);
    for (int i = 0; i < rows; i++) {
        if (t->basis[i] >= t->columns || t->c[t->basis[i]] == 0.0) continue;
        const double *row = tableau_row(t, i), by = t->c[t->basis[i]];
        for (int j = 0; j <= all; j++) cost[j] -= by * row[j];
    }
    for (int i = 0; i < rows; i++)
        if (t->basis[i] < t->columns) cost[t->basis[i]] = 0.0;
}

br_tableau_answer br_tableau_solve(br_tableau *t) {
    const int all = t->columns + t->rows;
    tableau_start(t);
    br_tableau_answer answer = tableau_run(t, 1);
    if (answer != BR_TABLEAU_OPTIMUM) return BR_TABLEAU_GAVE_UP; // phase one has a bound: rounding
    if (tableau_row(t, t->rows)[all] < -TOL_LEFT)
        return is_refuted(t) ? BR_TABLEAU_INFEASIBLE : BR_TABLEAU_GAVE_UP;
    tableau_second(t);
    answer = tableau_run(t, t->bounded);
    t->value = 0.0;
    memset(t->z, 0, (size_t)t->columns * sizeof *t->z);
    for (int i = 0; i < t->rows; i++) {
        if (t->basis[i] >= t->columns) continue;
        t->z[t->basis[i]] = tableau_row(t, i)[all];
        t->value += t->c[t->basis[i]] * tableau_row(t, i)[all];
    }
    return answer;
}
