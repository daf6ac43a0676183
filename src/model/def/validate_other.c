// Checks of loads, drives, constraints and settings, see validate.h. What is about contact is in validate_contact.c.
#include "model/def/field.h"

#include <stdio.h>
#include <string.h>

// --- loads -------------------------------------------------------------------------------------------------

static br_status check_ends(const br_load_def *def, const br_place *place) {
    static const char *const key[BR_LOAD_TYPES] = {"body", "body", "spring", "bushing"};
    const int two = def->type == BR_LOAD_SPRING || def->type == BR_LOAD_BUSHING;
    const char *field = key[def->type];
    if (!def->first || !def->first[0] || (two && (!def->second || !def->second[0])))
        return br_fail_place(place, "model-missing", field, "load %s does not say on which %s it acts",
                             def->name, two ? "two bodies" : "body");
    if (two && strcmp(def->first, def->second) == 0)
        return br_fail_place(place, "load-same-body", field, "load %s acts between %.80s and itself",
                             def->name, def->first);
    if (!two && strcmp(def->first, BR_WORLD) == 0)
        return br_fail_place(place, "load-on-world", field, "load %s acts on the world, which does not move",
                             def->name);
    return BR_OK;
}

br_status br_check_load(const br_load_def *def, const br_place *place) {
    if ((int)def->type < 0 || def->type >= BR_LOAD_TYPES)
        return br_fail_place(place, "model-kind", NULL, "load %s is of no known kind (%d)", def->name,
                             (int)def->type);
    br_status status = check_ends(def, place);
    if (status == BR_OK) status = br_check_pose(place, "at", def->X_A);
    if (status == BR_OK) status = br_check_pose(place, "at", def->X_B);
    if (def->type == BR_LOAD_FORCE || def->type == BR_LOAD_TORQUE) {
        const char *field = def->type == BR_LOAD_FORCE ? "force" : "torque";
        for (int k = 0; status == BR_OK && k < 3; k++)
            status = br_check_function(place, field, &def->component[k]);
        return status;
    }
    if (status == BR_OK)
        status = br_def_check(def->type == BR_LOAD_SPRING ? &br_def_spring : &br_def_bushing, def, place, "");
    return status;
}

// --- drives ------------------------------------------------------------------------------------------------

const char *br_drive_field(const br_drive_def *def) {
    static const char *const key[BR_DRIVE_TYPES] = {"torque", "velocity", "position", "servo"};
    return key[def->type];
}

br_status br_check_drive(const br_drive_def *def, const br_place *place) {
    if ((int)def->type < 0 || def->type >= BR_DRIVE_TYPES)
        return br_fail_place(place, "model-kind", NULL, "drive %s is of no known kind (%d)", def->name,
                             (int)def->type);
    if (!def->joint || !def->joint[0])
        return br_fail_place(place, "model-missing", "joint", "drive %s does not name its joint", def->name);
    if (def->coordinate < 0 || def->coordinate >= BR_MAX_JOINT_V)
        return br_fail_place(place, "drive-coordinate", "coordinate",
                             "the coordinate of drive %s is %d, expected 0 to 5", def->name, def->coordinate);
    br_status status = br_check_function(place, br_drive_field(def), &def->target);
    if (status == BR_OK) status = br_def_check(&br_def_servo, def, place, "");
    if (status == BR_OK && def->type == BR_DRIVE_SERVO && def->stiffness == 0.0 && def->damping == 0.0)
        return br_fail_place(place, "drive-servo", "servo/stiffness",
                             "servo %s has neither stiffness nor damping, so it does nothing", def->name);
    if (status == BR_OK) status = br_def_check(&br_def_drive, def, place, "");
    if (status == BR_OK && def->type == BR_DRIVE_POSITION && def->max_effort < INFINITY)
        return br_fail_place(
            place, "drive-effort", "max_torque",
            "drive %s prescribes a position exactly and cannot have a largest effort; use a servo",
            def->name);
    return status;
}

// --- constraints -------------------------------------------------------------------------------------------

static br_status check_term(const br_constraint_def *def, const br_term_def *term, const br_place *place,
                            const char *field) {
    const int joint = term->joint && term->joint[0], body = term->body && term->body[0];
    if (joint == body)
        return br_fail_place(place, "constraint-term", field,
                             "a term of constraint %s names %s, expected one of them", def->name,
                             joint ? "both a joint and a body" : "neither a joint nor a body");
    if (joint && (term->coordinate < 0 || term->coordinate >= BR_MAX_JOINT_V))
        return br_fail_place(place, "constraint-term", field, "a term of constraint %s has the coordinate %d",
                             def->name, term->coordinate);
    if (body && !br_vec3_is_finite(term->point))
        return br_fail_place(place, "model-not-finite", field, "a point of constraint %s is not finite",
                             def->name);
    const double length = br_vec3_norm(term->direction);
    if (body && !(length > 0.0 && isfinite(length)))
        return br_fail_place(place, "constraint-term", field,
                             "a direction of constraint %s has length %g, expected a direction", def->name,
                             length);
    return br_check_function(place, field, &term->coefficient);
}

br_status br_check_constraint(const br_constraint_def *def, const br_place *place) {
    if (def->term_count < 1 || !def->terms)
        return br_fail_place(place, "constraint-term", "terms", "constraint %s has no terms", def->name);
    br_status status = BR_OK;
    for (int k = 0; status == BR_OK && k < def->term_count; k++) {
        char field[32];
        snprintf(field, sizeof field, "terms/%d", k);
        status = check_term(def, &def->terms[k], place, field);
    }
    return status == BR_OK ? br_check_function(place, "value", &def->value) : status;
}

// --- settings ----------------------------------------------------------------------------------------------

static br_status check_redundancy(const char *word, const br_place *place) {
    if (!word || strcmp(word, "compliance") == 0 || strcmp(word, "pseudoinverse") == 0) return BR_OK;
    const size_t n = strlen(word), head = sizeof "eliminate(" - 1;
    if (strncmp(word, "eliminate(", head) == 0 && n > head + 1 && word[n - 1] == ')') return BR_OK;
    return br_fail_place(place, "solver-setting", "redundancy",
                         "redundancy is %.60s, expected compliance, pseudoinverse or eliminate(JOINT.ROW)",
                         word);
}

static br_status check_solver(const br_solver_settings *s, br_error *error) {
    const br_place place = {"solver", NULL, error};
    if ((int)s->stepper < 0 || s->stepper >= BR_STEPPERS)
        return br_fail_place(&place, "model-kind", "stepper", "the stepper is unknown (%d)", (int)s->stepper);
    if ((int)s->method < 0 || s->method >= BR_SOLVER_KINDS || !br_words_method[s->method][0])
        return br_fail_place(&place, "model-kind", "method", "the method is unknown (%d)", (int)s->method);
    if (br_stepper_traits_of(s->stepper)->impulses && s->theta >= 0.5 && s->theta < 1.0 &&
        (s->position_old || s->rotation_euler))
        return br_fail_place(&place, "solver-setting", "theta",
                             "theta is %g, expected 1 with %s: that is part of the first-order step",
                             s->theta, s->position_old ? "position_update: old" : "rotation: euler_zxy");
    br_status status = br_def_check(&br_def_solver, s, &place, "");
    if (status != BR_OK) return status;
    status = br_check_adaptive(s, &place);
    return status == BR_OK ? check_redundancy(s->redundancy, &place) : status;
}

// More steps, or rows, than any machine will make: a slip of the unit, and near the end the clock of a double no longer
// tells one from the next.
#define BR_MAX_STEPS 1e12

static br_status check_length(const br_settings *s, br_error *error) {
    const br_place run = {"run", NULL, error}, solver = {"solver", NULL, error};
    const double rows = s->until / s->output, steps = s->until / s->solver.step;
    if (s->output > 0.0 && rows > BR_MAX_STEPS)
        return br_fail_place(&run, "run-too-long", "output",
                             "a row every %g s until %g s are %.3g rows, expected at most %g", s->output,
                             s->until, rows, BR_MAX_STEPS);
    // The reference stepper chooses its own steps; solver.step is then only the default distance of rows.
    if ((!br_stepper_traits_of(s->solver.stepper)->chooses_steps || s->output == 0.0) && steps > BR_MAX_STEPS)
        return br_fail_place(&solver, "run-too-long", "step",
                             "steps of %g s until %g s are %.3g, expected at most %g", s->solver.step,
                             s->until, steps, BR_MAX_STEPS);
    return BR_OK;
}

br_status br_check_settings(const br_settings *s, br_error *error) {
    const br_place run = {"run", NULL, error}, top = {"gravity", NULL, error}, name = {"name", NULL, error};
    if (!br_vec3_is_finite(s->gravity))
        return br_fail_place(&top, "model-not-finite", NULL,
                             "gravity is (%g, %g, %g), expected finite numbers", s->gravity.x, s->gravity.y,
                             s->gravity.z);
    for (const unsigned char *c = (const unsigned char *)(s->name ? s->name : ""); *c; c++)
        if (*c < 0x20 || *c == 0x7f || (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
            return br_fail_place(&name, "name-invalid", NULL,
                                 "the name '%.80s' of the model has a control character in it", s->name);
    if ((int)s->planar < 0 || s->planar > BR_PLANAR_YZ || (int)s->coordinates < 0 ||
        s->coordinates > BR_ABSOLUTE)
        return br_fail(error, BR_INVALID, "model-kind", "planar (%d) or coordinates (%d) is of no known kind",
                       (int)s->planar, (int)s->coordinates);
    const br_place check = {"check", NULL, error}, start = {"start", NULL, error};
    if ((int)s->start_penetration < 0 || s->start_penetration > BR_START_REFUSE)
        return br_fail(error, BR_INVALID, "model-kind", "start_penetration (%d) is of no known kind",
                       (int)s->start_penetration);
    if ((int)s->contact_joined < 0 || s->contact_joined > BR_JOINED_TOUCH)
        return br_fail(error, BR_INVALID, "model-kind", "contact_joined (%d) is of no known kind",
                       (int)s->contact_joined);
    if (s->start_speed != 0.0 && s->start_penetration != BR_START_PUSH)
        return br_fail_place(&start, "start-speed", "speed",
                             "a speed is given, but nothing is pushed: expected penetration: push");
    br_status status = br_def_check(&br_def_run, s, &run, "");
    if (status == BR_OK) status = br_def_check(&br_def_start, s, &start, "");
    if (status == BR_OK) status = br_def_check(&br_def_checks, s, &check, "");
    if (status == BR_OK) status = check_solver(&s->solver, error);
    if (status == BR_OK) status = check_length(s, error);
    return status == BR_OK ? br_check_contact(s, error) : status;
}
