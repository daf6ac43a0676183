#include "io/text/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static struct flock whole_file(void) {
    struct flock l;
    memset(&l, 0, sizeof l);
    l.l_type = F_WRLCK;
    l.l_whence = SEEK_SET;
    return l;
}

// flock decides: it goes with the descriptor. The record lock beside it, which any close of the file in this process may
// drop, only tells others which process it is.
io_lock br_io_lock(int file) {
    struct flock named = whole_file();
    while (flock(file, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        return errno == EWOULDBLOCK ? IO_LOCK_HELD : IO_LOCK_NONE;
    }
    (void)!fcntl(file, F_SETLK, &named); // without it the lock holds as well, but nameless
    return IO_LOCK_OURS;
}

void br_io_unlock(int file) {
    flock(file, LOCK_UN);
}

long br_io_lock_holder(int file) {
    struct flock l = whole_file();
    if (fcntl(file, F_GETLK, &l) != 0 || l.l_type == F_UNLCK || l.l_pid < 0) return 0;
    return (long)l.l_pid;
}

int br_io_is_file_at(int file, const char *path) {
    struct stat open_one, there;
    return fstat(file, &open_one) == 0 && stat(path, &there) == 0 && open_one.st_dev == there.st_dev &&
           open_one.st_ino == there.st_ino;
}
