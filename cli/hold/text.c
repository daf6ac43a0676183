// What bristle hold prints.
#include <math.h>
#include <string.h>

#include "hold/hold.h"

static const char *const sides[] = {"lower", "upper"};

static void put_loads(const hold_request *r, char *out, size_t size) {
    size_t used = 0;
    snprintf(out, size, "every force and torque of the model");
    for (int k = 0; k < r->loads && used + 64 < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%.80s",
                                 !k                 ? ""
                                 : k + 1 < r->loads ? ", "
                                                    : " and ",
                                 r->load[k]);
}

// "1.308 (78.48 N)"
static const char *factor_text(const br_hold_report *h, double factor, char *out, size_t size) {
    if (isinf(factor))
        snprintf(out, size, "%s", factor > 0.0 ? "any factor" : "any factor below 0");
    else if (isfinite(h->size) && h->unit[0])
        snprintf(out, size, "%.10g (%.10g %s)", factor, factor * h->size, h->unit);
    else
        snprintf(out, size, "%.10g", factor);
    return out;
}

static int is_same(double a, double b) {
    return a == b || (isfinite(a) && isfinite(b) && fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)));
}

// One end of `sure`, and what comes after it.
static void print_end(const br_hold_report *h, int side) {
    char a[96], b[96];
    const double sure = h->sure[side], calm = h->undisturbed[side], possible = h->possible[side];
    const char *const to = side ? "up to" : "down to", *const beyond = side ? "beyond" : "below";
    printf("%s       ", sides[side]);
    if (isinf(sure)) {
        printf("sticks for certain at any factor %s: no load of this kind moves it\n",
               side ? "above" : "below");
        return;
    }
    printf("sticks for certain %s %s", to, factor_text(h, sure, a, sizeof a));
    if (is_same(sure, possible)) {
        printf(", slides for certain %s\n", beyond);
        return;
    }
    printf("\n");
    if (!is_same(sure, calm))
        printf("            %s %s it stays unless something sets it in motion: mu_kinetic is smaller\n", to,
               factor_text(h, calm, b, sizeof b));
    if (!is_same(calm, possible) && isfinite(possible))
        printf("            %s %s rest and motion both obey the law: the rigid model cannot tell\n", to,
               factor_text(h, possible, b, sizeof b));
    if (isfinite(possible))
        printf("            %s that it slides for certain\n", beyond);
    else
        printf("            %s that rest and motion both obey the law at any factor\n", beyond);
}

static void print_needed(const br_hold_report *h) {
    char a[96];
    if (h->certain && h->sure[0] > 0.0)
        printf("needed      the load holds it: below %s it is not held for certain\n",
               factor_text(h, h->sure[0], a, sizeof a));
    if (!h->certain) return;
    if (!(h->sure[0] < 1.0 && h->sure[1] > 1.0)) {
        const int rests = h->possible[0] <= 1.0 && h->possible[1] >= 1.0;
        printf("as it is    the load, factor 1, %s\n", !rests ? "is not held: it slides"
                                                       : h->undisturbed[0] < 1.0 && h->undisturbed[1] > 1.0
                                                           ? "is held while nothing sets it in motion"
                                                           : "may be held or not: both obey the law");
    }
}

static void print_first(const br_hold_report *h) {
    for (int side = 1; side >= 0; side--) {
        int others = 0;
        if (!h->first[side][0]) continue;
        printf("first       at the %s end %s", sides[side], h->first[side]);
        for (int k = 0; k < h->elements; k++) {
            if (!h->element[k].goes[side] || strcmp(h->element[k].name, h->first[side]) == 0) continue;
            if (others++ < 5) printf("%s%s", others == 1 ? ", with " : ", ", h->element[k].name);
        }
        if (others > 5) printf(" and %d more", others - 5);
        printf("\n");
    }
}

static void print_number(double value) {
    if (isnan(value))
        printf(" %12s", "-");
    else if (isinf(value))
        printf(" %12s", "none does");
    else
        printf(" %12.7g", value);
}

static void print_elements(const hold_request *r, const br_hold_report *h) {
    enum { SHOWN = 40 };
    printf("friction    mu critical: the least mu_static that can hold the load as it is, all falling "
           "together%s\n",
           r->alone ? ";\n            alone: of this one, the others as they are" : "");
    printf("  %-34s %12s %12s %12s%s\n", "element", "mu_static", "mu_kinetic", "critical",
           r->alone ? "        alone" : "");
    for (int k = 0; k < h->elements && k < SHOWN; k++) {
        const br_hold_element *e = &h->element[k];
        printf("  %-34s", e->name);
        print_number(e->mu_static);
        print_number(e->mu_kinetic);
        print_number(e->mu_critical);
        if (r->alone) print_number(e->mu_alone);
        printf("%s\n", e->sliding ? "   slides already" : "");
    }
    if (h->elements > SHOWN) printf("  and %d more: see --json\n", h->elements - SHOWN);
}

static void print_rays(const hold_request *r, const hold_job *j) {
    int least = -1;
    for (int k = 0; k < j->rays; k++)
        if (!isnan(j->ray[k].sure) && (least < 0 || j->ray[k].sure < j->ray[least].sure)) least = k;
    printf("polar       %d directions in the plane %s", j->rays, j->plane);
    if (least >= 0 && isfinite(j->ray[least].sure))
        printf("; least sure %.7g at %.4g degrees", j->ray[least].sure,
               j->ray[least].angle * (180.0 / BR_PI));
    else if (least >= 0)
        printf("; no direction moves it");
    printf("   %s\n", r->polar);
}

// Along a motion the rest is about the look at which the load as it is was nearest to an end.
static void print_motion(const hold_request *r, const hold_job *j) {
    if (!r->has_until) return;
    printf("motion      to %.9g s, %d looks: something at rest feels the load in %d", r->until, j->looks,
           j->felt);
    if (j->idle > 0) printf(", the load is next to nothing in %d", j->idle);
    printf("\n            the least margin of them is at t = %.9g s, of which the rest is\n", j->report.t);
}

void hold_text(const hold_request *r, const hold_job *j) {
    const br_hold_report *h = &j->report;
    char loads[400];
    put_loads(r, loads, sizeof loads);
    printf("model       %s (%s), at t = %.9g s\n", br_model_name(j->model), r->path, h->t);
    print_motion(r, j);
    printf("load        %s", loads);
    if (isfinite(h->size) && h->unit[0])
        printf(", %.10g %s", h->size, h->unit);
    else if (isfinite(h->size))
        printf(", %.10g", h->size);
    printf("; factors are on it, and it keeps its direction\n");
    if (!h->felt) {
        printf("not felt    nothing that rubs and is at rest feels this load\n");
    } else if (!h->held) {
        printf("not held    no factor lets friction hold it\n");
    } else if (!h->certain) {
        char a[96], b[96];
        printf("not certain no factor was found at which nothing can begin to move\n");
        if (isinf(h->possible[0]) && isinf(h->possible[1]))
            printf("possible    rest obeys the law at any factor\n");
        else
            printf("possible    rest obeys the law %s%s%s%s; %s it slides for certain\n",
                   isinf(h->possible[0]) ? "" : "from ",
                   isinf(h->possible[0]) ? "" : factor_text(h, h->possible[0], a, sizeof a),
                   isinf(h->possible[1]) ? " on" : " up to ",
                   isinf(h->possible[1]) ? "" : factor_text(h, h->possible[1], b, sizeof b),
                   isinf(h->possible[0])   ? "beyond that"
                   : isinf(h->possible[1]) ? "below that"
                                           : "outside");
    } else {
        print_end(h, 1);
        print_end(h, 0);
        print_needed(h);
        print_first(h);
    }
    if (!h->exhaustive)
        printf("exhaustive  false: a search ended at its caps. `slides for certain` is proved; of `sticks "
               "for certain`\n"
               "            no motion was found up to there, and one that begins earlier may have been "
               "missed\n");
    if (h->felt) print_elements(r, h);
    if (j->rays > 0) print_rays(r, j);
}

// ------------------------------------------------------------------------------------------------------------ JSON

// INFINITY is the string "inf": null is what is not known.
static void json_factor(br_json *json, const char *key, double value) {
    if (isinf(value))
        br_json_string(json, key, value > 0.0 ? "inf" : "-inf");
    else
        br_json_number(json, key, value);
}

static void json_ends(br_json *json, const char *key, const double *ends) {
    br_json o = br_json_object(json, key);
    json_factor(&o, "least", ends[0]);
    json_factor(&o, "most", ends[1]);
    br_json_close_object(&o);
}

static void json_elements(br_json *json, const hold_request *r, const br_hold_report *h) {
    br_json list = br_json_list(json, "elements");
    for (int k = 0; k < h->elements; k++) {
        const br_hold_element *e = &h->element[k];
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", e->name);
        br_json_bool(&o, "contact", e->is_contact);
        br_json_bool(&o, "sliding", e->sliding);
        br_json_number(&o, "mu_static", e->mu_static);
        br_json_number(&o, "mu_kinetic", e->mu_kinetic);
        json_factor(&o, "mu_critical", e->mu_critical);
        if (r->alone) json_factor(&o, "mu_alone", e->mu_alone);
        br_json_bool(&o, "goes_lower", e->goes[0]);
        br_json_bool(&o, "goes_upper", e->goes[1]);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

static void json_rays(br_json *json, const hold_job *j) {
    br_json polar = br_json_object(json, "polar");
    br_json_string(&polar, "plane", j->plane);
    br_json list = br_json_list(&polar, "directions");
    for (int k = 0; k < j->rays; k++) {
        br_json o = br_json_object(&list, NULL);
        br_json_number(&o, "angle", j->ray[k].angle);
        json_factor(&o, "lambda_sure", j->ray[k].sure);
        json_factor(&o, "lambda_possible", j->ray[k].possible);
        br_json_bool(&o, "exhaustive", j->ray[k].exhaustive);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    br_json_close_object(&polar);
}

void hold_json(const hold_request *r, const hold_job *j) {
    const br_hold_report *h = &j->report;
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "model", br_model_name(j->model));
    br_json_string(&json, "file", r->path);
    br_json_number(&json, "t", h->t);
    if (r->has_until) {
        br_json_whole(&json, "looks", j->looks);
        br_json_whole(&json, "looks_felt", j->felt);
        br_json_whole(&json, "looks_without_load", j->idle);
    }
    br_json loads = br_json_list(&json, "loads");
    for (int k = 0; k < r->loads; k++) br_json_string(&loads, NULL, r->load[k]);
    br_json_close_list(&loads);
    br_json_number(&json, "size", h->size);
    br_json_string(&json, "unit", h->unit[0] ? h->unit : NULL);
    br_json_bool(&json, "felt", h->felt);
    br_json_bool(&json, "held", h->held);
    br_json_bool(&json, "certain", h->certain);
    json_factor(&json, "lambda_sure", h->sure[1]);
    json_factor(&json, "lambda_possible", h->possible[1]);
    json_ends(&json, "sure", h->sure);
    json_ends(&json, "undisturbed", h->undisturbed);
    json_ends(&json, "possible", h->possible);
    br_json_bool(&json, "exhaustive", h->exhaustive);
    br_json_string(&json, "first", h->first[1][0] ? h->first[1] : NULL);
    br_json_string(&json, "first_lower", h->first[0][0] ? h->first[0] : NULL);
    json_factor(&json, "c_star", h->c_star);
    json_elements(&json, r, h);
    if (j->rays > 0) json_rays(&json, j);
    br_json_number(&json, "work", h->work);
    br_json_end(&json);
}
