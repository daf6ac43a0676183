// The line of a beam: where its sections are, by arc length, and which way they face.
#ifndef BR_FLEX_LINE_H
#define BR_FLEX_LINE_H

#include "bristle/model.h"

// Length of the line as defined, m.
double br_line_length(const br_beam_def *def);
// The section at a fraction of the length: origin on the line, x along it, z towards def->up turned by the twist. Along
// curved lines without `up` the axes are carried without turning about the line. At a corner: the side before it
// (side < 0) or after it.
br_pose br_line_section(const br_beam_def *def, double station, int side);
// Stations of corners strictly inside, rising; returns their count (at most capacity written).
int br_line_corners(const br_beam_def *def, double *station, int capacity);

#endif
