// The reader of .cp files (docs/guide/cp-format.md).
#ifndef BR_IO_PROBLEM_CP_READ_H
#define BR_IO_PROBLEM_CP_READ_H

#include "io/problem/data.h"
#include "io/text/text.h"

// Fills *data from the text; what stays goes to `keep`, the rest to `scratch`. The result still needs io_data_check.
br_status br_io_cp_read(io_text *text, br_arena *keep, br_arena *scratch, io_data *data, br_error *error);

#endif
