// Figs. 6 to 10 and 12 to 15 of [BauchauJu2006]. Of the mechanism the fifth revolution, case 1 dashed over case 2; of the rotor
// the first 3 s.
#include <math.h>
#include <stdlib.h>

#include "papers/bauchau.h"
#include "plot/plot.h"

static double *doubles(int count) {
    return malloc((size_t)count * sizeof(double));
}

// --------------------------------------------------------------------------------------------------- the mechanism

typedef struct panel {
    const char *title, *y_label;
    int play, link; // columns of case 2 and case 1; link -1: none
} panel;

enum { MECHANISM_FIGURES = 5, MOST_PANELS = 3, STEP = -1 };

static const struct {
    const char *title; // of several panels
    int panels;
    panel panel[MOST_PANELS];
} mechanism[MECHANISM_FIGURES] = {
    {NULL, 1, {{"Fig. 6: tangential speed in the clearance joint Q", "speed, m/s", PLAY_SLIP, -1}}},
    {NULL, 1, {{"Fig. 7: friction force in the clearance joint Q", "friction force, N", PLAY_FRICTION, -1}}},
    {"Fig. 8: forces at the root O of the beam",
     2,
     {{"F2", "F2, N", PLAY_ROOT, LINK_ROOT}, {"F3", "F3, N", PLAY_ROOT + 1, LINK_ROOT + 1}}},
    {"Fig. 9: forces in the middle of the link",
     3,
     {{"F1, axial", "F1, N", PLAY_MIDDLE, LINK_MIDDLE},
      {"F2", "F2, N", PLAY_MIDDLE + 1, LINK_MIDDLE + 1},
      {"F3", "F3, N", PLAY_MIDDLE + 2, LINK_MIDDLE + 2}}},
    {NULL, 1, {{"Fig. 10: time step that Eqs. 20 and 33 ask for, at most 0.5 ms", "step, ms", STEP, -1}}},
};

static double play_value(const bauchau_run *r, int column, int row) {
    if (column != STEP) return r->value[column][row];
    return 1e3 * fmin(r->value[PLAY_BY_CONTACT][row], r->value[PLAY_BY_FRICTION][row]);
}

static void draw_panel(const bauchau_run *play, const bauchau_run *link, const panel *p, plot_sheet *sheet,
                       FILE *out, double *memory) {
    const int n = play->count;
    double *x = memory, *y = memory + n;
    for (int k = 0; k < n; k++) x[k] = bauchau_crank(play, k), y[k] = play_value(play, p->play, k);
    plot_line lines[2] = {{.label = "case 2: clearance", .x = x, .y = y, .count = n}};
    if (p->link >= 0)
        lines[1] = (plot_line){
            .label = "case 1: ideal joint", .x = x, .y = link->value[p->link], .count = n, .dashed = 1};
    const plot_figure g = {.title = p->title,
                           .x_label = "crank angle in the fifth revolution, deg",
                           .y_label = p->y_label,
                           .lines = lines,
                           .line_count = p->link >= 0 ? 2 : 1,
                           .x_to = 360};
    if (sheet)
        plot_sheet_panel(sheet, &g);
    else
        plot_write(out, &g);
}

static br_status draw_mechanism(papers_run *run, int figure, FILE *out, br_error *error) {
    const bauchau_run *play = NULL, *link = NULL;
    br_status status = bauchau_get(run, BAUCHAU_MECHANISM_CLEARANCE, &play, error);
    if (status == BR_OK) status = bauchau_get(run, BAUCHAU_MECHANISM, &link, error);
    if (status != BR_OK) return status;
    double *memory = doubles(2 * play->count);
    if (!memory) return cli_no_memory(error, "not enough memory");
    if (mechanism[figure].title) {
        plot_sheet sheet = plot_sheet_begin(out, mechanism[figure].title, mechanism[figure].panels, 1);
        for (int k = 0; k < mechanism[figure].panels; k++)
            draw_panel(play, link, &mechanism[figure].panel[k], &sheet, out, memory);
        plot_sheet_end(&sheet);
    } else {
        draw_panel(play, link, &mechanism[figure].panel[0], NULL, out, memory);
    }
    free(memory);
    return BR_OK;
}

// ------------------------------------------------------------------------------------------------------- the rotor

static br_status draw_speed(papers_run *run, int figure, FILE *out, br_error *error) {
    static const double zone_t[5] = {0, 3, 3, 0, 3};
    static const double zone[5] = {BAUCHAU_ZONE_FROM, BAUCHAU_ZONE_FROM, NAN, BAUCHAU_ZONE_TO,
                                   BAUCHAU_ZONE_TO};
    const bauchau_run *r = NULL;
    const br_status status = bauchau_get(run, BAUCHAU_ROTOR, &r, error);
    (void)figure;
    if (status != BR_OK) return status;
    const plot_line lines[] = {
        {.label = "shaft at R", .x = r->t, .y = r->value[ROTOR_SPEED], .count = r->count},
        {.label = "unstable zone", .x = zone_t, .y = zone, .count = 5, .dashed = 1},
    };
    const plot_figure g = {.title = "Fig. 12: angular speed of the shaft",
                           .x_label = "time, s",
                           .y_label = "speed, rad/s",
                           .lines = lines,
                           .line_count = 2,
                           .x_to = 3};
    plot_write(out, &g);
    return BR_OK;
}

// Three line styles by time, split where the paper does.
static br_status draw_orbit(papers_run *run, int figure, FILE *out, br_error *error) {
    static const double split[4] = {0, 0.875, 1.065, 3};
    static const char *const labels[3] = {"0-0.875 s", "0.875-1.065 s", "1.065-3 s"};
    const bauchau_run *r = NULL;
    const br_status status = bauchau_get(run, BAUCHAU_ROTOR, &r, error);
    (void)figure;
    if (status != BR_OK) return status;
    double *x = doubles(2 * r->count), *y = x + r->count, most = 0;
    if (!x) return cli_no_memory(error, "not enough memory");
    for (int k = 0; k < r->count; k++) {
        x[k] = 1e3 * r->value[ROTOR_Y][k], y[k] = 1e3 * r->value[ROTOR_Z][k];
        most = fmax(most, 1e3 * bauchau_radius(r, k));
    }
    plot_line lines[3];
    for (int k = 0; k < 3; k++) {
        const int a = bauchau_row(r, split[k]), b = bauchau_row(r, split[k + 1]);
        lines[k] = (plot_line){.label = labels[k], .x = x + a, .y = y + a, .count = b - a + 1, .style = k};
    }
    const plot_figure g = {.title = "Fig. 13: path of the mid-span point M",
                           .x_label = "y, mm",
                           .y_label = "z, mm",
                           .lines = lines,
                           .line_count = 3,
                           .x_from = -most,
                           .x_to = most,
                           .square = 1};
    plot_write(out, &g);
    free(x);
    return BR_OK;
}

// A blow lasts for 0.4 ms. Of each ten rows of 0.1 ms the least and the largest are drawn, in their order.
static br_status draw_force(papers_run *run, int figure, FILE *out, br_error *error) {
    enum { ROWS = 10 };
    const bauchau_run *r = NULL;
    const br_status status = bauchau_get(run, BAUCHAU_ROTOR_IMPACTS, &r, error);
    (void)figure;
    if (status != BR_OK) return status;
    double *x = doubles(2 * r->count), *y = x + r->count;
    if (!x) return cli_no_memory(error, "not enough memory");
    const double *force = r->value[0];
    int count = 0;
    for (int first = 0; first + ROWS <= r->count; first += ROWS) {
        int least = first, most = first;
        for (int k = first; k < first + ROWS; k++) {
            if (force[k] < force[least]) least = k;
            if (force[k] > force[most]) most = k;
        }
        const int in_order[2] = {least < most ? least : most, least < most ? most : least};
        for (int k = 0; k < 2; k++, count++) x[count] = r->t[in_order[k]], y[count] = force[in_order[k]];
    }
    const plot_line line = {.label = "at T", .x = x, .y = y, .count = count};
    const plot_figure g = {.title = "Fig. 14: normal contact force at T",
                           .x_label = "time, s",
                           .y_label = "force, N",
                           .lines = &line,
                           .line_count = 1,
                           .x_to = 3};
    plot_write(out, &g);
    free(x);
    return BR_OK;
}

static br_status draw_moments(papers_run *run, int figure, FILE *out, br_error *error) {
    const bauchau_run *r = NULL;
    const br_status status = bauchau_get(run, BAUCHAU_ROTOR, &r, error);
    (void)figure;
    if (status != BR_OK) return status;
    const plot_line lines[] = {
        {.label = "M2", .x = r->t, .y = r->value[ROTOR_MOMENT_Y], .count = r->count},
        {.label = "M3", .x = r->t, .y = r->value[ROTOR_MOMENT_Z], .count = r->count},
    };
    const plot_figure g = {.title =
                               "Fig. 15: bending moments at the root R of the shaft, axes of the section",
                           .x_label = "time, s",
                           .y_label = "moment, N m",
                           .lines = lines,
                           .line_count = 2,
                           .x_to = 3};
    plot_write(out, &g);
    return BR_OK;
}

const papers_figure bauchau_figures[BAUCHAU_FIGURES] = {
    {"bauchau_fig_6", draw_mechanism}, {"bauchau_fig_7", draw_mechanism},  {"bauchau_fig_8", draw_mechanism},
    {"bauchau_fig_9", draw_mechanism}, {"bauchau_fig_10", draw_mechanism}, {"bauchau_fig_12", draw_speed},
    {"bauchau_fig_13", draw_orbit},    {"bauchau_fig_14", draw_force},     {"bauchau_fig_15", draw_moments},
};
