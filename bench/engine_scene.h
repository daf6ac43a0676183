// The mechanisms of engine_bench as plain numbers, and the judge of every engine's answers. Nothing here
// calls an engine: the residual, the energy and the loop error are computed from coordinates alone, by one
// function for all.
//
// chain n: n uniform rods hanging from the world along -z, each turning about y (even) or x (odd) of the one
//   before; q = 0 hangs straight. Gravity along -z.
// four-bar n [IFToMM benchmark A02]: n + 1 upright rods pinned at x = 0, 1, .. n on the line y = 0, and n
//   level rods between their upper ends; everything turns about z, gravity along -y. The tree cuts each loop
//   at the level rod's right end. Coordinate 2i is the angle of upright rod i, 2i + 1 that of level rod i
//   relative to it, both zero in the upright position; the last coordinate is upright rod n.
#ifndef BENCH_ENGINE_SCENE_H
#define BENCH_ENGINE_SCENE_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ROD_MASS 1.0           // kg
#define ROD_LENGTH 1.0         // m
#define ROD_INERTIA (1.0 / 12) // kg m^2 about the centre, perpendicular to the rod
// About the rod's own axis. Four-bars never turn about it; chains do, and engines refuse or mishandle a zero.
#define ROD_AXIAL_INERTIA 0.005 // kg m^2: a rod 0.1 m thick
#define GRAVITY 9.81            // m/s^2
#define STEP_SIZE 1e-3          // s
#define FOURBAR_SPEED 1.0       // m/s of every upper point at the start, along +x

static inline int chain_axis(int link) // 0: x, 1: y
{
    return link % 2 == 0;
}

static inline int fourbar_coordinates(int loops) {
    return 2 * loops + 1;
}

static inline double worst_of(double a, double b) // the larger; not-a-number is worst
{
    return isnan(b) || b >= a ? b : a;
}

// Random-looking, the same everywhere. Speeds are small because they add up along the chain: with at most
// 0.02 rad/s a joint, 1,000 links still step stably at 1 ms in every engine.
void chain_state(int links, unsigned seed, double *q, double *v, double *tau);

// What is left of the equations of motion, relative to the largest torque in them (at a = 0): Newton-Euler
// recursion in the world frame, so it shares neither frames nor algorithm with an articulated-body or
// mass-matrix solver.
double chain_residual(int links, const double *q, const double *v, const double *tau, const double *a);

double chain_energy(int links, const double *q, const double *v); // J; zero potential at the first joint

void fourbar_start(int loops, double *q, double *v);
double fourbar_energy(int loops, const double *q, const double *v); // J; zero potential at y = 0
double fourbar_loop_error(int loops, const double *q);              // m, the largest of the loops

#ifdef __cplusplus
}
#endif

#endif
