// Directions that the exact rows leave free, by singular values: diagnostics, never in a step.
#include <stdlib.h>

#include "base/error.h"
#include "linalg/rank.h"
#include "sim/rows/freedom.h"

#define BR_EPS_FREE 1e-9 // singular values below this, of the largest, count as zero

void br_freedom_free(br_freedom *freedom) {
    free(freedom->basis);
    freedom->basis = NULL;
}

br_status br_sim_freedom(br_sim *sim, br_freedom *out, br_error *error) {
    const int rows = sim->exact.rows, nv = sim->model->tree.nv;
    br_freedom f = {nv, calloc((size_t)nv * (size_t)nv + 1, sizeof(double))};
    if (!f.basis) return br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for %d directions", nv);
    if (rows == 0 || nv == 0) {
        for (int k = 0; k < nv; k++) f.basis[(size_t)k * (size_t)nv + (size_t)k] = 1.0;
        *out = f;
        return BR_OK;
    }
    br_sim_refresh(sim, 2);
    sim->q_eval = sim->state.q, sim->v_eval = sim->state.v, sim->t_eval = sim->state.at->t;
    br_sim_variables(sim);
    br_sim_fill(sim, &sim->exact);
    double *J = malloc((size_t)rows * (size_t)nv * sizeof *J),
           *singular = malloc((size_t)(rows + nv) * sizeof *singular);
    int rank = 0;
    br_status status = BR_OK;
    if (!J || !singular) {
        status = br_fail(error, BR_NO_MEMORY, "out-of-memory", "no memory for the rank of %d rows", rows);
    } else {
        br_sim_joint_rows(sim, J);
        status = br_rank(rows, nv, J, BR_EPS_FREE, &rank, singular, f.basis, &sim->allocator, error);
    }
    free(J);
    free(singular);
    f.count = nv - rank;
    if (status == BR_OK)
        *out = f;
    else
        br_freedom_free(&f);
    return status;
}
