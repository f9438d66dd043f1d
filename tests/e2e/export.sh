#!/bin/bash
# Exports: each format is read by its own consumer or a decoder of its published form, and its sums are
# the database's; cuts stay balanced; hostile names stay names; nothing half-written is left.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export PYTHONDONTWRITEBYTECODE=1
check=$here/tests/e2e/export_check.py

build gcc threads -O1 -g "$programs/threads.c"
"$fisql" record -q ./threads >/dev/null 2>&1
"$fisql" load -q run.bin
calls=$(sql run.db 'SELECT sum(calls) FROM threads')
threads=$(sql run.db 'SELECT count(*) FROM threads WHERE calls > 0')
self=$(sql run.db 'SELECT sum(self_cpu_ns) FROM frames')
bytes=$(sql run.db 'SELECT sum(alloc_bytes) FROM frames')

for format in perfetto chrome speedscope; do
    "$fisql" export --format $format -o run.$format
    same "$format: exit status" 0 $?
    out=$(python3 "$check" $format run.$format run.db 2>&1)
    has "$format: every call, balanced" "calls $calls
" "$out
"
    has "$format: every thread" "threads $threads
" "$out
"
    has "$format: names" "name True" "$out"
    [ $format = speedscope ] || has "$format: live memory" "counters True" "$out"
done
protoc -I "$here/tests/e2e" --decode perfetto.protos.Trace perfetto.proto <run.perfetto >decoded.txt
same "perfetto: protoc decodes it" 0 $?
same "perfetto: no field that its schema does not have" "" "$(grep -m1 -E '^ *[0-9]+( \{|:)' decoded.txt)"
slices=$(sql run.db "SELECT $calls + (SELECT count(*) FROM recording_gaps)")
same "perfetto: a slice for each call and each gap of the recording" "$slices $slices" \
    "$(grep -c TYPE_SLICE_BEGIN decoded.txt) $(grep -c TYPE_SLICE_END decoded.txt)"
for weight in time calls bytes; do
    case $weight in time) want=$self ;; calls) want=$calls ;; bytes) want=$bytes ;; esac
    same "folded $weight: the sum is the database's" "sum $want" \
        "$("$fisql" export --format folded --weight $weight >run.folded && python3 "$check" folded run.folded run.db)"
done
"$fisql" export --format pprof -o run.pprof
same "pprof: its sums are the database's" "calls $calls
self $self
bytes $bytes
name True" "$(python3 "$check" pprof run.pprof run.db 2>&1)"
"$fisql" export --format callgrind -o run.callgrind
annotated=$(callgrind_annotate --threshold=100 run.callgrind 2>&1)
has "callgrind: callgrind_annotate reads it, its total is the database's" \
    "$(sql run.db "SELECT sum(self_cpu_ns) FROM function_stats") (100.0%)  PROGRAM TOTALS" "$(tr -d , <<<"$annotated")"
"$fisql" export --format dot -o run.dot 2>/dev/null
same "dot: graphviz draws it" 0 "$(dot -Tsvg run.dot -o run.svg 2>/dev/null && grep -c '<svg' run.svg >/dev/null && echo 0)"
same "dot: as many edges as pairs of functions" \
    "$(sql run.db 'SELECT count(*) FROM (SELECT DISTINCT caller_id, callee_id FROM edges WHERE caller_id IS NOT NULL)')" \
    "$("$fisql" export --format dot --nodes 1000000 2>/dev/null | grep -c -- '->')"
same "mermaid: a flowchart" "flowchart TD" "$("$fisql" export --format mermaid 2>/dev/null | sed -n 1p)"
cp run.db quoted.db
sql quoted.db "UPDATE functions SET name = 'op\"\"<a;b>' WHERE name = 'main'"
has "mermaid: what means something in a label is written by number" 'op#34;#34;#60;a#59;b#62;' \
    "$("$fisql" export --format mermaid quoted.db 2>/dev/null)"
has "dot: what means something in a label is escaped" 'op\"\"<a;b>' "$("$fisql" export --format dot quoted.db 2>/dev/null)"
same "dot: --nodes limits it" 3 "$("$fisql" export --format dot --nodes 3 2>/dev/null | grep -c 'label=".*self')"

# Cuts.
cat > work.c <<'C'
static volatile int sink;
static int leaf(int n) { return n * 3 + sink; }
static int node(int n) { return n < 2 ? leaf(n) : node(n - 1) + node(n - 2); }
static void part_two(void) { for (int i = 0; i < 50; i++) sink = node(9); }
int main(void) { sink = node(16); part_two(); }
C
build gcc work -O1 -g work.c
"$fisql" record -q -o work.bin ./work
"$fisql" load -q work.bin
for format in perfetto chrome speedscope; do
    "$fisql" export --format $format --function part_two -o cut.$format work.db
    has "$format: --function takes the function with all within" \
        "calls $(sql work.db "SELECT 1 + descendants FROM call_details WHERE function = 'part_two'")
" "$(python3 "$check" $format cut.$format work.db 2>&1)
"
    "$fisql" export --format $format --depth 2 -o cut.$format work.db
    has "$format: --depth" "calls $(sql work.db 'SELECT count(*) FROM calls WHERE depth < 2')
" "$(python3 "$check" $format cut.$format work.db 2>&1)
"
    middle=$(sql work.db 'SELECT enter_ns + duration_ns / 2 FROM calls WHERE id = 1')
    "$fisql" export --format $format --since "${middle}ns" -o cut.$format work.db
    has "$format: --since keeps what reaches into it, balanced" \
        "calls $(sql work.db "SELECT count(*) FROM calls WHERE enter_ns + duration_ns > $middle")
" "$(python3 "$check" $format cut.$format work.db 2>&1)
"
done
same "folded: a cut counts the calls that it leaves" \
    "sum $(sql work.db "SELECT 1 + descendants FROM call_details WHERE function = 'part_two'")" \
    "$("$fisql" export --format folded --weight calls --function part_two work.db >cut.folded && python3 "$check" folded cut.folded work.db)"
same "folded: a cut's time is the measured one" \
    "sum $(sql work.db "SELECT raw_duration_ns - (SELECT total(wall_ns) FROM recording_gaps WHERE call_id BETWEEN d.id AND d.id + descendants)
                       FROM call_details d WHERE function = 'part_two'" | sed 's/\.0$//')" \
    "$("$fisql" export --format folded --by wall --function part_two work.db >cut.folded && python3 "$check" folded cut.folded work.db)"
same "callgrind: a cut's edges" "$(sql work.db "SELECT count(*) FROM calls c JOIN calls p ON p.id = c.parent_id")" \
    "$("$fisql" export --format callgrind --until 100s work.db | sed -n 's/^calls=\([0-9]*\) .*/\1/p' | awk '{ n += $1 } END { print n }')"

# Names that are hostile.
small_database hostile.db
sqlite3 hostile.db "UPDATE functions SET name = 'a\"b\\c;d<e>' || char(27) || '[31m' || char(10) || CAST(x'ff' AS TEXT) || '-->' WHERE id = 3"
for format in perfetto chrome speedscope folded pprof; do
    "$fisql" export --format $format -o hostile.$format hostile.db
    python3 "$check" $format hostile.$format hostile.db >/dev/null 2>err
    report $? "$format: hostile names stay names" "$(cat err)"
done
"$fisql" export --format dot hostile.db 2>/dev/null | dot -Tsvg -o hostile.svg 2>err
same "dot: hostile names stay names" "" "$(cat err)"
"$fisql" export --format callgrind -o hostile.callgrind hostile.db
has "callgrind: hostile names stay names" "PROGRAM TOTALS" "$(callgrind_annotate hostile.callgrind 2>&1)"
lacks "callgrind: no control characters" "$(printf '\033')" "$(cat hostile.callgrind)"

# Errors.
run "$fisql" export --format perfeto
same "an unknown format: the nearest is named" "fisql: --format perfeto: no such format; did you mean perfetto?" "$(head -n 1 <<<"$err")"
run "$fisql" export --format chrome --function mian
same "an unknown function: the nearest is named" "2 fisql: --function mian: there is no such function; did you mean main?" "$status $err"
run "$fisql" export --format chrome --thread nobody_at_all
same "an unknown thread: exit status 2" 2 "$status"
run "$fisql" export --format chrome missing.db
same "a missing database: exit status 2" 2 "$status"
run "$fisql" export --format chrome -o nowhere/x.json
same "an output that cannot be made" "2 fisql: nowhere/x.json: cannot be made: No such file or directory" "$status $err"
run sh -c "'$fisql' export --format chrome >/dev/full"
same "a full disk: exit status 2" "2 fisql: standard output: cannot be written: No space left on device" "$status $err"
echo old >kept.json
run sh -c "ulimit -f 8; trap '' XFSZ; exec '$fisql' export --format chrome -o kept.json"
same "a file-size limit: exit status 2" 2 "$status"
same "a failed export leaves what was there" "old" "$(cat kept.json)"
same "a failed export leaves no part" "" "$(ls kept.json.* 2>/dev/null)"
"$fisql" export --format chrome | head -c 100 >/dev/null
"$fisql" load -q --calls=none -o summary.db run.bin
mv run.bin away.bin
run "$fisql" export --format chrome summary.db
has "a database without calls says what is missing" "load the log with --calls=all" "$err"
mv away.bin run.bin
run "$fisql" export --format folded --weight calls summary.db
same "folded needs no calls" "0" "$status"

# The database is never overwritten by what is made of it.
sum=$(cksum <run.db)
ln run.db other-name.db
for command in "export --format folded" "export --format chrome" review report; do
    # shellcheck disable=SC2086 # words
    run "$fisql" $command -o other-name.db run.db
    has "$command: the output is the database: status 2" "2 fisql: other-name.db: is what is read here" "$status $err"
done
same "the database is as it was" "$sum" "$(cksum <run.db)"

# A database with a damaged page: what reads it fails and leaves nothing; what does not is as before.
damage() { # table, copy: zeroes a leaf in the middle of the table
    cp run.db "$2"
    python3 - "$2" "$(sql run.db "SELECT pageno FROM dbstat WHERE name = '$1' AND pagetype = 'leaf'
        ORDER BY pageno LIMIT 1 OFFSET (SELECT count(*) / 2 FROM dbstat WHERE name = '$1' AND pagetype = 'leaf')")" \
        "$(sql run.db 'PRAGMA page_size')" <<'PY'
import sys
path, page, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with open(path, "r+b") as file:
    file.seek((page - 1) * size)
    file.write(bytes(size))
PY
}
read_all() { # database, folder: each reader's output, exit status and stderr
    local format
    mkdir -p "$2"
    for format in perfetto chrome speedscope folded callgrind pprof dot mermaid; do
        "$fisql" export --format $format -o "$2/$format" "$1" 2>"$2/$format.err"
        echo $? >"$2/$format.status"
    done
    "$fisql" export --format folded --until 1s -o "$2/cut" "$1" 2>"$2/cut.err"
    echo $? >"$2/cut.status"
    for format in tree trace info review "query --all"; do
        # shellcheck disable=SC2086 # words
        "$fisql" $format "$1" 2>"$2/$format.err" | sed "s/$1//g" >"$2/$format"
        echo "${PIPESTATUS[0]}" >"$2/$format.status"
    done
}
read_all run.db sound
for table in calls frames functions edges memory_steps function_stats threads; do
    damage "$table" "damaged.db"
    rm -rf damaged
    read_all damaged.db damaged
    wrong="" failed=0
    for status_file in damaged/*.status; do
        reader=$(basename "$status_file" .status)
        if [ "$(cat "$status_file")" = 2 ]; then
            failed=$((failed + 1))
            grep -q '^fisql: ' "damaged/$reader.err" || wrong="$wrong $reader (says nothing)"
            case $reader in tree | trace | info | review | "query --all") ;; *)
                [ -e "damaged/$reader" ] && wrong="$wrong $reader (leaves a file)" ;;
            esac
        else
            cmp -s "sound/$reader" "damaged/$reader" || wrong="$wrong $reader (differs, status $(cat "$status_file"))"
        fi
    done
    same "a damaged page of $table: nothing partial passes for whole" "" "$wrong"
    if [ "$failed" -gt 0 ]; then ok "a damaged page of $table: some reader fails"; else not_ok "a damaged page of $table: some reader fails"; fi
done
