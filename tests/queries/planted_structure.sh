#!/bin/bash
# The queries about time and call structure on tests/programs/structure.c, where it is known what each
# must find and what it must not: with gcc and clang, at -O0 and -O2.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
export XDG_CONFIG_HOME=$TEST_TMP/config

# rows NAME COLUMNS OPTION...: the named columns of a query's rows, separated by spaces
rows() {
    local name=$1 columns=$2
    shift 2
    "$fisql" query "$name" run.db --format json "$@" | python3 -c '
import json, sys
for row in json.load(sys.stdin):
    print(*[row[column] for column in sys.argv[1].split(",")])' "$columns"
}
sorted() { LC_ALL=C sort; }

for compiler in gcc clang; do
    for level in -O0 -O2; do
        with="$compiler $level"
        build $compiler structure $level -fno-optimize-sibling-calls -g "$programs/structure.c" || continue
        "$fisql" record -q ./structure
        "$fisql" load -q run.bin
        # leaf and its like are inlined in a build without hooks: planted_advice.sh has those that are not.
        same "single-callee, repeated-calls, tight-calls: nothing that the compiler inlines anyway ($with)" "" \
            "$(rows single-callee function | grep -vE '^(slow_sometimes|holder)')$(rows repeated-calls callee -p min_share=0)$(rows tight-calls function -p min_saved=0 -p max_mode_ns=16384 -p min_share=10 -p min_calls=100)"
        same "repeated-calls: alternate does not ($with)" "" "$(rows repeated-calls callee -p min_share=0 --function alternate)"
        same "complexity: modes has four sequences of calls ($with)" "modes 4 16 25" \
            "$(rows complexity function,sequences,calls,commonest_share -p min_modes=3 -p min_size=0 --function modes)"
        same "recursion: direct and mutual, one row a cycle ($with)" "direct 41 42 40 40 direct
even 5 6 4 0 mutual" "$(rows recursion function,nesting,calls,recursive_calls,direct_calls,kind | sed 's/^odd/even/' | sorted)"
        same "recursion: the cycles ($with)" "direct => direct
even => odd => even" "$(rows recursion cycle | sed 's/^odd => even => odd/even => odd => even/' | sorted)"
        same "call-cycles: even and odd, not direct ($with)" 1 "$(rows call-cycles function,other,calls,back_calls | grep -cE '^(even odd|odd even)')"
        same "call-cycles: nothing else ($with)" 1 "$(rows call-cycles function | wc -l)"
        same "call-order: walk_through after open_door, in two callers ($with)" "walk_through open_door 5 2 no" \
            "$(rows call-order function,after,times,callers,encapsulated -p min_size=0 --function walk_through)"
        same "call-order: not where both do as little as to hand out a value ($with)" "" "$(rows call-order function --function walk_through)"
        same "call-order: other_leaf comes after leaf, but not always ($with)" "" "$(rows call-order function | grep -x other_leaf)"
        same "hot-paths: all calls of deep_three came one way ($with)" "main => deep_one => deep_two => deep_three" \
            "$(rows hot-paths path --function deep_three)"
        same "callers: leaf's callers ($with)" "alternate 55
batch 502
burgle 2
modes 4
wide 1" "$(rows callers caller,calls -p function=leaf | awk '{ n[$1] += $2 } END { for (c in n) print c, n[c] }' | sorted)"
        same "callees: whom wide calls ($with)" "alternate batch burgle direct even leaf other_leaf visit" \
            "$(rows callees callee -p function=wide | sorted | tr '\n' ' ' | sed 's/ $//')"
        same "wide-functions: wide, not main ($with)" "wide" "$(rows wide-functions function -p min_size=0 | sorted | tr '\n' ' ' | sed 's/ $//')"
        same "leaves: never those that call ($with)" "" "$(rows leaves function | grep -E '^(batch|wide|main|odd|direct|modes)$')"
        same "leaves: leaf among them ($with)" "leaf 564" "$(rows leaves function,calls --function leaf)"
        same "leaves: batch, which calls leaf alone, in the low layer ($with)" "batch low" "$(rows leaves function,layer -p low=1 --function batch)"
        same "leaves: not those with more below them ($with)" "" "$(rows leaves function -p low=1 | grep -E '^(wide|main|odd|direct|modes)$')"
        [ "$level" != -O0 ] || same "leaves: who can name them ($with)" "leaf global nap static" \
            "$(rows leaves function,scope | grep -E '^(leaf|nap) ' | sorted | paste -sd' ')"
        same "tight-calls: not deep_three ($with)" "" "$(rows tight-calls function -p min_saved=0 -p max_mode_ns=4096 | grep -x deep_three)"
        same "deep-stacks: the deepest is direct's ($with)" "42 direct" "$(rows deep-stacks depth,function | sed -n 1p)"
        same "initializers: set_up, not main ($with)" "set_up" "$(rows initializers function -p min_share=0 | grep -xE 'main|set_up')"
        same "finalizers: tear_down ($with)" "tear_down" "$(rows finalizers function -p min_share=0 -p heavy=1 | grep -x tear_down)"
        same "slow-calls: the slow one of slow_sometimes ($with)" 1 \
            "$(rows slow-calls function,duration_ns -p per_function=1 --function slow_sometimes | awk '$2 > 29000000' | wc -l)"
        same "lock-waits: lock_store waited some 40 ms, in main ($with)" "lock_store 2 structure" \
            "$(rows lock-waits function,calls,thread,longest_ns --function lock_store | awk '$4 > 20000000 { print $1, $2, $3 }')"
        same "context-tree: main is the root, deep_three below ($with)" "main
      deep_three" "$("$fisql" query context-tree run.db -p min_percent=0 --format csv | cut -d, -f1 | grep -xE 'main|      deep_three' | uniq)"
        same "hook-cost: the whole run first ($with)" "(whole run)" "$(rows hook-cost function | sed -n 1p)"
        same "modules: one file, all within ($with)" "structure.c structure.c within" "$(rows modules from_group,to_group,kind)"
        sound "structure ($with)" run.db
    done
done

# What runs before and after the work, whatever time it takes: of the run, of threads, of objects.
for compiler in gcc clang; do
    for level in -O0 -O2; do
        with="$compiler $level"
        build $compiler lives $level -g "$programs/lives.c" || continue
        "$fisql" record -q ./lives
        "$fisql" load -q run.bin
        same "initializers: by role ($with)" "before_main run 1
object_new object 300
set_up run 1
worker_begin thread 2" "$(rows initializers function,life,calls -p min_share=0 | sorted)"
        same "finalizers: by role ($with)" "after_main run 1
object_free object 300
tear_down run 1
worker_end thread 2" "$(rows finalizers function,life,calls -p min_share=0 | sorted)"
        same "tree marks them ($with)" "after_main (finalizer)
before_main (initializer)
object_free (object's finalizer)
object_new (object's initializer)
set_up (initializer)
tear_down (finalizer)
worker_begin (thread's initializer)
worker_end (thread's finalizer)" "$("$fisql" tree run.db --min-percent 0 | grep -E 'izer[)]$' | sed 's/.* \([a-z_]*\)  lives[.]c:[0-9]*  (/\1 (/' | sorted)"
    done
done

# Threads of one name, told apart by what they run.
build gcc roles -O1 -fno-inline -fno-optimize-sibling-calls -g "$programs/roles.c" -lpthread
"$fisql" record -q ./roles
"$fisql" load -q run.bin
same "thread-functions: two roles in four threads of one name" "crunch 1
crunch 1
sift 1
sift 1" "$(rows thread-functions role,merged --function start | sorted)"
same "thread-functions: merged by name and role" "crunch 2 2
sift 2 2" "$(rows thread-functions role,calls,merged -p merge=1 --function start | sorted)"
same "thread-functions: the calls of both are added up" "crunch 40000
main 1
sift 40000" "$(rows thread-functions role,calls -p merge=1 | awk '{ n[$1] = n[$1] < $2 ? $2 : n[$1] } END { for (r in n) print r, n[r] }' | sorted)"
