// Files of states (JSON), of a model with seven positions and six velocities.
#include "bristle/bristle.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    br_state_file *file = NULL;
    br_error error;
    const char *path = fuzz_file(bytes, size, ".json");
    if (path && br_state_file_read(path, 7, 6, NULL, &file, &error) == BR_OK) br_state_file_free(file);
    return 0;
}
