#!/bin/sh
# Runs of every stepper, killed at any time and taken up again, KILLS times in all (1,000): each result is readable after the kill, and
# once it is complete it has the bytes of a run that was never killed, but for the seconds that it took and the check of that record.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

scenes=$BRISTLE_SOURCE/scenes
cat >list <<LIST
$scenes/gallery/euler_disk.yaml
$scenes/loads/crank.yaml --set solver.stepper=kinematic --until 2
$scenes/contact/box_on_plane.yaml --until 20
$scenes/robots/anymal_c.yaml
$scenes/bench/tower_10.yaml --until 2
$scenes/clearance/journal.yaml
$scenes/flexible/rope.yaml
$scenes/papers/wojtyra_example_2.yaml --until 1 --set solver.restart=0.05
$scenes/papers/wojtyra_example_2.yaml --until 0.5
LIST

# Bytes in which two results differ, and the first of them counted from the end.
apart() {
    cmp -l "$1" "$2" 2>/dev/null | awk -v size="$(wc -c <"$1")" 'NR == 1 { first = size - $1 } END { print NR + 0, first + 0 }'
}

kills=${KILLS:-1000}
done=0 killed=0 lost=0
while [ "$done" -lt "$kills" ]; do
    while read -r model; do
        [ "$done" -lt "$kills" ] || break
        name=whole$(echo "$model" | cksum | cut -d ' ' -f 1).result
        # shellcheck disable=SC2086
        [ -f "$name" ] || "$BRISTLE" run $model --no-trust --quiet -o "$name"
        rm -f cut.result*
        # shellcheck disable=SC2086
        "$BRISTLE" run $model --no-trust --quiet --checkpoint 0.02 -o cut.result 2>/dev/null &
        process=$!
        # At a time that the number of the kill decides, up to 0.3 s.
        sleep "$(awk -v k="$done" 'BEGIN { srand(k); print 0.3 * rand() }')"
        kill -KILL $process 2>/dev/null && killed=$((killed + 1))
        wait $process 2>/dev/null || true
        done=$((done + 1))
        if [ ! -f cut.result ]; then # killed before its first row: there is nothing to go on with
            lost=$((lost + 1))
            continue
        fi
        "$BRISTLE" export cut.result -o cut.csv >/dev/null 2>&1 || fail "$model: kill $done leaves a result that cannot be read"
        "$BRISTLE" resume cut.result --no-trust --quiet || fail "$model: kill $done: resume fails"
        [ "$(wc -c <cut.result)" = "$(wc -c <"$name")" ] || fail "$model: kill $done: the result has another length"
        set -- $(apart "$name" cut.result)
        { [ "$1" -le 16 ] && [ "$2" -le 720 ]; } || fail "$model: kill $done: $1 bytes differ, the first $2 before the end"
    done <list
done
echo "$done runs, $killed killed, $lost of them before their first row; every other one went on with the same bytes"
