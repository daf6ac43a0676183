// Curves in fixed memory: whatever the number of rows, extremes, ends, order and gaps are kept.
#include "near.h"

#include <stdlib.h>

#include "result_series.h"

typedef struct points {
    double *x, *y;
    int count;
} points;

static points take(const result_series *s) {
    points p;
    const size_t n = (size_t)result_series_most(s) + 1;
    p.x = malloc(n * sizeof *p.x);
    p.y = malloc(n * sizeof *p.y);
    assert_true(p.x && p.y);
    p.count = result_series_points(s, p.x, p.y);
    assert_true(p.count <= result_series_most(s));
    return p;
}

static void release(points *p) {
    free(p->x);
    free(p->y);
}

static void few_rows_are_kept_as_they_are(void **state) {
    (void)state;
    result_series s;
    assert_true(result_series_begin(&s, 1, 0, 64));
    for (int k = 0; k < 64; k++) result_series_add(&s, (double[]){k * k, k});
    points p = take(&s);
    assert_int_equal(p.count, 64);
    for (int k = 0; k < 64; k++) {
        assert_near(p.x[k], k, 0);
        assert_near(p.y[k], k * k, 0);
    }
    release(&p);
    result_series_free(&s);
}

static void a_spike_of_one_row_in_a_million_stays(void **state) {
    (void)state;
    enum { ROWS = 1000003, AT = 777777 };
    result_series s;
    assert_true(result_series_begin(&s, 0, 1, 100));
    for (int k = 0; k < ROWS; k++) result_series_add(&s, (double[]){k, k == AT ? 9 : sin(1e-3 * k)});
    assert_true(s.count <= 100 && s.count >= 50);
    assert_int_equal(s.rows, ROWS);
    points p = take(&s);
    assert_near(p.x[0], 0, 0);
    assert_near(p.x[p.count - 1], ROWS - 1, 0);
    int found = 0;
    for (int k = 0; k < p.count; k++) {
        if (k > 0) assert_true(p.x[k] > p.x[k - 1]);
        if (p.y[k] > 8) found += p.x[k] > AT - 0.5 && p.x[k] < AT + 0.5;
    }
    assert_int_equal(found, 1);
    release(&p);
    result_series_free(&s);
}

// Against a search through all rows of each group.
static void every_group_has_its_own_extremes(void **state) {
    (void)state;
    enum { ROWS = 4097, ROOM = 32 };
    static double x[ROWS], y[ROWS];
    result_series s;
    assert_true(result_series_begin(&s, 0, 1, ROOM));
    for (int k = 0; k < ROWS; k++) {
        x[k] = cos(0.37 * k) * k;
        y[k] = sin(1.7 * k * k);
        result_series_add(&s, (double[]){x[k], y[k]});
    }
    long row = 0;
    for (int g = 0; g < s.count; g++) {
        const result_point *p = s.group[g].point;
        double least = INFINITY, most = -INFINITY, left = INFINITY, right = -INFINITY;
        assert_int_equal(p[0].row, row);
        for (; row <= p[1].row; row++) {
            left = fmin(left, x[row]), right = fmax(right, x[row]);
            least = fmin(least, y[row]), most = fmax(most, y[row]);
        }
        assert_near(p[2].x, left, 0);
        assert_near(p[3].x, right, 0);
        assert_near(p[4].y, least, 0);
        assert_near(p[5].y, most, 0);
    }
    assert_int_equal(row, ROWS);
    result_series_free(&s);
}

static int gaps_of(const points *p) {
    int n = 0;
    for (int k = 0; k < p->count; k++) n += isnan(p->y[k]) != 0;
    return n;
}

static void gaps_of_a_log_axis_stay_gaps(void **state) {
    (void)state;
    enum { ROWS = 100000 };
    result_series s;
    assert_true(result_series_begin(&s, 0, 1, 256));
    s.positive = 1;
    for (int k = 0; k < ROWS; k++)
        result_series_add(&s, (double[]){k, sin(2 * M_PI * 10 * (k + 0.5) / ROWS)});
    points p = take(&s);
    assert_int_equal(s.left_out, ROWS / 2);
    assert_int_equal(gaps_of(&p), 9); // ten waves
    for (int k = 0; k < p.count; k++) assert_true(isnan(p.y[k]) || p.y[k] > 0);
    release(&p);
    result_series_free(&s);
}

static void more_gaps_than_groups_are_no_harm(void **state) {
    (void)state;
    result_series s;
    assert_true(result_series_begin(&s, 0, 1, 31));
    s.positive = 1;
    for (int k = 0; k < 100000; k++) result_series_add(&s, (double[]){k, k % 2 ? k : -1});
    assert_true(s.count <= s.capacity);
    points p = take(&s);
    for (int k = 1; k < p.count; k++) assert_true(p.x[k] >= p.x[k - 1]);
    assert_near(p.y[p.count - 1], 99999, 0);
    release(&p);
    result_series_free(&s);
}

// A loop of 1000 rows, run through 500 times: as many points as once, all on the circle, and none of it left open. Points are
// a cell apart or more, so steps along the circle are at most the next cell and one row.
static void a_loop_run_through_often_is_kept_once(void **state) {
    (void)state;
    enum { CELLS = 400, ROWS = 1000 };
    result_path p = {.x = 0, .y = 1, .x_from = -1, .x_to = 1, .y_from = -1, .y_to = 1};
    assert_true(result_path_begin(&p, CELLS, CELLS));
    int once = 0;
    for (int k = 0; k < 500 * ROWS; k++) {
        const double angle = 2 * M_PI * (k + 0.3) / ROWS;
        result_path_add(&p, (double[]){cos(angle), sin(angle)});
        if (k == ROWS) once = p.count;
    }
    assert_true(once > 500);
    assert_true(p.count < 3 * once);
    for (double angle = 0; angle < 6.28; angle += 0.01) {
        double nearest = 9;
        for (int k = 0; k < p.count; k++)
            if (!isnan(p.point_y[k]))
                nearest = fmin(nearest, hypot(p.point_x[k] - cos(angle), p.point_y[k] - sin(angle)));
        assert_true(nearest < 2 * 2.0 / CELLS);
    }
    result_path_free(&p);
}

// Whatever the rows are: no more segments than cells, each with a gap and two points at most.
static void a_path_of_noise_is_bounded_by_its_cells(void **state) {
    (void)state;
    enum { CELLS = 20 };
    result_path p = {.x = 0, .y = 1, .x_to = 1, .y_to = 1};
    assert_true(result_path_begin(&p, CELLS, CELLS));
    unsigned long seed = 1;
    for (int k = 0; k < 200000; k++) {
        double xy[2];
        for (int i = 0; i < 2; i++) {
            seed = (seed * 1103515245 + 12345) & 0x7fffffff;
            xy[i] = 1.2 * (double)seed / 0x7fffffff - 0.1; // some are outside
        }
        if (k % 1000 == 0) xy[1] = NAN;
        result_path_add(&p, xy);
    }
    assert_true(p.count <= 3 * CELLS * CELLS);
    int segments = 0;
    for (int k = 1; k < p.count; k++) segments += !isnan(p.point_y[k]) && !isnan(p.point_y[k - 1]);
    assert_true(segments <= CELLS * CELLS);
    for (int k = 0; k < p.count; k++) assert_true(p.point_x[k] >= 0 && p.point_x[k] <= 1);
    result_path_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_rows_are_kept_as_they_are),
        cmocka_unit_test(a_spike_of_one_row_in_a_million_stays),
        cmocka_unit_test(every_group_has_its_own_extremes),
        cmocka_unit_test(gaps_of_a_log_axis_stay_gaps),
        cmocka_unit_test(more_gaps_than_groups_are_no_harm),
        cmocka_unit_test(a_loop_run_through_often_is_kept_once),
        cmocka_unit_test(a_path_of_noise_is_bounded_by_its_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
