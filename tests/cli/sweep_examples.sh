#!/bin/sh
# The sweeps of examples/sweeps: a wedge locks where its closed form says so; a block on a belt sticks and slips below a speed, if it
# starts on the belt.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT || true
sweeps=$BRISTLE_SOURCE/examples/sweeps

expect 0 "$BRISTLE" sweep "$sweeps/wedge_locking.yaml" -o wedge --jobs 2
has out "255 runs: 255 ok"
# tan(alpha - phi) <= mu (1 + w/V) with tan(phi) = mu and w/V = 0.01
awk -F, 'NR > 1 { alpha = $3*atan2(0, -1)/180; phi = atan2($2, 1); holds = sin(alpha - phi)/cos(alpha - phi) <= 1.01*$2
    if (holds != ($5 ~ /^sticks/)) { print; bad = 1 } } END { exit bad }' wedge/table.csv || fail "verdicts differ from the closed form"

# Of the toggle clamp some: it locks where L sin(beta) <= 2 mu r, and then at any force.
sed "s|\.\./\.\./scenes|$BRISTLE_SOURCE/scenes|; s/steps: 29/steps: 8/; s/steps: 22/steps: 6/" "$sweeps/toggle_clamp.yaml" >clamp.yaml
expect 0 "$BRISTLE" sweep clamp.yaml -o clamp --jobs 2
has out "48 runs: 48 ok"
awk -F, 'NR > 1 { locks = sin($3*atan2(0, -1)/180) <= 2*$2*0.01/0.1
    if (locks != ($4 ~ /^sticks/) || locks != ($5 == "inf")) { print; bad = 1 } } END { exit bad }' clamp/table.csv || fail "the clamp locks elsewhere"

# Of the belt two speeds of the 25.
sed "s|\.\./\.\./scenes|$BRISTLE_SOURCE/scenes|; s/v: {.*/v: [0.1, 0.3]/" "$sweeps/belt_speed.yaml" >belt.yaml
expect 0 "$BRISTLE" sweep belt.yaml -o belt --jobs 2
# Sticking it rides along with the belt, so the slip never goes above 0 and comes back to it; sliding stays at -v, about the spring's 40 mm.
awk -F, 'NR > 1 { swings = $6 != ""; wanted = $2 == 0.1 && $3 == 0; slides = $7 < -0.9*$2
    if (swings != wanted || slides == wanted || $5 < 0.04 - 1e-9) { print; bad = 1 } } END { exit bad }' belt/table.csv ||
    fail "the belt does not have stick-slip where it should"
