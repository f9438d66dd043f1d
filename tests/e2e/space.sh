#!/bin/bash
# Where room is short: address space, the shadow stack, slots of the live area. What the program gets
# without fisql it gets with it, and what cannot be recorded is said.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# ---- address space
gcc -w -O0 -o plain "$programs/tight.c" -lpthread
build gcc tight -O0 -g "$programs/tight.c"
"$fisql" cc gcc -static -w -O0 -g -o static "$programs/tight.c" -lpthread
limits="3000000 2000000" # glibc alone reserves 64 MB a thread
case $FISQL_BUILD in
*asan*) limits= ;; # a fisql with ASan needs 20 TB itself
esac
for limit in $limits; do
    same "ulimit -v $limit: without fisql nothing fails" 0 "$(ulimit -v $limit && ./plain threads)"
    for program in tight static; do
        same "$program, ulimit -v $limit: nothing fails" 0 "$(ulimit -v $limit && "$fisql" record -q ./$program threads)"
        "$fisql" load -q run.bin
        same "$program, ulimit -v $limit: all is recorded" "0 16" "$? $(calls_of run.db work)"
    done
done
read -r _ _ _ _ plain _ <<<"$(./plain size | tr '\n' ' ')"
read -r _ process resident _ thread touched <<<"$("$fisql" record -q ./tight size | tr '\n' ' ')"
read -r _ process_plain resident_plain _ <<<"$(./plain size | head -n 1)"
report $((process - process_plain >= 2048 || resident - resident_plain >= 2048)) "a process takes less than 2 MB more" \
    "address space $process_plain to $process, resident $resident_plain to $resident KB"
report $((thread - plain >= 256 || touched >= 128)) "a thread takes less than 256 KB of address space" \
    "$plain to $thread, resident $touched KB"

# ---- data: below what recording takes, the program runs unrecorded, and that is said
build gcc limited -O1 -g "$programs/limited.c" -lpthread
limited="368 512 704 1024 2048 8192" # KiB; with less the dynamic linker cannot map two of our libraries
case $FISQL_BUILD in
*asan*) limited=8192 ;;
esac
for options in "" --locks --values "--values --locks" --fault; do
    for limit in $limited; do
        plain=5
        [ "$options" != --fault ] || [ "$limit" -lt 8192 ] || plain=7
        words=()
        case $options in
            --fault) words=(--fault "number: return 7") ;;
            *) read -r -a words <<<"$options" ;;
        esac
        run "$fisql" record "${words[@]}" ./limited "$limit"
        same "ulimit -d $limit, $options: the program is untouched" $plain "$status"
        case $err in
            *"1 program was not recorded (limited): its limits leave no memory"*) said=1 recorded=0 ;;
            *) said=0 recorded=1 ;;
        esac
        [ "$limit" -lt 8192 ] || same "ulimit -d $limit, $options: it is recorded" 0 $said
        "$fisql" load -q run.bin 2>load.err
        same "ulimit -d $limit, $options: it is recorded or said not to be" "$recorded" "$(calls_of run.db number)"
    done
done

# No room for anything: a thread that cannot be recorded is said to be missing, calls that find no place on
# the shadow stack are counted.
same "no room at all: the program is untouched" "done 0" "$("$fisql" record -q ./tight full) $?"
run "$fisql" load run.bin
same "no room at all: load says that something is missing" 1 "$status"
has "no room at all: and what" "no memory to record a thread" "$err"
same "no room at all: what calls deeper is counted" 121004 "$(calls_of run.db down)"

# ---- the shadow stack grows, and moves, under hooks that signals interrupt
for compiler in gcc clang; do
    build $compiler grow -O1 -g "$programs/grow.c" || continue
    for options in "" "--depth 3" "--depth 2000"; do
        # shellcheck disable=SC2086 # words
        "$fisql" record -q $options ./grow >out.txt
        same "deeper and deeper ($compiler $options): the program is untouched" 0 $?
        "$fisql" load -q run.bin
        same "deeper and deeper ($compiler $options): counts" "0 $(expected out.txt)" "$? $(counts run.db)"
    done
done

# ---- more threads and processes at once than the live area once had slots
build gcc slots -O1 -g "$programs/slots.c"
for how in threads processes; do
    "$fisql" record -q ./slots $how 2300 2>err.txt
    status=$?
    if [ $status -eq 77 ]; then
        echo "# skipped: 2300 $how at once are refused here"
        continue
    fi
    same "2300 $how at once: status" "0 " "$status $(cat err.txt)"
    "$fisql" load -q run.bin
    same "2300 $how at once: nothing is lost" "0 46000 2301" "$? $(calls_of run.db work) $(sql run.db "SELECT count(*) FROM $how")"
done
