#!/bin/bash
# Programs as they are: every function of the binary is recorded as often as callgrind saw it called, however it was
# compiled, and the program does what it does without fisql.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
command -v valgrind >/dev/null || { not_ok "valgrind is there"; exit 0; }

# What C's startup files bring along: without unwind information, called by the program's start and end.
startup="deregister_tm_clones=- register_tm_clones=- __do_global_dtors_aux=- frame_dummy=-"

# recorded WHAT PROGRAM: the program's output, exit status and standard error are those of the plain run
recorded() {
    "$2" >plain.out 2>plain.err
    local plain=$?
    rm -f x.bin x.db
    "$fisql" record -q -o x.bin --as-is "$2" >recorded.out 2>recorded.err
    same "$1: exit status" "$plain" $?
    same "$1: output" "$(cat plain.out)" "$(cat recorded.out)"
    same "$1: standard error" "$(cat plain.err)" "$(cat recorded.err)"
    "$fisql" load -q x.bin
    same "$1: loads without loss" 0 $?
}

# counted WHAT PROGRAM LEAST [NAME=CALLS...]: the counts equal callgrind's, of LEAST functions or more
counted() {
    local what=$1 program=$2 least=$3
    shift 3
    recorded "$what" "$program"
    valgrind -q --tool=callgrind --dump-instr=yes --compress-pos=no --callgrind-out-file=callgrind.out "$program" >valgrind.out 2>&1
    # shellcheck disable=SC2086 # a list of words
    python3 "$here/tests/e2e/any_counts.py" "$program" callgrind.out x.db $startup "$@" >counts.txt 2>&1
    same "$what: counts equal callgrind's" "" "$(sed '$d' counts.txt)"
    at_least "$what: functions compared" "$least" "$(sed -n '$s/ .*//p' counts.txt)" "$(tail -n 3 counts.txt)"
    same "$what: the calls have their exits" "" "$(sql x.db "
        SELECT kind || ' ' || count(*) FROM anomalies WHERE kind <> 'unwound' GROUP BY kind")"
}

# ---- C. Of the signals' handlers callgrind knows no callers. The jumps of leaves() end 4 + 8 + 1 calls, 3 times.
levels=(-O0 "-O2 -fcf-protection=full -ffunction-sections")
brief || levels+=(-O1 -O2 -O3 "-O2 -fno-pie -no-pie" "-Os -fomit-frame-pointer")
for compiler in gcc clang; do
    for flags in "${levels[@]}"; do
        # shellcheck disable=SC2086 # a list of words
        $compiler $flags -g -w -o calls "$programs/any_calls.c" -lm 2>err.txt || { not_ok "any_calls.c builds: $compiler $flags"; continue; }
        counted "$compiler $flags" ./calls 40 on_signal=5 on_signal_info=3
        same "$compiler $flags: the jumps' calls are unwound" "15" "$(sql x.db "SELECT count(*) FROM calls c JOIN frames r ON r.id = c.frame_id
            JOIN functions f ON f.id = r.function_id WHERE f.name = 'leaves' AND c.ended = 1")"
    done
done

# ---- hand-written functions. callgrind's valgrind has no XSAVE of all registers: there they are left alone.
for compiler in gcc clang; do
    $compiler -O1 -g -w -o asm "$programs/any_asm.c" -lpthread
    recorded "$compiler, hand-written, all registers" ./asm
    has "$compiler: no register is changed by a call" "main: 0 registers changed
thread: 0 registers changed" "$(cat recorded.out)"
    export ANY_NO_PROBE=1
    counted "$compiler, hand-written" ./asm 35 a_tight_ret=unhooked a_tight_mov=unhooked \
        a_where=unhooked a_inner=unhooked a_bare=unhooked a_again=4 a_into=10
    unset ANY_NO_PROBE
    same "$compiler: why functions are not recorded" "a_bare: hand-written: no unwind information
a_inner: hand-written: no unwind information
a_tight_mov: too short for a jump
a_tight_ret: too short for a jump
a_where: it uses its return address" "$(sql x.db "SELECT name || ': ' || not_hooked FROM functions
        WHERE name GLOB 'a_*' AND not_hooked IS NOT NULL ORDER BY name")"
done

# ---- a function that pops its argument
gcc -O1 -g -w -o pops "$programs/any_pops.c"
recorded "a function that pops its argument" ./pops

# ---- vectors, and other calling conventions. AVX-512 is checked by its result, and by the counts that are known.
for compiler in gcc clang; do
    for flags in -O0 -O2 "-O0 -mavx2" "-O2 -mavx2"; do
        case $flags in *avx2) grep -qw avx2 /proc/cpuinfo || { echo "skipped - AVX2: this processor has none"; continue; } ;; esac
        # shellcheck disable=SC2086 # a list of words
        $compiler $flags -g -w -o vectors "$programs/any_vectors.c"
        counted "$compiler $flags, vectors" ./vectors 3
    done
    if grep -qw avx512f /proc/cpuinfo; then
        for flags in "-O0 -mavx512f" "-O2 -mavx512f" "-O3 -mavx512f -mprefer-vector-width=512"; do
            # shellcheck disable=SC2086 # a list of words
            $compiler $flags -g -w -o vectors "$programs/any_vectors.c"
            recorded "$compiler $flags" ./vectors
            same "$compiler $flags: counts" "add4 18
add8 18
eight_wide 9
main 1
many 9
masked 9
smaller 9
swap4 9
windows 27" "$(counts x.db | grep -Ex '(add4|add8|eight_wide|main|many|masked|smaller|swap4|windows) .*')"
        done
    else
        echo "skipped - AVX-512: this processor has none"
    fi
done

# ---- C++
for compiler in g++ clang++; do
    for flags in -O0 -O2 $(brief || echo -O1 -O3); do
        $compiler $flags -g -w -std=c++17 -o kinds "$programs/any_kinds.cc" -lpthread || { not_ok "any_kinds.cc builds: $compiler $flags"; continue; }
        counted "$compiler $flags" ./kinds 35 # gcc 16 has 39
    done
done

# ---- Rust
if command -v rustc >/dev/null; then
    for flags in "" -O; do
        # shellcheck disable=SC2086 # a list of words
        rustc --edition 2021 $flags -g -o rust "$programs/any_rust.rs" 2>err.txt || { not_ok "any_rust.rs builds: $(head -n 3 err.txt)"; continue; }
        counted "rustc $flags" ./rust 100
    done
else
    echo "skipped - Rust: there is no rustc"
fi
