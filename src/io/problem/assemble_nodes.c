// Which velocities of a global problem belong together. Files number velocities from 0 to n - 1 and do not say where
// one body ends and the next begins; the matrices tell.
#include <math.h>

#include "io/problem/assemble.h"

static int is_block_diagonal(const io_sparse *M, int dim) {
    for (int i = 0; i < M->rows; i++)
        for (int k = M->start[i]; k < M->start[i + 1]; k++)
            if (M->value[k] != 0 && M->column[k] / dim != i / dim) return 0;
    return 1;
}

// Work that one law makes in the velocity space: the square of the velocities in the nodes that it touches.
// Nodes per law are few, so a short list does; beyond it every node counts as new, which only makes it dearer.
static double law_work(const io_sparse *J, const br_law *law, int dim) {
    enum { LIST = 64 };
    int list[LIST], count = 0;
    double touched = 0;
    for (int r = law->first_row; r < law->first_row + law->rows; r++)
        for (int k = J->start[r]; k < J->start[r + 1]; k++) {
            const int node = J->column[k] / dim;
            if (J->value[k] == 0) continue;
            int at = count - 1;
            while (at >= 0 && list[at] != node) at--;
            if (at >= 0) continue;
            if (count < LIST) list[count++] = node;
            touched += dim;
        }
    return touched * touched;
}

static double work(const io_sparse *J, const br_law *laws, int law_count, int dim) {
    double sum = 0;
    for (int c = 0; c < law_count; c++) sum += law_work(J, &laws[c], dim);
    return sum;
}

// The largest size that divides n and does not make contacts touch velocities they have nothing to do with. A planar
// body whose contacts happen to miss its rotation costs 2.25 times the work of single velocities, a sphere on the floor
// 1.44 times; a chain of point masses taken in pairs costs 2.5 times the work of single ones. The limit lies between.
// Where M couples everything, nodes of 3 or 1 have blocks of M between them; 6 and 2 only serve to split M.
int br_io_choose_node_dim(const io_sparse *M, const io_sparse *J, const br_law *laws, int law_count,
                          int dimension) {
    enum { SIZES = 4 };
    static const double MOST_WORK = 2.3; // times the least
    static const int spatial[SIZES] = {6, 3, 2, 1}, planar[SIZES] = {3, 2, 1, 1};
    const int *size = dimension == 3 ? spatial : planar;
    double cost[SIZES], least = INFINITY;
    for (int k = 0; k < SIZES; k++) {
        const int may_couple = size[k] == 3 || size[k] == 1;
        const int usable = M->rows % size[k] == 0 && (may_couple || is_block_diagonal(M, size[k]));
        cost[k] = usable ? work(J, laws, law_count, size[k]) : INFINITY;
        if (cost[k] < least) least = cost[k];
    }
    int k = 0;
    while (cost[k] > MOST_WORK * least) k++; // single velocities are always usable, so least is finite
    return size[k];
}
