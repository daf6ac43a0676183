// What a model says about materials before anything touches: pairs that are possible and not listed stop a run only when
// they meet, so they are told ahead.
#include <stdio.h>

#include "model/compile/compile.h"
#include "model/compile/touch.h"

// Pairs of shapes looked at: past this the search costs more than it tells, and the rest is found out by running.
#define BR_MAX_TOUCH_CHECKS 4000000L
#define BR_MAX_LISTED_PAIRS 8 // in one line

typedef struct gap_list {
    char text[BR_MAX_ERROR_TEXT / 2];
    size_t used;
    int count;
} gap_list;

static void add_gap(gap_list *list, const char *a, const char *b) {
    if (list->count++ >= BR_MAX_LISTED_PAIRS) return;
    const int n = snprintf(list->text + list->used, sizeof list->text - list->used, "%s%.63s%s%.63s",
                           list->used ? ", " : "", a, b ? "/" : "", b ? b : "");
    if (n > 0 && (size_t)n < sizeof list->text - list->used)
        list->used += (size_t)n;
    else
        list->text[list->used] = '\0';
}

// seen: [materials * materials], and [shapes] for those without a material.
static void touch_notes_look_at(const br_model *m, int a, int b, unsigned char *seen, unsigned char *bare,
                                gap_list *pairs, gap_list *shapes) {
    const br_model_contact *contact = m->contact;
    const int n = contact->materials.count, i = contact->shape[a].material, j = contact->shape[b].material;
    if (i >= 0 && j >= 0 && (contact->pair_of[i * n + j] >= 0 || seen[i * n + j])) return;
    if ((i < 0 || j < 0) && (i >= 0 || bare[a]) && (j >= 0 || bare[b])) return;
    if (!br_model_may_touch(m, a, b)) return;
    if (i >= 0 && j >= 0) {
        seen[i * n + j] = seen[j * n + i] = 1;
        add_gap(pairs, contact->materials.name[i], contact->materials.name[j]);
        return;
    }
    if (i < 0 && !bare[a]) bare[a] = 1, add_gap(shapes, contact->shape[a].def.name, NULL);
    if (j < 0 && !bare[b]) bare[b] = 1, add_gap(shapes, contact->shape[b].def.name, NULL);
}

static int hangs_on_beam(const br_model *m, int link) {
    if (link < 0 || !m->beam_node) return 0;
    if (m->beam_node[link]) return 1;
    for (int j = 0; j < m->joints; j++) {
        const int a = m->joint[j].first, b = m->joint[j].second;
        if ((a == link && b >= 0 && m->beam_node[b]) || (b == link && a >= 0 && m->beam_node[a])) return 1;
    }
    return 0;
}

// Restitution acts on the mass near the contact, which at a beam is that of an element.
static br_status note_restitution_of_beams(br_compile *c) {
    const br_model *m = c->model;
    const br_model_contact *contact = m->contact;
    int bounces = 0;
    for (int p = 0; p < contact->pairs; p++)
        bounces |= contact->pair[p].restitution > 0.0 && !contact->pair[p].compliance;
    for (int a = 0; bounces && m->beams > 0 && a < contact->shapes; a++) {
        if (!hangs_on_beam(m, contact->shape[a].link)) continue;
        for (int b = 0; b < contact->shapes; b++) {
            const int pair = b == a ? -1 : br_model_pair(m, a, b);
            if (pair < 0 || !(contact->pair[pair].restitution > 0.0) || !br_model_may_touch(m, a, b))
                continue;
            return br_compile_note(c,
                                   "restitution of %s/%s at %s, which a beam carries: it changes with the "
                                   "beam's elements, and only 0 converges",
                                   contact->pair[pair].first, contact->pair[pair].second,
                                   contact->shape[a].def.name);
        }
    }
    return BR_OK;
}

br_status br_compile_touch_notes(br_compile *c) {
    const br_model *m = c->model;
    const br_model_contact *contact = m->contact;
    const size_t n = (size_t)contact->materials.count;
    unsigned char *seen = BR_TAKE(&c->scratch, unsigned char, n *n);
    unsigned char *bare = BR_TAKE(&c->scratch, unsigned char, contact->shapes);
    if (!br_arena_ok(&c->scratch)) return br_compile_no_memory(c);
    gap_list pairs = {.count = 0}, shapes = {.count = 0};
    long checks = 0;
    for (int a = 0; m->contacts_possible && a < contact->shapes; a++)
        for (int b = a + 1; b < contact->shapes && checks < BR_MAX_TOUCH_CHECKS; b++, checks++)
            touch_notes_look_at(m, a, b, seen, bare, &pairs, &shapes);
    br_status status = BR_OK;
    if (pairs.count > 0)
        status = br_compile_note(
            c, "materials that could touch are not listed in pairs: %s%s; a run stops if they do", pairs.text,
            pairs.count > BR_MAX_LISTED_PAIRS ? ", ..." : "");
    if (status == BR_OK && shapes.count > 0)
        status = br_compile_note(
            c, "shapes that could touch something have no material: %s%s; a run stops if they do",
            shapes.text, shapes.count > BR_MAX_LISTED_PAIRS ? ", ..." : "");
    return status == BR_OK ? note_restitution_of_beams(c) : status;
}
