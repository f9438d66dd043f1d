#!/bin/bash
# `fisql query findings` and the digest name twelve planted mistakes (tests/programs/mistakes.c): each with the digest
# of a plain recording, or with the command that this suggests. Sound programs have no finding, and the digest says
# what was looked for and what was largest.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CACHE_HOME=$TEST_TMP/cache XDG_CONFIG_HOME=$TEST_TMP/config

"$fisql" cc gcc -O1 -g -o mistakes "$here/tests/programs/mistakes.c" "$here/tests/programs/mistakes_parts.c" -lpthread
report $? "the mistakes are compiled"

# recorded NAME [OPTION...]: records one mistake into NAME.db, or with options into NAME-more.db
recorded() {
    local name=$1 base=$1
    shift
    [ $# -eq 0 ] || base=$name-more
    "$fisql" record -q "$@" -o "$base.bin" ./mistakes "$name" && "$fisql" load -q "$base.bin"
    report $? "$base: is recorded"
}
# findings DB: kind, function, proof and the sentence of each
findings() {
    "$fisql" query findings "$1" --format json | python3 -c '
import json, sys
for row in json.load(sys.stdin):
    print(row["kind"], row["function"], row["proof"], row["finding"], sep="|")'
}
# named NAME KIND FUNCTION PROOF WORDS: that is the first finding of its kind in NAME.db
named() {
    same "$1: its mistake is named" "$2|$3|$4" "$(findings "$1.db" | grep "^$2|" | head -n 1 | cut -d'|' -f1-3)"
    has "$1: in words" "$5" "$(findings "$1.db" | grep "^$2|" | head -n 1)"
}

recorded append
named append copying append_line temporary-allocations "grows a block by a new one 6000 times"
has "append: where it is called" "called by print_receipt (mistakes.c:" "$("$fisql" digest append.db)"
recorded inner-loop
# On a machine that is busy with others a call may seem to work for longer than calling it takes.
if [ "$(sql inner-loop.db "SELECT self_cpu_ns < 10 * s.calls FROM function_stats s JOIN functions f ON f.id = s.function_id WHERE name = 'is_digit'")" = 1 ]; then
    named inner-loop cpu is_digit tight-calls "is called 1228800 times in an inner loop: inline it"
else
    named inner-loop cpu is_digit inline-candidates "is_digit stays a call, made 1228800 times, most from inner_loop"
fi
recorded teardown
named teardown cpu free_stock finalizers "frees 100000 blocks after the work"

recorded repeated
command=$(sed -n 's/^   next: //p' <<<"$("$fisql" digest repeated.db)" | head -n 1)
same "repeated: the next command is suggested" "fisql run --values ./mistakes repeated" "$command"
recorded repeated --values
named repeated-more cpu discount repeated-arguments "results again that it gave before for the same arguments"

recorded slow-lock
named slow-lock waiting take_order lock-waits " threads wait "
same "slow-lock: the next command is suggested" "fisql run --locks ./mistakes slow-lock" \
    "$(sed -n 's/^   next: //p' <<<"$("$fisql" digest slow-lock.db)" | head -n 1)"
recorded slow-lock --locks
named slow-lock-more waiting take_order lock-contention "holds it for long: do the work before or after"
recorded convoy --locks
named convoy-more waiting count_visit lock-contention "for stock_lock"
recorded ledger
named ledger waiting write_ledger waiting ": for files, a sleep or another program"
recorded starving --locks
named starving-more waiting take_task lock-waits "while one other thread works: they starve for work"

recorded leak
named leak memory note_order not-freed "loses 2000 of its 4000 blocks, 93.8 KiB"
recorded hoard
named hoard memory cache_page peak-memory "holds 11.4 MiB in 20000 blocks at the peak, more all the time"
recorded churn
named churn cpu price temporary-allocations "allocates 100000 blocks that are freed at once: keep one"
recorded regrow
named regrow copying add_to_basket realloc-chains "grows blocks step by step, 49999 times"

# A table that is kept to the end is no leak where the program ends by exit() in main: nothing could free it then. A leak
# is, if it goes on for a quarter of the run: on a busy machine the start of a short run takes longer.
cat >kept.c <<'C'
#include <stdlib.h>
struct row { struct row *next; char text[90]; };
static struct row *rows;
__attribute__((noinline)) static void add(int i) { struct row *row = malloc(sizeof *row + i % 7); row->next = rows; rows = row; }
int main(void)
{
    for (int i = 0; i < 300000; i++)
        add(i);
    if (ENDS)
        exit(0);
    return 0;
}
C
for ends in 0 1; do
    "$fisql" cc gcc -O1 -g -w -DENDS=$ends -o kept kept.c && "$fisql" record -q -o kept.bin ./kept && "$fisql" load -q kept.bin
    same "blocks kept to the end: a finding if main returned and left them (exit: $ends)" $((1 - ends)) "$(findings kept.db | grep -c '^memory|add|not-freed')"
done

# A text that gets longer step by step, in memory that one function gets for all and another one gives back: the function
# that owns both is named, at the call that makes the longer one.
cat >concat.c <<'C'
#include <stdlib.h>
#include <string.h>
static void *pool[64];
static long made;
__attribute__((noinline)) static char *get(size_t size)
{
    void **small = &pool[size / 8 % 64];
    char *block = *small;
    made++;
    if (size <= 128 && block) { *small = NULL; return block; }
    return malloc(size <= 128 ? 128 : size);
}
__attribute__((noinline)) static void put(char *block, size_t size)
{
    if (size <= 128 && !pool[size / 8 % 64]) pool[size / 8 % 64] = block; else free(block);
}
__attribute__((noinline)) static char *text_new(size_t size) { return get(size + 1); }
__attribute__((noinline)) static unsigned long execute(int steps)
{
    char *text = text_new(0), *word;
    size_t length = 0;
    for (int i = 0; i < steps; i++) {
        word = text_new(7); memcpy(word, "seven..", 8);
        char *longer = text_new(length + 7);  /* here */
        memcpy(longer, text, length); memcpy(longer + length, word, 8);
        put(word, 8); put(text, length + 1);
        text = longer; length += 7;
    }
    return length + (unsigned char)text[length / 2];
}
int main(void) { return execute(12000) == 1; }
C
"$fisql" cc gcc -O1 -g -w -o concat concat.c && "$fisql" record -q -o concat.bin ./concat && "$fisql" load -q concat.bin
line=$(grep -n 'here' concat.c | cut -d: -f1)
same "a text that gets longer by others' memory is named once" \
    "copying|execute|temporary-allocations|execute (concat.c:$line) grows a block by a new one" \
    "$(findings concat.db | grep -E '^(copying|cpu.*freed at once)' | sed 's/ new one .*/ new one/')"

# What looks like a mistake and is none: scratch memory of many sizes beside work that takes much longer than copying it;
# objects that are freed all along by one function; processes that wait for what others work out, by pipes and popen().
cat >alike.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) static void work(long rounds) { for (long i = 0; i < rounds; i++) sink += (unsigned)i; }
__attribute__((noinline)) static void divide(int digits)
{
    char *scratch = malloc(8 + digits), *rest = malloc(8 + digits);
    memset(scratch, 1, 8);
    work(20L * digits);
    for (int i = 0; i < 60 * digits; i++)
        sink += (unsigned)scratch[i % 8];
    free(scratch);
    free(rest);
}
struct number { int length; char *digits; };
__attribute__((noinline)) static struct number *number_new(int length)
{
    struct number *number = malloc(sizeof *number);
    number->digits = malloc((size_t)length);
    return number;
}
__attribute__((noinline)) static void number_free(struct number *number) { free(number->digits); free(number); }
__attribute__((noinline)) static void calculate(int i)
{
    struct number *a = number_new(1 + i % 50), *b = number_new(2 + i % 60);
    work(200);
    number_free(a);
    number_free(b);
}
__attribute__((noinline)) static void read_all(FILE *from) { while (getc(from) != EOF) sink++; fclose(from); }
__attribute__((noinline)) static void tell_after_work(int depth)
{
    int ends[2];
    if (pipe(ends) != 0 || depth == 0)
        work(20000000);
    if (depth > 0 && fork() == 0) {
        tell_after_work(depth - 1);
        close(ends[0]);
        dprintf(ends[1], "done\n");
        exit(0);
    }
    close(ends[1]);
    if (depth > 0)
        read_all(fdopen(ends[0], "r"));
    while (wait(NULL) > 0)
        ;
}
__attribute__((noinline)) static void keep(int i) { char *kept = malloc(20 + i % 3); sink += kept != NULL; }
__attribute__((noinline)) static void one_of_many(int from)
{
    char word[8];
    sink += (unsigned)read(from, word, sizeof word);
    for (int i = 0; i < 50; i++)
        keep(i);
    work(300000);
}
__attribute__((noinline)) static void many_processes(void)
{
    for (int i = 0, ends[2]; i < 40 && pipe(ends) == 0; i++) {
        if (fork() == 0) {
            one_of_many(ends[0]);
            exit(0);
        }
        work(300000);
        sink += (unsigned)write(ends[1], "go", 2);
        wait(NULL);
        close(ends[0]);
        close(ends[1]);
    }
}
__attribute__((noinline)) static void ask(const char *command) { FILE *answer = popen(command, "r"); while (getc(answer) != EOF) sink++; pclose(answer); }
int main(int argc, char **argv)
{
    char command[200];
    for (int i = 0; i < 3000 && *argv[1] == 's'; i++)
        divide(1 + i % 300);
    for (int i = 0; i < 30000 && *argv[1] == 'o'; i++)
        calculate(i);
    if (*argv[1] == 'p')
        tell_after_work(4);
    if (*argv[1] == 'm')
        many_processes();
    snprintf(command, sizeof command, "exec ./alike a%d", argv[1][1] - '0' - 1);
    if (*argv[1] == 'a' && argv[1][1] > '0')
        ask(command);
    else if (*argv[1] == 'a')
        work(20000000);
    return argc > 9;
}
C
"$fisql" cc gcc -O1 -g -w -o alike alike.c
for mode in scratch objects pipes a3; do
    "$fisql" record -q -o alike.bin ./alike $mode && "$fisql" load -q alike.bin
    same "$mode look like a mistake, and are none" "" "$(findings alike.db | grep -E '^(copying|waiting)|finalizers')"
done
"$fisql" record -q -o many.bin ./alike many && "$fisql" load -q many.bin
same "what each of 40 processes keeps is no leak, and their waits are for no lock of theirs" "" \
    "$(findings many.db | grep -E '^memory|holds too long|starve')"
same "... although together they lose 2000 blocks" 2000 "$(sql many.db "SELECT sum(blocks - freed_blocks) FROM alloc_stacks
    JOIN frames fr ON fr.id = frame_id JOIN functions f ON f.id = fr.function_id WHERE f.name = 'keep'")"
same "who started a process is known: popen() and exec" "1|1
2|1
3|2
4|3" "$(sql alike.db "SELECT id, coalesce(parent_id, 1) FROM processes WHERE executable GLOB '*alike' ORDER BY id")"

# Where one function takes the time, libraries that are not recorded may be what it waits for.
cat >packs.c <<'C'
#include <string.h>
#include <zlib.h>
static unsigned char text[1 << 20], packed[1 << 21];
__attribute__((noinline)) static unsigned long pack(int level)
{
    unsigned long size = sizeof packed;
    compress2(packed, &size, text, sizeof text, level);
    return size;
}
int main(void)
{
    for (unsigned i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i * i >> 7);
    return pack(9) + pack(6) == 0;
}
C
gcc -O1 -g -o packs packs.c -lz
for calls in "" --library-calls; do
    [ "$(uname -m)" = x86_64 ] || continue # elsewhere nothing is recorded as it is
    # shellcheck disable=SC2086 # none or one
    "$fisql" record -q $calls -o packs.bin ./packs && "$fisql" load -q packs.bin
    says=$("$fisql" digest packs.db | grep -c "what libraries take of pack's time: fisql run --library-calls ./packs\$")
    same "what libraries take can be asked${calls:+, and was}" "${calls:+no}" "$([ "$says" = 1 ] || echo no)"
done

# A program that frees little at its end: what a bounded cache holds then looks like lost blocks, which is said.
{
    echo '#include <stdlib.h>'
    echo 'static void *cache[800], *kept[8];'
    for i in 0 1 2 3 4 5 6 7; do
        echo "__attribute__((noinline)) void table_$i(void) { kept[$i] = malloc(100 + $i); }"
    done
    cat <<'C'
__attribute__((noinline)) void *load(int n) { return malloc(1000 + n % 7); }
int main(int count, char **arguments)
{
    table_0(), table_1(), table_2(), table_3(), table_4(), table_5(), table_6(), table_7();
    for (int i = 0; i < 900; i++) {
        free(cache[i % 800]);
        cache[i % 800] = load(i);
        for (volatile int j = 0; j < 30000; j++)
            ;
    }
    for (int i = 0; count > 1 && i < 8; i++)
        free(kept[i]);
    return 0;
}
C
} >holds.c
"$fisql" cc gcc -O1 -g -o holds holds.c
"$fisql" record -q -o holds.bin ./holds && "$fisql" load -q holds.bin
has "a program that frees little: what it holds at its end is no loss for sure" \
    "memory perhaps load (holds.c:11) still holds 800 of its 900 blocks, 783.6 KiB, at the end of the run, as much else: a cache, or they are lost" \
    "$("$fisql" query findings holds.db --format json | python3 -c 'import json, sys; [print(row["kind"], row["sure"], row["finding"]) for row in json.load(sys.stdin)]')"
"$fisql" record -q -o tidy.bin ./holds free && "$fisql" load -q tidy.bin
has "one that frees the rest: it likely loses them" \
    "memory likely load (holds.c:11) loses 800 of its 900 blocks, 783.6 KiB, to the end of the run" \
    "$("$fisql" query findings tidy.db --format json | python3 -c 'import json, sys; [print(row["kind"], row["sure"], row["finding"]) for row in json.load(sys.stdin)]')"

# Sound programs: no finding, and never silence.
recorded sound
same "sound: no finding" "" "$(findings sound.db)"
digest=$("$fisql" digest sound.db)
has "sound: it says so" "
No finding: no error was seen, and nothing reaches what is looked for. The largest things are
-  work (mistakes.c:" "$digest"
same "sound: the three largest things" 3 "$(grep -c '^-  ' <<<"$digest")"
has "sound: with the thresholds" "
Checked      errors; CPU time from 1%; waits from 5% of the waiting threads' time and 10 ms; memory lost or gathered from 10% of " "$digest"
has "sound: and with what was not checked" "
Not checked  who holds the locks: fisql run --locks ./mistakes sound
" "$digest"
has "sound: ... by other commands" "
             repeated results, ignored errors: fisql run --values ./mistakes sound
             what happens where calls fail: fisql faults ./mistakes sound" "$digest"
same "sound: all = 1 has them, too" 0 "$("$fisql" query findings sound.db -p all=1 --format csv | tail -n 1 | tr -d '\r' | sed 's/.*,//')"
same "sound: thresholds are parameters" 1 "$([ "$("$fisql" query findings leak.db -p min_memory=200 -p min_lost=3000 --format csv | grep -c 'note_order.*,memory,')" = 0 ] && echo 1)"

source=$(echo "$sources"/lua5.4/lua5.4-*/src)
if [ -d "$source" ]; then
    mkdir include && echo "#define DEB_HOST_MULTIARCH \"$(gcc -print-multiarch)\"" >include/lua5.4-deb-multiarch.h
    mapfile -t files < <(cd "$source" && find . -name '*.c' ! -name luac.c)
    (cd "$source" && "$fisql" cc gcc -O2 -g -w -I"$TEST_TMP/include" -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -Wl,-E \
        -o "$TEST_TMP/lua" "${files[@]}" -lm -ldl)
    report $? "Lua is compiled"
    cat >script.lua <<'L'
local words, count = {}, 0
for i = 1, 3000 do words[i % 100 + 1] = string.format("%05d", i * 7919 % 801) end
table.sort(words)
for word in table.concat(words, " "):rep(20):gmatch("%S+") do count = count + #word end
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
print(count, fib(16))
L
    "$fisql" record -q -o lua.bin ./lua script.lua >/dev/null && "$fisql" load -q lua.bin
    report $? "Lua is recorded"
    same "Lua: no finding of waiting, memory or errors" "" "$(findings lua.db | grep -v '^cpu|')"
fi
