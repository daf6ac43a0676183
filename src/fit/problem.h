// The least-squares problem of a fit: places within the bounds to differences between predicted and measured.
#ifndef BR_FIT_PROBLEM_H
#define BR_FIT_PROBLEM_H

#include "fit/parameters.h"
#include "fit/predict.h"

typedef struct fit_problem {
    const br_measured *m;
    br_arena *arena;
    const fit_parameter *parameter; // [p]; none of them noise
    int p, threads;
    const unsigned char *active; // [recordings]; NULL: all count
    double sigma[FIT_MAX_GROUPS];
    int residuals;
    int *first;             // [recordings + 1] where each begins
    double skip;            // s: rows before are left out, for a delay
    long evaluations, most; // of all recordings
    br_error error;         // of the last run that failed
    // room
    double *predicted; // [batch * all rows * columns]
    fit_job *job;
    br_override *override;
    char (*text)[80];
    fit_shift *shift;
    double *gain, *bias; // [batch * columns]
    int senses;          // a gain or a bias is fitted
    int batch;           // places at a time
} fit_problem;

br_status br_problem_begin(fit_problem *problem, const br_measured *m, const fit_parameter *parameter, int p,
                           int threads, br_arena *arena, br_error *error);

// u [count * p]. r [count * residuals] (may be NULL), in standard deviations. cost [count]: the sum of squares, INFINITY where a
// run failed. by_recording [count * recordings] (may be NULL).
void br_problem_evaluate(fit_problem *problem, int count, const double *u, double *r, double *cost,
                         double *by_recording);

// The same as a least_evaluate; behind the last evaluation that is allowed there are no answers.
void br_problem_answer(void *problem, int count, const double *u, double *r, double *cost);

// What sensors show of every recording at one place: *predicted[k] as the recording has its values. Stays until the next call.
br_status br_problem_predict(fit_problem *problem, const double *u, const double **predicted,
                             br_error *error);

// Mean distance of a group over the rows of each recording in turn, [recordings]; NAN where a run failed.
void br_problem_errors(fit_problem *problem, const double *u, int group, double *mean);

#endif
