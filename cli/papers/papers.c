// What the papers' files share: the scenes that the program carries, runs that several rows use, printed values by law.
#include "papers/papers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const papers_paper *const papers_list[] = {&papers_peiret2016, &papers_tan_liu, &papers_wojtyra2017,
                                           &papers_bauchau2006};
const int papers_count = (int)(sizeof papers_list / sizeof papers_list[0]);

enum { MAX_KEY = 256, MAX_RUNS = 64, MAX_MEMORIES = 4 };

typedef struct kept_run {
    char key[MAX_KEY];
    compare_trace trace;
} kept_run;

struct papers_run {
    kept_run kept[MAX_RUNS];
    int count;
    struct {
        void *memory;
        void (*release)(void *memory);
    } own[MAX_MEMORIES]; // of the papers that keep more than traces
};

papers_run *papers_begin(void) {
    return calloc(1, sizeof(papers_run));
}

void papers_end(papers_run *run) {
    for (int k = 0; run && k < run->count; k++) compare_trace_free(&run->kept[k].trace);
    for (int k = 0; run && k < MAX_MEMORIES; k++)
        if (run->own[k].release) run->own[k].release(run->own[k].memory);
    free(run);
}

void *papers_kept(const papers_run *run, void (*release)(void *memory)) {
    for (int k = 0; k < MAX_MEMORIES; k++)
        if (run->own[k].release == release) return run->own[k].memory;
    return NULL;
}

int papers_keep(papers_run *run, void *memory, void (*release)(void *memory)) {
    for (int k = 0; k < MAX_MEMORIES; k++)
        if (!run->own[k].release) {
            run->own[k].memory = memory, run->own[k].release = release;
            return 1;
        }
    return 0;
}

const papers_scene *papers_scene_find(const char *name) {
    const size_t n = name ? strlen(name) : 0;
    for (int k = 0; n > 0 && k < papers_scene_count; k++) {
        const char *own = papers_scenes[k].name;
        if (strncmp(own, name, n) == 0 && strcmp(own + n, ".yaml") == 0) return &papers_scenes[k];
    }
    return NULL;
}

br_status papers_open(const char *scene, const br_override *changes, int count, compare_source *out,
                      br_error *error) {
    const papers_scene *s = papers_scene_find(scene);
    memset(out, 0, sizeof *out);
    if (!s)
        return cli_error(error, BR_INVALID, "papers-scene", NULL, 0, "the program does not carry this scene");
    return compare_open_text(s->text, s->size, scene, changes, count, out, error);
}

br_status papers_sim(const char *scene, const br_override *changes, int count, int steps, papers_world *out,
                     br_error *error) {
    memset(out, 0, sizeof *out);
    br_status status = papers_open(scene, changes, count, &out->source, error);
    if (status == BR_OK) status = br_model_runnable(out->source.model, error);
    if (status == BR_OK) status = br_sim_create(out->source.model, NULL, &out->sim, error);
    for (int k = 0; k < steps && status == BR_OK; k++) status = br_sim_step(out->sim, error);
    if (status != BR_OK) papers_sim_close(out);
    return status;
}

void papers_sim_close(papers_world *world) {
    br_sim_destroy(world->sim);
    compare_close(&world->source);
    world->sim = NULL;
}

static br_status compute_trace(const char *scene, const br_override *change, const char *law, double step,
                               double until, double grid, compare_trace *out, br_error *error) {
    compare_source source;
    compare_case c = {.stepper = strcmp(law, "reference") == 0 ? BR_STEPPER_REFERENCE : BR_STEPPER_CONTACT,
                      .step = step};
    snprintf(c.law, sizeof c.law, "%s", law);
    br_status status = papers_open(scene, change, change != NULL, &source, error);
    if (status != BR_OK) return status;
    status = compare_run(&source, &c, until, grid, NULL, NULL, out, error);
    compare_close(&source);
    if (status != BR_OK || out->status == BR_OK) return status;
    *error = out->error;
    compare_trace_free(out);
    return error->status;
}

br_status papers_trace(papers_run *run, const char *scene, const br_override *change, const char *law,
                       double step, double until, double grid, const compare_trace **out, br_error *error) {
    char key[MAX_KEY];
    snprintf(key, sizeof key, "%s|%s=%s|%s|%.17g|%.17g|%.17g", scene, change ? change->name : "",
             change ? change->value : "", law, step, until, grid);
    for (int k = 0; k < run->count; k++)
        if (strcmp(run->kept[k].key, key) == 0) {
            *out = &run->kept[k].trace;
            return BR_OK;
        }
    if (run->count == MAX_RUNS)
        return cli_error(error, BR_TOO_LARGE, "papers-runs", NULL, 0, "more runs than the table keeps");
    kept_run *kept = &run->kept[run->count];
    const br_status status = compute_trace(scene, change, law, step, until, grid, &kept->trace, error);
    if (status != BR_OK) return status;
    memcpy(kept->key, key, sizeof key);
    *out = &kept->trace;
    run->count++;
    return BR_OK;
}

int papers_prints(const char *model) {
    for (int p = 0; p < papers_count; p++)
        for (int k = 0; k < papers_list[p]->count; k++) {
            const papers_row *row = &papers_list[p]->rows[k];
            if (row->law && !isnan(row->printed) && strcmp(row->scene, model) == 0) return 1;
        }
    return 0;
}

double papers_printed(const char *model, const char *law, compare_quantity measure, const char **paper,
                      const papers_row **found) {
    for (int p = 0; p < papers_count; p++)
        for (int k = 0; k < papers_list[p]->count; k++) {
            const papers_row *row = &papers_list[p]->rows[k];
            if (!row->law || row->measure != measure || isnan(row->printed) || strcmp(row->law, law) != 0 ||
                strcmp(row->scene, model) != 0)
                continue;
            if (paper) *paper = papers_list[p]->key;
            if (found) *found = row;
            return row->printed;
        }
    return NAN;
}
