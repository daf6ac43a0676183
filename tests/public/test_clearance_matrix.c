// Every kind of clearance with every contact law and every friction law under both schemes of the implicit stepper: a short run
// that ends well, in contact part of the time, with energies that agree.
//
// The outer race swings on a hinge, the inner flies in it, spinning and tilted.
#include <stdio.h>
#include <string.h>

#include "bristle/sim.h"
#include "near.h"

static const double outer = 20e-3, inner = 19.8e-3;

typedef struct rubbing {
    br_friction_law law;
    const char *shape;
} rubbing;

static const char *const contacts[] = {"linear", "hertz", "hunt_crossley", "lankarani_nikravesh", "table"};
static const rubbing rubbings[] = {
    {BR_FRICTION_NONE, NULL},           {BR_FRICTION_SMOOTH, "piecewise"},
    {BR_FRICTION_SMOOTH, "tanh"},       {BR_FRICTION_SMOOTH, "arctan"},
    {BR_FRICTION_SMOOTH, "saturation"}, {BR_FRICTION_SMOOTH, "exponential"},
    {BR_FRICTION_DAHL, NULL},           {BR_FRICTION_LUGRE, NULL},
    {BR_FRICTION_BRISTLE, NULL},        {BR_FRICTION_SMOOTH, "stribeck_smooth"},
};
enum { CONTACTS = sizeof contacts / sizeof *contacts, RUBBINGS = sizeof rubbings / sizeof *rubbings };

static void check(br_status status, const br_error *error) {
    if (status != BR_OK)
        fail_msg("%s: %s (%s)", error->path, error->message, error->code ? error->code : "no code");
}

static void add_body(br_builder *builder, const char *name, br_vec3 at, br_vec3 velocity, br_vec3 spin) {
    br_body_def def = br_default_body_def();
    br_error error = {0};
    def.name = name, def.mass = 0.4;
    def.inertia = br_sym3_of(1e-4, 1.2e-4, 1.5e-4, 0, 0, 0);
    def.pose.position = at;
    def.has_velocity = 1, def.velocity = velocity, def.angular_velocity = spin;
    check(br_builder_body(builder, &def, &error), &error);
}

static void add_hinge(br_builder *builder) {
    br_joint_def def = br_default_joint_def();
    br_error error = {0};
    const br_vec3 axis = br_vec3_unit(2);
    def.name = "hinge", def.type = BR_JOINT_REVOLUTE, def.first = BR_WORLD, def.second = "race";
    check(br_builder_place_joint(builder, &def, br_vec3_of(0, 0.1, 0), &axis, NULL, &error), &error);
    check(br_builder_joint(builder, &def, &error), &error);
}

static void add_clearance(br_builder *builder, br_clearance_type type, const char *law, rubbing rub) {
    static const double depth[] = {0.0, 2e-6, 1e-5}, force[] = {0.0, 10.0, 100.0};
    br_clearance_def def = br_default_clearance_def();
    br_error error = {0};
    def.name = "play", def.type = type, def.first = "race", def.second = "pin";
    def.outer_radius = outer, def.inner_radius = inner;
    def.length = type == BR_CLEARANCE_JOURNAL ? 30e-3 : 0.0;
    def.law = law;
    if (strcmp(law, "table") == 0)
        def.table_depth = depth, def.table_force = force, def.table_count = 3;
    else
        def.stiffness = strcmp(law, "linear") == 0 ? 5e6 : 3e9;
    if (strcmp(law, "linear") == 0 || strcmp(law, "hertz") == 0) def.damping = 50.0;
    if (strcmp(law, "hunt_crossley") == 0) def.damping = 2.0;
    def.restitution = 0.8;
    def.friction.law = rub.law, def.friction.shape = rub.shape;
    if (rub.law != BR_FRICTION_NONE) {
        def.friction.mu_static = rub.law == BR_FRICTION_DAHL ? 0.2 : 0.25, def.friction.mu_kinetic = 0.2;
        if (rub.law != BR_FRICTION_SMOOTH) def.friction.sigma_0 = 1e5;
    }
    check(br_builder_clearance(builder, &def, &error), &error);
}

static br_model *model_of(br_clearance_type type, const char *law, rubbing rub, int decaying) {
    br_settings settings = br_default_settings();
    br_builder *builder;
    br_model *model;
    br_error error = {0};
    const int planar = type == BR_CLEARANCE_PLANAR;
    settings.planar = planar ? BR_PLANAR_XY : BR_SPATIAL;
    settings.gravity = br_vec3_of(0, -9.81, 0);
    settings.solver.stepper = BR_STEPPER_IMPLICIT, settings.solver.energy_decaying = decaying;
    settings.solver.step = 1e-4, settings.solver.adaptive.on = 1, settings.solver.adaptive.tolerance = 1e-8;
    check(br_builder_create(NULL, &builder, &error), &error);
    check(br_builder_settings(builder, &settings, &error), &error);
    add_body(builder, "race", br_vec3_zero(), br_vec3_zero(), br_vec3_zero());
    add_body(builder, "pin", br_vec3_of(1e-5, -1e-4, 0), br_vec3_of(0.05, -0.1, planar ? 0.0 : 0.02),
             br_vec3_of(planar ? 0.0 : 0.5, planar ? 0.0 : -0.3, 20.0));
    add_hinge(builder);
    add_clearance(builder, type, law, rub);
    check(br_model_create(builder, &model, &error), &error);
    br_builder_destroy(builder);
    return model;
}

static void count_contacts(void *context, const br_event *event) {
    if (event->kind == BR_EVENT_CONTACT_ON) ++*(int *)context;
}

typedef struct extremes {
    double unaccounted, gain;
    long steps, runs;
} extremes;

// Energies: what is not accounted for is Newton's tolerance. The energy-decaying scheme takes what the projection of the hinge's
// velocities does, 1e-12, and nothing in contacts; generalized-alpha takes or gives what its order allows.
static void runs_well(br_clearance_type type, const char *law, rubbing rub, int decaying, extremes *worst) {
    br_model *model = model_of(type, law, rub, decaying);
    br_sim *sim;
    br_error error = {0};
    int contacts_seen = 0;
    char name[160];
    snprintf(name, sizeof name, "%s, %s, friction %d %s, %s", br_clearance_type_name(type), law, (int)rub.law,
             rub.shape ? rub.shape : "", decaying ? "energy_decaying" : "alpha");
    check(br_sim_create(model, NULL, &sim, &error), &error);
    br_sim_set_event(sim, count_contacts, &contacts_seen);
    if (br_sim_advance(sim, 0.01, &error) != BR_OK) fail_msg("%s: %s", name, error.message);
    const br_ledger l = br_sim_ledger(sim);
    const double scale = l.start.kinetic + fabs(l.now.potential - l.start.potential);
    const double lost = l.friction + l.damping + l.scheme + l.unaccounted;
    if (contacts_seen == 0) fail_msg("%s: no contact", name);
    // The parts are the whole, by their definition and to rounding.
    if (!(fabs(l.now.total - l.start.total + lost) < 1e-12 * scale))
        fail_msg("%s: the books do not close", name);
    if (!(fabs(l.unaccounted) < 1e-9 * scale))
        fail_msg("%s: unaccounted %g of %g J", name, l.unaccounted, scale);
    if (rub.law == BR_FRICTION_NONE && l.friction != 0.0) fail_msg("%s: friction %g J", name, l.friction);
    if (rub.law != BR_FRICTION_NONE && !(l.friction > 0.0)) fail_msg("%s: friction %g J", name, l.friction);
    if (!(l.damping >= 0.0)) fail_msg("%s: damping %g J", name, l.damping);
    if (!(fabs(l.scheme) < (decaying ? 1e-10 : 2e-3) * scale))
        fail_msg("%s: scheme %g of %g J", name, l.scheme, scale);
    worst->unaccounted = fmax(worst->unaccounted, fabs(l.unaccounted) / scale);
    worst->gain = fmax(worst->gain, fabs(l.scheme) / scale);
    worst->steps += l.steps, worst->runs++;
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static void all_laws_run(br_clearance_type type) {
    for (int decaying = 0; decaying < 2; decaying++) {
        extremes worst = {0};
        for (int c = 0; c < CONTACTS; c++)
            for (int r = 0; r < RUBBINGS; r++) runs_well(type, contacts[c], rubbings[r], decaying, &worst);
        print_message(
            "%s, %s: %ld runs, %ld steps, unaccounted up to %.1e, scheme up to %.1e of the energy\n",
            br_clearance_type_name(type), decaying ? "energy_decaying" : "alpha", worst.runs, worst.steps,
            worst.unaccounted, worst.gain);
    }
}

static void planar_runs_with_all_laws(void **state) {
    (void)state;
    all_laws_run(BR_CLEARANCE_PLANAR);
}

static void spherical_runs_with_all_laws(void **state) {
    (void)state;
    all_laws_run(BR_CLEARANCE_SPHERICAL);
}

static void spatial_runs_with_all_laws(void **state) {
    (void)state;
    all_laws_run(BR_CLEARANCE_SPATIAL);
}

static void journal_runs_with_all_laws(void **state) {
    (void)state;
    all_laws_run(BR_CLEARANCE_JOURNAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_runs_with_all_laws),
        cmocka_unit_test(spherical_runs_with_all_laws),
        cmocka_unit_test(spatial_runs_with_all_laws),
        cmocka_unit_test(journal_runs_with_all_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
