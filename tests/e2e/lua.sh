#!/bin/bash
# Lua 5.4 from Debian's source package: for each function the number of calls equals gcov's on the same
# script, and the totals of allocations, frees and bytes equal valgrind's. With gcc and clang.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/lib.sh"
cd "$TEST_TMP" || exit 2

source=$(echo "$sources"/lua5.4/lua5.4-*/src)
[ -d "$source" ] || { not_ok "Lua's source is there: run tests/setup"; exit 0; }
files=$(cd "$source" && find . -name '*.c' ! -name luac.c | sed 's|^\./||' | sort)
# Debian's build makes this header.
mkdir include && echo "#define DEB_HOST_MULTIARCH \"$(gcc -print-multiarch)\"" >include/lua5.4-deb-multiarch.h
# Lua seeds its hashes and its sort from addresses and the clock, and caches strings by address: fixed
# here, for runs to be alike. All are run under one name, for it is a string in Lua too.
same=(-I"$TEST_TMP/include" -DLUA_USE_LINUX -DLUA_COMPAT_5_3 "-Dluai_makeseed(x)=42" "-Dl_randomizePivot()=7"
    -DSTRCACHE_N=1 -DSTRCACHE_M=1)
flags="-O1 -g -gdwarf-4 -Wl,-E"

cat >script.lua <<'L'
local words = {}
for i = 1, 800 do words[i] = string.format("%05d", (i * 7919) % 801) end
table.sort(words)
table.sort(words, function(a, b) return a > b end)
local text = table.concat(words, " "):gsub("%d%d", string.upper):rep(3)
local count = 0
for word in text:gmatch("%S+") do count = count + #word end
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
local co = coroutine.wrap(function() for i = 1, 15 do coroutine.yield(fib(10)) end end)
for _ = 1, 15 do count = count + co() end
for i = 1, 100 do pcall(error, { i }) end
local t = setmetatable({}, { __index = function(_, k) return k * 2 end, __gc = function() count = 0 end })
for i = 1, 1000 do count = count + t[i] end
collectgarbage()
print(count, #words, load("return 1 + 2")())
L

cat >oracle.sql <<'Q'
SELECT files.name || ' ' || f.name || ' ' || sum(coalesce(s.calls, 0))
FROM functions f JOIN files ON files.id = f.file_id LEFT JOIN function_stats s ON s.function_id = f.id
WHERE f.instrumented = 1
GROUP BY files.name, f.name ORDER BY files.name, f.name;
Q

mkdir gcov
for file in $files; do
    (cd gcov && gcc -O0 --coverage -w "${same[@]}" -c "$source/$file") || not_ok "gcov build"
done
(cd gcov && gcc --coverage -Wl,-E -o lua ./*.o -lm -ldl) || not_ok "gcov build"
cp gcov/lua lua && ./lua script.lua >plain.txt
python3 "$here/tests/e2e/gcov_counts.py" gcov | LC_ALL=C sort >gcov.txt
[ "$(wc -l <gcov.txt)" -gt 700 ] && ok "gcov knows Lua's functions" || not_ok "gcov knows Lua's functions"

# gcov takes a function's count from its first block. luaV_execute begins with a label that loops jump to,
# so gcov counts those jumps too; callgrind counts its calls.
# shellcheck disable=SC2086 # a list of words
(cd "$source" && gcc -O0 -g -gdwarf-4 -w "${same[@]}" -Wl,-E -o "$TEST_TMP/lua" $files -lm -ldl) || not_ok "plain build"
valgrind --tool=callgrind --callgrind-out-file=callgrind.txt ./lua script.lua >/dev/null 2>&1
executes=$(awk '/^c?fn=/ { id = $1; sub(/^c?fn=/, "", id); if ($2 != "") name[id] = $2; if (/^cfn=/) callee = name[id] }
    /^calls=/ && callee ~ /^luaV_execute/ { split($1, part, "="); sum += part[2] } END { print sum }' callgrind.txt)
sed -i "s/^lvm.c luaV_execute .*/lvm.c luaV_execute $executes/" gcov.txt

for compiler in gcc $(brief || echo clang); do
    # shellcheck disable=SC2086 # lists of words
    (cd "$source" && "$fisql" cc $compiler -w $flags "${same[@]}" -o "$TEST_TMP/lua" $files -lm -ldl) || not_ok "Lua builds with $compiler"
    "$fisql" record -q -o run.bin ./lua script.lua >traced.txt
    same "Lua's output ($compiler)" "$(cat plain.txt)" "$(cat traced.txt)"
    "$fisql" load -q run.bin
    same "loads without loss ($compiler)" 0 $?
    # A function that this compiler removed for lack of use has no copy; gcov counts 0 for it.
    sql run.db "$(cat oracle.sql)" | LC_ALL=C sort >fisql.txt
    LC_ALL=C join -v 1 -j 1 <(sed 's/ /:/' gcov.txt | LC_ALL=C sort) <(sed 's/ /:/' fisql.txt | LC_ALL=C sort) | awk '$2 != 0' >only_gcov.txt
    same "every function that gcov saw called is known ($compiler)" "" "$(cat only_gcov.txt)"
    LC_ALL=C join -j 1 <(sed 's/ /:/' gcov.txt | LC_ALL=C sort) <(sed 's/ /:/' fisql.txt | LC_ALL=C sort) >both.txt
    same "each function's calls equal gcov's ($compiler)" "" "$(awk '$2 != $3' both.txt)"
    [ "$(wc -l <both.txt)" -gt 600 ] && ok "$(wc -l <both.txt) functions compared ($compiler)" || not_ok "functions compared ($compiler)"
    "$fisql" query dead-code run.db --format json | jq -r '.[] | "\(.file | split("/")[-1]):\(.function)"' | LC_ALL=C sort >dead.txt
    at_least "dead-code's functions are gcov's ($compiler)" 100 \
        "$(LC_ALL=C join -j 1 <(sed 's/ /:/' gcov.txt | awk '$2 == 0' | LC_ALL=C sort) dead.txt | wc -l)"
    same "dead-code names no function that gcov saw called ($compiler)" "" \
        "$(LC_ALL=C join -j 1 <(sed 's/ /:/' gcov.txt | awk '$2 > 0' | LC_ALL=C sort) dead.txt)"
    sound "Lua ($compiler)" run.db

    [ $compiler != gcc ] || same "every rollup equals SQL over the rows" "" \
        "$(sqlite3 -batch run.db <"$here/tests/e2e/rollups.sql" 2>&1)"
    python3 "$here/tests/e2e/oracles.py" callgrind run.db callgrind.txt
    python3 "$here/tests/e2e/oracles.py" calls run.db
    [ $compiler != gcc ] || python3 "$here/tests/e2e/oracles.py" totals run.db

    valgrind --tool=dhat --log-file=dhat.txt --dhat-out-file=dhat.out ./lua script.lua >/dev/null
    python3 "$here/tests/e2e/oracles.py" peak run.db dhat.txt
    valgrind --run-libc-freeres=no --log-file=valgrind.txt ./lua script.lua >valgrind.out
    expected=$(sed -n 's/.*total heap usage: \([0-9,]*\) allocs, \([0-9,]*\) frees, \([0-9,]*\) bytes.*/\1 \2 \3/p' valgrind.txt | tr -d ,)
    same "allocations, frees and bytes equal valgrind's ($compiler)" "$expected" \
        "$(sql run.db "SELECT (SELECT value FROM run WHERE key = 'total_allocs') || ' ' ||
                              (SELECT value FROM run WHERE key = 'total_frees') || ' ' ||
                              (SELECT value FROM run WHERE key = 'total_alloc_bytes')")"
    same "the rows say the same ($compiler)" "$expected" \
        "$(sql run.db "SELECT count(*) || ' ' || count(free_ns) || ' ' || sum(size) FROM allocs")"
    left=$(sed -n 's/.*in use at exit: \([0-9,]*\) bytes in \([0-9,]*\) blocks.*/\1 \2/p' valgrind.txt | tr -d ,)
    same "not-freed equals what valgrind finds in use at exit ($compiler)" "$left" \
        "$("$fisql" query not-freed --all-blocks run.db --format json | python3 -c '
import json, sys
rows = json.load(sys.stdin)
print(sum(r["bytes"] for r in rows), sum(r["blocks"] for r in rows))')"
done

# Filters, on every query that has them.
same "every filter keeps the rows that it should, and no others" "199 compared" \
    "$(python3 "$here/tests/e2e/filters.py" "$fisql" run.db luaH_resize ltable.c lua 2>&1)"
