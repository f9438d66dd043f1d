#!/bin/bash
# Programs with room at each function's start (-fpatchable-function-entry, -pg -mfentry, XRay): each function is
# recorded, the shortest, too, and as often as gcov counts it.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
[ "$(uname -m)" = x86_64 ] || { echo "skipped - sleds: for x86-64 alone"; exit 0; }

cat >short.c <<'END'
#include <stdio.h>
#define APART __attribute__((noinline))
#define KEEP __asm__ volatile("" : : : "memory")
APART void nothing(void) { KEEP; }
APART int zero(void) { KEEP; return 0; }
APART int same(int x) { KEEP; return x; }
APART int twice(int x) { return same(x) + same(x); }
APART int down(int n) { return n == 0 ? zero() : down(n - 1) + 1; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        nothing();
        sum += twice(i);
    }
    printf("%d\n", sum + down(50));
    return 5;
}
END
expected="down 51
main 1
nothing 100
same 200
twice 100
zero 1"
counts() { sql short.db "SELECT f.name || ' ' || s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id
    WHERE f.name IN ('down', 'main', 'nothing', 'same', 'twice', 'zero') ORDER BY 1"; }
recorded() { # WHAT
    rm -f short.bin short.db
    run "$fisql" record -o short.bin ./short
    same "$1: status and output" "5 9950" "$status $out"
    "$fisql" load -q short.bin
    same "$1: counts" "$expected" "$(counts)"
    same "$1: every function but those of the program's start" "" "$(sql short.db "SELECT name || ': ' || not_hooked FROM functions
        WHERE not_hooked IS NOT NULL AND name IN ('down', 'main', 'nothing', 'same', 'twice', 'zero')")"
}
for compiler in gcc clang; do
    run "$fisql" cc --sleds $compiler -O1 -fno-optimize-sibling-calls -o short short.c
    same "$compiler --sleds: builds" 0 "$status"
    same "$compiler --sleds: no hooks" 0 "$(nm short | grep -c __cyg_profile_func)"
    recorded "$compiler --sleds"
done
if gcc -O1 -g -fno-optimize-sibling-calls -pg -mfentry -mnop-mcount -fno-pie -no-pie -o short short.c 2>/dev/null; then
    recorded "-pg -mfentry -mnop-mcount"
fi
if clang -O1 -g -fno-optimize-sibling-calls -fxray-instrument -fxray-instruction-threshold=1 -o short short.c 2>/dev/null; then
    recorded "XRay"
else
    echo "skipped - XRay: clang's runtime is not there"
fi
run "$fisql" cc --sleds --no-inline gcc -c short.c
same "--sleds with options for hooks" "2 fisql: cc: --sleds: leave out the options that say which functions get hooks" "$status $err"
run "$fisql" cc --sleds gcc -static -o short short.c
same "--sleds and a static program" "2 fisql: cc: --sleds: a static program cannot be patched: it needs hooks" "$status $err"
