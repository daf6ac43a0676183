// The bytes of a result log, shared by its writer and its reader. Everything is little-endian.
//
//     mark (8 bytes), then records:   kind u32 | length u32 | payload | checksum u64 of all before it in the record
//
// header   format u32, strings, numbers, channels: see header_put in result/write.c. First, once
// row      a double for each channel
// event    t, value: doubles; kind u32; name: BR_MAX_EVENT_NAME bytes, padded with zeros
// name     number u32, text: what contacts call themselves by. The numbers count from 0
// contacts of the row before: count u32, then for each its name's number, state: u32; point, normal, gap, normal force,
//          friction, slip, friction coefficient: 15 doubles
// judgement  JSON, where there is one, before the end
// end      outcome u32; t, seconds, the ledger's numbers: doubles; its counts: u64; message: BR_MAX_ERROR_TEXT bytes
#ifndef BR_IO_RESULT_LAYOUT_H
#define BR_IO_RESULT_LAYOUT_H

#include <string.h>

#include "bristle/result.h"

// Not text, and damaged at once by whatever changes line ends.
#define IO_RESULT_MARK                                                                                       \
    "\x8f"                                                                                                   \
    "BRLOG\r\n"

enum {
    IO_RESULT_MARK_BYTES = 8,
    IO_RESULT_HEAD_BYTES = 8,  // kind and length
    IO_RESULT_CHECK_BYTES = 8, // after the payload
    IO_RESULT_EVENT_BYTES = 8 + 8 + 4 + BR_MAX_EVENT_NAME,
    IO_LEDGER_NUMBERS = 20,
    IO_LEDGER_COUNTS = 4,
    IO_CONTACT_NUMBERS = 15,
    IO_RESULT_CONTACT_BYTES = 4 + 4 + 8 * IO_CONTACT_NUMBERS,
    IO_RESULT_MAX_CONTACTS = 1 << 20,  // in one row
    IO_RESULT_MAX_JUDGEMENT = 1 << 20, // bytes
    IO_RESULT_END_BYTES = 4 + 8 * (2 + IO_LEDGER_NUMBERS + IO_LEDGER_COUNTS) + BR_MAX_ERROR_TEXT,
};

enum {
    IO_RECORD_HEADER = 1,
    IO_RECORD_ROW,
    IO_RECORD_EVENT,
    IO_RECORD_END,
    IO_RECORD_NAME,
    IO_RECORD_CONTACTS,
    IO_RECORD_JUDGEMENT
};

#define IO_RESULT_MAX_HEADER 0x7fffffffUL

static inline void io_put_u32(unsigned char *p, uint32_t x) {
    for (int k = 0; k < 4; k++) p[k] = (unsigned char)(x >> (8 * k));
}

static inline void io_put_u64(unsigned char *p, uint64_t x) {
    for (int k = 0; k < 8; k++) p[k] = (unsigned char)(x >> (8 * k));
}

static inline void io_put_double(unsigned char *p, double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    io_put_u64(p, bits);
}

static inline uint32_t io_get_u32(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t io_get_u64(const unsigned char *p) {
    return (uint64_t)io_get_u32(p) | (uint64_t)io_get_u32(p + 4) << 32;
}

static inline double io_get_double(const unsigned char *p) {
    const uint64_t bits = io_get_u64(p);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// A contact's numbers in the order of the file.
static inline void io_contact_numbers(br_result_contact *c, double *out[IO_CONTACT_NUMBERS]) {
    double *const all[IO_CONTACT_NUMBERS] = {
        &c->point.x,    &c->point.y, &c->point.z,      &c->normal.x,   &c->normal.y,
        &c->normal.z,   &c->gap,     &c->normal_force, &c->friction.x, &c->friction.y,
        &c->friction.z, &c->slip.x,  &c->slip.y,       &c->slip.z,     &c->friction_coefficient,
    };
    memcpy(out, all, sizeof all);
}

// The ledger's numbers in the order of the file.
static inline void io_ledger_numbers(br_ledger *l, double *out[IO_LEDGER_NUMBERS]) {
    double *const all[IO_LEDGER_NUMBERS] = {
        &l->start.kinetic,  &l->start.potential, &l->start.elastic,
        &l->start.total,    &l->now.kinetic,     &l->now.potential,
        &l->now.elastic,    &l->now.total,       &l->input,
        &l->friction,       &l->damping,         &l->scheme,
        &l->unaccounted,    &l->loop_error,      &l->loop_velocity_error,
        &l->residual,       &l->impact,          &l->penetration,
        &l->cone_violation, &l->creep,
    };
    memcpy(out, all, sizeof all);
}

#endif
