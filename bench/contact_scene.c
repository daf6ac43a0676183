#include "contact_scene.h"
#include "contact.h"

#include <math.h>
#include <stdlib.h>

static const double degree = 3.14159265358979323846 / 180;

static const contact_row rows[CONTACT_CASES] = {
    {CASE_SLIDE, "slide", "Box thrown at 3 m/s over a level floor, h = 1 ms, 7 headings", 7, 0.7, 0},
    {CASE_STICK, "stick", "Box at rest on an incline of 20 degrees, h = 1 ms, 10 s", 2, 10, 0},
    {CASE_MUST_SLIDE, "must_slide", "Box on 28 degrees, 45 degrees from its edges, h = 1 ms, 2 s", 1, 2, 0},
    {CASE_WHEEL, "wheel", "Sliding wheel, h = 1 ms, 2 s", 1, 2, 0},
    {CASE_TOWER_10, "tower_10", "Tower of 10 cubes, h = 2 ms, 10 s", 1, 10, 1},
    {CASE_TOWER_50, "tower_50", "Tower of 50 cubes, h = 2 ms, 10 s", 1, 10, 1},
    {CASE_TOWER_HEAVY, "tower_10_heavy", "Tower of 10 cubes, the top one 1000 times heavier, h = 2 ms, 10 s",
     1, 10, 1},
    {CASE_HUMANOID, "humanoid", "Humanoid fallen on the floor, h = 5 ms", 1, 8, 4},
    {CASE_SPHERES_100, "spheres_100", "100 spheres settled in a bin, h = 2 ms", 1, 4, 3},
    {CASE_SPHERES_1000, "spheres_1000", "1,000 spheres settled in a bin, h = 2 ms", 1, 4, 3},
};

const contact_row *contact_row_of(contact_case kind) {
    return &rows[kind];
}

double contact_heading(const contact_scene *scene) {
    static const double stick[] = {0, 45};
    if (scene->kind == CASE_SLIDE) return 15 * degree * scene->variant;
    if (scene->kind == CASE_STICK) return degree * stick[scene->variant];
    return scene->kind == CASE_MUST_SLIDE ? 45 * degree : 0;
}

double contact_slope(const contact_scene *scene) {
    if (scene->kind == CASE_STICK) return 20 * degree;
    return scene->kind == CASE_MUST_SLIDE ? 28 * degree : 0;
}

static contact_body box_at(double edge, double height, double mass, double x, double y, double z) {
    const double level = mass * (edge * edge + height * height) / 12;
    return (contact_body){.shape = CONTACT_BOX,
                          .size = {edge, edge, height},
                          .mass = mass,
                          .inertia = {level, level, mass * edge * edge / 6},
                          .position = {x, y, z},
                          .rotation = {1, 0, 0, 0}};
}

static contact_body sphere_at(double radius, double mass, double x, double y, double z) {
    const double about = 0.4 * mass * radius * radius;
    return (contact_body){.shape = CONTACT_SPHERE,
                          .size = {radius, radius, radius},
                          .mass = mass,
                          .inertia = {about, about, about},
                          .position = {x, y, z},
                          .rotation = {1, 0, 0, 0}};
}

static void add_bodies(contact_scene *scene, int count) {
    scene->bodies = count;
    scene->body = bench_alloc(count, sizeof *scene->body);
}

static void make_box(contact_scene *scene) {
    const double heading = contact_heading(scene), slope = contact_slope(scene), speed = 3;
    add_bodies(scene, 1);
    scene->body[0] = box_at(BOX_EDGE, BOX_HEIGHT, 1, 0, 0, BOX_HEIGHT / 2);
    if (scene->kind == CASE_SLIDE) {
        scene->body[0].velocity[0] = speed * cos(heading);
        scene->body[0].velocity[1] = speed * sin(heading);
    }
    scene->gravity[0] = CONTACT_GRAVITY * sin(slope) * cos(heading);
    scene->gravity[1] = CONTACT_GRAVITY * sin(slope) * sin(heading);
    scene->gravity[2] = -CONTACT_GRAVITY * cos(slope);
}

// Table 1: rotation Rz(psi) Rx(20 degrees) Ry(phi), its axis along y; the rate of psi is -2 rad/s.
static void make_wheel(contact_scene *scene) {
    const double lean = 20 * degree;
    add_bodies(scene, 1);
    scene->body[0] = (contact_body){.shape = CONTACT_DISK,
                                    .size = {WHEEL_RADIUS, 0, 0},
                                    .mass = 1,
                                    .inertia = {0.3, 0.6, 0.3},
                                    .position = {0, 0, WHEEL_RADIUS * cos(lean)},
                                    .rotation = {cos(lean / 2), sin(lean / 2), 0, 0},
                                    .velocity = {6, 0, 0},
                                    .angular = {0, 0, -2}};
    scene->mu = WHEEL_MU;
}

// Every cube is a little off the one below, back and forth, so that no corner carries what its neighbour does.
static void make_tower(contact_scene *scene, int count, double ratio) {
    static const double shift[4][2] = {{0.01, 0}, {0, -0.01}, {-0.01, 0}, {0, 0.01}}; // of an edge
    add_bodies(scene, count);
    for (int k = 0; k < count; k++)
        scene->body[k] =
            box_at(TOWER_EDGE, TOWER_EDGE, k == count - 1 ? ratio : 1, TOWER_EDGE * shift[k % 4][0],
                   TOWER_EDGE * shift[k % 4][1], TOWER_EDGE * (k + 0.5));
    scene->step = 2e-3;
}

// In layers of side x side, each shifted, above a bin that they fill about half; nothing random is needed for a pile
// without order, but the rows must not stand on each other.
static void make_spheres(contact_scene *scene, int count, int side) {
    const double pitch = 2.2 * SPHERE_RADIUS, half = 0.5 * side * pitch + 0.5 * SPHERE_RADIUS;
    const contact_wall sides[4] = {
        {{1, 0, 0}, -half}, {{-1, 0, 0}, -half}, {{0, 1, 0}, -half}, {{0, -1, 0}, -half}};
    add_bodies(scene, count);
    for (int k = 0; k < count; k++) {
        const int layer = k / (side * side), row = k / side % side, column = k % side;
        const double x = pitch * (column - 0.5 * (side - 1)) + 0.09 * SPHERE_RADIUS * sin(1.7 * k),
                     y = pitch * (row - 0.5 * (side - 1)) + 0.09 * SPHERE_RADIUS * sin(2.9 * k + 1);
        scene->body[k] = sphere_at(SPHERE_RADIUS, 1, x, y, 1.5 * SPHERE_RADIUS + pitch * layer);
    }
    for (int k = 0; k < 4; k++) scene->wall[1 + k] = sides[k];
    scene->walls = 5;
    scene->step = 2e-3;
}

contact_scene contact_scene_create(contact_case kind, int variant) {
    contact_scene scene = {.kind = kind,
                           .variant = variant,
                           .step = 1e-3,
                           .mu = CONTACT_MU,
                           .gravity = {0, 0, -CONTACT_GRAVITY},
                           .walls = 1,
                           .wall = {{{0, 0, 1}, 0}}};
    if (kind == CASE_SLIDE || kind == CASE_STICK || kind == CASE_MUST_SLIDE) make_box(&scene);
    if (kind == CASE_WHEEL) make_wheel(&scene);
    if (kind == CASE_TOWER_10) make_tower(&scene, 10, 1);
    if (kind == CASE_TOWER_50) make_tower(&scene, 50, 1);
    if (kind == CASE_TOWER_HEAVY) make_tower(&scene, 10, 1000);
    if (kind == CASE_SPHERES_100) make_spheres(&scene, 100, 5);
    if (kind == CASE_SPHERES_1000) make_spheres(&scene, 1000, 10);
    if (kind == CASE_HUMANOID) {
        add_bodies(&scene, 1); // the torso: what is judged
        scene.file = BENCH_SHARED_DIR "/models/humanoid/humanoid.xml";
        scene.step = 5e-3;
    }
    return scene;
}

void contact_scene_destroy(contact_scene *scene) {
    free(scene->body);
    scene->body = NULL;
}
