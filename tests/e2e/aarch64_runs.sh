#!/bin/bash
# aarch64: the collector, cross-compiled, records programs that count their own calls (tests/programs) under
# qemu-user; `fisql record` and `fisql load` are this machine's. Counts are exact, and the program is untouched.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
for tool in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++; do
    if ! command -v $tool >/dev/null; then
        not_ok "$tool is there (tests/setup check installs it)"
        exit 0
    fi
done
root=/usr/aarch64-linux-gnu # of Debian's cross compilers
collector=$TEST_TMP/aarch64/libfisql.so

{
    hooks="-w -g -finstrument-functions"
    for name in threads jumps deep coroutines lifetime forks signals dlopens; do
        echo "aarch64-linux-gnu-gcc $hooks -O2 -o $name $programs/$name.c -lpthread -ldl -lm"
    done
    for name in jumps deep coroutines; do
        echo "aarch64-linux-gnu-gcc $hooks -O0 -o $name-O0 $programs/$name.c -lpthread -ldl -lm"
    done
    for name in trace_macros.c trace_macros.cc; do
        compiler=aarch64-linux-gnu-gcc
        [[ $name == *.c ]] || compiler="aarch64-linux-gnu-g++ -std=c++17"
        echo "$compiler -O2 -I$here/collector -o $name.arm $programs/$name -lpthread"
    done
    echo "aarch64-linux-gnu-g++ -std=c++17 $hooks -O0 -o exceptions $programs/exceptions.cc"
    echo "aarch64-linux-gnu-gcc $hooks -O1 -o lockuse $programs/lockuse.c -lpthread"
    echo "aarch64-linux-gnu-g++ -std=c++17 $hooks -O1 -o locks $programs/locks.cc -lpthread"
    echo "aarch64-linux-gnu-g++ $hooks -O2 -fsized-deallocation -o kinds $programs/kinds.cc"
    for name in A B; do
        echo "aarch64-linux-gnu-gcc $hooks -shared -fPIC -DNAME=$name -o plugin$name.so $programs/plugin.c"
    done
} | xargs -P 2 -d '\n' -I{} sh -c '{}' >build.txt 2>&1
collector_aarch64 "$TEST_TMP/aarch64" libfisql.so libfisql-locks.so >>build.txt
same "collector and programs build for aarch64" "" "$(cat build.txt)"

# A program finds itself under a name that this machine can run, for it executes itself.
cat >self <<SELF
#!/bin/sh
name=\$(basename "\$0")
exec qemu-aarch64 -0 "\$0" -L $root -E LD_PRELOAD=$collector "./\$name.arm" "\$@"
SELF
chmod +x self

# loaded WHAT: what is in run.bin equals what the program printed into out.txt
loaded() {
    "$fisql" load -q run.bin 2>err.txt
    same "$1: loads without loss" 0 "$?"
    same "$1: counts" "$(expected out.txt)" "$(counts run.db | sed 's/(int)//; s/^Guard::\(~*Guard\)/\1/' |
        grep -vE '::|operator' | LC_ALL=C sort)"
    same "$1: integrity_check" ok "$(sql run.db 'PRAGMA integrity_check')"
}

# case_of THREADS PROGRAM ARGUMENT...: recorded by fisql record
case_of() {
    local threads=$1 program=$2 status plain what="$2${3+ $3}"
    shift 2
    [ -e "$program.arm" ] || { mv "$program" "$program.arm" && ln self "$program"; }
    qemu-aarch64 -0 "./$program" -L $root "./$program.arm" "$@" >plain.txt 2>/dev/null </dev/null
    plain=$?
    rm -f run.bin
    "$fisql" record -q -o run.bin qemu-aarch64 -0 "./$program" -L $root -E "LD_PRELOAD=$collector" "./$program.arm" "$@" \
        >out.txt 2>/dev/null </dev/null
    status=$?
    same "$what: exit status" "$plain" "$status"
    loaded "$what"
    same "$what: threads" "$threads" "$(sql run.db 'SELECT count(*) FROM threads')"
}

case_of 401 threads 100
same "threads: names" 100 "$(sql run.db "SELECT count(*) FROM threads WHERE name = 'plain'")"
same "threads: the clock is the counter" cntvct "$(sql run.db "SELECT value FROM run WHERE key = 'clock'")"
levels=("")
brief || levels+=(-O0)
for level in "${levels[@]}"; do
    case_of 1 jumps$level
    sound "jumps$level" run.db
    same "jumps$level: each longjmp ends its calls at once" "4000 108000" \
        "$(sql run.db "SELECT count(*) || ' ' || sum(calls) FROM anomalies WHERE kind = 'unwound'")"
    same "jumps$level: calls that were left" 108000 "$(sql run.db 'SELECT count(*) FROM calls WHERE ended = 1')"
    case_of 52 deep$level
    same "deep$level: depth" 1000000 "$(sql run.db "SELECT max(c.depth) FROM calls c JOIN frames r ON r.id = c.frame_id
                       JOIN functions f ON f.id = r.function_id WHERE f.name = 'down'")"
    case_of 1 coroutines$level
done
case_of 2 lifetime
case_of 4 forks fork
case_of 23 forks threaded
case_of 41 forks race
same "forks race: every exit is its entry's" 0 "$(sql run.db 'SELECT count(*) FROM anomalies')"
for how in vfork spawn exec daemon; do
    case_of 2 forks $how
done
case_of 3 signals plain 50000
sound "signals plain" run.db
case_of 3 signals altstack 50000
case_of 1 exceptions
sound "exceptions" run.db
same "exceptions: every block of new was freed" 0 \
    "$(sql run.db "SELECT count(*) FROM allocs WHERE kind LIKE 'new%' AND free_ns IS NULL")"
same "exceptions: calls that were left" "Guard::Guard 0|rethrower 200|thrower 3800" "$(sql run.db "
    SELECT f.name || ' ' || sum(c.ended = 1) FROM calls c JOIN frames r ON r.id = c.frame_id
    JOIN functions f ON f.id = r.function_id WHERE f.name IN ('Guard::Guard', 'rethrower', 'thrower')
    GROUP BY f.name ORDER BY f.name" | paste -sd '|')"

# Macros of fisql_trace.h, without hooks: the same rows as on this machine.
gcc -O2 -I"$here/collector" -o trace_macros.c.here "$programs/trace_macros.c" -lpthread
g++ -std=c++17 -O2 -I"$here/collector" -o trace_macros.cc.here "$programs/trace_macros.cc"
for what in "c scopes" "c values" "c levels" "c pauses" "c forks" cc; do
    name=trace_macros.${what%% *} word=${what#* }
    "$fisql" record -q "./$name.here" "$word" >here.txt
    "$fisql" load -q run.bin
    trace_rows run.db >here.rows
    "$fisql" record -q qemu-aarch64 -L $root -E "LD_PRELOAD=$collector" "./$name.arm" "$word" >out.txt
    same "$name $word: prints the same" "$(cat here.txt)" "$(cat out.txt)"
    "$fisql" load -q run.bin
    same "$name $word: the same rows" "" "$(trace_rows run.db | diff here.rows - | head -5)"
    at_least "$name $word: leaves rows" 4 "$(wc -l <here.rows)"
done

# Every way to allocate, as on this machine.
build g++ kinds_here -O2 -fsized-deallocation "$programs/kinds.cc"
blocks() {
    "$fisql" load -q run.bin 2>/dev/null
    sql run.db "SELECT a.kind, a.size, count(*), count(a.free_ns) FROM allocs a JOIN frames r ON r.id = a.frame_id
                JOIN functions f ON f.id = r.function_id GROUP BY 1, 2 ORDER BY 1, 2"
}
"$fisql" record -q ./kinds_here
here_blocks=$(blocks)
"$fisql" record -q qemu-aarch64 -L $root -E "LD_PRELOAD=$collector" ./kinds 2>/dev/null
same "kinds: blocks by kind and size" "$here_blocks" "$(blocks)"

# Preloaded alone.
rm -f run.bin
qemu-aarch64 -L $root -E "LD_PRELOAD=$collector" -E FISQL_LOG=run.bin ./dlopens ./pluginA.so ./pluginB.so 50 >out.txt 2>/dev/null
"$fisql" load -q run.bin 2>/dev/null
same "dlopen and dlclose in a loop, preloaded alone: counts" "inner_A 50
inner_B 50
main 1
plugin 25
plugin 25" "$(counts run.db | LC_ALL=C sort)"

for options in "--depth 3" "--min-duration 1s" "--time none" "--time sampled"; do
    # shellcheck disable=SC2086 # words
    "$fisql" record -q $options qemu-aarch64 -L $root -E "LD_PRELOAD=$collector" ./jumps.arm >out.txt 2>/dev/null
    loaded "jumps $options"
done

# Locks: each case of tests/programs/locks.cc, misuse, counts and a wait, as on this machine (tests/e2e/locks.sh).
locked() { # DB PROGRAM ARGUMENT...
    local database=$1
    shift
    timeout 60 "$fisql" record -q --locks -o run.bin qemu-aarch64 -L $root -E "LD_PRELOAD=$TEST_TMP/aarch64/libfisql-locks.so:$collector" "$@" 2>/dev/null
    "$fisql" load -q -o "$database" run.bin
}
qemu-aarch64 -L $root ./locks >cases
at_least "locks: there are cases" 50 "$(wc -l <cases)"
while read -r name expected; do
    locked order.db ./locks "$name"
    same "locks: order: $name" "$expected rings, 0 misuses" "$(sql order.db "SELECT count(DISTINCT cycle) || ' rings, ' || (SELECT count(*)
        FROM lock_misuses) || ' misuses' FROM lock_cycles WHERE by_place = 0")"
done <cases
build gcc lockuse_here -g -O1 "$programs/lockuse.c"
for name in by_other unlocked destroyed_held freed_held used_destroyed condition_not_held condition_two_mutexes locked_twice; do
    "$fisql" record -q --locks -o run.bin ./lockuse_here $name && "$fisql" load -q -o here.db run.bin
    locked misuse.db ./lockuse $name
    query="SELECT group_concat(misuse || ' in ' || f.name || ' ' || times, ', ') FROM (SELECT misuse, frame_id, count(*) AS times FROM lock_misuses
           GROUP BY misuse, frame_id ORDER BY min(ns)) m JOIN frames k ON k.id = m.frame_id JOIN functions f ON f.id = k.function_id"
    same "locks: misuse: $name" "$(sql here.db "$query")" "$(sql misuse.db "$query")"
    at_least "locks: misuse: $name: it is told" 1 "$(sql misuse.db 'SELECT count(*) FROM lock_misuses')"
done
locked counted.db ./lockuse counted >out.txt
same "locks: each acquisition is counted" "$(for _ in 1 2 3 4 5; do cat out.txt; done | paste -sd' ')" \
    "$(sql counted.db "SELECT group_concat(times, ' ') FROM (SELECT sum(times) AS times FROM lock_holds h JOIN locks l ON l.id = h.lock_id WHERE l.kind = 'mutex' GROUP BY lock_id ORDER BY lock_id)")"
export NO_ROBUST=1 # qemu-user does not tell a robust mutex that its holder died
timeout 60 qemu-aarch64 -L $root ./lockuse gives >expected.txt
same "locks: the program runs without" 0 $?
locked gives.db ./lockuse gives >out.txt
same "locks: results, errno, cancellation and fork are as without" "$(cat expected.txt)" "$(cat out.txt)"
