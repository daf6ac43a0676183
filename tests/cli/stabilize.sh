#!/bin/sh
# The two stabilizations of Tan, Siu and Liu, section 5, as options of a run and of solve: the first changes forces in proportion to
# epsilon and lets contacts creep, the second changes the multipliers alone.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

papers=$BRISTLE_SOURCE/scenes/papers
wheel=$papers/peiret_wheel.yaml
systems=$papers/tan_liu_systems.yaml
box=$papers/peiret_box.yaml

# E and mu times h: the wheel's motion stays, each step by Lemke's method.
motion=wheel.position.x,wheel.position.y,wheel.position.z,wheel.velocity.x,wheel.velocity.y,wheel.angular_velocity.x,solver.method
for scale in false true; do
    expect 0 "$BRISTLE" run "$wheel" --until 2.5 --no-result --no-trust --quiet --set "contact.law=polygon(4)" \
        --set solver.method=lemke --set solver.lcp_scale=$scale --csv scale_$scale.csv --channels "$motion"
done
paste -d, scale_false.csv scale_true.csv | awk -F, '
    NR > 1 { half = NF / 2
        for (k = 1; k < half; k++) { d = $k - $(half + k); if (d < 0) d = -d; if (d > most) most = d }
        if (NR > 2 && $NF != 4) other++ }
    END { printf "scale: off by %g, %d steps by another method\n", most, other
          exit !(NR == 2502 && most <= 1e-9 && other == 0) }' || fail "lcp_scale moves the wheel"

# (1 + epsilon) on the diagonal: the change of velocities of a step is epsilon times something of their own size.
step() {
    expect 0 "$BRISTLE" run "$systems" --until 0.001 --no-result --no-trust --quiet --set solver.method=lemke --set solver.tol=1e-13 \
        --set solver.lcp_epsilon="$1" --csv step.csv --channels dumbbell.velocity.x,dumbbell.velocity.y,dumbbell.velocity.z,plate.velocity.z
    tail -n 1 step.csv | cut -d, -f2-
}
{ step 0; step 1e-6; step 1e-3; } | awk -F, '
    { for (k = 1; k <= 4; k++) v[NR, k] = $k }
    END { for (k = 1; k <= 4; k++) { small = v[2, k] - v[1, k]; large = v[3, k] - v[1, k]
              printf "epsilon: %g and %g\n", small, large
              if (!(large / small > 990 && large / small < 1010)) bad = 1 }
          d = v[3, 1] - v[1, 1]; exit bad || !(d * d > 1e-12 && d * d < 1e-10) }' || fail "lcp_epsilon is not in proportion"

# A box that sticks creeps: epsilon h f/m for each of its four feet that carry a quarter of 2 N, through their own mobility.
for law in cone "polygon(4)" bristle box; do
    expect 0 "$BRISTLE" run "$box" --until 0.2 --no-result --no-trust --set contact.law="$law" --set solver.lcp_epsilon=1e-3 \
        --set pairs.wood/floor.bristle.stiffness=inf --csv box.csv
    has out "creep in stick 1.55e-06 m/s"
    tail -n 1 box.csv | awk -F, '{ exit !($4 > 1.0960e-6 && $4 < 1.0961e-6) }' || fail "$law: creep"
done
expect 0 "$BRISTLE" run "$box" --until 0.2 --no-result --no-trust --set contact.law=cone
has out "creep in stick 0 m/s"

# The same on a file: epsilon is the document's, the scale is taken back, and what it costs is said.
expect 0 "$BRISTLE" run "$systems" --until 0.001 --no-result --quiet --dump-lcp 1
expect 0 "$BRISTLE" solve tan_liu_systems.step1.cp --solver lemke --tol 1e-12 -o plain.txt
lacks out "as given"
expect 0 "$BRISTLE" solve tan_liu_systems.step1.cp --solver lemke --tol 1e-12 --lemke-scale 0.001 -o scaled.txt
paste plain.txt scaled.txt | awk '{ d = $1 - $3; if (d < 0) d = -d; if (d > most) most = d } END { exit !(NR == 40 && most < 1e-12) }' ||
    fail "--lemke-scale changes the answer"
for epsilon in 1e-6 1e-3; do
    expect 0 "$BRISTLE" solve tan_liu_systems.step1.cp --tol 1e-12 --epsilon $epsilon -o with_$epsilon.txt
    has out "as given    1.2"
done
paste plain.txt with_1e-6.txt with_1e-3.txt | awk '
    NR <= 2 { ratio = ($5 - $1) / ($3 - $1); if (!(ratio > 990 && ratio < 1010)) bad = 1
              part = ($5 - $1) / $1; if (part > 0) part = -part; if (!(part < -5e-4 && part > -5e-3)) bad = 1 }
    END { exit bad }' || fail "--epsilon is not in proportion"
expect 0 "$BRISTLE" solve tan_liu_systems.step1.cp --epsilon 1e-3 --json
has out '"epsilon": 0.001'
has out '"residual_as_given": 1.2'

# What has no such thing is refused by name.
refused() {
    file=$1; word=$2; shift 2
    expect 1 "$BRISTLE" run "$file" --no-result "$@"
    has err "$word"
    has err run-method
}
refused "$wheel" "method is auto: use method: lemke" --set solver.lcp_scale=true --set "contact.law=polygon(4)"
refused "$wheel" "the problem has neither" --set solver.lcp_scale=true --set solver.method=lemke --set contact.bounds=lagged
refused "$wheel" "the reference stepper has none" --set solver.lcp_epsilon=1e-3 --set solver.stepper=reference
refused "$papers/wojtyra_example_1.yaml" "nothing in this model can touch" --set solver.lcp_epsilon=1e-3 --set solver.stepper=contact
expect 1 "$BRISTLE" run "$wheel" --no-result --set solver.lcp_epsilon=-1
has err "expected 0 to 1"
expect 1 "$BRISTLE" solve tan_liu_systems.step1.cp --lemke-scale 0.001
has err "an option of --solver lemke"
expect 1 "$BRISTLE" solve "$BRISTLE_SOURCE/tests/data/complementarity/GFC3D_Example0.cp" --epsilon 1e-6
has err solve-epsilon
