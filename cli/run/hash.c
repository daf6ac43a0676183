// The hash of a run (--hash, --hash-log): one number that two runs share where they computed the same bits, and one per row, so that two
// logs show where they part.
//
// A row's hash is over t, q, v, every channel, the ledger and the events since the row before. That of the run is over those of its rows
// and, where there are verdicts, over what they found.
#include "run/hash.h"

#include <errno.h>
#include <stdlib.h>

#include "run/run.h"

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
    j->hash_events = hash_event(j->hash_events, event);
}

br_status run_hash_row(run_job *j, br_error *error) {
    if (!j->hash_channels) return BR_OK;
    const br_status status = br_channels_read(j->hash_channels, j->sim, j->hash_row, error);
    if (status != BR_OK) return status;
    const uint64_t row = hash_state(j->hash_events, j->sim, j->hash_row, br_channels_count(j->hash_channels));
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
