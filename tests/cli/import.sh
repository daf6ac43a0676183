#!/bin/sh
# Models that import a robot: options by --set, what is added, what is said; one file of all of it.
set -eu
cat >arm.xml <<'XML'
<mujoco model="arm">
  <compiler angle="radian"/>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0"/>
      <geom type="capsule" size="0.04" fromto="0 0 0 0.4 0 0"/>
    </body>
  </worldbody>
  <actuator>
    <muscle joint="shoulder"/>
  </actuator>
  <keyframe>
    <key name="reach" qpos="-0.6"/>
  </keyframe>
</mujoco>
XML
printf 'format: 1\nimport: arm.xml\njoints:\n  shoulder: {damping: 2}\nrun: {until: 0.1}\n' >model.yaml

"$BRISTLE" check model.yaml >out
grep -q "not imported: <muscle>, line 10 of arm.xml" out
"$BRISTLE" run model.yaml --no-result --set import.keyframe=reach --csv t.csv --channels shoulder.position >out
sed -n 2p t.csv | grep -q '^0,-0.59999'
"$BRISTLE" run arm.xml --until 0.01 --no-result --set import.keyframe=reach --csv t.csv --channels shoulder.position >out
sed -n 2p t.csv | grep -q '^0,-0.59999'

"$BRISTLE" check arm.xml --set import.keyframe=raech 2>err && exit 1
grep -q "arm.xml:12:3: there is no keyframe 'raech'; did you mean 'reach'?" err
"$BRISTLE" check model.yaml --set import.strict=true 2>err && exit 1
grep -q "arm.xml:10: <muscle>" err

# convert makes one file of both, and takes the options.
"$BRISTLE" convert model.yaml -o whole.yaml --set import.keyframe=reach >out
grep -q "not imported: <muscle>" out
grep -q "position: -0.6" whole.yaml
"$BRISTLE" check whole.yaml >out
grep -q "bodies      1, " out

# Files elsewhere only when that is allowed.
mkdir -p sub
printf 'format: 1\nimport: ../arm.xml\n' >sub/model.yaml
"$BRISTLE" check sub/model.yaml 2>err && exit 1
grep -q "sub/model.yaml:2:9: '../arm.xml' is outside the model's folder" err
"$BRISTLE" check sub/model.yaml --set import.outside=true >out

# States of other programs name bodies as those do, with letters that names cannot have here.
printf '<mujoco><worldbody><body name="left/a"><joint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>' >slash.xml
printf '[{"qpos": [0.1], "qvel": [0], "jac_body": "left/a"}]' >slash.json
"$BRISTLE" dynamics slash.xml --state slash.json --json | grep -q '"jac_body": "left_a"'
