#!/bin/sh
# Every verb under memcheck, on answers and on errors: no invalid access, no uninitialized read, nothing of ours lost. What a library does
# is in tests/support/valgrind.supp, with its version and the reason. The list of verbs is the program's own: one without a line here fails.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"
command -v valgrind >/dev/null 2>&1 || exit 77 # skipped

scenes=$BRISTLE_SOURCE/scenes
: >tried

# clean CODE VERB ARGUMENTS...: the verb ends with that exit code, and memcheck has nothing to say
clean() {
    code=0 expected=$1
    shift
    echo "$1" >>tried
    valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,possible \
        --errors-for-leak-kinds=definite,possible --suppressions="$BRISTLE_SOURCE/tests/support/valgrind.supp" \
        "$BRISTLE" "$@" >out 2>err || code=$?
    test "$code" -eq "$expected" || fail "bristle $*: exit code $code, not $expected: $(tail -40 err)"
}

cp "$scenes/templates/door.yaml" "$scenes/templates/pendulum.yaml" "$scenes/templates/box_on_incline.yaml" .
clean 0 new door -o new.yaml
clean 1 new nonsense
clean 0 check door.yaml
clean 0 check box_on_incline.yaml --json
clean 1 check missing.yaml
for stepper in contact implicit reference; do
    clean 0 run pendulum.yaml --set solver.stepper=$stepper --until 0.02 -o $stepper.result
done
clean 0 run door.yaml --until 0.02 --csv door.csv --events events.csv -o door.result
clean 0 run box_on_incline.yaml --until 0.01 --checkpoint 0.005 -o box.result
clean 0 run "$scenes/flexible/rope.yaml" --until 0.005 --quiet -o rope.result
clean 0 run "$scenes/clearance/journal.yaml" --until 0.002 --quiet -o journal.result
clean 1 run door.yaml --set no.such=1
# Stopped at its first checkpoint; what ends before is complete, and resume says so.
valgrind --quiet "$BRISTLE" run box_on_incline.yaml --until 1 --no-trust --quiet --checkpoint 0.01 -o stopped.result >out 2>err &
process=$!
while kill -0 $process 2>/dev/null && ! test -f stopped.result.checkpoint; do sleep 0.1; done
kill -TERM $process 2>/dev/null || true
wait $process || true
clean 0 resume stopped.result --no-trust
clean 0 resume door.result
clean 1 resume missing.result
clean 0 static "$scenes/templates/pendulum.yaml"
clean 0 modes pendulum.yaml
clean 0 trust box_on_incline.yaml
clean 0 trust door.result
clean 0 hold box_on_incline.yaml --load gravity --polar margin.svg
clean 1 hold box_on_incline.yaml --load nothing
cat >spec.yaml <<SPEC
model: pendulum.yaml
vary: {solver.step: [1 ms, 2 ms]}
columns: [energy.total.end]
SPEC
clean 0 sweep spec.yaml -o swept --jobs 1 --quiet
clean 0 report door.result -o door.html
clean 0 plot door.result hinge.position -o door.svg
clean 1 plot door.result nothing.there -o none.svg
clean 0 export door.result -o again.csv
clean 0 export door.result -o door.h5
clean 0 export door.h5 -o back.csv
clean 0 export door.result -o door.glb
clean 0 compare box_on_incline.yaml --until 0.01
clean 0 compare door.result door.result
clean 0 papers --only tan_liu
clean 0 dynamics pendulum.yaml
clean 0 solve "$scenes/solver/box1.cp" -o box1.txt
clean 0 solve "$scenes/solver/wall4.cp" -o wall4.txt
clean 0 convert "$scenes/solver/box1.cp" -o box1.hdf5
clean 0 schema
clean 0 explain run-method
clean 1 explain no-such-code

"$BRISTLE" help | sed -n 's/^  \([a-z]*\)  *[a-zA-Z].*/\1/p' | grep -v '^bristle$' | sort -u >verbs
sort -u tried | comm -23 verbs - >missing
test ! -s missing || fail "verbs that are not tried: $(tr '\n' ' ' <missing)"
echo "$(wc -l <tried) commands of $(wc -l <verbs) verbs"
