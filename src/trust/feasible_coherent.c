// The part of the allowed forces that opposes one upcoming motion, see feasible.h.
//
// Only the signs of the slips matter to pads with one direction: the motions of a mechanism with several
// freedoms fall into cells, one per pattern of signs that some motion has, found by linear programs. Where a
// pad has several directions the pattern is not finite, and motions are sampled.
#include "math/elementary.h"
#include "trust/feasible_bounds.h"

#include <math.h>
#include <string.h>

#define MAX_CELLS 1024
#define MAX_SAMPLES 64
#define SMALL_SLIP 1e-9
#define EPS_AS_GOOD 1e-10 // of c_star: no part of the whole needs less than the whole

typedef struct coherent {
    br_case *c;
    br_bounds *out;
    br_bounds widest; // of all forces, in the region's scale
    double *slip;     // [rest * FORMS * freedom] A_c . U_k, a pad's largest to 1
    int *mobile;      // [rest] its slip is not zero for every motion
    double *row_q;    // [rest * unknowns]
    double *alpha, *witness, *scratch, *q;
    int rows; // of the region without coherence
    int cells, *exhaustive;
    br_lp lp;  // of motions
    int *sign; // [rest]
} coherent;

static void find_slips(coherent *w) {
    const br_case *c = w->c;
    const br_balance *b = c->b;
    for (int i = 0; i < c->rest; i++) {
        const br_balance_pad *p = &b->pad[c->pad[i]];
        double most = 0.0, length = 0.0;
        double *slip = w->slip + (size_t)i * BR_REGION_FORMS * (size_t)c->freedom;
        for (int k = 0; k < p->directions; k++) {
            length = fmax(length, c->family.length[p->column + k]);
            for (int j = 0; j < c->freedom; j++) {
                double v = 0.0;
                for (int n = 0; n < b->n; n++) v += b->A[n * b->columns + p->column + k] * c->U[j * b->n + n];
                slip[k * c->freedom + j] = v;
                most = fmax(most, fabs(v));
            }
        }
        w->mobile[i] = most > SMALL_SLIP * length;
        for (int k = 0; w->mobile[i] && k < p->directions * c->freedom; k++) slip[k] /= most;
    }
}

// f . w <= 0 for the slips w[rest * FORMS] of one motion.
static void set_rows(coherent *w, const double *slip) {
    br_region *r = &w->c->region;
    r->rows = w->rows;
    for (int i = 0; i < w->c->rest; i++) {
        const br_region_pad *p = &r->pad[i];
        double *q = w->row_q + (size_t)i * (size_t)r->unknowns, most = 0.0;
        br_affine form = {0.0, q};
        memset(q, 0, (size_t)r->unknowns * sizeof *q);
        for (int k = 0; k < p->directions; k++) {
            const double v = slip[i * BR_REGION_FORMS + k];
            most = fmax(most, fabs(v));
            form.p += v * p->f[k].p;
            for (int j = 0; j < r->unknowns; j++) q[j] += v * p->f[k].q[j];
        }
        if (most > SMALL_SLIP) r->row[r->rows++] = form;
    }
}

static void try_motion(coherent *w, const double *slip) {
    br_region *r = &w->c->region;
    set_rows(w, slip);
    if (!(w->out->c_star <= w->widest.c_star * (1.0 + EPS_AS_GOOD)))
        w->out->c_star = br_smallest_factor(r, w->out->c_star, w->alpha, w->scratch, w->exhaustive);
    br_search s = br_search_default(w->witness);
    s.level = 1;
    s.stop_below = 0.0;
    for (int i = 0; i < r->pads; i++) r->weight[i] = 1.0;
    br_region_search(r, &s);
    if (s.found && s.value <= BR_EPS_LAW)
        br_widen_intervals(r, w->witness, w->out->low, w->out->high, &w->widest, w->scratch, w->q,
                           w->exhaustive);
    r->rows = w->rows;
}

// --- cells of motions -----------------------------------------------------------------------------------------

static int has_motion(coherent *w, int pads) {
    br_lp *lp = &w->lp;
    const int freedom = w->c->freedom;
    br_lp_begin(lp, freedom);
    for (int i = 0; i < pads; i++) {
        if (!w->mobile[i]) continue;
        double *g = w->q; // long enough, see br_feasible_coherent
        for (int j = 0; j < freedom; j++)
            g[j] = -w->sign[i] * w->slip[(size_t)i * BR_REGION_FORMS * (size_t)freedom + (size_t)j];
        br_lp_row(lp, g, -1.0);
    }
    const br_lp_answer answer = br_lp_solve(lp);
    return answer == BR_LP_OPTIMUM || answer == BR_LP_UNBOUNDED;
}

// Depth-first over the signs of pads from `next` on, without recursion: signs count like an odometer over
// cells that exist.
static void all_cells(coherent *w, double *slip) {
    const int rest = w->c->rest;
    int next = 0;
    for (int i = 0; i < rest; i++) w->sign[i] = 0;
    while (next >= 0) {
        if (next == rest) {
            if (++w->cells > MAX_CELLS || !br_work_left(w->c->work)) {
                *w->exhaustive = 0;
                return;
            }
            for (int i = 0; i < rest; i++) slip[i * BR_REGION_FORMS] = w->mobile[i] ? w->sign[i] : 0.0;
            try_motion(w, slip);
            next--;
            continue;
        }
        // 0: not tried, then +1, then -1, then back. Pads that cannot slip have one turn.
        if (w->sign[next] == -1 || (w->sign[next] == 1 && !w->mobile[next])) {
            w->sign[next--] = 0;
            continue;
        }
        w->sign[next] = w->sign[next] == 0 ? 1 : -1;
        if (!w->mobile[next] || has_motion(w, next + 1)) next++;
    }
}

// --- samples of motions ---------------------------------------------------------------------------------------

static void try_sample(coherent *w, const double *u, double *slip) {
    const int freedom = w->c->freedom;
    for (int i = 0; i < w->c->rest; i++)
        for (int k = 0; k < BR_REGION_FORMS; k++) {
            double v = 0.0;
            const int used = k < w->c->region.pad[i].directions && w->mobile[i];
            for (int j = 0; used && j < freedom; j++)
                v += w->slip[((size_t)i * BR_REGION_FORMS + (size_t)k) * (size_t)freedom + (size_t)j] * u[j];
            slip[i * BR_REGION_FORMS + k] = v;
        }
    try_motion(w, slip);
}

// Two freedoms: 16 directions. More: every combination of -1, 0, 1, as many as there is time for.
static void all_samples(coherent *w, double *u, double *slip) {
    const int freedom = w->c->freedom;
    if (freedom == 2) {
        for (int k = 0; k < 16; k++) {
            const double angle = 2.0 * 3.14159265358979323846 * k / 16.0;
            u[0] = br_cos(angle), u[1] = br_sin(angle);
            try_sample(w, u, slip);
        }
        return;
    }
    for (int j = 0; j < freedom; j++) u[j] = 0.0;
    for (int count = 0; count < MAX_SAMPLES && br_work_left(w->c->work); count++) {
        int j = 0;
        while (j < freedom && u[j] == -1.0) u[j++] = 0.0; // 0, 1, -1, carry
        if (j == freedom) return;
        u[j] = u[j] == 0.0 ? 1.0 : -1.0;
        try_sample(w, u, slip);
    }
}

// Where the forces are the only ones: whether one motion, found by one linear program, is opposed by all of them that are not zero. Every
// motion beside it has the other slips as well, so that the cells need not be gone through.
static int opposes_one_motion(coherent *w) {
    const br_region *r = &w->c->region;
    br_lp *lp = &w->lp;
    const int freedom = w->c->freedom;
    if (r->unknowns > 0) return 0;
    br_lp_begin(lp, freedom);
    for (int i = 0; i < w->c->rest; i++) {
        double *g = w->q, size = 0.0;
        for (int j = 0; j < freedom; j++) g[j] = 0.0;
        for (int k = 0; k < r->pad[i].directions; k++) {
            const double f = r->pad[i].f[k].p;
            size = fmax(size, fabs(f));
            for (int j = 0; j < freedom; j++)
                g[j] += f * w->slip[((size_t)i * BR_REGION_FORMS + (size_t)k) * (size_t)freedom + (size_t)j];
        }
        if (!w->mobile[i] || !(size > 0.0)) continue;
        for (int j = 0; j < freedom; j++) g[j] /= size;
        br_lp_row(lp, g, -1.0);
    }
    const br_lp_answer answer = br_lp_solve(lp);
    return answer == BR_LP_OPTIMUM || answer == BR_LP_UNBOUNDED;
}

br_status br_feasible_coherent(br_case *c, br_arena *arena, const br_bounds *all, br_bounds *out,
                               int *exhaustive, br_error *error) {
    (void)error;
    if (!br_bounds_take(out, arena, c->rest)) return BR_NO_MEMORY;
    const size_t count = (size_t)c->rest * BR_REGION_FORMS, unknowns = (size_t)c->region.unknowns;
    const size_t freedom = (size_t)c->freedom;
    coherent w = {.c = c, .out = out, .rows = c->region.rows, .exhaustive = exhaustive};
    w.slip = BR_TAKE(arena, double, count *freedom);
    if (!br_bounds_take(&w.widest, arena, c->rest)) return BR_NO_MEMORY;
    w.mobile = BR_TAKE(arena, int, c->rest);
    w.sign = BR_TAKE(arena, int, c->rest);
    w.row_q = BR_TAKE(arena, double, (size_t)c->rest *unknowns);
    w.alpha = BR_TAKE(arena, double, unknowns);
    w.witness = BR_TAKE(arena, double, unknowns);
    w.scratch = BR_TAKE(arena, double, unknowns);
    w.q = BR_TAKE(arena, double, unknowns + freedom);
    double *u = BR_TAKE(arena, double, freedom), *slip = BR_TAKE(arena, double, count);
    if (!w.slip || !w.mobile || !w.sign || !w.row_q || !w.alpha || !w.witness || !w.scratch || !w.q || !u ||
        !slip || !br_lp_create(&w.lp, arena, c->freedom, c->rest))
        return BR_NO_MEMORY;
    w.lp.work = c->work;
    w.widest.c_star = all->c_star;
    for (size_t k = 0; k < count; k++) {
        const double factor = c->factor[k / BR_REGION_FORMS];
        w.widest.low[k] = factor * all->low[k], w.widest.high[k] = factor * all->high[k];
    }
    find_slips(&w);
    int any = 0, vector = 0;
    for (int i = 0; i < c->rest; i++) {
        any = any || w.mobile[i];
        vector = vector || (w.mobile[i] && c->region.pad[i].directions > 1);
    }
    if (!any || (all->c_star <= 1.0 && opposes_one_motion(&w))) { // no motion to oppose, or all of them do
        out->c_star = all->c_star;
        memcpy(out->low, all->low, count * sizeof *out->low);
        memcpy(out->high, all->high, count * sizeof *out->high);
        return BR_OK;
    }
    if (c->freedom == 1) {
        for (int k = 0; k < 2; k++) u[0] = k ? -1.0 : 1.0, try_sample(&w, u, slip);
    } else if (vector)
        all_samples(&w, u, slip);
    else
        all_cells(&w, slip);
    br_scale_intervals(c, out->low, out->high);
    return BR_OK;
}
