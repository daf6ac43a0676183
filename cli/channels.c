#include "channels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

static br_status no_memory(br_error *error) {
    memset(error, 0, sizeof *error);
    error->status = BR_NO_MEMORY;
    error->code = "out-of-memory";
    snprintf(error->message, sizeof error->message, "not enough memory for the channels");
    return BR_NO_MEMORY;
}

static br_status take(cli_channels *c, int capacity, br_error *error) {
    const size_t n = (size_t)capacity + 1; // never 0 bytes
    memset(c, 0, sizeof *c);
    c->name = calloc(n, sizeof *c->name);
    c->channel = calloc(n, sizeof *c->channel);
    c->value = calloc(n, sizeof *c->value);
    return c->name && c->channel && c->value ? BR_OK : no_memory(error);
}

void cli_channels_free(cli_channels *channels) {
    for (int k = 0; k < channels->count; k++) free(channels->name[k]);
    free(channels->name);
    free(channels->channel);
    free(channels->value);
    memset(channels, 0, sizeof *channels);
}

static br_status add(const char *name, const br_channel *channel, cli_channels *c, br_error *error) {
    char *copy = malloc(strlen(name) + 1);
    if (!copy) return no_memory(error);
    strcpy(copy, name);
    c->channel[c->count] = *channel;
    c->name[c->count++] = copy;
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------ choosing

typedef enum family { FAMILY_TIME, FAMILY_BODY, FAMILY_JOINT, FAMILY_ENERGY, FAMILY_OTHER } family;

static int begins(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

// NAME.WORD.TAIL: whether WORD, the last but one part, is `word`, or, without a tail, the last part.
static int has_word(const char *name, const char *word, int with_tail) {
    const char *last = strrchr(name, '.');
    if (!last) return 0;
    if (!with_tail) return strcmp(last + 1, word) == 0;
    const size_t n = strlen(word);
    return (size_t)(last - name) > n && memcmp(last - n, word, n) == 0 && last[-(long)n - 1] == '.';
}

// Told by the form of the name: a body's quantities have the components x, y, z (w), a joint's none or a number.
static family family_of(const char *name) {
    static const char *const vectors[] = {"position", "com", "rotation", "velocity", "angular_velocity"};
    if (strcmp(name, "t") == 0) return FAMILY_TIME;
    if (begins(name, "energy.") || begins(name, "ledger.")) return FAMILY_ENERGY;
    if (strstr(name, ".reaction.")) return FAMILY_OTHER;
    if (has_word(name, "position", 0) || has_word(name, "velocity", 0)) return FAMILY_JOINT;
    const char *last = strrchr(name, '.');
    const int is_number = last && last[1] >= '0' && last[1] <= '9';
    if (is_number && (has_word(name, "position", 1) || has_word(name, "velocity", 1))) return FAMILY_JOINT;
    for (size_t k = 0; !is_number && k < sizeof vectors / sizeof *vectors; k++)
        if (has_word(name, vectors[k], 1)) return FAMILY_BODY;
    return FAMILY_OTHER;
}

static int chosen(cli_channel_choice choice, const char *name) {
    const family f = family_of(name);
    if (choice == CLI_CHANNELS_ALL) return 1;
    if (choice == CLI_CHANNELS_BODIES) return f == FAMILY_TIME || f == FAMILY_BODY || f == FAMILY_ENERGY;
    return f == FAMILY_TIME || f == FAMILY_BODY || f == FAMILY_JOINT;
}

typedef struct choosing {
    cli_channel_choice choice;
    cli_channels *out;
    br_status status;
    br_error *error;
} choosing;

static int choose_one(void *context, const char *name, const br_channel *channel) {
    choosing *c = context;
    if (chosen(c->choice, name)) c->status = add(name, channel, c->out, c->error);
    return c->status != BR_OK;
}

br_status cli_channels_choose(const br_sim *sim, cli_channel_choice choice, cli_channels *out,
                              br_error *error) {
    choosing c = {choice, out, take(out, br_sim_channel_count(sim), error), error};
    if (c.status == BR_OK) br_sim_channel_each(sim, choose_one, &c);
    return c.status;
}

// ------------------------------------------------------------------------------------------------------ by name

// The nearest of all names: two at a time, the best so far and the next, so that no list of them is needed.
typedef struct nearing {
    const char *wanted;
    char best[CLI_MAX_CHANNEL_NAME];
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

static br_status find(const br_sim *sim, const char *name, cli_channels *c, br_error *error) {
    br_channel channel;
    const br_status status = br_sim_channel_find(sim, name, &channel, error);
    if (status == BR_OK) return add(name, &channel, c, error);
    const size_t used = strlen(error->message);
    hint(sim, name, error->message + used, sizeof error->message - used);
    return status;
}

br_status cli_channels_named(const br_sim *sim, const char *const *names, int count, cli_channels *out,
                             br_error *error) {
    int has_time = 0;
    for (int k = 0; k < count; k++) has_time |= strcmp(names[k], "t") == 0;
    br_status status = take(out, count + 1, error);
    if (status == BR_OK && !has_time) status = find(sim, "t", out, error);
    for (int k = 0; k < count && status == BR_OK; k++) status = find(sim, names[k], out, error);
    return status;
}

br_status cli_channels_check_outputs(const br_sim *sim, br_error *error) {
    const br_settings *s = br_model_settings(br_sim_model(sim));
    cli_channels c;
    char why[BR_MAX_ERROR_TEXT];
    memset(&c, 0, sizeof c);
    if (s->output_count == 0) return BR_OK;
    const br_status status = cli_channels_named(sim, s->outputs, s->output_count, &c, error);
    int at = c.count; // of the one that is not there; t came first, unless it is among them
    if (at > 0 && strcmp(c.name[0], s->outputs[0]) != 0) at--;
    cli_channels_free(&c);
    if (status != BR_INVALID) return status;
    snprintf(error->path, sizeof error->path, "outputs/%d", at);
    snprintf(why, sizeof why, "%s", error->message);
    snprintf(error->message, sizeof error->message, "outputs: %.480s", why);
    return status;
}

br_status cli_channels_read(cli_channels *channels, br_sim *sim, br_error *error) {
    for (int k = 0; k < channels->count; k++) {
        const br_status status = br_sim_channel_read(sim, &channels->channel[k], &channels->value[k], error);
        if (status != BR_OK) return status;
    }
    return BR_OK;
}
