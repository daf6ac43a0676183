#include "engine_scene.h"
#include "contact.h"
#include "random.h"

#include <bristle/math.h>

#include <math.h>
#include <stdlib.h>

void chain_state(int links, unsigned seed, double *q, double *v, double *tau) {
    uint64_t random = seed;
    for (int i = 0; i < links; i++) {
        q[i] = 0.1 * (2 * random_uniform(&random) - 1);   // rad
        v[i] = 0.02 * (2 * random_uniform(&random) - 1);  // rad/s
        tau[i] = 1.0 * (2 * random_uniform(&random) - 1); // N m
    }
}

// One rod of the chain as it moves, in the world frame.
typedef struct rod_motion {
    br_mat3 R;            // its axes
    br_vec3 axis;         // of its joint
    br_vec3 start;        // its joint's position
    br_vec3 half;         // from the joint to the centre
    br_vec3 velocity;     // of the joint
    br_vec3 acceleration; // of the joint
    br_vec3 omega, alpha; // angular velocity and acceleration
} rod_motion;

static const rod_motion at_rest = {.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

// How the end of a rod moves, and the frame in which the next one turns.
static rod_motion next_rod(const rod_motion *rod, br_vec3 length, int link, double q, double v, double a) {
    const br_vec3 local = br_vec3_unit(chain_axis(link));
    const br_mat3 turn = br_quat_to_mat3(br_quat_from_axis_angle(local, q));
    rod_motion next = {.R = br_mat3_mul(rod->R, turn), .axis = br_mat3_mul_vec(rod->R, local)};
    const br_vec3 spin = br_vec3_scale(v, next.axis), swing = br_vec3_cross(rod->omega, length);
    next.start = br_vec3_add(rod->start, length);
    next.half = br_mat3_mul_vec(next.R, br_vec3_of(0, 0, -ROD_LENGTH / 2));
    next.velocity = br_vec3_add(rod->velocity, swing);
    next.acceleration = br_vec3_add(
        rod->acceleration, br_vec3_add(br_vec3_cross(rod->alpha, length), br_vec3_cross(rod->omega, swing)));
    next.omega = br_vec3_add(rod->omega, spin);
    next.alpha = br_vec3_add(br_vec3_add_scaled(rod->alpha, a, next.axis), br_vec3_cross(rod->omega, spin));
    return next;
}

static br_sym3 rod_inertia(const rod_motion *rod) {
    return br_sym3_rotate(rod->R, br_sym3_of(ROD_INERTIA, ROD_INERTIA, ROD_AXIAL_INERTIA, 0, 0, 0));
}

static rod_motion *chain_motion(int links, const double *q, const double *v, const double *a) {
    rod_motion *rod = bench_alloc(links, sizeof *rod), before = at_rest;
    br_vec3 length = br_vec3_zero();
    for (int i = 0; i < links; i++) {
        rod[i] = before = next_rod(&before, length, i, q[i], v[i], a ? a[i] : 0);
        length = br_vec3_scale(2, before.half);
    }
    return rod;
}

// Torques that the acceleration a needs (zero where a is NULL).
static void inverse_dynamics(int links, const double *q, const double *v, const double *a, double *torque) {
    rod_motion *rod = chain_motion(links, q, v, a);
    br_vec3 force = br_vec3_zero(), moment = br_vec3_zero(); // passed on by the rod below, at its joint
    for (int i = links - 1; i >= 0; i--) {
        const rod_motion *r = &rod[i];
        const br_vec3 swing = br_vec3_cross(r->omega, r->half);
        const br_vec3 centre = br_vec3_add(
            r->acceleration, br_vec3_add(br_vec3_cross(r->alpha, r->half), br_vec3_cross(r->omega, swing)));
        const br_sym3 I = rod_inertia(r);
        const br_vec3 own = br_vec3_scale(ROD_MASS, br_vec3_add(centre, br_vec3_of(0, 0, GRAVITY)));
        const br_vec3 euler =
            br_vec3_add(br_sym3_mul_vec(I, r->alpha), br_vec3_cross(r->omega, br_sym3_mul_vec(I, r->omega)));
        moment = br_vec3_add(moment, br_vec3_cross(br_vec3_scale(2, r->half), force));
        moment = br_vec3_add(moment, br_vec3_add(euler, br_vec3_cross(r->half, own)));
        force = br_vec3_add(force, own);
        torque[i] = br_vec3_dot(r->axis, moment);
    }
    free(rod);
}

double chain_residual(int links, const double *q, const double *v, const double *tau, const double *a) {
    double *need = bench_alloc(links, sizeof *need), scale = 0, worst = 0;
    inverse_dynamics(links, q, v, NULL, need);
    for (int i = 0; i < links; i++) scale = fmax(scale, fmax(fabs(need[i]), fabs(tau[i])));
    inverse_dynamics(links, q, v, a, need);
    for (int i = 0; i < links; i++) worst = worst_of(fabs(need[i] - tau[i]), worst);
    free(need);
    return worst / scale;
}

double chain_energy(int links, const double *q, const double *v) {
    rod_motion *rod = chain_motion(links, q, v, NULL);
    double energy = 0;
    for (int i = 0; i < links; i++) {
        const rod_motion *r = &rod[i];
        const br_vec3 velocity = br_vec3_add(r->velocity, br_vec3_cross(r->omega, r->half));
        energy += ROD_MASS * (0.5 * br_vec3_norm_squared(velocity) + GRAVITY * (r->start.z + r->half.z)) +
                  0.5 * br_vec3_dot(r->omega, br_sym3_mul_vec(rod_inertia(r), r->omega));
    }
    free(rod);
    return energy;
}

void fourbar_start(int loops, double *q, double *v) {
    const double rate = FOURBAR_SPEED / ROD_LENGTH;
    for (int i = 0; i < fourbar_coordinates(loops); i++) {
        q[i] = 0;
        v[i] = i % 2 ? rate : -rate; // level rods do not turn: their joints undo what the upright rods do
    }
}

// A uniform rod from a point (x, y) that moves with (u, w), turned by angle at rate omega from the x axis.
static double rod_energy(double y, double u, double w, double angle, double omega) {
    const double half = ROD_LENGTH / 2;
    u -= half * sin(angle) * omega;
    w += half * cos(angle) * omega;
    return 0.5 * ROD_MASS * (u * u + w * w) + 0.5 * ROD_INERTIA * omega * omega +
           ROD_MASS * GRAVITY * (y + half * sin(angle));
}

double fourbar_energy(int loops, const double *q, const double *v) {
    const double upright = 1.5707963267948966;
    double energy = 0;
    for (int i = 0; i <= loops; i++) {
        const double angle = upright + q[2 * i], omega = v[2 * i];
        energy += rod_energy(0, 0, 0, angle, omega);
        if (i < loops)
            energy +=
                rod_energy(ROD_LENGTH * sin(angle), -ROD_LENGTH * sin(angle) * omega,
                           ROD_LENGTH * cos(angle) * omega, q[2 * i] + q[2 * i + 1], omega + v[2 * i + 1]);
    }
    return energy;
}

double fourbar_loop_error(int loops, const double *q) {
    double worst = 0;
    for (int i = 0; i < loops; i++) {
        const double left = q[2 * i], level = left + q[2 * i + 1], right = q[2 * i + 2];
        const double dx = ROD_LENGTH * (-sin(left) + cos(level) + sin(right)) - ROD_LENGTH,
                     dy = ROD_LENGTH * (cos(left) + sin(level) - cos(right));
        worst = worst_of(hypot(dx, dy), worst);
    }
    return worst;
}
