// A run that was prepared, by bristle run or bristle resume: moves it, stops when told to, closes, judges and tells. See run.h.
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"
#include "run/run.h"

// ----------------------------------------------------------------------------------------------------- stopping

// Set by the first Ctrl-C, a batch system's SIGTERM or a terminal that is closed; the run then ends at its next row. The
// second one finds the signal's own meaning restored and ends the program at once.
static volatile sig_atomic_t stop_wanted;

enum { PATIENCE = 3 }; // s, for the row that is being computed when the signal comes

static void on_signal(int number) {
    (void)number;
    stop_wanted = 1;
    alarm(PATIENCE);
}

// Rows can be hours apart, and `timeout` sends its signal only once. The result is good up to what was last flushed.
static void on_alarm(int number) {
    static const char text[] =
        "bristle: interrupted between two rows; the result is kept up to its last rows\n"
        "  next: bristle run --help\n";
    (void)number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(EXIT_USAGE);
    _exit(EXIT_NUMERICAL);
}

static void catch_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    enum { NUMBERS = sizeof numbers / sizeof *numbers };
    struct sigaction action, before;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = (int)(SA_RESETHAND | SA_RESTART);
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < NUMBERS; k++) {
        // Ignored by whoever started us, as a shell does for what runs in the background: so it stays.
        if (sigaction(numbers[k], NULL, &before) == 0 && before.sa_handler == SIG_IGN) continue;
        sigaction(numbers[k], &action, NULL);
    }
    signal(SIGALRM, on_alarm);
    signal(SIGXFSZ, SIG_IGN); // a file at its size limit: the write says so, and the rows before it are kept
}

// Once every file is whole, a signal may end the program at once.
static void signals_as_usual(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction now;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (sigaction(numbers[k], NULL, &now) == 0 && now.sa_handler == on_signal)
            signal(numbers[k], SIG_DFL);
}

// ----------------------------------------------------------------------------------------------------- the run

// To row k; on the way the problems of steps, where they were asked for.
static br_status run_advance(const run_request *r, run_job *j, double t, br_error *error) {
    const br_status status = run_dump_lcp(r, j, t, error);
    if (status != BR_OK) return status;
    return j->recorder ? br_recorder_advance(j->recorder, t, error) : br_sim_advance(j->sim, t, error);
}

static void show_progress(const run_job *j, cli_progress *progress, double t) {
    if (cli_traits(j->model)->adapts) {
        const br_step_info info = br_sim_step_info(j->sim);
        cli_progress_step(progress, info.step, info.limit);
    }
    cli_progress_show(progress, t, j->until, br_sim_ledger(j->sim).steps);
}

static br_status simulate(const run_request *r, run_job *j, br_error *error) {
    cli_progress progress = cli_progress_begin(!r->quiet);
    const double begin = cli_seconds();
    double t = br_sim_time(j->sim), kept = begin;
    br_status status = j->next == 0 ? run_write_row(j, error) : BR_OK;
    j->outcome = BR_RESULT_COMPLETE;
    for (double k = fmax(1, j->next); status == BR_OK && t < j->until; k++) {
        if (stop_wanted) {
            j->outcome = BR_RESULT_INTERRUPTED;
            break;
        }
        t = br_row_time(k, j->interval, j->until);
        status = run_advance(r, j, t, error);
        if (status == BR_OK) status = run_write_row(j, error);
        if (status == BR_OK && r->checkpoint > 0 && cli_seconds() - kept > r->checkpoint) {
            status = br_recorder_checkpoint(j->recorder, j->seconds + cli_seconds() - begin, error);
            kept = cli_seconds();
        }
        if (progress.on) show_progress(j, &progress, t);
    }
    alarm(0); // from here on it ends by itself
    if (status != BR_OK) j->outcome = BR_RESULT_FAILED;
    j->seconds += cli_seconds() - begin;
    if (j->outcome == BR_RESULT_INTERRUPTED && j->recorder)
        status = br_recorder_checkpoint(j->recorder, j->seconds, error);
    cli_progress_end(&progress);
    return status;
}

// Of a run that ended before its first step there is nothing to tell but why: a ledger of zeros would hide it.
static void report(const run_request *r, const run_job *j) {
    if (!r->json && j->outcome == BR_RESULT_FAILED && br_sim_ledger(j->sim).steps == 0) return;
    if (r->json)
        run_report_json(r, j);
    else if (!r->quiet)
        run_report_text(r->csv && strcmp(r->csv, "-") == 0 ? stderr : stdout, r, j);
    else if (j->judgement.credible == BR_NOT_CREDIBLE) // even --quiet does not hide it
        cli_judgement_reasons(stderr, &j->judgement, 1);
    if (r->hash && r->quiet && !r->json) {
        char hash[RUN_HASH_TEXT];
        run_hash_text(j, hash);
        fprintf(r->csv && strcmp(r->csv, "-") == 0 ? stderr : stdout, "%s\n", hash);
    }
}

// Also of a run that failed or was interrupted: that is when one wants to look.
static br_status write_page(const run_request *r, run_job *j, br_error *error) {
    const br_report_result result = {j->result_path, NULL};
    char page[CLI_MAX_PATH];
    if (r->report)
        snprintf(page, sizeof page, "%s", r->report);
    else if (!cli_page_path(j->result_path, page))
        return BR_OK;
    const br_status status = cli_page_write(NULL, &result, 1, NULL, page, error);
    if (status == BR_OK) memcpy(j->page, page, sizeof page);
    return status;
}

static void print_failure(const run_request *r, run_job *j) {
    cli_locate(&j->error, r->path);
    if (j->error.file[0] == '\0') snprintf(j->error.file, sizeof j->error.file, "%s", r->path);
    cli_print_error_text(&j->error);
}

// Once the files are closed: how many rows are in them is known only then.
static void print_kept(const run_job *j) {
    const char *verb = j->rows == 1 ? "row is" : "rows are";
    if (j->outcome == BR_RESULT_INTERRUPTED)
        fprintf(stderr, "bristle: interrupted at t = %.12g s; %ld %s kept\n", br_sim_time(j->sim), j->rows,
                verb);
    if (j->outcome == BR_RESULT_INTERRUPTED && j->result_path) {
        cli_print_next(stderr, "  next: ", "resume", j->result_path, "");
    }
    if (j->outcome == BR_RESULT_INTERRUPTED) return;
    if (j->error.status == BR_IO && j->rows > 0)
        fprintf(stderr, "  %ld %s kept, up to t = %.12g s\n", j->rows, verb, j->kept_until);
    else if (j->rows > 0)
        fprintf(stderr, "  the last good state is at t = %.12g s; %ld %s kept\n", br_sim_time(j->sim),
                j->rows, verb);
    if (j->kept_older) fprintf(stderr, "  the older %s is kept\n", j->result_path);
}

// A full disk stops the run, and then the files cannot be closed either: one cause, told once.
static int same_failure(const br_error *a, const br_error *b) {
    return a->code && b->code && strcmp(a->code, b->code) == 0 && strcmp(a->file, b->file) == 0;
}

int run_parse_checkpoint(const char *verb, const char *text, double *out) {
    char number[64];
    size_t n = strlen(text);
    if (n > 1 && text[n - 1] == 's') n--;
    if (n >= sizeof number) n = sizeof number - 1;
    memcpy(number, text, n);
    number[n] = '\0';
    return cli_parse_positive(verb, "--checkpoint", number, out);
}

int run_perform(const run_request *r, run_job *j) {
    br_error error;
    memset(&error, 0, sizeof error);
    catch_signals();
    const br_status status = simulate(r, j, &j->error);
    int code = j->outcome == BR_RESULT_COMPLETE ? EXIT_FINE : EXIT_NUMERICAL;
    if (status != BR_OK && status != BR_NUMERICAL) code = EXIT_USAGE;
    if (status != BR_OK) print_failure(r, j);
    br_status kept = run_close_files(j, &error);
    if (kept == BR_OK) kept = run_hash_close(r, j, &error);
    if (status != BR_OK || j->outcome == BR_RESULT_INTERRUPTED) print_kept(j);
    if (kept == BR_OK && j->outcome == BR_RESULT_COMPLETE) {
        signals_as_usual();
        kept = run_judge(r, j, &error);
    }
    if (kept == BR_OK && j->outcome == BR_RESULT_COMPLETE && r->error) run_find_bars(r, j);
    run_conclude(r, j);
    if (r->strict && code == EXIT_FINE && !run_is_credible(j)) code = EXIT_DOUBTFUL;
    if (kept == BR_OK && r->with_report && !j->kept_older) kept = write_page(r, j, &error);
    if (kept == BR_OK)
        report(r, j);
    else if (status == BR_OK || !same_failure(&j->error, &error))
        code = cli_fail(&error, r->path);
    run_free(j);
    return code;
}
