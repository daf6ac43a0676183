// What the parser of expressions writes: operations, with constants folded, slopes followed and knots found.
#include <math.h>
#include <string.h>

#include "model/function/parse.h"

static int emit(br_parser *p, br_op op) {
    br_expression *e = p->out;
    p->stack_now += 1 - op.arguments;
    if (p->stack_now > e->stack) e->stack = p->stack_now;
    if (e->stack > BR_MAX_OP_STACK)
        return br_parser_fail(p, p->at, "expression-too-deep", "too many values wait for their operation");
    if (!e->op) return 1;
    if (e->ops >= p->op_capacity)
        return br_parser_fail(p, p->at, "expression-too-long", "too many operations");
    e->op[e->ops++] = op;
    return 1;
}

int br_parser_push(br_parser *p, br_op_code code, int variable, double value) {
    const br_op op = {code, 0, variable, value};
    return emit(p, op);
}

static void set_constant(br_term *term, double value) {
    term->constant = term->linear = 1;
    term->value = value;
    term->slope = 0.0;
}

// The time at which value + slope t passes zero is a corner or a jump of what is made of it.
static void knot_of(br_parser *p, const br_term *a, const br_term *b) {
    if (!a->linear || (b && !b->linear)) return;
    const double slope = a->slope - (b ? b->slope : 0.0), value = a->value - (b ? b->value : 0.0);
    const double t = -value / slope;
    br_expression *e = p->out;
    if (slope == 0.0 || !isfinite(t) || e->knots >= BR_MAX_KNOTS) return;
    int k = e->knots;
    while (k > 0 && e->knot[k - 1] > t) k--;
    if (k > 0 && e->knot[k - 1] == t) return;
    memmove(e->knot + k + 1, e->knot + k, (size_t)(e->knots - k) * sizeof *e->knot);
    e->knot[k] = t;
    e->knots++;
}

static void find_knots(br_parser *p, br_op_code code, const br_term *x) {
    if (code == BR_OP_STEP || code == BR_OP_SIGN || code == BR_OP_ABS) knot_of(p, &x[0], NULL);
    if ((code >= BR_OP_LESS && code <= BR_OP_EQUAL) || code == BR_OP_MIN || code == BR_OP_MAX)
        knot_of(p, &x[0], &x[1]);
    if (code == BR_OP_SMOOTHSTEP) {
        knot_of(p, &x[0], &x[1]);
        knot_of(p, &x[0], &x[3]);
    }
}

static void follow_slope(br_op_code code, const br_term *x, br_term *out) {
    const br_term *a = &x[0], *b = &x[1];
    out->linear = 0;
    if (code == BR_OP_NEGATE && a->linear) {
        out->linear = 1;
        out->value = -a->value;
        out->slope = -a->slope;
    } else if ((code == BR_OP_ADD || code == BR_OP_SUBTRACT) && a->linear && b->linear) {
        const double sign = code == BR_OP_ADD ? 1.0 : -1.0;
        out->linear = 1;
        out->value = a->value + sign * b->value;
        out->slope = a->slope + sign * b->slope;
    } else if (code == BR_OP_MULTIPLY && a->linear && b->linear && (a->constant || b->constant)) {
        out->linear = 1;
        out->value = a->value * b->value;
        out->slope = a->slope * b->value + a->value * b->slope;
    } else if (code == BR_OP_DIVIDE && a->linear && b->constant) {
        out->linear = 1;
        out->value = a->value / b->value;
        out->slope = a->slope / b->value;
    }
}

// All constant: their operations go, the result comes.
static int fold(br_parser *p, const char *where, br_op_code code, const br_term *x, int n, br_term *out) {
    double values[BR_MAX_OP_ARGUMENTS];
    int finite = 1;
    for (int k = 0; k < n; k++) {
        values[k] = x[k].value;
        finite = finite && isfinite(values[k]);
    }
    set_constant(out, br_op_value(code, values));
    if (isnan(out->value) || (finite && !isfinite(out->value)))
        return br_parser_fail(p, where, "quantity-not-finite", "the result here is not a finite number");
    p->out->ops = x[0].first_op;
    p->stack_now -= n;
    return br_parser_push(p, BR_OP_CONSTANT, 0, out->value);
}

int br_parser_apply(br_parser *p, const char *where, br_op_code code, const br_term *x, int n, br_term *out) {
    br_term r;
    memset(&r, 0, sizeof r);
    r.first_op = x[0].first_op;
    if (!br_dimension_apply(p, where, code, x, n, &r)) return 0;
    if (code == BR_OP_SMOOTHSTEP && x[1].constant && x[3].constant && x[1].value >= x[3].value)
        return br_parser_fail(p, where, "expression-syntax",
                              "smoothstep(x, x0, y0, x1, y1) needs x0 < x1, not %g and %g", x[1].value,
                              x[3].value);
    int constant = 1;
    for (int k = 0; k < n; k++) constant = constant && x[k].constant;
    if (constant) {
        if (!fold(p, where, code, x, n, &r)) return 0;
    } else {
        const br_op op = {code, n, 0, 0.0};
        if (!emit(p, op)) return 0;
        follow_slope(code, x, &r);
        find_knots(p, code, x);
    }
    *out = r;
    return 1;
}

int br_parser_constant(br_parser *p, double value, br_term *out) {
    memset(out, 0, sizeof *out);
    out->first_op = p->out->ops;
    set_constant(out, value);
    out->loose = p->names.plain_adopts;
    return br_parser_push(p, BR_OP_CONSTANT, 0, value);
}
