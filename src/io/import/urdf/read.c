// Reading a URDF file: what is in it, in which order it is read.
#include <limits.h>
#include <string.h>

#include "io/import/name.h"
#include "io/import/urdf/urdf.h"
#include "io/text/beside.h"
#include "io/text/text.h"

static const urdf_known robot_attributes[] = {
    {"name", URDF_USED, 0}, {"version", URDF_USED, 0}, {NULL, 0, NULL}};
static const urdf_known robot_children[] = {
    {"link", URDF_USED, 0},
    {"joint", URDF_USED, 0},
    {"gazebo", URDF_USED, 0},
    {"material", BR_IMPORT_LOOKS, "colours are not imported"},
    {"transmission", BR_IMPORT_NUMERICS, "motors are given as drives; without a controller they do nothing"},
    {"sensor", BR_IMPORT_LOOKS, "every quantity has a channel instead"},
    {"mujoco", BR_IMPORT_NUMERICS, "settings of MuJoCo's compiler"},
    {"ros2_control", BR_IMPORT_NUMERICS, "controllers are not imported; give drives instead"},
    {"verbose", BR_IMPORT_LOOKS, "a remark"},
    {"gripper", BR_IMPORT_LOOKS, "a remark"},
    {"frame", BR_IMPORT_LOOKS, "frames are given in the model file"},
    {"loop_joint", BR_IMPORT_MOTION, "loops are closed by a joint of a model file: convert, then add it"},
    {NULL, 0, NULL}};

// ------------------------------------------------------------------------------------------------------------- file

static int asks_for_xacro(const io_xml_node *node) {
    if (strncmp(node->name, "xacro:", 6) == 0) return 1;
    for (int k = 0; k < node->attributes; k++)
        if (strstr(node->attribute[k].value, "${") || strstr(node->attribute[k].value, "$(")) return 1;
    return 0;
}

// In the order of the file, by the links between elements: their depth is the file's, not the stack's.
static const io_xml_node *after(const io_xml_node *node) {
    if (node->first) return node->first;
    while (node && !node->next) node = node->parent;
    return node ? node->next : NULL;
}

static br_status check_root(const urdf *u, const io_xml_node *root) {
    char shown[IO_SHOWN];
    br_io_show((io_token){root->name, root->name + strlen(root->name)}, shown);
    if (strcmp(root->name, "robot") != 0)
        return br_urdf_fail(u, root, "urdf-root", "the file begins with <%s>, expected <robot>", shown);
    for (const io_xml_node *n = root; n; n = after(n))
        if (asks_for_xacro(n))
            return br_urdf_fail(
                u, n, "urdf-xacro",
                "this is a xacro file, from which URDF is made; next: xacro robot.urdf.xacro > "
                "robot.urdf, then read robot.urdf");
    return BR_OK;
}

static br_status urdf_load(urdf *u, const char *path) {
    io_xml_node *root;
    char folder[PATH_MAX];
    br_status status = br_io_xml_load(path, &u->arena, &root, u->error);
    if (status == BR_OK) status = check_root(u, root);
    if (status != BR_OK) return status;
    u->root = root;
    u->folder = br_copy_text(&u->arena, br_io_folder_of(path, folder) ? folder : "");
    return u->folder ? BR_OK : br_urdf_no_memory(u);
}

// ------------------------------------------------------------------------------------------------------------ whole

static br_status read_settings(urdf *u) {
    const char *given = br_io_xml_get(u->root, "name");
    br_settings settings = br_default_settings();
    br_names none = {0};
    if (br_io_import_name(&u->arena, &none, given && given[0] ? given : "robot", &settings.name) != BR_OK)
        return br_urdf_no_memory(u);
    return br_io_import_placed(u->root, br_builder_settings(u->builder, &settings, u->error), u->error);
}

static br_status read_each(urdf *u, const char *name, br_status (*read)(urdf *u, const io_xml_node *node)) {
    br_status status = BR_OK;
    for (const io_xml_node *c = u->root->first; c && status == BR_OK; c = c->next)
        if (strcmp(c->name, name) == 0) status = read(u, c);
    return status;
}

static br_status urdf_read_all(urdf *u, const char *path) {
    br_status status = urdf_load(u, path);
    if (status == BR_OK) status = br_urdf_check(u, u->root, robot_attributes, robot_children);
    if (status == BR_OK) status = read_settings(u);
    if (status == BR_OK) status = read_each(u, "link", br_urdf_read_link);
    if (status == BR_OK) status = read_each(u, "joint", br_urdf_read_joint);
    if (status == BR_OK) status = read_each(u, "gazebo", br_urdf_read_gazebo);
    if (status == BR_OK) status = br_urdf_make_tree(u);
    if (status == BR_OK) status = br_urdf_follow(u);
    if (status == BR_OK) status = br_urdf_build(u);
    return status;
}

static br_status read_job(const io_import_job *j) {
    urdf u = {.error = j->error, .options = j->options, .report = j->report, .builder = j->builder};
    br_arena_init(&u.arena, j->allocator);
    const br_status status = urdf_read_all(&u, j->path);
    br_arena_free(&u.arena);
    return status;
}

br_status br_urdf_read(const char *path, const br_import_options *options, const br_allocator *allocator,
                       br_builder **out, br_import_report **report, br_error *error) {
    return br_io_import_read(path, options, allocator, read_job, out, report, error);
}
