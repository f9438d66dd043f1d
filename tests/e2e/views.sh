#!/bin/bash
# fisql info, stack, tree and trace.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

cat > work.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static volatile int sink;
static void leaf(void) { sink++; }
static void twice(void) { leaf(); leaf(); }
static void *keep(void) { return malloc(100); }
static void deep(int n) { if (n > 0) deep(n - 1); else leaf(); }
static void *thread(void *unused) { pthread_setname_np(pthread_self(), "helper"); twice(); return unused; }
int main(void)
{
    pthread_t other;
    free(keep());
    twice();
    deep(300);
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    return 0;
}
C
build gcc work -O0 -g -D_GNU_SOURCE work.c
"$fisql" record -q ./work
"$fisql" load -q run.bin

run "$fisql" info
same "info: exit status 0" 0 "$status"
has "info: the command" "command        ./work" "$out"
has "info: how it ended" "exit status 0" "$out"
has "info: its threads" "helper: 4 calls" "$out"
has "info: calls" "calls          $(sql run.db 'SELECT count(*) FROM calls')" "$out"
has "info: it is complete" "complete       yes" "$out"

# One rule for all views: what is called duration_ns is adjusted, what is raw says so.
same "call_details: duration_ns has no hooks in it, and equals what statistics are made of" "0 1" "$(sql run.db "
    SELECT sum(d.duration_ns - coalesce((SELECT sum(g.wait_ns + g.preempted_ns) FROM gaps g
                                         WHERE g.call_id BETWEEN d.id AND d.id + d.descendants), 0) <> t.cpu_ns)
           || ' ' || (sum(d.duration_ns < d.raw_duration_ns) > 0)
    FROM call_details d JOIN call_times t ON t.id = d.id")"
same "call_details: raw_duration_ns is the table's" 0 \
    "$(sql run.db 'SELECT count(*) FROM call_details d JOIN calls c ON c.id = d.id WHERE d.raw_duration_ns <> c.duration_ns')"

leaf=$(sql run.db "SELECT max(id) FROM call_details WHERE function = 'leaf' AND thread_id = 2")
run "$fisql" stack "$leaf"
same "stack: the call, its caller, and so on" "leaf twice thread" \
    "$(printf '%s\n' "$out" | sed -n 's/^#[0-9]* *\([a-z]*\) .*/\1/p' | tr '\n' ' ' | sed 's/ $//')"
has "stack: where it was called from" "called from work.c:5" "$out"
deepest=$(sql run.db 'SELECT id FROM calls ORDER BY depth DESC LIMIT 1')
run "$fisql" stack "$deepest"
same "stack: a deep one is cut in the middle" "201 103" \
    "$(printf '%s\n' "$out" | grep -c '^[#.]') $(printf '%s\n' "$out" | sed -n 's/^[.]* *\([0-9]*\) calls left out.*/\1/p')"
run "$fisql" stack --all "$deepest"
same "stack: --all shows it whole, recursion not folded" 303 "$(printf '%s\n' "$out" | grep -c '^#')"
run "$fisql" stack 999999
same "stack: an unknown id" "2 fisql: run.db: there is no call 999999: ids go from 1 to $(sql run.db 'SELECT max(id) FROM calls')" "$status $err"
run "$fisql" stack x
same "stack: no id" 2 "$status"

# names COMMAND...: the functions that a tree or trace shows, indented by two blanks a level
names() { "$@" 2>/dev/null | sed -nE 's/^(.{53}|.{46})//; s/  work\.c:.*//p' | sed -E 's/[│├└─]+/ /g'; }
run "$fisql" tree --min-percent 0 --sort calls
has "tree: a function under its caller" "└─ " "$out"
same "tree: contexts, merged by function" "deep keep leaf leaf leaf main thread twice twice" \
    "$(printf '%s\n' "$out" | sed -n 's/.* \([a-z]*\)  work\.c:.*/\1/p' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
run "$fisql" tree --from twice --min-percent 0 --sort calls
same "tree: --from merges a function's contexts" "twice 2
leaf 4" "$(printf '%s\n' "$out" | sed -nE 's/^ *~?[0-9.]+ [a-z]* +[0-9.]+% +~?[0-9.]+ [a-z]* +([0-9]+) .* ([a-z]+)  work\.c.*/\2 \1/p')"
run "$fisql" tree --depth 1 --min-percent 0
same "tree: --depth" "main thread" "$(printf '%s\n' "$out" | sed -n 's/.* \([a-z]*\)  work\.c:.*/\1/p' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')"
run "$fisql" tree --sort bytes
has "tree: --sort bytes shows who allocated" "keep" "$out"
run "$fisql" tree --from twce
has "tree: an unknown function" "did you mean twice?" "$err"

run "$fisql" trace
same "trace: a line a call" "$(sql run.db 'SELECT count(*) FROM calls')" "$(printf '%s\n' "$out" | grep -c '  work\.c:')"
has "trace: allocations under their call" "+ malloc 100 B, freed after" "$out"
same "trace: in the order of time" "" "$(printf '%s\n' "$out" | awk '{ if ($1 < last) print; last = $1 }')"
run "$fisql" trace --thread helper --no-allocs
same "trace: --thread, indented" "thread
  twice
    leaf
    leaf" "$(printf '%s\n' "$out" | sed -nE 's/^.*helper {11}(.*)  work\.c:.*/\1/p')"
# Pieces by a call: what it made, at any depth; its place among its callers and its own callees.
for id in $(sql run.db "SELECT id FROM calls WHERE descendants > 0 ORDER BY descendants DESC LIMIT 3") $(sql run.db "SELECT max(id) FROM calls"); do
    same "trace --within $id" "$(sql run.db "SELECT 1 + descendants FROM calls WHERE id = $id")" \
        "$("$fisql" trace --within "$id" --no-allocs | grep -c '  work\.c:')"
    same "trace --call $id" "$(sql run.db "SELECT depth + 1 + (SELECT count(*) FROM calls k WHERE k.parent_id = c.id) FROM calls c WHERE id = $id")" \
        "$("$fisql" trace --call "$id" --no-allocs | grep -c '  work\.c:')"
    same "trace --call $id: as long as in the whole trace" "" \
        "$(LC_ALL=C comm -13 <("$fisql" trace --no-allocs | LC_ALL=C sort) <("$fisql" trace --call "$id" --no-allocs | LC_ALL=C sort))"
    same "export --within $id" "$(sql run.db "SELECT 1 + descendants FROM calls WHERE id = $id")" \
        "$("$fisql" export --format folded --weight calls --within "$id" | awk '{ n += $NF } END { print n }')"
done
run "$fisql" trace --within 999999999
has "trace --within: a call that is not there" "--within 999999999: there is no such call: their ids are 1 to $(sql run.db "SELECT max(id) FROM calls")" "$err"
run "$fisql" trace --call 1x
has "trace --call: no id" "--call 1x: wants a call's id" "$err"
run "$fisql" trace --function deep --depth 3 --no-allocs
same "trace: --function and --depth" 3 "$(printf '%s\n' "$out" | grep -c deep)"
run "$fisql" trace --limit 2
same "trace: --limit" "2 fisql: stopped after 2 calls (--limit)" "$(printf '%s\n' "$out" | grep -c '  work\.c:') $err"
since=$(sql run.db "SELECT min(enter_ns) FROM calls WHERE thread_id = 2")
run "$fisql" trace --since "${since}ns" --no-allocs
same "trace: --since" "$(sql run.db "SELECT count(*) FROM calls WHERE enter_ns + duration_ns > $since")" "$(printf '%s\n' "$out" | grep -c '  work\.c:')"
lacks "trace: no colour in a pipe" "$(printf '\033')" "$out"
run "$fisql" trace --color always --limit 1
has "trace: --color always" "$(printf '\033[1m')" "$out"
run script -qec "PAGER='sed s/^/paged/' '$fisql' trace --limit 3" /dev/null
has "trace: through \$PAGER on a terminal" "paged" "$out"
run "$fisql" trace --since soon
same "trace: a wrong time" "2 fisql: --since soon: wants a time such as 1500ns, 10us, 2.5s" "$status $err"
run sh -c "'$fisql' trace >/dev/full"
same "trace: a full disk" 2 "$status"

"$fisql" load -q --calls=none -o summary.db run.bin
mv run.bin away.bin
run "$fisql" trace summary.db
has "trace: a database without calls says what is missing" "load the log with --calls=all" "$err"
mv away.bin run.bin
run "$fisql" tree summary.db
same "tree: needs no calls" 0 "$status"
run "$fisql" info summary.db
has "info: says that the calls are not there" "without rows of calls" "$out"

small_database hostile.db
sqlite3 hostile.db "UPDATE functions SET name = 'x' || char(27) || '[31m' || char(10) || 'y' WHERE id = 3; UPDATE threads SET name = char(27) || 'z'"
for command in tree trace info "stack 3"; do
    # shellcheck disable=SC2086 # words
    run "$fisql" $command hostile.db
    lacks "$command: control characters are escaped" "$(printf '\033')" "$out$err"
done

# On a terminal the output goes through $PAGER; without such a program it is shown all the same.
terminal() { # pager, command...
    # shellcheck disable=SC2016 # the inner shell expands
    PAGER=$1 NO_COLOR=1 COMMAND="$2" script -qec '$COMMAND' /dev/null </dev/null 2>&1 | tr -d '\r'
}
pages="$fisql tree run.db"
has "the pager gets the output" "paged: 1" "$(terminal "grep -c main | sed 's/^[1-9].*/paged: 1/'" "$pages")"
has "a pager that is missing loses nothing" "main" "$(terminal no_such_pager "$pages")"
