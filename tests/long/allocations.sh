#!/bin/sh
# Allocations that fail, one at a time: our own code never crashes and says that memory was short. Crashes inside a library are listed, and
# are allowed only for those that docs/limits.md names. $TRIALS of each command (default: 250).
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"
test -n "${BRISTLE_FAULTS:-}" || exit 77 # a sanitizer has a malloc of its own

scenes="$BRISTLE_SOURCE/scenes"
trials=${TRIALS:-250}
tried=0
: >crashes

# try COMMAND...: some of its allocations fail, evenly spread
try() {
    env LD_PRELOAD="$BRISTLE_FAULTS" FAULT_CALL=malloc FAULT_COUNT=count "$@" >out 2>err || fail "$* fails by itself: $(cat err)"
    total=$(cat count)
    stride=$(((total + trials - 1) / trials))
    k=1
    while test "$k" -le "$total"; do
        code=0
        env LD_PRELOAD="$BRISTLE_FAULTS" FAULT_CALL=malloc FAULT_AT="$k" timeout 60 "$@" >out 2>err || code=$?
        tried=$((tried + 1))
        case $code in
        0 | 1 | 2 | 3) ;;
        99) grep '^crash in' err >>crashes ;;
        *) echo "exit code $code of $*, allocation $k of $total" >>crashes ;;
        esac
        ! grep -q '^crash in bristle' err || fail "$*: allocation $k: $(cat err)"
        k=$((k + stride))
    done
}

cp "$scenes/templates/door.yaml" "$scenes/templates/pendulum.yaml" "$scenes/templates/box_on_incline.yaml" .
"$BRISTLE" run door.yaml --until 0.02 --no-trust --quiet -o door.result
try "$BRISTLE" check door.yaml
try "$BRISTLE" check box_on_incline.yaml
try "$BRISTLE" run pendulum.yaml --until 0.02 --quiet -o a.result
try "$BRISTLE" run box_on_incline.yaml --until 0.02 --no-trust --quiet -o a.result
try "$BRISTLE" run door.yaml --until 0.02 --no-trust --quiet -o a.result --csv a.csv --events e.csv
try "$BRISTLE" run pendulum.yaml --set solver.stepper=reference --until 0.02 --quiet -o a.result
try "$BRISTLE" export door.result -o a.csv
try "$BRISTLE" export door.result -o a.glb
try "$BRISTLE" export door.result -o a.h5
try "$BRISTLE" plot door.result hinge.position -o a.svg
try "$BRISTLE" solve "$scenes/solver/box1.cp" -o a.txt
echo "$tried failing allocations"
sed 's/, signal.*//' crashes | sort | uniq -c

# Only libraries that docs/limits.md names may crash.
sed -n 's/^crash in \([^,]*\),.*/\1/p' crashes | sort -u | while read -r library; do
    grep -q -F "${library%%.so*}" "$BRISTLE_SOURCE/docs/limits.md" || fail "a crash in $library, which docs/limits.md does not name"
done
