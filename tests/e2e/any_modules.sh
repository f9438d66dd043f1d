#!/bin/bash
# Programs as they are: which modules are recorded, and when. Libraries loaded and unloaded, beside the program and of the
# system, children, filters, orders while it runs, flight recorders, threads, programs that forbid themselves system calls,
# static, stripped and set-user-ID ones.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

calls() { # DB [MODULE]: `function calls` of each
    sql "$1" "SELECT f.name || ' ' || s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id
        JOIN modules m ON m.id = f.module_id WHERE m.name GLOB '${2-*}' ORDER BY 1"
}
# recorded WHAT OPTIONS COMMAND...: output, standard error and status are the plain run's; what fisql says is in said.txt
recorded() {
    local what=$1 options=$2 plain
    shift 2
    read -ra options <<<"$options"
    "$@" >plain.out 2>plain.err
    plain=$?
    rm -f x.bin x.db
    "$fisql" record -o x.bin "${options[@]}" "$@" >recorded.out 2>recorded.err
    same "$what: exit status" "$plain" $?
    same "$what: output" "$(cat plain.out)" "$(cat recorded.out)"
    same "$what: standard error" "$(cat plain.err)" "$(grep -v '^fisql: ' recorded.err)"
    grep '^fisql: ' recorded.err >said.txt
    [ -e x.bin ] && "$fisql" load -q x.bin 2>load.err
    same "$what: loads without loss" 0 $?
}
exits() { # WHAT: every call has its exit
    same "$1: every exit is its entry's" "" "$(sql x.db "SELECT kind || ' ' || count(*) FROM anomalies WHERE kind <> 'unwound' GROUP BY kind")"
}

gcc -O1 -g -w -fPIC -shared -o libplug.so "$programs/any_plugin.c" || { not_ok "the library builds"; exit 0; }
cp libplug.so libother.so
gcc -O1 -g -w -o host "$programs/any_host.c" -ldl -lpthread || { not_ok "the program builds"; exit 0; }
gcc -O1 -g -w -DBESIDE -Wl,-rpath,"\$ORIGIN" -o beside "$programs/any_host.c" ./libplug.so -lz -ldl -lpthread || not_ok "the program with a library builds"

# ---- libraries that are loaded, unloaded and loaded again. What their constructors and destructors call is there.
for way in now lazy; do
    recorded "dlopen, $way" "--as-is" ./host $way ./libplug.so 20
    same "dlopen, $way: the library's calls" "plugin_calls 200
plugin_helper 260
plugin_loaded 20
plugin_unloaded 20" "$(calls x.db libplug.so)"
    same "dlopen, $way: the program's calls" "called_back 220" "$(calls x.db host | grep called)"
    same "dlopen, $way: loaded and unloaded 20 times" 20 "$(sql x.db "SELECT count(*) FROM mappings k JOIN modules m ON m.id = k.module_id
        WHERE m.name = 'libplug.so' AND unload_ns IS NOT NULL")"
    # what main() waited in dlopen() for fisql record's answers
    at_least "dlopen, $way: what patching took is the recording's" 20 "$(sql x.db "SELECT count(*) FROM recording_gaps g JOIN calls c ON c.id = g.call_id
        WHERE c.parent_id IS NULL")"
    at_least "dlopen, $way: ... on and off the processor" 1 "$(sql x.db "SELECT max(held_ns) FROM recording_gaps")"
    exits "dlopen, $way"
    has "dlopen, $way: all of the functions are said to be patched, each once" "$(sql x.db "SELECT sum(patched) FROM modules") of " "$(cat said.txt)"
done

# ---- a library of the program's own is recorded, the system's are not unless asked for; its constructors run before the
# collector's, and with them two calls of the helper
recorded "a library beside the program" "" ./beside beside
same "a library beside the program: its calls" "plugin_calls 25
plugin_helper 26
plugin_unloaded 1" "$(calls x.db libplug.so)"
same "a library beside the program: not the system's" "" "$(calls x.db 'libz*')"
has "record says which libraries it left, and how to have them" "(--libs PATTERN): libz.so.1" "$(cat said.txt)"
for pattern in z libz.so.1 'libz*' '*/libz.so*'; do
    recorded "--libs $pattern" "--libs $pattern" ./beside beside
    has "--libs $pattern: the library's calls" "crc32 25" "$(calls x.db 'libz*')"
done
recorded "--libs c" "--libs c" ./beside beside
if [ -z "$(calls x.db 'libc.so*')" ]; then
    has "--libs c: why the C library is not recorded" "libc.so.6" "$(cat said.txt)"
fi
exits "--libs c"
recorded "--libs *" "--libs *" ./beside beside
exits "--libs *"
has "--libs *: functions of all libraries" "crc32 25" "$(calls x.db)"
g++ -O1 -g -w -std=c++17 -o throws "$programs/any_throws.cc" -lpthread
for part in exceptions libraries forced; do
    ./throws $part >plain.out 2>/dev/null
    "$fisql" record -q -o x.bin --libs 'stdc++' --libs gcc_s ./throws $part >recorded.out 2>/dev/null
    status=$?
    same "--libs stdc++, gcc_s: $part: status, output" "3 $(sort plain.out)" "$status $(sort recorded.out)"
done

# ---- who calls dlopen() and dlsym()
mkdir -p beneath && cp libplug.so beneath/libplugged.so
gcc -O2 -g -w -Wl,-rpath,"\$ORIGIN/beneath" -o asks "$programs/any_asks.c" -ldl
recorded "dlopen() and dlsym() at the end of functions" "" ./asks

# ---- ways to link
for flags in -Wl,-z,noseparate-code -fuse-ld=lld -fuse-ld=gold -Wl,--no-eh-frame-hdr "-fno-asynchronous-unwind-tables -fno-unwind-tables" \
    -Wl,--build-id=none -Wl,-z,execstack -mcmodel=large "-pg" "-pg -mfentry" "-flto -O2" "-Wl,-Ttext-segment=0x10000000 -no-pie -fno-pie" \
    -finstrument-functions -fpatchable-function-entry=5,0 -fpatchable-function-entry=16,16 -fstack-protector-all -fsplit-stack -mforce-drap \
    -fsanitize=address -fsanitize=undefined; do
    # shellcheck disable=SC2086 # a list of words
    gcc -O1 $flags -g -w -o linked "$programs/any_host.c" -ldl -lpthread 2>err.txt || { echo "skipped - gcc $flags: $(head -n 1 err.txt)"; continue; }
    recorded "gcc $flags" "--as-is" ./linked works 100
    same "gcc $flags: counts" "main 1
work 100
works 1" "$(calls x.db linked | grep -E '^(main|works?) ')"
    exits "gcc $flags"
done
gcc -O1 -fno-builtin -g -w -o own "$programs/any_own_calls.c"
recorded "a program with functions in place of the C library's" "" timeout -s KILL 60 ./own
same "a program with functions in place of the C library's: counts" "main 1
work 1000" "$(calls x.db own | grep -E '^(main|work) ')"
clang -O1 -fsanitize=address -g -w -o linked "$programs/any_host.c" -ldl -lpthread
recorded "clang -fsanitize=address, whose runtime lies in the program" "--as-is" timeout -s KILL 60 ./linked threads
same "clang -fsanitize=address: counts" "called_back 32000
thread_body 640" "$(calls x.db linked | grep -E '^(called|thread)_')"
for flags in "gcc -fsanitize=address" "gcc -fsanitize=address -static-libasan" "clang -fsanitize=address" "gcc -fsanitize=leak"; do
    # shellcheck disable=SC2086 # a list of words
    $flags -O1 -g -w -o linked "$programs/any_host.c" -ldl -lpthread 2>/dev/null || { echo "skipped - $flags does not link"; continue; }
    "$fisql" record -o x.bin ./linked works 100 >/dev/null 2>err.txt
    has "$flags: without --as-is it is left alone, and why" "AddressSanitizer and LeakSanitizer read return addresses" "$(cat err.txt)"
done

# Two programs of one build-id: what is known of the first is not taken for the second.
for part in 1 2; do
    for i in $(seq 3000); do echo "__attribute__((noinline)) int f$i(int n) { __asm__ volatile(\"\"); return n * 77 + $((part * i)) + (n << $((i % 3 * (part - 1)))); }"; done >same.c
    echo "int main(void) { int n = 0;" >>same.c
    for i in $(seq 3000); do echo "n += f$i(n);"; done >>same.c
    echo "return (unsigned)n % 100; }" >>same.c
    gcc -O1 -w -Wl,--build-id=0x1122334455 -o same same.c
    recorded "two programs of one build-id, $part" "" ./same
    same "two programs of one build-id, $part: counts" 3000 "$(calls x.db same | grep -c '^f.* 1$')"
done

# ---- children
recorded "children by fork and exec" "" ./host children
same "children by fork and exec: each is patched anew" "called_back 3
main 4
work 90
works 3" "$(calls x.db host)"
same "children by fork and exec: processes" "start 1, fork 3, exec 3" "$(sql x.db "SELECT group_concat(origin || ' ' || n, ', ')
    FROM (SELECT origin, count(*) AS n FROM processes GROUP BY origin ORDER BY origin DESC)")"
recorded "a shell's children" "" /bin/sh -c './host works 30; ./host works 20; exit 4'
same "a shell's children: they are recorded" "work 50
works 2" "$(calls x.db host | grep work)"

# ---- what is left out is not touched
./host bytes >plain.out
same "plain: nothing is patched" 4 "$(grep -c 'as it was' plain.out)"
bytes() { # WHAT OPTIONS PATCHED: of work, works, left_alone, called_back
    rm -f x.bin x.db
    local options
    read -ra options <<<"$2"
    "$fisql" record -q -o x.bin "${options[@]}" ./host bytes >recorded.out 2>recorded.err
    same "$1: status" "0 " "$? $(cat recorded.err)"
    same "$1: which are patched" "$3" "$(sed -n 's/ patched$//p' recorded.out | paste -sd' ')"
}
bytes "all" "" "work works left_alone called_back"
bytes "--exclude" "--exclude left_alone" "work works called_back"
"$fisql" load -q x.bin
same "--exclude: the others are recorded" "called_back 1
work 10
works 1" "$(calls x.db host | grep -E '^(called|left|work)')"
bytes "--only" "--only wor*" "work works"
"$fisql" load -q x.bin
same "--only: nothing else is recorded" "work 10
works 1" "$(calls x.db)"
bytes "--exclude by file" "--exclude *any_host.c" ""
run "$fisql" record -o y.bin --no-patch ./host bytes
same "--no-patch: nothing is patched" "0 4" "$status $(grep -c 'as it was' "$TEST_TMP/out")"
has "--no-patch: record says that nothing was recorded" "nothing was recorded" "$err"
"$fisql" cc gcc -O1 -g -w -o hooked "$programs/any_host.c" -ldl -lpthread
"$fisql" record -q -o x.bin ./hooked bytes >recorded.out
same "a program with hooks is not patched" 4 "$(grep -c 'as it was' recorded.out)"
"$fisql" record -q -o x.bin --as-is ./hooked bytes >recorded.out
same "--as-is: it is" 4 "$(grep -c ' patched' recorded.out)"

# ---- less of it
for depth in 1 2; do
    recorded "--depth $depth" "--depth $depth" ./host works 1000
    same "--depth $depth: counts are exact" "main 1
work 1000
works 1" "$(calls x.db host)"
    same "--depth $depth: deeper calls are no rows" "$depth" "$(sql x.db 'SELECT count(*) FROM calls')"
done
recorded "--min-duration" "--min-duration 1s" ./host works 1000
same "--min-duration: counts are exact" "work 1000" "$(calls x.db host | grep 'work ')"
recorded "--ring" "--ring 64K" ./host works 200000
same "--ring: the last calls are there, and the open ones" "main works work 1" "$(sql x.db "SELECT (SELECT group_concat(name, ' ') FROM (
    SELECT DISTINCT f.name FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id ORDER BY c.id)) || ' ' ||
    (SELECT count(*) BETWEEN 1000 AND 150000 FROM calls)")"
"$fisql" record -q -o x.bin --values ./host works 20 >recorded.out 2>recorded.err
same "--values: output" 1330 "$(cat recorded.out)"
rm -f x.db
"$fisql" load -q x.bin 2>load.err
loaded=$?
if [ -z "$(sql x.db 'SELECT 1 FROM call_values LIMIT 1')" ]; then
    has "--values: record says that there are none" "arguments and results were not recorded" "$(cat recorded.err)"
    same "--values: load says it, too" 1 $loaded
fi

# ---- orders
begin() { # COMMAND...: in the background, with pipes; sets started
    rm -f in said
    mkfifo in said
    "$@" <in >said 2>err_begin &
    started=$!
    exec 7>in 8<said
}
order() { # WORD: and waits until it is done
    echo "$1" >&7
    read -r -t 60 <&8 || not_ok "order $1: no answer"
}
finish() {
    exec 7>&- 8<&-
    wait "$started"
}
works_of() { calls "$1" host | sed -n 's/^work //p'; }
begin "$fisql" record -q -o x.bin --start-off ./host orders
order 100000
"$fisql" control "$started" start
order 50000
"$fisql" control "$started" stop
order 100000
order 100000
"$fisql" control "$started" start
order 7000
finish
rm -f x.db
"$fisql" load -q x.bin
at_least "--start-off, start, stop, start: what was on is recorded" 57000 "$(works_of x.db)"
at_least "--start-off, start, stop, start: what was off is not" "$(works_of x.db)" 60000
exits "--start-off"
begin "$fisql" record -q -o x.bin ./host orders
order 1000
"$fisql" control "$started" exclude work
order 100000
"$fisql" control "$started" only works
order 100000
"$fisql" control "$started" only '*'
order 2000
finish
rm -f x.db
"$fisql" load -q x.bin
at_least "control exclude, only: what was wanted is recorded" 3000 "$(works_of x.db)"
at_least "control exclude, only: what was not is not" "$(works_of x.db)" 6000
same "control exclude, only: and others all the time" "4" "$(calls x.db host | sed -n 's/^works //p')"

# ---- threads
recorded "640 threads, 16 at a time" "" ./host threads
same "640 threads: counts" "called_back 32000
thread_body 640" "$(calls x.db host | grep -E '^(called|thread)')"
exits "640 threads"
begin "$fisql" record -q -o x.bin ./host busy
read -r -t 60 <&8
for _ in $(seq 15); do
    "$fisql" control "$started" stop
    "$fisql" control "$started" start
    "$fisql" control "$started" exclude work
    "$fisql" control "$started" only '*'
done
exec 7>&-
read -r -t 60 answer <&8
exec 8<&-
wait "$started"
same "16 busy threads, while recording starts and stops: output, status" "done 0" "$answer $?"
rm -f x.db
"$fisql" load -q x.bin
same "16 busy threads: loads without loss" 0 $?
exits "16 busy threads"

# ---- what a program forbids itself, and memory that it is refused
./host sealed >/dev/null
if [ $? -eq 6 ]; then
    recorded "seccomp" "" ./host sealed
    same "seccomp: what came before and what needs nothing new" "onward 1000
work 100" "$(calls x.db host | grep -E '^(onward|work) ')"
    deep=$(calls x.db host | sed -n 's/^deep //p')
    at_least "seccomp: calls on stack that was there" 50 "$deep"
    [ "$deep" -eq 3001 ] || "$fisql" query completeness --format csv x.db >complete.txt 2>&1
    [ "$deep" -eq 3001 ] || has "seccomp: the $((3001 - deep)) other calls of deep are said to be missing" "$((3001 - deep))" "$(cat complete.txt said.txt load.err)"
    gcc -O1 -g -w -fno-inline -o sealed "$programs/sealed.c" # functions that are called afterwards
    for how in few strict most wrong; do
        ./sealed $how >plain.out
        plain=$?
        "$fisql" record -q -o x.bin ./sealed $how >recorded.out 2>recorded.err
        status=$?
        same "seccomp, $how: output and status" "$plain $(cat plain.out)" "$status $(cat recorded.out)"
    done
    # After the strictest ban no hook may ask the kernel for anything, also not for what stands for a stack that grows.
    cat >deep.c <<'C'
#include <linux/seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
__attribute__((noinline)) int deep(int n)
{
    char room[1000];
    memset(room, n, sizeof room);
    __asm__ volatile("" : : "r"(room) : "memory");
    return n == 0 ? 0 : 1 + deep(n - 1) + room[5] * 0;
}
int main(void)
{
    deep(10);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    syscall(SYS_exit, deep(6000) == 6000 ? 3 : 4);
}
C
    gcc -O1 -w -o deep deep.c
    for options in "" --values --locks "--ring 1M"; do
        # shellcheck disable=SC2086 # words
        "$fisql" record -q -o x.bin $options ./deep 2>/dev/null
        same "seccomp, a stack that grows afterwards $options: status" 3 $?
    done
else
    echo "skipped - seccomp: this machine has none"
fi
(ulimit -v 400000 && ./host works 1000 >plain.out 2>&1)
plain=$?
rm -f x.bin x.db
# fisql itself may need more, with a sanitizer.
"$fisql" record -q -o x.bin sh -c 'ulimit -v 400000 && exec ./host works 1000' >recorded.out 2>recorded.err
status=$?
same "little address space: output and status" "$plain $(cat plain.out)" "$status $(cat recorded.out)"

# ---- static, stripped, set-user-ID
gcc -static -O1 -g -w -o static "$programs/any_host.c" -ldl -lpthread 2>/dev/null
run "$fisql" record -o y.bin ./static works 10
same "a static program runs" "0 315" "$status $out"
has "a static program: why it is not recorded" "static" "$err"
for flags in "-O1" "-O2 -fno-pie -no-pie" "-O0" "-O2 -flto"; do
    # shellcheck disable=SC2086 # a list of words
    gcc $flags -g -w -o whole "$programs/any_calls.c" -lm 2>/dev/null
    strip -o stripped whole
    "$fisql" record -q -o whole.bin ./whole >plain.out 2>plain.err
    plain=$?
    "$fisql" load -q whole.bin
    recorded "stripped, $flags" "" ./stripped
    same "stripped, $flags: output and status as with symbols" "$plain $(cat plain.out)" "$("$fisql" record -q -o y.bin ./stripped 2>/dev/null >y.out; echo "$? $(cat y.out)")"
    # Parts of functions have names of their own only where there are symbols; clones are one function then.
    numbers() { sql "$1" "SELECT f.address || ' ' || sum(r.calls) FROM frames r JOIN functions f ON f.id = r.function_id
        JOIN modules m ON m.id = f.module_id WHERE m.name GLOB '$2' GROUP BY f.address ORDER BY f.address"; }
    readelf -sW whole | awk '$4 == "FUNC" && $8 ~ /\.(constprop|isra|part)/ { print $2 }' >clones.txt
    if [ -s clones.txt ]; then
        same "stripped, $flags: all calls are those with symbols" "$(numbers whole.db whole | awk '{ n += $2 } END { print n }')" \
            "$(numbers x.db stripped | awk '{ n += $2 } END { print n }')"
    else
        same "stripped, $flags: the calls of each address are those with symbols" "$(numbers whole.db whole)" "$(numbers x.db stripped)"
    fi
    has "stripped, $flags: names say where" "stripped+0x" "$(calls x.db stripped)"
    exits "stripped, $flags"
done
if [ "$(id -u)" -eq 0 ]; then
    cp host privileged
    chown nobody privileged && chmod 4755 privileged
    run "$fisql" record -o y.bin ./privileged bytes
    same "a set-user-ID program runs as ever, and is not patched" "0 4" "$status $(grep -c 'as it was' "$TEST_TMP/out")"
    has "a set-user-ID program: nothing is recorded" "nothing was recorded" "$err"
fi

# ---- the recording says what it is of
rm -f x.bin x.db
"$fisql" record -q -o x.bin ./beside beside >/dev/null
"$fisql" load -q x.bin
same "modules: how many functions were patched, of the program's own alone" "beside libplug.so" \
    "$(sql x.db "SELECT group_concat(name, ' ') FROM (SELECT name FROM modules WHERE patched > 0 ORDER BY name)")"
same "functions: each says why it is not recorded, or is" 0 "$(sql x.db "SELECT count(*) FROM functions f JOIN modules m ON m.id = f.module_id
    WHERE m.name IN ('beside', 'libplug.so') AND instrumented = 0 AND not_hooked IS NULL AND f.name NOT IN ('_init', '_fini')")"
