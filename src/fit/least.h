// Least squares within the unit box: Levenberg and Marquardt with a trust region, then a search without derivatives where the
// residuals have kinks. Nothing here knows what is fitted.
#ifndef BR_FIT_LEAST_H
#define BR_FIT_LEAST_H

#include "base/arena.h"

// Many places at once, so that threads have enough to do: u [count * p], r [count * m] or NULL, cost [count], INFINITY where there
// is no answer.
typedef void (*least_evaluate)(void *context, int count, const double *u, double *r, double *cost);

typedef enum least_end {
    LEAST_CONVERGED =
        0, // the model of first order sees nothing more to gain, or the search without derivatives does not
    LEAST_EXHAUSTED, // the rounds ended first
    LEAST_NOWHERE,   // there is no answer at the start
} least_end;

typedef struct least {
    int p, m;
    least_evaluate evaluate;
    void *context;
    double difference;          // step of differences
    int rounds;                 // at most
    const unsigned char *fixed; // [p] stays where it is; NULL: none
    int no_search;              // Levenberg and Marquardt alone
    double enough; // a round that gains less, relative to the cost, is the last; 0: as far as rounding goes
    double floor;  // a cost below it is nothing but rounding
    // room
    double *J, *A, *g, *d, *r, *many, *cost, *places;
} least;

int br_least_room(least *s, br_arena *arena); // 0: no memory

// u [p]: from where, then the best found. *cost: of it.
least_end br_least_solve(least *s, double *u, double *cost);

// J'J at u, [p * p]; central differences within the box. 0: there is no answer near u, and A is zero.
int br_least_normal(least *s, const double *u, double *A);

#endif
