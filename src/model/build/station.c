// Stations of beams by name, see station.h.
#include "model/build/station.h"

#include <stdio.h>
#include <string.h>

#include "flex/line.h"
#include "math/elementary.h"
#include "model/def/validate.h"

void br_station_text(double station, char out[BR_MAX_STATION_TEXT]) {
    snprintf(out, BR_MAX_STATION_TEXT, "%g", station);
    for (char *c = out; *c; c++)
        if (*c == ',') *c = '.'; // a decimal comma of the calling program's language
}

void br_station_name(const char *beam, double station, char out[BR_MAX_NAME]) {
    char text[BR_MAX_STATION_TEXT];
    br_station_text(station, text);
    snprintf(out, BR_MAX_NAME, "%.40s.s%s", beam, text);
}

// Decimal digits and an exponent, with a point whatever the language. 0: the text is something else.
static int read_fraction(const char *text, double *out) {
    double x = 0.0;
    int digits = 0, decimals = 0, exponent = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9'; c++, digits++) x = 10.0 * x + (*c - '0');
    if (*c == '.')
        for (c++; *c >= '0' && *c <= '9'; c++, decimals++) x = 10.0 * x + (*c - '0');
    if (digits + decimals == 0 || digits + decimals > 300) return 0;
    if (*c == 'e' || *c == 'E') {
        const int negative = c[1] == '-';
        c += 1 + (c[1] == '-' || c[1] == '+');
        const char *start = c;
        for (; *c >= '0' && *c <= '9' && c - start < 3; c++) exponent = 10 * exponent + (*c - '0');
        if (c == start) return 0;
        if (negative) exponent = -exponent;
    }
    exponent -= decimals;
    *out =
        exponent < 0 ? x / br_pow(10.0, -exponent) : x * br_pow(10.0, exponent); // few digits: rounded once
    return *c == '\0' && isfinite(*out);
}

// Of the length: as far apart as 6 digits tell stations near the end. Near the start they tell any two apart, and an
// element of 1e-13 of the length would be one of rounding.
#define BR_EPS_STATION 5e-7

double br_station_snap(const br_builder *builder, int index, double fraction) {
    const br_beam_line *line = &builder->beam_line[index];
    if (fraction < BR_EPS_STATION) fraction = 0.0;
    const double even = round(fraction * builder->beam[index].elements) / builder->beam[index].elements;
    char text[BR_MAX_STATION_TEXT], other[BR_MAX_STATION_TEXT];
    br_station_text(fraction, text);
    for (int k = 0; k < line->corners; k++) {
        br_station_text(line->corner[k], other);
        if (strcmp(text, other) == 0) return line->corner[k];
    }
    br_station_text(even, other);
    if (strcmp(text, other) == 0) return even;
    double rounded = fraction;
    read_fraction(text, &rounded);
    return rounded;
}

br_station_kind br_station_find(const br_builder *builder, const char *name, int *beam, double *station) {
    char prefix[BR_MAX_NAME];
    const size_t length = name ? strcspn(name, ".") : 0;
    if (builder->beam_names.count == 0 || length == 0 || length >= sizeof prefix) return BR_STATION_NONE;
    memcpy(prefix, name, length);
    prefix[length] = '\0';
    *beam = br_names_find(&builder->beam_names, prefix);
    if (*beam < 0) return BR_STATION_NONE;
    if (name[length] == '\0') return BR_STATION_BEAM;
    const char *word = name + length + 1;
    const int minus = word[0] == 's' && word[1] == '-';
    if (word[0] != 's' || !read_fraction(word + 1 + minus, station)) return BR_STATION_WORD;
    if (minus) *station = -*station;
    if (!(*station >= 0.0 && *station <= 1.0)) return BR_STATION_OUTSIDE;
    *station = br_station_snap(builder, *beam, *station);
    return BR_STATION_GOOD;
}

br_pose br_station_pose(const br_builder *builder, int beam, double station) {
    br_pose X = br_line_section(&builder->beam[beam], station, station > 0.0 ? -1 : 1);
    X.rotation = br_quat_normalize(X.rotation);
    return X;
}

int br_builder_find_body(const br_builder *builder, const char *name) {
    int index = br_names_find(&builder->body_names, name), beam;
    double station;
    char node[BR_MAX_NAME];
    if (index >= 0 || br_station_find(builder, name, &beam, &station) != BR_STATION_GOOD) return index;
    br_station_name(builder->beam[beam].name, station, node);
    return br_names_find(&builder->body_names, node);
}

// "; did you mean shaft.s0.5?" where a beam's name is nearly right.
static br_status fail_unknown(const br_place *place, const char *field, const char *name,
                              const br_builder *builder) {
    const char *suffix = name ? strchr(name, '.') : NULL;
    char prefix[BR_MAX_NAME];
    if (!suffix || builder->beam_names.count == 0 || (size_t)(suffix - name) >= sizeof prefix)
        return br_fail_unknown(place, "unknown-body", field, "body", name, &builder->body_names);
    memcpy(prefix, name, (size_t)(suffix - name));
    prefix[suffix - name] = '\0';
    const char *near = br_names_nearest(&builder->beam_names, prefix);
    if (!near || strcmp(near, prefix) == 0)
        return br_fail_unknown(place, "unknown-body", field, "body", name, &builder->body_names);
    return br_fail_place(place, "unknown-body", field,
                         "%s/%s names the body '%.80s', which does not exist; did you mean %s%.40s?",
                         place->group, place->name ? place->name : "", name, near, suffix);
}

br_status br_fail_unknown_body(const br_place *place, const char *field, const char *name,
                               const br_builder *builder) {
    int beam = 0;
    double station = 0.0;
    const br_station_kind kind = br_station_find(builder, name, &beam, &station);
    const char *beam_name = kind == BR_STATION_NONE ? "" : builder->beam[beam].name;
    const char *group = place->group, *who = place->name ? place->name : "";
    switch (kind) {
    case BR_STATION_BEAM:
        return br_fail_place(place, "beam-station", field,
                             "%s/%s names the beam '%s' where a body is expected; name a station of it, as "
                             "%s.s0, %s.s0.5 or %s.s1",
                             group, who, beam_name, beam_name, beam_name, beam_name);
    case BR_STATION_OUTSIDE:
        return br_fail_place(place, "beam-station", field,
                             "%s/%s names '%.80s': station %g of beam '%s' is outside 0 to 1, which are its "
                             "start and its end",
                             group, who, name, station, beam_name);
    case BR_STATION_WORD:
        return br_fail_place(place, "beam-station", field,
                             "%s/%s names '%.80s', which is no station of beam '%s'; write %s.sX with X from "
                             "0 to 1",
                             group, who, name, beam_name, beam_name);
    default:
        return fail_unknown(place, field, name, builder);
    }
}
