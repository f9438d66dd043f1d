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
short_counts() { sql short.db "SELECT f.name || ' ' || s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id
    WHERE f.name IN ('down', 'main', 'nothing', 'same', 'twice', 'zero') ORDER BY 1"; }
recorded() { # WHAT
    rm -f short.bin short.db
    run "$fisql" record -o short.bin ./short
    same "$1: status and output" "5 9950" "$status $out"
    "$fisql" load -q short.bin
    same "$1: counts" "$expected" "$(short_counts)"
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

# ---- Programs that hold the collector.
for how in "gcc -static" "gcc -static-pie" "clang -static" "clang -static-pie" "--static-runtime gcc" "--static-runtime clang"; do
    # shellcheck disable=SC2086 # words
    run "$fisql" cc --sleds $how -O1 -fno-optimize-sibling-calls -o short short.c
    same "--sleds $how: builds" 0 "$status"
    run ./short
    same "--sleds $how: runs by itself" "5 9950" "$status $out"
    recorded "--sleds $how"
    same "--sleds $how: what else was called" "" "$(sql short.db "SELECT f.name FROM function_stats s JOIN functions f ON f.id = s.function_id
        WHERE f.name NOT IN ('down', 'main', 'nothing', 'same', 'twice', 'zero')")"
done
"$fisql" cc --sleds gcc -static -O1 -fno-optimize-sibling-calls -s -o short short.c
run "$fisql" record -o short.bin ./short
has "stripped: each function with a sled" "recorded as it is: 6 of 6 functions" "$err"
"$fisql" load -q short.bin
same "stripped: calls" 453 "$(sql short.db 'SELECT count(*) FROM calls')"
gcc -c -O1 -g -fno-pie -fno-optimize-sibling-calls -pg -mfentry -mnop-mcount -mrecord-mcount -o short.o short.c
"$fisql" cc --sleds gcc -static -no-pie -o short short.o
recorded "-mrecord-mcount -static"
clang -c -O1 -g -fno-optimize-sibling-calls -fxray-instrument -fxray-instruction-threshold=1 -o short.o short.c
"$fisql" cc --sleds clang -static -o short short.o
recorded "XRay -static"
# Hooks win: a function is not counted twice.
sed 's/main(void)/other(void)/; s/^APART /static APART /' short.c >other.c
"$fisql" cc gcc -c -O1 -fno-optimize-sibling-calls -o short.o short.c
"$fisql" cc --sleds gcc -c -O1 -o other.o other.c
"$fisql" cc gcc -static -o short short.o other.o
run "$fisql" record -o short.bin ./short
lacks "hooks and sleds: is not patched" "as it is" "$err"
rm -f short.db
"$fisql" load -q short.bin
same "hooks and sleds: counts of the hooks" "$expected" "$(short_counts)"
run "$fisql" record -q --no-patch -o short.bin ./short
same "--no-patch: status and output" "5 9950" "$status $out"

# They count their calls themselves.
counted() { # WHAT PROGRAM ARGUMENT...
    local what=$1
    shift
    "$@" >plain.txt 2>/dev/null
    same "$what: runs by itself" 0 $?
    rm -f run.bin run.db
    timeout 120 "$fisql" record -q -o run.bin "$@" >out.txt
    same "$what: exit status" 0 $?
    "$fisql" load -q run.bin
    same "$what: loads without loss" 0 $?
    same "$what: counts" "$(expected out.txt)" "$(counts run.db | sed 's/(int)//; s/^Guard::\(~*Guard\)/\1/' |
        grep -vE '::|operator|^(count_|report)' | LC_ALL=C sort)"
}
for how in "gcc -static" "clang -static-pie" "--static-runtime gcc"; do
    for name in threads jumps; do
        # shellcheck disable=SC2086 # words
        "$fisql" cc --sleds $how -w -O1 -fno-inline -fno-optimize-sibling-calls -o $name "$programs/$name.c" -lpthread
    done
    cxx=${how/gcc/g++}
    # shellcheck disable=SC2086 # words
    "$fisql" cc --sleds ${cxx/clang/clang++} -w -std=c++17 -O0 -o exceptions "$programs/exceptions.cc"
    counted "threads, --sleds $how" ./threads 20
    same "threads, --sleds $how: threads" 81 "$(sql run.db 'SELECT count(*) FROM threads')"
    counted "jumps, --sleds $how" ./jumps
    same "jumps, --sleds $how: calls that were left" 108000 "$(sql run.db 'SELECT count(*) FROM calls WHERE ended = 1')"
    counted "exceptions, --sleds $how" ./exceptions
    sound "exceptions, --sleds $how" run.db
done
