// A folder of its own for the files that a test makes. temp_folder_make and temp_folder_remove are cmocka group
// setup and teardown; the folder is flat.
#ifndef TEMP_FILE_H
#define TEMP_FILE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "near.h"

static char temp_folder[64];

static inline const char *temp_path(const char *name) {
    static char path[4][160]; // a few may be in use at the same time
    static int next;
    char *out = path[next++ % 4];
    snprintf(out, sizeof path[0], "%.60s/%.90s", temp_folder, name);
    return out;
}

static inline const char *temp_write_bytes(const char *name, const void *bytes, size_t size) {
    const char *path = temp_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static inline const char *temp_write(const char *name, const char *text) {
    return temp_write_bytes(name, text, strlen(text));
}

static inline char *temp_read(const char *path) { // to be freed
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    char *text = (char *)malloc((size_t)size + 1);
    assert_int_equal(fread(text, 1, (size_t)size, file), size);
    text[size] = '\0';
    fclose(file);
    return text;
}

static inline int temp_folder_count(void) { // files in it
    int count = 0;
    DIR *dir = opendir(temp_folder);
    for (const struct dirent *e; (e = readdir(dir));) count += e->d_name[0] != '.';
    closedir(dir);
    return count;
}

static inline int temp_folder_make(void **state) {
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(temp_folder, sizeof temp_folder, "%.40s/bristle-XXXXXX",
             base && strlen(base) < 40 ? base : "/tmp");
    return mkdtemp(temp_folder) ? 0 : -1;
}

static inline int temp_folder_remove(void **state) {
    (void)state;
    DIR *dir = opendir(temp_folder);
    if (!dir) return -1;
    for (const struct dirent *e; (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlink(temp_path(e->d_name));
    closedir(dir);
    return rmdir(temp_folder);
}

#endif
