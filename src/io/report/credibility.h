// One table of what is known of a result's credibility, after the factors of NASA-STD-7009.
#ifndef BR_IO_REPORT_CREDIBILITY_H
#define BR_IO_REPORT_CREDIBILITY_H

#include <stdio.h>

#include "io/report/report.h"

// The value of the key `credibility` of a result: a list of {factor, level, text}; level is good, warn, bad or open.
void br_report_credibility(FILE *f, const report_result *r);

#endif
