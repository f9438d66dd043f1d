#!/bin/bash
# Hostile names of functions, files, threads and programs in what is said of a program that runs or crashes, in what
# fisql makes of its log, and in messages that repeat names.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export PAGER=cat HOME=$TEST_TMP LC_ALL=C.UTF-8
evil=$'\e[31m\nfisql: forged<b>"&amp;\xff\xc2\x9b'
shown='\x1b[31m\x0afisql: forged<b>"&amp;\xff<U+009B>'
long=$(printf 'L%.0s' {1..15000})

# make_program NAME FLAG: functions have hostile names without debug information, and their file has one with it
make_program() {
    cp "$programs/hostile_names.c" "file$evil.c"
    "$fisql" cc gcc "$2" -O1 -I"$here/collector" -c -o names.o "file$evil.c" 2>&1 || not_ok "$1 compiles"
    objcopy --redefine-sym "named_wait=wait$evil" --redefine-sym "named_crash=crash$evil" \
        --redefine-sym "named_long=$long" --redefine-sym "named_take=take$evil" --redefine-sym "named_tell=tell$evil" names.o
    "$fisql" cc gcc -o "$1" names.o -lpthread 2>&1 || not_ok "$1 links"
}
# plain WHAT FILE: what people read has no control characters, is UTF-8, and no name begins a line of it
plain() {
    same "$1: no control characters" "" "$(LC_ALL=C tr -d '\n' <"$2" | LC_ALL=C grep -aoP '.{0,30}[\x00-\x1f\x7f].{0,30}|.{0,30}\xc2[\x80-\x9f].{0,30}' | cat -v | head -n 2)"
    same "$1: is UTF-8" 0 "$(iconv -f UTF-8 -t UTF-8 <"$2" >/dev/null 2>&1; echo $?)"
    same "$1: a name begins no line" 0 "$(grep -ac '^fisql: forged\|^forged' "$2")"
    same "$1: a line is bounded" "" "$(awk 'length > 10000 { print length; exit }' "$2")"
}
# begin WORD: records the program with it in the background, until it says that it is ready; sets started
begin() {
    rm -f out run.bin
    mkfifo out
    "$fisql" record --locks -o run.bin "./$program" "$1" >out 2>err_record &
    started=$!
    exec 8<out
    read -r -t 60 <&8 || not_ok "$program $1: not ready"
}
finish() {
    kill "$started"
    wait "$started" 2>err_wait
    exec 8<&-
}
# until_has TEXT COMMAND...: seen gets what the command prints, when it has the text, or at the end
until_has() {
    local text=$1
    shift
    for _ in $(seq 100); do
        "$@" >seen 2>&1
        grep -qF -- "$text" seen && break
        sleep 0.1
    done
}

make_program $'names\e[31m' -g0
make_program $'files\e[31m' -g
for program in $'names\e[31m' $'files\e[31m'; do
    label=${program%$'\e[31m'}
    begin lock
    until_has deadlock "$fisql" stacks "$started"
    has "$label: stacks finds the deadlock, with its threads' names" 'deadlock: t\x1b[31m' "$(cat seen)"
    plain "$label: stacks of a deadlock" seen
    [ "$label" = names ] && has "stacks shows functions" "take$shown (names\\x1b[31m+0x" "$(cat seen)"
    [ "$label" = files ] && has "stacks shows files" "file$shown.c:" "$(cat seen)"
    finish
    begin wait
    until_has '#2' "$fisql" stacks --last 9 "$started"
    has "$label: stacks shows a thread's name" 'm\x1b]0;x\x07\xff<U+009B>' "$(cat seen)"
    plain "$label: stacks" seen
    for command in "ps" "ps --format json" "ps --format markdown"; do
        # shellcheck disable=SC2086 # words
        "$fisql" $command >seen 2>&1
        has "$label: $command shows the program" "$(grep -oF "$label" seen | head -n 1)\\" "$(cat seen)"
        plain "$label: $command" seen
    done
    "$fisql" control "$started" exclude "none$evil" >seen 2>&1
    has "$label: control shows a pattern" "none$shown: no function" "$(cat seen)"
    "$fisql" control "$started" exclude "*${label:0:4}*$evil" "*a*" >>seen 2>&1
    plain "$label: control" seen
    [ "$label" = names ] && "$fisql" control "$started" exclude "wait$evil"
    finish
    "$fisql" load run.bin >seen 2>&1
    "$fisql" info run.db >>seen 2>&1
    plain "$label: load and info" seen
    [ "$label" = names ] && has "info shows what control was asked for" "without 'wait$shown'" "$(cat seen)"
    "$fisql" dump run.bin >seen 2>&1
    has "$label: dump shows the program's name" 'command = ./'"$label"'\x1b[31m wait' "$(cat seen)"
    plain "$label: dump" seen
    for format in folded callgrind dot mermaid; do
        "$fisql" export --format "$format" run.db >seen 2>&1
        [[ $format == f* || $format == c* ]] && sed -i "s/$long/long/g" seen # for programs: names are whole
        plain "$label: export --format $format" seen
    done
    "$fisql" export --format pprof -o profile.gz run.db 2>seen
    same "$label: pprof's profile holds the name in UTF-8" yes "$(gzip -dc profile.gz | python3 -c '
import sys
names = {"names": "wait\x1b[31m\nfisql: forged<b>\"&amp;\ufffd\u009b", "files": "file\x1b[31m\nfisql: forged<b>\"&amp;\ufffd\u009b.c"}
print("yes" if names[sys.argv[1]].encode() in sys.stdin.buffer.read() else "no")' "$label")"

    # --- a crash, with fisql record and without it
    "$fisql" record --locks -o crash.bin "./$program" crash >seen 2>&1
    [ "$label" = names ] && has "the report of a crash shows functions" "#0 crash$shown at names\\x1b" "$(cat seen)"
    [ "$label" = files ] && has "the report of a crash shows files" "#0 named_crash at file$shown.c:" "$(cat seen)"
    plain "$label: the report of a crash" seen
    (LD_PRELOAD=$FISQL_BUILD/libfisql.so FISQL_LOG=$PWD/own.bin exec "./$program" crash) >/dev/null 2>seen
    has "$label: without fisql record it shows the program" "/$label"'\x1b[31m+0x' "$(cat seen)"
    plain "$label: a crash without fisql record" seen

    # --- a diary
    "$fisql" record -q -o tell.bin "./$program" tell >seen 2>&1
    plain "$label: a diary" seen
    (LD_PRELOAD=$FISQL_BUILD/libfisql.so FISQL_LOG=$PWD/own.bin exec "./$program" tell) >/dev/null 2>seen
    has "$label: a diary without fisql record shows the program" "/$label" "$(cat seen)"
    plain "$label: a diary without fisql record" seen
done

# --- messages
"$fisql" load -q -o run.db crash.bin 2>err_load
while read -r words; do
    eval "set -- $words"
    "$fisql" "$@" >seen 2>&1 </dev/null
    same "fisql $words: refused" 2 $?
    plain "fisql $words" seen
done <<'W'
load "$evil"
load "--$evil"
load crash.bin -o "nosuch/$evil"
dump "$evil"
query "$evil"
query call-counts "$evil"
query call-counts --function "crash$evil" --since "$evil" run.db
query call-counts --function "crush$evil" run.db
query call-counts --file "$evil" run.db
query call-counts --thread "$evil" run.db
query call-counts -p "$evil=1" run.db
query call-counts --function "${long:1:14000}" run.db
trace --function "crush$evil" run.db
trace --thread "$evil" run.db
tree --by-value "$evil" run.db
stack "$evil" run.db
export --format "$evil" run.db
export --format pprof -o "nosuch/$evil" run.db
diff run.db run.db --check "$evil"
review --function "$evil" run.db
report -o "nosuch/$evil" run.db
digest "$evil"
info "$evil"
record -o "nosuch/$evil" true
record --only "$evil" true
record --fault "$evil" true
record --level "$evil" true
faults -o "nosuch/$evil" true
fleet "$evil"
push run.db "nosuch/$evil"
pull "$evil" 1
control "$evil" stop
control 1 "$evil"
stacks "$evil"
ps --format "$evil"
"$evil"
W
