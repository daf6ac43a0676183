// ODE, with its exact solver (Dantzig) and its iteration (QuickStep). Its friction is a box; the known way around it is to
// turn the box's first side along the slip and give the second side no friction, which is what is done here for points
// that slip. Points that do not slip keep both sides.
#include "contact_bench.h"

#ifdef BENCH_HAVE_ODE

#include <ode/ode.h>

#include <cmath>
#include <vector>

namespace {

constexpr double slips = 1e-3;       // m/s: above it, the friction's direction is known
constexpr int most_contacts = 16;    // of one pair of shapes
constexpr int most_exact = 60;       // bodies
constexpr int quick_iterations = 20; // its default

struct world {
    dWorldID id;
    dSpaceID space;
    dJointGroupID joints;
    std::vector<dBodyID> body;
    double step, mu;
    double radius = 0; // of a disk, whose contact is made here: ODE has no such shape
    bool quick = false;
    double bounce = 0;
    int contacts = 0;
};

void velocity_at(dBodyID body, const dReal *point, double sign, double v[3]) {
    dVector3 here;
    if (!body) return;
    dBodyGetPointVel(body, point[0], point[1], point[2], here);
    for (int k = 0; k < 3; k++) v[k] += sign * here[k];
}

void touch(world *w, dBodyID a, dBodyID b, const dContactGeom &geometry) {
    dContact c{};
    c.geom = geometry;
    c.surface.mode = dContactApprox1;
    c.surface.mu = w->mu;
    if (w->bounce > 0) {
        c.surface.mode |= dContactBounce;
        c.surface.bounce = w->bounce;
    }
    double v[3] = {0, 0, 0};
    velocity_at(a, geometry.pos, 1, v);
    velocity_at(b, geometry.pos, -1, v);
    const double along = v[0] * geometry.normal[0] + v[1] * geometry.normal[1] + v[2] * geometry.normal[2];
    for (int k = 0; k < 3; k++) v[k] -= along * geometry.normal[k];
    const double speed = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (speed > slips) {
        c.surface.mode |= dContactFDir1 | dContactMu2;
        c.surface.mu2 = 0;
        for (int k = 0; k < 3; k++) c.fdir1[k] = v[k] / speed;
    }
    dJointAttach(dJointCreateContact(w->id, w->joints, &c), a, b);
    w->contacts++;
}

void near(void *opaque, dGeomID one, dGeomID two) {
    auto *w = static_cast<world *>(opaque);
    dContactGeom point[most_contacts];
    const int count = dCollide(one, two, most_contacts, point, sizeof point[0]);
    for (int k = 0; k < count; k++) touch(w, dGeomGetBody(point[k].g1), dGeomGetBody(point[k].g2), point[k]);
}

// The lowest point of the rim, exactly: down the steepest diameter.
void touch_disk(world *w) {
    const dReal *R = dBodyGetRotation(w->body[0]), *p = dBodyGetPosition(w->body[0]);
    const double ax = R[1], ay = R[5], az = R[9]; // the axis
    const double steep = std::sqrt(1 - az * az);  // of the diameter
    dContactGeom g{};
    g.depth = w->radius * steep - p[2];
    if (g.depth < 0) return;
    g.normal[2] = 1;
    g.pos[0] = p[0] + w->radius * az * ax / steep;
    g.pos[1] = p[1] + w->radius * az * ay / steep;
    g.pos[2] = p[2] - w->radius * steep;
    touch(w, w->body[0], nullptr, g);
}

void add(world *w, const contact_body &b) {
    dBodyID body = dBodyCreate(w->id);
    dMass mass;
    dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia[0], b.inertia[1], b.inertia[2], 0, 0, 0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, b.position[0], b.position[1], b.position[2]);
    dBodySetQuaternion(body, b.rotation);
    dBodySetLinearVel(body, b.velocity[0], b.velocity[1], b.velocity[2]);
    dBodySetAngularVel(body, b.angular[0], b.angular[1], b.angular[2]);
    dGeomID geometry = nullptr;
    if (b.shape == CONTACT_BOX) geometry = dCreateBox(w->space, b.size[0], b.size[1], b.size[2]);
    if (b.shape == CONTACT_SPHERE) geometry = dCreateSphere(w->space, b.size[0]);
    if (b.shape == CONTACT_DISK) w->radius = b.size[0];
    if (geometry) dGeomSetBody(geometry, body);
    w->body.push_back(body);
}

void *make(const contact_scene *scene, bool quick) {
    if (scene->file) return nullptr;
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    auto *w = new world{
        dWorldCreate(), dHashSpaceCreate(nullptr), dJointGroupCreate(0), {}, scene->step, scene->mu, 0,
        quick};
    if (scene->tuning) w->bounce = scene->tuning->restitution;
    dWorldSetGravity(w->id, scene->gravity[0], scene->gravity[1], scene->gravity[2]);
    dWorldSetQuickStepNumIterations(w->id, quick_iterations);
    for (int k = 0; k < scene->walls; k++) {
        const double *n = scene->wall[k].normal;
        dCreatePlane(w->space, n[0], n[1], n[2], scene->wall[k].offset);
    }
    for (int k = 0; k < scene->bodies; k++) add(w, scene->body[k]);
    return w;
}

void *make_exact(const contact_scene *scene) {
    // Its cost grows with the cube of the contacts: a pile of spheres takes minutes.
    return scene->bodies > most_exact ? nullptr : make(scene, false);
}

void *make_quick(const contact_scene *scene) {
    return make(scene, true);
}

void step(void *opaque) {
    auto *w = static_cast<world *>(opaque);
    w->contacts = 0;
    if (w->radius > 0)
        touch_disk(w);
    else
        dSpaceCollide(w->space, w, near);
    if (w->quick)
        dWorldQuickStep(w->id, w->step);
    else
        dWorldStep(w->id, w->step);
    dJointGroupEmpty(w->joints);
}

void read(void *opaque, contact_state *state) {
    for (dBodyID body : static_cast<world *>(opaque)->body) {
        for (int k = 0; k < 3; k++) state->position[k] = dBodyGetPosition(body)[k];
        for (int k = 0; k < 4; k++) state->rotation[k] = dBodyGetQuaternion(body)[k];
        for (int k = 0; k < 3; k++) state->velocity[k] = dBodyGetLinearVel(body)[k];
        state++;
    }
}

int contacts(void *opaque) {
    return static_cast<world *>(opaque)->contacts;
}

void destroy(void *opaque) {
    auto *w = static_cast<world *>(opaque);
    dJointGroupDestroy(w->joints);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->id);
    delete w;
    dCloseODE();
}

} // namespace

extern "C" const contact_engine contact_ode = {
    "ODE",      "dWorldStep (Dantzig), friction direction along the slip above 1 mm/s, mu2 = 0 there",
    make_exact, step,
    read,       contacts,
    destroy};
extern "C" const contact_engine contact_ode_quick = {
    "ODE quick", "dWorldQuickStep, 20 iterations, friction direction as above",
    make_quick,  step,
    read,        contacts,
    destroy};

#else
extern "C" const contact_engine contact_ode = absent_contact_engine("ODE");
extern "C" const contact_engine contact_ode_quick = absent_contact_engine("ODE quick");
#endif
