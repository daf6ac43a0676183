#!/bin/sh
# bristle solve as a person runs it.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

data="$BRISTLE_SOURCE/tests/data/complementarity"

# Plain text.
expect 0 "$BRISTLE" solve "$data/lcp_deudeu.cp"
for word in "status      converged" residual iterations seconds solver path islands "lcp_deudeu (LCP): 2 rows" next; do has out "$word"; done
test ! -s err

# JSON: one line, the keys that others rely on.
expect 0 "$BRISTLE" solve "$data/lcp_deudeu.cp" --json
test "$(wc -l <out)" -eq 1
for key in status residual iterations seconds solver path; do has out "\"$key\": "; done
has out '{"status": "converged", "residual": '
has out '"certificate": null'

# -o: a line `p w` for each row; the same bits every time, for 1 and 2 threads.
expect 0 "$BRISTLE" solve "$data/lcp_trivial.cp" -o answer.txt
test "$(wc -l <answer.txt)" -eq 9
awk 'NF != 2 || ($1 - 1 / NR) ^ 2 > 1e-16 || $2 ^ 2 > 1e-16 { exit 1 }' answer.txt
expect 0 "$BRISTLE" solve "$data/lcp_trivial.cp" --threads 2 -o again.txt
cmp answer.txt again.txt
test "$(ls | grep -c tmp)" -eq 0

# Heavy on light: impulses a thousand million times the load. What rounding of them leaves is above the tolerance, and the status says so.
cat >heavy.cp <<'END'
TYPE FC3D
nc 2
MATRIX W 6 6 12
0 0 1
1 1 1
2 2 1
0 3 -1
1 4 -1
2 5 -1
3 0 -1
4 1 -1
5 2 -1
3 3 1.0000000123457
4 4 1.0000000123457
5 5 1.0000000123457
VECTOR q 6
-0.987654321
0
0
0
0
0
VECTOR mu 2
0.5
0.5
END
expect 0 "$BRISTLE" solve heavy.cp --tol 1e-6
expect 2 "$BRISTLE" solve heavy.cp --tol 1e-9
for word in "status      rounding" "of the load" "rounding of impulses this large leaves" "--tol 1e-06"; do has out "$word"; done
expect 2 "$BRISTLE" solve heavy.cp --tol 1e-9 --json
has out '"status": "rounding"'
has out '"rounding_of_load": '

# GFC: contact rows, then `# v` and the velocities.
expect 0 "$BRISTLE" solve "$data/GFC3D_Example0.cp" --output=gfc.txt
test "$(grep -n '^# v$' gfc.txt | cut -d: -f1)" -eq 4
test "$(wc -l <gfc.txt)" -eq 13

# Through a link the file behind it is replaced; a pipe is written in place; our own stdout is refused, not replaced.
ln -s real.txt link.txt
echo old >real.txt
expect 0 "$BRISTLE" solve "$data/lcp_trivial.cp" -o link.txt
test -L link.txt
cmp answer.txt real.txt
"$BRISTLE" solve "$data/lcp_deudeu.cp" -o /dev/stderr 2>&1 >/dev/null | cat >piped.txt
test "$(wc -l <piped.txt)" -eq 2
expect 1 "$BRISTLE" solve "$data/lcp_deudeu.cp" -o out
has err "is also a standard stream"

# A warm start from an answer; a trace on stderr.
expect 0 "$BRISTLE" solve "$data/Rover1039.cp" -o start.txt
expect 0 "$BRISTLE" solve "$data/Rover1039.cp" --start start.txt --trace --json
has out '"status": "converged"'
expect 0 "$BRISTLE" solve "$data/Rover1039.cp" --trace --solver newton
has err "iteration "
has err residual
for method in newton interior gauss_seidel; do
    "$BRISTLE" solve "$data/Rover1039.cp" --trace --solver $method >out 2>err || true
    lacks err nan
done
"$BRISTLE" solve "$data/lcp_deudeu.cp" --trace --solver lemke >out 2>err
lacks err nan

# No solution: 2, and no answer is written.
expect 2 "$BRISTLE" solve "$data/none_1.cp" -o none.txt
has out "status      infeasible"
has out "proof"
has out "residual    -   (no solution)"
has out "1 row, 1 matrix entry"
test ! -e none.txt
expect 2 "$BRISTLE" solve "$data/none_1.cp" --json
has out '"status": "infeasible", "residual": 1,'
has out '"certificate": [[0, 1]]'
lacks out nan

# Not converged: 2, and the best found is written with a remark.
expect 2 "$BRISTLE" solve "$data/NESpheres_10_1.cp" --solver gauss_seidel --max-iterations 1 --tol 1e-12 -o best.txt
head -n 1 best.txt | grep -q '^# max_iterations: best found, residual '
test "$(grep -c -v '^#' best.txt)" -eq 27

# A pipe is read once, from its first byte.
cat "$data/lcp_deudeu.cp" | "$BRISTLE" solve /dev/stdin >out
has out "status      converged"

# A contact that nothing can move and that must move has no solution, however large p grows.
printf 'TYPE FC2D\nnc 1\nMATRIX W 2 2 0\nVECTOR q 2\n-1\n1\nVECTOR mu 1\n0.5\n' >stuck.cp
expect 2 "$BRISTLE" solve stuck.cp
has out "status      infeasible"
printf 'TYPE LCP\nMATRIX M 2 2 4\n0 0 1e-308\n0 1 1\n1 0 1\n1 1 2\nVECTOR q 2\n-5\n-6\n' >wide.cp
"$BRISTLE" solve wide.cp >out || true
lacks out "inf,"
lacks out "nan"
