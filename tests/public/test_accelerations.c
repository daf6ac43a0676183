// Acceleration channels of bodies and joints: closed forms at the state that the run has reached, the rates of the velocity
// channels, and mass times acceleration against the forces that other channels give, under every stepper.
#include <glob.h>

#include "scene.h"

#define GRAVITY 9.81
#define INSTANT 1e-9 // of order one: the balance of an instant, whatever the step
#define SCHEME 2e-3  // relative: accelerations of the implicit stepper's own schemes, 1 ms

typedef struct stepping {
    const char *name, *settings;
    double tolerance;
} stepping;

static const stepping steppers[] = {
    {"contact", "solver.stepper=contact;solver.theta=1", INSTANT},
    {"contact, theta 0.5", "solver.stepper=contact;solver.theta=0.5", INSTANT},
    {"contact, absolute", "solver.stepper=contact;solver.theta=0.5;coordinates=absolute", INSTANT},
    {"reference", "solver.stepper=reference", INSTANT},
    {"implicit", "solver.stepper=implicit;solver.scheme=alpha", SCHEME},
    {"implicit, decaying", "solver.stepper=implicit;solver.scheme=energy_decaying", 20 * SCHEME},
};
enum { STEPPERS = sizeof steppers / sizeof *steppers };

static scene open_text(const char *text, const char *settings) {
    scene s = {NULL, NULL};
    br_error error = {0};
    char copy[512];
    br_override overrides[8];
    int count = 0;
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *at = strtok(copy, ";"); at; at = strtok(NULL, ";")) {
        char *equal = strchr(at, '=');
        *equal = '\0';
        overrides[count++] = (br_override){.name = at, .value = equal + 1};
    }
    br_status status =
        br_model_read_text(text, strlen(text), "inline.yaml", overrides, count, NULL, &s.model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(s.model, NULL, &s.sim, &error);
    if (status != BR_OK) scene_fail(settings, &error);
    return s;
}

static br_vec3 read_vector(scene *s, const char *name) {
    char channel[100];
    double x[3];
    for (int k = 0; k < 3; k++) {
        snprintf(channel, sizeof channel, "%s.%c", name, "xyz"[k]);
        x[k] = scene_read(s, channel);
    }
    return br_vec3_of(x[0], x[1], x[2]);
}

static void compare(const stepping *by, const char *what, double is, double should, double size) {
    if (!(fabs(is - should) <= by->tolerance * size))
        fail_msg("%s, %s: %.12g, expected %.12g", by->name, what, is, should);
}

// A rod of 2 kg and 1 m, its frame's origin 0.3 m from its centre: angle from the hanging position a,
// a'' = -m g d sin(a)/I, and the origin moves on a circle.
static void a_pendulum_has_those_of_its_equation(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\ngravity: [0, 0, -9.81]\nbodies:\n  rod: {mass: 2, inertia: [0.2, 0.2, 0.01], com: [0, 0, "
        "-0.3], pose: {position: [0, 0, -0.2]}}\n"
        "joints:\n  pin: {revolute: [world, rod], at: [0, 0, 0], axis: [1, 0, 0], position: 70 deg}\n"
        "solver: {step: 1 ms}\n";
    for (int k = 0; k < STEPPERS; k++) {
        scene s = open_text(text, steppers[k].settings);
        for (int i = 0; i <= 5; i++) {
            scene_advance(&s, 0.123 * i);
            const double a = scene_read(&s, "pin.position"), w = scene_read(&s, "pin.velocity");
            const double alpha = -2 * GRAVITY * 0.5 * sin(a) / (0.2 + 2 * 0.25), r = 0.2;
            compare(&steppers[k], "pin.acceleration", scene_read(&s, "pin.acceleration"), alpha, 15);
            compare(&steppers[k], "angular", scene_read(&s, "rod.angular_acceleration.x"), alpha, 15);
            // origin (0, r sin a, -r cos a)
            const br_vec3 A = read_vector(&s, "rod.acceleration");
            compare(&steppers[k], "y", A.y, r * (alpha * cos(a) - w * w * sin(a)), 15);
            compare(&steppers[k], "z", A.z, r * (alpha * sin(a) + w * w * cos(a)), 15);
        }
        scene_close(&s);
    }
}

// Its centre of mass falls; I dw/dt = -w x I w in its own axes.
static void a_thrown_body_has_gravity_and_eulers_equations(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\ngravity: [0.3, -0.2, -9.81]\nbodies:\n  brick: {mass: 3, inertia: [0.02, 0.05, 0.06], "
        "com: "
        "[0.1, 0, 0.05], velocity: {linear: [3, 1, 2], angular: [2, 5, -3]}}\nsolver: {step: 1 ms}\n";
    for (int k = 0; k < STEPPERS; k++) {
        scene s = open_text(text, steppers[k].settings);
        for (int i = 0; i <= 4; i++) {
            scene_advance(&s, 0.05 * i);
            const br_pose X = br_sim_body_pose(s.sim, 0);
            const br_vec3 w =
                br_quat_rotate(br_quat_conjugate(X.rotation), br_sim_body_twist(s.sim, 0).angular);
            const br_vec3 alpha =
                br_vec3_of((0.05 - 0.06) / 0.02 * w.y * w.z, (0.06 - 0.02) / 0.05 * w.z * w.x,
                           (0.02 - 0.05) / 0.06 * w.x * w.y);
            const br_vec3 r = br_vec3_of(-0.1, 0, -0.05); // from the centre of mass to the origin
            const br_vec3 a = br_quat_rotate(
                X.rotation, br_vec3_add(br_vec3_cross(alpha, r), br_vec3_cross(w, br_vec3_cross(w, r))));
            const br_vec3 A = read_vector(&s, "brick.acceleration"),
                          turn = read_vector(&s, "brick.angular_acceleration"),
                          expected = br_quat_rotate(X.rotation, alpha);
            const double free = scene_read(&s, "brick.free.acceleration.1");
            for (int c = 0; c < 3; c++) {
                const double g = c == 0 ? 0.3 : c == 1 ? -0.2 : -GRAVITY;
                compare(&steppers[k], "linear", br_vec3_get(A, c), br_vec3_get(a, c) + g, 50);
                compare(&steppers[k], "angular", br_vec3_get(turn, c), br_vec3_get(expected, c), 50);
            }
            compare(&steppers[k], "free joint", free, A.y, 50);
        }
        scene_close(&s);
    }
}

// 20 degrees, mu = 0.2: it slides with g (sin - mu cos) from the first row on, and on the flat part there is no other force.
static void a_block_on_a_slope_has_what_friction_leaves(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\ngravity: [9.81*sin(20 deg), 0, -9.81*cos(20 deg)]\nmaterials: {m: {}}\n"
        "pairs: {m/m: {mu: 0.2}}\nbodies:\n  box: {mass: 3, inertia: {box: {size: [0.3, 0.2, 0.1]}}, pose: "
        "{position: [0, 0, 0.05]}, velocity: {linear: [0.5, 0, 0]}, shapes: [{box: {size: [0.3, 0.2, 0.1]}, "
        "material: m}]}\n"
        "ground: [{name: floor, plane: {}, material: m}]\nsolver: {step: 1 ms}\n";
    for (int k = 0; k < 4; k++) {
        if (strstr(steppers[k].settings, "absolute")) continue;
        scene s = open_text(text, steppers[k].settings);
        const double a = GRAVITY * (sin(20 * BR_PI / 180) - 0.2 * cos(20 * BR_PI / 180));
        for (int i = 0; i <= 5; i++) {
            scene_advance(&s, 0.04 * i);
            const br_vec3 A = read_vector(&s, "box.acceleration");
            const stepping by = {steppers[k].name, NULL, 1e-8};
            compare(&by, "along", A.x, a, 10);
            compare(&by, "across", A.z, 0, 10);
        }
        scene_close(&s);
    }
}

// Crank 0.1 m at 20 rad/s, rod 0.3 m: x = r cos a + sqrt(l^2 - r^2 sin^2 a) and its second derivative.
static void a_driven_slider_crank_has_that_of_its_geometry(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\nplanar: xy\ngravity: [0, -9.81, 0]\nbodies:\n"
        "  crank: {mass: 1, inertia: [0.01, 0.01, 0.01]}\n"
        "  rod: {mass: 0.5, inertia: [0.005, 0.005, 0.005], pose: {position: [0.25, 0, 0]}}\n"
        "  ram: {mass: 0.4, inertia: [0.001, 0.001, 0.001], pose: {position: [0.4, 0, 0]}}\n"
        "joints:\n  bearing: {revolute: [world, crank], at: [0, 0, 0], velocity: 20}\n"
        "  big_end: {revolute: [crank, rod], at: [0.1, 0, 0]}\n"
        "  small_end: {revolute: [rod, ram], at: [0.4, 0, 0]}\n  bore: {prismatic: [world, ram], axis: [1, "
        "0, 0]}\n"
        "drives:\n  motor: {joint: bearing, velocity: 20}\nsolver: {step: 1 ms}\n";
    static const stepping kinematic = {"kinematic", "solver.stepper=kinematic", INSTANT};
    const double r = 0.1, l = 0.3, w = 20;
    for (int k = 0; k <= STEPPERS; k++) {
        const stepping *by = k < STEPPERS ? &steppers[k] : &kinematic;
        scene s = open_text(text, by->settings);
        for (int i = 0; i <= 8; i++) {
            scene_advance(&s, 0.043 * i);
            const double a = scene_read(&s, "bearing.position"), v = scene_read(&s, "bearing.velocity");
            const double S = sqrt(l * l - r * r * sin(a) * sin(a));
            const double first = -r * r * sin(a) * cos(a) / S;
            const double xdd = v * v * (-r * cos(a) - (r * r * cos(2 * a) + first * first) / S);
            compare(by, "bore.acceleration", scene_read(&s, "bore.acceleration"), xdd, 100);
            compare(by, "ram.acceleration.x", scene_read(&s, "ram.acceleration.x"), xdd, 100);
            compare(by, "bearing.acceleration", scene_read(&s, "bearing.acceleration"), 0, 100);
            assert_near(v, w, 1e-2);
        }
        scene_close(&s);
    }
}

// --- rates of velocities -----------------------------------------------------------------------------------

enum { MOST = 400 };

typedef struct pairs {
    const br_sim *sim;
    int count;
    br_channel velocity[MOST], acceleration[MOST];
    char name[MOST][64];
} pairs;

static int add_pair(void *context, const char *name, const br_channel *channel) {
    pairs *p = context;
    br_error error = {0};
    char velocity[200];
    const char *at = strstr(name, "acceleration");
    if (!at || p->count == MOST) return 0;
    snprintf(velocity, sizeof velocity, "%.*svelocity%s", (int)(at - name), name,
             at + strlen("acceleration"));
    if (br_sim_channel_find(p->sim, velocity, &p->velocity[p->count], &error) != BR_OK)
        scene_fail(velocity, &error);
    snprintf(p->name[p->count], sizeof p->name[0], "%.63s", name);
    p->acceleration[p->count++] = *channel;
    return 0;
}

static void read_all(scene *s, const pairs *p, const br_channel *channel, double *out) {
    br_error error = {0};
    for (int k = 0; k < p->count; k++)
        if (br_sim_channel_read(s->sim, &channel[k], &out[k], &error) != BR_OK)
            scene_fail(p->name[k], &error);
}

// Accelerations in the middle against the difference of velocities, relative to the largest.
static double off_from_rates(scene *s, double t, double dt, char *worst, size_t size) {
    static pairs p;
    static double v0[MOST], a[MOST], v1[MOST];
    p.sim = s->sim, p.count = 0;
    br_sim_channel_each(s->sim, add_pair, &p);
    assert_true(p.count > 0);
    scene_advance(s, t - dt);
    read_all(s, &p, p.velocity, v0);
    scene_advance(s, t);
    read_all(s, &p, p.acceleration, a);
    scene_advance(s, t + dt);
    read_all(s, &p, p.velocity, v1);
    double largest = 1, off = 0;
    for (int k = 0; k < p.count; k++) largest = fmax(largest, fabs(a[k]));
    for (int k = 0; k < p.count; k++) {
        const double rate = (v1[k] - v0[k]) / (2 * dt), d = fabs(rate - a[k]) / largest;
        if (d > off) off = d, snprintf(worst, size, "%s is %g, the rate is %g", p.name[k], a[k], rate);
    }
    return off;
}

// Joints of every kind in trees and loops; what differs in the middle of 2 dt is of order dt^2.
static void accelerations_are_the_rates_of_velocities(void **state) {
    (void)state;
    static const struct {
        const char *settings;
        double dt, tolerance;
    } by[] = {{SCENE_REFERENCE, 1e-4, 1e-5},
              {SCENE_REFERENCE ";coordinates=absolute", 1e-4, 1e-5},
              {SCENE_CONTACT, 2e-3, 5e-3},
              {"solver.stepper=contact;solver.theta=1", 2e-3, 1e-1}, // both lag behind by half a step
              {"solver.stepper=implicit;solver.scheme=alpha;solver.step=1e-3", 2e-3, 1e-2},
              {"solver.stepper=implicit;solver.scheme=energy_decaying;solver.step=1e-3", 2e-3, 1e-1}};
    glob_t found;
    int scenes = 0;
    assert_int_equal(glob(SCENE_FOLDER "joints/*.yaml", 0, NULL, &found), 0);
    for (size_t f = 0; f < found.gl_pathc; f++)
        for (size_t k = 0; k < sizeof by / sizeof *by; k++) {
            char worst[200] = "";
            br_error error = {0};
            scene s;
            if (scene_try(found.gl_pathv[f], by[k].settings, &s, &error) != BR_OK)
                scene_fail(found.gl_pathv[f], &error);
            if (br_sim_step(s.sim, &error) != BR_OK && strncmp(error.code, "run-", 4) == 0) {
                scene_close(&s); // not for this stepper
                continue;
            }
            const double off = off_from_rates(&s, 0.08, by[k].dt, worst, sizeof worst);
            if (!(off <= by[k].tolerance))
                fail_msg("%s, %s: off by %.3g: %s", found.gl_pathv[f] + strlen(SCENE_FOLDER), by[k].settings,
                         off, worst);
            scenes++;
            scene_close(&s);
        }
    print_message("%d runs\n", scenes);
    globfree(&found);
}

// --- forces ------------------------------------------------------------------------------------------------

// A ball that falls on a plate on a spring slide: m a is weight, contact and nothing else, also while it rests.
static void mass_times_acceleration_is_the_sum_of_forces(void **state) {
    (void)state;
    static const char text[] =
        "format: 1\ngravity: [0, 0, -9.81]\nmaterials: {m: {}}\npairs: {m/m: {mu: 0.4}}\nbodies:\n"
        "  plate: {mass: 5, inertia: [0.1, 0.1, 0.1], shapes: [{name: top, box: {size: [1, 1, 0.1]}, "
        "material: "
        "m}]}\n"
        "  ball: {mass: 2, inertia: [0.008, 0.008, 0.008], pose: {position: [0.1, 0, 0.151]}, velocity: "
        "{linear: "
        "[0.3, 0, 0]}, shapes: [{name: ball, sphere: {radius: 0.1}, material: m}]}\n"
        "joints:\n  slide: {prismatic: [world, plate], axis: [0, 0, 1], spring: {stiffness: 2e3}, damping: "
        "20}\n"
        "solver: {step: 1 ms}\n";
    for (int k = 0; k < 2; k++) {
        scene s = open_text(text, steppers[k].settings);
        for (int i = 1; i <= 40; i++) {
            scene_advance(&s, 0.011 * i);
            const double a = scene_read(&s, "ball.acceleration.z"),
                         b = scene_read(&s, "plate.acceleration.z");
            const double spring =
                -2e3 * scene_read(&s, "slide.position") - 20 * scene_read(&s, "slide.velocity");
            // contact forces act on both: weights and the spring are all that moves the two together
            assert_near(2 * a + 5 * b, -7 * GRAVITY + spring, 1e-9 * 300);
        }
        scene_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_those_of_its_equation),
        cmocka_unit_test(a_thrown_body_has_gravity_and_eulers_equations),
        cmocka_unit_test(a_block_on_a_slope_has_what_friction_leaves),
        cmocka_unit_test(a_driven_slider_crank_has_that_of_its_geometry),
        cmocka_unit_test(accelerations_are_the_rates_of_velocities),
        cmocka_unit_test(mass_times_acceleration_is_the_sum_of_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
