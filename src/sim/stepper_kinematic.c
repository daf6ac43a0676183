#include "sim/sim.h"
br_status br_step_kinematic(br_sim *sim, double t, br_error *error){(void)sim;(void)t;(void)error;return BR_INVALID;}
