// The matrix of elements and steppers, see matrix.h.
#include "check/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/judgement.h"
#include "model.h"

enum { MATRIX_TEXT = 8192, MATRIX_STEPS = 20 };

#define MATRIX_STEP 1e-3 // s

typedef enum matrix_answer {
    MATRIX_APART, // cannot be in one model
    MATRIX_REFUSES,
    MATRIX_FAILS, // a step did not succeed
    MATRIX_GAINS, // energy is in no book, or came from what may only take it
    MATRIX_PART,
    MATRIX_TAKES,
} matrix_answer;

static const char *const answer_words[] = {"apart", "refuses", "fails", "gains", "in part", "takes"};

typedef struct matrix_cell {
    matrix_answer answer;
    double made; // by the time stepping, which has a book: part of the energy at play
    int reason;  // of an element alone: its number in the list of reasons
    char code[64];
    char text[BR_MAX_ERROR_TEXT];
} matrix_cell;

// ---------------------------------------------------------------------------------------------------------- models

typedef struct matrix_text {
    char text[MATRIX_TEXT];
    size_t used;
} matrix_text;

// @ is the element's own prefix, ~ its place.
static void write_part(matrix_text *t, const char *lines, int which) {
    for (const char *c = lines; c && *c && t->used + 8 < sizeof t->text; c++) {
        if (*c == '@')
            t->used += (size_t)snprintf(t->text + t->used, 8, "%c_", 'a' + which);
        else if (*c == '~')
            t->used += (size_t)snprintf(t->text + t->used, 8, "%d", 5 * which);
        else
            t->text[t->used++] = *c;
    }
    t->text[t->used] = '\0';
}

static void write_section(matrix_text *t, const char *key, const char *const part[2]) {
    if (!part[0] && !part[1]) return;
    write_part(t, key, 0);
    for (int k = 0; k < 2; k++) write_part(t, part[k], k);
}

static void write_contact(matrix_text *t, const matrix_element *const e[2]) {
    const char *pairs[2] = {e[0]->pairs, e[1] ? e[1]->pairs : NULL};
    if (!pairs[0] && !pairs[1]) return;
    write_part(t, "materials: {g: {}", 0);
    for (int k = 0; k < 2; k++)
        if (pairs[k]) write_part(t, ", @m: {}", k);
    write_part(t, "}\n", 0);
    write_section(t, "pairs:\n", pairs);
    write_part(t, "ground: [{plane: {normal: [0, 0, 1]}, material: g}]\n", 0);
    for (int k = 0; k < 2; k++) {
        if (!e[k] || !e[k]->law) continue;
        write_part(t, "contact: {law: ", 0), write_part(t, e[k]->law, 0), write_part(t, "}\n", 0);
        return;
    }
}

// A soft spring makes one system of two elements.
static void write_tie(matrix_text *t, const matrix_element *const e[2]) {
    if (!e[1]) return;
    write_part(t, "loads:\n  tie: {spring: [", 0);
    write_part(t, e[0]->body ? e[0]->body : "@b", 0);
    write_part(t, ", ", 0);
    write_part(t, e[1]->body ? e[1]->body : "@b", 1);
    write_part(t, "], stiffness: 1, damping: 0.1}\n", 0);
}

static void write_model(matrix_text *t, const matrix_element *const e[2], br_stepper stepper) {
    const int driven = br_stepper_traits_of(stepper)->prescribed;
#define PART(field) ((const char *const[2]){e[0]->field, e[1] ? e[1]->field : NULL})
    t->used = 0;
    write_part(t, "format: 1\n", 0);
    write_section(t, "bodies:\n", PART(bodies));
    write_section(t, "joints:\n", PART(joints));
    write_section(t, "constraints:\n", PART(constraints));
    write_section(t, "beams:\n", PART(beams));
    write_section(t, "clearances:\n", PART(clearances));
    const char *const drives[2] = {e[0]->drives, e[1] ? e[1]->drives : NULL};
    const char *const more[2] = {driven ? e[0]->driven : NULL, driven && e[1] ? e[1]->driven : NULL};
    write_section(t, "drives:\n", drives[0] || drives[1] ? drives : more);
    if (drives[0] || drives[1])
        for (int k = 0; k < 2; k++) write_part(t, more[k], k);
#undef PART
    write_contact(t, e);
    write_tie(t, e);
    write_part(t, "solver: {step: 1 ms, stepper: ", 0);
    write_part(t, br_stepper_name(stepper), 0);
    write_part(t, "}\n", 0);
}

// --------------------------------------------------------------------------------------------------------- answers

static void fill_cell(matrix_cell *cell, matrix_answer answer, const char *code, const char *text) {
    cell->answer = answer;
    snprintf(cell->code, sizeof cell->code, "%s", code);
    snprintf(cell->text, sizeof cell->text, "%s", text);
}

// The reason of a run's own judgement that is energy in no book, or given by what may only take it; NULL: it has none.
static const br_reason *gain_of(const br_sim *sim, const br_judgement *j) {
    const int appeared = br_sim_ledger(sim).unaccounted > fmax(j->limit * j->size, j->least);
    for (int k = 0; k < j->reasons; k++) {
        const br_reason *r = &j->reason[k];
        const int takes =
            r->what == BR_REASON_IMPACT || r->what == BR_REASON_DAMPING || r->what == BR_REASON_FRICTION;
        if (r->fails && (takes || (r->what == BR_REASON_ENERGY && appeared))) return r;
    }
    return NULL;
}

static int ran(const matrix_cell *cell) {
    return cell->answer >= MATRIX_GAINS;
}

// What a run asks, and then the run itself.
static void try_cell(const matrix_element *const e[2], br_stepper stepper, matrix_cell *cell) {
    matrix_text t;
    br_model *model = NULL;
    br_sim *sim = NULL;
    br_dropped dropped;
    br_judgement judgement;
    const br_reason *gain = NULL;
    br_error error;
    memset(&error, 0, sizeof error);
    if (e[1] && e[0]->law && e[1]->law && strcmp(e[0]->law, e[1]->law) != 0) {
        fill_cell(cell, MATRIX_APART, "", "a model has one contact law");
        return;
    }
    write_model(&t, e, stepper);
    br_status status = br_model_read_text(t.text, t.used, "matrix", NULL, 0, NULL, &model, NULL, &error);
    if (status == BR_OK) status = br_model_runnable(model, &error);
    if (status == BR_OK) status = br_sim_create(model, NULL, &sim, &error);
    if (status == BR_OK) status = br_sim_advance(sim, MATRIX_STEPS * MATRIX_STEP, &error);
    if (status == BR_OK) br_sim_judge(sim, &judgement), gain = gain_of(sim, &judgement);
    if (status != BR_OK)
        fill_cell(cell, status == BR_NUMERICAL ? MATRIX_FAILS : MATRIX_REFUSES, error.code ? error.code : "",
                  error.message);
    else if (gain)
        fill_cell(cell, MATRIX_GAINS, br_reason_name(gain->what), gain->text);
    else if (br_model_dropped(model, 0, &dropped))
        fill_cell(cell, MATRIX_PART, dropped.key, dropped.text);
    else
        fill_cell(cell, MATRIX_TAKES, "", "");
    if (status == BR_OK && judgement.gain > judgement.least) cell->made = judgement.gain / judgement.size;
    br_sim_destroy(sim);
    br_model_destroy(model);
}

// [first][second][stepper]; the diagonal is the element alone.
static matrix_cell *matrix_at(matrix_cell *all, int first, int second, int stepper) {
    return &all[(first * matrix_element_count + second) * BR_STEPPERS + stepper];
}

static matrix_cell *fill_matrix(void) {
    const int n = matrix_element_count;
    matrix_cell *all = calloc((size_t)(n * n * BR_STEPPERS), sizeof *all);
    for (int i = 0; all && i < n; i++)
        for (int k = i; k < n; k++)
            for (int s = 0; s < BR_STEPPERS; s++) {
                const matrix_element *const e[2] = {&matrix_elements[i], k > i ? &matrix_elements[k] : NULL};
                try_cell(e, (br_stepper)s, matrix_at(all, i, k, s));
            }
    return all;
}

// ---------------------------------------------------------------------------------------------------------- text

// Cells of one text share a number, from 1 in the order in which they are printed.
static void number_reasons(matrix_cell *all) {
    const int n = matrix_element_count * BR_STEPPERS;
    int last = 0;
    for (int c = 0; c < n; c++) {
        matrix_cell *cell = matrix_at(all, c / BR_STEPPERS, c / BR_STEPPERS, c % BR_STEPPERS);
        if (cell->answer == MATRIX_TAKES) continue;
        for (int d = 0; d < c && cell->reason == 0; d++) {
            const matrix_cell *other = matrix_at(all, d / BR_STEPPERS, d / BR_STEPPERS, d % BR_STEPPERS);
            if (strcmp(other->text, cell->text) == 0) cell->reason = other->reason;
        }
        if (cell->reason == 0) cell->reason = ++last;
    }
}

static void print_alone(matrix_cell *all) {
    int shown = 0;
    number_reasons(all);
    printf("%-32s", "element");
    for (int s = 0; s < BR_STEPPERS; s++)
        printf(s + 1 < BR_STEPPERS ? "%-14s" : "%s\n", br_stepper_name((br_stepper)s));
    for (int i = 0; i < matrix_element_count; i++) {
        printf("%-32s", matrix_elements[i].name);
        for (int s = 0; s < BR_STEPPERS; s++) {
            matrix_cell *cell = matrix_at(all, i, i, s);
            char text[32];
            if (cell->answer == MATRIX_TAKES)
                snprintf(text, sizeof text, "takes");
            else
                snprintf(text, sizeof text, "%s (%d)", answer_words[cell->answer], cell->reason);
            printf(s + 1 < BR_STEPPERS ? "%-14s" : "%s\n", text);
        }
    }
    printf("reasons\n");
    for (int i = 0; i < matrix_element_count; i++)
        for (int s = 0; s < BR_STEPPERS; s++) {
            const matrix_cell *cell = matrix_at(all, i, i, s);
            if (cell->reason > shown) printf("%4d  %s\n", shown = cell->reason, cell->text);
        }
}

static int is_taken(const matrix_cell *cell) {
    return cell->answer == MATRIX_TAKES || cell->answer == MATRIX_PART;
}

// Pairs of elements that each are taken alone, and that one model can have.
static int is_asked(matrix_cell *all, int i, int k, int s) {
    return matrix_at(all, i, k, s)->answer != MATRIX_APART && is_taken(matrix_at(all, i, i, s)) &&
           is_taken(matrix_at(all, k, k, s));
}

// Pairs that are refused for a reason that neither element has alone, a line for each reason and first element.
static void print_together(matrix_cell *all, int s) {
    const int n = matrix_element_count;
    for (int i = 0; i < n; i++) {
        const char *last = NULL;
        for (int k = i + 1; k < n; k++) {
            const matrix_cell *cell = matrix_at(all, i, k, s);
            if (!is_asked(all, i, k, s) || is_taken(cell)) continue;
            if (!last || strcmp(last, cell->code) != 0)
                printf("%s            %s: %s beside", last ? "\n" : "", cell->code, matrix_elements[i].name);
            printf("%s %s", last && strcmp(last, cell->code) == 0 ? "," : "", matrix_elements[k].name);
            last = cell->code;
        }
        if (last) putchar('\n');
    }
}

static void print_beside(matrix_cell *all) {
    const int n = matrix_element_count;
    printf("beside each other, tied by a spring: pairs of elements that one model can have and the stepper "
           "takes "
           "alone\n");
    for (int s = 0; s < BR_STEPPERS; s++) {
        int pairs = 0, taken = 0;
        for (int i = 0; i < n; i++)
            for (int k = i + 1; k < n; k++) {
                const matrix_cell *cell = matrix_at(all, i, k, s);
                if (is_asked(all, i, k, s)) pairs++, taken += is_taken(cell);
            }
        printf("%-11s takes %d of %d%s\n", br_stepper_name((br_stepper)s), taken, pairs,
               taken < pairs ? "; not together" : "");
        print_together(all, s);
    }
}

// Every run is judged by its own books. What the time stepping made is in one, and a run says so above its limit of 2 %.
static void print_energy(matrix_cell *all) {
    const int n = matrix_element_count;
    const matrix_cell *most = all;
    int runs = 0, gains = 0;
    for (int i = 0; i < n; i++)
        for (int k = i; k < n; k++)
            for (int s = 0; s < BR_STEPPERS; s++) {
                const matrix_cell *cell = matrix_at(all, i, k, s);
                runs += ran(cell), gains += cell->answer == MATRIX_GAINS;
                if (cell->made > most->made) most = cell;
            }
    printf(
        "energy      of %d runs %d have energy that no book names; the time stepping made at most %.2g %%\n",
        runs, gains, 100.0 * most->made);
    for (int i = 0; gains > 0 && i < n; i++)
        for (int k = i; k < n; k++)
            for (int s = 0; s < BR_STEPPERS; s++) {
                const matrix_cell *cell = matrix_at(all, i, k, s);
                if (cell->answer != MATRIX_GAINS) continue;
                printf("            %s%s%s, %s: %s\n", matrix_elements[i].name, k > i ? " beside " : "",
                       k > i ? matrix_elements[k].name : "", br_stepper_name((br_stepper)s), cell->text);
            }
}

// ---------------------------------------------------------------------------------------------------------- JSON

static void json_cells(br_json *json, matrix_cell *all) {
    br_json cells = br_json_list(json, "cells");
    for (int i = 0; i < matrix_element_count; i++)
        for (int k = i; k < matrix_element_count; k++)
            for (int s = 0; s < BR_STEPPERS; s++) {
                const matrix_cell *cell = matrix_at(all, i, k, s);
                br_json o = br_json_object(&cells, NULL);
                br_json_string(&o, "element", matrix_elements[i].name);
                br_json_string(&o, "beside", k > i ? matrix_elements[k].name : NULL);
                br_json_string(&o, "stepper", br_stepper_name((br_stepper)s));
                br_json_string(&o, "answer", answer_words[cell->answer]);
                br_json_string(&o, "code", cell->code[0] ? cell->code : NULL);
                br_json_string(&o, "text", cell->text[0] ? cell->text : NULL);
                br_json_number(&o, "made", ran(cell) ? cell->made : NAN);
                br_json_close_object(&o);
            }
    br_json_close_list(&cells);
}

int check_matrix(int json) {
    br_error error;
    matrix_cell *all = fill_matrix();
    if (!all) {
        cli_no_memory(&error, "not enough memory");
        return cli_fail(&error, "matrix");
    }
    if (json) {
        br_json out = br_json_begin(stdout);
        br_json_whole(&out, "steps", MATRIX_STEPS);
        json_cells(&out, all);
        br_json_end(&out);
    } else {
        print_alone(all);
        print_beside(all);
        print_energy(all);
    }
    free(all);
    return EXIT_FINE;
}
