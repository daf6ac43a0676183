// bristle sweep: what its files share. verb_sweep.c reads the arguments and tells, workers.c has the processes.
#ifndef BR_CLI_SWEEP_H
#define BR_CLI_SWEEP_H

#include "bristle/sweep.h"
#include "cli.h"

enum { SWEEP_MAX_JOBS = 1024, SWEEP_MAX_SHARDS = 1000000 };

typedef struct sweep_request {
    const char *path;   // the spec
    const char *folder; // of the runs
    int jobs;
    int shard, shards;      // this one of how many: it does the runs i with i mod shards = shard
    const char *shard_from; // who said so; NULL: nobody
    int merge, retry, json, quiet, strict;
    const char *report; // the run to be done with a report; NULL: none
    const char *table;  // where the table goes too, by its ending CSV or HDF5; NULL: nowhere
} sweep_request;

// How the workers ended.
typedef struct sweep_outcome {
    long long performed; // runs that this call did
    int replaced;        // workers that ended in the middle of a run
    int interrupted;
    br_status status; // BR_OK, or of the first that could not write, in `error`
    br_error error;
    double seconds;
} sweep_outcome;

// Does the runs of todo[0 .. count) in request->jobs processes.
void sweep_perform(const sweep_request *request, const br_sweep *sweep, const long long *todo,
                   long long count, sweep_outcome *outcome);

// --report I: DIR/reports/I.html, and the page once more. The exit code.
int sweep_report(const sweep_request *request, const br_sweep *sweep);

// DIR/index.html, of DIR/table.csv; spec: the file it came from.
br_status sweep_write_page(const br_sweep *sweep, const char *spec, const char *folder, br_error *error);

#endif
