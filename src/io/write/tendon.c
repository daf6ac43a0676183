// The path of a tendon in a model file, see io/yaml/tendon.c.
#include "io/write/write.h"
#include "model/def/words.h"

static void put_key(FILE *file, const char *key) {
    fprintf(file, ", %s: ", key);
}

static void put_part(FILE *file, const br_tendon_part_def *p) {
    const int shape = p->kind == BR_TENDON_SPHERE || p->kind == BR_TENDON_CYLINDER;
    fprintf(file, "      - {%s: ", br_words_tendon[p->kind]);
    if (p->kind == BR_TENDON_POINT || p->kind == BR_TENDON_JOINT)
        br_model_put_name(file, p->of);
    else
        br_model_put_number(file, shape ? p->radius : p->factor);
    if (shape) put_key(file, "on"), br_model_put_name(file, p->of);
    if ((shape || p->kind == BR_TENDON_POINT) && br_vec3_max_abs(p->pose.position) > 0.0)
        put_key(file, "at"), br_model_put_vector(file, p->pose.position);
    if (p->kind == BR_TENDON_CYLINDER)
        put_key(file, "axis"),
            br_model_put_vector(file, br_model_tidy(br_quat_rotate(p->pose.rotation, br_vec3_unit(2))));
    if (shape && p->side_of) {
        fputs(", side: {", file);
        br_model_put_name(file, p->side_of);
        fputs(": ", file);
        br_model_put_vector(file, p->side);
        fputs("}", file);
    }
    if (p->kind == BR_TENDON_JOINT && p->coordinate != 0) fprintf(file, ", coordinate: %d", p->coordinate);
    if (p->kind == BR_TENDON_JOINT) put_key(file, "factor"), br_model_put_number(file, p->factor);
    fputs("}\n", file);
}

void br_model_put_tendon(FILE *file, const br_joint_def *def) {
    fputs("\n", file);
    for (int k = 0; k < def->path_count; k++) put_part(file, &def->path[k]);
}
