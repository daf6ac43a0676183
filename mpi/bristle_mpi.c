// bristle-mpi: `bristle sweep` under MPI. Rank 0 hands out the numbers of the runs, the other ranks do them, each into a log of its
// own in the folder that they share. MPI ends all ranks when one dies; started again with the same folder it does what is missing.
// A program of its own, so that neither the library nor bristle link MPI. It uses the public headers alone.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bristle/sweep.h"

enum { TAG_ASK = 1, TAG_RUN, TAG_FAILED };
enum { EXIT_FINE = 0, EXIT_USAGE = 1 };
#define NO_RUN (-1LL)

static const char HELP[] = "mpirun -n N bristle-mpi sweep SPEC.yaml -o DIR [--retry] [--quiet]\n\n"
                           "Does the runs of a sweep that DIR does not have yet, as bristle sweep does: rank "
                           "0 hands them out, the others do them.\n"
                           "DIR is a folder that all ranks see. The table has the same bytes as that of "
                           "bristle sweep. When a rank dies MPI ends all\n"
                           "of them; the same command goes on with what is missing.\n\n"
                           "  -o DIR               the folder of its runs\n"
                           "  --retry              does runs that crashed once more\n"
                           "  --quiet              no summary\n\n"
                           "Exit codes: 0 every run is there, 1 usage, spec, model or file.\n";

typedef struct mpi_request {
    const char *path, *folder;
    int retry, quiet, help;
} mpi_request;

static void print_error(int rank, const br_error *e) {
    fprintf(stderr, "bristle-mpi: rank %d: %s%s%s\n", rank, e->file, e->file[0] ? ": " : "", e->message);
    if (e->code) fprintf(stderr, "  next: bristle explain %s\n", e->code);
}

static int parse(int argc, char **argv, mpi_request *r) {
    for (int k = 1; k < argc; k++) {
        const char *word = argv[k];
        if (k == 1 && strcmp(word, "sweep") == 0) continue;
        if ((strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0) && k + 1 < argc)
            r->folder = argv[++k];
        else if (strcmp(word, "--retry") == 0)
            r->retry = 1;
        else if (strcmp(word, "--quiet") == 0)
            r->quiet = 1;
        else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            r->help = 1;
        else if (word[0] != '-' && !r->path)
            r->path = word;
        else
            return 0;
    }
    return r->help || (r->path && r->folder);
}

// ------------------------------------------------------------------------------------------------------- the others

// Does runs until there are none. A log is made with the first of them.
static void do_runs(const mpi_request *r, const br_sweep *sweep, int rank) {
    br_sweep_log *log = NULL;
    br_error error;
    char who[32];
    memset(&error, 0, sizeof error);
    snprintf(who, sizeof who, "mpi-r%d", rank);
    for (br_status status = BR_OK; status == BR_OK;) {
        long long run = NO_RUN;
        MPI_Send(NULL, 0, MPI_CHAR, 0, TAG_ASK, MPI_COMM_WORLD);
        MPI_Recv(&run, 1, MPI_LONG_LONG, 0, TAG_RUN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (run == NO_RUN) break;
        if (!log) status = br_sweep_log_create(sweep, r->folder, who, &log, &error);
        if (status == BR_OK) status = br_sweep_perform(sweep, run, log, &error);
        if (status != BR_OK) MPI_Send(&error, (int)sizeof error, MPI_BYTE, 0, TAG_FAILED, MPI_COMM_WORLD);
    }
    br_sweep_log_close(log);
}

// ------------------------------------------------------------------------------------------------------------ rank 0

static int is_to_do(const mpi_request *r, const br_sweep_folder *folder, long long run) {
    const br_sweep_state state = br_sweep_run_state(folder, run);
    return state == BR_SWEEP_MISSING || (r->retry && state == BR_SWEEP_CRASHED);
}

// MPI waits at full speed; runs take longer than this nap, and the processor is better used by them.
static void wait_for_word(MPI_Status *status) {
    const struct timespec nap = {0, 100 * 1000};
    for (int there = 0;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, status);
        if (there) return;
        nanosleep(&nap, NULL);
    }
}

// Hands out what is missing until every rank has been sent away. Returns whether all of them could write.
static int hand_out(const mpi_request *r, const br_sweep *sweep, const br_sweep_folder *folder, int ranks) {
    const long long count = br_sweep_count(sweep);
    long long next = 0;
    int good = 1;
    for (int away = 1; away < ranks;) {
        MPI_Status status;
        wait_for_word(&status);
        if (status.MPI_TAG == TAG_FAILED) {
            br_error error;
            MPI_Recv(&error, (int)sizeof error, MPI_BYTE, status.MPI_SOURCE, TAG_FAILED, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            error.code = "sweep-write"; // a pointer of another process means nothing here
            print_error(status.MPI_SOURCE, &error);
            good = 0;
            away++;
            continue;
        }
        MPI_Recv(NULL, 0, MPI_CHAR, status.MPI_SOURCE, TAG_ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while (next < count && !is_to_do(r, folder, next)) next++;
        const long long run = next < count ? next++ : NO_RUN;
        MPI_Send(&run, 1, MPI_LONG_LONG, status.MPI_SOURCE, TAG_RUN, MPI_COMM_WORLD);
        away += run == NO_RUN;
    }
    return good;
}

// Alone there is nobody to hand out to.
static br_status do_all(const mpi_request *r, const br_sweep *sweep, const br_sweep_folder *folder,
                        br_error *error) {
    br_sweep_log *log = NULL;
    br_status status = br_sweep_log_create(sweep, r->folder, "mpi-r0", &log, error);
    for (long long i = 0; status == BR_OK && i < br_sweep_count(sweep); i++)
        if (is_to_do(r, folder, i)) status = br_sweep_perform(sweep, i, log, error);
    br_sweep_log_close(log);
    return status;
}

static br_status conclude(const mpi_request *r, const br_sweep *sweep, br_error *error) {
    br_sweep_folder *folder = NULL;
    long long rows = 0;
    br_status status = br_sweep_open(sweep, r->folder, NULL, &folder, error);
    if (status != BR_OK) return status;
    const long long missing = br_sweep_folder_count(folder, BR_SWEEP_MISSING);
    if (missing == 0) status = br_sweep_table(sweep, r->folder, NULL, NULL, &rows, error);
    if (status == BR_OK && !r->quiet) {
        printf("sweep       %lld runs: %lld ok, %lld failed, %lld crashed, %lld to do\n",
               br_sweep_count(sweep), br_sweep_folder_count(folder, BR_SWEEP_DONE),
               br_sweep_folder_count(folder, BR_SWEEP_FAILED),
               br_sweep_folder_count(folder, BR_SWEEP_CRASHED), missing);
        if (missing == 0) printf("table       %s/table.csv, %lld rows\n", r->folder, rows);
    }
    br_sweep_close(folder);
    return status;
}

static int lead(const mpi_request *r, const br_sweep *sweep, br_sweep_folder *folder, int ranks) {
    br_error error;
    memset(&error, 0, sizeof error);
    const int good = ranks > 1 ? hand_out(r, sweep, folder, ranks) : 1;
    br_status status = ranks > 1 ? BR_OK : do_all(r, sweep, folder, &error);
    if (status == BR_OK) status = conclude(r, sweep, &error);
    if (status != BR_OK) print_error(0, &error);
    return status == BR_OK && good ? EXIT_FINE : EXIT_USAGE;
}

// ---------------------------------------------------------------------------------------------------------- the start

// Everybody reads the spec; rank 0 makes the folder before anybody writes into it. All of them go on, or none.
static int prepare(const mpi_request *r, int rank, br_sweep **sweep, br_sweep_folder **folder) {
    br_error error;
    memset(&error, 0, sizeof error);
    br_status status = br_sweep_read(r->path, NULL, sweep, &error);
    if (status == BR_OK && rank == 0) status = br_sweep_open(*sweep, r->folder, NULL, folder, &error);
    int mine = status == BR_OK, all = 0, first = rank;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all) return 1;
    const int told = mine ? 0x7fffffff : rank;
    MPI_Allreduce(&told, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == first) print_error(rank, &error); // once, not once for each rank
    return 0;
}

int main(int argc, char **argv) {
    mpi_request r = {0};
    br_sweep *sweep = NULL;
    br_sweep_folder *folder = NULL;
    int rank = 0, ranks = 1, code = EXIT_USAGE;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!parse(argc, argv, &r)) {
        if (rank == 0)
            fputs("bristle-mpi: expected sweep SPEC.yaml -o DIR\n  next: bristle-mpi --help\n", stderr);
    } else if (r.help) {
        if (rank == 0) fputs(HELP, stdout);
        code = EXIT_FINE;
    } else if (prepare(&r, rank, &sweep, &folder)) {
        code = EXIT_FINE;
        if (rank == 0)
            code = lead(&r, sweep, folder, ranks);
        else
            do_runs(&r, sweep, rank);
    }
    br_sweep_close(folder);
    br_sweep_destroy(sweep);
    MPI_Finalize();
    return code;
}
