#!/bin/bash
# Ways to make processes: every call belongs to the process that made it; children free what they inherit.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

build gcc clones -O2 -g "$programs/clones.c" || exit 1
"$fisql" cc --static-runtime gcc -w -O2 -g -o clones_static_runtime "$programs/clones.c"
for program in clones clones_static_runtime; do
    for how in fork _Fork clone syscall clone3 instruction handler; do
        what="$program $how"
        "$fisql" record -q ./$program $how >out.txt
        same "$what: status" 0 $?
        run "$fisql" load -q run.bin
        same "$what: loads without a word" "0 " "$status $err"
        same "$what: calls of each process" "$(LC_ALL=C sort out.txt)" "$(sql run.db "
            SELECT p.pid || ' ' || f.name || ' ' || count(*) FROM calls c
            JOIN threads t ON t.id = c.thread_id JOIN processes p ON p.id = t.process_id
            JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
            WHERE f.name IN ('of_parent', 'of_child') GROUP BY p.id, f.name" | LC_ALL=C sort)"
        same "$what: no anomaly" 0 "$(sql run.db 'SELECT count(*) FROM anomalies')"
        same "$what: three children" "3 fork" "$(sql run.db "SELECT count(*), origin FROM processes
            WHERE parent_id = 1 GROUP BY origin" | tr '|' ' ')"
        # What was open before a bare instruction's fork is not known.
        context="make"
        [ $how = instruction ] && context=""
        same "$what: children go on in their parents' calls" "3 $context" "$(sql run.db "
            SELECT count(*) || ' ' || coalesce(g.name, '') FROM calls c JOIN frames r ON r.id = c.frame_id
            JOIN functions f ON f.id = r.function_id LEFT JOIN frames q ON q.id = r.parent_id
            LEFT JOIN functions g ON g.id = q.function_id WHERE f.name = 'child' GROUP BY g.name")"
    done
done
# Both tasks on the same thread-local variables: what cannot be recorded is said.
"$fisql" record -q ./clones shared >out.txt
run "$fisql" load run.bin
same "clone() that shares the thread's variables: a loss" 1 "$status"
has "clone() that shares the thread's variables: is said" "clone() shares the thread's variables" "$err"
same "clone() that shares the thread's variables: what came before is there" "of_parent 1000" \
    "$(counts run.db | grep of_parent)"
"$fisql" record -q ./clones vfork >out.txt
run "$fisql" load -q run.bin
same "clone() as vfork: loads without a word" "0 " "$status $err"
same "clone() as vfork: counts" "of_child 300
of_parent 3000" "$(counts run.db | grep of_)"
same "clone() as vfork: the parent's calls are main's" 0 "$(sql run.db "
    SELECT count(*) FROM calls c JOIN frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
    WHERE f.name = 'of_parent' AND c.depth <> 1")"

build gcc inherit -O2 -g "$programs/inherit.c" || exit 1
for how in alone threads; do
    "$fisql" record -q ./inherit $how
    run "$fisql" load -q run.bin
    same "inherited blocks, $how: loads without a word" "0 " "$status $err"
    same "inherited blocks, $how: no wrong free" 0 "$(sql run.db 'SELECT count(*) FROM free_errors')"
    same "inherited blocks, $how: no unknown free" 0 "$(sql run.db "SELECT count(*) FROM losses WHERE reason = 'unknown frees'")"
    same "inherited blocks, $how: completeness" 0 "$("$fisql" query completeness --check >/dev/null 2>&1; echo $?)"
done
