// lcp_epsilon: the diagonal of a step's contact problem times 1 + epsilon [TanLiu sec. 5].
//
// On the rows of the contacts' own axes it is a compliance C = epsilon diag(J M^-1 J^T), M of the bodies without loops, limits and
// drives. With friction polygons of two or four directions, which lie on these axes, that is the document's matrix; with more the
// document has an entry for each direction, and what differs is the creep of contacts in stick.
#include "sim/contact/stabilize.h"

#include <string.h>

#include "linalg/dense.h"

typedef struct br_contact_problem problem;

br_status br_contact_soften_create(br_sim *sim, problem *P) {
    if (!(sim->model->settings.solver.lcp_epsilon > 0.0)) return BR_OK;
    size_t numbers = 0;
    int most = 0;
    for (int n = 0; n < P->nodes; n++) {
        const int nv = P->node[n].nv;
        numbers += (size_t)nv * (size_t)nv;
        most = nv > most ? nv : most;
    }
    P->soften_factor = BR_TAKE(&sim->arena, double, numbers);
    P->soften_row = BR_TAKE(&sim->arena, double, most);
    return P->soften_factor && P->soften_row ? BR_OK : BR_NO_MEMORY;
}

// J M^-1 J^T of one row.
static double diagonal(const problem *P, int law, int row) {
    double sum = 0.0;
    for (int b = P->jacobian_start[law]; b < P->jacobian_start[law + 1]; b++) {
        const int local = P->jacobian_node[b], nv = P->node_dim[local];
        const double *J = P->jacobian + P->jacobian_at[b] + row * nv;
        memcpy(P->soften_row, J, (size_t)nv * sizeof *J);
        br_cholesky_solve(nv, P->soften_factor + (P->mass_of[local] - P->mass_packed), nv, P->soften_row);
        sum += br_dot(nv, J, P->soften_row);
    }
    return sum;
}

// A mass matrix without a factor makes the solver refuse the problem by name: nothing is softened then.
static int factor_masses(problem *P) {
    for (int k = 0; k < P->locals; k++) {
        const int nv = P->node_dim[k];
        double *factor = P->soften_factor + (P->mass_of[k] - P->mass_packed);
        memcpy(factor, P->mass_of[k], (size_t)nv * (size_t)nv * sizeof *factor);
        if (br_cholesky_factor(nv, factor, nv) != 0) return 0;
    }
    return 1;
}

void br_contact_soften(const br_sim *sim, problem *P) {
    if (!P->soften_factor) return;
    const int whole = factor_masses(P);
    for (int l = 0; l < P->laws; l++)
        for (int r = 0; r < P->law[l].rows; r++)
            P->softened[P->law[l].first_row + r] =
                whole && !br_block_is_group(P->block[l])
                    ? sim->model->settings.solver.lcp_epsilon * diagonal(P, l, r)
                    : 0.0;
}
