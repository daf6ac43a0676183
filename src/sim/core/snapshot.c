// The state as bytes, see br_sim_save: a header, a table of the parts of the state's block (sim/state/state.h), their items.
//
//     header    magic, version, hash of the model, size of the whole, checksum of everything else
//     table     a line for each saved part: hash of its name, bytes of an item, count of items
//     items     part after part, each filled up to whole words
//
// A checksum tells whether bytes are those that were saved: of every change within one word it is another one, of others it is
// the same once in 2^64. Before it is known to agree nothing is believed but the length that the caller gave.
#include <limits.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "sim/contact/contact.h"
#include "sim/core/control.h"
#include "sim/stepper/stepper.h"

typedef struct snapshot_header {
    uint64_t magic;
    uint32_t version, parts;
    uint64_t model, size, checksum;
} snapshot_header;
BR_NO_PADDING(snapshot_header, 40);

typedef struct snapshot_line {
    uint64_t name;
    uint32_t stride, count;
} snapshot_line;
BR_NO_PADDING(snapshot_line, 16);

#define BR_SNAPSHOT_MAGIC UINT64_C(0x6574617473726273) // "sbrstate"
#define BR_SNAPSHOT_VERSION 2u

// size: whole words.
static uint64_t hash_words(uint64_t hash, const char *bytes, size_t size) {
    for (size_t at = 0; at + sizeof hash <= size; at += sizeof hash) {
        uint64_t word;
        memcpy(&word, bytes + at, sizeof word);
        hash = (hash ^ word) *
               UINT64_C(0x9e3779b97f4a7c15); // each step is one-to-one: a word that differs stays seen
        hash ^= hash >> 29;
    }
    return hash;
}

static uint64_t checksum_of(const char *bytes, size_t size) {
    const size_t own = offsetof(snapshot_header, checksum), rest = sizeof(snapshot_header);
    return hash_words(hash_words(BR_HASH_START, bytes, own), bytes + rest, size - rest);
}

static uint64_t name_of(const br_state_part *part) {
    return br_hash_bytes(BR_HASH_START, part->name, strlen(part->name));
}

// --- saving ------------------------------------------------------------------------------------------------

static int saved_parts(const br_sim *sim) {
    int count = 0;
    for (int k = 0; k < sim->block.parts; k++) count += (sim->block.part[k].flags & BR_PART_SAVED) != 0;
    return count;
}

size_t br_sim_snapshot_size(const br_sim *sim) {
    size_t size = sizeof(snapshot_header) + (size_t)saved_parts(sim) * sizeof(snapshot_line);
    for (int k = 0; k < sim->block.parts; k++)
        if (sim->block.part[k].flags & BR_PART_SAVED) size += br_state_bytes(&sim->block.part[k]);
    return size;
}

void br_sim_save(const br_sim *sim, void *bytes) {
    snapshot_header head = {.magic = BR_SNAPSHOT_MAGIC,
                            .version = BR_SNAPSHOT_VERSION,
                            .parts = (uint32_t)saved_parts(sim),
                            .model = sim->model->hash,
                            .size = br_sim_snapshot_size(sim)};
    char *line = (char *)bytes + sizeof head, *to = line + head.parts * sizeof(snapshot_line);
    for (int k = 0; k < sim->block.parts; k++) {
        const br_state_part *part = &sim->block.part[k];
        if (!(part->flags & BR_PART_SAVED)) continue;
        const snapshot_line entry = {name_of(part), (uint32_t)part->stride, (uint32_t)part->count};
        memcpy(line, &entry, sizeof entry);
        const size_t items = (size_t)part->count * part->stride, filled = br_state_bytes(part);
        memcpy(to, sim->block.now + part->offset, items);
        memset(to + items, 0, filled - items);
        line += sizeof entry, to += filled;
    }
    memcpy(bytes, &head, sizeof head);
    head.checksum = checksum_of(bytes, head.size);
    memcpy(bytes, &head, sizeof head);
}

uint64_t br_sim_hash(const br_sim *sim) {
    return br_state_hash(&sim->block);
}

// --- loading -----------------------------------------------------------------------------------------------

static const char *model_name(const br_sim *sim) {
    return sim->model->settings.name ? sim->model->settings.name : "";
}

// Whether the bytes are a whole snapshot, of this version and model.
static br_status check_header(const br_sim *sim, const char *bytes, size_t size, snapshot_header *head,
                              br_error *error) {
    memset(head, 0, sizeof *head);
    if (size >= sizeof *head) memcpy(head, bytes, sizeof *head);
    if (head->magic != BR_SNAPSHOT_MAGIC)
        return br_fail(error, BR_INVALID, "snapshot-damaged", "%zu bytes are not a snapshot of br_sim_save",
                       size);
    if (head->version != BR_SNAPSHOT_VERSION)
        return br_fail(error, BR_INVALID, "snapshot-version",
                       "the snapshot has version %u, and this bristle reads version %u; save it again",
                       (unsigned)head->version, BR_SNAPSHOT_VERSION);
    if (head->size != size)
        return br_fail(
            error, BR_INVALID, "snapshot-damaged",
            "the snapshot has %llu bytes, and %zu were given: it was cut off, or something follows it",
            (unsigned long long)head->size, size);
    if (size % sizeof(uint64_t) != 0 || head->checksum != checksum_of(bytes, size))
        return br_fail(error, BR_INVALID, "snapshot-damaged", "the snapshot was changed after it was saved");
    if (head->model != sim->model->hash)
        return br_fail(error, BR_INVALID, "snapshot-other", "the snapshot is not one of model '%s'",
                       model_name(sim));
    return BR_OK;
}

// Whether the table is that of the simulation's own parts, and the items can be some. *touches: of the growing part.
static int parts_fit(const br_sim *sim, const char *bytes, const snapshot_header *head, int *touches) {
    if (head->parts != (uint32_t)saved_parts(sim)) return 0;
    size_t line = sizeof *head, at = line + head->parts * sizeof(snapshot_line);
    if (at > head->size) return 0;
    for (int k = 0; k < sim->block.parts; k++) {
        br_state_part part = sim->block.part[k];
        if (!(part.flags & BR_PART_SAVED)) continue;
        snapshot_line entry;
        memcpy(&entry, bytes + line, sizeof entry);
        if (entry.name != name_of(&part) || entry.stride != part.stride || entry.count > INT_MAX / 2)
            return 0;
        if (part.flags & BR_PART_GROWS)
            *touches = part.count = (int)entry.count;
        else if (entry.count != (uint32_t)part.count)
            return 0;
        const size_t filled = br_state_bytes(&part);
        if (filled > head->size - at) return 0;
        if (part.fits && !part.fits(sim, bytes + at, part.count)) return 0;
        line += sizeof entry, at += filled;
    }
    return at == head->size;
}

static void take_parts(br_sim *sim, const char *from) {
    for (int k = 0; k < sim->block.parts; k++) {
        const br_state_part *part = &sim->block.part[k];
        if (!(part->flags & BR_PART_SAVED)) continue;
        memcpy(sim->block.now + part->offset, from, (size_t)part->count * part->stride);
        from += br_state_bytes(part);
    }
}

br_status br_sim_load(br_sim *sim, const void *bytes, size_t size, br_error *error) {
    snapshot_header head;
    int touches = 0;
    br_status status = check_header(sim, bytes, size, &head, error);
    if (status != BR_OK) return status;
    if (!parts_fit(sim, bytes, &head, &touches))
        return br_fail(error, BR_INVALID, "snapshot-other",
                       "the snapshot of model '%s' has other parts than this simulation", model_name(sim));
    if (sim->contacts) {
        status = br_contacts_reserve(sim, touches, error);
        if (status == BR_OK && br_state_reserve(&sim->block, touches) != BR_OK)
            status = br_no_memory(error, "no memory for contacts");
        if (status != BR_OK) return status;
        sim->contacts->kept->count = touches;
    }
    take_parts(sim, (const char *)bytes + sizeof head + head.parts * sizeof(snapshot_line));
    br_controls_follow(sim);
    sim->at = 0, sim->reactions_valid = 0, sim->outside++;
    br_motors_forget(sim);
    if (sim->stepper->forget) sim->stepper->forget(sim);
    if (sim->own && sim->own != sim->stepper) sim->own->forget(sim);
    return BR_OK;
}
