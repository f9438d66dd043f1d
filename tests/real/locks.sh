#!/bin/bash
# Sound programs are silent with `fisql record --locks`: Redis with I/O threads, an append-only file and lazy frees under
# redis-benchmark, zstd with two workers, our own examples. What is told of their locks is true: Redis' are taken as often
# as the functions were called that take them, and each wait for the main thread ends in the function that
# gives the lock back.
# shellcheck source=tests/e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
# shellcheck source=tests/real/gcov.sh
. "$(dirname "$0")/gcov.sh"
cd "$TEST_TMP" || exit 2

silent() { # WHAT DB
    local query
    for query in lock-order lock-misuse; do
        run "$fisql" query $query "$2" --format json
        same "$1: $query has no row" "0 []" "$status $out"
    done
    run "$fisql" query lock-order "$2" -p by_place=1 --format json
    same "$1: nor has lock-order by the places where locks were made" "0 []" "$status $out"
}

# ---- our own examples ----

# example NAME ARGUMENT...: a program of examples/ or docs/examples/
example() {
    local name=$1 file
    shift
    for file in "$here"/examples/"$name".c "$here"/docs/examples/"$name".c*; do [ ! -e "$file" ] || break; done
    case $file in *.cc) build g++ "$name" -g -O1 -pthread "$file" ;; *) build gcc "$name" -g -O1 -pthread -I"$here/collector" "$file" -lm ;; esac
    "$fisql" record -q --locks -o "$name.bin" "./$name" "$@" >/dev/null 2>&1 </dev/null
    "$fisql" load -q "$name.bin"
    same "$name: loads without loss" 0 $?
    silent "$name" "$name.db"
}
example shop
example till
example wordstat "$here"/README.md "$here"/CONTRIBUTING.md

# ---- zstd ----

root=$(echo "$sources"/libzstd/libzstd-*)
[ -d "$root" ] || { not_ok "zstd's source is there: run tests/setup real"; exit 0; }
files=$(cd "$root" && find lib/common lib/compress lib/decompress lib/dictBuilder programs -name '*.c' | sort)
# shellcheck disable=SC2086 # a list of words
(cd "$root" && "$fisql" cc gcc -O1 -g -w -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -Ilib -Ilib/common -Iprograms \
    -pthread -o "$TEST_TMP/zstd" $files)
report $? "zstd builds"
cat "$root"/lib/compress/*.c >text
"$fisql" record -q --locks -o zstd.bin ./zstd -q -f -T2 -B65536 text -o text.zst
same "zstd -T2 ends with 0" 0 $?
./zstd -q -d -c text.zst | cmp -s - text
report $? "zstd -T2: what it wrote is whole"
"$fisql" load -q zstd.bin
same "zstd -T2 loads without loss" 0 $?
silent "zstd -T2" zstd.db
at_least "zstd -T2: lock-holders has its locks" 5 "$("$fisql" query lock-holders zstd.db --format csv | tail -n +2 | wc -l)"
rm -f zstd.bin zstd.db

# ---- Redis ----

build_redis || exit 0
port=$((20000 + RANDOM % 20000))
mkdir data
# I/O threads wait by calling getIOPendingCount a million times: 400 million calls, which say nothing here.
"$fisql" record -q --locks --exclude getIOPendingCount -o redis.bin redis/src/redis-server --port $port --bind 127.0.0.1 \
    --dir "$PWD/data" --save '' --appendonly yes --appendfsync everysec --io-threads 2 --io-threads-do-reads yes \
    --lazyfree-lazy-user-del yes --lazyfree-lazy-server-del yes --lazyfree-lazy-user-flush yes --daemonize no >server.log 2>&1 &
server=$!
cli() { timeout 60 redis/src/redis-cli -p "$port" "$@"; }
for _ in $(seq 100); do
    [ "$(cli ping 2>/dev/null)" = PONG ] && break
    sleep 0.1
done
timeout 600 redis/src/redis-benchmark -q -p "$port" -n 20000 -c 50 -r 1000 -t set,get,lpush,lpop,sadd,zadd >bench.log 2>&1
same "redis-benchmark ends with 0" 0 $?
cli eval 'for i = 1, 5000 do redis.call("sadd", "set", i) redis.call("hset", "hash", i, i) end' 0 >/dev/null
cli bgrewriteaof >/dev/null
cli del set >/dev/null
cli unlink hash >/dev/null
for _ in $(seq 300); do
    cli info persistence | grep -q "aof_rewrite_in_progress:0" && break
    sleep 0.1
done
cli flushall async >/dev/null
field() { tr -d '\r' <info.txt | sed -n "s/^$1://p"; }
for _ in $(seq 300); do # the thread may still be at it
    cli info >info.txt
    [ "$(field lazyfree_pending_objects)" = 0 ] && [ "$(field lazyfreed_objects)" -ge 1000 ] && break
    sleep 0.1
done
cli shutdown >/dev/null 2>&1
wait $server
same "Redis ends with 0" 0 $?
at_least "Redis processed the benchmark's commands" 120000 "$(field total_commands_processed)"
at_least "its I/O threads read" 50000 "$(field io_threaded_reads_processed)"
at_least "its thread of lazy frees freed" 1000 "$(field lazyfreed_objects)"
"$fisql" load -q redis.bin
same "Redis loads without loss" 0 $?
silent "Redis" redis.db

# bio_mutex[] is taken once by each call of these functions in the main thread.
same "bio.c's mutexes are held as often by the main thread as it called what takes them" "$(calls_of redis.db bioSubmitJob bioPendingJobsOfType)" \
    "$(sql redis.db "SELECT sum(h.times) FROM lock_holds h JOIN lock_details d ON d.id = h.lock_id JOIN threads t ON t.id = h.thread_id
                     WHERE d.name LIKE 'bio_mutex[%' AND t.name = 'redis-server' AND t.id = (SELECT min(id) FROM threads)")"
stops="SELECT l.id FROM locks l JOIN lock_waits w ON w.lock_id = l.id JOIN functions f ON f.id = (SELECT function_id FROM frames WHERE id = w.frame_id)
       WHERE f.name = 'IOThreadMain'"
same "the mutex that stops the I/O thread is given back as often as that was started" "$(calls_of redis.db startThreadedIO)" \
    "$(sql redis.db "SELECT sum(h.times) FROM lock_holds h JOIN threads t ON t.id = h.thread_id WHERE h.lock_id IN ($stops)
                     AND t.id = (SELECT min(id) FROM threads)")"
same "lock-contention: the I/O thread waits for who stops it, and for nobody else" "initThreadedIO stopThreadedIO" \
    "$("$fisql" query lock-contention redis.db --format json |
        jq -r '[.[] | select(.function == "IOThreadMain") | .held_by] | unique | join(" ")')"
same "each of these waits lasts until the main thread starts the I/O thread that it had stopped" "0" "$(sql redis.db "
    WITH starts AS MATERIALIZED (
      SELECT c.id, c.enter_ns FROM calls c
      WHERE c.frame_id IN (SELECT k.id FROM frames k JOIN functions f ON f.id = k.function_id WHERE f.name = 'startThreadedIO'))
    SELECT count(*) FROM lock_waits w WHERE w.lock_id IN ($stops) AND w.ended = 'taken' AND w.held_by_thread_id = (SELECT min(id) FROM threads)
    AND (SELECT min(s.enter_ns) FROM starts s WHERE s.id > w.held_by_call_id) > w.start_ns + w.wait_ns")"
at_least "lock-holders has Redis' locks" 4 "$("$fisql" query lock-holders redis.db --format csv | tail -n +2 | wc -l)"
at_least "locks were taken while others were held" 4 "$(sql redis.db 'SELECT count(*) FROM lock_orders')"
