#!/bin/bash
# Arguments and results in libraries that the program opens by itself, and in programs that it runs: fisql record
# makes their recipes when they come. Calls before that have none, and are counted; no value is wrong.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# The first calls wait a second, in which a slow machine, too, has read the debug information.
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    for (int i = 0; i < 40; i++) {
        void *library = dlopen(argv[1 + i % 2], RTLD_NOW);
        int (*plugin)(int) = (int (*)(int))dlsym(library, "plugin");
        for (int k = 0; k < 100; k++)
            plugin(100 * i + k);
        dlclose(library);
        usleep(i < 2 ? 1000000 : 10000);
    }
}
C
for name in A B; do
    "$fisql" cc gcc -w -g -O1 -shared -fPIC -DNAME=$name -o plugin$name.so "$programs/plugin.c"
done
gcc -w -finstrument-functions -shared -fPIC -DNAME=C -o pluginC.so "$programs/plugin.c"
"$fisql" cc gcc -w -g -O1 -o opens opens.c -ldl

lost() { sql run.db "SELECT coalesce(sum(CAST(substr(detail, 4) AS INTEGER)), 0) FROM losses WHERE detail LIKE 'of % calls, made before fisql record had read the debug information: %'"; }
missing() { sql run.db "SELECT count(*) FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
    WHERE f.name IN ('$1', '$2', '$3') AND NOT EXISTS (SELECT 1 FROM call_values v WHERE v.id = c.id * 32 + 1)"; }

"$fisql" record -q --values ./opens ./pluginA.so ./pluginB.so
"$fisql" load -q run.bin 2>/dev/null
same "libraries that are opened and closed: every call without values is counted" "$(missing plugin inner_A inner_B)" "$(lost)"
at_least "and most have values" 10000 $((12000 - $(lost)))
same "none is wrong" "0" "$(sql run.db "SELECT count(*) FROM call_values v JOIN call_values r ON r.id = v.call_id * 32
    JOIN recorded_calls c ON c.id = v.call_id JOIN functions f ON f.id = c.function_id
    WHERE v.position = 1 AND r.value <> v.value + CASE f.name WHEN 'plugin' THEN v.value + 3 ELSE 1 END")"
same "the function is that of the library that was there" "plugin 4000" "$(sql run.db "SELECT name || ' ' || sum(calls) FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'plugin' GROUP BY name")"

"$fisql" record -q --values='inner_A' ./opens ./pluginA.so ./pluginB.so 2>said
has "a pattern has to match in the program itself" "no function's name or file matches inner_A" "$(cat said)"
"$fisql" record -q --values='inner_A' --values=main ./opens ./pluginA.so ./pluginB.so
"$fisql" load -q run.bin 2>/dev/null
same "patterns hold for them, too" "inner_A main" "$(sql run.db "SELECT DISTINCT f.name FROM call_values v JOIN recorded_calls c ON c.id = v.call_id JOIN functions f ON f.id = c.function_id ORDER BY 1" | xargs)"

"$fisql" record -q --values ./opens ./pluginA.so ./pluginC.so 2>said
has "one without debug information is named" "pluginC.so: no debug information: its arguments and results are not recorded" "$(cat said)"

# Another program: its own recipes, the second time from the first call on.
cat >runs.c <<'C'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noinline)) int twice(int n) { return 2 * n; }
int main(int argc, char **argv)
{
    volatile int sum = 0;
    if (argc > 1) {
        for (int i = 0; i < 4000; i++) {
            sum += twice(i);
            if (i % 100 == 0)
                usleep(i ? 10000 : 1000000);
        }
        return 0;
    }
    for (int i = 0; i < 2; i++) {
        if (fork() == 0)
            execl("./other", "other", "again", NULL);
        wait(NULL);
    }
}
C
"$fisql" cc gcc -w -g -O1 -o runs runs.c
"$fisql" cc gcc -w -g -O1 -DOTHER -o other runs.c
"$fisql" record -q --values ./runs
"$fisql" load -q run.bin 2>/dev/null
same "a program that is run: every call without values is counted" "$(missing twice main main)" "$(lost)"
at_least "and most have values" 7000 "$(sql run.db "SELECT count(*) FROM call_arguments WHERE function = 'twice' AND parameter = 'n' AND value IS NOT NULL")"
same "none is wrong" "0" "$(sql run.db "SELECT count(*) FROM call_values v JOIN call_values r ON r.id = v.call_id * 32
    JOIN recorded_calls c ON c.id = v.call_id JOIN functions f ON f.id = c.function_id WHERE v.position = 1 AND f.name = 'twice' AND r.value <> 2 * v.value")"
same "the second time they are there from the first call on" 4000 "$(sql run.db "SELECT count(*) FROM call_values v JOIN calls c ON c.id = v.call_id
    JOIN threads t ON t.id = c.thread_id JOIN recorded_calls o ON o.id = c.id JOIN functions f ON f.id = o.function_id
    WHERE f.name = 'twice' AND v.position = 1 AND t.process_id = (SELECT max(id) FROM processes)")"

# One that defines no symbol for others: its table of symbols then does not say how many it uses.
"$fisql" cc gcc -w -g -O1 -DOTHER -no-pie -fno-pie -o other runs.c
same "the program defines none" 0 "$(readelf --wide --dyn-syms other | awk '$1 ~ /^[0-9]+:$/ && $1 != "0:" && $7 != "UND"' | wc -l)"
"$fisql" record -q --values ./runs
"$fisql" load -q run.bin 2>/dev/null
same "a program without symbols of its own: every call without values is counted" "$(missing twice main main)" "$(lost)"
at_least "and most have values" 7000 "$(sql run.db "SELECT count(*) FROM call_arguments WHERE function = 'twice' AND parameter = 'n' AND value IS NOT NULL")"

# Programs that are run wait at their start for what says where their values lie: the first call has them, also of a
# program that ends at once. Each is another one, so that the cache does not know it.
cat >quick.c <<'C'
#include <stdio.h>
__attribute__((noinline)) int twice(int n) { return 2 * n; }
int main(int argc, char **argv)
{
    printf("%s %d\n", NAME, twice(argc));
    return 7;
}
C
many() { # NAME...: programs with much debug information
    local name
    for name in "$@"; do
        {
            echo "#include \"$PWD/quick.c\""
            seq 400 | sed "s/.*/__attribute__((noinline)) int more_&(int n) { return n + & * sizeof \"$name\"; }/"
        } >"many.c"
        "$fisql" cc gcc -w -g -O1 -DNAME="\"$name\"" -o "$name" many.c
    done
}
known() { sql run.db "SELECT group_concat(text, ' ') FROM (SELECT text FROM call_text WHERE text LIKE 'twice%' ORDER BY text)"; }
waits() { # WHAT EXPECTED-VALUES EXPECTED-OUTPUT-AND-STATUS COMMAND...
    local what=$1 values=$2 output=$3
    shift 3
    run timeout 60 "$fisql" record -q "${wait[@]}" --values='*twice*' "$@"
    same "$what: output and exit status are the program's own" "$output" "$out $status"
    "$fisql" load -q run.bin 2>/dev/null
    same "$what: each call has its values" "$values" "$(known)"
}
wait=()
many a1 a2 a3 a4 b1 b2 b3 c1 d1 e1
cp e1 e2
waits "env" "twice(n=2) = 4" "a1 4 7" env VAR=1 ./a1 x
waits "sh -c" "twice(n=1) = 2 twice(n=3) = 6" "a2 2
a3 6 7" sh -c './a2; ./a3 x y'
printf '#!/bin/sh\n./a4 "$@"\nexit 3\n' >script
chmod +x script
waits "a script" "twice(n=4) = 8" "a4 8 3" ./script x y z
printf 'all: one two three\none:\n\t-@./b1\ntwo:\n\t-@./b2 x\nthree:\n\t-@./b3 x y\n' >Makefile
run timeout 60 "$fisql" record -q --values='*twice*' make -j3 -k
"$fisql" load -q run.bin 2>/dev/null
same "a make that runs three side by side: each call has its values" "twice(n=1) = 2 twice(n=2) = 4 twice(n=3) = 6" "$(known)"
same "their output and make's status are their own" "b1 2|b2 4|b3 6 0" "$(sort <<<"$out" | paste -sd'|') $status"
cat >forks.c <<'C'
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int status;
    for (int i = 0; i < 5; i++)
        if (fork() == 0)
            execv(argv[1], argv + 1);
    while (wait(&status) > 0)
        ;
    return status >> 8;
}
C
gcc -w -o forks forks.c
waits "five children that are one program" "twice(n=1) = 2 twice(n=1) = 2 twice(n=1) = 2 twice(n=1) = 2 twice(n=1) = 2" "c1 2
c1 2
c1 2
c1 2
c1 2 7" ./forks ./c1
run "$fisql" record -q --values='*twice*' --value 'twice: n + 1' env ./d1
"$fisql" load -q run.bin 2>/dev/null
same "--value, too" "twice(n=1, n + 1=2) = 2 7" "$(known) $status"
run "$fisql" record -q --values env -i ./d1 x
same "a cleared environment: as without the collector" "d1 4 7" "$out $status"

# With --values-wait=0 nobody waits, and what is missing is counted.
run "$fisql" record -q --values='*twice*' --values-wait 0 env ./e1
"$fisql" load -q run.bin 2>/dev/null
same "--values-wait 0: every call without values is counted" "e1 2 7 $(missing twice main main)" "$out $status $(lost)"
run "$fisql" record --values --values-wait soon ./e1
has "a time that is none" "a time such as 500ms or 10s" "$err"
run "$fisql" record --values-wait 1s ./e1
has "and without --values" "give one, too" "$err"

# What answers is killed, or stopped: the program goes on all the same.
cat >stops.c <<'C'
#include <signal.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    kill(getppid(), argv[1][0] == 'k' ? SIGKILL : SIGSTOP);
    execv(argv[2], argv + 2);
}
C
gcc -w -o stops stops.c
many f1 f2
printed() { # FILE: waits for what a program prints
    for _ in {1..300}; do
        [ ! -s "$1" ] || break
        sleep 0.1
    done
    cat "$1"
}
{ "$fisql" record -q --values --values-wait 3600s ./stops kill "$PWD/f1" >f1.out; } 2>/dev/null
same "fisql record is killed: the program goes on" "f1 2" "$(printed f1.out)"
"$fisql" record -q --values --values-wait 300ms ./stops stop "$PWD/f2" >f2.out &
pid=$!
said=$(printed f2.out)
kill -CONT $pid
wait $pid
same "it is stopped: the program goes on when the time is over, and ends as it does" "f2 2 7" "$said $?"

# Reading that takes long is said once it has taken a second, but not with -q. The files are slow to open until it is said.
gcc -w -shared -fPIC -o slow_files.so "$programs/slow_files.c" -ldl
preload=$PWD/slow_files.so
[ "$(ldd "$fisql" | grep -c libasan)" = 0 ] || preload=$(gcc -print-file-name=libasan.so):$preload
slowly() { # PROGRAM SECONDS OPTION...: at most so many seconds
    local file=$1 seconds=$2
    shift 2
    run env LD_PRELOAD="$preload" SLOW_FILE="/$file" SLOW_UNTIL="$TEST_TMP/err" SLOW_END=$(($(date +%s) + seconds)) \
        "$fisql" record --values "$@" "./$file"
}
many g1 g2
slowly g1 60
has "reading that takes long is said" "reading the debug information of $PWD/g1" "$err"
same "and the program's output and status are its own" "g1 2 7" "$out $status"
slowly g2 5 -q
same "with -q it is not said" "g2 2 7 " "$out $status $err"
