#!/bin/bash
# fisql record --values --at-exit: what calls changed behind their pointers, and only that, against the program's own account.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# What the database says, as the program says it: a digit for each parameter at the exit, 1 = it has a row.
account() {
    sql run.db "SELECT f.short || ' ' || coalesce((SELECT group_concat(v.id IS NOT NULL, '') FROM (SELECT * FROM parameters p
            WHERE p.function_id = f.id AND p.at_exit = 2 ORDER BY p.position) p
            LEFT JOIN call_values v ON v.id = c.id * 32 + p.position), '')
        FROM calls c JOIN frames r ON r.id = c.frame_id JOIN (SELECT id, replace(replace(CASE WHEN instr(name, '(') > 0
            THEN substr(name, 1, instr(name, '(') - 1) ELSE name END, 'counter::', ''), 'roll', '') AS short FROM functions) f ON f.id = r.function_id
        WHERE f.short IN ($names) ORDER BY c.id"
}
names="'in_pair', 'in_wide', 'in_bytes', 'in_any', 'in_text', 'in_two', 'nothing', 'in_reference', 'tell', 'told', 'throws', 'jumps', 'nested', 'beyond'"

kinds="hooks"
[ "$(uname -m)" = x86_64 ] && kinds="hooks as-is"
for kind in $kinds; do
    for with in "g++ -O0" "g++ -O2" "clang++ -O0"; do
        command -v "${with% *}" >/dev/null || continue
        compile=("$fisql" cc)
        [ "$kind" = hooks ] || compile=()
        what="$kind, $with"
        # shellcheck disable=SC2086 # words
        "${compile[@]}" $with -g -w -pthread -o program "$programs/values/changes.cc" || { not_ok "$what: it builds"; continue; }
        "$fisql" record -q --values --at-exit=16 ./program >said
        "$fisql" load -q run.bin
        same "$what: each change has a row, and nothing else has" "$(md5sum <said)" "$(account | tee told | md5sum)"
        cmp -s said told || diff said told | head -5
        same "$what: nothing is lost" 0 "$(sql run.db 'SELECT count(*) FROM losses')"
        same "$what: what is counted equals SQL over the rows" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/values.sql" 2>&1 | head -5)"
        same "$what: in the text of a call, too" "$(grep -c 'in_pair 1' said) 0" \
            "$(sql run.db "SELECT sum(text LIKE 'in_pair(%, *pair at exit={%'), sum(text LIKE '%=?%') FROM call_text WHERE text LIKE 'in_pair(%'" | tr '\t|' '  ')"
        same "$what: fisql trace has the same" "$(grep -c 'in_pair 1' said)" "$("$fisql" trace --color never run.db | grep -c 'in_pair(.*pair at exit={')"
        "$fisql" record -q --values --at-exit=16 ./program threads && "$fisql" load -q run.bin
        same "$what: threads" "6000 2001" "$(sql run.db "SELECT count(*), (SELECT count(*) FROM call_arguments WHERE parameter = 'number at exit')
            FROM call_text WHERE text LIKE 'in_reference(%'" | tr '\t|' '  ')"
    done
done

# ---- chosen functions, and expressions of one's own
"$fisql" record -q --values=in_pair --at-exit=8 ./program >said && "$fisql" load -q run.bin
same "chosen functions: only they" "in_pair" "$(sql run.db "SELECT DISTINCT function FROM call_arguments")"
same "what is longer than N is a dump of N bytes" "pair:dump(8) at exit" "$(sql run.db "SELECT name FROM parameters WHERE at_exit = 2 AND function_id = (SELECT id FROM functions WHERE name = 'in_pair')")"
"$fisql" record -q --value 'in_pair: pair->first at exit if changed, each pointer at exit if changed' --value 'in_any: any:dump(2) at exit if changed' ./program >said
"$fisql" load -q run.bin
sql run.db "SELECT text FROM call_text WHERE text LIKE 'in_pair(%' AND text LIKE '%at exit%' ORDER BY call_id LIMIT 3" >texts
same "if changed, by hand" 3 "$(grep -cE 'in_pair\(.*(pair->first at exit=[0-9]+, )?\*pair at exit=\{first' texts)"
same "a dump by hand" "$(grep -c 'in_any 1' said)" "$(sql run.db "SELECT count(*) FROM call_arguments WHERE parameter = 'any:dump(2) at exit'")"

# ---- the history of an object has it
cat >order.c <<'C'
#include <stdlib.h>
struct order { int pence, count; char rest[100]; };
static volatile int sink;
__attribute__((noinline)) void look(struct order *order) { sink = order->count; }
__attribute__((noinline)) void spoil(struct order *order) { order->pence = -1; }
int main(void)
{
    struct order *order = calloc(1, sizeof *order);
    for (int i = 0; i < 5; i++) {
        look(order);
        if (i == 3)
            spoil(order);
    }
    look(order);
    return order->pence == 0;
}
C
"$fisql" cc gcc -g -O0 -o order order.c
"$fisql" record -q --values --at-exit ./order
"$fisql" load -q run.bin
call=$(sql run.db "SELECT max(call_id) FROM call_arguments WHERE function = 'look'")
"$fisql" history run.db call "$call.order" >moments
same "the history marks the call that changed the object" "spoil" "$(grep ' \* ' moments | grep -oE '(look|spoil)')"

# ---- what is wrong
refused() { # WORDS OPTION...
    local words=$1
    shift
    run "$fisql" record -q "$@" ./order
    same "refused: $*" 2 "$status"
    has "it says why" "$words" "$err"
}
refused "say how --values and --value record" --at-exit
refused "wants a number from 1 to 64" --values --at-exit=65
refused "wants a number from 1 to 64" --values --at-exit=0
refused 'wants `each pointer at exit if changed`' --value 'look: each pointer'
refused 'wants `each pointer at exit if changed`' --value 'look: each pointer:hex at exit if changed'
refused "nothing is expected after this" --value 'look: order->count at both if changed'
