// Whether a method has more to do. Methods are init, iterate until finished, outcome: convergence can be traced and plotted.
#ifndef BR_LCP_PROBLEM_PROGRESS_H
#define BR_LCP_PROBLEM_PROGRESS_H

typedef enum br_progress { BR_RUNNING = 0, BR_FINISHED } br_progress;

#endif
