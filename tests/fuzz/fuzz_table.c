// Results: tables.
#include "bristle/bristle.h"
#include "fuzz.h"

enum { MOST = 100000 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    br_result *result = NULL;
    br_result_item item;
    br_error error;
    const char *path = fuzz_file(bytes, size, ".csv");
    if (!path || br_result_open(path, NULL, &result, &error) != BR_OK) return 0;
    for (int k = 0; k < MOST && br_result_next(result, &item, &error) == BR_OK; k++)
        if (item.kind == BR_RESULT_END || item.kind == BR_RESULT_CUT) break;
    br_result_close(result);
    return 0;
}
