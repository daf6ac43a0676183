// GFC3D `.cp` files, read and written by hand: the benchmark's data must not depend on the code that it measures.
#include "contact.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SIZE 10000000L // rows, columns or entries that a benchmark file may have

typedef struct entry {
    long row, column;
    double value;
} entry;

typedef struct reader {
    FILE *file;
    long line;
    char text[256];
    char *message;
    int message_size;
    long contacts, velocities;
    long mass_count, jacobian_count;
    entry *mass, *jacobian;
    double *momentum, *offset, *mu;
} reader;

static int fail(reader *r, const char *format, ...) {
    int used = snprintf(r->message, (size_t)r->message_size, "line %ld: ", r->line);
    va_list arguments;
    va_start(arguments, format);
    if (used > 0 && used < r->message_size)
        vsnprintf(r->message + used, (size_t)(r->message_size - used), format, arguments);
    va_end(arguments);
    return 0;
}

// The next line that is not a comment.
static int next_line(reader *r) {
    while (fgets(r->text, sizeof r->text, r->file)) {
        r->line++;
        if (r->text[0] != '#' && r->text[strspn(r->text, " \t\r\n")]) return 1;
    }
    return 0;
}

static int read_matrix(reader *r) {
    char name[16];
    long rows, columns, count;
    if (sscanf(r->text, "MATRIX %15s %ld %ld %ld", name, &rows, &columns, &count) != 4)
        return fail(r, "expected MATRIX name rows columns entries");
    if (rows < 0 || columns < 0 || count < 0 || rows > MAX_SIZE || columns > MAX_SIZE || count > MAX_SIZE)
        return fail(r, "size out of range");
    const int is_mass = !strcmp(name, "M");
    if (!is_mass && strcmp(name, "H")) return fail(r, "unknown matrix %s", name);
    entry *entries = bench_alloc(count, sizeof *entries);
    free(is_mass ? r->mass : r->jacobian);
    *(is_mass ? &r->mass : &r->jacobian) = entries;
    *(is_mass ? &r->mass_count : &r->jacobian_count) = count;
    if (is_mass) r->velocities = rows;
    for (long k = 0; k < count; k++) {
        if (!next_line(r) ||
            sscanf(r->text, "%ld %ld %lf", &entries[k].row, &entries[k].column, &entries[k].value) != 3)
            return fail(r, "expected row column value");
        if (entries[k].row < 0 || entries[k].row >= rows || entries[k].column < 0 ||
            entries[k].column >= columns)
            return fail(r, "index out of range");
    }
    return 1;
}

static int read_vector(reader *r) {
    char name[16];
    long count;
    if (sscanf(r->text, "VECTOR %15s %ld", name, &count) != 2 || count < 0 || count > MAX_SIZE)
        return fail(r, "expected VECTOR name size");
    const int is_q = !strcmp(name, "q"), is_b = !strcmp(name, "b"), is_mu = !strcmp(name, "mu");
    const long expected = is_q    ? r->velocities
                          : is_b  ? CONTACT_DIM * r->contacts
                          : is_mu ? r->contacts
                                  : count;
    if (count != expected) return fail(r, "vector %s has %ld entries, expected %ld", name, count, expected);
    double *values = bench_alloc(count, sizeof *values);
    double **target = is_q ? &r->momentum : is_b ? &r->offset : is_mu ? &r->mu : NULL;
    int good = 1;
    for (long k = 0; good && k < count; k++) good = next_line(r) && sscanf(r->text, "%lf", &values[k]) == 1;
    if (target) {
        free(*target);
        *target = values;
    } else {
        free(values); // stored answers and the like
    }
    return good ? 1 : fail(r, "expected a number");
}

static int read_all(reader *r) {
    while (next_line(r)) {
        int good = 1;
        if (!strncmp(r->text, "MATRIX", 6))
            good = read_matrix(r);
        else if (!strncmp(r->text, "VECTOR", 6))
            good = read_vector(r);
        else if (!strncmp(r->text, "TYPE", 4) && !strstr(r->text, "GFC3D"))
            good = fail(r, "only GFC3D problems are contact problems here");
        else if (!strncmp(r->text, "nc ", 3))
            r->contacts = strtol(r->text + 3, NULL, 10);
        if (!good) return 0;
        if (r->contacts < 0 || r->contacts > MAX_SIZE) return fail(r, "nc out of range");
    }
    if (!r->mass || !r->jacobian || !r->momentum || !r->offset || !r->mu)
        return fail(r, "M, H, q, b and mu are needed");
    if (r->velocities % BODY_DIM) return fail(r, "M has %ld rows, not 6 for each body", r->velocities);
    return 1;
}

// Which of a contact's two bodies this is; -1 when there would be a third. Bodies are kept rising.
static int slot_of(int pair[2], int body) {
    for (int s = 0; s < 2; s++) {
        if (pair[s] == body) return s;
        if (pair[s] < 0) {
            pair[s] = body;
            return s;
        }
    }
    return -1;
}

// The pair of bodies at each contact, rising, -1 for none; NULL when a contact touches three.
static int (*find_pairs(reader *r))[2] {
    int(*pair)[2] = bench_alloc(r->contacts, sizeof *pair);
    for (long c = 0; c < r->contacts; c++) pair[c][0] = pair[c][1] = -1;
    for (long k = 0; k < r->jacobian_count; k++) {
        const long c = r->jacobian[k].column / CONTACT_DIM;
        if (c >= r->contacts || r->jacobian[k].row >= r->velocities ||
            slot_of(pair[c], (int)(r->jacobian[k].row / BODY_DIM)) < 0) {
            fail(r, "H: contact %ld is out of range or touches more than two bodies", c);
            free(pair);
            return NULL;
        }
    }
    for (long c = 0; c < r->contacts; c++) {
        if (pair[c][1] >= 0 && pair[c][1] < pair[c][0]) {
            const int swap = pair[c][0];
            pair[c][0] = pair[c][1];
            pair[c][1] = swap;
        }
    }
    return pair;
}

static contact_problem *assemble(reader *r) {
    int(*pair)[2] = find_pairs(r);
    if (!pair) return NULL;
    const int nb = (int)(r->velocities / BODY_DIM), nc = (int)r->contacts;
    contact_problem *problem = contact_problem_create(nb, nc, 2 * nc);
    for (long k = 0; k < r->mass_count; k++) {
        const long i = r->mass[k].row, j = r->mass[k].column;
        if (i / BODY_DIM != j / BODY_DIM) {
            fail(r, "M is not block diagonal");
            contact_problem_destroy(problem);
            free(pair);
            return NULL;
        }
        problem->mass[i / BODY_DIM * MASS_BLOCK + i % BODY_DIM * BODY_DIM + j % BODY_DIM] += r->mass[k].value;
    }
    memcpy(problem->momentum, r->momentum, sizeof(double) * (size_t)r->velocities);
    memcpy(problem->offset, r->offset, sizeof(double) * CONTACT_DIM * (size_t)nc);
    memcpy(problem->mu, r->mu, sizeof(double) * (size_t)nc);
    for (int c = 0; c < nc; c++) {
        int blocks = problem->block_start[c];
        for (int s = 0; s < 2 && pair[c][s] >= 0; s++) problem->block_body[blocks++] = pair[c][s];
        problem->block_start[c + 1] = blocks;
    }
    for (long k = 0; k < r->jacobian_count; k++) {
        const long c = r->jacobian[k].column / CONTACT_DIM, row = r->jacobian[k].column % CONTACT_DIM;
        const int slot = slot_of(pair[c], (int)(r->jacobian[k].row / BODY_DIM));
        problem->jacobian[(problem->block_start[c] + slot) * JACOBIAN_BLOCK + row * BODY_DIM +
                          r->jacobian[k].row % BODY_DIM] += r->jacobian[k].value;
    }
    contact_problem_finish(problem);
    free(pair);
    return problem;
}

contact_problem *contact_problem_read(const char *path, char *message, int message_size) {
    reader r = {.message = message, .message_size = message_size, .file = fopen(path, "r")};
    if (!r.file) {
        snprintf(message, (size_t)message_size, "cannot open");
        return NULL;
    }
    contact_problem *problem = read_all(&r) ? assemble(&r) : NULL;
    fclose(r.file);
    free(r.mass);
    free(r.jacobian);
    free(r.momentum);
    free(r.offset);
    free(r.mu);
    return problem;
}

// ---------------------------------------------------------------------------------------------------------- writing

static void write_mass(FILE *file, const contact_problem *problem) {
    const long n = (long)problem->bodies * BODY_DIM, entries = (long)problem->bodies * MASS_BLOCK;
    long count = 0;
    for (long k = 0; k < entries; k++) count += problem->mass[k] != 0;
    fprintf(file, "MATRIX M %ld %ld %ld\n", n, n, count);
    for (long k = 0; k < entries; k++) {
        if (problem->mass[k] == 0) continue;
        const long first = k / MASS_BLOCK * BODY_DIM;
        fprintf(file, "%ld %ld %.17g\n", first + k % MASS_BLOCK / BODY_DIM, first + k % BODY_DIM,
                problem->mass[k]);
    }
}

static void write_jacobian(FILE *file, const contact_problem *problem) {
    const int nc = problem->contacts;
    long count = 0;
    for (long k = 0; k < (long)problem->block_start[nc] * JACOBIAN_BLOCK; k++)
        count += problem->jacobian[k] != 0;
    fprintf(file, "MATRIX H %d %d %ld\n", problem->bodies * BODY_DIM, nc * CONTACT_DIM, count);
    for (int c = 0; c < nc; c++) {
        for (int row = 0; row < CONTACT_DIM; row++) {
            for (int block = problem->block_start[c]; block < problem->block_start[c + 1]; block++) {
                const double *J = problem->jacobian + (long)block * JACOBIAN_BLOCK + row * BODY_DIM;
                for (int k = 0; k < BODY_DIM; k++) {
                    if (J[k] != 0)
                        fprintf(file, "%d %d %.17g\n", problem->block_body[block] * BODY_DIM + k,
                                c * CONTACT_DIM + row, J[k]);
                }
            }
        }
    }
}

static void write_vector(FILE *file, const char *name, const double *values, int count) {
    fprintf(file, "VECTOR %s %d\n", name, count);
    for (int k = 0; k < count; k++) fprintf(file, "%.17g\n", values[k]);
}

int contact_problem_write(const contact_problem *problem, const char *path, const char *comment) {
    FILE *file = strcmp(path, "-") ? fopen(path, "w") : stdout;
    if (!file) return -1;
    fprintf(file, "# %s\nTYPE GFC3D\nnc %d\ndim %d\n", comment, problem->contacts, CONTACT_DIM);
    write_mass(file, problem);
    write_jacobian(file, problem);
    write_vector(file, "q", problem->momentum, problem->bodies * BODY_DIM);
    write_vector(file, "b", problem->offset, problem->contacts * CONTACT_DIM);
    write_vector(file, "mu", problem->mu, problem->contacts);
    int failed = ferror(file) != 0;
    if (file != stdout) failed |= fclose(file) != 0;
    return failed ? -1 : 0;
}
