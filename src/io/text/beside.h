// Files that a model names: looked for in the model's own folder and below, nowhere else.
#ifndef BR_IO_TEXT_BESIDE_H
#define BR_IO_TEXT_BESIDE_H

#include <limits.h>

typedef enum io_beside {
    IO_BESIDE_FOUND = 0,
    IO_BESIDE_OUTSIDE,  // absolute, or climbs out with ..
    IO_BESIDE_UNUSABLE, // empty or too long
    IO_BESIDE_MISSING,
    IO_BESIDE_LINK, // a link that leads out of the folder
} io_beside;

// folder: links resolved, without a final slash. out: the file, links resolved; untouched unless it was found.
io_beside br_io_find_beside(const char *folder, const char *name, char out[PATH_MAX]);

// The same where files may lie anywhere: FOUND, UNUSABLE or MISSING.
io_beside br_io_find_anywhere(const char *folder, const char *name, char out[PATH_MAX]);

// The folder of a file, links resolved, without a final slash. 0: there is none, or its name is too long.
int br_io_folder_of(const char *path, char out[PATH_MAX]);

#endif
