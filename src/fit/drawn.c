#include "fit/drawn.h"

#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "sweep/philox.h"

enum { MOST_VARIED = BR_MAX_SWEEP_PARAMETERS };

typedef struct drawn_work {
    const br_measured *m;
    br_arena *arena;
    int varied;
    sweep_vary vary[MOST_VARIED];
} drawn_work;

static br_status find_varied(drawn_work *w, br_error *error) {
    const br_measured *m = w->m;
    const yaml_node *params = br_yaml_find(m->model, "params");
    yaml_reader r = {.arena = w->arena, .error = error, .path = m->model_path, .root = m->model};
    for (const yaml_node *p = params ? params->first : NULL; p && r.status == BR_OK; p = p->next) {
        int fixed = p->kind != YAML_MAP || br_yaml_find(p, "value") != NULL;
        for (int k = 0; k < m->overrides; k++)
            fixed = fixed || strcmp(m->override[k].name, p->key->text) == 0;
        for (int k = 0; k < m->constants; k++)
            fixed = fixed || strcmp(m->constant_param[k], p->key->text) == 0;
        if (!fixed && w->varied < MOST_VARIED) br_vary_read(&r, p, &w->vary[w->varied++]);
    }
    return r.status;
}

br_status br_fit_draw(const br_measured *m, int draws, br_arena *arena, fit_drawn *out, br_error *error) {
    drawn_work *w = BR_TAKE(arena, drawn_work, 1);
    if (!w) return br_no_memory(error, "no memory for bands");
    memset(w, 0, sizeof *w);
    w->m = m, w->arena = arena;
    const br_status status = find_varied(w, error);
    *out = (fit_drawn){.draws = draws, .varied = w->varied};
    if (status != BR_OK || w->varied == 0) return status;
    const size_t n = (size_t)draws * (size_t)w->varied;
    char(*text)[BR_MAX_SWEEP_VALUE] = br_arena_take(arena, n, BR_MAX_SWEEP_VALUE);
    out->override = BR_TAKE(arena, br_override, n);
    if (!br_arena_ok(arena)) return br_no_memory(error, "no memory for bands");
    for (int d = 0; d < draws; d++)
        for (int k = 0; k < w->varied; k++) {
            const size_t at = (size_t)d * (size_t)w->varied + (size_t)k;
            // Each parameter goes through all parts of its distribution once, in an order of its own.
            const uint64_t part = br_philox_permute(BR_HASH_START, (uint64_t)d, (uint64_t)draws, (uint32_t)k);
            br_vary_sample(&w->vary[k], ((double)part + 0.5) / draws, text[at]);
            out->override[at] = (br_override){w->vary[k].name, text[at]};
        }
    return BR_OK;
}
