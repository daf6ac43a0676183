#!/bin/sh
# bristle compare of results: the same, other steps, other rows, parts, and what cannot be compared.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

model=$BRISTLE_SOURCE/scenes/templates/pendulum.yaml

"$BRISTLE" run "$model" --quiet --until 1 -o a.result --set solver.step=2ms --set run.output=2ms
"$BRISTLE" run "$model" --quiet --until 1 -o b.result --set solver.step=1ms --set run.output=5ms
"$BRISTLE" run "$model" --quiet --until 0.5 -o short.result --set solver.step=2ms --set run.output=2ms
"$BRISTLE" export a.result -o a.h5 >/dev/null
"$BRISTLE" export a.result -o a.csv --channels 'energy.*' >/dev/null

# The same motion in three wrappings.
expect 0 "$BRISTLE" compare a.result a.h5 a.csv
has out "result      a.h5"
has out "result      a.csv"
grep -q 'rows        501 from t = 0 to 1 s$' out
grep -q 'only in a.result' out

# Half as long: only common times. Another step: rows between rows, a difference that is there and small.
expect 0 "$BRISTLE" compare a.result short.result --json
grep -q '"rows": 251,' out
grep -q '"same": ' out
expect 0 "$BRISTLE" compare a.result b.result --channels 'energy.*,middle.position,middle.velocity' --csv table.csv
has out "between two rows of b.result"
has out "of range"
head -n 1 table.csv | grep -q '^result,channel,unit,largest,t,rms,range,relative$'
# All of it small: a millisecond less changes the swing of a second by far less than 5 %. Sorted by the difference over the
# largest number of the unit, so that those of one unit come by their size, whatever the range of the channel is.
awk -F, 'NR > 1 { if ($8 > 0.05 || ($3 != "" && $3 in last && $4 + 0 > last[$3])) bad = 1; last[$3] = $4 + 0 }
         END { exit bad || NR < 4 }' table.csv
# A channel that is rounding, with all of its range, comes behind what differs.
cat >flat.yaml <<'Y'
format: 1
name: flat
params: {push: 1 N, noise: 1e-8 N}
bodies: {sled: {mass: 1 kg, inertia: [1, 1, 1]}}
joints: {guide: {planar: [world, sled], axis: z}}
loads: {push: {body: sled, force: [$push, $noise*sin(30*t), 0]}}
solver: {stepper: contact, step: 1 ms}
run: {until: 0.2 s, output: 10 ms}
Y
"$BRISTLE" run flat.yaml -o one.result --quiet
"$BRISTLE" run flat.yaml -o two.result --quiet --set "push=1.01 N" --set "noise=-1e-8 N"
expect 0 "$BRISTLE" compare one.result two.result --channels 'sled.position.*' --csv flat.csv
test "$(sed -n 2p flat.csv | cut -d, -f2)" = sled.position.x
awk -F, '$2 == "sled.position.x" { x = $8 } $2 == "sled.position.y" { y = $8 } END { exit !(x > 0 && y > 10 * x) }' flat.csv

# What cannot be compared.
expect 1 "$BRISTLE" compare a.result
has err "one alone cannot be compared"
expect 1 "$BRISTLE" compare a.result "$model"
has err "give one model to compare friction laws, or two and more results"
expect 1 "$BRISTLE" compare a.result none.result
has err "none.result"
expect 1 "$BRISTLE" compare a.result b.result --channels nothing
has err "--channels"
expect 1 "$BRISTLE" compare a.result b.result --csv b.result
has err "is one of the results"
expect 1 "$BRISTLE" compare a.result b.result --laws cone
has err "there is no option --laws"
expect 1 "$BRISTLE" compare a.result b.result --report
has err "next: bristle report a.result b.result"
