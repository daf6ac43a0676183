// The report of an import, as the readers of other programs' models fill it. What users see of it is in bristle/io.h.
#ifndef BR_IO_IMPORT_IMPORT_REPORT_H
#define BR_IO_IMPORT_IMPORT_REPORT_H

#include <stdarg.h>

#include "bristle/io.h"
#include "io/import/xml_tree.h"

enum { IO_IMPORT_MAX_NOTES = 500 }; // different ones; further kinds are counted in the last

// An empty report that belongs to allocator.
br_status br_io_import_report_create(const char *path, const br_allocator *allocator, br_import_report **out,
                                     br_error *error);
// attribute NULL: the whole element. The same note about another element is only counted.
br_status br_io_import_note(br_import_report *report, const io_xml_node *node, const char *attribute,
                            br_import_effect effect, br_error *error, const char *format, va_list args)
    __attribute__((format(printf, 6, 0)));
// Remembers where an element of the model stands: group "bodies", "joints", "drives".
br_status br_io_import_place(br_import_report *report, const char *group, const char *name,
                             const io_xml_node *node, br_error *error);
// Adds the element's place to an error of the builder; status is returned.
br_status br_io_import_placed(const io_xml_node *node, br_status status, br_error *error);
br_status br_io_import_strict(const br_import_report *report,
                              br_error *error); // fails when a note is about motion
// Notes about motion as notes of the model; with_file: the file is named, too, because the model is another one.
br_status br_io_import_report_tell(const br_import_report *report, br_builder *builder, int with_file,
                                   br_error *error);
// Sorts the notes; those about motion become notes of the model.
br_status br_io_import_report_finish(br_import_report *report, br_builder *builder, br_error *error);

// What the reader of a format is given: all of it lives longer than the call.
typedef struct io_import_job {
    const char *path;
    br_import_options options;
    const br_allocator *allocator;
    br_import_report *report;
    br_builder *builder;
    br_error *error;
} io_import_job;

// The frame of br_mjcf_read and br_urdf_read: report and builder are made, filled by `read`, finished, and given away.
br_status br_io_import_read(const char *path, const br_import_options *options, const br_allocator *allocator,
                            br_status (*read)(const io_import_job *job), br_builder **out,
                            br_import_report **report, br_error *error);

#endif
