#!/bin/sh
# Sweeps: the table has the same bytes for any number of jobs and shards, and after anything that can happen on the way.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_STEP SLURM_CPUS_PER_TASK || true
cp "$BRISTLE_SOURCE/scenes/friction/door.yaml" .

cat >spec.yaml <<'Y'
# 120 doors, of which some stick
model: door.yaml
vary:
  mu: {from: 0.1, to: 0.3, steps: 12}
  T: {from: 0.5 N m, to: 2.3 N m, steps: 10}
until: 30 ms
columns: [hinge.position.end, hinge.velocity.max, "event(slip, hinge, 1).t", energy.kinetic.mean]
Y
RUNS=120

sweep() { "$BRISTLE" sweep spec.yaml "$@"; }
same() { # same FOLDER WORDS
    test -f "$1/table.csv" || fail "$2: there is no table"
    cmp -s whole/table.csv "$1/table.csv" || { diff whole/table.csv "$1/table.csv" | head -5; fail "$2: the table has other bytes"; }
}
number() { sed "s/.*\"$1\": \([0-9]*\).*/\1/" out; } # of the JSON in out

# --- the table ---------------------------------------------------------------------------------------------------

expect 0 sweep -o whole --jobs 1
has out "sweep       120 runs: 120 ok"
test "$(wc -l <whole/table.csv)" -eq $((RUNS + 1)) || fail "the table has not a row for each run"
test "$(head -1 whole/table.csv)" = 'run,mu,T,hinge.position.end,hinge.velocity.max,"event(slip, hinge, 1).t",energy.kinetic.mean,status,hash,error' ||
    fail "the names of the table are others: $(head -1 whole/table.csv)"
cut -d, -f1 whole/table.csv | tail -n +2 | awk '$1 != NR - 1 { exit 1 }' || fail "rows are not in the order of the runs"
# A row is the run that --set makes: run 57 has mu = 0.1 + 5/11 * 0.2 and T = 0.5 + 7/9 * 1.8.
row=$(sed -n '59p' whole/table.csv)
"$BRISTLE" run door.yaml --set "mu=$(echo "$row" | cut -d, -f2)" --set "T=$(echo "$row" | cut -d, -f3) N m" --until 0.03 \
    --csv one.csv --channels hinge.position --no-result --quiet
test "$(tail -1 one.csv | cut -d, -f2)" = "$(echo "$row" | cut -d, -f4)" || fail "row 57 is not what bristle run gives: $row"
has whole/manifest "  # 120 doors, of which some stick"

# The page draws that table, and needs nothing but itself.
sed -n '/<pre id="table"/,/<\/pre>/p' whole/index.html | sed '1d;$d' | cmp - whole/table.csv || fail "the page has another table"
sed 's|href="reports/||' whole/index.html | grep -q 'src=\|href=\|http' && fail "the page refers to something else than its own reports"
# A run with its report, to which the page then links; the table stays.
cp whole/table.csv before.csv
expect 0 sweep -o whole --report 57 --quiet
test -s whole/reports/57.html || fail "--report 57 made no page"
has whole/index.html 'reports:[57]'
cmp before.csv whole/table.csv || fail "--report changed the table"
expect 1 sweep -o whole --report 120 # the last is 119
if command -v node >/dev/null; then
    sed -n '/^<script>/,/^<\/script>/p' whole/index.html | sed '1d;$d' >page.js
    node --check page.js || fail "the script of the page is broken"
fi

# A figure has a point per run; words colour, and do not stand on an axis.
expect 0 "$BRISTLE" plot whole hinge.position.end --x T --by mu -o figure.svg
has out "figure.svg, 120 points of 120 runs"
test "$(grep -o 'mu = 0\.' figure.svg | wc -l)" -eq 12 || fail "the figure has not a colour for each mu"
expect 0 "$BRISTLE" plot whole/table.csv hinge.velocity.max --log -o figure.png --json
moved=$(tail -n +2 whole/table.csv | awk -F, '$5 > 0' | wc -l)
has out "\"points\": $moved,"
expect 0 "$BRISTLE" plot whole
has out "hinge.velocity.max                       numbers"
expect 1 "$BRISTLE" plot whole hinge.velocity.mx
has err "did you mean 'hinge.velocity.max'?"
expect 1 "$BRISTLE" plot whole status
has err "has words"
expect 1 "$BRISTLE" plot whole hinge.position.end --x hnge
expect 1 "$BRISTLE" plot whole hinge.position.end --by hash # 120 colours
has err "more than"

# The table as HDF5 has the columns of the CSV file, numbers to the bit.
expect 0 sweep -o whole --table doors.h5
has out "table       whole/table.csv and doors.h5, 120 rows"
for python in /usr/bin/python3 python3; do
    command -v $python >/dev/null 2>&1 && $python -c 'import h5py' 2>/dev/null || continue
    $python - whole/table.csv doors.h5 <<'P' || fail "HDF5 and CSV have other tables"
import csv, h5py, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
file = h5py.File(sys.argv[2])
table = file["table"]
assert file.attrs["format"] == b"bristle sweep" and file["spec"], dict(file.attrs)
assert set(table) == set(rows[0]), list(table)
for name, column in table.items():
    for value, row in zip(column, rows):
        same = value.decode() == row[name] if column.dtype.kind == "S" else value == float(row[name] or "nan") or (math.isnan(value) and not row[name])
        assert same and len(column) == len(rows), (name, value, row[name])
assert table["T"].attrs["unit"] == b"N m" and table["T"].dtype.kind == "f" and all(table[k].dtype.kind == "S" for k in ("status", "hash", "error"))
P
    break
done
expect 1 sweep -o whole --table doors.txt
has err "expected a name that ends in .csv, .h5 or .hdf5"
expect 1 sweep -o whole --table /nowhere/doors.h5

# --- any number of jobs and shards -------------------------------------------------------------------------------

expect 0 sweep -o two --jobs 2
same two "2 jobs"
for shards in 4 7; do
    for k in $(seq 0 $((shards - 1))); do
        test ! -f "sharded$shards/table.csv" || fail "the table was written before shard $k of $shards"
        expect 0 sweep -o sharded$shards --shard "$k/$shards"
    done
    same sharded$shards "$shards shards"
done
for k in 0 1 2; do sweep -o beside --shard $k/3 --quiet & done
wait
same beside "3 shards at the same time"
for id in 3 5 7 9; do # sbatch --array=3-9:2
    SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_STEP=2 \
        "$BRISTLE" sweep spec.yaml -o slurm >out
    has out "by Slurm's array"
done
same slurm "an array of Slurm"
expect 1 env SLURM_ARRAY_TASK_ID=4 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_STEP=1 \
    "$BRISTLE" sweep spec.yaml -o slurm
has err "no shard"

# --- nothing twice -----------------------------------------------------------------------------------------------

expect 0 sweep -o whole --json
test "$(number performed)" -eq 0 || fail "runs that are there were done again"
sed 's/^# 120 doors.*/# another comment/' spec.yaml >x && mv x spec.yaml
expect 0 sweep -o whole --json
test "$(number performed)" -eq 0 || fail "a comment in the spec made it another one"

# --- kills -------------------------------------------------------------------------------------------------------

lines() { cat "$1"/logs/*.log 2>/dev/null | wc -l; }
begin() { # begin FOLDER COUNT: a sweep in the background that has written COUNT lines
    rm -rf "$1"
    "$BRISTLE" sweep spec.yaml -o "$1" --jobs 2 >begun 2>&1 &
    process=$!
    while kill -0 $process 2>/dev/null && test "$(lines "$1")" -lt "$2"; do :; done
}
for signal in KILL INT TERM; do
    begin killed 20
    kill -s $signal $process 2>/dev/null || true
    code=0
    wait $process 2>/dev/null || code=$?
    test $signal = KILL || test $code -eq 2 || test -f killed/table.csv || fail "SIG$signal: exit code $code, expected 2"
    expect 0 sweep -o killed --jobs 2 --json
    same killed "SIG$signal"
    test "$(number performed)" -lt $RUNS || fail "SIG$signal: everything was done once more"
done
begin worker 20
worker=$(ps -o pid= --ppid $process | head -1)
test -z "$worker" || kill -s KILL $worker 2>/dev/null || true
wait $process || fail "a worker that was killed ends the sweep: $(cat begun)"
same worker "a killed worker"

# --- logs that are cut -------------------------------------------------------------------------------------------

log=$(ls whole/logs/*w0*.log | head -1)
bytes=$(wc -c <"$log")
for at in 0 1 17 18 19 20 100 $((bytes / 2)) $((bytes - 2)) $((bytes - 1)); do
    rm -rf cut && cp -r whole cut && rm cut/table.csv
    head -c $at "$log" >"cut/${log#whole/}"
    kept=$(head -c $at "$log" | wc -l)
    expect 0 sweep -o cut --jobs 1 --json
    same cut "a log cut at byte $at"
    test "$(number performed)" -eq $((RUNS - kept)) || fail "cut at byte $at: $(number performed) runs, $kept were kept"
done
rm -rf cut && cp -r whole cut
sed 's/,ok,/,okk,/; s/^\(.\{40\}\)5/\16/' "$log" >"cut/${log#whole/}" # altered lines do not count
expect 0 sweep -o cut --jobs 2
has out "lines are of the logs not whole and were not counted"
same cut "altered lines"
printf 'rubbish\n\n\0\377\n' >cut/logs/a-0000.log
rm cut/table.csv
expect 0 sweep -o cut
same cut "rubbish in a log"

# --- a full disk -------------------------------------------------------------------------------------------------

rm -rf full
expect 1 sh -c 'ulimit -f 4; exec "$BRISTLE" sweep spec.yaml -o full --jobs 1'
has err "sweep-write"
has err "the same command goes on with it"
test ! -f full/table.csv || fail "a full disk leaves a table"
kept=$(lines full)
test "$kept" -gt 5 || fail "a full disk leaves $kept lines"
expect 0 sweep -o full --jobs 2 --json
same full "a full disk"
test "$(number performed)" -eq $((RUNS - kept)) || fail "a full disk: $(number performed) runs again, $kept were kept"

# --- runs that crash ---------------------------------------------------------------------------------------------

cat >long.yaml <<'Y'
model: door.yaml
vary: {run.until: [10 ms, 1e6 s, 20 ms]}
set: {T: 2, run.output: 10 ms}
design: list
columns: [hinge.position.end]
Y
"$BRISTLE" sweep long.yaml -o long --jobs 1 >out 2>&1 &
process=$!
first=
for time in 1 2; do
    worker=$first
    while test "$worker" = "$first"; do worker=$(ps -o pid= --ppid $process | tr -d ' '); done
    first=$worker
    sleep 0.5 # it reaches the long run
    kill -s KILL $worker
done
wait $process
has out "2 ok, 1 crashed"
has long/table.csv "crashed,,\"sweep-crashed: its process was ended twice, the second time by signal 9" ||
    has long/table.csv "crashed,,sweep-crashed: its process was ended twice"
expect 0 "$BRISTLE" sweep long.yaml -o long --json
test "$(number performed)" -eq 0 || fail "a run that is booked as crashed is done again without --retry"
expect 3 "$BRISTLE" sweep long.yaml -o long --strict

# --- designs -----------------------------------------------------------------------------------------------------

design() { # design NAME VARY DESIGN: its table as NAME.csv
    printf 'model: door.yaml\nvary: {%s}\ndesign: %s\nuntil: 1 ms\ncolumns: [t.end]\n' "$2" "$3" >"$1.yaml"
    rm -rf "$1"
    expect 0 "$BRISTLE" sweep "$1.yaml" -o "$1" --jobs 2
    cp "$1/table.csv" "$1.csv"
}
design latin 'mu: {from: 0, to: 1}, T: {normal: [1, 0.1]}' 'latin(50)'
cut -d, -f2 latin.csv | tail -n +2 | awk '{ n[int($1 * 50)]++ } END { for (k = 0; k < 50; k++) if (n[k] != 1) exit 1 }' ||
    fail "a Latin hypercube does not have a value in each part"
design random 'mu: {uniform: [0, 1]}' 'random(40)'
design more 'mu: {uniform: [0, 1]}' 'random(60)'
head -41 more.csv | cut -d, -f1,2 >a && cut -d, -f1,2 random.csv >b
cmp -s a b || fail "random(60) does not begin as random(40) does"
printf 'value,weight\n0.25,1\n0.5,0\n0.75,3\n' >measured.csv
design table 'mu: {table: measured.csv}' 'random(200)'
cut -d, -f2 table.csv | tail -n +2 | sort | uniq -c | awk '{ n[$2] = $1 } END { exit !(n["0.25"] > 25 && n["0.25"] < 75 && n["0.25"] + n["0.75"] == 200) }' ||
    fail "a table of values is not drawn by its weights"
design list 'mu: [0.1, 0.2], solver.stepper: [reference, contact]' list
cut -d, -f2,3 list.csv | tail -n +2 | tr '\n' ' ' | grep -q '^0.1,reference 0.2,contact $' || fail "design: list does not go in parallel"
design factors 'mu: {from: 0.001, to: 10, steps: 5, scale: log}' grid
cut -d, -f2 factors.csv | tail -n +2 | tr '\n' ' ' | grep -q '^0.001 0.01 0.1 1 10 $' || fail "scale: log has other steps: $(cut -d, -f2 factors.csv)"

# --- bad input ---------------------------------------------------------------------------------------------------

bad() { # bad CODE VARY [COLUMNS] [MORE]
    printf 'model: door.yaml\nvary: {%s}\ncolumns: [%s]\n%s\n' "$2" "${3:-hinge.position.end}" "${4:-}" >bad.yaml
    expect 1 "$BRISTLE" sweep bad.yaml -o bad
    has err "$1"
    test ! -e bad || fail "$1: something was written"
}
bad "bad.yaml:2:8: there is no parameter or key 'nu'" 'nu: [0.1, 0.2]'
bad sweep-range-empty 'mu: []'
bad sweep-range-empty 'mu: {from: 0.3, to: 0.3, steps: 5}'
bad sweep-range-empty 'mu: {from: 0.3, to: 0.4, steps: 1}'
bad sweep-too-many 'mu: {from: 0, to: 1, steps: 1000000}, T: {from: 0, to: 1, steps: 1000000}'
bad sweep-too-many 'mu: {from: 0, to: 1}' '' 'design: random(1000000000000)'
bad sweep-levels 'mu: {from: 0.1, to: 0.3}'
bad sweep-levels 'mu: [0.1], T: [1, 2]' '' 'design: list'
bad sweep-vary 'mu: 0.3'
bad sweep-vary ''
bad sweep-vary 'mu: [0.3]' '' 'set: {mu: 0.1}'
bad sweep-units 'mu: {from: 10 deg, to: 1 rad, steps: 3}'
bad sweep-number 'mu: {from: low, to: 1, steps: 3}'
bad sweep-distribution 'mu: {normal: [0.3, 0]}' '' 'design: random(5)'
bad sweep-distribution 'mu: {lognormal: [0.3, 0.5]}' '' 'design: random(5)'
bad sweep-table 'mu: {table: none.csv}' '' 'design: random(5)'
bad sweep-design 'mu: [0.1]' '' 'design: latin'
bad "did you mean 'design'" 'mu: [0.1]' '' 'desing: grid'
bad "bad.yaml:3:11: there is no channel 'hinge.positin'" 'mu: [0.1]' 'hinge.positin.end'
bad column-form 'mu: [0.1]' 'hinge.position.average'
bad column-form 'mu: [0.1]' 'hinge.position.end, event(slip, hinge, 1).t'
bad column-element 'mu: [0.1]' '"event(slip, hnge, 1).t"'
bad batch-time 'mu: [0.1]' 'hinge.position.mean' 'after: 5 s'
expect 1 "$BRISTLE" sweep door.yaml
has err "this is a model"
expect 1 "$BRISTLE" sweep spec.yaml -o .
has err sweep-folder
expect 1 "$BRISTLE" sweep long.yaml -o whole # of another spec
has err sweep-other-spec
same whole "a refused sweep"
echo '# changed' >>door.yaml
expect 1 sweep -o whole
has err "this one before it was changed"
expect 1 sweep -o whole --shard 4/4
has err "shards count from 0"
expect 1 sweep -o whole --merge --jobs 2
printf 'model: door.yaml\nvary: {mu: [-1, 0.2]}\ncolumns: [hinge.position.end, verdict]\n' >failing.yaml
expect 0 "$BRISTLE" sweep failing.yaml
has out "1 ok, 1 failed"
has failing.sweep/table.csv '0,-1,,,failed,,"model-negative: '
has failing.sweep/table.csv '1,0.2,0,sticks_robust,ok,'
