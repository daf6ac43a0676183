// The hash of a row: FNV-1a over the bits of the numbers, 8 bytes each with the lowest first, so that it does not depend on the
// machine's order of bytes. 0 and -0 differ; every NaN is the same. Public headers alone: tests/wasm/bits.c computes the same hash where
// there is no program.
#ifndef CLI_RUN_HASH_H
#define CLI_RUN_HASH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "bristle/sim.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static inline uint64_t hash_word(uint64_t hash, uint64_t word) {
    for (int k = 0; k < 8; k++) hash = (hash ^ (word >> 8 * k & 0xff)) * HASH_PRIME;
    return hash;
}

static inline uint64_t hash_number(uint64_t hash, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return hash_word(hash, isnan(x) ? UINT64_C(0x7ff8000000000000) : bits);
}

static inline uint64_t hash_numbers(uint64_t hash, const double *x, int count) {
    for (int k = 0; k < count; k++) hash = hash_number(hash, x[k]);
    return hash;
}

static inline uint64_t hash_text(uint64_t hash, const char *text) {
    for (; *text; text++) hash = hash_word(hash, (unsigned char)*text);
    return hash_word(hash, 0);
}

static inline uint64_t hash_ledger(uint64_t hash, const br_ledger *l) {
    const double books[] = {l->start.total,
                            l->now.kinetic,
                            l->now.potential,
                            l->now.elastic,
                            l->now.total,
                            l->input,
                            l->friction,
                            l->impact,
                            l->damping,
                            l->scheme,
                            l->unaccounted,
                            l->loop_error,
                            l->loop_velocity_error,
                            l->residual,
                            l->penetration,
                            l->cone_violation,
                            l->creep};
    const long counts[] = {l->contacts, l->steps, l->iterations, l->evaluations};
    hash = hash_numbers(hash, books, (int)(sizeof books / sizeof *books));
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) hash = hash_word(hash, (uint64_t)counts[k]);
    return hash;
}

static inline uint64_t hash_event(uint64_t hash, const br_event *event) {
    hash = hash_word(hash_number(hash, event->t), (uint64_t)event->kind);
    return hash_number(hash_text(hash, event->name), event->value);
}

// Of the state. events: of those since the row before, from HASH_START; channels: all of the model, as they were just read.
static inline uint64_t hash_state(uint64_t events, const br_sim *sim, const double *channels, int count) {
    const br_ledger ledger = br_sim_ledger(sim);
    uint64_t row = hash_number(events, br_sim_time(sim));
    row = hash_numbers(row, br_sim_q(sim), br_model_nq(br_sim_model(sim)));
    row = hash_numbers(row, br_sim_v(sim), br_model_nv(br_sim_model(sim)));
    row = hash_numbers(row, channels, count);
    return hash_ledger(row, &ledger);
}

#endif
