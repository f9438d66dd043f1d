#!/bin/bash
# Programs that count their own calls (tests/programs): what was recorded equals what they counted, and
# the program is untouched: same output, same exit status. With gcc and clang, at -O0 and -O2.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# case NAME PROGRAM ARGUMENT...: recorded and loaded, the counts are the program's own
case_of() {
    local what=$1 program=$2 status plain
    shift 2
    "./$program" "$@" >plain.txt 2>/dev/null
    plain=$?
    "$fisql" record -q -o run.bin "./$program" "$@" >out.txt 2>err.txt
    status=$?
    same "$what: exit status" "$plain" "$status"
    same "$what: nothing on stderr" "" "$(cat err.txt)"
    "$fisql" load -q run.bin 2>err.txt
    same "$what: loads without loss" 0 "$?"
    same "$what: counts" "$(expected out.txt)" "$(counts run.db | awk -v known="$(cut -d' ' -f1 out.txt | tr '\n' ' ')" '
        BEGIN { split(known, list); for (i in list) want[list[i]] = 1 } want[$1]' | LC_ALL=C sort)"
    same "$what: no other function" "" "$(counts run.db | awk -v known="$(cut -d' ' -f1 out.txt | tr '\n' ' ')" '
        BEGIN { split(known, list); for (i in list) want[list[i]] = 1 } !want[$1] && !/::|operator/')"
}

for compiler in gcc clang; do
    for level in -O2 $(brief || echo -O0); do
        with="$compiler $level"
        for program in threads jumps deep coroutines lifetime forks; do
            build $compiler $program $level -g "$programs/$program.c" || continue
        done
        case_of "threads ($with)" threads 100
        sound "threads ($with)" run.db
        same "threads ($with): rows in threads" 401 "$(sql run.db 'SELECT count(*) FROM threads')"
        same "threads ($with): names" 100 "$(sql run.db "SELECT count(*) FROM threads WHERE name = 'plain'")"
        case_of "jumps ($with)" jumps
        sound "jumps ($with)" run.db
        same "jumps ($with): unwound" 108000 "$(sql run.db 'SELECT count(*) FROM calls WHERE ended = 1')"
        same "jumps ($with): main's children lie at depth 1" 1 \
            "$(sql run.db "SELECT max(c.depth) FROM calls c JOIN frames r ON r.id = c.frame_id
                           JOIN functions f ON f.id = r.function_id WHERE f.name = 'once' AND c.id < 10000")"
        case_of "a million frames, tiny stacks, a handled overflow ($with)" deep
        same "deep ($with): depth" 1000000 "$(sql run.db "SELECT max(c.depth) FROM calls c JOIN frames r ON r.id = c.frame_id
                           JOIN functions f ON f.id = r.function_id WHERE f.name = 'down'")"
        case_of "coroutines ($with)" coroutines
        case_of "before and after main ($with)" lifetime
        for how in fork threaded race vfork spawn exec; do
            case_of "$how ($with)" forks $how
            same "$how ($with): every exit is its entry's" 0 "$(sql run.db 'SELECT count(*) FROM anomalies')"
        done
        case_of "a daemon that closes every descriptor ($with)" forks daemon
    done
    cxx=g++
    [ $compiler = clang ] && cxx=clang++
    build $cxx exceptions -std=c++17 -O0 -g "$programs/exceptions.cc" && {
        "$fisql" record -q -o run.bin ./exceptions >out.txt
        "$fisql" load -q run.bin
        same "exceptions ($cxx): counts" "$(sed 's/^~Guard/Guard::~Guard/; s/^Guard /Guard::Guard /' out.txt | LC_ALL=C sort)" \
            "$(counts run.db | sed 's/(int)//' | grep -E '^(Guard|thrower|catcher|rethrower|nested|leaf|news|main)' | LC_ALL=C sort)"
        sound "exceptions ($cxx)" run.db
        same "exceptions ($cxx): every block of new was freed" 0 \
            "$(sql run.db "SELECT count(*) FROM allocs WHERE kind LIKE 'new%' AND free_ns IS NULL")"
        same "exceptions ($cxx): no mismatched free" 0 "$(sql run.db 'SELECT sum(mismatched) FROM block_flows')"
        same "exceptions ($cxx): kinds" "new new(align) new[] new[](align)" \
            "$(sql run.db "SELECT DISTINCT kind FROM allocs WHERE kind LIKE 'new%' ORDER BY 1" | tr '\n' ' ' | sed 's/ $//')"
    }
    build $compiler signals -O2 -g "$programs/signals.c" && for how in plain altstack; do
        case_of "signals $how ($compiler)" signals $how 100000
        sound "signals $how ($compiler)" run.db
    done
done

for name in A B; do
    build gcc plugin$name.so -shared -fPIC -g -DNAME=$name "$programs/plugin.c"
done
build gcc dlopens -g "$programs/dlopens.c"
"$fisql" record -q ./dlopens ./pluginA.so ./pluginB.so 50 >out.txt
"$fisql" load -q run.bin
same "dlopen and dlclose in a loop: counts" "inner_A 50
inner_B 50
main 1
plugin 25
plugin 25" "$(counts run.db | LC_ALL=C sort)"
# Not in turn: 128 unloads ago, or 256, there was the other library.
"$fisql" record -q ./dlopens ./pluginA.so ./pluginB.so 300 100 >out.txt
"$fisql" load -q run.bin
same "dlopen and dlclose 300 times: each call belongs to the library of its time" "inner_A 400
inner_B 200
main 1
plugin 100
plugin 200" "$(counts run.db | LC_ALL=C sort)"
