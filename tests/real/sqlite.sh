#!/bin/bash
# SQLite's speedtest1 from Debian's source package, recorded: it says what it says untraced, each
# function's calls equal gcov's, allocations equal valgrind's, and the shell passes its integrity check.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
# shellcheck source=tests/real/gcov.sh
. "$(dirname "$0")/gcov.sh"
cd "$TEST_TMP" || exit 2

root=$(echo "$sources"/sqlite3/sqlite3-3*)
[ -d "$root" ] || { not_ok "SQLite's source is there: run tests/setup real"; exit 0; }
mkdir amalgamation
(cd amalgamation && "$root/configure" -q --disable-tcl >/dev/null 2>&1 && make -s sqlite3.c >/dev/null 2>&1)
[ -s amalgamation/sqlite3.c ] || { not_ok "the amalgamation is made"; exit 0; }
cp "$root/test/speedtest1.c" amalgamation
options=(-w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I.)
files="sqlite3.c speedtest1.c"
work=(--size 2 --memdb --testset main)

compile_gcov speedtest1 "$TEST_TMP/amalgamation" "${options[@]}" -- "$files"
for compiler in gcc clang; do
    # shellcheck disable=SC2086 # lists of words
    (cd amalgamation && "$fisql" cc $compiler -O1 -g -gdwarf-4 "${options[@]}" -o "$TEST_TMP/speedtest1" $files -lm)
    report $? "speedtest1 builds ($compiler)"
    "$fisql" record -q -o one.bin ./speedtest1 "${work[@]}" >out.txt
    same "speedtest1 ends with 0 ($compiler)" 0 $?
    has "speedtest1 comes to its end ($compiler)" "TOTAL" "$(cat out.txt)"
    "$fisql" load -q one.bin
    same "loads without loss ($compiler)" 0 $?
    sound "speedtest1 ($compiler)" one.db
    compare_with_gcov "speedtest1 ($compiler)" one.db "cd gcov && rm -f *.gcda && ./speedtest1 ${work[*]}"
    compare_with_valgrind "speedtest1 ($compiler)" one.db ./speedtest1 "${work[@]}"
done
