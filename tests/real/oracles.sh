#!/bin/bash
# Queries against independent oracles, on Lua, SQLite's speedtest1 and zstd: callers and callees equal the
# edges that callgrind saw; recursion, deep-stacks and outliers equal what a pass over the rows of `calls`
# gives, in whole numbers; outliers without its filters, with each of them alone, and with all.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2

# compare ./PROGRAM ARG...: ./PROGRAM is plain, hooked/PROGRAM has hooks. QUERIES: what the oracle compares, else all
compare() {
    local program=${1#./} query
    (cd hooked && "$fisql" record -q -o ../run.bin "$@" >/dev/null 2>&1)
    same "$program: recorded" 0 $?
    rm -f run.db
    "$fisql" load -q run.bin
    same "$program: loads without loss" 0 $?
    valgrind --tool=callgrind --callgrind-out-file=callgrind.out "$@" >/dev/null 2>&1
    sql run.db "SELECT DISTINCT name FROM functions WHERE instrumented = 1" >names.txt
    python3 "$here/tests/real/callgrind_edges.py" callgrind.out names.txt | LC_ALL=C sort >expected.txt
    at_least "$program: callgrind saw $(wc -l <expected.txt) edges" 500 "$(wc -l <expected.txt)"
    for query in callers callees; do
        "$fisql" query $query run.db --format json | python3 -c '
import collections, json, sys
edges = collections.Counter()
for row in json.load(sys.stdin):
    pair = (row["caller"], row["function"]) if sys.argv[1] == "callers" else (row["function"], row["callee"])
    edges[pair] += row["calls"]
for pair, calls in edges.items():
    if not pair[0].startswith("("):
        print(*pair, calls)' $query | LC_ALL=C sort >actual.txt
        same "$program: $query equals callgrind's edges" "" "$(diff expected.txt actual.txt | head -n 20)"
    done
    # shellcheck disable=SC2086 # a list of words
    python3 "$here/tests/real/oracles.py" "$fisql" run.db "$program" ${QUERIES-} >oracles.txt 2>&1
    report $? "$program: the oracle comes to its end" "$(grep -av '^ok' oracles.txt)"
    cat oracles.txt
}

mkdir hooked include
lua=$(echo "$sources"/lua5.4/lua5.4-*/src)
[ -d "$lua" ] || { not_ok "Lua's source is there: run tests/setup"; exit 0; }
echo "#define DEB_HOST_MULTIARCH \"$(gcc -print-multiarch)\"" >include/lua5.4-deb-multiarch.h
files=$(cd "$lua" && find . -name '*.c' ! -name luac.c | sort)
# Seeds and the cache of strings by address are fixed, for runs to be alike.
flags=(-O0 -g -gdwarf-4 -w "-I$PWD/include" -DLUA_USE_LINUX -DLUA_COMPAT_5_3 "-Dluai_makeseed(x)=42"
    "-Dl_randomizePivot()=7" -DSTRCACHE_N=1 -DSTRCACHE_M=1 "-Wl,-E")
cat >script.lua <<'L'
local words = {}
for i = 1, 2000 do words[i] = string.format("%05d", (i * 7919) % 2003) end
table.sort(words, function(a, b) return a > b end)
local function fib(n) return n < 2 and n or fib(n - 1) + fib(n - 2) end
local co = coroutine.wrap(function() for i = 1, 50 do coroutine.yield(fib(8)) end end)
for _ = 1, 50 do co() end
for i = 1, 100 do pcall(error, { i }) end
print(#table.concat(words, " "):gsub("%d%d", "x"), load("return 1 + 2")())
collectgarbage()
L
cp script.lua hooked
# shellcheck disable=SC2086 # a list of words
(cd "$lua" && gcc "${flags[@]}" -o "$TEST_TMP/lua" $files -lm -ldl &&
    "$fisql" cc gcc "${flags[@]}" -o "$TEST_TMP/hooked/lua" $files -lm -ldl)
same "Lua builds" 0 $?
compare ./lua script.lua

# heaptrack counts what is allocated in its own process too: the pool of 72,704 bytes that its C++ library makes
# at start. It prints three digits.
command -v heaptrack >/dev/null || { not_ok "heaptrack is there: run tests/setup real"; exit 0; }
heaptrack -o heap ./lua script.lua >/dev/null 2>&1
heaptrack_print heap.* >heap.txt 2>/dev/null
same "Lua: heaptrack's allocations, and its peak" \
    "$(sql run.db "SELECT ((SELECT value FROM run WHERE key = 'total_allocs') + 1) || ' ' ||
        CASE WHEN peak < 1e6 THEN printf('%.2fK', peak / 1e3) ELSE printf('%.2fM', peak / 1e6) END
        FROM (SELECT value + 72704.0 AS peak FROM run WHERE key = 'peak_bytes')")" \
    "$(sed -n 's/^calls to allocation functions: \([0-9]*\).*/\1/p' heap.txt) $(
        sed -n 's/^peak heap memory consumption: //p' heap.txt)"

root=$(echo "$sources"/sqlite3/sqlite3-3*)
[ -d "$root" ] || { not_ok "SQLite's source is there: run tests/setup real"; exit 0; }
mkdir amalgamation
(cd amalgamation && "$root/configure" -q --disable-tcl >/dev/null 2>&1 && make -s sqlite3.c >/dev/null 2>&1)
[ -s amalgamation/sqlite3.c ] || { not_ok "the amalgamation is made"; exit 0; }
cp "$root/test/speedtest1.c" amalgamation
flags=(-O0 -g -gdwarf-4 -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I.)
(cd amalgamation && gcc "${flags[@]}" -o ../speedtest1 sqlite3.c speedtest1.c -lm &&
    "$fisql" cc gcc "${flags[@]}" -o ../hooked/speedtest1 sqlite3.c speedtest1.c -lm)
same "speedtest1 builds" 0 $?
compare ./speedtest1 --size 1 --memdb --testset main

root=$(echo "$sources"/libzstd/libzstd-*)
[ -d "$root" ] || { not_ok "zstd's source is there: run tests/setup real"; exit 0; }
files=$(cd "$root" && find lib/common lib/compress lib/decompress lib/dictBuilder programs -name '*.c' | sort)
flags=(-O0 -g -gdwarf-4 -w -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -DZSTD_NO_INLINE -I"$root/lib" -I"$root/lib/common"
    -I"$root/programs" -pthread)
head -c 200000 "$root/lib/compress/zstd_compress.c" >text
cp text hooked
# shellcheck disable=SC2086 # a list of words
(cd "$root" && gcc "${flags[@]}" -o "$TEST_TMP/zstd" $files &&
    "$fisql" cc gcc "${flags[@]}" -o "$TEST_TMP/hooked/zstd" $files)
same "zstd builds" 0 $?
# Nothing in it recurs.
QUERIES="deep-stacks outliers" compare ./zstd -q -f --single-thread --no-asyncio text -o text.zst
