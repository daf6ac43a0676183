// The scenes of contact_bench as plain numbers. Nothing here calls an engine: every engine builds its world from the
// same table of bodies and walls, and contact_judge.h judges what came of it.
//
//     slide        a flat box thrown over a level floor at 3 m/s, headings 0, 15 .. 90 degrees to its edges
//     stick        the same box at rest on an incline of 20 degrees, which falls along x, and 45 degrees from it
//     must_slide   the same box on 28 degrees, 45 degrees from its edges: tan 28 = 0.532 is above mu = 0.5
//     wheel        the disk of [Peiret2016 table 1]
//     tower n      n cubes on each other, a little off centre; the top one `ratio` times heavier
//     spheres n    n equal spheres falling into a square bin
//     humanoid     MuJoCo's model file, which falls on the floor
//
// An incline is a level floor under a gravity that leans: the same problem, with the box's edges along the axes that
// engines take their friction directions from.
#ifndef BENCH_CONTACT_SCENE_H
#define BENCH_CONTACT_SCENE_H

#ifdef __cplusplus
extern "C" {
#endif

#define CONTACT_GRAVITY 9.81 // m/s^2
#define CONTACT_MU 0.5       // of every scene but the wheel
#define WHEEL_RADIUS 0.5     // m
#define WHEEL_MU 0.3
#define BOX_EDGE 0.2   // m, of the box that slides: square
#define BOX_HEIGHT 0.1 // m: so flat that no engine makes it rattle
#define TOWER_EDGE 0.5 // m
#define SPHERE_RADIUS 0.05

typedef enum contact_case {
    CASE_SLIDE = 0,
    CASE_STICK,
    CASE_MUST_SLIDE,
    CASE_WHEEL,
    CASE_TOWER_10,
    CASE_TOWER_50,
    CASE_TOWER_HEAVY,
    CASE_HUMANOID,
    CASE_SPHERES_100,
    CASE_SPHERES_1000,
    CONTACT_CASES
} contact_case;

typedef enum contact_shape { CONTACT_BOX, CONTACT_SPHERE, CONTACT_DISK } contact_shape;

typedef struct contact_body {
    contact_shape shape;
    double size[3];                  // m: box, full lengths; sphere and disk (axis y), [0] is the radius
    double mass;                     // kg
    double inertia[3];               // kg m^2 about the body's axes
    double position[3], rotation[4]; // of the centre; quaternion w, x, y, z
    double velocity[3], angular[3];  // world axes
} contact_body;

typedef struct contact_wall { // solid where normal . x < offset
    double normal[3], offset;
} contact_wall;

enum { CONTACT_MAX_WALLS = 5 };

typedef struct contact_scene {
    contact_case kind;
    int variant;
    double step; // s
    double mu;
    double gravity[3];
    int bodies, walls;
    contact_body *body;
    contact_wall wall[CONTACT_MAX_WALLS]; // [0] is the floor, z = 0
    const char *file;                     // MJCF, instead of bodies
    const struct contact_tuning *tuning;  // NULL: as contact_bench has its engines
} contact_scene;

// What measured_bench sets of an engine.
typedef struct contact_tuning {
    double restitution;   // of body and floor, where the engine has one
    double time_constant; // s, of MuJoCo's contact; 0: its default, with its default cone
} contact_tuning;

typedef struct contact_row {
    contact_case kind;
    const char *name, *title;
    int variants;   // the same scene in several directions
    double seconds; // of simulated time
    double from;    // s: the steps after this are timed
} contact_row;

const contact_row *contact_row_of(contact_case kind);

double
contact_heading(const contact_scene *scene); // rad: of slide, the thrown direction; else of steepest descent
double contact_slope(const contact_scene *scene); // rad

contact_scene contact_scene_create(contact_case kind, int variant);
void contact_scene_destroy(contact_scene *scene);

#ifdef __cplusplus
}
#endif

#endif
