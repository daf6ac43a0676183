#!/bin/sh
# The program as shipped, under memcheck: no invalid access, no uninitialized read, nothing lost, on answers and on
# errors alike.
set -eu
command -v valgrind >/dev/null 2>&1 || exit 77 # skipped

# HDF5 and OpenBLAS keep memory until the process ends; what is "still reachable" is theirs.
memcheck() {
    valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,possible \
        --errors-for-leak-kinds=definite,possible "$@"
}

for problem in box1 wall4; do
    memcheck "$BRISTLE" solve "$BRISTLE_SOURCE/scenes/solver/$problem.cp" -o "$problem.txt"
    test -s "$problem.txt"
done

head -n 40 "$BRISTLE_SOURCE/scenes/solver/wall4.cp" >truncated.cp
status=0
memcheck "$BRISTLE" solve truncated.cp -o truncated.txt || status=$?
test "$status" -eq 1
test ! -e truncated.txt

# A result to HDF5 and back: HDF5 calls our driver while it closes a file.
"$BRISTLE" run "$BRISTLE_SOURCE/scenes/templates/door.yaml" --until 0.05 --no-trust --quiet -o door.result
memcheck "$BRISTLE" export door.result -o door.h5
memcheck "$BRISTLE" export door.h5 -o door.csv
test -s door.csv
