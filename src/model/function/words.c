// Words and numbers of expressions, see function/words.h.
#include "model/function/words.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bristle/base.h"

enum { MAX_DIGITS = 400, MAX_WORDS = 64, MAX_SHOWN = 40 };

static int digit(char c) {
    return isdigit((unsigned char)c) != 0;
}

// strtod reads the decimal point of the calling program's language; ours is always a point.
static double to_double(char *digits) {
    char *end;
    double value = strtod(digits, &end);
    char *point = strchr(digits, '.');
    if (point && end == point && point[1] != '\0') {
        const struct lconv *here = localeconv();
        if (here && here->decimal_point && strlen(here->decimal_point) == 1) *point = here->decimal_point[0];
        value = strtod(digits, &end);
    }
    return value;
}

int br_parse_number(br_parser *p, double *out) {
    const char *begin = p->at, *c = begin;
    char text[MAX_DIGITS];
    if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X' || c[1] == 'o' || c[1] == 'b') &&
        isalnum((unsigned char)c[2]))
        return br_parser_fail(p, c, "expression-syntax", "numbers are decimal; 0%c... is not read", c[1]);
    while (digit(*c)) c++;
    if (*c == '.') c++;
    while (digit(*c)) c++;
    if ((*c == 'e' || *c == 'E') && (digit(c[1]) || ((c[1] == '+' || c[1] == '-') && digit(c[2])))) {
        c += 2;
        while (digit(*c)) c++;
    }
    if (*c == '.' || (*c == '_' && digit(c[1])))
        return br_parser_fail(p, c, "expression-syntax", "'%c' within a number", *c);
    if ((size_t)(c - begin) >= sizeof text)
        return br_parser_fail(p, begin, "expression-too-long", "a number of more than %d characters",
                              MAX_DIGITS - 1);
    memcpy(text, begin, (size_t)(c - begin));
    text[c - begin] = '\0';
    const double value = to_double(text);
    if (!isfinite(value))
        return br_parser_fail(p, begin, "quantity-not-finite",
                              "the number is larger than can be held, about 1.8e308");
    p->at = c;
    *out = value;
    return 1;
}

int br_parse_param(br_parser *p, char name[BR_MAX_NAME]) {
    const char *where = p->at, *c = where + 1;
    const int braces = *c == '{';
    size_t n = 0;
    c += braces;
    while (br_parser_is_word(c[n])) n++;
    if (n == 0 || n >= BR_MAX_NAME || digit(c[0]) || (braces && c[n] != '}'))
        return br_parser_fail(p, where, "expression-syntax", "after $ the name of a parameter is expected");
    memcpy(name, c, n);
    name[n] = '\0';
    p->at = c + n + braces;
    return 1;
}

int br_joint_follows(const char *at) {
    if (!br_parser_is_letter(*at)) return 0;
    while (br_parser_is_word(*at)) at++;
    return at[0] == '.' && br_parser_is_letter(at[1]);
}

// --- joints ------------------------------------------------------------------------------------------------

// Where the name of the joint ends: names may have points, the member is the last word ("wheel.free.position.2").
static const char *end_of_chain(const char *c) {
    while (br_parser_is_word(*c) || (*c == '.' && br_parser_is_word(c[1]))) c++;
    return c;
}

static int copy_name(br_parser *p, const char *begin, const char *end, char name[BR_MAX_NAME]) {
    if (end <= begin || end - begin >= BR_MAX_NAME)
        return br_parser_fail(p, begin, "expression-name", "a joint's name has 1 to %d characters",
                              BR_MAX_NAME - 1);
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = '\0';
    return 1;
}

// Splits `.position.1` off the end of begin .. end: *member_at points at "position".
static void words_split(const char *begin, const char **end, const char **member_at, int *coordinate,
                        int *numbered) {
    const char *c = *end;
    *numbered = 0;
    *coordinate = 0;
    const char *last = c;
    while (last > begin && last[-1] != '.') last--;
    if (last > begin && digit(*last) && c - last == 1) {
        *coordinate = *last - '0';
        *numbered = 1;
        *end = last - 1;
        for (last = *end; last > begin && last[-1] != '.';) last--;
    }
    *member_at = last;
}

static int wrong_member(br_parser *p, const char *member, size_t length) {
    static const char *const members[] = {"position", "velocity"};
    char word[MAX_SHOWN];
    snprintf(word, sizeof word, "%.*s", (int)length, member);
    const char *near = br_nearest_word(word, members, 2);
    if (near)
        return br_parser_fail(p, member, "expression-name", "'%s' is unknown; did you mean '%s'?", word,
                              near);
    return br_parser_fail(p, member, "expression-name",
                          "'%s' is unknown; of a joint there are position and velocity (.0, .1 for several)",
                          word);
}

int br_parse_joint(br_parser *p, int *variable) {
    const char *begin = p->at, *name_end = NULL;
    char name[BR_MAX_NAME];
    const int quoted = *begin == '\'' || *begin == '"';
    if (quoted) {
        name_end = strchr(begin + 1, *begin);
        if (!name_end) return br_parser_fail(p, begin, "expression-syntax", "this quote is never closed");
    }
    const char *chain = quoted ? name_end + 1 : begin, *end = end_of_chain(chain), *stop = end, *member;
    int coordinate, numbered;
    words_split(chain, &end, &member, &coordinate, &numbered);
    const size_t length = (size_t)(end - member);
    const int position = length == 8 && memcmp(member, "position", 8) == 0;
    const int velocity = length == 8 && memcmp(member, "velocity", 8) == 0;
    if (!position && !velocity) return wrong_member(p, member, length);
    if (!(quoted ? copy_name(p, begin + 1, name_end, name) : copy_name(p, begin, member - 1, name))) return 0;
    *variable = 0;
    if (p->names.joint) {
        *variable =
            p->names.joint(p->names.joint_context, name, position ? "position" : "velocity", coordinate);
        if (*variable < 0 && numbered)
            return br_parser_fail(p, begin, "expression-name", "there is no joint '%s' with a coordinate %d",
                                  name, coordinate);
        if (*variable < 0) return br_parser_fail(p, begin, "expression-name", "there is no joint '%s'", name);
    }
    p->at = stop;
    return 1;
}

// --- names -------------------------------------------------------------------------------------------------

const br_call *br_find_call(const char *word, size_t length) {
    int count;
    const br_call *calls = br_call_list(&count);
    for (int k = 0; k < count; k++)
        if (strlen(calls[k].name) == length && memcmp(calls[k].name, word, length) == 0) return &calls[k];
    return NULL;
}

static int is(const char *word, size_t length, const char *name) {
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

int br_parse_constant_word(br_parser *p, const char *word, size_t length, double *value) {
    if (is(word, length, "pi")) {
        *value = 3.14159265358979323846;
        p->uses_pi = 1;
        return 1;
    }
    if (is(word, length, "nan") || is(word, length, "NaN") || is(word, length, "NAN"))
        return br_parser_fail(p, word, "quantity-not-finite", "nan is no number"), -1;
    if (!is(word, length, "inf") && !is(word, length, "infinity") && !is(word, length, "Inf")) return 0;
    if (!p->names.allow_infinite)
        return br_parser_fail(p, word, "quantity-not-finite", "a finite number is expected here, not %.*s",
                              (int)length, word),
               -1;
    *value = INFINITY;
    return 1;
}

static int param_named(const br_parser *p, const char *word) {
    for (int k = 0; k < p->names.param_count; k++)
        if (strcmp(p->names.param_names[k], word) == 0) return 1;
    return 0;
}

int br_unknown_name(br_parser *p, const char *word, size_t length, int called) {
    const char *words[MAX_WORDS];
    char shown[MAX_SHOWN];
    int count, known = 0;
    const br_call *calls = br_call_list(&count);
    snprintf(shown, sizeof shown, "%.*s", (int)length, word);
    if (length == 0) return br_parser_fail(p, word, "expression-syntax", "'%c' is not expected here", *word);
    if (!called && param_named(p, shown))
        return br_parser_fail(p, word, "expression-name", "'%s' is a parameter: write $%s", shown, shown);
    if (!called && br_find_call(word, length))
        return br_parser_fail(p, word, "expression-name", "%s is a function: write %s(...)", shown, shown);
    if (called && (is(word, length, "t") || is(word, length, "pi")))
        return br_parser_fail(p, word + length, "expression-syntax",
                              "%s is no function; for a product write *", shown);
    for (int k = 0; k < count && known < MAX_WORDS; k++) words[known++] = calls[k].name;
    if (!called && known + 2 <= MAX_WORDS) {
        words[known++] = "t";
        words[known++] = "pi";
    }
    const char *near = br_nearest_word(shown, words, (size_t)known);
    if (!called && strcasecmp(shown, "time") == 0) near = "t"; // as Adams and others call it
    const char *what = called ? "there is no function" : "there is no name";
    if (near)
        return br_parser_fail(p, word, "expression-name", "%s '%s'; did you mean '%s'?", what, shown, near);
    return br_parser_fail(p, word, "expression-name", "%s '%s'", what, shown);
}

int br_unknown_param(br_parser *p, const char *where, const char *name) {
    const char *near = p->names.param_count > 0
                           ? br_nearest_word(name, p->names.param_names, (size_t)p->names.param_count)
                           : NULL;
    if (near)
        return br_parser_fail(p, where, "param-unknown", "there is no parameter '%s'; did you mean $%s?",
                              name, near);
    return br_parser_fail(p, where, "param-unknown",
                          "there is no parameter '%s'; params: {%s: ...} would define it", name, name);
}
