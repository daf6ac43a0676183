// Locks on files, without waiting: who holds one is still writing.
#ifndef BR_IO_TEXT_LOCK_H
#define BR_IO_TEXT_LOCK_H

typedef enum io_lock {
    IO_LOCK_OURS = 0,
    IO_LOCK_HELD, // by another writer
    IO_LOCK_NONE, // this file system has no locks
} io_lock;

io_lock br_io_lock(int file); // until the descriptor is closed
void br_io_unlock(int file);
long br_io_lock_holder(int file);                 // process that writes; 0: not known
int br_io_is_file_at(int file, const char *path); // 1: the name leads to what the descriptor is open on

#endif
