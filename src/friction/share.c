// Lawson's iteration: the least weighted squares of y_i = f_i/(mu_i N_i) subject to rates of zero, weights growing where y is large, loads N
// taken from the forces before. With S = D R D, D = diag(mu N/sqrt(weight)), the least y is S^+ D (-r_0).
#include "friction/share.h"

#include <math.h>

#include "linalg/symmetric.h"

#define BR_MAX_SHARE_TURNS 200
#define BR_EPS_SHARE_RANK 1e-11 // eigenvalues of S, of the largest, that count as zero
#define BR_EPS_SHARE 1e-9       // of the forces: nothing changes any more; of the rates: zero

double br_share_load(const br_refutation_problem *p, int i, const double *f) {
    const br_refutation_pad *pad = &p->pad[i];
    double load = pad->preload;
    for (int k = 0; k < pad->norms; k++) {
        double square = 0.0;
        for (int c = pad->form[k]; c < pad->form[k] + pad->forms[k]; c++) {
            double part = p->l0[c];
            for (int j = 0; j < p->n; j++) part += p->L[c * p->n + j] * f[j];
            square += part * part;
        }
        load += sqrt(square);
    }
    return load;
}

void br_share_rates(const br_refutation_problem *p, const double *f, double *rate) {
    for (int i = 0; i < p->n; i++) {
        rate[i] = p->r0[i];
        for (int j = 0; j < p->n; j++) rate[i] += p->R[i * p->n + j] * f[j];
    }
}

typedef struct share {
    int rest, at[BR_MAX_REFUTATION_FORCES], pad[BR_MAX_REFUTATION_FORCES]; // forces of what rests
    double weight[BR_MAX_REFUTATION_FORCES], bound[BR_MAX_REFUTATION_FORCES];
} share;

// Forces of what rests for the bounds and weights at hand, those of what slides as they are.
static void balance(const br_refutation_problem *p, const share *s, double *f) {
    double S[BR_MAX_REFUTATION_FORCES * BR_MAX_REFUTATION_FORCES],
        turn[BR_MAX_REFUTATION_FORCES * BR_MAX_REFUTATION_FORCES], value[BR_MAX_REFUTATION_FORCES],
        rate[BR_MAX_REFUTATION_FORCES], D[BR_MAX_REFUTATION_FORCES], largest = 0.0;
    const int n = s->rest;
    for (int i = 0; i < n; i++) f[s->at[i]] = 0.0, D[i] = s->bound[i] / sqrt(s->weight[i]);
    br_share_rates(p, f, rate);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            S[i * n + j] =
                0.5 * D[i] * D[j] * (p->R[s->at[i] * p->n + s->at[j]] + p->R[s->at[j] * p->n + s->at[i]]);
    br_symmetric_eigen(n, S, turn, value);
    for (int k = 0; k < n; k++) largest = fmax(largest, value[k]);
    for (int k = 0; k < n; k++) {
        double along = 0.0;
        if (!(value[k] > BR_EPS_SHARE_RANK * largest)) continue;
        for (int i = 0; i < n; i++) along -= turn[k * n + i] * D[i] * rate[s->at[i]];
        for (int i = 0; i < n; i++) f[s->at[i]] += D[i] * turn[k * n + i] * along / value[k];
    }
}

static int holds_still(const br_refutation_problem *p, const share *s, const double *f) {
    double rate[BR_MAX_REFUTATION_FORCES];
    br_share_rates(p, f, rate);
    for (int i = 0; i < s->rest; i++) {
        const int at = s->at[i];
        double size = fabs(p->r0[at]);
        for (int j = 0; j < p->n; j++) size += fabs(p->R[at * p->n + j] * f[j]);
        if (!(fabs(rate[at]) <= BR_EPS_SHARE * size)) return 0;
    }
    return 1;
}

int br_share_find(const br_refutation_problem *p, double *f, double *used) {
    share s = {0};
    double before[BR_MAX_REFUTATION_FORCES] = {0.0};
    for (int i = 0; i < p->pads; i++)
        for (int d = 0; d < p->pad[i].n; d++) {
            f[p->pad[i].first + d] = 0.0;
            if (!p->pad[i].slides)
                s.pad[s.rest] = i, s.weight[s.rest] = 1.0, s.at[s.rest++] = p->pad[i].first + d;
        }
    if (s.rest == 0) return 0;
    for (int turn = 0; turn < BR_MAX_SHARE_TURNS; turn++) {
        double change = 0.0, size = 0.0, sum = 0.0;
        for (int i = 0; i < p->pads; i++)
            if (p->pad[i].slides) f[p->pad[i].first] = p->pad[i].mu_kinetic * br_share_load(p, i, before);
        for (int i = 0; i < s.rest; i++) {
            const double load = br_share_load(p, s.pad[i], before);
            s.bound[i] = p->pad[s.pad[i]].mu_static * load;
            if (!(s.bound[i] > 0.0)) s.bound[i] = 1e-12;
        }
        balance(p, &s, f);
        *used = 0.0;
        for (int i = 0; i < s.rest; i++) {
            const double part = fabs(f[s.at[i]]) / s.bound[i];
            *used = fmax(*used, part);
            s.weight[i] *= fmax(part, 1e-6), sum += s.weight[i];
        }
        for (int i = 0; i < s.rest; i++) s.weight[i] = fmax(s.weight[i] / sum, 1e-9);
        for (int j = 0; j < p->n; j++) {
            if (!isfinite(f[j])) return 0;
            change = fmax(change, fabs(f[j] - before[j])), size = fmax(size, fabs(f[j]));
            before[j] = f[j];
        }
        if (change <= BR_EPS_SHARE * size) break;
    }
    *used = 0.0;
    for (int i = 0; i < p->pads; i++) {
        double square = 0.0;
        for (int d = 0; d < p->pad[i].n; d++) square += f[p->pad[i].first + d] * f[p->pad[i].first + d];
        if (!p->pad[i].slides)
            *used = fmax(*used, sqrt(square) / (p->pad[i].mu_static * br_share_load(p, i, f) + 1e-300));
    }
    return holds_still(p, &s, f);
}
