#include "io/yaml/spread.h"

#include <stdio.h>

#include "io/text/number.h"
#include "io/yaml/table_file.h"
#include "model/build/builder.h"

enum { SPREAD_NORMAL = 0, SPREAD_LOGNORMAL, SPREAD_UNIFORM, SPREAD_TABLE };
static const char *const KINDS[] = {"normal", "lognormal", "uniform", "table", NULL};
static const char *const PARTS[] = {"mean and standard deviation", "median and factor", "from and to"};

static const char *table_mean(yaml_reader *r, const yaml_node *node) {
    double *value = NULL, *upto = NULL, mean = 0;
    int count = 0;
    br_yaml_table_file(r, node, &value, &upto, &count);
    if (r->status != BR_OK) return NULL;
    for (int k = 0; k < count; k++) mean += value[k] * (upto[k] - (k > 0 ? upto[k - 1] : 0));
    char text[IO_MAX_NUMBER];
    const size_t n = br_io_format_number(text, mean, 17);
    const char *copy = br_arena_copy(r->arena, text, n + 1, 1);
    if (!copy) br_yaml_no_memory(r);
    return copy;
}

static const char *middle(yaml_reader *r, const yaml_node *list) {
    const int size = list->first->count + list->last->count + 16;
    char *text = BR_TAKE(r->arena, char, size);
    if (!text) {
        br_yaml_no_memory(r);
        return NULL;
    }
    snprintf(text, (size_t)size, "0.5*(%s + %s)", list->first->text, list->last->text);
    return text;
}

// Who runs the model once has to know that a number stands for many.
static void say(yaml_reader *r, const yaml_node *param, const char *kind, const char *text) {
    char line[BR_MAX_ERROR_TEXT];
    snprintf(
        line, sizeof line,
        "param %.60s has a distribution (%s); here it is %.80s, and bristle sweep with vary: params draws it",
        param->key->text, kind, text);
    if (r->status == BR_OK && r->builder) br_yaml_built(r, br_builder_note(r->builder, line, r->error));
}

// {value, from, to, source}: one number, the bounds that a fit keeps, and where it comes from.
static const char *bounded(yaml_reader *r, const yaml_node *param, const char *what) {
    static const char *const keys[] = {"value", "from", "to", "source", NULL};
    br_yaml_expect_keys(r, param, what, keys);
    for (const yaml_node *n = param->first; n && r->status == BR_OK; n = n->next)
        if (n->kind != YAML_SCALAR || yaml_is_empty(n))
            br_yaml_fault(r, n, "yaml-type", "%s: %s is %s, expected a %s", what, n->key->text,
                          yaml_is_empty(n) ? "empty" : "no number",
                          n == br_yaml_find(param, "source") ? "text" : "number");
    const yaml_node *ends[] = {br_yaml_find(param, "from"), br_yaml_find(param, "to")};
    if (r->status == BR_OK && !ends[0] != !ends[1])
        br_yaml_fault(r, param, "yaml-missing", "%s has %s without %s, expected both or neither", what,
                      ends[0] ? "from" : "to", ends[0] ? "to" : "from");
    for (int k = 0; k < 2 && ends[k] && r->status == BR_OK; k++) {
        double ignored;
        r->status = br_quantity_parse(ends[k]->text, NULL, BR_DIM_ANY, 0, &ignored, r->error);
        if (r->status != BR_OK) br_yaml_locate(ends[k], r->error);
    }
    return r->status == BR_OK ? br_yaml_find(param, "value")->text : NULL;
}

const char *br_yaml_nominal(yaml_reader *r, const yaml_node *param) {
    int kind = -1;
    const char *text = NULL;
    char what[YAML_WHAT];
    if (br_yaml_find(param, "value")) return bounded(r, param, br_yaml_what("param", param, what));
    br_yaml_expect_keys(r, param, br_yaml_what("param", param, what), KINDS);
    const yaml_node *value = r->status == BR_OK ? br_yaml_one_of(r, param, what, KINDS, &kind) : NULL;
    if (r->status == BR_OK && !value)
        br_yaml_fault(r, param, "yaml-type",
                      "%s is empty, expected a number or one of normal, uniform, lognormal, table", what);
    if (r->status != BR_OK) return NULL;
    if (kind == SPREAD_TABLE) {
        text = table_mean(r, value);
    } else {
        br_yaml_expect_list(r, value, 2, PARTS[kind]);
        for (const yaml_node *item = value->first; r->status == BR_OK && item; item = item->next)
            if (item->kind != YAML_SCALAR || yaml_is_empty(item))
                br_yaml_fault(r, value, "yaml-type", "%s: expected %s, two numbers", what, PARTS[kind]);
        if (r->status == BR_OK) text = kind == SPREAD_UNIFORM ? middle(r, value) : value->first->text;
    }
    if (text) say(r, param, KINDS[kind], text);
    return r->status == BR_OK ? text : NULL;
}
