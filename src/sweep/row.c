#include "sweep/row.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/text/write.h"
#include "sweep/sweep.h"

// A cell, in quotes where it has to be.
static void put_cell(FILE *out, const char *text) {
    if (!strpbrk(text, ",\"")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

void br_row_names(const br_sweep *s, FILE *out) {
    fputs("run", out);
    for (int k = 0; k < s->vary_count; k++) {
        fputc(',', out);
        put_cell(out, s->vary[k].name);
    }
    for (int k = 0; k < s->column_count; k++) {
        fputc(',', out);
        put_cell(out, s->column[k]);
    }
    fputs(",status,hash,error\n", out);
}

// The run and its parameters: numbers without their unit, which the spec has.
static void put_start(const br_sweep *s, long long run, FILE *out) {
    fprintf(out, "%lld", run);
    for (int k = 0; k < s->vary_count; k++) {
        char text[BR_MAX_SWEEP_VALUE];
        br_sweep_value(s, run, k, text);
        if (s->vary[k].kind != VARY_LIST) text[strcspn(text, " ")] = '\0';
        fputc(',', out);
        put_cell(out, text);
    }
}

static void put_failure(const br_sweep *s, const char *status, const char *code, const char *message,
                        FILE *out) {
    char text[BR_MAX_ERROR_TEXT + 64];
    for (int k = 0; k < s->column_count; k++) fputc(',', out);
    snprintf(text, sizeof text, "%s%s%s", code, *code ? ": " : "", message);
    br_io_mask_controls(text);
    fprintf(out, ",%s,,", status);
    put_cell(out, text);
}

br_status br_row_run(const br_sweep *s, long long run, br_sweep_state *state, char **row, br_error *error) {
    io_memory memory;
    sweep_case c;
    br_error why;
    uint64_t hash = 0;
    memset(&why, 0, sizeof why);
    double *values = calloc((size_t)s->column_count, sizeof *values);
    if (!values) return br_no_memory(error, "no memory for a row");
    br_sweep_case(s, run, &c);
    const br_batch_case one = {.overrides = c.override, .override_count = c.count};
    const br_status went = br_batch_run_one(s->batch, &one, values, &hash, &why);
    // A model that is wrong or a step that fails does so again; no memory or an unreadable file may be otherwise next time.
    *state = went == BR_OK                           ? BR_SWEEP_DONE
             : went == BR_NO_MEMORY || went == BR_IO ? BR_SWEEP_CRASHED
                                                     : BR_SWEEP_FAILED;
    br_status status = br_io_memory_open(&memory, error);
    if (status == BR_OK) {
        put_start(s, run, memory.file);
        for (int k = 0; went == BR_OK && k < s->column_count; k++) {
            char text[BR_MAX_COLUMN_TEXT];
            br_batch_column_text(s->batch, k, values[k], text);
            fprintf(memory.file, ",%s", text);
        }
        if (went == BR_OK)
            fprintf(memory.file, ",ok,%016llx,", (unsigned long long)hash);
        else
            put_failure(s, *state == BR_SWEEP_FAILED ? "failed" : "crashed", why.code ? why.code : "",
                        why.message, memory.file);
        status = br_io_memory_close(&memory, BR_OK, row, error);
    }
    free(values);
    return status;
}

br_status br_row_crashed(const br_sweep *s, long long run, const char *why, char **row, br_error *error) {
    io_memory memory;
    const br_status status = br_io_memory_open(&memory, error);
    if (status != BR_OK) return status;
    put_start(s, run, memory.file);
    put_failure(s, "crashed", "", why, memory.file);
    return br_io_memory_close(&memory, BR_OK, row, error);
}
