#!/bin/bash
# call-order on tests/programs/order.c, where it is known which orders are kept, which are not, and who breaks one:
# with gcc and clang, at -O0 and -O2.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

# order COLUMNS OPTION...: the named columns of the rows, separated by spaces
order() {
    local columns=$1
    shift
    "$fisql" query call-order run.db --format json "$@" | python3 -c '
import json, sys
for row in json.load(sys.stdin):
    print(*[row[column] for column in sys.argv[1].split(",")])' "$columns"
}

for compiler in gcc clang; do
    for level in -O0 -O2; do
        with="$compiler $level"
        build $compiler order $level -fno-optimize-sibling-calls -g "$programs/order.c" -lpthread || continue
        "$fisql" record -q ./order
        "$fisql" load -q run.bin
        same "call-order: each order that is kept, and no other ($with)" "delete_row check_right before 50 5
list_look table_look directly 20 2
log_line log_open thread 90 2
play take_turn before 40 4
store_commit store_begin before 30 3
table_look table_make run 30 2" "$(order function,after,how,times,callers | LC_ALL=C sort)"
        same "call-order: the caller that breaks one, and a thread that does; first, if as many keep it ($with)" "delete_row delete_unasked
log_line thread order" "$(order function,broken | grep -v None | sed 's/ ([0-9]*)$//')"
        same "call-order: the call that breaks it is one of delete_unasked ($with)" "main => delete_unasked" \
            "$(sql run.db "SELECT s.stack FROM calls c JOIN frame_stacks s ON s.frame_id = c.frame_id
                WHERE c.id = $(order broken_call --function delete_row)")"
        same "call-order: log_line is the thread's first call of it ($with)" "worker => work_small => log_line" \
            "$(sql run.db "SELECT s.stack FROM calls c JOIN frame_stacks s ON s.frame_id = c.frame_id
                WHERE c.id = $(order broken_call --function log_line)")"
        same "call-order: an order that is broken, if none may be ($with)" "" "$(order function -p tolerance=0 | grep -E 'delete_row|log_line|^play')"
        same "call-order: one that most callers of the first do without is left out, and said to be ($with)" \
            "fisql: call-order: 1 row is left out, because most callers of the first do without the second: -p min_strength=0 shows them" \
            "$("$fisql" query call-order run.db 2>&1 >rows | grep because)"
        same "call-order: it is shown on demand ($with)" "weak_second weak_first directly 0.8" \
            "$(order function,after,how,strength -p min_strength=0 --function weak_second)"
    done
done
