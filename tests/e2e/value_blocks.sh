#!/bin/bash
# Which blocks the pointers among arguments and results point into: as the program kept book of them itself.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# blocks of make() and remake() have numbers, those of a process in their order; the C library's (a FILE, what a thread needs)
# have none, and the program, which points a few bytes beside its blocks, does not know that it hits them
told="WITH numbered AS MATERIALIZED (
        SELECT a.id, row_number() OVER (PARTITION BY t.process_id ORDER BY a.id) AS number
        FROM allocs a JOIN threads t ON t.id = a.thread_id JOIN frames fr ON fr.id = a.frame_id JOIN functions f ON f.id = fr.function_id
        WHERE f.name IN ('make', 'remake'))
      SELECT q.value || ' ' || b.position || ' ' || n.number || ' ' || b.offset || ' ' || b.freed
      FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id
           JOIN call_blocks b ON b.call_id = c.id JOIN call_values q ON q.id = 32 * c.id + 1 JOIN numbered n ON n.id = b.alloc_id
      WHERE f.name IN ('take', 'give') AND q.value > 0 ORDER BY q.value, b.position"
# the same by looking at all blocks; in the same nanosecond (a Zen 5's clock goes in steps of 10 ns) that which the call's
# thread did in it came after it was entered and before it left, and the rest of what the thread did not, if the call took any time
came_first() { # CALL THREAD: what this thread did in this call, in the same nanosecond
    echo "iif(EXISTS (WITH RECURSIVE up(id) AS (SELECT $1 UNION ALL SELECT c.parent_id FROM up JOIN calls c ON c.id = up.id WHERE c.parent_id IS NOT NULL)
                      SELECT 1 FROM up WHERE up.id = x.id / 32), x.position = 0, iif($2 = x.thread_id AND x.duration_ns > 0, x.position > 0, NULL))"
}
looked="SELECT count(*) FROM (
          SELECT v.id, p.position, v.value, c.enter_ns + iif(p.position = 0, c.duration_ns, 0) AS ns, t.process_id, c.thread_id, c.duration_ns
          FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN threads t ON t.id = c.thread_id JOIN parameters p ON p.function_id = fr.function_id
               JOIN call_values v ON v.id = 32 * c.id + p.position
          WHERE p.kind = 'pointer' AND typeof(v.value) = 'integer') x
        LEFT JOIN call_blocks b ON b.call_id = x.id / 32 AND b.position = x.position
        WHERE (b.alloc_id, b.freed) IS NOT (SELECT id, freed FROM (
          SELECT a.id, a.size, iif(a.alloc_ns = x.ns, $(came_first a.call_id a.thread_id), 1) AS there,
                 CASE WHEN a.free_ns IS NULL THEN 0 WHEN a.free_ns = x.ns THEN $(came_first a.free_call_id a.free_thread_id) ELSE a.free_ns < x.ns END AS freed
          FROM allocs a JOIN threads t ON t.id = a.thread_id AND t.process_id = x.process_id
          WHERE a.alloc_ns <= x.ns AND x.value - a.address >= 0 AND x.value - a.address < max(a.size, 1) ORDER BY a.id DESC LIMIT 1)
          WHERE there AND (freed = 0 OR freed = 1 AND size < 65536))"

for optimised in -O0 -O2; do
    build gcc value_blocks $optimised -g -pthread "$programs/value_blocks.c"
    for seed in 1 2; do
        "$fisql" record -q --values ./value_blocks $seed 2500 printed >/dev/null 2>said
        "$fisql" load -q -o run.db run.bin
        sort -n printed | sed '/^$/d' >expected
        sql run.db "$told" | sort -n >found
        name="$optimised, seed $seed"
        at_least "$name: blocks that live" 300 "$(grep -c ' 0$' expected)"
        at_least "$name: and freed ones" 300 "$(grep -c ' 1$' expected)"
        same "$name: what pointers point into, $(wc -l <expected) of them" "" "$(diff expected found | head -5)"
        same "$name: as by looking at all blocks" 0 "$(sql run.db "$looked")"
    done
done

# In the same nanosecond: make() leaves when it has allocated, unmake() frees as it is entered, remake() does both, and another
# unmake() is entered as its block is allocated. What its own thread did is in order all the same.
of() { echo "id IN (SELECT c.id FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id WHERE f.name = '$1')"; }
blocks_of() { sql "$1" "SELECT f.name || ' ' || b.call_id || ' ' || b.position || ' ' || b.alloc_id || ' ' || b.offset || ' ' || b.freed
    FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id JOIN call_blocks b ON b.call_id = c.id
    WHERE f.name LIKE '%make' ORDER BY 1"; }
cp run.db tied.db
sql tied.db "
    UPDATE calls SET duration_ns = (SELECT max(a.alloc_ns) FROM allocs a WHERE a.call_id = calls.id) - enter_ns
    WHERE ($(of make) OR $(of remake)) AND id IN (SELECT call_id FROM allocs);
    UPDATE allocs SET free_ns = (SELECT c.enter_ns FROM calls c WHERE c.id = free_call_id) WHERE id % 2 AND free_call_id IN (SELECT id FROM calls WHERE $(of unmake) OR $(of remake));
    UPDATE calls SET (enter_ns, duration_ns) = (SELECT a.alloc_ns, enter_ns + duration_ns - a.alloc_ns FROM allocs a WHERE a.free_call_id = calls.id)
    WHERE $(of unmake) AND id IN (SELECT free_call_id FROM allocs WHERE thread_id = free_thread_id AND NOT id % 2);"
blocks_of run.db >expected
blocks_of tied.db >found
at_least "pointers of calls that allocate and free" 1000 "$(wc -l <expected)"
at_least "in the same nanosecond now" 500 "$(sql tied.db "SELECT count(*) FROM calls c JOIN allocs a ON a.call_id = c.id WHERE a.alloc_ns = c.enter_ns + c.duration_ns")"
same "in the same nanosecond, too, the order of a thread's own is known" "" "$(diff expected found | head -5)"
same "as by looking at all blocks, then" 0 "$(sql tied.db "$looked")"
same "a child knows nothing of what it inherited" "1 0" "$(sql run.db "SELECT count(*) > 50, count(b.alloc_id) FROM call_values q JOIN calls c ON c.id = q.call_id
    JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id LEFT JOIN call_blocks b ON b.call_id = q.call_id AND b.position = 2
    WHERE f.name = 'take' AND q.position = 1 AND q.value = -1" | tr '|' ' ')"
same "no table is read through for a call" "" "$(sql run.db 'EXPLAIN QUERY PLAN SELECT * FROM call_blocks WHERE call_id = 5' | grep -E 'SCAN' | grep -vE 'SCAN (levels|l|starts|s|newest|n|k|x|CONSTANT ROW)\b')"

shown() { # WHICH: a call of take() as the view has it, and as stack shows it
    sql run.db "SELECT b.call_id || '|take(number=' || q.value || ', pointer=' || printf('0x%x', b.address) || ' (' || iif(b.freed, 'freed ', '')
                || 'block ' || b.alloc_id || iif(b.offset, '+' || b.offset, '') || '))'
                FROM call_blocks b JOIN call_values q ON q.id = 32 * b.call_id + 1 WHERE b.position = 2 AND $1 ORDER BY 1 LIMIT 1"
}
for which in 'NOT freed AND offset = 0' 'NOT freed AND offset > 0' 'freed AND offset > 0'; do
    row=$(shown "$which")
    same "stack shows it: $which" "${row#*|}" "$("$fisql" stack "${row%%|*}" run.db | sed -n 's/^#0 *\(take(.*)\) (value_blocks.c.*/\1/p')"
done

# What lies beneath many blocks is not told: it is not looked for so long. What lives is told all the same.
cat >beneath.c <<'C'
#include <stdlib.h>
static void *volatile sink;
__attribute__((noinline)) void take(int times, void *pointer) { sink = pointer; __asm__ volatile("" : : "r"(times)); }
static void beneath(int times)
{
    char *block = malloc(104);
    free(block);
    for (int i = 0; i < times; i++) {
        sink = malloc(97); /* from the same place */
        if (sink != block) abort();
        free(sink);
    }
    take(times, block + 100);
    sink = malloc(104);
    if (sink != block) abort();
    take(times + 1000, block + 100);
}
int main(void) { beneath(0); beneath(10); beneath(100); return 0; }
C
build gcc beneath -O1 -g -w beneath.c
"$fisql" record -q --values ./beneath >/dev/null 2>said
"$fisql" load -q -o beneath.db run.bin
same "blocks beneath others" "0 104 100 1;1000 104 100 0;10 104 100 1;1010 104 100 0;100 none;1100 104 100 0" "$(sql beneath.db "
    SELECT group_concat(text, ';') FROM (SELECT q.value || ' ' || coalesce(a.size || ' ' || b.offset || ' ' || b.freed, 'none') AS text
    FROM calls c JOIN frames fr ON fr.id = c.frame_id JOIN functions f ON f.id = fr.function_id JOIN call_values q ON q.id = 32 * c.id + 1
    LEFT JOIN call_blocks b ON b.call_id = c.id LEFT JOIN allocs a ON a.id = b.alloc_id WHERE f.name = 'take' ORDER BY c.id)")"

# Where the log lacks something, blocks that seem to live may be gone.
"$fisql" record -q ./value_blocks 1 300 printed >/dev/null 2>&1
"$fisql" load -q -o plain.db run.bin
same "without values nothing is kept for it" "0 1" "$(sql plain.db 'SELECT count(*), (SELECT count(*) FROM allocs) > 0 FROM block_places' | tr '|' ' ')"
"$fisql" record -q --ring 64K --values ./value_blocks 1 40000 printed >/dev/null 2>said
"$fisql" load -q -o ring.db run.bin 2>>said
same "after a loss no block is told" "1 0" "$(sql ring.db "SELECT (SELECT count(*) FROM call_values) > 0, count(*) FROM call_blocks b JOIN calls c ON c.id = b.call_id
    JOIN threads t ON t.id = c.thread_id WHERE t.process_id IN (SELECT min(id) FROM processes)" | tr '|' ' ')"
