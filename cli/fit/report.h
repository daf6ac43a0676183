// The page of a fit.
#ifndef BR_CLI_FIT_REPORT_H
#define BR_CLI_FIT_REPORT_H

#include "fit/fit.h"

typedef struct fit_page {
    const br_measured *measured;
    const br_fit_report *fit;           // without estimates: laws alone
    const br_fit_series_report *series; // NULL: none
    const br_band_report *bands;        // NULL, or without rows: none
    const br_fit_law *law;
    int laws;
    const br_fit_next *next;
    int nexts;
    const char *wished;
} fit_page;

br_status fit_write_page(const fit_page *page, const char *path, br_error *error);

#endif
