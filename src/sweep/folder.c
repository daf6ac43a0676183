// The folder of a sweep: its manifest, which runs it has, its table.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/text/text.h"
#include "io/text/write.h"
#include "sweep/logs.h"
#include "sweep/row.h"
#include "sweep/rows.h"
#include "sweep/table_hdf5.h"

enum { MAX_PATH = 4096 };
static const long MAX_MANIFEST_BYTES = 64L << 20;

struct br_sweep_folder {
    long long count, states[BR_SWEEP_DONE + 1];
    long cut;
    unsigned char state[]; // [count] br_sweep_state
};

// -------------------------------------------------------------------------------------------------------- manifest

static br_status write_manifest(const br_sweep *s, const char *path, br_error *error) {
    io_output out;
    const br_status status = br_io_open_text(&out, path, error);
    if (status != BR_OK) return status;
    fprintf(out.file,
            "# The folder of a sweep: logs has its runs, table.csv all of them once they are done.\n");
    fprintf(out.file, "bristle: %s\nsweep: %016llx\nmodel: %016llx\nruns: %lld\nspec: |\n", br_version(),
            (unsigned long long)s->hash, (unsigned long long)s->model_hash, s->count);
    for (size_t k = 0; k < s->size; k++) {
        if (k == 0 || s->text[k - 1] == '\n') fputs("  ", out.file);
        fputc(s->text[k], out.file);
    }
    if (s->size > 0 && s->text[s->size - 1] != '\n') fputc('\n', out.file);
    return br_io_close_text(&out, error);
}

// The value of "KEY: value" at the start of a line; 0: there is none.
static int manifest_value(const io_text *text, const char *key, char *out, size_t size) {
    const size_t n = strlen(key);
    for (const char *at = text->data; at < text->end;) {
        const char *end = memchr(at, '\n', (size_t)(text->end - at));
        if (!end) end = text->end;
        if ((size_t)(end - at) > n + 2 && memcmp(at, key, n) == 0 && memcmp(at + n, ": ", 2) == 0) {
            snprintf(out, size, "%.*s", (int)(end - at - (long)n - 2), at + n + 2);
            return 1;
        }
        at = end < text->end ? end + 1 : end;
    }
    return 0;
}

static br_status compare_manifest(const br_sweep *s, const char *path, const io_text *text, br_error *error) {
    char version[32], sweep[32], model[32], hash[32];
    if (!manifest_value(text, "bristle", version, sizeof version) ||
        !manifest_value(text, "sweep", sweep, sizeof sweep) ||
        !manifest_value(text, "model", model, sizeof model))
        return br_fail_at(error, BR_PARSE, "sweep-folder", path, 0, 0, "is not the manifest of a sweep");
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->hash);
    if (strcmp(sweep, hash) == 0) return BR_OK;
    if (strcmp(version, br_version()) != 0)
        return br_fail_at(
            error, BR_INVALID, "sweep-other-spec", path, 0, 0,
            "the folder was begun by bristle %s and this is %s, whose numbers may differ; give another "
            "folder with -o",
            version, br_version());
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)s->model_hash);
    return br_fail_at(
        error, BR_INVALID, "sweep-other-spec", path, 0, 0,
        "the folder has the runs of another %s; nothing was changed in it, give another folder with -o",
        strcmp(model, hash) == 0 ? "spec, or of files behind the model that were changed"
                                 : "model, or of this one before it was changed");
}

// Shards begin at the same time: what another one is writing just now, its manifest, does not count.
static int is_empty_folder(const char *folder) {
    DIR *dir = opendir(folder);
    int entries = 0;
    if (!dir) return 0;
    for (struct dirent *e; (e = readdir(dir));)
        entries += e->d_name[0] != '.' && strncmp(e->d_name, "manifest", strlen("manifest")) != 0;
    closedir(dir);
    return entries == 0;
}

static br_status prepare_folder(const br_sweep *s, const char *folder, br_error *error) {
    char path[MAX_PATH];
    struct stat about;
    if ((size_t)snprintf(path, sizeof path, "%s/manifest", folder) >= sizeof path)
        return br_fail(error, BR_INVALID, "sweep-folder", "the name of the folder is too long");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return br_fail_at(error, BR_IO, "sweep-folder", folder, 0, 0, "cannot be made: %s", strerror(errno));
    if (stat(path, &about) != 0) {
        const int fresh = stat(folder, &about) == 0 && S_ISDIR(about.st_mode) && is_empty_folder(folder);
        if (fresh) return write_manifest(s, path, error);
        if (stat(path, &about) != 0) // still not there: nobody was just making it
            return br_fail_at(
                error, BR_INVALID, "sweep-folder", folder, 0, 0,
                "is there and is not the folder of a sweep; give a new or an empty one with -o");
    }
    br_arena arena;
    io_text text = {0};
    br_arena_init(&arena, s->allocator);
    br_status status = br_io_text_load_up_to(&text, path, "a manifest", MAX_MANIFEST_BYTES, &arena, error);
    if (status == BR_OK) status = compare_manifest(s, path, &text, error);
    br_arena_free(&arena);
    return status;
}

// ------------------------------------------------------------------------------------------------------ what is there

static void note_run(void *context, long long run, br_sweep_state state, const char *row, size_t size) {
    br_sweep_folder *f = context;
    const br_sweep_state before = (br_sweep_state)f->state[run];
    (void)row, (void)size;
    if (before > BR_SWEEP_CRASHED || (before == BR_SWEEP_CRASHED && state == BR_SWEEP_CRASHED)) return;
    f->states[before]--;
    f->states[state]++;
    f->state[run] = (unsigned char)state;
}

br_status br_sweep_open(const br_sweep *s, const char *folder, const br_allocator *allocator,
                        br_sweep_folder **out, br_error *error) {
    br_arena arena;
    br_status status = prepare_folder(s, folder, error);
    if (status != BR_OK) return status;
    br_sweep_folder *f = calloc(1, sizeof *f + (size_t)s->count);
    if (!f) return br_no_memory(error, "no memory for the runs of a sweep");
    f->count = f->states[BR_SWEEP_MISSING] = s->count;
    br_arena_init(&arena, allocator);
    status = br_logs_visit(s, folder, &arena, note_run, f, &f->cut, error);
    br_arena_free(&arena);
    if (status == BR_OK)
        *out = f;
    else
        br_sweep_close(f);
    return status;
}

void br_sweep_close(br_sweep_folder *f) {
    free(f);
}

br_sweep_state br_sweep_run_state(const br_sweep_folder *f, long long run) {
    return (br_sweep_state)f->state[run];
}

long long br_sweep_folder_count(const br_sweep_folder *f, br_sweep_state state) {
    return f->states[state];
}

long br_sweep_cut_lines(const br_sweep_folder *f) {
    return f->cut;
}

// --------------------------------------------------------------------------------------------------------- the table

static br_status write_table(const br_sweep *s, const char *path, const sweep_row *row, br_error *error) {
    io_output out;
    const br_status status = br_io_open_text(&out, path, error);
    if (status != BR_OK) return status;
    br_row_names(s, out.file);
    for (long long k = 0; k < s->count; k++) {
        if (!row[k].text) continue;
        fwrite(row[k].text, 1, row[k].size, out.file);
        fputc('\n', out.file);
    }
    return br_io_close_text(&out, error);
}

br_status br_sweep_table(const br_sweep *s, const char *folder, const char *path,
                         const br_allocator *allocator, long long *rows, br_error *error) {
    char name[MAX_PATH];
    br_arena arena;
    br_arena_init(&arena, allocator);
    sweep_row *row = NULL;
    snprintf(name, sizeof name, "%s/table.csv", folder);
    br_status status = br_rows_read(s, folder, &arena, &row, error);
    const char *to = path ? path : name;
    if (status == BR_OK)
        status =
            br_table_is_hdf5(to) ? br_table_write_hdf5(s, to, row, error) : write_table(s, to, row, error);
    if (status == BR_OK && rows) {
        *rows = 0;
        for (long long k = 0; k < s->count; k++) *rows += row[k].text != NULL;
    }
    br_arena_free(&arena);
    return status;
}
