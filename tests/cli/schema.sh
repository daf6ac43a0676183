#!/bin/sh
# The schema that the program prints is the one of the tree, and every scene of the tree follows it.
set -eu
schema="$BRISTLE_SOURCE/schema/bristle-model-1.schema.json"

"$BRISTLE" schema >out.json
cmp out.json "$schema"
"$BRISTLE" schema --json >again.json
cmp again.json "$schema"
"$BRISTLE" schema extra 2>err && exit 1
grep -q "one argument too many" err

# Keys that the reader knows are in the schema: a key is added in both places or this fails.
for file in "$BRISTLE_SOURCE"/src/io/yaml/*.c; do
    tr '\n' ' ' <"$file" | grep -o 'keys\[\] = {[^}]*}' | grep -o '"[A-Za-z_0-9]*"' || true
done | sort -u >keys
test -s keys
while read -r key; do
    grep -q "$key: " "$schema" || { echo "the schema does not have the key $key"; exit 1; }
done <keys

# The rest needs a validator; it is no dependency of the project.
python3 -c 'import jsonschema, yaml' 2>/dev/null || exit 0
cat >validate.py <<'PYTHON'
import glob, json, re, sys, yaml
from jsonschema import Draft7Validator

class Core(yaml.SafeLoader):  # YAML 1.2: `no` is a word, 1e3 a number
    yaml_implicit_resolvers = {}

for kind, pattern in (("bool", "^(true|false)$"), ("null", "^(~|null|)$"), ("int", "^[-+]?[0-9]+$"),
                      ("float", r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")):
    Core.add_implicit_resolver("tag:yaml.org,2002:" + kind, re.compile(pattern), None)
Core.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))

schema = json.load(open(sys.argv[1]))
Draft7Validator.check_schema(schema)
validator = Draft7Validator(schema)
faults = 0
for path in sorted(glob.glob(sys.argv[2] + "/scenes/**/*.yaml", recursive=True)):
    model = yaml.load(open(path), Core)
    if "recordings" in model:  # a spec of measured data
        continue
    for error in validator.iter_errors(model):
        print(path, list(error.path), error.message[:200])
        faults += 1
wrong = ({"format": 2}, {}, {"format": 1, "bodys": {}}, {"format": 1, "bodies": {"a": {"inertia": [1, 1, 1]}}},
         {"format": 1, "joints": {"j": {"axis": "z"}}}, {"format": 1, "gravity": [0, 0]},
         {"format": 1, "joints": {"j": {"revolute": ["world", "a"], "prismatic": ["world", "a"]}}},
         {"format": 1, "drives": {"d": {"joint": "j"}}}, {"format": 1, "solver": {"stepper": "fast"}})
for model in wrong:
    if validator.is_valid(model):
        print("accepted:", model)
        faults += 1
sys.exit(faults > 0)
PYTHON
python3 validate.py out.json "$BRISTLE_SOURCE"
