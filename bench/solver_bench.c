// bristle's contact solver beside its peers, in one run, on the same data. See README.md here.
#define _GNU_SOURCE // sched_setaffinity

#include "families.h"
#include "one_core.h"
#include "report.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_ROWS 512
#define DEFAULT_PROBLEMS "../shared/problems/contact"

typedef struct options {
    const char *problems, *only;
    int peers, bristle, named, random, random_peers, json;
    measure_options ours, theirs;
    double random_cap;
} options;

static int usage(void) {
    fprintf(stderr,
            "usage: solver_bench [--problems DIR] [--only NAME] [--no-peers] [--no-bristle] "
            "[--named] [--random] [--json]\n"
            "                    [--repeat N] [--cap SECONDS] [--random-cap SECONDS] [--cpu-time]\n"
            "  --problems DIR   holds named/*.cp and random/*.cp (default " DEFAULT_PROBLEMS
            "); what it lacks is generated\n"
            "  --only NAME      one problem, such as wall4, jenga20m or wall6_r100_mu0.5_s2\n"
            "  --named          the named problems only\n"
            "  --random         the random suite only, with Siconos beside bristle\n"
            "  --repeat N       at least N runs of each, while its time lasts (default 10)\n"
            "  --cpu-time       processor time instead of the clock's, for a machine with other work\n"
            "  --cap SECONDS    a peer is stopped after this (default 10); in the random suite after "
            "--random-cap (1)\n");
    return 2;
}

static contact_problem *load(const options *o, const char *folder, const char *name) {
    char path[4096], message[256];
    family_spec spec;
    snprintf(path, sizeof path, "%s/%s/%s.cp", o->problems, folder, name);
    if (access(path, R_OK) == 0) {
        contact_problem *problem = contact_problem_read(path, message, sizeof message);
        if (!problem) fprintf(stderr, "solver_bench: %s: %s\n", path, message);
        return problem;
    }
    return family_by_name(name, &spec) ? family_generate(&spec) : NULL;
}

static int measure_row(const options *o, const char *folder, const char *name, const measure_options *theirs,
                       int all_peers, row *r) {
    contact_problem *problem = load(o, folder, name);
    judge *j = problem ? judge_create(problem) : NULL;
    if (!j) {
        fprintf(stderr, "solver_bench: no usable problem %s\n", name);
        contact_problem_destroy(problem);
        return 0;
    }
    memset(r, 0, sizeof *r);
    snprintf(r->name, sizeof r->name, "%s", name);
    r->contacts = problem->contacts;
    r->bodies = problem->bodies;
    if (o->bristle) r->bristle = measure_bristle(problem, j, &o->ours);
    delassus *W = theirs ? delassus_create(problem) : NULL;
    for (int k = 0; W && k < PEERS; k++) {
        if (all_peers || is_siconos(peer_list[k], 1)) r->peer[k] = measure_peer(peer_list[k], W, j, theirs);
    }
    delassus_destroy(W);
    judge_destroy(j);
    contact_problem_destroy(problem);
    return 1;
}

static int run_named(const options *o, row *rows) {
    const char *const one[] = {o->only, NULL};
    int count = 0;
    if (!o->json) report_times_head();
    for (const char *const *name = o->only ? one : family_named; *name && count < MAX_ROWS; name++) {
        const char *folder = strchr(*name, '_') ? "random" : "named";
        if (!measure_row(o, folder, *name, o->peers ? &o->theirs : NULL, 1, &rows[count])) continue;
        if (!o->json) report_times(&rows[count]);
        count++;
    }
    if (!o->json) {
        report_residuals(rows, count);
        report_ratios(rows, count);
    }
    return count;
}

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

// The names in DIR/random, or those of the suite where there is no such folder.
static int list_random(const options *o, char names[MAX_ROWS][64]) {
    static const char *const families[] = {"tower15", "wall6", "jenga8", "sph60"};
    static const char *const ratios[] = {"1", "100", "10000"}, *const mus[] = {"0.1", "0.5", "1"};
    char path[4096];
    int count = 0;
    snprintf(path, sizeof path, "%s/random", o->problems);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) && count < MAX_ROWS;) {
        const size_t length = strlen(entry->d_name);
        if (length > 3 && length < 64 && !strcmp(entry->d_name + length - 3, ".cp"))
            snprintf(names[count++], 64, "%.*s", (int)length - 3, entry->d_name);
    }
    if (folder) closedir(folder);
    for (int k = 0; !folder && k < 108; k++)
        snprintf(names[count++], 64, "%s_r%s_mu%s_s%d", families[k / 27], ratios[k / 9 % 3], mus[k / 3 % 3],
                 k % 3 + 1);
    qsort(names, (size_t)count, sizeof names[0], by_name);
    return count;
}

static int run_random(const options *o, row *rows) {
    static char names[MAX_ROWS][64];
    const int listed = list_random(o, names);
    measure_options theirs = o->theirs;
    int count = 0;
    theirs.cap = o->random_cap;
    theirs.repeats = 1;
    theirs.one_form = 1;
    options quick = *o;
    quick.ours.repeats = 1;
    quick.ours.budget = 0.05;
    for (int k = 0; k < listed; k++)
        count += measure_row(&quick, "random", names[k], o->random_peers ? &theirs : NULL, 0, &rows[count]);
    if (!o->json) report_suite(rows, count, o->random_peers);
    return count;
}

static int read_options(int argc, char **argv, options *o) {
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : NULL;
        if (!strcmp(argv[k], "--no-peers"))
            o->peers = o->random_peers = 0;
        else if (!strcmp(argv[k], "--no-bristle"))
            o->bristle = 0;
        else if (!strcmp(argv[k], "--cpu-time"))
            use_cpu_time();
        else if (!strcmp(argv[k], "--json"))
            o->json = 1;
        else if (!strcmp(argv[k], "--named"))
            o->random = 0;
        else if (!strcmp(argv[k], "--random")) {
            o->named = 0;
            o->random_peers = o->peers;
        } else if (value && !strcmp(argv[k], "--problems"))
            o->problems = argv[++k];
        else if (value && !strcmp(argv[k], "--only")) {
            o->only = argv[++k];
            o->random = 0;
        } else if (value && !strcmp(argv[k], "--repeat") && atoi(value) > 0)
            o->ours.repeats = o->theirs.repeats = atoi(argv[++k]);
        else if (value && !strcmp(argv[k], "--cap") && atof(value) > 0)
            o->theirs.cap = atof(argv[++k]);
        else if (value && !strcmp(argv[k], "--random-cap") && atof(value) > 0)
            o->random_cap = atof(argv[++k]);
        else
            return 0;
    }
    return 1;
}

int main(int argc, char **argv) {
    static row rows[2 * MAX_ROWS];
    options o = {.problems = DEFAULT_PROBLEMS,
                 .peers = 1,
                 .bristle = 1,
                 .named = 1,
                 .random = 1,
                 .random_cap = 1,
                 .ours = {.repeats = 10, .budget = 1, .cap = 120, .tol = 1e-8},
                 .theirs = {.repeats = 10, .budget = 1, .cap = 10, .tol = 1e-6}};
    if (!read_options(argc, argv, &o)) return usage();
    use_one_core(argv);
    if (!o.json) report_title("Contact solvers on the same problems", &o.ours, &o.theirs);
    int count = o.named ? run_named(&o, rows) : 0;
    if (o.random) count += run_random(&o, rows + count);
    if (o.json) report_json(rows, count);
    return count > 0 ? 0 : 1;
}
