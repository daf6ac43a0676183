// The words and numbers of expressions: what the parser finds at its place, and what to say when it is unknown.
#ifndef BR_MODEL_FUNCTION_WORDS_H
#define BR_MODEL_FUNCTION_WORDS_H

#include "model/function/parse.h"

// Each moves p->at behind what it read; 0 on failure.
int br_parse_number(br_parser *p, double *out);
int br_parse_param(br_parser *p, char name[BR_MAX_NAME]); // $name or ${name}
int br_parse_joint(br_parser *p, int *variable);          // hinge.position, 'left-knee'.velocity.1

int br_joint_follows(const char *at); // a word, a point and more
const br_call *br_find_call(const char *word, size_t length);

// pi, inf, .inf. 1: *value is set, 0: no such word, -1: failed.
int br_parse_constant_word(br_parser *p, const char *word, size_t length, double *value);

// What is said of words that mean nothing, with the nearest that do. Both return 0.
int br_unknown_name(br_parser *p, const char *word, size_t length, int called);
int br_unknown_param(br_parser *p, const char *where, const char *name);

#endif
