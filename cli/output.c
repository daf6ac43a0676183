#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAIL = 48, ATTEMPTS = 100 }; // bytes that tell a temporary name from others; names that are tried

static void forget(cli_output *out) {
    free(out->target);
    free(out->temporary);
    *out = (cli_output){0};
}

// A terminal or a pipe cannot be replaced.
static int is_in_place(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

static FILE *make_temporary(cli_output *out) {
    const size_t room = strlen(out->target) + TAIL;
    out->temporary = malloc(room);
    for (int k = 0; out->temporary && k < ATTEMPTS; k++) {
        snprintf(out->temporary, room, "%s.tmp-%ld-%d", out->target, (long)getpid(), k);
        const int file = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (file >= 0) return fdopen(file, "w");
        if (errno != EEXIST) break;
    }
    return NULL;
}

int cli_output_open(cli_output *out, const char *path) {
    *out = (cli_output){0};
    if (is_in_place(path)) {
        out->file = fopen(path, "w");
        return out->file != NULL;
    }
    out->target = realpath(path, NULL); // a link stays one: the file behind it is replaced
    if (!out->target) out->target = strdup(path);
    out->file = out->target ? make_temporary(out) : NULL;
    if (out->file) return 1;
    const int why = errno;
    forget(out);
    errno = why;
    return 0;
}

int cli_output_close(cli_output *out, int whole) {
    int why = whole && !ferror(out->file) ? 0 : errno;
    int done = whole && !ferror(out->file);
    if (fclose(out->file) != 0 && done) done = 0, why = errno;
    if (done && out->temporary && rename(out->temporary, out->target) != 0) done = 0, why = errno;
    if (!done && out->temporary) unlink(out->temporary);
    forget(out);
    errno = why;
    return done;
}
