#!/bin/bash
# Descriptors: a program whose standard descriptors are closed, by whoever starts it or by itself, finds them
# closed; what it writes there, and what `fisql record` says there, comes into no file of fisql's.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc descriptors -O1 -g "$programs/descriptors.c"
work() { sql run.db "SELECT sum(calls) FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE f.name = 'work'"; }
for how in plain close again background; do
    [ $how = background ] && want=200 || want=200000
    for closed in "" "2>&-" "1>&- 2>&-" "<&- >&- 2>&-" "<&-"; do
        rm -f run.bin run.db
        eval "./descriptors $how </dev/null >/dev/null 2>&1 $closed"
        status=$?
        eval "\"\$fisql\" record ./descriptors $how </dev/null >/dev/null 2>&1 $closed"
        same "$how $closed: the program's status" $status $?
        "$fisql" load -q run.bin
        same "$how $closed: loads whole, every call is there" "0 $want" "$? $(work)"
    done
done

# fisql itself: what it cannot say is an error, and goes nowhere else.
"$fisql" query hot-functions >/dev/null 2>&1
eval "\"\$fisql\" query hot-functions >&- 2>said"
same "a query with standard output closed: status" 2 $?
has "a query with standard output closed: told" "standard output" "$(cat said)"
eval "\"\$fisql\" load -o run.db run.bin <&- >&- 2>&-"
same "load with all closed: status, and the database is sound" "0 ok" "$? $(sql run.db 'PRAGMA integrity_check')"
