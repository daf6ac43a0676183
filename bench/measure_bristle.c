// Our own solver: set up from nothing, solved from nothing, and solved again from the answer of a neighbouring step.
#include "measure.h"

#include "random.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANGE 0.01 // of the free velocity's size: how far the next step is from this one

typedef struct bristle_job {
    const contact_problem *problem;
    judge *j;
    const measure_options *options;
} bristle_job;

typedef struct answer {
    double *p, *w;
} answer;

static br_solver *set_up(const bristle_job *job, const br_problem *problem) {
    br_solver_def def = br_default_solver_def();
    br_solver *solver = NULL;
    br_error error;
    def.tol = job->options->tol;
    if (br_solver_create(&def, &solver, &error) != BR_OK ||
        br_solver_setup(solver, problem, &error) != BR_OK) {
        br_solver_destroy(solver);
        return NULL;
    }
    return solver;
}

// Best time of creating and setting up; each repeat starts without anything that could have been cached.
static br_solver *time_setup(const bristle_job *job, const br_problem *problem, double *best) {
    br_solver *solver = NULL;
    const double since = clock_seconds();
    int done = 0;
    *best = DBL_MAX;
    do {
        br_solver_destroy(solver);
        const double start = stopwatch_seconds();
        solver = set_up(job, problem);
        *best = fmin(*best, stopwatch_seconds() - start);
        if (!solver) return NULL;
    } while (measure_again(job->options, ++done, since));
    return solver;
}

// Best time of solving; guess NULL for a cold start. The report is the last one's: all are the same.
static int time_solve(const bristle_job *job, br_solver *solver, const br_problem *problem,
                      const double *guess, const answer *a, br_solve_report *report, double *best,
                      int *repeats) {
    const size_t bytes = sizeof(double) * (size_t)problem->rows;
    const double since = clock_seconds();
    br_solution solution = {.p = a->p, .w = a->w, .warm = guess != NULL};
    br_error error;
    *best = DBL_MAX;
    *repeats = 0;
    do {
        if (guess)
            memcpy(a->p, guess, bytes);
        else
            memset(a->p, 0, bytes);
        const double start = stopwatch_seconds();
        if (br_solver_solve(solver, problem, &solution, report, &error) != BR_OK) return 0;
        *best = fmin(*best, stopwatch_seconds() - start);
    } while (measure_again(job->options, ++*repeats, since));
    return 1;
}

// The same contacts a moment later: every velocity moved by CHANGE of the typical free one.
static contact_problem *next_step(const contact_problem *problem) {
    contact_problem *next = contact_problem_copy(problem);
    const double *q = problem->momentum;
    double sum = 0;
    const long n = (long)problem->bodies * BODY_DIM;
    uint64_t state = 1;
    for (long i = 0; i < n; i++) {
        const double m = problem->mass[i / BODY_DIM * MASS_BLOCK + i % BODY_DIM * (BODY_DIM + 1)];
        sum += q[i] * q[i] / (m * m);
    }
    const double typical = n ? sqrt(sum / (double)n) : 0;
    for (long i = 0; i < n; i++) {
        const double *M = problem->mass + i / BODY_DIM * MASS_BLOCK;
        const double change = CHANGE * typical * random_normal(&state);
        for (int k = 0; k < BODY_DIM; k++)
            next->momentum[i / BODY_DIM * BODY_DIM + k] += M[k * BODY_DIM + i % BODY_DIM] * change;
    }
    return next;
}

static void run_warm(const bristle_job *job, br_solver *solver, const double *guess, run *result) {
    contact_problem *next = next_step(job->problem);
    judge *j = judge_create(next);
    const br_problem problem = contact_problem_view(next);
    const answer a = {bench_alloc(problem.rows, sizeof(double)), bench_alloc(problem.rows, sizeof(double))};
    br_solve_report report;
    int repeats;
    if (time_solve(job, solver, &problem, guess, &a, &report, &result->warm, &repeats)) {
        result->warm_residual = judge_answer(j, a.p);
        memcpy(result->warm_path, report.path, sizeof result->warm_path);
    }
    if (!time_solve(job, solver, &problem, NULL, &a, &report, &result->warm_cold, &repeats))
        result->warm_cold = 0;
    free(a.p);
    free(a.w);
    judge_destroy(j);
    contact_problem_destroy(next);
}

static void run_bristle(void *context, run *result) {
    const bristle_job *job = context;
    const br_problem problem = contact_problem_view(job->problem);
    const answer a = {bench_alloc(problem.rows, sizeof(double)), bench_alloc(problem.rows, sizeof(double))};
    br_solver *solver = time_setup(job, &problem, &result->setup);
    br_solve_report report;
    if (solver && time_solve(job, solver, &problem, NULL, &a, &report, &result->solve, &result->repeats)) {
        result->residual = judge_answer(job->j, a.p);
        result->solved = report.outcome == BR_CONVERGED;
        result->iterations = report.iterations;
        memcpy(result->path, report.path, sizeof result->path);
        result->state = RUN_DONE;
        run_warm(job, solver, a.p, result);
    }
    br_solver_destroy(solver);
    free(a.p);
    free(a.w);
}

run measure_bristle(const contact_problem *problem, judge *j, const measure_options *options) {
    bristle_job job = {problem, j, options};
    return measure_in_child(run_bristle, &job, options->cap, 0);
}
