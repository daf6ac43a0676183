// What the benchmark asks of another library's solver. Each peer is one file; a peer that was not installed when the
// build was configured has a row with prepare = NULL, and the table says so.
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "delassus.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer {
    const char *name;
    const char *note;  // law, form and settings, for the table's legend
    int is_siconos;
    int max_contacts;  // larger problems are not tried: the memory or the patience would not suffice
    void *(*prepare)(const delassus *W, double tol);        // untimed; W outlives the state
    void (*reset)(void *state);                             // untimed, before every solve
    int (*solve)(void *state, double *p, int *iterations);  // timed; nonzero: the peer itself calls it solved
    void (*release)(void *state);
} peer;

extern const peer peer_nsgs, peer_newton, peer_admm; // Siconos
extern const peer peer_dantzig;                      // ODE's, as DART ships it
extern const peer peer_lemke;                        // DART's

#ifdef __cplusplus
}
#endif

#endif
