// Inside of a br_problem_file.
#ifndef BR_IO_PROBLEM_PROBLEM_FILE_H
#define BR_IO_PROBLEM_PROBLEM_FILE_H

#include "io/problem/data.h"

struct br_problem_file {
    br_arena arena; // holds everything, this struct included
    io_data data;
    br_problem problem;
    int node_dim;
    const char *name;
};

#endif
