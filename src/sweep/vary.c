// Parameters of a sweep: values that are gone through, and distributions.
#include "sweep/vary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "io/text/number.h"
#include "io/text/text.h"
#include "math/elementary.h"
#include "sweep/normal.h"
#include "io/yaml/table_file.h"

enum { MAX_LEVELS = 1000000 };

// ---------------------------------------------------------------------------------------------------------- numbers

// "5 mm": the number and its unit. A sweep does not know which dimension is meant; the model says so when it reads the value.
static int vary_split(yaml_reader *r, const yaml_node *node, double *x, const char **unit) {
    io_token number;
    if (r->status != BR_OK) return 0;
    if (node->kind == YAML_SCALAR) {
        number.begin = number.end = node->text;
        while (*number.end && *number.end != ' ') number.end++;
        *unit = number.end + strspn(number.end, " ");
        if (br_io_parse_double(number, x) == IO_NUMBER_FINITE) return 1;
    }
    br_yaml_fault(r, br_yaml_place(node), "sweep-number",
                  "'%.60s' is no number; expected one, with a unit or without, such as 0.3 or 5 mm",
                  node->kind == YAML_SCALAR ? node->text : "this");
    return 0;
}

// Two numbers of one unit; that of one may be left out.
static void vary_pair(yaml_reader *r, const yaml_node *first, const yaml_node *second, sweep_vary *out) {
    const char *other = "";
    if (!vary_split(r, first, &out->a, &out->unit) || !vary_split(r, second, &out->b, &other)) return;
    if (strcmp(out->unit, other) != 0 && *out->unit && *other)
        br_yaml_fault(r, second, "sweep-units",
                      "the units are '%.20s' and '%.20s', expected the same of both", out->unit, other);
    if (!*out->unit) out->unit = other;
}

// ---------------------------------------------------------------------------------------------------------- reading

static size_t put_text(char *out, size_t used, const char *text) {
    const size_t n = strlen(text);
    if (used + n < BR_MAX_SWEEP_VALUE) memcpy(out + used, text, n + 1);
    return used + n;
}

// A value as --set takes it: a word, a number, or a list of them.
static size_t put_node(yaml_reader *r, const yaml_node *node, char *out, size_t used) {
    if (node->kind == YAML_SCALAR) {
        for (const char *c = node->text; *c; c++)
            if ((unsigned char)*c < 0x20)
                br_yaml_fault(r, node, "sweep-value", "the value has a line break or tab");
        return put_text(out, used, node->text);
    }
    if (node->kind != YAML_LIST) {
        br_yaml_fault(r, node, "sweep-value", "expected a number, a word or a list of them");
        return used;
    }
    used = put_text(out, used, "[");
    for (const yaml_node *item = node->first; item; item = item->next) {
        if (item != node->first) used = put_text(out, used, ", ");
        used = put_node(r, item, out, used);
    }
    return put_text(out, used, "]");
}

static void read_list(yaml_reader *r, const yaml_node *node, sweep_vary *out) {
    out->kind = VARY_LIST;
    out->count = node->count;
    out->text = BR_TAKE(r->arena, const char *, node->count);
    if (!out->text) br_yaml_no_memory(r);
    if (node->count == 0)
        br_yaml_fault(r, br_yaml_place(node), "sweep-range-empty",
                      "'%.60s' has an empty list, expected one value or more", out->name);
    for (const yaml_node *item = node->first; item && r->status == BR_OK; item = item->next) {
        char text[BR_MAX_SWEEP_VALUE];
        const size_t n = put_node(r, item, text, 0);
        if (n == 0 || n >= sizeof text)
            br_yaml_fault(r, item, "sweep-value", "a value of '%.60s' has %zu bytes, expected 1 to %d",
                          out->name, n, BR_MAX_SWEEP_VALUE - 1);
        if (r->status != BR_OK) return;
        out->text[item->index] = br_arena_copy(r->arena, text, n + 1, 1);
        if (!out->text[item->index]) br_yaml_no_memory(r);
    }
}

static void check_steps(yaml_reader *r, const yaml_node *node, const sweep_vary *v) {
    if (r->status != BR_OK) return;
    if (v->a == v->b && v->count != 1)
        br_yaml_fault(r, node, "sweep-range-empty",
                      "'%.60s' goes from %g to %g, which is a single value; write [%g]", v->name, v->a, v->b,
                      v->a);
    else if (v->a != v->b && v->count == 1)
        br_yaml_fault(
            r, node, "sweep-range-empty",
            "'%.60s' has one step from %g to %g; steps counts the values, both ends included, so give 2 or "
            "more",
            v->name, v->a, v->b);
    else if (v->logarithmic && !(v->a * v->b > 0))
        br_yaml_fault(
            r, node, "sweep-range-log",
            "'%.60s' goes from %g to %g by equal factors, which needs both ends above 0 or both below",
            v->name, v->a, v->b);
}

// {from, to, steps}; without steps it is a uniform distribution.
static void read_range(yaml_reader *r, const yaml_node *node, sweep_vary *out) {
    static const char *const keys[] = {"from", "to", "steps", "scale", NULL};
    static const char *const scales[] = {"linear", "log", NULL};
    br_yaml_expect_keys(r, node, out->name, keys);
    const yaml_node *from = br_yaml_need(r, node, out->name, "from", "0.1"),
                    *to = br_yaml_need(r, node, out->name, "to", "0.5"), *steps = br_yaml_find(node, "steps");
    if (r->status != BR_OK) return;
    vary_pair(r, from, to, out);
    br_yaml_word(r, br_yaml_find(node, "scale"), scales, &out->logarithmic);
    if (steps) {
        out->kind = VARY_STEPS;
        br_yaml_whole(r, steps, 1, MAX_LEVELS, &out->count);
        check_steps(r, node, out);
        return;
    }
    out->kind = VARY_UNIFORM;
    if (r->status == BR_OK && !(out->a < out->b))
        br_yaml_fault(r, node, "sweep-range-empty", "'%.60s' goes from %g to %g, expected from below to",
                      out->name, out->a, out->b);
    if (r->status == BR_OK && out->logarithmic && !(out->a > 0))
        br_yaml_fault(r, node, "sweep-range-log",
                      "'%.60s' goes from %g by equal factors, expected from above 0", out->name, out->a);
}

static void check_distribution(yaml_reader *r, const yaml_node *node, const sweep_vary *v) {
    if (r->status != BR_OK) return;
    if (v->kind == VARY_UNIFORM && !(v->a < v->b))
        br_yaml_fault(r, node, "sweep-range-empty",
                      "'%.60s' is uniform from %g to %g, expected from below to", v->name, v->a, v->b);
    if (v->kind == VARY_NORMAL && !(v->b > 0))
        br_yaml_fault(r, node, "sweep-distribution",
                      "'%.60s' is normal with a standard deviation of %g, expected more than 0", v->name,
                      v->b);
    if (v->kind == VARY_LOGNORMAL && !(v->a > 0 && v->b > 1))
        br_yaml_fault(
            r, node, "sweep-distribution",
            "'%.60s' is lognormal with the median %g and the factor %g, expected a median above 0 and a "
            "factor above 1",
            v->name, v->a, v->b);
}

static void read_distribution(yaml_reader *r, const yaml_node *node, sweep_vary *out) {
    static const char *const keys[] = {"uniform", "normal", "lognormal", "table", NULL};
    static const vary_kind kinds[] = {VARY_UNIFORM, VARY_NORMAL, VARY_LOGNORMAL, VARY_TABLE};
    int which = 0;
    const yaml_node *value = br_yaml_one_of(r, node, out->name, keys, &which);
    if (r->status == BR_OK && (!value || node->count != 1))
        br_yaml_fault(
            r, br_yaml_place(node), "sweep-vary",
            "'%.60s' takes a list, {from, to, steps}, or one of uniform, normal, lognormal and table",
            out->name);
    if (r->status != BR_OK) return;
    out->kind = kinds[which];
    if (out->kind == VARY_TABLE) {
        br_yaml_table_file(r, value, &out->value, &out->upto, &out->count);
        return;
    }
    br_yaml_expect_list(r, value, 2,
                        out->kind == VARY_UNIFORM  ? "from and to"
                        : out->kind == VARY_NORMAL ? "mean and standard deviation"
                                                   : "median and factor");
    if (r->status != BR_OK) return;
    if (out->kind == VARY_LOGNORMAL) { // the factor has no unit
        const char *none = "";
        if (!vary_split(r, value->first, &out->a, &out->unit) || !vary_split(r, value->last, &out->b, &none))
            return;
        if (*none) br_yaml_fault(r, value->last, "sweep-units", "a factor has no unit, got '%.20s'", none);
    } else {
        vary_pair(r, value->first, value->last, out);
    }
    check_distribution(r, br_yaml_place(value), out);
}

void br_vary_read(yaml_reader *r, const yaml_node *node, sweep_vary *out) {
    if (r->status != BR_OK) return;
    *out = (sweep_vary){.name = node->key->text, .node = node, .unit = ""};
    if (node->kind == YAML_LIST)
        read_list(r, node, out);
    else if (node->kind == YAML_MAP && (br_yaml_find(node, "from") || br_yaml_find(node, "to")))
        read_range(r, node, out);
    else if (node->kind == YAML_MAP)
        read_distribution(r, node, out);
    else
        br_yaml_fault(
            r, br_yaml_place(node), "sweep-vary",
            "'%.60s' has one value; what does not vary belongs into `set`, what does is a list, {from, to, "
            "steps} or a distribution",
            out->name);
    if (r->status == BR_OK && *out->unit)
        snprintf(out->shown_unit, sizeof out->shown_unit, " %.20s", out->unit);
}

// ---------------------------------------------------------------------------------------------------------- values

int br_vary_levels(const sweep_vary *v) {
    return v->kind == VARY_LIST || v->kind == VARY_STEPS ? v->count : 0;
}

// As few digits as give the same number back.
static void put_number(const sweep_vary *v, double x, char text[BR_MAX_SWEEP_VALUE]) {
    char number[IO_MAX_NUMBER];
    for (int digits = 15; digits <= 17; digits++) {
        double back = 0;
        const size_t n = br_io_format_number(number, x, digits);
        if (br_io_parse_double((io_token){number, number + n}, &back) == IO_NUMBER_FINITE && back == x) break;
    }
    snprintf(text, BR_MAX_SWEEP_VALUE, "%s%s%s", number, *v->unit ? " " : "", v->unit);
}

void br_vary_level(const sweep_vary *v, int k, char text[BR_MAX_SWEEP_VALUE]) {
    if (v->kind == VARY_LIST) {
        snprintf(text, BR_MAX_SWEEP_VALUE, "%s", v->text[k]);
        return;
    }
    const double part = v->count > 1 ? k / (double)(v->count - 1) : 0;
    double x = v->logarithmic ? v->a * br_pow(v->b / v->a, part) : v->a + part * (v->b - v->a);
    if (k == 0) x = v->a;
    if (k == v->count - 1) x = v->b; // exactly
    put_number(v, x, text);
}

static double table_value(const sweep_vary *v, double u) {
    int low = 0, high = v->count - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (v->upto[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return v->value[low];
}

void br_vary_sample(const sweep_vary *v, double u, char text[BR_MAX_SWEEP_VALUE]) {
    double x = 0;
    if (br_vary_levels(v) > 0) {
        const int k = (int)(u * v->count);
        br_vary_level(v, k < v->count ? k : v->count - 1, text);
        return;
    }
    switch (v->kind) {
    case VARY_NORMAL:
        x = v->a + v->b * br_normal_quantile(u);
        break;
    case VARY_LOGNORMAL:
        x = v->a * br_pow(v->b, br_normal_quantile(u));
        break;
    case VARY_TABLE:
        x = table_value(v, u);
        break;
    default:
        x = v->logarithmic ? v->a * br_pow(v->b / v->a, u) : v->a + u * (v->b - v->a);
        break;
    }
    put_number(v, x, text);
}

uint64_t br_vary_hash(const sweep_vary *v, uint64_t hash) {
    const double numbers[] = {v->a, v->b};
    hash = br_hash_bytes(hash, v->name, strlen(v->name) + 1);
    hash = br_hash_bytes(hash, v->unit, strlen(v->unit) + 1);
    hash = br_hash_u64(hash, (uint64_t)v->kind << 32 | (uint64_t)v->logarithmic);
    hash = br_hash_u64(hash, (uint64_t)v->count);
    hash = br_hash_doubles(hash, numbers, 2);
    for (int k = 0; v->kind == VARY_LIST && k < v->count; k++)
        hash = br_hash_bytes(hash, v->text[k], strlen(v->text[k]) + 1);
    if (v->kind != VARY_TABLE) return hash;
    hash = br_hash_doubles(hash, v->value, (size_t)v->count);
    return br_hash_doubles(hash, v->upto, (size_t)v->count);
}
