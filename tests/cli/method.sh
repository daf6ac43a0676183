#!/bin/sh
# solver.method: the methods of the papers solve the steps of a run, say so in each, and move as Newton's method does.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

wheel=$BRISTLE_SOURCE/scenes/papers/peiret_wheel.yaml
motion=wheel.position.x,wheel.position.y,wheel.position.z,wheel.velocity.x,wheel.velocity.y,wheel.rotation.w
motion=$motion,wheel.angular_velocity.x,solver.method

# move NAME METHOD SETTING: NAME.csv of the wheel.
move() {
    expect 0 "$BRISTLE" run "$wheel" --no-result --no-trust --quiet --set "$3" --set solver.method="$2" \
        --csv "$1.csv" --channels "$motion"
}

# agree NAME NUMBER: the motion of NAME.csv is that of newton.csv to 1e-9, each step solved by method NUMBER.
agree() {
    paste -d, newton.csv "$1.csv" | awk -F, -v method="$2" '
        NR > 1 { half = NF / 2
            for (k = 1; k < half; k++) { d = $k - $(half + k); if (d < 0) d = -d; if (d > most) most = d }
            if (NR > 2 && $NF != method) other++ }
        END { printf "%d rows, off by %g, %d steps by another method\n", NR - 1, most, other
              exit !(NR == 5002 && most <= 1e-9 && other == 0) }' || fail "$1 is not the motion of Newton's method"
}

for setting in contact.bounds=lagged contact.paper=true "contact.bounds=iterated(3)"; do
    move newton newton "$setting"
    move pivoting pivoting "$setting"
    agree pivoting 5
    move lemke lemke "$setting"
    agree lemke 4
done
move newton newton "contact.law=polygon(4)"
move lemke lemke "contact.law=polygon(4)"
agree lemke 4

# Polygons lie inside the cone, with their corners on its rim, and Lemke's vertices leave contacts that carry nothing: of these
# friction stays within mu N too.
for law in "polygon(4)" "polygon(8)"; do
    expect 0 "$BRISTLE" run "$BRISTLE_SOURCE/scenes/contact/belt.yaml" --no-result --no-trust --set "contact.law=$law" --set solver.method=lemke
    sed -n 's/.*cone exceeded by \([^,]*\),.*/\1/p' out | awk '{ exit !(NR == 1 && $1 < 1e-11) }' || fail "$law: the cone is exceeded"
done

# A table on four legs leaves friction open, and what no motion takes back must move nothing: every method ends where Newton does.
# (Interior point and Gauss-Seidel once left it 250 m and 19 m away: positions of what sticks were corrected along rounding.)
table=$BRISTLE_SOURCE/scenes/papers/peiret_table.yaml
for setting in contact.bounds=lagged contact.law=bristle contact.law=cone; do
    methods="newton interior gauss_seidel"
    case $setting in *lagged) methods="$methods pivoting lemke" ;; esac
    for method in $methods; do
        expect 0 "$BRISTLE" run "$table" --no-result --no-trust --quiet --set "$setting" --set solver.method=$method \
            --csv $method.csv --channels table.position.x,table.position.y,table.position.z,table.rotation.w
        paste -d, newton.csv $method.csv | awk -F, '
            NR > 1 { for (k = 2; k <= 5; k++) { d = $k - $(5 + k); if (d < 0) d = -d; if (d > most) most = d } }
            END { printf "off by %g\n", most; exit !(NR == 502 && most <= 1e-9) }' || fail "$setting: $method moves the table"
    done
done

expect 0 "$BRISTLE" run "$wheel" --no-result --json --until 0.01 --set contact.paper=true --set solver.method=pivoting
has out '"method": "pivoting"'

# What a method cannot solve is refused by name.
refused() {
    expect 1 "$BRISTLE" run "$1" --no-result --set solver.method="$2" --set "$3"
    has err "method: $2"
    has err "$4"
    has err "run-method"
}
refused "$wheel" pivoting contact.law=cone "contact.law: cone finds them in the step"
refused "$wheel" pivoting contact.law=bristle "contact.law: bristle with bounds: implicit finds them in the step"
refused "$wheel" pivoting "contact.law=polygon(4)" "contact.law: polygon(4) finds them in the step"
refused "$wheel" lemke contact.law=cone "contact.law: cone has round ones"
refused "$wheel" newton solver.stepper=reference "the reference stepper has none"
refused "$BRISTLE_SOURCE/scenes/papers/wojtyra_example_1.yaml" lemke solver.stepper=contact "nothing in this model can touch"

# It is a key like the others: written with the model, part of its hash.
expect 0 "$BRISTLE" convert "$wheel" --set contact.bounds=lagged --set solver.method=pivoting -o with.yaml
has with.yaml "method: pivoting"
expect 0 "$BRISTLE" run with.yaml --no-result --quiet --until 0.01

# Eq. 30 as a file: what bristle solve finds is what the run found.
expect 0 "$BRISTLE" run "$wheel" --set contact.paper=true --until 2 --no-result --csv plain.csv
expect 0 "$BRISTLE" run "$wheel" --set contact.paper=true --until 2 --no-result --csv dumped.csv \
    --dump-lcp 500..502 --form peiret
has out "(step 502, the last of them)"
cmp plain.csv dumped.csv
for step in 500 501 502; do
    has peiret_wheel.step$step.cp "TYPE MLCP"
    has peiret_wheel.step$step.cp "# z[8]: wheel.shape0~world.shape0#0 friction.1"
    has peiret_wheel.step$step.json '"form": "peiret"'
    expect 0 "$BRISTLE" solve peiret_wheel.step$step.cp --solver block_pivot -o answer.txt
    has out "status      converged"
    sed 's/.*"z": \[\([^]]*\)\].*/\1/; t; d' peiret_wheel.step$step.json | tr ',' '\n' >run.txt
    grep -v '^#' answer.txt | paste -d' ' - run.txt |
        awk '{ d = $1 - $3; if (d < 0) d = -d; if (d > most) most = d } END { exit !(NR == 9 && most <= 1e-12) }' ||
        fail "step $step: the file's answer is not the run's"
done
expect 1 "$BRISTLE" run "$wheel" --dump-lcp 1 --form peiret --no-result
has err "lcp-form"
expect 1 "$BRISTLE" run "$wheel" --dump-lcp 1 --form other --no-result
has err "expected tan_liu or peiret"
expect 1 "$BRISTLE" run "$wheel" --dump-lcp 3..2 --no-result
expect 1 "$BRISTLE" run "$wheel" --dump-lcp 2..3 --dump one.cp --no-result
has err "several steps"
expect 1 "$BRISTLE" run "$wheel" --form peiret --no-result
has err "--dump-lcp STEP, which is missing"
