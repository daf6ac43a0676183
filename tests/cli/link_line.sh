#!/bin/sh
# The compiler line of the README works as it stands, and the example that it builds gives the answer it promises.
set -eu
case ${BRISTLE_SANITIZE:-} in ?*) echo "SKIPPED: a library with sanitizers needs more than the README's line"; exit 77 ;; esac
command -v cc >/dev/null || { echo "SKIPPED: there is no cc"; exit 77; }
folder=$(dirname "$BRISTLE") work=$PWD

line=$(sed -n 's/^    \(cc .*examples\/block\.c.*\)$/\1/p' "$BRISTLE_SOURCE/README.md")
test -n "$line" || { echo "README.md has no line \`cc ... examples/block.c ...\`"; exit 1; }
cd "$BRISTLE_SOURCE"
echo "$line" | sed "s|build/release|$folder|; s|-o [^ ]*|-o $work/block|" | sh
"$work/block" >"$work/out"
sed -n 's/^    \(pull .*\)$/\1/p' README.md >"$work/shown"
test -s "$work/shown"
diff -u "$work/shown" "$work/out"
