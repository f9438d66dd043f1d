#!/bin/bash
# Programs with the collector linked in. Static ones allocate, jump, throw and call what they would without
# fisql, and all of it is recorded; and none records anything unless it is asked to.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export FISQL_LOG= # what this shell has says nothing
unset FISQL_LOG

blocks() { # of the program's own functions
    sql run.db "SELECT f.name || ' ' || kind || ' ' || count(*) || ' ' || count(free_ns) FROM allocs a
        JOIN frames fr ON fr.id = a.frame_id JOIN functions f ON f.id = fr.function_id
        WHERE f.name IN ('take', 'others') GROUP BY f.name, kind ORDER BY 1"
}
known() { awk -v known="$(cut -d' ' -f1 "$1" | tr '\n' ' ')" '
    BEGIN { split(known, list); for (i in list) want[list[i]] = 1 } want[$1]'; }

compilers=("gcc -static" "gcc -static-pie" "gcc -static -O2 -flto -D_FORTIFY_SOURCE=2" "clang -static -O1" "gcc --static-runtime")
command -v musl-gcc >/dev/null && compilers+=("musl-gcc -static" "musl-gcc -static -O2") || not_ok "musl-gcc is there (tests/setup check installs it)"
for compiler in "${compilers[@]}"; do
    options=
    [[ $compiler == *--static-runtime ]] && options=--static-runtime
    # shellcheck disable=SC2086 # words
    "$fisql" cc $options ${compiler% --static-runtime} -w -g -fno-builtin -o statics "$programs/statics.c" || not_ok "$compiler: builds"
    rm -f run.bin*
    ./statics >plain.txt
    same "$compiler: runs on its own, and leaves nothing" "0 " "$? $(ls run.bin* 2>/dev/null)"
    "$fisql" record -q ./statics >out.txt
    same "$compiler: recorded: status" 0 $?
    "$fisql" load -q run.bin
    same "$compiler: counts" "$(expected out.txt)" "$(counts run.db | known out.txt)"
    same "$compiler: blocks" "others aligned_alloc 1 1
others calloc 1 1
others malloc 1 1
others posix_memalign 1 1
others realloc 1 1
take malloc 4000 4000" "$(blocks)"
    same "$compiler: no wrong free" "0 0" "$(sql run.db "SELECT (SELECT count(*) FROM free_errors) || ' ' || coalesce(sum(mismatched), 0) FROM block_flows")"
    same "$compiler: jumps end calls, nothing else does" "2 0" "$(sql run.db "SELECT sum(ended = 1) || ' ' || (SELECT count(*) FROM anomalies WHERE kind <> 'unwound') FROM calls")"
    same "$compiler: how it ended" "exit|0" "$(sql run.db 'SELECT how_ended, status FROM processes')"
done

# C++: exceptions, every form of new and delete, and the new-handler's part in it.
for cxx in "g++ -static" "clang++ -static" "g++ -static-pie -O2 -flto"; do
    # shellcheck disable=SC2086 # words
    "$fisql" cc $cxx -w -std=c++17 -g -o exceptions "$programs/exceptions.cc" &&
        "$fisql" cc $cxx -w -std=c++17 -g -o newhandlers "$programs/newhandlers.cc" || not_ok "$cxx: builds"
    "$fisql" record -q ./exceptions >out.txt
    same "exceptions ($cxx): status" 0 $?
    "$fisql" load -q run.bin
    same "exceptions ($cxx): counts" "$(sed 's/^~Guard/Guard::~Guard/; s/^Guard /Guard::Guard /' out.txt | LC_ALL=C sort)" \
        "$(counts run.db | sed 's/(int)//' | grep -E '^(Guard|thrower|catcher|rethrower|nested|leaf|news|main)' | LC_ALL=C sort)"
    same "exceptions ($cxx): every block of new was freed, as it should be" "0 0" "$(sql run.db "
        SELECT (SELECT count(*) FROM allocs WHERE kind LIKE 'new%' AND free_ns IS NULL) || ' ' || sum(mismatched) FROM block_flows")"
    same "new-handlers ($cxx): they are called" ok "$("$fisql" record -q ./newhandlers)"
    "$fisql" load -q run.bin
    same "new-handlers ($cxx): no wrong free" "0 0" "$(sql run.db "SELECT (SELECT count(*) FROM free_errors) || ' ' || sum(mismatched) FROM block_flows")"
done

# ---- without fisql record: FISQL_LOG says where to; nothing is overwritten
cat >small.c <<'C'
#include <stdlib.h>
static void work(void) {}
int main(int argc, char **argv) { for (int i = atoi(argv[1]); i > 0; i--) work(); return argc - 2; }
C
works() { # LOG
    "$fisql" load -q -o one.db "$1" && sql one.db "SELECT calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'work'"
}
"$fisql" cc gcc -static -g -o static small.c
"$fisql" cc --static-runtime gcc -g -o linked small.c
build gcc dynamic -g small.c
mkdir folder
for program in static linked dynamic; do
    preload=
    [ $program = dynamic ] && preload=$FISQL_BUILD/libfisql.so
    rm -f run.bin* log*
    "$fisql" record -q ./$program 5
    before=$(sha256sum run.bin)
    LD_PRELOAD=$preload ./$program 7
    same "$program, without FISQL_LOG: nothing is recorded, a log that is there stays" "0 $before" "$? $(sha256sum run.bin*)"
    FISQL_LOG=log LD_PRELOAD=$preload ./$program 11
    FISQL_LOG=log LD_PRELOAD=$preload ./$program 12
    FISQL_LOG=log LD_PRELOAD=$preload ./$program 13
    same "$program, FISQL_LOG: recorded, each run in a log of its own" "log log.1 log.2 11 12 13" "$(echo log*) $(for log in log log.1 log.2; do works $log; done | tr "\n" " " | sed "s/ $//")"
    : >log.empty
    FISQL_LOG=log.empty LD_PRELOAD=$preload ./$program 14
    echo notes >log.notes
    FISQL_LOG=log.notes LD_PRELOAD=$preload ./$program 15
    same "$program, FISQL_LOG: an empty file is used, another is kept" "14 notes 15" "$(works log.empty) $(cat log.notes) $(works log.notes.1)"
    FISQL_LOG=folder LD_PRELOAD=$preload ./$program 16
    same "$program, FISQL_LOG: a folder" "0 " "$? $(find folder folder.* -type f 2>/dev/null)"
    for i in $(seq 20); do FISQL_LOG=log.race LD_PRELOAD=$preload ./$program "$i" & done
    wait
    same "$program, FISQL_LOG: twenty at once" "210" "$(for log in log.race*; do works "$log"; done | awk '{ sum += $1 } END { print sum }')"
done
