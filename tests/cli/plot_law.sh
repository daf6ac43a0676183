#!/bin/sh
# bristle plot --law: the friction laws of a model's joints over the sliding velocity [Wojtyra2017 fig. 1].
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

scene=$BRISTLE_SOURCE/scenes/papers/wojtyra_example_3.yaml

# value V: the friction of the first law of out at the velocity V, by interpolation.
value() {
    tr -d ' ' <out | sed 's/.*"v":\[\([^]]*\)\],"friction":\[\([^]]*\)\].*/\1;\2/' | sed 's/.*{//' |
        awk -F';' -v at="$1" '{ n = split($1, v, ","); split($2, f, ",")
            for (k = 1; k < n; k++) if (v[k] <= at && at <= v[k + 1] && v[k] < v[k + 1]) {
                printf "%.6f\n", f[k] + (f[k + 1] - f[k]) * (at - v[k]) / (v[k + 1] - v[k]); exit } }'
}
is() {
    got=$(value "$1")
    test "$got" = "$2" || fail "friction at $1 m/s is $got, expected $2"
}

# Eq. 12: mu_static 0.5 at gamma = 1e-5 m/s, mu_kinetic 0.3 from 1.5 gamma on, odd.
expect 0 "$BRISTLE" plot --law "$scene" slide_1 -o law.svg --json
has law.svg "coefficient of friction"
is 0.5e-5 0.250000
is 1e-5 0.500000
is 1.25e-5 0.400000
is 3e-5 0.300000
is -1e-5 -0.500000

# Under a load, N; another law of the same joint; LuGre at v_stribeck: mu_k + (mu_s - mu_k)/e.
expect 0 "$BRISTLE" plot --law "$scene" slide_1 --load 20 --json -o loaded.png
is 1e-5 10.000000
expect 0 "$BRISTLE" plot --law "$scene" slide_1 --set joints.slide_1.friction.shape=tanh --to 1e-4 --json
test -s wojtyra_example_3.law.svg
is 1e-5 0.228478
cat >lugre.yaml <<'Y'
format: 1
bodies: {cart: {mass: 1, inertia: [1, 1, 1]}}
joints:
  guide: {prismatic: [world, cart], axis: [1, 0, 0],
          friction: {law: lugre, mu_static: 0.5, mu_kinetic: 0.3, v_stribeck: 2 mm/s, sigma_0: 1e5, sigma_1: 100, load: {constant: 10 N}}}
Y
expect 0 "$BRISTLE" plot --law lugre.yaml --to 0.01 --json
is 2e-3 0.373576
is 9e-3 0.300000
expect 0 "$BRISTLE" plot --law lugre.yaml
has out "law         guide: lugre, holds 0.5"

expect 1 "$BRISTLE" plot --law "$scene" nothing
has err "there is no joint 'nothing'"
expect 1 "$BRISTLE" plot --law "$scene" pin_1
has err "has no friction"
expect 1 "$BRISTLE" plot --law "$BRISTLE_SOURCE/scenes/papers/peiret_wheel.yaml"
has err "no joint of peiret_wheel has friction"
expect 1 "$BRISTLE" plot --law "$scene" --log
expect 1 "$BRISTLE" plot some.result --load 3
has err "--load is of --law"
