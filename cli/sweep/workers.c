// The processes of a sweep. A worker takes the next run that nobody has, does it, and writes its line; what it is at stands in
// memory that it shares with its parent. So a worker that crashes takes nothing along but the run it was at: another one takes its
// place and does that run first. If that one ends too, the run is booked as crashed.
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "progress.h"
#include "sweep/sweep.h"

enum { CODE_CANNOT_WRITE = 11, MAX_WHO = 64, MAX_IDLE_ENDS = 3 };

typedef struct worker_slot {
    atomic_llong run; // that it is at; -1: none
    br_error error;   // why it cannot write
} worker_slot;

typedef struct worker_shared {
    atomic_llong next; // of todo
    atomic_llong done;
    worker_slot slot[];
} worker_shared;

typedef struct worker {
    pid_t process;     // 0: it has ended
    long long suspect; // the run that its predecessor ended in; -1: none
    int idle_ends;     // how often it ended while at no run
} worker;

typedef struct pool {
    const sweep_request *request;
    const br_sweep *sweep;
    const long long *todo;
    long long count;
    worker_shared *shared;
    worker *worker;
    int jobs, running;
    br_sweep_log *log; // of the parent; NULL: nothing crashed yet
    sweep_outcome *outcome;
    cli_progress progress;
    double begin;
} pool;

// ------------------------------------------------------------------------------------------------------ in a worker

static void log_name(const sweep_request *r, int k, char who[MAX_WHO]) {
    if (k >= 0)
        snprintf(who, MAX_WHO, "s%d-of-%d-w%d", r->shard, r->shards, k);
    else
        snprintf(who, MAX_WHO, "s%d-of-%d-crashed", r->shard, r->shards);
}

static br_status do_run(const pool *p, worker_slot *slot, long long run, br_sweep_log *log) {
    atomic_store(&slot->run, run);
    const br_status status = br_sweep_perform(p->sweep, run, log, &slot->error);
    if (status == BR_OK) atomic_fetch_add(&p->shared->done, 1);
    atomic_store(&slot->run, -1);
    return status;
}

static void work(const pool *p, int k, pid_t parent) {
    worker_slot *slot = &p->shared->slot[k];
    br_sweep_log *log = NULL;
    char who[MAX_WHO];
    log_name(p->request, k, who);
    br_status status = br_sweep_log_create(p->sweep, p->request->folder, who, &log, &slot->error);
    if (status == BR_OK && p->worker[k].suspect >= 0) status = do_run(p, slot, p->worker[k].suspect, log);
    while (status == BR_OK && getppid() == parent) { // without its parent nobody would know of it
        const long long next = atomic_fetch_add(&p->shared->next, 1);
        if (next >= p->count) break;
        status = do_run(p, slot, p->todo[next], log);
    }
    br_sweep_log_close(log);
    _exit(status == BR_OK ? 0 : CODE_CANNOT_WRITE);
}

static void start_worker(pool *p, int k, const sigset_t *before) {
    const pid_t parent = getpid(), process = fork();
    if (process == 0) {
        // Ctrl-C at a terminal reaches all of them: the parent decides, and ends its workers by SIGTERM.
        signal(SIGINT, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        signal(SIGTERM, SIG_DFL);
        sigprocmask(SIG_SETMASK, before, NULL);
        work(p, k, parent);
    }
    p->worker[k].process = process > 0 ? process : 0;
    p->running += process > 0;
    if (process >= 0 || p->outcome->status != BR_OK) return;
    p->outcome->status = cli_error(&p->outcome->error, BR_IO, "sweep-worker", NULL, 0,
                                   "no process can be started for a worker: %s", strerror(errno));
}

// ---------------------------------------------------------------------------------------------------- in the parent

static void book(pool *p, long long run, int ended) {
    char why[160], who[MAX_WHO];
    br_error error;
    memset(&error, 0, sizeof error);
    if (WIFSIGNALED(ended))
        snprintf(why, sizeof why,
                 "sweep-crashed: its process was ended twice, the second time by signal %d (%s)",
                 WTERMSIG(ended), strsignal(WTERMSIG(ended)));
    else
        snprintf(why, sizeof why, "sweep-crashed: its process ended twice, the second time with code %d",
                 WEXITSTATUS(ended));
    log_name(p->request, -1, who);
    br_status status =
        p->log ? BR_OK : br_sweep_log_create(p->sweep, p->request->folder, who, &p->log, &error);
    if (status == BR_OK) status = br_sweep_book_crash(p->sweep, run, why, p->log, &error);
    if (status == BR_OK)
        atomic_fetch_add(&p->shared->done, 1);
    else if (p->outcome->status == BR_OK)
        p->outcome->status = status, p->outcome->error = error;
}

static void worker_ended(pool *p, int k, int ended, const sigset_t *before) {
    worker *w = &p->worker[k];
    const long long run = atomic_load(&p->shared->slot[k].run);
    w->process = 0, p->running--;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0) return;
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == CODE_CANNOT_WRITE) {
        if (p->outcome->status == BR_OK)
            p->outcome->error = p->shared->slot[k].error, p->outcome->status = p->outcome->error.status;
        return;
    }
    if (p->outcome->interrupted || p->outcome->status != BR_OK) return;
    p->outcome->replaced++;
    if (run < 0 && ++w->idle_ends > MAX_IDLE_ENDS)
        return; // its runs are left over, and the next pass takes them
    if (run >= 0 && run == w->suspect) {
        book(p, run, ended);
        w->suspect = -1;
    } else {
        w->suspect = run;
    }
    atomic_store(&p->shared->slot[k].run, -1);
    start_worker(p, k, before);
}

static void show_runs(pool *p) {
    const double now = cli_seconds();
    const long long done = atomic_load(&p->shared->done);
    if (!p->progress.on || now - p->progress.last < 0.1 || done == 0) return;
    p->progress.last = now, p->progress.shown = 1;
    const double past = now - p->begin, left = past * (double)(p->count - done) / (double)done;
    fprintf(stderr, "\r\033[K%lld of %lld runs   %3.0f %%   %.3g runs/s   %.0f s left", done, p->count,
            100.0 * (double)done / (double)p->count, (double)done / past, left);
    fflush(stderr);
}

static void stop_workers(pool *p) {
    p->outcome->interrupted = 1;
    for (int k = 0; k < p->jobs; k++)
        if (p->worker[k].process > 0) kill(p->worker[k].process, SIGTERM);
}

static void watch(pool *p, const sigset_t *waited, const sigset_t *before) {
    const struct timespec moment = {0, 100 * 1000 * 1000};
    while (p->running > 0) {
        int ended = 0;
        const int number = sigtimedwait(waited, NULL, &moment);
        if (number > 0 && number != SIGCHLD) stop_workers(p);
        for (pid_t process; (process = waitpid(-1, &ended, WNOHANG)) > 0;)
            for (int k = 0; k < p->jobs; k++)
                if (p->worker[k].process == process) {
                    worker_ended(p, k, ended, before);
                    break;
                }
        show_runs(p);
    }
}

static int make_pool(pool *p) {
    const size_t size = sizeof *p->shared + (size_t)p->jobs * sizeof p->shared->slot[0];
    p->worker = calloc((size_t)p->jobs, sizeof *p->worker);
    p->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p->shared == MAP_FAILED) p->shared = NULL;
    if (!p->worker || !p->shared) return 0;
    atomic_init(&p->shared->next, 0);
    atomic_init(&p->shared->done, 0);
    for (int k = 0; k < p->jobs; k++) {
        atomic_init(&p->shared->slot[k].run, -1);
        p->worker[k].suspect = -1;
    }
    return 1;
}

static void free_pool(pool *p) {
    br_sweep_log_close(p->log);
    if (p->shared) munmap(p->shared, sizeof *p->shared + (size_t)p->jobs * sizeof p->shared->slot[0]);
    free(p->worker);
}

void sweep_perform(const sweep_request *r, const br_sweep *sweep, const long long *todo, long long count,
                   sweep_outcome *outcome) {
    pool p = {.request = r, .sweep = sweep, .todo = todo, .count = count, .outcome = outcome};
    sigset_t waited, before;
    p.jobs = count < r->jobs ? (int)count : r->jobs;
    p.begin = cli_seconds();
    if (make_pool(&p)) {
        sigemptyset(&waited);
        sigaddset(&waited, SIGCHLD);
        sigaddset(&waited, SIGINT);
        sigaddset(&waited, SIGTERM);
        sigaddset(&waited, SIGHUP);
        sigprocmask(SIG_BLOCK, &waited, &before);
        fflush(NULL);
        p.progress = cli_progress_begin(!r->quiet);
        for (int k = 0; k < p.jobs; k++) start_worker(&p, k, &before);
        watch(&p, &waited, &before);
        cli_progress_end(&p.progress);
        outcome->performed += atomic_load(&p.shared->done);
        sigprocmask(SIG_SETMASK, &before, NULL);
    } else if (outcome->status == BR_OK) {
        outcome->status = cli_no_memory(&outcome->error, "not enough memory for the workers of a sweep");
    }
    outcome->seconds += cli_seconds() - p.begin;
    free_pool(&p);
}
