// bristle compare --report: every law's run recorded, laid over each other on one page with the table above them.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bristle/record.h"
#include "compare/compare.h"
#include "page.h"
#include "progress.h"

// ------------------------------------------------------------------------------------------------------- recording

static br_status record_rows(br_recorder *recorder, br_sim *sim, double until, double interval,
                             double *seconds, br_error *why, br_error *error) {
    const long rows = (long)floor(until / interval * (1 + 1e-12));
    br_status status = BR_OK;
    for (long k = 0; k <= rows && status == BR_OK; k++) {
        const double begin = cli_seconds();
        if (k > 0 && br_sim_advance(sim, (double)k * interval, why) != BR_OK) return BR_OK;
        *seconds += cli_seconds() - begin;
        status = br_recorder_read(recorder, error);
        if (status == BR_OK) status = br_recorder_write(recorder, error);
    }
    return status;
}

static br_status record_run(const compare_job *j, const compare_case *c, const br_model *model,
                            const char *path, br_error *error) {
    br_recorder *recorder = NULL;
    br_sim *sim = NULL;
    br_error why = {0};
    double seconds = 0;
    char law[COMPARE_MAX_LABEL + 2], step[32];
    compare_law_setting(c->law, law, sizeof law);
    snprintf(step, sizeof step, "%.17g", c->step);
    const br_override changed[] = {
        {"solver.stepper", br_stepper_name(c->stepper)}, {"solver.step", step}, {"contact.law", law}};
    const br_record_options options = {.model_path = j->path,
                                       .overrides = changed,
                                       .override_count = c->stepper == BR_STEPPER_CONTACT ? 3 : 2,
                                       .notes = j->source.notes,
                                       .until = j->until,
                                       .interval = j->grid};
    br_status status = br_sim_create(model, NULL, &sim, error);
    if (status == BR_OK) status = br_recorder_create(sim, path, &options, NULL, &recorder, error);
    if (status == BR_OK) {
        br_sim_set_event(sim, br_recorder_event, recorder);
        status = record_rows(recorder, sim, j->until, j->grid, &seconds, &why, error);
    }
    if (status == BR_OK)
        status = br_recorder_finish(recorder, why.status == BR_OK ? BR_RESULT_COMPLETE : BR_RESULT_FAILED,
                                    seconds, why.status == BR_OK ? NULL : why.message, error);
    else
        br_recorder_abandon(recorder);
    br_sim_destroy(sim);
    return status;
}

static br_status record_case(const compare_job *j, const compare_case *c, const char *path, br_error *error) {
    br_model *model = NULL;
    br_status status = compare_variant(&j->source, c, &model, error);
    if (status == BR_OK) status = record_run(j, c, model, path, error);
    br_model_destroy(model);
    return status;
}

// ---------------------------------------------------------------------------------------------------------- files

// The rows that are shown: every law that was asked for, and what they are held against.
static int is_shown(const compare_job *j, int i) {
    return i < j->coulomb || i == j->reference;
}

typedef struct recorded {
    const char *folder;
    char path[BR_MAX_REPORT_RESULTS][160];
    br_report_result result[BR_MAX_REPORT_RESULTS];
    int count;
} recorded;

static void file_name(const char *folder, const char *label, char *path, size_t size) {
    char name[COMPARE_MAX_LABEL];
    snprintf(name, sizeof name, "%s", label);
    for (char *p = name; *p; p++)
        if (*p == '/' || *p == ':' || *p == ' ') *p = '_';
    snprintf(path, size, "%s/%s.result", folder, name);
}

static br_status record_all(const compare_job *j, recorded *r, br_error *error) {
    br_status status = BR_OK;
    for (int i = 0; i < j->count && r->count < BR_MAX_REPORT_RESULTS && status == BR_OK; i++) {
        if (!is_shown(j, i)) continue;
        const int k = r->count++;
        const compare_case c = compare_runnable(&j->row[i].c);
        file_name(r->folder, j->row[i].c.label, r->path[k], sizeof r->path[k]);
        r->result[k] = (br_report_result){r->path[k], j->row[i].c.label};
        status = record_case(j, &c, r->path[k], error);
    }
    return status;
}

br_status compare_page(const compare_job *j, const char *path, br_error *error) {
    char *table = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&table, &size);
    recorded *r = calloc(1, sizeof *r);
    char folder[] = "/tmp/bristle-compare-XXXXXX";
    br_status status = BR_OK;
    if (r) r->folder = mkdtemp(folder);
    if (!out || !r || !r->folder) {
        status = cli_error(error, BR_IO, "file-unwritable", NULL, 0,
                           "no room in /tmp for the results of the comparison");
    }
    if (out) {
        compare_report_table(out, j);
        fclose(out);
    }
    if (status == BR_OK) status = record_all(j, r, error);
    const br_report_options options = {.compare = table};
    if (status == BR_OK) status = cli_page_write(NULL, r->result, r->count, &options, path, error);
    for (int k = 0; r && k < r->count; k++) remove(r->path[k]);
    if (r && r->folder) rmdir(r->folder);
    free(r);
    free(table);
    return status;
}
