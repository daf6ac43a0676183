// Channels: quantities by name, as CSV columns, plots and scripts have them. One row of the table per member; names
// are ELEMENT.member[.component], where the element is a body, a joint, a body's frame, or a group of scalars.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "sim/core/reaction.h"
#include "sim/read/channel.h"
#include "sim/read/contact_channel.h"
#include "sim/read/contact_sum.h"
#include "sim/read/flex_channel.h"
#include "sim/read/sensor.h"

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
    JOINT_TENSION,         // of tendons
    JOINT_FRICTION_FORCE,  // of directions that slide, and
    JOINT_FRICTION_TORQUE, // of those that turn
    JOINT_NORMAL,
    DRIVE_EFFORT,
    SCALAR,
    FRAME_POSITION,
    FRAME_ROTATION,
    CONTACT,    // see contact_channel.h
    SUM,        // of contacts, see contact_sum.h
    BEAM_FORCE, // of bodies that are nodes of beams; index: the body
    BEAM_MOMENT,
    CLEARANCE_GAP,
    CLEARANCE_NORMAL,
    CLEARANCE_FRICTION,
    CLEARANCE_FRICTION_WORLD,
    CLEARANCE_SLIP,
    SENSOR,  // see sensor.h
    STATION, // of a beam, anywhere: see flex_channel.h
    MEMBERS
} member;

typedef struct member_row {
    const char *name;
    const char *components; // one letter each; "" where coordinates count 0, 1, ..
    const char *unit;
    br_channel_family family;
    br_reading reading;
    int offset; // of the first component in the reading
} member_row;

#define BODY BR_FAMILY_BODY
#define JOINT BR_FAMILY_JOINT
#define OTHER BR_FAMILY_OTHER
static const member_row table[MEMBERS] = {
    [BODY_POSITION] = {"position", "xyz", "m", BODY, BR_READ_BODY, 0},
    [BODY_COM] = {"com", "xyz", "m", BODY, BR_READ_BODY, 3},
    [BODY_ROTATION] = {"rotation", "wxyz", "1", BODY, BR_READ_BODY, 6},
    [BODY_VELOCITY] = {"velocity", "xyz", "m/s", BODY, BR_READ_BODY, 10},
    [BODY_ANGULAR_VELOCITY] = {"angular_velocity", "xyz", "rad/s", BODY, BR_READ_BODY, 13},
    [BODY_ACCELERATION] = {"acceleration", "xyz", "m/s^2", OTHER, BR_READ_BODY_ACCELERATION, 0},
    [BODY_ANGULAR_ACCELERATION] = {"angular_acceleration", "xyz", "rad/s^2", OTHER, BR_READ_BODY_ACCELERATION,
                                   3},
    [JOINT_POSITION] = {"position", "", "m or rad", JOINT, BR_READ_JOINT_POSITION, 0},
    [JOINT_VELOCITY] = {"velocity", "", "", JOINT, BR_READ_JOINT_VELOCITY, 0},
    [JOINT_ACCELERATION] = {"acceleration", "", "", OTHER, BR_READ_JOINT_ACCELERATION, 0},
    [JOINT_FORCE] = {"reaction.force", "xyz", "N", OTHER, BR_READ_REACTION, 0},
    [JOINT_TORQUE] = {"reaction.torque", "xyz", "N m", OTHER, BR_READ_REACTION, 3},
    [JOINT_FORCE_WORLD] = {"reaction.force_world", "xyz", "N", OTHER, BR_READ_REACTION, 6},
    [JOINT_TORQUE_WORLD] = {"reaction.torque_world", "xyz", "N m", OTHER, BR_READ_REACTION, 9},
    [JOINT_STOP] = {"stop", "", "", OTHER, BR_READ_STOP, 0},
    [JOINT_TENSION] = {"tension", "", "N", OTHER, BR_READ_TENSION, 0},
    [JOINT_FRICTION_FORCE] = {"friction.force", "", "N", OTHER, BR_READ_FRICTION, 0},
    [JOINT_FRICTION_TORQUE] = {"friction.torque", "", "N m", OTHER, BR_READ_FRICTION, 0},
    [JOINT_NORMAL] = {"normal", "", "N", OTHER, BR_READ_FRICTION, 0},
    [DRIVE_EFFORT] = {"effort", "", "", OTHER, BR_READ_DRIVE, 0},
    [FRAME_POSITION] = {"position", "xyz", "m", BODY, BR_READ_FRAME, 0},
    [FRAME_ROTATION] = {"rotation", "wxyz", "1", BODY, BR_READ_FRAME, 3},
    [BEAM_FORCE] = {"force", "xyz", "N", OTHER, BR_READ_BEAM, 0},
    [BEAM_MOMENT] = {"moment", "xyz", "N m", OTHER, BR_READ_BEAM, 3},
    [CLEARANCE_GAP] = {"gap", "", "m", OTHER, BR_READ_CLEARANCE, 0},
    [CLEARANCE_NORMAL] = {"force.normal", "", "N", OTHER, BR_READ_CLEARANCE, 1},
    [CLEARANCE_FRICTION] = {"force.friction", "", "N", OTHER, BR_READ_CLEARANCE, 2},
    [CLEARANCE_FRICTION_WORLD] = {"force.friction", "xyz", "N", OTHER, BR_READ_CLEARANCE, 3},
    [SENSOR] = {"", "", "", OTHER, BR_READ_SENSOR, 0},
    [CLEARANCE_SLIP] = {"slip", "", "m/s", OTHER, BR_READ_CLEARANCE, 6},
};
#undef BODY
#undef JOINT
#undef OTHER

static const struct {
    const char *name, *unit;
} scalars[BR_SCALARS] = {
    [BR_SCALAR_TIME] = {"t", "s"},
    [BR_SCALAR_KINETIC] = {"energy.kinetic", "J"},
    [BR_SCALAR_POTENTIAL] = {"energy.potential", "J"},
    [BR_SCALAR_ELASTIC] = {"energy.elastic", "J"},
    [BR_SCALAR_TOTAL] = {"energy.total", "J"},
    [BR_SCALAR_INPUT] = {"ledger.input", "J"},
    [BR_SCALAR_FRICTION] = {"ledger.friction", "J"},
    [BR_SCALAR_IMPACT] = {"ledger.impact", "J"},
    [BR_SCALAR_DAMPING] = {"ledger.damping", "J"},
    [BR_SCALAR_SCHEME] = {"ledger.scheme", "J"},
    [BR_SCALAR_UNACCOUNTED] = {"ledger.unaccounted", "J"},
    [BR_SCALAR_STEP] = {"solver.step", "s"},
    [BR_SCALAR_ITERATIONS] = {"solver.iterations", "1"},
    [BR_SCALAR_RESIDUAL] = {"solver.residual", "1"},
    [BR_SCALAR_STATUS] = {"solver.status", "1"},
    [BR_SCALAR_LOOP_ERROR] = {"ledger.loop_error", "m"},
    [BR_SCALAR_METHOD] = {"solver.method", "1"},
    [BR_SCALAR_STEP_BY_ERROR] = {"solver.step_error", "s"},
    [BR_SCALAR_STEP_BY_CONTACT] = {"solver.step_contact", "s"},
    [BR_SCALAR_STEP_BY_FRICTION] = {"solver.step_friction", "s"},
};

// --- reading -----------------------------------------------------------------------------------------------

br_reading_place br_channel_place(const br_channel *c) {
    const int friction = c->kind - JOINT_FRICTION_FORCE + BR_FRICTION_KINDS * c->component;
    switch (c->kind) {
    case SCALAR:
        return (br_reading_place){BR_READ_SCALARS, 0, 0, c->index};
    case CONTACT:
        return br_contact_channel_place(c->index, c->component);
    case SUM:
        return br_contact_sum_place(c->index, c->component);
    case STATION:
        return (br_reading_place){BR_READ_STATION, c->index, c->component, 0};
    case JOINT_STOP:
        return (br_reading_place){BR_READ_STOP, c->index, c->component, 0};
    case JOINT_FRICTION_FORCE:
    case JOINT_FRICTION_TORQUE:
    case JOINT_NORMAL:
        return (br_reading_place){BR_READ_FRICTION, c->index, friction, 0};
    default:
        return (br_reading_place){table[c->kind].reading, c->index, 0, table[c->kind].offset + c->component};
    }
}

br_channel_family br_channel_family_of(const br_channel *c) {
    if (c->kind != SCALAR) return table[c->kind].family;
    return c->index == BR_SCALAR_TIME                                      ? BR_FAMILY_TIME
           : c->index < BR_SCALAR_STEP || c->index == BR_SCALAR_LOOP_ERROR ? BR_FAMILY_ENERGY
                                                                           : BR_FAMILY_OTHER;
}

br_status br_sim_channel_read(br_sim *sim, const br_channel *channel, double *value, br_error *error) {
    double values[BR_MAX_READING] = {0.0};
    const br_reading_place place = br_channel_place(channel);
    const br_status status = br_read(sim, &place, values, error);
    if (status == BR_OK) *value = values[place.offset];
    return status;
}

// --- names -------------------------------------------------------------------------------------------------

static int components_of(const br_sim *sim, int which, int index) {
    const br_model *m = sim->model;
    if (which >= JOINT_FRICTION_FORCE && which <= JOINT_NORMAL)
        return br_friction_count(sim, (br_friction_of)(which - JOINT_FRICTION_FORCE), index);
    if (which == SCALAR || which == DRIVE_EFFORT || which == JOINT_TENSION) return 1;
    if (which >= CLEARANCE_GAP && which <= CLEARANCE_SLIP && which != CLEARANCE_FRICTION_WORLD) return 1;
    if (which == SENSOR) {
        const size_t letters = strlen(br_sensor_letters(sim, index));
        return letters > 0 ? (int)letters : 1;
    }
    if (which == JOINT_POSITION) return m->joint[index].kind ? m->joint[index].kind->nq : 0;
    if (which == JOINT_VELOCITY || which == JOINT_ACCELERATION || which == JOINT_STOP)
        return m->joint[index].kind ? m->joint[index].kind->nv : 0;
    return (int)strlen(table[which].components);
}

static int has_reaction(const br_model_joint *joint) {
    if (joint->tendon >= 0) return 0; // its tension is along its length: .tension
    return joint->kind ? joint->kind->nv < 6 : joint->loop >= 0;
}

static int is_translation(br_joint_type type, int k) {
    return br_joint_type_coordinates(type)[k] == 'L';
}

static void set_unit(const br_sim *sim, br_channel *c) {
    const br_model *m = sim->model;
    const char *unit = c->kind == SCALAR    ? scalars[c->index].unit
                       : c->kind == CONTACT ? br_contact_channel_unit(c->component)
                       : c->kind == SUM     ? br_contact_sum_unit(c->component)
                       : c->kind == SENSOR  ? br_sensor_unit(sim, c->index)
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

// Who is asked about every channel in order, until one returns nonzero.
typedef struct visiting {
    const br_sim *sim;
    int (*visit)(void *context, const br_sim *sim, const char *element, const br_channel *c);
    void *context;
} visiting;

static int visit_one(const visiting *v, const char *element, int which, int index, int component) {
    const br_channel c = {which, index, component, ""};
    return v->visit(v->context, v->sim, element, &c);
}

static int visit_members(const visiting *v, int first, int last, int index, const char *element) {
    for (int which = first; which <= last; which++)
        for (int k = 0; k < components_of(v->sim, which, index); k++)
            if (visit_one(v, element, which, index, k)) return 1;
    return 0;
}

static int visit_bodies(const visiting *v) {
    const br_model *m = v->sim->model;
    char name[2 * BR_MAX_NAME];
    for (int b = 0, frame = 0; b < m->bodies; b++) {
        const br_model_body *body = &m->body[b];
        const int is_node = m->beam_node && m->beam_node[body->link];
        if (visit_members(v, BODY_POSITION, BODY_ANGULAR_ACCELERATION, b, body->name)) return 1;
        if (is_node && visit_members(v, BEAM_FORCE, BEAM_MOMENT, b, body->name)) return 1;
        for (int f = 0; f < body->frames; f++, frame++) {
            snprintf(name, sizeof name, "%s.%s", body->name, body->frame[f].name);
            if (visit_members(v, FRAME_POSITION, FRAME_ROTATION, frame, name)) return 1;
        }
    }
    return 0;
}

static int visit_joints(const visiting *v) {
    const br_model *m = v->sim->model;
    for (int j = 0; j < m->joints; j++) {
        const br_model_joint *joint = &m->joint[j];
        const int last = has_reaction(joint) ? JOINT_TORQUE_WORLD : JOINT_ACCELERATION;
        if (visit_members(v, JOINT_POSITION, last, j, joint->name)) return 1;
    }
    for (int j = 0; j < m->joints; j++)
        if (m->joint[j].limited && visit_members(v, JOINT_STOP, JOINT_STOP, j, m->joint[j].name)) return 1;
    for (int t = 0; t < m->tendons; t++)
        if (visit_members(v, JOINT_TENSION, JOINT_TENSION, m->tendon[t].joint,
                          m->joint[m->tendon[t].joint].name))
            return 1;
    for (int j = 0; v->sim->frictions && j < m->joints; j++)
        if (visit_members(v, JOINT_FRICTION_FORCE, JOINT_NORMAL, j, m->joint[j].name)) return 1;
    return 0;
}

static int visit_others(const visiting *v) {
    const br_model *m = v->sim->model;
    for (int d = 0; d < m->drives; d++)
        if (visit_members(v, DRIVE_EFFORT, DRIVE_EFFORT, d, m->drive[d].name)) return 1;
    for (int i = 0; i < m->clearances; i++)
        if (visit_members(v, CLEARANCE_GAP, CLEARANCE_SLIP, i, m->clearance[i].name)) return 1;
    for (int i = 0; i < m->sensors; i++)
        if (visit_members(v, SENSOR, SENSOR, i, m->sensor[i].name)) return 1;
    return 0;
}

static int visit_contact(void *context, int index, int component) {
    return visit_one(context, NULL, CONTACT, index, component);
}

static int visit_scalars(const visiting *v) {
    const int last = v->sim->model->settings.solver.adaptive.on ? BR_SCALARS : BR_SCALAR_STEP_BY_ERROR;
    for (int k = BR_SCALAR_TIME + 1; k < last; k++)
        if ((k != BR_SCALAR_METHOD || v->sim->contacts) && visit_one(v, NULL, SCALAR, k, 0)) return 1;
    return 0;
}

static int visit_all(visiting v) {
    return visit_one(&v, NULL, SCALAR, BR_SCALAR_TIME, 0) || visit_bodies(&v) || visit_joints(&v) ||
           visit_others(&v) || br_contact_channel_each(v.sim->model, visit_contact, &v) || visit_scalars(&v);
}

static void write_name(const br_sim *sim, const char *element, const br_channel *c, char *out, size_t size) {
    if (c->kind == SCALAR) {
        snprintf(out, size, "%s", scalars[c->index].name);
    } else if (c->kind == CONTACT) {
        br_contact_channel_name(sim->model, c->index, c->component, out, size);
    } else if (c->kind == SUM) {
        br_contact_sum_name(sim->model, c->index, c->component, out, size);
    } else if (c->kind == SENSOR) {
        const char *letters = br_sensor_letters(sim, c->index);
        snprintf(out, size, letters[0] ? "%s.%c" : "%s", element, letters[c->component]);
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
    visit_all((visiting){sim, count, &n});
    return n;
}

void br_sim_channel_name(const br_sim *sim, int k, char *name, size_t size) {
    query q = {.k = k};
    if (size == 0) return;
    name[0] = '\0';
    if (k >= 0 && visit_all((visiting){sim, match, &q})) snprintf(name, size, "%s", q.found);
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
    set_unit(sim, &channel);
    return e->visit(e->context, name, &channel);
}

int br_sim_channel_each(const br_sim *sim, br_channel_visit visit, void *context) {
    each e = {visit, context};
    return visit_all((visiting){sim, visit_named, &e});
}

// A channel of contacts by its place, for lists that are made of the model alone.
static int each_of_kind(each *e, const br_sim *sim, int kind, int index, int component) {
    const br_channel channel = {.kind = kind, .index = index, .component = component};
    return visit_named(e, sim, NULL, &channel);
}

typedef struct each_of {
    each e;
    const br_sim *sim;
} each_of;

static int each_sum(void *context, int index, int component) {
    each_of *of = context;
    return each_of_kind(&of->e, of->sim, SUM, index, component);
}

static int each_point(void *context, int index, int component) {
    each_of *of = context;
    return each_of_kind(&of->e, of->sim, CONTACT, index, component);
}

int br_channel_sums_each(const br_sim *sim, br_channel_visit visit, void *context) {
    each_of of = {{visit, context}, sim};
    return br_contact_sum_each(sim->model, each_sum, &of);
}

typedef struct matching {
    const char *pattern;
    each then;
} matching;

static int each_matching(void *context, const char *name, const br_channel *channel) {
    const matching *m = context;
    return br_name_matches(m->pattern, name) && m->then.visit(m->then.context, name, channel);
}

int br_channel_match_each(const br_sim *sim, const char *pattern, br_channel_visit visit, void *context) {
    each_of of = {{visit, context}, sim};
    matching m = {pattern, of.e};
    if (!strchr(pattern, '~'))
        return br_sim_channel_each(sim, each_matching, &m) || br_channel_sums_each(sim, each_matching, &m);
    return strchr(pattern, '#') ? br_contact_channel_match(sim->model, pattern, each_point, &of)
                                : br_contact_sum_match(sim->model, pattern, each_sum, &of);
}

static int find_elsewhere(const br_model *m, const char *name, br_channel *out) {
    out->kind = CONTACT;
    if (br_contact_channel_find(m, name, &out->index, &out->component)) return 1;
    out->kind = SUM;
    if (br_contact_sum_find(m, name, &out->index, &out->component)) return 1;
    return 0;
}

br_status br_sim_channel_find(const br_sim *sim, const char *name, br_channel *out, br_error *error) {
    query q = {.name = name};
    if (!find_elsewhere(sim->model, name, &q.channel) && !visit_all((visiting){sim, match, &q})) {
        q.channel.kind = STATION;
        if (br_station_channel_find(sim->model, name, &q.channel.index, &q.channel.component)) {
            snprintf(q.channel.unit, sizeof q.channel.unit, "%s",
                     br_station_channel_unit(q.channel.component));
            *out = q.channel;
            return BR_OK;
        }
        return br_fail(error, BR_INVALID, "channel-unknown", "there is no channel '%s' in this model", name);
    }
    set_unit(sim, &q.channel);
    *out = q.channel;
    return BR_OK;
}
