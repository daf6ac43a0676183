#!/bin/sh
# A slider-crank that reverses many times and stops by its friction: the verdicts of a run are the same under the contact stepper at its
# defaults and under the reference stepper, and none of them is wrong: it moves, then it sticks, and all of that is credible.
# COEFFICIENTS: others than the few of every day.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

# The verdicts in their order, each once. At a reversal within a step some joint may rest for a moment while the others slide for certain.
verdicts() {
    grep -o '"to": [^,]*, "at": [^,]*, "verdict": "[a-z_]*"' "$1" |
        sed 's/.*"verdict": "\([a-z_]*\)"/\1/; s/slides_certain/moves/' | uniq | tr '\n' ' '
}
# When it comes to rest, in whole ms: the end of the last interval but one.
stopped() {
    grep -o '"from": [^,]*, "to"' "$1" | tail -1 | sed 's/"from": \([^,]*\),.*/\1/' | awk '{printf "%d", 1000 * $1}'
}
cat >crank.yaml <<'MODEL'
format: 1
name: crank
planar: xy
gravity: [0, 0, 0]
params: {a: 50 mm, l: 100 mm, mu: 0.1, phi: 8 deg, psi: "asin($a/$l*sin($phi))", x: "$a*cos($phi) + $l*cos($psi)"}
bodies:
  crank: {mass: 1, inertia: {slender: {length: $a, axis: x}}, pose: {position: [0.5*$a*cos($phi), 0.5*$a*sin($phi), 0], euler_xyz: [0, 0, $phi]}}
  rod: {mass: 1, inertia: {slender: {length: $l, axis: x}}, pose: {position: [$a*cos($phi) + 0.5*$l*cos($psi), 0.5*$a*sin($phi), 0], euler_xyz: [0, 0, -$psi]}}
  ram: {mass: 1, inertia: {box: {size: [50 mm, 50 mm, 50 mm]}}, pose: {position: [$x, 0, 0]}}
joints:
  main: {revolute: [world, crank], at: [0, 0, 0], axis: z, friction: {law: coulomb, mu: $mu, pin_radius: 6 mm}}
  big: {revolute: [crank, rod], at: [$a*cos($phi), $a*sin($phi), 0], axis: z, friction: {law: coulomb, mu: $mu, pin_radius: 6 mm}}
  small: {revolute: [rod, ram], at: [$x, 0, 0], axis: z, friction: {law: coulomb, mu: $mu, pin_radius: 6 mm}}
  guide: {prismatic: [world, ram], at: [$x, 0, 0], axis: x, friction: {law: coulomb, mu: $mu}}
loads: {press: {body: ram, force: [{table: [[0, 0], [0.5, -2000]]}, 0, 0]}}
solver: {stepper: contact}
run: {until: 1}
MODEL

for mu in ${COEFFICIENTS:-0 0.05 0.1 0.3}; do
    for stepper in reference contact; do
        "$BRISTLE" run crank.yaml --set mu="$mu" --set solver.stepper=$stepper --no-trust --quiet -o $stepper.result ||
            fail "mu $mu, $stepper: the run fails"
        "$BRISTLE" trust $stepper.result --json >$stepper.json || fail "mu $mu, $stepper: trust fails"
        if grep -q '"credible": false' $stepper.json; then
            fail "mu $mu, $stepper: $(grep -o '"text": "[^"]*"' $stepper.json | head -1)"
        fi
    done
    test "$(verdicts reference.json)" = "$(verdicts contact.json)" ||
        fail "mu $mu: reference $(verdicts reference.json), contact $(verdicts contact.json)"
    case "$(verdicts contact.json)" in
    *"moves sticks_robust ")
        apart=$(($(stopped contact.json) - $(stopped reference.json)))
        test "${apart#-}" -le 5 || fail "mu $mu: it stops $apart ms apart"
        ;;
    esac
done
