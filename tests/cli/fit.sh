#!/bin/sh
# bristle validate and bristle fit as a person uses them: a model, a recording of it with noise, a page, JSON, a fitted model, mistakes.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

cat >slider.yaml <<'END'
format: 1
name: slider
params:
  mu: {value: 0.2, from: 0.02, to: 0.6, source: assumed}
  m: 1 kg
bodies: {block: {mass: $m}}
joints: {rail: {prismatic: [world, block], axis: x, position: 0.3 m, spring: {stiffness: 50 N/m}, friction: {law: coulomb, mu_static: $mu, mu_kinetic: $mu, load: reaction}}}
solver: {step: 4 ms}
run: {until: 1 s, output: 20 ms}
END
expect 0 "$BRISTLE" run slider.yaml --set mu=0.1 --csv made.csv --channels rail.position --quiet
awk -F, 'NR == 1 { print "time,x [mm]"; next } { printf "%s,%.6f\n", $1, 1000 * $2 + (NR % 3 - 1) * (NR % 2 + 0.5) }' made.csv >data.csv
cat >spec.yaml <<'END'
model: slider.yaml
columns: {x: rail.position}
recordings: data.csv
start: model
size: {rail.position: 0.3 m}
fit: {for: [mu]}
laws:
  coulomb: {set: {}, for: [mu]}
  none: {set: {mu: 0}, for: [m]}
experiments:
  heavier: {set: {m: 2 kg}}
END

# Measured beside predicted: at mu 0.2 far off, at 0.1 within the noise.
expect 0 "$BRISTLE" validate spec.yaml
has out "rail.position: mean error "
has out "bands       none"
expect 0 "$BRISTLE" validate spec.yaml --set mu=0.1 --json
test "$(wc -l <out)" -eq 1
for key in set recording quantity unit measured predicted error relative_error rms coverage rows; do has out "\"$key\": "; done

# A page with both motions, and what is known of their credibility.
expect 0 "$BRISTLE" validate spec.yaml --set mu=0.1 --report page.html
has out "page        page.html"
for word in '"factor": "Numerical error"' '1 assumed, 0 with a distribution, 1 without a word' 'It stands beside a recording' 'This is the recording itself'; do
    has page.html "$word"
done
# What was measured has no ledger, no inputs and no channels but its own: of the two results one has each.
test "$(grep -c '"ledger": null' page.html)" -eq 1
test "$(grep -o '"factor": "Input pedigree"' page.html | wc -l)" -eq 1
test "$(grep -o '"name": "rail.velocity"' page.html | wc -l)" -eq 1

# Bands, where a parameter has a distribution.
sed 's/{value: 0.2.*/{uniform: [0.08, 0.12]}/' slider.yaml >spread.yaml
sed 's/model: slider/model: spread/' spec.yaml >spread_spec.yaml
expect 0 "$BRISTLE" validate spread_spec.yaml --draws 40
has out "quantiles of 40 draws"

# Bands: from ten recordings on.
expect 1 "$BRISTLE" validate spec.yaml --bands
has err "with 1 recording nine of ten cannot be told, 10 are the least"
for k in 0 1 2 3 4 5 6 7 8 9; do
    awk -F, -v k=$k 'NR == 1 { print; next } { printf "%s,%.6f\n", $1, $2 + (NR * (k + 3) % 7 - 3) * 0.4 + k * 0.3 * $1 }' data.csv >many_$k.csv
done
expect 0 "$BRISTLE" validate spec.yaml many_?.csv --set mu=0.1 --bands --draws 10
has out "of 10 ends lie within a band made from the other recordings"
has out "without what other recordings show: "
has out "for the next recording: "
expect 0 "$BRISTLE" fit spec.yaml many_?.csv --bands --quick --starts 0 --json
for key in bands coverage constant_radius input_coverage way_coverage noise_factor; do has out "\"$key\": "; done

# The fit, what it writes, and that the file is the model that was found.
expect 0 "$BRISTLE" fit spec.yaml -o fitted.yaml
has out "fit         converged"
has out "  mu                       0."
has out "by profile likelihood"
has out "next        heavier"
has fitted.yaml "source: \"fitted to spec, 90 % from"
expect 0 "$BRISTLE" check fitted.yaml
expect 0 "$BRISTLE" fit spec.yaml --for mu --json
test "$(wc -l <out)" -eq 1
for key in outcome estimates mu value low high unit interval correlations unidentifiable held_out_error law next; do has out "\"$key\": "; done

# The page of a fit: one file that refers to nothing outside itself, with the data in it.
expect 0 "$BRISTLE" fit spec.yaml --report fit.html
has out "page        fit.html"
for word in 'const fit={' '"profile": ' '"residual": ' '"heldOut": ' '"next": ' 'What the data cannot tell'; do has fit.html "$word"; done
for word in 'src="' '<link' '@import'; do lacks fit.html "$word"; done
expect 0 "$BRISTLE" fit spec.yaml --laws --quick --report laws.html
has laws.html '"name": "coulomb"'

# Two springs side by side: a profile that comes to a bound says what goes with it.
sed 's/stiffness: 50 N.m/stiffness: $a + $b/; s/m: 1 kg/m: 1 kg\n  a: {value: 20 N\/m, from: 5 N\/m, to: 80 N\/m}\n  b: {value: 30 N\/m, from: 5 N\/m, to: 80 N\/m}/' slider.yaml >springs.yaml
sed 's/model: slider/model: springs/' spec.yaml >springs_spec.yaml
expect 0 "$BRISTLE" fit springs_spec.yaml --for mu,a,b --starts 4
has out "not told    the data "

# Mass and friction of a spring that pulls: laws side by side.
expect 0 "$BRISTLE" fit spec.yaml --laws --quick
has out "held-out error"

# Mistakes.
expect 1 "$BRISTLE" fit slider.yaml data.csv --for nu
has err "no column has the name of a channel"
expect 1 "$BRISTLE" fit spec.yaml --for nu
has err "the model has no parameter 'nu'"
sed '5s/.*/0.06,/' data.csv >empty.csv
expect 1 "$BRISTLE" validate spec.yaml empty.csv
has err "empty.csv:5: row 4, column 'x': there is nothing"
printf 't\0,\0x\0\n\0' >wide.csv
expect 1 "$BRISTLE" validate spec.yaml wide.csv
has err "wide.csv:1:1: the file is UTF-16"
sed '1s/ \[mm\]//' data.csv >plain.csv
expect 1 "$BRISTLE" validate spec.yaml data.csv plain.csv
has err "plain.csv:1: column 'x' has no unit here and is in mm in the first recording"
awk 'NR == 1 { print $0 ",y" } NR > 1 { print $0 ",1" }' data.csv >more.csv
expect 0 "$BRISTLE" validate spec.yaml data.csv more.csv
has out "columns of more.csv that the first recording does not have are not used: y"
has out "columns without a unit are taken as SI: time"
expect 1 "$BRISTLE" validate spec.yaml none.csv
expect 1 "$BRISTLE" validate slider.yaml
has err "0 recordings"
expect 1 "$BRISTLE" fit spec.yaml -o spec.yaml
has err "would overwrite"
expect 1 "$BRISTLE" validate spec.yaml --start nowhere
has err "expected first_row, model or free_flight"
