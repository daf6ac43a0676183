#!/bin/sh
# bristle run --dump-lcp: the contact problem of a step, readable by bristle solve, with all its parts as JSON.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

scene=$BRISTLE_SOURCE/scenes/papers/tan_liu_systems.yaml

# Four contacts, eight directions: 4 + 32 + 4 rows.
expect 0 "$BRISTLE" run "$scene" --dump-lcp 21 --no-result
has out "lcp         tan_liu_systems.step21.cp, tan_liu_systems.step21.json   (step 21)"
has tan_liu_systems.step21.cp "# contact 3: "
has tan_liu_systems.step21.cp "MATRIX M 40 40 "
for key in M tau N B E A q mu gap dt names z w v forces residual; do has tan_liu_systems.step21.json "\"$key\": "; done
has tan_liu_systems.step21.json '"status": "converged"'
expect 0 "$BRISTLE" solve tan_liu_systems.step21.cp -o answer.txt
has out "status      converged"
test "$(grep -cv '^#' answer.txt)" -eq 40

# Writing it changes nothing about the run, and a fresh run writes the same bytes.
expect 0 "$BRISTLE" run "$scene" --no-result --csv plain.csv
expect 0 "$BRISTLE" run "$scene" --no-result --csv dumped.csv --dump-lcp 21 --dump other.cp
cmp plain.csv dumped.csv
cmp other.cp tan_liu_systems.step21.cp
cmp other.json tan_liu_systems.step21.json

# Sixteen directions; what is wrong has a name.
expect 0 "$BRISTLE" run "$scene" --dump-lcp 1 --directions 16 --dump wide.cp --no-result --quiet
has wide.cp "MATRIX M 72 72 "
expect 1 "$BRISTLE" run "$scene" --dump-lcp 1 --directions 7 --no-result
has err "7 friction directions"
expect 1 "$BRISTLE" run "$scene" --dump-lcp 100000 --no-result
has err "before that step"
expect 1 "$BRISTLE" run "$scene" --dump-lcp 0 --no-result
has err "expected a whole number from 1"
expect 1 "$BRISTLE" run "$scene" --directions 6 --no-result
has err "--dump-lcp STEP, which is missing"
cp "$scene" mine.yaml
expect 1 "$BRISTLE" run mine.yaml --dump-lcp 1 --dump mine.yaml --no-result
cmp mine.yaml "$scene"
expect 1 "$BRISTLE" run "$scene" --dump-lcp 1 --dump nowhere/problem.cp --no-result
has err "cannot be written"
