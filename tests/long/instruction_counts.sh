#!/bin/sh
# Instructions of five fixed scenes, counted by callgrind: none may take 5 % more than when its count was kept, in tests/long/instruction_counts.txt.
# Two runs of different length are subtracted, so that starting the program and reading the file do not count. Counts are the same on a loaded
# machine and an idle one; they belong to a compiler, its flags and the processor's vectors, and with others this test is skipped and
# prints the lines to keep. Fewer by 5 % fails too: the count that is kept is then too easy to meet.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"
counts="$BRISTLE_SOURCE/tests/long/instruction_counts.txt"
command -v valgrind >/dev/null 2>&1 || { echo "skipped: valgrind is not installed"; exit 77; }
test -z "${BRISTLE_SANITIZE:-}" || { echo "skipped: a sanitizer counts its own instructions"; exit 77; }

vectors=plain
! grep -q -w avx2 /proc/cpuinfo || vectors=avx2
build="$(uname -m) $vectors $BRISTLE_BUILD"

count() { # count WORDS...: instructions of the program
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$BRISTLE" "$@" >out 2>err || fail "$* fails: $(cat err)"
    sed -n 's/.*Collected : //p' err
}

kept() { # kept NAME: the count of this build, or nothing
    awk -F '\t' -v build="$build" -v name="$1" '$1 == build && $2 == name {print $3}' "$counts"
}

missing=0 off=0
: >lines
judge() { # judge NAME COUNT
    printf '%s\t%s\t%s\n' "$build" "$1" "$2" >>lines
    was=$(kept "$1")
    test -n "$was" || { missing=1; return 0; }
    awk -v name="$1" -v was="$was" -v now="$2" 'BEGIN {
        printf "%s: %d, kept %d, ratio %.4f\n", name, now, was, now / was
        exit now > 1.05 * was || now < 0.95 * was
    }' || off=1
}

scene() { # scene NAME FROM TO WORDS...: the steps between two times
    name=$1 from=$2 to=$3
    shift 3
    first=$(count run "$BRISTLE_SOURCE/scenes/$name.yaml" --until "$from" --quiet "$@" -o a.result)
    both=$(count run "$BRISTLE_SOURCE/scenes/$name.yaml" --until "$to" --quiet "$@" -o a.result)
    judge "$name" $((both - first))
}

# A wall of 148 contacts, cold, to 1e-8; a tower at rest, warm; a foot on a floor with verdicts; forty loops; a beam.
judge solver/wall4 $(($(count solve "$BRISTLE_SOURCE/scenes/solver/wall4.cp" -o a.txt) - $(count solve "$BRISTLE_SOURCE/scenes/solver/box1.cp" -o a.txt)))
scene bench/tower_10 0.05 0.55 --no-trust
scene contact/four_bar_foot 0.05 0.45
scene benchmark/four_bar_40 0.01 0.06 --no-trust
scene flexible/wojtyra_5_beam 0.01 0.03 --no-trust

if test "$missing" -eq 1; then
    echo "skipped: no counts are kept for this build; to keep them add to $counts:"
    cat lines
    exit 77
fi
test "$off" -eq 0 || fail "a count is off by more than 5 %; if that is meant, keep these instead: $(echo; cat lines)"
