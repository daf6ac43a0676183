// bristle trust --json, and NAME.trust.json beside a result: a list of intervals. Numbers that are not finite are null.
#include <string.h>

#include "trust/trust.h"

static void json_force(br_json *joints, const br_trust_force *f) {
    br_json o = br_json_object(joints, f->name);
    br_json_bool(&o, "unique", f->unique);
    br_json_number(&o, "friction_min", f->friction_min);
    br_json_number(&o, "friction_max", f->friction_max);
    br_json_number(&o, "coherent_min", f->coherent_min);
    br_json_number(&o, "coherent_max", f->coherent_max);
    br_json_number(&o, "force", f->force);
    br_json_number(&o, "normal", f->normal);
    br_json_bool(&o, "normal_unique", f->normal_unique);
    br_json_number(&o, "velocity_ratio", f->velocity_ratio);
    br_json_number(&o, "slope", f->slope);
    br_json_bool(&o, "contact", f->is_contact);
    br_json_string(&o, "state", br_element_state_name(f->state));
    br_json_string(&o, "verdict", br_verdict_name(f->verdict));
    br_json_close_object(&o);
}

static void json_sensitivity(br_json *list, const br_trust_sensitivity *s) {
    br_json o = br_json_object(list, NULL);
    br_json_string(&o, "parameter", s->parameter);
    br_json_string(&o, "quantity", s->quantity);
    br_json_number(&o, "value", s->value);
    br_json_number(&o, "flips_at", s->flips_at);
    if (s->flips_undecided)
        br_json_string(&o, "flips_why", "not known: the loads have several roots on the way from rest");
    br_json_close_object(&o);
}

// "a, b" as ["a", "b"].
static void json_names(br_json *json, const char *key, const char *names) {
    char lines[sizeof((br_trust_interval *)0)->not_unique];
    size_t n = 0;
    for (const char *p = names; *p && n + 1 < sizeof lines; p++) {
        if (p[0] == ',' && p[1] == ' ') {
            lines[n++] = '\n';
            p++;
        } else {
            lines[n++] = *p;
        }
    }
    lines[n] = '\0';
    br_json_lines(json, key, lines);
}

// A reason that is about the whole is about every interval.
static int is_about(const br_trust_reason *r, int interval) {
    return interval < 0 || r->interval < 0 || r->interval == interval;
}

// What speaks against an interval, and what of it was not judged.
static int reasons_of(const br_trust_report *report, int interval, int *against) {
    int count = 0;
    *against = 0;
    for (int k = 0; k < report->reasons; k++) {
        if (!is_about(&report->reason[k], interval)) continue;
        count++;
        *against += strcmp(report->reason[k].what, "not_judged") != 0;
    }
    return count;
}

static void json_credible(br_json *json, const char *key, const br_trust_report *report, int interval) {
    int against;
    const int count = reasons_of(report, interval, &against);
    if (count > 0 && against == 0)
        br_json_null(json, key);
    else
        br_json_bool(json, key, count == 0);
}

void trust_json_credible(br_json *json, const char *key, const br_trust_report *report) {
    json_credible(json, key, report, -1);
}

void trust_json_reasons(br_json *json, const char *key, const br_trust_report *report, int interval) {
    br_json list = br_json_list(json, key);
    for (int k = 0; k < report->reasons; k++) {
        const br_trust_reason *r = &report->reason[k];
        if (!is_about(r, interval)) continue;
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "what", r->what);
        br_json_number(&o, "t", r->t);
        br_json_number(&o, "to", r->to);
        br_json_string(&o, "element", r->element);
        br_json_number(&o, "value", r->value);
        br_json_number(&o, "limit", r->limit);
        br_json_string(&o, "text", r->text);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

// null where nothing was judged: a zero would be an answer.
static void json_counts(br_json *o, const br_trust_interval *i) {
    if (i->verdict == BR_NOT_JUDGED) {
        static const char *const keys[] = {"nullity",    "permanent_nullity", "freedom",
                                           "exhaustive", "onset_static",      "onset_kinetic"};
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) br_json_null(o, keys[k]);
        return;
    }
    br_json_whole(o, "nullity", i->nullity);
    br_json_whole(o, "permanent_nullity", i->permanent_nullity);
    br_json_whole(o, "freedom", i->freedom);
    br_json_bool(o, "exhaustive", i->exhaustive);
    br_json_bool(o, "onset_static", i->onset_static);
    br_json_bool(o, "onset_kinetic", i->onset_kinetic);
}

static void json_interval(br_json *list, const char *model, const br_trust_report *report, int which) {
    const br_trust_interval *i = &report->interval[which];
    br_json o = br_json_object(list, NULL);
    br_json_number(&o, "from", i->from);
    br_json_number(&o, "to", i->to);
    br_json_number(&o, "at", i->at);
    br_json_string(&o, "verdict", br_verdict_name(i->verdict));
    br_json_string(&o, "of", i->of);
    br_json_string(&o, "by_name", i->by_name);
    json_credible(&o, "credible", report, which);
    trust_json_reasons(&o, "reasons", report, which);
    json_counts(&o, i);
    br_json joints = br_json_object(&o, "joints");
    for (int k = 0; k < i->forces; k++) json_force(&joints, &i->force[k]);
    br_json_close_object(&joints);
    br_json_number(&o, "c_star", i->c_star);
    br_json_number(&o, "c_star_coherent", i->c_star_coherent);
    json_names(&o, "not_unique", i->not_unique);
    br_json sensitivity = br_json_list(&o, "sensitivity");
    for (int k = 0; k < i->sensitivities; k++) json_sensitivity(&sensitivity, &i->sensitivity[k]);
    br_json_close_list(&sensitivity);
    br_json_string(&o, "settle", i->settle);
    br_json_string(&o, "model", model);
    br_json_close_object(&o);
}

void trust_json(br_json *list, const br_model *model, const br_trust_report *report) {
    char hash[24];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)br_model_hash(model));
    for (int k = 0; k < report->intervals; k++) json_interval(list, hash, report, k);
}

void trust_json_file(FILE *out, const br_model *model, const br_trust_report *report) {
    br_json list = {out, 0};
    fputc('[', out);
    trust_json(&list, model, report);
    fputs("]\n", out);
}
