#!/bin/bash
# A run with nothing in it: load exits 1 and names the cure; info, report, completeness and --check say so.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CACHE_HOME=$TEST_TMP/cache
cat >small.c <<'C'
#include <stdlib.h>
int never(int x) { return x; }
int main(int argc, char **argv) { return argc > 1 ? never((int)(long)argv) : 0; }
C
gcc -o plain small.c
gcc -static -pg -finstrument-functions -o static small.c 2>/dev/null || gcc -static -finstrument-functions -o static small.c
"$fisql" cc gcc -g -o hooked small.c
"$fisql" cc gcc -g -static -o whole small.c

# says WHAT CAUSE RECORD-OPTION...: recording with these gives nothing, and everything says so
says() {
    local what=$1 cause=$2
    shift 2
    rm -f run.db
    "$fisql" record -q "$@" >/dev/null 2>&1
    run "$fisql" load
    same "$what: load's status" 1 "$status"
    has "$what: load names the cure" "fisql: run.bin: nothing was recorded: $cause" "$err"
    run "$fisql" info
    has "$what: info" "nothing was recorded: $cause" "$out"
    has "$what: info says it on stderr, too" "fisql: run.db: nothing was recorded: " "$err"
    lacks "$what: info does not call it complete" "complete       yes" "$out"
    run "$fisql" query completeness --format csv
    has "$what: completeness" "nothing was recorded,1,,,,all of them," "$out"
    run "$fisql" query hot-functions --check
    same "$what: --check fails" 1 "$status"
    page_built "$what: report" || return
    run "$fisql" report -o run.html
    same "$what: report's status" 1 "$status"
    has "$what: the page knows" "nothing was recorded" "$(cat run.html)"
}
says "a program without hooks" "./plain: the program does not call the hooks, and --no-patch keeps it as it is; build it with \`fisql cc\`" --no-patch ./plain
says "a static program" "./static: it is static and does not hold the collector; link it with \`fisql cc\`" ./static
says "recording off" "recording was off from start to end (--start-off)" --start-off ./hooked
says "a static program that is off" "recording was off from start to end (--start-off)" --start-off ./whole
says "a filter that leaves nothing" "no function that the filter leaves in was called" --only never ./hooked

# Compiled without hooks and linked with the collector: its blocks are there, and no call.
cat >blocks.c <<'C'
#include <stdlib.h>
int main(void) { free(malloc(10)); return 0; }
C
gcc -c blocks.c
"$fisql" cc --static-runtime gcc -o linked blocks.o
"$fisql" record -q ./linked
run "$fisql" load
same "linked alone: load's status" 1 "$status"
has "linked alone: the cure" "compile the sources with \`fisql cc\`, too; linking alone does not do it" "$err"

# One call is not nothing.
"$fisql" record -q ./hooked
run "$fisql" load
same "one call: load's status" "0 fisql: run.db: 1 calls, 0 allocations, 1 thread" "$status $err"
run "$fisql" query hot-functions --format csv
same "one call: nothing to say" "" "$err"

# The last good log stays where nothing is recorded, and it is said that and why.
printf '#!/bin/sh\nexit 3\n' >shell
chmod +x shell
cat >quarter.c <<'C'
#include <unistd.h>
static void work(void) { }
int main(void) { work(); usleep(250000); return 0; }
C
"$fisql" cc gcc -g -o quarter quarter.c
"$fisql" record -q ./hooked
good=$(cksum <run.bin)
# keeps WHAT STATUS CAUSE COMMAND...: it ends as the program does, says why, and leaves run.bin alone
keeps() {
    local what=$1 ended=$2 cause=$3
    shift 3
    run "$@"
    same "$what: the program's status" "$ended" "$status"
    same "$what: the cause, and that the earlier log is kept" "fisql: $cause; the earlier run.bin is kept" "$err"
    same "$what: the earlier log is there, nothing else" "$good run.bin" "$(cksum <run.bin) $(echo run.bin*)"
}
rm -f run.db run.html
keeps "record, without hooks" 3 "./shell: nothing was recorded: the program does not call the hooks, and --no-patch keeps it as it is; build it with \`fisql cc\`, or leave out --no-patch" \
    "$fisql" record --no-patch ./shell
keeps "record -q, recording off" 0 "./hooked: nothing was recorded: recording was off from start to end (--start-off): switch it on with SIGUSR2 or fisql_start()" \
    "$fisql" record -q --start-off ./hooked
keeps "record, a filter" 0 "./hooked: nothing was recorded: no function that the filter leaves in was called: give other patterns with --only or --exclude" \
    "$fisql" record --only never ./hooked
keeps "run, without hooks" 3 "./shell: nothing was recorded: the program does not call the hooks, and --no-patch keeps it as it is; build it with \`fisql cc\`, or leave out --no-patch" \
    "$fisql" run --no-patch ./shell
same "run: no database of the earlier log" "run.bin" "$(echo run.*)"
printf '#!/no/such/shell\n' >broken
chmod +x broken
run "$fisql" record ./broken
same "a program that cannot be run: status" 2 "$status"
same "a program that cannot be run: the earlier log is there" "$good run.bin" "$(cksum <run.bin) $(echo run.bin*)"
"$fisql" record -q ./quarter
run "$fisql" load
same "what is recorded replaces it" "0 fisql: run.db: 2 calls, 0 allocations, 1 thread run.bin" "$status $err $(echo run.bin*)"
rm -f run.bin run.db
"$fisql" record -q --no-patch ./shell 2>/dev/null
run "$fisql" record -q --no-patch ./plain
lacks "a log of nothing is not kept" "is kept" "$err"
same "a log of nothing is replaced" "1 run.bin" "$("$fisql" dump run.bin | grep -c 'detail = ./plain') $(echo run.bin*)"
