#!/bin/sh
# bristle dynamics: matrices at given states.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

# A point mass of 2 kg, 0.5 m from a pin: M = 0.5, bias = m g l cos(q).
cat >arm.yaml <<'Y'
format: 1
name: arm
bodies:
  bob: {mass: 2 kg, inertia: [0.0, 0.0, 0.0], pose: {position: [0.5, 0, 0]}}
joints:
  pin: {revolute: [world, bob], axis: [0, -1, 0], at: [0, 0, 0]}
Y
number() { # number KEY: the first number of a list
    sed -n "s/.*\"$1\": \[\([-0-9.e+]*\).*/\1/p" out
}
near() { # near VALUE EXPECTED
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && (a - b) ^ 2 < 1e-20) }' || { echo "$1, expected $2"; cat out; exit 1; }
}
echo '{"qpos": [0.3], "qvel": [0], "qacc": [2]}' >one.json
expect 0 "$BRISTLE" dynamics arm.yaml --state one.json --json
test "$(wc -l <out)" -eq 1
for key in nq nv coordinates states M bias tau_id jacp jacr xpos xquat reactions force torque force_world torque_world energy com; do
    has out "\"$key\": "
done
has out '"coordinates": ["pin.velocity"]'
has out '"xpos": [0, 0, 0, '
near "$(number M)" 0.5
near "$(number bias)" 9.371850958322197  # 2 * 9.81 * 0.5 * cos(0.3)
near "$(number tau_id)" 10.371850958322197

# Lists, a list under "states" with other keys beside it, and the initial state without a file; text.
echo '[{"qpos": [0], "qvel": [1]}, {"qpos": [1], "qvel": [0], "jac_body": "bob"}]' >list.json
expect 0 "$BRISTLE" dynamics arm.yaml --state list.json --json
test "$(grep -o '"qpos"' out | wc -l)" -eq 2
echo '{"model": "x", "deep": [[{}]], "states": [{"qpos": [0.5], "qvel": [0], "M": [1]}]}' >keyed.json
expect 0 "$BRISTLE" dynamics arm.yaml --state keyed.json --json
near "$(number qpos)" 0.5
expect 0 "$BRISTLE" dynamics arm.yaml
has out "Jacobian of bob"
expect 0 "$BRISTLE" dynamics arm.yaml --body bob --linearize --json
has out '"eigenvalues_real": ['

# Faults: in their place, exit code 1, nothing but an error on stdout.
echo '{"qpos": [0, 1], "qvel": [0]}' >long.json
expect 1 "$BRISTLE" dynamics arm.yaml --state long.json --json
has err "long.json:1:10: qpos has 2 numbers, expected 1: the model has nq = 1"
has out '"code": "state-length"'
test "$(wc -l <out)" -eq 1
echo '{"qpos": [0' >cut.json
expect 1 "$BRISTLE" dynamics arm.yaml --state cut.json
has err "cut.json:2:1: the file ends"
expect 1 "$BRISTLE" dynamics arm.yaml --state none.json
expect 1 "$BRISTLE" dynamics arm.yaml --state .
expect 1 "$BRISTLE" dynamics arm.yaml --body bib
has err "did you mean 'bob'?"
echo '[{"qpos": [0], "qvel": [0]}, {"qpos": [0], "qvel": [0], "jac_body": "arm"}]' >other.json
expect 1 "$BRISTLE" dynamics arm.yaml --state other.json --json
has err "there is no body 'arm'"
test "$(wc -l <out)" -eq 1
expect 1 "$BRISTLE" dynamics
