#!/bin/sh
# Whether a run may be believed: what run, its result and its page say of the books, and the exit codes.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

# Positions by the old velocity are explicit, and feed a pendulum.
swing 1 'stepper: contact, step: 10 ms, theta: 1, position_update: old' 'until: 5 s'
expect 0 "$BRISTLE" run swing.yaml
has out "credible    not credible"
has out "energy: the time stepping made "
has out "most of it in bob: a smaller solver.step"
has out "order       1 on smooth motion"
expect 3 "$BRISTLE" run swing.yaml --strict
has out "credible    not credible"
has out "friction alone would be credible"
expect 0 "$BRISTLE" run swing.yaml --quiet
test ! -s out
has err "credible    not credible"
expect 0 "$BRISTLE" run swing.yaml --json
has out '"credible": false'
for key in '"reasons": [{"what": "energy", "fails": true' '"element": "bob"' '"order": 1' '"order_lower": []' '"judged_energy": {'; do
    has out "$key"
done

# The result keeps it, other formats too.
expect 0 "$BRISTLE" run swing.yaml
expect 0 "$BRISTLE" export swing.result -o again.result
grep -a -q '"what": "energy", "fails": true' again.result
expect 0 "$BRISTLE" report swing.result -o swing.html
has swing.html '"judgement": {"credible": false'

# The same, second order: credible, also when asked strictly.
expect 0 "$BRISTLE" run swing.yaml --set solver.position_update=new --set solver.theta=0.5 --set "solver.step=1 ms" --strict
has out "credible    yes"
has out "order       2 on smooth motion"
lacks out "not credible"

# What theta 1 takes is told and does not fail.
expect 0 "$BRISTLE" run "$BRISTLE_SOURCE/scenes/gallery/soft_ball.yaml" --no-result --no-trust --set solver.theta=1
lacks out "not credible"

# A servo that drives an arm through the floor.
cat >servo.yaml <<'Y'
format: 1
name: servo
materials: {a: {}, g: {}}
pairs: {a/g: {mu: 0.5}}
bodies:
  arm: {mass: 2 kg, inertia: {slender: {length: 1, axis: x}}, com: [0.5, 0, 0], pose: {position: [0, 0, 0.5]},
        shapes: [{sphere: {radius: 0.05}, pose: {position: [1, 0, 0]}, material: a}]}
joints:
  hinge: {revolute: [world, arm], at: [0, 0, 0.5], axis: [0, 1, 0]}
drives:
  motor: {joint: hinge, servo: {position: 1.5, stiffness: 1e6, damping: 100}}
ground: [{plane: {normal: [0, 0, 1]}, material: g}]
solver: {stepper: contact, step: 1 ms, theta: 1}
run: {until: 0.1 s}
Y
got=0
"$BRISTLE" run servo.yaml --no-trust >out 2>err || got=$?
if test "$got" -eq 0; then
    has out "credible    not credible"
    has out "penetration: rigid shapes are "
    has out "(limit 10 %)"
else
    test "$got" -eq 2 # refused by name
fi

# What was not judged is said, and is not called credible.
cat >crate.yaml <<'Y'
format: 1
materials: {wood: {}}
pairs: {wood/wood: {mu: 0.5}}
bodies:
  crate: {mass: 3 kg, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 50 mm]},
          shapes: [{box: {size: [0.3, 0.2, 0.1]}, material: wood}]}
ground: [{plane: {}, material: wood}]
run: {until: 10 ms}
Y
expect 0 "$BRISTLE" run crate.yaml --json
has out '"credible": null'
has out '"what": "not_judged"'
expect 0 "$BRISTLE" run crate.yaml --no-trust
has out "credible    as far as it was judged"
has out "left open: what sticks and what slides"
