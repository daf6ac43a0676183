// bristle trust --json, and NAME.trust.json beside a result: a list of intervals. Numbers that are not finite are null.
#include <string.h>

#include "trust.h"

static void json_force(cli_json *joints, const br_trust_force *f) {
    cli_json o = cli_json_object(joints, f->name);
    cli_json_bool(&o, "unique", f->unique);
    cli_json_number(&o, "friction_min", f->friction_min);
    cli_json_number(&o, "friction_max", f->friction_max);
    cli_json_number(&o, "coherent_min", f->coherent_min);
    cli_json_number(&o, "coherent_max", f->coherent_max);
    cli_json_number(&o, "force", f->force);
    cli_json_number(&o, "normal", f->normal);
    cli_json_bool(&o, "normal_unique", f->normal_unique);
    cli_json_number(&o, "velocity_ratio", f->velocity_ratio);
    cli_json_number(&o, "slope", f->slope);
    cli_json_bool(&o, "contact", f->is_contact);
    cli_json_close_object(&o);
}

static void json_sensitivity(cli_json *list, const br_trust_sensitivity *s) {
    cli_json o = cli_json_object(list, NULL);
    cli_json_string(&o, "parameter", s->parameter);
    cli_json_string(&o, "quantity", s->quantity);
    cli_json_number(&o, "value", s->value);
    cli_json_number(&o, "flips_at", s->flips_at);
    cli_json_close_object(&o);
}

// "a, b" as ["a", "b"].
static void json_names(cli_json *json, const char *key, const char *names) {
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
    cli_json_lines(json, key, lines);
}

static void json_interval(cli_json *list, const br_trust_interval *i) {
    cli_json o = cli_json_object(list, NULL);
    cli_json_number(&o, "from", i->from);
    cli_json_number(&o, "to", i->to);
    cli_json_number(&o, "at", i->at);
    cli_json_string(&o, "verdict", br_verdict_name(i->verdict));
    cli_json_whole(&o, "nullity", i->nullity);
    cli_json_whole(&o, "permanent_nullity", i->permanent_nullity);
    cli_json_whole(&o, "freedom", i->freedom);
    cli_json_bool(&o, "exhaustive", i->exhaustive);
    cli_json_bool(&o, "onset_static", i->onset_static);
    cli_json_bool(&o, "onset_kinetic", i->onset_kinetic);
    cli_json joints = cli_json_object(&o, "joints");
    for (int k = 0; k < i->forces; k++) json_force(&joints, &i->force[k]);
    cli_json_close_object(&joints);
    cli_json_number(&o, "c_star", i->c_star);
    cli_json_number(&o, "c_star_coherent", i->c_star_coherent);
    json_names(&o, "not_unique", i->not_unique);
    cli_json sensitivity = cli_json_list(&o, "sensitivity");
    for (int k = 0; k < i->sensitivities; k++) json_sensitivity(&sensitivity, &i->sensitivity[k]);
    cli_json_close_list(&sensitivity);
    cli_json_string(&o, "settle", i->settle);
    cli_json_close_object(&o);
}

void trust_json(cli_json *list, const br_trust_report *report) {
    for (int k = 0; k < report->intervals; k++) json_interval(list, &report->interval[k]);
}

void trust_json_file(FILE *out, const br_trust_report *report) {
    cli_json list = {out, 0};
    fputc('[', out);
    trust_json(&list, report);
    fputs("]\n", out);
}
