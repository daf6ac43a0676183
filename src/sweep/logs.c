// Reading and writing the logs of a folder.
#include "sweep/logs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "io/text/text.h"
#include "io/text/write.h"
#include "sweep/row.h"

enum { MAX_PATH = 4096, MAX_LOGS = 10000 };
static const char LETTERS[] = {[BR_SWEEP_CRASHED] = 'c', [BR_SWEEP_FAILED] = 'f', [BR_SWEEP_DONE] = 'd'};

uint64_t br_log_checksum(const br_sweep *s, const char *rest, size_t size) {
    return br_hash_bytes(br_hash_u64(BR_HASH_START, s->hash), rest, size);
}

// -------------------------------------------------------------------------------------------------------- reading

static int state_of(char letter) {
    for (int k = BR_SWEEP_CRASHED; k <= BR_SWEEP_DONE; k++)
        if (LETTERS[k] == letter) return k;
    return -1;
}

// 1: the line is whole.
static int visit_line(const br_sweep *s, const char *line, size_t size, sweep_visit visit, void *context) {
    char sum[SWEEP_CHECKSUM + 1];
    long long run = -1;
    if (size <= SWEEP_PREFIX || line[SWEEP_CHECKSUM] != ' ' || line[SWEEP_CHECKSUM + 2] != ' ') return 0;
    const int state = state_of(line[SWEEP_CHECKSUM + 1]);
    const char *rest = line + SWEEP_CHECKSUM + 1, *row = line + SWEEP_PREFIX;
    const size_t length = size - SWEEP_PREFIX;
    snprintf(sum, sizeof sum, "%016llx",
             (unsigned long long)br_log_checksum(s, rest, size - SWEEP_CHECKSUM - 1));
    if (state < 0 || memcmp(sum, line, SWEEP_CHECKSUM) != 0) return 0;
    const char *comma = memchr(row, ',', length);
    if (!comma || !br_io_parse_integer((io_token){row, comma}, &run) || run < 0 || run >= s->count) return 0;
    visit(context, run, (br_sweep_state)state, row, length);
    return 1;
}

static br_status visit_log(const br_sweep *s, const char *path, br_arena *arena, sweep_visit visit,
                           void *context, long *cut, br_error *error) {
    io_text text = {0};
    struct stat about;
    if (stat(path, &about) == 0 && about.st_size == 0) return BR_OK;
    const br_status status =
        br_io_text_load_up_to(&text, path, "a log of a sweep", BR_MAX_FILE_BYTES, arena, error);
    if (status != BR_OK) return status;
    for (const char *at = text.data; at < text.end;) {
        const char *end = memchr(at, '\n', (size_t)(text.end - at));
        if (!end || !visit_line(s, at, (size_t)(end - at), visit, context)) (*cut)++;
        at = end ? end + 1 : text.end;
    }
    return BR_OK;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static br_status list_logs(const char *folder, br_arena *arena, const char ***names, int *count,
                           br_error *error) {
    char path[MAX_PATH];
    int room = 0;
    snprintf(path, sizeof path, "%s/logs", folder);
    DIR *dir = opendir(path);
    if (!dir && errno == ENOENT) return BR_OK;
    if (!dir)
        return br_fail_at(error, BR_IO, "sweep-folder", path, 0, 0, "cannot be read: %s", strerror(errno));
    br_status status = BR_OK;
    for (struct dirent *e; status == BR_OK && (e = readdir(dir));) {
        const size_t n = strlen(e->d_name);
        if (n < 5 || strcmp(e->d_name + n - 4, ".log") != 0) continue;
        if (BR_GROW(arena, *names, *count, room))
            (*names)[*count] = br_arena_copy(arena, e->d_name, n + 1, 1);
        if (!br_arena_ok(arena)) status = br_no_memory(error, "no memory to read the folder of a sweep");
        (*count)++;
    }
    closedir(dir);
    if (status == BR_OK && *count > 0) qsort(*names, (size_t)*count, sizeof **names, compare_names);
    return status;
}

br_status br_logs_visit(const br_sweep *s, const char *folder, br_arena *arena, sweep_visit visit,
                        void *context, long *cut, br_error *error) {
    const char **names = NULL;
    int count = 0;
    *cut = 0;
    br_status status = list_logs(folder, arena, &names, &count, error);
    for (int k = 0; status == BR_OK && k < count; k++) {
        char path[MAX_PATH];
        snprintf(path, sizeof path, "%s/logs/%s", folder, names[k]);
        status = visit_log(s, path, arena, visit, context, cut, error);
    }
    return status;
}

// -------------------------------------------------------------------------------------------------------- writing

struct br_sweep_log {
    int file;
    char path[MAX_PATH];
};

// The first name that is free: a process never appends to what another one left, which may end in half a line.
br_status br_sweep_log_create(const br_sweep *s, const char *folder, const char *who, br_sweep_log **out,
                              br_error *error) {
    (void)s;
    br_sweep_log *log = calloc(1, sizeof *log);
    if (!log) return br_no_memory(error, "no memory for a log");
    snprintf(log->path, sizeof log->path, "%s/logs", folder);
    mkdir(log->path, 0777); // what is wrong with it, the next call says
    log->file = -1;
    for (int k = 0; k < MAX_LOGS && log->file < 0; k++) {
        snprintf(log->path, sizeof log->path, "%s/logs/%s-%04d.log", folder, who, k);
        log->file = open(log->path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        if (log->file < 0 && errno != EEXIST) break;
    }
    if (log->file >= 0) {
        *out = log;
        return BR_OK;
    }
    const br_status status =
        br_fail_at(error, BR_IO, "sweep-write", log->path, 0, 0, "cannot be written: %s", strerror(errno));
    free(log);
    return status;
}

void br_sweep_log_close(br_sweep_log *log) {
    if (!log) return;
    close(log->file);
    free(log);
}

static br_status write_line(br_sweep_log *log, const char *line, size_t size, br_error *error) {
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(log->file, line + done, size - done);
        if (n > 0) done += (size_t)n;
        if (n > 0 || (n < 0 && errno == EINTR)) continue;
        return br_fail_at(error, BR_IO, "sweep-write", log->path, 0, 0,
                          "cannot be written: %s; what is there stays, and the same command goes on with it",
                          n == 0 ? "nothing was taken" : strerror(errno));
    }
    return BR_OK;
}

// row: without its line end; it is given away and freed.
static br_status add_row(const br_sweep *s, br_sweep_log *log, br_sweep_state state, char *row,
                         br_error *error) {
    const size_t n = strlen(row), size = n + SWEEP_PREFIX + 1;
    char *line = malloc(size + 1);
    br_status status = BR_OK;
    if (line) {
        snprintf(line, size + 1, "%*s %c %s\n", SWEEP_CHECKSUM, "", LETTERS[state], row);
        char sum[SWEEP_CHECKSUM + 1];
        snprintf(sum, sizeof sum, "%016llx",
                 (unsigned long long)br_log_checksum(s, line + SWEEP_CHECKSUM + 1, n + 2));
        memcpy(line, sum, SWEEP_CHECKSUM);
        status = write_line(log, line, size, error);
    } else {
        status = br_no_memory(error, "no memory for a row");
    }
    free(line);
    br_text_free(row);
    return status;
}

br_status br_sweep_perform(const br_sweep *s, long long run, br_sweep_log *log, br_error *error) {
    br_sweep_state state = BR_SWEEP_DONE;
    char *row = NULL;
    const br_status status = br_row_run(s, run, &state, &row, error);
    return status == BR_OK ? add_row(s, log, state, row, error) : status;
}

br_status br_sweep_book_crash(const br_sweep *s, long long run, const char *why, br_sweep_log *log,
                              br_error *error) {
    char *row = NULL;
    const br_status status = br_row_crashed(s, run, why, &row, error);
    return status == BR_OK ? add_row(s, log, BR_SWEEP_CRASHED, row, error) : status;
}
