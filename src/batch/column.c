// Columns: their texts, see bristle/batch.h.
#include "batch/column.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "bristle/batch.h"
#include "io/text/text.h"
#include "model/model.h"

static const char *const ENDINGS[] = {"end", "min", "max", "mean", "period"};
enum { ENDING_COUNT = 5, EVENT_KINDS = BR_EVENT_LOAD_KNOT + 1, EVENT_PARTS = 3 };

static br_status column_fault(const char *text, br_error *error, const char *what) {
    return br_fail(error, BR_INVALID, "column-form",
                   "the column '%.120s' %s; expected CHANNEL.end, .min, .max, .mean, .period or .at(T), "
                   "event(KIND, NAME, K).t, hold(LOAD).sure, .possible or .needed, verdict, verdict.start or "
                   "credible",
                   text, what);
}

// The words between commas of "a, b, c", without blanks around; 0: one is empty, or there are more than `most`.
static int column_parts(const char *from, const char *to, io_token *part, int most) {
    int count = 0;
    while (from <= to) {
        const char *end = memchr(from, ',', (size_t)(to - from));
        if (!end) end = to;
        if (count == most) return 0;
        io_token *p = &part[count++];
        for (p->begin = from; p->begin < end && *p->begin == ' ';) p->begin++;
        for (p->end = end; p->end > p->begin && p->end[-1] == ' ';) p->end--;
        if (p->end == p->begin) return 0;
        from = end + 1;
    }
    return count;
}

static const char *column_word(br_arena *arena, io_token token) {
    char *copy = BR_TAKE(arena, char, token.end - token.begin + 1);
    if (copy) memcpy(copy, token.begin, (size_t)(token.end - token.begin));
    return copy;
}

// event(KIND, NAME, K).t
static br_status read_event_column(const char *text, br_arena *arena, batch_column *out, br_error *error) {
    const char *begin = text + strlen("event("), *close = strrchr(text, ')');
    const char *words[EVENT_KINDS];
    io_token part[EVENT_PARTS] = {{NULL, NULL}};
    long long which = 1;
    if (!close || strcmp(close, ").t") != 0) return column_fault(text, error, "has no ).t at its end");
    const int count = column_parts(begin, close, part, EVENT_PARTS);
    if (count < 2) return column_fault(text, error, "names no event");
    if (count == EVENT_PARTS && (!br_io_parse_integer(part[2], &which) || which < 1 || which > 1000000000))
        return column_fault(text, error, "has a number K that is not 1, 2, 3, ...");
    for (int k = 0; k < EVENT_KINDS; k++) words[k] = br_event_kind_name((br_event_kind)k);
    const char *kind = column_word(arena, part[0]);
    out->name = column_word(arena, part[1]);
    if (!kind || !out->name) return br_no_memory(error, "no memory for columns");
    out->kind = BATCH_EVENT, out->which = (long)which, out->event = (br_event_kind)EVENT_KINDS;
    for (int k = 0; k < EVENT_KINDS; k++)
        if (strcmp(words[k], kind) == 0) out->event = (br_event_kind)k;
    if ((int)out->event < EVENT_KINDS) return BR_OK;
    const char *near = br_nearest_word(kind, words, EVENT_KINDS);
    return br_fail(error, BR_INVALID, "column-event",
                   "the column '%.120s': there is no kind of event '%.40s'%s%s%s (stick, slip, contact_on, "
                   "contact_off, limit, load_knot)",
                   text, kind, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// hold(LOAD).sure, hold(A, B).possible
static br_status read_hold_column(const char *text, br_arena *arena, batch_column *out, br_error *error) {
    const char *begin = text + strlen("hold("), *close = strrchr(text, ')');
    io_token part[BATCH_MAX_LOADS] = {{NULL, NULL}};
    static const char *const word[] = {").sure", ").possible", ").needed"};
    int which = 0;
    while (which < 3 && !(close && strcmp(close, word[which]) == 0)) which++;
    if (which == 3) return column_fault(text, error, "has no ).sure, ).possible or ).needed at its end");
    out->kind = (batch_column_kind)(BATCH_HOLD_SURE + which);
    out->loads = column_parts(begin, close, part, BATCH_MAX_LOADS);
    if (out->loads == 0) return column_fault(text, error, "names no load, or more than 16");
    out->load = BR_TAKE(arena, const char *, out->loads);
    for (int k = 0; out->load && k < out->loads; k++) out->load[k] = column_word(arena, part[k]);
    return br_arena_ok(arena) ? BR_OK : br_no_memory(error, "no memory for columns");
}

// CHANNEL.at(0.25)
static br_status read_at_column(const char *text, const char *at, br_arena *arena, batch_column *out,
                                br_error *error) {
    const io_token number = {at + strlen(".at("), text + strlen(text) - 1};
    const io_locale locale = br_io_locale_enter();
    const int good = number.end > number.begin && *number.end == ')' &&
                     br_io_parse_double(number, &out->at) == IO_NUMBER_FINITE && out->at >= 0;
    br_io_locale_leave(locale);
    if (!good) return column_fault(text, error, "has no time in s, 0 or more, as CHANNEL.at(0.25) has");
    out->kind = BATCH_AT;
    out->channel = column_word(arena, (io_token){text, at});
    return out->channel ? BR_OK : br_no_memory(error, "no memory for columns");
}

static br_status read_channel_column(const char *text, br_arena *arena, batch_column *out, br_error *error) {
    const char *dot = strrchr(text, '.'), *at = strstr(text, ".at(");
    if (at && at > text) return read_at_column(text, at, arena, out, error);
    if (!dot || dot == text) return column_fault(text, error, "names no value of a run");
    for (int k = 0; k < ENDING_COUNT; k++) {
        if (strcmp(dot + 1, ENDINGS[k]) != 0) continue;
        out->kind = (batch_column_kind)k;
        out->channel = column_word(arena, (io_token){text, dot});
        return out->channel ? BR_OK : br_no_memory(error, "no memory for columns");
    }
    return column_fault(text, error, "does not say which value of the run it means");
}

static br_status read_one(const char *text, br_arena *arena, batch_column *out, br_error *error) {
    out->text = br_arena_copy(arena, text, strlen(text) + 1, 1);
    if (!out->text) return br_no_memory(error, "no memory for columns");
    if (strcmp(text, "verdict") == 0) {
        out->kind = BATCH_VERDICT;
    } else if (strcmp(text, "verdict.start") == 0) {
        out->kind = BATCH_VERDICT_START;
    } else if (strcmp(text, "credible") == 0) {
        out->kind = BATCH_CREDIBLE;
    } else if (strncmp(text, "event(", strlen("event(")) == 0) {
        return read_event_column(out->text, arena, out, error);
    } else if (strncmp(text, "hold(", strlen("hold(")) == 0) {
        return read_hold_column(out->text, arena, out, error);
    } else {
        return read_channel_column(out->text, arena, out, error);
    }
    return BR_OK;
}

// Channels are read once a row, however many columns they have.
static void place_channel(batch_columns *columns, batch_column *c) {
    if (!c->channel) return;
    for (c->source = 0; c->source < columns->channel_count; c->source++)
        if (strcmp(columns->channel[c->source], c->channel) == 0) return;
    columns->channel[columns->channel_count++] = c->channel;
}

br_status br_columns_read(const char *const *texts, int count, br_arena *arena, batch_columns *out,
                          br_error *error) {
    batch_columns columns = {.count = count};
    if (count < 1 || count > BR_MAX_BATCH_COLUMNS)
        return br_fail(error, BR_INVALID, "column-count", "%d columns, expected 1 to %d", count,
                       BR_MAX_BATCH_COLUMNS);
    columns.column = BR_TAKE(arena, batch_column, count);
    columns.channel = BR_TAKE(arena, const char *, count);
    if (!columns.column || !columns.channel) return br_no_memory(error, "no memory for columns");
    for (int k = 0; k < count; k++) {
        batch_column *c = &columns.column[k];
        const br_status status = read_one(texts[k], arena, c, error);
        if (status != BR_OK) return status;
        for (int i = 0; i < k; i++)
            if (strcmp(columns.column[i].text, c->text) == 0)
                return br_fail(error, BR_INVALID, "column-repeated", "the column '%.120s' is there twice",
                               c->text);
        place_channel(&columns, c);
        columns.verdicts |= c->kind == BATCH_VERDICT || c->kind == BATCH_VERDICT_START;
        columns.judged |= columns.verdicts || c->kind == BATCH_CREDIBLE;
        columns.periods |= c->kind == BATCH_PERIOD;
        columns.holds |= c->kind >= BATCH_HOLD_SURE;
    }
    *out = columns;
    return BR_OK;
}

// ---------------------------------------------------------------------------------------------------- of a model

// The texts that one column stands for, behind those in `list`.
static br_status expand_one(const batch_column *c, br_sim *sim, br_arena *arena, const char **list,
                            int *count, br_error *error) {
    br_channel channel;
    br_channels *found = NULL;
    list[*count] = c->text;
    if (!c->channel || !strchr(c->channel, '*') ||
        br_sim_channel_find(sim, c->channel, &channel, NULL) == BR_OK)
        return ++*count, BR_OK;
    br_status status = br_channels_named(sim, &c->channel, 1, NULL, &found, error);
    const char *ending = c->text + strlen(c->channel);
    for (int k = 0; status == BR_OK && k < br_channels_count(found); k++) {
        const char *name = br_channels_names(found)[k];
        if (strcmp(name, "t") == 0 && !br_name_matches(c->channel, "t")) continue;
        const size_t size = strlen(name) + strlen(ending) + 1;
        char *text = BR_TAKE(arena, char, size);
        if (*count == BR_MAX_BATCH_COLUMNS)
            status =
                br_fail(error, BR_INVALID, "column-count", "the columns stand for more than %d with '%.120s'",
                        BR_MAX_BATCH_COLUMNS, c->text);
        else if (!text)
            status = br_no_memory(error, "no memory for columns");
        else
            snprintf(text, size, "%s%s", name, ending), list[(*count)++] = text;
    }
    br_channels_destroy(found);
    return status;
}

br_status br_columns_expand(batch_columns *columns, br_sim *sim, br_arena *arena, br_error *error) {
    int patterns = 0, count = 0;
    for (int k = 0; k < columns->count; k++)
        patterns |= columns->column[k].channel && strchr(columns->column[k].channel, '*') != NULL;
    if (!patterns) return BR_OK;
    const char **list = BR_TAKE(arena, const char *, BR_MAX_BATCH_COLUMNS + 1);
    if (!list) return br_no_memory(error, "no memory for columns");
    for (int k = 0; k < columns->count; k++) {
        const br_status status = expand_one(&columns->column[k], sim, arena, list, &count, error);
        if (status != BR_OK) return status;
    }
    return br_columns_read(list, count, arena, columns, error);
}

// A body or a shape; a shape's name may begin with that of its body.
static int has_shape(const br_model *model, const char *name, size_t size) {
    for (int k = 0; k < br_model_shape_count(model); k++) {
        const char *shape = br_model_shape_name(model, k);
        if (strlen(shape) == size && memcmp(shape, name, size) == 0) return 1;
    }
    return 0;
}

// Events come from joints and what belongs to them (JOINT.friction), clearances, loads, drives and contacts A~B#k. Of a contact
// both shapes must be there; of the rest it is enough that one of the channels is the element's, or that the name is a joint.
typedef struct element_search {
    const char *name;
    size_t size;
} element_search;

static int is_of_element(void *context, const char *name, const br_channel *channel) {
    const element_search *s = context;
    (void)channel;
    return strncmp(name, s->name, s->size) == 0 && name[s->size] == '.';
}

static int has_element(const br_sim *sim, const char *name) {
    const br_model *model = br_sim_model(sim);
    const char *tilde = strchr(name, '~');
    if (tilde) {
        const char *b = tilde + 1;
        return has_shape(model, name, (size_t)(tilde - name)) && has_shape(model, b, strcspn(b, "#"));
    }
    const size_t whole = strlen(name);
    for (size_t n = whole; n > 0; n--) { // JOINT.friction and JOINT.0 are JOINT's
        element_search search = {name, n};
        if (n < whole && name[n] != '.') continue;
        if (br_sim_channel_each(sim, is_of_element, &search)) return 1;
    }
    for (int k = 0; k < model->loads; k++)
        if (strcmp(model->load[k].name, name) == 0) return 1;
    for (int k = 0; k < model->drives; k++)
        if (strcmp(model->drive[k].name, name) == 0) return 1;
    return 0;
}

// Loads that the model has; whether one has a size is known once the run with its parameters starts.
static br_status check_loads(const batch_columns *columns, br_sim *sim, br_error *error) {
    const br_model *model = br_sim_model(sim);
    for (int k = 0; k < columns->count; k++) {
        const batch_column *c = &columns->column[k];
        for (int i = 0; i < c->loads; i++) {
            int found = strcmp(c->load[i], "gravity") == 0;
            for (int n = 0; n < model->loads && !found; n++)
                found = strcmp(model->load[n].name, c->load[i]) == 0;
            for (int n = 0; n < model->drives && !found; n++)
                found = strcmp(model->drive[n].name, c->load[i]) == 0;
            if (!found)
                return br_fail(error, BR_INVALID, "column-element",
                               "the column '%.120s': the model has no load or drive '%.60s'; gravity is "
                               "one too",
                               c->text, c->load[i]);
        }
    }
    return BR_OK;
}

br_status br_columns_check(const batch_columns *columns, br_sim *sim, br_error *error) {
    br_channels *found = NULL;
    const br_status status =
        columns->channel_count > 0
            ? br_channels_named(sim, columns->channel, columns->channel_count, NULL, &found, error)
            : BR_OK;
    br_channels_destroy(found);
    if (status != BR_OK) return status;
    for (int k = 0; k < columns->count; k++) {
        const batch_column *c = &columns->column[k];
        if (c->kind == BATCH_EVENT && !has_element(sim, c->name))
            return br_fail(
                error, BR_INVALID, "column-element",
                "the column '%.120s': the model has no joint, clearance, load or drive '%.60s', nor "
                "two shapes of a contact A~B",
                c->text, c->name);
    }
    return check_loads(columns, sim, error);
}
