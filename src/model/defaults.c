// Definitions to start from, see model.h. What must be given is zero here, so that leaving it out is
// noticed: a gear's ratio, a screw's pitch.
#include "bristle/model.h"

br_body_def br_default_body_def(void) {
    br_body_def def = {0};
    def.pose = br_pose_identity();
    return def;
}

br_joint_def br_default_joint_def(void) {
    br_joint_def def = {0};
    def.X_AF = def.X_BM = br_pose_identity();
    for (int k = 0; k < BR_MAX_JOINT_V; k++) {
        def.lower[k] = -INFINITY;
        def.upper[k] = INFINITY;
    }
    return def;
}

br_load_def br_default_load_def(void) {
    br_load_def def = {0};
    def.X_A = def.X_B = br_pose_identity();
    for (int k = 0; k < 3; k++) def.component[k] = br_function_constant(0.0);
    def.length = -1.0;
    return def;
}

br_drive_def br_default_drive_def(void) {
    br_drive_def def = {0};
    def.target = br_function_constant(0.0);
    def.max_effort = INFINITY;
    return def;
}

br_pair_def br_default_pair_def(void) {
    br_pair_def def = {0};
    def.bristle_stiffness = INFINITY;
    def.v_threshold = 0.01;
    return def;
}

br_settings br_default_settings(void) {
    br_settings s = {0};
    s.name = "model";
    s.gravity = br_vec3_of(0.0, 0.0, -9.81);
    s.solver.step = 1e-3;
    s.solver.theta = 1.0;
    s.solver.tol = 1e-10;
    s.solver.rho_infinity = 0.8;
    s.until = 1.0;
    return s;
}
