#!/bin/sh
# The examples of the README and the guide: what they show is what the program prints now, apart from times and from
# digits that are rounding.
set -eu
source=$BRISTLE_SOURCE work=$PWD
ln -s "$source/scenes" scenes
ln -s "$source/tests" tests

# The lines of an output that do not depend on the machine; numbers below 1e-9 are rounding and count as 0. How often a run
# iterates is decided by rounding too.
steady() {
    grep -Ev '^(seconds|loops|residual|next) |^  (scheme|unaccounted) ' |
        sed -E 's/-?[0-9.]+e-(09|[1-9][0-9]+)/0/g; s/[0-9]+ iterations, [0-9]+ evaluations/iterations/; s/  +/  /g' || true
}

# Blocks indented by four blanks. One that begins with `$ cat FILE` is that file; one that begins with
# `$ [folder/]bristle VERB ...` is what that prints: the command goes to command.N, the rest to shown.N.
split() { # split PAGE PREFIX
    awk -v work="$work" -v prefix="$work/$2" '
    !/^    / { to = "" }
    /^    \$ cat [^ \/]+$/ { to = work "/" $3; next }
    /^    \$ ([^ ]*\/)?bristle / {
        line = $0
        sub(/^    \$ ([^ ]*\/)?bristle /, "", line)
        print line > (prefix ".command." ++n)
        to = prefix ".shown." n
        next
    }
    to { sub(/^    /, ""); print > to }' "$1"
}

examples=0
for page in "$source/README.md" "$source"/docs/guide/*.md; do
    prefix=$(basename "$page" .md)
    split "$page" "$prefix"
    for command in "$work/$prefix".command.*; do
        test -e "$command" || continue
        eval "\"\$BRISTLE\" $(cat "$command")" >out 2>err || test $? -eq 2
        steady <out >now
        steady <"$work/$prefix.shown.${command##*.}" >shown
        test -s now
        diff -u shown now || { echo "$page: bristle $(cat "$command") prints something else now"; exit 1; }
        examples=$((examples + 1))
    done
done
for page in README solve; do
    test -e "$page.command.1" || { echo "$page.md: no example found"; exit 1; }
done
echo "$examples examples are up to date"
