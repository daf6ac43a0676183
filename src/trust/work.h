// What verdicts cost, counted and never timed: multiply-adds that follow from the sizes of what is done (pivots of linear programs,
// nodes of searches, decompositions, steps of the simulation), so that a search ends at the same place on every machine. One is
// about a nanosecond where this was measured.
#ifndef BR_TRUST_WORK_H
#define BR_TRUST_WORK_H

typedef struct br_work {
    double used, most;
    void (*tell)(void *context); // now and then; NULL: nobody listens
    void *context;
} br_work;

// A NULL work has no end, and nobody counts.
static inline int br_work_left(const br_work *work) {
    return !work || work->used < work->most;
}

// 0: it is used up.
static inline int br_work_spend(br_work *work, double amount) {
    if (!work) return 1;
    work->used += amount;
    return work->used < work->most;
}

static inline void br_work_tell(const br_work *work) {
    if (work && work->tell) work->tell(work->context);
}

// The decomposition of a matrix into singular values and vectors, in blocks that suit the machine: fast for its size.
static inline double br_work_of_span(int rows, int cols) {
    const double few = rows < cols ? rows : cols;
    return 2000.0 + 2.0 * (double)rows * cols * few + (double)cols * cols * few;
}

// A balance with its rows held, of n equations and so many columns: M and the rows' matrix factored, by plain loops.
static inline double br_work_of_hold(int n, int columns) {
    return 1000.0 + (double)n * n * (n / 3.0 + columns) + (double)columns * columns * (columns / 3.0 + n);
}

// What dependent rows take beyond: their columns are turned against each other, pair by pair, until they are orthogonal.
static inline double br_work_of_turns(int n, int columns) {
    return 24.0 * (double)n * columns * columns;
}

#endif
