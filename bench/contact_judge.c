#include "contact_judge.h"
#include "contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180;

#define NO_LIMIT NAN
#define SLIDE_LIMIT 0.3       // %: the first-order scheme's own error is h v0/2, 0.16 % here
#define HEADING_LIMIT 0.05    // degrees
#define CREEP_LIMIT 1e-9      // m/s
#define FRICTION_LIMIT 0.0002 // of the coefficient
#define WHEEL_LIMIT 0.25      // %: 15 mm, what a right law at 1 kHz may be off
#define TOWER_LIMIT 0.01      // mm
#define FALLEN 250            // mm: half an edge
#define OVERLAP_LIMIT 0.05    // mm, a thousandth of the radius

// The centre after 2 s of ideal Coulomb friction, an independent program's [shared/reference/wheel].
static const double wheel_end[3] = {6.149946011631, -0.181123042245, 0.374503226976};

#define TOWER_METRICS                                                                                        \
    {                                                                                                        \
        {"drift mm", "drift_mm", 0, TOWER_LIMIT, "drift and sag below 0.01 mm"}, {                           \
            "sag mm", "sag_mm", 0, TOWER_LIMIT, ""                                                           \
        }                                                                                                    \
    }
#define PILE_METRICS                                                                                         \
    {                                                                                                        \
        {"mean overlap mm", "mean_overlap_mm", 0, OVERLAP_LIMIT, "mean overlap below 0.05 mm"},              \
            {"largest mm", "largest_overlap_mm", 0, NO_LIMIT, ""},                                           \
            {"mean mm/s", "mean_speed_mm_s", 0, NO_LIMIT, ""},                                               \
    }

static const contact_metric metrics[CONTACT_CASES][CONTACT_METRICS] = {
    [CASE_SLIDE] = {{"distance %", "distance_percent", 0, SLIDE_LIMIT,
                     "distance within 0.3 % and heading within 0.05 degrees"},
                    {"heading deg", "heading_degrees", 0, HEADING_LIMIT, ""}},
    [CASE_STICK] = {{"creep m/s", "creep_m_s", 0, CREEP_LIMIT,
                     "creep below 1e-9 m/s, along the edges and 45 degrees from them"},
                    {"moved mm", "moved_mm", 0, NO_LIMIT, ""},
                    {"at 45 deg mm", "moved_45_mm", 0, NO_LIMIT, ""}},
    [CASE_MUST_SLIDE] = {{"friction", "friction", CONTACT_MU, FRICTION_LIMIT,
                          "effective friction within 0.0002 of 0.5"}},
    [CASE_WHEEL] = {{"position %", "position_percent", 0, WHEEL_LIMIT,
                     "position at 2 s within 0.25 % of the way"}},
    [CASE_TOWER_10] = TOWER_METRICS,
    [CASE_TOWER_50] = TOWER_METRICS,
    [CASE_TOWER_HEAVY] = TOWER_METRICS,
    [CASE_HUMANOID] = {{"torso creep mm/s", "torso_creep_mm_s", 0, NO_LIMIT, ""}},
    [CASE_SPHERES_100] = PILE_METRICS,
    [CASE_SPHERES_1000] = PILE_METRICS,
};

const contact_metric *contact_metric_of(contact_case kind) {
    return metrics[kind];
}

contact_verdict contact_verdict_none(void) {
    contact_verdict v;
    for (int k = 0; k < CONTACT_METRICS; k++) v.value[k] = NAN;
    return v;
}

int contact_accurate(contact_case kind, const contact_verdict *verdict) {
    int asked = 0;
    for (int k = 0; k < CONTACT_METRICS; k++) {
        const contact_metric *m = &metrics[kind][k];
        if (!m->name || isnan(m->limit)) continue;
        if (!(fabs(verdict->value[k] - m->exact) <= m->limit)) return 0;
        asked = 1;
    }
    return asked;
}

int contact_fell(contact_case kind, const contact_verdict *verdict) {
    const int tower = kind >= CASE_TOWER_10 && kind <= CASE_TOWER_HEAVY;
    return tower && !(verdict->value[0] < FALLEN && verdict->value[1] < FALLEN);
}

contact_watch contact_watch_create(const contact_scene *scene, double seconds) {
    return (contact_watch){
        .scene = scene, .seconds = seconds, .reading = bench_alloc(scene->bodies, sizeof(contact_state))};
}

void contact_watch_destroy(contact_watch *watch) {
    free(watch->reading);
}

static double worse(double a, double b) { // the larger; not-a-number is worst
    return isnan(b) || b >= a ? b : a;
}

void contact_watch_look(contact_watch *watch, double time) {
    const contact_scene *s = watch->scene;
    if (!watch->has_late && time >= 0.9 * watch->seconds) {
        memcpy(watch->late, watch->reading[0].position, sizeof watch->late);
        watch->late_time = time;
        watch->has_late = 1;
    }
    if (s->kind < CASE_TOWER_10 || s->kind > CASE_TOWER_HEAVY) return;
    for (int k = 0; k < s->bodies; k++) {
        const double *p = watch->reading[k].position, *start = s->body[k].position;
        watch->drift = worse(watch->drift, hypot(p[0] - start[0], p[1] - start[1]));
        watch->sag = worse(watch->sag, fabs(start[2] - p[2]));
    }
}

// Takes `value` where it is farther from what is right than what was there.
static void note(contact_verdict *verdict, contact_case kind, int k, double value) {
    const double exact = metrics[kind][k].exact, before = fabs(verdict->value[k] - exact);
    if (isnan(before) || !(fabs(value - exact) <= before)) verdict->value[k] = value;
}

static void judge_box(const contact_watch *w, double time, contact_verdict *verdict) {
    const contact_scene *s = w->scene;
    const double *p = w->reading[0].position, *start = s->body[0].position, heading = contact_heading(s);
    const double x = p[0] - start[0], y = p[1] - start[1], moved = hypot(x, y), slope = contact_slope(s);
    if (s->kind == CASE_SLIDE) {
        const double *v = s->body[0].velocity;
        const double right = (v[0] * v[0] + v[1] * v[1]) / (2 * s->mu * CONTACT_GRAVITY);
        note(verdict, s->kind, 0, 100 * (moved / right - 1));
        note(verdict, s->kind, 1, fabs(atan2(y, x) - heading) / degree);
    } else if (s->kind == CASE_STICK) {
        const double late = hypot(p[0] - w->late[0], p[1] - w->late[1]);
        note(verdict, s->kind, 0, late / (time - w->late_time));
        note(verdict, s->kind, s->variant == 0 ? 1 : 2, 1e3 * moved);
    } else { // s = (g sin - mu g cos) t^2/2
        const double along = 2 * moved / (time * time * CONTACT_GRAVITY);
        note(verdict, s->kind, 0, (sin(slope) - along) / cos(slope));
    }
}

static void judge_wheel(const contact_watch *w, contact_verdict *verdict) {
    const double *p = w->reading[0].position, *start = w->scene->body[0].position;
    double error = 0, way = 0;
    for (int k = 0; k < 3; k++) {
        error += (p[k] - wheel_end[k]) * (p[k] - wheel_end[k]);
        way += (start[k] - wheel_end[k]) * (start[k] - wheel_end[k]);
    }
    note(verdict, CASE_WHEEL, 0, 100 * sqrt(error / way));
}

static void judge_pile(const contact_watch *w, contact_verdict *verdict) {
    const contact_scene *s = w->scene;
    double sum = 0, largest = 0, speed = 0;
    int touching = 0;
    for (int a = 0; a < s->bodies; a++) {
        const double *p = w->reading[a].position, *v = w->reading[a].velocity;
        speed += sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / s->bodies;
        for (int k = 0; k < s->walls; k++) {
            const double *n = s->wall[k].normal;
            const double deep =
                s->body[a].size[0] + s->wall[k].offset - n[0] * p[0] - n[1] * p[1] - n[2] * p[2];
            if (deep <= 0) continue;
            sum += deep, largest = worse(largest, deep), touching++;
        }
        for (int b = 0; b < a; b++) {
            const double *q = w->reading[b].position, x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
            const double deep = s->body[a].size[0] + s->body[b].size[0] - sqrt(x * x + y * y + z * z);
            if (deep <= 0) continue;
            sum += deep, largest = worse(largest, deep), touching++;
        }
    }
    note(verdict, s->kind, 0, touching ? 1e3 * sum / touching : 0);
    note(verdict, s->kind, 1, 1e3 * largest);
    note(verdict, s->kind, 2, 1e3 * speed);
}

void contact_watch_finish(contact_watch *watch, double time, contact_verdict *verdict) {
    const contact_case kind = watch->scene->kind;
    contact_watch_look(watch, time);
    const double *p = watch->reading[0].position, *late = watch->late;
    if (kind <= CASE_MUST_SLIDE) judge_box(watch, time, verdict);
    if (kind == CASE_WHEEL) judge_wheel(watch, verdict);
    if (kind >= CASE_TOWER_10 && kind <= CASE_TOWER_HEAVY) {
        note(verdict, kind, 0, 1e3 * watch->drift);
        note(verdict, kind, 1, 1e3 * watch->sag);
    }
    if (kind == CASE_HUMANOID)
        note(verdict, kind, 0,
             1e3 * sqrt(pow(p[0] - late[0], 2) + pow(p[1] - late[1], 2) + pow(p[2] - late[2], 2)) /
                 (time - watch->late_time));
    if (kind >= CASE_SPHERES_100) judge_pile(watch, verdict);
}
