// Beams and clearances in a model file.
#include <math.h>
#include <string.h>

#include "io/write/write.h"

// ----------------------------------------------------------------------------------------------------- beams

static void put_key(FILE *file, const char *before, const char *key, double x) {
    fprintf(file, "%s%s: ", before, key);
    br_model_put_number(file, x);
}

static void put_pair(FILE *file, const char *before, const char *key, double y, double z) {
    const double pair[2] = {y, z};
    if (y == z) {
        put_key(file, before, key, y);
        return;
    }
    fprintf(file, "%s%s: ", before, key);
    br_model_put_numbers(file, pair, 2);
}

static void write_line(FILE *file, const br_beam_def *def) {
    if (def->line == BR_LINE_POLYGON && def->point_count == 2) {
        fputs("    from: ", file);
        br_model_put_vector(file, def->points[0]);
        fputs("\n    to: ", file);
        br_model_put_vector(file, def->points[1]);
        fputs("\n", file);
        return;
    }
    fprintf(file, "    %s: [", br_words_line[def->line]);
    for (int k = 0; k < def->point_count; k++) {
        fputs(k ? ", " : "", file);
        br_model_put_vector(file, def->points[k]);
    }
    fputs("]\n", file);
}

static void write_shape(FILE *file, const br_section_def *s) {
    put_key(file, "", "E", s->E);
    put_key(file, ", ", "nu", s->nu);
    put_key(file, ", ", "density", s->density);
    const br_def *shape = &br_def_sections[s->shape - BR_SECTION_CIRCLE];
    fprintf(file, ", %s: {", shape->name);
    br_model_put_fields(file, &model_in_line, shape, s);
    fputs("}", file);
}

static void write_section(FILE *file, const br_section_def *s) {
    const double offset[2] = {s->offset_y, s->offset_z};
    fputs("    section: {", file);
    if (s->shape != BR_SECTION_GIVEN) {
        write_shape(file, s);
    } else {
        put_pair(file, "", "EI", s->EI_y, s->EI_z);
        put_key(file, ", ", "GJ", s->GJ);
        put_key(file, ", ", "EA", s->EA);
        put_pair(file, ", ", "kGA", s->GA_y, s->GA_z);
        put_key(file, ", ", "mass", s->mass);
        fputs(", inertia: ", file);
        br_model_put_numbers(file, s->inertia, 3);
    }
    if (offset[0] != 0.0 || offset[1] != 0.0) {
        fputs(", offset: ", file);
        br_model_put_numbers(file, offset, 2);
    }
    fputs("}\n", file);
}

static void write_attach(FILE *file, const br_beam_def *def) {
    for (int k = 0; k < def->attach_count; k++) {
        fputs(k ? ", " : "    attach: {", file);
        br_model_put_number(file, def->attach[k].station);
        fputs(": ", file);
        br_model_put_name(file, def->attach[k].body);
    }
    fputs(def->attach_count > 0 ? "}\n" : "", file);
}

static void write_beam(FILE *file, const br_beam_def *def) {
    fputs("  ", file);
    br_model_put_name(file, def->name);
    fputs(":\n", file);
    write_line(file, def);
    br_model_put_fields(file, &model_in_lines, &br_def_beam, def);
    write_section(file, &def->section);
    if (def->damping != 0.0) put_key(file, "    ", "damping", def->damping), fputs("\n", file);
    write_attach(file, def);
    if (!def->has_velocity) return;
    fputs("    velocity: {linear: ", file);
    br_model_put_vector(file, def->velocity);
    fputs(", angular: ", file);
    br_model_put_vector(file, def->angular_velocity);
    fputs("}\n", file);
}

void br_model_write_beams(const model_writer *w) {
    const br_builder *b = w->builder;
    fputs(b->beam_names.count > 0 ? "\nbeams:\n" : "", w->file);
    for (int k = 0; k < b->beam_names.count; k++) write_beam(w->file, &b->beam[k]);
}

// ------------------------------------------------------------------------------------------------ clearances

static void put_both(FILE *file, const char *key, const br_clearance_def *def, br_vec3 first,
                     br_vec3 second) {
    fprintf(file, "    %s: {", key);
    br_model_put_name(file, def->first);
    fputs(": ", file);
    br_model_put_vector(file, first);
    fputs(", ", file);
    br_model_put_name(file, def->second);
    fputs(": ", file);
    br_model_put_vector(file, second);
    fputs("}\n", file);
}

static void write_contact(FILE *file, const br_clearance_def *def) {
    fputs("    contact: {", file);
    br_model_put_fields(file, &model_in_line, &br_def_clearance_contact, def);
    if (def->restitution != 0.0 || strcmp(def->law, "lankarani_nikravesh") == 0)
        put_key(file, ", ", "restitution", def->restitution);
    if (def->table_count > 0) {
        fputs(", table: {depth: ", file);
        br_model_put_numbers(file, def->table_depth, def->table_count);
        fputs(", force: ", file);
        br_model_put_numbers(file, def->table_force, def->table_count);
        fputs("}", file);
    }
    fputs("}\n", file);
}

// The races have an axis and no more: which way their x axes point decides nothing.
static void write_clearance(FILE *file, const br_clearance_def *def) {
    const br_vec3 z = br_vec3_unit(2);
    fputs("  ", file);
    br_model_put_name(file, def->name);
    fprintf(file, ":\n    %s: [", br_clearance_type_name(def->type));
    br_model_put_name(file, def->first);
    fputs(", ", file);
    br_model_put_name(file, def->second);
    fputs("]\n", file);
    put_both(file, "at", def, def->X_AF.position, def->X_BM.position);
    if (def->type != BR_CLEARANCE_SPHERICAL)
        put_both(file, "axis", def, br_model_tidy(br_quat_rotate(def->X_AF.rotation, z)),
                 br_model_tidy(br_quat_rotate(def->X_BM.rotation, z)));
    br_model_put_fields(file, &model_in_lines, &br_def_clearance, def);
    if (def->type == BR_CLEARANCE_JOURNAL) put_key(file, "    ", "length", def->length), fputs("\n", file);
    write_contact(file, def);
    br_model_put_friction(file, &def->friction);
}

void br_model_write_clearances(const model_writer *w) {
    const br_builder *b = w->builder;
    fputs(b->clearance_names.count > 0 ? "\nclearances:\n" : "", w->file);
    for (int k = 0; k < b->clearance_names.count; k++) write_clearance(w->file, &b->clearance[k]);
}
