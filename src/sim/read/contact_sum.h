// Channels of what touches, summed: A~B.force.x, where A and B are bodies or shapes, and B may be * for all partners of A.
#ifndef BR_SIM_READ_CONTACT_SUM_H
#define BR_SIM_READ_CONTACT_SUM_H

#include "sim/read/reading.h"

// index is A, component packs B and what of the sum.
int br_contact_sum_find(const br_model *model, const char *name, int *index, int *component); // 0: no such
void br_contact_sum_name(const br_model *model, int index, int component, char *name, size_t size);
const char *br_contact_sum_unit(int component);
br_reading_place br_contact_sum_place(int index, int component);
br_status br_read_contact_sum(br_sim *sim, const br_reading_place *place, double *out, br_error *error);

typedef int (*br_contact_sum_visit)(void *context, int index, int component);
// Those that results keep: forces on every body, and between two bodies, unless they are too many. Stops where visit returns
// nonzero and returns 1.
int br_contact_sum_each(const br_model *model, br_contact_sum_visit visit, void *context);
// Those that a pattern names, "A~B.member" with * in it; see docs/guide/contact.md.
int br_contact_sum_match(const br_model *model, const char *pattern, br_contact_sum_visit visit,
                         void *context);

// Why there is no such channel: "; there is no body or shape 'cub', did you mean cube?". Empty: name is nothing of the kind.
void br_contact_sum_hint(const br_model *model, const char *name, char *out, size_t size);

#endif
