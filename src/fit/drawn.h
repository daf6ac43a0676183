// Draws of the distributions of a model's params.
#ifndef BR_FIT_DRAWN_H
#define BR_FIT_DRAWN_H

#include "fit/measured.h"
#include "sweep/vary.h"

typedef struct fit_drawn {
    int draws, varied;
    br_override *override; // [draws * varied]
} fit_drawn;

// All of them but those that something fixes; varied is 0 where none is left, and then nothing is drawn.
br_status br_fit_draw(const br_measured *m, int draws, br_arena *arena, fit_drawn *out, br_error *error);

#endif
