#!/bin/bash
# fisql whatif: the replay of runs that were written by hand gives what can be worked out on paper, whatever is not
# known is said, and what a recorded program is predicted is consistent with itself. How predictions compare with
# programs in which the change was made: make check-whatif.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

made() { rm -f "$1.db" && python3 "$here/tests/e2e/whatif_runs.py" "$here/schema.sql" "$1" "$1.db"; }
# takes RUN CHANGE...: tenths of a millisecond that it takes, as it is and with each change
takes() {
    "$fisql" whatif --processors "${processors:-2}" --format json "$1.db" "${@:2}" |
        jq -r '[.run_ns, (.changes[] | select(.change != null) | .predicted_ns)] | map(. / 100000 | round) | join(" ")'
}
doubts() { "$fisql" whatif --processors 2 --format json "$1.db" | jq -r ".doubts.$2"; }

made joined
same "a joined thread: its time counts until the other one is behind" "1000 675 400 850" \
    "$(takes joined 'work: 2x' 'work: -100%' 'part: 2x')"
same "slower is longer" "1000 1650" "$(takes joined 'work: 0.5x')"
same "the joined thread is found" "0" "$(doubts joined unknown_ns)"
same "the critical path goes through it" "15 65 20" "$("$fisql" whatif --format json joined.db 'work: 2x' |
    jq -r '[.path[] | {key: .name, value: .before_ns}] | from_entries | [.main + .part - 20000000, .work, 20000000] | map(. / 1000000 | round) | join(" ")')"

made locked
same "a lock: without it, and with a faster hold" "900 700 600" "$(takes locked 'lock stat_lock: none' 'hold: 2x')"
same "by its number, and by a pattern" "900 700 700" "$(takes locked 'lock 1: none' 'lock stat_*: none')"
split=$(takes locked 'lock stat_lock: split 8')
case $split in "900 700" | "900 900") ok "split: each turn goes to one of eight" ;; *) not_ok "split: $split" ;; esac
same "each acquisition is known" 0 "$(doubts locked locks_partly)"
made locked_partly
same "where only waits were recorded, who had the lock is inferred" "900 700 600" \
    "$(takes locked_partly 'lock stat_lock: none' 'hold: 2x')"
same "and said" 1 "$(doubts locked_partly locks_partly)"

made met
same "a barrier: the last one lets the others go" "600 400 550" "$(takes met 'work: 2x' 'main: 2x')"

made queued
same "a queue: the faster side waits for the other one then" "640 430 620 400" \
    "$(takes queued 'use: 2x' 'make: 2x' 'use: -100%')"
same "and is said to be one" 1 "$(doubts queued queues)"

made timed
same "timeouts before what is waited for came are one wait" "700 400 601" "$(takes timed 'work: 2x' 'finish: -100%')"

made let_go
same "a thread that the one that joins it lets go; another that is only joined sleeps on" "610 485 610" \
    "$(takes let_go 'work: 2x' 'sleeps: 2x')"
same "... which is said to be inferred, and the other one to keep its length" "59200000 30000000" "$(doubts let_go inferred_ns) $(doubts let_go kept_ns)"

made asleep
same "asynchronous: each wait but the first goes on meanwhile" "700 540" "$(takes asleep 'fetch: async')"
made many
same "threads share calls" "1000 600" "$(processors=8 takes many 'draw: 2 threads')"
same "in as many rounds as there are calls for a thread" "1000 500" "$(processors=8 takes many 'draw: 3 threads')"
same "but have no more processors than there are" "1000 1000" "$(processors=1 takes many 'draw: 2 threads')"
same "a thread's first function cannot be shared" "1000 1000" "$(processors=8 takes many 'main: 4 threads')"
made forked
same "a child process that is waited for" "1000 700" "$(takes forked 'child: 2x')"
made piped
same "a pipe, where library calls were recorded" "600 400 500" "$(takes piped 'make: 2x' 'work: 2x')"
made unknown
same "a wait that nobody is known to have ended keeps its length" "1000 40000000" "$(processors=8 takes unknown 'main: 1x' | cut -d' ' -f1) $(doubts unknown unknown_ns)"
has "which is said" "ended by a thread that is not known" "$("$fisql" whatif unknown.db)"
made aside
same "threads that share a processor" "800 600" "$(processors=1 takes aside 'work: 2x')"
same "on two they do not" "400 400" "$(takes aside 'work: 2x')"
made costly
same "the hooks' cost is taken out" "980 935" "$(takes costly 'small: 2x')"
same "by how much it may be off is part of the error" 200000 "$("$fisql" whatif --format json costly.db 'small: 2x' |
    jq '.changes[0].error_ns * 2')"

# The ranking has the same answers.
same "the ranking: what saves most comes first" "function work 60 33 7" "$("$fisql" whatif --processors 2 --format json joined.db |
    jq -r '.ranking[0] | [.what, .name, (.saved_ns, .saved_half_ns, .saved_tenth_ns | . / 1000000 | round)] | join(" ")')"
same "locks and waits are in it" "lock stat_lock 20" "$("$fisql" whatif --processors 2 --format json locked.db |
    jq -r '.ranking[] | select(.what == "lock") | [.what, .name, (.saved_ns / 1000000 | round)] | join(" ")')"
same "a wait that keeps its length" "wait fetch 50" "$("$fisql" whatif --processors 2 --format json asleep.db |
    jq -r '.ranking[] | select(.what == "wait") | [.what, .name, (.saved_ns / 1000000 | round)] | join(" ")')"
same "all changes together come last" "null" "$("$fisql" whatif --format json joined.db 'work: 2x' 'part: 2x' | jq -r '.changes[2].change')"

# What is wrong is said.
wrong() { # WORDS ARGUMENT...
    run "$fisql" whatif "${@:2}"
    same "$1: status" 2 "$status"
    has "$1" "$1" "$err"
}
wrong "did you mean work?" joined.db 'wrok: 2x'
wrong "wants FUNCTION: 2x" joined.db 'work: fast'
wrong "from 2 to 1024 threads" joined.db 'work: 1 threads'
wrong "100 % at most" joined.db 'work: -120%'
wrong "lock NAME: split 8" joined.db 'lock x: gone'
wrong "is no change such as" joined.db work
wrong "there is no lock" locked.db 'lock nothing: none'
wrong "another such change of draw" many.db 'draw: 2 threads' 'draw: 3 threads'
wrong "locks were not recorded" many.db 'lock stat_lock: none'
wrong "malloc in FUNCTION: pool" joined.db 'malloc in work: arena'

# A recorded program: times are those of the rollups, and a replay of the run as it was takes as long as it did.
build gcc pipeline -O2 -g -DSHORT "$programs/whatif/pipeline.c"
build gcc trees -O2 -g -DSHORT "$programs/whatif/trees.c"
for name in pipeline trees; do
    "$fisql" record -q --locks=all -o $name.bin ./$name && "$fisql" load -q -o $name.db $name.bin
    "$fisql" whatif --format json $name.db >$name.json
    same "$name: own times are the rollups'" "" "$(jq -r '.run_ns as $run | .ranking[] | select(.what == "function" and .own_ns > $run / 50) | "\(.name) \(.own_ns)"' $name.json |
        while read -r function ns; do
            expected=$(sql $name.db "SELECT self_cpu_ns FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = '$function'")
            [ $((ns - expected)) -lt $((expected / 100 + 20000)) ] && [ $((expected - ns)) -lt $((expected / 100 + 20000)) ] ||
                echo "$function: $ns, not $expected"
        done)"
    same "$name: replayed as it was it takes as long, within 5 %" true \
        "$(jq '(.replayed_ns - .recorded_ns | fabs) < .recorded_ns / 20' $name.json)"
done
at_least "pipeline: its conditions are a queue's" 1 "$(jq .doubts.queues pipeline.json)"
same "pipeline: the side that waits saves nothing" "true true" "$("$fisql" whatif --processors 2 --format json pipeline.db 'pack: 2x' 'send_item: 2x' |
    jq -r '[(.changes[0].saved_ns < .run_ns / 20), (.changes[1].saved_ns > .run_ns / 5)] | join(" ")')"
same "trees: a pool is tried" true "$("$fisql" whatif --format json trees.db 'malloc in node_new: pool' |
    jq '.changes[0].saved_ns > 0 and (.changes[0].note | test("120000 times"))')"

# Findings say what they would save of the run. Both threads allocate in the same way, and one of them works on when
# the other one has ended.
cat >hidden.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static _Thread_local void *volatile kept;
static _Thread_local volatile unsigned sink;
#define PART __attribute__((noinline))
PART void short_part(int i) { kept = malloc(3000); sink += i; free(kept); }
PART void long_part(int i) { kept = malloc(3000); sink += i; free(kept); }
PART void work(int n) { for (int i = 0; i < n; i++) sink += i; }
static void *shorter(void *none) { for (int i = 0; i < 20000; i++) short_part(i); return none; }
static void *longer(void *none) { for (int i = 0; i < 20000; i++) long_part(i); work(50000000); return none; }
int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, shorter, NULL);
    pthread_create(&threads[1], NULL, longer, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
}
C
cat >turns.c <<'C'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t stat_lock = PTHREAD_MUTEX_INITIALIZER;
static void pause_here(void) { struct timespec length = {.tv_nsec = 2000000}; nanosleep(&length, NULL); }
static void count(void) { pthread_mutex_lock(&stat_lock); pause_here(); pthread_mutex_unlock(&stat_lock); }
static void *counter(void *none) { for (int i = 0; i < 40; i++) { count(); pause_here(); } return none; }
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, counter, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}
C
build gcc hidden -O1 -g hidden.c
build gcc turns -O0 -g turns.c
for name in hidden turns; do
    "$fisql" record -q --locks=all -o $name.bin ./$name && "$fisql" load -q -o $name.db $name.bin
    "$fisql" query $name.db >$name.digest
done
saved() { # FUNCTION: what its finding would save of the run
    grep -A 1 "$1 (hidden.c:.*freed at once" hidden.digest | sed -n "s/^   ~\(.*\) of the run's time (.* on processors), .*/\1/p"
}
hidden() { # FUNCTION: what its finding would save of the run, in percent of what it would save on processors
    grep -A 1 "$1 (hidden.c:.*freed at once" hidden.digest |
        sed -n "s/^   ~\(.*\) of the run's time (\(.*\) on processors), .*/\1 \2/p" |
        awk '{ unit["ns"] = 1; unit["us"] = 1e3; unit["ms"] = 1e6; unit["s"] = 1e9; print 100 * $1 * unit[$2] / ($3 * unit[$4]) }'
}
# some microseconds where the threads shared a processor
hidden=$(hidden short_part)
report $(($(awk "BEGIN { print !(\"$hidden\" != \"\" && $hidden + 0 < 10) }"))) \
    "a finding of a thread that ends early saves next to nothing of the run" "$hidden %"
has "one of the last thread saves what it takes" "ms" "$(saved long_part)"
expected=$("$fisql" whatif --format json turns.db 'lock stat_lock: none' | jq '.changes[0].saved_ns / 10000 | round')
at_least "a lock that three threads hold for long: a third of the run" 5000 "$expected"
same "a finding about a lock saves what whatif says of it" "$expected" "$(grep -A 1 'for stat_lock, ' turns.digest | sed -n "s/^   ~\\(.*\\) ms of the run's time (.* of waiting), .*/\\1/p" | tr -d .)"
"$fisql" record -q -o unsure.bin ./hidden && "$fisql" load -q -o unsure.db unsure.bin
lacks "where it was not recorded who waits for whom, nothing is said of it" "of the run's time" "$("$fisql" query unsure.db)"
"$fisql" load -q --calls=none -o sums.db hidden.bin
lacks "nor where calls were not kept" "of the run's time" "$("$fisql" query sums.db)"
has "the table" "all together" "$("$fisql" whatif trees.db 'look: 2x' 'node_free: 2x')"
