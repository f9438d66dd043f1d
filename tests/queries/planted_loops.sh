#!/bin/bash
# repeated-calls on tests/programs/loops.c: loops of main over items are found even if they are the whole program, a
# program's main loop is not, and what is left out is said. With gcc and clang.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

# loops OPTION...: caller, callee and the longest run of each row
loops() {
    "$fisql" query repeated-calls run.db --format json "$@" 2>words | python3 -c '
import json, sys
for row in json.load(sys.stdin):
    print(row["caller"], row["callee"], row["longest"])'
}
recorded() { # what the program does
    "$fisql" record -q "${values[@]}" ./loops "$1"
    rm -f run.db
    "$fisql" load -q run.bin
}
left_out="fisql: repeated-calls: 1 row is left out, because they are their thread's main loop: -p max_part=100 shows them"

for compiler in gcc clang; do
    values=()
    build $compiler loops -O2 -g "$programs/loops.c" || continue
    recorded items
    same "repeated-calls: loops of main over items, which are the program ($compiler)" "main item 40000
main same 9000" "$(loops -p min_total_ns=0 -p min_share=0)"
    same "repeated-calls: what the compiler inlines, on demand ($compiler)" "main small 9000" \
        "$(loops -p min_total_ns=0 -p min_share=0 -p inlined=1 | grep small)"
    recorded requests
    same "repeated-calls: not a server's loop, whose step calls several functions ($compiler)" "" "$(loops)"
    "$fisql" query repeated-calls run.db >rows 2>words
    same "repeated-calls: but that it is left out is said ($compiler)" "$left_out" "$(grep because words)"
    recorded steps
    same "repeated-calls: not a main loop of long steps ($compiler)" "" "$(loops)"
    "$fisql" query repeated-calls run.db >rows 2>words
    same "repeated-calls: which is said as well ($compiler)" "$left_out" "$(grep because words)"
    same "repeated-calls: it is shown on demand ($compiler)" "main long_step 300" "$(loops -p max_part=100)"
    recorded parts
    same "repeated-calls: a loop that is a part of the program, whatever its steps are ($compiler)" "main request 20000" \
        "$(loops | grep request)"
    # With arguments, a loop that passes the same ones is found even if it is the program.
    values=(--values)
    recorded same
    same "repeated-calls: long steps with the same argument each time ($compiler)" "main long_step 300" "$(loops)"
done
