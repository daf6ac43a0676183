// bristle plot --law MODEL [JOINT...]: friction laws of a model over the sliding velocity [Wojtyra2017 fig. 1].
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/friction.h"
#include "model.h"
#include "output.h"
#include "plot/job.h"
#include "plot/save.h"

enum { POINTS = 2401 }; // of a curve, both sides of rest together: corners of the laws fall on points
static const double TURNS = 4.0,
                    PLAIN_SPEED = 1e-2; // of the speeds that decide a law; m/s where there are none
static const double JUST_BESIDE = 1e-9; // of the speed drawn to
static const double LAW_WIDTH = 880, LAW_HEIGHT = 400;

typedef struct law_curve {
    int joint;
    char label[PLOT_LABEL];
    double x[POINTS + 4], y[POINTS + 4];
    int count;
} law_curve;

typedef struct law_plot {
    br_model *model;
    br_builder *builder;
    law_curve *curve;
    int count;
    double load, speed; // N, NAN: coefficients; m/s
} law_plot;

static int rubs(const br_model *m, int joint) {
    const br_friction_def *f = br_model_joint_friction(m, joint);
    return f && f->law != BR_FRICTION_NONE;
}

// The joints named, or all that rub. 0 after printing what is wrong.
static int choose_joints(const plot_request *r, law_plot *p) {
    const int joints = br_model_joint_count(p->model);
    p->curve = calloc(PLOT_MAX_LINES, sizeof *p->curve);
    if (!p->curve) {
        cli_usage_error("plot", "not enough memory");
        return 0;
    }
    const int asked = r->word_count - 1;
    for (int k = 0; k < (asked > 0 ? asked : joints); k++) {
        const int joint = asked > 0 ? br_model_joint_find(p->model, r->word[k + 1]) : k;
        if (asked > 0 && (joint < 0 || !rubs(p->model, joint))) {
            cli_usage_error("plot",
                            joint < 0 ? "there is no joint '%s' in the model" : "joint '%s' has no friction",
                            r->word[k + 1]);
            return 0;
        }
        if (!rubs(p->model, joint)) continue;
        if (p->count == PLOT_MAX_LINES) {
            cli_usage_error("plot", "more than %d joints rub; name those to draw", PLOT_MAX_LINES);
            return 0;
        }
        p->curve[p->count++].joint = joint;
    }
    if (p->count > 0) return 1;
    cli_usage_error("plot", "no joint of %s has friction, so there is no law to draw",
                    br_model_name(p->model));
    return 0;
}

static void law_fill(const law_plot *p, law_curve *c) {
    const br_friction_def *f = br_model_joint_friction(p->model, c->joint);
    const double factor = isnan(p->load) ? 1.0 : p->load + f->preload;
    const int middle = POINTS / 2;
    for (int k = 0; k < POINTS; k++) {
        const double v = p->speed * (k - middle) / middle;
        if (k == middle && br_friction_jumps(f)) { // upright through rest
            const double beside = JUST_BESIDE * p->speed, hold = br_friction_holds(f);
            const double y[4] = {br_friction_steady(f, -beside), -hold, hold, br_friction_steady(f, beside)};
            for (int i = 0; i < 4; i++) c->x[c->count] = 0.0, c->y[c->count++] = factor * y[i];
            continue;
        }
        c->x[c->count] = v;
        c->y[c->count++] = factor * br_friction_steady(f, v);
    }
    const char *law = br_friction_law_name(f->law), *shape = f->shape ? f->shape : "piecewise";
    const int smooth = f->law == BR_FRICTION_SMOOTH;
    snprintf(c->label, sizeof c->label, "%.64s: %s%s%s", br_model_joint_name(p->model, c->joint), law,
             smooth ? ", " : "", smooth ? shape : "");
}

static int law_draw(const plot_request *r, const law_plot *p, const char *path, int png) {
    plot_line line[PLOT_MAX_LINES];
    char title[PLOT_LABEL], y_label[PLOT_LABEL];
    for (int k = 0; k < p->count; k++)
        line[k] = (plot_line){.label = p->curve[k].label,
                              .x = p->curve[k].x,
                              .y = p->curve[k].y,
                              .count = p->curve[k].count,
                              .style = (p->count - 1 - k) % 4};
    snprintf(title, sizeof title, "%.400s", r->title ? r->title : br_model_name(p->model));
    if (isnan(p->load))
        snprintf(y_label, sizeof y_label, "coefficient of friction");
    else
        snprintf(y_label, sizeof y_label, "friction under %.6g N, N", p->load);
    const double width = r->width ? r->width : LAW_WIDTH, height = r->height ? r->height : LAW_HEIGHT;
    const plot_figure g = {.title = r->no_title ? "" : title,
                           .x_label = "sliding velocity, m/s",
                           .y_label = y_label,
                           .lines = line,
                           .line_count = p->count,
                           .x_from = -p->speed,
                           .x_to = p->speed,
                           .right = 270,
                           .width = width,
                           .height = height};
    return plot_save(r, &g, title, path, png);
}

static void law_tell(const plot_request *r, const law_plot *p, const char *path) {
    if (!r->json) {
        printf("plot        %s, %d law%s, -%g to %g m/s\n", path, p->count, p->count == 1 ? "" : "s",
               p->speed, p->speed);
        for (int k = 0; k < p->count; k++)
            printf("law         %s, holds %.6g\n", p->curve[k].label,
                   br_friction_holds(br_model_joint_friction(p->model, p->curve[k].joint)));
        return;
    }
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", "complete");
    br_json_string(&json, "file", path);
    br_json_number(&json, "load", p->load);
    br_json_number(&json, "speed", p->speed);
    br_json list = br_json_list(&json, "laws");
    for (int k = 0; k < p->count; k++) {
        const br_friction_def *f = br_model_joint_friction(p->model, p->curve[k].joint);
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "joint", br_model_joint_name(p->model, p->curve[k].joint));
        br_json_string(&o, "law", br_friction_law_name(f->law));
        br_json_number(&o, "holds", br_friction_holds(f));
        br_json_numbers(&o, "v", p->curve[k].x, p->curve[k].count);
        br_json_numbers(&o, "friction", p->curve[k].y, p->curve[k].count);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    br_json_end(&json);
}

static double usual_speed(const law_plot *p) {
    double speed = 0.0;
    for (int k = 0; k < p->count; k++)
        speed =
            fmax(speed, TURNS * br_friction_turn_speed(br_model_joint_friction(p->model, p->curve[k].joint)));
    return speed > 0.0 ? speed : PLAIN_SPEED;
}

int plot_law(const plot_request *r, const cli_overrides *changes) {
    law_plot p = {.load = r->has_load ? r->load : NAN};
    br_error error = {0};
    char path[PLOT_PATH];
    int code = EXIT_USAGE;
    if (br_model_read(r->word[0], changes->item, changes->count, NULL, &p.model, &p.builder, &error) !=
        BR_OK) {
        cli_print_error(&error);
        return EXIT_USAGE;
    }
    if (choose_joints(r, &p)) {
        p.speed = r->has_to ? r->to : usual_speed(&p);
        snprintf(path, sizeof path, "%.200s.law.svg", br_model_name(p.model));
        if (r->output) snprintf(path, sizeof path, "%.4000s", r->output);
        for (int k = 0; k < p.count; k++) law_fill(&p, &p.curve[k]);
        const size_t n = strlen(path);
        const int png = n > 4 && strcmp(path + n - 4, ".png") == 0;
        if (cli_same_target(path, r->word[0]))
            cli_usage_error("plot",
                            "the figure would go to the model itself: '%s'; name another file with -o", path);
        else if (!png && !(n > 4 && strcmp(path + n - 4, ".svg") == 0))
            cli_usage_error("plot", "-o is '%s', expected a name that ends in .svg or .png", path);
        else if (law_draw(r, &p, path, png)) {
            law_tell(r, &p, path);
            code = EXIT_FINE;
        }
    }
    free(p.curve);
    br_model_destroy(p.model);
    br_builder_destroy(p.builder);
    return code;
}
