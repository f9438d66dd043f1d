#!/bin/bash
# Databases whose tables our own b-tree writer made, read by a newer SQLite than the one that we link (from npm,
# where that can be had): it finds them sound and gives the same rows.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

cp "$here/tests/e2e/newer_sqlite/"* .
if ! npm ci --silent --no-audit --no-fund >npm.log 2>&1; then
    ok "skipped: npm or its registry is not there: $(tail -n 1 npm.log)"
    exit 0
fi
version=$(node ask.mjs /dev/null 'SELECT sqlite_version()')
newest=$(printf '%s\n' "$version" "$(sqlite3 :memory: 'SELECT sqlite_version()')" | sort -V | tail -n 1)
same "SQLite $version is newer than the shell's" "$version" "$newest"

build gcc threads -O1 -g "$programs/threads.c"
build g++ exceptions -O1 -g "$programs/exceptions.cc"
build gcc deep -O1 -g "$programs/deep.c"
for program in threads exceptions deep; do
    "$fisql" record -q -o run.bin ./$program >/dev/null 2>&1
    "$fisql" load -q run.bin
    same "$program: sound" ok "$(node ask.mjs run.db 'PRAGMA integrity_check')"
    for query in 'SELECT count(*), sum(duration_ns), sum(self_ns), max(id), sum(parent_id), max(depth) FROM calls' \
        'SELECT count(*), sum(size), sum(address % 1000), max(id) FROM allocs' \
        'SELECT function, calls, self_ns FROM hot_functions' \
        "SELECT name, type FROM sqlite_schema ORDER BY name" \
        'SELECT c.id, f.name FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
         WHERE c.id % 997 = 1'; do
        same "$program: ${query:0:45}..." "$(sqlite3 run.db "$query")" "$(node ask.mjs run.db "$query")"
    done
    rm -f run.db run.bin
done
