#!/bin/bash
# Callbacks (fisql.h: fisql_on_call) and plugins (fisql record --plugin): they are called as often as the log has calls,
# with the arguments and results that the log has; the program notices nothing else.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

kinds=hooks
[ "$(uname -m)" != x86_64 ] || kinds="hooks as-is" # aarch64 has sleds, of which any_sleds.sh knows
build gcc hooks -g -O1 -I"$here" "$programs/callbacks.c"
gcc -g -O1 -fno-ipa-icf -w -I"$here" -o as-is "$programs/callbacks.c" -lpthread
gcc -g -O1 -w -shared -fPIC -I"$here" -o plugin.so "$programs/call_plugin.c" ||
    not_ok "the plugin builds"

# record PROGRAM MODE [OPTION...]: into x.db; sets out, err and status
record() {
    local program=$1 mode=$2
    shift 2
    rm -f x.bin x.db
    # shellcheck disable=SC2086 # a mode and its argument
    run "$fisql" record -q -o x.bin "$@" "./$program" $mode
    "$fisql" load -q x.bin
}
calls_of() { # PATTERN: as often the log has calls of such functions
    sql x.db "SELECT count(*) FROM calls c JOIN frames k ON k.id = c.frame_id JOIN functions f ON f.id = k.function_id
              WHERE f.name GLOB '$1'"
}
blocks_of() { # BYTES: allocations of that size
    sql x.db "SELECT count(*) FROM allocs WHERE size = $1"
}

# ---- without a recorder
run ./hooks counts
same "without the collector nothing is called" \
    "matches -1|begun 0 ended 0 deepest 0 threads 0 strangers 0|taken back 0|begun 0 ended 0 deepest 0 threads 0 strangers 0" \
    "$(tr '\n' '|' <<<"$out" | sed 's/|$//')"
run env LD_PRELOAD="$FISQL_BUILD/libfisql.so" FISQL_LOG="$TEST_TMP/own.bin" ./hooks counts
has "without fisql record nobody knows names" "matches -1" "$out"

for kind in $kinds; do
    # ---- counts: threads, recursion
    for option in --no-alloc --values --locks=all "--exclude other_*" --min-duration=1ms --depth=3; do
        # shellcheck disable=SC2086 # an option and its argument
        record "$kind" counts $option
        begun=$(sed -n 's/begun \([0-9]*\) .*/\1/p' <<<"$out" | head -1)
        same "$kind $option: calls that are called for: those of the program" "0 2817" "$status $begun"
        same "$kind $option: each that began ends, in five threads, and nothing comes after it was taken back" \
            "begun 2817 ended 2817 threads 5 strangers 0 taken back 1" \
            "$(sed -n 's/ deepest [0-9]*//; /begun/p; /taken/p' <<<"$out" | sort -u | sort -r | sed 's/^taken/1&/' | sort -r | sed 's/^1//' | tr '\n' ' ' | sed 's/ $//')"
        case $option in
            --min-duration* | --depth*) ;;
            *) same "$kind $option: and those of the log" 2823 "$(calls_of 'work_*')" ;; # six behind it
        esac
        sound "$kind $option" x.db
    done

    # ---- arguments and results
    record "$kind" "tells told" --values
    same "$kind: errno and results stay, in whatever registers" "0 matches 10|$("./$kind" tells none | tail -1)" "$status $(paste -sd'|' <<<"$out")"
    sql x.db "SELECT f.name || coalesce((SELECT ' ' || group_concat(position || ':' || CASE typeof(value)
                  WHEN 'real' THEN printf('%.17g', value) ELSE value END, ' ')
                  FROM call_values WHERE id > 32 * c.id AND id < 32 * c.id + 32), '')
              FROM calls c JOIN frames k ON k.id = c.frame_id JOIN functions f ON f.id = k.function_id
              WHERE f.name GLOB 'work_*' ORDER BY c.id" >logged
    same "$kind: the arguments that the log has, in the same order" "" "$(grep -v '^end' told | diff - logged)"
    at_least "$kind: which are all there, but for what a function drops" 51 "$(grep -v '^end' told | grep -o ' [1-9]:' | wc -l)"
    sql x.db "SELECT 'end of ' || f.name || coalesce((SELECT ' 0:' || CASE typeof(value)
                  WHEN 'real' THEN printf('%.17g', value) ELSE value END
                  FROM call_values WHERE id = 32 * c.id), '')
              FROM calls c JOIN frames k ON k.id = c.frame_id JOIN functions f ON f.id = k.function_id
              WHERE f.name GLOB 'work_*'" | sed 's/{.*}/16 bytes/' | sort >logged
    same "$kind: the results that the log has" "" "$(grep '^end' told | sort | diff - logged)"
    at_least "$kind: of each function that has one" 27 "$(grep -c '^end.* 0:' told)"

    # ---- what a callback does is not the program's
    record "$kind" disturbed --locks=all
    same "$kind: a callback that allocates, calls its own function, raises a signal, prints and sets errno" \
        "0 begun 4 ended 4 errno kept handled 5 a line|a line|a line|a line|" "$status $out $(tr '\n' '|' <<<"$err")"
    same "$kind: its allocations are not in the log, the program's are" "0 0 1" "$(blocks_of 12345) $(blocks_of 1000) $(blocks_of 77)"
    same "$kind: nor its calls and its handlers' calls; those of the handler after it are" "4 1 1" \
        "$(calls_of work_fall) $(calls_of work_nothing) $(calls_of on_signal)"
    sound "$kind: such callbacks" x.db
    record "$kind" slowed
    same "$kind: the time of slow callbacks is the recording's" 1 \
        "$(sql x.db "SELECT count(*) >= 39 AND sum(wall_ns) >= 78000000 FROM recording_gaps")"
    same "$kind: and not the function's, in whose duration it is" "1 1" "$(sql x.db "SELECT sum(c.duration_ns) >= 39000000 FROM calls c
        JOIN frames k ON k.id = c.frame_id JOIN functions f ON f.id = k.function_id WHERE f.name = 'work_spin'") $(sql x.db "SELECT
        sum(self_cpu_ns) < 15000000 FROM hot_functions WHERE function = 'work_spin'")"
    record "$kind" jumped
    same "$kind: behind a jump out of a callback, which is forbidden, all is recorded again" "0 behind the jump 5" \
        "$status $out $(calls_of work_fall)"
    record "$kind" forked
    same "$kind: a forked child keeps its callbacks" "begun 11 ended 11|begun 1 ended 1|" "$(sed 's/ deepest.*//' <<<"$out" | tr '\n' '|')"
    record "$kind" exits
    same "$kind: a callback that ends the program" "3 3" "$status $(calls_of work_nothing)"
    record "$kind" changes
    same "$kind: a callback that takes itself back and asks for another" "1 1|begun 2 ended 2" "$(sed 's/ deepest.*//' <<<"$out" | paste -sd'|')"
    record "$kind" refused
    same "$kind: what is refused, and how many callbacks there can be" "-1 -1 -1 0|64 callbacks, 64 taken back|1|1|" "$(tr '\n' '|' <<<"$out")"

    # ---- plugins
    for option in --no-alloc --values; do
        record "$kind" plain --plugin ./plugin.so $option
        same "$kind $option: a plugin hears each call" "0 plugin: matches $(sql x.db "SELECT count(*) FROM functions
            WHERE instrumented = 1") begun $(calls_of '*') ended $(calls_of '*')" "$status $err"
    done
    record "$kind" plain --plugin ./plugin.so
    same "$kind: its block is not the program's" 0 "$(blocks_of 4321)"
    PLUGIN_PATTERN='other_*' record "$kind" plain --plugin "$PWD/plugin.so"
    same "$kind: calls that match" "plugin: matches 1 begun 50 ended 50" "$err"
    same "$kind: which the run says" plugin "$(sql x.db "SELECT value FROM run WHERE key = 'options'" | grep -o plugin)"
    rm -f x.bin
    run env PLUGIN_PATTERN='other_*' "$fisql" record -q -o x.bin --plugin ./plugin.so sh -c "./$kind plain; ./$kind plain"
    same "$kind: each program that the program starts loads it" "2" "$(grep -c 'plugin: matches 1 begun 50 ended 50' <<<"$err")"
done

# ---- a library that comes later
cat >late.c <<'C'
__attribute__((noinline)) int work_late(int x)
{
    return x * 3;
}
int late_run(int x)
{
    return work_late(x) + work_late(x + 1);
}
C
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    for (int i = 0; i < 3; i++) {
        void *library = dlopen("./late.so", RTLD_NOW);
        int (*run)(int) = (int (*)(int))dlsym(library, "late_run");
        printf("%d\n", run(i));
        dlclose(library);
    }
    return 0;
}
C
build gcc late.so -g -O1 -shared -fPIC late.c
build gcc opens -g -O1 opens.c
gcc -g -O1 -o opens-as-is opens.c -ldl
for kind in opens ${kinds#hooks}; do
    [ "$kind" != as-is ] || kind=opens-as-is
    [ "$kind" = opens ] || gcc -g -O1 -shared -fPIC -o late.so late.c
    PLUGIN_PATTERN='work_*' record "$kind" plain --plugin ./plugin.so
    same "$kind: calls of a library that is opened three times" "plugin: matches 0 begun 6 ended 6" "$err"
done

# ---- C++: exceptions
cat >throws.cc <<'C'
#include "collector/fisql.h"
#include <stdexcept>
#include <cstdio>
static int begun, ended, unwound, caught_inside;
__attribute__((noinline)) int work_throw(int x)
{
    if (x % 2)
        throw std::runtime_error("odd");
    return x;
}
__attribute__((noinline)) int work_between(int x)
{
    return work_throw(x) + 1;
}
__attribute__((no_instrument_function)) static void count(const fisql_call *call, void *)
{
    begun += !call->ends;
    ended += call->ends;
    unwound += call->unwound;
    try {
        throw 1;
    } catch (int one) {
        caught_inside += one;
    }
}
int main()
{
    int caught = 0;
    FISQL_ON_CALL("work_*", count, nullptr);
    for (int i = 0; i < 10; i++)
        try {
            work_between(i);
        } catch (const std::exception &) {
            caught++;
        }
    std::printf("caught %d begun %d ended %d unwound %d inside %d\n", caught, begun, ended, unwound, caught_inside);
    return 0;
}
C
build g++ throws -g -O1 -I"$here" throws.cc
record throws ''
same "exceptions that pass, and one that a callback throws and catches itself" \
    "caught 5 begun 20 ended 20 unwound 10 inside 40 20" "$out $(calls_of 'work_*')"
sound "exceptions" x.db

# ---- the example of docs/tracing.md
gcc -w -shared -fPIC -I"$here/collector" -o watch.so "$here/examples/watch.c"
build gcc orders -g -I"$here/collector" "$here/examples/orders.c"
WATCH='total discount none' record orders '' --values --plugin ./watch.so
same "the example says what was not found" "watch: no function none" "$(grep '^watch' <<<"$err")"
same "the example prints the calls" "total begins 6, ends 6; discount begins 6, ends 6; 0.75 1.5" \
    "total begins $(grep -c ' total(0x' <<<"$err"), ends $(grep -c ' total ends with .* after' <<<"$err"); discount begins $(
    grep -c ' discount(0x' <<<"$err"), ends $(grep -c ' discount ends with .* after' <<<"$err"); $(
    sed -n 's/.* discount ends with \([0-9.]*\) after.*/\1/p' <<<"$err" | grep -v '^0$' | paste -sd' ')"

# ---- the collector in the program
for flags in --static-runtime -static; do
    if [ "$flags" = -static ]; then more=-static cc_options=; else more='' cc_options=$flags; fi
    # shellcheck disable=SC2086 # none or one
    build gcc held -g -O1 $more -I"$here" "$programs/callbacks.c"
    cc_options=
    record held counts
    has "$flags: as any other program" "begun 2817 ended 2817" "$out"
    rm -f x.bin
    run "$fisql" record -q -o x.bin --plugin ./plugin.so ./held plain
    same "$flags: but it can load no plugin" 2 "$status"
    if [ "$flags" = -static ]; then
        has "$flags: why" "fisql: ./held: it is static and cannot load a plugin: link your code into it and call fisql_on_call() (fisql.h)" "$err"
    else
        has "$flags: why" "fisql: ./held: it holds the collector itself and cannot load a plugin" "$err"
    fi
done

# ---- plugins that cannot be loaded
refuses() { # WHAT WORDS FILE
    rm -f x.bin
    run "$fisql" record -q -o x.bin --plugin "$3" ./hooks plain
    same "a plugin that $1" "2 $2 " "$status $err $(ls x.bin 2>/dev/null)"
}
echo "no library" >text.so
gcc -w -shared -fPIC -o empty.so -xc - <<<'int nothing;'
refuses "is missing" "fisql: --plugin ./none.so: No such file or directory" ./none.so
refuses "is a text" "fisql: --plugin $PWD/text.so: not an ELF file: it must be a shared library (cc -shared -fPIC)" text.so
refuses "is a program" "fisql: --plugin $PWD/hooks: not a shared library: build it with cc -shared -fPIC" hooks
refuses "does not export the function" "fisql: --plugin $PWD/empty.so: it exports no function fisql_plugin(void), which fisql calls at each process's start (in C++: extern \"C\")" empty.so
run "$fisql" record -q -o x.bin --plugin plugin.so --plugin plugin.so ./hooks plain
same "two of them" "2 fisql: --plugin: give one; a plugin can load others itself" "$status $err"
gcc -w -shared -fPIC -o needs.so -xc - <<<'int no_such_function(void); void fisql_plugin(void) { no_such_function(); }'
rm -f x.bin
run "$fisql" record -q -o x.bin --plugin ./needs.so ./hooks plain
same "one that lacks a function: the program runs on, and is recorded" 0 "$status"
has "... and says so" "fisql: --plugin $PWD/needs.so: $PWD/needs.so: undefined symbol: no_such_function" "$err"
"$fisql" load -q x.bin
at_least "... with its calls" 100 "$(calls_of '*')"
