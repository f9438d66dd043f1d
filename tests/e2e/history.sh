#!/bin/bash
# fisql history: six programs with a value that goes wrong far from where it is noticed. The call that did it is among the
# last three rows of the history of the bad value. And what is wrong is said.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# recorded NAME EXPRESSION...: NAME.db
recorded() {
    local name=$1 expressions=()
    shift
    for expression; do expressions+=(--value "$expression"); done
    build gcc "$name" -O0 -g "$programs/history/$name.c" &&
        "$fisql" record -q -o "$name.bin" --values "${expressions[@]}" "./$name"
    "$fisql" load -q "$name.bin"
}
# last_call NAME FUNCTION: the id of its last call
last_call() {
    sql "$1.db" "SELECT max(c.id) FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id WHERE f.name = '$2'"
}
# guilty NAME FUNCTION NOTICED ARGUMENT: what NOTICED's last call was passed has FUNCTION among its last three moments
guilty() {
    local call
    call=$(last_call "$1" "$3")
    run "$fisql" history "$1.db" call "$call.$4" --until "$call" --last 3 --format json
    same "$1: its history ends with 0" 0 "$status"
    has "$1: $2 did it, and is among the last three moments before $3 notices" "\"$2\"" "$(jq -c '[.[] | .function, .caller]' <<<"$out")"
    same "$1: three moments" 3 "$(jq length <<<"$out")"
}

recorded stale 'add: order->total at both' 'show: order->total'
guilty stale close_order show order
run "$fisql" history stale.db call "$(last_call stale show).order" --last 100
same "stale: of the block there are allocation, result, two calls, free and the stale use" 6 "$(($(wc -l <<<"$out") - 1))"
block=$(sql stale.db "SELECT alloc_id FROM call_blocks WHERE call_id = $(last_call stale close_order)")
same "stale: the block by its number" 6 "$("$fisql" history stale.db block "$block" --format json | jq length)"
same "stale: one use after it was freed" 1 "$("$fisql" history stale.db block "$block" --format json | jq '[.[] | select(.stale)] | length')"
address=$(sql stale.db "SELECT printf('0x%x', address + 4) FROM allocs WHERE id = $block")
same "stale: and by an address in it" "$("$fisql" history stale.db block "$block")" "$("$fisql" history stale.db block "$address" 2>/dev/null)"

same "the database may come last" "$("$fisql" history stale.db block "$block")" "$("$fisql" history block "$block" stale.db)"

recorded cache
guilty cache grow look at
same "cache: what realloc made is the same object: two allocations, two ends" "2 2" "$("$fisql" history cache.db call "$(last_call cache fill).table" --format json |
    jq -r '[([.[] | select(.what == "allocated")] | length), ([.[] | select(.what == "freed")] | length)] | join(" ")')"

recorded overflow 'deposit: account->balance at both' 'check: account->balance'
guilty overflow name_set check account
has "overflow: nobody who had it changed it" "account->balance was 150 before" "$out"

recorded lost 'write_count: to->count at both' 'read_count: from->count' 'check: wanted->count'
guilty lost write_count check wanted
same "lost: two threads wrote" 2 "$("$fisql" history lost.db call "$(last_call lost check).wanted" --format json |
    jq '[.[] | select(.function == "write_count") | .call] | unique | length')"

recorded twice 'page_hold: page->references at both'
guilty twice index_abort page_read page

recorded unit 'price_set: item->price at both' 'total: item->price'
guilty unit import_row total item
run "$fisql" history unit.db value 'item->price' --is 21 --format json
same "unit: the history of the value ends where it became 21" "price_set import_row true" \
    "$(jq -r '.[-1] | [.function, .caller, .changes] | join(" ")' <<<"$out")"
has "unit: what it was before" "is 21, was 2099" "$out"

# Of a text, where it lies, if that was recorded, too.
cat >words.c <<'C'
#include <stdlib.h>
#include <string.h>
void name_write(char *name, const char *words) { strcpy(name, words); }
unsigned long name_read(const char *name) { return strlen(name); }
int main(void)
{
    char *name = malloc(32), *other = malloc(32);
    name_write(name, "first");
    name_write(other, "second");
    unsigned long length = name_read(name);
    free(name);
    free(other);
    return length != 5;
}
C
build gcc words -O0 -g words.c
"$fisql" record -q -o words.bin --values --value 'name_write: &name[0]' --value 'name_read: &name[0]' ./words && "$fisql" load -q words.bin
same "a text whose address was recorded: it is passed to two of the three calls" "name_write name_read" \
    "$("$fisql" history words.db call "$(last_call words name_read).name" --format json | jq -r '[.[] | select(.what == "call") | .function] | join(" ")')"
same "and where its block was allocated and freed" "allocated freed" \
    "$("$fisql" history words.db call "$(last_call words name_read).1" --format json | jq -r '[.[] | .what | select(. != "call")] | join(" ")')"

# Which locks were held.
cat >held.c <<'C'
#include <pthread.h>
#include <stdlib.h>
struct counter { long count; };
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
void add(struct counter *counter, long n) { counter->count += n; }
void safely(struct counter *counter, long n)
{
    pthread_mutex_lock(&count_lock);
    add(counter, n);
    pthread_mutex_unlock(&count_lock);
}
static void *run(void *counter) { safely(counter, 2); return NULL; }
int main(void)
{
    struct counter *counter = calloc(1, sizeof *counter);
    pthread_t thread;
    pthread_create(&thread, NULL, run, counter);
    safely(counter, 1);
    pthread_join(thread, NULL);
    add(counter, 5);
    return 0;
}
C
build gcc held -O0 -g held.c
"$fisql" record -q -o held.bin --locks=all --values --value 'add: counter->count at both' ./held && "$fisql" load -q held.bin
same "with --locks=all: which locks a call was made under" "count_lock count_lock none" \
    "$("$fisql" history held.db call "$(last_call held add).1" --format json | jq -r '[.[] | select(.function == "add") | .holds[0] // "none"] | join(" ")')"

# What is wrong is said.
wrong() { # WORDS ARGUMENT...
    run "$fisql" history "${@:2}"
    same "$1: status" 2 "$status"
    has "$1" "$1" "$err"
}
wrong "wants block ADDRESS" unit.db
wrong "there is no such block" unit.db block 99999
wrong "wants an address such as" unit.db block nine
wrong "wants a call and its argument" unit.db call 12
wrong "no such argument that is a pointer" unit.db call 3.nothing
wrong "no such argument that is a pointer" unit.db call 3.pence_of
wrong "record that with --value 'FUNCTION: &NAME[0]'" words.db call "$(last_call words name_write).words"
wrong "did you mean item->price?" unit.db value 'item->prize'
wrong "--is goes with value" unit.db block 1 --is 3
wrong "there is no such call" unit.db block 1 --until 999999
build gcc plain -O0 -g "$programs/history/unit.c"
"$fisql" record -q -o plain.bin ./plain && "$fisql" load -q plain.bin
run "$fisql" history plain.db block 1
has "without values, that is said" "no arguments were recorded" "$err"
has "and the block's ends are known" "calloc: block 1 of 16 bytes" "$out"
