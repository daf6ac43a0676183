// The hash of a run (--hash, --hash-log): one number that two runs share where they computed the same bits, and one per row, so that two
// logs show where they part.
//
// A row's hash is over t, q, v, every channel, the ledger and the events since the row before. That of the run is over those of its rows
// and, where there are verdicts, over what they found. FNV-1a over the bits of the numbers, 8 bytes each with the lowest first, so that
// it does not depend on the machine's order of bytes. 0 and -0 differ; every NaN is the same.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/run.h"

#define HASH_START UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static uint64_t hash_word(uint64_t hash, uint64_t word) {
    for (int k = 0; k < 8; k++) hash = (hash ^ (word >> 8 * k & 0xff)) * HASH_PRIME;
    return hash;
}

static uint64_t hash_number(uint64_t hash, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return hash_word(hash, isnan(x) ? UINT64_C(0x7ff8000000000000) : bits);
}

static uint64_t hash_numbers(uint64_t hash, const double *x, int count) {
    for (int k = 0; k < count; k++) hash = hash_number(hash, x[k]);
    return hash;
}

static uint64_t hash_text(uint64_t hash, const char *text) {
    for (; *text; text++) hash = hash_word(hash, (unsigned char)*text);
    return hash_word(hash, 0);
}

static uint64_t hash_ledger(uint64_t hash, const br_ledger *l) {
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

br_status run_hash_open(const run_request *r, run_job *j, br_error *error) {
    if (!r->hash && !r->hash_log) return BR_OK;
    j->hash = j->hash_events = HASH_START;
    br_status status = br_channels_choose(j->sim, BR_CHANNELS_ALL, NULL, &j->hash_channels, error);
    if (status != BR_OK) return status;
    j->hash_row = calloc((size_t)br_channels_count(j->hash_channels) + 1, sizeof *j->hash_row);
    if (!j->hash_row) return cli_no_memory(error, "not enough memory to prepare the run");
    if (!r->hash_log) return BR_OK;
    errno = 0;
    j->hash_log = fopen(r->hash_log, "w");
    if (!j->hash_log) return cli_unwritable(error, r->hash_log);
    fputs("row,t,hash\n", j->hash_log);
    return BR_OK;
}

void run_hash_event(run_job *j, const br_event *event) {
    if (!j->hash_channels) return;
    j->hash_events = hash_word(hash_number(j->hash_events, event->t), (uint64_t)event->kind);
    j->hash_events = hash_number(hash_text(j->hash_events, event->name), event->value);
}

br_status run_hash_row(run_job *j, br_error *error) {
    if (!j->hash_channels) return BR_OK;
    const br_status status = br_channels_read(j->hash_channels, j->sim, j->hash_row, error);
    if (status != BR_OK) return status;
    const br_ledger ledger = br_sim_ledger(j->sim);
    uint64_t row = hash_number(j->hash_events, br_sim_time(j->sim));
    row = hash_numbers(row, br_sim_q(j->sim), br_model_nq(j->model));
    row = hash_numbers(row, br_sim_v(j->sim), br_model_nv(j->model));
    row = hash_numbers(row, j->hash_row, br_channels_count(j->hash_channels));
    row = hash_ledger(row, &ledger);
    j->hash = hash_word(j->hash, row);
    j->hash_events = HASH_START;
    if (j->hash_log)
        fprintf(j->hash_log, "%ld,%.17g,%016llx\n", j->rows, br_sim_time(j->sim), (unsigned long long)row);
    return BR_OK;
}

br_status run_hash_close(const run_request *r, run_job *j, br_error *error) {
    if (!j->hash_log) return BR_OK;
    const int failed = ferror(j->hash_log), closed = fclose(j->hash_log);
    j->hash_log = NULL;
    if (failed || closed != 0) return cli_unwritable(error, r->hash_log);
    return BR_OK;
}

void run_hash_text(const run_job *j, char text[RUN_HASH_TEXT]) {
    uint64_t hash = j->hash;
    for (int k = 0; j->trusted && k < j->trust.intervals; k++) {
        const br_trust_interval *i = &j->trust.interval[k];
        const double found[] = {i->from, i->to, i->at, i->c_star, i->c_star_coherent};
        const int counts[] = {(int)i->verdict, i->nullity, i->permanent_nullity, i->freedom, i->exhaustive};
        hash = hash_numbers(hash, found, (int)(sizeof found / sizeof *found));
        for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
            hash = hash_word(hash, (uint64_t)counts[n]);
        hash = hash_text(hash, i->by_name);
    }
    snprintf(text, RUN_HASH_TEXT, "%016llx", (unsigned long long)hash);
}

void run_hash_free(run_job *j) {
    if (j->hash_log) fclose(j->hash_log);
    br_channels_destroy(j->hash_channels);
    free(j->hash_row);
}
