#!/bin/bash
# fisql record --say: what macros say goes to stderr at once, in whole lines with the thread's name.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
build gcc followed -O1 -g -I"$here/collector" "$programs/followed.c" || exit 2
printf 'feeder 2\ndrainer say hidden\t\033[31m\nmain say bye\n' >orders
run "$fisql" record --say -q ./followed <orders
same "messages and checkpoints of all threads, in order, characters escaped" 'fisql: feeder: at: i = 0
fisql: feeder: step 0
fisql: feeder: at: i = 1
fisql: feeder: step 1
fisql: drainer: hidden\x09\x1b[31m
fisql: followed: bye' "$err"
same "the program's output stays its own" "0 ready done done done" "$status $(xargs <<<"$out")"
run "$fisql" record --say --level 1 -q ./followed <orders
same "up to a level" "2 0" "$(grep -c step <<<"$err") $(grep -c 'at:' <<<"$err")"
run "$fisql" record -q ./followed <orders
same "nothing without --say" "" "$err"

# --- at once: the message comes while the program waits for an order
mkfifo in
"$fisql" record --say -q ./followed <in >said 2>now 7>&- &
recorder=$!
exec 7>in
echo "main say soon" >&7
for _ in $(seq 1200); do
    grep -q soon now && break
    sleep 0.05
done
same "it comes while the program runs" "fisql: followed: soon" "$(cat now)"
echo "main say before the end" >&7
until [ "$(grep -c '^done' said)" = 2 ]; do sleep 0.05; done
kill -KILL "$(pgrep -P $recorder -x followed)"
wait $recorder
has "and what was said before a program was killed" "fisql: followed: before the end" "$(cat now)"
exec 7>&-

# --- many: whole lines, and each of them or a count
printf 'main 20000\nfeeder 20000\n' | "$fisql" record --say -q ./followed >/dev/null 2>many
left=$(sed -n 's/^fisql: --say: \([0-9]*\) messages* left out.*/\1/p' many | awk '{ sum += $1 } END { print sum + 0 }')
same "each message is printed or counted" 80000 $(($(grep -cE '^fisql: (followed|feeder): (at: i = [0-9]+|step [0-9]+)$' many) + left))
same "in whole lines" "" "$(grep -vE '^fisql: ((followed|feeder): (at: i = [0-9]+|step [0-9]+)|--say: .*)$' many | head -3)"

# --- scopes, values, results, as C++ and in a forked child
"$fisql" cc g++ -w -O1 -g -I"$here/collector" -o values "$programs/trace_macros.cc" -lpthread || not_ok "it builds"
run "$fisql" record --say -q ./values values
at_least "values of C++" 5 "$(grep -c '^fisql: values: .* = ' <<<"$err")" "$err"
