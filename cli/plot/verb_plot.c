// bristle plot RESULT CHANNEL...: curves of a result as a figure for a paper, SVG or PNG.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plot/job.h"
#include "plot/table.h"

enum { LEAST_SIZE = 120, MOST_SIZE = 20000, LIST_WIDTH = 60 };
static const double MOST_SCALE = 16;

// ----------------------------------------------------------------------------------------------------------- arguments

static int parse_size(const char *text, plot_request *r) {
    char *end;
    const long w = strtol(text, &end, 10);
    const long h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    if (*end == '\0' && w >= LEAST_SIZE && w <= MOST_SIZE && h >= LEAST_SIZE && h <= MOST_SIZE) {
        r->width = (int)w;
        r->height = (int)h;
        return 1;
    }
    cli_usage_error("plot", "--size is '%s', expected WIDTHxHEIGHT in pixels, such as 880x400; each %d to %d",
                    text, LEAST_SIZE, MOST_SIZE);
    return 0;
}

static int parse_numbers(const char *from, const char *to, const char *size, const char *scale,
                         plot_request *r) {
    r->has_from = from != NULL;
    r->has_to = to != NULL;
    r->scale = 1;
    if (from && !cli_parse_not_negative("plot", "--from", from, &r->from)) return 0;
    if (to && !cli_parse_not_negative("plot", "--to", to, &r->to)) return 0;
    if (from && to && !(r->to > r->from)) {
        cli_usage_error("plot", "--to %s is not after --from %s", to, from);
        return 0;
    }
    if (size && !parse_size(size, r)) return 0;
    if (scale && !cli_parse_positive("plot", "--scale", scale, &r->scale)) return 0;
    if (r->scale > MOST_SCALE) {
        cli_usage_error("plot", "--scale is '%s', expected at most %g", scale, MOST_SCALE);
        return 0;
    }
    return 1;
}

// What --law has and curves of a result have not, and the other way round.
static int check_law(const plot_request *r, const char *load, int changes) {
    if (!r->law && (load || changes > 0)) {
        cli_usage_error("plot", "%s is of --law, which draws friction laws of a model",
                        load ? "--load" : "--set");
        return 0;
    }
    if (r->law && (r->has_from || r->x || r->log || r->events || r->separate)) {
        cli_usage_error("plot",
                        "--law draws friction over the sliding velocity: of --from, --x, --log, --events and "
                        "--separate there is none");
        return 0;
    }
    return 1;
}

static int plot_parse_request(int argc, char **argv, plot_request *r, cli_overrides *changes) {
    const char *from = NULL, *to = NULL, *size = NULL, *scale = NULL, *load = NULL;
    const cli_option options[] = {
        {"--output|-o", &r->output, NULL},
        {"--from", &from, NULL},
        {"--to", &to, NULL},
        {"--x", &r->x, NULL},
        {"--by", &r->by, NULL},
        {"--size", &size, NULL},
        {"--scale", &scale, NULL},
        {"--title", &r->title, NULL},
        {"--no-title", NULL, &r->no_title},
        {"--log", NULL, &r->log},
        {"--events", NULL, &r->events},
        {"--separate", NULL, &r->separate},
        {"--json", NULL, &r->json},
        {"--law", NULL, &r->law},
        {"--load", &load, NULL},
    };
    memset(r, 0, sizeof *r);
    if (!cli_take_overrides("plot", &argc, argv, changes)) return 0;
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), r->word, PLOT_MAX_WORDS,
                   &r->word_count))
        return 0;
    if (r->word_count == 0) {
        cli_usage_error("plot", r->law ? "expected a model, then joints"
                                       : "expected the result of a run, then channels");
        return 0;
    }
    if (!parse_numbers(from, to, size, scale, r)) return 0;
    if (load && !cli_parse_positive("plot", "--load", load, &r->load)) return 0;
    r->has_load = load != NULL;
    if (r->law && r->has_to && !(r->to > 0)) {
        cli_usage_error("plot", "--to %s is no speed to draw a law to", to);
        return 0;
    }
    if (!check_law(r, load, changes->count)) return 0;
    if (r->events && r->x && strcmp(r->x, "t") != 0) {
        cli_usage_error("plot", "--events marks times, and --x %s has none; give one of them", r->x);
        return 0;
    }
    return 1;
}

// ------------------------------------------------------------------------------------------------------ name of the file

static int has_ending(const char *path, const char *ending) {
    const size_t n = strlen(path), m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

// RESULT.CHANNEL.svg in the current folder, of characters that need no quotes anywhere.
static void default_path(plot_job *j) {
    const char *slash = strrchr(j->source[0].label, '/');
    const char *name = slash ? slash + 1 : j->source[0].label;
    snprintf(j->path, sizeof j->path, "%.100s.%.120s.svg", name, j->channel[0].name);
    for (char *p = j->path; *p; p++)
        if (!isalnum((unsigned char)*p) && (!strchr("._-+~#@", *p) || (p == j->path && !strchr("_+@", *p))))
            *p = '_';
}

static int choose_path(const plot_request *r, plot_job *j) {
    if (!r->output) {
        default_path(j);
    } else if (has_ending(r->output, ".svg") || has_ending(r->output, ".png")) {
        if (strlen(r->output) >= sizeof j->path) {
            cli_usage_error("plot", "the name of the file is too long");
            return 0;
        }
        strcpy(j->path, r->output);
    } else {
        cli_usage_error("plot", "-o is '%s', expected a name that ends in .svg or .png", r->output);
        return 0;
    }
    j->png = has_ending(j->path, ".png");
    for (int k = 0; k < j->source_count; k++) {
        if (!cli_same_target(j->path, j->source[k].path)) continue;
        cli_usage_error("plot", "the figure would go to the result itself: '%s'; name another file with -o",
                        j->path);
        return 0;
    }
    return 1;
}

// ------------------------------------------------------------------------------------------------- the list of channels

static size_t stem_of(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? (size_t)(dot - name) : 0;
}

static int same_stem(const br_result_channel *a, const br_result_channel *b) {
    const size_t n = stem_of(a->name);
    return n > 0 && stem_of(b->name) == n && memcmp(a->name, b->name, n) == 0 &&
           strcmp(a->unit, b->unit) == 0;
}

// crate.position.{x,y,z}, as shells expand it.
static void list_text(const br_result_header *h, const char *path) {
    printf("result      %s\n", path);
    if (h->model_name && h->model_name[0]) // a table of another program has none
        printf("model       %s (%s), %s stepper\n", h->model_name, h->model_path, h->stepper);
    printf("channels    %d\n\n", h->channel_count);
    for (int k = 0; k < h->channel_count;) {
        const br_result_channel *c = &h->channels[k];
        int n = 1;
        while (k + n < h->channel_count && same_stem(c, &h->channels[k + n])) n++;
        const size_t stem = stem_of(c->name);
        int width = printf("  %s", n > 1 ? "" : c->name);
        for (int i = 0; i < n && n > 1; i++) {
            if (i == 0) width += printf("%.*s.{", (int)stem, c->name);
            width += printf("%s%s", h->channels[k + i].name + stem + 1, i + 1 < n ? "," : "}");
        }
        printf("%*s  %s\n", width < LIST_WIDTH ? LIST_WIDTH - width : 0, "", c->unit);
        k += n;
    }
    char channel[512];
    cli_put_word(channel, sizeof channel, h->channels[h->channel_count > 1 ? 1 : 0].name);
    cli_print_next(stdout, "\nnext        ", "plot", path, channel);
}

static void list_json(const br_result_header *h, const char *path) {
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", "listed");
    br_json_string(&json, "result", path);
    br_json_string(&json, "model", h->model_name);
    br_json list = br_json_list(&json, "channels");
    for (int k = 0; k < h->channel_count; k++) {
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", h->channels[k].name);
        br_json_string(&o, "unit", h->channels[k].unit);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    br_json_end(&json);
}

static int list_channels(const plot_request *r, const plot_job *j) {
    for (int k = 0; k < j->source_count; k++) {
        const br_result_header *h = br_result_about(j->source[k].result);
        if (r->json)
            list_json(h, j->source[k].path);
        else
            list_text(h, j->source[k].path);
    }
    return EXIT_FINE;
}

// -------------------------------------------------------------------------------------------------------------- telling

static const char *outcome_of(const result_reading *d) {
    if (d->damage != BR_OK) return "damaged";
    return d->kind == BR_RESULT_CUT ? "cut" : br_result_outcome_name(d->end.outcome);
}

static void tell_text(const plot_request *r, const plot_job *j) {
    printf("plot        %s, %.0f x %.0f, %d panel%s, %d curve%s\n", j->path, j->width * r->scale,
           j->height * r->scale, j->panel_count, j->panel_count == 1 ? "" : "s", j->curve_count,
           j->curve_count == 1 ? "" : "s");
    for (int k = 0; k < j->source_count; k++) {
        const result_reading *d = &j->source[k].reading;
        printf("result      %s: %ld of %ld rows, %.6g to %.6g s, %s\n", j->source[k].path, d->rows_taken,
               d->rows, d->first_t, d->last_t, outcome_of(d));
    }
    for (int e = 0; e < PLOT_EVENT_KINDS && r->events; e++)
        if (j->events.count[e] > 0)
            printf("events      %ld %s\n", j->events.count[e], br_event_kind_name((br_event_kind)e));
    for (int k = 0; k < j->note_count; k++) printf("note        %s\n", j->note[k]);
}

static void json_panels(const plot_job *j, br_json *json) {
    br_json panels = br_json_list(json, "panels");
    for (int p = 0; p < j->panel_count; p++) {
        br_json o = br_json_object(&panels, NULL);
        const char *unit = NULL;
        for (int k = 0; k < j->channel_count; k++)
            if (j->channel[k].panel == p) unit = j->channel[k].unit;
        br_json_string(&o, "unit", unit);
        br_json names = br_json_list(&o, "channels");
        for (int k = 0; k < j->channel_count; k++)
            if (j->channel[k].panel == p) br_json_string(&names, NULL, j->channel[k].name);
        br_json_close_list(&names);
        br_json_close_object(&o);
    }
    br_json_close_list(&panels);
}

static void tell_json(const plot_request *r, const plot_job *j) {
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", "complete");
    br_json_string(&json, "file", j->path);
    br_json_string(&json, "format", j->png ? "png" : "svg");
    br_json_number(&json, "width", j->width * r->scale);
    br_json_number(&json, "height", j->height * r->scale);
    br_json_string(&json, "x", j->x_name);
    json_panels(j, &json);
    br_json results = br_json_list(&json, "results");
    for (int k = 0; k < j->source_count; k++) {
        const result_reading *d = &j->source[k].reading;
        br_json o = br_json_object(&results, NULL);
        br_json_string(&o, "path", j->source[k].path);
        br_json_string(&o, "outcome", outcome_of(d));
        br_json_whole(&o, "rows", d->rows);
        br_json_whole(&o, "rows_shown", d->rows_taken);
        br_json_number(&o, "from", d->first_t);
        br_json_number(&o, "to", d->last_t);
        br_json_close_object(&o);
    }
    br_json_close_list(&results);
    br_json events = br_json_object(&json, "events");
    for (int e = 0; e < PLOT_EVENT_KINDS && r->events; e++)
        br_json_whole(&events, br_event_kind_name((br_event_kind)e), j->events.count[e]);
    br_json_close_object(&events);
    br_json notes = br_json_list(&json, "notes");
    for (int k = 0; k < j->note_count; k++) br_json_string(&notes, NULL, j->note[k]);
    br_json_close_list(&notes);
    br_json_end(&json);
}

static int plot(const plot_request *r, plot_job *j) {
    const char *patterns[PLOT_MAX_WORDS];
    int count = 0;
    if (!plot_open_sources(r, j, patterns, &count)) return EXIT_USAGE;
    if (count == 0) return list_channels(r, j);
    if (!plot_find_channels(r, j, patterns, count)) return EXIT_USAGE;
    if (!choose_path(r, j) || !plot_read(r, j) || !plot_make(r, j)) return EXIT_USAGE;
    if (r->json)
        tell_json(r, j);
    else
        tell_text(r, j);
    return EXIT_FINE;
}

static int verb_plot(int argc, char **argv) {
    plot_request r;
    cli_overrides changes;
    if (!plot_parse_request(argc, argv, &r, &changes)) return EXIT_USAGE;
    if (r.law) return plot_law(&r, &changes);
    if (plot_table_is(r.word[0])) return plot_sweep(&r);
    if (r.by) {
        cli_usage_error("plot", "--by is of the table of a sweep, and '%s' is none", r.word[0]);
        return EXIT_USAGE;
    }
    plot_job *j = calloc(1, sizeof *j);
    if (!j) {
        cli_usage_error("plot", "not enough memory");
        return EXIT_USAGE;
    }
    const int code = plot(&r, j);
    plot_free(j);
    return code;
}

const cli_verb cli_verb_plot = {
    .name = "plot",
    .summary = "curves of a result as a figure for a paper, SVG or PNG",
    .help =
        "bristle plot RESULT [RESULT ...] CHANNEL... [options]\n"
        "bristle plot DIR COLUMN... [--x COLUMN] [--by COLUMN] [options]\n"
        "bristle plot --law MODEL [JOINT ...] [options]\n\n"
        "Draws channels of one result, or of several on top of each other. Channels of one unit share a "
        "panel. "
        "A * in\n"
        "a channel stands for any characters: 'crate.position.*'. Without a channel: lists those of the "
        "result.\n"
        "Of the folder of a sweep, or its table.csv: columns with a point per run, against the first "
        "parameter or "
        "--x.\n\n"
        "  -o FILE              FILE.svg or FILE.png; default RESULT.CHANNEL.svg in the current folder\n"
        "  --from T, --to T     the part between these times, s\n"
        "  --x CHANNEL          against this channel instead of time: a path\n"
        "  --by COLUMN          of a sweep: a colour for each value of this column, such as verdict\n"
        "  --log                logarithmic axis; shows values above 0 only\n"
        "  --events             marks stick, slip, contact_on, contact_off and limit of the first result\n"
        "  --separate           a panel for each channel\n"
        "  --title TEXT         above the figure; default: the model's name\n"
        "  --size WxH           pixels; default 880 wide, as high as the panels need\n"
        "  --scale N            N times the pixels in each direction, the same size on paper\n"
        "  --json               one JSON object on stdout\n"
        "  --law                friction of a model's joints over the sliding velocity, steady: the "
        "coefficient\n"
        "  --load N             of --law: the force under this normal load (and the joint's preload), N, "
        "instead\n"
        "  --to V               of --law: up to this speed, m/s, in both directions\n"
        "  --set NAME=VALUE     of --law: changes a parameter or a key of the model; repeatable\n\n"
        "A result that was cut off or damaged is drawn as far as it goes, and a note says where it ends.\n\n"
        "Exit codes: 0 fine, 1 usage or file.\n",
    .run = verb_plot,
};
