#!/bin/bash
# Arguments and results in the database: what is counted of them equals SQL over the rows (values.sql).
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

random_values() { # SEED CALLS THREADS
    PYTHONPATH=$here/tests/corrupt python3 "$here/tests/corrupt/random_values.py" "$1" "$2" "$3" run.bin
    "$fisql" load -q --threads "$4" -o run.db run.bin 2>said
}

for seed in 1 2 3; do
    random_values $seed $((seed == 1 ? 40000 : 12000)) $seed 1
    same "random values $seed: none is lost" "0 ok" "$(sql run.db 'SELECT count(*) FROM losses') $(sql run.db 'PRAGMA integrity_check')"
    same "random values $seed: what is counted equals SQL over the rows" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/values.sql" 2>&1 | head -5)"
    if [ $seed = 1 ]; then
        same "results came after the window" 1 "$(sql run.db 'SELECT count(*) > 3 FROM calls c JOIN call_values v ON v.id = 32 * c.id WHERE c.descendants > 8192')"
        continue
    fi
    sqlite3 run.db 'SELECT id, value FROM call_values' >rows.one
    random_values $seed 12000 $seed 2
    same "random values $seed: two workers write the same rows" "" "$(sqlite3 run.db 'SELECT id, value FROM call_values' | cmp - rows.one 2>&1)"
    same "random values $seed: and what they count equals it, too" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/values.sql" 2>&1 | head -5)"
done
"$fisql" trace --color never --thread 100 run.db 2>/dev/null | sed -E 's/^.*  #100 +(program\+0x[0-9a-f]+.*)  program( .*)?$/\1/' >traced
sql run.db 'SELECT text FROM call_text t JOIN calls c ON c.id = t.call_id WHERE c.thread_id = 1 ORDER BY c.id' >texts
same "trace shows what the view call_text has, $(wc -l <texts) calls" "" "$(cmp traced texts 2>&1)"
same "stack, too" "$(sql run.db 'SELECT text FROM call_text WHERE call_id = 2')" "$("$fisql" stack 2 run.db | sed -n 's/^#0 *\(.*\) (program) called from.*/\1/p')"
"$fisql" export --format chrome -o run.json run.db
python3 - <<'P'
import json, sqlite3
events = {e["args"]["call"]: e["args"] for e in json.load(open("run.json"))["traceEvents"] if e["ph"] == "X"}
wrong = [(call, parameter, text) for call, position, parameter, text in
         sqlite3.connect("run.db").execute("SELECT call_id, position, parameter, text FROM call_arguments")
         if (events[call]["result"] if position == 0 else events[call]["errno"] if position == 31 and text != "?" else "?" if position == 31 else events[call]["arguments"]["#%d" % position]) != str(text)]
print("not ok" if wrong else "ok", "- Chrome's args are those of call_arguments", wrong[:3])
P
shown_in() { # VIEW
    sed -n "/^CREATE VIEW $1 AS/,/ AS text\$/p" "$here/schema.sql" | sed -n '/WHEN .*IS NULL/,$p' | tr '\n' ' ' | sed 's/\bk\.value/v.value/g'
}
same "values are shown alike wherever they stand" "$(shown_in call_arguments)" "$(shown_in value_count_texts)"
has "as what they are" "WHEN p.kind = 'bool'" "$(shown_in call_arguments)"
sqlite3 -batch run.db 'UPDATE value_counts SET calls = calls + 1 WHERE rank = 1'
[ -n "$(sqlite3 -batch run.db <"$here/tests/e2e/values.sql")" ] && ok "a wrong count would be seen" || not_ok "a wrong count would be seen"
sqlite3 -batch run.db "UPDATE call_values SET value = 77 WHERE id = (SELECT max(id) FROM call_values)"
[ -n "$(sqlite3 -batch run.db <"$here/tests/e2e/values.sql")" ] && ok "a wrong value would be seen" || not_ok "a wrong value would be seen"

for program in planted jumps forks; do
    build gcc $program -O1 -g "$programs/$program.c"
    # shellcheck disable=SC2046 # an argument for one of them
    "$fisql" record -q --values "./$program" $([ $program = forks ] && echo fork) >/dev/null 2>&1
    "$fisql" load -q -o run.db run.bin
    same "$program: there are values, and nothing is lost" "1 0" "$(sql run.db 'SELECT count(*) > 0 FROM call_values') $(sql run.db 'SELECT count(*) FROM losses')"
    same "$program: what is counted equals SQL over the rows" "" "$(sqlite3 -batch run.db <"$here/tests/e2e/values.sql" 2>&1 | head -5)"
done

# So many different arguments that the loader keeps a sample, beside one that comes again and again: that one is in the
# sample of some of these functions
{
    for f in $(seq 40); do
        echo "__attribute__((noinline)) int half_$f(int n);"
        echo "int half_$f(int n) { return n / 2; }"
    done
    echo "int main(void) { int sum = 0; for (int i = 0; i < 12000; i++) {"
    for f in $(seq 40); do
        echo "sum += half_$f(i) + half_$f(-$f);"
    done
    echo "} return sum == 0; }"
} >sampled.c
"$fisql" cc gcc -O1 -g -w -o sampled sampled.c
"$fisql" record -q --values ./sampled
"$fisql" load -q -o run.db run.bin
same "many arguments: estimates, which are no more than there are" "40 40 40" "$(sql run.db "SELECT sum(r.sampled > 1) || ' ' ||
    sum(r.calls = 24000 AND r.repeated_calls <= r.calls AND r.same_calls + r.different_calls <= r.repeated_calls)
    || ' ' || sum(r.tuples BETWEEN 9000 AND 15000) FROM argument_repeats r JOIN functions f ON f.id = r.function_id WHERE f.name LIKE 'half%'")"

# errno as the calls that failed left it, which the program prints itself; it is as they left it.
cat >failing.c <<'C'
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#define APART __attribute__((noinline))
APART int open_file(const char *path) { return open(path, O_RDONLY); }
APART long seek(int file, long to) { return lseek(file, to, SEEK_SET) < 0 ? -1L : to; }
APART char *resolved(const char *path) { return realpath(path, NULL); }
APART int minus_one(void) { errno = 0; return -1; }
APART int guarded(const char *path) { char room[64]; snprintf(room, sizeof room, "%s", path); return open(room, O_RDONLY); }
#define TELL(call, format) do { errno = 0; long r = (long)(call); int e = errno; if (e) printf(#call " = " format " (%s)\n", strerrorname_np(e)); else printf(#call "\n"); (void)r; } while (0)
__attribute__((no_instrument_function)) int main(void)
{
    extern const char *strerrorname_np(int);
    TELL(open_file("/none"), "-1");
    TELL(open_file("/dev/null"), "3");
    TELL(open_file("/dev/null/none"), "-1");
    TELL(seek(77, 5), "-1");
    TELL(resolved("/none"), "NULL");
    TELL(minus_one(), "-1");
    TELL(guarded("/none"), "-1");
    TELL(guarded("/dev/tty/none"), "-1");
}
C
for how in "gcc -O0" "gcc -O2" "gcc -O2 -fstack-protector-all"; do
    # shellcheck disable=SC2086 # words
    "$fisql" cc $how -g -w -o failing failing.c && "$fisql" record -q --values ./failing >printed && "$fisql" load -q -o run.db run.bin
    same "$how: errno of calls that failed" "$(grep " = " printed)" \
        "$(sql run.db "SELECT text FROM call_text WHERE text LIKE '%)'" | sed -E 's/(path|file|to)=//g; s/\(\) = /() = /' | grep ' = ')"
    same "$how: and of no other" "$(grep -c " = " printed)" "$(sql run.db 'SELECT count(*) FROM call_values WHERE position = 31')"
    same "$how: trace --types: types of results and parameters" 'int open_file(const char *path="/none") = -1 (ENOENT)' \
        "$("$fisql" trace --types --no-allocs --color never run.db | grep -o '[a-z]* *open_file(.*"/none") = -1 (ENOENT)')"
    same "$how: trace says it" 1 "$("$fisql" trace --color never run.db | grep -c 'open_file(path="/none") = -1 (ENOENT)')"
done

# A program with a collector of its own
echo 'int main(void) { return 0; }' >own.c
"$fisql" cc --static-runtime gcc -o own own.c
run "$fisql" record --values ./own
same "--values of a program that holds the collector" "2 own: it holds the collector" "$status $(grep -o 'own: it holds the collector' <<<"$err")"

# Pages that the program fills itself are not touched, however it came to do so.
build gcc unfilled -g -O1 "$programs/unfilled.c"
for how in call device number instruction; do
    run ./unfilled $how
    if [ "$status" = 9 ]; then
        echo "skipped - a userfaultfd, $how: the kernel gives none here"
        continue
    fi
    run timeout 60 "$fisql" record -q --values -o unfilled.bin ./unfilled $how
    same "a page that a userfaultfd has not filled is not read, $how" "3" "$status"
    "$fisql" load -q -o unfilled.db unfilled.bin
    same "constants are, $how" 1 "$(sql unfilled.db "SELECT count(*) FROM call_text WHERE text LIKE '%\"a constant\"%'")"
done

# Pages that nobody may read: no handler of the program's is called for what is read of them.
build gcc guarded -g -O1 "$programs/guarded.c" -lpthread
for where in heap constant arena stack; do
    for means in mprotect number pkey madvise mmap munmap; do
        [ $where-$means = stack-munmap ] && continue # it grows again
        run ./guarded $where $means
        if [ "$status" = 9 ]; then
            echo "skipped - guarded memory: $where, $means: not in this kernel"
            continue
        fi
        for beside in "" beside; do
            # shellcheck disable=SC2086 # a word or none
            run "$fisql" record -q --values=pass -o guarded.bin ./guarded $where $means $beside
            "$fisql" load -q -o guarded.db guarded.bin
            same "guarded memory: $where, $means, $beside: no fault of ours, and the value is not known until there is one" \
                '0 1 1|pass(text=?, n=1) = 1|pass(text="mine", n=2) = 2' \
                "$out|$(sql guarded.db "SELECT group_concat(text, '|') FROM (SELECT text FROM call_text
                    WHERE text LIKE 'pass(%' AND text NOT LIKE '%n=0%' ORDER BY call_id)")"
        done
    done
done
