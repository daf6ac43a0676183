// Checks of clearances, and of the settings that follow them, see validate.h.
#include <stdio.h>
#include <string.h>

#include "model/build/station.h"
#include "model/def/field.h"

const char *br_clearance_type_name(br_clearance_type type) {
    return (int)type >= 0 && type < BR_CLEARANCE_TYPES ? br_words_clearance[type] : "unknown";
}

static br_status check_sizes(const br_clearance_def *def, const br_place *place) {
    const br_status status = br_def_check(&br_def_clearance, def, place, "");
    if (status != BR_OK) return status;
    if (def->type == BR_CLEARANCE_JOURNAL && !(def->length > 0.0 && isfinite(def->length)))
        return br_fail_place(place, "clearance-size", "length",
                             "the length of clearance %s is %g m, expected a number above 0", def->name,
                             def->length);
    if (!(def->inner_radius < def->outer_radius))
        return br_fail_place(
            place, "clearance-size", "inner",
            "the inner race of clearance %s has the radius %g m, expected less than the outer "
            "one, %g m; without play use a joint",
            def->name, def->inner_radius, def->outer_radius);
    return BR_OK;
}

// --- contact -----------------------------------------------------------------------------------------------

static br_status check_table(const br_clearance_def *def, const br_place *place) {
    const double *depth = def->table_depth, *force = def->table_force;
    if (def->table_count < 2 || !depth || !force)
        return br_fail_place(place, "clearance-table", "contact/table",
                             "the table of clearance %s has %d points, expected 2 or more", def->name,
                             depth && force ? def->table_count : 0);
    br_status status = br_check_finite(place, "contact/table", depth, def->table_count);
    if (status == BR_OK) status = br_check_finite(place, "contact/table", force, def->table_count);
    if (status == BR_OK && (depth[0] != 0.0 || force[0] != 0.0))
        return br_fail_place(place, "clearance-table", "contact/table",
                             "the table of clearance %s begins with %g N at %g m, expected 0 at 0: nothing "
                             "pushes at touch",
                             def->name, force[0], depth[0]);
    for (int k = 1; status == BR_OK && k < def->table_count; k++)
        if (!(depth[k] > depth[k - 1]) || !(force[k] > force[k - 1]))
            return br_fail_place(place, "clearance-table", "contact/table",
                                 "the table of clearance %s goes from %g N at %g m to %g N at %g m, expected "
                                 "both to rise",
                                 def->name, force[k - 1], depth[k - 1], force[k], depth[k]);
    return status;
}

static br_status check_law(const br_clearance_def *def, const br_place *place) {
    char list[BR_MAX_ERROR_TEXT];
    if (br_word_find(br_words_clearance_law, def->law) < 0)
        return br_fail_place(place, "clearance-law", "contact/law",
                             "the contact law of clearance %s is %.40s, expected %s", def->name,
                             def->law ? def->law : "missing",
                             br_words_or(br_words_clearance_law, list, sizeof list));
    if (strcmp(def->law, "table") == 0) return check_table(def, place);
    if (!(def->stiffness > 0.0 && isfinite(def->stiffness)))
        return br_fail_place(place, "clearance-law", "contact/stiffness",
                             "the contact of clearance %s has the stiffness %g, expected a number above 0",
                             def->name, def->stiffness);
    if (def->exponent != 0.0 && !(def->exponent >= 1.0 && isfinite(def->exponent)))
        return br_fail_place(place, "clearance-law", "contact/exponent",
                             "the contact of clearance %s has the exponent %g, expected 1 or more", def->name,
                             def->exponent);
    if (strcmp(def->law, "lankarani_nikravesh") == 0 && !(def->restitution >= 0.0 && def->restitution <= 1.0))
        return br_fail_place(place, "clearance-law", "contact/restitution",
                             "the restitution of clearance %s is %g, expected 0 to 1", def->name,
                             def->restitution);
    return BR_OK;
}

// The load of its friction is its own normal force, its arm the radius of the race.
static br_status check_friction(const br_clearance_def *def, const br_place *place) {
    const br_friction_def *f = &def->friction;
    const struct {
        const char *field;
        int given;
    } own[] = {{"friction/load", f->load_constant || f->load != 0.0},
               {"friction/pin_radius", f->pin_radius != 0.0},
               {"friction/friction_arm", f->friction_arm != 0.0},
               {"friction/guide_length", f->guide_length != 0.0},
               {"friction/preload", f->preload != 0.0},
               {"friction/compliance", f->compliance != 0.0}};
    const br_status status = br_check_friction(f, place);
    for (size_t k = 0; status == BR_OK && k < sizeof own / sizeof *own; k++)
        if (own[k].given)
            return br_fail_place(
                place, "clearance-friction", own[k].field,
                "the friction of clearance %s has a %s, expected none: its load is the force "
                "of the contact and its arm the radius of the race",
                def->name, own[k].field + sizeof "friction/" - 1);
    return status;
}

br_status br_check_clearance(const br_clearance_def *def, const br_place *place) {
    if ((int)def->type < 0 || def->type >= BR_CLEARANCE_TYPES)
        return br_fail_place(place, "model-kind", NULL, "clearance %s is of no known kind (%d)", def->name,
                             (int)def->type);
    const char *kind = br_clearance_type_name(def->type);
    if (strlen(def->name) >= BR_MAX_BEAM_NAME)
        return br_fail_place(place, "name-invalid", NULL,
                             "the name '%.80s' of a clearance is longer than %d characters", def->name,
                             BR_MAX_BEAM_NAME - 1);
    if (!def->first || !def->first[0] || !def->second || !def->second[0])
        return br_fail_place(
            place, "model-missing", kind,
            "clearance %s does not say what it connects, expected the bodies of the outer and "
            "the inner race",
            def->name);
    if (strcmp(def->first, def->second) == 0)
        return br_fail_place(place, "joint-same-body", kind, "clearance %s connects %.80s to itself",
                             def->name, def->first);
    br_status status = br_check_pose(place, "at", def->X_AF);
    if (status == BR_OK) status = br_check_pose(place, "at", def->X_BM);
    if (status == BR_OK) status = check_sizes(def, place);
    if (status == BR_OK) status = br_def_check(&br_def_clearance_contact, def, place, "contact/");
    if (status == BR_OK) status = check_law(def, place);
    return status == BR_OK ? check_friction(def, place) : status;
}

// --- steps that vary ---------------------------------------------------------------------------------------

// Below these no step is found, or a run of them has no end.
#define BR_LEAST_SMALLEST 1e-9   // of solver.step
#define BR_LEAST_TOLERANCE 1e-17 // of the local error

static br_status check_rule(const br_def *def, const char *rule, const br_adaptive_settings *a,
                            const br_place *place) {
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++) {
        const double x = *(const double *)((const char *)a + f->offset);
        const char *const unit = f->dimension == BR_DIM_LENGTH ? " m" : "";
        char field[BR_MAX_NAME];
        snprintf(field, sizeof field, "adaptive/%s/%s", rule, f->key);
        if (!(x > 0.0 && isfinite(x)))
            return br_fail_place(place, "solver-setting", field, "%s is %g%s, expected a number above 0",
                                 field, x, unit);
        if (x < f->low)
            return br_fail_place(place, "solver-setting", field, "%s is %g%s, expected %g%s or more", field,
                                 x, unit, f->low, unit);
    }
    return BR_OK;
}

br_status br_check_adaptive(const br_solver_settings *s, const br_place *place) {
    const br_adaptive_settings *a = &s->adaptive;
    if (!a->on) return BR_OK;
    if (!(a->smallest == 0.0 || (a->smallest >= BR_LEAST_SMALLEST * s->step && a->smallest <= s->step)))
        return br_fail_place(place, "solver-setting", "adaptive/smallest",
                             "the smallest step is %g s, expected 0 (1e-6 of step), or %g s to step, %g s",
                             a->smallest, BR_LEAST_SMALLEST * s->step, s->step);
    if (!(a->tolerance == 0.0 || (a->tolerance >= BR_LEAST_TOLERANCE && a->tolerance < 1.0)))
        return br_fail_place(place, "solver-setting", "adaptive/tolerance",
                             "tolerance is %g, expected 0 (no such rule), or %g to below 1", a->tolerance,
                             BR_LEAST_TOLERANCE);
    const br_status status = check_rule(&br_def_adaptive_contact, "contact", a, place);
    return status == BR_OK ? check_rule(&br_def_adaptive_friction, "friction", a, place) : status;
}
