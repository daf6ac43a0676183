#include "base/error.h"
#include "sim/sim.h"
#define WEAK __attribute__((weak))
WEAK br_status br_step_reference(br_sim *s, double t, br_error *e) { (void)s, (void)t; return br_fail(e, BR_INVALID, "run-stepper", "reference stepper not there yet"); }
WEAK br_status br_step_kinematic(br_sim *s, double t, br_error *e) { (void)s, (void)t; return br_fail(e, BR_INVALID, "run-stepper", "kinematic stepper not there yet"); }
WEAK void br_reference_destroy(struct br_reference *r) { (void)r; }
WEAK br_status br_sim_linearize(br_sim *s, double *a, double *b, int c, int *n, br_error *e) { (void)s, (void)a, (void)b, (void)c, (void)n; return br_fail(e, BR_INVALID, "run-stepper", "not there yet"); }
