// The borrowed stepper of borrow.h.
#include "sim/study/modes/borrow.h"

#include <string.h>

int br_borrow(br_borrowed *b, br_arena *arena, br_sim *sim) {
    const br_implicit *f = sim->implicit;
    const br_model *m = sim->model;
    br_node *node = br_nodes_copy(f, arena);
    b->kept = *f, b->control = *f->control;
    b->lambda = BR_COPY(arena, f->lambda, f->row_count);
    b->state = BR_COPY(arena, f->state, f->state_count);
    b->q = BR_COPY(arena, sim->state.q, m->tree.nq);
    b->v = BR_COPY(arena, sim->state.v, m->tree.nv);
    b->loop_q = BR_COPY(arena, sim->state.loop_q, m->loop_nq);
    b->effort = BR_COPY(arena, sim->drive_effort, m->drives);
    if (br_arena_ok(arena)) b->node = node;
    return br_arena_ok(arena);
}

static void borrow_copy(double *to, const double *from, int count) {
    if (count > 0) memcpy(to, from, (size_t)count * sizeof *to);
}

void br_borrow_end(const br_borrowed *b, br_sim *sim) {
    br_implicit *f = sim->implicit;
    br_nodes_restore(f, b->node);
    *f = b->kept, *f->control = b->control;
    f->tangent = 0;
    borrow_copy(f->lambda, b->lambda, f->row_count);
    borrow_copy(f->state, b->state, f->state_count);
}

void br_borrow_state(const br_borrowed *b, br_sim *sim) {
    const br_model *m = sim->model;
    borrow_copy(sim->state.q, b->q, m->tree.nq);
    borrow_copy(sim->state.v, b->v, m->tree.nv);
    borrow_copy(sim->state.loop_q, b->loop_q, m->loop_nq);
    borrow_copy(sim->drive_effort, b->effort, m->drives);
}
