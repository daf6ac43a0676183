// bristle run and bristle resume: what their files share. verb_run.c and verb_resume.c read the arguments and prepare, perform.c runs,
// run/files.c writes, run/lcp.c writes the
// complementarity problem of a step, run/trust.c asks for verdicts, run/credible.c concludes, run/report.c tells,
// run/hash.c hashes it.
#ifndef BR_CLI_RUN_H
#define BR_CLI_RUN_H

#include "bristle/bars.h"
#include "bristle/contact.h"
#include "bristle/record.h"
#include "judgement.h"
#include "model.h"
#include "page.h"
#include "trust/trust.h"

typedef struct run_request {
    const char *path, *csv, *channels, *output, *events, *report, *hash_log;
    int json, no_result, quiet, with_report;
    int trust, no_trust, strict, hash;
    int error;        // error bars, by smaller steps
    const char *dump; // file of the complementarity problem; NULL: NAME.stepSTEP.cp
    int dump_step;    // from 1; 0: none
    int dump_last;    // to this one
    int dump_mixed;   // as [Peiret2016 eq. 30] instead of the standard form
    int directions;   // of its friction polygons
    int samples;      // of the model's distributions; 0: one run
    int has_until;
    double until;
    double checkpoint; // s of the clock between two of them; 0: none but when stopped
    double budget;     // of the verdicts, million counted operations; 0: the usual
    cli_overrides overrides;
} run_request;

typedef struct run_job {
    br_builder *builder; // behind the model
    br_model *model;
    br_sim *sim;
    double until, interval; // s
    char *notes;
    char *result_path; // NULL: no result
    char *
        replaced; // the model of an older result of that name, where it is another one; NULL: nothing is lost
    int rubs;     // something touched at a row, with friction
    br_recorder *recorder;     // of the result
    int channels;              // of the result
    int reduced;               // the model has too many channels for the result to keep them all
    br_channels *csv_channels; // of the table
    double *csv_row;
    br_csv *csv, *events;
    int has_older, kept_older; // a file of the result's name was there; it stays, this run having no row
    int unlocked;              // nothing keeps another run from writing to the same result
    long rows, event_count;
    double next;       // number of the first row to write; above 0: the run was taken up again
    double kept_until; // time of the last row that is kept, s
    // the hash of the run, see hash.c; hash_channels NULL: not asked for
    br_channels *hash_channels;
    double *hash_row;
    uint64_t hash, hash_events; // of the rows so far, of the events since the last one
    FILE *hash_log;
    int dumped;                  // the last step whose problem is written; 0: none yet
    char *dump_path, *dump_json; // where that went; NULL: nowhere
    br_status event_status;      // of the first event that could not be written
    br_error event_error;
    // the verdicts on what friction holds
    int trusted;      // 1: there is a report
    char *trust_path; // where it goes beside the result; NULL: nowhere
    br_trust_report trust;
    br_error trust_error;   // why there is none though it was wanted
    br_judgement judgement; // of the books and the verdicts together
    // error bars, by smaller steps
    int barred; // 1: there is a report
    br_bars_report bars;
    br_error bars_error;     // why there is none though it was wanted
    char page[CLI_MAX_PATH]; // of --report; empty: none was written
    // how it went
    br_result_outcome outcome;
    br_error error;
    double seconds;
} run_job;

// Finds the channels, then opens every file, so that what is wrong with one is said before the run.
br_status run_open_files(const run_request *r, run_job *j, br_error *error);
// The same of a result that is to be continued: result_path, model and sim are there; the sim gets the state to go on from.
br_status run_continue_files(run_job *j, br_error *error);
br_status run_write_row(run_job *j, br_error *error);
int run_parse_checkpoint(const char *verb, const char *text,
                         double *out); // "10" or "10s"; 0: said what is wrong
// Ends and closes every file; the first failure is the one that is told.
br_status run_close_files(run_job *j, br_error *error);
void run_free(run_job *j);
char *run_default_path(const run_request *r, const br_model *model,
                       const char *ending); // NAME + ending; to be freed

// --hash and --hash-log; all of them do nothing where neither was given.
enum { RUN_HASH_TEXT = 24 };
br_status run_hash_open(const run_request *r, run_job *j, br_error *error);
br_status run_hash_row(run_job *j, br_error *error); // of the present state, before it is counted
void run_hash_event(run_job *j, const br_event *event);
br_status run_hash_close(const run_request *r, run_job *j, br_error *error);
void run_hash_text(const run_job *j, char text[RUN_HASH_TEXT]);
void run_hash_free(run_job *j);

// The problem of the step that comes next, in the standard form of [TanLiu]: as a .cp file, and with all its parts as JSON.
// The problems of the steps asked for that begin before row t, each from its own state.
br_status run_dump_lcp(const run_request *r, run_job *j, double t, br_error *error);

// Verdicts on the run, by moving the model once more: where a joint rubs, or where they were asked for. They are written beside
// the result. Fails where that is not possible; a verdict that cannot be had is in trust_error.
br_status run_judge(const run_request *r, run_job *j, br_error *error);
// Error bars, by moving the model three times more: run/error.c. What a smaller step cannot do is in bars_error.
void run_tell_bars(const run_request *r, const br_model *model); // beforehand, what they cost
void run_find_bars(const run_request *r, run_job *j);
void run_judge_bars(run_job *j); // against `check: error` of the model
void run_bars_text(FILE *out, const run_job *j);
void run_bars_json(br_json *json, const run_job *j);
// The judgement, once it is known whether there are verdicts.
void run_conclude(const run_request *r, run_job *j);
int run_is_credible(const run_job *j);

// Moves what was prepared to its end, or to where it is stopped; closes, judges, tells. Returns the exit code; the job is gone.
int run_perform(const run_request *r, run_job *j);

// --samples N: writes the spec of a sweep and does it. Returns the exit code.
int run_samples(const run_request *r);

void run_report_text(FILE *out, const run_request *r, const run_job *j);
void run_report_json(const run_request *r, const run_job *j);

#endif
