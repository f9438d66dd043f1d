#!/bin/bash
# Programs that go wrong: what is reported of it, in words and by SQL, is what the program itself knows; and it ends
# as without fisql. tests/programs/incidents.cc prints each open call of the thread that fails, with its line.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
exec 3>&1
cp "$programs/incidents.cc" .
build g++ goes -g -O0 -I"$here/collector" incidents.cc || exit 1

# stack DB INCIDENT: as the program prints its own, the innermost call first
stack() {
    sql "$1" "SELECT 'frame ' || substr(f.name, 1, instr(f.name || '(', '(') - 1) || ' ' ||
        coalesce(CASE WHEN s.depth = (SELECT max(depth) FROM incident_stacks m WHERE m.incident_id = s.incident_id AND m.thread_id = s.thread_id)
          THEN place.line ELSE callee_site.line END, '?')
      FROM incident_stacks s JOIN incidents i ON i.id = s.incident_id AND i.thread_id = s.thread_id
        JOIN calls c ON c.id = s.call_id JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
        LEFT JOIN sites place ON place.id = i.site_id
        LEFT JOIN incident_stacks inner_one ON inner_one.incident_id = s.incident_id AND inner_one.thread_id = s.thread_id
          AND inner_one.depth = s.depth + 1
        LEFT JOIN calls ic ON ic.id = inner_one.call_id LEFT JOIN frames ifr ON ifr.id = ic.frame_id
        LEFT JOIN sites callee_site ON callee_site.id = ifr.site_id
      WHERE s.incident_id = $2 ORDER BY s.depth DESC"
}

# words FILE: the stack of the report, likewise
words() {
    sed -nE '/last calls:|thread [0-9]+ [^ ]+$/q; s/^fisql:   #[0-9]+ ([A-Za-z_0-9]+).* at incidents\.cc:([0-9]+)$/frame \1 \2/p; t
        s/^fisql:   #[0-9]+ ([A-Za-z_0-9]+).*/frame \1 ?/p' "$1"
}

# ends HOW: plain and recorded ends are the same, as is what it prints; out, err, run.db are left
ends() {
    ./goes "$1" >plain.out 2>plain.err
    local plain=$?
    run "$fisql" record ${2-} ./goes "$1"
    cp "$TEST_TMP/err" err.txt
    same "$1: status" $plain "$status"
    same "$1: standard output" "$(cat plain.out)" "$out"
    "$fisql" load -q run.bin || not_ok "$1: loads"
}

# account: what the program says of its stack, without the line of the call $1, if given: a function of the C library
# called on from there
account() {
    grep '^frame' plain.out | sed -E "s/^(frame ${1:-none}) .*/\1 ?/"
}

# incident HOW KIND SIGNAL MESSAGE [CALL]: one of this kind, with the program's own account of its stack
incident() {
    ends "$1"
    same "$1: kind and signal" "$2|$3" "$(sql run.db 'SELECT kind, signal FROM incidents')"
    has "$1: message" "$4" "$(sql run.db 'SELECT message FROM incidents')"
    has "$1: message in words" "$4" "$(cat err.txt)"
    same "$1: the stack is the program's account" "$(account "${5-}")" "$(stack run.db 1)"
    same "$1: the stack in words" "$(account "${5-}")" "$(words err.txt)"
}

incident assert assert "" ": value == 1"
incident assert-ours assert "" ': value == 1: value is 0, "assert-ours"'
incident abort abort 6 "abort()"
incident exception terminate "" "exception std::runtime_error: the text of the exception"
incident out-of-range terminate "" "exception std::out_of_range: "
# A function of the library, or where the throw lies in a cold part without a symbol (Debian 12), the place in the file.
same "out-of-range: the place in the library is told, too" 1 "$(sql run.db "SELECT message GLOB '*, at libstdc++*'
    OR message GLOB '*, in std::__throw_out_of_range_fmt*' FROM incidents")"
incident copies signal 11 "SIGSEGV at address 0x10: a null pointer, in "
ends noexcept
# The exception had left what was called inside.
same "noexcept: where it could not leave, and where it was thrown" "$(grep '^frame' plain.out | sed '2d; s/thrower/not_thrown/')" "$(stack run.db 1)"
has "noexcept: message" "std::terminate(): exception std::runtime_error: the text of the exception" "$(sql run.db 'SELECT message FROM incidents')"
incident null signal 11 "SIGSEGV at address 0x0: a null pointer"
incident divide signal 8 "SIGFPE: division by zero"
incident bus signal 7 "SIGBUS at address 0x"
# A double free is reported before the C library can abort, and where it notices nothing.
incident double-free double-free "" "double free of 0x"
# block_stack WORD: as the report has the stack in which the block was that
block_stack() { sed -n "/the block was $1 /,/^fisql:   [^ ]/p" err.txt | sed -nE 's/^fisql:     #[0-9]+ ([a-z_]+).* at incidents\.cc:([0-9]+)$/\1 \2/p'; }
# line_in FUNCTION TEXT: the first line of the text after the function's begin
line_in() { awk -v from="$1(" -v text="$2" 'index($0, "static CALL") && index($0, from) { inside = 1 } inside && index($0, text) { print NR; exit }' incidents.cc; }
twice() { # HOW KIND FUNCTION ALLOCATED: a block of 40 bytes freed again by that function, and the stacks of its life
    incident "$1" double-free "" "double free of 0x"
    same "$1: the block" "byte 0 of a block of 40 bytes that was freed|drop_block" "$(sql run.db 'SELECT block, block_freed_in FROM incident_details' |
        sed 's/drop_block(.*/drop_block/')"
    same "$1: a row of double-frees" "1|double|$2" "$(sql run.db 'SELECT count(*), error, kind FROM free_errors')"
    same "$1: the stack in words that it was freed in" "drop_block $(line_in drop_block 'free(block)')
$3 $(line_in "$3" 'drop_block(')" "$(block_stack freed | head -n 2)"
    same "$1: and allocated in" "$4" "$(block_stack allocated | head -n 2)"
}
# made FUNCTION: the two innermost lines of a stack in which it has made a block
made() { echo "make_block $(line_in make_block 'malloc(')
$1 $(line_in "$1" 'make_block(')"; }
twice double-free-unnoticed free free_unnoticed "$(made free_unnoticed)"
twice double-delete 'delete[]' delete_twice "delete_twice $(line_in delete_twice 'new long[5]')
fail $(line_in fail 'delete_twice()')"
# The C library aborts in this realloc, which is recorded at its end: no row of free_errors.
incident double-realloc double-free "" "double free of 0x"
same "double-realloc: the block" "byte 0 of a block of 40 bytes that was freed" "$(sql run.db 'SELECT block FROM incident_details')"
# Other wrong frees that end the program: the block is known, too.
incident bad-free library-abort 6 "free(): invalid pointer"
same "bad-free: the block" "byte 16 of a block of 100 bytes|make_block" "$(sql run.db 'SELECT block, block_allocated_in FROM incident_details' | sed 's/(.*//')"
same "bad-free: its stack in words" "$(made free_inside)" "$(block_stack allocated | head -n 2)"
ends double-free-sixth
same "double-free-sixth: four are reported at once, and the one by which the C library aborts" "4 double-free|1 library-abort|6" \
    "$(sql run.db "SELECT group_concat(n || ' ' || kind, '|') || '|' || (SELECT count(*) FROM free_errors) FROM
        (SELECT kind, count(*) AS n FROM incidents GROUP BY kind ORDER BY kind)")"
same "double-free-sixth: the last one has its block" "byte 0 of a block of 100 bytes that was freed" \
    "$(sql run.db "SELECT block FROM incident_details WHERE kind = 'library-abort'")"
ends frees
same "frees: addresses that are used again are no double frees" "0 0" "$(sql run.db 'SELECT (SELECT count(*) FROM incidents) || " " || (SELECT count(*) FROM free_errors)')"
# The program's own handler of SIGABRT runs as ever, and its status is its own.
incident double-free-exits double-free "" "double free of 0x"
incident double-free-returns double-free "" "double free of 0x"
incident bad-free-exits library-abort 6 "free(): invalid pointer"
incident assert-handled assert "" ": value == 1"
incident buffer library-abort 6 "buffer overflow detected"
incident freed signal 11 "no memory there"
same "freed: the block" "byte 500000 of a block of 1048576 bytes that was freed|make_block|drop_block" \
    "$(sql run.db 'SELECT block, block_allocated_in, block_freed_in FROM incident_details')"
has "freed: the block in words" "the address is byte 500000 of a block of 1048576 bytes that was freed: allocated at incidents.cc:LINE in make_block" "$(sed 's/cc:[0-9]*/cc:LINE/' err.txt)"
incident follows-freed signal 11 "SIGSEGV: an address that cannot be one"
same "follows-freed: the block that the function has a pointer to" \
    "the function holds a pointer to byte 0 of a block of 40 bytes that was freed|make_block|drop_block" \
    "$(sql run.db 'SELECT block, block_allocated_in, block_freed_in FROM incident_details')"
has "follows-freed: in words" "fisql:   the function holds a pointer to byte 0 of a block of 40 bytes" "$(cat err.txt)"
incident past signal 11 "not allowed there"
same "past: the block" "4088 bytes behind a block of 1048576 bytes|make_block|" \
    "$(sql run.db 'SELECT block, block_allocated_in, block_freed_in FROM incident_details')"
incident thread signal 11 "a null pointer"
same "thread: the other thread's stack" "fail main" "$(sql run.db "SELECT group_concat(function, ' ') FROM (SELECT function FROM incident_frames
    WHERE thread_id <> (SELECT thread_id FROM incidents) ORDER BY depth DESC)" | sed 's/()//g; s/main(int, char\*\*)/main/')"
incident threads signal 11 "a null pointer"
same "threads: all of them wait" "4 wait_here<waiter" "$(sql run.db "SELECT count(*), stack FROM (SELECT group_concat(function, '<') AS stack FROM
    (SELECT thread_id, function FROM incident_frames WHERE thread_id <> (SELECT thread_id FROM incidents) ORDER BY thread_id, depth DESC)
    GROUP BY thread_id) GROUP BY stack" | sed 's/([^)]*)//g; s/|/ /')"
same "threads: and so in words" 4 "$(grep -c '#0 wait_here' err.txt)"
incident own-stack signal 11 "a null pointer" on_own_stack
incident in-handler signal 11 "a null pointer" in_handler
incident default-again signal 11 "a null pointer"
incident raised signal 4 "SIGILL, sent by the program itself, in "
incident stacks stacks "" "show: state 7"

ends own-handler
same "own-handler: what the program does itself is no incident" 0 "$(sql run.db 'SELECT count(*) FROM incidents')"
lacks "own-handler: no words" "incident" "$(cat err.txt)"
ends killed
same "killed: nor is SIGKILL" 0 "$(sql run.db 'SELECT count(*) FROM incidents')"

incident child signal 11 "a null pointer"
same "child: of the process that was forked" "fork" "$(sql run.db 'SELECT p.origin FROM incidents i JOIN threads t ON t.id = i.thread_id
    JOIN processes p ON p.id = t.process_id')"

ends overflow
same "overflow: what it is" "signal|11|1" "$(sql run.db "SELECT kind, signal, message LIKE '%: stack overflow' FROM incidents")"
same "overflow: all calls are in the stack" "$(sql run.db "SELECT s.calls + 2 FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name LIKE 'overflow%'")" \
    "$(sql run.db 'SELECT count(*) FROM incident_stacks')"
has "overflow: in words" "overflow_stack at incidents.cc:" "$(cat err.txt)"

# 100,000 calls within one another: each is in the table; in words the innermost and the outermost, and how many between.
(ulimit -s 65536 && ends deep) >deep.txt
cat deep.txt
line_of() { grep -n "$1" incidents.cc | head -n 1 | cut -d: -f1; }
same "deep: all calls are in the stack, each once, the innermost and the outermost as they were" "100004 0 100003 recurse recurse fail outer_one outer_two 99998" "$(sql run.db "
    SELECT count(*) || ' ' || min(depth) || ' ' || max(depth) || ' ' || group_concat(CASE WHEN depth IN (100003, 100002) THEN function END, ' ')
        || ' ' || group_concat(CASE WHEN depth BETWEEN 1 AND 3 THEN function END, ' ')
        || ' ' || sum(depth BETWEEN 5 AND 100002 AND function LIKE 'recurse%' AND called_from = 'incidents.cc:$(line_of 'recurse(levels - 1);')')
    FROM (SELECT depth, substr(function, 1, instr(function || '(', '(') - 1) AS function, called_from FROM incident_frames ORDER BY
      CASE WHEN depth < 4 THEN 0 ELSE 1 END, depth)")"
same "deep: in words: 64 innermost, 16 outermost, and the others counted" "80 99924" \
    "$(grep -c '^fisql:   #' err.txt) $(sed -n 's/^fisql:   \.\.\. \([0-9]*\) more calls$/\1/p' err.txt)"
same "deep: the first and the last in words" "#0 recurse at incidents.cc:$(line_of 'levels == 0' | awk '{ print $1 + 1 }')
#1 recurse at incidents.cc:$(line_of 'recurse(levels - 1);')
#99999 recurse at incidents.cc:$(line_of 'recurse(levels - 1);')
#100000 outer_two at incidents.cc:$(line_of 'recurse(99999);')
#100001 outer_one at incidents.cc:$(line_of '^    outer_two();')
#100002 fail at incidents.cc:$(line_of 'AT, outer_one();')" \
    "$(sed -n 's/^fisql:   //p' err.txt | grep -E '^#(0|1|99999|100000|100001|100002) ')"

# The stack that the program had, which it has overwritten.
intact='caller_1 caller_2 caller_3 caller_4 caller_5 caller_6 caller_7 caller_8 smash_some fail main'
for how in smash-200 smash-4096; do
    ends $how
    same "$how: the true stack" "$intact" "$(stack run.db 1 | awk '{ print $2 }' | xargs)"
    same "$how: each line" "101 102 103 104 105 106 107" "$(stack run.db 1 | sed -n 's/^frame caller_[2-8] //p' | sed 7q | awk -v n="$(grep -n '^CALLER(caller_1' incidents.cc | cut -d: -f1)" '{ print $1 - n + 100 }' | xargs)"
    same "$how: what returned astray" "stack-smashed|11|smash" "$(sql run.db 'SELECT kind, signal, left_function FROM incident_details')"
    same "$how: in words" "smash $intact" "$(sed -nE 's/^fisql:   #[0-9]+ ([a-z_0-9]+).*/\1/p' err.txt | xargs)"
    has "$how: and where" "#1 caller_1 at incidents.cc:$(grep -n '^CALLER(caller_1' incidents.cc | cut -d: -f1)" "$(cat err.txt)"
done
has "smash-4096: the return addresses of five callers are lost" ": 5 open calls have lost the return address" "$(sql run.db 'SELECT message FROM incidents')"
ends guard
same "guard: the guard of which function" "stack-smashed|smash_guarded" "$(sql run.db 'SELECT kind, left_function FROM incident_details')"

ends astray
same "astray: an exit that is not its entry's" "stack-smashed|never_called|1" \
    "$(sql run.db "SELECT i.kind, s.function, i.message LIKE 'a function ends that was not entered%' FROM incidents i JOIN site_details s ON s.id = i.site_id")"
has "astray: in words, with what led there" "returns_astray from" "$(cat err.txt)"

# What a failed FISQL_ASSERT does.
run "$fisql" record --on-assert continue ./goes assert-ours
same "--on-assert continue: it goes on" "0 went on" "$status $(tail -n 1 <<<"$out")"
has "--on-assert continue: and is reported" "value is 0" "$err"
"$fisql" record -q --on-assert stop ./goes assert-ours >stop.out 2>stop.err &
recorder=$!
for _ in $(seq 200); do
    stopped=$(pgrep -P $recorder goes | head -n 1)
    [ -n "$stopped" ] && [ "$(awk '/^State/ { print $2 }' "/proc/$stopped/status")" = T ] && break
    sleep 0.05
done
same "--on-assert stop: it is stopped" T "$(awk '/^State/ { print $2 }' "/proc/$stopped/status")"
kill -CONT "$stopped"
wait $recorder
same "--on-assert stop: and goes on when it is let" "0 went on" "$? $(tail -n 1 stop.out)"
run "$fisql" record --on-assert never ./goes null
has "--on-assert: a wrong word is refused" "abort, continue or stop" "$err"

# Its report has --history calls.
run "$fisql" record --history 3 ./goes null
same "--history 3: three calls" 3 "$(grep -c ' ago ' <<<"$err")"
run "$fisql" record -q ./goes null
same "-q: no words" "" "$err"
same "-q: but a row" 1 "$("$fisql" load -q run.bin && sql run.db 'SELECT count(*) FROM incidents')"

run "$fisql" record --values ./goes null
has "--values: the arguments of the calls" "#2 main(argc=2, argv=0x" "$err"
lacks "--values: no result of a call that is open" "= ?" "$err"

# Without fisql record, by system calls alone: module+offset.
alone_report() { # HOW COMMAND...: module+offset as function names, by addr2line
    local how=$1
    shift
    FISQL_LOG=$TEST_TMP/alone.bin "$@" "$how" >alone.out 2>alone.err
    local recorded=$?
    ./goes "$how" >/dev/null 2>&1
    same "$how, alone: the status" $? $recorded >&3
    sed -nE 's/^fisql:   #[1-9][0-9]* [^ ]*\+(0x[0-9a-f]+) called from.*/\1/p' alone.err |
        addr2line -f -C -e "${*: -1}" | sed -nE 's/^([a-z_0-9]+)(\(.*)?$/\1/p' | xargs
}
got=$(alone_report null env LD_PRELOAD="$FISQL_BUILD/libfisql.so" ./goes)
same "alone: the stack" "touch_null fail main" "$got"
FISQL_LOG=$TEST_TMP/alone.bin LD_PRELOAD=$FISQL_BUILD/libfisql.so ./goes null >alone.out 2>alone.err
same "alone: the status" 139 $?
has "alone: the message" "SIGSEGV at address 0x0: a null pointer" "$(cat alone.err)"
rm -f alone.bin*
build g++ goes-fixed -g -O0 -no-pie -I"$here/collector" incidents.cc
same "alone: the stack of a program at a fixed address" "touch_null fail main" \
    "$(alone_report null env LD_PRELOAD="$FISQL_BUILD/libfisql.so" ./goes-fixed)"
rm -f alone.bin*
cc_options=--static-runtime
build g++ goes-linked -g -O0 -I"$here/collector" incidents.cc
cc_options=
same "linked in: the stack" "check fail main" "$(alone_report assert ./goes-linked)"
rm -f alone.bin*

# fisql.h in C11 and C++17, and a program that runs without the collector.
printf '#include "fisql.h"\nint main(int c, char **v) { (void)v; FISQL_STACKS("%%d", c); FISQL_ASSERT(c == 1, "c is %%d", c); return 0; }\n' >plain.c
cp plain.c plain.cc
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$here/collector" -o plain-c plain.c
same "C11" 0 $?
g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$here/collector" -o plain-cc plain.cc
same "C++17" 0 $?
for program in plain-c plain-cc; do
    ./$program
    same "$program: nothing is wrong" 0 $?
    run ./$program x
    same "$program: without the collector it is assert()" "134 plain.${program#plain-}:2: main: Assertion \`c == 1' failed: c is 2" "$status $err"
done

# A program that jumps out of its handler of SIGABRT, and goes on: each message is told once, also in a forked child; what
# the child of a vfork() sets is its own.
cat >jumps.c <<'C'
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <string.h>
#include <sys/wait.h>
static sigjmp_buf back;
static void on_abort(int n) { siglongjmp(back, n); }
__attribute__((noinline)) static void twice(int size) { void *volatile p = malloc(size); free(p); free(p); }
__attribute__((noinline)) static int attempt(int size) { if (sigsetjmp(back, 1)) return 1; twice(size); return 0; }
int main(int c, char **v)
{
    signal(SIGABRT, on_abort);
    int caught = attempt(40) + attempt(80) + attempt(120);
    pid_t child = vfork();
    if (child == 0) { struct sigaction a = {0}; a.sa_handler = SIG_IGN; sigaction(SIGABRT, &a, 0); a.sa_handler=(void(*)(int))main; sigaction(SIGABRT,&a,0); _exit(0); }
    waitpid(child, 0, 0);
    struct sigaction seen; sigaction(SIGABRT, 0, &seen);
    printf("caught %d %d\n", caught, seen.sa_handler == on_abort);
    fflush(stdout);
    if (fork() == 0) { caught = attempt(200); _exit(caught); }
    int status; wait(&status);
    printf("child %d\n", status);
    return 5;
}
C
build gcc jumps -g -O1 jumps.c
run "$fisql" record ./jumps
same "jumps: output and status" "5 caught 3 1
child 256" "$status $out"
"$fisql" load -q run.bin
same "jumps: three and one" "3 1 twice twice attempt double-free" "$(sql run.db "SELECT group_concat(n, ' ') || ' ' || max(f) || ' ' || min(f) || ' ' || max(g) || ' ' || max(k)
    FROM (SELECT count(*) AS n, max(d.function) AS f, max(d.kind) AS k, (SELECT function FROM incident_frames s WHERE s.incident_id = d.id
      ORDER BY depth DESC LIMIT 1 OFFSET 1) AS g FROM incident_details d WHERE message LIKE 'double free%' GROUP BY pid ORDER BY min(ns))")"

# No handler can be called, or only one of the program's own: the status is the program's, and no other process is blamed.
cp "$programs/unreported.c" .
build gcc unreported -g -O0 -pthread unreported.c
unreported() { # HOW MODE
    ./unreported "$1" >plain.out 2>/dev/null
    local plain=$?
    run "$fisql" record ${2:+"$2"} ./unreported "$1"
    same "unreported $*: output and status" "$plain $(cat plain.out)" "$status $out"
    "$fisql" load -q run.bin || not_ok "unreported $*: loads"
}
for mode in "" --values; do
    for how in blocked ignored in-own-handler; do
        unreported $how $mode
        same "$how $mode: how it ended" "signal|11" "$(sql run.db 'SELECT how_ended, signal FROM processes')"
        same "$how $mode: an incident with its stack" "signal|11|1|fault fault fault" "$(sql run.db "SELECT kind, signal,
            message LIKE 'SIGSEGV ended the process, and the handler of fisql was not called%', (SELECT group_concat(substr(function, 1, 5), ' ') FROM (SELECT function
              FROM incident_frames WHERE incident_id = i.id ORDER BY depth DESC LIMIT 3)) FROM incidents i")"
        has "$how $mode: in words" "signal 11 ended the program, and the handler of fisql was not called" "$(cat "$TEST_TMP/err")"
    done
    unreported in-vfork-child $mode
    same "vfork $mode: the parent goes on, and is not blamed" "exit|0|0" \
        "$(sql run.db 'SELECT how_ended, status, (SELECT count(*) FROM incidents) FROM processes')"
    unreported small-thread $mode
    same "small-thread $mode: a stack overflow" "signal|11|1" \
        "$(sql run.db "SELECT kind, signal, message LIKE '%: stack overflow%' FROM incidents")"
    if [ "$(uname -m)" = x86_64 ]; then
        unreported alignment-check $mode
        same "alignment-check $mode: no incident, all calls" "0 1000" "$(sql run.db "SELECT (SELECT count(*) FROM incidents) || ' ' || calls
            FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name LIKE 'leaf%'")"
    fi
done

# The report page names them; their text is of the program.
page() { # WHAT WORDS LINE...: of run.db
    page_built "report page, $1" || return
    "$fisql" report -o page.html run.db 2>/dev/null
    jq -n --arg words "$2" '{words: $words, lines: $ARGS.positional}' --args "${@:3}" >page.json
    node "$here/tests/report/incidents.mjs" "$PWD/page.html" page.json | sed "s/report page/report page, $1/"
}
ends smash-200
page smash-200 "1 incident" "stack-smashed: SIGSEGV: an address that cannot be one; the stack was smashed where the call that ended last returned, in smash at incidents.cc:"
ends null
page null "fisql query incidents has the stack of each" "signal: SIGSEGV at address 0x0: a null pointer, in touch_null at incidents.cc:"
sql run.db "UPDATE incidents SET message = '<img src=x onerror=alert(1)></script>' || char(8238);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
    INSERT INTO incidents(kind, message, thread_id, ns) SELECT 'stacks', 'once more ' || i, (SELECT min(id) FROM threads), i FROM n"
page hostile "996 more." "signal: <img src=x onerror=alert(1)></script><U+202E>, in touch_null" "stacks: once more 1," "stacks: once more 2," "stacks: once more 3," "stacks: once more 4,"
ends own-handler
page none ""

# Killed at 20 instants, from before the report to behind it: what is in the log is right, record ends as the program
# did, and nothing is left behind.
mkdir -p left
reported=0 killed=0
for us in 0 20 50 100 200 400 700 1000 1500 2000 3000 4000 6000 8000 11000 15000 20000 30000 60000 150000; do
    rm -f run.bin run.db
    TMPDIR=$PWD/left timeout 60 "$fisql" record ./goes killed-after $us >plain.out 2>kill.err
    status=$?
    [ $status -ne 137 ] || killed=$((killed + 1))
    "$fisql" load -q run.bin 2>load.err
    same "killed after $us us: the log loads" "0 " "$? $(cat load.err)"
    same "killed after $us us: record ends as the program did, killed or by its fault" "1 $status" \
        "$((status == 137 || status == 139)) $(sql run.db 'SELECT 128 + signal FROM processes')"
    same "killed after $us us: every call that there was" "fail 1
main 1
touch_null_soon 1" "$(counts run.db | sed 's/(.*) / /' | grep -v '^is ')"
    # Not yet told, or right.
    case $(sql run.db "SELECT count(*) || max(kind || signal || (message LIKE 'SIGSEGV at address 0x0%')) FROM incidents") in
        1signal111)
            same "killed after $us us: the stack is the program's account" "$(account)" "$(stack run.db 1)"
            reported=$((reported + 1))
            ;;
        *) same "killed after $us us: nothing was told yet" "137 0" "$status $(sql run.db 'SELECT count(*) FROM incidents')" ;;
    esac
    same "killed after $us us: no file, no process is left" "run.bin 0" \
        "$(echo left/* left/.[!.]* run.bin?* run.bin | tr ' ' '\n' | grep -v '[][*?]' | tr '\n' ' ' | sed 's/ $//') $(pgrep -c -f "record ./goes killed-after $us\$|^./goes killed-after $us\$")"
done
at_least "killed while it reports: some were told" 5 "$reported"
at_least "killed while it reports: some were killed first" 5 "$killed"

# Cores: where they are written, the same signal and address as plain.
if (ulimit -c unlimited && [ "$(ulimit -c)" = unlimited ]) 2>/dev/null && [ "$(cat /proc/sys/kernel/core_pattern)" = core ] && command -v gdb >/dev/null; then
    mkdir -p cores && cd cores || exit 2
    # Where fisql itself is built with a sanitizer: that forbids itself cores, and so what it runs.
    export ASAN_OPTIONS=disable_coredump=0
    core_of() { # COMMAND...
        rm -f core core.*
        (ulimit -c unlimited && "$@" >/dev/null 2>&1)
        gdb -q -batch -ex 'p $_siginfo.si_signo' -ex 'p $_siginfo.si_code' -ex 'p $_siginfo._sifields._sigfault.si_addr' -ex 'x/i $pc' \
            ../goes core* 2>/dev/null | sed -nE 's/^\$[0-9]+ = //p; s/^=> 0x[0-9a-f]+ //p' | sed -E 's/0x[0-9a-f]+([0-9a-f]{3})/0x...\1/'
    }
    for how in null divide smash-200; do
        same "core of $how: signal, code, address, instruction" "$(core_of ../goes $how)" "$(core_of "$fisql" record -q ../goes $how)"
    done
    cd .. || exit 2
fi

# Threads that had ended by then have no stack: whether they returned, left, were cancelled, or were detached.
build gcc ended "$programs/ended.c"
run "$fisql" record -o ended.bin ./ended
same "ended threads: the report has the other two" "main lives" \
    "$(sed -nE 's/^fisql:   #[0-9]+ (main|lives|leaves|returns|cancelled|detached) .*/\1/p' <<<"$err" | paste -sd' ')"
"$fisql" load -q ended.bin 2>/dev/null
same "ended threads: so has the database" "lives main stay" "$(sql ended.db 'SELECT DISTINCT f.name FROM incident_stacks i
    JOIN calls c ON c.id = i.call_id JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
    ORDER BY 1' | paste -sd' ')"
same "ended threads: what they left open was unwound" "cancelled 1,detached 1,leave 3,leaves 2,stay 1" \
    "$(sql ended.db "SELECT f.name || ' ' || count(*) FROM calls c JOIN frames fr ON fr.id = c.frame_id
        JOIN functions f ON f.id = fr.function_id WHERE c.ended = 1 GROUP BY f.name ORDER BY 1" | paste -sd,)"
