#include "result_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST, LAST, LEAST_X, MOST_X, LEAST_Y, MOST_Y };

// -------------------------------------------------------------------------------------------------------- the groups

int result_series_begin(result_series *s, int x, int y, int capacity) {
    *s = (result_series){.x = x, .y = y, .capacity = capacity + capacity % 2, .group_rows = 1};
    s->group = calloc((size_t)s->capacity, sizeof *s->group);
    return s->group != NULL;
}

void result_series_free(result_series *s) {
    free(s->group);
    memset(s, 0, sizeof *s);
}

// The later group goes into the earlier one.
static void join(result_group *a, const result_group *b) {
    result_point *p = a->point;
    const result_point *q = b->point;
    p[LAST] = q[LAST];
    if (q[LEAST_X].x < p[LEAST_X].x) p[LEAST_X] = q[LEAST_X];
    if (q[MOST_X].x > p[MOST_X].x) p[MOST_X] = q[MOST_X];
    if (q[LEAST_Y].y < p[LEAST_Y].y) p[LEAST_Y] = q[LEAST_Y];
    if (q[MOST_Y].y > p[MOST_Y].y) p[MOST_Y] = q[MOST_Y];
}

// Neighbours with a gap between them stay apart, unless there are so many gaps that this would not make room.
static int join_pairs(result_series *s, int over_gaps) {
    int n = 0;
    for (int k = 0; k < s->count; n++) {
        s->group[n] = s->group[k++];
        if (k < s->count && (over_gaps || !s->group[k].after_gap)) join(&s->group[n], &s->group[k++]);
    }
    return n;
}

static void join_neighbours(result_series *s) {
    s->count = join_pairs(s, 0);
    if (s->count > s->capacity - s->capacity / 4) s->count = join_pairs(s, 1);
    if (s->group_rows < s->rows) s->group_rows *= 2; // not without end where gaps fill the groups
    s->last_rows = s->group_rows;                    // the next row begins a group
}

void result_series_add(result_series *s, const double *row) {
    const result_point p = {row[s->x], row[s->y], s->rows};
    if (s->positive && !(p.y > 0)) {
        s->left_out++;
        s->gap = 1;
        return;
    }
    result_group g = {.after_gap = s->gap};
    for (int k = 0; k < RESULT_GROUP_POINTS; k++) g.point[k] = p;
    if (s->count > 0 && s->last_rows < s->group_rows && !s->gap) {
        join(&s->group[s->count - 1], &g);
        s->last_rows++;
    } else {
        if (s->count == s->capacity) join_neighbours(s);
        s->group[s->count++] = g;
        s->last_rows = 1;
    }
    s->gap = 0;
    s->rows++;
}

// -------------------------------------------------------------------------------------------------------- the points

int result_series_most(const result_series *s) {
    return s->count * (RESULT_GROUP_POINTS + 1);
}

static int by_row(const void *a, const void *b) {
    const result_point *p = a, *q = b;
    return (p->row > q->row) - (p->row < q->row);
}

int result_series_points(const result_series *s, double *x, double *y) {
    int n = 0;
    for (int k = 0; k < s->count; k++) {
        result_point p[RESULT_GROUP_POINTS];
        memcpy(p, s->group[k].point, sizeof p);
        qsort(p, RESULT_GROUP_POINTS, sizeof *p, by_row);
        if (s->group[k].after_gap && n > 0) x[n] = p[0].x, y[n++] = NAN;
        for (int i = 0; i < RESULT_GROUP_POINTS; i++)
            if (i == 0 || p[i].row != p[i - 1].row) x[n] = p[i].x, y[n++] = p[i].y;
    }
    return n;
}

// ----------------------------------------------------------------------------------------------------------- reading

int result_channel(const br_result_header *h, const char *name) {
    for (int k = 0; k < h->channel_count; k++)
        if (strcmp(h->channels[k].name, name) == 0) return k;
    return -1;
}

static void take_row(result_reading *r, const double *row) {
    const double t = row[r->t];
    if (r->rows++ == 0) r->first_t = t;
    r->last_t = t;
    if (t < r->from || t > r->to) return;
    r->rows_taken++;
    for (int k = 0; k < r->series_count; k++) result_series_add(r->series[k], row);
    for (int k = 0; k < r->path_count; k++) result_path_add(r->paths[k], row);
}

void result_read(br_result *result, result_reading *r) {
    br_result_item item;
    r->rows = r->rows_taken = 0;
    for (;;) {
        r->damage = br_result_next(result, &item, &r->error);
        if (r->damage != BR_OK) {
            r->kind = BR_RESULT_CUT;
            return;
        }
        r->kind = item.kind;
        if (item.kind == BR_RESULT_ROW) {
            take_row(r, item.row);
        } else if (item.kind == BR_RESULT_EVENT) {
            if (r->on_event && item.event.t >= r->from && item.event.t <= r->to)
                r->on_event(r->context, &item.event);
        } else if (item.kind == BR_RESULT_END || item.kind == BR_RESULT_CUT) {
            r->end = item.end;
            return;
        }
    }
}
