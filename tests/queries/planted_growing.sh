#!/bin/bash
# growing-calls on real runs: docs/examples/receipt.c has two functions that grow, quicker.c none.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
export XDG_CONFIG_HOME=$TEST_TMP/config
cd "$TEST_TMP" || exit 2

build gcc receipt -O1 -g "$here/docs/examples/receipt.c"
growing() {
    "$fisql" query growing-calls --format csv | tr -d '\r' | sed 1d | python3 -c '
import csv, sys
for row in sorted(csv.reader(sys.stdin)):
    print(row[0], row[4], row[6], row[7])'
}
expected="append linear the run own code
is_known linear caller own code"
# Times are fitted: on a machine with four times as much work as processors the noise once hid is_known's.
for _ in 1 2 3; do
    "$fisql" record -q ./receipt && "$fisql" load -q run.bin
    found=$(growing)
    [ "$found" != "$expected" ] || break
done
same "append grows in the run, is_known within each receipt" "$expected" "$found"
"$fisql" query growing-calls --format csv | tr -d '\r' >growing.csv
same "what an early and a late call allocate is the sum over their blocks" "$(sqlite3 run.db ".import --csv growing.csv growing" "
    SELECT function || ' ' || (SELECT total(size) FROM allocs WHERE call_id BETWEEN e.id AND e.id + e.descendants)
                    || ' ' || (SELECT total(size) FROM allocs WHERE call_id BETWEEN l.id AND l.id + l.descendants)
    FROM growing JOIN calls e ON e.id = early_call JOIN calls l ON l.id = late_call")" \
    "$(sqlite3 :memory: ".import --csv growing.csv growing" "SELECT function || ' ' || early_bytes || '.0 ' || late_bytes || '.0' FROM growing")"

# The digest names them: the worst of them, at least, whatever the noise.
has "the findings name what grows" append "$("$fisql" query findings --format csv 2>/dev/null | grep growing-calls)"
# Where hooks take most of the time, the number of calls within a call shows it.
if [ "$(uname -m)" = x86_64 ]; then
    gcc -O2 -g -pthread -o sloppy "$programs/library_mistakes.c"
    "$fisql" record -q ./sloppy && "$fisql" load -q run.bin
    # sort_all() jumps to qsort(), whose time is its own; the hooks in compare() may hide that time, not the number of calls
    same "a sort after each that is new makes more and more calls, which take longer" "sorted linear the run" \
        "$(growing | sed -n 's/^\(add_sorted\|sort_all\) \(.*run\) \(own code\|more calls\)$/sorted \2/p')"
    gcc -O2 -g -pthread -DSOUND -o sound "$programs/library_mistakes.c"
    "$fisql" record -q ./sound && "$fisql" load -q run.bin
    same "and none do without" "" "$(growing | grep -e more -e sort)"
fi

build gcc versions -O1 -g "$programs/quicker.c" -DCOUNT=300
"$fisql" record -q ./versions && "$fisql" load -q run.bin
same "a program whose calls are alike: none" "" "$("$fisql" query growing-calls --format csv 2>/dev/null | sed 1d)"
