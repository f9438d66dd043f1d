#!/bin/bash
# Library calls of Debian's own programs, stripped: ltrace counts the same, and the programs do what they do without.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
command -v ltrace >/dev/null || { echo "skipped - ltrace is not installed"; exit 0; }

# program LEAST COMMAND...: at least so many functions are compared. No program that does not do the same each time (find sorts by
# addresses), whose own libraries call others, too, which
# ltrace does not follow, or that goes by its environment, in which fisql has variables
program() {
    local least=$1 what=$2 plain counted
    shift
    command -v "$1" >/dev/null || { echo "skipped - $what: not installed"; return; }
    "$@" >plain.out 2>plain.err </dev/null
    plain=$?
    "$fisql" record -o x.bin --library-calls "$@" >recorded.out 2>recorded.err </dev/null
    same "$what: exit status" "$plain" $?
    same "$what: output" "" "$(cmp plain.out recorded.out 2>&1)"
    same "$what: standard error" "" "$(diff plain.err <(grep -v '^fisql: ' recorded.err) | head -n 10)"
    "$fisql" load -q x.bin 2>load.err
    same "$what: loads without loss" "0 " "$? $(cat load.err)"
    ltrace -c -o ltrace.txt "$@" >traced.out 2>traced.err </dev/null
    counted=$(python3 "$here/tests/real/ltrace_counts.py" x.db ltrace.txt)
    same "$what: no function's calls are others than ltrace's" "" "$(grep -v ' equal$' <<<"$counted" | head -n 20)"
    at_least "$what: functions compared" "$least" "$(sed -n 's/^\([0-9]*\) equal$/\1/p' <<<"$counted")"
}

git init -q repository && cd repository && git config user.email a@b && git config user.name a || exit 2
for i in $(seq 30); do
    seq "$i" $((i * 40)) >numbers.txt
    git add numbers.txt && git commit -qm "$i"
done
git gc -q
cd .. || exit 2
seq 20000 | tac >numbers.txt
program 40 git -C repository log -p
same "git: zlib's part is seen" "inflate libz.so.1" "$(sql x.db "SELECT f.name, m.name FROM functions f JOIN modules m ON m.id = f.module_id
    WHERE f.external AND f.name = 'inflate'" | tr '|' ' ')"
program 20 sort numbers.txt
program 20 tar cf - numbers.txt
program 10 awk 'BEGIN { for (i = 0; i < 300; i++) x = x i; print length(x) }'
program 10 gzip -c numbers.txt
program 10 ls -l repository
program 8 bc -q <<<"2^200"
