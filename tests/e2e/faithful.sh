#!/bin/bash
# The collector in somebody else's program: very many threads, every way to allocate, set-user-ID
# programs, folders and file systems that refuse, stacks that overflow or are tiny; and the recorder's
# ring. Counts are exact, and the program does what it does without fisql.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# ---- 10,000 threads
cat > many.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *volatile block;
static void leaf(void) { void *mine = malloc(8); block = mine; free(mine); }
static void *thread(void *arg) { leaf(); leaf(); return arg; }
int main(void)
{
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 16384 + 4096);
    for (int i = 0; i < 2500; i++) {
        pthread_t threads[4];
        for (int k = 0; k < 4; k++)
            if (pthread_create(&threads[k], k % 2 ? &small : NULL, thread, NULL) != 0) abort();
        for (int k = 0; k < 4; k++) pthread_join(threads[k], NULL);
    }
    puts("done");
}
C
for compiler in gcc clang; do
    build $compiler many -O1 -g many.c || continue
    same "10,000 threads, half of them with tiny stacks: the program's output ($compiler)" "done" "$("$fisql" record -q ./many)"
    "$fisql" load -q run.bin
    same "10,000 threads: each is there, with its calls ($compiler)" "10001 10000 20000 20000" "$(sql run.db "
        SELECT (SELECT count(*) FROM threads) || ' ' ||
        (SELECT calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'thread') || ' ' ||
        (SELECT calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'leaf') || ' ' ||
        (SELECT allocs FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'leaf')")"
    sound "10,000 threads ($compiler)" run.db
done

# ---- every way to allocate
for compiler in g++ clang++; do
    build $compiler kinds -std=c++17 -fsized-deallocation -O0 -g -fno-builtin "$programs/kinds.cc" || continue
    "$fisql" record -q ./kinds && "$fisql" load -q run.bin
    same "new and delete in all forms: kinds and sizes ($compiler)" "new 4 delete(size)
new 4 delete
new[] 10 delete[]
new[] 32 delete[](size)
new(align) 128 delete(align)
new[](align) 256 delete[](align)
new 20 delete(size)" "$(sql run.db "SELECT kind || ' ' || a.size || ' ' || free_kind FROM allocs a JOIN frames fr ON fr.id = a.frame_id
        JOIN functions f ON f.id = fr.function_id WHERE f.name = 'cxx' ORDER BY a.id")"
    same "the C library's allocations ($compiler)" "malloc 11
calloc 21
realloc 13
realloc 4000
realloc 30
malloc 13
memalign 17
aligned_alloc 64
posix_memalign 19
valloc 23
pvalloc 29
malloc 0" "$(sql run.db "SELECT kind || ' ' || a.size FROM allocs a JOIN frames fr ON fr.id = a.frame_id
        JOIN functions f ON f.id = fr.function_id WHERE f.name = 'c' ORDER BY a.id")"
    same "all of them were freed ($compiler)" 0 "$(sql run.db "SELECT count(*) FROM allocs a JOIN frames fr ON fr.id = a.frame_id
        JOIN functions f ON f.id = fr.function_id WHERE f.name IN ('c', 'cxx') AND free_ns IS NULL")"
    same "no free is wrong ($compiler)" "0 0" "$(sql run.db 'SELECT count(*) FROM free_errors' ) $(sql run.db 'SELECT coalesce(sum(mismatched), 0) FROM block_flows')"
done

# ---- a set-user-ID program is not traced
cat > privileged.c <<'C'
#include <stdio.h>
#include <unistd.h>
static void secret(void) { printf("%d\n", getuid() != geteuid()); }
int main(void) { secret(); return 4; }
C
if [ "$(id -u)" -eq 0 ] && "$fisql" cc --static-runtime gcc -O1 -g -o privileged privileged.c; then
    chown nobody privileged && chmod 4755 privileged
    if [ "$(./privileged)" = 1 ]; then
        rm -f run.bin
        out=$(FISQL_LOG=run.bin ./privileged)
        same "a set-user-ID program runs as ever" "1 4" "$out $?"
        same "a set-user-ID program leaves no log" "" "$(ls run.bin run.bin.live 2>/dev/null)"
    else
        echo "# skipped: set-user-ID has no effect here (a nosuid mount?)"
    fi
fi

# ---- folders and file systems that refuse
cat > works.c <<'C'
#include <errno.h>
#include <stdio.h>
static int work(int n) { return n ? work(n - 1) : 3; }
int main(void) { errno = 77; int got = work(20000); printf("%d %d\n", got, errno); return 6; }
C
build gcc works -O0 -g works.c
"$fisql" cc --static-runtime gcc -O0 -g -o linked works.c
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=64k tmpfs small 2>/dev/null; then
    out=$("$fisql" record -o small/run.bin ./works 2>err)
    same "a full disk: the program's output and status" "3 77 6" "$out $?"
    has "a full disk: the loss is told" "No space left on device" "$(cat err)"
    run "$fisql" load -q -o full.db small/run.bin
    same "a full disk: what was written loads, and says what is missing" 1 "$status"
    same "a full disk: the loss is counted" 1 "$(sql full.db 'SELECT count(*) > 0 FROM losses')"
    # Mounted anew: a remount is refused while anyone in the machine, a monitor that walks /proc
    # say, still looks at a file that was removed or written just now.
    umount small || umount -l small
    mount -t tmpfs -o ro tmpfs small
    out=$("$fisql" record -o small/run.bin ./works 2>err)
    same "a read-only file system: fisql record refuses before anything runs" "2 " "$? $out"
    has "a read-only file system: it is said" "Read-only file system" "$(cat err)"
    out=$(cd small && FISQL_LOG=run.bin LD_PRELOAD="$FISQL_BUILD/libfisql.so" ../works 2>/dev/null)
    same "a read-only file system, preloaded alone: the program goes on" "3 77 6" "$out $?"
    umount small
else
    echo "# skipped: a full disk and a read-only file system need a mount, which is refused here"
fi
mkdir locked && chmod 555 locked
if [ "$(id -u)" -ne 0 ]; then
    run "$fisql" record -o locked/run.bin ./works
    same "a folder that cannot be written: status 2" 2 "$status"
fi
out=$("$fisql" record -o /nonexistent/run.bin ./works 2>err)
same "a missing folder: status 2, nothing runs" "2 " "$? $out"
rm -f run.bin
out=$(FISQL_LOG=run.bin ./linked)
same "linked in, on its own: the program's output and status" "3 77 6" "$out $?"

# ---- a stack overflow that the program itself handles
cat > overflow.c <<'C'
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static sigjmp_buf back;
static volatile int depth;
static int deeper(int n) { volatile char room[4096]; room[0] = (char)n; depth = n; return deeper(n + 1) + room[0]; }
static void on_fault(int number) { siglongjmp(back, number); }
static void after(void) {}
int main(void)
{
    stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
    if (sigsetjmp(back, 1) == 0)
        deeper(0);
    after();
    printf("%d\n", depth);
    return depth > 500 ? 0 : 1;
}
C
for compiler in gcc clang; do
    build $compiler overflow -O0 -g -Wno-infinite-recursion overflow.c || continue
    depth=$(ulimit -s 2048; "$fisql" record -q ./overflow)
    same "a stack overflow that the program handles: status ($compiler)" 0 $?
    "$fisql" load -q run.bin
    same "a stack overflow: each call is there, and those after it ($compiler)" "$((depth + 1)) 1" \
        "$(sql run.db "SELECT calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'deeper'") $(
        sql run.db "SELECT calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'after'")"
    same "a stack overflow: they are unwound ($compiler)" "$((depth + 1))" \
        "$(sql run.db "SELECT unwound FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'deeper'")"
done

# ---- the ring: only the last part is kept; at exit, after a crash and on demand
cat > ring.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int sink;
static void early(void) { sink++; }
static void work(void) { sink++; }
static void last(void) { sink++; }
int main(int argc, char **argv)
{
    early();
    for (int i = 0; i < 400000; i++) work();
    last();
    if (argc > 1 && strcmp(argv[1], "crash") == 0) abort();
    if (argc > 1 && strcmp(argv[1], "demand") == 0) { puts("ready"); fflush(stdout); getchar(); work(); }
}
C
build gcc ring -O1 -g ring.c
count() { sql ring.db "SELECT coalesce((SELECT count(*) FROM call_details WHERE function = '$1'), 0)"; }
for how in exit crash; do
    ("$fisql" record -q --ring 256k -o ring.bin ./ring $how) >/dev/null 2>&1
    "$fisql" load -q -o ring.db ring.bin
    same "--ring at $how: the last calls are kept" 1 "$(count last)"
    same "--ring at $how: the first are not" 0 "$(count early)"
    kept=$(count work)
    same "--ring at $how: about its size is kept" 1 "$((kept > 20000 && kept < 90000))"
    # 400,002 or 3 calls, and those open where the ring begins are told again.
    dropped=$(sql ring.db "SELECT value FROM run WHERE key = 'ring_dropped_calls'")
    same "--ring at $how: what was dropped is told" "1 0" "$((dropped + kept >= 399990 && dropped + kept < 400010)) $(
        sql ring.db "SELECT value FROM run WHERE key = 'complete'")"
    has "--ring at $how: fisql info says so" "the ring dropped $dropped earlier calls" "$("$fisql" info ring.db 2>&1)"
    same "--ring at $how: the log is small" 1 "$(($(stat -c %s ring.bin) < 600000))"
done

# On demand: the signalled thread is blocked and writes its ring at once, the log so far is loadable
# while the program runs on, and nothing of it is written twice at the end.
mkfifo ring.in
"$fisql" record -q --ring 256k -o ring.bin ./ring demand <ring.in >ring.out 2>&1 &
recorder=$!
exec 9>ring.in
for _ in $(seq 100); do
    grep -q ready ring.out && break
    sleep 0.05
done
kill -USR2 "$(pgrep -P "$recorder" -x ring)"
for _ in $(seq 100); do
    [ "$(stat -c %s ring.bin)" -gt 100000 ] && break
    sleep 0.05
done
sleep 0.2
cp ring.bin demanded.bin
"$fisql" load -q -o ring.db demanded.bin 2>/dev/null
same "--ring on demand: the last calls are there" "1 0" "$(count last) $(count early)"
kept=$(count work)
same "--ring on demand: about its size is there" 1 "$((kept > 20000 && kept < 90000))"
echo >&9
exec 9>&-
wait "$recorder"
same "--ring on demand: the program goes on" "0 ready" "$? $(cat ring.out)"
"$fisql" load -q -o ring.db ring.bin
same "--ring on demand: later calls follow, none twice" "1 $((kept + 1))" "$(count last) $(count work)"

# A clock_gettime() of the program's that runs as it likes, in front of the collector and behind it: the program starts
# all the same, and its times are the kernel's.
gcc -shared -fPIC -O1 -o fast_clock.so "$programs/fast_clock.c"
cat >rests.c <<'C'
#include <time.h>
__attribute__((noinline)) static void rest(void)
{
    struct timespec t = {0, 50000000};
    nanosleep(&t, 0);
}
int main(void)
{
    rest();
    return 5;
}
C
build gcc rests -g -O1 rests.c
for factor in 50 0.001 0; do
    for order in "$TEST_TMP/fast_clock.so:$FISQL_BUILD/libfisql.so" "$FISQL_BUILD/libfisql.so:$TEST_TMP/fast_clock.so"; do
        run "$fisql" record -q -o fast.bin timeout -s KILL 60 env "LD_PRELOAD=$order" FAST_CLOCK=$factor ./rests
        same "a clock that runs $factor times as fast: the status" 5 "$status"
        "$fisql" load -q -o fast.db fast.bin
        same "a clock that runs $factor times as fast: the time" 1 \
            "$(sql fast.db "SELECT min(total_ns) >= 50000000 AND max(total_ns) < 2000000000 FROM frames k JOIN functions f ON f.id = k.function_id WHERE f.name = 'rest'")"
    done
done

# ---- stacks of 16 KiB
build gcc smallstack -O1 -g -Wl,-z,now "$programs/smallstack.c" -lpthread
least=0 most=16384 # how much a thread can use by itself
while [ $((most - least)) -gt 16 ]; do
    middle=$(((least + most) / 2))
    if (./smallstack uses $middle) 2>/dev/null; then least=$middle; else most=$middle; fi
done
for options in "" --values --locks "--values --locks"; do
    # shellcheck disable=SC2086 # words
    run "$fisql" record -q $options ./smallstack uses $((least - 4608))
    same "a stack of 16 KiB ($options): 4.5 KiB of $least are enough for recording" "0" "$status"
done
for bytes in 300 4000 7800 8000 8300 8500 8700 9000; do
    run "$fisql" record --values ./smallstack overflows $bytes
    has "a stack of 16 KiB overflows by functions of $bytes bytes, --values: it is an incident" "stack overflow" "$err"
done
