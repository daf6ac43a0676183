#!/bin/sh
# Runs of every stepper, killed ($KILLS of them, default 200): every result that is there can be read, the next run takes its place and
# leaves nothing else behind. At most a second of rows is lost: that is not timed here.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

kills=${KILLS:-200}
head='format: 1
bodies:
  bob: {mass: 2 kg, inertia: [0.01, 0.01, 0.01], pose: {position: [1, 0, 0]}}
joints:
  pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}
run: {until: 1000000 s, output: 1 ms}'
for stepper in contact reference implicit kinematic; do
    { echo "$head"; echo "name: $stepper"; echo "solver: {stepper: $stepper, step: 1 ms}"; } >$stepper.yaml
done
echo 'drives: {motor: {joint: pin, velocity: 1 rad/s}}' >>kinematic.yaml

readable=0
none=0
for k in $(seq "$kills"); do
    case $((k % 4)) in 0) stepper=contact ;; 1) stepper=reference ;; 2) stepper=implicit ;; *) stepper=kinematic ;; esac
    rm -f $stepper.result
    "$BRISTLE" run $stepper.yaml --quiet --no-trust >out 2>err &
    run=$!
    sleep "0.$((k * 37 % 30 + 2))"
    kill -KILL $run 2>/dev/null || fail "$stepper ended by itself: $(cat err)"
    wait $run 2>/dev/null || true
    if test -e $stepper.result; then
        "$BRISTLE" export $stepper.result -o rows.csv >out 2>err || fail "kill $k: a killed $stepper run cannot be read: $(cat err)"
        readable=$((readable + 1))
    else
        none=$((none + 1)) # killed before its first row
    fi
done
for stepper in contact reference implicit kinematic; do
    expect 0 "$BRISTLE" run $stepper.yaml --until 0.01 --quiet --no-trust
done
test "$(ls | grep -c tmp-)" -eq 0 || fail "left behind: $(ls)"
echo "$kills kills: $readable results readable, $none before the first row"
test "$readable" -gt 0 || fail "no run came to its first row"
