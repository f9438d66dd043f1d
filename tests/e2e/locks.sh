#!/bin/bash
# record --locks: orders of locks that can deadlock are found and others are not, waits, holds and misuse are what the
# program itself counts, and the program does what it does without.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

rings() { sql "$1" "SELECT count(DISTINCT cycle) FROM lock_cycles WHERE by_place = 0"; }
misuses() { sql "$1" "SELECT count(*) FROM lock_misuses"; }

# Each case of tests/programs/locks.cc: how many rings there are, and nothing is misused.
build g++ locks -std=c++17 -g -O1 "$programs/locks.cc"
./locks >cases
at_least "there are cases" 50 "$(wc -l <cases)"
while read -r name expected; do
    "$fisql" record -q -o run.bin --locks ./locks "$name" && "$fisql" load -q -o "$name.db" run.bin
    same "order: $name" "$expected rings, 0 misuses" "$(rings "$name.db") rings, $(misuses "$name.db") misuses"
done <cases
same "a ring's steps come with both stacks" "2 2" "$("$fisql" query lock-order two.db --demangle short --format json |
    jq -r '[[.[] | select(.stack | test("both<Mutex, Mutex> => Mutex::lock$"))], [.[] | select(.held_stack | test("both<Mutex, Mutex> => Mutex::lock$"))]] | map(length) | join(" ")')"

# A lock has the name of its variable.
cat >named.c <<'C'
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
static pthread_mutex_t stat_lock = PTHREAD_MUTEX_INITIALIZER;
union slot { pthread_spinlock_t spin; long number; };
struct cache { pthread_mutex_t lock; long hits; pthread_rwlock_t guard; struct { sem_t free; } room; };
struct cache cache = {.lock = PTHREAD_MUTEX_INITIALIZER, .guard = PTHREAD_RWLOCK_INITIALIZER}, many[2][3];
static union slot slots[4];
const char *twice(void);
static void use(pthread_mutex_t *mutex) { pthread_mutex_lock(mutex); pthread_mutex_unlock(mutex); }
int main(void)
{
    static pthread_mutex_t inside = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_t *heap = malloc(sizeof *heap);
    use(&stat_lock);
    use(&cache.lock);
    use(&inside);
    pthread_rwlock_rdlock(&cache.guard);
    pthread_rwlock_unlock(&cache.guard);
    pthread_spin_init(&slots[3].spin, 0);
    pthread_spin_lock(&slots[3].spin);
    pthread_spin_unlock(&slots[3].spin);
    pthread_mutex_init(&many[1][2].lock, NULL);
    use(&many[1][2].lock);
    pthread_mutex_init(heap, NULL);
    use(heap);
    free(heap);
    return 0;
}
C
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    build $compiler named -g -O1 named.c -lpthread
    "$fisql" record -q -o named.bin --locks ./named && "$fisql" load -q -o named.db named.bin
    names() { sql named.db "SELECT coalesce(variable, kind) FROM lock_details ORDER BY 1" | sed 's/main\.inside/inside/' | sort | paste -sd' '; }
    same "$compiler: locks have the names of their variables" \
        "cache.guard cache.lock inside many[1][2].lock mutex slots[3].spin stat_lock" "$(names)"
    strip -g named
    "$fisql" load -q -o named.db named.bin
    same "$compiler: without debug information: the variable and the distance" \
        "cache cache+48 inside many+680 mutex slots+24 stat_lock" "$(names)"
done
"$fisql" query lock-holders named.db --format csv >holders.csv
has "the queries say so" "stat_lock," "$(cat holders.csv)"

# The library in front of the locks makes no allocation. (The C library allocates a word more for it in each thread.)
for how in "" --locks; do
    "$fisql" record -q -o run.bin $how ./locks two && "$fisql" load -q -o run.db run.bin
    sql run.db "SELECT count(*) FROM allocs"
done >allocations
same "as many allocations as without --locks" 1 "$(uniq allocations | wc -l)"

# Misuse: what it is, where, and nothing else.
build gcc lockuse -g -O1 "$programs/lockuse.c"
misuse() { # NAME EXPECTED
    timeout 60 "$fisql" record -q -o run.bin --locks ./lockuse "$1" && "$fisql" load -q -o "$1.db" run.bin
    same "misuse: $1" "$2" "$("$fisql" query lock-misuse "$1.db" --format json | jq -r '[.[] | "\(.misuse), \(.function)"] | join("; ")')"
}
misuse by_other "unlocked by a thread that does not hold it, unlock"
misuse unlocked "unlocked while nobody holds it, unlocked"
misuse destroyed_held "destroyed while held, destroyed_held"
misuse freed_held "its memory freed while held, freed_held"
misuse used_destroyed "used after it was destroyed, used_destroyed"
misuse ended_holding "held when its thread ended, (outside any traced call)"
same "and where it took it" "lock" "$("$fisql" query lock-misuse ended_holding.db --format json | jq -r '.[0].other_stack')"
misuse condition_not_held "waited with a mutex that the thread does not hold, condition_not_held"
misuse condition_two_mutexes "waited with another mutex than other threads at the time, condition_two_mutexes"
misuse locked_twice "locked again by the thread that holds it, locked_twice_thread"
same "who holds it is told" "by_other" "$("$fisql" query lock-misuse by_other.db --format json | jq -r '.[0].other_stack | sub(".* => "; "")')"

misuse condition_refuses "waited with a mutex that the thread does not hold, condition_refused"

# Counts and times are the program's own.
"$fisql" record -q -o run.bin --locks ./lockuse counted >out && "$fisql" load -q run.bin
same "each acquisition is counted" "$(for _ in 1 2 3 4 5; do cat out; done | paste -sd' ')" \
    "$(sql run.db "SELECT group_concat(times, ' ') FROM (SELECT sum(times) AS times FROM lock_holds h JOIN locks l ON l.id = h.lock_id WHERE l.kind = 'mutex' GROUP BY lock_id ORDER BY lock_id)")"
"$fisql" record -q -o all.bin --locks=all ./lockuse counted >/dev/null && "$fisql" load -q all.bin
same "with =all each is a row" "10000" "$(sql all.db "SELECT count(*) FROM lock_waits w JOIN locks l ON l.id = w.lock_id WHERE l.kind = 'mutex'")"
"$fisql" record -q -o run.bin --locks ./lockuse waits >out && "$fisql" load -q run.bin
own=$(cat out)
recorded=$(sql run.db "SELECT sum(wait_ns) FROM lock_waits w JOIN locks l ON l.id = w.lock_id WHERE l.kind = 'mutex'")
near=$((recorded * 100 >= own * 95 && recorded * 100 <= own * 105))
same "waits are within 5 % of what the program measured ($recorded, $own)" 1 "$near"
same "each wait's holder is known, and another thread" 0 "$(sql run.db "SELECT count(*) FROM lock_waits w JOIN locks l ON l.id = w.lock_id WHERE l.kind = 'mutex' AND w.held_by_thread_id = w.thread_id")"
same "lock-waits tells what was recorded" "contend recorded" "$("$fisql" query lock-waits run.db --format json | jq -r '.[] | select(.function == "contend") | "\(.function) \(.told_by)"')"

# The program notices nothing.
./lockuse gives >expected
run timeout 60 "$fisql" record -q -o run.bin --locks ./lockuse gives
same "results, errno, cancellation, robust mutexes and fork are as without" "$(cat expected) 0" "$out $status"
"$fisql" load -q run.bin && sound "with locks" run.db
./lockuse refuses >expected 2>&1
run timeout 60 "$fisql" record -q -o refused.bin --locks ./lockuse refuses
same "mutexes that are not recoverable and what is refused are as without" "$(cat expected) 0" "$out $status"
"$fisql" load -q -o refused.db refused.bin
same "what was refused is not held, and no misuse" 0 "$(sql refused.db "SELECT count(*) FROM lock_misuses")"
same "of these uses one is misuse" "locked again by the thread that holds it in rwlock_gives" \
    "$(sql run.db "SELECT group_concat(m.misuse || ' in ' || f.name) FROM lock_misuses m JOIN frames k ON k.id = m.frame_id JOIN functions f ON f.id = k.function_id")"

# A deadlock that happens: the process is killed, and the ring and both waits are there.
"$fisql" record -q -o run.bin --locks timeout -s KILL 1 ./lockuse deadlock 2>/dev/null
"$fisql" load -q run.bin 2>/dev/null
same "a deadlock is a ring" 1 "$(rings run.db)"
same "whose waits did not end, each held by the other" "2 2" "$(sql run.db "SELECT count(*) || ' ' || sum(held_by_thread_id <> thread_id) FROM lock_waits WHERE ended = 'open'")"

# parallel-candidates: what shares no block and takes no lock, as far as that was recorded.
build gcc parallel -g -O1 "$programs/parallel.c"
candidates() { "$fisql" query parallel-candidates "$1" -p min_share=1 --format json | jq -r '[.[] | "\(.callee) \(.calls) \(.blocks) \(.locks)"] | sort | join("; ")'; }
for locks in "" --locks --locks=all; do
    # shellcheck disable=SC2086 # none, or a word
    "$fisql" record -q -o run.bin $locks ./parallel && "$fisql" load -q run.bin
    case $locks in
        "") expected="alone 100 100 not recorded; locks 100 0 not recorded" ;;
        --locks) expected="alone 100 100 none seen" ;;
        *) expected="alone 100 100 none" ;;
    esac
    same "parallel-candidates ${locks:-without locks}" "$expected" "$(candidates run.db)"
done
"$fisql" record -q -o run.bin --no-alloc ./parallel && "$fisql" load -q run.bin
same "parallel-candidates: nothing is known without allocations" "" "$(candidates run.db)"

# fisql stacks says of threads that wait for each other that they do, and where; not of ones that wait long, nor of a
# circle in which one gives up some time.
"$fisql" cc gcc -O1 -g -pthread -o lockstuck "$programs/lockstuck.c" || exit 2
# asked WAITING ARGUMENT...: what stacks says, and its status, once so many threads wait
asked() {
    local waiting=$1
    shift
    rm -f in
    mkfifo in
    "$fisql" record -q -o stuck.bin --locks ./lockstuck "$@" <in >said 2>&1 &
    recorder=$!
    exec 7>in
    for _ in $(seq 300); do
        grep -q own said && status=0 && { "$fisql" stacks "$recorder" >asked || status=$?; } &&
            [ "$(grep -c '^ .* waits for lock' asked)" = "$waiting" ] && break
        sleep 0.05
    done
    exec 7>&-
    wait "$recorder"
}
line_of() { grep -nF "$1" "$programs/lockstuck.c" | head -n 1 | cut -d: -f1; }
took=lockstuck.c:$(line_of "lock(&locks[number])") wants=lockstuck.c:$(line_of "lock(&locks[(number + 1)")
for count in 1 2 3; do
    asked $count circle $count
    same "stacks: a deadlock of $count: its status" 1 "$status"
    step="T waits for lock L at $wants, held by T, taken at $took"
    same "stacks: a deadlock of $count: each lock by its variable" "$(seq -f 'locks[%g]' 0 $((count - 1)))" \
        "$(grep '^deadlock' asked | grep -oE 'lock locks\[[0-9]+\]' | cut -d' ' -f2 | sort)"
    same "stacks: a deadlock of $count: each waits for what the next has" "deadlock: $(for _ in $(seq $count); do echo "$step"; done | paste -sd';' | sed 's/;/; /g')" \
        "$(grep '^deadlock' asked | sed -E 's/lockstuck \([0-9]+\)/T/g; s/lock [a-z]+\[[0-9]\]/lock L/g; s/, for [0-9.]+ [a-z]+//g')"
    same "stacks: a deadlock of $count: the circle closes, and has them all" "$count 0" "$(grep '^deadlock' asked | grep -oE '\([0-9]+\)' | awk '
        { at[NR] = $0; if (!($0 in seen)) { seen[$0] = 1; n++ } }
        END { for (i = 2; i <= NR; i += 2) wrong += at[i] != at[i == NR ? 1 : i + 1]; print n + 0, wrong + 0 }')"
    same "stacks: a deadlock of $count: it is told once" 1 "$(grep -c '^deadlock' asked)"
done
for kind in "2 chain 3" "3 timed 3"; do
    # shellcheck disable=SC2086 # words
    asked $kind
    same "stacks: no deadlock: $kind" "0 0" "$status $(grep -c '^deadlock' asked)"
done

# Without memory for them (not for a thread's counts; not for the locks' numbers) the program runs, and
# the database says what is missing.
for more in 0 400 4096; do
    run timeout 60 "$fisql" record -q -o tight.bin --locks ./lockuse tight $more
    same "no memory for locks, $more KiB: the program is untouched" "1001 0" "$out $status"
    run "$fisql" load -q -o tight.db tight.bin
    lost=$(sql tight.db "SELECT count(*) FROM losses WHERE reason = 'locks not recorded'")
    if [ $more = 4096 ]; then
        same "memory enough for locks: nothing is missing" "0 0 1002" "$lost $status $(sql tight.db "SELECT sum(times) FROM lock_holds")"
        continue
    fi
    same "no memory for locks, $more KiB: it is a loss, and load says so by its status" "1 1" "$lost $status"
    has "no memory for locks, $more KiB: completeness has it, and what to do" "ulimit -v" \
        "$("$fisql" query completeness --format csv tight.db 2>/dev/null)"
done

# Without --locks nothing is said of locks, and how to get it.
"$fisql" record -q -o run.bin ./lockuse counted >/dev/null && "$fisql" load -q run.bin
for query in lock-contention lock-holders lock-order lock-misuse; do
    run "$fisql" query $query run.db
    has "$query without locks" "fisql record --locks" "$out$err"
    same "$query without locks: its status" 0 "$status"
done
run "$fisql" record --locks=some ./lockuse unlocked
same "another word than all is refused" 2 "$status"

# A program that holds the collector itself is refused before it starts, and an older log stays.
for how in "--static-runtime gcc" "gcc -static"; do
    # shellcheck disable=SC2086 # words
    "$fisql" cc $how -w -g -pthread -o holds "$programs/lockuse.c" || not_ok "$how: builds"
    before=$(sha256sum run.bin)
    run "$fisql" record -q -o run.bin --locks ./holds unlocked
    same "--locks with $how: refused, the log that is there stays" "2 $before" "$status $(sha256sum run.bin)"
    has "--locks with $how: says why and what to do" "./holds: it holds the collector that records no locks: link it without -static" "$err"
    run "$fisql" record -q -o holds.bin ./holds unlocked
    same "without --locks $how is recorded" 0 "$status"
done
