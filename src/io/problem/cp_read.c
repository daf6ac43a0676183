#include "io/problem/cp_read.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/problem/cp_names.h"

typedef struct reader {
    io_text *text;
    br_arena *keep, *scratch;
    io_data *data;
    br_error *error;
    io_place last; // the matrix or vector read last: where a surplus entry belongs
} reader;

static const io_token HERE = {NULL, NULL}; // the current line as a whole

static br_status out_of_memory(reader *r) {
    return br_io_text_fail(r->text, HERE, r->error, BR_NO_MEMORY, "out-of-memory",
                           "not enough memory to read it");
}

// ------------------------------------------------------------------------------------- words and numbers of a line

static br_status end_of_line(reader *r, const char *after) {
    io_token token;
    char shown[IO_SHOWN];
    if (!br_io_text_token(r->text, &token)) return BR_OK;
    return br_io_text_fail(r->text, token, r->error, BR_PARSE, "cp-trailing",
                           "%s is followed by '%s', expected the end of the line", after,
                           br_io_show(token, shown));
}

static br_status not_finite(reader *r, io_token token, const char *what, io_number kind) {
    char shown[IO_SHOWN];
    br_io_show(token, shown);
    if (kind == IO_NUMBER_BAD)
        return br_io_text_fail(r->text, token, r->error, BR_PARSE, "cp-not-a-number",
                               "%s is '%s', expected a number", what, shown);
    return br_io_text_fail(r->text, token, r->error, BR_INVALID, "cp-not-finite",
                           "%s is %s, expected a finite number%s", what, shown,
                           kind == IO_NUMBER_OVERFLOW ? " (at most 1.8e308)" : "");
}

// A size or count of the file: a whole number that is not negative and that the file could possibly back up. A row or
// column takes at least a quarter of a byte (three rows of one contact share a line of mu and may have no other
// entry), so what is taken from memory stays in proportion to the file.
static br_status read_size(reader *r, const char *what, long long most, int *out) {
    io_token token;
    char shown[IO_SHOWN];
    long long value;
    if (!br_io_text_token(r->text, &token))
        return br_io_text_fail(r->text, token, r->error, BR_PARSE, "cp-missing-number",
                               "%s is missing at the end of the line", what);
    br_io_show(token, shown);
    if (!br_io_parse_integer(token, &value))
        return br_io_text_fail(r->text, token, r->error, BR_PARSE, "cp-not-a-number",
                               "%s is '%s', expected a whole number", what, shown);
    if (value < 0)
        return br_io_text_fail(r->text, token, r->error, BR_INVALID, "cp-negative-size",
                               "%s is %s, expected >= 0", what, shown);
    if (value > BR_MAX_FILE_ENTRIES)
        return br_io_text_fail(r->text, token, r->error, BR_TOO_LARGE, "cp-too-large",
                               "%s is %s, at most %d are read", what, shown, BR_MAX_FILE_ENTRIES);
    if (value > most)
        return br_io_text_fail(r->text, token, r->error, BR_TOO_LARGE, "cp-too-large",
                               "%s is %s, more than a file of %ld bytes can describe", what, shown,
                               (long)(r->text->end - r->text->data));
    *out = (int)value;
    return BR_OK;
}

static long long most_rows(const reader *r) {
    const long long bytes = r->text->end - r->text->data;
    return 4 * bytes < BR_MAX_FILE_ENTRIES ? 4 * bytes : BR_MAX_FILE_ENTRIES;
}

// --------------------------------------------------------------------------------------------------- entries

// Where the entries of a section run out: the end of the file or the next heading.
static br_status too_few(reader *r, const io_place *place, int declared, int found, int at_end) {
    const int more = declared - found;
    char shown[IO_SHOWN];
    if (at_end)
        return br_io_text_fail(
            r->text, HERE, r->error, BR_PARSE, "cp-truncated",
            "end of file, expected %d more entr%s of %s (%d declared on line %d, %d found)", more,
            more == 1 ? "y" : "ies", place->label, declared, place->line, found);
    io_token token;
    br_io_text_token(r->text, &token);
    return br_io_text_fail(r->text, token, r->error, BR_PARSE, "cp-too-few",
                           "found '%s', expected %d more entr%s of %s (%d declared on line %d)",
                           br_io_show(token, shown), more, more == 1 ? "y" : "ies", place->label, declared,
                           place->line);
}

// The first byte tells an entry from a heading; inf and nan are numbers here, to be named as such.
static int looks_like_number(const char *p, const char *end) {
    if (p < end && ((*p >= '0' && *p <= '9') || *p == '-' || *p == '+' || *p == '.')) return 1;
    static const char *const words[] = {"inf", "Inf", "INF", "nan", "NaN", "NAN"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (end - p >= 3 && memcmp(p, words[k], 3) == 0) return 1;
    return 0;
}

static br_status next_entry(reader *r, const io_place *place, int declared, int found) {
    if (!br_io_text_next_line(r->text)) return too_few(r, place, declared, found, 1);
    const char c = *r->text->at;
    const int heading = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    if (heading && !looks_like_number(r->text->at, r->text->end))
        return too_few(r, place, declared, found, 0);
    return BR_OK;
}

static br_status read_value(reader *r, const char *label, int may_be_infinite, const int *where, int k,
                            double *out) {
    io_token token;
    char what[96];
    const int has = br_io_text_token(r->text, &token);
    const io_number kind = has ? br_io_parse_double(token, out) : IO_NUMBER_BAD;
    if (kind == IO_NUMBER_FINITE || (kind == IO_NUMBER_INFINITE && may_be_infinite)) return BR_OK;
    if (where)
        snprintf(what, sizeof what, "%s entry (%d, %d)", label, where[0], where[1]);
    else
        snprintf(what, sizeof what, "%s entry %d", label, k);
    if (has) return not_finite(r, token, what, kind);
    return br_io_text_fail(r->text, token, r->error, BR_PARSE, "cp-missing-number",
                           "%s has no value, expected `row column value`", what);
}

static br_status bad_index(reader *r, io_token token, const char *label, const char *which, int limit,
                           int is_whole) {
    char shown[IO_SHOWN];
    br_io_show(token, shown);
    if (token.begin == token.end)
        return br_io_text_fail(r->text, token, r->error, BR_PARSE, "cp-missing-number",
                               "%s: the %s is missing, expected `row column value`", label, which);
    if (!is_whole)
        return br_io_text_fail(r->text, token, r->error, BR_PARSE, "cp-not-a-number",
                               "%s: the %s is '%s', expected a whole number", label, which, shown);
    return br_io_text_fail(r->text, token, r->error, BR_INVALID, "cp-index-range",
                           "%s: the %s is %s, out of range: expected 0 to %d (indices count from 0)", label,
                           which, shown, limit - 1);
}

static br_status read_index(reader *r, const char *label, const char *which, int limit, int *out) {
    io_token token;
    long long value = -1;
    const int is_whole = br_io_text_token(r->text, &token) && br_io_parse_integer(token, &value);
    if (!is_whole || value < 0 || value >= limit) return bad_index(r, token, label, which, limit, is_whole);
    *out = (int)value;
    return BR_OK;
}

// A section says how many entries follow; memory is taken for no more than the bytes that do follow can hold.
static int capacity_for(const reader *r, int declared, int bytes_each) {
    const long possible = (long)(r->text->end - r->text->at) / bytes_each + 1;
    return declared < possible ? declared : (int)possible;
}

// ----------------------------------------------------------------------------------------------------- sections

static br_status already_given(reader *r, io_token name, const io_place *place) {
    return br_io_text_fail(r->text, name, r->error, BR_PARSE, "cp-repeated",
                           "%s was already given on line %d", place->label, place->line);
}

static void set_place(reader *r, io_place *place, const char *kind, io_token name) {
    char shown[IO_SHOWN];
    snprintf(place->label, sizeof place->label, "%s %.22s", kind, br_io_show(name, shown));
    place->line = r->text->line;
    place->entries = r->text->at;
    r->last = *place;
}

static br_status read_triplets(reader *r, const io_place *place, int rows, int columns, int declared,
                               io_triplets *t) {
    enum { SHORTEST_ENTRY = 6 }; // bytes: "0 0 0" and a line end
    const int capacity = capacity_for(r, declared, SHORTEST_ENTRY);
    t->row = BR_TAKE(r->scratch, int, capacity);
    t->column = BR_TAKE(r->scratch, int, capacity);
    t->value = BR_TAKE(r->scratch, double, capacity);
    t->count = declared;
    if (!br_arena_ok(r->scratch)) return out_of_memory(r);
    for (int k = 0; k < declared; k++) {
        int at[2];
        double value = 0;
        br_status status = next_entry(r, place, declared, k);
        if (status == BR_OK) status = read_index(r, place->label, "row", rows, &at[0]);
        if (status == BR_OK) status = read_index(r, place->label, "column", columns, &at[1]);
        if (status == BR_OK) status = read_value(r, place->label, 0, at, k, &value);
        if (status == BR_OK) status = end_of_line(r, "an entry `row column value`");
        if (status != BR_OK) return status;
        t->row[k] = at[0];
        t->column[k] = at[1];
        t->value[k] = value;
    }
    return BR_OK;
}

static br_status repeated_entry(reader *r, const io_matrix *m, int row, int column) {
    const int first = br_io_matrix_line(r->data, m, row, column, 0),
              second = br_io_matrix_line(r->data, m, row, column, 1);
    io_text at = *r->text;
    at.line = second;
    return br_io_text_fail(&at, HERE, r->error, BR_INVALID, "cp-duplicate-entry",
                           "%s: the entry (%d, %d) was already given on line %d; keep one of the two",
                           m->place.label, row, column, first);
}

static br_status compress(reader *r, io_matrix *m, const io_triplets *t, int rows, int columns) {
    if (br_io_sparse_from_triplets(t, rows, columns, r->keep, r->scratch, &m->a) != BR_OK)
        return out_of_memory(r);
    int row, column;
    return br_io_sparse_first_duplicate(&m->a, &row, &column) ? repeated_entry(r, m, row, column) : BR_OK;
}

static br_status read_matrix(reader *r) {
    io_token name;
    char shown[IO_SHOWN], hint[IO_HINT];
    if (!br_io_text_token(r->text, &name))
        return br_io_text_fail(r->text, name, r->error, BR_PARSE, "cp-missing-number",
                               "MATRIX has no name, expected `MATRIX name rows columns entries`");
    const io_section_name *section = br_io_cp_section(IO_SECTION_MATRIX, name, r->data->type);
    if (!section)
        return br_io_text_fail(r->text, name, r->error, BR_PARSE, "cp-unknown-section",
                               "MATRIX %s is not part of %s; %s", br_io_show(name, shown),
                               br_problem_type_name(r->data->type),
                               br_io_cp_hint(IO_SECTION_MATRIX, name, r->data->type, hint));
    io_matrix *m = &r->data->matrix[section->role];
    if (m->present) return already_given(r, name, &m->place);
    int rows = 0, columns = 0, entries = 0;
    br_status status = read_size(r, "the number of rows", most_rows(r), &rows);
    if (status == BR_OK) status = read_size(r, "the number of columns", most_rows(r), &columns);
    if (status == BR_OK) status = read_size(r, "the number of entries", BR_MAX_FILE_ENTRIES, &entries);
    if (status == BR_OK) status = end_of_line(r, "the heading of a matrix");
    if (status != BR_OK) return status;
    set_place(r, &m->place, "MATRIX", name);
    if (entries > (long long)rows * columns)
        return br_io_text_fail(r->text, name, r->error, BR_INVALID, "cp-size-mismatch",
                               "%s declares %d entries, but %d x %d has only %lld places", m->place.label,
                               entries, rows, columns, (long long)rows * columns);
    io_triplets t;
    status = read_triplets(r, &m->place, rows, columns, entries, &t);
    if (status == BR_OK) status = compress(r, m, &t, rows, columns);
    br_arena_reset(r->scratch);
    m->present = status == BR_OK;
    return status;
}

static br_status read_numbers(reader *r, const io_place *place, int may_be_infinite, int declared,
                              double **out) {
    enum { SHORTEST_ENTRY = 2 }; // bytes: "0" and a line end
    double *value = BR_TAKE(r->keep, double, capacity_for(r, declared, SHORTEST_ENTRY));
    if (!value) return out_of_memory(r);
    for (int k = 0; k < declared; k++) {
        double x = 0;
        br_status status = next_entry(r, place, declared, k);
        if (status == BR_OK) status = read_value(r, place->label, may_be_infinite, NULL, k, &x);
        if (status == BR_OK) status = end_of_line(r, "the value of an entry");
        if (status != BR_OK) return status;
        value[k] = x;
    }
    *out = value;
    return BR_OK;
}

static br_status read_vector(reader *r) {
    static const char stored_answer[] = "solution"; // solution_r, solution_u, ...: read, checked, not used
    io_token name;
    char shown[IO_SHOWN], hint[IO_HINT];
    if (!br_io_text_token(r->text, &name))
        return br_io_text_fail(r->text, name, r->error, BR_PARSE, "cp-missing-number",
                               "VECTOR has no name, expected `VECTOR name entries`");
    const size_t length = sizeof stored_answer - 1;
    const int ignored =
        (size_t)(name.end - name.begin) >= length && memcmp(name.begin, stored_answer, length) == 0;
    const io_section_name *section = br_io_cp_section(IO_SECTION_VECTOR, name, r->data->type);
    if (!section && !ignored)
        return br_io_text_fail(r->text, name, r->error, BR_PARSE, "cp-unknown-section",
                               "VECTOR %s is not part of %s; %s", br_io_show(name, shown),
                               br_problem_type_name(r->data->type),
                               br_io_cp_hint(IO_SECTION_VECTOR, name, r->data->type, hint));
    io_vector unused = {0};
    io_vector *v = ignored ? &unused : &r->data->vector[section->role];
    if (v->present) return already_given(r, name, &v->place);
    int count = 0;
    br_status status = read_size(r, "the number of entries", BR_MAX_FILE_ENTRIES, &count);
    if (status == BR_OK) status = end_of_line(r, "the heading of a vector");
    if (status != BR_OK) return status;
    set_place(r, &v->place, "VECTOR", name);
    const int bounds = !ignored && (section->role == IO_LB || section->role == IO_UB);
    status = read_numbers(r, &v->place, bounds, count, &v->value);
    v->count = count;
    v->present = status == BR_OK;
    return status;
}

static br_status read_count(reader *r, io_token name, const io_section_name *section) {
    io_data *d = r->data;
    char what[32];
    if (d->count_line[section->role] > 0)
        return br_io_text_fail(r->text, name, r->error, BR_PARSE, "cp-repeated",
                               "%s was already given on line %d", section->name,
                               d->count_line[section->role]);
    snprintf(what, sizeof what, "%s", section->name);
    const br_status status = read_size(r, what, most_rows(r), &d->count[section->role]);
    if (status != BR_OK) return status;
    d->count_line[section->role] = r->text->line;
    return end_of_line(r, what);
}

// law cone | box | polygon(N)
static br_status read_law(reader *r, int *given_on) {
    io_token name;
    char shown[IO_SHOWN];
    if (*given_on > 0)
        return br_io_text_fail(r->text, HERE, r->error, BR_PARSE, "cp-repeated",
                               "law was already given on line %d", *given_on);
    *given_on = r->text->line;
    io_data *d = r->data;
    const int has = br_io_text_token(r->text, &name);
    long long sides = 0;
    const int is_polygon = name.end - name.begin > 9 && memcmp(name.begin, "polygon(", 8) == 0 &&
                           name.end[-1] == ')' &&
                           br_io_parse_integer((io_token){name.begin + 8, name.end - 1}, &sides);
    if (has && br_io_token_is(name, "cone"))
        d->law = BR_LAW_CONE;
    else if (has && br_io_token_is(name, "box"))
        d->law = BR_LAW_BOX_FRICTION;
    else if (is_polygon && sides >= 4 && sides <= BR_MAX_POLYGON_SIDES && sides % 2 == 0) {
        d->law = BR_LAW_POLYGON;
        d->sides = (int)sides;
    } else
        return br_io_text_fail(
            r->text, name, r->error, BR_INVALID, "cp-law",
            "law is '%s', expected cone, box or polygon(N) with N even, 4 to %d, and no blanks",
            br_io_show(name, shown), BR_MAX_POLYGON_SIDES);
    return end_of_line(r, "the law");
}

// --------------------------------------------------------------------------------------------------- the file

static br_status no_text(reader *r) {
    const io_text *t = r->text;
    if (t->data == t->end)
        return br_io_text_fail(t, HERE, r->error, BR_PARSE, "cp-empty",
                               "the file is empty, expected `TYPE ...` first");
    return br_io_text_fail(t, HERE, r->error, BR_PARSE, "cp-empty",
                           "there is nothing but blank lines and comments, expected `TYPE ...`");
}

// A zero byte never occurs in text; finding it here keeps its meaning as the end of the buffer everywhere else.
static br_status refuse_binary(reader *r) {
    io_text *t = r->text;
    const char *zero = memchr(t->data, '\0', (size_t)(t->end - t->data));
    if (!zero) return BR_OK;
    io_text place = *t;
    place.line = 1;
    for (const char *p = t->data; p < zero; p++)
        if (*p == '\n') {
            place.line++;
            place.line_start = p + 1;
        }
    return br_io_text_fail(&place, (io_token){zero, zero}, r->error, BR_PARSE, "cp-binary",
                           "a zero byte: this is not a text file (FCLIB files begin with the HDF5 signature, "
                           "this one does not)");
}

static br_status read_type(reader *r) {
    io_token word, type;
    char shown[IO_SHOWN], hint[IO_HINT];
    io_text *t = r->text;
    if (!br_io_text_next_line(t)) return no_text(r);
    br_io_text_token(t, &word);
    if (!br_io_token_is(word, "TYPE"))
        return br_io_text_fail(t, word, r->error, BR_PARSE, "cp-type",
                               "'%s' where `TYPE ...` was expected: a .cp file begins with its type",
                               br_io_show(word, shown));
    if (!br_io_text_token(t, &type))
        return br_io_text_fail(t, type, r->error, BR_PARSE, "cp-type", "TYPE has no name; %s",
                               br_io_cp_type_hint(type, hint));
    r->data->type = br_io_cp_type(type);
    r->data->type_line = t->line;
    if (r->data->type == BR_PROBLEM_TYPES)
        return br_io_text_fail(t, type, r->error, BR_PARSE, "cp-type", "unknown type '%s'; %s",
                               br_io_show(type, shown), br_io_cp_type_hint(type, hint));
    return end_of_line(r, "the type");
}

static br_status surplus(reader *r, io_token word) {
    char shown[IO_SHOWN];
    br_io_show(word, shown);
    const io_place *last = &r->last;
    if (last->line > 0)
        return br_io_text_fail(r->text, word, r->error, BR_PARSE, "cp-too-many",
                               "'%s' is one entry more than %s declares on line %d", shown, last->label,
                               last->line);
    return br_io_text_fail(r->text, word, r->error, BR_PARSE, "cp-unknown-keyword",
                           "'%s' where a keyword was expected", shown);
}

static br_status read_section(reader *r, int *law_line) {
    io_token word;
    char shown[IO_SHOWN], hint[IO_HINT];
    io_text *t = r->text;
    const br_problem_type type = r->data->type;
    br_io_text_token(t, &word);
    if (br_io_token_is(word, "MATRIX")) return read_matrix(r);
    if (br_io_token_is(word, "VECTOR")) return read_vector(r);
    if (br_io_token_is(word, "TYPE"))
        return br_io_text_fail(t, word, r->error, BR_PARSE, "cp-repeated",
                               "TYPE was already given on line %d", r->data->type_line);
    if (br_io_token_is(word, "law") && io_type_has_friction(type)) return read_law(r, law_line);
    const io_section_name *count = br_io_cp_section(IO_SECTION_COUNT, word, type);
    if (count) return read_count(r, word, count);
    if (looks_like_number(word.begin, word.end)) return surplus(r, word);
    return br_io_text_fail(t, word, r->error, BR_PARSE, "cp-unknown-keyword",
                           "unknown keyword '%s' in a problem of type %s; %s", br_io_show(word, shown),
                           br_problem_type_name(type), br_io_cp_keyword_hint(word, type, hint));
}

br_status br_io_cp_read(io_text *text, br_arena *keep, br_arena *scratch, io_data *data, br_error *error) {
    reader r = {text, keep, scratch, data, error, {{0}, 0, NULL}};
    memset(data, 0, sizeof *data);
    data->path = text->path;
    data->text_end = text->end;
    data->law = BR_LAW_CONE;
    br_status status = refuse_binary(&r);
    if (status == BR_OK) status = read_type(&r);
    int law_line = 0;
    while (status == BR_OK && br_io_text_next_line(text)) status = read_section(&r, &law_line);
    return status;
}
