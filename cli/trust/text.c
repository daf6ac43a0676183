// A trust report in words: the verdict of each interval, why, how far each force could be another, what would settle it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trust/trust.h"

enum { MAX_SENSITIVITIES = 6, MAX_FORCES = 24, MAX_REASONS = 6, WRAP = 118, INDENT = 14 };

const char *trust_words(const br_trust_interval *i) {
    int going = 0;
    for (int k = 0; k < i->forces; k++)
        going += i->force[k].state != BR_ELEMENT_STUCK && i->force[k].state != BR_ELEMENT_OPEN;
    if (i->verdict == BR_MOVES)
        return i->forces == 0      ? "nothing rubs: no friction to judge"
               : going < i->forces ? "moves: some of what rubs slides or rolls; the rest is judged by name"
                                   : "moves: what rubs slides or rolls";
    static const char *const words[BR_VERDICTS] = {
        [BR_STICKS_ROBUST] = "sticks, robustly: no slip could sustain itself",
        [BR_STICKS_METASTABLE] = "sticks, metastably: once it slid, kinetic friction would not stop it",
        [BR_UNDETERMINED] = "undetermined: rest and sliding both obey the law of friction",
        [BR_SLIDES_CERTAIN] = "slides, for certain: no friction within its limits balances the loads",
        [BR_SLIDES_NOT_UNIQUE] = "slides, not uniquely: more than one motion obeys the law of friction",
        [BR_NOT_JUDGED] = "not judged",
    };
    return words[i->verdict];
}

static int is_friction_channel(void *context, const char *name, const br_channel *channel) {
    (void)context, (void)channel;
    return strstr(name, ".friction.") != NULL && strchr(name, '~') == NULL;
}

// Channels are many, and named one by one: models without a part that could have such a channel need none of it.
int trust_has_joint_friction(const br_sim *sim) {
    const br_model *model = br_sim_model(sim);
    int parts = br_model_clearance_count(model);
    for (int k = 0; parts == 0 && k < br_model_joint_count(model); k++)
        parts += br_model_joint_friction(model, k) != NULL;
    return parts > 0 && br_sim_channel_each(sim, is_friction_channel, NULL) != 0;
}

// ---------------------------------------------------------------------------------------------------------- pieces

static void print_number(FILE *out, int width, double value) {
    if (isfinite(value))
        fprintf(out, " %*.7g", width, fabs(value) < 1e-12 ? 0.0 : value);
    else
        fprintf(out, " %*s", width, isnan(value) ? "-" : value > 0 ? "inf" : "-inf");
}

// A label, then text broken at blanks and indented below itself.
static void print_indented(FILE *out, size_t indent, const char *label, const char *text) {
    size_t column = indent;
    fprintf(out, "%-*s", (int)indent, label);
    while (*text) {
        size_t n = strcspn(text, " ");
        if (column > indent && column + 1 + n > WRAP) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", (int)n, text);
        column += n;
        text += n;
        while (*text == ' ') text++;
    }
    fputc('\n', out);
}

static void print_wrapped(FILE *out, const char *label, const char *text) {
    char indented[INDENT + 1];
    snprintf(indented, sizeof indented, "  %s", label);
    print_indented(out, INDENT, indented, text);
}

static const char *plural(int count) {
    return count == 1 ? "" : "s";
}

// Whether anything that rubs does not slide: only then is there a question of rest.
static int has_stuck(const br_trust_interval *i) {
    for (int k = 0; k < i->forces; k++)
        if (i->force[k].state == BR_ELEMENT_STUCK || i->force[k].state == BR_ELEMENT_ROLLING) return 1;
    return 0;
}

// Beams and pins with play are no rows that share forces: how far they are bent and pressed says what they carry.
static void print_deflections(FILE *out, const br_model *model) {
    const int beams = br_model_beam_count(model), plays = br_model_clearance_count(model);
    char text[400];
    if (beams + plays == 0) return;
    snprintf(text, sizeof text,
             "%.80s%s %s the forces of how far %s %s: compliance makes them determinate, as it is and where "
             "the run "
             "has come to",
             beams ? br_model_beam_name(model, 0) : br_model_clearance_name(model, 0),
             beams + plays > 1 ? " and other beams and pins" : "", beams + plays > 1 ? "have" : "has",
             beams + plays > 1 ? "they are" : "it is",
             beams && plays ? "bent and pressed"
             : beams        ? "bent"
                            : "pressed");
    print_wrapped(out, "", text);
}

static void print_why(FILE *out, const br_trust_interval *i, const br_model *model) {
    char text[600];
    const int n = snprintf(text, sizeof text, "%d degree%s of freedom without friction; ", i->freedom,
                           plural(i->freedom));
    if (i->nullity == 0)
        snprintf(text + n, sizeof text - (size_t)n,
                 "with all friction that is at rest holding, every force is determined (nullity 0)");
    else
        snprintf(text + n, sizeof text - (size_t)n,
                 "with all friction that is at rest holding, %d combination%s of forces %s open (nullity "
                 "%d, %d of it from redundant constraints)",
                 i->nullity, plural(i->nullity), i->nullity == 1 ? "is" : "are", i->nullity,
                 i->permanent_nullity);
    print_wrapped(out, "why", text);
    print_deflections(out, model);
    if (!has_stuck(i)) return;
    snprintf(text, sizeof text, "sliding from rest is %s at mu_static and %s at mu_kinetic%s",
             i->onset_static ? "consistent" : "not consistent",
             i->onset_kinetic ? "consistent" : "not consistent",
             i->exhaustive ? ""
                           : "; there are more ways to stick and slip than were searched, so this is not "
                             "the last word");
    print_wrapped(out, "", text);
}

// No balanced forces within the limits: min > max.
static void print_range(FILE *out, double least, double most) {
    if (least > most)
        fprintf(out, " %11s %11s", "none", "none");
    else {
        print_number(out, 11, least);
        print_number(out, 11, most);
    }
}

static void print_forces(FILE *out, const br_trust_interval *i) {
    int width = 10;
    for (int k = 0; k < i->forces && k < MAX_FORCES; k++)
        width = (int)strlen(i->force[k].name) > width ? (int)strlen(i->force[k].name) : width;
    if (i->forces == 0) return;
    const char *which = !has_stuck(i)     ? ""
                        : i->c_star > 1.0 ? ", where most is lacking to hold it"
                                          : ", where it is nearest to sliding";
    if (i->to > i->from)
        fprintf(out, "  friction in N (pins: N m) at %.7g s%s\n", i->at, which);
    else
        fprintf(out, "  friction in N (pins: N m)\n");
    fprintf(out, "  %-*s %11s %11s %11s %11s %11s %11s  %-7s %s\n", width + 1, "", "computed", "normal",
            "least", "most", "coh. least", "coh. most", "state", "unique");
    for (int k = 0; k < i->forces && k < MAX_FORCES; k++) {
        const br_trust_force *f = &i->force[k];
        fprintf(out, "  %-*s", width + 1, f->name);
        print_number(out, 11, f->force);
        print_number(out, 11, f->normal);
        print_range(out, f->friction_min, f->friction_max);
        print_range(out, f->coherent_min, f->coherent_max);
        fprintf(out, "  %-7s %s\n", br_element_state_name(f->state),
                f->unique && f->normal_unique ? "yes"
                : f->unique                   ? "yes, its load is not"
                                              : "no");
    }
    if (i->forces > MAX_FORCES)
        fprintf(out, "  ... and %d more (all of them with --json)\n", i->forces - MAX_FORCES);
}

// w and c of [Wojtyra2017 eqs. 22-24], which decide how smooth laws share forces that the rows leave open.
static void print_ratios(FILE *out, const br_trust_interval *i) {
    char text[600] = "";
    size_t n = 0;
    if (i->nullity == i->permanent_nullity) return; // friction is not among what is open
    for (int k = 0; k < i->forces && k < MAX_FORCES && n + 160 < sizeof text; k++) {
        const br_trust_force *f = &i->force[k];
        if (!isfinite(f->velocity_ratio)) continue;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%.100s %.4g", n ? ", " : "", f->name,
                              f->velocity_ratio);
        if (isfinite(f->slope))
            n += (size_t)snprintf(text + n, sizeof text - n, " (slope %.4g s/m)", f->slope);
    }
    if (n > 0) print_wrapped(out, "velocities", text);
}

static void print_margin(FILE *out, const br_trust_interval *i) {
    char text[300];
    if (!has_stuck(i)) return;
    if (isfinite(i->c_star))
        snprintf(text, sizeof text, "balanced for every mu_static from %.6g times the model's on", i->c_star);
    else
        snprintf(text, sizeof text, "not balanced for any mu_static");
    if (isfinite(i->c_star_coherent))
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "; with coherent friction from %.6g times on", i->c_star_coherent);
    else if (isfinite(i->c_star))
        snprintf(text + strlen(text), sizeof text - strlen(text), "; with coherent friction never");
    print_wrapped(out, "c*", text);
}

// --------------------------------------------------------------------------------------------------- sensitivities

// One parameter: where it flips the verdict, and the quantities it moves most.
typedef struct influence {
    const char *parameter;
    double flips_at, largest; // NAN: does not; largest |d force/d ln parameter|, N
    int undecided;            // whether it does is not known
} influence;

static int stronger_first(const void *a, const void *b) {
    const influence *x = a, *y = b;
    const double u = isfinite(x->flips_at) ? fabs(log(x->flips_at)) : INFINITY,
                 v = isfinite(y->flips_at) ? fabs(log(y->flips_at)) : INFINITY;
    if (fabs(u - v) > 1e-6) return u < v ? -1 : 1;
    if (x->largest != y->largest) return x->largest > y->largest ? -1 : 1;
    return strcmp(x->parameter, y->parameter);
}

static int list_influences(const br_trust_interval *i, influence *list) {
    int count = 0;
    for (int k = 0; k < i->sensitivities; k++) {
        const br_trust_sensitivity *s = &i->sensitivity[k];
        int n = 0;
        while (n < count && strcmp(list[n].parameter, s->parameter) != 0) n++;
        if (n == count) list[count++] = (influence){s->parameter, s->flips_at, 0, s->flips_undecided};
        if (isfinite(s->value) && strcmp(s->quantity, "break_away") != 0)
            list[n].largest = fmax(list[n].largest, fabs(s->value));
    }
    qsort(list, (size_t)count, sizeof *list, stronger_first);
    return count;
}

static void print_influence(FILE *out, const char *label, const br_trust_interval *i, const influence *p) {
    enum { MAX_QUANTITIES = 4 };
    char text[1400];
    int shown = 0;
    size_t n = (size_t)snprintf(text, sizeof text, "%.200s:", p->parameter);
    if (isfinite(p->flips_at))
        n += (size_t)snprintf(text + n, sizeof text - n,
                              " sticking and sliding change places at %.7g times its value;", p->flips_at);
    else if (p->undecided)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              " whether it decides between sticking and sliding is not known;");
    n += (size_t)snprintf(text + n, sizeof text - n, " 1 %% more changes");
    for (int k = 0; k < i->sensitivities && shown < MAX_QUANTITIES; k++) {
        const br_trust_sensitivity *s = &i->sensitivity[k];
        const int is_time = strcmp(s->quantity, "break_away") == 0;
        if (strcmp(s->parameter, p->parameter) != 0 || !isfinite(s->value)) continue;
        if (!is_time && fabs(s->value) < 0.05 * p->largest) continue;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s %.200s by %+.3g%s", shown++ ? "," : "",
                              is_time ? "the time of break-away" : s->quantity, 0.01 * s->value,
                              is_time ? " s" : "");
    }
    print_wrapped(out, label, text);
}

static void print_sensitivities(FILE *out, const br_trust_interval *i) {
    influence *list = malloc((size_t)(i->sensitivities + 1) * sizeof *list);
    double largest = 0;
    int shown = 0;
    if (!list) return;
    const int count = list_influences(i, list);
    for (int k = 0; k < count; k++) largest = fmax(largest, list[k].largest);
    for (int k = 0; k < count && shown < MAX_SENSITIVITIES; k++)
        if (isfinite(list[k].flips_at) || list[k].largest > 1e-6 * largest)
            print_influence(out, shown++ == 0 ? "sensitive" : "", i, &list[k]);
    free(list);
}

// ---------------------------------------------------------------------------------------------------------- reports

static void print_interval(FILE *out, const br_trust_interval *i, const br_model *model) {
    if (i->to > i->from)
        fprintf(out, "\n%.7g .. %.7g s   %s   (%s)\n", i->from, i->to, trust_words(i),
                br_verdict_name(i->verdict));
    else
        fprintf(out, "\nat %.7g s   %s   (%s)\n", i->from, trust_words(i), br_verdict_name(i->verdict));
    if (i->of[0]) print_wrapped(out, "of", i->of);
    if (i->by_name[0]) print_wrapped(out, "by name", i->by_name);
    if (i->verdict == BR_NOT_JUDGED) return;
    print_why(out, i, model);
    print_forces(out, i);
    print_ratios(out, i);
    print_margin(out, i);
    if (i->not_unique[0]) print_wrapped(out, "not unique", i->not_unique);
    print_sensitivities(out, i);
    if (i->settle[0]) print_wrapped(out, "settle", i->settle);
}

void trust_text(FILE *out, const br_trust_report *report, const br_model *model) {
    for (int k = 0; k < report->intervals; k++) print_interval(out, &report->interval[k], model);
}

// Neighbours have different verdicts; what they are about is said where it changes.
void trust_line(FILE *out, const char *label, const br_trust_report *report) {
    enum { SHOWN = 8 };
    char text[4096] = "nothing to judge";
    const char *of = "";
    size_t n = 0;
    for (int k = 0; k < report->intervals; k++) {
        const br_trust_interval *i = &report->interval[k];
        if (k == SHOWN) {
            snprintf(text + n, sizeof text - n, ", and %d more", report->intervals - SHOWN);
            break;
        }
        const int named = i->of[0] && strcmp(i->of, of) != 0;
        char span[64];
        if (i->to > i->from)
            snprintf(span, sizeof span, "%.4g..%.4g s", i->from, i->to);
        else
            snprintf(span, sizeof span, "at %.4g s", i->from);
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s%s%s %s%s%s%s",
                              k == 0  ? ""
                              : named ? "; "
                                      : ", ",
                              named ? i->of : "", named ? ": " : "", br_verdict_name(i->verdict), span,
                              i->by_name[0] ? " (" : "", i->by_name, i->by_name[0] ? ")" : "");
        if (named) of = i->of;
    }
    print_indented(out, INDENT - 2, label, text);
}

void trust_credible(FILE *out, const char *label, const br_trust_report *report) {
    char text[500];
    if (report->credible) fprintf(out, "%-*s%s\n", INDENT - 2, label, "credible");
    for (int k = 0; k < report->reasons; k++) {
        if (k == MAX_REASONS && report->reasons > MAX_REASONS + 1) {
            fprintf(out, "%*s... and %d more\n", INDENT - 2, "", report->reasons - k);
            return;
        }
        const int judged = strcmp(report->reason[k].what, "not_judged") != 0;
        snprintf(text, sizeof text, "%s%s",
                 judged ? "NOT CREDIBLE: " : "not judged: ", report->reason[k].text);
        print_indented(out, INDENT - 2, k == 0 ? label : "", text);
    }
}
