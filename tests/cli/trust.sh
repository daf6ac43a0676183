#!/bin/sh
# bristle trust as a person uses it, and what run and check say of friction that holds.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

scenes="$BRISTLE_SOURCE/scenes/papers"

# The instant of Example 1: metastable, two friction forces that are not unique, bounds, c*.
expect 0 "$BRISTLE" trust "$scenes/wojtyra_example_1.yaml" --at 0
for word in "quasi-static" "sticks_metastable" "nullity 1" "slide_1" "14.73684" "23.44828" "-12.63158" "8.275862" \
    "0.915534" "0.930233" "not unique  " "settle      " "credible    yes"; do has out "$word"; done
test ! -s err

# JSON: a list on one line with the promised keys; numbers to the last digit.
expect 0 "$BRISTLE" trust "$scenes/wojtyra_example_1.yaml" --at 0 --json
test "$(wc -l <out)" -eq 1
head -c 1 out | grep -q '\['
for key in from to at verdict nullity permanent_nullity freedom exhaustive joints unique friction_min friction_max coherent_min \
    coherent_max force normal c_star c_star_coherent sensitivity settle not_unique; do
    has out "\"$key\": "
done
has out '"slide_1": {"unique": false, "friction_min": 14.7368421052'
lacks out nan
lacks out inf

# The loads of Example 2 on the mechanism at rest: four intervals.
expect 0 "$BRISTLE" trust "$scenes/wojtyra_example_2.yaml" --at-rest --no-sensitivity --json
tr '{' '\n' <out | grep '^"from"' >intervals
test "$(wc -l <intervals)" -eq 4
awk -F'[:,]' '
    function near(a, b) { return (a - b) ^ 2 < 1e-10 }
    NR == 1 && near($2, 0) && near($4, 39 / 56) && /sticks_robust/ { n++ }
    NR == 2 && near($4, 1 + 127 / 150) && /sticks_metastable/ { n++ }
    NR == 3 && near($4, 2.575) && /undetermined/ { n++ }
    NR == 4 && near($4, 4) && /sticks_metastable/ { n++ }
    END { exit n != 4 }' intervals || { echo "the verdicts changed:"; cat intervals; exit 1; }
expect 3 "$BRISTLE" trust "$scenes/wojtyra_example_2.yaml" --at-rest --no-sensitivity --strict --sample 0.1
has out "credible    no"
expect 0 "$BRISTLE" trust "$scenes/wojtyra_example_2.yaml" --at-rest --at 2.2 --json
has out '"verdict": "undetermined"'
expect 0 "$BRISTLE" trust "$scenes/wojtyra_example_2.yaml" --until 0.5 --json --sample 0.05
has out '"to": 0.5'

# Secondary parameters: where the verdict flips.
expect 0 "$BRISTLE" trust "$scenes/wojtyra_example_3.yaml"
has out "slide_1.v_slope: sticking and sliding change places at 1.81"
expect 0 "$BRISTLE" trust "$scenes/wojtyra_example_3.yaml" --json --sample 0.05
has out '"parameter": "slide_1.v_slope"'

# A run says it in a line, keeps it beside its result, and with --strict is not fine.
expect 0 "$BRISTLE" run "$scenes/wojtyra_example_3.yaml"
has out "trust       slide_1 and slide_2: sticks_robust 0..0.6964 s, sticks_metastable 0.6964..1.847 s, undetermined"
has out "NOT CREDIBLE: slide_1 and slide_2: rest and sliding both obey the law of friction, 1.847 to 2.575 s"
has out "creep       9.5"
has out "wojtyra_example_3.trust.json"
has wojtyra_example_3.trust.json '"verdict": "undetermined"'
expect 3 "$BRISTLE" run "$scenes/wojtyra_example_3.yaml" --strict --no-result --until 2
expect 0 "$BRISTLE" run "$scenes/wojtyra_example_3.yaml" --strict --no-result --until 0.5
expect 0 "$BRISTLE" run "$scenes/wojtyra_example_3.yaml" --json --until 2 -o kept
has out '"credible": false'
has out '"trust_file": "kept.trust.json"'
has out '"trust": [{"from": 0'
test -s kept.trust.json

# The result carries its model; verdicts on an older run do not stay beside a new one.
expect 0 "$BRISTLE" trust kept --no-sensitivity --sample 0.1
has out "undetermined"
expect 0 "$BRISTLE" run "$scenes/wojtyra_example_3.yaml" --until 0.01 -o kept --no-trust
test ! -e kept.trust.json
lacks out "trust  "
expect 0 "$BRISTLE" run "$scenes/wojtyra_example_3.yaml" --until 0.01 --no-result --no-trust --json
has out '"trust": null'

# The command it names is about the same run: the result knows what --set changed; without one, the command has it.
expect 0 "$BRISTLE" run "$scenes/wojtyra_example_3.yaml" --until 0.01 --set "solver.step=2 ms" -o "with blank"
has out "more: bristle trust 'with blank'"
expect 0 "$BRISTLE" run "$scenes/wojtyra_example_3.yaml" --until 0.01 --set "solver.step=2 ms" --no-result
has out "wojtyra_example_3.yaml --set 'solver.step=2 ms' --until 0.01"

# Contacts alone are judged when that is asked for; that they were not is said where they rub, and only there.
cat >crate.yaml <<'Y'
format: 1
name: crate
params: {mu: 0.5}
materials: {wood: {}}
pairs: {wood/wood: {mu: $mu}}
bodies:
  crate: {mass: 3 kg, inertia: [0.1, 0.1, 0.1], pose: {position: [0, 0, 50 mm]},
          shapes: [{box: {size: [0.3, 0.2, 0.1]}, material: wood}]}
ground: [{plane: {}, material: wood}]
solver: {stepper: contact, step: 1 ms}
run: {until: 10 ms}
Y
expect 0 "$BRISTLE" run crate.yaml
has out "trust       not judged (contacts alone): bristle trust crate.result"
expect 0 "$BRISTLE" trust crate.result
has out "sticks_"
expect 0 "$BRISTLE" run crate.yaml --trust
lacks out "not judged"
expect 0 "$BRISTLE" run crate.yaml --no-trust
lacks out "not judged"
sed 's/^  crate: /  first: /; s/^ground/  second: {mass: 3 kg, inertia: [0.1, 0.1, 0.1], pose: {position: [1, 0, 50 mm]}, shapes: [{box: {size: [0.3, 0.2, 0.1]}, material: wood}]}\nground/' \
    crate.yaml >crates.yaml
expect 0 "$BRISTLE" run crates.yaml -o crates.result
has out "trust       not judged (contacts alone, and so many may take minutes): bristle trust crates.result"
expect 0 "$BRISTLE" run crate.yaml --set mu=0
lacks out "not judged"

# check: what rubs, and what is open while it holds.
expect 0 "$BRISTLE" check "$scenes/wojtyra_example_2.yaml"
has out "friction    slide_1"
has out "while all friction holds: 0 degrees of freedom, and 1 combination of forces is open"
has out "bristle trust "
expect 0 "$BRISTLE" check "$scenes/wojtyra_example_5.yaml" --json
has out '"held": {"degrees_of_freedom": 1, "nullity": 0'

# A model without friction has nothing to judge, and a run of it says nothing.
cat >pendulum.yaml <<'Y'
format: 1
name: swing
bodies:
  bob: {mass: 2 kg, inertia: [0.01, 0.01, 0.01], pose: {position: [1, 0, 0]}}
joints:
  pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}
run: {until: 0.1 s}
Y
expect 0 "$BRISTLE" trust pendulum.yaml
has out "moves"
expect 0 "$BRISTLE" run pendulum.yaml
lacks out "trust  "
test ! -e swing.trust.json

# Faults of usage.
expect 1 "$BRISTLE" trust
has err "expected a model file"
expect 1 "$BRISTLE" trust pendulum.yaml --at 1 --until 2
has err "one instant"
expect 1 "$BRISTLE" trust pendulum.yaml --sample 0
has err "expected a number > 0"
expect 1 "$BRISTLE" trust pendulum.yaml --att 1
has err "did you mean --at"
expect 1 "$BRISTLE" run pendulum.yaml --strict --no-trust
has err "--no-trust leaves out the verdicts"
expect 1 "$BRISTLE" trust none.yaml --json
has out '"status": "error"'
expect 1 "$BRISTLE" run pendulum.yaml -o x --csv x.trust.json
has err "the verdicts beside the result would go to the file of --csv"
expect 0 "$BRISTLE" trust --help
has out "bristle trust MODEL"

# A door that lies on its stop: the stop only pushes, and friction beside it stays within its limits. Two changes of verdict between
# two looks of `run` are both found. Rolling is no stiction.
"$BRISTLE" new door -o stop.yaml >/dev/null
"$BRISTLE" trust stop.yaml --set "push=50 N" --no-sensitivity --json >stop.json
! grep -q '"exhaustive": false' stop.json || { echo "a hinge and a stop were not searched to the end"; exit 1; }
! grep -qE '"verdict": "(undetermined|slides_certain)"' stop.json || { echo "a door that lies on its stop does not slide"; exit 1; }
"$BRISTLE" run stop.yaml --set "push=20 N" --no-result --trust >stop.txt
grep -q 'sticks_metastable 0\.1[12][0-9]*\.\.0\.1[78]' stop.txt || { echo "a verdict between two looks was missed"; cat stop.txt; exit 1; }
"$BRISTLE" trust "$BRISTLE_SOURCE/scenes/papers/peiret_wheel.yaml" --no-sensitivity --json >roll.json
test "$(grep -c '"verdict"' roll.json)" -eq 1 && grep -q '"verdict": "moves"' roll.json || { echo "a wheel that rolls is said to rest"; exit 1; }
