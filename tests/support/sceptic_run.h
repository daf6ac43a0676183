// Verdicts along a run: br_trust_run and br_trust_instant of the default stepper against the truth at the state that the reference
// stepper has at the same time. Times at which something changes within a few steps are left out: there the two may differ rightly.
#ifndef SCEPTIC_RUN_H
#define SCEPTIC_RUN_H

#include "sceptic_judge.h"

enum { SC_LOOKS = 48 };
#define SC_NEAR_RUN 5e-3 // relative change of mu that must not change the truth: what a step of 1 ms moves
#define SC_NEAR_CREEP 0.1
#define SC_MOVING 1e-3  // m/s or rad/s: certainly slides
#define SC_RESTING 1e-7 // certainly rests
#define SC_CREEPING                                                                                          \
    1.2e-3 // laws that give way before they slide: v_slope is 1e-3, Dahl's and LuGre's give less at these loads

typedef struct sc_sample {
    double t;
    int clear; // no pad in between
    sc_scene now;
} sc_sample;

static inline br_status sc_open(const sc_scene *s, const char *stepper, br_model **model, br_sim **sim,
                                br_error *error) {
    static char text[SC_TEXT];
    const br_override o = {"solver.stepper", stepper};
    sc_yaml(s, text, sizeof text);
    br_status status = br_model_read_text(text, strlen(text), s->name, &o, 1, NULL, model, NULL, error);
    return status == BR_OK ? br_sim_create(*model, NULL, sim, error) : status;
}

static inline void sc_close_sim(br_model *model, br_sim *sim) {
    br_sim_destroy(sim);
    br_model_destroy(model);
}

static inline real sc_rate(const sc_scene *s, const real *row, const real *v) {
    real rate = 0;
    for (int k = 0; k < 3 * s->bodies; k++) rate += row[k] * v[k];
    return rate;
}

static inline int sc_way(real rate, int creeps, int *clear) {
    if (fabsl(rate) <= (creeps ? SC_CREEPING : SC_RESTING)) return 0;
    if (fabsl(rate) < (creeps ? 20 * SC_CREEPING : SC_MOVING)) *clear = 0;
    return rate > 0 ? 1 : -1;
}

// The scene as it stands at the simulation's state: bodies moved, springs drawn out, pads that slide marked with their way. Feet that
// have left are no part of it: the sample is then not clear.
static inline sc_sample sc_observe(const sc_scene *s, const br_sim *sim) {
    sc_sample o = {br_sim_time(sim), 1, *s};
    real v[3 * SC_BODIES];
    for (int b = 0; b < s->bodies; b++) {
        const int body = br_model_body_find(br_sim_model(sim), (char[4]){'b', (char)('0' + b), 0});
        const br_twist w = br_sim_body_twist(sim, body);
        const br_pose X = br_sim_body_pose(sim, body);
        v[3 * b] = w.linear.x, v[3 * b + 1] = w.linear.z, v[3 * b + 2] = w.angular.y;
        o.now.body[b].x = X.position.x, o.now.body[b].z = X.position.z;
    }
    for (int k = 0; k < s->joints; k++) {
        sc_joint *j = &o.now.joint[k];
        real row[SC_COORDINATES] = {0};
        if (j->kind > SC_PIN) continue;
        double q[BR_MAX_JOINT_Q];
        br_sim_joint_position(sim, br_model_joint_find(br_sim_model(sim), (char[4]){'j', (char)('0' + k), 0}),
                              q);
        sc_coordinate(s, row, k, 1);
        j->rest -= q[0];
        j->velocity = j->rubs ? sc_way(sc_rate(s, row, v), j->law != SC_COULOMB, &o.clear) : 0;
        j->x += o.now.body[j->b].x - s->body[j->b].x, j->z += o.now.body[j->b].z - s->body[j->b].z;
        if (j->limit && fabs(q[0]) > 1e-9) j->limit = 0;
    }
    for (int k = 0; k < s->feet; k++) {
        sc_foot *f = &o.now.foot[k];
        const double nx = f->on == SC_WORLD ? s->floor[f->floor].nx : 0,
                     nz = f->on == SC_WORLD ? s->floor[f->floor].nz : 1;
        const sc_body *b = &s->body[f->body];
        real row[SC_COORDINATES] = {0}, lift[SC_COORDINATES] = {0};
        sc_between(s, row, f->on, f->body, b->x + f->x - f->radius * nx, b->z + f->z - f->radius * nz, nz,
                   -nx);
        sc_between(s, lift, f->on, f->body, b->x + f->x - f->radius * nx, b->z + f->z - f->radius * nz, nx,
                   nz);
        f->slides = sc_way(sc_rate(s, row, v), 0, &o.clear);
        if (fabsl(sc_rate(s, lift, v)) > 1e-6L) o.clear = 0;
    }
    return o;
}

static inline int sc_same_ways(const sc_scene *a, const sc_scene *b) {
    for (int k = 0; k < a->joints; k++)
        if (a->joint[k].velocity != b->joint[k].velocity || a->joint[k].limit != b->joint[k].limit) return 0;
    for (int k = 0; k < a->feet; k++)
        if (a->foot[k].slides != b->foot[k].slides) return 0;
    return 1;
}

// The fastest slip, m/s or rad/s.
static inline double sc_fastest(const sc_scene *s, const br_sim *sim) {
    const sc_instant at = sc_equations(s, 0);
    real v[3 * SC_BODIES], fastest = 0;
    for (int b = 0; b < s->bodies; b++) {
        const br_twist w =
            br_sim_body_twist(sim, br_model_body_find(br_sim_model(sim), (char[4]){'b', (char)('0' + b), 0}));
        v[3 * b] = w.linear.x, v[3 * b + 1] = w.linear.z, v[3 * b + 2] = w.angular.y;
        if (s->turned) { // back into the scene's own axes
            v[3 * b] = 0.8L * w.linear.x + 0.6L * w.linear.z,
                  v[3 * b + 1] = -0.6L * w.linear.x + 0.8L * w.linear.z;
        }
    }
    for (int k = 0; k < at.pads; k++) {
        fastest = fmaxl(fastest, fabsl(sc_rate(s, at.pad[k].t, v)));
        if (at.pad[k].contact) fastest = fmaxl(fastest, fabsl(sc_rate(s, at.row[at.pad[k].load[0]].J, v)));
    }
    return (double)fastest;
}

// The reference stepper has joint friction or contact, not both: the default one then stands for itself.
static inline const char *sc_stepper(const sc_scene *s) {
    int rubs = 0;
    for (int k = 0; k < s->joints; k++) rubs |= s->joint[k].rubs;
    return s->feet && rubs ? "contact" : "reference";
}

// Looks of the reference run; fewer where it ends early.
static inline int sc_reference(const sc_scene *s, const char *stepper, sc_sample *sample, br_error *error) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    int count = 0;
    br_status status = sc_open(s, stepper, &model, &sim, error);
    for (int k = 0; status == BR_OK && k < SC_LOOKS; k++) {
        status = br_sim_advance(sim, s->until * (k + 0.5) / SC_LOOKS, error);
        if (status == BR_OK) sample[count++] = sc_observe(s, sim);
    }
    sc_close_sim(model, sim);
    return count;
}

typedef struct sc_run_tally {
    int runs, looks, right, wrong, undecided, near, failed, instants;
    int told; // of the present scene
} sc_run_tally;

static inline void sc_tell(const sc_scene *s, const char *what, double t, const char *why) {
    printf("%s: %s at %.6g s: %s\n", s->name, what, t, why);
}

// One time: what an interval or an instant says of it.
static inline void sc_judge_look(const sc_sample *o, const br_trust_interval *i, const char *what,
                                 sc_run_tally *tally) {
    char why[400] = "";
    const sc_instant at = sc_equations(&o->now, o->t);
    const sc_truth truth = sc_find(&at, 0);
    int sliding = 0;
    for (int k = 0; k < at.pads; k++) sliding |= at.pad[k].slides != 0;
    tally->looks++;
    int creeps = 0;
    for (int k = 0; k < o->now.joints; k++) creeps |= o->now.joint[k].law != SC_COULOMB;
    if (!sc_clear(&at, &truth, creeps ? SC_NEAR_CREEP : SC_NEAR_RUN))
        tally->near++;
    else if (i->verdict == BR_NOT_JUDGED || !i->exhaustive)
        tally->undecided++;
    else if (sc_verdict_fits(&truth, i->verdict, sliding) &&
             sc_compare_pads(&o->now, &at, &truth, i, why, sizeof why))
        tally->right++;
    else {
        if (!why[0])
            snprintf(why, sizeof why, "verdict %s, right is %s", br_verdict_name(i->verdict),
                     sc_truth_text(&truth, sliding));
        if (tally->told++ < 3) sc_tell(&o->now, what, o->t, why);
        tally->wrong++;
    }
}

// Not credible needs a reason, and one is needed where something is open; where every interval is robust, certain or moves there is none.
static inline void sc_judge_credible(const sc_scene *s, const br_trust_report *r, sc_run_tally *tally) {
    int open = 0, plain = 1;
    for (int k = 0; k < r->intervals; k++) {
        const br_verdict v = r->interval[k].verdict;
        open |= v == BR_UNDETERMINED || v == BR_SLIDES_NOT_UNIQUE;
        plain &= v == BR_STICKS_ROBUST || v == BR_SLIDES_CERTAIN || v == BR_MOVES;
        for (int f = 0; f < r->interval[k].forces; f++)
            plain &= r->interval[k].force[f].verdict != BR_UNDETERMINED;
    }
    tally->looks++;
    if ((!r->credible && r->reasons == 0) || (open && r->credible) ||
        (plain && !r->credible && !r->not_judged)) {
        sc_tell(s, "credible", 0,
                r->reasons    ? r->reason[0].text
                : r->credible ? "credible, though an interval is open"
                              : "no reason");
        tally->wrong++;
    } else
        tally->right++;
}

static inline void sc_judge_onset(const sc_scene *s, const br_trust_report *r, sc_run_tally *tally);
static inline void sc_judge_ends(const sc_scene *s, const br_trust_report *r, sc_run_tally *tally);
static inline void sc_judge_events(const sc_scene *s, sc_run_tally *tally);

static inline void sc_judge_run(const sc_scene *s, sc_run_tally *tally, int show) {
    static sc_sample sample[SC_LOOKS];
    static char text[SC_TEXT];
    br_error error = {0};
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_trust_report report = {0}, instant = {0};
    br_trust_options options = br_default_trust_options();
    options.sensitivities = 0;
    tally->runs++, tally->told = 0;
    const int before = tally->wrong, count = sc_reference(s, sc_stepper(s), sample, &error);
    br_status status = sc_open(s, "contact", &model, &sim, &error);
    if (status == BR_OK) status = br_trust_run(sim, s->until, &options, &report, &error);
    sc_close_sim(model, sim);
    if (status != BR_OK) {
        tally->failed++;
        printf("%s: %s %s\n", s->name, error.code, error.message);
    }
    if (status == BR_OK)
        sc_judge_onset(s, &report, tally), sc_judge_ends(s, &report, tally),
            sc_judge_credible(s, &report, tally), sc_judge_events(s, tally);
    model = NULL, sim = NULL;
    if (status == BR_OK) status = sc_open(s, "contact", &model, &sim, &error);
    for (int k = 1; status == BR_OK && k + 1 < count; k++) {
        const sc_sample *o = &sample[k];
        if (!o->clear || !o[-1].clear || !o[1].clear || !sc_same_ways(&o->now, &o[-1].now) ||
            !sc_same_ways(&o->now, &o[1].now))
            continue;
        for (int i = 0; i < report.intervals; i++)
            if (report.interval[i].from <= o->t && o->t < report.interval[i].to)
                sc_judge_look(o, &report.interval[i], "interval", tally);
        if (k % 8) continue;
        status = br_sim_advance(sim, o->t, &error);
        if (status == BR_OK) status = br_trust_instant(sim, &options, &instant, &error);
        // At its own state: where stick and slip hang on a hair the default stepper may go another way than the reference.
        const sc_sample own = sc_observe(s, sim);
        if (status == BR_OK && own.clear) sc_judge_look(&own, &instant.interval[0], "instant", tally);
        br_trust_report_free(&instant);
        memset(&instant, 0, sizeof instant);
        tally->instants++;
    }
    sc_yaml(s, text, sizeof text);
    if (show) printf("%s", text);
    if (show || tally->wrong > before) {
        printf("    %d looks of the reference; said:", count);
        for (int i = 0; i < report.intervals; i++)
            printf(" %s %.6g..%.6g", br_verdict_name(report.interval[i].verdict), report.interval[i].from,
                   report.interval[i].to);
        printf("; credible %d\n", report.credible);
    }
    br_trust_report_free(&report);
    sc_close_sim(model, sim);
}

// Does anything that rubs slide within a short time, as the reference stepper has it? -1: it does not run.
static inline int sc_slips(const sc_scene *s, double from, double to, double limit) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    int slips = 0;
    br_status status = sc_open(s, "reference", &model, &sim, &error);
    if (status == BR_OK && from > 0) status = br_sim_advance(sim, from, &error);
    if (status == BR_OK) status = br_sim_advance(sim, to, &error);
    if (status == BR_OK) slips = sc_fastest(s, sim) > limit;
    sc_close_sim(model, sim);
    return status == BR_OK ? slips : -1;
}

// The first time at which a run's verdicts have something slide: nothing does two steps before, something does ten after.
static inline void sc_judge_onset(const sc_scene *s, const br_trust_report *r, sc_run_tally *tally) {
    int k = 0;
    for (int j = 0; j < s->joints; j++)
        if (s->joint[j].law != SC_COULOMB || (s->feet && s->joint[j].rubs)) return;
    while (k < r->intervals &&
           (r->interval[k].verdict == BR_STICKS_ROBUST || r->interval[k].verdict == BR_STICKS_METASTABLE))
        k++;
    if (k == 0 || k == r->intervals || r->interval[k].from < 0.01 || r->interval[k].from > s->until - 0.02)
        return;
    const double t = r->interval[k].from;
    const int before = sc_slips(s, 0, t - 0.002, 1e-6), after = sc_slips(s, t - 0.002, t + 0.01, 1e-6);
    tally->looks++;
    if (before < 0 || after < 0)
        tally->failed++;
    else if (!before && after)
        tally->right++;
    else {
        tally->wrong++;
        sc_tell(s, "onset", t, before ? "it slid before" : "it does not slide");
    }
}

// Slip events of the default stepper: what is said to slip does so in the reference run, within a hundredth of a second. Only the first:
// later ones may hang on a hair.
typedef struct sc_first_slip {
    double t;
    char name[BR_MAX_EVENT_NAME];
} sc_first_slip;

static inline void sc_note_slip(void *context, const br_event *event) {
    sc_first_slip *first = context;
    if (event->kind != BR_EVENT_SLIP || first->t >= 0) return;
    first->t = event->t;
    snprintf(first->name, sizeof first->name, "%s", event->name);
}

static inline void sc_judge_events(const sc_scene *s, sc_run_tally *tally) {
    sc_first_slip first = {-1, ""};
    br_model *model = NULL, *other = NULL;
    br_sim *sim = NULL, *reference = NULL;
    br_error error = {0};
    for (int k = 0; k < s->joints; k++)
        if (s->joint[k].velocity != 0 || s->joint[k].law != SC_COULOMB || s->feet) return;
    br_status status = sc_open(s, "contact", &model, &sim, &error);
    if (status == BR_OK)
        br_sim_set_event(sim, sc_note_slip, &first), status = br_sim_advance(sim, s->until, &error);
    if (status == BR_OK && first.t >= 0.005 && first.t < s->until - 0.02) {
        status = sc_open(s, "reference", &other, &reference, &error);
        if (status == BR_OK) status = br_sim_advance(reference, first.t + 0.01, &error);
        for (int k = 0; status == BR_OK && k < s->joints; k++) {
            double v[BR_MAX_JOINT_V] = {0};
            const char name[4] = {'j', (char)('0' + k), 0};
            if (strcmp(name, first.name) != 0) continue;
            br_sim_joint_velocity(reference, br_model_joint_find(other, name), v);
            tally->looks++;
            if (fabs(v[0]) > 1e-7)
                tally->right++;
            else {
                tally->wrong++;
                sc_tell(s, "slip event", first.t, first.name);
            }
        }
    }
    sc_close_sim(model, sim);
    sc_close_sim(other, reference);
}

// While nothing has moved yet the ends of intervals are located: at each end between robust and metastable the truth changes within 1e-5 s.
static inline void sc_judge_ends(const sc_scene *s, const br_trust_report *r, sc_run_tally *tally) {
    char why[120];
    for (int k = 0; k < s->joints; k++)
        if (s->joint[k].velocity != 0 || s->joint[k].driven) return;
    for (int k = 0; k + 1 < r->intervals; k++) {
        const br_verdict a = r->interval[k].verdict, b = r->interval[k + 1].verdict;
        if ((a != BR_STICKS_ROBUST && a != BR_STICKS_METASTABLE) ||
            (b != BR_STICKS_ROBUST && b != BR_STICKS_METASTABLE))
            return;
        if (a == b) continue;
        const double t = r->interval[k].to;
        const sc_instant early = sc_equations(s, t - 1e-5), late = sc_equations(s, t + 1e-5);
        const sc_truth u = sc_find(&early, 0), v = sc_find(&late, 0);
        tally->looks++;
        if (sc_verdict_fits(&u, a, 0) && sc_verdict_fits(&v, b, 0)) {
            tally->right++;
            continue;
        }
        snprintf(why, sizeof why, "%s to %s, right is %s to %s", br_verdict_name(a), br_verdict_name(b),
                 sc_truth_text(&u, 0), sc_truth_text(&v, 0));
        sc_tell(s, "end of an interval", t, why);
        tally->wrong++;
    }
}

// ------------------------------------------------------------------------------------------------- families

typedef enum sc_motion_family {
    SC_RAMPED_STACK = 0,
    SC_RAMPED_SPRINGS,
    SC_RAMPED_GEARS,
    SC_RAMPED_SHAFTS,
    SC_SHAKEN_BASE,
    SC_THROWN_STACK,
    SC_JUMPING_LOAD,
    SC_RAMPED_LAWS,
    SC_BELT,
    SC_PUSHED_BLOCKS,
    SC_RUBBING_SLED,
    SC_MOTIONS
} sc_motion_family;

static const char *const sc_motion_name[SC_MOTIONS] = {
    "ramped_stack", "ramped_springs", "ramped_gears", "ramped_shafts", "shaken_base", "thrown_stack",
    "jumping_load", "ramped_laws",    "belt",         "pushed_blocks", "rubbing_sled"};

static inline void sc_ramp_all(rng *r, sc_scene *s) {
    for (int k = 0; k < s->loads; k++) {
        sc_loading *l = &s->load[k];
        l->x_rate = rng_uniform(r, 0.5, 3) * l->x, l->torque_rate = rng_uniform(r, 0.5, 3) * l->torque;
        l->x *= 0.2, l->torque *= 0.2, l->z *= 0.2;
    }
}

static inline void sc_shaken_base(rng *r, sc_scene *s) {
    const int base = sc_add_body(s, 2, 0, 0), count = 1 + rng_below(r, 2);
    sc_joint *j = sc_add_joint(s, SC_SLIDE, SC_WORLD, base, 0);
    j->driven = 1, j->omega = rng_uniform(r, 5, 30), j->swing = rng_uniform(r, 1, 12) / (j->omega * j->omega);
    j->velocity = 0;
    for (int k = 0; k < count; k++) {
        const int b = sc_add_body(s, sc_log(r, 0.3, 10), 0, 0.1 * (k + 1));
        sc_rub_random(r, sc_add_joint(s, SC_SLIDE, b - 1, b, 0));
    }
}

static inline void sc_belt(rng *r, sc_scene *s) {
    const int belt = sc_add_body(s, 5, 0, 0);
    sc_joint *j = sc_add_joint(s, SC_SLIDE, SC_WORLD, belt, 0);
    s->body[belt].box = 5;
    j->driven = 1, j->speed = sc_log(r, 0.002, 0.5), j->velocity = j->speed;
    const int b = sc_block(r, s, belt, 0, 0.12);
    const double mu = sc_log(r, 0.1, 0.8), mu_k = rng_below(r, 2) ? mu : mu * 0.7;
    for (int k = 0; k < s->feet; k++) s->foot[k].mu_static = mu, s->foot[k].mu_kinetic = mu_k;
    // held by what it can just not resist, or dragged along
    sc_add_load(s, b, (rng_below(r, 2) ? -1.4 : -0.5) * mu * s->body[b].mass * 9.81, 0, 0);
}

static inline void sc_motion_fill(rng *r, sc_scene *s, sc_motion_family family) {
    switch (family) {
    case SC_RAMPED_STACK:
        sc_stack(r, s, 1 + rng_below(r, 3), 0.3), sc_ramp_all(r, s);
        break;
    case SC_RAMPED_SPRINGS:
        sc_stack(r, s, 1 + rng_below(r, 2), 0.2), sc_ramp_all(r, s);
        for (int k = 0; k < s->joints; k++) s->joint[k].stiffness = sc_log(r, 20, 1000);
        break;
    case SC_RAMPED_GEARS:
        sc_geared_slides(r, s), sc_ramp_all(r, s);
        break;
    case SC_RAMPED_SHAFTS:
        sc_geared_shafts(r, s), sc_ramp_all(r, s);
        break;
    case SC_SHAKEN_BASE:
        sc_shaken_base(r, s);
        break;
    case SC_THROWN_STACK:
        sc_stack(r, s, 1 + rng_below(r, 3), 0.1);
        s->loads = 0;
        s->joint[rng_below(r, s->joints)].velocity = rng_uniform(r, -2, 2);
        break;
    case SC_JUMPING_LOAD:
        sc_stack(r, s, 1 + rng_below(r, 3), 0.1);
        for (int k = 0; k < s->loads; k++)
            s->load[k].jump = s->load[k].x, s->load[k].x *= 0.1,
            s->load[k].jump_at = rng_uniform(r, 0.1, 0.9);
        break;
    case SC_RAMPED_LAWS:
        sc_stack(r, s, 1 + rng_below(r, 2), 0), sc_ramp_all(r, s);
        for (int k = 0; k < s->joints; k++) s->joint[k].law = (sc_law)(1 + rng_below(r, SC_LAWS - 1));
        break;
    case SC_BELT:
        sc_belt(r, s);
        break;
    case SC_PUSHED_BLOCKS:
        sc_block_on_block(r, s), sc_ramp_all(r, s);
        break;
    default:
        sc_block_on_sled(r, s), sc_ramp_all(r, s);
        s->law = rng_below(r, 2) ? "cone" : "bristle";
        break;
    }
}

static inline sc_scene sc_make_motion(sc_motion_family family, int number) {
    rng r = {(uint64_t)family * UINT64_C(2000003) + (uint64_t)number * UINT64_C(7919) + 77 + sc_spread()};
    char name[64];
    snprintf(name, sizeof name, "%s_%d", sc_motion_name[family], number);
    sc_scene s = sc_empty(name);
    for (int k = 0; k < 8; k++) rng_next(&r);
    sc_motion_fill(&r, &s, family);
    return s;
}

static inline int sc_main_runs(int each) {
    int wrong = 0;
    const char *part = getenv("SCEPTIC");
    for (int f = 0; f < SC_MOTIONS; f++) {
        sc_run_tally tally = {0};
        int first = 0, last = each;
        const size_t length = strlen(sc_motion_name[f]);
        if (part && (strncmp(part, sc_motion_name[f], length) != 0 || (part[length] && part[length] != ':')))
            continue;
        if (part && part[length] == ':') first = atoi(part + length + 1), last = first + 1;
        for (int k = first; k < last; k++) {
            const sc_scene s = sc_make_motion((sc_motion_family)f, k);
            sc_judge_run(&s, &tally, last == first + 1);
        }
        printf("%-15s %4d runs, %5d looks (%d instants): %5d right, %4d wrong, %3d not decided, %3d near a "
               "threshold, %3d failed\n",
               sc_motion_name[f], tally.runs, tally.looks, tally.instants, tally.right, tally.wrong,
               tally.undecided, tally.near, tally.failed);
        fflush(stdout);
        wrong += tally.wrong + tally.failed;
    }
    return wrong > 0;
}

#endif
