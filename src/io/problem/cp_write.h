// Writing .cp files.
#ifndef BR_IO_PROBLEM_CP_WRITE_H
#define BR_IO_PROBLEM_CP_WRITE_H

#include "io/problem/data.h"

br_status br_io_cp_write(const io_data *d, const char *name, const char *path, br_error *error);

#endif
