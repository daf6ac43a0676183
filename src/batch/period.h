// The period of a channel from its rows.
#ifndef BR_BATCH_PERIOD_H
#define BR_BATCH_PERIOD_H

// Mean time between two passages upwards through the middle of the range, NAN with fewer than two periods. Rows lie `stride`
// numbers apart, each t first; x is at `place`.
double br_period(const double *rows, int count, int stride, int place);

#endif
