// Who may write a result: one run at a time. The file that is there already is locked until it is replaced, and the new
// one from the moment it exists, so a second run finds a lock whichever of the two it opens.
#ifndef BR_IO_RESULT_CLAIM_H
#define BR_IO_RESULT_CLAIM_H

#include "io/text/temporary.h"

typedef struct io_claim {
    int older;  // the file that is there already, open; -1: none
    int locked; // 0: this file system has no locks
} io_claim;

// Fails, naming the process, where another run writes to the target. t is reserved already.
br_status br_io_claim(io_claim *c, const io_temporary *t, br_error *error);
// Gives the temporary file its name, for good. Its descriptor stays open. A run that came in between is respected.
br_status br_io_claim_take(io_claim *c, io_temporary *t, br_error *error);
void br_io_claim_drop(io_claim *c);
int br_io_claim_has_older(const io_claim *c); // 1: a file with something in it would be replaced

#endif
