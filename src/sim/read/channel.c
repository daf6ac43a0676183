// Channels: quantities by name, as CSV columns, plots and scripts have them. One row of the table per member; names
// are ELEMENT.member[.component], where the element is a body, a joint, a body's frame, or a group of scalars.
#include <stdio.h>
#include <string.h>

#include "sim/core/reaction.h"
#include "base/error.h"
#include "sim/contact/contact.h"
#include "sim/read/contact_channel.h"
#include "sim/read/flex_channel.h"
#include "sim/friction/friction.h"

typedef enum member {
    BODY_POSITION,
    BODY_COM,
    BODY_ROTATION,
    BODY_VELOCITY,
    BODY_ANGULAR_VELOCITY,
    BODY_ACCELERATION,
    BODY_ANGULAR_ACCELERATION,
    JOINT_POSITION,
    JOINT_VELOCITY,
    JOINT_ACCELERATION,
    JOINT_FORCE,
    JOINT_TORQUE,
    JOINT_FORCE_WORLD,
    JOINT_TORQUE_WORLD,
    JOINT_STOP,
    JOINT_FRICTION_FORCE,  // of directions that slide, and
    JOINT_FRICTION_TORQUE, // of those that turn
    JOINT_NORMAL,
    DRIVE_EFFORT,
    SCALAR,
    FRAME_POSITION,
    FRAME_ROTATION,
    CONTACT,    // see contact_channel.h
    BEAM_FORCE, // of bodies that are nodes of beams; index: the body
    BEAM_MOMENT,
    CLEARANCE_GAP,
    CLEARANCE_NORMAL,
    CLEARANCE_FRICTION,
    CLEARANCE_FRICTION_WORLD,
    CLEARANCE_SLIP,
    STATION, // of a beam, anywhere: see flex_channel.h
    MEMBERS
} member;

typedef struct member_row {
    const char *name;
    const char *components; // one letter each; "" where coordinates count 0, 1, ..
    const char *unit;
} member_row;

static const member_row table[MEMBERS] = {
    [BODY_POSITION] = {"position", "xyz", "m"},
    [BODY_COM] = {"com", "xyz", "m"},
    [BODY_ROTATION] = {"rotation", "wxyz", "1"},
    [BODY_VELOCITY] = {"velocity", "xyz", "m/s"},
    [BODY_ANGULAR_VELOCITY] = {"angular_velocity", "xyz", "rad/s"},
    [BODY_ACCELERATION] = {"acceleration", "xyz", "m/s^2"},
    [BODY_ANGULAR_ACCELERATION] = {"angular_acceleration", "xyz", "rad/s^2"},
    [JOINT_POSITION] = {"position", "", "m or rad"},
    [JOINT_VELOCITY] = {"velocity", "", ""},
    [JOINT_ACCELERATION] = {"acceleration", "", ""},
    [JOINT_FORCE] = {"reaction.force", "xyz", "N"},
    [JOINT_TORQUE] = {"reaction.torque", "xyz", "N m"},
    [JOINT_FORCE_WORLD] = {"reaction.force_world", "xyz", "N"},
    [JOINT_TORQUE_WORLD] = {"reaction.torque_world", "xyz", "N m"},
    [JOINT_STOP] = {"stop", "", ""},
    [JOINT_FRICTION_FORCE] = {"friction.force", "", "N"},
    [JOINT_FRICTION_TORQUE] = {"friction.torque", "", "N m"},
    [JOINT_NORMAL] = {"normal", "", "N"},
    [DRIVE_EFFORT] = {"effort", "", ""},
    [FRAME_POSITION] = {"position", "xyz", "m"},
    [FRAME_ROTATION] = {"rotation", "wxyz", "1"},
    [BEAM_FORCE] = {"force", "xyz", "N"},
    [BEAM_MOMENT] = {"moment", "xyz", "N m"},
    [CLEARANCE_GAP] = {"gap", "", "m"},
    [CLEARANCE_NORMAL] = {"force.normal", "", "N"},
    [CLEARANCE_FRICTION] = {"force.friction", "", "N"},
    [CLEARANCE_FRICTION_WORLD] = {"force.friction", "xyz", "N"},
    [CLEARANCE_SLIP] = {"slip", "", "m/s"},
};

typedef enum scalar {
    TIME,
    KINETIC,
    POTENTIAL,
    ELASTIC,
    TOTAL,
    INPUT,
    FRICTION,
    IMPACT,
    DAMPING,
    SCHEME,
    UNACCOUNTED,
    STEP,
    ITERATIONS,
    RESIDUAL,
    STATUS,
    LOOP_ERROR,
    METHOD,        // of models in which something can touch
    STEP_BY_ERROR, // of solver.adaptive
    STEP_BY_CONTACT,
    STEP_BY_FRICTION,
    SCALARS
} scalar;

static const struct {
    const char *name, *unit;
} scalars[SCALARS] = {
    [TIME] = {"t", "s"},
    [KINETIC] = {"energy.kinetic", "J"},
    [POTENTIAL] = {"energy.potential", "J"},
    [ELASTIC] = {"energy.elastic", "J"},
    [TOTAL] = {"energy.total", "J"},
    [INPUT] = {"ledger.input", "J"},
    [FRICTION] = {"ledger.friction", "J"},
    [IMPACT] = {"ledger.impact", "J"},
    [DAMPING] = {"ledger.damping", "J"},
    [SCHEME] = {"ledger.scheme", "J"},
    [UNACCOUNTED] = {"ledger.unaccounted", "J"},
    [STEP] = {"solver.step", "s"},
    [ITERATIONS] = {"solver.iterations", "1"},
    [RESIDUAL] = {"solver.residual", "1"},
    [STATUS] = {"solver.status", "1"},
    [LOOP_ERROR] = {"ledger.loop_error", "m"},
    [METHOD] = {"solver.method", "1"},
    [STEP_BY_ERROR] = {"solver.step_error", "s"},
    [STEP_BY_CONTACT] = {"solver.step_contact", "s"},
    [STEP_BY_FRICTION] = {"solver.step_friction", "s"},
};

// --- reading -----------------------------------------------------------------------------------------------

static double scalar_value(const br_sim *sim, int which) {
    const br_ledger *l = &sim->ledger;
    switch (which) {
    case TIME:
        return sim->state.t;
    case KINETIC:
        return sim->energy.kinetic;
    case POTENTIAL:
        return sim->energy.potential;
    case ELASTIC:
        return sim->energy.elastic;
    case TOTAL:
        return sim->energy.total;
    case INPUT:
        return l->input;
    case FRICTION:
        return l->friction;
    case IMPACT:
        return l->impact;
    case DAMPING:
        return l->damping;
    case SCHEME:
        return l->scheme;
    case UNACCOUNTED:
        return l->unaccounted;
    case STEP:
        return br_sim_step_info(sim).step;
    case STEP_BY_ERROR: // without a wish: the setting
        return fmin(br_sim_step_info(sim).by_error, sim->model->settings.solver.step);
    case STEP_BY_CONTACT:
        return fmin(br_sim_step_info(sim).by_contact, sim->model->settings.solver.step);
    case STEP_BY_FRICTION:
        return fmin(br_sim_step_info(sim).by_friction, sim->model->settings.solver.step);
    case ITERATIONS:
        return (double)l->iterations;
    case RESIDUAL:
        return l->residual;
    case LOOP_ERROR:
        return l->loop_error;
    case METHOD:
        return sim->contacts ? (double)sim->contacts->method : 0.0;
    default:
        return 0.0; // status: a run that goes on is fine
    }
}

// q and -q are one rotation: w >= 0, and where w is zero to rounding the first other component that is not is positive.
static br_quat canonical(br_quat q) {
    const double part[] = {q.w, q.x, q.y, q.z};
    int k = 0;
    while (k < 3 && fabs(part[k]) < 1e-9) k++;
    return part[k] < 0.0 ? br_quat_of(-q.w, -q.x, -q.y, -q.z) : q;
}

static double quat_get(br_quat q, int k) {
    q = canonical(q);
    return k == 0 ? q.w : k == 1 ? q.x : k == 2 ? q.y : q.z;
}

static double body_value(const br_sim *sim, int which, int body, int k) {
    const br_model_body *b = &sim->model->body[body];
    const br_pose X = br_sim_body_pose(sim, body);
    if (which == BODY_POSITION) return br_vec3_get(X.position, k);
    if (which == BODY_ROTATION) return quat_get(X.rotation, k);
    if (which == BODY_COM) return br_vec3_get(br_pose_point(X, b->com_B), k);
    const br_twist V = br_sim_body_twist(sim, body);
    return br_vec3_get(which == BODY_ANGULAR_VELOCITY ? V.angular : V.linear, k);
}

static br_status body_acceleration(br_sim *sim, int which, int body, int k, double *value, br_error *error) {
    br_twist A;
    const br_status status = br_sim_body_acceleration(sim, body, &A, error);
    if (status == BR_OK) *value = br_vec3_get(which == BODY_ACCELERATION ? A.linear : A.angular, k);
    return status;
}

// frames are numbered through the bodies.
static double frame_value(const br_sim *sim, int which, int index, int k) {
    for (int b = 0; b < sim->model->bodies; b++) {
        const br_model_body *body = &sim->model->body[b];
        if (index >= body->frames) {
            index -= body->frames;
            continue;
        }
        const br_pose X = br_pose_mul(br_sim_body_pose(sim, b), body->frame[index].X_BF);
        return which == FRAME_POSITION ? br_vec3_get(X.position, k) : quat_get(X.rotation, k);
    }
    return 0.0;
}

static br_status joint_value(br_sim *sim, int which, int joint, int k, double *value, br_error *error) {
    double x[BR_MAX_JOINT_Q] = {0.0};
    br_wrench in_M, in_W;
    if (which == JOINT_POSITION) return br_sim_joint_position(sim, joint, x), *value = x[k], BR_OK;
    if (which == JOINT_VELOCITY) return br_sim_joint_velocity(sim, joint, x), *value = x[k], BR_OK;
    if (which == JOINT_ACCELERATION) {
        const br_status found = br_sim_joint_acceleration(sim, joint, x, error);
        if (found == BR_OK) *value = x[k];
        return found;
    }
    const br_status status = br_sim_joint_reaction(sim, joint, &in_M, &in_W, error);
    if (status != BR_OK) return status;
    const br_wrench F = which == JOINT_FORCE || which == JOINT_TORQUE ? in_M : in_W;
    *value = br_vec3_get(which == JOINT_FORCE || which == JOINT_FORCE_WORLD ? F.force : F.torque, k);
    return BR_OK;
}

static int slides(const br_pad *pad, int d) {
    return br_vec3_max_abs(pad->D[d].torque) == 0.0;
}

// Directions of a joint's friction that slide or turn, or its pads: how many, and which rub and direction number k is.
static int friction_part(const br_sim *sim, int which, int joint, int k, int *rub, int *direction) {
    const br_frictions *f = sim->frictions;
    int count = 0;
    for (int i = 0; f && i < f->count; i++) {
        const br_pad *pad = &f->rub[i].pad;
        if (f->rub[i].joint != joint) continue;
        for (int d = 0; d < (which == JOINT_NORMAL ? 1 : pad->directions); d++) {
            if (which != JOINT_NORMAL && slides(pad, d) != (which == JOINT_FRICTION_FORCE)) continue;
            if (count == k) *rub = i, *direction = d;
            count++;
        }
    }
    return count;
}

// Of the last step; where there was none, of the instant.
static br_status friction_value(br_sim *sim, int which, int joint, int k, double *value, br_error *error) {
    const br_frictions *f = sim->frictions;
    int rub = 0, d = 0;
    friction_part(sim, which, joint, k, &rub, &d);
    const br_rub_state *now = &f->now[rub];
    if (now->known == 0.0) {
        const br_status status = br_sim_joint_reaction(sim, joint, NULL, NULL, error);
        if (status != BR_OK) return status;
    }
    *value = which == JOINT_NORMAL ? now->normal : f->rub[rub].pad.arm[d] * now->force[d];
    return BR_OK;
}

br_status br_sim_channel_read(br_sim *sim, const br_channel *c, double *value, br_error *error) {
    switch (c->kind) {
    case SCALAR:
        *value = scalar_value(sim, c->index);
        return BR_OK;
    case JOINT_STOP:
        return br_sim_stop_effort(sim, c->index, c->component, value, error);
    case JOINT_FRICTION_FORCE:
    case JOINT_FRICTION_TORQUE:
    case JOINT_NORMAL:
        return friction_value(sim, c->kind, c->index, c->component, value, error);
    case DRIVE_EFFORT:
        return br_sim_drive_effort(sim, c->index, value, error);
    case BEAM_FORCE:
    case BEAM_MOMENT:
        return br_beam_node_channel(sim, c->index, c->kind == BEAM_MOMENT, c->component, value, error);
    case CLEARANCE_GAP:
    case CLEARANCE_NORMAL:
    case CLEARANCE_FRICTION:
    case CLEARANCE_FRICTION_WORLD:
    case CLEARANCE_SLIP:
        return br_clearance_channel(sim, c->index, c->kind - CLEARANCE_GAP, c->component, value, error);
    case STATION:
        return br_station_channel_read(sim, c->index, c->component, value, error);
    case CONTACT:
        *value = br_contact_channel_read(sim, c->index, c->component);
        return BR_OK;
    case FRAME_POSITION:
    case FRAME_ROTATION:
        *value = frame_value(sim, c->kind, c->index, c->component);
        return BR_OK;
    case BODY_ACCELERATION:
    case BODY_ANGULAR_ACCELERATION:
        return body_acceleration(sim, c->kind, c->index, c->component, value, error);
    case JOINT_POSITION:
    case JOINT_VELOCITY:
    case JOINT_ACCELERATION:
    case JOINT_FORCE:
    case JOINT_TORQUE:
    case JOINT_FORCE_WORLD:
    case JOINT_TORQUE_WORLD:
        return joint_value(sim, c->kind, c->index, c->component, value, error);
    default:
        *value = body_value(sim, c->kind, c->index, c->component);
        return BR_OK;
    }
}

// --- names -------------------------------------------------------------------------------------------------

static int components_of(const br_sim *sim, int which, int index) {
    const br_model *m = sim->model;
    int rub, direction;
    if (which >= JOINT_FRICTION_FORCE && which <= JOINT_NORMAL)
        return friction_part(sim, which, index, -1, &rub, &direction);
    if (which == SCALAR || which == DRIVE_EFFORT) return 1;
    if (which >= CLEARANCE_GAP && which <= CLEARANCE_SLIP && which != CLEARANCE_FRICTION_WORLD) return 1;
    if (which == JOINT_POSITION) return m->joint[index].kind ? m->joint[index].kind->nq : 0;
    if (which == JOINT_VELOCITY || which == JOINT_ACCELERATION || which == JOINT_STOP)
        return m->joint[index].kind ? m->joint[index].kind->nv : 0;
    return (int)strlen(table[which].components);
}

static int has_reaction(const br_model_joint *joint) {
    return joint->kind ? joint->kind->nv < 6 : joint->loop >= 0;
}

static int is_translation(br_joint_type type, int k) {
    return type == BR_JOINT_PRISMATIC || (type == BR_JOINT_CYLINDRICAL && k == 0) ||
           (type == BR_JOINT_PLANAR && k < 2) || (type == BR_JOINT_FREE && k < 3);
}

static void set_unit(const br_model *m, br_channel *c) {
    const char *unit = c->kind == SCALAR    ? scalars[c->index].unit
                       : c->kind == CONTACT ? br_contact_channel_unit(c->component)
                                            : table[c->kind].unit;
    if (c->kind == JOINT_ACCELERATION)
        unit = is_translation(m->joint[c->index].type, c->component) ? "m/s^2" : "rad/s^2";
    if (c->kind == JOINT_POSITION || c->kind == JOINT_VELOCITY) {
        const int translation = is_translation(m->joint[c->index].type, c->component);
        const int quaternion = c->kind == JOINT_POSITION &&
                               m->joint[c->index].kind->nq != m->joint[c->index].kind->nv && !translation;
        unit = c->kind == JOINT_POSITION ? (translation  ? "m"
                                            : quaternion ? "1"
                                                         : "rad")
                                         : (translation ? "m/s" : "rad/s");
    }
    if (c->kind == JOINT_STOP || c->kind == DRIVE_EFFORT) {
        const int joint = c->kind == JOINT_STOP ? c->index : m->drive[c->index].joint;
        const int k = c->kind == JOINT_STOP ? c->component : m->drive[c->index].coordinate;
        unit = is_translation(m->joint[joint].type, k) ? "N" : "N m";
    }
    snprintf(c->unit, sizeof c->unit, "%s", unit);
}

// Calls visit for every channel in order until it returns nonzero.
typedef int (*visitor)(void *context, const br_sim *sim, const char *element, const br_channel *c);

static int visit_members(const br_sim *sim, int first, int last, int index, const char *element,
                         visitor visit, void *context) {
    for (int which = first; which <= last; which++)
        for (int k = 0; k < components_of(sim, which, index); k++) {
            const br_channel c = {which, index, k, ""};
            if (visit(context, sim, element, &c)) return 1;
        }
    return 0;
}

typedef struct contact_visit {
    const br_sim *sim;
    visitor visit;
    void *context;
} contact_visit;

static int visit_contact(void *context, int index, int component) {
    const contact_visit *v = context;
    const br_channel c = {CONTACT, index, component, ""};
    return v->visit(v->context, v->sim, NULL, &c);
}

static int visit_all(const br_sim *sim, visitor visit, void *context) {
    const br_model *m = sim->model;
    char name[2 * BR_MAX_NAME];
    for (int k = 0; k < SCALARS; k++) {
        const br_channel c = {SCALAR, k, 0, ""};
        if (k == METHOD && !sim->contacts) continue;
        if (k >= STEP_BY_ERROR && !m->settings.solver.adaptive.on) break; // the last ones
        if (k == 1) { // t first, then the bodies and joints, then the other scalars
            int frame = 0;
            for (int b = 0; b < m->bodies; b++) {
                if (visit_members(sim, BODY_POSITION, BODY_ANGULAR_ACCELERATION, b, m->body[b].name, visit,
                                  context))
                    return 1;
                if (m->beam_node && m->beam_node[m->body[b].link] &&
                    visit_members(sim, BEAM_FORCE, BEAM_MOMENT, b, m->body[b].name, visit, context))
                    return 1;
                for (int f = 0; f < m->body[b].frames; f++, frame++) {
                    snprintf(name, sizeof name, "%s.%s", m->body[b].name, m->body[b].frame[f].name);
                    if (visit_members(sim, FRAME_POSITION, FRAME_ROTATION, frame, name, visit, context))
                        return 1;
                }
            }
            for (int j = 0; j < m->joints; j++) {
                if (visit_members(sim, JOINT_POSITION, JOINT_ACCELERATION, j, m->joint[j].name, visit,
                                  context))
                    return 1;
                if (has_reaction(&m->joint[j]) &&
                    visit_members(sim, JOINT_FORCE, JOINT_TORQUE_WORLD, j, m->joint[j].name, visit, context))
                    return 1;
            }
            for (int j = 0; j < m->joints; j++)
                if (m->joint[j].limited &&
                    visit_members(sim, JOINT_STOP, JOINT_STOP, j, m->joint[j].name, visit, context))
                    return 1;
            for (int j = 0; sim->frictions && j < m->joints; j++)
                if (visit_members(sim, JOINT_FRICTION_FORCE, JOINT_NORMAL, j, m->joint[j].name, visit,
                                  context))
                    return 1;
            for (int d = 0; d < m->drives; d++)
                if (visit_members(sim, DRIVE_EFFORT, DRIVE_EFFORT, d, m->drive[d].name, visit, context))
                    return 1;
            for (int i = 0; i < m->clearances; i++)
                if (visit_members(sim, CLEARANCE_GAP, CLEARANCE_SLIP, i, m->clearance[i].name, visit,
                                  context))
                    return 1;
            contact_visit v = {sim, visit, context};
            if (br_contact_channel_each(m, visit_contact, &v)) return 1;
        }
        if (visit(context, sim, NULL, &c)) return 1;
    }
    return 0;
}

static void write_name(const br_sim *sim, const char *element, const br_channel *c, char *out, size_t size) {
    if (c->kind == SCALAR) {
        snprintf(out, size, "%s", scalars[c->index].name);
    } else if (c->kind == CONTACT) {
        br_contact_channel_name(sim->model, c->index, c->component, out, size);
    } else if (table[c->kind].components[0]) {
        snprintf(out, size, "%s.%s.%c", element, table[c->kind].name,
                 table[c->kind].components[c->component]);
    } else if (components_of(sim, c->kind, c->index) > 1) {
        snprintf(out, size, "%s.%s.%d", element, table[c->kind].name, c->component);
    } else {
        snprintf(out, size, "%s.%s", element, table[c->kind].name);
    }
}

typedef struct query {
    const char *name; // to find, or NULL
    int k;            // else the number of the channel
    char found[3 * BR_MAX_NAME];
    br_channel channel;
} query;

static int match(void *context, const br_sim *sim, const char *element, const br_channel *c) {
    query *q = context;
    if (!q->name && q->k-- > 0) return 0;
    // Elements that cannot match are passed by without writing their name.
    if (q->name && element && strncmp(q->name, element, strlen(element)) != 0) return 0;
    write_name(sim, element, c, q->found, sizeof q->found);
    if (q->name && strcmp(q->found, q->name) != 0) return 0;
    q->channel = *c;
    return 1;
}

static int count(void *context, const br_sim *sim, const char *element, const br_channel *c) {
    (void)sim, (void)element, (void)c;
    ++*(int *)context;
    return 0;
}

int br_sim_channel_count(const br_sim *sim) {
    int n = 0;
    visit_all(sim, count, &n);
    return n;
}

void br_sim_channel_name(const br_sim *sim, int k, char *name, size_t size) {
    query q = {.k = k};
    if (size == 0) return;
    name[0] = '\0';
    if (k >= 0 && visit_all(sim, match, &q)) snprintf(name, size, "%s", q.found);
}

typedef struct each {
    br_channel_visit visit;
    void *context;
} each;

static int visit_named(void *context, const br_sim *sim, const char *element, const br_channel *c) {
    const each *e = context;
    char name[3 * BR_MAX_NAME];
    br_channel channel = *c;
    write_name(sim, element, c, name, sizeof name);
    set_unit(sim->model, &channel);
    return e->visit(e->context, name, &channel);
}

int br_sim_channel_each(const br_sim *sim, br_channel_visit visit, void *context) {
    each e = {visit, context};
    return visit_all(sim, visit_named, &e);
}

br_status br_sim_channel_find(const br_sim *sim, const char *name, br_channel *out, br_error *error) {
    query q = {.name = name, .channel = {.kind = CONTACT}};
    if (!br_contact_channel_find(sim->model, name, &q.channel.index, &q.channel.component) &&
        !visit_all(sim, match, &q)) {
        q.channel.kind = STATION;
        if (br_station_channel_find(sim->model, name, &q.channel.index, &q.channel.component)) {
            snprintf(q.channel.unit, sizeof q.channel.unit, "%s",
                     br_station_channel_unit(q.channel.component));
            *out = q.channel;
            return BR_OK;
        }
        return br_fail(error, BR_INVALID, "channel-unknown", "there is no channel '%s' in this model", name);
    }
    set_unit(sim->model, &q.channel);
    *out = q.channel;
    return BR_OK;
}
