#!/bin/sh
# bristle-mpi: the table of a sweep under mpirun has the bytes of bristle sweep, also after a rank was killed and the whole started
# again. Skipped where OpenMPI is not installed.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"
mpi=$(dirname "$BRISTLE")/bristle-mpi
test -x "$mpi" || { echo "SKIPPED: bristle-mpi was not built (tools/install-deps mpi brings OpenMPI)"; exit 77; }
command -v mpirun >/dev/null || { echo "SKIPPED: there is no mpirun (tools/install-deps mpi)"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT || true
cp "$BRISTLE_SOURCE/scenes/friction/door.yaml" .
cat >spec.yaml <<'Y'
model: door.yaml
vary: {mu: {from: 0.1, to: 0.3, steps: 20}, T: {from: 0.5, to: 2.4, steps: 20}}
until: 40 ms
columns: [hinge.position.end, hinge.velocity.max, verdict]
Y
ranks() { mpirun --oversubscribe -n "$@"; }
same() { cmp whole/table.csv "$1/table.csv" || fail "$2: the table has other bytes"; }

mpirun --oversubscribe -n 2 true 2>err || { echo "SKIPPED: mpirun cannot start ranks here: $(head -1 err)"; exit 77; }
expect 0 "$BRISTLE" sweep spec.yaml -o whole --jobs 2
for n in 1 2 4; do
    expect 0 ranks $n "$mpi" sweep spec.yaml -o mpi$n
    same mpi$n "$n ranks"
done

# A rank dies, and MPI ends the others; then the same command.
ranks 4 "$mpi" sweep spec.yaml -o killed >begun 2>&1 &
process=$!
while kill -0 $process 2>/dev/null && test "$(cat killed/logs/*.log 2>/dev/null | wc -l)" -lt 40; do sleep 0.05; done
rank=$(ps -o pid= --ppid $process | tail -1)
test -z "$rank" || kill -s KILL $rank
wait $process && test ! -f killed/table.csv && fail "a rank was killed, and nobody noticed"
expect 0 ranks 4 "$mpi" sweep spec.yaml -o killed
same killed "a rank that was killed"
expect 0 "$BRISTLE" sweep spec.yaml -o killed --json # each goes on with the folder of the other
has out '"performed": 0'

# What is wrong is said once, and no rank waits for another.
limit=60
expect 1 mpirun --oversubscribe -n 3 "$mpi" sweep none.yaml -o none
test "$(grep -c 'there is no such file' err)" -eq 1 || fail "an error is told by every rank: $(cat err)"
expect 1 mpirun --oversubscribe -n 3 "$mpi" sweep spec.yaml
has err "expected sweep SPEC.yaml -o DIR"
