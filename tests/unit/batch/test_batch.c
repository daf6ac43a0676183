// br_batch: its numbers are those of a plain loop, for any number of threads; what is wrong with one case is told of that case.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bristle/bristle.h"
#include "counting_allocator.h"
#include "near.h"

#define DOOR BRISTLE_SOURCE_DIR "/scenes/friction/door.yaml"
static const char swing[] = "format: 1\nbodies: {bob: {mass: 1 kg, pose: {position: [0, 0, -1]}}}\n"
                            "joints: {pin: {revolute: [world, bob], axis: y, at: [0, 0, 0]}}\n"
                            "solver: {stepper: contact, theta: 0.5, step: 5 ms}\nrun: {until: 10 s}\n";
#define BOX BRISTLE_SOURCE_DIR "/scenes/templates/box_on_incline.yaml"

static const double UNTIL = 0.05; // s
enum { CASES = 23, COLUMNS = 6 };
static const char *const columns[COLUMNS] = {"hinge.position.end",      "hinge.velocity.max",
                                             "hinge.velocity.mean",     "verdict",
                                             "event(slip, hinge, 1).t", "credible"};

typedef struct doors {
    char text[CASES][2][32];
    br_override set[CASES][2];
    br_batch_case one[CASES];
} doors;

static void make_doors(doors *d) {
    for (int k = 0; k < CASES; k++) {
        snprintf(d->text[k][0], sizeof d->text[k][0], "%.17g", 0.1 + 0.01 * k);
        snprintf(d->text[k][1], sizeof d->text[k][1], "%.17g", 0.5 + 0.25 * (k % 7));
        d->set[k][0] = (br_override){"mu", d->text[k][0]};
        d->set[k][1] = (br_override){"T", d->text[k][1]};
        d->one[k] = (br_batch_case){.overrides = d->set[k], .override_count = 2};
    }
}

static br_batch *door_batch(const br_allocator *allocator) {
    br_batch_def def = br_default_batch_def();
    br_batch *batch = NULL;
    br_error error;
    def.path = DOOR, def.columns = columns, def.column_count = COLUMNS, def.until = UNTIL;
    if (br_batch_create(&def, NULL, allocator, &batch, &error) != BR_OK) fail_msg("%s", error.message);
    return batch;
}

// What a program without br_batch would write: of the first three columns.
static void plain_door(const br_override *set, double *values, uint64_t *hash) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_channel position, velocity;
    double v = 0, before = 0, integral = 0;
    assert_int_equal(br_model_read(DOOR, set, 2, NULL, &model, NULL, NULL), BR_OK);
    assert_int_equal(br_sim_create(model, NULL, &sim, NULL), BR_OK);
    assert_int_equal(br_sim_channel_find(sim, "hinge.position", &position, NULL), BR_OK);
    assert_int_equal(br_sim_channel_find(sim, "hinge.velocity", &velocity, NULL), BR_OK);
    const br_settings *s = br_model_settings(model);
    values[1] = -INFINITY;
    double last = 0;
    for (int k = 0; last < UNTIL; k++) {
        const double t = br_row_time(k, s->output, UNTIL);
        assert_int_equal(br_sim_advance(sim, t, NULL), BR_OK);
        assert_int_equal(br_sim_channel_read(sim, &velocity, &v, NULL), BR_OK);
        values[1] = fmax(values[1], v);
        if (k > 0) integral += 0.5 * (before + v) * (t - last);
        before = v, last = t;
    }
    assert_int_equal(br_sim_channel_read(sim, &position, &values[0], NULL), BR_OK);
    values[2] = integral / last;
    *hash = br_sim_hash(sim);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void parameter_sets_give_the_bits_of_a_plain_loop(void **state) {
    (void)state;
    doors d;
    double first[CASES * COLUMNS], again[CASES * COLUMNS];
    uint64_t hashes[CASES], other[CASES];
    br_error error;
    make_doors(&d);
    br_batch *batch = door_batch(NULL);
    assert_int_equal(br_batch_run(batch, d.one, CASES, 1, first, hashes, NULL, &error), BR_OK);
    for (int k = 0; k < CASES; k++) {
        double values[3];
        uint64_t hash;
        plain_door(d.set[k], values, &hash);
        assert_memory_equal(values, &first[k * COLUMNS], sizeof values);
        assert_true(hash == hashes[k]);
    }
    for (int threads = 2; threads <= 7; threads += 5) {
        memset(again, 0, sizeof again);
        assert_int_equal(br_batch_run(batch, d.one, CASES, threads, again, other, NULL, &error), BR_OK);
        assert_memory_equal(first, again, sizeof first);
        assert_memory_equal(hashes, other, sizeof hashes);
    }
    br_batch_destroy(batch);
}

// The door moves when T > mu (2 r W x/L + a W), the number in its file.
static void verdicts_and_events_follow_from_the_balance(void **state) {
    (void)state;
    doors d;
    double values[CASES * COLUMNS];
    int held = 0;
    br_error error;
    make_doors(&d);
    br_batch *batch = door_batch(NULL);
    assert_int_equal(br_batch_run(batch, d.one, CASES, 2, values, NULL, NULL, &error), BR_OK);
    for (int k = 0; k < CASES; k++) {
        char text[BR_MAX_COLUMN_TEXT];
        const double weight = 37.5 * 9.81, mu = 0.1 + 0.01 * k, T = 0.5 + 0.25 * (k % 7);
        const int moves = T > mu * (2 * 0.008 * weight * 0.45 + 0.01 * weight);
        const double *row = &values[k * COLUMNS];
        br_batch_column_text(batch, 3, row[3], text);
        assert_string_equal(text, moves ? "moves" : "sticks_robust");
        assert_int_equal(moves, row[0] > 0);
        br_batch_column_text(batch, 5, row[5], text);
        assert_string_not_equal(text, "no"); // open where the budget of the run's own work ends first
        held += !moves;
    }
    assert_true(held > 3 && held < CASES - 3);
    br_batch_destroy(batch);
}

static void states_share_the_model(void **state) {
    (void)state;
    static const char *const asked[] = {"pin.position.end", "pin.position.period", "pin.velocity.max"};
    br_model *model = NULL;
    br_batch *batch = NULL;
    br_error error;
    double q[CASES], v[CASES], values[CASES * 3], again[CASES * 3];
    br_batch_case one[CASES];
    const size_t size = sizeof swing - 1;
    if (br_model_read_text(swing, size, "swing", NULL, 0, NULL, &model, NULL, &error) != BR_OK)
        fail_msg("%s", error.message);
    br_batch_def def = br_default_batch_def();
    def.model = model, def.columns = asked, def.column_count = 3;
    if (br_batch_create(&def, NULL, NULL, &batch, &error) != BR_OK) fail_msg("%s", error.message);
    for (int k = 0; k < CASES; k++) {
        q[k] = 0.1 * (k + 1), v[k] = 0;
        one[k] = (br_batch_case){.q = &q[k], .v = &v[k]};
    }
    assert_int_equal(br_batch_run(batch, one, CASES, 1, values, NULL, NULL, &error), BR_OK);
    assert_int_equal(br_batch_run(batch, one, CASES, 2, again, NULL, NULL, &error), BR_OK);
    assert_memory_equal(values, again, sizeof values);
    for (int k = 1; k < CASES; k++)
        assert_true(values[3 * k + 1] > values[3 * k - 2]); // a wider swing is slower
    br_batch_destroy(batch);
    br_model_destroy(model);
}

static void a_case_that_fails_is_told_and_the_others_are_good(void **state) {
    (void)state;
    doors d;
    double values[CASES * COLUMNS], good[CASES * COLUMNS];
    uint64_t hashes[CASES];
    br_error error, errors[CASES];
    make_doors(&d);
    br_batch *batch = door_batch(NULL);
    assert_int_equal(br_batch_run(batch, d.one, CASES, 2, good, NULL, NULL, &error), BR_OK);
    d.set[7][0].value = "-1";
    d.set[11][0].name = "nu";
    assert_int_equal(br_batch_run(batch, d.one, CASES, 3, values, hashes, errors, &error), BR_OK);
    for (int k = 0; k < CASES; k++) {
        const int bad = k == 7 || k == 11;
        assert_int_equal(errors[k].status != BR_OK, bad);
        assert_int_equal(hashes[k] == 0, bad);
        if (bad)
            assert_true(isnan(values[k * COLUMNS]));
        else
            assert_memory_equal(&values[k * COLUMNS], &good[k * COLUMNS], COLUMNS * sizeof *values);
    }
    assert_string_equal(errors[11].code, "set-unknown");
    for (int threads = 1; threads < 4; threads++) {
        assert_int_equal(br_batch_run(batch, d.one, CASES, threads, values, NULL, NULL, &error), BR_INVALID);
        assert_string_equal(error.code, errors[7].code);
    }
    br_batch_destroy(batch);
}

static void bad_columns_are_named_before_anything_runs(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {"hinge.position", "column-form"},
        {"hinge.positoin.end", "channel-unknown"},
        {"verdicts", "column-form"},
        {".end", "column-form"},
        {"", "column-form"},
        {"event(stick, hinge, 0).t", "column-form"},
        {"event(stick, hinge, 1)", "column-form"},
        {"event(stick).t", "column-form"},
        {"event(stick, , 1).t", "column-form"},
        {"event(stik, hinge, 1).t", "column-event"},
        {"event(stick, hnge, 1).t", "column-element"},
        {"event(stick, a~b, 1).t", "column-element"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        br_batch_def def = br_default_batch_def();
        br_batch *batch = NULL;
        br_error error = {0};
        def.path = DOOR, def.columns = &bad[k][0], def.column_count = 1;
        assert_int_not_equal(br_batch_create(&def, NULL, NULL, &batch, &error), BR_OK);
        assert_null(batch);
        if (strcmp(error.code, bad[k][1]) != 0) fail_msg("%s: %s: %s", bad[k][0], error.code, error.message);
    }
}

static void contacts_are_found_by_their_shapes_in_either_order(void **state) {
    (void)state;
    br_model *model = NULL;
    br_batch *batch = NULL;
    br_error error;
    br_sim *sim = NULL;
    char name[2][BR_MAX_EVENT_NAME];
    double values[2];
    assert_int_equal(br_model_read(BOX, NULL, 0, NULL, &model, NULL, &error), BR_OK);
    assert_int_equal(br_sim_create(model, NULL, &sim, &error), BR_OK);
    const char *a = br_model_shape_name(model, 0), *b = br_model_shape_name(model, 1);
    snprintf(name[0], sizeof name[0], "event(contact_on, %s~%s, 1).t", a, b);
    snprintf(name[1], sizeof name[1], "event(contact_on, %s~%s).t", b, a);
    const char *const asked[] = {name[0], name[1]};
    br_batch_def def = br_default_batch_def();
    const br_batch_case one = {0};
    def.model = model, def.columns = asked, def.column_count = 2;
    if (br_batch_create(&def, NULL, NULL, &batch, &error) != BR_OK) fail_msg("%s", error.message);
    assert_int_equal(br_batch_run_one(batch, &one, values, NULL, &error), BR_OK);
    assert_false(isnan(values[0]));
    assert_true(values[0] == values[1]);
    br_batch_destroy(batch);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    doors d;
    make_doors(&d);
    long k = 1;
    for (;; k += 1 + k / 4) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_batch_def def = br_default_batch_def();
        br_batch *batch = NULL;
        br_error error = {0};
        double values[COLUMNS];
        def.path = DOOR, def.columns = columns, def.column_count = COLUMNS, def.until = 0.01;
        br_status status = br_batch_create(&def, NULL, &allocator, &batch, &error);
        if (status == BR_OK) status = br_batch_run_one(batch, &d.one[3], values, NULL, &error);
        br_batch_destroy(batch);
        assert_int_equal(counter.live, 0);
        if (counter.failed == 0) {
            assert_int_equal(status, BR_OK);
            break;
        }
        assert_int_equal(status, BR_NO_MEMORY);
    }
    assert_true(k > 20);
}

// A pushed box: it slides for certain beyond mu m g/F. A pair of the same loads is one search, and a load that is missing is told first.
static void hold_columns_are_the_closed_form(void **unused) {
    (void)unused;
    static const char box[] =
        "format: 1\nparams: {mu: 0.5, F: 8 N}\nmaterials: {m: {}}\npairs: {m/m: {mu: $mu}}\n"
        "bodies: {box: {mass: 2 kg, pose: {position: [0, 0, 0.05]}, inertia: {box: {size: [0.4, 0.4, "
        "0.1]}},\n"
        "  shapes: [{box: {size: [0.4, 0.4, 0.1]}, material: m}]}}\n"
        "ground: [{plane: {normal: [0, 0, 1]}, material: m}]\n"
        "loads: {push: {body: box, force: [$F, 0, 0], at: [0, 0, -0.05]}}\nrun: {until: 5 ms}\n";
    static const char *const asked[] = {"hold(push).possible", "hold(push).sure",
                                        "hold( push , gravity ).sure", "hold(push).needed",
                                        "box.position.x.end"};
    static const char *const wrong[][1] = {{"hold(psh).sure"}, {"hold().sure"}, {"hold(push).end"}};
    br_batch_def def = br_default_batch_def();
    br_batch *batch = NULL;
    double values[5];
    const br_override none[] = {{"F", "0 N"}};
    const br_batch_case unloaded = {.overrides = none, .override_count = 1}, as_it_is = {0};
    br_error error;
    def.text = box, def.size = sizeof box - 1, def.text_name = "box", def.columns = asked,
    def.column_count = 5;
    if (br_batch_create(&def, NULL, NULL, &batch, &error) != BR_OK) fail_msg("%s", error.message);
    if (br_batch_run_one(batch, &as_it_is, values, NULL, &error) != BR_OK) fail_msg("%s", error.message);
    assert_near(values[0], 0.5 * 2 * 9.81 / 8, 1e-9);
    assert_near(values[1], 0.5 * 2 * 9.81 / 8, 1e-9);
    assert_true(isinf(values[2])); // friction grows with the weight: 8 < mu m g at any factor
    assert_near(values[3], -0.5 * 2 * 9.81 / 8, 1e-9);
    assert_int_equal(br_batch_run_one(batch, &unloaded, values, NULL, &error), BR_INVALID); // of no size
    assert_string_equal(error.code, "hold-nothing");
    br_batch_destroy(batch);
    for (int k = 0; k < 3; k++) {
        def.columns = wrong[k], def.column_count = 1;
        assert_int_equal(br_batch_create(&def, NULL, NULL, &batch, &error), BR_INVALID);
        assert_non_null(strstr(error.message, "hold("));
    }
}

// Of a fall from rest: z = z0 - g t^2/2 at a row, and on the chord between two rows.
static void at_is_the_row_or_lies_between_two(void **unused) {
    (void)unused;
    static const char fall[] =
        "format: 1\nbodies: {ball: {mass: 1 kg, inertia: [1, 1, 1]}}\n"
        "solver: {stepper: contact, theta: 0.5, step: 10 ms}\nrun: {until: 0.1 s, output: 10 ms}\n";
    static const char *const asked[] = {"ball.position.z.at(0)", "ball.position.z.at(0.05)",
                                        "ball.position.z.at(0.055)", "ball.position.z.at(0.1)"};
    static const char *const wrong[][1] = {{"ball.position.z.at(0.2)"},
                                           {"ball.position.z.at(x)"},
                                           {"ball.position.z.at(-1)"},
                                           {"ball.position.z.at()"},
                                           {"bell.position.z.at(0)"}};
    br_batch_def def = br_default_batch_def();
    br_batch *batch = NULL;
    const br_batch_case as_it_is = {0};
    double values[4];
    br_error error;
    def.text = fall, def.size = sizeof fall - 1, def.text_name = "fall", def.columns = asked,
    def.column_count = 4;
    if (br_batch_create(&def, NULL, NULL, &batch, &error) != BR_OK) fail_msg("%s", error.message);
    if (br_batch_run_one(batch, &as_it_is, values, NULL, &error) != BR_OK) fail_msg("%s", error.message);
    assert_near(values[0], 0, 1e-15);
    assert_near(values[1], -0.5 * 9.81 * 0.05 * 0.05, 1e-12);
    assert_near(values[2], -0.25 * 9.81 * (0.05 * 0.05 + 0.06 * 0.06), 1e-12);
    assert_near(values[3], -0.5 * 9.81 * 0.1 * 0.1, 1e-12);
    br_batch_destroy(batch);
    for (int k = 0; k < 5; k++) {
        def.columns = wrong[k], def.column_count = 1;
        assert_int_not_equal(br_batch_create(&def, NULL, NULL, &batch, &error), BR_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameter_sets_give_the_bits_of_a_plain_loop),
        cmocka_unit_test(verdicts_and_events_follow_from_the_balance),
        cmocka_unit_test(states_share_the_model),
        cmocka_unit_test(a_case_that_fails_is_told_and_the_others_are_good),
        cmocka_unit_test(bad_columns_are_named_before_anything_runs),
        cmocka_unit_test(contacts_are_found_by_their_shapes_in_either_order),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(hold_columns_are_the_closed_form),
        cmocka_unit_test(at_is_the_row_or_lies_between_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
