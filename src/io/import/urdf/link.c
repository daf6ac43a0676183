// Links of URDF: mass, centre of mass, inertia; their shapes are in urdf/shape.c.
#include <math.h>
#include <string.h>

#include "io/import/urdf/urdf.h"

static const urdf_known link_attributes[] = {
    {"name", URDF_USED, 0}, {"type", BR_IMPORT_LOOKS, "links are all of one kind"}, {NULL, 0, NULL}};
static const urdf_known link_children[] = {
    {"inertial", URDF_USED, 0},
    {"collision", URDF_USED, 0},
    {"visual", BR_IMPORT_LOOKS, "shapes for pictures are drawn and touch nothing"},
    {"verbose", BR_IMPORT_LOOKS, "a remark"},
    {"self_collision_checking", BR_IMPORT_NUMERICS, "bodies that no joint connects may touch here"},
    {"contact", BR_IMPORT_MOTION, "Bullet's contact settings are not read; friction comes from <gazebo> mu1"},
    {NULL, 0, NULL}};

static const urdf_known nothing[] = {{NULL, 0, NULL}};
static const urdf_known inertial_children[] = {
    {"origin", URDF_USED, 0}, {"mass", URDF_USED, 0}, {"inertia", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known mass_attributes[] = {{"value", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known inertia_attributes[] = {
    {"ixx", URDF_USED, 0}, {"ixy", URDF_USED, 0}, {"ixz", URDF_USED, 0}, {"iyy", URDF_USED, 0},
    {"iyz", URDF_USED, 0}, {"izz", URDF_USED, 0}, {NULL, 0, NULL}};

// Digits of a data sheet: a flat plate meets the inequality with equality.
#define URDF_EPS_TRIANGLE 1e-9
#define URDF_EPS_MOMENT 1e-15 // kg m^2: the rounding of a tensor that is meant to be zero (iCub's)

// The nearest tensor that a body can have, when no body has the given one: a third of what is too much goes off the
// largest moment and is added to each of the others. Exported robots are often off by a digit or by a bounding box.
static br_status make_possible(urdf *u, const io_xml_node *node, const urdf_link *link, br_sym3 *inertia) {
    br_vec3 I; // rising
    br_mat3 axes;
    br_sym3_eigen(*inertia, &I, &axes);
    const double slack = URDF_EPS_TRIANGLE * fabs(I.z);
    if (-I.x > I.z && -I.x > URDF_EPS_MOMENT) // no slip of a digit, but another tensor
        return br_urdf_fail(
            u, node, "body-inertia-indefinite",
            "the inertia of link '%.60s' has the principal moment %g kg m^2, expected none below 0",
            link->given, I.x);
    const br_vec3 K = br_vec3_of(fmax(I.x, 0.0), fmax(I.y, 0.0), fmax(I.z, 0.0));
    const double excess = K.z - K.x - K.y;
    const br_vec3 J =
        !(excess > slack) ? K : br_vec3_of(K.x + excess / 3.0, K.y + excess / 3.0, K.z - excess / 3.0);
    if (J.x == I.x && J.y == I.y && J.z == I.z) return BR_OK;
    *inertia = br_sym3_rotate(axes, br_sym3_of(J.x, J.y, J.z, 0.0, 0.0, 0.0));
    if (I.x < -slack)
        return br_urdf_note(u, node, NULL, BR_IMPORT_MOTION,
                            "no body has the principal moments %.4g, %.4g, %.4g of link '%.40s' (one is "
                            "below 0); taken as %.4g, "
                            "%.4g, %.4g",
                            I.x, I.y, I.z, link->given, J.x, J.y, J.z);
    if (!(excess > slack)) return BR_OK; // rounding
    return br_urdf_note(u, node, NULL, BR_IMPORT_MOTION,
                        "no body has the principal moments %.4g, %.4g, %.4g of link '%.40s' (one exceeds the "
                        "others' sum); taken as %.4g, %.4g, %.4g",
                        I.x, I.y, I.z, link->given, J.x, J.y, J.z);
}

static br_status read_mass(urdf *u, const io_xml_node *inertial, double *out) {
    const io_xml_node *node;
    const char *value;
    br_status status = br_urdf_child(u, inertial, "mass", &node);
    if (status == BR_OK && !node)
        return br_urdf_fail(u, inertial, "urdf-missing", "<inertial> has no <mass>");
    if (status == BR_OK) status = br_urdf_check(u, node, mass_attributes, nothing);
    if (status == BR_OK) status = br_urdf_need(u, node, "value", &value);
    if (status == BR_OK) status = br_urdf_number(u, node, "value", out);
    if (status == BR_OK && *out < 0.0)
        status = br_urdf_fail(u, node, "urdf-range", "<mass> value is %g kg, expected 0 or more", *out);
    return status;
}

static br_status read_inertia(urdf *u, const io_xml_node *inertial, const urdf_link *link, br_quat turn,
                              br_sym3 *out) {
    static const char *const names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    const io_xml_node *node;
    const char *value;
    double I[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    br_status status = br_urdf_child(u, inertial, "inertia", &node);
    if (status == BR_OK && !node)
        return br_urdf_fail(u, inertial, "urdf-missing", "<inertial> has no <inertia>");
    if (status == BR_OK) status = br_urdf_check(u, node, inertia_attributes, nothing);
    for (int k = 0; k < 6 && status == BR_OK; k++) {
        if (k < 3) status = br_urdf_need(u, node, names[k], &value);
        if (status == BR_OK) status = br_urdf_number(u, node, names[k], &I[k]);
    }
    if (status != BR_OK) return status;
    br_sym3 own = br_sym3_of(I[0], I[1], I[2], I[3], I[4], I[5]);
    status = make_possible(u, node, link, &own);
    *out = br_sym3_rotate(br_quat_to_mat3(turn), own);
    return status;
}

static br_status read_inertial(urdf *u, urdf_link *link) {
    const io_xml_node *node;
    br_pose pose;
    br_status status = br_urdf_child(u, link->node, "inertial", &node);
    if (status != BR_OK || !node) return status;
    status = br_urdf_check(u, node, nothing, inertial_children);
    if (status == BR_OK) status = br_urdf_origin(u, node, &pose);
    if (status == BR_OK) status = read_mass(u, node, &link->mass);
    if (status == BR_OK) status = read_inertia(u, node, link, pose.rotation, &link->inertia);
    if (status == BR_OK) link->com = pose.position;
    return status;
}

br_status br_urdf_read_link(urdf *u, const io_xml_node *node) {
    urdf_link link = {.node = node, .joint = -1, .children = -1, .mu = {-1.0, -1.0}};
    br_status status = br_urdf_need(u, node, "name", &link.given);
    if (status != BR_OK) return status;
    const int twin = br_names_find(&u->given_links, link.given);
    if (twin >= 0)
        return br_urdf_fail(u, node, "urdf-duplicate-name",
                            "a <link> named '%.60s' was already given on line %d", link.given,
                            u->link[twin].node->line);
    status = br_urdf_check(u, node, link_attributes, link_children);
    if (status == BR_OK) status = read_inertial(u, &link);
    if (status != BR_OK) return status;
    if (!BR_GROW(&u->arena, u->link, u->links, u->link_capacity) ||
        br_names_add(&u->given_links, &u->arena, link.given) != BR_OK)
        return br_urdf_no_memory(u);
    const int k = u->links++;
    link.first_shape = u->shapes;
    u->link[k] = link;
    for (const io_xml_node *c = node->first; c && status == BR_OK; c = c->next)
        if (strcmp(c->name, "collision") == 0) status = br_urdf_read_shape(u, k, c);
    return status;
}
