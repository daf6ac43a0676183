#!/bin/sh
# What is printed, written for spreadsheets or shown to others: no orders to the terminal, no formulas, no folders of this machine, no
# word that a shell would run.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

model() { # model NAME BODY
    printf 'format: 1\nname: "%s"\nbodies: {"%s": {mass: 1, inertia: [1, 1, 1]}}\n' "$1" "$2"
    printf 'solver: {stepper: contact, step: 1 ms}\nrun: {until: 10 ms, output: 1 ms}\n'
}
esc=$(printf '\033')

# Control characters in names are refused, and not printed while doing so.
model 'a\e[31mred' b >escape.yaml
expect 1 "$BRISTLE" check escape.yaml
has err "the name 'a?[31mred' of the model has a control character in it"
model plain 'b\e[31m' >escape.yaml
expect 1 "$BRISTLE" check escape.yaml
lacks err "$esc"

model plain ball >plain.yaml
expect 0 "$BRISTLE" run plain.yaml

# Channels that a spreadsheet would take for formulas; read back they have their names.
model plain '=1+1' >formula.yaml
expect 0 "$BRISTLE" run formula.yaml --csv formula.csv --channels =1+1.position.x -o formula.result
test "$(head -n 1 formula.csv)" = "t,'=1+1.position.x" || fail "$(head -n 1 formula.csv)"
expect 0 "$BRISTLE" export formula.csv -o again.csv
cmp formula.csv again.csv

# Names in `next:` lines are quoted for a shell.
cp plain.yaml 'a b;c.yaml'
expect 1 "$BRISTLE" 'a b;c.yaml'
has err "next: bristle check 'a b;c.yaml'"

# A page shows no folders of this machine.
echo '<html><!--bristle-data--></html>' >template.html
expect 0 "$BRISTLE" run "$PWD/plain.yaml" -o "$PWD/plain.result"
expect 0 "$BRISTLE" report "$PWD/plain.result" --template template.html -o page.html
has page.html '"path": "plain.yaml"'
lacks page.html "$PWD"

# export of a run that was stopped says so.
sed 's/until: 10 ms/until: 10000000 s/' plain.yaml >long.yaml
"$BRISTLE" run long.yaml -o long.result --quiet 2>/dev/null &
run=$!
for try in $(seq 200); do
    if test -e long.result; then break; fi
    sleep 0.1
done
kill -TERM $run
wait $run || true
expect 1 "$BRISTLE" export long.result -o long.csv --strict
has out "the run was interrupted"
expect 0 "$BRISTLE" export long.result -o long.h5
expect 0 "$BRISTLE" export plain.result -o plain.csv --strict
lacks out "ends early"

# A mass below zero in MJCF.
cat >negative.xml <<'X'
<mujoco><worldbody><body><joint type="free"/><inertial pos="0 0 0" mass="-1" diaginertia="1 1 1"/></body></worldbody></mujoco>
X
expect 1 "$BRISTLE" check negative.xml
has err "<inertial> mass is -1, expected >= 0"
