// Reading contacts, see bristle/contact.h: of the last step, by number or by channel name.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "linalg/rank.h"
#include "model/compile/touch.h"
#include "sim/contact/contact.h"
#include "sim/read/contact_channel.h"
#include "tree/spatial.h"

#define BR_EPS_CONTACT_RANK 1e-9 // singular values below this, of the largest, count as zero
#define BR_EPS_IN_NULL 1e-6      // component of a unit vector of the null space: below, the row is not in it
#define BR_EPS_RESTS                                                                                         \
    1e-6 // of a shape's size: gap at which a contact counts as touching before the first step

int br_sim_contact_count(const br_sim *sim) {
    const br_contacts *c = sim->contacts;
    int n = c ? c->kept->count : 0;
    while (n > 0 && br_touch_play(sim, &c->before[n - 1])) n--; // clearances have channels of their own
    return n;
}

static void contact_channel_fill(const br_sim *sim, const br_touch *t, br_contact *out) {
    const br_model_shape *shape = sim->model->contact->shape;
    *out = (br_contact){.shape_a = t->shape_a,
                        .shape_b = t->shape_b,
                        .body_a = shape[t->shape_a].body,
                        .body_b = shape[t->shape_b].body,
                        .state = t->state,
                        .point = t->point,
                        .normal = t->normal,
                        .gap = t->gap,
                        .normal_force = t->f_n,
                        .friction = t->f_t,
                        .moment = t->moment,
                        .slip = t->slip,
                        .friction_coefficient = t->mu,
                        .start_depth = t->offset};
}

void br_sim_contact(const br_sim *sim, int k, br_contact *out) {
    contact_channel_fill(sim, &sim->contacts->before[k], out);
}

void br_sim_contact_name(const br_sim *sim, int k, char *name, size_t size) {
    br_touch_name(sim, &sim->contacts->before[k], name, size);
}

// --- channels ----------------------------------------------------------------------------------------------

typedef enum member { GAP, NORMAL_FORCE, FRICTION, SLIP, STATE, POINT, NORMAL, MEMBERS } member;

static const struct {
    const char *name, *unit;
    int components;
    int offset; // in its reading
} table[MEMBERS] = {
    [GAP] = {"gap", "m", 1, 0},
    [NORMAL_FORCE] = {"force.normal", "N", 1, 0},
    [FRICTION] = {"force.friction", "N", 3, 1},
    [SLIP] = {"slip", "m/s", 3, 4},
    [STATE] = {"state", "1", 1, 7},
    [POINT] = {"point", "m", 3, 8},
    [NORMAL] = {"normal", "1", 3, 11},
};
enum { CONTACT_NUMBERS = 14 }; // of the reading, the gap apart

#define BR_MAX_NUMBER 1024 // of a contact within its pair

// A channel's component: member, number of the contact, axis.
static int pack(int which, int number, int axis) {
    return (which * BR_MAX_NUMBER + number) * 4 + axis;
}

const char *br_contact_channel_unit(int component) {
    return table[component / 4 / BR_MAX_NUMBER].unit;
}

void br_contact_channel_name(const br_model *m, int index, int component, char *name, size_t size) {
    const br_model_shape *shape = m->contact->shape;
    const int which = component / 4 / BR_MAX_NUMBER, number = component / 4 % BR_MAX_NUMBER,
              axis = component % 4;
    snprintf(name, size, "%s~%s#%d.%s%s%.1s", shape[index / m->contact->shapes].def.name,
             shape[index % m->contact->shapes].def.name, number, table[which].name,
             table[which].components > 1 ? "." : "", table[which].components > 1 ? &"xyz"[axis] : "");
}

// Two names joined by ~ at the start of text; they may be in either order. Returns what follows, NULL when they are not there.
static const char *shapes_of(const br_model *m, const char *text, int *index) {
    const br_model_contact *contact = m->contact;
    const char *tilde = strchr(text, '~'), *hash = tilde ? strchr(tilde, '#') : NULL;
    int found[2] = {-1, -1};
    if (!contact || !hash) return NULL;
    for (int s = 0; s < contact->shapes; s++) {
        const char *name = contact->shape[s].def.name;
        const size_t length = strlen(name);
        if (length == (size_t)(tilde - text) && memcmp(name, text, length) == 0) found[0] = s;
        if (length == (size_t)(hash - tilde - 1) && memcmp(name, tilde + 1, length) == 0) found[1] = s;
    }
    if (found[0] < 0 || found[1] < 0 || !br_model_may_touch(m, found[0], found[1])) return NULL;
    const int swap =
        br_collide_order(contact->shape[found[0]].geometry.type, contact->shape[found[1]].geometry.type);
    *index = swap ? found[1] * contact->shapes + found[0] : found[0] * contact->shapes + found[1];
    return hash;
}

int br_contact_channel_find(const br_model *m, const char *name, int *index, int *component) {
    const char *hash = shapes_of(m, name, index);
    char *end;
    if (!hash || hash[1] < '0' || hash[1] > '9') return 0;
    const long number = strtol(hash + 1, &end, 10);
    if (number < 0 || number >= BR_MAX_NUMBER || *end != '.') return 0;
    for (int which = 0; which < MEMBERS; which++) {
        const size_t length = strlen(table[which].name);
        if (strncmp(end + 1, table[which].name, length) != 0) continue;
        const char *rest = end + 1 + length;
        if (table[which].components == 1 && *rest == '\0') return *component = pack(which, (int)number, 0), 1;
        if (table[which].components == 3 && rest[0] == '.' && rest[1] >= 'x' && rest[1] <= 'z' &&
            rest[2] == '\0')
            return *component = pack(which, (int)number, rest[1] - 'x'), 1;
    }
    return 0;
}

#define BR_MAX_LISTED_CONTACTS                                                                               \
    16 // a model with more possible contacts lists none of their channels: name them

int br_contact_channel_each(const br_model *m, int (*visit)(void *context, int index, int component),
                            void *context) {
    const int shapes = m->contact ? m->contact->shapes : 0;
    int total = 0;
    if (!m->contacts_possible) return 0;
    for (int pass = 0; pass < 2; pass++)
        for (int a = 0; a < shapes; a++)
            for (int b = a + 1; b < shapes; b++) {
                if (!br_model_may_touch(m, a, b)) continue;
                const br_shape_type A = m->contact->shape[a].geometry.type,
                                    B = m->contact->shape[b].geometry.type;
                const int swap = br_collide_order(A, B),
                          points = swap ? br_collide_points(B, A) : br_collide_points(A, B);
                total += pass == 0 ? points : 0;
                if (total > BR_MAX_LISTED_CONTACTS) return 0;
                for (int n = 0; pass == 1 && n < points; n++)
                    for (int which = 0; which <= STATE; which++)
                        for (int k = 0; k < table[which].components; k++)
                            if (visit(context, swap ? b * shapes + a : a * shapes + b, pack(which, n, k)))
                                return 1;
            }
    return 0;
}

// The element's part of a pattern against a shape: its own name, or that of its body.
static int names_shape(const br_model *m, const char *pattern, const br_model_shape *shape) {
    return br_name_matches(pattern, shape->def.name) ||
           br_name_matches(pattern, shape->body < 0 ? BR_WORLD : m->body[shape->body].name);
}

// pattern: "A~B#..." cut into A, B and the rest.
static int cut_pattern(const char *pattern, char first[3 * BR_MAX_NAME], char second[3 * BR_MAX_NAME],
                       const char **rest) {
    const char *tilde = strchr(pattern, '~'), *hash = tilde ? strchr(tilde, '#') : NULL;
    if (!hash || hash - pattern >= 3 * BR_MAX_NAME) return 0;
    snprintf(first, 3 * BR_MAX_NAME, "%.*s", (int)(tilde - pattern), pattern);
    snprintf(second, 3 * BR_MAX_NAME, "%.*s", (int)(hash - tilde - 1), tilde + 1);
    *rest = hash;
    return 1;
}

static int match_points(const br_model *m, int index, int points, const char *rest,
                        int (*visit)(void *context, int index, int component), void *context) {
    for (int n = 0; n < points; n++)
        for (int which = 0; which < MEMBERS; which++)
            for (int k = 0; k < table[which].components; k++) {
                char name[3 * BR_MAX_NAME];
                br_contact_channel_name(m, index, pack(which, n, k), name, sizeof name);
                if (br_name_matches(rest, strchr(name, '#')) && visit(context, index, pack(which, n, k)))
                    return 1;
            }
    return 0;
}

int br_contact_channel_match(const br_model *m, const char *pattern,
                             int (*visit)(void *context, int index, int component), void *context) {
    char first[3 * BR_MAX_NAME], second[3 * BR_MAX_NAME];
    const char *rest;
    if (!m->contacts_possible || !cut_pattern(pattern, first, second, &rest)) return 0;
    const br_model_contact *contact = m->contact;
    for (int a = 0; a < contact->shapes; a++)
        for (int b = a + 1; b < contact->shapes; b++) {
            const br_model_shape *A = &contact->shape[a], *B = &contact->shape[b];
            const int named = (names_shape(m, first, A) && names_shape(m, second, B)) ||
                              (names_shape(m, first, B) && names_shape(m, second, A));
            if (!named || !br_model_may_touch(m, a, b)) continue;
            const int swap = br_collide_order(A->geometry.type, B->geometry.type),
                      points = swap ? br_collide_points(B->geometry.type, A->geometry.type)
                                    : br_collide_points(A->geometry.type, B->geometry.type);
            if (match_points(m, swap ? b * contact->shapes + a : a * contact->shapes + b, points, rest, visit,
                             context))
                return 1;
        }
    return 0;
}

br_reading_place br_contact_channel_place(int index, int component) {
    const int which = component / 4 / BR_MAX_NUMBER, number = component / 4 % BR_MAX_NUMBER;
    return (br_reading_place){which == GAP ? BR_READ_GAP : BR_READ_CONTACT, index, number,
                              table[which].offset + component % 4};
}

static const br_touch *touch_at(const br_sim *sim, const br_reading_place *p) {
    const int shapes = sim->model->contact->shapes, a = p->index / shapes, b = p->index % shapes;
    for (int k = 0; k < sim->contacts->kept->count; k++) {
        const br_touch *t = &sim->contacts->before[k];
        if (t->shape_a == a && t->shape_b == b && t->number == p->part) return t;
    }
    return NULL;
}

br_status br_read_contact(br_sim *sim, const br_reading_place *place, double *out, br_error *error) {
    (void)error;
    const br_touch *t = touch_at(sim, place);
    if (!t) return memset(out, 0, CONTACT_NUMBERS * sizeof *out), BR_OK;
    const br_vec3 vector[] = {t->f_t, t->slip, t->point, t->normal};
    static const int at[] = {FRICTION, SLIP, POINT, NORMAL};
    for (int k = 0; k < 4; k++) memcpy(out + table[at[k]].offset, &vector[k], sizeof vector[k]);
    out[table[NORMAL_FORCE].offset] = t->f_n;
    out[table[STATE].offset] = t->state;
    return BR_OK;
}

br_status br_read_gap(br_sim *sim, const br_reading_place *place, double *out, br_error *error) {
    (void)error;
    const br_touch *t = touch_at(sim, place);
    const br_model_shape *shape = sim->model->contact->shape;
    const int shapes = sim->model->contact->shapes, a = place->index / shapes, b = place->index % shapes;
    const br_placement *at = sim->contacts->place;
    *out = t ? t->gap : br_collide_distance(&shape[a].geometry, &at[a], &shape[b].geometry, &at[b]);
    return BR_OK;
}

// --- rank --------------------------------------------------------------------------------------------------

// Rows of one contact over the tree's velocities.
static void touch_row(const br_sim *sim, const br_touch *t, br_vec3 axis, double *row) {
    const br_tree *tree = &sim->model->tree;
    for (int side = 0; side < 2; side++) {
        const int link = side ? t->link_b : t->link_a;
        if (link < 0) continue;
        br_wrench F = br_touch_wrench(sim, t, axis, side);
        for (int i = link; i >= 0; i = tree->link[i].parent) {
            for (int k = 0; k < tree->link[i].kind->nv; k++)
                row[tree->link[i].v_at + k] += br_twist_dot(sim->work.S[tree->link[i].v_at + k], F);
            F = br_wrench_shift(F, sim->work.pose[i].r);
        }
    }
}

static int carries(const br_sim *sim, const br_touch *t) {
    const double size = br_shapes_size(sim->model, t->shape_a, t->shape_b);
    return sim->ledger->steps > 0 ? t->state != BR_CONTACT_OPEN : t->gap <= BR_EPS_RESTS * size;
}

typedef struct rank_work {
    int nv, rows, loops;
    double *J, *null_space, *singular; // J: rows x nv, then transposed for the null space of forces
    int *touch;                        // [rows], -1 for loop rows
    int *soft;                         // [rows] 1: has compliance, or carries nothing; 2: a tangent
    int *kept;                         // [rows] those of the last call of rank_rows
} rank_work;

typedef enum rank_choice { ALL_ROWS, TANGENT_ROWS, LOOP_ROWS, RIGID_ROWS } rank_choice;

static int in_choice(const rank_work *w, int r, rank_choice choice) {
    switch (choice) {
    case TANGENT_ROWS:
        return w->touch[r] >= 0 && (w->soft[r] & 2);
    case LOOP_ROWS:
        return w->touch[r] < 0;
    case RIGID_ROWS:
        return !(w->soft[r] & 1);
    default:
        return 1;
    }
}

static br_status rank_rows(const br_sim *sim, const rank_work *w, rank_choice choice, int *count,
                           int *nullity, double *transposed, br_error *error) {
    int rank = 0, n = 0;
    for (int r = 0; r < w->rows; r++) {
        if (!in_choice(w, r, choice)) continue;
        for (int k = 0; k < w->nv; k++)
            transposed[(size_t)k * (size_t)w->rows + (size_t)n] = w->J[r * w->nv + k];
        w->kept[n++] = r;
    }
    // packed with stride w->rows: pack again with stride n
    for (int k = 0; k < w->nv && n > 0; k++)
        memmove(transposed + (size_t)k * (size_t)n, transposed + (size_t)k * (size_t)w->rows,
                (size_t)n * sizeof *transposed);
    *count = n;
    *nullity = 0;
    if (n == 0) return BR_OK;
    const br_status status = br_rank(w->nv, n, transposed, BR_EPS_CONTACT_RANK, &rank, w->singular,
                                     w->null_space, &sim->allocator, error);
    *nullity = n - rank;
    return status;
}

// Contacts with a row in the null space of the last call of rank_rows, which had count rows.
static void name_undetermined(const br_sim *sim, const rank_work *w, int count, int nullity, char *names,
                              size_t size) {
    size_t used = 0;
    int last = -1;
    names[0] = '\0';
    for (int i = 0; i < count; i++) {
        double part = 0.0;
        const int touch = w->touch[w->kept[i]];
        if (touch < 0 || touch == last) continue;
        for (int k = 0; k < nullity; k++)
            part = fmax(part, fabs(w->null_space[(size_t)k * (size_t)count + (size_t)i]));
        if (part < BR_EPS_IN_NULL) continue;
        last = touch;
        char name[BR_MAX_CONTACT_NAME];
        br_touch_name(sim, &sim->contacts->before[last], name, sizeof name);
        const int n = snprintf(names + used, size - used, "%s%s", used ? "\n" : "", name);
        if (n < 0 || (size_t)n >= size - used) break;
        used += (size_t)n;
    }
}

static void rank_fill(br_sim *sim, rank_work *w, int planar) {
    const br_model_contact *contact = sim->model->contact;
    if (w->loops > 0) {
        br_sim_fill(sim, &sim->exact);
        br_sim_joint_rows(sim, w->J);
    }
    int r = w->loops;
    for (int k = 0; k < w->loops; k++) w->touch[k] = -1, w->soft[k] = 0;
    for (int k = 0; k < sim->contacts->kept->count; k++) {
        const br_touch *t = &sim->contacts->before[k];
        const br_pair_def *pair = &contact->pair[t->pair];
        if (!carries(sim, t)) continue;
        const br_vec3 axis[3] = {t->normal, t->tangent[0], t->tangent[1]};
        const int soft_normal = sim->contacts->normal_law[t->pair].kind != BR_NORMAL_RIGID;
        const int soft_tangent = br_touch_gives_way(sim, t) || pair->mu_static == 0.0;
        for (int i = 0; i < (planar ? 2 : 3); i++, r++) {
            touch_row(sim, t, axis[i], w->J + (size_t)r * (size_t)w->nv);
            w->touch[r] = k, w->soft[r] = i == 0 ? soft_normal : 2 | soft_tangent;
        }
    }
    w->rows = r;
}

br_status br_sim_contact_rank(br_sim *sim, br_contact_rank *out, char *names, size_t size, br_error *error) {
    *out = (br_contact_rank){.regular = 1};
    if (names && size > 0) names[0] = '\0';
    if (!sim->contacts) return BR_OK;
    const int planar = sim->model->settings.planar != BR_SPATIAL, each = planar ? 2 : 3;
    rank_work w = {.nv = sim->model->tree.nv, .loops = sim->exact.rows};
    const size_t most = (size_t)w.loops + (size_t)each * (size_t)sim->contacts->kept->count,
                 nv = (size_t)w.nv;
    double *memory = br_sim_take(sim, (2 * most * nv + most * most + most + nv + 1) * sizeof *memory);
    int *marks = br_sim_take(sim, (3 * most + 1) * sizeof *marks);
    br_status status = BR_OK;
    if (!memory || !marks) {
        status = br_no_memory(error, "no memory for the rank of %d rows", (int)most);
    } else {
        double *transposed = memory + most * nv;
        w.J = memory, w.null_space = transposed + most * nv, w.singular = w.null_space + most * most;
        w.touch = marks, w.soft = marks + most, w.kept = marks + 2 * most;
        memset(w.J, 0, most * nv * sizeof *w.J);
        br_sim_refresh(sim, 1);
        sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->t_eval = sim->state.at->t;
        rank_fill(sim, &w, planar);
        int rows = 0, loops = 0, rigid = 0;
        status =
            rank_rows(sim, &w, TANGENT_ROWS, &out->tangent_rows, &out->tangent_nullity, transposed, error);
        if (status == BR_OK) status = rank_rows(sim, &w, ALL_ROWS, &rows, &out->nullity, transposed, error);
        if (status == BR_OK) status = rank_rows(sim, &w, LOOP_ROWS, &rows, &loops, transposed, error);
        if (status == BR_OK) status = rank_rows(sim, &w, RIGID_ROWS, &rows, &rigid, transposed, error);
        out->rows = w.rows - w.loops, out->contacts = out->rows / each;
        out->regular = rigid == 0;
        out->undetermined = rigid - loops;
        if (status == BR_OK && names && size > 0 && out->undetermined > 0)
            name_undetermined(sim, &w, rows, rigid, names, size);
    }
    if (memory) br_sim_give(sim, memory);
    if (marks) br_sim_give(sim, marks);
    return status;
}
