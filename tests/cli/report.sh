#!/bin/sh
# bristle report as a person runs it: a page from a log, from HDF5, of every stepper; what is missing of a cut result is said;
# names stay text. The page itself is looked at by tests/browser; here a template of two lines stands for it.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

scenes="$BRISTLE_SOURCE/scenes"
echo '<html><!--bristle-data--></html>' >page.html

# Each stepper; a plane model, beams, play, no shapes, nothing that moves, one row.
cat >still.yaml <<'YAML'
format: 1
bodies: {a: {mass: 1, inertia: [1, 1, 1]}}
joints: {w: {weld: [world, a]}}
run: {until: 10 ms}
YAML
echo 'format: 1' >nothing.yaml
make() {
    name=$1
    shift
    "$BRISTLE" run "$@" -o "$name.result" >out || fail "$name: the run fails"
    "$BRISTLE" report "$name.result" --template page.html >out || fail "$name: report fails"
    test "$(cat out)" = "report      $name.html" || fail "$name: report says $(cat out)"
    "$BRISTLE" export "$name.result" -o "$name.h5" >out || fail "$name: export fails"
    "$BRISTLE" report "$name.h5" -o "$name.h5.html" --template page.html >out || fail "$name: report of HDF5 fails"
    "$BRISTLE" plot "$name.result" energy.total -o "$name.svg" >out || fail "$name: plot fails"
    "$BRISTLE" export "$name.result" -o "$name.glb" >out || fail "$name: export to glTF fails"
}
make contact "$scenes/papers/peiret_wheel.yaml" --set run.until=0.05
make reference "$scenes/papers/peiret_wheel.yaml" --set run.until=0.05 --set solver.stepper=reference
make kinematic "$scenes/loads/crank.yaml" --set run.until=0.01
make plane "$scenes/benchmark/four_bar_2.yaml" --set run.until=0.05
make beam "$scenes/flexible/swinging_beam.yaml" --set run.until=0.01
make play "$scenes/clearance/slider_crank.yaml" --set run.until=0.005
make still still.yaml
make nothing nothing.yaml --set run.until=0.01
make row still.yaml --set run.until=0

# A cut result: the page shows what is there, and it is said where the person looks.
"$BRISTLE" run "$scenes/friction/door.yaml" -o door.result >out
size=$(wc -c <door.result)
head -c $((size - 20)) door.result >cut.result
"$BRISTLE" report cut.result door.result -o both.html --template page.html >out
grep -q '^note        cut.result: The result ends at t = .* s: the run was killed, or is still going' out ||
    fail "nothing said that the result is cut: $(cat out)"
test "$(wc -l <out)" -eq 2 || fail "a whole result has a note too: $(cat out)"
"$BRISTLE" report cut.result door.result -o both.html --template page.html --json >out
grep -q '"missing": \["The result ends at .*", null\]' out || fail "JSON: $(cat out)"

# Names are text, in whatever language they look like.
cat >names.yaml <<'YAML'
format: 1
name: "</script><script>alert(1)</script>%s%n"
bodies: {"<b>&%s": {mass: 1, inertia: [1, 1, 1]}}
run: {until: 10 ms}
YAML
"$BRISTLE" run names.yaml -o names.result >out
grep -q '^model       </script><script>alert(1)</script>%s%n' out || fail "the name is not shown as it is"
"$BRISTLE" report names.result --template page.html >out
test "$(grep -c '<script>alert' names.html)" -eq 0 || fail "a name ends the script of the page"
"$BRISTLE" plot names.result '<b>&%s.position.z' -o names.svg >out
grep -q '&lt;b&gt;&amp;%s.position.z' names.svg || fail "a name is markup in the figure"
