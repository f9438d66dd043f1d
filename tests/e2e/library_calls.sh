#!/bin/bash
# Library calls (record --library-calls): how often each function was called, by compilers, linkers and ways of calling;
# that the program does what it does without; what is left out.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

counts() { # DB: `calls NAME NUMBER` of each function of a library
    sql "$1" "SELECT 'calls ' || f.name || ' ' || sum(s.calls) FROM function_stats s JOIN functions f ON f.id = s.function_id
        WHERE f.external GROUP BY f.name ORDER BY 1"
}
# recorded WHAT OPTIONS COMMAND...: output, standard error and status are the plain run's; x.db is loaded without loss
recorded() {
    local what=$1 options=$2 plain
    shift 2
    read -ra options <<<"$options"
    "$@" >plain.out 2>plain.err
    plain=$?
    rm -f x.bin x.db
    "$fisql" record -o x.bin --library-calls "${options[@]}" "$@" >recorded.out 2>recorded.err
    same "$what: exit status" "$plain" $?
    same "$what: output" "$(cat plain.out)" "$(cat recorded.out)"
    same "$what: standard error" "$(cat plain.err)" "$(grep -v '^fisql: ' recorded.err)"
    grep '^fisql: ' recorded.err >said.txt
    "$fisql" load -q x.bin 2>load.err
    same "$what: loads without loss" "0 " "$? $(cat load.err)"
}
# counted WHAT: what the program says of its calls
counted() {
    grep '^calls ' plain.out | sort >told.txt
    counts x.db | sort >counts.txt
    same "$1: calls" "" "$(comm -23 told.txt counts.txt)"
}

gcc -O1 -g -w -fPIC -shared -o libplug.so "$programs/library_calls_plugin.c" -lz || { not_ok "the library builds"; exit 0; }
compilers=gcc
command -v clang >clang.txt && compilers="gcc clang"
for compiler in $compilers; do
    for flags in "-O0" "-O2" "-O2 -fno-plt" "-O2 -Wl,-z,now" "-O1 -fcf-protection=full -Wl,-z,lazy" "-O2 -no-pie" "-O1 -Wl,-z,norelro"; do
        what="$compiler $flags"
        read -ra words <<<"$flags"
        "$compiler" -w -g -fno-builtin "${words[@]}" -o ways "$programs/library_calls.c" -lpthread -ldl || { not_ok "$what: builds"; continue; }
        recorded "$what" "" ./ways ./libplug.so
        counted "$what"
        same "$what: of the library that it opened" "calls adler32 40
calls crc32 2" "$(counts x.db | grep 32)"
        same "$what: by an address that it looked up" "calls cbrt 25" "$(counts x.db | grep cbrt)"
        same "$what: each is of the library it lies in" "libc.so.6 libz.so.1" "$(sql x.db "SELECT DISTINCT m.name
            FROM functions f JOIN modules m ON m.id = f.module_id WHERE f.external AND f.name IN ('qsort', 'strspn', 'crc32') ORDER BY 1" | xargs)"
        same "$what: called at the lines of the source" "often often" "$(sql x.db "SELECT g.name FROM edges e JOIN functions f ON f.id = e.callee_id
            JOIN functions g ON g.id = e.caller_id WHERE f.name IN ('strcspn', 'strpbrk')" | xargs)"
        same "$what: what returns twice or asks who calls it is left out" "" "$(counts x.db | grep -E 'setjmp|vfork|context|dlsym|dlopen')"
    done
done

# ---- with hooks, the same
build gcc hooked -O1 -g -w -fno-builtin "$programs/library_calls.c" -ldl
recorded "with hooks" "" ./hooked
counted "with hooks"
same "with hooks: the hooks are called" "often 1" "$(sql x.db "SELECT f.name, s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id
    WHERE f.name = 'often'" | tr '|' ' ')"
recorded "without a patch" "--no-patch" ./hooked
counted "without a patch"

# ---- some of them
gcc -O1 -g -w -fno-builtin -o ways "$programs/library_calls.c" -lpthread -ldl
recorded "a pattern" "--library-calls=str[sc]* --library-calls=fork" ./ways
same "a pattern: those alone" "calls fork 1
calls strcoll 0
calls strcspn 1000
calls strspn 230" "$(counts x.db | sed '/fork/a calls strcoll 0' | sort -u)"
recorded "without" "--exclude qsort --exclude memcpy" ./ways
same "--exclude leaves functions of libraries out" "" "$(counts x.db | grep -E 'qsort|memcpy')"
has "--exclude: the others stay" "calls strspn 230" "$(counts x.db)"
recorded "only" "--only often --only strspn" ./ways
same "--only records those alone" "often strspn" "$(sql x.db "SELECT f.name FROM function_stats s JOIN functions f ON f.id = s.function_id
    WHERE s.calls > 0 ORDER BY 1" | xargs)"

# ---- C++: exceptions that libraries throw pass through library calls
g++ -O2 -g -w -o thrower "$programs/library_calls.cc" -lpthread || not_ok "the C++ program builds"
recorded "C++" "" ./thrower
counted "C++"

# ---- who allocates: the call's place, not the collector's
recorded "blocks" "" ./thrower
same "blocks: their sites lie in the program or a library" 0 "$(sql x.db "SELECT count(*) FROM allocs a JOIN sites s ON s.id = a.site_id
    JOIN modules m ON m.id = s.module_id WHERE m.name LIKE 'libfisql%'")"
# ---- what they take, and who calls them: against the rows
"$fisql" record -q -o x.bin --library-calls ./ways >plain.out 2>plain.err && "$fisql" load -q x.bin
same "library-time: each function's calls" "$(sql x.db "SELECT f.name, sum(c.calls) FROM frames c JOIN functions f ON f.id = c.function_id
    WHERE f.external GROUP BY f.id" | tr '|' ',' | LC_ALL=C sort)" \
    "$("$fisql" query library-time x.db --format csv --limit 1000 | tr -d '\r' | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["function"], row["calls"], sep=",")' | LC_ALL=C sort)"
same "library-time: the callers" "often,100" "$("$fisql" query library-time x.db --format csv --function strcspn | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["caller"], row["caller_share"], sep=",")' | tail -n 1)"
"$fisql" record -q -o y.bin ./thrower >plain.out && "$fisql" load -q y.bin
has "library-time: without library calls" "record --library-calls\` records them" "$("$fisql" query library-time y.db 2>&1)"
gcc -O1 -g -w -o waits "$programs/library_waits.c" -lpthread
recorded "waits" "" ./waits
waited=$("$fisql" query waiting x.db --format csv | tr -d '\r')
same "waiting: what was waited in, and on whose behalf" "main => ask => read
main => await => pthread_cond_wait" "$(grep -oE 'main => (ask => read|await => pthread_cond_wait)' <<<"$waited" | LC_ALL=C sort -u)"
has "tree shows library calls" "└─ read" "$("$fisql" tree x.db)"
lacks "hot-functions counts them as their callers" "pthread_cond_wait" "$("$fisql" query hot-functions x.db 2>&1)"
has "--all-code does not" "pthread_cond_wait" "$("$fisql" query hot-functions x.db --all-code --limit 1000 2>&1)"

# ---- what cannot be had is said
run "$fisql" record --library-calls= ./ways
same "an empty pattern" "2 fisql: --library-calls=: wants a function's name; without the = it means all" "$status $err"
