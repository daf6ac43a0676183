#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bristle/contact.h"

// ------------------------------------------------------------------------------------------------------- --set

static cli_overrides given; // the last that were taken: a place in the file may be one of them

// `--set mu = 0.3` and `--set push=5 N` reach the program as several words.
static int is_cut(const char *verb, const char *text, const char *after, const char *last) {
    struct stat s;
    if (!text || !after || after[0] == '-') return 0;
    const char *equals = strchr(text, '=');
    if (!equals && after[0] == '=') {
        cli_usage_error(verb, "--set %s %s: no blanks around =, write --set %s=%s", text, after, text,
                        after[1] ? after + 1
                        : last   ? last
                                 : "VALUE");
        return 1;
    }
    const size_t n = strlen(text);
    const int number = equals && n > 0 && text[n - 1] >= '0' && text[n - 1] <= '9';
    if (!number || strcspn(after, "./") < strlen(after) || stat(after, &s) == 0) return 0;
    cli_usage_error(verb, "--set %s %s: a value with blanks is quoted, write --set \"%s %s\"", text, after,
                    text, after);
    return 1;
}

static int add_override(const char *verb, char *text, cli_overrides *out) {
    char *equals = text ? strchr(text, '=') : NULL;
    if (!equals || equals == text) {
        cli_usage_error(verb, "--set %s: expected NAME=VALUE, such as mu=0.3 or \"solver.step=2 ms\"",
                        text ? text : "");
        return 0;
    }
    if (out->count == CLI_MAX_OVERRIDES) {
        cli_usage_error(verb, "more than %d times --set", CLI_MAX_OVERRIDES);
        return 0;
    }
    *equals = '\0';
    out->item[out->count++] = (br_override){text, equals + 1};
    return 1;
}

int cli_take_overrides(const char *verb, int *argc, char **argv, cli_overrides *out) {
    int kept = 1, k = 1;
    out->count = 0;
    for (; k < *argc && strcmp(argv[k], "--") != 0; k++) {
        char *text = NULL;
        if (strncmp(argv[k], "--set=", 6) == 0)
            text = argv[k] + 6;
        else if (strcmp(argv[k], "--set") == 0)
            text = k + 1 < *argc ? argv[++k] : NULL;
        else {
            argv[kept++] = argv[k];
            continue;
        }
        if (is_cut(verb, text, k + 1 < *argc ? argv[k + 1] : NULL, k + 2 < *argc ? argv[k + 2] : NULL) ||
            !add_override(verb, text, out))
            return 0;
    }
    for (; k < *argc; k++) argv[kept++] = argv[k];
    *argc = kept;
    given = *out;
    return 1;
}

// ------------------------------------------------------------------------------------------------------ messages

void cli_locate(br_error *error, const char *path) {
    br_model_locate(path, given.item, given.count, error);
}

int cli_fail(br_error *error, const char *path) {
    cli_locate(error, path);
    if (error->file[0] == '\0') snprintf(error->file, sizeof error->file, "%s", path);
    cli_print_error(error);
    return error->status == BR_NUMERICAL ? EXIT_NUMERICAL : EXIT_USAGE;
}

br_status cli_refuse_dropped(const br_model *model, br_error *error) {
    br_dropped first;
    if (!br_model_dropped(model, 0, &first)) return BR_OK;
    const br_status status = cli_error(error, BR_INVALID, "run-dropped", NULL, 0, "%s", first.text);
    snprintf(error->path, sizeof error->path, "%s", first.path);
    return status;
}

void cli_print_dropped(FILE *out, const br_model *model) {
    br_dropped dropped;
    for (int k = 0; br_model_dropped(model, k, &dropped); k++) fprintf(out, "left out    %s\n", dropped.text);
}

void cli_json_dropped(br_json *json, const char *key, const br_model *model) {
    br_json list = br_json_list(json, key);
    br_dropped dropped;
    for (int k = 0; model && br_model_dropped(model, k, &dropped); k++) {
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "element", dropped.element);
        br_json_string(&o, "key", dropped.key);
        br_json_string(&o, "stepper", br_stepper_name(dropped.stepper));
        br_json_bool(&o, "in_part", dropped.in_part);
        br_json by = br_json_list(&o, "followed_by");
        for (int s = 0; s < BR_STEPPERS; s++)
            if (dropped.followed >> s & 1u) br_json_string(&by, NULL, br_stepper_name((br_stepper)s));
        br_json_close_list(&by);
        br_json_string(&o, "text", dropped.text);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

// What the stepper leaves out, a line each, then the model's own notes.
static size_t copy_notes(const br_model *model, int dropped_count, char *notes, size_t size) {
    br_dropped dropped;
    size_t used = 0;
    for (int k = 0; k < dropped_count && br_model_dropped(model, k, &dropped); k++)
        used += (size_t)snprintf(notes + used, size - used, "%s\n", dropped.text);
    const size_t n = strlen(br_model_notes(model));
    memcpy(notes + used, br_model_notes(model), n + 1);
    used += n;
    if (n > 0 && notes[used - 1] != '\n') notes[used++] = '\n';
    notes[used] = '\0';
    return used;
}

// "joint elbow starts at 0.41 rad, 0.3 rad as the bodies stand", or why a given position is another one.
static size_t describe_change(const br_assembly_change *c, int several, char *text, size_t size) {
    const char *unit = c->is_angle ? "rad" : "m";
    char which[16] = "";
    if (several && c->coordinate >= 0) snprintf(which, sizeof which, ".%d", c->coordinate);
    const int used =
        c->coordinate < 0
            ? snprintf(text, size, "joint %s was turned by %.6g rad%s\n", c->joint, c->to,
                       c->given ? ": no way was found to close the loops with what is given" : "")
        : c->given
            ? snprintf(text, size,
                       "joint %s%s starts at %.6g %s: the loops cannot be closed with the %.6g %s that are "
                       "given\n",
                       c->joint, which, c->to, unit, c->from, unit)
            : snprintf(text, size, "joint %s%s starts at %.6g %s, where the bodies stand it is at %.6g %s\n",
                       c->joint, which, c->to, unit, c->from, unit);
    return used < 0 ? 0 : (size_t)used < size ? (size_t)used : size - 1;
}

void cli_describe_changes(const br_model *model, const br_sim *sim, char *notes, size_t size) {
    br_assembly_change c;
    int told = 0, all = 0;
    size_t used = 0;
    notes[0] = '\0';
    for (int first = 1; first >= 0; first--)
        for (int k = 0; br_sim_assembly_change(sim, k, &c); k++) {
            const br_joint_type type = br_model_joint_type(model, br_model_joint_find(model, c.joint));
            if (!c.given != !first) continue;
            if (all++ >= CLI_MOST_CHANGES) continue;
            used += describe_change(&c, br_joint_type_positions(type) > 1, notes + used, size - used);
            told++;
        }
    if (all > told)
        snprintf(notes + used, size - used, "%d more coordinates were moved to close the loops\n",
                 all - told);
}

static int is_same_pair(const br_contact *a, const br_contact *b) {
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

// The deepest contact that starts inside, of two shapes that are not among `told`; 0: there is none.
static int next_deepest(const br_sim *sim, const br_contact *told, int count, br_contact *out) {
    int found = 0;
    for (int k = 0; k < br_sim_contact_count(sim); k++) {
        br_contact c;
        int again = 0;
        br_sim_contact(sim, k, &c);
        for (int i = 0; i < count; i++) again |= is_same_pair(&told[i], &c);
        if (c.start_depth > 0.0 && !again && (!found || c.start_depth > out->start_depth))
            *out = c, found = 1;
    }
    return found;
}

void cli_describe_start(const br_model *model, const br_sim *sim, char *notes, size_t size) {
    enum { MOST = 4 };
    br_contact told[MOST + 1] = {{0}}; // the last: whether there are more
    int inside = 0, count = 0;
    notes[0] = '\0';
    for (int k = 0; k < br_sim_contact_count(sim); k++) {
        br_contact c;
        br_sim_contact(sim, k, &c);
        inside += c.start_depth > 0.0;
    }
    if (inside == 0) return;
    size_t used = (size_t)snprintf(
        notes, size, "%d contact%s inside and keep%s %s depth (start: {penetration: settle}): ", inside,
        inside > 1 ? "s start" : " starts", inside > 1 ? "" : "s", inside > 1 ? "their" : "its");
    for (; count < MOST && next_deepest(sim, told, count, &told[count]); count++)
        used += (size_t)snprintf(notes + used, size - used, "%s%s in %s by %.3g m", count > 0 ? ", " : "",
                                 br_model_shape_name(model, told[count].shape_a),
                                 br_model_shape_name(model, told[count].shape_b), told[count].start_depth);
    snprintf(notes + used, size - used, "%s\n", next_deepest(sim, told, count, &told[MOST]) ? ", ..." : "");
}

char *cli_notes(const br_model *model, const br_sim *sim, int runs) {
    enum { ROOM = 512 + CLI_CHANGES_ROOM + CLI_START_ROOM };
    int dropped = 0;
    while (runs && br_model_dropped(model, dropped, NULL)) dropped++;
    const size_t most = (size_t)dropped * (BR_MAX_ERROR_TEXT + 1) + strlen(br_model_notes(model)) + 2;
    char *notes = malloc(most + ROOM);
    if (!notes) return NULL;
    size_t used = copy_notes(model, dropped, notes, most);
    const br_assembly *a = sim ? br_sim_assembly(sim) : NULL;
    const int joint = a && br_model_joint_find(model, a->worst) >= 0;
    if (a && a->moved)
        used += (size_t)snprintf(
            notes + used, 256, "loops were assembled: %s %s was %s by %.3g (m or rad), now %.1e\n",
            joint ? "joint" : "drive", a->worst, joint ? "open" : "off", a->loop_error_before, a->loop_error);
    if (a && a->velocities_changed)
        used += (size_t)snprintf(
            notes + used, 256,
            "velocities were made consistent: they disagreed with joints or drives by %.3g (m/s or rad/s)\n",
            a->velocity_error_before);
    if (a && a->moved) cli_describe_changes(model, sim, notes + used, CLI_CHANGES_ROOM);
    used += strlen(notes + used);
    if (sim) cli_describe_start(model, sim, notes + used, CLI_START_ROOM);
    return notes;
}

void cli_print_notes(FILE *out, const char *notes) {
    for (const char *p = notes; *p;) {
        const size_t n = strcspn(p, "\n");
        if (n > 0) fprintf(out, "note        %.*s\n", (int)n, p);
        p += n + (p[n] == '\n');
    }
}

// ---------------------------------------------------------------------------------------------------------- JSON

br_status cli_check_outputs(const br_sim *sim, br_error *error) {
    br_channels *found = NULL;
    if (br_model_settings(br_sim_model(sim))->output_count == 0) return BR_OK;
    const br_status status = br_channels_choose(sim, BR_CHANNELS_OUTPUTS, NULL, &found, error);
    br_channels_destroy(found);
    return status;
}

void cli_json_assembly(br_json *json, const char *key, const br_sim *sim) {
    const br_assembly *a = br_sim_assembly(sim);
    br_assembly_change c;
    br_json o = br_json_object(json, key);
    br_json_whole(&o, "iterations", a->iterations);
    br_json_number(&o, "loop_error_before", a->loop_error_before);
    br_json_number(&o, "loop_error", a->loop_error);
    br_json_number(&o, "velocity_error_before", a->velocity_error_before);
    br_json_bool(&o, "moved", a->moved);
    br_json_bool(&o, "velocities_changed", a->velocities_changed);
    br_json_string(&o, "worst", a->worst[0] ? a->worst : NULL);
    br_json list = br_json_list(&o, "changes");
    for (int k = 0; br_sim_assembly_change(sim, k, &c); k++) {
        br_json change = br_json_object(&list, NULL);
        br_json_string(&change, "joint", c.joint);
        br_json_whole(&change, "coordinate", c.coordinate);
        br_json_number(&change, "from", c.from);
        br_json_number(&change, "to", c.to);
        br_json_bool(&change, "given", c.given);
        br_json_close_object(&change);
    }
    br_json_close_list(&list);
    br_json_close_object(&o);
}

void cli_json_energy(br_json *json, const char *key, const br_energy *e) {
    br_json o = br_json_object(json, key);
    br_json_number(&o, "kinetic", e->kinetic);
    br_json_number(&o, "potential", e->potential);
    br_json_number(&o, "elastic", e->elastic);
    br_json_number(&o, "total", e->total);
    br_json_close_object(&o);
}

int cli_friction_is_torque(const br_model *model, int joint) {
    const br_friction_def *f = br_model_joint_friction(model, joint);
    return f && f->load_constant && br_joint_type_turns(br_model_joint_type(model, joint)) &&
           !(f->pin_radius > 0.0);
}
