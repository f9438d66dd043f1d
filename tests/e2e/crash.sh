#!/bin/bash
# Programs that die: every event up to that instant is in the log, and record ends as the program did.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

cat >dies.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static int leaf(int n) { return n + 1; }
static int work(int n) { int sum = 0; while (n-- > 0) sum += leaf(n); return sum; }
int main(int argc, char **argv)
{
    work(1000);
    free(malloc(10));
    if (strcmp(argv[1], "segv") == 0) *(volatile int *)0 = argc;
    if (strcmp(argv[1], "abort") == 0) abort();
    if (strcmp(argv[1], "kill") == 0) kill(getpid(), SIGKILL);
    if (strcmp(argv[1], "_exit") == 0) _exit(7);
    if (strcmp(argv[1], "raw") == 0) syscall(SYS_exit_group, 9);
    return 5;
}
C
for compiler in gcc clang; do
    build $compiler dies -O0 -g dies.c
    for how in segv:139 abort:134 kill:137 _exit:7 raw:9 return:5; do
        "$fisql" record -q ./dies ${how%:*} >/dev/null 2>&1
        same "${how%:*} ($compiler): status" "${how#*:}" $?
        "$fisql" load -q run.bin
        same "${how%:*} ($compiler): counts" "leaf 1000
main 1
work 1" "$(counts run.db)"
        same "${how%:*} ($compiler): the block" "10|1" \
            "$(sql run.db "SELECT size, free_ns IS NOT NULL FROM allocs WHERE size = 10")"
    done
    same "how it ended ($compiler)" "exit|5" "$(sql run.db 'SELECT how_ended, status FROM processes')"
    "$fisql" record -q ./dies kill >/dev/null 2>&1
    "$fisql" load -q run.bin
    same "how it was killed ($compiler)" "signal|9" "$(sql run.db 'SELECT how_ended, signal FROM processes')"
done

# Without fisql record: preloaded alone, or linked in.
for how in segv kill _exit return; do
    rm -f run.bin run.bin.live
    (FISQL_LOG=run.bin LD_PRELOAD=$FISQL_BUILD/libfisql.so ./dies $how) >/dev/null 2>&1
    "$fisql" load -q run.bin >/dev/null 2>&1
    same "preloaded alone, $how: counts" "leaf 1000
main 1
work 1" "$(counts run.db)"
done
same "preloaded alone: nothing left beside the log" "" "$(ls run.bin.live 2>/dev/null)"
"$fisql" cc --static-runtime gcc -w -g -o linked dies.c
"$fisql" cc gcc -w -g -static -o static dies.c 2>/dev/null
for program in linked static; do
    "$fisql" record -q ./$program return
    "$fisql" load -q run.bin
    same "$program runtime: counts" "leaf 1000
main 1
work 1" "$(counts run.db | grep -E '^(leaf|main|work) ')"
done

# Outputs that cannot be written: the program goes on undisturbed.
"$fisql" record -o /dev/full ./dies return 2>err.txt
same "/dev/full: status" 5 $?
grep -q 'could not be written' err.txt && ok "/dev/full: the loss is told" || not_ok "/dev/full: the loss is told"
(ulimit -f 64; "$fisql" record ./dies return 2>/dev/null)
same "file-size limit: status" 5 $?
mkdir -p readonly && cp dies readonly/
ln -sf /tmp/elsewhere link.bin
"$fisql" record -o link.bin ./dies return 2>err.txt
same "a symbolic link is not followed" 2 $?
same "the log is private" 600 "$(stat -c %a run.bin)"
echo 'some notes' >notes.bin
"$fisql" record -o notes.bin ./dies return 2>/dev/null
same "another file is not overwritten" "some notes" "$(cat notes.bin)"
