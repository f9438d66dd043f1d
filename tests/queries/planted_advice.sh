#!/bin/bash
# Advice has to be right in the build without hooks: the queries on tests/programs/advice.c, recorded at -O0 and
# -O2, against the machine code that the same compiler makes of it at -O2 without them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

# rows NAME COLUMNS OPTION...: the named columns of a query's rows, separated by spaces
rows() {
    local name=$1 columns=$2
    shift 2
    "$fisql" query "$name" run.db --format json "$@" | python3 -c '
import json, sys
for row in json.load(sys.stdin):
    print(*[row[column] for column in sys.argv[1].split(",")])' "$columns"
}
sorted() { LC_ALL=C sort; }

# plain_calls: "caller callee" for each call and tail call by name in ./plain
plain_calls() {
    objdump -d --no-show-raw-insn plain | awk '
        /^[0-9a-f]+ <.*>:$/ { caller = $2; gsub(/[<>:]/, "", caller) }
        $2 ~ /^(call|jmp|bl|b)$/ && $NF ~ /^<[^+]*>$/ { callee = $NF; gsub(/[<>]/, "", callee); print caller, callee }' |
        sed 's/[.][a-z]*[.0-9]*//g' | sorted -u
}

for compiler in gcc clang; do
    "$compiler" -w -O2 -o plain "$programs/advice.c" "$programs/advice_parts.c" || continue
    plain_calls >plain.calls
    same "the build without hooks has some calls and not others ($compiler -O2)" "sum_up far_add" \
        "$(grep -E '^sum_up (far_add|near_)' plain.calls)"
    for level in -O0 -O2; do
        with="$compiler $level"
        build $compiler advice $level -g "$programs/advice.c" "$programs/advice_parts.c" || continue
        "$fisql" record -q ./advice
        "$fisql" load -q run.bin
        rows inline-candidates caller,function -p min_share=0 -p max_self_ns=1e6 >candidates
        # whatever a busy machine adds to a call
        same "inline-candidates: far_add, as it was called 2000 times ($with)" "sum_up far_add 2000 3000" \
            "$(rows inline-candidates caller,function,calls,saved_ns -p min_share=0 -p max_self_ns=1e6 --function far_add)"
        same "inline-candidates: each is called in the build without hooks, too ($with)" "" \
            "$(sorted -u candidates | comm -23 - plain.calls)"
        same "inline-candidates: not what is called through a pointer ($with)" "" "$(grep -E 'first_way|second_way' candidates)"
        same "the call through a pointer is known, the one beside it, too ($with)" "far_proxy 0
first_way 1
second_way 1" "$(sql run.db "SELECT DISTINCT f.name || ' ' || e.indirect FROM edge_details e JOIN functions f ON f.id = e.callee_id
            WHERE f.name IN ('first_way', 'second_way', 'far_proxy') ORDER BY 1")"
        same "who may call each by its name ($with)" "far_add global
near_inline static
near_static static" "$(sql run.db "SELECT name || ' ' || scope FROM functions WHERE name IN ('far_add', 'near_inline', 'near_static') ORDER BY 1")"
        same "what their code may call, taken or not ($with)" "far_add 0
far_checked 2
far_proxy 1" "$(sql run.db "SELECT name || ' ' || call_targets FROM functions WHERE name IN ('far_add', 'far_checked', 'far_proxy') ORDER BY 1")"
        same "whose code calls proxied ($with)" "2" "$(sql run.db "SELECT call_sources FROM functions WHERE name = 'proxied'")"
        same "proxies: far_proxy, not far_checked, which has another way ($with)" "far_proxy proxied 200" \
            "$(rows proxies function,target,calls -p max_size=90 -p max_self_ns=2000)"
        same "repeated-calls: over_items, not the main loop ($with)" "over_items far_item 100 200 20000" \
            "$(rows repeated-calls caller,callee,longest,callee_runs,calls -p min_total_ns=0 -p min_share=0 | grep -vE '^(own|sum_up|main) ')"
        same "single-callee: far_outer and far_inner are one function ($with)" "far_outer far_inner 200 600" \
            "$(rows single-callee function,callee,calls,callee_calls)"
        same "tight-calls: far_item, in over_items ($with)" "far_item over_items" \
            "$(rows tight-calls function,caller -p min_saved=0 -p max_mode_ns=4096 -p min_share=20 --function far_item)"
        same "tight-calls: what the compiler inlines is none ($with)" "" \
            "$(rows tight-calls function -p min_saved=0 -p max_mode_ns=4096 -p min_share=0 | grep near_)"
        same "leaking-calls: keep lost three blocks that far_block made ($with)" "keep 3 309" \
            "$(rows leaking-calls function,lost_blocks,lost_bytes -p min_blocks=0)"
        sound "advice ($with)" run.db
    done
done
