# What the scripts of tests/cli share; sourced by them: . "$BRISTLE_SOURCE/tests/support/cli.sh"

fail() { # fail WORDS...
    echo "$*"
    exit 1
}

# expect CODE COMMAND...: what the command writes is in the files out and err. With $limit it has that many seconds.
expect() {
    wanted=$1
    shift
    got=0
    ${limit:+timeout "$limit"} "$@" >out 2>err || got=$?
    test "$got" -eq "$wanted" || { echo "exit code $got, expected $wanted: $*"; cat out err; exit 1; }
}

# has FILE TEXT, lacks FILE TEXT. The lines of a picture are long: what is shown of them has an end.
has() {
    grep -q -F -- "$2" "$1" || { echo "'$2' is not in $1:"; cut -c 1-2000 "$1"; exit 1; }
}
lacks() {
    ! grep -q -F -- "$2" "$1" || { echo "'$2' is in $1:"; cut -c 1-2000 "$1"; exit 1; }
}

# swing MASS SOLVER RUN: a pendulum of 1 m, from level, as swing.yaml; the last two are the keys of solver and run.
swing() {
    cat >swing.yaml <<Y
format: 1
name: swing
bodies:
  bob: {mass: $1 kg, inertia: [0.01, 0.01, 0.01], pose: {position: [1, 0, 0]}}
joints:
  pin: {revolute: [world, bob], axis: [0, 1, 0], at: [0, 0, 0]}
solver: {$2}
run: {$3}
Y
}

# Of the JSON of a run: "from to verdict" of each interval, a line each; and whether the run itself is credible.
intervals() {
    grep -o '"from": [^,]*, "to": [^,]*, "at": [^,]*, "verdict": "[a-z_]*"' "$1" |
        sed 's/"from": \([^,]*\), "to": \([^,]*\), .*"verdict": "\([a-z_]*\)"/\1 \2 \3/'
}
of_run() {
    sed 's/.*, "trust_file": [^,]*, "error_bars": [^,]*, "credible": \([a-z]*\), "reasons": .*/\1/' "$1"
}
