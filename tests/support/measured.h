// Recordings that a model makes itself: motion noise by random.h, files in a folder of the test's own.
#ifndef MEASURED_H
#define MEASURED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "near.h"
#include "random.h"

#include "bristle/fit.h"
#include "bristle/sim.h"

// Goes into an empty folder; 0: there is none.
static inline int measured_folder(void) {
    static char folder[] = "/tmp/bristle_fit_XXXXXX";
    return mkdtemp(folder) && chdir(folder) == 0;
}

static inline void measured_write(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

// A normal number, by Box and Muller.
static inline double measured_normal(rng *random) {
    const double a = rng_uniform(random, 1e-12, 1), b = rng_uniform(random, 0, 1);
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}

// channel at rows 0, every, ... of the model, with noise of that standard deviation added; a CSV file with columns t and the channel.
static inline void measured_make(const char *path, const char *model_text, const br_override *set, int sets,
                                 const char *channel, double every, int rows, double noise, rng *random) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_channel found;
    br_error error;
    memset(&error, 0, sizeof error);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "t,%s\n", channel);
    if (br_model_read_text(model_text, strlen(model_text), "made", set, sets, NULL, &model, NULL, &error) !=
            BR_OK ||
        br_sim_create(model, NULL, &sim, &error) != BR_OK ||
        br_sim_channel_find(sim, channel, &found, &error) != BR_OK)
        fail_msg("%s", error.message);
    for (int k = 0; k < rows; k++) {
        double x = 0;
        if (br_sim_advance(sim, k * every, &error) != BR_OK ||
            br_sim_channel_read(sim, &found, &x, &error) != BR_OK)
            fail_msg("%s", error.message);
        fprintf(file, "%.17g,%.17g\n", k * every, x + (random ? noise * measured_normal(random) : 0));
    }
    br_sim_destroy(sim);
    br_model_destroy(model);
    assert_int_equal(fclose(file), 0);
}

#endif
