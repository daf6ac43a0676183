#!/bin/sh
# Every model that the README and the guide print: blocks that begin with `format: 1` are read, checked and moved. Blocks are fenced
# (```yaml) or indented by four blanks; one that begins with `$ cat FILE` is a model of examples.sh and counts here too.
set -eu
work=$PWD
mkdir models

# Block K of a page goes to models/PAGE.K.yaml, its line to models/PAGE.K.line.
split() { # split PAGE NAME
    awk -v prefix="$work/models/$2" '
    function begin(text) {
        file = prefix "." ++n ".yaml"
        print FILENAME ":" FNR > (prefix "." n ".line")
        print text > file
    }
    /^```/ { fenced = !fenced; if (file) close(file); file = ""; next }
    fenced { if (file) print > file; else if ($0 == "format: 1") begin($0); next }
    /^    / { line = substr($0, 5); if (file) print line > file; else if (line == "format: 1") begin(line); next }
    { if (file) close(file); file = "" }' "$1"
}

for page in "$BRISTLE_SOURCE/README.md" "$BRISTLE_SOURCE"/docs/guide/*.md; do
    split "$page" "$(basename "$page" .md)"
done

models=0
for model in models/*.yaml; do
    test -e "$model" || continue
    line=$(cat "${model%.yaml}.line")
    "$BRISTLE" check "$model" >out 2>err || { cat out err; echo "$line: bristle check refuses this model"; exit 1; }
    "$BRISTLE" run "$model" --until 0.05 --no-result --no-trust --quiet >out 2>err ||
        { cat out err; echo "$line: bristle run fails on this model"; exit 1; }
    models=$((models + 1))
done

# Each kind of joint, law, load and drive has its model in its page.
for kind in weld revolute prismatic screw cylindrical universal spherical planar free distance gear rack_pinion; do
    grep -lq "{$kind: \[" models/joints.*.yaml || { echo "joints.md: no model has a $kind joint"; exit 1; }
done
for law in coulomb smooth dahl lugre bristle; do
    grep -lq "law: $law" models/laws.*.yaml || { echo "laws.md: no model has the law $law"; exit 1; }
done
for law in bristle cone box 'polygon(' 'viscous(' linear hertz hunt_crossley lankarani_nikravesh newton poisson rolling torsion; do
    grep -qF "$law" models/laws.*.yaml || { echo "laws.md: no model has $law"; exit 1; }
done
for kind in force torque spring bushing velocity position servo constraints table; do
    grep -q "$kind:" models/loads.*.yaml || { echo "loads.md: no model has $kind"; exit 1; }
done
test "$models" -ge 40
echo "$models models of the guide are read and run"
