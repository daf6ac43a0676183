// Models of other programs: mjcf.
#include "bristle/bristle.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    br_model *model = NULL;
    br_error error;
    const char *path = fuzz_file(bytes, size, ".xml");
    if (path && br_model_read(path, NULL, 0, NULL, &model, NULL, &error) == BR_OK) br_model_destroy(model);
    return 0;
}
