#!/bin/bash
# What becomes of a log, event by event: tests/decode/NAME.py writes a small log (tests/corrupt/log.py);
# tests/decode/NAME.expected is what `fisql dump` prints of it, what `fisql load` says, and what its tables
# hold (tables.sql). UPDATE=1 rewrites the expectations: review the difference.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2

# equal WHAT EXPECTED-FILE ACTUAL-FILE: shows how they differ
equal() {
    local difference
    difference=$(diff -u --label expected --label actual "$2" "$3" 2>&1)
    report $? "$1" "$difference"
}

# All logs are written by one Python, which is quick; each script gets its log's name as its argument.
PYTHONPATH=$here/tests/corrupt PYTHONDONTWRITEBYTECODE=1 python3 -S - "$here"/tests/decode/*.py <<'P'
import pathlib
import runpy
import sys
for script in sys.argv[1:]:
    sys.argv[1:] = [pathlib.Path(script).stem + ".bin"]
    runpy.run_path(script)
P
same "decode: every script writes its log" "0 $(find "$here/tests/decode" -name '*.py' | wc -l)" "$? $(find . -name '*.bin' | wc -l)"

for log in *.bin; do
    name=${log%.bin}
    expected=$here/tests/decode/$name.expected
    "$fisql" dump "$log" >dumped 2>said
    { echo "== fisql dump: status $?"; cat dumped said; } >dump
    "$fisql" load --threads 1 -o run.db "$log" 2>said
    { echo "== fisql load: status $?"; cat said; } >load
    if [ -e run.db ]; then
        sqlite3 -batch -list -header -separator ' | ' -nullvalue - run.db <"$here/tests/decode/tables.sql" >>load 2>&1
        sqlite3 -batch run.db <"$here/tests/decode/sound.sql" >unsound 2>&1
        [ "$(sql run.db 'SELECT sum(counted_calls) + (SELECT count(*) FROM calls WHERE duration_ns IS NULL) FROM threads')" != 0 ] ||
            sqlite3 -batch run.db <"$here/tests/e2e/rollups.sql" >>unsound 2>&1
        [ "$(sql run.db 'SELECT count(*) FROM parameters')" = 0 ] ||
            sqlite3 -batch run.db <"$here/tests/e2e/values.sql" >>unsound 2>&1
        equal "decode $name: calls lie within each other, rollups equal SQL over the rows" /dev/null unsound
        rm run.db
    fi
    [ -z "${UPDATE-}" ] || cat dump load >"$expected"
    sed '/^== fisql load:/,$d' "$expected" >expected.dump
    sed -n '/^== fisql load:/,$p' "$expected" >expected.load
    equal "decode $name: dump" expected.dump dump
    equal "decode $name: tables" expected.load load
done
