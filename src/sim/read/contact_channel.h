// Channels of contacts for channel.c: a pair of shapes (index) and what of which of its contacts (component).
#ifndef BR_SIM_READ_CONTACT_CHANNEL_H
#define BR_SIM_READ_CONTACT_CHANNEL_H

#include "sim/read/reading.h"

int br_contact_channel_find(const br_model *model, const char *name, int *index,
                            int *component); // 0: no such channel
// Every channel of every contact that may be, unless they are too many; stops where visit returns nonzero and returns 1.
int br_contact_channel_each(const br_model *model, int (*visit)(void *context, int index, int component),
                            void *context);
// Those of single points that a pattern "A~B#K.member" with * in it names; A and B are shapes, or bodies, in either order.
int br_contact_channel_match(const br_model *model, const char *pattern,
                             int (*visit)(void *context, int index, int component), void *context);
void br_contact_channel_name(const br_model *model, int index, int component, char *name, size_t size);
const char *br_contact_channel_unit(int component);
br_reading_place br_contact_channel_place(int index, int component);
// A contact that is not there has no force, and the gap of its shapes.
br_status br_read_contact(br_sim *sim, const br_reading_place *place, double *out, br_error *error);
br_status br_read_gap(br_sim *sim, const br_reading_place *place, double *out, br_error *error);

#endif
