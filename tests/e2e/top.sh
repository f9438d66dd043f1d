#!/bin/bash
# fisql top: exact calls, processor time and waits of a program that does what it is told; the keys, in a terminal of
# its own, which is as before however fisql top ends.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc tops -O1 -g "$programs/tops.c"
gcc -O1 -g -o plain "$programs/tops.c" -lpthread

# begin NAME RECORD-OPTION...: records ./NAME; `tell LINE` makes it do something
begin() {
    local name=$1
    shift
    rm -f in answers
    mkfifo in
    "$fisql" record -q "$@" ./"$name" <in >answers 2>record.err &
    recorder=$!
    exec 3>in
    tell "c 1" # so that it records
    program=$(pgrep -P $recorder -x "$name")
}

tell() {
    local before
    before=$(grep -c '^done' answers)
    echo "$1" >&3
    for _ in $(seq 300); do
        [ "$(grep -c '^done' answers)" = "$before" ] || return 0
        sleep 0.05
    done
    not_ok "the program answers to $1"
}

finish() {
    exec 3>&-
    wait "$recorder"
}

# A line of the table without its times: calls since fisql top began, function.
calls_of_top() { awk -v name="$1" '$5 == name { print $4 }' table.txt | tail -n 1; }
ms_of_top() { awk -v name="$1" -v column="$2" -v every="$3" '$5 == name { printf "%d\n", $column * every }' table.txt | tail -n 1; }

# table OPTION... -- LINE...: what fisql top shows of 6 seconds in which the program is told these lines
table() {
    local options=()
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    timeout 60 "$fisql" top --once --every 6s "${options[@]}" "$program" >table.txt 2>top.err &
    local top=$!
    sleep 2 # it follows by now
    for line in "$@"; do tell "$line"; done
    wait $top
    same "fisql top: status" "0 " "$? $(cat top.err)"
}

for how in "tops" "plain" "tops --ring 1M" "tops --rotate 1M,5" "tops --no-compress"; do
    read -r -a words <<<"$how"
    begin "${words[@]}"
    table --sort name -- "c 1000" "t 4 20000" "b 300" "s 400"
    same "$how: calls of step are exact" 81000 "$(calls_of_top step)"
    same "$how: and of leaf" 243000 "$(calls_of_top leaf)"
    same "$how: and of what was called once" "1 1" "$(calls_of_top busy) $(calls_of_top nap)"
    lacks "$how: none is left out" "in no row" "$(cat table.txt)"
    cpu=$(ms_of_top busy 2 6) slept=$(ms_of_top nap 3 6)
    report $((cpu < 270 || cpu > 340)) "$how: processor time of a function that computes" "300 ms expected, not $cpu: $(cat table.txt)"
    report $((slept < 390 || slept > 5000)) "$how: waits of one that sleeps" "400 ms expected, not $slept: $(cat table.txt)"
    report $(($(ms_of_top nap 2 6) > 20)) "$how: which takes no processor time" "$(cat table.txt)"
    waits=$(ms_of_top main 3 6)
    report $((waits < 2000)) "$how: main waits for input meanwhile" "$(cat table.txt)"
    finish
done

# ---- options
begin tops
table --sort calls --rows 1 -- "c 500"
same "sorted by calls, one row" "leaf" "$(awk 'NR == 3 { print $5 } NR > 3 { print }' table.txt | xargs)"
table --filter 'st*' -- "c 500"
same "a pattern" step "$(awk 'NR > 2 { print $5 }' table.txt | xargs)"
table --filter eaf -- "c 500"
same "a part of the name" leaf "$(awk 'NR > 2 { print $5 }' table.txt | xargs)"
run "$fisql" top -n 3 --every 200ms "$program"
same "three tables" "0 3" "$status $(grep -c 'calls/s, CPU' <<<"$out")"
run "$fisql" top --once --every 200ms $recorder
same "the recorder's PID is one, too" 0 "$status"
for bad in "--sort x" "--every 1ms" "--every 2h" "-n 0" "--rows 0" "--demangle x" "1 2" "x"; do
    read -r -a words <<<"$bad"
    run "$fisql" top "${words[@]}"
    same "$bad is refused" "2 1" "$status $(wc -l <<<"$err")"
done
run "$fisql" top --once 1
same "a process that is not recorded" 2 "$status"

# ---- names from the program: nothing reaches the terminal as it is
cat >evil.c <<'C'
#include <unistd.h>
static volatile int sink;
void evil(void) { sink++; }
int main(void) { for (int i = 0; i < 1000; i++) { evil(); usleep(10000); } return 0; }
C
"$fisql" cc gcc -O1 -c -o evil.o evil.c
objcopy -g --redefine-sym evil="$(printf 'ev\033[31mil')" evil.o
"$fisql" cc gcc -o evil evil.o
"$fisql" record -q -o evil.bin ./evil &
other=$!
sleep 1
run "$fisql" top --once $other
has "a hostile name is escaped" 'ev\x1b[31mil' "$out"
lacks "and only shown so" $'\033' "$out"
kill "$(pgrep -P $other -x evil)"
wait $other

# ---- keys
screens() { # of screen.txt, the last one
    awk '/^=== SCREEN/ { text = ""; next } { text = text $0 "\n" } END { printf "%s", text }' screen.txt
}
(
    sleep 1.5
    tell "l 1"
    tell "c 2000"
) &
timeout 120 python3 "$here/tests/e2e/keys.py" 20 60 '4:c' '4.3:n' '4.6:/le' '5:af\r' '5.5:r' '12:s' '13:x' '14:q' -- \
    "$fisql" top --every 3s "$program" >screen.txt 2>&1
wait $!
has "the terminal is as before" "=== terminal as before screen back status 0" "$(tail -n 1 screen.txt)"
has "c sorts by calls" "by calls" "$(cat screen.txt)"
has "n by name" "by name" "$(cat screen.txt)"
has "/ asks for a part of names" "by name, of leaf" "$(cat screen.txt)"
has "s shows stacks" "main (tops.c:" "$(cat screen.txt)"
has "r records" "recording 5 s to top-" "$(cat screen.txt)"
same "no line is wider than the terminal" 0 "$(sed 's/…/./g; s/\x1b\[[0-9;?]*[a-zA-Z]//g' screen.txt | awk '/calls.s/ { table = 1 } /=== SCREEN/ { table = 0 } table && length($0) > 60' | grep -vc '^functions')"
has "a name that is wider is cut" "…" "$(cat screen.txt)"
piece=$(ls top-*.bin)
tell "c 7"
run "$fisql" load -o piece.db "$piece"
same "the piece is a log" 0 "$status"
same "which knows what is open" "main 1" "$(counts piece.db | grep main)"
rm -f top-*.bin

(
    sleep 3
    tell "c 1234"
) &
timeout 120 python3 "$here/tests/e2e/keys.py" 20 100 '1.5:r' '6.9:t' '8:q' -- "$fisql" top "$program" >screen.txt 2>&1
wait $!
"$fisql" load -q -o piece2.db top-*.bin
at_least "a piece has what was called meanwhile" 1234 "$(counts piece2.db | sed -n 's/^step //p')"
has "fisql top says how to load it" "recorded: fisql load top-" "$(cat screen.txt)"
same "and it is complete" "" "$(sql piece2.db "SELECT reason FROM losses WHERE reason <> 'unknown frees'")"

for end in '2:\x03' 2:TERM 2:HUP; do
    timeout 120 python3 "$here/tests/e2e/keys.py" 20 60 "$end" -- "$fisql" top "$program" >screen.txt 2>&1
    has "ended by $end: the terminal is as before" "=== terminal as before screen back" "$(tail -n 1 screen.txt)"
done
(
    for _ in $(seq 300); do # until it is there
        pgrep -xf "$fisql top $program" >/dev/null && break
        sleep 0.1
    done
    sleep 2
    kill "$program"
) &
timeout 120 python3 "$here/tests/e2e/keys.py" 20 60 -- "$fisql" top "$program" >screen.txt 2>&1
has "when the program ends fisql top does" "=== terminal as before screen back status 0" "$(tail -n 1 screen.txt)"
finish
exit 0 # the program was killed
