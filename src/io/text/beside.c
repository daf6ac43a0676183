#include "io/text/beside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int climbs(const char *name) {
    for (const char *p = name; p;) {
        if (strncmp(p, "..", 2) == 0 && (p[2] == '/' || p[2] == '\0')) return 1;
        p = strchr(p, '/');
        if (p) p++;
    }
    return 0;
}

static int copy_path(const char *path, char out[PATH_MAX]) {
    const size_t size = strlen(path) + 1;
    if (size > PATH_MAX) return 0;
    memcpy(out, path, size);
    return 1;
}

io_beside br_io_find_beside(const char *folder, const char *name, char out[PATH_MAX]) {
    char joined[PATH_MAX];
    if (name[0] == '/' || climbs(name) || strchr(name, '\\')) return IO_BESIDE_OUTSIDE;
    const int length = snprintf(joined, sizeof joined, "%s/%s", folder, name);
    if (name[0] == '\0' || length >= (int)sizeof joined) return IO_BESIDE_UNUSABLE;
    char *real = realpath(joined, NULL);
    if (!real) return IO_BESIDE_MISSING;
    const size_t n = strlen(folder);
    const int inside = strncmp(real, folder, n) == 0 && real[n] == '/' && copy_path(real, out);
    free(real);
    return inside ? IO_BESIDE_FOUND : IO_BESIDE_LINK;
}

io_beside br_io_find_anywhere(const char *folder, const char *name, char out[PATH_MAX]) {
    char joined[PATH_MAX];
    const int absolute = name[0] == '/';
    const int length =
        snprintf(joined, sizeof joined, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", name);
    if (name[0] == '\0' || length >= (int)sizeof joined) return IO_BESIDE_UNUSABLE;
    char *real = realpath(joined, NULL);
    const int found = real && copy_path(real, out);
    free(real);
    return found ? IO_BESIDE_FOUND : IO_BESIDE_MISSING;
}

int br_io_folder_of(const char *path, char out[PATH_MAX]) {
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0; // "/x" is in "/"
    if (length >= sizeof folder) return 0;
    memcpy(folder, path, length);
    folder[length] = '\0';
    char *real = realpath(length > 0 ? folder : ".", NULL);
    const int found = real && copy_path(real, out);
    if (found && strcmp(out, "/") == 0) out[0] = '\0';
    free(real);
    return found;
}
