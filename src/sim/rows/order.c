// Of which order the steps of a run were, and why where it was lower.
#include "sim/rows/order.h"

#include <stdio.h>
#include <string.h>

void br_sim_note_order(br_sim *sim, int order, const char *why) {
    br_judge *j = sim->judge;
    int k = 0;
    while (k < j->lower_orders &&
           (j->lower_order[k].order != order || strcmp(j->lower_order[k].why, why) != 0))
        k++;
    if (k == BR_MAX_LOWER_ORDERS) k--; // the last one then stands for others too
    br_order_note *lower = &j->lower_order[k];
    if (k == j->lower_orders) {
        j->lower_orders++;
        lower->order = order, lower->first = sim->state.at->t;
        snprintf(lower->why, BR_MAX_ORDER_TEXT, "%s", why);
    }
    lower->steps++, lower->last = sim->state.at->t;
}
