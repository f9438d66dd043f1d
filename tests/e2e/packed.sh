#!/bin/bash
# What `fisql record` appends in the program's place, packed or not, is what the program's threads would have written.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

cat >rests.c <<'C'
#include <stdlib.h>
#include <unistd.h>
static int leaf(int n) { return n + 1; }
static int work(int n) { int sum = 0; while (n-- > 0) sum += leaf(n); return sum; }
int main(void)
{
    for (int i = 0; i < 20; i++) { work(10000); free(malloc(i + 1)); if (i % 5 == 4) usleep(100000); }
    return 0;
}
C
build gcc rests -O0 -g rests.c
expected="leaf 200000
main 1
work 20"

# packed LOG: how many of its chunks are packed
packed() { "$fisql" dump "$1" | grep -c '^[0-9].* events .* packed$'; }

# The recorder packs when it has the time: a busy machine may need more than one run.
for ((tries = 0; tries < 20; tries++)); do
    "$fisql" record -q -o packed.bin ./rests
    [ "$(packed packed.bin)" -gt 0 ] || [ "$(nproc)" -lt 2 ] && break
done
[ "$(nproc)" -lt 2 ] || at_least "chunks are packed" 1 "$(packed packed.bin)"
"$fisql" record -q --no-compress -o plain.bin ./rests
same "--no-compress: none is" 0 "$(packed plain.bin)"
for log in packed plain; do
    "$fisql" load -q -o $log.db $log.bin
    same "$log: load says nothing" 0 $?
    same "$log: all calls are there" "$expected" "$(counts $log.db)"
    same "$log: all blocks" "20|210" "$(sql $log.db 'SELECT count(*), sum(size) FROM allocs WHERE size <= 20')"
    same "$log: rollups equal the rows" "" "$(sqlite3 -batch $log.db <"$here/tests/e2e/rollups.sql")"
done
same "the run says which" "zstd none" \
    "$(for log in packed plain; do sql $log.db "SELECT value FROM run WHERE key = 'compression'"; done | paste -sd' ')"
[ "$(nproc)" -lt 2 ] || at_least "a packed log is smaller" "$(stat -c %s packed.bin)" "$(stat -c %s plain.bin)"

# A packed chunk that is damaged is lost alone, and said.
if [ "$(packed packed.bin)" -gt 0 ]; then
    read -r offset bytes calls < <("$fisql" dump packed.bin | sed -n 's/^\([0-9]*\): events.* bytes \([0-9]*\) .* calls [0-9]*+\([0-9]*\) .* packed$/\1 \2 \3/p' | head -n 1)
    cp packed.bin damaged.bin
    printf '\377\376\375\374' | dd of=damaged.bin bs=1 seek=$((offset + bytes / 2)) conv=notrunc 2>/dev/null
    run "$fisql" load -o damaged.db damaged.bin
    same "a damaged packed chunk: status 1" 1 "$status"
    missing=$(sql damaged.db 'SELECT sum(calls) FROM losses')
    same "a damaged packed chunk: rows and missing calls are the calls made" 200021 \
        $(($(sql damaged.db 'SELECT sum(calls) FROM threads') + missing))
    at_least "and no more are missing than it had" "$missing" "$calls"
fi

# One processor: who fills a chunk writes it.
alone "$fisql" record -q -o one.bin ./rests
same "one processor: none is packed" 0 "$(packed one.bin)"
"$fisql" load -q -o one.db one.bin
same "one processor: all calls are there" "$expected" "$(counts one.db)"
same "one processor: the run says so" none "$(sql one.db "SELECT value FROM run WHERE key = 'compression'")"
