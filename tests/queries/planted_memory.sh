#!/bin/bash
# The queries about memory on tests/programs/heap.cc, where it is known what each must find and what it
# must not: with g++ and clang++, at -O0 and -O2; and wrong frees, which the C library dies of.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

rows() { # NAME COLUMNS OPTION...: the named columns of a query's rows, separated by spaces
    local name=$1 columns=$2
    shift 2
    "$fisql" query "$name" run.db --format json "$@" | python3 -c '
import json, sys
for row in json.load(sys.stdin):
    print(*[row[column] for column in sys.argv[1].split(",")])' "$columns"
}
sorted() { LC_ALL=C sort; }

for compiler in g++ clang++; do
    for level in -O0 -O2; do
        with="$compiler $level"
        build $compiler heap $level -g "$programs/heap.cc" || continue
        "$fisql" record -q ./heap
        "$fisql" load -q run.bin
        same "pool-candidates: one_size, not many_sizes ($with)" "one_size 48 150 150" \
            "$(rows pool-candidates function,sizes,blocks,most_live -p min_saved=0)"
        same "temporary-allocations: temporary, and mismatched ones below its limit ($with)" "temporary 30 100 600" \
            "$(rows temporary-allocations function,temporary,share,bytes -p min_saved=0 -p min_blocks=10 --function temporary)"
        same "temporary-allocations: not what lived long ($with)" "" \
            "$(rows temporary-allocations function -p min_saved=0 | grep -E 'one_size|many_sizes')"
        same "cross-thread-frees: producer's block ($with)" "producer consumer 1 77" \
            "$(rows cross-thread-frees allocated_by,freed_by,blocks,bytes -p min_blocks=1 | grep producer)"
        same "cross-thread-frees: drop frees it, as wrappers=1 says ($with)" "producer drop 1 77" \
            "$(rows cross-thread-frees allocated_by,freed_by,blocks,bytes -p min_blocks=1 -p wrappers=1 | grep producer)"
        same "cross-thread-frees: a block or two are no path ($with)" "" "$(rows cross-thread-frees allocated_by)"
        same "alloc-free-pairs: who frees whose ($with)" "grow grow 7
leak_some (not freed) 3
leak_some leak_some 6
many_sizes drop 120
mismatched mismatched 1
one_size drop 150
peak peak 1
producer drop 1
temporary temporary 30" "$(rows alloc-free-pairs allocated_by,freed_by,blocks -p wrappers=1 2>/dev/null | grep -v '^(outside' | grep -vE '^main |^producer [(]' | sorted)"
        same "block-owners: arena owns one_size's blocks ($with)" "arena one_size 150 100" \
            "$(rows block-owners owner,allocated_by,blocks,share -p min_saved=0 | grep one_size)"
        same "leaking-calls: three of leak_some's nine calls ($with)" "leak_some 3 3000 1000" \
            "$(rows leaking-calls function,leaking_calls,leaked_bytes,worst_bytes -p min_blocks=0 --function leak_some)"
        same "leaking-calls: temporary leaks nothing ($with)" "" "$(rows leaking-calls function -p min_blocks=0 | grep temporary)"
        same "peak-memory: peak held the most ($with)" "5000000 1 peak" "$(rows peak-memory bytes,blocks,function --limit 1)"
        same "memory-timeline: its highest step has the peak ($with)" \
            "$(sql run.db "SELECT value FROM run WHERE key = 'peak_bytes'")" \
            "$(rows memory-timeline max_live_bytes | sort -n | tail -n 1)"
        same "realloc-chains: grow's six ($with)" "grow 1 6 6 8 512" \
            "$(rows realloc-chains function,chains,longest,reallocs,first_size,last_size -p doubling=1 -p min_copied=0)"
        same "realloc-chains: not by default, as it doubled ($with)" "" "$(rows realloc-chains function -p min_copied=0)"
        same "mismatched-frees: new[] freed by free ($with)" "mismatched new[] mismatched free 1" \
            "$(rows mismatched-frees allocated_by,kind,freed_by,free_kind,blocks)"
        same "double-frees: none ($with)" "" "$(rows double-frees function)"
        same "bad-frees: none ($with)" "" "$(rows bad-frees function)"
        same "not-freed: leak_some's ($with)" "3000 3" "$(rows not-freed bytes,blocks --function leak_some)"
        same "coverage: all functions called ($with)" "0 100" "$(rows coverage uncalled,percent)"
        same "thread-functions: two threads called drop ($with)" "2" "$(rows thread-functions thread --function drop | wc -l)"
        same "completeness: nothing is missing ($with)" "" "$(rows completeness what)"
        same "anomalies: none ($with)" "" "$(rows anomalies kind)"
        "$fisql" query not-freed run.db --check >/dev/null 2>&1
        same "--check: status 1 where rows come back ($with)" 1 $?
        "$fisql" query double-frees run.db --check >/dev/null 2>&1
        same "--check: status 0 where none do ($with)" 0 $?
        printf 'leak:leak_some\nleak:pthread_create\nleak:*alloc*\nleak:producer\n' >known.supp
        "$fisql" query not-freed run.db --check --suppressions known.supp --function leak_some >/dev/null 2>&1
        same "--suppressions takes known leaks out ($with)" 0 $?
        sound "heap ($with)" run.db
    done
done

for compiler in gcc clang; do
    for level in -O0 -O2; do
        with="$compiler $level"
        build $compiler wrapped $level -g "$programs/wrapped.c" || continue
        "$fisql" record -q ./wrapped
        "$fisql" load -q run.bin
        same "wrappers: not node_new, which makes one size ($with)" "get get_gently get_or get_zeroed put resize" \
            "$(sql run.db 'SELECT f.name FROM alloc_wrappers w JOIN functions f ON f.id = w.function_id ORDER BY 1' | tr '\n' ' ' | sed 's/ $//')"
        same "alloc-free-pairs: by those who wanted the blocks ($with)" "grow grow 20
grow_again grow_again 10
leaf_list drop_leaves 200
main main 1
node_new drop_nodes 301
texts texts 8" "$(rows alloc-free-pairs allocated_by,freed_by,blocks | sorted)"
        same "allocators: likewise, and without the wrappers ($with)" "drop_leaves freer 0 200
drop_nodes freer 0 301
grow mixed 20 20
grow_again mixed 10 10
leaf_list allocator 200 0
main mixed 1 1
node_new allocator 301 0
texts mixed 8 8" "$(rows allocators function,class,allocs,frees | grep -v ' - ' | sorted)"
        same "pool-candidates: where each is wanted ($with)" "leaf_list 32 200 200
node_new 16 301 301" "$(rows pool-candidates function,sizes,blocks,most_live -p min_saved=0 | sorted)"
        same "pool-candidates: nothing at the wrappers' places ($with)" "" "$(rows pool-candidates function -p min_saved=0 -p wrappers=1 -p max_sizes=1)"
        same "realloc-chains: one row for each that grows blocks ($with)" "grow 19
grow_again 9" "$(rows realloc-chains function,reallocs -p min_copied=0 | sorted)"
        same "realloc-chains: one row for all by the wrapper ($with)" "resize 28" "$(rows realloc-chains function,reallocs -p min_copied=0 -p wrappers=1)"
        sound "wrapped ($with)" run.db
    done
done

for compiler in gcc clang; do
    for level in -O0 -O2; do
        with="$compiler $level"
        build $compiler together $level -g "$programs/together.c" || continue
        "$fisql" record -q ./together
        "$fisql" load -q run.bin
        same "allocators: what one call made, and freed ($with)" "add None None 99.5 list_free
grow 100 grow 100 tree_free
make_batch 100 make_batch None None
new_node None None 75 drain" "$(rows allocators function,made_together,made_in,freed_together,freed_in | grep -E '^(add|grow|make_batch|new_node) ' | sed 's/\.0 / /g' | sorted)"
        same "allocators: which call freed them ($with)" "$(sql run.db "SELECT first_call_id FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'list_free'")" \
            "$(rows allocators function,freeing_call | sed -n 's/^add //p')"
        same "cross-thread-frees: the share that one call freed ($with)" "new_node drain 60 75 drain" \
            "$(rows cross-thread-frees allocated_by,freed_by,blocks,freed_together,freed_in | sed 's/\.0 / /g')"
        same "cross-thread-frees: that call ($with)" "$(sql run.db "SELECT max(first_call_id, slowest_call_id, (SELECT max(c.id) FROM calls c
            JOIN frames fr ON fr.id = c.frame_id WHERE fr.function_id = f.id)) FROM function_stats s JOIN functions f ON f.id = s.function_id
            WHERE f.name = 'drain'")" "$(rows cross-thread-frees freeing_call)"
        sound "together ($with)" run.db
        same "together: rollups are what SQL takes out ($with)" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/rollups.sql")"
    done
done

build gcc badfree -O0 -g "$programs/badfree.c"
"$fisql" record -q ./badfree >/dev/null 2>&1
"$fisql" load -q run.bin
same "double-frees: where it was allocated, freed, and freed again" "free_it allocate_them free_it 100" \
    "$(rows double-frees function,allocated_by,first_freed_by,size)"
same "double-frees: in which calls each was" "main => free_it main => free_it main => allocate_them" \
    "$(rows double-frees stack,first_stack,alloc_stack)"
sed 's|^        free_it(first);|        free_it(second + 16);|' "$programs/badfree.c" >inside.c
build gcc inside -O0 -g inside.c
"$fisql" record -q ./inside >/dev/null 2>&1
"$fisql" load -q run.bin
same "bad-frees: inside a block, with the offset" "free_it inside 16 200 allocate_them" \
    "$(rows bad-frees function,error,offset,size,allocated_by)"
same "bad-frees: in which calls" "main => free_it main => allocate_them" "$(rows bad-frees stack,alloc_stack)"
