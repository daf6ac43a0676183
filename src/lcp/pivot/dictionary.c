// The exchange step of tableau methods, see dictionary.h.
#include "lcp/pivot/dictionary.h"

#include <stddef.h>

void br_dictionary_exchange(double *D, int rows, int columns, int stride, int r, int c) {
    double *p = D + (size_t)r * (size_t)stride;
    const double inverse = 1 / p[c];
    for (int j = 0; j < columns; j++) p[j] *= -inverse;
    p[c] = inverse;
    for (int i = 0; i < rows; i++) {
        double *d = D + (size_t)i * (size_t)stride;
        const double f = d[c];
        if (i == r || f == 0) continue;
        d[c] = 0;
        for (int j = 0; j < columns; j++) d[j] += f * p[j];
    }
}
