// Random rubbing loops under the reference stepper: how they end. A "no solution" must come with a proof that holds.
#ifndef RUBBING_SURVEY_H
#define RUBBING_SURVEY_H

#include "refutation_check.h"
#include "rubbing_loops.h"
#include "scene.h"
#include "sim/friction/friction.h"

#define SURVEY_CODES 12

typedef struct rubbing_survey {
    int count, ended, reversals, reversed, boxes;
    int codes, of_code[SURVEY_CODES];
    char code[SURVEY_CODES][40];
} rubbing_survey;

static inline void survey_code(rubbing_survey *s, const char *code) {
    int k = 0;
    while (k < s->codes && strcmp(s->code[k], code) != 0) k++;
    if (k == SURVEY_CODES) return;
    if (k == s->codes) snprintf(s->code[s->codes++], sizeof s->code[k], "%s", code);
    s->of_code[k]++;
}

static inline int survey_of(const rubbing_survey *s, const char *code) {
    for (int k = 0; k < s->codes; k++)
        if (strcmp(s->code[k], code) == 0) return s->of_code[k];
    return 0;
}

// Moves one to its end, or to where it stops.
static inline void survey_one(rubbing_survey *s, uint64_t seed, int verbose) {
    rubbing_loop loop;
    br_error error = {0};
    scene sc = {NULL, NULL};
    rubbing_loop_make(&loop, seed, "reference");
    br_status status = br_model_read_text(loop.text, strlen(loop.text), "rubbing.yaml", NULL, 0, NULL,
                                          &sc.model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(sc.model, NULL, &sc.sim, &error);
    if (status != BR_OK) scene_fail("rubbing.yaml", &error);
    double last = 0.0;
    int turns = 0;
    for (int k = 1; status == BR_OK && k <= 500; k++) {
        status = br_sim_advance(sc.sim, loop.until * k / 500, &error);
        const double v = status == BR_OK ? scene_read(&sc, "j0.velocity") : 0.0;
        if (v * last < 0.0) turns++;
        if (v != 0.0) last = v;
    }
    s->count++, s->ended += status == BR_OK, s->reversals += turns, s->reversed += turns > 0;
    if (status != BR_OK) survey_code(s, error.code);
    if (verbose && status != BR_OK) printf("seed %d (%s): %s\n", (int)seed, loop.kind, error.message);
    if (status != BR_OK && strcmp(error.code, "friction-none") == 0) {
        int leaves = 0;
        const br_refutation *proof = br_frictions_refutation(sc.sim, NULL);
        assert_non_null(proof);
        if (!refutation_holds(proof, &leaves))
            fail_msg("seed %d: the proof of 'no solution' does not hold", (int)seed);
        s->boxes += leaves;
    }
    scene_close(&sc);
}

static inline void survey_tell(const rubbing_survey *s) {
    printf("%d rubbing loops: %d to the end, %d reversed (%d times), %d boxes checked\n", s->count, s->ended,
           s->reversed, s->reversals, s->boxes);
    for (int k = 0; k < s->codes; k++) printf("  %-20s %d\n", s->code[k], s->of_code[k]);
}

#endif
