// DART: its own collision detection for boxes, FCL's for the disk (a thin ellipsoid on a plane: the only pair of shapes that
// gives one right point); contacts as a boxed LCP solved by Dantzig.
#include "contact_bench.h"

#ifdef BENCH_HAVE_DART

// Not dart.hpp: as Debian ships it, it includes a header (ikfast) that is not there.
#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/collision/fcl/FCLCollisionDetector.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/EllipsoidShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlaneShape.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <dart/simulation/World.hpp>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace dart::dynamics;

constexpr double floor_size = 100; // m
constexpr double thickness = 1e-3; // m, of the ellipsoid that stands for a disk

struct model {
    dart::simulation::WorldPtr world = dart::simulation::World::create();
    std::vector<BodyNode *> body;
};

void give_shape(BodyNode *body, const ShapePtr &shape, const Eigen::Isometry3d &at, double mu,
                double restitution = 0) {
    auto *node = body->createShapeNodeWith<CollisionAspect, DynamicsAspect>(shape);
    node->setRelativeTransform(at);
    node->getDynamicsAspect()->setFrictionCoeff(mu);
    node->getDynamicsAspect()->setRestitutionCoeff(restitution);
}

void add_floor(model *m, const contact_scene *scene) {
    auto skeleton = Skeleton::create("floor");
    auto *body = skeleton->createJointAndBodyNodePair<WeldJoint>().second;
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    if (scene->body[0].shape == CONTACT_DISK) {
        give_shape(body, std::make_shared<PlaneShape>(Eigen::Vector3d::UnitZ(), 0.0), at, scene->mu);
    } else {
        at.translation().z() = -floor_size / 2;
        give_shape(body, std::make_shared<BoxShape>(Eigen::Vector3d::Constant(floor_size)), at, scene->mu,
                   scene->tuning ? 1 : 0); // of a pair: product
    }
    m->world->addSkeleton(skeleton);
}

void add(model *m, const contact_body &b, double mu, double restitution) {
    auto skeleton = Skeleton::create("body" + std::to_string(m->body.size()));
    auto *body = skeleton->createJointAndBodyNodePair<FreeJoint>().second;
    Eigen::Isometry3d at = Eigen::Isometry3d::Identity();
    if (b.shape == CONTACT_BOX)
        give_shape(body, std::make_shared<BoxShape>(Eigen::Vector3d(b.size[0], b.size[1], b.size[2])), at, mu,
                   restitution);
    else
        give_shape(body,
                   std::make_shared<EllipsoidShape>(Eigen::Vector3d(2 * b.size[0], thickness, 2 * b.size[0])),
                   at, mu);
    body->setInertia(Inertia(b.mass, Eigen::Vector3d::Zero(),
                             Eigen::Vector3d(b.inertia[0], b.inertia[1], b.inertia[2]).asDiagonal()));
    at.translation() = Eigen::Vector3d(b.position[0], b.position[1], b.position[2]);
    at.linear() =
        Eigen::Quaterniond(b.rotation[0], b.rotation[1], b.rotation[2], b.rotation[3]).toRotationMatrix();
    auto *joint = static_cast<FreeJoint *>(body->getParentJoint());
    joint->setTransform(at);
    joint->setLinearVelocity(Eigen::Vector3d(b.velocity[0], b.velocity[1], b.velocity[2]));
    joint->setAngularVelocity(Eigen::Vector3d(b.angular[0], b.angular[1], b.angular[2]));
    m->world->addSkeleton(skeleton);
    m->body.push_back(body);
}

dart::collision::CollisionDetectorPtr detector_of(const contact_scene *scene) {
    if (scene->body[0].shape == CONTACT_BOX) return dart::collision::DARTCollisionDetector::create();
    auto detector = dart::collision::FCLCollisionDetector::create();
    detector->setPrimitiveShapeType(dart::collision::FCLCollisionDetector::PRIMITIVE);
    detector->setContactPointComputationMethod(dart::collision::FCLCollisionDetector::FCL);
    return detector;
}

void *make(const contact_scene *scene) {
    if (scene->file || scene->body[0].shape == CONTACT_SPHERE) return nullptr; // piles take it minutes
    auto *m = new model;
    m->world->setTimeStep(scene->step);
    m->world->setGravity(Eigen::Vector3d(scene->gravity[0], scene->gravity[1], scene->gravity[2]));
    m->world->getConstraintSolver()->setCollisionDetector(detector_of(scene));
    add_floor(m, scene);
    for (int k = 0; k < scene->bodies; k++)
        add(m, scene->body[k], scene->mu, scene->tuning ? scene->tuning->restitution : 0);
    return m;
}

void step(void *opaque) {
    static_cast<model *>(opaque)->world->step();
}

void read(void *opaque, contact_state *state) {
    for (BodyNode *body : static_cast<model *>(opaque)->body) {
        const Eigen::Isometry3d &at = body->getTransform();
        const Eigen::Quaterniond turn(at.linear());
        Eigen::Map<Eigen::Vector3d>(state->position) = at.translation();
        Eigen::Map<Eigen::Vector3d>(state->velocity) = body->getLinearVelocity();
        Eigen::Map<Eigen::Vector4d>(state->rotation) << turn.w(), turn.x(), turn.y(), turn.z();
        state++;
    }
}

int contacts(void *opaque) {
    const auto &result = static_cast<model *>(opaque)->world->getConstraintSolver()->getLastCollisionResult();
    return static_cast<int>(result.getNumContacts());
}

void destroy(void *opaque) {
    delete static_cast<model *>(opaque);
}

} // namespace

extern "C" const contact_engine contact_dart = {
    "DART", "World::step, Dantzig; its own collision detector for boxes, FCL's for the wheel",
    make,   step,
    read,   contacts,
    destroy};

#else
extern "C" const contact_engine contact_dart = absent_contact_engine("DART");
#endif
