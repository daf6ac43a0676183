// Whether a run of a batch may be believed, by the rules of `bristle run`.
#ifndef BR_BATCH_JUDGE_H
#define BR_BATCH_JUDGE_H

#include "batch/column.h"

typedef struct batch_judged {
    br_verdict start, end; // BR_NOT_JUDGED: nobody asked, or there is no answer
    br_credible credible;
} batch_judged;

// Whether something that carries load and has friction touches now.
int br_judge_rubs(const br_sim *sim);

// Of a run that is over. fresh: a simulation at the state that the run started from, which is moved. verdicts: they were asked for;
// else they are looked for where a joint rubs. Their budget is that of bristle run, at a quarter of the looks.
br_status br_judge_run(const br_sim *sim, br_sim *fresh, double until, int verdicts, int rubbed,
                       const br_allocator *allocator, batch_judged *out, br_error *error);

#endif
