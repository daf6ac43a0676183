// A result with everything in it that a result can have, as long as a test wants.
#ifndef RESULT_SAMPLE_H
#define RESULT_SAMPLE_H

#include <math.h>
#include <stdint.h>

#include "bristle/export.h"
#include "temp_file.h"

enum { SAMPLE_CHANNELS = 5 };

static const br_result_channel sample_channels[SAMPLE_CHANNELS] = {
    {"t", "s"}, {"arm.position", "rad"}, {"a/b.x", "m"}, {"energy.total", "J"}, {"block.velocity.x", "m/s"}};
static const br_override sample_overrides[] = {{"mu", "0.3"}, {"solver.step", "2 ms"}};

static inline br_result_header sample_header(void) {
    br_result_header h;
    memset(&h, 0, sizeof h);
    h.model_name = "pendulum \xc3\xa9";
    h.model_path = "scenes/pendulum.yaml";
    h.model_text = "format: 1\n\0hidden";
    h.model_size = 17;
    h.model_hash = UINT64_C(0x023456789abcdef0);
    h.overrides = sample_overrides;
    h.override_count = 2;
    h.stepper = "contact";
    h.notes = "body a was moved\n";
    h.until = 1.5;
    h.output = 0.1;
    h.step = 0.001;
    h.channels = sample_channels;
    h.channel_count = SAMPLE_CHANNELS;
    h.scene = "{\"format\": 1, \"bodies\": [], \"shapes\": []}";
    h.model_native = "format: 1 # native\n";
    return h;
}

static inline void sample_row(int k, double row[SAMPLE_CHANNELS]) {
    row[0] = 0.1 * k;
    row[1] = sin(1.0 + k);
    row[2] = k == 0 ? -0.0 : 1e-308 / k;
    row[3] = 1.0 / 3.0 * k;
    row[4] = 4.0;
}

static inline br_result_end sample_end(void) {
    br_result_end end;
    memset(&end, 0, sizeof end);
    end.outcome = BR_RESULT_FAILED;
    end.t = 0.4;
    end.seconds = 0.25;
    end.ledger.start.potential = -3.5;
    end.ledger.now.total = 1.25;
    end.ledger.unaccounted = 1e-12;
    end.ledger.creep = 1e-300;
    end.ledger.steps = 400;
    end.ledger.evaluations = 1234567890123;
    snprintf(end.message, sizeof end.message, "the step diverged");
    return end;
}

static inline br_result_contact sample_contact(const char *name, int k) {
    br_result_contact c = {.name = name, .state = (br_contact_state)(k % 3)};
    c.point = br_vec3_of(k, -0.0, 1e-300);
    c.normal = br_vec3_of(0, 0, 1);
    c.gap = -1e-9 * k;
    c.normal_force = 9.81;
    c.friction = br_vec3_of(0.1, 0.2, 0.3 * k);
    c.slip = br_vec3_of(4, 5, 6);
    c.friction_coefficient = 0.7;
    return c;
}

// Events before and after rows; contacts of every second row, some of them none.
static inline void sample_write_rows(br_result_writer *w, int rows) {
    br_error error;
    for (int k = 0; k < rows; k++) {
        double row[SAMPLE_CHANNELS];
        const br_event event = {0.1 * k, (br_event_kind)(k % 6), "elbow, \"left\"", -2.5 * k};
        sample_row(k, row);
        if (k % 3 == 0) assert_int_equal(br_result_event(w, &event, &error), BR_OK);
        assert_int_equal(br_result_row(w, row, &error), BR_OK);
        char name[32];
        snprintf(name, sizeof name, "foot~floor#%d", k % 50);
        const br_result_contact contacts[] = {sample_contact(name, k), sample_contact("a~b#1", k + 1)};
        if (k % 2 == 0) assert_int_equal(br_result_contacts(w, contacts, k / 2 % 3, &error), BR_OK);
        if (k % 5 == 0) assert_int_equal(br_result_event(w, &event, &error), BR_OK);
    }
}

static inline const char *sample_write(const char *name, const br_result_header *header, int rows,
                                       int finish) {
    const char *path = temp_path(name);
    const br_result_end end = sample_end();
    br_result_writer *w = NULL;
    br_error error;
    assert_int_equal(br_result_create(path, header, NULL, &w, &error), BR_OK);
    sample_write_rows(w, rows);
    if (finish)
        assert_int_equal(br_result_finish(w, &end, &error), BR_OK);
    else
        br_result_abandon(w);
    return path;
}

static inline size_t sample_size(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    fclose(file);
    return (size_t)size;
}

static inline void assert_same_files(const char *a, const char *b) {
    char *x = temp_read(a), *y = temp_read(b);
    assert_non_null(x);
    assert_non_null(y);
    assert_int_equal(sample_size(a), sample_size(b));
    assert_memory_equal(x, y, sample_size(a));
    free(x);
    free(y);
}

#endif
