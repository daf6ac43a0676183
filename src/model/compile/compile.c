// br_model_create: the stages of compile.h, one after the other.
#include "model/compile/compile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

br_status br_compile_no_memory(const br_compile *c) {
    return br_no_memory(c->error, "no memory for a model of %d bodies", c->bodies);
}

br_status br_compile_note(br_compile *c, const char *format, ...) {
    char line[BR_MAX_ERROR_TEXT];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (c->notes++ >= BR_MAX_NOTES) return BR_OK;
    c->note[c->notes - 1] = br_copy_text(&c->scratch, line);
    return c->note[c->notes - 1] ? BR_OK : br_compile_no_memory(c);
}

static br_status join_notes(br_compile *c) {
    const int kept = c->notes < BR_MAX_NOTES ? c->notes : BR_MAX_NOTES;
    size_t size = 64;
    for (int k = 0; k < kept; k++) size += strlen(c->note[k]) + 1;
    char *text = BR_TAKE(&c->model->arena, char, size), *at = text;
    if (!text) return br_compile_no_memory(c);
    for (int k = 0; k < kept; k++) at += sprintf(at, "%s%s", k ? "\n" : "", c->note[k]);
    if (c->notes > kept) sprintf(at, "\nand %d more like these", c->notes - kept);
    c->model->notes = text;
    return BR_OK;
}

static int copy_excluded(br_compile *c) {
    br_settings *s = &c->model->settings;
    const size_t count = (size_t)s->contact_exclude_count;
    const char *(*copy)[2] = (const char *(*)[2])br_arena_take(&c->model->arena, count, sizeof *copy);
    for (size_t k = 0; copy && k < 2 * count; k++)
        if (!(copy[k / 2][k % 2] = br_copy_text(&c->model->arena, s->contact_exclude[k / 2][k % 2])))
            return 0;
    s->contact_exclude = (const char *const(*)[2])copy;
    return copy != NULL;
}

static br_status copy_settings(br_compile *c) {
    br_model *m = c->model;
    m->settings = c->builder->settings;
    const char **text[] = {&m->settings.name, &m->settings.contact_law, &m->settings.contact_bounds,
                           &m->settings.solver.redundancy};
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        if (*text[k] && !(*text[k] = br_copy_text(&m->arena, *text[k]))) return br_compile_no_memory(c);
    m->settings.outputs = br_copy_texts(&m->arena, m->settings.outputs, m->settings.output_count);
    if (!m->settings.outputs || !copy_excluded(c)) return br_compile_no_memory(c);
    for (int k = 0; k < c->builder->notes; k++)
        if (br_compile_note(c, "%s", c->builder->note[k]) != BR_OK) return br_compile_no_memory(c);
    m->normal = br_planar_normal(m->settings.planar);
    const br_vec3 g = m->settings.gravity;
    const br_vec3 in_plane = br_vec3_add_scaled(g, -br_vec3_dot(g, m->normal), m->normal);
    if (br_compile_is_planar(c) && br_vec3_norm(g) > 0.0 && br_vec3_norm(in_plane) == 0.0)
        return br_compile_note(c, "gravity (%g, %g, %g) is across the plane of the model and does nothing",
                               g.x, g.y, g.z);
    return BR_OK;
}

static br_status take_scratch(br_compile *c) {
    const int bodies = c->bodies, joints = c->builder->joint_names.count + bodies;
    c->parent = BR_TAKE(&c->scratch, int, bodies);
    c->carrier = BR_TAKE(&c->scratch, int, bodies);
    c->reversed = BR_TAKE(&c->scratch, int, bodies);
    c->def = BR_TAKE(&c->scratch, const br_joint_def *, joints);
    c->first = BR_TAKE(&c->scratch, int, joints);
    c->second = BR_TAKE(&c->scratch, int, joints);
    c->X_AF = BR_TAKE(&c->scratch, br_pose, joints);
    c->X_BM = BR_TAKE(&c->scratch, br_pose, joints);
    c->X_WL = BR_TAKE(&c->scratch, br_pose, bodies);
    c->V = BR_TAKE(&c->scratch, br_twist, bodies);
    const int taken = c->parent && c->carrier && c->reversed && c->def && c->first && c->second && c->X_AF &&
                      c->X_BM && c->X_WL && c->V;
    return taken ? BR_OK : br_compile_no_memory(c);
}

static br_status run_stages(br_compile *c) {
    static br_status (*const stage[])(br_compile *) = {
        take_scratch,           copy_settings,         br_compile_ends,        br_compile_tree,
        br_compile_turn_frames, br_compile_links,      br_compile_start,       br_compile_planar,
        br_compile_loops,       br_compile_mass,       br_compile_couplings,   br_compile_tendons,
        br_compile_beams,       br_compile_clearances, br_compile_friction,    br_compile_redundancy,
        br_compile_loads,       br_compile_drives,     br_compile_constraints, br_compile_contact,
        br_compile_sensors,     br_compile_doubts,     br_compile_visuals,     join_notes,
    };
    br_status status = BR_OK;
    for (size_t k = 0; status == BR_OK && k < sizeof stage / sizeof *stage; k++) status = stage[k](c);
    return status;
}

br_status br_model_create(const br_builder *builder, br_model **out, br_error *error) {
    br_compile c;
    memset(&c, 0, sizeof c);
    br_builder expanded;
    c.builder = &expanded;
    c.error = error;
    br_arena arena;
    br_arena_init(&arena, &builder->arena.allocator);
    br_arena_init(&c.scratch, &builder->arena.allocator);
    c.model = BR_TAKE(&arena, br_model, 1);
    if (!c.model) return br_compile_no_memory(&c);
    c.model->arena = arena;
    br_status status = br_expand(builder, &c.scratch, &expanded, &c.mesh, error);
    c.bodies = expanded.body_names.count;
    if (status == BR_OK) status = run_stages(&c);
    br_arena_free(&c.scratch);
    if (status != BR_OK) {
        br_model_destroy(c.model);
        return status;
    }
    c.model->hash = br_builder_hash(builder);
    *out = c.model;
    return BR_OK;
}
