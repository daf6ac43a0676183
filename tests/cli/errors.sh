#!/bin/sh
# What the program says and returns when it is used wrongly or given bad files: exit code 1, nothing written.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

data="$BRISTLE_SOURCE/tests/data/complementarity"

# Usage.
expect 1 "$BRISTLE"
expect 0 "$BRISTLE" --help
for verb in solve convert explain; do
    has out "$verb"
    expect 0 "$BRISTLE" "$verb" --help
    has out "bristle $verb"
    expect 0 "$BRISTLE" --help
done
expect 0 "$BRISTLE" --version
grep -q -E '^bristle [0-9]+\.[0-9]+\.[0-9]+$' out
expect 1 "$BRISTLE" slove x.cp
has err "did you mean 'solve'?"
expect 1 "$BRISTLE" solve
has err "expected a problem file"
expect 1 "$BRISTLE" solve a.cp b.cp
has err "one argument too many"
expect 1 "$BRISTLE" solve a.cp --sovler lemke
has err "did you mean --solver?"
expect 1 "$BRISTLE" solve a.cp --solver lemkey
has err "did you mean lemke?"
expect 1 "$BRISTLE" solve a.cp --tol
has err "--tol needs a value"
expect 1 "$BRISTLE" solve a.cp --tol small
has err "--tol is 'small', expected a number"
expect 1 "$BRISTLE" solve a.cp --tol nan
expect 1 "$BRISTLE" solve a.cp --threads 0
expect 1 "$BRISTLE" solve a.cp --max-iterations 1e9
for value in 0 -1 inf; do
    expect 1 "$BRISTLE" solve "$data/lcp_deudeu.cp" --tol "$value"
    has err "--tol is '$value', expected a number > 0"
    has err "next: bristle solve --help"
done
expect 1 "$BRISTLE" solve a.cp --lemke-shift -1
has err "expected a number >= 0"
has err "next: bristle solve --help"
expect 1 "$BRISTLE" solve a.cp --threads 0
has err "next: bristle solve --help"
expect 1 "$BRISTLE" solve a.cp --solver simplex-of-some-kind
for name in auto newton interior gauss_seidel lemke block_pivot dantzig enumerate; do has err "$name"; done

# --json: wrong usage is one JSON object too.
for words in "solve --json" "solve a.cp --tol 0 --json" "solve a.cp --json --sovler x" "solve --json a.cp b.cp" \
    "convert a.cp --json" "explain nothing-of-the-kind --json" "slove --json"; do
    # shellcheck disable=SC2086 # words on purpose
    expect 1 "$BRISTLE" $words
    test "$(wc -l <out)" -eq 1
    has out '{"status": "error", "error": "usage", "code": null, "message": "'
    has out '"file": null, "line": null, "column": null}'
    has err "next: bristle"
done

# The problem file is never overwritten, whatever it is called; an answer may replace the one it started from.
cp "$data/lcp_deudeu.cp" mine.cp
ln -s mine.cp soft.cp
ln mine.cp hard.cp
for other in mine.cp ./mine.cp soft.cp hard.cp; do
    expect 1 "$BRISTLE" solve mine.cp -o "$other"
    has err "-o names the problem file itself; choose another name"
    expect 1 "$BRISTLE" convert mine.cp -o "$other"
    has err "-o names the problem file itself; choose another name"
done
expect 1 "$BRISTLE" solve soft.cp -o mine.cp --json
has out '"error": "usage"'
cmp mine.cp "$data/lcp_deudeu.cp"
expect 0 "$BRISTLE" solve mine.cp -o start.txt
expect 0 "$BRISTLE" solve mine.cp --start start.txt -o start.txt

# Bad files: the place, the entry, a next command; the output is not touched.
printf 'TYPE LCP\nMATRIX M 2 2 2\n0 0 1\n1 2 1\nVECTOR q 2\n0\n0\n' >bad.cp
echo untouched >answer.txt
expect 1 "$BRISTLE" solve bad.cp -o answer.txt
has err "bristle: bad.cp:4:3: MATRIX M: the column is 2, out of range: expected 0 to 1"
has err "next: bristle explain cp-index-range"
test ! -s out
test "$(cat answer.txt)" = untouched
expect 1 "$BRISTLE" solve bad.cp --json -o new.txt
test "$(wc -l <out)" -eq 1
has out '"status": "error"'
has out '"code": "cp-index-range"'
has out '"line": 4'
has err bad.cp:4:3
test ! -e new.txt
expect 1 "$BRISTLE" solve missing.cp
has err "missing.cp: there is no such file"
expect 1 "$BRISTLE" solve .
has err "is a folder"
head -n 4 "$data/lcp_trivial.cp" >cut.cp
expect 1 "$BRISTLE" solve cut.cp
has err "cut.cp:4: end of file, expected 8 more entries of MATRIX M"
name=$(printf 'we"ird\\\001name.cp')
expect 1 "$BRISTLE" solve "$name" --json
has out 'we\"ird\\\u0001name.cp'
expect 1 "$BRISTLE" solve "$data/lcp_deudeu.cp" -o no/such/folder.txt
has err "cannot be written"
expect 1 "$BRISTLE" solve "$data/lcp_deudeu.cp" --start bad.cp
expect 1 "$BRISTLE" solve "$data/lcp_deudeu.cp" --start missing.txt

# One half of the mass matrix: what is missing has no line.
printf 'TYPE GFC2D\nnc 0\nMATRIX M 2 2 3\n0 0 1\n0 1 0.25\n1 1 1\nMATRIX H 2 0 0\nVECTOR q 2\n0\n0\nVECTOR mu 0\n' >half.cp
expect 1 "$BRISTLE" solve half.cp
has err "half.cp:5: MATRIX M entry (0, 1) is 0.25 but (1, 0) is 0, since it is not given: write both halves"
expect 1 "$BRISTLE" solve missing.cp --json
has out '"line": null, "column": null}'

# explain: every code the program names can be looked up.
expect 0 "$BRISTLE" explain cp-index-range
has out "What to do"
expect 0 "$BRISTLE" explain
has out cp-truncated
expect 1 "$BRISTLE" explain cp-index-rang
has err "did you mean 'cp-index-range'?"
if test -e /dev/full; then
    got=0
    "$BRISTLE" --help >/dev/full 2>err || got=$?
    test "$got" -eq 1
fi
