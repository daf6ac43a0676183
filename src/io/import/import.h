// Models of other programs: which reader takes a file. Each reader fills a builder of its own, and the same kind of
// report.
#ifndef BR_IO_IMPORT_IMPORT_H
#define BR_IO_IMPORT_IMPORT_H

#include "bristle/io.h"

int br_io_import_takes(const char *path); // by its ending: .xml, .mjcf, .urdf

// As br_mjcf_read. An .xml file may hold either format: its root element decides.
br_status br_io_import(const char *path, const br_import_options *options, const br_allocator *allocator,
                       br_builder **out, br_import_report **report, br_error *error);

#endif
