#!/bin/bash
# Folders of uftrace: what it recorded of a build is what fisql records of it, call by call; arguments are those that
# uftrace shows; what a folder lacks or has damaged is said.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
command -v uftrace >/dev/null || {
    echo "skipped - uftrace's folders: there is no uftrace"
    exit 0
}
record() { uftrace record --no-event --no-sched --no-pager "$@" >/dev/null 2>record.err; }

# --- one build, recorded by both: uftrace takes the place of the hooks that fisql cc puts in

# By thread (in the order of their first calls' number), depth, function and caller: how often
shape() { # DB
    sql "$1" "SELECT c.depth, f.name, coalesce(pf.name, '-'), count(*)
        FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
        LEFT JOIN calls p ON p.id = c.parent_id LEFT JOIN frames pr ON pr.id = p.frame_id LEFT JOIN functions pf ON pf.id = pr.function_id
        WHERE f.own AND NOT f.external GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
}
for program in threads.c strings.cc; do
    name=${program%.*}
    compiler=gcc
    [ "$name" = strings ] && compiler=g++
    build $compiler "$name" -O1 -g "$programs/$program"
    "$fisql" record -q -o "$name.bin" --no-alloc "./$name" >/dev/null 2>&1
    "$fisql" load -q "$name.bin"
    record -d "$name.uftrace" --no-libcall "./$name"
    run "$fisql" load "$name.uftrace"
    same "$name: uftrace's folder is loaded" 0 "$status"
    has "$name: and it is said what was" "$(sql "$name.uftrace.db" 'SELECT sum(calls) FROM threads') calls" "$err"
    sound "$name" "$name.uftrace.db"
    same "$name: calls of each function from each caller at each depth are those that fisql records" "$(shape "$name.db")" "$(shape "$name.uftrace.db")"
    same "$name: as many threads have calls" "$(sql "$name.db" 'SELECT count(*) FROM threads WHERE calls > 0')" \
        "$(sql "$name.uftrace.db" 'SELECT count(*) FROM threads WHERE calls > 0')"
    same "$name: functions have files and lines, from the program's own debug information" \
        "$(sql "$name.db" "SELECT DISTINCT f.name, s.path, f.line FROM functions f JOIN function_stats t ON t.function_id = f.id JOIN files s ON s.id = f.file_id ORDER BY 1, 2, 3")" \
        "$(sql "$name.uftrace.db" "SELECT DISTINCT f.name, s.path, f.line FROM functions f JOIN function_stats t ON t.function_id = f.id JOIN files s ON s.id = f.file_id ORDER BY 1, 2, 3")"
done

# --- uftrace's own hooks (-pg), with calls of libraries, arguments and results: what uftrace report and replay say

cat >plain.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { int a; double b; };
enum colour { RED, GREEN };
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) double half(double x, const char *text) { return (double)strlen(text) + x / 2; }
__attribute__((noinline)) const char *name(struct pair pair, enum colour colour, long long number, char letter)
{
    return pair.a + number + letter > 0 && colour == GREEN ? "green" : NULL;
}
__attribute__((noinline)) unsigned wide(unsigned long long value) { return (unsigned)value; }
int main(void)
{
    volatile double sum = half(3.5, "text; and, more");
    printf("%d\n", fib(6));
    sum += half(-1, "");
    const char *volatile last = name((struct pair){1, 2}, GREEN, -50, 'x');
    last = name((struct pair){1, 2}, RED, 5, 'x');
    sum += wide(18446744073709551615ull) + (last == NULL);
    free(malloc(8));
    return 3;
}
C
gcc -w -pg -g -O1 -fno-builtin -o plain plain.c
record -a -d plain.uftrace ./plain
"$fisql" load -q plain.uftrace
# Names as uftrace report has them: without parameters
same "-pg: calls of each function are those of uftrace report" \
    "$(uftrace report -d plain.uftrace -f call --no-pager 2>/dev/null | awk 'NF == 2 && $1 ~ /^[0-9]+$/ { print $2, $1 }' | LC_ALL=C sort)" \
    "$(counts plain.uftrace.db | LC_ALL=C sort)"
same "-pg: functions of libraries are external, those of the program its own" "1 0 fib
0 1 printf" \
    "$(sql plain.uftrace.db "SELECT own || ' ' || external || ' ' || name FROM functions WHERE name IN ('fib', 'printf') ORDER BY 1 DESC")"
replayed() { # the arguments and results that uftrace replay shows, of one function
    uftrace replay -d plain.uftrace -f none --no-pager 2>/dev/null | sed -nE "s/^ *$1\((.*)\) = (.*);$/\1|\2/p"
}
loaded() { # FUNCTION: the same in the database, as recorded
    sql plain.uftrace.db "SELECT group_concat(v.value, ', ') FILTER (WHERE v.id % 32 > 0) || '|' || max(v.value) FILTER (WHERE v.id % 32 = 0)
        FROM call_values v JOIN calls c ON c.id = v.id / 32 JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
        WHERE f.name = '$1' GROUP BY c.id ORDER BY c.id"
}
same "-pg: arguments and results of fib that make no call" "$(replayed fib | sort | uniq -c)" \
    "$(sql plain.uftrace.db "SELECT a.value || '|' || b.value FROM call_values a JOIN call_values b ON b.id = a.id - 1 JOIN calls c ON c.id = a.id / 32
        JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id WHERE f.name = 'fib' AND a.id % 32 = 1 AND c.descendants = 0" | sort | uniq -c)"
same "-pg: floats, texts with any characters" "3.5, text; and, more|16.75
-1.0, |-0.5" "$(loaded half)"
has "-pg: enumerations, negative numbers, characters; no text" "1, -50, 120|green" "$(loaded name)"
same "-pg: an unsigned number beyond 2^63" "-1|4294967295" "$(loaded wide | sed 's/18446744073709551615/-1/')"
same "-pg: names of parameters are those of the debug information" "n" \
    "$(sql plain.uftrace.db "SELECT p.name FROM parameters p JOIN functions f ON f.id = p.function_id WHERE f.name = 'fib' AND position = 1")"
same "-pg: how it ended" "exit 3" "$(sql plain.uftrace.db "SELECT how_ended || ' ' || status FROM processes")"
for lack in allocations "call sites" waiting; do
    has "completeness lists what uftrace does not record: $lack" "what uftrace does not record: $lack" "$("$fisql" query completeness plain.uftrace.db)"
done
has "a query that needs allocations says that there are none" "no allocations were recorded" "$("$fisql" query not-freed plain.uftrace.db 2>&1)"
has "one that needs waiting, too" "no waiting was recorded" "$("$fisql" query waiting plain.uftrace.db 2>&1)"

# --- the program is not needed: the folder has its symbols

mv plain gone
"$fisql" load -q -o without.db plain.uftrace
same "without the program: names and calls are the same" "$(counts plain.uftrace.db)" "$(counts without.db)"
# Members of structs are the program's to tell: without it their bytes are shown.
scalars="SELECT * FROM call_values WHERE value NOT LIKE '{%' AND value NOT GLOB 'x[0-9a-f]*'"
same "and arguments" "$(sql plain.uftrace.db "$scalars")" "$(sql without.db "$scalars")"
mv gone plain

# --- specs that the user gave, processes, longjmp

record -A 'fib@arg1/i32' -R '^fi@retval/i32' -d specs.uftrace ./plain
"$fisql" load -q specs.uftrace
same "specs of arguments and results, a pattern" "25 8" \
    "$(sql specs.uftrace.db "SELECT count(*) FILTER (WHERE id % 32 = 1) || ' ' || max(value) FILTER (WHERE id % 32 = 0) FROM call_values")"
gcc -w -pg -g -O1 -o forks "$programs/forks.c"
record -d forks.uftrace ./forks
run "$fisql" load forks.uftrace
same "forks: exit status" 0 "$status"
same "forks: a process for each that uftrace has" "$(grep -cE '^(SESS|FORK)' forks.uftrace/task.txt)" "$(sql forks.uftrace.db 'SELECT count(*) FROM processes')"
# uftrace report counts what a child returns from and did not enter: fork() once more, its callers as <0>.
same "forks: calls as uftrace report has them" \
    "$(uftrace report -d forks.uftrace -f call --no-pager 2>/dev/null | awk 'NF == 2 && $1 ~ /^[0-9]+$/ && $2 !~ /^(<0>|fork)$/ { print $2, $1 }' | LC_ALL=C sort)" \
    "$(counts forks.uftrace.db | grep -v '^fork ' | LC_ALL=C sort)"
same "forks: as many calls of fork as there are children" "$(grep -c '^FORK' forks.uftrace/task.txt)" "$(calls_of forks.uftrace.db fork)"
"$fisql" load -q --calls=long -o long.db plain.uftrace
same "calls that have no row are read again from the folder" "$("$fisql" tree plain.uftrace.db 2>/dev/null)" "$("$fisql" tree long.db 2>/dev/null)"
has "dump shows the folder as a log" "enter" "$("$fisql" dump plain.uftrace)"

# --- C++: overloads, exceptions, operators whose arguments uftrace knows by their readable name

cat >plus.cc <<'C'
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
namespace shop { template <class T> struct Cart { std::vector<T> all; void add(T t) { all.push_back(t); if (all.size() > 5) throw std::runtime_error("full"); } }; }
int deep(int n) { if (n == 0) throw 1; return deep(n - 1) + 1; }
int main()
{
    shop::Cart<std::string> cart;
    try { for (int i = 0; i < 10; i++) cart.add(std::to_string(i)); } catch (std::exception &) {}
    try { deep(5); } catch (int) {}
    return 0;
}
C
g++ -w -pg -g -O0 -o plus plus.cc
record -a -d plus.uftrace ./plus
run "$fisql" load plus.uftrace
same "C++: all arguments have a form that we know" "0 0" "$status $(grep -c "form that is not known" <<<"$err")"
same "C++: as many calls as uftrace report has" \
    "$(uftrace report -d plus.uftrace -f call --no-pager 2>/dev/null | awk '$1 ~ /^[0-9]+$/ { sum += $1 } END { print sum }')" "$(sql plus.uftrace.db 'SELECT sum(calls) FROM threads')"
same "C++: names are readable, and short" 6 "$(calls_of plus.uftrace.db 'shop::Cart<std::string>::add')"
same "C++: calls that an exception left" "6 5" "$(sql plus.uftrace.db "SELECT s.calls || ' ' || (nesting_max - 1) FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'deep'")"

# --- damage

data=$(find plain.uftrace -name '[0-9]*.dat' -size +0 | head -n 1)
for what in cut noise; do
    rm -rf $what.uftrace
    cp -r plain.uftrace $what.uftrace
    if [ $what = cut ]; then
        truncate -s -5 "$what.uftrace/${data##*/}"
    else
        printf '\377%.0s' {1..40} | dd of="$what.uftrace/${data##*/}" bs=1 seek=32 conv=notrunc 2>/dev/null
    fi
    run "$fisql" load -o $what.db $what.uftrace
    same "$what: loads what is sound, and exits with 1" 1 "$status"
    has "$what: and says so" "bytes of records that are not sound" "$err"
    same "$what: integrity_check" ok "$(sql $what.db 'PRAGMA integrity_check')"
done
mkdir old && sed 's/^Ftrace!/Ftrace!/' plain.uftrace/info >old/info && printf '\011' | dd of=old/info bs=1 seek=8 conv=notrunc 2>/dev/null
run "$fisql" load -o old.db old
same "another version of the format is refused" 2 "$status"
has "with its number" "old/info: is of version 9" "$err"
mkdir empty
run "$fisql" load empty
has "a folder that is none of uftrace's is refused as before" "empty: is a folder, not a log" "$err"
