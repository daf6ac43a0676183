// Which velocities of a global problem belong together. Files number velocities from 0 to n - 1 and do not say where
// one body ends and the next begins; the matrices tell.
#include "io/assemble.h"

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

// The largest size that divides n, keeps M block diagonal and does not make contacts touch velocities they have
// nothing to do with. Two point masses taken as one node of 6 cost four times the work of nodes of 3; a body whose
// contact happens to leave one of its 6 velocities alone costs 1.44 times that of single velocities: hence 2.
int io_choose_node_dim(const io_sparse *M, const io_sparse *J, const br_law *laws, int law_count, int dimension) {
    static const double MOST_WORK = 2.0; // times the least
    static const int spatial[] = {6, 3, 2, 1}, planar[] = {3, 2, 1, 1}, coupled[] = {3, 1, 1, 1};
    const int *sizes = dimension == 3 ? spatial : planar;
    if (!(M->rows % sizes[0] == 0 && is_block_diagonal(M, sizes[0])) && !is_block_diagonal(M, 3) && !is_block_diagonal(M, 2))
        sizes = coupled;
    double cost[4], least = 0;
    int usable[4];
    for (int k = 0; k < 4; k++) {
        usable[k] = M->rows % sizes[k] == 0 && (sizes == coupled || sizes[k] == 1 || is_block_diagonal(M, sizes[k]));
        if (!usable[k]) continue;
        cost[k] = work(J, laws, law_count, sizes[k]);
        if (k == 0 || least == 0 || cost[k] < least) least = cost[k];
    }
    for (int k = 0; k < 4; k++)
        if (usable[k] && cost[k] <= MOST_WORK * least) return sizes[k];
    return 1;
}
