#include "judgement.h"

#include <math.h>

static double percent(double part, double size) {
    return size > 0 ? 100 * part / size : 0;
}

static void print_order(FILE *out, const br_judgement *j) {
    if (j->order == 0) {
        fprintf(out, "order       follows from the tolerance\n");
        return;
    }
    fprintf(out, "order       %d on smooth motion", j->order);
    for (int k = 0; k < j->lower_orders; k++) {
        const br_lower_order *l = &j->lower_order[k];
        fprintf(out, "; %d in %ld of %ld steps, where %s (", l->order, l->steps, j->steps, l->why);
        if (l->steps > 1)
            fprintf(out, "%.6g to %.6g s)", l->first, l->last);
        else
            fprintf(out, "%.6g s)", l->first);
    }
    fputc('\n', out);
}

// "made at most 0.012 % of 25.9 J"
static void print_part(FILE *out, const char *did, double part, double size, double least) {
    if (part > least)
        fprintf(out, "%s at most %.2g %% of %.4g J", did, percent(part, size), size);
    else
        fprintf(out, "%s nothing to speak of", did);
}

void cli_judgement_numbers(FILE *out, const br_judgement *j) {
    fputs("energy      the time stepping ", out);
    if (j->gain > j->least || j->loss > j->least) {
        print_part(out, "made", j->gain, j->size, j->least);
        print_part(out, ", took", j->loss, j->loss_size, j->least);
    } else {
        fputs("made and took nothing to speak of", out);
    }
    fprintf(out, "   (limits: %g %%, %.2g J)\n", 100 * j->limit, j->least);
    print_order(out, j);
}

void cli_judgement_reasons(FILE *out, const br_judgement *j, int said) {
    static const char *const words[] = {[BR_NOT_CREDIBLE] = "not credible",
                                        [BR_CREDIBLE] = "yes",
                                        [BR_CREDIBLE_OPEN] = "as far as it was judged"};
    fprintf(out, "credible    %s\n", words[j->credible]);
    for (int k = 0; k < j->reasons; k++) {
        const br_reason *r = &j->reason[k];
        const int verdict = r->what == BR_REASON_NOT_JUDGED || r->what == BR_REASON_STICTION;
        if (verdict && said && isnan(r->limit))
            continue; // what has a limit is about numbers, not about friction
        if (r->what != BR_REASON_NOT_JUDGED)
            fprintf(out, "            %s: %s\n", br_reason_name(r->what), r->text);
        else
            fprintf(out, "            left open: %s\n", r->text);
    }
}

// ---------------------------------------------------------------------------------------------------------- JSON

static void json_reason(br_json *list, const br_reason *r) {
    br_json o = br_json_object(list, NULL);
    br_json_string(&o, "what", br_reason_name(r->what));
    br_json_bool(&o, "fails", r->fails);
    br_json_number(&o, "t", r->t);
    br_json_string(&o, "element", r->element[0] ? r->element : NULL);
    br_json_number(&o, "value", r->value);
    br_json_number(&o, "limit", r->limit);
    br_json_string(&o, "text", r->text);
    br_json_close_object(&o);
}

static void json_order(br_json *json, const br_judgement *j) {
    if (j->order > 0)
        br_json_whole(json, "order", j->order);
    else
        br_json_null(json, "order");
    br_json list = br_json_list(json, "order_lower");
    for (int k = 0; k < j->lower_orders; k++) {
        const br_lower_order *l = &j->lower_order[k];
        br_json o = br_json_object(&list, NULL);
        br_json_whole(&o, "order", l->order);
        br_json_whole(&o, "steps", l->steps);
        br_json_whole(&o, "of", j->steps);
        br_json_number(&o, "from", l->first);
        br_json_number(&o, "to", l->last);
        br_json_string(&o, "why", l->why);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

void cli_judgement_json(br_json *json, const br_judgement *j) {
    if (j->credible == BR_CREDIBLE_OPEN)
        br_json_null(json, "credible");
    else
        br_json_bool(json, "credible", j->credible == BR_CREDIBLE);
    br_json list = br_json_list(json, "reasons");
    for (int k = 0; k < j->reasons; k++) json_reason(&list, &j->reason[k]);
    br_json_close_list(&list);
    json_order(json, j);
    br_json o = br_json_object(json, "judged_energy");
    br_json_number(&o, "gain", j->gain);
    br_json_number(&o, "gain_size", j->size);
    br_json_number(&o, "loss", j->loss);
    br_json_number(&o, "loss_size", j->loss_size);
    br_json_number(&o, "limit", j->limit);
    br_json_number(&o, "least", j->least);
    br_json_close_object(&o);
}
