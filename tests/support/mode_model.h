// Models as text for the tests of modes.
//
//     mode_model s = mode_read("beams: ...");
//     br_modes m = mode_find(&s, 5);
//     mode_close(&s);
#ifndef MODE_MODEL_H
#define MODE_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/io.h"
#include "bristle/modes.h"
#include "near.h"

typedef struct mode_model {
    br_model *model;
    br_sim *sim;
} mode_model;

static inline void mode_check(br_status status, const br_error *error) {
    if (status != BR_OK) fail_msg("%s (%s)", error->message, error->code ? error->code : "no code");
}

// format: as printf, of everything behind "format: 1".
static inline mode_model mode_read(const char *format, ...) __attribute__((format(printf, 1, 2)));
static inline mode_model mode_read(const char *format, ...) {
    char text[4096] = "format: 1\nname: m\n";
    const size_t used = strlen(text);
    mode_model s = {NULL, NULL};
    br_error error = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, sizeof text - used, format, args);
    va_end(args);
    mode_check(br_model_read_text(text, strlen(text), "m", NULL, 0, NULL, &s.model, NULL, &error), &error);
    mode_check(br_sim_create(s.model, NULL, &s.sim, &error), &error);
    return s;
}

static inline void mode_close(mode_model *s) {
    br_sim_destroy(s->sim);
    br_model_destroy(s->model);
}

static inline br_modes mode_find_by(mode_model *s, const br_modes_def *def) {
    br_modes m = {0};
    br_error error = {0};
    mode_check(br_modes_find(s->sim, def, &m, &error), &error);
    return m;
}

static inline br_modes mode_find(mode_model *s, int count) {
    br_modes_def def = br_default_modes_def();
    def.count = count;
    return mode_find_by(s, &def);
}

static inline const br_mode_point *mode_shape(const mode_model *s, const br_modes *m, int mode,
                                              const char *body) {
    const int b = br_model_body_find(s->model, body);
    assert_true(b >= 0 && mode < m->count);
    return &m->shape[mode * m->bodies + b];
}

#define assert_close(a, b, relative) assert_near((a), (b), (relative)*fabs(b))

#endif
