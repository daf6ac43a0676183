// Values of columns while a run goes on.
#include "batch/gather.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "batch/period.h"

static int gather_place(const br_channels *channels, const char *name) {
    const char *const *names = br_channels_names(channels);
    int k = 0;
    while (strcmp(names[k], name) != 0) k++; // it was asked for by this name
    return k;
}

br_status br_gather_begin(batch_gather *g, const batch_columns *columns, const br_sim *sim, double after,
                          br_arena *arena, const br_allocator *allocator, br_error *error) {
    const int n = columns->channel_count;
    static const char *const time_only[] = {"t"};
    *g = (batch_gather){.columns = columns, .after = after, .arena = arena};
    const br_status status = br_channels_named(sim, n > 0 ? columns->channel : time_only, n > 0 ? n : 1,
                                               allocator, &g->channels, error);
    if (status != BR_OK) return status;
    g->place = BR_TAKE(arena, int, n);
    g->row = BR_TAKE(arena, double, br_channels_count(g->channels));
    g->end = BR_TAKE(arena, double, n);
    g->low = BR_TAKE(arena, double, n);
    g->high = BR_TAKE(arena, double, n);
    g->integral = BR_TAKE(arena, double, n);
    g->seen = BR_TAKE(arena, long, columns->count);
    g->value = BR_TAKE(arena, double, columns->count);
    if (!br_arena_ok(arena)) {
        br_gather_end(g);
        return br_no_memory(error, "no memory for the columns of a run");
    }
    g->time = gather_place(g->channels, "t");
    for (int k = 0; k < n; k++) g->place[k] = gather_place(g->channels, columns->channel[k]);
    for (int k = 0; k < columns->count; k++) g->value[k] = NAN;
    return BR_OK;
}

static int keep_row(batch_gather *g, double t) {
    const int n = g->columns->channel_count;
    for (int k = -1; k < n; k++) {
        if (!BR_GROW(g->arena, g->kept, g->kept_count, g->kept_capacity)) return 0;
        g->kept[g->kept_count++] = k < 0 ? t : g->end[k];
    }
    return 1;
}

// Between two rows, or on one: T by a straight line.
static void gather_at(batch_gather *g, double t) {
    for (int k = 0; k < g->columns->count; k++) {
        const batch_column *c = &g->columns->column[k];
        if (c->kind != BATCH_AT || g->seen[k] || t < c->at * (1 - 1e-12)) continue;
        const double now = g->row[g->place[c->source]], before = g->end[c->source];
        g->seen[k] = 1;
        g->value[k] =
            g->began && t > c->at ? before + (now - before) * (c->at - g->row_t) / (t - g->row_t) : now;
    }
}

br_status br_gather_row(batch_gather *g, br_sim *sim, br_error *error) {
    const int n = g->columns->channel_count;
    const br_status status = br_channels_read(g->channels, sim, g->row, error);
    if (status != BR_OK) return status;
    const double t = g->row[g->time];
    gather_at(g, t);
    g->began = 1, g->row_t = t;
    const int counts = t >= g->after * (1 - 1e-12);
    for (int k = 0; k < n; k++) {
        const double x = g->row[g->place[k]], before = g->end[k];
        g->end[k] = x;
        if (!counts) continue;
        g->low[k] = g->rows > 0 ? fmin(g->low[k], x) : x;
        g->high[k] = g->rows > 0 ? fmax(g->high[k], x) : x;
        if (g->rows > 0) g->integral[k] += 0.5 * (before + x) * (t - g->last);
    }
    if (!counts) return BR_OK;
    if (g->rows++ == 0) g->first = t;
    g->last = t;
    if (g->columns->periods && !keep_row(g, t)) return br_no_memory(error, "no memory for the rows of a run");
    return BR_OK;
}

// A~B stands for A~B#1, A~B#2, ...; which of the two shapes comes first is free.
static int names_contact(const char *asked, const char *name) {
    const char *tilde = strchr(name, '~'), *mine = strchr(asked, '~');
    if (!tilde || !mine) return 0;
    const size_t a = (size_t)(tilde - name), b = strcspn(tilde + 1, "#"), first = (size_t)(mine - asked),
                 second = strcspn(mine + 1, "#");
    const char *point = mine + 1 + second;
    const int same =
        a == first && b == second && memcmp(name, asked, a) == 0 && memcmp(tilde + 1, mine + 1, b) == 0;
    const int turned =
        a == second && b == first && memcmp(name, mine + 1, a) == 0 && memcmp(tilde + 1, asked, b) == 0;
    return (same || turned) && (*point == '\0' || strcmp(point, tilde + 1 + b) == 0);
}

void br_gather_event(void *gather, const br_event *event) {
    batch_gather *g = gather;
    for (int k = 0; k < g->columns->count; k++) {
        const batch_column *c = &g->columns->column[k];
        if (c->kind != BATCH_EVENT || c->event != event->kind) continue;
        if (strcmp(c->name, event->name) != 0 && !names_contact(c->name, event->name)) continue;
        if (++g->seen[k] == c->which) g->value[k] = event->t;
    }
}

static double gather_value(const batch_gather *g, const batch_column *c) {
    const int i = c->source;
    if (c->kind == BATCH_END) return g->end[i];
    if (g->rows == 0) return NAN;
    switch (c->kind) {
    case BATCH_MIN:
        return g->low[i];
    case BATCH_MAX:
        return g->high[i];
    case BATCH_MEAN:
        return g->last > g->first ? g->integral[i] / (g->last - g->first) : g->end[i];
    default:
        break;
    }
    const int stride = 1 + g->columns->channel_count;
    return br_period(g->kept, g->kept_count / stride, stride, 1 + i);
}

void br_gather_values(const batch_gather *g, double *values) {
    for (int k = 0; k < g->columns->count; k++) {
        const batch_column *c = &g->columns->column[k];
        values[k] = c->kind <= BATCH_PERIOD ? gather_value(g, c) : g->value[k];
    }
}

void br_gather_end(batch_gather *g) {
    br_channels_destroy(g->channels);
    g->channels = NULL;
}
