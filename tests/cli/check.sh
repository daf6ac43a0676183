#!/bin/sh
# bristle check: what a model is, before it runs.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

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

# What touches at the start, and which contact forces are open: a box on four corners, rigid and with bristles of finite
# stiffness, and on a soft floor besides, which decides every share.
resting() { # resting [KEYS OF THE PAIR] [HEIGHT]
    cat <<Y
format: 1
materials: {wood: {}, floor: {}}
pairs: {wood/floor: {mu: 0.5${1-}}}
bodies:
  crate: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, ${2-0.1}]}, shapes: [{name: crate, box: {size: [0.4, 0.3, 0.2]}, material: wood}]}
ground: [{name: floor, plane: {}, material: floor}]
Y
}
resting >rigid.yaml
expect 0 "$BRISTLE" check rigid.yaml
has out "contacts    4 at the start"
has out "            crate~floor: 4"
has out "shares      6 of 12 components of contact forces are not determined while all stick:"
has out "            crate~floor: #0 #1 #2 #3"
expect 0 "$BRISTLE" check rigid.yaml --json
has out '"contact_rows": 12'
has out '"contact_undetermined": 6'
has out '{"name": "crate~floor#0", "gap": '
has out '"undetermined_contacts": ["crate~floor#0", "crate~floor#1", "crate~floor#2", "crate~floor#3"]'
resting ", bristle: {stiffness: 1e6}" >bristles.yaml
expect 0 "$BRISTLE" check bristles.yaml
has out "shares      1 of 12 components of contact forces is not determined" # of four normal forces on one plane
resting ", bristle: {stiffness: 1e6}, compliance: {law: linear, stiffness: 1e6}" >soft.yaml
expect 0 "$BRISTLE" check soft.yaml
has out "shares      every contact force is determined"
sed 's/mu: 0.5/mu: 0/' rigid.yaml >ice.yaml
expect 0 "$BRISTLE" check ice.yaml
has out "shares      1 of 12 components"
resting "" 0.3 >above.yaml
expect 0 "$BRISTLE" check above.yaml
has out "contacts    none at the start"
expect 0 "$BRISTLE" check above.yaml --json
has out '"contacts": []'
has out '"contact_undetermined": 0'

# What would stop a run in its first step is told: shapes inside each other, materials without a pair, a paradox.
resting "" 0.05 >deep.yaml
expect 0 "$BRISTLE" check deep.yaml
has out "note        4 contacts start inside and keep their depth (start: {penetration: settle}): crate in floor by 0.05 m"
expect 0 "$BRISTLE" check deep.yaml --set start.penetration=refuse
has out "run         not possible: crate starts 0.05 m deep inside floor"
expect 0 "$BRISTLE" check deep.yaml --set start.penetration=refuse --json
has out '"can_run": false'
sed 's|wood/floor|wood/wood|' rigid.yaml >unpaired.yaml
expect 0 "$BRISTLE" check unpaired.yaml
has out "pairs has no entry wood/floor"
expect 0 "$BRISTLE" check "$BRISTLE_SOURCE/scenes/contact/painleve_rod.yaml" --set mu=1.5
has out "Painleve"

# A mechanism without shapes says nothing about contacts.
expect 0 "$BRISTLE" check spatial.yaml
! grep -q "^contacts\|^shares" out

# Redundant rows of joints are not counted among the contact forces: a foot on the coupler of the four-bar in space.
sed 's|^name.*|materials: {a: {}}\npairs: {a/a: {mu: 1}}\nground: [{name: floor, plane: {normal: [0, -1, 0], point: [0, 1.1, 0]}, material: a}]|
    s|\(coupler: {.*\)}}$|\1}, shapes: [{name: foot, sphere: {radius: 0.1}, material: a}]}|' spatial.yaml >foot.yaml
expect 0 "$BRISTLE" check foot.yaml
has out "redundant   3 of"
has out "            foot~floor: 1"
has out "shares      2 of 3 components" # one freedom: one component moves the mechanism

# Two hinges on one line share their load in many ways. That matters to friction that follows the load, not to a given one.
cat >hinges.yaml <<'YAML'
format: 1
bodies: {door: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0.4, 0, 0]}}}
joints:
  low: {revolute: [world, door], at: [0, 0, -0.5], axis: z, friction: {law: coulomb, mu: 0.3, pin_radius: 5 mm}}
  high: {revolute: [world, door], at: [0, 0, 0.5], axis: z, friction: {law: coulomb, mu: 1, load: {constant: 0.1 N m}}}
YAML
"$BRISTLE" check hinges.yaml >out
grep -q "low: coulomb, mu 0.3, load from the reaction; its reaction is among those not determined" out
grep -q "high: coulomb, mu 1, constant load 0.1 N m$" out
