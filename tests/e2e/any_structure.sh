#!/bin/bash
# What the code of a program that is recorded as it is tells of its structure: which functions call how many others by
# name, jumps at their end included, and that the compiler has left each call that was recorded.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

cat >layers.c <<'END'
#include <stdlib.h>

#define KEPT static __attribute__((noinline))
static volatile int sink;

KEPT int work(int x) { sink += x; return sink; }
KEPT int layer(int x) { return work(x + 1) + 1; }
/* It ends with a jump to one of two functions. */
KEPT int other(int x) { sink -= x; return sink; }
KEPT int branches(int x) { return x == -1 ? other(x) : work(x); }
/* One callee, once for each part, which nobody else calls. */
KEPT int part(int x) { sink ^= x; return sink; }
KEPT int whole(int x)
{
    for (int i = 0; i < 3; i++)
        sink += part(x + i);
    return sink;
}
KEPT int pointed(int x) { sink |= x; return sink; }
static int (*volatile pointer)(int) = pointed;
static inline int merged(int x) { sink += 2 * x; return sink; }

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1000;
    for (int i = 0; i < times; i++) {
        sink += layer(i);
        branches(i ^ (sink | 1 << 30));
        whole(i);
        pointer(i);
        merged(i);
    }
    return 0;
}
END

# judged DB: what the compiler makes of the calls of each function
judged() {
    sql "$1" "SELECT f.name, e.compiler, e.kept FROM edge_details e JOIN functions f ON f.id = e.callee_id
        WHERE f.own AND e.caller_id IS NOT NULL GROUP BY 1, 2, 3 ORDER BY 1"
}

for compiler in gcc clang; do
    "$compiler" -O2 -g -o plain layers.c || { not_ok "$compiler compiles"; continue; }
    "$fisql" record -q ./plain && "$fisql" load -q run.bin
    same "$compiler: the functions that code calls by name, and those that call it" "branches|2|1
layer|1|1
main|3|0
other|0|1
part|0|1
pointed|0|0
whole|1|1
work|0|2" "$(sql run.db "SELECT name, call_targets - (name = 'main'), call_sources FROM functions
        WHERE own AND instrumented AND name NOT GLOB '_*' ORDER BY name")"
    same "$compiler: the calls that were recorded are those of this build" "branches|keeps it: as in this build|1
layer|keeps it: as in this build|1
part|keeps it: as in this build|1
pointed|cannot inline it: called through a pointer|0
whole|keeps it: as in this build|1
work|keeps it: as in this build|1" "$(judged run.db)"
    same "$compiler: a call with work behind it is no proxy's" "" "$("$fisql" query proxies run.db -p max_self_ns=10000 --format csv | sed 1d)"
    same "$compiler: a small static layer may be seen as one" "layer,work,1000,keeps it: as in this build" \
        "$("$fisql" query proxies run.db -p inlined=1 -p max_self_ns=10000 --format csv | tr -d '\r' | sed 1d | cut -d, -f1,4,7,11)"
    same "$compiler: a callee of one caller" "whole,part,1000,3000" \
        "$("$fisql" query single-callee run.db -p proxies=0 --format csv | tr -d '\r' | sed 1d | cut -d, -f1,4,7,8)"

    # Without optimisation nothing says that the calls stay.
    "$compiler" -O0 -g -o slow layers.c
    "$fisql" record -q ./slow && "$fisql" load -q run.bin
    same "$compiler -O0: a static function may be inlined" "may inline it|0" \
        "$(judged run.db | sed -n 's/^layer|//p')"
    run "$fisql" query proxies run.db -p max_self_ns=10000
    has "$compiler -O0: what is left out is counted" "left out, because the compiler may inline them" "$err"
    has "$compiler -O0: and shown" "may inline it" "$("$fisql" query proxies run.db -p inlined=1 -p max_self_ns=10000)"
done

# A distribution's program has no debug information, and was optimised.
gcc -O2 -s -o stripped layers.c
"$fisql" record -q ./stripped && "$fisql" load -q run.bin
at_least "stripped: calls that stay" 4 "$(sql run.db "SELECT count(DISTINCT callee_id) FROM edge_details WHERE kept")"

# A function that ends with the jump to another one: its callers do not call that, although they are recorded as its callers.
cat >tails.c <<'END'
#define KEPT __attribute__((noinline))
static volatile int sink;

KEPT void store(int x) { for (int i = 0; i < 9; i++) sink += x ^ i << (sink & 3) ^ (x * i + 7) % 13; }
KEPT void check(int x) { for (int i = 0; i < 9; i++) sink -= x ^ i << (sink & 3) ^ (x * i + 5) % 11; }
KEPT void save(int x) { check(x); for (int i = 0; i < 9; i++) sink ^= x * i % 9; store(x + 1); }
KEPT void last(int x) { for (int i = 0; i < 9; i++) sink |= x ^ i << (sink & 3) ^ (x * i + 3) % 7; }
KEPT int one(int x) { save(x); last(x); return sink; }
KEPT int two(int x) { save(-x); last(-x); return sink; }

int main(void)
{
    for (int i = 0; i < 50; i++)
        sink += one(i) + two(i);
    return 0;
}
END
for compiler in gcc clang; do
    "$compiler" -O2 -g -o tails tails.c || { not_ok "$compiler compiles"; continue; }
    "$fisql" record -q ./tails && "$fisql" load -q run.bin
    same "$compiler: which calls are jumps at a function's end" "one save store
two save store" "$(sql run.db "SELECT c.name, t.name, f.name FROM tail_calls x JOIN functions c ON c.id = x.caller_id
        JOIN functions t ON t.id = x.through_id JOIN functions f ON f.id = x.callee_id ORDER BY 1" | tr '|' ' ')"
    same "$compiler: they follow no contract" "" \
        "$("$fisql" query call-order run.db --format csv | tr -d '\r' | sed 1d | cut -d, -f1,4 | grep store)"
    same "$compiler: a function's callees are its own" "2 one save" "$("$fisql" query wide-functions run.db -p min_callees=2 -p min_size=0 --format json |
        jq -r '.[] | select(.function == "one") | "\(.callees) \(.function) save"')"
done

# ---- a function that ends with a jump into a library: the library's caller, as it sees it, is who called that function
gcc -O2 -g -w -o jumps "$programs/jumps_out.c" -lpthread || not_ok "the program compiles"
"$fisql" record -q --locks=all ./jumps && "$fisql" load -q run.bin
same "blocks are made and freed at the lines of who called the functions that jump" "main 3 3 main 3" "$(sql run.db "SELECT f.name, count(*),
    count(DISTINCT s.line), g.name, count(DISTINCT e.line) FROM allocs a JOIN sites s ON s.id = a.site_id JOIN functions f ON f.id = s.function_id
    JOIN sites e ON e.id = a.free_site_id JOIN functions g ON g.id = e.function_id WHERE a.size IN (70, 71, 72)" | tr '|' ' ')"
same "no place lies in the collector" "" "$(sql run.db "SELECT m.name, s.address FROM sites s JOIN modules m ON m.id = s.module_id WHERE m.name LIKE 'libfisql%'")"
"$fisql" record -q --fault 'malloc nth=2 in main: mark' ./jumps && "$fisql" load -q run.bin
same "and so does no fault" "main 1" "$(sql run.db "SELECT f.name, count(*) FROM faults x JOIN sites s ON s.id = x.site_id JOIN functions f ON f.id = s.function_id" | tr '|' ' ')"
