#!/bin/bash
# fisql record --budget leaves out functions by itself: the leaf that costs most, and no other; the others stay exact,
# and every answer says so.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
gcc -O2 -w -o budgeted "$programs/budgeted.c" || { not_ok "budgeted.c builds"; exit 0; }
counted() { # DB: without the leaf
    sql "$1" "SELECT f.name || ' ' || s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name NOT IN ('main', 'hot') ORDER BY f.name"
}

run "$fisql" record -o run.bin --budget 5% ./budgeted 3000
has "record says what was left out" "--budget: 1 function was left out while it ran: hot" "$err"
printed=$(grep -v ^hot <<<"$out")
hot=$(sed -n 's/^hot //p' <<<"$out")
run "$fisql" load -q run.bin
same "it loads without loss" "0 0" "$status $(sql run.db 'SELECT count(*) FROM losses')"
same "the other functions are exact" "$printed" "$(counted run.db)"
same "the leaf has the calls until then" "1 1" "$(sql run.db "SELECT (calls > 0) || ' ' || (calls < $hot) FROM function_stats JOIN functions ON id = function_id WHERE name = 'hot'")"
same "the database lists it, with the moment" "hot 1" "$(sql run.db "SELECT detail || ' ' || (at_ns > 0 AND at_ns < (SELECT max(end_ns) FROM processes)) FROM recording_changes WHERE what = 'budget'")"
same "no call of it comes in the second half of the run" 1 "$(sql run.db "SELECT max(enter_ns) < (SELECT max(end_ns) FROM processes) / 2 FROM calls c
    JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id WHERE f.name = 'hot'")"
words="to the end: without hot (--budget)"
has "info says so" "$words" "$("$fisql" info run.db)"
has "completeness" "$words" "$("$fisql" query completeness run.db)"
has "the digest" "$words" "$("$fisql" digest run.db)"
run "$fisql" query hot-functions run.db
has "and a ranking" "$words" "$err"
sound "with a budget" run.db

# ---- a budget that is kept leaves out nothing
run "$fisql" record -o whole.bin --budget 10000% ./budgeted 300
lacks "within the budget nothing is left out" "left out" "$err"
"$fisql" load -q whole.bin
same "and all is counted" "$(sort <<<"$out")" "$(counts whole.db | grep -v main | sort)"

# ---- compiled hooks cannot be taken out: they count
build gcc hooked -O2 -g "$programs/budgeted.c"
run "$fisql" record -o hooked.bin --budget 5% ./hooked 2000
has "hooks: record says what was only counted" "--budget: 1 function was only counted while it ran: hot" "$err"
told=$out
hot=$(sed -n 's/^hot //p' <<<"$told")
run "$fisql" load -q hooked.bin
same "hooks: it loads without loss" "0 0" "$status $(sql hooked.db 'SELECT count(*) FROM losses')"
same "hooks: all functions are exact, the leaf too" "$(sort <<<"$told")" "$(sql hooked.db "SELECT f.name || ' ' || s.calls FROM function_stats s
    JOIN functions f ON f.id = s.function_id WHERE f.name NOT IN ('main', 'cpu_ms')" | sort)"
words="to the end: counts alone of hot (--budget)"
has "hooks: info says so" "$words" "$("$fisql" info hooked.db)"
same "hooks: the leaf's calls have no rows from then on" 1 "$(sql hooked.db "SELECT count(*) < $hot / 2 AND max(c.enter_ns) < (SELECT max(end_ns) FROM processes) / 2
    FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id WHERE f.name = 'hot'")"
sound "hooks, with a budget" hooked.db

# Recursion, longjmp, signal handlers, threads: whenever the counting begins, no call is lost or counted twice.
exact() { # WHAT PROGRAM RECORD-OPTION...
    local what=$1 program=$2
    shift 2
    run "$fisql" record -q -o counted.bin "$@" ./$program 3 150
    local told=$out
    "$fisql" load -q counted.bin
    same "$what: all calls" "$(sort <<<"$told")" "$(sql counted.db "SELECT f.name || ' ' || s.calls FROM function_stats s
        JOIN functions f ON f.id = s.function_id WHERE f.name IN ('fib', 'even', 'odd', 'leaf', 'jump', 'handler')" | sort)"
    same "$what: functions were counted, and nothing is lost" "1 0" \
        "$(sql counted.db "SELECT (SELECT count(*) > 0 FROM recording_changes WHERE what = 'counted') || ' ' || (SELECT count(*) FROM losses)")"
}
for level in -O0 -O2; do
    build gcc counted $level -g "$programs/counted.c" -lpthread
    for budget in 1 3 10; do
        exact "hooks, $level, $budget %" counted --budget $budget%
    done
done
build gcc fixed -O1 -g -no-pie "$programs/counted.c" -lpthread
exact "hooks, at a fixed address" fixed --budget 2%
exact "hooks, with values" counted --budget 2% --values
exact "hooks, with --depth" counted --budget 2% --depth 6
exact "hooks, without times" counted --budget 2% --no-time
exact "hooks, short calls counted" counted --budget 2% --min-duration 1us

# ---- what makes no sense
for value in 5 five% 0% -1% 5%% ""; do
    run "$fisql" record --budget "$value" ./budgeted 1
    same "--budget '$value' is refused" 2 "$status"
done
has "with a word what is wanted" "a percentage such as 5%" "$err"
