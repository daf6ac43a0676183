#include "judge.h"

#include "delassus.h"

#include <math.h>
#include <stdlib.h>

#define SCALE_FLOOR 1e-12 // smallest d over the largest

struct judge {
    const contact_problem *problem;
    double *inverse;    // [bodies][6][6]
    double *d;          // [contacts]
    double *v, *w;      // velocities of the bodies and of the contacts
    double free_energy; // sum |w_free|^2 / d
};

// v = M^-1 (f + J^T p), w = J v + b; p may be NULL for none.
static void velocities(judge *j, const double *p) {
    const contact_problem *problem = j->problem;
    for (int i = 0; i < problem->bodies; i++) {
        for (int k = 0; k < BODY_DIM; k++) j->v[BODY_DIM * i + k] = problem->momentum[BODY_DIM * i + k];
    }
    for (int c = 0; p && c < problem->contacts; c++) {
        for (int b = problem->block_start[c]; b < problem->block_start[c + 1]; b++) {
            double *f = j->v + (long)BODY_DIM * problem->block_body[b];
            for (int k = 0; k < JACOBIAN_BLOCK; k++)
                f[k % BODY_DIM] +=
                    problem->jacobian[(long)b * JACOBIAN_BLOCK + k] * p[CONTACT_DIM * c + k / BODY_DIM];
        }
    }
    for (int i = 0; i < problem->bodies; i++) {
        double f[BODY_DIM], *v = j->v + (long)BODY_DIM * i;
        for (int k = 0; k < BODY_DIM; k++) f[k] = v[k];
        for (int k = 0; k < BODY_DIM; k++) {
            v[k] = 0;
            for (int l = 0; l < BODY_DIM; l++)
                v[k] += j->inverse[(long)i * MASS_BLOCK + k * BODY_DIM + l] * f[l];
        }
    }
    for (int c = 0; c < problem->contacts; c++) {
        double *w = j->w + (long)CONTACT_DIM * c;
        for (int k = 0; k < CONTACT_DIM; k++) w[k] = problem->offset[CONTACT_DIM * c + k];
        for (int b = problem->block_start[c]; b < problem->block_start[c + 1]; b++) {
            const double *v = j->v + (long)BODY_DIM * problem->block_body[b];
            for (int k = 0; k < JACOBIAN_BLOCK; k++)
                w[k / BODY_DIM] += problem->jacobian[(long)b * JACOBIAN_BLOCK + k] * v[k % BODY_DIM];
        }
    }
}

static double trace_of_contact(const judge *j, int c) {
    const contact_problem *problem = j->problem;
    double trace = 0;
    for (int b = problem->block_start[c]; b < problem->block_start[c + 1]; b++) {
        const double *J = problem->jacobian + (long)b * JACOBIAN_BLOCK;
        const double *inverse = j->inverse + (long)problem->block_body[b] * MASS_BLOCK;
        for (int row = 0; row < CONTACT_DIM; row++) {
            for (int k = 0; k < MASS_BLOCK; k++)
                trace += J[row * BODY_DIM + k / BODY_DIM] * inverse[k] * J[row * BODY_DIM + k % BODY_DIM];
        }
    }
    return trace;
}

judge *judge_create(const contact_problem *problem) {
    double *inverse = inverse_mass(problem);
    if (!inverse) return NULL;
    judge *j = bench_alloc(1, sizeof *j);
    j->problem = problem;
    j->inverse = inverse;
    j->d = bench_alloc(problem->contacts, sizeof(double));
    j->v = bench_alloc((long)BODY_DIM * problem->bodies, sizeof(double));
    j->w = bench_alloc((long)CONTACT_DIM * problem->contacts, sizeof(double));
    double largest = 0;
    for (int c = 0; c < problem->contacts; c++) {
        j->d[c] = trace_of_contact(j, c) / CONTACT_DIM;
        largest = fmax(largest, j->d[c]);
    }
    velocities(j, NULL);
    for (int c = 0; c < problem->contacts; c++) {
        const double *w = j->w + (long)CONTACT_DIM * c;
        j->d[c] = fmax(j->d[c], SCALE_FLOOR * largest);
        j->free_energy += (w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) / j->d[c];
    }
    return j;
}

void judge_destroy(judge *j) {
    if (!j) return;
    free(j->inverse);
    free(j->d);
    free(j->v);
    free(j->w);
    free(j);
}

static void project_cone(double mu, double y[3]) {
    const double t = hypot(y[1], y[2]);
    if (t <= mu * y[0]) return;
    if (mu * t <= -y[0]) {
        y[0] = y[1] = y[2] = 0;
        return;
    }
    const double n = (y[0] + mu * t) / (1 + mu * mu), scale = mu * n / t;
    y[0] = n;
    y[1] *= scale;
    y[2] *= scale;
}

static double squared_distance(const double a[3], const double b[3]) {
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

verdict judge_answer(judge *j, const double *p) {
    double cone = 0, box = 0, energy = 0;
    velocities(j, p);
    for (int c = 0; c < j->problem->contacts; c++) {
        const double *pc = p + (long)CONTACT_DIM * c, *w = j->w + (long)CONTACT_DIM * c, d = j->d[c];
        const double mu = j->problem->mu[c], bound = mu * fmax(pc[0], 0);
        double y[3] = {pc[0] - (w[0] + mu * hypot(w[1], w[2])) / d, pc[1] - w[1] / d, pc[2] - w[2] / d};
        project_cone(mu, y);
        cone += d * squared_distance(pc, y);
        const double clipped[3] = {fmax(0, pc[0] - w[0] / d), fmin(fmax(pc[1] - w[1] / d, -bound), bound),
                                   fmin(fmax(pc[2] - w[2] / d, -bound), bound)};
        box += d * squared_distance(pc, clipped);
        energy += d * (pc[0] * pc[0] + pc[1] * pc[1] + pc[2] * pc[2]);
    }
    const double scale = fmax(energy, j->free_energy);
    if (scale == 0) return (verdict){0, 0};
    return (verdict){sqrt(cone / scale), sqrt(box / scale)};
}
