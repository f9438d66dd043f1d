#!/bin/bash
# What only calls of libraries show (tests/programs/library_mistakes.c): the findings and the digest name them with
# --library-calls, the digest suggests that option without it, and the same work done well gives none of them.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
export XDG_CONFIG_HOME=$TEST_TMP/config
cd "$TEST_TMP" || exit 2
if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped - programs as they are: x86-64"
    exit 0
fi

# found OPTION...: function, proof and the words without numbers, of all findings that library calls prove
found() {
    "$fisql" query findings --format json "$@" 2>/dev/null | python3 -c '
import json, re, sys
for row in json.load(sys.stdin):
    if row["proof"] in ("library-time", "system-calls"):
        print(row["function"], row["proof"], re.sub("[0-9]+", "N", row["finding"].split(") ", 1)[1]))' | sort
}

gcc -o sloppy -O2 -g -pthread "$programs/library_mistakes.c"
gcc -o sound -O2 -g -pthread -DSOUND "$programs/library_mistakes.c"
run "$fisql" run ./sloppy
has "without library calls the digest says what was not checked, or shows where to look" "fisql run --library-calls ./sloppy" "$err"
lacks "... and has no line of them" "Libraries" "$err"
run "$fisql" run -q --library-calls ./sloppy
same "with them: what is written byte by byte, asked in vain, measured and polled again and again" \
    "await library-time calls usleep N times in N call, to look again: wait for what it looks for
put system-calls calls write N times, N B each: gather them in a buffer
settings system-calls calls open N times, in vain but for N (ENOENT): ask once
to_lower library-time measures text with strlen N times in N call: keep its length" "$(found)"
has "the digest has the first of them" "put (library_mistakes.c:" "$err"
has "... and which library functions take the time, called from where" \
    "write (libc.so.6), 40000 calls, most from put (library_mistakes.c:" "$(grep -A5 '^Libraries' <<<"$err")"
has "... and the query that has all" "library-time" "$(grep '^More' <<<"$err")"
same "counts are those of the query" "40000" "$("$fisql" query findings --format csv | grep -o 'calls write [0-9]* times' | grep -o '[0-9]*')"
"$fisql" record -q --library-calls --exclude compare -o most.bin ./sloppy >/dev/null && run "$fisql" load most.bin
at_least "where most calls are libraries'" 50 "$(sql most.db "SELECT 100 * sum(s.calls) FILTER (WHERE f.external) / sum(s.calls)
    FROM function_stats s JOIN functions f ON f.id = s.function_id")"
lacks "... there is no advice for compiled hooks" "fisql cc" "$err"
for way in "" --all-code; do
    same "the same findings with $way own code or all" 4 "$(found $way | wc -l)"
done
run "$fisql" run --library-calls ./sound
same "the same work done well: none" "" "$(found -p min_cpu=0)"

"$fisql" cc gcc -O2 -g -pthread -o hooked "$programs/library_mistakes.c"
run "$fisql" run ./hooked
has "with compiled hooks the digest suggests them as well" "fisql run --library-calls ./hooked" "$err"
