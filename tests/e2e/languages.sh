#!/bin/bash
# The languages that gcc compiles, besides C and C++: each program is recorded with exact counts, and its functions have
# the names that people write. Fortran, Ada and D are tested wherever their compilers are packaged (tests/setup);
# Objective-C, Go and Modula-2 where their compilers are installed.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
# what a developer's machine may have set for C confuses gm2 and gdc
unset LIBRARY_PATH CPATH C_INCLUDE_PATH
cp "$programs"/languages/* .

# has_compiler LANGUAGE COMPILER
has_compiler() {
    command -v "$2" >/dev/null && return 0
    ok "skipped: $1: $2 is not installed"
    return 1
}

# recorded LANGUAGE PROGRAM OUTPUT EXPECTED FILE...: the program prints what it prints without us, and the functions of the
# files, without parameters, are called so often
recorded() {
    local language=$1 program=$2 output=$3 expected=$4
    shift 4
    rm -f run.bin run.db
    same "$language: the program's output" "0 $output" "$("$fisql" record -q "./$program" >out; echo "$? $(tr -d ' \n' <out)")"
    "$fisql" load -q run.bin
    same "$language: every call, by the name that people write" "$expected" "$(sql run.db "
        SELECT d.name || ' ' || s.calls FROM function_stats s JOIN function_details d ON d.id = s.function_id
        WHERE d.location GLOB '[a-z]*.*:[0-9]*' AND substr(d.location, 1, instr(d.location, ':') - 1) IN ($(printf "'%s'," "$@")'')
            AND d.name NOT LIKE 'gdc.%' -- made by the compiler
        ORDER BY d.name, s.calls" | sed 's/!([^()]*)\.[a-z]*//; s/([^()]*)//g' | LC_ALL=C sort)"
    same "$language: the recording is complete" 0 "$(sql run.db 'SELECT count(*) FROM losses')"
}

if has_compiler Fortran gfortran; then
    for static in '' -static; do
        "$fisql" cc gfortran -O1 $static -o shapes shapes.f90
        recorded "Fortran $static" shapes 731 "helper 5
main 1
main_program 1
outside 5
shapes::factorial 6
shapes::grow 5" shapes.f90
        same "Fortran $static: allocate() by module procedure" "5 2000 4" "$(sql run.db "SELECT count(*), sum(a.size), count(a.free_ns)
            FROM allocs a JOIN frames fr ON fr.id = a.frame_id JOIN functions f ON f.id = fr.function_id
            WHERE f.name = 'shapes::grow'" | tr '|' ' ')"
    done
fi

if has_compiler D gdc; then
    "$fisql" cc gdc -O1 -o shop shop.d
    recorded D shop 1545 "D main 1
shop.main.Derived.kind 1
shop.main.Derived.this 1
shop.main.Point.sum 5
shop.main.factorial 6
shop.main.main.nested 1
shop.main.twice 1
shop.main.twice 5" shop.d
fi

ada_expected='ledger 1
ledger.worker 1
shop."+" 1
shop.buy 5
shop.buy.nested 5
shop.factorial 6
shop.inner.deep 1
shop.over 1
shop.over 1'
if has_compiler Ada gnatmake; then
    "$fisql" cc gnatmake -q -O1 ledger.adb
    recorded Ada ledger 735 "$ada_expected" ledger.adb shop.adb
    same "Ada: blocks of new" 5 "$(sql run.db "SELECT count(*) FROM allocs a JOIN frames fr ON fr.id = a.frame_id
        JOIN functions f ON f.id = fr.function_id WHERE f.name = 'ledger' AND a.size = 4")"
    rm -f ledger ./*.o ./*.ali
    "$fisql" cc --static-runtime gnatmake -q ledger.adb -bargs -static # GNAT's library, not the program
    FISQL_LOG=linked.bin ./ledger >out
    same "Ada: the collector linked in" 735 "$(tr -d ' ' <out)"
    "$fisql" load -q linked.bin
    same "Ada: the collector linked in records" 5 "$("$fisql" query call-counts linked.db --function 'shop.buy*' --format json | jq '.[0].calls')"
    rm -f ledger ./*.o ./*.ali
    "$fisql" cc gnatmake -q -c shop.adb -cargs -fno-instrument-functions -margs
    same "Ada: a flag of the build wins" 0 "$(nm shop.o | grep -c __cyg_profile)"
    rm -f ledger ./*.o ./*.ali
fi
if command -v gnatmake >/dev/null && has_compiler "Ada by gprbuild" gprbuild; then
    printf 'project Ledger is\n   for Main use ("ledger.adb");\nend Ledger;\n' >ledger.gpr
    "$fisql" cc gprbuild -q -Pledger.gpr
    recorded "Ada by gprbuild" ledger 735 "$ada_expected" ledger.adb shop.adb
fi

if command -v gcc >/dev/null && echo '@interface A @end' | gcc -x objective-c -fsyntax-only - 2>/dev/null; then
    "$fisql" cc gcc -O1 -std=gnu11 -o shape shape.m -lobjc
    recorded Objective-C shape 35 "+[Shape make] 1
-[Shape area:by:] 5
main 1
plain 5" shape.m
else
    ok "skipped: Objective-C: gcc has no compiler for it"
fi

if has_compiler Go gccgo; then
    "$fisql" cc gccgo -O1 -o point point.go
    recorded Go point 762 "__go_init_main 1
main.Point.Get 5
main.Point.Sum 5
main.factorial 6
main.go..thunk0 1
main.main 1
main.main..func1 1
main.main..func2 1" point.go
fi

if has_compiler Modula-2 gm2; then
    "$fisql" cc gm2 -fiso -O1 -o outer outer.mod
    recorded Modula-2 outer 740 "_M2_outer_init 1
around 5
factorial 6
inner 5" outer.mod
fi
