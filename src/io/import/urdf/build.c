// Links and joints of URDF as definitions for the builder.
//
// Bodies come parents first, each with its joint, so that q has the order of a walk through the tree. The frame of a
// joint has its z axis along the URDF axis: turned from the joint's own frame by the shortest rotation, which leaves x
// and y of a planar joint where they are when the axis is z.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/import/name.h"
#include "io/import/urdf/urdf.h"

static const char *body_name(const urdf *u, int link) {
    return link == u->order[0] && u->base_world ? BR_WORLD : u->link[link].name;
}

// A joint that moves nothing but links without mass has no equation of motion: it is fixed where it starts.
static br_status fix_without_mass(urdf *u) {
    br_status status = BR_OK;
    double *mass = BR_TAKE(&u->arena, double, u->links); // of the link and all that hangs on it
    if (!mass) return br_urdf_no_memory(u);
    for (int i = u->links - 1; i >= 0; i--) { // children come after their parents
        const int k = u->order[i], j = u->link[k].joint;
        mass[k] += u->link[k].mass;
        if (j >= 0) mass[u->joint[j].parent] += mass[k];
    }
    if (!(mass[u->order[0]] > 0.0)) return BR_OK; // a file for pictures only: the model says so
    for (int k = 0; k < u->joints && status == BR_OK; k++) {
        urdf_joint *j = &u->joint[k];
        int led = 0;
        if (j->type == URDF_FIXED || mass[j->child] > 0.0) continue;
        for (int i = 0; i < u->joints; i++) led |= u->joint[i].leader == k && mass[u->joint[i].child] > 0.0;
        status = br_urdf_note(
            u, j->node, NULL, BR_IMPORT_MOTION,
            "link '%.40s' has no mass and carries none, so that nothing says how joint '%.40s' moves: it is "
            "fixed where it starts",
            u->link[j->child].given, j->given);
        if (led) continue; // others follow it: told by the model itself
        if (br_urdf_is_single(j->type) && j->start != 0.0) {
            const br_pose step = j->type == URDF_PRISMATIC
                                     ? br_pose_of(br_quat_identity(), br_vec3_scale(j->start, j->axis))
                                     : br_pose_of(br_quat_from_axis_angle(j->axis, j->start), br_vec3_zero());
            j->X_PJ = br_pose_mul(j->X_PJ, step);
        }
        j->type = URDF_FIXED;
        j->leader = -1;
        j->start = 0.0;
    }
    return status;
}

// ------------------------------------------------------------------------------------------------------------ names

static br_status name_all(urdf *u) {
    br_status status = BR_OK;
    for (int k = 0; k < u->links && status == BR_OK; k++) {
        urdf_link *link = &u->link[k];
        if (k == u->order[0] && u->base_world) continue;
        status = br_urdf_name(u, &u->link_names, link->node, link->given, &link->name);
    }
    for (int k = 0; k < u->joints && status == BR_OK; k++) {
        urdf_joint *j = &u->joint[k];
        status = br_urdf_name(u, &u->joint_names, j->node, j->given, &j->name);
    }
    return status;
}

static br_status made_up(urdf *u, const char *name, const char *ending, const char **out) {
    char wish[BR_MAX_NAME + 16];
    snprintf(wish, sizeof wish, "%s%s", name, ending);
    return br_io_import_name(&u->arena, &u->joint_names, wish, out) == BR_OK ? BR_OK : br_urdf_no_memory(u);
}

// --------------------------------------------------------------------------------------------------------- friction

#define URDF_MU 1.0 // Gazebo's, where nothing is said

// Two surfaces rub with the smaller of their coefficients, as in Gazebo.
static br_status add_pairs(urdf *u) {
    br_status status = BR_OK;
    for (int k = 0; k < u->surfaces && status == BR_OK; k++)
        status = br_builder_material(u->builder, u->surface[k].name, u->error);
    for (int a = 0; a < u->surfaces; a++)
        for (int b = a; b < u->surfaces && status == BR_OK; b++) {
            br_pair_def pair = br_default_pair_def();
            pair.first = u->surface[a].name;
            pair.second = u->surface[b].name;
            pair.mu_static = pair.mu_kinetic = fmin(u->surface[a].mu, u->surface[b].mu);
            status = br_builder_pair(u->builder, &pair, u->error);
        }
    return status;
}

static br_status add_surface(urdf *u, const io_xml_node *node, double mu, const char *wish, int *out) {
    for (*out = 0; *out < u->surfaces; ++*out)
        if (u->surface[*out].mu == mu) return BR_OK;
    if (u->surfaces >= URDF_MAX_SURFACES)
        return br_urdf_fail(u, node, "urdf-range", "there are more than %d different frictions of links",
                            URDF_MAX_SURFACES);
    urdf_surface s = {.mu = mu};
    if (!BR_GROW(&u->arena, u->surface, u->surfaces, u->surface_capacity) ||
        br_io_import_name(&u->arena, &u->surface_names, wish, &s.name) != BR_OK)
        return br_urdf_no_memory(u);
    u->surface[u->surfaces++] = s;
    return BR_OK;
}

static br_status add_materials(urdf *u) {
    br_status status = BR_OK;
    for (int i = 0; i < u->links && status == BR_OK; i++) {
        const urdf_link *link = &u->link[u->order[i]];
        if (link->shapes == 0) continue;
        const double given = link->mu[0] >= 0.0 ? link->mu[0] : link->mu[1];
        int surface = 0;
        status = add_surface(u, link->node, given >= 0.0 ? given : URDF_MU,
                             given >= 0.0 && given != URDF_MU ? link->given : "default", &surface);
        if (status == BR_OK && given < 0.0)
            status = br_urdf_note(u, u->shape[link->first_shape].node, NULL, BR_IMPORT_NUMERICS,
                                  "URDF does not say how it rubs: its friction coefficient is 1");
        for (int k = 0; k < link->shapes && status == BR_OK; k++)
            u->shape[link->first_shape + k].def.material = u->surface[surface].name;
    }
    return status == BR_OK ? add_pairs(u) : status;
}

// ----------------------------------------------------------------------------------------------------------- bodies

static br_status add_ground(urdf *u, const urdf_link *link) {
    br_status status = BR_OK;
    for (int k = 0; k < link->shapes && status == BR_OK; k++) {
        const urdf_shape *shape = &u->shape[link->first_shape + k];
        char name[32];
        snprintf(name, sizeof name, "%d", k);
        status =
            br_io_import_placed(shape->node, br_builder_ground(u->builder, &shape->def, u->error), u->error);
        if (status == BR_OK) status = br_io_import_place(u->report, "ground", name, shape->node, u->error);
    }
    if (status == BR_OK && link->mass > 0.0)
        status = br_urdf_note(u, link->node, NULL, BR_IMPORT_LOOKS, "the world has no mass");
    if (status == BR_OK && u->options.free_base)
        status = br_urdf_note(u, link->node, NULL, BR_IMPORT_MOTION,
                              "the root link is the world, which stays fixed: free_base has no effect");
    return status;
}

static br_status add_body(urdf *u, const urdf_link *link) {
    br_body_def def = br_default_body_def();
    br_shape_def *shape = BR_TAKE(&u->arena, br_shape_def, link->shapes);
    if (!shape) return br_urdf_no_memory(u);
    for (int k = 0; k < link->shapes; k++) shape[k] = u->shape[link->first_shape + k].def;
    def.name = link->name;
    def.mass = link->mass;
    def.com = link->com;
    def.inertia = link->inertia;
    def.pose = link->X_WB;
    def.shapes = shape;
    def.shape_count = link->shapes;
    const br_status status =
        br_io_import_placed(link->node, br_builder_body(u->builder, &def, u->error), u->error);
    return status == BR_OK ? br_io_import_place(u->report, "bodies", def.name, link->node, u->error) : status;
}

static void urdf_place(urdf *u, urdf_link *link) {
    link->X_WB = br_pose_identity();
    if (link->joint < 0) return;
    const urdf_joint *j = &u->joint[link->joint];
    link->X_WB = br_pose_mul(u->link[j->parent].X_WB, j->X_PJ);
    link->X_WB.rotation =
        br_quat_normalize(link->X_WB.rotation); // a thousand links would let its length drift
}

// ----------------------------------------------------------------------------------------------------------- joints

static br_status add_def(urdf *u, const io_xml_node *node, const br_joint_def *def) {
    const br_status status = br_io_import_placed(node, br_builder_joint(u->builder, def, u->error), u->error);
    return status == BR_OK ? br_io_import_place(u->report, "joints", def->name, node, u->error) : status;
}

static void set_values(const urdf_joint *j, br_joint_def *def) {
    def->damping[0] = j->damping;
    def->lower[0] = j->lower;
    def->upper[0] = j->upper;
    def->has_position = j->start != 0.0;
    def->position[0] = j->start;
    if (!(j->friction > 0.0)) return;
    def->friction.law = BR_FRICTION_COULOMB; // a torque or force of its own, whatever the joint carries
    def->friction.mu_static = def->friction.mu_kinetic = 1.0;
    def->friction.load_constant = 1;
    def->friction.load = j->friction;
}

static br_status add_joint(urdf *u, const urdf_joint *j) {
    static const br_joint_type type[URDF_TYPES] = {
        [URDF_REVOLUTE] = BR_JOINT_REVOLUTE,   [URDF_CONTINUOUS] = BR_JOINT_REVOLUTE,
        [URDF_PRISMATIC] = BR_JOINT_PRISMATIC, [URDF_FIXED] = BR_JOINT_WELD,
        [URDF_FLOATING] = BR_JOINT_FREE,       [URDF_PLANAR] = BR_JOINT_PLANAR,
        [URDF_SPHERICAL] = BR_JOINT_SPHERICAL,
    };
    br_joint_def def = br_default_joint_def();
    def.name = j->name;
    def.type = type[j->type];
    def.first = body_name(u, j->parent);
    def.second = body_name(u, j->child);
    if (br_urdf_is_single(j->type) || j->type == URDF_PLANAR)
        def.X_BM.rotation = br_quat_from_mat3(br_tangent_basis(j->axis));
    def.X_AF = br_pose_mul(j->X_PJ, def.X_BM);
    if (br_urdf_is_single(j->type)) set_values(j, &def);
    return add_def(u, j->node, &def);
}

static br_status fix_root(urdf *u, const urdf_link *link) {
    br_joint_def def = br_default_joint_def();
    const br_status status = made_up(u, link->name, "_weld", &def.name);
    if (status != BR_OK) return status;
    def.type = BR_JOINT_WELD;
    def.first = BR_WORLD;
    def.second = link->name;
    return add_def(u, link->node, &def);
}

// q = multiplier q_leader + offset. The constant of a gear is that of the start, which br_urdf_follow has found.
static br_status add_mimic(urdf *u, const urdf_joint *j) {
    br_joint_def gear = br_default_joint_def();
    if (j->multiplier == 0.0) {
        br_drive_def hold = br_default_drive_def();
        const br_status status = made_up(u, j->name, "_mimic", &hold.name);
        hold.type = BR_DRIVE_POSITION;
        hold.joint = j->name;
        hold.target = br_function_constant(j->offset);
        if (status != BR_OK) return status;
        return br_io_import_placed(j->mimic, br_builder_drive(u->builder, &hold, u->error), u->error);
    }
    const br_status status = made_up(u, j->name, "_mimic", &gear.name);
    if (status != BR_OK) return status;
    gear.type = BR_JOINT_GEAR;
    gear.first = j->name;
    gear.second = u->joint[j->leader].name;
    gear.ratio = -j->multiplier;
    return add_def(u, j->mimic, &gear);
}

br_status br_urdf_build(urdf *u) {
    br_status status = fix_without_mass(u);
    if (status == BR_OK) status = name_all(u);
    if (status == BR_OK && u->shapes > 0) status = add_materials(u);
    for (int i = 0; i < u->links && status == BR_OK; i++) {
        urdf_link *link = &u->link[u->order[i]];
        urdf_place(u, link);
        status = i == 0 && u->base_world ? add_ground(u, link) : add_body(u, link);
    }
    for (int i = 0; i < u->links && status == BR_OK; i++) {
        const urdf_link *link = &u->link[u->order[i]];
        if (link->joint >= 0)
            status = add_joint(u, &u->joint[link->joint]);
        else if (!u->base_world && !u->options.free_base)
            status = fix_root(u, link);
    }
    for (int i = 0; i < u->links && status == BR_OK; i++) {
        const int k = u->link[u->order[i]].joint;
        if (k >= 0 && u->joint[k].leader >= 0) status = add_mimic(u, &u->joint[k]);
    }
    return status == BR_OK ? br_urdf_build_visuals(u) : status;
}
