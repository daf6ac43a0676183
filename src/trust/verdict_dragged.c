// Pads of laws that creep, dragged by a prescribed motion. A law of velocity has no rest of its own; it stands for Coulomb's, under which
// a pad whose motion is prescribed slides, however slowly: no motion that the joints leave free changes its slip.
#include <math.h>
#include <string.h>

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

// Free motions [motions * n] of the joints' rows, prescribed motions among them.
static br_status free_motions(const br_balance *b, br_arena *arena, int *motions, double **V,
                              br_error *error) {
    int *mark = BR_TAKE(arena, int, b->columns);
    if (!mark) return BR_NO_MEMORY;
    for (int c = 0; c < b->bilateral; c++) mark[c] = 1;
    return br_balance_motions(b, arena, mark, motions, V, NULL, error);
}

br_status br_trust_find_dragged(br_balance *b, br_arena *arena, br_work *work, br_error *error) {
    int creeping = 0, motions;
    double *V;
    for (int i = 0; i < b->pads; i++) {
        const br_balance_pad *p = &b->pad[i];
        for (int d = 0; d < p->directions; d++) creeping |= p->creeps && !p->sliding && p->velocity[d] != 0.0;
    }
    if (!b->driven || !creeping || !br_work_spend(work, br_work_of_span(b->columns, b->n))) return BR_OK;
    const br_status status = free_motions(b, arena, &motions, &V, error);
    if (status) return status;
    for (int i = 0; i < b->pads; i++) {
        br_balance_pad *p = &b->pad[i];
        double speed = 0.0;
        for (int d = 0; d < p->directions; d++) speed += fabs(p->velocity[d]);
        if (p->creeps && !p->sliding && speed > 0.0 && !is_reached(b, p, motions, V)) p->sliding = 1;
    }
    return BR_OK;
}

br_status br_trust_is_driven(const br_balance *b, br_arena *arena, const char *force, int *driven,
                             br_error *error) {
    int motions = 0;
    double *V;
    *driven = 0;
    if (!b->driven) return BR_OK;
    const br_status status = free_motions(b, arena, &motions, &V, error);
    for (int i = 0; status == BR_OK && i < b->pads; i++) {
        const size_t length = strlen(b->pad[i].name);
        if (strncmp(force, b->pad[i].name, length) == 0 && (force[length] == '\0' || force[length] == '.'))
            *driven = !is_reached(b, &b->pad[i], motions, V);
    }
    return status;
}
