#!/bin/sh
# What a hostile or a clumsy user does to the program: no file is lost, no run cannot be ended, no NaN is printed.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

lacks_in_any_case() {
    ! grep -q -i -F -- "$2" "$1" || { echo "'$2' is in $1:"; cat "$1"; exit 1; }
}
no_leftovers() {
    test "$(ls | grep -c tmp-)" -eq 0 || { echo "left behind:"; ls; exit 1; }
}

swing 2 'stepper: contact, step: 1 ms, theta: 0.5' 'until: 0.02 s, output: 0.01 s'

# Two outputs in one file, however it is spelt and whether or not it is there yet; the result's own name counts.
expect 1 "$BRISTLE" run swing.yaml --csv a -o ./a
has err "--csv and -o are the same file"
test ! -e a
expect 1 "$BRISTLE" run swing.yaml --csv swing.result
has err "swing.result: the result would go to the file of --csv"
has err "next: bristle explain result-clash"
expect 1 "$BRISTLE" run swing.yaml --events ./swing.result
has err "the file of --events"
test ! -e swing.result
cp swing.yaml model.result
expect 1 "$BRISTLE" run model.result --set name=model
has err "the result would go to the model file itself"
cmp swing.yaml model.result
mkdir sub
expect 0 "$BRISTLE" run swing.yaml --csv sub/swing.result --quiet # another folder is another file
no_leftovers

# Names of nothing.
for option in --csv -o --events --until --channels; do
    expect 1 "$BRISTLE" run swing.yaml $option ""
    has err "needs a value"
done
expect 1 "$BRISTLE" new pendulum -o ""
expect 1 "$BRISTLE" run swing.yaml -o /dev/null
has err "is a device or a pipe"

# `outputs` that are not there are an error with and without a table.
{ cat swing.yaml; echo 'outputs: [pin.positon]'; } >outputs.yaml
for verb in check run; do
    expect 1 "$BRISTLE" $verb outputs.yaml
    has err "outputs: there is no channel 'pin.positon' in this model; did you mean pin.position?"
done

# Runs that nobody lives to see end.
expect 1 "$BRISTLE" run swing.yaml --until 1e12 --set solver.step=1e-9
has err "next: bristle explain run-too-long"
expect 1 "$BRISTLE" run swing.yaml --set run.until=1e12
has err "a row every 0.01 s until 1e+12 s are 1e+14 rows, expected at most 1e+12"
expect 1 "$BRISTLE" check swing.yaml --set run.output=1e-300
has err "rows, expected at most 1e+12"
expect 1 "$BRISTLE" run swing.yaml --set solver.step=5e-324
no_leftovers

# Ended from outside: by the batch system, by a terminal that is closed, by a limit of the size of files.
for signal in TERM HUP; do
    "$BRISTLE" run swing.yaml --until 1e6 --csv long.csv -o long.result --quiet >out 2>err &
    pid=$!
    until test -s long.result; do sleep 0.05; done
    sleep 0.2
    kill -$signal $pid
    got=0
    wait $pid || got=$?
    test "$got" -eq 2 || { echo "SIG$signal: exit code $got"; cat err; exit 1; }
    has err "interrupted at t = "
    test -s long.csv
    rm long.csv long.result
done
no_leftovers
# Rows a lifetime apart: one signal is enough, and the result can be read.
"$BRISTLE" run swing.yaml --until 1e8 --set run.output=1e8 -o long.result --quiet >out 2>err &
pid=$!
until test -s long.result; do sleep 0.05; done
sleep 0.2
kill -TERM $pid
got=0
wait $pid || got=$?
test "$got" -eq 2 || { echo "between rows: exit code $got"; cat err; exit 1; }
has err "interrupted between two rows"
got=0
(ulimit -f 40 && exec "$BRISTLE" run swing.yaml --until 1e6 --csv long.csv -o long.result --quiet) >out 2>err || got=$?
test "$got" -eq 1 || { echo "size limit: exit code $got"; cat err; exit 1; }
has err "cannot be written"
no_leftovers

# Dynamics where doubles end: an error, not NaN, null or an invented rotation.
cat >free.yaml <<'Y'
format: 1
bodies:
  bob: {mass: 2 kg, inertia: [0.01, 0.01, 0.01]}
Y
echo '[{"qpos": [0, 0, 0, 1, 0, 0, 0], "qvel": [1e308, 0, 0, 1e308, 1e308, 0]}]' >huge.json
echo '[{"qpos": [0, 0, 0, 0, 0, 0, 0], "qvel": [0, 0, 0, 0, 0, 0]}]' >zero.json
for json in "" --json; do
    expect 2 "$BRISTLE" dynamics free.yaml --state huge.json $json
    has err "huge.json:1: the bias is not finite at this state"
    lacks_in_any_case out nan
    expect 1 "$BRISTLE" dynamics free.yaml --state zero.json $json
    has err "zero.json:1: qpos[3] to qpos[6], the quaternion of joint bob.free"
done
awk 'BEGIN {
    print "format: 1\nbodies:"
    for (k = 0; k < 1000; k++) print "  b" k ": {mass: 1, inertia: [1, 1, 1]}"
}' >many.yaml
expect 1 "$BRISTLE" dynamics many.yaml --json
has err "the model has 6000 velocities, and a mass matrix is printed up to 5000"

# Pipes beside a model are not waited for; names of columns steer no terminal.
mkfifo pipe.csv pipe_b
printf 'format: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {revolute: [world, b], axis: z}}\n' >one.yaml
{ cat one.yaml; printf 'drives: {m: {joint: j, torque: 0}}\ncontrols: pipe.csv\n'; } >pipe.yaml
expect 1 timeout 20 "$BRISTLE" check pipe.yaml
has err "pipe.yaml:5:11: 'pipe.csv' is a pipe, device or folder, expected a file"
printf '<mujoco><asset><model name="b" file="pipe_b"/></asset><worldbody><attach model="b" prefix="p"/></worldbody></mujoco>' >pipe.xml
expect 1 timeout 20 "$BRISTLE" check pipe.xml
has err "pipe.xml:1:16: <model> file 'pipe_b': it is a pipe, device or folder, expected a file"
printf 't,j.position,\033[31mx\n0,1,1\n1,2,2\n2,3,3\n' >escape.csv
"$BRISTLE" validate one.yaml escape.csv >out 2>err || true
has out "columns that are not used: ?[31mx"
