// Joint friction beside contacts, at the defaults of the contact stepper: trees and loops that rub, with bodies that land, grip and jam, limits
// that are hit and motors at their bounds. Contacts leave forces open there that joint friction depends on; each of these stopped with
// "the friction does not settle" once.
#include <stdio.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "near.h"
#include "test_friction_beside_contact_models.h"

static void run(const char *text, double mu, double e, double until) {
    char value[2][32];
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    snprintf(value[0], sizeof value[0], "%g", mu);
    snprintf(value[1], sizeof value[1], "%g", e);
    const br_override set[] = {{"mu", value[0]}, {"e", value[1]}};
    if (br_model_read_text(text, strlen(text), "model.yaml", set, 2, NULL, &model, NULL, &error) != BR_OK ||
        br_sim_create(model, NULL, &sim, &error) != BR_OK || br_sim_advance(sim, until, &error) != BR_OK)
        fail_msg("%s, mu %g, e %g: %s: %s", model ? br_model_name(model) : "", mu, e, error.code,
                 error.message);
    assert_true(br_sim_ledger(sim).cone_violation < 2e-6); // loads agree with the forces that they bound
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void hammer_settles(void **state) {
    (void)state;
    run(hammer_text, 0.5, 0, 1);
    run(hammer_text, 0.5, 0.5, 1);
    run(hammer_text, 1.2, 0.5, 1);
}

static void cart_pole_settles(void **state) {
    (void)state;
    run(cart_pole_text, 0.5, 0, 2);
    run(cart_pole_text, 0.8, 0.5, 2);
}

static void chain_settles(void **state) {
    (void)state;
    run(chain_text, 0.1, 0, 1);
    run(chain_text, 0.3, 0.5, 1);
    run(chain_text, 0.5, 0, 1);
    run(chain_text, 0.8, 0.5, 1);
    run(chain_text, 1.2, 0, 1);
}

static void crank_on_floor_settles(void **state) {
    (void)state;
    run(crank_on_floor_text, 0.5, 0, 2);
    run(crank_on_floor_text, 0.3, 0.5, 2);
    run(crank_on_floor_text, 0.8, 0.5, 2);
}

static void gripper_settles(void **state) {
    (void)state;
    run(gripper_text, 0.1, 0, 1);
    run(gripper_text, 0.3, 0, 1);
    run(gripper_text, 0.5, 0, 1);
    run(gripper_text, 0.8, 0, 1);
    run(gripper_text, 0.8, 0.5, 1);
}

static void wedge_settles(void **state) {
    (void)state;
    run(wedge_text, 0.1, 0, 1);
    run(wedge_text, 0.3, 0.5, 1);
    run(wedge_text, 0.8, 0.5, 1);
}

static void stamp_settles(void **state) {
    (void)state;
    run(stamp_text, 0.1, 0, 1);
    run(stamp_text, 0.3, 0, 1);
    run(stamp_text, 0.5, 0.5, 1);
    run(stamp_text, 0.8, 0.5, 1);
    run(stamp_text, 1.2, 0, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hammer_settles),  cmocka_unit_test(cart_pole_settles),
        cmocka_unit_test(chain_settles),   cmocka_unit_test(crank_on_floor_settles),
        cmocka_unit_test(gripper_settles), cmocka_unit_test(wedge_settles),
        cmocka_unit_test(stamp_settles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
