#!/bin/bash
# Arguments and results of real programs against gdb, call by call: no value may be wrong (make check-values; an hour).
# PROGRAMS, COMPILERS and LEVELS choose; the counts are in values.txt of the folder that is printed last.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
# shellcheck source=tests/gdb/programs.sh
. "$here/tests/gdb/programs.sh"
cd "$TEST_TMP" || exit 2

command -v gdb >/dev/null || { not_ok "gdb is there: run tests/setup values"; exit 0; }

# calls of a function that are compared: of large programs gdb sees some functions alone
declare -A each=([lua]=100 [ninja]=500 [sqlite]=500 [zstd]=5000)
for program in ${PROGRAMS:-lua sqlite zstd ninja}; do
    for compiler in ${COMPILERS:-gcc clang}; do
        cxx=g++ options=()
        [ $compiler = clang ] && cxx=clang++
        [ $program = ninja ] && options+=(--cxx)
        for level in ${LEVELS:--O0 -O2 -O3}; do
            late=()
            [ $compiler = clang ] && late=(--after)
            [ "$compiler $level" = "clang -O0" ] && late=(--late)
            mkdir -p $program && cd $program || exit 2
            what="$program, $compiler $level"
            if build_$program $compiler $cxx "$level" 2>build.err; then
                mapfile -t arguments < <(run_$program)
                python3 "$here/tests/gdb/oracle.py" --each "${each[$program]}" --title "$what" "${options[@]}" "${late[@]}" "$fisql" \
                    ./$program "${arguments[@]}" >compared.txt 2>&1
                same "$what: no value is wrong" 0 $?
                at_least "$what: calls that gdb saw, too" 10000 "$(sed -n 's/^.*: \([0-9]*\) calls of .*/\1/p' compared.txt)"
                tee -a ../values.txt <compared.txt | sed 's/^/# /'
            else
                not_ok "$what: it builds"
            fi
            cd ..
        done
    done
    rm -rf "${program:?}"
done
