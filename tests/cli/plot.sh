#!/bin/sh
# bristle plot as a person runs it: lists, figures in both formats, several results, what is cut or damaged, wrong usage.
set -eu
. "$BRISTLE_SOURCE/tests/support/cli.sh"

# Well-formed where xmllint can tell; everywhere: begins and ends as it should, and every & begins an entity.
well_formed() {
    head -c 4 "$1" | grep -q '<svg'
    test "$(tail -n 1 "$1")" = "</svg>"
    ! grep -E '&($|[^a-z])' "$1"
    lacks "$1" nan
    ! command -v xmllint >/dev/null 2>&1 || xmllint --noout "$1"
}
# png_size FILE: width and height as its header has them, after the signature.
png_size() {
    test "$(od -An -tx1 -N8 "$1" | tr -d ' ')" = 89504e470d0a1a0a
    test "$(tail -c 8 "$1" | od -An -tx1 | tr -d ' ')" = 49454e44ae426082
    od -An -tu1 -j16 -N8 "$1" | awk '{ print $1 * 16777216 + $2 * 65536 + $3 * 256 + $4, $5 * 16777216 + $6 * 65536 + $7 * 256 + $8 }'
}

cat >crate.yaml <<'Y'
format: 1
name: 'crate <b> & "50 %s"'
bodies:
  'a<b>&"%s': {mass: 1 kg, inertia: [0.1, 0.1, 0.1], pose: {position: [1, 0, 0]}}
joints:
  pin: {revolute: [world, 'a<b>&"%s'], axis: [0, 1, 0], at: [0, 0, 0]}
run: {until: 1 s, output: 1 ms}
Y
"$BRISTLE" run crate.yaml -o crate.result --quiet
"$BRISTLE" run "$BRISTLE_SOURCE/scenes/papers/peiret_wheel.yaml" -o wheel.result --quiet --until 2.5
"$BRISTLE" run "$BRISTLE_SOURCE/scenes/papers/peiret_wheel.yaml" -o slick.result --quiet --until 2 --set mu=0.2

# Without channels: a list that shells can expand.
expect 0 "$BRISTLE" plot wheel.result
has out "wheel.position.{x,y,z}"
has out "solver.step "
has out "next        bristle plot wheel.result wheel.position.x"
expect 0 "$BRISTLE" plot wheel.result --json
has out '{"name": "wheel.position.x", "unit": "m"}'

# The default: an SVG in the current folder, with the channel and its unit at the axis.
expect 0 "$BRISTLE" plot wheel.result wheel.position.x
has out "plot        wheel.wheel.position.x.svg, 880 x 430, 1 panel, 1 curve"
has out "wheel.result: 2501 of 2501 rows, 0 to 2.5 s, complete"
well_formed wheel.wheel.position.x.svg
for word in ">peiret_wheel<" ">wheel.position.x, m<" ">time, s<" ">2.5<"; do has wheel.wheel.position.x.svg "$word"; done

# Units have panels of their own; * stands for any characters; the same bytes every time.
expect 0 "$BRISTLE" plot wheel.result 'wheel.position.*' '*.force.normal' wheel.velocity.x wheel.position.x -o a.svg --events
has out "3 panels, 6 curves" # the contact, and all that the wheel touches
has out "events      1 stick"
well_formed a.svg
for word in ">wheel.position, m<" ">wheel.position.z<" ">wheel.velocity.x, m/s<" ">stick<" "#0.force.normal"; do has a.svg "$word"; done
expect 0 "$BRISTLE" plot wheel.result 'wheel.position.*' '*.force.normal' wheel.velocity.x wheel.position.x -o b.svg --events
cmp a.svg b.svg
expect 0 "$BRISTLE" plot wheel.result 'wheel.position.*' -o c.svg --separate --json
has out '"panels": [{"unit": "m", "channels": ["wheel.position.x"]}, {"unit": "m", "channels": ["wheel.position.y"]}'

# PNG: size, scale, less than a megabyte.
expect 0 "$BRISTLE" plot wheel.result 'wheel.position.*' -o a.png
test "$(png_size a.png)" = "880 430"
expect 0 "$BRISTLE" plot wheel.result 'wheel.position.*' -o b.PNG --size 600x300 --scale 2 --no-title
test "$(png_size b.PNG)" = "1200 600"
test "$(wc -c <b.PNG)" -lt 1000000
expect 0 "$BRISTLE" plot wheel.result 'wheel.position.*' -o c.svg --size 600x300 --scale 2
has c.svg 'viewBox="0 0 600 300" width="1200" height="600"'
well_formed c.svg

# A part of the time; paths; a log axis, with a note on what it cannot show.
expect 0 "$BRISTLE" plot wheel.result wheel.position.x --from 0.5 --to 1.5 -o part.svg
has out "1001 of 2501 rows"
has part.svg ">0.6<"
lacks part.svg ">2.0<"
expect 0 "$BRISTLE" plot wheel.result wheel.velocity.x --x wheel.position.x -o path.svg
has path.svg ">wheel.position.x, m<"
well_formed path.svg
expect 0 "$BRISTLE" plot wheel.result wheel.velocity.z --log -o log.svg
has out "--log shows values above 0 only"
has log.svg ">10"
well_formed log.svg

# Several results: each labelled, ends where it ends.
expect 0 "$BRISTLE" plot wheel.result slick.result wheel.velocity.x -o two.svg
for word in ">wheel<" ">slick<" "stroke-dasharray"; do has two.svg "$word"; done
expect 0 "$BRISTLE" plot wheel.result slick.result wheel.velocity.x wheel.velocity.y -o two.svg
has two.svg ">slick: wheel.velocity.y<"
expect 0 "$BRISTLE" plot wheel.result crate.result wheel.position.x 'pin.velocity' -o mixed.svg
has out "note        crate.result has no channel wheel.position.x"

# Names with signs of markup and of formats are shown as they are.
expect 0 "$BRISTLE" plot crate.result 'a<b>&"%s.position.x' 'a*position.z' --title '<i>100 %s & %n</i>' -o names.svg
well_formed names.svg
has names.svg '>a&lt;b&gt;&amp;&quot;%s.position.x<'
has names.svg '&lt;i&gt;100 %s &amp; %n&lt;/i&gt;'
lacks names.svg '<i>'
expect 0 "$BRISTLE" plot crate.result 'a<b>&"%s.position.x' -o names.png
expect 0 "$BRISTLE" plot crate.result 'a<b>&"%s.position.x'
test -s "crate.a_b____s.position.x.svg"
has "crate.a_b____s.position.x.svg" '<title>crate &lt;b&gt; &amp; &quot;50 %s&quot;</title>'

# Cut off, damaged, or hardly begun: drawn as far as it goes, and said.
size=$(wc -c <wheel.result)
head -c $((size / 2)) wheel.result >cut.result
expect 0 "$BRISTLE" plot cut.result wheel.position.x -o cut.svg
has out "without an end: the run was killed, or is still going"
has cut.svg ">ends here<"
cp wheel.result bad.result
printf '\125\252' | dd of=bad.result bs=1 seek=$((size / 3)) conv=notrunc 2>/dev/null
expect 0 "$BRISTLE" plot bad.result wheel.position.x -o bad.png --json
has out '"outcome": "damaged"'
has out "is drawn up to 0."
head -c 100 wheel.result >stub.result
expect 1 "$BRISTLE" plot stub.result wheel.position.x
has err "ends inside its header"

# What export writes is drawn as the log is; a table of another program too, as far as it can be read.
"$BRISTLE" export wheel.result -o wheel.h5 >/dev/null
expect 0 "$BRISTLE" plot wheel.result 'wheel.velocity.*' --events -o log.svg
expect 0 "$BRISTLE" plot wheel.h5 'wheel.velocity.*' --events -o hdf5.svg
cmp log.svg hdf5.svg
printf 't,load\n0,1\n1,3\n2,nan\n' >table.csv
expect 0 "$BRISTLE" plot table.csv
lacks out "model"
expect 0 "$BRISTLE" plot table.csv load -o table.svg
has out "note        table.csv:4 is damaged, and is drawn up to 1 s"
well_formed table.svg

# Numbers at the ends of their range: drawn or left out, never written as no numbers.
printf 't,y\n-1e308,1.7e308\n1e308,-1.7e308\n' >ends.csv
printf 't,y\n0,1e300\n1,1e-300\n2,5e-324\n' >wide.csv
printf 't,y\n0,1\n' >one.csv
for table in ends wide one; do
    for option in "" --log "--x y"; do
        # shellcheck disable=SC2086 # words on purpose
        expect 0 "$BRISTLE" plot $table.csv y $option -o $table.svg
        well_formed $table.svg
        lacks $table.svg inf
        expect 0 "$BRISTLE" plot $table.csv y $option -o $table.png
    done
done

# A file whose name is a channel's is no result, and no obstacle.
echo text >wheel.position.y
expect 0 "$BRISTLE" plot wheel.result wheel.position.y -o named.svg

# What is wrong is said, with the nearest right word, and nothing is written.
expect 1 "$BRISTLE" plot
has err "expected the result of a run"
expect 1 "$BRISTLE" plot wheel.result wheel.positon.x -o wrong.svg
has err "did you mean wheel.position.x?"
expect 1 "$BRISTLE" plot wheel.result wheel.position -o wrong.svg
has err "'wheel.position.*' are 3"
expect 1 "$BRISTLE" plot wheel.result 'wheel.none.*' -o wrong.svg --json
has out '"code": "channel-unknown"'
expect 1 "$BRISTLE" plot missing.result wheel.position.x
has err "missing.result: cannot be read"
expect 1 "$BRISTLE" plot wheel.result missing.result wheel.position.x -o wrong.svg
has err "missing.result: cannot be read"
expect 1 "$BRISTLE" plot crate.yaml pin.position
has err "is not a result of bristle run"
expect 1 "$BRISTLE" plot wheel.result wheel.position.x -o wrong.pdf
has err "ends in .svg or .png"
cp wheel.result itself.svg
expect 1 "$BRISTLE" plot itself.svg wheel.position.x -o ./itself.svg
has err "the result itself"
cmp wheel.result itself.svg
expect 1 "$BRISTLE" plot wheel.result wheel.position.x --from 9 -o wrong.svg
has err "goes from 0 to 2.5 s"
expect 1 "$BRISTLE" plot wheel.result wheel.position.x --from 2 --to 1 -o wrong.svg
has err "is not after"
for value in 100 x 0x0 500x 500x300y -5x9; do
    expect 1 "$BRISTLE" plot wheel.result wheel.position.x --size=$value -o wrong.svg
    has err "expected WIDTHxHEIGHT"
done
expect 1 "$BRISTLE" plot wheel.result wheel.position.x --size 150x150 -o wrong.svg
has err "would do"
expect 1 "$BRISTLE" plot wheel.result wheel.position.x --size 9000x9000 --scale 9 -o wrong.png
has err "too many"
expect 1 "$BRISTLE" plot wheel.result wheel.position.x --scale 0 -o wrong.svg
expect 1 "$BRISTLE" plot wheel.result wheel.position.x --x wheel.position.y --events -o wrong.svg
has err "--events marks times"
expect 1 "$BRISTLE" plot wheel.result wheel.position.x --x wheel.position.q -o wrong.svg
has err "did you mean wheel.position."
expect 1 "$BRISTLE" plot wheel.result wheel.position.x -o none/such.svg
has err "cannot be written"
test ! -e wrong.svg && test ! -e wrong.png
expect 0 "$BRISTLE" plot --help
has out "bristle plot RESULT"
