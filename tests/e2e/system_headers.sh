#!/bin/bash
# `fisql cc` leaves functions of system headers without hooks, with gcc and with clang, and own functions with them: their
# counts are the same as with --system-headers, and those that the program itself makes.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
mkdir tmp
export TMPDIR=$PWD/tmp

# Calls of functions whose source lies under /usr, and those of all others, by the short name's last part.
system_calls() {
    sql "$1" "SELECT coalesce(sum(s.calls), 0) FROM function_stats s JOIN functions f ON f.id = s.function_id
              JOIN files ON files.id = f.file_id WHERE files.path LIKE '/usr/%'"
}
own_calls() {
    sql "$1" "SELECT f.line || ' ' || sum(s.calls) FROM function_stats s JOIN functions f ON f.id = s.function_id
              JOIN files ON files.id = f.file_id WHERE files.path LIKE '%/system_headers.cc' GROUP BY f.line ORDER BY 1"
}

for compiler in g++ clang++; do
    flags="-O2 -std=c++17"
    what="$compiler $flags"
    cc_options=--system-headers
    # shellcheck disable=SC2086 # lists of flags
    build $compiler all $flags "$programs/system_headers.cc"
    cc_options=
    # shellcheck disable=SC2086
    build $compiler own $flags "$programs/system_headers.cc"
    "$fisql" record -q -o all.bin ./all >/dev/null && "$fisql" load -q all.bin
    "$fisql" record -q -o own.bin ./own >out.txt && "$fisql" load -q own.bin
    at_least "$what: with --system-headers there are calls of std" 1000 "$(system_calls all.db)"
    same "$what: without there are none" 0 "$(system_calls own.db)"
    same "$what: own functions are recorded as before" "$(own_calls all.db)" "$(own_calls own.db)"
    # Folded, the run with them is the run without: counts, stacks and memory of own functions.
    for ask in "SELECT f.line AS line, sum(s.calls), sum(s.allocs), sum(s.alloc_bytes), sum(s.frees), sum(s.free_bytes)
                FROM function_stats s JOIN functions f ON f.id = s.function_id GROUP BY f.line ORDER BY 1" \
        "SELECT f.line AS callee, g.line AS caller, sum(e.calls)
         FROM edges e JOIN functions f ON f.id = e.callee_id LEFT JOIN functions g ON g.id = e.caller_id
         GROUP BY 1, 2 ORDER BY 1, 2" \
        "WITH RECURSIVE lines(id, text) AS (
            SELECT fr.id, '' || f.line FROM frames fr JOIN functions f ON f.id = fr.function_id WHERE fr.parent_id IS NULL
            UNION ALL SELECT fr.id, text || '.' || f.line FROM lines JOIN frames fr ON fr.parent_id = lines.id
                      JOIN functions f ON f.id = fr.function_id)
         SELECT text AS stack, sum(fr.calls), sum(fr.allocs) FROM lines JOIN frames fr ON fr.id = lines.id GROUP BY text ORDER BY 1"; do
        echo "$ask" >ask.sql
        same "$what: folded as not recorded: $(echo "$ask" | grep -oE 'SELECT [a-z.]+ AS [a-z]+' | tail -n 1)" \
            "$("$fisql" query --format csv --file ask.sql own.db)" "$("$fisql" query --format csv --file ask.sql all.db)"
    done
    for ask in "sum(self_ns) AS self, sum(raw_self_ns), sum(allocs), sum(alloc_bytes), sum(frees) FROM frames" \
        "sum(raw_self_ns) AS raw, sum(allocs), sum(alloc_bytes), sum(frees) FROM function_stats" \
        "sum(raw_self_ns) AS edges FROM edges" \
        "sum(raw_self_ns) AS threads FROM thread_functions" \
        "sum(blocks) AS blocks, sum(bytes) FROM alloc_stacks JOIN frames ON frames.id = frame_id"; do
        echo "SELECT $ask" >ask.sql
        same "$what: folding keeps sums: ${ask##* AS }" "$("$fisql" query --all-code --format csv --file ask.sql all.db)" \
            "$("$fisql" query --format csv --file ask.sql all.db)"
    done
    # An allocation's place is the first own line of what was inlined there, as addr2line tells it.
    while IFS='|' read -r id address line; do
        wanted=$(addr2line -i -e own "$(printf '0x%x' $((address - 1)))" |
            sed 's/ (discriminator.*//' | grep -v '/usr/' | head -n 1 | sed 's/.*://')
        [ -z "$wanted" ] || echo "$id $line $wanted"
    done < <(sql own.db "SELECT s.id, s.address, s.line FROM sites s JOIN modules m ON m.id = s.module_id
                         WHERE m.name = 'own' AND s.id IN (SELECT site_id FROM alloc_stacks)") >places.txt
    at_least "$what: allocations with lines" 1 "$(grep -c . places.txt)"
    same "$what: an allocation's line is the first own one" "" "$(awk '$2 != $3' places.txt)"
    # Where std's template has code of its own, which has no hooks: the call in own code that led there, 6 and 69 times by
    # how vectors grow; the template's name, where more than one may have.
    place="SELECT sum(a.blocks) FROM alloc_stacks a JOIN site_details s ON s.id = a.site_id WHERE s.location"
    same "$what: an allocation in std's code is booked to the call of it" "6 69" \
        "$(sql own.db "$place = 'system_headers.cc:33'") $(sql own.db "$place = 'system_headers.cc:35'")"
    # Of code without hooks that ends in a jump to other such code: there is more than one way.
    mkdir -p include/c++/99
    cat >include/c++/99/ways.h <<'H'
#include <cstddef>
#include <new>
#define PLAIN __attribute__((noinline, no_instrument_function)) inline
PLAIN void *one(std::size_t n) { return ::operator new(n); }
PLAIN void *two(std::size_t n) { void *block = ::operator new(n); __asm__ volatile(""); return block; }
PLAIN void *jumps(std::size_t n) { return two(n + 1); }
H
    cat >ways.cc <<'C'
#include "include/c++/99/ways.h"
int main(int argc, char **)
{
    void *blocks[] = {
        one(10u * argc),
        two(20u * argc),
        jumps(30u * argc),
    };
    for (void *block : blocks)
        ::operator delete(block);
}
C
    build $compiler ways -O2 -g ways.cc
    "$fisql" record -q -o ways.bin ./ways && "$fisql" load -q ways.bin
    same "$what: a jump is a way, too" "10 ways.cc:5|20 in two|31 in two" "$(sql ways.db "SELECT group_concat(text, '|') FROM
        (SELECT a.size || ' ' || s.location AS text FROM allocs a JOIN site_details s ON s.id = a.site_id WHERE a.kind = 'new' ORDER BY a.id)")"
    same "$what: none to a line of std" "" "$(sql own.db "SELECT s.location FROM alloc_stacks a
        JOIN site_details s ON s.id = a.site_id WHERE s.file LIKE '/usr/include/%'")"
    same "$what: as the program counts them" "$(cat out.txt)" "$(sql own.db "
        WITH named AS (SELECT CASE f.line WHEN 17 THEN 'copy' WHEN 24 THEN 'twice' WHEN 30 THEN 'add'
                                          WHEN 46 THEN 'compare' END AS name, s.calls
                       FROM function_stats s JOIN functions f ON f.id = s.function_id)
        SELECT name || ' ' || sum(calls) FROM named WHERE name IS NOT NULL GROUP BY name ORDER BY name")"
done

# Every table of contexts is folded. A gap in each context: folded it is in the nearest own function around it.
cat >ask.sql <<'Q'
SELECT m.name FROM main.sqlite_schema m
WHERE m.type = 'table' AND EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name, 'main') WHERE name GLOB '*frame_id')
      AND NOT EXISTS (SELECT 1 FROM temp.sqlite_schema t WHERE t.name = m.name)
Q
same "folded: every table with a context" "" "$("$fisql" query --format csv --file ask.sql all.db 2>/dev/null | sed 1d)"
cp all.db gaps.db
sql gaps.db "DELETE FROM gaps; INSERT INTO gaps(thread_id, frame_id, start_ns, wall_ns, wait_ns, preempted_ns)
             SELECT 1, id, id, 1, 1, 0 FROM frames"
cat >ask.sql <<'Q'
SELECT g.start_ns, coalesce(f.linkage_name, f.name) AS name FROM gaps g JOIN frames fr ON fr.id = g.frame_id
       JOIN functions f ON f.id = fr.function_id ORDER BY 1
Q
"$fisql" query --format csv --limit 0 --file ask.sql gaps.db 2>/dev/null | tr -d '\r' | sed 1d >folded.csv
sql gaps.db "WITH RECURSIVE around(id, own, up, name) AS (
        SELECT fr.id, f.own, fr.parent_id, coalesce(f.linkage_name, f.name) FROM frames fr JOIN functions f ON f.id = fr.function_id
        UNION ALL
        SELECT a.id, f.own, fr.parent_id, coalesce(f.linkage_name, f.name)
        FROM around a JOIN frames fr ON fr.id = a.up JOIN functions f ON f.id = fr.function_id WHERE a.own = 0)
    SELECT id || ',' || name FROM around WHERE own ORDER BY id" >own.csv
same "folded: what a context waited is its own caller's" "" "$(LC_ALL=C comm -13 <(LC_ALL=C sort folded.csv) <(LC_ALL=C sort own.csv))"
at_least "folded: such contexts" 20 "$(wc -l <own.csv)"

# Who asks for such a function by name gets it; the tree folds, too; load says what fills the log.
rows_of() { "$fisql" "$@" all.db 2>said.txt | grep -c 'stl_[a-z]*\.h:'; } # rows of functions of std
same "a query: no functions of std" 0 "$(rows_of query hot-functions)"
has "a query: says so" "--all-code" "$(cat said.txt)"
at_least "a query: with --all-code" 10 "$(rows_of query hot-functions --all-code)"
same "what threads called: no functions of std" 0 "$(rows_of query thread-functions)"
at_least "what threads called: with --all-code" 10 "$(rows_of query thread-functions --all-code)"
at_least "a query: asked by name" 1 "$(rows_of query hot-functions --function "std::vector*")"
same "the tree: no functions of std" 0 "$(rows_of tree --min-percent 0)"
at_least "the tree: with --all-code" 10 "$(rows_of tree --min-percent 0 --all-code)"
# The digest as the queries; what is never called is of own functions, too.
run "$fisql" digest all.db
same "the digest: no functions of std" "0 " "$(grep -c 'stl_[a-z]*\.h:' <<<"$out") $(grep -o ' (.*/include.*' <<<"$out")"
same "the digest: the dead code of the run without" "$("$fisql" digest own.db 2>/dev/null | grep '^Dead code')" "$(grep '^Dead code' <<<"$out")"
if page_built "the report: findings on own code"; then
    "$fisql" report all.db -o all.html 2>/dev/null
    "$fisql" report own.db -o own.html
    for page in all own; do # functions that findings are about
        python3 - $page.html <<'P' >$page.findings
import json, re, sys
data = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', open(sys.argv[1]).read(), re.S)[1])
names = {str(row.get("location", "")) for finding in (data["data"] if "data" in data else data)["findings"] for row in finding["rows"]}
print(*sorted(name for name in names if re.match(r"[a-z_]+\.(h|cc|tcc)?:", name)), sep="\n")
P
    done
    at_least "the report: findings name functions" 3 "$(grep -c system_headers.cc all.findings)"
    same "the report: findings of no functions of std" 0 "$(grep -vc system_headers.cc all.findings)"
fi
same "the tree: nothing to fold, nothing said" "" "$("$fisql" tree own.db 2>&1 >/dev/null)"
for query in $("$fisql" query --names); do
    run "$fisql" query "$query" --all-blocks --format csv all.db
    [[ $query = not-freed || $query = alloc-free-pairs ]] || run "$fisql" query "$query" --format csv all.db
    case $err in
        *": no arguments or results were recorded; "* | *": no calls were made to fail; "* | *": no locks were recorded; "*) err= ;;
        *": no library calls were recorded; "* | *": it is no campaign's database; "* | *": the program kept no diaries "* | *": the program recorded no reference counts"*) err= ;;
    esac
    [ "$status $err" = "0 " ] || not_ok "$query: runs on own code: $err"
done
ok "all queries run on own code"
run "$fisql" load all.bin
has "load: how many calls are of the system" "% of the calls are of system headers' functions" "$err"
has "load: what helps" "fisql cc" "$err"
run "$fisql" load own.bin
lacks "load: none, nothing said" "system headers" "$err"

# The code that clang makes in two steps is that of one.
cat >plain.c <<'C'
static int twice(int n) { return 2 * n; }
int plain(int n) { return twice(n) + 1; }
C
"$fisql" cc clang -O2 -c plain.c -o two.o && clang -finstrument-functions -g -O2 -c plain.c -o one.o
same "clang: the same code as without fisql cc" "$(objdump -d one.o | tail -n +4)" "$(objdump -d two.o | tail -n +4)"

# As a build calls it: dependencies, standard input, response files, several sources, assembly, errors.
echo 'int main(void) { return 0; }' >empty.c
echo 'int broken(' >broken.c
for compiler in gcc clang; do
    rm -f ./*.o ./*.d
    "$fisql" cc $compiler -c plain.c -MMD
    same "$compiler: its file of dependencies" "plain.o: plain.c" "$(cat plain.d)"
    "$fisql" cc $compiler -c -x c - -o stdin.o <plain.c
    same "$compiler: from standard input" "plain twice" "$(nm stdin.o | awk '/ [Tt] / { print $3 }' | sort | xargs)"
    echo "-c plain.c -o 'a b.o'" >words
    "$fisql" cc $compiler @words
    report $? "$compiler: a response file"
    "$fisql" cc $compiler plain.c empty.c -o several && ./several
    same "$compiler: several sources, compiled and linked" 0 $?
    "$fisql" cc $compiler -S plain.c -o plain.s && grep -q __cyg_profile_func_enter plain.s
    report $? "$compiler: assembly"
    "$fisql" cc $compiler -flto -c plain.c -o lto.o && "$fisql" cc $compiler -flto -c empty.c &&
        { [ $compiler = clang ] && ! command -v ld.lld >/dev/null || "$fisql" cc $compiler -flto lto.o empty.o -o lto; }
    report $? "$compiler: link-time optimisation"
    run "$fisql" cc $compiler -c broken.c
    same "$compiler: an error is one" 1 "$status"
    has "$compiler: and is said" "broken.c:1" "$err"
    run "$fisql" cc $compiler -Wall -c empty.c -lm
    [ $compiler = gcc ] || has "$compiler: warnings of the driver are shown" "-lm" "$err"
    run "$fisql" cc $compiler -E empty.c
    has "$compiler: only preprocessed" "int main(void)" "$out"
done
same "nothing is left in the folder for temporary files" "" "$(ls "$TMPDIR")"

# gcc matches parts of paths: a project below a folder of such a name is not taken for the system.
root=$TEST_TMP/root/usr/include
mkdir -p "$root"
echo 'static inline int inner(int n) { return n + 1; }' >"$root/inner.h"
printf '#include <inner.h>\nint main(void) { return inner(-1); }\n' >"$root/outer.c"
for compiler in gcc clang; do
    for from in "$root/outer.c -I$root" "root/usr/include/outer.c -I root/usr/include" "-I$TEST_TMP/root/usr/include $root/outer.c"; do
        # shellcheck disable=SC2086 # a list
        "$fisql" cc $compiler -O1 $from -o outer && "$fisql" record -q -o run.bin ./outer && "$fisql" load -q run.bin
        same "$compiler: a project in .../usr/include is recorded: $from" "inner 1
main 1" "$(counts run.db)"
    done
done
