// Materials, pairs, shapes and contact settings of a builder, as a model file has them.
//
// A shape whose points came from a file is written with the points: the new file may stand in another folder.
#include <math.h>
#include <string.h>

#include "io/write/write.h"

// ------------------------------------------------------------------------------------------------------ materials

static void write_pair(FILE *file, const br_pair_def *p) {
    static const model_style style = {", ", ", ", ""};
    char name[2 * BR_MAX_NAME + 2];
    snprintf(name, sizeof name, "%.64s/%.64s", p->first, p->second);
    fputs("  ", file);
    br_model_put_name(file, name);
    fputs(p->mu_static == p->mu_kinetic ? ": {mu: " : ": {mu_static: ", file);
    br_model_put_number(file, p->mu_static);
    if (p->mu_static != p->mu_kinetic) {
        fputs(", mu_kinetic: ", file);
        br_model_put_number(file, p->mu_kinetic);
    }
    br_model_put_fields(file, &style, &br_def_pair, p);
    fputs("}\n", file);
}

void br_model_write_materials(const model_writer *w) {
    const br_builder *b = w->builder;
    for (int k = 0; k < b->material_names.count; k++) {
        fputs(k == 0 ? "\nmaterials: {" : ", ", w->file);
        br_model_put_name(w->file, b->material_names.name[k]);
        fputs(": {}", w->file);
    }
    fputs(b->material_names.count > 0 ? "}\n" : "", w->file);
    fputs(b->pairs > 0 ? "pairs:\n" : "", w->file);
    for (int k = 0; k < b->pairs; k++) write_pair(w->file, &b->pair[k]);
}

// --------------------------------------------------------------------------------------------------------- shapes

static void write_field(FILE *file, const br_shape_def *s) {
    const double spacing[2] = {s->spacing.x, s->spacing.y};
    fputs("heightfield: {spacing: ", file);
    br_model_put_numbers(file, spacing, 2);
    fputs(", heights: [", file);
    for (int k = 0; k < s->rows; k++) {
        fputs(k == 0 ? "" : ", ", file);
        br_model_put_numbers(file, s->heights + (size_t)k * (size_t)s->columns, s->columns);
    }
    fputs("]}", file);
}

static void write_points(FILE *file, const br_shape_def *s) {
    fputs("convex: {points: [", file);
    for (int k = 0; k < s->point_count; k++) {
        fputs(k == 0 ? "" : ", ", file);
        br_model_put_vector(file, s->points[k]);
    }
    fputs("]}", file);
}

static void write_kind(FILE *file, const br_shape_def *s) {
    if (s->type == BR_SHAPE_CONVEX) {
        write_points(file, s);
    } else if (s->type == BR_SHAPE_HEIGHTFIELD) {
        write_field(file, s);
    } else {
        fprintf(file, "%s: {", br_words_shape[s->type]);
        br_model_put_fields(file, &model_in_line, &br_def_shapes[s->type], s);
        fputc('}', file);
    }
}

static void write_shape(FILE *file, const char *indent, const br_shape_def *s) {
    const br_quat q = s->pose.rotation;
    fprintf(file, "%s- {", indent);
    write_kind(file, s);
    if (s->name) {
        fputs(", name: ", file);
        br_model_put_name(file, s->name);
    }
    if (s->material) {
        fputs(", material: ", file);
        br_model_put_name(file, s->material);
    }
    if (s->category != 0 || s->mask != 0) fprintf(file, ", category: %u, mask: %u", s->category, s->mask);
    if (br_vec3_max_abs(s->pose.position) > 0.0 || fabs(q.w) != 1.0) {
        fputs(", pose: {", file);
        br_model_put_pose(file, s->pose);
        fputc('}', file);
    }
    fputs("}\n", file);
}

void br_model_write_shapes(const model_writer *w, const br_body_def *body) {
    fputs(body->shape_count > 0 ? "    shapes:\n" : "", w->file);
    for (int k = 0; k < body->shape_count; k++) write_shape(w->file, "      ", &body->shapes[k]);
}

void br_model_write_ground(const model_writer *w) {
    fputs(w->builder->grounds > 0 ? "\nground:\n" : "", w->file);
    for (int k = 0; k < w->builder->grounds; k++) write_shape(w->file, "  ", &w->builder->ground[k]);
}

// ------------------------------------------------------------------------------------------------------- settings

void br_model_write_contact(const model_writer *w) {
    const br_settings *s = &w->builder->settings;
    const int usual = br_model_is_usual(&br_def_contact, s);
    if (usual && s->contact_exclude_count == 0) return;
    fputs("contact: {", w->file);
    br_model_put_fields(w->file, &model_in_line, &br_def_contact, s);
    for (int k = 0; k < s->contact_exclude_count; k++) {
        fputs(k == 0 && usual ? "" : ", ", w->file);
        fputs(k == 0 ? "exclude: [[" : "[", w->file);
        br_model_put_name(w->file, s->contact_exclude[k][0]);
        fputs(", ", w->file);
        br_model_put_name(w->file, s->contact_exclude[k][1]);
        fputc(']', w->file);
    }
    fputs(s->contact_exclude_count > 0 ? "]}\n" : "}\n", w->file);
}
