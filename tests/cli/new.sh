#!/bin/sh
# Templates: listed, written once, never over a file that exists; each passes check and runs.
set -eu
templates="$BRISTLE_SOURCE/scenes/templates"

"$BRISTLE" new >out
for file in "$templates"/*.yaml; do
    name=$(basename "$file" .yaml)
    grep -q "^$name " out
    "$BRISTLE" new "$name" >said
    grep -q "next: bristle check $name.yaml" said
    cmp "$name.yaml" "$file"
    "$BRISTLE" check "$name.yaml" >checked
    "$BRISTLE" run "$name.yaml" --csv "$name.csv" >ran
    test "$(wc -l <"$name.csv")" -gt 100
    test "$(grep -c -i nan "$name.csv")" -eq 0
done
test "$(wc -l <out)" -eq "$(($(ls "$templates" | wc -l) + 2))" # an empty line and the next command
grep -q "next: bristle new $(head -n 1 out | cut -d " " -f 1)" out

# What exists is left alone.
echo mine >pendulum.yaml
got=0
"$BRISTLE" new pendulum 2>err || got=$?
test "$got" -eq 1
grep -q "pendulum.yaml exists already and is left as it is" err
test "$(cat pendulum.yaml)" = mine
ln -s nowhere link.yaml
"$BRISTLE" new pendulum -o link.yaml 2>err && exit 1
test ! -e nowhere

"$BRISTLE" new pendulum -o other.yaml --json | grep -q '"file": "other.yaml"'
cmp other.yaml "$templates/pendulum.yaml"
"$BRISTLE" new pendulum -o - >printed
cmp printed other.yaml
"$BRISTLE" new --json | grep -q '"sleigh": "Chaplygin'

"$BRISTLE" new pendulm 2>err && exit 1
grep -q "there is no template 'pendulm'; did you mean 'pendulum'?" err
"$BRISTLE" new banana 2>err && exit 1
grep -q "alone lists them" err
"$BRISTLE" new -o x.yaml 2>err && exit 1
grep -q "needs a template" err
"$BRISTLE" new pendulum -o missing/folder.yaml 2>err && exit 1
grep -q "cannot be written: No such file" err
