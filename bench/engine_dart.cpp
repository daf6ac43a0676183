// DART: articulated bodies, loops as ball joint constraints solved with the contacts' LCP.
#include "engine_bench.h"

#ifdef BENCH_HAVE_DART

// Not dart.hpp: as Debian ships it, it includes a header (ikfast) that is not there.
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include <memory>
#include <string>
#include <vector>

namespace {

struct model {
    dart::simulation::WorldPtr world;
    dart::dynamics::SkeletonPtr skeleton;
    std::vector<dart::constraint::BallJointConstraintPtr> loop;
};

Eigen::Map<const Eigen::VectorXd> view(const model *m, const double *values) {
    return {values, static_cast<Eigen::Index>(m->skeleton->getNumDofs())};
}

model *empty(const Eigen::Vector3d &gravity) {
    auto *m = new model{dart::simulation::World::create(), dart::dynamics::Skeleton::create(), {}};
    m->world->setTimeStep(STEP_SIZE);
    m->world->setGravity(gravity);
    return m;
}

dart::dynamics::BodyNode *add_rod(model *m, dart::dynamics::BodyNode *parent, const Eigen::Vector3d &axis,
                                  const Eigen::Vector3d &pin, const Eigen::Vector3d &centre,
                                  const Eigen::Vector3d &inertia) {
    const std::string number =
        std::to_string(m->skeleton->getNumBodyNodes()); // same names are reported at length
    dart::dynamics::RevoluteJoint::Properties joint;
    joint.mName = "joint" + number;
    joint.mAxis = axis;
    joint.mT_ParentBodyToJoint.translation() = pin;
    const dart::dynamics::BodyNode::AspectProperties rod("rod" + number);
    auto *body = m->skeleton
                     ->createJointAndBodyNodePair<dart::dynamics::RevoluteJoint>(
                         parent, joint, dart::dynamics::BodyNode::Properties(rod))
                     .second;
    body->setInertia(dart::dynamics::Inertia(ROD_MASS, centre, inertia.asDiagonal()));
    return body;
}

void *make_chain(int links) {
    model *m = empty({0, 0, -GRAVITY});
    dart::dynamics::BodyNode *body = nullptr;
    for (int i = 0; i < links; i++)
        body = add_rod(m, body, Eigen::Vector3d::Unit(chain_axis(i)), {0, 0, i ? -ROD_LENGTH : 0.0},
                       {0, 0, -ROD_LENGTH / 2}, {ROD_INERTIA, ROD_INERTIA, ROD_AXIAL_INERTIA});
    m->world->addSkeleton(m->skeleton);
    return m;
}

void set_state(void *opaque, const double *q, const double *v) {
    auto *m = static_cast<model *>(opaque);
    m->skeleton->setPositions(view(m, q));
    m->skeleton->setVelocities(view(m, v));
    m->skeleton->resetGeneralizedForces();
}

void *make_fourbar(int loops) {
    model *m = empty({0, -GRAVITY, 0});
    const Eigen::Vector3d z = Eigen::Vector3d::UnitZ(), inertia = Eigen::Vector3d::Constant(ROD_INERTIA);
    dart::dynamics::BodyNode *level = nullptr;
    for (int i = 0; i <= loops; i++) {
        auto *upright = add_rod(m, nullptr, z, {i * ROD_LENGTH, 0, 0}, {0, ROD_LENGTH / 2, 0}, inertia);
        if (level)
            m->loop.push_back(std::make_shared<dart::constraint::BallJointConstraint>(
                level, upright, Eigen::Vector3d(i * ROD_LENGTH, ROD_LENGTH, 0)));
        if (i < loops) level = add_rod(m, upright, z, {0, ROD_LENGTH, 0}, {ROD_LENGTH / 2, 0, 0}, inertia);
    }
    m->world->addSkeleton(m->skeleton);
    for (const auto &constraint : m->loop) m->world->getConstraintSolver()->addConstraint(constraint);
    std::vector<double> q(fourbar_coordinates(loops)), v(q.size());
    fourbar_start(loops, q.data(), v.data());
    set_state(m, q.data(), v.data());
    return m;
}

void get_state(void *opaque, double *q, double *v) {
    auto *m = static_cast<model *>(opaque);
    const auto n = static_cast<Eigen::Index>(m->skeleton->getNumDofs());
    Eigen::Map<Eigen::VectorXd>(q, n) = m->skeleton->getPositions();
    Eigen::Map<Eigen::VectorXd>(v, n) = m->skeleton->getVelocities();
}

void forward(void *opaque, const double *q, const double *v, const double *tau, double *a) {
    auto *m = static_cast<model *>(opaque);
    m->skeleton->setPositions(view(m, q));
    m->skeleton->setVelocities(view(m, v));
    m->skeleton->setForces(view(m, tau));
    m->skeleton->computeForwardDynamics();
    Eigen::Map<Eigen::VectorXd>(a, static_cast<Eigen::Index>(m->skeleton->getNumDofs())) =
        m->skeleton->getAccelerations();
}

void step(void *opaque) {
    static_cast<model *>(opaque)->world->step();
}

void destroy(void *opaque) {
    delete static_cast<model *>(opaque);
}

} // namespace

extern "C" const engine engine_dart = {
    "DART",     "computeForwardDynamics, World::step; loops: BallJointConstraint, Dantzig",
    make_chain, make_fourbar,
    set_state,  get_state,
    forward,    step,
    destroy};

#else
extern "C" const engine engine_dart = absent_engine("DART");
#endif
