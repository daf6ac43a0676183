// Contact in the reference stepper: closed forms, conserved quantities, events in their order, and what it must refuse.
// Tolerances: tol is 1e-11 in the scenes, of each step a tenth of that; a thousand steps leave 1e-10 at most. A stop is found
// where the speed falls below 1e-10 of the largest, so its instant is known to about 1e-10 s.
#include "bristle/contact.h"
#include "scene.h"

#define GRAVITY 9.81
#define MAX_EVENTS 256

typedef struct event_log {
    br_event event[MAX_EVENTS];
    int count;
} event_log;

static void log_event(void *context, const br_event *event) {
    event_log *log = context;
    if (log->count < MAX_EVENTS) log->event[log->count++] = *event;
}

static scene open_logged(const char *name, const char *settings, event_log *log) {
    scene s = scene_open(name, settings);
    log->count = 0;
    br_sim_set_event(s.sim, log_event, log);
    return s;
}

static int count_events(const event_log *log, br_event_kind kind) {
    int count = 0;
    for (int k = 0; k < log->count; k++) count += log->event[k].kind == kind;
    return count;
}

// The n-th of its kind, from 0.
static br_event nth_event(const event_log *log, br_event_kind kind, int n) {
    for (int k = 0; k < log->count; k++)
        if (log->event[k].kind == kind && n-- == 0) return log->event[k];
    fail_msg("there is no such event");
    return log->event[0];
}

static br_contact contact_of(const scene *s, int k) {
    br_contact c;
    assert_true(k < br_sim_contact_count(s->sim));
    br_sim_contact(s->sim, k, &c);
    return c;
}

static void assert_books(const scene *s, double tolerance) {
    const br_ledger l = br_sim_ledger(s->sim);
    assert_near(l.unaccounted, 0, tolerance);
    assert_near(l.penetration, 0, 1e-10);
    assert_true(l.creep < 1e-12);
    assert_true(l.cone_violation < 1e-8);
}

// --- one contact ---------------------------------------------------------------------------------------------

static void sphere_rolls_with_five_sevenths_of_its_speed(void **state) {
    (void)state;
    event_log log;
    scene s = open_logged("contact/sphere_slide_to_roll.yaml", "", &log);
    scene_advance(&s, 1);
    const double stop = 2 * 3 / (7 * 0.3 * GRAVITY);
    assert_int_equal(log.count, 1);
    assert_near(nth_event(&log, BR_EVENT_STICK, 0).t, stop, 1e-9);
    assert_near(nth_event(&log, BR_EVENT_STICK, 0).value, 2 * GRAVITY, 1e-9);
    assert_near(scene_read(&s, "ball.velocity.x"), 15.0 / 7, 1e-10);
    assert_near(scene_read(&s, "ball.angular_velocity.y"), 150.0 / 7, 1e-9);
    assert_near(br_sim_ledger(s.sim).friction, 18.0 / 7, 1e-9); // 2/7 of the kinetic energy
    assert_books(&s, 1e-10);
    scene_close(&s);
}

// Two contact points on one line: of four tangent rows three are independent.
static void cylinder_rolls_with_two_thirds_of_its_speed(void **state) {
    (void)state;
    event_log log;
    scene s = open_logged("contact/cylinder_slide_to_roll.yaml", "", &log);
    scene_advance(&s, 1);
    assert_near(nth_event(&log, BR_EVENT_STICK, 0).t, 3 / (3 * 0.3 * GRAVITY), 1e-9);
    assert_near(scene_read(&s, "roller.velocity.x"), 2, 1e-10);
    assert_books(&s, 1e-10);
    scene_close(&s);
}

// Impacts are where closed form has them. The flights become shorter without end (Zeno's point, 1.35457092 s): the last one
// that is taken begins at 1e-7 of the largest speed, 1e-7 s before.
static void ball_bounces_to_its_zeno_point(void **state) {
    (void)state;
    event_log log;
    scene s = open_logged("contact/bouncing_ball.yaml", "solver.tol=1e-13", &log);
    scene_advance(&s, 2);
    const double fall = sqrt(2 / GRAVITY);
    double t = fall, flight = fall; // each flight takes 2 e of the one before
    for (int n = 0; n < 8; n++) {
        const br_event hit = nth_event(&log, BR_EVENT_CONTACT_ON, n);
        assert_near(hit.t, t, 1e-8);
        assert_near(hit.value, GRAVITY * fall * pow(0.5, n), 1e-8);
        flight = n == 0 ? fall : 0.5 * flight;
        t += flight;
    }
    const br_event last = nth_event(&log, BR_EVENT_CONTACT_ON, count_events(&log, BR_EVENT_CONTACT_ON) - 1);
    assert_near(last.t, 3 * fall, 2e-7);
    assert_int_equal(contact_of(&s, 0).state, BR_CONTACT_STICKS);
    assert_near(contact_of(&s, 0).normal_force, GRAVITY, 1e-9);
    assert_near(br_sim_ledger(s.sim).impact, GRAVITY, 1e-9);
    assert_books(&s, 1e-9);
    scene_close(&s);
}

// A compliant normal is a smooth force; friction on it still slips and sticks exactly. Each touch has a corner in its
// force, which the integrator passes with the error of a short step.
static void ball_on_a_soft_floor_loses_two_sevenths(void **state) {
    (void)state;
    event_log log;
    scene s = open_logged("contact/soft_ball_slides.yaml", "", &log);
    scene_advance(&s, 2);
    assert_int_equal(count_events(&log, BR_EVENT_STICK), 1);
    assert_true(count_events(&log, BR_EVENT_CONTACT_OFF) > 3);
    assert_near(scene_read(&s, "ball.velocity.x"), 5.0 / 7, 1e-9);
    assert_near(scene_read(&s, "ball.velocity.y"), 2.5 / 7, 1e-9);
    assert_near(br_sim_ledger(s.sim).friction, 2.0 / 7 * 1.25, 1e-9);
    assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-7);
    scene_close(&s);
}

// Rolling and rocking in space: the contact point wanders over the ellipsoid and the floor. Friction does no work.
static void rolling_ellipsoid_keeps_its_energy(void **state) {
    (void)state;
    event_log log;
    scene s = open_logged("contact/ellipsoid_rocks.yaml", "", &log);
    const double before = br_sim_energy(s.sim).total;
    for (int k = 1; k <= 30; k++) {
        scene_advance(&s, 0.1 * k);
        const br_contact c = contact_of(&s, 0);
        assert_int_equal(c.state, BR_CONTACT_STICKS);
        assert_true(br_vec3_norm(c.slip) < 1e-12 && fabs(c.gap) < 1e-12);
    }
    assert_int_equal(log.count, 0);
    assert_near(br_sim_energy(s.sim).total, before, 1e-10);
    scene_close(&s);
}

// --- two bodies ----------------------------------------------------------------------------------------------

// Off-centre hit of equal spheres; reduced masses m/2 along the normal and m/7 along the tangent.
static void spheres_collide_as_in_closed_form(void **state) {
    (void)state;
    static const double mu[] = {0.05, 0.4}; // one slides through the impact, one sticks
    for (int k = 0; k < 2; k++) {
        char settings[64];
        snprintf(settings, sizeof settings, "mu=%g", mu[k]);
        event_log log;
        scene s = open_logged("contact/two_spheres.yaml", settings, &log);
        scene_advance(&s, 1);
        const double m = 2, e = 0.6, u_n = 2 * cos(BR_PI / 6), u_t = 2 * sin(BR_PI / 6);
        const double p_n = m * u_n * (1 + e) / 2, p_t = fmin(mu[k] * p_n, m * u_t / 7);
        const br_vec3 n = br_vec3_of(cos(BR_PI / 6), sin(BR_PI / 6), 0), t = br_vec3_of(-n.y, n.x, 0);
        const br_event hit = nth_event(&log, BR_EVENT_CONTACT_ON, 0);
        assert_near(hit.t, 0.25, 1e-10);
        assert_near(hit.value, u_n, 1e-10);
        // on the ball: along n, and along the cue's tangential velocity -t
        const br_vec3 v = br_vec3_add_scaled(br_vec3_scale(p_n / m, n), -p_t / m, t);
        const br_twist V = br_sim_body_twist(s.sim, scene_body(&s, "ball"));
        assert_near(br_vec3_distance(V.linear, v), 0, 1e-10);
        assert_near(V.angular.z, 0.1 * p_t / 0.008, 1e-9);
        assert_books(&s, 1e-12);
        scene_close(&s);
    }
}

// --- a box on four corners -----------------------------------------------------------------------------------

static void box_stops_after_its_distance(void **state) {
    (void)state;
    event_log log;
    scene s = open_logged("contact/box_on_plane.yaml", "turn=30 deg", &log);
    scene_advance(&s, 1);
    assert_int_equal(count_events(&log, BR_EVENT_STICK), 4);
    assert_near(nth_event(&log, BR_EVENT_STICK, 0).t, 2 / (0.5 * GRAVITY), 1e-9);
    assert_near(scene_read(&s, "box.position.x"), 4 / (2 * 0.5 * GRAVITY), 1e-9);
    assert_near(scene_read(&s, "box.position.y"), 0, 1e-10);
    assert_near(br_sim_ledger(s.sim).friction, 6, 1e-9);
    assert_books(&s, 1e-10);
    scene_close(&s);
}

// tan(26.565 deg) = mu: on the last degrees below it no single corner's shortest share is inside its cone, but a
// distribution is.
static void box_sticks_on_an_incline_below_the_angle_of_friction(void **state) {
    (void)state;
    static const char *const slope[] = {"10 deg", "20 deg", "26.5 deg", "26.565 deg"};
    for (int k = 0; k < 4; k++) {
        char settings[64];
        snprintf(settings, sizeof settings, "v0=0;turn=45 deg;slope=%s", slope[k]);
        event_log log;
        scene s = open_logged("contact/box_on_plane.yaml", settings, &log);
        scene_advance(&s, 0.5);
        assert_int_equal(log.count, 0);
        assert_near(br_vec3_norm(br_sim_body_twist(s.sim, 0).linear), 0, 1e-14);
        br_vec3 friction = br_vec3_zero();
        for (int i = 0; i < 4; i++) {
            const br_contact c = contact_of(&s, i);
            assert_true(br_vec3_norm(c.friction) <= 0.5 * c.normal_force * (1 + 1e-8));
            friction = br_vec3_add(friction, c.friction);
        }
        const double weight = 3 * br_model_settings(s.model)->gravity.x;
        assert_near(friction.x, -weight, 1e-8);
        assert_books(&s, 1e-12);
        scene_close(&s);
    }
}

static void box_slides_on_a_steeper_incline(void **state) {
    (void)state;
    scene s = scene_open("contact/box_on_plane.yaml", "v0=0;turn=45 deg;slope=28 deg");
    scene_advance(&s, 1);
    const double angle = 28 * BR_PI / 180, a = GRAVITY * (sin(angle) - 0.5 * cos(angle));
    assert_near(scene_read(&s, "box.velocity.x"), a, 1e-9);
    assert_near(scene_read(&s, "box.position.x"), a / 2, 1e-9);
    assert_near(scene_read(&s, "box.position.y"), 0, 1e-10);
    assert_books(&s, 1e-10);
    scene_close(&s);
}

// Lifts its rear edge at once, turns over the front edge, slides on it, lands on its side.
static void tall_box_tips_over(void **state) {
    (void)state;
    event_log log;
    scene s = open_logged("contact/box_tips.yaml", "", &log);
    scene_advance(&s, 0.05);
    assert_int_equal(br_sim_ledger(s.sim).contacts, 2);
    scene_advance(&s, 2);
    assert_int_equal(count_events(&log, BR_EVENT_SLIP), 2);
    assert_int_equal(count_events(&log, BR_EVENT_CONTACT_ON), 2);
    assert_near(scene_read(&s, "box.position.z"), 0.1, 1e-10);
    assert_near(br_vec3_norm(br_sim_body_twist(s.sim, 0).linear), 0, 1e-14);
    assert_int_equal(br_sim_contact_count(s.sim), 4);
    assert_books(&s, 1e-8);
    scene_close(&s);
}

// --- mechanisms ----------------------------------------------------------------------------------------------

static void pendulum_strikes_slides_sticks_slips_and_lifts_off(void **state) {
    (void)state;
    static const char *const settings[] = {"", "coordinates=absolute"};
    static const br_event_kind order[] = {BR_EVENT_CONTACT_ON, BR_EVENT_STICK, BR_EVENT_SLIP,
                                          BR_EVENT_CONTACT_OFF};
    double elbow[2], t[2][4];
    for (int k = 0; k < 2; k++) {
        event_log log;
        scene s = open_logged("contact/pendulum_on_ground.yaml", settings[k], &log);
        scene_advance(&s, 4);
        assert_int_equal(log.count, 4);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(log.event[i].kind, order[i]);
            t[k][i] = log.event[i].t;
        }
        assert_near(log.event[2].value, 0.6, 1e-7); // friction over normal force
        elbow[k] = scene_joint_position(&s, "elbow");
        assert_books(&s, 1e-8);
        scene_close(&s);
    }
    for (int i = 0; i < 4; i++) assert_near(t[0][i], t[1][i], 1e-9);
    assert_near(elbow[0], elbow[1], 1e-8);
}

// Loop rows and contact rows together; one degree of freedom, so that stuck rows are dependent.
static void foot_of_a_four_bar_comes_to_rest_on_the_ground(void **state) {
    (void)state;
    event_log log;
    scene s = open_logged("contact/four_bar_foot.yaml", "", &log);
    scene_advance(&s, 2);
    assert_true(count_events(&log, BR_EVENT_CONTACT_ON) > 5);
    const br_contact c = contact_of(&s, 0);
    assert_int_equal(c.state, BR_CONTACT_STICKS);
    assert_near(c.gap, 0, 1e-12);
    assert_near(scene_joint_velocity(&s, "a"), 0, 1e-12);
    assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-8);
    assert_near(br_sim_ledger(s.sim).loop_error, 0, 1e-9);
    scene_close(&s);
}

// --- what it refuses -----------------------------------------------------------------------------------------

// 1 + 3 cos^2 - 3 mu sin cos = 0 at mu = 4/3 for tan = 2.
static void painleve_rod_is_reported_above_four_thirds(void **state) {
    (void)state;
    scene below = scene_open("contact/painleve_rod.yaml", "mu=1.33");
    scene_advance(&below, 0.1);
    assert_books(&below, 1e-9);
    scene_close(&below);
    scene above = scene_open("contact/painleve_rod.yaml", "mu=1.34");
    br_error error = {0};
    assert_int_equal(br_sim_advance(above.sim, 0.1, &error), BR_NUMERICAL);
    assert_string_equal(error.code, "contact-painleve");
    assert_non_null(strstr(error.message, "rod.shape0~world.shape0#0"));
    assert_non_null(strstr(error.message, "1.34"));
    assert_near(br_sim_time(above.sim), 0, 0);
    scene_close(&above);
}

static void refused(const char *scene_name, const char *settings, const char *code) {
    char path[512];
    scene s;
    br_error error = {0};
    snprintf(path, sizeof path, "%s%s", SCENE_FOLDER, scene_name);
    br_status status = scene_try(path, settings, &s, &error);
    if (status == BR_OK) status = br_sim_advance(s.sim, 0.1, &error);
    assert_int_not_equal(status, BR_OK);
    assert_string_equal(error.code, code);
    scene_close(&s);
}

static void approximate_laws_are_refused_by_name(void **state) {
    (void)state;
    refused("contact/box_on_plane.yaml", "contact.law=box", "reference-law");
    refused("contact/box_on_plane.yaml", "contact.law=polygon(8)", "reference-law");
}

// The same run in two pieces, and looked at more often, gives the same bits: events do not depend on who looks.
static void output_interval_changes_no_bit(void **state) {
    (void)state;
    scene a = scene_open("contact/pendulum_on_ground.yaml", ""),
          b = scene_open("contact/pendulum_on_ground.yaml", "");
    for (int k = 1; k <= 150; k++) scene_advance(&a, 0.02 * k);
    scene_advance(&b, 3.0);
    assert_memory_equal(br_sim_q(a.sim), br_sim_q(b.sim), (size_t)br_model_nq(a.model) * sizeof(double));
    scene_close(&a);
    scene_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sphere_rolls_with_five_sevenths_of_its_speed),
                                       cmocka_unit_test(cylinder_rolls_with_two_thirds_of_its_speed),
                                       cmocka_unit_test(ball_bounces_to_its_zeno_point),
                                       cmocka_unit_test(ball_on_a_soft_floor_loses_two_sevenths),
                                       cmocka_unit_test(rolling_ellipsoid_keeps_its_energy),
                                       cmocka_unit_test(spheres_collide_as_in_closed_form),
                                       cmocka_unit_test(box_stops_after_its_distance),
                                       cmocka_unit_test(box_sticks_on_an_incline_below_the_angle_of_friction),
                                       cmocka_unit_test(box_slides_on_a_steeper_incline),
                                       cmocka_unit_test(tall_box_tips_over),
                                       cmocka_unit_test(pendulum_strikes_slides_sticks_slips_and_lifts_off),
                                       cmocka_unit_test(foot_of_a_four_bar_comes_to_rest_on_the_ground),
                                       cmocka_unit_test(painleve_rod_is_reported_above_four_thirds),
                                       cmocka_unit_test(approximate_laws_are_refused_by_name),
                                       cmocka_unit_test(output_interval_changes_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
