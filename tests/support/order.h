// Orders of convergence of the contact stepper: the error of a scene at one time for a step and for half of
// it.
#ifndef ORDER_H
#define ORDER_H

#include "scene.h"

typedef double (*order_error)(scene *s); // distance from what is right, after the advance

static inline double order_error_at(const char *name, const char *extra, double theta, double step,
                                    const char *coordinates, double t, order_error error) {
    char settings[160];
    snprintf(settings, sizeof settings,
             "solver.stepper=contact;solver.theta=%g;solver.step=%.17g;coordinates=%s;%s", theta, step,
             coordinates, extra);
    scene s = scene_open(name, settings);
    scene_advance(&s, t);
    const double e = error(&s);
    scene_close(&s);
    return e;
}

// Halving the step divides the error by 2^order; `band` is how far the observed order may be off. extra: more
// settings, may be empty.
static inline void order_check(const char *name, const char *extra, double theta, double step, double t,
                               order_error error, double order, double band, double largest) {
    static const char *const coordinates[] = {"reduced", "absolute"};
    for (int k = 0; k < 2; k++) {
        const double coarse = order_error_at(name, extra, theta, step, coordinates[k], t, error),
                     fine = order_error_at(name, extra, theta, step / 2, coordinates[k], t, error);
        print_message("%s, theta %g, %s: error %.3e at %g ms, %.3e at half of it: order %.3f\n", name, theta,
                      coordinates[k], coarse, 1e3 * step, fine, log2(coarse / fine));
        assert_near(log2(coarse / fine), order, band);
        assert_true(fine <= largest);
    }
}

#endif
