// The wheel of [Peiret2016] with exact Coulomb friction: the reference stepper against an independent program
// (tests/data/wheel), whose two formulations agree to 4e-13 up to 2 s.
#include "bristle/contact.h"
#include "scene.h"

#define COLUMNS 15
#define SLIDES_UNTIL 2.006822760
#define WHEEL "papers/peiret_wheel.yaml"
#define SETTINGS "contact.law=cone;solver.stepper=reference;solver.tol=1e-11"

typedef struct stop {
    double t, force;
    int count;
} stop;

static void note_stop(void *context, const br_event *event) {
    stop *s = context;
    if (event->kind == BR_EVENT_STICK) s->t = event->t, s->force = event->value;
    s->count++;
}

static int read_row(FILE *file, double *row) {
    for (int k = 0; k < COLUMNS; k++)
        if (fscanf(file, k == 0 ? "%lf" : ",%lf", &row[k]) != 1) return 0;
    return 1;
}

typedef struct difference {
    double position, rotation, velocity, force, energy;
} difference;

static void compare_row(scene *s, const double *row, difference *d) {
    const br_pose X = br_sim_body_pose(s->sim, 0);
    const br_twist V = br_sim_body_twist(s->sim, 0);
    br_contact c;
    d->position = fmax(d->position, br_vec3_distance(X.position, br_vec3_of(row[1], row[2], row[3])));
    d->rotation = fmax(d->rotation, br_quat_angle(X.rotation, br_quat_of(row[4], row[5], row[6], row[7])));
    d->velocity = fmax(d->velocity, br_vec3_distance(V.linear, br_vec3_of(row[8], row[9], row[10])));
    d->energy = fmax(d->energy, fabs(br_sim_energy(s->sim).total - row[14]));
    assert_int_equal(br_sim_contact_count(s->sim), 1);
    br_sim_contact(s->sim, 0, &c);
    d->force = fmax(d->force, fabs(c.normal_force - row[11]));
    d->force = fmax(d->force, br_vec3_distance(c.friction, br_vec3_of(row[12], row[13], 0)));
}

static difference follow(scene *s, double from, double to) {
    FILE *file = fopen(BRISTLE_SOURCE_DIR "/tests/data/wheel/coulomb_10ms.csv", "r");
    assert_non_null(file);
    while (fgetc(file) != '\n') {}
    double row[COLUMNS];
    difference d = {0};
    int rows = 0;
    while (read_row(file, row)) {
        if (row[0] <= from || row[0] > to + 1e-9) continue;
        scene_advance(s, row[0]);
        compare_row(s, row, &d);
        rows++;
    }
    fclose(file);
    assert_true(rows > 10);
    print_message(
        "%g to %g s: position %.1e m, rotation %.1e rad, velocity %.1e m/s, force %.1e N, energy %.1e J\n",
        from, to, d.position, d.rotation, d.velocity, d.force, d.energy);
    return d;
}

// 1e-8 is what is promised; tol 1e-11 over 2,000 steps leaves a few 1e-11.
static void sliding_wheel_matches_the_table(void **state) {
    (void)state;
    scene s = scene_open(WHEEL, SETTINGS);
    const difference d = follow(&s, 0, 2);
    assert_true(d.position < 1e-8 && d.velocity < 1e-8 && d.force < 1e-7 && d.energy < 1e-8);
    assert_true(d.rotation < 1e-8);
    const br_ledger l = br_sim_ledger(s.sim);
    assert_near(l.unaccounted, 0, 1e-9);
    assert_near(l.friction, 23.279378972019 - 4.599972034305, 1e-8);
    assert_near(l.impact, 0, 1e-12);
    scene_close(&s);
}

// The stop is where an event is hardest to find: friction turns the slip ever faster as it dies.
static void wheel_stops_sliding_when_it_should_and_rolls(void **state) {
    (void)state;
    scene s = scene_open(WHEEL, SETTINGS);
    stop found = {0};
    br_sim_set_event(s.sim, note_stop, &found);
    scene_advance(&s, 2.1);
    assert_int_equal(found.count, 1);
    assert_near(found.t, SLIDES_UNTIL, 1e-7);
    const double energy = br_sim_energy(s.sim).total;
    br_contact c;
    for (int k = 1; k <= 30; k++) {
        scene_advance(&s, 2.1 + 0.1 * k);
        br_sim_contact(s.sim, 0, &c);
        assert_int_equal(c.state, BR_CONTACT_STICKS);
        assert_true(br_vec3_norm(c.slip) < 1e-12 && fabs(c.gap) < 1e-12);
        assert_true(br_vec3_norm(c.friction) < 0.3 * c.normal_force);
    }
    assert_near(br_sim_energy(s.sim).total, energy, 1e-9); // rolling loses nothing
    scene_close(&s);
}

// Just after the stop |f_t|/(mu f_n) falls from 1 to 0.431226.
static void force_falls_at_the_stop(void **state) {
    (void)state;
    scene s = scene_open(WHEEL, SETTINGS);
    br_contact c;
    scene_advance(&s, SLIDES_UNTIL - 1e-6);
    br_sim_contact(s.sim, 0, &c);
    assert_int_equal(c.state, BR_CONTACT_SLIPS);
    assert_near(br_vec3_norm(c.friction) / (0.3 * c.normal_force), 1, 1e-12);
    scene_advance(&s, SLIDES_UNTIL + 1e-6);
    br_sim_contact(s.sim, 0, &c);
    assert_int_equal(c.state, BR_CONTACT_STICKS);
    assert_near(br_vec3_norm(c.friction) / (0.3 * c.normal_force), 0.431226, 2e-6);
    scene_close(&s);
}

// The rolling part too, with the error of the stop's instant on top.
static void rolling_wheel_matches_the_table(void **state) {
    (void)state;
    scene s = scene_open(WHEEL, SETTINGS);
    scene_advance(&s, 2.01);
    const difference d = follow(&s, 2.01, 3);
    assert_true(d.position < 1e-8 && d.velocity < 1e-7 && d.energy < 1e-8);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sliding_wheel_matches_the_table),
                                       cmocka_unit_test(wheel_stops_sliding_when_it_should_and_rolls),
                                       cmocka_unit_test(force_falls_at_the_stop),
                                       cmocka_unit_test(rolling_wheel_matches_the_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
