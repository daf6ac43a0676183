#include "batch/period.h"

#include <math.h>

// A swing must leave a band about the middle of the range, up and down, to count: noise about the middle does not. The band is a
// quarter of the range to either side, so that a stick-slip's slow rise and its ringing fall are one passage each.
static const double BAND = 0.25;

double br_period(const double *rows, int count, int stride, int place) {
    double low = INFINITY, high = -INFINITY, first = NAN, last = NAN, crossing = NAN;
    long passages = 0;
    int below = 0; // 1: it was below the band since the last passage
    for (int k = 0; k < count; k++) {
        const double x = rows[(long)k * stride + place];
        low = fmin(low, x), high = fmax(high, x);
    }
    const double middle = 0.5 * (low + high), half = BAND * (high - low);
    if (!(half > 1e-9 * fmax(fabs(low), fabs(high)))) return NAN;
    for (int k = 0; k < count; k++) {
        const double *row = &rows[(long)k * stride], x = row[place];
        if (k > 0 && x > middle && row[place - stride] <= middle) {
            const double before = row[place - stride], part = (middle - before) / (x - before);
            crossing = row[-stride] + part * (row[0] - row[-stride]);
        }
        if (x < middle - half) below = 1;
        if (x <= middle + half || !below) continue;
        below = 0;
        if (passages++ == 0) first = crossing;
        last = crossing;
    }
    return passages > 2 ? (last - first) / (double)(passages - 1) : NAN;
}
