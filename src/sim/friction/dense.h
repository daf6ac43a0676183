// The dense equations of an instant, as balance.c and balance_springs.c fill them. Private to this folder.
#ifndef BR_SIM_FRICTION_DENSE_H
#define BR_SIM_FRICTION_DENSE_H

#include "base/arena.h"
#include "sim/friction/friction.h"

struct br_dense {
    br_arena arena;
    int rows, touches, limits; // that there is room for
    br_balance balance;
    br_balance_work *work;
    double *transposed; // [6 links * rows] of br_absolute_rows
    br_absolute_row *row;
    br_wrench *F; // [links]
    double *aim;  // [4 * columns] of br_dense_lines
    double *form; // all forms one after the other, columns each
    int forms;
    char (*pad_name)[BR_MAX_EVENT_NAME];
    br_vec3 e1, e2; // of planar models
    int per_link;
};

// Adds factor F to the entries of a link in `to`, a column of A where stride is the number of columns, or a vector where it is 1.
void br_dense_put(const br_sim *sim, const struct br_dense *dense, int link, br_wrench F, double factor,
                  double *to, int stride);
void br_dense_clear(br_balance *balance, int column);

#endif
