#!/bin/bash
# What could not be written: the calls in the database and those told as lost are the calls that were
# made, exactly, and `record`, `load`, `info` and `completeness` say so alike.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 1
build gcc hungry -O1 -g "$programs/hungry.c"
build gcc filesize -O1 -g "$programs/filesize.c"
"$fisql" cc --static-runtime gcc -w -O1 -g -o hungry.linked "$programs/hungry.c" -lpthread

# The total that is told as lost, by each who tells it. The program's output is its number of calls.
told() { # WHAT LOG RECORDER'S-WORDS
    local made rows lost
    made=$(cat made)
    run "$fisql" load -o run.db "$2"
    rows=$(sql run.db 'SELECT count(*) FROM calls')
    lost=$(sql run.db 'SELECT sum(calls) FROM losses')
    same "$1: rows and lost calls are the calls made" "$made" "$((rows + lost))"
    same "$1: load ends with status 1" 1 "$status"
    has "$1: load says both" "run.db: $rows calls, " "$err"
    has "$1: load says both" "; $lost calls are missing" "$err"
    if [ -n "$3" ]; then
        has "$1: record says how many are in the log" ": $((made - $(unwritten "$3"))) calls, " "$(cat "$3")"
        at_least "$1: record says how many are not" "$lost" "$(unwritten "$3")" "$(cat "$3")"
    fi
    same "$1: completeness has them" "$lost" \
        "$("$fisql" query completeness --format csv run.db 2>/dev/null | awk -F, 'NR > 1 && $3 != "" { n += $3 } END { print n }')"
    same "$1: info has them" "$lost" "$("$fisql" info run.db 2>/dev/null |
        sed -n '/^lacks/,$s/.*: \([0-9]*\) calls\(:.*\)*$/\1/p' | awk '{ n += $1 } END { print n }')"
    same "$1: the database is sound" "ok|0" "$(sql run.db "PRAGMA integrity_check")|$(sql run.db '
        SELECT count(*) FROM calls c JOIN calls p ON p.id = c.parent_id WHERE c.id > p.id + p.descendants')"
}
unwritten() { # FILE: as the recorder says
    sed -n 's/.*: \([0-9]*\) calls (.* could not be written.*/\1/p' "$1"
}

for what in plain threads fork; do
    (ulimit -f 300; exec "$fisql" record -o limited.bin ./hungry $what) >made 2>words
    same "a limit on files, $what: the program ends as without fisql" "0|1" "$?|$(wc -l <made)"
    told "a limit on files, $what" limited.bin words
    has "a limit on files, $what: the reason" "File too large" "$err"
done
# The last write stops at the edges of a chunk's header.
for over in 0 8 120 128 136; do
    prlimit --fsize=$((262144 + over)) "$fisql" record -o limited.bin ./hungry plain >made 2>words
    told "a limit on files of 256 KiB and $over" limited.bin words
done
(ulimit -f 300 && FISQL_LOG=run.bin exec ./hungry.linked plain) >made 2>words
same "a limit on files, without fisql record: the program ends as it would" "0|0" "$?|$(wc -c <words)"
told "a limit on files, without fisql record" run.bin ""
[ ! -e core ] || rm -f core

# Threads without a slot in the live area, which the limit makes small: what they have is written all the same.
(ulimit -f 300; exec "$fisql" record -o cut.bin ./hungry cut) >made 2>words
"$fisql" load -q -o cut.db cut.bin
same "threads that the end cuts off, under a limit: all is there" "$(cat made) $(cat made)|0" \
    "$(sql cut.db 'SELECT count(*) FROM calls') $(sed -n 's/.*cut.bin: \([0-9]*\) calls.*/\1/p' words)|$(sql cut.db 'SELECT count(*) FROM losses')"

# Signals: what our writes cause does not reach the program, what its own do does.
while read -r how expected; do
    rm -f own
    got=$( (ulimit -f 300; "$fisql" record -q -o signals.bin ./filesize "$how" own) 2>words | tr '\n' '|')
    same "SIGXFSZ, $how" "$expected" "$got"
    rm -f own signals.bin
    same "SIGXFSZ, $how: the same without fisql" "$expected" "$( (ulimit -f 300; ./filesize "$how" own) 2>/dev/null | tr '\n' '|')"
done <<'E2'
handler 0 signals, 0 pending|own write: File too large; 1 signals, 0 pending|1 signals, 0 pending|
ignored 0 signals, 0 pending|own write: File too large; 0 signals, 0 pending|0 signals, 0 pending|
default 0 signals, 0 pending|
blocked 0 signals, 0 pending|own write: File too large; 0 signals, 1 pending|0 signals, 1 pending|
E2

# fisql's own commands: no signal kills them, what is wrong is said, nothing half-made stays.
"$fisql" record -q -o whole.bin ./hungry plain >/dev/null
"$fisql" load -q -o whole.db whole.bin
limited() { # WHAT FILE COMMAND...
    local what=$1 file=$2
    shift 2
    run bash -c 'ulimit -f 300; exec "$@"' _ "$@"
    same "a limit on files, $what: status 2" 2 "$status"
    has "a limit on files, $what: it is said" "File too large" "$err"
    same "a limit on files, $what: nothing is left" "" "$(ls -d "$file"* 2>/dev/null)"
}
limited load small.db "$fisql" load -o small.db whole.bin
limited export small.json "$fisql" export --format chrome -o small.json whole.db
run bash -c 'ulimit -f 1; exec "$@"' _ "$fisql" record -o small.bin ./hungry plain
same "a limit of 1 KiB, record: status 2 before anything runs" "2|" "$status|$out"
has "a limit of 1 KiB, record: it is said" "File too large" "$err"

# A full disk, and one that has room again later.
if ! { [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=300k tmpfs small 2>/dev/null; }; then
    echo "# skipped: a full disk needs a mount, which is refused here"
    exit 0
fi
# The child of `fork` and its log end after its last word: wait until the disk has its room back.
emptied() {
    rm -f small/*
    for _ in $(seq 200); do
        [ "$(df --output=used small | tail -n 1)" -gt 0 ] || return 0
        sleep 0.1
    done
    echo "# still used: $(df small | tail -n 1)"
}
for what in plain threads fork; do
    emptied
    "$fisql" record --no-compress -o small/run.bin ./hungry $what >made 2>words
    same "a full disk, $what: the program ends as without fisql" "0|1" "$?|$(wc -l <made)"
    cp small/run.bin full.bin
    told "a full disk, $what" full.bin words
    has "a full disk, $what: the reason" "No space left on device" "$err"
done
emptied
(cd small && FISQL_LOG=run.bin exec ../hungry.linked plain) >made 2>words
cp small/run.bin* .
told "a full disk, without fisql record" run.bin ""
emptied
mount -o remount,size=2000k small
head -c 1700000 /dev/zero >small/ballast
# Without a writer: what waits for one would find room later.
alone "$fisql" record -o small/run.bin ./hungry relief small/ballast >made 2>words
cp small/run.bin relieved.bin
told "a disk that has room again" relieved.bin words
same "a disk that has room again: the gap is told, once" "1" \
    "$(sql run.db "SELECT count(*) FROM losses WHERE reason = 'missing chunk'")"
emptied
umount small
