#!/bin/sh
# bristle papers: every number holds, JSON as promised, and the pages that show the table are up to date.
set -eu

fail() {
    echo "$1"
    cat out err
    exit 1
}

"$BRISTLE" papers >out 2>err || fail "papers says that a number does not hold"
grep -q '^peiret2016 ' out
grep -q '^tan_liu ' out
grep -q 'look exchanged' out
! grep -q 'FAILED\|DOES NOT HOLD' out

# One object per number, with the promised keys; nothing else on stdout.
"$BRISTLE" papers --json >out 2>err || fail "papers --json fails"
test "$(wc -l <out)" -eq 1
head -c 1 out | grep -q '\['
tr '{' '\n' <out | tail -n +2 >objects
for key in paper example quantity unit printed reference value tolerance holds note scene; do
    test "$(grep -c "\"$key\": " objects)" -eq "$(wc -l <objects)" || fail "an object lacks $key"
done
test "$(grep -c '"holds": true' objects)" -eq "$(wc -l <objects)"
sed 's/.*"scene": "\([^"]*\)".*/\1/' objects | sort -u >scenes
while read -r scene; do test -s "$BRISTLE_SOURCE/scenes/papers/$scene.yaml"; done <scenes
ls "$BRISTLE_SOURCE/scenes/papers" | sed 's/\.yaml$//' | sort | diff - scenes

# Printed values that are contradicted stay.
grep -q '"quantity": "misalignment, box".*"printed": 12.6' objects

"$BRISTLE" papers --only tan_liu --json >out 2>err || fail "papers --only fails"
! grep -q peiret2016 out
got=0
"$BRISTLE" papers --only tan_lu >out 2>err || got=$?
test "$got" -eq 1
grep -q "did you mean 'tan_liu'" err

sh "$BRISTLE_SOURCE/tools/update-readme" "$BRISTLE" --check
