#!/bin/bash
# Arguments and results as gdb reads them in the same process, call by call: of programs with all types, 1 to 40
# parameters, of both compilers at three levels, with each kind of debug information. `make check-values` does so with real
# programs.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"

values=$here/tests/programs/values
cd "$TEST_TMP" || exit 2
if ! command -v gdb >/dev/null || [ "$(uname -m)" != x86_64 ]; then
    ok "skipped: there is no gdb (tests/setup check installs it), or this is not x86-64"
    exit 0
fi
gcc -O1 -c -o start.o "$here/tests/gdb/start.c"
python3 "$here/tests/gdb/many.py" >many.c

# compare WHAT LEAST [OPTION...]: ./program against gdb: none is wrong, so many are right
compare() {
    local what=$1 least=$2
    shift 2
    python3 "$here/tests/gdb/oracle.py" "$@" "$fisql" ./program >compared.txt 2>&1
    same "$what: gdb reads no other value" 0 "$?$(grep WRONG: compared.txt)"
    at_least "$what: gdb reads the same" "$least" "$(grep -o '[0-9]* right' compared.txt | awk '{ n += $1 } END { print n }')" "$(cat compared.txt)"
}

# against WHAT LEAST SOURCE COMPILER...
against() {
    local what=$1 least=$2 source=$3 options=()
    shift 3
    case $source in *.cc) options+=(--cxx) ;; esac
    case "$*" in
        clang*-O0*) options+=(--late) ;;
        clang*) options+=(--after) ;;
    esac
    "$fisql" cc "$@" -g -w -o program "$source" start.o || { not_ok "$what: it builds"; return; }
    compare "$what" "$least" "${options[@]}"
}

compiler_major() { echo | "$1" -dM -E -x c - | awk -v clang="$1" '$2 == (clang ~ /clang/ ? "__clang_major__" : "__GNUC__") { print $3 }'; }
compilers="gcc"
command -v clang >/dev/null && compilers="gcc clang"
for compiler in $compilers; do
    cxx=g++ less=0
    [ $compiler = clang ] && cxx=clang++ less=1
    for level in -O0 -O2 -O3; do
        least=(96 1500 65)
        [ $level != -O0 ] && least=($((84 - 4 * less)) $((1260 - 680 * less)) $((45 - 10 * less)))
        [ "$compiler $level" = "clang -O0" ] && least=(96 1100 62)
        case $compiler-$(compiler_major $compiler)$level in
            # clang 18 and later say where one half of an __int128 is; gcc 16 passes less than is declared
            clang-1[89]-O[23] | clang-[2-9][0-9]-O[23]) least=(68 440 35) ;;
            gcc-1[6-9]-O[23]) least=(80 880 45) ;;
        esac
        against "C, $compiler $level" "${least[0]}" "$values/types.c" $compiler $level
        [ $level = -O3 ] || against "1 to 40 parameters, $compiler $level" "${least[1]}" many.c $compiler $level
        against "C++, $compiler $level" "${least[2]}" "$values/types.cc" $cxx -std=c++17 $level
    done
done
against "C++, the older std::string" 50 "$values/types.cc" g++ -std=c++17 -O1 -D_GLIBCXX_USE_CXX11_ABI=0
against "DWARF 4" 78 "$values/types.c" gcc -O2 -gdwarf-4
against "split debug information" 70 "$values/types.c" gcc -O2 -gsplit-dwarf
if command -v dwp >/dev/null; then
    for unit in shapes shapes_other; do "$fisql" cc g++ -O2 -g -gdwarf-4 -gsplit-dwarf -w -c "$values/$unit.cc"; done
    "$fisql" cc g++ -O2 -g -gdwarf-4 -gsplit-dwarf -o program shapes.o shapes_other.o start.o
    dwp -e program -o program.dwp && rm -f ./*.dwo
    compare "a package of split debug information" 40 --cxx
    rm -f program.dwp
else
    ok "skipped: there is no dwp"
fi
if command -v clang++ >/dev/null && echo '#include <string>' | clang++ -stdlib=libc++ -fsyntax-only -xc++ - 2>/dev/null; then
    against "C++, libc++'s std::string" 40 "$values/types.cc" clang++ -stdlib=libc++ -std=c++17 -O1
else
    ok "skipped: there is no libc++"
fi

if command -v gfortran >/dev/null; then
    against "Fortran" 20 "$values/types.f90" gfortran -O1
else
    ok "skipped: there is no gfortran"
fi

"$fisql" cc gcc -O0 -g -w -o program many.c
"$fisql" record -q --values ./program
run "$fisql" load -q run.bin
same "parameters beyond the thirtieth are said to be missing" "1 20 functions have more than 30 parameters: those behind are not" \
    "$status $(sql run.db "SELECT detail FROM losses WHERE reason = 'arguments not recorded'")"

# Debug information in a file of its own, found by the link in the program
"$fisql" cc gcc -O2 -g -w -Wl,--build-id -o program "$values/types.c" start.o
objcopy --only-keep-debug program program.debug
objcopy --strip-debug --add-gnu-debuglink=program.debug program
compare "separate debug information" 78

# ---- programs as they are: gdb stops at the functions' first instructions. Of 100 values that it has, one may be missing
# (gcc -O2: two).
as_it_is() { # WHAT FEW SOURCE COMPILER...
    local what="as it is, $1" few=$2 source=$3 options=() right missing
    shift 3
    case "$*" in *-O0*) options+=(--late) ;; esac
    case $source in *.cc) options+=(--cxx) ;; esac
    "$@" -g -w -o program "$source" start.o || { not_ok "$what: it builds"; return; }
    compare "$what" "$few" --as-is "${options[@]}"
    right=$(grep -o '[0-9]* right' compared.txt | awk '{ n += $1 } END { print n }')
    missing=$(grep -o '[0-9]* missing' compared.txt | awk '{ n += $1 } END { print n }')
    # gcc -O2 makes copies with constant arguments of 16 bytes
    case "$*" in "gcc -O2") right=$((right * 2)) ;; esac
    at_least "$what: so few are missing" "$missing" $((right / 100)) "$(cat compared.txt)"
}
for compiler in $compilers; do
    for level in -O0 -O1 -O2 -O3; do
        few=160
        [ $level = -O0 ] && few=1500
        # where these versions put an __int128 that does not fit into registers, and what comes behind, is not known
        case $compiler-$(compiler_major $compiler)$level in clang-1[89]-O0) continue ;; esac
        as_it_is "1 to 40 parameters, $compiler $level" $few many.c $compiler $level
    done
    cxx=g++
    [ $compiler = clang ] && cxx=clang++
    for level in -O1 -O2; do as_it_is "C++, $cxx $level" 4800 "$values/changes.cc" $cxx $level; done
done
