#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_CHANNELS = 3000 }; // more: a result keeps bodies and energies only

static br_status no_memory(br_error *error) {
    *error = (br_error){.status = BR_NO_MEMORY, .code = "out-of-memory"};
    snprintf(error->message, sizeof error->message, "not enough memory to record the run");
    return BR_NO_MEMORY;
}

br_status cli_record_choose(cli_record *record, const br_sim *sim, br_error *error) {
    record->reduced = br_sim_channel_count(sim) > MAX_CHANNELS;
    return cli_channels_choose(sim, record->reduced ? CLI_CHANNELS_BODIES : CLI_CHANNELS_ALL,
                               &record->channels, error);
}

// --------------------------------------------------------------------------------------------------- what was run

// The text of the model goes into the result. A pipe was read once already and is gone: then there is none.
static char *model_text(const char *path, size_t *size) {
    struct stat s;
    *size = 0;
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode)) return NULL;
    FILE *file = fopen(path, "rb");
    char *text = file ? malloc((size_t)s.st_size + 1) : NULL;
    if (text) *size = fread(text, 1, (size_t)s.st_size, file);
    if (text) text[*size] = '\0';
    if (file) fclose(file);
    return text;
}

// Whether the text of a model file is all there is to it: YAML that names no other file.
static int stands_alone(const char *path, const char *text, size_t size) {
    static const char *const others[] = {".xml", ".mjcf", ".urdf"};
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof others / sizeof *others; k++)
        if (strcmp(dot, others[k]) == 0) return 0;
    return text && strlen(text) == size && !strstr(text, "import") && !strstr(text, "file");
}

static br_status create(cli_record *record, const br_sim *sim, const cli_record_about *about,
                        br_result_channel *list, const char *path, br_error *error) {
    const br_model *model = br_sim_model(sim);
    const br_settings *s = br_model_settings(model);
    br_result_header h;
    memset(&h, 0, sizeof h);
    char *text = model_text(about->model_path, &h.model_size), *scene = NULL, *native = NULL;
    for (int k = 0; k < record->channels.count; k++)
        list[k] = (br_result_channel){record->channels.name[k], record->channels.channel[k].unit};
    br_status status = br_scene_text(sim, &scene, error);
    if (status == BR_OK && about->builder && !stands_alone(about->model_path, text, h.model_size))
        status = br_model_write_text(about->builder, NULL, &native, error);
    h.model_name = br_model_name(model);
    h.model_path = about->model_path;
    h.model_text = text;
    h.model_hash = br_model_hash(model);
    h.overrides = about->overrides;
    h.override_count = about->override_count;
    h.stepper = br_stepper_name(s->solver.stepper);
    h.notes = about->notes;
    h.until = about->until;
    h.output = about->interval;
    h.step = s->solver.step;
    h.channels = list;
    h.channel_count = record->channels.count;
    h.scene = scene;
    h.model_native = native;
    if (status == BR_OK) status = br_result_create(path, &h, NULL, &record->writer, error);
    br_text_free(scene);
    br_text_free(native);
    free(text);
    return status;
}

br_status cli_record_create(cli_record *record, const br_sim *sim, const cli_record_about *about,
                            const char *path, br_error *error) {
    br_result_channel *list = calloc((size_t)record->channels.count + 1, sizeof *list);
    const br_status status = list ? create(record, sim, about, list, path, error) : no_memory(error);
    free(list);
    return status;
}

// ----------------------------------------------------------------------------------------------------------- rows

static br_status more_contacts(cli_record *record, int count, br_error *error) {
    const int larger = count > 2 * record->contact_capacity ? count : 2 * record->contact_capacity;
    free(record->contact);
    free(record->contact_name);
    record->contact = calloc((size_t)larger, sizeof *record->contact);
    record->contact_name = calloc((size_t)larger, sizeof *record->contact_name);
    record->contact_capacity = record->contact && record->contact_name ? larger : 0;
    return record->contact_capacity > 0 ? BR_OK : no_memory(error);
}

// What touches at the time of the row, for pictures of it.
static br_status write_contacts(cli_record *record, const br_sim *sim, br_error *error) {
    const int count = br_sim_contact_count(sim);
    if (count == 0) return BR_OK;
    if (count > record->contact_capacity && more_contacts(record, count, error) != BR_OK) return BR_NO_MEMORY;
    for (int k = 0; k < count; k++) {
        br_contact c;
        char *name = record->contact_name[k];
        br_sim_contact(sim, k, &c);
        br_sim_contact_name(sim, k, name, BR_MAX_CONTACT_NAME);
        record->contact[k] = (br_result_contact){name,       c.state, c.point,
                                                 c.normal,   c.gap,   c.normal_force,
                                                 c.friction, c.slip,  c.friction_coefficient};
    }
    return br_result_contacts(record->writer, record->contact, count, error);
}

br_status cli_record_read(cli_record *record, br_sim *sim, br_error *error) {
    if (record->event_status == BR_OK) return cli_channels_read(&record->channels, sim, error);
    *error = record->event_error;
    return record->event_status;
}

br_status cli_record_write(cli_record *record, const br_sim *sim, br_error *error) {
    const br_status status = br_result_row(record->writer, record->channels.value, error);
    return status == BR_OK ? write_contacts(record, sim, error) : status;
}

void cli_record_event(void *context, const br_event *event) {
    cli_record *record = context;
    if (record->event_status == BR_OK)
        record->event_status = br_result_event(record->writer, event, &record->event_error);
}

br_status cli_record_finish(cli_record *record, const br_sim *sim, br_result_outcome outcome, double seconds,
                            const char *message, br_error *error) {
    br_result_end end;
    memset(&end, 0, sizeof end);
    end.outcome = outcome;
    end.t = br_sim_time(sim);
    end.seconds = seconds;
    end.ledger = br_sim_ledger(sim);
    if (message) snprintf(end.message, sizeof end.message, "%s", message);
    char *judgement = NULL;
    br_judgement judged;
    br_sim_judge(sim, &judged);
    br_status status = br_judgement_text(&judged, &judgement, error);
    end.judgement = judgement;
    if (status == BR_OK)
        status = br_result_finish(record->writer, &end, error);
    else
        br_result_abandon(record->writer);
    record->writer = NULL;
    br_text_free(judgement);
    return status;
}

void cli_record_free(cli_record *record) {
    br_result_abandon(record->writer);
    cli_channels_free(&record->channels);
    free(record->contact);
    free(record->contact_name);
    memset(record, 0, sizeof *record);
}
