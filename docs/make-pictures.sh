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
picture lua function report-function
picture diff flame:bytes report-diff

# Of fisql serve: the timeline with waits for locks, and the console with a plot.
fisql cc gcc -w -O1 -g -pthread -o wordstat before/wordstat.c
fisql record -q --locks -o locks.bin ./wordstat >/dev/null
fisql load -q locks.bin
fisql serve locks.db >address 2>/dev/null &
server=$!
trap 'kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
for _ in $(seq 100); do [ -s address ] && break; sleep 0.1; done
served() { # name section hash click...
    local name=$1
    shift
    node "$here/docs/make-pictures.mjs" serve "$(cat address)" "$1" "$2" "$here/docs/pictures/$name.png" "${@:3}"
}
statement="SELECT f.name AS function, t.name AS thread, count(*) AS calls, sum(c.self_ns) AS self_ns
FROM calls c
JOIN frames k ON k.id = c.frame_id JOIN functions f ON f.id = k.function_id
JOIN threads t ON t.id = c.thread_id
WHERE c.enter_ns > 10e6 GROUP BY 1, 2 ORDER BY self_ns DESC"
served serve-timeline timeline '#timeline'
served serve-console sql "#sql:$(jq -rn --arg text "$statement" '$text | @uri')" '#run-sql' '.plot [data-value=bars]'

# The plots of docs/notebooks.md, by its own files
mkdir notebook && cd notebook
cp "$here/examples/growth.c" .
awk -f "$here/tests/tools/blocks.awk" "$here/docs/notebooks.md" >/dev/null
ln -s "${XDG_CACHE_HOME:-$HOME/.cache}/fisql-tests/notebooks/node_modules" .
for file in record.sh growth.py calls.sh heat.sh heat.py compare.R; do
    case $file in *.sh) sh -e $file ;; *.py) /usr/bin/python3 $file ;; *.R) Rscript $file ;; esac >/dev/null 2>&1
done
for plot in growth heat compare; do cp $plot.png "$here/docs/pictures/notebook-$plot.png"; done
ls -l "$here"/docs/pictures
