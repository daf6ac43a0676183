// Simbody: articulated bodies in joint coordinates, loops as exact constraints with projection after every
// step.
#include "engine_bench.h"

#ifdef BENCH_HAVE_SIMBODY

#include <Simbody.h>

#include <memory>
#include <vector>

namespace {

// Relative to unit lengths; the integrator projects positions and velocities when they are off by more.
constexpr double constraint_tolerance = 1e-8;

struct model {
    SimTK::MultibodySystem system;
    SimTK::SimbodyMatterSubsystem matter{system};
    SimTK::GeneralForceSubsystem forces{system};
    SimTK::Force::Gravity gravity;
    SimTK::Force::DiscreteForces torques{forces, matter};
    std::unique_ptr<SimTK::SemiExplicitEulerIntegrator> integrator;
    SimTK::State state;   // for forward
    SimTK::Vector torque; // so that forward allocates nothing of ours

    explicit model(const SimTK::Vec3 &g) : gravity(forces, matter, SimTK::UnitVec3(g), g.norm()) {}

    void start(const double *q, const double *v) {
        state.setTime(0);
        for (int i = 0; i < state.getNQ(); i++) state.updQ()[i] = q[i];
        for (int i = 0; i < state.getNU(); i++) state.updU()[i] = v[i];
        torques.setAllMobilityForces(state, SimTK::Vector(state.getNU(), 0.0)); // what forward left behind
        integrator = std::make_unique<SimTK::SemiExplicitEulerIntegrator>(system, STEP_SIZE);
        integrator->setConstraintTolerance(constraint_tolerance);
        integrator->setReturnEveryInternalStep(true); // at a given time it would interpolate between steps
        integrator->initialize(state);
        integrator->stepTo(SimTK::Infinity); // the first call only reports the start
    }

    void finish() {
        state = system.realizeTopology();
        system.realizeModel(state);
        torque.resize(state.getNU());
    }
};

SimTK::MobilizedBody add_rod(SimTK::MobilizedBody &parent, const SimTK::Rotation &axis,
                             const SimTK::Vec3 &pin, const SimTK::Vec3 &centre, const SimTK::Vec3 &inertia) {
    const SimTK::Inertia about_centre(inertia[0], inertia[1], inertia[2]);
    const SimTK::MassProperties mass(ROD_MASS, centre, about_centre.shiftFromMassCenter(centre, ROD_MASS));
    return SimTK::MobilizedBody::Pin(parent, SimTK::Transform(axis, pin), SimTK::Body::Rigid(mass),
                                     SimTK::Transform(axis, SimTK::Vec3(0)));
}

// A pin turns about the z axis of its frame.
SimTK::Rotation pin_axis(const SimTK::UnitVec3 &axis) {
    return SimTK::Rotation(axis, SimTK::ZAxis);
}

void *make_chain(int links) {
    auto *m = new model({0, 0, -GRAVITY});
    SimTK::MobilizedBody body = m->matter.Ground();
    for (int i = 0; i < links; i++)
        body = add_rod(body, pin_axis(chain_axis(i) ? SimTK::UnitVec3(0, 1, 0) : SimTK::UnitVec3(1, 0, 0)),
                       {0, 0, i ? -ROD_LENGTH : 0.0}, {0, 0, -ROD_LENGTH / 2},
                       {ROD_INERTIA, ROD_INERTIA, ROD_AXIAL_INERTIA});
    m->finish();
    return m;
}

// Two planes through the joint and no third: a ball would add an equation along z that planar motion
// satisfies by itself, and Simbody would have to find that out by rank at every step.
void *make_fourbar(int loops) {
    auto *m = new model({0, -GRAVITY, 0});
    const SimTK::Rotation axis = pin_axis(SimTK::UnitVec3(0, 0, 1));
    const SimTK::Vec3 inertia(ROD_INERTIA);
    SimTK::MobilizedBody level;
    for (int i = 0; i <= loops; i++) {
        SimTK::MobilizedBody upright =
            add_rod(m->matter.Ground(), axis, {i * ROD_LENGTH, 0, 0}, {0, ROD_LENGTH / 2, 0}, inertia);
        if (i > 0) {
            const SimTK::Vec3 end(ROD_LENGTH, 0, 0);
            SimTK::Constraint::PointInPlane(upright, SimTK::UnitVec3(1, 0, 0), 0, level, end);
            SimTK::Constraint::PointInPlane(upright, SimTK::UnitVec3(0, 1, 0), ROD_LENGTH, level, end);
        }
        if (i < loops) level = add_rod(upright, axis, {0, ROD_LENGTH, 0}, {ROD_LENGTH / 2, 0, 0}, inertia);
    }
    m->finish();
    std::vector<double> q(fourbar_coordinates(loops)), v(q.size());
    fourbar_start(loops, q.data(), v.data());
    m->start(q.data(), v.data());
    return m;
}

void set_state(void *opaque, const double *q, const double *v) {
    static_cast<model *>(opaque)->start(q, v);
}

void get_state(void *opaque, double *q, double *v) {
    const SimTK::State &state = static_cast<model *>(opaque)->integrator->getState();
    for (int i = 0; i < state.getNQ(); i++) q[i] = state.getQ()[i];
    for (int i = 0; i < state.getNU(); i++) v[i] = state.getU()[i];
}

void forward(void *opaque, const double *q, const double *v, const double *tau, double *a) {
    auto *m = static_cast<model *>(opaque);
    const int n = m->state.getNU();
    SimTK::Vector &state_q = m->state.updQ(), &state_u = m->state.updU();
    for (int i = 0; i < n; i++) {
        state_q[i] = q[i];
        state_u[i] = v[i];
        m->torque[i] = tau[i];
    }
    m->torques.setAllMobilityForces(m->state, m->torque);
    m->system.realize(m->state, SimTK::Stage::Acceleration);
    const SimTK::Vector &udot = m->state.getUDot();
    for (int i = 0; i < n; i++) a[i] = udot[i];
}

void step(void *opaque) {
    auto *m = static_cast<model *>(opaque);
    m->integrator->stepTo(SimTK::Infinity);
}

void destroy(void *opaque) {
    delete static_cast<model *>(opaque);
}

} // namespace

extern "C" const engine engine_simbody = {
    "Simbody",  "realize(Acceleration), SemiExplicitEulerIntegrator; loops: two PointInPlane, tolerance 1e-8",
    make_chain, make_fourbar,
    set_state,  get_state,
    forward,    step,
    destroy};

#else
extern "C" const engine engine_simbody = absent_engine("Simbody");
#endif
