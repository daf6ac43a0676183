// What the columns of recordings are: channels, controls, and which of them are compared as one.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fit/columns.h"

// ---------------------------------------------------------------------------------------------------------- units

int br_fit_quantity(const char *text, double *value, br_exponents *dim, int *has_unit) {
    br_expression e;
    br_error ignored;
    br_expression_names names;
    memset(&names, 0, sizeof names);
    memset(&ignored, 0, sizeof ignored);
    names.constant_only = 1;
    if (br_expression_parse(text, &names, NULL, &e, &ignored) != BR_OK || !e.term.constant) return 0;
    *value = e.term.value, *dim = e.term.dim, *has_unit = e.term.has_unit;
    return isfinite(*value);
}

static int unit_of(const char *unit, double *scale, br_exponents *dim) {
    char text[80];
    int has_unit = 0;
    *dim = (br_exponents){0};
    *scale = 1.0;
    if (!*unit || strcmp(unit, "1") == 0 || strcmp(unit, "-") == 0) return 1;
    snprintf(text, sizeof text, "1 %.60s", unit);
    return br_fit_quantity(text, scale, dim, &has_unit) && has_unit;
}

// As br_exponents_equal, but degrees are no plain number: radians count.
static int same_unit(br_exponents a, br_exponents b) {
    return br_exponents_equal(a, b) && (a.rad == b.rad || a.m || a.kg || b.m || b.kg);
}

br_status br_fit_column_scale(const fit_column *c, const fit_table *table, int at, double *scale,
                              br_error *error) {
    const char *unit = c->unit ? c->unit : table->unit[at];
    br_exponents mine, theirs;
    double ignored;
    *scale = 1.0;
    if (c->unit && *table->unit[at] && strcmp(c->unit, table->unit[at]) != 0)
        return br_fail_at(
            error, BR_INVALID, "data-units", table->path, 1, 0,
            "column '%.60s' is in %.20s by its head and in %.20s by the spec, expected one of them", c->name,
            table->unit[at], c->unit);
    if (!*unit) return BR_OK;
    if (!unit_of(unit, scale, &mine))
        return br_fail_at(
            error, BR_INVALID, "data-units", table->path, 1, 0,
            "column '%.60s' has the unit '%.20s', which is not known; expected %s or a multiple of it",
            c->name, unit, *c->model_unit ? c->model_unit : "a plain number");
    unit_of(c->model_unit, &ignored, &theirs);
    if (!c->control && !same_unit(mine, theirs))
        return br_fail_at(error, BR_INVALID, "data-units", table->path, 1, 0,
                          "column '%.60s' is in %.20s, and the channel %.80s in %s", c->name, unit,
                          c->channel, *c->model_unit ? c->model_unit : "plain numbers");
    return BR_OK;
}

// ---------------------------------------------------------------------------------------------------- channels

static br_status find_channel(const br_measured *m, fit_column *c, br_sim *sim, br_error *error) {
    br_channel channel;
    double ignored = 0;
    br_status status = c->control ? br_sim_control(sim, c->channel, &ignored, error)
                                  : br_sim_channel_find(sim, c->channel, &channel, error);
    if (status == BR_OK && !c->control) snprintf(c->model_unit, sizeof c->model_unit, "%s", channel.unit);
    if (status != BR_OK && error && c->node) {
        snprintf(error->file, sizeof error->file, "%s", m->path);
        error->line = c->node->line, error->column = c->node->column;
    }
    return status;
}

// Without a spec, or without its columns: every column with a channel's name.
static br_status name_columns(br_measured *m, const fit_table *first, const br_sim *sim, br_error *error) {
    m->column = BR_TAKE(&m->arena, fit_column, first->columns);
    if (!m->column) return br_no_memory(error, "no memory for columns");
    for (int k = 0; k < first->columns; k++) {
        br_channel channel;
        br_error ignored;
        memset(&ignored, 0, sizeof ignored);
        if (strcmp(first->name[k], "t") == 0 || (m->time && strcmp(first->name[k], m->time) == 0) ||
            br_sim_channel_find(sim, first->name[k], &channel, &ignored) != BR_OK)
            continue;
        m->column[m->columns++] =
            (fit_column){.name = first->name[k], .channel = first->name[k], .scale = 1.0};
    }
    if (m->columns > 0) return BR_OK;
    return br_fail_at(
        error, BR_INVALID, "data-columns", first->path, 1, 0,
        "no column has the name of a channel of the model (the first: '%.60s'); name columns as "
        "`bristle run MODEL --csv` does, or write a spec with columns: {%.60s: CHANNEL}",
        first->name[first->columns > 1 ? 1 : 0], first->name[first->columns > 1 ? 1 : 0]);
}

// ------------------------------------------------------------------------------------------------------- groups

static int column_of(const br_measured *m, const char *stem, size_t n, const char *component) {
    for (int k = 0; k < m->columns; k++) {
        const char *c = m->column[k].channel;
        if (!m->column[k].control && strncmp(c, stem, n) == 0 && c[n] == '.' &&
            strcmp(c + n + 1, component) == 0)
            return k;
    }
    return -1;
}

// BODY.position.x of which y and z are there too; BODY.rotation.w of which the others are.
static int take_group(br_measured *m, int first, unsigned char *used, fit_group *g) {
    static const char *const vector[] = {"x", "y", "z"}, *const rotation[] = {"w", "x", "y", "z"};
    const char *name = m->column[first].channel, *dot = strrchr(name, '.');
    const size_t n = dot ? (size_t)(dot - name) : 0;
    const int turn = n > 9 && strncmp(name + n - 9, ".rotation", 9) == 0;
    const int count = turn ? 4 : 3;
    *g = (fit_group){.name = name, .count = 1, .column = {first}, .unit = m->column[first].model_unit};
    used[first] = 1;
    if (!dot || dot[1] == '\0' || dot[2] != '\0') return 1;
    for (int k = 0; k < count; k++) {
        g->column[k] = column_of(m, name, n, turn ? rotation[k] : vector[k]);
        if (g->column[k] >= 0) continue;
        g->column[0] = first;
        return 1;
    }
    char *stem = BR_TAKE(&m->arena, char, n + 1);
    if (!stem) return 0;
    g->name = memcpy(stem, name, n);
    g->kind = turn ? FIT_ROTATION : FIT_VECTOR, g->count = count;
    if (turn) g->unit = "rad";
    for (int k = 0; k < count; k++) used[g->column[k]] = 1;
    return 1;
}

static br_status number_of_group(const br_measured *m, const char *key, fit_group *g, double *out,
                                 br_error *error) {
    const yaml_node *node = br_yaml_find(br_yaml_find(m->spec, key), g->name);
    br_exponents dim, own;
    double ignored;
    int has_unit = 0;
    if (!node) return BR_OK;
    const int good =
        node->kind == YAML_SCALAR && br_fit_quantity(node->text, out, &dim, &has_unit) && *out > 0;
    unit_of(g->unit, &ignored, &own);
    if (good && (!has_unit || same_unit(dim, own))) return BR_OK;
    return br_fail_at(error, BR_INVALID, "fit-spec", m->path, node->line, node->column,
                      "%s of %.80s: expected a number above 0 in %s", key, g->name,
                      *g->unit ? g->unit : "plain numbers");
}

static fit_group *named_group(br_measured *m, const char *name) {
    for (int k = 0; k < m->groups; k++)
        if (strcmp(m->group[k].name, name) == 0) return &m->group[k];
    return NULL;
}

static br_status check_names(br_measured *m, const yaml_node *node, const char *text, br_error *error) {
    const char *words[FIT_MAX_GROUPS];
    if (named_group(m, text)) return BR_OK;
    for (int k = 0; k < m->groups; k++) words[k] = m->group[k].name;
    const char *near = br_nearest_word(text, words, (size_t)m->groups);
    return br_fail_at(error, BR_INVALID, "fit-spec", m->path, node->line, node->column,
                      "'%.80s' is not measured: no columns make it%s%s%s (the first that is: %.80s)", text,
                      near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", words[0]);
}

static br_status read_compared(br_measured *m, br_error *error) {
    static const char *const keys[] = {"size", "noise"};
    const yaml_node *compare = br_yaml_find(m->spec, "compare");
    for (int k = 0; k < m->groups; k++) m->group[k].compared = !compare;
    for (const yaml_node *n = compare && compare->kind == YAML_LIST ? compare->first : compare; n;
         n = n->next) {
        const br_status status = check_names(m, n, n->kind == YAML_SCALAR ? n->text : "", error);
        if (status != BR_OK) return status;
        named_group(m, n->text)->compared = 1;
        if (compare->kind != YAML_LIST) break;
    }
    const yaml_node *on = br_yaml_find(br_yaml_find(m->spec, "fit"), "on");
    for (int k = 0; k < m->groups; k++) m->group[k].fitted = m->group[k].compared && !on;
    for (const yaml_node *n = on && on->kind == YAML_LIST ? on->first : on; n; n = n->next) {
        const br_status status = check_names(m, n, n->kind == YAML_SCALAR ? n->text : "", error);
        if (status != BR_OK) return status;
        named_group(m, n->text)->fitted = 1;
        if (on->kind != YAML_LIST) break;
    }
    for (int i = 0; i < 2; i++) {
        const yaml_node *map = br_yaml_find(m->spec, keys[i]);
        for (const yaml_node *n = map && map->kind == YAML_MAP ? map->first : NULL; n; n = n->next) {
            const br_status status = check_names(m, n, n->key->text, error);
            if (status != BR_OK) return status;
        }
        for (int k = 0; k < m->groups; k++) {
            double *out = i == 0 ? &m->group[k].size : &m->group[k].noise;
            const br_status status = number_of_group(m, keys[i], &m->group[k], out, error);
            if (status != BR_OK) return status;
        }
    }
    return BR_OK;
}

br_status br_fit_columns_find(br_measured *m, const fit_table *first, br_sim *sim, br_error *error) {
    br_status status = m->columns == 0 ? name_columns(m, first, sim, error) : BR_OK;
    unsigned char *used = BR_TAKE(&m->arena, unsigned char, m->columns);
    if (status == BR_OK && !used) status = br_no_memory(error, "no memory for columns");
    for (int k = 0; k < m->columns && status == BR_OK; k++) {
        status = find_channel(m, &m->column[k], sim, error);
        for (int i = 0; i < k && status == BR_OK; i++)
            if (strcmp(m->column[i].channel, m->column[k].channel) == 0 &&
                m->column[i].control == m->column[k].control)
                status = br_fail_at(error, BR_INVALID, "fit-spec", m->path, 0, 0,
                                    "columns '%.60s' and '%.60s' are both %.80s, expected one",
                                    m->column[i].name, m->column[k].name, m->column[k].channel);
    }
    for (int k = 0; k < m->columns && status == BR_OK; k++) {
        if (used[k] || m->column[k].control) continue;
        if (m->groups == FIT_MAX_GROUPS)
            return br_fail(error, BR_TOO_LARGE, "fit-spec", "more than %d quantities are measured",
                           FIT_MAX_GROUPS);
        fit_group *g = &m->group[m->groups];
        if (!take_group(m, k, used, g)) return br_no_memory(error, "no memory for columns");
        g->size = g->noise = NAN;
        m->groups++;
    }
    if (status == BR_OK && m->groups == 0)
        status = br_fail_at(
            error, BR_INVALID, "fit-spec", m->path, 0, 0,
            "no column is a channel, so there is nothing to compare; controls alone are no measurement");
    return status == BR_OK ? read_compared(m, error) : status;
}
