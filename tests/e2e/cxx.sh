#!/bin/bash
# C++ with the standard library: it builds with every standard that the compilers have, counts are exact, and
# names of templates and lambdas can be read.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
cc_options=--system-headers

for cxx in g++ clang++; do
    for with in "14 -O0" "17 -O2" "20 -O0" "20 -O2"; do
        build $cxx strings -std=c++${with% *} "${with#* }" -g "$programs/strings.cc" || continue
        with="$cxx $with"
        same "$with: the program is untouched" "$(./strings)" "$("$fisql" record -q -o run.bin ./strings)"
        "$fisql" load -q run.bin
        # clang's hooks in inlined members of std::string name the library's copies.
        same "$with: each function has a name, those of libstdc++ too" 0 \
            "$(sql run.db "SELECT count(*) FROM functions f JOIN function_stats s ON s.function_id = f.id
                           WHERE f.name LIKE '%+0x%'")"
        same "$with: counts" "(anon)::Derived::run 1
(anon)::Derived::run::{lambda} 2
(anon)::Derived::run::{lambda}::{lambda} 4
Ring<std::string, 2>::each<main::{lambda}> 1
Ring<std::string, 2>::operator<< 1
Ring<std::wstring, 3>::each<main::{lambda}> 1
count<int, char const (&) [4], double> 1
main 1
main::{lambda} 1
main::{lambda} 2
main::{lambda} 3" "$(own_counts run.db)"
    done
done

# A library with hooks, and the collector linked in, need the same of the linker.
build clang++ libstrings.so -std=c++17 -shared -fPIC -g -Dmain=strings_main "$programs/strings.cc"
echo 'extern int strings_main(); int main() { return strings_main(); }' >caller.cc
build clang++ caller -std=c++17 caller.cc ./libstrings.so
same "a library with hooks" "a string 26" "$("$fisql" record -q -o run.bin ./caller)"
"$fisql" cc --system-headers --static-runtime clang++ -w -std=c++20 -g -o linked "$programs/strings.cc"
same "linked with the collector" "a string 26" "$("$fisql" record -q -o run.bin ./linked)"

# The three forms of a name.
build g++ strings -std=c++17 -O0 -g "$programs/strings.cc"
"$fisql" record -q -o run.bin ./strings >/dev/null && "$fisql" load -q run.bin
ring() { "$fisql" query call-counts --demangle "$1" --format json run.db | jq -r '.[].function' | grep -m1 "$2"; }
same "--demangle short" "Ring<std::string, 2>::operator<<" "$(ring short 'Ring.*<<')"
has "--demangle full: with what it is made for" "Ring<std::" "$(ring full 'Ring.*<<')"
has "--demangle full: with parameters" ", 2>::operator<<(" "$(ring full 'Ring.*<<')"
same "--demangle no: the compiler's own" _ZN4RingINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEELi2EElsERKS5_ \
    "$(ring no '^_ZN4Ring.*ls')"
