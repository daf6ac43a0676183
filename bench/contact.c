#include "contact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *bench_alloc(long count, long size) {
    void *memory = calloc(count > 0 ? (size_t)count : 1, (size_t)size);
    if (!memory) {
        fprintf(stderr, "bench: out of memory (%ld x %ld bytes)\n", count, size);
        exit(1);
    }
    return memory;
}

contact_problem *contact_problem_create(int bodies, int contacts, int blocks) {
    contact_problem *problem = bench_alloc(1, sizeof *problem);
    problem->bodies = bodies;
    problem->contacts = contacts;
    problem->mass = bench_alloc((long)bodies * MASS_BLOCK, sizeof(double));
    problem->momentum = bench_alloc((long)bodies * BODY_DIM, sizeof(double));
    problem->block_start = bench_alloc(contacts + 1L, sizeof(int));
    problem->block_body = bench_alloc(blocks, sizeof(int));
    problem->jacobian = bench_alloc((long)blocks * JACOBIAN_BLOCK, sizeof(double));
    problem->offset = bench_alloc((long)contacts * CONTACT_DIM, sizeof(double));
    problem->mu = bench_alloc(contacts, sizeof(double));
    problem->node_dim = bench_alloc(bodies, sizeof(int));
    problem->mass_start = bench_alloc(bodies + 1L, sizeof(int));
    problem->mass_node = bench_alloc(bodies, sizeof(int));
    problem->law = bench_alloc(contacts, sizeof(br_law));
    return problem;
}

void contact_problem_destroy(contact_problem *problem) {
    if (!problem) return;
    free(problem->mass);
    free(problem->momentum);
    free(problem->block_start);
    free(problem->block_body);
    free(problem->jacobian);
    free(problem->offset);
    free(problem->mu);
    free(problem->node_dim);
    free(problem->mass_start);
    free(problem->mass_node);
    free(problem->law);
    free(problem);
}

contact_problem *contact_problem_copy(const contact_problem *source) {
    const int nb = source->bodies, nc = source->contacts, blocks = source->block_start[nc];
    contact_problem *copy = contact_problem_create(nb, nc, blocks);
    memcpy(copy->mass, source->mass, sizeof(double) * MASS_BLOCK * (size_t)nb);
    memcpy(copy->momentum, source->momentum, sizeof(double) * BODY_DIM * (size_t)nb);
    memcpy(copy->block_start, source->block_start, sizeof(int) * ((size_t)nc + 1));
    memcpy(copy->block_body, source->block_body, sizeof(int) * (size_t)blocks);
    memcpy(copy->jacobian, source->jacobian, sizeof(double) * JACOBIAN_BLOCK * (size_t)blocks);
    memcpy(copy->offset, source->offset, sizeof(double) * CONTACT_DIM * (size_t)nc);
    memcpy(copy->mu, source->mu, sizeof(double) * (size_t)nc);
    contact_problem_finish(copy);
    return copy;
}

void contact_problem_finish(contact_problem *problem) {
    for (int i = 0; i < problem->bodies; i++) {
        problem->node_dim[i] = BODY_DIM;
        problem->mass_start[i] = i;
        problem->mass_node[i] = i;
    }
    problem->mass_start[problem->bodies] = problem->bodies;
    for (int c = 0; c < problem->contacts; c++) {
        problem->law[c] = (br_law){.kind = BR_LAW_CONE,
                                   .first_row = CONTACT_DIM * c,
                                   .rows = CONTACT_DIM,
                                   .friction_coefficient = problem->mu[c]};
    }
}

br_problem contact_problem_view(const contact_problem *problem) {
    return (br_problem){
        .form = BR_FORM_VELOCITY,
        .velocity = {.nodes = problem->bodies,
                     .node_dim = problem->node_dim,
                     .mass_start = problem->mass_start,
                     .mass_node = problem->mass_node,
                     .mass = problem->mass,
                     .momentum = problem->momentum,
                     .jacobian_start = problem->block_start,
                     .jacobian_node = problem->block_body,
                     .jacobian = problem->jacobian},
        .rows = CONTACT_DIM * problem->contacts,
        .laws = problem->contacts,
        .law = problem->law,
        .offset = problem->offset,
    };
}
