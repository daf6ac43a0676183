// What the verbs tell of a br_trust_report: trust itself, run and check. trust_text.c writes for people, trust_json.c for
// programs.
#ifndef BR_CLI_TRUST_H
#define BR_CLI_TRUST_H

#include "bristle/trust.h"
#include "model.h"

const char *trust_words(br_verdict verdict); // "sticks, robustly"

// One block for each interval.
void trust_text(FILE *out, const br_trust_report *report);
// "sticks_robust 0..0.696 s, sticks_metastable 0.696..4 s"
void trust_line(FILE *out, const br_trust_report *report);

// The intervals as objects of a list that is open (CONTRACTS.md, bristle trust --json).
void trust_json(cli_json *list, const br_trust_report *report);
void trust_json_file(FILE *out, const br_trust_report *report); // the whole list, on one line

// Whether a joint of the model rubs: without one a run has no verdict unless it is asked for.
int trust_has_joint_friction(const br_sim *sim);

#endif
