#!/bin/bash
# Programs that forbid themselves system calls: they live, and what could not be recorded is said.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc sealed -O2 -g "$programs/sealed.c" || exit 1
"$fisql" cc gcc -static -w -O2 -g -o sealed_static "$programs/sealed.c"
if ./sealed few >/dev/null; [ $? -ne 3 ]; then
    echo "ok - skipped: this machine has no seccomp"
    exit 0
fi
# Who writes in place of the program needs a processor of its own: with one alone recording ends.
silently=recorded
[ "$(nproc)" -gt 1 ] || silently=ended
for program in sealed sealed_static; do
    for how in few strict syscall most clocks wrong; do
        run "$fisql" record ./$program $how
        same "$program $how: output and status" "3 done" "$status $out"
        "$fisql" load run.bin 2>load.err
        loaded=$?
        case $how in
            few | syscall) expected=$silently ;;
            strict) expected=ended ;;
            *) expected=recorded ;;
        esac
        case $expected in
            recorded)
                same "$program $how: all is recorded" "after 200000 before 1000 0" "$(counts run.db | grep -v '^main\|^forbid' | tr '\n' ' ')$loaded"
                ;;
            *)
                same "$program $how: what came before is recorded" "before 1000" "$(counts run.db | grep -v '^main\|^forbid')"
                has "$program $how: record says what is missing" "it forbade itself system calls (seccomp)" "$err"
                same "$program $how: load says it too" "1 1" "$loaded $(grep -c seccomp load.err)"
                ;;
        esac
    done
    [ $silently = recorded ] || continue
    # 20 million calls, more than there is memory for, and signals in the middle of anything
    run "$fisql" record ./$program signals
    same "$program signals: output and status" "3 done" "$status $out"
    "$fisql" load -q run.bin 2>load.err
    lost=$(sql run.db "SELECT coalesce(sum(calls), 0) FROM losses WHERE reason = 'missing chunk'")
    if [ "$lost" = 0 ]; then
        same "$program signals: all is recorded but handlers" "after 20000000 before 1000" \
            "$(counts run.db | grep -v '^main\|^on_alarm\|^forbid' | tr '\n' ' ' | sed 's/ $//')"
    else # fisql record had no processor for a second
        at_least "$program signals: what is not recorded is told as lost" 20001000 $(($(calls_of run.db after) + $(calls_of run.db before) + lost))
    fi
done
if [ $silently = recorded ]; then
    run "$fisql" record --values ./sealed few
    same "--values: output and status" "3 done" "$status $out"
    "$fisql" load -q run.bin 2>load.err
    same "--values: what needs a system call is missing, and nothing else" '"constant" ? 200000 200000' "$(sql run.db "SELECT
        group_concat(text, ' ') FROM call_arguments WHERE function = 'forbid_text' AND position = 1") $(sql run.db "SELECT
        sum(position = 0) || ' ' || sum(position = 1) FROM call_arguments WHERE function = 'after'")"
fi

# The processor's clock forbidden: what comes after is not recorded, and the program is untouched.
build gcc clockless -O1 -g "$programs/clockless.c" || exit 1
if ./clockless >/dev/null; [ $? -eq 77 ]; then
    echo "ok - skipped: this machine's clock cannot be forbidden"
    exit 0
fi
for options in "" --values --locks; do
    for how in returns abort exec; do
        ./clockless $how 2>/dev/null # whether a program can begin so, the dynamic linker decides
        expected=$?
        read -r -a words <<<"$options"
        run "$fisql" record "${words[@]}" ./clockless $how
        same "clock forbidden, $options $how: status" $expected "$status"
        has "clock forbidden, $options $how: record says what is missing" "it may not read the processor's clock (PR_SET_TSC)" "$err"
        "$fisql" load -q run.bin 2>load.err
        same "clock forbidden, $options $how: what came before is recorded" "before 1000" "$(counts run.db | grep -v ^main)"
    done
done
