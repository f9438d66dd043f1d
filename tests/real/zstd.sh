#!/bin/bash
# zstd from Debian's source package, compressing with two worker threads while it is recorded: what it
# writes can be read again, each function's calls equal gcov's where the work is the same each time (one
# thread, -T1 --single-thread --no-asyncio), and allocations equal valgrind's there.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
# shellcheck source=tests/real/gcov.sh
. "$(dirname "$0")/gcov.sh"
cd "$TEST_TMP" || exit 2

root=$(echo "$sources"/libzstd/libzstd-*)
[ -d "$root" ] || { not_ok "zstd's source is there: run tests/setup real"; exit 0; }
files=$(cd "$root" && find lib/common lib/compress lib/decompress lib/dictBuilder programs -name '*.c' | sort)
options=(-w -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -I"$root/lib" -I"$root/lib/common"
    -I"$root/programs" -pthread)
cat "$root"/lib/compress/*.c >text

compile_gcov zstd "$root" "${options[@]}" -- "$files"
for compiler in gcc clang; do
    # shellcheck disable=SC2086 # lists of words
    (cd "$root" && "$fisql" cc $compiler -O1 -g -gdwarf-4 "${options[@]}" -o "$TEST_TMP/zstd" $files)
    report $? "zstd builds ($compiler)"

    "$fisql" record -q -o two.bin ./zstd -q -f -T2 -B65536 text -o two.zst
    same "-T2 ends with 0 ($compiler)" 0 $?
    ./zstd -q -d -c two.zst | cmp -s - text
    report $? "-T2: what it wrote is whole ($compiler)"
    "$fisql" load -q two.bin
    same "-T2 loads without loss ($compiler)" 0 $?
    same "-T2: three threads or more that made calls ($compiler)" 1 "$(sql two.db 'SELECT count(*) >= 3 FROM threads WHERE calls > 0')"
    sound "zstd -T2 ($compiler)" two.db
    same "zstd -T2: every rollup equals SQL over the rows ($compiler)" "" \
        "$(sqlite3 -batch two.db <"$here/tests/e2e/rollups.sql" 2>&1)"

    "$fisql" record -q -o one.bin ./zstd -q -f --single-thread --no-asyncio text -o one.zst
    "$fisql" load -q one.bin
    same "one thread loads without loss ($compiler)" 0 $?
    compare_with_gcov "zstd ($compiler)" one.db "cd gcov && rm -f *.gcda && ./zstd -q -f --single-thread --no-asyncio ../text -o one.zst"
    compare_with_valgrind "zstd ($compiler)" one.db ./zstd -q -f --single-thread --no-asyncio text -o one.zst
done
