// bristle static MODEL: equilibrium under the model's loads, by steps of the load or along the arc.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/result.h"
#include "bristle/statics.h"
#include "model.h"
#include "progress.h"

enum { MAX_LINES = 24 }; // of the path in the text

typedef struct static_request {
    const char *path, *csv, *channels;
    int json, quiet;
    br_static_settings settings;
    cli_overrides overrides;
} static_request;

typedef struct static_job {
    br_model *model;
    br_sim *sim;
    char *notes;
    br_channels *channels; // of the table
    double *values;        // of them
    int first;             // of the channels that are columns: t is one only where it was asked for
    const char **columns;
    double *row;
    br_csv *csv;
    br_static_point *point;
    int points;
    br_static_report report;
    br_status status; // of what the callback does
    br_error error;
    double seconds;
} static_job;

// ----------------------------------------------------------------------------------------------------- arguments

static int parse_factor(const char *text, double *out) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || value == 0.0) {
        cli_usage_error("static", "--until is '%s', expected a load factor, a number that is not 0", text);
        return 0;
    }
    *out = value;
    return 1;
}

static int check_request(const static_request *r) {
    for (int k = 0; k < r->overrides.count; k++)
        if (strcmp(r->overrides.item[k].name, "solver.stepper") == 0) {
            cli_usage_error(
                "static",
                "--set solver.stepper has no meaning here: equilibrium is the same for all of them");
            return 0;
        }
    if (r->channels && !r->csv) {
        cli_usage_error("static", "--channels are the columns of --csv FILE, which is missing");
        return 0;
    }
    return cli_check_csv("static", r->csv, r->path, r->json);
}

static int static_parse_request(int argc, char **argv, static_request *r) {
    const char *until = NULL, *steps = NULL, *most = NULL, *set = NULL, *plain[1] = {NULL};
    int count = 0;
    memset(r, 0, sizeof *r);
    r->settings = br_default_static_settings();
    if (!cli_take_overrides("static", &argc, argv, &r->overrides)) return 0;
    const cli_option options[] = {
        {"--csv", &r->csv, NULL},     {"--channels", &r->channels, NULL},
        {"--until", &until, NULL},    {"--steps", &steps, NULL},
        {"--max-steps", &most, NULL}, {"--arc", NULL, &r->settings.arc},
        {"--json", NULL, &r->json},   {"--quiet", NULL, &r->quiet},
        {"--set", &set, NULL}, // taken above; named here for the nearest spelling
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), plain, 1, &count)) return 0;
    if (count == 0) {
        cli_usage_error("static", "expected a model file");
        return 0;
    }
    r->path = plain[0];
    if (until && !parse_factor(until, &r->settings.until)) return 0;
    if (steps && !cli_parse_whole("static", "--steps", steps, 1, 1000000, &r->settings.steps)) return 0;
    if (most && !cli_parse_whole("static", "--max-steps", most, 1, 1000000, &r->settings.max_steps)) return 0;
    if (!most && r->settings.max_steps < r->settings.steps) r->settings.max_steps = r->settings.steps;
    return check_request(r);
}

// --------------------------------------------------------------------------------------------------------- files

static const char no_memory[] = "not enough memory";

// "a,b,c" as names in place.
static br_status choose_listed(static_job *j, const char *list, br_error *error) {
    char *text = strdup(list);
    const char **names = calloc(strlen(list) + 1, sizeof *names);
    br_status status = text && names ? BR_OK : cli_no_memory(error, no_memory);
    int count = 0, has_time = 0;
    if (status == BR_OK) {
        for (char *p = text; p;) {
            char *comma = strchr(p, ',');
            if (comma) *comma = '\0';
            has_time |= strcmp(p, "t") == 0;
            names[count++] = p;
            p = comma ? comma + 1 : NULL;
        }
        status = br_channels_named(j->sim, names, count, NULL, &j->channels, error);
        j->first = has_time ? 0 : 1;
    }
    free(names);
    free(text);
    return status;
}

static br_status open_csv(const static_request *r, static_job *j, br_error *error) {
    br_status status = cli_check_outputs(j->sim, error);
    if (status != BR_OK || !r->csv) return status;
    if (r->channels) {
        status = choose_listed(j, r->channels, error);
    } else {
        status = br_channels_choose(j->sim, BR_CHANNELS_OUTPUTS, NULL, &j->channels, error);
        j->first = 1;
    }
    if (status != BR_OK) return status;
    const int count = br_channels_count(j->channels) - j->first;
    j->columns = calloc((size_t)count + 1, sizeof *j->columns);
    j->row = calloc((size_t)count + 1, sizeof *j->row);
    j->values = calloc((size_t)count + 2, sizeof *j->values);
    if (!j->columns || !j->row || !j->values) return cli_no_memory(error, no_memory);
    j->columns[0] = "factor";
    for (int k = 0; k < count; k++) j->columns[k + 1] = br_channels_names(j->channels)[j->first + k];
    return strcmp(r->csv, "-") == 0 ? br_csv_attach(stdout, j->columns, count + 1, NULL, &j->csv, error)
                                    : br_csv_create(r->csv, j->columns, count + 1, NULL, &j->csv, error);
}

static br_status write_row(static_job *j, double factor) {
    const int count = br_channels_count(j->channels) - j->first;
    br_status status = br_channels_read(j->channels, j->sim, j->values, &j->error);
    if (status != BR_OK) return status;
    j->row[0] = factor;
    for (int k = 0; k < count; k++) j->row[k + 1] = j->values[j->first + k];
    return br_csv_row(j->csv, j->row, &j->error);
}

static int on_point(void *context, const br_static_point *point) {
    static_job *j = context;
    br_static_point *grown = realloc(j->point, ((size_t)j->points + 1) * sizeof *grown);
    if (!grown) {
        j->status = cli_no_memory(&j->error, no_memory);
        return 1;
    }
    j->point = grown;
    j->point[j->points++] = *point;
    if (j->csv) j->status = write_row(j, point->factor);
    return j->status != BR_OK;
}

// ---------------------------------------------------------------------------------------------------------- text

static const char *body_name(const static_job *j, const br_static_point *p) {
    return br_model_body_count(j->model) > 0 ? br_model_body_name(j->model, p->body) : "";
}

// A word for each point of the table.
static void word_of(const br_static_point *p, char *out, size_t size) {
    if (p->unstable < 0)
        snprintf(out, size, "%s", p->determinant < 0 ? "unstable" : "not judged");
    else if (p->unstable > 0 && p->flutter > 0)
        snprintf(out, size, "unstable: %d, flutter: %d", p->unstable, p->flutter);
    else if (p->unstable > 0)
        snprintf(out, size, "unstable: %d", p->unstable);
    else if (p->flutter > 0)
        snprintf(out, size, "flutter: %d", p->flutter);
    else
        snprintf(out, size, p->neutral > 0 ? "neutral: %d" : "stable", p->neutral);
}

static void print_path(FILE *out, const static_job *j) {
    const int every = (j->points + MAX_LINES - 1) / MAX_LINES;
    fprintf(out, "  step          factor  iterations  residual  displacement, m\n");
    for (int k = 0; k < j->points; k++) {
        const br_static_point *p = &j->point[k];
        char word[64];
        if (k % (every > 0 ? every : 1) != 0 && k + 1 < j->points) continue;
        word_of(p, word, sizeof word);
        fprintf(out, "  %4d %15.9g %11d  %8.1e  %-14.9g %s   %s\n", p->step, p->factor, p->iterations,
                p->residual, p->displacement, body_name(j, p), word);
    }
}

static const char *plural(int count) {
    return count == 1 ? "" : "s";
}

// Of the last point: what it says, and what was not looked at.
static void print_stability(FILE *out, const static_job *j) {
    const br_static_point *p = &j->report.last;
    fprintf(out, "stability   at the load factor %.12g: ", p->factor);
    if (p->unstable < 0)
        fprintf(out, "%s\n",
                p->determinant < 0 ? "unstable, as the stiffness has a negative determinant"
                                   : "not judged: the loads have no potential, and the model is too large to "
                                     "linearize its motion");
    else if (p->unstable > 0 || p->flutter > 0) {
        fprintf(out, "unstable");
        if (p->unstable > 0)
            fprintf(out, ", %d motion%s run%s away", p->unstable, plural(p->unstable),
                    p->unstable == 1 ? "s" : "");
        if (p->flutter > 0)
            fprintf(out, ", %d motion%s flutter%s", p->flutter, plural(p->flutter),
                    p->flutter == 1 ? "s" : "");
        if (p->growth > 0.0) fprintf(out, "; the fastest grows at %.4g 1/s", p->growth);
        fprintf(out, "\n");
    } else if (p->neutral > 0)
        fprintf(out, "neutral, %d motion%s meet%s no force; the others are stable\n", p->neutral,
                plural(p->neutral), p->neutral == 1 ? "s" : "");
    else
        fprintf(out, "stable%s\n", p->neutral < 0 ? ", by the pivots of the stiffness" : "");
    if (p->unstable >= 0 && p->neutral > 0)
        fprintf(out, "            %s without any force for or against it%s\n", j->report.free,
                p->neutral > 1 ? "; there are others" : "");
    if (p->unstable >= 0 && !p->potential)
        fprintf(out,
                "            the loads have no potential here: judged by the eigenvalues of the motion, with "
                "the model's masses and dampers\n");
}

static void print_change(FILE *out, const br_static_event *e) {
    const int change = e->unstable_after - e->unstable_before, count = abs(change);
    const char *const sense = e->factor >= e->from ? "" : ", falling";
    if (e->kind == BR_STATIC_BRANCH)
        fprintf(out, "branch      at the factor %.7g%s: %d motion%s turn%s %s, and another path crosses\n",
                e->factor, sense, count, plural(count), count == 1 ? "s" : "",
                change > 0 ? "unstable" : "stable again");
    else
        fprintf(
            out,
            "flutter     at the factor %.7g%s: %d instead of %d motions flutter, %d instead of %d run away\n",
            e->factor, sense, e->flutter_after, e->flutter_before, e->unstable_after, e->unstable_before);
}

static void print_events(FILE *out, const br_static_report *r) {
    for (int k = 0; k < r->events && k < BR_MAX_STATIC_EVENTS; k++) {
        const br_static_event *e = &r->event[k];
        if (e->kind == BR_STATIC_BRANCH || e->kind == BR_STATIC_FLUTTER)
            print_change(out, e);
        else
            fprintf(out, "limit       the factor has a %s of %.7g %s step %d\n",
                    br_static_event_name(e->kind), e->factor, e->from == e->factor ? "at" : "before",
                    e->step);
    }
    if (r->events > BR_MAX_STATIC_EVENTS)
        fprintf(out, "            %d more were found and are not listed\n", r->events - BR_MAX_STATIC_EVENTS);
}

// Bodies that no joint carries have one of their own, NAME.free, which holds nothing, or a plane.
static int is_own(const char *name) {
    const size_t n = strlen(name), end = strlen(".free");
    return n > end && strcmp(name + n - end, ".free") == 0;
}

static int reaction_of(const static_job *j, int joint, br_wrench *out) {
    br_wrench in_M;
    br_error ignored;
    if (is_own(br_model_joint_name(j->model, joint))) return 0;
    return br_sim_joint_reaction(j->sim, joint, &in_M, out, &ignored) == BR_OK;
}

static void print_reactions(FILE *out, const static_job *j) {
    const int joints = br_model_joint_count(j->model);
    int printed = 0;
    for (int i = 0; i < joints && printed < MAX_LINES; i++) {
        br_wrench R;
        if (!reaction_of(j, i, &R)) continue;
        if (printed++ == 0)
            fprintf(out,
                    "reactions   on the second body at its joint point, world axes: force, N; torque, N m\n");
        fprintf(out, "  %-20s %13.6g %13.6g %13.6g  %13.6g %13.6g %13.6g\n", br_model_joint_name(j->model, i),
                R.force.x, R.force.y, R.force.z, R.torque.x, R.torque.y, R.torque.z);
    }
}

static void report_text(FILE *out, const static_request *r, const static_job *j) {
    const br_static_report *s = &j->report;
    fprintf(out, "model       %s (%s)\n", br_model_name(j->model), r->path);
    fprintf(out, "equilibrium at the load factor %.12g%s\n", s->last.factor,
            s->reached ? "" : "; the path ended before its end");
    fprintf(out, "path        %s: %d points, %d iterations, %d step%s taken again, %.3f s\n",
            r->settings.arc ? "arc length" : "steps of the load", s->points, s->iterations, s->rejected,
            s->rejected == 1 ? "" : "s", j->seconds);
    print_path(out, j);
    print_stability(out, j);
    print_events(out, s);
    print_reactions(out, j);
    if (s->start[0]) fprintf(out, "note        %s\n", s->start);
    cli_print_notes(out, s->notes);
    cli_print_notes(out, j->notes);
    if (r->csv && strcmp(r->csv, "-") != 0) fprintf(out, "csv         %s   (%d rows)\n", r->csv, j->points);
}

// ---------------------------------------------------------------------------------------------------------- JSON

static void json_count(br_json *o, const char *key, int count) {
    if (count >= 0)
        br_json_whole(o, key, count);
    else
        br_json_null(o, key);
}

static void json_point(br_json *o, const static_job *j, const br_static_point *p) {
    br_json_whole(o, "step", p->step);
    br_json_number(o, "factor", p->factor);
    br_json_whole(o, "iterations", p->iterations);
    br_json_number(o, "residual", p->residual);
    br_json_number(o, "displacement", p->displacement);
    br_json_string(o, "body", body_name(j, p));
    json_count(o, "unstable", p->unstable);
    json_count(o, "flutter", p->flutter);
    json_count(o, "neutral", p->neutral);
    br_json_number(o, "growth", p->growth);
    br_json_bool(o, "potential", p->potential);
    br_json_whole(o, "determinant", p->determinant);
}

static void json_lists(br_json *json, const static_job *j) {
    br_json path = br_json_list(json, "path");
    for (int k = 0; k < j->points; k++) {
        br_json o = br_json_object(&path, NULL);
        json_point(&o, j, &j->point[k]);
        br_json_close_object(&o);
    }
    br_json_close_list(&path);
    br_json events = br_json_list(json, "events");
    for (int k = 0; k < j->report.events && k < BR_MAX_STATIC_EVENTS; k++) {
        const br_static_event *e = &j->report.event[k];
        br_json o = br_json_object(&events, NULL);
        br_json_string(&o, "kind", br_static_event_name(e->kind));
        br_json_whole(&o, "step", e->step);
        br_json_number(&o, "from", e->from);
        br_json_number(&o, "factor", e->factor);
        br_json_whole(&o, "unstable_before", e->unstable_before);
        br_json_whole(&o, "unstable_after", e->unstable_after);
        br_json_whole(&o, "flutter_before", e->flutter_before);
        br_json_whole(&o, "flutter_after", e->flutter_after);
        br_json_close_object(&o);
    }
    br_json_close_list(&events);
    br_json reactions = br_json_object(json, "reactions");
    for (int i = 0; i < br_model_joint_count(j->model); i++) {
        br_wrench R;
        if (!reaction_of(j, i, &R)) continue;
        const double force[3] = {R.force.x, R.force.y, R.force.z},
                     torque[3] = {R.torque.x, R.torque.y, R.torque.z};
        br_json o = br_json_object(&reactions, br_model_joint_name(j->model, i));
        br_json_numbers(&o, "force", force, 3);
        br_json_numbers(&o, "torque", torque, 3);
        br_json_close_object(&o);
    }
    br_json_close_object(&reactions);
}

static void report_json(const static_request *r, const static_job *j, const br_error *failure) {
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", failure ? "failed" : j->report.reached ? "complete" : "ended");
    br_json_string(&json, "model", br_model_name(j->model));
    br_json_string(&json, "file", r->path);
    br_json_bool(&json, "arc", r->settings.arc);
    br_json_number(&json, "until", r->settings.until);
    br_json_number(&json, "factor", j->report.last.factor);
    br_json_bool(&json, "reached", j->report.reached);
    br_json_whole(&json, "points", j->report.points);
    br_json_whole(&json, "iterations", j->report.iterations);
    br_json_whole(&json, "rejected", j->report.rejected);
    br_json_number(&json, "residual", j->report.last.residual);
    br_json_number(&json, "displacement", j->report.last.displacement);
    br_json_number(&json, "seconds", j->seconds);
    json_lists(&json, j);
    br_json_string(&json, "free", j->report.free[0] ? j->report.free : NULL);
    br_json_string(&json, "start", j->report.start[0] ? j->report.start : NULL);
    br_json_lines(&json, "left_out", j->report.notes);
    br_json_lines(&json, "notes", j->notes);
    br_json_string(&json, "csv", r->csv);
    if (failure) {
        br_json o = br_json_object(&json, "error");
        br_json_string(&o, "status", br_status_name(failure->status));
        br_json_string(&o, "code", failure->code);
        br_json_string(&o, "message", failure->message);
        br_json_close_object(&o);
    } else {
        br_json_null(&json, "error");
    }
    br_json_end(&json);
}

// ---------------------------------------------------------------------------------------------------------- verb

static br_status static_prepare(static_request *r, static_job *j, br_error *error) {
    // Whatever moves the model: equilibrium is found with the implicit stepper's elements.
    if (r->overrides.count < CLI_MAX_OVERRIDES)
        r->overrides.item[r->overrides.count++] = (br_override){"solver.stepper", "implicit"};
    br_status status =
        br_model_read(r->path, r->overrides.item, r->overrides.count, NULL, &j->model, NULL, error);
    if (status == BR_OK) status = br_sim_create(j->model, NULL, &j->sim, error);
    if (status != BR_OK) return status;
    j->notes = cli_notes(j->model, j->sim, 0);
    return j->notes ? open_csv(r, j, error) : cli_no_memory(error, no_memory);
}

static void clean(static_job *j) {
    br_csv_abandon(j->csv);
    br_channels_destroy(j->channels);
    free(j->values);
    br_sim_destroy(j->sim);
    br_model_destroy(j->model);
    free(j->columns);
    free(j->row);
    free(j->point);
    free(j->notes);
}

static int static_tell(const static_request *r, static_job *j, br_status status, br_error *error) {
    int code = EXIT_FINE;
    if (status != BR_OK) {
        code = status == BR_NUMERICAL ? EXIT_NUMERICAL : EXIT_USAGE;
        if (error->file[0] == '\0') snprintf(error->file, sizeof error->file, "%s", r->path);
        cli_print_error_text(error);
        if (j->points > 0)
            fprintf(stderr, "  the last equilibrium is at the factor %.12g; %d point%s kept\n",
                    j->report.last.factor, j->points, j->points == 1 ? " is" : "s are");
    } else if (!j->report.reached) {
        code = EXIT_NUMERICAL;
    }
    if (r->json)
        report_json(r, j, status != BR_OK ? error : NULL);
    else if (!r->quiet && j->points > 0)
        report_text(r->csv && strcmp(r->csv, "-") == 0 ? stderr : stdout, r, j);
    return code;
}

static int verb_static(int argc, char **argv) {
    static_request r;
    static_job j;
    br_error error;
    memset(&j, 0, sizeof j);
    memset(&error, 0, sizeof error);
    if (!static_parse_request(argc, argv, &r)) return EXIT_USAGE;
    if (static_prepare(&r, &j, &error) != BR_OK) {
        const int code = cli_fail(&error, r.path);
        clean(&j);
        return code;
    }
    const double begin = cli_seconds();
    br_status status = br_sim_static(j.sim, &r.settings, on_point, &j, &j.report, &error);
    j.seconds = cli_seconds() - begin;
    if (status == BR_OK && j.status != BR_OK) status = j.status, error = j.error;
    if (j.csv) {
        br_error later = {0};
        const br_status closed = br_csv_close(j.csv, &later);
        j.csv = NULL;
        if (status == BR_OK && closed != BR_OK) status = closed, error = later;
    }
    const int code = static_tell(&r, &j, status, &error);
    clean(&j);
    return code;
}

const cli_verb cli_verb_static = {
    .name = "static",
    .summary = "equilibrium under the loads: load steps, or arc length through snap-through",
    .help =
        "bristle static MODEL [options]\n\n"
        "Finds where the model is at rest under its loads, efforts and gravity, times a load factor that "
        "goes from 0\n"
        "to 1: the path of equilibrium, with reactions and section forces. Functions of time are taken at t "
        "= 0,\n"
        "and friction is left out. Every point is judged by the motion linearized there: stable, or how many "
        "motions run\n"
        "away or flutter; where that changes is located to 1e-6 of the factor. The stepper of the file does "
        "not matter.\n"
        "Shapes that could touch are refused.\n\n"
        "  --steps N            the first step is 1/N of the way (default 10); it is halved where no "
        "equilibrium is\n"
        "                       found, and grows again\n"
        "  --until F            load factor at the end (default 1)\n"
        "  --arc                steps of arc length instead: follows the path past limit points, where the "
        "load has to\n"
        "                       fall (snap-through, snap-back), until the factor comes to F, and reports "
        "them\n"
        "  --max-steps N        points at most (default 1000)\n"
        "  --csv FILE           a table: factor and channels, a line for each point; - is stdout\n"
        "  --channels A,B,...   its columns after factor; default: `outputs` of the model, else the motion "
        "of all\n"
        "  --set NAME=VALUE     changes a parameter or a key of the file; repeatable\n"
        "  --json               one JSON object on stdout: path, events (limit points, branches), reactions\n"
        "  --quiet              no text\n\n"
        "Exit codes: 0 the factor was reached, 1 usage, model or file, 2 no equilibrium, or points used up "
        "before it.\n",
    .run = verb_static,
};
