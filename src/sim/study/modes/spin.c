// What turning about an axis adds to the linearized motion, and whether everything can turn, see modes/modes.h. Seen from
// axes that turn with the shaft: only there are the coefficients constant, for shafts of any section.
//
// Joints and springs against the world must look the same at every angle. That is tested, not derived: the mechanism is
// turned by a finite angle, and forces, tangents and what the rows span must have turned with it.
#include "sim/study/modes/modes.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define BR_TEST_ANGLE 1.0   // rad, no fraction of a turn
#define BR_EPS_TURNED 1e-7  // relative: more of a difference means that it does not turn
#define BR_EPS_ON_AXIS 1e-9 // of the extent: joints this near to the axis are on it
#define BR_DRAG_DIFFERENCE 1e-5

// --- the axis ----------------------------------------------------------------------------------------------

static void joint_axis(br_linear *l, const br_model_joint *joint, br_vec3 *axis, br_vec3 *about) {
    const br_ends ends = br_ends_of(l->f, joint->first, joint->second, joint->X_AF, joint->X_BM);
    const br_span s = br_span_of(l->f, &ends);
    *axis = br_vec3_normalize(br_mat3_column(s.E1, 2));
    *about = br_vec3_add(br_node_at(l->f, ends.a)->x1, s.r_a1);
}

static int same_line(const br_linear *l, br_vec3 axis, br_vec3 about) {
    const br_vec3 d = br_vec3_sub(about, l->about);
    return br_vec3_norm(br_vec3_cross(axis, l->axis)) < BR_EPS_ON_AXIS &&
           br_vec3_norm(br_vec3_cross(d, l->axis)) < BR_EPS_ON_AXIS * fmax(l->f->sim->extent, l->length);
}

static br_status only_axis(br_linear *l, br_error *error) {
    const br_model *m = l->f->sim->model;
    const char *found = NULL;
    for (int j = 0; j < m->joints; j++) {
        const br_model_joint *joint = &m->joint[j];
        br_vec3 axis, about;
        if ((joint->type != BR_JOINT_REVOLUTE && joint->type != BR_JOINT_CYLINDRICAL) ||
            (joint->first >= 0 && joint->second >= 0))
            continue;
        joint_axis(l, joint, &axis, &about);
        if (found && !same_line(l, axis, about))
            return br_fail(
                error, BR_INVALID, "mode-axis",
                "joints '%s' and '%s' turn about different axes; say which one the shaft turns about with "
                "--joint, or give --axis and --about",
                found, joint->name);
        if (!found) found = joint->name, l->axis = axis, l->about = about, l->axis_joint = j;
    }
    if (found) return BR_OK;
    return br_fail(
        error, BR_INVALID, "mode-axis",
        "no revolute or cylindrical joint with the world tells the axis that the shaft turns about; give "
        "--joint, or --axis and --about");
}

br_status br_linear_axis(br_linear *l, const br_modes_def *def, br_error *error) {
    const br_model *m = l->f->sim->model;
    l->axis_joint = -1;
    if (def->joint) {
        const int j = br_model_joint_find(m, def->joint);
        if (j < 0 || !m->joint[j].kind)
            return br_fail(error, BR_INVALID, "mode-axis",
                           "there is no joint '%s' whose axis the shaft could turn about", def->joint);
        joint_axis(l, &m->joint[j], &l->axis, &l->about);
        l->axis_joint = j;
    } else if (br_vec3_norm(def->axis) > 0.0) {
        l->axis = br_vec3_normalize(def->axis), l->about = def->about;
    } else {
        return only_axis(l, error);
    }
    return BR_OK;
}

// --- does it turn ------------------------------------------------------------------------------------------

enum { MOST = 6 * BR_MAX_SLOTS };

// An element at one angle, world axes of the shaft: forces on its nodes, their tangent, values of rows and their gradients.
typedef struct look {
    int nodes, rows;
    double force[MOST], tangent[MOST][MOST], value[6], row[6][MOST];
} look;

static int node_slots(const br_element *e) {
    return e->rows > 0 ? e->slots - 1 : e->slots;
}

// Element with an end in the world, or of a direction fixed in it: others turn with the nodes.
static int may_stay_behind(const br_element *e) {
    if (e->kind->is & BR_ELEMENT_OF_NODES) return 0;
    int world = (e->kind->is & BR_ELEMENT_OF_WORLD) != 0;
    for (int s = 0; s < node_slots(e); s++) world |= e->slot[s].node < 0;
    return world;
}

static void turn_vector(br_mat3 R, double *x) {
    const br_vec3 v = br_mat3_tmul_vec(R, br_vec3_of(x[0], x[1], x[2]));
    x[0] = v.x, x[1] = v.y, x[2] = v.z;
}

// Components in the world become components in axes turned by R.
static void turn_back(br_mat3 R, look *k) {
    double column[3];
    for (int b = 0; b < 2 * k->nodes; b++) {
        turn_vector(R, k->force + 3 * b);
        for (int r = 0; r < k->rows; r++) turn_vector(R, k->row[r] + 3 * b);
        for (int r = 0; r < 6 * k->nodes; r++) turn_vector(R, k->tangent[r] + 3 * b);
    }
    for (int b = 0; b < 2 * k->nodes; b++)
        for (int c = 0; c < 6 * k->nodes; c++) {
            for (int i = 0; i < 3; i++) column[i] = k->tangent[3 * b + i][c];
            turn_vector(R, column);
            for (int i = 0; i < 3; i++) k->tangent[3 * b + i][c] = column[i];
        }
}

static void read_block(const br_block_ref *ref, int rows, double *out, int stride) {
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < 6; c++)
            out[r * stride + c] = ref->value[r * ref->row_stride + c * ref->col_stride];
}

static void spin_look_at(br_linear *l, br_element *e, br_mat3 R, look *out) {
    br_implicit *f = l->f;
    memset(out, 0, sizeof *out);
    out->nodes = node_slots(e), out->rows = e->rows;
    br_linear_stage(l, BR_STAGE_ROWS);
    e->kind->evaluate(f, e);
    for (int r = 0; r < e->rows; r++) out->value[r] = f->residual[e->slot[e->slots - 1].at + r];
    for (int a = 0; a < out->nodes && e->rows > 0; a++)
        if (e->slot[a].node >= 0)
            read_block(&e->ref[(e->slots - 1) * e->slots + a], e->rows, &out->row[0][6 * a], MOST);
    br_linear_stage(l, BR_STAGE_STIFFNESS);
    e->kind->evaluate(f, e);
    for (int a = 0; a < out->nodes; a++) {
        const int node = e->slot[a].node;
        br_wrench F = br_wrench_of(br_vec3_zero(), br_vec3_zero());
        if (node < 0) continue;
        for (int b = 0; b < BR_BOOKS; b++)
            if (b != BR_BOOK_GRAVITY) F = br_wrench_add(F, f->book[b][node]);
        const double part[6] = {F.force.x, F.force.y, F.force.z, F.torque.x, F.torque.y, F.torque.z};
        memcpy(out->force + 6 * a, part, sizeof part);
        for (int b = 0; b < out->nodes; b++)
            if (e->slot[b].node >= 0)
                read_block(&e->ref[a * e->slots + b], 6, &out->tangent[6 * a][6 * b], MOST);
    }
    turn_back(R, out);
}

static double largest_of(const double *x, int count, int stride, double unit) {
    double size = 0.0;
    for (int k = 0; k < count; k++) size = fmax(size, fabs(x[k * stride]) / (k % 6 >= 3 ? unit : 1.0));
    return size;
}

// What is left of row b without the span of the rows of a, of its size.
static double outside(const double (*a)[MOST], int rows, const double *b, int n, double unit) {
    double q[6][MOST], rest[MOST], size = 0.0, left = 0.0;
    int count = 0;
    for (int r = 0; r <= rows; r++) {
        double norm = 0.0, *to = r < rows ? q[count] : rest;
        for (int k = 0; k < n; k++) {
            to[k] = (r < rows ? a[r][k] : b[k]) / (k % 6 >= 3 ? unit : 1.0);
            norm += to[k] * to[k];
        }
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < count; i++) {
                double dot = 0.0;
                for (int k = 0; k < n; k++) dot += q[i][k] * to[k];
                for (int k = 0; k < n; k++) to[k] -= dot * q[i][k];
            }
        left = 0.0, size = norm;
        for (int k = 0; k < n; k++) left += to[k] * to[k];
        if (r == rows || left <= BR_EPS_TURNED * norm) continue;
        for (int k = 0; k < n; k++) to[k] /= sqrt(left);
        count++;
    }
    return size > 0.0 ? sqrt(left / size) : 0.0;
}

static int rows_turn(const br_linear *l, const look *a, const look *b, int values) {
    for (int r = 0; r < a->rows; r++) {
        const double size = fmax(largest_of(b->row[r], 6 * b->nodes, 1, l->length), 1e-300);
        if (values && fabs(b->value[r] - a->value[r]) > BR_EPS_TURNED * l->length * size) return 0;
        if (outside(a->row, a->rows, b->row[r], 6 * a->nodes, l->length) > BR_EPS_TURNED) return 0;
    }
    return 1;
}

static int forces_turn(const br_linear *l, const look *a, const look *b) {
    double stiff = 0.0, differs = 0.0;
    const int n = 6 * a->nodes;
    for (int r = 0; r < n; r++) {
        const double unit = r % 6 >= 3 ? l->length : 1.0;
        double row[MOST];
        for (int c = 0; c < n; c++) row[c] = a->tangent[r][c] - b->tangent[r][c];
        stiff = fmax(stiff, largest_of(a->tangent[r], n, 1, l->length) / unit);
        differs = fmax(differs, largest_of(row, n, 1, l->length) / unit);
    }
    double difference[MOST];
    for (int r = 0; r < n; r++) difference[r] = a->force[r] - b->force[r];
    const double force = largest_of(a->force, n, 1, l->length) + stiff * l->length;
    return differs <= BR_EPS_TURNED * fmax(stiff, force / l->length) &&
           largest_of(difference, n, 1, l->length) <= BR_EPS_TURNED * force;
}

static void turn_nodes(br_linear *l, double angle) {
    const br_quat q = br_quat_from_axis_angle(l->axis, angle);
    for (int i = 0; i < l->f->nodes; i++) {
        br_node *n = &l->f->node[i];
        n->x1 = br_vec3_add(l->about, br_quat_rotate(q, br_vec3_sub(n->x1, l->about)));
        n->q1 = br_quat_normalize(br_quat_mul(q, n->q1));
    }
    br_implicit_shift(l->f);
}

static const char *what_of(const br_linear *l, const br_element *e, const char **name) {
    *name = e->kind->what ? e->kind->label(l->f->sim->model, e->index) : "";
    return e->kind->what ? e->kind->what : "an element";
}

static void add_note(char *notes, size_t size, const char *text, const char *name) {
    const size_t used = strlen(notes);
    if (used < size) snprintf(notes + used, size - used, "%s%s%s\n", text, name[0] ? ": " : "", name);
}

static br_status does_not_turn(const br_linear *l, const br_element *e, br_error *error) {
    const char *name, *what = what_of(l, e, &name);
    return br_fail(
        error, BR_INVALID, "mode-spin",
        "%s '%s' does not turn with the shaft about [%g, %g, %g] through (%g, %g, %g): it holds or pulls "
        "differently after a part of a turn; let everything turn about one axis, or leave it out",
        what, name, l->axis.x, l->axis.y, l->axis.z, l->about.x, l->about.y, l->about.z);
}

static br_status pins_turn(br_linear *l, br_error *error) {
    for (int p = 0; p < l->pins; p++) {
        const br_mode_pin *pin = &l->pin[p];
        const br_element *e = &l->f->element[pin->element];
        if (pin->ends.a >= 0 && pin->ends.b >= 0) continue;
        const br_span s = br_span_of(l->f, &pin->ends);
        const br_mat3 axes = pin->ends.a < 0 ? s.E1 : s.N1;
        const br_vec3 at = pin->ends.a < 0 ? s.r_a1 : s.r_b1;
        const int ball = l->f->sim->model->clearance[e->index].type == BR_CLEARANCE_SPHERICAL;
        if (!same_line(l, ball ? l->axis : br_mat3_column(axes, 2), at)) return does_not_turn(l, e, error);
    }
    return BR_OK;
}

br_status br_linear_turns(br_linear *l, char *notes, size_t size, br_error *error) {
    br_implicit *f = l->f;
    const br_vec3 g = f->sim->model->settings.gravity;
    look *here = BR_TAKE(l->scratch, look, 1), *there = BR_TAKE(l->scratch, look, 1);
    br_node *kept = br_nodes_copy(f, l->scratch);
    if (!br_arena_ok(l->scratch)) return br_no_memory(error, "no memory for the modes");
    if (br_vec3_norm(br_vec3_cross(g, l->axis)) > 1e-9 * br_vec3_norm(g)) {
        l->gravity_off = 1;
        add_note(notes, size, "gravity does not turn with the shaft and is left out", "");
    }
    memset(f->lambda, 0, (size_t)f->row_count * sizeof *f->lambda);
    br_status status = BR_OK;
    const br_mat3 R = br_quat_to_mat3(br_quat_from_axis_angle(l->axis, BR_TEST_ANGLE));
    for (int q = 0; q < f->elements && status == BR_OK; q++) {
        br_element *e = &f->element[q];
        if (l->skip[q] || !may_stay_behind(e)) continue;
        spin_look_at(l, e, br_mat3_identity(), here);
        turn_nodes(l, BR_TEST_ANGLE);
        spin_look_at(l, e, R, there);
        br_nodes_restore(f, kept);
        const int turns = rows_turn(l, here, there, !(e->kind->is & BR_ELEMENT_SHIFTS)) &&
                          (e->rows > 0 || forces_turn(l, here, there));
        if (turns) continue;
        if (e->kind == &br_element_force) {
            l->skip[q] = 1;
            add_note(notes, size, "a load does not turn with the shaft and is left out",
                     f->sim->model->load[e->index].name);
        } else {
            status = does_not_turn(l, e, error);
        }
    }
    br_linear_stage(l, BR_STAGE_ROWS);
    return status == BR_OK ? pins_turn(l, error) : status;
}

// --- the turning of the whole ------------------------------------------------------------------------------

void br_linear_turning(const br_linear *l, double *x) {
    for (int i = 0; i < l->f->nodes; i++) {
        const br_vec3 move = br_vec3_cross(l->axis, br_vec3_sub(l->f->node[i].x1, l->about));
        const double part[6] = {move.x, move.y, move.z, l->axis.x, l->axis.y, l->axis.z};
        memcpy(x + 6 * (size_t)i, part, sizeof part);
    }
}

int br_linear_turns_freely(const br_linear *l) {
    double *x = l->work, size = 0.0, largest = 0.0;
    br_linear_turning(l, x);
    for (int k = 0; k < l->n; k++) {
        if (k % 6 >= 3) x[k] *= l->length;
        size = fmax(size, fabs(x[k]));
    }
    for (int r = 0; r < l->rows; r++) {
        double sum = 0.0;
        for (int k = 0; k < l->n; k++) sum += l->B[(size_t)r * (size_t)l->n + (size_t)k] * x[k];
        largest = fmax(largest, fabs(sum));
    }
    return largest <= BR_EPS_TURNED * size;
}

// --- what the spin adds ------------------------------------------------------------------------------------

// N and what it is made of: -m e x (e x x), -e x J e.
void br_linear_centrifugal(const br_linear *l, double *force) {
    memset(force, 0, (size_t)l->n * sizeof *force);
    for (int p = 0; p < l->pairs; p++) {
        const br_mode_pair *pair = &l->pair[p];
        const double *M = pair->a[BR_MODE_M];
        const br_vec3 arm = br_vec3_sub(l->f->node[pair->j].x1, l->about);
        const br_vec3 in = br_vec3_cross(l->axis, br_vec3_cross(l->axis, arm));
        br_mat3 J;
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) J.m[r][c] = M[6 * (3 + r) + 3 + c];
        const br_vec3 T = br_vec3_cross(l->axis, br_mat3_mul_vec(J, l->axis));
        double *out = force + 6 * (size_t)pair->k;
        for (int c = 0; c < 3; c++) {
            out[c] -= M[0] * br_vec3_get(in, c);
            out[3 + c] -= br_vec3_get(T, c);
        }
    }
}

// Forces of the element that come with the spin, on its nodes.
static void spin_forces(br_linear *l, br_element *e, double *out) {
    br_implicit *f = l->f;
    memset(out, 0, MOST * sizeof *out);
    for (int turning = 1; turning >= 0; turning--) {
        for (int a = 0; a < node_slots(e); a++) {
            if (e->slot[a].node < 0) continue;
            br_node *n = &f->node[e->slot[a].node];
            const br_vec3 omega = br_vec3_scale(turning ? 1.0 : 0.0, l->axis);
            n->u1 = br_vec3_cross(omega, br_vec3_sub(n->x1, l->about));
            n->w1 = br_mat3_tmul_vec(br_quat_to_mat3(n->q1), omega);
        }
        br_linear_stage(l, BR_STAGE_ROWS);
        f->tangent = 0;
        e->kind->evaluate(f, e);
        for (int a = 0; a < node_slots(e); a++) {
            const int node = e->slot[a].node;
            for (int b = 0; node >= 0 && b < BR_BOOKS; b++) {
                const br_wrench F = f->book[b][node];
                const double part[6] = {F.force.x, F.force.y, F.force.z, F.torque.x, F.torque.y, F.torque.z};
                for (int c = 0; c < 6; c++) out[6 * a + c] += (turning ? 1.0 : -1.0) * part[c];
            }
        }
    }
}

static br_status element_drag(br_linear *l, br_element *e, br_error *error) {
    double side[2][MOST];
    for (int b = 0; b < node_slots(e); b++) {
        const int j = e->slot[b].node;
        for (int c = 0; j >= 0 && c < 6; c++) {
            const double d = BR_DRAG_DIFFERENCE * (c < 3 ? l->length : 1.0);
            br_node *n = &l->f->node[j];
            const br_node kept = *n;
            for (int s = 0; s < 2; s++) {
                const br_vec3 by = br_vec3_scale(s == 0 ? d : -d, br_vec3_unit(c % 3));
                if (c < 3)
                    n->x1 = br_vec3_add(kept.x1, by);
                else
                    n->q1 = br_quat_normalize(br_quat_mul(br_quat_exp(by), kept.q1));
                spin_forces(l, e, side[s]);
                *n = kept;
            }
            for (int a = 0; a < node_slots(e); a++) {
                double *block =
                    e->slot[a].node < 0 ? NULL : br_linear_block(l, BR_MODE_DRAG, e->slot[a].node, j);
                if (e->slot[a].node >= 0 && !block) return br_no_memory(error, "no memory for the modes");
                for (int r = 0; block && r < 6; r++)
                    block[6 * r + c] -= (side[0][6 * a + r] - side[1][6 * a + r]) / (2.0 * d);
            }
        }
    }
    return BR_OK;
}

// A damper against the world feels the whole velocity: x' + spin e x x. Dampers within the shaft feel x' alone.
br_status br_linear_drag(br_linear *l, br_error *error) {
    br_status status = BR_OK;
    for (int q = 0; q < l->f->elements && status == BR_OK; q++) {
        br_element *e = &l->f->element[q];
        if (l->skip[q] || e->rows > 0 || !may_stay_behind(e) || e->kind == &br_element_clearance) continue;
        status = element_drag(l, e, error);
    }
    for (int i = 0; i < l->f->nodes; i++) l->f->node[i].u1 = l->f->node[i].w1 = br_vec3_zero();
    br_linear_stage(l, BR_STAGE_ROWS);
    return status;
}

// --- whirl -------------------------------------------------------------------------------------------------

typedef struct complex3 {
    br_vec3 re, im;
} complex3;

// p (e_1 -+ i e_2)/sqrt 2 with p = (a +- i b)/sqrt 2 for the components a, b across the axis: the part that turns one way.
static complex3 turning_part(br_vec3 e1, br_vec3 e2, br_vec3 re, br_vec3 im, double sense) {
    const double a = br_vec3_dot(e1, re), a_i = br_vec3_dot(e1, im), b = br_vec3_dot(e2, re),
                 b_i = br_vec3_dot(e2, im);
    const double p = 0.5 * (a - sense * b_i), p_i = 0.5 * (a_i + sense * b);
    return (complex3){br_vec3_add(br_vec3_scale(p, e1), br_vec3_scale(sense * p_i, e2)),
                      br_vec3_add(br_vec3_scale(p_i, e1), br_vec3_scale(-sense * p, e2))};
}

static complex3 part_of(const br_linear *l, int which, br_vec3 re, br_vec3 im) {
    const br_mat3 basis = br_tangent_basis(l->axis);
    const br_vec3 e1 = br_mat3_column(basis, 0), e2 = br_mat3_column(basis, 1);
    if (which < 2) return turning_part(e1, e2, re, im, which == 0 ? 1.0 : -1.0);
    return (complex3){br_vec3_scale(br_vec3_dot(re, l->axis), l->axis),
                      br_vec3_scale(br_vec3_dot(im, l->axis), l->axis)};
}

void br_linear_whirl(const br_linear *l, const br_found *mode, double share[3]) {
    double sum = 0.0;
    for (int which = 0; which < 3; which++) {
        share[which] = 0.0;
        for (int p = 0; p < l->pairs; p++) {
            const br_mode_pair *pair = &l->pair[p];
            const double *M = pair->a[BR_MODE_M];
            double v[2][2][6]; // of k and j, real and imaginary
            for (int s = 0; s < 2; s++) {
                const size_t at = 6 * (size_t)(s == 0 ? pair->k : pair->j);
                for (int h = 0; h < 2; h++) {
                    const double *x = mode->x + at + 3 * h, *y = mode->x_i + at + 3 * h;
                    const complex3 c =
                        part_of(l, which, br_vec3_of(x[0], x[1], x[2]), br_vec3_of(y[0], y[1], y[2]));
                    for (int i = 0; i < 3; i++)
                        v[s][0][3 * h + i] = br_vec3_get(c.re, i), v[s][1][3 * h + i] = br_vec3_get(c.im, i);
                }
            }
            for (int r = 0; r < 6; r++)
                for (int c = 0; c < 6; c++)
                    share[which] += M[6 * r + c] * (v[0][0][r] * v[1][0][c] + v[0][1][r] * v[1][1][c]);
        }
        sum += share[which];
    }
    for (int which = 0; which < 3; which++) share[which] = sum > 0.0 ? share[which] / sum : 0.0;
}
