#!/bin/sh
# The pages docs/guide/paper_*.md: up to date, complete, and every command in them is one that the program takes.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

python3 "$BRISTLE_SOURCE/tools/paper-pages" --check

# Every number from 1 to the paper's last has its row, by the pages themselves.
complete() {
    for n in $(seq 1 "$3"); do
        test "$(grep -c "^| $2 $n | " "$BRISTLE_SOURCE/docs/guide/paper_$1.md")" -eq 1 || fail "$1: $2 $n"
    done
    ! grep -q "^| $2 $(($3 + 1)) | " "$BRISTLE_SOURCE/docs/guide/paper_$1.md" || fail "$1: $2 beyond the last"
}
complete peiret eq. 31
complete peiret fig. 5
complete peiret table 1
complete tan_liu eq. 15
complete tan_liu fig. 1
complete wojtyra eq. 27
complete wojtyra fig. 9
complete bauchau eq. 33
complete bauchau fig. 15

# A table that lacks something is refused.
mkdir -p copy/tools copy/docs
for part in src cli include scenes; do ln -s "$BRISTLE_SOURCE/$part" copy/$part; done
cp -r "$BRISTLE_SOURCE/docs/guide" copy/docs/guide
cp "$BRISTLE_SOURCE/tools/paper-pages" copy/tools
spoil() {
    sed "$1" "$BRISTLE_SOURCE/tools/paper-items.txt" >copy/tools/paper-items.txt
    ! python3 copy/tools/paper-pages --check >out 2>err || fail "$1 was not noticed"
    has err "$2"
}
spoil '/^tan_liu | eq. 9 |/d' "eq. 9 is there 0 times"
spoil 's/| contact_wish |/| contact_whish |/' "contact_whish is defined in 0 files"
spoil 's/peiret_wheel.yaml/peiret_weel.yaml/' "there is no scenes/papers/peiret_weel.yaml"
spoil 's/^\(wojtyra2017 | fig. 3 | [^|]*\)| works |/\1| perhaps |/' "perhaps is none of"

# Each command as it stands, but for its end: the first milliseconds are enough. The numbers of papers are cli.papers'.
ln -s "$BRISTLE_SOURCE/scenes" scenes
python3 "$BRISTLE_SOURCE/tools/paper-pages" --commands >commands
test "$(wc -l <commands)" -gt 20
while read -r program words; do
    test "$program" = bristle
    case $words in
    papers*) words="papers --only tan_liu" ;;
    run*) words="$words --until 0.01 --no-result --no-trust --quiet" ;;
    compare*) words="$words --until 0.02" ;;
    trust*) words="$words --until 0.05" ;;
    esac
    # shellcheck disable=SC2086
    expect 0 "$BRISTLE" $words </dev/null
done <commands
