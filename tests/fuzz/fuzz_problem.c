// Complementarity problems: .cp files.
#include "bristle/bristle.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    br_problem_file *file = NULL;
    br_error error;
    const char *path = fuzz_file(bytes, size, ".cp");
    if (path && br_problem_file_read(path, NULL, &file, &error) == BR_OK) br_problem_file_free(file);
    return 0;
}
