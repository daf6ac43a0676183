// Checkpoints of a run: the state from which it can be taken up again, in a file beside its result, and the one before that.
//
//     mark (8 bytes) | model hash u64 | from u64 | row, seconds: doubles | size u64 | state | checksum u64 of all before it
//
// The result is on the disk up to `from` before its checkpoint is written; the file is made under another name, waits for the disk and is
// then renamed, the one before it having been renamed first. So a crash at any time leaves one that is whole.
#ifndef BR_IO_CHECKPOINT_H
#define BR_IO_CHECKPOINT_H

#include "base/arena.h"
#include "bristle/base.h"

typedef struct io_checkpoint {
    uint64_t model_hash;
    uint64_t from;  // byte of the result at which the records after this state begin
    double row;     // number of the next row, from 0
    double seconds; // that the run has taken
    size_t size;
    const void *state; // as br_sim_save gives it
} io_checkpoint;

enum { IO_CHECKPOINTS = 2 }; // that are kept

br_status br_io_checkpoint_write(const char *result, const io_checkpoint *checkpoint, br_error *error);
// The newest first; those that are missing or damaged are left out. *count: how many there are. Fails for want of memory only.
br_status br_io_checkpoint_read(const char *result, br_arena *arena, io_checkpoint out[IO_CHECKPOINTS],
                                int *count, br_error *error);
void br_io_checkpoint_remove(const char *result); // both

#endif
