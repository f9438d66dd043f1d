#!/bin/bash
# fisql load: what it refuses and in which words, that nothing half-made is left, that it survives being
# killed, what it shows while it works, and what --summary and --sysroot do.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 1
export PYTHONDONTWRITEBYTECODE=1

cat > work.c <<'C'
#include <stdlib.h>
static volatile int sink;
static int leaf(int n) { return n * 3 + sink; }
static int node(int n) { return n < 2 ? leaf(n) : node(n - 1) + node(n - 2); }
int main(int argc, char **argv) { free(malloc(argc)); sink = node(argc > 1 ? atoi(argv[1]) : 15); (void)argv; }
C
build gcc work -O1 -g work.c
"$fisql" record -q -o run.bin ./work

# refused WHAT STATUS-2-MESSAGE COMMAND...: says so, and leaves the folder as it was
refused() {
    local what=$1 message=$2 before after
    shift 2
    before=$(find . -type f -printf '%p %s\n' | grep -v '^./\(out\|err\) ' | sort)
    run "$@"
    after=$(find . -type f -printf '%p %s\n' | grep -v '^./\(out\|err\) ' | sort)
    same "$what: exit status 2" 2 "$status"
    same "$what: the words" "$message" "$err"
    same "$what: nothing is left behind" "$before" "$after"
}

echo "int main(void) { return 0; }" >text.bin
: >empty.bin
head -c 100 run.bin >short.bin
mkdir folder.bin
mkfifo fifo.bin
python3 - "$here" <<'P'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/corrupt")
import log
open("newer.bin", "wb").write(log.chunk(log.RUN, log.facts(command="x"), version=9))
P
refused "not a log" "fisql: text.bin: is not a fisql log, or nothing in it is sound" "$fisql" load text.bin
refused "a log cut in its first chunk" "fisql: short.bin: is not a fisql log, or nothing in it is sound" "$fisql" load short.bin
refused "an empty file" "fisql: empty.bin: is empty: nothing was recorded into it" "$fisql" load empty.bin
refused "a newer log" "fisql: newer.bin: is a log of format version 9, this fisql reads version 7: load it with the fisql that recorded it" "$fisql" load newer.bin
refused "a folder" "fisql: folder.bin: is a folder, not a log" "$fisql" load folder.bin
refused "a FIFO" "fisql: fifo.bin: is not a regular file: save the log to a file first" timeout 10 "$fisql" load fifo.bin
refused "a missing file" "fisql: missing.bin: No such file or directory" "$fisql" load missing.bin
refused "a wrong number" "fisql: --threads 0: wants a number from 1 to 64" "$fisql" load --threads 0 run.bin
refused "a missing output folder" "fisql: nowhere/run.db: cannot be made: No such file or directory" "$fisql" load -o nowhere/run.db run.bin
echo important >notes.db
refused "an output that is no database of ours" "fisql: notes.db: exists and is not a fisql database: remove it, or give another output with -o" "$fisql" load -o notes.db run.bin
sqlite3 foreign.db 'CREATE TABLE t(x)'
refused "a foreign database" "fisql: foreign.db: exists and is not a fisql database: remove it, or give another output with -o" "$fisql" load -o foreign.db run.bin
refused "an output that is a folder" "fisql: folder.bin: is not a regular file: give another output with -o" "$fisql" load -o folder.bin run.bin
ln -s run.bin link.db
refused "an output that is a symbolic link" "fisql: link.db: is not a regular file: give another output with -o" "$fisql" load -o link.db run.bin

run "$fisql" load run.bin
same "a sound log: exit status 0" 0 "$status"
calls=$(sql run.db 'SELECT count(*) FROM calls')
run "$fisql" load run.bin
same "a fisql database is replaced" "0 $calls" "$status $(sql run.db 'SELECT count(*) FROM calls')"
python3 -c '
import sqlite3, time
database = sqlite3.connect("run.db", isolation_level=None)
database.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
time.sleep(60)' >locked &
holder=$!
while [ ! -s locked ]; do sleep 0.05; done
refused "an output in use" "fisql: run.db: is in use by another process: close it there, or give another output with -o" "$fisql" load run.bin
kill "$holder"
wait "$holder" 2>/dev/null

# Two loads of one database, while it is read: the first wins, the other one says what to do.
# A load that ends before it is stopped was too short for a machine that is busy; one that has not locked its file yet, too
# long (/proc/locks: to try the lock would be in its way).
locked_by_it() { grep -q "FLOCK.*:$(stat -c %i "$1" 2>/dev/null) " /proc/locks; }
for size in 24 27 30 33; do
    "$fisql" record -q -o both.bin ./work $size
    "$fisql" load -q run.bin -o both.db
    "$fisql" load -q both.bin -o both.db &
    first=$!
    until locked_by_it "both.db.loading-$first"; do
        grep -q '^State:.[RSDT]' /proc/$first/status 2>/dev/null || break # it has ended
        sleep 0.001
    done
    kill -STOP $first 2>/dev/null && sleep 0.01 && locked_by_it "both.db.loading-$first" && break
    kill -CONT $first 2>/dev/null
    wait $first
done
run "$fisql" query callers both.db
same "a database that is being made anew: the old one is read" 0 "$status"
run "$fisql" load run.bin -o both.db
has "a second load of it: refused, with what to do" \
    "2 fisql: both.db: another \`fisql load\` makes it just now (both.db.loading-$first): wait for it to end" "$status $err"
touch both.db-journal both.db-wal
kill -CONT $first
wait $first
same "the first one wins, and what belonged to the old one is gone" "0 both.bin both.db" "$? $(echo both.*)"
run "$fisql" load run.bin -o both.db
same "afterwards there is nothing in the way" 0 "$status"

# On a disk that is full from the start, while the rows are written, and while the tables are.
if [ "$(id -u)" -eq 0 ] && mkdir small && mount -t tmpfs -o size=300k tmpfs small 2>/dev/null; then
    "$fisql" record -q -o big.bin ./work 24
    "$fisql" load -q -o big.db big.bin
    for kib in 300 2000 $(($(stat -c %s big.db) / 1024 - 100)); do
        mount -o remount,size="$kib"k small
        run "$fisql" load -o small/run.db big.bin
        same "a full disk of $kib KiB: exit status 2" 2 "$status"
        case $err in
            "fisql: small/run.db"*": No space left on device" | "fisql: small/run.db: database or disk is full")
                ok "a full disk of $kib KiB: it is said, with the file's name" ;;
            *) not_ok "a full disk of $kib KiB: it says: $err" ;;
        esac
        same "a full disk of $kib KiB: nothing is left" "" "$(ls -A small)"
    done
    # Where a thread that decodes fails, another one may be adding up its rows just then.
    mount -o remount,size=2000k small
    for _ in $(seq 60); do
        "$fisql" load -q --threads 2 -o small/run.db big.bin 2>/dev/null
        echo "$? $(ls -A small)"
    done >statuses
    same "a full disk, 60 times" "60 2 " "$(sort statuses | uniq -c | sed 's/^ *//')"
    # Mounted anew: a remount is refused while anyone in the machine, a monitor that walks /proc
    # say, still looks at a file that was removed or written just now.
    umount small || umount -l small
    mount -t tmpfs -o ro tmpfs small
    run "$fisql" load -o small/run.db run.bin
    same "a read-only file system: exit status 2" 2 "$status"
    has "a read-only file system: it is said" "small/run.db: cannot be made: Read-only file system" "$err"
    umount small
else
    echo "# skipped: a full disk and a read-only file system need a mount, which is refused here"
fi

# Killed at any moment: no database, and the next load removes what was left.
"$fisql" record -q -o long.bin ./work 24
for moment in 0.01 0.03 0.05 0.08 0.12; do
    "$fisql" load -q -o killed.db long.bin &
    sleep "$moment"
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
    [ ! -e killed.db ] || [ "$(sql killed.db 'PRAGMA integrity_check; SELECT count(*) > 0 FROM function_stats')" = "ok
1" ] || not_ok "killed after $moment s: a half-made database stands under its name"
done
run "$fisql" load -q -o killed.db long.bin
same "after loads that were killed one succeeds" 0 "$status"
same "it leaves no litter of theirs" "" "$(find . -name 'killed.db?*')"

# Progress on a terminal only.
run "$fisql" load -q run.bin
same "--quiet says nothing" "" "$out$err"
run "$fisql" load run.bin
same "in a pipe there is one line" "1" "$(printf '%s\n' "$err" | wc -l)"
lacks "in a pipe there is no progress" "$(printf '\033')" "$err"
run "$fisql" load -v run.bin
has "--verbose says how fast it was" "M calls/s" "$err"
"$fisql" record -q -o longer.bin ./work 33
run script -qec "$fisql load --threads 1 longer.bin" /dev/null
has "on a terminal the stage is shown" "fisql: calls: " "$out"
has "with the rate" " MB/s" "$out"
has "and the time left" " s left" "$out"

# --index: the same database, and the calls of a function by it.
"$fisql" load -q --index -o indexed.db run.bin
same "--index: status" 0 $?
for table in calls frames function_stats; do
    same "--index: the same $table" "" "$(sql run.db "ATTACH 'indexed.db' AS s; SELECT * FROM $table EXCEPT SELECT * FROM s.$table; SELECT * FROM s.$table EXCEPT SELECT * FROM $table")"
done
has "--index: calls are found by their contexts" "USING INDEX calls_frame" \
    "$(sql indexed.db "EXPLAIN QUERY PLAN SELECT count(duration_ns) FROM functions f JOIN frames r ON r.function_id = f.id JOIN calls c ON c.frame_id = r.id WHERE f.name = 'main'")"
sound "--index" indexed.db
run "$fisql" query hot-functions indexed.db
same "--index: fisql reads it" 0 "$status"

# --summary: the same rollups, no rows of calls.
"$fisql" load -q -o whole.db run.bin
"$fisql" load -q --summary -o summary.db run.bin
same "--summary leaves the calls out" 0 "$(sql summary.db 'SELECT count(*) FROM calls')"
for table in frames function_stats edges allocs durations callee_transitions call_sequences callee_runs threads; do
    same "--summary keeps $table" "" "$(sql whole.db "ATTACH 'summary.db' AS s; SELECT * FROM $table EXCEPT SELECT * FROM s.$table; SELECT * FROM s.$table EXCEPT SELECT * FROM $table")"
done

# The program is elsewhere, missing, or another one.
mkdir -p root/"$PWD" && cp work root/"$PWD"/
mv work away
run "$fisql" load -o missing.db run.bin
same "a missing program: the load succeeds" 0 "$status"
same "a missing program: it is said once" 1 "$(printf '%s\n' "$err" | grep -c 'work: ')"
has "a missing program: functions show as module and offset" "work+0x" "$(sql missing.db 'SELECT name FROM functions JOIN function_stats ON function_id = id')"
run "$fisql" load --sysroot root -o found.db run.bin
same "--sysroot finds it" "leaf" "$(sql found.db "SELECT DISTINCT name FROM functions WHERE name = 'leaf'")"
build gcc work -O2 -g -DOTHER work.c
run "$fisql" load -o other.db run.bin
same "another build of the program: the load succeeds" 0 "$status"
same "another build: it is said once" 1 "$(printf '%s\n' "$err" | grep -c 'build-id')"
lacks "another build: no name of it is used" "leaf" "$(sql other.db 'SELECT name FROM functions JOIN function_stats ON function_id = id')"
mv away work
objcopy --only-keep-debug work work.debug
id=$(readelf -n work | sed -n 's/.*Build ID: //p')
mkdir -p debug/.build-id/"${id:0:2}" && cp work.debug debug/.build-id/"${id:0:2}/${id:2}.debug"
strip work
run "$fisql" load --symbols debug -o separate.db run.bin
same "--symbols finds separate debug information" "leaf|3" "$(sql separate.db "SELECT DISTINCT name, line FROM functions WHERE name = 'leaf'")"

# fisql dump
run "$fisql" dump run.bin
same "dump: exit status 0" 0 "$status"
same "dump: as many enters as the database has calls" "$calls" "$(printf '%s\n' "$out" | grep -c '^  +[0-9]* enter ')"
has "dump: shows the facts" "  command = ./work" "$out"
head -c $(($(stat -c %s run.bin) - 60)) run.bin >cut.bin
run "$fisql" dump cut.bin
same "dump of a damaged log: exit status 1" 1 "$status"
has "dump of a damaged log: says where" "truncated chunk" "$out"
refused "dump of what is no log" "fisql: text.bin: is not a fisql log, or nothing in it is sound" "$fisql" dump text.bin
