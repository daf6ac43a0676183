// A br_allocator that counts, and that can be told to fail. For tests that no call allocates after setup, that
// every byte is given back, and that each allocation may fail without harm:
//
//     for (long k = 1;; ++k) {
//         counting_allocator counter;
//         const br_allocator allocator = counting_allocator_start(&counter, k); // call k fails, once
//         ... run; when counter.failed is 0 the run was over before call k: leave the loop ...
//         assert_int_equal(counter.live, 0);
//     }
#ifndef COUNTING_ALLOCATOR_H
#define COUNTING_ALLOCATOR_H

#include <stdlib.h>

#include "bristle/base.h"

typedef struct counting_allocator {
    long calls;     // of allocate, failed ones included
    long live;      // blocks not given back yet
    long fail_at;   // this call fails; 0: none
    long failed;    // calls that failed
    size_t bytes;   // asked for in total
    size_t largest; // single request
} counting_allocator;

static void *counting_allocate(void *context, size_t bytes) {
    counting_allocator *counter = (counting_allocator *)context;
    counter->calls++;
    counter->bytes += bytes;
    if (bytes > counter->largest) counter->largest = bytes;
    void *memory = counter->calls == counter->fail_at ? NULL : malloc(bytes);
    if (memory)
        counter->live++;
    else
        counter->failed++;
    return memory;
}

static void counting_release(void *context, void *memory) {
    counting_allocator *counter = (counting_allocator *)context;
    if (memory) counter->live--;
    free(memory);
}

static inline br_allocator counting_allocator_start(counting_allocator *counter, long fail_at) {
    const counting_allocator fresh = {0, 0, fail_at, 0, 0, 0};
    *counter = fresh;
    const br_allocator allocator = {counting_allocate, counting_release, counter};
    return allocator;
}

#endif
