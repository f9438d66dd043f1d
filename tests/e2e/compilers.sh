#!/bin/bash
# Every gcc and clang that is installed beside the usual ones (tests/setup check installs the newest, tests/setup
# compilers all that are packaged): counts are exact, names are known, programs are untouched.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

# What gcc 14 and clang 16 refuse, gcc 12 takes: the programs are to be compiled by all.
same "the test programs declare what they call" "" "$(for file in "$programs"/*.c; do
    gcc -fsyntax-only -I"$here" -I"$here/collector" -Werror=implicit-function-declaration -Werror=implicit-int -Werror=int-conversion \
        -Werror=incompatible-pointer-types "$file" 2>&1 | grep -E 'error:'
done)"

usual=$(readlink -f "$(command -v gcc)" "$(command -v clang)") # the other tests use these
compilers=$(compgen -c | grep -xE '(gcc|clang)-[0-9]+' | sort -uV | while read -r name; do
    grep -qxF "$(readlink -f "$(command -v "$name")")" <<<"$usual" || echo "$name"
done)
[ -n "$compilers" ] || ok "skipped: no other compiler is here than gcc and clang"
build g++ strings -std=c++17 -O1 -g "$programs/strings.cc"
"$fisql" record -q -o run.bin ./strings >/dev/null && "$fisql" load -q run.bin
agreed=$(own_counts run.db)

# counted WHAT PROGRAM: the counts are the program's own
counted() {
    local what=$1 status plain
    "./$2" >plain.txt 2>/dev/null
    plain=$?
    run "$fisql" record -q -o run.bin "./$2"
    same "$what: exit status, nothing on stderr" "$plain " "$status $err"
    printf '%s\n' "$out" >out.txt
    run "$fisql" load -q run.bin
    same "$what: loads without loss" "0 " "$status $err"
    same "$what: counts" "$(expected out.txt)" "$(counts run.db | grep -vE '::|operator' | LC_ALL=C sort)"
}

for compiler in $compilers; do
    cxx=${compiler/gcc-/g++-}
    cxx=${cxx/clang-/clang++-}
    for what in "threads -O0 -gdwarf-4" "jumps -O2 -gdwarf-5"; do
        program=${what%% *}
        # shellcheck disable=SC2086 # a list of flags
        build "$compiler" "$program" ${what#* } "$programs/$program.c" && counted "$compiler: $what" "$program"
        same "$compiler: $what: lines of definitions" 0 \
            "$(sql run.db "SELECT count(*) FROM functions WHERE instrumented = 1 AND coalesce(line, 0) = 0")"
    done
    command -v "$cxx" >/dev/null || continue
    with="$cxx -std=c++20"
    build "$cxx" strings -std=c++20 -O1 -g "$programs/strings.cc" || continue
    same "$with: the program is untouched" "$(./strings)" "$("$fisql" record -q -o run.bin ./strings)"
    "$fisql" load -q run.bin
    same "$with: each function has a name" 0 \
        "$(sql run.db "SELECT count(*) FROM functions f JOIN function_stats s ON s.function_id = f.id
                       WHERE f.name LIKE '%+0x%'")"
    same "$with: counts, as with g++" "$agreed" "$(own_counts run.db)"
done
