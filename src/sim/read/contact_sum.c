// Sums over contact points. Everything is in world axes and acts on A. The torque is about `center`, the mean of the points
// weighted with their normal forces: a point that follows from the contacts alone, so that A~B and B~A are opposite to the bit
// and what is read after a snapshot is what was read before it. About another point r it is torque + (center - r) x force.
#include "sim/read/contact_sum.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/compile/touch.h"
#include "sim/contact/contact.h"

enum {
    BR_MAX_LISTED_BODIES = 64, // with shapes: of a model with more, results keep the sums that are asked for
    BR_MAX_LISTED_PAIRS = 16,  // of bodies
};

// ----------------------------------------------------------------------------------------------------- elements

// Shapes, then bodies, the world (the shapes that are fixed to it as `ground`) and *, all of them.
static int sum_world(const br_model *m) {
    return m->contact->shapes + m->bodies;
}

static int sum_any(const br_model *m) {
    return sum_world(m) + 1;
}

static const char *sum_element_name(const br_model *m, int element) {
    const int shapes = m->contact->shapes;
    if (element == sum_any(m)) return "*";
    if (element == sum_world(m)) return BR_WORLD;
    return element < shapes ? m->contact->shape[element].def.name : m->body[element - shapes].name;
}

// A name that is both a body's and a shape's is the body's. -1: none.
static int sum_element(const br_model *m, const char *name, size_t size) {
    const br_model_contact *contact = m->contact;
    if (size == 1 && *name == '*') return sum_any(m);
    for (int e = contact->shapes; e <= sum_world(m); e++) {
        const char *own = sum_element_name(m, e);
        if (strlen(own) == size && memcmp(own, name, size) == 0) return e;
    }
    for (int e = 0; e < contact->shapes; e++) {
        const char *own = contact->shape[e].def.name;
        if (strlen(own) == size && memcmp(own, name, size) == 0) return e;
    }
    return -1;
}

// Its shapes are first .. end - 1: they are listed body by body, the ground's last.
static void sum_shapes(const br_model *m, int element, int *first, int *end) {
    const br_model_contact *contact = m->contact;
    *first = element, *end = element + 1;
    if (element < contact->shapes) return;
    *first = 0, *end = contact->shapes;
    if (element == sum_any(m)) return;
    const int body = element == sum_world(m) ? m->bodies : element - contact->shapes;
    for (int side = 0; side < 2; side++) {
        int low = side ? *first : 0, high = contact->shapes;
        while (low < high) { // the first shape of this body or a later one; then of a later one
            const int middle = (low + high) / 2, of = contact->shape[middle].body;
            if ((of < 0 ? m->bodies : of) < body + side)
                low = middle + 1;
            else
                high = middle;
        }
        *(side ? end : first) = low;
    }
}

static int sum_may_touch(const br_model *m, int a, int b) {
    int a_first, a_end, b_first, b_end;
    sum_shapes(m, a, &a_first, &a_end);
    sum_shapes(m, b, &b_first, &b_end);
    for (int i = a_first; i < a_end; i++)
        for (int k = b_first; k < b_end; k++)
            if (br_model_may_touch(m, i, k)) return 1;
    return 0;
}

// ------------------------------------------------------------------------------------------------------ members

static const struct {
    const char *name, *unit;
} members[] = {
    {"force.normal", "N"}, {"force.x", "N"},    {"force.y", "N"},    {"force.z", "N"},
    {"torque.x", "N m"},   {"torque.y", "N m"}, {"torque.z", "N m"}, {"center.x", "m"},
    {"center.y", "m"},     {"center.z", "m"},   {"points", "1"},
};
enum { SUM_MEMBERS = sizeof members / sizeof *members, SUM_STRIDE = 16, SUM_LISTED = 4 };

const char *br_contact_sum_unit(int component) {
    return members[component % SUM_STRIDE].unit;
}

void br_contact_sum_name(const br_model *m, int index, int component, char *name, size_t size) {
    snprintf(name, size, "%s~%s.%s", sum_element_name(m, index), sum_element_name(m, component / SUM_STRIDE),
             members[component % SUM_STRIDE].name);
}

br_reading_place br_contact_sum_place(int index, int component) {
    return (br_reading_place){BR_READ_CONTACT_SUM, index, component / SUM_STRIDE, component % SUM_STRIDE};
}

// "NAME.member": which member, and where it begins; -1: none.
static int sum_member(const char *text, size_t *name_size) {
    const size_t size = strlen(text);
    for (int k = 0; k < SUM_MEMBERS; k++) {
        const size_t n = strlen(members[k].name);
        if (size < n + 2 || text[size - n - 1] != '.' || strcmp(text + size - n, members[k].name) != 0)
            continue;
        *name_size = size - n - 1;
        return k;
    }
    return -1;
}

int br_contact_sum_find(const br_model *m, const char *name, int *index, int *component) {
    const char *tilde = m->contact ? strchr(name, '~') : NULL;
    size_t size = 0;
    const int member = tilde ? sum_member(tilde + 1, &size) : -1;
    if (member < 0) return 0;
    const int a = sum_element(m, name, (size_t)(tilde - name)), b = sum_element(m, tilde + 1, size);
    if (a < 0 || b < 0 || a == sum_any(m) || !sum_may_touch(m, a, b)) return 0;
    *index = a;
    *component = b * SUM_STRIDE + member;
    return 1;
}

void br_contact_sum_hint(const br_model *m, const char *name, char *out, size_t size) {
    const char *tilde = strchr(name, '~');
    *out = '\0';
    if (!tilde || !m->contact || strchr(tilde, '#')) return;
    size_t n = 0;
    const int member = sum_member(tilde + 1, &n);
    if (member < 0) {
        snprintf(out, size,
                 "; A~B has force.normal, force.x|y|z, torque.x|y|z, center.x|y|z and points; A~B#0 is its "
                 "first point");
        return;
    }
    const char *begin[2] = {name, tilde + 1};
    const size_t length[2] = {(size_t)(tilde - name), n};
    int element[2];
    for (int k = 0; k < 2; k++) {
        element[k] = sum_element(m, begin[k], length[k]);
        if (element[k] >= 0 && !(k == 0 && element[k] == sum_any(m))) continue;
        char wanted[BR_MAX_NAME], best[BR_MAX_NAME] = "";
        snprintf(wanted, sizeof wanted, "%.*s", (int)(length[k] < 63 ? length[k] : 63), begin[k]);
        for (int e = 0; e <= sum_world(m); e++) {
            const char *const words[] = {best, sum_element_name(m, e)};
            if (br_nearest_word(wanted, words, 2) == words[1]) snprintf(best, sizeof best, "%s", words[1]);
        }
        snprintf(out, size, "; there is no body or shape '%s'%s%s%s", wanted,
                 best[0] ? ", did you mean " : "", best, best[0] ? "?" : "");
        return;
    }
    snprintf(out, size, "; %.64s and %.64s can never touch in it", sum_element_name(m, element[0]),
             sum_element_name(m, element[1]));
}

// ------------------------------------------------------------------------------------------------------ listing

static int list_pair(int a, int b, br_contact_sum_visit visit, void *context) {
    for (int k = 0; k < SUM_LISTED; k++)
        if (visit(context, a, b * SUM_STRIDE + k)) return 1;
    return 0;
}

static int pairs_of_bodies(const br_model *m, int pair[BR_MAX_LISTED_PAIRS][2]) {
    const int first = m->contact->shapes, world = sum_world(m);
    int count = 0;
    for (int a = first; a < world; a++)
        for (int b = a + 1; b <= world; b++) {
            if (!sum_may_touch(m, a, b)) continue;
            if (count == BR_MAX_LISTED_PAIRS) return 0;
            pair[count][0] = a, pair[count++][1] = b;
        }
    return count;
}

int br_contact_sum_each(const br_model *m, br_contact_sum_visit visit, void *context) {
    int pair[BR_MAX_LISTED_PAIRS][2], bodies = 0;
    if (!m->contacts_possible) return 0;
    const br_model_contact *contact = m->contact;
    for (int s = 0; s < contact->shapes; s++)
        bodies +=
            contact->shape[s].body >= 0 && (s == 0 || contact->shape[s - 1].body != contact->shape[s].body);
    if (bodies > BR_MAX_LISTED_BODIES) return 0;
    for (int a = contact->shapes; a < sum_world(m); a++)
        if (sum_may_touch(m, a, sum_any(m)) && list_pair(a, sum_any(m), visit, context)) return 1;
    const int pairs = pairs_of_bodies(m, pair);
    for (int k = 0; pairs > 1 && k < pairs; k++)
        if (list_pair(pair[k][0], pair[k][1], visit, context)) return 1;
    return 0;
}

// ----------------------------------------------------------------------------------------------------- patterns

// "B.member" against a pattern. A * that is the whole of B is all partners together.
static int partner_matches(const br_model *m, const char *pattern, int b, int member) {
    char text[BR_MAX_NAME + 24];
    const int lone = strncmp(pattern, "*.", 2) == 0;
    int sums = 0;
    for (int k = 0; lone && k < SUM_MEMBERS; k++) sums |= br_name_matches(pattern + 2, members[k].name);
    if (sums) return b == sum_any(m) && br_name_matches(pattern + 2, members[member].name);
    if (b == sum_any(m)) return 0;
    snprintf(text, sizeof text, "%.64s.%s", sum_element_name(m, b), members[member].name);
    return br_name_matches(pattern, text);
}

typedef struct sum_range {
    int from, to;
} sum_range;

static int match_partners(const br_model *m, int a, const char *pattern, br_contact_sum_visit visit,
                          void *context, int *found) {
    const sum_range among[2] = {{m->contact->shapes, sum_any(m)}, {0, m->contact->shapes - 1}};
    int matched = 0;
    for (int r = 0; r < 2 && !matched; r++) // bodies; where none matches, shapes
        for (int b = among[r].from; b <= among[r].to; b++)
            for (int k = 0, may = -1; k < SUM_MEMBERS; k++) {
                if (!partner_matches(m, pattern, b, k)) continue;
                matched = 1;
                if (may < 0) may = sum_may_touch(m, a, b);
                if (!may) break;
                *found = 1;
                if (visit(context, a, b * SUM_STRIDE + k)) return 1;
            }
    return 0;
}

int br_contact_sum_match(const br_model *m, const char *pattern, br_contact_sum_visit visit, void *context) {
    const char *tilde = m->contacts_possible ? strchr(pattern, '~') : NULL;
    char first[2 * BR_MAX_NAME];
    if (!tilde || (size_t)(tilde - pattern) >= sizeof first) return 0;
    memcpy(first, pattern, (size_t)(tilde - pattern));
    first[tilde - pattern] = '\0';
    const sum_range among[2] = {{m->contact->shapes, sum_world(m)}, {0, m->contact->shapes - 1}};
    int found = 0;
    for (int r = 0; r < 2 && !found; r++)
        for (int a = among[r].from; a <= among[r].to; a++)
            if (br_name_matches(first, sum_element_name(m, a)) &&
                match_partners(m, a, tilde + 1, visit, context, &found))
                return 1;
    return 0;
}

// ------------------------------------------------------------------------------------------------------ reading

static int sum_has(const br_model *m, int element, int shape) {
    const int body = m->contact->shape[shape].body;
    if (element < m->contact->shapes) return element == shape;
    return element == sum_any(m) ||
           (element == sum_world(m) ? body < 0 : element - m->contact->shapes == body);
}

static double sum_side(const br_model *m, int a, int b, const br_touch *t) {
    if (sum_has(m, a, t->shape_a) && sum_has(m, b, t->shape_b)) return 1.0;
    return sum_has(m, a, t->shape_b) && sum_has(m, b, t->shape_a) ? -1.0 : 0.0;
}

static void sum_up(const br_sim *sim, int a, int b, br_contact_sum *out) {
    const br_model *m = sim->model;
    const int count = br_sim_contact_count(sim);
    *out = (br_contact_sum){.points = 0};
    for (int k = 0; k < count; k++) {
        const br_touch *t = &sim->contacts->before[k];
        const double side = sum_side(m, a, b, t);
        if (side == 0.0 || t->f_n == 0.0) continue;
        const br_vec3 f = br_vec3_add_scaled(t->f_t, t->f_n, t->normal);
        out->points++;
        out->normal_force += t->f_n;
        out->force = br_vec3_add_scaled(out->force, side, f);
        out->center = br_vec3_add_scaled(out->center, t->f_n, t->point);
    }
    if (out->points == 0) return;
    out->center = br_vec3_scale(1.0 / out->normal_force, out->center);
    for (int k = 0; k < count; k++) {
        const br_touch *t = &sim->contacts->before[k];
        const double side = sum_side(m, a, b, t);
        if (side == 0.0 || t->f_n == 0.0) continue;
        const br_vec3 f = br_vec3_add_scaled(t->f_t, t->f_n, t->normal),
                      arm = br_vec3_sub(t->point, out->center);
        out->torque = br_vec3_add_scaled(out->torque, side, br_vec3_add(br_vec3_cross(arm, f), t->moment));
    }
}

br_status br_read_contact_sum(br_sim *sim, const br_reading_place *place, double *out, br_error *error) {
    (void)error;
    br_contact_sum sum;
    sum_up(sim, place->index, place->part, &sum);
    const double read[SUM_MEMBERS] = {sum.normal_force, sum.force.x,  sum.force.y,       sum.force.z,
                                      sum.torque.x,     sum.torque.y, sum.torque.z,      sum.center.x,
                                      sum.center.y,     sum.center.z, (double)sum.points};
    memcpy(out, read, sizeof read);
    return BR_OK;
}

br_status br_sim_contact_sum(const br_sim *sim, const char *a, const char *b, br_contact_sum *out,
                             br_error *error) {
    const br_model *m = sim->model;
    char name[3 * BR_MAX_NAME], hint[320];
    int index, component;
    snprintf(name, sizeof name, "%.63s~%.63s.force.normal", a, b);
    if (!m->contacts_possible || !br_contact_sum_find(m, name, &index, &component)) {
        br_contact_sum_hint(m, name, hint, sizeof hint);
        return br_fail(error, BR_INVALID, "channel-unknown",
                       "there are no contacts %.63s~%.63s in this model%s", a, b, hint);
    }
    sum_up(sim, index, component / SUM_STRIDE, out);
    return BR_OK;
}
