#!/bin/bash
# What fisql says to somebody who mistook a file or a name, and what viewers of its exports show at first.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CACHE_HOME=$TEST_TMP/cache XDG_CONFIG_HOME=$TEST_TMP/config
cat >twins.c <<'C'
#include <pthread.h>
#include <stddef.h>
static void deep(int n) { if (n > 0) deep(n - 1); }
static void paint_a_box_with_a_rather_long_name_of_its_own(int n) { deep(n); }
static void paint_a_bow(int n) { deep(n); }
static void *work(void *p) { paint_a_box_with_a_rather_long_name_of_its_own(3); paint_a_bow(2); return p; }
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, work, NULL);
    pthread_create(&two, NULL, work, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
C
"$fisql" cc gcc -g -o twins twins.c -lpthread
run "$fisql" record ./twins
has "record: a small log's size" " KiB written" "$err"
lacks "record: no 0.0 MB" "0.0 " "$err"
"$fisql" load -q

# One file for another.
touch q.sql
for command in "query hot-functions" query tree trace report info digest review "export --format folded" "stack 1"; do
    # shellcheck disable=SC2086
    run "$fisql" $command run.bin
    same "$command: a log" "2 fisql: run.bin: is a log, not a database: \`fisql load run.bin\` makes its database first" "$status $err"
done
run "$fisql" query q.sql
same "query: a file of SQL" "2 fisql: q.sql: is a file of SQL, not the name of a query: run it with --file q.sql" "$status $err"
run "$fisql" query missing.db
same "query: a database that is missing" \
    "2 fisql: missing.db: No such file or directory: make a database with \`fisql load run.bin -o missing.db\`" "$status $err"
run "$fisql" query ./twins
same "query: a program" "2 fisql: ./twins: is not a fisql database: make one of a log with \`fisql load run.bin\`" "$status $err"

# Names.
for command in $("$fisql" help --list | cut -f1 | grep -vx 'help\|version\|cc'); do
    option=$("$fisql" "$command" --help | sed -n 's/^ *\(-[a-z], \)\?--\([a-z-]\{5,\}\)[ =].*/\2/p' | head -n 1)
    [ -n "$option" ] || continue
    run "$fisql" "$command" "--${option}x"
    same "$command: the nearest option" "2 fisql: $command: --${option}x: no such option; did you mean --$option?" "$status $err"
done
formats="fisql: the formats are: perfetto, chrome, speedscope, folded, callgrind, pprof, dot, mermaid"
run "$fisql" export --format xyzzyx
same "export: an unknown format" "2 fisql: --format xyzzyx: no such format
$formats" "$status $err"
run "$fisql" export
same "export: no format" "2 fisql: export: wants --format FORMAT
$formats" "$status $err"
run "$fisql" query hot-functions --format foo
same "query: an unknown format" "2 fisql: --format foo: wants table, csv, json or markdown" "$status $err"
run "$fisql" tree --from dep
same "tree --from: the nearest" "2 fisql: --from dep: there is no such function; did you mean deep?" "$status $err"
run "$fisql" tree --from _a_bo
same "tree --from: a part of names" \
    "2 fisql: --from _a_bo: there is no such function; did you mean paint_a_box_with_a_rather_long_name_of_its_own or paint_a_bow?" "$status $err"
run "$fisql" tree --from xyzzyxyzzy
same "tree --from: nothing is near" \
    "2 fisql: --from xyzzyxyzzy: there is no such function; \`fisql query call-counts\` lists those that were called" "$status $err"

# trace --since: a call that is open then was entered before.
entered=$(sql run.db "SELECT enter_ns FROM call_details WHERE function = 'main'")
since=$((entered + 1))
shown=$("$fisql" trace --since ${since}ns --no-allocs --function main 2>/dev/null | head -n 1 | awk '{ print $1 }')
same "trace --since: its true entry" "$(printf '%d.%03d' $((entered / 1000)) $((entered % 1000)))" "$shown"
same "trace --since: in the order of entries" "$("$fisql" trace --since ${since}ns | awk '{ print $1 }')" \
    "$("$fisql" trace --since ${since}ns | awk '{ print $1 }' | sort -n)"

# A flight recorder: nobody's own time holds that of dropped callees.
cat >long.c <<'C'
static int leaf(int n) { return n + 1; }
static int inner(int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(i); return s; }
int main(void) { return inner(300000) == 0; }
C
"$fisql" cc gcc -g -o long long.c
"$fisql" record -q --ring 128K -o long.bin ./long
"$fisql" load -q long.bin
same "ring: the calls open where it begins" "main inner" "$(sql long.db "SELECT group_concat(f.name, ' ') FROM cut_calls k JOIN functions f ON f.id = k.function_id WHERE f.name <> 'leaf'")"
same "ring: their own time is not known" "inner|1 main|1" \
    "$(sql long.db "SELECT function, raw_self_ns IS NULL FROM call_details WHERE function IN ('main', 'inner') ORDER BY 1" | paste -sd' ')"
ring_ns=$("$fisql" dump long.bin | awk '/ticks_per_second = / { second = $3 }
    /^[0-9]+: / { ring = $2 == "events" } ring && /^  \+/ { ticks += $1 } END { printf "%.0f\n", ticks * 1e9 / second }')
at_least "ring: all own times lie behind its beginning" "$(sql long.db "SELECT sum(raw_self_ns) FROM function_stats")" $((ring_ns + 1000))
at_least "ring: tree marks them" 1 "$("$fisql" tree long.db | grep -c '>[0-9.]* .*inner')"
has "ring: completeness says so" "callees of calls that were open where the ring or this log begins" "$("$fisql" query completeness long.db)"

# Viewers.
same "speedscope: threads of one name are told apart" \
    "$(sql run.db "SELECT name || ' (' || tid || ')' FROM threads ORDER BY id")" \
    "$("$fisql" export --format speedscope | python3 -c 'import json, sys; [print(p["name"]) for p in json.load(sys.stdin)["profiles"]]')"
"$fisql" export --format speedscope --thread "$(sql run.db 'SELECT max(tid) FROM threads')" >one.json
has "speedscope: also where one is shown" "twins (" "$(cat one.json)"
"$fisql" export --format pprof -o run.pb.gz
same "pprof: opens on time" "time" "$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here/tests/tools python3 - <<'P'
import gzip
from protobuf import fields
strings, default = [], 0
for number, value in fields(gzip.open("run.pb.gz").read()):
    if number == 6:
        strings.append(value.decode())
    elif number == 14:
        default = value
print(strings[default])
P
)"
python3 - >wide.sql <<'P'
for i in range(50):
    name = f"std::vector<ns::a_name_that_is_long_{i}<int>, std::allocator<int> >::method_with_a_long_name_{i}(int, char const*)"
    short = f"std::vector<ns::a_name_that_is_long_{i}<int>>::method_with_a_long_name_{i}"
    print(f"INSERT INTO functions(id, module_id, address, size, name, full_name, file_id, line, instrumented, stable_id) VALUES ({100 + i}, 1, {0x9000 + i}, 8, '{short}', '{name}', 1, {i}, 1, 'w{i}');")
    print(f"INSERT INTO edges(id, caller_id, site_id, callee_id, calls, total_ns, raw_total_ns, self_ns, raw_self_ns, first_call_id, slowest_call_id) VALUES ({100 + i}, 1, 1, {100 + i}, 1, 9, 9, 9, 9, 1, 1);")
    print(f"INSERT INTO function_stats(function_id, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, finished, child_calls, calling, single_child_calls, callees, callers, root_calls, unwound, open, depth_max, nesting_max, recursive_calls, direct_recursive_calls, sequences) VALUES ({100 + i}, 1, 9, 9, 9, 9, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1);")
P
small_database wide.db
sqlite3 wide.db <wide.sql
"$fisql" export --format dot --nodes 60 -o wide.dot wide.db
same "dot: names are short" 0 "$(grep -c 'allocator' wide.dot)"
has "dot: and wrapped" 'label="std::vector<ns::\na_name_that_is_long_' "$(cat wide.dot)"
dot -Tpng wide.dot -o wide.png
at_least "dot: 50 boxes side by side are at most 3,000 pixels" 1 \
    "$(python3 -c 'import struct; w, h = struct.unpack(">II", open("wide.png", "rb").read()[16:24]); print(int(w <= 3000 and h <= 3000 and w > 1000))')"
"$fisql" export --format dot --demangle full --nodes 60 -o wide.dot wide.db
has "dot: full names by --demangle" 'allocator' "$(cat wide.dot)"

# A program that is gone or stripped.
mv twins elsewhere
run "$fisql" load -o gone.db
has "load: a program that is gone: what helps" \
    "missing: its functions show as module+offset or without lines: give the folder of its unstripped or debug file with --symbols, or another / with --sysroot" "$err"
mkdir found && mv elsewhere found/twins
run "$fisql" load --symbols found -o gone.db
same "load: it does help" 1 "$(sql gone.db "SELECT count(*) FROM functions WHERE name = 'deep'")"

# A look-up that fails in a damaged database is no answer: "there is none" would be wrong, and "remove it" harmful.
damaged() { # TABLE: a copy of whole.db in damaged.db in which its first page is zeros
    local page bytes
    cp whole.db damaged.db
    page=$(sql whole.db "SELECT rootpage FROM sqlite_schema WHERE name = '$1'")
    bytes=$(sql whole.db "PRAGMA page_size")
    dd if=/dev/zero of=damaged.db bs="$bytes" count=1 seek=$((page - 1)) conv=notrunc status=none
}
small_database whole.db
sql whole.db "INSERT INTO campaign VALUES ('calls', 'malloc'), ('per', 'context'), ('word 0', './twins')"
malformed="cannot be read: database disk image is malformed"
damaged campaign
before=$(cksum <damaged.db)
run "$fisql" faults --calls malloc -o damaged.db ./twins
same "a campaign that cannot be read is none to go on with" "2 fisql: damaged.db: $malformed" "$status ${err/$PWD\//}"
same "it is left as it is" "$before" "$(cksum <damaged.db)"
run "$fisql" faults --again 1 -o damaged.db
same "none of its experiments is run again" "2 fisql: damaged.db: $malformed" "$status $(uniq <<<"${err//$PWD\//}")"
damaged functions
run "$fisql" query hot-functions --function paint damaged.db
same "a name in damaged names is not called unknown" "2 fisql: damaged.db: $malformed" "$status ${err/$PWD\//}"
damaged losses
run "$fisql" info damaged.db
same "a run whose losses cannot be read is not called complete" "2 fisql: damaged.db: $malformed" "$status $(uniq <<<"${err//$PWD\//}")"
damaged threads
run "$fisql" info damaged.db
has "nor are threads that cannot be read counted as none" "damaged.db: $malformed" "$err"
run "$fisql" diff whole.db damaged.db --check 'calls>+50%'
same "nor does a budget hold that they count for, and the file is named" "2 fisql: damaged.db: $malformed" "$status ${err//$PWD\//}"
run "$fisql" diff damaged.db whole.db --check 'calls>+50%'
same "where it is the first of two as well" "2 fisql: damaged.db: $malformed" "$status ${err//$PWD\//}"
cp damaged.db second.db
run "$fisql" diff damaged.db second.db --check 'calls>+50%'
same "of two that are both damaged both are named" "2 fisql: one of damaged.db and second.db: $malformed" "$status ${err//$PWD\//}"
damaged modules
run "$fisql" diff whole.db damaged.db
same "the functions to compare: the file is named" "2 fisql: damaged.db: $malformed" "$status ${err//$PWD\//}"
damaged run
run "$fisql" push many.db damaged.db
same "a run_id that cannot be read is not called missing" "2 fisql: damaged.db: $malformed" "$status ${err//$PWD\//}"
damaged recording_changes
run "$fisql" query hot-functions damaged.db
has "what was left out is not taken for nothing" "2 fisql: damaged.db: $malformed" "$status ${err//$PWD\//}"
run "$fisql" digest damaged.db
has "nor in the digest" "2 fisql: damaged.db: what was left out $malformed" "$status ${err//$PWD\//}"
damaged slow_calls
run "$fisql" report damaged.db -o report.html
has "report: a query that cannot be run: the file, and a status that says so" "2 fisql: damaged.db: slow-calls $malformed" "$status ${err//$PWD\//}"
