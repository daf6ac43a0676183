#!/bin/sh
# What a stepper does not follow of a model stands in the first lines of a run, and is an error with --strict.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

cat >ball.yaml <<'YAML'
format: 1
materials: {a: {}, g: {}}
pairs:
  a/g: {mu_static: 0.9, mu_kinetic: 0.1, bristle: {v_threshold: 2}}
bodies:
  b:
    mass: 1
    inertia: [0.01, 0.01, 0.01]
    pose: {position: [0, 0, 0.1]}
    velocity: {linear: [0.1, 0, 0]}
    shapes: [{sphere: {radius: 0.1}, material: a}]
ground: [{plane: {normal: [0, 0, 1]}, material: g}]
solver: {stepper: reference}
run: {until: 10 ms}
YAML

line="pair a/g: the reference stepper leaves out bristle.v_threshold: mu_static is for what does not slide at all; the contact and implicit steppers follow it"
expect 0 "$BRISTLE" run ball.yaml --no-result
[ "$(sed -n 2p out)" = "left out    $line" ]
expect 0 "$BRISTLE" check ball.yaml
has out "$line"
expect 0 "$BRISTLE" run ball.yaml --no-result --json
has out '"element": "pair a/g"'
has out '"key": "bristle.v_threshold"'
has out '"followed_by": ["contact", "implicit"]'
expect 1 "$BRISTLE" run ball.yaml --no-result --strict
has err "ball.yaml:4:65: $line"
has err "bristle explain run-dropped"
expect 1 "$BRISTLE" trust ball.yaml --strict
has err "$line"
expect 0 "$BRISTLE" run ball.yaml --no-result --set solver.stepper=contact
lacks out "left out"
