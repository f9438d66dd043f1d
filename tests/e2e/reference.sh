#!/bin/bash
# What recording costs: hooks that measure themselves, and `record --reference`, which runs the program once more.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

fact() { # DB KEY
    sql "$1" "SELECT value FROM run WHERE key = '$2'"
}

# deep takes some 20 ms with hooks and 5 without: more than a process's start, which differs from run to run.
cat >deep.c <<'C'
static volatile int sink;
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(int argc, char **argv) { (void)argv; sink = fib(argc > 1 ? 25 : 28); return 3; }
C
build gcc deep -O1 -g deep.c
"$fisql" record -q -o small.bin ./deep small </dev/null
"$fisql" load -q small.bin
"$fisql" record -q -o deep.bin ./deep </dev/null
"$fisql" load -q deep.bin
[ "$(fact deep.db clock)" = tsc ] || [ "$(fact deep.db clock)" = cntvct ] && source=samples || source=loop
same "hooks measure themselves" $source "$(fact deep.db hook_cost_source)"
same "every call has its cost, and rollups what SQL takes out" "" "$(sqlite3 -batch small.db <"$here/tests/e2e/rollups.sql")"
has "info says how far times may be off, and what tells more" "recording cost" "$("$fisql" info deep.db)"
has "info names --reference" "fisql record --reference" "$("$fisql" info deep.db)"

# What the program takes without the collector is what all adjusted times sum up to.
run "$fisql" record -o deep.bin --reference ./deep </dev/null
same "--reference: the status is the program's" 3 "$status"
has "--reference: it is said that the program runs again" "once more" "$err"
"$fisql" load -q deep.bin
same "--reference: both times are known, and the recorded run took longer" 1 "$(sql deep.db "SELECT
    max(CASE key WHEN 'cpu_ns' THEN value END) > max(CASE key WHEN 'reference_cpu_ns' THEN value END)
    AND max(CASE key WHEN 'reference_cpu_ns' THEN value END) > 0 FROM run")"
setup=$("$fisql" dump deep.bin | sed -n 's/^ *setup_ns = //p')
same "--reference: the costs sum up to the difference less the start of the collector" 1 "$(sql deep.db "SELECT
    abs(sum((last_call_id - first_call_id + 1) * (inside_ps + outside_ps)) / 1000 -
        coalesce((SELECT value FROM run WHERE key = 'held_ns'), 0) -
        ((SELECT value FROM run WHERE key = 'cpu_ns') - (SELECT value FROM run WHERE key = 'reference_cpu_ns') - $setup))
    < 0.002 * (SELECT value FROM run WHERE key = 'cpu_ns') FROM hook_costs")"
same "--reference: it tells the cost" reference "$(fact deep.db hook_cost_source)"
has "--reference: info says what the program takes without" "for without it the program takes" "$("$fisql" info deep.db)"
"$fisql" record -q -o small.bin --reference ./deep small </dev/null
"$fisql" load -q small.bin
same "--reference: rollups are what SQL takes out" "" "$(sqlite3 -batch small.db <"$here/tests/e2e/rollups.sql")"

# Long enough to take clearly longer with hooks on a busy machine. The program says how often it ran, what it read and what it found around it.
cat >again.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int read_all(void) { int lines = 0; for (int c; (c = getchar()) != EOF;) lines += c == '\n'; return lines; }
static volatile int sink;
static void step(int i) { sink += i; }
static void spin(void) { for (int i = 0; i < 3000000; i++) step(i); }
int main(int argc, char **argv) {
    const char *preload = getenv("LD_PRELOAD");
    FILE *file = fopen("runs", "a+");
    long second = ftell(file) > 0 || (fseek(file, 0, SEEK_END), ftell(file) > 0);
    int lines = argc > 1 && !strcmp(argv[1], "read") ? read_all() : 0;
    fprintf(file, "%d %d %s%s\n", (int)getpid(), lines, preload && strstr(preload, "libfisql") ? "preloaded" : "bare",
            getenv("FISQL_LOG") || getenv("FISQL_LIVE") || getenv("FISQL_OPTIONS") ? " told" : "");
    fclose(file);
    puts("printed");
    fflush(stdout);
    spin();
    if (argc > 1 && !strcmp(argv[1], "crash")) abort();
    if (argc > 1 && !strcmp(argv[1], "crash-again") && second) abort();
    if (argc > 1 && !strcmp(argv[1], "wait-again") && second) pause();
    return lines;
}
C
build gcc again -O1 -g again.c
ran() { cut -d' ' -f2- runs; }

printf 'one\ntwo\nthree\n' >lines.txt
rm -f runs
{ read -r _ && run "$fisql" record -q --reference ./again read; } <lines.txt
same "a file as input: the status" 2 "$status"
same "a file is read from the same place twice, without a trace of fisql" "2 preloaded told
2 bare" "$(ran)"
same "what the second run prints is not seen" printed "$out"
"$fisql" load -q run.bin
at_least "a file as input: the reference counts" 1 "$(fact run.db reference_cpu_ns)"

rm -f runs
run "$fisql" record -q --reference ./again read < <(echo)
same "input that can be read once is refused" 2 "$status"
has "input that can be read once: it says why" "input can be read only once" "$err"
same "input that can be read once: nothing is run" "" "$(ls runs 2>/dev/null)"

rm -f runs
run "$fisql" record -q --reference ./again crash </dev/null
same "a crash: the status" 134 "$status"
same "a crash: it crashed twice" 2 "$(wc -l <runs)"
"$fisql" load -q run.bin 2>/dev/null
at_least "a crash: the reference counts" 1 "$(fact run.db reference_cpu_ns)"

rm -f runs
run "$fisql" record -q --reference ./again crash-again </dev/null
same "a crash of the reference run alone: the status is the recorded run's" 0 "$status"
has "a crash of the reference run alone: it is said" "it does not count" "$err"
"$fisql" load -q run.bin
same "a crash of the reference run alone: it does not count" $source "$(fact run.db hook_cost_source)"

# Asked to end in the reference run, fisql ends with it; what was recorded is whole.
rm -f runs run.bin
"$fisql" run --reference ./again wait-again </dev/null >/dev/null 2>ended.txt &
recorder=$!
for _ in $(seq 500); do
    [ "$(wc -l 2>/dev/null <runs)" = 2 ] && break
    sleep 0.02
done
kill -TERM $recorder
wait $recorder
same "asked to end in the reference run: the status" 143 $?
second=$(tail -n1 runs | cut -d' ' -f1)
kill -0 "$second" 2>/dev/null
same "asked to end in the reference run: the program is gone" 1 $?
same "asked to end in the reference run: fisql run ends, too" "" "$(ls run.html 2>/dev/null)"
"$fisql" load -q run.bin
same "asked to end in the reference run: the log is whole" "1 $source" "$(fact run.db complete) $(fact run.db hook_cost_source)"

rm -f runs
run "$fisql" run -q --reference ./again </dev/null
same "fisql run passes it on" "0 reference" "$status $(fact run.db hook_cost_source)"
for option in --no-time --start-off "--depth 3" "--min-duration 1us" "--ring 1M"; do
    # shellcheck disable=SC2086 # words
    run "$fisql" record -q --reference $option ./again </dev/null
    same "--reference with $option is refused" "2 fisql: --reference compares whole runs: leave out --time none, --start-off, --depth, --min-duration and --ring" "$status $err"
done
