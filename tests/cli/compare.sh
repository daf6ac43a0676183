#!/bin/sh
# bristle compare as a person runs it: the wheel's table, against the reference stepper and against the cone at 10 kHz.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

wheel=$BRISTLE_SOURCE/scenes/papers/peiret_wheel.yaml

# number LAW KEY: of the JSON list in out, whose objects hold no other objects before the key.
number() {
    tr '{' '\n' <out | grep "\"law\": \"$1\"" | head -n 1 | sed "s/.*\"$2\": \([^,}]*\).*/\1/"
}
between() { # between LOW VALUE HIGH
    awk -v a="$1" -v x="$2" -v b="$3" 'BEGIN { exit !(x != "" && x != "null" && a <= x + 0 && x + 0 <= b) }' ||
        { echo "$2 is not between $1 and $3"; exit 1; }
}

# The text: every law, the paper's figures beside ours, the bias of box and polygon, the remark about exchanged figures.
expect 0 "$BRISTLE" compare "$wheel" --plots figures --csv table.csv --series series.csv
for word in "against     reference stepper" "bristle " "cone " "box " "polygon:4 " "cone, 0.1 ms" "  peiret2016" \
    "bias        box prefers" "bias        polygon:4 prefers" "look exchanged" "plots       figures/force.svg"; do
    has out "$word"
done
test ! -s err
for figure in force position_error energy_error misalignment; do
    has "figures/$figure.svg" "</svg>"
    has "figures/$figure.svg" "polygon:4"
    lacks "figures/$figure.svg" nan
done
test "$(wc -l <table.csv)" -eq 7
head -n 1 table.csv | grep -q '^law,stepper,step,seconds_per_step,force_deviation,misalignment_deg,position_error,'
test "$(wc -l <series.csv)" -eq 5002
head -n 1 series.csv | grep -q '^t,bristle.force_ratio,bristle.position_error,'
lacks series.csv nan

# The guide shows this table, apart from the times in its last column.
awk '/^```$/ { inside = !inside; next } inside && /^model / { show = 1 } !inside { show = 0 } show' \
    "$BRISTLE_SOURCE/docs/guide/compare.md" | grep -v '^plots\|^  *figures' | cut -c 1-92 | sed 's/ *$//' >shown
(cd "$BRISTLE_SOURCE" && "$BRISTLE" compare scenes/papers/peiret_wheel.yaml) |
    grep -v '^next' | cut -c 1-92 | sed 's/ *$//' >now
test -s shown
diff -u shown now || { echo "docs/guide/compare.md shows something else"; exit 1; }

# JSON: the tolerances of the independent program. Deviations are percentage points against the cone at 10 kHz.
expect 0 "$BRISTLE" compare "$wheel" --json --at 2
test "$(wc -l <out)" -eq 1
for law in bristle cone box polygon:4 coulomb reference; do has out "\"law\": \"$law\""; done
between 0 "$(number bristle force_deviation_coulomb)" 4.9
between 0 "$(number polygon:4 force_deviation_coulomb)" 5.6
between 9 "$(number box force_deviation_coulomb)" 10.6
between 0 "$(number bristle force_deviation_sliding_coulomb)" 0.05
between 0 "$(number bristle misalignment_deg)" 1.4
between 12.4 "$(number polygon:4 misalignment_deg)" 13.1
between 13.9 "$(number box misalignment_deg)" 14.15
between 0 "$(number bristle position_error)" 0.2
between 2.85 "$(number box position_error)" 3
between 2.85 "$(number polygon:4 position_error)" 3
between 0 "$(number bristle energy_error_sliding)" 0.06
between 2.00682266 "$(number reference stop_time)" 2.00682286
between 2.002 "$(number cone stop_time)" 2.008
has out '"printed": {"force_deviation": 9.6'
has out '"stepper": "reference"'

# The paper's own scheme gives the paper's own figures, whose pair for polygon and box is exchanged.
expect 0 "$BRISTLE" compare "$wheel" --json --set contact.paper=true
between 1.56 "$(number bristle force_deviation_coulomb)" 1.96
between 3.55 "$(number polygon:4 force_deviation_coulomb)" 3.95
between 9.58 "$(number box force_deviation_coulomb)" 9.78
between 0.6 "$(number bristle misalignment_deg)" 0.8
has out '"printed": {"force_deviation": 1.6'

# Errors of cone and bristle halve with the step; those of the box are its own.
expect 0 "$BRISTLE" compare "$wheel" --laws bristle,cone,box --steps 1ms,0.5ms --until 1.99
for law in bristle cone; do
    between 1.85 "$(sed -n "s/^steps  *$law: .*ratio //p" out)" 2.15
done
between 0.9 "$(sed -n 's/^steps  *box: .*ratio //p' out)" 1.1

# A changed model has no printed figures; another reference; a law that creeps.
expect 0 "$BRISTLE" compare "$wheel" --set mu=0.4 --laws cone --until 0.1
has out "the paper's figures are left out"
lacks out "  peiret2016"
expect 0 "$BRISTLE" compare "$BRISTLE_SOURCE/scenes/papers/peiret_box.yaml" --laws bristle,cone,viscous:0.01 \
    --against cone@1ms --until 1 --json
between 0 "$(number cone creep)" 1e-9
between 0.0040 "$(number viscous:0.01 creep)" 0.0042
has out '"against": "cone, 1 ms"'

# What is wrong is said before anything runs.
# Nothing touches: no table of rows that are all the same, but how the laws of joints are compared. It works as it is told.
door="$BRISTLE_SOURCE/scenes/templates/door.yaml"
expect 1 "$BRISTLE" compare "$door"
has err "the laws of contacts make no difference"
has err "next: bristle run $door --set joints.hinge.friction.law=lugre -o lugre.result"
for law in coulomb lugre dahl; do
    expect 0 "$BRISTLE" run "$door" --until 0.1 --quiet --set joints.hinge.friction.law=$law -o $law.result
done
expect 0 "$BRISTLE" compare coulomb.result lugre.result dahl.result
has out "against     coulomb.result"
# Shapes that never meet are no contacts either; steps can still be compared.
expect 0 "$BRISTLE" compare "$door" --steps 1ms,0.5ms --until 0.01 --against cone@0.5ms
expect 1 "$BRISTLE" compare "$wheel" --laws cone,sphere
has err "sphere"
expect 1 "$BRISTLE" compare "$wheel" --laws polygon:5
has err "polygon"
expect 1 "$BRISTLE" compare "$wheel" --laws cone,,box
has err "single commas"
expect 1 "$BRISTLE" compare "$wheel" --steps 1ms,0.3ms
has err "does not divide"
expect 1 "$BRISTLE" compare "$wheel" --steps fast
has err "is no time"
expect 1 "$BRISTLE" compare "$wheel" --against cone
has err "LAW@STEP"
expect 1 "$BRISTLE" compare "$wheel" --lws cone
has err "did you mean --laws?"
expect 1 "$BRISTLE" compare
has err "expected a model file"
expect 1 "$BRISTLE" compare missing.yaml --json
has out '"status": "error"'
cp "$wheel" mine.yaml
expect 1 "$BRISTLE" compare mine.yaml --csv mine.yaml
cmp mine.yaml "$wheel"

# Sliding ends where everything sticks, 0.3018 s by hand, not where it turns round, 0.0831 s.
table=$BRISTLE_SOURCE/tests/data/user_models/shaken_table.yaml
expect 0 "$BRISTLE" compare "$table" --laws cone --until 0.4
has out "position error at 0.30176"
