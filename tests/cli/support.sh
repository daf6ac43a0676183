#!/bin/sh
# bristle check says where the centre of mass lies over what carries it: a base of 0.4 by 0.2 m with an arm of half of all mass, whose own
# centre stands 0.1 and then 0.6 m beside the middle. Half of that is 0.05 and 0.3 m, 0.2 m from the middle is the edge.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

cat >stand.yaml <<'Y'
format: 1
name: stand
params: {out: 0.1}
materials: {rubber: {}, floor: {}}
pairs: {rubber/floor: {mu: 0.8}}
bodies:
  base: {mass: 2 kg, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 0.05]}, shapes: [{box: {size: [0.4, 0.2, 0.1]}, material: rubber}]}
  arm: {mass: 2 kg, inertia: [0.1, 0.1, 0.1], pose: {position: [$out, 0, 0.5]}}
joints:
  shoulder: {revolute: [base, arm], axis: [0, 1, 0], at: [0, 0, 0.1]}
ground: [{plane: {normal: [0, 0, 1]}, material: floor}]
Y
expect 0 "$BRISTLE" check stand.yaml
has out "the centre of mass of base and what it carries lies over its contacts, 0.1 m from the edge" # the sides are nearer than the end
expect 0 "$BRISTLE" check stand.yaml --set out=0.6
has out "lies 0.1 m beyond what its contacts span: it tips, unless something moves"
expect 0 "$BRISTLE" check stand.yaml --set out=0.6 --json
has out '"support": [{"body": "base", "contacts": 4, "margin": -0.'
expect 0 "$BRISTLE" check stand.yaml --set gravity="[0, 0, 0]"
lacks out "support "
