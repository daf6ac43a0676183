// definitions FORMS: the JSON Schema of model files, from the tables of src/model/def. What a table cannot say, what the
// value of a key that code reads looks like, is in FORMS (tools/schema-forms.json), by the names that rows have in `form`.
//
// definitions --guide: docs/guide/keys.md, the keys of every definition as tables.
#include <stdio.h>
#include <string.h>

#include "model/def/field.h"

// Rules of a definition that look at several keys, and what it is.
static const struct {
    const br_def *def;
    const char *text, *rule;
} extra[] = {
    {&br_def_friction,
     "How the joint or clearance rubs (of a clearance without load, radii, preload and compliance, which are "
     "its "
     "own): sliding velocity v under a load N, opposed by at most mu N. N follows the joint's reaction, or "
     "is "
     "constant. See docs/guide/model.md",
     "\"anyOf\": [{\"required\": [\"mu\"]}, {\"required\": [\"mu_static\"]}, {\"required\": "
     "[\"mu_kinetic\"]}, "
     "{\"required\": [\"MU_STATIC\"]}, {\"required\": [\"MU_DYNAMIC\"]}]"},
    {&br_def_pair, NULL,
     "\"anyOf\": [{\"required\": [\"mu\"]}, {\"required\": [\"mu_static\"]}, {\"required\": "
     "[\"mu_kinetic\"]}]"},
    {&br_def_clearance, NULL,
     "\"oneOf\": [{\"required\": [\"planar\"]}, {\"required\": [\"spherical\"]}, {\"required\": "
     "[\"spatial\"]}, "
     "{\"required\": [\"journal\", \"length\"]}]"},
    {&br_def_clearance_contact, NULL,
     "\"anyOf\": [{\"required\": [\"law\", \"stiffness\"]}, {\"required\": [\"table\"]}]"},
    {&br_def_section,
     "What a beam is made of: its numbers, or a material and a shape. Axes: x along the line, y and z across",
     "\"oneOf\": [{\"required\": [\"EI\", \"GJ\", \"EA\", \"kGA\", \"mass\"]}, "
     "{\"required\": [\"E\", \"density\", \"circle\"]}, {\"required\": [\"E\", \"density\", \"tube\"]}, "
     "{\"required\": [\"E\", \"density\", \"rectangle\"]}, {\"required\": [\"E\", \"density\", \"I\"]}]"},
    {&br_def_beam, "A flexible beam, unstressed in its given shape",
     "\"oneOf\": [{\"required\": [\"from\", \"to\"]}, {\"required\": [\"points\"]}, {\"required\": "
     "[\"arc\"]}, "
     "{\"required\": [\"spline\"]}]"},
    {&br_def_drive, NULL,
     "\"oneOf\": [{\"required\": [\"torque\"]}, {\"required\": [\"force\"]}, {\"required\": [\"velocity\"]}, "
     "{\"required\": [\"position\"]}, {\"required\": [\"servo\"]}]"},
    {&br_def_shapes[BR_SHAPE_CONVEX], NULL,
     "\"oneOf\": [{\"required\": [\"points\"]}, {\"required\": [\"file\"]}]"},
    {&br_def_joint_compliance, NULL, "\"minProperties\": 1"},
    {&br_def_constraint, "The sum of coefficient times velocity over the terms is kept at value", NULL},
};

static void put_string(const char *s) {
    putchar('"');
    for (; *s; s++) printf(*s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    putchar('"');
}

static void put_words(const char *const *words) {
    for (int k = 0; words[k]; k++) {
        if (!words[k][0]) continue; // a value that has no word
        fputs(k == 0 ? "[" : ", ", stdout);
        put_string(words[k]);
    }
    putchar(']');
}

static void put_calls(const br_word_call *calls) {
    fputs("\"type\": \"string\", \"pattern\": \"^(", stdout);
    for (int k = 0; calls[k].word; k++)
        printf("%s%s%s", k ? "|" : "", calls[k].word, calls[k].argument ? "\\\\(.+\\\\)" : "");
    fputs(")$\"", stdout);
}

static void put_object(const br_def *def, const char *kind, unsigned flags, int indent);

static void put_reference(const char *form) {
    printf("\"allOf\": [{\"$ref\": \"#/definitions/%s\"}]", form);
}

// What the value looks like, as entries of an object.
static void put_value(const br_def_field *f, int indent) {
    if (f->def == &br_def_friction) {
        put_reference("friction");
    } else if (f->def && f->form) { // a map, or a form that stands for all of it
        printf("\"anyOf\": [{\"$ref\": \"#/definitions/%s\"}, {", f->form);
        put_object(f->def, NULL, 0, indent);
        fputs("}]", stdout);
    } else if (f->def) {
        put_object(f->def, NULL, 0, indent);
    } else if (f->form) {
        put_reference(f->form);
    } else if (f->words) {
        fputs("\"enum\": ", stdout);
        put_words(f->words);
        if (f->type == BR_FIELD_CHOICE && f->base == 0 && !(f->flags & BR_FIELD_NEEDED))
            printf(", \"default\": \"%s\"", f->words[(int)f->usual]);
    } else if (f->calls) {
        put_calls(f->calls);
    } else if (f->type == BR_FIELD_NUMBER && f->count > 0) {
        printf("\"type\": \"array\", \"items\": {\"$ref\": \"#/definitions/quantity\"}, \"minItems\": %d, "
               "\"maxItems\": %d",
               f->count, f->count);
    } else if (f->type == BR_FIELD_WHOLE) {
        printf("\"type\": [\"integer\", \"string\"], \"default\": %d", (int)f->usual);
    } else if (f->type == BR_FIELD_BOOL) {
        fputs("\"type\": \"boolean\", \"default\": false", stdout);
    } else {
        static const char *const form[] = {
            [BR_FIELD_NUMBER] = "quantity",     [BR_FIELD_TEXT] = "name",
            [BR_FIELD_COORDINATES] = "numbers", [BR_FIELD_VECTOR] = "vector",
            [BR_FIELD_DIRECTION] = "direction", [BR_FIELD_FUNCTION] = "function",
            [BR_FIELD_ALIAS] = "quantity"};
        put_reference(form[f->type]);
    }
}

// Whether the definition of this kind (NULL: any) has the key.
static int has_key(const br_def_field *f, const char *kind, unsigned flags) {
    if (!f->key || (f->flags & flags) != flags) return 0;
    if (!kind) return 1;
    return f->type == BR_FIELD_KIND ? strcmp(f->key, kind) == 0 : !f->only || strcmp(f->only, kind) == 0;
}

static void put_properties(const br_def *def, const char *kind, unsigned flags, int indent) {
    int n = 0;
    fputs("\"properties\": {", stdout);
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++) {
        if (!has_key(f, kind, flags)) continue;
        printf("%s\n%*s\"%s\": {", n++ ? "," : "", indent, "", f->key);
        if (f->text || f->type == BR_FIELD_ALIAS) {
            char same[80];
            snprintf(same, sizeof same, "The same as %s", f->same ? f->same : "");
            fputs("\"description\": ", stdout);
            put_string(f->text ? f->text : same);
            fputs(", ", stdout);
        }
        put_value(f, indent + 2);
        putchar('}');
    }
    putchar('}');
}

static void put_required(const br_def *def, const char *kind, unsigned flags) {
    int n = 0;
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++) {
        const int needed = f->flags & BR_FIELD_NEEDED || (kind && f->type == BR_FIELD_KIND);
        if (!needed || !has_key(f, kind, flags)) continue;
        printf("%s\"%s\"", n++ ? ", " : ", \"required\": [", f->key);
    }
    if (n > 0) putchar(']');
}

// An element has one of the keys of its kinds.
static void put_kinds(const br_def *def) {
    int n = 0;
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++)
        if (f->type == BR_FIELD_KIND)
            printf("%s{\"required\": [\"%s\"]}", n++ ? ", " : ", \"oneOf\": [", f->key);
    if (n > 0) putchar(']');
}

static void put_object(const br_def *def, const char *kind, unsigned flags, int indent) {
    const char *text = NULL, *rule = NULL;
    for (size_t k = 0; k < sizeof extra / sizeof *extra; k++)
        if (extra[k].def == def) text = extra[k].text, rule = extra[k].rule;
    fputs("\"type\": \"object\", ", stdout);
    if (text) printf("\"description\": "), put_string(text), fputs(", ", stdout);
    put_properties(def, kind, flags, indent);
    put_required(def, kind, flags);
    fputs(", \"additionalProperties\": false", stdout);
    if (rule && flags == 0) printf(", %s", rule);
    if (!rule && !kind && flags == 0) put_kinds(def);
    if (flags) fputs(", \"minProperties\": 1", stdout);
}

static void put_definitions(void) {
    static const br_def *const defs[] = {&br_def_pair,       &br_def_body,  &br_def_shape,
                                         &br_def_friction,   &br_def_joint, &br_def_drive,
                                         &br_def_constraint, &br_def_beam,  &br_def_clearance};
    static const struct {
        const br_def *def;
        const char *kind;
    } loads[] = {{&br_def_force, "force"},
                 {&br_def_force, "torque"},
                 {&br_def_spring, "spring"},
                 {&br_def_bushing, "bushing"}};
    for (size_t k = 0; k < sizeof defs / sizeof *defs; k++) {
        printf(",\n    \"%s\": {", defs[k]->name);
        put_object(defs[k], NULL, 0, 6);
        putchar('}');
    }
    fputs(",\n    \"joint_change\": {\"description\": \"A joint of an imported model: what is given here "
          "replaces "
          "what it had\", ",
          stdout);
    put_object(&br_def_joint, NULL, BR_FIELD_IMPORTED, 6);
    fputs("},\n    \"load\": {\"anyOf\": [", stdout);
    for (size_t k = 0; k < sizeof loads / sizeof *loads; k++) {
        fputs(k ? ",\n      {" : "\n      {", stdout);
        put_object(loads[k].def, loads[k].kind, 0, 8);
        putchar('}');
    }
    fputs("]}", stdout);
}

// The text of the forms between its outermost braces.
static int put_forms(const char *path) {
    static char text[1 << 17];
    FILE *file = fopen(path, "r");
    const size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) fclose(file);
    char *const begin = strchr(text, '{'), *const end = size > 0 ? strrchr(text, '}') : NULL;
    if (!begin || !end || size == sizeof text - 1) return 0;
    for (char *p = begin + 1; p < end && !(p[0] == '\n' && p[1] == '}'); p++) {
        putchar(*p);
        if (*p == '\n') fputs("  ", stdout);
    }
    return 1;
}

// ------------------------------------------------------------------------------------------------------- the guide

static void put_cell(const char *text) {
    for (; *text; text++) printf(*text == '|' ? "\\%c" : "%c", *text);
}

static void put_default(const br_def_field *f) {
    if (f->flags & BR_FIELD_NEEDED)
        fputs("must be given", stdout);
    else if (f->assumed)
        printf("`%s`", f->assumed);
    else if (f->words && f->type == BR_FIELD_CHOICE && f->base == 0)
        printf("`%s`", f->words[(int)f->usual]);
    else if (f->key && (f->type == BR_FIELD_NUMBER || f->type == BR_FIELD_WHOLE) && f->usual != 0.0)
        printf("%g", f->usual);
}

static void put_keys(const br_def *def, const char *before) {
    for (const br_def_field *f = def->field; f < def->field + def->fields; f++) {
        char path[80];
        if (!f->key) continue;
        snprintf(path, sizeof path, "%s%s.", before, f->key);
        printf("| `%s%s` | ", before, f->key);
        if (f->same) printf("the same as `%s`", f->same);
        put_cell(f->same || !f->text ? "" : f->text);
        for (int k = 0; f->words && f->words[k]; k++)
            if (f->words[k][0]) printf("%s`%s`", k ? ", " : f->text ? ": " : "", f->words[k]);
        fputs(" | ", stdout);
        put_default(f);
        puts(" |");
        if (f->def && f->def != &br_def_friction) put_keys(f->def, path);
    }
}

static int put_guide(void) {
    static const struct {
        const br_def *def;
        const char *title;
    } part[] = {{&br_def_settings, "Top level"},
                {&br_def_body, "A body"},
                {&br_def_shape, "A shape"},
                {&br_def_joint, "A joint"},
                {&br_def_friction, "Friction"},
                {&br_def_force, "A force or torque"},
                {&br_def_spring, "A spring"},
                {&br_def_bushing, "A bushing"},
                {&br_def_drive, "A drive"},
                {&br_def_constraint, "A constraint"},
                {&br_def_beam, "A beam"},
                {&br_def_clearance, "A clearance"},
                {&br_def_pair, "A pair of materials"}};
    puts("# Every key of a model file\n\nWritten by `tools/update-definitions` from the tables in "
         "`src/model/def`, as the JSON "
         "Schema is. By example, with\nformulas: [model files](model.md).");
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        printf("\n## %s\n\n| key | meaning | default |\n|---|---|---|\n", part[k].title);
        put_keys(part[k].def, "");
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--guide") == 0) return put_guide();
    if (argc != 2) return fputs("definitions FORMS | --guide\n", stderr), 1;
    fputs("{\n  \"$id\": \"urn:bristle:model:1\",\n  \"title\": \"bristle model, format 1\",\n"
          "  \"description\": \"A mechanism or robot for bristle. Units are SI unless written; "
          "docs/guide/model.md "
          "explains each key.\",\n  ",
          stdout);
    put_object(&br_def_settings, NULL, 0, 4);
    fputs(",\n  \"definitions\": {", stdout);
    if (!put_forms(argv[1])) return fprintf(stderr, "definitions: cannot read %s\n", argv[1]), 1;
    put_definitions();
    puts("\n  }\n}");
    return 0;
}
