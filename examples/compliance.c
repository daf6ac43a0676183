// A force controller in a loop: a tool on a slide comes down onto a plate and presses with 10 N, whatever the plate's height. Five hundred
// times a second the program reads the force between the two bodies, by name, and moves the target of the slide's servo by what is missing:
// the tool yields like a spring that rests at a force. After two seconds the plate is pushed up by 20 mm, and the force comes back.
#include <stdio.h>
#include <string.h>

#include "bristle/bristle.h"

static const char model_text[] =
    "format: 1\n"
    "name: compliance\n"
    "materials: {tip: {}, plate: {}}\n"
    "pairs: {tip/plate: {mu: 0.4}}\n"
    "bodies:\n"
    "  tool: {mass: 0.5 kg, inertia: {sphere: {radius: 20 mm}}, pose: {position: [0, 0, 0.1]},\n"
    "         shapes: [{sphere: {radius: 20 mm}, material: tip}]}\n"
    "  plate: {mass: 2 kg, inertia: {box: {size: [0.2, 0.2, 0.02]}}, pose: {position: [0, 0, 0]},\n"
    "          shapes: [{box: {size: [0.2, 0.2, 0.02]}, material: plate}]}\n"
    "joints:\n"
    "  slide: {prismatic: [world, tool], axis: z}\n"
    "  lift: {prismatic: [world, plate], axis: z}\n"
    "drives:\n"
    "  servo: {joint: slide, servo: {position: 0, stiffness: 2000 N/m, damping: 60 N s/m}}\n"
    "  jack: {joint: lift, servo: {position: \"smoothstep(t, 2, 0, 2.5, 20 mm)\", stiffness: 1e5 N/m, "
    "damping: 800 N s/m}}\n"
    "solver: {step: 1 ms}\n"
    "run: {until: 4 s}\n";

static br_status run(br_sim *sim, double *force, br_error *error) {
    const double wanted = 10.0, period = 0.002, gain = 0.02; // N, s, m/(N s)
    double target = 0.0;
    br_status status = BR_OK;
    for (int k = 0; k < 2000 && status == BR_OK; k++) {
        br_contact_sum on;
        status = br_sim_contact_sum(sim, "tool", "plate", &on, error);
        if (status != BR_OK) break;
        *force = on.force.z;
        if (k % 250 == 0) printf("t = %3.1f s   pressed with %5.2f N\n", br_sim_time(sim), *force);
        target -= gain * period * (wanted - *force);
        status = br_sim_set_control(sim, "servo", target, error);
        if (status == BR_OK) status = br_sim_advance(sim, period * (k + 1), error);
    }
    return status;
}

int main(void) {
    br_error error = {0};
    br_model *model = NULL;
    br_sim *sim = NULL;
    double force = 0.0;
    br_status status =
        br_model_read_text(model_text, strlen(model_text), "compliance", NULL, 0, NULL, &model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
    if (status == BR_OK) status = run(sim, &force, &error);
    if (status != BR_OK) fprintf(stderr, "%s\n", error.message);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status != BR_OK || force < 9.9 || force > 10.1; // it presses with what was asked for
}
