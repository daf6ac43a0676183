#include "fit/derive.h"

#include <string.h>

#include "base/error.h"

// A set of its own arena that shares everything else; the overrides are more than those of the first.
br_status br_fit_derive(const br_measured *m, const br_override *more, int count, br_measured **out,
                        br_error *error) {
    br_arena arena;
    br_arena_init(&arena, m->allocator);
    br_measured *d = BR_TAKE(&arena, br_measured, 1);
    if (!d) {
        br_arena_free(&arena);
        return br_no_memory(error, "no memory for measured data");
    }
    *d = *m;
    d->arena = arena; // it holds itself
    d->override = BR_TAKE(&d->arena, br_override, m->overrides + count);
    for (int k = 0; k < m->overrides && d->override; k++) d->override[k] = m->override[k];
    for (int k = 0; k < count && d->override; k++) {
        d->override[m->overrides + k] =
            (br_override){br_arena_copy(&d->arena, more[k].name, strlen(more[k].name) + 1, 1),
                          br_arena_copy(&d->arena, more[k].value, strlen(more[k].value) + 1, 1)};
    }
    d->overrides = m->overrides + count;
    if (!br_arena_ok(&d->arena)) {
        br_measured_destroy(d);
        return br_no_memory(error, "no memory for measured data");
    }
    *out = d;
    return BR_OK;
}
