#include "io/problem/cp_names.h"

#include <stdio.h>
#include <string.h>

enum {
    LCP = 1 << BR_PROBLEM_LCP,
    RELAY = 1 << BR_PROBLEM_RELAY,
    MLCP = 1 << BR_PROBLEM_MLCP,
    FC = 1 << BR_PROBLEM_FC2D | 1 << BR_PROBLEM_FC3D,
    GFC = 1 << BR_PROBLEM_GFC2D | 1 << BR_PROBLEM_GFC3D,
    ALL = LCP | RELAY | MLCP | FC | GFC,
    MAX_NAMES = 16,
};

static const io_section_name counts[] = {
    {"nc", IO_NC, FC | GFC},
    {"dim", IO_DIM, FC | GFC},
    {"neq", IO_NEQ, MLCP | GFC},
    {"ncomp", IO_NCOMP, MLCP},
    {NULL, 0, 0},
};

static const io_section_name matrices[] = {
    {"M", IO_M, LCP | RELAY | MLCP | GFC}, {"W", IO_W, FC}, {"H", IO_H, GFC}, {"G", IO_G, GFC}, {NULL, 0, 0},
};

static const io_section_name vectors[] = {
    {"q", IO_Q, ALL},
    {"f", IO_Q, GFC}, // FCLIB's name
    {"b", IO_B, GFC},
    {"w", IO_B, GFC}, // FCLIB's name
    {"g", IO_G_OFFSET, GFC},
    {"mu", IO_MU, FC | GFC},
    {"lb", IO_LB, RELAY | MLCP},
    {"ub", IO_UB, RELAY | MLCP},
    {"is_complementarity", IO_IS_COMPLEMENTARITY, MLCP},
    {"compliance", IO_COMPLIANCE, FC | GFC},
    {NULL, 0, 0},
};

static const io_section_name *const sections[IO_SECTION_KINDS] = {counts, matrices, vectors};

static const char *const type_names[BR_PROBLEM_TYPES] = {"LCP",  "RELAY", "MLCP", "FC2D",
                                                         "FC3D", "GFC2D", "GFC3D"};

const char *br_problem_type_name(br_problem_type type) {
    return (unsigned)type < BR_PROBLEM_TYPES ? type_names[type] : "unknown";
}

br_problem_type br_io_cp_type(io_token token) {
    int k = 0;
    while (k < BR_PROBLEM_TYPES && !br_io_token_is(token, type_names[k])) k++;
    return (br_problem_type)k;
}

const io_section_name *br_io_cp_section(io_section_kind kind, io_token token, br_problem_type type) {
    for (const io_section_name *s = sections[kind]; s->name; s++)
        if (br_io_token_is(token, s->name) && (s->types & 1u << type)) return s;
    return NULL;
}

// ------------------------------------------------------------------------------------------------------ hints

static const char *hint(io_token token, const char *const *words, size_t count, char out[IO_HINT]) {
    char shown[IO_SHOWN];
    const char *near = br_nearest_word(br_io_show(token, shown), words, count);
    if (near) {
        snprintf(out, IO_HINT, "did you mean %s?", near);
        return out;
    }
    size_t n = (size_t)snprintf(out, IO_HINT, "expected ");
    for (size_t k = 0; k < count && n < IO_HINT; k++) {
        const char *join = k == 0 ? "" : k + 1 == count ? " or " : ", ";
        n += (size_t)snprintf(out + n, IO_HINT - n, "%s%s", join, words[k]);
    }
    return out;
}

const char *br_io_cp_type_hint(io_token token, char out[IO_HINT]) {
    return hint(token, type_names, BR_PROBLEM_TYPES, out);
}

const char *br_io_cp_hint(io_section_kind kind, io_token token, br_problem_type type, char out[IO_HINT]) {
    const char *words[MAX_NAMES];
    size_t count = 0;
    for (const io_section_name *s = sections[kind]; s->name; s++)
        if (s->types & 1u << type) words[count++] = s->name;
    return hint(token, words, count, out);
}

const char *br_io_cp_keyword_hint(io_token token, br_problem_type type, char out[IO_HINT]) {
    const char *words[MAX_NAMES] = {"MATRIX", "VECTOR"};
    size_t count = 2;
    for (const io_section_name *s = counts; s->name; s++)
        if (s->types & 1u << type) words[count++] = s->name;
    if (io_type_has_friction(type)) words[count++] = "law";
    return hint(token, words, count, out);
}
