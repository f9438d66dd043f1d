#!/bin/bash
# Programs as they are: what leaves calls otherwise than by their return, and who reads stacks. Exceptions, forced
# unwinding, jumps, handlers' stacks, coroutines, children, ends from deep calls, backtrace() and gdb: the program does
# what it does without fisql, and its calls are those that it counts itself.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
ulimit -Sc 0

# The counts of the functions that the program counts itself; a function's clones are one function.
own() { # DB FILE
    # shellcheck disable=SC2046 # names
    counts "$1" | sed -E 's/\([^)]*\)//' | grep -E "^($(sed -n 's/^\([A-Za-z_0-9]*\) [0-9]*$/\1/p' "$2" | sort -u | paste -sd'|')) " |
        expected /dev/stdin
}

# left WHAT OPEN PROGRAM ARG...: OPEN = which functions' calls are open at the end, with their numbers
left() {
    local what=$1 open=$2 plain
    shift 2
    timeout 60 "$@" >plain.out 2>plain.err
    plain=$?
    rm -f x.bin x.db
    timeout 120 "$fisql" record -q -o x.bin --as-is "$@" >recorded.out 2>recorded.err
    same "$what: exit status" "$plain" $?
    same "$what: output" "$(sort plain.out)" "$(sort recorded.out)"
    # threads' lines come in any order, and fisql tells of the signal that ended the program
    same "$what: standard error" "$(tr ' ' '\n' <plain.err | sort)" "$(grep -v '^fisql: ' recorded.err | tr ' ' '\n' | sort)"
    "$fisql" load -q x.bin >load.txt 2>&1
    same "$what: loads without loss" 0 $?
    grep -E '^[a-z_]+ [0-9]+$' plain.out >plain.counts
    same "$what: counts" "$(expected plain.counts)" "$(own x.db plain.counts)"
    [ "$open" = any ] || same "$what: calls that did not end" "$open" "$(sql x.db "
        SELECT group_concat(name || ' ' || n, ', ') FROM (SELECT f.name, count(*) AS n FROM calls c JOIN frames r ON r.id = c.frame_id
        JOIN functions f ON f.id = r.function_id WHERE c.ended > 1 GROUP BY f.name ORDER BY f.name)")"
    same "$what: every exit is its entry's" "" "$(sql x.db "
        SELECT kind || ' ' || count(*) FROM anomalies WHERE kind <> 'unwound' GROUP BY kind")"
}

# unwound WHAT FUNCTION...: calls of these functions that did not return by themselves
unwound() {
    local what=$1 expected=$2
    shift 2
    same "$what" "$expected" "$(sql x.db "SELECT group_concat(name || ' ' || n, ', ') FROM (
        SELECT f.name, count(*) AS n FROM calls c JOIN frames r ON r.id = c.frame_id
        JOIN functions f ON f.id = r.function_id WHERE c.ended = 1 AND f.name IN ($(printf "'%s'," "$@" | sed 's/,$//'))
        GROUP BY f.name ORDER BY f.name)")"
}

throwing=(-O2 "-O2 -static-libstdc++ -static-libgcc") leaving=(-O2 "-O1 -fcf-protection=full")
brief || throwing+=(-O0 -O1 "-O2 -fno-pie -no-pie") leaving+=(-O0 "-O2 -fno-pie -no-pie")

# ---- exceptions
for compiler in g++ $(brief || echo clang++); do
    for flags in "${throwing[@]}"; do
        trapping=
        [ $compiler = g++ ] && trapping=-fnon-call-exceptions
        # shellcheck disable=SC2086 # a list of words
        $compiler $flags $trapping -g -w -std=c++17 -o throws "$programs/any_throws.cc" -lpthread || {
            not_ok "any_throws.cc builds: $compiler $flags"
            continue
        }
        with="$compiler $flags"
        left "$with: exceptions" "" ./throws exceptions
        unwound "$with: who was left by them" "" catcher goes_on main
        unwound "$with: each thrower was" "thrower 12" thrower
        # A plain program with an unwinder of its own comes to no end by what libraries' functions throw.
        case $flags in *static-libgcc*) open=any ;; *) open= ;; esac
        left "$with: through libraries" "$open" ./throws libraries
        unwound "$with: the callers go on" "" sorts goes_on throws_in_stream main
        left "$with: in threads" "" ./throws threads
        unwound "$with: the threads' functions return" "" body goes_on
        if [ -n "$trapping" ]; then
            left "$with: out of a handler" "" ./throws signals
            unwound "$with: out of a handler" "faults 5, on_fault 5" on_fault faults in_handler goes_on
        fi
        left "$with: forced unwinding" "$open" ./throws forced
        [ -n "$open" ] || unwound "$with: forced unwinding" "cancelled 4, exits 4, leaves 28, waits 24" cleans waits cancelled leaves exits goes_on
        left "$with: an exception that nobody catches" any ./throws uncaught
        left "$with: set_terminate" any ./throws handler
        left "$with: noexcept" any ./throws noexcept
        left "$with: an exception that ends a thread" any ./throws thread-uncaught
        left "$with: exit from deep calls" "exits_deep 7, main 1" ./throws exit
        left "$with: abort" "aborts 7, main 1" ./throws abort
    done
done

# ---- jumps, stacks, children, ends
for compiler in gcc $(brief || echo clang); do
    for flags in "${leaving[@]}"; do
        # shellcheck disable=SC2086 # a list of words
        $compiler $flags -g -w -o leaves "$programs/any_leaves.c" -lpthread || { not_ok "any_leaves.c builds: $compiler $flags"; continue; }
        with="$compiler $flags"
        left "$with: longjmp" "" ./leaves jumps
        unwound "$with: longjmp" "jumps 36, on_jump 8, raises 36" jumps on_jump raises sets main
        left "$with: sigaltstack" "" ./leaves altstack
        unwound "$with: sigaltstack" "on_stack 2" on_stack raises leaf main
        left "$with: coroutines" any ./leaves coroutines
        unwound "$with: coroutines" "" leaf main # those that are open at a switch end there
        left "$with: a coroutine of several threads" any ./leaves wandering
        unwound "$with: a coroutine of several threads" "" leaf resumes main
        left "$with: fork" any ./leaves fork
        same "$with: fork: two processes" 2 "$(sql x.db 'SELECT count(*) FROM processes')"
        left "$with: vfork and exec" any ./leaves vfork
        unwound "$with: vfork and exec" "" spawns main
        left "$with: clone" any ./leaves clone
        left "$with: _exit" "ends 6, main 1" ./leaves _exit
        left "$with: quick_exit" "ends 6, main 1" ./leaves quick_exit
        left "$with: exit" "ends 6, main 1" ./leaves exit
        left "$with: killed" "ends 6, main 1" ./leaves kill
        left "$with: a fault" "ends 6, main 1" ./leaves segv
        left "$with: a trap" "ends 6, main 1" ./leaves trap
        left "$with: pthread_exit of the first thread" any ./leaves thread_exit
        left "$with: exec" any ./leaves exec # echo prints no number
    done
done

# ---- handlers of signals in the middle of anything
gcc -O2 -g -w -o pestered "$programs/any_pestered.c" || not_ok "any_pestered.c builds"
for how in 0 1 2; do
    ./pestered $how >plain.out 2>/dev/null
    plain=$?
    rm -f x.bin x.db
    timeout 200 "$fisql" record -q -o x.bin --as-is ./pestered $how >recorded.out 2>recorded.err
    same "signals all the time, $how: status" "$plain" $?
    same "signals all the time, $how: output" "$(cat plain.out)" "$(cat recorded.out)"
    "$fisql" load -q x.bin
    same "signals all the time, $how: loads without loss" 0 $?
    handled=$(sed -n 's/^handled //p' recorded.err)
    same "signals all the time, $how: each handler's call" "$handled $handled" "$(calls_of x.db on_alarm) $(calls_of x.db inner)"
    [ $how = 1 ] || same "signals all the time, $how: counts" "3000000 3000000 153000" "$(calls_of x.db tiny) $(calls_of x.db fl) $(calls_of x.db rec)"
    same "signals all the time, $how: every exit is its entry's" "" "$(sql x.db "
        SELECT kind || ' ' || count(*) FROM anomalies WHERE kind <> 'unwound' GROUP BY kind")"
done

# ---- stacks that the program changes itself
for flags in -O0 -O2; do
    gcc $flags -g -w -o switches "$programs/any_switches.c"
    left "coroutines by a hand-written function, gcc $flags" any ./switches
    same "coroutines by a hand-written function, gcc $flags: counts" "897 300 600 302" \
        "$(calls_of x.db leaf) $(calls_of x.db resume) $(calls_of x.db sw) $(calls_of x.db yields)"
done

# ---- who called. What fisql adds may be there: the call sites in its library.
names() { sed -E 's/ libfisql[^ ]*:[^ ]*//g' "$1"; }
for compiler in gcc clang; do
    for flags in -O0 -O2 "-O2 -fno-omit-frame-pointer -fno-pie -no-pie"; do
        # shellcheck disable=SC2086 # a list of words
        $compiler $flags -g -w -rdynamic -o stack "$programs/any_backtrace.c" -lpthread
        ./stack >plain.out
        "$fisql" record -q -o x.bin --as-is ./stack >recorded.out 2>recorded.err
        same "$compiler $flags: a recorded program's status, standard error" "0 " "$? $(cat recorded.err)"
        same "$compiler $flags: backtrace() and _Unwind_Backtrace()" "$(cat plain.out)" "$(names recorded.out)"
    done
done

# Go's runtime keeps the stack for handlers that it finds.
gcc -O1 -g -w -rdynamic -o go "$programs/any_go.c"
left "a stack for handlers, as Go's runtime uses it" "" ./go

# Faults in moved instructions.
for flags in -O0 -O1 -O2 "-O2 -fno-pie -no-pie" "-O1 -fcf-protection=full"; do
    # shellcheck disable=SC2086 # a list of words
    g++ $flags -fnon-call-exceptions -g -w -std=c++17 -rdynamic -o faults "$programs/any_faults.cc"
    ./faults >plain.out
    same "g++ $flags: faults: the plain program catches all" "5 5" "$? $(grep -cE '^(main|f_catches): [0-9]+$' plain.out)"
    "$fisql" record -q -o x.bin --as-is ./faults >recorded.out
    same "g++ $flags: faults in the first instructions: status" 5 $?
    same "g++ $flags: faults in the first instructions: output" "$(cat plain.out)" "$(cat recorded.out)"
done

# gdb: functions, one a line, without what fisql adds, of the program's own and libraries
frames() { sed -nE 's/^#[0-9]+ +(0x[0-9a-f]+ in )?([^ ]+) .*/\2/p' "$1" | grep -vx 'patch_.*\|abort'; }
if command -v gdb >/dev/null; then
    gdb=(gdb -nx -batch -iex 'set debuginfod enabled off' -iex 'set auto-load safe-path /' -iex 'set startup-with-shell off')
    for compiler in gcc clang; do
        $compiler -O1 -g -w -rdynamic -o stack "$programs/any_backtrace.c" -lpthread
        waits() { # COMMAND...: until the program waits; sets its process id
            rm -f waiting
            "$@" >/dev/null 2>&1 &
            started=$!
            for _ in $(seq 100); do
                [ -s waiting ] && break
                sleep 0.1
            done
            pid=$(cat waiting)
        }
        waits ./stack wait
        "${gdb[@]}" -p "$pid" -ex bt >gdb.txt 2>&1
        frames gdb.txt >plain.txt
        kill "$pid"
        wait "$started" 2>/dev/null
        has "$compiler: gdb sees the plain program's stack" "look tail_called" "$(paste -sd' ' plain.txt)"
        waits "$fisql" record -q -o x.bin --as-is ./stack wait
        "${gdb[@]}" -p "$pid" -ex bt >gdb.txt 2>&1
        kill "$pid"
        wait "$started" 2>/dev/null
        same "$compiler: gdb at a recorded process sees the same functions" "$(cat plain.txt)" "$(frames gdb.txt)"

        "${gdb[@]}" -ex 'break look' -ex run -ex bt --args ./stack >gdb.txt 2>&1
        frames gdb.txt >plain.txt
        has "$compiler: gdb stops at look" "look tail_called" "$(paste -sd' ' plain.txt)"
        # gdb is recorded, too. A function with a breakpoint in its first instructions is left alone.
        for place in look tail_called '*recurs'; do
            "${gdb[@]}" -ex "break $place" -ex run -ex bt -ex delete -ex finish -ex finish -ex bt --args ./stack >gdb.txt 2>&1
            "$fisql" record -q -o x.bin --as-is "${gdb[@]}" -ex "break $place" -ex run -ex bt --args ./stack >recorded.txt 2>&1
            frames gdb.txt | sed '/^main$/q' >plain.txt
            same "$compiler: gdb at a breakpoint at $place sees the same functions" "$(cat plain.txt)" "$(frames recorded.txt)"
        done
        "$fisql" record -q -o x.bin --as-is "${gdb[@]}" -ex 'break look' -ex run -ex delete -ex finish -ex finish -ex finish -ex bt -ex 'handle SIGUSR1 nostop noprint' -ex continue \
            --args ./stack >gdb.txt 2>&1
        has "$compiler: gdb finishes functions of a recorded program" "recurs main" "$(frames gdb.txt | paste -sd' ')"
        has "$compiler: and the program comes to its end" "exited normally" "$(cat gdb.txt)"

        case $(cat /proc/sys/kernel/core_pattern) in
            core*)
                rm -f core*
                (ulimit -Sc unlimited && ./stack abort >/dev/null 2>&1)
                "${gdb[@]}" -ex bt ./stack core* >gdb.txt 2>&1
                frames gdb.txt >plain.txt
                has "$compiler: a plain program's core file" "look tail_called" "$(paste -sd' ' plain.txt)"
                rm -f core*
                # The sanitizer would forbid them.
                (ulimit -Sc unlimited && ASAN_OPTIONS=disable_coredump=0 "$fisql" record -q -o x.bin --as-is ./stack abort >/dev/null 2>&1)
                "${gdb[@]}" -ex bt ./stack core* >gdb.txt 2>&1
                same "$compiler: gdb sees the same functions in a recorded program's core file" "$(cat plain.txt)" "$(frames gdb.txt)"
                ;;
            *) echo "skipped - core files go elsewhere" ;;
        esac
    done
else
    echo "skipped - gdb: there is none"
fi
