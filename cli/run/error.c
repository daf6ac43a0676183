// Error bars of a run, by smaller steps: bristle run --error.
#include <math.h>
#include <string.h>

#include "progress.h"
#include "run/run.h"

typedef struct bars_view {
    cli_progress progress;
    double until;
} bars_view;

// Seven parts: runs at h, h/2 and h/4.
static void show_bars(void *context, int run, double t) {
    static const double before[] = {0.0, 1.0, 3.0}, part[] = {1.0, 2.0, 4.0};
    bars_view *view = context;
    if (view->progress.on)
        cli_progress_show(&view->progress, view->until * (before[run] + part[run] * t / view->until) / 7.0,
                          view->until, 0);
}

void run_tell_bars(const run_request *r, const br_model *model) {
    const br_settings *s = br_model_settings(model);
    const br_settings half = br_bars_finer(model, 1), quarter = br_bars_finer(model, 2);
    if (r->quiet || !r->error) return;
    if (half.solver.step < s->solver.step)
        fprintf(stderr,
                "error bars  three runs more, with steps of %g, %g and %g s: about seven times this run\n",
                s->solver.step, half.solver.step, quarter.solver.step);
    else
        fprintf(stderr, "error bars  three runs more, with tolerances of 1, 1/10 and 1/100 of the model's\n");
}

void run_find_bars(const run_request *r, run_job *j) {
    br_model *model[3] = {NULL, NULL, NULL};
    const br_settings own = br_bars_finer(j->model, 0);
    br_bars_options options = br_default_bars_options();
    bars_view view = {.until = j->until};
    br_status status = BR_OK;
    br_bars_settings(j->model, &options);
    for (int k = 0; k < 3 && status == BR_OK; k++) {
        const br_settings s = br_bars_finer(j->model, k);
        status = br_builder_settings(j->builder, &s, &j->bars_error);
        if (status == BR_OK) status = br_model_create(j->builder, &model[k], &j->bars_error);
    }
    view.progress = cli_progress_begin(!r->quiet);
    options.progress = show_bars, options.progress_context = &view;
    if (status == BR_OK) {
        const br_model *const models[3] = {model[0], model[1], model[2]};
        status = br_bars(models, j->until, &options, &j->bars, &j->bars_error);
    }
    cli_progress_end(&view.progress);
    j->barred = status == BR_OK;
    if (status != BR_OK) j->bars_error.status = status;
    for (int k = 0; k < 3; k++) br_model_destroy(model[k]);
    br_error ignored;
    memset(&ignored, 0, sizeof ignored);
    br_builder_settings(j->builder, &own, &ignored);
}

static void add_reason(run_job *j, br_reason_kind what, int fails, const char *element, double value,
                       double limit, const char *text) {
    br_reason reason;
    memset(&reason, 0, sizeof reason);
    reason.what = what, reason.fails = fails;
    reason.t = NAN, reason.value = value, reason.limit = limit;
    snprintf(reason.element, sizeof reason.element, "%.*s", (int)sizeof reason.element - 1, element);
    snprintf(reason.text, sizeof reason.text, "%s", text);
    br_judgement_add(&j->judgement, &reason);
}

// Part of its size that a bar is; what is 0 throughout has none.
static double part_of(const br_bar *b) {
    return b->size > 0.0 ? b->bar / b->size : 0.0;
}

void run_judge_bars(run_job *j) {
    const double limit = br_model_settings(j->model)->check_error;
    const br_bar *worst = NULL;
    char text[BR_MAX_REASON_TEXT];
    if (j->bars_error.status != BR_OK)
        add_reason(j, BR_REASON_NOT_JUDGED, 0, "", NAN, NAN, j->bars_error.message);
    if (!j->barred) {
        if (limit > 0.0 && j->bars_error.status == BR_OK)
            add_reason(j, BR_REASON_NOT_JUDGED, 0, "", NAN, limit,
                       "the error that the model limits (check: error): run --error finds it");
        return;
    }
    if (isfinite(j->bars.diverges_after)) {
        snprintf(text, sizeof text,
                 "diverges after t = %.4g s: from there on the runs with the two smaller steps are two "
                 "motions. What comes "
                 "later is one of many",
                 j->bars.diverges_after);
        add_reason(j, BR_REASON_ERROR, limit > 0.0, "", NAN, NAN, text);
    }
    for (int k = 0; k < j->bars.bars; k++)
        if (!worst || part_of(&j->bars.bar[k]) > part_of(worst)) worst = &j->bars.bar[k];
    if (!(limit > 0.0) || !worst || !(part_of(worst) > limit)) return;
    snprintf(text, sizeof text,
             "%s is %.6g +- %.2g %s at the end, %.2g %% of its size, above check: error, %.2g %%",
             worst->name, worst->value, worst->bar, worst->unit, 100.0 * part_of(worst), 100.0 * limit);
    add_reason(j, BR_REASON_ERROR, 1, worst->name, part_of(worst), limit, text);
}

// ------------------------------------------------------------------------------------------------------------ text

static void print_bar(FILE *out, const br_bar *b) {
    fprintf(out, "  %-34s ", b->name);
    if (b->state == BR_BAR_UNMATCHED) {
        fprintf(out, "not in every run:");
        for (int k = 0; k < 3; k++)
            if (!isnan(b->at[k])) fprintf(out, " %.9g", b->at[k]);
        fprintf(out, "   not converged\n");
        return;
    }
    fprintf(out, "%17.10g +- %-9.2g %-6s", b->value, b->bar, b->unit);
    if (b->state == BR_BAR_EXACT)
        fprintf(out, " to rounding");
    else if (!isnan(b->order))
        fprintf(out, " order %.2f", b->order);
    fprintf(out, "%s\n", b->state == BR_BAR_NOT_CONVERGED ? "   not converged" : "");
}

void run_bars_text(FILE *out, const run_job *j) {
    enum { SHOWN = 40 };
    const br_bars_report *b = &j->bars;
    if (!j->barred) return;
    fprintf(out,
            "error       at the end, of the run with the smallest step: value +- bar, and the order that "
            "smaller steps "
            "show (%.0f is due)\n",
            b->formal);
    for (int k = 0; k < b->bars && k < SHOWN; k++) print_bar(out, &b->bar[k]);
    if (b->bars > SHOWN) fprintf(out, "  and %d more channels: see --json\n", b->bars - SHOWN);
    if (b->events > 0) fprintf(out, "  times of events, s\n");
    for (int k = 0; k < b->events && k < SHOWN; k++) print_bar(out, &b->event[k]);
    if (b->events > SHOWN) fprintf(out, "  and %d more events: see --json\n", b->events - SHOWN);
    if (isfinite(b->diverges_after))
        fprintf(out, "  diverges after t = %.4g s: the runs with the two smaller steps part there\n",
                b->diverges_after);
}

// ------------------------------------------------------------------------------------------------------------ JSON

static void json_bars(br_json *json, const char *key, const br_bar *bar, int count) {
    br_json list = br_json_list(json, key);
    for (int k = 0; k < count; k++) {
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "name", bar[k].name);
        br_json_number(&o, "value", bar[k].value);
        br_json_number(&o, "bar", bar[k].bar);
        br_json_string(&o, "unit", bar[k].unit);
        br_json_number(&o, "order", bar[k].order);
        br_json_string(&o, "state", br_bar_state_name(bar[k].state));
        br_json_number(&o, "size", bar[k].size);
        br_json_numbers(&o, "runs", bar[k].at, 3);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

void run_bars_json(br_json *json, const run_job *j) {
    if (!j->barred) {
        br_json_null(json, "error_bars");
        return;
    }
    br_json o = br_json_object(json, "error_bars");
    br_json_number(&o, "formal_order", j->bars.formal);
    br_json_number(&o, "diverges_after", j->bars.diverges_after);
    json_bars(&o, "channels", j->bars.bar, j->bars.bars);
    json_bars(&o, "events", j->bars.event, j->bars.events);
    br_json_close_object(&o);
}
