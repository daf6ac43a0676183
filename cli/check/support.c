#include "check/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/contact.h"
#include "bristle/model.h"

#define SUPPORT_NEAR 1e-3 // m: contacts that carry as soon as something leans on them
#define SUPPORT_STEEP 0.3 // of the normal along gravity: walls carry nothing
#define SUPPORT_EPS 1e-12 // of a Jacobian: a body that a free joint does not move

enum { SUPPORT_MAX = 4096 }; // contacts that are looked at

typedef struct support {
    const char *body; // at the root
    int bodies, contacts;
    double margin; // m: of the centre of mass from the nearest edge of what the contacts span; < 0: beyond it
} support;

typedef struct plane_point {
    double x, y;
} plane_point;

static int left_to_right(const void *a, const void *b) {
    const plane_point *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

static double turns(plane_point a, plane_point b, plane_point c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Corners of the hull, to the left of each other; points are sorted in place. hull: room for 2 n.
static int hull_of(plane_point *p, int n, plane_point *hull) {
    int k = 0;
    qsort(p, (size_t)n, sizeof *p, left_to_right);
    for (int side = 0; side < 2; side++) {
        const int first = k;
        for (int i = 0; i < n; i++) {
            const plane_point next = p[side ? n - 1 - i : i];
            while (k - first >= 2 && turns(hull[k - 2], hull[k - 1], next) <= 0.0) k--;
            hull[k++] = next;
        }
        k--; // the other side begins with it
    }
    return k > 0 ? k : 1;
}

static double from_segment(plane_point a, plane_point b, plane_point c) {
    const double dx = b.x - a.x, dy = b.y - a.y, size = dx * dx + dy * dy;
    double s = size > 0.0 ? ((c.x - a.x) * dx + (c.y - a.y) * dy) / size : 0.0;
    s = fmin(1.0, fmax(0.0, s));
    return hypot(c.x - a.x - s * dx, c.y - a.y - s * dy);
}

static double margin_of(plane_point *p, int n, plane_point c, plane_point *hull) {
    const int corners = hull_of(p, n, hull);
    double nearest = INFINITY;
    int inside = corners > 2;
    for (int k = 0; k < corners; k++) {
        const plane_point a = hull[k], b = hull[(k + 1) % corners];
        nearest = fmin(nearest, from_segment(a, b, c));
        inside &= turns(a, b, c) >= 0.0;
    }
    return inside ? nearest : -nearest;
}

static double channel_of(br_sim *sim, const char *body, const char *rest) {
    char name[BR_MAX_NAME + 16];
    br_channel c;
    double value = NAN;
    snprintf(name, sizeof name, "%s%s", body, rest);
    if (br_sim_channel_find(sim, name, &c, NULL) == BR_OK) br_sim_channel_read(sim, &c, &value, NULL);
    return value;
}

// Whether the free joint at column v of the coordinates moves the body. jacobian: room for 6 nv.
static int moved_by(br_sim *sim, int nv, int body, int v, double *jacobian) {
    double most = 0.0;
    br_sim_jacobian(sim, body, br_vec3_zero(), jacobian, jacobian + 3 * nv);
    for (int i = 0; i < 6; i++)
        for (int k = v; k < v + 6; k++) most = fmax(most, fabs(jacobian[i * nv + k]));
    return most > SUPPORT_EPS;
}

static int is_fixed(br_sim *sim, int nv, int body, double *jacobian) {
    if (body < 0) return 1;
    double most = 0.0;
    br_sim_jacobian(sim, body, br_vec3_zero(), jacobian, jacobian + 3 * nv);
    for (int k = 0; k < 6 * nv; k++) most = fmax(most, fabs(jacobian[k]));
    return most <= SUPPORT_EPS;
}

// Two directions across gravity.
static int across_gravity(const br_model *model, br_vec3 *x, br_vec3 *y, br_vec3 *up) {
    const br_vec3 g = br_model_settings(model)->gravity;
    if (!(br_vec3_norm(g) > 0.0)) return 0;
    *up = br_vec3_scale(-1.0 / br_vec3_norm(g), g);
    const br_mat3 basis = br_tangent_basis(*up);
    *x = br_mat3_mul_vec(basis, br_vec3_unit(0));
    *y = br_mat3_mul_vec(basis, br_vec3_unit(1));
    return 1;
}

static plane_point project(br_vec3 x, br_vec3 y, br_vec3 p) {
    return (plane_point){br_vec3_dot(x, p), br_vec3_dot(y, p)};
}

// The one at a free joint. 0: nothing to say of it.
static int support_of(br_sim *sim, const br_model *model, int joint, double *jacobian, plane_point *room,
                      support *out) {
    const int nv = br_model_nv(model), v = br_model_joint_v(model, joint),
              bodies = br_model_body_count(model);
    br_vec3 x, y, up, moment = br_vec3_zero();
    double mass = 0.0;
    int n = 0;
    if (!across_gravity(model, &x, &y, &up)) return 0;
    *out = (support){NULL, 0, 0, 0.0};
    for (int b = 0; b < bodies; b++) {
        const double m = br_model_body_mass(model, b);
        if (!moved_by(sim, nv, b, v, jacobian)) continue;
        const char *name = br_model_body_name(model, b);
        if (!out->body) out->body = name;
        out->bodies++, mass += m;
        if (m > 0.0)
            moment = br_vec3_add_scaled(moment, m,
                                        br_vec3_of(channel_of(sim, name, ".com.x"),
                                                   channel_of(sim, name, ".com.y"),
                                                   channel_of(sim, name, ".com.z")));
    }
    for (int k = 0; k < br_sim_contact_count(sim) && n < SUPPORT_MAX; k++) {
        br_contact c;
        br_sim_contact(sim, k, &c);
        if (c.gap > SUPPORT_NEAR || fabs(br_vec3_dot(c.normal, up)) < SUPPORT_STEEP) continue;
        const int own_a = c.body_a >= 0 && moved_by(sim, nv, c.body_a, v, jacobian),
                  own_b = c.body_b >= 0 && moved_by(sim, nv, c.body_b, v, jacobian);
        if (own_a == own_b || !is_fixed(sim, nv, own_a ? c.body_b : c.body_a, jacobian)) continue;
        room[n++] = project(x, y, c.point);
    }
    out->contacts = n;
    if (n == 0 || !(mass > 0.0) || out->bodies < 2) return 0;
    out->margin = margin_of(room, n, project(x, y, br_vec3_scale(1.0 / mass, moment)), room + SUPPORT_MAX);
    return isfinite(out->margin);
}

static void each_support(br_sim *sim, const br_model *model, void (*say)(void *context, const support *s),
                         void *context) {
    double *jacobian = malloc(6 * ((size_t)br_model_nv(model) + 1) * sizeof *jacobian);
    plane_point *room = malloc(3 * SUPPORT_MAX * sizeof *room);
    support s;
    for (int j = 0; jacobian && room && j < br_model_joint_count(model); j++)
        if (br_model_joint_type(model, j) == BR_JOINT_FREE && !br_model_joint_closes_loop(model, j) &&
            support_of(sim, model, j, jacobian, room, &s))
            say(context, &s);
    free(jacobian);
    free(room);
}

static void say_text(void *context, const support *s) {
    (void)context;
    if (s->margin >= 0.0)
        printf("support     the centre of mass of %s and what it carries lies over its contacts, %.3g m from "
               "the edge of what "
               "they span\n",
               s->body, s->margin);
    else
        printf("support     the centre of mass of %s and what it carries lies %.3g m beyond what its "
               "contacts span: it tips, "
               "unless something moves\n",
               s->body, -s->margin);
}

static void say_json(void *context, const support *s) {
    br_json o = br_json_object(context, NULL);
    br_json_string(&o, "body", s->body);
    br_json_whole(&o, "contacts", s->contacts);
    br_json_number(&o, "margin", s->margin);
    br_json_close_object(&o);
}

void check_print_support(br_sim *sim, const br_model *model) {
    each_support(sim, model, say_text, NULL);
}

void check_json_support(br_json *json, br_sim *sim, const br_model *model) {
    br_json list = br_json_list(json, "support");
    each_support(sim, model, say_json, &list);
    br_json_close_list(&list);
}
