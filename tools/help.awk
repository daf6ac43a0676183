# What a verb's --help says, as rows with tabs between: for the man pages and for shell completion, so that neither is kept
# by hand. The help is: lines of usage, an empty line, then paragraphs, blocks of options ("  --name ARG   text", continued
# further in), blocks of commands (other lines that are set in), and "Exit codes: 0 text, 1 text".
#   usage TEXT | text TEXT | gap | option NAME ARG TEXT | command TEXT | exit CODE TEXT
BEGIN { OFS = "\t" }

function flush_option() {
    if (name != "") print "option", name, argument, description
    name = ""
}

# An argument follows after one blank, and is in capitals: NAME=VALUE, A,B,... or A:B:N.
function begin_option(line) {
    flush_option()
    sub(/^ +/, "", line)
    name = line; sub(/[ ,].*/, "", name)
    line = substr(line, length(name) + 1)
    if (line ~ /^, -/) { # an alias: -o, --output
        sub(/^, /, "", line)
        alias = line; sub(/ .*/, "", alias)
        line = substr(line, length(alias) + 1)
        name = name " " alias
    }
    argument = ""
    if (line ~ /^ [][A-Z<|]/) {
        argument = substr(line, 2); sub(/ .*/, "", argument)
        line = substr(line, length(argument) + 2)
    }
    sub(/^ +/, "", line)
    description = line
}

# "0 fine, 1 usage, model or file, 2 a step failed": a number after a comma begins the next.
function exit_codes(line,    at) {
    sub(/^Exit codes: /, "", line); sub(/\.$/, "", line)
    while (match(line, /, [0-9] /)) {
        print "exit", substr(line, 1, 1), substr(line, 3, RSTART - 3)
        line = substr(line, RSTART + 2)
    }
    print "exit", substr(line, 1, 1), substr(line, 3)
}

function flush_exit() {
    if (codes != "") exit_codes(codes)
    codes = ""
}

NR == 1 { head = 1 }
head && /^$/ { head = 0; next }
head { sub(/^ +/, ""); print "usage", $0; next }
/^$/ { flush_option(); flush_exit(); print "gap"; next }
/^ +-/ && !(name != "" && /^         /) { flush_exit(); begin_option($0); next }
/^ / && name != "" { sub(/^ +/, ""); description = description " " $0; next }
/^ / { flush_exit(); print "command", $0; next }
/^Exit codes: / { flush_option(); codes = $0; next }
codes != "" { codes = codes " " $0; next }
{ flush_option(); print "text", $0 }
END { flush_option(); flush_exit() }
