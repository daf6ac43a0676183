#!/bin/sh
# A full disk (files that may not grow beyond a limit stand for it), writes and fsync that fail: one message, what was there before
# stays, the number of rows that is told is the one in the file, nothing half written is left.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

swing 2 'stepper: contact, step: 1 ms' 'until: 1 s, output: 1 ms'

rows_of() { # rows_of RESULT
    "$BRISTLE" export "$1" -o rows.csv >rows.out
    sed -n 's/^rows        \([0-9]*\) of.*/\1/p' rows.out
}

# told_is_kept: what err says of the rows is what the result has.
told_is_kept() {
    told=$(sed -n 's/^  \([0-9]*\) rows* \(is\|are\) kept.*/\1/p' err)
    test "$told" = "$(rows_of swing.result)" || fail "told $told rows, the file has $(rows_of swing.result)"
    test "$(grep -c 'cannot be written' err)" -eq 1 || fail "told more than once: $(cat err)"
    test "$(ls | grep -c tmp-)" -eq 0 || fail "left behind: $(ls)"
}

for blocks in 40 150 300 500; do # of 512 bytes
    rm -f swing.result
    code=0
    (ulimit -f $blocks; "$BRISTLE" run swing.yaml) >out 2>err || code=$?
    test $code -eq 1 || fail "exit code $code with $blocks blocks"
    told_is_kept
    has err "File too large"
done

# Too small for header and first row: the older result stays. The same for every other file that a verb writes.
expect 0 "$BRISTLE" run swing.yaml
cp swing.result before
keeps() { # keeps FILE COMMAND...
    file=$1
    shift
    cp "$file" older
    code=0
    (ulimit -f 1; "$@") >out 2>err || code=$?
    test $code -eq 1 || fail "exit code $code: $*"
    cmp "$file" older || fail "$* damaged $file"
    test "$(ls | grep -c tmp-)" -eq 0 || fail "$* left $(ls)"
    test "$(grep -c 'cannot be written' err)" -eq 1 || fail "$*: $(cat err)"
}
keeps swing.result "$BRISTLE" run swing.yaml
expect 0 "$BRISTLE" run swing.yaml --csv a.csv --events e.csv
keeps a.csv "$BRISTLE" run swing.yaml --no-result --csv a.csv
for ending in csv h5 glb gltf result; do
    expect 0 "$BRISTLE" export swing.result -o "a.$ending"
    keeps "a.$ending" "$BRISTLE" export swing.result -o "a.$ending"
done
expect 0 "$BRISTLE" plot swing.result pin.position -o a.svg
keeps a.svg "$BRISTLE" plot swing.result pin.position -o a.svg

# A name as long as a folder takes it, and a model whose name is longer.
long=$(printf '%0240d' 7)
expect 0 "$BRISTLE" run swing.yaml -o "$long.result"
expect 0 "$BRISTLE" export "$long.result" -o "$long.csv"
sed "s/name: swing/name: n$long$long/" swing.yaml >long.yaml
expect 0 "$BRISTLE" run long.yaml --trust
test "$(ls | grep -c '^n0.*\.result$')" -eq 1 || fail "$(ls)"
test "$(ls | grep -c tmp-)" -eq 0 || fail "$(ls)"

# Each write and each fsync of a run fails once, then all from it on.
test -n "${BRISTLE_FAULTS:-}" || exit 0
sed 's/output: 1 ms/output: 0.5 ms/; s/step: 1 ms/step: 0.5 ms/' swing.yaml >more.yaml
for call in write fsync; do
    rm -f swing.result
    env LD_PRELOAD="$BRISTLE_FAULTS" FAULT_CALL=$call FAULT_COUNT=count "$BRISTLE" run more.yaml --quiet --events e.csv
    total=$(cat count)
    test "$total" -ge 3 || fail "$total calls of $call"
    for k in $(seq "$total"); do
        for on in "" 1; do
            cp before swing.result
            code=0
            env LD_PRELOAD="$BRISTLE_FAULTS" FAULT_CALL=$call FAULT_AT="$k" ${on:+FAULT_ON=1} \
                "$BRISTLE" run more.yaml --quiet --events e.csv >out 2>err || code=$?
            test $code -eq 1 || fail "$call $k: exit code $code"
            has err "cannot be written"
            test "$(grep 'cannot be written' err | sort | uniq -d | wc -l)" -eq 0 || fail "$call $k: $(cat err)"
            test "$(rows_of swing.result)" -ge 1 || fail "$call $k left no rows"
            test "$(ls | grep -c tmp-)" -eq 0 || fail "$call $k left $(ls)"
        done
    done
done
