// Thresholds as printed (c*, flips_at), run by the reference stepper just below and just above.
#ifndef SCEPTIC_THRESHOLD_H
#define SCEPTIC_THRESHOLD_H

#include "sceptic_run.h"

// c* as printed: with every mu at 0.9999 c* it slides, at 1.0001 c* it stays. What may do either is left out.
static inline int sc_judge_threshold(const sc_scene *s, sc_run_tally *tally) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    br_trust_report report = {0};
    br_trust_options options = br_default_trust_options();
    double c = NAN;
    options.sensitivities = 0;
    if (sc_open(s, "contact", &model, &sim, &error) == BR_OK &&
        br_trust_instant(sim, &options, &report, &error) == BR_OK)
        c = report.interval[0].c_star;
    br_trust_report_free(&report);
    sc_close_sim(model, sim);
    if (!isfinite(c) || c < 1e-3 || c * sc_largest_mu(s) > 3) return 0;
    for (int side = -1; side <= 1; side += 2) {
        sc_scene t = *s;
        sc_scale_mu(&t, c * (1 + 1e-4 * side));
        for (int k = 0; k < t.joints; k++) t.joint[k].mu_kinetic = t.joint[k].mu_static;
        for (int k = 0; k < t.feet; k++) t.foot[k].mu_kinetic = t.foot[k].mu_static;
        const sc_instant at = sc_equations(&t, 0);
        const sc_truth truth = sc_find(&at, 0);
        if (truth.rest && truth.onset_static) continue; // either
        // What slides so near to its threshold has hardly any speed after 0.05 s; what sticks has none.
        const int slips = sc_slips(&t, 0, 0.05 * t.T, 1e-10 * t.L / t.T);
        tally->looks++;
        if (slips < 0)
            tally->failed++;
        else if (slips == (side < 0))
            tally->right++;
        else {
            tally->wrong++;
            printf("%s: c* %.9g, but with %.4f times that it %s\n", s->name, c, 1 + 1e-4 * side,
                   slips ? "slides" : "stays");
        }
    }
    return 1;
}

// A linkage that rubs in its pins too, whose loads are norms of vectors: no truth but the reference stepper's. Where the verdict beside the
// threshold is sticks_robust it stays, where it is slides_certain it slides; what is open may do either.
static inline void sc_linkage(rng *r, sc_scene *s) {
    const double mu = sc_log(r, 0.05, 0.6);
    sc_rods(r, s);
    for (int k = 0; k < s->joints; k++) {
        sc_joint *j = &s->joint[k];
        sc_rub(j, mu * rng_uniform(r, 0.5, 1), 0);
        j->mu_kinetic = j->mu_static;
        if (j->kind == SC_PIN) j->radius = sc_log(r, 0.005, 0.05);
    }
}

static inline br_verdict sc_verdict_now(const sc_scene *s, double *c_star, int *exhaustive) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    br_trust_report report = {0};
    br_trust_options options = br_default_trust_options();
    br_verdict v = BR_NOT_JUDGED;
    options.sensitivities = 0;
    if (sc_open(s, "contact", &model, &sim, &error) == BR_OK &&
        br_trust_instant(sim, &options, &report, &error) == BR_OK) {
        v = report.interval[0].verdict;
        *c_star = report.interval[0].c_star, *exhaustive = report.interval[0].exhaustive;
    }
    br_trust_report_free(&report);
    sc_close_sim(model, sim);
    return v;
}

static inline void sc_judge_linkage(int number, sc_run_tally *tally) {
    rng r = {(uint64_t)number * UINT64_C(7919) + 4242 + sc_spread()};
    char name[32];
    double c = NAN, ignored;
    int exhaustive = 0;
    snprintf(name, sizeof name, "linkage_%d", number);
    sc_scene s = sc_empty(name);
    for (int k = 0; k < 8; k++) rng_next(&r);
    sc_linkage(&r, &s);
    sc_verdict_now(&s, &c, &exhaustive);
    tally->runs++;
    if (!isfinite(c) || c < 1e-3 || c * sc_largest_mu(&s) > 1) return;
    for (int side = -1; side <= 1; side += 2) {
        sc_scene t = s;
        sc_scale_mu(&t, c * (1 + 1e-3 * side));
        const br_verdict v = sc_verdict_now(&t, &ignored, &exhaustive);
        tally->looks++;
        if (v == BR_NOT_JUDGED || !exhaustive) {
            tally->undecided++;
            continue;
        }
        if (v == BR_UNDETERMINED || v == BR_SLIDES_NOT_UNIQUE) continue;
        const int slips = sc_slips(&t, 0, 0.05, 1e-7);
        if (slips < 0)
            tally->failed++;
        else if (slips == (v == BR_SLIDES_CERTAIN) && slips == (side < 0))
            tally->right++;
        else {
            static char text[SC_TEXT];
            tally->wrong++;
            sc_yaml(&t, text, sizeof text);
            printf("%s: c* %.9g, with %.4f times that %s, but it %s\n%s", name, c, 1 + 1e-3 * side,
                   br_verdict_name(v), slips ? "slides" : "stays", tally->wrong < 2 ? text : "");
        }
    }
}

// flips_at as printed: sliders joined by rods with smooth laws share what is open by their slopes. With v_slope of one of them at 0.97 and
// 1.03 of the factor it creeps on one side and slides away on the other.
// What creeps comes to its speed, what slides gains on. Slopes a hundredth as wide, all of them, ask the same question of forces a hundred
// times as soon, and a creep goes a ten thousandth as far on the way: else what creeps near the edge drifts over it.
static inline int sc_runs_away(const sc_scene *given) {
    sc_scene narrow = *given, *s = &narrow;
    for (int k = 0; k < s->joints; k++) s->joint[k].v_slope *= 0.01;
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    double before = 0, after = 0;
    br_status status = sc_open(s, "reference", &model, &sim, &error);
    if (status == BR_OK) status = br_sim_advance(sim, 0.006, &error);
    if (status == BR_OK) before = sc_fastest(s, sim), status = br_sim_advance(sim, 0.012, &error);
    if (status == BR_OK) after = sc_fastest(s, sim);
    sc_close_sim(model, sim);
    return status != BR_OK ? -1 : after > 1.1 * before;
}

static inline void sc_judge_flips(int number, sc_run_tally *tally) {
    rng r = {(uint64_t)number * UINT64_C(7919) + 99 + sc_spread()};
    char name[32];
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_error error = {0};
    br_trust_report report = {0};
    br_trust_options options = br_default_trust_options();
    snprintf(name, sizeof name, "flips_%d", number);
    sc_scene s = sc_empty(name);
    for (int k = 0; k < 8; k++) rng_next(&r);
    sc_rods(&r, &s);
    for (int k = 0; k < s.joints; k++)
        if (s.joint[k].rubs)
            s.joint[k].law = SC_SMOOTH, s.joint[k].v_slope = 1e-3,
            s.joint[k].mu_kinetic = (number % 2 ? 0.7 : 1) * s.joint[k].mu_static;
    const sc_instant at = sc_equations(&s, 0);
    sc_problem p = sc_prepare(&at);
    const double c = sc_c_star(&p);
    if (!isfinite(c) || c < 1e-3 || c * sc_largest_mu(&s) > 2) return;
    sc_scale_mu(&s, 1.1 * c); // a little more than is needed: then sharing decides
    options.sensitivities = 1;
    br_status status = sc_open(&s, "contact", &model, &sim, &error);
    if (status == BR_OK) status = br_trust_instant(sim, &options, &report, &error);
    tally->runs++;
    for (int k = 0; status == BR_OK && k < report.interval[0].sensitivities; k++) {
        const br_trust_sensitivity *f = &report.interval[0].sensitivity[k];
        int joint = -1, slides[2];
        if (k > 0 && strcmp(f[-1].parameter, f->parameter) == 0)
            continue; // the same factor, beside another quantity
        tally->undecided += f->flips_undecided;
        if (!isfinite(f->flips_at) || sscanf(f->parameter, "j%d.v_slope", &joint) != 1) continue;
        for (int side = 0; side < 2; side++) {
            sc_scene t = s;
            t.joint[joint].v_slope *= f->flips_at * (side ? 1.03 : 0.97);
            slides[side] = sc_runs_away(&t);
        }
        tally->looks++;
        if (slides[0] < 0 || slides[1] < 0)
            tally->failed++;
        else if (slides[0] != slides[1])
            tally->right++;
        else {
            tally->wrong++;
            printf("%s: %s said to flip at %.6g times its value (%s, credible %d), but it %s at 0.97 and at "
                   "1.03 of that\n",
                   name, f->parameter, f->flips_at, br_verdict_name(report.interval[0].verdict),
                   report.credible, slides[0] ? "slides" : "creeps");
        }
    }
    br_trust_report_free(&report);
    sc_close_sim(model, sim);
}

// Thresholds of c* in scenes at rest, both sides run by the reference stepper.
static inline int sc_main_thresholds(int each) {
    int wrong = 0;
    const char *part = getenv("SCEPTIC");
    if (!part || strcmp(part, "linkage") == 0) {
        sc_run_tally tally = {0};
        for (int k = 0; k < each; k++) sc_judge_linkage(k, &tally);
        printf("%-15s %4d thresholds, %4d runs below and above: %4d right, %3d wrong, %3d not decided, %3d "
               "did not run\n",
               "linkage", tally.runs, tally.looks, tally.right, tally.wrong, tally.undecided, tally.failed);
        wrong += tally.wrong;
    }
    if (!part || strcmp(part, "flips") == 0) {
        sc_run_tally tally = {0};
        for (int k = 0; k < each; k++) sc_judge_flips(k, &tally);
        printf("%-15s %4d scenes, %4d factors run on both sides: %4d right, %3d wrong, %3d did not run; %d "
               "not told\n",
               "flips_at", tally.runs, tally.looks, tally.right, tally.wrong, tally.failed, tally.undecided);
        wrong += tally.wrong;
    }
    for (int f = 0; f < SC_FAMILIES; f++) {
        sc_run_tally tally = {0};
        if (f == SC_STACK_LAWS || f == SC_STACK_SLIDING || f == SC_BLOCK_ON_SLED)
            continue; // creep; move; joints and contacts in one
        if (part && strcmp(part, sc_family_name[f]) != 0) continue;
        for (int k = 0; k < each; k++) {
            sc_scene s = sc_make((sc_family)f, k);
            s.spatial = 0;
            tally.runs += sc_judge_threshold(&s, &tally);
        }
        printf("%-15s %4d thresholds, %4d runs below and above: %4d right, %3d wrong, %3d did not run\n",
               sc_family_name[f], tally.runs, tally.looks, tally.right, tally.wrong, tally.failed);
        fflush(stdout);
        wrong += tally.wrong;
    }
    return wrong > 0;
}

#endif
