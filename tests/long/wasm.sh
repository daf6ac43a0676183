#!/bin/sh
# The core for wasm32-wasi in Node computes the bits that are stored in tests/data/bits/runs.txt. Skipped where its tools are missing.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

status=0
sh "$BRISTLE_SOURCE/tools/measure-bits" --wasm "$(dirname "$BRISTLE")" >told || status=$?
cat told
test $status -ne 77 || exit 77
test $status -eq 0 || fail "other bits than those stored"
awk '/wasm32-wasi/ { found = $6 >= 20 } END { exit !found }' told || fail "fewer than 20 runs were compared"
