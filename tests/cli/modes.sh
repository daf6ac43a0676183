#!/bin/sh
# bristle modes: frequencies, shapes, critical speeds, Campbell's table.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

within() { # within VALUE EXPECTED RELATIVE
    awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN { d = a - b; exit !(a != "" && d * d <= (r * b) ^ 2) }' ||
        { echo "$1, expected $2"; cat out; exit 1; }
}
rotor=$BRISTLE_SOURCE/scenes/papers/bauchau_rotor.yaml

# The rotor of the paper: 44.069 to 44.453 printed, 0.4 %.
expect 0 "$BRISTLE" modes "$rotor" --critical --pin T --count 1 --json
test "$(wc -l <out)" -eq 1
zone=$(sed -n 's/.*"zones": \[\[\([0-9.]*\), \([0-9.]*\)\]\].*/\1 \2/p' out)
within "${zone% *}" 44.211 3e-5
within "${zone#* }" 44.599 3e-5
expect 0 "$BRISTLE" modes "$rotor" --critical --count 1
has out "clearance 'T' is open and holds nothing; --pin T holds it where it is"
expect 0 "$BRISTLE" modes "$rotor" --critical --pin T --csv zones.csv
has zones.csv "zone,from,to"

# Modes: text, JSON, a table with shapes.
cat >reed.yaml <<'Y'
format: 1
name: reed
gravity: [0, 0, 0]
beams:
  reed: {from: [0, 0, 0], to: [0.1, 0, 0], elements: 12, attach: {0: world}, damping: 1e-6 s,
         section: {E: 110 GPa, nu: 0.3, density: 8700 kg/m^3, rectangle: {size: [10 mm, 1 mm]}}}
Y
expect 0 "$BRISTLE" modes reed.yaml --count 4
has out "reed (reed.yaml)"
has out "0 rigid motions"
expect 0 "$BRISTLE" modes reed.yaml --count 4 --json --csv reed.csv
test "$(wc -l <out)" -eq 1
for key in freedom rows redundant modes frequency omega real damping shape move turn notes; do has out "\"$key\": "; done
# (1.8751 / l)^2 h sqrt(E / 12 rho) / 2 pi = 57.4 Hz
within "$(sed -n 's/.*"modes": \[{"frequency": \([0-9.]*\).*/\1/p' out)" 57.44 1e-3
test "$(wc -l <reed.csv)" -eq 5
has reed.csv "mode,frequency,omega,real,damping,rigid,rounding,fixed,whirl,reed.s0.move.x"
has reed.csv "reed.s1.move_i.z"
expect 0 "$BRISTLE" modes reed.yaml --csv - --quiet
head -n 1 out | grep -q '^mode,'

# Under its weight.
expect 0 "$BRISTLE" modes reed.yaml --set 'gravity=[0, 0, -9.81]'
has out "this is no equilibrium"
# A horizontal bar of 2 kg, 0.5 m from its pin: 9.81 N and 4.905 N m do along its motion (0.5 m for each rad) what 19.62 N do.
cat >bar.yaml <<EOF
format: 1
bodies: {b: {mass: 2, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 0, 0]}}}
joints: {p: {revolute: [world, b], axis: y, at: [0, 0, 0], spring: {stiffness: 5}}}
run: {until: 1}
EOF
expect 0 "$BRISTLE" modes bar.yaml
has out "nothing balances 9.81 N and 4.91 N m about its centre of mass on body"
expect 0 "$BRISTLE" modes reed.yaml --set 'gravity=[0, 0, -9.81]' --static
has out "equilibrium under the loads"
grep -q "no equilibrium" out && { echo "no equilibrium after --static"; cat out; exit 1; }

# A turning shaft.
expect 0 "$BRISTLE" modes "$rotor" --pin T --spin "400 rpm" --count 2
has out "41.887902 rad/s (400 rpm)"
has out "forward"
has out "backward"
expect 0 "$BRISTLE" modes "$rotor" --pin T --campbell 0:100:6 --count 4 --csv campbell.csv
test "$(wc -l <campbell.csv)" -eq 7
has campbell.csv "spin,fixed_1,whirl_1,rotating_1,real_1,fixed_2"
expect 0 "$BRISTLE" modes "$rotor" --pin T --campbell 0:100:3 --count 4 --json
has out '"speeds": [{"spin": 0, "modes": [{'

# A rigid model under any stepper.
cat >arm.yaml <<'Y'
format: 1
name: arm
bodies:
  bob: {mass: 2 kg, inertia: [0, 0, 0], pose: {position: [0, 0, -0.5]}}
joints:
  pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}
Y
expect 0 "$BRISTLE" modes arm.yaml --json
within "$(sed -n 's/.*"omega": \([0-9.]*\).*/\1/p' out)" 4.4294469180700204 1e-12

# Faults.
expect 1 "$BRISTLE" modes
expect 1 "$BRISTLE" modes none.yaml
expect 1 "$BRISTLE" modes reed.yaml --count 0
expect 1 "$BRISTLE" modes reed.yaml --spin fast
has err "--spin is 'fast', expected a speed in rad/s"
expect 1 "$BRISTLE" modes reed.yaml --campbell 0:10
has err "expected FROM:TO:SPEEDS"
expect 1 "$BRISTLE" modes reed.yaml --critical --spin 3
has err "one at a time"
expect 1 "$BRISTLE" modes reed.yaml --axis 1,0
has err "three numbers"
expect 1 "$BRISTLE" modes reed.yaml --critical --json
has out '"code": "mode-axis"'
expect 1 "$BRISTLE" modes reed.yaml --critical --axis 1,0,0
has err "joint 'reed.attach_0' does not turn with the shaft"
expect 1 "$BRISTLE" modes reed.yaml --pin T
has err "there is no clearance 'T' to pin"
expect 1 "$BRISTLE" modes reed.yaml --csv reed.yaml
