// Andrews' squeezing mechanism against the reference solution of the Bari test set at 0.03 s.
#include "order.h"

typedef struct angle {
    const char *joint;
    double start, end, rate; // rad, rad, rad/s; rate 0: not compared
} angle;

static const angle angles[] = {
    {"crank", -0.0617138900142764496, 15.81077119629904, 1139.920302151208},
    {"knee", 0, -15.75637105984298, -1424.379294994111},
    {"pin_b", 0.455279819163070380, 0.04082224013073101, 11.03291221937134},
    {"pin_e", 0.222668390165885885, -0.5347301163226948, 0},
    {"pin_a5", 0.487364979543842550, 0.5244099658805304, 0},
    {"pin_h", -0.222668390165885885, 0.5347301163226948, 0},
    {"pin_a7", 1.23054744454982119, 1.048080741042263, 0},
};
enum { ANGLES = sizeof angles / sizeof *angles };

static double error_of_angles(scene *s) {
    double worst = 0;
    for (int k = 0; k < ANGLES; k++)
        worst = fmax(worst, fabs(angles[k].start + scene_joint_position(s, angles[k].joint) - angles[k].end));
    return worst;
}

static void reference_is_right(const char *settings) {
    scene s = scene_open("benchmark/andrews.yaml", settings);
    const br_assembly *a = br_sim_assembly(s.sim);
    assert_true(a->loop_error_before < 1e-12); // the start as published closes every loop
    scene_advance(&s, 0.03);
    double rates = 0;
    for (int k = 0; k < ANGLES; k++)
        if (angles[k].rate != 0)
            rates = fmax(rates, fabs(scene_joint_velocity(&s, angles[k].joint) / angles[k].rate - 1));
    const double error = error_of_angles(&s);
    const br_ledger l = br_sim_ledger(s.sim);
    print_message(
        "angles %.1e rad, rates %.1e relative, unaccounted %.1e of %.3f J, loop error %.1e, %ld steps\n",
        error, rates, l.unaccounted, l.input, l.loop_error, l.steps);
    assert_true(error < 1e-7); // the mechanism multiplies a start error about a hundredfold
    assert_true(rates < 1e-7);
    assert_true(fabs(l.unaccounted) < 1e-6 * l.input);
    assert_true(l.loop_error < 1e-9);
    scene_close(&s);
}

static void andrews_reference_reduced(void **state) {
    (void)state;
    reference_is_right(SCENE_REFERENCE);
}

static void andrews_reference_absolute(void **state) {
    (void)state;
    reference_is_right(SCENE_REFERENCE ";coordinates=absolute");
}

static void andrews_contact_orders(void **state) {
    (void)state;
    order_check("benchmark/andrews.yaml", "", 1.0, 4e-6, 0.03, error_of_angles, 1.0, 0.1, 0.1);
    order_check("benchmark/andrews.yaml", "", 0.5, 5e-6, 0.03, error_of_angles, 2.0, 0.1, 1e-2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(andrews_reference_reduced),
                                       cmocka_unit_test(andrews_reference_absolute),
                                       cmocka_unit_test(andrews_contact_orders)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
