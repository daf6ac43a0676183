// Which shapes are near and where they touch: placements, broad and narrow phase, and the match with the contacts of the
// step before. Forces, names and states go with a contact as long as it lasts.
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "model/compile/touch.h"
#include "sim/contact/apart.h"
#include "sim/contact/play.h"

#define BR_CONTACT_SLACK 1e-3 // of a shape's size: gap up to which a contact is kept whatever its speed
#define BR_EPS_TOUCHING 1e-9  // of a shape's size: gap at which shapes count as touching
#define BR_CONTACT_NEAREST                                                                                   \
    0.05 // of a shape's size: a point that moved less is the same contact with a new feature
#define BR_EPS_SETTLED 1e-6     // of the smaller shape's size: less is no depth that a model was given
#define BR_MAX_START_DEPTH 0.02 // of the smaller shape's size: deeper penetration at the start is a mistake
#define BR_CONTACTS_AT_FIRST 16 // touches that memory is taken for at once, at least

// --- creation ----------------------------------------------------------------------------------------------

static int may_touch(const void *context, int a, int b) {
    return br_model_may_touch(context, a, b);
}

static br_status no_memory(br_error *error) {
    return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for contacts");
}

br_status br_contacts_reserve(br_sim *sim, int capacity, br_error *error) {
    br_contacts *c = sim->contacts;
    if (capacity <= c->capacity) return BR_OK;
    br_touch *touch = br_sim_take(sim, (size_t)capacity * sizeof *touch);
    int *left = br_sim_take(sim, (size_t)capacity * sizeof *left);
    if (!touch || !left) {
        if (touch) br_sim_give(sim, touch);
        if (left) br_sim_give(sim, left);
        return no_memory(error);
    }
    if (c->count > 0) memcpy(touch, c->touch, (size_t)c->count * sizeof *touch);
    if (c->left_count > 0) memcpy(left, c->left, (size_t)c->left_count * sizeof *left);
    if (c->touch) br_sim_give(sim, c->touch);
    if (c->left) br_sim_give(sim, c->left);
    c->touch = touch, c->left = left, c->capacity = capacity;
    return BR_OK;
}

br_status br_contacts_make_room(br_sim *sim, br_error *error) {
    const br_contacts *c = sim->contacts;
    if (c->count + (sim->apart ? sim->apart->outs : 0) <= c->kept->capacity) return BR_OK;
    return br_state_reserve(&sim->block, c->capacity) == BR_OK ? BR_OK : no_memory(error);
}

static void place_shape(const br_sim *sim, int s) {
    const br_model_shape *shape = &sim->model->contact->shape[s];
    br_placement *X = &sim->contacts->place[s];
    const br_link_pose *link = shape->link < 0 ? NULL : &sim->work.pose[shape->link];
    *X = shape->X_L;
    if (!link) return;
    if (shape->at_link) {
        X->R = link->R_WL, X->p = link->p_WL;
        return;
    }
    X->R = br_mat3_mul(link->R_WL, shape->X_L.R);
    X->p = br_vec3_add(link->p_WL, br_mat3_mul_vec(link->R_WL, shape->X_L.p));
}

static void place_fixed(br_sim *sim) {
    const br_model_contact *contact = sim->model->contact;
    for (int s = 0; s < contact->shapes; s++)
        if (contact->shape[s].link < 0) {
            place_shape(sim, s);
            sim->contacts->box[s] = br_geometry_bounds(&contact->shape[s].geometry, &sim->contacts->place[s]);
        }
}

static void take_normal_laws(const br_model_contact *contact, const br_model_clearance *clearance,
                             br_contacts *c) {
    for (int p = 0; p < contact->pairs; p++) {
        const br_pair_def *pair = &contact->pair[p];
        c->normal_law[p] = (br_normal_law){.kind = br_normal_kind_from_name(pair->compliance),
                                           .stiffness = pair->compliance_stiffness,
                                           .damping = pair->compliance_damping,
                                           .exponent = pair->compliance_exponent};
        if (!isfinite(pair->compliance_stiffness)) c->normal_law[p].kind = BR_NORMAL_RIGID;
    }
    for (int k = 0; k < contact->plays; k++) c->normal_law[contact->pairs + k] = clearance[k].law;
}

// Along which a surface's own axes lie: its x axis, in the link's frame.
static void take_axes(const br_model *m, br_contacts *c) {
    for (int s = 0; s < m->contact->shapes; s++) {
        const br_model_shape *shape = &m->contact->shape[s];
        br_quat R = shape->def.pose.rotation;
        if (shape->body >= 0) R = br_quat_mul(m->body[shape->body].X_LB.rotation, R);
        c->axis_L[s] = br_quat_rotate(R, br_vec3_unit(0));
    }
}

// Indices that a step would follow, and numbers that would spread.
static int touch_fits(const br_model_contact *contact, const br_model_clearance *clearance,
                      const br_touch *t) {
    const int shapes = contact->shapes + contact->plays;
    if (t->shape_a < 0 || t->shape_a >= shapes || t->shape_b < 0 || t->shape_b >= shapes) return 0;
    if (t->pair < 0 || t->pair >= contact->pairs + contact->plays) return 0;
    const int play = t->pair - contact->pairs; // negative: of shapes
    if (play >= 0 ? t->shape_a != contact->shapes + play || t->shape_b != t->shape_a
                  : t->shape_a >= contact->shapes || t->shape_b >= contact->shapes)
        return 0;
    const int second = play >= 0 ? clearance[play].first : contact->shape[t->shape_b].link;
    return t->link_a == contact->shape[t->shape_a].link && t->link_b == second && t->number >= 0 &&
           t->number < BR_MAX_MANIFOLD * 2 && (unsigned)t->state < BR_CONTACT_STATES &&
           br_vec3_is_finite(t->point) && isfinite(t->gap) && isfinite(t->f_n) && br_vec3_is_finite(t->f_t) &&
           br_vec3_is_finite(t->f_bristle) && br_vec3_is_finite(t->normal);
}

static int touches_fit(const void *context, const void *items, int count) {
    const br_sim *sim = context;
    for (int k = 0; k < count; k++) {
        br_touch touch; // the bytes of a snapshot may lie anywhere
        memcpy(&touch, (const char *)items + (size_t)k * sizeof touch, sizeof touch);
        if (!touch_fits(sim->model->contact, sim->model->clearance, &touch)) return 0;
    }
    return 1;
}

static br_status ask_parts(br_sim *sim, br_contacts *c) {
    const br_state_part touches = {.name = "touches",
                                   .stride = sizeof(br_touch),
                                   .capacity = BR_CONTACTS_AT_FIRST,
                                   .flags = BR_PART_STATE | BR_PART_GROWS,
                                   .now = &c->before,
                                   .fits = touches_fit};
    br_status status = br_sim_ask(sim, "contact method", sizeof(int), 1, BR_PART_SAVED, &c->method, NULL);
    if (status == BR_OK)
        status = br_sim_ask(sim, "row guesses", sizeof(double), c->group_rows, BR_PART_STATE | BR_PART_STEADY,
                            &c->group_guess, NULL);
    return status == BR_OK ? br_state_ask(&sim->block, &touches) : status;
}

br_status br_contacts_create(br_sim *sim, br_error *error) {
    const br_model *m = sim->model;
    if (!m->contacts_possible && br_sim_plays(sim) == 0) return BR_OK;
    const int shapes = m->contact->shapes;
    br_contacts *c = BR_TAKE(&sim->arena, br_contacts, 1);
    unsigned char *fixed = BR_TAKE(&sim->arena, unsigned char, shapes);
    if (!c || !fixed) return no_memory(error);
    c->place = BR_TAKE(&sim->arena, br_placement, shapes);
    c->box = BR_TAKE(&sim->arena, br_aabb, shapes);
    c->grown = BR_TAKE(&sim->arena, double, shapes);
    c->axis_L = BR_TAKE(&sim->arena, br_vec3, shapes);
    c->normal_law = BR_TAKE(&sim->arena, br_normal_law, m->contact->pairs + m->contact->plays);
    for (int g = 0; g < sim->groups; g++) c->group_rows += sim->group[g].rows;
    if (!c->place || !c->box || !c->grown || !c->axis_L || !c->normal_law || ask_parts(sim, c) != BR_OK)
        return no_memory(error);
    c->kept = br_state_growing(&sim->block);
    sim->contacts = c;
    for (int s = 0; s < shapes; s++) fixed[s] = m->contact->shape[s].link < 0;
    take_normal_laws(m->contact, m->clearance, c);
    c->lags = br_contacts_lag(sim);
    take_axes(m, c);
    place_fixed(sim);
    br_status status = br_broad_create(shapes, fixed, may_touch, m, &sim->allocator, &c->broad, error);
    if (status == BR_OK) status = br_contacts_reserve(sim, BR_CONTACTS_AT_FIRST + 8 * shapes, error);
    if (status == BR_OK) status = br_contact_problem_create(sim, error);
    return status;
}

void br_contacts_destroy(br_sim *sim) {
    br_contacts *c = sim->contacts;
    if (!c) return;
    br_broad_destroy(c->broad);
    br_contact_problem_destroy(sim);
    if (c->touch) br_sim_give(sim, c->touch);
    if (c->left) br_sim_give(sim, c->left);
}

// --- geometry ----------------------------------------------------------------------------------------------

// How far a point of the shape can come in h, and the slack on top.
static double growth(const br_sim *sim, const br_model_shape *shape, const br_placement *X, double h,
                     double margin) {
    const br_link_pose *pose = &sim->work.pose[shape->link];
    const br_twist V = sim->work.motion[shape->link].V;
    const br_vec3 centre = br_vec3_add(X->p, br_mat3_mul_vec(X->R, shape->geometry.centre));
    const double arm = br_vec3_distance(centre, pose->p_WL) + shape->geometry.reach;
    const double speed = br_vec3_norm(V.linear) + br_vec3_norm(V.angular) * arm;
    const double fall = h * h * br_vec3_norm(sim->model->settings.gravity);
    return fmax(margin, h * speed + fall + BR_CONTACT_SLACK * shape->geometry.size);
}

static void place_moving(br_sim *sim, double h, double margin) {
    const br_model_contact *contact = sim->model->contact;
    br_contacts *c = sim->contacts;
    for (int s = 0; s < contact->shapes; s++) {
        const br_model_shape *shape = &contact->shape[s];
        if (shape->link < 0) continue;
        place_shape(sim, s);
        const double by = c->grown[s] = growth(sim, shape, &c->place[s], h, margin);
        br_aabb *box = &c->box[s];
        *box = br_geometry_bounds(&shape->geometry, &c->place[s]);
        box->low = br_vec3_sub(box->low, br_vec3_of(by, by, by));
        box->high = br_vec3_add(box->high, br_vec3_of(by, by, by));
    }
}

double br_shapes_size(const br_model *m, int a, int b) {
    const double x = m->contact->shape[a].geometry.size, y = m->contact->shape[b].geometry.size;
    const int has_x = x > 0.0 && isfinite(x), has_y = y > 0.0 && isfinite(y); // a plane has no size
    return has_x && has_y ? fmin(x, y) : has_x ? x : has_y ? y : 1.0;
}

// The field of the model that a shape is, or that places it: for messages.
static void shape_path(const br_model *m, int shape, const char *field, char out[BR_MAX_ERROR_PATH]) {
    const br_model_shape *s = m->contact->shape;
    int index = 0;
    for (int k = 0; k < shape; k++) index += s[k].body == s[shape].body;
    if (s[shape].body < 0)
        snprintf(out, BR_MAX_ERROR_PATH, "ground/%d", index);
    else if (field)
        snprintf(out, BR_MAX_ERROR_PATH, "bodies/%.128s/%s", br_model_body_name(m, s[shape].body), field);
    else
        snprintf(out, BR_MAX_ERROR_PATH, "bodies/%.128s/shapes/%d", br_model_body_name(m, s[shape].body),
                 index);
}

static br_status unlisted_pair(const br_sim *sim, int a, int b, br_error *error) {
    const br_model_contact *contact = sim->model->contact;
    const br_shape_def *x = &contact->shape[a].def, *y = &contact->shape[b].def;
    char path[BR_MAX_ERROR_PATH];
    shape_path(sim->model, x->material ? b : a, NULL, path);
    if (!x->material || !y->material)
        return br_fail_path(
            error, BR_INVALID, "contact-material", path,
            "t = %.9g s: %s touches %s, but %s has no material; write material: NAME with the shape",
            sim->state.at->t, x->name, y->name, x->material ? y->name : x->name);
    shape_path(sim->model, a, NULL, path);
    return br_fail_path(
        error, BR_INVALID, "contact-pair", path,
        "t = %.9g s: %s (%s) touches %s (%s), and pairs has no entry %s/%s; add one with its mu, or "
        "contact: {exclude: ...} if they should pass through each other",
        sim->state.at->t, x->name, x->material, y->name, y->material, x->material, y->material);
}

// Moment arms are taken where the moving one of two surfaces is, or midway.
static br_vec3 acting_point(const br_contact_point *found, int fixed_a, int fixed_b) {
    const double share = fixed_b ? 0.0 : fixed_a ? 1.0 : 0.5;
    return br_vec3_add_scaled(found->point, -share * found->gap, found->normal);
}

static void sort_by_feature(br_contact_point *point, int n) {
    for (int i = 1; i < n; i++) {
        const br_contact_point x = point[i];
        int j = i;
        for (; j > 0 && point[j - 1].feature > x.feature; j--) point[j] = point[j - 1];
        point[j] = x;
    }
}

static br_status touch_pair(br_sim *sim, int a, int b, br_error *error) {
    const br_model_contact *contact = sim->model->contact;
    br_contacts *c = sim->contacts;
    if (br_collide_order(contact->shape[a].geometry.type, contact->shape[b].geometry.type)) {
        const int swap = a;
        a = b, b = swap;
    }
    const br_model_shape *A = &contact->shape[a], *B = &contact->shape[b];
    br_contact_point point[BR_MAX_MANIFOLD];
    const int n =
        br_collide(&A->geometry, &c->place[a], &B->geometry, &c->place[b], c->grown[a] + c->grown[b], point);
    if (n == 0) return BR_OK;
    const int pair = br_model_pair(sim->model, a, b);
    if (pair < 0) {
        const double near = BR_EPS_TOUCHING * br_shapes_size(sim->model, a, b);
        for (int k = 0; k < n; k++)
            if (point[k].gap <= near) return unlisted_pair(sim, a, b, error);
        return BR_OK;
    }
    const br_status status =
        c->count + n > c->capacity ? br_contacts_reserve(sim, 2 * c->capacity + n, error) : BR_OK;
    if (status != BR_OK) return status;
    sort_by_feature(point, n);
    const double size = br_shapes_size(sim->model, a, b);
    for (int k = 0; k < n; k++) {
        br_touch *t = &c->touch[c->count++];
        memset(t, 0, sizeof *t);
        t->shape_a = a, t->shape_b = b, t->link_a = A->link, t->link_b = B->link;
        t->feature = point[k].feature, t->pair = pair, t->number = -1, t->size = size;
        t->point = acting_point(&point[k], A->link < 0, B->link < 0);
        t->normal = point[k].normal, t->gap = point[k].gap;
    }
    return BR_OK;
}

// --- matching ----------------------------------------------------------------------------------------------

static int low_shape(const br_touch *t) {
    return t->shape_a < t->shape_b ? t->shape_a : t->shape_b;
}

static int high_shape(const br_touch *t) {
    return t->shape_a < t->shape_b ? t->shape_b : t->shape_a;
}

static int compare_pairs(const br_touch *a, const br_touch *b) {
    const int low = low_shape(a) - low_shape(b);
    return low ? low : high_shape(a) - high_shape(b);
}

int br_touch_same(const br_touch *a, const br_touch *b) {
    return a->feature == b->feature && compare_pairs(a, b) == 0;
}

int br_touch_order(const br_touch *a, const br_touch *b) {
    const int pairs = compare_pairs(a, b);
    return pairs ? pairs : (a->feature > b->feature) - (a->feature < b->feature);
}

// Everything that a contact carries from step to step. Friction stays in world axes, turned into the new tangent plane.
static void inherit(br_touch *t, const br_touch *old) {
    t->number = old->number;
    t->age = old->age + 1;
    t->f_n = old->f_n;
    t->f_t = br_vec3_add_scaled(old->f_t, -br_vec3_dot(old->f_t, t->normal), t->normal);
    t->f_bristle = br_vec3_add_scaled(old->f_bristle, -br_vec3_dot(old->f_bristle, t->normal), t->normal);
    t->moment = old->moment;
    t->guess_n = old->guess_n, t->guess_t = old->guess_t;
    t->state = t->was = old->state;
    t->after = old->after;
    t->stored = old->stored;
    t->closing = old->closing;
    t->wedged = old->wedged > 0 ? old->wedged - 1 : 0;
    t->since = old->since;
    t->reach = old->reach, t->reach_age = old->reach_age + 1;
    t->offset = old->offset;
}

// A contact that began inside another shape keeps its depth as an offset of its gap: it shrinks as the contact opens, up to a slack that
// is no motion, and never grows. Points that are new between the same two shapes begin where they are, no deeper than the others did.
static void count_from_start(br_touch *now, int n, const br_touch *old, int m) {
    double deepest = 0.0;
    for (int j = 0; j < m; j++) deepest = fmax(deepest, old[j].offset);
    if (deepest == 0.0) return;
    const double slack = BR_EPS_SETTLED * now->size;
    for (int i = 0; i < n; i++) {
        br_touch *t = &now[i];
        const double most = t->age > 0 ? t->offset : deepest;
        t->offset = fmin(most, fmax(0.0, (t->age > 0 ? slack : 0.0) - t->gap));
        t->gap += t->offset;
    }
}

static void leave(br_contacts *c, const br_touch *old) {
    if (old->state != BR_CONTACT_OPEN) c->left[c->left_count++] = (int)(old - c->before);
}

// Points of one pair of shapes: by feature first, then the nearest of those left, then new ones with free numbers.
static void match_pair(br_sim *sim, br_touch *now, int n, const br_touch *old, int m) {
    unsigned used = 0, numbers = 0;
    for (int i = 0, j = 0; i < n; i++) {
        while (j < m && old[j].feature < now[i].feature) j++;
        if (j == m || old[j].feature != now[i].feature) continue;
        inherit(&now[i], &old[j]);
        used |= 1u << j;
    }
    const double near = BR_CONTACT_NEAREST * now->size;
    for (int i = 0; i < n; i++) {
        int best = -1;
        double distance = near;
        for (int j = 0; now[i].number < 0 && j < m; j++) {
            const double d = br_vec3_distance(now[i].point, old[j].point);
            if (!(used & 1u << j) && d < distance) distance = d, best = j;
        }
        if (best < 0) continue;
        inherit(&now[i], &old[best]);
        used |= 1u << best;
    }
    for (int j = 0; j < m; j++)
        if (!(used & 1u << j)) leave(sim->contacts, &old[j]);
    for (int i = 0; i < n; i++)
        if (now[i].number >= 0) numbers |= 1u << now[i].number;
    for (int i = 0, k = 0; i < n; i++) {
        if (now[i].number >= 0) continue;
        while (numbers & 1u << k) k++;
        now[i].number = k, numbers |= 1u << k;
    }
}

// Bristles belong to the contact of two shapes: its points share them, those that carried force or, before the first step,
// those that touch.
static void share_bristles(br_touch *now, int n) {
    const double near = BR_CONTACT_SLACK * now->size;
    int carrying = 0, touching = 0;
    for (int i = 0; i < n; i++) carrying += now[i].state != BR_CONTACT_OPEN, touching += now[i].gap <= near;
    const int points = carrying > 0 ? carrying : touching > 0 ? touching : 1;
    for (int i = 0; i < n; i++) now[i].share = 1.0 / points, now[i].alone = n == 1;
}

static void match(br_sim *sim) {
    br_contacts *c = sim->contacts;
    int j = 0;
    c->left_count = 0;
    for (int i = 0; i < c->count;) {
        int n = 1, m = 0;
        while (i + n < c->count && compare_pairs(&c->touch[i], &c->touch[i + n]) == 0) n++;
        for (; j < c->kept->count && compare_pairs(&c->before[j], &c->touch[i]) < 0; j++)
            leave(c, &c->before[j]);
        while (j + m < c->kept->count && compare_pairs(&c->before[j + m], &c->touch[i]) == 0) m++;
        match_pair(sim, &c->touch[i], n, &c->before[j], m);
        count_from_start(&c->touch[i], n, &c->before[j], m);
        share_bristles(&c->touch[i], n);
        i += n, j += m;
    }
    for (; j < c->kept->count; j++) leave(c, &c->before[j]);
}

// The surface's own axes: x of the second shape in the tangent plane, y where x is normal to it.
static void set_base(const br_sim *sim, br_touch *t) {
    const br_vec3 n = t->normal;
    if (sim->model->settings.planar != BR_SPATIAL) {
        t->tangent[0] = br_vec3_cross(sim->model->normal, n);
        t->tangent[1] = sim->model->normal;
        return;
    }
    if (br_touch_play(sim, t)) {
        br_play_base(sim, t);
        return;
    }
    br_vec3 x = sim->contacts->axis_L[t->shape_b];
    if (t->link_b >= 0) x = br_mat3_mul_vec(sim->work.pose[t->link_b].R_WL, x);
    x = br_vec3_add_scaled(x, -br_vec3_dot(x, n), n);
    const double length = br_vec3_norm(x);
    t->tangent[0] = length > 0.1 ? br_vec3_scale(1.0 / length, x) : br_mat3_column(br_tangent_basis(n), 0);
    t->tangent[1] = br_vec3_cross(n, t->tangent[0]);
}

// Points of one face: the same normal on the same surface.
static int shares_base(const br_touch *t, const br_touch *other) {
    return t->shape_b == other->shape_b && t->normal.x == other->normal.x && t->normal.y == other->normal.y &&
           t->normal.z == other->normal.z;
}

br_status br_contacts_find(br_sim *sim, double h, double margin, br_error *error) {
    br_contacts *c = sim->contacts;
    const br_broad_pair *pair;
    int pairs;
    place_moving(sim, h, margin);
    c->count = 0;
    br_status status = br_broad_update(c->broad, c->box, &pair, &pairs, error);
    for (int k = 0; status == BR_OK && k < pairs; k++) status = touch_pair(sim, pair[k].a, pair[k].b, error);
    if (status == BR_OK) status = br_plays_add(sim, h, error);
    if (status != BR_OK) return status;
    match(sim);
    br_plays_carry(sim);
    for (int k = 0; k < c->count; k++) {
        br_touch *t = &c->touch[k];
        if (k > 0 && shares_base(t, t - 1))
            t->tangent[0] = t[-1].tangent[0], t->tangent[1] = t[-1].tangent[1];
        else
            set_base(sim, t);
    }
    return br_apart_leave_out(sim, error);
}

void br_contacts_keep(br_sim *sim) {
    br_contacts *c = sim->contacts;
    if (sim->apart) {
        br_apart_keep(sim);
        return;
    }
    for (int k = 0; k < c->count; k++) c->before[k] = c->touch[k];
    c->kept->count = c->count, c->count = c->left_count = 0;
}

void br_contacts_keep_groups(br_sim *sim) {
    double *to = sim->contacts->group_guess;
    for (int g = 0; g < sim->groups; g++)
        for (int r = 0; r < sim->group[g].rows; r++) *to++ = sim->group[g].force[r];
}

double br_contacts_start_depth(const br_sim *sim, int a, int b, uint32_t feature) {
    const br_contacts *c = sim->contacts;
    double deepest = 0.0;
    for (int k = 0; k < c->kept->count; k++) {
        const br_touch *t = &c->before[k];
        if (t->shape_a != a || t->shape_b != b) continue;
        if (t->feature == feature) return t->offset;
        deepest = fmax(deepest, t->offset);
    }
    return deepest;
}

// Rigid contacts that begin inside keep their depth, see count_from_start.
static void settle_start(br_sim *sim) {
    br_contacts *c = sim->contacts;
    if (sim->model->settings.start_penetration != BR_START_SETTLE) return;
    for (int k = 0; k < c->count; k++) {
        br_touch *t = &c->touch[k];
        if (t->gap >= -BR_EPS_SETTLED * t->size || c->normal_law[t->pair].kind != BR_NORMAL_RIGID) continue;
        t->offset = -t->gap;
        t->gap = 0.0;
    }
}

// Contacts of the state as it is, before anything was stepped: for readers. What is wrong with them a step will say.
void br_contacts_look(br_sim *sim) {
    br_error ignored;
    br_contacts *c = sim->contacts;
    if (!c) return;
    for (int k = 0; k < c->group_rows; k++) c->group_guess[k] = 0.0;
    br_sim_refresh(sim, 2);
    if (br_contacts_find(sim, sim->model->settings.solver.step, 0.0, &ignored) != BR_OK) return;
    if (br_contacts_make_room(sim, &ignored) != BR_OK) return;
    settle_start(sim);
    br_contacts_keep(sim);
    sim->state.at->contact_elastic =
        br_contacts_stored(sim, c->before, c->kept->count); // of compliant ones that start inside
}

// A model that starts deep inside itself: where it is asked for, that is an error.
br_status br_contacts_check_start(br_sim *sim, br_error *error) {
    br_contacts *c = sim->contacts;
    if (sim->model->settings.start_penetration != BR_START_REFUSE) return BR_OK;
    br_sim_refresh(sim, 2);
    const br_status status = br_contacts_find(sim, sim->model->settings.solver.step, 0.0, error);
    if (status != BR_OK) return status;
    for (int k = 0; k < c->count; k++) {
        const br_touch *t = &c->touch[k];
        const br_model_shape *a = &sim->model->contact->shape[t->shape_a],
                             *b = &sim->model->contact->shape[t->shape_b];
        const double size = br_shapes_size(sim->model, t->shape_a, t->shape_b);
        if (t->gap >= -BR_MAX_START_DEPTH * size || c->normal_law[t->pair].kind != BR_NORMAL_RIGID) continue;
        char path[BR_MAX_ERROR_PATH];
        shape_path(sim->model, a->body < 0 ? t->shape_b : t->shape_a, "pose", path);
        return br_fail_path(
            error, BR_INVALID, "start-penetration", path,
            "%s starts %.3g m deep inside %s, expected to touch it at most; move one of them apart, or "
            "write start: {penetration: settle}",
            a->def.name, -t->gap, b->def.name);
    }
    return BR_OK;
}

// --- rows --------------------------------------------------------------------------------------------------

br_wrench br_touch_wrench(const br_sim *sim, const br_touch *t, br_vec3 direction, int on_b) {
    const int link = on_b ? t->link_b : t->link_a;
    if (link < 0) return br_wrench_of(br_vec3_zero(), br_vec3_zero());
    const br_vec3 arm = br_vec3_sub(t->point, sim->work.pose[link].p_WL);
    const br_vec3 f = on_b ? br_vec3_neg(direction) : direction;
    return br_wrench_of(br_vec3_cross(arm, f), f);
}

br_vec3 br_touch_velocity(const br_sim *sim, const br_touch *t, const br_twist *V) {
    br_vec3 v[2] = {br_vec3_zero(), br_vec3_zero()};
    const int link[2] = {t->link_a, t->link_b};
    for (int k = 0; k < 2; k++) {
        if (link[k] < 0) continue;
        const br_twist *twist = V ? &V[link[k]] : &sim->work.motion[link[k]].V;
        v[k] = br_twist_at_point(*twist, br_vec3_sub(t->point, sim->work.pose[link[k]].p_WL));
    }
    return br_vec3_sub(v[0], v[1]);
}

static char *name_append(char *at, const char *end, const char *text) {
    while (*text && at < end) *at++ = *text++;
    return at;
}

// "a~b#0". By hand: a recorder asks for it once a row and contact, where printf would cost more than the row's numbers.
void br_touch_name(const br_sim *sim, const br_touch *t, char *name, size_t size) {
    const br_model_shape *shape = sim->model->contact->shape;
    char digits[12] = "", *digit = digits + sizeof digits - 1, *at = name;
    if (size == 0) return;
    if (br_touch_play(sim, t)) {
        *name_append(at, name + size - 1, br_touch_play(sim, t)->name) = '\0';
        return;
    }
    for (int n = t->number; n > 0 || *digit == '\0'; n /= 10) *--digit = (char)('0' + n % 10);
    at = name_append(at, name + size - 1, shape[t->shape_a].def.name);
    at = name_append(at, name + size - 1, "~");
    at = name_append(at, name + size - 1, shape[t->shape_b].def.name);
    at = name_append(at, name + size - 1, "#");
    *name_append(at, name + size - 1, digit) = '\0';
}
