#!/bin/sh
# bristle hold as a person uses it: two factors, a load that is needed, directions, JSON, what fails.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

scenes="$BRISTLE_SOURCE/scenes/friction"

expect 0 "$BRISTLE" hold "$scenes/table_four.yaml" --load push
for word in "sticks for certain up to 1.308 (78.48 N)" "up to 1.635 (98.1 N) it stays unless" "beyond that it slides for certain" \
    "at the upper end leg_"; do has out "$word"; done
test ! -s err
expect 0 "$BRISTLE" hold "$scenes/table_four.yaml" --load push --set mu_k=0.5
has out "sticks for certain up to 1.635 (98.1 N), slides for certain beyond"

# A load that is needed, and no end above.
expect 0 "$BRISTLE" hold "$scenes/pole_clamp.yaml" --load pull
has out "no load of this kind moves it"
has out "the load holds it: below 0.45126 (45.126 N)"

# Several loads with one factor: A,B or repeated.
expect 0 "$BRISTLE" hold "$scenes/gripper.yaml" --load squeeze_l,squeeze_r
cp out first
expect 0 "$BRISTLE" hold "$scenes/gripper.yaml" --load squeeze_l --load squeeze_r
cmp out first
has out "0.8175"
has out "0.40875"

# JSON, one line; infinity is a word.
expect 0 "$BRISTLE" hold "$scenes/pole_clamp.yaml" --load pull --json --alone
test "$(wc -l <out)" -eq 1
for key in model file t loads size unit felt held certain lambda_sure lambda_possible sure undisturbed possible exhaustive first first_lower \
    c_star elements mu_critical mu_alone goes_upper work; do has out "\"$key\": "; done
has out '"lambda_sure": "inf"'

# A crate that tips holds with no friction of any one of its corners: `alone` is not twice what they have.
cat >tips.yaml <<'EOF'
format: 1
planar: xz
materials: {w: {}, f: {}}
pairs: {w/f: {mu: 0.6}}
bodies:
  b: {mass: 2 kg, inertia: 0.03, pose: {position: [0, 0, 0.2]}, shapes: [{name: b, box: {size: [0.1, 0.1, 0.4]}, material: w}]}
ground: [{name: floor, plane: {}, material: f}]
loads: {push: {body: b, force: [10 N, 0, 0], at: [0, 0, 0.1]}}
EOF
expect 0 "$BRISTLE" hold tips.yaml --load push --alone
has out "none does    none does"

# A motor that could give more than it does: how much more is not known from the balance, so nothing is said for certain.
cat >motor.yaml <<'EOF'
format: 1
bodies: {arm: {mass: 2 kg, com: [0.35, 0, 0], inertia: [0.02, 0.02, 0.02]}}
joints: {j: {revolute: [world, arm], axis: -y, friction: {law: coulomb, mu: 1, load: {constant: 2 N m}}}}
drives: {m: {joint: j, velocity: 0, max_torque: 20 N m}}
loads: {payload: {body: arm, at: [0.5, 0, 0], force: [0, 0, -10 N]}}
EOF
expect 1 "$BRISTLE" hold motor.yaml --load payload
has err "drive 'm' gives what the load asks, up to its largest effort"
expect 0 "$BRISTLE" trust motor.yaml --at 0
has out "motor m counts with what it gives now"

# Directions.
expect 0 "$BRISTLE" hold "$scenes/ladder.yaml" --load man --polar margin.svg --directions 8
has margin.svg "<svg"
has out "8 directions in the plane xz"

# Along a motion: a push that swells and fades is nearest to the limit at its peak.
sed 's/force: \[$push, 0, 0\]/force: ["$push*sin(pi*t)", 0, 0]/' "$scenes/table_four.yaml" >swells.yaml
expect 0 "$BRISTLE" hold swells.yaml --load push --until 1 --sample 0.1
has out "11 looks: something at rest feels the load in"
has out "the least margin of them is at t = 0.5 s"
has out "1.308 (78.48 N)"
expect 1 "$BRISTLE" hold swells.yaml --load push --sample 0.1
has err "give --until T"

# What fails.
expect 1 "$BRISTLE" hold "$scenes/table_four.yaml" --load pusch
has err "no load 'pusch' in the model; it has push, gravity"
expect 1 "$BRISTLE" hold "$scenes/table_four.yaml" --load push --set push=0
has err "the load is zero"
expect 1 "$BRISTLE" hold "$scenes/table_six.yaml" --load twist --polar a.svg
has err "has no direction to turn"
expect 1 "$BRISTLE" hold "$scenes/table_six.yaml" --polar a.svg
has err "name it with --load"
expect 1 "$BRISTLE" hold "$scenes/table_four.yaml" --load push --polar a.svg --plane xw
has err "xy, xz or yz"
expect 1 "$BRISTLE" hold "$scenes/door.yaml"
has err "no force or torque"
expect 1 "$BRISTLE" hold
