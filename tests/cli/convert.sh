#!/bin/sh
# .cp to FCLIB and back: the same problem, the same answer.
set -eu
data="$BRISTLE_SOURCE/tests/data/complementarity"

for name in Rover1039 FrictionContactProblem00031 GFC3D_Example0; do
    "$BRISTLE" convert "$data/$name.cp" -o "$name.hdf5" >out
    grep -q "next: bristle solve $name.hdf5" out
    "$BRISTLE" convert "$name.hdf5" -o "$name.cp" >out
    "$BRISTLE" convert "$name.cp" -o again.cp >out
    "$BRISTLE" solve "$data/$name.cp" -o a.txt >out
    "$BRISTLE" solve "$name.hdf5" -o b.txt >out
    "$BRISTLE" solve "$name.cp" -o c.txt >out
    cmp a.txt b.txt
    cmp a.txt c.txt
    tail -n +2 "$name.cp" >x
    tail -n +2 again.cp >y
    cmp x y
done

got=0
"$BRISTLE" convert "$data/lcp_deudeu.cp" -o lcp.hdf5 2>err || got=$?
test "$got" -eq 1
grep -q "FCLIB files hold frictional contact problems, not LCP" err
test ! -e lcp.hdf5
"$BRISTLE" convert "$data/lcp_deudeu.cp" -o lcp.txt 2>err && exit 1
grep -q "no known ending" err
"$BRISTLE" convert "$data/lcp_deudeu.cp" 2>err && exit 1
"$BRISTLE" convert "$data/lcp_deudeu.cp" -o lcp.cp --json | grep -q '"status": "written"'

# An HDF5 file that is cut short: one line of ours, nothing of HDF5's.
head -c 3000 Rover1039.hdf5 >cut.hdf5
"$BRISTLE" solve cut.hdf5 2>err && exit 1
test "$(grep -c HDF5-DIAG err)" -eq 0
grep -q "bristle: cut.hdf5: " err
