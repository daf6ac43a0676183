// Bullet in double precision: rigid bodies, sequential impulses, one friction row along the slip: its default. A second row
// (SOLVER_USE_2_FRICTION_DIRECTIONS) would make friction a box again, and does worse in every scene here.
#include "contact_bench.h"

#ifdef BENCH_HAVE_BULLET

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <memory>
#include <vector>

namespace {

constexpr double margin = 1e-4; // m, of every shape: it rounds corners by that much
constexpr int own_iterations = 10, more_iterations = 50;
constexpr double half_floor = 50; // m: a box for boxes, since planes give Bullet too few points

struct model {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shape;
    std::vector<std::unique_ptr<btRigidBody>> body;
    double step;
    int walls = 0;

    btRigidBody *add(btCollisionShape *form, double mass, const btVector3 &inertia, const btTransform &at,
                     double friction) {
        shape.emplace_back(form);
        btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, form, inertia);
        info.m_startWorldTransform = at;
        info.m_friction = friction;
        info.m_rollingFriction = info.m_spinningFriction = 0;
        body.push_back(std::make_unique<btRigidBody>(info));
        body.back()->setActivationState(DISABLE_DEACTIVATION);
        world.addRigidBody(body.back().get());
        return body.back().get();
    }

    ~model() {
        for (auto &b : body) world.removeRigidBody(b.get());
    }
};

btVector3 vector(const double *v) {
    return {v[0], v[1], v[2]};
}

btCollisionShape *form_of(const contact_body &b) {
    btCollisionShape *form = nullptr;
    if (b.shape == CONTACT_SPHERE) return new btSphereShape(b.size[0]);
    if (b.shape == CONTACT_BOX)
        form = new btBoxShape(0.5 * vector(b.size));
    else
        form = new btCylinderShape({b.size[0], margin, b.size[0]});
    form->setMargin(margin);
    return form;
}

void add_walls(model *m, const contact_scene *scene) {
    const bool boxes = scene->body[0].shape == CONTACT_BOX;
    for (int k = 0; k < scene->walls; k++) {
        btTransform at = btTransform::getIdentity();
        if (boxes) {
            at.setOrigin({0, 0, -half_floor});
            auto *form = new btBoxShape({half_floor, half_floor, half_floor});
            form->setMargin(margin);
            m->add(form, 0, {0, 0, 0}, at, std::sqrt(scene->mu));
        } else {
            m->add(new btStaticPlaneShape(vector(scene->wall[k].normal), scene->wall[k].offset), 0, {0, 0, 0},
                   at, std::sqrt(scene->mu));
        }
    }
    m->walls = scene->walls;
    for (auto &wall : m->body)
        if (scene->tuning) wall->setRestitution(1);
}

void *make(const contact_scene *scene, int iterations) {
    if (scene->file) return nullptr;
    auto *m = new model;
    m->step = scene->step;
    m->world.setGravity(vector(scene->gravity));
    m->world.getSolverInfo().m_numIterations = iterations;
    add_walls(m, scene);
    for (int k = 0; k < scene->bodies; k++) {
        const contact_body &b = scene->body[k];
        const btTransform at({b.rotation[1], b.rotation[2], b.rotation[3], b.rotation[0]},
                             vector(b.position));
        btRigidBody *body =
            m->add(form_of(b), b.mass, vector(b.inertia), at, std::sqrt(scene->mu)); // of a pair: product
        if (scene->tuning) body->setRestitution(scene->tuning->restitution);         // of a pair: product
        body->setLinearVelocity(vector(b.velocity));
        body->setAngularVelocity(vector(b.angular));
        body->setFlags(BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY);
    }
    return m;
}

void *make_plain(const contact_scene *scene) {
    return make(scene, own_iterations);
}

void *make_more(const contact_scene *scene) {
    return make(scene, more_iterations);
}

void step(void *opaque) {
    auto *m = static_cast<model *>(opaque);
    m->world.stepSimulation(m->step, 0);
}

void read(void *opaque, contact_state *state) {
    auto *m = static_cast<model *>(opaque);
    for (size_t k = m->walls; k < m->body.size(); k++, state++) {
        const btTransform &at = m->body[k]->getWorldTransform();
        const btQuaternion turn = at.getRotation();
        const btVector3 v = m->body[k]->getLinearVelocity();
        for (int i = 0; i < 3; i++) {
            state->position[i] = at.getOrigin()[i];
            state->velocity[i] = v[i];
            state->rotation[1 + i] = turn[i];
        }
        state->rotation[0] = turn.w();
    }
}

int contacts(void *opaque) {
    auto *m = static_cast<model *>(opaque);
    int count = 0;
    for (int k = 0; k < m->dispatcher.getNumManifolds(); k++)
        count += m->dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
    return count;
}

void destroy(void *opaque) {
    delete static_cast<model *>(opaque);
}

} // namespace

extern "C" const contact_engine contact_bullet = {"Bullet",
                                                  "stepSimulation in doubles, sequential impulses with its "
                                                  "defaults: 10 iterations, friction along the slip",
                                                  make_plain,
                                                  step,
                                                  read,
                                                  contacts,
                                                  destroy};
extern "C" const contact_engine contact_bullet_50 = {
    "Bullet 50", "the same with 50 iterations", make_more, step, read, contacts, destroy};

#else
extern "C" const contact_engine contact_bullet = absent_contact_engine("Bullet");
extern "C" const contact_engine contact_bullet_50 = absent_contact_engine("Bullet 50");
#endif
