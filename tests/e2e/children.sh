#!/bin/bash
# Other programs that a recorded one runs: what is not like it (another C library, 32-bit, sanitizers, another
# root folder, another user) runs as it does without fisql; what can be recorded is, however it is started; and
# what has hooks and cannot be recorded is told.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
chmod 755 . # other users come here

work() { sql run.db "SELECT sum(calls) FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'work'"; }
all_calls() { sql run.db "SELECT group_concat(calls, ' ') FROM (SELECT sum(calls) AS calls FROM threads GROUP BY process_id ORDER BY calls)"; }
losses() { sql run.db "SELECT reason || ': ' || detail FROM losses ORDER BY id"; }
load() { "$fisql" load run.bin 2>load.err; }

# alike WHAT COMMAND...: output, messages and status are the program's own
alike() {
    local what=$1
    shift
    "$@" >plain.out 2>plain.err </dev/null
    echo "status $?" >>plain.out
    "$fisql" record -q "$@" >out 2>err </dev/null
    echo "status $?" >>out
    same "$what: output and status" "$(cat plain.out)" "$(cat out)"
    same "$what: no other messages" "$(sed 's/==[0-9]*==//' plain.err)" "$(grep -v '^fisql: run.bin: ' err | sed 's/==[0-9]*==//')"
    load
}

build gcc start -O1 -g "$programs/start.c"
cat >child.c <<'C'
#include <stdio.h>
int main(int argc, char **argv) { (void)argv; puts("a child"); return 6 + argc; }
C
cat >small.c <<'C'
extern int puts(const char *);
extern void exit(int);
void _start(void);
void _start(void) { puts("a child"); exit(7); }
C
narrow() { # a 32-bit program needs no more than a 32-bit libc to run
    gcc -m32 -nostdlib -nostartfiles -fno-pic -no-pie -fno-stack-protector -fno-builtin -mpreferred-stack-boundary=2 \
        -Wl,-dynamic-linker,/lib/ld-linux.so.2 "$@" small.c /lib32/libc.so.6
}

# ---- children of another kind
if musl-gcc -o child child.c 2>musl.err; then
    alike "a child with musl" ./start ./child "sh -c ./child" popen ./child
    same "a child with musl: nothing is lacking" 0 "$(sql run.db 'SELECT count(*) FROM completeness')"
else
    ok "skipped: musl-gcc: $(head -n 1 musl.err)"
fi
for compiler in gcc clang; do
    if $compiler -fsanitize=address -o child child.c 2>asan.err; then
        alike "a child with $compiler's ASan" ./start ./child popen ./child
        same "a child with $compiler's ASan: nothing is lacking" 0 "$(sql run.db 'SELECT count(*) FROM completeness')"
    else
        ok "skipped: $compiler -fsanitize=address: $(head -n 1 asan.err)"
    fi
done
runs() { # does the kernel run 32-bit programs?
    ./child >narrow.out 2>narrow.err
    [ $? -eq 7 ]
}
if narrow -o child 2>narrow.err && narrow -finstrument-functions -o hooks && runs; then
    alike "a 32-bit child" ./start ./child "sh -c ./child" popen ./child
    same "a 32-bit child: what it may have started is told" "1|3 (child, child, child)" \
        "$(sql run.db "SELECT times, detail FROM completeness WHERE what = 'programs that were not followed'")"
    has "a 32-bit child: fisql info" "3 (child, child, child)" "$("$fisql" info)"
    preload=/lib/x86_64-linux-gnu/libm.so.6
    alike "a 32-bit child with an LD_PRELOAD of its own" ./start "LD_PRELOAD=$preload ./child"
    run "$fisql" record ./start ./hooks ./hooks
    has "32-bit children with hooks: told" "2 programs were not recorded (hooks, hooks): it is built for another kind of machine" "$err"
    load
    same "32-bit children with hooks: status of load" 1 $?
    has "32-bit children with hooks: load says so" "program not recorded" "$(cat load.err)"
    same "32-bit children with hooks: completeness" 2 "$(sql run.db "SELECT times FROM completeness WHERE what = 'program not recorded'")"
    run "$fisql" record ./hooks
    has "a 32-bit program: told" "nothing was recorded: it is built for another kind of machine than fisql" "$err"
else
    ok "skipped: a 32-bit program: $(head -n 1 narrow.err)"
fi
gcc -static -g -finstrument-functions -o static child.c && run "$fisql" record -q ./start ./static
has "a static child with hooks and without the collector: told" "1 program was not recorded (static): it is static" "$err"
run "$fisql" record ./static
has "a static program without the collector: told" "nothing was recorded: it is static and does not hold the collector" "$err"

# ---- every way to start a program, with a cleared environment
for kind in "" --static-runtime -static; do
    case $kind in
    --static-runtime) "$fisql" cc --static-runtime gcc -w -O1 -g -o execs "$programs/execs.c" ;;
    *) build gcc execs -O1 -g $kind "$programs/execs.c" ;;
    esac
    [ -n "$kind" ] || cp execs shared
    same "every way to exec $kind: output" "" "$("$fisql" record -q ./execs 2>&1)"
    load
    same "every way to exec $kind: every image is there" "0 190 19" "$? $(work) $(sql run.db "SELECT sum(calls) FROM
        function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'main'")"
done
# In each way to record, by the library or libraries that it needs.
for how in --values --locks "--fault=malloc nth=1000000: fail" "--fault=read nth=1000000: fail"; do
    same "every way to exec, $how: output" "" "$("$fisql" record -q "$how" ./shared 2>&1 | grep -v "never struck")"
    load
    same "every way to exec, $how: every image is there" "0 190 19" "$? $(work) $(sql run.db "SELECT sum(calls) FROM
        function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'main'")"
done
# The lock is taken in the second image alone, the read is made there alone.
cat >again.c <<'C'
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char **argv)
{
    char *few[] = {"A=b", NULL}, *arguments[] = {argv[0], "again", NULL}, byte;
    if (argc == 1)
        execve(argv[0], arguments, few);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    puts(read(0, &byte, 1) == -1 && errno == EIO ? "fails" : "reads");
}
C
build gcc again -O1 -g again.c
same "a fault in an image with an environment of its own" fails \
    "$("$fisql" record -q --fault 'read nth=1: return -1 errno EIO' ./again </dev/null)"
"$fisql" record -q --locks ./again </dev/null >/dev/null
load
same "a lock of an image with an environment of its own" 1 "$(sql run.db 'SELECT count(*) FROM locks')"
cat >shows.c <<'C'
#include <stdio.h>
extern char **environ;
int main(void) { for (char **at = environ; *at != NULL; at++) puts(*at); }
C
gcc -o shows shows.c
same "an environment that has all is passed on as it is" "$(env -i A=b C= sh -c ./shows | sort)" \
    "$("$fisql" record -q ./start 'exec env -i A=b C= sh -c ./shows' | grep -vE '^(LD_PRELOAD|FISQL_[A-Z]*)=|: 0$' | sort)"

# ---- as another user, in another root folder
if [ "$(id -u)" -ne 0 ]; then
    ok "skipped: other users and root folders: not root"
    exit 0
fi
mkdir open closed && chmod 711 open && chmod 700 closed
cp "$FISQL_BUILD/fisql" "$FISQL_BUILD/libfisql.so" open && cp "$FISQL_BUILD/fisql" "$FISQL_BUILD/libfisql.so" closed
build gcc users -O1 -g "$programs/users.c"
fisql=$TEST_TMP/open/fisql
for how in plain exec close; do
    alike "after setuid: $how" ./users $how
    [ $how = exec ] && want=61000 || want=60000
    same "after setuid: $how: every call is there" $want "$(work)"
    same "after setuid: $how: nothing is lacking" "" "$(losses)"
done
run "$fisql" record ./users close,exec
has "after setuid, no descriptor left, exec: told" "1 program was not recorded (users): its user or its root folder keeps it from the log" "$err"
load
same "after setuid, no descriptor left, exec: status of load, calls" "1 60000" "$? $(work)"

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
alike "as another user" ./start "$nobody ./users x again" "$nobody sh -c 'exec ./users x again'" popen "$nobody ./users x again"
same "as another user: every call is there" 3000 "$(work)"
fisql=$TEST_TMP/closed/fisql
alike "as a user who cannot read the collector" ./start "$nobody ./users x again" popen "$nobody sh -c './users x again'"
same "as a user who cannot read the collector: told" "program not recorded: users: its user cannot read libfisql.so, or its root folder does not have it
1 (sh)" "$(losses; sql run.db "SELECT value FROM run WHERE key = 'not_followed'")"

fisql=$TEST_TMP/open/fisql
mkdir -p root/bin root/lib64 root/lib/x86_64-linux-gnu "root$TEST_TMP/open"
cp /bin/dash root/bin/sh && cp /lib64/ld-linux-x86-64.so.2 root/lib64 && cp /lib/x86_64-linux-gnu/libc.so.6 root/lib/x86_64-linux-gnu
cp users root
if chroot root /bin/sh -c true 2>/dev/null; then
    alike "in another root folder" ./start root root "/users x again" popen "/users x again"
    same "in another root folder: told" "2 (sh, sh)" "$(losses; sql run.db "SELECT value FROM run WHERE key = 'not_followed'")"
    alike "in another root folder, by chroot" ./start "chroot root /users x again" "chroot root sh -c '/users x again'"
    has "in another root folder, by chroot: told" "program not recorded: users: its user cannot read libfisql.so" "$(losses)"
    cp open/libfisql.so "root$TEST_TMP/open"
    alike "in another root folder with the collector" ./start root root "/users x again" popen "/users x again"
    same "in another root folder with the collector: every call is there" "1002 1002" "$(all_calls | cut -d' ' -f2-)"
else
    ok "skipped: another root folder: chroot does not work here"
fi

# A process that forks and calls exec is one process, with two images.
cat >starts.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
static int child(void) { return 1; }
int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1)
        return child() - 1;
    for (int i = 0; i < 3; i++)
        if (fork() == 0) {
            execl("./starts", "./starts", "x", (char *)0);
            _exit(1);
        }
    while (wait(NULL) > 0)
        ;
    return 0;
}
C
"$fisql" cc gcc -g -o starts starts.c
"$fisql" record -q -o starts.bin ./starts
"$fisql" load -q starts.bin
same "fork and exec: seven images" 7 "$(sql starts.db 'SELECT count(*) FROM processes')"
has "fork and exec: the digest counts four processes" "; 4 processes, " "$("$fisql" digest starts.db)"
same "fork and exec: info lists four, with what each became" "1 ./starts,3 ./starts => ./starts x" \
    "$("$fisql" info starts.db | sed -nE 's/^(processes)? +[0-9]+ (\.\/starts.*): exit status 0$/\2/p' | sort | uniq -c | sed 's/^ *//' | paste -sd,)"
same "fork and exec: every end is known" "" "$("$fisql" query completeness --format csv starts.db | grep 'end of process')"
"$fisql" report -o starts.html starts.db 2>/dev/null
same "fork and exec: the page counts four, too" 4 \
    "$(grep -o '"totals":{.*' starts.html | sed -nE '1s/^[^[]*\[[^]]*\],"rows":\[\[([0-9]+),.*/\1/p')"
