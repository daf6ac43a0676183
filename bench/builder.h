// Collects bodies and contact points; turns them into a contact_problem.
#ifndef BENCH_BUILDER_H
#define BENCH_BUILDER_H

#include "contact.h"

enum { GROUND = -1 };

typedef struct builder {
    int bodies, contacts, blocks, capacity;
    double *mass;    // [bodies]
    double *inertia; // [bodies][3], about the centre
    double *centre;  // [bodies][3]
    int *pair;       // [contacts][2]: the body pushed back (or GROUND) and the one pushed along the normal
    double *point;   // [contacts][3]
    double *normal;  // [contacts][3]
} builder;

builder *builder_create(int bodies);
void builder_destroy(builder *b);
void builder_contact(builder *b, int lower, int upper, const double point[3], const double normal[3]);

// v_free[bodies][6] becomes the momentum.
contact_problem *builder_finish(const builder *b, const double *v_free, double mu);

#endif
