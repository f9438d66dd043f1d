#!/bin/bash
# Chrome's JSON trace events: what fisql exports comes back; clang's -ftime-trace of a real compile has the slices, times
# and arguments of the file; every phase, and what the format lets writers leave out.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export PYTHONDONTWRITEBYTECODE=1
oracle=$here/tests/e2e/foreign_oracle.py
ldconfig -p 2>/dev/null | grep -q 'libyajl\.so\.2' || {
    echo "skipped - Chrome's JSON: yajl is not installed"
    exit 0
}

# --- clang's -ftime-trace

if command -v clang++ >/dev/null; then
    cat >real.cc <<'C'
#include <algorithm>
#include <map>
#include <string>
#include <vector>
std::map<std::string, std::vector<int>> table(int n)
{
    std::map<std::string, std::vector<int>> all;
    for (int i = 0; i < n; i++)
        all[std::to_string(i)].push_back(i);
    for (auto &row : all)
        std::sort(row.second.begin(), row.second.end());
    return all;
}
C
    clang++ -O2 -c -ftime-trace -ftime-trace-granularity=0 -o real.o real.cc
    run "$fisql" load -o real.db real.json
    lacks "clang's trace: is loaded" "fisql: real.json: is" "$err"
    at_least "clang's trace: status" 0 "$((2 - status))"
    sound "clang's trace" real.db
    same "clang's trace: slices by name, with the sum of their times" "$(python3 "$oracle" chrome-sums real.json)" \
        "$(sql real.db "SELECT f.name, count(*), sum(c.duration_ns) FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id GROUP BY f.name ORDER BY f.name")"
    same "clang's trace: each slice's argument \"detail\"" "$(python3 "$oracle" chrome-details real.json)" \
        "$(sql real.db "SELECT f.name, count(*), count(DISTINCT v.value) FROM call_values v JOIN calls c ON c.id = v.id / 32
            JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
            JOIN parameters p ON p.function_id = f.id AND p.position = v.id % 32 WHERE p.name = 'detail' GROUP BY f.name ORDER BY f.name")"
    same "clang's trace: depths and callers" "$(python3 "$oracle" chrome-depths real.json)" \
        "$(sql real.db "SELECT c.depth, count(*) FROM calls c GROUP BY c.depth ORDER BY c.depth")"
    has "clang's trace: a query on arguments knows their names" "detail" "$("$fisql" query arguments --function Source real.db 2>/dev/null)"
    has "completeness lists what such a file does not have" "what chrome does not record: call sites" "$("$fisql" query completeness real.db)"
else
    echo "skipped - clang's -ftime-trace: there is no clang++"
fi

# --- what fisql exports

build gcc threads -O1 -g "$programs/threads.c"
"$fisql" record -q ./threads >/dev/null 2>&1
"$fisql" load -q run.bin
"$fisql" export --format chrome -o run.json
"$fisql" load -q run.json
same "an export comes back: calls of each function, without the recording's gaps" "$(counts run.db)" "$(counts run.json.db | grep -v '^recording ')"
same "an export comes back: threads with their names" "$(sql run.db 'SELECT tid, name FROM threads WHERE calls > 0 ORDER BY 1')" \
    "$(sql run.json.db 'SELECT tid, name FROM threads WHERE calls > 0 ORDER BY 1')"
same "an export comes back: the live memory, as values of a counter" \
    "$(python3 "$oracle" chrome-counters run.json)" \
    "$(sql run.json.db "SELECT n.label, v.name, count(*), sum(v.value) FROM notes n JOIN note_values v ON v.note_id = n.id WHERE n.kind = 'value' GROUP BY 1, 2")"

# --- phases

cat >phases.json <<'J'
{"displayTimeUnit":"ns","otherData":{"traceEvents":[{"ph":"B"}]},"traceEvents":[
{"ph":"M","name":"process_name","pid":7,"args":{"name":"server"}},
{"ph":"M","name":"thread_name","pid":7,"tid":8,"args":{"name":"worker"}},
{"ph":"B","name":"outer","pid":7,"tid":8,"ts":10,"args":{"path":"/a","size":12,"ratio":0.5,"big":18446744073709551615,"on":true,"none":null}},
{"ph":"B","name":"inner","pid":7,"tid":8,"ts":11.5},
{"ph":"i","name":"tick","pid":7,"tid":8,"ts":12,"s":"t"},
{"ph":"I","name":"tock","pid":7,"tid":8,"ts":12.25,"args":{"why":"because"}},
{"ph":"E","pid":7,"tid":8,"ts":13.0005},
{"ph":"E","name":"outer","pid":7,"tid":8,"ts":20},
{"ph":"X","name":"later child","pid":7,"tid":8,"ts":31,"dur":2,"args":{"data":{"url":"x","list":[1,{"k":"v"}]}}},
{"ph":"X","name":"later","pid":7,"tid":8,"ts":3e1,"dur":5.123},
{"ph":"b","cat":"net","name":"request","id":"0x1","pid":7,"tid":9,"ts":1},
{"ph":"b","cat":"net","name":"request","id":"0x2","pid":7,"tid":9,"ts":2},
{"ph":"e","cat":"net","name":"request","id":"0x1","pid":7,"tid":9,"ts":5},
{"ph":"e","cat":"net","name":"request","id":"0x2","pid":7,"tid":9,"ts":6},
{"ph":"C","name":"load","pid":7,"ts":14,"args":{"user, and (system)":3,"idle":4.5}},
{"ph":"s","name":"flow","id":1,"pid":7,"tid":8,"ts":10},
{"ph":"B","name":"open","pid":"text","tid":"one","ts":40}
]}
J
run "$fisql" load phases.json
same "phases: what is not taken is said, with status 1" "1 yes" "$status $([[ $err == *'events of kinds that fisql does not take: 1: '* ]] && echo yes)"
same "phases: slices with times, depths and callers" "inner|10500|1501|1|outer
later|29000|5123|0|
later child|30000|2000|1|later
open|39000|0|0|
outer|9000|10000|0|
request|0|4000|0|
request|1000|4000|0|" "$(sql phases.json.db "SELECT f.name, c.enter_ns, c.duration_ns, c.depth, pf.name FROM calls c
    JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id LEFT JOIN calls p ON p.id = c.parent_id
    LEFT JOIN frames pr ON pr.id = p.frame_id LEFT JOIN functions pf ON pf.id = pr.function_id ORDER BY 1, 2")"
same "phases: arguments with their types" "big|text|18446744073709551615
on|integer|1
path|text|/a
ratio|real|0.5
size|integer|12" "$(sql phases.json.db "SELECT p.name, typeof(v.value), v.value FROM call_values v JOIN calls c ON c.id = v.id / 32
    JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id JOIN parameters p ON p.function_id = f.id AND p.position = v.id % 32
    WHERE f.name = 'outer' ORDER BY 1")"
same "phases: nested arguments have joined names" "data.list.0 data.list.1.k data.url" \
    "$(sql phases.json.db "SELECT group_concat(name, ' ') FROM (SELECT p.name FROM parameters p JOIN functions f ON f.id = p.function_id WHERE f.name = 'later child' AND position > 0 ORDER BY 1)")"
same "phases: instants and counters are notes" "checkpoint|tock|because
note||
value|load|3
value|load|4.5" "$(sql phases.json.db "SELECT n.kind, n.label, v.value FROM notes n LEFT JOIN note_values v ON v.note_id = n.id ORDER BY 1, 2, 3")"
same "phases: a series may have any name" "user, and (system)" "$(sql phases.json.db "SELECT name FROM note_values WHERE value = 3")"
same "phases: an instant has its text and its call" "tick|inner" "$(sql phases.json.db "SELECT n.text, f.name FROM notes n JOIN calls c ON c.id = n.call_id
    JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id WHERE n.kind = 'note'")"
same "phases: processes and threads have their names" "server worker" "$(sql phases.json.db "SELECT p.executable || ' ' || t.name FROM threads t JOIN processes p ON p.id = t.process_id WHERE tid = 8")"
same "phases: a slice that does not end is open" "open" "$(sql phases.json.db "SELECT f.name FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id WHERE ended = 2")"
same "what has no sites has none" "0 0" "$(sql phases.json.db "SELECT (SELECT count(*) FROM sites) || ' ' || (SELECT count(*) FROM edges WHERE site_id IS NOT NULL)")"

# --- forms of the file

printf '\357\273\277 [{"ph":"X","name":"a","ts":1,"dur":1,"pid":1,"tid":1},\n{"ph":"X","name":"b","ts":1,"dur":1,"pid":1,"tid":1},\n' >open.json
run "$fisql" load -o open.db open.json
same "an array may lack its end" "0 2" "$status $(sql open.db 'SELECT sum(calls) FROM threads')"
printf '{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":1},{"ph":"X","na' >cut.json
run "$fisql" load -o cut.db cut.json
same "an object that ends early is loaded so far" "1 1" "$status $(sql cut.db 'SELECT sum(calls) FROM threads')"
has "and it is said" "cut.json: truncated: the JSON ends before its last event does" "$err"
gzip -k open.json
"$fisql" load -q -o packed.db open.json.gz
same "packed by gzip" "$(counts open.db)" "$(counts packed.db)"
for bad in '{"a":[1]}' '[1 2]' '{"traceEvents":[{"ph":"X" "ts"}]}' '{"traceEvents":[' ; do
    printf '%s' "$bad" >bad.json
    run "$fisql" load -o bad.db bad.json
    at_least "no sound trace: $bad" 1 "$status"
    has "names the file: $bad" "bad.json: " "$err"
    same "does not crash: $bad" 0 "$((status > 2))"
done
printf '[{"ph":"X"}{' >where.json
run "$fisql" load -o bad.db where.json
has "an error says where" "where.json: is no sound JSON at byte 1" "$err"

# --- overlapping slices, ends without a start, depth

cat >overlap.json <<'J'
[{"ph":"X","name":"a","ts":0,"dur":10},{"ph":"X","name":"b","ts":5,"dur":10},{"ph":"E","ts":30},
{"ph":"X","name":"no time","dur":10},{"ph":"X","name":"no duration","ts":3},{"ph":"B","name":"nan","ts":"NaN"}]
J
run "$fisql" load overlap.json
has "slices that overlap are cut and counted" "slices that overlap without nesting" "$err"
same "where the outer one ends" 5000 "$(sql overlap.json.db "SELECT c.duration_ns FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id WHERE f.name = 'b'")"
has "ends without a start are counted" "ends of slices that did not begin: 1 calls" "$err"
has "what has no time is counted" "events without a time that makes sense: 3 calls" "$err"
python3 "$oracle" deep-json 200000 >deep.json
run "$fisql" load -o deep.db deep.json
same "slices may nest deeply" "200000 199999" "$(sql deep.db "SELECT count(*) || ' ' || max(depth) FROM calls")"
python3 -c "print('['*100000)" >nest.json
run "$fisql" load -o nest.db nest.json
has "JSON may not" "nests too deeply at byte" "$err"

# --- more than memory holds: sorted through a temporary file

python3 "$oracle" many-json 1500000 >many.json
run "$fisql" load -q --calls=none -o many.db many.json
same "many slices out of order, more than are kept in memory" "$(python3 "$oracle" many-sums 1500000)" \
    "$(sql many.db "SELECT f.name, s.calls, s.raw_total_ns FROM function_stats s JOIN functions f ON f.id = s.function_id ORDER BY f.name")"
same "no temporary file is left" "" "$(find . -name '.fisql*')"
