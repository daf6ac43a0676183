// Results as HDF5 files: the layout that result/hdf5_write.c and result/hdf5_read.c share. docs/guide/export.md is for
// those who read the files.
//
//     /              format, layout, program_version, stepper, step, until, output: attributes; notes: a dataset
//                    outcome, message, t_end, seconds of a finished run, or truncated: what is missing and why
//     /model         name, path, hash: attributes; text, native, scene: datasets
//     /parameters    an attribute for each change of a parameter or key
//     /channels/NAME doubles with the attribute unit, in order of creation; /t is the same dataset as /channels/t
//     /events        t, kind, name, value, row: how many rows were written before it
//     /contacts      row, name (index into names), state, point, normal, ...; frames: rows whose contacts were kept
//     /ledger        attributes
//     /trust         verdicts as JSON
//     /judgement     of a finished run: what its books say, as JSON
#ifndef BR_IO_RESULT_HDF5_H
#define BR_IO_RESULT_HDF5_H

#include "bristle/result.h"
#include "io/result/hdf5_table.h"

#define IO_H5_FORMAT "bristle result"
#define IO_H5_LAYOUT 1

enum {
    IO_H5_EVENT_T,
    IO_H5_EVENT_KIND,
    IO_H5_EVENT_NAME,
    IO_H5_EVENT_VALUE,
    IO_H5_EVENT_ROW,
    IO_H5_EVENT_COLUMNS,
    IO_H5_EVENT_KIND_BYTES = 16,
};

enum {
    IO_H5_CONTACT_ROW,
    IO_H5_CONTACT_NAME,
    IO_H5_CONTACT_STATE,
    IO_H5_CONTACT_POINT,
    IO_H5_CONTACT_NORMAL,
    IO_H5_CONTACT_GAP,
    IO_H5_CONTACT_NORMAL_FORCE,
    IO_H5_CONTACT_FRICTION,
    IO_H5_CONTACT_SLIP,
    IO_H5_CONTACT_MU,
    IO_H5_CONTACT_COLUMNS,
};

static inline void io_h5_event_columns(io_h5_column column[IO_H5_EVENT_COLUMNS]) {
    column[IO_H5_EVENT_T] = (io_h5_column){"t", "s", NULL, IO_H5_DOUBLE, 1, NULL};
    column[IO_H5_EVENT_KIND] = (io_h5_column){"kind", NULL, NULL, IO_H5_TEXT, IO_H5_EVENT_KIND_BYTES, NULL};
    column[IO_H5_EVENT_NAME] = (io_h5_column){"name", NULL, NULL, IO_H5_TEXT, BR_MAX_EVENT_NAME, NULL};
    column[IO_H5_EVENT_VALUE] = (io_h5_column){"value", NULL, NULL, IO_H5_DOUBLE, 1, NULL};
    column[IO_H5_EVENT_ROW] = (io_h5_column){"row", NULL, NULL, IO_H5_U64, 1, NULL};
}

static inline void io_h5_contact_columns(io_h5_column column[IO_H5_CONTACT_COLUMNS]) {
    column[IO_H5_CONTACT_ROW] = (io_h5_column){"row", NULL, NULL, IO_H5_U64, 1, NULL};
    column[IO_H5_CONTACT_NAME] = (io_h5_column){"name", NULL, NULL, IO_H5_U32, 1, NULL};
    column[IO_H5_CONTACT_STATE] = (io_h5_column){"state", NULL, NULL, IO_H5_U8, 1, NULL};
    column[IO_H5_CONTACT_POINT] = (io_h5_column){"point", "m", NULL, IO_H5_DOUBLE, 3, NULL};
    column[IO_H5_CONTACT_NORMAL] = (io_h5_column){"normal", "1", NULL, IO_H5_DOUBLE, 3, NULL};
    column[IO_H5_CONTACT_GAP] = (io_h5_column){"gap", "m", NULL, IO_H5_DOUBLE, 1, NULL};
    column[IO_H5_CONTACT_NORMAL_FORCE] = (io_h5_column){"normal_force", "N", NULL, IO_H5_DOUBLE, 1, NULL};
    column[IO_H5_CONTACT_FRICTION] = (io_h5_column){"friction", "N", NULL, IO_H5_DOUBLE, 3, NULL};
    column[IO_H5_CONTACT_SLIP] = (io_h5_column){"slip", "m/s", NULL, IO_H5_DOUBLE, 3, NULL};
    column[IO_H5_CONTACT_MU] = (io_h5_column){"friction_coefficient", "1", NULL, IO_H5_DOUBLE, 1, NULL};
}

// The ledger's names in the order of io_ledger_numbers, and of its counts as in the end of a log.
#define IO_H5_LEDGER_NAMES                                                                                   \
    {                                                                                                        \
        "start_kinetic", "start_potential", "start_elastic", "start_total", "kinetic", "potential",          \
            "elastic", "total", "input", "friction", "damping", "scheme", "unaccounted", "loop_error",       \
            "loop_velocity_error", "residual", "impact", "penetration", "cone_violation", "creep"            \
    }
#define IO_H5_COUNT_NAMES                                                                                    \
    { "steps", "iterations", "evaluations", "contacts" }

// Writing goes to a temporary name; the file gets its own when it is finished.
typedef struct io_h5_writer io_h5_writer;

br_status br_io_h5_writer_create(const char *path, const br_result_header *header,
                                 const br_allocator *allocator, io_h5_writer **out, br_error *error);
br_status br_io_h5_writer_row(io_h5_writer *w, const double *values, br_error *error);
br_status br_io_h5_writer_contacts(io_h5_writer *w, const br_result_contact *contacts, int count,
                                   br_error *error);
br_status br_io_h5_writer_event(io_h5_writer *w, const br_event *event, br_error *error);
// end NULL: the result has none, and `missing` says why. The writer is gone afterwards, also on failure.
br_status br_io_h5_writer_finish(io_h5_writer *w, const br_result_end *end, const char *missing,
                                 br_error *error);
void br_io_h5_writer_abandon(io_h5_writer *w); // nothing is left of its file; accepts NULL

#endif
