#!/bin/bash
# A process that is killed within its write leaves the start of a chunk, whose whole was salvaged. The log says that
# nothing is missing: of those whose whole it has, and of no others.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc hooked -O1 -g "$programs/rotated.c"

# Appends to the log the first 5000 bytes of its last events chunk. `other`: as if it were a later one.
cat >tear.py <<'P'
import struct, sys
source, to, other = sys.argv[1], sys.argv[2], "other" in sys.argv
log, offset, last = open(source, "rb").read(), 0, None
while offset + 128 <= len(log):
    head = struct.unpack_from("<IHHIIQQQIIIIQQQQQI", log, offset)
    if head[2] == 5 and head[3] > 5000:
        last = offset
    offset += head[3]
torn = bytearray(log[last:last + 5000])
if other:
    sequence = struct.unpack_from("<I", torn, 52)[0]
    struct.pack_into("<I", torn, 52, sequence + 1000)
open(to, "ab").write(torn)
P
# SOURCE TO WORD OPTION...: tears while programs are recorded. How many logs one run fills depends on how busy the machine
# is, so that the program runs until SOURCE and TO are there.
tear() {
    rm -f run.bin* go ready
    # shellcheck disable=SC2016 # the recorded shell expands it
    "$fisql" record -q --no-patch "${@:4}" \
        sh -c 'for _ in $(seq 50); do ./hooked 2 600000; [ ! -e "$0" ] || [ ! -e "$1" ] || break; done
               : >ready; until [ -e go ]; do sleep 0.05; done; ./hooked 1 10' "$1" "$2" >out.txt &
    for _ in $(seq 600); do
        [ ! -e ready ] || break
        sleep 0.1
    done
    # shellcheck disable=SC2086 # a word or none
    python3 tear.py "$1" "$2" $3
    : >go
    wait $!
    run "$fisql" load -o run.db "$2"
}

tear run.bin run.bin "" --no-compress
same "the whole is in the log: nothing is missing" "0 " "$status $(sql run.db "SELECT * FROM losses")"
same "and load says nothing of damage" "fisql: run.db: 12000111 calls, 3 allocations, 3 threads" "$err"
calls=$(sql run.db "SELECT count(*) FROM calls")
tear run.bin run.bin other --no-compress
same "it is nowhere: damage" "1 damaged|5000" "$status $(sql run.db "SELECT reason, bytes FROM losses")"
same "the calls are the same" "$calls" "$(sql run.db "SELECT count(*) FROM calls")"
tear run.bin.3 run.bin.5 "" --rotate 1M,100
same "the whole is in a later log: nothing is missing" "0 0" "$status $(sql run.db "SELECT count(*) FROM losses")"
tear run.bin.5 run.bin.3 "" --rotate 1M,100
same "it is in an earlier log, into which nothing is salvaged: the end is missing" "1 truncated|5000" \
    "$status $(sql run.db "SELECT reason, bytes FROM losses")"
