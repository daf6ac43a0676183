// What the benchmark asks of another library's solver. Each peer is one file; a peer that was not installed when the
// build was configured has a row with prepare = NULL, and the table says so.
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "delassus.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { MAX_FORMS = 4 };

// One way to hand a problem to a solver; a peer is measured in each and its best one counts.
typedef struct peer_form {
    const char *name;
    int max_contacts; // larger problems are not tried so: the memory or the patience would not suffice
} peer_form;

typedef enum peer_kind { PEER_OTHER, PEER_SICONOS, PEER_SICONOS_GLOBAL } peer_kind;

typedef struct peer {
    const char *name;
    const char *note; // for the table's legend
    peer_kind kind;
    peer_form form[MAX_FORMS];
    void *(*prepare)(const delassus *W, double tol, int form); // untimed; W outlives the state
    void (*reset)(void *state);                                // untimed, before every solve
    int (*solve)(void *state, double *p, int *iterations); // timed; nonzero: the peer itself calls it solved
    void (*release)(void *state);
} peer;

extern const peer peer_nsgs, peer_newton_ac, peer_newton_fb, peer_admm, peer_admm_global; // Siconos
extern const peer peer_dantzig; // ODE's, as DART ships it
extern const peer peer_lemke;   // DART's

#ifdef __cplusplus
}
#endif

#endif
