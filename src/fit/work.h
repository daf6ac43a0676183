// A fit while it goes on: what its parts share. fit.c drives, identify.c has what the data cannot tell, interval.c the profiles,
// resample.c whole recordings drawn again.
#ifndef BR_FIT_WORK_H
#define BR_FIT_WORK_H

#include "fit/least.h"
#include "fit/noise.h"
#include "fit/problem.h"

enum { FIT_LEAST_RECORDINGS = 5 }; // from as many on whole recordings are drawn again

#define FIT_THRESHOLD 2.705543454 // 90 % of chi squared with one degree of freedom lie below

typedef struct fit_work {
    const br_measured *m;
    const br_fit_options *o;
    br_arena *arena; // of the report
    br_arena *scratch;
    fit_parameter *parameter, *free; // all that were asked for; those that are searched
    int parameters, p;
    int place[BR_MAX_FIT_PARAMETERS]; // of a searched one among all
    fit_problem problem;
    least least;
    double *u, cost; // the best
    double *A;       // [p * p] J'J there
    int known;       // the noise of everything that is compared is given
    int exact;       // what is left is rounding
    double share;    // independent numbers of all, by the correlation from row to row
    double freedom;  // numbers less parameters
    int slopes;      // least.J has the slopes at the best
    // with the noise of the first row, where the model starts there
    double rest_share;                     // share of what is left without it
    double profile_share;                  // and with the smaller variance that this has
    double part_of[BR_MAX_FIT_PARAMETERS]; // of an estimate's variance what the other rows have
    int first_row;                         // intervals are wider by it
    br_fit_report *out;
    double *better, better_cost; // found while intervals were looked for
} fit_work;

#endif
