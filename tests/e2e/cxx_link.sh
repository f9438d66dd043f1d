#!/bin/bash
# Members of libstdc++ that clang++ before version 20 leaves undefined in programs with hooks: `fisql cc` links such
# programs with what they miss, whatever it is called in this libstdc++, and with nothing else.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
mkdir tmp
export TMPDIR=$PWD/tmp
cc_options=--system-headers # the hooks of std's own members are what needs them

cat >text.cc <<'C'
#include <string>
extern "C" int text(int count)
{
    std::string all;
    std::wstring wide(3, L'x');
    for (int i = 0; i < count; i++)
        all += std::string("part") + std::to_string(i);
    return static_cast<int>(all.size() + wide.size());
}
#ifndef LIBRARY
int main(int argc, char **)
{
    return text(argc) == 8 ? 0 : 1;
}
#endif
C
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *library = dlopen("./libtext.so", RTLD_NOW);
    int (*text)(int) = library != NULL ? (int (*)(int))dlsym(library, "text") : NULL;
    printf("%d\n", text != NULL ? text(2) : -1);
    return 0;
}
C
echo '#warning idle' >idle.h
echo 'int gone(int); int main() { return gone(0); }' >gone.cc

old=
for cxx in $(compgen -c clang++ | grep -xE 'clang\+\+(-[0-9]+)?' | sort -u | while read -r name; do
    echo "$(readlink -f "$(command -v "$name")") $name"
done | sort -u -k 1,1 | cut -d ' ' -f 2); do
    version=$("$cxx" --version | sed -n 's/.*clang version \([0-9]*\).*/\1/p')
    [ "${version:-99}" -ge 20 ] || old="$old $cxx"
done
[ -n "$old" ] || ok "skipped: no clang++ before version 20 is here"

for cxx in $old; do
    standards=20
    [ "$cxx" != clang++ ] || standards="17 20"
    for standard in $standards; do
        with="$cxx -std=c++$standard"
        build "$cxx" text -std=c++$standard -O0 text.cc && ./text
        same "$with: it runs" 0 $?
        # What the library has is taken from the library.
        same "$with: nothing else is added" "" \
            "$(nm -C --defined-only text | grep -E 'std::.*basic_string<.*::(append|_M_create|_M_mutate|_M_dispose)\(' | grep -v ' [Tt] ' |
                { [ $standard = 17 ] && cat; })"
        "$fisql" cc $cc_options "$cxx" -std=c++$standard -c -o text.o text.cc && build "$cxx" apart text.o && ./apart
        same "$with: compiled and linked apart" 0 $?
        if command -v ld.lld >/dev/null || [ -e "$(dirname "$(readlink -f "$(command -v "$cxx")")")/ld.lld" ]; then
            build "$cxx" text -std=c++$standard -fuse-ld=lld text.cc && ./text
            same "$with: linked by lld" 0 $?
        fi
        build "$cxx" libtext.so -std=c++$standard -DLIBRARY -shared -fPIC text.cc
        gcc -o opens opens.c -ldl
        same "$with: a library can be loaded" 13 "$(./opens)"
    done

    # The same where the members have other names, as in another version of libstdc++.
    headers=$("$cxx" -E -v -x c++ /dev/null 2>&1 | sed -n 's/^ \(.*\/c++\/[0-9.]*\)$/\1/p' | head -n 1)
    rm -rf headers
    cp -r "$headers" headers
    sed -i 's/\b_M_use_local_data\b/_M_use_other/g; s/\b_M_init_local_buf\b/_M_init_other/g' headers/bits/basic_string.*
    machine=$("$cxx" -E -v -x c++ /dev/null 2>&1 | sed -n 's/^ \(.*\/c++\/[0-9.]*\)$/\1/p' | sed -n 2p)
    build "$cxx" other -std=c++17 -nostdinc++ -isystem "$PWD/headers" -isystem "$machine" text.cc && ./other
    same "$cxx: members with other names" 0 $?

    run "$fisql" cc $cc_options "$cxx" -o gone gone.cc text.cc -DLIBRARY -std=c++17
    same "$cxx: what is really missing is an error: status" 1 "$((status != 0))"
    has "$cxx: what is really missing is named" "gone(int)" "$err"
    run "$fisql" cc $cc_options "$cxx" -o text text.cc -std=c++17 -include idle.h
    has "$cxx: warnings are shown" "idle" "$err"
done
same "nothing is left in the folder for temporary files" "" "$(ls "$TMPDIR")"
