#!/bin/bash
# docs/comparison.md: its commands run as they stand, where their tools are there and may do what they do, and what the
# tools count alike is alike.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
PATH=$FISQL_BUILD:$PATH
page=$here/docs/comparison.md
cp "$here/examples/growth.c" "$here/examples/wordstat.c" .

# usable TOOL: false if it cannot be used; `why` says why. Each tool is asked once: the answer may change with the load.
declare -A known
usable() {
    if [ -z "${known[$1]-}" ]; then
        known[$1]=-
        if ! command -v "$1" >/dev/null; then
            known[$1]="there is no $1"
        else
            case $1 in
                perf) perf record -q -F 99 -o try.data true >/dev/null 2>&1 || known[$1]="perf may not record here" ;;
                bpftrace)
                    timeout 30 bpftrace -e 'BEGIN { exit(); }' >/dev/null 2>&1 || known[$1]="bpftrace may not trace here"
                    [ -n "$(timeout 30 bpftrace -l 'tracepoint:syscalls:sys_enter_futex' 2>/dev/null)" ] || known[$1]="this kernel has no tracepoints of system calls"
                    ;;
                strace) strace -o try.txt true >/dev/null 2>&1 || known[$1]="strace may not trace here" ;;
                uftrace) uftrace --version | grep -qE 'v?0\.1[3-9]|v?[1-9]\.' || known[$1]="uftrace is older than 0.13" ;;
            esac
        fi
    fi
    why=${known[$1]#-}
    [ -z "$why" ]
}
tool_of() { # COMMAND: the word that names its tool
    case $1 in
        callgrind_annotate* | cg_annotate*) echo valgrind ;;
        heaptrack_print*) echo heaptrack ;;
        *) echo "${1%% *}" ;;
    esac
}

sed -n 's/^    \$ //p' "$page" >commands
at_least "the page has commands" 60 "$(wc -l <commands)"
number=0
tried=
while read -r command <&3; do
    number=$((number + 1))
    tool=$(tool_of "$command")
    usable "$tool"
    # Tracepoints and the scheduler's events are of the kernel alone; some machines have none for guests.
    case $command in 'perf sched'* | 'perf trace'*) perf trace -o try.txt -s true >/dev/null 2>&1 || why="perf may not trace here" ;; esac
    if [ -n "$why" ]; then
        echo "skipped - $command: $why"
        continue
    fi
    tried+=" $tool"
    # Not run(): its variables are exported, and some of these print megabytes.
    timeout 120 bash -c "$command" >"shown.$number" 2>said
    status=$?
    same "$command" 0 "$status"
    [ "$status" -eq 0 ] || tail -n 3 said
    case $command in
        *report* | *query* | *trace\ --* | *annotate* | *replay* | *whatif*) at_least "shows something: $command" 2 "$(wc -l <"shown.$number")" "$(tail -n 3 said)" ;;
    esac
done 3<commands

# shown COMMAND: what the first such command printed
shown() {
    local number
    number=$(grep -n -m 1 -F -- "$1" commands | cut -d: -f1)
    cat "shown.$number" 2>/dev/null
}
same "fisql counts find()" "12000" "$(calls_of run.db find)"
! usable uftrace || same "so does uftrace" 12000 "$(shown 'uftrace report -d uftrace.data' | awk '$NF == "find" { print $(NF - 1) }')"
! usable valgrind || same "and callgrind" "(12,000x)" "$(shown 'callgrind_annotate --tree' | grep -o -m 1 '=> growth.c:find (12,000x)' | awk '{ print $NF }')"
! usable bpftrace || same "and bpftrace" "@calls: 12000" "$(shown 'uprobe:./growth:find { @calls' | grep '@calls')"
same "both builds call find() alike" "$(calls_of run.db find)" "$(calls_of indexed.db find)"
same "the stripped program's calls are as many" "$(sql run.db 'SELECT sum(calls) FROM function_stats')" "$(sql stripped.db 'SELECT sum(calls) FROM function_stats')"
has "the crash is found" "peek" "$(shown 'fisql query incidents')"
has "the function that never ran is found" "table_remove" "$(shown 'fisql query dead-code')"
has "crashes are found" "crash" "$(shown 'fisql query fault-outcomes')"
for tool in fisql gcc; do has "$tool was tried" " $tool" "$tried"; done
# Each task has a row, and each row its task.
same "the table has the page's tasks" "$(sed -n 's/^## \([0-9]*\)\. .*/\1/p' "$page" | xargs)" "$(sed -n 's/^| \([0-9]*\) | .*/\1/p' "$page" | xargs)"
same "its links lead there" "" "$(comm -3 <(sed -n 's/^## \([0-9].*\)/\1/p' "$page" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n-' | sort) <(sed -n 's/^| [0-9]* | .*](#\([^)]*\)).*/\1/p' "$page" | sort))"
