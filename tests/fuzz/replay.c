// Reads every file of a folder with a fuzz target, then mutants of them: replay FOLDER COUNT. The mutants are the same every time. A
// crash, a sanitizer's report or an endless loop (the test's time limit) is what can go wrong.
#include <dirent.h>
#include <signal.h>

#include "fuzz.h"

enum { MAX_FILES = 256, MAX_BYTES = 1 << 16, MAX_CHANGES = 8 };

typedef struct sample {
    uint8_t *bytes;
    size_t size;
} sample;

static uint64_t seed = 20240229;
static uint8_t mutant[2 * MAX_BYTES]; // the input under way
static size_t mutant_size;

static uint64_t draw(void) { // splitmix64
    uint64_t z = (seed += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static size_t below(size_t n) {
    return n > 0 ? (size_t)(draw() % n) : 0;
}

// What broke a reader is kept, to be looked at.
static void on_crash(int number) {
    FILE *file = fopen("crash-input", "wb");
    if (file) {
        fwrite(mutant, 1, mutant_size, file);
        fclose(file);
    }
    signal(number, SIG_DFL);
    raise(number);
}

static int load(const char *folder, sample *out) {
    char path[1024];
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && count < MAX_FILES && (e = readdir(dir)) != NULL;) {
        snprintf(path, sizeof path, "%.700s/%.256s", folder, e->d_name);
        FILE *file = e->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!file) continue;
        out[count].bytes = malloc(MAX_BYTES);
        out[count].size = out[count].bytes ? fread(out[count].bytes, 1, MAX_BYTES, file) : 0;
        fclose(file);
        count++;
    }
    if (dir) closedir(dir);
    return count;
}

// Folders are read in any order; mutants must not depend on it.
static int by_content(const void *a, const void *b) {
    const sample *x = a, *y = b;
    const size_t n = x->size < y->size ? x->size : y->size;
    const int order = memcmp(x->bytes, y->bytes, n);
    return order ? order : (x->size > y->size) - (x->size < y->size);
}

static void change(const sample *files, int count) {
    static const char *const words[] = {"0", "-1", "1e308", "nan",  "inf",        "\n", ": ",
                                        "[", "]",  "{",     "}",    "\"",         "'",  "<",
                                        ">", "/",  "$x",    "\xff", "9999999999", ".."};
    const sample *other = &files[below((size_t)count)];
    const size_t at = below(mutant_size + 1), length = below(16) + 1;
    switch (below(6)) {
    case 0: // a bit
        if (at < mutant_size) mutant[at] ^= (uint8_t)(1u << below(8));
        break;
    case 1: // a byte
        if (at < mutant_size) mutant[at] = (uint8_t)draw();
        break;
    case 2: { // a word goes in
        const char *word = words[below(sizeof words / sizeof *words)];
        const size_t n = strlen(word);
        memmove(mutant + at + n, mutant + at, mutant_size - at);
        memcpy(mutant + at, word, n);
        mutant_size += n;
        break;
    }
    case 3: // a piece goes out
        if (at + length <= mutant_size) {
            memmove(mutant + at, mutant + at + length, mutant_size - at - length);
            mutant_size -= length;
        }
        break;
    case 4: // a piece of another file goes over it
        for (size_t k = 0; k < length && at + k < mutant_size && other->size > 0; k++)
            mutant[at + k] = other->bytes[below(other->size)];
        break;
    default: // cut
        if (below(4) == 0) mutant_size = at;
        break;
    }
}

int main(int argc, char **argv) {
    static sample files[MAX_FILES];
    if (argc != 3) return 2;
    const int count = load(argv[1], files);
    if (count == 0) {
        fprintf(stderr, "%s has no files\n", argv[1]);
        return 1;
    }
    qsort(files, (size_t)count, sizeof *files, by_content);
    const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) signal(signals[k], on_crash);
    const long mutants = atol(argv[2]);
    for (long k = 0; k < count + mutants; k++) {
        const sample *from = k < count ? &files[k] : &files[below((size_t)count)];
        memcpy(mutant, from->bytes, from->size);
        mutant_size = from->size;
        const size_t changes = k < count ? 0 : below(MAX_CHANGES) + 1;
        for (size_t c = 0; c < changes; c++) change(files, count);
        LLVMFuzzerTestOneInput(mutant, mutant_size);
    }
    printf("%d files and %ld mutants of them were read\n", count, mutants);
    return 0;
}
