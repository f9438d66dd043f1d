#!/bin/bash
# Hand-made hostile logs (tests/corrupt/hostile.py): each loads or is refused in bounded time and memory,
# the database is sound, and nothing that stands in the log reaches the terminal as it is.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 1
export PYTHONDONTWRITEBYTECODE=1
python3 "$here/tests/corrupt/hostile.py" . || not_ok "the hostile logs can be made"
mkfifo fifo
: >all
every=1 # all queries are asked of each database, or of every third
! brief || every=3
head -c 100000 /dev/urandom >live-beside.bin.live
case $FISQL_BUILD in *asan*) memory_kib=unlimited ;; *) memory_kib=2000000 ;; esac

asked=0
for log in *.bin; do
    name=${log%.bin}
    rm -f hostile.db
    (
        ulimit -v "$memory_kib"
        exec timeout 60 "$fisql" load -o hostile.db "$log"
    ) >out 2>err </dev/null
    status=$?
    wrong=
    [ "$status" -le 2 ] || wrong="exit status $status"
    [ "$(tr -d '\n' <err | tr -cd '\000-\037\177' | wc -c)" -eq 0 ] || wrong="$wrong; control characters on stderr"
    if [ "$status" -eq 2 ]; then
        [ ! -e hostile.db ] || wrong="$wrong; a database although it failed"
    elif [ "$status" -le 1 ]; then
        [ "$(sql hostile.db 'PRAGMA integrity_check')" = ok ] || wrong="$wrong; the database is not sound"
        asked=$((asked + 1))
        [ $((asked % every)) -ne 0 ] || "$fisql" query --all hostile.db >all 2>&1 || wrong="$wrong; query --all: $(tail -n 1 all)"
        [ "$(tr -d '\n' <all | tr -cd '\000-\037\177' | wc -c)" -eq 0 ] || wrong="$wrong; control characters in query --all"
    fi
    [ -z "$(ls -A ./*.loading-* 2>/dev/null)" ] || wrong="$wrong; a temporary file is left"
    "$fisql" dump "$log" 2>&1 | head -n 100000 | tr -d '\n' | tr -cd '\000-\037\177' >control
    [ ! -s control ] || wrong="$wrong; control characters in fisql dump"
    report $((${#wrong} > 0)) "hostile log: $name" "$wrong
$(head -n 5 err)"
done
same "a sound log made by hand loads" "1|0" "$("$fisql" load -q -o plain.db plain.bin; sql plain.db 'SELECT count(*), min(ended) FROM calls')"

# An event with a number that cannot be is damage of its chunk: the rest of the log loads.
run "$fisql" load -o hostile.db impossible-block.bin
same "a block larger than any address space costs its chunk alone" "1|4|1" \
    "$status|$(sql hostile.db "SELECT (SELECT count(*) FROM calls), sum(calls) FROM losses WHERE reason = 'damaged'")"
run "$fisql" load -o hostile.db impossible-realloc.bin
same "so does a realloc to such a size, which frees nothing" "1|1|1|0" \
    "$status|$(sql hostile.db 'SELECT (SELECT count(*) FROM calls), count(*), count(free_ns) FROM allocs')"
