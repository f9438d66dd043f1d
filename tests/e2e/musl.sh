#!/bin/bash
# Programs with musl as their C library, dynamically linked: as they are and with hooks, they do what they do without
# fisql, and the recording counts what they count. Static ones: static.sh.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
command -v musl-gcc >/dev/null || {
    echo "skipped - musl: musl-gcc is not installed"
    exit 0
}
known() { awk -v known="$(cut -d' ' -f1 "$1" | tr '\n' ' ')" '
    BEGIN { split(known, list); for (i in list) want[list[i]] = 1 } want[$1]'; }

for name in forks threads jumps lifetime; do
    for way in "as it is" "with hooks"; do
        compiler=(musl-gcc -fno-inline)
        [ "$way" = "as it is" ] || compiler=("$fisql" cc musl-gcc)
        "${compiler[@]}" -w -O1 -g -o "$name" "$programs/$name.c" -lpthread -ldl -lm || not_ok "$name, $way: builds"
        has "$name, $way: it is linked with musl" ld-musl "$(readelf -l "$name" | grep interpreter)"
        run "./$name"
        alone=$status
        rm -f run.bin run.db
        run "$fisql" record -q "./$name"
        same "$name, $way: recorded, with the program's status" "$alone " "$status $err"
        cp "$TEST_TMP/out" counted
        "$fisql" load -q run.bin
        at_least "$name, $way: it counts functions" 3 "$(expected counted | wc -l)"
        same "$name, $way: counts" "$(expected counted)" "$(counts run.db | known counted)"
        same "$name, $way: nothing is lacking" 0 "$(sql run.db "SELECT count(*) FROM losses")"
    done
done

# Blocks: each that was allocated and freed
cat >blocks.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) char *take(int n) { char *p = malloc((size_t)n); return p; }
__attribute__((noinline)) void give(char *p) { free(p); }
int main(void)
{
    for (int i = 1; i <= 500; i++) {
        char *p = take(i);
        p[0] = 1;
        if (i % 5)
            give(p);
    }
    return 0;
}
C
musl-gcc -w -O1 -g -o blocks blocks.c
"$fisql" record -q -o blocks.bin ./blocks
"$fisql" load -q blocks.bin
same "blocks: allocated, freed, with their bytes" "500 400 125250" "$(sql blocks.db "SELECT count(*) || ' ' || count(free_ns) || ' ' || sum(a.size) FROM allocs a
    JOIN frames r ON r.id = a.frame_id JOIN functions f ON f.id = r.function_id WHERE f.name = 'take'")"
