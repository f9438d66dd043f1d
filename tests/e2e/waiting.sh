#!/bin/bash
# Where threads wait: each thread's time off the processor equals what the kernel's scheduler says
# (/proc/PID/task/TID/schedstat), beside two busy loops on one core, and is found where it was spent.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc waits -O1 -g "$programs/waits.c"

# threads DB: name, time off the processor from its last begin() to its last mark(), and all time on it, of each thread
threads() {
    sql "$1" "SELECT t.name || ' ' || (sum(g.wait_ns) + sum(g.preempted_ns)) || ' ' || t.cpu_ns FROM threads t
        JOIN (SELECT c.thread_id, max(c.enter_ns) AS ns FROM calls c JOIN frames fr ON fr.id = c.frame_id
              JOIN functions f ON f.id = fr.function_id WHERE f.name = 'mark' GROUP BY c.thread_id) mark ON mark.thread_id = t.id
        JOIN (SELECT c.thread_id, max(c.enter_ns) AS ns FROM calls c JOIN frames fr ON fr.id = c.frame_id
              JOIN functions f ON f.id = fr.function_id WHERE f.name = 'begin' GROUP BY c.thread_id) begun ON begun.thread_id = t.id
        JOIN gaps g ON g.thread_id = t.id AND g.start_ns >= begun.ns AND g.start_ns < mark.ns GROUP BY t.id ORDER BY t.name"
}

for way in "" busy; do
    taskset -c 0 "$fisql" record -q ./waits $way >said.txt
    grep -v '^lock' said.txt >kernel.txt
    "$fisql" load -q run.bin
    same "${way:-alone}: loads" 0 $?
    threads run.db >threads.txt
    # What lies below the threshold is the difference.
    same "${way:-alone}: time off the processor is schedstat's, within 2 %" "" "$(awk '
        NR == FNR { off[$1] = $2; next } { fisql += off[$1]; kernel += $2 - $3 }
        END { if (fisql < kernel * 0.98 || fisql > kernel * 1.02) print fisql, kernel }' threads.txt kernel.txt)"
    same "${way:-alone}: each thread's time on the processor is schedstat's" "" "$(awk '
        NR == FNR { cpu[$1] = $3; next }
        { differs = cpu[$1] - $4; if (differs < 0) differs = -differs
          if (differs > $4 * 0.02 + 300000) print $1, cpu[$1], $4 }' threads.txt kernel.txt)"
    same "${way:-alone}: five threads are compared" 5 "$(wc -l <kernel.txt)"
done
same "the queries: who waits where" "hold holder
read_one reader
wait_for_lock waiter" "$(sql run.db "SELECT f.name || ' ' || t.name FROM gaps g JOIN frames fr ON fr.id = g.frame_id
    JOIN functions f ON f.id = fr.function_id JOIN threads t ON t.id = g.thread_id
    WHERE f.name IN ('hold', 'wait_for_lock', 'read_one') AND g.waits > 0 GROUP BY 1 ORDER BY 1" | sort)"
same "a wait for a lock is as long as it was" 1 "$(sql run.db "SELECT max(g.wait_ns) BETWEEN $(awk '/^lock/ { print $2 " AND " $3 }' said.txt) FROM gaps g
    JOIN frames fr ON fr.id = g.frame_id JOIN functions f ON f.id = fr.function_id WHERE f.name = 'wait_for_lock'")"
same "a thread that never returns is drawn to its end" 1 "$(sql run.db "SELECT s.self_wait_ns > 100000000
    FROM thread_functions s JOIN threads t ON t.id = s.thread_id JOIN functions f ON f.id = s.function_id
    WHERE t.name = 'blocked' AND f.name = 'nap'")"
same "beside busy loops work is put aside, not waiting" 1 "$(sql run.db "SELECT self_preempted_ns > 4 * self_wait_ns
    AND self_cpu_ns BETWEEN 5000000 AND 500000000 FROM function_stats s JOIN functions f ON f.id = s.function_id
    WHERE f.name = 'compute'")"
"$fisql" query waiting run.db --format csv >waiting.csv
has "query waiting" "wait_for_lock" "$(cat waiting.csv)"
"$fisql" query hot-functions run.db --limit 1 >hot.txt
has "hot-functions: what computes comes first" compute "$(cat hot.txt)"
"$fisql" query hot-functions run.db --by wait --limit 1 >hot.txt
has "hot-functions --by wait: what waits" nap "$(cat hot.txt)"
"$fisql" query hot-functions run.db --by wall --limit 1 >hot.txt
has "hot-functions --by wall: what waits too" nap "$(cat hot.txt)"
run "$fisql" query hot-functions run.db --by foo
has "hot-functions --by foo" "cpu/wall/wait" "$err"
has "tree: by processor time" compute "$("$fisql" tree run.db | sed -n 3,4p)"
has "tree --by wait" nap "$("$fisql" tree run.db --by wait | head -n 4)"
same "export --by wait adds up to what was waited" "$(sql run.db 'SELECT sum(self_wait_ns) FROM function_stats')" \
    "$("$fisql" export --format folded --by wait run.db | awk '{ sum += $NF } END { printf "%.0f\n", sum }')"
same "export --by wait of a part that is the whole" "$(sql run.db 'SELECT sum(self_wait_ns) FROM function_stats')" \
    "$("$fisql" export --format folded --by wait --until 1000s run.db | awk '{ sum += $NF } END { printf "%.0f\n", sum }')"
same "export --by cpu of a part leaves out what was waited" 1 "$("$fisql" export --format folded --until 1000s run.db |
    awk -v cpu="$(sql run.db 'SELECT sum(raw_self_ns) - sum(self_wait_ns) - sum(self_preempted_ns) FROM function_stats')" \
    '{ sum += $NF } END { print (sum > 0.98 * cpu && sum < 1.02 * cpu) }')"

# A program that a signal ends is at its end where the signal came, and its first thread had the processor time that
# the kernel says.
cat >killed.c <<'C'
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
static void compute(long ns)
{
    struct timespec cpu;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    while (cpu.tv_sec * 1000000000 + cpu.tv_nsec < ns);
}
static void sleeps(void) { alarm(1); sleep(100); }
static void computes(void) { alarm(1); compute(100000000000); }
int main(int argc, char **argv) { (void)argc; compute(20000000); if (strcmp(argv[1], "sleep") == 0) sleeps(); else computes(); }
C
build gcc killed -O1 -g killed.c
for how in sleep compute; do
    "$fisql" record -q ./killed $how 2>/dev/null
    "$fisql" load -q run.bin
    same "killed while it ${how}s: it lasted a second" 1 "$(sql run.db "SELECT end_ns BETWEEN 1000000000 AND 5000000000 FROM processes")"
    same "killed while it ${how}s: what it did to its end" 1 "$(sql run.db "SELECT CASE '$how'
        WHEN 'sleep' THEN wait_ns > 900000000 AND cpu_ns < 100000000
        ELSE wait_ns < 100000000 AND cpu_ns + preempted_ns > 900000000 END
        FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = '${how}s'")"
done

# A thread's death counts as giving the processor up, and what is nice is put aside seldom, for long.
taskset -c 0 sh -c 'while :; do :; done' &
loop=$!
taskset -c 0 "$fisql" record -q nice -n 19 ./killed compute 2>/dev/null
kill $loop
wait $loop 2>/dev/null
"$fisql" load -q run.bin
same "killed while others kept it from computing: it did not wait" 1 "$(sql run.db "SELECT wait_ns < 100000000 AND cpu_ns + preempted_ns > 900000000
    FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'computes'")"

"$fisql" record -q --no-waits ./waits >kernel.txt
"$fisql" load -q run.bin
same "--no-waits: nothing is known" "0" "$(sql run.db 'SELECT count(*) FROM gaps')"
exit 0
