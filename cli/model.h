// What the verbs that read a model share.
#ifndef BR_CLI_MODEL_H
#define BR_CLI_MODEL_H

#include "bristle/io.h"
#include "bristle/sim.h"
#include "cli.h"

enum { CLI_MAX_OVERRIDES = 256, CLI_MAX_CHANNEL_NAME = 3 * BR_MAX_NAME };

typedef struct cli_overrides {
    br_override item[CLI_MAX_OVERRIDES];
    int count;
} cli_overrides;

// Takes every `--set NAME=VALUE` out of argv, so that the option may be repeated. Prints what is wrong and returns 0;
// else 1.
int cli_take_overrides(const char *verb, int *argc, char **argv, cli_overrides *out);

// What the model's stepper does.
static inline const br_stepper_traits *cli_traits(const br_model *model) {
    return br_stepper_traits_of(br_model_settings(model)->solver.stepper);
}

// Finds the line of an error that names a field of the model, after the overrides taken last.
void cli_locate(br_error *error, const char *path);

// Prints the error, about `path` where it names no file, and returns the exit code of its status.
int cli_fail(br_error *error, const char *path);

// What the model says and its stepper leaves out: as an error (of the first, for --strict), as lines, as a list of objects (NULL: none).
br_status cli_refuse_dropped(const br_model *model, br_error *error);
void cli_print_dropped(FILE *out, const br_model *model);
void cli_json_dropped(br_json *json, const char *key, const br_model *model);

// What the stepper leaves out where the model runs, notes of the model and of its assembly, one line each; empty when there is
// nothing to say. To be freed; NULL when out of memory.
char *cli_notes(const br_model *model, const br_sim *sim, int runs);
// What closing the loops moved, from what to what, a line each: first what is given and could not be kept, CLI_MOST_CHANGES at most.
enum { CLI_MOST_CHANGES = 8, CLI_CHANGES_ROOM = (CLI_MOST_CHANGES + 1) * (BR_MAX_NAME + 160) };
void cli_describe_changes(const br_model *model, const br_sim *sim, char *notes, size_t size);
// Shapes that start inside each other and keep their depth, the deepest first, on one line; empty: there are none.
enum { CLI_START_ROOM = 2048 };
void cli_describe_start(const br_model *model, const br_sim *sim, char *notes, size_t size);
void cli_print_notes(FILE *out, const char *notes); // each behind the label "note"

// Whether the friction of a joint is a torque with slips in rad/s: a constant load of a joint that turns, without pin_radius.
int cli_friction_is_torque(const br_model *model, int joint);

// Whether `outputs` of the model names channels that there are; they are columns only with --csv, but never ignored.
br_status cli_check_outputs(const br_sim *sim, br_error *error);

void cli_json_assembly(br_json *json, const char *key, const br_sim *sim);
void cli_json_energy(br_json *json, const char *key, const br_energy *energy);

#endif
