#!/bin/bash
# `fisql digest`, what `fisql query DB` answers, and `fisql run`: the first minute with a program.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CACHE_HOME=$TEST_TMP/cache XDG_CONFIG_HOME=$TEST_TMP/config

cat >shop.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char *volatile kept;
static int price(int x) { for (volatile int i = 0; i < 100; i++) x += i; return x * 3; }
static void boom(char *p) { *(volatile char *)p = 1; }
static int sum(int n) { int s = 0; for (int i = 0; i < n; i++) { char *t = kept = malloc(20); memset(t, i, 20); s += price(i) + t[0]; free(t); } return s; }
void never(void) {}
int main(int argc, char **argv)
{
    printf("%d\n", sum(50000));
    kept = malloc(100);
    if (argc > 1 && strcmp(argv[1], "boom") == 0) boom(NULL);
    return argc > 1 ? atoi(argv[1]) : 0;
}
C
"$fisql" cc gcc -O1 -fno-inline -g -o shop shop.c

run "$fisql" run ./shop 7
same "run: the exit status is the program's" 7 "$status"
same "run: so is what it prints" "$(./shop)" "$out"
has "run: what was recorded" "fisql: run.bin: 50" "$err"
has "run: what was loaded" "fisql: run.db: 50002 calls, " "$err"
if page_built "run: the page"; then
    has "run: where the page is" "fisql: run.html: written" "$err"
    has "run: the page is one" "<title>fisql report" "$(head -c 2000 run.html)"
    has "run: the page has the findings" '"text":"sum (shop.c:7) allocates 50000 blocks that are freed at once: keep one"' "$(cat run.html)"
fi
printf '%s\n' "$err" | grep -v '^fisql: ' >said
run "$fisql" digest
same "digest: status" 0 "$status"
same "run says the digest" "$(cat said)" "$out"
# One number is one text: what is rounded once is 7.6 everywhere, 7.55 of it would be 7.5.
sql run.db "UPDATE function_stats SET self_ns = CASE WHEN function_id = (SELECT id FROM functions WHERE name = 'price') THEN 75530
                ELSE 924470 END, self_wait_ns = 0, self_preempted_ns = 0
            WHERE function_id IN (SELECT id FROM functions WHERE name IN ('price', 'sum'));
            UPDATE function_stats SET self_ns = 0 WHERE function_id NOT IN (SELECT id FROM functions WHERE name IN ('price', 'sum'))"
same "the digest and hot-functions say the same share" "7.6% 7.6%" "$("$fisql" query hot-functions |
    awk '$1 == "price" { match($0, /[0-9.]+%/); print substr($0, RSTART, RLENGTH) }') $("$fisql" digest | sed -n 's/.* \([0-9.]*%\)  price (.*/\1/p')"
"$fisql" load -q run.bin
digest=$out
cp run.db doubtful.db
sqlite3 doubtful.db "UPDATE run SET value = 1 WHERE key = 'hook_cost_ns'; UPDATE run SET value = 1000000000 WHERE key = 'hook_cost_error_ns'"
at_least "digest: a sum that is smaller than its error is told as such" 1 "$("$fisql" digest doubtful.db | grep -c '^CPU time  *~')"
at_least "query: likewise" 3 "$("$fisql" query hot-functions doubtful.db | grep -c '  ~[0-9]* [mun]*s  ')"
at_least "tree: likewise" 3 "$("$fisql" tree doubtful.db | grep -c '^ *~[0-9]* [mun]*s .*% *~')"
has "info: what the C library keeps is told apart" "not freed      1" "$("$fisql" info run.db | sed 's/, and [0-9]* that the C library keeps$//')"
same "query: a program gets the figures" 0 "$("$fisql" query hot-functions doubtful.db --format csv | grep -c '~')"
rm doubtful.db
same "digest: nothing on stderr" "" "$err"
run "$fisql" query run.db
same "query DB is the digest" "0 $digest" "$status $out"
same "query: the database may come first" "$("$fisql" query call-counts run.db)" "$("$fisql" query run.db call-counts)"
run "$fisql" query run.db call-count
same "query: a wrong name behind it is said" 2 "$status"
has "query: with the nearest one" "did you mean call-counts?" "$err"
blocks=$(sql run.db 'SELECT sum(blocks) FROM alloc_stacks')
same "digest: what ran" "./shop 7" "$(head -n 1 <<<"$digest")"
has "digest: threads, calls, ending" " on processors; 1 thread, 50002 calls; exit status 7" "$(sed 's/ on processors, [0-9.]* [a-z]* put aside/ on processors/' <<<"$digest")"
at_least "digest: where time goes" 3 "$(grep -c '% .* (shop.c:[0-9]*), [0-9]* call' <<<"$digest")"
hot=$(sql run.db 'SELECT f.name FROM function_stats s JOIN functions f ON f.id = s.function_id ORDER BY s.self_cpu_ns DESC LIMIT 1')
has "digest: the hottest first" "%  $hot (shop.c:" "$(grep '^CPU time' <<<"$digest")"
has "digest: allocations" "Allocations  $blocks blocks, " "$digest"
has "digest: most of them freed at once" "; 100% freed at once; most by sum (shop.c:7)" "$digest"
has "digest: not freed, but for what the C library keeps" "Not freed    1 block, 100 B; most by main (shop.c:" "$digest"
has "digest: by whom" "; most by main (shop.c:9)" "$(grep '^Not freed' <<<"$digest")"
has "digest: no errors" "Errors       none seen; the recording is complete" "$digest"
has "digest: dead code" "Dead code    2 of 5 functions with hooks never called, " "$digest"
has "digest: what was checked" "
Checked      errors; CPU time from 1%; waits from 5%" "$digest"
has "digest: what was not" "
Not checked  what libraries take of sum's time: fisql run --library-calls ./shop 7
             repeated results, ignored errors: fisql run --values ./shop 7
" "$digest"
same "query findings: the same list" "$(sed -n 's/^[1-9]\. //p' <<<"$digest")" "$("$fisql" query findings --format csv | tail -n +2 | cut -d, -f2 | tr -d '\r"')"
has "digest: a finding" "sum (shop.c:7) allocates 50000 blocks that are freed at once: keep one" "$digest"
has "digest: what it would save, and the command" "   ~1.00 ms, " "$digest"
command=$(sed -n 's/^   ~1.00 ms, .*: \(fisql query .*\)/\1/p' <<<"$digest")
same "digest: the command" "fisql query temporary-allocations" "$command"
has "digest: it runs" "sum" "$("$fisql" query temporary-allocations --format csv)"

# Names beside the log, options, and what must not be overwritten.
echo mine >mine.html
run "$fisql" run -q --no-alloc -o mine.bin -- ./shop 0
same "run: options of record" "0 0" "$status $(sql mine.db 'SELECT count(*) FROM allocs')"
same "run: a page of the user's is left" mine "$(cat mine.html)"
if page_built "run: a page of the user's"; then
    has "run: that is told" "mine.html: is no page of fisql's: left as it is" "$err"
fi
has "run: the commands name the database" "fisql query NAME mine.db" "$err"
lacks "run -q: quiet" "calls, " "$(grep '^fisql: ' <<<"$err")"
same "run: the log's name decides" "mine.db run.db" "$(echo ./*.db | sed 's|\./||g')"

run "$fisql" run ./shop boom
same "run: a crash is the program's" 139 "$status"
has "run: and it is told where" "fisql: run.db: killed by SIGSEGV in boom (shop.c:6)" "$err"
has "run: it leads the digest" "
./shop boom: killed by SIGSEGV in boom (shop.c:6)" "$err"
same "info: it leads" "crash          killed by SIGSEGV in boom (shop.c:6)" "$("$fisql" info | head -n 1)"
gcc -o plain shop.c
rm -f run.db
run "$fisql" run --no-patch ./plain 3
same "run: nothing recorded" 3 "$status"
has "run: is told once" "fisql: ./plain: nothing was recorded: the program does not call the hooks" "$err"
same "run: and nothing more" 1 "$(wc -l <<<"$err")"
run "$fisql" run ./not-there
same "run: a program that is missing" "2 fisql: ./not-there: cannot be run: No such file or directory" "$status $err"

# Several threads with open calls: which one died is a guess.
cat >two.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static void worker(void) { abort(); }
static void *start(void *p) { worker(); return p; }
int main(void) { pthread_t t; pthread_create(&t, NULL, start, NULL); pthread_join(t, NULL); return 0; }
C
"$fisql" cc gcc -g -o two two.c -lpthread
"$fisql" record -q ./two 2>/dev/null
run "$fisql" load
has "two threads: a guess" "killed by SIGABRT, probably in worker (two.c:3)" "$err"

# query --all: in the digest's order, structure last.
run "$fisql" query --all
same "--all: the sections" "Time, Memory, Errors and losses, Coverage and threads, Inlining and call structure" \
    "$(sed -n 's/^== //p' <<<"$out" | paste -sd, | sed 's/,/, /g')"

# What it tells the user to run is the recorded command, as a shell reads it; not where a log's command may be more than words.
words=('a b' "it's \"x\"" '$HOME;' '' '-x=1,2' "'")
"$fisql" record -q ./two "${words[@]}" 2>/dev/null
"$fisql" load -q
again=()
eval "again=($(sql run.db "SELECT command FROM command_again"))"
same "words that need quotes" "$(printf '<%s>' ./two "${words[@]}")" "$(printf '<%s>' "${again[@]}")"
again() { # WHAT COMMAND EXPECTED
    sql run.db "UPDATE run SET value = '${2//\'/\'\'}' WHERE key = 'command'"
    same "a command of another log: $1" "$3" "$(sql run.db "SELECT command FROM command_again")"
}
again "plain" "./two a/b_c=d,e:f@g%h+i-j" "./two a/b_c=d,e:f@g%h+i-j"
again "quotes in quotes" "two 'a\"b' \"c'd\"" "two 'a\"b' \"c'd\""
for hostile in "two; touch x" "two \$(touch x)" "two \`touch x\`" "two \"\$(touch x)\"" "two '\\'' ' ; touch x; '" "two 'x" "two > x" \
    "two \"a\\\"; touch x; \"b\"" "-o x two" "two ~" "two *" "two a{b,c}" "two $(printf 'a\tb')" "two 'a${IFS:2:1}b'" ""; do
    again "$hostile" "$hostile" PROGRAM
done

# Values need debug information: a program that has none is not told to be recorded with them.
printf 'int main(void) { return 0; }\n' >bare.c
gcc -s -o bare bare.c
run "$fisql" run ./bare
has "no debug information: what it would tell" "repeated results, ignored errors: they need the program's debug information" "$err"
lacks "no debug information: no command for it" "--values" "$err"
