// Beams, clearances, the implicit stepper, statics and modes under attack: memory that runs out at every call, snapshots
// that were damaged, forces that are no numbers, steps that cannot be made, sizes at the ends of a double's range.
// Whatever comes, an answer is finite, a refusal has a code, and what failed leaves no trace.
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "bristle/statics.h"
#include "counting_allocator.h"
#include "mode_model.h"

// --- counting every allocation of the program, where the C library lets us stand in ---------------------------

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(__GLIBC__) && !defined(SANITIZED)
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

static _Atomic long heap_calls;

void *malloc(size_t size) {
    heap_calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    heap_calls++;
    return __libc_calloc(count, size);
}
#else
static const long heap_calls = 0;
#endif

// --- models ------------------------------------------------------------------------------------------------

#define SECTION "section: {EI: 100, GJ: 80, EA: 1e6, kGA: 4e5, mass: 1}"

// A shaft with a disk, driven, its far end in a journal with play and bristle friction.
#define SHAFT                                                                                                \
    "beams:\n  rod: {from: [0, 0, 0], to: [1, 0, 0], elements: 3, " SECTION                                  \
    ", damping: 1e-3, attach: {0.5: disk}}\n"                                                                \
    "bodies:\n  disk: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 0]}}\n"                  \
    "joints:\n  R: {revolute: [world, rod.s0], axis: x}\n"                                                   \
    "clearances:\n  T: {journal: [world, rod.s1], at: [1, 0, 0], axis: x, length: 20 mm, outer: 21 mm, "     \
    "inner: 20 mm, "                                                                                         \
    "contact: {law: hunt_crossley, stiffness: 1e8, damping: 1}, friction: {law: lugre, mu: 0.3, sigma_0: "   \
    "1e5}}\n"                                                                                                \
    "drives:\n  Q: {joint: R, torque: 5}\n"

#define MAST                                                                                                 \
    "beams:\n  mast: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, " SECTION ", attach: {0: world}}\n"

// A ball inside a hole, turning.
#define BALL                                                                                                 \
    "gravity: [0, -9.81, 0]\nbodies:\n  d: {mass: 5, inertia: [0.01, 0.01, 0.01], velocity: {angular: [0, "  \
    "0, 10]}}\n"                                                                                             \
    "clearances:\n  T: {planar: [world, d], axis: z, outer: 50 mm, inner: 49.5 mm, "                         \
    "contact: {law: linear, stiffness: 1e6}, friction: {law: lugre, mu: 0.3, sigma_0: 1e5, v_stribeck: "     \
    "1e-3}}\n"

#define SOLVER(scheme) "solver: {stepper: implicit, step: 1e-4, scheme: " scheme "}\n"

static const char *const schemes[] = {"alpha", "energy_decaying"};

static void steps(br_sim *sim, int count) {
    br_error error = {0};
    for (int k = 0; k < count; k++) mode_check(br_sim_step(sim, &error), &error);
}

static void *saved(const br_sim *sim) {
    void *bytes = malloc(br_sim_snapshot_size(sim));
    assert_non_null(bytes);
    br_sim_save(sim, bytes);
    return bytes;
}

static int is_finite(const br_sim *sim) {
    const br_model *model = br_sim_model(sim);
    const br_energy e = br_sim_energy(sim);
    const br_ledger l = br_sim_ledger(sim);
    int good = isfinite(br_sim_time(sim));
    for (int k = 0; k < br_model_nq(model); k++) good &= isfinite(br_sim_q(sim)[k]);
    for (int k = 0; k < br_model_nv(model); k++) good &= isfinite(br_sim_v(sim)[k]);
    return good && isfinite(e.kinetic) && isfinite(e.potential) && isfinite(e.elastic) && isfinite(e.total) &&
           isfinite(l.input) && isfinite(l.damping) && isfinite(l.friction) && isfinite(l.scheme) &&
           isfinite(l.unaccounted) && isfinite(l.loop_error);
}

// What hangs fails rather than try the patience of who waits: far above what any of this needs.
enum { PATIENCE = 120 };

static void on_alarm(int number) {
    (void)number;
    fail_msg("a call does not come back");
}

static int watched(void **state) {
    (void)state;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    action.sa_flags = (int)SA_NODEFER; // the test is left by a jump out of the handler
    sigaction(SIGALRM, &action, NULL);
    alarm(PATIENCE);
    return 0;
}

// --- memory ------------------------------------------------------------------------------------------------

static void no_allocation_after_the_first_step(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        mode_model s = mode_read("%ssolver: {stepper: implicit, step: 1e-4, scheme: %s%s}\n", SHAFT,
                                 schemes[k % 2], k < 2 ? "" : ", adaptive: {tolerance: 1e-6}");
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, 0);
        br_sim *sim = NULL;
        br_error error = {0};
        mode_check(br_sim_create(s.model, &allocator, &sim, &error), &error);
        steps(sim, 1);
        const long own = counter.calls, heap = heap_calls;
        steps(sim, 200);
        assert_int_equal(counter.calls, own);
        assert_int_equal(heap_calls, heap);
        br_sim_destroy(sim);
        assert_int_equal(counter.live, 0);
        mode_close(&s);
    }
}

typedef enum question { STEP, STATIC, MODES, CRITICAL, CAMPBELL, QUESTIONS } question;

// answer: a number that tells one result from another.
static br_status ask(br_sim *sim, question what, const br_allocator *allocator, double *answer,
                     br_error *error) {
    static const char *const pins[] = {"T"};
    br_modes_def def = br_default_modes_def();
    br_static_settings settings = br_default_static_settings();
    br_static_report report = {0};
    br_modes modes = {0};
    br_criticals criticals = {0};
    br_campbell campbell = {0};
    def.allocator = allocator, def.pinned = pins, def.pinned_count = 1, def.count = 3;
    br_status status = BR_OK;
    *answer = 0.0;
    switch (what) {
    case STEP:
        status = br_sim_step(sim, error);
        break;
    case STATIC:
        status = br_sim_static(sim, &settings, NULL, NULL, &report, error);
        break;
    case MODES:
        status = br_modes_find(sim, &def, &modes, error);
        break;
    case CRITICAL:
        status = br_modes_critical(sim, &def, &criticals, error);
        break;
    default:
        status = br_modes_campbell(sim, &def, 0.0, 100.0, 3, &campbell, error);
    }
    if (status == BR_OK && what <= STATIC) *answer = br_sim_energy(sim).total + report.last.displacement;
    for (int k = 0; k < modes.count; k++) *answer += (k + 1) * modes.mode[k].imaginary;
    for (int k = 0; k < criticals.count; k++) *answer += (k + 1) * criticals.zone[k].from;
    for (int k = 0; k < campbell.speeds * campbell.count; k++)
        if (isfinite(campbell.mode[k].fixed)) *answer += (k + 1) * campbell.mode[k].fixed;
    br_modes_free(&modes);
    br_criticals_free(&criticals);
    br_campbell_free(&campbell);
    return status;
}

// Call k of creating and asking fails, for every k; the answer is then "out of memory", or the same as with memory where
// the call was for speed only, and nothing is left behind. A question that is asked again of the same simulation is
// answered. Returns what went wrong.
static int each_allocation_fails(const br_model *model, question what) {
    int wrong = 0;
    double right = 0.0;
    for (long k = 0;; k++) { // 0: none fails
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_sim *sim = NULL;
        br_error error = {0}, later = {0};
        double answer = 0.0, second = 0.0;
        br_status status = br_sim_create(model, &allocator, &sim, &error);
        if (status == BR_OK) status = ask(sim, what, &allocator, &answer, &error);
        if (k == 0) right = answer;
        const int failed = counter.failed > 0, fine = status == BR_OK && answer == right;
        const br_status again = failed && sim ? ask(sim, what, &allocator, &second, &later) : BR_OK;
        const int finite = !sim || is_finite(sim);
        br_sim_destroy(sim);
        if (!(fine || (failed && status == BR_NO_MEMORY)) || again != BR_OK || !finite || counter.live != 0) {
            print_error("question %d, allocation %ld %s: %s (%s), %g for %g, again %s (%s), %sfinite, %ld "
                        "blocks left\n",
                        (int)what, k, failed ? "failed" : "was not made", br_status_name(status),
                        error.message, answer, right, br_status_name(again), later.message,
                        finite ? "" : "not ", counter.live);
            wrong++;
        }
        if (!failed && k > 0) return wrong;
    }
}

static void each_failing_allocation_is_said(void **state) {
    (void)state;
    mode_model shaft = mode_read("%s", "gravity: [0, 0, 0]\n" SHAFT SOLVER("alpha"));
    mode_model mast = mode_read("%s", MAST SOLVER("energy_decaying"));
    static const question of_shaft[] = {STEP, MODES, CRITICAL, CAMPBELL}, of_mast[] = {STEP, STATIC};
    int wrong = 0;
    for (int k = 0; k < 4; k++) wrong += each_allocation_fails(shaft.model, of_shaft[k]);
    for (int k = 0; k < 2; k++) wrong += each_allocation_fails(mast.model, of_mast[k]);
    mode_close(&shaft);
    mode_close(&mast);
    assert_int_equal(wrong, 0);
}

// --- the same bits -----------------------------------------------------------------------------------------

static void *run_along(void *context) {
    br_sim *sim = context;
    br_error error = {0};
    for (int k = 0; k < 300; k++)
        if (br_sim_step(sim, &error) != BR_OK) return sim;
    return NULL;
}

static void assert_same(const br_sim *a, const br_sim *b) {
    assert_int_equal(br_sim_snapshot_size(a), br_sim_snapshot_size(b));
    void *x = saved(a), *y = saved(b);
    assert_memory_equal(x, y, br_sim_snapshot_size(a));
    free(x);
    free(y);
}

// Two simulations of one model, in two threads and one after the other.
static void threads_and_runs_give_the_same_bits(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        mode_model s =
            mode_read("%ssolver: {stepper: implicit, step: 1e-4, scheme: %s, adaptive: {tolerance: 1e-6}}\n",
                      SHAFT, schemes[k]);
        br_sim *sim[3] = {s.sim, NULL, NULL};
        br_error error = {0};
        pthread_t thread[2];
        void *failed[2];
        for (int i = 1; i < 3; i++) mode_check(br_sim_create(s.model, NULL, &sim[i], &error), &error);
        for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&thread[i], NULL, run_along, sim[i]), 0);
        for (int i = 0; i < 2; i++) assert_int_equal(pthread_join(thread[i], &failed[i]), 0);
        assert_true(!failed[0] && !failed[1] && !run_along(sim[2]));
        assert_same(sim[0], sim[1]);
        assert_same(sim[0], sim[2]);
        br_sim_destroy(sim[1]);
        br_sim_destroy(sim[2]);
        mode_close(&s);
    }
}

// --- snapshots ---------------------------------------------------------------------------------------------

// What was saved of one simulation goes on in another one of the same model, used or fresh, with the same bits.
static void snapshots_go_on_in_a_fresh_simulation(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        mode_model s =
            mode_read("%ssolver: {stepper: implicit, step: 1e-4, scheme: %s, adaptive: {tolerance: 1e-6}}\n",
                      SHAFT, schemes[k]);
        br_sim *fresh = NULL;
        br_error error = {0};
        mode_check(br_sim_create(s.model, NULL, &fresh, &error), &error);
        void *start = saved(s.sim); // before any step
        steps(s.sim, 50);
        void *bytes = saved(s.sim);
        mode_check(br_sim_load(fresh, bytes, br_sim_snapshot_size(fresh), &error), &error);
        steps(s.sim, 50);
        steps(fresh, 50);
        assert_same(s.sim, fresh);
        // Back to the very start, of a simulation that has run.
        mode_check(br_sim_load(s.sim, start, br_sim_snapshot_size(s.sim), &error), &error);
        mode_check(br_sim_load(fresh, start, br_sim_snapshot_size(fresh), &error), &error);
        assert_true(br_sim_time(s.sim) == 0.0);
        steps(s.sim, 50);
        steps(fresh, 50);
        void *again = saved(s.sim);
        assert_memory_equal(again, bytes, br_sim_snapshot_size(s.sim));
        assert_same(s.sim, fresh);
        free(again);
        free(start);
        free(bytes);
        br_sim_destroy(fresh);
        mode_close(&s);
    }
}

static void snapshots_of_another_model_are_refused(void **state) {
    (void)state;
    mode_model a = mode_read("%s", SHAFT SOLVER("alpha")), b = mode_read("%s", MAST SOLVER("alpha"));
    br_error error = {0};
    steps(a.sim, 2);
    steps(b.sim, 2);
    void *before = saved(b.sim), *bytes = saved(a.sim);
    assert_int_equal(br_sim_load(b.sim, bytes, br_sim_snapshot_size(a.sim), &error), BR_INVALID);
    assert_string_equal(error.code, "snapshot-other");
    void *after = saved(b.sim);
    assert_memory_equal(before, after, br_sim_snapshot_size(b.sim));
    free(before);
    free(after);
    free(bytes);
    mode_close(&a);
    mode_close(&b);
}

// One bit of it is turned, any: it is refused, or what follows is finite or fails by name.
static void snapshots_with_turned_bits_do_no_harm(void **state) {
    (void)state;
    for (int scheme = 0; scheme < 2; scheme++) {
        mode_model s =
            mode_read("%ssolver: {stepper: implicit, step: 1e-4, scheme: %s, adaptive: {tolerance: 1e-6}}\n",
                      SHAFT, schemes[scheme]);
        steps(s.sim, 20);
        const size_t size = br_sim_snapshot_size(s.sim);
        unsigned char *bytes = saved(s.sim);
        unsigned random = 12345u;
        for (int trial = 0; trial < 600; trial++) {
            random = random * 1664525u + 1013904223u;
            const size_t at = (random >> 8) % size;
            // Every other one in the sign and exponent of some double, where a bit weighs most.
            const size_t byte = trial % 2 ? at : (at | 7u) < size ? (at | 7u) : at;
            const unsigned char bit = (unsigned char)(1u << (random >> 5 & 7u));
            br_error error = {0};
            bytes[byte] ^= bit;
            if (br_sim_load(s.sim, bytes, br_sim_snapshot_size(s.sim), &error) == BR_OK) {
                if (!is_finite(s.sim))
                    fail_msg("byte %zu, bit %d: accepted, and what it says is not finite", byte, bit);
                const double t = br_sim_time(s.sim);
                const br_status status = br_sim_step(s.sim, &error);
                if (!is_finite(s.sim))
                    fail_msg("byte %zu, bit %d: a step says %s and is not finite", byte, bit,
                             br_status_name(status));
                if (status == BR_OK && !(br_sim_time(s.sim) > t) && fabs(t) < 1e9)
                    fail_msg("byte %zu, bit %d: a step from t = %g does not advance", byte, bit, t);
                if (status != BR_OK) assert_true(error.code && error.message[0]);
            } else {
                assert_true(error.code && error.message[0]);
            }
            bytes[byte] ^= bit;
            mode_check(br_sim_load(s.sim, bytes, br_sim_snapshot_size(s.sim), &error), &error);
        }
        free(bytes);
        mode_close(&s);
    }
}

// Each of its numbers made to be none: refused, or without effect.
static void snapshots_with_holes_are_refused(void **state) {
    (void)state;
    mode_model s = mode_read("%s", SHAFT SOLVER("energy_decaying"));
    steps(s.sim, 20);
    const size_t size = br_sim_snapshot_size(s.sim);
    char *good = saved(s.sim), *bytes = saved(s.sim);
    const double nan = NAN;
    int wrong = 0;
    for (size_t at = 0; at + sizeof nan <= size; at += sizeof nan) {
        br_error error = {0};
        memcpy(bytes + at, &nan, sizeof nan);
        if (br_sim_load(s.sim, bytes, br_sim_snapshot_size(s.sim), &error) == BR_OK && !is_finite(s.sim)) {
            print_error("a number that is none at byte %zu of %zu is taken\n", at, size);
            wrong++;
        }
        memcpy(bytes + at, good + at, sizeof nan);
        mode_check(br_sim_load(s.sim, good, br_sim_snapshot_size(s.sim), &error), &error);
    }
    free(good);
    free(bytes);
    mode_close(&s);
    assert_int_equal(wrong, 0);
}

// --- steps that fail ---------------------------------------------------------------------------------------

// Steps until one fails, at most `most`; that one is asked twice: it says the same and leaves the state bit by bit.
static void assert_fails(br_sim *sim, int most, const char *code, const char *words) {
    br_error error = {0};
    for (int k = 0; k < most; k++) {
        if (br_sim_step(sim, &error) == BR_OK) {
            assert_true(is_finite(sim));
            continue;
        }
        const double t = br_sim_time(sim);
        assert_true(is_finite(sim));
        char *before = saved(sim), first[sizeof error.message];
        memcpy(first, error.message, sizeof first);
        for (int again = 0; again < 2; again++) {
            if (strcmp(error.code, code) != 0 || !strstr(error.message, words))
                fail_msg("'%s' (%s), expected %s with '%s'", error.message, error.code, code, words);
            assert_string_equal(error.message, first);
            assert_non_null(br_explain(error.code));
            assert_int_equal(br_sim_step(sim, &error), BR_NUMERICAL);
            assert_true(br_sim_time(sim) == t);
        }
        free(before);
        return;
    }
    fail_msg("no step failed with %s", code);
}

static void loads_that_no_beam_bears_end_by_name(void **state) {
    (void)state;
    static const char *const loads[] = {"1e20", "1e30", "1e100", "1e300"};
    for (int k = 0; k < 8; k++) {
        mode_model s = mode_read(
            "%sloads:\n  p: {body: mast.s1, force: [0, 0, %s]}\nsolver: {stepper: implicit, step: 1 "
            "ms, scheme: %s}\n",
            MAST, loads[k / 2], schemes[k % 2]);
        assert_fails(s.sim, 1000, "implicit-step", "t = ");
        mode_close(&s);
    }
}

// A load that is no number any more is said to be that, not a step that does not converge.
static void a_load_that_is_no_number_is_named(void **state) {
    (void)state;
    static const char *const loads[] = {"sqrt(0.0105 - t)", "1/(t - 0.003)", "log(0.0022 - t)"};
    for (int k = 0; k < 6; k++) {
        mode_model s = mode_read(
            "%sloads:\n  p: {body: mast.s1, force: [0, 0, '%s']}\nsolver: {stepper: implicit, step: 1 "
            "ms, scheme: %s}\n",
            MAST, loads[k / 2], schemes[k % 2]);
        br_error error = {0};
        br_status status = BR_OK;
        for (int n = 0; n < 20 && status == BR_OK; n++) status = br_sim_step(s.sim, &error);
        if (k / 2 == 1) { // steps may fall beside the pole
            assert_true(status == BR_OK || error.code);
        } else {
            assert_int_equal(status, BR_NUMERICAL);
            if (!strstr(error.message, "load 'p'") && !strstr(error.message, "loads/p"))
                fail_msg("'%s' does not name the load", error.message);
        }
        assert_true(is_finite(s.sim));
        mode_close(&s);
    }
}

typedef struct saboteur {
    int armed;
    double value;
} saboteur;

static void sabotage(void *context, const br_force_view *view, br_wrench *wrench, double *effort) {
    const saboteur *s = context;
    (void)effort;
    wrench[0].force.y = sin(100.0 * view->t);
    if (s->armed) wrench[0].force = br_vec3_of(s->value, s->value, s->value);
}

// Steps that fail between good ones change nothing of what the good ones find. A force that gives a good step is loaded
// away.
static void failed_steps_leave_no_trace(void **state) {
    (void)state;
    static const double values[] = {NAN, INFINITY, 1e306, 1e200, 1e30};
    for (int k = 0; k < 4; k++) {
        mode_model s = mode_read("%ssolver: {stepper: implicit, step: 1e-4, scheme: %s%s}\n", SHAFT,
                                 schemes[k % 2], k < 2 ? "" : ", adaptive: {tolerance: 1e-6}");
        br_sim *bad = NULL;
        br_error error = {0};
        saboteur quiet = {0, 0.0}, loud = {0, 0.0};
        int failures = 0;
        mode_check(br_sim_create(s.model, NULL, &bad, &error), &error);
        br_sim_set_force(s.sim, sabotage, &quiet);
        br_sim_set_force(bad, sabotage, &loud);
        for (int n = 0; n < 40; n++) {
            steps(s.sim, 1);
            const double t = br_sim_time(bad);
            void *before = n > 0 ? saved(bad) : NULL;
            loud.armed = n > 0, loud.value = values[n % 5];
            if (n > 0 && br_sim_step(bad, &error) == BR_OK) {
                if (!is_finite(bad)) fail_msg("a force of %g: ok, and not finite", loud.value);
                mode_check(br_sim_load(bad, before, br_sim_snapshot_size(bad), &error), &error);
            } else if (n > 0) {
                failures++;
                assert_true(error.code && is_finite(bad));
                // With steps of many sizes a failing one may come after good ones; those stay.
                if (br_sim_time(bad) != t)
                    mode_check(br_sim_load(bad, before, br_sim_snapshot_size(bad), &error), &error);
            }
            loud.armed = 0;
            free(before);
            steps(bad, 1);
            const int nq = br_model_nq(s.model), nv = br_model_nv(s.model);
            if (memcmp(br_sim_q(s.sim), br_sim_q(bad), (size_t)nq * sizeof(double)) != 0 ||
                memcmp(br_sim_v(s.sim), br_sim_v(bad), (size_t)nv * sizeof(double)) != 0)
                fail_msg("scheme %d: step %d after a force of %g differs", k, n, loud.value);
        }
        assert_true(failures >= 15); // NaN and infinity always
        br_sim_destroy(bad);
        mode_close(&s);
    }
}

// Every step of a run is a call that comes back: settings that ask for steps no clock can tell apart are refused, or the
// step fails by name.
static void absurd_adaptive_settings_come_back(void **state) {
    (void)state;
    static const char *const adaptive[] = {
        "smallest: 1e-30, tolerance: 1e-300",
        "smallest: 1e-18, tolerance: 1e-18",
        "tolerance: 1e-300",
        "contact: {epsilon_p: 1e-300}",
        "friction: {dtau_min: 1e-300}",
        "smallest: 1e-300, contact: {q_min: 1e300}",
    };
    for (size_t k = 0; k < sizeof adaptive / sizeof *adaptive; k++) {
        char text[2048];
        snprintf(text, sizeof text, "format: 1\n%ssolver: {stepper: implicit, step: 1e-5, adaptive: {%s}}\n",
                 BALL, adaptive[k]);
        br_model *model = NULL;
        br_sim *sim = NULL;
        br_error error = {0};
        br_status status = br_model_read_text(text, strlen(text), "m", NULL, 0, NULL, &model, NULL, &error);
        if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
        const double start = sim ? br_sim_energy(sim).total : 0.0;
        // As many as fit into 12 ms, at 10.1 ms of which it touches: 1200 steps of the model's size.
        alarm(20);
        for (int n = 0; n < 1200 && status == BR_OK; n++) status = br_sim_step(sim, &error);
        alarm(PATIENCE);
        if (status != BR_OK) assert_true(error.code && error.message[0]);
        if (sim) {
            const double grown = br_sim_energy(sim).total - start;
            assert_true(is_finite(sim));
            // Half a joule turns and a third falls; what the books leave open is a small part of it.
            if (fabs(br_sim_ledger(sim).unaccounted) > 1e-3 || grown > 1e-3)
                fail_msg("{%s}: energy grew by %g J, %g J unaccounted", adaptive[k], grown,
                         br_sim_ledger(sim).unaccounted);
        }
        br_sim_destroy(sim);
        br_model_destroy(model);
    }
}

// A beam that turns 1000 rad/s and is far too soft for it: the scheme may lose energy or fail, but a run that is called
// complete has not made three thousand times what there was.
static void a_step_does_not_make_energy(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        mode_model s = mode_read(
            "gravity: [0, 0, 0]\nbeams:\n  mast: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, " SECTION
            ", velocity: {angular: [0, 0, 1000]}}\nsolver: {stepper: implicit, step: 1 ms, scheme: %s}\n",
            schemes[k]);
        br_error error = {0};
        const double start = br_sim_energy(s.sim).total;
        br_status status = BR_OK;
        for (int n = 0; n < 20 && status == BR_OK; n++) status = br_sim_step(s.sim, &error);
        if (status != BR_OK) assert_non_null(br_explain(error.code));
        if (br_sim_energy(s.sim).total > 10.0 * start)
            fail_msg("%s: from %g J to %g J without a load", schemes[k], start, br_sim_energy(s.sim).total);
        mode_close(&s);
    }
}

// --- what is refused ---------------------------------------------------------------------------------------

// A step that says it is good and is not finite is an error without a code.
static br_status read_and_step(const char *text, br_error *error) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    memset(error, 0, sizeof *error);
    br_status status = br_model_read_text(text, strlen(text), "m.yaml", NULL, 0, NULL, &model, NULL, error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, error);
    for (int k = 0; k < 3 && status == BR_OK; k++) {
        status = br_sim_step(sim, error);
        if (status == BR_OK && !is_finite(sim)) {
            status = BR_NUMERICAL;
            snprintf(error->message, sizeof error->message, "a good step that is not finite");
        }
    }
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status;
}

// Lines whose lengths overflow, or that run back over themselves, are answered at once.
static void lines_without_a_length_are_refused(void **state) {
    (void)state;
    static const char *const lines[] = {
        "spline: [[0, 0, 0], [1e300, 0, 0], [1e300, 1e300, 0]]",
        "spline: [[0, 0, 0], [1e200, 0, 0], [0, 1e200, 0]]",
        "spline: [[0, 0, 0], [1e160, 0, 0], [2e160, 1e160, 0], [0, 0, 1e160]]",
        "points: [[0, 0, 0], [1e200, 0, 0]]",
        "arc: [[0, 0, 0], [1e200, 1e200, 0], [2e200, 0, 0]]",
    };
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char text[512];
        br_error error;
        snprintf(text, sizeof text, "format: 1\nbeams:\n  mast: {%s, " SECTION "}\n", lines[k]);
        alarm(10);
        assert_int_equal(read_and_step(text, &error), BR_INVALID);
        assert_string_equal(error.code, "beam-line");
    }
}

// Splines through points that are far apart here and near there overshoot far beyond their chords.
static void uneven_splines_are_measured(void **state) {
    (void)state;
    static const char *const lines[] = {
        "spline: [[0, 0, 0], [1, 0, 0], [1.000001, 0, 0], [1, 1, 0], [0, 1, 0]]",
        "spline: [[0, 0, 0], [1000, 0, 0], [1000, 0.001, 0], [0, 0.001, 0], [0, 0.002, 0], [1000, 0, 0]]",
        "spline: [[0, 0, 0], [1, 0, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]]",
        "spline: [[0, 0, 0], [1e-12, 0, 0], [1, 1, 0]]",
        "spline: [[0, 0, 0], [1, 0, 0], [1, 1e-9, 0], [0, 1e-9, 0]]",
    };
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        char text[512];
        br_error error;
        snprintf(text, sizeof text,
                 "format: 1\nbeams:\n  mast: {%s, " SECTION "}\nsolver: {stepper: implicit}\n", lines[k]);
        if (read_and_step(text, &error) != BR_OK) assert_true(error.code && error.message[0]);
    }
}

// Twice at one end, however it is written.
static void stations_that_cannot_be_told_apart_are_one(void **state) {
    (void)state;
    static const char *const attach[] = {
        "0: world, 1e-300: world",          "0: world, 1e-13: world",
        "1: world, 0.9999999999999: world", "0.5: world, 0.50000000000001: world",
        "start: world, 0.0: world",         "end: world, 1e0: world",
    };
    for (size_t k = 0; k < sizeof attach / sizeof *attach; k++) {
        char text[512];
        br_error error;
        snprintf(text, sizeof text,
                 "format: 1\nbeams:\n  mast: {from: [0, 0, 0], to: [1, 0, 0], " SECTION
                 ", attach: {%s}}\nsolver: {stepper: implicit}\n",
                 attach[k]);
        const br_status status = read_and_step(text, &error);
        if (status != BR_INVALID || strcmp(error.code, "beam-attach") != 0)
            fail_msg("{%s}: %s %s", attach[k], br_status_name(status), error.message);
    }
}

// Numbers from end to end of a double's range in every place: refused, failed by name, or finite.
static void sizes_at_the_ends_of_the_range(void **state) {
    (void)state;
    int wrong = 0;
    static const char *const numbers[] = {"1e-320", "1e-308", "1e-200", "1e-100", "1e-30",
                                          "1e30",   "1e100",  "1e200",  "1e308"};
    static const char *const places[] = {
        "beams: {a: {from: [0, 0, 0], to: [%s, 0, 0], " SECTION ", attach: {0: world}}}\n",
        "beams: {a: {from: [0, 0, 0], to: [1, 0, 0], section: {EI: %s, GJ: 80, EA: 1e6, kGA: 4e5, mass: 1}, "
        "attach: {0: world}}}\n",
        "beams: {a: {from: [0, 0, 0], to: [1, 0, 0], section: {EI: 100, GJ: %s, EA: 1e6, kGA: 4e5, mass: 1}, "
        "attach: {0: world}}}\n",
        "beams: {a: {from: [0, 0, 0], to: [1, 0, 0], section: {EI: 100, GJ: 80, EA: %s, kGA: 4e5, mass: 1}, "
        "attach: {0: world}}}\n",
        "beams: {a: {from: [0, 0, 0], to: [1, 0, 0], section: {EI: 100, GJ: 80, EA: 1e6, kGA: %s, mass: 1}, "
        "attach: {0: world}}}\n",
        "beams: {a: {from: [0, 0, 0], to: [1, 0, 0], section: {EI: 100, GJ: 80, EA: 1e6, kGA: 4e5, mass: "
        "%s}, attach: {0: world}}}\n",
        "beams: {a: {from: [0, 0, 0], to: [1, 0, 0], section: {E: 1e9, density: %s, circle: {radius: "
        "0.01}}}}\n",
        "beams: {a: {from: [0, 0, 0], to: [1, 0, 0], section: {E: 1e9, density: 1e3, circle: {radius: "
        "%s}}}}\n",
        "beams: {a: {from: [0, 0, 0], to: [1, 0, 0], " SECTION ", damping: %s, attach: {0: world}}}\n",
        "beams: {a: {from: [0, 0, 0], to: [1, 0, 0], " SECTION ", velocity: {linear: [%s, 0, 0]}}}\n",
        "bodies: {d: {mass: 1, inertia: [1, 1, 1], pose: {position: [0, 1, 0]}}}\nclearances: {T: "
        "{spherical: [world, d], at: "
        "{world: [0, 0, 0], d: [0, 0, 0]}, outer: 2, inner: 1.9, contact: {law: linear, stiffness: %s}}}\n",
        "bodies: {d: {mass: 1, inertia: [1, 1, 1]}}\nclearances: {T: {spherical: [world, d], at: {world: [0, "
        "0, 0], d: [%s, "
        "0, 0]}, outer: 2, inner: 1, contact: {law: hertz, stiffness: 1e6}}}\n",
        "bodies: {d: {mass: 1, inertia: [1, 1, 1], velocity: {angular: [0, 0, 9]}, pose: {position: [0, "
        "0.11, 0]}}}\n"
        "clearances: {T: {planar: [world, d], axis: z, at: {world: [0, 0, 0], d: [0, 0, 0]}, outer: 2, "
        "inner: 1.9, contact: "
        "{law: linear, stiffness: 1e4}, friction: {law: lugre, mu: 0.3, sigma_0: %s}}}\n",
    };
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            char text[1024], model[800];
            br_error error;
            const char *hole = strstr(places[p], "%s");
            snprintf(model, sizeof model, "%.*s%s%s", (int)(hole - places[p]), places[p], numbers[n],
                     hole + 2);
            snprintf(text, sizeof text, "format: 1\n%ssolver: {stepper: implicit}\n", model);
            if (read_and_step(text, &error) == BR_OK || (error.code && br_explain(error.code))) continue;
            print_error("%s: %s (%s)\n", model, error.message, error.code ? error.code : "no code");
            wrong++;
        }
    assert_int_equal(wrong, 0);
}

// Nothing at all has one equilibrium and no modes.
static void an_empty_model_is_answered(void **state) {
    (void)state;
    static const char *const texts[] = {"", "bodies: {}\n", "beams: {}\nclearances: {}\n"};
    for (int k = 0; k < 3; k++) {
        mode_model s = mode_read("%ssolver: {stepper: implicit}\n", texts[k]);
        const br_static_settings settings = br_default_static_settings();
        br_static_report report;
        br_error error = {0};
        mode_check(br_sim_static(s.sim, &settings, NULL, NULL, &report, &error), &error);
        assert_true(report.reached);
        assert_string_equal(report.free, ""); // nothing is there that could move
        br_modes modes = mode_find(&s, 3);
        assert_int_equal(modes.count, 0);
        br_modes_free(&modes);
        steps(s.sim, 2);
        mode_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(no_allocation_after_the_first_step, watched),
        cmocka_unit_test_setup(each_failing_allocation_is_said, watched),
        cmocka_unit_test_setup(threads_and_runs_give_the_same_bits, watched),
        cmocka_unit_test_setup(snapshots_go_on_in_a_fresh_simulation, watched),
        cmocka_unit_test_setup(snapshots_of_another_model_are_refused, watched),
        cmocka_unit_test_setup(snapshots_with_turned_bits_do_no_harm, watched),
        cmocka_unit_test_setup(snapshots_with_holes_are_refused, watched),
        cmocka_unit_test_setup(loads_that_no_beam_bears_end_by_name, watched),
        cmocka_unit_test_setup(a_load_that_is_no_number_is_named, watched),
        cmocka_unit_test_setup(failed_steps_leave_no_trace, watched),
        cmocka_unit_test_setup(a_step_does_not_make_energy, watched),
        cmocka_unit_test_setup(stations_that_cannot_be_told_apart_are_one, watched),
        cmocka_unit_test_setup(an_empty_model_is_answered, watched),
        cmocka_unit_test_setup(sizes_at_the_ends_of_the_range, watched),
        cmocka_unit_test_setup(uneven_splines_are_measured, watched),
        cmocka_unit_test_setup(lines_without_a_length_are_refused, watched),
        cmocka_unit_test_setup(absurd_adaptive_settings_come_back, watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
