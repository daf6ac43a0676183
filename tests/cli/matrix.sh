#!/bin/sh
# The matrix of elements and steppers: every cell has an answer, no step of one fails, and each refusal gives its reason.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

expect 0 "$BRISTLE" check --matrix --json
cp out matrix.json
python3 - <<'PY'
import json
cells = json.load(open("matrix.json"))["cells"]
names = {c["element"] for c in cells}
steppers = {c["stepper"] for c in cells}
assert len(steppers) == 4 and len(names) >= 30, (steppers, names)
assert len(cells) == len(steppers) * len(names) * (len(names) + 1) // 2, len(cells)
for c in cells:
    assert c["answer"] in ("takes", "in part", "refuses", "apart"), c
    assert (c["answer"] == "takes") == (c["text"] is None), c
    assert c["answer"] != "refuses" or c["code"].split("-")[0] in ("run", "reference", "kinematic"), c
alone = {(c["element"], c["stepper"]): c["answer"] for c in cells if c["beside"] is None}
for c in cells:  # energy that the time stepping makes has a book, and a step of 1 ms makes little of it; a ball that bounces at 0.1 m/s the most
    assert (c["made"] is not None) == (c["answer"] in ("takes", "in part")), c
    assert c["made"] is None or c["made"] < 0.025, c
for name in names:  # some stepper takes each, and contact takes all
    assert alone[name, "contact"] == "takes", name
refused = sorted(k for k in alone if alone[k] != "takes" and k[1] != "kinematic")
assert refused == [("clearance with coulomb", "implicit"), ("contact law: box", "reference"), ("contact law: polygon", "reference"),
                   ("coulomb in a ball joint", "implicit"), ("rolling friction", "reference"), ("tendon", "implicit")], refused
for c in cells:  # nothing is taken beside another that is refused alone
    if c["beside"] and c["answer"] in ("takes", "in part"):
        assert "refuses" not in (alone[c["element"], c["stepper"]], alone[c["beside"], c["stepper"]]), c
PY
expect 1 "$BRISTLE" check --matrix model.yaml
has err "--matrix has models of its own"
