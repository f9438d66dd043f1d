#!/bin/bash
# fisql report of a Lua run of some 70 million calls: the page is at most 5 MB and opens, and so
# does the page that compares the run with another.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2

page_built "the page of 70 million calls" || exit 0
for need in node chromium; do
    command -v "$need" >/dev/null || { not_ok "$need is there: run tests/setup real"; exit 0; }
done
source=$(echo "$sources"/lua5.4/lua5.4-*/src)
[ -d "$source" ] || { not_ok "Lua's source is there: run tests/setup real"; exit 0; }
mkdir include && echo "#define DEB_HOST_MULTIARCH \"$(gcc -print-multiarch)\"" >include/lua5.4-deb-multiarch.h
files=$(cd "$source" && find . -name '*.c' ! -name luac.c)
# shellcheck disable=SC2086 # a list of words
(cd "$source" && "$fisql" cc gcc -O2 -g -w -I"$TEST_TMP/include" -DLUA_USE_LINUX -DLUA_COMPAT_5_3 -Wl,-E \
    -o "$TEST_TMP/lua" $files -lm -ldl) || not_ok "Lua builds"
cat >big.lua <<'L'
local words = {}
for i = 1, 60000 do words[i] = string.format("w%05d", (i * i * 7919) % 99991) end
for round = 1, 2 do
    local copy = {}
    for i = 1, #words do copy[i] = words[i] end
    table.sort(copy, function(a, b) return a > b end)
end
local texts = {}
for i = 1, tonumber(arg[1]) do texts[#texts + 1] = ("x"):rep(i % 50) .. i end
print(#words, #texts)
L
for size in 200000 210000; do
    "$fisql" record -q -o "$size.bin" ./lua big.lua "$size" >/dev/null
    "$fisql" load -q "$size.bin"
    rm -f "$size.bin"
done
calls=$(sql 200000.db 'SELECT sum(calls) FROM threads')
[ "$calls" -gt 60000000 ] && ok "the run has $calls calls" || not_ok "the run has $calls calls, not some 70 million"
start=$(date +%s%N)
"$fisql" report 200000.db 2>/dev/null
same "the report is written" 0 $?
echo "    in $((($(date +%s%N) - start) / 1000000)) ms"
node "$here/tests/report/opens.mjs" "$PWD/report.html" "70 million calls" \
    "document.querySelectorAll('.flame rect').length > 50" "document.querySelectorAll('#graph-drawing rect').length > 5" \
    "/Left out are [0-9\u202f]+ calls/.test(document.querySelector('#timeline').textContent)"
"$fisql" report --diff 200000.db 210000.db -o diff.html 2>/dev/null
node "$here/tests/report/opens.mjs" "$PWD/diff.html" "twice 70 million calls" "document.querySelectorAll('.differs').length > 3"
