// A line of a method's trace, for whoever asked for it.
#include "lcp/island/method.h"

void br_lcp_trace(const br_lcp_options *options, const br_lcp_island *island, br_solver_kind solver,
                  int iteration, double residual, double step, double measure) {
    if (!options->trace) return;
    const br_trace line = {solver, island->index, iteration, residual, step, measure};
    options->trace(options->trace_context, &line);
}
