// Pads of laws that creep, dragged by a prescribed motion. A law of velocity has no rest of its own; it stands for Coulomb's, under which
// a pad whose motion is prescribed slides, however slowly: no motion that the joints leave free changes its slip.
#include <math.h>

#include "trust/verdict.h"

#define BR_EPS_DRAGGED 1e-9 // of the column: no free motion reaches it

static int is_reached(const br_balance *b, const br_balance_pad *p, int motions, const double *V) {
    for (int d = 0; d < p->directions; d++) {
        double size = 0.0, most = 0.0;
        for (int r = 0; r < b->n; r++) size += fabs(b->A[r * b->columns + p->column + d]);
        for (int k = 0; k < motions; k++) {
            double along = 0.0;
            for (int r = 0; r < b->n; r++) along += b->A[r * b->columns + p->column + d] * V[k * b->n + r];
            most = fmax(most, fabs(along));
        }
        if (most > BR_EPS_DRAGGED * size) return 1;
    }
    return 0;
}

br_status br_trust_find_dragged(br_balance *b, br_arena *arena, br_work *work, br_error *error) {
    int creeping = 0, motions;
    double *V;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        for (int d = 0; d < p->directions; d++) creeping |= p->creeps && !p->sliding && p->velocity[d] != 0.0;
    }
    if (!b->driven || !creeping || !br_work_spend(work, br_work_of_span(b->columns, b->n))) return BR_OK;
    int *mark = BR_TAKE(arena, int, b->columns);
    if (!mark) return BR_NO_MEMORY;
    for (int c = 0; c < b->bilateral; c++) mark[c] = 1;
    const br_status status = br_balance_motions(b, arena, mark, &motions, &V, NULL, error);
    if (status) return status;
    for (int i = 0; i < b->pads; i++) {
        br_balance_pad *p = &b->pad[i];
        double speed = 0.0;
        for (int d = 0; d < p->directions; d++) speed += fabs(p->velocity[d]);
        if (p->creeps && !p->sliding && speed > 0.0 && !is_reached(b, p, motions, V)) p->sliding = 1;
    }
    return BR_OK;
}
