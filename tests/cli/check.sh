#!/bin/sh
# bristle check: what a model is, before it runs.
set -eu

expect() {
    wanted=$1
    shift
    got=0
    "$@" >out 2>err || got=$?
    test "$got" -eq "$wanted" || { echo "exit code $got, expected $wanted: $*"; cat out err; exit 1; }
}
has() {
    grep -q -F -- "$2" "$1" || { echo "'$2' is not in $1:"; cat "$1"; exit 1; }
}

# A four-bar in space: one freedom, three redundant rows, named by joint.
four_bar() { # four_bar HEIGHT [planar line]: the second rocker's height
    cat <<Y
format: 1
name: four_bar
${2-}
bodies:
  crank: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0.5, 0]}}
  coupler: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 1, 0]}}
  rocker: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [1, 0.5, 0]}}
joints:
  A: {revolute: [world, crank], axis: [0, 0, 1], at: [0, 0, 0]}
  B: {revolute: [crank, coupler], axis: [0, 0, 1], at: [0, 1, 0]}
  C: {revolute: [coupler, rocker], axis: [0, 0, 1], at: [1, 1, 0]}
  D: {revolute: [world, rocker], axis: [0, 0, 1], at: {world: [1, 0, 0], rocker: [0, $1, 0]}}
Y
}
four_bar -0.5 >spatial.yaml
expect 0 "$BRISTLE" check spatial.yaml
has out "bodies      3, total mass 3 kg"
has out "close"
has out "1 degree of freedom"
has out "redundant   3 of"
has out "next        bristle run spatial.yaml"
test ! -s err
expect 0 "$BRISTLE" check spatial.yaml --json
test "$(wc -l <out)" -eq 1
for key in degrees_of_freedom redundant redundant_rows assembly notes can_run total_mass bodies joints nq nv; do has out "\"$key\": "; done
has out '"degrees_of_freedom": 1'
has out '"redundant": 3'
has out '"can_run": true'

# In the plane nothing is redundant.
four_bar -0.5 "planar: xy" >planar.yaml
expect 0 "$BRISTLE" check planar.yaml
has out "planar xy"
has out "redundant   none"

# A loop that is open as given is closed, and it is said; one that cannot close is exit code 2.
four_bar -0.55 >open.yaml
expect 0 "$BRISTLE" check open.yaml
has out "positions were changed"
four_bar -50 >impossible.yaml
expect 2 "$BRISTLE" check impossible.yaml
expect 2 "$BRISTLE" check impossible.yaml --json
has out '"status": "error"'

# Faults of the model and of usage: exit code 1, with the place.
sed 's/mass: 1,/mass: -1,/' spatial.yaml >negative.yaml
expect 1 "$BRISTLE" check negative.yaml
grep -q 'negative.yaml:[0-9]*:[0-9]*: ' err
has err mass
expect 1 "$BRISTLE" check
has err "expected a model file"
expect 1 "$BRISTLE" check spatial.yaml --jsn
has err "did you mean --json?"
expect 1 "$BRISTLE" check .
