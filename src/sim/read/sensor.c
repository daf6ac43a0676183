// Readings of sensors, see br_sensor_type. Accelerations and forces are of the instant, from the balance that gives reactions; touch is of
// the contacts of the last step. With r the arm from the body's frame to the sensor's, in world axes
//
//     p = p_B + r,   v = v_B + w x r,   a = a_B + alpha x r + w x (w x r)
#include "sim/read/sensor.h"

#include <math.h>
#include <string.h>

#include "bristle/contact.h"
#include "sim/core/acceleration.h"
#include "sim/core/reaction.h"
#include "tree/spatial.h"

const char *br_sensor_letters(const br_sim *sim, int sensor) {
    const br_sensor_type type = sim->model->sensor[sensor].type;
    if (type == BR_SENSOR_ROTATION) return "wxyz";
    return type == BR_SENSOR_TOUCH || type >= BR_SENSOR_JOINT_POSITION ? "" : "xyz";
}

static int is_length(const br_sim *sim, int joint, int k) {
    return br_joint_type_coordinates(sim->model->joint[joint].type)[k] == 'L';
}

const char *br_sensor_unit(const br_sim *sim, int sensor) {
    static const char *const units[] = {"m/s^2", "m/s", "rad/s", "N",     "N m",   "N",
                                        "m",     "1",   "m/s",   "rad/s", "m/s^2", "rad/s^2"};
    const br_model_sensor *s = &sim->model->sensor[sensor];
    if (s->type < BR_SENSOR_JOINT_POSITION) return units[s->type];
    if (s->type == BR_SENSOR_DRIVE_EFFORT) {
        const br_model_drive *d = &sim->model->drive[s->drive];
        return is_length(sim, d->joint, d->coordinate) ? "N" : "N m";
    }
    const int position = s->type == BR_SENSOR_JOINT_POSITION;
    if (position && s->coordinate >= br_joint_type_plain(sim->model->joint[s->joint].type))
        return "1"; // of a quaternion
    if (is_length(sim, s->joint, s->coordinate)) return position ? "m" : "m/s";
    return position ? "rad" : "rad/s";
}

static void put(br_vec3 v, double *out) {
    out[0] = v.x, out[1] = v.y, out[2] = v.z;
}

static br_pose pose_of(const br_sim *sim, int body, br_pose X) {
    return body < 0 ? X : br_pose_mul(br_sim_body_pose(sim, body), X);
}

static br_status accelerations(br_sim *sim, const br_model_sensor *s, br_vec3 w, br_vec3 r, br_twist *out,
                               br_error *error) {
    *out = br_twist_of(br_vec3_zero(), br_vec3_zero());
    if (s->body < 0) return BR_OK;
    br_twist A;
    const br_status status = br_sim_body_acceleration(sim, s->body, &A, error);
    if (status == BR_OK) *out = br_twist_of(A.angular, br_acceleration_at(A, w, r));
    return status;
}

// --- force and torque --------------------------------------------------------------------------------------

// What the joint that carries the body transmits to it: with what acts along its coordinates where the balance is Newton and Euler's, else
// the reaction of its rows.
static br_status transmitted(br_sim *sim, const br_model_sensor *s, br_vec3 at, br_wrench *out,
                             br_error *error) {
    const br_model *m = sim->model;
    const int link = m->body[s->body].link, joint = m->link_joint[link];
    br_wrench in_M, in_W;
    const br_status status = br_sim_joint_reaction(sim, joint, &in_M, &in_W, error);
    if (status != BR_OK) return status;
    br_sim_refresh(sim, 2);
    if (!sim->own && !sim->redundant) {
        *out = br_wrench_shift(sim->transmitted[link], br_vec3_sub(sim->work.pose[link].p_WL, at));
        return BR_OK;
    }
    const br_relative x = br_sim_relative(sim, &m->joint[joint], 0);
    if (m->joint[joint].reversed) in_W = br_wrench_scale(-1.0, in_W);
    *out = br_wrench_shift(in_W, br_vec3_sub(x.p_WM, at));
    return BR_OK;
}

// --- touch -------------------------------------------------------------------------------------------------

// Whether the line p + t d, t >= 0, meets a ball, or the part of a cylinder's side between its ends.
static int meets_round(br_vec3 p, br_vec3 d, double radius, double half, int across) {
    const double a = d.x * d.x + d.y * d.y + (across ? 0.0 : d.z * d.z),
                 b = p.x * d.x + p.y * d.y + (across ? 0.0 : p.z * d.z);
    const double c = p.x * p.x + p.y * p.y + (across ? 0.0 : p.z * p.z) - radius * radius,
                 root = b * b - a * c;
    if (!(a > 0.0) || root < 0.0) return 0;
    for (int k = -1; k <= 1; k += 2) {
        const double t = (-b + k * sqrt(root)) / a;
        if (t >= 0.0 && (!across || fabs(p.z + t * d.z) <= half)) return 1;
    }
    return 0;
}

// One of the faces across an axis that lies within the others' extent; round: a disk.
static int meets_faces(br_vec3 p, br_vec3 d, const double *half, int axis, int round) {
    const double x[3] = {p.x, p.y, p.z}, v[3] = {d.x, d.y, d.z};
    if (v[axis] == 0.0) return 0;
    for (int k = -1; k <= 1; k += 2) {
        const double t = (k * half[axis] - x[axis]) / v[axis];
        const int i = (axis + 1) % 3, j = (axis + 2) % 3;
        const double y = x[i] + t * v[i], z = x[j] + t * v[j];
        const int inside =
            round ? y * y + z * z <= half[i] * half[i] : fabs(y) <= half[i] && fabs(z) <= half[j];
        if (t >= 0.0 && inside) return 1;
    }
    return 0;
}

// Whether a contact belongs to the zone: the line from its point into the body meets it, as MuJoCo has it.
static int meets_zone(const br_model_sensor *s, br_vec3 p, br_vec3 d) {
    const double *size = s->size;
    switch (s->zone) {
    case BR_SHAPE_SPHERE:
        return meets_round(p, d, size[0], 0.0, 0);
    case BR_SHAPE_ELLIPSOID:
        return meets_round(br_vec3_of(p.x / size[0], p.y / size[1], p.z / size[2]),
                           br_vec3_of(d.x / size[0], d.y / size[1], d.z / size[2]), 1.0, 0.0, 0);
    case BR_SHAPE_BOX:
        return meets_faces(p, d, size, 0, 0) || meets_faces(p, d, size, 1, 0) ||
               meets_faces(p, d, size, 2, 0);
    case BR_SHAPE_CYLINDER: {
        const double half[3] = {size[0], size[0], size[1]};
        return meets_round(p, d, size[0], size[1], 1) || meets_faces(p, d, half, 2, 1);
    }
    default: { // a capsule
        const br_vec3 up = br_vec3_of(p.x, p.y, p.z - size[1]), down = br_vec3_of(p.x, p.y, p.z + size[1]);
        return meets_round(p, d, size[0], size[1], 1) || meets_round(up, d, size[0], 0.0, 0) ||
               meets_round(down, d, size[0], 0.0, 0);
    }
    }
}

static double touch_of(const br_sim *sim, const br_model_sensor *s, br_pose X_WS) {
    double sum = 0.0;
    for (int k = 0; k < br_sim_contact_count(sim); k++) {
        br_contact c;
        br_sim_contact(sim, k, &c);
        if ((c.body_a != s->body && c.body_b != s->body) || !(c.normal_force > 0.0)) continue;
        // Into the sensor's body: the normal points from b to a.
        const br_vec3 into = br_vec3_scale(c.body_a == s->body ? 1.0 : -1.0, c.normal);
        if (meets_zone(s, br_pose_point_inverse(X_WS, c.point), br_pose_vector_inverse(X_WS, into)))
            sum += c.normal_force;
    }
    return sum;
}

// --- all ---------------------------------------------------------------------------------------------------

static br_status read_other(br_sim *sim, const br_model_sensor *s, double *out, br_error *error) {
    double values[BR_MAX_JOINT_Q] = {0.0};
    br_status status = BR_OK;
    if (s->type == BR_SENSOR_DRIVE_EFFORT)
        status = br_sim_drive_effort(sim, s->drive, values + s->coordinate, error);
    if (s->type == BR_SENSOR_JOINT_POSITION) br_sim_joint_position(sim, s->joint, values);
    if (s->type == BR_SENSOR_JOINT_VELOCITY) br_sim_joint_velocity(sim, s->joint, values);
    if (status == BR_OK) *out = s->factor * values[s->coordinate];
    return status;
}

static br_status read_place(const br_sim *sim, const br_model_sensor *s, br_pose X_WS, double *out) {
    const br_pose X = s->has_from ? br_pose_between(pose_of(sim, s->from, s->X_FR), X_WS) : X_WS;
    const br_quat q = br_quat_canonical(X.rotation);
    if (s->type == BR_SENSOR_POSITION)
        put(X.position, out);
    else
        out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
    return BR_OK;
}

static br_status read_motion(br_sim *sim, const br_model_sensor *s, br_pose X_WS, double *out,
                             br_error *error) {
    const br_vec3 r = br_vec3_sub(X_WS.position, pose_of(sim, s->body, br_pose_identity()).position);
    const br_twist V =
        s->body < 0 ? br_twist_of(br_vec3_zero(), br_vec3_zero()) : br_sim_body_twist(sim, s->body);
    br_twist A;
    br_wrench F;
    br_status status = BR_OK;
    switch (s->type) {
    case BR_SENSOR_VELOCIMETER:
        put(br_pose_vector_inverse(X_WS, br_twist_at_point(V, r)), out);
        return BR_OK;
    case BR_SENSOR_LINEAR_VELOCITY:
        put(br_twist_at_point(V, r), out);
        return BR_OK;
    case BR_SENSOR_GYRO:
        put(br_pose_vector_inverse(X_WS, V.angular), out);
        return BR_OK;
    case BR_SENSOR_ANGULAR_VELOCITY:
        put(V.angular, out);
        return BR_OK;
    case BR_SENSOR_FORCE:
    case BR_SENSOR_TORQUE:
        status = transmitted(sim, s, X_WS.position, &F, error);
        if (status == BR_OK)
            put(br_pose_vector_inverse(X_WS, s->type == BR_SENSOR_FORCE ? F.force : F.torque), out);
        return status;
    default:
        status = accelerations(sim, s, V.angular, r, &A, error);
        if (status != BR_OK) return status;
        if (s->type == BR_SENSOR_ACCELEROMETER)
            put(br_pose_vector_inverse(X_WS, br_vec3_sub(A.linear, sim->model->settings.gravity)), out);
        else
            put(s->type == BR_SENSOR_LINEAR_ACCELERATION ? A.linear : A.angular, out);
        return BR_OK;
    }
}

br_status br_read_sensor(br_sim *sim, const br_reading_place *place, double *out, br_error *error) {
    const br_model_sensor *s = &sim->model->sensor[place->index];
    if (s->type >= BR_SENSOR_JOINT_POSITION) return read_other(sim, s, out, error);
    const br_pose X_WS = pose_of(sim, s->body, s->X_BS);
    if (s->type == BR_SENSOR_TOUCH) {
        *out = touch_of(sim, s, X_WS);
        return BR_OK;
    }
    return s->type == BR_SENSOR_POSITION || s->type == BR_SENSOR_ROTATION
               ? read_place(sim, s, X_WS, out)
               : read_motion(sim, s, X_WS, out, error);
}
