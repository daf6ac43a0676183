#include "builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

builder *builder_create(int bodies) {
    builder *b = bench_alloc(1, sizeof *b);
    b->bodies = bodies;
    b->mass = bench_alloc(bodies, sizeof(double));
    b->inertia = bench_alloc(3L * bodies, sizeof(double));
    b->centre = bench_alloc(3L * bodies, sizeof(double));
    return b;
}

void builder_destroy(builder *b) {
    if (!b) return;
    free(b->mass);
    free(b->inertia);
    free(b->centre);
    free(b->pair);
    free(b->point);
    free(b->normal);
    free(b);
}

static void *grow(void *old, long used, long capacity) {
    void *memory = bench_alloc(capacity, 1);
    if (old) memcpy(memory, old, (size_t)used);
    free(old);
    return memory;
}

void builder_contact(builder *b, int lower, int upper, const double point[3], const double normal[3]) {
    if (b->contacts == b->capacity) {
        const long n = b->capacity, more = n ? 2 * n : 64, real = 3 * sizeof(double), index = 2 * sizeof(int);
        b->pair = grow(b->pair, n * index, more * index);
        b->point = grow(b->point, n * real, more * real);
        b->normal = grow(b->normal, n * real, more * real);
        b->capacity = (int)more;
    }
    const long c = b->contacts++;
    b->pair[2 * c] = lower;
    b->pair[2 * c + 1] = upper;
    memcpy(b->point + 3 * c, point, 3 * sizeof(double));
    memcpy(b->normal + 3 * c, normal, 3 * sizeof(double));
    b->blocks += lower == GROUND ? 1 : 2;
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// Rows: n, then the axis least along n made orthogonal to it, then n x t1.
static void frame_of(const double n[3], double frame[3][3]) {
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        if (fabs(n[k]) < fabs(n[axis])) axis = k;
    }
    double t[3] = {-n[axis] * n[0], -n[axis] * n[1], -n[axis] * n[2]};
    t[axis] += 1;
    const double length = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int k = 0; k < 3; k++) {
        frame[0][k] = n[k];
        frame[1][k] = t[k] / length;
    }
    cross(frame[0], frame[1], frame[2]);
}

// Velocity of the contact point along each row: sign (d, r x d).
static void jacobian_block(const builder *b, int contact, int body, double sign, double *J) {
    double frame[3][3], arm[3];
    frame_of(b->normal + 3L * contact, frame);
    for (int k = 0; k < 3; k++) arm[k] = b->point[3L * contact + k] - b->centre[3L * body + k];
    for (int row = 0; row < 3; row++) {
        double moment[3];
        cross(arm, frame[row], moment);
        for (int k = 0; k < 3; k++) {
            J[row * BODY_DIM + k] = sign * frame[row][k];
            J[row * BODY_DIM + 3 + k] = sign * moment[k];
        }
    }
}

contact_problem *builder_finish(const builder *b, const double *v_free, double mu) {
    contact_problem *problem = contact_problem_create(b->bodies, b->contacts, b->blocks);
    for (int i = 0; i < b->bodies; i++) {
        for (int k = 0; k < BODY_DIM; k++) {
            const double m = k < 3 ? b->mass[i] : b->inertia[3L * i + k - 3];
            problem->mass[(long)i * MASS_BLOCK + k * BODY_DIM + k] = m;
            problem->momentum[(long)i * BODY_DIM + k] = m * v_free[(long)i * BODY_DIM + k];
        }
    }
    int block = 0;
    for (int c = 0; c < b->contacts; c++) {
        problem->mu[c] = mu;
        for (int s = 0; s < 2; s++) {
            const int body = b->pair[2L * c + s];
            if (body == GROUND) continue;
            problem->block_body[block] = body;
            jacobian_block(b, c, body, s ? 1 : -1, problem->jacobian + (long)block++ * JACOBIAN_BLOCK);
        }
        problem->block_start[c + 1] = block;
    }
    contact_problem_finish(problem);
    return problem;
}
