// A balance as an affine family of forces, see feasible.h. What is searched in it is in feasible_bounds.c and
// feasible_coherent.c.
#include "trust/feasible.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "math/elementary.h"
#include "trust/feasible_search_node.h"
#include "trust/modes.h"

#define BR_EPS_RESTS 1e-7      // of accelerations: rows that contradict each other
#define BR_EPS_DEPENDENT 1e-12 // of a motion: what others leave of it is only rounding

static double length_of(int n, const double *v) {
    double square = 0.0;
    for (int k = 0; k < n; k++) square += v[k] * v[k];
    return sqrt(square);
}

// --- forms ----------------------------------------------------------------------------------------------------

br_affine br_family_form(const br_family *family, br_arena *arena, double factor, const double *coefficient) {
    double *q = BR_TAKE(arena, double, family->unknowns), p = 0.0, size = 0.0, all = 0.0;
    if (!q) return (br_affine){0.0, NULL};
    for (int c = 0; c < family->columns; c++) {
        if (coefficient[c] == 0.0) continue;
        p += coefficient[c] * family->x0[c];
        size += br_square(coefficient[c] / family->length[c]);
    }
    for (int k = 0; k < family->unknowns; k++) {
        const double *z = family->Z + (size_t)k * (size_t)family->columns;
        for (int c = 0; c < family->columns; c++)
            if (coefficient[c] != 0.0) q[k] += coefficient[c] * z[c];
        all += q[k] * q[k];
        q[k] *= factor * family->scale;
    }
    if (sqrt(all) <= BR_EPS_UNIQUE * sqrt(size)) memset(q, 0, (size_t)family->unknowns * sizeof *q);
    return (br_affine){factor * p, q};
}

static br_affine column_form(const br_family *family, br_arena *arena, double factor, int column) {
    double *coefficient = BR_TAKE(arena, double, family->columns);
    if (!coefficient) return (br_affine){0.0, NULL};
    coefficient[column] = 1.0;
    return br_family_form(family, arena, factor, coefficient);
}

int br_family_pad(const br_family *family, br_arena *arena, const br_balance *b, int pad, br_region_pad *out,
                  double *factor) {
    const br_balance_pad *from = &b->pad[pad];
    double length = 0.0, *coefficient = BR_TAKE(arena, double, family->columns);
    double *zero = BR_TAKE(arena, double, family->unknowns);
    if (!coefficient || !zero) return 0;
    for (int k = 0; k < from->directions; k++) length = fmax(length, family->length[from->column + k]);
    if (from->directions == 0) length = family->length[from->normal]; // a stop: it pushes, and nothing rubs
    const double scale = length / family->scale;
    *out = (br_region_pad){.directions = from->directions,
                           .contact = from->normal >= 0,
                           .norms = from->normal >= 0 ? 0 : from->norms,
                           .mu_rest = from->mu_static,
                           .mu_slip = from->mu_kinetic,
                           .may = BR_MAY_REST};
    out->linear = from->normal >= 0 ? column_form(family, arena, scale, from->normal)
                                    : (br_affine){scale * from->preload, zero};
    int ok = out->linear.q != NULL;
    for (int k = 0; k < from->directions; k++) {
        out->f[k] = column_form(family, arena, scale, from->column + k);
        ok = ok && out->f[k].q;
    }
    for (int k = 0; k < out->norms; k++) {
        out->norm[k].forms = from->norm[k].forms;
        for (int j = 0; j < from->norm[k].forms; j++) {
            memcpy(coefficient, from->norm[k].form[j], (size_t)b->columns * sizeof *coefficient);
            out->norm[k].form[j] = br_family_form(family, arena, scale, coefficient);
            ok = ok && out->norm[k].form[j].q;
        }
    }
    *factor = scale;
    return ok;
}

// --- the columns that hold ------------------------------------------------------------------------------------

static void mark_held(const br_balance *b, int *held) {
    for (int c = 0; c < b->bilateral; c++) held[c] = 1;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        if (p->normal >= 0) held[p->normal] = 1;
        for (int k = 0; k < p->directions; k++) held[p->column + k] = !p->sliding;
    }
}

// The columns of A with a mark, [n * count].
static double *columns_of(const br_balance *b, br_arena *arena, const int *mark, int *count) {
    *count = 0;
    for (int c = 0; c < b->columns; c++) *count += mark[c] != 0;
    double *out = BR_TAKE(arena, double, (size_t)b->n *(size_t)*count);
    for (int i = 0; out && i < b->n; i++)
        for (int c = 0, k = 0; c < b->columns; c++)
            if (mark[c]) out[i * *count + k++] = b->A[i * b->columns + c];
    return out;
}

br_status br_balance_motions(const br_balance *b, br_arena *arena, const int *mark, int *count,
                             double **motion, double *a, br_error *error) {
    const int n = b->n;
    int rows = 0;
    for (int c = 0; c < b->columns; c++) rows += mark[c] != 0;
    double *C = BR_TAKE(arena, double, (size_t)rows *(size_t)n), *gamma = BR_TAKE(arena, double, rows);
    double *mass = BR_TAKE(arena, double, n); // roots: coordinates of like size, whatever their units
    if (!C || !gamma || !mass) return BR_NO_MEMORY;
    for (int i = 0; i < n; i++) mass[i] = sqrt(b->M[i * (n + 1)]);
    for (int c = 0, k = 0; c < b->columns; c++) {
        if (!mark[c]) continue;
        double *row = C + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++) row[i] = b->A[i * b->columns + c] / mass[i];
        const double length = length_of(n, row);
        for (int i = 0; i < n && length > 0.0; i++) row[i] /= length;
        gamma[k++] = length > 0.0 ? b->gamma[c] / length : 0.0;
    }
    br_span span;
    const br_status status = br_span_make_plain(&span, arena, rows, n, C, error);
    if (status) return status;
    *count = span.nullity;
    *motion = span.Z;
    for (int k = 0; k < span.nullity; k++) { // to length 1 again, in the balance's coordinates
        double *u = span.Z + (size_t)k * (size_t)n;
        for (int i = 0; i < n; i++) u[i] /= mass[i];
        const double length = length_of(n, u);
        for (int i = 0; i < n; i++) u[i] /= length;
    }
    double *scratch = BR_TAKE(arena, double, rows);
    if (!scratch) return BR_NO_MEMORY;
    if (a) br_span_solve(&span, gamma, a, scratch);
    for (int i = 0; a && i < n; i++) a[i] /= mass[i];
    return BR_OK;
}

static void times_mass(const br_balance *b, const double *v, double *out) {
    for (int i = 0; i < b->n; i++) {
        out[i] = 0.0;
        for (int j = 0; j < b->n; j++) out[i] += b->M[i * b->n + j] * v[j];
    }
}

static double dot(int n, const double *a, const double *b) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// Adds to a what lets the motions u that nothing resists satisfy u . (M a - load) = 0. Coordinates of compliant contacts differ by many powers
// of ten, so motions of length 1 may be next to dependent and their mass matrix singular to rounding: each is made orthogonal, by M, to
// those before it, and one of which nothing is left adds nothing.
static br_status let_go(const br_balance *b, br_arena *arena, int count, const double *motion,
                        const double *load, double *a, br_error *error) {
    const int n = b->n;
    double *U = BR_TAKE(arena, double, (size_t)count *(size_t)n), *force = BR_TAKE(arena, double, n);
    int kept = 0;
    if (!U || !force) return BR_NO_MEMORY;
    for (int k = 0; k < count; k++) {
        double *u = U + (size_t)kept * (size_t)n, before = 0.0;
        memcpy(u, motion + (size_t)k * (size_t)n, (size_t)n * sizeof *u);
        for (int round = 0; round < 3; round++) {
            times_mass(b, u, force);
            if (round == 0) before = dot(n, u, force);
            for (int j = 0; j < kept && round < 2; j++) {
                const double *other = U + (size_t)j * (size_t)n, along = dot(n, other, force);
                for (int i = 0; i < n; i++) u[i] -= along * other[i];
            }
        }
        const double square = dot(n, u, force);
        if (!(before > 0.0))
            return br_fail(error, BR_NUMERICAL, "trust-mass",
                           "the mass matrix is not positive definite; check masses and moments of inertia");
        if (!(square > BR_EPS_DEPENDENT * BR_EPS_DEPENDENT * before)) continue;
        for (int i = 0; i < n; i++) u[i] /= sqrt(square);
        kept++;
    }
    times_mass(b, a, force);
    for (int i = 0; i < n; i++) force[i] = load[i] - force[i];
    for (int k = 0; k < kept; k++) {
        const double *u = U + (size_t)k * (size_t)n, along = dot(n, u, force);
        for (int i = 0; i < n; i++) a[i] += along * u[i];
    }
    return BR_OK;
}

// --- the case -------------------------------------------------------------------------------------------------

// The acceleration along a column that the loads could give it: what rounding of accelerations is compared with.
double br_balance_rate_scale(const br_balance *b, int column) {
    double size = fabs(b->gamma[column]);
    for (int i = 0; i < b->n; i++) {
        double load = fabs(b->Q[i]);
        for (int k = b->columns - b->loads; k < b->columns; k++)
            load += fabs(b->A[i * b->columns + k] * b->x[k]); // of unknown size: as they are
        size += fabs(b->A[i * b->columns + column]) * load / b->M[i * (b->n + 1)];
    }
    return size;
}

// Whether a satisfies every marked row.
static int keeps_rows(const br_balance *b, const int *mark, const double *a) {
    double worst = 0.0, size = 0.0;
    for (int c = 0; c < b->columns; c++) {
        if (!mark[c]) continue;
        double sum = -b->gamma[c], terms = br_balance_rate_scale(b, c);
        for (int i = 0; i < b->n; i++) {
            const double term = b->A[i * b->columns + c] * a[i];
            sum += term, terms += fabs(term);
        }
        worst = fmax(worst, fabs(sum)), size = fmax(size, terms);
    }
    return worst <= BR_EPS_RESTS * size;
}

// a_held. Friction of what slides is in `load` as the simulation has it: it only chooses a point from which the others are counted.
static br_status find_accelerations(br_case *c, br_arena *arena, double *load, br_error *error) {
    const br_balance *b = c->b;
    const int n = b->n;
    int *mark = BR_TAKE(arena, int, b->columns);
    if (!mark) return BR_NO_MEMORY;
    for (int i = 0; i < n; i++) {
        load[i] = b->Q[i];
        for (int k = 0; k < b->columns; k++)
            if (!c->held[k]) load[i] += b->A[i * b->columns + k] * b->x[k];
    }
    br_status status = br_balance_motions(b, arena, c->held, &c->loose, &c->L, c->a_held, error);
    if (status) return status;
    c->stays = keeps_rows(b, c->held, c->a_held);
    if (!c->stays) {
        for (int k = 0; k < b->bilateral; k++) mark[k] = 1;
        status = br_balance_motions(b, arena, mark, &c->loose, &c->L, c->a_held, error);
    }
    return status ? status : let_go(b, arena, c->loose, c->L, load, c->a_held, error);
}

// Size of what the pads at rest carry at x0, as a generalized force; never less than a millionth of the loads, and theirs where all slide.
static double pad_scale(const br_case *c, double load) {
    const br_balance *b = c->b;
    const br_family *family = &c->family;
    double scale = 1e-6 * load;
    int resting = 0;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        if (p->sliding) continue;
        resting = 1;
        for (int k = 0; k < p->directions; k++) {
            const double length = family->length[p->column + k];
            scale = fmax(scale, length * fabs(family->x0[p->column + k]));
            scale = fmax(scale, length * p->mu_static * fabs(br_balance_load(b, i, family->x0)));
        }
    }
    if (!resting) scale = load;
    return scale > 0.0 ? scale : 1.0;
}

static br_status find_family(br_case *c, br_arena *arena, const double *load, br_error *error) {
    const br_balance *b = c->b;
    const int n = b->n, columns = b->columns;
    br_family *family = &c->family;
    int count,
        *open = BR_TAKE(arena, int, columns); // what balances: rows that hold, and loads of unknown size
    if (!open) return BR_NO_MEMORY;
    for (int k = 0; k < columns; k++) open[k] = c->held[k] || k >= columns - b->loads;
    double *A = columns_of(b, arena, open, &count), *r = BR_TAKE(arena, double, n);
    double *x = BR_TAKE(arena, double, count), *scratch = BR_TAKE(arena, double, n);
    if (!A || !r || !x || !scratch) return BR_NO_MEMORY;
    br_span span;
    const br_status status = br_span_make(&span, arena, n, count, A, error);
    if (status) return status;
    times_mass(b, c->a_held, r);
    for (int i = 0; i < n; i++) r[i] -= load[i];
    const double size = length_of(n, r); // of what balances, with loads of unknown size as they are
    for (int i = 0; i < n; i++) {
        for (int k = columns - b->loads; k < columns; k++) r[i] += b->A[i * columns + k] * b->x[k];
    }
    br_span_solve(&span, r, x, scratch);
    family->columns = columns;
    family->unknowns = span.nullity;
    family->Z = BR_TAKE(arena, double, (size_t)span.nullity *(size_t)columns);
    family->x0 = BR_TAKE(arena, double, columns);
    family->length = BR_TAKE(arena, double, columns);
    if (!family->Z || !family->x0 || !family->length) return BR_NO_MEMORY;
    for (int k = 0, h = 0; k < columns; k++) {
        double square = 0.0;
        for (int i = 0; i < n; i++) square += b->A[i * columns + k] * b->A[i * columns + k];
        family->length[k] = square > 0.0 ? sqrt(square) : 1.0;
        family->x0[k] = open[k] ? x[h] : b->x[k];
        for (int j = 0; j < span.nullity; j++)
            family->Z[j * columns + k] = open[k] ? span.Z[j * count + h] : 0.0;
        h += open[k] != 0;
    }
    family->scale = pad_scale(c, length_of(n, r));
    if (b->loads > 0 && size > family->scale) family->scale = size; // x0 may have next to nothing of them
    return BR_OK;
}

static br_status find_motions(br_case *c, br_arena *arena, br_error *error) {
    const br_balance *b = c->b;
    int *mark = BR_TAKE(arena, int, b->columns), count;
    if (!mark) return BR_NO_MEMORY;
    for (int k = 0; k < b->bilateral; k++) mark[k] = 1;
    br_status status = br_balance_motions(b, arena, mark, &c->motions, &c->V, NULL, error);
    if (status) return status;
    const double *A = columns_of(b, arena, mark, &count);
    br_span span;
    if (!A) return BR_NO_MEMORY;
    status = br_span_make(&span, arena, b->n, count, A, error);
    if (status) return status;
    c->permanent_nullity = span.nullity;
    for (int i = 0; i < b->pads; i++)
        if (b->pad[i].normal >= 0) mark[b->pad[i].normal] = 1;
    return br_balance_motions(b, arena, mark, &c->freedom, &c->U, NULL, error);
}

static void order_pads(br_case *c) {
    const br_balance *b = c->b;
    for (int i = 0; i < b->pads; i++)
        if (!b->pad[i].sliding) c->pad[c->rest++] = i;
    for (int i = 0; i < b->pads; i++)
        if (b->pad[i].sliding) c->pad[c->rest + c->moving++] = i;
}

static int same_column(const br_balance *b, int k, int m) {
    double most = 0.0, apart = 0.0;
    for (int i = 0; i < b->n; i++) {
        const double a = b->A[i * b->columns + k], c = b->A[i * b->columns + m];
        most = fmax(most, fabs(a)), apart = fmax(apart, fabs(a - c));
    }
    return apart <= BR_EPS_DEPENDENT * most && b->gamma[k] == b->gamma[m];
}

// A box in the plane touches with two corners in one place, for one. What two such carry, one can.
static void find_twins(br_case *c) {
    const br_balance *b = c->b;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[c->pad[i]];
        c->twin[i] = -1;
        for (int j = 0; j < i && i < c->rest && p->normal >= 0 && c->twin[i] < 0; j++) {
            const br_balance_pad *q = &b->pad[c->pad[j]];
            if (q->normal < 0 || c->twin[j] >= 0 || p->directions != q->directions) continue;
            int same = p->mu_static == q->mu_static && p->mu_kinetic == q->mu_kinetic &&
                       same_column(b, p->normal, q->normal);
            for (int k = 0; k < p->directions && same; k++)
                same = same_column(b, p->column + k, q->column + k);
            if (same) c->twin[i] = j;
        }
    }
}

// Where everything that rubs rests, and nothing else touches, forces alone are the unknowns. A load of unknown size also moves what
// nothing resists.
int br_case_is_plain(const br_case *c) {
    if (c->b->loads > 0 && c->loose > 0) return 0;
    for (int i = 0; i < c->b->pads; i++)
        if (c->b->pad[i].sliding || c->b->pad[i].directions == 0) return 0;
    return c->stays;
}

// F with everything else in it: accelerations are unknowns, pads that slide have their law, stops hold or are left.
static br_status find_moving_region(br_case *c, br_arena *arena, br_error *error) {
    br_modes modes;
    const br_status status = br_modes_make(c, arena, BR_MODES_REST, &modes, error);
    if (status || !modes.made) return status;
    c->region = modes.region;
    memcpy(c->factor, modes.factor, (size_t)c->b->pads * sizeof *c->factor);
    for (int i = 0; i < c->rest; i++)
        if (c->region.pad[i].directions > 0) c->region.fixed[i] = BR_NODE_RESTS;
    return BR_OK;
}

static br_status find_region(br_case *c, br_arena *arena, br_error *error) {
    const br_balance *b = c->b;
    c->pad = BR_TAKE(arena, int, b->pads);
    c->factor = BR_TAKE(arena, double, b->pads);
    c->twin = BR_TAKE(arena, int, b->pads);
    if (!c->pad || !c->factor || !c->twin) return BR_NO_MEMORY;
    order_pads(c);
    find_twins(c);
    if (c->rest == 0) return BR_OK;
    if (!br_case_is_plain(c)) return find_moving_region(c, arena, error);
    c->region.pad = BR_TAKE(arena, br_region_pad, b->pads);
    if (!c->region.pad) return BR_NO_MEMORY;
    for (int k = 0; k < c->rest; k++)
        if (!br_family_pad(&c->family, arena, b, c->pad[k], &c->region.pad[k], &c->factor[k]))
            return BR_NO_MEMORY;
    c->region.unknowns = c->family.unknowns;
    c->region.pads = c->rest;
    c->region.work = c->work;
    c->region.rows_max = c->rest; // coherence
    return br_region_create(&c->region, arena) ? BR_OK : BR_NO_MEMORY;
}

// Four decompositions: rows that hold, twice for motions and once for forces, and the joints' rows.
double br_case_work(const br_balance *b) {
    return 2.0 * br_work_of_span(b->columns, b->n) + 2.0 * br_work_of_span(b->n, b->columns);
}

br_status br_case_make(const br_balance *b, br_arena *arena, br_work *work, br_case *out, br_error *error) {
    *out = (br_case){.b = b, .work = work, .held = BR_TAKE(arena, int, b->columns)};
    out->a_held = BR_TAKE(arena, double, b->n);
    double *load = BR_TAKE(arena, double, b->n);
    if (!out->held || !out->a_held || !load) return BR_NO_MEMORY;
    mark_held(b, out->held);
    br_status status = find_accelerations(out, arena, load, error);
    if (!status) status = find_family(out, arena, load, error);
    if (!status) status = find_motions(out, arena, error);
    if (!status) status = find_region(out, arena, error);
    return status;
}

int br_case_column_unique(const br_case *c, int column) {
    double square = 0.0;
    for (int k = 0; k < c->family.unknowns; k++)
        square += br_square(c->family.Z[k * c->family.columns + column] * c->family.length[column]);
    return sqrt(square) <= BR_EPS_UNIQUE;
}

static int form_is_unique(const br_case *c, const double *form) {
    double size = 0.0, all = 0.0;
    for (int k = 0; k < c->b->columns; k++) size += br_square(form[k] / c->family.length[k]);
    for (int k = 0; k < c->family.unknowns; k++) {
        double along = 0.0;
        for (int j = 0; j < c->b->columns; j++) along += form[j] * c->family.Z[k * c->family.columns + j];
        all += along * along;
    }
    return sqrt(all) <= BR_EPS_UNIQUE * sqrt(size);
}

int br_case_form_unique(const br_case *c, const double *form, const int *column) {
    double size = 0.0, all = 0.0;
    for (int j = 0; j < c->b->columns; j++) size += br_square(form[column[j]] / c->family.length[j]);
    for (int k = 0; k < c->family.unknowns; k++) {
        double along = 0.0;
        for (int j = 0; j < c->b->columns; j++)
            along += form[column[j]] * c->family.Z[k * c->family.columns + j];
        all += along * along;
    }
    return sqrt(all) <= BR_EPS_UNIQUE * sqrt(size);
}

int br_case_load_unique(const br_case *c, int pad) {
    const br_balance_pad *p = &c->b->pad[pad];
    if (p->normal >= 0) return br_case_column_unique(c, p->normal);
    for (int k = 0; k < p->norms; k++)
        for (int j = 0; j < p->norm[k].forms; j++)
            if (!form_is_unique(c, p->norm[k].form[j])) return 0;
    return 1;
}
