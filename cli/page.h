// Reports as the verbs write them: where the template is, what a page is called.
#ifndef BR_CLI_PAGE_H
#define BR_CLI_PAGE_H

#include "bristle/report.h"
#include "cli.h"

enum { CLI_MAX_PATH = 4096 };

// Takes `--report`, `--report FILE.html` and `--report=FILE` out of argv. *wanted: it was there; *file: the name given, or
// NULL. A word that follows is a file name only when it ends in .html or .htm. Prints what is wrong and returns 0; else 1.
int cli_take_report(const char *verb, int *argc, char **argv, int *wanted, const char **file);

// NAME.result -> NAME.html; other names get it at their end. 0: too long.
int cli_page_path(const char *result, char out[CLI_MAX_PATH]);

// Finds the template (given: the user's own, or NULL) beside the program or where it was installed, and writes the page.
br_status cli_page_write(const char *given, const br_report_result *results, int count,
                         const br_report_options *options, const char *path, br_error *error);

// Whether there is a template: asked before a run that ends with a report.
br_status cli_page_check(const char *given, br_error *error);

#endif
