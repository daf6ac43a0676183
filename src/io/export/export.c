// Exporting a result, see export.h: reads it item by item and hands what was asked for to the sink of its format.
#include "io/export/export.h"
#include "io/result/verdicts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/text/json_read.h"
#include "io/text/write.h"
#include "model/def/names.h"

typedef struct exporting {
    br_arena arena;
    br_result *result;
    br_result_header header; // of what is written
    int *column;             // [channel_count of it] where in a row of the result
    double *values;
    int time; // channel t of the result; -1: none
    const br_export_options *options;
    br_export_report report;
    long seen; // rows within from .. to
    int kept;  // the last row was written, so its contacts are
    export_sink sink;
    br_csv *events;
    int ended; // the result has an end, whatever it says
} exporting;

br_export_options br_default_export_options(void) {
    return (br_export_options){.from = -INFINITY, .to = INFINITY, .every = 1, .fps = BR_DEFAULT_FPS};
}

// ----------------------------------------------------------------------------------------------------- channels

static br_status unknown_channel(const br_result_header *h, const char *pattern, br_arena *arena,
                                 br_error *error) {
    const char **words = BR_TAKE(arena, const char *, h->channel_count);
    for (int k = 0; words && k < h->channel_count; k++) words[k] = h->channels[k].name;
    const char *near = words ? br_nearest_word(pattern, words, (size_t)h->channel_count) : NULL;
    if (near)
        return br_fail(error, BR_INVALID, "channel-unknown",
                       "the result has no channel '%s'; did you mean '%s'?", pattern, near);
    return br_fail(error, BR_INVALID, "channel-unknown",
                   "none of the %d channels of the result is '%s'; * stands for any part of a name, such as "
                   "'%s'",
                   h->channel_count, pattern, h->channel_count > 1 ? h->channels[1].name : "*.position.*");
}

// t, then what the patterns name, in their order; nothing twice.
static br_status choose(exporting *e, const br_result_header *h, br_error *error) {
    const br_export_options *o = e->options;
    unsigned char *taken = BR_TAKE(&e->arena, unsigned char, h->channel_count);
    e->column = BR_TAKE(&e->arena, int, h->channel_count);
    if (!br_arena_ok(&e->arena)) return br_no_memory(error, "not enough memory to export the result");
    int n = 0;
    const int all = !o->channels || e->sink.ops->whole_rows;
    if (!all && e->time >= 0) {
        e->column[n++] = e->time;
        taken[e->time] = 1;
    }
    for (int i = 0; i < (all ? 1 : o->channel_count); i++) {
        const char *pattern = all ? "*" : o->channels[i];
        int found = 0;
        for (int k = 0; k < h->channel_count; k++) {
            if (!br_name_matches(pattern, h->channels[k].name)) continue;
            found = 1;
            if (!taken[k]) e->column[n++] = k;
            taken[k] = 1;
        }
        if (!found) return unknown_channel(h, pattern, &e->arena, error);
    }
    br_result_channel *list = BR_TAKE(&e->arena, br_result_channel, n);
    e->values = BR_TAKE(&e->arena, double, n);
    if (!br_arena_ok(&e->arena)) return br_no_memory(error, "not enough memory to export the result");
    for (int k = 0; k < n; k++) list[k] = h->channels[e->column[k]];
    e->header = *h;
    e->header.channels = list;
    e->header.channel_count = e->report.channels = n;
    return BR_OK;
}

static br_status find_time(exporting *e, const char *path, br_error *error) {
    const br_result_header *h = br_result_about(e->result);
    e->time = -1;
    for (int k = 0; k < h->channel_count && e->time < 0; k++)
        if (strcmp(h->channels[k].name, "t") == 0) e->time = k;
    if (e->time >= 0) return BR_OK;
    return br_fail_at(error, BR_INVALID, "export-no-time", path, 0, 0,
                      "has no channel t, so nothing can be said of when its rows are");
}

// ----------------------------------------------------------------------------------------------------- verdicts

// Verdicts travel with the result; where they cannot be read there are none.
static void find_trust(exporting *e, const char *path) {
    int others = 0;
    if (e->header.trust || br_result_source_of(e->result) != BR_SOURCE_LOG) return;
    e->header.trust = br_result_verdicts(path, e->header.model_hash, &e->arena, &others);
}

// Beside a log, as run does: verdicts on what was there before are none on this one.
static br_status write_trust(exporting *e, const char *path, br_error *error) {
    char name[IO_MAX_PATH];
    io_output out;
    if (e->sink.ops != &br_export_log || !br_result_trust_path(path, name, sizeof name)) return BR_OK;
    if (!e->header.trust) {
        remove(name);
        return BR_OK;
    }
    const br_status status = br_io_open_text(&out, name, error);
    if (status != BR_OK) return status;
    fputs(e->header.trust, out.file);
    snprintf(e->report.trust_path, sizeof e->report.trust_path, "%.*s", BR_MAX_ERROR_PATH - 1, name);
    return br_io_close_text(&out, error);
}

// -------------------------------------------------------------------------------------------------------- items

static int is_within(const exporting *e, double t) {
    return t >= e->options->from && t <= e->options->to;
}

static br_status pass_row(exporting *e, const double *row, br_error *error) {
    const double t = row[e->time];
    const int every = e->options->every > 0 ? e->options->every : 1;
    e->kept = 0;
    if (!is_within(e, t) || e->seen++ % every != 0) return BR_OK;
    for (int k = 0; k < e->header.channel_count; k++) e->values[k] = row[e->column[k]];
    if (e->report.rows++ == 0) e->report.from = t;
    e->report.to = t;
    e->kept = 1;
    return e->sink.ops->row(&e->sink, e->values, error);
}

static br_status pass_event(exporting *e, const br_event *event, br_error *error) {
    if (!is_within(e, event->t)) return BR_OK;
    br_status status = BR_OK;
    if (e->sink.ops->event) status = e->sink.ops->event(&e->sink, event, error);
    if (status == BR_OK && e->events) status = br_csv_event(e->events, event, error);
    if (e->sink.ops->event || e->events) e->report.events++;
    return status;
}

static br_status pass(exporting *e, const br_result_item *item, br_error *error) {
    if (item->kind == BR_RESULT_ROW) return pass_row(e, item->row, error);
    if (item->kind == BR_RESULT_EVENT) return pass_event(e, &item->event, error);
    if (!e->kept || !e->sink.ops->contacts) return BR_OK;
    e->report.contacts += item->contact_count;
    return e->sink.ops->contacts(&e->sink, item->contacts, item->contact_count, error);
}

// A result that is damaged somewhere is good up to there: that is an end too, and the report says so.
static br_status pass_all(exporting *e, br_result_end *end, br_error *error) {
    br_result_item item;
    for (;;) {
        br_error damage;
        memset(&item, 0, sizeof item);
        memset(&damage, 0, sizeof damage);
        br_status status = br_result_next(e->result, &item, &damage);
        if (status == BR_PARSE && e->seen > 0) {
            snprintf(e->report.missing, sizeof e->report.missing, "%s%.*s",
                     damage.line > 0 ? "a line of it: " : "", BR_MAX_ERROR_TEXT - 32, damage.message);
            return BR_OK;
        }
        if (status != BR_OK) {
            if (error) *error = damage;
            return status;
        }
        if (item.kind == BR_RESULT_END) {
            e->ended = 1;
            e->report.complete = item.end.outcome == BR_RESULT_COMPLETE;
            if (!e->report.complete)
                snprintf(e->report.missing, sizeof e->report.missing, "the run was %s%s%.*s",
                         item.end.outcome == BR_RESULT_FAILED ? "stopped by a failure" : "interrupted",
                         item.end.message[0] ? ": " : "", BR_MAX_ERROR_TEXT - 64, item.end.message);
            *end = item.end;
            return BR_OK;
        }
        if (item.kind == BR_RESULT_CUT) {
            snprintf(e->report.missing, sizeof e->report.missing,
                     "it stops without an end: the run was killed, is still going, or the file was cut");
            return BR_OK;
        }
        status = pass(e, &item, error);
        if (status != BR_OK) return status;
    }
}

// -------------------------------------------------------------------------------------------------------- whole

static const export_ops *ops_for(const char *path) {
    static const export_ops *const all[] = {&br_export_csv, &br_export_hdf5, &br_export_log, &br_export_gltf};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int i = 0; i < 2; i++)
            if (all[k]->ending[i] && br_io_has_ending(path, all[k]->ending[i])) return all[k];
    return NULL;
}

static br_status nothing_there(const exporting *e, br_error *error) {
    char from[40] = "", to[40] = "";
    if (isfinite(e->options->from)) snprintf(from, sizeof from, " from %g s", e->options->from);
    if (isfinite(e->options->to)) snprintf(to, sizeof to, " to %g s", e->options->to);
    return br_fail(error, BR_INVALID, "export-nothing",
                   "the result has no row%s%s; the run was to reach %g s", from, to, e->header.until);
}

static br_status write_all(exporting *e, const char *path, br_error *error) {
    br_result_end end;
    br_status status = pass_all(e, &end, error);
    if (status == BR_OK && e->report.rows == 0 && e->seen == 0 && e->ended) status = nothing_there(e, error);
    if (status != BR_OK) {
        e->sink.ops->abandon(&e->sink);
        return status;
    }
    status = e->sink.ops->finish(&e->sink, e->ended ? &end : NULL, e->ended ? "" : e->report.missing, error);
    return status == BR_OK ? write_trust(e, path, error) : status;
}

static br_status export_start(exporting *e, const char *result, const char *path, br_error *error) {
    static const char *const columns[] = {"t", "kind", "name", "value"};
    br_status status = find_time(e, result, error);
    if (status == BR_OK) status = choose(e, br_result_about(e->result), error);
    if (status != BR_OK) return status;
    find_trust(e, result);
    if (e->options->events)
        status = br_csv_create(e->options->events, columns, 4, e->sink.allocator, &e->events, error);
    return status == BR_OK ? e->sink.ops->begin(&e->sink, path, &e->header, error) : status;
}

br_status br_result_export(const char *result, const char *path, const br_export_options *options,
                           const br_allocator *allocator, br_export_report *report, br_error *error) {
    const br_export_options all = br_default_export_options();
    exporting e;
    memset(&e, 0, sizeof e);
    e.options = options ? options : &all;
    e.sink = (export_sink){ops_for(path), allocator, e.options, &e.report, NULL};
    if (!e.sink.ops)
        return br_fail_at(
            error, BR_INVALID, "export-ending", path, 0, 0,
            "has an ending that says no format; expected .csv, .h5, .hdf5, .glb, .gltf or .result");
    br_arena_init(&e.arena, allocator);
    br_status status = br_result_open(result, allocator, &e.result, error);
    if (status == BR_OK) status = export_start(&e, result, path, error);
    if (status == BR_OK) status = write_all(&e, path, error);
    if (status == BR_OK && e.events) {
        status = br_csv_close(e.events, error);
        e.events = NULL;
    }
    br_csv_abandon(e.events);
    br_result_close(e.result);
    br_arena_free(&e.arena);
    if (status == BR_OK && report) *report = e.report;
    return status;
}
