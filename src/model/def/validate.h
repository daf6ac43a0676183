// Checks of one definition at a time: what br_builder_X does before it copies. Nothing here looks at another
// element.
#ifndef BR_MODEL_DEF_VALIDATE_H
#define BR_MODEL_DEF_VALIDATE_H

#include "base/error.h"
#include "model/model.h"

// The element that is being checked: "bodies", "wheel". name NULL: the group itself, as "solver".
typedef struct br_place {
    const char *group, *name;
    br_error *error;
} br_place;

// BR_INVALID with the path group/name/field; field NULL: the element itself.
br_status br_fail_place(const br_place *place, const char *code, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// The element refers to a body, joint or material that does not exist; says the nearest one that does.
br_status br_fail_unknown(const br_place *place, const char *code, const char *field, const char *what,
                          const char *name, const br_names *names);

// "polygon(8)", "viscous(0.01)", ... NULL: the default. 0: not of that form, and the outputs keep their values.
int br_contact_law_of(const char *text, br_contact_law *law, double *argument);
int br_contact_bounds_of(const char *text, br_contact_bounds *bounds, int *passes);

br_status br_check_contact(const br_settings *settings, br_error *error); // their part of br_check_settings
br_status br_check_settings(const br_settings *settings, br_error *error);
br_status br_check_body(const br_body_def *def, const br_place *place);
br_status br_check_shape(const br_shape_def *def, const br_place *place, const char *field);
br_status br_check_joint(const br_joint_def *def, const br_place *place);
br_status br_check_tendon(const br_joint_def *def, const br_place *place); // its part of br_check_joint
br_status br_check_friction(const br_friction_def *def, const br_place *place);
br_status br_check_beam(const br_beam_def *def, const br_place *place);
br_status br_check_clearance(const br_clearance_def *def, const br_place *place);
br_status br_check_adaptive(const br_solver_settings *s, const br_place *place);
br_status br_check_load(const br_load_def *def, const br_place *place);
br_status br_check_drive(const br_drive_def *def, const br_place *place);
br_status br_check_constraint(const br_constraint_def *def, const br_place *place);
br_status br_check_pair(const br_pair_def *def, const br_place *place);

// Shared by the above. `field` is the key of the model file.
br_status br_check_finite(const br_place *place, const char *field, const double *x, int count);
br_status br_check_not_negative(const br_place *place, const char *field, const double *x, int count);
br_status br_check_pose(const br_place *place, const char *field, br_pose pose);
br_status br_check_function(const br_place *place, const char *field, const br_function_def *f);

// The key under which the model file has a drive's target.
const char *br_drive_field(const br_drive_def *def);

#endif
