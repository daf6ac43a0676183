#include "result_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int result_path_begin(result_path *p, int columns, int rows) {
    p->columns = columns;
    p->rows = rows;
    p->seen = calloc(((size_t)columns * (size_t)rows + 7) / 8, 1);
    return p->seen != NULL;
}

void result_path_free(result_path *p) {
    free(p->seen);
    free(p->point_x);
    free(p->point_y);
    memset(p, 0, sizeof *p);
}

// ------------------------------------------------------------------------------------------------------------- cells

static double part_of(double value, double from, double to) {
    return to > from ? (value - from) / (to - from) : 0.5;
}

static void cell_of(const result_path *p, double x, double y, double *column, double *row) {
    const double part =
        p->log_y ? part_of(log(y), log(p->y_from), log(p->y_to)) : part_of(y, p->y_from, p->y_to);
    *column = part_of(x, p->x_from, p->x_to) * (p->columns - 1);
    *row = part * (p->rows - 1);
}

// 1 when nothing was there yet.
static int visit(result_path *p, double column, double row) {
    const size_t cell = (size_t)lround(row) * (size_t)p->columns + (size_t)lround(column);
    const unsigned char bit = (unsigned char)(1u << cell % 8);
    const int is_new = !(p->seen[cell / 8] & bit);
    p->seen[cell / 8] |= bit;
    return is_new;
}

// Every cell that the straight line goes through. -1: it does not leave its cell and its neighbours; 1: one of them is new.
static int visit_line(result_path *p, double x, double y) {
    double c1, r1, c2, r2;
    int is_new = 0;
    cell_of(p, p->last_x, p->last_y, &c1, &r1);
    cell_of(p, x, y, &c2, &r2);
    const double distance = fmax(fabs(c2 - c1), fabs(r2 - r1));
    if (distance < 1) return -1;
    const int steps = (int)ceil(distance);
    for (int k = 1; k <= steps; k++) {
        const double part = (double)k / steps;
        is_new |= visit(p, c1 + part * (c2 - c1), r1 + part * (r2 - r1));
    }
    return is_new;
}

// ------------------------------------------------------------------------------------------------------------ points

static void result_path_keep(result_path *p, double x, double y) {
    if (p->count == p->capacity) {
        const int capacity = p->capacity ? 2 * p->capacity : 1024;
        double *px = realloc(p->point_x, (size_t)capacity * sizeof *px);
        if (px) p->point_x = px;
        double *py = realloc(p->point_y, (size_t)capacity * sizeof *py);
        if (py) p->point_y = py;
        p->no_memory |= !px || !py;
        if (!px || !py) return;
        p->capacity = capacity;
    }
    p->point_x[p->count] = x;
    p->point_y[p->count++] = y;
}

static int is_inside(const result_path *p, double x, double y) {
    return x >= p->x_from && x <= p->x_to && y >= p->y_from && y <= p->y_to && (!p->log_y || y > 0);
}

void result_path_add(result_path *p, const double *row) {
    const double x = row[p->x], y = row[p->y];
    if (!is_inside(p, x, y)) {
        p->has_last = 0;
        return;
    }
    const int is_new = p->has_last ? visit_line(p, x, y) : 0;
    if (is_new < 0) return; // rows that are close together count once they have gone far enough
    if (is_new) {
        if (!p->joined && p->count > 0) result_path_keep(p, p->last_x, NAN);
        if (!p->joined) result_path_keep(p, p->last_x, p->last_y);
        result_path_keep(p, x, y);
    }
    p->has_last = 1;
    p->joined = is_new;
    p->last_x = x;
    p->last_y = y;
}
