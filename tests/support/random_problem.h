// Random problems of every law: dense and coupled masses, Jacobians without structure, compliance. Many have redundant
// rows, some have no solution; random_plant gives one a solution.
#ifndef RANDOM_PROBLEM_H
#define RANDOM_PROBLEM_H

#include "problem_builder.h"
#include "random.h"

static const br_joint_bound random_pin[2] = {{.preload = 0.1, .terms = 1, .coefficient = {0.2}, .rows = {3}},
                                             {.terms = 2, .coefficient = {0.1, 0.4}, .rows = {1, 6}}};

static inline br_law random_law(rng *r) {
    switch (rng_below(r, 8)) {
    case 0:
        return builder_cone(rng_uniform(r, 0, 1));
    case 1:
        return builder_polygon(rng_uniform(r, 0, 1), 4 + 2 * rng_below(r, 8));
    case 2:
        return builder_box_friction(rng_uniform(r, 0, 1));
    case 3:
        return builder_rows(BR_LAW_EQUALITY, 1 + rng_below(r, 6));
    case 4:
        return builder_rows(BR_LAW_UNILATERAL, 1 + rng_below(r, 3));
    case 5:
        return builder_bounds(1 + rng_below(r, 3), -0.3, rng_below(r, 2) ? INFINITY : 0.2);
    case 6: {
        br_law law = builder_cone(0.4);
        law.rows = 2;
        law.kind = rng_below(r, 2) ? BR_LAW_CONE : BR_LAW_POLYGON;
        law.sides = 8;
        return law;
    }
    default: {
        const br_law law = {.kind = BR_LAW_JOINT_FRICTION, .rows = 5, .normal_rows = 3, .bounds = random_pin};
        return law;
    }
    }
}

// Dense mass blocks, a coupled pair, Jacobians without structure, compliance on some rows.
static inline builder *random_problem(rng *r) {
    builder *b = builder_new();
    const int nodes = 2 + rng_below(r, 5), laws = 1 + rng_below(r, 8);
    for (int i = 0; i < nodes; i++) {
        const int dim = 1 + rng_below(r, 6);
        double mass[36], factor[36], coupling[36];
        for (int k = 0; k < dim * dim; k++) factor[k] = rng_uniform(r, -1, 1);
        for (int k = 0; k < 36; k++) coupling[k] = rng_uniform(r, -0.1, 0.1);
        for (int j = 0; j < dim; j++)
            for (int k = 0; k < dim; k++) {
                mass[j * dim + k] = j == k ? 2 : 0;
                for (int e = 0; e < dim; e++) mass[j * dim + k] += factor[j * dim + e] * factor[k * dim + e];
            }
        builder_coupled_node(b, dim, mass, i > 0 && rng_below(r, 3) == 0 ? i - 1 : -1, coupling);
    }
    for (int k = 0; k < b->scalars; k++) b->momentum[k] = rng_uniform(r, -1, 1);
    for (int l = 0; l < laws; l++) {
        const int row = builder_law(b, random_law(r)), first = rng_below(r, nodes);
        for (int e = 0; e < 1 + rng_below(r, 2); e++) {
            double J[36];
            for (int k = 0; k < 36; k++) J[k] = rng_uniform(r, -1, 1);
            builder_entry(b, (first + e) % nodes, J);
        }
        b->offset[row] = rng_uniform(r, -1, 1);
        if (rng_below(r, 2)) builder_compliance(b, row, rng_uniform(r, 0, 2));
    }
    return b;
}

// Impulses and velocities that satisfy the law: sticking, slipping (at a corner of its section) or apart.
static inline void random_answer(const br_law *law, rng *r, double *p, double *w) {
    const double mu = law->friction_coefficient, angle = rng_uniform(r, 0, 2 * BR_PI);
    int normal_rows = law->rows;
    for (int i = 0; i < law->rows; i++) p[i] = w[i] = 0;
    switch (law->kind) {
    case BR_LAW_JOINT_FRICTION:
        normal_rows = law->normal_rows;
        for (int i = 0; i < normal_rows; i++) p[i] = rng_uniform(r, -1, 1);
        return; // sticks
    case BR_LAW_EQUALITY:
        for (int i = 0; i < law->rows; i++) p[i] = rng_uniform(r, -1, 1);
        return;
    case BR_LAW_UNILATERAL:
        for (int i = 0; i < law->rows; i++) (rng_below(r, 2) ? p : w)[i] = rng_uniform(r, 0, 1);
        return;
    case BR_LAW_BOX:
        for (int i = 0; i < law->rows; i++) {
            const int side = isinf(law->upper) ? rng_below(r, 2) : rng_below(r, 3);
            p[i] = side == 0 ? law->lower : side == 1 ? rng_uniform(r, law->lower, 0.1) : law->upper;
            w[i] = side == 0 ? rng_uniform(r, 0, 1) : side == 1 ? 0 : rng_uniform(r, -1, 0);
        }
        return;
    default:
        break;
    }
    if (rng_below(r, 3) == 0) { // apart
        for (int i = 0; i < law->rows; i++) w[i] = rng_uniform(r, i ? -1 : 0, 1);
        return;
    }
    const double slip = rng_below(r, 2) ? rng_uniform(r, 0, 1) : 0;
    p[0] = rng_uniform(r, 0.1, 1);
    if (law->rows == 2) {
        p[1] = mu * p[0] * (slip > 0 ? 1 : rng_uniform(r, -1, 1));
        w[1] = -slip;
    } else if (slip == 0) { // 0.7: inside the square's edges too
        p[1] = 0.7 * mu * p[0] * cos(angle);
        p[2] = 0.7 * mu * p[0] * sin(angle);
    } else if (law->kind == BR_LAW_CONE) {
        p[1] = mu * p[0] * cos(angle), w[1] = -slip * cos(angle);
        p[2] = mu * p[0] * sin(angle), w[2] = -slip * sin(angle);
    } else if (law->kind == BR_LAW_POLYGON) { // the corner along t1
        p[1] = mu * p[0], w[1] = -slip;
    } else {
        p[1] = mu * p[0], w[1] = -slip;
        p[2] = -mu * p[0], w[2] = slip / 2;
    }
}

// Sets the offsets so that a random answer solves the problem.
static inline void random_plant(builder *b, rng *r) {
    double p[BUILDER_ROWS], w[BUILDER_ROWS], found[BUILDER_ROWS];
    for (int l = 0; l < b->laws; l++)
        random_answer(&b->law[l], r, p + b->law[l].first_row, w + b->law[l].first_row);
    const br_problem problem = builder_problem(b);
    judge_mass m = judge_factor(&problem.velocity);
    judge_w(&problem, &m, p, found);
    for (int i = 0; i < b->rows; i++) b->offset[i] += w[i] - found[i];
    free(m.L);
    free(m.first);
}

#endif
