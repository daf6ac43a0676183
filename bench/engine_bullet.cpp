// Bullet's btMultiBody, in double precision: articulated bodies, loops as point constraints solved by its
// Gauss-Seidel iteration with Bullet's own defaults (10 iterations, error reduction 0.2). Its Dantzig solver
// gives up on more than one loop, because the constraint's third row, along z, is empty here, and falls back
// to the same iteration.
#include "engine_bench.h"

#ifdef BENCH_HAVE_BULLET

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <BulletDynamics/Featherstone/btMultiBodyPoint2Point.h>
#include <btBulletCollisionCommon.h>

#include <memory>
#include <vector>

namespace {

struct model {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btMultiBodyConstraintSolver solver;
    btMultiBodyDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    btEmptyShape nothing;
    std::vector<std::unique_ptr<btMultiBody>>
        body; // a chain is one, a four-bar mechanism one for each upright rod
    std::vector<std::unique_ptr<btMultiBodyLinkCollider>> collider;
    std::vector<std::unique_ptr<btMultiBodyPoint2Point>> loop;
    btAlignedObjectArray<btScalar> scratch_r;
    btAlignedObjectArray<btVector3> scratch_v;
    btAlignedObjectArray<btMatrix3x3> scratch_m;

    explicit model(const btVector3 &gravity) { world.setGravity(gravity); }

    btMultiBody *add_body(int links) {
        body.push_back(std::make_unique<btMultiBody>(links, 0, btVector3(0, 0, 0), true, false));
        body.back()->setLinearDamping(0);
        body.back()->setAngularDamping(0);
        body.back()->setMaxCoordinateVelocity(1e6); // clipped at 100 rad/s otherwise
        return body.back().get();
    }

    // The world solves a loop only as part of an island, and finds islands through colliders: without one, or
    // with islands switched off (where 3.24 passes on the wrong count), the constraint is silently ignored.
    void add_to_island(btMultiBody *b) {
        collider.push_back(std::make_unique<btMultiBodyLinkCollider>(b, 0));
        collider.back()->setCollisionShape(&nothing);
        b->getLink(0).m_collider = collider.back().get();
        world.addCollisionObject(collider.back().get(), 0, 0);
    }

    ~model() {
        for (auto &c : loop) world.removeMultiBodyConstraint(c.get());
        for (auto &c : collider) world.removeCollisionObject(c.get());
        for (auto &b : body) world.removeMultiBody(b.get());
    }
};

// Bullet's link frames sit at the centre of mass: pin is given from the parent's, half from the pin to this
// one's.
void add_rod(btMultiBody *body, int link, const btVector3 &inertia, const btVector3 &axis,
             const btVector3 &pin, const btVector3 &half) {
    body->setupRevolute(link, ROD_MASS, inertia, link - 1, btQuaternion::getIdentity(), axis, pin, half);
}

void *make_chain(int links) {
    auto *m = new model({0, 0, -GRAVITY});
    const btVector3 half(0, 0, -ROD_LENGTH / 2), inertia(ROD_INERTIA, ROD_INERTIA, ROD_AXIAL_INERTIA);
    btMultiBody *body = m->add_body(links);
    for (int i = 0; i < links; i++)
        add_rod(body, i, inertia, chain_axis(i) ? btVector3(0, 1, 0) : btVector3(1, 0, 0),
                i ? half : btVector3(0, 0, 0), half);
    body->finalizeMultiDof();
    m->world.addMultiBody(body);
    return m;
}

void set_state(void *opaque, const double *q, const double *v) {
    for (auto &body : static_cast<model *>(opaque)->body) {
        for (int i = 0; i < body->getNumLinks(); i++) {
            body->setJointPos(i, *q++);
            body->setJointVel(i, *v++);
        }
        body->clearForcesAndTorques();
    }
}

void get_state(void *opaque, double *q, double *v) {
    for (const auto &body : static_cast<model *>(opaque)->body) {
        for (int i = 0; i < body->getNumLinks(); i++) {
            *q++ = body->getJointPos(i);
            *v++ = body->getJointVel(i);
        }
    }
}

// One multibody for each upright rod and the level rod on it. All rods in one multibody is the same mechanism
// but its constraint rows are dense: eight times slower at 40 loops.
void *make_fourbar(int loops) {
    const btVector3 up(0, ROD_LENGTH / 2, 0), right(ROD_LENGTH / 2, 0, 0), z(0, 0, 1);
    const btVector3 inertia(ROD_INERTIA, ROD_INERTIA, ROD_INERTIA);
    auto *m = new model({0, -GRAVITY, 0});
    for (int i = 0; i <= loops; i++) {
        btMultiBody *body = m->add_body(i < loops ? 2 : 1);
        add_rod(body, 0, inertia, z, {i * ROD_LENGTH, 0, 0}, up);
        if (i < loops) add_rod(body, 1, inertia, z, up, right);
        body->finalizeMultiDof();
        m->world.addMultiBody(body);
        m->add_to_island(body);
    }
    for (int i = 0; i < loops; i++) {
        m->loop.push_back(std::make_unique<btMultiBodyPoint2Point>(m->body[i].get(), 1, m->body[i + 1].get(),
                                                                   0, right, up));
        m->loop.back()->setMaxAppliedImpulse(1e6);
        m->world.addMultiBodyConstraint(m->loop.back().get());
        m->loop.back()->finalizeMultiDof();
    }
    std::vector<double> q(fourbar_coordinates(loops)), v(q.size());
    fourbar_start(loops, q.data(), v.data());
    set_state(m, q.data(), v.data());
    return m;
}

void forward(void *opaque, const double *q, const double *v, const double *tau, double *a) {
    auto *m = static_cast<model *>(opaque);
    btMultiBody *body = m->body.front().get();
    const int n = body->getNumLinks();
    const btVector3 weight = ROD_MASS * m->world.getGravity();
    set_state(m, q, v);
    for (int i = 0; i < n; i++) {
        body->addLinkForce(i, weight); // as the world's step does
        body->addJointTorque(i, tau[i]);
    }
    // With a step of zero it leaves the velocities alone; accelerations follow n other numbers and the base's
    // six.
    body->computeAccelerationsArticulatedBodyAlgorithmMultiDof(0, m->scratch_r, m->scratch_v, m->scratch_m,
                                                               false, false, false);
    for (int i = 0; i < n; i++) a[i] = m->scratch_r[n + 6 + i];
}

void step(void *opaque) {
    static_cast<model *>(opaque)->world.stepSimulation(STEP_SIZE, 0);
}

void destroy(void *opaque) {
    delete static_cast<model *>(opaque);
}

} // namespace

extern "C" const engine engine_bullet = {
    "Bullet",
    "btMultiBody in doubles, computeAccelerations.., stepSimulation; loops: Point2Point, 10 iterations",
    make_chain,
    make_fourbar,
    set_state,
    get_state,
    forward,
    step,
    destroy};

#else
extern "C" const engine engine_bullet = absent_engine("Bullet");
#endif
