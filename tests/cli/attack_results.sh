#!/bin/sh
# Results, figures and pages where the disk ends, where a pipe stands for a file, and where names lead elsewhere: no half of a
# file is left, what was there before stays, nothing waits.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"
limit=60

# Files may have 4 kB: sh counts in blocks of 512 bytes, bash in kB, which are 16 kB at most.
within() {
    wanted=$1
    shift
    expect "$wanted" sh -c 'ulimit -f 4 && exec "$@"' sh "$@"
}

cat >ball.yaml <<'Y'
format: 1
name: ball
materials: {m: {}}
pairs: {m/m: {mu: 0.5}}
bodies:
  ball:
    mass: 1 kg
    inertia: {sphere: {radius: 0.1}}
    pose: {position: [0, 0, 0.3]}
    shapes: [{sphere: {radius: 0.1}, material: m}]
ground: [{plane: {}, material: m}]
solver: {step: 1 ms}
run: {until: 0.2, output: 0.001}
Y
expect 0 "$BRISTLE" run ball.yaml -o ball.result
printf '<html><!--bristle-data--></html>' >page.html

# The size limit of files ends no verb by a signal, and leaves neither half a file nor a temporary one.
for file in ball.csv ball.h5 ball.gltf other.result; do
    echo before >"$file"
    within 1 "$BRISTLE" export ball.result -o "$file"
    has err "$file: cannot be written"
    test "$(cat "$file")" = before
done
echo before >ball.svg
within 1 "$BRISTLE" plot ball.result 'ball.position.*' 'ball.velocity.*' 'energy.*' -o ball.svg
has err "ball.svg cannot be written: File too large"
test "$(cat ball.svg)" = before
echo before >ball.html
within 1 "$BRISTLE" report ball.result --template page.html -o ball.html
test "$(cat ball.html)" = before
! ls ./*.tmp-* 2>/dev/null

# The table of a comparison on a full disk.
if test -c /dev/full; then
    ln -s /dev/full full.csv
    expect 1 "$BRISTLE" compare ball.result ball.result --csv full.csv
    has err "full.csv cannot be written: No space left on device"
fi

# A link stays a link: the file behind it is written.
echo before >real.svg
ln -s real.svg link.svg
expect 0 "$BRISTLE" plot ball.result ball.position.z -o link.svg
test -L link.svg
has real.svg "<svg"

# Pipes are not waited for.
mkfifo pipe pipe.trust.json
expect 1 "$BRISTLE" compare ball.result pipe
has err "'pipe' is not a result"
cp ball.result pipe.result
expect 0 "$BRISTLE" report pipe.result --template page.html
expect 0 "$BRISTLE" export pipe.result -o pipe.h5

# Numbers so small that their powers of ten end.
printf 't,x\n0,0\n1,5e-324\n2,1e-323\n' >small.csv
expect 0 "$BRISTLE" plot small.csv x -o small.svg
! grep -i -E 'nan|inf' small.svg
