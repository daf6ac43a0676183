#!/bin/sh
# Help of every verb: it lists its options, --json among them, and its exit codes; it has a manual page from that.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

verbs=$("$BRISTLE" --help | awk '/^  [a-z]+  +[a-z]/ && $1 != "bristle" { print $1 }')
[ "$(echo "$verbs" | wc -l)" -ge 16 ] || fail "the program lists too few verbs: $verbs"
sh "$BRISTLE_SOURCE/tools/manual" "$BRISTLE" man
for verb in $verbs; do
    "$BRISTLE" "$verb" --help >help.txt 2>stderr.txt || fail "bristle $verb --help fails"
    [ ! -s stderr.txt ] || fail "bristle $verb --help writes to stderr"
    grep -q '^  --json ' help.txt || fail "bristle $verb: --json is not among the options of its help"
    grep -q '^Exit codes: 0 .*1 ' help.txt || fail "bristle $verb: no exit codes in its help"
    awk 'length > 120 { exit 1 }' help.txt || fail "bristle $verb: a line of its help is too long"
    for section in NAME SYNOPSIS OPTIONS 'EXIT STATUS'; do
        grep -q "^\.SH \"\{0,1\}$section" "man/bristle-$verb.1" || fail "bristle-$verb.1 has no section $section"
    done
    grep -q 'json' "man/bristle-$verb.1" || fail "bristle-$verb.1: no --json"
done
