#!/bin/bash
# --time sampled: estimates are as wrong as the errors say that stand beside them. A log of random durations, of which few have
# been recorded: 600 functions, called by main or one by the other. Who writes it knows what the calls took in truth.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

PYTHONPATH=$here/tests/corrupt PYTHONDONTWRITEBYTECODE=1 python3 -S - sampled.bin >truth <<'P'
import random
from log import *
SAMPLED, GAP, THREADS, PAIRS, CALLS = 128, 6, 150, 2, 1000
random.seed(39)


def a_gap():
    return random.randint(1, 2 * GAP - 1)


def thread_of(number):
    events, function = [define(1, MAIN, SHELL), enter(1, 10)], MAIN + 0x1000 * (number + 1)
    for _ in range(PAIRS):
        outer, inner, function = function, function + 0x20, function + 0x40
        events += [define(2, outer, MAIN + 0x10), define(3, inner, outer + 0x10)]
        left, sums, passed = [a_gap(), a_gap()], [0, 0, 0], 0
        for _ in range(CALLS):
            left = [count - 1 for count in left]
            before, below, after = (int(random.lognormvariate(4, 0.7)) for _ in range(3))
            for level, event, took in ((0, enter, 5), (1, enter, before), (1, leave, below), (0, leave, after)):
                passed += took
                pair = [level + 2] if event is enter else []
                events.append(event(*pair, passed if left[level] == 0 else 0))
                passed = 0 if left[level] == 0 else passed
            left = [a_gap() if count == 0 else count for count in left]
            sums = [sum(both) for both in zip(sums, (before + below + after, before + after, below))]
        events.append(time_passes(passed))
        print(outer - MAIN, sums[0], sums[1], sep="|")
        print(inner - MAIN, sums[2], sums[2], sep="|")
    return thread_chunk(*events, leave(100), flags=SAMPLED, thread=number, tid=100 + number)


write(program(), *map(thread_of, range(THREADS)))
P
run "$fisql" load -q sampled.bin
same "the log is sound" "0 " "$status $err"
sqlite3 sampled.db "
    CREATE TABLE truth(at INTEGER, total_ns INTEGER, self_ns INTEGER);
    CREATE TABLE main_at AS SELECT f.address AS at FROM functions f JOIN frames fr ON fr.function_id = f.id AND fr.parent_id IS NULL LIMIT 1;"
sqlite3 sampled.db ".import truth truth"
sql sampled.db "CREATE VIEW wrong AS
    SELECT t.total_ns AS truth, s.total_ns - t.total_ns AS total, s.self_ns - t.self_ns AS self, s.total_error_ns, s.self_error_ns
    FROM function_stats s JOIN functions f ON f.id = s.function_id, main_at m JOIN truth t ON t.at = f.address - m.at"
same "each function is there" "$(wc -l <truth)" "$(sql sampled.db "SELECT count(*) FROM wrong")"
# Both are 1 where errors are as they are said to be. The seed is the same each time.
for what in total self; do
    same "$what times: the squares of their errors are as large as said, a twentieth are more than twice as wrong" "1 1" "$(sql sampled.db "
        SELECT avg(1.0 * $what * $what / ${what}_error_ns / ${what}_error_ns) BETWEEN 0.85 AND 1.15,
               avg(abs($what) > 2 * ${what}_error_ns) BETWEEN 0.03 AND 0.07 FROM wrong" | tr '|' ' ')"
done
at_least "no estimate leans to one side: all together are as near as 600 should be" 1 "$(sql sampled.db "
    SELECT abs(sum(total)) < 2 * sqrt(sum(total_error_ns * total_error_ns)) FROM wrong")"
same "main's time is known: its total is exact, its own time as wrong as what it called" "0 1" "$(sql sampled.db "
    SELECT total_error_ns || ' ' || (abs(self_error_ns - (SELECT sqrt(sum(total_error_ns * total_error_ns)) FROM frames WHERE depth = 1)) < 2)
    FROM function_stats s JOIN functions f ON f.id = s.function_id JOIN main_at m ON m.at = f.address")"
same "contexts have errors, too" "$(sql sampled.db "SELECT count(*), sum(total_error_ns > 0) FROM function_stats")" \
    "$(sql sampled.db "SELECT count(DISTINCT function_id), count(DISTINCT function_id) FILTER (WHERE total_error_ns > 0) FROM frames")"
