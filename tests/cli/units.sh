#!/bin/sh
# Numbers carry the unit that they are in: torques of seals, slips of pins without a radius.
set -eu

has() {
    grep -q -F -- "$2" "$1" || { echo "'$2' is not in $1:"; cat "$1"; exit 1; }
}

cat >clutch.yaml <<'Y'
format: 1
gravity: [0, 0, 0]
bodies:
  a: {mass: 2 kg, inertia: [0.1, 0.1, 0.2]}
  b: {mass: 3 kg, inertia: [0.2, 0.2, 0.3]}
joints:
  shaft: {revolute: [world, a], axis: z, velocity: 1}
  plates: {revolute: [a, b], axis: z, velocity: -1, friction: {law: coulomb, mu: 1, load: {constant: 2 N m}}}
run: {until: 0.1 s}
Y
"$BRISTLE" check clutch.yaml >out
has out "constant load 2 N m"
"$BRISTLE" run clutch.yaml --no-result >out
has out " rad/s, the fastest slip of a joint that sticks"

cat >brake.yaml <<'Y'
format: 1
bodies: {cart: {mass: 2 kg, inertia: [0.1, 0.1, 0.2]}}
joints: {rail: {prismatic: [world, cart], axis: x, friction: {law: coulomb, mu: 1, load: {constant: 2 N}}}}
run: {until: 0.1 s}
Y
"$BRISTLE" check brake.yaml >out
has out "constant load 2 N"
"$BRISTLE" run brake.yaml --no-result >out
has out " m/s, the fastest slip of a joint that sticks"
