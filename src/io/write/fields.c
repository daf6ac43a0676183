// Writing the fields of a definition by its table, model/def/field.h.
#include <string.h>

#include "io/write/write.h"

static void put_value(FILE *file, const br_def_field *f, const void *value) {
    switch (f->type) {
    case BR_FIELD_NUMBER:
        if (f->count > 0)
            br_model_put_numbers(file, (const double *)value, f->count);
        else
            br_model_put_number(file, *(const double *)value);
        return;
    case BR_FIELD_WHOLE:
        fprintf(file, "%d", *(const int *)value);
        return;
    case BR_FIELD_BOOL:
        fputs(*(const int *)value ? "true" : "false", file);
        return;
    case BR_FIELD_CHOICE: {
        int k = 0;
        while (k < *(const int *)value - f->base && f->words[k + 1]) k++; // in C any number but 0 is yes
        fputs(f->words[k], file);
        return;
    }
    case BR_FIELD_WORD:
        fputs(*(const char *const *)value, file);
        return;
    case BR_FIELD_CALL:
        fprintf(file, "\"%s\"", *(const char *const *)value);
        return;
    case BR_FIELD_TEXT:
        br_model_put_name(file, *(const char *const *)value);
        return;
    case BR_FIELD_VECTOR:
    case BR_FIELD_DIRECTION:
        br_model_put_vector(file, *(const br_vec3 *)value);
        return;
    default:
        br_model_put_function(file, (const br_function_def *)value);
    }
}

int br_model_is_usual(const br_def *def, const void *object) {
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++) {
        const int usual = br_field_is_usual(f, (const char *)object + f->offset);
        if (f->type == BR_FIELD_WORD && f->flags & BR_FIELD_NEEDED) return usual; // nothing without its law
        if (!usual) return 0;
    }
    return 1;
}

// What code writes is not: fields of one kind of element, numbers of coordinates, definitions within.
static int is_written(const br_def_field *f) {
    const int code = f->type == BR_FIELD_ALIAS || f->type == BR_FIELD_KEY || f->type == BR_FIELD_KIND ||
                     f->type == BR_FIELD_STRUCT || f->type == BR_FIELD_COORDINATES ||
                     f->type == BR_FIELD_POSE;
    return f->key && !f->only && !code && !(f->flags & BR_FIELD_WRITTEN_BY_CODE);
}

void br_model_put_fields(FILE *file, const model_style *style, const br_def *def, const void *object) {
    const char *before = style->first;
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++) {
        const char *value = (const char *)object + f->offset;
        if (!is_written(f)) continue;
        if (f->type == BR_FIELD_GROUP ? br_model_is_usual(f->def, value)
                                      : !(f->flags & BR_FIELD_ALWAYS_WRITTEN) && br_field_is_usual(f, value))
            continue;
        fprintf(file, "%s%s: ", before, f->key);
        before = style->between;
        if (f->type == BR_FIELD_GROUP) {
            fputc('{', file);
            br_model_put_fields(file, &model_in_line, f->def, value);
            fputc('}', file);
        } else {
            put_value(file, f, value);
        }
        fputs(style->after, file);
    }
}
