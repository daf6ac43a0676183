#include "sim/sim.h"
br_status br_sim_linearize(br_sim *sim, double *real, double *imaginary, int capacity, int *count, br_error *error){(void)sim;(void)real;(void)imaginary;(void)capacity;(void)count;(void)error;return BR_INVALID;}
