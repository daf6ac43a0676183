// bristle validate and bristle fit: what their files share.
#ifndef BR_CLI_FIT_H
#define BR_CLI_FIT_H

#include "bristle/fit.h"
#include "bristle/text.h"
#include "model.h"

enum { FIT_MAX_FILES = BR_MAX_RECORDINGS };

// A number with its unit for people: "12.3 mm", "0.18".
void fit_put_number(FILE *out, double x, const char *unit);

// Processors, or what was asked for. 0: usage.
int fit_threads(const char *verb, const char *text, int *out);

// Lines of notes, each behind the label "note".
void fit_print_notes(FILE *out, const br_measured *measured);

// What bands of a set say: lines for each quantity; an object for one.
void fit_print_bands(FILE *out, const br_band_report *bands);
void fit_json_band(br_json *json, const char *key, const br_band_total *total, const br_band_report *bands);

#endif
