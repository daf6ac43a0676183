// The words of the model format, each list once: ended by NULL, in the order of the constants that they stand for.
#ifndef BR_MODEL_DEF_WORDS_H
#define BR_MODEL_DEF_WORDS_H

#include <stddef.h>

#include "bristle/model.h"

extern const char *const br_words_plane[];             // from BR_PLANAR_XY
extern const char *const br_words_coordinates[];       // br_coordinates
extern const char *const br_words_stepper[];           // br_stepper
extern const char *const br_words_position_update[];   // position_old
extern const char *const br_words_rotation[];          // rotation_euler
extern const char *const br_words_events[];            // split_events
extern const char *const br_words_friction_loads[];    // friction_fixed_point
extern const char *const br_words_start_penetration[]; // br_start_penetration
extern const char *const br_words_joined[];            // br_joined_bodies
extern const char *const br_words_method[];            // br_solver_kind; "": no method of a model
extern const char *const br_words_scheme[];            // energy_decaying
extern const char *const br_words_friction_law[];      // from BR_FRICTION_COULOMB
extern const char *const br_words_friction_shape[];
extern const char *const br_words_restitution[];                         // restitution_poisson
extern const char *const br_words_normal_law[];                          // of contact between shapes
extern const char *const br_words_clearance_law[];                       // those and more
extern const char *const br_words_joint[];                               // br_joint_type
extern const char *const br_words_sensor[];                              // br_sensor_type
extern const char *const br_words_clearance[], *const br_words_tendon[]; // br_clearance_type
extern const char *const br_words_load[];                                // br_load_type
extern const char *const br_words_load_axes[];                           // in_body_axes
extern const char *const br_words_term_axes[];                           // in_world_axes
extern const char *const br_words_shape[];                               // br_shape_type
extern const char *const br_words_line[];                                // br_line_kind
extern const char *const br_words_section[];                             // from BR_SECTION_CIRCLE

// A word, or a word with an argument: polygon(n).
typedef struct br_word_call {
    const char *word;
    const char *argument;      // as messages call it; NULL: takes none
    int dimension;             // br_dimension; BR_DIM_ANY: the argument is no quantity
    double low, high;          // of the argument: above low, and no larger than high where that is above 0
    int even;                  // it is whole and even, and may be low itself
    br_contact_law_traits law; // of a law of contact
} br_word_call;

extern const br_word_call br_calls_contact_law[]; // br_contact_law; ended by {NULL}
extern const br_word_call br_calls_bounds[];
extern const br_word_call br_calls_redundancy[];

int br_word_find(const char *const *words, const char *word); // its index; -1: none

// "linear, hertz or hunt_crossley".
const char *br_words_or(const char *const *words, char *out, size_t size);

#endif
