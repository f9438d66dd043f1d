#!/bin/bash
# Damaged logs: 200 copies of real logs, each broken in a way of its own, must load as far as they are
# sound, with each hole named (tests/corrupt/damage.py knows the holes without fisql).
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 1
export PYTHONDONTWRITEBYTECODE=1

build gcc threads -O1 -g "$programs/threads.c"
"$fisql" record -q -o threads.bin ./threads >threads.out 2>&1
build gcc planted -O1 -g "$programs/planted.c"
"$fisql" record -q -o planted.bin ./planted >planted.out 2>&1
cat > work.c <<'C'
static volatile int sink;
static int leaf(int n) { return n * 3 + sink; }
static int node(int n) { return n < 2 ? leaf(n) : node(n - 1) + node(n - 2); }
int main(void) { for (int i = 0; i < 6; i++) sink = node(17 + i % 2); }
C
build gcc work -O1 -g work.c
"$fisql" record -q -o work.bin ./work
python3 "$here/tests/corrupt/damage.py" "$fisql" work.bin "$(share 140)" 1
python3 "$here/tests/corrupt/damage.py" "$fisql" threads.bin "$(share 40)" 2
python3 "$here/tests/corrupt/damage.py" "$fisql" planted.bin "$(share 20)" 3

# A chunk that stands twice (a crash between writing it and forgetting it) is loaded once.
python3 - "$here" <<'P'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/corrupt")
import log
data = open("work.bin", "rb").read()
event = [c for c in log.chunks(data) if c[2] == log.EVENTS][1]
open("twice.bin", "wb").write(data + data[event[0]:event[0] + event[1]])
P
"$fisql" load -q -o work.db work.bin
run "$fisql" load -o twice.db twice.bin
same "a chunk that stands twice: exit status 1" 1 "$status"
has "a chunk that stands twice: it is said" "chunk stands twice" "$err"
same "a chunk that stands twice: its calls are loaded once" "$(sql work.db 'SELECT count(*), sum(duration_ns) FROM calls')" \
    "$(sql twice.db 'SELECT count(*), sum(duration_ns) FROM calls')"

# Losses beyond the first hundred thousand are counted, not dropped.
python3 - "$here" <<'P'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/corrupt")
import log
open("many.bin", "wb").write(open("work.bin", "rb").read() + log.chunk(log.EVENTS, run=99) * 100003)
P
run "$fisql" load -q -o many.db many.bin
same "a hundred thousand losses: exit status 1" 1 "$status"
same "a hundred thousand losses: each of the first has a row, the others a row together" "100000|3 more have no row" \
    "$(sql many.db "SELECT count(*) FILTER (WHERE reason = 'chunk of another run'),
        max(detail) FILTER (WHERE reason = 'too many losses') FROM losses")"
