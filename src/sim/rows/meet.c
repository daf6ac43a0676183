#include "sim/rows/meet.h"

#include <stdlib.h>
#include <string.h>

br_status br_meet_create(br_sim *sim, int groups, const int *at, const int *link, br_meet *out) {
    const size_t links = (size_t)sim->model->tree.links, n = (size_t)groups, keys = (size_t)at[groups];
    int *memory = br_sim_take(sim, (links + 1 + keys + 2 * n) * sizeof *memory);
    if (!memory) return BR_NO_MEMORY;
    memset(memory, 0, (links + 1) * sizeof *memory);
    *out = (br_meet){at, link, memory, memory + links + 1, NULL, NULL};
    out->seen = out->member + keys;
    out->found = out->seen + n;
    for (size_t k = 0; k < keys; k++) out->link_at[link[k] + 1]++;
    for (size_t i = 0; i < links; i++) out->link_at[i + 1] += out->link_at[i];
    for (int g = groups - 1; g >= 0; g--) // from behind, so that each link's are rising
        for (int k = at[g]; k < at[g + 1]; k++) out->member[--out->link_at[link[k] + 1]] = g;
    // The ends have become starts: link_at[i + 1] is that of link i, and moves to its place.
    memmove(out->link_at, out->link_at + 1, links * sizeof *out->link_at);
    out->link_at[links] = (int)keys;
    for (size_t g = 0; g < n; g++) out->seen[g] = -1;
    return BR_OK;
}

static int meet_rising(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int br_meet_before(br_meet *m, int group, const int **others) {
    int count = 0, sorted = 1;
    for (int k = m->at[group]; k < m->at[group + 1]; k++) {
        const int link = m->link[k];
        for (int e = m->link_at[link]; e < m->link_at[link + 1] && m->member[e] < group; e++) {
            const int other = m->member[e];
            if (m->seen[other] == group) continue;
            m->seen[other] = group;
            if (count > 0 && m->found[count - 1] > other) sorted = 0;
            m->found[count++] = other;
        }
    }
    if (!sorted) qsort(m->found, (size_t)count, sizeof *m->found, meet_rising);
    *others = m->found;
    return count;
}

void br_meet_free(br_sim *sim, br_meet *m) {
    br_sim_give(sim, m->link_at);
}
