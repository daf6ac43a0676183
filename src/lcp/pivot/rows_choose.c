// Which method for a row problem, and in which order, see rows_choose.h.
#include "lcp/pivot/rows_choose.h"

#include "lcp/pivot/block_pivot.h"
#include "lcp/pivot/dantzig.h"
#include "lcp/pivot/enumerate.h"
#include "lcp/pivot/feasible.h"
#include "lcp/pivot/fischer.h"
#include "lcp/pivot/lemke.h"
#include "lcp/pivot/rows_polish.h"
#include "lcp/pivot/rows_scale.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// An answer below this, measured on the equilibrated problem, is as exact as its basis. One that only meets the user's
// tolerance is kept, but the cheap attempts go on: on badly scaled data the tolerance may be met by a wrong basis.
#define TOL_EXACT 1e-12

struct br_rows_solver {
    int n_max;
    br_rows_scaled scaled;
    br_rows_polish polish;
    br_block_pivot block;
    br_lemke *lemke;
    br_dantzig *dantzig;
    br_fischer fischer;
    br_box_lp lp;
    br_enumerate enumerate;
    double *z_scaled, *w_scaled, *z_try, *w_try, *z_best, *certificate;
    br_side *side, *side_warm;
};

br_rows_options br_default_rows_options(void) {
    return (br_rows_options){.method = BR_SOLVER_AUTO, .tol = 1e-8};
}

br_rows_solver *br_rows_solver_create(br_arena *arena, int n_max, int free_max) {
    br_rows_solver *s = BR_TAKE(arena, br_rows_solver, 1);
    if (!s) return NULL;
    s->n_max = n_max;
    double **vectors[] = {&s->z_scaled, &s->w_scaled, &s->z_try, &s->w_try, &s->z_best, &s->certificate};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) *vectors[k] = BR_TAKE(arena, double, n_max);
    s->side = BR_TAKE(arena, br_side, n_max);
    s->side_warm = BR_TAKE(arena, br_side, n_max);
    s->lemke = br_lemke_create(arena, n_max, free_max);
    s->dantzig = br_dantzig_create(arena, n_max);
    br_rows_scaled_create(&s->scaled, arena, n_max);
    br_rows_polish_create(&s->polish, arena, n_max);
    br_block_pivot_create(&s->block, arena, n_max);
    br_fischer_create(&s->fischer, arena, n_max);
    br_box_lp_create(&s->lp, arena, n_max);
    br_enumerate_create(&s->enumerate, arena, n_max, &s->lp);
    return br_arena_ok(arena) ? s : NULL;
}

// ---------------------------------------------------------------------------------------------- one solve

typedef struct run {
    br_rows_solver *s;
    const br_rows *rows;
    const br_rows_options *options;
    br_rows_report *report;
    int warm;
    double best_residual, best_scaled; // of z_best
    int ended[BR_OUTCOMES];            // attempts that ended so
    int bounded;                       // rows with a bound
} run;

static void choose_rows_tell(const run *r, br_solver_kind kind, int iteration) {
    if (!r->options->trace) return;
    const br_trace t = {.solver = kind,
                        .island = r->options->island,
                        .iteration = iteration,
                        .residual = NAN,
                        .step = NAN,
                        .measure = NAN};
    r->options->trace(r->options->trace_context, &t);
}

static void add_to_path(run *r, const char *name, long count) {
    char *path = r->report->path;
    const size_t used = strlen(path);
    if (used >= 3 && strcmp(path + used - 3, "...") == 0) return;
    char piece[64];
    const int length = snprintf(piece, sizeof piece, "%s%s:%ld", used ? ">" : "", name, count);
    if (used + (size_t)length + 5 > BR_MAX_PATH)
        memcpy(path + used, ">...", 5);
    else
        memcpy(path + used, piece, (size_t)length + 1);
}

static int solved(const run *r) {
    return r->best_residual <= r->options->tol;
}

static int exact(const run *r) {
    return solved(r) && r->best_scaled <= TOL_EXACT;
}

// What rounding in w = A z + q alone can do to the residual. A nearly singular basis sends z so far out that w is
// nothing but rounding; where that happens to come out as zero it is no answer.
static double rounding(const br_rows *rows, const double *z) {
    double worst = 0, scale = 1;
    for (int i = 0; i < rows->n; i++) {
        const double *a = rows->A + (size_t)i * (size_t)rows->n;
        double sum = 0;
        for (int j = 0; j < rows->n; j++) sum += fabs(a[j] * z[j]);
        worst = fmax(worst, sum);
        scale = fmax(scale, fabs(rows->q[i]));
    }
    return DBL_EPSILON * worst / scale;
}

// Polishes z_scaled and side, and keeps the answer if it is the best so far.
static void offer(run *r, br_solver_kind kind) {
    br_rows_solver *s = r->s;
    const br_rows *scaled = &s->scaled.rows;
    for (int i = 0; i < scaled->n; i++) {
        if (!isfinite(s->z_scaled[i])) s->z_scaled[i] = fmin(fmax(0, scaled->lower[i]), scaled->upper[i]);
    }
    const double inner = br_rows_polish_run(&s->polish, scaled, s->side, s->z_scaled, s->w_scaled);
    br_rows_unscale_z(&s->scaled, s->z_scaled, s->z_try);
    const double residual = br_rows_residual(r->rows, s->z_try, s->w_try);
    if (!(rounding(r->rows, s->z_try) <= r->options->tol)) return;
    // Once the tolerance is met the equilibrated residual decides: it sees the small rows too.
    const int meets = residual <= r->options->tol, met = solved(r);
    const int better = meets && met ? inner < r->best_scaled : residual < r->best_residual;
    if (!better) return;
    r->best_residual = residual;
    r->best_scaled = inner;
    r->report->solver = kind;
    memcpy(s->z_best, s->z_try, (size_t)scaled->n * sizeof(double));
}

// ---------------------------------------------------------------------------------------------- the attempts

static int capped(const run *r, int own) {
    return r->options->max_iterations > 0 ? r->options->max_iterations : own;
}

static void try_block_pivot(run *r, const char *name, const br_side *side, const double *z, double delta) {
    br_block_pivot *p = &r->s->block;
    const int cap = capped(r, 1000);
    br_block_pivot_init(p, &r->s->scaled.rows, side, z, delta);
    while (p->steps < cap && br_block_pivot_iterate(p) == BR_RUNNING)
        choose_rows_tell(r, BR_SOLVER_BLOCK_PIVOT, p->steps - 1);
    const br_outcome outcome = br_block_pivot_test(p, r->s->z_scaled, r->s->side);
    r->ended[p->progress == BR_RUNNING ? BR_MAX_ITERATIONS : outcome]++;
    r->report->iterations += p->steps;
    add_to_path(r, name, p->steps);
    offer(r, BR_SOLVER_BLOCK_PIVOT);
}

static br_outcome run_lemke(run *r, const br_lemke_options *options) {
    br_lemke *k = r->s->lemke;
    br_lemke_init(k, &r->s->scaled.rows, options);
    while (br_lemke_iterate(k) == BR_RUNNING) choose_rows_tell(r, BR_SOLVER_LEMKE, br_lemke_pivots(k) - 1);
    r->report->iterations += br_lemke_pivots(k);
    return br_lemke_test(k, r->s->z_scaled, r->s->side);
}

static void try_lemke(run *r, const char *name, br_lemke_options options) {
    br_rows_solver *s = r->s;
    const size_t n = (size_t)r->rows->n;
    if (r->options->max_iterations > 0) options.max_pivots = r->options->max_iterations;
    const br_outcome outcome = run_lemke(r, &options);
    r->ended[outcome]++;
    add_to_path(r, name, br_lemke_pivots(s->lemke));
    offer(r, BR_SOLVER_LEMKE);
    const double delta = fmax(options.shift, options.lift);
    if (outcome != BR_CONVERGED || delta == 0 || exact(r)) return;
    // The basis was not the unshifted problem's: bring the shift back to zero as a proximal term.
    br_lemke_test(s->lemke, s->z_scaled, s->side);
    memcpy(s->side_warm, s->side, n * sizeof(br_side));
    memcpy(s->z_try, s->z_scaled, n * sizeof(double));
    try_block_pivot(r, "proximal", s->side_warm, s->z_try, delta);
}

// From one strategy after the other: an equilibrium whose value is zero is none of the LCP's, another one may be.
static void try_howson(run *r) {
    long pivots = 0;
    int label = 0;
    do {
        run_lemke(r, &(br_lemke_options){.label = ++label});
        pivots += br_lemke_pivots(r->s->lemke);
        if (!br_lemke_is_game(r->s->lemke)) return;
        offer(r, BR_SOLVER_LEMKE);
    } while (!solved(r) && label < r->rows->n);
    add_to_path(r, "lemke_howson", pivots);
}

static void try_fischer(run *r, unsigned seed) {
    br_fischer *f = &r->s->fischer;
    const br_rows *rows = &r->s->scaled.rows;
    uint32_t state = seed * 2654435761u + 1u;
    br_rows_origin(rows, r->s->z_try);
    for (int i = 0; i < rows->n && seed; i++) { // a start of the size of the data
        state = state * 1664525u + 1013904223u;
        const double step = (double)(state >> 8) * 0x1p-24 * (seed % 2 ? 2 : 20);
        r->s->z_try[i] = fmin(fmax(r->s->z_try[i] + step, rows->lower[i]), rows->upper[i]);
    }
    br_fischer_init(f, rows, r->s->z_try);
    while (br_fischer_iterate(f) == BR_RUNNING) choose_rows_tell(r, BR_SOLVER_NEWTON, f->steps - 1);
    r->ended[br_fischer_test(f, r->s->z_scaled, r->s->side)]++;
    r->report->iterations += f->steps;
    add_to_path(r, "fischer", f->steps);
    offer(r, BR_SOLVER_NEWTON);
}

static void try_dantzig(run *r) {
    br_dantzig *d = r->s->dantzig;
    br_dantzig_init(d, &r->s->scaled.rows, capped(r, 0));
    while (br_dantzig_iterate(d) == BR_RUNNING)
        choose_rows_tell(r, BR_SOLVER_DANTZIG, br_dantzig_pivots(d) - 1);
    r->ended[br_dantzig_test(d, r->s->z_scaled, r->s->side)]++;
    r->report->iterations += br_dantzig_pivots(d);
    add_to_path(r, "dantzig", br_dantzig_pivots(d));
    offer(r, BR_SOLVER_DANTZIG);
}

static void try_enumerate(run *r, long max_work) {
    br_enumerate *e = &r->s->enumerate;
    br_enumerate_init(e, &r->s->scaled.rows, max_work);
    while (br_enumerate_iterate(e) == BR_RUNNING) choose_rows_tell(r, BR_SOLVER_ENUMERATE, (int)e->nodes - 1);
    const br_outcome outcome = br_enumerate_test(e, r->s->z_scaled, r->s->side);
    r->report->iterations += (int)e->nodes;
    r->ended[outcome]++;
    add_to_path(r, "enumerate", e->nodes);
    if (outcome == BR_INFEASIBLE) r->report->proof = BR_PROOF_ENUMERATION;
    if (outcome == BR_CONVERGED) offer(r, BR_SOLVER_ENUMERATE);
}

static void try_feasible(run *r) {
    br_box_lp *lp = &r->s->lp;
    const br_box_lp_answer answer = br_feasible(lp, &r->s->scaled.rows);
    r->report->iterations += (int)lp->pivots;
    add_to_path(r, "feasible", lp->pivots);
    if (answer != BR_LP_EMPTY) return;
    // r'^T (R A C) <= 0 is (R r')^T A <= 0.
    double largest = 0, *c = r->s->certificate;
    for (int i = 0; i < r->rows->n; i++) {
        c[i] = lp->certificate[i] * r->s->scaled.row[i];
        largest = fmax(largest, fabs(c[i]));
    }
    for (int i = 0; i < r->rows->n; i++) c[i] /= largest;
    r->report->proof = BR_PROOF_CERTIFICATE;
    r->report->certificate = c;
}

// ---------------------------------------------------------------------------------------------- the order

typedef enum attempt_kind {
    BLOCK,
    PROXIMAL,
    SHIFTED,
    LEMKE,
    HOWSON,
    FEASIBLE,
    FISCHER,
    ENUMERATE,
    DANTZIG
} attempt_kind;

typedef struct attempt {
    attempt_kind kind;
    unsigned seed;        // LEMKE, FISCHER
    double amount;        // PROXIMAL: delta; LEMKE: lift; ENUMERATE: work
    int pivots;           // LEMKE: cap per row; 0: the method's own
    int max_rows;         // tried only with at most so many bounded rows; 0: any
    int only_if_unsolved; // the dear ones: not for the sake of more digits
} attempt;

#define SMALL_ENUMERATION 12 // bounded rows: decided in milliseconds
#define MAX_WORK 4e9         // multiplications in one run of Lemke: a few seconds

// Block pivoting and Lemke solve nearly everything; then a proof is looked for, since most of what they cannot solve
// has no solution; then come the methods for problems that are exponential for Lemke (other covering vectors, Newton)
// or end on rays (Lemke-Howson's start, lifted diagonals).
static const attempt auto_attempts[] = {
    {.kind = BLOCK},
    {.kind = SHIFTED, .pivots = 10},
    {.kind = LEMKE, .pivots = 10},
    {.kind = PROXIMAL, .amount = 1e-6},
    {.kind = FEASIBLE, .only_if_unsolved = 1},
    {.kind = ENUMERATE, .amount = 1e8, .max_rows = SMALL_ENUMERATION, .only_if_unsolved = 1},
    {.kind = HOWSON, .only_if_unsolved = 1},
    {.kind = LEMKE, .seed = 1, .pivots = 20},
    {.kind = LEMKE, .amount = 1e-2, .pivots = 20, .only_if_unsolved = 1},
    {.kind = LEMKE, .amount = 1e-4, .pivots = 20, .only_if_unsolved = 1},
    {.kind = FISCHER, .only_if_unsolved = 1},
    {.kind = LEMKE, .seed = 2, .amount = 1e-3, .pivots = 20, .only_if_unsolved = 1},
    {.kind = FISCHER, .seed = 1, .only_if_unsolved = 1},
    {.kind = FISCHER, .seed = 2, .only_if_unsolved = 1},
    {.kind = LEMKE, .seed = 3, .only_if_unsolved = 1},
    {.kind = LEMKE, .seed = 4, .amount = 1e-6, .only_if_unsolved = 1},
    {.kind = FISCHER, .seed = 3, .only_if_unsolved = 1},
    {.kind = FISCHER, .seed = 4, .only_if_unsolved = 1},
    {.kind = LEMKE, .pivots = 500, .only_if_unsolved = 1},
    {.kind = LEMKE, .seed = 5, .pivots = 500, .only_if_unsolved = 1},
    {.kind = ENUMERATE, .max_rows = 64, .only_if_unsolved = 1},
};

static const attempt lemke_attempts[] = {
    {.kind = SHIFTED},
    {.kind = LEMKE},
    {.kind = LEMKE, .seed = 1, .only_if_unsolved = 1},
    {.kind = LEMKE, .amount = 1e-4, .only_if_unsolved = 1},
    {.kind = LEMKE, .seed = 2, .amount = 1e-6, .only_if_unsolved = 1},
};

static const attempt block_attempts[] = {
    {.kind = BLOCK},
    {.kind = PROXIMAL, .amount = 1e-6},
    {.kind = PROXIMAL, .amount = 1e-9, .only_if_unsolved = 1},
};

static const attempt dantzig_attempts[] = {{.kind = DANTZIG}};
static const attempt enumerate_attempts[] = {{.kind = ENUMERATE}};

// A pivot costs m^2 multiplications, m at most twice the rows.
static int pivot_cap(const run *r, const attempt *a) {
    const double m = 2.0 * r->rows->n, affordable = fmax(MAX_WORK / (m * m), 2000);
    return a->pivots ? (int)fmin(a->pivots * m + 200, affordable) : 0;
}

static void run_attempt(run *r, const attempt *a) {
    br_lemke_options lemke = {.max_pivots = pivot_cap(r, a), .seed = a->seed};
    switch (a->kind) {
    case BLOCK:
        try_block_pivot(r, "block_pivot", r->warm ? r->s->side_warm : NULL, NULL, 0);
        break;
    case PROXIMAL:
        try_block_pivot(r, "proximal", NULL, NULL, a->amount);
        break;
    case SHIFTED:
        // Friction problems are not monotone, and what the shift leaves behind cannot always be refined away: the
        // unshifted method follows if need be.
        lemke.shift = r->options->lemke_shift;
        if (lemke.shift > 0) try_lemke(r, "lemke_shifted", lemke);
        break;
    case LEMKE:
        lemke.lift = a->amount;
        try_lemke(r, a->amount > 0 ? "lemke_lifted" : a->seed ? "lemke_random" : "lemke", lemke);
        break;
    case HOWSON:
        try_howson(r);
        break;
    case FEASIBLE:
        try_feasible(r);
        break;
    case FISCHER:
        try_fischer(r, a->seed);
        break;
    case ENUMERATE:
        try_enumerate(r, (long)a->amount);
        break;
    case DANTZIG:
        try_dantzig(r);
        break;
    }
}

static void run_attempts(run *r, const attempt *list, size_t count) {
    for (size_t k = 0; k < count; k++) {
        if (exact(r) || r->report->proof != BR_PROOF_NONE) return;
        if (list[k].only_if_unsolved && (solved(r) || r->options->brief)) continue;
        if (list[k].max_rows && r->bounded > list[k].max_rows) continue;
        run_attempt(r, &list[k]);
    }
}

#define RUN(r, list) run_attempts((r), (list), sizeof(list) / sizeof *(list))

static void take_warm_start(run *r, const double *z) {
    br_rows_solver *s = r->s;
    br_rows_scale_z(&s->scaled, z, s->z_scaled);
    br_rows_apply(&s->scaled.rows, s->z_scaled, s->w_scaled);
    br_rows_sides(&s->scaled.rows, s->z_scaled, s->w_scaled, s->side_warm);
}

// Of several ways to fail the one that says most: a ray is a property of the problem, a cap one of the caller's.
static br_outcome outcome_of(const run *r) {
    static const br_outcome order[] = {BR_RAY, BR_MAX_ITERATIONS, BR_STALLED, BR_SINGULAR};
    if (solved(r)) return BR_CONVERGED;
    if (r->report->proof != BR_PROOF_NONE) return BR_INFEASIBLE;
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        if (r->ended[order[k]]) return order[k];
    }
    return BR_STALLED;
}

void br_rows_solve(br_rows_solver *s, const br_rows *rows, const br_rows_options *options, int warm,
                   double *z, double *w, br_rows_report *report) {
    *report = (br_rows_report){.solver = options->method};
    run r = {.s = s, .rows = rows, .options = options, .report = report, .warm = warm};
    r.best_residual = r.best_scaled = INFINITY;
    br_rows_origin(rows, s->z_best);
    for (int i = 0; i < rows->n; i++) r.bounded += !br_rows_is_free(rows, i) && !br_rows_is_fixed(rows, i);
    br_rows_scale(&s->scaled, rows);
    if (warm) take_warm_start(&r, z);
    switch (options->method) {
    case BR_SOLVER_LEMKE:
        RUN(&r, lemke_attempts);
        break;
    case BR_SOLVER_BLOCK_PIVOT:
        RUN(&r, block_attempts);
        break;
    case BR_SOLVER_DANTZIG:
        RUN(&r, dantzig_attempts);
        break;
    case BR_SOLVER_ENUMERATE:
        RUN(&r, enumerate_attempts);
        break;
    default:
        RUN(&r, auto_attempts);
        break;
    }
    memcpy(z, s->z_best, (size_t)rows->n * sizeof(double));
    report->residual = br_rows_residual(rows, z, w);
    if (solved(&r)) report->proof = BR_PROOF_NONE, report->certificate = NULL;
    report->outcome = outcome_of(&r);
}
