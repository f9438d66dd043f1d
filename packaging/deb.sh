#!/bin/sh
# Makes the Debian package out of what `make install DESTDIR=TREE PREFIX=/usr` has put into TREE: the same files, the
# programs stripped of what only debuggers read. The libraries that it depends on are those that the program was linked
# with (dpkg-shlibdeps). `make deb` runs this.
#
#   packaging/deb.sh TREE VERSION FOLDER    makes FOLDER/fisql_VERSION_ARCHITECTURE.deb
set -eu
tree=$1 version=$2 folder=$3
architecture=$(dpkg --print-architecture)
package=$folder/fisql_${version}_$architecture.deb

strip --strip-unneeded --remove-section=.comment "$tree/usr/bin/fisql"
strip --strip-debug "$tree"/usr/lib/fisql/libfisql*

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/debian" # dpkg-shlibdeps wants to be where packages are made
printf 'Source: fisql\n\nPackage: fisql\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O "$tree/usr/bin/fisql" "$tree/usr/lib/fisql/libfisql.so" 2>"$work/log") || {
    cat "$work/log" >&2
    exit 2
}

rm -rf "$tree/DEBIAN"
size=$(du -sk "$tree" | cut -f1)
(cd "$tree" && find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum) >"$work/md5sums"
mkdir -m 755 "$tree/DEBIAN"
install -m 644 "$work/md5sums" "$tree/DEBIAN/md5sums"
cat >"$tree/DEBIAN/control" <<CONTROL
Package: fisql
Version: $version
Architecture: $architecture
Maintainer: the fisql authors <fisql@example.org>
Installed-Size: $size
${depends#shlibs:}
Section: devel
Priority: optional
CONTROL
sed -i 's/^Depends=/Depends: /' "$tree/DEBIAN/control"
cat >>"$tree/DEBIAN/control" <<'CONTROL'
Recommends: gcc | clang, libc6-dev, sqlite3, man-db, libcurl4 | libcurl3-gnutls, libmicrohttpd12t64 | libmicrohttpd12, libyajl2
Suggests: bash-completion, librsvg2-bin, graphviz, libdebuginfod1
Description: record a program's calls and allocations and ask SQL about them
 fisql records every function call and every heap allocation of programs, as
 they are or compiled with hooks (fisql cc), in all threads and child
 processes, and loads them into an SQLite database. Canned queries, a report
 page and any SQL tell where the time goes, what never runs, and what is not
 freed.
CONTROL
dpkg-deb --root-owner-group --build "$tree" "$package" >/dev/null
rm -rf "$tree/DEBIAN"
echo "$package"
