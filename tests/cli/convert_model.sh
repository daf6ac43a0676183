#!/bin/sh
# MuJoCo models to model files: what is written reads back, what is left out is said.
set -eu
robots="$BRISTLE_SOURCE/tests/data/robots"

# The scenes are what convert makes of the robots.
for name in panda ur5e iiwa14 h1 anymal_c; do
    "$BRISTLE" convert "$robots/$name/$name.xml" -o "$name.yaml" >out
    grep -q "next: bristle check $name.yaml" out
    grep -v '^#\|^$' "$name.yaml" >a
    grep -v '^#\|^$\|^ground: \[{plane: ' "$BRISTLE_SOURCE/scenes/robots/$name.yaml" >b # the scenes have a floor besides
    cmp a b
done

# Joints with frictionloss rub; what is not represented is listed.
"$BRISTLE" convert "$robots/anymal_c/anymal_c.xml" -o x.yaml --strict >out
test "$(grep -c 'friction: {law: coulomb, mu_static: 1, mu_kinetic: 1, load: {constant: 0.1}}' x.yaml)" -eq 12
rm x.yaml
sed 's/frictionloss="0.1"/springdamper="1 1"/' "$robots/anymal_c/anymal_c.xml" >anymal.xml
"$BRISTLE" convert anymal.xml -o x.yaml >out
grep -q "not imported: <joint> springdamper, line 8 and 11 more: give stiffness" out
"$BRISTLE" convert anymal.xml -o x.yaml --json | grep -q '"motion: line 8: <joint> springdamper'
rm x.yaml
"$BRISTLE" convert anymal.xml -o x.yaml --strict 2>err && exit 1
grep -q "anymal.xml:8: <joint> springdamper" err
test ! -e x.yaml
"$BRISTLE" convert "$robots/panda/panda.xml" -o x.yaml --strict >out
rm x.yaml

# A model file can be written once more.
"$BRISTLE" convert "$robots/features/features.xml" -o one.yaml >out
"$BRISTLE" convert one.yaml -o two.yaml >out
grep -q "two.yaml: 11 bodies, 21 velocities" out

printf '<mujoco>\n<worldbody><body name="a">\n<inertial pos="0 0 0" mass="0"/><joint/></body></worldbody></mujoco>' >bad.xml
"$BRISTLE" convert bad.xml -o x.yaml 2>err && exit 1
grep -q "bad.xml:2:12: " err
"$BRISTLE" convert "$BRISTLE_SOURCE/tests/data/hostile/u_cycle.urdf" -o x.yaml 2>err && exit 1
grep -q "u_cycle.urdf:1:667: link 'b' is the child of joint 'j3' and of joint 'j1'" err
test ! -e x.yaml
