#!/bin/sh
# Friction that cannot be: what the program says, where, and what to do next.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

cat >drawer.yaml <<'YAML'
format: 1
params: {mu: 0.3}
bodies: {drawer: {mass: 2 kg, inertia: [0.1, 0.1, 0.1]}}
joints:
  rail:
    prismatic: [world, drawer]
    axis: x
    friction: {law: coulomb, mu_static: 0.5, mu_kinetic: $mu, guide_length: 0.3 m}
YAML
expect 0 "$BRISTLE" check drawer.yaml
! grep -q "not possible" out

# The place, the names, the numbers, the next step.
expect 1 "$BRISTLE" check drawer.yaml --set mu=0.6
has err "drawer.yaml:8:"
has err "mu_kinetic of joint rail is 0.6, expected no more than mu_static, 0.5"
has err "bristle explain friction-order"
expect 0 "$BRISTLE" explain friction-order
expect 1 "$BRISTLE" run drawer.yaml --set joints.rail.friction.guide_length=-1
has err "guide_length of rail is -1"
expect 1 "$BRISTLE" check drawer.yaml --set "joints.rail.friction={law: coulomb}"
has err "has no coefficient; write mu: NUMBER"

# A weld has nothing that slides; a pin needs its radius.
sed 's/prismatic:/weld:/; /axis:/d' drawer.yaml >weld.yaml
expect 1 "$BRISTLE" check weld.yaml
has err "joint rail is given friction, but a weld joint has no coordinates to slide along"
sed 's/prismatic:/revolute:/' drawer.yaml >pin.yaml
expect 1 "$BRISTLE" check pin.yaml
has err "write pin_radius: NUMBER m"
expect 0 "$BRISTLE" check pin.yaml --set "joints.rail.friction.pin_radius=5 mm"
expect 0 "$BRISTLE" check pin.yaml --set "joints.rail.friction.load={constant: 0.1 N m}"
expect 1 "$BRISTLE" check pin.yaml --set "joints.rail.friction.load={constant: 0.1 N}"
has err "N m"

# A load that a planar model does not compute.
cat >table.yaml <<'YAML'
format: 1
planar: xy
bodies: {puck: {mass: 1 kg, inertia: [0.1, 0.1, 0.1]}}
joints: {table: {planar: [world, puck], friction: {law: coulomb, mu: 0.2}}}
YAML
expect 1 "$BRISTLE" check table.yaml
has err "table.yaml:4:"
has err "give it as load: {constant: NUMBER N}"
expect 0 "$BRISTLE" check table.yaml --set "joints.table.friction.load={constant: 9.81 N}"

# Steppers.
expect 1 "$BRISTLE" run drawer.yaml --set solver.stepper=kinematic
has err "the kinematic stepper finds forces from the motion"

# Redundancy.
mechanism=$BRISTLE_SOURCE/scenes/papers/wojtyra_example_2.yaml
expect 1 "$BRISTLE" check "$mechanism" --set "solver.redundancy=eliminate(pin_3.force.x)"
has err "there is no joint 'pin_3'; did you mean pin_1?"
expect 1 "$BRISTLE" check "$mechanism" --set "solver.redundancy=eliminate(pin_1.torque.z)"
has err "the rows of joint pin_1, in this planar model, are: force.x, force.y"
expect 1 "$BRISTLE" check "$mechanism" --set solver.redundancy=compliance
has err "no joint has one"
expect 0 "$BRISTLE" check "$mechanism" --set solver.redundancy=compliance --set joints.pin_1.compliance=1e-5
expect 0 "$BRISTLE" check "$mechanism" --set "solver.redundancy=eliminate(slide_1.friction)"
for code in friction-radius friction-mu friction-load redundancy-row redundancy-joint redundancy-compliance \
    run-friction run-dropped; do
    expect 0 "$BRISTLE" explain $code
done
