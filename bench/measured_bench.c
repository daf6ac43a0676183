// Tosses of a real cube beside engines: each open loop from the first row of a recording, at its defaults with the published mu and
// restitution, and at the best setting of a grid. One judge for all, below, which calls no engine: the mean over the rows of a toss of the
// distance between centre predicted and centre measured, in parts of the cube's side; of tosses the mean.
//
//     measured_bench [--markdown] [FOLDER]     a folder with toss_*.csv
#define _GNU_SOURCE
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact.h"
#include "contact_bench.h"

#define SIDE 0.1048    // m
#define MASS 0.37      // kg
#define INERTIA 8.1e-4 // kg m^2
#define PUBLISHED_MU 0.18
#define PUBLISHED_RESTITUTION 0.125

enum { MOST_ROWS = 1000, COLUMNS = 14, MUS = 5, SECONDS = 3, SUBSTEPS = 7 };

static const double MU[MUS] = {0.12, 0.15, 0.18, 0.22, 0.27};
static const double RESTITUTION[SECONDS] = {0, 0.125, 0.25};
static const double TIME_CONSTANT[SECONDS] = {0.02, 0.01, 0.005}; // s, of MuJoCo, which has no restitution

typedef struct measured_engine {
    const contact_engine *engine;
    const char *name, *second; // what the grid's second number is
    int own_substeps;          // of a row, at its defaults
    int soft;                  // MuJoCo
} measured_engine;

static const measured_engine ENGINES[] = {
    {&contact_bristle_cone, "bristle", "restitution", 7, 0}, // 1 ms
    {&contact_mujoco, "MuJoCo", "time constant", 3, 1},      // 2 ms
    {&contact_bullet, "Bullet", "restitution", 1, 0},        // 1/60 s is longer than a row
    {&contact_ode, "ODE", "restitution", 7, 0},              // it has none
    {&contact_dart, "DART", "restitution", 7, 0},            // 1 ms
};
enum { ENGINE_COUNT = sizeof ENGINES / sizeof *ENGINES };

typedef struct toss {
    int rows;
    double (*row)[COLUMNS]; // t, x y z, qw qx qy qz, vx vy vz, wx wy wz
} toss;

static int read_toss(const char *path, toss *out) {
    FILE *file = fopen(path, "r");
    char line[1024];
    if (!file || !fgets(line, sizeof line, file)) return file ? fclose(file), 0 : 0;
    out->row = bench_alloc(MOST_ROWS, sizeof *out->row);
    out->rows = 0;
    while (out->rows < MOST_ROWS && fgets(line, sizeof line, file)) {
        char *at = line;
        for (int k = 0; k < COLUMNS; k++, at += *at == ',') out->row[out->rows][k] = strtod(at, &at);
        out->rows++;
    }
    fclose(file);
    return out->rows > 1;
}

static contact_scene scene_of(const toss *t, contact_body *body, double mu, int substeps,
                              const contact_tuning *tuning) {
    const double *r = t->row[0], dt = (t->row[t->rows - 1][0] - r[0]) / (t->rows - 1);
    contact_scene s = {
        .kind = CASE_SLIDE, .step = dt / substeps, .mu = mu, .gravity = {0, 0, -CONTACT_GRAVITY}};
    *body = (contact_body){.shape = CONTACT_BOX, .size = {SIDE, SIDE, SIDE}, .mass = MASS};
    for (int k = 0; k < 3; k++) {
        body->inertia[k] = INERTIA, body->position[k] = r[1 + k];
        body->velocity[k] = r[8 + k], body->angular[k] = r[11 + k];
    }
    double norm = 0;
    for (int k = 0; k < 4; k++) norm += r[4 + k] * r[4 + k];
    for (int k = 0; k < 4; k++) body->rotation[k] = r[4 + k] / sqrt(norm);
    s.bodies = 1, s.walls = 1, s.body = body, s.tuning = tuning;
    s.wall[0] = (contact_wall){{0, 0, 1}, 0};
    return s;
}

// The judge. NAN: the engine could not build it, or its body left for infinity.
static double toss_error(const contact_engine *engine, const toss *t, double mu, int substeps,
                         const contact_tuning *tuning) {
    contact_body body;
    contact_state state;
    const contact_scene scene = scene_of(t, &body, mu, substeps, tuning);
    void *world = engine->make ? engine->make(&scene) : NULL;
    double sum = 0;
    if (!world) return NAN;
    for (int i = 1; i < t->rows; i++) {
        double d = 0;
        for (int k = 0; k < substeps; k++) engine->step(world);
        engine->read(world, &state);
        for (int k = 0; k < 3; k++) d += pow(state.position[k] - t->row[i][1 + k], 2);
        sum += sqrt(d);
    }
    engine->destroy(world);
    return sum / (t->rows - 1) / SIDE;
}

// Of the tosses `first`, `first` + `by`, ...
static double mean_error(const double *error, int tosses, int first, int by) {
    double sum = 0;
    int n = 0;
    for (int k = first; k < tosses; k += by) sum += error[k], n++;
    return n ? sum / n : NAN;
}

typedef struct measured_row {
    double own, own_rest, best_all, best_rest, mu, second;
} measured_row;

static void all_tosses(const measured_engine *e, const toss *t, int tosses, double mu, int substeps,
                       const contact_tuning *tuning, double *error) {
    for (int k = 0; k < tosses; k++) error[k] = toss_error(e->engine, &t[k], mu, substeps, tuning);
}

static measured_row measure_engine(const measured_engine *e, const toss *t, int tosses) {
    double *error = bench_alloc((size_t)tosses, sizeof *error), chosen = INFINITY;
    const contact_tuning own = {PUBLISHED_RESTITUTION, 0};
    measured_row row = {NAN, NAN, NAN, NAN, NAN, NAN};
    all_tosses(e, t, tosses, PUBLISHED_MU, e->own_substeps, &own, error);
    row.own = mean_error(error, tosses, 0, 1), row.own_rest = mean_error(error, tosses, 1, 2);
    for (int a = 0; a < MUS; a++)
        for (int b = 0; b < SECONDS; b++) {
            const contact_tuning tuning = {e->soft ? 0 : RESTITUTION[b], e->soft ? TIME_CONSTANT[b] : 0};
            all_tosses(e, t, tosses, MU[a], SUBSTEPS, &tuning, error);
            const double half = mean_error(error, tosses, 0, 2);
            if (!(half < chosen)) continue;
            chosen = half;
            row.best_all = mean_error(error, tosses, 0, 1), row.best_rest = mean_error(error, tosses, 1, 2);
            row.mu = MU[a], row.second = e->soft ? TIME_CONSTANT[b] : RESTITUTION[b];
        }
    free(error);
    return row;
}

static void print_row(const measured_engine *e, const measured_row *r) {
    if (!e->engine->make) {
        printf("| %s | absent | | | |\n", e->name);
        return;
    }
    printf("| %s | %.1f %% | %.1f %% | %.1f %% | mu %g, %s %g%s |\n", e->name, 100 * r->own,
           100 * r->own_rest, 100 * r->best_rest, r->mu, e->second, e->soft ? 1000 * r->second : r->second,
           e->soft ? " ms" : "");
    fflush(stdout);
}

int main(int argc, char **argv) {
    const char *folder = NULL;
    char pattern[1024];
    glob_t found;
    for (int k = 1; k < argc; k++)
        if (strcmp(argv[k], "--markdown") != 0) folder = argv[k];
    snprintf(pattern, sizeof pattern, "%.900s/toss_*.csv",
             folder ? folder : BENCH_SHARED_DIR "/measured/cube_tosses");
    if (glob(pattern, 0, NULL, &found) != 0) {
        fprintf(stderr, "measured_bench: no files %s; name a folder, such as scenes/measured/cube_tosses\n",
                pattern);
        return 1;
    }
    toss *t = bench_alloc(found.gl_pathc, sizeof *t);
    int tosses = 0;
    for (size_t k = 0; k < found.gl_pathc; k++) tosses += read_toss(found.gl_pathv[k], &t[tosses]);
    printf("| engine, %d tosses | defaults, all | defaults, every other | best of %d, every other | which "
           "|\n|---|---|---|---|---|\n",
           tosses, MUS * SECONDS);
    for (int k = 0; k < ENGINE_COUNT; k++) {
        const measured_row row = measure_engine(&ENGINES[k], t, tosses);
        print_row(&ENGINES[k], &row);
    }
    globfree(&found);
    return 0;
}
