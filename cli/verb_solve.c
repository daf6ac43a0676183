// bristle solve FILE: a complementarity problem from a file, its answer, and how good it is.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bristle/io.h"
#include "bristle/solver.h"
#include "cli.h"

enum { SHOWN_ROWS = 5, JSON_ROWS = 20 };

typedef struct request {
    const char *path, *output, *start;
    int json;
    double epsilon; // of the first stabilization [TanLiu sec. 5]
    br_solver_def def;
} request;

typedef struct job {
    br_problem_file *file;
    br_problem_info info;
    const br_problem *problem;
    br_problem stabilized; // with its diagonal times 1 + epsilon
    double *value;         // its matrix; NULL: none
    double as_given;       // residual of the answer in the problem of the file
    br_solver *solver;
    br_solution solution;
    br_solve_report report;
    double read_seconds, setup_seconds, solve_seconds;
} job;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// --------------------------------------------------------------------------------------------------- arguments

static void print_trace(void *context, const br_trace *t) {
    (void)context;
    fprintf(stderr, "%-12s island %-4d iteration %-5d", br_solver_name(t->solver), t->island, t->iteration);
    if (isnan(t->residual))
        fprintf(stderr, " residual -        ");
    else
        fprintf(stderr, " residual %.3e", t->residual);
    if (isnan(t->step))
        fprintf(stderr, " step -     ");
    else
        fprintf(stderr, " step %.4f", t->step);
    if (isnan(t->measure))
        fprintf(stderr, " measure -\n");
    else
        fprintf(stderr, " measure %.3e\n", t->measure);
}

static int parse_solver(const char *name, br_solver_kind *out) {
    const br_solver_kind kind = br_solver_from_name(name);
    if (kind != BR_SOLVER_KINDS) {
        *out = kind;
        return 1;
    }
    const char *words[BR_SOLVER_KINDS];
    for (int k = 0; k < BR_SOLVER_KINDS; k++) words[k] = br_solver_name((br_solver_kind)k);
    const char *near = br_nearest_word(name, words, BR_SOLVER_KINDS);
    if (near) {
        cli_usage_error("solve", "there is no solver '%s'; did you mean %s?", name, near);
        return 0;
    }
    char all[256] = "";
    for (int k = 0; k < BR_SOLVER_KINDS; k++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", k ? ", " : "", words[k]);
    }
    cli_usage_error("solve", "there is no solver '%s'; the solvers are %s", name, all);
    return 0;
}

static int solve_parse_request(int argc, char **argv, request *r) {
    const char *solver = NULL, *tol = NULL, *iterations = NULL, *threads = NULL, *shift = NULL,
               *epsilon = NULL, *scale = NULL;
    const char *plain[1] = {NULL};
    int trace = 0, count = 0;
    memset(r, 0, sizeof *r);
    r->def = br_default_solver_def();
    const cli_option options[] = {
        {"--solver", &solver, NULL},
        {"--tol", &tol, NULL},
        {"--max-iterations", &iterations, NULL},
        {"--threads", &threads, NULL},
        {"--lemke-shift", &shift, NULL},
        {"--lemke-scale", &scale, NULL},
        {"--epsilon", &epsilon, NULL},
        {"--trace", NULL, &trace},
        {"--json", NULL, &r->json},
        {"--output|-o", &r->output, NULL},
        {"--start", &r->start, NULL},
    };
    if (!cli_parse(argc, argv, options, (int)(sizeof options / sizeof *options), plain, 1, &count)) return 0;
    if (count == 0) {
        cli_usage_error("solve", "expected a problem file");
        return 0;
    }
    r->path = plain[0];
    if (solver && !parse_solver(solver, &r->def.kind)) return 0;
    if (tol && !cli_parse_positive("solve", "--tol", tol, &r->def.tol)) return 0;
    if (iterations &&
        !cli_parse_whole("solve", "--max-iterations", iterations, 0, 1000000000, &r->def.max_iterations))
        return 0;
    if (threads && !cli_parse_whole("solve", "--threads", threads, 1, BR_MAX_THREADS, &r->def.threads))
        return 0;
    if (shift && !cli_parse_not_negative("solve", "--lemke-shift", shift, &r->def.lemke_shift)) return 0;
    if (scale && !cli_parse_positive("solve", "--lemke-scale", scale, &r->def.lemke_scale)) return 0;
    if (scale && r->def.kind != BR_SOLVER_LEMKE) {
        cli_usage_error("solve", "--lemke-scale is an option of --solver lemke");
        return 0;
    }
    if (epsilon && !cli_parse_not_negative("solve", "--epsilon", epsilon, &r->epsilon)) return 0;
    if (r->output && cli_same_file(r->path, r->output)) {
        cli_usage_error("solve", "-o names the problem file itself; choose another name");
        return 0;
    }
    if (trace) {
        r->def.trace = print_trace;
        r->def.threads = 1; // lines in order; the answer does not depend on the number of threads
    }
    return 1;
}

// ------------------------------------------------------------------------------------------------------ the work

static br_status solve_prepare(const request *r, job *j, br_error *error) {
    double begin = now();
    br_status status = br_problem_file_read(r->path, NULL, &j->file, error);
    if (status != BR_OK) return status;
    j->read_seconds = now() - begin;
    j->info = br_problem_file_info(j->file);
    j->problem = br_problem_file_problem(j->file);
    const size_t rows = (size_t)j->info.unknowns + 1,
                 velocities = (size_t)j->info.velocities + 1; // never 0 bytes
    j->solution.p = calloc(rows, sizeof(double));
    j->solution.w = calloc(rows, sizeof(double));
    j->solution.v = calloc(velocities, sizeof(double));
    if (!j->solution.p || !j->solution.w || !j->solution.v)
        return cli_no_memory(error, "not enough memory for the answer");
    if (r->start) {
        status = br_solution_read(j->file, r->start, j->solution.p, error);
        j->solution.warm = 1;
    }
    return status;
}

// A_ii := (1 + epsilon) A_ii of the matrix as it is in the file.
static br_status stabilize(const request *r, job *j, br_error *error) {
    if (j->problem->form != BR_FORM_MATRIX)
        return cli_error(
            error, BR_INVALID, "solve-epsilon", r->path, 0,
            "--epsilon changes the diagonal of a matrix, and a problem of type %s has none: only its "
            "parts",
            br_problem_type_name(j->info.type));
    const br_matrix_form *matrix = &j->problem->matrix;
    const int rows = j->problem->rows;
    j->value = calloc((size_t)matrix->row_start[rows] + 1, sizeof *j->value);
    if (!j->value) return cli_no_memory(error, "not enough memory for the matrix");
    for (int i = 0; i < rows; i++)
        for (int k = matrix->row_start[i]; k < matrix->row_start[i + 1]; k++)
            j->value[k] = matrix->value[k] * (matrix->column[k] == i ? 1.0 + r->epsilon : 1.0);
    j->stabilized = *j->problem;
    j->stabilized.matrix.value = j->value;
    return BR_OK;
}

static br_status solve_problem(const request *r, job *j, br_error *error) {
    double begin = now();
    br_status status = r->epsilon > 0 ? stabilize(r, j, error) : BR_OK;
    const br_problem *problem = j->value ? &j->stabilized : j->problem;
    if (status == BR_OK) status = br_solver_create(&r->def, &j->solver, error);
    if (status == BR_OK) status = br_solver_setup(j->solver, problem, error);
    if (status != BR_OK) return status;
    j->setup_seconds = now() - begin;
    begin = now();
    status = br_solver_solve(j->solver, problem, &j->solution, &j->report, error);
    j->solve_seconds = now() - begin;
    if (status == BR_OK && j->value) { // the report's certificate is the solver's until its next call
        const double *certificate = j->report.certificate;
        if (!certificate)
            status =
                br_solver_residual(j->solver, j->problem, j->solution.p, NULL, NULL, &j->as_given, error);
    }
    return status;
}

static int has_answer(br_outcome outcome) {
    return outcome != BR_INFEASIBLE && outcome != BR_RAY;
}

static br_status write_answer(const request *r, const job *j, br_error *error) {
    char comment[128];
    if (!r->output || !has_answer(j->report.outcome)) return BR_OK;
    snprintf(comment, sizeof comment, "%s: best found, residual %.3e", br_outcome_name(j->report.outcome),
             j->report.residual);
    return br_solution_write(j->file, &j->solution, j->report.outcome == BR_CONVERGED ? NULL : comment,
                             r->output, error);
}

static void clean(job *j) {
    br_solver_destroy(j->solver);
    free(j->solution.p);
    free(j->solution.w);
    free(j->solution.v);
    free(j->value);
    br_problem_file_free(j->file);
}

// ------------------------------------------------------------------------------------------------------- output

static const char *proof_name(br_proof proof) {
    static const char *const names[] = {"none", "certificate", "enumeration"};
    return names[proof];
}

// The rows that weigh most in the proof that there is no solution: where to look for the conflict. Returns how many.
static int certificate_rows(const job *j, int most, int *row, double *weight) {
    const double *r = j->report.certificate;
    int count = 0;
    if (j->report.outcome != BR_INFEASIBLE || !r) return 0;
    for (; count < most; count++) {
        int best = -1;
        for (int k = 0; k < j->info.rows; k++) {
            int taken = r[k] == 0;
            for (int s = 0; s < count; s++) taken |= row[s] == k;
            if (!taken && (best < 0 || fabs(r[k]) > fabs(r[best]))) best = k;
        }
        if (best < 0) break;
        row[count] = best;
        weight[count] = r[best];
    }
    return count;
}

static void print_json_certificate(br_json *json, const job *j) {
    int row[JSON_ROWS];
    double weight[JSON_ROWS];
    const int count = certificate_rows(j, JSON_ROWS, row, weight);
    if (count == 0) {
        br_json_null(json, "certificate");
        return;
    }
    br_json list = br_json_list(json, "certificate");
    for (int k = 0; k < count; k++) {
        br_json pair = br_json_list(&list, NULL);
        br_json_whole(&pair, NULL, row[k]);
        br_json_number(&pair, NULL, weight[k]);
        br_json_close_list(&pair);
    }
    br_json_close_list(&list);
}

static void print_json(const request *r, const job *j) {
    const br_solve_report *report = &j->report;
    br_json json = br_json_begin(stdout);
    br_json_string(&json, "status", br_outcome_name(report->outcome));
    br_json_number(&json, "residual", report->residual);
    br_json_whole(&json, "iterations", report->iterations);
    br_json_number(&json, "seconds", j->solve_seconds);
    br_json_string(&json, "solver", br_solver_name(report->solver));
    br_json_string(&json, "path", report->path);
    br_json_number(&json, "setup_seconds", j->setup_seconds);
    br_json_number(&json, "read_seconds", j->read_seconds);
    br_json_whole(&json, "factorizations", report->factorizations);
    br_json_whole(&json, "islands", report->islands);
    br_json_number(&json, "tol", r->def.tol);
    br_json_number(&json, "epsilon", r->epsilon);
    br_json_number(&json, "residual_as_given",
                   j->value && !report->certificate ? j->as_given : report->residual);
    br_json_number(&json, "residual_of_load", report->residual_of_load);
    br_json_number(&json, "rounding_of_load", report->rounding_of_load);
    br_json_string(&json, "file", r->path);
    br_json_string(&json, "name", j->info.name);
    br_json_string(&json, "type", br_problem_type_name(j->info.type));
    br_json_whole(&json, "rows", j->info.rows);
    br_json_whole(&json, "contacts", j->info.contacts);
    br_json_whole(&json, "velocities", j->info.velocities);
    br_json_string(&json, "proof", report->proof == BR_PROOF_NONE ? NULL : proof_name(report->proof));
    print_json_certificate(&json, j);
    br_json_string(&json, "output", r->output && has_answer(report->outcome) ? r->output : NULL);
    br_json_end(&json);
}

static void print_size(const job *j) {
    const br_problem_info *i = &j->info;
    printf("problem     %s (%s): ", i->name, br_problem_type_name(i->type));
    if (i->contacts > 0 || i->dimension > 0)
        printf("%d contact%s, ", i->contacts, i->contacts == 1 ? "" : "s");
    printf("%d row%s", i->rows, i->rows == 1 ? "" : "s");
    if (i->equalities > 0) printf(" (%d equalit%s)", i->equalities, i->equalities == 1 ? "y" : "ies");
    if (i->unknowns != i->rows) printf(", %d unknown%s", i->unknowns, i->unknowns == 1 ? "" : "s");
    if (i->velocities > 0)
        printf(", %d velocit%s in nodes of %d", i->velocities, i->velocities == 1 ? "y" : "ies", i->node_dim);
    printf(", %zu matrix entr%s\n", i->entries, i->entries == 1 ? "y" : "ies");
}

static void print_certificate(const job *j) {
    int row[SHOWN_ROWS];
    double weight[SHOWN_ROWS];
    const int count = certificate_rows(j, SHOWN_ROWS, row, weight);
    if (count == 0) return;
    printf("certificate no p that the laws allow satisfies these rows together (row: weight)\n");
    for (int k = 0; k < count; k++) printf("            %d: %.6g\n", row[k], weight[k]);
}

static void print_next(const request *r, const job *j) {
    const br_outcome outcome = j->report.outcome;
    if (outcome == BR_CONVERGED && !r->output)
        cli_print_next(stdout, "next        ", "solve", r->path,
                       " -o answer.txt   (a line `p w` for each row)");
    else if (outcome == BR_CONVERGED)
        printf("written     %s\n", r->output);
    else if (outcome == BR_INFEASIBLE || outcome == BR_RAY)
        cli_print_next(stdout, "next        ", "solve", r->path,
                       r->output ? " --trace   (no answer: nothing was written)" : " --trace   (no answer)");
    else if (outcome == BR_ROUNDING) {
        char tol[64];
        snprintf(tol, sizeof tol, " --tol %.0e   (above what rounding leaves)",
                 pow(10.0, ceil(log10(2.0 * j->report.rounding_of_load))));
        cli_print_next(stdout, "next        ", "solve", r->path, tol);
    } else if (r->def.kind != BR_SOLVER_AUTO)
        cli_print_next(stdout, "next        ", "solve", r->path,
                       "   (auto chooses the method and falls back)");
    else
        cli_print_next(stdout, "next        ", "solve", r->path, " --trace --max-iterations 1000");
    if (outcome != BR_CONVERGED && has_answer(outcome) && r->output)
        printf("written     %s (the best found)\n", r->output);
}

static void solve_print_text(const request *r, const job *j) {
    const br_solve_report *report = &j->report;
    printf("status      %s\n", br_outcome_name(report->outcome));
    if (report->outcome == BR_INFEASIBLE) printf("proof       %s\n", proof_name(report->proof));
    if (report->outcome == BR_INFEASIBLE)
        printf("residual    -   (no solution)\n");
    else
        printf("residual    %.3e   (asked for %.3g)\n", report->residual, r->def.tol);
    if (report->outcome == BR_ROUNDING)
        printf("of the load %.3e   (rounding of impulses this large leaves %.1e)\n", report->residual_of_load,
               report->rounding_of_load);
    else if (report->residual <= r->def.tol && report->residual_of_load > r->def.tol)
        printf("of the load %.3e   (the impulses are so much larger than what they balance)\n",
               report->residual_of_load);
    if (j->value && !report->certificate)
        printf("as given    %.3e   (of the problem of the file: what epsilon costs)\n", j->as_given);
    printf("iterations  %d   (%d factorization%s)\n", report->iterations, report->factorizations,
           report->factorizations == 1 ? "" : "s");
    printf("seconds     %.6f   (setup %.6f, reading %.6f)\n", j->solve_seconds, j->setup_seconds,
           j->read_seconds);
    printf("solver      %s\n", br_solver_name(report->solver));
    printf("path        %s\n", report->path);
    printf("islands     %d\n", report->islands);
    print_size(j);
    print_certificate(j);
    print_next(r, j);
}

static int verb_solve(int argc, char **argv) {
    request r;
    job j;
    br_error error;
    memset(&j, 0, sizeof j);
    memset(&error, 0, sizeof error);
    if (!solve_parse_request(argc, argv, &r)) return EXIT_USAGE;
    br_status status = solve_prepare(&r, &j, &error);
    if (status == BR_OK) status = solve_problem(&r, &j, &error);
    if (status == BR_OK) status = write_answer(&r, &j, &error);
    int code = EXIT_USAGE;
    if (status != BR_OK) {
        // A fault that the solver found is still a fault of this file.
        if (error.file[0] == '\0') snprintf(error.file, sizeof error.file, "%s", r.path);
        cli_print_error(&error);
        code = status == BR_NUMERICAL ? EXIT_NUMERICAL : EXIT_USAGE;
    } else {
        (r.json ? print_json : solve_print_text)(&r, &j);
        code = j.report.outcome == BR_CONVERGED ? EXIT_FINE : EXIT_NUMERICAL;
    }
    clean(&j);
    return code;
}

const cli_verb cli_verb_solve = {
    .name = "solve",
    .summary = "solve a complementarity or contact problem file (.cp or FCLIB)",
    .help =
        "bristle solve FILE [options]\n\n"
        "FILE holds a linear, boxed or mixed complementarity problem or a frictional contact problem: .cp "
        "text, or\n"
        "an FCLIB HDF5 file. Prints the outcome, the residual of the answer, and how it was found.\n\n"
        "  --solver NAME        auto, newton, interior, gauss_seidel, accelerated, lemke, block_pivot, "
        "dantzig, "
        "enumerate\n"
        "  --tol T              residual to reach (1e-8)\n"
        "  --max-iterations N   of each method on the path; auto tries several. 0: the method's own limit\n"
        "  --threads N          independent parts of the problem are shared out; same answer for every N\n"
        "  --lemke-shift E      Lemke with its diagonal times 1 + E, then refined back to the problem as "
        "given\n"
        "  --lemke-scale S      Lemke with rows and columns of multipliers, whose diagonal is 0, times S; "
        "the "
        "answer is scaled\n"
        "                       back. Of a file of run --dump-lcp these are E and mu, and S is the step\n"
        "  --epsilon E          solves the problem with its diagonal times 1 + E, which is not refined back\n"
        "  --trace              one line for each iteration, on stderr\n"
        "  --json               one JSON object on stdout, also for an error\n"
        "  -o FILE              writes the answer, a line `p w` for each row; GFC: `# v` and the velocities "
        "follow\n"
        "  --start FILE         begins from the p of such a file\n\n"
        "Exit codes: 0 converged, 1 usage or bad file, 2 not converged or no solution.\n",
    .run = verb_solve,
};
