// bristle run --dump-lcp STEP: the contact problem of steps as w = A z + q, z = (f_n, f_d, lambda) [TanLiu eqs. 12-15], or as
// what the step itself solved, with bounds [Peiret2016 eq. 30].
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

// FILE.cp and FILE.json: the ending is exchanged, or added where there is none.
static br_status choose_paths(const run_request *r, run_job *j, br_error *error) {
    char ending[32];
    snprintf(ending, sizeof ending, ".step%d.cp", j->dumped);
    char *path = r->dump ? strdup(r->dump) : run_default_path(r, j->model, ending);
    char *json = path ? malloc(strlen(path) + sizeof ".json") : NULL;
    if (!json) {
        free(path);
        return cli_no_memory(error, "not enough memory");
    }
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    const int ends = dot && dot > (slash ? slash : path) && strcmp(dot, ".json") != 0;
    const size_t length = ends ? (size_t)(dot - path) : strlen(path);
    snprintf(json, strlen(path) + sizeof ".json", "%.*s.json", (int)length, path);
    free(j->dump_path);
    free(j->dump_json);
    j->dump_path = path;
    j->dump_json = json;
    return BR_OK;
}

// ---------------------------------------------------------------------------------------------------------- files

static void print_matrix(FILE *out, const double *A, int n) {
    long entries = 0;
    for (long k = 0; k < (long)n * n; k++) entries += A[k] != 0.0;
    fprintf(out, "MATRIX M %d %d %ld\n", n, n, entries);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            if (A[(size_t)i * (size_t)n + (size_t)k] != 0.0)
                fprintf(out, "%d %d %.17g\n", i, k, A[(size_t)i * (size_t)n + (size_t)k]);
}

static void print_vector(FILE *out, const char *name, const double *x, int n) {
    fprintf(out, "VECTOR %s %d\n", name, n);
    for (int i = 0; i < n; i++) fprintf(out, "%.17g\n", x[i]);
}

static void print_standard(FILE *out, const run_job *j, const br_standard_lcp *l) {
    fprintf(out, "# %s, step %d from t = %.17g s, dt = %.17g s\n", br_model_name(j->model), j->dumped,
            br_sim_time(j->sim), l->dt);
    fprintf(out, "# w = M z + q with z = (f_n [%d], f_d [%d x %d], lambda [%d]), forces in N\n", l->p, l->p,
            l->d, l->p);
    for (int k = 0; k < l->p; k++) fprintf(out, "# contact %d: %s, mu %.17g\n", k, l->name[k], l->mu[k]);
    fputs("TYPE LCP\n", out);
    print_matrix(out, l->A, l->n);
    print_vector(out, "q", l->q, l->n);
}

static void print_mixed(FILE *out, const run_job *j, const br_mixed_lcp *l) {
    fprintf(out, "# %s, step %d from t = %.17g s, dt = %.17g s, theta = %g\n", br_model_name(j->model),
            j->dumped, l->t, l->dt, l->theta);
    fprintf(out, "# w = M z + q with z = (v [%d], impulses [%d] in N s), lb <= z <= ub [Peiret2016 eq. 30]\n",
            l->m, l->n - l->m);
    if (l->n == 0) fputs("# nothing touches in this step\n", out);
    for (int k = 0; k < l->n; k++) fprintf(out, "# z[%d]: %s\n", k, l->name[k]);
    fputs("TYPE MLCP\n", out);
    print_matrix(out, l->A, l->n);
    print_vector(out, "q", l->q, l->n);
    print_vector(out, "lb", l->lower, l->n);
    print_vector(out, "ub", l->upper, l->n);
}

static void json_matrix(br_json *json, const char *key, const double *a, int rows, int columns) {
    br_json list = br_json_list(json, key);
    for (int i = 0; i < rows; i++) br_json_numbers(&list, NULL, a + (size_t)i * (size_t)columns, columns);
    br_json_close_list(&list);
}

static void json_forces(br_json *json, const br_standard_lcp *l, const double *z) {
    br_json list = br_json_list(json, "forces");
    for (int k = 0; k < l->p; k++) {
        br_json o = br_json_object(&list, NULL);
        br_json_string(&o, "contact", l->name[k]);
        br_json_number(&o, "normal", z[k]);
        br_json_numbers(&o, "directions", z + l->p + k * l->d, l->d);
        br_json_number(&o, "lambda", z[l->p + l->p * l->d + k]);
        br_json_close_object(&o);
    }
    br_json_close_list(&list);
}

typedef struct lcp_answer {
    double *z, *w, *v;
    br_solve_report report;
} lcp_answer;

static void print_standard_parts(FILE *out, const run_job *j, const br_standard_lcp *l, const lcp_answer *a) {
    br_json json = br_json_begin(out);
    br_json_string(&json, "model", br_model_name(j->model));
    br_json_whole(&json, "step", j->dumped);
    br_json_number(&json, "t", br_sim_time(j->sim));
    br_json_number(&json, "dt", l->dt);
    br_json_whole(&json, "velocities", l->m);
    br_json_whole(&json, "contacts", l->p);
    br_json_whole(&json, "directions", l->d);
    br_json names = br_json_list(&json, "names");
    for (int k = 0; k < l->p; k++) br_json_string(&names, NULL, l->name[k]);
    br_json_close_list(&names);
    br_json_numbers(&json, "mu", l->mu, l->p);
    br_json_numbers(&json, "gap", l->gap, l->p);
    json_matrix(&json, "M", l->M, l->m, l->m);
    br_json_numbers(&json, "tau", l->tau, l->m);
    json_matrix(&json, "N", l->N, l->m, l->p);
    json_matrix(&json, "B", l->B, l->m, l->p * l->d);
    json_matrix(&json, "E", l->E, l->p * l->d, l->p);
    json_matrix(&json, "A", l->A, l->n, l->n);
    br_json_numbers(&json, "q", l->q, l->n);
    br_json_string(&json, "status", br_outcome_name(a->report.outcome));
    br_json_number(&json, "residual", a->report.residual);
    br_json_numbers(&json, "z", a->z, l->n);
    br_json_numbers(&json, "w", a->w, l->n);
    br_json_numbers(&json, "v", a->v, l->m);
    json_forces(&json, l, a->z);
    br_json_end(&json);
}

static void json_bounds(br_json *json, const char *key, const double *x, int n) {
    br_json list = br_json_list(json, key); // JSON has no infinity: null
    for (int k = 0; k < n; k++) br_json_number(&list, NULL, x[k]);
    br_json_close_list(&list);
}

static void print_mixed_parts(FILE *out, const run_job *j, const br_mixed_lcp *l) {
    br_json json = br_json_begin(out);
    br_json_string(&json, "model", br_model_name(j->model));
    br_json_string(&json, "form", "peiret");
    br_json_whole(&json, "step", j->dumped);
    br_json_number(&json, "t", l->t);
    br_json_number(&json, "dt", l->dt);
    br_json_number(&json, "theta", l->theta);
    br_json_whole(&json, "velocities", l->m);
    br_json names = br_json_list(&json, "names");
    for (int k = 0; k < l->n; k++) br_json_string(&names, NULL, l->name[k]);
    br_json_close_list(&names);
    json_matrix(&json, "A", l->A, l->n, l->n);
    br_json_numbers(&json, "q", l->q, l->n);
    json_bounds(&json, "lb", l->lower, l->n);
    json_bounds(&json, "ub", l->upper, l->n);
    br_json_numbers(&json, "z", l->z, l->n);
    br_json_end(&json);
}

// The .cp file and what is behind it; of the standard form or, where that is NULL, of the mixed one.
static br_status write_both(const run_job *j, const br_standard_lcp *l, const lcp_answer *a,
                            const br_mixed_lcp *mixed, br_error *error) {
    for (int k = 0; k < 2; k++) {
        const char *path = k ? j->dump_json : j->dump_path;
        errno = 0;
        FILE *out = fopen(path, "w");
        if (!out) return cli_unwritable(error, path);
        if (l && k)
            print_standard_parts(out, j, l, a);
        else if (l)
            print_standard(out, j, l);
        else if (k)
            print_mixed_parts(out, j, mixed);
        else
            print_mixed(out, j, mixed);
        const int bad = ferror(out);
        if (fclose(out) != 0 || bad) return cli_unwritable(error, path);
    }
    return BR_OK;
}

static br_status dump_standard(const run_request *r, run_job *j, br_error *error) {
    static const br_standard_options plain = {0, 0};
    br_standard_lcp *l = NULL;
    lcp_answer a;
    br_status status = br_sim_standard_lcp(j->sim, r->directions, &l, error);
    if (status == BR_OK) status = choose_paths(r, j, error);
    if (status != BR_OK) {
        br_standard_lcp_free(l);
        return status;
    }
    memset(&a, 0, sizeof a);
    a.z = calloc(2 * (size_t)l->n + (size_t)l->m + 1, sizeof *a.z);
    if (!a.z) {
        br_standard_lcp_free(l);
        return cli_no_memory(error, "not enough memory");
    }
    a.w = a.z + l->n;
    a.v = a.w + l->n;
    status = br_standard_lcp_solve(l, &plain, a.z, a.w, a.v, &a.report, error);
    if (status == BR_OK) status = write_both(j, l, &a, NULL, error);
    free(a.z);
    br_standard_lcp_free(l);
    return status;
}

static br_status dump_mixed(const run_request *r, run_job *j, br_error *error) {
    br_mixed_lcp *l = NULL;
    br_status status = br_sim_mixed_lcp(j->sim, &l, error);
    if (status == BR_OK) status = choose_paths(r, j, error);
    if (status == BR_OK) status = write_both(j, NULL, NULL, l, error);
    br_mixed_lcp_free(l);
    return status;
}

br_status run_dump_lcp(const run_request *r, run_job *j, double t, br_error *error) {
    const double step = br_model_settings(j->model)->solver.step, slack = 1e-9 * step;
    while (r->dump_step > 0 && j->dumped < r->dump_last) {
        const int next = j->dumped > 0 ? j->dumped + 1 : r->dump_step;
        const double from = (next - 1) * step, to = next * step < t - slack ? next * step : t;
        if (from >= t - slack) break;
        br_status status = from > br_sim_time(j->sim) + slack ? br_sim_advance(j->sim, from, error) : BR_OK;
        if (status == BR_OK && r->dump_mixed) status = br_sim_advance(j->sim, to, error);
        j->dumped = next;
        if (status == BR_OK) status = r->dump_mixed ? dump_mixed(r, j, error) : dump_standard(r, j, error);
        if (status != BR_OK) return status;
    }
    return BR_OK;
}
