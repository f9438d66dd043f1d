#!/bin/bash
# fisql tree --by-value: the outermost calls of a function by what was passed or returned, with what they called.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# draw(mode) calls line, more often for SHADED; area is recursive
cat >made.sql <<'S'
.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'draw'), (3, 'line'), (4, 'area'), (5, 'plain');
INSERT INTO enumerators VALUES (1, 0, 0, 'FLAT', NULL), (1, 1, 1, 'SHADED', NULL);
INSERT INTO p VALUES (2, 1, 'mode', 'enum mode', 'enum', 1, 0), (2, 0, NULL, 'int', 'signed', NULL, 0), (2, 2, NULL, 'int', 'signed', NULL, 0),
  (4, 1, 'n', 'int', 'signed', NULL, 0);
INSERT INTO c(id, parent_id, function_id, site_id, ns, v0, v1, v2) VALUES
  (2, 1, 2, 1, 100, 7, 0, 5), (3, 2, 3, 2, 50, NULL, NULL, NULL),
  (4, 1, 2, 1, 300, 8, 1, 5), (5, 4, 3, 2, 50, NULL, NULL, NULL), (6, 4, 3, 2, 50, NULL, NULL, NULL),
  (7, 1, 2, 1, 200, 7, 1, 6), (8, 1, 2, 1, 10, NULL, NULL, NULL),
  (9, 1, 4, 3, 10, NULL, 2, NULL), (10, 9, 4, 4, 20, NULL, 1, NULL), (11, 10, 4, 4, 40, NULL, 0, NULL), (12, 1, 4, 3, 80, NULL, 1, NULL);
S
(cd "$here" && cat schema.sql "$TEST_TMP/made.sql" tests/fixtures/values_made.sql | sqlite3 -bail "$TEST_TMP/run.db")
tree() { "$fisql" tree run.db --min-percent 0 "$@" | tr -s ' ' | sed 's/^ //; s/ $//'; }
heading="total share self calls allocated"
expected="$heading
600 ns 78.9% 500 ns 2 draw(mode=SHADED)
100 ns 13.2% 100 ns 2 └─ line main.c:30
150 ns 19.7% 100 ns 1 draw(mode=FLAT)
50 ns 6.6% 50 ns 1 └─ line main.c:30
10 ns 1.3% 10 ns 1 draw(mode=?)"
same "by an argument" "$expected" "$(tree --by-value draw.mode)"
same "by an argument without a name" "$heading
550 ns 72.4% 400 ns 2 draw(#2=5)
200 ns 26.3% 200 ns 1 draw(#2=6)
10 ns 1.3% 10 ns 1 draw(#2=?)" "$(tree --by-value 'draw.#2' --depth 1)"
same "by the result" "$heading
400 ns 52.6% 300 ns 1 draw = 8
350 ns 46.1% 300 ns 2 draw = 7
10 ns 1.3% 10 ns 1 draw = ?" "$(tree --by-value draw.result --depth 1)"
same "by calls" "2 draw(mode=SHADED)" "$(tree --by-value draw.mode --sort calls --depth 1 | sed -n 's/.* \(2 draw.*\)/\1/p')"
same "recursion: the outermost calls" "$heading
80 ns 53.3% 80 ns 1 area(n=1)
70 ns 46.7% 10 ns 1 area(n=2)
60 ns 40.0% 60 ns 2 └─ area main.c:40" "$(tree --by-value area.n)"
sqlite3 run.db 'UPDATE parameter_stats SET listed = 0; DELETE FROM valued_calls'
same "more calls than are listed" "$expected" "$(tree --by-value draw.mode)"
sqlite3 run.db "INSERT INTO hook_costs VALUES (1, 1, 5, 5000, 5000), (1, 6, 12, 7000, 1000);
    INSERT INTO gaps(id, thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns) VALUES (1, 1, 6, NULL, 0, 40, 25, 5)"
same "hooks' cost and waiting are taken out, as in the view call_times" \
    "$(sql run.db "SELECT sum(cpu_ns) FROM call_times WHERE id IN (4, 7)") ns" "$(tree --by-value draw.mode | sed -n 's/ [0-9.]*% .*SHADED)$//p')"
same "by waiting" "25 ns 100.0%" "$(tree --by-value draw.mode --by wait | sed -n '2s/ 0 ns .*//p')"
same "by the wall" 1 "$(tree --by-value draw.mode --by wall | grep -c 'SHADED')"

run "$fisql" tree run.db --by-value draw.mod
same "a parameter that it has not" "2 fisql: --by-value: draw has no parameter mod
fisql: it has: result, mode, #2" "$status $err"
run "$fisql" tree run.db --by-value drow.mode
same "a function that is not there" "2 fisql: --by-value: no arguments of a function drow; did you mean draw?" "$status $err"
run "$fisql" tree run.db --by-value draw
has "not a function and a parameter" "wants FUNCTION.PARAMETER" "$err"
run "$fisql" tree run.db --by-value draw.mode --sort bytes
has "memory is not known" "leave out --sort bytes" "$err"
run "$fisql" tree run.db --by-value draw.mode --from draw
has "it begins at its own function" "leave out --from" "$err"
small_database small.db
run "$fisql" tree small.db --by-value parse.text
same "a run without values" "2 fisql: --by-value: no arguments or results were recorded; \`fisql record --values\` records them" "$status $err"

# a database that contradicts itself
sqlite3 run.db 'UPDATE calls SET descendants = 1 << 61; UPDATE hook_costs SET inside_ps = -(1 << 62), last_call_id = 1 << 62;
    UPDATE gaps SET wait_ns = 1 << 62, preempted_ns = 1 << 62'
run "$fisql" tree run.db --by-value draw.mode
same "a hostile database does no harm" 0 "$status"
