#!/bin/sh
# bristle run as a person runs it.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

# A result that another model file left under the same name is replaced, and that is said; one's own is replaced silently.
mkdir names
cd names
cp "$BRISTLE_SOURCE/scenes/templates/pendulum.yaml" one.yaml
cp one.yaml two.yaml
expect 0 "$BRISTLE" run one.yaml --until 0.01 --json
has out '"replaced": null'
expect 0 "$BRISTLE" run ./one.yaml --until 0.01
lacks out "replaces"
expect 0 "$BRISTLE" run two.yaml --until 0.01
has out "note        replaces pendulum.result, a result of ./one.yaml"
expect 0 "$BRISTLE" run one.yaml --until 0.01 --json
has out '"replaced": "two.yaml"'
echo "no result" >pendulum.result
expect 0 "$BRISTLE" run one.yaml --until 0.01
lacks out "replaces"
cd ..

cat >pendulum.yaml <<'Y'
format: 1
name: swing
params: {length: 1.0}
bodies:
  bob: {mass: 2 kg, inertia: [0.01, 0.01, 0.01], pose: {position: [$length, 0, 0]}}
joints:
  pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}
solver: {stepper: contact, step: 1 ms, theta: 0.5}
run: {until: 0.35 s, output: 0.1 s}
Y

# Rows at 0, at multiples of the interval, and exactly at the end; columns as asked for, t first.
expect 0 "$BRISTLE" run pendulum.yaml --csv a.csv --channels pin.position,energy.total
for word in "status      complete at t = 0.3" "energy, J" unaccounted "result      swing.result" "csv         a.csv"; do has out "$word"; done
test ! -s err
test -s swing.result
test "$(head -n 1 a.csv)" = "t,pin.position,energy.total"
test "$(wc -l <a.csv)" -eq 6
awk -F, 'NR > 1 { k = NR - 2; t = k < 4 ? k * 0.1 : 0.35; if (($1 - t) ^ 2 > 1e-30) exit 1 }' a.csv
test "$(ls | grep -c tmp)" -eq 0

# The default columns are the motion; the same bits every time; every step without an interval.
expect 0 "$BRISTLE" run pendulum.yaml --csv b.csv --no-result
head -n 1 b.csv | grep -q '^t,'
head -n 1 b.csv | grep -q 'bob.position.x.*pin.velocity'
lacks b.csv nan
expect 0 "$BRISTLE" run pendulum.yaml --csv c.csv --no-result
cmp b.csv c.csv
grep -v output pendulum.yaml >steps.yaml
echo "run: {until: 5 ms}" >>steps.yaml
expect 0 "$BRISTLE" run steps.yaml --csv - --no-result
test "$(wc -l <out)" -eq 7
has err "status      complete"
expect 0 "$BRISTLE" run steps.yaml --csv - --no-result --quiet
test ! -s err

# outputs of the model are the default columns; --until and --set change the run.
{ cat pendulum.yaml; echo 'outputs: [t, bob.position.z]'; } >outputs.yaml
expect 0 "$BRISTLE" run outputs.yaml --csv d.csv --until 0.1 -o other.result --set length=2
test "$(head -n 1 d.csv)" = "t,bob.position.z"
test "$(wc -l <d.csv)" -eq 3
test -s other.result
expect 0 "$BRISTLE" run pendulum.yaml --until 0 --csv e.csv --no-result
test "$(wc -l <e.csv)" -eq 2

# JSON: one line with the ledger.
expect 0 "$BRISTLE" run pendulum.yaml --json --events events.csv
test "$(wc -l <out)" -eq 1
for key in status t steps energy_start energy ledger unaccounted loop_error assembly notes rows result events error; do
    has out "\"$key\": "
done
has out '"status": "complete"'
has out '"rows": 5'
test "$(head -n 1 events.csv)" = "t,kind,name,value"

# What is wrong is said before the run, with exit code 1, and older files stay.
before=$(cksum <swing.result)
expect 1 "$BRISTLE" run pendulum.yaml --csv f.csv --channels pin.positon
has err "pin.position"
expect 1 "$BRISTLE" run pendulum.yaml --channels pin.position
has err "--channels are the columns of --csv"
expect 1 "$BRISTLE" run pendulum.yaml --csv f.csv --channels pin.position,
has err "single commas"
mkdir folder
expect 1 "$BRISTLE" run pendulum.yaml --csv folder
has err "folder: cannot be written"
expect 1 "$BRISTLE" run pendulum.yaml --events no/such/file
has err "no/such/file: cannot be written"
test "$(cksum <swing.result)" = "$before"
expect 1 "$BRISTLE" run pendulum.yaml -o folder
has err "folder: cannot be written"
expect 1 "$BRISTLE" run pendulum.yaml -o pendulum.yaml
has err "the model file itself"
expect 1 "$BRISTLE" run pendulum.yaml -o x --csv x
has err "the same file"
expect 1 "$BRISTLE" run pendulum.yaml -o x --no-result
expect 1 "$BRISTLE" run pendulum.yaml --csv - --json
has out '"status": "error"'
expect 1 "$BRISTLE" run pendulum.yaml --until -1
has err "expected a number >= 0"
expect 1 "$BRISTLE" run pendulum.yaml --set length
has err "expected NAME=VALUE"
expect 1 "$BRISTLE" run pendulum.yaml --set lenght=2
has err "length"
expect 1 "$BRISTLE" run pendulum.yaml --utnil 3
has err "did you mean --until?"
expect 1 "$BRISTLE" run
has err "expected a model file"
expect 1 "$BRISTLE" run none.yaml
has err "none.yaml"
test ! -e f.csv
test ! -e x
test "$(ls | grep -c tmp)" -eq 0

# A killed run leaves its rows; an interrupted one ends in order.
expect 0 "$BRISTLE" run pendulum.yaml --set run.output=0.01 --set run.until=0.02 -o small.result
"$BRISTLE" run pendulum.yaml --until 1e7 -o long.result --csv long.csv >out 2>err &
pid=$!
sleep 2
kill -TERM $pid
code=0
wait $pid || code=$?
test "$code" -eq 2
has err "interrupted at t = "
has out "status      interrupted"
has out "result      long.result"
test -s long.csv
"$BRISTLE" run pendulum.yaml --until 1e7 -o killed.result >out 2>err &
pid=$!
sleep 2
kill -9 $pid
wait $pid || true
test "$(wc -c <killed.result)" -gt "$(wc -c <small.result)"

# What a stepper does not simulate is refused, not left out.
sed 's|at: \[0, 0, 0\]|at: [0, 0, 0], friction: {law: coulomb, mu_static: 0.3, mu_kinetic: 0.2, pin_radius: 0.01}|' pendulum.yaml >rough.yaml
expect 1 "$BRISTLE" run rough.yaml --set solver.stepper=kinematic
has err "joint 'pin' has friction, and the kinematic stepper finds forces from the motion alone"
expect 0 "$BRISTLE" check rough.yaml --set solver.stepper=kinematic
has out "not possible: joint 'pin' has friction"

# A step that fails: exit code 2, the cause, the time of the last good state; the rows before it are kept.
{ cat pendulum.yaml; echo 'drives: {motor: {joint: pin, torque: "sqrt(0.25 - t)"}}'; } >late.yaml
expect 2 "$BRISTLE" run late.yaml --csv late.csv -o late.result
has err "late.yaml: "
has err "the last good state is at t = 0.25 s; 3 rows are kept"
has out "status      failed at t = 0.25 s of 0.35"
test "$(wc -l <late.csv)" -eq 4
lacks late.csv nan
expect 2 "$BRISTLE" run late.yaml --no-result --json
test "$(wc -l <out)" -eq 1
has out '"status": "failed"'
has out '"error": {"status": "numerical"'

# Loops that were open are said to have been closed.
cat >open.yaml <<'Y'
format: 1
name: open
planar: xy
bodies:
  a: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0.5, 0]}}
  b: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [0.5, 1, 0]}}
  c: {mass: 1, inertia: [0.1, 0.1, 0.1], pose: {position: [1, 0.5, 0]}}
joints:
  A: {revolute: [world, a], at: [0, 0, 0]}
  B: {revolute: [a, b], at: [0, 1, 0]}
  C: {revolute: [b, c], at: {b: [0.5, 0, 0], c: [0, 0.55, 0]}}
  D: {revolute: [world, c], at: [1, 0, 0]}
run: {until: 10 ms}
Y
expect 0 "$BRISTLE" run open.yaml --no-result
has out "note        loops were assembled: joint "

for verb in run check dynamics; do
    expect 0 "$BRISTLE" "$verb" --help
    has out "bristle $verb MODEL"
done

# The hash of a run: the same for the same run, another for another; the log parts where the runs do.
expect 0 "$BRISTLE" run pendulum.yaml --no-result --hash --quiet --hash-log one.csv
test "$(wc -c <out)" = 17
cp out one.hash
expect 0 "$BRISTLE" run pendulum.yaml --no-result --hash --quiet --hash-log two.csv
cmp out one.hash
cmp one.csv two.csv
has one.csv "row,t,hash"
test "$(wc -l <one.csv)" = 6
expect 0 "$BRISTLE" run pendulum.yaml --no-result --hash --hash-log two.csv --set length=1.0000000000000002
has out "hash        "
lacks out "$(cat one.hash)"
test "$(cmp one.csv two.csv | grep -c differ)" = 1
expect 0 "$BRISTLE" run pendulum.yaml --no-result --hash --json
has out "\"run_hash\": \"$(cat one.hash)\""
expect 1 "$BRISTLE" run pendulum.yaml --no-result --hash-log pendulum.yaml
expect 1 "$BRISTLE" run pendulum.yaml --no-result --hash-log none/such.csv
has err "cannot be written"
