#!/bin/sh
# Every model that the README and the guide print is read, checked and moved. A model is a block, fenced or indented by four
# blanks, that begins with `format: 1`. A block fenced as yaml that begins otherwise is a change to the model before it on its
# page: its top-level keys take the place of the model's. An indented block that begins with `$ cat FILE.xml` is a file that models may
# import. And every name in the theory's tables of symbols is in the file that the
# table says.
set -eu
work=$PWD
mkdir models

# Model K of a page goes to models/PAGE.K.yaml, change J to it to models/PAGE.K.J.part; the line of each to the same name with .line.
split() { # split PAGE NAME
    awk -v prefix="$work/models/$2" -v folder="$work/models" '
    function begin(name, ending) {
        file = name ending
        print FILENAME ":" FNR > (name ".line")
        close(name ".line")
    }
    function end() { if (file) close(file); file = "" }
    function take(line) {
        if (file == "" && line == "format: 1") { begin(prefix "." ++models, ".yaml"); parts = 0 }
        else if (file == "" && is_yaml && models && line !~ /^[ #]/) begin(prefix "." models "." ++parts, ".part")
        if (file) print line > file
    }
    /^```/ { fenced = !fenced; is_yaml = fenced && $0 == "```yaml"; end(); next }
    fenced { take($0); next }
    /^    \$ cat [a-z_]+\.xml$/ { end(); file = folder "/" $3; printf "" > file; next }
    /^    / { if (file || substr($0, 5) == "format: 1") take(substr($0, 5)); next }
    { end() }' "$1"
}

changed() { # changed MODEL PART
    awk 'function key(line) { sub(/:.*/, "", line); return line }
    NR == FNR { if (/^[a-z]/) replaced[key($0)] = 1; part[++n] = $0; next }
    /^[a-z]/ { skip = key($0) in replaced }
    !skip { print }
    END { for (k = 1; k <= n; k++) print part[k] }' "$2" "$1"
}

for page in "$BRISTLE_SOURCE/README.md" "$BRISTLE_SOURCE"/docs/guide/*.md; do
    split "$page" "$(basename "$page" .md)"
done
for part in models/*.part; do
    test -e "$part" || continue
    name=${part%.part}
    changed "${name%.*}.yaml" "$part" >"$name.yaml"
done

models=0
for model in models/*.yaml; do
    line=$(cat "${model%.yaml}.line")
    "$BRISTLE" check "$model" >out 2>err || { cat err "$model"; echo "$line: bristle check refuses this model"; exit 1; }
    "$BRISTLE" run "$model" --until 0.05 --no-result --no-trust --quiet >out 2>err ||
        { cat err "$model"; echo "$line: bristle run fails on this model"; exit 1; }
    models=$((models + 1))
done

# Every kind and law that the schema knows has its model in its page.
shown() { # shown PAGE WHAT...
    page=$1
    shift
    for what; do
        cat models/"$page".*.yaml | grep -qF -- "$what" || { echo "docs/guide/$page.md: no model has '$what'"; exit 1; }
    done
}
for kind in weld revolute prismatic screw cylindrical universal spherical planar free distance gear rack_pinion; do
    shown joints "{$kind: ["
done
shown laws 'contact: {law: bristle' 'law: cone' 'law: box' 'law: polygon(' 'law: viscous(' bounds: rolling: torsion: \
    'law: linear' 'law: hertz' 'law: hunt_crossley' 'law: lankarani_nikravesh' 'restitution_law: newton' \
    'restitution_law: poisson' 'law: coulomb' 'law: smooth' 'law: dahl' 'law: lugre' 'friction: {law: bristle' \
    'shape: tanh' 'shape: arctan' 'shape: saturation' 'shape: exponential' 'shape: stribeck_smooth'
shown loads force: torque: spring: bushing: velocity: position: servo: max_torque: constraints: table: smooth
# Rows | symbol | `FILE`, ... | `name`, ... |: what is in backticks in the third column, word by word.
names=0
sed -n 's/^| .* | \(`\(src\|include\)\/[^|]*\) | \(.*\) |$/\1|\3/p' "$BRISTLE_SOURCE"/docs/theory/*.md >rows
while IFS='|' read -r files used; do
    files=$(echo "$files" | tr -d '`,')
    (cd "$BRISTLE_SOURCE" && cat $files) >text
    for name in $(echo "$used" | grep -o '`[^`]*`' | grep -oE '[A-Za-z_][A-Za-z_0-9]*'); do
        grep -qF -- "$name" text || { echo "docs/theory: $files: no '$name' there"; exit 1; }
        names=$((names + 1))
    done
done <rows
test "$names" -ge 100

echo "$models models of the README and the guide are read and run, $names names of the theory are found"
