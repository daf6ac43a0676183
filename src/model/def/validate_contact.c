// Checks of shapes, of pairs of materials and of the contact settings, see validate.h.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bristle/solver.h"
#include "model/def/field.h"

// Heights of one field: 800 MB, far more than a step could look at.
#define BR_MAX_FIELD 100000000L

// Lengths of shapes, m: volumes and their squares are doubles.
#define BR_MIN_SHAPE_LENGTH 1e-50
#define BR_MAX_SHAPE_LENGTH 1e50

#define BR_MAX_PASSES 1000 // of iterated bounds

// --- shapes ------------------------------------------------------------------------------------------------

static const char *who(const br_place *place) {
    return place->name ? place->name : "the ground";
}

static int is_length(double x) {
    return x >= BR_MIN_SHAPE_LENGTH && x <= BR_MAX_SHAPE_LENGTH;
}

static br_status fail_length(const br_place *place, const char *field, const char *shape, const char *what,
                             double x) {
    if (!(x > 0.0))
        return br_fail_place(place, "shape-size", field, "a %s of %s has the %s %g m, expected more than 0",
                             shape, who(place), what, x);
    return br_fail_place(place, "shape-size", field, "a %s of %s has the %s %g m, expected %g to %g", shape,
                         who(place), what, x, BR_MIN_SHAPE_LENGTH, BR_MAX_SHAPE_LENGTH);
}

static br_status check_convex(const br_shape_def *def, const br_place *place, const char *field) {
    if (def->point_count < 4 || !def->points)
        return br_fail_place(place, "shape-size", field,
                             "a convex shape of %s has %d points, expected 4 or more", who(place),
                             def->points ? def->point_count : 0);
    for (int k = 0; k < def->point_count; k++)
        if (!br_vec3_is_finite(def->points[k]) || br_vec3_max_abs(def->points[k]) > BR_MAX_SHAPE_LENGTH)
            return br_fail_place(place, "model-not-finite", field,
                                 "point %d of a convex shape of %s is not finite, or further out than %g m",
                                 k, who(place), BR_MAX_SHAPE_LENGTH);
    return BR_OK;
}

static br_status check_field(const br_shape_def *def, const br_place *place, const char *field) {
    const double spacing[2] = {def->spacing.x, def->spacing.y};
    if (def->columns < 2 || def->rows < 2 || !def->heights)
        return br_fail_place(place, "shape-size", field,
                             "a heightfield of %s has %d rows of %d heights, expected 2 of 2 or more",
                             who(place), def->rows, def->columns);
    if ((long)def->columns > BR_MAX_FIELD / def->rows)
        return br_fail_place(place, "model-too-large", field,
                             "a heightfield of %s has %d x %d heights, expected at most %ld in all",
                             who(place), def->rows, def->columns, BR_MAX_FIELD);
    for (int k = 0; k < 2; k++)
        if (!is_length(spacing[k])) return fail_length(place, field, "heightfield", "spacing", spacing[k]);
    const size_t count = (size_t)def->columns * (size_t)def->rows;
    for (size_t k = 0; k < count; k++)
        if (!(fabs(def->heights[k]) <= BR_MAX_SHAPE_LENGTH))
            return br_fail_place(
                place, "model-not-finite", field,
                "height %zu of row %zu of a heightfield of %s is %g, expected a finite number up to %g",
                k % (size_t)def->columns, k / (size_t)def->columns, who(place), def->heights[k],
                BR_MAX_SHAPE_LENGTH);
    return BR_OK;
}

// Lengths that its kind must have, and directions, by the list of its keys.
static br_status check_parameters(const br_shape_def *def, const br_place *place, const char *field) {
    const br_def *kind = &br_def_shapes[def->type];
    for (const br_def_field *f = kind->field; f < kind->field + kind->fields; f++) {
        const void *at = (const char *)def + f->offset;
        const int numbers = br_field_lengths(f);
        const double *x = at;
        for (int k = 0; k < numbers; k++)
            if (!is_length(x[k]))
                return fail_length(place, field, kind->name,
                                   f->offset == offsetof(br_shape_def, size) ? "size" : f->key, x[k]);
        if (f->type != BR_FIELD_DIRECTION) continue;
        const double length = br_vec3_norm(*(const br_vec3 *)at);
        if (!(length > 0.0 && isfinite(length)))
            return br_fail_place(place, "shape-axis", field,
                                 "the %s of a %s of %s has length %g, expected a direction", f->key,
                                 kind->name, who(place), length);
    }
    return BR_OK;
}

br_status br_check_shape(const br_shape_def *def, const br_place *place, const char *field) {
    if ((int)def->type < 0 || def->type >= BR_SHAPE_TYPES)
        return br_fail_place(place, "model-kind", field, "a shape of %s is of no known kind (%d)", who(place),
                             (int)def->type);
    const char *fault = def->name ? br_name_fault(def->name) : NULL;
    if (fault)
        return br_fail_place(place, "name-invalid", field, "the name of a shape, '%.80s', %s", def->name,
                             fault);
    br_status status = check_parameters(def, place, field);
    if (status == BR_OK && def->type == BR_SHAPE_CONVEX) status = check_convex(def, place, field);
    if (status == BR_OK && def->type == BR_SHAPE_HEIGHTFIELD) status = check_field(def, place, field);
    return status == BR_OK ? br_check_pose(place, field, def->pose) : status;
}

// --- pairs of materials ------------------------------------------------------------------------------------

// exponent 0: the law's own.
static br_status check_compliance(const br_pair_def *def, const br_place *place) {
    char list[BR_MAX_NAME];
    if (!def->compliance) return BR_OK;
    if (br_word_find(br_words_normal_law, def->compliance) < 0)
        return br_fail_place(place, "pair-compliance", "compliance/law",
                             "the compliance of %s is %.40s, expected %s", place->name, def->compliance,
                             br_words_or(br_words_normal_law, list, sizeof list));
    if (!(def->compliance_stiffness > 0.0))
        return br_fail_place(
            place, "pair-compliance", "compliance/stiffness",
            "the compliance of %s has the stiffness %g, expected more than 0; leave compliance out "
            "where the contact is rigid",
            place->name, def->compliance_stiffness);
    if (def->compliance_exponent != 0.0 && def->compliance_exponent < 1.0)
        return br_fail_place(place, "pair-compliance", "compliance/exponent",
                             "the compliance of %s has the exponent %g, expected 1 or more", place->name,
                             def->compliance_exponent);
    return BR_OK;
}

br_status br_check_pair(const br_pair_def *def, const br_place *place) {
    const br_status status = br_def_check(&br_def_pair, def, place, "");
    if (status != BR_OK) return status;
    if (def->mu_kinetic > def->mu_static)
        return br_fail_place(place, "friction-order", "mu_kinetic",
                             "mu_kinetic of %s is %g, expected no more than mu_static, %g", place->name,
                             def->mu_kinetic, def->mu_static);
    if (def->restitution > 1.0)
        return br_fail_place(place, "pair-restitution", "restitution",
                             "the restitution of %s is %g, expected 0 to 1", place->name, def->restitution);
    return check_compliance(def, place);
}

// --- settings ----------------------------------------------------------------------------------------------

// polygon(8): the number between brackets, NAN when the text is not of that form.
static double argument_of(const char *text, const char *word) {
    const size_t n = strlen(word);
    if (strncmp(text, word, n) != 0 || text[n] != '(') return NAN;
    char *end;
    const double value = strtod(text + n + 1, &end);
    return end != text + n + 1 && strcmp(end, ")") == 0 ? value : NAN;
}

static int argument_fits(const br_word_call *call, double x) {
    const int reaches = call->even ? x >= call->low && x == 2.0 * floor(0.5 * x) : x > call->low;
    return reaches && isfinite(x) && (call->high == 0.0 || x <= call->high);
}

int br_contact_law_of(const char *text, br_contact_law *law, double *argument) {
    const char *wanted = text ? text : br_calls_contact_law[BR_CONTACT_BRISTLE].word;
    for (int k = 0; br_calls_contact_law[k].word; k++) {
        const br_word_call *call = &br_calls_contact_law[k];
        const double x = call->argument ? argument_of(wanted, call->word) : 0.0;
        if (call->argument ? !argument_fits(call, x) : strcmp(wanted, call->word) != 0) continue;
        *law = (br_contact_law)k, *argument = x;
        return 1;
    }
    return 0;
}

const br_contact_law_traits *br_contact_law_traits_of(const char *law) {
    static const br_contact_law_traits unknown = {0};
    const char *wanted = law ? law : br_calls_contact_law[BR_CONTACT_BRISTLE].word;
    const size_t length = strcspn(wanted, "(:");
    for (const br_word_call *call = br_calls_contact_law; call->word; call++)
        if (strlen(call->word) == length && strncmp(call->word, wanted, length) == 0) return &call->law;
    return &unknown;
}

int br_contact_bounds_of(const char *text, br_contact_bounds *bounds, int *passes) {
    const int lagged = text && strcmp(text, "lagged") == 0;
    if (!text || lagged || strcmp(text, "implicit") == 0) {
        *bounds = lagged ? BR_BOUNDS_LAGGED : BR_BOUNDS_IMPLICIT;
        return 1;
    }
    const double k = argument_of(text, "iterated");
    if (!(k >= 1.0 && k <= BR_MAX_PASSES && k == floor(k))) return 0;
    *bounds = BR_BOUNDS_ITERATED;
    *passes = (int)k;
    return 1;
}

// polygon(N), and where there is no more to say of it, what N may be.
static size_t put_form(const br_word_call *call, const char *before, char *out, size_t size) {
    char name[16] = "";
    for (size_t k = 0; call->argument && call->argument[k] && k + 1 < sizeof name; k++)
        name[k] = (char)toupper((unsigned char)call->argument[k]), name[k + 1] = '\0';
    if (!call->argument) return (size_t)snprintf(out, size, "%s%s", before, call->word);
    if (call->even) return (size_t)snprintf(out, size, "%s%s(%s)", before, call->word, name);
    return (size_t)snprintf(out, size, "%s%s(%s) with %s above %g", before, call->word, name, name,
                            call->low);
}

static br_status check_law(const char *text, const br_place *place) {
    br_contact_law law;
    double argument;
    char list[240], even[32];
    size_t n = 0;
    if (br_contact_law_of(text, &law, &argument)) return BR_OK;
    for (const br_word_call *call = br_calls_contact_law; call->word && n < sizeof list; call++) {
        n += put_form(call, n == 0 ? "" : call[1].word ? ", " : " or ", list + n, sizeof list - n);
        if (!call->even || strncmp(text, call->word, strlen(call->word)) != 0) continue;
        put_form(call, "", even, sizeof even);
        return br_fail_place(place, "contact-law", "law",
                             "the contact law is %.60s, expected %s with an even N from %g to %g", text, even,
                             call->low, call->high);
    }
    return br_fail_place(place, "contact-law", "law", "the contact law is %.60s, expected %s", text, list);
}

static br_status check_exclude(const br_settings *s, const br_place *place) {
    if (s->contact_exclude_count < 0 || (s->contact_exclude_count > 0 && !s->contact_exclude))
        return br_fail_place(place, "model-missing", "exclude",
                             "the list of bodies that never collide is missing");
    for (int k = 0; k < s->contact_exclude_count; k++) {
        const char *const *pair = s->contact_exclude[k];
        char field[32];
        snprintf(field, sizeof field, "exclude/%d", k);
        if (!pair[0] || !pair[1])
            return br_fail_place(place, "model-missing", field,
                                 "entry %d of exclude does not name two bodies", k);
        if (strcmp(pair[0], pair[1]) == 0)
            return br_fail_place(place, "contact-exclude", field,
                                 "exclude names %.80s twice; shapes of one body never collide", pair[0]);
    }
    return BR_OK;
}

br_status br_check_contact(const br_settings *s, br_error *error) {
    const br_place place = {"contact", NULL, error};
    br_contact_bounds bounds = BR_BOUNDS_LAGGED;
    int passes = 0;
    const br_status status = check_law(s->contact_law, &place);
    if (status != BR_OK) return status;
    if (!br_contact_bounds_of(s->contact_bounds, &bounds, &passes))
        return br_fail_place(
            &place, "contact-bounds", "bounds",
            "bounds is %.60s, expected implicit, lagged or iterated(K) with a whole K from 1 to %d",
            s->contact_bounds, BR_MAX_PASSES);
    if (s->contact_paper && s->contact_bounds && bounds != BR_BOUNDS_LAGGED)
        return br_fail_place(
            &place, "contact-paper", "bounds",
            "contact has paper: true and bounds: %.60s, but the paper's bounds are lagged; leave one "
            "of the two out",
            s->contact_bounds);
    return check_exclude(s, &place);
}
