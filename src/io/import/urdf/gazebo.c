// <gazebo> blocks: Gazebo's additions to a link, a joint or the robot. Friction of contact is read, the rest is noted.
#include <string.h>

#include "io/import/urdf/urdf.h"

enum { URDF_MAX_GUESSES = 10 }; // of names; each looks at all links

static const char solver[] = "a setting of Gazebo's solver; contacts and limits are rigid here";
static const char picture[] = "only pictures and sensors need it";
static const char program[] = "programs of the simulator are not imported; give drives instead";

static const urdf_known gazebo_children[] = {
    {"mu1", URDF_USED, 0},
    {"mu2", URDF_USED, 0},
    {"mu", URDF_USED, 0},
    {"material", BR_IMPORT_LOOKS, picture},
    {"visual", BR_IMPORT_LOOKS, picture},
    {"sensor", BR_IMPORT_LOOKS, picture},
    {"laserRetro", BR_IMPORT_LOOKS, picture},
    {"provideFeedback", BR_IMPORT_LOOKS, "every reaction has a channel instead"},
    {"preserveFixedJoint", BR_IMPORT_LOOKS, "fixed joints are kept"},
    {"disableFixedJointLumping", BR_IMPORT_LOOKS, "fixed joints are kept"},
    {"plugin", BR_IMPORT_NUMERICS, program},
    {"kp", BR_IMPORT_NUMERICS, solver},
    {"kd", BR_IMPORT_NUMERICS, solver},
    {"minDepth", BR_IMPORT_NUMERICS, solver},
    {"maxVel", BR_IMPORT_NUMERICS, solver},
    {"maxContacts", BR_IMPORT_NUMERICS, solver},
    {"stopCfm", BR_IMPORT_NUMERICS, solver},
    {"stopErp", BR_IMPORT_NUMERICS, solver},
    {"stopKp", BR_IMPORT_NUMERICS, solver},
    {"stopKd", BR_IMPORT_NUMERICS, solver},
    {"cfmDamping", BR_IMPORT_NUMERICS, solver},
    {"fudgeFactor", BR_IMPORT_NUMERICS, solver},
    {"implicitSpringDamper", BR_IMPORT_NUMERICS, solver},
    {"selfCollide", BR_IMPORT_NUMERICS, "links that no joint connects may touch each other here"},
    {"self_collide", BR_IMPORT_NUMERICS, "links that no joint connects may touch each other here"},
    {"fdir1", BR_IMPORT_MOTION, "friction is the same in all directions"},
    {"gravity", URDF_USED, 0},
    {"turnGravityOff", URDF_USED, 0},
    {"static", BR_IMPORT_MOTION, "not read; without free_base the root link is fixed"},
    {"dampingFactor", BR_IMPORT_MOTION, "there is no medium around the bodies"},
    {"springStiffness", BR_IMPORT_MOTION, "springs of joints are given in the model file"},
    {"springReference", BR_IMPORT_MOTION, "springs of joints are given in the model file"},
    {"initialJointPosition", BR_IMPORT_MOTION, "joints start at 0, or at the limit nearest to it"},
    {"collision", BR_IMPORT_MOTION, "of friction only mu1 and mu2 of the link are read"},
    {"inertial", BR_IMPORT_MOTION, "the link's own <inertial> is used"},
    {"pose", BR_IMPORT_MOTION, "the root link stands at the origin"},
    {NULL, 0, NULL}};

static br_status read_mu(urdf *u, const io_xml_node *node, double *out) {
    double mu;
    const br_status status = br_urdf_text_number(u, node, &mu);
    if (status != BR_OK) return status;
    if (mu < 0.0)
        return br_urdf_fail(u, node, "urdf-range", "<%s> is %g, expected 0 or more", node->name, mu);
    *out = mu;
    return BR_OK;
}

static int says_yes(const io_xml_node *node) {
    const char *text = br_io_xml_get(node, "value") ? br_io_xml_get(node, "value") : node->text;
    return text && (strcmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

static br_status read_child(urdf *u, const io_xml_node *node, urdf_link *link) {
    if (strcmp(node->name, "gravity") == 0 || strcmp(node->name, "turnGravityOff") == 0) {
        if (says_yes(node) == (node->name[0] == 'g')) return BR_OK; // gravity acts
        return br_urdf_note(u, node, NULL, BR_IMPORT_MOTION, "gravity acts on every body");
    }
    if (strcmp(node->name, "mu1") != 0 && strcmp(node->name, "mu2") != 0 && strcmp(node->name, "mu") != 0)
        return BR_OK;
    if (!link) return br_urdf_note(u, node, NULL, BR_IMPORT_MOTION, "friction of contact belongs to a link");
    const int second = strcmp(node->name, "mu2") == 0;
    return read_mu(u, node, &link->mu[second]);
}

// Children are not searched for text: Gazebo writes its values between the tags.
br_status br_urdf_read_gazebo(urdf *u, const io_xml_node *node) {
    static const urdf_known attributes[] = {{"reference", URDF_USED, 0}, {NULL, 0, NULL}};
    const char *name = br_io_xml_get(node, "reference");
    const int k = name ? br_names_find(&u->given_links, name) : -1;
    br_status status = br_urdf_check(u, node, attributes, gazebo_children);
    if (status == BR_OK && name && k < 0 && br_names_find(&u->given_joints, name) < 0) {
        const char *near = u->strangers++ < URDF_MAX_GUESSES ? br_names_nearest(&u->given_links, name) : NULL;
        status =
            br_urdf_note(u, node, "reference", BR_IMPORT_MOTION, "there is no link or joint '%.60s'%s%.60s%s",
                         name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    urdf_link *link = k < 0 ? NULL : &u->link[k];
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next)
        status = read_child(u, c, link);
    if (status == BR_OK && link && link->mu[0] >= 0.0 && link->mu[1] >= 0.0 && link->mu[0] != link->mu[1])
        status = br_urdf_note(u, node, "mu2", BR_IMPORT_MOTION,
                              "friction is the same in all directions: mu1 is used");
    return status;
}
