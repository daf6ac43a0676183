#!/bin/sh
# What `cmake --install` puts into a folder is complete: programs are built against it by pkg-config and by CMake, the
# installed program runs from elsewhere, man pages format, completion completes, Python finds the library.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

case ${BRISTLE_SANITIZE:-} in ?*) echo "SKIPPED: a library with sanitizers cannot be linked plainly"; exit 77 ;; esac
work=$PWD build=$(dirname "$BRISTLE")
DESTDIR=$work/root cmake --install "$build" --prefix /opt/bristle >installed 2>&1
prefix=$work/root/opt/bristle
libdir=$(dirname "$(find "$prefix" -name libbristle.a)")

for file in bin/bristle include/bristle/bristle.h share/man/man1/bristle.1 share/man/man1/bristle-run.1 \
    share/bash-completion/completions/bristle share/zsh/site-functions/_bristle share/fish/vendor_completions.d/bristle.fish \
    share/bristle/schema/bristle-model-1.schema.json share/bristle/python/bristle.py share/doc/bristle/LICENSE; do
    test -s "$prefix/$file" || fail "$file is not installed"
done
if [ -f "$build/share/bristle/report.html" ]; then
    cmp "$build/share/bristle/report.html" "$prefix/share/bristle/report.html"
else
    grep -q 'Left out: share/bristle/report.html' installed || fail "nothing said that report.html is missing"
fi

# Nothing names the build, the source or the temporary folder: the whole may be moved.
for word in "$build" "$BRISTLE_SOURCE" "$work"; do
    found=$(grep -rlIF -- "$word" "$prefix" || true)
    test -z "$found" || fail "these name the folder $word: $found"
done
mv "$prefix" "$work/moved"
prefix=$work/moved libdir=$work/moved/${libdir#"$work/root/opt/bristle/"}

# --- a program of one's own

sed -n 's/^    \(pull .*\)$/\1/p' "$BRISTLE_SOURCE/README.md" >shown
test -s shown
example=$BRISTLE_SOURCE/examples/block.c
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
if command -v pkg-config >/dev/null && command -v cc >/dev/null; then
    # shellcheck disable=SC2046 # lists of words on purpose
    cc -std=c11 "$example" $(pkg-config --cflags --libs bristle) -o shared
    LD_LIBRARY_PATH=$libdir ./shared | diff -u shown -
    readelf -d shared | grep -q 'NEEDED.*libbristle\.so\.0\.1' || fail "not linked with libbristle.so.0.1"
    # shellcheck disable=SC2046
    cc -std=c11 "$example" $(pkg-config --static --cflags --libs bristle | sed 's/-lbristle/-l:libbristle.a/') -o static
    ./static | diff -u shown -
    test "$(pkg-config --modversion bristle)" = "$("$prefix/bin/bristle" --version | cut -d " " -f 2)"
else
    echo "pkg-config or cc is not there: bristle.pc was not tried"
fi

mkdir project
cp "$example" project/
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(mine C)
set(CMAKE_C_STANDARD 11)
find_package(bristle 0.1 REQUIRED)
add_executable(with_static block.c)
target_link_libraries(with_static PRIVATE bristle::bristle)
add_executable(with_shared block.c)
target_link_libraries(with_shared PRIVATE bristle::shared)
END
cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix" >configured
cmake --build project/build >built
project/build/with_static | diff -u shown -
project/build/with_shared | diff -u shown -
readelf -d project/build/with_shared | grep -q 'NEEDED.*libbristle\.so\.0\.1'

# Only what the headers declare is exported, and all of it that the library has.
nm -D --defined-only "$libdir/libbristle.so" | awk '{ print $NF }' | sort >exported
cat "$prefix"/include/bristle/*.h | sed 's|//.*||' | grep -oE '\bbr_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u >declared
comm -23 exported declared >extra
test ! -s extra || fail "exported though no header declares it: $(cat extra)"
nm --defined-only "$libdir/libbristle.a" 2>/dev/null | awk '$2 == "T" { print $NF }' | sort -u | comm -12 - declared | comm -23 - exported >missing
test ! -s missing || fail "declared in a header and not exported: $(cat missing)"

# --- the program, from elsewhere

mkdir elsewhere
cd elsewhere
"$prefix/bin/bristle" new pendulum >said
"$prefix/bin/bristle" run pendulum.yaml --csv table.csv >said
test "$(wc -l <table.csv)" -gt 100
cmp "$BRISTLE_SOURCE/schema/bristle-model-1.schema.json" "$prefix/share/bristle/schema/bristle-model-1.schema.json"
if python3=$(command -v /usr/bin/python3) && "$python3" -c 'import numpy' 2>/dev/null; then
    PYTHONPATH=$prefix/share/bristle/python "$python3" -B -c 'import bristle
print(bristle.load("pendulum.yaml").sim().channel("top.position"), bristle._library._name)' >python
    grep -q "^1.047.* $libdir/libbristle" python || fail "Python took another library: $(cat python)"
fi
cd "$work"

# --- man pages

"$BRISTLE" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >verbs
test "$(wc -l <verbs)" -gt 10
while read -r verb; do
    page=$prefix/share/man/man1/bristle-$verb.1
    test -s "$page" || fail "bristle-$verb.1 is not installed"
    grep -q "^\.B bristle $verb\$" "$page" || fail "bristle-$verb.1 has no synopsis"
    # Every option of the help has its paragraph, or stands in the synopsis.
    "$BRISTLE" "$verb" --help | sed -n 's/^  \(--*[a-z][a-z-]*\).*/\1/p' | while read -r option; do
        grep -qF -- "\\fB$(echo "$option" | sed 's/-/\\-/g')" "$page" || fail "bristle-$verb.1 has no $option"
    done
done <verbs
# Nothing that troff would take for a request of its own.
if grep -nE "^'|^\\.[^A-Za-z\\\\]|^\\.(SH|TP|B|BR)[a-z]" "$prefix"/share/man/man1/*; then fail "not a request of man pages"; fi
if command -v man >/dev/null && command -v groff >/dev/null; then
    for page in "$prefix"/share/man/man1/*.1; do
        LC_ALL=C.UTF-8 MANWIDTH=90 man --warnings -E UTF-8 -l "$page" >formatted 2>warnings || fail "$page: $(cat warnings)"
        test ! -s warnings || fail "$page: $(cat warnings)"
        grep -q SYNOPSIS formatted || fail "$page: has no synopsis once formatted"
    done
else
    echo "man is not there: pages were not formatted"
fi

# --- completion

command -v bash >/dev/null || { echo "bash is not there: completion was not tried"; exit 0; }
completion=$prefix/share/bash-completion/completions/bristle
bash -n "$completion"
mkdir models models/more
cd models
touch one.yaml two.xml three.txt "with blank.yaml" old.result
cat >complete.bash <<'END'
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_bristle
printf '%s\n' "${COMPREPLY[@]}"
END
offered() { PATH=$prefix/bin:$PATH bash complete.bash "$completion" bristle "$@" | sort | tr '\n' ' '; }
offers() { test "$1" = "$2" || fail "offered '$1', expected '$2'"; }
offers "$(offered '')" "$( (cat "$work/verbs"; printf '%s\n' help --help --version) | sort | tr '\n' ' ')"
offers "$(offered ru)" "run "
offers "$(offered run --ev)" "--events "
offers "$(offered run '')" "more/ old.result one.yaml two.xml with blank.yaml "
offers "$(offered run one.yaml --csv th)" "three.txt "
offers "$(offered compare one.yaml --plots '')" "more/ "
offers "$(offered new pend)" "pendulum "
offers "$(offered explain yaml-unk)" "yaml-unknown-key "
offers "$(offered solve x.cp --solver l)" "lemke "
offers "$(offered run --until '')" " "
cd "$work"
if command -v zsh >/dev/null; then zsh -n "$prefix/share/zsh/site-functions/_bristle"; fi
if command -v fish >/dev/null; then fish -n "$prefix/share/fish/vendor_completions.d/bristle.fish"; fi
