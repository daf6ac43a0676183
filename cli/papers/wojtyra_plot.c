// Figs. 4, 5, 6, 8 and 9 of [Wojtyra2017]: friction forces on the left, friction over normal force on the right, a row of
// panels for each part (a), (b), (c).
#include <math.h>
#include <stdlib.h>

#include "papers/wojtyra.h"
#include "plot/plot.h"

enum { PARTS = 3, LINES = 4 };

typedef struct part {
    const char *title;
    int runs[2]; // the second is drawn dashed; -1: none
} part;

static const struct {
    const char *title;
    int count;
    part part[PARTS];
} figures[] = {
    {"Fig. 4: Coulomb friction by constraint addition and deletion, rigid rod",
     3,
     {{"(a) a row of pin_1 left out", {W2_PIN_1, -1}},
      {"(b) a row of pin_2 left out", {W2_PIN_2, -1}},
      {"(c) pseudoinverse", {W2_PSEUDO, -1}}}},
    {"Fig. 5: smoothed Coulomb friction, rigid rod",
     2,
     {{"(a) gamma equal", {W3_EQUAL, -1}}, {"(b) gamma_1 doubled", {W3_DOUBLE, -1}}}},
    {"Fig. 6: LuGre friction, rigid rod",
     2,
     {{"(a) sigma^0 equal", {W4_EQUAL, -1}}, {"(b) sigma^0_1 doubled", {W4_DOUBLE, -1}}}},
    {"Fig. 8: flexible rod, k1 = k2",
     3,
     {{"(a) Coulomb", {W5_COULOMB, -1}},
      {"(b) smoothed Coulomb; dashed: gamma_1 doubled", {W5_SMOOTH, W5_SMOOTH_DOUBLE}},
      {"(c) LuGre; dashed: sigma^0_1 doubled", {W5_LUGRE, W5_LUGRE_DOUBLE}}}},
    {"Fig. 9: flexible rod, k1 = 3 k2",
     3,
     {{"(a) Coulomb", {W5_STIFF, -1}},
      {"(b) smoothed Coulomb; dashed: gamma_1 doubled", {W5_STIFF_SMOOTH, W5_STIFF_SMOOTH_DOUBLE}},
      {"(c) LuGre; dashed: sigma^0_1 doubled", {W5_STIFF_LUGRE, W5_STIFF_LUGRE_DOUBLE}}}},
};

static double value_of(const wojtyra_row *r, int quantity) {
    switch (quantity) {
    case 0:
        return r->F1;
    case 1:
        return r->F2;
    case 2:
        return fabs(r->N1) > 0 ? fabs(r->F1 / r->N1) : NAN;
    default:
        return fabs(r->N2) > 0 ? fabs(r->F2 / r->N2) : NAN;
    }
}

// The lines of one panel: of quantity and quantity + 1, of each run. x and y hold them all.
static int fill_lines(wojtyra_run *const runs[2], int quantity, double *x, double *y, plot_line *lines,
                      char (*label)[48]) {
    static const char *const names[4] = {"F1", "F2", "|F1|/|N1|", "|F2|/|N2|"};
    int n = 0;
    for (int r = 0; r < 2 && runs[r]; r++)
        for (int q = quantity; q < quantity + 2; q++, n++) {
            double *line = y + (size_t)n * WOJTYRA_ROWS;
            for (int k = 0; k < WOJTYRA_ROWS; k++) {
                x[k] = runs[r]->row[k].t;
                line[k] = value_of(&runs[r]->row[k], q);
            }
            snprintf(label[n], sizeof label[n], "%s%s", names[q], r ? ", doubled" : "");
            lines[n] = (plot_line){.label = label[n], .x = x, .y = line, .count = WOJTYRA_ROWS, .dashed = r};
        }
    return n;
}

static br_status draw_part(papers_run *run, const part *p, plot_sheet *sheet, double *memory,
                           br_error *error) {
    wojtyra_run *runs[2] = {NULL};
    br_status status = BR_OK;
    for (int r = 0; r < 2 && status == BR_OK; r++)
        if (p->runs[r] >= 0) status = wojtyra_get(run, (wojtyra_case)p->runs[r], &runs[r], error);
    for (int side = 0; side < 2 && status == BR_OK; side++) {
        char label[LINES][48], title[96];
        plot_line lines[LINES];
        plot_figure g = {.x_label = "time, s",
                         .y_label = side ? "|F|/|N|" : "friction force, N",
                         .title = title,
                         .lines = lines,
                         .x_to = 4,
                         .y_least = side ? 0.5 : 0};
        snprintf(title, sizeof title, "%s", p->title);
        g.line_count = fill_lines(runs, 2 * side, memory, memory + WOJTYRA_ROWS, lines, label);
        plot_sheet_panel(sheet, &g);
    }
    return status;
}

static br_status draw_figure(papers_run *run, int figure, FILE *out, br_error *error) {
    double *memory = malloc((1 + LINES) * (size_t)WOJTYRA_ROWS * sizeof *memory);
    br_status status = BR_OK;
    if (!memory) return cli_no_memory(error, "not enough memory");
    plot_sheet sheet = plot_sheet_begin(out, figures[figure].title, figures[figure].count, 2);
    for (int k = 0; k < figures[figure].count && status == BR_OK; k++)
        status = draw_part(run, &figures[figure].part[k], &sheet, memory, error);
    plot_sheet_end(&sheet);
    free(memory);
    return status;
}

const papers_figure wojtyra_figures[WOJTYRA_FIGURES] = {
    {"wojtyra_fig_4", draw_figure}, {"wojtyra_fig_5", draw_figure}, {"wojtyra_fig_6", draw_figure},
    {"wojtyra_fig_8", draw_figure}, {"wojtyra_fig_9", draw_figure},
};
