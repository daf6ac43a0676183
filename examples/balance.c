// A controller in a loop: a pole on a cart that a motor keeps upright. A hundred times a second the program reads two channels of each
// joint and sets the motor's force; between, the force holds, as a real one does.
#include <stdio.h>
#include <string.h>

#include "bristle/bristle.h"

static const char model_text[] =
    "format: 1\n"
    "name: balance\n"
    "bodies:\n"
    "  cart: {mass: 1 kg, inertia: {box: {size: [0.3, 0.2, 0.1]}}}\n"
    "  pole: {mass: 0.2 kg, inertia: {cylinder: {radius: 10 mm, length: 0.6}}, "
    "pose: {position: [0, 0, 0.3]}}\n"
    "joints:\n"
    "  rail: {prismatic: [world, cart], axis: x, friction: {law: coulomb, "
    "mu_static: 0.02, mu_kinetic: 0.01}}\n"
    "  hinge: {revolute: [cart, pole], at: [0, 0, 0], axis: y, position: 3 deg}\n"
    "drives: {motor: {joint: rail, force: 0, max_force: 20 N}}\n"
    "solver: {step: 1 ms}\n"
    "run: {until: 10 s}\n";

// Angles and speeds to a force: gains of a linear regulator for these masses.
static double regulator(const double *row) {
    return 4.0 * row[1] + 6.0 * row[2] + 60.0 * row[3] + 11.0 * row[4];
}

static br_status run(br_sim *sim, br_error *error) {
    const char *const names[] = {"rail.position", "rail.velocity", "hinge.position", "hinge.velocity"};
    double row[5]; // t comes first
    br_channels *channels = NULL;
    br_status status = br_channels_named(sim, names, 4, NULL, &channels, error);
    for (int k = 0; k <= 1000 && status == BR_OK; k++) {
        status = br_channels_read(channels, sim, row, error);
        if (status == BR_OK && k % 200 == 0)
            printf("t = %4.1f s   cart %+.3f m   pole %+.3f deg\n", row[0], row[1],
                   row[3] * 57.29577951308232);
        if (status == BR_OK) status = br_sim_set_control(sim, "motor", regulator(row), error);
        if (status == BR_OK) status = br_sim_advance(sim, 0.01 * (k + 1), error);
    }
    br_channels_destroy(channels);
    return status;
}

int main(void) {
    br_error error = {0};
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_status status =
        br_model_read_text(model_text, strlen(model_text), "balance", NULL, 0, NULL, &model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
    if (status == BR_OK) status = run(sim, &error);
    if (status != BR_OK) fprintf(stderr, "%s\n", error.message);
    double angle = 1.0;
    if (status == BR_OK) br_sim_joint_position(sim, br_model_joint_find(model, "hinge"), &angle);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status != BR_OK || angle > 0.02 || angle < -0.02; // it stands
}
