// Whether a run may be believed: a br_judgement as text and as JSON.
#ifndef BR_CLI_JUDGEMENT_H
#define BR_CLI_JUDGEMENT_H

#include "bristle/judgement.h"
#include "cli.h"

// The lines `energy` and `order`.
void cli_judgement_numbers(FILE *out, const br_judgement *judgement);
// The line `credible`, and a line for each reason. said: what was not judged has been told already.
void cli_judgement_reasons(FILE *out, const br_judgement *judgement, int said);
// credible, reasons, order, order_lower, judged_energy.
void cli_judgement_json(br_json *json, const br_judgement *judgement);

#endif
