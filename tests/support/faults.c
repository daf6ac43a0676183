// Calls that fail on purpose, for a program that is started with LD_PRELOAD=.../libbristle_faults.so:
//
//     FAULT_CALL=malloc|write|fsync|flock   which call; without it nothing fails
//     FAULT_AT=K                            the K-th call (from 1) fails, and with FAULT_ON=1 all after it
//     FAULT_COUNT=FILE                      the number of calls is written there at the end
//
// A crash ends the program with exit code 99 and a line that says in which library it happened and who had asked for the
// memory that it did not get: "crash in libfyaml.so.0, refused libfyaml.so.0".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { MALLOC, WRITE, FSYNC, FLOCK, CALLS, CRASH_CODE = 99, DEPTH = 64 };

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static int call = -1, lasting;
static long at;
static atomic_long count;
static void *refused[DEPTH];
static int refused_depth;
static _Thread_local int inside; // the fault library's own calls never fail

static int strikes(int which, int depth_wanted) {
    if (which != call || inside) return 0;
    const long k = atomic_fetch_add(&count, 1) + 1;
    const int hit = at > 0 && (k == at || (lasting && k > at));
    if (hit && depth_wanted && refused_depth == 0) {
        inside = 1;
        refused_depth = backtrace(refused, DEPTH);
        inside = 0;
    }
    return hit;
}

// ------------------------------------------------------------------------------------------------------- the calls

static void *no_more(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) {
    return strikes(MALLOC, 1) ? no_more() : __libc_malloc(size);
}

void *calloc(size_t n, size_t size) {
    return strikes(MALLOC, 1) ? no_more() : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size) {
    return strikes(MALLOC, 1) ? no_more() : __libc_realloc(old, size);
}

void *memalign(size_t align, size_t size) {
    return strikes(MALLOC, 1) ? no_more() : __libc_memalign(align, size);
}

void *aligned_alloc(size_t align, size_t size) {
    return memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size) {
    void *p = memalign(align, size);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}

static void *next_of(const char *name) {
    inside++;
    void *found = dlsym(RTLD_NEXT, name);
    inside--;
    return found;
}

ssize_t write(int file, const void *bytes, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) *(void **)&real = next_of("write");
    if (file > 2 && strikes(WRITE, 0)) {
        errno = ENOSPC;
        return -1;
    }
    return real(file, bytes, size);
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) *(void **)&real = next_of("fsync");
    if (strikes(FSYNC, 0)) {
        errno = EIO;
        return -1;
    }
    return real(file);
}

int flock(int file, int operation) {
    static int (*real)(int, int);
    if (!real) *(void **)&real = next_of("flock");
    if (strikes(FLOCK, 0)) {
        errno = ENOLCK;
        return -1;
    }
    return real(file, operation);
}

// -------------------------------------------------------------------------------------------------------- crashes

static const char *module_of(void *address) {
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname) return "?";
    const char *slash = strrchr(info.dli_fname, '/');
    return slash ? slash + 1 : info.dli_fname;
}

static int is_plumbing(const char *module) {
    return strncmp(module, "libbristle_faults", 17) == 0 || strncmp(module, "libc.so", 7) == 0 ||
           strncmp(module, "ld-", 3) == 0 || strcmp(module, "linux-vdso.so.1") == 0 ||
           strncmp(module, "libm.so", 7) == 0;
}

static const char *who(void *const *frames, int depth) {
    for (int k = 0; k < depth; k++)
        if (!is_plumbing(module_of(frames[k]))) return module_of(frames[k]);
    return "libc";
}

static void on_crash(int number) {
    void *frames[DEPTH];
    char line[256];
    inside = 1;
    const int depth = backtrace(frames, DEPTH);
    const int size = snprintf(line, sizeof line, "crash in %s, refused %s, signal %d, allocation %ld\n",
                              who(frames, depth), who(refused, refused_depth), number, at);
    if (write(2, line, (size_t)size) < 0) _exit(CRASH_CODE);
    if (getenv("FAULT_TRACE")) backtrace_symbols_fd(frames, depth, 2);
    _exit(CRASH_CODE);
}

// Where the stack itself is full a handler needs another one.
static char other_stack[1 << 16];

__attribute__((constructor)) static void faults_begin(void) {
    static const char *const names[CALLS] = {"malloc", "write", "fsync", "flock"};
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    void *warm[2];
    inside = 1;
    backtrace(warm, 2); // loads what it needs now
    const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
    sigaltstack(&stack, NULL);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK;
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) sigaction(signals[k], &action, NULL);
    const char *which = getenv("FAULT_CALL"), *number = getenv("FAULT_AT");
    lasting = getenv("FAULT_ON") != NULL;
    at = number ? atol(number) : 0;
    for (int k = 0; which && k < CALLS; k++)
        if (strcmp(which, names[k]) == 0) call = k;
    inside = 0;
}

__attribute__((destructor)) static void faults_end(void) {
    const char *path = getenv("FAULT_COUNT");
    const long total = atomic_load(&count);
    inside = 1;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", total);
    fclose(file);
}
