#!/bin/bash
# record --no-time: without times, too, a function is the one of the library that lay there then.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

for name in A B; do
    build gcc plugin$name.so -shared -fPIC -g -DNAME=$name "$programs/plugin.c"
done
build gcc dlopens -g "$programs/dlopens.c"
"$fisql" record -q --no-time ./dlopens ./pluginA.so ./pluginB.so 50 >out.txt
"$fisql" load -q run.bin
same "--no-time: libraries that take each other's place: counts" "inner_A 50
inner_B 50
main 1
plugin 25
plugin 25" "$(counts run.db | LC_ALL=C sort)"
same "--no-time: no time passes" 0 "$(sql run.db 'SELECT sum(duration_ns) FROM calls')"

# Programs as they are have a fast path of their own.
for name in A B; do
    gcc -shared -fPIC -g -O1 -DNAME=$name -o plain$name.so "$programs/plugin.c"
done
gcc -g -O1 -o plain "$programs/dlopens.c"
"$fisql" record -q --as-is --no-time -o plain.bin ./plain ./plainA.so ./plainB.so 50 >plain.txt && "$fisql" load -q plain.bin
"$fisql" record -q --as-is -o timed.bin ./plain ./plainA.so ./plainB.so 50 >timed.txt && "$fisql" load -q timed.bin
same "as it is: libraries that take each other's place: counts" "$(counts timed.db | LC_ALL=C sort)" "$(counts plain.db | LC_ALL=C sort)"
has "as it is: their functions are among them" "inner_A 50" "$(counts plain.db)"
same "as it is: no time passes" 0 "$(sql plain.db 'SELECT sum(duration_ns) FROM calls')"
gcc -g -O2 -o walk "$programs/walks.c"
for how in "" --no-time; do
    "$fisql" record -q --as-is -o walk$how.bin $how ./walk && "$fisql" load -q walk$how.bin
    sql walk$how.db "SELECT id, parent_id, depth, frame_id, ended, descendants FROM calls" >walk$how.rows
done
same "as it is: each call has the same caller and end as with times" "$(cksum <walk.rows)" "$(cksum <walk--no-time.rows)"
same "as it is: calls that longjmp() ended are among them" 8 "$(sql walk--no-time.db "SELECT sum(ended = 1) FROM calls")"
at_least "as it is: and many others" 90000 "$(sql walk--no-time.db "SELECT count(*) FROM calls")"

# Without times, too, it is known which thread freed a block before another got its memory: two threads hand blocks of one
# size to and fro, and free each other's.
cat >handed.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static int turn;
static void *block;
static void *play(void *me)
{
    for (int i = 0; i < 500; i++) {
        pthread_mutex_lock(&lock);
        while (turn != (int)(long)me)
            pthread_cond_wait(&turned, &lock);
        free(block);
        block = malloc(5000);
        turn = !turn;
        pthread_cond_broadcast(&turned);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, play, (void *)1L);
    play(NULL);
    pthread_join(thread, NULL);
    free(block);
    return 0;
}
C
build gcc handed -g handed.c
for how in "" --no-time; do
    GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1 "$fisql" record -q -o handed.bin $how ./handed && "$fisql" load -q handed.bin
    same "record $how: each block is freed by the other thread" "1000 blocks, 1000 freed, 1000 by the other" "$(sql handed.db "
        SELECT count(*) || ' blocks, ' || count(free_ns) || ' freed, ' || sum(free_thread_id <> thread_id) || ' by the other'
        FROM allocs WHERE size = 5000")"
    same "record $how: nothing is impossible" 0 "$(sql handed.db "SELECT count(*) FROM anomalies WHERE kind = 'impossible'")"
done
