// Verdicts that lie beside a result, NAME.trust.json. Private to src/io.
#ifndef BR_IO_RESULT_VERDICTS_H
#define BR_IO_RESULT_VERDICTS_H

#include <stdint.h>

#include "base/arena.h"

// The text of the verdicts beside `result`, a list of objects that each name the model's hash; NULL: there are none that can be read. others:
// what is there is of another model, or does not say of which, and is therefore not returned.
const char *br_result_verdicts(const char *result, uint64_t model_hash, br_arena *arena, int *others);
int br_is_list_of_objects(const char *json, br_arena *arena);

#endif
