#!/bin/sh
# Sweeps as arrays of Slurm, on a controller and a node that the test starts and stops itself: Debian's packages, unpacked here, on ports
# of their own. The table has the bytes of bristle sweep, also after the array was cancelled midway and given once more.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"
skip() { echo "SKIPPED: $*"; exit 77; }
command -v apt-get >/dev/null && command -v dpkg >/dev/null || skip "Slurm is unpacked from Debian's packages, and there is no apt-get"
mkdir slurm state spool debs
for package in slurmctld slurmd slurm-client slurm-wlm-basic-plugins; do
    (cd debs && timeout 120 apt-get download $package) >fetched 2>&1 || skip "$package cannot be fetched: $(tail -1 fetched)"
done
for package in debs/*.deb; do dpkg -x "$package" slurm; done
here=$PWD bin=$PWD/slurm/usr/bin sbin=$PWD/slurm/usr/sbin node=$(hostname -s) me=$(id -un)
lib=$(dirname "$(find "$here/slurm" -name libslurmfull.so | head -1)")
port=$((20000 + $$ % 20000))
export LD_LIBRARY_PATH="$lib" SLURM_CONF="$here/slurm.conf"
cat >slurm.conf <<C
ClusterName=sweep
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SlurmUser=$me
SlurmdUser=$me
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.log
PluginDir=$lib
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
C
"$sbin/slurmctld-wlm" -D -c >controller 2>&1 &
controller=$!
"$sbin/slurmd-wlm" -D -N "$node" -d "$sbin/slurmstepd-wlm" >daemon 2>&1 &
daemon=$!
stop() {
    "$bin/scancel" --state=RUNNING -u "$me" 2>/dev/null || true
    kill $daemon $controller 2>/dev/null || true
    wait $daemon $controller 2>/dev/null || true
}
trap stop EXIT
tries=0
until "$bin/sinfo" -h -o %T 2>/dev/null | grep -q idle; do
    tries=$((tries + 1))
    test $tries -lt 60 || skip "Slurm does not start here: $(tail -1 slurmctld.log slurmd.log 2>/dev/null | tr '\n' ' ')"
    sleep 0.5
done

cp "$BRISTLE_SOURCE/scenes/friction/door.yaml" .
cat >spec.yaml <<'Y'
model: door.yaml
vary: {mu: {from: 0.1, to: 0.3, steps: 20}, T: {from: 0.5, to: 2.4, steps: 20}}
until: 40 ms
columns: [hinge.position.end, hinge.velocity.max, verdict]
Y
"$BRISTLE" sweep spec.yaml -o whole --jobs 2 --quiet
job() { printf '#!/bin/sh\nexec "%s" sweep "%s/spec.yaml" -o "%s/%s"\n' "$BRISTLE" "$here" "$here" "$1" >"$1.sh"; }
queue() { "$bin/sbatch" --parsable "$@"; }
finish() { # finish JOB: until it is no longer in the queue
    tries=0
    while test -n "$("$bin/squeue" -h -j "$1" 2>/dev/null)"; do
        tries=$((tries + 1))
        test $tries -lt 300 || fail "the job $1 does not end: $("$bin/squeue")"
        sleep 0.5
    done
}
same() {
    test -f "$1/table.csv" || fail "$2: there is no table: $(cat "$1"-*.out)"
    cmp whole/table.csv "$1/table.csv" || fail "$2: the table has other bytes"
}

for tasks in 4 7; do
    job array$tasks
    finish "$(queue --array=0-$((tasks - 1)) -o "array$tasks-%a.out" array$tasks.sh)"
    same array$tasks "an array of $tasks"
    grep -q "of $tasks by Slurm's array" array$tasks-0.out || fail "the array was not noticed: $(cat array$tasks-0.out)"
done

job cancelled
number=$(queue --array=1-4 -o "cancelled-%a.out" cancelled.sh)
while test "$(cat cancelled/logs/*.log 2>/dev/null | wc -l)" -lt 40; do sleep 0.1; done
"$bin/scancel" "$number"
finish "$number"
test ! -f cancelled/table.csv || fail "the array was over before it was cancelled"
kept=$(cat cancelled/logs/*.log | wc -l)
finish "$(queue --array=1-4 -o "cancelled-%a.out" cancelled.sh)"
same cancelled "an array that was cancelled"
all=$(cat cancelled/logs/*.log | wc -l)
test "$all" -le 404 || fail "$all lines for 400 runs, of which $kept were there: runs were done twice"
