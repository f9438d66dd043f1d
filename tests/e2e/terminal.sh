#!/bin/bash
# Tables on a terminal: each query's fit, long names and stacks too; what was left out is said; --wide, a file
# and a pipe have all; the pager gets it.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 1

# Every query on its fixture, with functions that have the longest names, which differ at their end only.
for query in $("$fisql" query --names); do
    cat "$here/schema.sql" "$here/tests/queries/$query.sql" | sed "s|^\.read |.read $here/|" >"$query.script"
    (cd "$here" && sqlite3 -bail "$TEST_TMP/$query.db" <"$TEST_TMP/$query.script") >problems 2>&1
    sqlite3 "$query.db" "UPDATE functions SET full_name = 'void ' || name || '(' || replace(hex(zeroblob(60)), '00', 'int, ') || ')',
        name = 'space::room::Cupboard<std::map<std::string, std::vector<int>>, 42>::' || replace(name, 'ns::', '') WHERE id < 8;
        UPDATE files SET path = '/usr/src/' || replace(hex(zeroblob(30)), '00', 'folder/') || name"
done
cat >terminal.py <<'P'
import fcntl, os, pty, struct, sys, termios, unicodedata
def shown(columns, command, environment={}):
    pid, terminal = pty.fork()
    if pid == 0:
        for name in ("COLUMNS", "PAGER"):
            os.environ.pop(name, None)
        os.environ.update({"PAGER": "cat", **environment})
        os.close(2)
        os.open("/dev/null", os.O_WRONLY)
        if columns > 0: # else as the system made it: of no known size
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        # The end of a terminal's first process cuts off what has not been read: so the shell ends when all has.
        os.execvp("sh", ["sh", "-c", '"$@"; printf "\\001%d\\001" $?; read -r line', "sh", *command])
    text = b""
    while not text.endswith(b"\1") or text.count(b"\1") < 2:
        text += os.read(terminal, 65536)
    os.write(terminal, b"\n")
    os.waitpid(pid, 0)
    text, status = text[:-1].rsplit(b"\1", 1)
    return int(status), text.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
def width(line):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in line)
if __name__ == "__main__":
    fisql, *queries = sys.argv[1:]
    for columns in (80, 120):
        wrong, tables, left_out, widest = [], 0, 0, 0
        for query in queries:
            status, lines = shown(columns, [fisql, "query", query, query + ".db"])
            table = any(line.startswith("----") or line.endswith("----") for line in lines)
            tables += table
            if not table:
                print(columns, query, "shows no table:", status, lines)
            left_out += any(line.startswith("Left out: ") and line.endswith("; --wide keeps all.") for line in lines)
            widest = max([widest] + [width(line) for line in lines])
            if status != 0 or max(map(width, lines)) > columns:
                wrong.append(query)
        print(columns, "wrong:", *wrong)
        print(columns, "tables", tables, "of", len(queries), "some left out" if left_out > 10 else left_out, "used" if widest > columns - 8 else widest)
P
same "slow-calls keeps the id that fisql stack wants" 1 "$(python3 - "$fisql" <<'P'
import sys
from terminal import shown
print(sum("call" in line.split() for line in shown(100, [sys.argv[1], "query", "slow-calls", "slow-calls.db"])[1][:1]))
P
)"
run "$fisql" tree slow-calls.db --color always
has "tree --color always: what takes most is red" $'\033[31m' "$out"
run "$fisql" tree slow-calls.db --color never
lacks "tree --color never" $'\033' "$out"
run "$fisql" tree slow-calls.db --color perhaps
has "tree --color: what it may be" "auto, always or never" "$err"
mapfile -t queries < <("$fisql" query --names)
count=${#queries[@]}
same "every query fits 80 and 120 columns" "80 wrong:
80 tables $count of $count some left out used
120 wrong:
120 tables $count of $count some left out used" "$(timeout 200 python3 terminal.py "$fisql" "${queries[@]}")"

on_terminal() { # COLUMNS ENVIRONMENT COMMAND...
    timeout 60 python3 -c 'import sys, terminal
columns, environment, *command = sys.argv[1:]
print(*terminal.shown(int(columns), command, dict(word.split("=", 1) for word in environment.split()))[1], sep="\n")' "$@"
}
widest() { wc -L; }
out=$(on_terminal 80 "" "$fisql" query hot-functions hot-functions.db)
has "names keep their end" "Cupboard<…>::parse " "$out"
has "and say which columns went" "Left out: " "$out"
lacks "those are gone" raw_self_ns "$(head -1 <<<"$out")"
out=$(on_terminal 80 "" "$fisql" query hot-functions --wide hot-functions.db)
has "--wide keeps all columns" raw_self_ns "$(head -1 <<<"$out")"
has "--wide gives names in full" "void parse(int, int, " "$out"
lacks "and leaves nothing out" "Left out" "$out"
same "\$COLUMNS goes before the terminal's size" 1 "$(on_terminal 200 COLUMNS=60 "$fisql" query hot-functions hot-functions.db |
    widest | awk '{ print ($1 > 50 && $1 <= 60) }')"
same "80 columns where the size is not known" 1 "$(on_terminal 0 "" "$fisql" query hot-functions hot-functions.db |
    widest | awk '{ print ($1 > 70 && $1 <= 80) }')"
"$fisql" query hot-functions hot-functions.db >file 2>/dev/null
has "a file has all columns" raw_self_ns "$(head -1 file)"
has "and whole names" "space::room::Cupboard<std::map<std::string, std::vector<int>>, 42>::parse" "$(cat file)"
printf '#!/bin/sh\nsed "s/^/paged: /"\n' >page
chmod +x page
same "the pager gets the table" "paged: function" "$(on_terminal 80 PAGER=./page "$fisql" query hot-functions hot-functions.db | head -1 | cut -c1-15)"
out=$(on_terminal 80 "" "$fisql" query --all hot-functions.db)
same "--all: its tables fit" "1 0" "$(awk '/^-[- ]*$/ { n = length($0) > n ? length($0) : n; if (length($0) > 80 || length(before) > 80) wide++ } { before = $0 }
    END { print (n > 60), wide + 0 }' <<<"$out")"

# diff's table too.
cp hot-functions.db other.db
sqlite3 other.db "UPDATE function_stats SET calls = calls + 1"
for columns in 60 80 120; do
    out=$(on_terminal $columns "" "$fisql" diff hot-functions.db other.db)
    same "diff fits $columns columns" 1 "$(widest <<<"$out" | awk -v columns=$columns '{ print ($1 <= columns && $1 > columns - 25) }')"
    has "diff: what changed stays" "called more" "$out"
    has "diff: and says which columns went" "Left out: " "$out"
done
out=$(on_terminal 80 "" "$fisql" diff --wide hot-functions.db other.db)
has "diff --wide keeps all columns" alloc_b_bytes "$(head -1 <<<"$out")"
has "diff --wide gives names in full" "void parse(int, int, " "$out"
