#include "output.h"

#include "bristle/text.h"

int cli_output_open(cli_output *out, const char *path) {
    br_error ignored;
    *out = (cli_output){0};
    if (br_output_open(path, &out->output, &ignored) != BR_OK) return 0;
    out->file = br_output_file(out->output);
    return 1;
}

int cli_output_close(cli_output *out, int whole) {
    br_error ignored;
    return br_output_close(out->output, whole, &ignored) == BR_OK;
}
