// An unused name beside the file that is to be written, reserved as an empty file. What was written there gets the name
// of the target at once and whole. The file is locked until then, so that the next program can tell it from those that
// killed ones left behind, and removes only these.
#ifndef BR_IO_TEXT_TEMPORARY_H
#define BR_IO_TEXT_TEMPORARY_H

#include "bristle/base.h"

#define IO_MAX_PATH 4096

typedef struct io_temporary {
    const char *path;         // as the user wrote it
    char target[IO_MAX_PATH]; // the file behind it, links followed
    char name[IO_MAX_PATH + 32];
    int file; // open for writing and, where locks exist, locked; -1: none
    int locked;
} io_temporary;

br_status br_io_reserve(io_temporary *t, const char *path, br_error *error);
br_status br_io_commit(io_temporary *t, br_error *error); // to the disk, then renamed into place
void br_io_abandon(io_temporary *t);

// The parts of br_io_commit: to the disk; the name's folder to the disk, so that a crash does not undo the renaming.
int br_io_sync(int file); // 0: failed, errno says why
int br_io_sync_folder(const char *path);

#endif
