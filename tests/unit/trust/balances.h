// Balances written out by hand for the tests of trust/.
#ifndef BR_TESTS_TRUST_BALANCES_H
#define BR_TESTS_TRUST_BALANCES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "friction/balance.h"

// A balance of zeros, masses 1, with room for its pads.
static inline br_balance balance_new(br_arena *arena, int n, int columns, int bilateral, int pads) {
    br_balance b = {.n = n, .columns = columns, .bilateral = bilateral, .pads = pads};
    b.A = BR_TAKE(arena, double, n *columns);
    b.M = BR_TAKE(arena, double, n *n);
    b.Q = BR_TAKE(arena, double, n);
    b.gamma = BR_TAKE(arena, double, columns);
    b.weight = BR_TAKE(arena, double, columns);
    b.x = BR_TAKE(arena, double, columns);
    b.a = BR_TAKE(arena, double, n);
    b.pad = BR_TAKE(arena, br_balance_pad, pads);
    b.name = br_arena_take(arena, (size_t)columns, sizeof *b.name);
    for (int i = 0; i < n; i++) b.M[i * n + i] = 1.0;
    for (int c = 0; c < columns; c++) snprintf(b.name[c], sizeof *b.name, "column_%d", c);
    for (int i = 0; i < pads; i++) b.pad[i] = (br_balance_pad){.name = "pad", .joint = -1, .normal = -1};
    return b;
}

// The load of the pad is |x_column|.
static inline void norm_of_column(br_arena *arena, const br_balance *b, br_balance_norm *norm, int column) {
    double *form = BR_TAKE(arena, double, b->columns);
    form[column] = 1.0;
    norm->form[norm->forms++] = form;
}

enum {
    SLIDER_1_X,
    SLIDER_1_TURN,
    SLIDER_2_Y,
    SLIDER_2_TURN,
    PIN_1_X,
    PIN_1_Y,
    PIN_2_X,
    PIN_2_Y,
    RUB_1,
    RUB_2
};

// Wojtyra's mechanism (shared/reference/joints): bodies slider 1, slider 2, rod, three coordinates each; the
// pin forces are those on the sliders. The rod's loads are p (12, -5) at its middle, the sliders' s1 along x
// and -s2 along y.
static inline br_balance two_sliders(br_arena *arena, double s1, double s2, double p) {
    br_balance b = balance_new(arena, 9, 10, 8, 2);
    const double h = 0.05, x = 12 * h, y = 5 * h; // pins lie at -(x, -y) and (x, -y) from the rod's middle
    double *A = b.A;
    static const double mass[9] = {20, 20, 1, 20, 20, 1, 10, 10, 2};
    for (int i = 0; i < 9; i++) b.M[i * 9 + i] = mass[i];
#define AT(row, column) A[(row)*10 + (column)]
    AT(0, SLIDER_1_X) = AT(2, SLIDER_1_TURN) = AT(1, RUB_1) = 1;
    AT(4, SLIDER_2_Y) = AT(5, SLIDER_2_TURN) = AT(3, RUB_2) = 1;
    AT(0, PIN_1_X) = AT(1, PIN_1_Y) = AT(3, PIN_2_X) = AT(4, PIN_2_Y) = 1;
    AT(6, PIN_1_X) = AT(7, PIN_1_Y) = AT(6, PIN_2_X) = AT(7, PIN_2_Y) = -1;
    AT(8, PIN_1_X) = y, AT(8, PIN_1_Y) = x; // r x (-R), r = (-x, y)
    AT(8, PIN_2_X) = -y, AT(8, PIN_2_Y) = -x;
#undef AT
    b.Q[0] = s1, b.Q[4] = -s2, b.Q[6] = 12 * p, b.Q[7] = -5 * p;
    static const char *const names[10] = {
        "slide_1.force.x", "slide_1.torque.z", "slide_2.force.y", "slide_2.torque.z", "pin_1.force.x",
        "pin_1.force.y",   "pin_2.force.x",    "pin_2.force.y",   "slide_1.friction", "slide_2.friction"};
    for (int c = 0; c < 10; c++) snprintf(b.name[c], sizeof *b.name, "%s", names[c]);
    for (int i = 0; i < 2; i++) {
        br_balance_pad *pad = &b.pad[i];
        pad->name = i ? "slide_2" : "slide_1";
        pad->joint = i;
        pad->directions = 1;
        pad->column = i ? RUB_2 : RUB_1;
        pad->mu_static = 0.5;
        pad->mu_kinetic = 0.3;
        pad->norms = 1;
        norm_of_column(arena, &b, &pad->norm[0], i ? SLIDER_2_Y : SLIDER_1_X);
    }
    const double a = 0.75 * p, c = p - a; // one way to share the load
    b.x[PIN_1_X] = 12 * a, b.x[PIN_1_Y] = -5 * a, b.x[PIN_2_X] = 12 * c, b.x[PIN_2_Y] = -5 * c;
    b.x[SLIDER_1_X] = -(12 * a + s1), b.x[SLIDER_2_Y] = s2 + 5 * c, b.x[RUB_1] = 5 * a, b.x[RUB_2] = -12 * c;
    return b;
}

// Its loads in time.
static inline br_balance two_sliders_at(br_arena *arena, double t) {
    const double p = 4 * fmin(t, 1.0), s1 = 5 - 10 * fmin(fmax(t - 1, 0.0), 1.0);
    return two_sliders(arena, s1, 60 - 20 * fmin(fmax(t - 1, 0.0), 2.0), p);
}

// A table on legs at (x, y, -height) from its centre of mass, on a level floor: every leg a contact with
// friction along x and y. The load is a force and a torque at the centre of mass.
static inline br_balance table_on_legs(br_arena *arena, int legs, const double (*at)[2], double height,
                                       double mu_static, double mu_kinetic, const double *load) {
    br_balance b = balance_new(arena, 6, 3 * legs, 0, legs);
    for (int i = 0; i < legs; i++) {
        const double r[3] = {at[i][0], at[i][1], -height};
        for (int k = 0; k < 3; k++) { // k = 0: normal along z; 1, 2: friction along x, y
            const int axis = (k + 2) % 3, column = 3 * i + k, next = (axis + 1) % 3, last = (axis + 2) % 3;
            b.A[axis * b.columns + column] = 1;
            b.A[(3 + next) * b.columns + column] = r[last]; // r x e
            b.A[(3 + last) * b.columns + column] = -r[next];
            snprintf(b.name[column], sizeof *b.name, "leg_%d.%s", i,
                     k == 0   ? "normal"
                     : k == 1 ? "friction.x"
                              : "friction.y");
        }
        static const char *const names[] = {"leg_0", "leg_1", "leg_2", "leg_3", "leg_4", "leg_5", "leg_more"};
        b.pad[i] = (br_balance_pad){.name = names[i < 6 ? i : 6],
                                    .joint = -1,
                                    .directions = 2,
                                    .column = 3 * i + 1,
                                    .normal = 3 * i,
                                    .mu_static = mu_static,
                                    .mu_kinetic = mu_kinetic};
    }
    for (int i = 0; i < 3; i++) b.M[i * 6 + i] = 20, b.M[(3 + i) * 6 + 3 + i] = 2;
    memcpy(b.Q, load, 6 * sizeof *load);
    return b;
}

#endif
