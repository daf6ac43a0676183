// Taking up a result that a run left unfinished.
#ifndef BR_IO_RESULT_CONTINUE_H
#define BR_IO_RESULT_CONTINUE_H

#include "io/result/result.h"

// Takes up a result that was left without its end, or with one that says interrupted: records from the byte `from` on (0: all but the header) are given again
// by the caller and held against those that are there, then new ones follow. What is there of an end is cut off.
br_status br_io_result_continue(const char *path, uint64_t from, const br_allocator *allocator,
                                br_result_writer **out, br_error *error);

#endif
