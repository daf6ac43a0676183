// Tables read as results: what `bristle run --csv` and `bristle export` write, a line of names with a column t, then
// lines of numbers. There is no model, no event and no ledger in them. One line at a time is in memory.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/result/result.h"
#include "io/text/text.h"

enum { FIRST_LINE = 1 << 16, MAX_LINE = 1 << 28, MAX_NAME = 255, NO_MEMORY = -1, TOO_LONG = -2 };

typedef struct csv_result {
    br_result base;
    FILE *file;
    char *line; // one line and a zero
    size_t room, length;
    int whole; // the line ended with a line end
    int zero;  // or with a zero byte
    int number, time;
    double *row, last;
    int ended;
    br_result_kind kind;
    br_status failed;
    br_error error;
} csv_result;

static br_status no_line(const csv_result *r, int found, br_error *error) {
    if (found == NO_MEMORY) return br_no_memory_at(error, r->base.path, "not enough memory to read it");
    return br_fail_at(error, BR_TOO_LARGE, "result-table", r->base.path, r->number + 1, 0,
                      "is longer than %d bytes, the most that a line may have", MAX_LINE);
}

// 1: the next line is there; 0: the end of the file; else NO_MEMORY or TOO_LONG. A zero byte ends the line, and with it what
// can be read: a disk that failed leaves zeros.
static int next_line(csv_result *r) {
    r->length = 0;
    r->whole = 0;
    for (;;) {
        const int c = getc(r->file);
        r->zero = c == '\0';
        if (c == EOF || r->zero) break;
        if (r->length + 1 >= r->room) {
            const size_t room = r->room > 0 ? 2 * r->room : FIRST_LINE;
            if (room > MAX_LINE) return TOO_LONG;
            char *line = BR_TAKE(&r->base.arena, char, room);
            if (!line) return NO_MEMORY;
            if (r->length > 0) memcpy(line, r->line, r->length);
            r->line = line;
            r->room = room;
        }
        if (c == '\n') {
            r->whole = 1;
            break;
        }
        r->line[r->length++] = (char)c;
    }
    if (!r->whole && r->length == 0) return 0;
    while (r->length > 0 && r->line[r->length - 1] == '\r') r->length--;
    r->line[r->length] = '\0';
    r->number++;
    return 1;
}

// ------------------------------------------------------------------------------------------------------- names

// Units by the last words of a name, as docs/guide/run.md lists them. Joints may turn or slide: theirs are not known.
static const char *known_unit(const char *name) {
    static const struct {
        const char *words, *unit;
    } known[] = {
        {".angular_velocity.", "rad/s"},
        {".angular_acceleration.", "rad/s^2"},
        {".acceleration.x", "m/s^2"},
        {".acceleration.y", "m/s^2"},
        {".acceleration.z", "m/s^2"},
        {".velocity.x", "m/s"},
        {".velocity.y", "m/s"},
        {".velocity.z", "m/s"},
        {".position.x", "m"},
        {".position.y", "m"},
        {".position.z", "m"},
        {".com.", "m"},
        {".reaction.force", "N"},
        {".reaction.torque", "N m"},
        {".force.normal", "N"},
        {".force.friction", "N"},
        {".gap", "m"},
        {".slip", "m/s"},
        {".rotation.", "1"},
    };
    if (strcmp(name, "t") == 0 || strcmp(name, "solver.step") == 0) return "s";
    if (strncmp(name, "energy.", 7) == 0) return "J";
    if (strncmp(name, "ledger.", 7) == 0 && strcmp(name, "ledger.loop_error") != 0) return "J";
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strstr(name, known[k].words)) return known[k].unit;
    return "1";
}

// A name up to the comma, without its quotes. NULL: it has none, or one that no result may have, or something follows the
// closing quote.
static char *take_name(char **at, br_arena *arena) {
    char *p = *at, *copy = BR_TAKE(arena, char, strlen(p) < MAX_NAME ? strlen(p) + 1 : MAX_NAME + 1);
    int n = 0;
    const int quoted = *p == '"';
    if (!copy) return NULL;
    for (p += quoted; *p && (quoted || *p != ','); p++) {
        if (quoted && *p == '"' && *++p != '"') break;
        if (n == MAX_NAME || (unsigned char)*p < 0x20 || *p == 0x7f) return NULL;
        copy[n++] = *p;
    }
    if (n == 0 || (*p != ',' && *p != '\0')) return NULL;
    copy[n] = '\0';
    *at = p;
    return copy[0] == '\'' && br_io_csv_is_formula(copy + 1) ? copy + 1 : copy; // guarded when it was written
}

static br_status bad_name(const csv_result *r, int column, br_error *error) {
    return br_fail_at(error, BR_PARSE, "result-table", r->base.path, 1, 0,
                      "column %d has no name, one of more than %d bytes or with control characters, or one "
                      "that is not quoted right",
                      column, MAX_NAME);
}

static br_status read_names(csv_result *r, br_error *error) {
    int count = 1;
    const int line = next_line(r);
    if (line < 0) return no_line(r, line, error);
    char *p = r->line;
    if (line > 0 && strncmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
    for (const char *c = line > 0 ? p : ""; *c; c++)
        count += *c == ','; // quoted ones too: room, not the number
    if (count > BR_MAX_RESULT_CHANNELS)
        return br_fail_at(error, BR_TOO_LARGE, "result-table", r->base.path, 1, 0,
                          "has %d columns, at most %d are read", count, BR_MAX_RESULT_CHANNELS);
    br_result_channel *list = BR_TAKE(&r->base.arena, br_result_channel, count);
    r->row = BR_TAKE(&r->base.arena, double, count);
    if (!br_arena_ok(&r->base.arena))
        return br_no_memory_at(error, r->base.path, "not enough memory to read it");
    int n = 0;
    r->time = -1;
    while (line > 0) {
        char *name = take_name(&p, &r->base.arena);
        if (!name) return bad_name(r, n + 1, error);
        list[n] = (br_result_channel){name, known_unit(name)};
        if (strcmp(name, "t") == 0) r->time = n;
        n++;
        if (*p++ != ',') break;
    }
    if (r->time < 0)
        return br_fail_at(error, BR_PARSE, "result-table", r->base.path, 1, 0,
                          "has no column t, so it is not a table of bristle run --csv or bristle export");
    r->base.header.channels = list;
    r->base.header.channel_count = n;
    return BR_OK;
}

// -------------------------------------------------------------------------------------------------------- rows

static br_status bad_cell(const csv_result *r, int column, io_token token, br_error *error) {
    char shown[IO_SHOWN];
    return br_fail_at(error, BR_PARSE, "result-table", r->base.path, r->number,
                      (int)(token.begin - r->line) + 1, "column %s: '%s' is not a finite number",
                      r->base.header.channels[column].name, br_io_show(token, shown));
}

static br_status parse_row(csv_result *r, int *found, br_error *error) {
    const int n = r->base.header.channel_count;
    const char *p = r->line, *end = r->line + r->length;
    int k = 0;
    for (;; k++) {
        const char *stop = memchr(p, ',', (size_t)(end - p));
        io_token token = {p, stop ? stop : end};
        while (token.begin < token.end && *token.begin == ' ') token.begin++;
        while (token.end > token.begin && token.end[-1] == ' ') token.end--;
        if (k < n &&
            (token.begin == token.end || br_io_parse_double(token, &r->row[k]) != IO_NUMBER_FINITE)) {
            if (!r->whole) break; // cut inside this number
            return bad_cell(r, k, token, error);
        }
        if (!stop) {
            k++;
            break;
        }
        p = stop + 1;
    }
    *found = k;
    return BR_OK;
}

static void csv_result_finish(csv_result *r, br_result_kind kind) {
    r->ended = 1;
    r->kind = kind;
}

static br_status read_row(csv_result *r, br_result_item *item, br_error *error) {
    int found = 0, line = 0;
    do line = next_line(r);
    while (line > 0 && r->length == 0); // an empty line is nothing
    if (line < 0) return no_line(r, line, error);
    if (ferror(r->file))
        return br_fail_at(error, BR_IO, "file-unreadable", r->base.path, 0, 0, "cannot be read: %s",
                          strerror(errno));
    if (line == 0) {
        csv_result_finish(r, r->zero ? BR_RESULT_CUT : BR_RESULT_END);
        return BR_OK;
    }
    const br_status status = parse_row(r, &found, error);
    if (status != BR_OK) return status;
    const int n = r->base.header.channel_count;
    if (!r->whole) { // a last line that was being written: even its last number may lack digits
        csv_result_finish(r, BR_RESULT_CUT);
        return BR_OK;
    }
    if (found != n)
        return br_fail_at(error, BR_PARSE, "result-table", r->base.path, r->number, 0,
                          "has %d numbers, expected %d, one for each name in line 1", found, n);
    r->last = r->row[r->time];
    item->kind = BR_RESULT_ROW;
    item->row = r->row;
    return BR_OK;
}

static br_status next_item(br_result *result, br_result_item *item, br_error *error) {
    csv_result *r = (csv_result *)(void *)result;
    if (r->failed == BR_OK && !r->ended) {
        const io_locale locale = br_io_locale_enter();
        r->failed = read_row(r, item, &r->error);
        br_io_locale_leave(locale);
    }
    if (r->failed != BR_OK && error) *error = r->error;
    if (r->failed != BR_OK || !r->ended) return r->failed;
    item->kind = r->kind;
    memset(&item->end, 0, sizeof item->end);
    item->end.t = r->last;
    return BR_OK;
}

static void close_file(br_result *result) {
    csv_result *r = (csv_result *)(void *)result;
    if (r->file) fclose(r->file);
    br_arena arena = r->base.arena;
    br_arena_free(&arena);
}

static const io_result_ops csv_ops = {BR_SOURCE_CSV, next_item, close_file};

br_status br_io_result_open_csv(const char *path, const br_allocator *allocator, br_result **out,
                                br_error *error) {
    br_arena arena;
    br_arena_init(&arena, allocator);
    csv_result *r = BR_TAKE(&arena, csv_result, 1);
    if (!r) return br_no_memory_at(error, path, "not enough memory to read it");
    br_result_header *h = &r->base.header;
    r->base.ops = &csv_ops;
    r->base.arena = arena;
    snprintf(r->base.path, sizeof r->base.path, "%s", path);
    h->program_version = h->model_name = h->model_path = h->model_text = h->stepper = h->notes = "";
    r->file = fopen(path, "rb");
    const br_status status = r->file ? read_names(r, error)
                                     : br_fail_at(error, BR_IO, "file-unreadable", path, 0, 0,
                                                  "cannot be read: %s", strerror(errno));
    if (status != BR_OK)
        close_file(&r->base);
    else
        *out = &r->base;
    return status;
}
