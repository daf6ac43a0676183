#!/bin/sh
# Runs that are killed or stopped and taken up again: rows, events, ledger and judgement are those of a run that was not.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

# Everything that a result has but for the seconds that it took and where it is.
told() {
    "$BRISTLE" export "$1" -o told.csv >/dev/null
    "$BRISTLE" export "$1" --events told.events.csv -o told2.csv >/dev/null 2>&1 || true
    cat told.csv
    test ! -f told.events.csv || cat told.events.csv
    rm -f told.csv told2.csv told.events.csv
}
# whole MODEL OPTION...: the run that is not stopped, in whole.result.
whole() {
    "$BRISTLE" run "$@" --no-trust --quiet -o whole.result
    told whole.result >whole.txt
    bytes=$(wc -c <whole.result)
}
same() {
    told cut.result >cut.txt
    cmp -s whole.txt cut.txt || fail "$1: the rows are not those of a run that was never stopped"
    test "$(wc -c <cut.result)" = "$bytes" || fail "$1: the result has other records"
    ls cut.result.checkpoint* >/dev/null 2>&1 && fail "$1: a complete run leaves its checkpoint"
    return 0
}
# Starts a run and kills it by that signal once it has a checkpoint.
killed() {
    signal=$1
    shift
    rm -f cut.result*
    "$BRISTLE" run "$@" --no-trust --quiet --checkpoint 0.001 -o cut.result 2>cut.err &
    process=$!
    while kill -0 $process 2>/dev/null && test ! -f cut.result.checkpoint.older; do :; done
    kill -s "$signal" $process 2>/dev/null || true
    wait $process 2>/dev/null || true
}

for model in gallery/euler_disk contact/box_on_plane clearance/journal robots/anymal_c; do
    test -f "$BRISTLE_SOURCE/scenes/$model.yaml" || continue
    whole "$BRISTLE_SOURCE/scenes/$model.yaml"
    killed KILL "$BRISTLE_SOURCE/scenes/$model.yaml"
    "$BRISTLE" resume cut.result --no-trust --quiet || fail "$model: resume fails"
    same "$model"
done

# Controls from a table are in the result: what is taken up does not need the file. Outputs by pattern are its columns again.
cat >arm.yaml <<'MODEL'
format: 1
name: arm
gravity: [0, 0, 0]
bodies: {link: {mass: 1, inertia: [0.02, 0.02, 0.02], pose: {position: [0.3, 0, 0]}}}
joints: {elbow: {revolute: [world, link], axis: y}}
drives: {servo: {joint: elbow, servo: {position: 7, stiffness: 40, damping: 4}}}
controls: moves.csv
solver: {step: 0.1 ms}
run: {until: 10, output: 0.01}
outputs: ["elbow.*"]
MODEL
printf 't,servo\n0,0\n0.5,1\n10,-2\n' >moves.csv
whole arm.yaml
killed KILL arm.yaml
rm moves.csv
"$BRISTLE" resume cut.result --no-trust --quiet || fail "controls: resume fails"
same "controls"

# The reference stepper goes on from a multiple of solver.restart, or from the start.
disk="$BRISTLE_SOURCE/scenes/papers/wojtyra_example_2.yaml"
for restart in 0 0.01; do
    whole "$disk" --until 0.2 --set solver.restart=$restart
    killed KILL "$disk" --until 0.2 --set solver.restart=$restart
    "$BRISTLE" resume cut.result --no-trust --quiet || fail "reference, restart $restart: resume fails"
    same "reference, restart $restart"
done

# Stopped by a batch system: it says how to go on.
disk="$BRISTLE_SOURCE/scenes/gallery/euler_disk.yaml"
whole "$disk"
killed TERM "$disk"
if ! "$BRISTLE" resume cut.result --quiet >/dev/null 2>&1; then fail "SIGTERM: resume fails"; fi
same "SIGTERM"
cut_err=$(cat cut.err)
case "$cut_err" in
"") ;; # it was through before the signal came
*"next: bristle resume cut.result"*) ;;
*) fail "SIGTERM: it does not say how to go on: $cut_err" ;;
esac

# A damaged checkpoint: the older one, then the start.
for damage in first both; do
    killed KILL "$disk"
    test -f cut.result.checkpoint.older || continue
    printf 'x' | dd of=cut.result.checkpoint bs=1 seek=200 conv=notrunc 2>/dev/null
    test $damage = first || : >cut.result.checkpoint.older
    "$BRISTLE" resume cut.result --no-trust --quiet || fail "$damage damaged: resume fails"
    same "$damage damaged"
done

# What cannot be continued says why.
message=$("$BRISTLE" resume whole.result)
case "$message" in *"is complete: nothing is left to run"*) ;; *) fail "complete: $message" ;; esac
if "$BRISTLE" resume missing.result 2>missing.err; then fail "a missing result is resumed"; fi
grep -q "missing.result" missing.err || fail "missing: $(cat missing.err)"
killed KILL "$disk"
if test -f cut.result.checkpoint; then
    size=$(wc -c <cut.result)
    printf 'x' | dd of=cut.result bs=1 seek=$((size - 1000)) conv=notrunc 2>/dev/null
    "$BRISTLE" resume cut.result --no-trust --quiet || fail "a damaged row: resume fails"
    same "a damaged row"
fi
