// The residual that judges every answer in the benchmark, whoever gave it. Written here a second time, from its
// definition and not from src/lcp, so that the library does not mark its own work:
//
//     sqrt(sum d |p - P(p - g/d)|^2) / max(sqrt(sum d |p|^2), sqrt(sum |w_free|^2 / d)),    d = tr(W_cc) / 3
//
// with v recomputed from p, w = J v + b. Cone: g = w + mu |w_t| n and P projects on |p_t| <= mu p_n. Box: g = w and P
// clips p_n to [0, inf) and each p_t to [-mu p_n, mu p_n], p_n being the answer's own.
#ifndef BENCH_JUDGE_H
#define BENCH_JUDGE_H

#include "contact.h"

typedef struct judge judge;

typedef struct verdict {
    double cone, box;
} verdict;

judge *
judge_create(const contact_problem *problem); // borrows the problem; NULL when M is not positive definite
void judge_destroy(judge *j);
verdict judge_answer(judge *j, const double *p);

#endif
