// Names: the rules for them, a table to find them by, and the words of the format.
#ifndef BR_MODEL_DEF_NAMES_H
#define BR_MODEL_DEF_NAMES_H

#include "base/arena.h"
#include "bristle/model.h"

// A growing list of names that can be searched. Names are not copied: they live in the arena of their owner.
typedef struct br_names {
    const char **name; // in the order in which they were added
    int count, capacity;
    int *slot; // open addressing: 1 + index, 0 empty
    int slots; // a power of two
} br_names;

int br_names_find(const br_names *names, const char *name);                 // -1: none
br_status br_names_add(br_names *names, br_arena *arena, const char *name); // unchanged on BR_NO_MEMORY
const char *br_names_nearest(const br_names *names, const char *name);      // NULL when none is near
const char *const *br_copy_texts(br_arena *arena, const char *const *texts, int count); // NULL: out of memory
char *br_copy_text(br_arena *arena, const char *text);                                  // NULL: out of memory
int br_keep_text(br_arena *arena, const char **text); // replaces it by a copy; NULL stays. 0: no memory

// What is wrong with a name, as the end of a sentence; NULL when nothing is.
const char *br_name_fault(const char *name);

// A letter for each velocity coordinate, see br_joint_kind; empty for kinds that carry no body.
const char *br_joint_type_coordinates(br_joint_type type);

// Velocity coordinates below this number have a position coordinate of the same number; those from it on are
// angular velocities beside a quaternion.
int br_joint_type_plain(br_joint_type type);

// Which velocity coordinate turns, and which slides; -1 when there is none or more than one.
int br_joint_type_rotation(br_joint_type type);
int br_joint_type_translation(br_joint_type type);

#endif
