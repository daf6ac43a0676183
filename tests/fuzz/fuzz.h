// What the fuzz targets share. A target is a file fuzz_KIND.c with one function, LLVMFuzzerTestOneInput, that reads some bytes as a
// user's file: whatever they are, it returns. It is built twice: with clang and libFuzzer (make fuzz), and with tests/fuzz/replay.c, which
// reads the corpus and a fixed series of mutants of it in `make test`.
#ifndef FUZZ_H
#define FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char fuzz_folder[64], fuzz_path[128];

static inline void fuzz_clean_up(void) {
    unlink(fuzz_path);
    rmdir(fuzz_folder);
}

// The bytes as a file of this ending, in a folder of the process's own: readers look at names and beside the file. NULL: no file.
static inline const char *fuzz_file(const uint8_t *bytes, size_t size, const char *ending) {
    const char *base = getenv("TMPDIR");
    if (!fuzz_folder[0]) {
        snprintf(fuzz_folder, sizeof fuzz_folder, "%.30s/bristle-fuzz-XXXXXX", base ? base : "/tmp");
        if (!mkdtemp(fuzz_folder)) return NULL;
        atexit(fuzz_clean_up);
    }
    if (fuzz_path[0]) unlink(fuzz_path);
    snprintf(fuzz_path, sizeof fuzz_path, "%s/input%s", fuzz_folder, ending);
    FILE *file = fopen(fuzz_path, "wb");
    if (!file) return NULL;
    const size_t written = fwrite(bytes, 1, size, file);
    return fclose(file) == 0 && written == size ? fuzz_path : NULL;
}

#endif
