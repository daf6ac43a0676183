// Lists of channels, see br_channels: found by name once, then a plan of readings and places in them.
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "sim/read/channel.h"

// Channels first .. of the list come from one reading.
typedef struct planned {
    br_reading_place place;
    int first;
} planned;

struct br_channels {
    br_arena arena;
    int count;
    const char **name;
    br_channel *channel;
    int *offset; // [count] in the reading
    int readings;
    planned *reading; // [readings + 1], the last one begins where the list ends
};

static br_status channels_no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "not enough memory for the channels");
}

static br_channels *take_list(int capacity, const br_allocator *allocator) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    br_channels *c = BR_TAKE(&arena, br_channels, 1);
    const char **name = BR_TAKE(&arena, const char *, capacity);
    br_channel *channel = BR_TAKE(&arena, br_channel, capacity);
    int *offset = BR_TAKE(&arena, int, capacity);
    planned *reading = BR_TAKE(&arena, planned, capacity + 1);
    if (!c || !name || !channel || !offset || !reading) {
        br_arena_free(&arena);
        return NULL;
    }
    *c = (br_channels){.arena = arena, .name = name, .channel = channel};
    c->offset = offset, c->reading = reading;
    return c;
}

void br_channels_destroy(br_channels *channels) {
    if (!channels) return;
    br_arena arena = channels->arena;
    br_arena_free(&arena);
}

// A channel that is in the reading of the one before it needs no other.
static br_status channels_add(br_channels *c, const char *name, const br_channel *channel, br_error *error) {
    const size_t size = strlen(name) + 1;
    char *copy = BR_TAKE(&c->arena, char, size);
    if (!copy) return channels_no_memory(error);
    memcpy(copy, name, size);
    const br_reading_place place = br_channel_place(channel);
    if (c->readings == 0 || !br_same_reading(&c->reading[c->readings - 1].place, &place))
        c->reading[c->readings++] = (planned){place, c->count};
    c->name[c->count] = copy;
    c->channel[c->count] = *channel;
    c->offset[c->count++] = place.offset;
    c->reading[c->readings].first = c->count;
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
    br_sim_channel_each(sim, compare_one, &n);
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

static br_status channels_find(const br_sim *sim, const char *name, br_channels *c, br_error *error) {
    br_channel channel;
    const br_status status = br_sim_channel_find(sim, name, &channel, error);
    if (status == BR_OK) return channels_add(c, name, &channel, error);
    const size_t used = error ? strlen(error->message) : 0;
    if (error) hint(sim, name, error->message + used, sizeof error->message - used);
    return status;
}

// *wrong: the number of the first name that there is no channel of.
static br_status find_all(const br_sim *sim, const char *const *names, int count,
                          const br_allocator *allocator, br_channels **out, int *wrong, br_error *error) {
    int has_time = 0, k = 0;
    for (int i = 0; i < count; i++) has_time |= strcmp(names[i], "t") == 0;
    br_channels *list = take_list(count + 1, allocator);
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

br_status br_channels_choose(const br_sim *sim, br_channel_choice choice, const br_allocator *allocator,
                             br_channels **out, br_error *error) {
    if (choice == BR_CHANNELS_OUTPUTS && sim->model->settings.output_count > 0)
        return choose_outputs(sim, allocator, out, error);
    br_channels *list = take_list(br_sim_channel_count(sim), allocator);
    if (!list) return channels_no_memory(error);
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
        for (int k = p[0].first; k < p[1].first; k++) values[k] = read[channels->offset[k]];
    }
    return BR_OK;
}
