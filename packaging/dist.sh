#!/bin/sh
# Makes the source archive: what git tracks, the bundled pages (so that npm is not needed) and a list of what the
# archive is made of (sbom.spdx.json). The same commit gives the same bytes. `make dist` runs this, in a work tree of git or
# in an unpacked archive.
#
#   packaging/dist.sh VERSION BUILD    makes BUILD/fisql-VERSION.tar.xz
set -eu
version=$1 build=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."
name=fisql-$version
stage=$build/dist/$name

if [ -e "$build/gen/report_missing" ] || [ ! -s "$build/gen/report_tail.html" ]; then
    echo "fisql: make dist: the report's page is missing: install npm" >&2
    exit 2
fi
rm -rf "$build/dist"
mkdir -p "$stage"
if [ -e DIST-FILES ]; then # an unpacked archive
    cp DIST-FILES "$build/dist/files"
    : "${SOURCE_DATE_EPOCH:=$(stat -c %Y DIST-FILES)}"
else
    git ls-files | LC_ALL=C sort >"$build/dist/files"
    : "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
fi
tar -c --no-recursion -T "$build/dist/files" | tar -x -C "$stage"
cp "$build/dist/files" "$stage/DIST-FILES"
mkdir "$stage/page/bundled"
for file in report_head.html report_tail.html serve.html serve.js serve.css; do
    cp "$build/gen/$file" "$stage/page/bundled"
done
packaging/sbom.sh "$version" "$SOURCE_DATE_EPOCH" >"$stage/sbom.spdx.json"
chmod -R u=rwX,go=rX "$stage"
tar -c -C "$build/dist" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" "$name" |
    xz -6 -T1 >"$build/$name.tar.xz.tmp"
mv "$build/$name.tar.xz.tmp" "$build/$name.tar.xz"
rm -rf "$build/dist"
echo "$build/$name.tar.xz"
