// The parser of expressions: recursive descent with a cap on the depth, constants folded on the way.
#include "model/function/parse.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "model/function/words.h"

static int compare(br_parser *p, br_term *out);

// --- messages and characters -------------------------------------------------------------------------------

int br_parser_is_letter(char c) {
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

int br_parser_is_word(char c) {
    return br_parser_is_letter(c) || isdigit((unsigned char)c);
}

void br_parser_blanks(br_parser *p) {
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r') p->at++;
}

// The part of a long expression around the fault; control characters would spoil a terminal.
static void show(const char *text, size_t at, char out[72]) {
    enum { SHOWN = 60, BEFORE = 30 };
    const size_t length = strlen(text);
    size_t begin = length > SHOWN && at > BEFORE ? at - BEFORE : 0;
    while (((unsigned char)text[begin] & 0xc0) == 0x80) begin++; // not inside a character
    size_t end = length - begin > SHOWN ? begin + SHOWN : length;
    while (((unsigned char)text[end] & 0xc0) == 0x80) end--;
    snprintf(out, 72, "%s%.*s%s", begin > 0 ? "..." : "", (int)(end - begin), text + begin,
             end < length ? "..." : "");
    for (char *c = out; *c; c++)
        if (iscntrl((unsigned char)*c)) *c = ' ';
}

int br_parser_fail(br_parser *p, const char *where, const char *code, const char *format, ...) {
    if (p->status != BR_OK) return 0;
    char what[320], shown[72];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    show(p->text, (size_t)(where - p->text), shown);
    const int column = (int)(where - p->text) + 1;
    p->status = strncmp(code, "expression-too", 14) == 0 ? BR_TOO_LARGE : BR_INVALID;
    br_fail_at(p->error, p->status, code, NULL, 0, column, "%s (character %d of '%s')", what, column, shown);
    return 0;
}

static int deeper(br_parser *p) {
    if (++p->depth <= BR_MAX_EXPRESSION_DEPTH) return 1;
    return br_parser_fail(p, p->at, "expression-too-deep",
                          "more than %d parentheses or signs within each other", BR_MAX_EXPRESSION_DEPTH);
}

// --- primaries ---------------------------------------------------------------------------------------------

static int time_term(br_parser *p, const char *word, br_term *out) {
    if (p->names.constant_only)
        return br_parser_fail(p, word, "quantity-not-constant",
                              "t is the time, but a constant is expected here");
    memset(out, 0, sizeof *out);
    out->first_op = p->out->ops;
    out->linear = out->loose = 1;
    out->slope = 1.0;
    p->out->uses_time = 1;
    return br_parser_push(p, BR_OP_TIME, 0, 0.0);
}

static int joint_term(br_parser *p, br_term *out) {
    const char *where = p->at;
    int variable = 0;
    if (!br_parse_joint(p, &variable)) return 0;
    if (p->names.constant_only)
        return br_parser_fail(p, where, "quantity-not-constant",
                              "a joint's position or velocity changes, but a constant is expected here");
    memset(out, 0, sizeof *out);
    out->first_op = p->out->ops;
    out->loose = 1;
    p->out->uses_state = 1;
    return br_parser_push(p, BR_OP_VARIABLE, variable, 0.0);
}

static int wrong_count(br_parser *p, const char *where, const br_call *call, int given) {
    return br_parser_fail(p, where, "expression-syntax", "%s takes %d argument%s, not %d", call->name,
                          call->arguments, call->arguments == 1 ? "" : "s", given);
}

static int call_term(br_parser *p, const char *where, const br_call *call, br_term *out) {
    const int many = call->code == BR_OP_MIN || call->code == BR_OP_MAX;
    br_term x[BR_MAX_OP_ARGUMENTS];
    int n = 0, given = 0;
    p->at++; // (
    br_parser_blanks(p);
    if (*p->at == ')') return wrong_count(p, where, call, 0);
    for (;; p->at++) {
        if (given == call->arguments && !many) {
            const char *rest = p->at;
            br_term extra;
            for (; compare(p, &extra) && *p->at == ','; p->at++) given++;
            return wrong_count(p, rest, call, given + 1);
        }
        if (!compare(p, &x[n])) return 0;
        n++;
        given++;
        if (many && n == 2) { // min(a, b, c) is min(min(a, b), c)
            if (!br_parser_apply(p, where, call->code, x, 2, &x[0])) return 0;
            n = 1;
        }
        br_parser_blanks(p);
        if (*p->at != ',') break;
    }
    if (*p->at != ')')
        return br_parser_fail(p, p->at, "expression-syntax", "',' or ')' is missing in %s(", call->name);
    if (given < call->arguments) return wrong_count(p, where, call, given);
    p->at++;
    if (many) {
        *out = x[0];
        return 1;
    }
    return br_parser_apply(p, where, call->code, x, n, out);
}

static int param_term(br_parser *p, br_term *out) {
    const char *where = p->at;
    char name[BR_MAX_NAME];
    if (!br_parse_param(p, name)) return 0;
    br_term value;
    memset(&value, 0, sizeof value);
    if (!p->names.param || !p->names.param(p->names.param_context, name, &value))
        return br_unknown_param(p, where, name);
    if (!isfinite(value.value) && !p->names.allow_infinite)
        return br_parser_fail(p, where, "quantity-not-finite", "$%s is %g, a finite number is expected here",
                              name, value.value);
    if (!br_parser_constant(p, value.value, out)) return 0;
    out->has_unit = value.has_unit;
    out->loose = value.loose || !value.has_unit; // a number of unknown dimension
    out->dim = value.dim;
    return 1;
}

static int word_term(br_parser *p, br_term *out) {
    const char *where = p->at;
    if (*where == '\'' || *where == '"' || br_joint_follows(where)) return joint_term(p, out);
    size_t length = 0;
    while (br_parser_is_word(where[length])) length++;
    const char *after = where + length;
    while (*after == ' ' || *after == '\t') after++;
    if (*after == '(') {
        const br_call *call = br_find_call(where, length);
        if (!call) return br_unknown_name(p, where, length, 1);
        p->at = after;
        if (!deeper(p)) return 0;
        const int before = p->no_unit;
        p->no_unit = 0;
        if (!call_term(p, where, call, out)) return 0;
        p->no_unit = before;
        p->depth--;
        return 1;
    }
    if (length == 1 && *where == 't') {
        p->at++;
        return time_term(p, where, out);
    }
    double value;
    const int found = br_parse_constant_word(p, where, length, &value);
    if (found <= 0) return found < 0 ? 0 : br_unknown_name(p, where, length, 0);
    p->at = where + length;
    return br_parser_constant(p, value, out);
}

static int group_term(br_parser *p, br_term *out) {
    const char *open = p->at++;
    const int before = p->no_unit;
    if (!deeper(p)) return 0;
    p->no_unit = 0;
    if (!compare(p, out)) return 0;
    br_parser_blanks(p);
    if (*p->at == ',')
        return br_parser_fail(p, p->at, "expression-syntax",
                              "a comma within parentheses; decimals have a point");
    if (*p->at != ')') return br_parser_fail(p, open, "expression-syntax", "this '(' is never closed");
    p->at++;
    p->depth--;
    p->no_unit = before;
    out->unit_here = 0;
    return 1;
}

static int primary(br_parser *p, br_term *out) {
    br_parser_blanks(p);
    const char c = *p->at;
    if (c == '(') return group_term(p, out);
    if (c == '$') return param_term(p, out);
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)p->at[1]))) {
        double value;
        return br_parse_number(p, &value) && br_parser_constant(p, value, out);
    }
    if (c == '.' && br_parser_is_letter(p->at[1])) p->at++; // YAML's .inf and .nan
    if (br_parser_is_letter(*p->at) || c == '\'' || c == '"') return word_term(p, out);
    if (c == '\0')
        return br_parser_fail(p, p->at, "expression-syntax",
                              p->at == p->text ? "there is nothing here" : "the expression ends too early");
    if (c == '/' && p->at > p->text && p->at[-1] == '/')
        return br_parser_fail(p, p->at, "expression-syntax", "a second /; a comment begins with #");
    return br_parser_fail(p, p->at, "expression-syntax", "'%c' stands where a number or a name is expected",
                          c);
}

// --- the grammar -------------------------------------------------------------------------------------------

static int attach_unit(br_parser *p, br_term *out) {
    const char *where = p->at;
    char text[48];
    br_term x[2];
    x[0] = *out;
    double factor = 1.0;
    br_exponents dim = {0, 0, 0, 0};
    if (!br_unit_parse(p, &factor, &dim)) return 0;
    if (x[0].has_unit)
        return br_parser_fail(p, where, "unit-dimension", "there is a unit already, %s",
                              br_exponents_text(x[0].dim, text));
    if (!br_parser_constant(p, factor, &x[1])) return 0;
    if (!br_parser_apply(p, where, BR_OP_MULTIPLY, x, 2, out)) return 0;
    out->has_unit = out->unit_here = 1;
    out->loose = 0;
    out->dim = dim;
    return 1;
}

static int unary(br_parser *p, br_term *out);

// The unit after a power is that of the whole: 10^3 N. So within the exponent there is none.
static int power(br_parser *p, br_term *out) {
    br_term x[2];
    if (!primary(p, &x[0])) return 0;
    if (!p->no_unit && br_unit_starts(p) && !attach_unit(p, &x[0])) return 0;
    *out = x[0];
    br_parser_blanks(p);
    const char *caret = p->at;
    const int stars = caret[0] == '*' && caret[1] == '*';
    if (*caret != '^' && !stars) return 1;
    if (stars) return br_parser_fail(p, caret, "expression-syntax", "a power is written with ^, not **");
    const int before = p->no_unit;
    p->at++;
    p->no_unit = 1;
    if (!deeper(p) || !unary(p, &x[1])) return 0;
    p->depth--;
    p->no_unit = before;
    if (!br_parser_apply(p, caret, BR_OP_POWER, x, 2, out)) return 0;
    return p->no_unit || !br_unit_starts(p) || attach_unit(p, out);
}

static int unary(br_parser *p, br_term *out) {
    br_parser_blanks(p);
    if (*p->at != '-' && *p->at != '+') return power(p, out);
    const char *where = p->at++;
    if (!deeper(p)) return 0;
    br_term x;
    if (!unary(p, &x)) return 0;
    p->depth--;
    if (*where == '+') {
        *out = x;
        return 1;
    }
    const int unit_here = x.unit_here;
    if (!br_parser_apply(p, where, BR_OP_NEGATE, &x, 1, out)) return 0;
    out->unit_here = unit_here;
    return 1;
}

static int parse_product(br_parser *p, br_term *out) {
    br_term x[2];
    if (!unary(p, &x[0])) return 0;
    for (;;) {
        br_parser_blanks(p);
        const char *where = p->at;
        if (*where != '*' && *where != '/') break;
        p->at++;
        if (!unary(p, &x[1])) return 0;
        // 1/2 mm: half a millimetre to most people, 500 1/m by the rule that a unit belongs to its number.
        if (*where == '/' && x[1].unit_here && !x[0].has_unit)
            return br_parser_fail(p, where, "unit-ambiguous",
                                  "this can be read in two ways: write (1/2) mm or 1/(2 mm)");
        if (!br_parser_apply(p, where, *where == '*' ? BR_OP_MULTIPLY : BR_OP_DIVIDE, x, 2, &x[0])) return 0;
    }
    *out = x[0];
    return 1;
}

static int sum(br_parser *p, br_term *out) {
    br_term x[2];
    if (!parse_product(p, &x[0])) return 0;
    for (;;) {
        br_parser_blanks(p);
        const char *where = p->at;
        if (*where != '+' && *where != '-') break;
        p->at++;
        if (!parse_product(p, &x[1])) return 0;
        if (!br_parser_apply(p, where, *where == '+' ? BR_OP_ADD : BR_OP_SUBTRACT, x, 2, &x[0])) return 0;
    }
    *out = x[0];
    return 1;
}

static int compare(br_parser *p, br_term *out) {
    br_term x[2];
    if (!sum(p, &x[0])) return 0;
    br_parser_blanks(p);
    const char *where = p->at;
    const int equal = where[0] != '\0' && where[1] == '=';
    br_op_code code = BR_OP_CODES;
    if (*where == '<') code = equal ? BR_OP_LESS_EQUAL : BR_OP_LESS;
    if (*where == '>') code = equal ? BR_OP_GREATER_EQUAL : BR_OP_GREATER;
    if (*where == '=' && equal) code = BR_OP_EQUAL;
    if (*where == '=' && !equal)
        return br_parser_fail(p, where, "expression-syntax", "to compare for equality write ==");
    *out = x[0];
    if (code == BR_OP_CODES) return 1;
    p->at += equal ? 2 : 1;
    return sum(p, &x[1]) && br_parser_apply(p, where, code, x, 2, out);
}

static int leftover(br_parser *p) {
    const char c = *p->at;
    if (c == ')') return br_parser_fail(p, p->at, "expression-syntax", "there is no '(' for this ')'");
    if (c == ',')
        return br_parser_fail(p, p->at, "expression-syntax", "a comma; decimals have a point, as 1.5");
    if (c == '$' || c == '(' || isdigit((unsigned char)c))
        return br_parser_fail(p, p->at, "expression-syntax",
                              "there is no operator before '%c'; for a product write *", c);
    return br_parser_fail(p, p->at, "expression-syntax", "'%c' is not expected here", c);
}

br_status br_expression_parse(const char *text, const br_expression_names *names, br_arena *arena,
                              br_expression *out, br_error *error) {
    br_expression e;
    br_parser p;
    memset(&e, 0, sizeof e);
    memset(&p, 0, sizeof p);
    p.text = p.at = text;
    p.out = &e;
    p.error = error;
    if (names) p.names = *names;
    size_t length = 0;
    while (length <= BR_MAX_EXPRESSION && text[length]) length++;
    if (length > BR_MAX_EXPRESSION)
        return br_fail(error, BR_TOO_LARGE, "expression-too-long", "an expression of more than %d characters",
                       BR_MAX_EXPRESSION);
    if (arena) {
        // A character is at most one operation; a unit of one letter adds a factor and a product.
        p.op_capacity = 2 * (int)length + 4;
        e.op = BR_TAKE(arena, br_op, p.op_capacity);
        if (!e.op) return br_no_memory(error, "no memory for an expression");
    }
    if (!compare(&p, &e.term)) return p.status;
    br_parser_blanks(&p);
    if (*p.at != '\0') {
        leftover(&p);
        return p.status;
    }
    if (p.uses_pi) e.has_hertz = 0;
    *out = e;
    return BR_OK;
}
