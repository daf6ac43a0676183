#!/bin/sh
# The schema is written from tables (tools/definitions.c). It accepts and refuses what the last one that was written by hand does
# (tests/data/schema_by_hand.json): every scene, every hostile file and 2,000 mutants of scenes. Files that use a key that came later
# are left out.
set -eu
python3 -c 'import jsonschema, yaml' 2>/dev/null || { echo "skipped: needs python3-jsonschema and python3-yaml"; exit 0; }
"$BRISTLE" schema >now.json
cat >compare.py <<'PYTHON'
import copy, glob, json, os, random, re, sys, yaml
from jsonschema import Draft7Validator

class Core(yaml.SafeLoader):  # YAML 1.2: `no` is a word, 1e3 a number
    yaml_implicit_resolvers = {}

for kind, pattern in (("bool", "^(true|false)$"), ("null", "^(~|null|)$"), ("int", "^[-+]?[0-9]+$"),
                      ("float", r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$")):
    Core.add_implicit_resolver("tag:yaml.org,2002:" + kind, re.compile(pattern), None)
Core.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))

now, hand, source = json.load(open(sys.argv[1])), json.load(open(sys.argv[2])), sys.argv[3]
Draft7Validator.check_schema(now)
validators = Draft7Validator(now), Draft7Validator(hand)

def keys_of(schema, out):  # every key that a schema knows anywhere, and every word
    if isinstance(schema, dict):
        out.update(schema["properties"] if isinstance(schema.get("properties"), dict) else ())
        out.update(w for w in schema.get("enum", ()) if isinstance(w, str))
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        keys_of(part, out)
    return out

later = keys_of(now, set()) - keys_of(hand, set())
words = sorted(keys_of(hand, set()))

def places(model, out):  # (container, key) of every value
    for key, value in (model.items() if isinstance(model, dict) else enumerate(model) if isinstance(model, list) else ()):
        out.append((model, key))
        places(value, out)
    return out

def uses_later(model):
    return any(key in later or (isinstance(box[key], str) and box[key] in later) for box, key in places(model, []))

values = (0, -1, 1.5, "2 mm", "abc", "x", "$mu", True, None, [], {}, [1, 2], [1, 2, 3], ["world", "a"], {"a": 1}, "inf",
          {"law": "coulomb", "mu": 0.2}, {"stiffness": 5}, {"constant": 3}, {"position": [0, 0, 1]}, "polygon(8)", "off")

def mutate(model, rng):
    box, key = rng.choice(places(model, []))
    what = rng.random()
    if what < 0.2:
        del box[key]
    elif what < 0.4 and isinstance(box, dict):
        box[rng.choice(words)] = box.pop(key)
    elif what < 0.7:
        maps = [b[k] for b, k in places(model, []) if isinstance(b[k], dict)] + [model]
        rng.choice(maps)[rng.choice(words)] = copy.deepcopy(rng.choice(values) if rng.random() < 0.7 else rng.choice(words))
    else:
        box[key] = copy.deepcopy(rng.choice(values) if rng.random() < 0.7 else rng.choice(words))

# A mutant that takes a key from another element of the same kind is likely to be accepted: half of them do.
def borrow(model, other, rng):
    pairs = [(s, n) for s in ("bodies", "joints", "loads", "drives", "beams", "clearances", "pairs", "constraints")
             for n in (model.get(s) if isinstance(model.get(s), dict) else ()) if isinstance(model[s][n], dict)]
    if not pairs: return
    section, name = rng.choice(pairs)
    lent = [e for e in (other.get(section) or {}).values() if isinstance(e, dict) and e] if isinstance(other.get(section), dict) else []
    for key in ("solver", "contact", "run"):
        if key in other and rng.random() < 0.3: model[key] = {**(model.get(key) or {}), **copy.deepcopy(other[key])}
    if lent:
        from_ = rng.choice(lent)
        key = rng.choice(sorted(from_))
        model[section][name][key] = copy.deepcopy(from_[key])

models, faults, counts = [], 0, {True: 0, False: 0}
def judge(model, name):
    global faults
    if uses_later(model): return
    new, old = (v.is_valid(model) for v in validators)
    counts[old] += 1
    if new != old:
        print(name, "is", "accepted" if new else "refused", "by the tables, not by hand:", json.dumps(model)[:1500])
        faults += 1

files = glob.glob(source + "/scenes/**/*.yaml", recursive=True) + glob.glob(source + "/tests/data/hostile/*.yaml")
for path in sorted(files):
    try:
        model = yaml.load(open(path), Core)
        judge(model, path)
    except (yaml.YAMLError, UnicodeError, RecursionError): continue  # an alias of what it stands in
    if isinstance(model, dict) and os.path.getsize(path) < 20000: models.append(model)
rng = random.Random(17)
for k in range(2000):
    model = copy.deepcopy(rng.choice(models))
    if rng.random() < 0.5: borrow(model, rng.choice(models), rng)
    else: mutate(model, rng)
    judge(model, "mutant %d" % k)
print("%d accepted, %d refused by both, %d told apart; keys that came later: %s"
      % (counts[True], counts[False], faults, ", ".join(sorted(later)) or "none"))
sys.exit(faults > 0 or counts[True] < 500 or counts[False] < 500)
PYTHON
python3 compare.py now.json "$BRISTLE_SOURCE/tests/data/schema_by_hand.json" "$BRISTLE_SOURCE"
