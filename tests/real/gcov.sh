# Shared by the tests of real programs: building Redis, comparing a recording with gcov and with valgrind.
# shellcheck shell=bash
# shellcheck disable=SC2154 # here, fisql: lib.sh

# build_redis: in ./redis. The parts that it brings along (Lua's headers and hiredis come with them) are built as they
# are, the server itself with hooks. False: its source is not there.
build_redis() {
    local root
    # shellcheck disable=SC2154 # sources: lib.sh
    root=$(echo "$sources"/redis/redis-*/)
    [ -d "$root" ] || { not_ok "Redis's source is there: run tests/setup real"; return 1; }
    cp -r "$root" redis
    make -s -j2 -C redis/deps hiredis linenoise lua hdr_histogram >build.log 2>&1
    make -s -j2 -C redis/src MALLOC=libc OPTIMIZATION=-O1 CC="$fisql cc gcc" redis-server redis-benchmark redis-cli >>build.log 2>&1
    report $? "Redis builds" "$(tail -n 5 build.log)"
}

# compile_gcov PROGRAM FOLDER FLAG... -- FILES: builds PROGRAM in ./gcov with coverage
compile_gcov() {
    local program=$1 folder=$2 flags=() file
    shift 2
    while [ "$1" != -- ]; do
        flags+=("$1")
        shift
    done
    mkdir -p gcov
    for file in $2; do
        (cd "$folder" && gcc -O0 --coverage -fprofile-update=atomic "${flags[@]}" \
            -c "$file" -o "$TEST_TMP/gcov/${file//\//_}.o") || not_ok "$program: $file builds with gcov"
    done
    gcc --coverage -pthread -o "gcov/$program" gcov/*.o -lm || not_ok "$program links with gcov"
}

# compare_with_gcov WHAT DB COMMAND: runs the command on the gcov build; every function that both know
# was called as often. gcov counts a function's first block: a function whose first block is jumped back
# to is counted too often by gcov; such functions (callgrind knows better) must be named in GCOV_JUMPS. Where
# other parts of the program have files of the same names, GCOV_FOLDER is in the paths of those that count.
compare_with_gcov() {
    bash -c "$3" >/dev/null 2>&1 || not_ok "$1: the gcov build runs"
    python3 "$here/tests/e2e/gcov_counts.py" gcov | sed 's/ /:/' | LC_ALL=C sort >gcov.txt
    sql "$2" "SELECT files.name || ':' || f.name || ' ' || sum(coalesce(s.calls, 0))
              FROM functions f JOIN files ON files.id = f.file_id
              LEFT JOIN function_stats s ON s.function_id = f.id
              WHERE f.instrumented = 1 GROUP BY files.name, f.name" | LC_ALL=C sort >fisql.txt
    same "$1: every function that gcov saw called is known" "" \
        "$(LC_ALL=C join -v 1 gcov.txt fisql.txt | awk '$2 != 0')"
    LC_ALL=C join gcov.txt fisql.txt >both.txt
    same "$1: each function's calls equal gcov's" "" \
        "$(awk -v jumps=" ${GCOV_JUMPS-} " '$2 != $3 && !index(jumps, " " $1 " ")' both.txt | head -n 20)"
    called=$(awk '$2 > 0' both.txt | wc -l)
    at_least "$1: $(wc -l <both.txt) functions compared, $called of them called" 100 "$called"
    # gcov knows nothing of functions that no unit of its build kept.
    same "$1: dead-code is what gcov counts 0 for" "" \
        "$(diff <(awk '$2 == 0 { print $1 }' both.txt) \
            <("$fisql" query dead-code "$2" --format json |
                jq -r --arg in_folder "${GCOV_FOLDER-}" '.[] | (.file // "") as $file |
                    select([$in_folder, "/usr/include/"] | any(. as $folder | $file | contains($folder))) |
                    "\($file | split("/")[-1]):\(.function)"' |
                LC_ALL=C sort -u | LC_ALL=C join - gcov.txt | cut -d ' ' -f 1) | head -n 20)"
}

# compare_with_valgrind WHAT DB COMMAND...: totals of allocations, frees and bytes. The C library allocates
# for each thread a table with an entry for each module that has thread-local data. The collector is such a
# module, so under valgrind a library that does nothing but have some takes its place.
compare_with_valgrind() {
    local what=$1 db=$2 expected
    shift 2
    [ -e tls.so ] || echo '__thread int takes_an_entry;' | gcc -shared -fPIC -o tls.so -x c -
    LD_PRELOAD=$PWD/tls.so valgrind --run-libc-freeres=no --log-file=valgrind.txt "$@" >/dev/null 2>&1
    expected=$(sed -n 's/.*total heap usage: \([0-9,]*\) allocs, \([0-9,]*\) frees, \([0-9,]*\) bytes.*/\1 \2 \3/p' \
        valgrind.txt | tr -d ,)
    same "$what: allocations, frees and bytes equal valgrind's" "$expected" \
        "$(sql "$db" "SELECT (SELECT value FROM run WHERE key = 'total_allocs') || ' ' ||
                             (SELECT value FROM run WHERE key = 'total_frees') || ' ' ||
                             (SELECT value FROM run WHERE key = 'total_alloc_bytes')")"
}
