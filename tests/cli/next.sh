#!/bin/sh
# What the program says to type next can be typed: every command is provoked, read off the screen as a person would, and run by
# a shell. Names of files have blanks and quotes in them, so that a word that is not quoted shows.
set -eu
data="$BRISTLE_SOURCE/tests/data"
PATH="$(dirname "$BRISTLE"):$PATH"
followed=0

# Commands in what was printed: after `next:`, on the line `next`, and below it and after `more:`; remarks in brackets are none.
commands() {
    cat out err | awk '
    /^ *next: / { sub(/^ *next: /, ""); print; below = 0; next }
    /^next +/ { sub(/^next +/, ""); print; below = 1; next }
    below && /^            bristle / { sub(/^ +/, ""); print; next }
    / more: bristle / { sub(/.*more: /, ""); print }
    { below = 0 }' | sed 's/   (.*)$//'
}

# follow N command...: runs it; what it says to do next, at least N commands, is done and ends well.
follow() {
    least=$1
    shift
    "$@" >out 2>err || true
    commands >next.txt
    test "$(wc -l <next.txt)" -ge "$least" || { echo "no next command after: $*"; cat out err; exit 1; }
    cp next.txt todo.txt
    while IFS= read -r line <&3; do
        case $line in bristle\ * | mkdir\ * | mv\ *) ;; *) echo "after $*: '$line' is no command"; exit 1 ;; esac
        got=0
        sh -c "$line" >out2 2>err2 </dev/null || got=$?
        grep -q report-template err2 && got=0 # the page is not part of every build
        test "$got" -eq 0 || { echo "after: $*"; echo "next: $line"; echo "exit code $got"; cat err2; exit 1; }
        followed=$((followed + 1))
    done 3<todo.txt
}

# Models and results, with names that need quotes.
follow 1 bristle new
follow 1 bristle new door -o "my door.yaml"
follow 2 bristle check "my door.yaml"
follow 2 bristle check "my door.yaml" --set run.until=0.1
follow 1 bristle run "my door.yaml" --set run.until=0.2
follow 1 bristle run "my door.yaml" --set run.until=0.2 --no-result
follow 1 bristle plot "door.result"
cp "my door.yaml" "john's door.yaml"
follow 1 bristle check "john's door.yaml"
follow 1 bristle new pendulum -o ./-p.yaml
follow 1 bristle check ./-p.yaml
cp "$BRISTLE_SOURCE/scenes/gallery/dropped_box.yaml" "a box.yaml"
follow 1 bristle run "a box.yaml" --set run.until=0.05
follow 1 bristle compare "a box.yaml" --set run.until=0.05
cat >free.yaml <<'END'
format: 1
bodies: {p: {mass: 1, inertia: [1, 1, 1]}}
solver: {stepper: kinematic}
END
follow 1 bristle check free.yaml
follow 1 bristle run free.yaml

# Problems.
follow 1 bristle solve "$data/complementarity/lcp_deudeu.cp"
follow 1 bristle convert "$data/complementarity/lcp_deudeu.cp" "a problem.cp"
for k in "$data"/complementarity/none_*.cp; do
    "$BRISTLE" solve "$k" >out 2>err || true
    grep -q '^next' out || { echo "no next after $k"; exit 1; }
done

# Errors: files that are nearly right, or of another kind.
follow 1 bristle check "my dor.yaml"
follow 1 bristle run "my door.yml" --set run.until=0.05
rm -rf "one model"
mkdir "one model"
cp "my door.yaml" "one model/door.yaml"
follow 1 bristle check "one model"
cp "my door.yaml" fresh.yaml
follow 1 bristle report fresh.result
follow 1 bristle run fresh.yaml --set run.until=0.05 --csv "no folder/x.csv"
follow 1 bristle run fresh.yaml --set run.until=0.05 --csv x.csv --set "outputs=[hinge.positon]"
follow 1 bristle plot fresh.result hinge.positon
follow 1 bristle report fresh.yaml
cp "$data/complementarity/lcp_deudeu.cp" problem.yaml
follow 1 bristle check problem.yaml
follow 1 bristle check fresh.result
urdf=$(find "$data/urdf" -name '*.urdf' | sort | head -n 1)
cp "$urdf" robot.yaml
follow 1 bristle check robot.yaml

# Every verb says how it is used, and every code that can be printed is explained.
for verb in $(bristle --help | awk '/^  [a-z]+ / { print $1 }'); do
    follow 0 bristle "$verb" --no-such-option
done
for code in $(bristle explain | awk '/^[a-z0-9-]+ / { print $1 }'); do
    "$BRISTLE" explain "$code" >/dev/null || { echo "bristle explain $code fails"; exit 1; }
done
test "$followed" -ge 30 || { echo "only $followed commands were followed"; exit 1; }
echo "$followed commands were typed again"
