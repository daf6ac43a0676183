#!/bin/sh
# The examples of the README and the guide: what they show is what the program prints now, apart from times.
set -eu
cd "$BRISTLE_SOURCE"
work=$OLDPWD

# The lines of an output that do not depend on the machine.
steady() { grep -E '^(status|proof|residual|iterations|solver|path|islands|problem) '; }

# Blocks indented by four blanks that begin with `$ [folder/]bristle solve ...`: the command goes to command.N, the rest
# to shown.N.
split() { # split PAGE PREFIX
    awk -v prefix="$work/$2" '
    !/^    / { inside = 0 }
    /^    \$ ([^ ]*\/)?bristle solve / {
        inside = ++n
        line = $0
        sub(/^    \$ ([^ ]*\/)?bristle /, "", line)
        sub(/ -o [^ ]+/, "", line)
        print line > (prefix ".command." n)
        next
    }
    inside { sub(/^    /, ""); print > (prefix ".shown." inside) }' "$1"
}

pages=0
for page in README.md docs/guide/solve.md; do
    prefix=$(basename "$page" .md)
    split "$page" "$prefix"
    test -e "$work/$prefix.command.1" || { echo "$page: no example found"; exit 1; }
    for command in "$work/$prefix".command.*; do
        number=${command##*.}
        # shellcheck disable=SC2046 # words on purpose
        "$BRISTLE" $(cat "$command") >"$work/out" 2>"$work/err" || test $? -eq 2
        steady <"$work/out" >"$work/now"
        steady <"$work/$prefix.shown.$number" >"$work/shown"
        test -s "$work/now"
        diff -u "$work/shown" "$work/now" || { echo "$page: bristle $(cat "$command") prints something else now"; exit 1; }
        pages=$((pages + 1))
    done
done
echo "$pages examples are up to date"
