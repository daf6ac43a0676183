// Muscles of MJCF: accelerations against MuJoCo 2.2.2 at keyframes, and the activation against its equation.
#include <math.h>

#include "bristle/io.h"
#include "bristle/sim.h"
#include "temp_file.h"

#define WORLD                                                                                                \
    "<mujoco><compiler angle='radian'/><worldbody><site name='s' pos='0.2 0 0.3'/><body name='a'><inertial " \
    "pos='0.02 0.01 -0.5' mass='2' diaginertia='0.1 0.12 0.05'/><joint name='ja' axis='0 1 0'/><site "       \
    "name='e' pos='0.1 0.05 -0.4'/></body></worldbody><tendon><spatial name='t'><site site='s'/><site "      \
    "site='e'/></spatial></tendon>"

typedef struct world {
    br_model *model;
    br_sim *sim;
} world;

static world open_text(const char *text) {
    world w = {0};
    br_error error = {0};
    const br_override change = {"import.keyframe", "k"};
    if (br_model_read(temp_write("muscle.xml", text), &change, 1, NULL, &w.model, NULL, &error) != BR_OK)
        fail_msg("%s", error.message);
    if (br_sim_create(w.model, NULL, &w.sim, &error) != BR_OK) fail_msg("%s", error.message);
    return w;
}

static void close_world(world *w) {
    br_sim_destroy(w->sim);
    br_model_destroy(w->model);
}

static double channel(world *w, const char *name) {
    br_channel c;
    br_error error = {0};
    double value = NAN;
    if (br_sim_channel_find(w->sim, name, &c, &error) != BR_OK) fail_msg("%s: %s", name, error.message);
    if (br_sim_channel_read(w->sim, &c, &value, &error) != BR_OK) fail_msg("%s: %s", name, error.message);
    return value;
}

static const struct {
    const char *rest;
    double acceleration, force;
} cases[] = {
    {"<actuator><muscle name='m' tendon='t' gear='1.767' lengthrange='0.932 1.961' force='114.73' "
     "timeconst='.02 .06' lmin='.4' lmax='1.7' vmax='1.2' fpmax='1.4' fvmax='1.3'/></actuator><keyframe><key "
     "name='k' qpos='-0.315' qvel='-0.140' ctrl='0.583' act='0.908'/></keyframe>",
     -43.094750997161825, -82.045183850265502},
    {"<actuator><general name='m' joint='ja' dyntype='muscle' gaintype='muscle' biastype='muscle' "
     "lengthrange='-0.391 0.578' gear='0.702' gainprm='0.75 1.05 120 200 0.5 1.6 1.5 1.3 1.2' biasprm='0.8 "
     "1.1 90 200 0.5 1.6 1.5 1.3 1.2' dynprm='0.01 0.04'/></actuator><keyframe><key name='k' qpos='-0.193' "
     "qvel='-1.740' ctrl='0.488' act='0.893'/></keyframe>",
     -48.291668940354249, -45.934729694431944},
    {"<actuator><muscle name='m' tendon='t' gear='1.934' lengthrange='1.130 1.795' force='71.22' "
     "timeconst='.02 .06' lmin='.4' lmax='1.7' vmax='1.2' fpmax='1.4' fvmax='1.3'/></actuator><keyframe><key "
     "name='k' qpos='-0.307' qvel='0.636' ctrl='0.607' act='0.581'/></keyframe>",
     -19.367747042504273, -38.411157495495893},
    {"<actuator><general name='m' joint='ja' dyntype='muscle' gaintype='muscle' biastype='none' "
     "lengthrange='-0.516 0.927' gear='0.857' gainprm='0.75 1.05 120 200 0.5 1.6 1.5 1.3 1.2' biasprm='0.8 "
     "1.1 90 200 0.5 1.6 1.5 1.3 1.2' dynprm='0.01 0.04'/></actuator><keyframe><key name='k' qpos='-0.049' "
     "qvel='0.305' ctrl='0.192' act='0.717'/></keyframe>",
     -101.96510181276332, -74.880235578047206},
    {"<actuator><general name='m' joint='ja' dyntype='muscle' gaintype='muscle' biastype='none' "
     "lengthrange='-0.328 0.821' gear='1.434' gainprm='0.75 1.05 120 200 0.5 1.6 1.5 1.3 1.2' biasprm='0.8 "
     "1.1 90 200 0.5 1.6 1.5 1.3 1.2' dynprm='0.01 0.04'/></actuator><keyframe><key name='k' qpos='-0.402' "
     "qvel='-2.689' ctrl='0.157' act='0.372'/></keyframe>",
     3.7080055663106273, -1.3231838512125256},
    {"<actuator><muscle name='m' tendon='t' gear='1.690' lengthrange='0.924 1.931' force='115.41' "
     "timeconst='.02 .06' lmin='.4' lmax='1.7' vmax='1.2' fpmax='1.4' fvmax='1.3'/></actuator><keyframe><key "
     "name='k' qpos='0.745' qvel='1.409' ctrl='0.319' act='0.022'/></keyframe>",
     -10.355605480428803, -2.3239530586743768},
    {"<actuator><general name='m' joint='ja' dyntype='muscle' gaintype='muscle' biastype='none' "
     "lengthrange='-0.729 0.571' gear='1.195' gainprm='0.75 1.05 120 200 0.5 1.6 1.5 1.3 1.2' biasprm='0.8 "
     "1.1 90 200 0.5 1.6 1.5 1.3 1.2' dynprm='0.01 0.04'/></actuator><keyframe><key name='k' qpos='0.168' "
     "qvel='-0.996' ctrl='0.936' act='0.700'/></keyframe>",
     -108.83502879448642, -55.490646840275794},
    {"<actuator><muscle name='m' tendon='t' gear='1.357' lengthrange='0.582 1.614' force='101.52' "
     "timeconst='.02 .06' lmin='.4' lmax='1.7' vmax='1.2' fpmax='1.4' fvmax='1.3'/></actuator><keyframe><key "
     "name='k' qpos='-0.544' qvel='0.124' ctrl='0.328' act='0.250'/></keyframe>",
     -2.4888550637145967, -21.083102364506619},
};

// Rounding, 3e-15 of the largest; 1e-10 leaves room for compilers.
static void muscles_pull_as_in_mujoco(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[3000];
        double vdot;
        br_error error = {0};
        snprintf(text, sizeof text, WORLD "%s</mujoco>", cases[k].rest);
        world w = open_text(text);
        if (br_sim_acceleration(w.sim, &vdot, &error) != BR_OK) fail_msg("%s", error.message);
        assert_near(vdot, cases[k].acceleration, 1e-10 * (1.0 + fabs(cases[k].acceleration)));
        close_world(&w);
    }
}

// A body that hardly moves, at the length where the muscle is strongest: its force is the activation times 100. Over rows of 0.1 ms the
// difference is that of a' = (u - a)/tau to the order of a central difference.
static void activation_follows_its_control(void **state) {
    (void)state;
    static const double control[] = {0.9, 0.2}, start[] = {0.1, 0.8};
    for (int k = 0; k < 2; k++) {
        char text[1500];
        br_error error = {0};
        double a[3], h = 1e-3;
        snprintf(text, sizeof text,
                 "<mujoco><option gravity='0 0 0' timestep='0.0001'/><worldbody><body name='a'><inertial "
                 "pos='0 0 0' mass='1e9' "
                 "diaginertia='1 1 1'/><joint name='j' type='slide'/></body></worldbody><actuator><general "
                 "name='m' joint='j' "
                 "dyntype='muscle' gaintype='muscle' dynprm='0.01 0.04' lengthrange='-1 1' gainprm='0.5 1.5 "
                 "100 200 0.5 1.6 1.5 1.3 1.2'/>"
                 "</actuator><keyframe><key name='k' ctrl='%g' act='%g'/></keyframe></mujoco>",
                 control[k], start[k]);
        world w = open_text(text);
        assert_near(channel(&w, "m.effort"), -100.0 * start[k], 1e-9);
        for (int i = 0; i < 3; i++) {
            if (br_sim_advance(w.sim, 0.005 + h * i, &error) != BR_OK) fail_msg("%s", error.message);
            // The effort is that of the middle of the last step.
            a[i] = channel(&w, "m.effort") / -100.0;
        }
        const double tau = k ? 0.04 / (0.5 + 1.5 * a[1]) : 0.01 * (0.5 + 1.5 * a[1]);
        assert_near((a[2] - a[0]) / (2.0 * h), (control[k] - a[1]) / tau,
                    0.02 * fabs(control[k] - start[k]) / tau);
        if (br_sim_advance(w.sim, 1.0, &error) != BR_OK) fail_msg("%s", error.message);
        // It has got 1e-7 m/s by now, which the curve of speeds shows.
        assert_near(channel(&w, "m.effort"), -100.0 * control[k], 1e-4);
        close_world(&w);
    }
}

// An arm with three muscles, one about a cylinder, of this test's own.
static const char arm[] =
    "<mujoco><compiler angle='radian'/><option timestep='0.0005'><flag contact='disable'/></option>"
    "<worldbody><site name='s1' pos='0.05 0 0.1'/><site name='s2' pos='-0.04 0 0.12'/>"
    "<body name='upper' pos='0 0 0.5'><inertial pos='0 0 -0.15' mass='2' diaginertia='0.018 0.018 0.003'/>"
    "<joint name='shoulder' axis='0 1 0' damping='0.1'/><geom name='wrap' type='cylinder' size='0.03 0.05' "
    "pos='0 0 -0.3' euler='1.5707963267948966 0 0' contype='0' conaffinity='0' mass='0'/>"
    "<site name='u1' pos='0.04 0 -0.12'/><site name='u2' pos='-0.04 0 -0.1'/><site name='side' pos='-0.06 0 "
    "-0.3'/>"
    "<body name='lower' pos='0 0 -0.3'><inertial pos='0 0 -0.12' mass='1.2' diaginertia='0.008 0.008 0.002'/>"
    "<joint name='elbow' axis='0 1 0' damping='0.1'/><site name='l1' pos='0.03 0 -0.08'/><site name='l2' "
    "pos='-0.03 0 -0.07'/></body></body></worldbody>"
    "<tendon><spatial name='flexor'><site site='u1'/><site site='l1'/></spatial>"
    "<spatial name='extensor'><site site='u2'/><geom geom='wrap' sidesite='side'/><site site='l2'/></spatial>"
    "<spatial name='front'><site site='s1'/><site site='u1'/></spatial></tendon>"
    "<actuator><muscle name='mf' tendon='flexor' force='90' lengthrange='0.1 0.24' timeconst='0.02 0.06'/>"
    "<muscle name='me' tendon='extensor' force='80' lengthrange='0.12 0.3'/>"
    "<muscle name='ms' tendon='front' force='150' lengthrange='0.2 0.45'/></actuator>"
    "<keyframe><key name='k' qpos='0.2 -0.6' qvel='0.3 -0.5' ctrl='0.7 0.2 0.4' act='0.05 0.6 "
    "0.3'/></keyframe></mujoco>";

// By MuJoCo 2.2.2 with RK4 at 0.05 ms, which are within 4e-12 of those at 0.1 ms: angles and forces of the muscles.
static const struct {
    double t, q[2], force[3];
} arm_run[] = {
    {0.05, {0.214616641873, -0.640476314997}, {-36.4247516772, -27.2616832895, -48.0264427326}},
    {0.1, {0.241262672584, -0.778857988707}, {-29.532424471, -22.1770310948, -48.3309889127}},
    {0.2, {0.257057839631, -1.08456450643}, {-27.2541293427, -20.1725330939, -47.912131411}},
    {0.3, {0.209163249754, -1.36632334916}, {-26.4452501284, -20.5335744703, -47.893689035}},
    {0.4, {0.134411282656, -1.62631587297}, {-25.8148270762, -21.3049236052, -48.6686760086}},
};

static world open_arm(double step) {
    world w = {0};
    br_error error = {0};
    char text[32];
    snprintf(text, sizeof text, "%g", step);
    const br_override change[] = {{"import.keyframe", "k"}, {"solver.step", text}};
    if (br_model_read(temp_write("arm.xml", arm), change, 2, NULL, &w.model, NULL, &error) != BR_OK ||
        br_sim_create(w.model, NULL, &w.sim, &error) != BR_OK)
        fail_msg("%s", error.message);
    return w;
}

static double arm_error(double step) {
    static const char *const efforts[] = {"mf.effort", "me.effort", "ms.effort"};
    world w = open_arm(step);
    br_error error = {0};
    double worst = 0.0;
    for (size_t k = 0; k < sizeof arm_run / sizeof *arm_run; k++) {
        if (br_sim_advance(w.sim, arm_run[k].t, &error) != BR_OK) fail_msg("%s", error.message);
        for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(br_sim_q(w.sim)[i] - arm_run[k].q[i]));
        for (int i = 0; i < 3; i++)
            worst = fmax(worst, fabs(channel(&w, efforts[i]) - arm_run[k].force[i]) / 50.0);
    }
    close_world(&w);
    return worst;
}

// The run and not only its start: activation, length and speed of all three, to second order.
static void an_arm_moves_as_in_mujoco(void **state) {
    (void)state;
    const double coarse = arm_error(1e-3), fine = arm_error(5e-4);
    if (!(fine < 2e-5) || !(fine < coarse / 3.0)) fail_msg("%.3g at 1 ms, %.3g at 0.5 ms", coarse, fine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(muscles_pull_as_in_mujoco),
        cmocka_unit_test(activation_follows_its_control),
        cmocka_unit_test(an_arm_moves_as_in_mujoco),
    };
    return cmocka_run_group_tests(tests, temp_folder_make, temp_folder_remove);
}
