#!/bin/sh
# solver.friction_loads: fixed_point, the iteration that Wojtyra's section 2.1 speaks of: Newton's motion where it converges, and an
# error that says by how much a pass multiplies the change where it does not (12 mu/5 in his mechanism).
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

papers=$BRISTLE_SOURCE/scenes/papers
shown=slide_1.friction.force,slide_1.normal,slide_2.friction.force,slide_2.normal,slide_1.velocity

# His examples: the same forces, those that slide and those that stick.
for example in 3 4 5; do
    for way in newton fixed_point; do
        expect 0 "$BRISTLE" run "$papers/wojtyra_example_$example.yaml" --no-result --no-trust --quiet --set solver.stepper=contact \
            --set solver.friction_loads=$way --csv $way.csv --channels "$shown"
    done
    paste -d, newton.csv fixed_point.csv | awk -F, '
        NR > 1 { half = NF / 2
            for (k = 2; k <= half; k++) { d = $k - $(half + k); if (d < 0) d = -d; if (d > most) most = d } }
        END { printf "%d rows, off by %g\n", NR - 1, most; exit !(NR == 4002 && most <= 2e-5) }' ||
        fail "example $example: the forces are not Newton's"
done

# Slider 2 holds whatever comes, slider 1 is at its limit: N_1 grows with F_1 by 12/5.
hold() {
    mu=$1; shift
    expect "$1" "$BRISTLE" run "$papers/wojtyra_example_2.yaml" --no-result --no-trust --quiet --set solver.stepper=contact \
        --set joints.slide_1.friction.mu_static="$mu" --set joints.slide_1.friction.compliance=2e-9 \
        --set joints.slide_2.friction.compliance=1e-13 --set joints.slide_2.friction.mu_static=2 --set solver.friction_loads="$2"
}
hold 0.3 0 fixed_point
hold 0.45 0 newton
hold 0.45 2 fixed_point
has err friction-diverges
has err "the load of joint 'slide_1'"
has err "multiplies the change by 1.08"
has err "use solver.friction_loads: newton"
hold 0.5 2 fixed_point
has err "multiplies the change by 1.2"
expect 0 "$BRISTLE" explain friction-diverges
has out "mu dN/df > 1"

# Where it is about nothing it is refused.
expect 1 "$BRISTLE" run "$papers/wojtyra_example_2.yaml" --no-result --set solver.friction_loads=fixed_point
has err "stepper is another"
expect 1 "$BRISTLE" run "$papers/peiret_wheel.yaml" --no-result --set solver.friction_loads=fixed_point
has err "no joint of this model has friction"
expect 1 "$BRISTLE" run "$papers/wojtyra_example_2.yaml" --no-result --set solver.friction_loads=fixed
has err "fixed_point"
