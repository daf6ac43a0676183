// The same run written in other units (length, mass and time by powers of two) and in turned frames: the same intervals, verdicts of
// elements included. Powers of two change no digit, so that ends of intervals agree to what a turned frame rounds.
#include "sceptic_run.h"

static br_status judge(const sc_scene *s, br_trust_report *report, br_error *error) {
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_trust_options options = br_default_trust_options();
    options.sensitivities = 0;
    br_status status = sc_open(s, "contact", &model, &sim, error);
    if (status == BR_OK) status = br_trust_run(sim, s->until * s->T, &options, report, error);
    sc_close_sim(model, sim);
    return status;
}

static int same(const br_trust_report *a, const br_trust_report *b, double T, char *why, size_t size) {
    if (a->credible != b->credible) snprintf(why, size, "credible %d and %d", a->credible, b->credible);
    if (a->intervals != b->intervals) snprintf(why, size, "%d and %d intervals", a->intervals, b->intervals);
    for (int k = 0; !why[0] && k < a->intervals; k++) {
        const br_trust_interval *i = &a->interval[k], *j = &b->interval[k];
        if (i->verdict != j->verdict || fabs(i->to - j->to / T) > 1e-6 || i->forces != j->forces)
            snprintf(why, size, "%s to %.9g and %s to %.9g", br_verdict_name(i->verdict), i->to,
                     br_verdict_name(j->verdict), j->to / T);
        for (int f = 0; !why[0] && f < i->forces; f++)
            if (i->force[f].verdict != j->force[f].verdict || i->force[f].state != j->force[f].state)
                snprintf(why, size, "%s: %s, %s and %s, %s, from %.9g s on", i->force[f].name,
                         br_verdict_name(i->force[f].verdict), br_element_state_name(i->force[f].state),
                         br_verdict_name(j->force[f].verdict), br_element_state_name(j->force[f].state),
                         i->from);
    }
    return !why[0];
}

int main(void) {
    const int each = getenv("SCEPTIC_EACH") ? atoi(getenv("SCEPTIC_EACH")) : 1;
    const char *part = getenv("SCEPTIC");
    int wrong = 0, runs = 0;
    for (int f = 0; f < SC_MOTIONS; f++) {
        if (part && strcmp(part, sc_motion_name[f]) != 0) continue;
        for (int k = 0; k < each; k++) {
            const sc_scene s = sc_make_motion((sc_motion_family)f, k);
            sc_scene scaled = s, turned = s;
            const sc_scene *other[2] = {&scaled, &turned};
            br_trust_report a = {0};
            br_error error = {0};
            rng r = {(uint64_t)(f * 1000 + k)};
            scaled.L = ldexp(1, rng_below(&r, 17) - 8), scaled.M = ldexp(1, rng_below(&r, 17) - 8),
            scaled.T = ldexp(1, rng_below(&r, 9) - 4);
            turned.turned = 1;
            if (judge(&s, &a, &error) != BR_OK) wrong++, printf("%s: %s\n", s.name, error.message);
            for (int o = 0; o < 2; o++) {
                br_trust_report b = {0};
                char why[300] = "";
                const br_status status = judge(other[o], &b, &error);
                runs++;
                if (status != BR_OK || !same(&a, &b, other[o]->T, why, sizeof why)) {
                    wrong++;
                    printf("%s, %s (L %g, M %g, T %g): %s\n", s.name, o ? "turned" : "other units",
                           other[o]->L, other[o]->M, other[o]->T, status == BR_OK ? why : error.message);
                }
                br_trust_report_free(&b);
            }
            br_trust_report_free(&a);
        }
    }
    printf("%d runs in other units or frames, %d differ\n", runs, wrong);
    return wrong > 0;
}
