// generate FAMILY SIZE [--ratio R] [--mu MU] [--seed N] [--points 4|9] [-o FILE]: writes a contact problem of the
// benchmark's families as a GFC3D `.cp` file.
#include "families.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void) {
    fprintf(stderr, "usage: generate tower|wall|jenga|sph SIZE [--ratio R] [--mu MU] [--seed N] [--points "
                    "4|9] [-o FILE]\n"
                    "       generate NAME [-o FILE]        NAME such as wall10m or wall6_r100_mu0.5_s2\n"
                    "FILE is standard output unless given.\n");
    return 2;
}

// Reads "--name number"; a missing or trailing-garbage number is refused.
static int read_number(int argc, char **argv, int *k, const char *name, double *value) {
    if (strcmp(argv[*k], name) || *k + 1 >= argc) return 0;
    char *end;
    *value = strtod(argv[*k + 1], &end);
    if (end == argv[*k + 1] || *end) return 0;
    (*k)++;
    return 1;
}

int main(int argc, char **argv) {
    family_spec spec = default_family_spec();
    const char *path = "-";
    double number, size;
    if (argc < 2) return usage();
    int k = 2;
    if (!family_by_name(argv[1], &spec)) {
        spec.kind = argv[1];
        if (argc < 3 || !(size = strtod(argv[2], NULL)) || size < 1 || size > 1e9) return usage();
        spec.size = (int)size;
        spec.mu = strcmp(spec.kind, "sph") ? 0.5 : 0.3;
        k = 3;
    }
    for (; k < argc; k++) {
        if (!strcmp(argv[k], "-o") && k + 1 < argc)
            path = argv[++k];
        else if (read_number(argc, argv, &k, "--ratio", &number))
            spec.mass_ratio = number;
        else if (read_number(argc, argv, &k, "--mu", &number))
            spec.mu = number;
        else if (read_number(argc, argv, &k, "--seed", &number) && number >= 0 && number < 1e15)
            spec.seed = (uint64_t)number;
        else if (read_number(argc, argv, &k, "--points", &number) && number >= 4 && number < 1e4)
            spec.points = (int)number;
        else
            return usage();
    }
    contact_problem *problem = family_generate(&spec);
    if (!problem) return usage();
    char comment[160];
    snprintf(comment, sizeof comment, "%s %d, mass ratio %g, mu %g, seed %llu, %d points per face", spec.kind,
             spec.size, spec.mass_ratio, spec.mu, (unsigned long long)spec.seed, spec.points);
    const int failed = contact_problem_write(problem, path, comment);
    if (failed) fprintf(stderr, "generate: cannot write %s\n", path);
    contact_problem_destroy(problem);
    return failed ? 1 : 0;
}
