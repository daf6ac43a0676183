// What a simulation with contacts promises, on every scene of the gallery: no allocation in a step that has no more contacts
// than were there before, a ledger that closes, the same bits on every run and after a snapshot, names that last as long as
// the contact, channels that say what br_sim_contact says, events in order, and nothing that is not a number.
#include <glob.h>

#include "bristle/contact.h"
#include "counting_allocator.h"
#include "scene.h"

enum { STEPS = 600 };
#define UNACCOUNTED 1e-10 // of the energy turned over: what the solver's tolerance of 1e-10 leaves

static const char *const variants[] = {"",
                                       "solver.theta=0.5",
                                       "contact.law=bristle",
                                       "coordinates=absolute",
                                       "contact.law=box",
                                       "contact.law=polygon(8)",
                                       "contact.law=viscous(0.001)",
                                       "contact.bounds=lagged;contact.law=bristle"};
enum { VARIANTS = sizeof variants / sizeof variants[0], EXACT_VARIANTS = 4 };

typedef void (*check)(const char *path, const char *settings);

static const char *where(const char *path, const char *settings) {
    static char text[160];
    snprintf(text, sizeof text, "%.70s, %.70s", strrchr(path, '/') + 1, settings[0] ? settings : "as it is");
    return text;
}

// Every scene of the gallery under the first `count` variants.
static void for_all(check what, int count) {
    glob_t list;
    assert_int_equal(glob(SCENE_FOLDER "gallery/*.yaml", 0, NULL, &list), 0);
    assert_true(list.gl_pathc > 10);
    for (size_t k = 0; k < list.gl_pathc; k++)
        for (int v = 0; v < count; v++) what(list.gl_pathv[k], variants[v]);
    globfree(&list);
}

static scene open_at(const char *path, const char *settings) {
    scene s;
    br_error error = {0};
    if (scene_try(path, settings, &s, &error) != BR_OK) scene_fail(where(path, settings), &error);
    return s;
}

static void steps(br_sim *sim, int count, const char *what) {
    br_error error = {0};
    for (int k = 0; k < count; k++)
        if (br_sim_step(sim, &error) != BR_OK) scene_fail(what, &error);
}

// --- the same bits ------------------------------------------------------------------------------------------------

typedef struct bits {
    size_t size;
    char *bytes;
} bits;

static bits save(const br_sim *sim) {
    bits b = {br_sim_snapshot_size(sim), NULL};
    b.bytes = malloc(b.size);
    assert_non_null(b.bytes);
    br_sim_save(sim, b.bytes);
    return b;
}

static void assert_same(bits a, bits b, const char *what) {
    if (a.size != b.size || memcmp(a.bytes, b.bytes, a.size) != 0) fail_msg("%s: other bits", what);
}

static void load(br_sim *sim, bits b, const char *what) {
    br_error error = {0};
    if (br_sim_load(sim, b.bytes, b.size, &error) != BR_OK) scene_fail(what, &error);
}

// Snapshots are taken at many steps: in flight, at impacts, sliding and sticking. One that is loaded into a new simulation, or
// into one that has been elsewhere, goes on with the same bits; and so does a second run.
static void restarts_have_the_same_bits_in(const char *path, const char *settings) {
    enum { EVERY = 41, PARTS = 8 };
    const char *what = where(path, settings);
    scene s = open_at(path, settings), again = open_at(path, settings), used = open_at(path, settings);
    steps(used.sim, 77, what);
    bits at = save(s.sim);
    for (int k = 0; k < PARTS; k++) {
        br_sim *fresh = NULL;
        br_error error = {0};
        assert_int_equal(br_sim_create(s.model, NULL, &fresh, &error), BR_OK);
        load(fresh, at, what);
        load(used.sim, at, what);
        bits loaded = save(fresh);
        assert_same(at, loaded, what);
        br_sim *const all[] = {s.sim, again.sim, fresh, used.sim};
        bits after[4];
        for (int i = 0; i < 4; i++) {
            steps(all[i], EVERY, what);
            after[i] = save(all[i]);
            assert_same(after[0], after[i], what);
        }
        free(at.bytes), free(loaded.bytes);
        at = after[0];
        for (int i = 1; i < 4; i++) free(after[i].bytes);
        br_sim_destroy(fresh);
    }
    free(at.bytes);
    scene_close(&s), scene_close(&again), scene_close(&used);
}

static void restarts_have_the_same_bits(void **state) {
    (void)state;
    for_all(restarts_have_the_same_bits_in, EXACT_VARIANTS);
}

// --- memory -------------------------------------------------------------------------------------------------------

// The second time through the same motion there are no more contacts than before, and nothing is asked for.
static void steps_allocate_nothing_for_known_contacts_in(const char *path, const char *settings) {
    const char *what = where(path, settings);
    counting_allocator counter;
    const br_allocator allocator = counting_allocator_start(&counter, 0);
    br_error error = {0};
    scene s = open_at(path, settings);
    br_sim *sim = NULL;
    assert_int_equal(br_sim_create(s.model, &allocator, &sim, &error), BR_OK);
    bits start = save(sim);
    steps(sim, STEPS, what);
    load(sim, start, what);
    const long calls = counter.calls;
    steps(sim, STEPS, what);
    if (counter.calls != calls)
        fail_msg("%s: %ld allocations in the second run", what, counter.calls - calls);
    br_sim_destroy(sim);
    assert_int_equal(counter.live, 0);
    free(start.bytes);
    scene_close(&s);
}

static void steps_allocate_nothing_for_known_contacts(void **state) {
    (void)state;
    for_all(steps_allocate_nothing_for_known_contacts_in, VARIANTS);
}

// Whatever call fails, of creating or of a step: it is said, nothing is lost, and the next step goes on.
static void failing_allocations_are_said_in(const char *path, const char *settings) {
    scene s = open_at(path, settings);
    counting_allocator counter;
    br_error error = {0};
    for (long k = 1;; k++) {
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_sim *sim = NULL;
        br_status status = br_sim_create(s.model, &allocator, &sim, &error);
        for (int i = 0; i < 30 && sim; i++) {
            const double t = br_sim_time(sim);
            status = br_sim_step(sim, &error);
            if (status == BR_OK) continue;
            assert_true(br_sim_time(sim) == t);
            assert_int_equal(br_sim_step(sim, &error), BR_OK); // it fails once
            break;
        }
        br_sim_destroy(sim);
        if (counter.live != 0)
            fail_msg("%s: allocation %ld failed, %ld blocks are left", where(path, settings), k,
                     counter.live);
        if (counter.failed == 0) break;
        // Looking at what touches for readers may do without memory: then nothing failed that anyone asked for.
        if (status != BR_OK) assert_int_equal(status, BR_NO_MEMORY);
    }
    scene_close(&s);
}

static void failing_allocations_are_said(void **state) {
    (void)state;
    failing_allocations_are_said_in(SCENE_FOLDER "gallery/gripper.yaml", "");
    failing_allocations_are_said_in(SCENE_FOLDER "gallery/resting_shapes.yaml", "solver.theta=0.5");
    failing_allocations_are_said_in(SCENE_FOLDER "gallery/crank_on_floor.yaml", "coordinates=absolute");
}

// --- the books ----------------------------------------------------------------------------------------------------

static void the_ledger_closes_in(const char *path, const char *settings) {
    const char *what = where(path, settings);
    scene s = open_at(path, settings);
    double scale = 1e-4; // J: nothing moves yet, and energies of 100 J have rounding of 1e-14
    for (int k = 0; k < STEPS; k++) {
        steps(s.sim, 1, what);
        const br_ledger l = br_sim_ledger(s.sim);
        scale = fmax(scale, scene_energy_scale(&s) + l.impact);
        const double sum =
            l.now.total - l.start.total + l.friction + l.impact + l.damping + l.scheme + l.unaccounted;
        if (!(fabs(l.unaccounted) <= UNACCOUNTED * scale) || !(fabs(sum - l.input) <= 1e-11 * scale))
            fail_msg("%s, step %d: %g J of %g J are unaccounted for", what, k, l.unaccounted, scale);
        if (!(l.friction >= -1e-3 * scale)) fail_msg("%s, step %d: friction gave %g J", what, k, -l.friction);
    }
    scene_close(&s);
}

static void the_ledger_closes(void **state) {
    (void)state;
    for_all(the_ledger_closes_in, VARIANTS);
}

// --- reading ------------------------------------------------------------------------------------------------------

static double channel(scene *s, const char *contact, const char *member) {
    char name[BR_MAX_CONTACT_NAME + 32];
    snprintf(name, sizeof name, "%s.%s", contact, member);
    return scene_read(s, name);
}

static void channels_say_what_contacts_say_in(const char *path, const char *settings) {
    scene s = open_at(path, settings);
    for (int k = 0; k < STEPS / 20; k++) {
        steps(s.sim, 20, where(path, settings));
        for (int i = 0; i < br_sim_contact_count(s.sim); i++) {
            br_contact c;
            char name[BR_MAX_CONTACT_NAME];
            br_sim_contact(s.sim, i, &c);
            br_sim_contact_name(s.sim, i, name, sizeof name);
            assert_true(channel(&s, name, "gap") == c.gap);
            assert_true(channel(&s, name, "force.normal") == c.normal_force);
            assert_true(channel(&s, name, "force.friction.x") == c.friction.x);
            assert_true(channel(&s, name, "force.friction.z") == c.friction.z);
            assert_true(channel(&s, name, "slip.y") == c.slip.y);
            assert_true(c.normal_force >= 0 && isfinite(c.normal_force) && isfinite(c.gap));
            assert_near(br_vec3_norm(c.normal), 1, 1e-12);
            assert_near(br_vec3_dot(c.friction, c.normal), 0, 1e-9 * (1 + c.normal_force));
            assert_true((c.state == BR_CONTACT_OPEN) == (c.normal_force == 0));
        }
    }
    scene_close(&s);
}

static void channels_say_what_contacts_say(void **state) {
    (void)state;
    for_all(channels_say_what_contacts_say_in, 2);
}

// Everything that can be asked is asked between steps, and is a number; the motion does not notice.
static void reading_changes_nothing_in(const char *path, const char *settings) {
    const char *what = where(path, settings);
    scene quiet = open_at(path, settings), asked = open_at(path, settings);
    const int nq = br_model_nq(quiet.model), nv = br_model_nv(quiet.model);
    double *vdot = malloc((size_t)nv * sizeof *vdot);
    char names[2048];
    for (int k = 0; k < 40; k++) {
        br_error error = {0};
        br_contact_rank rank;
        steps(quiet.sim, 5, what), steps(asked.sim, 5, what);
        for (int c = 0; c < br_sim_channel_count(asked.sim); c += 1 + k % 3) {
            char name[3 * BR_MAX_NAME];
            br_sim_channel_name(asked.sim, c, name, sizeof name);
            if (!isfinite(scene_read(&asked, name))) fail_msg("%s: %s is not a number", what, name);
        }
        if (br_sim_contact_rank(asked.sim, &rank, names, sizeof names, &error) != BR_OK)
            scene_fail(what, &error);
        if (br_sim_acceleration(asked.sim, vdot, &error) != BR_OK) scene_fail(what, &error);
        for (int i = 0; i < nv; i++) assert_true(isfinite(vdot[i]));
        if (memcmp(br_sim_q(quiet.sim), br_sim_q(asked.sim), (size_t)nq * sizeof(double)) != 0 ||
            memcmp(br_sim_v(quiet.sim), br_sim_v(asked.sim), (size_t)nv * sizeof(double)) != 0)
            fail_msg("%s: step %d has other bits after reading", what, 5 * k);
    }
    free(vdot);
    scene_close(&quiet), scene_close(&asked);
}

static void reading_changes_nothing(void **state) {
    (void)state;
    for_all(reading_changes_nothing_in, 2);
}

// Each of the four contacts of a box that slides and turns keeps its name, and its place on the box, until it is at rest.
static void names_last_as_long_as_contacts(void **state) {
    (void)state;
    scene s = scene_open("contact/box_on_plane.yaml", "solver.stepper=contact;v0=2;mu=0.5;slope=0 deg");
    const double q[] = {0, 0, 0.1, 1, 0, 0, 0}, v[] = {2, 0.3, 0, 0, 0, 5};
    br_error error = {0};
    assert_int_equal(br_sim_set_state(s.sim, 0, q, v, &error), BR_OK);
    steps(s.sim, 1, "box");
    char name[4][BR_MAX_CONTACT_NAME];
    br_vec3 point[4];
    for (int k = 0; k < 700; k++) {
        const br_pose X = br_sim_body_pose(s.sim, 0);
        assert_int_equal(br_sim_contact_count(s.sim), 4);
        for (int i = 0; i < 4; i++) {
            char now[BR_MAX_CONTACT_NAME];
            br_contact c;
            br_sim_contact(s.sim, i, &c);
            br_sim_contact_name(s.sim, i, now, sizeof now);
            const br_vec3 p = br_pose_point_inverse(X, c.point); // at the step's start: v h from here
            if (k == 0) strcpy(name[i], now), point[i] = p;
            assert_string_equal(now, name[i]);
            assert_vec3_near(p, point[i], 5e-3);
        }
        steps(s.sim, 1, "box");
    }
    assert_near(br_vec3_norm(br_sim_body_twist(s.sim, 0).linear), 0, 1e-9);
    scene_close(&s);
}

// --- events -------------------------------------------------------------------------------------------------------

typedef struct watch {
    double t;
    int contacts, count;
    char name[64][BR_MAX_NAME];
    int on[64];
    const char *what;
} watch;

static void look(void *context, const br_event *event) {
    watch *w = context;
    int k = 0;
    if (event->t < w->t) fail_msg("%s: an event at %g after one at %g", w->what, event->t, w->t);
    w->t = event->t;
    w->count++;
    assert_true(isfinite(event->value));
    if (event->kind > BR_EVENT_CONTACT_OFF) return;
    while (k < w->contacts && strcmp(w->name[k], event->name) != 0) k++;
    if (k == w->contacts) {
        assert_true(k < 64);
        strcpy(w->name[k], event->name), w->on[k] = 0, w->contacts++;
    }
    if ((event->kind == BR_EVENT_CONTACT_ON) == w->on[k])
        fail_msg("%s, %g: %s of %s that is %s", w->what, event->t,
                 event->kind == BR_EVENT_CONTACT_ON ? "on" : "change", event->name, w->on[k] ? "on" : "off");
    w->on[k] = event->kind != BR_EVENT_CONTACT_OFF;
}

// Times do not go back; a contact is on before it sticks, slips or goes, and not on twice; in the end those are on that carry
// force.
static void events_are_in_order_in(const char *path, const char *settings) {
    scene s = open_at(path, settings);
    watch w = {.what = where(path, settings)};
    br_sim_set_event(s.sim, look, &w);
    steps(s.sim, STEPS, w.what);
    int on = 0, carry = 0;
    for (int k = 0; k < w.contacts; k++) on += w.on[k];
    for (int k = 0; k < br_sim_contact_count(s.sim); k++) {
        br_contact c;
        br_sim_contact(s.sim, k, &c);
        carry += c.state != BR_CONTACT_OPEN;
    }
    if (on != carry) fail_msg("%s: %d contacts are on by the events, %d carry force", w.what, on, carry);
    scene_close(&s);
}

static void events_are_in_order(void **state) {
    (void)state;
    for_all(events_are_in_order_in, EXACT_VARIANTS);
}

// --- both coordinate choices --------------------------------------------------------------------------------------

static void both_coordinates_move_alike_in(const char *path, const char *settings) {
    char absolute[160];
    snprintf(absolute, sizeof absolute, "%s%scoordinates=absolute", settings, settings[0] ? ";" : "");
    scene a = open_at(path, settings), b = open_at(path, absolute);
    steps(a.sim, 200, where(path, settings)), steps(b.sim, 200, where(path, absolute));
    for (int k = 0; k < br_model_nq(a.model); k++) {
        const double x = br_sim_q(a.sim)[k], y = br_sim_q(b.sim)[k];
        if (!(fabs(x - y) <= 1e-9 * fmax(1, fabs(x))))
            fail_msg("%s: q[%d] is %.17g and %.17g", where(path, settings), k, x, y);
    }
    scene_close(&a), scene_close(&b);
}

static void both_coordinates_move_alike(void **state) {
    (void)state;
    for_all(both_coordinates_move_alike_in, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restarts_have_the_same_bits),
        cmocka_unit_test(steps_allocate_nothing_for_known_contacts),
        cmocka_unit_test(failing_allocations_are_said),
        cmocka_unit_test(the_ledger_closes),
        cmocka_unit_test(channels_say_what_contacts_say),
        cmocka_unit_test(reading_changes_nothing),
        cmocka_unit_test(names_last_as_long_as_contacts),
        cmocka_unit_test(events_are_in_order),
        cmocka_unit_test(both_coordinates_move_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
