#!/bin/bash
# The options of `fisql record` that lower its cost: counts stay exact under each of them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc planted -O0 -g "$programs/planted.c"
"$fisql" record -q ./planted
"$fisql" load -q run.bin
all=$(counts run.db)
for options in "--depth 1" "--depth 2" "--min-duration 1ms" --no-time --no-alloc "--ring 1M"; do
    # shellcheck disable=SC2086 # words
    "$fisql" record -q $options ./planted
    "$fisql" load -q run.bin
    same "$options: counts" "$all" "$(counts run.db)"
    sound "$options" run.db
    case $options in
    "--depth 1") same "--depth 1: two calls are rows" 2 "$(sql run.db 'SELECT count(*) FROM calls')" ;;
    --min*) same "--min-duration: short leaves are no rows" 1 \
        "$(sql run.db "SELECT counted_calls > 300 FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'shared'")" ;;
    --no-time) same "--no-time: no time passes" 0 "$(sql run.db 'SELECT sum(duration_ns) FROM calls')" ;;
    --no-alloc) same "--no-alloc: no blocks" 0 "$(sql run.db 'SELECT count(*) FROM allocs')" ;;
    esac
done

# What a call's hooks cost is measured at start, whatever the options, and taken out of the rollups.
[ "$(sql run.db "SELECT value FROM run WHERE key = 'clock'")" = tsc ] && costs=1 || costs=0
for options in "" "--depth 2" "--min-duration 1us" "--only planted.c" "--ring 1M" --start-off; do
    # shellcheck disable=SC2086 # words
    "$fisql" record -q $options ./planted
    "$fisql" load -q run.bin
    same "hook cost ($options): both parts are measured" $costs "$(sql run.db "SELECT count(*) = 2 FROM run
        WHERE key IN ('hook_inside_ps', 'hook_outside_ps') AND CAST(value AS INTEGER) BETWEEN 1000 AND 1000000")"
    [ "$options" = --start-off ] && continue
    same "hook cost ($options): self times are less than measured" $costs \
        "$(sql run.db 'SELECT sum(self_ns) < sum(raw_self_ns) FROM function_stats')"
done
"$fisql" record -q --ring 128K ./planted
"$fisql" load -q run.bin 2>/dev/null
same "--ring: sound" ok "$(sql run.db 'PRAGMA integrity_check')"

"$fisql" record -q --only 'proxy*' ./planted
"$fisql" load -q run.bin
same "--only by name" "$(grep '^proxy' <<<"$all")" "$(counts run.db)"
"$fisql" record -q --exclude 'rec*' --exclude target ./planted
"$fisql" load -q run.bin
same "--exclude by name" "$(grep -vE '^(rec|target)' <<<"$all")" "$(counts run.db)"
"$fisql" record -q --only planted.c ./planted
"$fisql" load -q run.bin
same "--only by file" "$all" "$(counts run.db)"
run "$fisql" record --only nothing_of_the_kind ./planted
same "a pattern that nothing matches: status" 2 "$status"
has "a pattern that nothing matches: told" "no function's name or file matches nothing_of_the_kind" "$err"

cat >switch.c <<'C'
#include "fisql.h"
#include <signal.h>
void before(void) {}
void during(void) {}
void after(void) {}
int main(void)
{
    for (int i = 0; i < 10; i++) before();
    raise(SIGUSR2);
    for (int i = 0; i < 20; i++) during();
    FISQL_NOTE("half way");
    raise(SIGUSR2);
    for (int i = 0; i < 30; i++) after();
    FISQL_START();
    for (int i = 0; i < 5; i++) after();
    FISQL_STOP();
    for (int i = 0; i < 5; i++) before();
    return 0;
}
C
build gcc switch -O0 -g -I"$here/collector" switch.c
"$fisql" record -q --start-off ./switch
"$fisql" load -q run.bin
same "--start-off: what was switched on" "after 5
during 20" "$(counts run.db)"
same "--start-off: the note" "half way" "$(sql run.db 'SELECT text FROM notes')"

run "$fisql" record --depth none ./planted
same "a wrong option: status" 2 "$status"
has "a wrong option: told" "--depth none: wants a number" "$err"
run "$fisql" record ./not_there
same "a missing program: status" 2 "$status"
has "a missing program: told" "./not_there: cannot be run: No such file or directory" "$err"
run "$fisql" record --no-patch /bin/true
has "a program without hooks: told" "nothing was recorded" "$err"

# `fisql cc` with fewer hooks: what is left is counted exactly, and what has no hook is not called dead.
cat >inlined.c <<'C'
#include "inlined.h"
__attribute__((noinline)) int big(int x) { __asm__ volatile("" : "+r"(x)); return tiny(x) + tiny(x + 1); }
__attribute__((noinline)) int never(int x) { return x; }
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < 1000; i++) sum += big(i);
    return (argc > 5 ? never(sum) : sum) == -1;
}
C
echo 'static inline int tiny(int x) { return x * 3 + 1; }' >inlined.h
dead() { "$fisql" query dead-code --format csv | tr -d '\r' | awk -F, 'NR > 1 { print $1 }'; }
cc_case() { # what, counts, dead functions, command...
    local what=$1 counts=$2 dead=$3
    shift 3
    "$@" -o inlined inlined.c && "$fisql" record -q ./inlined && "$fisql" load -q run.bin
    same "cc $what: counts" "$counts" "$(counts run.db)"
    same "cc $what: dead-code" "$dead" "$(dead)"
}
cc_case "with all hooks (clang)" "big 1000
main 1
tiny 2000" never "$fisql" cc clang -O2
cc_case "--after-inlining (clang)" "big 1000
main 1" never "$fisql" cc --after-inlining clang -O2
cc_case "--no-inline (clang)" "big 1000
main 1
tiny 2000" never "$fisql" cc --no-inline clang -O2
cc_case "--no-inline (gcc)" "big 1000
main 1
tiny 2000" never "$fisql" cc --no-inline gcc -O2
run "$fisql" cc --no-inline --after-inlining clang -O2 -o inlined inlined.c
same "cc --no-inline --after-inlining: told" "2 fisql: cc: --after-inlining, --no-inline: use one or the other" "$status $err"
cc_case "--exclude-function (gcc)" "big 1000
main 1" "" "$fisql" cc --exclude-function=tiny,never gcc -O2
cc_case "--exclude-file (gcc)" "big 1000
main 1" never "$fisql" cc --exclude-file=inlined.h gcc -O2
run "$fisql" cc --after-inlining gcc -O2 -o inlined inlined.c
same "cc --after-inlining gcc: told" "2 fisql: cc: --after-inlining: gcc does not have it: use clang" "$status $err"
run "$fisql" cc --exclude-file=x clang -O2 -o inlined inlined.c
has "cc --exclude-file clang: told" "2 fisql: cc: --exclude-function, --exclude-file: clang does not have them" "$status $err"

# Programs that count themselves, with calls that leave a count: every count is exact, whatever jumps, throws,
# interrupts or forks in between, and each call's time is counted once.
for compiler in gcc $(brief || echo clang); do
    for program in threads jumps deep coroutines forks signals; do
        build $compiler $program -O1 -g "$programs/$program.c"
    done
    ways=("--depth 1" "--depth 4" "--min-duration 300ns" "--min-duration 1s" "--depth 3 --min-duration 1s" "--no-time --depth 3")
    ! brief || ways=("--depth 4" "--min-duration 300ns" "--no-time --depth 3")
    [ $compiler = gcc ] || ways=("--depth 3 --min-duration 1s") # what differs is where the compilers put the hooks
    for options in "${ways[@]}"; do
        for command in "threads 30" jumps deep coroutines "forks threaded" "forks race" "signals plain 10000" \
            "signals altstack 10000"; do
            # shellcheck disable=SC2086 # words
            timeout 60 "$fisql" record -q $options ./$command >out.txt 2>/dev/null
            "$fisql" load -q run.bin
            status=$?
            same "$options: $command ($compiler)" "0 $(expected out.txt)" \
                "$status $(counts run.db | awk -v known="$(cut -d' ' -f1 out.txt | tr '\n' ' ')" '
                    BEGIN { split(known, list); for (i in list) want[list[i]] = 1 } want[$1]' | LC_ALL=C sort)"
            same "$options: $command ($compiler): self times make up the time" "" "$(sql run.db "
                SELECT t.id, t.raw_self_ns, (SELECT sum(c.duration_ns) FROM calls c WHERE c.thread_id = t.id AND c.parent_id IS NULL) AS total
                FROM threads t JOIN processes p ON p.id = t.process_id AND p.origin <> 'fork'
                WHERE t.calls > 0 AND t.raw_self_ns > total * 1.001 + 2000 OR t.raw_self_ns < total * 0.999 - 2000")"
        done
    done
done
