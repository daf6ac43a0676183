// Beams and clearances of the builder: checked, copied. See model.h.
#include <string.h>

#include "flex/line.h"
#include "model/build/builder.h"
#include "model/def/field.h"

// --- beams -------------------------------------------------------------------------------------------------

static int keep_beam(br_arena *arena, br_beam_def *def) {
    br_attach_def *attach = (br_attach_def *)BR_COPY(arena, def->attach, def->attach_count);
    def->points = (const br_vec3 *)BR_COPY(arena, def->points, def->point_count);
    if (!attach || !def->points || !br_def_keep(&br_def_beam, def, arena)) return 0;
    for (int k = 0; k < def->attach_count; k++)
        if (!br_keep_text(arena, &attach[k].body)) return 0;
    def->attach = attach;
    return 1;
}

static int flex_measure(br_arena *arena, const br_beam_def *def, br_beam_line *line) {
    line->length = br_line_length(def);
    line->corners = br_line_corners(def, NULL, 0);
    line->corner = BR_TAKE(arena, double, line->corners);
    if (line->corner) br_line_corners(def, line->corner, line->corners);
    return line->corner != NULL;
}

br_status br_builder_beam(br_builder *builder, const br_beam_def *def, br_error *error) {
    const br_place place = {"beams", def->name, error};
    br_status status = br_check_new_name(&builder->beam_names, &place, "beam");
    if (status == BR_OK) status = br_check_other_name(&builder->body_names, &place, "beam", "body");
    if (status == BR_OK) status = br_check_beam(def, &place);
    if (status != BR_OK) return status;
    const int n = builder->beam_names.count;
    br_beam_def copy = *def;
    br_beam_line line;
    if (!BR_BUILDER_GROW(builder, beam, n) || !BR_BUILDER_GROW(builder, beam_line, n) ||
        !keep_beam(&builder->arena, &copy) || !flex_measure(&builder->arena, &copy, &line) ||
        br_names_add(&builder->beam_names, &builder->arena, copy.name) != BR_OK)
        return br_builder_no_memory(error);
    builder->beam[n] = copy;
    builder->beam_line[n] = line;
    return BR_OK;
}

// --- clearances --------------------------------------------------------------------------------------------

static int keep_clearance(br_arena *arena, br_clearance_def *def) {
    if (strcmp(def->law, "table") != 0) def->table_count = 0, def->table_depth = def->table_force = NULL;
    def->table_depth = (const double *)BR_COPY(arena, def->table_depth, def->table_count);
    def->table_force = (const double *)BR_COPY(arena, def->table_force, def->table_count);
    return def->table_depth && def->table_force && br_def_keep(&br_def_clearance, def, arena);
}

br_status br_builder_clearance(br_builder *builder, const br_clearance_def *def, br_error *error) {
    const br_place place = {"clearances", def->name, error};
    br_status status = br_check_new_name(&builder->clearance_names, &place, "clearance");
    if (status == BR_OK) status = br_check_other_name(&builder->joint_names, &place, "clearance", "joint");
    if (status == BR_OK) status = br_check_clearance(def, &place);
    if (status != BR_OK) return status;
    const int n = builder->clearance_names.count;
    br_clearance_def copy = *def;
    if (copy.exponent == 0.0) copy.exponent = strcmp(copy.law, "linear") == 0 ? 1.0 : 1.5;
    if (copy.type != BR_CLEARANCE_JOURNAL) copy.length = 0.0;
    if (!BR_BUILDER_GROW(builder, clearance, n) || !keep_clearance(&builder->arena, &copy) ||
        br_names_add(&builder->clearance_names, &builder->arena, copy.name) != BR_OK)
        return br_builder_no_memory(error);
    builder->clearance[n] = copy;
    return BR_OK;
}
