#!/bin/bash
# `make install` and the Debian package have the same files; the package says what it needs, and works from where it was
# unpacked. Installing it on a bare Debian is `make check-deb`.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
if ! command -v dpkg-shlibdeps >/dev/null; then
    ok "skipped: this system has no dpkg-dev"
    exit 0
fi
if nm "$fisql" | grep -q __asan_init; then
    ok "skipped: a package is made without sanitizers"
    exit 0
fi
page_built "make deb" || exit 0
# The build's objects serve again, but for those that know the prefix.
mkdir build
cp -a "$FISQL_BUILD"/{obj,gen,needs,fisql} "$FISQL_BUILD"/libfisql* build/
make() { command make --no-print-directory -s -C "$here" BUILD="$TEST_TMP/build" "$@"; }

run make deb
same "make deb" "0 " "$status $err"
package=$(echo build/fisql_*.deb)
run make install PREFIX=/usr DESTDIR="$TEST_TMP/installed"
same "make install" "0 " "$status $err"
same "the package has the files that make install installs" \
    "$(cd installed && find . ! -type d -printf '%M %p\n' | LC_ALL=C sort)" \
    "$(dpkg-deb --fsys-tarfile "$package" | tar tv | awk '!/^d/ { print $1, $NF }' | LC_ALL=C sort)"
same "all belong to root" "root/root" "$(dpkg-deb --fsys-tarfile "$package" | tar tv | awk '{ print $2 }' | sort -u)"
same "its version is the program's" "fisql $(dpkg-deb -f "$package" Version)" "$("$fisql" --version)"
depends=$(dpkg-deb -f "$package" Depends)
for library in libc6 libsqlite3-0 libdwarf libzydis zlib1g liblzma5; do has "it depends on $library" "$library" "$depends"; done

dpkg-deb -x "$package" unpacked
(cd unpacked && dpkg-deb --control ../"$package" ../control && md5sum --quiet -c ../control/md5sums)
report $? "its checksums are right"
"$fisql" help --list | cut -f1 | grep -vxE 'help|version' | while read -r command; do
    page=unpacked/usr/share/man/man1/fisql-$command.1.gz
    same "fisql-$command(1) is sound" "" "$(MANWIDTH=80 man --warnings -l "$page" 2>&1 >page.txt)"
    has "fisql-$command(1) has the help" "$("$fisql" "$command" --help | sed -n 's/^usage: //p' | head -n 1 | tr -s ' ')" \
        "$(tr -s ' ' <page.txt)"
    same "fisql-$command(1) is of this version" "$("$fisql" --version)" "$(grep -o 'fisql [0-9.]*[0-9]' page.txt | tail -n 1)"
done

# as installed
cp "$here/examples/wordstat.c" .
PATH=$TEST_TMP/unpacked/usr/bin:$PATH
fisql cc gcc -w -o app wordstat.c -lpthread
fisql record -q -o run.bin ./app <wordstat.c >/dev/null 2>&1
fisql load -q run.bin
at_least "the package records and loads" 1 "$(sql run.db 'SELECT count(*) FROM calls')"
same "the collector is the package's own" "$TEST_TMP/unpacked/usr/lib/fisql/libfisql.so" \
    "$(sql run.db "SELECT path FROM modules WHERE name = 'libfisql.so'")"
run fisql cc --static-runtime gcc -w -o linked wordstat.c -lpthread
same "the package links programs" "0 " "$status $err"

run make uninstall PREFIX=/usr DESTDIR="$TEST_TMP/installed"
same "make uninstall leaves no file" "" "$(find installed ! -type d)"
