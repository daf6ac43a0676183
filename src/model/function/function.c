// Functions of time and state: compiled expressions and constants; tables are in function/table.c.
#include "model/function/function.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "model/function/parse.h"
#include "model/function/table.h"

struct br_function {
    br_function_kind kind;
    double constant;
    br_op *op;
    int ops, uses_state;
    double scale;
    double *knot; // [knots] rising
    int knots;
    br_table table;
};

static br_status compile(const br_function_def *def, br_function_resolver resolve, void *context,
                         br_arena *arena, br_function *f, br_error *error) {
    br_expression_names names;
    br_expression e;
    memset(&names, 0, sizeof names);
    names.joint = resolve;
    names.joint_context = context;
    names.plain_adopts = 1;
    if (!def->expression)
        return br_fail(error, BR_INVALID, "expression-syntax", "a function without its expression");
    const br_status status = br_expression_parse(def->expression, &names, arena, &e, error);
    if (status != BR_OK) return status;
    f->scale = def->scale == 0.0 ? 1.0 : def->scale;
    if (e.term.constant) {
        f->kind = BR_FUNCTION_CONSTANT;
        f->constant = e.term.value * f->scale;
        return BR_OK;
    }
    f->op = e.op;
    f->ops = e.ops;
    f->uses_state = e.uses_state;
    f->knot = BR_TAKE(arena, double, e.knots);
    if (!f->knot) return br_no_memory(error, "no memory for an expression");
    memcpy(f->knot, e.knot, (size_t)e.knots * sizeof *f->knot);
    f->knots = e.knots;
    return BR_OK;
}

br_status br_function_create(const br_function_def *def, br_function_resolver resolve, void *context,
                             br_arena *arena, br_function **out, br_error *error) {
    br_function f;
    memset(&f, 0, sizeof f);
    f.kind = def->kind;
    f.constant = def->constant;
    if (!isfinite(def->scale))
        return br_fail(error, BR_INVALID, "quantity-not-finite", "the scale of a function is %g", def->scale);
    br_status status = BR_OK;
    if (def->kind == BR_FUNCTION_EXPRESSION)
        status = compile(def, resolve, context, arena, &f, error);
    else if (def->kind == BR_FUNCTION_TABLE || def->kind == BR_FUNCTION_SMOOTH)
        status = br_table_create(def, arena, &f.table, error);
    else if (def->kind != BR_FUNCTION_CONSTANT)
        status =
            br_fail(error, BR_INVALID, "function-kind", "there is no function of kind %d", (int)def->kind);
    if (status != BR_OK) return status;
    if (f.kind == BR_FUNCTION_CONSTANT && !isfinite(f.constant))
        return br_fail(error, BR_INVALID, "quantity-not-finite",
                       "a function's value is %g, expected a finite number", f.constant);
    br_function *r = BR_TAKE(arena, br_function, 1);
    if (!r) return br_no_memory(error, "no memory for a function");
    *r = f;
    *out = r;
    return BR_OK;
}

br_function *br_function_held(br_arena *arena) {
    br_function *f = BR_TAKE(arena, br_function, 1);
    if (f) *f = (br_function){.kind = BR_FUNCTION_CONSTANT};
    return f;
}

void br_function_hold(br_function *f, double value) {
    f->constant = value;
}

int br_function_is_constant(const br_function *f) {
    const int table = f->kind == BR_FUNCTION_TABLE || f->kind == BR_FUNCTION_SMOOTH;
    return f->kind == BR_FUNCTION_CONSTANT || (table && f->table.count == 1);
}

int br_function_uses_state(const br_function *f) {
    return f->uses_state;
}

double br_function_value(const br_function *f, double t, const double *variables) {
    if (f->kind == BR_FUNCTION_CONSTANT) return f->constant;
    if (f->kind != BR_FUNCTION_EXPRESSION) return br_table_jet(&f->table, t).value;
    double stack[BR_MAX_OP_STACK];
    int n = 0;
    for (int k = 0; k < f->ops; k++) {
        const br_op *op = &f->op[k];
        double value;
        if (op->code == BR_OP_CONSTANT)
            value = op->value;
        else if (op->code == BR_OP_TIME)
            value = t;
        else if (op->code == BR_OP_VARIABLE)
            value = variables[op->variable];
        else
            value = br_op_value(op->code, stack + n - op->arguments);
        n += 1 - op->arguments;
        stack[n - 1] = value;
    }
    return stack[0] * f->scale;
}

static br_jet expression_jet(const br_function *f, double t, const br_jet *variables) {
    br_jet stack[BR_MAX_OP_STACK];
    int n = 0;
    for (int k = 0; k < f->ops; k++) {
        const br_op *op = &f->op[k];
        br_jet value = {op->value, 0.0, 0.0};
        if (op->code == BR_OP_TIME) {
            value.value = t;
            value.rate = 1.0;
        } else if (op->code == BR_OP_VARIABLE) {
            value = variables[op->variable];
        } else if (op->code != BR_OP_CONSTANT) {
            value = br_op_jet(op->code, stack + n - op->arguments);
        }
        n += 1 - op->arguments;
        stack[n - 1] = value;
    }
    const br_jet r = {stack[0].value * f->scale, stack[0].rate * f->scale, stack[0].second * f->scale};
    return r;
}

br_jet br_function_jet(const br_function *f, double t, const br_jet *variables) {
    if (f->kind == BR_FUNCTION_EXPRESSION) return expression_jet(f, t, variables);
    if (f->kind != BR_FUNCTION_CONSTANT) return br_table_jet(&f->table, t);
    const br_jet r = {f->constant, 0.0, 0.0};
    return r;
}

double br_function_next_knot(const br_function *f, double t) {
    if (f->kind == BR_FUNCTION_TABLE || f->kind == BR_FUNCTION_SMOOTH)
        return br_table_next_knot(&f->table, t);
    for (int k = 0; k < f->knots; k++)
        if (f->knot[k] > t) return f->knot[k];
    return INFINITY;
}
