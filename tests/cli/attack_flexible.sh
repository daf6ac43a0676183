#!/bin/sh
# Beams, clearances, statics and modes in hostile hands: every error is one line with a next step and, with --json, one object;
# what a run has found before it cannot go on is kept; nothing prints a number that is none.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

no_nan() {
    ! grep -q -i -E '(^|[ ,:])[-+]?(nan|inf)([ ,}]|$)' out || { echo "a number that is none:"; cat out; exit 1; }
}
# One object, from its first character to its last.
object() {
    test "$(head -c 1 out)" = "{" && test "$(tail -n 1 out | tail -c 2)" = "}" || { echo "no JSON object:"; cat out err; exit 1; }
}

cat >mast.yaml <<'Y'
format: 1
name: mast
beams:
  mast: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, section: {EI: 100, GJ: 80, EA: 1e6, kGA: 4e5, mass: 1}, attach: {0: world}}
loads:
  pull: {body: mast.s1, force: [0, 0, "$p*max(0, t - 0.005)"]}
params: {p: 1}
solver: {stepper: implicit, step: 1 ms}
run: {until: 20 ms, output: 1 ms}
outputs: [mast.s1.position.z, mast.s0.moment.y, energy.total]
Y

# A load that no beam bears: the time, what limits the step, and the rows before it.
for scheme in alpha energy_decaying; do
    expect 2 "$BRISTLE" run mast.yaml --set p=1e30 --set solver.scheme=$scheme --csv a.csv -o a.result
    has err "t = 0.005"
    has err "does not converge"
    has err "last step was limited by"
    has err "next: bristle explain implicit-step"
    has err "the last good state is at t = 0.005"
    test "$(wc -l <a.csv)" -ge 7 # names, 0 to 5 ms
    test -s a.result
    ! grep -q -i -E 'nan|inf' a.csv
    expect 2 "$BRISTLE" run mast.yaml --set p=1e30 --set solver.scheme=$scheme --no-result --json
    object
    has out '"code": "implicit-step"'
    no_nan
done

# Every verb, every kind of mistake: an object on stdout, nothing that is no number.
sed 's|elements: 4|elements: 0|' mast.yaml >zero.yaml
sed 's|EI: 100|EI: nan|' mast.yaml >nan.yaml
sed 's|attach: {0: world}|attach: {0: world, start: world}|' mast.yaml >twice.yaml
sed 's|to: \[1, 0, 0\]|to: [0, 0, 0]|' mast.yaml >short.yaml
sed 's|: {0: world}|: {0: nobody}|' mast.yaml >nobody.yaml
printf 'beams: [' >broken.yaml
for model in zero nan twice short nobody broken missing; do
    for verb in check run static modes "modes --critical" "modes --campbell 0:100:3" "modes --spin 10" convert; do
        case $verb in convert) set -- convert $model.yaml -o other.yaml ;; *) set -- $verb $model.yaml --json ;; esac
        expect 1 "$BRISTLE" "$@"
        has err "next: bristle explain"
        test "$verb" = convert || object
    done
done
for words in "static mast.yaml --steps 0" "static mast.yaml --steps -1" "static mast.yaml --until 0" "static mast.yaml --until nan" \
    "static mast.yaml --max-steps 0" "static mast.yaml --csv mast.yaml" "static mast.yaml --channels a --csv b.csv" \
    "modes mast.yaml --count 0" "modes mast.yaml --spin nan" "modes mast.yaml --spin 1 --axis 0,0,0" "modes mast.yaml --spin 1 --axis 1,0" \
    "modes mast.yaml --campbell 1:2" "modes mast.yaml --pin T" "modes mast.yaml --joint J --spin 1" "modes mast.yaml --spin 1" \
    "run mast.yaml --until nan" "run mast.yaml --until -1" "run mast.yaml --set solver.step=0" "run mast.yaml --set solver.step=1e-300" \
    "run mast.yaml --set solver.adaptive={smallest:2}"; do
    expect 1 "$BRISTLE" $words --json
    object
    has err "next: bristle "
    no_nan
done

# Names that a format would read.
sed "s|^  mast:|  'm%s%n%d':|; s|mast\\.s|m%s%n%d.s|g" mast.yaml >percent.yaml
expect 0 "$BRISTLE" run percent.yaml --csv p.csv --no-result
has p.csv "m%s%n%d.s1.position.z"
for verb in check static modes; do expect 0 "$BRISTLE" $verb percent.yaml --json; object; no_nan; done

# Nothing at all.
printf 'format: 1\n' >empty.yaml
expect 0 "$BRISTLE" static empty.yaml --json
object
expect 0 "$BRISTLE" modes empty.yaml --json
object
expect 1 "$BRISTLE" static empty.yaml --arc --json
object

# A ball metres outside its socket is said before it is run.
cat >far.yaml <<'Y'
format: 1
gravity: [0, -9.81, 0]
bodies: {d: {mass: 5, inertia: [0.01, 0.01, 0.01], pose: {position: [0, -5.0008, 0]}}}
clearances:
  T: {planar: [world, d], axis: z, at: {world: [0, 0, 0], d: [0, 0, 0]}, outer: 50 mm, inner: 49.5 mm, contact: {law: linear, stiffness: 1e6}}
solver: {stepper: implicit, step: 1 ms}
run: {until: 20 ms}
Y
expect 0 "$BRISTLE" check far.yaml
has out "pressed in by 5000 mm at the start"

# A long run ends on one signal, and one that is killed leaves its rows.
for signal in TERM 9; do
    "$BRISTLE" run mast.yaml --until 1e6 --set p=0 -o long.result --quiet >out 2>err &
    pid=$!
    until test -s long.result; do sleep 0.05; done
    sleep 1
    kill -$signal $pid
    code=0
    wait $pid || code=$?
    test "$signal" = 9 || test "$code" -eq 2
    test "$(wc -c <long.result)" -gt "$(wc -c <a.result)"
    rm long.result
done

# Settings that ask for steps which no clock tells apart are refused, or the run ends by itself.
for adaptive in "smallest=1e-30" "tolerance=1e-300" "contact.epsilon_p=1e-300" "friction.dtau_min=1e-300"; do
    got=0
    sed 's|step: 1 ms|step: 1 ms, adaptive: {smallest: 1e-7, contact: {q_min: 0.9}, friction: {v_min: 0.01}}|; s|\[0, -5.0008, 0\]|[0, 0, 0]|' far.yaml >tiny.yaml
    timeout 20 "$BRISTLE" run tiny.yaml --set "solver.adaptive.$adaptive" --no-result --json >out 2>err || got=$?
    test "$got" -le 2 || { echo "$adaptive: exit code $got"; cat out err; exit 1; }
    object
    no_nan
done
