// What is done to all fields of a definition alike, see field.h.
#include "model/def/field.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "model/def/names.h"

static const void *at(const void *object, const br_def_field *f) {
    return (const char *)object + f->offset;
}

static void *at_mutable(void *object, const br_def_field *f) {
    return (char *)object + f->offset;
}

static int count_of(const br_def_field *f) {
    return f->count ? f->count : 1;
}

int br_field_lengths(const br_def_field *f) {
    if (f->dimension != BR_DIM_LENGTH || !(f->flags & BR_FIELD_NEEDED)) return 0;
    return f->type == BR_FIELD_VECTOR ? 3 : f->type == BR_FIELD_NUMBER ? count_of(f) : 0;
}

br_dimension br_dimension_turned(br_dimension dimension) {
    switch (dimension) {
    case BR_DIM_LENGTH:
        return BR_DIM_ANGLE;
    case BR_DIM_VELOCITY:
        return BR_DIM_ANGULAR_VELOCITY;
    case BR_DIM_FORCE:
        return BR_DIM_TORQUE;
    case BR_DIM_STIFFNESS:
        return BR_DIM_ANGULAR_STIFFNESS;
    case BR_DIM_DAMPING:
        return BR_DIM_ANGULAR_DAMPING;
    case BR_DIM_MASS:
        return BR_DIM_INERTIA;
    default:
        return BR_DIM_ANY;
    }
}

void br_def_keys(const br_def *def, unsigned flags, const char *keys[BR_MAX_FIELDS]) {
    int n = 0;
    for (int k = 0; k < def->fields; k++)
        if (def->field[k].key && (def->field[k].flags & flags) == flags) keys[n++] = def->field[k].key;
    keys[n] = NULL;
}

const br_def_field *br_def_find(const br_def *def, const char *key) {
    for (int k = 0; k < def->fields; k++)
        if (def->field[k].key && strcmp(def->field[k].key, key) == 0) return &def->field[k];
    return NULL;
}

// --- defaults ----------------------------------------------------------------------------------------------

static void set_usual(const br_def *def, void *object) {
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++) {
        void *const value = at_mutable(object, f);
        for (int k = 0; f->type == BR_FIELD_NUMBER && k < count_of(f); k++) ((double *)value)[k] = f->usual;
        for (int k = 0; f->type == BR_FIELD_FUNCTION && k < count_of(f); k++)
            ((br_function_def *)value)[k] = br_function_constant(f->usual);
        if (f->type == BR_FIELD_WHOLE || f->type == BR_FIELD_BOOL || f->type == BR_FIELD_CHOICE)
            *(int *)value = (int)f->usual;
        if (f->type == BR_FIELD_POSE) *(br_pose *)value = br_pose_identity();
        if (f->type == BR_FIELD_GROUP || f->type == BR_FIELD_STRUCT) set_usual(f->def, value);
    }
}

void br_def_default(const br_def *def, void *object) {
    memset(object, 0, def->size);
    set_usual(def, object);
}

int br_field_is_usual(const br_def_field *f, const void *value) {
    switch (f->type) {
    case BR_FIELD_NUMBER:
        for (int k = 0; k < count_of(f); k++)
            if (((const double *)value)[k] != f->usual) return 0;
        return 1;
    case BR_FIELD_WHOLE:
    case BR_FIELD_BOOL:
    case BR_FIELD_CHOICE:
        return *(const int *)value == (int)f->usual;
    case BR_FIELD_WORD:
    case BR_FIELD_CALL:
    case BR_FIELD_TEXT:
        return !*(const char *const *)value;
    case BR_FIELD_VECTOR:
    case BR_FIELD_DIRECTION:
        return br_vec3_max_abs(br_vec3_sub(*(const br_vec3 *)value, br_vec3_of(0.0, 0.0, f->usual))) == 0.0;
    default:
        return 1;
    }
}

// --- ranges ------------------------------------------------------------------------------------------------

static int in_range(const br_def_field *f, double x) {
    if (x == INFINITY && (f->flags & BR_FIELD_INFINITE)) return 1;
    if (!isfinite(x)) return 0;
    if (f->flags & BR_FIELD_SIGNED) return 1;
    if (f->flags & BR_FIELD_ABOVE ? x <= f->low : x < f->low) return 0;
    return f->high == 0.0 || (f->flags & BR_FIELD_BELOW ? x < f->high : x <= f->high);
}

// The row's own words, with the name and the number in their places.
static br_status fail_number(const br_def *def, const br_def_field *f, const br_place *place,
                             const char *field, double x) {
    char text[BR_MAX_ERROR_TEXT], number[40];
    size_t n = 0;
    snprintf(number, sizeof number, f->type == BR_FIELD_WHOLE ? "%.0f" : "%g", x);
    for (const char *p = f->fault; *p && n < sizeof text - 1;) {
        const char *const put = strncmp(p, "{x}", 3) == 0 ? number : place->name;
        const size_t length = put == number ? 3 : strncmp(p, "{name}", 6) == 0 ? 6 : 0;
        if (length > 0)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", put);
        else
            text[n++] = *p;
        p += length > 0 ? length : 1;
    }
    text[n < sizeof text ? n : sizeof text - 1] = '\0';
    return br_fail_place(place, f->code ? f->code : def->code, field, "%s", text);
}

static br_status check_field(const br_def *def, const br_def_field *f, const void *object,
                             const br_place *place, const char *path) {
    const int whole = f->type == BR_FIELD_WHOLE;
    if (f->flags & BR_FIELD_CHECKED_BY_CODE) return BR_OK;
    if (f->type == BR_FIELD_VECTOR || f->type == BR_FIELD_DIRECTION)
        return br_check_finite(place, path, (const double *)at(object, f), 3);
    if (f->type != BR_FIELD_NUMBER && !whole) return BR_OK;
    for (int k = 0; k < count_of(f); k++) {
        const double x = whole ? *(const int *)at(object, f) : ((const double *)at(object, f))[k];
        if (in_range(f, x)) continue;
        if (f->fault) return fail_number(def, f, place, path, x);
        return f->flags & BR_FIELD_SIGNED ? br_check_finite(place, path, &x, 1)
                                          : br_check_not_negative(place, path, &x, 1);
    }
    return BR_OK;
}

br_status br_def_check(const br_def *def, const void *object, const br_place *place, const char *prefix) {
    br_status status = BR_OK;
    for (const br_def_field *f = def->field; status == BR_OK && f < def->field + def->fields; f++) {
        char path[BR_MAX_NAME];
        const int inner = f->type == BR_FIELD_GROUP && !(f->flags & BR_FIELD_CHECKED_BY_CODE);
        snprintf(path, sizeof path, "%s%s%s", prefix, f->key ? f->key : "", inner ? "/" : "");
        status = inner ? br_def_check(f->def, at(object, f), place, path)
                       : check_field(def, f, object, place, path);
    }
    return status;
}

// --- copies ------------------------------------------------------------------------------------------------

static int keep_function(br_arena *arena, br_function_def *f) {
    const int table = f->kind == BR_FUNCTION_TABLE || f->kind == BR_FUNCTION_SMOOTH;
    if (f->kind != BR_FUNCTION_EXPRESSION) f->expression = NULL;
    if (!table) f->count = 0, f->times = f->values = NULL;
    if (!br_keep_text(arena, &f->expression)) return 0;
    if (!table) return 1;
    f->times = (const double *)BR_COPY(arena, f->times, f->count);
    f->values = (const double *)BR_COPY(arena, f->values, f->count);
    return f->times && f->values;
}

static int keep_field(const br_def_field *f, void *value, br_arena *arena) {
    switch (f->type) {
    case BR_FIELD_WORD:
    case BR_FIELD_CALL:
    case BR_FIELD_TEXT:
        return br_keep_text(arena, (const char **)value);
    case BR_FIELD_POSE:
        ((br_pose *)value)->rotation = br_quat_normalize(((br_pose *)value)->rotation);
        return 1;
    case BR_FIELD_FUNCTION:
        for (int k = 0; k < count_of(f); k++)
            if (!keep_function(arena, (br_function_def *)value + k)) return 0;
        return 1;
    case BR_FIELD_GROUP:
    case BR_FIELD_STRUCT:
        return br_def_keep(f->def, value, arena);
    default:
        return 1;
    }
}

int br_def_keep(const br_def *def, void *object, br_arena *arena) {
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++)
        if (!keep_field(f, at_mutable(object, f), arena)) return 0;
    return 1;
}

// --- the hash ----------------------------------------------------------------------------------------------

static uint64_t hash_text(uint64_t h, const char *s) {
    return s ? br_hash_bytes(h, s, strlen(s) + 1) : br_hash_u64(h, 0);
}

static uint64_t hash_function(uint64_t h, const br_function_def *f) {
    const double x[2] = {f->constant, f->scale};
    h = br_hash_doubles(br_hash_u64(h, (uint64_t)(int64_t)f->kind), x, 2);
    h = br_hash_u64(hash_text(h, f->expression), (uint64_t)(int64_t)f->count);
    if (f->count > 0)
        h = br_hash_doubles(br_hash_doubles(h, f->times, (size_t)f->count), f->values, (size_t)f->count);
    return h;
}

static uint64_t hash_field(uint64_t h, const br_def_field *f, const void *value) {
    switch (f->type) {
    case BR_FIELD_NUMBER:
    case BR_FIELD_COORDINATES:
        return br_hash_doubles(h, (const double *)value, (size_t)count_of(f));
    case BR_FIELD_VECTOR:
    case BR_FIELD_DIRECTION:
        return br_hash_doubles(h, (const double *)value, 3);
    case BR_FIELD_POSE: {
        const br_pose X = *(const br_pose *)value;
        const double x[7] = {X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z,
                             X.position.x, X.position.y, X.position.z};
        return br_hash_doubles(h, x, 7);
    }
    case BR_FIELD_WORD:
    case BR_FIELD_CALL:
    case BR_FIELD_TEXT:
        return hash_text(h, *(const char *const *)value ? *(const char *const *)value : f->assumed);
    case BR_FIELD_FUNCTION:
        for (int k = 0; k < count_of(f); k++) h = hash_function(h, (const br_function_def *)value + k);
        return h;
    case BR_FIELD_STRUCT:
        return br_def_hash(h, f->def, value, 1, BR_MAX_FIELDS);
    default: {
        const int x = *(const int *)value;
        return br_hash_u64(h, (uint64_t)(int64_t)(f->flags & BR_FIELD_TRUTH ? x != 0 : x));
    }
    }
}

// The rows by their places in the hash, groups among them.
static void order_rows(const br_def *def, const char *object, const br_def_field *row[BR_MAX_FIELDS + 1],
                       const char *value[BR_MAX_FIELDS + 1]) {
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++) {
        if (f->type == BR_FIELD_GROUP) order_rows(f->def, object + f->offset, row, value);
        if (f->hash == 0) continue;
        row[f->hash] = f;
        value[f->hash] = object + f->offset;
    }
}

uint64_t br_def_hash(uint64_t h, const br_def *def, const void *object, int first, int last) {
    const br_def_field *row[BR_MAX_FIELDS + 1] = {NULL};
    const char *value[BR_MAX_FIELDS + 1];
    order_rows(def, (const char *)object, row, value);
    for (int k = first; k <= last && k <= BR_MAX_FIELDS && row[k]; k++) {
        if (row[k]->flags & BR_FIELD_ADDED) {
            if (br_field_is_usual(row[k], value[k])) continue;
            h = hash_text(h, row[k]->key);
        }
        h = hash_field(h, row[k], value[k]);
    }
    return h;
}
