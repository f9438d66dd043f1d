#!/bin/sh
# Makes Debian's own package (packaging/debian) out of the source archive, has lintian read it and its source, and runs its
# autopkgtest. For a Debian that may be changed, as root: tests/distros deb runs it in a chroot.
#
#   packaging/debian.sh BUILD    after `make dist`, which left BUILD/fisql-VERSION.tar.xz
set -eu
archive=$(realpath "$1"/fisql-*.tar.xz)
version=$(basename "$archive" .tar.xz | sed 's/^fisql-//')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$archive" "fisql_$version.orig.tar.xz"
tar xf "$archive"
cd "fisql-$version"
cp -r packaging/debian debian
export DEBIAN_FRONTEND=noninteractive
apt-get install -qq -y --no-install-recommends build-essential lintian autopkgtest >/dev/null
apt-get build-dep -qq -y --no-install-recommends . >/dev/null
dpkg-buildpackage -us -uc >"$work/log" 2>&1 || { tail -n 20 "$work/log"; exit 1; }
lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$work"/fisql_*.changes
echo "lintian finds no error and no warning"
autopkgtest "$work"/fisql_*.deb . -- null
