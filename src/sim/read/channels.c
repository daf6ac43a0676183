// Lists of channels, see br_channels: found by name once, then a plan of readings and places in them.
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "sim/read/channel.h"
#include "sim/read/contact_sum.h"

// Channels first .. end - 1 of the list come from one reading.
typedef struct planned {
    br_reading_place place;
    int first, end;
} planned;

struct br_channels {
    br_arena arena;
    int count, capacity, channel_capacity, offset_capacity;
    const char **name;
    br_channel *channel;
    int *offset; // [count] in the reading
    int readings, reading_capacity;
    planned *reading; // [readings]
};

enum { BR_MAX_MATCHES = 20000 }; // channels of one list: a pattern that names more is a mistake

static br_status channels_no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "not enough memory for the channels");
}

static br_channels *take_list(const br_allocator *allocator) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_channels *c = BR_TAKE(&arena, br_channels, 1);
    if (!c) {
        br_arena_free(&arena);
        return NULL;
    }
    *c = (br_channels){.arena = arena};
    return c;
}

void br_channels_destroy(br_channels *channels) {
    if (!channels) return;
    br_arena arena = channels->arena;
    br_arena_free(&arena);
}

// Room for one more channel and one more reading.
static int grow_list(br_channels *c) {
    return BR_GROW(&c->arena, c->name, c->count, c->capacity) &&
           BR_GROW(&c->arena, c->channel, c->count, c->channel_capacity) &&
           BR_GROW(&c->arena, c->offset, c->count, c->offset_capacity) &&
           BR_GROW(&c->arena, c->reading, c->readings, c->reading_capacity);
}

// A channel that is in the reading of the one before it needs no other.
static br_status channels_add(br_channels *c, const char *name, const br_channel *channel, br_error *error) {
    const size_t size = strlen(name) + 1;
    char *copy = BR_TAKE(&c->arena, char, size);
    if (!copy || !grow_list(c)) return channels_no_memory(error);
    memcpy(copy, name, size);
    const br_reading_place place = br_channel_place(channel);
    if (c->readings == 0 || !br_same_reading(&c->reading[c->readings - 1].place, &place))
        c->reading[c->readings++] = (planned){place, c->count, c->count};
    c->name[c->count] = copy;
    c->channel[c->count] = *channel;
    c->offset[c->count++] = place.offset;
    c->reading[c->readings - 1].end = c->count;
    return BR_OK;
}

static br_status channels_give(br_channels *c, br_status status, br_channels **out) {
    if (status == BR_OK)
        *out = c;
    else
        br_channels_destroy(c);
    return status;
}

// ------------------------------------------------------------------------------------------------------ by name

// The nearest of all names: two at a time, the best so far and the next, so that no list of them is needed.
typedef struct nearing {
    const char *wanted;
    char best[3 * BR_MAX_NAME];
} nearing;

static int compare_one(void *context, const char *name, const br_channel *channel) {
    (void)channel;
    nearing *n = context;
    const char *const words[] = {n->best, name};
    const char *near = br_nearest_word(n->wanted, words, 2);
    if (near == name) snprintf(n->best, sizeof n->best, "%s", name);
    return 0;
}

// "hinge.angle": there is a hinge, and it has these.
typedef struct listing {
    const char *wanted;
    size_t prefix; // bytes up to its first dot, with it
    char text[160];
    size_t used;
    int more;
} listing;

static int list_one(void *context, const char *name, const br_channel *channel) {
    (void)channel;
    listing *l = context;
    if (strncmp(name, l->wanted, l->prefix) != 0) return 0;
    const char *rest = name + l->prefix;
    const size_t n = strlen(rest) + (l->used ? 2 : 0);
    if (l->more || l->used + n >= sizeof l->text)
        l->more = 1;
    else
        l->used +=
            (size_t)snprintf(l->text + l->used, sizeof l->text - l->used, "%s%s", l->used ? ", " : "", rest);
    return 0;
}

static void hint(const br_sim *sim, const char *name, char *out, size_t size) {
    nearing n = {name, ""};
    br_contact_sum_hint(sim->model, name, out, size);
    if (*out) return;
    br_sim_channel_each(sim, compare_one, &n);
    br_channel_sums_each(sim, compare_one, &n);
    if (n.best[0]) {
        snprintf(out, size, "; did you mean %s?", n.best);
        return;
    }
    listing l = {.wanted = name, .prefix = strcspn(name, ".")};
    if (name[l.prefix] != '.') return;
    l.prefix++;
    br_sim_channel_each(sim, list_one, &l);
    if (l.used > 0)
        snprintf(out, size, "; %.*s has %s%s", (int)l.prefix - 1, name, l.text, l.more ? ", ..." : "");
}

// What a pattern names, without what the list has already.
typedef struct adding {
    br_channels *out;
    int found;
    br_status status;
    br_error *error;
} adding;

static int has_channel(const br_channels *c, const br_channel *channel) {
    for (int k = 0; k < c->count; k++)
        if (c->channel[k].kind == channel->kind && c->channel[k].index == channel->index &&
            c->channel[k].component == channel->component)
            return 1;
    return 0;
}

static int add_one(void *context, const char *name, const br_channel *channel) {
    adding *a = context;
    a->found = 1;
    if (has_channel(a->out, channel)) return 0;
    if (a->out->count == BR_MAX_MATCHES)
        a->status = br_fail(a->error, BR_TOO_LARGE, "channel-many", "the patterns name more than %d channels",
                            BR_MAX_MATCHES);
    else
        a->status = channels_add(a->out, name, channel, a->error);
    return a->status != BR_OK;
}

static br_status channels_match(const br_sim *sim, const char *pattern, br_channels *c, br_error *error) {
    adding a = {.out = c, .error = error};
    br_channel_match_each(sim, pattern, add_one, &a);
    if (a.found || a.status != BR_OK) return a.status;
    return br_fail(error, BR_INVALID, "channel-unknown", "no channel of this model matches '%.200s'",
                   pattern);
}

static br_status channels_find(const br_sim *sim, const char *name, br_channels *c, br_error *error) {
    br_channel channel;
    const br_status status = br_sim_channel_find(sim, name, &channel, error);
    if (status == BR_OK) return channels_add(c, name, &channel, error);
    const char *star = strchr(name, '*'); // "A~*." is no pattern: all that A touches
    if (star && !(star[1] == '.' && star > name && star[-1] == '~' && !strchr(star + 1, '*')))
        return channels_match(sim, name, c, error);
    const size_t used = error ? strlen(error->message) : 0;
    if (error) hint(sim, name, error->message + used, sizeof error->message - used);
    return status;
}

// *wrong: the number of the first name that there is no channel of.
static br_status find_all(const br_sim *sim, const char *const *names, int count,
                          const br_allocator *allocator, br_channels **out, int *wrong, br_error *error) {
    int has_time = 0, k = 0;
    for (int i = 0; i < count; i++) has_time |= strcmp(names[i], "t") == 0;
    br_channels *list = take_list(allocator);
    if (!list) return channels_no_memory(error);
    br_status status = has_time ? BR_OK : channels_find(sim, "t", list, error);
    for (; k < count && status == BR_OK; k++) status = channels_find(sim, names[k], list, error);
    *wrong = k - 1;
    return channels_give(list, status, out);
}

br_status br_channels_named(const br_sim *sim, const char *const *names, int count,
                            const br_allocator *allocator, br_channels **out, br_error *error) {
    int wrong;
    return find_all(sim, names, count, allocator, out, &wrong, error);
}

// ------------------------------------------------------------------------------------------------------ choosing

static int is_chosen(br_channel_choice choice, br_channel_family family) {
    if (choice == BR_CHANNELS_ALL || family == BR_FAMILY_TIME || family == BR_FAMILY_BODY) return 1;
    return family == (choice == BR_CHANNELS_BODIES ? BR_FAMILY_ENERGY : BR_FAMILY_JOINT);
}

typedef struct choosing {
    br_channel_choice choice;
    br_channels *out;
    br_status status;
    br_error *error;
} choosing;

static int choose_one(void *context, const char *name, const br_channel *channel) {
    choosing *c = context;
    if (is_chosen(c->choice, br_channel_family_of(channel)))
        c->status = channels_add(c->out, name, channel, c->error);
    return c->status != BR_OK;
}

static br_status choose_outputs(const br_sim *sim, const br_allocator *allocator, br_channels **out,
                                br_error *error) {
    const br_settings *s = &sim->model->settings;
    br_error why;
    int wrong = 0;
    const br_status status = find_all(sim, s->outputs, s->output_count, allocator, out, &wrong, &why);
    if (status == BR_OK || !error) return status;
    *error = why;
    if (status != BR_INVALID) return status;
    snprintf(error->path, sizeof error->path, "outputs/%d", wrong);
    snprintf(error->message, sizeof error->message, "outputs: %.480s", why.message);
    return status;
}

// What a result keeps: all channels, or few of a model that has many; then forces between bodies, and what `outputs` names.
static br_status choose_recorded(const br_sim *sim, br_channels *list, br_channel_choice choice,
                                 br_error *error) {
    const br_settings *s = &sim->model->settings;
    choosing c = {choice == BR_CHANNELS_RECORDED ? BR_CHANNELS_ALL : BR_CHANNELS_BODIES, list, BR_OK, error};
    adding a = {.out = list, .error = error};
    br_sim_channel_each(sim, choose_one, &c);
    if (c.status != BR_OK) return c.status;
    br_channel_sums_each(sim, add_one, &a);
    for (int k = 0; k < s->output_count && a.status == BR_OK; k++) {
        br_channel channel;
        if (br_sim_channel_find(sim, s->outputs[k], &channel, NULL) == BR_OK)
            add_one(&a, s->outputs[k], &channel);
        else
            br_channel_match_each(sim, s->outputs[k], add_one, &a);
    }
    return a.status;
}

br_status br_channels_choose(const br_sim *sim, br_channel_choice choice, const br_allocator *allocator,
                             br_channels **out, br_error *error) {
    if (choice == BR_CHANNELS_OUTPUTS && sim->model->settings.output_count > 0)
        return choose_outputs(sim, allocator, out, error);
    br_channels *list = take_list(allocator);
    if (!list) return channels_no_memory(error);
    if (choice == BR_CHANNELS_RECORDED || choice == BR_CHANNELS_RECORDED_FEW)
        return channels_give(list, choose_recorded(sim, list, choice, error), out);
    choosing c = {choice, list, BR_OK, error};
    br_sim_channel_each(sim, choose_one, &c);
    return channels_give(list, c.status, out);
}

// ------------------------------------------------------------------------------------------------------- reading

int br_channels_count(const br_channels *channels) {
    return channels->count;
}

const char *const *br_channels_names(const br_channels *channels) {
    return channels->name;
}

const char *br_channels_unit(const br_channels *channels, int k) {
    return channels->channel[k].unit;
}

br_status br_channels_read(const br_channels *channels, br_sim *sim, double *values, br_error *error) {
    double read[BR_MAX_READING] = {0.0};
    for (int r = 0; r < channels->readings; r++) {
        const planned *p = &channels->reading[r];
        const br_status status = br_read(sim, &p->place, read, error);
        if (status != BR_OK) return status;
        for (int k = p->first; k < p->end; k++) values[k] = read[channels->offset[k]];
    }
    return BR_OK;
}
