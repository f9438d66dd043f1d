#!/bin/bash
# fisql record --value '... at exit': what expressions have when their call returns, against the program's own account.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
asked=(--value 'out: *to at exit, text at exit, text[5] at exit' --value 'grows: p->count at both, p->name at exit, by + p->limit at exit'
    --value 'real: *half at exit')
deeper=(--value 'deeper: *at at exit')

# record WORD OPTION...: of ./program, into run.db
record() {
    local word=$1
    shift
    "$fisql" record -q "$@" ./program "$word" >said && "$fisql" load -q run.bin
}
# calls PATTERN: calls of such functions with the values of expressions alone, and with results
calls() {
    sql run.db "SELECT function || '(' || group_concat(parameter || '=' || text, ', ') || ')' || coalesce(' = ' || result, '')
        FROM (SELECT a.call_id, a.function, a.parameter, a.text, r.text AS result FROM call_arguments a
              JOIN functions f ON f.name = a.function JOIN parameters p ON p.function_id = f.id AND p.position = a.position AND p.expression
              LEFT JOIN call_arguments r ON r.call_id = a.call_id AND r.position = 0
              WHERE a.function GLOB '$1' ORDER BY a.call_id, a.position) GROUP BY call_id ORDER BY call_id"
}

kinds="hooks"
[ "$(uname -m)" = x86_64 ] && kinds="hooks as-is"
for kind in $kinds; do
    for with in "gcc -O0" "gcc -O2" "clang -O0" "clang -O2"; do
        command -v "${with% *}" >/dev/null || continue
        compile=("$fisql" cc)
        [ "$kind" = hooks ] || compile=()
        # shellcheck disable=SC2086 # words
        "${compile[@]}" $with -g -w -pthread -o program "$programs/values/exits.c" || { not_ok "$with: it builds"; continue; }
        what="$kind, $with"
        record plain "${asked[@]}"
        same "$what: values at the exit are those that the program has" "$(cat said)" "$(calls '[ogr][ure][tao]*')"
        same "$what: nothing is lost" 0 "$(sql run.db 'SELECT count(*) FROM losses')"
        same "$what: what is counted equals SQL over the rows" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/values.sql" 2>&1 | head -5)"
        record plain "${asked[@]}" --no-results
        same "$what: without results" "$(sed -n '/^[gr]/s/= .*/= ?/; s/^\(grows.*)\).*/\1/; /^[gr]/p' said)" "$(calls '[gr][re]*')"

        # Recursion: each call has its own; those with too many open ones around them have none, which is said.
        record deep "${deeper[@]}"
        same "$what: none has another one's, and what is missing is said" "601 89 89" \
            "$(calls deeper | wc -l) $(calls deeper | grep -c '=?)') $(sql run.db "SELECT CAST(substr(detail, 24) AS INT) FROM losses WHERE detail GLOB 'no values at the exit, *'")"
        same "$what: the others are right" "512 0" "$(sql run.db "
            WITH RECURSIVE n(n, value) AS (SELECT 0, 0 UNION ALL SELECT n + 1, (n + 1 + value * 10) % 9973 FROM n WHERE n < 600),
                 called AS (SELECT row_number() OVER (ORDER BY call_id DESC) - 1 AS n, value FROM call_arguments
                            WHERE function = 'deeper' AND parameter = '*at at exit')
            SELECT count(called.value) || ' ' || sum(called.value <> n.value) FROM called JOIN n USING (n)")"

        # What jumps leave has no value at the exit, and gives none to others.
        record jumps "${deeper[@]}" --value 'leaves: *at at exit'
        same "$what: jumps" "leaves(*at at exit=?)
leaves(*at at exit=?)
leaves(*at at exit=?)
leaves(*at at exit=?)
deeper(*at at exit=12)
deeper(*at at exit=1)
deeper(*at at exit=0)
leaves(*at at exit=?)
leaves(*at at exit=?)
deeper(*at at exit=0)" "$(calls '[ld]e*')"

        record gone --value 'gone: *at at exit'
        same "$what: memory that is gone at the exit has no value" "gone(*at at exit=?)
gone(*at at exit=?)" "$(calls gone)"

        record threads "${deeper[@]}"
        same "$what: threads" "1 7333|12 5999|123 3999|1234 1999|2372 666" "$(sql run.db "
            SELECT value || ' ' || count(*) FROM call_arguments WHERE function = 'deeper' AND parameter = '*at at exit' AND value <> 0
            GROUP BY value" | paste -sd'|')"
    done
done

# ---- what calls change
cat >changes.c <<'C'
#include <string.h>
struct inner { int depth; char mark; };
struct list { int count, room; struct inner in; char name[12]; };
static volatile int sink;
__attribute__((noinline)) void grow(struct list *p, int by)
{
    p->count += by;
    if (by > 1)
        p->in.depth++, p->in.mark = ',', strcpy(p->name, "a, b = {1");
    sink = by;
}
__attribute__((noinline)) void fill(char *text, int c) { text[0] = (char)c; sink = c; }
int main(void)
{
    struct list list = {3, 8, {1, '}'}, "x\"y"};
    char text[] = "old";
    for (int by = 0; by < 3; by++)
        grow(&list, by);
    fill(text, 79);
    return list.count == 0;
}
C
gcc -g -O0 -w -o changes changes.c
"$fisql" record -q --value 'grow: *p at both, p->count at both' --value 'fill: text at both' ./changes && "$fisql" load -q run.bin
same "fisql trace shows what changed, of structs the members" 'grow(by=0, *p={count = 3, room = 8, in = {depth = 1, mark = 125 '"'}'"'}, name = "x\"y"}, p->count=3)
grow(by=1, *p={count = 3 -> 4}, p->count=3 -> 4)
grow(by=2, *p={count = 4 -> 6, in = {depth = 1 -> 2, mark = 125 '"'}' -> 44 ','"'}, name = "x\"y" -> "a, b = {1"}, p->count=4 -> 6)
fill(text="old" -> "Old", c=79)' "$("$fisql" trace --color never run.db | sed -nE 's/^.*  ((grow|fill)\(.*\))  .*$/\1/p' | sed -E 's/p=(0x[0-9a-f]*|&[a-z]*), //')"
same "rows of call_changes" 'p->count|3|4
p->count|4|6
text|"old"|"Old"' "$(sql run.db "SELECT expression, before, after FROM call_changes WHERE expression <> '*p' ORDER BY call_id" | tr '\t' '|')"
same "structs, too" 2 "$(sql run.db "SELECT count(*) FROM call_changes WHERE expression = '*p'")"

# ---- what is wrong
gcc -g -O1 -w -pthread -o program "$programs/values/exits.c"
refused() { # REQUEST WORDS
    run "$fisql" record -q --value "$1" ./program plain
    same "refused: $1" 2 "$status"
    has "it says why" "$2" "$err"
}
refused 'out: to at exit' '`to` is int *: it is the same at the exit: ask for what it points to'
refused 'out: *to at end' 'here only `at exit` or `at both` (entry and exit) is possible'
refused 'out: *to at exit now' 'nothing is expected after this'
refused 'out: at exit' 'there is no parameter `at`'
