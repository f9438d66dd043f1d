#!/bin/bash
# Each rollup equals what SQL over calls and allocs gives (rollups.sql), on threads, forks, jumps, a crash
# and the planted program.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

equal() { # WHAT PROGRAM ARGUMENT...
    local what=$1
    shift
    "$fisql" record -q "$@" >/dev/null 2>&1
    "$fisql" load -q run.bin
    same "$what: every rollup equals SQL over the rows" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/rollups.sql" 2>&1)"
    python3 "$here/tests/e2e/oracles.py" calls run.db | sed "s/ - / - $what: /"
    python3 "$here/tests/e2e/oracles.py" totals run.db | sed "s/ - / - $what: /"
}
for program in planted jumps forks threads; do
    build gcc $program -O1 -g "$programs/$program.c"
done
equal planted ./planted
equal "threads" ./threads 30
equal "jumps" ./jumps
equal "a forking program" ./forks fork
equal "a daemon" ./forks daemon
cat >crash.c <<'C'
#include <stdlib.h>
static int down(int n) { void *p = malloc((size_t)n + 1); int r = n == 0 ? *(volatile int *)0 : down(n - 1); free(p); return r; }
int main(void) { return down(20); }
C
build gcc crash -O0 -g crash.c
equal "one cut short" ./crash
same "one cut short: 22 calls are open" 22 "$(sql run.db 'SELECT count(*) FROM calls WHERE ended = 2')"
sqlite3 -batch run.db 'UPDATE frames SET calls = calls + 1 WHERE id = 1'
[ -n "$(sqlite3 -batch run.db <"$here/tests/e2e/rollups.sql")" ] && ok "a wrong rollup would be seen" || not_ok "a wrong rollup would be seen"
