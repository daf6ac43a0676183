// Bimatrix games among LCPs, see bimatrix.h.
#include "lcp/pivot/bimatrix.h"

#include <math.h>
#include <stddef.h>

// Colours rows so that nonzero entries only join different players, from row to row; unconnected rows stay with the
// first player.
int br_bimatrix_recognize(int m, const double *M, const double *q, int *player) {
    for (int i = 0; i < m; i++) {
        if (!(q[i] < 0) || M[(size_t)i * (size_t)m + (size_t)i] != 0) return 0;
        player[i] = -1;
    }
    for (int seed = 0; seed < m; seed++) {
        if (player[seed] < 0) player[seed] = 0;
        for (int changed = 1; changed;) { // a game is dense: two or three sweeps
            changed = 0;
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < m && player[i] >= 0; j++) {
                    if (M[(size_t)i * (size_t)m + (size_t)j] == 0 &&
                        M[(size_t)j * (size_t)m + (size_t)i] == 0)
                        continue;
                    if (player[j] == player[i]) return 0;
                    if (player[j] < 0) player[j] = 1 - player[i], changed = 1;
                }
            }
        }
    }
    return 1;
}

double br_bimatrix_make_positive(int m, double *M, const double *q, const int *player) {
    double c = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            if (player[i] != player[j]) c = fmax(c, M[(size_t)i * (size_t)m + (size_t)j] / q[i]);
        }
    }
    c += 1;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            if (player[i] != player[j]) M[(size_t)i * (size_t)m + (size_t)j] -= c * q[i];
        }
    }
    return c;
}

int br_bimatrix_restore(int m, double c, const int *player, double *x) {
    double left[2] = {1, 1};
    for (int i = 0; i < m; i++) left[player[i]] -= c * x[i];
    if (!(left[0] > 1e-9 && left[1] > 1e-9)) return 0;
    for (int i = 0; i < m; i++) x[i] /= left[player[i]];
    return 1;
}
