#include "io/import/import.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"

typedef br_status (*import_reader)(const char *path, const br_import_options *options,
                                   const br_allocator *allocator, br_builder **out, br_import_report **report,
                                   br_error *error);

// One row for each ending. other: the reader to try when the file's root element belongs to another format, which
// the first reader says with the code `not_mine`.
static const struct {
    const char *ending;
    import_reader read, other;
    const char *not_mine;
} readers[] = {
    {".xml", br_mjcf_read, br_urdf_read, "mjcf-urdf"},
    {".mjcf", br_mjcf_read, NULL, NULL},
    {".urdf", br_urdf_read, NULL, NULL},
};

static int reader_of(const char *path) {
    const char *dot = strrchr(path, '.');
    for (int k = 0; dot && k < (int)(sizeof readers / sizeof readers[0]); k++)
        if (strcasecmp(dot, readers[k].ending) == 0) return k;
    return -1;
}

int br_io_import_takes(const char *path) {
    return reader_of(path) >= 0;
}

br_status br_io_import(const char *path, const br_import_options *options, const br_allocator *allocator,
                       br_builder **out, br_import_report **report, br_error *error) {
    const int k = reader_of(path);
    if (k < 0)
        return br_fail_at(error, BR_INVALID, "import-format", path, 0, 0,
                          "is none of .xml, .mjcf and .urdf, which can be imported");
    br_error own = {0};
    const br_status status = readers[k].read(path, options, allocator, out, report, &own);
    if (status != BR_OK && readers[k].other && own.code && strcmp(own.code, readers[k].not_mine) == 0)
        return readers[k].other(path, options, allocator, out, report, error);
    if (status != BR_OK && error) *error = own;
    return status;
}
