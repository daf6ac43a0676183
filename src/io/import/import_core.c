// The core imports no models of other programs, which need expat: a model that asks for one is refused.
#include "base/error.h"
#include "io/import/import.h"

int br_io_import_takes(const char *path) {
    (void)path;
    return 0;
}

br_status br_io_import(const char *path, const br_import_options *options, const br_allocator *allocator,
                       br_builder **out, br_import_report **report, br_error *error) {
    (void)options, (void)allocator, (void)out, (void)report;
    return br_fail_at(error, BR_INVALID, "import-format", path, 0, 0,
                      "cannot be imported: this build of bristle, which has no expat, reads models of its "
                      "own format alone");
}
