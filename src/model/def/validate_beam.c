// Checks of beams and their sections, see validate.h.
#include <stdio.h>
#include <string.h>

#include "flex/line.h"
#include "flex/section.h"
#include "model/build/station.h"
#include "model/def/field.h"

#define BR_MAX_ELEMENTS 100000  // of one beam
#define BR_MAX_LINE_POINTS 1000 // every section looks along them all

// A direction this near the line is along it: its part across would be made of rounding.
#define BR_EPS_ALONG 1e-6
// Points of an arc within this of a straight line, relative to their distance: its radius is a million times it.
#define BR_EPS_STRAIGHT 1e-6

static br_status check_positive(const br_place *place, const char *code, const char *field, const char *what,
                                double x, const char *unit) {
    if (x > 0.0 && isfinite(x)) return BR_OK;
    return br_fail_place(place, code, field, "%s of beam %s is %g%s%s, expected a number above 0", what,
                         place->name, x, *unit ? " " : "", unit);
}

// --- the section -------------------------------------------------------------------------------------------

static br_status check_given(const br_section_def *s, const br_place *place) {
    const struct {
        const char *field, *what, *unit;
        double value;
    } number[] = {
        {"section/EA", "EA", "N", s->EA},          {"section/kGA", "kGA", "N", s->GA_y},
        {"section/kGA", "kGA", "N", s->GA_z},      {"section/GJ", "GJ", "N m^2", s->GJ},
        {"section/EI", "EI", "N m^2", s->EI_y},    {"section/EI", "EI", "N m^2", s->EI_z},
        {"section/mass", "mass", "kg/m", s->mass},
    };
    br_status status = BR_OK;
    for (size_t k = 0; status == BR_OK && k < sizeof number / sizeof *number; k++)
        status = check_positive(place, "beam-section", number[k].field, number[k].what, number[k].value,
                                number[k].unit);
    return status == BR_OK ? br_check_not_negative(place, "section/inertia", s->inertia, 3) : status;
}

static br_status check_proportions(const br_section_def *s, const br_place *place) {
    const double *size = s->size;
    if (s->shape == BR_SECTION_TUBE && !(size[1] < size[0]))
        return br_fail_place(place, "beam-section", "section/tube/inner",
                             "the inner radius %g m of beam %s is not below the outer one, %g m", size[1],
                             place->name, size[0]);
    if (s->shape == BR_SECTION_I && !(2.0 * size[3] < size[0]))
        return br_fail_place(place, "beam-section", "section/I/flange",
                             "two flanges of %g m of beam %s do not fit into its height of %g m", size[3],
                             place->name, size[0]);
    if (s->shape == BR_SECTION_I && size[2] > size[1])
        return br_fail_place(place, "beam-section", "section/I/web",
                             "the web of beam %s is %g m thick, expected at most its width, %g m",
                             place->name, size[2], size[1]);
    return BR_OK;
}

static br_status check_shape(const br_section_def *s, const br_place *place) {
    const br_def *def = &br_def_sections[s->shape - BR_SECTION_CIRCLE];
    br_status status = check_positive(place, "beam-section", "section/E", "E", s->E, "Pa");
    if (status == BR_OK && !(s->nu > -1.0 && s->nu <= 0.5))
        status = br_fail_place(place, "beam-section", "section/nu",
                               "nu of beam %s is %g, expected above -1 and up to 0.5", place->name, s->nu);
    if (status == BR_OK)
        status = check_positive(place, "beam-section", "section/density", "density", s->density, "kg/m^3");
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++)
        for (int k = 0; status == BR_OK && k < (f->count ? f->count : 1); k++) {
            const double *size = (const double *)((const char *)s + f->offset);
            char field[40];
            snprintf(field, sizeof field, "section/%s/%s", def->name, f->key);
            status = check_positive(place, "beam-section", field, f->key, size[k], "m");
        }
    return status == BR_OK ? check_proportions(s, place) : status;
}

// What the numbers come to: sizes of 1e-200 m pass every check of their own.
static br_status check_result(const br_section_def *def, const br_place *place) {
    static const char *const name[] = {"EA", "GA_y", "GA_z", "GJ", "EI_y", "EI_z"};
    const br_section s = br_section_of(def);
    for (int k = 0; k < 6; k++)
        if (!(s.C[k] > 0.0 && isfinite(s.C[k])))
            return br_fail_place(place, "beam-section", "section",
                                 "the section of beam %s comes to %s = %g, expected a number above 0; check "
                                 "the units of its sizes",
                                 place->name, name[k], s.C[k]);
    if (!(s.mass > 0.0 && isfinite(s.mass)))
        return br_fail_place(place, "beam-section", "section",
                             "the section of beam %s comes to %g kg/m, expected a number above 0",
                             place->name, s.mass);
    return br_check_not_negative(place, "section", s.inertia, 3);
}

static br_status check_section(const br_section_def *s, const br_place *place) {
    if ((int)s->shape < 0 || s->shape > BR_SECTION_I)
        return br_fail_place(place, "model-kind", "section",
                             "the section of beam %s is of no known kind (%d)", place->name, (int)s->shape);
    const double offset[2] = {s->offset_y, s->offset_z};
    br_status status = s->shape == BR_SECTION_GIVEN ? check_given(s, place) : check_shape(s, place);
    if (status == BR_OK) status = br_check_finite(place, "section/offset", offset, 2);
    return status == BR_OK ? check_result(s, place) : status;
}

// --- the line ----------------------------------------------------------------------------------------------

// The key of the model file that holds point k.
static const char *point_field(const br_beam_def *def, int k, char out[32]) {
    snprintf(out, 32, "%s/%d", br_words_line[def->line], k);
    if (def->line == BR_LINE_POLYGON && def->point_count == 2) snprintf(out, 32, "%s", k ? "to" : "from");
    return out;
}

static br_status check_points(const br_beam_def *def, const br_place *place) {
    char field[32];
    if ((int)def->line < 0 || def->line > BR_LINE_SPLINE)
        return br_fail_place(place, "model-kind", NULL, "the line of beam %s is of no known kind (%d)",
                             def->name, (int)def->line);
    if (!def->points || def->point_count < 2 || def->point_count > BR_MAX_LINE_POINTS)
        return br_fail_place(place, "beam-line", br_words_line[def->line],
                             "the line of beam %s has %d point%s, expected 2 to %d", def->name,
                             def->points ? def->point_count : 0, def->point_count == 1 ? "" : "s",
                             BR_MAX_LINE_POINTS);
    if (def->line == BR_LINE_ARC && def->point_count != 3)
        return br_fail_place(
            place, "beam-line", "arc",
            "the arc of beam %s has %d points, expected 3: its start, one on the way, its end", def->name,
            def->point_count);
    for (int k = 0; k < def->point_count; k++) {
        const double p[3] = {def->points[k].x, def->points[k].y, def->points[k].z};
        const br_status status = br_check_finite(place, point_field(def, k, field), p, 3);
        if (status != BR_OK) return status;
    }
    for (int k = 1; k < def->point_count; k++) {
        const double apart = br_vec3_distance(def->points[k - 1], def->points[k]);
        if (!isfinite(apart))
            return br_fail_place(place, "beam-line", point_field(def, k, field),
                                 "points %d and %d of beam %s are too far apart for their distance to be a "
                                 "number; check the units",
                                 k, k + 1, def->name);
        if (apart == 0.0)
            return br_fail_place(place, "beam-line", point_field(def, k, field),
                                 "points %d and %d of beam %s are both (%g, %g, %g): a beam needs a length",
                                 k, k + 1, def->name, def->points[k].x, def->points[k].y, def->points[k].z);
    }
    return BR_OK;
}

static br_status check_arc(const br_beam_def *def, const br_place *place) {
    if (def->line != BR_LINE_ARC) return BR_OK;
    const br_vec3 a = br_vec3_sub(def->points[1], def->points[0]),
                  b = br_vec3_sub(def->points[2], def->points[1]);
    const double off = br_vec3_norm(br_vec3_cross(br_vec3_normalize(a), br_vec3_normalize(b)));
    const double apart = br_vec3_distance(def->points[0], def->points[2]);
    // First: the three points of a ring are on one line as well, and nobody wants a straight beam there.
    if (apart <= 2.0 * BR_EPS_STRAIGHT * br_vec3_norm(a))
        return br_fail_place(
            place, "beam-line", "arc",
            "the arc of beam %s ends %g m from its start, and its middle is %g m away: three "
            "points do not tell the circle of a closed arc; make two beams of half of it",
            def->name, apart, br_vec3_norm(a));
    if (off > BR_EPS_STRAIGHT) return BR_OK;
    return br_fail_place(place, "beam-line", "arc",
                         "the three points of the arc of beam %s are on one line; use from and to for a "
                         "straight beam",
                         def->name);
}

// Sine of the angle between `up` and the line.
static double across(br_vec3 up, br_vec3 x) {
    return br_vec3_norm(br_vec3_cross(br_vec3_normalize(up), br_vec3_normalize(x)));
}

static double across_at(const br_beam_def *def, double station) {
    const br_pose X = br_line_section(def, station, station > 0.0 ? -1 : 1);
    return across(def->up, br_pose_vector(X, br_vec3_unit(0)));
}

// The least of it along a curve: looked at here and there, then narrowed down about the lowest.
static double least_across(const br_beam_def *def) {
    enum { LOOKS = 200, HALVINGS = 40 };
    double best = 0.0, least = across_at(def, 0.0);
    for (int k = 1; k <= LOOKS; k++) {
        const double x = across_at(def, (double)k / LOOKS);
        if (x < least) least = x, best = (double)k / LOOKS;
    }
    double width = 1.0 / LOOKS;
    for (int k = 0; k < HALVINGS && least > BR_EPS_ALONG; k++, width *= 0.5) {
        const double centre = best;
        for (int side = -1; side <= 1; side += 2) {
            const double at = fmin(1.0, fmax(0.0, centre + side * width)), x = across_at(def, at);
            if (x < least) least = x, best = at;
        }
    }
    return least;
}

// `up` where the line goes that way says nothing about the section.
static br_status check_up(const br_beam_def *def, const br_place *place) {
    const double u[3] = {def->up.x, def->up.y, def->up.z};
    const br_status status = br_check_finite(place, "up", u, 3);
    if (status != BR_OK || br_vec3_max_abs(def->up) == 0.0) return status;
    double least = 1.0;
    for (int k = 0; def->line == BR_LINE_POLYGON && k + 1 < def->point_count; k++)
        least = fmin(least, across(def->up, br_vec3_sub(def->points[k + 1], def->points[k])));
    if (def->line != BR_LINE_POLYGON) least = least_across(def);
    if (least > BR_EPS_ALONG) return BR_OK;
    return br_fail_place(place, "beam-up", "up",
                         "up (%g, %g, %g) of beam %s is along its line, expected a direction across it", u[0],
                         u[1], u[2], def->name);
}

// Corners nearer to each other than a station can tell.
static br_status check_length(const br_beam_def *def, const br_place *place) {
    const double length = br_line_length(def);
    char field[32];
    if (!(length > 0.0 && isfinite(length)))
        return br_fail_place(place, "beam-line", br_words_line[def->line],
                             "beam %s is %g m long, expected a finite length above 0", def->name, length);
    for (int k = 1; def->line == BR_LINE_POLYGON && k < def->point_count; k++) {
        const double piece = br_vec3_distance(def->points[k - 1], def->points[k]);
        if (piece < 2e-6 * length)
            return br_fail_place(place, "beam-line", point_field(def, k, field),
                                 "points %d and %d of beam %s are %g m apart, less than a millionth of its "
                                 "length, %g m; leave one out",
                                 k, k + 1, def->name, piece, length);
    }
    return BR_OK;
}

// --- the whole ---------------------------------------------------------------------------------------------

static br_status check_attach(const br_beam_def *def, const br_place *place) {
    if (def->attach_count < 0 || (def->attach_count > 0 && !def->attach))
        return br_fail_place(place, "model-missing", "attach", "the attachments of beam %s are missing",
                             def->name);
    for (int k = 0; k < def->attach_count; k++) {
        const br_attach_def *a = &def->attach[k];
        if (!(a->station >= 0.0 && a->station <= 1.0))
            return br_fail_place(place, "beam-station", "attach",
                                 "beam %s is attached at %g, expected a fraction of its length, 0 to 1",
                                 def->name, a->station);
        if (!a->body || !a->body[0])
            return br_fail_place(place, "model-missing", "attach",
                                 "the attachment of beam %s at %g names no body", def->name, a->station);
    }
    return BR_OK;
}

br_status br_check_beam(const br_beam_def *def, const br_place *place) {
    if (strlen(def->name) >= BR_MAX_BEAM_NAME)
        return br_fail_place(place, "name-invalid", NULL,
                             "the name '%.80s' of a beam is longer than %d characters: those of its stations "
                             "need the rest",
                             def->name, BR_MAX_BEAM_NAME - 1);
    const double v[6] = {def->velocity.x,         def->velocity.y,         def->velocity.z,
                         def->angular_velocity.x, def->angular_velocity.y, def->angular_velocity.z};
    if (def->elements < 1 || def->elements > BR_MAX_ELEMENTS)
        return br_fail_place(place, "beam-elements", "elements", "beam %s has %d elements, expected 1 to %d",
                             def->name, def->elements, BR_MAX_ELEMENTS);
    br_status status = check_points(def, place);
    if (status == BR_OK) status = check_arc(def, place);
    if (status == BR_OK) status = check_length(def, place);
    if (status == BR_OK) status = check_up(def, place);
    if (status == BR_OK) status = br_def_check(&br_def_beam, def, place, "");
    if (status == BR_OK) status = check_section(&def->section, place);
    if (status == BR_OK) status = check_attach(def, place);
    if (status == BR_OK && def->has_velocity) status = br_check_finite(place, "velocity", v, 6);
    return status;
}
