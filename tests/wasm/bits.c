// bits TREE UNTIL [NAME=VALUE...]: what `bristle run --hash --no-trust` prints, by the core alone and from a tree of tree.h. Exit code 1: it cannot
// run (the message says why), 2: it would need an elimination order of AMD's, which is not here.
#include <stdio.h>

#include "tree.h"

#include "bristle/io.h"
#include "bristle/sim.h"
#include "cli/run/hash.h"

#define MOST_OVERRIDES 8

void amd_2(int n, int *Pe, int *Iw, int *Len, int length, int free_at, int *Nv, int *Next, int *Last,
           int *Head, int *Elen, int *Degree, int *W, double *control, double *info);
void amd_2(int n, int *Pe, int *Iw, int *Len, int length, int free_at, int *Nv, int *Next, int *Last,
           int *Head, int *Elen, int *Degree, int *W, double *control, double *info) {
    (void)n, (void)Pe, (void)Iw, (void)Len, (void)length, (void)free_at, (void)Nv, (void)Next, (void)Last,
        (void)Head, (void)Elen, (void)Degree, (void)W, (void)control, (void)info;
    fprintf(stderr, "needs an order of AMD's\n");
    exit(2);
}

#ifdef __wasi__ // has none: a model that names files beside itself cannot be read
char *realpath(const char *path, char *resolved) {
    (void)path, (void)resolved;
    return NULL;
}
#endif

typedef struct bits {
    uint64_t run, events;
    br_channels *channels;
    double *row;
} bits;

static void on_event(void *context, const br_event *event) {
    bits *b = context;
    b->events = hash_event(b->events, event);
}

static br_status take_row(bits *b, br_sim *sim, br_error *error) {
    const br_status status = br_channels_read(b->channels, sim, b->row, error);
    if (status != BR_OK) return status;
    b->run = hash_word(b->run, hash_state(b->events, sim, b->row, br_channels_count(b->channels)));
    b->events = HASH_START;
    return BR_OK;
}

// Rows at the same times as br_row_time gives them.
static br_status run_to(bits *b, br_sim *sim, double until, br_error *error) {
    const br_settings *s = br_model_settings(br_sim_model(sim));
    const double interval = s->output > 0 ? s->output : s->solver.step;
    br_status status = take_row(b, sim, error);
    double t = br_sim_time(sim);
    for (double k = 1; status == BR_OK && t < until; k++) {
        t = k * interval > until - 1e-9 * interval ? until : k * interval;
        status = br_sim_advance(sim, t, error);
        if (status == BR_OK) status = take_row(b, sim, error);
    }
    return status;
}

static char *whole_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc(BR_MAX_MODEL_BYTES) : NULL;
    *size = text ? fread(text, 1, BR_MAX_MODEL_BYTES, file) : 0;
    if (file) fclose(file);
    return text;
}

int main(int argc, char **argv) {
    br_override overrides[MOST_OVERRIDES];
    int count = 0;
    for (int k = 3; k < argc && count < MOST_OVERRIDES; k++) {
        char *equals = strchr(argv[k], '=');
        if (!equals) return 1;
        *equals = '\0';
        overrides[count++] = (br_override){argv[k], equals + 1};
    }
    size_t size;
    char *text = argc > 2 ? whole_file(argv[1], &size) : NULL;
    if (!text) return 1;
    br_error error = {0};
    br_model *model = NULL;
    br_sim *sim = NULL;
    bits b = {HASH_START, HASH_START, NULL, NULL};
    br_status status = br_model_read_text(text, size, argv[1], overrides, count, NULL, &model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
    if (status == BR_OK) status = br_channels_choose(sim, BR_CHANNELS_ALL, NULL, &b.channels, &error);
    if (status == BR_OK) {
        b.row = calloc((size_t)br_channels_count(b.channels) + 1, sizeof *b.row);
        br_sim_set_event(sim, on_event, &b);
        status = b.row ? run_to(&b, sim, strtod(argv[2], NULL), &error) : BR_NO_MEMORY;
    }
    if (status == BR_OK) printf("%016llx\n", (unsigned long long)b.run);
    if (status != BR_OK) fprintf(stderr, "%s\n", error.message);
    free(b.row);
    br_channels_destroy(b.channels);
    br_sim_destroy(sim);
    br_model_destroy(model);
    free(text);
    return status != BR_OK;
}
