// A small scene in the plane xz, written down once and read two ways: as YAML for the program, and as equations of its own
// (sceptic_modes.h) for the truth. Every body is (x, z, angle about y); everything stands as it is drawn, at rest but for slides.
#ifndef SCEPTIC_SCENE_H
#define SCEPTIC_SCENE_H

#include <stdarg.h>
#include <stdio.h>

#include "sceptic_modes.h"

enum {
    SC_BODIES = 6,
    SC_JOINTS = 8,
    SC_FEET = 8,
    SC_FLOORS = 4,
    SC_LOADINGS = 8,
    SC_TEXT = 16384,
    SC_WORLD = -1
};

typedef enum sc_kind { SC_SLIDE = 0, SC_PIN, SC_GEAR, SC_RACK } sc_kind;
typedef enum sc_law { SC_COULOMB = 0, SC_BRISTLE, SC_DAHL, SC_LUGRE, SC_SMOOTH, SC_LAWS } sc_law;

static const char *const sc_law_text[SC_LAWS] = {"coulomb", "bristle", "dahl", "lugre", "smooth"};

typedef struct sc_body {
    double mass, inertia, x, z;
    double
        box; // half the width of a flat top for feet of others, 0: none; half a height of 0.05 below and above
} sc_body;

typedef struct sc_joint {
    sc_kind kind;
    int a, b;           // bodies; joints for gears and racks
    double x, z, angle; // a point, and the axis of a slide from x towards z
    int rubs;
    sc_law law;
    double mu_static, mu_kinetic, preload, guide, radius,
        constant;           // constant > 0: the load, whatever the reaction
    double stiffness, rest; // spring of the coordinate
    int limit;              // -1, 1: it stands at its lower, upper limit
    double force;           // drive
    int driven;
    double acceleration; // of the prescribed motion, at the start
    double speed;        // of the prescribed motion, constant
    double swing, omega; // swing sin(omega t): prescribed
    double velocity;     // at the start
    double ratio;        // gear; radius of the pinion
    double v_slope;      // of the smooth law; 0: the default
} sc_joint;

typedef struct sc_foot { // a sphere on a body, touching a floor or another body's top
    int body, on, floor; // on: a body, or SC_WORLD and floor
    int shape;           // the foot whose sphere it is: a sphere may touch twice
    int slides;          // -1, 1: along (nz, -nx); 0: rests
    double x, z, radius; // of its centre, body frame
    double mu_static, mu_kinetic;
} sc_foot;

typedef struct sc_floor {
    double nx, nz, x, z; // outward normal and a point
} sc_floor;

typedef struct sc_loading {
    int body;
    double x, z, torque;                // N, N m at t = 0
    double x_rate, z_rate, torque_rate; // N/s, N m/s
    double jump, jump_at;               // N along x from this time on
} sc_loading;

typedef struct sc_scene {
    char name[64];
    int bodies, joints, feet, floors, loads;
    sc_body body[SC_BODIES];
    sc_joint joint[SC_JOINTS];
    sc_foot foot[SC_FEET];
    sc_floor floor[SC_FLOORS];
    sc_loading load[SC_LOADINGS];
    double gravity;  // downwards
    const char *law; // of contacts
    double until;
    int spatial;    // written without `planar`
    double L, M, T; // units: a length of 1 is written as L and so on; powers of two
    int turned;     // frames are turned about y by a fixed angle
} sc_scene;

static inline sc_scene sc_empty(const char *name) {
    sc_scene s;
    memset(&s, 0, sizeof s);
    snprintf(s.name, sizeof s.name, "%s", name);
    s.gravity = 9.81, s.law = "cone", s.until = 1;
    s.L = s.M = s.T = 1;
    return s;
}

static inline int sc_add_body(sc_scene *s, double mass, double x, double z) {
    s->body[s->bodies] = (sc_body){mass, mass * 0.02, x, z, 0};
    return s->bodies++;
}

static inline sc_joint *sc_add_joint(sc_scene *s, sc_kind kind, int a, int b, double angle) {
    sc_joint *j = &s->joint[s->joints++];
    memset(j, 0, sizeof *j);
    j->kind = kind, j->a = a, j->b = b, j->angle = angle;
    if (kind <= SC_PIN) j->x = s->body[b].x, j->z = s->body[b].z;
    return j;
}

static inline void sc_rub(sc_joint *j, double mu_static, double mu_kinetic) {
    j->rubs = 1, j->mu_static = mu_static, j->mu_kinetic = mu_kinetic;
}

static inline void sc_add_foot(sc_scene *s, int body, int on, int floor, double x, double z, double mu_static,
                               double mu_kinetic) {
    s->foot[s->feet] = (sc_foot){body, on, floor, s->feet, 0, x, z, 0.02, mu_static, mu_kinetic};
    s->feet++;
}

static inline void sc_add_load(sc_scene *s, int body, double x, double z, double torque) {
    s->load[s->loads++] = (sc_loading){body, x, z, torque, 0, 0, 0, 0, 0};
}

// ------------------------------------------------------------------------------------------------- equations

static inline void sc_put(real *row, int body, real side, real rx, real rz, real dx, real dz) {
    if (body == SC_WORLD) return;
    row[3 * body] += side * dx, row[3 * body + 1] += side * dz;
    row[3 * body + 2] += side * (rz * dx - rx * dz); // w y x r
}

static inline void sc_between(const sc_scene *s, real *row, int a, int b, double x, double z, real dx,
                              real dz) {
    if (a != SC_WORLD) sc_put(row, a, -1, x - s->body[a].x, z - s->body[a].z, dx, dz);
    if (b != SC_WORLD) sc_put(row, b, 1, x - s->body[b].x, z - s->body[b].z, dx, dz);
}

static inline void sc_coordinate(const sc_scene *s, real *row, int joint, real factor) {
    const sc_joint *j = &s->joint[joint];
    if (j->kind == SC_SLIDE) {
        sc_between(s, row, j->a, j->b, j->x, j->z, factor * cosl(j->angle), factor * sinl(j->angle));
        return;
    }
    if (j->a != SC_WORLD) row[3 * j->a + 2] -= factor;
    if (j->b != SC_WORLD) row[3 * j->b + 2] += factor;
}

static inline sc_row *sc_new_row(sc_instant *at) {
    sc_row *r = &at->row[at->rows++];
    memset(r, 0, sizeof *r);
    return r;
}

static inline void sc_slide_rows(const sc_scene *s, sc_instant *at, int k, sc_pad *pad) {
    const sc_joint *j = &s->joint[k];
    const real dx = cosl(j->angle), dz = sinl(j->angle), half = 0.5L * j->guide;
    const int ends = j->guide > 0 ? 2 : 1;
    if (ends == 1) {
        sc_row *turn = sc_new_row(at);
        if (j->a != SC_WORLD) turn->J[3 * j->a + 2] -= 1;
        turn->J[3 * j->b + 2] += 1;
    }
    for (int e = 0; e < ends; e++) {
        const real at_e = ends == 1 ? 0 : e ? half : -half;
        if (pad && j->constant == 0) pad->load[pad->loads++] = at->rows;
        sc_between(s, sc_new_row(at)->J, j->a, j->b, (double)(j->x + at_e * dx), (double)(j->z + at_e * dz),
                   -dz, dx);
    }
}

static inline void sc_joint_rows(const sc_scene *s, sc_instant *at, int k, double t) {
    const sc_joint *j = &s->joint[k];
    if (j->kind == SC_GEAR || j->kind == SC_RACK) { // q1 + ratio q2; x_rack - radius angle
        real *J = sc_new_row(at)->J;
        sc_coordinate(s, J, j->a, j->kind == SC_GEAR ? 1 : -(real)j->ratio);
        sc_coordinate(s, J, j->b, j->kind == SC_GEAR ? (real)j->ratio : 1);
        return;
    }
    sc_pad *pad = NULL;
    if (j->rubs) {
        pad = &at->pad[at->pads++];
        memset(pad, 0, sizeof *pad);
        sc_coordinate(s, pad->t, k, j->kind == SC_PIN && j->radius > 0 ? j->radius : 1);
        pad->mu_static = j->law == SC_DAHL ? j->mu_kinetic : j->mu_static, pad->mu_kinetic = j->mu_kinetic;
        pad->pre = j->constant > 0 ? j->constant + j->preload : j->preload;
        pad->slides = (j->velocity > 0) - (j->velocity < 0);
    }
    if (j->kind == SC_SLIDE) {
        sc_slide_rows(s, at, k, pad);
    } else {
        sc_between(s, sc_new_row(at)->J, j->a, j->b, j->x, j->z, 1, 0);
        sc_between(s, sc_new_row(at)->J, j->a, j->b, j->x, j->z, 0, 1);
    }
    sc_coordinate(s, at->Q, k, (real)j->force + (real)j->stiffness * j->rest);
    if (j->driven) {
        sc_row *r = sc_new_row(at);
        sc_coordinate(s, r->J, k, 1);
        r->b = j->omega > 0 ? -(real)j->swing * j->omega * j->omega * sinl((real)j->omega * t)
                            : (real)j->acceleration;
    }
    if (j->limit) {
        sc_row *r = sc_new_row(at);
        sc_coordinate(s, r->J, k, -j->limit);
        r->unilateral = 1;
    }
}

static inline void sc_foot_rows(const sc_scene *s, sc_instant *at, const sc_foot *f) {
    const sc_body *b = &s->body[f->body];
    const double nx = f->on == SC_WORLD ? s->floor[f->floor].nx : 0,
                 nz = f->on == SC_WORLD ? s->floor[f->floor].nz : 1;
    const double x = b->x + f->x - f->radius * nx, z = b->z + f->z - f->radius * nz;
    sc_pad *pad = &at->pad[at->pads++];
    memset(pad, 0, sizeof *pad);
    pad->mu_static = f->mu_static, pad->mu_kinetic = f->mu_kinetic;
    pad->slides = f->slides;
    pad->contact = 1, pad->loads = 1, pad->load[0] = at->rows;
    sc_row *r = sc_new_row(at);
    r->unilateral = r->of_pad = 1;
    sc_between(s, r->J, f->on, f->body, x, z, nx, nz);
    sc_between(s, pad->t, f->on, f->body, x, z, nz, -nx);
}

// What holds at time t if nothing has moved until then.
static inline sc_instant sc_equations(const sc_scene *s, double t) {
    sc_instant at;
    memset(&at, 0, sizeof at);
    at.n = 3 * s->bodies;
    for (int b = 0; b < s->bodies; b++) {
        at.mass[3 * b] = at.mass[3 * b + 1] = s->body[b].mass, at.mass[3 * b + 2] = s->body[b].inertia;
        at.Q[3 * b + 1] -= (real)s->body[b].mass * s->gravity;
    }
    for (int k = 0; k < s->loads; k++) {
        const sc_loading *l = &s->load[k];
        at.Q[3 * l->body] += l->x + (real)t * l->x_rate + (t >= l->jump_at ? l->jump : 0),
            at.Q[3 * l->body + 1] += l->z + (real)t * l->z_rate;
        at.Q[3 * l->body + 2] += l->torque + (real)t * l->torque_rate;
    }
    for (int k = 0; k < s->joints; k++) sc_joint_rows(s, &at, k, t);
    for (int k = 0; k < s->feet; k++) sc_foot_rows(s, &at, &s->foot[k]);
    return at;
}

// Name of pad k as the program writes it: pads of joints first, in their order, then feet.
static inline void sc_pad_name(const sc_scene *s, int k, char *name, size_t size) {
    for (int j = 0; j < s->joints; j++)
        if (s->joint[j].rubs && k-- == 0) {
            snprintf(name, size, "j%d", j);
            return;
        }
    const sc_foot *f = &s->foot[k];
    if (f->on == SC_WORLD)
        snprintf(name, size, "foot%d~floor%d", f->shape, f->floor);
    else
        snprintf(name, size, "foot%d~top%d", f->shape, f->on);
}

// What a unit of the pad's friction is in the program's own unit: pins are told in N m.
static inline double sc_pad_unit(const sc_scene *s, int k) {
    for (int j = 0; j < s->joints; j++)
        if (s->joint[j].rubs && k-- == 0)
            return s->joint[j].kind == SC_PIN && s->joint[j].radius > 0 ? s->L * s->joint[j].radius
                   : s->joint[j].kind == SC_PIN                         ? s->L
                                                                        : 1;
    return 1;
}

// ------------------------------------------------------------------------------------------------------ YAML

typedef struct sc_writer {
    char *text;
    size_t size, used;
} sc_writer;

static inline void sc_print(sc_writer *w, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(w->text + w->used, w->size - w->used, format, list);
    va_end(list);
    if (n > 0 && (size_t)n < w->size - w->used) w->used += (size_t)n;
}

static inline const char *sc_body_name(int b, char *name) {
    if (b == SC_WORLD)
        snprintf(name, 16, "world");
    else
        snprintf(name, 16, "b%d", b);
    return name;
}

// A vector of the plane as written: turned by a fixed angle where frames are.
static inline void sc_vector(const sc_scene *s, sc_writer *w, double x, double z, double unit) {
    const double c = s->turned ? 0.8 : 1, d = s->turned ? 0.6 : 0;
    sc_print(w, "[%.17g, 0, %.17g]", unit * (c * x - d * z), unit * (d * x + c * z));
}

static inline void sc_write_bodies(const sc_scene *s, sc_writer *w) {
    sc_print(w, "bodies:\n");
    for (int b = 0; b < s->bodies; b++) {
        const sc_body *body = &s->body[b];
        const double I = body->inertia * s->M * s->L * s->L;
        sc_print(w, "  b%d:\n    mass: %.17g\n", b, body->mass * s->M);
        if (s->spatial)
            sc_print(w, "    inertia: [%.17g, %.17g, %.17g]\n", I, I, I);
        else
            sc_print(w, "    inertia: %.17g\n", I);
        sc_print(w, "    pose: {position: ");
        sc_vector(s, w, body->x, body->z, s->L);
        sc_print(w, "}\n");
        int shapes = body->box > 0;
        for (int f = 0; f < s->feet; f++) shapes |= s->foot[f].body == b;
        if (!shapes) continue;
        sc_print(w, "    shapes:\n");
        const double turn = s->turned ? -0.64350110879328437 : 0; // atan2(0.6, 0.8), about y
        if (body->box > 0)
            sc_print(w,
                     "      - {name: top%d, box: {size: [%.17g, %.17g, %.17g]}, material: top%d, pose: "
                     "{rotation_vector: [0, %.17g, 0]}}\n",
                     b, 2 * body->box * s->L, s->L, 0.1 * s->L, b, turn);
        for (int f = 0; f < s->feet; f++)
            if (s->foot[f].body == b && s->foot[f].shape == f) {
                sc_print(
                    w,
                    "      - {name: foot%d, sphere: {radius: %.17g}, material: foot%d, pose: {position: ", f,
                    s->foot[f].radius * s->L, f);
                sc_vector(s, w, s->foot[f].x, s->foot[f].z, s->L);
                sc_print(w, "}}\n");
            }
    }
}

static inline void sc_write_contact(const sc_scene *s, sc_writer *w) {
    if (s->feet == 0) return;
    sc_print(w, "contact: {law: %s", s->law);
    for (int a = 0, n = 0; a < s->bodies; a++)
        for (int b = SC_WORLD; b < a; b++) { // only the pairs that are meant touch
            int meant = 0;
            char name[16];
            for (int f = 0; f < s->feet; f++)
                meant |= (s->foot[f].body == a && s->foot[f].on == b) ||
                         (s->foot[f].body == b && s->foot[f].on == a);
            if (!meant) sc_print(w, "%s[b%d, %s]", n++ ? ", " : ", exclude: [", a, sc_body_name(b, name));
            if (a == s->bodies - 1 && b == a - 1 && n) sc_print(w, "]");
        }
    sc_print(w, "}\nmaterials: {");
    for (int f = 0; f < s->feet; f++) sc_print(w, "foot%d: {}, ", f);
    for (int b = 0; b < s->bodies; b++)
        if (s->body[b].box > 0) sc_print(w, "top%d: {}, ", b);
    for (int k = 0; k < s->floors; k++) sc_print(w, "floor%d: {}, ", k);
    sc_print(w, "none: {}}\npairs:\n");
    for (int f = 0; f < s->feet; f++) {
        const sc_foot *foot = &s->foot[f];
        char on[24];
        snprintf(on, sizeof on, foot->on == SC_WORLD ? "floor%d" : "top%d",
                 foot->on == SC_WORLD ? foot->floor : foot->on);
        sc_print(w, "  foot%d/%s: {mu_static: %.17g, mu_kinetic: %.17g", foot->shape, on, foot->mu_static,
                 foot->mu_kinetic);
        sc_print(w, s->L != 1 || s->T != 1 ? ", bristle: {v_threshold: %.17g}}\n" : "}\n",
                 0.01 * s->L / s->T);
        for (int k = 0; foot->on == SC_WORLD && foot->shape == f && k < s->floors; k++) {
            int meant = 0;
            for (int e = 0; e < s->feet; e++) meant |= s->foot[e].shape == f && s->foot[e].floor == k;
            if (!meant) sc_print(w, "  foot%d/floor%d: {mu: 0}\n", f, k);
        }
    }
    for (int b = 0; b < s->bodies; b++)
        for (int k = 0; s->body[b].box > 0 && k < s->floors; k++)
            sc_print(w, "  top%d/floor%d: {mu: 0}\n", b, k);
    if (s->floors) sc_print(w, "ground:\n");
    for (int k = 0; k < s->floors; k++) {
        sc_print(w, "  - {name: floor%d, material: floor%d, plane: {normal: ", k, k);
        sc_vector(s, w, s->floor[k].nx, s->floor[k].nz, 1);
        sc_print(w, ", point: ");
        sc_vector(s, w, s->floor[k].x, s->floor[k].z, s->L);
        sc_print(w, "}}\n");
    }
}

static inline void sc_write_joint(const sc_scene *s, sc_writer *w, int k) {
    const sc_joint *j = &s->joint[k];
    const double F = s->M * s->L / (s->T * s->T);
    char a[16], b[16];
    if (j->kind == SC_GEAR || j->kind == SC_RACK) {
        sc_print(w,
                 j->kind == SC_GEAR ? "  j%d: {gear: [j%d, j%d], ratio: %.17g}\n"
                                    : "  j%d: {rack_pinion: [j%d, j%d], radius: %.17g}\n",
                 k, j->a, j->b, j->kind == SC_GEAR ? j->ratio : j->ratio * s->L);
        return;
    }
    sc_print(w, "  j%d: {%s: [%s, %s], at: ", k, j->kind == SC_SLIDE ? "prismatic" : "revolute",
             sc_body_name(j->a, a), sc_body_name(j->b, b));
    sc_vector(s, w, j->x, j->z, s->L);
    sc_print(w, ", axis: ");
    if (j->kind == SC_SLIDE)
        sc_vector(s, w, cos(j->angle), sin(j->angle), 1);
    else
        sc_print(w, "[0, 1, 0]");
    if (j->velocity != 0) sc_print(w, ", velocity: %.17g", j->velocity * s->L / s->T);
    if (j->stiffness > 0)
        sc_print(w, ", spring: {stiffness: %.17g, rest: %.17g}",
                 j->stiffness * F / s->L * (j->kind == SC_SLIDE ? 1 : s->L * s->L),
                 j->rest * (j->kind == SC_SLIDE ? s->L : 1));
    if (j->limit) sc_print(w, j->limit < 0 ? ", limits: [0, inf]" : ", limits: [-inf, 0]");
    if (j->rubs) {
        sc_print(w, ",\n       friction: {law: %s, mu_static: %.17g, mu_kinetic: %.17g", sc_law_text[j->law],
                 j->mu_static, j->mu_kinetic);
        if (j->preload > 0) sc_print(w, ", preload: %.17g", j->preload * F);
        if (j->guide > 0) sc_print(w, ", guide_length: %.17g", j->guide * s->L);
        if (j->radius > 0) sc_print(w, ", pin_radius: %.17g", j->radius * s->L);
        if (j->constant > 0)
            sc_print(w, ", load: {constant: %.17g}",
                     j->constant * F * (j->kind == SC_PIN && !(j->radius > 0) ? s->L : 1));
        if (j->v_slope > 0)
            sc_print(w, ", v_slope: %.17g", j->v_slope);
        else if (s->L != 1 || s->T != 1) { // defaults are in SI
            const double v = 1e-3 * s->L / s->T * (j->kind == SC_PIN && !(j->radius > 0) ? 1 / s->L : 1);
            sc_print(w, ", v_slope: %.17g, v_stribeck: %.17g", v, v);
            if (j->law == SC_DAHL || j->law == SC_LUGRE) sc_print(w, ", sigma_0: %.17g", 1e5 / s->L);
        }
        sc_print(w, "}");
    }
    sc_print(w, "}\n");
}

static inline void sc_write_drives(const sc_scene *s, sc_writer *w) {
    const double F = s->M * s->L / (s->T * s->T);
    int any = 0;
    for (int k = 0; k < s->joints; k++) {
        const sc_joint *j = &s->joint[k];
        const double l = j->kind == SC_SLIDE ? 1 : s->L;
        if (j->kind > SC_PIN || (j->force == 0 && !j->driven)) continue;
        if (!any++) sc_print(w, "drives:\n");
        if (j->force != 0)
            sc_print(w, "  d%d: {joint: j%d, %s: %.17g}\n", k, k, j->kind == SC_SLIDE ? "force" : "torque",
                     j->force * F * l);
        if (!j->driven) continue;
        const double x = j->kind == SC_SLIDE ? s->L : 1;
        if (j->omega > 0)
            sc_print(w, "  m%d: {joint: j%d, position: \"%.17g*sin(%.17g*t)\"}\n", k, k, x * j->swing,
                     j->omega / s->T);
        else if (j->speed != 0)
            sc_print(w, "  m%d: {joint: j%d, velocity: %.17g}\n", k, k, x * j->speed / s->T);
        else
            sc_print(w, "  m%d: {joint: j%d, position: \"%.17g*t^2\"}\n", k, k,
                     0.5 * j->acceleration * x / (s->T * s->T));
    }
}

static inline void sc_component(sc_writer *w, double at, double rate, double jump, double when,
                                const char *before) {
    if (jump != 0)
        sc_print(w, "%s\"%.17g + %.17g*t + if(t < %.17g, 0, %.17g)\"", before, at, rate, when, jump);
    else if (rate == 0)
        sc_print(w, "%s%.17g", before, at);
    else
        sc_print(w, "%s\"%.17g + %.17g*t\"", before, at, rate);
}

static inline void sc_write_loads(const sc_scene *s, sc_writer *w) {
    const double F = s->M * s->L / (s->T * s->T), c = s->turned ? 0.8 : 1, d = s->turned ? 0.6 : 0;
    if (s->loads) sc_print(w, "loads:\n");
    for (int k = 0; k < s->loads; k++) {
        const sc_loading *l = &s->load[k];
        const double R = F / s->T;
        sc_print(w, "  f%d: {body: b%d, force: ", k, l->body);
        sc_component(w, F * (c * l->x - d * l->z), R * (c * l->x_rate - d * l->z_rate), F * c * l->jump,
                     s->T * l->jump_at, "[");
        sc_component(w, F * (d * l->x + c * l->z), R * (d * l->x_rate + c * l->z_rate), F * d * l->jump,
                     s->T * l->jump_at, ", 0, ");
        sc_print(w, "]}\n");
        if (l->torque == 0 && l->torque_rate == 0) continue;
        sc_print(w, "  t%d: {body: b%d, torque: ", k, l->body);
        sc_component(w, F * s->L * l->torque, R * s->L * l->torque_rate, 0, 0, "[0, ");
        sc_print(w, ", 0]}\n");
    }
}

static inline void sc_yaml(const sc_scene *s, char *text, size_t size) {
    sc_writer writer = {text, size, 0}, *w = &writer;
    sc_print(w, "format: 1\nname: %s\n", s->name);
    if (!s->spatial) sc_print(w, "planar: xz\n");
    sc_print(w, "gravity: ");
    sc_vector(s, w, 0, -s->gravity, s->L / (s->T * s->T));
    sc_print(w, "\n");
    sc_write_bodies(s, w);
    if (s->joints) sc_print(w, "joints:\n");
    for (int k = 0; k < s->joints; k++) sc_write_joint(s, w, k);
    sc_write_drives(s, w);
    sc_write_loads(s, w);
    sc_write_contact(s, w);
    sc_print(w, "solver: {step: %.17g}\nrun: {until: %.17g}\n", 0.001 * s->T, s->until * s->T);
}

#endif
