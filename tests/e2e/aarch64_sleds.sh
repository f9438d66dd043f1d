#!/bin/bash
# aarch64: programs with sleds (fisql cc --sleds) under qemu-user. The collector, cross-compiled, asks `fisql record` of
# this machine for a plan and patches them. Counts are those that the programs count themselves, and they run as without.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
for tool in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++; do
    if ! command -v $tool >/dev/null; then
        not_ok "$tool is there (tests/setup check installs it)"
        exit 0
    fi
done
root=/usr/aarch64-linux-gnu # of Debian's cross compilers
collector=$TEST_TMP/aarch64/libfisql.so
same "the collector builds for aarch64" "" "$(collector_aarch64 "$TEST_TMP/aarch64" libfisql.so)"

sleds() { # OUTPUT COMPILER ARGUMENT...
    local output=$1 compiler=$2
    shift 2
    "$fisql" cc --sleds aarch64-linux-gnu-"$compiler" -w -o "$output" "$@" -lpthread -ldl -lm
    same "$output: builds" 0 $?
}
qemu() { timeout 120 qemu-aarch64 -L $root "$@"; }

# case_of PROGRAM ARGUMENT...
case_of() {
    local program=./$1 what="$1${2+ $2}" plain
    shift
    qemu "$program" "$@" >plain.txt 2>/dev/null </dev/null
    plain=$?
    rm -f run.bin run.db
    timeout 200 "$fisql" record -o run.bin qemu-aarch64 -L $root -E "LD_PRELOAD=$collector" "$program" "$@" >out.txt 2>err.txt </dev/null
    same "$what: exit status" "$plain" $?
    has "$what: is patched" "recorded as it is" "$(cat err.txt)"
    "$fisql" load -q run.bin 2>err.txt
    same "$what: loads without loss" 0 $?
    same "$what: counts" "$(expected out.txt)" "$(counts run.db | sed 's/(int)//; s/^Guard::\(~*Guard\)/\1/' |
        grep -E "^($(expected out.txt | sed 's/ .*//' | paste -sd'|')) " | LC_ALL=C sort)"
    same "$what: integrity_check" ok "$(sql run.db 'PRAGMA integrity_check')"
}

sleds short gcc -O1 -fno-optimize-sibling-calls -x c - <<'END'
#include <stdio.h>
#define APART __attribute__((noinline))
#define KEEP __asm__ volatile("" : : : "memory")
APART void nothing(void) { KEEP; }
APART int zero(void) { KEEP; return 0; }
APART int same(int x) { KEEP; return x; }
APART int twice(int x) { return same(x) + same(x); }
APART int down(int n) { return n == 0 ? zero() : down(n - 1) + 1; }
APART double mix(double a, float b, long c, double d) { KEEP; return a + b + (double)c * d; }
struct large { long words[9]; };
APART struct large make(long from) { struct large made; for (long i = 0; i < 9; i++) made.words[i] = from + i; KEEP; return made; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 100; i++) {
        nothing();
        sum += twice(i) + (int)mix(i, 0.5f, i, 2.0) + (int)make(i).words[8];
    }
    printf("%d\n", sum + down(50));
    return 5;
}
END
same "no hooks" 0 "$(aarch64-linux-gnu-nm short | grep -c __cyg_profile_func)"
run qemu ./short
plain="$status $out"
run "$fisql" record -o run.bin qemu-aarch64 -L $root -E "LD_PRELOAD=$collector" ./short
same "short: status and output" "$plain" "$status $out"
has "short: all its functions" "recorded as it is: 8 of 8 functions" "$err"
"$fisql" load -q run.bin
same "short: counts" "down 51
main 1
make 100
mix 100
nothing 100
same 200
twice 100
zero 1" "$(counts run.db)"
same "short: other functions say why not" "compiled without room for a jump (fisql cc --sleds)" \
    "$(sql run.db "SELECT DISTINCT not_hooked FROM functions WHERE not_hooked IS NOT NULL")"
same "short: each function is listed once, with its line" "down 8|main 12|make 11|mix 9|nothing 4|same 6|twice 7|zero 5" \
    "$(sql run.db "SELECT name || ' ' || line FROM functions WHERE line IS NOT NULL ORDER BY name" | paste -sd'|')"
aarch64-linux-gnu-strip -o stripped short
run "$fisql" record -o run.bin qemu-aarch64 -L $root -E "LD_PRELOAD=$collector" ./stripped
has "stripped: all its functions" "recorded as it is: 8 of 8 functions" "$err"
"$fisql" load -q run.bin
same "stripped: calls" 653 "$(sql run.db 'SELECT count(*) FROM calls')"
same "stripped: each function is listed once" "8 of 8" \
    "$(sql run.db "SELECT count(*) || ' of ' || count(DISTINCT name) FROM functions WHERE instrumented")"
run "$fisql" record --no-patch -o run.bin qemu-aarch64 -L $root -E "LD_PRELOAD=$collector" ./short
same "--no-patch: status and output" "$plain" "$status $out"

for name in threads jumps deep coroutines lifetime forks signals; do
    sleds $name gcc -O1 -fno-inline -fno-optimize-sibling-calls "$programs/$name.c"
done
sleds landing gcc -O1 -fno-inline -fno-optimize-sibling-calls -mbranch-protection=standard "$programs/jumps.c"
sleds jumps-O0 gcc -O0 "$programs/jumps.c"
sleds exceptions g++ -std=c++17 -O0 "$programs/exceptions.cc"
sleds stack gcc -O1 -rdynamic -fno-optimize-sibling-calls -x c - <<'END'
#include <execinfo.h>
#include <stdio.h>
__attribute__((noinline)) static int show(void)
{
    void *addresses[20];
    return backtrace(addresses, 20);
}
__attribute__((noinline)) static int in(int n) { return n > 0 ? in(n - 1) + 0 : show(); }
int main(void) { printf("%d frames\n", in(4)); return 0; }
END

for name in jumps jumps-O0 landing; do
    case_of $name
    same "$name: each longjmp ends its calls at once" "4000 108000" \
        "$(sql run.db "SELECT count(*) || ' ' || sum(calls) FROM anomalies WHERE kind = 'unwound'")"
done
case_of exceptions
sound "exceptions" run.db
same "exceptions: calls that were left" "Guard::Guard 0|rethrower 200|thrower 3800" "$(sql run.db "
    SELECT f.name || ' ' || sum(c.ended = 1) FROM calls c JOIN frames r ON r.id = c.frame_id
    JOIN functions f ON f.id = r.function_id WHERE f.name IN ('Guard::Guard', 'rethrower', 'thrower')
    GROUP BY f.name ORDER BY f.name" | paste -sd '|')"
case_of threads 20
same "threads: all of them" 81 "$(sql run.db 'SELECT count(*) FROM threads')"
case_of deep
case_of coroutines
case_of lifetime
case_of forks fork
case_of forks threaded
case_of signals plain 5000
case_of signals altstack 5000
run qemu ./stack
plain=$out
run "$fisql" record -q -o run.bin qemu-aarch64 -L $root -E "LD_PRELOAD=$collector" ./stack
same "backtrace() finds the frames that are there" "$plain" "$out"
