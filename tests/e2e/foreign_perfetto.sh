#!/bin/bash
# Perfetto's traces: what fisql exports comes back call by call, with values and counters; traces written field by field
# have interned names, tracks, clocks and counters in every form that we take.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export PYTHONDONTWRITEBYTECODE=1

# --- fisql's own export, with arguments, threads and live memory

build gcc threads -O1 -g "$programs/threads.c"
"$fisql" record -q --values -o run.bin ./threads >/dev/null 2>&1
"$fisql" load -q run.bin
"$fisql" export --format perfetto -o run.perfetto
run "$fisql" load -o back.db run.perfetto
same "an export is loaded" 0 "$status"
sound "an export" back.db
# Each call by thread, in order: what it is, when since the first one, how long, how deep, its caller
calls() { # DB
    sql "$1" "SELECT t.tid, f.name, c.enter_ns - (SELECT min(enter_ns) FROM calls), c.duration_ns, c.depth, pf.name
        FROM calls c JOIN threads t ON t.id = c.thread_id JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
        LEFT JOIN calls p ON p.id = c.parent_id LEFT JOIN frames pr ON pr.id = p.frame_id LEFT JOIN functions pf ON pf.id = pr.function_id
        WHERE f.name <> 'recording' ORDER BY t.tid, c.id"
}
calls run.db >want
calls back.db >got
cmp want got >difference 2>&1
report $? "an export comes back: every call with its time, depth and caller" "$(diff want got | head -n 20)"
same "an export comes back: edges" \
    "$(sql run.db "SELECT c.name, f.name, sum(e.calls) FROM edges e JOIN functions f ON f.id = e.callee_id LEFT JOIN functions c ON c.id = e.caller_id GROUP BY 1, 2 ORDER BY 1, 2")" \
    "$(sql back.db "SELECT c.name, f.name, sum(e.calls) FROM edges e JOIN functions f ON f.id = e.callee_id LEFT JOIN functions c ON c.id = e.caller_id WHERE f.name <> 'recording' GROUP BY 1, 2 ORDER BY 1, 2")"
same "an export comes back: threads" "$(sql run.db 'SELECT tid, name FROM threads WHERE calls > 0 ORDER BY 1')" \
    "$(sql back.db "SELECT tid, name FROM threads WHERE calls > 0 ORDER BY 1")"
# An export has values as text, pointers in hexadecimal, "?" for those that are not known.
same "an export comes back: values" "$(sql run.db 'SELECT count(*), sum(CASE WHEN value BETWEEN -1000000 AND 1000000 THEN value ELSE 0 END) FROM call_values')" \
    "$(sql back.db "SELECT count(*), sum(CAST(value AS INTEGER)) FROM call_values WHERE value <> '?'")"
"$fisql" export --format perfetto -o again.perfetto back.db
"$fisql" load -q -o again.db again.perfetto
same "twice there and back is the same" "$(calls back.db)" "$(calls again.db)"

# --- written field by field

python3 "$here/tests/corrupt/perfetto.py" kinds kinds.perfetto
run "$fisql" load kinds.perfetto
same "kinds: sound" 0 "$status"
same "kinds: interned names, cleared and used again; names in the event; default tracks" "first|1|0
named|1|2000
own track|1|9000
second|1|1000" "$(sql kinds.perfetto.db "SELECT f.name, count(*), min(c.enter_ns) FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
    WHERE f.name IN ('first', 'second', 'named', 'own track') GROUP BY 1 ORDER BY 1")"
same "kinds: annotations of all types, nested ones with joined names" "bool|integer|1
dict.a|integer|-5
dict.list.0|text|x
double|real|2.5
int|integer|-7
interned|text|shared
json|text|{}
pointer|integer|4096
text|text|words
uint|text|18446744073709551615" "$(sql kinds.perfetto.db "SELECT p.name, typeof(v.value), v.value FROM call_values v JOIN calls c ON c.id = v.id / 32
    JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id JOIN parameters p ON p.function_id = f.id AND p.position = v.id % 32
    WHERE f.name = 'first' ORDER BY 1")"
same "kinds: counters, of integers with a unit, of floats, of differences" "cpu|0.5
sum|3.0
sum|7.0
temperature|42000" "$(sql kinds.perfetto.db "SELECT n.label, v.value FROM notes n JOIN note_values v ON v.note_id = n.id WHERE kind = 'value' ORDER BY 1, 2")"
same "kinds: clocks of a sequence that count microseconds from the packet before" "clocked|20000|5000" \
    "$(sql kinds.perfetto.db "SELECT f.name, c.enter_ns, c.duration_ns FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id WHERE f.name = 'clocked'")"
for trace in clocks boot; do
    python3 "$here/tests/corrupt/perfetto.py" $trace $trace.perfetto
    run "$fisql" load $trace.perfetto
    same "$trace: each clock has its place, and packets without an event move theirs" "clocked|0|10000
mixed|20000|5000" "$(sql $trace.perfetto.db "SELECT f.name, c.enter_ns, c.duration_ns FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id")"
    has "$trace: a clock that nothing is known of gives no time" "events without a time that makes sense: 2 calls" "$err"
done
same "kinds: packed packets, old events with a phase" "legacy packed" "$(sql kinds.perfetto.db "SELECT group_concat(name, ' ') FROM (SELECT name FROM functions WHERE name IN ('legacy', 'packed') ORDER BY 1)")"
same "kinds: processes and threads" "shop till" "$(sql kinds.perfetto.db "SELECT p.executable || ' ' || t.name FROM threads t JOIN processes p ON p.id = t.process_id WHERE t.tid = 11 ORDER BY t.name DESC LIMIT 1")"
has "completeness lists what such a trace does not have" "what perfetto does not record: allocations" "$("$fisql" query completeness kinds.perfetto.db)"

# All is not well where nothing can be told.
run "$fisql" digest kinds.perfetto.db
has "the digest says that times have waiting" "in calls, waiting included" "$out"
has "the digest does not say that no thread waited" "Waiting      not recorded" "$out"
has "nor that there were no errors" "Errors       not recorded" "$out"
has "it says what was not checked" "Not checked  waiting, processor time, memory and errors: perfetto does not record them" "$out"
lacks "it advises nothing that such a trace cannot follow" "fisql run" "$out"
if command -v chromium >/dev/null && command -v node >/dev/null && page_built "the page of a trace"; then
    "$fisql" report -o kinds.html kinds.perfetto.db
    node "$here/tests/report/opens.mjs" "$PWD/kinds.html" "the page says the same" \
        "document.querySelector('#summary .spent').textContent.includes('in calls, waiting included, in recorded code')" \
        "document.querySelector('#summary .main-findings').textContent.includes('nothing that such a trace shows reaches')"
fi

# --- damage

head -c $(($(stat -c %s run.perfetto) - 7)) run.perfetto >cut.perfetto
run "$fisql" load -o cut.db cut.perfetto
same "a trace that was cut is loaded up to there" 1 "$status"
has "and it is said" "cut.perfetto: truncated: the trace ends before its last packet does" "$err"
python3 "$here/tests/corrupt/perfetto.py" bad bad.perfetto
run "$fisql" load -o bad.db bad.perfetto
has "packets that are not sound are counted" "packets that are not sound: 2 calls" "$err"
has "events without a name or time, too" "events whose interned name is missing: 1 calls" "$err"
printf '\012\377\377\377\377\177' >huge.perfetto
run "$fisql" load -o huge.db huge.perfetto
same "a packet that is too large is no trace's" 2 "$status"

# --- what Chromium writes of itself: one clock for each of its sequences, in microseconds from packet to packet

if command -v chromium >/dev/null; then
    run timeout 100 chromium --headless --no-sandbox --user-data-dir="$TEST_TMP/profile" --trace-startup='-*,toplevel,v8,blink,ipc' \
        --trace-startup-format=proto --trace-startup-file="$TEST_TMP/chromium.pftrace" --trace-startup-duration=2 --timeout=3000 --dump-dom \
        'data:text/html,<script>let s=0;for(let i=0;i<1e7;i++)s+=i;document.title=s</script>'
    run "$fisql" load -o chromium.db chromium.pftrace
    run python3 "$here/tests/e2e/foreign_perfetto_oracle.py" chromium.pftrace chromium.db
    same "Chromium: each thread's slices and times" same "$(cut -d' ' -f1 <<<"$out")"
    at_least "Chromium: so many slices" 1000 "${out##* }"
else
    echo "skipped - Chromium's trace: there is no chromium"
fi
