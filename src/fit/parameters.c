#include "fit/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "fit/columns.h"
#include "math/elementary.h"

// Where nobody gives bounds: this factor down and up. From this factor between them on, steps are equal factors.
static const double ASSUMED_FACTOR = 10.0, LOGARITHMIC_FROM = 5.0;
// Bounds of a normal distribution, in standard deviations; of a delay, in times between two rows.
static const double NORMAL_REACH = 5.0, DELAY_REACH = 20.0;

double br_fit_parameter_value(const fit_parameter *p, double u) {
    if (u <= 0) return p->from;
    if (u >= 1) return p->to;
    return p->logarithmic ? p->from * br_exp(u * br_log(p->to / p->from)) : p->from + u * (p->to - p->from);
}

double br_fit_parameter_place(const fit_parameter *p, double value) {
    const double u = p->logarithmic ? br_log(fmax(value, p->from) / p->from) / br_log(p->to / p->from)
                                    : (value - p->from) / (p->to - p->from);
    return fmin(1, fmax(0, u));
}

// ------------------------------------------------------------------------------------------------- of the model

static const yaml_node *model_node(const br_measured *m, const char *name) {
    const char *rest = "";
    const yaml_node *node = br_yaml_find(br_yaml_find(m->model, "params"), name);
    if (node) return node;
    node = br_yaml_resolve(m->model, name, '.', &rest);
    return node && !*rest ? node : NULL;
}

static br_status bad_value(const br_measured *m, const fit_parameter *p, const yaml_node *node,
                           const char *why, br_error *error) {
    return br_fail_at(error, BR_INVALID, "fit-name", m->model_path, node->line, node->column,
                      "'%.80s' %s; a fit needs a number to start from: %.40s: {value: 0.3, from: 0.1, to: 1}",
                      p->name, why, p->name);
}

// A number of the file, with the unit that others of this parameter have to have as well.
static int number_at(const yaml_node *node, double *out, fit_parameter *p) {
    br_exponents dim = {0};
    int has_unit = 0;
    char text[48];
    if (!node || node->kind != YAML_SCALAR || !br_fit_quantity(node->text, out, &dim, &has_unit)) return 0;
    if (has_unit) snprintf(p->unit, sizeof p->unit, "%s", br_exponents_text(dim, text));
    return 1;
}

static int read_bounds(const yaml_node *node, fit_parameter *p) {
    const yaml_node *uniform = br_yaml_find(node, "uniform"), *normal = br_yaml_find(node, "normal"),
                    *lognormal = br_yaml_find(node, "lognormal"), *value = br_yaml_find(node, "value");
    double spread = 0;
    if (value) {
        if (!number_at(value, &p->start, p)) return 0;
        if (!br_yaml_find(node, "from")) return p->assumed = 1;
        return number_at(br_yaml_find(node, "from"), &p->from, p) &&
               number_at(br_yaml_find(node, "to"), &p->to, p);
    }
    const yaml_node *list = uniform ? uniform : normal ? normal : lognormal;
    if (!list || list->count != 2) return 0;
    if (uniform) {
        if (!number_at(list->first, &p->from, p) || !number_at(list->last, &p->to, p)) return 0;
        p->start = 0.5 * (p->from + p->to);
        return 1;
    }
    if (!number_at(list->first, &p->start, p) || !number_at(list->last, &spread, p)) return 0;
    p->from = normal ? p->start - NORMAL_REACH * spread : p->start / br_pow(spread, NORMAL_REACH);
    p->to = normal ? p->start + NORMAL_REACH * spread : p->start * br_pow(spread, NORMAL_REACH);
    if (normal && p->start > 0 && p->from <= 0) p->from = 1e-3 * p->start;
    return 1;
}

static br_status find_model(const br_measured *m, fit_parameter *p, br_error *error) {
    const yaml_node *node = model_node(m, p->name);
    if (!node) {
        const yaml_node *params = br_yaml_find(m->model, "params");
        const char *words[BR_MAX_FIT_PARAMETERS * 4];
        size_t n = 0;
        for (const yaml_node *k = params ? params->first : NULL; k && n < sizeof words / sizeof *words;
             k = k->next)
            words[n++] = k->key->text;
        const char *near = br_nearest_word(p->name, words, n);
        return br_fail_at(
            error, BR_INVALID, "fit-name", m->model_path, 0, 0,
            "the model has no parameter '%.80s'%s%s%s; params, the dotted path of a number, noise(), "
            "delay(), gain(), bias() and start() can be fitted",
            p->name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (node->kind == YAML_MAP ? !read_bounds(node, p) : !number_at(node, &p->start, p))
        return bad_value(m, p, node, "is no number with bounds", error);
    if (node->kind != YAML_MAP) p->assumed = 1;
    for (int k = 0; k < m->constants; k++)
        if (strcmp(m->constant_param[k], p->name) == 0)
            return br_fail_at(error, BR_INVALID, "fit-name", m->path, 0, 0,
                              "'%.80s' is given by each recording (constants), so it cannot be fitted",
                              p->name);
    for (int k = 0; k < m->overrides; k++) {
        br_exponents dim;
        int has_unit = 0;
        if (strcmp(m->override[k].name, p->name) == 0 &&
            !br_fit_quantity(m->override[k].value, &p->start, &dim, &has_unit))
            return bad_value(m, p, node, "is set to something that is no number", error);
    }
    if (p->assumed) {
        if (p->start == 0) return bad_value(m, p, node, "is 0 and has no bounds", error);
        p->from = p->start > 0 ? p->start / ASSUMED_FACTOR : p->start * ASSUMED_FACTOR;
        p->to = p->start > 0 ? p->start * ASSUMED_FACTOR : p->start / ASSUMED_FACTOR;
    }
    if (!(p->from < p->to) || p->start < p->from || p->start > p->to)
        return br_fail_at(error, BR_INVALID, "fit-bounds", m->model_path, node->line, node->column,
                          "'%.80s' is %.6g, its bounds are %.6g and %.6g; expected the first between them",
                          p->name, p->start, p->from, p->to);
    return BR_OK;
}

// --------------------------------------------------------------------------------------------- of the measurement

static const struct {
    const char *word;
    fit_parameter_kind kind;
} FUNCTIONS[] = {{"noise(", FIT_NOISE},
                 {"delay(", FIT_DELAY},
                 {"gain(", FIT_GAIN},
                 {"bias(", FIT_BIAS},
                 {"start(", FIT_STARTS}};

static double column_spread(const br_measured *m, int c) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < m->recordings; k++)
        for (int i = 0; i < m->recording[k].rows; i++) {
            const double x = m->recording[k].value[(size_t)i * (size_t)m->columns + (size_t)c];
            low = fmin(low, x), high = fmax(high, x);
        }
    return high > low ? high - low : 1.0;
}

static br_status find_column(const br_measured *m, fit_parameter *p, br_error *error) {
    for (p->at = 0; p->at < m->columns; p->at++)
        if (!m->column[p->at].control && (strcmp(m->column[p->at].name, p->target) == 0 ||
                                          strcmp(m->column[p->at].channel, p->target) == 0))
            break;
    if (p->at == m->columns)
        return br_fail(error, BR_INVALID, "fit-name", "%.80s: no column or channel '%.80s' is measured",
                       p->name, p->target);
    for (int g = 0; g < m->groups; g++)
        for (int i = 0; i < m->group[g].count; i++)
            if (m->group[g].column[i] == p->at && m->group[g].kind == FIT_ROTATION && p->kind != FIT_DELAY)
                return br_fail(error, BR_INVALID, "fit-name",
                               "%.80s: a component of a rotation has no gain and no bias", p->name);
    const double spread = column_spread(m, p->at);
    p->start = p->kind == FIT_GAIN ? 1.0 : 0.0;
    p->from = p->kind == FIT_GAIN ? 0.2 : p->kind == FIT_BIAS ? -spread : 0.0;
    p->to = p->kind == FIT_GAIN ? 5.0 : p->kind == FIT_BIAS ? spread : DELAY_REACH * m->recording[0].period;
    snprintf(p->unit, sizeof p->unit, "%s",
             p->kind == FIT_GAIN   ? ""
             : p->kind == FIT_BIAS ? m->column[p->at].model_unit
                                   : "s");
    return BR_OK;
}

// Of a position and velocity that are measured, around their first row; else around the model's own.
static br_status find_start(const br_measured *m, fit_parameter *p, br_error *error) {
    int c = 0;
    while (c < m->columns && (m->column[c].control || strcmp(m->column[c].channel, p->target) != 0)) c++;
    const size_t n = strlen(p->target);
    p->at = c;
    if (c < m->columns) {
        const fit_recording *r = &m->recording[p->recording];
        const double spread = column_spread(m, c);
        p->start = r->value[c];
        p->from = p->start - spread, p->to = p->start + spread;
        snprintf(p->unit, sizeof p->unit, "%s", m->column[c].model_unit);
        return BR_OK;
    }
    // A velocity whose position is measured: as far as the position goes in a tenth of the time, at most.
    char position[BR_MAX_FIT_NAME];
    const char *at = strstr(p->target, ".velocity");
    if (at && n < sizeof position - 1) {
        snprintf(position, sizeof position, "%.*s.position%s", (int)(at - p->target), p->target, at + 9);
        for (c = 0; c < m->columns; c++)
            if (!m->column[c].control && strcmp(m->column[c].channel, position) == 0) {
                const fit_recording *r = &m->recording[p->recording];
                const double most = 20 * column_spread(m, c) / r->t[r->rows - 1];
                p->start = 0, p->from = -most, p->to = most;
                snprintf(p->unit, sizeof p->unit, "%.40s/s", m->column[c].model_unit);
                return BR_OK;
            }
    }
    return br_fail(error, BR_INVALID, "fit-name",
                   "start(%.80s): neither it nor its position is measured, so nothing bounds it", p->target);
}

static br_status find_noise(const br_measured *m, fit_parameter *p, br_error *error) {
    for (p->at = 0; p->at < m->groups; p->at++)
        if (m->group[p->at].fitted && strcmp(m->group[p->at].name, p->target) == 0) {
            snprintf(p->unit, sizeof p->unit, "%s", m->group[p->at].unit);
            p->from = 0, p->to = INFINITY, p->start = m->group[p->at].noise;
            return BR_OK;
        }
    return br_fail(error, BR_INVALID, "fit-name", "%.80s: no quantity '%.80s' is compared", p->name,
                   p->target);
}

static const char *name_in(br_arena *arena, const char *name, const char *recording) {
    const size_t n = strlen(name) + strlen(recording) + 4;
    char *out = BR_TAKE(arena, char, n);
    if (out) snprintf(out, n, "%s %s", name, recording);
    return out;
}

static br_status find_one(const br_measured *m, const char *name, int recording, br_arena *arena,
                          fit_parameter *p, br_error *error) {
    const size_t n = strlen(name);
    *p = (fit_parameter){.name = name, .target = name, .recording = recording};
    for (size_t k = 0; k < sizeof FUNCTIONS / sizeof *FUNCTIONS; k++) {
        const size_t w = strlen(FUNCTIONS[k].word);
        if (strncmp(name, FUNCTIONS[k].word, w) != 0 || name[n - 1] != ')') continue;
        char *target = BR_TAKE(arena, char, n);
        if (!target) return br_no_memory(error, "no memory for a fit");
        memcpy(target, name + w, n - w - 1);
        p->kind = FUNCTIONS[k].kind, p->target = target;
    }
    if (n >= BR_MAX_FIT_NAME) return br_fail(error, BR_INVALID, "fit-name", "'%.80s' is too long", name);
    br_status status = p->kind == FIT_OF_MODEL ? find_model(m, p, error)
                       : p->kind == FIT_NOISE  ? find_noise(m, p, error)
                       : p->kind == FIT_STARTS ? find_start(m, p, error)
                                               : find_column(m, p, error);
    if (p->kind == FIT_STARTS && m->recordings > 1 && status == BR_OK)
        p->name = name_in(arena, name, m->recording[recording].name);
    p->logarithmic = p->kind != FIT_NOISE && p->from > 0 && p->to >= LOGARITHMIC_FROM * p->from;
    return status;
}

br_status br_fit_parameters_find(const br_measured *m, const char *const *name, int count, br_arena *arena,
                                 fit_parameter **out, int *found, br_error *error) {
    fit_parameter *p = BR_TAKE(arena, fit_parameter, BR_MAX_FIT_PARAMETERS);
    int n = 0;
    br_status status = BR_OK;
    if (!p) return br_no_memory(error, "no memory for a fit");
    if (count < 1)
        return br_fail(
            error, BR_INVALID, "fit-name",
            "nothing is to be fitted; name parameters with --for, or in the spec as fit: {for: [mu]}");
    for (int k = 0; k < count && status == BR_OK; k++) {
        const int each = strncmp(name[k], "start(", 6) == 0 ? m->recordings : 1;
        for (int i = 0; i < k; i++)
            if (strcmp(name[i], name[k]) == 0)
                return br_fail(error, BR_INVALID, "fit-name", "'%.80s' is named twice", name[k]);
        for (int r = 0; r < each && status == BR_OK; r++) {
            if (n == BR_MAX_FIT_PARAMETERS)
                return br_fail(error, BR_TOO_LARGE, "fit-name",
                               "more than %d parameters; start() counts once for each recording",
                               BR_MAX_FIT_PARAMETERS);
            status = find_one(m, name[k], r, arena, &p[n++], error);
        }
    }
    *out = p, *found = n;
    return status;
}
