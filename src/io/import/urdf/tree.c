// Which link of a URDF hangs on which, and which joints follow others.
//
// Nothing recurses: a chain may be as long as the file.
#include <math.h>
#include <string.h>

#include "io/import/urdf/urdf.h"

// ------------------------------------------------------------------------------------------------------------- tree

// Joints are taken in the order of the file, so a link's list begins with its last one.
static br_status hang(urdf *u, int k) {
    urdf_joint *j = &u->joint[k];
    urdf_link *child = &u->link[j->child];
    if (j->parent == j->child)
        return br_urdf_fail(u, j->node, "urdf-tree", "joint '%.60s' connects link '%.60s' to itself",
                            j->given, child->given);
    if (child->joint >= 0) {
        const urdf_joint *other = &u->joint[child->joint];
        return br_urdf_fail(
            u, j->node, "urdf-tree",
            "link '%.60s' is the child of joint '%.60s' and of joint '%.60s' (line %d), expected one; "
            "a loop is closed by a joint of a model file: bristle convert, then add it there",
            child->given, j->given, other->given, other->node->line);
    }
    child->joint = k;
    j->sibling = u->link[j->parent].children;
    u->link[j->parent].children = k;
    return BR_OK;
}

static br_status find_root(urdf *u, int *out) {
    int first = -1, second = -1, more = -2;
    for (int k = 0; k < u->links; k++) {
        if (u->link[k].joint >= 0) continue;
        if (first < 0)
            first = k;
        else if (second < 0)
            second = k;
        more++;
    }
    *out = first;
    if (second >= 0)
        return br_urdf_fail(u, u->link[second].node, "urdf-tree",
                            "links '%.60s' (line %d) and '%.60s'%s are no joint's child, expected one root; "
                            "join them by a fixed joint",
                            u->link[first].given, u->link[first].node->line, u->link[second].given,
                            more > 0 ? " and others" : "");
    return BR_OK;
}

// From a link that the root does not reach, upward: as many steps as there are links end on the cycle. The joint that
// comes last in the file closes it.
static br_status fail_cycle(const urdf *u, int link) {
    int last = -1;
    for (int k = 0; k < u->links; k++) link = u->joint[u->link[link].joint].parent;
    for (int k = 0; k < u->links; k++) {
        const int joint = u->link[link].joint;
        if (joint > last) last = joint;
        link = u->joint[joint].parent;
    }
    const urdf_joint *j = &u->joint[last];
    return br_urdf_fail(
        u, j->node, "urdf-tree",
        "joint '%.60s' closes a cycle: link '%.60s' is above and below link '%.60s'; expected a "
        "tree with one root",
        j->given, u->link[j->child].given, u->link[j->parent].given);
}

// Depth first, children in the order of their joints in the file.
static br_status put_in_order(urdf *u, int root) {
    int *stack = BR_TAKE(&u->arena, int, u->links), depth = 0, count = 0;
    u->order = BR_TAKE(&u->arena, int, u->links);
    if (!br_arena_ok(&u->arena)) return br_urdf_no_memory(u);
    unsigned char *reached = BR_TAKE(&u->arena, unsigned char, u->links);
    if (!reached) return br_urdf_no_memory(u);
    if (root >= 0) stack[depth++] = root;
    while (depth > 0) {
        const int link = stack[--depth];
        u->order[count++] = link;
        reached[link] = 1;
        for (int k = u->link[link].children; k >= 0; k = u->joint[k].sibling)
            stack[depth++] = u->joint[k].child; // the first of the file comes last, and is taken first
    }
    for (int k = 0; k < u->links; k++)
        if (!reached[k]) return fail_cycle(u, k);
    return BR_OK;
}

br_status br_urdf_make_tree(urdf *u) {
    int root = -1;
    br_status status = BR_OK;
    if (u->links == 0)
        return br_urdf_fail(u, u->root, "urdf-missing", "<robot> has no <link>, expected at least one");
    for (int k = 0; k < u->joints && status == BR_OK; k++) status = hang(u, k);
    if (status == BR_OK) status = find_root(u, &root);
    if (status == BR_OK) status = put_in_order(u, root);
    if (status != BR_OK) return status;
    u->base_world = strcmp(u->link[root].given, BR_WORLD) == 0;
    return BR_OK;
}

// ---------------------------------------------------------------------------------------------------------- mimicry

static br_status find_leader(urdf *u, int k) {
    urdf_joint *j = &u->joint[k];
    const char *name = br_io_xml_get(j->mimic, "joint");
    const int leader = br_names_find(&u->given_joints, name);
    if (leader < 0) {
        if (br_names_nearest(&u->given_joints, name)) // misspelt
            return br_urdf_unknown(u, j->mimic, "joint", name, &u->given_joints);
        return br_urdf_note(u, j->mimic, "joint", BR_IMPORT_MOTION,
                            "there is no '%.40s', nor a name that is near: joint '%.40s' moves by itself",
                            name, j->given);
    }
    if (leader == k) return br_urdf_fail(u, j->mimic, "urdf-mimic", "joint '%.60s' mimics itself", j->given);
    if (!br_urdf_is_single(j->type) || !br_urdf_is_single(u->joint[leader].type))
        return br_urdf_note(u, j->mimic, NULL, BR_IMPORT_MOTION,
                            "only revolute, continuous and prismatic joints mimic and are mimicked");
    j->leader = leader;
    return BR_OK;
}

// Zero, or the limit that is nearest to it.
static br_status start_alone(urdf *u, urdf_joint *j) {
    j->start = fmin(fmax(0.0, j->lower), j->upper);
    j->reach_low = j->lower, j->reach_high = j->upper;
    if (j->start == 0.0) return BR_OK;
    return br_urdf_note(u, j->node, NULL, BR_IMPORT_NUMERICS,
                        "joint '%.60s' starts at its limit %g; 0 is outside", j->given, j->start);
}

// Two stops that are met at once share their force in no way that could be told, so limits that follow from those of
// the leader are left to it. A wider stop is never met; the tolerance is the rounding of numbers in a file.
static br_status start_follower(urdf *u, urdf_joint *j) {
    const urdf_joint *leader = &u->joint[j->leader];
    j->start = j->multiplier * leader->start + j->offset;
    j->reach_low = j->lower, j->reach_high = j->upper;
    if (j->multiplier == 0.0) return BR_OK; // it is held
    const double a = j->multiplier * leader->reach_low + j->offset,
                 b = j->multiplier * leader->reach_high + j->offset;
    const double low = fmin(a, b), high = fmax(a, b),
                 slack = high < INFINITY && low > -INFINITY ? 1e-6 * (high - low) : 0.0;
    j->reach_low = fmax(j->lower, low), j->reach_high = fmin(j->upper, high);
    if (j->lower > low + slack || j->upper < high - slack || (j->lower == -INFINITY && j->upper == INFINITY))
        return BR_OK;
    j->lower = -INFINITY, j->upper = INFINITY;
    return br_urdf_note(u, j->node, NULL, BR_IMPORT_NUMERICS,
                        "the limits of '%.60s' follow from those of '%.60s'", j->given, leader->given);
}

// Along the joints that k follows to one that is known, and back.
static br_status start_of(urdf *u, int k, int *stack) {
    int depth = 0;
    br_status status = BR_OK;
    while (u->joint[k].state == 0) {
        u->joint[k].state = 1;
        stack[depth++] = k;
        if (u->joint[k].leader < 0) break;
        k = u->joint[k].leader;
        if (u->joint[k].state == 1)
            return br_urdf_fail(u, u->joint[k].mimic, "urdf-mimic",
                                "joint '%.60s' mimics a joint that mimics it in turn", u->joint[k].given);
    }
    while (depth > 0 && status == BR_OK) {
        urdf_joint *j = &u->joint[stack[--depth]];
        status = j->leader < 0 ? start_alone(u, j) : start_follower(u, j);
        j->state = 2;
    }
    return status;
}

br_status br_urdf_follow(urdf *u) {
    int *stack = BR_TAKE(&u->arena, int, u->joints);
    br_status status = stack ? BR_OK : br_urdf_no_memory(u);
    for (int k = 0; k < u->joints && status == BR_OK; k++)
        if (u->joint[k].mimic) status = find_leader(u, k);
    for (int k = 0; k < u->joints && status == BR_OK; k++)
        if (br_urdf_is_single(u->joint[k].type)) status = start_of(u, k, stack);
    return status;
}
