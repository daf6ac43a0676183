#!/bin/sh
# mistakes.md, beside it, is the table of this test: the mistakes that a newcomer makes, each with what was typed and what
# the program answers. The page is written anew from what is typed alone, with the answers of the program of today, and
# must come out the same. To take over changed answers, after reading them:
#
#   BRISTLE=build/release/bristle BRISTLE_SOURCE=. tests/cli/mistakes.sh --update
#
# Every heading starts in an empty folder with the template door.yaml in it. A block ```diff changes lines of it: each line
# with - must be there, and the lines with + take its place. A block ```yaml that begins with `# NAME` is a file of that name.
# In a block ```console lines that begin with $ are typed; the exit code is 1 unless a line says otherwise.
set -eu
page="$BRISTLE_SOURCE/tests/cli/mistakes.md"
case $BRISTLE in /*) ;; *) BRISTLE=$PWD/$BRISTLE ;; esac
case $BRISTLE_SOURCE in /*) ;; *) BRISTLE_SOURCE=$PWD/$BRISTLE_SOURCE page=$PWD/$page ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/case"
ln -s "$BRISTLE" "$work/bin/bristle"
PATH=$work/bin:$PATH
cd "$work/case"

fresh() {
    rm -rf "$work/case"
    mkdir "$work/case"
    cd "$work/case"
    cp "$BRISTLE_SOURCE/scenes/templates/door.yaml" .
}

# change FILE < diff: awk and not patch, since a reader sees no line numbers in the page.
change() {
    awk -v file="$1" '
    function apply(   n, k, at) {
        if (!olds && !news) return
        for (at = 1; at <= lines; at++) {
            for (k = 1; k <= olds && text[at + k - 1] == old[k]; k++) ;
            if (k > olds) break
        }
        if (olds == 0) at = lines + 1 # nothing taken away: at the end
        if (at > lines && olds) { print "not in " file ": " old[1] > "/dev/stderr"; exit 1 }
        for (n = 1; n <= lines; n++) {
            if (n == at) for (k = 1; k <= news; k++) print new[k] > "changed"
            if (n < at || n >= at + olds) print text[n] > "changed"
        }
        if (at > lines) for (k = 1; k <= news; k++) print new[k] > "changed"
        close("changed")
        lines = 0
        while ((getline line < "changed") > 0) text[++lines] = line
        close("changed")
        olds = news = 0
    }
    BEGIN { while ((getline line < file) > 0) text[++lines] = line; close(file) }
    /^-/ { if (news) apply(); old[++olds] = substr($0, 2) }
    /^\+/ { new[++news] = substr($0, 2) }
    END { apply(); for (n = 1; n <= lines; n++) print text[n] > "changed" }' && mv changed "$1"
}

answer() { # answer COMMAND: what it prints, then its exit code unless that is 1
    code=0
    (eval "$1") >"$work/out" 2>&1 </dev/null || code=$?
    cat "$work/out"
    test "$code" -eq 1 || echo "(exit code $code)"
}

rewrite() {
    state=text
    while IFS= read -r line; do
        case $state:$line in
        text:'##'*) fresh ;;
        text:'```diff') state=diff; : >"$work/diff" ;;
        text:'```yaml') state=name ;;
        text:'```console') state=console ;;
        name:'# '*) state=file; name=${line#\# }; : >"$name" ;;
        diff:'```') change door.yaml <"$work/diff" || { echo "in: $heading" >&2; exit 1; }; state=text ;;
        diff:*) printf '%s\n' "$line" >>"$work/diff" ;;
        file:'```' | console:'```') state=text ;;
        file:*) printf '%s\n' "$line" >>"$name" ;;
        console:'$ '*)
            printf '%s\n' "$line"
            answer "${line#\$ }"
            continue ;;
        console:*) continue ;;
        esac
        case $line in '##'*) heading=$line ;; esac
        printf '%s\n' "$line"
    done
}

heading=
fresh
rewrite <"$page" >"$work/page"
if test "${1-}" = --update; then
    cp "$work/page" "$page"
else
    diff -u "$page" "$work/page" || { echo "the program answers otherwise than tests/cli/mistakes.md says"; exit 1; }
fi
mistakes=$(grep -c '^### ' "$page")
test "$mistakes" -ge 40
# Every mistake has an answer that ends in a next command.
awk '/^### / { if (name && !next_command) { print "no next command: " name; bad = 1 } name = $0; next_command = 0 }
     /^## / { if (name && !next_command) { print "no next command: " name; bad = 1 } name = "" }
     /^  next: |^next  |^note  / { next_command = 1 } END { exit bad }' "$page"
echo "$mistakes mistakes are answered as mistakes.md says"
