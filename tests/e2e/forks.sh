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

# The child's first hooks run before the collector's own handler.
build gcc early_handlers -O2 -g "$programs/early_handlers.c" || exit 1
gcc -O2 -g -o early_plain "$programs/early_handlers.c" || exit 1
early() { # WHICH PROCESSES: the calls of one of them
    sql run.db "SELECT f.name || ' ' || (count(*) / (count(DISTINCT p.id) * 1.0)) FROM calls c
        JOIN threads t ON t.id = c.thread_id JOIN processes p ON p.id = t.process_id
        JOIN recorded_frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
        WHERE $1 AND f.name IN ('before', 'in_parent', 'in_child', 'leaf', 'leaves', 'main', 'make', 'child_work')
        GROUP BY f.name" | sed 's/\.0$//'
}
for program in early_handlers early_plain; do
    what="$program: handlers before ours"
    timeout 100 "$fisql" record -q ./$program
    same "$what: status" 0 $?
    run "$fisql" load -q run.bin
    same "$what: loads without a word" "0 " "$status $err"
    same "$what: calls of the parent" "before 20
in_parent 20
leaf 240
leaves 40
main 1
make 20" "$(early "p.id = 1")"
    same "$what: calls of each child" "child_work 1
in_child 1
leaf 1011
leaves 2" "$(early "p.id > 1")"
    same "$what: the children go on in make" "20 make" "$(sql run.db "SELECT count(*) || ' ' || g.name FROM calls c
        JOIN recorded_frames r ON r.id = c.frame_id JOIN functions f ON f.id = r.function_id
        JOIN recorded_frames q ON q.id = r.parent_id JOIN functions g ON g.id = q.function_id WHERE f.name = 'in_child'
        GROUP BY g.name")"
    same "$what: blocks" "80 80" "$(sql run.db "SELECT count(*) || ' ' || count(free_ns) FROM allocs WHERE size = 100")"
    same "$what: no anomaly" 0 "$(sql run.db 'SELECT count(*) FROM anomalies')"
done
