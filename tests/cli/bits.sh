#!/bin/sh
# The same bits everywhere: the runs and problems of tests/data/bits/runs.txt have the stored hashes, also where glibc is told that
# the processor has neither AVX2 nor FMA. tools/measure-bits compares compilers, levels, threads, resumed runs and wasm too.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

grep -cv '^#' "$BRISTLE_SOURCE/tests/data/bits/runs.txt" | awk '{ exit $1 < 40 }' || fail "fewer than 40 runs in the list"
sh "$BRISTLE_SOURCE/tools/measure-bits" --check "$BRISTLE" >first || fail "other bits than those stored: $(cat first)"
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX2_Usable,-FMA_Usable,-FMA4_Usable \
    sh "$BRISTLE_SOURCE/tools/measure-bits" --check "$BRISTLE" >second || fail "other bits without FMA: $(cat second)"
