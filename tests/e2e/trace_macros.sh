#!/bin/bash
# Tracing by hand (fisql_trace.h): scopes, checkpoints, values, messages, pauses, levels, in programs built without
# hooks and with them, by gcc and clang, as C and C++, against the programs' own account.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
header=$here/collector

# strict COMPILER OUTPUT FLAG... FILE: without hooks, warnings are errors
strict() {
    local compiler=$1 output=$2
    shift 2
    "$compiler" -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I"$header" -o "$output" "$@" -lpthread 2>errors
    same "$output: no warnings" "0 " "$? $(head -3 errors)"
}

# record PROGRAM WORD OPTION...: into run.db; said = what it says of itself
record() {
    local program=$1 word=$2
    shift 2
    "$fisql" record -q "$@" ./"$program" "$word" >said
    "$fisql" load -q run.bin
}

# what the database has, as the program says it
calls() { sql run.db "SELECT 'call ' || name || ' ' || sum(calls) FROM function_stats JOIN functions ON id = function_id WHERE name <> 'main' GROUP BY name"; }
notes() { sql run.db "SELECT 'note ' || kind || ' ' || coalesce(label, '-') || ' ' || count(*) FROM notes WHERE kind <> 'message' GROUP BY kind, label"; }
said() { grep -E "^$1 " said | LC_ALL=C sort; }
rollups() { same "$1: every rollup equals SQL over the rows" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/rollups.sql" 2>&1)"; }

for compiler in gcc clang; do
    strict $compiler plain-$compiler -std=gnu11 -O2 "$programs/trace_macros.c"
    strict $compiler slow-$compiler -std=gnu11 -O0 "$programs/trace_macros.c"
    for what in scopes values threads signals levels pauses forks deeper; do
        for program in plain slow; do
            record $program-$compiler $what
            same "$program-$compiler $what: calls" "$(said call)" "$(calls | LC_ALL=C sort)"
            same "$program-$compiler $what: notes" "$(said note)" "$(notes | LC_ALL=C sort)"
        done
        rollups "$compiler $what"
        [ $what = forks ] || sound "$compiler $what" run.db
    done
done

# --- scopes
record plain-gcc scopes
same "longjmp ends the scopes that it leaves" "jumps 4" \
    "$(sql run.db "SELECT function || ' ' || count(*) FROM call_details WHERE ended = 'unwound' GROUP BY function")"
same "a scope that reached its checkpoint holds what it calls from there on" "4" \
    "$(sql run.db "SELECT count(*) FROM call_details c JOIN call_details p ON p.id = c.parent_id WHERE p.function = 'entered' AND c.function = 'returns'")"
same "nothing else is recorded of it before" "0" "$(sql run.db "SELECT count(*) FROM notes WHERE kind IN ('message', 'value')")"
same "names, files and lines without debug information" "$programs/trace_macros.c $(grep -n 'FISQL_FUNCTION(2)' "$programs/trace_macros.c" | cut -d: -f1)" \
    "$(sql run.db "SELECT path || ' ' || line FROM functions JOIN files ON files.id = file_id WHERE functions.name = 'loops' ORDER BY line DESC LIMIT 1")"
run "$fisql" trace --color never run.db
has "trace shows checkpoints under their calls" "    * third: n = 3" "$out"

# --- values
record plain-gcc values
same "values: as the program has them" "$(sed -n 's/^value //p' said | grep -vE ' (cut|whole)$')" "$(sql run.db "
    SELECT position || ' ' || CASE typeof(value) WHEN 'real' THEN printf('%.15g', value) ELSE value END
    FROM note_values WHERE position NOT IN (13, 14, 16)")"
same "values: texts are cut at 4,096 bytes, between characters, which is said" "13 4100 1
14 4099 1
16 4096 0" "$(sql run.db "SELECT position || ' ' || length(CAST(value AS BLOB)) || ' ' || (value LIKE '%\\...') FROM note_values WHERE position IN (13, 14, 16)")"
same "values: errno is untouched" "errno 7" "$(grep errno said)"
same "values: names are those of the source" '"a, b"|((void)1, narrow - 1)' "$(sql run.db "SELECT group_concat(name, '|') FROM note_values WHERE position IN (11, 15)")"
same "messages" "42 2.500 you 1
4100 0
4096 0" "$(sql run.db "SELECT CASE WHEN length(text) < 99 THEN text || ' 1' ELSE length(text) || ' 0' END FROM notes WHERE kind = 'message'")"

# --- threads: names of any length
record plain-gcc threads
same "threads: FISQL_THREAD's names" 4 "$(sql run.db "SELECT count(DISTINCT name) FROM threads WHERE name LIKE 'worker number _ of four, at your service'")"

# --- levels
record plain-gcc levels
same "levels: arguments of macros that are off are not evaluated" "evaluated $(sql run.db "SELECT count(*) FROM note_values WHERE note_id IN (SELECT id FROM notes WHERE kind = 'checkpoint')")" "$(grep evaluated said)"
for level in 0 1 2,0 5,1; do
    record plain-gcc scopes --level $level
    same "--level $level" "$(case $level in 0) echo 0 0 ;; 1) echo 31 5 ;; 2,0) echo 48 0 ;; 5,1) echo 48 5 ;; esac)" \
        "$(sql run.db "SELECT (SELECT count(*) FROM calls) || ' ' || (SELECT count(*) FROM notes WHERE kind = 'result')" 2>/dev/null || echo 0 0)"
done
for wrong in 6 "" 1,2,3 "1," x; do
    run "$fisql" record --level "$wrong" ./plain-gcc scopes
    same "--level '$wrong' is refused" "2 fisql: --level $wrong: wants a level from 0 to 5, or two of them: 3 or 3,1" "$status $err"
done

# --- pauses
record plain-gcc pauses
same "pauses: 150 and 70 ms are in no self time, but in total" "1 1 1" "$(sql run.db "
    SELECT (SELECT sum(paused_ns) BETWEEN 220e6 AND total_ns FROM function_stats WHERE paused_ns > 0) || ' ' ||
           (SELECT sum(self_ns) + sum(paused_ns) <= max(total_ns) AND sum(self_ns) >= 30e6 FROM function_stats WHERE paused_ns > 0) || ' ' ||
           (SELECT sum(self_wait_ns) <= sum(self_ns) AND max(wait_ns) >= 240e6 FROM function_stats WHERE paused_ns > 0)
    FROM function_stats ORDER BY total_ns DESC LIMIT 1")"
run "$fisql" trace --color never run.db
has "trace shows pauses" "= paused for " "$out"

# --- with hooks: FISQL_FUNCTION is no second call
for compiler in gcc clang; do
    build $compiler hooked-$compiler -O1 -I"$header" "$programs/trace_macros.c"
    record hooked-$compiler deeper
    same "hooked-$compiler: calls" "call deeper 10" "$(calls)"
    same "hooked-$compiler: notes" "$(said note)" "$(notes)"
    same "hooked-$compiler: each in its own call" 10 "$(sql run.db "SELECT count(DISTINCT call_id) FROM notes JOIN call_details c ON c.id = call_id WHERE c.function = 'deeper'")"
    record hooked-$compiler scopes --values
    same "hooked-$compiler: with values of functions, too; in a function with hooks FISQL_ENTRY waits for nothing" \
        "$(said note)
note value - 12" "$(notes | LC_ALL=C sort)"
    rollups "hooked-$compiler scopes"
done

# --- C++
for compiler in g++ clang++; do
    strict $compiler cxx-$compiler -std=c++17 -O2 "$programs/trace_macros.cc"
    strict $compiler off-$compiler -std=c++17 -O2 -DFISQL_OFF -Wno-unused "$programs/trace_macros.cc"
    "$fisql" record -q ./cxx-$compiler >said
    "$fisql" load -q run.bin
    same "$compiler: calls" "catches 5
main 2
shop::Counter::Counter 1
shop::Counter::add 4
shop::Counter::~Counter 1
shop::twice 3" "$(sql run.db "SELECT name || ' ' || sum(calls) FROM function_stats JOIN functions ON id = function_id WHERE full_name IS NULL OR full_name NOT LIKE 'main()::%' GROUP BY name ORDER BY name")"
    same "$compiler: a scope in a lambda" 1 "$(sql run.db "SELECT sum(calls) FROM function_stats JOIN functions ON id = function_id WHERE coalesce(full_name, name) LIKE 'main()::%'")"
    same "$compiler: an exception ends the scopes that it leaves" 2 "$(sql run.db 'SELECT count(*) FROM calls WHERE ended = 1')"
    same "$compiler: values of any type with <<" 'name=a string part=text point=(3, 4) shop::Colour::red=3 unsteady=5 room=room true=1 2.5f=2.5 nullptr=0 nothing=0 caught=1 std::complex<int>(1, 2)=(1,2) name.c_str()=a string -1L=-1 '"'c'=99" \
        "$(sql run.db "SELECT group_concat(name || '=' || value, ' ') FROM note_values JOIN notes ON id = note_id WHERE label = 'values' AND name <> 'large'")"
    same "$compiler: messages by <<" "caught seven at 7, else 0, 4100" "$(sql run.db "SELECT group_concat(CASE WHEN length(text) > 99 THEN length(text) ELSE text END, ', ') FROM notes WHERE kind = 'message'")"
    same "$compiler: results" "total += n = 5, total += n = 11, total += n = 19, value + value = 42" "$(sql run.db "SELECT group_concat(text, ', ') FROM (SELECT text FROM notes WHERE kind = 'result' LIMIT 4)")"
    rollups $compiler
done

# --- wide text: by marks in C, where a wchar_t is an int; by its type in C++
wide='text=héllo 😀|sixteen=€ 😀!|thirty_two=x€|none=0|room=room|lone=�A�|L""=|number=65|single=é|small=€|large=😀|wrong=�|L"a, (b"=a, (b'
for pair in "gcc gnu11 c" "clang gnu11 c" "g++ c++17 c" "clang++ c++17 c" "g++ c++17 cc" "clang++ c++17 cc"; do
    read -r compiler standard kind <<<"$pair"
    language=(-std="$standard")
    [[ $standard$kind != c++17c ]] || language+=(-x c++)
    strict "$compiler" "wide-$compiler-$kind" "${language[@]}" -O2 "$programs/trace_wide.$kind"
    strict "$compiler" "wide-off" "${language[@]}" -O2 -DFISQL_OFF -Wno-unused "$programs/trace_wide.$kind"
    "$fisql" record -q "./wide-$compiler-$kind" && "$fisql" load -q run.bin
    values="SELECT group_concat(name || '=' || value, '|') FROM note_values JOIN notes ON id = note_id WHERE label = 'wide' AND name NOT IN ('&number', 'longer')"
    if [ "$kind" = c ]; then
        same "$compiler: wide text is recorded as UTF-8" "$wide" "$(sql run.db "$values")"
        same "$compiler: a pointer to an int stays one" 1 "$(sql run.db "SELECT count(*) FROM note_values WHERE name = '&number' AND value > 4096")"
        same "$compiler: cut between characters" "4099 €€\\..." "$(sql run.db "SELECT length(CAST(value AS BLOB)) || ' ' || substr(value, -6) FROM note_values WHERE name = 'longer'")"
        same "$compiler: a result" 'text = "gäste", given(thirty_two[0] == '"'x'"' ? L"g\u00e4ste" : text) = "gäste"' \
            "$(sql run.db "SELECT group_concat(text, ', ') FROM notes WHERE kind IN ('result', 'value')")"
    else
        same "$compiler: wide text without marks" 'name=héllo|part=😀 t|full=x€|std::wstring_view()=|none=0|room=room|name.c_str()=héllo|number == 65=1|L'"'\u00e9'=é|u'\u20ac'=€|U'\U0001F600'=😀"'|nullptr=0|L"literal"=literal' \
            "$(sql run.db "$values")"
        same "$compiler: a wide result" 'full = "x€"' "$(sql run.db "SELECT text FROM notes WHERE kind = 'result'")"
    fi
done

# --- linked in, and into a ring: the same rows
gcc -std=gnu11 -O2 -I"$header" -c -o plain.o "$programs/trace_macros.c"
for how in "gcc -static" "gcc -static-pie" "--static-runtime gcc"; do
    # shellcheck disable=SC2086 # words
    "$fisql" cc $how -w -o "linked_${how// /_}" plain.o -lpthread || not_ok "$how: links"
done
for what in scopes values pauses; do
    record plain-gcc $what
    trace_rows run.db >plain.rows
    at_least "$what: leaves rows" 4 "$(wc -l <plain.rows)"
    record plain-gcc $what --ring 8M
    same "$what --ring: the same rows" "" "$(trace_rows run.db | diff plain.rows - | head -5)"
    for how in "gcc -static" "gcc -static-pie" "--static-runtime gcc"; do
        record "linked_${how// /_}" $what
        same "$what, $how: the same rows" "" "$(trace_rows run.db | diff plain.rows - | head -5)"
    done
done

# --- in a program that forbids itself all system calls but two, and in a ring that goes round
strict gcc sealed -std=gnu11 -O2 "$programs/trace_sealed.c"
run "$fisql" record -q ./sealed 20000 open
"$fisql" load -q run.bin
trace_rows run.db >open.rows
same "open: every scope that there was" "known 20010 later 10000" "$(sql run.db "SELECT group_concat(name || ' ' || calls, ' ') FROM
    (SELECT name, calls FROM function_stats JOIN functions ON id = function_id ORDER BY name)")"
if ./sealed 1 sealed >/dev/null; [ $? -ne 3 ]; then
    ok "skipped: this machine has no seccomp"
elif [ "$(nproc)" -gt 1 ]; then # with one processor recording ends there
    run "$fisql" record -q ./sealed 20000 sealed
    same "sealed: output and status" "3 done" "$status $out"
    "$fisql" load -q run.bin
    same "sealed: the same rows, of points that were first reached behind it as well" "" "$(trace_rows run.db | diff open.rows - | head -5)"
fi
run "$fisql" record -q --ring 1M ./sealed 100000 open
"$fisql" load -q run.bin 2>/dev/null
same "a ring that went round: its last rows are those of the last turns, with names that came first" "1 1 0 0" "$(sql run.db "
    SELECT (SELECT count(*) FROM notes WHERE kind = 'result') < 100000,
           (SELECT text FROM notes WHERE kind = 'result' ORDER BY id DESC LIMIT 1) = 'n + 1 = 100000',
           (SELECT count(*) FROM notes WHERE line IS NULL OR file IS NULL),
           (SELECT count(*) FROM (SELECT value - lag(value) OVER (ORDER BY note_id) AS step FROM note_values JOIN notes ON id = note_id
             WHERE kind = 'result') WHERE step <> 1)" | tr '|' ' ')"

# --- without the collector the program does the same, and macros evaluate nothing
run ./plain-gcc levels
has "without the collector" "evaluated 0" "$out"

# --- FISQL_OFF: the code of a program without macros
for pair in "gcc c gnu11" "clang c gnu11" "g++ cc c++17" "clang++ cc c++17"; do
    read -r compiler kind standard <<<"$pair"
    # the macros are on lines of their own, or wrap a value
    sed -e 's/FISQL_RESULT(\(.*\));$/(\1);/' -e '/^ *FISQL_[A-Z]*(.*;$/d' -e '/fisql_trace.h/d' >without.$kind <<'C'
#include "fisql_trace.h"
int work(int n, const char *text);
int work(int n, const char *text)
{
    FISQL_FUNCTION(1);
    FISQL_CHECKPOINT(2, "start", n, text, n * 2);
    FISQL_VALUE(n);
    FISQL_PAUSE();
    if (n > 3) {
        FISQL_ENTRY(2);
        FISQL_SAY(1, "%d %s", n, text);
        n += text[0];
    }
    FISQL_RESUME();
    FISQL_THREAD(text);
    FISQL_LEVELS(1, 2);
    return FISQL_RESULT(n + 1);
}
C
    cat >with.$kind <<'C'
#include "fisql_trace.h"
int work(int n, const char *text);
int work(int n, const char *text)
{
    FISQL_FUNCTION(1);
    FISQL_CHECKPOINT(2, "start", n, text, n * 2);
    FISQL_VALUE(n);
    FISQL_PAUSE();
    if (n > 3) {
        FISQL_ENTRY(2);
        FISQL_SAY(1, "%d %s", n, text);
#ifdef __cplusplus
        FISQL_SAY_(1) << n << text;
#endif
        n += text[0];
    }
    FISQL_RESUME();
    FISQL_THREAD(text);
    FISQL_LEVELS(1, 2);
    return FISQL_RESULT(n + 1);
}
C
    lacks "$compiler: the copy without macros has none" FISQL "$(cat without.$kind)"
    for level in -O0 -O2; do
        for source in with without; do
            cp $source.$kind source.$kind # its name is in the object
            $compiler -std=$standard $level -Wall -Wextra -Wpedantic -Werror -DFISQL_OFF -I"$header" -c -o $source.o source.$kind
            objdump -d -r -j .text $source.o | sed 1,3d >$source.dump
            # what libstdc++'s headers leave behind depends on what they are included with, not on the macros
            nm $source.o | grep -v ' r _ZNSt8__detail' >>$source.dump
        done
        cmp -s with.dump without.dump && [ -s with.dump ]
        report $? "$compiler $level: -DFISQL_OFF gives the object code of no macros" "$(diff with.dump without.dump | head -20)"
    done
done
