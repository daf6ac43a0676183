// What bristle compare prints: the table, the paper's own figures beside it, which law is biased, JSON and CSV.
#include <math.h>
#include <string.h>

#include "compare/compare.h"
#include "papers/papers.h"

typedef struct field {
    const char *key; // in JSON and CSV
    compare_quantity quantity;
} field;

static const field fields[] = {
    {"seconds_per_step", COMPARE_SECONDS},
    {"force_deviation", COMPARE_FORCE_DEVIATION},
    {"misalignment_deg", COMPARE_MISALIGNMENT},
    {"position_error", COMPARE_POSITION},
    {"energy_error", COMPARE_ENERGY},
    {"creep", COMPARE_CREEP},
    {"stop_time", COMPARE_STOP},
    {"force_deviation_sliding", COMPARE_FORCE_SLIDING},
    {"force_error_sliding", COMPARE_FORCE_SLIDING_LARGEST},
    {"position_error_largest", COMPARE_POSITION_LARGEST},
    {"position_error_m", COMPARE_POSITION_M},
    {"position_error_m_largest", COMPARE_POSITION_M_LARGEST},
    {"energy_error_sliding", COMPARE_ENERGY_SLIDING},
};
enum { FIELDS = sizeof fields / sizeof *fields };

// ---------------------------------------------------------------------------------------------------- the table

typedef struct column {
    const char *head, *unit;
    compare_quantity quantity;
    int width, digits;
    double scale, least; // below `least` a value is called that: the rest is rounding, or no finding
} column;

enum { COLUMNS = 8, POSITION_COLUMN = 2 };

static const column columns[COLUMNS] = {
    {"force dev.", "%, RMS", COMPARE_FORCE_DEVIATION, 11, 3, 1, 1e-3},
    {"misalign.", "deg, RMS", COMPARE_MISALIGNMENT, 11, 3, 1, 1e-3},
    {"position", "%", COMPARE_POSITION, 11, 3, 1, 1e-6},
    {"largest", "%", COMPARE_POSITION_LARGEST, 10, 3, 1, 1e-6},
    {"energy", "J", COMPARE_ENERGY, 10, 3, 1, 1e-6},
    {"creep", "m/s", COMPARE_CREEP, 10, 2, 1, 1e-9},
    {"stop", "s", COMPARE_STOP, 11, 7, 1, 0},
    {"time", "us/step", COMPARE_SECONDS, 9, 3, 1e6, 0},
};
// Where the reference is at rest there is no distance to be relative to.
static const column at_rest[2] = {{"position", "m", COMPARE_POSITION_M, 11, 3, 1, 1e-12},
                                  {"largest", "m", COMPARE_POSITION_M_LARGEST, 10, 3, 1, 1e-12}};

enum { LABEL_WIDTH = 18 };

static void print_cell(FILE *out, const column *c, double value) {
    char text[32] = "-";
    if (isfinite(value) && value != 0 && value < c->least)
        snprintf(text, sizeof text, "< %g", c->least);
    else if (isfinite(value))
        snprintf(text, sizeof text, "%.*g", c->digits, value * c->scale);
    fprintf(out, "%*s", c->width, text);
}

// What the paper has for this model and law, in the same columns; nothing when it has nothing.
static void print_printed(FILE *out, const compare_job *j, const compare_row *row) {
    const char *model = br_model_name(j->source.model), *paper = NULL;
    double value[COLUMNS];
    int count = 0; // up to the last that there is
    for (int k = 0; k < COLUMNS; k++) {
        value[k] = papers_printed(model, row->c.law, columns[k].quantity, &paper, NULL);
        if (isfinite(value[k])) count = k + 1;
    }
    if (count == 0) return;
    char label[COMPARE_MAX_LABEL];
    snprintf(label, sizeof label, "  %s", paper);
    fprintf(out, "%-*s", LABEL_WIDTH, label);
    for (int k = 0; k < count; k++) {
        char text[32] = "";
        if (isfinite(value[k])) snprintf(text, sizeof text, "%.3g", value[k] * columns[k].scale);
        fprintf(out, "%*s", columns[k].width, text);
    }
    fputc('\n', out);
}

static const column *column_at(const compare_job *j, int k) {
    const int rests = isnan(j->row[j->reference].m.value[COMPARE_POSITION_LARGEST]);
    return rests && k >= POSITION_COLUMN && k < POSITION_COLUMN + 2 ? &at_rest[k - POSITION_COLUMN]
                                                                    : &columns[k];
}

static int is_first_of_law(const compare_job *j, int i) {
    for (int k = 0; k < i; k++)
        if (strcmp(j->row[k].c.law, j->row[i].c.law) == 0) return 0;
    return 1;
}

static void print_rows(FILE *out, const compare_job *j, int printed) {
    fprintf(out, "%-*s", LABEL_WIDTH, "law");
    for (int k = 0; k < COLUMNS; k++) fprintf(out, "%*s", columns[k].width, columns[k].head);
    fprintf(out, "\n%-*s", LABEL_WIDTH, "");
    for (int k = 0; k < COLUMNS; k++) fprintf(out, "%*s", columns[k].width, column_at(j, k)->unit);
    fputc('\n', out);
    for (int i = 0; i < j->count; i++) {
        const compare_row *row = &j->row[i];
        fprintf(out, "%-*s", LABEL_WIDTH, row->c.label);
        for (int k = 0; k < COLUMNS; k++)
            print_cell(out, column_at(j, k), row->m.value[column_at(j, k)->quantity]);
        fputc('\n', out);
        if (printed && is_first_of_law(j, i)) print_printed(out, j, row);
    }
}

// For a page: {columns: [{label, unit}], rows: [{label, values}], reference, notes}.
void compare_report_table(FILE *out, const compare_job *j) {
    br_json json = br_json_begin(out);
    br_json list = br_json_list(&json, "columns");
    for (int k = 0; k < COLUMNS; k++) {
        const column *c = column_at(j, k);
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "label", c->head);
        br_json_string(&o, "unit", c->unit);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    list = br_json_list(&json, "rows");
    for (int i = 0; i < j->count; i++) {
        double value[COLUMNS];
        for (int k = 0; k < COLUMNS; k++)
            value[k] = j->row[i].m.value[column_at(j, k)->quantity] * column_at(j, k)->scale;
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "label", j->row[i].c.label);
        br_json_numbers(&o, "values", value, COLUMNS);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
    br_json_string(&json, "reference", j->row[j->reference].c.label);
    br_json_lines(&json, "notes", j->note);
    br_json_end(&json);
}

// ------------------------------------------------------------------------------------------------------ sentences

static const char *bias_of(const char *law) {
    return br_contact_law_traits_of(law)->bias;
}

static const compare_quantity bias_shows[] = {COMPARE_MISALIGNMENT, COMPARE_POSITION,
                                              COMPARE_FORCE_DEVIATION};
// Smaller than this it is no finding, whatever the other laws have: degrees, percent, percentage points.
static const double bias_least[] = {0.1, 0.01, 0.1};
static const double BIAS_FACTOR = 2; // times the worst of the laws without a preferred direction

static double worst_of_others(const compare_job *j, compare_quantity q) {
    double worst = 0;
    for (int i = 0; i < j->coulomb; i++)
        if (!bias_of(j->row[i].c.law) && j->row[i].m.value[q] > worst) worst = j->row[i].m.value[q];
    return worst;
}

static void print_bias(FILE *out, const compare_job *j) {
    static const char *const words[] = {"deg of misalignment", "% of position error", "% of force deviation"};
    for (int i = 0; i < j->coulomb; i++) {
        const compare_row *row = &j->row[i];
        if (!bias_of(row->c.law)) continue;
        for (int k = 0; k < 3; k++) {
            const double value = row->m.value[bias_shows[k]], others = worst_of_others(j, bias_shows[k]);
            if (!(value > BIAS_FACTOR * others && value > bias_least[k])) continue;
            fprintf(out,
                    "bias        %s prefers directions: %s; here %.3g %s, the laws without a preferred "
                    "direction %s %.3g\n",
                    row->c.label, bias_of(row->c.law), value, words[k],
                    others < bias_least[k] ? "less than" : "at most", fmax(others, bias_least[k]));
            break;
        }
    }
}

// How the error falls where a law was run with several steps.
static void print_orders(FILE *out, const compare_job *j) {
    for (int i = 0; i < j->coulomb; i++)
        for (int k = i + 1; k < j->coulomb; k++) {
            const compare_row *a = &j->row[i], *b = &j->row[k];
            if (strcmp(a->c.law, b->c.law) != 0 || a->c.step == b->c.step) continue;
            const double ea = a->m.value[COMPARE_POSITION_M], eb = b->m.value[COMPARE_POSITION_M];
            if (ea > 0 && eb > 0)
                fprintf(out, "steps       %s: position error at %.6g s %.3g m and %.3g m, ratio %.3g\n",
                        a->c.law, j->at, ea, eb, ea / eb);
        }
}

// The scene as the program carries it, up to settings (law, step, scheme)? Printed figures belong to that one only.
static int is_papers_model(const compare_job *j) {
    const char *name = br_model_name(j->source.model);
    const papers_scene *scene = papers_scene_find(name);
    compare_source s;
    br_model *model = NULL;
    br_error error;
    if (!scene || compare_open_text(scene->text, scene->size, name, NULL, 0, &s, &error) != BR_OK) return 0;
    const int same = br_builder_settings(j->source.builder, br_model_settings(s.model), &error) == BR_OK &&
                     br_model_create(j->source.builder, &model, &error) == BR_OK &&
                     br_model_hash(s.model) == br_model_hash(model);
    br_model_destroy(model);
    compare_close(&s);
    return same;
}

static void print_papers_notes(FILE *out, const compare_job *j, int printed) {
    const char *name = br_model_name(j->source.model), *told[COMPARE_MAX_CASES];
    int count = 0;
    if (!printed && papers_prints(name))
        fprintf(out,
                "note        this is not %s as the program carries it: the paper's figures are left out\n",
                name);
    for (int i = 0; printed && i < j->count; i++)
        for (int k = 0; k < COLUMNS; k++) {
            const papers_row *row = NULL;
            papers_printed(name, j->row[i].c.law, columns[k].quantity, NULL, &row);
            int is_told = !row || !row->note || count == COMPARE_MAX_CASES;
            for (int n = 0; !is_told && n < count; n++) is_told = strcmp(told[n], row->note) == 0;
            if (is_told) continue;
            fprintf(out, "note        %s: %s\n", row->quantity, row->note);
            told[count++] = row->note;
        }
}

static void print_failures(FILE *out, const compare_job *j) {
    for (int i = 0; i < j->count; i++)
        if (j->row[i].trace.status != BR_OK)
            fprintf(out, "failed      %s at t = %.6g s: %s\n", j->row[i].c.label,
                    j->row[i].trace.sample[j->row[i].trace.count - 1].t, j->row[i].trace.error.message);
}

static int touches(const compare_job *j) {
    for (int i = 0; i < j->count; i++)
        if (j->row[i].trace.pair_count > 0) return 1;
    return 0;
}

void compare_report_text(FILE *out, const compare_job *j) {
    const compare_row *reference = &j->row[j->reference];
    const int printed = is_papers_model(j);
    fprintf(out, "model       %s (%s)\n", br_model_name(j->source.model), j->path);
    fprintf(out, "window      0 to %.6g s, a sample every %.6g s; position error at %.7g s\n", j->until,
            j->grid, j->at);
    fprintf(out, "against     %s%s\n", reference->c.label,
            reference->c.stepper == BR_STEPPER_REFERENCE ? ": exact Coulomb friction, events located" : "");
    if (j->note[0]) fprintf(out, "note        %s\n", j->note);
    if (!touches(j)) fprintf(out, "note        nothing touches: the laws make no difference\n");
    cli_print_notes(out, j->source.notes);
    fputc('\n', out);
    print_rows(out, j, printed);
    fputc('\n', out);
    print_bias(out, j);
    print_orders(out, j);
    print_papers_notes(out, j, printed);
    print_failures(out, j);
}

// --------------------------------------------------------------------------------------------------- JSON and CSV

static void json_printed(br_json *json, const compare_job *j, const compare_row *row, int printed) {
    const char *model = br_model_name(j->source.model);
    br_json o = {NULL, 0};
    for (int k = 0; printed && k < FIELDS; k++) {
        const double value = papers_printed(model, row->c.law, fields[k].quantity, NULL, NULL);
        if (!isfinite(value)) continue;
        if (!o.out) o = br_json_object(json, "printed");
        br_json_number(&o, fields[k].key, value);
    }
    if (o.out)
        br_json_close_object(&o);
    else
        br_json_null(json, "printed");
}

static void json_row(br_json *list, const compare_job *j, int i, int printed) {
    const compare_row *row = &j->row[i];
    br_json o = br_json_object(list, NULL);
    br_json_string(&o, "law", row->c.law);
    br_json_string(&o, "stepper", br_stepper_name(row->c.stepper));
    br_json_number(&o, "step", row->c.step);
    for (int k = 0; k < FIELDS; k++) br_json_number(&o, fields[k].key, row->m.value[fields[k].quantity]);
    br_json_number(&o, "force_deviation_coulomb", row->coulomb.value[COMPARE_FORCE_DEVIATION]);
    br_json_number(&o, "force_deviation_sliding_coulomb", row->coulomb.value[COMPARE_FORCE_SLIDING]);
    br_json_number(&o, "position_error_coulomb", row->coulomb.value[COMPARE_POSITION]);
    br_json_number(&o, "energy_error_coulomb", row->coulomb.value[COMPARE_ENERGY]);
    br_json_string(&o, "against", j->row[j->reference].c.label);
    br_json_bool(&o, "is_reference", i == j->reference);
    br_json_number(&o, "at", j->at);
    br_json_number(&o, "until", j->until);
    br_json_whole(&o, "steps", row->trace.ledger.steps);
    br_json_number(&o, "penetration", row->trace.ledger.penetration);
    br_json_number(&o, "cone_violation", row->trace.ledger.cone_violation);
    br_json_whole(&o, "contacts", row->trace.ledger.contacts);
    json_printed(&o, j, row, printed);
    br_json_string(&o, "error", row->trace.status == BR_OK ? NULL : row->trace.error.message);
    br_json_string(&o, "note", j->note[0] ? j->note : NULL);
    br_json_close_object(&o);
}

void compare_report_json(FILE *out, const compare_job *j) {
    const int printed = is_papers_model(j);
    br_json list = {out, 0};
    fputc('[', out);
    for (int i = 0; i < j->count; i++) json_row(&list, j, i, printed);
    fputs("]\n", out);
}

static void csv_number(FILE *out, double value) { // not defined: an empty cell
    if (isfinite(value))
        fprintf(out, ",%.17g", value);
    else
        fputc(',', out);
}

int compare_report_csv(FILE *out, const compare_job *j) {
    fputs("law,stepper,step", out);
    for (int k = 0; k < FIELDS; k++) fprintf(out, ",%s", fields[k].key);
    fputc('\n', out);
    for (int i = 0; i < j->count; i++) {
        const compare_row *row = &j->row[i];
        fprintf(out, "%s,%s,%.17g", row->c.law, br_stepper_name(row->c.stepper), row->c.step);
        for (int k = 0; k < FIELDS; k++) csv_number(out, row->m.value[fields[k].quantity]);
        fputc('\n', out);
    }
    return !ferror(out);
}

// Labels hold ", ": not in a table that is separated by commas.
static void csv_heads(FILE *out, const char *label) {
    static const char *const names[] = {"force_ratio", "position_error", "energy_error", "misalignment_deg"};
    for (int k = 0; k < 4; k++) {
        fputc(',', out);
        for (const char *p = label; *p; p++)
            if (*p != ',' && *p != ' ')
                fputc(*p, out);
            else if (*p == ' ')
                fputc('_', out);
        fprintf(out, ".%s", names[k]);
    }
}

int compare_report_series(FILE *out, const compare_job *j) {
    const compare_trace *ref = &j->row[j->reference].trace;
    fputc('t', out);
    for (int i = 0; i < j->count; i++) csv_heads(out, j->row[i].c.label);
    fputc('\n', out);
    for (int k = 0; k < ref->count; k++) {
        fprintf(out, "%.17g", ref->sample[k].t);
        for (int i = 0; i < j->count; i++) {
            const compare_trace *r = &j->row[i].trace;
            const int there = k < r->count;
            csv_number(out, there ? compare_force_ratio(r, k) : NAN);
            csv_number(out, there ? compare_position_error(r, ref, k) : NAN);
            csv_number(out, there ? r->sample[k].energy - ref->sample[k].energy : NAN);
            csv_number(out, there ? r->sample[k].misalignment : NAN);
        }
        fputc('\n', out);
    }
    return !ferror(out);
}
