// Random joints and contacts in space with one pad each, whose truth is a formula: screws, pins, sleeves, balls, plates, and bodies on
// three feet and boxes pushed in any direction, under every law. Held against verdict, c* and the element's own verdict.
#include "sceptic_judge.h"

typedef enum closed_kind { SCREW = 0, PIN, SLEEVE, BALL, PLATE, SLIDE, TRIPOD, BOX, KINDS } closed_kind;

static const char *const kind_name[KINDS] = {"screw", "pin",   "sleeve", "ball",
                                             "plate", "slide", "tripod", "box"};

typedef struct closed_case {
    char text[4096];
    double c_star,
        kinetic; // the factor on mu_static, and |f|/(mu_kinetic N) while N does not depend on friction
    int rest, onset_static, onset_kinetic;
    int known; // 0: too near
    int tips;  // it lifts some of its contacts as it goes
} closed_case;

static void decide(closed_case *c) {
    c->rest = c->c_star<1, c->onset_static = c->c_star> 1, c->onset_kinetic = c->kinetic > 1;
    c->known = fabs(c->c_star - 1) > 1e-5 && fabs(c->kinetic - 1) > 1e-5;
    c->tips = 0;
}

static void vector_text(br_vec3 v, char *text, size_t size) {
    snprintf(text, size, "[%.17g, %.17g, %.17g]", v.x, v.y, v.z);
}

// One body on one joint, without gravity; a force F and a torque T at the joint's point.
static void write_joint(closed_case *c, const char *kind, br_vec3 axis, const char *friction, br_vec3 F,
                        br_vec3 T, const char *more) {
    char a[96], f[96], t[96];
    vector_text(axis, a, sizeof a), vector_text(F, f, sizeof f), vector_text(T, t, sizeof t);
    snprintf(c->text, sizeof c->text,
             "format: 1\nname: closed\ngravity: [0, 0, 0]\nbodies:\n  b: {mass: 2, inertia: [0.3, 0.4, "
             "0.5]}\njoints:\n  j: {%s: [world, b]%s%s, friction: {%s}%s}\n"
             "loads:\n  f: {body: b, force: %s}\n  t: {body: b, torque: %s}\nrun: {until: 0.1}\n",
             kind, strcmp(kind, "spherical") ? ", axis: " : "", strcmp(kind, "spherical") ? a : "", friction,
             more, f, t);
}

static const char *friction_text(rng *r, double mu_static, double mu_kinetic, const char *sizes) {
    static char text[300];
    const sc_law law = (sc_law)rng_below(r, SC_LAWS);
    snprintf(text, sizeof text, "law: %s, mu_static: %.17g, mu_kinetic: %.17g%s",
             sc_law_text[law == SC_DAHL ? SC_COULOMB : law], mu_static, mu_kinetic, sizes);
    return text;
}

// A thread: normal x along (cos, -r sin) of (z, angle), friction along (sin, r cos) [docs/guide/joints.md, screw].
static void make_screw(rng *r, closed_case *c, br_vec3 axis, double mu_static, double mu_kinetic) {
    const double radius = sc_log(r, 0.005, 0.05),
                 lead = (rng_below(r, 2) ? 1 : -1) * rng_uniform(r, 0.02, 0.6);
    const double W = rng_uniform(r, 10, 100), T = rng_below(r, 2) ? 0 : rng_uniform(r, -1, 1) * W * radius;
    char sizes[64], more[64];
    sc_instant at;
    memset(&at, 0, sizeof at);
    at.n = 2, at.rows = at.pads = 1;
    at.mass[0] = 2, at.mass[1] = (0.3 * axis.x * axis.x + 0.4 * axis.y * axis.y + 0.5 * axis.z * axis.z);
    at.Q[0] = -W, at.Q[1] = T;
    at.row[0].J[0] = cosl(lead), at.row[0].J[1] = -(real)radius * sinl(lead);
    at.pad[0] = (sc_pad){{sinl(lead), radius * cosl(lead)}, 0, mu_static, mu_kinetic, 0, 0, 0, 1, {0}};
    const sc_truth t = sc_find(&at, 1);
    c->rest = t.rest, c->onset_static = t.onset_static, c->onset_kinetic = t.onset_kinetic,
    c->c_star = t.c_star;
    c->known = sc_clear(&at, &t, 1e-5);
    snprintf(sizes, sizeof sizes, ", pin_radius: %.17g", radius);
    snprintf(more, sizeof more, ", pitch: %.17g", 2 * BR_PI * radius * tan(lead));
    write_joint(c, "screw", axis, friction_text(r, mu_static, mu_kinetic, sizes), br_vec3_scale(-W, axis),
                br_vec3_scale(T, axis), more);
}

// Loads across the axis do not change with what slides along it.
static void make_disk(rng *r, closed_case *c, closed_kind kind, br_vec3 axis, double mu_static,
                      double mu_kinetic) {
    static const char *const word[KINDS] = {"", "revolute", "cylindrical", "spherical", "planar", "prismatic",
                                            "", ""};
    const double a = sc_log(r, 0.005, 0.1), size = rng_uniform(r, 1, 30);
    br_vec3 F = rng_vec3(r, size), T = br_vec3_scale(a, rng_vec3(r, size));
    const double along = br_vec3_dot(F, axis), about = br_vec3_dot(T, axis) / a;
    const double across = br_vec3_norm(br_vec3_add_scaled(F, -along, axis));
    double load = across, rub = 0;
    char sizes[80];
    snprintf(sizes, sizeof sizes,
             kind == PLATE   ? ", friction_arm: %.17g"
             : kind == SLIDE ? ""
                             : ", pin_radius: %.17g",
             a);
    if (kind == PIN) rub = fabs(about);
    if (kind == SLEEVE) rub = hypot(along, about);
    if (kind == BALL) rub = br_vec3_norm(T) / a, load = br_vec3_norm(F);
    if (kind == PLATE) rub = hypot(across, about), load = fabs(along);
    if (kind == SLIDE) rub = fabs(along);
    c->c_star = rub / (mu_static * load), c->kinetic = rub / (mu_kinetic * load);
    decide(c);
    write_joint(c, word[kind], axis, friction_text(r, mu_static, mu_kinetic, sizes), F, T, "");
}

// Three feet in a circle about the centre of mass, pushed at their height in any direction: the sum counts.
static void make_tripod(rng *r, closed_case *c, double mu_static, double mu_kinetic) {
    const double way = rng_uniform(r, 0, 2 * BR_PI), m = sc_log(r, 0.3, 10),
                 F = m * 9.81 * sc_log(r, 0.03, 1.5);
    const int n =
        snprintf(c->text, sizeof c->text,
                 "format: 1\nname: tripod\nmaterials: {a: {}, b: {}}\npairs: {a/b: {mu_static: %.17g, "
                 "mu_kinetic: %.17g}}\ncontact: {law: %s}\n"
                 "ground: [{name: floor, plane: {}, material: b}]\nloads: {push: {body: b, force: [%.17g, "
                 "%.17g, 0], at: [0, 0, -0.1]}}\n"
                 "run: {until: 0.1}\nbodies:\n  b:\n    mass: %.17g\n    inertia: [0.1, 0.1, 0.1]\n    pose: "
                 "{position: [0, 0, 0.1]}\n    shapes:\n",
                 mu_static, mu_kinetic, rng_below(r, 2) ? "cone" : "bristle", F * cos(way), F * sin(way), m);
    char *at = c->text + n;
    for (int k = 0; k < 3; k++)
        at += snprintf(at, sizeof c->text - (size_t)(at - c->text),
                       "      - {name: foot%d, sphere: {radius: 0.02}, material: a, pose: {position: [%.17g, "
                       "%.17g, -0.08]}}\n",
                       k, 0.3 * cos(2 * BR_PI * k / 3), 0.3 * sin(2 * BR_PI * k / 3));
    c->c_star = F / (mu_static * m * 9.81), c->kinetic = F / (mu_kinetic * m * 9.81);
    decide(c);
}

// A box of any size, pushed where it stands in any direction. However its four corners share the weight, they press at its middle on
// the whole: friction takes mu sum N_i |v_i| >= mu m g |v| of the middle, which the push does not give below mu m g.
static void make_box(rng *r, closed_case *c, double mu_static, double mu_kinetic) {
    const double way = rng_uniform(r, 0, 2 * BR_PI), m = sc_log(r, 0.3, 10),
                 F = m * 9.81 * sc_log(r, 0.03, 1.5);
    const double x = sc_log(r, 0.05, 0.6), y = sc_log(r, 0.05, 0.6), z = sc_log(r, 0.05, 0.6);
    snprintf(c->text, sizeof c->text,
             "format: 1\nname: box\nmaterials: {a: {}, b: {}}\npairs: {a/b: {mu_static: %.17g, "
             "mu_kinetic: %.17g}}\ncontact: {law: %s}\n"
             "ground: [{name: floor, plane: {}, material: b}]\nloads: {push: {body: b, force: [%.17g, "
             "%.17g, 0], at: [0, 0, %.17g]}}\nrun: {until: 0.1}\nbodies:\n  b: {mass: %.17g, inertia: {box: "
             "{size: "
             "[%.17g, %.17g, %.17g]}}, pose: {position: [0, 0, %.17g]},\n"
             "      shapes: [{name: b, box: {size: [%.17g, %.17g, %.17g]}, material: a}]}\n",
             mu_static, mu_kinetic, rng_below(r, 2) ? "cone" : "bristle", F * cos(way), F * sin(way), -z / 2,
             m, x, y, z, z / 2, x, y, z);
    c->c_star = F / (mu_static * m * 9.81), c->kinetic = F / (mu_kinetic * m * 9.81);
    decide(c);
    // Push and friction act at the floor, below the centre of mass: once it slides the floor presses that far behind the middle.
    const double behind = (F - mu_kinetic * m * 9.81) * z / (2 * m * 9.81);
    const double out = fmax(fabs(behind * cos(way)) / (x / 2), fabs(behind * sin(way)) / (y / 2));
    c->tips = !c->rest && out > 1;
    c->known &= c->rest || fabs(out - 1) > 1e-5;
}

// Contacts that lift are open, all others were at rest.
static int states_are_right(const closed_case *c, const br_trust_interval *i) {
    int open = 0;
    for (int k = 0; k < i->forces; k++) {
        if (i->force[k].state != BR_ELEMENT_STUCK && i->force[k].state != BR_ELEMENT_OPEN) return 0;
        open += i->force[k].state == BR_ELEMENT_OPEN;
    }
    return c->tips ? open > 0 && open < i->forces : open == 0;
}

static br_verdict right_verdict(const closed_case *c) {
    if (!c->rest) return BR_SLIDES_CERTAIN;
    return c->onset_static ? BR_UNDETERMINED : c->onset_kinetic ? BR_STICKS_METASTABLE : BR_STICKS_ROBUST;
}

static void judge_case(const closed_case *c, const char *name, int number, sc_tally *tally) {
    br_error error = {0};
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_trust_report report = {0};
    br_trust_options options = br_default_trust_options();
    options.sensitivities = 0;
    tally->scenes++;
    br_status status =
        br_model_read_text(c->text, strlen(c->text), name, NULL, 0, NULL, &model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
    if (status == BR_OK) status = br_trust_instant(sim, &options, &report, &error);
    const br_trust_interval *i = report.interval;
    const br_verdict v = right_verdict(c);
    int right = status == BR_OK && i->verdict == v && sc_close(i->c_star, c->c_star, 1);
    for (int k = 0; right && k < i->forces; k++) right = i->force[k].verdict == v;
    right = right && states_are_right(c, i);
    if (!c->known)
        tally->near++;
    else if (status == BR_OK && (i->verdict == BR_NOT_JUDGED || !i->exhaustive))
        tally->undecided++;
    else if (right)
        tally->right++;
    else {
        tally->wrong++;
        printf("%s:%d: %s, c* %.9g; right is %s, %.9g\n%s%s\n", name, number,
               status == BR_OK ? br_verdict_name(i->verdict) : error.message,
               status == BR_OK ? i->c_star : NAN, br_verdict_name(v), c->c_star,
               tally->wrong < 3 ? c->text : "", status == BR_OK ? "" : error.code);
    }
    br_trust_report_free(&report);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

int main(void) {
    const int each = getenv("SCEPTIC_EACH") ? atoi(getenv("SCEPTIC_EACH")) : 25;
    int wrong = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        sc_tally tally = {0};
        for (int k = 0; k < each; k++) {
            rng r = {(uint64_t)kind * UINT64_C(3000017) + (uint64_t)k * UINT64_C(7919) + 5 + sc_spread()};
            closed_case c;
            double mu_static, mu_kinetic;
            for (int j = 0; j < 8; j++) rng_next(&r);
            const br_vec3 axis = rng_direction(&r);
            sc_mus(&r, &mu_static, &mu_kinetic);
            if (kind == SCREW)
                make_screw(&r, &c, axis, mu_static, mu_kinetic);
            else if (kind == TRIPOD)
                make_tripod(&r, &c, mu_static, mu_kinetic);
            else if (kind == BOX)
                make_box(&r, &c, mu_static, mu_kinetic);
            else
                make_disk(&r, &c, (closed_kind)kind, axis, mu_static, mu_kinetic);
            judge_case(&c, kind_name[kind], k, &tally);
        }
        printf("%-15s %4d scenes: %4d right, %3d wrong, %3d not decided, %3d near a threshold\n",
               kind_name[kind], tally.scenes, tally.right, tally.wrong, tally.undecided, tally.near);
        fflush(stdout);
        wrong += tally.wrong;
    }
    return wrong > 0;
}
