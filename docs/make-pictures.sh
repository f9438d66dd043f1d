#!/bin/bash
# Makes README's pictures, docs/pictures/*, from real runs: Lua with the README's script, and the example of
# `make demo`. Terminal views become SVG, pages PNG (headless Chromium; docs/make-pictures.mjs).
#
#   docs/make-pictures.sh BUILD
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd)
PATH=$build:$PATH
source=$(echo "${XDG_CACHE_HOME:-$HOME/.cache}"/fisql-tests/lua5.4/lua5.4_*.orig.tar.gz)
[ -e "$source" ] || { echo "fisql: Lua's source is missing: run tests/setup check" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
XDG_CONFIG_HOME=$work export XDG_CONFIG_HOME

tar xf "$source"
make -s -C lua-5.4.4/src CC="fisql cc gcc" MYLDFLAGS=-Wl,-E MYLIBS=-ldl lua 2>/dev/null
cp "$here/tests/fixtures/words.lua" .
fisql record -q -o lua.bin lua-5.4.4/src/lua words.lua >/dev/null
fisql load -q lua.bin

# The example of make demo, and the same with a text that grows by more at a time: what did that change?
mkdir before after
cp "$here/examples/wordstat.c" before
sed 's/room += 32;/room += 512;/' before/wordstat.c >after/wordstat.c
for version in before after; do
    fisql cc gcc -D_GNU_SOURCE -O1 -g -pthread -o wordstat "$version/wordstat.c"
    fisql record -q -o "$version.bin" ./wordstat >/dev/null
    fisql load -q "$version.bin"
done

fisql report lua.db -o lua.html 2>/dev/null
fisql report before.db -o wordstat.html 2>/dev/null
fisql report --diff before.db after.db -o diff.html 2>/dev/null

# A terminal view: its command, then what it prints, as far as 24 lines go.
view() { # name command...
    local name=$1
    shift
    if [ "$1 ${2-}" = "fisql diff" ] && ! fisql help --list | grep -q '^diff'; then
        return 0
    fi
    { echo "\$ $*" && { "$@" 2>&1 || true; } | head -n 24; } >"$name.txt"
    node "$here/docs/make-pictures.mjs" terminal "$name.txt" "$here/docs/pictures/$name.svg"
}
cp before.db run.db
view tree fisql tree run.db
view trace fisql trace run.db --function table_grow --min-duration 100ns --color always
view diff fisql diff before.db after.db

# Pictures that commands draw themselves: a review of two functions, and an export drawn by graphviz.
fisql review --function table_add --function table_grow --picture "$here/docs/pictures/review.svg" run.db >/dev/null
fisql export --format dot --nodes 12 run.db 2>/dev/null | dot -Tsvg -o "$here/docs/pictures/export-dot.svg"

picture() { # page what name
    node "$here/docs/make-pictures.mjs" page "$work/$1.html" "$2" "$here/docs/pictures/$3.png"
}
picture wordstat summary report-first
picture lua flame report-flame
picture wordstat timeline report-timeline
picture lua function report-function
picture diff flame:bytes report-diff
ls -l "$here"/docs/pictures
