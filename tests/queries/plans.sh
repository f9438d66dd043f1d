#!/bin/bash
# The plan of each canned query: none scans calls or allocs, whose size is that of the run; what it wants
# of them it finds by their ids.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
export XDG_CONFIG_HOME=$TEST_TMP/config
small_database "$TEST_TMP/small.db"
for query in $("$fisql" query --names); do
    "$fisql" query "$query" --explain "$TEST_TMP/small.db" >"$TEST_TMP/explained" 2>&1
    same "the plan of $query is shown" 1 "$(grep -c -m 1 -E 'SCAN|SEARCH' "$TEST_TMP/explained")"
    scans=$(python3 - "$TEST_TMP/explained" <<'P'
import re
import sys
text = open(sys.argv[1]).read()
names = {"calls", "allocs"}
for table, alias in re.findall(r"\b(?:FROM|JOIN) (calls|allocs)(?: AS)? ([a-z]\w*)", text):
    if alias not in ("WHERE", "on", "where"):
        names.add(alias)
aliases_of_others = set(re.findall(r"\b(?:FROM|JOIN) (?!calls\b|allocs\b)\w+(?: AS)? ([a-z]\w*)", text))
for alias in re.findall(r"\bSCAN (\w+)", text):
    if alias in names and alias not in aliases_of_others:
        print("SCAN", alias)
P
)
    same "$query scans neither calls nor allocs" "" "$scans"
done
