// Files that the verbs write themselves. They get their own name once they are whole: a full disk leaves what was there
// before, never half a file.
#ifndef BR_CLI_OUTPUT_H
#define BR_CLI_OUTPUT_H

#include <stdio.h>

typedef struct cli_output {
    FILE *file;
    struct br_output *output; // behind it
} cli_output;

// 1: out->file can be written. 0: it cannot, and errno says why.
int cli_output_open(cli_output *out, const char *path);

// Closes. whole 0, or anything that could not be written: nothing is left of it. 1: the file is there; else errno says why.
int cli_output_close(cli_output *out, int whole);

#endif
