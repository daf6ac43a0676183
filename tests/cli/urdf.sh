#!/bin/sh
# URDF robots as a person meets them: check, run, dynamics and convert read them; mistakes have their place.
set -eu
data=$BRISTLE_SOURCE/tests/data/urdf

"$BRISTLE" check "$data/everything.urdf" >out
grep -q "model       everything" out
grep -q "bodies      9, total mass 11.95 kg" out
grep -q "coordinates nq = 14, nv = 13" out
if grep -q "note " out; then exit 1; fi

# The same mass matrix from the robot and from the model file that it is converted to.
"$BRISTLE" convert "$data/everything.urdf" -o everything.yaml --strict >out
grep -q "everything.yaml: 9 bodies, 13 velocities" out
"$BRISTLE" dynamics "$data/everything.urdf" --state "$data/oracle.json" --json >one.json
"$BRISTLE" dynamics everything.yaml --state "$data/oracle.json" --json >two.json
test "$(grep -o '"M"' one.json | wc -l)" -eq 5
test "$(grep -o '"M"' two.json | wc -l)" -eq 5

# A root of an .xml file decides, not the ending; --set works on robots, too.
cp "$data/everything.urdf" robot.xml
"$BRISTLE" check robot.xml --set solver.step=0.5ms >out
grep -q "run         contact, step 0.0005 s" out

printf '<robot name="r">\n<link name="base"/>\n<link name="arm"/>\n<joint name="j" type="hinge">\n' >bad.urdf
printf '<parent link="base"/><child link="arm"/></joint>\n</robot>\n' >>bad.urdf
"$BRISTLE" check bad.urdf 2>err && exit 1
grep -q "bad.urdf:4:1: joint 'j' has the type 'hinge', expected revolute, continuous" err
sed 's/hinge/continuous/' bad.urdf >massless.urdf
"$BRISTLE" run massless.urdf 2>err && exit 1
grep -q "massless.urdf:3:1: body arm has no mass and carries none, but joint j lets it move" err
printf '<robot xmlns:xacro="x">\n<xacro:include filename="a"/></robot>' >robot.urdf
"$BRISTLE" check robot.urdf 2>err && exit 1
grep -q "robot.urdf:2:1: this is a xacro file" err
grep -q "xacro robot.urdf.xacro > robot.urdf" err
"$BRISTLE" explain urdf-tree >out
grep -q "no tree with one root" out
