// Measured data: model, columns and recordings, read once and checked.
#include "fit/measured.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fit/columns.h"
#include "fit/spec.h"
#include "io/text/write.h"

// Rows further apart than this many times the median are a gap. Recorders lose single rows; what is lost is not put back.
static const double GAP = 5.0;

enum { NOTES_ROOM = 8192 };

br_measured_def br_default_measured_def(void) {
    br_measured_def def;
    memset(&def, 0, sizeof def);
    return def;
}

void br_fit_note(br_measured *m, const char *format, ...) {
    va_list args;
    const size_t used = strlen(m->notes);
    if (m->notes_room - used < 300) return;
    va_start(args, format);
    vsnprintf(m->notes + used, m->notes_room - used - 1, format, args);
    va_end(args);
    br_io_mask_controls(m->notes + used); // names of columns come from anywhere
    strcat(m->notes, "\n");
}

// ------------------------------------------------------------------------------------------------------------ time

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static br_status check_times(br_measured *m, const fit_table *t, fit_recording *r, br_arena *scratch,
                             br_error *error) {
    const int gaps = r->rows - 1;
    double *gap = BR_TAKE(scratch, double, gaps);
    if (!gap) return br_no_memory(error, "no memory for a recording");
    for (int k = 0; k < gaps; k++) {
        gap[k] = r->t[k + 1] - r->t[k];
        if (!(gap[k] > 0.0))
            return br_fail_at(
                error, BR_PARSE, "data-time", t->path, t->line[k + 1], 0,
                "row %d: the time %.15g s comes after %.15g s, expected it to rise from row to row", k + 2,
                r->t[k + 1], r->t[k]);
    }
    qsort(gap, (size_t)gaps, sizeof *gap, by_value);
    r->period = gap[gaps / 2];
    for (int k = 0; k < gaps && !m->allow_gaps; k++)
        if (r->t[k + 1] - r->t[k] > GAP * r->period)
            return br_fail_at(
                error, BR_PARSE, "data-gap", t->path, t->line[k + 1], 0,
                "row %d: %.4g s pass after the row before, where rows are %.4g s apart; cut the "
                "recording there, or write gaps: allow in the spec",
                k + 2, r->t[k + 1] - r->t[k], r->period);
    if (r->t[0] != 0 && r == m->recording)
        br_fit_note(m, "time is counted from the first row, which has %.9g s%s", r->t[0],
                    m->recordings > 1 ? " in the first recording" : "");
    for (int k = r->rows - 1; k >= 0; k--) r->t[k] -= r->t[0];
    return BR_OK;
}

static int time_column(const br_measured *m, const fit_table *t) {
    if (m->time) return br_fit_table_column(t, m->time);
    const int at = br_fit_table_column(t, "t");
    if (at >= 0) return at;
    const int time = br_fit_table_column(t, "time");
    return time >= 0 ? time : br_fit_table_column(t, "timestamp");
}

// Millimetres in one file and no unit in the next are most likely millimetres in both: nothing is taken for that.
static br_status check_unit(const br_measured *m, const fit_recording *r, const fit_table *t, int at,
                            const char **first, br_error *error) {
    if (r == m->recording) *first = t->unit[at];
    if (!**first == !*t->unit[at]) return BR_OK;
    return br_fail_at(
        error, BR_INVALID, "data-units", t->path, t->head_line, 0,
        "column '%.60s' %s%.20s here and %s%.20s in the first recording; expected a unit in both or "
        "in none",
        t->name[at], *t->unit[at] ? "is in " : "has no unit", t->unit[at], **first ? "is in " : "has none",
        *first);
}

static br_status read_times(br_measured *m, const fit_table *t, fit_recording *r, br_arena *scratch,
                            br_error *error) {
    const int at = time_column(m, t);
    const fit_column time = {.name = at >= 0 ? t->name[at] : "t", .channel = "t", .model_unit = "s"};
    double scale = 1.0;
    if (at < 0)
        return br_fail_at(error, BR_PARSE, "data-column", t->path, 1, 0,
                          "there is no column '%.60s' of the time; the columns are '%.60s', ...",
                          m->time ? m->time : "t", t->name[0]);
    br_status status = br_fit_column_scale(&time, t, at, &scale, error);
    if (status == BR_OK) status = check_unit(m, r, t, at, &m->time_unit, error);
    r->t = BR_TAKE(&m->arena, double, t->rows);
    if (!r->t) return br_no_memory(error, "no memory for a recording");
    for (int k = 0; k < t->rows && status == BR_OK; k++) {
        status = br_fit_table_number(t, k, at, &r->t[k], error);
        r->t[k] *= scale;
    }
    return status == BR_OK ? check_times(m, t, r, scratch, error) : status;
}

// ---------------------------------------------------------------------------------------------------------- columns

static br_status read_column(br_measured *m, const fit_table *t, fit_recording *r, int c, br_error *error) {
    fit_column *column = &m->column[c];
    const int at = br_fit_table_column(t, column->name);
    double scale = 1.0;
    if (at < 0) {
        const char *near = br_nearest_word(column->name, t->name, (size_t)t->columns);
        return br_fail_at(error, BR_PARSE, "data-column", t->path, 1, 0, "there is no column '%.60s'%s%s%s",
                          column->name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    br_status status = br_fit_column_scale(column, t, at, &scale, error);
    if (status == BR_OK && !column->unit) status = check_unit(m, r, t, at, &column->head_unit, error);
    for (int k = 0; k < t->rows && status == BR_OK; k++) {
        double *x = &r->value[(size_t)k * (size_t)m->columns + (size_t)c];
        status = br_fit_table_number(t, k, at, x, error);
        *x *= scale;
    }
    return status;
}

static int is_constant(const br_measured *m, const fit_recording *r, int c) {
    for (int k = 1; k < r->rows; k++)
        if (r->value[(size_t)k * (size_t)m->columns + (size_t)c] != r->value[c]) return 0;
    return 1;
}

static br_status check_rotations(const br_measured *m, const fit_table *t, const fit_recording *r,
                                 br_error *error) {
    for (int g = 0; g < m->groups; g++) {
        const fit_group *group = &m->group[g];
        if (group->kind != FIT_ROTATION) continue;
        for (int k = 0; k < r->rows; k++) {
            double sum = 0;
            for (int i = 0; i < 4; i++) {
                const double x = r->value[(size_t)k * (size_t)m->columns + (size_t)group->column[i]];
                sum += x * x;
            }
            if (fabs(sum - 1.0) > 0.02)
                return br_fail_at(error, BR_PARSE, "data-cell", t->path, t->line[k], 0,
                                  "row %d: the quaternion %.60s has the length %.4g, expected 1", k + 1,
                                  group->name, sqrt(sum));
        }
    }
    return BR_OK;
}

static br_status read_constants_of(br_measured *m, const fit_table *t, fit_recording *r, br_error *error) {
    r->constant = BR_TAKE(&m->arena, br_override, m->constants);
    if (!r->constant) return br_no_memory(error, "no memory for a recording");
    for (int k = 0; k < m->constants; k++) {
        int at = 0;
        while (at < t->constants && strcmp(t->constant[at], m->constant_name[k]) != 0) at++;
        if (at == t->constants)
            return br_fail_at(error, BR_PARSE, "data-column", t->path, 1, 0,
                              "there is no constant '%.60s', which is %.60s of the model; expected a line "
                              "# %.60s: NUMBER before the names of the columns",
                              m->constant_name[k], m->constant_param[k], m->constant_name[k]);
        const char *value =
            br_arena_copy(&m->arena, t->constant_value[at], strlen(t->constant_value[at]) + 1, 1);
        if (!value) return br_no_memory(error, "no memory for a recording");
        r->constant[r->constants++] = (br_override){m->constant_param[k], value};
    }
    return BR_OK;
}

// Recordings of one name in two folders keep apart by their order alone.
static const char *recording_name(br_measured *m, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    const size_t n = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char *out = BR_TAKE(&m->arena, char, n + 1);
    return out ? memcpy(out, name, n) : "";
}

static br_status read_recording(br_measured *m, const fit_table *t, fit_recording *r, br_arena *scratch,
                                br_error *error) {
    r->path = br_arena_copy(&m->arena, t->path, strlen(t->path) + 1, 1);
    r->name = recording_name(m, t->path);
    r->rows = t->rows;
    r->value = BR_TAKE(&m->arena, double, (size_t)t->rows *(size_t)m->columns);
    if (!r->path || !r->value) return br_no_memory(error, "no memory for a recording");
    br_status status = read_times(m, t, r, scratch, error);
    for (int c = 0; c < m->columns && status == BR_OK; c++) status = read_column(m, t, r, c, error);
    if (status == BR_OK) status = check_rotations(m, t, r, error);
    if (status == BR_OK) status = read_constants_of(m, t, r, error);
    if (status != BR_OK) return status;
    int constant = 1, first = -1;
    for (int g = 0; g < m->groups; g++)
        for (int i = 0; m->group[g].compared && i < m->group[g].count; i++) {
            const int c = m->group[g].column[i];
            if (first < 0) first = c;
            constant = constant && is_constant(m, r, c);
        }
    if (constant)
        return br_fail_at(
            error, BR_PARSE, "data-constant", t->path, t->line[r->rows - 1], 0,
            "column '%.60s'%s %.9g in every row, 1 to %d: a recording in which nothing changes says "
            "nothing of a motion",
            m->column[first].name,
            m->groups > 1 || m->group[0].count > 1 ? " and all others that are compared are constant; it is"
                                                   : " is",
            r->value[first], r->rows);
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------------- all

static br_status find_columns(br_measured *m, const fit_table *first, br_error *error) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    fit_recording probe = {0};
    br_status status = read_constants_of(m, first, &probe, error);
    br_override *all = BR_TAKE(&m->arena, br_override, m->overrides + probe.constants);
    if (status == BR_OK && !all) status = br_no_memory(error, "no memory for a spec");
    int n = 0;
    for (int k = 0; status == BR_OK && k < probe.constants; k++) all[n++] = probe.constant[k];
    for (int k = 0; status == BR_OK && k < m->overrides; k++) all[n++] = m->override[k];
    if (status == BR_OK) status = br_model_read(m->model_path, all, n, m->allocator, &model, NULL, error);
    if (status == BR_OK) status = br_model_runnable(model, error);
    if (status == BR_OK) status = br_sim_create(model, m->allocator, &sim, error);
    if (status == BR_OK) status = br_fit_columns_find(m, first, sim, error);
    br_sim_destroy(sim);
    br_model_destroy(model);
    return status;
}

// Names with commas between them; "..." where there is no room for all.
static void list_name(char *list, size_t room, const char *name) {
    const size_t used = strlen(list);
    if (used >= 3 && strcmp(list + used - 3, "...") == 0) return;
    if (used + strlen(name) + 8 < room)
        snprintf(list + used, room - used, "%s%s", used ? ", " : "", name);
    else
        snprintf(list + used, room - used, ", ...");
}

static int is_used(const br_measured *m, const fit_table *t, int k) {
    int used = k == time_column(m, t);
    for (int c = 0; c < m->columns; c++) used = used || strcmp(m->column[c].name, t->name[k]) == 0;
    return used;
}

// What is taken for granted, from the first recording.
static void note_columns(br_measured *m, const fit_table *t) {
    char plain[200] = "", unused[200] = "";
    const int time = time_column(m, t);
    if (time >= 0 && !*t->unit[time]) list_name(plain, sizeof plain, t->name[time]);
    for (int k = 0; k < m->columns; k++) {
        const int at = br_fit_table_column(t, m->column[k].name);
        if (at < 0 || m->column[k].unit || *t->unit[at] || !*m->column[k].model_unit) continue;
        list_name(plain, sizeof plain, m->column[k].name);
    }
    for (int k = 0; k < t->columns; k++)
        if (!is_used(m, t, k)) list_name(unused, sizeof unused, t->name[k]);
    if (*plain) br_fit_note(m, "columns without a unit are taken as SI: %s", plain);
    if (*unused) br_fit_note(m, "columns that are not used: %s", unused);
}

// Columns that the first recording does not have are not looked for in any.
static void note_more_columns(br_measured *m, const fit_table *first, const fit_table *t) {
    char unused[200] = "";
    for (int k = 0; k < t->columns; k++)
        if (!is_used(m, t, k) && br_fit_table_column(first, t->name[k]) < 0)
            list_name(unused, sizeof unused, t->name[k]);
    if (*unused)
        br_fit_note(m, "columns of %.80s that the first recording does not have are not used: %s", t->path,
                    unused);
}

static br_status read_all(br_measured *m, const br_measured_def *def, br_error *error) {
    br_status status = br_fit_spec_read(m, error);
    if (status != BR_OK) return status;
    static const char *const starts[] = {"first_row", "model", "free_flight"};
    for (int k = 0; k < 3 && def->start; k++) {
        if (strcmp(def->start, starts[k]) == 0) {
            m->start = (fit_start)k;
            break;
        }
        if (k == 2)
            return br_fail(error, BR_INVALID, "fit-options",
                           "start is '%.40s', expected first_row, model or free_flight", def->start);
    }
    const char *const *file = def->data_count > 0 ? def->data : m->file;
    const int files = def->data_count > 0 ? def->data_count : m->files;
    if (files < 1 || files > BR_MAX_RECORDINGS)
        return br_fail_at(
            error, BR_INVALID, "data-none", m->path, 0, 0,
            "%d recordings, expected 1 to %d: name their files after the model, or in the spec as "
            "recordings: [a.csv, b.csv]",
            files, BR_MAX_RECORDINGS);
    m->recording = BR_TAKE(&m->arena, fit_recording, files);
    if (!m->recording) return br_no_memory(error, "no memory for recordings");
    br_arena scratch, kept; // names of the columns may be the first table's
    br_arena_init(&scratch, m->allocator), br_arena_init(&kept, m->allocator);
    fit_table first;
    for (int k = 0; k < files && status == BR_OK; k++) {
        fit_table table;
        status = br_fit_table_read(file[k], k == 0 ? &m->arena : &scratch, &table, error);
        if (status == BR_OK && k == 0) first = table;
        if (status == BR_OK && k > 0) note_more_columns(m, &first, &table);
        if (status == BR_OK && k == 0) status = find_columns(m, &table, error);
        if (status == BR_OK && k == 0) note_columns(m, &table);
        if (status == BR_OK)
            status = read_recording(m, &table, &m->recording[m->recordings++], &scratch, error);
        br_arena_reset(&scratch);
    }
    br_arena_free(&scratch), br_arena_free(&kept);
    return status;
}

br_status br_measured_read(const br_measured_def *def, const br_allocator *allocator, br_measured **out,
                           br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_measured *m = BR_TAKE(&arena, br_measured, 1);
    if (!m) {
        br_arena_free(&arena);
        return br_no_memory(error, "no memory for measured data");
    }
    m->arena = arena; // it holds itself: nothing else may use `arena` any more
    m->own = m->arena.allocator;
    m->allocator = allocator ? &m->own : NULL;
    m->path = br_arena_copy(&m->arena, def->path, strlen(def->path) + 1, 1);
    m->notes = BR_TAKE(&m->arena, char, NOTES_ROOM);
    m->notes_room = NOTES_ROOM;
    m->override = BR_TAKE(&m->arena, br_override, def->override_count);
    br_status status = br_arena_ok(&m->arena) ? BR_OK : br_no_memory(error, "no memory for measured data");
    for (int k = 0; k < def->override_count && status == BR_OK; k++) {
        const br_override *o = &def->override[k];
        m->override[k] = (br_override){br_arena_copy(&m->arena, o->name, strlen(o->name) + 1, 1),
                                       br_arena_copy(&m->arena, o->value, strlen(o->value) + 1, 1)};
    }
    m->overrides = def->override_count;
    if (status == BR_OK && !br_arena_ok(&m->arena))
        status = br_no_memory(error, "no memory for measured data");
    const io_locale locale = br_io_locale_enter();
    if (status == BR_OK) status = read_all(m, def, error);
    br_io_locale_leave(locale);
    if (status != BR_OK) {
        br_measured_destroy(m);
        return status;
    }
    *out = m;
    return BR_OK;
}

void br_measured_destroy(br_measured *m) {
    if (!m) return;
    br_arena arena = m->arena;
    br_arena_free(&arena);
}

int br_measured_count(const br_measured *m) {
    return m->recordings;
}

const char *br_measured_name(const br_measured *m, int recording) {
    return m->recording[recording].name;
}

const char *br_measured_set(const br_measured *m) {
    return m->set;
}

const char *br_measured_start(const br_measured *m) {
    static const char *const names[] = {"first_row", "model", "free_flight"};
    return names[m->start];
}

const char *br_measured_model_path(const br_measured *m) {
    return m->model_path;
}

int br_measured_rows(const br_measured *m, int recording) {
    return m->recording[recording].rows;
}

const char *br_measured_notes(const br_measured *m) {
    return m->notes;
}

int br_measured_wished_count(const br_measured *m) {
    return m->wished_count;
}

const char *br_measured_wished(const br_measured *m, int k) {
    return m->wished[k];
}

int br_measured_law_count(const br_measured *m) {
    return m->laws;
}

int br_measured_experiment_count(const br_measured *m) {
    return m->experiments;
}
