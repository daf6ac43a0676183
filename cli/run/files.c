// The files of bristle run: the result, the table, the list of events.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run/run.h"

static const char no_memory[] = "not enough memory to prepare the run";

// ------------------------------------------------------------------------------------------------------ channels

// "a,b,c" in place; NULL after printing what is wrong.
static const char **run_files_split(char *text, int *count) {
    int n = 1;
    for (const char *p = text; *p; p++) n += *p == ',';
    const char **names = calloc((size_t)n, sizeof *names);
    *count = n;
    for (int k = 0; names && k < n; k++) {
        while (*text == ' ') text++;
        names[k] = text;
        char *end = text + strcspn(text, ",");
        text = end + (*end == ',');
        *end = '\0';
        while (end > names[k] && end[-1] == ' ') *--end = '\0';
    }
    return names;
}

static br_status choose_csv(const run_request *r, run_job *j, br_error *error) {
    if (!r->channels) return br_channels_choose(j->sim, BR_CHANNELS_OUTPUTS, NULL, &j->csv_channels, error);
    int count = 0;
    char *text = strdup(r->channels);
    const char **names = text ? run_files_split(text, &count) : NULL;
    const br_status status = names ? br_channels_named(j->sim, names, count, NULL, &j->csv_channels, error)
                                   : cli_no_memory(error, no_memory);
    free(names);
    free(text);
    return status;
}

// -------------------------------------------------------------------------------------------------------- result

enum { MAX_NAME_KEPT = 200 }; // bytes of a model's name in a file's, which a folder takes up to 255 of

// NAME being the model's, or the file's own without folder and ending.
char *run_default_path(const run_request *r, const br_model *model, const char *ending) {
    const char *name = br_model_name(model);
    const char *slash = strrchr(r->path, '/');
    if (!name || !name[0]) name = slash ? slash + 1 : r->path;
    const char *dot = name == br_model_name(model) ? NULL : strrchr(name, '.');
    size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    if (n > MAX_NAME_KEPT)
        for (n = MAX_NAME_KEPT; n > 1 && ((unsigned char)name[n] & 0xc0) == 0x80;) n--; // whole characters
    char *path = malloc(n + strlen(ending) + 1);
    if (!path) return NULL;
    for (size_t k = 0; k < n; k++) {
        const unsigned char c = (unsigned char)name[k];
        path[k] = c == '/' || c < 0x20 || (k == 0 && (c == '.' || c == '-')) ? '_' : (char)c;
    }
    memcpy(path + n, ending, strlen(ending) + 1);
    return path;
}

static char *result_path(const run_request *r, const br_model *model) {
    return r->output ? strdup(r->output) : run_default_path(r, model, ".result");
}

static char *trust_path(const char *result) {
    const size_t size = strlen(result) + sizeof ".trust.json";
    char *path = malloc(size);
    if (path) br_result_trust_path(result, path, size);
    return path;
}

// The result's name may come from the model's, so the files that were asked for are not the only ones that can clash.
static br_status check_result_path(const run_request *r, const char *path, const char *subject,
                                   br_error *error) {
    const char *const others[] = {r->path, r->csv, r->events};
    static const char *const what[] = {"the model file itself", "the file of --csv", "the file of --events"};
    for (int k = 0; k < 3; k++) {
        if (!others[k] || strcmp(others[k], "-") == 0 || !cli_same_target(path, others[k])) continue;
        return cli_error(error, BR_INVALID, "result-clash", path, 0,
                         "%s would go to %s; name another with -o FILE, or give --no-result", subject,
                         what[k]);
    }
    return BR_OK;
}

static int is_plain_file(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

// Results go by the name in the model, which a copied model file shares. Replacing one of another file is allowed, but said.
static br_status find_replaced(const run_request *r, run_job *j, br_error *error) {
    br_result *old = NULL;
    br_error ignored;
    if (!is_plain_file(j->result_path) || br_result_open(j->result_path, NULL, &old, &ignored) != BR_OK)
        return BR_OK;
    const char *path = br_result_about(old)->model_path;
    const int differs = path && path[0] && !cli_same_target(path, r->path);
    if (differs) j->replaced = strdup(path);
    for (char *p = j->replaced; p && *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            *p = '?'; // the file may be from anywhere, and this is printed
    br_result_close(old);
    return differs && !j->replaced ? cli_no_memory(error, no_memory) : BR_OK;
}

static br_status create_result(const run_request *r, run_job *j, br_error *error) {
    const br_record_options options = {.model_path = r->path,
                                       .overrides = r->overrides.item,
                                       .override_count = r->overrides.count,
                                       .notes = j->notes,
                                       .builder = j->builder,
                                       .until = j->until,
                                       .interval = j->interval};
    const br_status status = br_recorder_create(j->sim, j->result_path, &options, NULL, &j->recorder, error);
    if (status != BR_OK) return status;
    j->channels = br_channels_count(br_recorder_channels(j->recorder));
    j->reduced = br_recorder_is_reduced(j->recorder);
    j->unlocked = !br_recorder_is_locked(j->recorder);
    return BR_OK;
}

static br_status create_csv(const run_request *r, run_job *j, br_error *error) {
    const char *const *names = br_channels_names(j->csv_channels);
    const int count = br_channels_count(j->csv_channels);
    j->csv_row = calloc((size_t)count, sizeof *j->csv_row);
    if (!j->csv_row) return cli_no_memory(error, no_memory);
    if (strcmp(r->csv, "-") == 0) return br_csv_attach(stdout, names, count, NULL, &j->csv, error);
    return br_csv_create(r->csv, names, count, NULL, &j->csv, error);
}

static void run_files_on_event(void *context, const br_event *event) {
    run_job *j = context;
    j->event_count++;
    run_hash_event(j, event);
    if (j->events && j->event_status == BR_OK)
        j->event_status = br_csv_event(j->events, event, &j->event_error);
    if (j->recorder) br_recorder_event(j->recorder, event);
}

// The result last: its first row replaces an older one.
br_status run_open_files(const run_request *r, run_job *j, br_error *error) {
    static const char *const event_columns[] = {"t", "kind", "name", "value"};
    br_status status = BR_OK;
    status = cli_check_outputs(j->sim, error);
    if (status == BR_OK && r->csv) status = choose_csv(r, j, error);
    if (status == BR_OK && !r->no_result) {
        j->result_path = result_path(r, j->model);
        if (!j->result_path) return cli_no_memory(error, no_memory);
        status = check_result_path(r, j->result_path, "the result", error);
        if (status == BR_OK && !(j->trust_path = trust_path(j->result_path)))
            status = cli_no_memory(error, no_memory);
        if (status == BR_OK)
            status = check_result_path(r, j->trust_path, "the verdicts beside the result", error);
    }
    if (status == BR_OK && r->csv) status = create_csv(r, j, error);
    if (status == BR_OK && r->events)
        status = br_csv_create(r->events, event_columns, 4, NULL, &j->events, error);
    if (status == BR_OK) status = run_hash_open(r, j, error);
    if (status == BR_OK && j->result_path) status = find_replaced(r, j, error);
    j->has_older = j->result_path && is_plain_file(j->result_path);
    if (status == BR_OK && j->result_path) status = create_result(r, j, error);
    if (status == BR_OK) br_sim_set_event(j->sim, run_files_on_event, j);
    return status;
}

// What the rows before the checkpoint had, which this run does not see.
static br_status count_earlier(run_job *j, br_error *error) {
    br_result *result = NULL;
    br_result_item item = {.kind = BR_RESULT_CUT};
    br_status status = br_result_open(j->result_path, NULL, &result, error);
    while (status == BR_OK && (double)j->rows <= j->next) {
        status = br_result_next(result, &item, error);
        if (status != BR_OK || item.kind == BR_RESULT_END || item.kind == BR_RESULT_CUT) break;
        if (item.kind == BR_RESULT_ROW && (double)j->rows == j->next) break;
        j->rows += item.kind == BR_RESULT_ROW;
        j->event_count += item.kind == BR_RESULT_EVENT && item.event.t <= br_sim_time(j->sim);
        for (int k = 0; item.kind == BR_RESULT_CONTACTS && k < item.contact_count; k++)
            j->rubs |= item.contacts[k].normal_force > 0 && item.contacts[k].friction_coefficient > 0;
    }
    br_result_close(result);
    return status;
}

br_status run_continue_files(run_job *j, br_error *error) {
    br_status status = br_recorder_resume(j->sim, j->result_path, NULL, &j->recorder, &j->seconds, error);
    if (status != BR_OK) return status;
    j->next = br_recorder_next(j->recorder);
    if (!(j->trust_path = trust_path(j->result_path))) return cli_no_memory(error, no_memory);
    j->channels = br_channels_count(br_recorder_channels(j->recorder));
    j->unlocked = !br_recorder_is_locked(j->recorder);
    br_sim_set_event(j->sim, run_files_on_event, j);
    return count_earlier(j, error);
}

// Until one is found: what touches without friction has nothing to be judged.
static void look_for_friction(run_job *j) {
    for (int k = 0; !j->rubs && k < br_sim_contact_count(j->sim); k++) {
        br_contact c;
        br_sim_contact(j->sim, k, &c);
        j->rubs = c.normal_force > 0 && c.friction_coefficient > 0;
    }
}

br_status run_write_row(run_job *j, br_error *error) {
    br_status status = BR_OK;
    if (j->event_status != BR_OK) {
        *error = j->event_error;
        return j->event_status;
    }
    // Both are read before either is written: a row that cannot be read is in none of the files.
    if (j->csv) status = br_channels_read(j->csv_channels, j->sim, j->csv_row, error);
    if (status == BR_OK && j->recorder) status = br_recorder_read(j->recorder, error);
    if (status == BR_OK) status = run_hash_row(j, error);
    if (status == BR_OK && j->csv) status = br_csv_row(j->csv, j->csv_row, error);
    if (status == BR_OK && j->recorder) status = br_recorder_write(j->recorder, error);
    if (status == BR_OK && j->rows == 0 && j->trust_path)
        remove(j->trust_path); // verdicts on the run that this one has just replaced
    if (status == BR_OK) look_for_friction(j);
    if (status == BR_OK) j->rows++;
    return status;
}

// Rows wait in memory before they are written: after a failure only the file knows how many are kept.
static void recount_rows(run_job *j) {
    br_result *result = NULL;
    br_result_item item = {.kind = BR_RESULT_CUT};
    br_error ignored;
    j->rows = 0;
    j->kept_until = 0;
    if (!j->result_path || br_result_open(j->result_path, NULL, &result, &ignored) != BR_OK) return;
    const int time = 0; // every result begins with t
    while (br_result_next(result, &item, &ignored) == BR_OK && item.kind != BR_RESULT_END &&
           item.kind != BR_RESULT_CUT) {
        if (item.kind != BR_RESULT_ROW) continue;
        j->rows++;
        j->kept_until = item.row[time];
    }
    br_result_close(result);
}

br_status run_close_files(run_job *j, br_error *error) {
    br_error later;
    br_status status = BR_OK;
    const int has_result = j->recorder != NULL && j->rows > 0;
    j->kept_until = br_sim_time(j->sim);
    if (j->recorder)
        status = br_recorder_finish(j->recorder, j->outcome, j->seconds,
                                    j->outcome == BR_RESULT_FAILED ? j->error.message : NULL, error);
    j->recorder = NULL;
    if (has_result && (status != BR_OK || j->outcome == BR_RESULT_FAILED)) recount_rows(j);
    j->kept_older = j->has_older && j->outcome == BR_RESULT_FAILED && !has_result;
    if (j->csv) {
        const br_status s = br_csv_close(j->csv, status == BR_OK ? error : &later);
        if (status == BR_OK) status = s;
    }
    if (j->events) {
        const br_status s = br_csv_close(j->events, status == BR_OK ? error : &later);
        if (status == BR_OK) status = s;
    }
    j->csv = j->events = NULL;
    return status;
}

void run_free(run_job *j) {
    br_recorder_abandon(j->recorder);
    br_csv_abandon(j->csv);
    br_csv_abandon(j->events);
    run_hash_free(j);
    br_channels_destroy(j->csv_channels);
    free(j->csv_row);
    br_sim_destroy(j->sim);
    br_model_destroy(j->model);
    br_builder_destroy(j->builder);
    free(j->notes);
    free(j->result_path);
    free(j->replaced);
    free(j->trust_path);
    br_trust_report_free(&j->trust);
    br_bars_report_free(&j->bars);
    free(j->dump_path);
    free(j->dump_json);
}
