#!/bin/bash
# Arguments and results that are known from the source, as recipes locate them, in builds of both compilers
# at every level: a value may be missing, it may never be another one.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

programs=$here/tests/programs/values
cd "$TEST_TMP" || exit 2

# values_of WHAT LEAST COMPILER...: compiles types.EXTENSION, records it, compares all values
values_of() {
    local what=$1 least=$2 source=$3 compared
    shift 3
    "$fisql" cc "$@" -g -w -o types "$programs/$source" || return
    "$fisql" record -q --values -o types.bin ./types >/dev/null
    "$fisql" load -q types.bin
    sqlite3 types.db "SELECT text FROM call_text" >types.txt
    compared=$(python3 "$here/tests/e2e/recipes.py" "$programs/$source.expected" types.txt)
    same "$what: no value is wrong" "" "$(sed '$d' <<<"$compared")"
    at_least "$what: values are located" "$least" "$(tail -n 1 <<<"$compared" | cut -d ' ' -f 1)"
}

values_of "C, gcc -O0" 96 types.c gcc -O0
values_of "C, gcc -O1" 80 types.c gcc -O1
values_of "C, gcc -O2" 78 types.c gcc -O2
values_of "C, gcc -O3" 78 types.c gcc -O3
values_of "C, gcc -Os" 85 types.c gcc -Os
values_of "C, gcc -Og" 80 types.c gcc -Og
values_of "C, gcc -O2, DWARF 4" 78 types.c gcc -O2 -gdwarf-4
values_of "C, gcc -O2, no frame information but for debuggers" 78 types.c gcc -O2 -fno-asynchronous-unwind-tables
values_of "C, gcc -O2, not position independent" 78 types.c gcc -O2 -no-pie -fno-pie
values_of "C, gcc -O2, no procedure linkage table" 78 types.c gcc -O2 -fno-plt
values_of "C, gcc -O2, split debug information" 70 types.c gcc -O2 -gsplit-dwarf
values_of "C, gcc -O2, split debug information of DWARF 4" 78 types.c gcc -O2 -gsplit-dwarf -gdwarf-4
values_of "C, gcc -O2, link-time optimisation" 60 types.c gcc -O2 -flto
values_of "C, gcc -O2, frame pointers" 75 types.c gcc -O2 -fno-omit-frame-pointer -fstack-protector-all
values_of "C++, gcc -O0" 71 types.cc g++ -std=c++17 -O0
values_of "C++, gcc -O2" 55 types.cc g++ -std=c++17 -O2
values_of "C++, gcc -O3" 55 types.cc g++ -std=c++17 -O3
if command -v clang >/dev/null; then
    values_of "C, clang -O0" 92 types.c clang -O0
    least=75 # 18 and later say where one half of an __int128 is
    [ "$(echo | clang -dM -E -x c - | awk '$2 == "__clang_major__" { print $3 }')" -lt 18 ] || least=70
    values_of "C, clang -O1" $least types.c clang -O1
    values_of "C, clang -O2" $least types.c clang -O2
    values_of "C, clang -O2, DWARF 4" $least types.c clang -O2 -gdwarf-4
    values_of "C++, clang -O0" 65 types.cc clang++ -std=c++17 -O0
    values_of "C++, clang -O2" 45 types.cc clang++ -std=c++17 -O2
fi

# Functions of a header: the linker keeps one copy, which the debug information of both units describes, or bodies
# are inlined, some of which have no code of their own.
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    for level in -O0 -O2 -O3; do
        "$fisql" cc $compiler $level -g -w -o shapes "$programs/shapes.cc" "$programs/shapes_other.cc"
        has "shapes, $compiler $level: it is known whose all calls of hooks are" ", nameless 0" "$("$FISQL_BUILD/recipes_dump" -q shapes)"
        "$fisql" record -q --values -o shapes.bin ./shapes
        "$fisql" load -q shapes.bin
        same "shapes, $compiler $level: every call but of destructors has its object" 0 \
            "$(sqlite3 shapes.db "SELECT count(*) FROM call_arguments WHERE parameter IN ('this', 's') AND value IS NULL AND function NOT GLOB '*~*'")"
        same "shapes, $compiler $level: arguments and results are those of the source" "other(n=5) = 60 other(n=2) = 42" \
            "$(sqlite3 shapes.db "SELECT text FROM call_text WHERE text GLOB 'other*'" | sed 's/s=0x[0-9a-f]*, //' | xargs)"
    done
done

# gcc 14 lets an inlined body at a function's end reach beyond the function's own call of the exit hook.
gcc -S -O2 -g -w -finstrument-functions -o narrow.s "$programs/wide_inline.c"
awk '/^last:/ { inside = 1 }
    !inside { print; next }
    { line[++count] = $0 }
    /__cyg_profile_func_exit/ { if (!first) first = count; final = count }
    /\.size[ \t]+last,/ {
        for (i = 1; i <= count; i++) {
            if (line[i] ~ /^\.LBE[0-9]+:/ && i > first && i < final) { ends = ends line[i] "\n"; continue }
            print line[i]
            if (i == final) printf "%s", ends
        }
        inside = 0
    }' narrow.s >wide.s
same "an inlined body's end lies behind the last call of a hook" 1 \
    "$(sed -n '/^last:/,/\.size/p' wide.s | tac | sed -n '1,/__cyg_profile_func_exit/p' | grep -qE '^\.LBE[0-9]+:' && echo 1)"
"$fisql" cc gcc -o wide wide.s && "$fisql" record -q --values -o wide.bin ./wide && "$fisql" load -q wide.bin
same "the function's own result is known" "last(n=5) = 11 last(n=7) = 15" \
    "$(sqlite3 wide.db "SELECT text FROM call_text WHERE text GLOB 'last*'" | xargs)"

# It lets another begin before the call of the entry hook of what is around it.
awk '/^last:/ { inside = 1 }
    !inside { print; next }
    { line[++count] = $0 }
    /__cyg_profile_func_enter/ && !first { first = count }
    /\.size[ \t]+last,/ {
        for (i = first + 1; i <= count; i++)
            if (line[i] ~ /^\.LBB[0-9]+:/) { begins = begins line[i] "\n"; line[i] = "" }
        for (i = 1; i <= count; i++) {
            if (i == first) printf "%s", begins
            print line[i]
        }
        inside = 0
    }' narrow.s >early.s
same "every inlined body begins before the first call of a hook" 0 \
    "$(sed -n '/^last:/,/\.size/p' early.s | sed '1,/__cyg_profile_func_enter/d' | grep -cE '^\.LBB[0-9]+:')"
"$fisql" cc gcc -o early early.s && "$fisql" record -q --values -o early.bin ./early && "$fisql" load -q early.bin
same "the function's own argument is known" "last(n=5) = 11 last(n=7) = 15" \
    "$(sqlite3 early.db "SELECT text FROM call_text WHERE text GLOB 'last*'" | xargs)"

# What is missing has a reason, and little is missing.
recipes=$FISQL_BUILD/recipes_dump
gcc -O2 -g -w -finstrument-functions -c -o types.o "$programs/types.c"
"$fisql" cc gcc -O0 -g -w -o types "$programs/types.c"
has "all parameters are located without optimisation" "functions: 56 of 57 located" "$("$recipes" -q types)"
if [ "$(uname -m)" = x86_64 ]; then
    for level in -O2 -O0; do
        "$fisql" cc gcc $level -g -w -o types "$programs/types.c"
        at_least "gcc $level: results that are there when the exit hook is called, of 100" "$([ $level = -O0 ] && echo 75 || echo 50)" \
            "$("$recipes" types | awk '/\texit/ && /=/ { all++; here += !/=result/ } END { print int(100 * here / all) }')"
    done
fi
has "and the other one has a reason" "more than 64 bytes" "$("$recipes" -q types)"

# The way from an exit hook to the return is read instruction by instruction: lengths against objdump's.
lengths_of() { # MODULE
    objdump -d --no-show-raw-insn "$1" | sed -nE 's/^ +([0-9a-f]+):\t.*/\1/p' >listed.txt
    "$recipes" -i "$1" <listed.txt >lengths.txt
    python3 -c '
rows = [(int(address, 16), int(length)) for address, length in map(str.split, open("lengths.txt"))]
steps = [(length, after - at) for (at, length), (after, _) in zip(rows, rows[1:])]
wrong = sum(length not in (0, step) for length, step in steps if step < 16)
print(wrong > 8, sum(length == 0 for length, step in steps) > len(rows) / 50)' # between sections are gaps
}
if [ "$(uname -m)" = x86_64 ]; then
    gcc -w -g -O3 -march=skylake-avx512 -o vectors "$programs/types.c"
    same "lengths of instructions are those of objdump" "False False" "$(lengths_of ./vectors)"
    same "in a large program, too" "False False" "$(lengths_of "$FISQL_BUILD/fisql")"
fi

# The first FDE is damaged: its CIE would lie right before the section. It is left out, without a look at what is not there.
python3 - types damaged <<'P'
import re, struct, subprocess, sys
found = re.search(r" \.eh_frame +PROGBITS +\w+ +(\w+)", subprocess.check_output(["readelf", "-SW", sys.argv[1]], text=True))
content = bytearray(open(sys.argv[1], "rb").read())
start = at = int(found[1], 16)
while struct.unpack_from("<I", content, at + 4)[0] == 0: # a CIE
    at += 4 + struct.unpack_from("<I", content, at)[0]
struct.pack_into("<I", content, at + 4, at + 4 - start + 1)
open(sys.argv[2], "wb").write(content)
P
memcheck="valgrind -q --error-exitcode=9"
! nm "$recipes" | grep -q __asan_init || memcheck= # that looks itself
# shellcheck disable=SC2086 # words
said=$($memcheck "$recipes" damaged 2>&1 >/dev/null)
report $? "a damaged FDE is left out" "$said"

# What is asked for, and what cannot be.
"$fisql" record -q --values='two_*' --values=one --no-results -o types.bin ./types >/dev/null
"$fisql" load -q types.bin
same "patterns choose functions, and results are left out where they are not wanted" "one two_doubles two_kinds" \
    "$(sqlite3 types.db "SELECT DISTINCT substr(text, 1, instr(text, '(') - 1) FROM call_text WHERE text LIKE '%=%'" | sort | xargs)"
same "and not otherwise" "0" "$(sqlite3 types.db "SELECT count(*) FROM call_values WHERE position = 0")"
"$fisql" record -q --values=texts --string-max 5 -o types.bin ./types >/dev/null
"$fisql" load -q types.bin
has "texts are cut where it is asked for" 'b="a lon"...' "$(sqlite3 types.db "SELECT text FROM call_text WHERE text LIKE 'texts%'")"
has "a pattern that matches nothing is an error" "no function's name or file matches nobody" \
    "$("$fisql" record --values=nobody -o none.bin ./types 2>&1)"
gcc -w -finstrument-functions -o bare "$programs/types.c"
has "as is a program without debug information" "build with -g" "$("$fisql" record --values -o none.bin ./bare 2>&1)"
report $? "it is said how to build"

# clang describes all copies of an inlined body in an unrolled loop at once: each has the arguments of its own call.
for level in -O1 -O2 -O3; do
    "$fisql" cc clang++ $level -g -w -std=c++17 -o unrolled "$programs/unrolled.cc"
    "$fisql" record -q --values -o unrolled.bin ./unrolled >printed
    "$fisql" load -q unrolled.bin
    sqlite3 unrolled.db "SELECT text FROM call_text WHERE text LIKE 'step(%' OR text LIKE '%pair(%' ORDER BY call_id" |
        sed -E 's/^(short )?([a-z]+)\(a=(-?[0-9?]+), b=([0-9?]+)\).*/\2 \3 \4/' >recorded
    same "clang++ $level, unrolled loops: each call" "$(cut -d ' ' -f 1 printed)" "$(cut -d ' ' -f 1 recorded)"
    same "clang++ $level, unrolled loops: no argument is wrong" "" "$(paste -d ' ' printed recorded |
        awk '($5 != "?" && $5 != $2) || ($6 != "?" && $6 != $3)')"
    at_least "clang++ $level, unrolled loops: arguments are recorded" 12 "$(cut -d ' ' -f 2,3 recorded | tr ' ' '\n' | grep -cv '?')"
done
