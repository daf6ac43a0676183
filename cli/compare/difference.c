// The difference of two results: both are read side by side, so that memory does not grow with their length. The second is
// taken at the times of the first, on straight lines between its rows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "compare/results.h"

enum { MAX_EVENTS = 4000000 };

typedef struct stream {
    br_result *result;
    const br_result_header *header;
    int time;
    double *before, *now; // the last two rows
    long rows;
    int ended;
    difference_events *events;
    char *missing;
} stream;

static const char no_memory[] = "not enough memory to compare these results";

double difference_rms(const difference *d, const difference_channel *c) {
    return d->rows > 0 ? sqrt(c->squares / (double)d->rows) : 0.0;
}

double difference_relative(const difference_channel *c) {
    const double range = c->high - c->low;
    return c->largest > 0.0 && range > 0.0 ? c->largest / range : 0.0;
}

// ------------------------------------------------------------------------------------------------------- streams

static br_status open_stream(stream *s, const char *path, br_error *error) {
    br_status status = br_result_open(path, NULL, &s->result, error);
    if (status != BR_OK) return status;
    s->header = br_result_about(s->result);
    s->time = -1;
    for (int k = 0; k < s->header->channel_count && s->time < 0; k++)
        if (strcmp(s->header->channels[k].name, "t") == 0) s->time = k;
    s->before = calloc((size_t)s->header->channel_count, sizeof *s->before);
    s->now = calloc((size_t)s->header->channel_count, sizeof *s->now);
    if (!s->before || !s->now) return cli_no_memory(error, no_memory);
    if (s->time >= 0) return BR_OK;
    return cli_error(error, BR_INVALID, "export-no-time", path, 0,
                     "has no channel t, so it cannot be compared");
}

static void close_stream(stream *s) {
    br_result_close(s->result);
    free(s->before);
    free(s->now);
}

static br_status keep_event(difference_events *list, const br_event *event, br_error *error) {
    if (list->count == list->capacity) {
        const long room = list->capacity > 0 ? 2 * list->capacity : 256;
        difference_event *item =
            room > MAX_EVENTS ? NULL : realloc(list->item, (size_t)room * sizeof *list->item);
        if (!item) return cli_no_memory(error, no_memory);
        list->item = item;
        list->capacity = room;
    }
    char *name = strdup(event->name);
    if (!name) return cli_no_memory(error, no_memory);
    list->item[list->count++] = (difference_event){event->t, event->kind, name};
    return BR_OK;
}

// The next row, or the end. What a damaged result has before its damage is compared.
static br_status difference_advance(stream *s, br_error *error) {
    br_result_item item;
    while (!s->ended) {
        br_error damage;
        memset(&damage, 0, sizeof damage);
        br_status status = br_result_next(s->result, &item, &damage);
        if (status == BR_PARSE) {
            snprintf(s->missing, BR_MAX_ERROR_TEXT, "%s", damage.message);
            s->ended = 1;
        } else if (status != BR_OK) {
            *error = damage;
            return status;
        } else if (item.kind == BR_RESULT_ROW) {
            double *swap = s->before;
            s->before = s->now;
            s->now = swap;
            memcpy(s->now, item.row, (size_t)s->header->channel_count * sizeof *s->now);
            s->rows++;
            return BR_OK;
        } else if (item.kind == BR_RESULT_EVENT) {
            status = keep_event(s->events, &item.event, error);
            if (status != BR_OK) return status;
        } else if (item.kind != BR_RESULT_CONTACTS) {
            s->ended = 1;
            if (item.kind == BR_RESULT_CUT)
                snprintf(s->missing, BR_MAX_ERROR_TEXT,
                         "it stops without an end: the run was killed or is still going");
        }
    }
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------ channels

static int is_wanted(const char *name, const char *const *patterns, int count) {
    for (int k = 0; k < count; k++)
        if (br_name_matches(patterns[k], name)) return 1;
    return count == 0;
}

typedef struct name_at {
    const char *name;
    int at;
} name_at;

static int by_name(const void *a, const void *b) {
    return strcmp(((const name_at *)a)->name, ((const name_at *)b)->name);
}

static int has_suffix(const char *name, const char *suffix) {
    const size_t n = strlen(name), m = strlen(suffix);
    return n >= m && strcmp(name + n - m, suffix) == 0;
}

static void find_rotations(difference *d) {
    static const char *const part[] = {".rotation.w", ".rotation.x", ".rotation.y", ".rotation.z"};
    for (int k = 0; k + 3 < d->count; k++) {
        int all = 1;
        for (int i = 0; i < 4; i++) all = all && has_suffix(d->channel[k + i].name, part[i]);
        d->channel[k].is_quat = all;
    }
}

static br_status pair_channels(const stream *a, const stream *b, const char *const *patterns,
                               int pattern_count, difference *d, br_error *error) {
    const int n = b->header->channel_count;
    d->count = 0;
    name_at *list = calloc((size_t)n, sizeof *list);
    d->channel = calloc((size_t)a->header->channel_count, sizeof *d->channel);
    if (!list || !d->channel) {
        free(list);
        return cli_no_memory(error, no_memory);
    }
    for (int k = 0; k < n; k++) list[k] = (name_at){b->header->channels[k].name, k};
    qsort(list, (size_t)n, sizeof *list, by_name);
    br_status status = BR_OK;
    int common = 0;
    for (int k = 0; k < a->header->channel_count && status == BR_OK; k++) {
        const br_result_channel *c = &a->header->channels[k];
        const name_at key = {c->name, 0}, *found = bsearch(&key, list, (size_t)n, sizeof *list, by_name);
        common += found != NULL;
        if (!found) d->only_first++;
        if (!found || k == a->time || !is_wanted(c->name, patterns, pattern_count)) continue;
        difference_channel *out = &d->channel[d->count++];
        *out = (difference_channel){.name = strdup(c->name),
                                    .unit = strdup(c->unit),
                                    .first = k,
                                    .second = found->at,
                                    .low = INFINITY,
                                    .high = -INFINITY};
        if (!out->name || !out->unit) status = cli_no_memory(error, no_memory);
    }
    d->only_second = n - common;
    free(list);
    if (status == BR_OK) find_rotations(d);
    return status;
}

// ------------------------------------------------------------------------------------------------------ measures

static void add_sample(difference_channel *c, double t, double x, double y) {
    const double apart = fabs(x - y);
    c->low = fmin(c->low, fmin(x, y));
    c->high = fmax(c->high, fmax(x, y));
    c->squares += apart * apart;
    if (apart <= c->largest) return;
    c->largest = apart;
    c->t = t;
}

static double between(const stream *b, int k, double s, double sign) {
    return s <= 0.0   ? b->before[k]
           : s >= 1.0 ? sign * b->now[k]
                      : (1.0 - s) * b->before[k] + s * sign * b->now[k];
}

// Rotations by four numbers: whichever sign is nearer, between rows and between results.
static void add_rotation(difference_channel *c, double t, const stream *a, const stream *b, double s) {
    double dot = 0.0, q[4], sign = 0.0;
    for (int i = 0; i < 4; i++) dot += b->before[c[i].second] * b->now[c[i].second];
    for (int i = 0; i < 4; i++) {
        q[i] = between(b, c[i].second, s, dot < 0.0 ? -1.0 : 1.0);
        sign += a->now[c[i].first] * q[i];
    }
    for (int i = 0; i < 4; i++) add_sample(&c[i], t, a->now[c[i].first], sign < 0.0 ? -q[i] : q[i]);
}

static void add_row(difference *d, const stream *a, const stream *b, double t, double s) {
    for (int k = 0; k < d->count; k++) {
        difference_channel *c = &d->channel[k];
        if (c->is_quat) {
            add_rotation(c, t, a, b, s);
            k += 3;
        } else {
            add_sample(c, t, a->now[c->first], between(b, c->second, s, 1.0));
        }
    }
    if (d->rows++ == 0) d->from = t;
    d->to = t;
    if (s > 0.0 && s < 1.0) d->interpolated++;
}

static br_status read_both(stream *a, stream *b, difference *d, br_error *error) {
    br_status status = difference_advance(b, error);
    if (status == BR_OK) status = difference_advance(a, error);
    while (status == BR_OK && !a->ended) {
        const double t = a->now[a->time];
        while (status == BR_OK && !b->ended && b->now[b->time] < t) status = difference_advance(b, error);
        if (status != BR_OK || b->rows == 0) break;
        const double end = b->now[b->time], start = b->rows > 1 ? b->before[b->time] : end;
        // Times that differ by rounding are one time: steps are counted in each result's own way.
        const double near = 1e-9 * fmax(fabs(end - start), 1e-6 * fabs(end));
        if (t >= start - near && t <= end + near && (b->rows > 1 || fabs(t - end) <= near))
            add_row(d, a, b, t,
                    fabs(t - end) <= near || end <= start ? 1.0
                    : fabs(t - start) <= near             ? 0.0
                                                          : (t - start) / (end - start));
        status = difference_advance(a, error);
    }
    while (status == BR_OK && !a->ended) status = difference_advance(a, error); // for its events
    while (status == BR_OK && !b->ended) status = difference_advance(b, error);
    return status;
}

static void compare_events(difference *d) {
    const difference_events *a = &d->events[0], *b = &d->events[1];
    long k = 0;
    for (; k < a->count && k < b->count; k++) {
        const difference_event *x = &a->item[k], *y = &b->item[k];
        if (x->kind != y->kind || strcmp(x->name, y->name) != 0) break;
        d->event_dt = fmax(d->event_dt, fabs(x->t - y->t));
    }
    d->same_events = k;
}

// A y that is 0 but for rounding differs by all of its range. Its neighbours say what is much: the largest number with its
// unit. 1e-12 of that, some thousand roundings, is noise.
static void find_weights(difference *d) {
    for (int k = 0; k < d->count; k++) {
        difference_channel *c = &d->channel[k];
        double scale = 0.0;
        for (int i = 0; i < d->count && c->largest > 0.0; i++)
            if (i == k || (c->unit[0] && strcmp(d->channel[i].unit, c->unit) == 0))
                scale = fmax(scale, fmax(fabs(d->channel[i].low), fabs(d->channel[i].high)));
        c->weight = scale > 0.0 ? c->largest / scale : 0.0;
        c->is_noise = c->largest > 0.0 && c->largest <= 1e-12 * scale;
        d->noise += c->is_noise;
    }
}

// What the solver did comes last: it differs between any two runs and says nothing of the motion.
static int by_difference(const void *a, const void *b) {
    const difference_channel *c = a, *e = b;
    const int p = 2 * c->is_noise + (strncmp(c->name, "solver.", 7) == 0);
    const int q = 2 * e->is_noise + (strncmp(e->name, "solver.", 7) == 0);
    if (p != q) return p - q;
    return c->weight > e->weight ? -1 : c->weight < e->weight ? 1 : c->first - e->first;
}

br_status difference_measure(const char *first, const char *second, const char *const *patterns,
                             int pattern_count, difference *out, br_error *error) {
    stream a, b;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    memset(out, 0, sizeof *out);
    a.events = &out->events[0];
    b.events = &out->events[1];
    a.missing = out->missing[0];
    b.missing = out->missing[1];
    br_status status = open_stream(&a, first, error);
    if (status == BR_OK) status = open_stream(&b, second, error);
    if (status == BR_OK) status = pair_channels(&a, &b, patterns, pattern_count, out, error);
    if (status == BR_OK) status = read_both(&a, &b, out, error);
    if (status == BR_OK) {
        out->has_events =
            br_result_source_of(a.result) != BR_SOURCE_CSV && br_result_source_of(b.result) != BR_SOURCE_CSV;
        compare_events(out);
        for (int k = 0; k < out->count; k++) out->same += out->channel[k].largest == 0.0;
        find_weights(out);
        qsort(out->channel, (size_t)out->count, sizeof *out->channel, by_difference);
    }
    close_stream(&a);
    close_stream(&b);
    return status;
}

void difference_free(difference *d) {
    for (int k = 0; k < d->count; k++) {
        free(d->channel[k].name);
        free(d->channel[k].unit);
    }
    free(d->channel);
    for (int i = 0; i < 2; i++) {
        for (long k = 0; k < d->events[i].count; k++) free(d->events[i].item[k].name);
        free(d->events[i].item);
    }
    memset(d, 0, sizeof *d);
}
