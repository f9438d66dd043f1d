#!/bin/bash
# fisql report: the page of a recorded run, of a hostile one and of a very wide one, in headless
# Chromium (tests/report/); what the page carries against SQL; errors.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

page_built "the page" || exit 0
for need in node chromium; do
    command -v "$need" >/dev/null || { not_ok "$need is there: run tests/setup check"; exit 0; }
done

# --- a run with threads, locks, notes and memory
cat >noted.c <<'C'
#include "fisql.h"
#include "wordstat.c"
__attribute__((constructor)) static void begin(void)
{
    FISQL_NOTE("begins <b>now</b>");
}
C
build gcc wordstat -D_GNU_SOURCE -O1 -g -I"$here/examples" -I"$here/collector" noted.c || exit 0
"$fisql" record ./wordstat >/dev/null 2>&1
"$fisql" load run.bin 2>/dev/null
run "$fisql" report
same "report: exit status" 0 "$status"
has "report: says what it wrote" "report.html: written" "$err"
cp report.html first.html
"$fisql" report run.db -o - >piped.html 2>/dev/null
cmp -s first.html piped.html
report $? "report: the same on standard output"
same "report: nothing half-made is left" "" "$(ls report.html.* 2>/dev/null)"

# What the database says, for the browser's checks.
cat >expected.sql <<'Q'
CREATE TEMP VIEW chosen AS SELECT f.id, f.name, s.* FROM functions f JOIN function_stats s ON s.function_id = f.id
 WHERE f.name IN ('table_add', 'hash_word');
CREATE TEMP VIEW folded AS
  WITH RECURSIVE walk(top, id, level, text) AS (
    SELECT c.id, fr.id, 0, f.name FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
     WHERE c.id IN (SELECT slowest_call_id FROM chosen)
    UNION ALL
    SELECT w.top, p.id, w.level + 1, f.name FROM walk w JOIN frames fr ON fr.id = w.id JOIN frames p ON p.id = fr.parent_id
     JOIN functions f ON f.id = p.function_id)
  SELECT top, text, level FROM walk;
SELECT json_object(
  'command', (SELECT value FROM run WHERE key = 'command'),
  'threads', (SELECT count(*) FROM threads WHERE calls > 0),
  'end', (SELECT max(end_ns) FROM threads),
  'flame', 'table_add', 'note', 'begins <b>now</b>', 'lock', 'queue_take',
  'whole', json_object('cpu', 'in recorded code', 'calls', ' calls', 'bytes', 'iB'),
  'hottest', (SELECT json_group_array(name) FROM (SELECT f.name FROM function_stats s JOIN functions f ON f.id = s.function_id
              ORDER BY s.self_cpu_ns DESC LIMIT 5)),
  'threadCalls', (SELECT json_group_array(json_array(id, calls)) FROM threads WHERE calls > 0),
  'threadsByCalls', (SELECT json_group_array(id) FROM (SELECT id FROM threads WHERE calls > 0 ORDER BY calls DESC, id)),
  'findings', json('[{"name": "not-freed", "word": "malloc"}, {"name": "dead-code", "word": "table_remove"}]'),
  'byCalls', (SELECT json_group_array(name) FROM (SELECT f.name FROM function_stats s JOIN functions f ON f.id = s.function_id
              ORDER BY s.calls DESC LIMIT 1)),
  'fewestCalls', (SELECT min(calls) FROM function_stats),
  'functions', (SELECT json_group_array(json_object('id', c.id, 'name', c.name, 'finished', c.finished, 'slowest', c.slowest_call_id,
     'callers', json((SELECT json_group_array(json_array(name, calls)) FROM (SELECT coalesce(f.name, '(no recorded caller)') AS name, sum(e.calls) AS calls
        FROM edges e LEFT JOIN functions f ON f.id = e.caller_id WHERE e.callee_id = c.id GROUP BY e.caller_id ORDER BY calls DESC, name))),
     'callees', json((SELECT json_group_array(json_array(name, calls)) FROM (SELECT f.name, sum(e.calls) AS calls
        FROM edges e JOIN functions f ON f.id = e.callee_id WHERE e.caller_id = c.id GROUP BY e.callee_id ORDER BY calls DESC, name))),
     'stack', json((SELECT json_group_array(text) FROM (SELECT text FROM folded WHERE top = c.slowest_call_id ORDER BY level DESC)))))
     FROM (SELECT * FROM chosen ORDER BY name) c),
  'callees', (SELECT json_group_array(json_array(name, calls)) FROM (SELECT f.name, sum(fr.calls) AS calls
     FROM frames fr JOIN functions f ON f.id = fr.function_id JOIN frames p ON p.id = fr.parent_id JOIN functions m ON m.id = p.function_id
     WHERE m.name = 'main' AND p.parent_id IS NULL GROUP BY f.id ORDER BY min(fr.first_ns))),
  'longest', (SELECT json_object('name', x.name, 'id', k.id, 'enter', k.enter_ns, 'duration', k.duration_ns)
     FROM chosen x JOIN calls k ON k.id = x.slowest_call_id WHERE x.name = 'table_add'),
  'memory', (SELECT json_object('bytes', max(bytes), 'live', max(bytes - freed_bytes), 'peak', max(peak_bytes)) FROM alloc_stacks));
Q
sqlite3 run.db <expected.sql |
    python3 -c '
import json, sys
expected = json.load(sys.stdin)
def size(value):
    for unit in ("B", "KiB", "MiB"):
        if value < 1024:
            return f"{value:.0f} B" if unit == "B" else f"{value:.1f} {unit}"
        value /= 1024
expected["memory"] = {key: size(value) for key, value in expected["memory"].items()}
json.dump(expected, sys.stdout)' >expected.json
node "$here/tests/report/page.mjs" "$PWD/report.html" expected.json ||
    not_ok "the page's checks run to their end"

# --- arguments and results
cat >valued.sql <<'S'
.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'scan'), (3, 'plain');
INSERT INTO p VALUES (2, 1, 'size', 'int', 'signed', NULL, 0), (2, 2, NULL, 'const char *', 'text', NULL, 0), (2, 0, NULL, 'bool', 'bool', NULL, 0);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO c(id, parent_id, function_id, site_id, ns, v0, v1, v2)
  SELECT 1 + i, 1, 2, 1, 100 * i * i, i % 4 = 0, CASE WHEN i < 12 THEN 10 * i * i ELSE 0 END, CASE i WHEN 12 THEN NULL ELSE '<b>' || (i % 2) END FROM n
  UNION ALL VALUES (20, 1, 3, 2, 10, NULL, NULL, NULL);
S
(cd "$here" && cat schema.sql "$TEST_TMP/valued.sql" tests/fixtures/values_made.sql | sqlite3 -bail "$TEST_TMP/valued.db")
"$fisql" report valued.db -o valued.html 2>/dev/null
cat >valued.json <<'J'
{"id": 2, "without": 3, "points": [12], "slowest": "scan(size=0, ?) = true",
 "parameters": [["size", "int", "12", "0", "1210", "10 8.3%, 40 8.3%, 90 8.3%, 160 8.3%, 250 8.3%"],
  ["#2", "const char *", "2", "", "", "\"<b>1\" 54.5%, \"<b>0\" 45.5%; not known in 1 call"],
  ["result", "bool", "2", "", "", "false 75.0%, true 25.0%"]]}
J
sql valued.db 'UPDATE function_stats SET slowest_call_id = 13'
"$fisql" report valued.db -o valued.html 2>/dev/null
node "$here/tests/report/values.mjs" "$PWD/valued.html" valued.json || not_ok "the checks of values run to their end"

# --- what the page carries, against SQL
data() { sed -n '/<script type="application\/json" id="data">/,/<\/script>/p' "$1" | sed '1s/^[^{]*//; $s/<\/script>.*//'; }
"$fisql" report run.db -o few.html --calls 200 2>/dev/null
data few.html | python3 -c '
import json, sqlite3, sys
data = json.load(sys.stdin)
db = sqlite3.connect("run.db")
good = nested = True
for lane in data["lanes"]:
    numbers, ids, last, enter, stack = lane["data"], [], 0, 0, []
    for i in range(0, len(numbers), 5):
        last += numbers[i]
        enter += numbers[i + 3]
        ids.append(last)
        end = enter + numbers[i + 4]
        stack = stack[:numbers[i + 1]]
        nested &= len(stack) == numbers[i + 1] and (not stack or stack[-1] >= end)
        stack.append(end)
    rows = db.execute("SELECT id FROM calls WHERE thread_id = ? ORDER BY duration_ns DESC, id LIMIT ?", (lane["thread_id"], len(ids)))
    good &= sorted(row[0] for row in rows) == ids and len(ids) > 20
print("longest" if good else "not the longest", "nested" if nested else "with gaps")
frames = data["frames"]
at = {name: i for i, name in enumerate(frames["columns"])}
roots = [row for row in frames["rows"] if row[at["parent"]] < 0]
print(sum(row[at["all_calls"]] for row in roots), sum(row[at["all_cpu_ns"]] + row[at["all_wait_ns"]] + row[at["all_preempted_ns"]] for row in roots), sum(row[at["all_bytes"]] for row in roots))
' >carried.txt
same "report: the timeline has each thread's longest calls, without gaps" "longest nested" "$(sed -n 1p carried.txt)"
same "report: the flame graph's sums are the run's" \
    "$(sql run.db 'SELECT sum(calls), sum(self_ns), sum(alloc_bytes) FROM frames' | tr '|' ' ')" "$(sed -n 2p carried.txt)"

# --- more short waits than there is room for: their sums are there
cp run.db gaps.db
sql gaps.db "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO gaps(thread_id, call_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns, waits, preemptions, minor_faults, major_faults)
    SELECT t.id, t.first_call_id, c.frame_id, t.start_ns + n.i * (t.end_ns - t.start_ns) / 20001, 50, 40, 0, 1, 0, 0, 0
    FROM n CROSS JOIN (SELECT * FROM threads WHERE calls > 0 ORDER BY id LIMIT 1) t JOIN calls c ON c.id = t.first_call_id"
"$fisql" report gaps.db -o gaps.html 2>/dev/null
data gaps.html | python3 -c '
import json, sys
data = json.load(sys.stdin)
def rows(part):
    return [dict(zip(data[part]["columns"], row)) for row in data[part]["rows"]]
waits = sum(one["wait_ns"] for one in rows("gaps") if one["wall_ns"] >= data["slot_ns"]) + sum(one["wait_ns"] for one in rows("short_gaps"))
print(data["gaps"]["left_out"] > 10000, waits)' >carried.txt
same "report: gaps that are left out are in the sums of the short ones" "True $(sql gaps.db 'SELECT sum(wait_ns) FROM gaps')" "$(cat carried.txt)"
node "$here/tests/report/opens.mjs" "$PWD/gaps.html" "short gaps" \
    "document.querySelector('#timeline .legend').textContent.includes('of short gaps')" || not_ok "short gaps: the checks run to their end"

# --- own code and libraries: text_append and hash_byte are taken for a library's
cp run.db own.db
sqlite3 own.db "ALTER TABLE functions ADD COLUMN own INTEGER NOT NULL DEFAULT 1" 2>/dev/null
sql own.db "UPDATE functions SET own = name NOT IN ('text_append', 'hash_byte')"
"$fisql" report own.db -o own.html 2>/dev/null
sql own.db "WITH RECURSIVE around(frame, owner) AS (
    SELECT r.id, r.function_id FROM frames r WHERE r.parent_id IS NULL UNION ALL
    SELECT c.id, iif(f.own, c.function_id, a.owner) FROM frames c JOIN around a ON a.frame = c.parent_id JOIN functions f ON f.id = c.function_id)
  SELECT f.name || ' ' || sum(x.alloc_bytes) || ' ' || sum(x.self_ns) FROM around a JOIN frames x ON x.id = a.frame JOIN functions f ON f.id = a.owner
  GROUP BY a.owner ORDER BY f.name" >folded.txt
data own.html | python3 -c '
import json, sys
data = json.load(sys.stdin)
names = {row[0]: row[1] for row in data["names"]}
print("\n".join(sorted(f"{names[f]} {size} {cpu + wait + aside}" for f, cpu, wait, aside, size in data["own"]["rows"])))' >carried.txt
same "own code: what its functions spend with the libraries' that they call" "$(LC_ALL=C sort folded.txt)" "$(LC_ALL=C sort carried.txt)"
names="[...new Set([...document.querySelectorAll('#flame-chart g')].map((one) => one.getAttribute('name')))]"
node "$here/tests/report/opens.mjs" "$PWD/own.html" "own code" \
    "document.querySelector('#summary .legend').textContent.includes('may be off by')" \
    "document.getElementById('code').textContent === 'Own code'" "!$names.includes('text_append') && $names.includes('document_make')" \
    "![...document.querySelectorAll('#functions tbody a')].some((one) => one.textContent === 'hash_byte')" \
    "document.querySelector('#memory tbody a').textContent === 'document_make'" \
    "(document.getElementById('code').click(), $names.includes('text_append'))" \
    "[...document.querySelectorAll('#functions tbody a')].some((one) => one.textContent === 'hash_byte')" \
    "document.querySelector('#memory tbody a').textContent === 'text_append'" ||
    not_ok "own code: the checks run to their end"

# --- a wrapper of malloc does not take the credit for all blocks
cat >wrapped.c <<'C'
#include <stdlib.h>
__attribute__((noinline)) void *xmalloc(size_t size) { void *block = malloc(size); if (block == NULL) abort(); return block; }
__attribute__((noinline)) void *make_page(void) { return xmalloc(4096); }
__attribute__((noinline)) void *make_word(void) { return xmalloc(16); }
int main(void) { for (int i = 0; i < 100; i++) { free(make_page()); free(make_word()); } return 0; }
C
build gcc wrapped -O1 -g wrapped.c
"$fisql" record -q -o wrapped.bin ./wrapped && "$fisql" load -q wrapped.bin && "$fisql" report wrapped.db -o wrapped.html 2>/dev/null
node "$here/tests/report/opens.mjs" "$PWD/wrapped.html" "wrapped" \
    "[...document.querySelectorAll('#memory tbody tr')].map((row) => row.querySelector('a').textContent).join() === 'make_page,make_word'" \
    "document.querySelector('#memory tbody td').textContent.includes('wrapped.c:3 through xmalloc < main')" \
    "(document.querySelector('#memory .expand').click(), document.querySelectorAll('#memory .stack li').length === 3)" ||
    not_ok "wrapped: the checks run to their end"

# --- a chain of functions that only call the next one is one box
cat >chain.c <<'C'
static volatile unsigned long sink;
__attribute__((noinline)) void spin(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void left(void) { spin(3000000); }
__attribute__((noinline)) void right(void) { spin(2000000); }
__attribute__((noinline)) void serve(void) { left(); right(); }
__attribute__((noinline)) void run_builtin(void) { serve(); sink++; }
__attribute__((noinline)) void handle(void) { run_builtin(); sink++; }
int main(void) { handle(); return 0; }
C
build gcc chain -O1 -g chain.c
"$fisql" record -q -o chain.bin ./chain && "$fisql" load -q chain.bin && "$fisql" report chain.db -o chain.html 2>/dev/null
node "$here/tests/report/opens.mjs" "$PWD/chain.html" "chain" \
    "$names.filter((name) => name !== 'all').sort().join() === 'left,main … serve,right,spin'" \
    "(document.querySelector('#flame-chart g[name=\"main … serve\"]').dispatchEvent(new MouseEvent('click', { bubbles: true })), document.querySelector('#flame .focus').textContent.includes('by way of main => handle => run_builtin'))" \
    "(location.hash = '#flame', $names.includes('main … serve'))" \
    "document.querySelector('#timeline-canvas').dataset.chains === 'main handle run_builtin serve'" \
    "(document.querySelector('#longest-of').value = 'serve', document.querySelector('#go-longest').click(), document.querySelector('#timeline .focus').textContent.includes('by way of main => handle => run_builtin'))" ||
    not_ok "chain: the checks run to their end"

# --- names that would be markup, or would end the script
cp run.db hostile.db
sql hostile.db "
    UPDATE functions SET name = '</script><img src=x onerror=\"window.hacked=1\"><b>' || char(10, 27, 8238) || name || '\"''&lt;' || char(0xfffd);
    UPDATE files SET path = '/tmp/<script>window.hacked=2</script>/' || id || '/<i>.c';
    UPDATE threads SET name = '<svg onload=\"window.hacked=3\">';
    UPDATE run SET value = '--><script>window.hacked=4</script>' WHERE key = 'command';
    UPDATE processes SET command = '<style>*{display:none}</style>', executable = CAST(x'fffe3c2f7363726970743e' AS TEXT);
    UPDATE modules SET name = '<iframe src=javascript:window.hacked=5>', problem = '<u>';
    INSERT INTO losses(reason, detail) VALUES ('<script>window.hacked=6</script>', '</p></script>');"
run "$fisql" report hostile.db -o hostile.html
same "report: exit status 1 where the recording is not complete" 1 "$status"
same "report: no name is markup" "some 0" "$(data hostile.html | grep -qF '\u003c/script' && echo some) $(data hostile.html | grep -c '<')"
node "$here/tests/report/opens.mjs" "$PWD/hostile.html" "hostile names" 'window.hacked === undefined' \
    "document.querySelectorAll('main img, main script, main iframe, main b, main i, main u, main style, main svg[onload]').length === 0" \
    "document.querySelector('#functions tbody a').textContent.startsWith('</script><img src=x onerror=')" \
    "document.querySelector('#functions tbody a').textContent.includes('<U+202E>')" \
    "document.querySelector('#summary').textContent.includes('The recording is not complete')" \
    "document.querySelectorAll('#flame-chart rect').length > 8 && document.querySelector('#flame-chart g[name*=\"</script>\"]') !== null" ||
    not_ok "hostile names: the checks run to their end"

# --- a run so wide that nearly everything is cut to its budget
sqlite3 wide.db <"$here/schema.sql"
sqlite3 wide.db <"$here/tests/report/wide.sql"
run "$fisql" report wide.db -o wide.html
same "wide run: exit status" 0 "$status"
node "$here/tests/report/opens.mjs" "$PWD/wide.html" "wide run" \
    "document.querySelectorAll('.left-out').length >= 4" "document.querySelectorAll('#flame-chart rect').length > 8" \
    "/functions? with the least time and fewest calls are left out/.test(document.querySelector('#functions').textContent)" \
    "/calling contexts? of/.test(document.querySelector('#flame').textContent)" \
    "/threads? with fewer calls, or none, have no lane/.test(document.querySelector('#timeline').textContent)" ||
    not_ok "wide run: the checks run to their end"

# --- runs with little in them
sqlite3 empty.db <"$here/schema.sql"
small_database small.db
sql small.db "DELETE FROM calls"
for kind in empty small; do
    "$fisql" report "$kind.db" -o "$kind.html" 2>/dev/null
    node "$here/tests/report/opens.mjs" "$PWD/$kind.html" "$kind database" "document.querySelectorAll('main > section').length === 10"
done

# --- options and errors
run "$fisql" report --help
has "report --help: has an example" "fisql report run.db -o report.html" "$out"
run "$fisql" report run.db -o none.html --calls 0
same "--calls 0: exit status" 0 "$status"
run "$fisql" report --calls many
same "--calls wants a number: exit status" 2 "$status"
has "--calls wants a number" "fisql: --calls many: wants a number" "$err"
run "$fisql" report missing.db
has "no database: says what to do" "fisql load" "$err"
run "$fisql" report run.db -o /nowhere/report.html
same "an unwritable place: exit status" 2 "$status"
has "an unwritable place: says so" "/nowhere/report.html: cannot be made" "$err"
run "$fisql" report run.db -o .
has "a folder: says so" "it is a folder" "$err"
run "$fisql" report run.db -o /dev/full
same "a full disk: exit status" 2 "$status"
run "$fisql" report run.db one two
has "too many arguments" "one argument too many" "$err"
