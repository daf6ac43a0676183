#!/bin/sh
# trust of a model, of a result, at an instant and at rest, run and check say the same of models that were computed by hand.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

models=$BRISTLE_SOURCE/tests/data/hand_models
wrong=0
compared=0
say() {
    echo "$@"
    wrong=$((wrong + 1))
}
verdict_of() { # of the one interval of a list
    sed -n 's/.*"verdict": "\([a-z_]*\)", "of": .*/\1/p' "$1" | head -n 1
}

for part in stack_ramp stack_pulled belt_slow driven_dahl towed_coulomb shaken_base wedge_opens_down braced_between_walls geared_shafts \
    rider_cone just_beyond_smooth geared_slides_ramp load_jumps jump_and_back incline_20 incline_metastable thrown_block screw_runs drawer_jams \
    feet_tip feet_metastable; do
    model=$(ls "$models"/*_"$part".yaml)
    code=0
    "$BRISTLE" trust "$model" --json --strict >trust.json 2>err || code=$?
    test $code -eq 0 || test $code -eq 3 || { say "$part: trust fails: $(cat err)" && continue; }
    "$BRISTLE" trust "$model" --at 0 --json >at.json
    "$BRISTLE" trust "$model" --at 0 --at-rest --json >rest.json
    start=$(verdict_of at.json)
    # At rest, whatever velocity it starts with: the same where nothing moves.
    if test "$start" != moves && test "$(verdict_of rest.json)" != "$start"; then
        say "$part: --at 0 says $start, --at-rest $(verdict_of rest.json)"
    fi
    "$BRISTLE" check "$model" --json >check.json
    held=$(sed -n 's/.*"held": {.*"verdict": "\([a-z_]*\)".*/\1/p' check.json)
    case "$held" in
    '' | not_judged | "$start") ;;
    *) say "$part: check says $held at the start, trust --at 0 $start" ;;
    esac
    intervals trust.json >by_trust
    test "$(head -n 1 by_trust | cut -d' ' -f3)" = "$start" || say "$part: the run begins with $(head -n 1 by_trust), --at 0 says $start"
    while read -r from to verdict; do
        at=$(echo "$from $to" | awk '$2 - $1 > 0.02 {print ($1 + $2)/2}')
        test -n "$at" || continue
        "$BRISTLE" trust "$model" --at "$at" --json >at.json
        test "$(verdict_of at.json)" = "$verdict" || say "$part: $verdict from $from to $to, --at $at says $(verdict_of at.json)"
        compared=$((compared + 1))
    done <by_trust
    "$BRISTLE" run "$model" --trust --json -o kept.result >run.json
    intervals run.json >by_run
    cmp -s by_trust by_run || say "$part: intervals of run: $(cat by_run), of trust: $(cat by_trust)"
    said=$(of_run run.json)
    { test $code -eq 0 && test "$said" = true; } || { test $code -eq 3 && test "$said" != true; } ||
        say "$part: trust --strict gives $code, run says credible $said"
    "$BRISTLE" trust kept.result --json >of_result.json
    intervals of_result.json >by_result
    cmp -s by_trust by_result || say "$part: intervals of the result's trust: $(cat by_result), of the model's: $(cat by_trust)"
done
test $compared -ge 20 || say "only $compared instants were compared"
test $wrong -eq 0
