#!/bin/bash
# `make` without a library or a tool says which one is missing and which package has it, before anything is compiled.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

for header in sqlite3.h libdwarf/libdwarf.h Zydis/Zydis.h zlib.h zstd.h lzma.h; do
    mkdir -p "without_$header/$(dirname "$header")"
    echo "#error $header is not there" >"without_$header/$header"
done
cat >no_dwarf <<'C'
#!/bin/sh
for word; do [ "$word" != -ldwarf ] || { echo "ld: cannot find -ldwarf" >&2; exit 1; }; done
exec cc "$@"
C
chmod +x no_dwarf
printf 'ID=%s\n' fedora >fedora
printf 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n' >opensuse
printf 'ID=arch\n' >arch
printf 'ID=alpine\n' >alpine
printf 'ID=ubuntu\nID_LIKE=debian\n' >debian
printf 'ID=linuxmint\nID_LIKE="ubuntu debian"\n' >mint
printf 'ID=haiku\n' >other

# made SYSTEM ARGUMENT...: make in a build folder of its own
made() {
    export FISQL_OS_RELEASE=$TEST_TMP/$1
    shift
    rm -rf "$TEST_TMP/build"
    run make -C "$here" -k -j2 BUILD="$TEST_TMP/build" "$@"
}
# without SYSTEM HEADER [TARGET]: by default what all else waits for
without() { made "$1" "CPPFLAGS=-I$TEST_TMP/without_$2" "${3-$TEST_TMP/build/needs}"; }

for line in "debian apt-get install libsqlite3-dev" "mint apt-get install libsqlite3-dev" "fedora dnf install sqlite-devel" \
    "arch pacman -S sqlite" "opensuse zypper install sqlite3-devel" "alpine apk add sqlite-dev"; do
    without "${line%% *}" sqlite3.h
    has "${line%% *}: SQLite is missing" "fisql: SQLite (sqlite3.h, -lsqlite3): missing" "$err"
    has "${line%% *}: its package" "fisql: install what is missing: ${line#* }" "$err"
done
without alpine sqlite3.h all
same "it ends with an error" 1 "$((status != 0))"
same "it is said once" 1 "$(grep -c 'SQLite (sqlite3.h' <<<"$err")"
same "nothing is compiled" 0 "$(grep -c -e " -c -o " <<<"$out")"
without other zlib.h
has "another system: zlib is missing" "fisql: zlib (zlib.h, -lz): missing" "$err"
without debian zstd.h
has "zstd is missing" "fisql: zstd (zstd.h, -lzstd): missing" "$err"
has "zstd's package" "apt-get install libzstd-dev" "$err"
without fedora lzma.h
has "liblzma is missing" "fisql: liblzma of xz (lzma.h, -llzma): missing" "$err"
has "liblzma's package" "dnf install xz-devel" "$err"
without debian Zydis/Zydis.h
has "Zydis is missing" "fisql: Zydis from 4.0 on (Zydis/Zydis.h, -lZydis): missing" "$err"
has "Zydis' package" "apt-get install libzydis-dev" "$err"
without other zlib.h
has "another system: where the names are" "README.md" "$err"
without debian libdwarf/libdwarf.h
has "libdwarf is missing: the header" "fisql: libdwarf (libdwarf.h, -ldwarf): missing" "$err"
made debian CC="$TEST_TMP/no_dwarf" "$TEST_TMP/build/needs"
has "libdwarf is missing: the library" "fisql: libdwarf (libdwarf.h, -ldwarf): missing" "$err"
has "libdwarf's package" "apt-get install libdwarf-dev" "$err"
lacks "what is there is not named" "SQLite" "$err"
made debian CC=no-such-compiler "$TEST_TMP/build/needs"
has "no compiler" "fisql: the C compiler, no-such-compiler: missing" "$err"
has "the compiler's package" "apt-get install gcc" "$err"
for target in clean help; do
    made debian CC=no-such-compiler $target
    same "make $target needs none of it" "0 " "$status $err"
done
made debian "$TEST_TMP/build/needs"
same "where all is there nothing is said" "0 " "$status $err"
run make -C "$here" -n BUILD="$TEST_TMP/build" "$TEST_TMP/build/obj/loader/error.o"
lacks "and nothing is asked again" tests/needs "$out"

# README's table is the script's.
for system in debian fedora arch opensuse alpine; do
    names=$("$here/tests/needs" packages $system)
    same "README names the packages of $system" 1 "$(grep -cF " $names\`" "$here/README.md")"
done
