#!/bin/sh
# run, trust, check and report say the same of every scene, those with beams and play too.
# The budget is counted, so that a search that it ends ends at the same place in every verb.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

budget=100
judged=0
elastic=0
for scene in "$BRISTLE_SOURCE"/scenes/*/*.yaml; do
    name=${scene#"$BRISTLE_SOURCE"/scenes/}
    "$BRISTLE" check "$scene" --json >check.json 2>err || fail "$name: check fails: $(cat err)"
    code=0
    # Nothing rubs in joints: a verdict only when asked for, and then there is little to ask.
    if ! grep -q '"friction_joints": \[{' check.json; then
        case $name in
        friction/* | templates/* | papers/p* | contact/* | clearance/* | flexible/four_bar*) ;;
        *) continue ;;
        esac
    fi
    "$BRISTLE" trust "$scene" --json --strict --budget $budget >trust.json 2>err || code=$?
    test $code -eq 0 || test $code -eq 3 || continue # a step fails, in every verb
    "$BRISTLE" run "$scene" --trust --budget $budget --json -o kept.result >run.json 2>err || fail "$name: $(cat err)"
    cmp -s trust.json kept.trust.json || fail "$name: run --trust and trust differ"
    said=$(of_run run.json)
    test $code -eq 0 && test "$said" = true || { test $code -eq 3 && test "$said" != true; } ||
        fail "$name: trust --strict gives $code, run says credible $said"
    intervals trust.json >by_trust
    intervals run.json >by_run
    cmp -s by_trust by_run || fail "$name: the intervals of run differ"
    first=$(head -n 1 by_trust | cut -d' ' -f3)
    at_start=$(sed -n 's/.*"held": {.*"verdict": "\([a-z_]*\)".*/\1/p' check.json)
    case "$at_start$first" in
    *not_judged*) ;;
    "$first" | "$first$first") ;;
    *) fail "$name: check says $at_start at the start, trust $first" ;;
    esac
    # Unasked it may say less, never something else.
    "$BRISTLE" run "$scene" --json --no-result >unasked.json 2>err || fail "$name: $(cat err)"
    alone=$(of_run unasked.json)
    test "$alone" = null || test "$said" = null || test "$alone" = "$said" || fail "$name: credible $alone unasked, $said asked"
    judged=$((judged + 1))
    ! grep -qE '"(beams|clearances)": \[\{' check.json || elastic=$((elastic + 1))
done
test $judged -ge 30 || fail "only $judged scenes were judged"
test $elastic -ge 7 || fail "only $elastic scenes with beams or play were judged"

# The page has the verdicts that the run left, reasons and all.
"$BRISTLE" run "$BRISTLE_SOURCE/scenes/papers/wojtyra_example_2.yaml" --quiet -o page.result
"$BRISTLE" report page.result >/dev/null
grep -q 'it slid where other forces would have held it, 0.6964 to 1.847 s' page.html || fail "the page does not say why"

# A budget ends the search at the same place every time, says so, and names what rubs and the command that goes on.
"$BRISTLE" trust "$BRISTLE_SOURCE/scenes/robots/anymal_c.yaml" --budget 1 >out
grep -q 'credible    not judged' out || fail "a search that ended is called something else: $(cat out)"
grep -q 'LF_HAA, LF_HFE, LF_KFE and 9 more joints' out || fail "what was not judged has no name"
grep -q -- '--budget 10' out || fail "the command that goes on is missing"
"$BRISTLE" check "$BRISTLE_SOURCE/scenes/robots/anymal_c.yaml" >out
grep -q '^held        not judged: LF_HAA' out || grep -q 'at the start it' out || fail "check says nothing of the start"
code=0
"$BRISTLE" trust "$BRISTLE_SOURCE/scenes/robots/anymal_c.yaml" --budget 0 >out 2>err || code=$?
test $code -eq 1 && grep -q 'expected a number > 0' err || fail "a budget of nothing is taken"
