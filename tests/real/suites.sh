#!/bin/bash
# The programs' own tests pass while they are recorded, with gcc and with clang: SQLite's testfixture, zstd's
# fuzzer and stream tests, Redis' test suite (servers started, killed and restarted by a Tcl program). Each
# recording loads without loss, each exit its entry's.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
cd "$TEST_TMP" || exit 2
export PYTHONDONTWRITEBYTECODE=1

command -v tclsh >/dev/null || { not_ok "Tcl is there: run tests/setup real"; exit 0; }
for source in sqlite3/sqlite3-3 libzstd/libzstd- redis/redis-; do
    [ -d "$(echo "$sources"/$source*)" ] || { not_ok "the source of ${source%/*} is there: run tests/setup real"; exit 0; }
done

# loaded WHAT: run.bin loads without loss, with no exit that does not match its entry; the large files go
loaded() {
    rm -f run.db
    "$fisql" load -q --summary run.bin 2>load.err
    same "$1: loads without loss" "0 " "$? $(cat load.err)"
    same "$1: every exit is its entry's" 0 "$(sql run.db "SELECT count(*) FROM anomalies WHERE kind <> 'unwound'")"
    local calls
    calls=$(sql run.db 'SELECT sum(calls) FROM threads')
    at_least "$1: $calls calls of $(sql run.db 'SELECT count(*) FROM processes') processes" 1000000 "$calls"
    rm -f run.bin run.db
}

# ---- SQLite: tests of its own, by the testfixture program
root=$(echo "$sources"/sqlite3/sqlite3-3*)
tests="select1 insert join trigger1 index where where2 window1 with1 wal fts3aa json101 altertab"
for compiler in gcc clang; do
    mkdir -p "sqlite-$compiler"
    (cd "sqlite-$compiler" && CC="$fisql cc $compiler" CFLAGS="-O1 -g -w" "$root/configure" -q --disable-shared \
        --enable-tempstore --with-tcl="$(dirname "$(find /usr/lib -name tclConfig.sh | head -n 1)")" &&
        make -s -j2 testfixture) >build.log 2>&1
    report $? "testfixture builds ($compiler)" "$(tail -n 5 build.log)"
    failed=
    for test in $tests; do
        (cd "sqlite-$compiler" && timeout 300 "$fisql" record -q -o "../$test.bin" ./testfixture "$root/test/$test.test") >test.log 2>&1
        grep -q '^0 errors out of [1-9]' test.log || failed="$failed $test: $(grep -E '^[0-9]+ errors|rror' test.log | head -n 3)"
        "$fisql" load -q -o run.db "$test.bin" 2>load.err || failed="$failed $test does not load: $(cat load.err)"
        [ "$(sql run.db "SELECT count(*) FROM anomalies WHERE kind <> 'unwound'")" = 0 ] ||
            failed="$failed $test has anomalies"
        rm -f "$test.bin" run.db
    done
    same "SQLite: its tests pass while recorded ($compiler)" "" "$failed"
done

# ---- zstd: its fuzzer and its test of streams, which check each result
root=$(echo "$sources"/libzstd/libzstd-*)
files=$(cd "$root" && find lib/common lib/compress lib/decompress lib/dictBuilder lib/legacy -name '*.c' | sort)
options=(-w -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -DZSTD_LEGACY_SUPPORT=5 -I"$root/lib" -I"$root/lib/common"
    -I"$root/lib/compress" -I"$root/lib/dictBuilder" -I"$root/lib/legacy" -I"$root/programs" -pthread)
for compiler in gcc clang; do
    for test in fuzzer zstreamtest; do
        extra=$([ $test = zstreamtest ] && echo tests/seqgen.c tests/external_matchfinder.c)
        # shellcheck disable=SC2086 # lists of words
        (cd "$root" && "$fisql" cc $compiler -O2 -g "${options[@]}" -o "$TEST_TMP/$test" tests/$test.c programs/datagen.c \
            programs/util.c programs/timefn.c $extra $files) >build.log 2>&1
        report $? "zstd's $test builds ($compiler)" "$(tail -n 5 build.log)"
        "$fisql" record -q ./$test --no-big-tests -s17 -t1 -i3 >test.log 2>&1
        same "zstd's $test passes while recorded ($compiler)" 0 "$?$(grep -iE '^error|failed' test.log)"
        loaded "zstd's $test ($compiler)"
    done
done

# ---- Redis: its test suite starts and kills servers, all of them recorded into one log
root=$(echo "$sources"/redis/redis-*/)
for compiler in gcc clang; do
    rm -rf redis
    cp -r "$root" redis
    (make -s -j2 -C redis/deps hiredis linenoise lua hdr_histogram CC="$compiler" &&
        make -s -j2 -C redis/src MALLOC=libc OPTIMIZATION=-O1 CC="$fisql cc $compiler" redis-server redis-benchmark \
            redis-cli) >build.log 2>&1
    report $? "Redis builds ($compiler)" "$(tail -n 5 build.log)"
    (cd redis && timeout 500 "$fisql" record -q -o ../run.bin ./runtest --clients 2 --timeout 300 --single unit/type/incr \
        --single unit/type/hash --single unit/auth --single unit/multi --single unit/quit --single unit/scan) >test.log 2>&1
    same "Redis: its tests pass while recorded ($compiler)" "0" "$?$(grep -E 'err\]|exception' test.log | head -n 5)"
    grep -q 'All tests passed without errors' test.log
    report $? "Redis: it says so ($compiler)" "$(tail -n 5 test.log)"
    loaded "Redis' tests ($compiler)"
done
