// Meshes of other programs have a million triangles; a page must stay small and turn smoothly. Every file is read once, and all of them
// together share BR_SCENE_TRIANGLES by their number of triangles.
#include "io/report/scene_visual.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "io/import/dae.h"
#include "io/import/mesh.h"
#include "io/report/simplify.h"
#include "io/text/json_write.h"
#include "model/build/visual.h"

enum {
    BR_SCENE_TRIANGLES = 90000,  // of a scene
    BR_MESH_TRIANGLES = 150,     // that every mesh may have
    BR_READ_TRIANGLES = 4000000, // after so many (300 MB) further files are not drawn
};

typedef struct drawn_mesh {
    const char *file;
    br_vec3 *corner;
    int corners, shown; // shown: its number in the scene; -1: it cannot be read
    double colour[4];   // the file's own; red < 0: none
    const char *why;    // it is not drawn; NULL: it is
} drawn_mesh;

// One for each file, or for each colour of it, which follow each other.
typedef struct drawn_meshes {
    drawn_mesh *mesh;
    int count, capacity;
} drawn_meshes;

static void put_numbers(FILE *f, const char *key, const double *x, int count) {
    br_io_json_key(f, key, 0);
    br_io_json_numbers(f, x, count, 6);
}

static int find_mesh(const drawn_mesh *mesh, int count, const char *file) {
    int k = 0;
    while (k < count && strcmp(mesh[k].file, file) != 0) k++;
    return k;
}

static void put_mesh(FILE *f, const io_triangles *t, int first) {
    fputs(first ? "\n{\"vertices\": [" : ",\n{\"vertices\": [", f);
    for (int k = 0; k < t->vertices; k++)
        fprintf(f, "%s%.4g,%.4g,%.4g", k ? "," : "", t->vertex[k].x, t->vertex[k].y, t->vertex[k].z);
    fputs("], \"triangles\": [", f);
    for (int k = 0; k < 3 * t->triangles; k++) fprintf(f, "%s%d", k ? "," : "", t->corner[k]);
    fputs("]}", f);
}

static int is_collada(const char *file) {
    const char *dot = strrchr(file, '.');
    return dot && strcasecmp(dot, ".dae") == 0;
}

static int add_drawn(drawn_meshes *all, br_arena *arena, const char *file, br_vec3 *corner, int corners,
                     const double *colour) {
    if (!BR_GROW(arena, all->mesh, all->count, all->capacity)) return 0;
    drawn_mesh *at = &all->mesh[all->count++];
    *at = (drawn_mesh){.file = file, .corner = corner, .corners = corners, .shown = -1, .colour = {-1.0}};
    if (colour) memcpy(at->colour, colour, sizeof at->colour);
    return 1;
}

// What is wrong with a file: the end of its path, its line, and what was found there.
static const char *undrawn(br_arena *arena, const char *file, const br_error *error) {
    char text[600], line[24] = "";
    const char *slash = strrchr(file, '/');
    if (error->line > 0) snprintf(line, sizeof line, ":%d", error->line);
    snprintf(text, sizeof text, "%.200s%s is not drawn: %.300s", slash ? slash + 1 : file, line,
             error->message[0] ? error->message : "there is no triangle in it");
    return br_copy_text(arena, text);
}

// Reads a file's triangles; one that cannot be read has none. 0: no memory.
static int load_drawn(drawn_meshes *all, br_arena *arena, const char *file) {
    br_vec3 *corner = NULL;
    io_dae_part *part = NULL;
    int corners = 0, parts = 0, fine = 1;
    br_error wrong = {0};
    if (!is_collada(file)) {
        if (br_io_mesh_load_faces(file, arena, &corner, &corners, &wrong) != BR_OK) corners = 0;
        fine = add_drawn(all, arena, file, corner, corners, NULL);
        if (fine && corners == 0) all->mesh[all->count - 1].why = undrawn(arena, file, &wrong);
        return fine;
    }
    if (br_io_dae_load_faces(file, arena, &corner, &corners, &part, &parts, &wrong) != BR_OK) parts = 0;
    if (parts == 0) {
        fine = add_drawn(all, arena, file, NULL, 0, NULL);
        if (fine) all->mesh[all->count - 1].why = undrawn(arena, file, &wrong);
        return fine;
    }
    for (int k = 0; k < parts && fine; k++)
        fine = add_drawn(all, arena, file, corner + part[k].first, part[k].count, part[k].colour);
    return fine;
}

// Loads every file that is named, once. *total: triangles. 0: no memory.
static int load_meshes(const br_model *m, br_arena *arena, drawn_meshes *all, double *total) {
    for (int k = 0; k < m->visuals; k++) {
        const char *file = m->visual[k].shape.file;
        const int before = all->count;
        if (!file || find_mesh(all->mesh, all->count, file) < all->count) continue;
        if (*total >= BR_READ_TRIANGLES) {
            const br_error many = {.message = "more than 4000000 triangles were read before it"};
            if (!add_drawn(all, arena, file, NULL, 0, NULL)) return 0;
            all->mesh[all->count - 1].why = undrawn(arena, file, &many);
            continue;
        }
        if (!load_drawn(all, arena, file)) return 0;
        for (int i = before; i < all->count; i++) *total += all->mesh[i].corners / 3;
    }
    return 1;
}

static int put_meshes(FILE *f, drawn_mesh *mesh, int count, double total, const br_allocator *allocator) {
    int shown = 0, fine = 1;
    fputs(",\n\"meshes\": [", f);
    for (int k = 0; k < count && fine; k++) {
        br_arena scratch;
        io_triangles t;
        if (mesh[k].corners == 0) continue;
        const double part = (double)BR_SCENE_TRIANGLES * (mesh[k].corners / 3) / total;
        const int most = total > BR_SCENE_TRIANGLES ? (int)fmax(part, BR_MESH_TRIANGLES) : mesh[k].corners;
        br_arena_init(&scratch, allocator);
        fine = br_io_simplify(mesh[k].corner, mesh[k].corners, most, &scratch, &t);
        if (fine && t.triangles > 0) {
            put_mesh(f, &t, shown == 0);
            mesh[k].shown = shown++;
        }
        br_arena_free(&scratch);
    }
    fputs("]", f);
    return fine;
}

// A solid's lengths, as shapes have them.
static void put_solid(FILE *f, const br_shape_def *def) {
    static const char *const names[] = {[BR_SHAPE_SPHERE] = "sphere",
                                        [BR_SHAPE_BOX] = "box",
                                        [BR_SHAPE_CAPSULE] = "capsule",
                                        [BR_SHAPE_CYLINDER] = "cylinder",
                                        [BR_SHAPE_ELLIPSOID] = "ellipsoid"};
    const double size[3] = {def->size.x, def->size.y, def->size.z};
    br_io_json_key(f, "kind", 0);
    br_io_json_text(f, names[def->type]);
    if (def->type == BR_SHAPE_BOX || def->type == BR_SHAPE_ELLIPSOID) {
        put_numbers(f, def->type == BR_SHAPE_BOX ? "size" : "radii", size, 3);
        return;
    }
    br_io_json_key(f, "radius", 0);
    br_io_json_number(f, size[0], 6);
    if (def->type == BR_SHAPE_SPHERE) return;
    br_io_json_key(f, "length", 0);
    br_io_json_number(f, def->length, 6);
}

// Of a mesh: x in the body is position + rotation (scale * turn (x - origin)).
static void put_visual(FILE *f, const br_visual *v, int mesh, int first) {
    const br_pose X = v->shape.pose;
    const double p[3] = {X.position.x, X.position.y, X.position.z},
                 q[4] = {X.rotation.w, X.rotation.x, X.rotation.y, X.rotation.z};
    fprintf(f, "%s{\"body\": %d", first ? "\n" : ",\n", v->index);
    put_numbers(f, "position", p, 3);
    put_numbers(f, "rotation", q, 4);
    br_io_json_key(f, "colour", 0);
    if (v->colour[0] >= 0.0)
        br_io_json_numbers(f, v->colour, 4, 4);
    else
        fputs("null", f);
    if (mesh < 0) {
        put_solid(f, &v->shape);
    } else {
        const double s[3] = {v->scale.x, v->scale.y, v->scale.z},
                     o[3] = {v->origin.x, v->origin.y, v->origin.z},
                     t[4] = {v->turn.w, v->turn.x, v->turn.y, v->turn.z};
        fprintf(f, ", \"kind\": \"file\", \"mesh\": %d", mesh);
        put_numbers(f, "scale", s, 3);
        put_numbers(f, "origin", o, 3);
        put_numbers(f, "turn", t, 4);
    }
    putc('}', f);
}

// What is missing in the picture, for the page to tell.
static void put_undrawn(FILE *f, const drawn_meshes *all) {
    int put = 0;
    for (int k = 0; k < all->count; k++) {
        if (!all->mesh[k].why) continue;
        fputs(put++ ? ",\n" : ",\n\"undrawn\": [", f);
        br_io_json_text(f, all->mesh[k].why);
    }
    if (put) fputs("]", f);
}

static void put_visuals(FILE *f, const br_model *m, const drawn_meshes *all) {
    int put = 0;
    for (int k = 0; k < m->visuals; k++) {
        const br_visual *v = &m->visual[k];
        if (!v->shape.file) {
            put_visual(f, v, -1, put++ == 0);
            continue;
        }
        const int first = find_mesh(all->mesh, all->count, v->shape.file);
        for (int i = first; i < all->count && strcmp(all->mesh[i].file, v->shape.file) == 0; i++) {
            br_visual part = *v;
            if (all->mesh[i].shown < 0) continue;
            if (part.colour[0] < 0.0) memcpy(part.colour, all->mesh[i].colour, sizeof part.colour);
            put_visual(f, &part, all->mesh[i].shown, put++ == 0);
        }
    }
}

int br_io_scene_visuals(FILE *f, const br_model *m) {
    if (m->visuals == 0) return 1;
    br_arena arena;
    br_arena_init(&arena, &m->arena.allocator);
    drawn_meshes all = {0};
    double total = 0.0;
    const int fine = load_meshes(m, &arena, &all, &total) &&
                     put_meshes(f, all.mesh, all.count, total, &m->arena.allocator);
    fputs(",\n\"visuals\": [", f);
    if (fine) put_visuals(f, m, &all);
    fputs("]", f);
    if (fine) put_undrawn(f, &all);
    br_arena_free(&arena);
    return fine;
}
