#!/bin/sh
# bristle run --error as a person uses it: bars, events, what diverges, a limit in the model.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

rods() { # rods UNTIL MORE
    cat >rods.yaml <<EOF
format: 1
name: two_rods
planar: xz
bodies:
  a: {mass: 1, inertia: {slender: {length: 1, axis: x}}, pose: {position: [0.5, 0, 0]}}
  b: {mass: 1, inertia: {slender: {length: 1, axis: x}}, pose: {position: [1.5, 0, 0]}}
joints:
  p: {revolute: [world, a], axis: y, at: [0, 0, 0]}
  q: {revolute: [a, b], axis: y, at: [1, 0, 0]}
solver: {step: 2 ms}
run: {until: $1}
outputs: [p.position, q.position]
$2
EOF
}

rods 1 ""
expect 0 "$BRISTLE" run rods.yaml --error
has err "three runs more, with steps of 0.002, 0.001 and 0.0005 s: about seven times this run"
has out "p.position                               2.778514"
has out "order 2.00"
has out "ledger.scheme"
expect 0 "$BRISTLE" run rods.yaml
! grep -q "three runs" err

# JSON.
expect 0 "$BRISTLE" run rods.yaml --error --json --quiet
for key in error_bars formal_order diverges_after channels events value bar order state runs size; do has out "\"$key\": "; done
expect 0 "$BRISTLE" run rods.yaml --json
has out '"error_bars": null'

# Chaotic motion says from when on.
rods 20 ""
expect 0 "$BRISTLE" run rods.yaml --error
has out "diverges after t = "
has out "not converged"

# A limit in the model: a larger bar is not credible, and without bars it was not judged.
rods 1 "check: {error: 1 %}"
expect 0 "$BRISTLE" run rods.yaml --error --strict
expect 3 "$BRISTLE" run rods.yaml --strict
has out "run --error finds it"
rods 1 "check: {error: 1e-5 %}"
expect 3 "$BRISTLE" run rods.yaml --error --strict
has out "above check: error"
rods 20 "check: {error: 1 %}"
expect 3 "$BRISTLE" run rods.yaml --error --strict
has out "diverges after"
rods 1 "check: {error: -1}"
expect 1 "$BRISTLE" run rods.yaml
has err "expected 0 or more"
rods 1 "check: {eror: 1 %}"
expect 1 "$BRISTLE" run rods.yaml
has err "error"

# Events.
expect 0 "$BRISTLE" run "$BRISTLE_SOURCE/scenes/contact/bouncing_ball.yaml" --error --no-result --set solver.stepper=contact
has out "contact_on"
has out "times of events"
