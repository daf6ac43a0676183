// The gallery of contact phenomena under the contact stepper, each against its closed form or its known behaviour: what
// slides comes to roll, what bounces comes to rest, what stands stands. Scenes are in scenes/gallery and scenes/contact.
//
// Tolerances: theta 1 is first order, so positions are off by about v h/2 and instants are found to a step; theta 1/2 is second
// order. What follows from sums of impulses (speeds after sliding, forces at rest) is exact but for rounding.
#include "bristle/contact.h"
#include "scene.h"

#define GRAVITY 9.81
#define DEGREE (BR_PI / 180)
#define EXACT 1e-9 // m, m/s, N: rounding, summed over a few thousand steps
#define MAX_EVENTS 512

// --- what happened, and when ------------------------------------------------------------------------------------

typedef struct history {
    int count;
    br_event event[MAX_EVENTS];
} history;

static void record(void *context, const br_event *event) {
    history *h = context;
    if (h->count < MAX_EVENTS) h->event[h->count++] = *event;
}

// The k-th event of a kind (from 0); its time, or NAN.
static double when(const history *h, br_event_kind kind, int k) {
    for (int i = 0; i < h->count; i++)
        if (h->event[i].kind == kind && k-- == 0) return h->event[i].t;
    return NAN;
}

static scene open_recording(const char *name, const char *settings, history *h) {
    scene s = scene_open(name, settings);
    h->count = 0;
    br_sim_set_event(s.sim, record, h);
    return s;
}

static void step(scene *s) {
    br_error error = {0};
    if (br_sim_step(s->sim, &error) != BR_OK) scene_fail(br_model_name(s->model), &error);
}

static br_vec3 velocity(const scene *s, const char *body) {
    return br_sim_body_twist(s->sim, scene_body(s, body)).linear;
}

static br_vec3 spin(const scene *s, const char *body) {
    return br_sim_body_twist(s->sim, scene_body(s, body)).angular;
}

static br_vec3 position(const scene *s, const char *body) {
    return br_sim_body_pose(s->sim, scene_body(s, body)).position;
}

// Runs to `time` step by step. The energy may not grow from step to step by more than `growth` of what there was.
static void run_without_gain(scene *s, double time, double growth) {
    double before = br_sim_energy(s->sim).total;
    const double scale = fabs(before) + br_sim_energy(s->sim).kinetic;
    while (br_sim_time(s->sim) < time - 1e-9) {
        step(s);
        const double now = br_sim_energy(s->sim).total;
        if (!(now <= before + growth * scale))
            fail_msg("%s, t = %g: energy grows by %g of %g J", br_model_name(s->model), br_sim_time(s->sim),
                     now - before, scale);
        before = now;
    }
}

// --- sliding to rolling ------------------------------------------------------------------------------------------

// Friction takes v0/n of the speed at mu g: n is 7/2 for the sphere, 3 for the cylinder.
static void check_slide_to_roll(const char *name, const char *body, const char *settings, double n) {
    history h;
    scene s = open_recording(name, settings, &h);
    const double v0 = 3, mu = 0.3, rolls = v0 / (n * mu * GRAVITY), step = 1e-3;
    scene_advance(&s, 1.0);
    const br_vec3 v = velocity(&s, body), w = spin(&s, body);
    assert_near(v.x, v0 * (1 - 1 / n), EXACT);
    assert_near(w.y * 0.1, v.x, EXACT);
    assert_vec3_near(br_vec3_of(v.y, v.z, w.x), br_vec3_zero(), EXACT);
    // At the end of the step that has it; theta 1/2 may need the next one to see that the slip of its middle has turned.
    const double late = strstr(settings, "0.5") ? step : 0;
    assert_true(when(&h, BR_EVENT_STICK, 0) > rolls &&
                when(&h, BR_EVENT_STICK, 0) < rolls + step + late + EXACT);
    const double x = v0 * rolls - 0.5 * mu * GRAVITY * rolls * rolls + v.x * (1 - rolls);
    assert_near(position(&s, body).x, x, strstr(settings, "0.5") ? 1e-5 : 0.5 * step * v0);
    scene_close(&s);
}

static void sphere_keeps_five_sevenths_of_its_speed(void **state) {
    (void)state;
    check_slide_to_roll("contact/sphere_slide_to_roll.yaml", "ball", "solver.stepper=contact", 3.5);
    check_slide_to_roll("contact/sphere_slide_to_roll.yaml", "ball", SCENE_CONTACT, 3.5);
    check_slide_to_roll("contact/sphere_slide_to_roll.yaml", "ball",
                        "solver.stepper=contact;contact.law=bristle", 3.5);
    check_slide_to_roll("contact/sphere_slide_to_roll.yaml", "ball", SCENE_CONTACT ";contact.law=bristle",
                        3.5);
}

static void cylinder_keeps_two_thirds_of_its_speed(void **state) {
    (void)state;
    check_slide_to_roll("contact/cylinder_slide_to_roll.yaml", "roller", "solver.stepper=contact", 3);
    check_slide_to_roll("contact/cylinder_slide_to_roll.yaml", "roller", SCENE_CONTACT, 3);
    check_slide_to_roll("contact/cylinder_slide_to_roll.yaml", "roller",
                        "solver.stepper=contact;contact.law=bristle", 3);
}

// --- impacts -----------------------------------------------------------------------------------------------------

// An impact takes place at the start of the step in which the gap would close, up to v h above the ground: each flight begins
// up to h early, and lasts up to h/e + h/2 longer. Some ten of them are seen before an approach is explained by two steps of g.
static void check_bounces(double theta, double h) {
    static const double at[] = {0.45152364, 0.90304728, 1.12880910}, zeno = 1.35457092;
    char settings[120];
    history seen;
    snprintf(settings, sizeof settings, "solver.stepper=contact;solver.theta=%g;solver.step=%g", theta, h);
    scene s = open_recording("contact/bouncing_ball.yaml", settings, &seen);
    run_without_gain(&s, 2.0,
                     theta < 1 ? 1e-7 : 1e-13); // what lasts is brought to its gap by the middle's velocity
    for (int k = 0; k < 3; k++) assert_near(when(&seen, BR_EVENT_CONTACT_ON, k), at[k], (3 * k + 2) * h);
    assert_true(seen.count > 12 && seen.count < 60);
    assert_near(seen.event[seen.count - 1].t, zeno,
                100 * h); // a few steps for each flight, and the last ones last no longer
    assert_near(position(&s, "ball").z, 0.1, EXACT);
    assert_near(velocity(&s, "ball").z, 0, EXACT);
    scene_close(&s);
}

// Without restitution it stays where it struck: what is left of the speed after closing the gap must not come back.
static void plastic_impact_does_not_bounce(void **state) {
    static const char *const settings[] = {"solver.stepper=contact", SCENE_CONTACT,
                                           SCENE_CONTACT ";contact.law=bristle"};
    (void)state;
    for (int k = 0; k < 3; k++) {
        history h;
        char text[160];
        snprintf(text, sizeof text, "%s;pairs.rubber/floor.restitution=0", settings[k]);
        scene s = open_recording("contact/bouncing_ball.yaml", text, &h);
        run_without_gain(&s, 1.0, 1e-13);
        assert_int_equal(h.count, 2); // on, and stuck
        assert_near(position(&s, "ball").z, 0.1, EXACT);
        assert_near(velocity(&s, "ball").z, 0, EXACT);
        scene_close(&s);
    }
}

static void bouncing_ball_comes_to_rest_at_zenos_point(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        check_bounces(k ? 0.5 : 1, 1e-3);
        check_bounces(k ? 0.5 : 1, 1e-4);
    }
}

// Apex after the first bounce: e^2 of the height. At h = 0.1 ms the impact is up to v h = 0.2 mm high, and the speed off by
// g h: 0.15 mm of height.
static void box_dropped_flat_comes_up_level(void **state) {
    (void)state;
    for (int poisson = 0; poisson < 2; poisson++) {
        scene s = scene_open("gallery/dropped_box.yaml",
                             poisson ? "solver.step=0.1 ms;pairs.rubber/floor.restitution_law=poisson"
                                     : "solver.step=0.1 ms");
        // The last bounces are of speeds g h: Poisson gives back e of the step's weight too, (g h)^2 m of energy.
        const double fall = sqrt(2 * 0.2 / GRAVITY), gain = poisson ? 1e-6 : 1e-12;
        run_without_gain(&s, fall * 1.6, gain);
        assert_near(position(&s, "box").z, 0.05 + 0.36 * 0.2, 4e-4);
        assert_near(br_vec3_norm(spin(&s, "box")), 0, EXACT);
        run_without_gain(&s, 2.0, gain);
        assert_near(position(&s, "box").z, 0.05, EXACT);
        assert_near(br_vec3_norm(velocity(&s, "box")), 0, EXACT);
        scene_close(&s);
    }
}

// Off centre, with friction: the normals meet at u_n, u_t; p_n = m u_n (1 + e)/2, p_t = min(mu p_n, m u_t/7). The normal is
// that of the step's start, turned by up to v h/R = 2e-4 against the instant's.
static void check_spheres(const char *law, double mu) {
    char settings[160];
    snprintf(settings, sizeof settings,
             "solver.stepper=contact;solver.step=10 us;pairs.ivory/ivory.restitution_law=%s;mu=%g", law, mu);
    scene s = scene_open("contact/two_spheres.yaml", settings);
    scene_advance(&s, 0.5);
    const double u_n = 2 * cos(30 * DEGREE), u_t = 2 * sin(30 * DEGREE), e = 0.6, m = 2;
    const double p_n = m * u_n * (1 + e) / 2, p_t = fmin(mu * p_n, m * u_t / 7);
    const br_vec3 n = br_vec3_of(cos(30 * DEGREE), sin(30 * DEGREE), 0),
                  t = br_vec3_of(sin(30 * DEGREE), -cos(30 * DEGREE), 0);
    const br_vec3 ball = br_vec3_add_scaled(br_vec3_scale(p_n / m, n), p_t / m, t);
    assert_vec3_near(velocity(&s, "ball"), ball, 1e-3);
    assert_vec3_near(br_vec3_add(velocity(&s, "ball"), velocity(&s, "cue")), br_vec3_of(2, 0, 0), EXACT);
    assert_near(spin(&s, "ball").z, spin(&s, "cue").z, EXACT);
    assert_near(fabs(spin(&s, "ball").z), p_t * 0.1 / 0.008, 1e-2);
    scene_close(&s);
}

static void spheres_collide_by_newton_and_by_poisson(void **state) {
    (void)state;
    check_spheres("newton", 0.4);
    check_spheres("poisson", 0.4);
    check_spheres("newton", 0.02); // slides throughout
    check_spheres("poisson", 0.02);
    check_spheres("poisson", 0.13); // slides while it is compressed, and no longer when it comes back
}

// --- rods --------------------------------------------------------------------------------------------------------

// Above mu = 4/3 friction turns the rod into the ground and no acceleration exists. In velocities there is an answer: the
// tip is stopped at once by an impulse that no collision caused, and the rod goes on turning over it.
static void painleve_rod_passes_by_an_impact_without_collision(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("contact/painleve_rod.yaml",
                             k ? "solver.stepper=contact;mu=1.2" : "solver.stepper=contact;mu=1.5");
        step(&s);
        br_contact c;
        assert_int_equal(br_sim_contact_count(s.sim), 1);
        br_sim_contact(s.sim, 0, &c);
        if (k == 0) { // an impulse: the force of the step grows as 1/h
            assert_int_equal(c.state, BR_CONTACT_STICKS);
            assert_true(c.normal_force * 1e-3 > 0.1); // N s, against m g h = 0.01
        } else {                                      // below it slides on, pressed by a finite force
            assert_int_equal(c.state, BR_CONTACT_SLIPS);
            assert_true(c.normal_force * 1e-3 < 0.1);
        }
        run_without_gain(&s, 0.1, 1e-6);
        assert_true(isfinite(position(&s, "rod").z));
        scene_close(&s);
    }
}

// It stays while tan(angle) >= (1 - mu^2)/(2 mu): 36.8699 degrees. Just below, it starts at a hundredth of g.
static void ladder_slides_below_its_angle(void **state) {
    static const struct {
        double degrees;
        int slides;
    } row[] = {{36.86, 1}, {36.88, 0}, {30, 1}, {45, 0}, {60, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
        char settings[64];
        snprintf(settings, sizeof settings, "angle=%g deg", row[k].degrees);
        scene s = scene_open("gallery/ladder.yaml", settings);
        scene_advance(&s, 0.2);
        const double v = br_vec3_norm(velocity(&s, "ladder"));
        if (row[k].slides ? !(v > 1e-5) : !(v < EXACT))
            fail_msg("at %g degrees it moves at %g m/s", row[k].degrees, v);
        scene_close(&s);
    }
}

// It slides, sticks and lies on two points in the end, wherever the step's own error takes it.
static void chain_falls_and_comes_to_lie(void **state) {
    static const char *const settings[] = {"", "solver.theta=0.5", "contact.law=bristle",
                                           "coordinates=absolute"};
    (void)state;
    for (int k = 0; k < 4; k++) {
        history h;
        scene s = open_recording("gallery/chain.yaml", settings[k], &h);
        const double start = br_sim_energy(s.sim).total;
        scene_advance(&s, 4.0);
        const br_ledger l = br_sim_ledger(s.sim);
        assert_true(when(&h, BR_EVENT_SLIP, 0) > 0.3 && when(&h, BR_EVENT_STICK, 0) > 0.3);
        assert_near(position(&s, "d").z, 0.02, EXACT);
        assert_near(br_vec3_norm(velocity(&s, "d")), 0, EXACT);
        assert_true(l.penetration < 1e-7 && l.friction > 1 &&
                    l.impact > 1); // at the middle of a step: of h^2
        assert_near(start - l.now.total, l.friction + l.impact + l.damping + l.scheme, 1e-10 * start);
        assert_near(l.scheme, 0, 2e-3 * start);
        scene_close(&s);
    }
}

// --- tipping -----------------------------------------------------------------------------------------------------

// A box of 0.4 by 0.2 m that cannot slide stands up to atan(0.4/0.2) = 63.435 degrees.
static void box_tips_over_its_edge(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        scene s =
            scene_open("contact/box_on_plane.yaml", k ? "solver.stepper=contact;v0=0;mu=2.5;slope=63.5 deg"
                                                      : "solver.stepper=contact;v0=0;mu=2.5;slope=63.4 deg");
        scene_advance(&s, 1.0);
        const double w = br_vec3_norm(spin(&s, "box"));
        assert_true(k ? w > 1e-3 : w < EXACT);
        scene_close(&s);
    }
}

static void tall_box_thrown_lands_on_its_side(void **state) {
    (void)state;
    scene s = scene_open("contact/box_tips.yaml", "solver.stepper=contact");
    scene_advance(&s, 2.0);
    assert_near(position(&s, "box").z, 0.1, EXACT);
    assert_near(br_vec3_norm(velocity(&s, "box")), 0, EXACT);
    scene_close(&s);
}

static void dominoes_fall_one_after_the_other(void **state) {
    static const char *const name[] = {"d1", "d2", "d3", "d4", "d5"};
    double fell[5] = {0};
    (void)state;
    scene s = scene_open("gallery/dominoes.yaml", "");
    while (br_sim_time(s.sim) < 1.0) {
        step(&s);
        for (int k = 0; k < 5; k++)
            if (fell[k] == 0 && position(&s, name[k]).z < 0.02) fell[k] = br_sim_time(s.sim);
    }
    for (int k = 0; k < 5; k++) {
        assert_true(fell[k] > (k ? fell[k - 1] : 0));
        assert_near(br_vec3_norm(velocity(&s, name[k])), 0, 1e-6); // all lie
    }
    assert_near(position(&s, "d5").z, 0.005, 1e-6);
    scene_close(&s);
}

// Up the board with -5/7 g sin(tilt); over the pivot after the time of it; then to the other stop.
static void ball_tips_the_seesaw(void **state) {
    (void)state;
    scene s = scene_open("gallery/seesaw.yaml", "");
    const double tilt = 10 * DEGREE, a = 5.0 / 7.0 * GRAVITY * sin(tilt), t = 0.25;
    scene_advance(&s, t);
    const br_vec3 v = velocity(&s, "ball");
    assert_near(br_vec3_norm(v), 1.2 - a * t, EXACT);
    assert_near(scene_joint_position(&s, "pivot"), tilt, EXACT);
    scene_advance(&s, 0.8);
    assert_near(scene_joint_position(&s, "pivot"), -tilt, EXACT);
    scene_close(&s);
}

// --- rolling and torsional friction ------------------------------------------------------------------------------

static void rolling_ball_stops_where_it_should_in_every_direction(void **state) {
    static const double headings[] = {0, 20, 45, 90, 157};
    const double v0 = 0.5, a = 5.0 / 7.0 * GRAVITY * 2e-3 / 0.1, L = v0 * v0 / (2 * a);
    (void)state;
    for (int k = 0; k < 5; k++) {
        char settings[64];
        snprintf(settings, sizeof settings, "heading=%g deg", headings[k]);
        scene s = scene_open("gallery/rolling_ball.yaml", settings);
        scene_advance(&s, 2.0);
        const br_vec3 v = velocity(&s, "ball");
        assert_near(hypot(v.x, v.y), v0 - a * 2.0, EXACT);
        scene_advance(&s, 5.0);
        const br_vec3 p = position(&s, "ball");
        assert_near(hypot(p.x, p.y), L, 1e-6);
        assert_near(atan2(p.y, p.x), headings[k] * DEGREE, 1e-6);
        assert_near(br_vec3_norm(velocity(&s, "ball")), 0, EXACT);
        scene_close(&s);
    }
}

static void rolling_friction_holds_a_ball_on_a_slope(void **state) {
    (void)state; // tan(slope) against c/radius = 0.02, in a direction that no axis has
    for (int k = 0; k < 2; k++) {
        const double g = k ? 0.021 : 0.019;
        char settings[128];
        snprintf(settings, sizeof settings, "v0=0 m/s;gravity=[%.17g, %.17g, -9.81]", 9.81 * g * cos(0.6),
                 9.81 * g * sin(0.6));
        scene s = scene_open("gallery/rolling_ball.yaml", settings);
        scene_advance(&s, 1.0);
        const br_vec3 v = velocity(&s, "ball");
        // The first step knows neither a moment nor a turning, so its axis may be off, and it may hold what must roll.
        assert_near(hypot(v.x, v.y), k ? 5.0 / 7.0 * GRAVITY * 0.001 : 0, k ? 1e-5 : EXACT);
        if (k) assert_near(atan2(v.y, v.x), 0.6, 1e-6);
        scene_close(&s);
    }
}

static void spinning_ball_slows_linearly(void **state) {
    const double rate = 2.5 * GRAVITY * 2e-3 / (0.1 * 0.1);
    (void)state;
    scene s = scene_open("gallery/spinning_ball.yaml", "");
    for (int k = 1; k <= 4; k++) {
        scene_advance(&s, k);
        assert_near(spin(&s, "ball").z, fmax(0, 20 - rate * k), EXACT);
    }
    scene_advance(&s, 5);
    assert_near(spin(&s, "ball").z, 0, EXACT);
    scene_close(&s);
}

// --- tops --------------------------------------------------------------------------------------------------------

// Rate of precession of a disk on its edge with its centre at rest: the line of steepest descent goes round.
static double precession(const scene *s, const char *disk) {
    const br_vec3 axis =
        br_quat_rotate(br_sim_body_pose(s->sim, scene_body(s, disk)).rotation, br_vec3_unit(2));
    const br_vec3 w = spin(s, disk), rate = br_vec3_cross(w, axis);
    return (axis.x * rate.y - axis.y * rate.x) / (axis.x * axis.x + axis.y * axis.y);
}

// W^2 sin(lean) = 4 g/radius for slow falls, and sqrt(lean) drops by 2 c/(3 radius) sqrt(g/radius) per second to first
// order in the lean (0.2: 2 %); what remains is the nutation that the friction excites.
static void eulers_disk_whirls_faster_as_it_falls(void **state) {
    const double radius = 0.1, rate = 2 * 0.5e-3 / (3 * radius) * sqrt(GRAVITY / radius);
    (void)state;
    scene s = scene_open("gallery/euler_disk.yaml", "");
    double slow = precession(&s, "disk"), energy = br_sim_energy(s.sim).total;
    assert_near(slow, sqrt(4 * GRAVITY / (radius * sin(0.2))), EXACT);
    for (int k = 1; k <= 6; k++) {
        const double t = 0.5 * k;
        scene_advance(&s, t);
        const double lean = asin(position(&s, "disk").z / radius), W = precession(&s, "disk");
        assert_near(sqrt(lean), sqrt(0.2) - rate * t, 0.05 * rate * t);
        assert_near(W * W * sin(lean) * radius / GRAVITY, 4, 0.25);
        assert_true(W > slow && br_sim_energy(s.sim).total < energy);
        slow = W, energy = br_sim_energy(s.sim).total;
    }
    const br_ledger l = br_sim_ledger(s.sim);
    assert_near(l.scheme, 0, 1e-4 * l.start.total); // theta 1/2
    scene_close(&s);
}

static void eulers_disk_without_friction_keeps_its_energy(void **state) {
    (void)state;
    scene s = scene_open("gallery/euler_disk.yaml", "c=0 m");
    const double start = br_sim_energy(s.sim).total;
    scene_advance(&s, 2.0);
    assert_near(br_sim_energy(s.sim).total, start, 1e-5 * start); // second order: 6e-6 at 0.2 ms
    assert_near(asin(position(&s, "disk").z / 0.1), 0.2, 1e-4);
    scene_close(&s);
}

// Against its sense the celt rattles, stops and turns back; with it, it goes on. It rolls, so that its energy stays.
static void rattleback_turns_back_in_one_sense_only(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("gallery/rattleback.yaml", k ? "spin=5 rad/s" : "spin=-5 rad/s");
        const double start = br_sim_energy(s.sim).total, moving = 0.5 * 1.7e-3 * 25;
        double rattle = 0;
        while (br_sim_time(s.sim) < 8.0) {
            step(&s);
            rattle = fmax(rattle, hypot(spin(&s, "celt").x, spin(&s, "celt").y));
        }
        const double z = spin(&s, "celt").z;
        assert_true(k ? z > 4.5 : z > 2);
        assert_true(k ? rattle < 2 : rattle > 4);
        assert_near(br_sim_energy(s.sim).total, start,
                    5e-3 * moving); // second order; 0.27 % of the spin's at 0.5 ms
        scene_close(&s);
    }
}

// The centre of mass rises by almost twice its offset; near the end the top rolls, and stays.
static void tippe_top_turns_over(void **state) {
    (void)state;
    scene s = scene_open("gallery/tippe_top.yaml", "");
    assert_true(scene_read(&s, "top.com.z") < 0.0141);
    run_without_gain(&s, 2.0, 1e-6);                   // theta 1/2 conserves to (w h)^2 of a step
    assert_true(scene_read(&s, "top.com.z") > 0.0255); // 26 mm upright
    const br_ledger l = br_sim_ledger(s.sim);
    assert_near(l.scheme, 0, 2e-3 * l.friction);
    scene_close(&s);
    // Spun too slowly it has nothing to pay with: m g 2 a = 2.4 mJ.
    s = scene_open("gallery/tippe_top.yaml", "spin=30 rad/s");
    scene_advance(&s, 2.0);
    assert_true(scene_read(&s, "top.com.z") < 0.02);
    scene_close(&s);
}

// --- compliant floors --------------------------------------------------------------------------------------------

static scene soft(const char *law, double k, double damping, const char *rest) {
    char settings[256];
    snprintf(settings, sizeof settings, "pairs.rubber/floor.compliance.law=%s;k=%g;damping=%g;%s", law, k,
             damping, rest);
    return scene_open("gallery/soft_ball.yaml", settings);
}

static void soft_floor_gives_way_by_the_weight(void **state) {
    (void)state;
    scene s = soft("linear", 1e4, 100, "solver.step=1 ms");
    scene_advance(&s, 3.0);
    assert_near(position(&s, "ball").z, 0.1 - GRAVITY / 1e4, EXACT);
    assert_near(br_sim_energy(s.sim).elastic, 0.5 * GRAVITY * GRAVITY / 1e4, 1e-9);
    scene_close(&s);
    s = soft("hertz", 1e5, 50, "solver.step=1 ms");
    scene_advance(&s, 3.0);
    assert_near(position(&s, "ball").z, 0.1 - pow(GRAVITY / 1e5, 2.0 / 3.0), EXACT);
    scene_close(&s);
    s = soft("hunt_crossley", 1e5, 5, "solver.step=1 ms");
    scene_advance(&s, 10.0); // its damping goes with the load
    assert_near(position(&s, "ball").z, 0.1 - pow(GRAVITY / 1e5, 2.0 / 3.0), 1e-5);
    scene_close(&s);
}

// Time between touch and release, and the speed after it, without gravity.
static void soft_impact(const char *law, double k, double damping, double v0, double *duration,
                        double *rebound) {
    history h;
    char rest[96];
    snprintf(rest, sizeof rest, "g=0;height=1 mm;v0=%g m/s;solver.step=5 us", v0);
    scene s = soft(law, k, damping, rest);
    h.count = 0;
    br_sim_set_event(s.sim, record, &h);
    scene_advance(&s, 0.1);
    *duration = when(&h, BR_EVENT_CONTACT_OFF, 0) - when(&h, BR_EVENT_CONTACT_ON, 0);
    *rebound = velocity(&s, "ball").z;
    assert_near(br_sim_ledger(s.sim).unaccounted, 0, 1e-12);
    scene_close(&s);
}

// theta 1 takes w h/2 of an oscillation per radian: pi w h/2 of the energy of an impact, 0.08 % at w = 100, h = 5 us.
static void soft_impacts_last_as_long_as_they_should(void **state) {
    double duration, rebound;
    (void)state;
    soft_impact("linear", 1e4, 0, 1, &duration, &rebound);
    assert_near(duration, BR_PI * sqrt(1 / 1e4), 3e-5);
    assert_near(rebound, 1, 1e-3);
    soft_impact("hertz", 1e5, 0, 1, &duration, &rebound);
    assert_near(duration, 2.94327 * pow(1.25 / 1e5, 0.4), 3e-5);
    assert_near(rebound, 1, 2e-3);
}

// Of F = k d^n (1 + c d'): c v - ln(1 + c v) before equals -c u - ln(1 - c u) after, whatever k and n.
static void hunt_crossley_rebounds_by_its_closed_form(void **state) {
    static const double cv[] = {0.05, 0.3, 1};
    (void)state;
    for (int k = 0; k < 3; k++) {
        double duration, rebound, low = 0, high = 1;
        const double c = cv[k];
        for (int i = 0; i < 60; i++) {
            const double u = 0.5 * (low + high);
            if (-c * u - log(1 - c * u) < c - log(1 + c))
                low = u;
            else
                high = u;
        }
        soft_impact("hunt_crossley", 1e5, c, 1, &duration, &rebound);
        assert_near(rebound, low, 2e-3);
    }
}

// --- surfaces and shapes -----------------------------------------------------------------------------------------

// A flat field is a plane, across its cells, their diagonals and corners. Torsional friction changes nothing here.
static void flat_field_is_a_plane(void **state) {
    (void)state;
    scene s = scene_open("gallery/field_ball.yaml", "v0=3 m/s;pairs.ivory/ground.rolling=0 m");
    const double mu = 0.3, v0 = 3 * hypot(1, 0.2), solved = 1e-8; // the solver's 1e-10 of impulses, summed
    scene_advance(&s, 0.2);
    const br_vec3 v = velocity(&s, "ball");
    assert_near(hypot(v.x, v.y), v0 - mu * GRAVITY * 0.2, solved);
    assert_near(atan2(v.y, v.x), atan(0.2), solved);
    assert_near(position(&s, "ball").z, 0.1, EXACT);
    assert_near(br_sim_ledger(s.sim).penetration, 0, EXACT);
    scene_close(&s);
}

static void ball_rests_in_the_hollow_of_a_field(void **state) {
    (void)state;
    scene s = scene_open("gallery/field_ball.yaml", "depth=0.2 m");
    scene_advance(&s, 20.0);
    assert_near(br_vec3_norm(velocity(&s, "ball")), 0, EXACT);
    assert_true(position(&s, "ball").z < -0.05);
    scene_close(&s);
}

static void every_shape_rests_where_it_is_put(void **state) {
    static const char *const name[] = {"hull", "capsule", "can", "log", "box", "pebble", "plate"};
    static const char *const law[] = {"contact.law=cone", "contact.law=bristle", "solver.theta=0.5"};
    (void)state;
    for (int l = 0; l < 3; l++) {
        scene s = scene_open("gallery/resting_shapes.yaml", law[l]);
        br_pose at[7];
        double weight = 0;
        for (int k = 0; k < 7; k++) at[k] = br_sim_body_pose(s.sim, scene_body(&s, name[k]));
        scene_advance(&s, 2.0);
        for (int k = 0; k < 7; k++) {
            const br_pose now = br_sim_body_pose(s.sim, scene_body(&s, name[k]));
            assert_vec3_near(now.position, at[k].position, EXACT);
            assert_rotation_near(now.rotation, at[k].rotation,
                                 1e-7); // of an angle 1e-14 the cosine has lost most
        }
        for (int k = 0; k < br_sim_contact_count(s.sim); k++) {
            br_contact c;
            br_sim_contact(s.sim, k, &c);
            weight += c.normal_force;
        }
        assert_near(weight, 7 * GRAVITY, 1e-6);
        scene_close(&s);
    }
}

// Sticks up to mu_static m g, then slides with mu_kinetic.
static void pushed_box_breaks_away_at_the_static_coefficient(void **state) {
    const double rate = 3, breaks = 0.6 * GRAVITY / rate;
    static const char *const law[] = {"bristle", "cone"};
    (void)state;
    for (int l = 0; l < 2; l++) {
        char settings[64];
        history h;
        snprintf(settings, sizeof settings, "contact.law=%s", law[l]);
        scene s = open_recording("gallery/breakaway.yaml", settings, &h);
        scene_advance(&s, 1.95);
        assert_near(br_vec3_norm(velocity(&s, "box")), 0, EXACT);
        assert_near(br_vec3_norm(br_vec3_sub(position(&s, "box"), br_vec3_of(0, 0, 0.1))), 0, EXACT);
        scene_advance(&s, 3.0);
        // The slip starts once f - 0.6 m g passes the threshold's 1 mm/s, at most sqrt(2 v_th m/rate) = 26 ms later.
        assert_true(when(&h, BR_EVENT_SLIP, 0) > breaks && when(&h, BR_EVENT_SLIP, 0) < breaks + 2e-3);
        const double slid = 3.0 - breaks, kinetic = 0.5 * rate * slid * slid + 0.2 * GRAVITY * slid;
        const br_vec3 v = velocity(&s, "box");
        assert_near(hypot(v.x, v.y), kinetic, 0.026 * 0.2 * GRAVITY);
        assert_near(atan2(v.y, v.x), atan2(0.8, 0.6), 1e-9);
        scene_close(&s);
    }
}

static void fingers_hold_a_part_by_friction(void **state) {
    (void)state;
    scene s = scene_open("gallery/gripper.yaml", "f=9.9"); // 2 mu f = 9.9 N > 9.81
    scene_advance(&s, 0.5);
    assert_vec3_near(position(&s, "part"), br_vec3_of(0, 0, 0.5), EXACT);
    scene_close(&s);
    s = scene_open("gallery/gripper.yaml", "f=9.7");
    scene_advance(&s, 0.3);
    assert_near(velocity(&s, "part").z, -(GRAVITY - 9.7) * 0.3, EXACT);
    assert_near(velocity(&s, "part").x, 0, EXACT);
    scene_close(&s);
}

// Lever rule about the hinge: the floor carries (m g/2 + 0.7 press) L, the hinge the rest.
static void hinge_and_floor_share_a_load(void **state) {
    (void)state;
    scene s = scene_open("gallery/hinged_post.yaml", "");
    scene_advance(&s, 0.1);
    br_contact c;
    assert_int_equal(br_sim_contact_count(s.sim), 1);
    br_sim_contact(s.sim, 0, &c);
    const double floor = 0.5 * 2 * GRAVITY + 0.7 * 30;
    assert_near(c.normal_force, floor, 1e-8);
    assert_near(scene_read(&s, "hinge.reaction.force_world.z"), 2 * GRAVITY + 30 - floor, 1e-8);
    assert_near(scene_read(&s, "hinge.reaction.force_world.x") + c.friction.x, 0, 1e-8);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sphere_keeps_five_sevenths_of_its_speed),
        cmocka_unit_test(cylinder_keeps_two_thirds_of_its_speed),
        cmocka_unit_test(plastic_impact_does_not_bounce),
        cmocka_unit_test(bouncing_ball_comes_to_rest_at_zenos_point),
        cmocka_unit_test(box_dropped_flat_comes_up_level),
        cmocka_unit_test(spheres_collide_by_newton_and_by_poisson),
        cmocka_unit_test(painleve_rod_passes_by_an_impact_without_collision),
        cmocka_unit_test(ladder_slides_below_its_angle),
        cmocka_unit_test(chain_falls_and_comes_to_lie),
        cmocka_unit_test(box_tips_over_its_edge),
        cmocka_unit_test(tall_box_thrown_lands_on_its_side),
        cmocka_unit_test(dominoes_fall_one_after_the_other),
        cmocka_unit_test(ball_tips_the_seesaw),
        cmocka_unit_test(rolling_ball_stops_where_it_should_in_every_direction),
        cmocka_unit_test(rolling_friction_holds_a_ball_on_a_slope),
        cmocka_unit_test(spinning_ball_slows_linearly),
        cmocka_unit_test(eulers_disk_whirls_faster_as_it_falls),
        cmocka_unit_test(eulers_disk_without_friction_keeps_its_energy),
        cmocka_unit_test(rattleback_turns_back_in_one_sense_only),
        cmocka_unit_test(tippe_top_turns_over),
        cmocka_unit_test(soft_floor_gives_way_by_the_weight),
        cmocka_unit_test(soft_impacts_last_as_long_as_they_should),
        cmocka_unit_test(hunt_crossley_rebounds_by_its_closed_form),
        cmocka_unit_test(flat_field_is_a_plane),
        cmocka_unit_test(ball_rests_in_the_hollow_of_a_field),
        cmocka_unit_test(every_shape_rests_where_it_is_put),
        cmocka_unit_test(pushed_box_breaks_away_at_the_static_coefficient),
        cmocka_unit_test(fingers_hold_a_part_by_friction),
        cmocka_unit_test(hinge_and_floor_share_a_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
