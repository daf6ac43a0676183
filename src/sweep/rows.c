#include "sweep/rows.h"

#include "base/error.h"
#include "sweep/logs.h"

// The first line of a run counts, but one that a crash left gives way to one of a run that ended.
static void keep_row(void *context, long long run, br_sweep_state state, const char *row, size_t size) {
    sweep_row *at = (sweep_row *)context + run;
    if (at->text && (at->state != BR_SWEEP_CRASHED || state == BR_SWEEP_CRASHED)) return;
    *at = (sweep_row){row, size, state};
}

br_status br_rows_read(const br_sweep *s, const char *folder, br_arena *arena, sweep_row **out,
                       br_error *error) {
    long cut = 0;
    sweep_row *rows = BR_TAKE(arena, sweep_row, s->count);
    if (!rows) return br_no_memory(error, "no memory for the rows of a sweep");
    const br_status status = br_logs_visit(s, folder, arena, keep_row, rows, &cut, error);
    if (status == BR_OK) *out = rows;
    return status;
}

int br_rows_cell(const sweep_row *row, int k, char *out, size_t size) {
    const char *at = row->text, *end = row->text + row->size;
    size_t used = 0;
    int quoted = 0;
    for (int cell = 0; at < end; at++) {
        if (*at == '"' && cell == k && quoted && at + 1 < end && at[1] == '"') {
            if (used + 1 < size) out[used++] = '"';
            at++;
        } else if (*at == '"') {
            quoted = !quoted;
        } else if (*at == ',' && !quoted) {
            if (cell++ == k) break;
        } else if (cell == k && used + 1 < size) {
            out[used++] = *at;
        }
        if (cell > k) break;
    }
    out[used] = '\0';
    return used > 0;
}
