// <replicate>: its children count times, each time in a <frame> that is moved on by offset and turned on by euler in the frame before,
// with names that end in the number. Copies of the tree of elements, made before anything else is read.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/import/mjcf/mjcf.h"

enum {
    MJCF_MAX_REPLICAS = 100000,
    MJCF_MAX_COPIES = 1 << 20
}; // of one element; elements that copying may make in all

static const mjcf_known replicate_known[] = {
    {"count", MJCF_USED, 0}, {"offset", MJCF_USED, 0},     {"euler", MJCF_USED, 0},
    {"sep", MJCF_USED, 0},   {"childclass", MJCF_USED, 0}, {NULL, 0, NULL},
};

static io_xml_node *no_copy(int *status) {
    *status = BR_NO_MEMORY;
    return NULL;
}

// A copy of an element and all below it; names get the ending.
static io_xml_node *copy_tree(mjcf *m, const io_xml_node *node, const char *ending, long *made, int *status) {
    io_xml_node *copy = BR_TAKE(&m->arena, io_xml_node, 1);
    io_xml_attribute *attribute = BR_TAKE(&m->arena, io_xml_attribute, node->attributes);
    if (!copy || !attribute) return no_copy(status);
    *copy = *node;
    copy->first = copy->last = copy->next = NULL;
    for (int k = 0; k < node->attributes; k++) {
        attribute[k] = node->attribute[k];
        if (strcmp(attribute[k].name, "name") != 0) continue;
        const size_t size = strlen(attribute[k].value) + strlen(ending) + 1;
        char *name = BR_TAKE(&m->arena, char, size);
        if (!name) return no_copy(status);
        snprintf(name, size, "%s%s", attribute[k].value, ending);
        attribute[k].value = name;
    }
    copy->attribute = attribute;
    ++*made;
    for (const io_xml_node *c = node->first; c && *made <= MJCF_MAX_COPIES; c = c->next) {
        io_xml_node *child = copy_tree(m, c, ending, made, status);
        if (!child) return NULL;
        child->parent = copy;
        if (copy->last)
            copy->last->next = child;
        else
            copy->first = child;
        copy->last = child;
    }
    return copy;
}

// A <frame> at X with the node's children.
static io_xml_node *replica(mjcf *m, const io_xml_node *node, br_pose X, const char *ending, long *made,
                            int *status) {
    io_xml_node *frame = copy_tree(m, node, ending, made, status);
    const char *class = br_io_xml_get(node, "childclass");
    io_xml_attribute *attribute = BR_TAKE(&m->arena, io_xml_attribute, 3);
    char text[2][160];
    if (!frame || !attribute) return no_copy(status);
    snprintf(text[0], sizeof text[0], "%.17g %.17g %.17g", X.position.x, X.position.y, X.position.z);
    snprintf(text[1], sizeof text[1], "%.17g %.17g %.17g %.17g", X.rotation.w, X.rotation.x, X.rotation.y,
             X.rotation.z);
    attribute[0] = (io_xml_attribute){"pos", br_copy_text(&m->arena, text[0])};
    attribute[1] = (io_xml_attribute){"quat", br_copy_text(&m->arena, text[1])};
    attribute[2] = (io_xml_attribute){"childclass", class};
    if (!attribute[0].value || !attribute[1].value) return no_copy(status);
    frame->name = "frame";
    frame->scope = node->scope;
    frame->attribute = attribute;
    frame->attributes = class ? 3 : 2;
    return frame;
}

// Where replica number k stands in the one before it, added up.
typedef struct replicas {
    int count;
    br_vec3 offset;
    double euler[3];
    const char *separator;
} replicas;

static br_status read_replicas(mjcf *m, const io_xml_node *node, replicas *out) {
    const mjcf_element e = {node, -1};
    double count = 0.0;
    char hint[IO_XML_HINT];
    const char *separator = br_io_xml_get(node, "sep");
    *out = (replicas){0, br_vec3_zero(), {0.0, 0.0, 0.0}, separator ? separator : ""};
    br_status status = br_mjcf_check(m, e, replicate_known);
    if (status == BR_OK && !br_io_xml_get(node, "count"))
        status = br_mjcf_fail(m, node, "mjcf-missing", "<replicate> has no count%s",
                              br_io_xml_hint(node, "count", hint));
    if (status == BR_OK) status = br_mjcf_number(m, e, "count", &count);
    if (status == BR_OK) status = br_mjcf_vector(m, e, "offset", &out->offset);
    if (status == BR_OK) status = br_mjcf_numbers(m, e, "euler", 3, 3, out->euler, NULL);
    if (status == BR_OK && (!(count >= 1.0 && count <= MJCF_MAX_REPLICAS) || count != floor(count)))
        status = br_mjcf_fail(m, node, "mjcf-range",
                              "<replicate> count is %g, expected a whole number from 1 to %d", count,
                              (int)MJCF_MAX_REPLICAS);
    out->count = (int)count;
    return status;
}

// Puts the replicas where the element stands; *next: the last of them.
static br_status replace(mjcf *m, io_xml_node *parent, io_xml_node *before, io_xml_node *node, long *made,
                         io_xml_node **next) {
    replicas r;
    br_status status = read_replicas(m, node, &r);
    if (status != BR_OK) return status;
    char digits[24];
    const int width = snprintf(digits, sizeof digits, "%d", r.count);
    br_pose X = br_pose_identity();
    io_xml_node *last = before;
    for (int k = 0; k < r.count; k++) {
        char ending[BR_MAX_NAME];
        int failed = BR_OK;
        const double angle[3] = {k * r.euler[0], k * r.euler[1], k * r.euler[2]};
        X.rotation = br_mjcf_euler(m, node, angle);
        snprintf(ending, sizeof ending, "%.40s%0*d", r.separator, width, k);
        io_xml_node *frame = replica(m, node, X, ending, made, &failed);
        if (*made > MJCF_MAX_COPIES)
            return br_mjcf_fail(m, node, "mjcf-range", "<replicate> makes more than %d elements",
                                (int)MJCF_MAX_COPIES);
        if (!frame) return br_mjcf_no_memory(m);
        frame->parent = parent;
        if (last)
            last->next = frame;
        else
            parent->first = frame;
        last = frame;
        X.position = br_vec3_add(X.position, br_quat_rotate(X.rotation, r.offset));
    }
    last->next = node->next;
    if (parent->last == node) parent->last = last;
    *next = last;
    return BR_OK;
}

static br_status walk(mjcf *m, io_xml_node *parent, long *made) {
    io_xml_node *before = NULL;
    for (io_xml_node *c = parent->first; c; c = before ? before->next : parent->first) {
        br_status status =
            walk(m, c, made); // what stands inside first: its names end in the inner number, then the outer
        if (status == BR_OK && strcmp(c->name, "replicate") == 0)
            status = replace(m, parent, before, c, made, &before);
        else
            before = c;
        if (status != BR_OK) return status;
    }
    return BR_OK;
}

br_status br_mjcf_replicate(mjcf *m) {
    br_status status = BR_OK;
    long made = 0;
    for (io_xml_node *s = m->root->first; s && status == BR_OK; s = s->next)
        if (strcmp(s->name, "worldbody") == 0) status = walk(m, s, &made);
    return status;
}
