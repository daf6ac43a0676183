#!/bin/sh
# Ten planted faults: each must make bristle papers say that a number does not hold. Builds a copy of the tree, then each fault in
# turn. BRISTLE_FAULTS="3 7": only those. BRISTLE_FAULTS_TREE and BRISTLE_FAULTS_BUILD: a copy and its build that are there already;
# files are put back.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

copy=${BRISTLE_FAULTS_TREE:-$PWD/tree}
build=${BRISTLE_FAULTS_BUILD:-$copy/build/faults}
test -d "$copy" || { mkdir "$copy"; (cd "$BRISTLE_SOURCE" && git ls-files -z | xargs -0 tar cf -) | tar xf - -C "$copy"; }
test -f "$build/build.ninja" ||
    cmake -S "$copy" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >configure.log

# plant NUMBER NAME FILE OLD NEW PAPER: OLD, which stands in FILE, becomes NEW there, all of it.
plant() {
    case " ${BRISTLE_FAULTS:-$1} " in *" $1 "*) ;; *) return 0 ;; esac
    cp "$copy/$3" kept
    grep -q -F -- "$4" "$copy/$3" || fail "fault $1, $2: '$4' is not in $3 any more"
    awk -v old="$4" -v new="$5" '{ while ((k = index($0, old)) > 0) { printf "%s%s", substr($0, 1, k - 1), new
        $0 = substr($0, k + length(old)) } print }' kept >"$copy/$3"
    cmake --build "$build" --target bristle >build.log 2>&1 || { cp kept "$copy/$3"; fail "fault $1 does not build"; }
    got=0
    "$build/bristle" papers --only "$6" --json >"fault$1.json" 2>err || got=$?
    cp kept "$copy/$3"
    failed=$(tr '{' '\n' <"fault$1.json" | grep -c '"holds": false' || true)
    echo "fault $1, $2: $failed rows of $6 do not hold"
    test "$got" -eq 2 || fail "fault $1, $2: nobody noticed"
    test "$failed" -gt 0
}

plant 1 "the wheel's mu" scenes/papers/peiret_wheel.yaml "mu: 0.3" "mu: 0.303" peiret2016
plant 2 "b_mu" src/sim/contact/law.c "t->f_n_bound / t->speed" "t->f_n_bound / (2.0 * t->speed)" peiret2016
plant 3 "bristle force not carried" src/sim/contact/law.c "t->f_bristle = elastic_part(sim, t)" "t->f_bristle = br_vec3_zero(), (void)elastic_part" peiret2016
plant 4 "a load" scenes/papers/wojtyra_example_1.yaml "force: [48, -20, 0]" "force: [48.1, -20, 0]" wojtyra2017
plant 5 "mu_kinetic" scenes/papers/wojtyra_example_3.yaml "mu_kinetic: 0.3" "mu_kinetic: 0.303" wojtyra2017
plant 6 "Tan's E" src/sim/study/lcp/standard.c "+ k] = 1.0;" "+ k] = 1.01;" tan_liu
plant 7 "LuGre's rule" src/friction/lugre.c "w[i] * a.middle" "w[i] * a.whole" bauchau2006
plant 8 "EI of the shaft" scenes/papers/bauchau_rotor.yaml "28.2e3, 28.7e3" "28.4e3, 28.9e3" bauchau2006
plant 9 "Eq. 33" src/sim/stepper/implicit/element_friction.c "s->friction_alpha" "1.1 * s->friction_alpha" bauchau2006
plant 10 "Eq. 19" src/sim/stepper/implicit/element_clearance.c "pow(kappa, s->alpha)" "pow(kappa, 1.1 * s->alpha)" bauchau2006
