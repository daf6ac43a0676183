// MJCF sensors, as sensors of the model: channels of their names. Their noise is not added, their values are not cut off.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"
#include "model/build/builder.h"

static const mjcf_known sensor_known[] = {
    {"name", MJCF_USED, 0},
    {"site", MJCF_USED, 0},
    {"joint", MJCF_USED, 0},
    {"tendon", MJCF_USED, 0},
    {"actuator", MJCF_USED, 0},
    {"body", MJCF_USED, 0},
    {"objtype", MJCF_USED, 0},
    {"objname", MJCF_USED, 0},
    {"reftype", MJCF_USED, 0},
    {"refname", MJCF_USED, 0},
    {"cutoff", BR_IMPORT_LOOKS, "sensors show what there is, however large"},
    {"noise", BR_IMPORT_LOOKS, "sensors have no noise"},
    {"user", BR_IMPORT_LOOKS, "user data is not read"},
    {"nsample", BR_IMPORT_LOOKS, "sensors show what there is now"},
    {"interp", BR_IMPORT_LOOKS, "sensors show what there is now"},
    {"delay", BR_IMPORT_LOOKS, "sensors show what there is now"},
    {"interval", BR_IMPORT_LOOKS, "sensors show what there is now"},
    {NULL, 0, NULL},
};

// By what they are of: a site, a frame (objtype), a joint, a tendon or an actuator.
static const struct {
    const char *name, *of;
    br_sensor_type type;
} kinds[] = {
    {"accelerometer", "site", BR_SENSOR_ACCELEROMETER},
    {"velocimeter", "site", BR_SENSOR_VELOCIMETER},
    {"gyro", "site", BR_SENSOR_GYRO},
    {"force", "site", BR_SENSOR_FORCE},
    {"torque", "site", BR_SENSOR_TORQUE},
    {"touch", "site", BR_SENSOR_TOUCH},
    {"framepos", "frame", BR_SENSOR_POSITION},
    {"framequat", "frame", BR_SENSOR_ROTATION},
    {"framelinvel", "frame", BR_SENSOR_LINEAR_VELOCITY},
    {"frameangvel", "frame", BR_SENSOR_ANGULAR_VELOCITY},
    {"framelinacc", "frame", BR_SENSOR_LINEAR_ACCELERATION},
    {"frameangacc", "frame", BR_SENSOR_ANGULAR_ACCELERATION},
    {"jointpos", "joint", BR_SENSOR_JOINT_POSITION},
    {"jointvel", "joint", BR_SENSOR_JOINT_VELOCITY},
    {"tendonpos", "tendon", BR_SENSOR_JOINT_POSITION},
    {"tendonvel", "tendon", BR_SENSOR_JOINT_VELOCITY},
    {"actuatorfrc", "actuator", BR_SENSOR_DRIVE_EFFORT},
};

static br_status not_shown(mjcf *m, const io_xml_node *node, const char *why) {
    return br_mjcf_note(m, node, NULL, BR_IMPORT_LOOKS, "%s", why);
}

static br_status missing(mjcf *m, const io_xml_node *node, const char *attribute) {
    return br_mjcf_fail(m, node, "mjcf-missing", "<%.40s> names no %s", node->name, attribute);
}

static const char *body_called(const mjcf *m, int body) {
    return body < 0 ? BR_WORLD : m->body[body].name;
}

// The frame that objtype and objname give, or reftype and refname. *known 0: of a kind that has none here.
static br_status find_frame(mjcf *m, const io_xml_node *node, const char *type, const char *name,
                            const char **body, br_pose *X, int *known) {
    *known = 1;
    *X = br_pose_identity();
    if (!type || !name) return missing(m, node, "objtype and objname");
    if (strcmp(type, "site") == 0) {
        const int k = br_names_find(&m->given_sites, name);
        if (k < 0) return br_mjcf_unknown_name(m, node, "objname", name, &m->given_sites);
        *body = body_called(m, m->site[k].body), *X = m->site[k].pose;
        return BR_OK;
    }
    if (strcmp(type, "geom") == 0) {
        const int k = br_names_find(&m->given_geoms, name);
        if (k < 0) return br_mjcf_unknown_name(m, node, "objname", name, &m->given_geoms);
        *body = body_called(m, m->named_geom[k].body), *X = m->named_geom[k].geom.pose;
        *known =
            m->named_geom[k].geom.type != MJCF_GEOM_MESH; // MuJoCo turns those along their principal axes
        return BR_OK;
    }
    *known = strcmp(type, "xbody") == 0 || strcmp(type, "body") == 0;
    if (!*known) return BR_OK;
    const int k = strcmp(name, "world") == 0 ? -1 : br_mjcf_find_body(m, name);
    if (k < 0 && strcmp(name, "world") != 0)
        return br_mjcf_unknown_name(m, node, "objname", name, &m->given_bodies);
    *body = body_called(m, k);
    if (strcmp(type, "body") == 0 && k >= 0)
        X->position = m->body[k].com; // its frame of inertia, but for the axes
    return BR_OK;
}

static br_status frame_sensor(mjcf *m, const io_xml_node *node, br_sensor_def *def, int *shown) {
    const char *type = br_io_xml_get(node, "objtype"), *reference = br_io_xml_get(node, "reftype");
    br_status status = find_frame(m, node, type, br_io_xml_get(node, "objname"), &def->of, &def->pose, shown);
    int known = 1;
    if (status != BR_OK) return status;
    if (reference && *shown)
        status = find_frame(m, node, reference, br_io_xml_get(node, "refname"), &def->from, &def->from_pose,
                            &known);
    if (status != BR_OK) return status;
    const int turns = def->type == BR_SENSOR_ROTATION;
    const int moved = def->from && def->type != BR_SENSOR_POSITION && !turns;
    const int axes =
        (turns && type && strcmp(type, "body") == 0) || (reference && strcmp(reference, "body") == 0);
    if (*shown && known && !moved && !axes) return BR_OK;
    *shown = 0;
    return not_shown(m, node,
                     moved  ? "velocities are shown in the world only"
                     : axes ? "the axes of a body's inertia are not shown; write xbody"
                            : "it has no frame here");
}

static br_status site_sensor(mjcf *m, const io_xml_node *node, br_sensor_def *def, int *shown) {
    static const char *const types[] = {"sphere", "capsule", "ellipsoid", "cylinder", "box"};
    static const br_shape_type zones[] = {BR_SHAPE_SPHERE, BR_SHAPE_CAPSULE, BR_SHAPE_ELLIPSOID,
                                          BR_SHAPE_CYLINDER, BR_SHAPE_BOX};
    const char *name = br_io_xml_get(node, "site");
    if (!name) return missing(m, node, "site");
    const int k = br_names_find(&m->given_sites, name);
    if (k < 0) return br_mjcf_unknown_name(m, node, "site", name, &m->given_sites);
    const mjcf_site *site = &m->site[k];
    def->of = body_called(m, site->body);
    def->pose = site->pose;
    const int carried =
        def->type == BR_SENSOR_FORCE || def->type == BR_SENSOR_TORQUE || def->type == BR_SENSOR_TOUCH;
    *shown = !(carried && site->body < 0);
    if (!*shown) return not_shown(m, node, "its site is fixed to the world");
    int type = 0;
    br_status status = br_mjcf_word(m, site->element, "type", types, 5, &type);
    if (status == BR_OK) status = br_mjcf_numbers(m, site->element, "size", 1, 3, def->size, NULL);
    def->zone = zones[type];
    return status;
}

// Of an actuator it is its force, and the drive's effort is gear times that.
static br_status drive_sensor(mjcf *m, const io_xml_node *node, br_sensor_def *def, int *shown) {
    const char *name = br_io_xml_get(node, "actuator");
    if (!name) return missing(m, node, "actuator");
    const io_xml_node *found = NULL;
    for (const io_xml_node *s = m->root->first; s && !found; s = s->next)
        for (const io_xml_node *c = strcmp(s->name, "actuator") == 0 ? s->first : NULL; c; c = c->next) {
            const char *own = br_io_xml_get(c, "name");
            if (own && strcmp(own, name) == 0) found = c;
        }
    if (!found)
        return br_mjcf_fail(m, node, "mjcf-unknown-name", "<%.40s> actuator: there is no '%.60s'", node->name,
                            name);
    mjcf_element e;
    double gear[6] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    br_status status = br_mjcf_element_of(m, found, -1, &e);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "gear", 1, 6, gear, NULL);
    def->of = name;
    *shown = br_names_find(&m->builder->drive_names, name) >= 0 && gear[0] != 0.0;
    def->factor = gear[0] != 0.0 ? 1.0 / gear[0] : 1.0;
    return status == BR_OK && !*shown ? not_shown(m, node, "its actuator is not one drive here") : status;
}

static br_status joint_sensor(mjcf *m, const io_xml_node *node, const char *of, br_sensor_def *def,
                              int *shown) {
    const char *name = br_io_xml_get(node, of);
    const int tendon = strcmp(of, "tendon") == 0;
    if (!name) return missing(m, node, of);
    const int k = tendon ? br_names_find(&m->given_tendons, name) : br_mjcf_find_joint(m, name);
    if (k < 0) return br_mjcf_unknown_name(m, node, of, name, tendon ? &m->given_tendons : &m->given_joints);
    def->of = tendon ? m->tendon[k].name : m->joint[k].name;
    *shown = def->of && (tendon || m->joint[k].type == MJCF_HINGE || m->joint[k].type == MJCF_SLIDE);
    return *shown ? BR_OK : not_shown(m, node, "it has more than one coordinate, or none of its own");
}

static br_status read_sensor(mjcf *m, const io_xml_node *node) {
    size_t k = 0;
    const size_t count = sizeof kinds / sizeof *kinds;
    while (k < count && strcmp(kinds[k].name, node->name) != 0) k++;
    if (k == count) return not_shown(m, node, "sensors of this kind are not shown");
    br_sensor_def def = br_default_sensor_def();
    const char *name = br_io_xml_get(node, "name"), *of = kinds[k].of;
    int shown = 1;
    def.type = kinds[k].type;
    br_status status = br_mjcf_check(m, (mjcf_element){node, -1}, sensor_known);
    if (status != BR_OK) return status;
    if (strcmp(of, "site") == 0)
        status = site_sensor(m, node, &def, &shown);
    else if (strcmp(of, "frame") == 0)
        status = frame_sensor(m, node, &def, &shown);
    else if (strcmp(of, "actuator") == 0)
        status = drive_sensor(m, node, &def, &shown);
    else
        status = joint_sensor(m, node, of, &def, &shown);
    if (status == BR_OK && shown && def.type == BR_SENSOR_LINEAR_ACCELERATION)
        status = br_mjcf_note(m, node, NULL, BR_IMPORT_LOOKS,
                              "it is the acceleration itself, from which MuJoCo takes gravity");
    if (status == BR_OK && shown) {
        char wish[2 * BR_MAX_NAME];
        snprintf(wish, sizeof wish, "%.50s", name && name[0] && strcmp(name, "t") != 0 ? name : node->name);
        status = br_mjcf_free_name(m, &m->sensor_names, wish, &def.name);
        if (status == BR_OK) status = br_mjcf_placed(m, node, br_builder_sensor(m->builder, &def, m->error));
        if (status == BR_OK) status = br_mjcf_place(m, "sensors", def.name, node);
    }
    return status;
}

br_status br_mjcf_read_sensors(mjcf *m) {
    br_status status = BR_OK;
    for (const io_xml_node *s = m->root->first; s && status == BR_OK; s = s->next)
        for (const io_xml_node *c = strcmp(s->name, "sensor") == 0 ? s->first : NULL; c && status == BR_OK;
             c = c->next)
            status = read_sensor(m, c);
    return status;
}
