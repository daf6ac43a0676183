// What a fit leaves: the model with its numbers in place, as a measured set and as a text.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fit/derive.h"
#include "io/text/number.h"
#include "io/text/write.h"

static int is_of_model(const br_fit_estimate *e) {
    return strchr(e->name, '(') == NULL;
}

static void put_value(const br_fit_estimate *e, double x, int digits, char *out, size_t size) {
    char number[IO_MAX_NUMBER];
    br_io_format_number(number, x, digits);
    snprintf(out, size, "%s%s%s", number, *e->unit ? " " : "", e->unit);
}

br_status br_measured_fitted(const br_measured *m, const br_fit_report *fit, br_measured **out,
                             br_error *error) {
    br_override o[BR_MAX_FIT_PARAMETERS];
    char text[BR_MAX_FIT_PARAMETERS][96];
    int n = 0;
    for (int k = 0; k < fit->estimates && n < BR_MAX_FIT_PARAMETERS; k++) {
        if (!is_of_model(&fit->estimate[k])) continue;
        put_value(&fit->estimate[k], fit->estimate[k].value, 17, text[n], sizeof text[n]);
        o[n] = (br_override){fit->estimate[k].name, text[n]};
        n++;
    }
    return br_fit_derive(m, o, n, out, error);
}

// ------------------------------------------------------------------------------------------------------------- text

typedef struct fitted_patch {
    size_t from, to;
    char text[800];
} fitted_patch;

static size_t offset_of(const io_text *text, const yaml_node *node) {
    const char *at = text->data;
    for (int line = 1; line < node->line && at < text->end; line++) {
        const char *end = memchr(at, '\n', (size_t)(text->end - at));
        at = end ? end + 1 : text->end;
    }
    return (size_t)(at - text->data) + (size_t)(node->column > 0 ? node->column - 1 : 0);
}

// Where the value stands in the text. 0: it is written in a way that is not replaced in place.
static int span_of(const io_text *text, const yaml_node *node, fitted_patch *out) {
    const size_t size = (size_t)(text->end - text->data);
    out->from = offset_of(text, node);
    if (out->from >= size) return 0;
    if (node->kind == YAML_SCALAR) {
        out->to = out->from + (size_t)node->count + (node->quoted ? 2 : 0);
        return out->to <= size &&
               memcmp(text->data + out->from + (node->quoted ? 1 : 0), node->text, (size_t)node->count) == 0;
    }
    if (node->kind != YAML_MAP || text->data[out->from] != '{') return 0;
    int depth = 0;
    for (size_t k = out->from; k < size; k++) {
        depth += (text->data[k] == '{') - (text->data[k] == '}');
        if (depth > 0) continue;
        out->to = k + 1;
        return 1;
    }
    return 0;
}

static br_status make_patch(const br_measured *m, const br_fit_report *fit, const br_fit_estimate *e,
                            fitted_patch *out, br_error *error) {
    const yaml_node *param = br_yaml_find(br_yaml_find(m->model, "params"), e->name);
    const char *rest = "";
    const yaml_node *node = param ? param : br_yaml_resolve(m->model, e->name, '.', &rest);
    char value[96], low[96], high[96], from[96], to[96];
    if (!node || *rest || !span_of(&m->model_text, node, out))
        return br_fail_at(
            error, BR_INVALID, "fit-write", m->model_path, node ? node->line : 0, node ? node->column : 0,
            "'%.80s' cannot be replaced in the file; write it on one line, as %.40s: {value: 0.3, "
            "from: 0.1, to: 1}",
            e->name, e->name);
    put_value(e, e->value, 9, value, sizeof value);
    put_value(e, e->low, 5, low, sizeof low), put_value(e, e->high, 5, high, sizeof high);
    put_value(e, e->from, 9, from, sizeof from), put_value(e, e->to, 9, to, sizeof to);
    if (!param)
        snprintf(out->text, sizeof out->text, "%s", value);
    else if (isfinite(e->low) && strcmp(fit->interval, "none") != 0)
        snprintf(out->text, sizeof out->text,
                 "{value: %s, from: %s, to: %s, source: \"fitted to %.60s, 90 %% from %s to %s\"}", value,
                 from, to, m->set, low, high);
    else
        snprintf(out->text, sizeof out->text, "{value: %s, from: %s, to: %s, source: \"fitted to %.60s\"}",
                 value, from, to, m->set);
    return BR_OK;
}

static int by_place(const void *a, const void *b) {
    const size_t x = ((const fitted_patch *)a)->from, y = ((const fitted_patch *)b)->from;
    return (x > y) - (x < y);
}

br_status br_fit_model_text(const br_measured *m, const br_fit_report *fit, char **out, br_error *error) {
    fitted_patch patch[BR_MAX_FIT_PARAMETERS];
    io_memory memory;
    int n = 0;
    const io_locale locale = br_io_locale_enter();
    br_status status = BR_OK;
    for (int k = 0; k < fit->estimates && status == BR_OK; k++)
        if (is_of_model(&fit->estimate[k]))
            status = make_patch(m, fit, &fit->estimate[k], &patch[n++], error);
    if (status == BR_OK) status = br_io_memory_open(&memory, error);
    if (status == BR_OK) {
        const char *at = m->model_text.data;
        qsort(patch, (size_t)n, sizeof *patch, by_place);
        fprintf(memory.file, "# Fitted by bristle fit to %d recording%s of %s.\n", m->recordings,
                m->recordings == 1 ? "" : "s", m->set);
        for (int k = 0; k < m->overrides; k++)
            fprintf(memory.file, "# With --set \"%s=%s\".\n", m->override[k].name, m->override[k].value);
        for (int k = 0; k < n; k++) {
            const char *to = m->model_text.data + patch[k].from;
            fwrite(at, 1, (size_t)(to - at), memory.file);
            fputs(patch[k].text, memory.file);
            at = m->model_text.data + patch[k].to;
        }
        fwrite(at, 1, (size_t)(m->model_text.end - at), memory.file);
        status = br_io_memory_close(&memory, BR_OK, out, error);
    }
    br_io_locale_leave(locale);
    return status;
}
