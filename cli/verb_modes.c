// bristle modes MODEL: frequencies and shapes of small vibrations; of turning shafts critical speeds and Campbell's table.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/modes.h"
#include "bristle/result.h"
#include "bristle/statics.h"
#include "model.h"
#include "progress.h"

enum {
    MAX_PINS = 64,
    SHAPE_COLUMNS = 12,
    MODE_COLUMNS = 9,
    CAMPBELL_COLUMNS = 4,
    MAX_COLUMN_NAME = 2 * BR_MAX_NAME
};

typedef enum modes_kind { FIND, CRITICAL, CAMPBELL } modes_kind;

typedef struct modes_request {
    const char *path, *csv;
    int json, quiet, after_static;
    modes_kind kind;
    double from, to; // of Campbell's table, rad/s
    int speeds;
    br_modes_def def;
    const char *pin[MAX_PINS];
    char pins[1024];
    cli_overrides overrides;
} modes_request;

typedef struct modes_job {
    br_model *model;
    br_sim *sim;
    br_modes modes;
    br_criticals criticals;
    br_campbell campbell;
    br_static_report equilibrium;
    double seconds;
} modes_job;

// ----------------------------------------------------------------------------------------------------- arguments

// rad/s, or "3000 rpm".
static int read_speed(const char *text, char **end, double *out) {
    *out = strtod(text, end);
    if (*end == text || !isfinite(*out)) return 0;
    const char *unit = *end + strspn(*end, " ");
    if (strncmp(unit, "rpm", 3) == 0) {
        *out *= 2.0 * BR_PI / 60.0;
        *end += (unit - *end) + 3;
    } else if (strncmp(unit, "rad/s", 5) == 0) {
        *end += (unit - *end) + 5;
    }
    return 1;
}

static int parse_speed(const char *name, const char *text, double *out) {
    char *end;
    if (read_speed(text, &end, out) && *end == '\0') return 1;
    cli_usage_error("modes", "%s is '%s', expected a speed in rad/s, or such as \"3000 rpm\"", name, text);
    return 0;
}

static int parse_vector(const char *name, const char *text, br_vec3 *out) {
    double x[3];
    const char *p = text;
    int k = 0;
    for (; k < 3; k++) {
        char *end;
        x[k] = strtod(p, &end);
        if (end == p || !isfinite(x[k]) || *end != (k < 2 ? ',' : '\0')) break;
        p = end + 1;
    }
    *out = br_vec3_of(x[0], k > 1 ? x[1] : 0.0, k > 2 ? x[2] : 0.0);
    if (k == 3) return 1;
    cli_usage_error("modes", "%s is '%s', expected three numbers such as 1,0,0", name, text);
    return 0;
}

static int parse_campbell(const char *text, modes_request *r) {
    char *end, *last;
    if (read_speed(text, &end, &r->from) && *end == ':' && read_speed(end + 1, &end, &r->to) && *end == ':') {
        const long speeds = strtol(end + 1, &last, 10);
        r->speeds = (int)speeds;
        if (last != end + 1 && *last == '\0' && speeds >= 2 && speeds <= 10000) return 1;
    }
    cli_usage_error("modes", "--campbell is '%s', expected FROM:TO:SPEEDS such as 0:300:31, in rad/s", text);
    return 0;
}

static int parse_pins(const char *text, modes_request *r) {
    if (strlen(text) >= sizeof r->pins) {
        cli_usage_error("modes", "--pin is too long");
        return 0;
    }
    memcpy(r->pins, text, strlen(text) + 1);
    for (char *p = r->pins; p && r->def.pinned_count < MAX_PINS;) {
        char *comma = strchr(p, ',');
        if (comma) *comma = '\0';
        r->pin[r->def.pinned_count++] = p;
        p = comma ? comma + 1 : NULL;
    }
    r->def.pinned = r->pin;
    return 1;
}

static int check_request(const modes_request *r, int critical, const char *campbell, const char *spin) {
    if (critical + (campbell != NULL) + (spin != NULL) > 1) {
        cli_usage_error("modes", "--spin, --critical and --campbell are three questions; ask one at a time");
        return 0;
    }
    if (r->def.joint && br_vec3_norm(r->def.axis) > 0.0) {
        cli_usage_error("modes", "--joint and --axis both name an axis; give one");
        return 0;
    }
    return cli_check_csv("modes", r->csv, r->path, r->json);
}

static int modes_parse_request(int argc, char **argv, modes_request *r) {
    const char *count_text = NULL, *spin = NULL, *campbell = NULL, *axis = NULL, *about = NULL, *pins = NULL,
               *set = NULL;
    const char *plain[1] = {NULL};
    int count = 0, critical = 0;
    memset(r, 0, sizeof *r);
    r->def = br_default_modes_def();
    if (!cli_take_overrides("modes", &argc, argv, &r->overrides)) return 0;
    const cli_option options[] = {
        {"--count", &count_text, NULL}, {"--static", NULL, &r->after_static}, {"--pin", &pins, NULL},
        {"--spin", &spin, NULL},        {"--joint", &r->def.joint, NULL},     {"--axis", &axis, NULL},
        {"--about", &about, NULL},      {"--critical", NULL, &critical},      {"--campbell", &campbell, NULL},
        {"--csv", &r->csv, NULL},       {"--json", NULL, &r->json},           {"--quiet", NULL, &r->quiet},
        {"--set", &set, NULL}, // taken above; named here for the nearest spelling
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), plain, 1, &count)) return 0;
    if (count == 0) {
        cli_usage_error("modes", "expected a model file");
        return 0;
    }
    r->path = plain[0];
    r->kind = critical ? CRITICAL : campbell ? CAMPBELL : FIND;
    if (count_text && !cli_parse_whole("modes", "--count", count_text, 1, 10000, &r->def.count)) return 0;
    if (spin && !parse_speed("--spin", spin, &r->def.spin)) return 0;
    if (campbell && !parse_campbell(campbell, r)) return 0;
    if (axis && !parse_vector("--axis", axis, &r->def.axis)) return 0;
    if (axis && !(br_vec3_norm(r->def.axis) > 0.0)) {
        cli_usage_error("modes", "--axis is '%s', which has no direction", axis);
        return 0;
    }
    if (about && !parse_vector("--about", about, &r->def.about)) return 0;
    if (pins && !parse_pins(pins, r)) return 0;
    return check_request(r, critical, campbell, spin);
}

// --------------------------------------------------------------------------------------------------------- tables

typedef struct table {
    int columns;
    char (*name)[MAX_COLUMN_NAME];
    const char **names;
    double *row;
    br_csv *csv;
} table;

static int table_begin(table *t, int columns) {
    memset(t, 0, sizeof *t);
    t->name = calloc((size_t)columns + 1, sizeof *t->name);
    t->names = calloc((size_t)columns + 1, sizeof *t->names);
    t->row = calloc((size_t)columns + 1, sizeof *t->row);
    return t->name && t->names && t->row;
}

static void column(table *t, const char *first, const char *second) {
    snprintf(t->name[t->columns], MAX_COLUMN_NAME, "%s%s", first, second);
    t->names[t->columns] = t->name[t->columns];
    t->columns++;
}

static br_status table_open(table *t, const char *path, br_error *error) {
    return strcmp(path, "-") == 0 ? br_csv_attach(stdout, t->names, t->columns, NULL, &t->csv, error)
                                  : br_csv_create(path, t->names, t->columns, NULL, &t->csv, error);
}

static br_status table_end(table *t, br_status status, br_error *error) {
    if (status == BR_OK) {
        status = br_csv_close(t->csv, error);
        t->csv = NULL;
    }
    br_csv_abandon(t->csv);
    free(t->name);
    free(t->names);
    free(t->row);
    return status;
}

static double sign_of(br_whirl whirl) {
    return whirl == BR_WHIRL_FORWARD ? 1.0 : whirl == BR_WHIRL_BACKWARD ? -1.0 : 0.0;
}

// One line per mode: its numbers, then BODY.move.x ... of every body, real and imaginary.
static void shape_columns(table *t, const br_model *model, int bodies) {
    static const char *const parts[SHAPE_COLUMNS] = {".move.x",   ".move.y",   ".move.z",   ".turn.x",
                                                     ".turn.y",   ".turn.z",   ".move_i.x", ".move_i.y",
                                                     ".move_i.z", ".turn_i.x", ".turn_i.y", ".turn_i.z"};
    for (int b = 0; b < bodies; b++)
        for (int k = 0; k < SHAPE_COLUMNS; k++) column(t, br_model_body_name(model, b), parts[k]);
}

static void shape_row(double *row, const br_mode_point *p) {
    const br_vec3 v[4] = {p->move, p->turn, p->move_i, p->turn_i};
    for (int k = 0; k < SHAPE_COLUMNS; k++) row[k] = br_vec3_get(v[k / 3], k % 3);
}

static br_status write_modes(const modes_request *r, const modes_job *j, br_error *error) {
    static const char *const names[MODE_COLUMNS] = {"mode",  "frequency", "omega", "real", "damping",
                                                    "rigid", "rounding",  "fixed", "whirl"};
    const br_modes *m = &j->modes;
    table t;
    br_status status = table_begin(&t, MODE_COLUMNS + SHAPE_COLUMNS * m->bodies)
                           ? BR_OK
                           : cli_no_memory(error, "not enough memory");
    for (int k = 0; status == BR_OK && k < MODE_COLUMNS; k++) column(&t, names[k], "");
    if (status == BR_OK) {
        shape_columns(&t, j->model, m->bodies);
        status = table_open(&t, r->csv, error);
    }
    for (int k = 0; status == BR_OK && k < m->count; k++) {
        const br_mode *q = &m->mode[k];
        const double row[MODE_COLUMNS] = {k + 1.0,  q->frequency, q->imaginary, q->real,          q->damping,
                                          q->rigid, q->rounding,  q->fixed,     sign_of(q->whirl)};
        memcpy(t.row, row, sizeof row);
        for (int b = 0; b < m->bodies; b++)
            shape_row(t.row + MODE_COLUMNS + SHAPE_COLUMNS * b,
                      &m->shape[(size_t)k * (size_t)m->bodies + (size_t)b]);
        status = br_csv_row(t.csv, t.row, error);
    }
    return table_end(&t, status, error);
}

static br_status write_criticals(const modes_request *r, const modes_job *j, br_error *error) {
    table t;
    br_status status = table_begin(&t, 3) ? BR_OK : cli_no_memory(error, "not enough memory");
    if (status == BR_OK) {
        column(&t, "zone", ""), column(&t, "from", ""), column(&t, "to", "");
        status = table_open(&t, r->csv, error);
    }
    for (int k = 0; status == BR_OK && k < j->criticals.count; k++) {
        const br_critical_zone z = j->criticals.zone[k];
        t.row[0] = k + 1, t.row[1] = z.from, t.row[2] = isfinite(z.to) ? z.to : 0.0; // 0: no end was found
        status = br_csv_row(t.csv, t.row, error);
    }
    return table_end(&t, status, error);
}

// One line per speed: for every mode what is seen beside the shaft and from it, growth, and the sense of whirl.
static br_status write_campbell(const modes_request *r, const modes_job *j, br_error *error) {
    static const char *const names[CAMPBELL_COLUMNS] = {"fixed_", "whirl_", "rotating_", "real_"};
    const br_campbell *c = &j->campbell;
    table t;
    br_status status =
        table_begin(&t, 1 + CAMPBELL_COLUMNS * c->count) ? BR_OK : cli_no_memory(error, "not enough memory");
    if (status == BR_OK) column(&t, "spin", "");
    for (int k = 0; status == BR_OK && k < CAMPBELL_COLUMNS * c->count; k++) {
        char number[16];
        snprintf(number, sizeof number, "%d", k / CAMPBELL_COLUMNS + 1);
        column(&t, names[k % CAMPBELL_COLUMNS], number);
    }
    if (status == BR_OK) status = table_open(&t, r->csv, error);
    for (int s = 0; status == BR_OK && s < c->speeds; s++) {
        t.row[0] = c->spin[s];
        for (int k = 0; k < c->count; k++) {
            const br_mode *q = &c->mode[(size_t)s * (size_t)c->count + (size_t)k];
            const double row[CAMPBELL_COLUMNS] = {q->fixed, sign_of(q->whirl), q->imaginary, q->real};
            if (!isfinite(q->fixed)) continue; // a line that ended keeps its last numbers
            memcpy(t.row + 1 + CAMPBELL_COLUMNS * k, row, sizeof row);
        }
        status = br_csv_row(t.csv, t.row, error);
    }
    return table_end(&t, status, error);
}

static br_status write_csv(const modes_request *r, const modes_job *j, br_error *error) {
    if (!r->csv) return BR_OK;
    if (r->kind == CRITICAL) return write_criticals(r, j, error);
    return r->kind == CAMPBELL ? write_campbell(r, j, error) : write_modes(r, j, error);
}

// ---------------------------------------------------------------------------------------------------------- text

static double rpm(double speed) {
    return speed * 60.0 / (2.0 * BR_PI);
}

static void print_modes(FILE *out, const modes_request *r, const br_modes *m) {
    const int spin = r->def.spin != 0.0;
    fprintf(out, "freedom     %d; %d rows, %d redundant; %d rigid motion%s\n", m->freedom, m->rows,
            m->redundant, m->rigid, m->rigid == 1 ? "" : "s");
    if (m->basis < m->freedom) fprintf(out, "basis       the %d lowest undamped modes at rest\n", m->basis);
    if (spin) fprintf(out, "spin        %.9g rad/s (%.6g rpm)\n", r->def.spin, rpm(r->def.spin));
    fprintf(out, "  mode          Hz            rad/s      damping%s\n",
            spin ? "      seen beside, rad/s" : "");
    for (int k = 0; k < m->count; k++) {
        const br_mode *q = &m->mode[k];
        fprintf(out, "  %4d %15.9g %15.9g %12.6g", k + 1, q->frequency, q->imaginary, q->damping);
        if (spin && !q->rigid) fprintf(out, " %15.9g  %s", q->fixed, br_whirl_name(q->whirl));
        if (q->rigid) fputs("  rigid", out);
        if (!q->rigid && q->real > 0.0) fprintf(out, "  grows at %.6g 1/s", q->real);
        if (!q->rigid && q->imaginary == 0.0 && q->real < 0.0) fprintf(out, "  decays at %.6g 1/s", -q->real);
        if (q->rounding > 1e-6) fprintf(out, "  +- %.1g %% by rounding", 100.0 * q->rounding);
        fputc('\n', out);
    }
}

// Without what turning a frame leaves of a zero.
static double cleaned(double x) {
    return fabs(x) < 1e-14 ? 0.0 : x;
}

static void print_criticals(FILE *out, const br_criticals *c) {
    fprintf(out, "axis        [%.6g, %.6g, %.6g] through (%.6g, %.6g, %.6g)\n", cleaned(c->axis.x),
            cleaned(c->axis.y), cleaned(c->axis.z), cleaned(c->about.x), cleaned(c->about.y),
            cleaned(c->about.z));
    if (c->count == 0) fprintf(out, "critical    no speed is\n");
    for (int k = 0; k < c->count; k++) {
        const br_critical_zone z = c->zone[k];
        if (z.to - z.from <= 1e-7 * z.from)
            fprintf(out, "critical    %.9g rad/s (%.6g rpm)\n", z.from, rpm(z.from));
        else if (isfinite(z.to))
            fprintf(out, "critical    %.9g to %.9g rad/s (%.6g to %.6g rpm)\n", z.from, z.to, rpm(z.from),
                    rpm(z.to));
        else
            fprintf(out, "critical    from %.9g rad/s (%.6g rpm) on\n", z.from, rpm(z.from));
    }
}

static void print_campbell(FILE *out, const br_campbell *c) {
    fprintf(out, "  spin, rad/s   seen beside the shaft, rad/s: f forward, b backward, * grows\n");
    for (int s = 0; s < c->speeds; s++) {
        fprintf(out, "  %11.6g", c->spin[s]);
        for (int k = 0; k < c->count; k++) {
            const br_mode *q = &c->mode[(size_t)s * (size_t)c->count + (size_t)k];
            if (!isfinite(q->fixed)) continue;
            fprintf(out, " %11.6g%c%c", q->fixed,
                    q->whirl == BR_WHIRL_FORWARD    ? 'f'
                    : q->whirl == BR_WHIRL_BACKWARD ? 'b'
                                                    : ' ',
                    q->real > 1e-9 * q->imaginary && q->real > 0.0 ? '*' : ' ');
        }
        fputc('\n', out);
    }
}

static const char *notes_of(const modes_request *r, const modes_job *j) {
    return r->kind == CRITICAL   ? j->criticals.notes
           : r->kind == CAMPBELL ? j->campbell.notes
                                 : j->modes.notes;
}

static void report_text(FILE *out, const modes_request *r, const modes_job *j) {
    fprintf(out, "model       %s (%s), %.3f s\n", br_model_name(j->model), r->path, j->seconds);
    if (r->after_static)
        fprintf(out, "equilibrium under the loads, %d steps, largest displacement %.6g m\n",
                j->equilibrium.points, j->equilibrium.last.displacement);
    if (r->kind == CRITICAL)
        print_criticals(out, &j->criticals);
    else if (r->kind == CAMPBELL)
        print_campbell(out, &j->campbell);
    else
        print_modes(out, r, &j->modes);
    cli_print_notes(out, br_model_notes(j->model));
    cli_print_notes(out, notes_of(r, j));
    if (r->csv && strcmp(r->csv, "-") != 0) fprintf(out, "csv         %s\n", r->csv);
}

// ---------------------------------------------------------------------------------------------------------- JSON

static void json_mode(br_json *o, const br_mode *q, int spin) {
    br_json_number(o, "frequency", q->frequency);
    br_json_number(o, "omega", q->imaginary);
    br_json_number(o, "real", q->real);
    br_json_number(o, "damping", q->damping);
    br_json_number(o, "rounding", q->rounding);
    br_json_bool(o, "rigid", q->rigid);
    if (!spin) return;
    br_json_number(o, "fixed", q->fixed);
    br_json_string(o, "whirl", q->whirl == BR_WHIRL_NONE ? NULL : br_whirl_name(q->whirl));
    br_json_number(o, "circular", q->circular);
}

static void json_vector(br_json *o, const char *key, br_vec3 v) {
    const double x[3] = {v.x, v.y, v.z};
    br_json_numbers(o, key, x, 3);
}

static void json_modes(br_json *json, const modes_request *r, const modes_job *j) {
    const br_modes *m = &j->modes;
    br_json_whole(json, "freedom", m->freedom);
    br_json_whole(json, "rows", m->rows);
    br_json_whole(json, "redundant", m->redundant);
    br_json_whole(json, "basis", m->basis);
    br_json_whole(json, "rigid", m->rigid);
    br_json_number(json, "spin", r->def.spin);
    br_json_number(json, "unbalanced", m->unbalanced);
    br_json list = br_json_list(json, "modes");
    for (int k = 0; k < m->count; k++) {
        br_json o = br_json_object(&list, NULL);
        json_mode(&o, &m->mode[k], r->def.spin != 0.0);
        br_json shape = br_json_object(&o, "shape");
        for (int b = 0; b < m->bodies; b++) {
            const br_mode_point *p = &m->shape[(size_t)k * (size_t)m->bodies + (size_t)b];
            br_json body = br_json_object(&shape, br_model_body_name(j->model, b));
            json_vector(&body, "move", p->move), json_vector(&body, "turn", p->turn);
            json_vector(&body, "move_i", p->move_i), json_vector(&body, "turn_i", p->turn_i);
            br_json_close_object(&body);
        }
        br_json_close_object(&shape);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void json_criticals(br_json *json, const br_criticals *c) {
    json_vector(json, "axis", c->axis), json_vector(json, "about", c->about);
    br_json list = br_json_list(json, "zones");
    for (int k = 0; k < c->count; k++) {
        const double zone[2] = {c->zone[k].from, c->zone[k].to};
        br_json_numbers(&list, NULL, zone, 2);
    }
    br_json_close_list(&list);
}

static void json_campbell(br_json *json, const br_campbell *c) {
    br_json list = br_json_list(json, "speeds");
    for (int s = 0; s < c->speeds; s++) {
        br_json o = br_json_object(&list, NULL);
        br_json_number(&o, "spin", c->spin[s]);
        br_json modes = br_json_list(&o, "modes");
        for (int k = 0; k < c->count; k++) {
            const br_mode *q = &c->mode[(size_t)s * (size_t)c->count + (size_t)k];
            if (!isfinite(q->fixed)) continue;
            br_json one = br_json_object(&modes, NULL);
            json_mode(&one, q, 1);
            br_json_close_object(&one);
        }
        br_json_close_list(&modes);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void report_json(const modes_request *r, const modes_job *j) {
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", "complete");
    br_json_string(&json, "model", br_model_name(j->model));
    br_json_string(&json, "file", r->path);
    br_json_bool(&json, "static", r->after_static);
    br_json_number(&json, "seconds", j->seconds);
    if (r->kind == CRITICAL)
        json_criticals(&json, &j->criticals);
    else if (r->kind == CAMPBELL)
        json_campbell(&json, &j->campbell);
    else
        json_modes(&json, r, j);
    br_json_lines(&json, "notes", notes_of(r, j));
    br_json_string(&json, "csv", r->csv);
    br_json_end(&json);
}

// ---------------------------------------------------------------------------------------------------------- verb

// Equilibrium is the implicit stepper's; modes themselves take any model.
static void choose_stepper(modes_request *r) {
    for (int k = 0; k < r->overrides.count; k++)
        if (strcmp(r->overrides.item[k].name, "solver.stepper") == 0) return;
    if (r->after_static && r->overrides.count < CLI_MAX_OVERRIDES)
        r->overrides.item[r->overrides.count++] = (br_override){"solver.stepper", "implicit"};
}

static br_status answer(modes_request *r, modes_job *j, br_error *error) {
    choose_stepper(r);
    br_status status =
        br_model_read(r->path, r->overrides.item, r->overrides.count, NULL, &j->model, NULL, error);
    if (status == BR_OK) status = br_sim_create(j->model, NULL, &j->sim, error);
    if (status == BR_OK && r->after_static) {
        const br_static_settings settings = br_default_static_settings();
        status = br_sim_static(j->sim, &settings, NULL, NULL, &j->equilibrium, error);
    }
    if (status != BR_OK) return status;
    const double begin = cli_seconds();
    if (r->kind == CRITICAL)
        status = br_modes_critical(j->sim, &r->def, &j->criticals, error);
    else if (r->kind == CAMPBELL)
        status = br_modes_campbell(j->sim, &r->def, r->from, r->to, r->speeds, &j->campbell, error);
    else
        status = br_modes_find(j->sim, &r->def, &j->modes, error);
    j->seconds = cli_seconds() - begin;
    return status == BR_OK ? write_csv(r, j, error) : status;
}

static int verb_modes(int argc, char **argv) {
    modes_request r;
    modes_job j;
    br_error error;
    int code = EXIT_FINE;
    memset(&j, 0, sizeof j);
    memset(&error, 0, sizeof error);
    if (!modes_parse_request(argc, argv, &r)) return EXIT_USAGE;
    if (answer(&r, &j, &error) != BR_OK)
        code = cli_fail(&error, r.path);
    else if (r.json)
        report_json(&r, &j);
    else if (!r.quiet)
        report_text(r.csv && strcmp(r.csv, "-") == 0 ? stderr : stdout, &r, &j);
    br_modes_free(&j.modes);
    br_criticals_free(&j.criticals);
    br_campbell_free(&j.campbell);
    br_sim_destroy(j.sim);
    br_model_destroy(j.model);
    return code;
}

const cli_verb cli_verb_modes = {
    .name = "modes",
    .summary = "frequencies and shapes of small vibrations; critical speeds, Campbell table of shafts",
    .help =
        "bristle modes MODEL [options]\n\n"
        "Small vibrations about the initial configuration: joints and drives hold, springs and beams are as "
        "they are\n"
        "with the forces that they carry. Friction, contacts and open clearances are left out.\n\n"
        "  --count N            modes besides the rigid motions (default 10)\n"
        "  --static             about the equilibrium under the model's loads, see bristle static\n"
        "  --pin A,B            clearances that hold: no motion across them\n"
        "  --spin RATE          everything turns about an axis: rad/s, or \"3000 rpm\"\n"
        "  --critical           the speeds at which a turning shaft loses its stiffness, as zones\n"
        "  --campbell A:B:N     frequencies at N speeds from A to B rad/s\n"
        "  --joint NAME         the axis is this joint's; default: the one that joints have with the world\n"
        "  --axis X,Y,Z         or given, through --about X,Y,Z (default 0,0,0)\n"
        "  --csv FILE           a line per mode with the moves and turns of every body, per zone, or per "
        "speed; -: stdout\n"
        "  --set NAME=VALUE     changes a parameter or a key of the file; repeatable\n"
        "  --json               one JSON object on stdout, shapes included\n"
        "  --quiet              no text\n\n"
        "Exit codes: 0 fine, 1 usage, model or file, 2 numerical failure.\n",
    .run = verb_modes,
};
