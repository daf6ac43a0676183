// The families of contact problems that the solver is measured on, at any size:
//
//     tower   n unit cubes, one on the other, each a little off centre; mass grows from 1 to `mass_ratio` upwards
//     wall    n rows of n bricks 2 x 1 x 1 in running bond, touching their neighbours as well
//     jenga   n layers of 5 crossed bricks 5 x 0.96 x 1, each resting on all 5 below it
//     sph     n spheres of radius 0.45 to 0.55 settled in a square bin
//
// One step of 5 ms under gravity: the free velocity is (0.01, 0, -0.049) m/s plus noise of 0.02 on all six components,
// so that some contacts open, some slide and most hold. Gaps are closed: b = 0.
#ifndef BENCH_FAMILIES_H
#define BENCH_FAMILIES_H

#include "contact.h"

#include <stdint.h>

typedef struct family_spec {
    const char *kind;  // "tower", "wall", "jenga", "sph"
    int size;          // boxes, rows, layers, spheres
    double mass_ratio; // heaviest over lightest: graded in a tower, drawn log-uniformly elsewhere
    double mu;         // friction coefficient of every contact
    uint64_t seed;
    int points; // contact points per face, a square number: 4 (corners) or 9; spheres have one
} family_spec;

family_spec default_family_spec(void); // wall of 4, equal masses, mu 0.5, seed 1, 4 points

// NULL when the kind is unknown or a number makes no sense.
contact_problem *family_generate(const family_spec *spec);

// Specification of a named problem of the benchmark ("wall10m") or of the random suite; 0 when there is none.
int family_by_name(const char *name, family_spec *spec);
extern const char *const family_named[]; // the named ones, ending with NULL

#endif
