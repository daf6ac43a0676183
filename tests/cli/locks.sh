#!/bin/sh
# Two runs with one result: the second says which process writes it and leaves it alone. A result that disappears during the
# run is missed. A run that fails before its first row leaves an older result.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

swing 2 'stepper: contact, step: 1 ms' 'until: 1000000 s, output: 0.1 s'

wait_for() { # wait_for FILE: at most 20 s
    for try in $(seq 200); do
        if test -e "$1"; then return; fi
        sleep 0.1
    done
    fail "$1 did not appear"
}

# While the first run goes on, the second one names it and exits; also under another name of the same file.
"$BRISTLE" run swing.yaml --quiet >first.out 2>first.err &
first=$!
wait_for swing.result
expect 1 "$BRISTLE" run swing.yaml --until 1
has err "is being written by process $first;"
has err "next: bristle explain result-in-use"
ln -s swing.result other.result
expect 1 "$BRISTLE" run swing.yaml --until 1 -o other.result
has err "process $first"
expect 0 "$BRISTLE" run swing.yaml --until 1 -o third.result
lacks out "has no locks"
expect 0 "$BRISTLE" export swing.result -o part.csv # to read is allowed
kill -TERM $first
wait $first || true
expect 0 "$BRISTLE" export swing.result -o whole.csv

# After it the name is free, and nothing is left of the ones that were refused.
expect 0 "$BRISTLE" run swing.yaml --until 1
test "$(ls | grep -c tmp-)" -eq 0 || fail "$(ls)"

# Many at once, with nothing there before: one writes, the others are refused, and what is there is whole.
rm -f swing.result
for k in 1 2 3 4 5 6; do
    (code=0; "$BRISTLE" run swing.yaml --until 40 --quiet --no-trust 2>err.$k || code=$?; echo $code >code.$k) &
done
wait
fine=$(cat code.? | grep -c '^0$')
test "$fine" -ge 1 || fail "none of them wrote: $(cat err.?)"
for k in 1 2 3 4 5 6; do
    test "$(cat code.$k)" -eq 0 || has err.$k "is being written by"
done
expect 0 "$BRISTLE" export swing.result -o whole.csv

# Removed or replaced meanwhile: the run does not say that it is complete.
for how in "rm swing.result" "cp third.result copy.result; mv copy.result swing.result"; do
    rm -f swing.result
    "$BRISTLE" run swing.yaml --quiet >first.out 2>first.err &
    first=$!
    wait_for swing.result
    eval "$how"
    kill -TERM $first
    code=0
    wait $first || code=$?
    test $code -eq 1 || fail "exit code $code after $how"
    has first.err "is no longer the file that this run wrote"
done

# A killed run leaves its rows, and no lock; what it left beside is removed by the next one, what others use is not.
"$BRISTLE" run swing.yaml --quiet &
first=$!
wait_for swing.result
kill -KILL $first
wait $first || true
: >swing.result.tmp-999999999-0
: >swing.result.tmp-keep
expect 0 "$BRISTLE" run swing.yaml --until 1
test ! -e swing.result.tmp-999999999-0 || fail "a temporary file was left"
test -e swing.result.tmp-keep || fail "a file of the user's was removed"

# A run that fails at its first row leaves the older result and its verdicts.
cp swing.result before
echo '{}' >swing.trust.json
{ cat swing.yaml; echo 'drives: {motor: {joint: pin, torque: "sqrt(-1 - t)"}}'; } >bad.yaml
expect 2 "$BRISTLE" run bad.yaml --until 1
has err "  the older swing.result is kept"
cmp swing.result before || fail "a run without a row replaced a good result: $(cat err)"
test -e swing.trust.json || fail "the verdicts on the older result are gone"
expect 2 "$BRISTLE" run bad.yaml --until 1 --json
has out '"result": null'
expect 2 "$BRISTLE" run bad.yaml --until 1 -o none.result

# Where there are no locks the run says so and goes on; a result that is replaced meanwhile is noticed all the same.
test -n "${BRISTLE_FAULTS:-}" || exit 0
expect 0 env LD_PRELOAD="$BRISTLE_FAULTS" FAULT_CALL=flock FAULT_AT=1 FAULT_ON=1 "$BRISTLE" run swing.yaml --until 1
has out "note        the file system of swing.result has no locks: another run could write to it"
expect 0 env LD_PRELOAD="$BRISTLE_FAULTS" FAULT_CALL=flock FAULT_AT=1 FAULT_ON=1 "$BRISTLE" run swing.yaml --until 1 --json
has out '"result_locked": false'
