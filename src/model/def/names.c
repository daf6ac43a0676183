// Names, see names.h and model.h.
#include "model/def/names.h"

#include <string.h>

#include "base/hash.h"
#include "bristle/base.h"
#include "model/def/words.h"
#include "tree/joint.h"

static int is_joint_type(br_joint_type type) {
    return (int)type >= 0 && type < BR_JOINT_TYPES;
}

const char *br_joint_type_name(br_joint_type type) {
    return is_joint_type(type) ? br_words_joint[type] : "unknown";
}

br_joint_type br_joint_type_from_name(const char *name) {
    const int k = br_word_find(br_words_joint, name);
    return k >= 0 ? (br_joint_type)k : BR_JOINT_TYPES;
}

const char *br_friction_law_name(br_friction_law law) {
    int laws = 0;
    while (br_words_friction_law[laws]) laws++;
    if ((int)law < 0 || (int)law > laws) return "unknown";
    return law == BR_FRICTION_NONE ? "none" : br_words_friction_law[law - BR_FRICTION_COULOMB];
}

int br_joint_type_velocities(br_joint_type type) {
    const br_joint_kind *kind = br_joint_kind_of(type);
    return kind ? kind->nv : 0;
}

int br_joint_type_positions(br_joint_type type) {
    const br_joint_kind *kind = br_joint_kind_of(type);
    return kind ? kind->nq : 0;
}

const char *br_joint_type_coordinates(br_joint_type type) {
    const br_joint_kind *kind = br_joint_kind_of(type);
    return kind ? kind->coordinates : "";
}

int br_joint_type_turns(br_joint_type type) {
    const char *letters = br_joint_type_coordinates(type);
    return letters[0] && letters[strspn(letters, "AR")] == '\0';
}

int br_joint_type_plain(br_joint_type type) {
    return (int)strspn(br_joint_type_coordinates(type), "LA");
}

static int only_one(br_joint_type type, char letter) {
    const char *letters = br_joint_type_coordinates(type), *first = strchr(letters, letter);
    return first && !strchr(first + 1, letter) ? (int)(first - letters) : -1;
}

int br_joint_type_rotation(br_joint_type type) {
    return only_one(type, 'A');
}

int br_joint_type_translation(br_joint_type type) {
    return only_one(type, 'L');
}

br_vec3 br_planar_normal(br_planar planar) {
    switch (planar) {
    case BR_PLANAR_XY:
        return br_vec3_unit(2);
    case BR_PLANAR_XZ:
        return br_vec3_unit(1);
    case BR_PLANAR_YZ:
        return br_vec3_unit(0);
    case BR_SPATIAL:
        break;
    }
    return br_vec3_zero();
}

// --- rules -------------------------------------------------------------------------------------------------

// The characters that channels (BODY.position.x, shapeA~shapeB#k), paths (bodies/wheel), pairs (A/B) and
// lists of channels are cut at.
#define SEPARATORS ".,/~#:"

const char *br_name_fault(const char *name) {
    if (!name || !name[0]) return "is empty";
    if (strlen(name) >= BR_MAX_NAME) return "is longer than 63 characters";
    if (strcmp(name, BR_WORLD) == 0) return "is the name of the fixed body, which is always there";
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
        if (*c <= ' ' || *c == 0x7f) return "has a blank or a control character in it";
        if (strchr(SEPARATORS, *c))
            return "has one of the characters . , / ~ # : in it, which separate names";
    }
    return NULL;
}

// --- the table ---------------------------------------------------------------------------------------------

static int place_of(const br_names *names, const char *name) {
    const unsigned mask = (unsigned)names->slots - 1;
    unsigned at = (unsigned)br_hash_bytes(BR_HASH_START, name, strlen(name)) & mask;
    while (names->slot[at] && strcmp(names->name[names->slot[at] - 1], name) != 0) at = (at + 1) & mask;
    return (int)at;
}

int br_names_find(const br_names *names, const char *name) {
    return names->slots && name ? names->slot[place_of(names, name)] - 1 : -1;
}

br_status br_names_add(br_names *names, br_arena *arena, const char *name) {
    if (names->count == names->capacity) { // the old arrays stay in the arena: at most as much again
        br_names larger = *names;
        larger.capacity = names->capacity ? 2 * names->capacity : 16;
        larger.slots = 2 * larger.capacity;
        larger.name = BR_TAKE(arena, const char *, larger.capacity);
        larger.slot = BR_TAKE(arena, int, larger.slots);
        if (!larger.name || !larger.slot) return BR_NO_MEMORY;
        for (int k = 0; k < names->count; k++) {
            larger.name[k] = names->name[k];
            larger.slot[place_of(&larger, names->name[k])] = k + 1;
        }
        *names = larger;
    }
    names->name[names->count] = name;
    names->slot[place_of(names, name)] = ++names->count;
    return BR_OK;
}

const char *br_names_nearest(const br_names *names, const char *name) {
    return br_nearest_word(name, names->name, (size_t)names->count);
}

char *br_copy_text(br_arena *arena, const char *text) {
    const size_t size = strlen(text) + 1;
    char *copy = BR_TAKE(arena, char, size);
    return copy ? (char *)memcpy(copy, text, size) : NULL;
}

const char *const *br_copy_texts(br_arena *arena, const char *const *texts, int count) {
    const char **copy = BR_TAKE(arena, const char *, count);
    for (int k = 0; copy && k < count; k++)
        if (!(copy[k] = br_copy_text(arena, texts[k]))) return NULL;
    return copy;
}

int br_keep_text(br_arena *arena, const char **text) {
    if (!*text) return 1;
    *text = br_copy_text(arena, *text);
    return *text != NULL;
}
