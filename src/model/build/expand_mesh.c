// Meshes of beams, see expand.h.
//
// Breaks are the ends, the corners and the stations that somebody names. A piece of the fraction f gets ceil(f elements)
// elements of equal length, so that a break between two nodes of the even mesh costs one element, and none at a node.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/build/expand.h"
#include "model/build/station.h"
#include "model/def/validate.h"

// Stations have six digits, so products with `elements` are off by that much; more than this is a piece of an element.
#define BR_EPS_PIECE 1e-3

typedef struct breaks {
    double *station;
    int count, capacity;
} breaks;

// --- who names stations ------------------------------------------------------------------------------------

// Counts where `all` has no room yet, else adds.
static void name_one(const br_builder *b, const char *name, breaks *all) {
    int beam;
    double station;
    if (br_station_find(b, name, &beam, &station) != BR_STATION_GOOD) return;
    if (all[beam].station)
        all[beam].station[all[beam].count++] = station;
    else
        all[beam].capacity++;
}

static void name_all(const br_builder *b, breaks *all) {
    for (int k = 0; k < b->joint_names.count; k++)
        name_one(b, b->joint[k].first, all), name_one(b, b->joint[k].second, all);
    for (int k = 0; k < b->clearance_names.count; k++)
        name_one(b, b->clearance[k].first, all), name_one(b, b->clearance[k].second, all);
    for (int k = 0; k < b->load_names.count; k++)
        name_one(b, b->load[k].first, all), name_one(b, b->load[k].second, all);
    for (int k = 0; k < b->constraint_names.count; k++)
        for (int i = 0; i < b->constraint[k].term_count; i++)
            name_one(b, b->constraint[k].terms[i].body, all);
    for (int k = 0; k < b->settings.contact_exclude_count; k++)
        for (int i = 0; i < 2; i++) name_one(b, b->settings.contact_exclude[k][i], all);
    for (int k = 0; k < b->beam_names.count; k++)
        for (int i = 0; i < b->beam[k].attach_count; i++) name_one(b, b->beam[k].attach[i].body, all);
}

// Its own: ends, corners, attachments.
static int own_breaks(const br_builder *b, int beam) {
    return 2 + b->beam_line[beam].corners + b->beam[beam].attach_count;
}

static void add_own(const br_builder *b, int beam, breaks *out) {
    out->station[out->count++] = 0.0;
    out->station[out->count++] = 1.0;
    for (int k = 0; k < b->beam_line[beam].corners; k++)
        out->station[out->count++] = b->beam_line[beam].corner[k];
    for (int k = 0; k < b->beam[beam].attach_count; k++)
        out->station[out->count++] = br_station_snap(b, beam, b->beam[beam].attach[k].station);
}

static int rising(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int sort_breaks(breaks *s) {
    int kept = 0;
    qsort(s->station, (size_t)s->count, sizeof *s->station, rising);
    for (int k = 0; k < s->count; k++)
        if (kept == 0 || s->station[k] != s->station[kept - 1]) s->station[kept++] = s->station[k];
    return kept;
}

// --- nodes -------------------------------------------------------------------------------------------------

static int pieces(double from, double to, int elements) {
    const int n = (int)ceil((to - from) * elements - fmin(BR_EPS_PIECE, 2e-6 * elements + 1e-9));
    return n < 1 ? 1 : n;
}

// Stations between named ones are k/elements where that is what they are, without rounding.
static double between(double from, double to, int k, int n, int elements) {
    const double x = from + (to - from) * k / n, even = round(x * elements) / elements;
    return fabs(x - even) <= 1e-12 ? even : x;
}

static br_status check_apart(const br_builder *b, int beam, const br_beam_mesh *mesh, br_error *error) {
    const br_place place = {"beams", b->beam[beam].name, error};
    char text[2][BR_MAX_STATION_TEXT];
    br_station_text(mesh->station[0], text[0]);
    for (int k = 1; k < mesh->nodes; k++) {
        br_station_text(mesh->station[k], text[k % 2]);
        if (strcmp(text[0], text[1]) == 0)
            return br_fail_place(
                &place, "beam-station", NULL,
                "two nodes of beam %s are at stations %.12g and %.12g, which are too near to "
                "be told apart; name one of them, or take fewer elements",
                place.name, mesh->station[k - 1], mesh->station[k]);
    }
    return BR_OK;
}

static br_status fill_mesh(const br_builder *b, int beam, breaks *s, br_arena *arena, br_beam_mesh *mesh,
                           br_error *error) {
    const int elements = b->beam[beam].elements, count = sort_breaks(s);
    int total = 0;
    for (int i = 0; i + 1 < count; i++) total += pieces(s->station[i], s->station[i + 1], elements);
    mesh->section = br_section_of(&b->beam[beam].section);
    mesh->nodes = total + 1;
    mesh->station = BR_TAKE(arena, double, mesh->nodes);
    if (!mesh->station) return br_builder_no_memory(error);
    int at = 0;
    for (int i = 0; i + 1 < count; i++) {
        const double from = s->station[i], to = s->station[i + 1];
        const int n = pieces(from, to, elements);
        mesh->station[at++] = from;
        for (int k = 1; k < n; k++) mesh->station[at++] = between(from, to, k, n, elements);
    }
    mesh->station[at] = 1.0;
    return check_apart(b, beam, mesh, error);
}

br_status br_expand_meshes(const br_builder *b, br_arena *arena, br_beam_mesh *mesh, br_error *error) {
    const int beams = b->beam_names.count;
    breaks *all = BR_TAKE(arena, breaks, beams);
    if (!all) return br_builder_no_memory(error);
    name_all(b, all);
    for (int k = 0; k < beams; k++) {
        all[k].station = BR_TAKE(arena, double, all[k].capacity + own_breaks(b, k));
        if (!all[k].station) return br_builder_no_memory(error);
        add_own(b, k, &all[k]);
    }
    name_all(b, all);
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < beams; k++)
        status = fill_mesh(b, k, &all[k], arena, &mesh[k], error);
    return status;
}
