#!/bin/sh
# The implicit stepper, beams and clearances as a person meets them: check, run, what is refused.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

cat >blade.yaml <<'Y'
format: 1
name: blade
bodies: {bob: {mass: 0.5 kg, inertia: {sphere: {radius: 30 mm}}, pose: {position: [1, 0, 0]}}}
beams:
  blade:
    from: [0, 0, 0]
    to: [1, 0, 0]
    elements: 8
    section: {E: 210 GPa, nu: 0.3, density: 7800 kg/m^3, rectangle: {size: [30 mm, 1.5 mm]}}
    damping: 1e-3 s
    attach: {start: world, end: bob}
solver: {stepper: implicit, step: 1 ms}
run: {until: 20 ms, output: 5 ms}
outputs: [bob.position.z, blade.s0.moment.y, blade.s0.3.force.z]
Y

# Nodes of a beam are no bodies to a reader, and what carries them are no joints.
expect 0 "$BRISTLE" check blade.yaml
has out "bodies      1, total mass 0.851 kg with beams"
has out "beams       blade: 8 elements, 1 m, 0.351 kg, attached at 0, 1"
has out "run         implicit (energy_decaying, rho_infinity 0.8), step 0.001 s"
lacks out held
expect 0 "$BRISTLE" check blade.yaml --json
has out '"beams": [{"name": "blade", "elements": 8, "length": 1, '
has out '"clearances": []'
has out '"beam": "blade"'

# Written again it is the same model.
expect 0 "$BRISTLE" convert blade.yaml -o again.yaml
has out "again.yaml: 1 body, 1 beam, 48 velocities"
expect 0 "$BRISTLE" run blade.yaml --until 0 --no-result --json
hash=$(grep -o '"hash": "[0-9a-f]*"' out)
expect 0 "$BRISTLE" run again.yaml --until 0 --no-result --json
has out "$hash"

# What a run says of the scheme; channels along the beam, at nodes and between them.
expect 0 "$BRISTLE" run blade.yaml --csv a.csv
has out "beams       1, of 8 elements"
has out "scheme      energy_decaying, rho_infinity 0.8, steps of 0.001 s"
lacks out "mean step"
lacks out creep
test "$(head -n 1 a.csv)" = "t,bob.position.z,blade.s0.moment.y,blade.s0.3.force.z"
test "$(wc -l <a.csv)" -eq 6
expect 0 "$BRISTLE" run blade.yaml --csv b.csv --no-result
cmp a.csv b.csv
expect 0 "$BRISTLE" run blade.yaml --no-result --set solver.scheme=energy_decaying --set solver.rho_infinity=0.5
has out "scheme      energy_decaying, rho_infinity 0.5"
expect 0 "$BRISTLE" run blade.yaml --no-result --json
has out '"implicit": {"scheme": "energy_decaying", "rho_infinity": 0.8'
has out '"rejected": 0}'

# Steps that vary: how long they were and what limits them.
expect 0 "$BRISTLE" run blade.yaml --no-result --set solver.adaptive.tolerance=1e-6
has out "steps of at most 0.001 s"
has out "mean step "
has out "asked for by the local error "
expect 0 "$BRISTLE" run blade.yaml --no-result --set solver.adaptive.tolerance=1e-6 --csv c.csv --channels solver.step,solver.step_error
awk -F, 'NR > 1 && !($2 > 0 && $2 <= 0.001 && $3 > 0) { exit 1 }' c.csv

# On smooth rigid models the steppers agree: second order at 1 ms leaves 1.4e-6 rad here, the reference far less.
swing 2 'stepper: implicit, step: 1 ms, theta: 0.5' 'until: 0.35 s, output: 0.35 s'
echo 'outputs: [pin.position]' >>swing.yaml
for stepper in implicit contact reference; do
    expect 0 "$BRISTLE" run swing.yaml --no-result --set solver.stepper=$stepper --csv $stepper.csv
    tail -n 1 $stepper.csv >>ends
done
awk -F, '{ q[NR] = $2 } END { for (k = 1; k < 3; k++) if ((q[k] - q[3]) ^ 2 > 1e-11) exit 1 }' ends

# A joint with play: what check says of it, how deep it was pressed, events of its contact.
cat >drop.yaml <<'Y'
format: 1
name: drop
planar: xy
gravity: [0, -9.81, 0]
bodies: {disc: {mass: 5 kg, inertia: {disk: {radius: 49.5 mm, axis: z}}}}
clearances:
  hole:
    planar: [world, disc]
    at: [0, 0, 0]
    outer: 50 mm
    inner: 49.5 mm
    contact: {law: linear, stiffness: 15e6 N/m}
    friction: {law: lugre, mu: 0.3}
solver: {stepper: implicit, step: 1e-4 s, scheme: energy_decaying, adaptive: on}
run: {until: 20 ms, output: 1 ms}
Y
expect 0 "$BRISTLE" check drop.yaml
has out "clearances  hole: planar, gap 0.5 mm at the start"
lacks out "bristle trust"
expect 0 "$BRISTLE" run drop.yaml --events events.csv --csv d.csv --channels hole.gap,hole.force.normal
has out "clearances  1; pressed in by at most "
has out "asked for by contact "
lacks out "trust "
test ! -e drop.trust.json
grep -q contact_on,hole events.csv
grep -q contact_off,hole events.csv
awk -F, 'NR > 1 { if ($3 < 0 || ($2 > 1e-9 && $3 > 0)) exit 1 }' d.csv
expect 0 "$BRISTLE" check drop.yaml --json
has out '"clearances": [{"name": "hole", "type": "planar", "gap": 0.0005'

# No verdict unless it is asked for; then the pin is judged by its name.
expect 0 "$BRISTLE" run drop.yaml --no-result --trust
has out "trust       moves 0..0.0101 s; hole: sticks_robust"
expect 0 "$BRISTLE" run drop.yaml --no-result --strict
sed 's|at: \[0, 0, 0\]|at: [0, 0, 0], friction: {law: lugre, mu_static: 0.3, mu_kinetic: 0.2, pin_radius: 0.01}|' swing.yaml >rough.yaml
expect 0 "$BRISTLE" run rough.yaml
lacks out "trust "
test ! -e swing.trust.json
expect 0 "$BRISTLE" run rough.yaml --trust
has out "trust       "
lacks out "not judged"
test -s swing.trust.json

# What a stepper does not simulate is refused by name; check still looks at it.
for stepper in kinematic; do
    expect 1 "$BRISTLE" run blade.yaml --no-result --set solver.stepper=$stepper
    has err "beam 'blade' bends, and the $stepper stepper knows rigid bodies only"
    expect 1 "$BRISTLE" run drop.yaml --no-result --set solver.stepper=$stepper
    has err "hole"
    expect 0 "$BRISTLE" check blade.yaml --set solver.stepper=$stepper
    has out "beams       blade"
    has out "not possible: beam 'blade' bends"
done
expect 0 "$BRISTLE" run rough.yaml --no-result --set joints.pin.friction.law=coulomb
expect 1 "$BRISTLE" run rough.yaml --no-result --set joints.pin.friction.law=coulomb --set solver.scheme=alpha
has err "joint 'pin' has friction that jumps at rest, which scheme: alpha does not follow"

# A step that cannot converge: exit code 2, the cause and what limited the step; the rows before it are kept.
{ cat swing.yaml; echo 'drives: {motor: {joint: pin, torque: "sqrt(0.25 - t)"}}'; } >late.yaml
expect 2 "$BRISTLE" run late.yaml --csv late.csv -o late.result --set run.output=0.1
has err "drive 'motor' is not a finite number"
has err "3 rows are kept"
has out "status      failed at t = 0.25 s"
has out "taken again, shorter"
test "$(wc -l <late.csv)" -eq 4
lacks late.csv nan
test -s late.result

# Beams and play under the contact stepper; beside shapes that touch as well.
expect 0 "$BRISTLE" run blade.yaml --no-result --set solver.stepper=contact --until 0.1
lacks out "unaccounted  nan"
cat >both.yaml <<'Y'
format: 1
materials: {a: {}}
pairs: {a/a: {mu: 0.3}}
beams:
  b: {from: [0, 0, 0.2], to: [1, 0, 0.2], section: {E: 210 GPa, nu: 0.3, density: 7850, rectangle: {size: [20 mm, 10 mm]}}, attach: {start: world, end: tip}}
bodies: {tip: {mass: 1 kg, inertia: [1e-3, 1e-3, 1e-3], pose: {position: [1, 0, 0.2]}, shapes: [{name: tip, sphere: {radius: 50 mm}, material: a}]}}
ground: [{name: floor, plane: {}, material: a}]
run: {until: 20 ms}
Y
expect 0 "$BRISTLE" run both.yaml --no-result --until 0.1
has out "beams       1, of"
expect 0 "$BRISTLE" run both.yaml --set solver.stepper=implicit
lacks out "restitution"
expect 0 "$BRISTLE" run both.yaml --set solver.stepper=implicit --set pairs.a/a.restitution=0.5
has out "restitution of a/a at tip, which a beam carries: it changes with the beam's elements, and only 0 converges"
expect 1 "$BRISTLE" run both.yaml --set solver.stepper=implicit --set solver.scheme=alpha
has err "tip could touch floor, which scheme: alpha does not follow; use scheme: energy_decaying, or exclude the two bodies"

# Contacts beside a joint that rubs: what is not judged is not "contacts alone".
cat > beside.yaml <<'YAML'
format: 1
planar: xz
materials: {m: {}, g: {}}
pairs: {m/g: {mu: 0.4}}
bodies: {a: {mass: 1, inertia: 0.01, pose: {position: [0, 0, 0.1]}, shapes: [{sphere: {radius: 0.1}, material: m}]}}
joints: {rail: {prismatic: [world, a], axis: [0, 0, 1], friction: {law: lugre, mu: 0.2, load: {constant: 1}}}}
ground: [{plane: {normal: [0, 0, 1]}, material: g}]
solver: {stepper: implicit, step: 1 ms}
run: {until: 0.05}
YAML
expect 0 "$BRISTLE" run beside.yaml --no-result
has out "trust       not judged (under this stepper only when asked for)"
