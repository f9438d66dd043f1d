#!/bin/bash
# fisql diff on two versions of tests/programs/versions.c, where it is known what differs.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

for compiler in gcc clang; do
    build $compiler a -O1 -g "$programs/versions.c" && "$fisql" record -q -o a.bin ./a && "$fisql" load -q a.bin
    "$fisql" record -q -o again.bin ./a && "$fisql" load -q again.bin
    build $compiler b -O1 -g -DB "$programs/versions.c" && "$fisql" record -q -o b.bin ./b && "$fisql" load -q b.bin

    same "what changed ($compiler)" "added new
called_more called more
grabs allocates more
removed gone
slowed slower" "$("$fisql" diff a.db b.db --format json | python3 -c '
import json, sys
for row in json.load(sys.stdin): # of the functions not meant to differ in time, some may do so by chance
    changes = [c for c in row["change"].split(", ") if row["function"] == "slowed" or c not in ("slower", "faster")]
    if changes: print(row["function"], ", ".join(changes))' | LC_ALL=C sort)"
    # Times may really differ from run to run (page faults, another core); counts must not.
    same "the same program twice: nothing ($compiler)" "" \
        "$("$fisql" diff a.db again.db --format csv 2>/dev/null | grep -E 'new|gone|called|allocates')"
    same "the other way round ($compiler)" "slowed faster" \
        "$("$fisql" diff b.db a.db --format csv | tr -d '\r' | awk -F, '$1 == "slowed" { print $1, $3 }')"
    has "--all shows what did not change ($compiler)" "steady" "$("$fisql" diff a.db again.db --all)"
    run "$fisql" diff --first-divergence a.db b.db
    same "--first-divergence: status ($compiler)" 0 "$status"
    has "--first-divergence: in the first thread ($compiler)" "the first 602 calls are the same, then
  a.db: calls removed" "$out"
    has "--first-divergence: with both stacks ($compiler)" "b.db: calls added" "$out"
    has "--first-divergence: in the second thread ($compiler)" "thread second: the first 6 calls are the same, then
  a.db: makes no more calls" "$out"
    run "$fisql" diff --first-divergence --thread second a.db b.db
    lacks "--first-divergence --thread: only that one ($compiler)" "removed" "$out"
    run "$fisql" diff --first-divergence a.db again.db
    has "--first-divergence: none in the same program ($compiler)" ": the same 603 calls" "$out"
    tree=$("$fisql" diff --tree a.db b.db)
    has "--tree: what is new ($compiler)" "added" "$(grep '^+' <<<"$tree")"
    has "--tree: what is gone ($compiler)" "removed" "$(grep '^-' <<<"$tree")"
    has "--tree: what is called more ($compiler)" "called_more" "$(grep '^!' <<<"$tree")"
    lacks "--tree: not what is the same ($compiler)" "steady" "$tree"
done

run "$fisql" diff a.db b.db --check 'calls>+1%' --check 'alloc_bytes>+90%' --check 'called_more:calls>6'
same "--check: status 1 where budgets are broken" 1 "$status"
same "--check: which" "broken: alloc_bytes>+90%
broken: called_more:calls>6: 5 -> 7 (+40.0%)" "$(sed 's/^\(broken: alloc[^:]*\):.*/\1/' <<<"$out")"
run "$fisql" diff a.db b.db --check 'calls>+100' --check 'functions<1' --check 'not_freed_blocks>+0'
same "--check: status 0 where they are kept" "0 " "$status $out"
for db in a b; do # times as they are wanted: measured ones depend on what else runs
    cp $db.db mean_$db.db
    sql mean_$db.db "UPDATE function_stats SET mean_ns = $([ $db = a ] && echo 1000 || echo 2500)
                     WHERE function_id = (SELECT id FROM functions WHERE name = 'slowed')"
done
run "$fisql" diff mean_a.db mean_b.db --check 'slowed:mean_ns>+100%'
same "--check: a function's mean" 1 "$status"
run "$fisql" diff mean_a.db mean_b.db --check 'slowed:mean_ns>+200%'
same "--check: a function's mean, within its budget" 0 "$status"
run "$fisql" diff a.db b.db --check 'cals>+1'
same "--check: an unknown metric" "2 fisql: --check 'cals>+1': there is no metric cals of a run; did you mean calls" "$status $err"
run "$fisql" diff a.db b.db --check 'calls+1'
same "--check: nonsense" 2 "$status"
run "$fisql" diff a.db b.db --check 'nobody:calls>1'
same "--check: an unknown function" "2 fisql: --check 'nobody:calls>1': neither run called a function nobody" "$status $err"

# A renamed file is matched by the functions' names.
mkdir other && cp "$programs/versions.c" other/renamed.c && sed "s|#include \"count.h\"||" -i other/renamed.c
build gcc renamed -O1 -g other/renamed.c && "$fisql" record -q -o renamed.bin ./renamed && "$fisql" load -q renamed.bin
build gcc a -O1 -g "$programs/versions.c" && "$fisql" record -q -o a.bin ./a && "$fisql" load -q a.bin
same "a renamed file: nothing is new or gone" "" "$("$fisql" diff a.db renamed.db --format csv 2>/dev/null | sed 1d | grep -E 'new|gone')"

run "$fisql" diff a.db
same "one database: status 2" 2 "$status"
run "$fisql" diff a.db missing.db
same "a missing database: status 2" 2 "$status"
sqlite3 foreign.db 'CREATE TABLE t(x)'
run "$fisql" diff a.db foreign.db
has "a foreign database" "foreign.db: is not a fisql database" "$err"
"$fisql" load -q --summary -o summary.db b.bin
run "$fisql" diff a.db summary.db
same "databases without calls compare" 0 "$status"
mv b.bin away.bin
run "$fisql" diff --first-divergence a.db summary.db
has "--first-divergence needs calls" "load the log with --calls=all" "$err"
mv away.bin b.bin
small_database hostile.db
sqlite3 hostile.db "UPDATE functions SET name = 'x' || char(27) || '[31m' WHERE id = 3"
for how in "" --tree --first-divergence; do
    # shellcheck disable=SC2086 # none or one
    run "$fisql" diff $how a.db hostile.db
    lacks "control characters are escaped ($how)" "$(printf '\033')" "$out$err"
done

# The first call whose arguments or result differ: addresses do by themselves.
cat >valued.sql <<'S'
.read tests/fixtures/values.sql
INSERT INTO f(id, name) VALUES (2, 'parse'), (3, 'next'), (4, 'eval'), (5, 'other');
INSERT INTO p VALUES (2, 1, 'text', 'const char *', 'text', NULL, 0), (2, 2, 'out', 'struct out *', 'pointer', NULL, 0),
  (2, 3, 'range', 'struct range', 'struct', NULL, 0), (2, 0, NULL, 'int', 'signed', NULL, 0), (3, 0, NULL, 'int', 'signed', NULL, 0),
  (4, 1, 'n', 'int', 'signed', NULL, 0);
INSERT INTO c(id, parent_id, function_id, site_id, v0, v1, v2, v3) VALUES
  (2, 1, 2, 1, 7, 'at 0x1', 4096, '{a = 0x10, b = 2}'), (3, 2, 3, 2, 40, NULL, NULL, NULL), (4, 2, 3, 2, 41, NULL, NULL, NULL),
  (5, 1, 4, 3, NULL, 7, NULL, NULL), (6, 1, 5, 3, NULL, NULL, NULL, NULL);
S
valued() { # DATABASE SED
    (cd "$here" && sed "$2" "$TEST_TMP/valued.sql" | cat schema.sql - tests/fixtures/values_made.sql | sqlite3 -bail "$TEST_TMP/$1")
}
parts() { "$fisql" diff --first-divergence left.db "$1"; }
valued left.db ''
valued addresses.db 's/ 4096,/ 8192,/; s/a = 0x10,/a = 0x3f0,/; s/40, NULL/NULL, NULL/'
same "values: addresses are the same, and what is not known" "thread shop: the same 6 calls" "$(parts addresses.db)"
valued text.db "s/'at 0x1'/'at 0x2'/"
has "values: a text, though it looks like an address" 'text.db: parse(text="at 0x2", ' "$(parts text.db)"
valued struct.db "s/b = 2/b = 3/"
has "values: a struct's member" "the first with another argument" "$(parts struct.db)"
valued null.db 's/ 4096,/ 0,/'
has "values: NULL is no address" "out=NULL" "$(parts null.db)"
valued right.db 's/(4, 2, 3, 2, 41/(4, 2, 3, 2, 42/; s/2, 1, 7,/2, 1, 9,/; s/NULL, 7, NULL/NULL, 8, NULL/; s/(6, 1, 5/(6, 1, 4/'
same "values: results when calls end, arguments when they begin" "thread shop: the first 5 calls are the same, then
  left.db: calls other (main.c:50), call 6, at 6.00 us
      in main (main.c:10), call 1, at 1.00 us
  right.db: calls eval(n=?) (main.c:40), call 6, at 6.00 us
      in main (main.c:10), call 1, at 1.00 us
  and of these the first with another argument or result:
  left.db: next() = 41 (main.c:30), call 4, at 4.00 us
      in parse(text=\"at 0x1\", out=0x1000, range={a = 0x10, b = 2}) = 7 (main.c:20), call 2, at 2.00 us
      in main (main.c:10), call 1, at 1.00 us
  right.db: next() = 42 (main.c:30), call 4, at 4.00 us
      in parse(text=\"at 0x1\", out=0x1000, range={a = 0x10, b = 2}) = 9 (main.c:20), call 2, at 2.00 us
      in main (main.c:10), call 1, at 1.00 us" "$(parts right.db)"
valued outer.db 's/2, 1, 7,/2, 1, 9,/'
has "values: an outer call's result" "outer.db: parse(text=\"at 0x1\", out=0x1000, range={a = 0x10, b = 2}) = 9" "$(parts outer.db)"
