#include "io/yaml/points.h"

#include <stdio.h>
#include <string.h>

static int side_of(yaml_reader *r, const yaml_node *node, const char *name, const char *what,
                   const char *first, const char *second) {
    if (strcmp(name, first) == 0) return 0;
    if (second && strcmp(name, second) == 0) return 1;
    char shown[YAML_SHOWN], hint[YAML_HINT];
    const char *const names[2] = {first, second};
    br_yaml_hint(name, names, second ? 2 : 1, hint);
    br_yaml_fault(r, node, "yaml-reference", "at names '%s', expected '%.40s'%s%.40s%s (%s)%s",
                  br_yaml_show(name, strlen(name), shown), first, second ? " or '" : "", second ? second : "",
                  second ? "'" : "", what, hint);
    return -1;
}

static void read_frame(yaml_reader *r, const yaml_node *node, const char *what, const char *first,
                       const char *second, yaml_points *out) {
    const char *body = NULL;
    br_pose X_BF;
    if (!br_yaml_frame_of(r, node, &body, &X_BF)) {
        char shown[YAML_SHOWN], of[BR_MAX_NAME], hint[YAML_HINT];
        const size_t n = strcspn(node->text, ".");
        if (node->text[n] == '.' && n > 0 && n < sizeof of) {
            memcpy(of, node->text, n);
            of[n] = '\0';
            const char *const names[2] = {first, second};
            br_yaml_fault(r, node, "yaml-reference", "at is '%s', but there is no body '%.60s'%s",
                          br_yaml_show(node->text, (size_t)node->count, shown), of,
                          br_yaml_hint(of, names, second ? 2 : 1, hint));
            return;
        }
        br_yaml_fault(r, node, "yaml-reference",
                      "at is '%s', expected [x, y, z], {BODY: [x, y, z]} or the name of a frame, BODY.FRAME",
                      br_yaml_show(node->text, (size_t)node->count, shown));
        return;
    }
    const int side = side_of(r, node, body, what, first, second);
    if (side < 0) return;
    if (out->given[side]) br_yaml_fault(r, node, "yaml-conflict", "at gives two frames of '%.40s'", body);
    out->given[side] = out->frame[side] = 1;
    out->X[side] = X_BF;
}

void br_yaml_read_points(yaml_reader *r, const yaml_node *node, const char *what, const char *first,
                         const char *second, yaml_points *out) {
    memset(out, 0, sizeof *out);
    out->X[0] = out->X[1] = br_pose_identity();
    if (r->status != BR_OK || !node || !first) return;
    if (node->kind == YAML_MAP) {
        for (const yaml_node *entry = node->first; entry && r->status == BR_OK; entry = entry->next) {
            const int side = side_of(r, entry->key, entry->key->text, what, first, second);
            if (side < 0) return;
            br_yaml_vec3(r, entry, BR_DIM_LENGTH, &out->X[side].position);
            out->given[side] = 1;
        }
        if (node->count == 0) br_yaml_fault(r, node, "yaml-empty", "at of %s is empty", what);
    } else if (node->kind == YAML_SCALAR && !yaml_is_empty(node)) {
        read_frame(r, node, what, first, second, out);
    } else if (node->kind == YAML_LIST && node->count == 2 && second && node->first->kind == YAML_SCALAR &&
               strchr(node->first->text, '.') && node->first->text[0] > '9') {
        read_frame(r, node->first, what, first, second, out);
        read_frame(r, node->last, what, first, second, out);
    } else {
        br_yaml_vec3(r, node, BR_DIM_LENGTH, &out->point_W);
        out->world = 1;
    }
}
