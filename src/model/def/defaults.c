// Definitions to start from, see model.h. What must be given is zero here, so that leaving it out is
// noticed: a gear's ratio, a screw's pitch.
#include "model/def/field.h"

br_body_def br_default_body_def(void) {
    br_body_def def;
    br_def_default(&br_def_body, &def);
    return def;
}

br_joint_def br_default_joint_def(void) {
    br_joint_def def;
    br_def_default(&br_def_joint, &def);
    return def;
}

br_beam_def br_default_beam_def(void) {
    br_beam_def def;
    br_def_default(&br_def_beam, &def);
    return def;
}

br_clearance_def br_default_clearance_def(void) {
    br_clearance_def def;
    br_def_default(&br_def_clearance, &def);
    def.law = br_words_clearance_law[0];
    return def;
}

br_load_def br_default_load_def(void) {
    br_load_def def;
    br_def_default(&br_def_load, &def);
    return def;
}

br_drive_def br_default_drive_def(void) {
    br_drive_def def;
    br_def_default(&br_def_drive, &def);
    return def;
}

br_pair_def br_default_pair_def(void) {
    br_pair_def def;
    br_def_default(&br_def_pair, &def);
    return def;
}

// [BauchauJu2006] after eq. 20, section 6.1 and after eq. 33.
br_adaptive_settings br_default_adaptive_settings(void) {
    br_adaptive_settings s;
    br_def_default(&br_def_adaptive, &s);
    return s;
}

br_settings br_default_settings(void) {
    br_settings s;
    br_def_default(&br_def_settings, &s);
    s.name = "model";
    s.gravity = br_vec3_of(0.0, 0.0, -9.81);
    return s;
}
