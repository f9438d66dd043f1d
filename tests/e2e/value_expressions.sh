#!/bin/bash
# fisql record --value: expressions on parameters equal what the program itself prints of them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
sources=$here/tests/programs/values

# requests FILE: a --value for each function that the program printed of, a word a line
requests() {
    python3 - "$1" <<'P'
import re, sys
asked = {}
for line in open(sys.argv[1]):
    function, expression, _ = re.split(r"(?<!:): ", line.rstrip("\n"), maxsplit=2)
    asked.setdefault(function, dict())[expression] = True
for function, expressions in asked.items():
    print("--value\n%s: %s" % (function, ", ".join(expressions)))
P
}
recorded() { # DATABASE: as the program prints it
    sql "$1" "SELECT CASE WHEN f.name LIKE 'generic%' THEN 'generic<long>' ELSE f.name END || ': ' || p.name || ': ' || coalesce(a.text, '?')
              FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id JOIN parameters p ON p.function_id = f.id AND p.expression = 1
              LEFT JOIN call_arguments a ON a.call_id = c.id AND a.position = p.position ORDER BY c.id, p.position"
}
# compared WHAT LEAST: printed.txt and recorded.txt, of which a line may have ? for a value
compared() {
    same "$1: what the program prints is recorded" "$(wc -l <printed.txt)" "$(wc -l <recorded.txt)"
    same "$1: no value is another one" "" "$(paste printed.txt recorded.txt | awk -F '\t' '{ known = $2; sub(/: \?$/, "", known) } $1 != $2 && index($1, known ": ") != 1' | head -3)"
    at_least "$1: values are known" "$2" "$(grep -vc ': ?$' recorded.txt)" "$(paste -d '\n' printed.txt recorded.txt | grep -B1 ': ?$' | head -30)"
}
# expressions_of WHAT LEAST SOURCE COMPILER...
expressions_of() {
    local what=$1 least=$2 source=$3
    shift 3
    "$fisql" cc "$@" -g -w -o program "$sources/$source" || return
    ./program >printed.txt
    mapfile -t asked < <(requests printed.txt)
    run "$fisql" record -q -o run.bin "${asked[@]}" ./program
    same "$what: the program goes on as it would" "0 $(cksum <printed.txt)" "$status $(printf '%s\n' "$out" | cksum)$(grep -v 'calls,' <<<"$err")"
    "$fisql" load -q run.bin
    recorded run.db >recorded.txt
    compared "$what" "$least"
}


expressions_of "C, gcc -O0" 189 expressions.c gcc -O0 -pthread
# What cannot be read and what cannot be computed has no value, and the reason is told.
same "and no others" "8 missing: 1 << (zero + 32)|missing: 100 % zero|missing: 100 / zero|missing: chain->next->next->next->next->next->length|missing: gone->key|missing: gone->length|missing: least / (zero - 1)|missing: r->headers->key|no_texts: few[n]" \
    "8 $(sed -n 's/: ?$//p' recorded.txt | grep -v 'r->method' | sort | paste -sd'|')"
same "they are counted as unreadable" 10 "$(sql run.db 'SELECT sum(v.unreadable) FROM parameter_stats v JOIN parameters p ON p.id = v.parameter_id WHERE p.expression = 1')"
same "what is counted equals SQL over the rows" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/values.sql" 2>&1 | head -5)"
same "positions come behind the parameters" "1 r|2 i|3 r->method|4 r->path|30 (r->path[i])" \
    "$(sql run.db "SELECT position || ' ' || p.name FROM parameters p JOIN functions f ON f.id = function_id AND f.name = 'members' WHERE position IN (1, 2, 3, 4, 30)" | paste -sd'|')"
same "types are told" "const char *|char[16]|unsigned int|long int|enum state|short int|int (*)(int)|float" \
    "$(sql run.db "SELECT type FROM parameters WHERE name IN ('r->method', 'r->path', 'r->low', 'r->wide', 'r->state', 'r->grid[1][i]', 'r->action', 'r->share') AND function_id = (SELECT id FROM functions WHERE name = 'members') ORDER BY position" | awk '{ a[NR] = $0 } END { print a[1] "|" a[2] "|" a[3] "|" a[4] "|" a[5] "|" a[7] "|" a[8] "|" a[6] }')"
for how in "-O1 165 158" "-O2 162 155" "-O3 162 155"; do
    read -r level _ least <<<"$how"
    expressions_of "C, gcc $level" "$least" expressions.c gcc "$level" -pthread
done
expressions_of "C, gcc -O2, DWARF 4" 155 expressions.c gcc -O2 -pthread -gdwarf-4
expressions_of "C++, gcc -O0" 16 expressions.cc g++ -std=c++17 -O0
expressions_of "C++, gcc -O2" 14 expressions.cc g++ -std=c++17 -O2
if command -v clang >/dev/null; then
    expressions_of "C, clang -O0" 170 expressions.c clang -O0 -pthread
    expressions_of "C, clang -O2" 165 expressions.c clang -O2 -pthread
    expressions_of "C++, clang -O0" 14 expressions.cc clang++ -std=c++17 -O0
    expressions_of "C++, clang -O2" 14 expressions.cc clang++ -std=c++17 -O2
fi
if command -v clang >/dev/null; then # with inlined copies
    expressions_of "C, clang -O2, --no-inline" 165 expressions.c --no-inline clang -O2 -pthread
fi

# What pointers point to.
"$fisql" cc gcc -O1 -g -w -o types "$sources/types.c"
"$fisql" record -q -o run.bin --value 'named: *b, &b->b, c, a + 1' ./types >/dev/null
"$fisql" load -q run.bin
same "variables and functions have their names" \
    'named(a=&numbers, b=&pairs+8, c=nothing, *b={a = 0, b = 0}, &b->b=&pairs+12, c=nothing, a + 1=&numbers+4) = &pairs+8' "$(sql run.db "SELECT text FROM call_text WHERE text LIKE 'named%'")"

# Threads, and a flight recorder.
"$fisql" cc gcc -O1 -g -w -pthread -o program "$sources/expressions.c"
step='thread_step: r->codes[0] * 1000 + i, r->method'
for options in "" "--values" "--values=members"; do
    # shellcheck disable=SC2086 # none, or one
    "$fisql" record -q -o run.bin $options --value "$step" ./program threads >printed.all
    "$fisql" load -q run.bin
    grep '^thread_step' printed.all | sort >printed.txt
    recorded run.db | sort >recorded.txt
    compared "four threads, ${options:-no --values}" 1600
done
same "the functions of --values and of --value have values" "members thread_step" "$(sql run.db 'SELECT DISTINCT functions.name FROM functions JOIN parameters p ON p.function_id = functions.id ORDER BY 1' | grep -v generic | sort | paste -sd' ')"
same "without --values those of --value alone" "thread_step" "$("$fisql" record -q -o run.bin --value "$step" ./program threads >printed.all; "$fisql" load -q run.bin; sql run.db 'SELECT DISTINCT f.name FROM functions f JOIN parameters p ON p.function_id = f.id')"
has "their arguments, too" "i=199, r->codes[0] * 1000 + i=1199, r->method=\"odd\"" "$("$fisql" trace --function thread_step run.db)"
same "the run says which were asked for" "thread_step|$step" "$(sql run.db "SELECT group_concat(value, '|') FROM (SELECT value FROM run WHERE key IN ('values_of', 'expressions') ORDER BY key DESC)")"
"$fisql" record -q -o run.bin --ring 512K --value "$step" ./program threads >printed.all
"$fisql" load -q run.bin
grep '^thread_step' printed.all | sort >printed.txt
recorded run.db | sort >recorded.txt
same "--ring: all there is has its value" "0 1" "$(comm -13 printed.txt recorded.txt | wc -l) $([ "$(wc -l <recorded.txt)" -gt 100 ] && echo 1)"

# Where values are shown.
"$fisql" record -q -o run.bin --value 'twice: a * 10' --value 'thread_step: r->method' ./program threads >/dev/null
"$fisql" load -q run.bin
call=$(sql run.db "SELECT min(call_id) FROM call_arguments WHERE parameter = 'r->method' AND value = 'odd'")
has "stack" 'r->method="odd"' "$("$fisql" stack "$call" run.db)"
has "tree" 'thread_step(r->method="even")' "$("$fisql" tree --by-value 'thread_step.r->method' run.db)"
has "queries" 'r->method' "$("$fisql" query arguments run.db)"
"$fisql" export --format chrome -o run.json run.db
has "exports" 'r->method' "$(cat run.json)"
if page_built "expressions in the report"; then
    "$fisql" report -o run.html run.db 2>/dev/null
    has "the report" 'r->method' "$(grep -o 'r->method' run.html | head -1)"
fi
"$fisql" record -q -o run.bin --value 'thread_step: r->codes[1], r->codes[0]' ./program threads >/dev/null
"$fisql" load -q run.bin
lacks "no advice to drop what is no parameter" "codes[1]" "$("$fisql" query constant-arguments --param min_callers=0 --param min_sites=0 run.db; "$fisql" query argument-types run.db)"

# What is wrong is pointed at, and the program is not started.
refused() { # REQUEST MESSAGE COLUMN WIDTH
    run "$fisql" record -o refused.bin --value "$1" ./program
    same "$1" "2  $3 $4 no log" "$status $out $(sed -n '$s/^fisql:   //p' <<<"$err" | awk '{ print index($0, "^") - 1, length($1) }') $([ -e refused.bin ] || echo no log)"
    has "$1: says why" "$2" "$err"
}
refused 'members: r->metod' 'struct request has no member `metod`; it has method,' 12 5
refused 'members: q->method' 'there is no parameter `q`; there is r, i' 9 1
refused 'member: i' 'no function with hooks is named member; did you mean members?' 0 6
refused 'members: r.method' '`r` is struct request *: it is a pointer: write -> for the .' 9 1
refused 'by_value: s->a' '`s` is struct pair: it is no pointer: write . for the ->' 10 1
refused 'members: (i + 1' '`(` is not closed' 9 1
refused 'members: i)' '`)` closes nothing' 10 1
refused 'members: r->codes[i' '`[` is not closed' 17 1
refused 'members: i +' 'something is missing after this' 11 1
refused 'members: i 2' 'before `2` an operator is missing' 11 1
refused 'members: i, , i' 'an expression is missing here' 12 1
refused 'members: i ? 1' 'not known in an expression' 11 1
refused 'members: 1.5' 'not known in an expression' 9 3
refused 'members' 'wants a function, a colon and expressions' 0 7
refused 'members: r->ratio * 2' '`r->ratio` is double: arithmetic is on integers alone' 9 8
refused 'members: *i' '`i` is int: it is no pointer' 10 1
refused 'members: *r->nothing' '`r->nothing` is void *: what it points to has no type' 10 10
refused 'members: r->codes[r]' 'an index is an integer' 18 1
refused 'by_value: h' 'has more than 64 bytes: name a member of it' 10 1
refused 'members: *r' 'has more than 64 bytes: name a member of it' 9 2
refused "members: $(seq -s ", " 1 29)" 'there is no position left: parameters and expressions have 30' 43 2
