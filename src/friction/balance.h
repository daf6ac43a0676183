// A mechanism at one instant as dense equations, with friction: what Wojtyra's eqs. 5-10 and 20 are about.
//
//     M a = Q + A x,     A_c^T a = gamma_c for every row c that holds
//
// x are forces: of the bilateral rows first, then, pad after pad, of contacts' normals and of friction along each direction. A_c is
// what a unit of force c does, and A_c^T v the velocity that it opposes. The load of pad i is N_i = preload + sum |form . x|, a norm
// each, over its own rows; of a contact it is its normal force, which cannot pull.
//
// Rows may be dependent: then the forces are x_0 + Z alpha, and `weight` chooses: the smallest sum of weight_c x_c^2, of those the
// smallest |x| (weights 0: the pseudoinverse; one huge weight: that row eliminated; compliances: what a compliant mechanism does).
//
// Diagnostics and the reference stepper: sizes are tens, nothing is sparse, memory comes from the arena. Bit-reproducible.
#ifndef BR_FRICTION_BALANCE_H
#define BR_FRICTION_BALANCE_H

#include "base/arena.h"

#define BR_BALANCE_NORMS 4
#define BR_BALANCE_FORMS 3
#define BR_BALANCE_DIRECTIONS 3

typedef struct br_balance_norm {
    int forms;
    const double *form[BR_BALANCE_FORMS]; // [columns] each; zero on friction columns
} br_balance_norm;

typedef struct br_balance_pad {
    const char *name;
    int joint;              // of the model, -1: a contact
    int directions, column; // friction forces are x[column .. column + directions)
    int normal;             // contact: column of its normal force, >= 0; -1: a joint, whose norms count
    int norms;
    br_balance_norm norm[BR_BALANCE_NORMS];
    int may_pull; // contact: that its normal force is none is found by whoever asked
    double preload, mu_static, mu_kinetic;
    double velocity[BR_BALANCE_DIRECTIONS]; // A_c^T v, m/s
    double drag[BR_BALANCE_DIRECTIONS];     // of one that slides: its force is -N drag, by its law
    int creeps; // its law is a function of velocity and state: at rest it still moves a little, and accelerates
    int sliding; // else it is at rest: what its law makes of the state says so, see docs/theory/trust.md
    int rolling; // a contact at rest between bodies that turn against each other
} br_balance_pad;

// A component of a joint's reaction as its channel has it.
typedef struct br_balance_reading {
    char name[72];      // "pin.force.x"
    const double *form; // [columns]
} br_balance_reading;

typedef struct br_balance {
    int n, columns, bilateral; // columns below `bilateral` are rows of joints and the like
    double *A;                 // [n * columns] row-major
    double *M;                 // [n * n] symmetric, positive definite
    double *Q;                 // [n]
    double *gamma;             // [columns]
    double *weight;            // [columns]
    double *x;                 // [columns] forces of the simulation itself, and
    double *a;                 // [n] its accelerations
    int pads;
    br_balance_pad *pad;
    int driven;   // some row prescribes a motion
    int loads;    // the last so many columns: loads of unknown size, which no row goes with (trust/hold)
    int readings; // of all joints with rows
    br_balance_reading *reading;
    char (*name)[72]; // [columns] "slide_1.force.x", "pin.friction"
    char (
        *parameter)[72]; // [columns] what the weight is from, "pin.compliance"; "": nothing that a model has
    double
        *power; // [columns] the weight goes with the parameter to this power: 1 compliances, -1 stiffnesses
} br_balance;

double br_balance_load(const br_balance *b, int pad, const double *x); // N_i at x

// --- what holds ----------------------------------------------------------------------------------------------

typedef enum br_pad_mode {
    BR_PAD_STUCK = 0, // its rows hold
    BR_PAD_LIMIT,     // the force is factor N against `direction`; whether it moves is not asked
    BR_PAD_OPEN,      // contact: no force at all
    BR_PAD_GIVEN,     // the force is x as given
} br_pad_mode;

typedef struct br_pad_state {
    br_pad_mode mode;
    double factor;                           // mu of LIMIT
    double direction[BR_BALANCE_DIRECTIONS]; // unit: the force is -factor N direction
} br_pad_state;

// The held rows of a balance, decomposed once: affine map from the magnitudes g of pads at their limit to all forces and
// accelerations, x = x_0 + X g, a = a_0 + B g.
typedef struct br_held {
    int held, rank, nullity; // held columns
    int *column;             // [held]
    double *Z;               // [nullity * columns] orthonormal over the held columns: forces that do nothing
    int limits, *limit;      // pads at their limit
    double *x0, *X;          // [columns], [limits * columns]
    double *a0, *B;          // [n], [limits * n]
    double inconsistent;     // how far, relative, gamma of dependent rows contradicts itself
} br_held;

typedef struct br_balance_work br_balance_work; // scratch, reused from call to call
br_balance_work *br_balance_work_create(br_arena *arena, int n, int columns,
                                        int pads); // for at most so many; NULL: no memory

br_pad_state *br_balance_states(br_balance_work *work);               // [pads] scratch of the caller's
void br_balance_lines(br_balance_work *work, double **x, double **a); // [columns] and [n], the same

// BR_NUMERICAL: M is not positive definite.
br_status br_balance_hold(const br_balance *b, const br_pad_state *state, br_balance_work *work,
                          br_held *out);

// Every g with g_i = factor_i N_i(x_0 + X g), g >= 0: found exhaustively where norms are of single forms (their signs are
// enumerated up to 2^12), else by Newton's method from many starts; unique_known: proved that there is no other.
typedef struct br_balance_roots {
    int count;
    double *g; // [count * limits]
    int exhaustive;
    int contracts; // |factor dN/dg| < 1 in some norm: exactly one root, and iterations find it
} br_balance_roots;

#define BR_MAX_ROOTS 8
void br_balance_roots_find(const br_balance *b, const br_pad_state *state, const br_held *held,
                           br_balance_work *work, br_balance_roots *out);
// The root that Newton's method reaches from g (in and out), following the branch. 0: none.
int br_balance_root_near(const br_balance *b, const br_pad_state *state, const br_held *held,
                         br_balance_work *work, double *g);
void br_balance_forces(const br_held *held, int columns, int n, const double *g, double *x,
                       double *a); // x and a at g

#endif
