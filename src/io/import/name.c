#include "io/import/name.h"

#include <stdio.h>
#include <string.h>

br_status br_io_import_name(br_arena *arena, br_names *taken, const char *wish, const char **out) {
    char base[BR_MAX_NAME - 12], name[BR_MAX_NAME]; // room for a number
    snprintf(base, sizeof base, "%s", wish[0] ? wish : "unnamed");
    for (char *p = base; *p; p++) {
        const unsigned char c = (unsigned char)*p;
        if (c <= ' ' || c >= 0x7f || strchr("./~#,:\"'\\{}[]&*!|>%@`?$", c)) *p = '_';
    }
    snprintf(name, sizeof name, "%s", base);
    if (strlen(wish) < BR_MAX_NAME && !br_name_fault(wish)) snprintf(name, sizeof name, "%s", wish);
    // Past a few, the number of names so far is tried: a thousand that are cut to the same letters take as many tries.
    for (int k = 2; br_name_fault(name) || br_names_find(taken, name) >= 0;) {
        snprintf(name, sizeof name, "%s_%d", base, k);
        k = k < 9 || k >= taken->count ? k + 1 : taken->count;
    }
    const char *copy = br_copy_text(arena, name);
    if (!copy || br_names_add(taken, arena, copy) != BR_OK) return BR_NO_MEMORY;
    *out = copy;
    return BR_OK;
}
