#!/bin/bash
# The source archive: the same bytes each time, from git and from an unpacked archive; it builds without git, npm and
# network, and its page of the report is the bundled one. Its bill of materials names what is in it.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2
if nm "$fisql" | grep -q __asan_init; then
    ok "skipped: an archive is made without sanitizers"
    exit 0
fi
page_built "make dist" || exit 0
git -C "$here" rev-parse -q --verify HEAD >/dev/null || {
    echo "skipped - make dist: this is no work tree of git"
    exit 0
}
# The build's objects serve again: they are of the same sources, which are newer here.
objects() {
    mkdir -p "$1" && cp -a "$FISQL_BUILD"/{obj,gen,needs,fisql,prototypes} "$FISQL_BUILD"/libfisql* "$1"
    find "$1" -type f -exec touch {} +
}
git clone -q "$here" clone && objects clone/build
make() { command make --no-print-directory -s "$@"; }
run make -C clone dist
same "make dist" "0 " "$status $err"
archive=$(echo clone/build/fisql-*.tar.xz)
tar xf "$archive"
unpacked=$(basename "$archive" .tar.xz)
same "it has what git tracks, and seven files more" \
    "$({ git -C clone ls-files && printf '%s\n' DIST-FILES page/bundled/{report_head.html,report_tail.html,serve.{css,html,js}} sbom.spdx.json; } | LC_ALL=C sort)" \
    "$(cd "$unpacked" && find . ! -type d -printf '%P\n' | LC_ALL=C sort)"
same "all belong to root" "0/0" "$(tar tvf "$archive" --numeric-owner | awk '{ print $2 }' | sort -u)"

# In the archive, with no git, npm, node and network
objects "$unpacked/build"
find "$unpacked" -newer "$unpacked/DIST-FILES" -type f -path '*/page/*' | head -n 1 >newer
rm -f "$unpacked"/build/gen/report_* "$unpacked"/build/gen/serve.* "$unpacked"/build/obj/report_page.*
mkdir bin && for tool in /usr/bin/*; do case ${tool##*/} in git | npm | node | nodejs | curl | wget) ;; *) ln -s "$tool" bin/ ;; esac done
run env PATH="$PWD/bin" unshare -rn make -C "$unpacked" all
[ "$status" -eq 0 ] || run env PATH="$PWD/bin" make -C "$unpacked" all # a machine that forbids namespaces
same "it builds without git, npm and network" 0 "$status"
for file in report_tail.html serve.js; do
    same "it has the page: $file" 0 "$(cmp -s "$unpacked/build/gen/$file" "$FISQL_BUILD/gen/$file" && echo 0)"
done
same "and fisql works" "$("$fisql" --version)" "$("$unpacked/build/fisql" --version)"
run env PATH="$PWD/bin" make -C "$unpacked" dist
same "make dist in an unpacked archive" "0 " "$status $err"
same "gives the same bytes" 0 "$(cmp "$archive" "$unpacked/build/$unpacked.tar.xz" && echo 0)"

bill=$unpacked/sbom.spdx.json
same "the bill of materials is sound, and names the page's libraries with their versions" \
    "$(jq -r '.packages | to_entries[] | select(.key != "" and (.value.dev | not)) | (.key | sub("node_modules/"; "")) + " " + .value.version' "$here/page/package-lock.json" | sort)" \
    "$(jq -r '.relationships[] | select(.relationshipType == "STATIC_LINK") | .relatedSpdxElement' "$bill" | while read -r id; do
        jq -r --arg id "$id" '.packages[] | select(.SPDXID == $id and .versionInfo != null) | .name + " " + .versionInfo' "$bill"
    done | sort)"
same "each relation's ends are there" "" "$(jq -r '([.packages[].SPDXID] + ["SPDXRef-DOCUMENT"]) as $ids | .relationships[] | .spdxElementId, .relatedSpdxElement | select(. as $id | $ids | index($id) | not)' "$bill")"

# --- its RPM, of the archive alone, where rpmbuild is: the packages of Fedora that it needs have other names here

if command -v rpmbuild >/dev/null && command -v rpm2cpio >/dev/null && command -v cpio >/dev/null; then
    rpmbuild -ta --nodeps --define "_topdir $PWD/rpm" --define "_smp_mflags -j2" "$archive" >rpm.log 2>&1
    same "rpmbuild makes the package" 0 $?
    grep -aE 'rror:|^RPM build' -A 3 rpm.log | cut -c 1-200 | head -n 20
    mkdir from_rpm && (cd from_rpm && rpm2cpio "$(find ../rpm/RPMS -name '*.rpm')" | cpio -idm --quiet)
    make -C clone install PREFIX=/usr DESTDIR="$PWD/installed"
    listed() { (cd "$1" && find . ! -type d -printf '%P\n' | sed 's|\.gz$||' | grep -vE '^usr/(share/licenses|lib/.build-id)/' | LC_ALL=C sort); }
    at_least "it has files" 30 "$(listed from_rpm | wc -l)"
    same "it has what make install installs" "$(listed installed)" "$(listed from_rpm)"
    run env HOME="$PWD" from_rpm/usr/bin/fisql --version
    same "and fisql of it works" "$("$fisql" --version)" "$out"
else
    echo "skipped - the RPM: rpmbuild or cpio is not installed"
fi
