// The normal distribution.
#ifndef BR_SWEEP_NORMAL_H
#define BR_SWEEP_NORMAL_H

double br_normal_quantile(double p); // below which a part p of it lies, 0 < p < 1; to 1e-15 of its size

#endif
