#!/bin/bash
# What packages are made from says what the build needs, in the words of each system, is of this version, and passes the
# checks that this machine has: lintian, rpmspec, shellcheck. Making and using the package is deb.sh and dist.sh.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
packaging=$here/packaging
version=$("$fisql" --version | sed 's/^fisql //')

# --- what the build needs is what tests/needs says; what every system's packages may take for granted is left out

needs() { # SYSTEM GRANTED
    "$here/tests/needs" packages "$1" | tr ' ' '\n' | grep -vxE "$2" | LC_ALL=C sort
}
same "debian/control builds with what tests/needs has" "$(needs debian 'gcc|make|libc6-dev')" \
    "$(sed -n 's/^Build-Depends: debhelper-compat ([^)]*), //p' "$packaging/debian/control" | tr -d ' ' | tr ',' '\n' | LC_ALL=C sort)"
same "fisql.spec does" "$(needs fedora 'glibc-devel')" "$(sed -n 's/^BuildRequires: *//p' "$packaging/rpm/fisql.spec" | tr ' ' '\n' | LC_ALL=C sort)"
same "APKBUILD does" "$(needs alpine 'gcc|make|musl-dev')" "$(sed -n 's/^makedepends="\(.*\)"$/\1/p' "$packaging/alpine/APKBUILD" | tr ' ' '\n' | LC_ALL=C sort)"

# --- versions

same "fisql.spec is of this version" "$version" "$(sed -n 's/^Version: *//p' "$packaging/rpm/fisql.spec")"
same "APKBUILD is" "$version" "$(sed -n 's/^pkgver=//p' "$packaging/alpine/APKBUILD")"
same "debian/changelog is" "$version" "$(sed -n '1s/^fisql (\(.*\)-[0-9]*).*/\1/p' "$packaging/debian/changelog")"
"$packaging/sbom.sh" "$version" 0 >bill.json
same "the bill of materials is" "$version" "$(jq -r '.packages[] | select(.name == "fisql") | .versionInfo' bill.json)"

# --- the bill names each library that the program is linked with, or opens by name

names() { # the library's soname as the project's name
    sed -e 's/^lib//; s/\.so.*//; s/^z$/zlib/; s/^lzma$/xz/; s/^sqlite3$/sqlite/; s/^dwarf$/libdwarf/; s/^curl.*/libcurl/' \
        -e 's/^debuginfod$/libdebuginfod/; s/^microhttpd$/libmicrohttpd/' | tr '[:upper:]' '[:lower:]' | LC_ALL=C sort -u
}
linked=$(objdump -p "$fisql" | awk '$1 == "NEEDED" { print $2 }' | grep -vE '^(libc|libm|libdl|libpthread|libasan|libubsan|libstdc\+\+|libgcc_s)\.so' | names)
same "the bill names the libraries that fisql is linked with" "" \
    "$(comm -23 <(echo "$linked") <(jq -r '.packages[].name' bill.json | LC_ALL=C sort))" "$linked"
opened=$(cd "$here" && git grep -hoE '"lib(curl[a-z-]*|yajl|microhttpd|debuginfod)\.so\.[0-9]+"' -- '*.c' '*.h' 2>/dev/null | tr -d '"' | names)
at_least "fisql opens some" 4 "$(wc -w <<<"$opened")"
same "and those that it opens" "" "$(comm -23 <(echo "$opened") <(jq -r '.packages[].name' bill.json | LC_ALL=C sort))"

# --- the page of fisql-ci has what its own help has

sed "s|@VERSION@|$version|" "$packaging/ci/fisql-ci.1" >fisql-ci.1
same "fisql-ci(1) is sound" "" "$(MANWIDTH=80 man --warnings -l fisql-ci.1 2>&1 >page.txt)"
has "it is of this version" "fisql $version" "$(tail -n 1 page.txt)"
for word in record compare FISQL_CI_CHECKS FISQL_CI_RECORD comment.md; do
    has "fisql-ci knows $word" "$word" "$(cat "$packaging/ci/fisql-ci")"
    has "its page says $word" "$word" "$(cat page.txt)"
done

# --- what reads these files

if command -v rpmspec >/dev/null; then
    run rpmspec -P "$packaging/rpm/fisql.spec"
    same "rpmspec reads fisql.spec" "0 " "$status $err"
else
    echo "skipped - rpmspec reads fisql.spec: it is not installed"
fi
run sh -n "$packaging/alpine/APKBUILD"
same "a shell reads APKBUILD" "0 " "$status $err"
if command -v shellcheck >/dev/null; then
    # abuild reads these variables and gives pkgdir.
    run shellcheck -s sh -e SC2034,SC2154 "$packaging/alpine/APKBUILD" "$packaging/debian/tests/smoke"
    same "shellcheck finds nothing in APKBUILD and in debian/tests" "0 " "$status $out"
fi
(
    # shellcheck disable=SC1091,SC2154 # it sets them
    . "$packaging/alpine/APKBUILD" && echo "$pkgname $pkgver $license" && type build package >/dev/null && echo functions
) >apk 2>&1
same "APKBUILD has what abuild wants" "fisql $version MIT functions" "$(xargs <apk)"
make -n -f "$packaging/debian/rules" build >/dev/null 2>&1
report $? "make reads debian/rules"
