// Spheres settled in a square bin, geometry only.
#ifndef BENCH_PILE_H
#define BENCH_PILE_H

#include "builder.h"

#include <stdint.h>

// Draws radii and lets the spheres sink until they rest on each other. centre is [count][3].
void pile_settle(int count, double *radius, double *centre, uint64_t *state);

// Adds every touch of the settled spheres (at b->centre) with the floor, the walls and each other.
void pile_contacts(builder *b, const double *radius);

#endif
