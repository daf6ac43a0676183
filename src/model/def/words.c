// The words of the model format, see words.h.
#include "model/def/words.h"

#include <stdio.h>
#include <string.h>

#include "bristle/solver.h"
#include "model/def/dimension.h"

const char *const br_words_plane[] = {"xy", "xz", "yz", NULL};
const char *const br_words_coordinates[] = {"reduced", "absolute", NULL};
const char *const br_words_position_update[] = {"new", "old", NULL};
const char *const br_words_rotation[] = {"quaternion", "euler_zxy", NULL};
const char *const br_words_events[] = {"whole", "split", NULL};
const char *const br_words_friction_loads[] = {"newton", "fixed_point", NULL};
const char *const br_words_method[] = {"auto",     "newton", "interior", "gauss_seidel", "lemke",
                                       "pivoting", "",       "",         "accelerated",  NULL};
const char *const br_words_start_penetration[] = {"settle", "push", "refuse", NULL};
const char *const br_words_joined[] = {"apart", "moving", "touch", NULL};
const char *const br_words_scheme[] = {"alpha", "energy_decaying", NULL};
const char *const br_words_friction_law[] = {"coulomb", "smooth", "dahl", "lugre", "bristle", NULL};
const char *const br_words_friction_shape[] = {
    "piecewise", "tanh", "arctan", "saturation", "exponential", "stribeck_smooth", NULL};
const char *const br_words_restitution[] = {"newton", "poisson", NULL};
const char *const br_words_normal_law[] = {"linear", "hertz", "hunt_crossley", NULL};
const char *const br_words_clearance_law[] = {"linear", "hertz", "hunt_crossley", "lankarani_nikravesh",
                                              "table",  NULL};
const char *const br_words_joint[] = {"weld",      "revolute",    "prismatic", "screw", "cylindrical",
                                      "universal", "spherical",   "planar",    "free",  "distance",
                                      "gear",      "rack_pinion", "tendon",    NULL};
const char *const br_words_tendon[] = {"point", "pulley", "sphere", "cylinder", "joint", NULL};
const char *const br_words_sensor[] = {"accelerometer",
                                       "velocimeter",
                                       "gyro",
                                       "force",
                                       "torque",
                                       "touch",
                                       "position",
                                       "rotation",
                                       "linear_velocity",
                                       "angular_velocity",
                                       "linear_acceleration",
                                       "angular_acceleration",
                                       "joint_position",
                                       "joint_velocity",
                                       "drive_effort",
                                       NULL};
const char *const br_words_clearance[] = {"planar", "spherical", "spatial", "journal", NULL};
const char *const br_words_load[] = {"force", "torque", "spring", "bushing", NULL};
const char *const br_words_load_axes[] = {"world", "body", NULL};
const char *const br_words_term_axes[] = {"body", "world", NULL};
const char *const br_words_shape[] = {"sphere",    "box",    "capsule", "cylinder",    "disk",
                                      "ellipsoid", "convex", "plane",   "heightfield", NULL};
const char *const br_words_line[] = {"points", "arc", "spline", NULL};
const char *const br_words_section[] = {"circle", "tube", "rectangle", "I", NULL};

const br_word_call br_calls_contact_law[] = {
    {"bristle", NULL, .dimension = BR_DIM_ANY, .law = {.coulomb = 1, .bristles = 1}},
    {"cone", NULL, .dimension = BR_DIM_ANY, .law = {.coulomb = 1}},
    {"box", NULL, .dimension = BR_DIM_ANY,
     .law = {.corners = "box", .bias = "its bound is up to sqrt(2) mu f_n between the axes"}},
    {"polygon", "n", .dimension = BR_DIM_NONE, .low = 4.0, .high = BR_MAX_POLYGON_SIDES, .even = 1,
     .law = {.sides = 1, .corners = "a polygon", .bias = "its force points to a corner of the polygon"}},
    {"viscous", "v0", .dimension = BR_DIM_VELOCITY, .law = {.creeps = 1}},
    {.word = NULL}};
const br_word_call br_calls_bounds[] = {{"implicit", NULL, .dimension = BR_DIM_ANY},
                                        {"lagged", NULL, .dimension = BR_DIM_ANY},
                                        {"iterated", "k", .dimension = BR_DIM_NONE},
                                        {.word = NULL}};
const br_word_call br_calls_redundancy[] = {{"compliance", NULL, .dimension = BR_DIM_ANY},
                                            {"pseudoinverse", NULL, .dimension = BR_DIM_ANY},
                                            {"eliminate", "joint.row", .dimension = BR_DIM_ANY},
                                            {.word = NULL}};

int br_word_find(const char *const *words, const char *word) {
    for (int k = 0; word && words[k]; k++)
        if (strcmp(words[k], word) == 0) return k;
    return -1;
}

const char *br_words_or(const char *const *words, char *out, size_t size) {
    size_t n = 0;
    out[0] = '\0';
    for (int k = 0; words[k] && n < size; k++)
        n += (size_t)snprintf(out + n, size - n, "%s%s",
                              k == 0         ? ""
                              : words[k + 1] ? ", "
                                             : " or ",
                              words[k]);
    return out;
}
