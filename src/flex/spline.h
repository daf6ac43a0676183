// The cubic spline through points: twice differentiable, chord lengths as its parameter, not-a-knot at the ends (three
// points: a parabola; two: a straight line). Pieces are made one at a time, without memory of their own.
#ifndef BR_FLEX_SPLINE_H
#define BR_FLEX_SPLINE_H

#include "bristle/math.h"

// From one point to the next, by the parameter 0 .. chord.
typedef struct br_spline_piece {
    double chord;
    br_vec3 point[2];
    br_vec3 bend[2]; // second derivatives
} br_spline_piece;

br_spline_piece br_spline_piece_of(const br_vec3 *points, int count, int piece);

br_vec3 br_spline_point(const br_spline_piece *s, double at);
br_vec3 br_spline_slope(const br_spline_piece *s, double at); // d point / d at, not of unit length
double br_spline_length(const br_spline_piece *s, double from, double to);
// Where br_spline_length(s, 0, at) = length.
double br_spline_locate(const br_spline_piece *s, double length);

#endif
