// solver: redundancy, taken apart: which rows `eliminate(JOINT.ROW, ...)` names, and the default.
//
//     ROW    force.x|y|z, torque.x|y|z   a row of the joint's reaction, in the axes of its frame F, named after the largest part
//            friction, friction.K        a stiction row: of the joint's only sliding direction, or of direction K
//
// The rows of distance, gear and rack_pinion cannot be eliminated; a tendon has none.
#include <stdio.h>
#include <string.h>

#include "model/compile/compile.h"
#include "tree/pad.h"

enum { MAX_TEXT = 120 }; // of one JOINT.ROW

#define BR_EPS_LARGER 1e-9 // of parts that are equal the first counts, whatever rounding did

static const char *const row_names[] = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};

static int part_of(br_wrench T) {
    const double part[] = {T.force.x, T.force.y, T.force.z, T.torque.x, T.torque.y, T.torque.z};
    int best = 0;
    for (int k = 1; k < 6; k++)
        if (fabs(part[k]) > fabs(part[best]) + BR_EPS_LARGER) best = k;
    return best;
}

static int directions_of(const br_compile *c, int j) {
    const br_model_joint *joint = &c->model->joint[j];
    if (!joint->friction) return 0;
    br_pose X_WF, X_WM;
    br_pad pads[BR_MAX_PADS];
    br_compile_joint_frames(c, j, &X_WF, &X_WM);
    const br_vec3 normal_F = br_pose_vector_inverse(X_WF, c->model->normal);
    const int count = br_joint_pads(joint->type, joint->parameter, joint->friction,
                                    br_quat_to_mat3(br_pose_between(X_WF, X_WM).rotation),
                                    br_compile_is_planar(c) ? &normal_F : NULL, pads);
    int directions = 0;
    for (int k = 0; k < count; k++) directions += pads[k].directions;
    return directions;
}

// "force.x, force.y, friction": what the joint has to offer.
static void list_rows(const br_compile *c, int j, char *out, size_t size) {
    br_joint_motion motion;
    int row[6], n = 0;
    const int rows =
        c->model->joint[j].kind && c->model->joint[j].tendon < 0 ? br_compile_rows(c, j, &motion, row) : 0;
    const int directions = directions_of(c, j);
    out[0] = '\0';
    for (int k = 0; k < rows; k++)
        n += snprintf(out + n, size - (size_t)n, "%s%s", n ? ", " : "", row_names[part_of(motion.T[row[k]])]);
    for (int k = 0; k < directions; k++) {
        n += snprintf(out + n, size - (size_t)n, "%sfriction", n ? ", " : "");
        if (directions > 1) n += snprintf(out + n, size - (size_t)n, ".%d", k);
    }
    if (n == 0) snprintf(out, size, "none");
}

static br_status fail_row(br_compile *c, const char *item, int j) {
    const br_place place = {"solver", NULL, c->error};
    const br_model_joint *joint = &c->model->joint[j];
    char rows[160];
    if (!joint->kind || joint->tendon >= 0)
        return br_fail_place(
            &place, "redundancy-row", "redundancy",
            "redundancy eliminates '%s'; joint %s is a %s, whose row cannot be left out; take "
            "one of another joint",
            item, joint->name, br_joint_type_name(joint->type));
    list_rows(c, j, rows, sizeof rows);
    return br_fail_place(&place, "redundancy-row", "redundancy",
                         "redundancy eliminates '%s'; the rows of joint %s%s are: %s", item, joint->name,
                         br_compile_is_planar(c) ? ", in this planar model," : "", rows);
}

// Where the joint's name ends: at the '.' before a ROW. Its own name may have dots ("cart.free").
static size_t joint_part(const char *item) {
    static const char *const words[] = {".force", ".torque", ".friction"};
    size_t best = strlen(item);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const char *at = strstr(item, words[k]);
        if (at && (size_t)(at - item) < best) best = (size_t)(at - item);
    }
    return best;
}

static br_status find_row(br_compile *c, const char *item, int j, const char *row, br_eliminated_row *out) {
    const br_model_joint *joint = &c->model->joint[j];
    out->joint = j;
    out->row = out->part = -1;
    if (!joint->kind || joint->tendon >= 0) return fail_row(c, item, j);
    const int directions = directions_of(c, j);
    if (strcmp(row, ".friction") == 0 && directions == 1) out->part = BR_ROW_FRICTION;
    if (strncmp(row, ".friction.", 10) == 0 && row[10] >= '0' && row[10] < '0' + directions && !row[11])
        out->part = BR_ROW_FRICTION + row[10] - '0';
    if (out->part >= 0) return BR_OK;
    br_joint_motion motion;
    int kept[6];
    const int rows = br_compile_rows(c, j, &motion, kept);
    for (int k = 0; k < rows && row[0]; k++) {
        const int part = part_of(motion.T[kept[k]]);
        if (strcmp(row + 1, row_names[part]) == 0) out->row = kept[k], out->part = part;
    }
    return out->row >= 0 ? BR_OK : fail_row(c, item, j);
}

static br_status read_item(br_compile *c, const char *item, br_eliminated_row *out) {
    const br_place place = {"solver", NULL, c->error};
    br_model *m = c->model;
    char name[MAX_TEXT];
    const size_t length = joint_part(item);
    snprintf(name, sizeof name, "%.*s", (int)length, item);
    int j = br_names_find(&m->joint_names, name);
    if (j < 0 && !item[length]) { // JOINT.SOMETHING: is it the row that is not known?
        char *dot = strrchr(name, '.');
        if (dot) *dot = '\0';
        j = dot ? br_names_find(&m->joint_names, name) : -1;
        if (j >= 0) return fail_row(c, item, j);
    }
    if (j < 0) {
        const char *near = br_names_nearest(&m->joint_names, name);
        return br_fail_place(&place, "redundancy-joint", "redundancy",
                             "redundancy eliminates '%s', but there is no joint '%s'%s%s%s", item, name,
                             near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
    return find_row(c, item, j, item + length, out);
}

// The rows between the parentheses, which the builder has seen are there.
static br_status read_rows(br_compile *c, const char *text) {
    const br_place place = {"solver", NULL, c->error};
    br_redundancy *rule = &c->model->redundancy;
    int count = 1;
    for (const char *p = text; *p; p++) count += *p == ',';
    rule->row = BR_TAKE(&c->model->arena, br_eliminated_row, count);
    if (!rule->row) return br_compile_no_memory(c);
    for (const char *p = text, *next; p; p = next) {
        const size_t length = strcspn(p, ",)");
        next = p[length] == ',' ? p + length + 1 : NULL;
        size_t from = 0, to = length;
        char item[MAX_TEXT];
        while (from < to && p[from] == ' ') from++;
        while (to > from && p[to - 1] == ' ') to--;
        snprintf(item, sizeof item, "%.*s", (int)(to - from), p + from);
        br_eliminated_row *row = &rule->row[rule->count];
        const br_status status = read_item(c, item, row);
        if (status != BR_OK) return status;
        for (int k = 0; k < rule->count; k++)
            if (rule->row[k].joint == row->joint && rule->row[k].part == row->part)
                return br_fail_place(&place, "redundancy-row", "redundancy",
                                     "redundancy eliminates '%s' twice", item);
        rule->count++;
    }
    return BR_OK;
}

static int any_compliance(const br_model *m) {
    for (int j = 0; j < m->joints; j++) {
        const br_model_joint *joint = &m->joint[j];
        if (joint->compliance_translation > 0.0 || joint->compliance_rotation > 0.0 ||
            (joint->friction && joint->friction->compliance > 0.0))
            return 1;
    }
    return 0;
}

br_status br_compile_redundancy(br_compile *c) {
    const br_place place = {"solver", NULL, c->error};
    br_model *m = c->model;
    const char *word = m->settings.solver.redundancy;
    const int soft = any_compliance(m);
    m->redundancy.kind = !word && soft ? BR_REDUNDANCY_COMPLIANCE : BR_REDUNDANCY_PSEUDOINVERSE;
    if (!word || strcmp(word, "pseudoinverse") == 0) return BR_OK;
    if (strcmp(word, "compliance") != 0) {
        m->redundancy.kind = BR_REDUNDANCY_ELIMINATE;
        return read_rows(c, word + strlen("eliminate("));
    }
    m->redundancy.kind = BR_REDUNDANCY_COMPLIANCE;
    if (soft) return BR_OK;
    return br_fail_place(
        &place, "redundancy-compliance", "redundancy",
        "redundancy is compliance, but no joint has one; give the joints that share the load "
        "compliance: NUMBER m/N, or write pseudoinverse");
}
