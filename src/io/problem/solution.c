// Answers in text: a line `p w` for each row of the file.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/problem/problem_file.h"
#include "io/text/text.h"
#include "io/text/write.h"

static void print_list(FILE *file, const char *heading, const double *x, int from, int to) {
    fprintf(file, "# %s\n", heading);
    for (int k = from; k < to; k++) {
        br_io_print_number(file, x[k]);
        fputc('\n', file);
    }
}

br_status br_solution_write(const br_problem_file *file, const br_solution *solution, const char *comment,
                            const char *path, br_error *error) {
    io_output out;
    const br_problem_info info = br_problem_file_info(file);
    const br_status status = br_io_open_text(&out, path, error);
    if (status != BR_OK) return status;
    if (comment) fprintf(out.file, "# %s\n", comment);
    for (int k = 0; k < info.rows; k++) {
        br_io_print_number(out.file, solution->p[k]);
        fputc(' ', out.file);
        br_io_print_number(out.file, solution->w[k]);
        fputc('\n', out.file);
    }
    if (io_type_is_global(info.type) && solution->v)
        print_list(out.file, "v", solution->v, 0, info.velocities);
    if (info.unknowns > info.rows) print_list(out.file, "z", solution->p, info.rows, info.unknowns);
    return br_io_close_text(&out, error);
}

// Velocities follow one on a line; a line with two numbers is a row too many, so the file is of another problem.
static br_status no_row_left(io_text *text, int rows, br_error *error) {
    io_token p, w;
    if (!br_io_text_next_line(text) || !br_io_text_token(text, &p) || !br_io_text_token(text, &w))
        return BR_OK;
    return br_io_text_fail(text, p, error, BR_PARSE, "start-too-long",
                           "more than %d rows `p w`: this is the answer of another problem", rows);
}

// A comment `# v` or `# z` ends the rows, but comments are not tokens: what counts is the number of lines.
static br_status read_rows(io_text *text, int rows, double *p, br_error *error) {
    char shown[IO_SHOWN];
    for (int k = 0; k < rows; k++) {
        io_token token = {NULL, NULL};
        if (!br_io_text_next_line(text))
            return br_io_text_fail(text, token, error, BR_PARSE, "start-too-short",
                                   "end of file after %d rows, expected %d lines `p` or `p w`", k, rows);
        br_io_text_token(text, &token);
        double x = 0;
        const io_number kind = br_io_parse_double(token, &x);
        if (kind != IO_NUMBER_FINITE)
            return br_io_text_fail(text, token, error, BR_PARSE, "start-not-a-number",
                                   "p of row %d is '%s', expected a finite number", k,
                                   br_io_show(token, shown));
        p[k] = x;
    }
    return no_row_left(text, rows, error);
}

br_status br_solution_read(const br_problem_file *file, const char *path, double *p, br_error *error) {
    br_arena memory;
    br_arena_init(&memory, &file->arena.allocator);
    const int rows = br_problem_file_info(file).rows;
    double *read = BR_TAKE(&memory, double, rows);
    io_text text;
    br_status status = read ? br_io_text_load(&text, path, &memory, error)
                            : br_no_memory_at(error, path, "not enough memory to read it");
    const io_locale locale = br_io_locale_enter();
    if (status == BR_OK) status = read_rows(&text, rows, read, error);
    br_io_locale_leave(locale);
    if (status == BR_OK) memcpy(p, read, (size_t)rows * sizeof *p);
    br_arena_free(&memory);
    return status;
}
