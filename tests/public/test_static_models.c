// Static equilibrium of models that are computed by hand: where they rest, which of them would stay there, at which load that
// changes. Every one is run with 1, 3, 10 and 100 steps of the load, in units of length, mass and time that are powers of two
// apart, and in a turned frame: the same answers.
#include "test_static_models_list.h"

static void compare(const model *m, const br_static_report *r, int steps) {
    assert_int_equal(r->events, m->events);
    for (int k = 0; k < m->events; k++) {
        const expected_event *e = &m->event[k];
        print_message("   %d steps: %s at %.9f, by hand %.9f\n", steps,
                      br_static_event_name(r->event[k].kind), r->event[k].factor, e->factor);
        assert_int_equal(r->event[k].kind, e->kind);
        assert_near(r->event[k].factor, e->factor, (e->within > 0.0 ? e->within : 1e-6) * e->factor);
    }
    assert_int_equal(r->last.unstable, m->unstable);
    assert_int_equal(r->last.flutter, m->flutter);
    assert_int_equal(r->last.neutral, m->neutral);
}

static scene open_text(const char *text) {
    scene s = {NULL, NULL};
    br_error error = {0};
    if (br_model_read_text(text, strlen(text), "test", NULL, 0, NULL, &s.model, NULL, &error) != BR_OK ||
        br_sim_create(s.model, NULL, &s.sim, &error) != BR_OK)
        scene_fail(text, &error);
    return s;
}

static void run_model(const model *m, int steps, br_static_report *r) {
    char text[TEXT];
    br_error error = {0};
    br_static_settings settings = br_default_static_settings();
    settings.steps = steps;
    if (m->until > 0.0) settings.until = m->until;
    snprintf(text, sizeof text, "format: 1\n%ssolver: {stepper: implicit}\n", m->text);
    scene s = open_text(text);
    memset(r, 0, sizeof *r);
    const br_status status = br_sim_static(s.sim, &settings, NULL, NULL, r, &error);
    if (m->code) {
        assert_int_equal(status, BR_NUMERICAL);
        assert_string_equal(error.code, m->code);
    } else {
        if (status != BR_OK) scene_fail(m->name, &error);
        assert_true(r->reached);
        if (m->channel) assert_near(scene_read(&s, m->channel), m->value, m->within);
    }
    if (!m->code || m->events > 0) compare(m, r, steps);
    scene_close(&s);
}

static void same_answers_with_any_number_of_steps(void **state) {
    (void)state;
    static const int steps[] = {1, 3, 10, 100};
    const int count = fill_models();
    for (int i = 0; i < count; i++) {
        print_message("%s\n", models[i].name);
        for (int k = 0; k < 4; k++) {
            br_static_report r;
            // beams at 1 and 10 steps: their eigenvalues take the time
            if (strstr(models[i].text, "beams:") && k % 2 == 1) continue;
            run_model(&models[i], steps[k], &r);
        }
    }
    print_message("%d models\n", count);
}

// The inverted double pendulum with sizes times L, M and T, in axes turned by R about x.
static void units_and_axes_do_not_matter(void **state) {
    (void)state;
    static const double scale[][3] = {
        {1, 1, 1}, {1024, 1, 1}, {1, 1.0 / 4096, 1}, {1, 1, 256}, {1.0 / 64, 64, 1.0 / 16}};
    for (int turned = 0; turned < 2; turned++)
        for (int k = 0; k < 5; k++) {
            const double L = scale[k][0], M = scale[k][1], T = scale[k][2], y = turned ? 0.6 : 0.0,
                         z = turned ? 0.8 : 1.0;
            const double g = G * L / (T * T), stiff = 10.0 * M * L * L / (T * T), I = 0.1 * M * L * L;
            char text[TEXT];
            snprintf(
                text, sizeof text,
                "gravity: [0, %.17g, %.17g]\nbodies:\n"
                "  a: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], pose: {position: [0, %.17g, %.17g]}}\n"
                "  b: {mass: %.17g, inertia: [%.17g, %.17g, %.17g], pose: {position: [0, %.17g, %.17g]}}\n"
                "joints:\n"
                "  p: {revolute: [world, a], axis: [1, 0, 0], at: [0, 0, 0], spring: {stiffness: %.17g}}\n"
                "  q: {revolute: [a, b], axis: [1, 0, 0], at: [0, %.17g, %.17g], spring: {stiffness: "
                "%.17g}}\n",
                -g * y, -g * z, M, I, I, I, L * y, L * z, M, I, I, I, 2 * L * y, 2 * L * z, stiff, L * y,
                L * z, stiff);
            const model m = {.name = "scaled",
                             .text = text,
                             .until = 2.0,
                             .events = 2,
                             .event = {{BR_STATIC_BRANCH, (10.0 - sqrt(50.0)) / G, 0},
                                       {BR_STATIC_BRANCH, (10.0 + sqrt(50.0)) / G, 0}},
                             .unstable = 2};
            br_static_report r;
            run_model(&m, 10, &r);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_answers_with_any_number_of_steps),
        cmocka_unit_test(units_and_axes_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
