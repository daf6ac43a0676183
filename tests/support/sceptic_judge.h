// Holds what br_trust_instant says of a scene against the truth.
#ifndef SCEPTIC_JUDGE_H
#define SCEPTIC_JUDGE_H

#include <stdlib.h>

#include "bristle/bristle.h"
#include "bristle/io.h"
#include "bristle/trust.h"
#include "sceptic_families.h"

#define SC_NEAR 1e-5      // relative change of mu that must not change the truth
#define SC_TOLERANCE 1e-6 // of c* and of friction forces, relative

typedef struct sc_tally {
    int scenes, right, undecided, near, wrong, failed;
    int verdict[BR_VERDICTS];
} sc_tally;

enum { SC_SOME_SLIDE = 1, SC_ALL_SLIDE };

// 0: nothing slides already.
static inline int sc_who_slides(const sc_instant *at) {
    int sliding = 0;
    for (int k = 0; k < at->pads; k++) sliding += at->pad[k].slides != 0;
    return sliding == 0 ? 0 : sliding == at->pads ? SC_ALL_SLIDE : SC_SOME_SLIDE;
}

static inline int sc_verdict_fits(const sc_truth *t, br_verdict v, int sliding) {
    if (sliding == SC_ALL_SLIDE && t->several_kinetic) return v == BR_SLIDES_NOT_UNIQUE;
    if (sliding) return v == BR_MOVES;
    if (t->rest && t->onset_static) return v == BR_UNDETERMINED;
    if (t->rest && t->onset_kinetic) return v == BR_STICKS_METASTABLE;
    if (t->rest) return v == BR_STICKS_ROBUST;
    return v == (t->several_static ? BR_SLIDES_NOT_UNIQUE : BR_SLIDES_CERTAIN);
}

static inline const char *sc_truth_text(const sc_truth *t, int sliding) {
    if (sliding == SC_ALL_SLIDE && t->several_kinetic) return "slides_not_unique";
    if (sliding) return "moves";
    if (t->rest && t->onset_static) return "undetermined";
    if (t->rest && t->onset_kinetic) return "sticks_metastable";
    if (t->rest) return "sticks_robust";
    return t->several_static ? "slides_not_unique" : "slides_certain";
}

// Of one pad.
static inline int sc_pad_fits(const sc_instant *at, const sc_truth *t, int k, br_verdict v,
                              br_element_state state) {
    if (at->pad[k].slides) {
        const int several = sc_who_slides(at) == SC_ALL_SLIDE && t->several_kinetic;
        return (v == BR_MOVES || (several && v == BR_SLIDES_NOT_UNIQUE)) && state == BR_ELEMENT_SLIDING;
    }
    const int parts = at->pad[k].contact && state == BR_ELEMENT_OPEN; // told of what leaves: it cannot stay
    if (parts && t->stay_static[k]) return 0;
    if (state != BR_ELEMENT_STUCK && !parts) return 0;
    if (t->rest && t->go_static[k]) return v == BR_UNDETERMINED;
    if (t->rest && t->go_kinetic[k]) return v == BR_STICKS_METASTABLE;
    if (t->rest) return v == BR_STICKS_ROBUST;
    if (!t->stay_static[k]) return v == BR_SLIDES_CERTAIN || (v == BR_SLIDES_NOT_UNIQUE && t->several_static);
    if (t->go_static[k]) return v == BR_UNDETERMINED;
    return v == (t->go_kinetic[k] ? BR_STICKS_METASTABLE : BR_STICKS_ROBUST);
}

static inline const char *sc_pad_text(const sc_instant *at, const sc_truth *t, int k) {
    static char text[80];
    if (at->pad[k].slides) return "moves, sliding";
    if (t->rest)
        return t->go_static[k]    ? "undetermined, stuck"
               : t->go_kinetic[k] ? "sticks_metastable, stuck"
                                  : "sticks_robust, stuck";
    snprintf(text, sizeof text, "stays %d %d, goes %d %d (mu_static, mu_kinetic), stuck", t->stay_static[k],
             t->stay_kinetic[k], t->go_static[k], t->go_kinetic[k]);
    return text;
}

static inline int sc_is_pad(const char *name, const char *pad) {
    const size_t length = strcspn(name, "#");
    const char *tilde = strchr(pad, '~');
    if (strlen(pad) != length) return 0;
    if (strncmp(name, pad, length) == 0) return 1;
    if (!tilde) return 0;
    const size_t second = strlen(tilde + 1);
    return strncmp(name, tilde + 1, second) == 0 && name[second] == '~' &&
           strncmp(name + second + 1, pad, (size_t)(tilde - pad)) == 0;
}

static inline int sc_compare_pads(const sc_scene *s, const sc_instant *at, const sc_truth *t,
                                  const br_trust_interval *i, char *why, size_t size) {
    for (int k = 0; k < at->pads; k++) {
        char name[64];
        int found = 0;
        sc_pad_name(s, k, name, sizeof name);
        for (int f = 0; f < i->forces; f++) {
            if (!sc_is_pad(i->force[f].name, name)) continue;
            found = 1;
            if (sc_pad_fits(at, t, k, i->force[f].verdict, i->force[f].state)) continue;
            snprintf(why, size, "%s: %s, %s; right is %s (the model: %s)", name,
                     br_verdict_name(i->force[f].verdict), br_element_state_name(i->force[f].state),
                     sc_pad_text(at, t, k), br_verdict_name(i->verdict));
            return 0;
        }
        if (!found) {
            snprintf(why, size, "%s is not listed", name);
            return 0;
        }
    }
    return 1;
}

static inline int sc_close(double a, double b, double scale) {
    if (isinf(a) || isinf(b)) return a == b;
    return fabs(a - b) <= SC_TOLERANCE * fmax(scale, fmax(fabs(a), fabs(b)));
}

static inline int sc_limited(const sc_scene *s) {
    int limited = 0;
    for (int k = 0; k < s->joints; k++) limited |= s->joint[k].limit != 0;
    return limited;
}

static inline int sc_compare(const sc_scene *s, const sc_instant *at, const sc_truth *t,
                             const br_trust_interval *i, char *why, size_t size) {
    const int sliding = sc_who_slides(at);
    char name[64];
    double scale = 0;
    const double F = s->M * s->L / (s->T * s->T);
    for (int k = 0; k < at->n; k++) scale = fmax(scale, fabs((double)at->Q[k]));
    if (!sc_verdict_fits(t, i->verdict, sliding)) {
        snprintf(why, size, "verdict %s, right is %s", br_verdict_name(i->verdict),
                 sc_truth_text(t, sliding));
        return 0;
    }
    if (!sc_compare_pads(s, at, t, i, why, size)) return 0;
    if (sliding) return 1;
    if (!sc_limited(s) && (i->freedom != t->freedom || i->nullity != t->nullity ||
                           (!s->spatial && i->permanent_nullity != t->permanent))) {
        snprintf(why, size, "freedom %d, nullity %d, %d of it permanent, right is %d, %d, %d", i->freedom,
                 i->nullity, i->permanent_nullity, t->freedom, t->nullity, t->permanent);
        return 0;
    }
    if (!sc_close(i->c_star, t->c_star, 1)) {
        snprintf(why, size, "c* %.9g, right is %.9g (verdict %s)", i->c_star, t->c_star,
                 br_verdict_name(i->verdict));
        return 0;
    }
    for (int k = 0; t->rest && k < at->pads; k++) {
        if (at->pad[k].contact) continue;
        sc_pad_name(s, k, name, sizeof name);
        const double unit = F * sc_pad_unit(s, k);
        for (int f = 0; f < i->forces; f++)
            if (strcmp(i->force[f].name, name) == 0 &&
                (!sc_close(i->force[f].friction_min, unit * t->least[k], unit * scale) ||
                 !sc_close(i->force[f].friction_max, unit * t->most[k], unit * scale))) {
                snprintf(why, size, "friction of %s %.9g .. %.9g, right is %.9g .. %.9g", name,
                         i->force[f].friction_min, i->force[f].friction_max, unit * t->least[k],
                         unit * t->most[k]);
                return 0;
            }
    }
    if (t->rest &&
        (i->onset_static != t->onset_static || (i->onset_kinetic != t->onset_kinetic && !t->onset_static))) {
        snprintf(why, size, "onset %d %d, right is %d %d", i->onset_static, i->onset_kinetic, t->onset_static,
                 t->onset_kinetic);
        return 0;
    }
    return 1;
}

static inline void sc_judge(const sc_scene *s, sc_tally *tally, int show) {
    static char text[SC_TEXT];
    char why[400] = "";
    const sc_instant at = sc_equations(s, 0);
    const sc_truth truth = sc_find(&at, 1);
    br_error error = {0};
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_trust_report report = {0};
    br_trust_options options = br_default_trust_options();
    options.sensitivities = 0;
    tally->scenes++;
    if (!sc_clear(&at, &truth, SC_NEAR)) {
        tally->near++;
        return;
    }
    sc_yaml(s, text, sizeof text);
    br_status status = br_model_read_text(text, strlen(text), s->name, NULL, 0, NULL, &model, NULL, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
    if (status == BR_OK) status = br_trust_instant(sim, &options, &report, &error);
    if (status != BR_OK) {
        tally->failed++;
        printf("%s: %s %s\n", s->name, error.code, error.message);
        if (show) printf("%s", text);
    } else {
        const br_trust_interval *i = &report.interval[0];
        tally->verdict[i->verdict]++;
        if (i->verdict == BR_NOT_JUDGED || !i->exhaustive)
            tally->undecided++;
        else if (sc_compare(s, &at, &truth, i, why, sizeof why))
            tally->right++;
        else {
            tally->wrong++;
            printf("%s: %s\n", s->name, why);
        }
        if (show) printf("%s", text);
    }
    br_trust_report_free(&report);
    br_sim_destroy(sim);
    br_model_destroy(model);
}

// Scenes that were judged falsely once, beyond those that every run takes.
static inline int sc_judge_found(void) {
    static const struct {
        sc_family family;
        int number;
        uint64_t seed;
    } found[] = {
        {SC_GUIDES, 109, 0}, // several motions without open forces
        {SC_BRACED, 17, 2},  // a slip that is rounding beside forces without bound
    };
    sc_tally tally = {0};
    for (size_t k = 0; k < sizeof found / sizeof found[0]; k++) {
        const sc_scene s = sc_make_seeded(found[k].family, found[k].number, found[k].seed);
        sc_judge(&s, &tally, 0);
    }
    return tally.scenes - tally.right;
}

static inline int sc_main(int each) {
    int wrong = 0, scenes = 0, undecided = 0;
    const char *part = getenv("SCEPTIC");
    for (int f = 0; f < SC_FAMILIES; f++) {
        sc_tally tally = {0};
        int first = 0, last = each;
        const size_t length = strlen(sc_family_name[f]);
        if (part && (strncmp(part, sc_family_name[f], length) != 0 || (part[length] && part[length] != ':')))
            continue;
        if (part && part[length] == ':') first = atoi(part + length + 1), last = first + 1;
        for (int k = first; k < last; k++) {
            const sc_scene s = sc_make((sc_family)f, k);
            sc_judge(&s, &tally, last == first + 1);
        }
        printf("%-15s %4d scenes: %4d right, %3d wrong, %3d not decided, %3d near a threshold, %3d failed |",
               sc_family_name[f], tally.scenes, tally.right, tally.wrong, tally.undecided, tally.near,
               tally.failed);
        for (int v = 0; v < BR_VERDICTS; v++) printf(" %d", tally.verdict[v]);
        printf("\n");
        fflush(stdout);
        wrong += tally.wrong + tally.failed, scenes += tally.scenes, undecided += tally.undecided;
    }
    if (!part) wrong += sc_judge_found();
    printf("%d scenes, %d wrong, %d not decided\n", scenes, wrong, undecided);
    return wrong > 0 || (!part && 20 * undecided > scenes);
}

#endif
