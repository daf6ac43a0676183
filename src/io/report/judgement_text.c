// A judgement as JSON, see br_judgement_text.
#include "bristle/result.h"
#include "io/text/json_write.h"
#include "io/text/text.h"
#include "io/text/write.h"

enum { DIGITS = 17 };

static void put_number(FILE *f, const char *key, double x) {
    br_io_json_key(f, key, 0);
    br_io_json_number(f, x, DIGITS);
}

static void put_text(FILE *f, const char *key, const char *text) {
    br_io_json_key(f, key, 0);
    br_io_json_text(f, text);
}

static void put_reason(FILE *f, const br_reason *r) {
    putc('{', f);
    br_io_json_key(f, "what", 1);
    br_io_json_text(f, br_reason_name(r->what));
    fprintf(f, ", \"fails\": %s", r->fails ? "true" : "false");
    put_number(f, "t", r->t);
    put_text(f, "element", r->element[0] ? r->element : NULL);
    put_number(f, "value", r->value);
    put_number(f, "limit", r->limit);
    put_text(f, "text", r->text);
    putc('}', f);
}

static void put_lower(FILE *f, const br_lower_order *l, long steps) {
    fprintf(f, "{\"order\": %d, \"steps\": %ld, \"of\": %ld", l->order, l->steps, steps);
    put_number(f, "from", l->first);
    put_number(f, "to", l->last);
    put_text(f, "why", l->why);
    putc('}', f);
}

br_status br_judgement_text(const br_judgement *j, char **out, br_error *error) {
    static const char *const words[] = {
        [BR_NOT_CREDIBLE] = "false", [BR_CREDIBLE] = "true", [BR_CREDIBLE_OPEN] = "null"};
    io_memory memory;
    const br_status status = br_io_memory_open(&memory, error);
    if (status != BR_OK) return status;
    const io_locale locale = br_io_locale_enter();
    FILE *f = memory.file;
    fprintf(f, "{\"credible\": %s, \"reasons\": [", words[j->credible]);
    for (int k = 0; k < j->reasons; k++) {
        if (k > 0) fputs(", ", f);
        put_reason(f, &j->reason[k]);
    }
    fputs("], \"order\": ", f);
    if (j->order > 0)
        fprintf(f, "%d", j->order);
    else
        fputs("null", f);
    fputs(", \"order_lower\": [", f);
    for (int k = 0; k < j->lower_orders; k++) {
        if (k > 0) fputs(", ", f);
        put_lower(f, &j->lower_order[k], j->steps);
    }
    fputs("], \"energy\": {\"gain\": ", f);
    br_io_json_number(f, j->gain, DIGITS);
    put_number(f, "gain_size", j->size);
    put_number(f, "loss", j->loss);
    put_number(f, "loss_size", j->loss_size);
    put_number(f, "limit", j->limit);
    put_number(f, "least", j->least);
    fputs("}}", f);
    br_io_locale_leave(locale);
    return br_io_memory_close(&memory, BR_OK, out, error);
}
