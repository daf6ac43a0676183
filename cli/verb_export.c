// bristle export RESULT -o FILE: a result as a table, HDF5, glTF or a log.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/export.h"
#include "model.h"

enum { MAX_PATTERNS = 256 };

typedef struct export_request {
    const char *result, *output;
    int json, strict;
    br_export_options options;
    const char *pattern[MAX_PATTERNS];
    char *patterns; // the text behind them
} export_request;

// ----------------------------------------------------------------------------------------------------- arguments

static int check_files(const export_request *r) {
    const char *events = r->options.events;
    if (cli_same_target(r->output, r->result))
        cli_usage_error("export", "-o is the result itself: '%s'; give another name", r->output);
    else if (events && cli_same_target(events, r->result))
        cli_usage_error("export", "--events is the result itself: '%s'; give another name", events);
    else if (events && cli_same_target(events, r->output))
        cli_usage_error("export", "--events and -o are the same file: '%s'; give each its own", events);
    else
        return 1;
    return 0;
}

static int export_parse_request(int argc, char **argv, export_request *r) {
    const char *channels = NULL, *from = NULL, *to = NULL, *every = NULL, *fps = NULL;
    int count = 0;
    memset(r, 0, sizeof *r);
    r->options = br_default_export_options();
    const cli_option options[] = {
        {"--output|-o", &r->output, NULL},
        {"--channels", &channels, NULL},
        {"--from", &from, NULL},
        {"--to", &to, NULL},
        {"--every", &every, NULL},
        {"--events", &r->options.events, NULL},
        {"--fps", &fps, NULL},
        {"--json", NULL, &r->json},
        {"--strict", NULL, &r->strict},
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), &r->result, 1, &count))
        return 0;
    if (count == 0 || !r->output) {
        cli_usage_error("export", count == 0
                                      ? "expected a result, such as wheel.result"
                                      : "expected -o FILE, whose ending says the format: .csv, .h5, .hdf5, "
                                        ".glb, .gltf or .result");
        return 0;
    }
    if (from && !cli_parse_not_negative("export", "--from", from, &r->options.from)) return 0;
    if (to && !cli_parse_not_negative("export", "--to", to, &r->options.to)) return 0;
    if (every && !cli_parse_whole("export", "--every", every, 1, 1000000000, &r->options.every)) return 0;
    if (fps && !cli_parse_positive("export", "--fps", fps, &r->options.fps)) return 0;
    if (r->options.from > r->options.to) {
        cli_usage_error("export", "--from %s is after --to %s", from, to);
        return 0;
    }
    if (!check_files(r)) return 0;
    if (!channels) return 1;
    r->options.channels = r->pattern;
    r->options.channel_count = cli_split_channels("export", channels, &r->patterns, r->pattern, MAX_PATTERNS);
    return r->options.channel_count > 0;
}

// -------------------------------------------------------------------------------------------------------- output

static void export_print_text(const export_request *r, const br_export_report *p) {
    printf("result      %s\n", r->result);
    printf("file        %s\n", r->output);
    if (p->frames > 0)
        printf("animation   %d bod%s, %d frame%s from %ld row%s\n", p->bodies, p->bodies == 1 ? "y" : "ies",
               p->frames, p->frames == 1 ? "" : "s", p->rows, p->rows == 1 ? "" : "s");
    else
        printf("rows        %ld of %d channels, t = %g to %g s\n", p->rows, p->channels, p->from, p->to);
    if (p->events > 0)
        printf("events      %ld%s%s\n", p->events, r->options.events ? " in " : "",
               r->options.events ? r->options.events : "");
    if (p->contacts > 0) printf("contacts    %ld\n", p->contacts);
    if (p->trust_path[0]) printf("verdicts    %s\n", p->trust_path);
    if (!p->complete) printf("note        the result ends early at t = %g s: %s\n", p->to, p->missing);
}

static void print_json(const export_request *r, const br_export_report *p) {
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", "ok");
    br_json_string(&json, "result", r->result);
    br_json_string(&json, "file", r->output);
    br_json_string(&json, "events_file", r->options.events);
    br_json_string(&json, "trust_file", p->trust_path[0] ? p->trust_path : NULL);
    br_json_whole(&json, "rows", p->rows);
    br_json_whole(&json, "channels", p->channels);
    br_json_number(&json, "from", p->from);
    br_json_number(&json, "to", p->to);
    br_json_whole(&json, "events", p->events);
    br_json_whole(&json, "contacts", p->contacts);
    br_json_whole(&json, "bodies", p->bodies);
    br_json_whole(&json, "frames", p->frames);
    br_json_bool(&json, "complete", p->complete);
    br_json_string(&json, "missing", p->complete ? NULL : p->missing);
    br_json_end(&json);
}

static int verb_export(int argc, char **argv) {
    export_request r;
    br_export_report report;
    br_error error;
    memset(&error, 0, sizeof error);
    int code = EXIT_USAGE;
    if (export_parse_request(argc, argv, &r)) {
        const br_status status = br_result_export(r.result, r.output, &r.options, NULL, &report, &error);
        if (status != BR_OK) {
            code = cli_fail(&error, r.result);
        } else {
            code = r.strict && !report.complete ? EXIT_USAGE : EXIT_FINE;
            r.json ? print_json(&r, &report) : export_print_text(&r, &report);
        }
    }
    free(r.patterns);
    return code;
}

const cli_verb cli_verb_export = {
    .name = "export",
    .summary = "a result as a table, HDF5, glTF or a log again",
    .help = "bristle export RESULT -o FILE [options]\n\n"
            "Writes a result for other programs. The ending of FILE says how: .csv a table, .h5 or .hdf5 "
            "HDF5 with "
            "names,\n"
            "units, model and ledger (h5py, MATLAB), .glb or .gltf the moving bodies as glTF 2.0 (Blender, "
            "three.js), "
            ".result\n"
            "a log. RESULT may be a log, an HDF5 file that export wrote, or a table with a column t. HDF5 "
            "and back gives\n"
            "the same log.\n\n"
            "  -o FILE              what to write\n"
            "  --channels A,B,...   these only; * stands for any part of a name: "
            "'wheel.*,*.reaction.force.x'. t comes "
            "first\n"
            "  --from T             only rows and events from this time on, s\n"
            "  --to T               only those up to this time, s\n"
            "  --every N            every N-th row of them, beginning with the first\n"
            "  --events FILE        events as a table t,kind,name,value\n"
            "  --fps N              frames of glTF in each second; default 30\n"
            "  --strict             exit code 1 when the result ends early; otherwise it is written as far "
            "as it goes, and "
            "said\n"
            "  --json               a JSON object on stdout\n\n"
            "Exit codes: 0 fine, 1 usage or file, or with --strict a result that ends early.\n",
    .run = verb_export,
};
