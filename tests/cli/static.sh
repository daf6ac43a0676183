#!/bin/sh
# bristle static as a person uses it: path, limit points, table, JSON, what fails.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

scenes="$BRISTLE_SOURCE/scenes/beams"

# The text: factor, points, reactions.
expect 0 "$BRISTLE" static "$scenes/roll_up.yaml"
for word in "equilibrium at the load factor 1" "steps of the load: 11 points" "strip.s1" "reactions" "strip.attach_0" \
    "6.28319"; do has out "$word"; done
test ! -s err

# A table: factor first, then the model's outputs or what was asked for; t only when it was.
expect 0 "$BRISTLE" static "$scenes/roll_up.yaml" --csv table.csv --steps 4 --quiet
test ! -s out
test "$(wc -l <table.csv)" -eq 6
test "$(head -n 1 table.csv)" = "factor,strip.s1.position.x,strip.s1.position.z,strip.s0.5.moment.y"
expect 0 "$BRISTLE" static "$scenes/roll_up.yaml" --csv - --channels strip.s1.position.x,t
test "$(head -n 1 out)" = "factor,strip.s1.position.x,t"
has err "equilibrium at the load factor 1" # the text makes way

# Arc length reports limit points; without it the load stops at the limit or jumps.
expect 0 "$BRISTLE" static "$scenes/lee_frame.yaml" --arc --until 25
has out "maximum of 18.54"
has out "minimum of -9.39"
has out "unstable: 1"

# JSON on one line with the promised keys.
expect 0 "$BRISTLE" static "$scenes/lee_frame.yaml" --arc --until 25 --json
test "$(wc -l <out)" -eq 1
for key in status model file arc until factor reached points iterations rejected residual displacement seconds path step \
    body unstable flutter neutral growth potential determinant events kind from unstable_before flutter_after left_out start reactions force torque free notes csv error; do has out "\"$key\": "; done
has out '"status": "complete"'
has out '"kind": "maximum"'
has out '"error": null'

# Points used up: what was found is told, and the exit code says so.
expect 2 "$BRISTLE" static "$scenes/lee_frame.yaml" --arc --until 25 --max-steps 5 --steps 5
has out "the path ended before its end"

# A contact model is taken too: the stepper of the file does not matter.
cat >arm.yaml <<'Y'
format: 1
name: arm
bodies:
  bob: {mass: 2 kg, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 0]}}
joints:
  pin: {revolute: [world, bob], axis: [0, -1, 0], at: [0, 0, 0], spring: {stiffness: 20 N m/rad}}
solver: {stepper: contact}
Y
expect 0 "$BRISTLE" static arm.yaml
has out "19.62"

expect 1 "$BRISTLE" static arm.yaml --set solver.stepper=reference
has err "has no meaning here"

# What only its loads hold goes where they are in balance, wherever it starts.
sed 's/, spring: {stiffness: 20 N m\/rad}//' arm.yaml >hangs.yaml
expect 0 "$BRISTLE" static hangs.yaml --csv hangs.csv --channels bob.position.z
test "$(tail -n 1 hangs.csv | cut -c1-6)" = "1,-0.5"
has out "without the loads nothing holds it"
has out "stability   at the load factor 1: stable"

# Free to move: named, with what to do; nothing but the header is in the table.
sed '/^joints/d; /pin:/d' arm.yaml >free.yaml
expect 2 "$BRISTLE" static free.yaml --json --csv free.csv
has out '"code": "static-free"'
has err "'bob' moves along [0, 0, 1] without any force against it, and the loads push it"
has err "hold it with a joint, an attachment or a spring"
test "$(wc -l <free.csv)" -eq 1
expect 0 "$BRISTLE" static free.yaml --set gravity='[0, 0, 0]'
has out "neutral, 6 motions meet no force"

# An inverted pendulum on a spring: the same sentences with any number of steps.
cat >inverted.yaml <<'Y'
format: 1
bodies: {bob: {mass: 2 kg, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.5]}}}
joints: {pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 5 N m/rad}}}
Y
for steps in 1 3 10 100; do
    expect 0 "$BRISTLE" static inverted.yaml --steps $steps
    has out "branch      at the factor 0.509684: 1 motion turns unstable, and another path crosses"
    has out "stability   at the load factor 1: unstable, 1 motion runs away; the fastest grows at 2.831 1/s"
done
expect 0 "$BRISTLE" modes inverted.yaml
has out "grows at 2.83"

# Friction is left out by name; stops and shapes that could touch are refused by name.
sed 's/stiffness: 5 N m\/rad}/&, friction: {law: coulomb, mu_static: 0.3, mu_kinetic: 0.2, pin_radius: 0.01}/' inverted.yaml >rubs.yaml
expect 0 "$BRISTLE" static rubs.yaml
has out "friction of joint 'pin' is left out"
sed 's/, spring: {stiffness: 20 N m\/rad}/, limits: [-1, 1]/' arm.yaml >stops.yaml
expect 2 "$BRISTLE" static stops.yaml
has err "joint 'pin' would be at"
cat >box.yaml <<'Y'
format: 1
materials: {wood: {}}
pairs: {wood/wood: {mu: 0.3}}
bodies: {box: {mass: 1 kg, inertia: [1, 1, 1], pose: {position: [0, 0, 1]}, shapes: [{box: {size: [1, 1, 1]}, material: wood}]}}
ground: [{plane: {normal: [0, 0, 1]}, material: wood}]
Y
expect 1 "$BRISTLE" static box.yaml
has err "let the model come to rest with \`bristle run\`"

# A follower: flutter is said, and where it begins.
cat >follower.yaml <<'Y'
format: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 2, inertia: [1e-12, 1e-12, 1e-12], pose: {position: [0, 0, 1]}}
  b: {mass: 1, inertia: [1e-12, 1e-12, 1e-12], pose: {position: [0, 0, 2]}}
joints:
  p: {revolute: [world, a], axis: [0, 1, 0], at: [0, 0, 0], spring: {stiffness: 1}}
  q: {revolute: [a, b], axis: [0, 1, 0], at: [0, 0, 1], spring: {stiffness: 1}}
loads: {top: {body: b, force: [0, 0, -3], axes: body}}
Y
expect 0 "$BRISTLE" static follower.yaml
has out "flutter     at the factor 0.6952621: 1 instead of 0 motions flutter, 0 instead of 0 run away"
has out "unstable, 1 motion flutters"
has out "the loads have no potential here"

# An element that turns too far: the points before it are kept.
expect 2 "$BRISTLE" static "$scenes/roll_up.yaml" --set beams.strip.elements=2 --csv kept.csv
has err "more than 2 elements"
has err "the last equilibrium is at the factor 0.7"
test "$(wc -l <kept.csv)" -eq 9

# As many points as were asked for, also where the steps would need more.
expect 2 "$BRISTLE" static arm.yaml --steps 5 --max-steps 2 --csv few.csv --json
has out '"reached": false'
test "$(wc -l <few.csv)" -eq 4 # names, unloaded, two steps

# A load that is no number at the start is said with the body, and a file that is no model with its place.
sed "s|^solver:|loads: {p: {body: bob, force: [0, 0, 'sqrt(t - 1)']}}\nsolver:|" arm.yaml >nan.yaml
expect 2 "$BRISTLE" static nan.yaml
has err "the force on 'bob' is not finite"
echo '[1, 2]' >list.yaml
expect 1 "$BRISTLE" static list.yaml
has err "list.yaml:1:1: the file is a list"

# Usage.
expect 1 "$BRISTLE" static
has err "expected a model file"
expect 1 "$BRISTLE" static arm.yaml --until 0
has err "a number that is not 0"
expect 1 "$BRISTLE" static arm.yaml --steps 0
expect 1 "$BRISTLE" static arm.yaml --arcs
has err "--arc"
expect 1 "$BRISTLE" static arm.yaml --channels pin.position
has err "--csv FILE, which is missing"
expect 1 "$BRISTLE" static arm.yaml --csv t.csv --channels pin.positon
has err "did you mean"
expect 1 "$BRISTLE" static arm.yaml --csv - --json
expect 1 "$BRISTLE" static arm.yaml --csv arm.yaml
has err "the model file itself"
expect 1 "$BRISTLE" static no_such.yaml
expect 0 "$BRISTLE" static --help
has out "--max-steps"
