#!/bin/sh
# bristle export as a person runs it: tables, HDF5 and back, glTF, parts of a result, results that end early, mistakes.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

scenes=$BRISTLE_SOURCE/scenes

same() {
    cmp "$1" "$2" || { echo "$1 and $2 differ"; exit 1; }
}

"$BRISTLE" run "$scenes/templates/two_sliders.yaml" --quiet --until 0.1 -o run.result --csv run.csv --channels t,energy.total --trust \
    >/dev/null 2>&1 || "$BRISTLE" run "$scenes/gallery/breakaway.yaml" --quiet --until 0.1 -o run.result --csv run.csv \
    --channels t,energy.total --trust
"$BRISTLE" run "$scenes/gallery/dominoes.yaml" --quiet --until 0.3 -o contact.result

# HDF5 and back is the same log, verdicts included; every verb that reads results reads HDF5.
for name in run contact; do
    expect 0 "$BRISTLE" export $name.result -o $name.h5
    has out "file        $name.h5"
    expect 0 "$BRISTLE" export $name.h5 -o $name.back.result
    same $name.result $name.back.result
done
test -f run.trust.json
same run.trust.json run.back.trust.json
expect 0 "$BRISTLE" trust run.h5 --json
mv out from_h5
expect 0 "$BRISTLE" trust run.result --json
same out from_h5

# A table is what run --csv writes, bit for bit, and is read back.
expect 0 "$BRISTLE" export run.result -o table.csv --channels energy.total
same run.csv table.csv
expect 0 "$BRISTLE" export table.csv -o again.csv
same table.csv again.csv
expect 0 "$BRISTLE" compare run.result table.csv
has out "1 in both, 1 of them the same in every row"
expect 1 "$BRISTLE" trust table.csv
has err "is a table, which does not carry its model; give the model file"

# Parts: patterns, times, every so many rows, events.
expect 0 "$BRISTLE" export contact.result -o part.csv --channels '*.position.x,energy.*' --from 0.1 --to 0.2 --every 2 --events e.csv --json
has out '"complete": true'
has out '"events_file": "e.csv"'
head -n 1 part.csv | grep -q '^t,.*\.position\.x,.*energy\.kinetic'
head -n 1 e.csv | grep -q '^t,kind,name,value$'
awk -F, 'FNR > 1 && ($1 < 0.0999999 || $1 > 0.2000001) { exit 1 }' part.csv e.csv

# glTF in both wrappings.
expect 0 "$BRISTLE" export contact.result -o scene.glb
has out "bodies"
test "$(head -c 4 scene.glb)" = glTF
expect 0 "$BRISTLE" export contact.h5 -o scene.gltf --fps 10
has scene.gltf '"interpolation": "LINEAR"'
if command -v python3 >/dev/null 2>&1; then python3 -m json.tool scene.gltf >/dev/null; fi
expect 1 "$BRISTLE" export table.csv -o scene2.glb
has err "a table carries no model"

# A result that was cut is exported as far as it goes, which is said; --strict makes it count.
head -c $(($(wc -c <contact.result) / 2)) contact.result >cut.result
expect 0 "$BRISTLE" export cut.result -o cut.csv
has out "note        the result ends early"
expect 1 "$BRISTLE" export cut.result -o cut.h5 --strict
has out "note        the result ends early"
expect 0 "$BRISTLE" export cut.h5 -o cut.back.result --json
has out '"complete": false'
expect 0 "$BRISTLE" compare cut.result cut.back.result
has out "ends early"

# Mistakes.
expect 1 "$BRISTLE" export
has err "expected a result"
expect 1 "$BRISTLE" export run.result
has err "expected -o FILE"
expect 1 "$BRISTLE" export run.result -o run.xlsx
has err "expected .csv, .h5, .hdf5, .glb, .gltf or .result"
expect 1 "$BRISTLE" export run.result -o run.result
has err "is the result itself"
expect 1 "$BRISTLE" export run.result -o x.csv --events x.csv
has err "the same file"
expect 1 "$BRISTLE" export run.result -o x.csv --channels energy.totl
has err "did you mean 'energy.total'"
test ! -e x.csv
expect 1 "$BRISTLE" export run.result -o x.csv --from 2 --to 1
has err "is after"
expect 1 "$BRISTLE" export run.result -o x.csv --from 50
has err "no row from 50 s"
expect 1 "$BRISTLE" export "$scenes/templates/pendulum.yaml" -o x.csv
has err "is not a result of bristle run"
expect 1 "$BRISTLE" export none.result -o x.csv
has err "none.result: there is no such file"
expect 1 "$BRISTLE" export run.result -o /no/such/folder/x.h5
has err "cannot be written"
head -c 3000 run.h5 >broken.h5
expect 1 "$BRISTLE" export broken.h5 -o x.csv
has err "damaged or cut short"
expect 0 "$BRISTLE" explain result-hdf5
test "$(ls | grep -c '\.tmp-')" -eq 0

# The example reads it where h5py is; Debian's python3 is asked, whatever else is on the path.
for python in /usr/bin/python3 python3; do
    if command -v $python >/dev/null 2>&1 && $python -c 'import h5py' 2>/dev/null; then
        expect 0 $python "$BRISTLE_SOURCE/examples/read_hdf5.py" contact.h5 energy.total
        has out "model       "
        has out "energy.total"
        has out "contacts    "
        break
    fi
done
