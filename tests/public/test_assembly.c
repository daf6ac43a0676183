// Assembly keeps what was given: a position that the model gives stays, other freedoms are moved, and no loop turns inside out.
#include "scene.h"

#define DEG (3.14159265358979323846 / 180.0)

static scene open_at(const char *path, const char *joint, double degrees) {
    char settings[96];
    snprintf(settings, sizeof settings, "joints.%s.position=%.17g deg", joint, degrees);
    return scene_open(path, settings);
}

// Crank 40 mm, rod 130 mm; the bore counts from the top. The bodies stand there, and the piston stays on their side at any angle.
static void a_crank_stays_where_it_is_given(void **state) {
    (void)state;
    static const double angles[] = {8, 30, 90, 120, 170, 180, 200, 300, -45, 360};
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
        const double a = angles[k] * DEG, r = 0.04, l = 0.13;
        scene s = open_at("templates/slider_crank.yaml", "bearing", angles[k]);
        assert_near(scene_read(&s, "bearing.position"), a, 1e-14);
        assert_near(scene_read(&s, "bore.position"),
                    r * cos(a) + sqrt(l * l - r * r * sin(a) * sin(a)) - r - l, 1e-12);
        scene_close(&s);
    }
}

// A crank that turns all the way round takes the rocker along one branch: from degree to degree it moves by little.
static void a_four_bar_keeps_its_branch(void **state) {
    (void)state;
    double before = 0.0;
    for (int k = 0; k <= 36; k++) {
        scene s = open_at("templates/four_bar.yaml", "a", 10.0 * k);
        assert_near(scene_read(&s, "a.position"), 10.0 * k * DEG, 1e-13);
        const double rocker = scene_read(&s, "d.position");
        if (k > 0) assert_true(fabs(rocker - before) < 0.2);
        before = rocker;
        scene_close(&s);
    }
}

// What moved is told, from what to what; what is given is not among it.
static void what_moved_is_told(void **state) {
    (void)state;
    scene s = open_at("templates/slider_crank.yaml", "bearing", 8);
    br_assembly_change c;
    int count = 0;
    for (; br_sim_assembly_change(s.sim, count, &c); count++) {
        assert_string_not_equal(c.joint, "bearing");
        assert_int_equal(c.given, 0);
        assert_near(c.from, 0, 1e-15);
    }
    assert_int_equal(count, 2);
    assert_true(br_sim_assembly_change(s.sim, 1, &c));
    assert_string_equal(c.joint, "bore");
    assert_int_equal(c.is_angle, 0);
    assert_near(c.to, scene_read(&s, "bore.position"), 0);
    assert_int_equal(br_sim_assembly_change(s.sim, 2, &c), 0);
    scene_close(&s);
}

// Two positions that no closed loop has: both give way, and both are named.
static void what_cannot_be_kept_is_named(void **state) {
    (void)state;
    scene s = scene_open("templates/slider_crank.yaml",
                         "joints.bearing.position=40 deg;joints.big_end.position=0;joints.bore.position=0");
    br_assembly_change c;
    int given = 0;
    for (int k = 0; br_sim_assembly_change(s.sim, k, &c); k++) given += c.given;
    assert_true(given > 0);
    assert_true(br_sim_assembly(s.sim)->loop_error < 1e-12);
    scene_close(&s);
}

static void nothing_moves_where_loops_are_closed(void **state) {
    (void)state;
    scene s = scene_open("templates/slider_crank.yaml", "");
    br_assembly_change c;
    assert_int_equal(br_sim_assembly(s.sim)->moved, 0);
    assert_int_equal(br_sim_assembly_change(s.sim, 0, &c), 0);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crank_stays_where_it_is_given),
        cmocka_unit_test(a_four_bar_keeps_its_branch),
        cmocka_unit_test(what_moved_is_told),
        cmocka_unit_test(what_cannot_be_kept_is_named),
        cmocka_unit_test(nothing_moves_where_loops_are_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
