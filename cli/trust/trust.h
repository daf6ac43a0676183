// What the verbs tell of a br_trust_report: trust itself, run and check. trust/text.c writes for people, trust/json.c for
// programs.
#ifndef BR_CLI_TRUST_H
#define BR_CLI_TRUST_H

#include "bristle/trust.h"
#include "model.h"

const char *trust_words(const br_trust_interval *interval); // "sticks, robustly"

// One block for each interval.
void trust_text(FILE *out, const br_trust_report *report, const br_model *model);
// "slide_1 and slide_2: sticks_robust 0..0.696 s, sticks_metastable 0.696..4 s", after a label of 12 characters.
void trust_line(FILE *out, const char *label, const br_trust_report *report);
// "credible", "NOT CREDIBLE: ..." or "not judged: ..." after the label, and the other reasons below.
void trust_credible(FILE *out, const char *label, const br_trust_report *report);

// The intervals as objects of a list that is open (CONTRACTS.md, bristle trust --json).
void trust_json(br_json *list, const br_model *model,
                const br_trust_report *report); // model: its hash is in each
void trust_json_file(FILE *out, const br_model *model,
                     const br_trust_report *report); // the whole list, on one line
// true, false, or null where it was not judged; and the list of reasons, which `interval` >= 0 restricts to one.
void trust_json_credible(br_json *json, const char *key, const br_trust_report *report);
void trust_json_reasons(br_json *json, const char *key, const br_trust_report *report, int interval);

enum { TRUST_MILLION = 1000000 }; // counted operations, what --budget is given in

// Whether a joint of the model rubs: without one a run has no verdict unless it is asked for.
int trust_has_joint_friction(const br_sim *sim);

#endif
