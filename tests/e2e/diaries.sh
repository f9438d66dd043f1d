#!/bin/bash
# Diaries and reference counts (fisql.h): what a program keeps of its objects is told with stacks, by fisql record with
# names and lines, without it by the program itself; counts in the database are those that the programs count.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

line() { grep -n "$2" "$1" | head -1 | cut -d: -f1; } # FILE PATTERN: its line
# Of the text told: times, addresses, pids and thread ids as they are in every run.
told() { sed -E 's/0x[0-9a-f]+/ADDRESS/; s/(process|thread) [0-9]+/\1 N/; s/, [0-9]+\.[0-9]{6} s ago/, T ago/' "$1" | grep -v '^fisql: .*calls, .* written'; }

# --- the race of the documents: a mutex destroyed by one thread, used by another
example=$here/examples/diary.c
build gcc diary -g -O1 -I"$here/collector" "$example"
expected="fisql: diary of ADDRESS in process N: what was kept last, the newest at the end
  1. keep \"made\": thread N, T ago
      queue_open (diary.c:$(line "$example" '"made"'))
      main (diary.c:$(line "$example" ' queue_open(&queue);'))
  2. keep \"destroyed\": thread N, T ago
      queue_close (diary.c:$(line "$example" '"destroyed"'))
      shut_down (diary.c:$(line "$example" ' queue_close(&queue);'))
      main (diary.c:$(line "$example" ' shut_down();'))
  3. keep \"wanted by queue_put\": thread N, T ago
      queue_put (diary.c:$(line "$example" 'wanted by'))
      produce (diary.c:$(line "$example" 'behind shut_down'))"
run ./diary
same "without the collector the program says nothing more" "1 of 2 were put|0|" "$out|$status|$err"
run "$fisql" record -o run.bin ./diary
same "the race: both threads' stacks, with names and lines" "$expected" "$(told err)"
same "the program itself prints and ends as before" "1 of 2 were put 0" "$out $status"
same "by two threads" 2 "$(sed -n 's/.*: thread \([0-9]*\),.*/\1/p' err | sort -u | wc -l)"
"$fisql" load -q run.bin
same "the same in the database" "made main => queue_open|destroyed main => shut_down => queue_close|wanted by queue_put produce => queue_put|(told) produce => queue_put" \
    "$(sql run.db "SELECT group_concat(state || ' ' || stack, '|') FROM diaries_view")"
address=$(sed -n 's/.*diary of \(0x[0-9a-f]*\).*/\1/p' err)
same "by the address that was told" 4 "$("$fisql" query diaries -p object="$address" --format csv run.db | tail -n +2 | wc -l)"
sound "the race" run.db

# --- without fisql record: modules and offsets, which addr2line reads
run env LD_PRELOAD="$FISQL_BUILD/libfisql.so" FISQL_LOG="$TEST_TMP/own.bin" ./diary
same "without fisql record: as many moments" 3 "$(grep -c '^  [1-3]\. keep' err)"
same "in modules and offsets" "$(sed -n 's/^      \([a-z_]*\) (diary.c:\([0-9]*\))$/\1 \2/p' <<<"$expected")" \
    "$(sed -n 's/^      .*+\(0x[0-9a-f]*\) (.*+\(0x[0-9a-f]*\))$/\1 \2/p' err | while read -r function place; do
        echo "$(addr2line -f -e diary "$function" | head -1) $(addr2line -e diary "$place" | sed 's/.*:\([0-9]*\).*/\1/')"
    done)"
"$fisql" load -q own.bin
same "in its log, too" 4 "$(sql own.db 'SELECT count(*) FROM diaries')"
for kind in --static-runtime -static; do
    if [ $kind = -static ]; then flags=$kind cc_options=; else flags='' cc_options=$kind; fi
    # shellcheck disable=SC2086 # none or one
    build gcc "with$kind" -g -O1 $flags -I"$here/collector" "$example"
    cc_options=
    run "$fisql" record -q -o run.bin "./with$kind"
    same "with the collector in the program ($kind)" "$expected" "$(told err)"
done

# --- awkward places
build gcc moments -g -O1 -I"$here" "$programs/moments.c"
run "$fisql" record -q -o run.bin ./moments states
same "states of all kinds, control characters not shown, errno kept" 'errno kept done|"changeable" "" 7 -5 "0123456789012345678901234567890123456789012345678901234567890ü" "a?b?[31m"' \
    "$(echo $out)|$(sed -n 's/^  [0-9]*\. keep \(.*\): thread .*/\1/p' err | paste -sd' ')"
"$fisql" load -q run.bin
same "in the database as they were given" '"changeable"|""|7|-5|"0123456789012345678901234567890123456789012345678901234567890ü"|"a\nb\u001b[31m"|null' \
    "$(sql run.db "SELECT group_concat(json_quote(state), '|') FROM diaries")"
run "$fisql" record -q -o run.bin ./moments many
same "of 20000 objects those that were kept last are there; how many made room is said" "2 1 15904" \
    "$(grep -c '^  [0-9]*\. keep' err) $(grep -c 'nothing is kept of it' err) $(sed -n 's/.*(\([0-9]*\) diaries made room for others).*/\1/p' err | sort -u)"
"$fisql" load -q run.bin
same "the log has all" "20001 20000" "$(sql run.db "SELECT count(*), count(DISTINCT object_id) FROM diaries WHERE kind = 'keep'" | tr '|' ' ')"
run timeout 120 "$fisql" record -q -o run.bin ./moments handler
kept=$(sed -n 's/^kept //p' <<<"$out")
# Each diary, as "moments" and whether they end in the handler's own.
awk '/^fisql: diary of/ { if (n) print n, last; n = 0 }
     /^  [0-9]+\. keep/ { n++; last = $3 " " $4 " " $5 }
     END { print n, last }' err >diaries
same "in a signal handler that interrupts the same: all moments but the one in the making" "0 8 \"in the handler\":" \
    "$status $(sort -u diaries)"
same "each time" 1 $(($(wc -l <diaries) >= 24))
same "with the calls of both" 1 $(($(grep -cE '^      handler \(moments.c' err) > 0))
"$fisql" load -q run.bin
same "nothing kept is lost or told twice" "$kept 1" \
    "$(sql run.db "SELECT sum(state = 'in between'), sum(state = 'in the handler') >= 100 FROM diaries WHERE kind = 'keep'" | tr '|' ' ')"
sound "handlers" run.db
run timeout 120 "$fisql" record -q -o run.bin ./moments threads
same "threads keep while one tells: every text is whole" "0 30" "$status $(grep -c '^fisql: diary of' err)"
same "and nothing but moments and frames is in it" "" "$(grep -vE '^  [0-9]+\. keep [0-9]+: thread [0-9]+, [0-9]+\.[0-9]{6} s ago$|^      (keep_many \(moments.c:[0-9]+\)|.*/moments\+0x[0-9a-f]+ \(.*\))$|^fisql: diary of 0x[0-9a-f]+ in process [0-9]+: ' err)"
"$fisql" load -q run.bin
same "all are in the database" "20000 5000" "$(sql run.db "SELECT count(*), count(DISTINCT state) FROM diaries WHERE kind = 'keep'" | tr '|' ' ')"
run "$fisql" record -q -o run.bin ./moments fork
same "a child has its parent's diary and goes on with its own" '"in the parent" "in the child" "in the parent"' "$(sed -n 's/^  [0-9]*\. keep \(.*\): thread .*/\1/p' err | paste -sd' ')"
run "$fisql" record -q -o run.bin ./moments deep
same "the innermost 23 of 43 calls, and how many are not shown" "keep 21 ... and 20 calls around these" \
    "$(sed -n '3s/^ *\([a-z]*\) .*/\1/p' err) $(($(grep -c '^      deep' err) - 1)) $(sed -n 's/^      \(\.\.\..*\)/\1/p' err)"
run "$fisql" record -q -o run.bin ./moments assert
same "FISQL_ASSERT_OBJECT tells the diary and aborts" "134 1 1" "$status $(grep -c "Assertion \`\*object == 1' failed: it is 0" err) $(grep -c '^  1\. keep "made"' err)"
run ./moments assert
same "without the collector, too" "134 1" "$status $(grep -c "Assertion \`\*object == 1' failed: it is 0" err)"
run "$fisql" record -q -o run.bin ./moments orphan
for _ in $(seq 100); do
    grep -q 'done' out && break
    sleep 0.1
done
same "where fisql record was killed, the program itself tells" "137 1 1" "$status $(grep -c '^  1\. keep "made"' err) $(grep -c '/moments+0x[0-9a-f]* (.*/moments+0x[0-9a-f]*)$' err | sed 's/[2-9]/1/')"

# --- reference counts
build gcc references -g -O1 -I"$here" "$programs/references.c"
run "$fisql" record -q -o run.bin ./references
"$fisql" load -q run.bin
same "refs, unrefs, lives, and the errors made on purpose: as the program counts" "$out" \
    "$(sql run.db "SELECT 'refs ' || sum(refs) || char(10) || 'unrefs ' || sum(unrefs) || char(10) || 'lives ' || count(*) || char(10) ||
        'over ' || (SELECT count(*) FROM object_references WHERE problem = 'given back too often') || char(10) ||
        'late ' || (SELECT count(*) FROM object_references WHERE problem = 'ref after gone') || char(10) ||
        'held ' || sum(held > 0) || char(10) || 'references ' || sum(held) FROM objects")"
same "and no other errors" 2 "$(sql run.db 'SELECT count(*) FROM object_references WHERE problem IS NOT NULL')"
same "the errors with both stacks" "given back too often main => give_too_often => give main => give_too_often => give|ref after gone main => take_late => take main => take_late" \
    "$(sql run.db "SELECT group_concat(problem || ' ' || stack || ' ' || before_stack, '|') FROM reference_errors WHERE problem NOT LIKE 'held%'")"
same "what is held: where it was taken last, and first" "3 main => keep_some => take main => keep_some => make => take" \
    "$(sql run.db "SELECT sum(times) || ' ' || min(stack) || ' ' || min(before_stack) FROM reference_errors WHERE problem LIKE 'held%'")"
same "errors are told while it runs" "FISQL_UNREF of ADDRESS with a count of 0: it is given back more often than it was taken|FISQL_REF of ADDRESS after FISQL_GONE" \
    "$(told err | sed -n 's/^fisql: \(FISQL_.*\)/\1/p' | paste -sd'|')"
at_least "with their stacks" 2 "$(grep -c '^      give (references.c' err)"
sound "references" run.db
run "$fisql" record -q -o run.bin ./references sound
"$fisql" load -q run.bin
same "a sound program of four threads has none" "||$(sed -n 's/^lives //p' <<<"$out")" "$err|$("$fisql" query reference-errors --format csv run.db | tail -n +2)|$(sql run.db 'SELECT count(*) FROM objects')"
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    build $compiler cxx -x c++ -std=c++17 -O1 -g -I"$here" - <<'P'
#include "collector/fisql.h"
enum class State { open = 3 };
struct Door {
    State state{};
    void set(State to) { state = to; FISQL_KEEP(this, to); }
    ~Door() { FISQL_GONE(this); }
};
int main() { Door door; FISQL_REF(&door, 0); FISQL_KEEP(&door, "made"); door.set(State::open); FISQL_UNREF(&door, 1); FISQL_TELL(&door); }
P
    run "$fisql" record -q -o run.bin ./cxx
    "$fisql" load -q run.bin
    same "C++17 with $compiler" 'ref with a count of 0|keep "made"|keep 3|unref with a count of 1|gone' \
        "$(sed -n 's/^  [0-9]*\. \(.*\): thread .*/\1/p' err | paste -sd'|')|$(sql run.db "SELECT group_concat(kind) FROM object_references WHERE kind = 'gone'")"
done

# --- what docs/diaries.md shows
cp "$here/examples/diary.c" "$here/examples/refcount.c" .
CPATH=$here/collector PATH=$FISQL_BUILD:$PATH python3 "$here/tests/e2e/readme.py" "$here/docs/diaries.md"
