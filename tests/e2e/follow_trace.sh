#!/bin/bash
# fisql trace --follow: calls, messages and checkpoints of a program as they happen, filtered, bounded, and its end.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
build gcc followed -O1 -g -I"$here/collector" "$programs/followed.c" || exit 2

# begin: records the program in the background
begin() {
    rm -f in said
    mkfifo in said
    "$fisql" record -q -o f.bin ./followed <in >said 2>record_err &
    recorder=$!
    exec 7>in 8<said
    read -r -t 60 <&8 || not_ok "the program does not begin"
    program=$(pgrep -P $recorder -x followed)
}
# order WORD...: and waits until it is done
order() {
    echo "$*" >&7
    read -r -t 60 <&8 || not_ok "order $*: no answer"
}
finish() {
    exec 7>&- 8<&-
    wait $recorder
}
# follow OPTION...: in the background, into shown
follow() {
    : >follow_err # not what the one before said
    "$fisql" trace --follow --color never "$@" >shown 2>follow_err 7>&- 8<&- &
    follower=$!
    appears following follow_err
}
# appears PATTERN FILE: waits for it
appears() {
    for _ in $(seq 1200); do
        grep -q -- "$1" "$2" && return
        sleep 0.05
    done
    not_ok "\"$1\" appears in $2"
}
# what is shown, without times; labels have 15 columns
plain() { cut -c31- shown | sed 's/  followed\.c:[0-9]*$//; s/  *$//'; }
# calls shown: neither ends, nor messages, nor counts
calls() { grep -cvE '^…|^ *[0-9.]+ us .{27} *[*<] ' shown; }

# --- everything, by the log
begin
follow f.bin
order feeder 1
appears '< obey' shown
same "calls with checkpoints and messages, each under its call" "feeder               obey
feeder                 rounds
feeder                   step
feeder                     * at: i = 0
feeder                     leaf
feeder                     * step 0
feeder                   < step
feeder                 < rounds
feeder               < obey" "$(plain | grep '^feeder')"
same "a call without lines in it has its duration in its own" 1 "$(grep -cE '^ *[0-9.]+ us +[0-9.]+ (ns|us|ms|s)  feeder +leaf' shown)"
order drainer say "here $(printf '\033')[31m"
appears 'here' shown
has "hidden characters are shown" '* here \x1b[31m' "$(grep here shown)"
has "threads have the names that pthread_setname_np gave" "drainer" "$(grep here shown)"
order main say "the last word"
finish
wait $follower
same "it ends with the program" 0 $?
has "with what was left" "the last word" "$(cat shown)"

# --- filters, by pid
begin
follow --thread feeder --no-calls --level 1 "$program"
order main 1
order feeder 2
order drainer 1
order feeder say enough
appears enough shown
same "one thread's messages up to a level" "* step 0
* step 1
* enough" "$(plain | sed 's/^feeder *//')"
kill -INT $follower
wait $follower
same "an interrupt ends it" 0 $?
follow --function step --depth 1 $recorder
order main 1
order drainer 1
order main say outside
order drainer 1
for _ in $(seq 1200); do [ "$(grep -c 'step 0' shown)" -ge 3 ] && break; sleep 0.05; done
same "a function's calls and what is said in them, by the recorder's pid" "step
  * at: i = 0
  * step 0
< step" "$(plain | grep '^followed' | cut -c18-)"
kill -TERM $follower
wait $follower
same "so does a request to end" 0 $?
follow --limit 2 --function leaf f.bin
order main 5
wait $follower
same "a limit ends it" "0 2" "$? $(calls)"

# --- behind: nobody reads, while the program goes on
mkfifo full
: >follow_err
"$fisql" trace --follow --color never f.bin >full 2>follow_err 7>&- 8<&- &
follower=$!
exec 9<full
appears following follow_err
order main 200000
order main say "that was much"
cat <&9 >shown 7>&- 8<&- &
reader=$!
appears "that was much" shown
finish
wait $follower
same "it ends where it was behind" 0 $?
exec 9<&-
wait $reader
left=$(sed -n 's/^… \([0-9]*\) calls.*/\1/p' shown | awk '{ sum += $1 } END { print sum + 0 }')
at_least "it says what it left out" 100000 "$left"
# obey, rounds, step and leaf of each round; obey; give and obey of the threads' ends
same "and shows each other call" 400007 $(($(calls) + left))

# --- a program that is killed
begin
follow f.bin
order main say "before the end"
kill -KILL "$program"
wait $follower
same "it ends with a program that is killed" 0 $?
has "having shown what that said last" "before the end" "$(cat shown)"
exec 7>&- 8<&-
wait $recorder

# --- what it refuses
run "$fisql" trace --follow f.bin
same "a log that nobody writes" 2 "$status"
has "is refused with what to do" "nobody is recording into it" "$err"
run "$fisql" trace --follow --since 1s f.bin
has "a span is refused" "--follow cannot be used with" "$err"
run "$fisql" trace --follow --level 6 f.bin
has "a level is from 1 to 5" "wants a level from 1 to 5" "$err"
run "$fisql" trace --level 3
has "a level is for --follow" "--level is for --follow" "$err"
run "$fisql" trace --follow 999999999
has "a pid that is none" "there is no such process" "$err"
