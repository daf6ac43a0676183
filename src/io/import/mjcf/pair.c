// MJCF <pair>: two geoms with a friction of their own, which touch whatever contype and conaffinity say. Each of the geoms has a
// material for itself. Those that would not touch by their bits get one that nobody else has: the geom that most of these pairs
// share has it as a category, its partners in their masks.
#include <string.h>

#include "io/import/mjcf/mjcf.h"

static const char margins[] = "contacts act when the surfaces meet", soft[] = "contacts are rigid here";
static const mjcf_known pair_known[] = {
    {"name", MJCF_USED, 0},
    {"class", MJCF_USED, 0},
    {"geom1", MJCF_USED, 0},
    {"geom2", MJCF_USED, 0},
    {"condim", MJCF_USED, 0},
    {"friction", MJCF_USED, 0},
    {"margin", BR_IMPORT_NUMERICS, margins},
    {"gap", BR_IMPORT_NUMERICS, margins},
    {"solref", BR_IMPORT_NUMERICS, soft},
    {"solimp", BR_IMPORT_NUMERICS, soft},
    {"solreffriction", BR_IMPORT_NUMERICS, soft},
    {NULL, 0, NULL},
};

static const char *const geom_keys[] = {"geom1", "geom2"};

// The next <pair> behind one; NULL: there are no more. First: of NULL.
static const io_xml_node *next_pair(const mjcf *m, const io_xml_node *pair) {
    const io_xml_node *section = pair ? pair->parent : NULL, *c = pair ? pair->next : NULL;
    for (;;) {
        for (; c; c = c->next)
            if (strcmp(c->name, "pair") == 0) return c;
        const io_xml_node *s = section ? section->next : m->root->first;
        while (s && strcmp(s->name, "contact") != 0) s = s->next;
        if (!s) return NULL;
        section = s, c = s->first;
    }
}

br_status br_mjcf_list_pairs(mjcf *m) {
    for (const io_xml_node *p = next_pair(m, NULL); p; p = next_pair(m, p))
        for (int k = 0; k < 2; k++) {
            const char *name = br_io_xml_get(p, geom_keys[k]);
            if (!name) return br_mjcf_fail(m, p, "mjcf-missing", "<pair> has no %s", geom_keys[k]);
            if (br_names_find(&m->paired, name) < 0 && br_names_add(&m->paired, &m->arena, name) != BR_OK)
                return br_mjcf_no_memory(m);
        }
    m->paired_shape = BR_TAKE(&m->arena, int, m->paired.count);
    return m->paired_shape ? BR_OK : br_mjcf_no_memory(m);
}

int br_mjcf_paired(const mjcf *m, const io_xml_node *geom) {
    const char *name = br_io_xml_get(geom, "name");
    return name && m->paired.count > 0 ? 1 + br_names_find(&m->paired, name) : 0;
}

// Bits that no shape uses. Those of paired shapes are as the file has them; of others 0 is 1, as bristle has it unsaid.
static unsigned free_bits(const mjcf *m) {
    unsigned used = 1;
    for (int k = 0; k < m->shapes; k++) used |= m->shape[k].def.category | m->shape[k].def.mask;
    return ~used;
}

static int meet(const br_shape_def *a, const br_shape_def *b) {
    return (a->category & b->mask) || (b->category & a->mask);
}

typedef struct pairing {
    unsigned *bit;  // [paired] of each geom's own category; 0: none yet
    int *shut;      // [paired] pairs of it that bits keep apart
    unsigned spare; // bits that are left
} pairing;

// The two shapes of a pair; *found 0: one of them is not there, which was noted where it was left out.
static br_status find_shapes(const mjcf *m, const io_xml_node *p, int place[2], int *found) {
    *found = 1;
    for (int k = 0; k < 2; k++) {
        const char *name = br_io_xml_get(p, geom_keys[k]);
        place[k] = br_names_find(&m->paired, name);
        if (m->paired_shape[place[k]] > 0) continue;
        *found = 0;
        if (!m->contact_off && br_names_find(&m->given_geoms, name) < 0)
            return br_mjcf_unknown_name(m, p, geom_keys[k], name, &m->given_geoms);
    }
    return BR_OK;
}

static br_status open_pair(mjcf *m, const io_xml_node *p, pairing *list, const int place[2]) {
    br_shape_def *def[2];
    for (int k = 0; k < 2; k++) def[k] = &m->shape[m->paired_shape[place[k]] - 1].def;
    if (meet(def[0], def[1])) return BR_OK;
    int owner = list->bit[place[1]] && !list->bit[place[0]] ? 1 : 0;
    if (!list->bit[place[0]] && !list->bit[place[1]]) {
        owner = list->shut[place[1]] > list->shut[place[0]];
        if (list->spare == 0)
            return br_mjcf_note(
                m, p, NULL, BR_IMPORT_MOTION,
                "no bit is left to let these geoms touch, whose contype and conaffinity keep them "
                "apart");
        list->bit[place[owner]] = list->spare & (~list->spare + 1U);
        list->spare &= list->spare - 1U;
    }
    def[owner]->category |= list->bit[place[owner]];
    def[!owner]->mask |= list->bit[place[owner]];
    return BR_OK;
}

static br_status set_friction(mjcf *m, const io_xml_node *p, const int place[2]) {
    mjcf_element e;
    double friction[5], condim = -1.0;
    int given = 0;
    br_status status = br_mjcf_element_of(m, p, -1, &e);
    if (status == BR_OK) status = br_mjcf_check(m, e, pair_known);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "friction", 1, 5, friction, &given);
    if (status == BR_OK) status = br_mjcf_number(m, e, "condim", &condim);
    if (status != BR_OK) return status;
    const mjcf_surface *a = &m->surface[m->shape[m->paired_shape[place[0]] - 1].surface],
                       *b = &m->surface[m->shape[m->paired_shape[place[1]] - 1].surface];
    br_pair_def def = br_default_pair_def();
    const mjcf_surface *first = a->priority >= b->priority ? a : b, *second = first == a ? b : a;
    if (condim < 0.0)
        condim = first->priority == second->priority && second->condim > first->condim ? second->condim
                                                                                       : first->condim;
    double number[5] = {1.0, 1.0, 0.005, 0.0001, 0.0001};
    for (int k = 0; k < 5; k++) {
        const int of_geom[5] = {0, 0, 1, 2, 2};
        const double x = first->friction[of_geom[k]], y = second->friction[of_geom[k]];
        number[k] = k < given                            ? friction[k]
                    : k == 1 && given == 1               ? friction[0]
                    : k == 4 && given == 4               ? friction[3]
                    : first->priority > second->priority ? x
                                                         : (x > y ? x : y);
        if (!(number[k] >= 0.0))
            return br_mjcf_fail(m, p, "mjcf-range", "<pair> friction is %g, expected >= 0", number[k]);
    }
    if (condim != 1.0 && condim != 3.0 && condim != 4.0 && condim != 6.0)
        return br_mjcf_fail(m, p, "mjcf-range", "<pair> condim is %g, expected 1, 3, 4 or 6", condim);
    def.mu_static = def.mu_kinetic = condim >= 3.0 ? number[0] : 0.0;
    def.torsion = condim >= 4.0 ? number[2] : 0.0;
    def.rolling = condim >= 6.0 ? number[3] : 0.0;
    if ((condim >= 3.0 && number[0] != number[1]) || (condim >= 6.0 && number[3] != number[4]))
        status = br_mjcf_note(m, p, "friction", BR_IMPORT_MOTION,
                              "friction is the same in both directions: that of the first");
    def.first = a->name, def.second = b->name;
    if (status == BR_OK && !BR_GROW(&m->arena, m->own_pair, m->own_pairs, m->own_pair_capacity))
        return br_mjcf_no_memory(m);
    if (status == BR_OK) m->own_pair[m->own_pairs++] = def;
    return status;
}

br_status br_mjcf_read_pairs(mjcf *m) {
    pairing list = {BR_TAKE(&m->arena, unsigned, m->paired.count), BR_TAKE(&m->arena, int, m->paired.count),
                    free_bits(m)};
    br_status status = br_arena_ok(&m->arena) ? BR_OK : br_mjcf_no_memory(m);
    int place[2], found;
    for (const io_xml_node *p = next_pair(m, NULL); p && status == BR_OK; p = next_pair(m, p)) {
        status = find_shapes(m, p, place, &found);
        if (status != BR_OK || !found) continue;
        const br_shape_def *a = &m->shape[m->paired_shape[place[0]] - 1].def,
                           *b = &m->shape[m->paired_shape[place[1]] - 1].def;
        if (!meet(a, b)) list.shut[place[0]]++, list.shut[place[1]]++;
    }
    for (const io_xml_node *p = next_pair(m, NULL); p && status == BR_OK; p = next_pair(m, p)) {
        status = find_shapes(m, p, place, &found);
        if (status != BR_OK || !found) continue;
        status = set_friction(m, p, place);
        if (status == BR_OK) status = open_pair(m, p, &list, place);
    }
    for (int k = 0; k < m->paired.count && status == BR_OK; k++) { // no bits at all would mean the usual ones
        br_shape_def *def = m->paired_shape[k] > 0 ? &m->shape[m->paired_shape[k] - 1].def : NULL;
        if (def && def->category == 0 && def->mask == 0) def->category = list.spare ? list.spare : 1U << 31;
    }
    return status;
}
