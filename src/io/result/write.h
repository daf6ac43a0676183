// A result that is being written, for what takes one up again (continue.c) and for the recorder.
#ifndef BR_IO_RESULT_WRITE_H
#define BR_IO_RESULT_WRITE_H

#include "base/arena.h"
#include "io/result/claim.h"
#include "io/result/result.h"
#include "io/text/write.h"
#include "model/def/names.h"

struct br_result_writer {
    br_arena arena;
    int file; // that of the temporary
    char path[IO_MAX_PATH];
    io_temporary temporary;
    io_claim claim;
    int placed;  // the file has its name
    int at_end;  // it gets it once whole, not with its first row
    int failed;  // a write did: nothing may follow what is there of a record
    int failure; // its errno
    int channel_count;
    const char **channel; // names, for messages
    uint64_t hash;        // of the record under way
    size_t used;
    long long
        at; // bytes of the file that were written, or held against what is there, without those in the buffer
    long long known; // bytes that were there when the run was taken up again: up to here they are compared
    double flushed;  // when, s
    unsigned char *buffer, *row;
    br_names contact_names; // that the file has already
};

// Memory for one of that header; NULL: there is none.
br_result_writer *br_io_writer_take(const char *path, const br_result_header *header,
                                    const br_allocator *allocator);
void br_io_writer_release(br_result_writer *writer);

// Everything that was put so far reaches the file, and the disk.
br_status br_io_result_settle(br_result_writer *writer, br_error *error);
// Where the next record begins, in bytes from the start of the file.
uint64_t br_io_result_place(const br_result_writer *writer);

#endif
