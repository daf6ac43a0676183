// Solves the problem files of a folder by the library's default choice and judges each answer by judge.h.
#ifndef PROBLEM_SET_H
#define PROBLEM_SET_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "bristle/io.h"
#include "judge.h"
#include "near.h"

#ifndef BRISTLE_SOURCE_DIR
#define BRISTLE_SOURCE_DIR "."
#endif

#define SET_RESIDUAL 1e-8 // what the default choice promises
#define SET_SECONDS 30.0  // for one problem

typedef struct set_answer {
    br_outcome outcome;
    double residual, judged, seconds;
    double *p; // to be freed
    int rows;
    char path[BR_MAX_PATH];
} set_answer;

static inline double set_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline set_answer set_solve(const char *path) {
    br_error error = {BR_OK, NULL, "", "", 0, 0, ""};
    br_problem_file *file = NULL;
    br_solver *solver = NULL;
    br_solve_report report;
    const br_solver_def def = br_default_solver_def();
    br_status status = br_problem_file_read(path, NULL, &file, &error);
    if (status != BR_OK) fail_msg("%s:%d: %s", path, error.line, error.message);
    const br_problem *problem = br_problem_file_problem(file);
    const br_problem_info info = br_problem_file_info(file);
    double *p = (double *)calloc((size_t)info.unknowns + 1, sizeof *p),
           *w = (double *)calloc((size_t)info.unknowns + 1, sizeof *w);
    double *v = (double *)calloc((size_t)info.velocities + 1, sizeof *v);
    br_solution solution = {p, w, v, 0};
    status = br_solver_create(&def, &solver, &error);
    if (status == BR_OK) status = br_solver_setup(solver, problem, &error);
    const double begin = set_now();
    if (status == BR_OK) status = br_solver_solve(solver, problem, &solution, &report, &error);
    if (status != BR_OK) fail_msg("%s: %s", path, error.message);
    set_answer answer = {.outcome = report.outcome,
                         .residual = report.residual,
                         .seconds = set_now() - begin,
                         .p = p,
                         .rows = info.rows};
    answer.judged = judge(problem, p, w);
    memcpy(answer.path, report.path, sizeof answer.path);
    br_solver_destroy(solver);
    br_problem_file_free(file);
    free(w);
    free(v);
    return answer;
}

// 1 when the answer is as good as promised; prints what is not.
static inline int set_is_solved(const char *name, const set_answer *a) {
    const int good = a->outcome == BR_CONVERGED && a->residual <= SET_RESIDUAL && a->judged <= SET_RESIDUAL &&
                     a->seconds <= SET_SECONDS;
    if (!good)
        print_error("%s: %s, residual %.3e, judged %.3e, %.3f s, path %s\n", name,
                    br_outcome_name(a->outcome), a->residual, a->judged, a->seconds, a->path);
    return good;
}

// The problems of the complementarity set that have no solution.
static inline int set_has_no_solution(const char *name) {
    return strncmp(name, "none_", 5) == 0 || strcmp(name, "Rectangular_mlcp.cp") == 0;
}

static inline int set_is_as_expected(const char *name, const set_answer *a) {
    if (!set_has_no_solution(name)) return set_is_solved(name, a);
    if (a->outcome == BR_INFEASIBLE) return 1;
    print_error("%s: %s with path %s, expected infeasible\n", name, br_outcome_name(a->outcome), a->path);
    return 0;
}

// Runs `each` on every .cp file of the folder in alphabetical order; -1 when there is no such folder, else failures.
static inline int set_for_each(const char *folder, int (*each)(const char *path, const char *name),
                               int *files) {
    struct dirent **list;
    const int count = scandir(folder, &list, NULL, alphasort);
    if (count < 0) return -1;
    int failures = 0;
    *files = 0;
    for (int k = 0; k < count; k++) {
        const char *name = list[k]->d_name;
        const size_t n = strlen(name);
        if (n > 3 && strcmp(name + n - 3, ".cp") == 0) {
            char path[1024];
            snprintf(path, sizeof path, "%.700s/%.255s", folder, name);
            failures += !each(path, name);
            (*files)++;
        }
        free(list[k]);
    }
    free(list);
    return failures;
}

// An optional folder of larger public problem sets: $BRISTLE_SHARED, or shared/ beside the source.
static inline const char *set_shared(const char *below) {
    static char path[1024];
    const char *shared = getenv("BRISTLE_SHARED");
    snprintf(path, sizeof path, "%.700s/%.200s", shared ? shared : BRISTLE_SOURCE_DIR "/../shared", below);
    return path;
}

// Runs `each` on an optional folder and prints how many were solved; skips the test when there is no such folder.
static inline void set_check_optional(const char *below, int (*each)(const char *path, const char *name),
                                      int *skipped) {
    int files = 0;
    const char *folder = set_shared(below);
    const int failures = set_for_each(folder, each, &files);
    if (failures < 0) {
        ++*skipped;
        print_message("SKIPPED: there is no folder %s (optional: larger public problem sets)\n", folder);
        skip();
    }
    print_message("%d of %d problems in %s\n", files - failures, files, folder);
    assert_int_equal(failures, 0);
}

// What main returns: a program that skipped all its tests says so to CTest, which then shows it as skipped.
static inline int set_exit_code(int failures, int skipped, int tests) {
    return failures == 0 && skipped == tests ? 77 : failures;
}

#endif
