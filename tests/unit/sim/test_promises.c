// What a simulation promises whatever the model: no allocation in a step after the first, memory that runs out is
// said and nothing is lost, the same bits on every run and after a snapshot, reading changes nothing.
#include "mechanisms.h"

#include "counting_allocator.h"

#define STEP 2e-3
enum { STEPS = 300 };

static const double thetas[] = {1.0, 0.5};

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
#define COUNTS_MALLOC 1
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

static long heap_calls;

void *malloc(size_t size) {
    heap_calls++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    heap_calls++;
    return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    heap_calls++;
    return __libc_realloc(memory, size);
}
#else
static const long heap_calls = 0;
#endif

// --- every combination ----------------------------------------------------------------------------------------

typedef void (*check)(mechanism_kind kind, double theta, br_coordinates coordinates);

static void for_all(check what) {
    for (int kind = 0; kind < MECHANISMS; kind++)
        for (int t = 0; t < 2; t++)
            for (int c = 0; c < 2; c++) what((mechanism_kind)kind, thetas[t], c ? BR_ABSOLUTE : BR_REDUCED);
}

static const char *where(mechanism_kind kind, double theta, br_coordinates coordinates) {
    static char text[64];
    snprintf(text, sizeof text, "%s, theta %g, %s", mechanism_name[kind], theta,
             coordinates == BR_ABSOLUTE ? "absolute" : "reduced");
    return text;
}

// --- memory ---------------------------------------------------------------------------------------------------

static void no_allocation_after_the_first_step_in(mechanism_kind kind, double theta,
                                                  br_coordinates coordinates) {
    br_model *model = mechanism_model(kind, theta, coordinates, STEP);
    counting_allocator counter;
    const br_allocator allocator = counting_allocator_start(&counter, 0);
    br_error error = {0};
    br_sim *sim = NULL;
    mech_check(br_sim_create(model, &allocator, &sim, &error), &error);
    mech_steps(sim, 1);
    const long own = counter.calls, heap = heap_calls;
    mech_steps(sim, STEPS);
    if (counter.calls != own || heap_calls != heap)
        fail_msg("%s: %ld calls of the allocator, %ld of malloc", where(kind, theta, coordinates),
                 counter.calls - own, heap_calls - heap);
    br_sim_destroy(sim);
    assert_int_equal(counter.live, 0);
    br_model_destroy(model);
}

static void no_allocation_after_the_first_step(void **state) {
    (void)state;
    for_all(no_allocation_after_the_first_step_in);
}

// Reading a state by any channel may compute, but what it needs for that it gives back.
static void stepping_allocates_nothing_between_readings(void **state) {
    (void)state;
    mechanism m = mechanism_make(MECHANISM_FOUR_BAR, 0.5, BR_REDUCED, STEP);
    mechanism_steps(&m, 2);
    mech_read(&m, "A.reaction.force.x");
    const long heap = heap_calls;
    mechanism_steps(&m, 10);
    assert_int_equal(heap_calls, heap);
    mechanism_free(&m);
}

static void each_failing_allocation_is_said_in(mechanism_kind kind, double theta,
                                               br_coordinates coordinates) {
    br_model *model = mechanism_model(kind, theta, coordinates, STEP);
    for (long k = 1;; k++) {
        counting_allocator counter;
        const br_allocator allocator = counting_allocator_start(&counter, k);
        br_error error = {0};
        br_sim *sim = (br_sim *)&counter; // any mark: it must stay
        const br_status status = br_sim_create(model, &allocator, &sim, &error);
        if (counter.failed == 0) {
            assert_int_equal(status, BR_OK);
            br_sim_destroy(sim);
            assert_int_equal(counter.live, 0);
            break;
        }
        if (status != BR_NO_MEMORY || sim != (br_sim *)&counter || counter.live != 0)
            fail_msg("%s: allocation %ld failed, creating said %s, %ld blocks are left",
                     where(kind, theta, coordinates), k, br_status_name(status), counter.live);
        assert_string_equal(error.code, "out-of-memory");
    }
    br_model_destroy(model);
}

static void each_failing_allocation_is_said(void **state) {
    (void)state;
    for_all(each_failing_allocation_is_said_in);
}

// The first step may allocate; if it cannot, that is a status and the state stays.
static void first_step_survives_failing_allocations_in(mechanism_kind kind, double theta,
                                                       br_coordinates coordinates) {
    br_model *model = mechanism_model(kind, theta, coordinates, STEP);
    counting_allocator counter;
    br_allocator allocator = counting_allocator_start(&counter, 0);
    br_error error = {0};
    br_sim *sim = NULL;
    mech_check(br_sim_create(model, &allocator, &sim, &error), &error);
    for (long k = 1; k < 1000; k++) {
        counter.calls = counter.failed = 0;
        counter.fail_at = k;
        const double t = br_sim_time(sim);
        const br_status status = br_sim_step(sim, &error);
        if (counter.failed == 0) break;
        assert_int_equal(status, BR_NO_MEMORY);
        assert_true(br_sim_time(sim) == t);
    }
    br_sim_destroy(sim);
    assert_int_equal(counter.live, 0);
    br_model_destroy(model);
}

static void first_step_survives_failing_allocations(void **state) {
    (void)state;
    for_all(first_step_survives_failing_allocations_in);
}

// --- the same bits --------------------------------------------------------------------------------------------

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

static void reruns_have_the_same_bits_in(mechanism_kind kind, double theta, br_coordinates coordinates) {
    bits first = {0, NULL};
    for (int run = 0; run < 2; run++) {
        mechanism m = mechanism_make(kind, theta, coordinates, STEP);
        mechanism_steps(&m, STEPS);
        bits b = save(m.sim);
        if (run == 0)
            first = b;
        else
            assert_same(first, b, where(kind, theta, coordinates)), free(b.bytes);
        mechanism_free(&m);
    }
    free(first.bytes);
}

static void reruns_have_the_same_bits(void **state) {
    (void)state;
    for_all(reruns_have_the_same_bits_in);
}

// Snapshots are taken at many steps, so that some fall where limits and bounds are active.
static void restarts_have_the_same_bits_in(mechanism_kind kind, double theta, br_coordinates coordinates) {
    enum { EVERY = 37, PARTS = 7 };
    mechanism m = mechanism_make(kind, theta, coordinates, STEP), other;
    bits at[PARTS + 1];
    for (int k = 0; k <= PARTS; k++) {
        at[k] = save(m.sim);
        mechanism_steps(&m, EVERY);
    }
    other.model = m.model;
    br_sim *used = mech_sim(m.model); // one that has been elsewhere
    mech_steps(used, 20);
    for (int k = 0; k < PARTS; k++) {
        br_error error = {0};
        other.sim = mech_sim(m.model);
        mech_check(br_sim_load(other.sim, at[k].bytes, at[k].size, &error), &error);
        mech_check(br_sim_load(used, at[k].bytes, at[k].size, &error), &error);
        bits loaded = save(other.sim);
        assert_same(at[k], loaded, "a loaded snapshot");
        free(loaded.bytes);
        mech_steps(other.sim, EVERY);
        mech_steps(used, EVERY);
        bits fresh = save(other.sim), again = save(used);
        assert_same(at[k + 1], fresh, where(kind, theta, coordinates));
        assert_same(at[k + 1], again, where(kind, theta, coordinates));
        free(fresh.bytes);
        free(again.bytes);
        br_sim_destroy(other.sim);
    }
    br_sim_destroy(used);
    for (int k = 0; k <= PARTS; k++) free(at[k].bytes);
    mechanism_free(&m);
}

static void restarts_have_the_same_bits(void **state) {
    (void)state;
    for_all(restarts_have_the_same_bits_in);
}

// Everything that can be asked is asked between the steps; the motion does not notice. (The ledger counts the
// evaluations, so q and v are compared.)
static void reading_changes_nothing_in(mechanism_kind kind, double theta, br_coordinates coordinates) {
    mechanism quiet = mechanism_make(kind, theta, coordinates, STEP),
              asked = mechanism_make(kind, theta, coordinates, STEP);
    const int nq = br_model_nq(quiet.model), nv = br_model_nv(quiet.model);
    double *numbers = malloc((size_t)(nv * nv + 8 * nv + 64) * sizeof *numbers);
    const int channels = br_sim_channel_count(asked.sim);
    br_error error = {0};
    for (int k = 0; k < 60; k++) {
        mechanism_steps(&quiet, 1);
        mechanism_steps(&asked, 1);
        for (int c = 0; c < channels; c += 1 + k % 3) {
            char name[3 * BR_MAX_NAME];
            br_channel channel;
            double value = NAN;
            br_sim_channel_name(asked.sim, c, name, sizeof name);
            mech_check(br_sim_channel_find(asked.sim, name, &channel, &error), &error);
            mech_check(br_sim_channel_read(asked.sim, &channel, &value, &error), &error);
            if (!isfinite(value)) fail_msg("%s: %s is %g", where(kind, theta, coordinates), name, value);
        }
        br_sim_mass_matrix(asked.sim, numbers);
        br_sim_bias(asked.sim, numbers);
        mech_check(br_sim_acceleration(asked.sim, numbers, &error), &error);
        br_sim_jacobian(asked.sim, 0, br_vec3_of(0.1, 0, 0), numbers, numbers + 3 * nv);
        br_mobility mobility;
        if (k % 20 == 0) mech_check(br_sim_mobility(asked.sim, &mobility, NULL, 0, &error), &error);
        if (memcmp(br_sim_q(quiet.sim), br_sim_q(asked.sim), (size_t)nq * sizeof(double)) != 0 ||
            memcmp(br_sim_v(quiet.sim), br_sim_v(asked.sim), (size_t)nv * sizeof(double)) != 0)
            fail_msg("%s: step %d has other bits after reading", where(kind, theta, coordinates), k);
    }
    free(numbers);
    mechanism_free(&quiet);
    mechanism_free(&asked);
}

static void reading_changes_nothing(void **state) {
    (void)state;
    for_all(reading_changes_nothing_in);
}

static void snapshots_of_other_models_are_refused(void **state) {
    (void)state;
    mechanism a = mechanism_make(MECHANISM_LIMITS, 0.5, BR_REDUCED, STEP);
    mechanism b = mechanism_make(MECHANISM_LIMITS, 0.5, BR_REDUCED, 2 * STEP);
    mechanism_steps(&a, 3);
    mechanism_steps(&b, 5);
    bits of_a = save(a.sim), before = save(b.sim);
    br_error error = {0};
    assert_int_equal(br_sim_load(b.sim, of_a.bytes, of_a.size, &error), BR_INVALID);
    assert_string_equal(error.code, "snapshot-other");
    bits after = save(b.sim);
    assert_same(before, after, "refused");
    memset(of_a.bytes, 0, of_a.size);
    assert_int_equal(br_sim_load(a.sim, of_a.bytes, of_a.size, &error), BR_INVALID);
    free(of_a.bytes);
    free(before.bytes);
    free(after.bytes);
    mechanism_free(&a);
    mechanism_free(&b);
}

// --- both coordinate choices, and the books -------------------------------------------------------------------

static void both_coordinates_move_alike(void **state) {
    (void)state;
    for (int kind = 0; kind < MECHANISMS; kind++)
        for (int t = 0; t < 2; t++) {
            mechanism a = mechanism_make((mechanism_kind)kind, thetas[t], BR_REDUCED, STEP);
            mechanism b = mechanism_make((mechanism_kind)kind, thetas[t], BR_ABSOLUTE, STEP);
            mechanism_steps(&a, STEPS);
            mechanism_steps(&b, STEPS);
            for (int k = 0; k < br_model_nq(a.model); k++) {
                const double x = br_sim_q(a.sim)[k], y = br_sim_q(b.sim)[k];
                if (!(fabs(x - y) <= 1e-9 * fmax(1, fabs(x))))
                    fail_msg("%s: q[%d] is %.17g and %.17g",
                             where((mechanism_kind)kind, thetas[t], BR_REDUCED), k, x, y);
            }
            mechanism_free(&a);
            mechanism_free(&b);
        }
}

static void the_ledger_closes_in(mechanism_kind kind, double theta, br_coordinates coordinates) {
    mechanism m = mechanism_make(kind, theta, coordinates, STEP);
    double scale = 0;
    for (int k = 0; k < STEPS; k++) {
        mechanism_steps(&m, 1);
        scale = fmax(scale, mech_energy_scale(m.sim));
        const br_ledger l = br_sim_ledger(m.sim);
        if (!(fabs(l.unaccounted) <= 1e-9 * scale))
            fail_msg("%s, step %d: %g J of %g J are unaccounted for", where(kind, theta, coordinates), k,
                     l.unaccounted, scale);
        const double sum = l.now.total - l.start.total + l.friction + l.damping + l.scheme + l.unaccounted;
        assert_near(sum, l.input, 1e-11 * scale);
    }
    mechanism_free(&m);
}

static void the_ledger_closes(void **state) {
    (void)state;
    for_all(the_ledger_closes_in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_allocation_after_the_first_step),
        cmocka_unit_test(stepping_allocates_nothing_between_readings),
        cmocka_unit_test(each_failing_allocation_is_said),
        cmocka_unit_test(first_step_survives_failing_allocations),
        cmocka_unit_test(reruns_have_the_same_bits),
        cmocka_unit_test(restarts_have_the_same_bits),
        cmocka_unit_test(reading_changes_nothing),
        cmocka_unit_test(snapshots_of_other_models_are_refused),
        cmocka_unit_test(both_coordinates_move_alike),
        cmocka_unit_test(the_ledger_closes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
